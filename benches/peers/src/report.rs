//! The clock, the alternating runs of a crate and its peers, and the final lines of a run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cpu_time::ThreadTime;

/// A case, a peer, and the peer's time over ours.
pub type Ratio = (String, String, f64);

/// The results of a run so far.
pub struct Report {
    /// A smaller workload and fewer rounds, to check that everything works.
    is_short: bool,
    /// Counts wrong results only.
    has_no_times: bool,
    pub ratios: Vec<Ratio>,
    /// A case, a crate, the number of wrong results, and their total.
    wrongs: Vec<(String, &'static str, usize, usize)>,
}

/// A crate that does the work: CPU seconds of one round.
pub struct Runner<'a> {
    pub name: &'static str,
    pub round: Box<dyn FnMut() -> f64 + 'a>,
}

pub const OURS: &str = "osculate";

pub fn runner<'a>(name: &'static str, round: impl FnMut() -> f64 + 'a) -> Runner<'a> {
    let round = Box::new(round);
    Runner { name, round }
}

impl Runner<'_> {
    /// The mean of rounds that take `least` seconds together.
    pub fn turn(&mut self, least: f64) -> f64 {
        let (mut sum, mut rounds) = (0.0, 0.0);
        while sum < least {
            sum += (self.round)();
            rounds += 1.0;
        }
        sum / rounds
    }
}

/// CPU seconds that this thread spends on the work.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = ThreadTime::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64()
}

/// The result of the work, or the message of its panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_default()
    })
}

pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Formats a time in a suitable unit.
fn readable(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s => (s * 1e3, "ms"),
    };
    let digits = usize::from(value < 100.0) + usize::from(value < 10.0);
    format!("{value:.digits$} {unit}")
}

impl Report {
    pub fn new(is_short: bool, has_no_times: bool) -> Self {
        let (ratios, wrongs) = (Vec::new(), Vec::new());
        Self {
            is_short,
            has_no_times,
            ratios,
            wrongs,
        }
    }

    /// Selects the number for a full or a short run.
    pub fn either<T>(&self, whole: T, short: T) -> T {
        if self.is_short { short } else { whole }
    }

    /// Times this crate and its peers alternately (ours, a peer, ours, the next peer, ...) and
    /// records the ratios of the medians. The first turn does not count. A turn consists of whole
    /// rounds, each of `count` bodies, pairs or spheres, for at least 10 ms, so that the cache
    /// contents of a peer have no influence. A peer that has used 5 s stops after its third turn.
    pub fn race(&mut self, case: &str, count: usize, mut ours: Runner, mut peers: Vec<Runner>) {
        if self.has_no_times {
            return;
        }
        let rounds = self.either(11, 3);
        let least = self.either(0.01, 0.001);
        let mut own_times = Vec::new();
        let mut times: Vec<Vec<f64>> = peers.iter().map(|_| Vec::new()).collect();
        ours.turn(least);
        for round in 0..=rounds {
            for (peer, times) in peers.iter_mut().zip(&mut times) {
                if times.len() >= 3 && times.iter().sum::<f64>() > 5.0 {
                    continue;
                }
                own_times.push(ours.turn(least));
                let time = peer.turn(least);
                if round > 0 {
                    times.push(time);
                }
            }
        }
        let own = median(&mut own_times);
        let each = |time: f64| readable(time / count as f64);
        println!("{case}: {} {} each", ours.name, each(own));
        for (peer, times) in peers.iter().zip(&mut times) {
            let time = median(times);
            println!("    {:32} {:>10}  {:.2}", peer.name, each(time), time / own);
            self.ratio(case, peer.name, time / own);
        }
    }

    /// Records the ratio of a peer's time and ours.
    pub fn ratio(&mut self, case: &str, peer: &'static str, ratio: f64) {
        if !self.has_no_times {
            self.ratios.push((case.into(), peer.into(), ratio));
        }
    }

    /// Records the number of wrong results.
    pub fn wrong(&mut self, case: &str, who: &'static str, count: usize, of: usize) {
        self.wrongs.push((case.into(), who, count, of));
    }

    /// Prints all ratios and wrong results, and the cases in which a peer is ahead.
    pub fn print(&self) {
        println!();
        let mut ahead = Vec::new();
        for (case, peer, ratio) in &self.ratios {
            println!("ratio {case} {peer} {ratio:.2}");
            if *ratio < 1.0 {
                ahead.push(format!(
                    "ahead {case} {peer}: {:.2} times as fast",
                    1.0 / ratio
                ));
            }
        }
        for (case, who, count, of) in &self.wrongs {
            println!("wrong {case} {who} {count}/{of}");
            let own = self.wrongs.iter().find(|w| w.0 == *case && w.1 == OURS);
            if own.is_some_and(|own| own.2 * of > count * own.3) {
                ahead.push(format!("ahead {case} {who}: less often wrong"));
            }
        }
        if ahead.is_empty() {
            ahead.push("ahead: no peer in any case".into());
        }
        ahead.iter().for_each(|line| println!("{line}"));
    }
}
