//! The minimum of phi on a convex polygon.
//!
//! phi(x) = max over the faces of a convex body of `n . x - offset`. Inside the body it is minus the distance
//! to the surface. On a plane it is the maximum of linear functions, so its minimum over a polygon is a linear
//! program in two unknowns and the value. Cutting planes solve it (J. E. Kelley, "The cutting-plane method
//! for solving convex programs", Journal of the SIAM 8 (1960) 703-712).
//!
//! The lowest points of the faces used so far are a convex set, on which one of them is constant. Other faces that
//! are larger at a corner of the set cut it. If a set remains, phi is constant there, and it is the answer. If a
//! face leaves nothing, the minimum is larger. That face is then active at the next optimum, because the value
//! can only grow. So the next set is the lowest part of the polygon that is left where no other face used is
//! larger.

use std::hint::select_unpredictable;

use glam::{DVec2, DVec3};

use crate::shape::Face;

/// Branches find the largest of up to this many faces in less time.
const PREDICTED: usize = 8;

/// A plane with coordinates: the point `origin + u x + v y`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chart {
    pub(super) origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Chart {
    pub(super) fn new(origin: DVec3, normal: DVec3) -> Self {
        let u = normal.any_orthonormal_vector();
        let v = normal.cross(u);
        Self { origin, u, v }
    }

    pub(super) fn flat(self, x: DVec3) -> DVec2 {
        let arm = x - self.origin;
        DVec2::new(self.u.dot(arm), self.v.dot(arm))
    }

    pub(super) fn lifted(self, x: DVec2) -> DVec3 {
        self.origin + self.u * x.x + self.v * x.y
    }
}

/// The value of a face on a chart: `gradient . x + level`.
#[derive(Clone, Copy, Debug)]
struct Linear {
    gradient: DVec2,
    level: f64,
}

impl Linear {
    fn new(face: &Face, chart: Chart) -> Self {
        Self {
            gradient: DVec2::new(chart.u.dot(face.normal), chart.v.dot(face.normal)),
            level: face.normal.dot(chart.origin) - face.offset,
        }
    }

    fn at(&self, x: DVec2) -> f64 {
        self.gradient.dot(x) + self.level
    }
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct FacetMinimum {
    polygon: Vec<DVec2>,
    faces: Vec<Linear>,
    /// The corners of the set on which the minimum is taken.
    pub(super) lowest: Vec<DVec2>,
    used: Vec<Linear>,
    uncut: Vec<DVec2>,
}

impl FacetMinimum {
    /// Sets the polygon, which has a corner, and the faces.
    pub(super) fn set<'a>(
        &mut self,
        chart: Chart,
        polygon: impl Iterator<Item = DVec2>,
        faces: impl Iterator<Item = &'a Face>,
    ) {
        self.polygon.clear();
        self.polygon.extend(polygon);
        self.faces.clear();
        self.faces
            .extend(faces.map(|face| Linear::new(face, chart)));
    }

    /// Returns the minimum of phi on the polygon, to `tolerance`, and sets `lowest` to where it is taken.
    ///
    /// Returns a lower bound if the minimum is at least `enough`; `lowest` is then any part of the polygon. The
    /// search starts with the face that is largest at `start`, a point of the plane.
    pub(super) fn find(&mut self, start: DVec2, enough: f64, tolerance: f64) -> f64 {
        self.used.clear();
        let mut added = largest(&self.faces, start).0;
        loop {
            self.lowest.clone_from(&self.polygon);
            for i in 0..self.used.len() {
                let other = self.used[i];
                self.cut(|x| added.at(x) - other.at(x));
            }
            self.used.push(added);
            let values = self.lowest.iter().map(|&x| added.at(x));
            let bound = values.fold(f64::INFINITY, smaller);
            if bound == f64::INFINITY {
                // The faces cross within rounding.
                let x = self.polygon[0];
                self.lowest.push(x);
                return largest(&self.faces, x).1;
            }
            self.lowest.retain(|&x| added.at(x) <= bound + tolerance);
            if bound >= enough {
                return bound;
            }
            let Some((highest, value)) = self.trim(bound, tolerance) else {
                return bound;
            };
            if self.used.len() == self.faces.len() {
                return value;
            }
            added = highest;
        }
    }

