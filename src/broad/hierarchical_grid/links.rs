//! Bodies that change one at a time: lists of those in each cell.

use super::plan::Survey;
use super::search::CHUNK;
use super::table::Level;
use super::{HierarchicalGrid, level_of, level_sizes};
use crate::broad::cells::{Cell, Cells, WIDENING};
use crate::broad::{Sphere, resize};
use crate::math::Vector;
use crate::shape::Aabb;

/// No body.
const NONE: u32 = u32::MAX;

/// Doubly linked lists of bodies. A list is that of all cells with the same hash: what it visits
/// is the bodies whose cell is asked for, so a clash costs time only.
#[derive(Clone, Debug, Default)]
pub(super) struct Links<V> {
    /// Whether they are what is searched, in place of the table.
    pub(super) are_used: bool,
    /// The cells of each level, with no bounds.
    cells: Vec<Cells<V>>,
    /// The first body of each list; a power of two of them.
    heads: Vec<u32>,
    /// The bodies before and after each on its list.
    previous: Vec<u32>,
    next: Vec<u32>,
}

impl<V: Vector> Links<V> {
    pub(super) fn bytes(&self) -> usize {
        4 * (self.heads.capacity() + self.previous.capacity() + self.next.capacity())
    }

    fn list(&self, level: usize, cell: Cell) -> usize {
        // Multipliers are the fractional bits of square roots of primes.
        const MIX: [u64; 4] = [
            0x6A09_E667_F3BC_C909,
            0xBB67_AE85_84CA_A73B,
            0x3C6E_F372_FE94_F82B,
            0xA54F_F53A_5F1D_36F1,
        ];
        let parts = [cell[0], cell[1], cell[2], level as u32];
        let mixed = parts.iter().zip(MIX).fold(0_u64, |hash, (&part, mix)| {
            (hash ^ u64::from(part)).wrapping_mul(mix).rotate_left(29)
        });
        (mixed >> 7) as usize & (self.heads.len() - 1)
    }

    fn list_of(&self, level: usize, sphere: &Sphere<V>) -> usize {
        self.list(level, self.cells[level].cell(sphere.center))
    }

    fn link(&mut self, body: u32, list: usize) {
        let after = std::mem::replace(&mut self.heads[list], body);
        if after != NONE {
            self.previous[after as usize] = body;
        }
        (self.previous[body as usize], self.next[body as usize]) = (NONE, after);
    }

    fn unlink(&mut self, body: u32, list: usize) {
        let (before, after) = (self.previous[body as usize], self.next[body as usize]);
        match before {
            NONE => self.heads[list] = after,
            before => self.next[before as usize] = after,
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Levels for the bodies there are now, where there are many more than at the last rebuild.
    fn plan_again(&mut self) {
        let spheres = std::mem::take(&mut self.spheres);
        let sphere = |body: usize| spheres[body];
        let histogram = &mut self.tuning.histogram;
        histogram.clear();
        let see = |body, radius| histogram.add(body, radius);
        // They have been checked, and so have given sizes.
        if let Ok(survey) = Survey::of(0..spheres.len(), sphere, see) {
            let _ = self.plan(&survey, sphere);
        }
        self.spheres = spheres;
    }

    /// Links all bodies: the first update after a rebuild does, and one that finds the lists too
    /// few.
    pub(super) fn link_all(&mut self) {
        let list_count = (2 * self.spheres.len()).next_power_of_two().max(64);
        self.links.are_used = true;
        self.links.cells.clear();
        let cells = self.levels.iter().map(|level| level.cells.unbounded());
        self.links.cells.extend(cells);
        self.links.heads.clear();
        self.links.heads.resize(list_count, NONE);
        resize(&mut self.links.previous, self.spheres.len());
        resize(&mut self.links.next, self.spheres.len());
        for body in 0..self.spheres.len() as u32 {
            self.link(body);
        }
    }

    pub(super) fn link(&mut self, body: u32) {
        let sphere = self.spheres[body as usize];
        let last = self.levels.last().map_or(0.0, |level| level.size);
        if 2.0 * sphere.radius > last {
            // With room, so that there are few such levels.
            let (size, center) = (4.0 * sphere.radius, sphere.center);
            let bounds = Aabb {
                min: center,
                max: center,
            };
            let cells = Cells::new(&bounds, center, size * WIDENING, 1.0);
            self.links.cells.push(cells.unbounded());
            self.levels.push(Level::new(size, cells));
        }
        let level = level_of(sphere.radius, &level_sizes(&self.levels));
        let largest = &mut self.levels[level].largest;
        *largest = largest.max(sphere.radius);
        let list = self.links.list_of(level, &sphere);
        self.links.link(body, list);
    }

    pub(super) fn unlink(&mut self, body: u32) {
        let sphere = &self.spheres[body as usize];
        let level = level_of(sphere.radius, &level_sizes(&self.levels));
        let list = self.links.list_of(level, sphere);
        self.links.unlink(body, list);
    }

    /// Adds a body that all levels have room for.
    pub(super) fn push_linked(&mut self, sphere: Sphere<V>) {
        self.spheres.push(sphere);
        self.links.previous.push(NONE);
        self.links.next.push(NONE);
        if self.spheres.len() > self.links.heads.len() {
            self.plan_again();
            self.link_all();
        } else {
            self.link(self.spheres.len() as u32 - 1);
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

    /// Visits the bodies near a sphere.
    pub(super) fn for_each_near_linked(&self, query: &Sphere<V>, mut visit: impl FnMut(u32)) {
        let sizes = level_sizes(&self.levels);
        for (h, (level, cells)) in self.levels.iter().zip(&self.links.cells).enumerate() {
            let [from, to] = cells.near(query, level.largest);
            let along = [0, 1, 2].map(|axis| f64::from(to[axis] - from[axis]) + 1.0);
            let mut test = |body: u32, is_there: &dyn Fn(&Sphere<V>) -> bool| {
                let sphere = &self.spheres[body as usize];
                if sphere.touches(query) && level_of(sphere.radius, &sizes) == h && is_there(sphere)
                {
                    visit(body);
                }
            };
            if along.iter().product::<f64>() > self.spheres.len() as f64 {
                // More cells than bodies.
                (0..self.spheres.len() as u32).for_each(|body| test(body, &|_| true));
                continue;
            }
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        let mut body = self.links.heads[self.links.list(h, [x, y, z])];
                        while body != NONE {
                            test(body, &|sphere| cells.cell(sphere.center) == [x, y, z]);
                            body = self.links.next[body as usize];
                        }
                    }
                }
            }
        }
    }

    /// Visits the pairs whose higher index is in a chunk.
    pub(super) fn for_each_pair_linked(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let start = chunk.saturating_mul(CHUNK).min(self.spheres.len());
        let end = start.saturating_add(CHUNK).min(self.spheres.len());
        for body in start..end {
            let body = body as u32;
            self.for_each_near_linked(&self.spheres[body as usize], |other| {
                if other < body {
                    visit(other, body);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::{BroadPhase, UpdateBodies};
    use glam::DVec2;

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
}
