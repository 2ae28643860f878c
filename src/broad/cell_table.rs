//! Equal cells over the extent of the bodies, and which bodies each holds.

use std::ops::Range;

use super::{Error, Result, Sphere};
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::Aabb;

/// What a cell is wider than the interaction distance, by this factor.
///
/// Proof that no pair is lost: let `|x_b - x_a| <= c`, cells be `s >= c (1 + 2^-19)` wide and
/// `k = fl(fl(x - o) fl(1/s)) <= 2^31`. The two roundings that differ between a and b move each k
/// by at most `2 x 2^-53 k <= 2^-21`, the common rounding of `1/s` scales both. So `k_b - k_a <=
/// (1 + 2^-53) / (1 + 2^-19) + 2 x 2^-21 < 1`, and the integer parts differ by at most 1.
const WIDENING: f64 = 1.0 + f64::from_bits((1023 - 19) << 52);

/// The most cells along an axis.
const MAX_CELLS: f64 = 2_147_483_648.0;

/// A table of all cells is kept up to so many cells a body.
pub(super) const CELLS_PER_BODY: f64 = 4.0;

/// The y and z coordinates of a row of cells along x; z is 0 in 2D.
pub(super) type Row = [u32; 2];

/// Rows (dy, dz) of which each is a neighbour of a row at most once from either side; the first
/// is all of them in 2D.
const ROWS_AFTER: [[i32; 2]; 4] = [[1, 0], [-1, 1], [0, 1], [1, 1]];

/// Which cell a position is in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Grid<V> {
    origin: V,
    inverse_size: f64,
    /// Cells along each axis; 0 without bodies.
    cells: [u32; 3],
    largest_radius: f64,
}

impl<V: Vector> Grid<V> {
    /// Cells for these spheres, of a given size or of the smallest that suits.
    pub(super) fn around(spheres: &[Sphere<V>], cell_size: Option<f64>) -> Result<Self> {
        let Some(bounds) = Aabb::around(spheres.iter().map(|s| s.center)) else {
            return Ok(Self::default());
        };
        let largest_radius = spheres.iter().fold(0.0, |r: f64, s| r.max(s.radius));
        let extent = (0..V::DIM).fold(0.0, |extent: f64, axis| extent.max(bounds.size()[axis]));
        let size = match cell_size {
            Some(size) => {
                check_explicit_size(size, spheres, &bounds)?;
                size * WIDENING
            }
            // Points touch only where they coincide: any cells do.
            None if largest_radius == 0.0 => (extent * (2.0 / MAX_CELLS)).max(MIN_LENGTH),
            None => 2.0 * largest_radius * WIDENING,
        };
        // A body that has escaped must not spoil the cells of all others.
        let origin = V::from_fn(|axis| {
            if cell_size.is_some() || bounds.size()[axis] <= 0.5 * MAX_CELLS * size {
                bounds.min[axis]
            } else {
                median(spheres, axis) - 0.25 * MAX_CELLS * size
            }
        });
        let mut grid = Self {
            origin,
            inverse_size: 1.0 / size,
            cells: [1; 3],
            largest_radius,
        };
        for axis in 0..V::DIM {
            let most = if cell_size.is_some() {
                MAX_CELLS
            } else {
                0.5 * MAX_CELLS
            };
            grid.cells[axis] = most as u32 + 1;
            grid.cells[axis] = grid.coordinate(bounds.max, axis) + 1;
        }
        Ok(grid)
    }

    /// Positions outside of the grid are in its last cells, so neighbours stay neighbours.
    fn coordinate(&self, position: V, axis: usize) -> u32 {
        // The conversion rounds down, and takes what is negative to 0.
        let cell = ((position[axis] - self.origin[axis]) * self.inverse_size) as u32;
        cell.min(self.cells[axis] - 1)
    }

