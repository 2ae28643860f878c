use std::sync::atomic::{AtomicU64, Ordering};

use super::touch::touch;
use super::{DoubleHierarchy, LastSide, Surface, WallContact, WallMemory};
use crate::error::Result;
use crate::math::{Pose, Vector};
use crate::narrow::NarrowPhase;
use crate::shape::{BoxTree, Sphere, SurfaceMesh};

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
    before: Before<S::Vector>,
}

/// A wall before its vertices were moved.
#[derive(Clone, Debug, Default)]
struct Before<V> {
    /// 0 if they never were.
    stamp: u64,
    vertices: Vec<V>,
    /// A buffer.
    next: Vec<V>,
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
            before: Before::default(),
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

    /// Moves the vertices, given in the mesh's own coordinates. The wall then equals a new one.
    ///
    /// A sphere's [`WallMemory`] follows one update: call [`contacts`](NarrowPhase::contacts) after
    /// each. After several at once it starts anew, without a side.
    ///
    /// Cost: O(n), and O(n log n) if the order of the vertices along the axes changes. Allocates the
    /// first time, and where vertices part or come together.
    ///
    /// If facets that were neighbors no longer are, queries of a new wall are faster.
    ///
    /// # Errors
    /// As for the mesh ([`SurfaceMesh::set_vertices`]); the wall is then as before.
    pub fn set_vertices(&mut self, vertices: &[S::Vector]) -> Result<()> {
        let Before { next, .. } = &mut self.before;
        next.clear();
        next.extend_from_slice(self.mesh.positions());
        self.mesh.set_vertices(vertices)?;
        std::mem::swap(&mut self.before.vertices, &mut self.before.next);
        self.before.next.clear();
        self.before.next.reserve(vertices.len());
        self.before.stamp = std::mem::replace(&mut self.stamp, stamp());
        let mesh = &self.mesh;
        self.tree.refit_with(|i| mesh.facet_box(i));
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

    /// Whether two facets are the same, have a vertex in common (one position counts as one), or
    /// a vertex of one hangs on the other, to 2^-24 of their size.
    pub fn are_neighbors(&self, a: u32, b: u32) -> bool {
        let count = self.mesh.facet_count() as u32;
        a == b || a < count && b < count && touch(&self.mesh, a, b, S::Vector::ZERO)
    }

    /// Brings a side up to date with the vertices; `stamp` is the state of the wall it is from, or
    /// 0. Of another wall, and of a state long past, nothing is known.
    fn recall(&self, side: &mut LastSide<S::Vector>, stamp: u64) {
        if stamp == self.before.stamp && stamp != 0 {
            side.carry(&self.mesh, &self.before.vertices);
        } else if stamp != self.stamp && stamp != 0 {
            *side = LastSide::default();
        }
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
            ..
        } = wall;
        wall.recall(&mut memory.side, memory.nearby.stamp());
        let local = Sphere::new(pose.inverse_point(sphere.center), sphere.radius);
        let ball = self.begin(&local);
        let mut search = |facet: u32| mesh.search(facet, ball, &mut self.found);
        match memory.nearby.facets(*stamp, tree, ball) {
            Some(facets) => facets.iter().for_each(|&facet| search(facet)),
            None => tree.for_each_within(ball.reach, local.center, search),
        }
        self.found.end_view(local.center);
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
