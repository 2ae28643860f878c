//! Polyhedra that come to rest on a wall: elastic forces of the contacts, dashpots and friction at their shares.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::{
    ConvexPolyhedron, Error, HierarchicalGrid, NarrowPhase, PairList, Placed, Skin, Wall,
};

use reproduce::rigid;

pub(crate) type Shape = rigid::Shape<ConvexPolyhedron>;
pub(crate) type Body<'a> = rigid::Body<'a, ConvexPolyhedron>;

/// Stresses for each length and velocity.
#[derive(Clone, Copy)]
pub(crate) struct Law {
    /// Pressure per depth, Pa/m.
    pub stiffness: f64,
    /// Shear stress per slip, Pa/m.
    pub shear_stiffness: f64,
    /// Stress per velocity, Pa s/m.
    pub damping: f64,
    pub friction: f64,
}

/// What a pair keeps: the state of the kernel, and normal and slip of each share of the last step.
#[derive(Clone, Default)]
struct Memory {
    state: PressureState,
    springs: Vec<(DVec3, DVec3)>,
}

pub(crate) struct World<'a> {
    pub bodies: Vec<Body<'a>>,
    pub wall: &'a Wall,
    pub law: Law,
    kernel: PressureField,
    list: PairList<HierarchicalGrid, Memory>,
    at_wall: Vec<Memory>,
}

/// Force and torque about a point, on the second body.
struct Wrench {
    force: DVec3,
    torque: DVec3,
    point: DVec3,
}

impl<'a> World<'a> {
    pub(crate) fn new(bodies: Vec<Body<'a>>, wall: &'a Wall, law: Law) -> Result<Self, Error> {
        Ok(Self {
            at_wall: vec![Memory::default(); bodies.len()],
            bodies,
            wall,
            law,
            kernel: PressureField::new().with_points(),
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.05))?,
        })
    }

    pub(crate) fn placed(&self) -> Result<Vec<Placed<&'a ConvexPolyhedron>>, Error> {
        self.bodies.iter().map(Body::placed).collect()
    }

    /// Performs half a drift, a kick, half a drift.
    pub(crate) fn step(&mut self, time: f64) -> Result<(), Error> {
        self.bodies.iter_mut().for_each(|b| b.drift(0.5 * time));
        let placed = self.placed()?;
        let mut kicks = Vec::new();
        let (bodies, law, kernel) = (&self.bodies, self.law, &mut self.kernel);
        self.list.update(&placed)?;
        self.list.for_each_touching_pair(|i, j, memory| {
            let contact = kernel.contact_with(&placed[i], &placed[j], &mut memory.state);
            let velocity = |x| bodies[j].velocity_at(x) - bodies[i].velocity_at(x);
            law.push(
                contact.as_slice(),
                &mut memory.springs,
                velocity,
                time,
                |wrench| {
                    kicks.push((i, -1.0, Wrench { ..wrench }));
                    kicks.push((j, 1.0, wrench));
                },
            );
        });
        for (i, memory) in self.at_wall.iter_mut().enumerate() {
            let mut found = Vec::new();
            kernel.for_each_contact(&placed[i], self.wall, &mut memory.state, |c| found.push(c));
            let velocity = |x| -bodies[i].velocity_at(x);
            law.push(&found, &mut memory.springs, velocity, time, |wrench| {
                kicks.push((i, -1.0, wrench));
            });
        }
        for (i, sign, wrench) in kicks {
            let body = &mut self.bodies[i];
            body.push(wrench.force * (sign * time), wrench.point);
            body.kick(DVec3::ZERO, wrench.torque * (sign * time));
        }
        for body in &mut self.bodies {
            body.kick(DVec3::Z * (-10.0 * body.shape.mass * time), DVec3::ZERO);
            body.drift(0.5 * time);
        }
        Ok(())
    }

    /// Returns all contacts with their points.
    pub(crate) fn contacts(&mut self) -> Result<Vec<PressureContact>, Error> {
        let placed = self.placed()?;
        let mut found = Vec::new();
        for (i, body) in placed.iter().enumerate() {
            for other in &placed[..i] {
                found.extend(self.kernel.contact(other, body));
            }
            let state = &mut Default::default();
            self.kernel
                .for_each_contact(body, self.wall, state, |c| found.push(c));
        }
        Ok(found)
    }

    pub(crate) fn kinetic(&self) -> f64 {
        let kinetic = |body: &Body| body.kinetic().iter().sum::<f64>();
        self.bodies.iter().map(kinetic).sum()
    }
}

impl Law {
    /// Visits the forces on the second body: the elastic one, then those of dashpots and friction at each share.
    /// `velocity` is that of the second body relative to the first at a point.
    fn push(
        &self,
        contacts: &[PressureContact],
        springs: &mut Vec<(DVec3, DVec3)>,
        velocity: impl Fn(DVec3) -> DVec3,
        time: f64,
        mut visit: impl FnMut(Wrench),
    ) {
        let old = std::mem::take(springs);
        for contact in contacts {
            let normal = contact.normal;
            visit(Wrench {
                force: contact.force * self.stiffness,
                torque: contact.torque * self.stiffness,
                point: contact.point,
            });
            for share in contact.points.iter().flat_map(|points| points.shares) {
                let slip_rate = velocity(share.point);
                let load = self.stiffness * share.load;
                // Dashpots do not pull.
                let damping = self.damping * share.area;
                let damped = (-damping * slip_rate.dot(normal)).max(-load);
                let along = slip_rate.reject_from_normalized(normal);
                let before = share.previous.and_then(|k| old.get(k as usize));
                let kept = before.map_or(DVec3::ZERO, |&(from, slip)| {
                    DQuat::from_rotation_arc(from, normal) * slip
                });
                let mut slip = kept.reject_from_normalized(normal) + along * time;
                let most = self.friction * (load + damped);
                let spring = self.shear_stiffness * share.area;
                let hold = (slip * spring + along * damping).clamp_length_max(most);
                slip = slip.clamp_length_max(most / spring);
                springs.push((normal, slip));
                visit(Wrench {
                    force: normal * damped - hold,
                    torque: DVec3::ZERO,
                    point: share.point,
                });
            }
        }
    }
}
