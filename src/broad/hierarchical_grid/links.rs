//! Bodies that change one at a time: lists of those in each cell.

use super::plan;
use super::search::CHUNK;
use super::table::Level;
use super::{CROWDED, HierarchicalGrid, level_of, level_sizes};
use crate::broad::cells::{Cells, OpenCell, OpenCells, WIDENING};
use crate::broad::{Sphere, resize};
use crate::math::Vector;

/// No body.
const NONE: u32 = u32::MAX;

/// A list as long as this is crowded, however many bodies there are.
const MOST: u16 = u16::MAX;

/// Doubly linked lists of bodies. A list is that of all cells with the same hash: what it visits
/// is the bodies whose cell is asked for, so a clash costs time only.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Whether they are what is searched, in place of the table.
    pub(super) are_used: bool,
    /// The cells of each level, and how many bodies are in them.
    levels: Vec<(OpenCells, u32)>,
    /// The first body of each list; a power of two of them.
    heads: Vec<u32>,
    /// How many bodies each list has, up to [`MOST`], which then stays.
    lengths: Vec<u16>,
    /// The bodies before and after each on its list.
    previous: Vec<u32>,
    next: Vec<u32>,
    /// The squares of the lengths of lists, added up.
    squares: u64,
    /// Above this, levels are planned again.
    most_squares: u64,
}

impl Links {
    pub(super) fn bytes(&self) -> usize {
        4 * self.heads.capacity()
            + 2 * self.lengths.capacity()
            + 4 * (self.previous.capacity() + self.next.capacity())
            + size_of::<(OpenCells, u32)>() * self.levels.capacity()
    }

    fn list(&self, level: usize, [x, y, z]: OpenCell) -> usize {
        self.list_in_row(Self::row(level, y, z), x)
    }

    /// What the lists of a row of cells have in common.
    #[inline]
    fn row(level: usize, y: i64, z: i64) -> u64 {
        mixed(mixed(level as u64, z), y)
    }

    #[inline]
    fn list_in_row(&self, row: u64, x: i64) -> usize {
        (mixed(row, x) >> 7) as usize & (self.heads.len() - 1)
    }

    fn list_of<V: Vector>(&self, level: usize, sphere: &Sphere<V>) -> usize {
        self.list(level, self.levels[level].0.cell(sphere.center))
    }

    fn link(&mut self, body: u32, level: usize, list: usize) {
        self.levels[level].1 += 1;
        let after = std::mem::replace(&mut self.heads[list], body);
        let length = &mut self.lengths[list];
        if *length < MOST {
            self.squares += 2 * u64::from(*length) + 1;
            *length += 1;
        }
        if after != NONE {
            self.previous[after as usize] = body;
        }
        (self.previous[body as usize], self.next[body as usize]) = (NONE, after);
    }

