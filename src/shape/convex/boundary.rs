//! The boundary of a convex polyhedron, for support functions and planes.

use glam::DVec3;

use super::vertex_block::VertexBlock;
use crate::math::tolerance::{FLAT_EDGE, two_to};
use crate::shape::rows::Rows;
use crate::shape::{Feature, Stamp, SurfaceMesh};

/// A rise along an edge below this part of its length counts as rounding. A stored vector and a product of three terms
/// take 4 u; 5 u are allowed.
const EDGE_RISE: f64 = 1.25 * two_to(-51);

/// Faces, edges and vertices with their adjacency.
///
/// Coordinates are relative to `center`, the centroid rounded to few bits. Coordinates with few bits
/// then stay exact, and a shape far from its own origin loses no digits.
#[derive(Clone, Debug)]
pub struct Boundary {
    pub(crate) stamp: Stamp,
    pub(crate) center: DVec3,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    pub(crate) edges: Vec<BoundaryEdge>,
    sides: Vec<FaceSide>,
    /// The edges at each vertex, in the order of the edges.
    spokes: Rows<Spoke>,
    /// The vertices in blocks, if they are not too many.
    blocks: Vec<VertexBlock>,
    /// The radius of a ball around the center inside the body.
    pub(crate) inscribed: f64,
    /// The radius of the smallest ball around the center that contains all vertices.
    pub(crate) circumscribed: f64,
    /// The largest coordinate of the center. A pose moves the center with a rounding error relative to it.
    pub(crate) remoteness: f64,
}

/// A face: `normal . x <= offset` holds inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    first_side: u32,
    side_count: u32,
    /// Whether no adjacent face lies in the same plane to rounding.
    pub(crate) is_whole: bool,
}

/// A side of a face. In the plane of the face, `normal . x <= offset` holds inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FaceSide {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// The corner where it starts.
    pub(crate) corner: u32,
    pub(crate) edge: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoundaryEdge {
    /// The position of the lower end.
    pub(crate) origin: DVec3,
    /// The vector from the lower to the higher end.
    pub(crate) along: DVec3,
    /// For each face, the unit vector in its plane that points out across the edge; 0 without faces.
    pub(crate) outward: [DVec3; 2],
    pub(crate) length: f64,
    pub(crate) ends: [u32; 2],
    pub(crate) faces: [u32; 2],
}

impl BoundaryEdge {
    const NO_FACE: u32 = u32::MAX;

    /// Returns whether the edge is a segment without faces.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.faces[0] == Self::NO_FACE
    }

    /// Returns the faces, none of a bare edge.
    pub(crate) fn existing_faces(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let is_face = |face: &u32| *face != Self::NO_FACE;
        self.faces.into_iter().filter(is_face)
    }
}

/// An edge of a convex body as seen from one of its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spoke {
    pub(crate) along: DVec3,
    /// The rounding error of its product with a direction whose coordinates add up to 1.
    rounding: f64,
    pub(crate) vertex: u32,
    pub(crate) edge: u32,
}

impl Spoke {
    pub(super) fn new(along: DVec3, vertex: u32, edge: u32) -> Self {
        Self {
            along,
            rounding: along.length() * EDGE_RISE,
            vertex,
            edge,
        }
    }
}

impl Boundary {
    /// Up to this number of vertices, comparing all is faster than a walk from a good guess.
    pub(crate) const FEW: usize = 16;
    /// Up to this number of vertices, comparing all is faster than a walk from a poor guess.
    const MANY: usize = 64;

