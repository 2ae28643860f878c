//! The overlap of two spheres, with an exact sign and without cancellation.

use crate::math::tolerance::two_to;
use std::cmp::Ordering;

use super::Vector;
use super::exact::{Expansion, exact_sign, may_underflow, two_difference, two_product, two_sum};
use super::integer::dot;

/// Sums of four squares in twice the digits that cancel to less than this are computed exactly. Their error is below
/// 2^-100 of the squares.
const TWOFOLD_SQUARES: f64 = two_to(-40);

/// Returns the exact sign of `|a - b| - (radius_a + radius_b)`: `Less` if the spheres overlap, `Equal` if
/// they touch, `Greater` if there is a gap.
pub(crate) fn sphere_gap_sign<V: Vector>(a: V, radius_a: f64, b: V, radius_b: f64) -> Ordering {
    // Adding 0 makes a zero positive.
    let excess = exact_excess([a, b], [radius_a, radius_b], 0.0) + 0.0;
    0.0_f64.total_cmp(&excess)
}

/// Returns `(radius_a + radius_b)^2 - |a - b|^2` to a few ulps, with an exact sign. A radius may be negative.
pub(crate) fn excess_of_reach<V: Vector>(a: V, radius_a: f64, b: V, radius_b: f64) -> f64 {
    let (reach, low) = two_sum(radius_a, radius_b);
    let (mut sum, mut rest) = two_product(reach, reach);
    rest += 2.0 * reach * low;
    let mut scale = sum;
    for axis in 0..V::DIM {
        let (x, low) = two_difference(a[axis], b[axis]);
        let (square, error) = two_product(x, x);
        let (total, lost) = two_sum(sum, -square);
        sum = total;
        rest += lost - error - 2.0 * x * low;
        scale += square;
    }
    let excess = sum + rest;
    if excess.abs() > TWOFOLD_SQUARES * scale {
        excess
    } else {
        exact_excess([a, b], [radius_a, radius_b], excess)
    }
}

