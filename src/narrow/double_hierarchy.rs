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

use std::cmp::Ordering;

use glam::DVec3;

use super::NarrowPhase;
use crate::error::{Error, Result};
use crate::math::{Closest, Part, check_length, direction, from_origin_to_polygon};
use crate::shape::{Feature, Sphere, SurfaceMesh};

/// Points of the surface closer to each other than this part of the sphere's reach are one
/// contact: their squared distances from the centre may be equal to rounding.
const SAME_POINT: f64 = f64::from_bits((1023 - 24) << 52);

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

/// What a facet nominates: its point closest to the centre, under a name that all facets which
/// share the point use.
#[derive(Clone, Copy, Debug)]
struct Nomination {
    feature: Feature,
    closest: Closest<DVec3>,
    facet: u32,
    is_contact: bool,
}

impl Nomination {
    /// By distance, then by position, then by name: the order of the facets has no part in it.
    fn order(&self, other: &Self) -> Ordering {
        let by = |axis: usize| self.closest.offset[axis].total_cmp(&other.closest.offset[axis]);
        (self.closest.distance_squared)
            .total_cmp(&other.closest.distance_squared)
            .then_with(|| by(0).then(by(1)).then(by(2)))
            .then_with(|| (self.feature, self.facet).cmp(&(other.feature, other.facet)))
    }
}

/// A wall seen from the centre of a sphere.
struct Wall<'a> {
    mesh: &'a SurfaceMesh,
    center: DVec3,
    /// Radius and margin.
    reach: f64,
}

