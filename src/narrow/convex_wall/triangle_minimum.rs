//! The minimum of phi on a triangle, in the two usual cases: it is taken at a single point, or one face is parallel to
//! the triangle.
//!
//! phi is the maximum of functions that are linear on the triangle, so their values at the corners determine it. Let
//! a and b be the weights of two corners, and t a bound of phi. The minimum is the least t with `t >= f(a, b)` for each
//! face, `a >= 0`, `b >= 0` and `a + b <= 1`. The dual simplex method solves this linear program (C. E. Lemke, "The
//! dual method of solving the linear programming problem", Naval Research Logistics Quarterly 1 (1954) 36-47). It
//! starts with the highest of the values that a face has on the whole triangle, and t can only grow.

use std::hint::select_unpredictable;

use glam::DVec3;

use crate::math::polygon::cut;

/// More rounds than any facet takes, unless rounding leads in circles.
const ROUNDS: usize = 16;
/// Weights above minus this are not negative but for rounding, and products below this part of their terms are 0.
const ROUNDING: f64 = 1e-13;
/// The minimum is at one point if no other constraint counts where phi is larger by this many tolerances.
const CLEAR: f64 = 4.0;

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct TriangleMinimum {
    corners: [DVec3; 3],
    /// The values of faces at the corners.
    faces: Vec<DVec3>,
    /// The corners of the set on which the minimum is taken.
    pub(super) lowest: Vec<DVec3>,
    /// The weights of the corners of a part of the triangle.
    part: Vec<DVec3>,
    uncut: Vec<DVec3>,
}

/// The minimum of phi on a facet.
pub(super) struct Minimum {
    pub(super) phi: f64,
    /// Whether it is taken on the border, to the tolerance.
    pub(super) is_on_border: bool,
}

impl TriangleMinimum {
    /// Returns the minimum of the largest of some faces, of which there are some, and sets `lowest` to where it is taken.
    /// `values` has the values of all faces at the corners. `None` in less usual cases.
    ///
    /// Returns a lower bound if the minimum is at least 0; `lowest` is then unspecified.
    pub(super) fn find(
        &mut self,
        corners: [DVec3; 3],
        faces: &[u32],
        values: &[Vec<f64>; 3],
        tolerance: f64,
    ) -> Option<Minimum> {
        let first = self.set(corners, faces, values);
        let spread = first.y.max(first.z) - first.x;
        if spread <= tolerance || faces.len() == 1 {
            return self.on_plateau(first, tolerance);
        }
        let vertex = Vertex::new(first);
        if vertex.edges[1].z.min(vertex.edges[2].z) <= CLEAR * tolerance {
            return None;
        }
        self.at_point(vertex, tolerance)
    }

    /// Sets the corners and the faces, and returns the face with the largest least value. That is at the first corner.
    fn set(&mut self, [a, b, c]: [DVec3; 3], faces: &[u32], [p, q, r]: &[Vec<f64>; 3]) -> DVec3 {
        let (mut most, mut first, mut corner) = (f64::NEG_INFINITY, 0, 0);
        for i in faces.iter().map(|&i| i as usize) {
            let (lowest, least) = least([p[i], q[i], r[i]]);
            let is_larger = least > most;
            most = select_unpredictable(is_larger, least, most);
            first = select_unpredictable(is_larger, i, first);
            corner = select_unpredictable(is_larger, lowest, corner);
        }
        let (corners, [p, q, r]) = match corner {
            0 => ([a, b, c], [p, q, r]),
            1 => ([b, c, a], [q, r, p]),
            _ => ([c, a, b], [r, p, q]),
        };
        self.corners = corners;
        self.faces.clear();
        let faces = faces.iter().map(|&i| i as usize);
        (self.faces).extend(faces.map(|i| DVec3::new(p[i], q[i], r[i])));
        DVec3::new(p[first], q[first], r[first])
    }

