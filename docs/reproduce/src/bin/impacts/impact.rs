//! Two bodies collide and bounce back.

use std::f64::consts::FRAC_PI_6;
use std::ops::Range;

use osculate::glam::{DQuat, DVec3};
use osculate::{Bounded as _, ContactVolume, Error, MeshMesh, NarrowPhase as _};

use crate::energy::Energy;
use crate::shapes;
use reproduce::rigid::{Body, Shape};
use reproduce::solids;

/// How a contact gives forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrench {
    /// Force and moment, as the gradient of the energy.
    Full,
    /// The force at the contact point, without the couple `-w' pitch S`.
    ForceAtPoint,
    /// The same at the point of equation 6 as printed, with the wrong sign.
    AsPrinted,
}

/// Time integrators: symmetric second-order steps with one kick in the middle, so one contact per
/// step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integrator {
    /// As in the paper.
    Leapfrog,
    /// The contact energy is stored as psi^2 / 2 and changes by the work of the kicks: S. Bilbao,
    /// M. Ducceschi, F. Zama, "Explicit exactly energy-conserving methods for Hamiltonian systems",
    /// Journal of Computational Physics 472 (2023) 111697. A kick is along the gradient of sqrt(2
    /// w), times the mean of psi before and after. The remainder of psi at separation is lost.
    Stored,
}

/// An impact of the paper's section 5.1.
pub(crate) struct Case {
    pub name: &'static str,
    shapes: [Shape; 2],
    turns: [DQuat; 2],
    /// Position and motion of the second body relative to the first, at unit speed; the first moves
    /// the other way.
    offset: DVec3,
    direction: DVec3,
    /// By name; the first one is the paper's.
    pub energies: [(&'static str, Energy); 3],
}

pub(crate) fn cases() -> Result<Vec<Case>, Error> {
    let turn = |x, y, z, w| DQuat::from_xyzw(x, y, z, w).normalize();
    let case = |name, [a, b]: [Shape; 2], turns, offset, direction, stiffness| {
        // The kinetic energy of the relative motion at unit speed.
        let most = 0.5 * a.mass * b.mass / (a.mass + b.mass) * 4.0;
        Ok::<_, Error>(Case {
            name,
            shapes: [a, b],
            turns,
            offset,
            direction,
            energies: Energy::family(stiffness, most)?,
        })
    };
    let crisp = |size| Shape::new(&shapes::scaled(&shapes::crisp()?, size)?, 1.0);
    let rock = |size| Shape::new(&shapes::scaled(&solids::rock(625, 0.5, 1)?, size)?, 1.0);
    let bolt = || Shape::new(&solids::bolt(24, 43)?, 1.0);
    let nut = Shape::new(&solids::nut()?, 1.0)?;
    // A side of the nut touches three turns of the thread.
    let tilted = DQuat::from_rotation_y(-0.05) * DQuat::from_rotation_x(0.2);
    let tilted = tilted * DQuat::from_rotation_z(FRAC_PI_6);
    Ok(vec![
        case(
            "two crisps",
            [crisp(1.0)?, crisp(0.8)?],
            [DQuat::IDENTITY; 2],
            DVec3::Z * 0.4,
            -DVec3::Z,
            10.0,
        )?,
        case(
            "two rocks",
            [rock(1.0)?, rock(0.9)?],
            [turn(0.3, 0.2, -0.5, 0.7), turn(-0.4, 0.6, 0.1, 0.5)],
            DVec3::new(2.2, 0.3, -0.2),
            -DVec3::X,
            8.0,
        )?,
        case(
            "nut and bolt",
            [nut, bolt()?],
            [tilted, DQuat::IDENTITY],
            DVec3::new(2.2, 0.0, 0.9),
            -DVec3::X,
            20.0,
        )?,
        case(
            "two bolts",
            [bolt()?, bolt()?],
            [DQuat::IDENTITY, turn(1.0, 0.0, 0.0, 0.0)],
            DVec3::new(1.9, 0.25, 0.4),
            -DVec3::X,
            60.0,
        )?,
    ])
}

/// The energies at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub time: f64,
    pub translational: f64,
    pub rotational: f64,
    /// The energy stored in the contact.
    pub elastic: f64,
    touches: bool,
}

/// The result of an impact.
#[derive(Default)]
pub(crate) struct Run {
    /// At each step, during the contact and a little longer.
    pub samples: Vec<Sample>,
    /// The times of the first and the last contact.
    pub contact: Option<[f64; 2]>,
    /// Kinetic energy at the end relative to that at the start, minus 1.
    pub drift: f64,
    /// The change of linear and of angular momentum, relative to that of one body (times its size).
    pub momentum: f64,
    pub angular: f64,
    pub has_parted: bool,
}

impl Case {
    pub(crate) fn triangles(&self) -> [usize; 2] {
        let count = |shape: &Shape| shape.solid.surface().facets().len();
        [0, 1].map(|i| count(&self.shapes[i]))
    }

