//! What a pair carries from step to step.

use glam::DVec3;
use smallvec::SmallVec;

use super::field::Field;
use super::sums::Sums;
use super::{PressureContact, PressureCorner, Settings};
use crate::math::Pose3;
use crate::narrow::scene;

pub(super) type Scene = scene::Scene<Settings, DVec3>;

/// Contacts whose normals differ by more than 60 degrees are not the same.
const SAME_CONTACT: f64 = 0.5;

/// The state of a pair or of a body at a wall, kept from step to step. It changes no force and no torque.
///
/// - The axis across each contact that places the shares. It follows the first body and the normal, and so do the shares.
/// - The contacts of the last call. If nothing has moved since, they are returned again.
///
/// A state that was stored and read again continues the axes. If the bodies of a pair come in the other order from now
/// on, call [`reverse`](Self::reverse).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PressureState {
    last: SmallVec<[Old; 1]>,
    #[cfg_attr(feature = "serde", serde(skip))]
    next: SmallVec<[Old; 1]>,
    /// Whether the bodies have been exchanged since the last call, and whether the axes follow the second body.
    is_reversed: bool,
    follows_second: bool,
    #[cfg_attr(feature = "serde", serde(skip))]
    scene: Option<Scene>,
    #[cfg_attr(feature = "serde", serde(skip))]
    contacts: SmallVec<[PressureContact; 1]>,
}

/// A contact of the last call, in the axes of the body that the axes follow: the first one, until it is exchanged.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Old {
    normal: DVec3,
    /// The unit vector across the normal between the shares 0 and 1.
    axis: DVec3,
    /// From the origin of the body.
    point: DVec3,
}

impl PressureState {
    /// Exchanges the bodies: the second body of the last call comes first from now on.
    pub fn reverse(&mut self) {
        self.is_reversed = !self.is_reversed;
        self.follows_second = !self.follows_second;
    }

    /// Begins a call, and returns whether the last one had the same scene. Then its contacts are visited again.
    pub(super) fn is_at_rest(&mut self, scene: &Scene, visit: impl FnMut(PressureContact)) -> bool {
        if self.scene.as_ref() == Some(scene) && !self.is_reversed {
            self.contacts.iter().copied().for_each(visit);
            return true;
        }
        let is_other = |old: Scene| old.stamps.iter().all(|stamp| !scene.stamps.contains(stamp));
        if self.scene.is_some_and(is_other) {
            self.last.clear();
        }
        self.scene = Some(*scene);
        self.contacts.clear();
        self.next.clear();
        false
    }

    /// Visits a contact, with its points if they are wanted, and keeps it. `sums` are its integrals in the world.
    pub(super) fn report<'a>(
        &mut self,
        scene: &Scene,
        mut contact: PressureContact,
        sums: &Sums,
        corners: impl Iterator<Item = (&'a Field, &'a [DVec3])>,
        deepest: PressureCorner,
        mut visit: impl FnMut(PressureContact),
    ) {
        contact.overlap = deepest.overlap;
        if scene.settings.has_points {
            let (axes, previous) = self.follow(&contact, &scene.poses);
            contact.set_points(
                sums,
                axes,
                corners,
                deepest,
                previous,
                scene.settings.margin,
            );
        }
        visit(contact);
        // At rest shares continue themselves.
        if let Some(points) = &mut contact.points {
            for (k, share) in (4 * self.contacts.len() as u32..).zip(&mut points.shares) {
                share.previous = Some(k);
            }
        }
        self.contacts.push(contact);
    }

    /// Returns two unit vectors across the normal of a contact, and the shares of the last call that its shares continue.
    fn follow(
        &mut self,
        contact: &PressureContact,
        poses: &[Pose3; 2],
    ) -> ([DVec3; 2], [Option<u32>; 4]) {
        let leader = &poses[usize::from(self.follows_second)];
        let normal = leader.inverse_transform_vector(contact.normal);
        let point = leader.inverse_transform_point(contact.point);
        // The normal and the second axis of a reversed pair are the opposite ones.
        let (sign, change) = if self.is_reversed {
            (-1.0, 2)
        } else {
            (1.0, 0)
        };
        let alike = (0..)
            .zip(&self.last)
            .filter(|(_, old)| sign * old.normal.dot(normal) > SAME_CONTACT);
        let distances = alike.map(|(i, old)| (i, old.axis, old.point.distance_squared(point)));
        let nearest = distances.reduce(|best, next| if next.2 < best.2 { next } else { best });
        let axis = nearest.map(|(_, axis, _)| axis.reject_from_normalized(normal));
        // Not along the normal, unless that has rotated by 60 degrees.
        let axis = axis.filter(|axis| axis.length_squared() > 0.01);
        let new = || {
            // The first axis that is not near the normal. No normal of usual bodies is near the limit, so rounding does
            // not choose.
            let axis = (0..3).find(|&i| normal[i].abs() < 0.6).unwrap_or(0);
            DVec3::AXES[axis].reject_from_normalized(normal)
        };
        let axis = axis.unwrap_or_else(new).normalize();
        self.next.push(Old {
            normal,
            axis,
            point,
        });
        let axis = leader.transform_vector(axis).normalize();
        let previous = [0, 1, 2, 3].map(|k| nearest.map(|(i, ..)| 4 * i + (k ^ change)));
        ([axis, contact.normal.cross(axis)], previous)
    }

    /// Ends a call.
    pub(super) fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
        self.is_reversed = false;
    }
}
