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
//! points. Each facet nominates its closest feature; an edge or a vertex is no minimum, and is
//! eliminated, if the surface comes closer on one of the facets that meet there.
//!
//! Deviations:
//! - The paper compares contacts one by one as facets come and lets the later replace the earlier
//!   (Tables 3 and 4). That depends on the order of the facets: culling is not transitive, and a
//!   contact that is thrown away was still needed to cull others. Here all facets nominate first.
//! - No tolerance decides a shared edge or vertex. Both neighbours evaluate it from the same ends
//!   in the same order and get the same bits. Nor do distances decide, which are equal to rounding
//!   long before points are: a feature is eliminated if a facet that has it has its closest point
//!   elsewhere.
//! - Facets that share no ids (unwelded meshes, hanging vertices) are recognised by position: a
//!   nominated point that lies on another facet is eliminated by it.
//! - Coordinates are relative to the centre. Inside-outside tests (eqs 17-19) need no side flag,
//!   normals are Newell's (eq. 14 fails on collinear corners).

mod nomination;
#[cfg(test)]
mod tests;

use glam::DVec3;

use self::nomination::{Nomination, Wall};
use super::NarrowPhase;
use crate::error::{Error, Result};
use crate::math::check_length;
use crate::shape::{Feature, Sphere, SurfaceMesh};

/// A wall and those of its facets that may touch a sphere, as a broad phase has found them.
#[derive(Clone, Copy, Debug)]
pub struct FacetSet<'a> {
    mesh: &'a SurfaceMesh,
    facets: &'a [u32],
}

impl<'a> FacetSet<'a> {
    /// Facets in any order, once or more often. All facets that can touch the sphere must be
    /// among them.
    ///
    /// # Errors
    /// [`Error::FacetOutOfRange`].
    pub fn new(mesh: &'a SurfaceMesh, facets: &'a [u32]) -> Result<Self> {
        let facet_count = mesh.facet_count();
        match facets.iter().position(|&f| f as usize >= facet_count) {
            None => Ok(Self { mesh, facets }),
            Some(index) => Err(Error::FacetOutOfRange {
                index,
                facet: facets[index],
                facet_count,
            }),
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &'a SurfaceMesh {
        self.mesh
    }

    /// The facets.
    pub fn facets(&self) -> &'a [u32] {
        self.facets
    }
}

/// A contact of a sphere with a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallContact {
    /// From the sphere's centre to the contact point on the wall. Far from the origin it has
    /// digits that `point` has lost.
    pub offset: DVec3,
    /// The contact point on the wall: centre + offset.
    pub point: DVec3,
    /// Unit, from the sphere into the wall.
    pub normal: DVec3,
    /// Radius minus distance; negative for near contacts within a margin.
    pub overlap: f64,
    /// The part of the wall the point is on.
    pub feature: Feature,
    /// The lowest facet that has this feature as its closest.
    pub facet: u32,
}

/// Sphere against wall: a contact at each local minimum of the distance to the surface.
///
/// A floor gives one contact, however it is meshed; a convex edge or vertex one, a wedge two, a
/// corner of three planes three. The contacts come in ascending order of the distance, the
/// deepest first. They are the same, bit for bit, for any order of the facets and any way of
/// writing them down.
///
/// If the centre is on the surface, the direction to it is undefined; the normal is then minus
/// that of one of the facets there (+x on a facet without area), and only then its direction
/// depends on which side is the front.
///
/// O(k^2) for k facets inside the sphere, of which there are about five in practice; allocates
/// only while its scratch grows.
///
/// ```
/// use osculate::{DoubleHierarchy, FacetSet, Feature, NarrowPhase, Sphere, SurfaceMesh};
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
/// let near = FacetSet::new(&wall, &[0, 1])?;
/// DoubleHierarchy::new().contacts(&sphere, &near, &mut (), |c| contacts.push(c));
/// assert_eq!(contacts.len(), 1);
/// assert_eq!(contacts[0].feature, Feature::Edge(0, 2));
/// assert_eq!(contacts[0].overlap, 0.25);
/// assert_eq!(contacts[0].normal, -DVec3::Z);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DoubleHierarchy {
    margin: f64,
    nominations: Vec<Nomination>,
}

impl DoubleHierarchy {
    /// Contacts with a positive overlap.
    pub const fn new() -> Self {
        Self {
            margin: 0.0,
            nominations: Vec::new(),
        }
    }

    /// Also points of the wall whose gap to the sphere is smaller than `margin`.
    ///
    /// # Errors
    /// [`Error::Length`] for a margin that is not a length.
    pub fn with_margin(margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self {
            margin,
            ..Self::default()
        })
    }
}

impl NarrowPhase<Sphere<DVec3>, FacetSet<'_>> for DoubleHierarchy {
    type Contact = WallContact;
    type Memory = ();

    fn contacts(
        &mut self,
        sphere: &Sphere<DVec3>,
        near: &FacetSet<'_>,
        (): &mut (),
        mut report: impl FnMut(WallContact),
    ) {
        let reach = sphere.radius + self.margin;
        let wall = Wall {
            mesh: near.mesh,
            center: sphere.center,
            reach,
        };
        let nominations = &mut self.nominations;
        nominations.clear();
        nominations.extend(near.facets.iter().filter_map(|&f| wall.nominate(f)));
        nominations.sort_unstable_by(Nomination::order);
        for i in 0..nominations.len() {
            nominations[i].is_contact = wall.is_minimum(&nominations[i], nominations);
        }
        // The surface does touch the sphere, whatever rounding has made of it.
        let has_none = !nominations.iter().any(|n| n.is_contact);
        if let Some(nearest) = nominations.first_mut() {
            nearest.is_contact |= has_none;
        }
        for i in 0..nominations.len() {
            let nominated = nominations[i];
            let is_same = |n: &Nomination| n.is_contact && wall.are_same_point(n, &nominated);
            if !nominated.is_contact {
                continue;
            }
            if nominations[..i].iter().any(is_same) {
                nominations[i].is_contact = false;
                continue;
            }
            let contact = wall.contact(sphere, &nominated, nominations);
            // The square root can round up to the reach.
            if contact.overlap > -self.margin {
                report(contact);
            }
        }
    }
}
