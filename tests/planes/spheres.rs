//! Spheres and discs at convex bodies: against all faces, exactly on the lattice, ties, and states.

use crate::support::convex::{corner, cube_times, polygon, polyhedron, random, vector};
use osculate::glam::{DVec2, DVec3};
use osculate::math::closest_on_segment;
use osculate::testing::oracle::{distance_to_polyhedron, gap_of_polygons, gap_of_polyhedra_along};
use osculate::testing::properties::kernel;
use osculate::testing::strategies;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, CommonPlaneContact, CommonPlaneState, ConvexPolygon, ConvexPolyhedron, Feature,
    NarrowPhase, Placed, Pose2, Pose3, Sphere,
};
use proptest::prelude::*;

fn still(shape: &ConvexPolyhedron) -> Placed<&ConvexPolyhedron> {
    Placed::new(shape, Pose3::IDENTITY)
}

/// Random bodies from afar to deep inside, each with a state that is older by a step.
#[test]
fn all_faces_agree() {
    let mut random = random(1);
    let mut features = [0; 3];
    for _ in 0..crate::support::cases(2000) {
        let body = polyhedron(&mut random, 1.0);
        let start = vector(&mut random) * 1.2;
        let mut state = CommonPlaneState::default();
        for step in 0..4 {
            let center = start + vector(&mut random) * 0.02 * f64::from(step);
            let distance = distance_to_polyhedron(&still(&body), center);
            let ball = Sphere::new(center, random.range(0.1, 1.0));
            let kernel = &mut CommonPlane::new();
            let found = kernel.contact_with(&ball, &still(&body), &mut state);
            assert_eq!(found, kernel.contact(&ball, &still(&body)));
            let overlap = ball.radius - distance;
            if overlap.abs() < 1e-14 {
                continue;
            }
            assert_eq!(found.is_some(), overlap > 0.0, "{ball:?} {distance}");
            let Some(found) = found else { continue };
            let placed = Placed::new(ball, Pose3::IDENTITY);
            let along = gap_of_polyhedra_along(&placed, &still(&body), found.normal);
            for overlap in [overlap, -along] {
                let error = (found.overlap - overlap).abs();
                assert!(error < 1e-14, "{found:?} {distance} {along}");
            }
            let off = distance_to_polyhedron(&still(&body), found.point_b).abs();
            let to_point = (found.point_b - center).distance(found.normal * distance);
            assert!(
                off < 1e-14 && to_point < 1e-14,
                "{found:?} {off:e} {to_point:e}"
            );
            features[match found.feature_b {
                Feature::Facet(_) => 0,
                Feature::Edge(..) => 1,
                Feature::Vertex(_) => 2,
            }] += 1;
        }
    }
    println!("{features:?}");
    assert!(features.iter().all(|&count| count > 100));
}

/// Boxes on the lattice: the exact signed distance and the exact part of the surface, in any order of the faces.
#[test]
fn boxes_on_the_lattice() {
    let mut random = SplitMix64::new(2);
    for round in 0..5000 {
        let sides = [DVec3::new(4.0, 2.0, 6.0), DVec3::splat(4.0)][round % 2];
        let block = cube_times(sides);
        let faces = block.surface().facets();
        let mut faces: Vec<_> = faces.map(|face| face.vertices().to_vec()).collect();
        random.shuffle(&mut faces);
        let body = ConvexPolyhedron::new(block.vertices().to_vec(), faces).unwrap();
        let center = DVec3::from_array([0; 3].map(|_| random.below(33) as f64 * 0.5 - 8.0));
        let ball = Sphere::new(center, 16.0);
        let found = CommonPlane::new().contact(&ball, &still(&body)).unwrap();
        let beyond = center.abs() - sides * 0.5;
        let outside = beyond.max(DVec3::ZERO);
        if outside != DVec3::ZERO {
            assert_eq!(found.overlap, 16.0 - outside.length());
            let nearest = center.clamp(sides * -0.5, sides * 0.5);
            assert!((found.point_b - nearest).length() < 1e-14);
            let axes = outside.cmpgt(DVec3::ZERO).bitmask().count_ones();
            let part = match found.feature_b {
                Feature::Facet(_) => 1,
                Feature::Edge(..) => 2,
                Feature::Vertex(_) => 3,
            };
            // On the border of two regions the larger part counts.
            assert_eq!(part, axes as usize, "{center}");
            assert!((found.normal * outside.length() + outside * center.signum()).length() < 1e-14);
        } else {
            let depth = -beyond.max_element();
            assert_eq!(found.overlap, 16.0 + depth);
            // -x before -y before -z before +z before +y before +x.
            let [x, y, z] = DVec3::AXES;
            let normals = [-x, -y, -z, z, y, x];
            let is_nearest = |n: &&DVec3| (n.abs().dot(sides) * 0.5 - center.dot(**n)) == depth;
            let normal = normals.iter().find(is_nearest).unwrap();
            assert_eq!(found.normal, -normal);
        }
    }
}