    /// The size of the larger body.
    fn size(&self) -> f64 {
        let radius = |i: usize| self.shapes[i].solid.bounding_sphere().radius;
        radius(0).max(radius(1))
    }

    fn start(&self) -> [Body<'_>; 2] {
        [0, 1].map(|i| {
            let side = [-0.5, 0.5][i];
            let mut body = Body::new(&self.shapes[i], self.turns[i], self.offset * side);
            body.kick(self.direction * (body.shape.mass * 2.0 * side), DVec3::ZERO);
            body
        })
    }

    /// Moves freely until `times.start`, then in steps until `times.end` and until the bodies are
    /// separated.
    pub(crate) fn run(
        &self,
        energy: &Energy,
        wrench: Wrench,
        integrator: Integrator,
        step: f64,
        times: Range<f64>,
    ) -> Result<Run, Error> {
        let mut bodies = self.start();
        let before = Totals::of(&bodies);
        bodies.iter_mut().for_each(|body| body.drift(times.start));
        let mut run = Run::default();
        let mut kernel = MeshMesh::new();
        let mut psi = (integrator == Integrator::Stored).then_some(0.0);
        let (mut time, mut touches) = (times.start, false);
        while time < times.end || (touches && time < 10.0 * times.end) {
            bodies.iter_mut().for_each(|body| body.drift(0.5 * step));
            let sample = self.kick(&mut bodies, &mut kernel, (energy, wrench), &mut psi, step)?;
            bodies.iter_mut().for_each(|body| body.drift(0.5 * step));
            touches = sample.touches;
            let middle = time + 0.5 * step;
            run.samples.push(Sample {
                time: middle,
                ..sample
            });
            if touches {
                run.contact = Some([run.contact.map_or(middle, |c| c[0]), middle]);
            }
            time += step;
        }
        run.has_parted = !touches && have_parted(&bodies)?;
        let after = Totals::of(&bodies);
        let scale = self.shapes[0].mass.max(self.shapes[1].mass);
        run.drift = after.energy / before.energy - 1.0;
        run.momentum = (after.momentum - before.momentum).length() / scale;
        run.angular = (after.angular - before.angular).length() / (scale * self.size());
        Ok(run)
    }

    /// The numbers of regions of the contact, one after another, and the number at the largest volume. Regions of less
    /// than 2 % of the volume do not count.
    pub(crate) fn regions(
        &self,
        step: f64,
        times: Range<f64>,
    ) -> Result<(Vec<usize>, usize), Error> {
        let (mut bodies, mut counts) = (self.start(), Vec::new());
        let (mut most, mut deepest) = (0.0, 0);
        let mut kernel = MeshMesh::new();
        let mut separate = MeshMesh::new().with_separate_regions(true);
        let form = (&self.energies[0].1, Wrench::Full);
        bodies.iter_mut().for_each(|body| body.drift(times.start));
        let steps = ((times.end - times.start) / step) as usize;
        for _ in 0..steps {
            bodies.iter_mut().for_each(|body| body.drift(0.5 * step));
            let [a, b] = [bodies[0].placed()?, bodies[1].placed()?];
            let mut volumes = Vec::new();
            separate.for_each_contact(&a, &b, &mut Default::default(), |region| {
                volumes.push(region.volume)
            });
            let sum = volumes.iter().sum::<f64>();
            let count = volumes
                .iter()
                .filter(|&&volume| volume > 0.02 * sum)
                .count();
            if sum > most {
                (most, deepest) = (sum, count);
            }
            counts.push(count);
            self.kick(&mut bodies, &mut kernel, form, &mut None, step)?;
            bodies.iter_mut().for_each(|body| body.drift(0.5 * step));
        }
        counts.dedup();
        counts.retain(|&count| count > 0);
        Ok((counts, deepest))
    }

