//! The clock, the race between a crate and its peers, and the lines that a run ends in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cpu_time::ThreadTime;

/// A case's line: what it is about, who was compared, and what came out.
pub struct Ratio {
    pub case: String,
    pub peer: &'static str,
    /// The peer's time over ours.
    pub value: f64,
}

struct Wrong {
    case: String,
    who: &'static str,
    count: usize,
    of: usize,
}

/// What a run has found so far.
pub struct Report {
    /// A smaller workload and fewer rounds, to see that all works.
    pub is_short: bool,
    pub ratios: Vec<Ratio>,
    wrongs: Vec<Wrong>,
}

/// One of those who do the same work: CPU seconds of one round.
pub struct Runner<'a> {
    pub name: &'static str,
    pub round: Box<dyn FnMut() -> f64 + 'a>,
}

pub const OURS: &str = "osculate";

pub fn runner<'a>(name: &'static str, round: impl FnMut() -> f64 + 'a) -> Runner<'a> {
    let round = Box::new(round);
    Runner { name, round }
}

/// CPU seconds that this thread spends on the work.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = ThreadTime::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64()
}

/// The work's result, or the message of its panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_default()
    })
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A time in a unit that suits it.
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
    pub fn new(is_short: bool) -> Self {
        let (ratios, wrongs) = Default::default();
        Self {
            is_short,
            ratios,
            wrongs,
        }
    }

    /// One of two numbers: that of a whole run, or that of a short one.
    pub fn either<T>(&self, whole: T, short: T) -> T {
        if self.is_short { short } else { whole }
    }

    /// Times ours and its peers in turn (ours, a peer, ours, the next peer, ...), round after round,
    /// of which the first does not count, and notes the ratios of the medians. A round is of `count`
    /// bodies, pairs or spheres. A peer that has used up 5 s rests after its third round.
    pub fn race(&mut self, case: &str, count: usize, mut ours: Runner, mut peers: Vec<Runner>) {
        let rounds = self.either(11, 3);
        let mut own_times = Vec::new();
        let mut times: Vec<Vec<f64>> = peers.iter().map(|_| Vec::new()).collect();
        (ours.round)();
        for round in 0..=rounds {
            for (peer, times) in peers.iter_mut().zip(&mut times) {
                if times.len() >= 3 && times.iter().sum::<f64>() > 5.0 {
                    continue;
                }
                own_times.push((ours.round)());
                let time = (peer.round)();
                if round > 0 {
                    times.push(time);
                }
            }
        }
        let own = median(&mut own_times);
        println!(
            "{case}: {} {} each",
            ours.name,
            readable(own / count as f64)
        );
        for (peer, times) in peers.iter().zip(&mut times) {
            let time = median(times);
            let value = time / own;
            println!(
                "    {:32} {:>10}  {value:.2}",
                peer.name,
                readable(time / count as f64)
            );
            let case = case.to_owned();
            self.ratios.push(Ratio {
                case,
                peer: peer.name,
                value,
            });
        }
    }

    /// How many of the answers were wrong.
    pub fn wrong(&mut self, case: &str, who: &'static str, count: usize, of: usize) {
        let case = case.to_owned();
        self.wrongs.push(Wrong {
            case,
            who,
            count,
            of,
        });
    }

    /// All ratios and wrong answers, and where a peer is ahead.
    pub fn print(&self) {
        println!();
        for Ratio { case, peer, value } in &self.ratios {
            println!("ratio {case} {peer} {value:.2}");
        }
        for Wrong {
            case,
            who,
            count,
            of,
        } in &self.wrongs
        {
            println!("wrong {case} {who} {count}/{of}");
        }
        let mut is_ahead = false;
        for Ratio { case, peer, value } in self.ratios.iter().filter(|r| r.value < 1.0) {
            println!("ahead {case} {peer}: {:.2} times as fast", 1.0 / value);
            is_ahead = true;
        }
        for ours in self.wrongs.iter().filter(|w| w.who == OURS) {
            let is_better = |w: &&Wrong| w.case == ours.case && w.count < ours.count;
            for Wrong {
                case, who, count, ..
            } in self.wrongs.iter().filter(is_better)
            {
                println!(
                    "ahead {case} {who}: {count} wrong where it is {}",
                    ours.count
                );
                is_ahead = true;
            }
        }
        if !is_ahead {
            println!("ahead: no peer in any case");
        }
    }
}