    /// The row and the x coordinate of a body's cell.
    pub(super) fn cell(&self, position: V) -> (Row, u32) {
        let z = if V::DIM == 3 {
            self.coordinate(position, 2)
        } else {
            0
        };
        (
            [self.coordinate(position, 1), z],
            self.coordinate(position, 0),
        )
    }

    /// The neighbours of a row of which it is itself no such neighbour.
    pub(super) fn rows_after(&self, row: Row) -> [Option<Row>; 4] {
        let count = if V::DIM == 3 { 4 } else { 1 };
        std::array::from_fn(|i| {
            let [y, z] = [0, 1].map(|axis| row[axis].checked_add_signed(ROWS_AFTER[i][axis]));
            let (y, z) = (y?, z?);
            (i < count && y < self.cells[1] && z < self.cells[2]).then_some([y, z])
        })
    }

    /// The lowest and the highest cell that bodies which touch `query` can be in. There must be
    /// bodies.
    pub(super) fn cells_near(&self, query: &Sphere<V>) -> [[u32; 3]; 2] {
        let mut range = [[0; 3], [0; 3]];
        for axis in 0..V::DIM {
            let center = query.center[axis] - self.origin[axis];
            let reach = query.radius + self.largest_radius;
            // What all roundings here and in `coordinate` amount to, 2^11 times over.
            let slack = (center.abs() + reach) * f64::from_bits((1023 - 40) << 52);
            let low = (center - reach - slack) * self.inverse_size;
            let high = (center + reach + slack) * self.inverse_size;
            for (end, cell) in [low, high].into_iter().enumerate() {
                range[end][axis] = (cell as u32).min(self.cells[axis] - 1);
            }
        }
        range
    }
}

/// The median coordinate of some 100 bodies spread over all of them.
fn median<V: Vector>(spheres: &[Sphere<V>], axis: usize) -> f64 {
    let step = spheres.len().div_ceil(100);
    let mut sample = [0.0; 100];
    let mut count = 0;
    for (place, sphere) in sample.iter_mut().zip(spheres.iter().step_by(step)) {
        *place = sphere.center[axis];
        count += 1;
    }
    sample[..count].sort_unstable_by(f64::total_cmp);
    sample[count / 2]
}

/// Refuses a cell size that is too small for a body or for the extent.
fn check_explicit_size<V: Vector>(
    cell_size: f64,
    spheres: &[Sphere<V>],
    bounds: &Aabb<V>,
) -> Result<()> {
    if let Some(index) = spheres.iter().position(|s| 2.0 * s.radius > cell_size) {
        return Err(Error::CellTooSmall {
            index,
            diameter: 2.0 * spheres[index].radius,
            cell_size,
        });
    }
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

/// Bodies in the order of their cells: by row, then along x, then by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    is_dense: bool,
    /// Dense: where the bodies of each cell start, and the end.
    starts: Vec<u32>,
    /// Sparse: the row, the x coordinate and the index of each body, in order.
    keys: Vec<(u64, u32, u32)>,
}

impl Table {
    /// Sorts the indices of bodies into `ids`.
    pub(super) fn sort<V: Vector>(
        &mut self,
        grid: &Grid<V>,
        spheres: &[Sphere<V>],
        ids: &mut Vec<u32>,
    ) {
        let cell_count = grid
            .cells
            .iter()
            .map(|&cells| f64::from(cells))
            .product::<f64>();
        self.is_dense = cell_count <= CELLS_PER_BODY * spheres.len() as f64;
        self.starts.clear();
        self.keys.clear();
        ids.clear();
        let cells = spheres.iter().map(|s| grid.cell(s.center));
        if self.is_dense {
            // Counting sort. The start of each cell is first that of the next one, and moves to
            // its place as the bodies are filled in from the last on.
            self.starts.resize(cell_count as usize + 1, 0);
            for (row, x) in cells.clone() {
                self.starts[dense_index(grid, row, x)] += 1;
            }
            let mut end = 0;
            for start in &mut self.starts {
                end += *start;
                *start = end;
            }
            ids.resize(spheres.len(), 0);
            for (id, (row, x)) in cells.enumerate().rev() {
                let start = &mut self.starts[dense_index(grid, row, x)];
                *start -= 1;
                ids[*start as usize] = id as u32;
            }
        } else {
            let keys = (0..).zip(cells).map(|(id, (row, x))| (key(row), x, id));
            self.keys.extend(keys);
            self.keys.sort_unstable();
            ids.extend(self.keys.iter().map(|&(_, _, id)| id));
        }
    }