    fn unlink(&mut self, body: u32, level: usize, list: usize) {
        self.levels[level].1 -= 1;
        let (before, after) = (self.previous[body as usize], self.next[body as usize]);
        let length = &mut self.lengths[list];
        if *length < MOST {
            *length -= 1;
            self.squares -= 2 * u64::from(*length) + 1;
        }
        match before {
            NONE => self.heads[list] = after,
            before => self.next[before as usize] = after,
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    /// Whether lists hold more than so many bodies where a body is, on average.
    fn are_longer_than(&self, length: f64) -> bool {
        self.squares as f64 > length * self.next.len() as f64
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Links all bodies: the first update after a rebuild does.
    pub(super) fn start_updates(&mut self) {
        if !self.links.are_used {
            self.link_all();
        }
    }

    /// Plans levels for the bodies as they are now, and links all: where they are many more than at
    /// the last time, or have become crowded.
    ///
    /// Levels of an octave each are the last resort: then a body in a crowd touches many of it. The
    /// next time comes when the crowding has doubled.
    fn plan_again(&mut self) {
        let spheres = std::mem::take(&mut self.spheres);
        let sphere = |body: usize| spheres[body];
        // They have been checked, and so have given sizes.
        if let Ok(survey) = self.survey(spheres.len(), sphere) {
            let _ = self.plan(&survey, sphere);
        }
        self.spheres = spheres;
        self.link_all();
    }

    fn link_all(&mut self) {
        self.link_to_levels();
        if self.links.are_longer_than(CROWDED) {
            let radii = self.spheres.iter().map(|sphere| sphere.radius);
            let mut sizes = plan::octaves(radii.filter(|&radius| radius > 0.0));
            // Points need cells that suit their density.
            let finest = self.levels.first().map_or(0.0, |level| level.cells.width());
            if sizes.first().is_none_or(|&size| finest < size) && finest > 0.0 {
                sizes.insert(0, finest);
            }
            plan::resize_levels(&mut self.levels, &sizes);
            self.link_to_levels();
        }
        let least = 4 * self.spheres.len() as u64;
        self.links.most_squares = 2 * self.links.squares.max(least);
    }

    fn link_to_levels(&mut self) {
        let list_count = (2 * self.spheres.len()).next_power_of_two().max(64);
        let links = &mut self.links;
        links.are_used = true;
        links.squares = 0;
        links.levels.clear();
        let widths = self.levels.iter().map(|level| level.cells.width());
        let cells = widths.map(OpenCells::new);
        links.levels.extend(cells.map(|cells| (cells, 0)));
        links.heads.clear();
        links.heads.resize(list_count, NONE);
        links.lengths.clear();
        links.lengths.resize(list_count, 0);
        resize(&mut links.previous, self.spheres.len());
        resize(&mut links.next, self.spheres.len());
        for body in 0..self.spheres.len() as u32 {
            self.link(body);
        }
    }

    fn link(&mut self, body: u32) {
        let sphere = self.spheres[body as usize];
        let last = self.levels.last().map_or(0.0, |level| level.size);
        if 2.0 * sphere.radius > last {
            // With room, so that there are few such levels.
            let size = 4.0 * sphere.radius;
            let level = Level::new(size, Cells::one(size * WIDENING));
            self.links
                .levels
                .push((OpenCells::new(level.cells.width()), 0));
            self.levels.push(level);
        }
        let level = level_of(sphere.radius, &level_sizes(&self.levels));
        let largest = &mut self.levels[level].largest;
        *largest = largest.max(sphere.radius);
        let list = self.links.list_of(level, &sphere);
        self.links.link(body, level, list);
    }

    fn unlink(&mut self, body: u32) {
        let sphere = &self.spheres[body as usize];
        let level = level_of(sphere.radius, &level_sizes(&self.levels));
        let list = self.links.list_of(level, sphere);
        self.links.unlink(body, level, list);
    }

    fn uncrowd(&mut self) {
        if self.links.squares > self.links.most_squares {
            self.plan_again();
        }
    }

    /// Adds a body that all levels have room for.
    pub(super) fn push_linked(&mut self, sphere: Sphere<V>) {
        self.spheres.push(sphere);
        self.links.previous.push(NONE);
        self.links.next.push(NONE);
        if self.spheres.len() > self.links.heads.len() {
            self.plan_again();
        } else {
            self.link(self.spheres.len() as u32 - 1);
            self.uncrowd();
        }
    }

    /// Takes a body out and gives its index to the last.
    pub(super) fn swap_remove_linked(&mut self, body: u32) {
        let last = self.spheres.len() as u32 - 1;
        self.unlink(body);
        if body != last {
            self.unlink(last);
        }
        self.spheres.swap_remove(body as usize);
        self.links.previous.pop();
        self.links.next.pop();
        if body != last {
            self.link(body);
        }
    }

    /// Gives a body another sphere.
    pub(super) fn replace_linked(&mut self, body: u32, sphere: Sphere<V>) {
        self.unlink(body);
        self.spheres[body as usize] = sphere;
        self.link(body);
        self.uncrowd();
    }

    /// Visits the bodies near a sphere.
    pub(super) fn for_each_near_linked(&self, query: &Sphere<V>, mut visit: impl FnMut(u32)) {
        let sizes = level_sizes(&self.levels);
        for level in 0..self.levels.len() {
            self.for_each_near_on(level, &sizes, query, &mut visit);
        }
    }

    /// Visits the bodies of a level near a sphere.
    #[inline]
    fn for_each_near_on(
        &self,
        h: usize,
        sizes: &[f64],
        query: &Sphere<V>,
        visit: &mut impl FnMut(u32),
    ) {
        let (cells, count) = self.links.levels[h];
        if count == 0 {
            return;
        }
        let [from, to] = cells.near(query, self.levels[h].largest);
        let is_hit =
            |sphere: &Sphere<V>| sphere.touches(query) && level_of(sphere.radius, sizes) == h;
        let along = [0, 1, 2].map(|axis| (to[axis] - from[axis]) as f64 + 1.0);
        let cell_count: f64 = along.iter().product();
        if cell_count > self.spheres.len() as f64 {
            let hits = (0..)
                .zip(&self.spheres)
                .filter(|(_, sphere)| is_hit(sphere));
            hits.for_each(|(body, _)| visit(body));
            return;
        }
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                let row = Links::row(h, y, z);
                for x in from[0]..=to[0] {
                    let mut body = self.links.heads[self.links.list_in_row(row, x)];
                    while body != NONE {
                        let sphere = &self.spheres[body as usize];
                        if is_hit(sphere) && cells.cell(sphere.center) == [x, y, z] {
                            visit(body);
                        }
                        body = self.links.next[body as usize];
                    }
                }
            }
        }
    }

    /// Visits the pairs of a chunk of bodies: with those of lower index on their own level, and with
    /// all on the levels of larger bodies, where few cells are near.
    pub(super) fn for_each_pair_linked(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let start = chunk.saturating_mul(CHUNK).min(self.spheres.len());
        let end = start.saturating_add(CHUNK).min(self.spheres.len());
        let sizes = level_sizes(&self.levels);
        for body in start..end {
            let sphere = &self.spheres[body];
            let own = level_of(sphere.radius, &sizes);
            let body = body as u32;
            for level in own..self.levels.len() {
                self.for_each_near_on(level, &sizes, sphere, &mut |other| {
                    if level > own || other < body {
                        visit(other.min(body), other.max(body));
                    }
                });
            }
        }
    }
}

/// Mixes a coordinate of a cell into a hash.
#[inline]
fn mixed(hash: u64, x: i64) -> u64 {
    // The fractional bits of the golden ratio.
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash ^ x as u64).wrapping_mul(MIX).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::{BroadPhase, IncrementalBroadPhase, LevelSizes, LinkedCells, Pair};
    use crate::testing::workload::{power_law_spheres, random_spheres};
    use glam::{DVec2, DVec3};

