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

    fn nearest(&self) -> DVec3 {
        let parts = self.points().iter().zip(&self.weights);
        parts.fold(DVec3::ZERO, |sum, (point, &weight)| sum + point.x * weight)
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
            Some(smaller) => simplex = smaller,
        }
        let nearer = simplex.nearest();
        // Without progress rounding has taken over.
        if nearer.length_squared() >= distance_squared {
            return Nearest::Apart(simplex);
        }
        v = nearer;
    }
    Nearest::Unclear
}

/// The part of the simplex and a new point that the nearest point is inside of; `None` if the
/// origin is. The new point is always one of it.
fn extended(simplex: &Simplex, a: Difference) -> Option<Simplex> {
    match *simplex.points() {
        [b] => Some(on_segment(a, b)),
        [b, c] => Some(on_triangle(a, b, c)),
        [b, c, d] => on_tetrahedron(a, [b, c, d]),
        _ => None,
    }
}

fn on_segment(a: Difference, b: Difference) -> Simplex {
    let ab = b.x - a.x;
    let along = -a.x.dot(ab);
    let length_squared = ab.length_squared();
    if along <= 0.0 || length_squared == 0.0 {
        return Simplex::new(&[(a, 1.0)]);
    }
    let t = (along / length_squared).min(1.0);
    Simplex::new(&[(a, 1.0 - t), (b, t)])
}

fn on_triangle(a: Difference, b: Difference, c: Difference) -> Simplex {
    let normal = (b.x - a.x).cross(c.x - a.x);
    // Twice the areas that the foot cuts off, times the normal's length.
    let of_b = normal.dot(c.x.cross(a.x));
    let of_c = normal.dot(a.x.cross(b.x));
    let of_a = normal.dot(b.x.cross(c.x));
    if of_b > 0.0 && of_c > 0.0 && of_a > 0.0 {
        let unit = 1.0 / (of_a + of_b + of_c);
        return Simplex::new(&[(a, of_a * unit), (b, of_b * unit), (c, of_c * unit)]);
    }
    nearer(
        (of_c <= 0.0 || of_a <= 0.0).then(|| on_segment(a, b)),
        (of_b <= 0.0 || of_a <= 0.0).then(|| on_segment(a, c)),
    )
    .unwrap_or_else(|| on_segment(a, b))
}

fn on_tetrahedron(a: Difference, [b, c, d]: [Difference; 3]) -> Option<Simplex> {
    // Whether the origin is on the far side of the face from the fourth corner.
    let outside = |p: &Difference, q: &Difference, opposite: &Difference| {
        let normal = (p.x - a.x).cross(q.x - a.x);
        let (inside, origin) = (normal.dot(opposite.x - a.x), -normal.dot(a.x));
        inside * origin <= 0.0
    };
    let abc = outside(&b, &c, &d).then(|| on_triangle(a, b, c));
    let acd = outside(&c, &d, &b).then(|| on_triangle(a, c, d));
    let adb = outside(&d, &b, &c).then(|| on_triangle(a, d, b));
    nearer(nearer(abc, acd), adb)
}

fn nearer(s: Option<Simplex>, t: Option<Simplex>) -> Option<Simplex> {
    let distance = |s: &Simplex| s.nearest().length_squared();
    match (s, t) {
        (Some(s), Some(t)) => Some(if distance(&t) < distance(&s) { t } else { s }),
        (s, t) => s.or(t),
    }
}
