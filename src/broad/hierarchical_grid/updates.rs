//! Single updates: bodies are linked into lists of their cells until the next rebuild.

use super::grid::HierarchicalGrid;
use super::layout;
use super::level::{Level, level_of, size_limits};
use super::lists::{CellLists, NONE};
use super::rebuild::MAX_CROWDING;
use super::search::CHUNK;
#[cfg(doc)]
use crate::ErrorKind;
use crate::broad::{BroadPhase, IncrementalBroadPhase, check_index};
use crate::error::Result;
use crate::math::{Vector, check_count};
use crate::shape::Sphere;

impl<V: Vector> IncrementalBroadPhase for HierarchicalGrid<V> {
    /// # Errors
    /// Returns [`ErrorKind::CellSize`] also if the sizes are given and the body is larger than the last.
    fn insert(&mut self, sphere: Sphere<V>) -> Result<usize> {
        let body = self.spheres.len();
        check_count(body + 1)?;
        self.check_update(body, &sphere)?;
        if body == 0 {
            self.rebuild(&[sphere])?;
            return Ok(body);
        }
        self.ensure_linked();
        self.spheres.push(sphere);
        self.lists.push();
        if self.spheres.len() > self.lists.heads.len() {
            self.choose_levels_again();
        } else {
            self.link(body as u32);
            self.relieve_crowding();
        }
        Ok(body)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        check_index(body, self.spheres.len())?;
        self.ensure_linked();
        let (body, last) = (body as u32, self.spheres.len() as u32 - 1);
        self.unlink(body);
        if body != last {
            self.unlink(last);
        }
        self.spheres.swap_remove(body as usize);
        self.lists.pop();
        if body != last {
            self.link(body);
        }
        Ok(())
    }

