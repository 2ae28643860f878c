use glam::DVec3;

use crate::math::cross_of_differences;
use crate::shape::{Aabb, SurfaceMesh};

/// A directed side of a face. Edge e has the half-edges 2 e and 2 e + 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HalfEdge {
    /// The vertex where it starts.
    pub(crate) origin: u32,
    /// The next half-edge around the face.
    pub(crate) next: u32,
    /// The index of the face.
    pub(crate) face: u32,
}

/// The half-space of a face: `normal . x <= offset`, relative to [`HalfEdges::origin`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePlane {
    /// Outwards; its length is twice the area. Exact for lattice points.
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// The length of the normal.
    pub(crate) length: f64,
}

impl FacePlane {
    /// Returns the height over the plane, times the length of the normal.
    #[inline]
    pub(crate) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// Half-edges and planes of a convex polyhedron, for cuts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HalfEdges {
    pub(crate) halves: Vec<HalfEdge>,
    /// A half-edge from each vertex.
    pub(crate) first: Vec<u32>,
    pub(crate) planes: Vec<FacePlane>,
    /// A vertex of each face.
    pub(crate) corners: Vec<u32>,
    /// The origin of the planes, from [`Aabb::exact_origin`].
    pub(crate) origin: DVec3,
    /// The distance of the farthest vertex from the centroid.
    pub(crate) radius: f64,
}

impl HalfEdges {
    /// Builds the half-edges of a closed, manifold and consistently oriented surface. O(n).
    pub(crate) fn new(surface: &SurfaceMesh, centroid: DVec3) -> Self {
        let (facets, edges) = surface.topology();
        let vertices = surface.vertices();
        let mut half_of_side = vec![0; facets.side_count()];
        for (edge, (_, sides)) in (0..).zip(edges.iter()) {
            for (k, &side) in (0..).zip(sides.iter().take(2)) {
                half_of_side[side as usize] = 2 * edge + k;
            }
        }
        let mut halves = vec![HalfEdge::default(); half_of_side.len()];
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
        let origin = Aabb::enclosing(vertices.iter().copied()).exact_origin();
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
