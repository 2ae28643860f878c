//! A convex polyhedron against a meshed wall.
//!
//! Let phi(x) be the maximum over the faces of the body of `n . x - offset`. Contacts are the local minima of
//! phi on the wall with phi < 0. For a sphere phi is the distance from the center minus the radius, and the
//! contacts are those of [`DoubleHierarchy`](super::DoubleHierarchy).
//!
//! The wall is cut into sheets along concave edges with a large bend, and minima are local within a sheet.
//! Without that a body in a corner of three planes would keep only the contact with the deepest one: along
//! the others phi decreases towards it.

mod assignment;
mod bed;
mod cone;
mod contact;
mod facet_minimum;
mod facet_table;
mod kept_facets;
mod manifolds;
mod near_facet;
mod normal;
mod sheet;
mod state;
mod triangle_minimum;

use std::borrow::Borrow;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use self::assignment::{ContactFacets, SheetContacts};
use self::bed::WallBed;
pub use self::contact::ConvexWallContact;
use self::contact::order;
use self::facet_minimum::FacetMinimum;
use self::facet_table::FacetTable;
use self::near_facet::NearFacet;
use self::normal::Normals;
pub use self::state::ConvexWallState;
use self::triangle_minimum::TriangleMinimum;
use super::elastic_bed::{MAX_POINTS, check_max_points};
#[cfg(doc)]
use super::{ManifoldPoint, PointFeature};
use super::{NarrowPhase, Wall};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::{STRICT, two_to};
use crate::math::{MatrixPose, Pose3};
use crate::shape::{
    Boundary, ConvexPolyhedron, CornerValues, FacePlanes, Placed, Sphere, UnionFind,
};

/// Depths that differ by less are tied, relative to the largest of the size of the body, its distance from the origin of
/// the mesh, and the largest facet: 512 u. Points closer to each other count as one.
const TIED_DEPTH: f64 = two_to(-44);

/// Contacts whose normals differ by more never count as one, even for poor facets: some hundred times the bends of flat
/// walls in single precision.
const SAME_PLANE: f64 = two_to(-14);

/// The cosine of 0.5 rad, the default bend at which sheets end.
const COSINE_OF_BEND: f64 = 0.877_582_561_890_372_8;
/// Points this many tolerances apart may be the same.
const NEAR: f64 = 4.0;

/// Contacts of a convex polyhedron with a meshed wall.
///
/// One contact is reported at each point of the wall that is locally deepest in the body: one on a plane, on a
/// ridge and at a rim, two in a wedge, three in a corner. They depend on the wall as a set of points:
/// neither triangles, nor their order, nor hanging vertices matter. They come in descending order of overlap.
///
/// - Concave edges with a bend of more than 0.5 rad separate the wall into sheets, each with contacts of its
///   own ([`with_bend`](Self::with_bend)). Along edges with a smaller bend only the deepest place is one.
/// - The body belongs in front of each facet, the side from which its vertices are counter-clockwise. A facet pushes
///   the body to its front even if the centroid is behind it. For a plate use a closed wall
///   ([`SurfaceMesh::thickened`](crate::SurfaceMesh::thickened)).
/// - Facets that only touch the body are no contacts.
///
/// Tolerance: 2^-44 of the body's size, its distance from the origin of the mesh, or in space the size of the largest
/// facet, whichever is largest. Depths that differ by less are equal. Contacts with the same plane are one, if need be
/// to the [precision](crate::SurfaceMesh::precision) of the mesh.
///
/// Cost: O(log n + k F) for k facets near the body and F faces; O(log n) more for each facet with a minimum on its
/// border, and O(c^2) for c contacts of one body. Facets as large as the body that cross in it, and facets around one
/// vertex inside it, are compared in pairs. No allocation once the buffers have grown.
///
/// ```
/// use osculate::narrow::ConvexWall;
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// // The floor has two triangles, and the cube stands on their common edge.
/// let floor = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
/// let floor = floor.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let floor = Wall::new(SurfaceMesh::new(floor, [[0, 1, 2], [0, 2, 3]])?);
///
/// let body = Placed::new(&cube, Pose3::from_translation(DVec3::new(0.25, 0.5, -0.125))?);
/// let contact = ConvexWall::new().contact(&body, &floor).unwrap();
/// assert_eq!((contact.normal, contact.overlap), (-DVec3::Z, 0.125));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvexWall {
    /// The cosine of the bend at which a concave edge separates sheets.
    bend: f64,
    max_points: usize,
    /// The values of the faces at the middle of a facet.
    values: Vec<f64>,
    /// The faces that may be the highest on a facet, by index.
    near_faces: Vec<u32>,
    /// All faces of the body by index, and whether they may be the highest somewhere.
    all_faces: Vec<u32>,
    are_near: Vec<bool>,
    some_planes: FacePlanes,
    corner_values: CornerValues,
    on_triangle: TriangleMinimum,
    corners: Vec<DVec3>,
    facets: Vec<NearFacet>,
    unsorted: Vec<NearFacet>,
    /// Image and id, and the index of each.
    order: Vec<(u64, u32)>,
    facet_table: FacetTable,
    /// The corners of the sets on which the facets have their minima.
    lowest: Vec<DVec3>,
    /// The facets passed whose neighbors are not tested yet, with phi of the deeper points.
    passed: Vec<(usize, f64)>,
    /// phi of the other facets, in ascending order.
    kept: Vec<f64>,
    normals: Normals,
    minimum: FacetMinimum,
    /// The contacts of facets that are not passed, before equal ones are merged.
    minima: Vec<(u32, ConvexWallContact)>,
    contacts: Vec<ConvexWallContact>,
    /// Connected facets.
    sheets: UnionFind,
    sheet_contacts: SheetContacts,
    contact_facets: ContactFacets,
    bed: WallBed,
}

