//! Convex bodies and polygons: the public properties on the public strategies.

use crate::support::lattice::config;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::properties::{MapContact, kernel, volume};
use osculate::testing::{oracle, strategies as any};
use osculate::{
    CommonPlane, CommonPlaneContact, Contact, ContactEnergy, ContactVolume, ConvexPolygon,
    ConvexPolyhedron, NarrowPhase, Placed, Pose2, Pose3, Vector, narrow::PolygonPolygon,
    shape::Polygon,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// Random bodies against the oracle, including ties, where only the overlap is unique.
    #[test]
    fn polyhedra(
        [p, q] in prop::array::uniform2(any::convex_polyhedron()),
        [at, motion] in prop::array::uniform2(any::pose()),
        step in prop::array::uniform3(-0.1..0.1),
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
        // Away and back, with a margin, so that some steps are skipped.
        let by = |i: i32| DVec3::from_array(step) * f64::from(i.min(40 - i));
        let path = || (0..40).map(|i| (a, moved(by(i))));
        kernel::independent_of_state(kernel, path())?;
        kernel::independent_of_state(&mut CommonPlane::new().with_margin(0.05).unwrap(), path())?;
        let own = |[a, b]: [&Placed<_, _>; 2]| CommonPlane::new().with_margin(0.05).map(|mut kernel| {
            kernel::gap_is_within(&mut kernel, a, b, exact, 0.05, 1e-13)
        });
        own([&a, &b])??;
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

    /// Polygons in the plane of 3D properties.
    #[test]
    fn areas(
        radii in prop::array::uniform2(prop::collection::vec(0.3_f64..1.5, 5..12)),
        turns in prop::array::uniform2(0.0_f64..6.0),
        [x, y] in prop::array::uniform2(-1.0_f64..1.0),
    ) {
        let star = |radii: &[f64]| {
            let count = radii.len() as f64;
            let corner = |(i, &r): (usize, &f64)| {
                DVec2::from_angle(std::f64::consts::TAU * i as f64 / count) * r
            };
            Polygon::new(radii.iter().enumerate().map(corner).collect()).unwrap()
        };
        let kernel = &mut PolygonPolygon::new();
        let at = [DVec2::ZERO, DVec2::new(x, y)];
        let body = |i: usize| Placed::new(star(&radii[i]), Pose2::from_angle(turns[i], at[i]).unwrap());
        let [a, b] = [body(0), body(1)];
        let moved = |body: &Placed<Polygon, DVec2>, m: &Pose3| Placed {
            shape: body.shape.clone(),
            pose: planar(m) * body.pose,
        };
        let bodies = |m: [&Pose3; 2]| (moved(&a, m[0]), moved(&b, m[1]));
        // A corner that passes a side within the step bends the area by step^2.
        let lifted = &mut MapContact(kernel.clone(), in_space);
        volume::gradient_matches(lifted, bodies, [2.0, 1e-5], 2e-4)?;
        let energy = ContactEnergy::linear(1.0).unwrap();
        let wrench = |m: &Pose3| {
            let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            kernel.for_each_contact(&moved(&a, m), &b, &mut Default::default(), |c| {
                let c = in_space(c);
                force += c.force(&energy);
                moment += c.moment_about(&energy, m.translation());
            });
            (force, moment)
        };
        let path = |t: f64| {
            let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
            let half = 0.2 * sin;
            let turn = DQuat::from_xyzw(0.0, 0.0, half, 1.0);
            Pose3::new_normalize(turn, DVec3::new(0.5 * cos, 0.3 * sin, 0.0)).unwrap()
        };
        volume::closed_cycle_does_no_work(wrench, path, 400, 5e-3)?;
    }
}

fn overlap_only<V: Vector>(contact: CommonPlaneContact<V>) -> Contact<V> {
    let (point, normal) = (V::ZERO, V::ZERO);
    Contact {
        point,
        normal,
        overlap: contact.overlap,
    }
}

/// Returns the 2D part of a motion.
fn planar(motion: &Pose3) -> Pose2 {
    let q = motion.rotation();
    Pose2::new_normalize(
        DVec2::new(q.w * q.w - q.z * q.z, 2.0 * q.w * q.z),
        motion.translation().truncate(),
    )
    .unwrap()
}

/// A contact of the plane in space.
fn in_space(contact: ContactVolume<DVec2>) -> ContactVolume<DVec3> {
    ContactVolume {
        kind: contact.kind,
        volume: contact.volume,
        error_bound: contact.error_bound,
        area_vector: contact.area_vector.extend(0.0),
        point: contact.point.extend(0.0),
        moment_vector: DVec3::Z * contact.moment_vector,
    }
}
