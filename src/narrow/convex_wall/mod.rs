//! A convex polyhedron against a meshed wall.
//!
//! Let phi(x) be the maximum over the faces of the body of `n . x - offset`. Contacts are the local minima of
//! phi on the wall with phi < 0. For a sphere phi is the distance from the center minus the radius, and the
//! contacts are those of [`DoubleHierarchy`](super::DoubleHierarchy).
//!
//! The wall is cut into sheets along concave edges with a large bend, and minima are local within a sheet.
//! Without that a body in a corner of three planes would keep only the contact with the deepest one: along
//! the others phi decreases towards it.

mod bed;
mod contact;
mod facet_minimum;
mod normal;
mod sheet;
mod side;
mod state;

use std::borrow::Borrow;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use self::bed::WallBed;
pub use self::contact::ConvexWallContact;
use self::contact::order;
use self::facet_minimum::{Chart, FacetMinimum};
use self::normal::Normals;
pub use self::state::ConvexWallState;
use super::elastic_bed::MAX_POINTS;
use super::{ContactManifold, NarrowPhase, Wall, WallSides, WallState};
#[cfg(doc)]
use super::{ManifoldPoint, PointFeature};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::{STRICT, TIED_DEPTH};
use crate::math::{MatrixPose, Pose3};
use crate::shape::{Boundary, ConvexPolyhedron, Placed, Sphere};

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
/// - The body belongs on the side of a facet on which its centroid is, or was before it was pushed through
///   ([`ConvexWallState`]), or on the front ([`with_sides`](Self::with_sides)).
/// - Facets that only touch the body are no contacts.
///
/// Tolerance: 2^-44 of the body's size, or of its distance from the origin of the mesh if that is larger.
/// Depths that differ by less are equal, and contacts with the same plane are one.
///
/// Cost: O(log n + k F) for k facets near the body and F faces; O(log n) more for each facet with a minimum on its
/// border. No allocation once the buffers have grown.
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
    sides: WallSides,
    /// The cosine of the bend at which a concave edge separates sheets.
    bend: f64,
    /// The facets near the body, each with its image.
    near: Vec<(u32, u32)>,
    corners: Vec<DVec3>,
    facets: Vec<NearFacet>,
    /// The corners of the sets on which the facets have their minima.
    lowest: Vec<DVec3>,
    /// The facets passed whose neighbors are not tested yet.
    passed: Vec<usize>,
    normals: Normals,
    minimum: FacetMinimum,
    contacts: Vec<ConvexWallContact>,
    bed: WallBed,
}

/// A facet inside the body, in the frame of the body about its center.
#[derive(Clone, Copy, Debug)]
struct NearFacet {
    facet: u32,
    image: u32,
    first_corner: u32,
    corner_count: u32,
    /// The unit normal of the facet.
    normal: DVec3,
    /// 1 if the body belongs in front of the facet, otherwise -1.
    side: f64,
    /// The mean of the corners, and the distance of the farthest.
    middle: DVec3,
    radius: f64,
    phi: f64,
    /// The middle of the set on which the minimum is taken.
    point: DVec3,
    /// The distance of the farthest corner of the set from the point.
    lowest_radius: f64,
    first_lowest: u32,
    lowest_count: u32,
    /// Whether the set reaches the border of the facet, to the tolerance.
    is_on_border: bool,
    /// Whether the set is connected with deeper points of the same sheet.
    is_passed: bool,
    /// The contact to which the facet belongs.
    contact: u32,
}

/// A body, and how the wall appears in its frame.
struct Scene<'a> {
    body: &'a Boundary,
    /// The centroid of the body, from its center.
    centroid: DVec3,
    wall: &'a Wall,
    /// Rotates vectors of the mesh to the frame of the body.
    rotation: DMat3,
    /// The images of the body's center in the coordinates of the mesh: one without a period.
    centers: SmallVec<[DVec3; 4]>,
    /// The centroid of the body in the coordinates of the mesh.
    local_centroid: DVec3,
    tolerance: f64,
}

impl Default for ConvexWall {
    fn default() -> Self {
        Self {
            sides: WallSides::default(),
            bend: COSINE_OF_BEND,
            near: Vec::new(),
            corners: Vec::new(),
            facets: Vec::new(),
            lowest: Vec::new(),
            passed: Vec::new(),
            normals: Normals::default(),
            minimum: FacetMinimum::default(),
            contacts: Vec::new(),
            bed: WallBed::default(),
        }
    }
}