    /// Keeps the lowest points at which no face is larger than the bound, each once. Returns the face that leaves
    /// none, with its least value among them, and keeps these.
    fn trim(&mut self, bound: f64, tolerance: f64) -> Option<(Linear, f64)> {
        // More than the rounding of the points at which a face cuts.
        let above = bound + 1.25 * tolerance;
        let (mut passed, mut cuts) = (0, 0);
        while let Some(&x) = self.lowest.get(passed) {
            // In less time for few faces.
            let are_below = || self.faces.iter().all(|face| face.at(x) <= above);
            if self.faces.len() <= PREDICTED && are_below() {
                passed += 1;
                continue;
            }
            let (face, value) = largest(&self.faces, x);
            // No face cuts twice, except by rounding, where the polygon is large.
            if value <= above || cuts == self.faces.len() {
                passed += 1;
                continue;
            }
            if self.lowest.len() == 1 {
                return Some((face, value));
            }
            cuts += 1;
            self.cut(|x| bound + tolerance - face.at(x));
            if self.lowest.is_empty() {
                std::mem::swap(&mut self.lowest, &mut self.uncut);
                let values = self.lowest.iter().map(|&x| face.at(x));
                return Some((face, values.fold(f64::INFINITY, smaller)));
            }
            // No face is above at the points before, which mostly remain.
            if self.lowest.get(..passed) != self.uncut.get(..passed) {
                passed = 0;
            }
        }
        let is_same = |a: DVec2, b: DVec2| a.distance(b) <= tolerance;
        self.lowest.dedup_by(|a, b| is_same(*a, *b));
        if let [first, .., last] = self.lowest[..]
            && is_same(first, last)
        {
            self.lowest.pop();
        }
        None
    }

    /// Returns whether a lowest point is on the border of the polygon, to the tolerance.
    pub(super) fn is_on_border(&self, tolerance: f64) -> bool {
        let Some(&last) = self.polygon.last() else {
            return false;
        };
        let mut from = last;
        self.polygon.iter().any(|&to| {
            let (side, start) = (to - from, from);
            let within = tolerance * side.length();
            let is_near = |x: &DVec2| side.perp_dot(*x - start) <= within;
            from = to;
            within > 0.0 && self.lowest.iter().any(is_near)
        })
    }

