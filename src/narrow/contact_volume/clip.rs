//! Successive cuts of a convex polyhedron by half-spaces.
//!
//! Each vertex is classified as inside or outside, and the topology of the cut follows. An edge between an inner and an
//! outer vertex is cut. A face between two cut edges gets a new side, and each new side has its twin in the new face.
//! The surface stays closed wherever rounding puts a vertex. A wrong side displaces it by at most the rounding error.

use std::hint::select_unpredictable;

use glam::DVec3;

use crate::shape::{FacePlane, HalfEdge};

const NONE: u32 = u32::MAX;

/// A polyhedron that is being cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Clip {
    pub(super) vertices: Vec<Vertex>,
    /// The half-edges of edge e are 2 e and 2 e + 1. Removed half-edges have no origin.
    halves: Vec<HalfEdge>,
    /// A vertex of the remaining part of each face. With a vertex of the original face, the terms of a volume would be as
    /// large as that face.
    pub(super) points: Vec<DVec3>,
    /// The first half-edges of removed edges.
    free: Vec<u32>,
    /// The heights of the vertices over the current plane.
    heights: Vec<f64>,
    out: Vec<u32>,
    /// Half-edges from an outer to an inner vertex, each with the outer vertex.
    split: Vec<[u32; 2]>,
    /// The first half-edges of edges between outer vertices.
    dead: Vec<u32>,
    /// The new face's sides that end and start at each new vertex.
    new_sides: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: DVec3,
    /// A half-edge from here.
    pub(super) first: u32,
}

/// An edge of the clipped body, as the sums take it.
pub(super) struct ClipEdge {
    pub(super) ends: [DVec3; 2],
    /// The face whose border has this direction, and the other one.
    pub(super) faces: [u32; 2],
}

impl Clip {
    /// Starts with a polyhedron. `corners` has a vertex of each face; new faces get the next numbers.
    pub(super) fn start(
        &mut self,
        vertices: impl Iterator<Item = Vertex>,
        halves: &[HalfEdge],
        corners: &[u32],
    ) {
        self.vertices.clear();
        self.vertices.extend(vertices);
        self.points.clear();
        let position = |&id: &u32| self.vertices[id as usize].position;
        self.points.extend(corners.iter().map(position));
        self.halves.clear();
        self.halves.extend_from_slice(halves);
        self.free.clear();
    }

    /// Measures the heights over a plane. Returns whether a vertex is above it.
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

    /// Cuts off everything above the current plane. Returns whether anything is left. The new face
    /// gets the next number.
    pub(super) fn cut(&mut self, tie_is_out: bool) -> bool {
        // Every vertex is written, and inner ones are overwritten: this avoids an unpredictable branch.
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
        let dead = self.split_edges(tie_is_out);
        self.close_faces(old_count as u32);
        for &half in self.dead[..dead].iter().rev() {
            self.halves[half as usize].origin = NONE;
            self.halves[half as usize + 1].origin = NONE;
            self.free.push(half);
        }
        // From the last one, so that no outer vertex takes the place of another.
        while let Some(vertex) = self.out.pop() {
            self.vertices.swap_remove(vertex as usize);
            if let Some(moved) = self.vertices.get(vertex as usize) {
                let first = moved.first;
                let mut half = first;
                loop {
                    self.halves[half as usize].origin = vertex;
                    // The next one around the vertex.
                    half = self.halves[(half ^ 1) as usize].next;
                    if half == first {
                        break;
                    }
                }
            }
        }
        true
    }

    /// Lets each half-edge from an outer to an inner vertex start at a new vertex. Returns the number of edges between
    /// outer vertices, which are dead.
    ///
    /// These half-edges are found first. Those of neither list are written and overwritten, which avoids unpredictable
    /// branches.
    #[inline]
    fn split_edges(&mut self, tie_is_out: bool) -> usize {
        let (mut cut, mut dead) = (0, 0);
        self.split.resize(self.halves.len(), [0; 2]);
        self.dead.resize(self.halves.len(), 0);
        for &vertex in &self.out {
            let first = self.vertices[vertex as usize].first;
            let mut half = first;
            loop {
                let twin = self.halves[(half ^ 1) as usize];
                let is_out = is_out(self.heights[twin.origin as usize], tie_is_out);
                self.split[cut] = [half, vertex];
                cut += usize::from(!is_out);
                self.dead[dead] = half & !1;
                dead += usize::from(is_out & (vertex < twin.origin));
                half = twin.next;
                if half == first {
                    break;
                }
            }
        }
        for &[half, outer] in &self.split[..cut] {
            let inner = self.halves[(half ^ 1) as usize].origin;
            self.halves[half as usize].origin = self.vertices.len() as u32;
            let new = self.between(inner as usize, outer as usize, half);
            self.vertices.push(new);
        }
        dead
    }

    /// Returns the vertex where an edge crosses the plane, interpolated from its nearer end.
    #[inline]
    fn between(&self, inner: usize, outer: usize, first: u32) -> Vertex {
        let is_inner_near = -self.heights[inner] <= self.heights[outer];
        let near = select_unpredictable(is_inner_near, inner, outer);
        let far = inner + outer - near;
        let (low, high) = (self.heights[near], self.heights[far]);
        let share = low / (low - high);
        let (near, far) = (&self.vertices[near], &self.vertices[far]);
        Vertex {
            position: near.position + (far.position - near.position) * share,
            first,
        }
    }

    /// Gives each cut face a side between its new vertices, and the new face its twin.
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
            let half = self.free.pop().unwrap_or_else(|| {
                self.halves.extend([side, twin]);
                self.halves.len() as u32 - 2
            });
            self.halves[half as usize] = side;
            self.halves[half as usize + 1] = twin;
            self.halves[comes].next = half;
            self.points[side.face as usize] = self.vertices[vertex as usize].position;
            self.new_sides[i][0] = half + 1;
            self.new_sides[(other - old_count) as usize][1] = half + 1;
        }
        for &[ends, starts] in &self.new_sides {
            self.halves[ends as usize].next = starts;
        }
    }

    /// Returns each edge once.
    #[inline]
    pub(super) fn edges(&self) -> impl Iterator<Item = ClipEdge> {
        let pairs = self.halves.as_chunks::<2>().0;
        pairs
            .iter()
            .filter(|[h, _]| h.origin != NONE)
            .map(|[h, t]| ClipEdge {
                ends: [h, t].map(|half| self.vertices[half.origin as usize].position),
                faces: [h.face, t.face],
            })
    }
}

/// Returns whether a vertex is above a plane. A vertex on the plane is out if `tie_is_out`.
#[inline]
pub(super) fn is_out(height: f64, tie_is_out: bool) -> bool {
    (height > 0.0) | (tie_is_out & (height == 0.0))
}

/// Returns whether the symbolic perturbation (e, e^2, e^3) moves a point of a plane above it.
#[inline]
pub(super) fn rises(normal: DVec3) -> bool {
    let mut coordinates = normal.to_array().into_iter();
    coordinates.find(|&x| x != 0.0).is_some_and(|x| x > 0.0)
}
