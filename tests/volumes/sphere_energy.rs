//! The energy of a frictionless ball that bounces on nonconvex bodies, by contact model.
//!
//! Springs along all contacts of `DoubleHierarchy` gain and lose energy at concave edges with a bend of at
//! most acos(1 - overlap / R): a local minimum of the distance ends there while its spring is still
//! compressed. No step is small enough. A spring for each convex part, and a spring along the nearest contact
//! alone have an energy. The last one's force jumps.

use crate::support::solids::bent;
use osculate::glam::DVec3;
use osculate::narrow::{ContactSelection, WallSides};
use osculate::testing::workload;
use osculate::{
    CommonPlane, ConvexPolyhedron, DoubleHierarchy, NarrowPhase, Placed, Pose3, SolidMesh, Sphere,
    SurfaceMesh, Wall,
};

const RADIUS: f64 = 0.4;

/// Returns the energy stored in the contacts and the force on the ball.
type Model = Box<dyn FnMut(&Sphere) -> (f64, DVec3)>;

const STIFFNESS: f64 = 1e4;

fn spring((energy, force): &mut (f64, DVec3), overlap: f64, normal: DVec3) {
    *energy += 0.5 * STIFFNESS * overlap * overlap;
    *force -= STIFFNESS * overlap * normal;
}

/// A spring for each contact with the surface of a solid.
fn springs(solid: &SolidMesh, selection: ContactSelection) -> Model {
    let wall = Wall::new(SurfaceMesh::from(solid.clone()));
    let kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
    let mut kernel = kernel.with_selection(selection);
    Box::new(move |ball| {
        let mut sum = (0.0, DVec3::ZERO);
        kernel.for_each_contact(ball, &wall, &mut (), |c| {
            spring(&mut sum, c.overlap, c.normal);
        });
        sum
    })
}

/// A spring for each convex part.
fn springs_of_parts(parts: Vec<ConvexPolyhedron>) -> Model {
    Box::new(move |ball| {
        let mut sum = (0.0, DVec3::ZERO);
        for part in &parts {
            let part = Placed::new(part, Pose3::IDENTITY);
            if let Some(c) = CommonPlane::new().contact(ball, &part) {
                spring(&mut sum, c.overlap, c.normal);
            }
        }
        sum
    })
}

/// The largest change of the energy of a ball of mass 1 that falls to the origin with 10 m/s^2, relative to
/// the depth of its fall, by velocity Verlet.
fn change(model: &mut Model, [start, velocity]: [DVec3; 2], steps: u32) -> f64 {
    let (mut ball, mut velocity) = (Sphere::new(start, RADIUS), velocity);
    let step = 3.0 / f64::from(steps);
    let mut at = |ball: &Sphere| {
        let (energy, force) = model(ball);
        let distance = ball.center.length();
        (
            energy + 10.0 * distance,
            force - 10.0 * ball.center / distance,
        )
    };
    let (potential, mut force) = at(&ball);
    let first = potential + 0.5 * velocity.length_squared();
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        velocity += force * (0.5 * step);
        ball.center += velocity * step;
        let (potential, next) = at(&ball);
        force = next;
        velocity += force * (0.5 * step);
        worst = worst.max((potential + 0.5 * velocity.length_squared() - first).abs());
    }
    worst / 10.0
}

/// A block whose top is a valley of two slopes, with a bend of 14 degrees, and its convex halves.
fn valley() -> (Vec<ConvexPolyhedron>, SolidMesh) {
    // The common edge of two cubes is the bottom of the valley.
    let cubes = workload::cubes(&[[-1, 0, 0], [0, 0, 0]], 1.0).unwrap();
    let solid = bent(&cubes, |v| {
        let top = 0.5 + 0.25 * v.x.abs();
        let z = if v.z > 0.0 { top } else { -2.0 };
        DVec3::new(2.0 * v.x, 4.0 * v.y - 2.0, z)
    });
    let half = |sign: f64| {
        let vertices = solid.surface().vertices().iter().copied();
        let half: Vec<_> = vertices.filter(|v| sign * v.x >= 0.0).collect();
        ConvexPolyhedron::from_convex_hull(&half).unwrap()
    };
    (vec![half(1.0), half(-1.0)], solid)
}

#[test]
fn energy_by_contact_model() {
    let (parts, valley) = valley();
    let rock = workload::rock(300, 0.6, 3).unwrap();
    let count = 8_u32;
    let steps = [1, 2].map(|n| n * crate::support::cases(6000) as u32);
    println!("largest change of energy in {steps:?} steps");
    for (name, solid, parts) in [("valley", valley, Some(parts)), ("rock", rock, None)] {
        let mut models = vec![
            ("springs", springs(&solid, ContactSelection::all())),
            (
                "nearest spring",
                springs(&solid, ContactSelection::nearest()),
            ),
        ];
        models.extend(parts.map(|parts| ("convex parts", springs_of_parts(parts))));
        for (model, contacts) in &mut models {
            let [coarse, fine] = steps.map(|steps| {
                let start = |i: u32| DVec3::new(0.23 - 0.03 * f64::from(i), 0.2, 1.4);
                let starts = (0..count).map(|i| [start(i), DVec3::new(0.3, -0.1, 0.0)]);
                let changes = starts.map(|start| change(contacts, start, steps));
                changes.fold(0.0, f64::max)
            });
            println!("{name:8} {model:16} {coarse:.1e} {fine:.1e}");
            match *model {
                "springs" => assert!(fine > 1e-2),
                "nearest spring" => assert!(fine < 5e-3),
                // Second order in the step.
                _ => assert!(fine < 5e-4 && fine < 0.4 * coarse, "{model}"),
            }
        }
    }
}
