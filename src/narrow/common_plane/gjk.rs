//! The point of the bodies' difference that is nearest to the origin.
//!
//! E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance
//! between complex objects in three-dimensional space", IEEE Journal of Robotics and Automation 4
//! (1988) 193-203. Deviation: the point is found by signs of volumes and areas, not by Johnson's
//! cofactors, which lose their digits on flat simplices. What it says about features is checked by
//! whoever asks.

use glam::DVec3;

use super::frame::{Difference, Frame};

/// Up to four differences around the nearest point, with its weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    points: [Difference; 4],
    weights: [f64; 4],
    count: usize,
}

/// What the search ended with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Nearest {
    /// All directions but this one aside, the gap is larger than the margin.
    Beyond(f64),
    /// The simplex that the nearest point is in the interior of.
    Apart(Simplex),
    /// A tetrahedron around the origin.
    Around([Difference; 4]),
    /// So close to touching that rounding decides.
    Unclear,
}

impl Simplex {
    fn new(points: &[(Difference, f64)]) -> Self {
        let mut simplex = Self {
            count: points.len(),
            ..Self::default()
        };
        for (i, &(point, weight)) in points.iter().enumerate() {
            (simplex.points[i], simplex.weights[i]) = (point, weight);
        }
        simplex
    }

    /// The triangle `points` around the point of its plane that is nearest to the origin.
    pub(super) fn of_triangle([a, b, c]: [Difference; 3]) -> Self {
        let normal = (b.x - a.x).cross(c.x - a.x);
        let parts =
            [b.x.cross(c.x), c.x.cross(a.x), a.x.cross(b.x)].map(|x| normal.dot(x).max(0.0));
        let sum = parts[0] + parts[1] + parts[2];
        let [s, t, u] = parts.map(|part| part / sum);
        Self::new(&[(a, s), (b, t), (c, u)])
    }

    pub(super) fn points(&self) -> &[Difference] {
        &self.points[..self.count]
    }

    /// The nearest point, as a point of each body.
    pub(super) fn witnesses(&self, frame: &Frame) -> (DVec3, DVec3) {
        let (mut on_p, mut on_q) = (DVec3::ZERO, DVec3::ZERO);
        for (point, &weight) in self.points().iter().zip(&self.weights) {
            on_p += frame.p.vertices[point.p as usize] * weight;
            on_q += frame.motion.point(frame.q.vertices[point.q as usize]) * weight;
        }
        (on_p, on_q)
    }
}

/// Searches from one difference on.
pub(super) fn nearest(frame: &Frame, start: Difference, margin: f64) -> Nearest {
    const CAP: usize = 64;
    const CLOSE: f64 = f64::from_bits((1023 - 50) << 52);
    let touching_squared = (frame.size * CLOSE) * (frame.size * CLOSE);
    let mut simplex = Simplex::new(&[(start, 1.0)]);
    let (mut v, mut last) = (start.x, start);
    for _ in 0..CAP {
        let distance_squared = v.length_squared();
        if distance_squared <= touching_squared {
            return Nearest::Unclear;
        }
        let next = frame.farthest(-v, &last);
        let along = v.dot(next.x);
        if along > 0.0 && along * along > margin * margin * distance_squared {
            return Nearest::Beyond(along / distance_squared.sqrt());
        }
        let is_known = simplex
            .points()
            .iter()
            .any(|s| (s.p, s.q) == (next.p, next.q));
        if is_known || distance_squared - along <= distance_squared * (4.0 * f64::EPSILON) {
            return Nearest::Apart(simplex);
        }
        last = next;
        match extended(&simplex, next) {
            None => {
                let [a, b, c, _] = simplex.points;
                return Nearest::Around([a, b, c, next]);
            }
            // Without progress rounding has taken over.
            Some((_, nearer)) if nearer.length_squared() >= distance_squared => {
                return Nearest::Apart(simplex);
            }
            Some((smaller, nearer)) => (simplex, v) = (smaller, nearer),
        }
    }
    Nearest::Unclear
}