/// A body, and how the wall appears in its frame.
struct Scene<'a> {
    body: &'a Boundary,
    wall: &'a Wall,
    /// Rotates vectors of the mesh to the frame of the body.
    rotation: DMat3,
    /// The images of the body's center in the coordinates of the mesh: one without a period.
    centers: SmallVec<[DVec3; 4]>,
    tolerance: f64,
}

impl Default for ConvexWall {
    fn default() -> Self {
        Self {
            bend: COSINE_OF_BEND,
            max_points: MAX_POINTS,
            values: Vec::new(),
            near_faces: Vec::new(),
            all_faces: Vec::new(),
            are_near: Vec::new(),
            some_planes: FacePlanes::default(),
            corner_values: CornerValues::default(),
            on_triangle: TriangleMinimum::default(),
            corners: Vec::new(),
            facets: Vec::new(),
            unsorted: Vec::new(),
            order: Vec::new(),
            facet_table: FacetTable::default(),
            lowest: Vec::new(),
            passed: Vec::new(),
            kept: Vec::new(),
            normals: Normals::default(),
            minimum: FacetMinimum::default(),
            minima: Vec::new(),
            contacts: Vec::new(),
            sheets: UnionFind::default(),
            sheet_contacts: SheetContacts::default(),
            contact_facets: ContactFacets::default(),
            bed: WallBed::default(),
        }
    }
}

impl ConvexWall {
    /// Creates a kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the bend, in radians, beyond which the facets of a concave edge have contacts of their own.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] unless the bend is within (0, pi].
    pub fn with_bend(self, bend: f64) -> Result<Self> {
        if bend > 0.0 && bend <= std::f64::consts::PI {
            Ok(Self {
                bend: bend.cos(),
                ..self
            })
        } else {
            Err(Error(Cause::Parameter {
                name: "with_bend: angle",
                value: bend,
                range: "(0, pi] rad",
            }))
        }
    }

    /// Sets the largest number of points of a manifold, from 1 to 8. Forces and moments do not depend on it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] for other numbers.
    pub fn with_max_points(self, count: usize) -> Result<Self> {
        let max_points = check_max_points(count)?;
        Ok(Self { max_points, ..self })
    }

    /// Adds a contact unless it has the same plane as another one. Of these the deepest is kept.
    fn add(&mut self, contact: ConvexWallContact, scene: &Scene) {
        let Some(i) = self.same_plane(&contact, scene) else {
            self.contacts.push(contact);
            return;
        };
        let other = &mut self.contacts[i];
        let facet = other.facet.min(contact.facet);
        if contact.depth > other.depth {
            *other = contact;
        }
        other.facet = facet;
    }

    /// Returns the index of the contact with the same plane, as far as the normals of the facets are known.
    fn same_plane(&self, contact: &ConvexWallContact, scene: &Scene) -> Option<usize> {
        let error = |contact: &ConvexWallContact| scene.wall.normal_error(contact.facet);
        let largest_offset =
            |angle: f64| (64.0 * scene.tolerance).max(2.0 * angle * scene.body.circumscribed);
        let most = largest_offset(SAME_PLANE);
        self.contacts.iter().position(|other| {
            let offset = (other.overlap - contact.overlap).abs();
            // Most are decided by the first comparison.
            offset <= most && {
                let angle = other.normal.distance(contact.normal);
                angle <= (error(contact) + error(other)).clamp(STRICT, SAME_PLANE)
                    && offset <= largest_offset(angle)
            }
        })
    }
}

impl ConvexWall {
    /// Finds the contacts, in the frame of the body.
    fn solve<'a>(
        &mut self,
        shape: &'a ConvexPolyhedron,
        pose: &Pose3,
        wall: &'a Wall,
        state: &mut ConvexWallState,
    ) -> Option<Scene<'a>> {
        let boundary = shape.boundary();
        state.keep_only(boundary.stamp);
        let to_world = MatrixPose::from(pose);
        let center = to_world.transform_point(boundary.center);
        if Sphere::new(center, boundary.circumscribed)
            .validate(0)
            .is_err()
        {
            self.contacts.clear();
            return None;
        }
        let centers = wall.centers_near(center, boundary.circumscribed);
        let far = boundary.circumscribed.max(wall.largest_facet());
        let far = centers
            .iter()
            .fold(far, |far, center| far.max(center.abs().max_element()));
        let relative = pose.inv_mul(wall.pose());
        let scene = Scene {
            body: boundary,
            wall,
            rotation: MatrixPose::from(&relative).rotation,
            centers,
            tolerance: far * TIED_DEPTH,
        };
        self.find_facets(&scene, state);
        self.pass(&scene);
        self.find_contacts(&scene);
        self.contacts.sort_unstable_by(order);
        Some(scene)
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Wall> for ConvexWall {
    type Contact = ConvexWallContact;
    type State = ConvexWallState;

    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        wall: &Wall,
        state: &mut ConvexWallState,
        mut visit: impl FnMut(ConvexWallContact),
    ) {
        let shape = body.shape.borrow();
        if self.solve(shape, &body.pose, wall, state).is_none() {
            return;
        }
        let center = shape.boundary().center;
        let to_world = MatrixPose::from(&body.pose);
        for contact in &self.contacts {
            visit(contact.placed(&to_world, center));
        }
    }
}
