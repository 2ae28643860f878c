//! Walls that are concave everywhere: a groove and a drum of planar facets. The facets determine
//! the contacts at any fineness, so contacts with similar normals have to be merged.

use osculate::glam::DVec3;
use osculate::reference::sequential_double_hierarchy;
use osculate::{Sphere, Wall, narrow::ContactSelection};

use crate::ball::{Ball, GRAVITY, Law};
use crate::ground::{Facets, Ground, cylinder, roof};
use reproduce::random::SplitMix64;

/// The energy of a ball that slides without friction.
pub(crate) struct Drift {
    /// The largest indentation, relative to the radius.
    pub gamma: f64,
    /// The largest change of the energy, relative to the initial kinetic energy.
    pub largest: f64,
    /// Time and change.
    pub course: Vec<(f64, f64)>,
    pub contacts: usize,
}

fn slide(ground: &mut Ground, mut ball: Ball, law: &Law, duration: f64) -> Drift {
    const DT: f64 = 1e-5;
    let kinetic = 0.5 * ball.mass * ball.velocity.length_squared();
    ball.start(ground, law, DT);
    let mut drift = Drift {
        gamma: 0.0,
        largest: 0.0,
        course: Vec::new(),
        contacts: 0,
    };
    let mut start = None;
    for step in 0..(duration / DT) as u32 {
        let now = ball.step(ground, law, DT);
        let change = (now.energy - *start.get_or_insert(now.energy)) / kinetic;
        drift.gamma = drift.gamma.max(now.overlap / ball.radius);
        drift.largest = drift.largest.max(change.abs());
        drift.contacts = drift.contacts.max(now.contact_count);
        if step % 500 == 0 {
            drift.course.push((DT * f64::from(step), change));
        }
    }
    drift
}

/// Back and forth, and along, in a groove of two planes at angle `alpha`.
pub(crate) fn groove(alpha: f64, young: f64, policy: ContactSelection, duration: f64) -> Drift {
    let law = Law::on_rigid(young);
    let mut ground = Ground::with_policy(roof(3.0, 24, -0.5 * alpha), policy);
    let mut ball = Ball::of_paper(DVec3::ZERO);
    let slope = 0.5 * alpha;
    let height = ball.radius - law.overlap(ball.radius, ball.mass * GRAVITY * slope.cos());
    let normal = DVec3::new(slope.sin(), 0.0, slope.cos());
    let up = DVec3::new(-slope.cos(), 0.0, slope.sin());
    ball.center = height * normal + 0.5 * up + DVec3::new(0.0, -1.0, 0.0);
    ball.velocity = -up + 0.3 * DVec3::Y;
    slide(&mut ground, ball, &law, duration)
}

/// Radius of the drum, in ball radii.
pub(crate) const RHO: f64 = 5.0;

/// In a drum whose facets are `width` radii wide, and along it.
pub(crate) fn drum(width: f64, young: f64, policy: ContactSelection) -> Drift {
    let law = Law::on_rigid(young);
    let mut ball = Ball::of_paper(DVec3::ZERO);
    let radius = ball.radius;
    let mut ground = Ground::with_policy(tube(radius, width), policy);
    let height = radius - law.overlap(radius, ball.mass * GRAVITY);
    ball.center = DVec3::new(0.0, -3.0 * radius, height - RHO * radius);
    ball.velocity = DVec3::new(2.0, 0.3, 0.0);
    slide(&mut ground, ball, &law, 5.0)
}

fn tube(radius: f64, width: f64) -> osculate::SurfaceMesh {
    let around = (std::f64::consts::TAU * RHO / width).round() as u32;
    let along = (16.0 / width).round() as u32;
    cylinder(
        RHO * radius,
        8.0 * radius,
        [around, along],
        Facets::Triangles,
    )
}

/// Average number of contacts and force of a ball at random positions in the drum.
pub(crate) struct Mean {
    pub contacts: f64,
    /// The force, relative to that of the deepest contact.
    pub force: f64,
}

const PLACES: u32 = 20_000;
/// The indentation into the circumscribed circle of the facets.
const GAMMA: f64 = 0.01;

fn mean(mut contacts: impl FnMut(DVec3) -> Vec<DVec3>) -> Mean {
    let law = Law::on_rigid(1e6);
    let mut random = SplitMix64::new(2016);
    let (mut count, mut sum) = (0, 0.0);
    for _ in 0..PLACES {
        let angle = random.range(0.0, std::f64::consts::TAU);
        let (sin, cos) = angle.sin_cos();
        let center =
            (RHO - 1.0 + GAMMA) * DVec3::new(sin, 0.0, -cos) + DVec3::Y * random.range(-1.0, 1.0);
        let offsets = contacts(center);
        let push = |offset: &DVec3| {
            let distance = offset.length();
            *offset * (law.force(1.0, (1.0 - distance).max(0.0)) / distance)
        };
        let forces = offsets.iter().map(push);
        let deepest = forces.clone().map(DVec3::length).fold(0.0, f64::max);
        sum += forces.sum::<DVec3>().length() / deepest;
        count += offsets.len();
    }
    Mean {
        contacts: count as f64 / f64::from(PLACES),
        force: sum / f64::from(PLACES),
    }
}

pub(crate) fn mean_force(width: f64, policy: ContactSelection) -> Mean {
    let mut ground = Ground::with_policy(tube(1.0, width), policy);
    mean(|center| {
        ground
            .contacts(center, 1.0)
            .iter()
            .map(|c| c.offset)
            .collect()
    })
}

/// The same with Tables 3 and 4 of the paper, with the facets in ascending or random order.
pub(crate) fn mean_force_of_paper(width: f64, is_shuffled: bool) -> Mean {
    let wall = Wall::new(tube(1.0, width));
    let mut random = SplitMix64::new(9);
    let mut near = Vec::new();
    mean(|center| {
        let sphere = Sphere::new(center, 1.0);
        near.clear();
        wall.for_each_facet_near(&sphere, |f| near.push(f));
        if is_shuffled {
            random.shuffle(&mut near);
        } else {
            near.sort_unstable();
        }
        let mut contacts = Vec::new();
        sequential_double_hierarchy(wall.mesh(), &near, &sphere, &mut contacts)
            .expect("facets of the mesh");
        contacts.into_iter().map(|(offset, _)| offset).collect()
    })
}
