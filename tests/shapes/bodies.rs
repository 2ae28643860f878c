//! Convex bodies and polygons: the public properties on the public strategies.

use crate::support::lattice::config;
use osculate::glam::{DVec2, DVec3};
use osculate::testing::properties::{MapContact, kernel};
use osculate::testing::{oracle, strategies as any};
use osculate::{
    CommonPlane, CommonPlaneContact, Contact, ConvexPolygon, ConvexPolyhedron, Placed, Pose2,
    Pose3, Vector,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// Random bodies against the oracle, including ties, where only the overlap is unique.
    #[test]
    fn polyhedra(
        [p, q] in prop::array::uniform2(any::convex_polyhedron()),
        [at, motion] in prop::array::uniform2(any::pose()),
        seed: u64,
    ) {
        let a = Placed { shape: &*p, pose: Pose3::IDENTITY };
        let b = Placed { shape: &*q, pose: at };
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        let exact = oracle::gap_of_polyhedra(&a, &b);
        let slack = if exact < 0.0 { 1e-13 } else { 1e-7 };
        kernel::gap_is_within(kernel, &a, &b, exact, 1e30, 1e-13)?;
        let moved = |by: DVec3| {
            let pose = Pose3::new(at.rotation(), at.translation() + by).unwrap();
            Placed { pose, ..b }
        };
        kernel::overlap_separates(kernel, &a, moved, oracle::gap_of_polyhedra, slack)?;
        kernel::swap_negates(kernel, &a, &b)?;
        kernel::independent_of_labels(kernel, &a, &b, seed, 1e-13)?;
        let pair = |m: &Pose3| [a, b].map(|x| Placed { pose: *m * x.pose, ..x }).into();
        let overlaps = &mut MapContact(kernel.clone(), overlap_only);
        kernel::moves_rigidly(overlaps, pair, &motion, 8.0)?;
        kernel::gap_is_within(&mut CommonPlane::new().with_margin(0.05)?, &a, &b, exact, 0.05, 1e-13)?;
    }

    #[test]
    fn planted_polyhedra(
        ([a, b], gap) in prop_oneof![any::touching_boxes(), any::crossing_edges()],
        exponent in -30..=30,
    ) {
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        kernel::gap_is_within(kernel, &a, &b, gap, 1e30, 1e-12)?; // 1e-13 of the size
        kernel::swap_negates(kernel, &a, &b)?;
        let scaled = |x: f64| [&a, &b].map(|body| {
            let corners: Vec<_> = body.shape.vertices().iter().map(|&v| v * x).collect();
            let pose = Pose3::from_translation(body.pose.translation() * x).unwrap();
            Placed::new(ConvexPolyhedron::from_convex_hull(&corners).unwrap(), pose)
        }).into();
        kernel::scales_exactly(kernel, scaled, exponent)?;
        // If several planes are equally good, rounding selects one; the overlap is the same.
        let overlaps = &mut MapContact(kernel.clone(), overlap_only);
        kernel::accurate_at_any_scale(overlaps, scaled, 16.0)?;
    }

    #[test]
    fn polygons(
        [p, q] in prop::array::uniform2(any::convex_polygon()),
        [at, motion] in prop::array::uniform2(any::pose_2d()),
    ) {
        let a = Placed { shape: &*p, pose: Pose2::IDENTITY };
        let b = Placed { shape: &*q, pose: at };
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        let exact = oracle::gap_of_polygons(&a, &b);
        let slack = if exact < 0.0 { 1e-13 } else { 1e-7 };
        kernel::gap_is_within(kernel, &a, &b, exact, 1e30, 1e-13)?;
        let moved = |by: DVec2| {
            let pose = Pose2::new(at.rotation(), at.translation() + by).unwrap();
            Placed { pose, ..b }
        };
        kernel::overlap_separates(kernel, &a, moved, oracle::gap_of_polygons, slack)?;
        kernel::swap_negates(kernel, &a, &b)?;
        let pair = |m: &Pose2| [a, b].map(|x| Placed { pose: *m * x.pose, ..x }).into();
        let overlaps = &mut MapContact(kernel.clone(), overlap_only);
        kernel::moves_rigidly(overlaps, pair, &motion, 8.0)?;
        let scaled = |x: f64| [a, b].map(|body| {
            let corners: Vec<_> = body.shape.vertices().iter().map(|&v| v * x).collect();
            let translation = body.pose.translation() * x;
            let pose = Pose2::new(body.pose.rotation(), translation).unwrap();
            Placed::new(ConvexPolygon::from_convex_hull(&corners).unwrap(), pose)
        }).into();
        kernel::accurate_at_any_scale(overlaps, scaled, 8.0)?;
    }
}

fn overlap_only<V: Vector>(contact: CommonPlaneContact<V>) -> Contact<V> {
    let (point, normal) = (V::ZERO, V::ZERO);
    let overlap = contact.overlap;
    Contact {
        point,
        normal,
        overlap,
    }
}