    /// Returns the minimum where a face is the largest that is constant, or the only one. `None` if it is the largest
    /// nowhere.
    fn on_plateau(&mut self, first: DVec3, tolerance: f64) -> Option<Minimum> {
        let level = first.x + tolerance;
        self.part.clear();
        for (corner, value) in DVec3::AXES.into_iter().zip(first.to_array()) {
            self.part.extend((value <= level).then_some(corner));
        }
        for face in &self.faces {
            // More than the rounding of the points at which another face cuts.
            let is_above = |weights: &DVec3| face.dot(*weights) > level + 0.25 * tolerance;
            if self.part.iter().any(is_above) {
                let height = |weights| level - face.dot(weights);
                cut(&mut self.part, &mut self.uncut, height);
            }
        }
        let is_on_border = (self.part.iter()).any(|weights| self.is_near_side(*weights, tolerance));
        self.lowest.clear();
        for weights in &self.part {
            let x = self.place(*weights);
            let is_same = |other: Option<&DVec3>| other.is_some_and(|y| y.distance(x) <= tolerance);
            if !is_same(self.lowest.last()) && !is_same(self.lowest.first()) {
                self.lowest.push(x);
            }
        }
        (!self.part.is_empty()).then_some(Minimum {
            phi: first.x,
            is_on_border,
        })
    }

    /// Returns the minimum by the dual simplex method, `None` unless it is taken at a single point, to the tolerance.
    fn at_point(&mut self, mut vertex: Vertex, tolerance: f64) -> Option<Minimum> {
        for _ in 0..ROUNDS {
            let weights = vertex.weights();
            let bound = vertex.at.z;
            if bound >= 0.0 {
                let phi = vertex.lower_bound();
                return (phi >= -tolerance).then_some(Minimum {
                    phi,
                    is_on_border: true,
                });
            }
            let (corner, lowest) = least(weights.to_array());
            if lowest < -ROUNDING {
                let normal = [DVec3::new(-1.0, -1.0, 0.0), DVec3::X, DVec3::Y][corner];
                vertex.enter(normal, (1 << corner, DVec3::ZERO), -lowest)?;
                continue;
            }
            let (face, phi) = self.highest(weights);
            if phi > bound + 0.25 * tolerance {
                let normal = DVec3::new(face.x - face.y, face.x - face.z, 1.0);
                vertex.enter(normal, (0, face), phi - bound)?;
                continue;
            }
            if !self.is_single(&vertex, tolerance) || vertex.lower_bound() < phi - tolerance {
                return None;
            }
            let point = self.place(weights);
            self.lowest.clear();
            self.lowest.push(point);
            return Some(Minimum {
                phi,
                is_on_border: self.is_near_side(weights, tolerance),
            });
        }
        None
    }

    /// Returns the first face with the largest value, and the value.
    fn highest(&self, weights: DVec3) -> (DVec3, f64) {
        let (mut highest, mut most) = (0, f64::NEG_INFINITY);
        for (i, face) in self.faces.iter().enumerate() {
            let value = face.dot(weights);
            let is_larger = value > most;
            most = select_unpredictable(is_larger, value, most);
            highest = select_unpredictable(is_larger, i, highest);
        }
        (self.faces[highest], most)
    }

    /// Returns whether no other constraint counts where phi is up to `CLEAR` tolerances above its minimum, and whether the
    /// three hold with equality, to a part of the tolerance. No face is higher.
    fn is_single(&self, vertex: &Vertex, tolerance: f64) -> bool {
        let weights = vertex.weights();
        let [a, b, c] = self.corners;
        let size = (b - a).length() + (c - a).length();
        let spread = vertex.spread(CLEAR * tolerance);
        let fixed = vertex.fixed();
        let has_room = |k: usize| fixed & 1 << k != 0 || weights[k] > spread;
        // The gradients of faces are at most 1.
        let bound = vertex.at.z;
        let near = bound - size * spread;
        let equal = near.max(bound - 0.25 * tolerance);
        let (mut near_count, mut equal_count) = (0, 0);
        for face in &self.faces {
            let value = face.dot(weights);
            near_count += u32::from(value >= near);
            equal_count += u32::from(value >= equal);
        }
        let error = size * (weights.element_sum() - 1.0).abs();
        (0..3).all(has_room)
            && near_count + fixed.count_ones() == 3
            && equal_count == near_count
            && error <= 0.25 * tolerance
    }

    fn place(&self, weights: DVec3) -> DVec3 {
        let [a, b, c] = self.corners;
        a * weights.x + b * weights.y + c * weights.z
    }

    /// Returns whether the distance of a point from a side is at most the tolerance.
    fn is_near_side(&self, weights: DVec3, tolerance: f64) -> bool {
        let [a, b, c] = self.corners;
        weights.cmpeq(DVec3::ZERO).any() || {
            let sides = [c - b, a - c, b - a];
            let area = sides[0].cross(sides[1]).length();
            (0..3).any(|k| weights[k] * area <= tolerance * sides[k].length())
        }
    }
}

