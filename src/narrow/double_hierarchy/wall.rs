use smallvec::SmallVec;

use std::fmt::{self, Debug};

use super::surface::{Ball, Search};
use super::touch::touch;
use super::{DoubleHierarchy, LastSide, Seen, Surface, WallContact, WallState};
use crate::error::Result;
use crate::math::{Pose, Vector};
use crate::narrow::NarrowPhase;
use crate::shape::{BoxTree, PeriodicBox, Sphere, Stamp, SurfaceMesh};

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
/// DoubleHierarchy::new().for_each_contact(&sphere, &wall, &mut Default::default(), |c| contacts.push(c));
/// assert_eq!(contacts.len(), 1);
/// assert_eq!(contacts[0].overlap, 0.25);
/// assert_eq!(contacts[0].point, DVec3::new(2.0, 2.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone)]
pub struct Wall<S: Surface = SurfaceMesh> {
    mesh: S,
    tree: BoxTree<S::Vector>,
    pose: Pose<S::Vector>,
    period: Option<PeriodicBox<S::Vector>>,
    /// Of the mesh as it is now.
    stamp: Stamp,
    before: Before<S::Vector>,
}

impl<S: Surface + Debug> Debug for Wall<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("Wall");
        output.field("mesh", &self.mesh).field("pose", &self.pose);
        output.finish_non_exhaustive()
    }
}

/// A wall before its vertices were moved.
#[derive(Clone, Debug, Default)]
struct Before<V> {
    /// [`Stamp::NONE`] if they never were.
    stamp: Stamp,
    vertices: Vec<V>,
    /// A buffer.
    next: Vec<V>,
}

