//! States of common planes: no state of other bodies, sizes, poses or margins changes a result.
//!
//! `OSCULATE_CASES` steps for each kernel and dimension; 4000 by default.

use std::fmt::Debug;

use crate::support::cases;
use crate::support::convex::{polygon, polyhedron, random, turn, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, CommonPlaneContact, ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2,
    Pose3, Vector,
    math::Pose,
    reference::{FastCommonPlane, FastCommonPlaneContact},
};

/// Bodies of the plane or of space.
trait Shape: Sized + PartialEq {
    type Vector: Vector;
    fn random(random: &mut SplitMix64, size: f64) -> Self;
    fn pose(random: &mut SplitMix64, at: DVec3) -> Pose<Self::Vector>;
    /// The pose after a rotation by about `angle` and a translation.
    fn nudged(pose: &Pose<Self::Vector>, angle: f64, by: DVec3) -> Pose<Self::Vector>;
}

type At<'a, S> = Placed<&'a S, <S as Shape>::Vector>;

impl Shape for ConvexPolyhedron {
    type Vector = DVec3;
    fn random(random: &mut SplitMix64, size: f64) -> Self {
        polyhedron(random, size)
    }
    fn pose(random: &mut SplitMix64, at: DVec3) -> Pose3 {
        Pose3::new_normalize(turn(random), at).unwrap()
    }
    fn nudged(pose: &Pose3, angle: f64, by: DVec3) -> Pose3 {
        let rotation = DQuat::from_vec4((by.normalize_or_zero() * angle).extend(1.0));
        Pose3::new_normalize(rotation * pose.rotation(), pose.translation() + by).unwrap()
    }
}

impl Shape for ConvexPolygon {
    type Vector = DVec2;
    fn random(random: &mut SplitMix64, size: f64) -> Self {
        polygon(random, size)
    }
    fn pose(random: &mut SplitMix64, at: DVec3) -> Pose2 {
        let angle = [0.0, random.range(0.0, 6.0)][random.below(2)];
        Pose2::new_normalize(DVec2::from_angle(angle), at.truncate()).unwrap()
    }
    fn nudged(pose: &Pose2, angle: f64, by: DVec3) -> Pose2 {
        let rotation = DVec2::from_angle(angle).rotate(pose.rotation());
        Pose2::new_normalize(rotation, pose.translation() + by.truncate()).unwrap()
    }
}

/// Several bodies, each in sizes that differ by little and by much.
fn pool<S: Shape>(seed: u64) -> Vec<S> {
    const SIZES: [f64; 6] = [1.0, 1.01, 1.05, 2.0, 0.5, 1e-3];
    let sizes = |kind: u64| SIZES.map(|size| S::random(&mut random(seed + kind), size));
    (0..12).flat_map(sizes).collect()
}

/// Two bodies that are exchanged, resized, moved and renamed at random.
struct Pair<S: Shape> {
    ids: [usize; 2],
    poses: [Pose<S::Vector>; 2],
}

impl<S: Shape> Pair<S> {
    fn new(random: &mut SplitMix64) -> Self {
        let poses = [DVec3::ZERO, DVec3::X].map(|at| S::pose(random, at));
        Self { ids: [0; 2], poses }
    }

    fn bodies<'a>(&self, pool: &'a [S]) -> [At<'a, S>; 2] {
        [0, 1].map(|i| Placed::new(&pool[self.ids[i]], self.poses[i]))
    }

    fn change(&mut self, random: &mut SplitMix64, count: usize) {
        let one = random.below(2);
        match random.below(8) {
            // Another size, another body.
            0 => self.ids[one] = self.ids[one] / 6 * 6 + random.below(6),
            1 => self.ids[one] = random.below(count),
            2 => self.ids.swap(0, 1),
            3 => self.poses.swap(0, 1),
            4 => {
                let reach = [0.0, 0.3, 1.0, 2.5, 1e3, 1e12][random.below(6)];
                let at = vector(random) * reach;
                self.poses[one] = S::pose(random, at);
            }
            5 => {
                // A place on the lattice: ties.
                let at = DVec3::from_array([0; 3].map(|_| random.below(9) as f64 * 0.25));
                self.poses[one] = S::pose(random, at);
            }
            _ => {
                let step = [0.0, 1e-9, 1e-3, 1e-2, 0.1][random.below(5)];
                self.poses[one] = S::nudged(&self.poses[one], step, vector(random) * step);
            }
        }
    }
}