    /// Keeps the lowest part where `height` is not negative.
    #[inline(never)]
    fn cut(&mut self, height: impl Fn(DVec2) -> f64) {
        std::mem::swap(&mut self.lowest, &mut self.uncut);
        self.lowest.clear();
        let Some(&first) = self.uncut.first() else {
            return;
        };
        let (mut from, mut here) = (first, height(first));
        for &to in self.uncut[1..].iter().chain([&first]) {
            let there = height(to);
            if here >= 0.0 {
                self.lowest.push(from);
            }
            if here * there < 0.0 {
                self.lowest
                    .push(from + (to - from) * (here / (here - there)));
            }
            (from, here) = (to, there);
        }
    }
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// Returns the face with the largest value at a point, the first of equals, and the value.
fn largest(faces: &[Linear], x: DVec2) -> (Linear, f64) {
    if faces.len() <= PREDICTED {
        let mut largest = (faces[0], f64::NEG_INFINITY);
        for face in faces {
            let value = face.at(x);
            if value > largest.1 {
                largest = (*face, value);
            }
        }
        return largest;
    }
    let (mut best, mut most) = ([0; 2], [f64::NEG_INFINITY; 2]);
    // Two chains without branches.
    let (pairs, last) = faces.as_chunks::<2>();
    for (i, pair) in pairs.iter().enumerate() {
        for k in 0..2 {
            let value = pair[k].at(x);
            let is_larger = value > most[k];
            best[k] = select_unpredictable(is_larger, i, best[k]);
            most[k] = if is_larger { value } else { most[k] };
        }
    }
    let k = usize::from((most[1], best[0]) > (most[0], best[1]));
    match last {
        [last] if last.at(x) > most[k] => (*last, last.at(x)),
        _ => (pairs[best[k]][k], most[k]),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::{FacetMinimum, Linear, largest};
    use crate::testing::workload::SplitMix64;

    const TOLERANCE: f64 = 1e-13;

    fn vector(random: &mut SplitMix64) -> DVec2 {
        DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    /// A triangle, often tiny or thin, and faces of which many agree to a few tolerances.
    fn case(random: &mut SplitMix64) -> FacetMinimum {
        let size = 1e-14_f64.powf(random.unit() * random.below(2) as f64);
        let [a, b, c] = [0; 3].map(|_| vector(random));
        let thin = 1e-15_f64.powf(random.unit() * random.below(2) as f64);
        let c = a.lerp(b, random.unit()) + (c - a) * thin;
        let order = if (b - a).perp_dot(c - a) < 0.0 {
            [a, c, b]
        } else {
            [a, b, c]
        };
        let middle = vector(random);
        let mut faces: Vec<Linear> = Vec::new();
        for _ in 0..1 + random.below(12) {
            let near = |random: &mut SplitMix64| {
                TOLERANCE * (random.below(9) as f64 - 4.0) * random.range(0.99, 1.01)
            };
            let face = match (random.below(4), faces.last()) {
                (0, Some(&last)) => Linear {
                    gradient: last.gradient + DVec2::new(near(random), near(random)),
                    level: last.level + near(random),
                },
                (1, Some(&last)) => Linear {
                    gradient: -last.gradient,
                    level: last.level + near(random),
                },
                _ => {
                    let gradient = vector(random);
                    let level = -0.5 - gradient.dot(middle) + near(random);
                    Linear { gradient, level }
                }
            };
            faces.push(face);
        }
        FacetMinimum {
            polygon: order.map(|x| middle + x * size).to_vec(),
            faces,
            ..FacetMinimum::default()
        }
    }

    /// The least value at the corners of the arrangement of all faces.
    fn least(minimum: &FacetMinimum) -> f64 {
        let FacetMinimum { polygon, faces, .. } = minimum;
        let mut points = polygon.clone();
        let [low, high] =
            [DVec2::min, DVec2::max].map(|f| polygon.iter().copied().fold(polygon[0], f));
        let sides: Vec<_> = (0..3).map(|i| (polygon[i], polygon[(i + 1) % 3])).collect();
        for (i, f) in faces.iter().enumerate() {
            for (j, g) in faces[..i].iter().enumerate() {
                let [p, level] = [f.gradient - g.gradient, DVec2::splat(f.level - g.level)];
                for &(from, to) in &sides {
                    let (s, t) = (p.dot(from) + level.x, p.dot(to) + level.x);
                    if s * t < 0.0 {
                        points.push(from + (to - from) * (s / (s - t)));
                    }
                }
                for h in &faces[..j] {
                    let q = f.gradient - h.gradient;
                    let x = DVec2::new(
                        p.y * (f.level - h.level) - q.y * level.x,
                        q.x * level.x - p.x * (f.level - h.level),
                    ) / p.perp_dot(q);
                    let is_inside =
                        |(from, to): &(DVec2, DVec2)| (*to - *from).perp_dot(x - *from) >= 0.0;
                    // A triangle without area has no inside.
                    let is_near = x.cmpge(low).all() && x.cmple(high).all();
                    if is_near && sides.iter().all(is_inside) {
                        points.push(x);
                    }
                }
            }
        }
        let phi = |x: DVec2| largest(faces, x).1;
        points.into_iter().map(phi).fold(f64::INFINITY, f64::min)
    }

    /// No facet inside a body is lost, and the set of lowest points is never empty.
    #[test]
    fn minima_agree_with_all_corners_of_the_arrangement() {
        let mut random = SplitMix64::new(31);
        let count = std::env::var("OSCULATE_CASES").map_or(20_000, |n| n.parse().unwrap());
        let mut inside = 0;
        for i in 0..count {
            let mut minimum = case(&mut random);
            let expected = least(&minimum);
            let start = minimum.polygon[0];
            let found = minimum.find(start, 0.0, TOLERANCE);
            let is_right = (found - expected).abs() <= 4.0 * TOLERANCE
                || found > -TOLERANCE && expected > -4.0 * TOLERANCE;
            assert!(is_right, "{i}: {found} instead of {expected}, {minimum:?}");
            assert!(!minimum.lowest.is_empty(), "{i}: {minimum:?}");
            inside += usize::from(found < 0.0);
        }
        assert!(inside > count / 2);
    }

    /// The search ends even if the tolerance is far below the rounding errors.
    #[test]
    fn searches_end() {
        let mut random = SplitMix64::new(33);
        for _ in 0..20_000 {
            let mut minimum = case(&mut random);
            let size = 10.0_f64.powf(random.range(3.0, 9.0));
            for x in &mut minimum.polygon {
                *x *= size;
            }
            let start = minimum.polygon[0];
            let found = minimum.find(start, 0.0, TOLERANCE);
            assert!(found <= largest(&minimum.faces, start).1 && !minimum.lowest.is_empty());
        }
    }

    /// Any number of faces has the same largest one: the first of equals.
    #[test]
    fn first_of_the_largest() {
        let mut random = SplitMix64::new(32);
        for case in 0..400 {
            let level = |k: usize| -0.5 * (k % 3) as f64;
            let mut faces: Vec<Linear> = Vec::new();
            for _ in 0..1 + case % 20 {
                let gradient = DVec2::new(0.0, random.below(9) as f64);
                let level = level(random.below(9));
                faces.push(Linear { gradient, level });
            }
            // All values are multiples of 1/2: many are equal.
            let x = DVec2::new(random.unit(), 0.5 * random.below(3) as f64);
            let values: Vec<f64> = faces.iter().map(|face| face.at(x)).collect();
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let first = values.iter().position(|&value| value == most).unwrap();
            let (face, value) = largest(&faces, x);
            assert_eq!(value, most);
            assert_eq!(face.gradient, faces[first].gradient, "{case}");
            assert_eq!(face.level, faces[first].level, "{case}");
        }
    }
}
