//! Exact signs for any input in the domain.
//!
//! Orientation signs come from the `robust` crate. The sign of the gap between two spheres and a cross product that is
//! accurate on needles use error-free transformations: J. R. Shewchuk, "Adaptive precision floating-point arithmetic
//! and fast robust geometric predicates", Discrete & Computational Geometry 18 (1997) 305-363.
//!
//! Both lose bits that underflow. If coordinates are so small that these bits could decide a sign, the sign is computed
//! with integers.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

use super::Vector;
use super::integer::{Integer, Unit, cross, dot};
use super::tolerance::two_to;

/// Determinants above this have the sign that expansions give them: less than 2^-1074 times some
/// products of two coordinates can underflow.
const ORIENTATION_UNDERFLOW: f64 = two_to(-700);

/// Products of three coordinates at or above this do not underflow: their last bit is at least
/// 2^-906.
const PRODUCT_UNDERFLOW: f64 = two_to(-250);

/// Below this squared sine, a cross product has lost six bits or more and is computed exactly.
const SHARP_SINE_SQUARED: f64 = two_to(-12);

/// Returns twice the signed area of the triangle `abc`: positive if counter-clockwise.
///
/// The sign is exact, the magnitude approximate.
///
/// ```
/// use osculate::math::orient2d;
/// use osculate::glam::DVec2;
///
/// let (a, b) = (DVec2::new(0.1, 0.1), DVec2::new(0.3, 0.3));
/// assert_eq!(orient2d(a, b, DVec2::new(0.7, 0.7)), 0.0);
/// assert!(orient2d(a, b, DVec2::new(0.7, 0.7_f64.next_up())) > 0.0);
/// ```
#[inline]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |v: DVec2| Coord { x: v.x, y: v.y };
    let value = robust::orient2d(coord(a), coord(b), coord(c));
    if value.abs() > ORIENTATION_UNDERFLOW {
        value
    } else {
        small_orient2d([a, b, c], value)
    }
}

/// Returns six times the signed volume of the tetrahedron `abcd`.
///
/// It is positive if `abc` is counter-clockwise seen from `d`. The sign is exact, the magnitude
/// approximate.
///
/// ```
/// use osculate::math::orient3d;
/// use osculate::glam::DVec3;
///
/// assert!(orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z) > 0.0);
/// ```
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |v: DVec3| Coord3D {
        x: v.x,
        y: v.y,
        z: v.z,
    };
    let value = -robust::orient3d(coord(a), coord(b), coord(c), coord(d));
    if value.abs() > ORIENTATION_UNDERFLOW {
        value
    } else {
        small_orient3d([a, b, c, d], value)
    }
}

#[cold]
#[inline(never)]
fn small_orient2d([a, b, c]: [DVec2; 3], value: f64) -> f64 {
    if !may_underflow([a, b, c]) {
        return value;
    }
    exact_sign([a, b, c], value, |unit| {
        let [u, v] = [b, c].map(|p| unit.vector(p, a));
        &(&u[0] * &v[1]) - &(&u[1] * &v[0])
    })
}

#[cold]
#[inline(never)]
fn small_orient3d([a, b, c, d]: [DVec3; 4], value: f64) -> f64 {
    if !may_underflow([a, b, c, d]) {
        return value;
    }
    exact_sign([a, b, c, d], value, |unit| {
        let [u, v, w] = [b, c, d].map(|p| unit.vector(p, a));
        dot(&cross(&u, &v), &w)
    })
}

/// Returns the exact sign of a polynomial of points, with about the magnitude of its rounded value.
#[cold]
#[inline(never)]
pub(super) fn exact_sign<V: Vector, const N: usize>(
    points: [V; N],
    value: f64,
    polynomial: impl FnOnce(Unit) -> Integer,
) -> f64 {
    let coordinates = points.iter().flat_map(|p| (0..V::DIM).map(|axis| p[axis]));
    match Unit::of(coordinates) {
        None => value,
        Some(unit) => polynomial(unit).sign() * value.abs().max(2.0 * f64::MIN_POSITIVE),
    }
}

