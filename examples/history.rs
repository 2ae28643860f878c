//! Tangential springs that survive changes of facet and rebuilds of a pair list.
//!
//! `cargo run --release --example history` takes 0.02 s.

use osculate::glam::DVec3;
use osculate::narrow::WallHistory;
use osculate::{
    DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Skin, Sphere, SphereSphere,
    SurfaceMesh, Wall,
};

/// SI units; the mass is 1 kg.
const STEP: f64 = 1e-4;
const RADIUS: f64 = 0.1;

#[derive(Default)]
struct Ball {
    position: DVec3,
    velocity: DVec3,
    spin: DVec3,
    /// The largest change of a spring in one step once the ball rolls, relative to its length.
    jump: f64,
}

impl Ball {
    /// A contact with a body at rest; `normal` points away from it. Hooke's law, and a tangential
    /// spring that slips at the friction limit.
    fn touch(&mut self, normal: DVec3, overlap: f64, spring: &mut DVec3, rolls: bool) {
        let (stiffness, damping, friction) = (1e5, 100.0, 0.5);
        let (arm, before) = (normal * -RADIUS, *spring);
        let velocity = self.velocity + self.spin.cross(arm);
        let along = velocity.reject_from_normalized(normal);
        let push = (stiffness * overlap - damping * velocity.dot(normal)).max(0.0);
        *spring = (*spring + along * STEP).reject_from_normalized(normal);
        *spring = spring.clamp_length_max(friction * push / stiffness);
        let hold = (*spring * stiffness + along * damping).clamp_length_max(friction * push);
        self.velocity += (normal * push - hold) * STEP;
        self.spin -= arm.cross(hold) / (0.4 * RADIUS * RADIUS) * STEP;
        if rolls {
            self.jump = self.jump.max(spring.distance(before) / spring.length());
        }
    }

    fn advance(&mut self, gravity: DVec3) -> Sphere<DVec3> {
        self.velocity += gravity * STEP;
        self.position += self.velocity * STEP;
        Sphere::new(self.position, RADIUS)
    }
}

/// Two seconds down a slope of 3 in 5, a strip of triangles 1 cm wide.
fn slope() -> Result<(), Error> {
    let place = |i: u32| DVec3::new(f64::from(i / 2) * 0.01, f64::from(i % 2) - 0.45, 0.0);
    let cells = (0..2000).flat_map(|i| [[0, 2, 3], [0, 3, 1]].map(|t| t.map(|k| k + 2 * i)));
    let wall = Wall::new(SurfaceMesh::new((0..4002).map(place).collect(), cells)?);
    let mut ball = Ball {
        position: DVec3::new(0.1, 0.0, RADIUS),
        ..Ball::default()
    };
    // The spring of each contact, and the facet on which it was.
    let mut history = WallHistory::<(DVec3, Option<u32>)>::default();
    let (mut kernel, mut facets) = (DoubleHierarchy::new(), 0);
    for step in 0..20_000 {
        let sphere = ball.advance(DVec3::new(0.6, 0.0, -0.8) * 9.81);
        history.for_each_contact(&mut kernel, &sphere, &wall, |contact, (spring, facet)| {
            let before = facet.replace(contact.facet);
            facets += usize::from(before.is_some_and(|facet| facet != contact.facet));
            // The kernel's normal points into the wall.
            ball.touch(-contact.normal, contact.overlap, spring, step > 1000);
        });
    }
    // A rolling ball has 5/7 of the speed of a sliding one.
    let speed = ball.velocity.x / (2.0 * 9.81 * 0.6);
    println!(
        "slope: {facets} changes of facet, {speed:.4} of the speed of sliding, jumps of {:.0e}",
        ball.jump
    );
    assert!(facets > 1000 && (speed * 7.0 / 5.0 - 1.0).abs() < 0.01 && ball.jump < 0.01);
    Ok(())
}

/// Down a spherical hill of radius 3, until 0.6 rad from the top.
fn hill() -> Result<(), Error> {
    let hill = Sphere::new(DVec3::ZERO, 3.0);
    let (position, velocity) = (DVec3::Z * 3.1, DVec3::X * 0.1);
    let mut ball = Ball {
        position,
        velocity,
        ..Ball::default()
    };
    // The list stores the spring of each pair and carries it over rebuilds.
    let mut list = PairList::<_, DVec3>::new(HierarchicalGrid::new(), Skin::Absolute(0.1))?;
    let (mut rebuilds, mut steps) = (0, 0);
    while ball.position.z > 0.6_f64.cos() * ball.position.length() {
        let spheres = [hill, ball.advance(DVec3::Z * -9.81)];
        rebuilds += usize::from(list.update(&spheres)?);
        list.for_each_touching_pair(|_, _, spring| {
            SphereSphere::new().for_each_contact(&spheres[0], &spheres[1], &mut (), |c| {
                ball.touch(c.normal, c.overlap, spring, steps > 5000);
            });
        });
        steps += 1;
    }
    let slip = 1.0 - ball.spin.length() * RADIUS / ball.velocity.length();
    println!(
        "hill: {rebuilds} rebuilds of the list, slip {slip:.0e}, jumps of {:.0e}",
        ball.jump
    );
    assert!(rebuilds > 10 && slip.abs() < 0.01 && ball.jump < 0.01);
    Ok(())
}

fn main() -> Result<(), Error> {
    slope()?;
    hill()
}
