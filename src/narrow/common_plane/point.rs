//! The common plane of a point and a convex polyhedron: the face, edge or vertex nearest to the point.
//!
//! A feature is nearest to a point outside if the point is in its Voronoi region. This region lies above a face and
//! within its sides, beyond an edge on both sides and between its ends, or beyond a vertex along all edges. One test of
//! the feature of the last step is therefore enough. Otherwise a walk from the highest face finds it.

use std::iter;

use glam::DVec3;

use super::feature_pair::{FeaturePair, Plane, across};
use crate::math::tolerance::{GAP_BOUNDS, GAP_ERROR, ON_EDGE, STRICT};
use crate::math::{
    Location, direction, from_origin_to_polygon, from_origin_to_segment, lexicographic,
};
use crate::shape::{Boundary, Feature};

/// A longer walk goes in circles.
const LONGEST_WALK: usize = 64;

/// A point near a polyhedron, in the coordinates of its boundary.
struct Query<'a> {
    boundary: &'a Boundary,
    x: DVec3,
    size: f64,
}

/// Returns the plane from a point to the polyhedron, with the pair for the next step; `None` beyond `reach`.
///
/// A point inside takes the nearest face. Of several it is the face whose outward normal comes first in lexicographic
/// order, in the coordinates of the shape.
#[inline(always)]
pub(super) fn plane(
    boundary: &Boundary,
    x: DVec3,
    reach: f64,
    last: FeaturePair,
) -> Option<(Plane, FeaturePair)> {
    let distance_squared = x.length_squared();
    let farthest = (reach + boundary.circumscribed) * (1.0 + STRICT);
    // Also true for NaN.
    let is_near = distance_squared <= farthest * farthest;
    if !is_near {
        return None;
    }
    let size = boundary.circumscribed + distance_squared.sqrt();
    let query = Query { boundary, x, size };
    if query.is_clearly_at(last) {
        return Some((query.plane(last), last));
    }
    query.search(reach)
}

