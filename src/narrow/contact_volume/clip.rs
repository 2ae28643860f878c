//! A convex polyhedron that is cut by one half-space after another.
//!
//! Each vertex is in or out, and all else follows from that: an edge between an inner and an outer
//! vertex is cut, a face between two cut edges gets a new side, and each new side has its twin in the
//! new face. So the surface is closed whatever rounding says of a vertex near the plane; a wrong word
//! about it moves the surface by no more than the rounding.

use glam::DVec3;

use crate::math::cross_of_edges;
use crate::shape::{Aabb, FacePlane, HalfEdge};

const NONE: u32 = u32::MAX;

/// A polyhedron. With `K` > 0 each vertex has its heights over `K` planes, which are
/// interpolated along the edges and not measured again.
#[derive(Clone, Debug, Default)]
pub(super) struct Clip<const K: usize> {
    pub(super) vertices: Vec<Vertex<K>>,
    /// Those of edge e are 2 e and 2 e + 1; one that is no more has no origin.
    halves: Vec<HalfEdge>,
    /// A vertex of each face.
    points: Vec<DVec3>,
    /// Edges that are no more.
    free: Vec<u32>,
    /// Of the vertices, over the plane that cuts.
    heights: Vec<f64>,
    out: Vec<u32>,
    dead: Vec<u32>,
    /// Of each new vertex: the new face's side that ends there, and that which starts there.
    new_sides: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex<const K: usize> {
    pub(super) position: DVec3,
    pub(super) heights: [f64; K],
    /// A half-edge that starts here.
    pub(super) first: u32,
}

/// An edge as the sums see it.
pub(super) struct Edge {
    pub(super) ends: [DVec3; 2],
    /// The face in which it runs so, and the other.
    pub(super) faces: [u32; 2],
}

impl<const K: usize> Clip<K> {
    /// Starts anew; `corners` has a vertex of each face. New faces get the numbers from there on.
    pub(super) fn start(
        &mut self,
        vertices: impl Iterator<Item = Vertex<K>>,
        halves: &[HalfEdge],
        corners: &[u32],
    ) {
        self.vertices.clear();
        self.vertices.extend(vertices);
        self.points.clear();
        let corners = corners
            .iter()
            .map(|&id| self.vertices[id as usize].position);
        self.points.extend(corners);
        self.halves.clear();
        self.halves.extend_from_slice(halves);
        self.free.clear();
    }

    /// Measures all vertices against a plane; whether one is above it.
    #[inline]
    pub(super) fn measure(&mut self, plane: &FacePlane, tie_is_out: bool) -> bool {
        self.heights.clear();
        let mut highest = f64::NEG_INFINITY;
        self.heights.extend(self.vertices.iter().map(|vertex| {
            let height = plane.height(vertex.position);
            highest = if height > highest { height } else { highest };
            height
        }));
        is_out(highest, tie_is_out)
    }

    /// Takes the heights over plane `k` that the vertices have; whether one is above it.
    #[inline]
    pub(super) fn recall(&mut self, k: usize, tie_is_out: bool) -> bool {
        self.heights.clear();
        self.heights
            .extend(self.vertices.iter().map(|vertex| vertex.heights[k]));
        self.heights
            .iter()
            .any(|&height| is_out(height, tie_is_out))
    }

    /// Cuts off what is above the plane that was measured last; whether anything is left. The new
    /// face gets the number of faces so far.
    pub(super) fn cut(&mut self, tie_is_out: bool) -> bool {
        // All are noted, and some overwritten: no branch that nobody can foresee.
        self.out.resize(self.heights.len(), 0);
        let mut count = 0;
        for (vertex, &height) in (0..).zip(&self.heights) {
            self.out[count] = vertex;
            count += usize::from(is_out(height, tie_is_out));
        }
        self.out.truncate(count);
        if self.out.len() == self.vertices.len() {
            return false;
        }
        let old_count = self.vertices.len();
        self.split_edges(tie_is_out);
        self.close_faces(old_count as u32);
        while let Some(edge) = self.dead.pop() {
            for half in [2 * edge, 2 * edge + 1] {
                self.halves[half as usize].origin = NONE;
            }
            self.free.push(edge);
        }
        // From the last on, so that what takes the place of one is never one of them.
        while let Some(vertex) = self.out.pop() {
            self.vertices.swap_remove(vertex as usize);
            if let Some(moved) = self.vertices.get(vertex as usize) {
                let first = moved.first;
                let mut half = first;
                loop {
                    self.halves[half as usize].origin = vertex;
                    half = self.around(half);
                    if half == first {
                        break;
                    }
                }
            }
        }
        true
    }

    /// The next half-edge around the vertex that one starts from.
    #[inline]
    fn around(&self, half: u32) -> u32 {
        self.halves[(half ^ 1) as usize].next
    }

    /// Lets each edge from an outer to an inner vertex start from a new one.
    #[inline]
    fn split_edges(&mut self, tie_is_out: bool) {
        for i in 0..self.out.len() {
            let vertex = self.out[i];
            let first = self.vertices[vertex as usize].first;
            let mut half = first;
            loop {
                let other = self.halves[(half ^ 1) as usize].origin;
                if !is_out(self.heights[other as usize], tie_is_out) {
                    self.halves[half as usize].origin = self.vertices.len() as u32;
                    let new = self.between(other as usize, vertex as usize, half);
                    self.vertices.push(new);
                } else if vertex < other {
                    self.dead.push(half / 2);
                }
                half = self.around(half);
                if half == first {
                    break;
                }
            }
        }
    }