    /// Builds the boundary of a closed convex surface whose faces have normals.
    pub(super) fn new(surface: &SurfaceMesh, centroid: DVec3) -> Self {
        let depth = |center: DVec3| {
            let depths = surface.facets().map(|facet| {
                let corner = surface.vertices()[facet.vertices()[0] as usize];
                facet.normal().dot(corner - center)
            });
            depths.fold(f64::INFINITY, f64::min)
        };
        let rounded = rounded_to(centroid, depth(centroid) * 0.0625);
        let center = if depth(rounded) > 0.0 {
            rounded
        } else {
            centroid
        };
        let vertices: Vec<_> = surface.vertices().iter().map(|&v| v - center).collect();
        let (mut faces, mut sides) = faces(surface, &vertices);
        let edges = edges(surface, &vertices, &mut sides);
        for edge in &edges {
            let [f, g] = edge.faces.map(|face| face as usize);
            if faces[f].normal.distance(faces[g].normal) <= FLAT_EDGE {
                (faces[f].is_whole, faces[g].is_whole) = (false, false);
            }
        }
        Self {
            inscribed: depth(center).max(0.0),
            faces,
            sides,
            ..Self::bare(center, vertices, edges)
        }
    }

    /// Builds the boundary of a segment: two vertices and an edge without faces, around its middle.
    pub(super) fn segment([a, b]: [DVec3; 2]) -> Self {
        let half = (b - a) * 0.5;
        let edge = BoundaryEdge {
            origin: -half,
            along: half * 2.0,
            outward: [DVec3::ZERO; 2],
            length: 2.0 * half.length(),
            ends: [0, 1],
            faces: [BoundaryEdge::NO_FACE; 2],
        };
        Self::bare((a + b) * 0.5, vec![-half, half], vec![edge])
    }

    /// Builds the boundary of edges without faces.
    fn bare(center: DVec3, vertices: Vec<DVec3>, edges: Vec<BoundaryEdge>) -> Self {
        let are_few = vertices.len() <= Self::MANY;
        let blocks = are_few.then(|| VertexBlock::from_vertices(&vertices));
        Self {
            stamp: Stamp::new(),
            center,
            inscribed: 0.0,
            circumscribed: vertices.iter().fold(0.0, |r: f64, v| r.max(v.length())),
            remoteness: center.abs().max_element(),
            spokes: spokes(vertices.len(), &edges),
            blocks: blocks.unwrap_or_default(),
            vertices,
            faces: Vec::new(),
            edges,
            sides: Vec::new(),
        }
    }

    /// Returns a bound of the distances of all points from the origin of the shape's coordinates.
    #[inline]
    pub(crate) fn reach(&self) -> f64 {
        self.circumscribed + self.center.length()
    }

    /// Returns the sides of a face, counter-clockwise.
    #[inline]
    pub(crate) fn sides(&self, face: &Face) -> &[FaceSide] {
        let first = face.first_side as usize;
        &self.sides[first..first + face.side_count as usize]
    }

    /// Returns the vertices of a feature that exists, in order.
    pub(crate) fn corners(&self, feature: Feature) -> impl Iterator<Item = u32> + Clone {
        let (sides, ids) = match feature {
            Feature::Facet(face) => (self.sides(&self.faces[face as usize]), [None; 2]),
            Feature::Edge(a, b) => (&[][..], [Some(a), Some(b)]),
            Feature::Vertex(id) => (&[][..], [Some(id), None]),
        };
        let sides = sides.iter().map(|side| side.corner);
        sides.chain(ids.into_iter().flatten())
    }

    /// Returns the edges at a vertex; none if the vertex does not exist.
    #[inline]
    pub(crate) fn spokes(&self, vertex: u32) -> &[Spoke] {
        self.spokes.get(vertex).unwrap_or_default()
    }

