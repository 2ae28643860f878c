//! The predicates of bodies that cross: on which side of a plane or a line a point is, on which side two edges pass each
//! other, and whether a segment goes through a facet.
//!
//! Signs are exact, by a filter and then by exact arithmetic. A determinant of 0 gets the sign after a symbolic
//! perturbation: body A is moved by (e, e^2, e^3) for an infinitesimal e > 0. All signs therefore belong to one generic
//! pose, and are consistent.

use glam::{DVec2, DVec3};

use super::exact::{first_of_cross, orient2d, orient3d};
use super::tolerance::{FACE_SIDE_UNDERFLOW, two_to};

/// A determinant of differences takes at most 8 u; 32 u are allowed.
const FACE_SIDE: f64 = two_to(-48);

/// A plane orientation from two products takes 3 u (Shewchuk 1997); 4 u are allowed.
pub(crate) const ORIENTATION_2D: f64 = two_to(-51);

/// A triangle prepared for the predicates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SignedTriangle {
    pub(crate) corners: [DVec3; 3],
    /// Whether the area is exactly 0.
    pub(crate) is_flat: bool,
    /// As long as twice the area.
    normal: DVec3,
    /// The rounding error of a side, per unit of the sum of a point's coordinates relative to the
    /// first corner.
    rounding: f64,
    /// The sum of the side lengths of the bounding box, which bounds the sum of the coordinates of
    /// all differences between its points.
    size: f64,
}

impl SignedTriangle {
    /// Prepares a triangle with a bounding box of the given side lengths.
    #[inline]
    pub(crate) fn new(corners: [DVec3; 3], sides: DVec3) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        // No component of the normal is a sum of products larger than 2 m^2.
        let largest = sides.max_element();
        let rounding = 2.0 * FACE_SIDE * largest * largest;
        let is_small = normal.abs().max_element() <= rounding + FACE_SIDE_UNDERFLOW;
        Self {
            corners,
            is_flat: is_small && first_of_cross([a, b], [a, c]) == 0.0,
            normal,
            rounding,
            size: sides.element_sum(),
        }
    }

    /// Returns a bound of the error of the height of another triangle's corners over this triangle, and one of twice the area.
    ///
    /// The bounding boxes must touch.
    #[inline]
    pub(crate) fn doubt_of_height(&self, other: &Self) -> (f64, f64) {
        let normal = self.normal.abs();
        let height = self.doubt(other) / normal.max_element();
        (height, normal.element_sum())
    }

    /// Returns a bound of the rounding error of the sides of another triangle's corners.
    #[inline]
    fn doubt(&self, other: &Self) -> f64 {
        self.rounding * (self.size + other.size) + FACE_SIDE_UNDERFLOW
    }

    /// Returns the ends of the edge from corner `k` to the next.
    #[inline]
    pub(crate) fn edge(&self, k: usize) -> [DVec3; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }

    /// Returns on which sides of this triangle the corners of another triangle are: positive in front.
    /// `None` if all are on one side.
    ///
    /// The bounding boxes must touch. Signs are exact, and 0 only for a triangle without area. `moves` is
    /// 1 if the symbolic perturbation moves the corners, -1 if it moves this triangle.
    #[inline(always)]
    pub(crate) fn sides_of(&self, other: &Self, moves: f64) -> Option<[f64; 3]> {
        let [p, q, r] = other.corners.map(|p| self.normal.dot(p - self.corners[0]));
        // One bound for all three: certain signs then need a single test.
        let doubt = self.doubt(other);
        let are_in_front = (p > doubt) & (q > doubt) & (r > doubt);
        let are_behind = (p < -doubt) & (q < -doubt) & (r < -doubt);
        if are_in_front | are_behind {
            return None;
        }
        if (p.abs() > doubt) & (q.abs() > doubt) & (r.abs() > doubt) {
            return Some([p, q, r]);
        }
        self.sides_near(other, moves)
    }

    #[cold]
    #[inline(never)]
    fn sides_near(&self, other: &Self, moves: f64) -> Option<[f64; 3]> {
        let sides = other.corners.map(|p| self.side_of(p, moves));
        let is_one = sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0);
        (!is_one).then_some(sides)
    }

    /// Returns on which side of this triangle a point is, as [`sides_of`](Self::sides_of). The point may
    /// lie anywhere.
    #[inline]
    pub(crate) fn side_of(&self, point: DVec3, moves: f64) -> f64 {
        let d = point - self.corners[0];
        let side = self.normal.dot(d);
        let size = d.x.abs() + d.y.abs() + d.z.abs();
        if side.abs() > self.rounding * size + FACE_SIDE_UNDERFLOW {
            side
        } else if self.is_flat {
            0.0
        } else {
            side_of_plane(self.corners, point, moves)
        }
    }
}