impl<S: Surface> Wall<S> {
    /// A wall whose coordinates are the world's, until it gets a pose. O(n log n).
    pub fn new(mesh: S) -> Self {
        let boxes = (0..mesh.facet_count()).map(|i| mesh.facet_box(i)).collect();
        Self {
            tree: BoxTree::from_good(boxes),
            mesh,
            pose: Pose::IDENTITY,
            period: None,
            stamp: Stamp::new(),
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

    /// Repeats the wall with a periodic box of the world, or no longer (`None`). O(1).
    ///
    /// The mesh is one period of the surface, anywhere. A sphere touches it and all its images as one
    /// surface: a floor whose ends meet at the faces of the box has no seam, wherever the sphere is and
    /// however it is wrapped. Contacts name the facets and vertices of the mesh, so keys go over the
    /// faces. A [`WallState`] goes along if the sphere moves by less than half a side in a step:
    /// the path is that to the nearest image.
    ///
    /// The ends must meet to 2^-24 of a sphere's reach. Cost: about 40 ns a query, and a search for
    /// each image of the box of the wall within reach.
    ///
    /// ```
    /// use osculate::{DoubleHierarchy, NarrowPhase, PeriodicBox, SegmentMesh, Sphere, Wall};
    /// use osculate::glam::DVec2;
    ///
    /// let ends = [DVec2::ZERO, DVec2::new(10.0, 0.0)];
    /// let mut floor = Wall::new(SegmentMesh::new(ends.to_vec(), vec![[0, 1]])?);
    /// let is_periodic = [true, false, false];
    /// floor.set_period(Some(PeriodicBox::orthogonal(DVec2::ZERO, ends[1], is_periodic)?));
    ///
    /// // At the face, and far out: one contact, with no edge of the floor.
    /// let mut kernel = DoubleHierarchy::new();
    /// for x in [9.75, 0.0, 1234.5] {
    ///     let mut overlaps = Vec::new();
    ///     let disc = Sphere::new(DVec2::new(x, 0.25), 0.5);
    ///     kernel.for_each_contact(&disc, &floor, &mut Default::default(), |c| overlaps.push(c.overlap));
    ///     assert_eq!(overlaps, [0.25]);
    /// }
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn set_period(&mut self, period: Option<PeriodicBox<S::Vector>>) {
        self.period = period;
    }

    /// The box that it is repeated with.
    pub fn period(&self) -> Option<&PeriodicBox<S::Vector>> {
        self.period.as_ref()
    }

    /// What it is made of, in its own coordinates.
    pub fn mesh(&self) -> &S {
        &self.mesh
    }

    /// Moves the vertices, given in the mesh's own coordinates. The wall then equals a new one.
    ///
    /// A sphere's [`WallState`] follows one update: call [`for_each_contact`](NarrowPhase::for_each_contact) after
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
        self.before.stamp = std::mem::replace(&mut self.stamp, Stamp::new());
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
        self.for_each_nodal_weight(contact, |vertex, weight| {
            let velocity = velocities.get(vertex as usize).copied();
            sum = sum + velocity.unwrap_or_default() * weight;
        });
        sum
    }

    /// Visits the vertices that carry a contact, with their weights, which add up to 1: the force
    /// on the wall is shared among them so that force and moment stay.
    pub fn for_each_nodal_weight(
        &self,
        contact: &WallContact<S::Vector>,
        visit: impl FnMut(u32, f64),
    ) {
        let point = self.beside(contact.facet, contact.point);
        self.mesh.for_each_nodal_weight(contact.facet, point, visit);
    }

    /// Whether two facets are the same, have a vertex in common (one position counts as one), or
    /// a vertex of one hangs on the other, to 2^-24 of their size.
    pub fn are_adjacent(&self, a: u32, b: u32) -> bool {
        let count = self.mesh.facet_count() as u32;
        if a == b || a >= count || b >= count {
            return a == b;
        }
        let zero = S::Vector::ZERO;
        let mut touches = touch(&self.mesh, a, b, zero);
        let Some(period) = self.period.as_ref().filter(|_| !touches) else {
            return touches;
        };
        let [from, to] = [a, b].map(|facet| self.mesh.facet_box(facet as usize).turned(&self.pose));
        let reach = (from.size() + to.size()) * 0.5;
        let bounds = [to.center() - reach, to.center() + reach];
        touches = period.any_image(from.center(), bounds, |_, image| {
            let shift = self.pose.inverse_transform_vector(image - from.center());
            shift != zero && touch(&self.mesh, a, b, shift)
        });
        touches
    }

    /// A point of the world in the mesh's coordinates; the image that is nearest to a facet.
    fn beside(&self, facet: u32, point: S::Vector) -> S::Vector {
        let local = self.pose.inverse_transform_point(point);
        let Some(period) = &self.period else {
            return local;
        };
        if facet as usize >= self.mesh.facet_count() {
            return local;
        }
        let bounds = self.mesh.facet_box(facet as usize).turned(&self.pose);
        let slack = bounds.size() * 0.5;
        let mut nearest = (f64::INFINITY, local);
        period.any_image(
            point,
            [bounds.min - slack, bounds.max + slack],
            |_, image| {
                let image = self.pose.inverse_transform_point(image);
                let distance = self.mesh.closest(facet, image).0.distance_squared;
                if distance < nearest.0 {
                    nearest = (distance, image);
                }
                false
            },
        );
        nearest.1
    }

    /// The images of a point of the world from which the wall may be within reach.
    fn images(&self, period: &PeriodicBox<S::Vector>, center: S::Vector, reach: f64) -> Images<S> {
        let mut images = SmallVec::new();
        if let Some(bounds) = self.tree.bounds() {
            let bounds = bounds.turned(&self.pose);
            let reach = S::Vector::splat(reach * (1.0 + f64::EPSILON));
            let bounds = [bounds.min - reach, bounds.max + reach];
            period.any_image(center, bounds, |_, image| {
                images.push(self.pose.inverse_transform_point(image));
                false
            });
        }
        images
    }

    /// Brings a side up to date with the vertices, and takes it to the image that is nearest to a
    /// center. Of another wall, and of a state long past, nothing is known.
    fn recall(&self, memory: &mut WallState<S::Vector>, center: S::Vector) {
        let (side, stamp) = (&mut memory.side, memory.nearby.stamp());
        if stamp == self.before.stamp && stamp != Stamp::NONE {
            side.carry(&self.mesh, &self.before.vertices);
        } else if stamp != self.stamp && stamp != Stamp::NONE {
            *side = LastSide::default();
        }
        if let Some(period) = &self.period {
            side.wrap(center, period, &self.pose);
        }
    }
}

impl<V: Vector> DoubleHierarchy<V> {
    /// Searches the facets around a center in the coordinates of the mesh.
    #[inline]
    fn look<S: Surface<Vector = V>>(
        &mut self,
        wall: &Wall<S>,
        ball: Ball<V>,
        memory: Option<&mut WallState<V>>,
    ) {
        let mut search = |facet: u32| wall.mesh.search(facet, ball, &mut self.found);
        let kept = memory.and_then(|memory| memory.nearby.facets(wall.stamp, &wall.tree, ball));
        match kept {
            Some(facets) => facets.iter().for_each(|&facet| search(facet)),
            None => (wall.tree).for_each_within(ball.reach, ball.center, search),
        }
        self.found.end_view(ball.center);
    }
}

type Images<S> = SmallVec<[<S as Search>::Vector; 4]>;

impl<S: Surface> NarrowPhase<Sphere<S::Vector>, Wall<S>> for DoubleHierarchy<S::Vector> {
    type Contact = WallContact<S::Vector>;
    type State = WallState<S::Vector>;

    /// A sphere out of the domain touches nothing.
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<S::Vector>,
        wall: &Wall<S>,
        memory: &mut WallState<S::Vector>,
        mut report: impl FnMut(WallContact<S::Vector>),
    ) {
        if sphere.validate(0).is_err() {
            return;
        }
        let Wall {
            mesh, tree, pose, ..
        } = wall;
        let local = Sphere::new(pose.inverse_transform_point(sphere.center), sphere.radius);
        wall.recall(memory, local.center);
        let ball = self.begin(&local);
        match &wall.period {
            None => self.look(wall, ball, Some(memory)),
            Some(period) => {
                let images = wall.images(period, sphere.center, ball.reach);
                // What is kept is around one image.
                let mut kept = Some(&mut *memory).filter(|_| images.len() == 1);
                for &center in &images {
                    self.look(wall, Ball { center, ..ball }, kept.take());
                }
                if images.len() != 1 {
                    memory.nearby.forget(wall.stamp, local.center);
                }
            }
        }
        self.finish(mesh, Some(tree), &local, ball, &mut memory.side);
        for &Seen { contact, .. } in &self.contacts {
            let offset = pose.transform_vector(contact.offset);
            report(WallContact {
                offset,
                point: sphere.center + offset,
                normal: pose.transform_vector(contact.normal),
                ..contact
            });
        }
    }
}
