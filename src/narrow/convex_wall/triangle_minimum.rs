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

/// More rounds than any facet takes, unless rounding leads in circles.
const ROUNDS: usize = 16;
/// Weights above minus this are not negative but for rounding, and products below this part of their terms are 0.
const ROUNDING: f64 = 1e-13;
/// The rounding error of values and dual variables, relative to the size of a triangle.
const VALUE_ROUNDING: f64 = 1e-14;
/// The minimum is at one point if no other constraint counts where phi is larger by this many tolerances.
const CLEAR: f64 = 4.0;

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct TriangleMinimum {
    corners: [DVec3; 3],
    /// The values of faces at the corners.
    faces: Vec<[f64; 3]>,
    /// The corners of the set on which the minimum is taken.
    pub(super) lowest: Vec<DVec3>,
    /// The weights of the corners of a part of the triangle.
    part: Vec<[f64; 3]>,
    uncut: Vec<[f64; 3]>,
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
        let spread = first[1].max(first[2]) - first[0];
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
    fn set(&mut self, [a, b, c]: [DVec3; 3], faces: &[u32], [p, q, r]: &[Vec<f64>; 3]) -> [f64; 3] {
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
        self.faces.extend(faces.map(|i| [p[i], q[i], r[i]]));
        [p[first], q[first], r[first]]
    }

    /// Returns the minimum where a face is the largest that is constant, or the only one. `None` if it is the largest
    /// nowhere.
    fn on_plateau(&mut self, [bound, b, c]: [f64; 3], tolerance: f64) -> Option<Minimum> {
        let level = bound + tolerance;
        self.part.clear();
        self.part.push([1.0, 0.0, 0.0]);
        self.part.extend((b <= level).then_some([0.0, 1.0, 0.0]));
        self.part.extend((c <= level).then_some([0.0, 0.0, 1.0]));
        for i in 0..self.faces.len() {
            let face = self.faces[i];
            // More than the rounding of the points at which another face cuts.
            let is_above = |weights: &[f64; 3]| value(&face, *weights) > level + 0.25 * tolerance;
            if self.part.iter().any(is_above) {
                self.cut(|weights| level - value(&face, weights));
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
            phi: bound,
            is_on_border,
        })
    }

    /// Keeps the part where `height` is not negative.
    fn cut(&mut self, height: impl Fn([f64; 3]) -> f64) {
        std::mem::swap(&mut self.part, &mut self.uncut);
        self.part.clear();
        let Some(&last) = self.uncut.last() else {
            return;
        };
        let (mut from, mut here) = (last, height(last));
        for &to in &self.uncut {
            let there = height(to);
            if here * there < 0.0 {
                let way = here / (here - there);
                let between = |k: usize| from[k] + (to[k] - from[k]) * way;
                self.part.push([between(0), between(1), between(2)]);
            }
            if there >= 0.0 {
                self.part.push(to);
            }
            (from, here) = (to, there);
        }
    }

    /// Returns the minimum by the dual simplex method, `None` unless it is taken at a single point, to the tolerance.
    fn at_point(&mut self, mut vertex: Vertex, tolerance: f64) -> Option<Minimum> {
        for _ in 0..ROUNDS {
            let weights = vertex.weights();
            let bound = vertex.at.z;
            if bound >= 0.0 {
                return Some(Minimum {
                    phi: bound,
                    is_on_border: true,
                });
            }
            let (corner, lowest) = least(weights);
            if lowest < -ROUNDING {
                let normal = [DVec3::new(-1.0, -1.0, 0.0), DVec3::X, DVec3::Y][corner];
                vertex.enter(normal, 1 << corner, -lowest)?;
                continue;
            }
            let (face, phi) = self.highest(weights);
            if phi > bound + 0.25 * tolerance {
                let normal = DVec3::new(face[0] - face[1], face[0] - face[2], 1.0);
                vertex.enter(normal, 0, phi - bound)?;
                continue;
            }
            if !self.is_single(&vertex, tolerance) {
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
    fn highest(&self, weights: [f64; 3]) -> ([f64; 3], f64) {
        let (mut highest, mut most) = (0, f64::NEG_INFINITY);
        for (i, face) in self.faces.iter().enumerate() {
            let value = value(face, weights);
            let is_larger = value > most;
            most = select_unpredictable(is_larger, value, most);
            highest = select_unpredictable(is_larger, i, highest);
        }
        (self.faces[highest], most)
    }

    /// Returns whether no other constraint counts where phi is up to `CLEAR` tolerances above its minimum, and whether the
    /// three hold with equality, to a part of the tolerance.
    fn is_single(&self, vertex: &Vertex, tolerance: f64) -> bool {
        let weights = vertex.weights();
        let [a, b, c] = self.corners;
        let size = (b - a).length() + (c - a).length();
        let spread = vertex.spread(CLEAR * tolerance + VALUE_ROUNDING * size);
        let fixed = vertex.fixed();
        let has_room = |k: usize| fixed & 1 << k != 0 || weights[k] > spread;
        // The gradients of faces are at most 1.
        let bound = vertex.at.z;
        let near = bound - size * spread;
        let near = self
            .faces
            .iter()
            .map(|face| value(face, weights))
            .filter(|value| *value >= near);
        let error = size * (weights[0] + weights[1] + weights[2] - 1.0).abs();
        let (count, error) = near.fold((fixed.count_ones(), error), |(count, error), value| {
            (count + 1, error.max((value - bound).abs()))
        });
        (0..3).all(has_room) && count == 3 && error <= 0.25 * tolerance
    }

    fn place(&self, [u, v, w]: [f64; 3]) -> DVec3 {
        let [a, b, c] = self.corners;
        a * u + b * v + c * w
    }

    /// Returns whether the distance of a point from a side is at most the tolerance.
    fn is_near_side(&self, weights: [f64; 3], tolerance: f64) -> bool {
        let [a, b, c] = self.corners;
        weights.contains(&0.0) || {
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
}

impl Vertex {
    /// Returns the first corner, which is the lowest of a face.
    fn new([value, a, b]: [f64; 3]) -> Self {
        let edges = [
            DVec3::Z,
            DVec3::new(1.0, 0.0, a - value),
            DVec3::new(0.0, 1.0, b - value),
        ];
        Self {
            at: DVec3::Z * value,
            edges,
            bits: [0, 0b010, 0b100],
        }
    }

    /// Returns the corners whose weight is 0 by a constraint.
    fn fixed(&self) -> u32 {
        self.bits[0] | self.bits[1] | self.bits[2]
    }

    fn weights(&self) -> [f64; 3] {
        let fixed = self.fixed();
        let [a, b] = [self.at.x, self.at.y];
        [
            if fixed & 0b001 == 0 { 1.0 - a - b } else { 0.0 },
            if fixed & 0b010 == 0 { a } else { 0.0 },
            if fixed & 0b100 == 0 { b } else { 0.0 },
        ]
    }

    /// Moves to the vertex where the constraint `normal . x >= c` replaces another one. It is violated by `excess`.
    /// `None` if there is no such vertex.
    fn enter(&mut self, normal: DVec3, bit: u32, excess: f64) -> Option<()> {
        let rates = [0, 1, 2].map(|k| normal.dot(self.edges[k]));
        let lengths = rates.map(|rate| 1.0 / rate);
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
        self.bits[leaving] = bit;
        self.at += edge * excess;
        Some(())
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

/// Returns the value of a face.
fn value(face: &[f64; 3], weights: [f64; 3]) -> f64 {
    face[0] * weights[0] + face[1] * weights[1] + face[2] * weights[2]
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
mod tests {
    use glam::DVec3;

    use super::super::facet_minimum::{Chart, FacetMinimum};
    use super::TriangleMinimum;
    use crate::math::closest_on_polygon;
    use crate::shape::{Boundary, ConvexPolyhedron, CornerValues};
    use crate::testing::workload::SplitMix64;

    const TOLERANCE: f64 = 1e-13;

    fn vector(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
    }

    /// A cube or another body with vertices close to the unit sphere, and a triangle through it. That is often parallel
    /// to a face, to within a few tolerances, or has a side that is; or it is tiny or thin.
    fn case(random: &mut SplitMix64) -> (ConvexPolyhedron, [DVec3; 3]) {
        let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
        let count = random.below(3) * 12;
        let mut points: Vec<DVec3> = (0..count).map(|_| vector(random).normalize()).collect();
        if count == 0 {
            points = (0..8).map(cube).collect();
        }
        let body = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let faces = &body.boundary().faces;
        let face = faces[random.below(faces.len())];
        let middle = vector(random) * 0.6;
        let size = 1e-14_f64.powf(random.unit() * (random.below(4) / 3) as f64);
        let mut corners = [0; 3].map(|_| middle + vector(random) * (2.0 * size));
        let (up, size) = (
            vector(random),
            size * 10.0_f64.powi(random.below(5) as i32 / 3 * 4),
        );
        if random.below(4) == 0 {
            // An edge of the body is parallel to the triangle.
            let along = body.boundary().edges[random.below(body.boundary().edges.len())].along;
            let mut point = || along * random.range(-size, size) + up * random.range(-size, size);
            let shifts = [point(), point(), point()];
            return (body, shifts.map(|shift| middle + shift));
        }
        if random.below(4) == 0 {
            corners[2] = corners[0].lerp(corners[1], random.unit())
                + (corners[2] - corners[0]) * 1e-15_f64.powf(random.unit());
        }
        // All corners, two, or none are at one height below the face.
        for corner in &mut corners[..[0, 2, 3][random.below(3)]] {
            let noise = 0.6 * TOLERANCE * (random.below(9) as f64 - 4.0) * (random.below(2) as f64);
            let height = face.normal.dot(*corner) - face.offset;
            *corner -= face.normal * (height + 0.1 + noise);
        }
        (body, corners)
    }

    fn phi(body: &Boundary, x: DVec3) -> f64 {
        let values = body
            .faces
            .iter()
            .map(|face| face.normal.dot(x) - face.offset);
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    /// What is found agrees with the search by cutting planes: the minimum, and the set on which it is taken.
    #[test]
    fn agrees_with_cutting_planes() {
        let mut random = SplitMix64::new(41);
        let count = std::env::var("OSCULATE_CASES").map_or(20_000, |n| n.parse().unwrap());
        let (mut points, mut plateaus, mut others) = (0, 0, 0);
        for i in 0..count {
            let (shape, corners) = case(&mut random);
            let body = shape.boundary();
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let mut values = CornerValues::default();
            let Some(normal) = normal.try_normalize() else {
                continue;
            };
            if body
                .planes
                .values_at_corners(&corners, &mut values)
                .is_err()
            {
                continue;
            }
            let faces: Vec<u32> = (0..body.faces.len() as u32).collect();
            let mut minimum = TriangleMinimum::default();
            let found = minimum.find(corners, &faces, &values.of, TOLERANCE);
            let chart = Chart::new(corners[0], normal);
            // The normal of a thin triangle is uncertain.
            let off_chart = |x: &DVec3| chart.lifted(chart.flat(*x)).distance(*x);
            if corners.iter().any(|x| off_chart(x) > 0.25 * TOLERANCE) {
                continue;
            }
            let mut expected = FacetMinimum::default();
            let flat = corners.iter().map(|&x| chart.flat(x));
            expected.set(chart, flat, body.faces.iter());
            let start = chart.flat(corners[0]);
            let least = expected.find(start, 0.0, TOLERANCE);
            let Some(found) = found else {
                others += 1;
                continue;
            };
            let is_right = (found.phi - least).abs() <= 4.0 * TOLERANCE
                || found.phi > -TOLERANCE && least > -4.0 * TOLERANCE;
            assert!(is_right, "{i}: {} instead of {least}", found.phi);
            if found.phi > -4.0 * TOLERANCE {
                continue;
            }
            let lowest: Vec<DVec3> = expected.lowest.iter().map(|&x| chart.lifted(x)).collect();
            let size = corners[0].distance(corners[1]) + corners[0].distance(corners[2]);
            for &x in &minimum.lowest {
                assert!(phi(body, x) <= found.phi + 4.0 * TOLERANCE, "{i}");
                // The cuts of nearly parallel faces are uncertain.
                let error = closest_on_polygon(x, &lowest).distance_squared.sqrt();
                assert!(
                    error <= 1e-6 * size + 8.0 * TOLERANCE,
                    "{i}: {error} {size}"
                );
            }
            let back = closest_on_polygon(lowest[0], &minimum.lowest).distance_squared;
            assert!(back.sqrt() <= 1e-6 * size + 8.0 * TOLERANCE, "{i}: {back}");
            assert_eq!(
                found.is_on_border,
                expected.is_on_border(TOLERANCE),
                "{i}: {:?} {lowest:?} {corners:?}",
                minimum.lowest
            );
            match minimum.lowest.len() {
                1 => points += 1,
                _ => plateaus += 1,
            }
        }
        println!("{points} points, {plateaus} plateaus, {others} others");
        assert!(points > count / 8 && plateaus > count / 64);
    }
}
