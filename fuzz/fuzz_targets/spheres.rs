//! Compares spheres inside and outside bodies of unit cubes with the cubes, and spheres at hulls with all faces.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::{DQuat, DVec3};
use osculate::math::closest_on_polygon;
use osculate::narrow::{SphereConvex, WallSides};
use osculate::testing::workload;
use osculate::*;
use osculate_fuzz::{Body, body};

type Cubes = (Vec<[i8; 3]>, [i8; 4], [i8; 3], u8);

/// The distance of a point from the surface, negative inside.
fn distance(body: &ConvexPolyhedron, point: DVec3) -> f64 {
    let (mut highest, mut nearest) = (f64::NEG_INFINITY, f64::INFINITY);
    for face in body.surface().facets() {
        let corners: Vec<_> = face.corners().collect();
        highest = highest.max(face.normal().dot(point - corners[0]));
        nearest = nearest.min(closest_on_polygon(point, &corners).distance_squared.sqrt());
    }
    if highest <= 0.0 { highest } else { nearest }
}

fuzz_target!(|input: (Cubes, [i8; 3], u8, Body)| {
    let ((cubes, turn, at, way), center, radius, hull) = input;
    let mut cubes: Vec<_> = cubes
        .iter()
        .take(12)
        .map(|c| c.map(|x| i64::from(x & 3)))
        .collect();
    cubes.sort_unstable();
    cubes.dedup();
    let turn = DQuat::from_array(turn.map(f64::from));
    let is_turned = way & 1 == 1 && turn.length_squared() > 0.0;
    let turn = if is_turned {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    };
    let pose = Pose3::new(turn, DVec3::from_array(at.map(f64::from))).unwrap();
    let local = DVec3::from_array(center.map(|x| f64::from(x) * 0.125));
    let ball = Sphere::new(pose.transform_point(local), f64::from(radius) * 0.03125);
    if let Ok(solid) = workload::cubes(&cubes, 1.0) {
        let mut wall = Wall::new(SurfaceMesh::from(solid));
        wall.set_pose(pose);
        let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Solid);
        let contact = kernel.contact(&ball, &wall);
        // Well inside or outside of all cubes.
        let is_in = |by: f64| {
            let beyond = |cube: &[i64; 3]| {
                let middle = DVec3::from_array(cube.map(|x| x as f64 + 0.5));
                (local - middle).abs().max_element()
            };
            cubes.iter().any(|cube| beyond(cube) < 0.5 + by)
        };
        if is_in(-1e-6) {
            assert!(contact.unwrap().overlap > ball.radius);
        } else if !is_in(1e-6) {
            assert!(contact.is_none_or(|c| c.overlap < ball.radius));
        }
    }
    if let Some(hull) = body(&hull) {
        let placed = Placed::new(&hull.shape, hull.pose);
        let kernel = &mut SphereConvex::new().with_margin(1e4).unwrap();
        let mut state = Default::default();
        let found = kernel.contact_with(&ball, &placed, &mut state).unwrap();
        let expected =
            ball.radius - distance(&hull.shape, hull.pose.inverse_transform_point(ball.center));
        assert!(
            (found.overlap - expected).abs() < 1e-11 * 512.0,
            "{found:?} {expected}"
        );
        assert_eq!(kernel.contact_with(&ball, &placed, &mut state), Some(found));
    }
});
