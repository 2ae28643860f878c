//! All pairs of touching spheres: equal ones, and power laws.
//!
//! A step takes new positions and visits every touching pair; bodies are roughly in spatial order.
//! The second part has bodies that move by at most 1 % of their radius per step: a pair list,
//! rebuilt when necessary, and parry's tree, refitted each step.

mod hostile;
mod searches;

use osculate::testing::workload::{SplitMix64, power_law_spheres, random_spheres};
use osculate::{BroadPhase, BruteForce, HierarchicalGrid, PairList, Skin, Sphere};
use searches::{
    Body, BvhCrate, Item, Kiddo, Osculate, ParryKept, ParryRebuilt, Rstar, Search, Zelll,
};

use crate::report::{OURS, Report, Runner, runner, seconds};

pub type Pairs = Vec<[u32; 2]>;

/// Steps in a round of moving bodies: about two rebuilds of a list.
pub const STEPS: usize = 20;

/// The test that a user writes for two touching spheres.
fn touches(a: &Body, b: &Body) -> bool {
    let reach = a.radius + b.radius;
    (a.center - b.center).length_squared() <= reach * reach
}

/// A smaller and a larger set with the same distribution.
pub fn draw(case: &str, count: usize) -> Vec<Body> {
    let spheres = match case.split_once('-') {
        Some(("equal", nu)) => random_spheres(count, nu.parse().unwrap_or(0.0), 1.0, 1),
        Some((_, ratio)) => power_law_spheres(count, 0.3, -3.0, ratio.parse().unwrap_or(1.0), 1),
        None => Vec::new(),
    };
    in_order_of_space(spheres)
}

/// Sorts by cubes of about 64 bodies, as in a simulation that sorts from time to time.
pub fn in_order_of_space(mut bodies: Vec<Body>) -> Vec<Body> {
    let extent = |axis: usize| bodies.iter().fold(0.0, |x: f64, b| x.max(b.center[axis]));
    let volume: f64 = (0..3).map(extent).product();
    let width = (64.0 * volume / bodies.len() as f64).cbrt();
    bodies.sort_by_key(|b| [2, 1, 0].map(|axis| (b.center[axis] / width) as i64));
    bodies
}

/// The touching pairs of a search, in ascending order.
fn sorted<S: Search>(bodies: &[Body], touches: fn(&Body, &Body) -> bool) -> Result<Pairs, String> {
    let mut pairs = Vec::new();
    S::default().search(bodies, |(i, a), (j, b)| {
        if S::IS_EXACT || touches(a, b) {
            pairs.push([i.min(j), i.max(j)]);
        }
    })?;
    pairs.sort_unstable();
    Ok(pairs)
}

fn exact(bodies: &[Body]) -> Pairs {
    let (mut brute, mut pairs) = (BruteForce::new(), Vec::new());
    if brute.rebuild(bodies).is_ok() {
        brute.collect_pairs(&mut pairs);
    }
    pairs.sort_unstable();
    pairs
}

/// The number of pairs in only one of two sorted lists; a pair reported twice counts too.
pub fn difference(found: &[[u32; 2]], exact: &[[u32; 2]]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < found.len() && j < exact.len() {
        match found[i].cmp(&exact[j]) {
            std::cmp::Ordering::Equal => (i, j) = (i + 1, j + 1),
            std::cmp::Ordering::Less => (i, count) = (i + 1, count + 1),
            std::cmp::Ordering::Greater => (j, count) = (j + 1, count + 1),
        }
    }
    count + found.len() - i + exact.len() - j
}

/// Rebuild and all pairs.
fn rebuilding<S: Search>(bodies: &[Body]) -> Runner<'_> {
    let mut search = S::default();
    runner(S::NAME, move || {
        seconds(|| {
            let (mut count, mut mix) = (0, 0);
            let visit = |(i, a): Item, (j, b): Item| {
                if S::IS_EXACT || touches(a, b) {
                    (count, mix) = (count + 1, mix ^ i.wrapping_mul(j));
                }
            };
            (search.search(bodies, visit), count, mix)
        })
    })
}

/// Bodies that move along straight lines, by at most 1 % of their radius per step.
struct Moving {
    start: Vec<Body>,
    velocities: Vec<osculate::glam::DVec3>,
    now: Vec<Body>,
    step: usize,
}

