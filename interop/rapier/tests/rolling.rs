//! Balls and boxes in rapier on contacts of osculate.

mod scenes;

use rapier3d_f64::prelude::*;
use scenes::{Body, CUTS, Contacts, Cut, run};

/// The cut of a flat floor is not felt.
fn glides(body: Body) {
    for (name, cut) in CUTS {
        let bumps = run(Contacts::Osculate, body, cut);
        println!("{body:?}, {name}: {bumps:?}");
        let worst = [bumps.height, bumps.vertical, bumps.sideways, bumps.lost];
        // A ball still settles by 5e-5 m/s; bumps of rapier's own contacts start at 1e-3.
        assert!(worst.iter().all(|&x| x < 1e-4), "{name}: {bumps:?}");
    }
}

#[test]
fn ball() {
    glides(Body::Ball);
}

#[test]
fn sliding_box() {
    glides(Body::Box);
}

/// Five boxes stand on each other, by contacts of pairs, and a ball lies beside them.
#[test]
fn stack() {
    let mut world = scenes::world(Contacts::Osculate);
    let mut insert = |shape, place: [f64; 3]| {
        let body = RigidBodyBuilder::dynamic()
            .can_sleep(false)
            .translation(place.into());
        world.insert(body, ColliderBuilder::new(shape)).0
    };
    let cube = || scenes::cube_shape(Contacts::Osculate);
    let bodies = [0.5, 1.5, 2.5, 3.5, 4.5].map(|z| insert(cube(), [0.0, 0.0, z]));
    let ball = insert(SharedShape::ball(0.5), [3.0, 0.0, 0.5]);
    let floor = scenes::floor_shape(Contacts::Osculate, Cut::Squares);
    world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::new(floor));
    for _ in 0..600 {
        world.step();
    }
    let mut expected = 0.5;
    for body in bodies {
        let place = world.bodies[body].translation();
        println!("{place:?}");
        assert!(place.x.abs() < 1e-3 && place.y.abs() < 1e-3);
        assert!((place.z - expected).abs() < 0.02);
        expected += 1.0;
    }
    assert!((world.bodies[ball].translation().z - 0.5).abs() < 0.01);
}
