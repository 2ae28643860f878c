//! A sphere against the facets of a wall: the double hierarchy method (H2), made independent of
//! the mesh.
//!
//! M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method. A
//! parallel 3D contact method for the interaction of spherical particles with rigid FE boundaries
//! using the DEM", Computational Particle Mechanics 3 (2016) 407-428.
//!
//! A sphere near a wall comes close to many facets, edges and vertices, but has few contacts with
//! the surface they make up. The contacts are the local minima of the distance from the centre to
//! the surface, as far as they are inside the sphere: a property of the surface as a set of
//! points. The interior of a facet has one where the foot of the centre is inside it; an edge or a
//! vertex is one if the surface comes nowhere closer on the facets that meet there.
//!
//! Deviations:
//! - The paper compares contacts one by one as facets come and lets the later replace the earlier
//!   (Tables 3 and 4). That depends on the order of the facets: culling is not transitive, and a
//!   contact that is thrown away was still needed to cull others. Here each feature is judged by
//!   the facets that have it, which are known from the mesh: nothing is compared with everything.
//! - Distances decide nothing: they are equal to rounding long before points are. An edge is no
//!   minimum if the centre is inside of a facet there, a vertex if an edge there leads closer.
//!   What rounding cannot tell from being on an edge or vertex is on it, for all facets alike.
//! - Vertices at the same position are one, so a soup of triangles is as good as a mesh. Parts of
//!   the surface that touch otherwise (hanging vertices, plates on a floor) are recognised by
//!   position: an edge or vertex that lies on another facet is eliminated by it if that facet comes
//!   closer. Contact points closer to each other than 2^-24 of the reach are one.
//! - Coordinates are relative to the centre. Inside-outside tests (eqs 17-19) need no side flag,
//!   normals are Newell's (eq. 14 fails on collinear corners).

mod contact;
mod minima;
mod nearby;
mod path;
mod plane;
mod repeated;
mod selection;
mod side;
mod space;
mod surface;
#[cfg(test)]
mod tests;
mod touch;
mod wall;
#[cfg(test)]
mod wall_tests;

pub use self::contact::{WallContact, WallContactKey, keep_deepest, match_contacts};
use self::minima::{Vicinity, order};
pub use self::nearby::WallState;
use self::repeated::{Groups, Place, Repeated};
pub use self::selection::{ContactSelection, WallSides};
pub use self::side::LastSide;
use self::side::Way;
pub use self::surface::Surface;
use self::surface::{Ball, Found};
pub use self::wall::Wall;
use super::NarrowPhase;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{Vector, check_length};
use crate::shape::{BoxTree, Sphere, SurfaceMesh};

/// A wall and those of its facets that may touch a sphere, as a search of one's own has found them;
/// sphere and contacts are in the mesh's coordinates. A [`Wall`] does the search and the pose itself.
#[derive(Clone, Copy, Debug)]
pub struct FacetSubset<'a, S = SurfaceMesh> {
    mesh: &'a S,
    facets: &'a [u32],
}

impl<'a, S: Surface> FacetSubset<'a, S> {
    /// Facets in any order, once or more often. All facets that can touch the sphere must be
    /// among them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`], with the lowest bad entry, if a facet does not exist.
    pub fn new(mesh: &'a S, facets: &'a [u32]) -> Result<Self> {
        let facet_count = mesh.facet_count();
        match facets.iter().position(|&f| f as usize >= facet_count) {
            None => Ok(Self { mesh, facets }),
            Some(index) => Err(Error(Cause::FacetOutOfRange {
                index,
                facet: facets[index],
                facet_count,
            })),
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &'a S {
        self.mesh
    }

    /// The facets.
    pub fn facets(&self) -> &'a [u32] {
        self.facets
    }
}

/// Sphere against wall (in the plane, disc against segments): a contact at each local minimum of
/// the distance to the surface.
///
/// A floor gives one contact, however it is meshed; a convex edge or vertex one, a wedge two, a
/// corner of three planes three. The contacts come in ascending order of the distance, the
/// deepest first. They are the same, bit for bit, for any order of the facets and any way of
/// writing them down. A [`ContactSelection`] may leave some of them out.
///
/// If the centre is on the surface, the direction to it is undefined; the normal is then minus
/// that of one of the facets there (+x on a facet without area), and only then its direction
/// depends on which side is the front.
///
/// A [`Memory`](NarrowPhase::State) that is kept holds a thin wall against a sphere whose centre
/// is pushed through it: see [`LastSide`].
///
/// O(k + m log m) for k facets near the sphere and m minima; a [`ContactSelection`] compares each minimum
/// with the contacts. Without the tree of a [`Wall`], each minimum on an edge or a vertex takes
/// another O(k). Allocates only while its scratch grows.
///
/// ```
/// use osculate::{DoubleHierarchy, Feature, NarrowPhase, Sphere, SurfaceMesh, narrow::FacetSubset};
/// use osculate::glam::DVec3;
///
/// // A floor of two triangles. The sphere is above their common edge.
/// let wall = SurfaceMesh::new(
///     [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
///         .map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
///     [[0, 1, 2], [0, 2, 3]],
/// )?;
/// let sphere = Sphere::new(DVec3::new(0.5, 0.5, 0.25), 0.5);
/// let mut contacts = Vec::new();
/// let near = FacetSubset::new(&wall, &[0, 1])?;
/// let mut kernel = DoubleHierarchy::new();
/// kernel.for_each_contact(&sphere, &near, &mut Default::default(), |c| contacts.push(c));
/// assert_eq!(contacts.len(), 1);
/// assert_eq!(contacts[0].feature, Feature::Edge(0, 2));
/// assert_eq!(contacts[0].overlap, 0.25);
/// assert_eq!(contacts[0].normal, -DVec3::Z);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DoubleHierarchy<V = glam::DVec3> {
    margin: f64,
    selection: ContactSelection,
    sides: WallSides,
    found: Found<V>,
    places: Vec<Place<V>>,
    groups: Groups<V>,
    repeated: Repeated,
    way: Way<V>,
    contacts: Vec<Seen<V>>,
}

