//! The point of a Minkowski difference nearest to the origin (GJK).
//!
//! E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between complex objects in
//! three-dimensional space", IEEE Journal of Robotics and Automation 4 (1988) 193-203. Deviation: the point is found by
//! signs of volumes and areas, because Johnson's cofactors lose their digits on flat simplices. Callers test the
//! features at the simplex.

use glam::DVec3;

use crate::math::cross_of_differences;
use crate::math::tolerance::two_to;

/// The origin is this close to a Minkowski difference that it touches: 8 u.
const TOUCHING: f64 = two_to(-50);

/// A point of the Minkowski difference of two bodies: a vertex of `q` minus one of `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Difference {
    pub(super) x: DVec3,
    pub(super) p: u32,
    pub(super) q: u32,
}

/// One to three differences whose hull contains the nearest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    /// Some of the points again beyond the count.
    points: [Difference; 3],
    count: usize,
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub(super) enum Proximity {
    /// A gap larger than the margin, along one direction.
    Beyond(f64),
    /// The simplex with the nearest point in its interior. It may contain the origin to rounding.
    Near(Simplex),
    /// A tetrahedron around the origin.
    Around([Difference; 4]),
}

impl Simplex {
    #[inline]
    pub(super) fn vertex(a: Difference) -> Self {
        Self {
            points: [a; 3],
            count: 1,
        }
    }

    pub(super) fn segment([a, b]: [Difference; 2]) -> Self {
        Self {
            points: [a, b, b],
            count: 2,
        }
    }

    pub(super) fn triangle(points: [Difference; 3]) -> Self {
        Self { points, count: 3 }
    }

    #[inline]
    pub(super) fn points(&self) -> &[Difference] {
        &self.points[..self.count]
    }

    /// Returns the vertices of each body, some several times.
    pub(super) fn ids(&self) -> [[u32; 3]; 2] {
        [self.points.map(|x| x.p), self.points.map(|x| x.q)]
    }

    /// Returns the points with their barycentric weights at the nearest point. The weights of a flat
    /// simplex are not finite.
    #[inline]
    pub(super) fn weighted(&self) -> impl Iterator<Item = (&Difference, f64)> {
        let x @ [a, b, c] = self.points.map(|point| point.x);
        let of_ends = |a: DVec3, b: DVec3| [b.dot(b - a), a.dot(a - b)];
        let mut parts = match self.count {
            1 => [1.0, 0.0, 0.0],
            2 => {
                let [a, b] = of_ends(a, b);
                [a, b, 0.0]
            }
            _ => {
                let cross = |a, b| cross_of_differences([DVec3::ZERO, a], [DVec3::ZERO, b]);
                let normal = cross_of_differences([a, b], [a, c]);
                [cross(b, c), cross(c, a), cross(a, b)].map(|x| normal.dot(x))
            }
        };
        // A negative part means that rounding takes the origin beyond a side: the nearest point is that of the side. In a
        // narrow triangle parts of both signs cancel, and without the negative one the point would move along the triangle.
        if self.count == 3
            && let Some(k) = parts.iter().position(|&part| part < 0.0)
        {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            [parts[i], parts[j]] = of_ends(x[i], x[j]);
        }
        let parts = parts.map(|part| part.max(0.0));
        let sum = parts[0] + parts[1] + parts[2];
        let pairs = self.points().iter().zip(parts);
        pairs.map(move |(point, part)| (point, part / sum))
    }
}

/// Finds the nearest point, starting from a simplex and its point nearest to the origin.
///
/// `size` is the size of the bodies. `support` returns the support point in a direction; its second
/// argument is a guess.
///
/// Let v be the nearest point of the simplex and w the support point along -v. Then `v.w / |v|` is
/// a lower bound of the gap and |v| an upper one. The search ends where both agree to rounding.
pub(super) fn nearest(
    size: f64,
    mut support: impl FnMut(DVec3, &Difference) -> Difference,
    (mut simplex, mut v): (Simplex, DVec3),
    margin: f64,
) -> Proximity {
    const CAP: usize = 64;
    let touching_squared = (size * TOUCHING) * (size * TOUCHING);
    let mut last = simplex.points[0];
    let mut distance_squared = v.length_squared();
    for _ in 0..CAP {
        if distance_squared <= touching_squared {
            break;
        }
        let next = support(-v, &last);
        let along = v.dot(next.x);
        if along > 0.0 && along * along > margin * margin * distance_squared {
            return Proximity::Beyond(along / distance_squared.sqrt());
        }
        // Both bounds agree: |v| - v.w / |v| is below the rounding error of a difference.
        let gain = (distance_squared - along).max(0.0);
        if gain * gain <= touching_squared * distance_squared {
            break;
        }
        last = next;
        let Some((smaller, nearer)) = simplex.extended(next) else {
            let [a, b, c] = simplex.points;
            return Proximity::Around([a, b, c, next]);
        };
        let nearer_squared = nearer.length_squared();
        // Only rounding is left.
        if nearer_squared >= distance_squared {
            break;
        }
        (simplex, v, distance_squared) = (smaller, nearer, nearer_squared);
    }
    Proximity::Near(simplex)
}

impl Simplex {
    /// Adds a point, and returns the part of the new simplex with the nearest point in its interior, and this point.
    /// `None` if the origin is inside the tetrahedron.
    ///
    /// The new point is beyond the old simplex, so it always belongs to the part.
    #[inline(always)]
    fn extended(&self, a: Difference) -> Option<(Self, DVec3)> {
        let [b, c, d] = self.points;
        Some(match self.count {
            1 => on_segment(a, b),
            2 => on_triangle(a, b, c, (b.x - a.x).cross(c.x - a.x)),
            _ => return on_tetrahedron(a, [b, c, d]),
        })
    }
}