impl Wall<'_> {
    fn ids(&self, facet: u32) -> &[u32] {
        self.mesh.topology().0.get(facet as usize)
    }

    /// The point of a facet closest to the centre plus `from`.
    fn closest(&self, facet: u32, from: DVec3) -> Closest<DVec3> {
        let (ids, vertices) = (self.ids(facet), self.mesh.vertices());
        let corner = |i: usize| (vertices[ids[i] as usize] - self.center - from, ids[i]);
        from_origin_to_polygon(self.mesh.normals()[facet as usize], ids.len(), corner)
    }

    fn nominate(&self, facet: u32) -> Option<Nomination> {
        let (ids, normal) = (self.ids(facet), self.mesh.normals()[facet as usize]);
        let is_out_of_reach = |&id: &u32| {
            let corner = self.mesh.vertices()[id as usize] - self.center;
            // More than what rounding of the height may amount to.
            let rounding = f64::from_bits((1023 - 48) << 52) * corner.length();
            normal.dot(corner).abs() - rounding > self.reach
        };
        // All corners of a facet that may be a little bent.
        let tested = if ids.len() == 3 { &ids[..1] } else { ids };
        if tested.iter().all(is_out_of_reach) {
            return None;
        }
        let closest = self.closest(facet, DVec3::ZERO);
        let feature = match closest.part {
            Part::Interior => Feature::Facet(facet),
            Part::Edge(i) => Feature::edge(ids[i], ids[(i + 1) % ids.len()]),
            Part::Vertex(i) => Feature::Vertex(ids[i]),
        };
        (closest.distance_squared < self.reach * self.reach).then_some(Nomination {
            feature,
            closest,
            facet,
            is_contact: false,
        })
    }

    /// The squared distance up to which two points are one.
    fn same_squared(&self) -> f64 {
        let same = SAME_POINT * self.reach;
        same * same
    }

    fn are_same_point(&self, a: &Nomination, b: &Nomination) -> bool {
        let between = b.closest.offset - a.closest.offset;
        between.length_squared() <= self.same_squared()
    }

    /// Whether the surface comes nowhere closer near the nominated point. The interior of a facet
    /// is always a minimum; an edge or a vertex is none if it is on a facet that has its closest
    /// point elsewhere.
    ///
    /// That point is then closer, since a convex facet has but one closest point: the distances
    /// need not be compared, which rounding may have made equal.
    fn is_minimum(&self, nominated: &Nomination, all: &[Nomination]) -> bool {
        let corners = match nominated.feature {
            Feature::Facet(_) => return true,
            Feature::Edge(a, b) => [a, b],
            Feature::Vertex(v) => [v, v],
        };
        let has_corners = |rival: &Nomination| {
            let ids = self.ids(rival.facet);
            corners.iter().all(|corner| ids.contains(corner))
        };
        let is_elsewhere = |rival: &Nomination| !self.are_same_point(rival, nominated);
        // What is farther, by more than rounding, is no rival; what is about as far is likely to
        // be a neighbour.
        let limit = nominated.closest.distance_squared + 3.0 * SAME_POINT * self.reach * self.reach;
        let rivals = &all[..all.partition_point(|n| n.closest.distance_squared <= limit)];
        let mut neighbours_first = rivals.iter().rev().filter(|rival| is_elsewhere(rival));
        if neighbours_first.clone().any(has_corners) {
            return false;
        }
        let holds_point = |rival: &Nomination| {
            let is_closer = rival.closest.distance_squared < nominated.closest.distance_squared;
            (is_closer || matches!(rival.feature, Feature::Facet(_))) && {
                let closest = self.closest(rival.facet, nominated.closest.offset);
                closest.distance_squared <= self.same_squared()
            }
        };
        !neighbours_first.any(holds_point)
    }

    fn contact(
        &self,
        sphere: &Sphere<DVec3>,
        nominated: &Nomination,
        all: &[Nomination],
    ) -> WallContact {
        let offset = nominated.closest.offset;
        let distance = nominated.closest.distance_squared.sqrt();
        let normal = match nominated.feature {
            // The plane's normal keeps digits that a short offset has lost.
            Feature::Facet(facet) if distance > 0.0 => {
                let front = self.mesh.normals()[facet as usize];
                front * front.dot(offset).signum()
            }
            _ => direction(offset, distance).unwrap_or_else(|| self.back(nominated, all)),
        };
        WallContact {
            offset,
            point: sphere.center + offset,
            normal,
            overlap: sphere.radius - distance,
            feature: nominated.feature,
            facet: nominated.facet,
        }
    }

    /// The direction into the wall at the centre itself: minus the normal of one of the facets
    /// there, chosen by the line it is on.
    fn back(&self, nominated: &Nomination, all: &[Nomination]) -> DVec3 {
        let line = |normal: DVec3| {
            let first = normal.to_array().into_iter().find(|&c| c != 0.0);
            (normal * first.map_or(1.0, f64::signum)).to_array()
        };
        let here = all.iter().filter(|n| n.feature == nominated.feature);
        let normals = here.map(|n| self.mesh.normals()[n.facet as usize]);
        let front = normals
            .filter(|&normal| normal != DVec3::ZERO)
            .reduce(|a, b| if line(b) > line(a) { b } else { a });
        front.map_or(DVec3::X, |front| -front)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(vertices: &[(f64, f64, f64)], facets: &[[u32; 3]]) -> SurfaceMesh {
        let vertices = vertices.iter().map(|&(x, y, z)| DVec3::new(x, y, z));
        SurfaceMesh::new(vertices.collect(), facets).unwrap()
    }

    fn contacts(mesh: &SurfaceMesh, center: (f64, f64, f64), radius: f64) -> Vec<WallContact> {
        let facets: Vec<u32> = (0..mesh.facet_count() as u32).collect();
        let near = FacetSet::new(mesh, &facets).unwrap();
        let sphere = Sphere::new(DVec3::from(center), radius);
        let mut found = Vec::new();
        DoubleHierarchy::new().contacts(&sphere, &near, &mut (), |c| found.push(c));
        found
    }

    /// Two squares, each of two triangles, that meet at the y axis; the right one rises or falls.
    fn fold(rise: f64) -> SurfaceMesh {
        mesh(
            &[
                (0.0, -1.0, 0.0),
                (0.0, 1.0, 0.0),
                (-2.0, -1.0, 0.0),
                (-2.0, 1.0, 0.0),
                (2.0, -1.0, rise),
                (2.0, 1.0, rise),
            ],
            &[[0, 1, 2], [2, 1, 3], [0, 4, 1], [1, 4, 5]],
        )
    }

    #[test]
    fn floor_gives_one_contact_above_facet_edge_and_vertex() {
        let floor = fold(0.0);
        for (x, y, feature) in [
            (-0.5, -0.5, Feature::Facet(0)),
            (-1.0, 0.0, Feature::Edge(1, 2)),
            (0.0, 0.25, Feature::Edge(0, 1)),
            (0.0, 1.0, Feature::Vertex(1)),
        ] {
            let found = contacts(&floor, (x, y, 0.5), 2.0);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].feature, feature);
            assert_eq!(found[0].overlap, 1.5);
            assert_eq!(found[0].normal, -DVec3::Z);
            assert_eq!(found[0].point, DVec3::new(x, y, 0.0));
        }
    }

    #[test]
    fn ridge_gives_one_contact_and_wedge_two() {
        let ridge = contacts(&fold(-1.0), (0.0, 0.0, 0.5), 1.0);
        assert_eq!(ridge.len(), 1);
        assert_eq!(ridge[0].feature, Feature::Edge(0, 1));
        let wedge = contacts(&fold(1.0), (0.0, 0.0, 0.5), 1.0);
        assert_eq!(
            wedge.len(),
            1,
            "the foot on the left is on the edge, not a minimum"
        );
        let wedge = contacts(&fold(1.0), (-0.1, 0.0, 0.5), 1.0);
        assert_eq!(wedge.len(), 2);
        assert!(wedge[0].overlap > wedge[1].overlap);
        assert!(wedge.iter().all(|c| matches!(c.feature, Feature::Facet(_))));
    }

    #[test]
    fn corner_of_three_planes_gives_three() {
        let corner = mesh(
            &[
                (0.0, 0.0, 0.0),
                (4.0, 0.0, 0.0),
                (0.0, 4.0, 0.0),
                (0.0, 0.0, 4.0),
            ],
            &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
        );
        assert_eq!(contacts(&corner, (0.5, 0.6, 0.7), 1.0).len(), 3);
        assert_eq!(contacts(&corner, (-0.5, -0.6, -0.7), 2.0).len(), 1);
    }

    /// Touching, one ulp closer, and inside the margin.
    #[test]
    fn overlap_is_strict_unless_there_is_a_margin() {
        let floor = fold(0.0);
        assert!(contacts(&floor, (-0.5, -0.5, 1.0), 1.0).is_empty());
        assert_eq!(
            contacts(&floor, (-0.5, -0.5, 1.0), 1.0_f64.next_up()).len(),
            1
        );
        let near = FacetSet::new(&floor, &[0]).unwrap();
        let sphere = Sphere::new(DVec3::new(-0.5, -0.5, 1.25), 1.0);
        let mut gaps = Vec::new();
        let mut kernel = DoubleHierarchy::with_margin(0.5).unwrap();
        kernel.contacts(&sphere, &near, &mut (), |c| gaps.push(c.overlap));
        assert_eq!(gaps, [-0.25]);
        assert!(DoubleHierarchy::with_margin(f64::NAN).is_err());
    }

    /// The squared distance of an edge is below the squared radius, and its root rounds to the
    /// radius: no overlap.
    #[test]
    fn root_that_rounds_to_the_radius() {
        let mut count = 0;
        for i in 1..200 {
            let (x, y) = (0.7 / f64::from(i), 0.1 * f64::from(i));
            let radius = (x * x + y * y).sqrt();
            count += usize::from(x * x + y * y < radius * radius);
            let edge = [(x, y, -1.0), (x, y, 1.0), (2.0 * x, 2.0 * y, 0.0)];
            assert!(contacts(&mesh(&edge, &[[0, 1, 2]]), (0.0, 0.0, 0.0), radius).is_empty());
        }
        assert!(count > 50);
    }

    /// A hanging vertex: the triangles on the right have no edge in common with the one on the
    /// left, yet the floor is flat.
    #[test]
    fn floor_with_a_hanging_vertex_gives_one_contact() {
        let floor = mesh(
            &[
                (0.0, -1.0, 0.0),
                (0.0, 0.125, 0.0),
                (0.0, 1.0, 0.0),
                (-2.0, 0.0, 0.0),
                (2.0, 0.0, 0.0),
            ],
            &[[3, 0, 2], [0, 4, 1], [1, 4, 2]],
        );
        // Around 1e-8 the distance from the seam is too small to change the squared distance.
        for x in [0.5, 1e-3, 1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-12, 0.0] {
            for y in [-0.25, 0.0, 0.125, 0.125 + x, 0.126] {
                for x in [x, -x] {
                    let found = contacts(&floor, (x, y, 0.5), 1.0);
                    assert_eq!(found.len(), 1, "{x} {y} {found:?}");
                    assert!((found[0].overlap - 0.5).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn centre_on_the_wall() {
        let floor = fold(0.0);
        for center in [(-0.5, -0.5, 0.0), (0.0, 0.25, 0.0), (0.0, 1.0, 0.0)] {
            let found = contacts(&floor, center, 0.25);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].overlap, found[0].normal), (0.25, -DVec3::Z));
        }
        // Seen from the back the offset has the same bits, those of a positive zero.
        let turned = mesh(
            &[(0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-2.0, -1.0, 0.0)],
            &[[0, 2, 1]],
        );
        let found = contacts(&turned, (-0.5, -0.25, 0.0), 0.25);
        assert_eq!(found[0].normal, DVec3::Z);
        assert_eq!(found[0].offset.to_array().map(f64::to_bits), [0; 3]);
        let line = mesh(
            &[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)],
            &[[0, 1, 2]],
        );
        let found = contacts(&line, (0.5, 0.0, 0.0), 0.25);
        assert_eq!((found.len(), found[0].normal), (1, DVec3::X));
    }

    /// So close to a tilted plane that the offset is all rounding, the normal is the plane's.
    #[test]
    fn normal_next_to_the_surface() {
        let tilted = fold(-1.0);
        let front = tilted.normals()[3];
        for (height, normal) in [(1e-15, -front), (-1e-15, front)] {
            let center = DVec3::new(0.7, 0.3, -0.35) + front * height;
            let found = contacts(&tilted, center.into(), 0.1);
            assert_eq!((found.len(), found[0].normal), (1, normal));
        }
    }

    #[test]
    fn facets_that_are_not_there_are_refused() {
        let floor = fold(0.0);
        let near = FacetSet::new(&floor, &[2, 0]).unwrap();
        assert_eq!((near.facets(), near.mesh()), (&[2, 0][..], &floor));
        assert_eq!(
            FacetSet::new(&floor, &[0, 4]).unwrap_err(),
            Error::FacetOutOfRange {
                index: 1,
                facet: 4,
                facet_count: 4
            }
        );
    }
}