impl NearFacet {
    /// Returns the normal on the side of the body.
    fn front(&self) -> DVec3 {
        self.normal * self.side
    }

    /// Returns the contact of a facet, by the normal from the body into the wall. Frame of the body.
    fn contact(&self, normal: DVec3, body: &Boundary) -> ConvexWallContact {
        let top = body.farthest(normal, 0) as usize;
        ConvexWallContact {
            point: self.point,
            normal,
            overlap: normal.dot(body.vertices[top]) - normal.dot(self.point),
            depth: -self.phi,
            facet: self.facet,
        }
    }
}

impl ConvexWall {
    /// Creates a kernel for both sides of facets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
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
                name: "bend",
                value: bend,
                range: "(0, pi]",
            }))
        }
    }

    /// Collects the facets inside the body, each with its minimum.
    fn find_facets(&mut self, scene: &Scene, state: &mut WallState) {
        self.corners.clear();
        self.lowest.clear();
        self.facets.clear();
        self.near.clear();
        let near = &mut self.near;
        let reach = scene.body.circumscribed;
        scene
            .wall
            .for_each_facet_around(reach, &scene.centers, state, |image, facet| {
                near.push((image, facet));
            });
        for i in 0..self.near.len() {
            let (image, facet) = self.near[i];
            let first = self.corners.len();
            if let Some(near) = self.near_facet(scene, facet, image) {
                self.facets.push(near);
            } else {
                self.corners.truncate(first);
            }
        }
        self.facets
            .sort_unstable_by_key(|near| (near.image, near.facet));
    }

    /// Returns a facet with its minimum if that is inside the body.
    fn near_facet(&mut self, scene: &Scene, facet: u32, image: u32) -> Option<NearFacet> {
        let from = scene.wall.mesh().facet(facet)?;
        let center = scene.centers[image as usize];
        let first = self.corners.len();
        let corners = from.corners().map(|x| scene.rotation * (x - center));
        self.corners.extend(corners);
        let corners = &self.corners[first..];
        let faces = &scene.body.faces;
        let is_beyond =
            |normal: DVec3, offset: f64| corners.iter().all(|x| normal.dot(*x) >= offset);
        let normal = scene.rotation * from.normal();
        if normal == DVec3::ZERO || faces.iter().any(|face| is_beyond(face.normal, face.offset)) {
            return None;
        }
        let chart = Chart::new(corners[0], normal);
        self.minimum.polygon.clear();
        self.minimum
            .polygon
            .extend(corners.iter().map(|&x| chart.flat(x)));
        let phi = self.minimum.find(faces, chart, scene.tolerance);
        if phi >= -scene.tolerance {
            return None;
        }
        let first_lowest = self.lowest.len();
        let lowest = self.minimum.lowest.iter().map(|&x| chart.lifted(x));
        self.lowest.extend(lowest);
        let lowest = &self.lowest[first_lowest..];
        let is_on_border = |x: &DVec3| border_distance(corners, normal, *x) <= scene.tolerance;
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let point = lowest.iter().sum::<DVec3>() / lowest.len() as f64;
        Some(NearFacet {
            facet,
            image,
            first_corner: first as u32,
            corner_count: corners.len() as u32,
            normal,
            side: 1.0,
            middle,
            radius: radius_around(middle, corners),
            phi,
            point,
            lowest_radius: radius_around(point, lowest),
            first_lowest: first_lowest as u32,
            lowest_count: lowest.len() as u32,
            is_on_border: lowest.iter().any(is_on_border),
            is_passed: false,
            contact: 0,
        })
    }

    fn lowest_of(&self, facet: &NearFacet) -> &[DVec3] {
        let first = facet.first_lowest as usize;
        &self.lowest[first..first + facet.lowest_count as usize]
    }

    fn corners_of(&self, facet: &NearFacet) -> &[DVec3] {
        let first = facet.first_corner as usize;
        &self.corners[first..first + facet.corner_count as usize]
    }

    /// Adds a contact unless it has the same plane as another one.
    fn add(&mut self, contact: ConvexWallContact, tolerance: f64) {
        let is_same = |other: &&mut ConvexWallContact| {
            other.normal.distance(contact.normal) <= STRICT
                && (other.overlap - contact.overlap).abs() <= 64.0 * tolerance
        };
        match self.contacts.iter_mut().find(is_same) {
            Some(other) => other.facet = other.facet.min(contact.facet),
            None => self.contacts.push(contact),
        }
    }
}