/// Returns on which side of a triangle's plane a point is, as [`SignedTriangle::side_of`].
#[cold]
#[inline(never)]
pub(crate) fn side_of_plane([a, b, c]: [DVec3; 3], point: DVec3, moves: f64) -> f64 {
    // Where fans of triangles touch, most ties come from corners at the same position.
    if ![a, b, c].contains(&point) {
        let side = orient3d(a, b, c, point);
        if side != 0.0 {
            return side;
        }
    }
    infinitesimal(moves * first_of_cross([a, b], [a, c]))
}

/// Returns on which side an edge of A passes an edge of B. The sign changes if either is reversed.
///
/// Exact, and 0 only for parallel edges in one plane.
#[inline]
pub(crate) fn passes([[a0, a1], [b0, b1]]: [[DVec3; 2]; 2]) -> f64 {
    let (u, v, w) = (a1 - a0, b1 - b0, b0 - a0);
    let size = u.abs().max_element() * v.abs().max_element();
    let doubt = 2.0 * FACE_SIDE * size * (w.x.abs() + w.y.abs() + w.z.abs()) + FACE_SIDE_UNDERFLOW;
    passes_beyond([[a0, a1], [b0, b1]], doubt)
}

/// Returns a bound of the rounding error of [`passes`] for all edges of two faces whose bounding
/// boxes touch.
#[inline]
pub(crate) fn doubt_of_passes(t: &SignedTriangle, u: &SignedTriangle) -> f64 {
    2.0 * FACE_SIDE * t.size * u.size * (t.size + u.size) + FACE_SIDE_UNDERFLOW
}

/// Returns [`passes`], given a bound of its rounding error.
#[inline]
pub(crate) fn passes_beyond([[a0, a1], [b0, b1]]: [[DVec3; 2]; 2], doubt: f64) -> f64 {
    let side = (b0 - a0).dot((b1 - b0).cross(a1 - a0));
    if side.abs() > doubt {
        side
    } else {
        passes_near([[a0, a1], [b0, b1]])
    }
}

#[cold]
#[inline(never)]
fn passes_near([[a0, a1], [b0, b1]]: [[DVec3; 2]; 2]) -> f64 {
    if ![b0, b1].contains(&a0) && ![b0, b1].contains(&a1) {
        let side = orient3d(a0, a1, b0, b1);
        if side != 0.0 {
            return side;
        }
    }
    infinitesimal(first_of_cross([a0, a1], [b0, b1]))
}

/// Returns a number with the sign of `x` that is smaller than any distance or volume.
fn infinitesimal(x: f64) -> f64 {
    if x == 0.0 {
        0.0
    } else {
        f64::MIN_POSITIVE.copysign(x)
    }
}

/// Returns 1 if a segment leaves across the side of a polygon, -1 if it enters and 0 if it misses.
///
/// `moves` is 1 if the symbolic perturbation moves the segment, -1 if it moves the side.
pub(crate) fn leaves_side(side: [DVec2; 2], segment: [DVec2; 2], moves: f64) -> i32 {
    let ends = segment.map(|point| side_of_line(side, point, moves) > 0.0);
    let corners = side.map(|point| side_of_line(segment, point, -moves) > 0.0);
    if corners[0] == corners[1] {
        0
    } else {
        i32::from(ends[0]) - i32::from(ends[1])
    }
}

/// Returns on which side of a line a point of the other body is: positive on the left.
///
/// The sign is exact, and 0 only if the line is a point. `moves` is 1 if the symbolic perturbation
/// (e, e^2) moves the point, -1 if it moves the line.
#[inline]
pub(crate) fn side_of_line([from, to]: [DVec2; 2], point: DVec2, moves: f64) -> f64 {
    let (u, v) = (to - from, point - from);
    let (left, right) = (u.x * v.y, u.y * v.x);
    let side = left - right;
    if side.abs() > ORIENTATION_2D * (left.abs() + right.abs()) + FACE_SIDE_UNDERFLOW {
        side
    } else {
        side_of_line_near([from, to], point, moves)
    }
}

#[cold]
#[inline(never)]
fn side_of_line_near([from, to]: [DVec2; 2], point: DVec2, moves: f64) -> f64 {
    let side = orient2d(from, to, point);
    if side != 0.0 {
        return side;
    }
    let first = if from.y == to.y {
        to.x - from.x
    } else {
        from.y - to.y
    };
    infinitesimal(moves * first)
}