    /// Where the bodies of the cells `from..=to` of a row are.
    pub(super) fn run<V: Vector>(
        &self,
        grid: &Grid<V>,
        row: Row,
        from: u32,
        to: u32,
    ) -> Range<usize> {
        if self.is_dense {
            let to = to.min(grid.cells[0] - 1);
            let start = self.starts[dense_index(grid, row, from)];
            let end = self.starts[dense_index(grid, row, to) + 1];
            start as usize..end as usize
        } else {
            let row = key(row);
            let start = self.lower_bound(row, from);
            let length = self.keys[start..].partition_point(|&(r, x, _)| (r, x) <= (row, to));
            start..start + length
        }
    }

    /// Visits the bodies of all cells in a box of cells, run by run.
    pub(super) fn for_each_run<V: Vector>(
        &self,
        grid: &Grid<V>,
        [from, to]: [[u32; 3]; 2],
        mut visit: impl FnMut(Range<usize>),
    ) {
        if self.is_dense {
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    visit(self.run(grid, [y, z], from[0], to[0]));
                }
            }
            return;
        }
        // From one occupied row to the next: the box may hold any number of empty ones.
        let mut next = self.lower_bound(key([from[1], from[2]]), 0);
        while let Some(&(row, _, _)) = self.keys.get(next) {
            let [y, z] = row_of(row);
            if z > to[2] {
                break;
            }
            next = if y < from[1] {
                self.lower_bound(key([from[1], z]), 0)
            } else if y > to[1] {
                self.lower_bound(key([from[1], z + 1]), 0)
            } else {
                visit(self.run(grid, [y, z], from[0], to[0]));
                self.lower_bound(row + 1, 0)
            };
        }
    }

    /// The first body that is not before a cell.
    fn lower_bound(&self, row: u64, x: u32) -> usize {
        self.keys
            .partition_point(|&(r, other, _)| (r, other) < (row, x))
    }
}

fn key([y, z]: Row) -> u64 {
    u64::from(z) << 32 | u64::from(y)
}

fn row_of(key: u64) -> Row {
    [key as u32, (key >> 32) as u32]
}