/// Returns whether products of three coordinates may have bits that underflow.
#[inline]
pub(super) fn may_underflow<V: Vector, const N: usize>(points: [V; N]) -> bool {
    let is_small = |x: f64| x != 0.0 && x.abs() < PRODUCT_UNDERFLOW;
    points
        .iter()
        .any(|p| (0..V::DIM).any(|axis| is_small(p[axis])))
}

/// Returns `(b - a) x (d - c)` to a few ulps of its length, also for almost parallel differences.
///
/// Their rounding errors are carried along, and each 2 x 2 determinant is formed without cancellation.
#[cold]
#[inline(never)]
pub(crate) fn cross_of_differences([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> DVec3 {
    let (u, v) = (differences(a, b), differences(c, d));
    let component = |i: usize, j: usize| {
        let (p, q, low) = determinant(u, v, [i, j]);
        (p - q) + low
    };
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

/// Returns `(b - a) x (c - a) . (d - a)` in twice the digits: to about an ulp, unless it is below eps times
/// its terms.
#[cold]
#[inline(never)]
pub(crate) fn accurate_orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let [u, v, w] = [b, c, d].map(|end| differences(a, end));
    let (mut sum, mut rest) = (0.0, 0.0);
    for (i, [j, k]) in [[1, 2], [2, 0], [0, 1]].into_iter().enumerate() {
        let (p, q, low) = determinant(u, v, [j, k]);
        let (high, error) = two_difference(p, q);
        let (term, term_low) = two_product(high, w[i].0);
        let (total, sum_low) = two_sum(sum, term);
        sum = total;
        rest += sum_low + term_low + (error + low) * w[i].0 + high * w[i].1;
    }
    sum + rest
}

fn differences(from: DVec3, to: DVec3) -> [(f64, f64); 3] {
    [0, 1, 2].map(|i| two_difference(to[i], from[i]))
}

/// Returns `u_i v_j - u_j v_i` as two rounded products and their errors.
fn determinant(u: [(f64, f64); 3], v: [(f64, f64); 3], [i, j]: [usize; 2]) -> (f64, f64, f64) {
    let ((ui, ui_low), (uj, uj_low)) = (u[i], u[j]);
    let ((vi, vi_low), (vj, vj_low)) = (v[i], v[j]);
    let (p, p_low) = two_product(ui, vj);
    let (q, q_low) = two_product(uj, vi);
    let low = (p_low - q_low) + (ui * vj_low + ui_low * vj - uj * vi_low - uj_low * vi);
    (p, q, low)
}

/// Returns the first nonzero component of `(b - a) x (d - c)`, with an exact sign; 0 if the differences
/// are parallel.
pub(crate) fn first_of_cross([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    if may_underflow([a, b, c, d]) {
        return exact_sign([a, b, c, d], 0.0, |unit| {
            let components = cross(&unit.vector(b, a), &unit.vector(d, c));
            let first = components.into_iter().find(|x| x.sign() != 0.0);
            first.unwrap_or(Integer::ZERO)
        });
    }
    let (u, v) = (differences(a, b), differences(c, d));
    let component = |(i, j): (usize, usize)| {
        let mut sum = Expansion::<16>::new();
        sum.add_product(u[i], v[j], 1.0);
        sum.add_product(u[j], v[i], -1.0);
        sum.total()
    };
    let mut components = [(1, 2), (2, 0), (0, 1)].into_iter().map(component);
    components.find(|&x| x != 0.0).unwrap_or(0.0)
}

/// Returns the cross product of two edges, in plain arithmetic if this loses at most about six bits.
#[inline]
pub(crate) fn cross_of_edges(p: [DVec3; 2], q: [DVec3; 2]) -> DVec3 {
    let (u, v) = (p[1] - p[0], q[1] - q[0]);
    let cross = u.cross(v);
    if cross.length_squared() >= SHARP_SINE_SQUARED * (u.length_squared() * v.length_squared()) {
        cross
    } else {
        cross_of_differences(p, q)
    }
}

/// An expansion: the exact sum of numbers that do not overlap, smallest first.
pub(super) struct Expansion<const N: usize> {
    parts: [f64; N],
    len: usize,
}

impl<const N: usize> Expansion<N> {
    pub(super) fn new() -> Self {
        Self {
            parts: [0.0; N],
            len: 0,
        }
    }

    /// Adds a number (Shewchuk's grow-expansion).
    fn add(&mut self, value: f64) {
        // Most terms are 0 on a lattice.
        if value == 0.0 {
            return;
        }
        let mut carry = value;
        for part in &mut self.parts[..self.len] {
            let (sum, error) = two_sum(carry, *part);
            *part = error;
            carry = sum;
        }
        self.parts[self.len] = carry;
        self.len += 1;
    }

    pub(super) fn add_square(&mut self, (high, low): (f64, f64), sign: f64) {
        for (p, q) in [(low, low), (2.0 * high, low), (high, high)] {
            let (product, error) = two_product(sign * p, q);
            self.add(error);
            self.add(product);
        }
    }

    fn add_product(&mut self, (a, a_low): (f64, f64), (b, b_low): (f64, f64), sign: f64) {
        for (p, q) in [(a_low, b_low), (a_low, b), (a, b_low), (a, b)] {
            let (product, error) = two_product(sign * p, q);
            self.add(error);
            self.add(product);
        }
    }

    /// Returns the sum, to an ulp; the sign is exact.
    pub(super) fn total(&self) -> f64 {
        self.parts[..self.len].iter().sum()
    }
}

/// Returns `x + y` as a rounded sum and its exact error.
#[inline]
pub(crate) fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let y_virtual = sum - x;
    (sum, (x - (sum - y_virtual)) + (y - y_virtual))
}

/// Returns `x - y` as a rounded difference and its exact error.
#[inline]
pub(super) fn two_difference(x: f64, y: f64) -> (f64, f64) {
    two_sum(x, -y)
}

/// Returns `x * y` as a rounded product and its exact error.
#[inline]
pub(crate) fn two_product(x: f64, y: f64) -> (f64, f64) {
    let product = x * y;
    (product, x.mul_add(y, -product))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::math::sphere_gap_sign;

    /// Edges at an angle, and edges almost parallel, of which a plain product loses all digits.
    #[test]
    fn cross_products_keep_their_digits() {
        let edge = |to: DVec3| [DVec3::ONE, DVec3::ONE + to];
        let cross = cross_of_edges(edge(DVec3::X), edge(DVec3::Y));
        assert_eq!(cross, DVec3::Z);
        let (a, b) = (
            DVec3::new(1.0, 1.0, 0.5),
            DVec3::new(1.0, 1.0, 0.5 + f64::EPSILON),
        );
        let narrow = cross_of_edges([DVec3::ZERO, a], [DVec3::ONE * 1e-3, b + DVec3::ONE * 1e-3]);
        assert_eq!(
            narrow,
            cross_of_differences([DVec3::ZERO, a], [DVec3::ONE * 1e-3, b + DVec3::ONE * 1e-3])
        );
        // 2^-5 of each other: still plain, to the bit.
        let (p, q) = (
            [DVec3::ZERO, DVec3::X * 0.1],
            [DVec3::ZERO, DVec3::new(0.7, 0.3 / 16.0, 0.0)],
        );
        assert_eq!(cross_of_edges(p, q), (p[1] - p[0]).cross(q[1] - q[0]));
    }

    #[test]
    fn orientation_signs() {
        let (a, b) = (DVec2::ZERO, DVec2::X);
        assert!(orient2d(a, b, DVec2::Y) > 0.0);
        assert!(orient2d(b, a, DVec2::Y) < 0.0);
        let (a, b, c) = (DVec3::ZERO, DVec3::X, DVec3::Y);
        assert!(orient3d(a, b, c, -DVec3::Z) < 0.0);
        assert_eq!(orient3d(a, b, c, DVec3::new(3.0, 4.0, 0.0)), 0.0);
    }

    /// The x component is 0, the y component what rounding of the differences takes away.
    #[test]
    fn first_component_of_a_cross_product() {
        let tiny = 2.0_f64.powi(-70);
        let (a, b) = (DVec3::new(tiny, 0.0, 0.0), DVec3::X);
        let (c, d) = (DVec3::ZERO, DVec3::X);
        assert_eq!(first_of_cross([a, b], [c, d]), 0.0);
        let lifted = d + DVec3::Z * tiny;
        assert!(first_of_cross([a, b], [c, lifted]) < 0.0);
        assert!(first_of_cross([c, lifted], [a, b]) > 0.0);
        assert!(first_of_cross([c, lifted], [c, lifted]) == 0.0);
        // 1 x 1 against (1 - 2^-70) x 1: the difference 1 - 2^-70 rounds to 1.
        let (u, v) = (DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 0.0));
        let from = DVec3::new(0.0, tiny, 0.0);
        assert!(first_of_cross([from, u], [DVec3::ZERO, v]) > 0.0);
    }

    /// Squares and products of what is this small are 0 in floats.
    #[test]
    fn signs_where_floats_underflow() {
        let tiny = [1e-162, 1e-200, f64::MIN_POSITIVE, 5e-324];
        for y in tiny {
            let sign = |x: f64| sphere_gap_sign(DVec3::ZERO, 1.0, DVec3::new(x, y, 0.0), 1.0);
            assert_eq!(sign(2.0), Ordering::Greater);
            assert_eq!(sign(2.0_f64.next_down()), Ordering::Less);
            let point = |z: f64| sphere_gap_sign(DVec3::ZERO, y, DVec3::new(y, 0.0, z), 0.0);
            assert_eq!(
                (point(0.0), point(5e-324)),
                (Ordering::Equal, Ordering::Greater)
            );
            for z in tiny {
                let (a, b) = (DVec2::new(y, 0.0), DVec2::new(0.0, z));
                assert!(orient2d(DVec2::ZERO, a, b) > 0.0 && orient2d(DVec2::ZERO, b, a) < 0.0);
                assert_eq!(orient2d(a, a * 2.0, a * 4.0), 0.0);
                let [a, b] = [a, b].map(|v| v.extend(0.0));
                let apex = DVec3::new(1.0, 1.0, -y);
                assert!(orient3d(DVec3::ZERO, a, b, apex) < 0.0);
                assert_eq!(orient3d(DVec3::ZERO, a, b, DVec3::new(1.0, 1.0, 0.0)), 0.0);
                assert!(first_of_cross([DVec3::ZERO, a], [DVec3::ZERO, b]) > 0.0);
                assert_eq!(first_of_cross([DVec3::ZERO, a], [a, DVec3::ZERO]), 0.0);
            }
        }
    }

    /// A lattice needle, aspect 2^-27, far from the origin: the cross product is known exactly.
    #[test]
    fn cross_product_of_a_needle() {
        let length = f64::from(1 << 27);
        let a = DVec3::new(1.0, 2.0, 3.0) * length;
        let b = a + DVec3::new(length, length - 1.0, 1.0);
        let c = a + DVec3::new(length - 1.0, length - 2.0, 1.0);
        // z = L (L - 2) - (L - 1)^2, which plain products round to 0.
        assert_eq!(
            cross_of_differences([a, b], [a, c]),
            DVec3::new(1.0, -1.0, -1.0)
        );
    }
    /// Differences of 2^60 and single digits are rounded, and the products of what is left cancel
    /// to 2^-60 of their size.
    #[test]
    fn cross_product_of_rounded_differences() {
        let points = [
            [1, 3, 7],
            [1 << 60, 1 << 60, 1 << 60],
            [1 << 59, 1 << 59, 1 << 59],
        ];
        let [a, b, c] = points.map(|p: [i128; 3]| DVec3::from_array(p.map(|x| x as f64)));
        let [u, v] = [1, 2].map(|i| [0, 1, 2].map(|axis| points[i][axis] - points[0][axis]));
        let exact = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| (u[i] * v[j] - u[j] * v[i]) as f64);
        let error = cross_of_differences([a, b], [a, c]) - DVec3::from_array(exact);
        assert!(
            error.length() < 1e-15 * DVec3::from_array(exact).length(),
            "{error}"
        );
    }
}
