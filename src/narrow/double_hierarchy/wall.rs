use std::fmt::{self, Debug};
use std::sync::Arc;

use super::contact::WallContact;
use super::index::WallIndex;
use super::mesh::WallMesh;
use super::minima::Part;
use crate::error::Result;
use crate::math::{Pose, Vector};
use crate::shape::{Feature, Stamp, SurfaceMesh};

/// A wall that spheres, capsules and polyhedra can touch: a mesh with a tree of its facets, and a pose.
///
/// The wall may move as a rigid body ([`set_pose`](Wall::set_pose)) or deform
/// ([`set_vertices`](Wall::set_vertices)). Queries take and return world coordinates. A
/// [`DoubleHierarchy`](crate::DoubleHierarchy) finds the contacts with a sphere. For your own kernel,
/// [`for_each_facet_near`](Wall::for_each_facet_near) finds the facets near it.
///
/// Clones share the mesh and the tree: a clone costs O(1) and has its own pose. [`Wall::from`] takes an
/// `Arc` of a mesh that you use elsewhere.
///
/// Cost: O(n log n) to build, about 1 to 1.5 µs and 330 bytes per triangle besides the mesh.
///
/// ```
/// use osculate::{DoubleHierarchy, NarrowPhase, Pose3, Sphere, SurfaceMesh, Wall};
/// use osculate::glam::DVec3;
///
/// let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
/// let square = square.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let mut wall = Wall::new(SurfaceMesh::new(square, [[0, 1, 2, 3]])?);
/// wall.set_pose(Pose3::from_translation(DVec3::Z)?);
///
/// let sphere = Sphere::new(DVec3::new(2.0, 2.0, 1.25), 0.5);
/// let contact = DoubleHierarchy::new().contact(&sphere, &wall).unwrap();
/// assert_eq!(contact.overlap, 0.25);
/// assert_eq!(contact.point, DVec3::new(2.0, 2.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone)]
pub struct Wall<M: WallMesh = SurfaceMesh> {
    /// Shared with the clones of the wall.
    pub(in crate::narrow) index: Arc<WallIndex<M>>,
    pub(super) pose: Pose<M::Vector>,
    /// Whether the pose is not the identity.
    pub(super) is_placed: bool,
}

/// The mesh may be shared with other users. Only [`set_vertices`](Wall::set_vertices) copies it.
impl<M: WallMesh> From<Arc<M>> for Wall<M> {
    fn from(mesh: Arc<M>) -> Self {
        Self::of(WallIndex::new(mesh, None))
    }
}

impl<M: WallMesh> Debug for Wall<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("Wall");
        output.field("mesh", self.mesh()).field("pose", &self.pose);
        output.finish_non_exhaustive()
    }
}

/// Walls are equal if their meshes, poses and periods are.
impl<M: WallMesh> PartialEq for Wall<M> {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (self.mesh(), other.mesh());
        own == others && self.pose == other.pose && self.index.period == other.index.period
    }
}

impl<M: WallMesh> Wall<M> {
    /// Builds a wall, at first in the world coordinates of its mesh. O(n log n).
    pub fn new(mesh: M) -> Self {
        Self::from(Arc::new(mesh))
    }

    pub(super) fn of(index: WallIndex<M>) -> Self {
        Self {
            index: Arc::new(index),
            pose: Pose::IDENTITY,
            is_placed: false,
        }
    }

    /// Moves the wall to a pose. O(1).
    pub fn set_pose(&mut self, pose: Pose<M::Vector>) {
        self.pose = pose;
        self.is_placed = pose != Pose::IDENTITY;
    }

    /// Returns the pose.
    pub fn pose(&self) -> &Pose<M::Vector> {
        &self.pose
    }

    /// Returns the mesh, in its own coordinates.
    pub fn mesh(&self) -> &M {
        match &self.index.period {
            None => &self.index.mesh,
            Some(period) => &period.mesh,
        }
    }

    /// Returns the stamp, which identifies the wall and the positions of its vertices.
    pub(in crate::narrow) fn stamp(&self) -> Stamp {
        self.index.stamp
    }

