use std::sync::atomic::{AtomicU64, Ordering};

use super::{DoubleHierarchy, Surface, WallContact, WallMemory};
use crate::error::Result;
use crate::math::{Pose, Vector};
use crate::narrow::NarrowPhase;
use crate::shape::{BoxTree, Feature, Sphere, SurfaceMesh};

/// A wall that spheres can touch: a mesh, the tree of its facets, and where it is.
///
/// Built once in O(n log n). It may then move as a rigid body ([`set_pose`](Wall::set_pose)) or
/// deform ([`set_vertices`](Wall::set_vertices)). A [`DoubleHierarchy`] finds the contacts with a
/// sphere of the world: the sphere is taken into the coordinates of the mesh, which stays as it
/// is, and contacts come back in the world's. No allocation once the kernel's scratch has grown.
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
/// let mut contacts = Vec::new();
/// DoubleHierarchy::new().contacts(&sphere, &wall, &mut Default::default(), |c| contacts.push(c));
/// assert_eq!(contacts.len(), 1);
/// assert_eq!(contacts[0].overlap, 0.25);
/// assert_eq!(contacts[0].point, DVec3::new(2.0, 2.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wall<S: Surface = SurfaceMesh> {
    mesh: S,
    tree: BoxTree<S::Vector>,
    pose: Pose<S::Vector>,
    /// Tells the states of all walls apart.
    stamp: u64,
}

/// A number that no other state of a wall has.
fn stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<S: Surface> Wall<S> {
    /// A wall whose coordinates are the world's, until it gets a pose. O(n log n).
    pub fn new(mesh: S) -> Self {
        let boxes = (0..mesh.facet_count()).map(|i| mesh.facet_box(i)).collect();
        Self {
            tree: BoxTree::from_good(boxes),
            mesh,
            pose: Pose::IDENTITY,
            stamp: stamp(),
        }
    }

    /// Where it is from now on. O(1).
    pub fn set_pose(&mut self, pose: Pose<S::Vector>) {
        self.pose = pose;
    }

    /// Where it is.
    pub fn pose(&self) -> &Pose<S::Vector> {
        &self.pose
    }

    /// What it is made of, in its own coordinates.
    pub fn mesh(&self) -> &S {
        &self.mesh
    }

    /// Moves the vertices, given in the mesh's own coordinates. O(n); allocates only where vertices
    /// part that were at the same position.
    ///
    /// If facets that were neighbours no longer are, a new wall is faster to ask.
    ///
    /// # Errors
    /// As for the mesh ([`SurfaceMesh::set_vertices`]); the wall is then as before.
    pub fn set_vertices(&mut self, vertices: &[S::Vector]) -> Result<()> {
        self.mesh.set_vertices(vertices)?;
        let mesh = &self.mesh;
        self.tree.refit_with(|i| mesh.facet_box(i));
        self.stamp = stamp();
        Ok(())
    }

    /// The velocity of a deforming wall at a contact, from those of the vertices, in the world: the
    /// mean with the contact's nodal weights. A vertex without a velocity counts as 0.
    pub fn velocity_at(
        &self,
        contact: &WallContact<S::Vector>,
        velocities: &[S::Vector],
    ) -> S::Vector {
        let mut sum = S::Vector::ZERO;
        self.for_each_weight(contact, |vertex, weight| {
            let velocity = velocities.get(vertex as usize).copied();
            sum = sum + velocity.unwrap_or_default() * weight;
        });
        sum
    }

    /// Visits the vertices that carry a contact, with their weights, which add up to 1: the force
    /// on the wall is shared among them so that force and moment stay.
    pub fn for_each_weight(&self, contact: &WallContact<S::Vector>, visit: impl FnMut(u32, f64)) {
        let point = self.pose.inverse_point(contact.point);
        self.mesh.for_each_weight(contact.facet, point, visit);
    }

    /// Whether two facets have a vertex in common (one position counts as one), or are the same.
    pub fn are_neighbors(&self, a: u32, b: u32) -> bool {
        let mut are = a == b;
        let count = self.mesh.facet_count() as u32;
        if a < count && b < count {
            self.mesh.for_each_corner(a, |vertex| {
                are |= self.mesh.has(b, Feature::Vertex(vertex));
            });
        }
        are
    }
}

impl<S: Surface> NarrowPhase<Sphere<S::Vector>, Wall<S>> for DoubleHierarchy<S::Vector> {
    type Contact = WallContact<S::Vector>;
    type Memory = WallMemory<S::Vector>;

    /// A sphere out of the domain touches nothing.
    fn contacts(
        &mut self,
        sphere: &Sphere<S::Vector>,
        wall: &Wall<S>,
        memory: &mut WallMemory<S::Vector>,
        mut report: impl FnMut(WallContact<S::Vector>),
    ) {
        if sphere.check(0).is_err() {
            return;
        }
        let Wall {
            mesh,
            tree,
            pose,
            stamp,
        } = wall;
        let local = Sphere::new(pose.inverse_point(sphere.center), sphere.radius);
        let ball = self.begin(&local);
        let mut search = |facet: u32| mesh.search(facet, ball, &mut self.found);
        match memory.nearby.facets(*stamp, tree, ball) {
            Some(facets) => facets.iter().for_each(|&facet| search(facet)),
            None => tree.for_each_within(ball.reach, local.center, search),
        }
        self.finish(mesh, Some(tree), &local, ball, &mut memory.side);
        for &contact in &self.contacts {
            let offset = pose.vector(contact.offset);
            report(WallContact {
                offset,
                point: sphere.center + offset,
                normal: pose.vector(contact.normal),
                ..contact
            });
        }
    }
}
