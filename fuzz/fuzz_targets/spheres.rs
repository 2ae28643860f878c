//! Spheres at hulls with all faces.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::DVec3;
use osculate::math::closest_on_polygon;
use osculate::*;
use osculate_fuzz::{Body, body};

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

fuzz_target!(|input: ([i8; 3], u8, Body)| {
    let (center, radius, hull) = input;
    let center = DVec3::from_array(center.map(|x| f64::from(x) * 0.125));
    let ball = Sphere::new(center, f64::from(radius) * 0.03125);
    if let Some(hull) = body(&hull) {
        let placed = Placed::new(&hull.shape, hull.pose);
        let kernel = &mut CommonPlane::new().with_margin(1e4).unwrap();
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