/// Returns 1 if a segment of A leaves through a triangle of B, -1 if it enters and 0 if it misses.
pub(crate) fn leaves_triangle(triangle: [DVec3; 3], segment: [DVec3; 2]) -> i32 {
    let [a, b, c] = triangle;
    leaves(
        segment.map(|point| side_of_plane(triangle, point, 1.0)),
        |k| passes([segment, [[a, b], [b, c], [c, a]][k]]),
    )
}

/// Returns the same from signs: the sides of the triangle that the ends are on, and on which side the
/// segment passes each edge.
pub(crate) fn leaves([start, end]: [f64; 2], passes: impl Fn(usize) -> f64) -> i32 {
    if start == 0.0 || (start > 0.0) == (end > 0.0) {
        return 0;
    }
    let is_first = passes(0) > 0.0;
    if (1..3).any(|k| (passes(k) > 0.0) != is_first) {
        0
    } else if start < 0.0 {
        1
    } else {
        -1
    }
}

/// Returns whether an edge of one of two triangles crosses the other's plane where `is_inside` says so, of the sides on
/// which the edge passes the other's edges, all with the same sign. Ties are not perturbed: an end on the plane does not
/// cross it.
pub(crate) fn triangles_cross([t, u]: [[DVec3; 3]; 2], is_inside: impl Fn(f64) -> bool) -> bool {
    let is_crossed = |[a, b, c]: [DVec3; 3], by: [DVec3; 3]| {
        // Exact signs of 0 are slow, and most triangles of a fan have a common vertex.
        let height = |p: DVec3| match p == a || p == b || p == c {
            true => 0.0,
            false => orient3d(a, b, c, p),
        };
        let heights = by.map(height);
        (0..3).any(|i| {
            let j = (i + 1) % 3;
            let [p, q] = [by[i], by[j]];
            let is_through = heights[i].min(heights[j]) < 0.0 && heights[i].max(heights[j]) > 0.0;
            // Few edges pass through the plane.
            is_through && {
                let sides = [[a, b], [b, c], [c, a]].map(|[v, w]| orient3d(p, q, v, w));
                sides.iter().all(|&s| is_inside(s)) || sides.iter().all(|&s| is_inside(-s))
            }
        })
    };
    is_crossed(t, u) || is_crossed(u, t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(corners: [DVec3; 3]) -> SignedTriangle {
        let [a, b, c] = corners;
        SignedTriangle::new(corners, a.max(b).max(c) - a.min(b).min(c))
    }

    /// The signs at 0 are those after a small but finite translation of A.
    #[test]
    fn ties_go_as_after_a_translation() {
        let step = 2.0_f64.powi(-12);
        let moved = DVec3::new(step, step * step, step * step * step);
        let mut random = crate::testing::workload::SplitMix64::new(3);
        let mut ties = [0; 2];
        for _ in 0..20_000 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.below(4) as f64));
            let (a, b) = ([point(), point(), point()], [point(), point(), point()]);
            let (fixed, shifted) = (face(b), face(a.map(|p| p + moved)));
            let here = face(a);
            for (p, q) in a.into_iter().zip(b) {
                let (tied, free) = (fixed.side_of(p, 1.0), fixed.side_of(p + moved, 1.0));
                assert_eq!(tied.total_cmp(&0.0), free.total_cmp(&0.0), "{b:?} {p}");
                let (tied, free) = (here.side_of(q, -1.0), shifted.side_of(q, -1.0));
                assert_eq!(tied.total_cmp(&0.0), free.total_cmp(&0.0), "{a:?} {q}");
                ties[0] += usize::from(tied.abs() < 1e-300);
            }
            let tied = passes([[a[0], a[1]], [b[0], b[1]]]);
            let free = passes([[a[0] + moved, a[1] + moved], [b[0], b[1]]]);
            assert_eq!(tied.total_cmp(&0.0), free.total_cmp(&0.0));
            assert_eq!(
                passes([[a[1], a[0]], [b[0], b[1]]]).total_cmp(&0.0),
                (0.0 - tied).total_cmp(&0.0)
            );
            ties[1] += usize::from(tied.abs() < 1e-300);
        }
        assert!(ties[0] > 1000 && ties[1] > 1000, "{ties:?}");
    }

    /// Signs near 0 are those of integers, in any unit of length.
    #[test]
    fn signs_agree_with_integers() {
        let mut random = crate::testing::workload::SplitMix64::new(4);
        let (mut near, mut signs) = (0, [0; 2]);
        for _ in 0..20_000 {
            let unit = 2.0_f64.powi(random.below(120) as i32 - 60);
            let mut point = || [0; 3].map(|_| random.below(1 << 21) as i64 - (1 << 20));
            let [a, b, c, d] = [point(), point(), point(), point()];
            // Close to the plane of a, b and c, and to the line of a and b.
            let [s, t] = [random.unit(), random.unit() - 0.5];
            let mut offset = || random.below(3) as i64 - 1;
            let between = |s: f64, t: f64, k: usize| {
                let along = (b[k] - a[k]) as f64 * s + (c[k] - a[k]) as f64 * t;
                a[k] + along as i64
            };
            let on_plane = [0, 1, 2].map(|k| between(s, t, k) + offset());
            let on_line = [0, 1, 2].map(|k| between(s, 0.0, k) + offset());
            let place = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64 * unit));
            let sign = |x: f64| x.total_cmp(&0.0) as i128;
            let [p, q, r] = [a, b, c].map(place);
            let face = face([p, q, r]);
            for point in [on_plane, on_line, d] {
                let exact = -volume([a, b, c, point]);
                let found = face.side_of(place(point), 1.0);
                assert!(
                    exact == 0 || sign(found) == exact.signum(),
                    "{a:?} {b:?} {c:?}"
                );
                near += usize::from(exact.abs() < 1 << 44);
            }
            let found = passes([[p, q], [place(on_line), place(d)]]);
            let exact = -volume([a, b, on_line, d]);
            assert!(
                exact == 0 || sign(found) == exact.signum(),
                "{a:?} {b:?} {d:?}"
            );
            signs[usize::from(exact > 0)] += 1;
        }
        assert!(
            near > 5000 && signs.iter().all(|&count| count > 5000),
            "{near} {signs:?}"
        );
    }

    /// Six times the volume of a tetrahedron, with the sign of `orient3d`.
    fn volume([a, b, c, d]: [[i64; 3]; 4]) -> i128 {
        let [u, v, w] = [a, b, c].map(|p| [0, 1, 2].map(|k| i128::from(p[k] - d[k])));
        let minor = |i: usize, j: usize| v[i] * w[j] - v[j] * w[i];
        u[0] * minor(1, 2) + u[1] * minor(2, 0) + u[2] * minor(0, 1)
    }

    /// Signs near 0 are those of integers, in any unit of length.
    #[test]
    fn sides_of_lines_agree_with_integers() {
        let mut random = crate::testing::workload::SplitMix64::new(5);
        let mut signs = [0; 2];
        for _ in 0..20_000 {
            let unit = 2.0_f64.powi(random.below(120) as i32 - 60);
            let mut point = || [0; 2].map(|_| random.below(1 << 31) as i64 - (1 << 30));
            let [a, b] = [point(), point()];
            let part = random.unit();
            let c = [0, 1].map(|k| {
                let along = (b[k] - a[k]) as f64 * part;
                a[k] + along as i64 + random.below(3) as i64 - 1
            });
            let [u, v] = [b, c].map(|p| [0, 1].map(|k| i128::from(p[k] - a[k])));
            let exact = u[0] * v[1] - u[1] * v[0];
            let [p, q, r] = [a, b, c].map(|p| DVec2::from_array(p.map(|x| x as f64 * unit)));
            let found = side_of_line([p, q], r, 1.0).total_cmp(&0.0) as i128;
            assert!(exact == 0 || found == exact.signum(), "{a:?} {b:?} {c:?}");
            signs[usize::from(exact > 0)] += 1;
        }
        assert!(signs.iter().all(|&count| count > 5000), "{signs:?}");
    }

    /// One edge through the other triangle is enough, in any order. Touching triangles do not cross.
    #[test]
    fn triangles_that_cross() {
        let corners = |z: f64| [(-9.0, -9.0, z), (9.0, -9.0, z), (0.0, 9.0, z)];
        let wide = corners(0.0).map(DVec3::from);
        let needle =
            |tip: f64| [(0.0, 0.0, tip), (0.1, 0.0, 4.0), (0.0, 0.1, 4.0)].map(DVec3::from);
        for (other, expected) in [
            (needle(-1.0), true),
            (needle(0.0), false),
            (needle(1.0), false),
            (corners(1.0).map(DVec3::from), false),
            (corners(0.0).map(DVec3::from), false),
        ] {
            assert_eq!(
                triangles_cross([wide, other], |s| s >= 0.0),
                expected,
                "{other:?}"
            );
            assert_eq!(
                triangles_cross([other, wide], |s| s >= 0.0),
                expected,
                "{other:?}"
            );
        }
    }
}