#[test]
fn margin_and_touching() {
    let cube = cube_times(DVec3::splat(2.0));
    let overlap = |center: DVec3, radius: f64, margin: f64| {
        let kernel = &mut CommonPlane::new().with_margin(margin).unwrap();
        let found = kernel.contact(&Sphere::new(center, radius), &still(&cube));
        found.map(|c| c.overlap)
    };
    let at = |x: f64, margin: f64| overlap(DVec3::new(x, 0.25, 0.0), 0.5, margin);
    let almost = 1.5_f64.next_down();
    assert_eq!((at(1.5, 0.0), at(almost, 0.0)), (None, Some(1.5 - almost)));
    assert_eq!((at(1.625, 0.25), at(1.75, 0.25)), (Some(-0.125), None));
    assert_eq!(overlap(DVec3::NAN, 1.0, 0.0), None);
    assert_eq!(overlap(DVec3::X * 0.5, 0.0, 0.0), Some(0.5));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The gap with which the bodies were made, at any scale, and the same with the state of any pair.
    #[test]
    fn gaps_and_states(
        pairs in prop::collection::vec(strategies::sphere_and_polyhedron(), 1..5),
    ) {
        let (kernel, mut path) = (&mut CommonPlane::new(), Vec::new());
        for (ball, body, gap) in pairs {
            let size = body.shape.vertices().iter().fold(ball.radius, |s, v| s.max(v.length()));
            let size = size.max(gap.abs());
            let far = ball.center.length() + body.pose.translation().length();
            kernel::gap_is(kernel, &ball, &body, gap, 1e-13 * (size + far))?;
            let ball = |step: f64| Sphere::new(ball.center + DVec3::X * step * size, ball.radius);
            path.extend([0.0, 0.0, 1e-9, 1e-3, 0.1, 0.0].map(|step| (ball(step), body.clone())));
        }
        kernel::independent_of_state(kernel, path)?;
    }
}

/// Squares on the lattice, and random polygons.
#[test]
fn discs_and_polygons() {
    let square = [0, 1, 3, 2].map(|i| corner(i).truncate());
    let square = ConvexPolygon::new(square.to_vec()).unwrap();
    let mut random = SplitMix64::new(7);
    for round in 0..3000 {
        let mut center = DVec2::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0));
        let mut body = polygon(&mut random, 1.0);
        if round % 2 == 0 {
            (center, body) = ((center * 4.0).round() * 0.25, square.clone());
        }
        let body = Placed::new(&body, Pose2::IDENTITY);
        let point = Placed::new(Sphere::new(center, 0.0), Pose2::IDENTITY);
        let distance = gap_of_polygons(&point, &body);
        let disc = Sphere::new(center, 0.75);
        let found: Option<CommonPlaneContact<DVec2>> = CommonPlane::new().contact(&disc, &body);
        assert_eq!(found.is_some(), distance < 0.75);
        let Some(found) = found else { continue };
        assert!((found.overlap - (0.75 - distance)).abs() < 1e-15);
        let to_point = (found.point_b - center).distance(found.normal * distance);
        assert!(to_point < 1e-9, "{found:?} {center}");
        // The point is on the feature. A center inside has no corner as a feature, except if it is there.
        let vertex = |i: u32| body.shape.vertices()[i as usize];
        let [from, to] = match found.feature_b {
            Feature::Vertex(i) if distance >= 0.0 => [vertex(i); 2],
            Feature::Edge(i, j) => [vertex(i), vertex(j)],
            other => panic!("{other:?} {center}"),
        };
        let off = closest_on_segment(found.point_b, from, to).distance_squared;
        assert!(off.sqrt() < 1e-12, "{found:?} {center}");
    }
}

/// At the corner farthest from the center of a body, an overlap of some rounding errors is a contact, and so
/// is a body of a thousandth of the sphere.
#[test]
fn light_touch_at_a_corner() {
    for side in [1.0, 1e-3] {
        let square = [0, 1, 3, 2].map(|i| (corner(i).truncate() - 0.5) * side);
        let square = ConvexPolygon::new(square.to_vec()).unwrap();
        let cube = cube_times(DVec3::splat(side));
        for overlap in [1e-12, 1e-14, -1e-12] {
            let at = |dim: f64| (0.5 * side + (1.0 - overlap) / dim.sqrt()).abs();
            let disc = Sphere::new(DVec2::splat(at(2.0)), 1.0);
            let flat = Placed::new(&square, Pose2::IDENTITY);
            let flat: Option<CommonPlaneContact<DVec2>> = CommonPlane::new().contact(&disc, &flat);
            let ball = Sphere::new(DVec3::splat(at(3.0)), 1.0);
            let solid = CommonPlane::new().contact(&ball, &still(&cube));
            for found in [flat.map(|c| c.overlap), solid.map(|c| c.overlap)] {
                assert_eq!(found.is_some(), overlap > 0.0);
                assert!(found.is_none_or(|found| (found - overlap).abs() < 2e-15));
            }
        }
    }
}
