//! Grids of equal cells: the cell of a position, and the cells that may contain the neighbors of a sphere.

use super::Sphere;
use crate::math::Vector;
use crate::math::tolerance::two_to;
use crate::shape::Aabb;

/// The ratio of the cell width to the interaction distance.
///
/// Touching bodies are in the same or in adjacent cells. Proof: let `|x_b - x_a| <= c`, the cell width `s >= c (1 +
/// 2^-19)`, and `k = fl(fl(x - o) fl(1/s)) <= 2^31`. Two roundings differ between a and b, and move each k by at most
/// `2 x 2^-53 k <= 2^-21`. The rounding of `1/s` scales both. So `k_b - k_a <= (1 + 2^-53) / (1 + 2^-19) + 2 x 2^-21 <
/// 1 - 2^-21`. Subtracting 1/2 adds a rounding of at most 2^-23, and rounding to the nearest integer moves each by at
/// most 1/2. So the integers differ by less than 2.
pub(super) const WIDENING: f64 = 1.0 + two_to(-19);

/// The slack of the cells near a sphere: 2^11 times the roundings of the range and of a cell's coordinate.
const CELL_RANGE: f64 = two_to(-40);

/// The largest number of cells along an axis.
const MAX_CELLS: f64 = two_to(31);

/// 2^52: doubles from here to 2^53 are integers.
const ROUND: f64 = two_to(52);

/// The coordinates of a cell; z is 0 in 2D.
pub(super) type Cell = [u32; 3];

/// Cells of one width over a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cells<V> {
    origin: V,
    inverse_size: f64,
    /// The last cell along each axis; 0 along z in 2D.
    last: [f64; 3],
}

impl<V: Vector> Cells<V> {
    /// Divides a box into cells of width `size`, at most `max_count` along each axis.
    pub(super) fn new(bounds: &Aabb<V>, size: f64, max_count: f64) -> Self {
        let mut cells = Self {
            origin: bounds.min,
            inverse_size: 1.0 / size,
            last: [0.0; 3],
        };
        for axis in 0..V::DIM {
            cells.last[axis] = max_count.min(MAX_CELLS) - 1.0;
            cells.last[axis] = f64::from(cells.coordinate(bounds.max, axis));
        }
        cells
    }

    /// Returns the cell width, to rounding.
    pub(super) fn width(&self) -> f64 {
        1.0 / self.inverse_size
    }

    /// Returns the number of cells along each axis; 1 along z in 2D.
    pub(super) fn counts(&self) -> Cell {
        self.last.map(|last| last as u32 + 1)
    }

    /// Returns the cell coordinate of a position along an axis.
    ///
    /// Positions outside the box count as in the outermost cells. The map is monotone, so neighbors stay neighbors.
    #[inline]
    fn coordinate(&self, position: V, axis: usize) -> u32 {
        self.round(position[axis] - self.origin[axis], axis)
    }

    /// Returns the cell coordinate at a distance from the origin: the nearest integer to `k - 1/2`, clamped.
    #[inline]
    fn round(&self, distance: f64, axis: usize) -> u32 {
        let cell = distance * self.inverse_size - 0.5;
        let cell = if cell > 0.0 { cell } else { 0.0 };
        let cell = if cell < self.last[axis] {
            cell
        } else {
            self.last[axis]
        };
        // Adding 2^52 leaves the integer in the lowest bits, which is cheaper than a conversion.
        (cell + ROUND).to_bits() as u32
    }

    /// Returns the cell of a position.
    #[inline]
    pub(super) fn cell(&self, position: V) -> Cell {
        let mut cell = [0; 3];
        for axis in 0..V::DIM {
            cell[axis] = self.coordinate(position, axis);
        }
        cell
    }

