//! The common plane of a point and a convex polyhedron: the face, edge or vertex nearest to the point.
//!
//! A feature is nearest to a point outside if the point is in its Voronoi region. This region lies above a face and
//! within its sides, beyond an edge on both sides and between its ends, or beyond a vertex along all edges. One test of
//! the feature of the last step is therefore enough. Otherwise a walk from the highest face finds it.

use glam::DVec3;

use super::feature_pair::{Part, Plane, across, clearest_normal, edge_feature};
use crate::math::tolerance::{GAP_ERROR, ON_EDGE, STRICT};
use crate::math::{direction, from_origin_to_segment, lexicographic};
use crate::shape::{Boundary, Feature};

/// A longer walk goes in circles.
const LONGEST_WALK: usize = 64;

/// A point near a polyhedron, in the coordinates of its boundary.
struct Query<'a> {
    boundary: &'a Boundary,
    x: DVec3,
    size: f64,
}

/// Returns the plane from a point to the polyhedron, with its feature for the next step; `None` beyond `reach`.
///
/// A point inside takes the nearest face. Of several it is the face whose outward normal comes first in lexicographic
/// order, in the coordinates of the shape. `remoteness` is the sum of those of both cores, whose rounding `x` has.
#[inline(always)]
pub(super) fn plane(
    boundary: &Boundary,
    x: DVec3,
    remoteness: f64,
    reach: f64,
    last: Option<Part>,
) -> Option<(Plane, Part)> {
    let distance_squared = x.length_squared();
    let farthest = (reach + boundary.circumscribed) * (1.0 + STRICT);
    // Also true for NaN.
    let is_near = distance_squared <= farthest * farthest;
    if !is_near {
        return None;
    }
    let size = (boundary.circumscribed + distance_squared.sqrt()).max(remoteness);
    let query = Query { boundary, x, size };
    if let Some(last) = last
        && query.is_clearly_at(last)
    {
        return Some((query.plane(last), last));
    }
    query.search(reach)
}

