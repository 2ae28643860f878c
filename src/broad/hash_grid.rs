//! The hash grid: lists of the bodies of each cell, for bodies that change one at a time.

mod cells;
mod sorted;

use self::cells::{Place, UnboundedCells};
use self::sorted::SortedCopy;
use super::{
    BroadPhase, HierarchicalGrid, IncrementalBroadPhase, Pair, Result, Sphere, check_index, gather,
    resize,
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::tolerance::two_to;
use crate::math::{MIN_LENGTH, Vector, check_count, check_positive_length};
use crate::shape::Bounded;

/// The end of a list. No body has this index, because [`MAX_COUNT`](crate::math::MAX_COUNT) is less.
const NONE: u32 = u32::MAX;

/// Neighbor search for spheres that change one at a time, as in Monte Carlo moves or the insertion of grains.
///
/// Each octave of diameters has a level of cells, 2^k wide for diameters up to 2^k. A level exists while it has bodies.
/// Cells have no bounds, and they are found by their hash.
///
/// **Updates** take O(1), if the spheres do not overlap much: the time grows with the number of bodies in a cell. For
/// 10^5 spheres of equal size a replacement takes about 30 ns.
///
/// **Queries.** [`for_each_touching`](BroadPhase::for_each_touching) visits the cells of each level that overlap the
/// query, or all bodies if these are fewer. A query by a body takes about 0.5 µs, in a wide mixture 1.6 µs: 6 to 12 times
/// as long as in a [`HierarchicalGrid`](crate::HierarchicalGrid) that is not changed (docs/BENCHMARKS.md). A query that is
/// much larger than the smallest bodies takes O(n). For points (radius 0) set
/// [`with_finest_cells`](HashGrid::with_finest_cells).
///
/// **Pairs.** The first search of pairs after a change sorts a copy of the bodies into a
/// `HierarchicalGrid`, which takes less time than to look up the cells of all bodies. So pairs
/// come in the order of the grid, and take the time of its rebuild and its search. If all bodies change between
/// two searches, use the grid alone.
///
/// Pairs, queries and their order do not depend on earlier contents, only on the spheres.
///
/// **Memory.** At most 52 bytes per sphere, twice as many after insertions, and those of the grid after a search of
/// pairs.
///
/// ```
/// use osculate::broad::{HashGrid, IncrementalBroadPhase};
/// use osculate::{BroadPhase, Sphere, glam::DVec3};
///
/// let sphere = |x: f64| Sphere::new(DVec3::X * x, 1.0);
/// let mut grid = HashGrid::new();
/// grid.rebuild(&[sphere(0.0), sphere(10.0), sphere(20.0)])?;
/// grid.replace(2, sphere(11.5))?;
/// let mut near = Vec::new();
/// grid.for_each_touching(&sphere(12.0), |body| near.push(body));
/// near.sort_unstable();
/// assert_eq!(near, [1, 2]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HashGrid<V = glam::DVec3> {
    /// Half the width of the finest cells that may be used; 0 for any.
    finest: f64,
    /// By index.
    spheres: Vec<Sphere<V>>,
    /// The levels that have bodies, the finest first.
    levels: Vec<Level>,
    /// The first body of each list; their number is a power of two. Cells of the same hash share a list.
    heads: Vec<u32>,
    /// The next body on the list of each body. Lists are ascending, so they do not depend on the order of updates.
    next: Vec<u32>,
    /// The same bodies, for the search of pairs.
    sorted: SortedCopy<V>,
}

/// A level: cells of width 2^exponent, the number of its bodies, and the largest radius since there are any.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    exponent: i32,
    bodies: u32,
    largest: f64,
}

/// A cell of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    level: i32,
    place: Place,
}

impl Level {
    /// Returns the box of cells of those bodies of the level, of radii up to `largest`, that touch a sphere.
    fn range_near<V: Vector>(self, query: &Sphere<V>, largest: f64) -> [Place; 2] {
        UnboundedCells::new(self.exponent).range_near(query.center, query.radius + largest)
    }
}

impl<V: Vector> HashGrid<V> {
    /// Creates an empty grid.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the least width of cells, rounded up to a power of two, and removes all bodies.
    ///
    /// Smaller bodies share the level of this width. Set about the radius of your queries, if these are much larger than
    /// the smallest bodies, for example balls around points (radius 0).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the width is not within [2^-150, 2^150].
    pub fn with_finest_cells(mut self, width: f64) -> Result<Self> {
        check_positive_length("cell width", width)?;
        self.finest = 0.5 * width;
        self.spheres_mut().clear();
        self.link_all();
        Ok(self)
    }

    fn sorted(&self) -> &HierarchicalGrid<V> {
        self.sorted.of(&self.spheres)
    }

    /// Returns the spheres for a change.
    fn spheres_mut(&mut self) -> &mut Vec<Sphere<V>> {
        self.sorted.outdate();
        &mut self.spheres
    }

    fn cell_of(&self, sphere: &Sphere<V>) -> Cell {
        let level = level_of(sphere.radius.max(self.finest));
        let place = UnboundedCells::new(level).cell(sphere.center);
        Cell { level, place }
    }

    fn list_of(&self, cell: Cell) -> usize {
        let [x, y, z] = cell.place;
        let hash = mix(mix(mix(cell.level as u64, z), y), x);
        (hash >> 7) as usize & (self.heads.len() - 1)
    }

    /// Returns the bodies on the list of a cell, some of which may be in other cells.
    fn list(&self, cell: Cell) -> impl Iterator<Item = u32> {
        let body = |body: u32| Some(body).filter(|&body| body != NONE);
        let first = body(self.heads[self.list_of(cell)]);
        std::iter::successors(first, move |&last| body(self.next[last as usize]))
    }