impl Query<'_> {
    fn height(&self, face: u32) -> f64 {
        let face = &self.boundary.faces[face as usize];
        face.normal.dot(self.x) - face.offset
    }

    /// Returns whether the point is in the region of a feature, by more than rounding. `None` is no feature.
    #[inline]
    fn is_clearly_at(&self, pair: FeaturePair) -> bool {
        let clear = STRICT * self.size;
        let body = self.boundary;
        let is_there = match pair {
            FeaturePair::VertexFace(_, i) => {
                (i as usize) < body.faces.len() && self.height(i) > clear
            }
            FeaturePair::VertexEdge(_, i) => (i as usize) < body.edges.len(),
            FeaturePair::VertexVertex(_, i) => (i as usize) < body.vertices.len(),
            _ => false,
        };
        is_there && self.exit(pair).0 < -clear
    }

    /// Returns how far the point is beyond the border of the Voronoi region of a feature, and the feature there.
    ///
    /// Neighboring regions use the same expressions, so that no point is outside of both at their common border.
    #[inline]
    fn exit(&self, pair: FeaturePair) -> (f64, FeaturePair) {
        let Boundary {
            faces,
            edges,
            vertices,
            ..
        } = self.boundary;
        let mut farthest = (f64::NEG_INFINITY, pair);
        let mut consider = |beyond: f64, next: FeaturePair| {
            if beyond > farthest.0 {
                farthest = (beyond, next);
            }
        };
        match pair {
            FeaturePair::VertexFace(_, face) => {
                for side in self.boundary.sides(&faces[face as usize]) {
                    let edge = &edges[side.edge as usize];
                    let k = usize::from(edge.faces[1] == face);
                    let beyond = edge.outward[k].dot(self.x - edge.origin);
                    consider(beyond, FeaturePair::VertexEdge(0, side.edge));
                }
            }
            FeaturePair::VertexEdge(_, id) => {
                let edge = &edges[id as usize];
                for (end, sign) in edge.ends.into_iter().zip([-1.0, 1.0]) {
                    let beyond = edge.along.dot(self.x - vertices[end as usize]);
                    consider(
                        sign * beyond / edge.length,
                        FeaturePair::VertexVertex(0, end),
                    );
                }
                for (face, outward) in edge.faces.into_iter().zip(edge.outward) {
                    let beyond = outward.dot(self.x - edge.origin);
                    consider(-beyond, FeaturePair::VertexFace(0, face));
                }
            }
            FeaturePair::VertexVertex(_, vertex) => {
                let from = self.x - vertices[vertex as usize];
                for spoke in self.boundary.spokes(vertex) {
                    let beyond = spoke.along.dot(from) / edges[spoke.edge as usize].length;
                    consider(beyond, FeaturePair::VertexEdge(0, spoke.edge));
                }
            }
            _ => {}
        }
        farthest
    }

    /// Finds the plane from a cold start.
    #[inline(never)]
    fn search(&self, reach: f64) -> Option<(Plane, FeaturePair)> {
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
        let start = FeaturePair::VertexFace(0, top);
        let pair = if most <= 0.0 {
            start
        } else {
            self.walk(start).unwrap_or_else(|| self.compare_all())
        };
        let plane = self.plane(pair);
        if most <= 0.0 || self.is_clearly_at(pair) {
            Some((plane, pair))
        } else {
            Some((self.clearest(plane, normal(top)), pair))
        }
    }

    /// Walks from feature to feature until the point is in the region of one. `None` if the walk is lost.
    fn walk(&self, mut pair: FeaturePair) -> Option<FeaturePair> {
        for _ in 0..LONGEST_WALK {
            let (beyond, next) = self.exit(pair);
            if beyond <= 0.0 {
                return Some(pair);
            }
            if matches!(next, FeaturePair::VertexFace(_, face) if self.height(face) <= 0.0) {
                return None;
            }
            pair = next;
        }
        None
    }

    /// Compares the faces that the point is above.
    #[cold]
    fn compare_all(&self) -> FeaturePair {
        let boundary = self.boundary;
        let mut best = (f64::INFINITY, DVec3::ZERO, FeaturePair::VertexFace(0, 0));
        for (id, face) in (0..).zip(&boundary.faces) {
            if self.height(id) <= 0.0 {
                continue;
            }
            let sides = boundary.sides(face);
            let corner = |i: usize| boundary.vertices[sides[i].corner as usize] - self.x;
            let closest = from_origin_to_polygon(face.normal, sides.len(), corner);
            let pair = match closest.location {
                Location::Interior => FeaturePair::VertexFace(0, id),
                Location::Edge(i) => FeaturePair::VertexEdge(0, sides[i].edge),
                Location::Vertex(i) => FeaturePair::VertexVertex(0, sides[i].corner),
            };
            let by_position = || lexicographic(closest.offset, best.1);
            let by_distance = closest.distance_squared.total_cmp(&best.0);
            if by_distance.then_with(by_position).is_lt() {
                best = (closest.distance_squared, closest.offset, pair);
            }
        }
        best.2
    }

    /// Returns the plane of a feature in whose region the point is.
    #[inline]
    fn plane(&self, pair: FeaturePair) -> Plane {
        let boundary = self.boundary;
        match pair {
            FeaturePair::VertexFace(_, face) => {
                let normal = boundary.faces[face as usize].normal;
                self.plane_with(-normal, self.height(face), Feature::Facet(face))
            }
            FeaturePair::VertexEdge(_, edge) => {
                let edge = &boundary.edges[edge as usize];
                let ends = edge
                    .ends
                    .map(|end| boundary.vertices[end as usize] - self.x);
                let offset = from_origin_to_segment(ends[0], ends[1]).offset;
                let gap = offset.length();
                let normal = direction(offset, gap).unwrap_or(DVec3::ZERO);
                // A short offset has lost this direction.
                let normal = across(normal, edge.along * (1.0 / edge.length));
                self.plane_with(normal, gap, Feature::Edge(edge.ends[0], edge.ends[1]))
            }
            FeaturePair::VertexVertex(_, vertex) => {
                let offset = boundary.vertices[vertex as usize] - self.x;
                let gap = offset.length();
                let normal = direction(offset, gap).unwrap_or(DVec3::ZERO);
                self.plane_with(normal, gap, Feature::Vertex(vertex))
            }
            _ => self.plane_with(DVec3::ZERO, 0.0, Feature::Vertex(0)),
        }
    }

    /// Returns the plane on the border of the regions of several features, with the clearest normal there.
    ///
    /// The direction of a short offset may lie beyond the border, and a vertex of the polyhedron then before the plane.
    /// The normal is taken along which the gap is largest: that direction, across an edge at the feature, or of the
    /// highest face.
    #[cold]
    fn clearest(&self, plane: Plane, highest: DVec3) -> Plane {
        let body = self.boundary;
        let lower =
            |normal: DVec3| normal.dot(body.vertices[body.highest(-normal) as usize] - self.x);
        let mut best = (-highest, lower(-highest));
        let corners = body.corners(plane.features[1]);
        let edges = corners.flat_map(|id| body.spokes(id)).map(|spoke| {
            let edge = &body.edges[spoke.edge as usize];
            across(plane.normal, edge.along * (1.0 / edge.length))
        });
        for normal in iter::once(plane.normal).chain(edges) {
            let normal = normal.normalize_or_zero();
            let gap = lower(normal);
            if gap > best.1 && normal != DVec3::ZERO {
                best = (normal, gap);
            }
        }
        let open = plane.gap - best.1 - GAP_BOUNDS * self.size;
        Plane {
            normal: best.0,
            error_bound: plane.error_bound + open.max(0.0),
            ..plane
        }
    }

    #[inline]
    fn plane_with(&self, normal: DVec3, gap: f64, feature: Feature) -> Plane {
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
}
