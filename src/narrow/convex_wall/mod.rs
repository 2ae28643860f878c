//! A convex polyhedron against a meshed wall.
//!
//! Let phi(x) be the maximum over the faces of the body of `n . x - offset`. Contacts are the local minima of
//! phi on the wall with phi < 0: for a sphere, where phi is the distance from the center minus the radius,
//! they are those of [`DoubleHierarchy`](super::DoubleHierarchy). The wall is cut into sheets along concave
//! edges with a large bend, and minima are local within a sheet. Otherwise a body in a corner would lose
//! the contacts with all planes but the deepest, because phi decreases along the others towards it.

mod facet_minimum;

use std::borrow::Borrow;

use glam::{DVec2, DVec3};

use self::facet_minimum::{Chart, FacetMinimum};
use super::{NarrowPhase, Wall, WallSides};
use crate::math::tolerance::{SAME_PLANE, STRICT};
use crate::math::{MatrixPose, direction};
use crate::shape::{Boundary, ConvexPolyhedron, Placed, SurfaceMesh};

/// A contact of a convex polyhedron with a wall. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConvexWallContact {
    /// A point of the wall where the depth is largest.
    pub point: DVec3,
    /// The unit normal, from the body into the wall.
    pub normal: DVec3,
    /// How far the body reaches beyond the point along the normal.
    pub overlap: f64,
    /// The depth of the point inside the body: its distance from the surface.
    pub depth: f64,
    /// The lowest facet with this contact.
    pub facet: u32,
}

/// Contacts of a convex polyhedron with a wall.
#[derive(Clone, Debug)]
pub struct ConvexWall {
    sides: WallSides,
    /// The cosine of the bend at which a concave edge separates sheets.
    bend: f64,
    near: Vec<u32>,
    corners: Vec<DVec3>,
    facets: Vec<NearFacet>,
    minimum: FacetMinimum,
    contacts: Vec<ConvexWallContact>,
}

/// A facet inside the body, in the frame of the body about its center.
#[derive(Clone, Copy, Debug)]
struct NearFacet {
    facet: u32,
    first_corner: u32,
    corner_count: u32,
    /// On the side of the body.
    front: DVec3,
    /// A corner.
    origin: DVec3,
    /// The mean of the corners.
    middle: DVec3,
    phi: f64,
    point: DVec3,
    /// The distance of the point from the border.
    margin: f64,
}

/// A body and the wall in its frame.
struct Scene<'a> {
    body: &'a Boundary,
    tolerance: f64,
}

impl Default for ConvexWall {
    fn default() -> Self {
        Self {
            sides: WallSides::default(),
            bend: 0.5_f64.cos(),
            near: Vec::new(),
            corners: Vec::new(),
            facets: Vec::new(),
            minimum: FacetMinimum::default(),
            contacts: Vec::new(),
        }
    }
}

impl ConvexWall {
    /// Creates a kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Collects the facets inside the body, each with its minimum.
    fn find_facets(&mut self, scene: &Scene, mesh: &SurfaceMesh, motion: &MatrixPose) {
        self.corners.clear();
        self.facets.clear();
        let faces = &scene.body.faces;
        for &facet in &self.near {
            let Some(from) = mesh.facet(facet) else {
                continue;
            };
            let first = self.corners.len();
            self.corners
                .extend(from.corners().map(|x| motion.transform_point(x)));
            let corners = &self.corners[first..];
            let is_beyond =
                |normal: DVec3, offset: f64| corners.iter().all(|x| normal.dot(*x) >= offset);
            let normal = motion.transform_vector(from.normal());
            if normal == DVec3::ZERO || faces.iter().any(|face| is_beyond(face.normal, face.offset))
            {
                self.corners.truncate(first);
                continue;
            }
            let origin = corners[0];
            let chart = Chart::new(origin, normal);
            self.minimum.polygon.clear();
            self.minimum
                .polygon
                .extend(corners.iter().map(|&x| chart.to_plane(x)));
            let (phi, at) = self.minimum.find(faces, &chart, scene.tolerance);
            if phi >= 0.0 {
                self.corners.truncate(first);
                continue;
            }
            let is_in_front = self.sides != WallSides::Both || normal.dot(origin) <= 0.0;
            self.facets.push(NearFacet {
                facet,
                first_corner: first as u32,
                corner_count: corners.len() as u32,
                front: if is_in_front { normal } else { -normal },
                origin,
                middle: corners.iter().sum::<DVec3>() / corners.len() as f64,
                phi,
                point: chart.to_space(at),
                margin: border_distance(&self.minimum.polygon, at),
            });
        }
    }

    fn corners_of(&self, facet: &NearFacet) -> &[DVec3] {
        let first = facet.first_corner as usize;
        &self.corners[first..first + facet.corner_count as usize]
    }

    /// Returns whether a facet of the same sheet comes deeper from the minimum of this one.
    fn is_passed(&self, facet: &NearFacet, scene: &Scene) -> bool {
        let tolerance = scene.tolerance;
        facet.margin <= tolerance
            && self.facets.iter().any(|other| {
                other.phi < facet.phi - tolerance
                    && self.holds(other, facet.point, 4.0 * tolerance)
                    && !self.is_valley(facet, other)
            })
    }

    /// Returns whether a point is on a facet.
    fn holds(&self, facet: &NearFacet, point: DVec3, tolerance: f64) -> bool {
        let arm = point - facet.origin;
        if facet.front.dot(arm).abs() > tolerance {
            return false;
        }
        let chart = Chart::new(facet.origin, facet.front);
        let corners = self.corners_of(facet).iter().map(|&x| chart.to_plane(x));
        let polygon: Vec<DVec2> = corners.collect();
        border_distance(&polygon, chart.to_plane(point)) >= -tolerance
    }