/// A vertex of the feasible set, with three constraints that hold with equality.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    /// a, b and t.
    at: DVec3,
    /// The edges of the feasible set. Along each a constraint becomes slack, by 1 at its end. The components along t
    /// are the dual variables, which are not negative.
    edges: [DVec3; 3],
    /// The constraint of each edge: the bit of the corner whose weight is at least 0, none for a face.
    bits: [u32; 3],
    /// The values of the face at the corners, 0 for a weight.
    faces: [DVec3; 3],
}

impl Vertex {
    /// Returns the first corner, which is the lowest of a face.
    fn new(face: DVec3) -> Self {
        let edges = [
            DVec3::Z,
            DVec3::new(1.0, 0.0, face.y - face.x),
            DVec3::new(0.0, 1.0, face.z - face.x),
        ];
        Self {
            at: DVec3::Z * face.x,
            edges,
            bits: [0, 0b010, 0b100],
            faces: [face, DVec3::ZERO, DVec3::ZERO],
        }
    }

    /// Returns the corners whose weight is 0 by a constraint.
    fn fixed(&self) -> u32 {
        self.bits[0] | self.bits[1] | self.bits[2]
    }

    fn weights(&self) -> DVec3 {
        let fixed = self.fixed();
        let [a, b] = [self.at.x, self.at.y];
        DVec3::new(
            if fixed & 0b001 == 0 { 1.0 - a - b } else { 0.0 },
            if fixed & 0b010 == 0 { a } else { 0.0 },
            if fixed & 0b100 == 0 { b } else { 0.0 },
        )
    }

    /// Moves to the vertex where the constraint `normal . x >= c` replaces another one. It is violated by `excess`.
    /// `None` if there is no such vertex.
    fn enter(&mut self, normal: DVec3, constraint: (u32, DVec3), excess: f64) -> Option<()> {
        let [p, q, r] = self.edges;
        let rates = [normal.dot(p), normal.dot(q), normal.dot(r)];
        let lengths = [1.0 / rates[0], 1.0 / rates[1], 1.0 / rates[2]];
        let rise = |k: usize| {
            let rounding = ROUNDING * normal.abs().dot(self.edges[k].abs());
            let rise = self.edges[k].z * lengths[k];
            select_unpredictable(rates[k] > rounding, rise, f64::INFINITY)
        };
        let (leaving, rise) = least([rise(0), rise(1), rise(2)]);
        if rise == f64::INFINITY {
            return None;
        }
        let edge = self.edges[leaving] * lengths[leaving];
        for k in 0..3 {
            self.edges[k] -= edge * rates[k];
        }
        self.edges[leaving] = edge;
        (self.bits[leaving], self.faces[leaving]) = constraint;
        self.at += edge * excess;
        Some(())
    }

    /// Returns a lower bound of phi, whatever the rounding errors of the vertex: the least value at the corners of a
    /// weighted mean of the faces, by the dual variables.
    fn lower_bound(&self) -> f64 {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for k in 0..3 {
            if self.bits[k] == 0 {
                let weight = self.edges[k].z.max(0.0);
                sum += self.faces[k] * weight;
                total += weight;
            }
        }
        sum.min_element() / total
    }

    /// Returns the largest change of weights where phi is larger by `rise`: infinite unless the minimum is at one point.
    fn spread(&self, rise: f64) -> f64 {
        let spread = |edge: &DVec3| {
            let spread = (edge.x.abs() + edge.y.abs()) * rise / edge.z;
            if edge.z > 0.0 { spread } else { f64::INFINITY }
        };
        let [a, b, c] = [0, 1, 2].map(|k| spread(&self.edges[k]));
        a.max(b).max(c)
    }
}

/// Returns the least of three numbers and its index.
fn least([a, b, c]: [f64; 3]) -> (usize, f64) {
    let is_less = b < a;
    let least = select_unpredictable(is_less, b, a);
    let index = select_unpredictable(is_less, 1, 0);
    let is_less = c < least;
    (
        select_unpredictable(is_less, 2, index),
        select_unpredictable(is_less, c, least),
    )
}

#[cfg(test)]
mod tests;
