//! Grains that flow down a rough floor, periodic along the flow: a wall in a periodic box, with
//! states and contact history that continue across its faces.
//!
//! `cargo reproduce rough_floor`

use osculate::glam::DVec3;
use osculate::{
    DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Periodic, PeriodicBox, Skin,
    Sphere, SphereSphere, SurfaceMesh, Wall, WallList,
};
use osculate::{broad::ListedPair, narrow::WallHistory};
use reproduce::random::SplitMix64;

/// Units: mean diameter 1, mass 1 for a grain of that size, gravity 1.
const STEP: f64 = 2e-3;
const SIDE: u32 = 8;

#[derive(Clone, Default)]
struct Grain {
    sphere: Sphere<DVec3>,
    mass: f64,
    velocity: DVec3,
    spin: DVec3,
    force: DVec3,
    torque: DVec3,
    /// The age of the oldest contact with the floor, in steps.
    age: u32,
}

impl Grain {
    /// Force on a grain at a contact whose normal points toward the grain: Hooke's law, damping,
    /// and a tangential spring.
    fn push(&mut self, normal: DVec3, overlap: f64, velocity: DVec3, spring: &mut DVec3) -> DVec3 {
        let (stiffness, damping, friction) = (2e3, 8.0, 0.5);
        let along = velocity.reject_from_normalized(normal);
        let size = (stiffness * overlap - damping * velocity.dot(normal)).max(0.0);
        *spring = (*spring + along * STEP).reject_from_normalized(normal);
        *spring = spring.clamp_length_max(friction * size / stiffness);
        let hold = (*spring * stiffness + along * damping).clamp_length_max(friction * size);
        self.add(normal, normal * size - hold);
        normal * size - hold
    }

    fn add(&mut self, normal: DVec3, force: DVec3) {
        self.force += force;
        self.torque += (normal * -self.sphere.radius).cross(force);
    }

    fn velocity_at(&self, normal: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(normal * -self.sphere.radius)
    }

    fn advance(&mut self, period: &PeriodicBox<DVec3>) -> bool {
        let inertia = 0.4 * self.mass * self.sphere.radius * self.sphere.radius;
        // A slope of 3 in 4.
        let gravity = DVec3::new(0.6, 0.0, -0.8);
        self.velocity += (self.force / self.mass + gravity) * STEP;
        self.spin += self.torque / inertia * STEP;
        (self.force, self.torque) = Default::default();
        let moved = self.sphere.center + self.velocity * STEP;
        self.sphere.center = period.wrap(moved);
        self.sphere.center != moved
    }
}

/// One period of the floor: cells of two triangles, with a bump at every second vertex.
fn floor() -> Result<SurfaceMesh, Error> {
    let row = 2 * SIDE + 1;
    let place = |i: u32| {
        let (x, y) = (i % row, i / row);
        let bump = if x % 2 == 1 && y % 2 == 1 { 0.3 } else { 0.0 };
        DVec3::new(0.5 * f64::from(x), 0.5 * f64::from(y), bump)
    };
    let cells = (0..(2 * SIDE).pow(2)).map(|c| c / (2 * SIDE) * row + c % (2 * SIDE));
    let facets = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new((0..row * row).map(place).collect(), facets)
}

fn main() -> Result<(), Error> {
    let side = f64::from(SIDE);
    let sides = DVec3::new(side, side, 0.0);
    let period = PeriodicBox::orthogonal(DVec3::ZERO, sides, [true, true, false])?;
    let wall = Wall::periodic(floor()?, period, 1.0)?;

    let mut random = SplitMix64::new(1);
    let mut grains: Vec<Grain> = (0..320)
        .map(|i| {
            let (cell, layer) = (i % 64, i / 64);
            let radius = random.range(0.4, 0.5);
            let center = DVec3::new(
                f64::from(cell % 8) + 0.5,
                f64::from(cell / 8) + 0.5,
                f64::from(layer) + 1.0,
            );
            Grain {
                sphere: Sphere::new(center + random.in_ball() * 0.05, radius),
                mass: 8.0 * radius.powi(3),
                ..Grain::default()
            }
        })
        .collect();
    let grid = Periodic::new(HierarchicalGrid::new(), period);
    let mut list = PairList::<_, DVec3>::new(grid, Skin::Absolute(0.1))?;
    // For each contact with the floor its spring, and its age in steps.
    let mut on_floor = WallList::<WallHistory<(DVec3, u32)>>::new(Skin::Absolute(0.1))?;
    let mut kernel = DoubleHierarchy::new();
    let (mut wraps, mut over_faces, mut lost) = (0, 0, 0);
    let mut has_wrapped = vec![false; grains.len()];
    for _ in 0..12_000 {
        list.update_with(grains.len(), |i| grains[i].sphere)?;
        let spheres: Vec<_> = grains.iter().map(|grain| grain.sphere).collect();
        list.for_each_touching_image(|ListedPair { i, j, shift, .. }, spring| {
            let mut image = spheres[j];
            image.center += shift;
            SphereSphere::new().for_each_contact(&spheres[i], &image, &mut (), |c| {
                let [a, b] = [&grains[i], &grains[j]];
                let velocity = a.velocity_at(-c.normal) - b.velocity_at(c.normal);
                let force = grains[i].push(-c.normal, c.overlap, velocity, spring);
                grains[j].add(c.normal, -force);
            });
        });
        // A wrapped sphere keeps its history: the wall knows the period.
        on_floor.update(&spheres, &wall)?;
        let ages: Vec<_> = grains
            .iter_mut()
            .map(|grain| std::mem::take(&mut grain.age))
            .collect();
        on_floor.for_each_body(&wall, |i, near, history| {
            let grain = &mut grains[i];
            history.for_each_contact(&mut kernel, &spheres[i], near, |contact, (spring, age)| {
                let velocity = grain.velocity_at(-contact.normal);
                grain.push(-contact.normal, contact.overlap, velocity, spring);
                *age += 1;
                grain.age = grain.age.max(*age);
            });
        });
        let grains = grains.iter_mut().zip(&mut has_wrapped);
        for ((grain, has_wrapped), before) in grains.zip(ages) {
            if *has_wrapped && before > 0 && grain.age > 0 {
                over_faces += 1;
                lost += u32::from(grain.age == 1);
            }
            *has_wrapped = grain.advance(&period);
            wraps += u32::from(*has_wrapped);
            assert!(grain.sphere.center.z > 0.3, "through the floor");
        }
    }
    let speed: f64 = grains.iter().map(|g| g.velocity.x).sum::<f64>() / grains.len() as f64;
    println!(
        "{} grains at a speed of {speed:.1} went over faces {wraps} times, {over_faces} in contact \
         with the floor; {lost} histories lost",
        grains.len()
    );
    assert!(wraps > 1000 && over_faces > 50 && lost == 0);
    Ok(())
}