    /// Where the edge of two vertices goes through the plane, from the nearer of them.
    #[inline]
    fn between(&self, inner: usize, outer: usize, first: u32) -> Vertex<K> {
        let (low, high) = (self.heights[inner], self.heights[outer]);
        let (near, far, share) = if -low <= high {
            (inner, outer, low / (low - high))
        } else {
            (outer, inner, high / (high - low))
        };
        let (near, far) = (&self.vertices[near], &self.vertices[far]);
        let mut heights = near.heights;
        for (height, &end) in heights.iter_mut().zip(&far.heights) {
            *height += (end - *height) * share;
        }
        Vertex {
            position: near.position + (far.position - near.position) * share,
            heights,
            first,
        }
    }

    /// Gives each face that has lost vertices a side between the new ones, and the new face its twin.
    #[inline]
    fn close_faces(&mut self, old_count: u32) {
        let new_face = self.points.len() as u32;
        let point = self.vertices.get(old_count as usize);
        self.points
            .push(point.map_or(DVec3::ZERO, |vertex| vertex.position));
        self.new_sides.clear();
        self.new_sides
            .resize(self.vertices.len() - old_count as usize, [0; 2]);
        for (i, vertex) in (old_count..self.vertices.len() as u32).enumerate() {
            let comes = (self.vertices[vertex as usize].first ^ 1) as usize;
            let mut goes = self.halves[comes].next;
            while self.halves[goes as usize].origin < old_count {
                goes = self.halves[goes as usize].next;
            }
            let other = self.halves[goes as usize].origin;
            let side = HalfEdge {
                origin: vertex,
                next: goes,
                face: self.halves[comes].face,
            };
            let twin = HalfEdge {
                origin: other,
                next: NONE,
                face: new_face,
            };
            let half = match self.free.pop() {
                Some(edge) => {
                    self.halves[2 * edge as usize] = side;
                    self.halves[2 * edge as usize + 1] = twin;
                    2 * edge
                }
                None => {
                    self.halves.extend([side, twin]);
                    self.halves.len() as u32 - 2
                }
            };
            self.halves[comes].next = half;
            self.points[side.face as usize] = self.vertices[vertex as usize].position;
            self.new_sides[i][0] = half + 1;
            self.new_sides[(other - old_count) as usize][1] = half + 1;
        }
        for &[ends, starts] in &self.new_sides {
            self.halves[ends as usize].next = starts;
        }
    }

    /// How many faces there have been.
    pub(super) fn face_count(&self) -> u32 {
        self.points.len() as u32
    }

    /// A vertex of a face of what is left: with one of the whole face the terms of a volume would be as
    /// large as the face was.
    #[inline]
    pub(super) fn point(&self, face: u32) -> DVec3 {
        self.points[face as usize]
    }

    /// A box around what is left, relative to a point.
    pub(super) fn bounds(&self, origin: DVec3) -> Aabb<DVec3> {
        let arms = self.vertices.iter().map(|v| v.position - origin);
        Aabb::from_points(arms).unwrap_or(Aabb {
            min: DVec3::ZERO,
            max: DVec3::ZERO,
        })
    }

    /// What an edge contributes to six times the volume, as seen from a point near it:
    /// `(x_f - x_g) . (a x b)`, with x a point of each face.
    #[inline]
    pub(super) fn six_volumes(&self, edge: &Edge, origin: DVec3) -> f64 {
        let [own, other] = edge.faces.map(|face| self.point(face));
        let [a, b] = edge.ends.map(|end| end - origin);
        (own - other).dot(a.cross(b - a))
    }

    /// Six times the volume of what is long or thin, where vector products cancel.
    #[cold]
    pub(super) fn slender_volumes(&self) -> f64 {
        let origin = self.vertices[0].position;
        let term = |edge: Edge| {
            let [own, other] = edge.faces.map(|face| self.point(face));
            let [a, b] = edge.ends;
            (own - other).dot(cross_of_edges([origin, a], [a, b]))
        };
        self.edges().map(term).sum()
    }

    /// All edges, each once.
    #[inline]
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let pairs = self.halves.as_chunks::<2>().0;
        pairs
            .iter()
            .filter(|[h, _]| h.origin != NONE)
            .map(|[h, t]| Edge {
                ends: [h, t].map(|half| self.vertices[half.origin as usize].position),
                faces: [h.face, t.face],
            })
    }
}

/// A vertex on the plane itself counts as the tie says.
#[inline]
pub(super) fn is_out(height: f64, tie_is_out: bool) -> bool {
    (height > 0.0) | (tie_is_out & (height == 0.0))
}

/// Whether an infinitesimal translation of a point by (e, e^2, e^3) takes it from a plane to above it.
#[inline]
pub(super) fn rises(normal: DVec3) -> bool {
    let [x, y, z] = normal.to_array();
    if x != 0.0 {
        x > 0.0
    } else if y != 0.0 {
        y > 0.0
    } else {
        z > 0.0
    }
}
