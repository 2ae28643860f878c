//! Cells without bounds: the cell of a position, and the cells that may contain the neighbors of spheres.

use crate::math::Vector;
use crate::math::tolerance::two_to;

/// The coordinates of a cell; z is 0 in 2D.
pub(super) type Place = [i64; 3];

/// Cells of one width everywhere.
///
/// Beyond 2^51 cells from the origin, adjacent doubles may be farther apart than a cell is wide. There each double is
/// its own cell, and the cell number counts doubles.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnboundedCells {
    inverse_width: f64,
}

impl UnboundedCells {
    /// Returns cells of width 2^exponent.
    pub(super) fn new(exponent: i32) -> Self {
        Self {
            inverse_width: two_to(-exponent),
        }
    }

    /// Returns the cell at a coordinate. The map is monotone, because its only rounding is.
    #[inline]
    fn round(self, coordinate: f64) -> i64 {
        const END: f64 = two_to(51);
        // Adding this leaves the integer in the lowest bits, which is cheaper than a conversion.
        const ROUND: f64 = 3.0 * END;
        let cell = coordinate * self.inverse_width;
        if cell.abs() < END {
            return (cell + ROUND).to_bits() as i64 - ROUND.to_bits() as i64;
        }
        let beyond = (cell.abs().to_bits() - END.to_bits()) as i64;
        let number = END as i64 + beyond;
        if cell < 0.0 { -number } else { number }
    }

    /// Returns the cell of a position.
    #[inline]
    pub(super) fn cell<V: Vector>(self, position: V) -> Place {
        let mut cell = [0; 3];
        for axis in 0..V::DIM {
            cell[axis] = self.round(position[axis]);
        }
        cell
    }

    /// Returns the lowest and the highest cell of spheres that touch a sphere about `center`, if `reach` is the rounded
    /// sum of the largest radii.
    ///
    /// Proof: the sum of two radii is at most `reach.next_up()`, and so is the distance of the centers along an axis. A
    /// rounded difference, lowered to the next double, is below the exact one, and [`round`](Self::round) is monotone.
    #[inline]
    pub(super) fn range_near<V: Vector>(self, center: V, reach: f64) -> [Place; 2] {
        let reach = reach.next_up();
        let mut range = [[0; 3]; 2];
        for axis in 0..V::DIM {
            range[0][axis] = self.round((center[axis] - reach).next_down());
            range[1][axis] = self.round((center[axis] + reach).next_up());
        }
        range
    }
}

/// Returns the cells of a box in ascending order.
#[inline]
pub(super) fn places([from, to]: [Place; 2]) -> impl Iterator<Item = Place> {
    (from[0]..=to[0]).flat_map(move |x| {
        (from[1]..=to[1]).flat_map(move |y| (from[2]..=to[2]).map(move |z| [x, y, z]))
    })
}

/// Returns the number of cells of a box, to rounding.
pub(super) fn count([from, to]: [Place; 2]) -> f64 {
    let along = [0, 1, 2].map(|axis| (to[axis] - from[axis]) as f64 + 1.0);
    along.iter().product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Sphere;
    use crate::testing::workload::SplitMix64;
    use glam::DVec2;

    /// Bodies anywhere, half of them at faces near the origin, that touch others by an ulp: the cell of each is in the
    /// range of the other. The range is small even where cells are narrower than the distance of adjacent doubles.
    #[test]
    fn cells_hold_the_interaction_distance() {
        let mut random = SplitMix64::new(1);
        for case in 0..50_000 {
            let radii = [random.range(0.01, 1.0), random.range(0.01, 1.0)];
            let reach = radii[0] + radii[1];
            let cells = UnboundedCells::new(-3);
            let far = 2.0_f64.powf(random.range(-10.0, 100.0));
            let mut x = random.range(-far, far);
            if case % 2 == 0 {
                // The first or the last position of a cell.
                x = 0.125 * (random.below(16) as f64 - 7.5);
                x = [x.next_down(), x, x.next_up()][random.below(3)];
            }
            let at = |x: f64, radius: f64| Sphere::new(DVec2::new(x, 3.0), radius);
            let body = at(x, radii[0]);
            // The last positions that touch.
            let mut left = at(x - reach, radii[1]);
            let mut right = at(x + reach, radii[1]);
            for _ in 0..3 {
                let farther = at(left.center.x.next_down(), radii[1]);
                left = if farther.touches(&body) {
                    farther
                } else {
                    left
                };
                let farther = at(right.center.x.next_up(), radii[1]);
                right = if farther.touches(&body) {
                    farther
                } else {
                    right
                };
            }
            let pairs = [(body, left), (left, body), (body, right), (right, body)];
            for (query, other) in pairs.into_iter().filter(|(a, b)| a.touches(b)) {
                let [from, to] = cells.range_near(query.center, query.radius + other.radius);
                let cell = cells.cell(other.center);
                assert!((0..2).all(|axis| from[axis] <= cell[axis] && cell[axis] <= to[axis]));
                // From 2^51 cells on, doubles are half a cell apart and each is a cell.
                assert!((to[0] - from[0]) as f64 <= 4.0 * reach / 0.125 + 4.0);
            }
        }
    }

    /// Cells are numbered without gaps through zero and where doubles become sparser than cells.
    #[test]
    fn numbers_are_consecutive() {
        let cells = UnboundedCells::new(0);
        let number = |x: f64| cells.cell(DVec2::new(x, 0.0))[0];
        assert_eq!([-1.6, -0.4, 0.4, 0.6].map(number), [-2, 0, 0, 1]);
        for end in [two_to(51), -two_to(51)] {
            let around = [end - 1.0, end, end + 1.0, end + 2.0];
            let numbers = around.map(number);
            assert!(
                numbers.is_sorted() && numbers[0] < numbers[3],
                "{numbers:?}"
            );
        }
        assert_eq!(number(two_to(51)) - number(two_to(51) - 1.0), 1);
        assert_eq!(number(two_to(51).next_up()) - number(two_to(51)), 1);
    }
}