fn dense_index<V>(grid: &Grid<V>, [y, z]: Row, x: u32) -> usize {
    let [nx, ny, _] = grid.cells.map(|cells| cells as usize);
    (z as usize * ny + y as usize) * nx + x as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::Random;
    use glam::DVec2;

    /// The last two are exactly 1 apart, within an interaction distance of 1. Cells of size 1
    /// put them two cells apart, since x - origin is rounded down below 2 and up to 3.
    const TRAP: [f64; 3] = [-0.9201729513225276, 1.0798270486774721, 2.079827048677472];

    #[test]
    fn rounding_does_not_part_touching_bodies() {
        let spheres = TRAP.map(|x| Sphere::new(DVec2::new(x, 0.0), 0.5));
        assert!(spheres[1].touches(&spheres[2]));
        let mut grid = Grid::around(&spheres, None).unwrap();
        let gap = |grid: &Grid<DVec2>| {
            let [_, a, b] = spheres.map(|s| grid.cell(s.center).1);
            b - a
        };
        assert_eq!(gap(&grid), 1);
        (grid.inverse_size, grid.cells) = (1.0, [4, 1, 1]);
        assert_eq!(gap(&grid), 2);
    }

    /// For any grid, the last position of a cell and the last one within an interaction distance
    /// of it: their cells must be neighbours. Equality of cell and distance fails in most of
    /// these cases. Queries that just touch the positions on either side of the face must be
    /// offered their cells.
    #[test]
    fn cells_hold_the_interaction_distance() {
        let mut random = Random::new(1);
        for case in 0..20_000 {
            let radius = random.within(0.5, 1.0);
            let (origin, distance) = (random.within(-9.0, 9.0), 2.0 * radius);
            let far = origin + distance * 2.0_f64.powf(random.within(2.0, 30.9));
            let ends = [origin, far].map(|x| Sphere::new(DVec2::new(x, 0.0), radius));
            let size = (case % 2 == 0).then_some(distance);
            let grid = Grid::around(&ends, size).unwrap();
            let cell = |x: f64| grid.cell(DVec2::new(x, 0.0)).1;
            let at = |x: f64| Sphere::new(DVec2::new(x, 0.0), radius);
            // Bisect for the last double of a cell.
            let k = cell(random.within(origin, far));
            let (mut inside, mut outside) = (origin, far + distance);
            while inside.next_up() < outside {
                let middle = 0.5 * (inside + outside);
                if middle > inside && middle < outside && cell(middle) <= k {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            let mut partner = inside + distance;
            while !at(partner).touches(&at(inside)) {
                partner = partner.next_down();
            }
            assert!(cell(partner) <= k + 1);

            let reach = random.within(1.0, 9.0) * radius;
            let query = |x: f64| Sphere::new(DVec2::new(x, 0.0), reach - radius);
            let mut right = inside + reach;
            while !query(right).touches(&at(inside)) {
                right = right.next_down();
            }
            let range = grid.cells_near(&query(right));
            assert!(range[0][0] <= k);
            // Nor are they offered many more.
            let most = (2.0 * reach * grid.inverse_size) as u32 + 2;
            assert!(range[1][0] - range[0][0] <= most);
            let mut left = outside - reach;
            while !query(left).touches(&at(outside)) {
                left = left.next_up();
            }
            let range = grid.cells_near(&query(left));
            assert!(outside > far || range[1][0] > k);
        }
    }

    /// A body that has escaped leaves the others their cells.
    #[test]
    fn one_body_far_out() {
        for far in [1e6, 1e12, 1e30, -1e40] {
            let mut line: Vec<_> = (0..1000)
                .map(|i| Sphere::new(DVec2::new(f64::from(i), 0.0), 0.5))
                .collect();
            line[7].center.x = far;
            let grid = Grid::around(&line, None).unwrap();
            let mut cells: Vec<u32> = line.iter().map(|s| grid.cell(s.center).1).collect();
            cells.sort_unstable();
            cells.dedup();
            assert!(cells.len() > 990);
        }
    }

    /// A table of all cells if there are few, else keys: memory follows the bodies.
    #[test]
    fn table_is_dense_up_to_four_cells_a_body() {
        let mut table = Table::default();
        for (spacing, is_dense) in [(1.0, true), (3.9, true), (4.2, false), (1e9, false)] {
            let line: Vec<_> = (0..100)
                .map(|i| Sphere::new(DVec2::new(spacing * f64::from(i), 0.0), 0.5))
                .collect();
            let grid = Grid::around(&line, None).unwrap();
            table.sort(&grid, &line, &mut Vec::new());
            assert_eq!(table.is_dense, is_dense);
            assert!(table.starts.len() <= 4 * line.len() + 1);
            assert_eq!(table.keys.len(), if is_dense { 0 } else { line.len() });
        }
    }

    #[test]
    fn forward_rows_are_half_of_all() {
        let grid = Grid::<glam::DVec3> {
            cells: [5, 5, 5],
            ..Grid::default()
        };
        let mut rows: Vec<Row> = grid.rows_after([2, 2]).into_iter().flatten().collect();
        rows.extend(rows.clone().iter().map(|[y, z]| [4 - y, 4 - z]));
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 8);
        assert_eq!(grid.rows_after([4, 4]), [None; 4]);
        assert_eq!(grid.rows_after([0, 0])[1], None);
    }
}