    /// Links all bodies, with two to four lists per body.
    fn link_all(&mut self) {
        let count = self.spheres.len();
        self.levels.clear();
        self.heads.clear();
        self.heads.resize((2 * count).next_power_of_two(), NONE);
        resize(&mut self.next, count);
        // From the last one on, each body becomes the first of its list.
        (0..count as u32).rev().for_each(|body| self.link(body));
    }

    fn link(&mut self, body: u32) {
        let sphere = &self.spheres[body as usize];
        let (cell, largest) = (self.cell_of(sphere), sphere.radius);
        let level = self.find_level(cell.level).unwrap_or_else(|at| {
            let exponent = cell.level;
            self.levels.insert(
                at,
                Level {
                    exponent,
                    ..Level::default()
                },
            );
            at
        });
        let level = &mut self.levels[level];
        level.bodies += 1;
        level.largest = level.largest.max(largest);
        let list = self.list_of(cell);
        let [before, after] = self.neighbors_on(list, body);
        self.next[body as usize] = after;
        self.set_next(list, before, body);
    }

    fn unlink(&mut self, body: u32) {
        let cell = self.cell_of(&self.spheres[body as usize]);
        if let Ok(level) = self.find_level(cell.level) {
            self.levels[level].bodies -= 1;
            if self.levels[level].bodies == 0 {
                self.levels.remove(level);
            }
        }
        let list = self.list_of(cell);
        let [before, _] = self.neighbors_on(list, body);
        self.set_next(list, before, self.next[body as usize]);
    }

    fn find_level(&self, exponent: i32) -> std::result::Result<usize, usize> {
        self.levels
            .binary_search_by_key(&exponent, |level| level.exponent)
    }

    /// Returns the last body of a list below `body`, and the first that is not below.
    fn neighbors_on(&self, list: usize, body: u32) -> [u32; 2] {
        let (mut before, mut after) = (NONE, self.heads[list]);
        while after < body {
            (before, after) = (after, self.next[after as usize]);
        }
        [before, after]
    }

    /// Sets the body after `before` on a list, the first one if there is none before.
    fn set_next(&mut self, list: usize, before: u32, body: u32) {
        match before {
            NONE => self.heads[list] = body,
            before => self.next[before as usize] = body,
        }
    }
}

impl<V: Vector> BroadPhase for HashGrid<V> {
    type Vector = V;

    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        // Without bodies meanwhile, in case the caller's closure panics.
        let mut spheres = std::mem::take(self.spheres_mut());
        self.link_all();
        let result = gather(count, sphere, &mut spheres);
        self.spheres = spheres;
        self.link_all();
        result
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.sorted().chunk_count()
    }

    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(usize, usize)) {
        self.sorted().for_each_pair_in(chunk, visit);
    }

    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        self.sorted().append_pairs_in(chunk, pairs);
    }

    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        let query = query.bounding_sphere();
        if query.validate(0).is_err() {
            return;
        }
        for level in self.levels.iter().rev() {
            let exponent = level.exponent;
            // By the largest radius that the level may have, so that the order does not depend on earlier bodies.
            let most = level.range_near(&query, two_to(exponent - 1));
            if cells::count(most) > self.spheres.len() as f64 {
                // More cells than bodies, and finer levels have still more.
                for (body, sphere) in self.spheres.iter().enumerate() {
                    if sphere.touches(&query) && self.cell_of(sphere).level <= exponent {
                        visit(body);
                    }
                }
                return;
            }
            for place in cells::places(level.range_near(&query, level.largest)) {
                let cell = Cell {
                    level: exponent,
                    place,
                };
                for body in self.list(cell) {
                    let sphere = &self.spheres[body as usize];
                    if sphere.touches(&query) && self.cell_of(sphere) == cell {
                        visit(body as usize);
                    }
                }
            }
        }
    }
}

impl<V: Vector> IncrementalBroadPhase for HashGrid<V> {
    fn insert(&mut self, sphere: Sphere<V>) -> Result<usize> {
        let body = self.spheres.len();
        check_count(body + 1)?;
        sphere.validate(body)?;
        self.spheres_mut().push(sphere);
        self.next.push(NONE);
        if self.spheres.len() > self.heads.len() {
            self.link_all();
        } else {
            self.link(body as u32);
        }
        Ok(body)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        check_index(body, self.spheres.len())?;
        let last = self.spheres.len() - 1;
        self.unlink(body as u32);
        if body != last {
            self.unlink(last as u32);
        }
        self.spheres_mut().swap_remove(body);
        self.next.pop();
        if body != last {
            self.link(body as u32);
        }
        Ok(())
    }

    fn replace(&mut self, body: usize, sphere: Sphere<V>) -> Result<()> {
        check_index(body, self.spheres.len())?;
        sphere.validate(body)?;
        self.unlink(body as u32);
        self.spheres_mut()[body] = sphere;
        self.link(body as u32);
        Ok(())
    }
}

/// Returns the least k for which cells of width 2^k are as wide as a body: its level, at least -149.
fn level_of(radius: f64) -> i32 {
    // Doubles in (2^(k - 2), 2^(k - 1)] have one exponent if their bits are lowered by one.
    let bits = radius.max(MIN_LENGTH).to_bits() - 1;
    (bits >> 52) as i32 - 1021
}

/// Mixes a coordinate of a cell into a hash.
#[inline]
fn mix(hash: u64, x: i64) -> u64 {
    // 2^64 divided by the golden ratio.
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash ^ x as u64).wrapping_mul(MULTIPLIER).rotate_left(29)
}

#[cfg(test)]
mod tests;
