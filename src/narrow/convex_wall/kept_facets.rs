//! What is kept from step to step of the search for facets.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::Scene;
use crate::shape::Stamp;

/// All faces of a body with up to this many are compared with facets.
const FEW_FACES: usize = 8;

/// The facets that a body can touch before one of its points has moved by a margin, and the faces that may be the
/// highest on one of them.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptFacets {
    /// Identifies the wall and the positions of its vertices.
    stamp: Stamp,
    /// The pose of the body at the last search, as in [`Scene`].
    center: DVec3,
    rotation: DMat3,
    /// 0 if only the pose is known.
    margin: f64,
    /// The number of calls since.
    steps: u32,
    slots: SmallVec<[u32; 8]>,
    /// Empty if all are needed.
    faces: SmallVec<[u32; 16]>,
}

impl KeptFacets {
    /// Begins a step, and returns whether the facets include all that the body can touch.
    pub(super) fn are_valid(&mut self, scene: &Scene) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.moved(scene) + 2.0 * scene.tolerance <= self.margin
    }

    /// Returns the slots of the facets.
    pub(super) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the faces by index, none if all are needed.
    pub(super) fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// Begins a search, and returns the margin for it: about eight steps. It is 0 if nothing need be kept since the
    /// body moves fast.
    pub(super) fn begin(&mut self, scene: &Scene) -> f64 {
        let step = self.moved(scene) / f64::from(self.steps);
        let [center] = scene.centers[..] else {
            *self = Self::default();
            return 0.0;
        };
        let radius = scene.body.circumscribed;
        let margin = (8.0 * step).max(radius / 256.0).max(4.0 * scene.tolerance);
        self.margin = if margin <= 0.5 * radius { margin } else { 0.0 };
        self.stamp = scene.wall.stamp();
        (self.center, self.rotation) = (center, scene.rotation);
        self.steps = 0;
        self.slots.clear();
        self.faces.clear();
        self.margin
    }

    /// Keeps a facet, given by its slot and its corners in the frame of the body, and marks the faces that may be the
    /// highest on it. `tops` is a buffer.
    pub(super) fn push(
        &mut self,
        slot: u32,
        corners: &[DVec3],
        (near, tops): (&mut [bool], &mut Vec<f64>),
        scene: &Scene,
    ) {
        self.slots.push(slot);
        let body = scene.body;
        if body.faces.len() <= FEW_FACES {
            return;
        }
        // A bound of how far the corners move, seen from the body.
        let squares = corners.iter().map(|x| x.length_squared());
        let far = squares.fold(0.0, f64::max).sqrt() / body.circumscribed;
        let slack = 2.0 * (self.margin * far.max(1.0) + 2.0 * scene.tolerance);
        if let Ok(bound) = body.planes.tops(corners, f64::INFINITY, tops) {
            for (is_near, top) in near.iter_mut().zip(tops) {
                *is_near |= *top >= bound - slack;
            }
        }
    }

    /// Ends a search: sorts the facets by id, as they are needed, and keeps the marked faces unless they are many.
    pub(super) fn end(&mut self, near: &[bool], scene: &Scene) {
        self.slots
            .sort_unstable_by_key(|&slot| scene.wall.facet_in(slot));
        let count = near.iter().filter(|is_near| **is_near).count();
        if 3 * count <= 2 * near.len() {
            let faces = (0..).zip(near);
            self.faces
                .extend(faces.filter_map(|(i, is_near)| is_near.then_some(i)));
        }
    }

    /// Returns how far a point of the body has moved since the last search at most, relative to the mesh; infinite if
    /// the wall is another one.
    fn moved(&self, scene: &Scene) -> f64 {
        match scene.centers[..] {
            [center] if self.stamp == scene.wall.stamp() => {
                let turn = scene.rotation - self.rotation;
                let squares = turn.x_axis.length_squared()
                    + turn.y_axis.length_squared()
                    + turn.z_axis.length_squared();
                // Two singular values of a difference of rotations are equal, and one is 0.
                let turn = squares.sqrt() * FRAC_1_SQRT_2;
                (center - self.center).length() + turn * scene.body.circumscribed
            }
            _ => f64::INFINITY,
        }
    }
}
