//! Replays the same queries to all kernels: some steps of a run are recorded.

use std::time::Duration;

use cpu_time::ThreadTime;
use osculate::glam::DVec3;
use osculate::reference::cundall_common_plane;
use osculate::{
    CommonPlane, CommonPlaneState, NarrowPhase,
    reference::{FastCommonPlane, FastCommonPlaneState},
};

use crate::Result;
use crate::assembly::Block;

/// The paper's TOL, in meters.
pub(crate) const TOLERANCE: f64 = 5e-4;
/// More than any gap: no pair is skipped.
const UNLIMITED: f64 = 1e3;
/// A negligible depth, in meters.
const SMALL: f64 = 1e-5;
/// Tangents of 5 and 0.01 degrees, between which the conventional search rotates planes.
const ANGLES: [f64; 2] = [0.087, 1.7e-4];

/// Consecutive steps, and the pairs whose bounding spheres touched in one of them.
#[derive(Default)]
pub(crate) struct Window<'a> {
    pub pairs: Vec<[usize; 2]>,
    pub steps: Vec<Vec<Block<'a>>>,
}

/// The time of one kernel for all queries under two rules: each pair solved completely; pairs with
/// a gap beyond TOL given up, and skipped if the kernel can.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GridCost {
    pub to_the_end: Duration,
    pub skipping: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Costs {
    pub queries: u64,
    pub fast: GridCost,
    pub exact: GridCost,
    pub conventional: GridCost,
    /// Passes of the fast common plane, solved completely.
    pub searches: u64,
    pub passes: u64,
    pub most_passes: u32,
    /// Contacts, and those whose plane is not the best, by more than [`SMALL`].
    pub contacts: u64,
    pub fast_not_best: u64,
    pub conventional_not_best: u64,
    pub tried: u64,
}

impl Costs {
    pub(crate) fn nanoseconds(&self, time: Duration) -> f64 {
        time.as_nanos() as f64 / self.queries.max(1) as f64
    }

    pub(crate) fn ratios(&self) -> [f64; 2] {
        let Self {
            fast, conventional, ..
        } = self;
        [
            conventional.to_the_end.as_secs_f64() / fast.to_the_end.as_secs_f64(),
            conventional.skipping.as_secs_f64() / fast.skipping.as_secs_f64(),
        ]
    }

    pub(crate) fn add(&mut self, window: &Window) -> Result<()> {
        self.queries += (window.pairs.len() * (window.steps.len() - 1)) as u64;
        let mut overlaps = [Vec::new(), Vec::new(), Vec::new()];
        for (margin, is_skipping) in [(UNLIMITED, false), (TOLERANCE, true)] {
            let mut fast = FastCommonPlane::new().with_margin(margin)?;
            if is_skipping {
                fast = fast.with_kept_candidates(true);
            }
            let mut exact = CommonPlane::new().with_margin(margin)?;
            let mut tried = 0;
            let times = [
                play(
                    window,
                    &mut overlaps[0],
                    |a, b, memory: &mut FastCommonPlaneState<DVec3>| {
                        let mut overlap = None;
                        fast.for_each_contact(a, b, memory, |contact| {
                            overlap = Some(contact.overlap)
                        });
                        overlap
                    },
                ),
                play(
                    window,
                    &mut overlaps[1],
                    |a, b, memory: &mut CommonPlaneState<DVec3>| {
                        let mut overlap = None;
                        exact.for_each_contact(a, b, memory, |contact| {
                            overlap = Some(contact.overlap)
                        });
                        overlap
                    },
                ),
                play(window, &mut overlaps[2], |a, b, normal: &mut DVec3| {
                    let relative = a.pose.inv_mul(&b.pose);
                    let start = match *normal {
                        DVec3::ZERO => relative.translation(),
                        normal => a.pose.inverse_transform_vector(normal),
                    };
                    let [v, w] = [a, b].map(|block| block.shape.vertices());
                    let plane = cundall_common_plane(v, w, &relative, start, ANGLES, margin);
                    *normal = a.pose.transform_vector(plane.normal);
                    tried += u64::from(plane.tried);
                    (plane.gap < margin).then_some(-plane.gap)
                }),
            ];
            for (cost, time) in [&mut self.fast, &mut self.exact, &mut self.conventional]
                .into_iter()
                .zip(times)
            {
                if is_skipping {
                    cost.skipping += time;
                } else {
                    cost.to_the_end += time;
                }
            }
            if !is_skipping {
                let counts = fast.stats();
                self.searches += counts.searched;
                self.passes += counts.iterations;
                self.most_passes = self.most_passes.max(counts.most_iterations);
                self.tried += tried;
                let [fast, exact, conventional] = &overlaps;
                for ((f, e), c) in fast.iter().zip(exact).zip(conventional) {
                    if *e > 0.0 {
                        self.contacts += 1;
                        self.fast_not_best += u64::from(f - e > SMALL);
                        self.conventional_not_best += u64::from(c - e > SMALL);
                    }
                }
            }
        }
        Ok(())
    }
}

/// All pairs of a step, step after step; the first step, a cold start, is not timed.
fn play<M: Clone + Default>(
    window: &Window,
    overlaps: &mut Vec<f64>,
    mut query: impl FnMut(&Block, &Block, &mut M) -> Option<f64>,
) -> Duration {
    let mut memories = vec![M::default(); window.pairs.len()];
    let mut start = ThreadTime::now();
    overlaps.clear();
    for (step, blocks) in window.steps.iter().enumerate() {
        if step == 1 {
            overlaps.clear();
            start = ThreadTime::now();
        }
        for ([i, j], memory) in window.pairs.iter().zip(&mut memories) {
            let overlap = query(&blocks[*i], &blocks[*j], memory);
            overlaps.push(overlap.unwrap_or(f64::NEG_INFINITY));
        }
    }
    start.elapsed()
}
