//! Equal cells over the extent of the bodies.

use super::{Error, Result, Sphere};
use crate::math::Vector;
use crate::shape::Aabb;

/// What a cell is wider than the interaction distance, by this factor.
///
/// Proof that no pair is lost: let `|x_b - x_a| <= c`, cells be `s >= c (1 + 2^-19)` wide and
/// `k = fl(fl(x - o) fl(1/s)) <= 2^31`. The two roundings that differ between a and b move each k
/// by at most `2 x 2^-53 k <= 2^-21`, the common rounding of `1/s` scales both. So `k_b - k_a <=
/// (1 + 2^-53) / (1 + 2^-19) + 2 x 2^-21 < 1 - 2^-21`. Taking 1/2 off rounds by 2^-23 at most;
/// to the nearest integer then moves either by 1/2 at most, so the integers differ by less than 2.
pub(super) const WIDENING: f64 = 1.0 + f64::from_bits((1023 - 19) << 52);

/// The most cells along an axis.
pub(super) const MAX_CELLS: f64 = 2_147_483_648.0;

/// 2^52: doubles from here to 2^53 are integers.
const ROUND: f64 = 4_503_599_627_370_496.0;

/// A cell by its coordinates; z is 0 in 2D.
pub(super) type Cell = [u32; 3];

/// Which cell a position is in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cells<V> {
    origin: V,
    inverse_size: f64,
    /// The last cell along each axis; 0 along z in 2D.
    last: [f64; 3],
}

impl<V: Vector> Cells<V> {
    /// Cells of a size, at most `most` along an axis: over a box or, where it has more, around
    /// the middle.
    pub(super) fn new(bounds: &Aabb<V>, middle: V, size: f64, most: f64) -> Self {
        let origin = V::from_fn(|axis| {
            if bounds.size()[axis] < most * size {
                bounds.min[axis]
            } else {
                // A body that has escaped must not spoil the cells of all others.
                middle[axis] - 0.5 * most * size
            }
        });
        let mut cells = Self {
            origin,
            inverse_size: 1.0 / size,
            last: [0.0; 3],
        };
        for axis in 0..V::DIM {
            cells.last[axis] = most - 1.0;
            cells.last[axis] = f64::from(cells.coordinate(bounds.max, axis));
        }
        cells
    }

    /// As many cells as there can be, of the same size, with these in their middle: for bodies
    /// that may go anywhere.
    pub(super) fn unbounded(&self) -> Self {
        let half = 0.25 * MAX_CELLS;
        let mut last = [0.0; 3];
        last[..V::DIM].fill(2.0 * half);
        Self {
            origin: V::from_fn(|axis| self.origin[axis] - half / self.inverse_size),
            last,
            ..*self
        }
    }

    /// How wide they are, to a rounding.
    pub(super) fn width(&self) -> f64 {
        1.0 / self.inverse_size
    }

    /// How many there are along each axis; 1 along z in 2D.
    pub(super) fn counts(&self) -> Cell {
        self.last.map(|last| last as u32 + 1)
    }

    /// Positions outside are in the last cells, so neighbours stay neighbours.
    #[inline]
    fn coordinate(&self, position: V, axis: usize) -> u32 {
        self.round(position[axis] - self.origin[axis], axis)
    }

    /// The cell at a distance from the origin.
    #[inline]
    fn round(&self, distance: f64, axis: usize) -> u32 {
        let cell = distance * self.inverse_size - 0.5;
        let cell = if cell > 0.0 { cell } else { 0.0 };
        let cell = if cell < self.last[axis] {
            cell
        } else {
            self.last[axis]
        };
        // Adding 2^52 leaves an integer in the lowest bits: cheaper than a conversion.
        (cell + ROUND).to_bits() as u32
    }

    /// The cell of a position.
    #[inline]
    pub(super) fn cell(&self, position: V) -> Cell {
        let mut cell = [0; 3];
        for axis in 0..V::DIM {
            cell[axis] = self.coordinate(position, axis);
        }
        cell
    }

    /// The lowest and the highest cell that bodies of radii up to `largest` which touch `query`
    /// can be in.
    #[inline]
    pub(super) fn near(&self, query: &Sphere<V>, largest: f64) -> [Cell; 2] {
        let mut range = [[0; 3]; 2];
        for axis in 0..V::DIM {
            let center = query.center[axis] - self.origin[axis];
            let reach = query.radius + largest;
            // What all roundings here and in `coordinate` amount to, 2^11 times over.
            let slack = (center.abs() + reach) * f64::from_bits((1023 - 40) << 52);
            range[0][axis] = self.round(center - reach - slack, axis);
            range[1][axis] = self.round(center + reach + slack, axis);
        }
        range
    }
}

/// Refuses a cell size that needs too many cells.
pub(super) fn check_extent<V: Vector>(bounds: &Aabb<V>, cell_size: f64) -> Result<()> {
    let cells = |axis: usize| bounds.size()[axis] / cell_size;
    match (0..V::DIM).find(|&axis| cells(axis) >= MAX_CELLS) {
        None => Ok(()),
        Some(axis) => Err(Error::TooManyCells {
            axis,
            cells: cells(axis),
            cell_size,
        }),
    }
}
