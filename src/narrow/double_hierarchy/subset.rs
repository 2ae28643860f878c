use super::mesh::WallMesh;
use super::wall::Wall;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::shape::SurfaceMesh;

/// A [`Wall`] restricted to the facets that may touch a sphere, found by your own search.
///
/// Contacts are those with the wall itself, in world coordinates, without a search in its tree.
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
    facets: &'a [u32],
}

impl<'a, M: WallMesh> FacetSubset<'a, M> {
    /// Creates a subset from facets in any order; a facet may occur twice.
    ///
    /// All facets that can touch the sphere must be among them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`], with the lowest bad entry, if a facet does not exist.
    pub fn new(wall: &'a Wall<M>, facets: &'a [u32]) -> Result<Self> {
        let facet_count = wall.mesh().facet_count();
        match facets.iter().position(|&facet| facet >= facet_count) {
            None => Ok(Self { wall, facets }),
            Some(index) => Err(Error(Cause::FacetOutOfRange {
                index,
                facet: facets[index],
                facet_count: facet_count as usize,
            })),
        }
    }

    /// Returns the wall.
    pub fn wall(&self) -> &'a Wall<M> {
        self.wall
    }

    /// Returns the facets.
    pub fn facets(&self) -> &'a [u32] {
        self.facets
    }
}
