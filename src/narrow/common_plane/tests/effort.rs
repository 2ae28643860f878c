//! The work of the kernel, counted.

use std::cell::Cell;
use std::thread::LocalKey;

use super::*;

type Counter = LocalKey<Cell<u32>>;
thread_local! {
    /// Calls of the support function.
    pub(in super::super) static SUPPORTS: Cell<u32> = const { Cell::new(0) };
    /// Pairs of features that were looked at.
    pub(in super::super) static PAIRS: Cell<u32> = const { Cell::new(0) };
    /// Calls for bodies that were too far apart to have come within the margin.
    pub(in super::super) static SKIPPED: Cell<u32> = const { Cell::new(0) };
    /// Calls in which the features of the last step still carried the plane.
    pub(in super::super) static KEPT: Cell<u32> = const { Cell::new(0) };
    /// Searches from the features of the last step.
    pub(in super::super) static WARM: Cell<u32> = const { Cell::new(0) };
    /// Cold searches.
    pub(in super::super) static COLD: Cell<u32> = const { Cell::new(0) };
    /// Cold searches that ended in a tie.
    pub(in super::super) static TIED: Cell<u32> = const { Cell::new(0) };
}

pub(in super::super) fn count(counter: &'static Counter) {
    counter.set(counter.get() + 1);
}

/// How results of some calls were found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Steps {
    pub(super) skipped: u32,
    pub(super) kept: u32,
    pub(super) warm: u32,
    pub(super) cold: u32,
    pub(super) tied: u32,
}

impl Steps {
    /// Adds what a call does.
    pub(super) fn count<R>(&mut self, call: impl FnOnce() -> R) -> R {
        let counters = [&SKIPPED, &KEPT, &WARM, &COLD, &TIED];
        let before = counters.map(|counter| counter.get());
        let result = call();
        let sums = [
            &mut self.skipped,
            &mut self.kept,
            &mut self.warm,
            &mut self.cold,
            &mut self.tied,
        ];
        for ((sum, counter), before) in sums.into_iter().zip(counters).zip(before) {
            *sum += counter.get() - before;
        }
        result
    }
}

/// Results of a kind, and the work that they took.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    answers: u32,
    supports: u32,
    pairs: u32,
}

impl Effort {
    fn is_within(&self, supports: f64, pairs: f64) -> bool {
        let [n, s, p] = [self.answers, self.supports, self.pairs].map(f64::from);
        n > 0.0 && s <= supports * n && p <= pairs * n
    }
}

/// The start of a search changes no result: only the work shows it.
#[test]
fn answers_take_few_steps() {
    // Calls of the support function per warm and cold search. One or two pairs of features are tested.
    for (gap, warm, cold) in [(0.05, 6.0, 7.1), (-0.03, 7.8, 9.5), (-0.3, 11.0, 12.6)] {
        let mut random = SplitMix64::new(91);
        let mut efforts = [Effort::default(); 3];
        let mut kernel = wide();
        for case in 0..60 {
            let family = [Eight, Fourteen, Rock, Fifty][case % 4];
            let shapes = [family; 2].map(|family| shape(family, &mut random));
            let [a, mut b] = near_pair(&mut random, shapes.each_ref(), gap);
            let mut memory = CommonPlaneState::default();
            for _ in 0..60 {
                let mut steps = Steps::default();
                SUPPORTS.set(0);
                PAIRS.set(0);
                let found = steps.count(|| contact(&mut kernel, &a, &b, &mut memory));
                let found = found.unwrap();
                let kind = [steps.kept > 0, steps.warm > 0, true];
                let kind = kind.iter().position(|is_it| *is_it).unwrap();
                efforts[kind].answers += 1;
                efforts[kind].supports += SUPPORTS.get();
                efforts[kind].pairs += PAIRS.get();
                let turn = DQuat::from_vec4((vector(&mut random) * 0.002).extend(1.0));
                let there = found.normal * (gap + found.overlap) + vector(&mut random) * 0.004;
                b.pose =
                    Pose3::new_normalize(turn * b.pose.rotation(), b.pose.translation() + there)
                        .unwrap();
            }
        }
        let [first, second, third] = efforts;
        let are_few = first.is_within(0.0, 1.0) && second.is_within(warm, 2.0);
        assert!(are_few && third.is_within(cold, 2.0), "{gap}: {efforts:?}");
        assert!(first.answers > 10 * second.answers, "{gap}: {efforts:?}");
    }
}

/// Points of a spiral on the unit sphere and their mirror images.
fn symmetric(count: usize) -> ConvexPolyhedron {
    let golden = std::f64::consts::PI * (5.0_f64.sqrt() - 1.0);
    let spiral = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    let points = (0..count / 2).map(spiral).flat_map(|x| [x, -x]);
    ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>()).unwrap()
}

/// A tip above a regular polygon: a vertex with many edges.
fn cone(count: usize) -> ConvexPolyhedron {
    let rim = (1..count).map(|i| {
        let (sin, cos) = (std::f64::consts::TAU * i as f64 / (count - 1) as f64).sin_cos();
        DVec3::new(cos, sin, -1.0)
    });
    ConvexPolyhedron::from_convex_hull(&rim.chain([DVec3::Z]).collect::<Vec<_>>()).unwrap()
}

/// Identical round bodies in each other, where all facets are equally near: the number of support points grows with the
/// number of vertices, not with its square.
#[test]
fn work_of_round_bodies_is_linear() {
    let places = [
        (DQuat::IDENTITY, DVec3::ZERO),
        (DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8), DVec3::ZERO),
        // The second upside down, touching the tip of the first.
        (DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), DVec3::Z * 2.0),
    ];
    let work = |body: &ConvexPolyhedron, (rotation, translation)| {
        let mut kernel = wide();
        let [a, b] =
            [(DQuat::IDENTITY, DVec3::ZERO), (rotation, translation)].map(|(q, t)| Placed {
                shape: body,
                pose: Pose3::new(q, t).unwrap(),
            });
        for counter in [&SUPPORTS, &PAIRS] {
            counter.set(0);
        }
        let mut steps = Steps::default();
        steps.count(|| cold(&mut kernel, &a, &b));
        let work = [&SUPPORTS, &PAIRS].map(|counter| counter.get());
        (work, steps.tied)
    };
    for make in [symmetric, cone] {
        let [small, large] = [500, 2000].map(make);
        for place in places {
            let ((few, _), (many, tied)) = (work(&small, place), work(&large, place));
            println!("{few:?}, {many:?}, {tied}");
            let [few, many] = [few, many].map(|[a, b]| 10 * a + b);
            assert!(many <= 5 * few, "{place:?}: {few} and {many}");
        }
    }
}