    /// Returns the edge between two vertices.
    pub(crate) fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let spoke = self.spokes(a).iter().find(|spoke| spoke.vertex == b)?;
        Some(spoke.edge)
    }

    /// Returns the face with all these corners.
    pub(crate) fn face_with(&self, ids: &[u32]) -> Option<u32> {
        let edges = self.spokes(*ids.first()?).iter();
        let mut faces = edges.flat_map(|spoke| self.edges[spoke.edge as usize].existing_faces());
        faces.find(|&face| {
            let sides = self.sides(&self.faces[face as usize]);
            // Without branches, which could not be predicted.
            let matches = |&id: &u32| {
                sides
                    .iter()
                    .fold(false, |found, s| found | (s.corner == id))
            };
            ids.iter().fold(true, |all, id| all & matches(id))
        })
    }

    /// Returns the vertices in blocks, if they are few.
    #[inline]
    pub(crate) fn few_blocks(&self) -> &[VertexBlock] {
        if self.vertices.len() <= Self::FEW {
            &self.blocks
        } else {
            &[]
        }
    }

    /// Returns a support point in a direction, starting from the vertex `from`, which is close to it. O(n) for few
    /// vertices, about O(sqrt n) for many.
    #[inline]
    pub(crate) fn farthest(&self, direction: DVec3, from: u32) -> u32 {
        match self.few_blocks() {
            [] => self.walk(direction, from),
            blocks => VertexBlock::farthest(blocks, direction),
        }
    }

    /// Returns a support point in a direction, starting from the vertex `from`, which may be any vertex.
    #[inline]
    pub(crate) fn farthest_of_all(&self, direction: DVec3, from: u32) -> u32 {
        match &self.blocks[..] {
            [] => self.walk(direction, from),
            blocks => VertexBlock::farthest(blocks, direction),
        }
    }

    /// Returns the highest of all vertices in a direction, the first of equal ones. O(n).
    pub(crate) fn highest(&self, direction: DVec3) -> u32 {
        let (mut highest, mut most) = (0, f64::NEG_INFINITY);
        for (id, vertex) in (0..).zip(&self.vertices) {
            let height = direction.dot(*vertex);
            if height > most {
                (highest, most) = (id, height);
            }
        }
        highest
    }

    fn walk(&self, direction: DVec3, from: u32) -> u32 {
        climb(&self.spokes, self.vertices.len(), direction, from)
    }
}

/// Returns the vertex at which a walk uphill along edges ends, a support point of a convex body.
#[inline]
pub(super) fn climb(spokes: &Rows<Spoke>, count: usize, direction: DVec3, from: u32) -> u32 {
    // The rounding error of a step is proportional to the length of its edge. Steps within it are
    // left out, because they could lead in circles.
    let scale = direction.abs().element_sum();
    let mut vertex = from;
    for _ in 0..count {
        let (mut next, mut most) = (vertex, 0.0);
        for spoke in spokes.get(vertex).unwrap_or_default() {
            let along = direction.dot(spoke.along);
            if along > most && along > scale * spoke.rounding {
                (next, most) = (spoke.vertex, along);
            }
        }
        if next == vertex {
            break;
        }
        vertex = next;
    }
    vertex
}

/// Returns the faces, and their sides without edges.
fn faces(surface: &SurfaceMesh, vertices: &[DVec3]) -> (Vec<Face>, Vec<FaceSide>) {
    let position = |id: u32| vertices[id as usize];
    let (mut faces, mut sides) = (Vec::new(), Vec::new());
    for facet in surface.facets() {
        let (ids, normal) = (facet.vertices(), facet.normal());
        let offsets = ids.iter().map(|&id| normal.dot(position(id)));
        faces.push(Face {
            normal,
            offset: offsets.fold(f64::NEG_INFINITY, f64::max),
            first_side: sides.len() as u32,
            side_count: ids.len() as u32,
            is_whole: true,
        });
        for (i, &from) in ids.iter().enumerate() {
            let along = position(ids[(i + 1) % ids.len()]) - position(from);
            let outward = along.cross(normal).normalize_or_zero();
            sides.push(FaceSide {
                normal: outward,
                offset: outward.dot(position(from)),
                corner: from,
                edge: 0,
            });
        }
    }
    (faces, sides)
}