    /// Moves the vertices, in the coordinates of the mesh. The wall then equals a new one.
    ///
    /// The edges and vertices that lie on facets without sharing them, such as hanging vertices, stay those at which the
    /// wall was built, until vertices meet or separate. Then they are found again, as for a new wall.
    ///
    /// If many facets have changed places, the tree of a new wall is faster.
    ///
    /// Cost: O(n), or O(n log n) if the order of the vertices along the axes changes. It allocates in updates in which
    /// vertices separate or meet, or for which shared data is copied.
    ///
    /// # Errors
    /// As for the mesh ([`SurfaceMesh::set_vertices`]). The wall keeps its previous vertices.
    pub fn set_vertices(&mut self, vertices: &[M::Vector]) -> Result<()> {
        let Some(period) = &self.index.period else {
            return Arc::make_mut(&mut self.index).set_vertices(vertices);
        };
        let mut mesh = Arc::clone(&period.mesh);
        Arc::make_mut(&mut mesh).move_vertices(vertices)?;
        self.index = Arc::new(WallIndex::periodic(mesh, period.lattice, period.reach)?);
        Ok(())
    }

    /// Returns the velocity of a deforming wall at a contact, from the velocities of its vertices.
    ///
    /// It is their mean with the weights of [`for_each_nodal_weight`](Self::for_each_nodal_weight). All
    /// velocities are in the world frame. A vertex beyond the end of `velocities` counts as 0.
    pub fn velocity_at(
        &self,
        contact: &WallContact<M::Vector>,
        velocities: &[M::Vector],
    ) -> M::Vector {
        let mut sum = M::Vector::ZERO;
        self.for_each_nodal_weight(contact, |vertex, weight| {
            let velocity = velocities.get(vertex as usize).copied();
            sum = sum + velocity.unwrap_or_default() * weight;
        });
        sum
    }

    /// Visits the vertices that carry a contact, with their weights.
    ///
    /// The weights add up to 1. A force distributed by them keeps its sum and its moment.
    pub fn for_each_nodal_weight(
        &self,
        contact: &WallContact<M::Vector>,
        visit: impl FnMut(u32, f64),
    ) {
        let point = self.beside(contact.facet, contact.point);
        (self.index.mesh).for_each_nodal_weight(contact.facet, point, visit);
    }

    /// Returns whether two facets are the same, or touch at a vertex of one of them.
    ///
    /// The vertex must be on the other facet to twelve times the precision of the mesh.
    #[must_use]
    pub fn are_adjacent(&self, a: u32, b: u32) -> bool {
        let index = &*self.index;
        if a == b || a.max(b) >= self.mesh().facet_count() {
            return a == b;
        }
        let is_on = |a: u32, b: u32| {
            let mut is_on = false;
            M::for_each_corner(index, index.slot(a), |at| {
                let part = Part::new(Feature::Vertex(at), at);
                let mut see = |slot| is_on |= self.facet_in(slot) == b;
                M::for_each_facet_at(index, part, &mut see);
                M::for_each_host(index, part, M::Vector::ZERO, &mut see);
            });
            is_on
        };
        is_on(a, b) || is_on(b, a)
    }

    /// Returns a point of the world in the coordinates of the mesh: the image nearest to a facet.
    fn beside(&self, facet: u32, point: M::Vector) -> M::Vector {
        let local = self.pose.inverse_transform_point(point);
        let Some(lattice) = (self.period()).filter(|_| facet < self.mesh().facet_count()) else {
            return local;
        };
        let index = &*self.index;
        let bounds = index.mesh.box_of(facet);
        let slack = bounds.size() * 0.5;
        let room = [bounds.min - slack, bounds.max + slack];
        let mut nearest = (f64::INFINITY, local);
        lattice.any_image(local, room, &mut |_, image| {
            let closest = M::closest(index, index.slot(facet), image).0;
            if closest.distance_squared < nearest.0 {
                nearest = (closest.distance_squared, image);
            }
            false
        });
        nearest.1
    }

    /// Takes a contact to world coordinates, where the center of its body is `center`. A caller that uses a part of the
    /// contact then pays for this part.
    #[inline(always)]
    pub(super) fn place(&self, contact: &mut WallContact<M::Vector>, center: M::Vector) {
        contact.offset = self.to_world(contact.offset);
        contact.normal = self.to_world(contact.normal);
        contact.point = center + contact.offset;
        contact.feature = self.original_feature(contact.feature);
        contact.facet = self.original(contact.facet);
    }

    /// Returns a vector of the mesh in world coordinates, without negative zeros.
    #[inline]
    fn to_world(&self, vector: M::Vector) -> M::Vector {
        if self.is_placed {
            self.pose.transform_vector(vector)
        } else {
            vector + M::Vector::ZERO
        }
    }
}
