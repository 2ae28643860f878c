//! Contacts of osculate as manifolds of parry, with the impulses of the last step.

use std::mem;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState, match_contacts};
use osculate::{
    ConvexPolyhedron, DoubleHierarchy, NarrowPhase, Placed, Pose3, Sphere, Wall, WallContact,
};
use rapier3d_f64::math::Pose;
use rapier3d_f64::parry;

use parry::query::details::{TypedWorkspaceData, WorkspaceData};
use parry::query::{ContactManifold, ContactManifoldsWorkspace, TrackedContact, Unsupported};
use parry::shape::PackedFeatureId;

use crate::twin::vector;

/// Manifold and point of a contact.
type Place = [usize; 2];

/// A manifold. The frame is that of the wall, or of the first solid.
pub(crate) struct Patch {
    /// From the body to the wall, or from the first solid to the second.
    normal: DVec3,
    points: Vec<Point>,
}

struct Point {
    on_body: DVec3,
    on_other: DVec3,
    overlap: f64,
    /// Where it was in the last step.
    before: Option<Place>,
}

/// What is kept of a pair from step to step.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    pressure: PressureState,
    /// The places of the shares of the last step; repeated corners have none.
    shares: Vec<Option<Place>>,
    /// The contacts of a ball in the last step.
    contacts: Vec<WallContact>,
}

#[derive(Clone, Copy)]
pub(crate) enum Sides {
    /// The wall is the first shape of parry.
    WallFirst,
    WallSecond,
    Solids,
}

pub(crate) struct Kernels {
    balls: DoubleHierarchy,
    solids: PressureField,
}

impl Default for Kernels {
    fn default() -> Self {
        Self {
            balls: DoubleHierarchy::new(),
            solids: PressureField::new().with_points(),
        }
    }
}

impl Kernels {
    pub(crate) fn set_margin(&mut self, margin: f64) -> Result<(), Unsupported> {
        let Self { balls, solids } = mem::take(self);
        self.balls = balls.with_margin(margin).map_err(|_| Unsupported)?;
        self.solids = solids.with_margin(margin).map_err(|_| Unsupported)?;
        Ok(())
    }

    /// Finds a manifold for each contact: a ball may touch several facets that are not in one plane.
    pub(crate) fn ball(
        &mut self,
        radius: f64,
        wall: &Wall,
        pose: &Pose,
        memory: &mut Memory,
    ) -> Result<Vec<Patch>, Unsupported> {
        let ball = Sphere::new(pose3(pose)?.translation(), radius);
        let old = mem::take(&mut memory.contacts);
        self.balls
            .for_each_contact(&ball, wall, &mut (), |c| memory.contacts.push(c));
        let point = |c: &WallContact| Patch {
            normal: c.normal,
            points: vec![Point {
                on_body: ball.center + c.normal * radius,
                on_other: c.point,
                overlap: c.overlap,
                before: None,
            }],
        };
        let mut patches: Vec<_> = memory.contacts.iter().map(point).collect();
        let are_adjacent = |_, facet, other| wall.are_adjacent(facet, other);
        match_contacts(
            &memory.contacts,
            &old,
            |c| (0, *c),
            are_adjacent,
            |i, k| {
                patches[i].points[0].before = Some([k, 0]);
            },
        );
        Ok(patches)
    }

    pub(crate) fn solid(
        &mut self,
        shape: &ConvexPolyhedron,
        wall: &Wall,
        pose: &Pose,
        memory: &mut Memory,
    ) -> Result<Vec<Patch>, Unsupported> {
        let body = Placed::new(shape, pose3(pose)?);
        let mut patches = Patches::new(&mut memory.shares);
        self.solids
            .for_each_contact(&body, wall, &mut memory.pressure, |c| patches.push(&c));
        Ok(patches.found)
    }

    pub(crate) fn solids(
        &mut self,
        first: &ConvexPolyhedron,
        second: &ConvexPolyhedron,
        pose: &Pose,
        memory: &mut Memory,
    ) -> Result<Vec<Patch>, Unsupported> {
        let first = Placed::new(first, Pose3::default());
        let second = Placed::new(second, pose3(pose)?);
        let mut patches = Patches::new(&mut memory.shares);
        self.solids
            .for_each_contact(&first, &second, &mut memory.pressure, |c| patches.push(&c));
        Ok(patches.found)
    }
}

