//! Spheres and discs at convex bodies: against all faces, exactly on the lattice, ties, and states.

use crate::support::convex::{corner, cube_times, polygon, polyhedron, random, vector};
use osculate::glam::{DVec2, DVec3};
use osculate::math::{closest_on_polygon, closest_on_segment, orient2d};
use osculate::testing::properties::kernel;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, CommonPlaneContact, CommonPlaneState, ConvexPolygon, ConvexPolyhedron, Feature,
    NarrowPhase, Placed, Pose2, Pose3, Sphere,
};

fn still(shape: &ConvexPolyhedron) -> Placed<&ConvexPolyhedron> {
    Placed::new(shape, Pose3::IDENTITY)
}

/// The signed distance of a point and the outward normal, from all faces.
fn by_all_faces(body: &ConvexPolyhedron, point: DVec3) -> (f64, DVec3) {
    let (mut highest, mut nearest) = ((f64::NEG_INFINITY, DVec3::ZERO), f64::INFINITY);
    let mut offset = DVec3::ZERO;
    for face in body.surface().facets() {
        let corners: Vec<_> = face.corners().collect();
        let nearest_corner = corners.iter().map(|c| point - c);
        let by_length = |a: &DVec3, b: &DVec3| a.length_squared().total_cmp(&b.length_squared());
        let height = face.normal().dot(nearest_corner.min_by(by_length).unwrap());
        if height > highest.0 {
            highest = (height, face.normal());
        }
        let closest = closest_on_polygon(point, &corners);
        if closest.distance_squared < nearest {
            (nearest, offset) = (closest.distance_squared, closest.offset);
        }
    }
    if highest.0 <= 0.0 {
        highest
    } else {
        (nearest.sqrt(), -offset.normalize_or_zero())
    }
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
            let (distance, normal) = by_all_faces(&body, center);
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
            assert!(
                (found.overlap - overlap).abs() < 1e-14,
                "{found:?} {distance}"
            );
            // Rounding determines the direction of a short offset.
            if distance > 1e-6 {
                assert!((found.normal + normal).length() < 1e-8);
            }
            let to_point = found.point_b - center;
            assert!((to_point - found.normal * distance).length() < 1e-8);
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

/// A box on the lattice: the exact signed distance and the exact part of the surface.
#[test]
fn boxes_on_the_lattice() {
    let sides = DVec3::new(4.0, 2.0, 6.0);
    let body = cube_times(sides);
    let mut random = SplitMix64::new(2);
    for _ in 0..5000 {
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
            let normals = [
                DVec3::NEG_X,
                DVec3::NEG_Y,
                DVec3::NEG_Z,
                DVec3::Z,
                DVec3::Y,
                DVec3::X,
            ];
            let is_nearest = |n: &&DVec3| (n.abs().dot(sides) * 0.5 - center.dot(**n)) == depth;
            let normal = normals.iter().find(is_nearest).unwrap();
            assert_eq!(found.normal, -normal);
        }
    }
}

/// The order of the faces and the names of the vertices have no influence, on the medial axis either.
#[test]
fn order_of_faces() {
    let cube = cube_times(DVec3::ONE);
    let facets: Vec<Vec<u32>> = cube
        .surface()
        .facets()
        .map(|f| f.vertices().to_vec())
        .collect();
    let mut random = SplitMix64::new(3);
    for _ in 0..200 {
        let mut mixed = facets.clone();
        random.shuffle(&mut mixed);
        let mixed = ConvexPolyhedron::new(cube.vertices().to_vec(), &mixed).unwrap();
        let center = DVec3::from_array([0; 3].map(|_| random.below(9) as f64 * 0.25 - 1.0));
        let ball = Sphere::new(center, 1.0);
        let contact = |body| {
            let contact = CommonPlane::new().contact(&ball, &still(body));
            contact.map(|c| (c.point_b, c.normal, c.overlap))
        };
        assert_eq!(contact(&cube), contact(&mixed), "{center}");
    }
    let center = CommonPlane::new().contact(&Sphere::new(DVec3::ZERO, 0.25), &still(&cube));
    assert_eq!(center.unwrap().normal, DVec3::X);
}

