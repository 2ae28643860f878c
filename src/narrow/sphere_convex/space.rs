//! The face, edge or vertex of a convex polyhedron nearest to a point.
//!
//! A part is nearest to a point outside if the point is in its Voronoi region. This region lies above a face and within
//! its sides, beyond an edge on both sides, or beyond a vertex along all edges. One test of the part of the last step
//! is therefore enough. Otherwise a walk from the highest face finds it. Neighboring regions use the same expressions,
//! so that a point on their common border belongs to exactly one.

use glam::DVec3;

use super::Nearest;
use crate::math::tolerance::{ON_EDGE, STRICT};
use crate::math::{
    Location, direction, from_origin_to_polygon, from_origin_to_segment, lexicographic,
};
use crate::shape::{Boundary, Feature};

/// A part of the surface, by its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Face(u32),
    Edge(u32),
    Vertex(u32),
}

/// A longer walk goes in circles.
const LONGEST_WALK: usize = 64;

/// A point near a polyhedron, in the coordinates of its boundary.
struct Query<'a> {
    boundary: &'a Boundary,
    center: DVec3,
}

/// Returns the point of the surface nearest to a center, and the part for the next step; `None` out of reach.
#[inline]
pub(super) fn nearest(
    boundary: &Boundary,
    center: DVec3,
    reach: f64,
    last: Option<Part>,
) -> Option<(Nearest<DVec3>, Part)> {
    let query = Query { boundary, center };
    let farthest = (reach + boundary.circumscribed) * (1.0 + STRICT);
    // Also true for NaN.
    let is_near = center.length_squared() <= farthest * farthest;
    if !is_near {
        return None;
    }
    if let Some(part) = last.filter(|&part| query.is_clearly_in(part)) {
        return Some((query.at(part), part));
    }
    query.search(reach)
}

