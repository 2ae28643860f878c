//! How much work answers take, counted.

use std::cell::Cell;
use std::thread::LocalKey;

use super::*;

type Counter = LocalKey<Cell<u32>>;
thread_local! {
    /// Farthest differences.
    pub(in super::super) static SUPPORTS: Cell<u32> = const { Cell::new(0) };
    /// Pairs of features that were looked at.
    pub(in super::super) static PAIRS: Cell<u32> = const { Cell::new(0) };
    /// Edges at vertices, and pairs of edges, of a search over all axes.
    pub(in super::super) static SPOKES: Cell<u32> = const { Cell::new(0) };
}

pub(in super::super) fn count(counter: &'static Counter) {
    counter.set(counter.get() + 1);
}

/// Answers of a kind, with what they took.
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

/// Where a search starts and which of two exact ways it takes changes no answer, only this.
#[test]
fn answers_take_few_steps() {
    // Supports of searches with a memory and without; pairs of features are one and two.
    for (gap, warm, cold) in [(0.05, 6.0, 7.1), (-0.03, 7.8, 9.5), (-0.3, 11.0, 12.6)] {
        let mut random = Random::new(91);
        let mut efforts = [Effort::default(); 3];
        let mut kernel = wide();
        for case in 0..60 {
            let family = [Eight, Fourteen, Rock, Fifty][case % 4];
            let shapes = [family; 2].map(|family| shape(family, &mut random));
            let [a, mut b] = near_pair(&mut random, shapes.each_ref(), gap);
            let mut memory = CommonPlaneMemory::default();
            for _ in 0..60 {
                let before = kernel.counts();
                SUPPORTS.set(0);
                PAIRS.set(0);
                let found = contact(&mut kernel, &a, &b, &mut memory).unwrap();
                let after = kernel.counts();
                let kind = [after.kept > before.kept, after.warm > before.warm, true];
                let kind = kind.iter().position(|is_it| *is_it).unwrap();
                efforts[kind].answers += 1;
                efforts[kind].supports += SUPPORTS.get();
                efforts[kind].pairs += PAIRS.get();
                let turn = DQuat::from_vec4((vector(&mut random) * 0.002).extend(1.0));
                let there = found.normal * (gap + found.overlap) + vector(&mut random) * 0.004;
                b.pose = Pose3::normalizing(turn * b.pose.rotation(), b.pose.translation() + there)
                    .unwrap();
            }
        }
        let [first, second, third] = efforts;
        let are_few = first.is_within(0.0, 1.0) && second.is_within(warm, 2.0);
        assert!(are_few && third.is_within(cold, 2.0), "{gap}: {efforts:?}");
        assert!(first.answers > 10 * second.answers, "{gap}: {efforts:?}");
    }
}
