//! Convex bodies, solids and packings: the public laws on the public strategies.

mod support;

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::{laws, oracle, strategies as any, workload};
use osculate::{
    BroadPhase, BruteForce, CommonPlane, CommonPlaneContact, Contact, ContactEnergy, ContactVolume,
    CurveNode, HierarchicalGrid, MeshMesh, NarrowPhase, Periodic, Placed, Polygon, PolygonPolygon,
    Pose2, Pose3, SolidMesh, SolidTree, Vector, convex_hull, convex_hull_2d, rank_owns_pair,
};
use proptest::prelude::*;
use support::cases;

proptest! {
    #![proptest_config(cases())]

    /// Random bodies against the oracle; at ties, where only the overlap is one, also.
    #[test]
    fn polyhedra(
        [p, q] in prop::array::uniform2(any::convex_polyhedron()),
        [at, motion] in prop::array::uniform2(any::pose()),
        step in prop::array::uniform3(-0.1..0.1),
        seed: u64,
    ) {
        let a = Placed { shape: &p, pose: Pose3::IDENTITY };
        let b = Placed { shape: &q, pose: at };
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        let exact = oracle::gap_of_polyhedra(&a, &b);
        let slack = if exact < 0.0 { 1e-13 } else { 1e-7 };
        laws::gap_is(kernel, &a, &b, exact, 1e30, 1e-13, of_plane)?;
        let moved = |by: DVec3| {
            let pose = Pose3::new(at.rotation(), at.translation() + by).unwrap();
            Placed { pose, ..b }
        };
        laws::overlap_separates(kernel, &a, moved, oracle::gap_of_polyhedra, slack, of_plane)?;
        laws::swap_negates(kernel, [&a, &b], 1e30, of_plane)?;
        laws::independent_of_labels(kernel, [&a, &b], seed, 1e-13, of_plane)?;
        let pair = |m: &Pose3| [a, b].map(|x| Placed { pose: *m * x.pose, ..x }).into();
        let gap = |c: &CommonPlaneContact<DVec3>| {
            Contact { point: DVec3::ZERO, normal: DVec3::ZERO, overlap: c.overlap }
        };
        laws::moves_rigidly(kernel, pair, &motion, 8.0, gap)?;
        // Away and back, with a margin, so that some steps are skipped.
        let by = |i: i32| DVec3::from_array(step) * f64::from(i.min(40 - i));
        let path = || (0..40).map(|i| (a, moved(by(i))));
        laws::independent_of_state(kernel, path(), |c| *c)?;
        laws::independent_of_state(&mut CommonPlane::new().with_margin(0.05).unwrap(), path(), |c| *c)?;
        let own = |[a, b]: [&Placed<_, _>; 2]| CommonPlane::new().with_margin(0.05).map(|mut kernel| {
            laws::gap_is(&mut kernel, a, b, exact, 0.05, 1e-13, of_plane)
        });
        own([&a, &b])??;
    }

    #[test]
    fn planted_polyhedra(
        ([a, b], gap) in prop_oneof![any::touching_boxes(), any::crossing_edges()],
        exponent in -30..=30,
    ) {
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        laws::gap_is(kernel, &a, &b, gap, 1e30, 1e-12, of_plane)?; // 1e-13 of the size
        laws::swap_negates(kernel, [&a, &b], 1e30, of_plane)?;
        let scaled = |x: f64| [&a, &b].map(|body| {
            let corners: Vec<_> = body.shape.vertices().iter().map(|&v| v * x).collect();
            let pose = Pose3::from_translation(body.pose.translation() * x).unwrap();
            Placed { shape: convex_hull(&corners).unwrap(), pose }
        }).into();
        laws::scales_exactly(kernel, scaled, exponent, of_plane)?;
        // Where several planes are equally good, rounding picks one; the overlap is the same.
        laws::accurate_at_any_scale(kernel, scaled, 16.0, overlap_only)?;
    }

    #[test]
    fn polygons(
        [p, q] in prop::array::uniform2(any::convex_polygon()),
        [at, motion] in prop::array::uniform2(any::pose_2d()),
    ) {
        let a = Placed { shape: &p, pose: Pose2::IDENTITY };
        let b = Placed { shape: &q, pose: at };
        let kernel = &mut CommonPlane::new().with_margin(1e30).unwrap();
        let exact = oracle::gap_of_polygons(&a, &b);
        let slack = if exact < 0.0 { 1e-13 } else { 1e-7 };
        laws::gap_is(kernel, &a, &b, exact, 1e30, 1e-13, of_plane)?;
        let moved = |by: DVec2| {
            let pose = Pose2::new(at.rotation(), at.translation() + by).unwrap();
            Placed { pose, ..b }
        };
        laws::overlap_separates(kernel, &a, moved, oracle::gap_of_polygons, slack, of_plane)?;
        laws::swap_negates(kernel, [&a, &b], 1e30, of_plane)?;
        let pair = |m: &Pose2| [a, b].map(|x| Placed { pose: *m * x.pose, ..x }).into();
        let gap = |c: &CommonPlaneContact<DVec2>| {
            Contact { point: DVec2::ZERO, normal: DVec2::ZERO, overlap: c.overlap }
        };
        laws::moves_rigidly(kernel, pair, &motion, 8.0, gap)?;
        let scaled = |x: f64| [a, b].map(|body| {
            let corners: Vec<_> = body.shape.vertices().iter().map(|&v| v * x).collect();
            let translation = body.pose.translation() * x;
            let pose = Pose2::new(body.pose.rotation(), translation).unwrap();
            Placed { shape: convex_hull_2d(&corners).unwrap(), pose }
        }).into();
        laws::accurate_at_any_scale(kernel, scaled, 8.0, overlap_only)?;
    }

    /// Simple polygons of two fans of triangles, in the plane of 3D laws.
    #[test]
    fn areas(
        radii in prop::array::uniform2(prop::collection::vec(0.3_f64..1.5, 5..12)),
        turns in prop::array::uniform2(0.0_f64..6.0),
        [x, y] in prop::array::uniform2(-1.0_f64..1.0),
        exponent in -40..=40,
    ) {
        let star = |radii: &[f64], x: f64| {
            let count = radii.len() as f64;
            let corner = |(i, &r): (usize, &f64)| {
                DVec2::from_angle(std::f64::consts::TAU * i as f64 / count) * (r * x)
            };
            Polygon::new(radii.iter().enumerate().map(corner).collect()).unwrap()
        };
        let kernel = &mut PolygonPolygon::new();
        let at = [DVec2::ZERO, DVec2::new(x, y)];
        let pair = |x: f64| {
            let body = |i: usize| Placed {
                shape: star(&radii[i], x),
                pose: Pose2::from_angle(turns[i], at[i] * x).unwrap(),
            };
            (body(0), body(1))
        };
        laws::volume_scales_exactly(kernel, pair, exponent, |c| *c)?;
        laws::volume_accurate_at_any_scale(kernel, pair, 4.0, |c| *c)?;
        let (a, b) = pair(1.0);
        laws::volume_swap_negates(kernel, [&a, &b], |c| *c)?;
        let moved = |body: &Placed<Polygon, DVec2>, m: &Pose3| Placed {
            shape: body.shape.clone(),
            pose: planar(m) * body.pose,
        };
        let bodies = |m: [&Pose3; 2]| (moved(&a, m[0]), moved(&b, m[1]));
        // A corner that passes a side within the step bends the area by step^2.
        laws::volume_gradient(kernel, bodies, [2.0, 1e-5], 2e-4, in_space)?;
        let energy = ContactEnergy::linear(1.0).unwrap();
        let wrench = |m: &Pose3| {
            let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            kernel.for_each_contact(&moved(&a, m), &b, &mut (), |c| {
                let c = in_space(&c);
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
        laws::closed_cycle_does_no_work(wrench, path, 400, 5e-3)?;
    }

    #[test]
    fn volumes(
        [p, q] in prop::array::uniform2(any::solid()),
        (at, turn) in (any::pose(), any::motion()),
        exponent in -40..=40,
    ) {
        let kernel = &mut MeshMesh::new();
        let [p, q] = [p, q].map(SolidTree::from);
        let a = Placed { shape: &p, pose: Pose3::IDENTITY };
        let b = Placed { shape: &q, pose: at };
        let mut curve = Vec::new();
        kernel.for_each_contact_and_segment(&a, &b, |_| (), |s| curve.push(s));
        let name = |node: CurveNode| ((node.is_edge_of_first, node.edge, node.facet), node.position);
        laws::curve_closes(curve.iter().map(|s| s.ends.map(name)))?;
        laws::volume_swap_negates(kernel, [&a, &b], |c| *c)?;
        laws::volume_is(kernel, &a, &a.clone(), p.solid().volume(), 0.0, |c| *c)?;
        let there = Placed { shape: &p, pose: Pose3::from_translation(DVec3::X * 4.0).unwrap() };
        laws::volume_is(kernel, &a, &there, 0.0, 0.0, |c| *c)?;
        // Where faces lie on each other S is one of several: only bodies turned anyhow.
        let turn = Pose3::new_normalize(turn.0, turn.1).unwrap();
        let turned = |m: &Pose3| {
            let b = Placed { pose: turn, ..b };
            [a, b].map(|x| Placed { pose: *m * x.pose, ..x }).into()
        };
        laws::volume_moves_rigidly(kernel, turned, &at, 32.0, |c| *c)?;
        let scaled = |x: f64| [a, b].map(|body| {
            let surface = body.shape.solid().surface();
            let vertices = surface.vertices().iter().map(|&v| v * x).collect();
            let corners = surface.facets().map(|f| [0, 1, 2].map(|k| f.vertices()[k]));
            let shape = SolidTree::from(SolidMesh::new(vertices, corners).unwrap());
            let pose = Pose3::new(body.pose.rotation(), body.pose.translation() * x).unwrap();
            Placed { shape, pose }
        }).into();
        laws::volume_scales_exactly(kernel, scaled, exponent, |c| *c)?;
        let scaled = |x: f64| {
            let (a, b): (Placed<SolidTree, _>, _) = scaled(x);
            (a, Placed { pose: Pose3::new(turn.rotation(), turn.translation() * x).unwrap(), ..b })
        };
        laws::volume_accurate_at_any_scale(kernel, scaled, 8.0, |c| *c)?;
    }

    /// A box cut in two by x = 0; a body somewhere across it.
    #[test]
    fn volumes_of_parts(
        p in any::solid(),
        (rotation, shift) in any::motion(),
    ) {
        let cubes = [vec![[-1, 0, 0]], vec![[0, 0, 0]], vec![[-1, 0, 0], [0, 0, 0]]];
        let [left, right, whole] = cubes.map(|c| SolidTree::from(workload::cubes(&c, 2.0).unwrap()));
        let still = |shape| Placed { shape, pose: Pose3::IDENTITY };
        let pose = Pose3::new_normalize(rotation, shift + DVec3::new(0.0, 0.5, 0.5)).unwrap();
        let p = SolidTree::from(p);
        let body = Placed { shape: &p, pose };
        let (whole, parts) = (still(&whole), [still(&left), still(&right)]);
        let kernel = &mut MeshMesh::new();
        laws::volume_adds_up(kernel, &body, &whole, &parts, 4.0, |c| *c)?;
    }

    #[test]
    fn packings(
        (period, bodies) in any::periodic_packing::<DVec3>(24),
        owners in any::rank_decomposition(24),
        seed: u64,
    ) {
        laws::ranks_keep_each_pair_once(rank_owns_pair, &bodies, &owners)?;
        let mut broad = Periodic::new(HierarchicalGrid::new(), period);
        let mut reference = Periodic::new(BruteForce::new(), period);
        broad.rebuild(&bodies)?;
        reference.rebuild(&bodies)?;
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        broad.collect_pairs(&mut found);
        reference.collect_pairs(&mut expected);
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
        laws::independent_of_order(&mut broad, &bodies, seed)?;
    }
}

fn overlap_only<V: Vector>(contact: &CommonPlaneContact<V>) -> Contact<V> {
    let (point, normal) = (V::ZERO, V::ZERO);
    Contact {
        point,
        normal,
        overlap: contact.overlap,
    }
}

/// What a motion is in the plane.
fn planar(motion: &Pose3) -> Pose2 {
    let q = motion.rotation();
    Pose2::new_normalize(
        DVec2::new(q.w * q.w - q.z * q.z, 2.0 * q.w * q.z),
        motion.translation().truncate(),
    )
    .unwrap()
}

/// A contact of the plane in space.
fn in_space(contact: &ContactVolume<DVec2>) -> ContactVolume<DVec3> {
    ContactVolume {
        kind: contact.kind,
        volume: contact.volume,
        area_vector: contact.area_vector.extend(0.0),
        point: contact.point.extend(0.0),
        moment_vector: DVec3::Z * contact.moment_vector,
    }
}

fn of_plane<V: Vector>(contact: &CommonPlaneContact<V>) -> Contact<V> {
    let CommonPlaneContact {
        point,
        normal,
        overlap,
        ..
    } = *contact;
    Contact {
        point,
        normal,
        overlap,
    }
}