impl Query<'_> {
    fn height(&self, face: u32) -> f64 {
        let face = &self.boundary.faces[face as usize];
        face.normal.dot(self.center) - face.offset
    }

    /// Returns how far the center is beyond an edge, in the plane of the edge's face `k`.
    #[inline]
    fn beyond(&self, edge: u32, k: usize) -> f64 {
        let edge = &self.boundary.edges[edge as usize];
        edge.outward[k].dot(self.center - edge.origin)
    }

    /// Returns the same for a face of the edge.
    #[inline]
    fn beyond_side(&self, edge: u32, face: u32) -> f64 {
        let is_second = self.boundary.edges[edge as usize].faces[1] == face;
        self.beyond(edge, usize::from(is_second))
    }

    /// Returns how far the center is from each end of an edge along it, times the length of the edge.
    #[inline]
    fn along(&self, edge: u32) -> [f64; 2] {
        let edge = &self.boundary.edges[edge as usize];
        let end = self.boundary.vertices[edge.ends[1] as usize];
        [edge.origin, end].map(|end| edge.along.dot(self.center - end))
    }

    /// Returns whether the center is in the region of a part, by more than rounding.
    #[inline]
    fn is_clearly_in(&self, part: Part) -> bool {
        let boundary = self.boundary;
        let clear = STRICT * (boundary.circumscribed + self.center.length());
        match part {
            Part::Face(face) => {
                let Some(plane) = boundary.faces.get(face as usize) else {
                    return false;
                };
                let mut sides = boundary.sides(plane).iter();
                self.height(face) > clear
                    && sides.all(|side| self.beyond_side(side.edge, face) < -clear)
            }
            Part::Edge(edge) => {
                let Some(length) = boundary.edges.get(edge as usize).map(|e| e.length) else {
                    return false;
                };
                let [from, to] = self.along(edge);
                let clear_along = clear * length;
                from > clear_along
                    && to < -clear_along
                    && self.beyond(edge, 0) > clear
                    && self.beyond(edge, 1) > clear
            }
            Part::Vertex(vertex) => {
                let Some(&corner) = boundary.vertices.get(vertex as usize) else {
                    return false;
                };
                let mut spokes = boundary.spokes(vertex).iter();
                spokes.all(|spoke| {
                    spoke.along.dot(self.center - corner) < -clear * spoke.along.length()
                })
            }
        }
    }

    /// Finds the nearest point from a cold start.
    #[inline(never)]
    fn search(&self, reach: f64) -> Option<(Nearest<DVec3>, Part)> {
        let normal = |face: u32| self.boundary.faces[face as usize].normal;
        let mut highest = (0, f64::NEG_INFINITY);
        for face in 0..self.boundary.faces.len() as u32 {
            let height = self.height(face);
            let is_first = || lexicographic(normal(face), normal(highest.0)).is_lt();
            if height > highest.1 || (height == highest.1 && is_first()) {
                highest = (face, height);
            }
        }
        if highest.1 > reach * (1.0 + ON_EDGE) {
            return None;
        }
        let start = Part::Face(highest.0);
        if highest.1 <= 0.0 {
            return Some((self.at(start), start));
        }
        let part = self.walk(start).unwrap_or_else(|| self.compare_all());
        Some((self.at(part), part))
    }

    /// Walks from part to part until the center is in the region of one, always nearer to it.
    fn walk(&self, mut part: Part) -> Option<Part> {
        for _ in 0..LONGEST_WALK {
            let next = match part {
                Part::Face(face) => self.across_a_side(face),
                Part::Edge(edge) => self.off_an_edge(edge)?,
                Part::Vertex(vertex) => self.along_an_edge(vertex),
            };
            let Some(next) = next else { return Some(part) };
            part = next;
        }
        None
    }

    /// Returns the edge that the center is farthest beyond.
    fn across_a_side(&self, face: u32) -> Option<Part> {
        let sides = self.boundary.sides(&self.boundary.faces[face as usize]);
        let beyond = sides
            .iter()
            .map(|s| (s.edge, self.beyond_side(s.edge, face)));
        let farthest = beyond.fold(None, |best: Option<(u32, f64)>, next| {
            let is_farther = next.1 >= 0.0 && best.is_none_or(|best| next.1 > best.1);
            if is_farther { Some(next) } else { best }
        });
        farthest.map(|(edge, _)| Part::Edge(edge))
    }

    /// Returns the end or the face that is nearer than an edge. Returns `None` if the walk is lost, with the center
    /// behind this face.
    #[allow(clippy::option_option, reason = "the inner one is the end of the walk")]
    fn off_an_edge(&self, edge: u32) -> Option<Option<Part>> {
        let [from, to] = self.along(edge);
        let ends = self.boundary.edges[edge as usize].ends;
        if from <= 0.0 {
            return Some(Some(Part::Vertex(ends[0])));
        }
        if to >= 0.0 {
            return Some(Some(Part::Vertex(ends[1])));
        }
        let Some(k) = [0, 1].into_iter().find(|&k| self.beyond(edge, k) < 0.0) else {
            return Some(None);
        };
        let face = self.boundary.edges[edge as usize].faces[k];
        (self.height(face) > 0.0).then_some(Some(Part::Face(face)))
    }

    /// Returns the edge along which the center is farthest from a vertex.
    fn along_an_edge(&self, vertex: u32) -> Option<Part> {
        let from = self.boundary.vertices[vertex as usize];
        let spokes = self.boundary.spokes(vertex).iter();
        let along = spokes.map(|s| (s.edge, s.along.dot(self.center - from) / s.along.length()));
        let farthest = along.fold(None, |best: Option<(u32, f64)>, next| {
            let is_farther = next.1 > best.map_or(0.0, |best| best.1);
            if is_farther { Some(next) } else { best }
        });
        farthest.map(|(edge, _)| Part::Edge(edge))
    }

    /// Compares the faces that the center is above.
    #[cold]
    fn compare_all(&self) -> Part {
        let boundary = self.boundary;
        let mut best = (f64::INFINITY, DVec3::ZERO, Part::Face(0));
        for (id, face) in (0..).zip(&boundary.faces) {
            if self.height(id) <= 0.0 {
                continue;
            }
            let sides = boundary.sides(face);
            let corner = |i: usize| boundary.vertices[sides[i].corner as usize] - self.center;
            let closest = from_origin_to_polygon(face.normal, sides.len(), corner);
            let part = match closest.location {
                Location::Interior => Part::Face(id),
                Location::Edge(i) => Part::Edge(sides[i].edge),
                Location::Vertex(i) => Part::Vertex(sides[i].corner),
            };
            let by_position = || lexicographic(closest.offset, best.1);
            let by_distance = closest.distance_squared.total_cmp(&best.0);
            if by_distance.then_with(by_position).is_lt() {
                best = (closest.distance_squared, closest.offset, part);
            }
        }
        best.2
    }

    /// Returns the nearest point of a part, in whose region the center is.
    #[inline]
    fn at(&self, part: Part) -> Nearest<DVec3> {
        let boundary = self.boundary;
        let (offset, feature) = match part {
            Part::Face(face) => {
                let (normal, distance) = (boundary.faces[face as usize].normal, self.height(face));
                return Nearest {
                    offset: normal * -distance,
                    normal,
                    distance,
                    feature: Feature::Facet(face),
                };
            }
            Part::Edge(edge) => {
                let ends = boundary.edges[edge as usize].ends;
                let [a, b] = ends.map(|end| boundary.vertices[end as usize] - self.center);
                let closest = from_origin_to_segment(a, b);
                (closest.offset, Feature::Edge(ends[0], ends[1]))
            }
            Part::Vertex(vertex) => {
                let offset = boundary.vertices[vertex as usize] - self.center;
                (offset, Feature::Vertex(vertex))
            }
        };
        let distance = offset.length();
        Nearest {
            offset,
            normal: direction(-offset, distance).unwrap_or_else(|| self.normal_at(part)),
            distance,
            feature,
        }
    }

    /// Returns the first normal, in lexicographic order, of the faces at an edge or a vertex.
    #[cold]
    fn normal_at(&self, part: Part) -> DVec3 {
        let boundary = self.boundary;
        let faces_of = |edge: u32| boundary.edges[edge as usize].faces;
        let (edge, spokes) = match part {
            Part::Vertex(vertex) => (None, boundary.spokes(vertex)),
            Part::Edge(edge) => (Some(edge), &[][..]),
            Part::Face(_) => (None, &[][..]),
        };
        let edges = edge
            .into_iter()
            .chain(spokes.iter().map(|spoke| spoke.edge));
        let normals = edges
            .flat_map(faces_of)
            .map(|face| boundary.faces[face as usize].normal);
        normals
            .min_by(|&a, &b| lexicographic(a, b))
            .unwrap_or(DVec3::X)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;
    use crate::testing::workload::SplitMix64;

    /// Random bodies of a size with points near them.
    fn for_each_query(size: f64, mut visit: impl FnMut(&Query<'_>)) {
        let mut random = SplitMix64::new(1);
        for _ in 0..200 {
            let points: Vec<_> = (0..12).map(|_| random.in_ball() * size).collect();
            let body = ConvexPolyhedron::from_convex_hull(&points).unwrap();
            visit(&Query {
                boundary: body.boundary(),
                center: random.in_ball() * 2.0 * size,
            });
        }
    }

    fn ids(count: usize) -> std::ops::Range<u32> {
        0..count as u32
    }

    /// The part that a search finds is confirmed in the next step, and no other part is. All ways of
    /// searching find it, from any face that the point is above.
    #[test]
    fn one_part_is_nearest() {
        for size in [1.0, 1e-9] {
            let mut counts = [0; 3];
            for_each_query(size, |query| {
                let boundary = query.boundary;
                let is_above = |&face: &u32| query.height(face) > 0.0;
                let mut above = ids(boundary.faces.len()).filter(is_above).peekable();
                if above.peek().is_none() {
                    return;
                }
                let (_, part) = query.search(f64::INFINITY).unwrap();
                assert_eq!(query.compare_all(), part);
                for face in above {
                    let found = query.walk(Part::Face(face));
                    assert!(
                        found.is_none_or(|found| found == part),
                        "{found:?} {part:?}"
                    );
                }
                let faces = ids(boundary.faces.len()).map(Part::Face);
                let edges = ids(boundary.edges.len()).map(Part::Edge);
                let vertices = ids(boundary.vertices.len()).map(Part::Vertex);
                for other in faces.chain(edges).chain(vertices) {
                    assert_eq!(
                        query.is_clearly_in(other),
                        other == part,
                        "{other:?} {part:?}"
                    );
                }
                counts[match part {
                    Part::Face(_) => 0,
                    Part::Edge(_) => 1,
                    Part::Vertex(_) => 2,
                }] += 1;
            });
            assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
        }
    }

    /// A walk leaves a face across the side that the point is farthest beyond. It leaves a vertex along the edge on
    /// which it advances most, and ends if there is none.
    #[test]
    fn a_walk_takes_the_steepest_step() {
        let steepest = |steps: &mut dyn Iterator<Item = (f64, u32)>| {
            let steps = steps.filter(|step| step.0 > 0.0);
            let best = steps.max_by(|a, b| a.0.total_cmp(&b.0));
            best.map(|(_, edge)| Part::Edge(edge))
        };
        for_each_query(1.0, |query| {
            let boundary = query.boundary;
            let corner = |i: u32| boundary.vertices[i as usize];
            for (face, plane) in (0..).zip(&boundary.faces) {
                let sides = boundary.sides(plane);
                let mut beyond = (0..sides.len()).map(|i| {
                    let next = corner(sides[(i + 1) % sides.len()].corner);
                    let from = corner(sides[i].corner);
                    let outward = (next - from).cross(plane.normal).normalize();
                    (outward.dot(query.center - from), sides[i].edge)
                });
                assert_eq!(query.across_a_side(face), steepest(&mut beyond));
            }
            for vertex in ids(boundary.vertices.len()) {
                let mut along = (0..).zip(&boundary.edges).filter_map(|(id, edge)| {
                    let other = edge.ends.into_iter().find(|&end| end != vertex)?;
                    let way = (corner(other) - corner(vertex)).normalize();
                    let is_here = edge.ends.contains(&vertex);
                    is_here.then(|| (way.dot(query.center - corner(vertex)), id))
                });
                assert_eq!(query.along_an_edge(vertex), steepest(&mut along));
            }
        });
    }
}
