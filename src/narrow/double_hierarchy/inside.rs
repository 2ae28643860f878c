//! Spheres whose center is inside a closed mesh.

use super::contact::Seen;
use super::facing::contact_at;
use super::found::Ball;
use super::kernel::DoubleHierarchy;
use super::mesh::{WallIndex, WallMesh};
use super::wall::{Shared, Wall};
use crate::math::tolerance::CLEAR_SQUARED;
use crate::math::{Pose, Vector};
use crate::narrow::contact_volume::winding_around;
use crate::shape::{Feature, Sphere};

/// The first radius of a search around a center deep inside, relative to its distance from a vertex.
const FIRST_REACH: f64 = 1.0 / 64.0;

impl<M: WallMesh> Shared<M> {
    /// Returns whether a point is inside the closed mesh. Exact.
    fn encloses(&self, point: M::Vector) -> bool {
        let leaves = |facet: u32, segment: [M::Vector; 2]| self.index.leaves(facet, segment);
        winding_around(&self.tree, &Pose::IDENTITY, point, leaves) > 0
    }
}

impl<M: WallMesh> Wall<M> {
    /// Returns whether a point of the world or one of its images is inside the closed mesh, except for rounding.
    pub(in crate::narrow) fn encloses(&self, point: M::Vector) -> bool {
        let images = self.centers_near(point, 0.0);
        images.iter().any(|&image| self.shared.encloses(image))
    }
}

impl<V: Vector> DoubleHierarchy<V> {
    /// Returns whether a center or one of its images is inside the closed mesh of a wall. The minima are
    /// those within reach, in ascending order.
    #[inline]
    pub(super) fn is_inside<M: WallMesh<Vector = V>>(
        &self,
        shared: &Shared<M>,
        images: &[V],
        reach: f64,
    ) -> bool {
        // Nothing lies between the center and the nearest facet, so that facet decides.
        if let Some(nearest) = self.found.minima.first()
            && let Feature::Facet(_) = nearest.part.feature
            && nearest.distance_squared > CLEAR_SQUARED * (reach * reach)
        {
            return shared.index.normal(nearest.part.at.0).dot(nearest.offset) > 0.0;
        }
        images.iter().any(|&center| shared.encloses(center))
    }

    /// Makes the contact of a sphere whose center is inside, at the nearest point of the surface.
    #[cold]
    pub(super) fn push_out<M: WallMesh<Vector = V>>(
        &mut self,
        shared: &Shared<M>,
        images: &[V],
        sphere: &Sphere<V>,
        mut reach: f64,
    ) {
        let index = &shared.index;
        let Some(&vertex) = index.mesh().vertices().first() else {
            return;
        };
        let center = sphere.center;
        // The surface is at most this far away.
        let farthest = 2.0 * (vertex - images[0]).length();
        while self.found.is_empty() && reach < farthest {
            reach = (2.0 * reach).max(FIRST_REACH * farthest).min(farthest);
            self.found.clear();
            for &center in images {
                self.look(shared, Ball { center, reach }, None);
            }
            if !self.found.is_empty() {
                self.cull(shared, Ball { center, reach });
            }
        }
        let Some(nearest) = self.found.minima.first() else {
            return;
        };
        let (mut contact, _) = contact_at(index, sphere, nearest, None);
        let distance = nearest.distance_squared.sqrt();
        if distance > 0.0 {
            contact.normal = -contact.normal;
            contact.overlap = sphere.radius + distance;
        }
        let (at, view) = (nearest.part.at, nearest.view);
        self.contacts.push(Seen { contact, at, view });
    }
}
