use super::mesh::WallMesh;
use super::minima::Ball;
use super::wall::Wall;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::Vector;
use crate::math::tolerance::SQUARED_DISTANCE;
use crate::shape::SurfaceMesh;

/// A [`Wall`] restricted to the facets that may touch a body, found by a [`WallList`](crate::WallList) or by your own
/// search.
///
/// Contacts are those with the wall itself, in world coordinates, without a search in its tree. (At a periodic wall, your
/// facets are searched for their images.)
///
/// ```
/// use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, glam::DVec3};
/// use osculate::narrow::FacetSubset;
///
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let wall = Wall::new(SurfaceMesh::from_triangles(&[triangle])?);
/// let sphere = Sphere::new(DVec3::new(0.25, 0.25, 0.5), 0.75);
/// let near = FacetSubset::new(&wall, &[0])?; // the result of your search
/// let contact = DoubleHierarchy::new().contact(&sphere, &near).unwrap();
/// assert_eq!(contact.overlap, 0.25);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FacetSubset<'a, M: WallMesh = SurfaceMesh> {
    wall: &'a Wall<M>,
    facets: Facets<'a, M::Vector>,
}

#[derive(Clone, Copy, Debug)]
enum Facets<'a, V> {
    All,
    /// Of the mesh.
    Ids(&'a [u32]),
    /// Where the index stores all within the reach of a ball, in the coordinates of the mesh.
    Within(Ball<V>, &'a [u32]),
}

impl<'a, M: WallMesh> FacetSubset<'a, M> {
    /// Creates a subset from facets in any order; a facet may occur twice.
    ///
    /// All facets that can touch the body must be among them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`], with the lowest bad entry, if a facet does not exist.
    pub fn new(wall: &'a Wall<M>, facets: &'a [u32]) -> Result<Self> {
        let facet_count = wall.mesh().facet_count();
        if let Some(index) = facets.iter().position(|&facet| facet >= facet_count) {
            return Err(Error(Cause::FacetOutOfRange {
                index,
                facet: facets[index],
                facet_count: facet_count as usize,
            }));
        }
        let facets = Facets::Ids(facets);
        Ok(Self { wall, facets })
    }

    /// Creates a subset of all facets.
    pub(in crate::narrow) fn all(wall: &'a Wall<M>) -> Self {
        let facets = Facets::All;
        Self { wall, facets }
    }

    /// Creates a subset from a ball and the slots of all facets within its reach.
    pub(in crate::narrow) fn within(
        wall: &'a Wall<M>,
        (ball, slots): (Ball<M::Vector>, &'a [u32]),
    ) -> Self {
        let facets = Facets::Within(ball, slots);
        Self { wall, facets }
    }

    /// Returns the wall.
    pub fn wall(&self) -> &'a Wall<M> {
        self.wall
    }

    /// Visits the facets. At a periodic wall a facet may come several times.
    pub fn for_each_facet(&self, mut visit: impl FnMut(u32)) {
        match self.facets {
            Facets::All => (0..self.wall.mesh().facet_count()).for_each(visit),
            Facets::Ids(facets) => facets.iter().copied().for_each(visit),
            Facets::Within(_, slots) => slots
                .iter()
                .for_each(|&slot| visit(self.wall.facet_in(slot))),
        }
    }

    /// Adds the slots of all facets within reach of a point in the coordinates of the mesh, and others.
    ///
    /// A ball may be too small, or at the other face of a periodic box, and ids name no copies. Then the facets are
    /// searched.
    #[inline]
    pub(in crate::narrow) fn add_slots_within(
        &self,
        reach: f64,
        point: M::Vector,
        found: &mut Vec<u32>,
    ) {
        let has_all = |ball: Ball<M::Vector>| {
            let moved = (point - ball.center).length();
            (moved + reach) * (1.0 + SQUARED_DISTANCE) <= ball.reach
        };
        let index = &self.wall.index;
        match self.facets {
            Facets::Ids(facets) if self.wall.period().is_none() => {
                found.extend(facets.iter().map(|&facet| index.slot(facet)));
            }
            Facets::Within(ball, slots) if has_all(ball) => found.extend_from_slice(slots),
            _ => (index.tree).for_each_leaf_within(reach, point, |leaf| {
                M::prefetch(index, leaf.clone());
                found.extend(leaf);
            }),
        }
    }
}

impl<M: WallMesh> AsRef<Wall<M>> for FacetSubset<'_, M> {
    fn as_ref(&self) -> &Wall<M> {
        self.wall
    }
}

impl<M: WallMesh> AsRef<Wall<M>> for Wall<M> {
    fn as_ref(&self) -> &Wall<M> {
        self
    }
}
