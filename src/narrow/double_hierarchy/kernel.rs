use super::contact::{WallContact, contact_at, is_in_front};
use super::index::WallIndex;
use super::mesh::WallMesh;
use super::minima::{Ball, Found, is_passed, nearest, order, same_point};
use super::selection::{ContactSelection, WallSides};
use super::subset::FacetSubset;
use super::wall::Wall;
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
/// surface. So there is one on a plane or a convex edge, two in a wedge, and three in a corner. Of contacts whose normals
/// differ by less than 1.8 degrees the nearest one counts.
/// The order of facets and vertices changes no bit of a contact, except for their ids. Another triangulation of the same
/// surface changes rounding only. Contacts come in ascending order of distance, the deepest first. A [`ContactSelection`] drops some of them.
/// In 2D, discs touch a wall of segments.
///
/// Normals point into the wall. If the center is on the surface, the direction is undefined. The
/// normal is then minus that of one of the facets there, or +x on a facet without area.
///
/// A sphere whose center has passed a plate without thickness is pushed on to the other side. For overlaps beyond the
/// radius use smaller steps, or a closed wall ([`SurfaceMesh::thickened`](crate::SurfaceMesh::thickened)).
///
/// Cost: 0.1 to 0.9 µs per sphere on 2,048 triangles; O(log n + k + m log m + m c) for k facets near the
/// sphere, m minima and c contacts. Allocates only
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
    /// The slots of the facets that may be near.
    slots: Vec<u32>,
    found: Found<V>,
    contacts: Vec<WallContact<V>>,
}

impl<V: Vector> DoubleHierarchy<V> {
    /// Creates a kernel that reports the local minima with a positive overlap, on both sides of facets.
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

    /// Returns the margin, which a list needs too: [`WallList::check_margin`](crate::WallList::check_margin).
    pub const fn margin(&self) -> f64 {
        self.margin
    }

    /// Selects which of the local minima are contacts; by default all that do not repeat a normal.
    #[must_use]
    pub fn with_selection(self, selection: ContactSelection) -> Self {
        Self { selection, ..self }
    }

    /// Selects which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Finds the contacts with the facets in `slots`, in mesh coordinates: the minima of single facets, without those
    /// that lie on other facets, in ascending order, and selected.
    #[inline]
    fn find_contacts<M: WallMesh<Vector = V>>(
        &mut self,
        index: &WallIndex<M>,
        ball: Ball<V>,
        radius: f64,
    ) {
        self.found.begin(ball);
        M::search(index, &mut self.slots, &mut self.found);
        if self.found.is_empty() {
            return;
        }
        let minima = &mut self.found.minima;
        minima.retain(|minimum| !is_passed(index, minimum, ball));
        if minima.is_empty() {
            // Rounding has removed all minima of a surface that does touch the sphere.
            minima.extend(nearest(index, &self.slots, ball.center));
        }
        minima.sort_unstable_by(order);
        for minimum in minima {
            let contact = contact_at(index, ball.center, radius, minimum);
            let is_seen = self.sides == WallSides::Both || is_in_front(index, minimum);
            // The square root can round up to the reach.
            if is_seen && contact.overlap > -self.margin {
                self.contacts.push(contact);
            }
        }
        if self.contacts.len() > 1 {
            let same = same_point(index, ball.reach);
            self.selection.leave(same, &mut self.contacts);
        }
    }
}

impl<M: WallMesh> NarrowPhase<Sphere<M::Vector>, Wall<M>> for DoubleHierarchy<M::Vector> {
    type Contact = WallContact<M::Vector>;
    type State = ();

    /// Visits the contacts in ascending order of distance. A sphere out of the domain has none.
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<M::Vector>,
        wall: &Wall<M>,
        state: &mut (),
        visit: impl FnMut(WallContact<M::Vector>),
    ) {
        self.for_each_contact(sphere, &FacetSubset::all(wall), state, visit);
    }
}

impl<M: WallMesh> NarrowPhase<Sphere<M::Vector>, FacetSubset<'_, M>>
    for DoubleHierarchy<M::Vector>
{
    type Contact = WallContact<M::Vector>;
    type State = ();

    /// Visits the contacts in ascending order of distance. A sphere out of the domain has none.
    #[inline]
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<M::Vector>,
        near: &FacetSubset<'_, M>,
        (): &mut (),
        mut visit: impl FnMut(WallContact<M::Vector>),
    ) {
        let wall = near.wall();
        let reach = sphere.radius + self.margin;
        if sphere.validate(0).is_err() || reach > wall.reach() {
            return;
        }
        let center = wall.to_mesh(sphere.center);
        self.slots.clear();
        near.add_slots_within(reach, center, &mut self.slots);
        self.contacts.clear();
        self.find_contacts(&wall.index, Ball { center, reach }, sphere.radius);
        for &(mut contact) in &self.contacts {
            wall.place(&mut contact, sphere.center);
            visit(contact);
        }
    }
}