#[test]
fn margin_and_touching() {
    let cube = cube_times(DVec3::splat(2.0));
    let at = |x: f64, margin: f64| {
        let ball = Sphere::new(DVec3::new(x, 0.25, 0.0), 0.5);
        let kernel = &mut CommonPlane::new().with_margin(margin).unwrap();
        kernel.contact(&ball, &still(&cube)).map(|c| c.overlap)
    };
    assert_eq!(at(1.5, 0.0), None);
    assert_eq!(
        at(1.5_f64.next_down(), 0.0),
        Some(1.5 - 1.5_f64.next_down())
    );
    assert_eq!((at(1.625, 0.25), at(1.75, 0.25)), (Some(-0.125), None));
    assert!(CommonPlane::new().with_margin(-1.0).is_err());
    let nothing = Sphere::new(DVec3::NAN, 1.0);
    assert_eq!(CommonPlane::new().contact(&nothing, &still(&cube)), None);
    let point = Sphere::new(DVec3::X * 0.5, 0.0);
    assert_eq!(
        CommonPlane::new()
            .contact(&point, &still(&cube))
            .unwrap()
            .overlap,
        0.5
    );
}

mod generated {
    use super::*;
    use osculate::testing::strategies;
    use proptest::prelude::*;

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
}

#[test]
fn discs_and_polygons() {
    let mut random = SplitMix64::new(7);
    for round in 0..3000 {
        let body = polygon(&mut random, 1.0);
        let body = if round % 2 == 0 {
            let square = (0..4).map(|i| corner([0, 1, 3, 2][i]).truncate());
            ConvexPolygon::new(square.collect()).unwrap()
        } else {
            body
        };
        let lattice = |x: f64| (x * 4.0).round() * 0.25;
        let center = DVec2::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0));
        let center = if round % 2 == 0 {
            center.map(lattice)
        } else {
            center
        };
        let disc = Sphere::new(center, 0.75);
        let found: Option<CommonPlaneContact<DVec2>> =
            CommonPlane::new().contact(&disc, &Placed::new(&body, Pose2::IDENTITY));
        let v = body.vertices();
        let sides = (0..v.len()).map(|i| [v[i], v[(i + 1) % v.len()]]);
        let is_inside = sides.clone().all(|[a, b]| orient2d(a, b, center) >= 0.0);
        let nearest = sides
            .map(|[a, b]| closest_on_segment(center, a, b).distance_squared)
            .fold(f64::INFINITY, f64::min)
            .sqrt();
        let overlap = if is_inside {
            0.75 + nearest
        } else {
            0.75 - nearest
        };
        assert_eq!(found.is_some(), overlap > 0.0);
        let Some(found) = found else { continue };
        assert!((found.overlap - overlap).abs() < 1e-15);
        let outwards = if is_inside { -1.0 } else { 1.0 };
        let expected = found.normal * nearest * outwards;
        assert!(
            (found.point_b - center - expected).length() < 1e-9,
            "{found:?} {center}"
        );
        // The point is on the feature. A center inside has no corner as a feature, except if it is there.
        let to_feature = match found.feature_b {
            Feature::Vertex(i) if !is_inside || nearest == 0.0 => {
                found.point_b.distance(v[i as usize])
            }
            Feature::Edge(i, j) => {
                let [a, b] = [i, j].map(|i| v[i as usize]);
                closest_on_segment(found.point_b, a, b)
                    .distance_squared
                    .sqrt()
            }
            other => panic!("{other:?} {center}"),
        };
        assert!(to_feature < 1e-12, "{found:?} {center}");
    }
}

/// At the corner farthest from the center of a body, an overlap of some rounding errors is a contact, and so
/// is a body of a thousandth of the sphere.
#[test]
fn light_touch_at_a_corner() {
    for side in [1.0, 1e-3] {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let square = square.map(|corner| DVec2::from(corner) * 0.5 * side);
        let square = ConvexPolygon::new(square.to_vec()).unwrap();
        let cube = cube_times(DVec3::splat(side));
        for overlap in [1e-12, 1e-14, -1e-12] {
            let at = |dim: f64| (0.5 * side + (1.0 - overlap) / dim.sqrt()).abs();
            let disc = Sphere::new(DVec2::splat(at(2.0)), 1.0);
            let flat = Placed::new(&square, Pose2::IDENTITY);
            let flat: Option<CommonPlaneContact<DVec2>> = CommonPlane::new().contact(&disc, &flat);
            let ball = Sphere::new(DVec3::splat(at(3.0)), 1.0);
            let solid = CommonPlane::new().contact(&ball, &still(&cube));
            let overlaps = [flat.map(|c| c.overlap), solid.map(|c| c.overlap)];
            for found in overlaps {
                assert_eq!(found.is_some(), overlap > 0.0);
                assert!(found.is_none_or(|found| (found - overlap).abs() < 2e-15));
            }
        }
    }
}
