//! The order of two shapes changes no contact.

mod scenes;

use osculate_rapier::Osculate;
use rapier3d_f64::math::{Pose, Rotation};
use rapier3d_f64::parry::query::{ContactManifold, PersistentQueryDispatcher};
use rapier3d_f64::parry::shape::Shape;
use rapier3d_f64::prelude::*;
use scenes::{Contacts, Cut, cube_shape, floor_shape};

type Manifolds = Vec<ContactManifold<(), ()>>;

fn manifolds(pose: &Pose, first: &dyn Shape, second: &dyn Shape) -> Manifolds {
    let (mut found, mut workspace) = (Manifolds::new(), None);
    let done = Osculate.contact_manifolds(pose, first, second, 0.02, &mut found, &mut workspace);
    done.unwrap();
    found
}

/// Returns the largest difference of points and normals, and checks that points and depths of a manifold agree.
fn difference(pose: &Pose, first: &dyn Shape, second: &dyn Shape) -> f64 {
    let one = manifolds(pose, first, second);
    let other = manifolds(&pose.inverse(), second, first);
    assert!(!one.is_empty() && one.len() == other.len());
    let mut worst = 0.0_f64;
    for (a, b) in one.iter().zip(&other) {
        worst = worst.max((a.local_n1 - b.local_n2).length());
        worst = worst.max((a.local_n2 - b.local_n1).length());
        worst = worst.max((a.local_n1 + pose.rotation * a.local_n2).length());
        assert!(!a.points.is_empty() && a.points.len() == b.points.len());
        for p in &a.points {
            let gap = (*pose * p.local_p2 - p.local_p1).dot(a.local_n1);
            worst = worst.max((gap - p.dist).abs());
            let distance = |q: &Vector| (*q - p.local_p1).length();
            let nearest = b.points.iter().map(|q| distance(&q.local_p2));
            worst = worst.max(nearest.fold(f64::INFINITY, f64::min));
        }
    }
    worst
}

#[test]
fn swapped_shapes_have_the_same_contacts() {
    let floor = floor_shape(Contacts::Osculate, Cut::Squares);
    let (cube, ball) = (cube_shape(Contacts::Osculate), SharedShape::ball(0.5));
    let at = |z: f64| Pose {
        translation: [0.1, 0.2, z].into(),
        rotation: Rotation::from_rotation_x(0.01) * Rotation::from_rotation_z(0.3),
    };
    assert!(difference(&at(0.49), &*floor, &*ball) < 1e-12);
    assert!(difference(&at(0.49), &*floor, &*cube) < 1e-12);
    assert!(difference(&at(0.99), &*cube, &*cube) < 1e-12);
}
