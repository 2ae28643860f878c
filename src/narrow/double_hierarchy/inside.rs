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

/// The first radius of a search around a center deep inside, relative to the largest distance from the surface.
const FIRST_REACH: f64 = 1.0 / 64.0;

/// How the facets of a closed mesh enclose a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosure {
    /// Whether the facets are counter-clockwise seen from inside, so that the solid is outside.
    is_container: bool,
    /// Whether each facet shares each side with one other facet, and all are connected.
    is_one_shell: bool,
}

impl<M: WallMesh> Shared<M> {
    fn enclosure(&self) -> Enclosure {
        *self.enclosure.get_or_init(|| Enclosure {
            is_container: self.index.volume() < 0.0,
            is_one_shell: self.index.is_one_shell(),
        })
    }

    /// Returns whether a point is in the solid, by its images that may be inside the mesh. Exact.
    fn encloses(&self, images: &[M::Vector]) -> bool {
        let leaves = |facet: u32, segment: [M::Vector; 2]| self.index.leaves(facet, segment);
        let winding = |&x: &M::Vector| winding_around(&self.tree, &Pose::IDENTITY, x, leaves);
        if self.enclosure().is_container {
            images.iter().all(|x| winding(x) >= 0)
        } else {
            images.iter().any(|x| winding(x) > 0)
        }
    }
}

impl<M: WallMesh> Wall<M> {
    /// Returns whether a point of the world is in the solid, except for rounding.
    pub(in crate::narrow) fn encloses(&self, point: M::Vector) -> bool {
        self.shared.encloses(&self.centers_near(point, 0.0))
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
        // Nothing lies between the center and the nearest facet, so that facet decides, if there is one shell.
        if let Some(nearest) = self.found.minima.first()
            && shared.enclosure().is_one_shell
            && let Feature::Facet(_) = nearest.part.feature
            && nearest.distance_squared > CLEAR_SQUARED * (reach * reach)
        {
            return shared.index.normal(nearest.part.at.0).dot(nearest.offset) > 0.0;
        }
        shared.encloses(images)
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
        let (Some(bounds), Some(&image)) = (shared.tree.bounds(), images.first()) else {
            return;
        };
        let center = sphere.center;
        // The surface is at most this far away.
        let farthest = 2.0 * ((bounds.center() - image).length() + bounds.size().length());
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