/// Corners of a simplex by their places in it, around its nearest point.
#[derive(Clone, Copy)]
struct Part {
    corners: [u8; 3],
    weights: [f64; 3],
    count: u8,
    nearest: DVec3,
    distance_squared: f64,
}

/// The part of the simplex and a new point that the nearest point is inside of; `None` if the
/// origin is. The new point is always one of it.
fn extended(simplex: &Simplex, new: Difference) -> Option<(Simplex, DVec3)> {
    let old = simplex.points();
    let at = |i: u8| old.get(i as usize).map_or(new.x, |point| point.x);
    let a = simplex.count as u8;
    let part = match simplex.count {
        1 => on_segment(&at, [a, 0]),
        2 => on_triangle(&at, [a, 0, 1]),
        _ => on_tetrahedron(&at, a)?,
    };
    let mut smaller = Simplex {
        count: part.count as usize,
        ..Simplex::default()
    };
    for i in 0..smaller.count {
        smaller.points[i] = *old.get(part.corners[i] as usize).unwrap_or(&new);
        smaller.weights[i] = part.weights[i];
    }
    Some((smaller, part.nearest))
}

fn on_segment(at: &impl Fn(u8) -> DVec3, [a, b]: [u8; 2]) -> Part {
    let (x, y) = (at(a), at(b));
    let ab = y - x;
    let along = -x.dot(ab);
    let length_squared = ab.length_squared();
    if along <= 0.0 || length_squared == 0.0 {
        return Part {
            corners: [a; 3],
            weights: [1.0, 0.0, 0.0],
            count: 1,
            nearest: x,
            distance_squared: x.length_squared(),
        };
    }
    let t = (along / length_squared).min(1.0);
    let nearest = x + ab * t;
    Part {
        corners: [a, b, b],
        weights: [1.0 - t, t, 0.0],
        count: 2,
        nearest,
        distance_squared: nearest.length_squared(),
    }
}

fn on_triangle(at: &impl Fn(u8) -> DVec3, [a, b, c]: [u8; 3]) -> Part {
    let (x, y, z) = (at(a), at(b), at(c));
    let normal = (y - x).cross(z - x);
    // Twice the areas that the foot cuts off, times the normal's length.
    let of_a = normal.dot(y.cross(z));
    let of_b = normal.dot(z.cross(x));
    let of_c = normal.dot(x.cross(y));
    if of_b > 0.0 && of_c > 0.0 && of_a > 0.0 {
        let unit = 1.0 / (of_a + of_b + of_c);
        let weights = [of_a * unit, of_b * unit, of_c * unit];
        let nearest = x * weights[0] + y * weights[1] + z * weights[2];
        return Part {
            corners: [a, b, c],
            weights,
            count: 3,
            nearest,
            distance_squared: nearest.length_squared(),
        };
    }
    let ab = (of_c <= 0.0 || of_a <= 0.0).then(|| on_segment(at, [a, b]));
    let ac = (of_b <= 0.0 || of_a <= 0.0).then(|| on_segment(at, [a, c]));
    nearer(ab, ac).unwrap_or_else(|| on_segment(at, [a, b]))
}

/// With the new corner `a` = 3.
fn on_tetrahedron(at: &impl Fn(u8) -> DVec3, a: u8) -> Option<Part> {
    let x = at(a);
    let [u, v, w] = [0, 1, 2].map(|i| at(i) - x);
    // Whether the origin is on the far side of a face from the fourth corner.
    let outside = |normal: DVec3, opposite: DVec3| normal.dot(opposite) * -normal.dot(x) <= 0.0;
    let first = outside(u.cross(v), w).then(|| on_triangle(at, [a, 0, 1]));
    let second = outside(v.cross(w), u).then(|| on_triangle(at, [a, 1, 2]));
    let third = outside(w.cross(u), v).then(|| on_triangle(at, [a, 2, 0]));
    nearer(nearer(first, second), third)
}

fn nearer(s: Option<Part>, t: Option<Part>) -> Option<Part> {
    match (s, t) {
        (Some(s), Some(t)) => Some(if t.distance_squared < s.distance_squared {
            t
        } else {
            s
        }),
        (s, t) => s.or(t),
    }
}
