//! Stacks of cubes on walls, with damping and friction at the shares. They stand, and their course does not depend on the
//! triangles of the floor. OSCULATE_CASES sets the time, in hundredths of a second
//! (`OSCULATE_CASES=1000 cargo test --release --all-features --test pressure stacks:: -- --nocapture`).

use crate::motion::{GRAVITY, Rigid};
use crate::scene::{contacts_with, terrain, wall};
use crate::support::cases;
use crate::support::convex::{cube_times, random};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::{NarrowPhase, Placed, Wall};

const FRICTION: f64 = 0.5;

/// Tangential springs of the shares of one pair.
#[derive(Clone, Debug, Default)]
struct Springs {
    last: Vec<DVec3>,
    next: Vec<DVec3>,
}

impl Springs {
    fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
        self.next.clear();
    }

    /// Visits the force and the couple on the second body with their point, for the elastic contact and for each share.
    /// `slip` is the velocity of the second body relative to the first one.
    fn forces(
        &mut self,
        [stiffness, step]: [f64; 2],
        contact: &PressureContact,
        slip: impl Fn(DVec3) -> DVec3,
        mut visit: impl FnMut((DVec3, DVec3), DVec3),
    ) {
        let elastic = (contact.force * stiffness, contact.torque * stiffness);
        visit(elastic, contact.point);
        let (shear, damping) = (0.5 * stiffness, 0.4 * stiffness.sqrt());
        let normal = contact.normal;
        for share in contact.points.unwrap().shares {
            let slip = slip(share.point);
            let along = slip.dot(normal);
            let aside = slip - normal * along;
            let load = stiffness * share.load;
            let push = (load - damping * share.area * along).max(0.0);
            let old = share.previous.map(|k| self.last[k as usize]);
            let spring = old.unwrap_or_default().reject_from_normalized(normal) + aside * step;
            let hold = -(spring * shear + aside * damping) * share.area;
            let held = hold.clamp_length_max(FRICTION * push);
            self.next.push(if held == hold {
                spring
            } else {
                (held / share.area + aside * damping) / -shear
            });
            visit((normal * (push - load) + held, DVec3::ZERO), share.point);
        }
    }
}

/// The positions of all blocks every 100 steps, and the largest kinetic energy of the last tenth.
fn course(stiffness: f64, is_turned: bool, floor: &Wall, seconds: f64) -> (Vec<Vec<DVec3>>, f64) {
    let step = 0.1 / stiffness.sqrt();
    let steps = (seconds / step) as usize;
    let mut random = random(31);
    let cube = cube_times(DVec3::ONE);
    let mut blocks: Vec<Rigid> = (0..10)
        .map(|i| {
            let most = if is_turned { 0.02 } else { 0.0 };
            let mut offset = || random.range(-1.0, 1.0) * most;
            // Each joint is pressed by about the weight above it: impacts would amplify rounding errors.
            let joints = (0..=i).map(|k| GRAVITY * f64::from(10 - k) / stiffness);
            let z = 0.5 + f64::from(i) - joints.sum::<f64>();
            let center = DVec3::new(offset(), offset(), z);
            let rotation = DQuat::from_rotation_z(2.5 * offset());
            Rigid {
                center,
                rotation,
                ..Rigid::default()
            }
        })
        .collect();
    let mut kernel = PressureField::new().with_points();
    let mut states = vec![PressureState::default(); 10];
    let mut springs = vec![Springs::default(); 10];
    let (mut course, mut energy) = (Vec::new(), 0.0_f64);
    for i in 0..steps {
        let before = blocks.clone();
        let bodies = before.iter().map(|block| Placed::new(&cube, block.pose()));
        let bodies: Vec<_> = bodies.collect();
        let found = contacts_with(&mut kernel, &bodies[0], floor, &mut states[9]);
        for contact in found {
            let slip = |x| -before[0].velocity_at(x);
            springs[0].forces([stiffness, step], &contact, slip, |(force, couple), x| {
                blocks[0].push((-force, -couple), x, step);
            });
        }
        springs[0].end();
        for i in 0..9 {
            let (a, b) = (&bodies[i], &bodies[i + 1]);
            if let Some(contact) = kernel.contact_with(a, b, &mut states[i]) {
                let slip = |x| before[i + 1].velocity_at(x) - before[i].velocity_at(x);
                springs[i + 1].forces([stiffness, step], &contact, slip, |(force, couple), x| {
                    blocks[i].push((-force, -couple), x, step);
                    blocks[i + 1].push((force, couple), x, step);
                });
            }
            springs[i + 1].end();
        }
        for block in &mut blocks {
            block.velocity.z -= GRAVITY * step;
            block.drift(step);
        }
        if i >= steps / 10 * 9 {
            energy = energy.max(blocks.iter().map(Rigid::kinetic_energy).sum());
        }
        if i % 100 == 99 {
            course.push(blocks.iter().map(|block| block.center).collect());
        }
    }
    (course, energy)
}

#[test]
fn stacks_stand_on_any_triangles() {
    let seconds = 0.01 * cases(4) as f64;
    // Of 2 and of 200 triangles.
    let floor = |cells| wall(&terrain(cells, 4.0, || 0.0));
    for stiffness in [1e5, 1e6] {
        for is_turned in [false, true] {
            let (expected, energy) = course(stiffness, is_turned, &floor(1), seconds);
            let (start, end) = (&expected[0], &expected[expected.len() - 1]);
            let aside = |x: &DVec3| x.truncate();
            let drift = start
                .iter()
                .zip(end)
                .map(|(a, b)| aside(a).distance(aside(b)));
            let drift = drift.fold(0.0, f64::max);
            let (other, _) = course(stiffness, is_turned, &floor(10), seconds);
            let both = expected.iter().flatten().zip(other.iter().flatten());
            let apart = both.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            println!(
                "stiffness {stiffness:.0e}, turned {is_turned}: {seconds} s, drift {drift:.1e}, kinetic energy {energy:.1e}, floors {apart:.1e} apart"
            );
            assert!(drift < 0.01 && end[9].z > 9.0 && apart < 1e-12);
        }
    }
}