/// Returns the edges, and sets the edge of each side.
fn edges(surface: &SurfaceMesh, vertices: &[DVec3], sides: &mut [FaceSide]) -> Vec<BoundaryEdge> {
    let (facets, edges) = surface.topology();
    let edge = |(edge, (ends, on)): (u32, ([u32; 2], &[u32]))| {
        let [origin, end] = ends.map(|id| vertices[id as usize]);
        let on = [on[0], on[1]];
        on.iter().for_each(|&side| sides[side as usize].edge = edge);
        BoundaryEdge {
            origin,
            along: end - origin,
            outward: on.map(|side| sides[side as usize].normal),
            length: (end - origin).length(),
            ends,
            faces: on.map(|side| facets.facet_of(side)),
        }
    };
    (0..).zip(edges.iter()).map(edge).collect()
}

/// Returns the edges at each vertex, in the order of the edges.
fn spokes(vertex_count: usize, edges: &[BoundaryEdge]) -> Rows<Spoke> {
    let pairs = (0..).zip(edges).flat_map(|(edge, e)| {
        let ([a, b], along) = (e.ends, e.along);
        [
            (a, Spoke::new(along, b, edge)),
            (b, Spoke::new(-along, a, edge)),
        ]
    });
    Rows::from_pairs(vertex_count, &pairs.collect::<Vec<_>>())
}

/// Rounds to multiples of a power of two of about `unit`.
fn rounded_to(point: DVec3, unit: f64) -> DVec3 {
    // A sum with 1.5 x 2^52 units has no bits below one unit.
    let power = f64::from_bits(unit.max(0.0).to_bits() & (0x7FF << 52));
    let shift = power * 6_755_399_441_055_744.0;
    let round = |x: f64| {
        if x.abs() < shift {
            (x + shift) - shift
        } else {
            x
        }
    };
    point.map(round)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;

    #[test]
    fn cube_far_from_its_origin() {
        let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
        let far = DVec3::new(1e6, -3e5, 7.0);
        let points: Vec<_> = (0..8).map(|i| corner(i) + far).collect();
        let cube = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let boundary = cube.boundary();
        assert_eq!(boundary.center, far + DVec3::splat(0.5));
        assert_eq!((boundary.inscribed, boundary.faces.len()), (0.5, 6));
        assert_eq!(boundary.circumscribed, 0.75_f64.sqrt());
        for vertex in 0..8 {
            let spokes = boundary.spokes(vertex);
            assert_eq!(spokes.len(), 3);
            for spoke in spokes {
                let to = boundary.vertices[vertex as usize] + spoke.along;
                assert_eq!(to, boundary.vertices[spoke.vertex as usize]);
                let edge = &boundary.edges[spoke.edge as usize];
                for (face, outward) in edge.faces.into_iter().zip(edge.outward) {
                    let normal = boundary.faces[face as usize].normal;
                    assert_eq!((normal.dot(outward), outward.dot(edge.along)), (0.0, 0.0));
                    assert!(outward.dot(edge.origin) == 0.5);
                }
            }
        }
        assert!(boundary.spokes(8).is_empty());
        assert_eq!(boundary.farthest(DVec3::ONE, 3), 7);
        assert!(boundary.face_with(&[0, 3]).is_some() && boundary.face_with(&[0, 7]).is_none());
        assert_eq!(boundary.edge_between(0, 3), None);
    }

    /// A walk along edges ends at a support point.
    #[test]
    fn farthest_of_many() {
        let mut random = crate::testing::workload::SplitMix64::new(2);
        let mut point = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
        let hull = ConvexPolyhedron::from_convex_hull(
            &(0..300).map(|_| point().normalize()).collect::<Vec<_>>(),
        );
        let hull = hull.unwrap();
        for _ in 0..300 {
            let (direction, boundary) = (point(), hull.boundary());
            let most = boundary
                .vertices
                .iter()
                .map(|v| direction.dot(*v))
                .fold(-9.0, f64::max);
            let best = boundary.vertices[boundary.farthest(direction, 0) as usize];
            assert!(direction.dot(best) >= most - 1e-15);
        }
    }
}
