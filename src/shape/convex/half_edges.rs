use glam::DVec3;

use crate::math::cross_of_differences;
use crate::shape::{Aabb, SurfaceMesh};

/// A side of a face, in its direction. The two of an edge have the ids 2 e and 2 e + 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfEdge {
    /// The vertex it starts from.
    pub(crate) origin: u32,
    /// The side that follows it around the face.
    pub(crate) next: u32,
    /// Its index.
    pub(crate) face: u32,
}

/// The half-space of a face: `normal . x <= offset`, relative to [`HalfEdges::origin`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePlane {
    /// Outwards, as long as twice the area: of lattice points no digit is lost.
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// Of the normal.
    pub(crate) length: f64,
}

impl FacePlane {
    /// The height over the plane, times the length of the normal.
    #[inline]
    pub(crate) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// A convex polyhedron as what a cut needs: half-edges and planes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HalfEdges {
    pub(crate) halves: Vec<HalfEdge>,
    /// Of each vertex, a half-edge that starts from it.
    pub(crate) first: Vec<u32>,
    pub(crate) planes: Vec<FacePlane>,
    /// Of each face, a vertex.
    pub(crate) corners: Vec<u32>,
    /// What planes are relative to: see [`exact_origin`].
    pub(crate) origin: DVec3,
    /// Of the farthest vertex from the centroid.
    pub(crate) radius: f64,
}

impl HalfEdges {
    /// Of a closed, manifold surface, consistently oriented. O(n log n).
    pub(crate) fn new(surface: &SurfaceMesh, centroid: DVec3) -> Self {
        let (facets, edges) = surface.topology();
        let vertices = surface.vertices();
        let mut half_of_side = vec![0; facets.side_count()];
        for (edge, (_, sides)) in (0..).zip(edges.iter()) {
            for (k, &side) in (0..).zip(sides.iter().take(2)) {
                half_of_side[side as usize] = 2 * edge + k;
            }
        }
        let blank = HalfEdge {
            origin: 0,
            next: 0,
            face: 0,
        };
        let mut halves = vec![blank; half_of_side.len()];
        let mut first = vec![0; vertices.len()];
        let mut start = 0;
        for (face, ids) in (0..).zip(facets.iter()) {
            let half = |i: usize| half_of_side[start + i % ids.len()];
            for (i, &origin) in ids.iter().enumerate() {
                halves[half(i) as usize] = HalfEdge {
                    origin,
                    next: half(i + 1),
                    face,
                };
                first[origin as usize] = half(i);
            }
            start += ids.len();
        }
        let bounds = Aabb::from_points(vertices.iter().copied());
        let origin = bounds.map_or(DVec3::ZERO, |bounds| exact_origin(&bounds));
        let plane = |ids: &[u32]| {
            let corner = |i: usize| vertices[ids[i] as usize];
            let normal: DVec3 = (2..ids.len())
                .map(|i| cross_of_differences([corner(0), corner(i - 1)], [corner(0), corner(i)]))
                .sum();
            FacePlane {
                normal,
                offset: normal.dot(corner(0) - origin),
                length: normal.length(),
            }
        };
        let radius = vertices
            .iter()
            .fold(0.0, |r: f64, v| r.max(v.distance(centroid)));
        Self {
            halves,
            first,
            planes: facets.iter().map(plane).collect(),
            corners: facets.iter().map(|ids| ids[0]).collect(),
            origin,
            radius,
        }
    }
}

/// A point from which the differences to all vertices are exact, and at most twice the size of the body.
///
/// Per axis the center if the largest coordinate is at most twice the smallest (Sterbenz), or 0.
pub(crate) fn exact_origin(bounds: &Aabb<DVec3>) -> DVec3 {
    let (low, high) = (bounds.min, bounds.max);
    let is_far = high.cmple(low * 2.0) | low.cmpge(high * 2.0);
    DVec3::select(is_far, (low + high) * 0.5, DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::two_sum;
    use crate::testing::workload::SplitMix64;

    /// Boxes near the origin, around it and far away, by each axis.
    #[test]
    fn differences_from_the_origin_are_exact() {
        let mut random = SplitMix64::new(3);
        for _ in 0..10_000 {
            let mut point = || {
                let size = 10.0_f64.powf(random.range(-3.0, 3.0));
                DVec3::from_array([0; 3].map(|_| size + random.range(-1.0, 1.0)))
            };
            let corners = [point(), point(), point(), point()];
            let bounds = Aabb::from_points(corners).unwrap();
            let origin = exact_origin(&bounds);
            for corner in corners {
                for axis in 0..3 {
                    let (_, rest) = two_sum(corner[axis], -origin[axis]);
                    assert_eq!(rest, 0.0, "{corner} {origin}");
                }
            }
        }
    }
}