    /// Two lists or more a body, and room in a level that is made for a body larger than all.
    #[test]
    fn lists_and_levels_have_room() {
        let at = |x: f64, radius: f64| Sphere::new(DVec2::X * x, radius);
        let bodies: Vec<_> = (0..1000).map(|i| at(f64::from(i), 0.25)).collect();
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(&bodies).unwrap();
        grid.insert(at(0.0, 16.0)).unwrap();
        assert!((2000..8192).contains(&grid.links.heads.len()));
        assert_eq!(grid.levels.last().map(|level| level.size), Some(64.0));
    }

    fn sorted<V: Vector>(grid: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
        let mut pairs = Vec::new();
        grid.collect_pairs(&mut pairs);
        pairs.sort_unstable();
        pairs
    }

    /// Bodies go from some places to others in a hundred steps, one by one. Lists stay short all
    /// the time, and plans are few.
    fn check_relocations<V: Vector>(
        name: &str,
        mut grid: HierarchicalGrid<V>,
        from: &[Sphere<V>],
        to: &[Sphere<V>],
    ) {
        grid.rebuild(from).unwrap();
        let mut plans = 0;
        for step in 1..=100 {
            let part = if step == 100 {
                0.0
            } else {
                0.85_f64.powi(step)
            };
            for (i, (a, b)) in (0..).zip(from.iter().zip(to)) {
                let center = b.center + (a.center - b.center) * part;
                let before = grid.links.most_squares;
                grid.replace(i, Sphere::new(center, b.radius)).unwrap();
                plans += u32::from(grid.links.most_squares != before);
            }
            let lengths = grid.links.lengths.iter();
            let squares: u64 = lengths.map(|&length| u64::from(length).pow(2)).sum();
            assert_eq!(grid.links.squares, squares);
            let crowding = squares as f64 / from.len() as f64;
            assert!(crowding < 12.0, "{name}: {crowding} after {step}");
        }
        assert!(plans < 40, "{name}: {plans}");
        let mut fresh = HierarchicalGrid::new();
        fresh.rebuild(grid.spheres()).unwrap();
        assert_eq!(sorted(&grid), sorted(&fresh), "{name}");
    }

    #[test]
    fn relocated_bodies_do_not_crowd() {
        const COUNT: usize = 1500;
        let dense = random_spheres::<DVec3>(COUNT, 0.3, 1.5, 1);
        let times = |spheres: &[Sphere<DVec3>], factor: f64| -> Vec<_> {
            let spheres = spheres.iter();
            spheres
                .map(|s| Sphere::new(s.center * factor, s.radius))
                .collect()
        };
        let gas = times(&dense, 1e3);
        let own = HierarchicalGrid::new;
        check_relocations("a gas, compressed", own(), &gas, &dense);
        check_relocations("a gas that expands", own(), &dense, &gas);
        let mut lumps = dense.clone();
        lumps.iter_mut().step_by(2).for_each(|s| s.center.x += 1e12);
        check_relocations("one lump becomes two", own(), &dense, &lumps);
        check_relocations("two lumps become one", own(), &lumps, &dense);
        let mixture = power_law_spheres::<DVec3>(COUNT, 0.3, -3.0, 100.0, 1);
        check_relocations("a mixture", own(), &times(&mixture, 1e2), &mixture);
        let sizes = LevelSizes::new([8.0, 64.0, 256.0]).unwrap();
        let given = HierarchicalGrid::new().with_level_sizes(sizes);
        check_relocations("given sizes", given, &times(&mixture, 1e2), &mixture);
        let cells = LinkedCells::new().grid().clone();
        check_relocations("linked cells", cells, &gas, &dense);
        let flat = |spheres: &[Sphere<DVec3>]| -> Vec<_> {
            let spheres = spheres.iter();
            spheres
                .map(|s| Sphere::new(s.center.truncate(), 0.05 * s.radius))
                .collect()
        };
        let (gas, dense) = (flat(&gas), flat(&dense));
        check_relocations("a gas of discs", HierarchicalGrid::new(), &gas, &dense);
    }
}
