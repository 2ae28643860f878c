//! Searches for the facets of a wall near bodies.

use super::mesh::WallMesh;
use super::wall::Wall;
use crate::math::Vector;
use crate::math::tolerance::MOVED_FACET;
use crate::shape::{Aabb, Sphere};

impl<M: WallMesh> Wall<M> {
    /// Visits each facet near a sphere, in world coordinates.
    ///
    /// These are all facets whose distance from its center is at most its radius, and others whose
    /// bounding boxes are as close. The order depends on mesh and sphere only.
    ///
    /// For facets within a margin, add it to the radius. At a periodic wall a facet is visited once for
    /// each image within reach. A sphere out of the domain or larger than the reach of a periodic wall is near nothing.
    ///
    /// Cost: O(log n + k) for k facets of any size, without allocation.
    pub fn for_each_facet_near(&self, sphere: &Sphere<M::Vector>, mut visit: impl FnMut(u32)) {
        let Sphere { center, radius } = *sphere;
        if sphere.validate(0).is_err() || radius > self.reach() {
            return;
        }
        // The largest distances that the pose rounds.
        let [from, to] = [center, self.pose.translation()];
        let far = (0..M::Vector::DIM).fold(0.0, |far, k| far + from[k].abs() + to[k].abs());
        let reach = radius + MOVED_FACET * (radius + far);
        let near = |facet| visit(self.original(facet));
        (self.index.tree).for_each_within(reach, self.to_mesh(center), near);
    }

    /// Visits each sphere that is within `margin` of a facet, with the facets near it.
    ///
    /// Spheres come in ascending order. They may be those of a broad phase
    /// ([`BroadPhase::spheres`](crate::BroadPhase::spheres)). A sphere whose radius and margin do not add up
    /// to a length is near nothing.
    ///
    /// Cost: about 2 ns for a sphere away from the bounding box of the wall. `buffer` holds the facets;
    /// nothing is allocated once it has grown.
    ///
    /// ```
    /// use osculate::{Sphere, SurfaceMesh, Wall, glam::DVec3};
    ///
    /// let wall = Wall::new(SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?);
    /// let spheres = [0.25, 9.0, 0.75].map(|z| Sphere::new(DVec3::new(0.25, 0.25, z), 0.5));
    /// let mut found = Vec::new();
    /// wall.for_each_body_near(&spheres, 0.25, &mut Vec::new(), |i, facets| {
    ///     found.push((i, facets.to_vec()));
    /// });
    /// assert_eq!(found, [(0, vec![0]), (2, vec![0])]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn for_each_body_near(
        &self,
        spheres: &[Sphere<M::Vector>],
        margin: f64,
        buffer: &mut Vec<u32>,
        mut visit: impl FnMut(usize, &[u32]),
    ) {
        let Some(bounds) = self.bounds() else { return };
        for (i, sphere) in spheres.iter().enumerate() {
            let sphere = Sphere::new(sphere.center, sphere.radius + margin);
            // Rounding is monotone, so spheres that touch still do.
            let reach = M::Vector::splat(sphere.radius);
            let (min, max) = (sphere.center - reach, sphere.center + reach);
            if self.period().is_none() && !bounds.touches(&Aabb { min, max }) {
                continue;
            }
            buffer.clear();
            self.for_each_facet_near(&sphere, |facet| buffer.push(facet));
            if !buffer.is_empty() {
                visit(i, buffer);
            }
        }
    }

    /// Returns the bounding box of the facets in the world.
    fn bounds(&self) -> Option<Aabb<M::Vector>> {
        (self.index.tree.bounds()).map(|all| all.transformed(&self.pose))
    }

    /// Returns a bound of the coordinates of the facets in the world.
    pub(in crate::narrow) fn extent(&self) -> f64 {
        (self.bounds()).map_or(0.0, |all| all.size().length() + all.min.length())
    }

    /// Returns the facet of the mesh in a slot.
    #[inline]
    pub(in crate::narrow) fn facet_in(&self, slot: u32) -> u32 {
        self.original(self.index.id(slot))
    }
}