impl Moving {
    fn new(bodies: &[Body]) -> Self {
        let mut random = SplitMix64::new(2);
        let velocity = |b: &Body| random.in_ball() * (0.01 * b.radius);
        let velocities = bodies.iter().map(velocity).collect();
        let (start, now) = (bodies.to_vec(), bodies.to_vec());
        Self {
            start,
            velocities,
            now,
            step: 0,
        }
    }

    /// Moves the bodies by a step.
    fn advance(&mut self) -> &[Body] {
        self.step += 1;
        for ((now, start), velocity) in self.now.iter_mut().zip(&self.start).zip(&self.velocities) {
            *now = Sphere::new(start.center + *velocity * self.step as f64, start.radius);
        }
        &self.now
    }
}

/// Rounds of moving bodies; records the number of touching pairs at each step.
fn moving<'a>(
    name: &'static str,
    bodies: &[Body],
    counts: &'a mut Vec<usize>,
    mut count_pairs: impl FnMut(&[Body]) -> usize + 'a,
) -> Runner<'a> {
    let mut moving = Moving::new(bodies);
    runner(name, move || {
        let mut time = 0.0;
        for _ in 0..STEPS {
            let (now, mut count) = (moving.advance(), 0);
            time += seconds(|| count = count_pairs(now));
            counts.push(count);
        }
        time
    })
}

/// Compares a pair list with a refitted tree.
fn kept(report: &mut Report, case: &str, bodies: &[Body]) {
    let mut list = PairList::<_>::new(HierarchicalGrid::new(), Skin::Relative(0.1)).unwrap();
    let own = |now: &[Body]| {
        let mut count = 0;
        list.update(now).unwrap();
        list.for_each_touching_pair(|_, _, ()| count += 1);
        count
    };
    let mut tree = ParryKept::new(bodies);
    let theirs = |now: &[Body]| {
        let mut count = 0;
        tree.step(now, |a, b| count += usize::from(touches(a, b)));
        count
    };
    let (mut own_counts, mut counts) = (Vec::new(), Vec::new());
    let ours = moving(OURS, bodies, &mut own_counts, own);
    let peers = vec![moving("parry-bvh-kept", bodies, &mut counts, theirs)];
    report.race(case, bodies.len() * STEPS, ours, peers);
    let pairs = counts.iter().zip(&own_counts);
    let wrong = pairs.filter(|(a, b)| a != b).count();
    report.wrong(case, "parry-bvh-kept", wrong, counts.len());
}

fn wrong<S: Search>(report: &mut Report, case: &str, bodies: &[Body], exact: &[[u32; 2]]) {
    let count = sorted::<S>(bodies, touches).map_or(exact.len(), |found| difference(&found, exact));
    report.wrong(case, S::NAME, count, exact.len());
}

pub fn run(report: &mut Report) {
    let count = report.either(100_000, 10_000);
    for name in [
        "equal-0.3",
        "equal-0.6",
        "power-10",
        "power-50",
        "power-100",
    ] {
        let case = format!("neighbors/{name}");
        let bodies = draw(name, count);
        let pairs = exact(&bodies);
        println!("{case}: {} pairs", pairs.len());
        wrong::<Osculate>(report, &case, &bodies, &pairs);
        wrong::<Zelll>(report, &case, &bodies, &pairs);
        wrong::<Kiddo>(report, &case, &bodies, &pairs);
        wrong::<Rstar>(report, &case, &bodies, &pairs);
        wrong::<BvhCrate>(report, &case, &bodies, &pairs);
        wrong::<ParryRebuilt>(report, &case, &bodies, &pairs);
        let peers = vec![
            rebuilding::<Zelll>(&bodies),
            rebuilding::<Kiddo>(&bodies),
            rebuilding::<Rstar>(&bodies),
            rebuilding::<BvhCrate>(&bodies),
            rebuilding::<ParryRebuilt>(&bodies),
        ];
        report.race(&case, bodies.len(), rebuilding::<Osculate>(&bodies), peers);
        kept(report, &format!("{case}-kept"), &bodies);
    }
    hostile::run(report);
}