    /// A kick by the present contact, and the energies in its middle.
    fn kick(
        &self,
        bodies: &mut [Body; 2],
        kernel: &mut MeshMesh,
        (energy, wrench): (&Energy, Wrench),
        psi: &mut Option<f64>,
        time: f64,
    ) -> Result<Sample, Error> {
        let [a, b] = [bodies[0].placed()?, bodies[1].placed()?];
        let contact = kernel.contact(&a, &b);
        let before = kinetic(bodies);
        let elastic = contact.map_or(0.0, |contact| energy.energy(&contact));
        if let Some(contact) = contact {
            let pressure = energy.pressure(&contact);
            let force = contact.area_vector * -pressure;
            let push = |bodies: &mut [Body; 2], time: f64| {
                for (body, time) in bodies.iter_mut().zip([time, -time]) {
                    let center = body.position;
                    let moment = match wrench {
                        Wrench::Full => contact.moment_vector_about(center) * -pressure,
                        Wrench::ForceAtPoint => (contact.point - center).cross(force),
                        Wrench::AsPrinted => (axis_as_printed(&contact) - center).cross(force),
                    };
                    body.kick(force * time, moment * time);
                }
            };
            match psi {
                None => push(bodies, time),
                Some(psi) if elastic > 0.0 => {
                    let time = time / (2.0 * elastic).sqrt();
                    let [less, now, more] = [-time, 0.0, time].map(|time| {
                        let mut trial = bodies.clone();
                        push(&mut trial, time);
                        kinetic(&trial).iter().sum::<f64>()
                    });
                    // A kick by x adds linear x + square x^2 to the kinetic energy.
                    let (linear, square) = (0.5 * (more - less), 0.5 * (more + less) - now);
                    let mean = (2.0 * *psi - linear) / (2.0 + square);
                    *psi = 2.0 * mean - *psi;
                    push(bodies, mean * time);
                }
                Some(_) => {}
            }
        }
        let after = kinetic(bodies);
        Ok(Sample {
            time: 0.0,
            touches: contact.is_some(),
            translational: 0.5 * (before[0] + after[0]),
            rotational: 0.5 * (before[1] + after[1]),
            elastic,
        })
    }
}

/// Equation 6 as printed, `n x G / |S|` with `n = -S / |S|`: the central axis reflected in the
/// origin.
pub(crate) fn axis_as_printed(contact: &ContactVolume<DVec3>) -> DVec3 {
    let n = -contact.area_vector / contact.area();
    n.cross(contact.moment_vector_about(DVec3::ZERO)) / contact.area()
}

/// Whether the bounding spheres are separated and the bodies move apart.
fn have_parted(bodies: &[Body; 2]) -> Result<bool, Error> {
    let [a, b] = [bodies[0].placed()?, bodies[1].placed()?].map(|body| body.bounding_sphere());
    let rate =
        bodies[1].momentum / bodies[1].shape.mass - bodies[0].momentum / bodies[0].shape.mass;
    Ok(!a.touches(&b) && rate.dot(b.center - a.center) > 0.0)
}

fn kinetic(bodies: &[Body; 2]) -> [f64; 2] {
    let [a, b] = [0, 1].map(|i| bodies[i].kinetic());
    [a[0] + b[0], a[1] + b[1]]
}

struct Totals {
    energy: f64,
    momentum: DVec3,
    angular: DVec3,
}

impl Totals {
    fn of(bodies: &[Body; 2]) -> Self {
        let angular = |body: &Body| body.position.cross(body.momentum) + body.spin;
        Self {
            energy: kinetic(bodies).iter().sum(),
            momentum: bodies[0].momentum + bodies[1].momentum,
            angular: angular(&bodies[0]) + angular(&bodies[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(case: usize, wrench: Wrench, steps: f64) -> Run {
        drift_of(case, wrench, Integrator::Leapfrog, steps)
    }

    fn drift_of(case: usize, wrench: Wrench, integrator: Integrator, steps: f64) -> Run {
        drift_with(case, 0, wrench, integrator, steps)
    }

    fn drift_with(
        case: usize,
        energy: usize,
        wrench: Wrench,
        integrator: Integrator,
        steps: f64,
    ) -> Run {
        // From just before the contact to just after it.
        let times = [0.14..0.23, 0.24..1.12, 0.39..0.82, 0.26..0.56];
        let (case, times) = (&cases().unwrap()[case], times[case].clone());
        let step = (times.end - times.start) / steps;
        let energy = &case.energies[energy].1;
        case.run(energy, wrench, integrator, step, times).unwrap()
    }

    #[test]
    fn the_full_wrench_conserves() {
        for case in 0..4 {
            let run = drift(case, Wrench::Full, 60.0);
            assert!(run.contact.is_some());
            assert!(run.drift.abs() < 1.7e-3, "{case}: {}", run.drift);
            assert!(run.momentum < 1e-14 && run.angular < 1e-13);
        }
    }

    /// With the energy stored the drift is much smaller, and energy is only lost, never gained.
    #[test]
    fn stored_energy_comes_back() {
        for case in 0..4 {
            let run = drift_of(case, Wrench::Full, Integrator::Stored, 200.0);
            assert!((-4e-5..1e-12).contains(&run.drift), "{case}: {}", run.drift);
            assert!(run.momentum < 1e-14 && run.angular < 1e-13);
        }
    }

    /// Section 5.1: two regions of the crisps, three of nut and bolt that merge, several of the bolts.
    #[test]
    fn regions_are_those_of_the_paper() {
        let cases = cases().unwrap();
        let [crisps, nut, bolts] = [(0, 0.14..0.23), (2, 0.39..0.82), (3, 0.26..0.56)]
            .map(|(case, times)| cases[case].regions(1e-3, times).unwrap());
        assert_eq!(crisps.1, 2);
        assert!(nut.0.starts_with(&[1, 2, 3, 2, 1]) && nut.0.ends_with(&[3, 2, 1]));
        assert_eq!((nut.1, bolts.1), (1, 2));
    }

    /// Any energy that grows with the volume is conserved.
    #[test]
    fn energies_of_the_caller_conserve() {
        for case in 0..4 {
            for energy in 0..3 {
                let run = drift_with(case, energy, Wrench::Full, Integrator::Leapfrog, 100.0);
                assert!(run.contact.is_some());
                assert!(run.drift.abs() < 2e-3, "{case} {energy}: {}", run.drift);
                assert!(run.momentum < 1e-14 && run.angular < 1e-13);
            }
        }
    }

    /// Without the couple along the force, energy is lost for any step length.
    #[test]
    fn a_force_at_the_contact_point_drifts() {
        for steps in [100.0, 200.0] {
            let run = drift(1, Wrench::ForceAtPoint, steps);
            assert!(run.drift.abs() > 1e-3, "{}", run.drift);
            assert!(run.momentum < 1e-14 && run.angular < 1e-13);
        }
    }

    /// Equations 6, 12 and 71 have the point on the wrong side of the origin.
    #[test]
    fn equation_6_as_printed_makes_energy() {
        let run = drift(2, Wrench::AsPrinted, 100.0);
        assert!(run.drift > 1.0, "{}", run.drift);
    }
}