/// Returns the largest distance of points from a center.
fn radius_around(center: DVec3, points: &[DVec3]) -> f64 {
    let squares = points.iter().map(|x| x.distance_squared(center));
    squares.fold(0.0, f64::max).sqrt()
}

/// Returns the distance of a point in the plane of a convex facet from its border, negative outside.
fn border_distance(corners: &[DVec3], normal: DVec3, point: DVec3) -> f64 {
    let side = |i: usize| {
        let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
        let length = (to - from).length();
        let distance = normal.cross(to - from).dot(point - from) / length;
        if length > 0.0 {
            distance
        } else {
            f64::INFINITY
        }
    };
    (0..corners.len()).map(side).fold(f64::INFINITY, f64::min)
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
        let local_centroid = wall.to_local(to_world.transform_point(shape.centroid()));
        wall.recall(&mut state.wall, local_centroid);
        let centers = wall.centers_near(center, boundary.circumscribed);
        let far = centers.iter().fold(boundary.circumscribed, |far, center| {
            far.max(center.abs().max_element())
        });
        let relative = pose.inv_mul(wall.pose());
        let scene = Scene {
            body: boundary,
            centroid: shape.centroid() - boundary.center,
            wall,
            rotation: MatrixPose::from(&relative).rotation,
            centers,
            local_centroid,
            tolerance: far * TIED_DEPTH,
        };
        self.find_facets(&scene, &mut state.wall);
        let home = self.set_sides(&scene, state);
        self.pass(&scene);
        self.contacts.clear();
        for i in 0..self.facets.len() {
            if !self.facets[i].is_passed {
                let normal = self.normal(i, &scene);
                let contact = self.facets[i].contact(normal, boundary);
                self.add(contact, scene.tolerance);
            }
        }
        self.contacts.sort_unstable_by(order);
        self.keep_home(&scene, home, state);
        Some(scene)
    }

    /// Visits each contact with its manifold: the contact points of an elastic bed.
    ///
    /// The facets inside the body go to the contact with the nearest normal. The bed of a contact is that of
    /// the body on the planes of its facets, along m = S / |S|, where S is the area vector of the facets
    /// inside the body. Points have the names of vertices of the body ([`PointFeature::FirstVertex`]), so
    /// triangles do not matter, with one exception: where a face away from the wall bounds the depth (thin edges of
    /// the body), shares depend on which facets the body intersects, by up to 1e-3. A contact without such a vertex, at an edge or a vertex of the wall, has no
    /// manifold.
    ///
    /// [`ManifoldPoint::previous`] counts the points of all manifolds of the last call, in the order of the
    /// visits.
    ///
    /// Cost: O(facets inside times faces), besides the contacts.
    pub fn for_each_manifold(
        &mut self,
        body: &Placed<impl Borrow<ConvexPolyhedron>>,
        wall: &Wall,
        state: &mut ConvexWallState,
        mut visit: impl FnMut(ConvexWallContact, ContactManifold),
    ) {
        let shape = body.shape.borrow();
        let scene = self.solve(shape, &body.pose, wall, state);
        state.begin();
        if let Some(scene) = scene {
            let to_world = MatrixPose::from(&body.pose);
            let center = scene.body.center;
            let place = |x| to_world.transform_point(x + center);
            let to_mesh = |x| wall.pose().inverse_transform_vector(x);
            self.assign();
            self.cut_facets(&scene);
            for i in 0..self.contacts.len() {
                let Some(m) = self.contact_bed(i, &scene) else {
                    continue;
                };
                let normal = to_world.transform_vector(m);
                let bed = &mut self.bed.bed;
                bed.reduce(MAX_POINTS, state.names(to_mesh(normal)));
                if bed.nodes.is_empty() {
                    continue;
                }
                let mut manifold = bed.manifold(normal, 0.0, place);
                state.follow(&mut manifold, place(DVec3::ZERO), to_mesh);
                visit(self.contacts[i].placed(&to_world, center), manifold);
            }
        }
        state.end();
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
