//! Mass, moments and free rotation of the rigid bodies.

use osculate::glam::{DQuat, DVec3};
use reproduce::rigid::{Body, Shape};
use reproduce::solids::{bolt, cuboid};

#[test]
fn a_brick_has_the_mass_and_moments_of_a_brick() {
    let brick = cuboid(DVec3::ZERO, DVec3::new(4.0, 2.0, 2.0)).unwrap();
    let shape = Shape::new(&brick, 3.0).unwrap();
    // The box is 4 x 2 x 2, its mass 48.
    let mut inertia = shape.inertia.to_array();
    inertia.sort_by(f64::total_cmp);
    assert!((shape.mass - 48.0).abs() < 1e-12);
    for (found, expected) in inertia.iter().zip([32.0, 80.0, 80.0]) {
        assert!((found - expected).abs() < 1e-12, "{inertia:?}");
    }
    let body = Body::new(&shape, DQuat::IDENTITY, DVec3::new(2.0, 1.0, 1.0));
    let pose = body.placed().unwrap().pose;
    for &corner in brick.surface().vertices() {
        let near = |local: &&DVec3| pose.transform_point(**local).distance(corner) < 1e-12;
        let vertices = shape.solid.surface().vertices();
        assert_eq!(vertices.iter().filter(near).count(), 1);
    }
}

/// A body that rotates freely, about no principal axis: the energy error is bounded and of
/// second order.
#[test]
fn free_rotation() {
    let solid = bolt(12, 12).unwrap();
    let shape = Shape::new(&solid, 1.0).unwrap();
    let error = |steps: i32| {
        let mut body = Body::new(&shape, DQuat::IDENTITY, DVec3::ZERO);
        body.kick(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let (energy, spin) = (body.kinetic()[1], body.spin);
        let mut worst: f64 = 0.0;
        for _ in 0..steps {
            body.drift(10.0 / f64::from(steps));
            worst = worst.max((body.kinetic()[1] / energy - 1.0).abs());
        }
        assert_eq!(body.spin, spin);
        worst
    };
    let (coarse, fine) = (error(100), error(200));
    assert!(coarse < 1e-2 && fine < 0.3 * coarse, "{coarse} {fine}");
}