    /// # Errors
    /// Returns [`ErrorKind::CellSize`] also if the sizes are given and the body is larger than the last.
    fn replace(&mut self, body: usize, sphere: Sphere<V>) -> Result<()> {
        check_index(body, self.spheres.len())?;
        self.check_update(body, &sphere)?;
        self.ensure_linked();
        self.unlink(body as u32);
        self.spheres[body] = sphere;
        self.link(body as u32);
        self.relieve_crowding();
        Ok(())
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    fn check_update(&self, index: usize, sphere: &Sphere<V>) -> Result<()> {
        sphere.validate(index)?;
        self.sizing.check_radius(index, sphere.radius)
    }

    /// Links all bodies, at the first update after a rebuild.
    fn ensure_linked(&mut self) {
        if !self.lists.are_used {
            self.link_all();
        }
    }

    /// Chooses the levels again if the crowding has doubled since they were last chosen.
    fn relieve_crowding(&mut self) {
        if self.lists.squares > self.lists.max_squares {
            self.choose_levels_again();
        }
    }

    /// Chooses levels for the current bodies, and links all.
    ///
    /// This costs O(n) and happens only when the number of bodies or the crowding has doubled, so its cost per
    /// update is O(1) on average.
    fn choose_levels_again(&mut self) {
        let spheres = std::mem::take(&mut self.spheres);
        let sphere = |body: usize| spheres[body];
        // No error: the spheres are valid and fit given sizes.
        if let Ok(summary) = self.summarize(spheres.len(), sphere) {
            let _ = self.choose_levels(&summary, sphere);
        }
        self.spheres = spheres;
        self.link_all();
    }

    /// Links all bodies into the cells of the levels, or of levels of one octave each if these are crowded.
    ///
    /// On levels of one octave, a body in a crowded cell touches many of the bodies there. So the tests cost no more
    /// than the pairs.
    fn link_all(&mut self) {
        self.link_to_levels();
        if self.lists.are_longer_than(MAX_CROWDING) {
            let radii = self.spheres.iter().map(|sphere| sphere.radius);
            let mut sizes = layout::octaves(radii.filter(|&radius| radius > 0.0));
            // Points need cells that suit their density.
            let finest = self.levels.first().map_or(0.0, |level| level.cells.width());
            if sizes.first().is_none_or(|&size| finest < size) && finest > 0.0 {
                sizes.insert(0, finest);
            }
            layout::set_sizes(&mut self.levels, &sizes);
            self.link_to_levels();
        }
        let least = 4 * self.spheres.len() as u64;
        self.lists.max_squares = 2 * self.lists.squares.max(least);
    }

    fn link_to_levels(&mut self) {
        let widths = self.levels.iter().map(|level| level.cells.width());
        self.lists.reset(self.spheres.len(), widths);
        (0..self.spheres.len() as u32).for_each(|body| self.link(body));
    }

    fn link(&mut self, body: u32) {
        let sphere = self.spheres[body as usize];
        let last = self.levels.last().map_or(0.0, |level| level.size);
        if 2.0 * sphere.radius > last {
            // Twice the diameter, so that few levels are added.
            let level = Level::without_table(4.0 * sphere.radius);
            self.lists.add_level(level.cells.width());
            self.levels.push(level);
        }
        let level = level_of(sphere.radius, &size_limits(&self.levels));
        let max_radius = &mut self.levels[level].max_radius;
        *max_radius = max_radius.max(sphere.radius);
        self.lists.link(body, level, &sphere);
    }

    fn unlink(&mut self, body: u32) {
        let sphere = &self.spheres[body as usize];
        let level = level_of(sphere.radius, &size_limits(&self.levels));
        self.lists.unlink(body, level, sphere);
    }

    /// Visits the bodies that touch a sphere.
    pub(super) fn for_each_touching_linked(&self, query: &Sphere<V>, mut visit: impl FnMut(u32)) {
        let limits = size_limits(&self.levels);
        for level in 0..self.levels.len() {
            self.for_each_touching_on(level, &limits, query, &mut visit);
        }
    }

    /// Visits the bodies of a level that touch a sphere.
    ///
    /// Visits the cells that overlap the sphere, or all bodies if these are fewer. In a list only the bodies of the
    /// cell and the level count, so each body is visited once.
    #[inline]
    fn for_each_touching_on(
        &self,
        h: usize,
        limits: &[f64],
        query: &Sphere<V>,
        visit: &mut impl FnMut(u32),
    ) {
        let (cells, count) = self.lists.levels[h];
        if count == 0 {
            return;
        }
        let [from, to] = cells.range_near(query, self.levels[h].max_radius);
        let is_hit =
            |sphere: &Sphere<V>| sphere.touches(query) && level_of(sphere.radius, limits) == h;
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
                let row_hash = CellLists::row_hash(h, y, z);
                for x in from[0]..=to[0] {
                    let mut body = self.lists.heads[self.lists.list(row_hash, x)];
                    while body != NONE {
                        let sphere = &self.spheres[body as usize];
                        if is_hit(sphere) && cells.cell(sphere.center) == [x, y, z] {
                            visit(body);
                        }
                        body = self.lists.next[body as usize];
                    }
                }
            }
        }
    }

    /// Visits the pairs of a chunk of bodies.
    ///
    /// Each body is paired with the bodies of lower index on its own level. It is also paired with all bodies on
    /// coarser levels, where it overlaps few cells. So each pair is found once.
    pub(super) fn for_each_pair_linked(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let start = chunk.saturating_mul(CHUNK).min(self.spheres.len());
        let end = start.saturating_add(CHUNK).min(self.spheres.len());
        let limits = size_limits(&self.levels);
        for body in start..end {
            let sphere = &self.spheres[body];
            let own = level_of(sphere.radius, &limits);
            let body = body as u32;
            for level in own..self.levels.len() {
                self.for_each_touching_on(level, &limits, sphere, &mut |other| {
                    if level > own || other < body {
                        visit(other.min(body), other.max(body));
                    }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::{BroadPhase, IncrementalBroadPhase, LevelSizes, LinkedCells, Pair};
    use crate::testing::workload::{power_law_spheres, random_spheres};
    use glam::{DVec2, DVec3};

    /// There are at least two lists per body, and a level added for a larger body has room to spare.
    #[test]
    fn lists_and_levels_have_room() {
        let at = |x: f64, radius: f64| Sphere::new(DVec2::X * x, radius);
        let bodies: Vec<_> = (0..1000).map(|i| at(f64::from(i), 0.25)).collect();
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(&bodies).unwrap();
        grid.insert(at(0.0, 16.0)).unwrap();
        assert!((2000..8192).contains(&grid.lists.heads.len()));
        assert_eq!(grid.levels.last().map(|level| level.size), Some(64.0));
    }

    fn sorted<V: Vector>(grid: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
        let mut pairs = Vec::new();
        grid.collect_pairs(&mut pairs);
        pairs.sort_unstable();
        pairs
    }

    /// Moves bodies from one set of positions to another in a hundred steps, one by one. Lists stay short, and
    /// levels are rarely chosen again.
    fn check_relocations<V: Vector>(
        name: &str,
        mut grid: HierarchicalGrid<V>,
        from: &[Sphere<V>],
        to: &[Sphere<V>],
    ) {
        grid.rebuild(from).unwrap();
        let mut choices = 0;
        for step in 1..=100 {
            let part = if step == 100 {
                0.0
            } else {
                0.85_f64.powi(step)
            };
            for (i, (a, b)) in (0..).zip(from.iter().zip(to)) {
                let center = b.center + (a.center - b.center) * part;
                let before = grid.lists.max_squares;
                grid.replace(i, Sphere::new(center, b.radius)).unwrap();
                choices += u32::from(grid.lists.max_squares != before);
            }
            let lengths = grid.lists.lengths.iter();
            let squares: u64 = lengths.map(|&length| u64::from(length).pow(2)).sum();
            assert_eq!(grid.lists.squares, squares);
            let crowding = squares as f64 / from.len() as f64;
            assert!(crowding < 12.0, "{name}: {crowding} after {step}");
        }
        assert!(choices < 40, "{name}: {choices}");
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
