use std::slice;

use super::contact::{Seen, WallContact};
use super::contact_normal::{contact_at, is_in_front};
use super::mesh::{WallIndex, WallMesh};
use super::minima::{Place, Vicinity, order};
use super::repeated::{Groups, Repeated};
use super::search_result::{Ball, Found};
use super::selection::{ContactSelection, WallSides};
use super::state::WallState;
use super::subset::FacetSubset;
use super::wall::{Shared, Wall};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_length};
use crate::narrow::NarrowPhase;
use crate::shape::Sphere;

/// Contacts between a sphere and a meshed wall, by the double hierarchy method (H2, Santasusana et al.
/// 2016).
///
/// One contact is reported at each local minimum of the distance from the sphere's center to the
/// surface. So there is one on a plane or a convex edge, two in a wedge, and three in a corner.
/// Neither the triangulation nor the facet order matters: contacts are the same, bit for bit. They
/// come in ascending order of distance, the deepest first. A [`ContactSelection`] drops some of them.
/// In 2D, discs touch a wall of segments.
///
/// Normals point into the wall. If the center is on the surface, the direction is undefined. The
/// normal is then minus that of one of the facets there, or +x on a facet without area.
///
/// A sphere whose center has passed a plate without thickness is pushed on to the other side. For overlaps beyond the
/// radius use smaller steps, or a closed wall ([`SurfaceMesh::thickened`](crate::SurfaceMesh::thickened)).
///
/// Cost: 0.1 to 0.9 µs per sphere on 2,048 triangles; O(log n + k + m log m) for k facets near the
/// sphere and m minima. A [`ContactSelection`] compares each minimum with the contacts. Allocates only
/// while the scratch memory grows.
///
/// ```
/// use osculate::{DoubleHierarchy, Feature, NarrowPhase, Sphere, SurfaceMesh, Wall};
/// use osculate::glam::DVec3;
///
/// // A floor of two triangles. The sphere is above their common edge.
/// let floor = SurfaceMesh::new(
///     [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
///         .map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
///     [[0, 1, 2], [0, 2, 3]],
/// )?;
/// let wall = Wall::new(floor);
/// let sphere = Sphere::new(DVec3::new(0.5, 0.5, 0.25), 0.5);
/// let mut contacts = Vec::new();
/// let mut kernel = DoubleHierarchy::new();
/// kernel.for_each_contact(&sphere, &wall, &mut Default::default(), |c| contacts.push(c));
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
    /// The slots in the leaves of the tree that are near.
    leaves: Vec<u32>,
    found: Found<V>,
    places: Vec<Place<V>>,
    groups: Groups<V>,
    repeated: Repeated,
    contacts: Vec<Seen<V>>,
}

impl<V: Vector> DoubleHierarchy<V> {
    /// Creates a kernel that reports all local minima with a positive overlap, on both sides of facets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports points of the wall whose gap to the sphere is smaller than `margin`.
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

    /// Selects which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Searches the facets around a center, in mesh coordinates. These are the facets kept from the last
    /// step, otherwise those in the tree.
    #[inline(never)]
    fn look<M: WallMesh<Vector = V>>(
        &mut self,
        shared: &Shared<M>,
        ball: Ball<V>,
        state: Option<&mut WallState<V>>,
    ) {
        let Shared {
            index, tree, stamp, ..
        } = shared;
        let kept = state.and_then(|state| state.nearby.slots(*stamp, tree, ball));
        let slots = kept.unwrap_or_else(|| {
            self.leaves.clear();
            let add = |leaf| self.leaves.extend(leaf);
            tree.for_each_leaf_within(ball.reach, ball.center, add);
            &self.leaves
        });
        index.search(slots.iter().copied(), ball, &mut self.found);
        self.found.end_view(ball.center);
    }