/// Returns `(radius_a + radius_b)^2 - |a - b|^2` to an ulp, with an exact sign. If squares may underflow, only the
/// sign is exact, and the magnitude is that of `value`.
#[cold]
fn exact_excess<V: Vector>([a, b]: [V; 2], radii: [f64; 2], value: f64) -> f64 {
    let ends = radii.map(|radius| V::X * radius);
    if may_underflow([a, b, ends[0], ends[1]]) {
        return exact_sign([a, b, ends[0], ends[1]], value, |unit| {
            let apart = unit.vector(a, b);
            let reach = unit.difference(radii[0], -radii[1]);
            &(&reach * &reach) - &dot(&apart, &apart)
        });
    }
    // Each of the 4 squares (hi + lo)^2 has 6 terms.
    let mut sum = Expansion::<24>::new();
    for axis in 0..V::DIM {
        sum.add_square(two_difference(a[axis], b[axis]), -1.0);
    }
    sum.add_square(two_sum(radii[0], radii[1]), 1.0);
    sum.total()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, DVec3};

    /// 3-4-5: the plain formula would need no help here; one ulp either way it does.
    #[test]
    fn spheres_that_touch_and_one_ulp_either_way() {
        let b = DVec3::new(3.0, 4.0, 0.0);
        let sign = |radius| sphere_gap_sign(DVec3::ZERO, radius, b, 3.0);
        assert_eq!(sign(2.0), Ordering::Equal);
        assert_eq!(sign(2.0_f64.next_up()), Ordering::Less);
        assert_eq!(sign(2.0_f64.next_down()), Ordering::Greater);
    }

    /// 0.1 + 0.2 rounds up to 0.30000000000000004; the exact sum of the two doubles is below
    /// that and above the double 0.3.
    #[test]
    fn the_sum_of_the_radii_is_not_rounded() {
        let sign = |x: f64| sphere_gap_sign(DVec2::ZERO, 0.1, DVec2::new(x, 0.0), 0.2);
        assert_eq!(sign(0.3), Ordering::Less);
        assert_eq!(sign(0.3_f64.next_up()), Ordering::Greater);
    }

    /// The squared distance 1 + 1.5 x 2^-60 is between 1 and the squared sum of the radii, 1 + 2 x
    /// 2^-60: the cross term of the low part decides.
    #[test]
    fn low_parts_count_twice() {
        let tiny = 2.0_f64.powi(-60);
        let b = DVec2::new(1.0, (1.5 * tiny).sqrt());
        assert_eq!(sphere_gap_sign(DVec2::ZERO, 1.0, b, tiny), Ordering::Less);
        let b = DVec2::new(1.0, (2.5 * tiny).sqrt());
        assert_eq!(
            sphere_gap_sign(DVec2::ZERO, 1.0, b, tiny),
            Ordering::Greater
        );
    }

    #[test]
    fn sign_at_the_ends_of_the_domain() {
        for scale in [super::super::MIN_LENGTH, super::super::MAX_LENGTH] {
            let b = DVec2::new(3.0, 4.0) * (0.125 * scale);
            let radius = 0.25 * scale;
            let sign = |r: f64| sphere_gap_sign(DVec2::ZERO, radius, b, r);
            assert_eq!(sign(0.375 * scale), Ordering::Equal);
            assert_eq!(sign((0.375 * scale).next_down()), Ordering::Greater);
        }
    }

    /// In integers: differences of squares that cancel to any degree, of sums and differences of radii.
    #[test]
    fn excess_keeps_its_digits() {
        // (2^k + 1)^2 - (2^k - j)^2 - j^2 = 2^k (2 + 2 j) + 1 - 2 j^2.
        for k in 1..50 {
            for j in [1_i128, 3, 1001, (1 << 20) + 1] {
                let n = 1_i128 << k;
                let radii = [n - 5, 6];
                let at = [n - j, j];
                let square = |x: i128| x * x;
                let b = DVec2::from_array(at.map(|x| x as f64));
                let [r, s] = radii.map(|x| x as f64);
                let squares = square(at[0]) + square(at[1]);
                for (sign, reach) in [(1.0, n + 1), (-1.0, n - 11)] {
                    let exact = (square(reach) - squares) as f64;
                    let found = excess_of_reach(DVec2::ZERO, r, b, sign * s);
                    assert!(
                        (found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(),
                        "{k} {j}"
                    );
                }
            }
        }
        // (1 + t)^2 - 1 - y^2 with y^2 = 2 t to an ulp: fractions give these values.
        for (k, exact) in [(70, -2.3160548870181992e-37), (50, 5.460041959836278e-31)] {
            let t = 2.0_f64.powi(-k);
            let b = DVec2::new(1.0, (2.0 * t).sqrt());
            let found = excess_of_reach(DVec2::ZERO, 1.0, b, t);
            assert!((found / exact - 1.0_f64).abs() < 1e-15, "{k}: {found:e}");
        }
        // An ulp of overlap: 2 x 5 ulps of 2 minus the square of one.
        let b = DVec3::new(3.0, 4.0, 0.0);
        let radius = 2.0_f64.next_up();
        let ulp = radius - 2.0;
        let found = excess_of_reach(DVec3::ZERO, radius, b, 3.0);
        assert_eq!(found, ulp * (10.0 + ulp));
    }

    /// Squares that cancel to between 2^-100 and 2^-40 of their size keep their digits.
    #[test]
    fn excess_of_spheres_that_almost_touch() {
        let mut random = crate::testing::workload::SplitMix64::new(4);
        for case in 0..2000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
            let ends = [vector(), vector()];
            let distance = ends[0].distance(ends[1]);
            let excess = |low: f64| exact_excess(ends, [distance, low], 0.0);
            let touching = -excess(0.0) / (2.0 * distance);
            let low = touching + 2.0_f64.powi(-40 - case % 60);
            let (exact, found) = (
                excess(low),
                excess_of_reach(ends[0], distance, ends[1], low),
            );
            assert!(
                (found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(),
                "{case}: {found:e} {exact:e}"
            );
        }
    }
}