    /// Returns the lowest and the highest cell of bodies with radii up to `largest` that touch `query`.
    #[inline]
    pub(super) fn range_near(&self, query: &Sphere<V>, largest: f64) -> [Cell; 2] {
        let mut range = [[0; 3]; 2];
        for axis in 0..V::DIM {
            let center = query.center[axis] - self.origin[axis];
            let reach = query.radius + largest;
            let slack = (center.abs() + reach) * CELL_RANGE;
            range[0][axis] = self.round(center - reach - slack, axis);
            range[1][axis] = self.round(center + reach + slack, axis);
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;
    use glam::DVec2;

    fn along_x(from: f64, to: f64, size: f64) -> Cells<DVec2> {
        let bounds = Aabb::from_points([from, to].map(|x| DVec2::new(x, 0.0))).unwrap();
        Cells::new(&bounds, size, MAX_CELLS)
    }

    /// Returns the last position in the cell at `at`, the first position beyond, and the cell's coordinate.
    fn face(cells: &Cells<DVec2>, [from, to]: [f64; 2], at: f64) -> (f64, f64, u32) {
        let cell = |x: f64| cells.coordinate(DVec2::new(x, 0.0), 0);
        let k = cell(at);
        let (mut inside, mut outside) = (from, to);
        while inside.next_up() < outside {
            let middle = 0.5 * (inside + outside);
            if middle > inside && middle < outside && cell(middle) <= k {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        (inside, outside, k)
    }

    /// The last position of a cell and the farthest position that touches it are in adjacent cells. Queries
    /// that just touch the positions on either side of the face search their cells.
    #[test]
    fn cells_hold_the_interaction_distance() {
        let mut random = SplitMix64::new(1);
        let mut failures = 0;
        for _ in 0..20_000 {
            let radius = random.range(0.5, 1.0);
            let (origin, distance) = (random.range(-9.0, 9.0), 2.0 * radius);
            let far = origin + distance * 2.0_f64.powf(random.range(2.0, 30.9));
            let at = |x: f64| Sphere::new(DVec2::new(x, 0.0), radius);
            let place = random.range(origin, far);
            let partner = |inside: f64| {
                let mut partner = inside + distance;
                while !at(partner).touches(&at(inside)) {
                    partner = partner.next_down();
                }
                DVec2::new(partner, 0.0)
            };
            // Cells without widening lose pairs.
            let tight = along_x(origin, far, distance);
            let (inside, _, k) = face(&tight, [origin, far + distance], place);
            failures += u32::from(tight.cell(partner(inside))[0] > k + 1);

            let cells = along_x(origin, far, distance * WIDENING);
            let (inside, outside, k) = face(&cells, [origin, far + distance], place);
            assert!(cells.cell(partner(inside))[0] <= k + 1);
            let reach = random.range(1.0, 9.0) * radius;
            let query = |x: f64| Sphere::new(DVec2::new(x, 0.0), reach - radius);
            let mut right = inside + reach;
            while !query(right).touches(&at(inside)) {
                right = right.next_down();
            }
            let range = cells.range_near(&query(right), radius);
            assert!(range[0][0] <= k);
            // The range is tight.
            let most = (2.0 * reach / cells.width()) as u32 + 2;
            assert!(range[1][0] - range[0][0] <= most);
            let mut left = outside - reach;
            while !query(left).touches(&at(outside)) {
                left = left.next_up();
            }
            let range = cells.range_near(&query(left), radius);
            assert!(outside > far || range[1][0] > k);
        }
        assert!(failures > 1000, "{failures}");
    }

    /// Positions outside are in the outermost cells; the last one may have number 2^31 - 1.
    #[test]
    fn positions_outside() {
        let cells = along_x(-1.0, 6.0, 2.0);
        assert_eq!(cells.counts(), [4, 1, 1]);
        let cell = |x: f64| cells.cell(DVec2::new(x, -3.0));
        assert_eq!(
            [-1e45, -1.5, 0.5, 2.5, 7.5, 1e45].map(|x| cell(x)[0]),
            [0, 0, 0, 1, 3, 3]
        );
        assert_eq!(cell(0.5)[1..], [0, 0]);
        assert_eq!(cells.width(), 2.0);
        // A single cell for all positions.
        let one = Cells::<DVec2>::new(&Aabb::default(), 8.0, 1.0);
        assert_eq!((one.width(), one.cell(DVec2::ONE * 1e9)), (8.0, [0; 3]));
        // Limited to 2^31 cells.
        let many = along_x(-1.0, 1e12, 1.0);
        assert_eq!(many.counts()[0], 1 << 31);
        assert_eq!(many.cell(DVec2::X * 1e12)[0], u32::MAX >> 1);
        assert_eq!(many.cell(DVec2::X * -1.0)[0], 0);
        assert_eq!(many.cell(DVec2::X * 7.5)[0], 8);
    }
}