    /// Visits the contacts with a wall, in world coordinates; `facets` lists all facets that can touch
    /// the sphere, if they are known.
    #[inline]
    fn visit_contacts<M: WallMesh<Vector = V>>(
        &mut self,
        sphere: &Sphere<V>,
        wall: &Wall<M>,
        facets: Option<&[u32]>,
        state: &mut WallState<V>,
        mut visit: impl FnMut(WallContact<V>),
    ) {
        if sphere.validate(0).is_err() {
            return;
        }
        let shared = wall.shared();
        let center = wall.to_local(sphere.center);
        let local = Sphere::new(center, sphere.radius);
        let reach = local.radius + self.margin;
        let images = wall.images(sphere.center, reach);
        let images = images.as_deref().unwrap_or(slice::from_ref(&center));
        // Facets are kept around one image.
        let keeps_facets = facets.is_none() && images.len() == 1;
        self.found.clear();
        for &center in images {
            let ball = Ball { center, reach };
            let Some(facets) = facets else {
                let state = keeps_facets.then_some(&mut *state);
                self.look(shared, ball, state);
                continue;
            };
            let slots = facets.iter().map(|&facet| shared.index.slot(facet));
            shared.index.search(slots, ball, &mut self.found);
            self.found.end_view(center);
        }
        self.contacts.clear();
        if !self.found.is_empty() {
            self.cull(shared, reach);
            self.make_contacts(&shared.index, &local);
        }
        if self.contacts.len() > 1 {
            self.drop_repeated(shared, reach);
        }
        for &Seen { mut contact, .. } in &self.contacts {
            contact.offset = wall.to_world(contact.offset);
            contact.normal = wall.to_world(contact.normal);
            contact.point = sphere.center + contact.offset;
            visit(contact);
        }
    }

    /// Keeps the minima of the whole surface, in ascending order. The search must have found something.
    #[inline]
    fn cull<M: WallMesh<Vector = V>>(&mut self, shared: &Shared<M>, reach: f64) {
        let Found {
            minima,
            near,
            views,
            ..
        } = &mut self.found;
        let vicinity = Vicinity {
            index: &shared.index,
            tree: &shared.tree,
            reach,
            views,
            near,
        };
        minima.retain(|minimum| !vicinity.passes(minimum));
        if minima.is_empty() {
            // Rounding has removed all minima of a surface that does touch the sphere.
            minima.extend(vicinity.nearest());
        }
        minima.sort_unstable_by(order);
    }

    /// Turns the minima into contacts, in mesh coordinates.
    #[inline]
    fn make_contacts<I: WallIndex<Vector = V>>(&mut self, index: &I, sphere: &Sphere<V>) {
        for minimum in &self.found.minima {
            let contact = contact_at(index, sphere, minimum);
            let is_seen = self.sides == WallSides::Both || is_in_front(index, minimum);
            // The square root can round up to the reach.
            if is_seen && contact.overlap > -self.margin {
                let (at, view) = (minimum.part.at, minimum.view);
                self.contacts.push(Seen { contact, at, view });
            }
        }
    }

    /// Drops contacts that repeat another one to within the precision of the mesh, and those that the
    /// selection rejects.
    fn drop_repeated<M: WallMesh<Vector = V>>(&mut self, shared: &Shared<M>, reach: f64) {
        let vicinity = Vicinity {
            index: &shared.index,
            tree: &shared.tree,
            reach,
            views: &self.found.views,
            near: &self.found.near,
        };
        if vicinity.is_coarse() {
            self.groups.leave_closest(&vicinity, &mut self.contacts);
        }
        let places = (self.contacts.iter()).map(|seen| vicinity.place(seen));
        self.places.clear();
        self.places.extend(places);
        let precision = shared.index.precision();
        let mut are_repeated = self.repeated.mark(&self.places, precision).iter();
        self.contacts
            .retain(|_| !are_repeated.next().is_some_and(|&is| is));
        self.selection.leave(&vicinity, &mut self.contacts);
    }
}

impl<M: WallMesh> NarrowPhase<Sphere<M::Vector>, Wall<M>> for DoubleHierarchy<M::Vector> {
    type Contact = WallContact<M::Vector>;
    type State = WallState<M::Vector>;

    /// Visits the contacts in ascending order of distance. A sphere out of the domain has none.
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<M::Vector>,
        wall: &Wall<M>,
        state: &mut WallState<M::Vector>,
        visit: impl FnMut(WallContact<M::Vector>),
    ) {
        self.visit_contacts(sphere, wall, None, state, visit);
    }
}

impl<M: WallMesh> NarrowPhase<Sphere<M::Vector>, FacetSubset<'_, M>>
    for DoubleHierarchy<M::Vector>
{
    type Contact = WallContact<M::Vector>;
    type State = WallState<M::Vector>;

    /// Visits the contacts in ascending order of distance. A sphere out of the domain has none.
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<M::Vector>,
        near: &FacetSubset<'_, M>,
        state: &mut WallState<M::Vector>,
        visit: impl FnMut(WallContact<M::Vector>),
    ) {
        self.visit_contacts(sphere, near.wall(), Some(near.facets()), state, visit);
    }
}