/// Steps through random pairs, with states that may be those of any earlier one, or of other shapes only.
fn attack<'a, S: Shape, C: Debug + PartialEq>(
    seed: u64,
    pool: &'a [S],
    kernels: &mut [impl NarrowPhase<At<'a, S>, At<'a, S>, Contact = C>],
    count: usize,
    is_foreign: bool,
) {
    let mut random = random(seed);
    let mut pair = Pair::<S>::new(&mut random);
    let mut kept = [(); 8].map(|()| (Default::default(), [usize::MAX; 2]));
    let mut contacts = 0;
    for step in 0..count {
        pair.change(&mut random, pool.len());
        let [a, b] = pair.bodies(pool);
        let kernel = &mut kernels[random.below(kernels.len())];
        let slot = random.below(kept.len()).min(random.below(kept.len()));
        let (state, of) = &mut kept[slot];
        if is_foreign && *of == pair.ids {
            continue;
        }
        *of = pair.ids;
        let expected = kernel.contact(&a, &b);
        let found = kernel.contact_with(&a, &b, state);
        assert_eq!(found, expected, "{step} {:?} {:?}", pair.ids, pair.poses);
        contacts += usize::from(found.is_some());
    }
    println!("{contacts} contacts in {count} steps");
    assert!(contacts > count / 8, "{contacts}");
}

fn exact() -> Vec<CommonPlane> {
    let margins = [0.05, 1e-6, 0.5, 1e30].map(|m| CommonPlane::new().with_margin(m).unwrap());
    [CommonPlane::new()].into_iter().chain(margins).collect()
}

#[test]
fn no_memory_changes_a_common_plane() {
    let count = cases(4000);
    attack(1, &pool::<ConvexPolyhedron>(1), &mut exact(), count, false);
    attack(2, &pool::<ConvexPolygon>(2), &mut exact(), count, false);
}

/// Kernels that depend on their own state do not depend on that of other shapes.
#[test]
fn no_foreign_memory_changes_a_fast_plane() {
    let count = cases(4000);
    attack(
        5,
        &pool::<ConvexPolyhedron>(5),
        &mut fast(),
        count / 4,
        true,
    );
    attack(6, &pool::<ConvexPolygon>(6), &mut fast(), count, true);
}

const MARGINS: [f64; 4] = [0.0, 0.05, 0.5, 1e30];

/// `FastCommonPlane` with and without margin and the approximation of section 6.3.
fn fast() -> Vec<FastCommonPlane> {
    let kernels = MARGINS.map(|m| FastCommonPlane::new().with_margin(m).unwrap());
    let keeping = { kernels.clone() }.map(|kernel| kernel.with_kept_candidates(true));
    kernels.into_iter().chain(keeping).collect()
}

/// For any state, bodies within the margin are reported.
fn hides_nothing<'a, S: Shape>(seed: u64, pool: &'a [S], count: usize)
where
    CommonPlane: NarrowPhase<At<'a, S>, At<'a, S>, Contact = CommonPlaneContact<S::Vector>>,
    FastCommonPlane: NarrowPhase<At<'a, S>, At<'a, S>, Contact = FastCommonPlaneContact<S::Vector>>,
{
    let mut random = random(seed);
    let mut pair = Pair::<S>::new(&mut random);
    let mut states = [(); 4].map(|()| Default::default());
    let mut kernels = fast();
    for step in 0..count {
        // Mostly along a path, where states are used.
        for _ in 0..random.below(3) {
            pair.change(&mut random, pool.len());
        }
        let size = [1e-3, 0.02][random.below(2)];
        pair.poses[0] = S::nudged(&pair.poses[0], size, vector(&mut random) * size);
        let [a, b] = pair.bodies(pool);
        let wide = &mut CommonPlane::new().with_margin(1e30).unwrap();
        let exact = wide.contact(&a, &b).unwrap();
        let (slot, kernel) = (random.below(4), random.below(kernels.len()));
        let margin = MARGINS[kernel % 4];
        let found = kernels[kernel].contact_with(&a, &b, &mut states[slot]);
        let is_within = -exact.overlap < margin - 4.0 * exact.error_bound;
        let least = exact.overlap - exact.error_bound;
        let is_deep = found.as_ref().is_some_and(|c| c.overlap >= least);
        assert!(!is_within || is_deep, "step {step}: {exact:?}, {found:?}");
    }
}

#[test]
fn no_memory_hides_a_contact() {
    hides_nothing(7, &pool::<ConvexPolyhedron>(7), cases(4000) / 4);
    hides_nothing(8, &pool::<ConvexPolygon>(8), cases(4000));
}
