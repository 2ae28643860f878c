//! The loops around each region of the intersection of two polygons.

use glam::DVec2;

use crate::math::orient2d;
use crate::shape::UnionFind;

/// The closed loops, joined where they bound the same region.
///
/// A loop is a set of elements: crossings connected by the boundaries, or an uncrossed ring. Loops around a region are
/// counter-clockwise, those around its holes clockwise.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionLoops {
    sides: Vec<LoopSide>,
    /// For each loop, at its root: the signed area, and how often the loop winds around a point.
    areas: Vec<f64>,
    windings: Vec<i32>,
    votes: Vec<u32>,
}

/// A side of a loop, and an element of this loop.
#[derive(Clone, Copy, Debug)]
struct LoopSide {
    element: u32,
    ends: [DVec2; 2],
}

impl RegionLoops {
    /// Removes all loops.
    pub(super) fn clear(&mut self) {
        self.sides.clear();
    }

    /// Adds a side to the loop of an element.
    pub(super) fn add(&mut self, element: u32, ends: [DVec2; 2]) {
        self.sides.push(LoopSide { element, ends });
    }

    /// Joins each hole with the loop around it. O(h n) for h holes and n sides if there are several loops.
    ///
    /// Loops do not cross, so any corner of a hole lies in the right loop. A corner may touch another loop to rounding,
    /// so the majority of corners decides.
    pub(super) fn join_holes(&mut self, regions: &mut UnionFind, count: usize) {
        self.areas.clear();
        self.areas.resize(count, 0.0);
        for side in &mut self.sides {
            side.element = regions.root(side.element);
            let [a, b] = side.ends;
            self.areas[side.element as usize] += a.perp_dot(b);
        }
        let areas = &self.areas;
        let mut outer = (0..count).filter(|&i| areas[i] > 0.0);
        let only = outer.next().filter(|_| outer.next().is_none());
        for hole in 0..count {
            if self.areas[hole] >= 0.0 {
                continue;
            }
            if let Some(around) = only.or_else(|| self.loop_around(hole)) {
                regions.join(around as u32, hole as u32);
            }
        }
    }

    /// Returns the loop that contains most corners of a hole.
    fn loop_around(&mut self, hole: usize) -> Option<usize> {
        const MOST_CORNERS: usize = 8;
        self.votes.clear();
        self.votes.resize(self.areas.len(), 0);
        let sides = self
            .sides
            .iter()
            .filter(|side| side.element as usize == hole);
        for corner in sides.map(|side| side.ends[0]).take(MOST_CORNERS) {
            let around = innermost(corner, &self.sides, &self.areas, &mut self.windings);
            around
                .into_iter()
                .for_each(|around| self.votes[around] += 1);
        }
        let outer = (0..self.areas.len()).filter(|&i| self.areas[i] > 0.0);
        outer.max_by_key(|&around| self.votes[around])
    }
}

/// Returns the smallest loop around a point.
fn innermost(
    point: DVec2,
    sides: &[LoopSide],
    areas: &[f64],
    windings: &mut Vec<i32>,
) -> Option<usize> {
    windings.clear();
    windings.resize(areas.len(), 0);
    for &LoopSide {
        element,
        ends: [a, b],
    } in sides
    {
        let is_rising = b.y > point.y;
        if (a.y > point.y) != is_rising {
            let left = orient2d(a, b, point);
            windings[element as usize] +=
                i32::from(is_rising && left > 0.0) - i32::from(!is_rising && left < 0.0);
        }
    }
    let around = (0..areas.len()).filter(|&i| areas[i] > 0.0 && windings[i] > 0);
    around.min_by(|&i, &j| areas[i].total_cmp(&areas[j]))
}