    /// Returns whether two facets that meet belong to different sheets.
    fn is_valley(&self, a: &NearFacet, b: &NearFacet) -> bool {
        a.front.dot(b.front) < self.bend
            && a.front.dot(b.middle - a.origin) > 0.0
            && b.front.dot(a.middle - b.origin) > 0.0
    }

    /// Returns the normal of the contact of a facet, from the body into the wall.
    fn normal(&mut self, index: usize, scene: &Scene) -> DVec3 {
        let facet = self.facets[index];
        let Scene { body, tolerance } = scene;
        if facet.margin > *tolerance {
            return -facet.front;
        }
        let chart = Chart::new(facet.point, facet.front);
        let far = 4.0 * body.circumscribed;
        let square = [(-far, -far), (far, -far), (far, far), (-far, far)];
        self.minimum.polygon.clear();
        self.minimum.polygon.extend(square.map(DVec2::from));
        if self.minimum.find(&body.faces, &chart, *tolerance).0 >= facet.phi - tolerance {
            return -facet.front;
        }
        let value = |normal: DVec3, offset: f64| normal.dot(facet.point) - offset;
        let faces = body.faces.iter();
        let active = faces.filter(|face| value(face.normal, face.offset) >= facet.phi - tolerance);
        let active: Vec<DVec3> = active.map(|face| face.normal).collect();
        if let [only] = active[..] {
            return only;
        }
        self.across_edge(&facet, &active, *tolerance)
            .or_else(|| {
                let sum: DVec3 = active.iter().sum();
                direction(sum, sum.length())
            })
            .unwrap_or(-facet.front)
    }

    /// Returns the combination of two active normals that is normal to the edge of the wall through the
    /// minimum.
    fn across_edge(&self, facet: &NearFacet, active: &[DVec3], tolerance: f64) -> Option<DVec3> {
        let corners = self.corners_of(facet);
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let Some(along) = direction(to - from, to.distance(from)) else {
                continue;
            };
            if (facet.point - from).cross(along).length() > 16.0 * tolerance {
                continue;
            }
            for &p in active {
                for &q in active {
                    let (a, b) = (p.dot(along), q.dot(along));
                    if a > 0.0 || b < 0.0 || p == q {
                        continue;
                    }
                    let sum = if b - a < STRICT { p } else { p * b - q * a };
                    let normal = direction(sum, sum.length())?;
                    // The facet has to be on the far side.
                    if normal.dot(facet.middle - facet.point) >= -tolerance {
                        return Some(normal);
                    }
                }
            }
        }
        None
    }
}

/// Returns the distance of a point inside a convex polygon from its border, negative outside.
fn border_distance(polygon: &[DVec2], point: DVec2) -> f64 {
    let side = |i: usize| (polygon[i], polygon[(i + 1) % polygon.len()]);
    let turn: f64 = (1..polygon.len() - 1)
        .map(|i| (polygon[i] - polygon[0]).perp_dot(polygon[i + 1] - polygon[0]))
        .sum();
    let distances = (0..polygon.len()).map(side).filter(|(from, to)| from != to);
    let distances = distances.map(|(from, to)| {
        turn.signum() * (to - from).perp_dot(point - from) / (to - from).length()
    });
    distances.fold(f64::INFINITY, f64::min)
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Wall> for ConvexWall {
    type Contact = ConvexWallContact;
    type State = ();

    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        wall: &Wall,
        (): &mut (),
        visit: impl FnMut(ConvexWallContact),
    ) {
        let boundary = body.shape.borrow().boundary();
        let center = body.pose.transform_point(boundary.center);
        let sphere = crate::shape::Sphere::new(center, boundary.circumscribed);
        self.near.clear();
        let near = &mut self.near;
        wall.for_each_facet_near(&sphere, |facet| near.push(facet));
        near.sort_unstable();
        let relative = body.pose.inv_mul(wall.pose());
        let motion = MatrixPose::from(&relative).relative_to(boundary.center);
        let size = motion
            .translation
            .abs()
            .max_element()
            .max(boundary.circumscribed);
        let scene = Scene {
            body: boundary,
            tolerance: size * SAME_PLANE,
        };
        self.find_facets(&scene, wall.mesh(), &motion);
        self.contacts.clear();
        let to_world = MatrixPose::from(&body.pose);
        for i in 0..self.facets.len() {
            let facet = self.facets[i];
            if self.is_passed(&facet, &scene) {
                continue;
            }
            let normal = self.normal(i, &scene);
            let top = boundary.farthest(normal, 0) as usize;
            let reach = normal.dot(boundary.vertices[top]);
            let contact = ConvexWallContact {
                point: to_world.transform_point(facet.point + boundary.center),
                normal: to_world.transform_vector(normal),
                overlap: reach - normal.dot(facet.point),
                depth: -facet.phi,
                facet: facet.facet,
            };
            let is_same = |c: &ConvexWallContact| {
                c.normal.distance(contact.normal) <= 1e-9
                    && (c.overlap - contact.overlap).abs() <= 64.0 * scene.tolerance
            };
            if !self.contacts.iter().any(is_same) {
                self.contacts.push(contact);
            }
        }
        self.contacts
            .sort_by(|a, b| b.overlap.total_cmp(&a.overlap));
        self.contacts.iter().copied().for_each(visit);
    }
}