impl Query<'_> {
    fn height(&self, face: u32) -> f64 {
        let face = &self.boundary.faces[face as usize];
        face.normal.dot(self.x) - face.offset
    }

    /// Returns whether the point is in the region of a feature, by more than rounding.
    #[inline]
    fn is_clearly_at(&self, part: Part) -> bool {
        let clear = STRICT * self.size;
        let is_above = || !matches!(part, Part::Face(face) if self.height(face) <= clear);
        part.vertex(self.boundary).is_some() && is_above() && self.exit(part).0 < -clear
    }

    /// Returns how far the point is beyond the border of the Voronoi region of a feature, and the feature there.
    ///
    /// Neighboring regions use the same expressions, so that no point is outside of both at their common border.
    #[inline]
    fn exit(&self, part: Part) -> (f64, Part) {
        let (body, x) = (self.boundary, self.x);
        let mut farthest = (f64::NEG_INFINITY, part);
        let mut consider = |beyond: f64, next: Part| {
            if beyond > farthest.0 {
                farthest = (beyond, next);
            }
        };
        match part {
            Part::Face(face) => {
                for side in body.sides(&body.faces[face as usize]) {
                    let edge = &body.edges[side.edge as usize];
                    let k = usize::from(edge.faces[1] == face);
                    let beyond = edge.outward[k].dot(x - edge.origin);
                    consider(beyond, Part::Edge(side.edge));
                }
            }
            Part::Edge(id) => {
                let edge = &body.edges[id as usize];
                let per_length = 1.0 / edge.length;
                for (end, sign) in edge.ends.into_iter().zip([-per_length, per_length]) {
                    let beyond = edge.along.dot(x - body.vertices[end as usize]);
                    consider(sign * beyond, Part::Vertex(end));
                }
                for (face, outward) in edge.faces.into_iter().zip(edge.outward) {
                    let beyond = -outward.dot(x - edge.origin);
                    consider(beyond, Part::Face(face));
                }
            }
            Part::Vertex(vertex) => {
                let from = x - body.vertices[vertex as usize];
                for spoke in body.spokes(vertex) {
                    let length = body.edges[spoke.edge as usize].length;
                    let beyond = spoke.along.dot(from) / length;
                    consider(beyond, Part::Edge(spoke.edge));
                }
            }
        }
        farthest
    }

    /// Finds the plane from a cold start.
    #[inline(never)]
    fn search(&self, reach: f64) -> Option<(Plane, Part)> {
        let normal = |face: u32| self.boundary.faces[face as usize].normal;
        let (mut top, mut most) = (0, f64::NEG_INFINITY);
        for face in 0..self.boundary.faces.len() as u32 {
            let height = self.height(face);
            let is_first = || lexicographic(normal(face), normal(top)).is_lt();
            if height > most || (height == most && is_first()) {
                (top, most) = (face, height);
            }
        }
        if most > reach * (1.0 + ON_EDGE) {
            return None;
        }
        let start = Part::Face(top);
        let part = if most <= 0.0 {
            start
        } else {
            self.walk(start).unwrap_or_else(|| self.compare_all())
        };
        let plane = self.plane(part);
        if most <= 0.0 || self.is_clearly_at(part) {
            Some((plane, part))
        } else {
            Some((self.clearest(plane, normal(top)), part))
        }
    }

    /// Walks from feature to feature until the point is in the region of one. `None` if the walk is lost.
    fn walk(&self, mut part: Part) -> Option<Part> {
        for _ in 0..LONGEST_WALK {
            let (beyond, next) = self.exit(part);
            if beyond <= 0.0 {
                return Some(part);
            }
            if matches!(next, Part::Face(face) if self.height(face) <= 0.0) {
                return None;
            }
            part = next;
        }
        None
    }

    /// Compares all features: the point is in the region of one, and beyond the borders of the others.
    #[cold]
    fn compare_all(&self) -> Part {
        let body = self.boundary;
        let faces = (0..body.faces.len() as u32).filter(|&face| self.height(face) > 0.0);
        let edges = (0..body.edges.len() as u32).map(Part::Edge);
        let vertices = (0..body.vertices.len() as u32).map(Part::Vertex);
        let all = faces.map(Part::Face).chain(edges).chain(vertices);
        let nearest = all.min_by(|&p, &q| self.exit(p).0.total_cmp(&self.exit(q).0));
        nearest.unwrap_or(Part::Face(0))
    }

    /// Returns the plane of a feature in whose region the point is.
    #[inline]
    fn plane(&self, part: Part) -> Plane {
        let body = self.boundary;
        let (normal, gap, feature) = match part {
            Part::Face(face) => {
                let normal = -body.faces[face as usize].normal;
                (normal, self.height(face), Feature::Facet(face))
            }
            Part::Edge(edge) => {
                let edge = &body.edges[edge as usize];
                let [a, b] = edge.ends.map(|end| body.vertices[end as usize] - self.x);
                let (normal, gap) = toward(from_origin_to_segment(a, b).offset);
                // A short offset has lost this direction.
                let normal = across(normal, edge.along * (1.0 / edge.length));
                (normal, gap, edge_feature(edge))
            }
            Part::Vertex(vertex) => {
                let (normal, gap) = toward(body.vertices[vertex as usize] - self.x);
                (normal, gap, Feature::Vertex(vertex))
            }
        };
        Plane {
            gap,
            normal,
            on_p: self.x,
            inset: 0.0,
            thickness: 0.0,
            features: [Feature::Vertex(0), feature],
            error_bound: self.size * GAP_ERROR,
        }
    }

    /// Returns the plane on the border of the regions of several features, with the clearest normal there: to the nearest
    /// point, across an edge at the feature, or of the highest face.
    #[cold]
    fn clearest(&self, plane: Plane, highest: DVec3) -> Plane {
        let body = self.boundary;
        let edges = body
            .corners(plane.features[1])
            .flat_map(|id| body.spokes(id));
        let across = edges.map(|spoke| across(plane.normal, spoke.along.normalize_or_zero()));
        let normals = [-highest, plane.normal].into_iter().chain(across);
        let lower = |normal: DVec3| {
            let nearest = body.vertices[body.highest(-normal) as usize];
            normal.dot(nearest - self.x)
        };
        let (normal, open) = clearest_normal(normals, plane.normal, lower, plane.gap, self.size);
        let error_bound = plane.error_bound + open;
        Plane {
            normal,
            error_bound,
            ..plane
        }
    }
}

/// Returns direction and length of an offset, the direction 0 without length.
#[inline]
fn toward(offset: DVec3) -> (DVec3, f64) {
    let gap = offset.length();
    (direction(offset, gap).unwrap_or(DVec3::ZERO), gap)
}
