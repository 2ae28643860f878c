//! The exact order in which a segment crosses two planes.

use std::cmp::Ordering;

use glam::DVec3;

use super::integer::{Unit, cross, dot};
use super::tolerance::two_to;

/// The order of two crossings: products of two determinants of 8 u each; 64 u are allowed.
const CROSSING_ORDER: f64 = two_to(-47);

/// Exceeds the loss of a product of two determinants by underflow.
const CROSSING_ORDER_UNDERFLOW: f64 = two_to(-1000);

/// Returns `Less` if a segment crosses the first of two planes before the second. The segment must cross both. A plane
/// is given by three points.
///
/// Ties are resolved by symbolic perturbation: the segment is shifted by `moves` times (e, e^2, e^3) for an
/// infinitesimal e > 0. `Equal` only for coincident planes.
pub(crate) fn order_of_crossings(
    segment: [DVec3; 2],
    planes: [[DVec3; 3]; 2],
    moves: f64,
) -> Ordering {
    rounded_order(segment, planes).unwrap_or_else(|| exact_order(segment, planes, moves))
}

/// Compares the crossings in floating point; `None` if rounding could decide.
///
/// A plane with the values f and g at the ends of the segment is crossed at the parameter f / (f - g).
fn rounded_order([p, q]: [DVec3; 2], planes: [[DVec3; 3]; 2]) -> Option<Ordering> {
    let [(f, g, error), (h, k, other)] = planes.map(|[a, b, c]| {
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let size = u.abs().max_element() * v.abs().max_element();
        let reach = (p - a).abs().element_sum() + (q - a).abs().element_sum();
        (
            normal.dot(p - a),
            normal.dot(q - a),
            CROSSING_ORDER * size * reach,
        )
    });
    let (product, last) = (f * k, g * h);
    let doubt = error * (h.abs() + k.abs() + other) + other * (f.abs() + g.abs());
    let doubt =
        2.0 * doubt + CROSSING_ORDER * (product.abs() + last.abs()) + CROSSING_ORDER_UNDERFLOW;
    let [is_rising, rises_too] = [(f, g, error), (h, k, other)]
        .map(|(low, high, error)| ((high - low).abs() > 2.0 * error).then_some(high > low));
    let difference = if is_rising? == rises_too? {
        last - product
    } else {
        product - last
    };
    // The sign of f / (f - g) - h / (h - k) is that of g h - f k, times the signs of both denominators.
    (difference.abs() > doubt).then(|| difference.total_cmp(&0.0))
}

#[cold]
fn exact_order([p, q]: [DVec3; 2], planes: [[DVec3; 3]; 2], moves: f64) -> Ordering {
    let points = planes.iter().flatten().chain([&p, &q]);
    let Some(unit) = Unit::of(points.flat_map(|p| p.to_array())) else {
        return Ordering::Equal;
    };
    let direction = unit.vector(q, p);
    let [(n, start, slope), (m, first, rise)] = planes.map(|[a, b, c]| {
        let normal = cross(&unit.vector(b, a), &unit.vector(c, a));
        let start = dot(&normal, &unit.vector(p, a));
        let slope = dot(&normal, &direction);
        (normal, start, slope)
    });
    let orientation = slope.sign() * rise.sign();
    let difference = &(&first * &slope) - &(&start * &rise);
    // The polynomial is linear in the translation, although its two terms are not.
    let ties = (0..3).map(|i| &(&m[i] * &slope) - &(&n[i] * &rise));
    let tie = ties.map(|tie| moves * tie.sign()).find(|&sign| sign != 0.0);
    let sign = match difference.sign() {
        0.0 => tie.unwrap_or(0.0),
        sign => sign,
    };
    (sign * orientation + 0.0).total_cmp(&0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::orient3d;
    use crate::testing::workload::SplitMix64;

    /// On a coarse lattice, against fractions of integers and against a small finite translation.
    #[test]
    fn order_on_a_lattice() {
        let mut random = SplitMix64::new(6);
        let step = 2.0_f64.powi(-16);
        let moved = DVec3::new(step, step * step, step * step * step);
        let (mut ties, mut rounded) = (0, 0);
        for _ in 0..40_000 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.below(5) as f64));
            let segment = [point(), point()];
            let planes = [[point(), point(), point()], [point(), point(), point()]];
            let sides =
                |t: [DVec3; 3], segment: [DVec3; 2]| segment.map(|p| orient3d(t[0], t[1], t[2], p));
            let crosses = |t| {
                let [from, to] = sides(t, segment.map(|p| p + moved));
                (from > 0.0) != (to > 0.0)
            };
            if !planes.into_iter().all(crosses) {
                continue;
            }
            let order = order_of_crossings(segment, planes, 1.0);
            assert_eq!(
                order_of_crossings(segment, [planes[1], planes[0]], 1.0),
                order.reverse()
            );
            let reversed = [segment[1], segment[0]];
            assert_eq!(order_of_crossings(reversed, planes, 1.0), order.reverse());
            let [[f, g], [h, k]] = planes.map(|t| sides(t, segment));
            let sign = (f - g).signum() * (h - k).signum();
            let (first, second) = (f * (h - k) * sign, h * (f - g) * sign);
            rounded += usize::from(rounded_order(segment, planes).is_some());
            if first == second {
                ties += 1;
                let shifted = exact_order(segment.map(|p| p + moved), planes, 1.0);
                assert_eq!(order, shifted, "{segment:?} {planes:?}");
                let back = exact_order(segment.map(|p| p - moved), planes, 1.0);
                assert_eq!(exact_order(segment, planes, -1.0), back);
            } else {
                assert_eq!(Some(order), first.partial_cmp(&second));
            }
        }
        assert!(ties > 200 && rounded > 2000, "{ties} {rounded}");
    }
}