/// A contact, and which of [`Found::views`] its feature is in.
#[derive(Clone, Copy, Debug)]
struct Seen<V> {
    contact: WallContact<V>,
    view: u32,
}

impl<V: Vector> DoubleHierarchy<V> {
    /// Contacts with a positive overlap, at all local minima, on both sides of facets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also points of the wall whose gap to the sphere is smaller than `margin`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// Selects which of the local minima are contacts; all by default.
    #[must_use]
    pub fn with_selection(self, selection: ContactSelection) -> Self {
        Self { selection, ..self }
    }

    /// Sets which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Forgets the last question; facets are then to be searched, each at least once.
    fn begin(&mut self, sphere: &Sphere<V>) -> Ball<V> {
        self.found.clear();
        Ball {
            center: sphere.center,
            reach: sphere.radius + self.margin,
        }
    }

    /// Contacts in the coordinates of the mesh, from what was found; `tree` is that of all facets,
    /// if there is one.
    #[inline]
    fn finish<S: Surface<Vector = V>>(
        &mut self,
        mesh: &S,
        tree: Option<&BoxTree<V>>,
        sphere: &Sphere<V>,
        ball: Ball<V>,
        last: &mut LastSide<V>,
    ) {
        self.contacts.clear();
        self.cull(mesh, tree, ball);
        self.way.start(mesh, ball, &self.found, last);
        let to_home = self.way.to_home(ball.center);
        // A facet that the sphere is through, or in.
        let mut held = None;
        for (i, minimum) in self.found.minima.iter().enumerate() {
            let to_home = to_home.filter(|_| self.way.is_at(mesh, &self.found, minimum));
            let (contact, side) = contact::new(mesh, sphere, minimum, to_home);
            if side.is_held {
                held = held.or(Some(i));
            }
            // The square root can round up to the reach.
            let is_seen = self.sides == WallSides::Both || side.is_front;
            if is_seen && contact.overlap > -self.margin {
                let view = minimum.view;
                self.contacts.push(Seen { contact, view });
            }
        }
        self.way.end(last, ball.center, &self.found, held);
        if self.contacts.len() > 1 {
            self.drop_repeated(mesh, tree, ball.reach);
        }
    }

    /// Leaves the minima of the whole surface, in ascending order.
    #[inline]
    fn cull<S: Surface<Vector = V>>(&mut self, mesh: &S, tree: Option<&BoxTree<V>>, ball: Ball<V>) {
        let Found {
            minima,
            near,
            views,
            is_touched,
        } = &mut self.found;
        let vicinity = Vicinity {
            mesh,
            tree,
            reach: ball.reach,
            views,
            near,
        };
        let had_minima = !minima.is_empty();
        minima.retain(|minimum| !vicinity.passes(minimum));
        if minima.is_empty() && (had_minima || *is_touched) {
            // The surface does touch the sphere, whatever rounding has made of it.
            minima.extend(vicinity.nearest());
        }
        minima.sort_unstable_by(order);
    }

    /// Leaves one of the contacts that are the same to within the precision of the mesh, and those
    /// that the selection takes.
    fn drop_repeated<S: Surface<Vector = V>>(
        &mut self,
        mesh: &S,
        tree: Option<&BoxTree<V>>,
        reach: f64,
    ) {
        let vicinity = Vicinity {
            mesh,
            tree,
            reach,
            views: &self.found.views,
            near: &self.found.near,
        };
        if vicinity.is_coarse() {
            self.groups.leave_closest(&vicinity, &mut self.contacts);
        }
        let places = (self.contacts.iter()).map(|seen| vicinity.place(&seen.contact));
        self.places.clear();
        self.places.extend(places);
        let mut are_repeated = self.repeated.mark(&self.places, mesh.precision()).iter();
        self.contacts
            .retain(|_| !are_repeated.next().is_some_and(|&is| is));
        self.selection.leave(&vicinity, &mut self.contacts);
    }
}

impl<S: Surface> NarrowPhase<Sphere<S::Vector>, FacetSubset<'_, S>> for DoubleHierarchy<S::Vector> {
    type Contact = WallContact<S::Vector>;
    type State = LastSide<S::Vector>;

    /// A sphere out of the domain touches nothing. If the mesh deforms, the memory does not follow:
    /// that of a [`Wall`] does.
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<S::Vector>,
        near: &FacetSubset<'_, S>,
        last: &mut LastSide<S::Vector>,
        report: impl FnMut(WallContact<S::Vector>),
    ) {
        if sphere.validate(0).is_err() {
            return;
        }
        let ball = self.begin(sphere);
        for &facet in near.facets {
            near.mesh.search(facet, ball, &mut self.found);
        }
        self.found.end_view(ball.center);
        self.finish(near.mesh, None, sphere, ball, last);
        self.contacts
            .iter()
            .map(|seen| seen.contact)
            .for_each(report);
    }
}