/// Collects the corners of pressure contacts.
struct Patches<'a> {
    found: Vec<Patch>,
    old: Vec<Option<Place>>,
    shares: &'a mut Vec<Option<Place>>,
}

impl<'a> Patches<'a> {
    fn new(shares: &'a mut Vec<Option<Place>>) -> Self {
        Self {
            found: Vec::new(),
            old: mem::take(shares),
            shares,
        }
    }

    fn push(&mut self, contact: &PressureContact) {
        let Some(at) = &contact.points else { return };
        let mut points = Vec::with_capacity(4);
        for (i, corner) in at.corners.iter().enumerate() {
            if at.corners[..i].iter().any(|c| c.point == corner.point) {
                self.shares.push(None);
                continue;
            }
            // The corner lies on one of the surfaces, within its small overlap of the other one.
            let half = contact.normal * (0.5 * corner.overlap);
            let before = at.shares[i].previous.and_then(|k| self.old[k as usize]);
            self.shares.push(Some([self.found.len(), points.len()]));
            points.push(Point {
                on_body: corner.point + half,
                on_other: corner.point - half,
                overlap: corner.overlap,
                before,
            });
        }
        let normal = contact.normal;
        self.found.push(Patch { normal, points });
    }
}

impl Memory {
    /// Returns the memory of a pair. Pairs with a workspace are those of which rapier expects several manifolds.
    pub(crate) fn of(workspace: &mut Option<ContactManifoldsWorkspace>) -> &mut Self {
        let is_own = workspace.as_ref().is_some_and(|w| w.0.is::<Self>());
        if !is_own {
            *workspace = Some(Self::default().into());
        }
        let workspace = workspace.as_mut().expect("set above");
        workspace.0.downcast_mut().expect("set above")
    }

    /// Writes the manifolds. A point has the impulses of the point that it continues.
    pub(crate) fn store<M, C>(
        &self,
        patches: &[Patch],
        pose: &Pose,
        sides: Sides,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) -> Result<(), Unsupported>
    where
        M: Default,
        C: Copy + Default,
    {
        let pose = pose3(pose)?;
        let (body, other) = match sides {
            Sides::WallFirst | Sides::WallSecond => (pose, Pose3::default()),
            Sides::Solids => (Pose3::default(), pose),
        };
        let old: Vec<Vec<C>> = manifolds
            .iter()
            .map(|m| m.points.iter().map(|p| p.data).collect())
            .collect();
        manifolds.resize_with(patches.len(), || {
            ContactManifold::with_data(0, 0, M::default())
        });
        for (k, (patch, manifold)) in patches.iter().zip(manifolds).enumerate() {
            let mut normals = [
                vector(body.inverse_transform_vector(patch.normal)),
                vector(other.inverse_transform_vector(-patch.normal)),
            ];
            let is_flipped = matches!(sides, Sides::WallFirst);
            if is_flipped {
                normals.reverse();
            }
            [manifold.local_n1, manifold.local_n2] = normals;
            manifold.points.clear();
            for (i, point) in patch.points.iter().enumerate() {
                let on_body = vector(body.inverse_transform_point(point.on_body));
                let on_other = vector(other.inverse_transform_point(point.on_other));
                let id = PackedFeatureId::face((4 * k + i) as u32);
                let mut contact =
                    TrackedContact::flipped(on_body, on_other, id, id, -point.overlap, is_flipped);
                let before = point.before.and_then(|[m, p]| old.get(m)?.get(p));
                contact.data = before.copied().unwrap_or_default();
                manifold.points.push(contact);
            }
        }
        Ok(())
    }
}

impl WorkspaceData for Memory {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

/// Through arrays: parry may have another version of glam.
fn pose3(pose: &Pose) -> Result<Pose3, Unsupported> {
    let rotation = DQuat::from_array(pose.rotation.to_array());
    let translation = DVec3::from(pose.translation.to_array());
    Pose3::new_normalize(rotation, translation).map_err(|_| Unsupported)
}