#[inline]
fn on_segment(a: Difference, b: Difference) -> (Simplex, DVec3) {
    let ab = b.x - a.x;
    let along = -a.x.dot(ab);
    if along <= 0.0 {
        return (Simplex::vertex(a), a.x);
    }
    let nearest = a.x + ab * (along / ab.length_squared());
    (Simplex::segment([a, b]), nearest)
}

/// Returns the part of a triangle with the nearest point; `normal` is `ab x ac`.
#[inline]
fn on_triangle(a: Difference, b: Difference, c: Difference, normal: DVec3) -> (Simplex, DVec3) {
    let (ab, ac) = (b.x - a.x, c.x - a.x);
    // The origin is beyond at most one of the edges at `a`, or projects onto `a` itself.
    if ab.cross(normal).dot(a.x) <= 0.0 && a.x.dot(ab) < 0.0 {
        return on_segment(a, b);
    }
    if normal.cross(ac).dot(a.x) <= 0.0 {
        return on_segment(a, c);
    }
    if ab.cross(normal).dot(a.x) <= 0.0 {
        return (Simplex::vertex(a), a.x);
    }
    let nearest = normal * (normal.dot(a.x) / normal.length_squared());
    (Simplex::triangle([a, b, c]), nearest)
}

/// Returns the part of a tetrahedron with the nearest point, `None` if the origin is inside.
///
/// `a` is beyond the other face, so the part is a face, an edge or a vertex at `a`. It is a face if the origin is
/// outside this face and between its edges at `a`.
fn on_tetrahedron(a: Difference, others: [Difference; 3]) -> Option<(Simplex, DVec3)> {
    let along = others.map(|point| point.x - a.x);
    let volume = along[0].cross(along[1]).dot(along[2]);
    let (mut is_inside, mut is_beyond) = (true, [false; 3]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let normal = along[i].cross(along[j]);
        let height = normal.dot(a.x);
        // On the side of the fourth corner.
        if height * volume < 0.0 {
            continue;
        }
        is_inside = false;
        let beyond = [along[i].cross(normal), normal.cross(along[j])].map(|n| n.dot(a.x) <= 0.0);
        if beyond == [false; 2] {
            let nearest = normal * (height / normal.length_squared());
            return Some((Simplex::triangle([a, others[i], others[j]]), nearest));
        }
        is_beyond[i] |= beyond[0];
        is_beyond[j] |= beyond[1];
    }
    if is_inside {
        return None;
    }
    let edges = (0..3)
        .filter(|&i| is_beyond[i])
        .map(|i| on_segment(a, others[i]));
    edges.min_by(|(_, x), (_, y)| x.length_squared().total_cmp(&y.length_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::closest_on_triangle;
    use crate::testing::workload::SplitMix64;

    /// Triangles that contain the projection of the origin, and a point beyond their plane: as in a search.
    #[test]
    fn parts_of_tetrahedra_are_nearest() {
        let distance = |face: [Difference; 3]| {
            let corners = face.map(|corner| corner.x);
            closest_on_triangle(DVec3::ZERO, corners)
                .distance_squared
                .sqrt()
        };
        let mut random = SplitMix64::new(12);
        let mut counts = [0; 4];
        while counts.iter().sum::<usize>() < 20_000 {
            let [a, b, c, d] = [0; 4].map(|_| Difference {
                x: random.in_ball() * 2.0,
                ..Difference::default()
            });
            let (triangle, v) = on_triangle(b, c, d, (c.x - b.x).cross(d.x - b.x));
            if triangle.count < 3 || v.dot(a.x) >= v.length_squared() {
                continue;
            }
            // `on_triangle` expects that the origin is not beyond the side opposite its first corner.
            if (v.length() - distance([b, c, d])).abs() > 1e-9 {
                continue;
            }
            let distances = [[a, b, c], [a, c, d], [a, d, b]].map(distance);
            match on_tetrahedron(a, [b, c, d]) {
                Some((part, nearest)) => {
                    let expected = distances.into_iter().fold(f64::INFINITY, f64::min);
                    assert!((nearest.length() - expected).abs() < 1e-9);
                    counts[part.count] += 1;
                }
                None => counts[0] += 1,
            }
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }

    fn at(x: f64, y: f64, z: f64) -> Difference {
        Difference {
            x: DVec3::new(x, y, z),
            ..Difference::default()
        }
    }

    fn weights(simplex: &Simplex) -> Vec<f64> {
        simplex.weighted().map(|(_, weight)| weight).collect()
    }

    /// Weights of the point nearest to the origin, and the smallest simplex with this point in its interior.
    #[test]
    fn nearest_points_of_simplices() {
        let on_edge = |y: f64| on_segment(at(1.0, y, 2.0), at(1.0, y + 4.0, 2.0));
        let (simplex, nearest) = on_edge(-1.0);
        assert_eq!(
            (weights(&simplex), nearest),
            (vec![0.75, 0.25], DVec3::new(1.0, 0.0, 2.0))
        );
        // The origin projects onto an end.
        for y in [0.0, 1.0] {
            let (simplex, nearest) = on_edge(y);
            assert_eq!(
                (weights(&simplex), nearest),
                (vec![1.0], DVec3::new(1.0, y, 2.0))
            );
        }
        let [a, b, c] = [at(-1.0, -1.0, 2.0), at(3.0, -1.0, 2.0), at(-1.0, 3.0, 2.0)];
        let (simplex, nearest) = on_triangle(a, b, c, (b.x - a.x).cross(c.x - a.x));
        assert_eq!(
            (weights(&simplex), nearest),
            (vec![0.5, 0.25, 0.25], DVec3::Z * 2.0)
        );
    }
}
