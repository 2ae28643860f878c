//! How the rings of a polygon lie in each other.
//!
//! A sweep along x keeps the sides that it meets in the order of their heights: M. I. Shamos, D. Hoey, "Geometric
//! intersection problems", FOCS 1976, 208-215. Sides do not cross here, so only the side below the first corner of a
//! ring is needed.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use glam::DVec2;

use crate::math::{lexicographic, orient2d};
use crate::shape::mass_properties::sides;

/// Returns how often other rings wind around each ring, by exact signs. Rings must not meet. O(n log n).
pub(super) fn windings<'a>(rings: impl Iterator<Item = &'a [DVec2]>) -> Vec<i32> {
    let (mut firsts, mut all, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for (ring, corners) in rings.enumerate() {
        let (first, winding) = first_corner(corners);
        events.push((first.x, Event::Ring(ring)));
        firsts.push(first);
        for [a, b] in sides(corners).into_iter().filter(|[a, b]| a.x != b.x) {
            let is_rightward = a.x < b.x;
            let ends = if is_rightward { [a, b] } else { [b, a] };
            let is_inside_above = is_rightward == (winding > 0);
            let above = if is_inside_above { winding } else { 0 };
            events.push((ends[1].x, Event::End(all.len())));
            events.push((ends[0].x, Event::Start(all.len())));
            all.push(Side { ends, ring, above });
        }
    }
    // By value, so that 0 and -0 are the same place. Sides that start where a ring does are not below it.
    let by_place = |x: &(f64, Event), y: &(f64, Event)| x.0.partial_cmp(&y.0);
    events.sort_unstable_by(|x, y| {
        by_place(x, y)
            .unwrap_or(Ordering::Equal)
            .then(x.1.cmp(&y.1))
    });
    let mut windings = vec![0; firsts.len()];
    let mut met = BTreeSet::new();
    for (_, event) in events {
        match event {
            Event::Ring(ring) => {
                let place = Side {
                    ends: [firsts[ring]; 2],
                    ring,
                    above: 0,
                };
                let below: Option<&Side> = met.range(..place).next_back();
                windings[ring] = below.map_or(0, |side| windings[side.ring] + side.above);
            }
            Event::End(side) => {
                met.remove(&all[side]);
            }
            Event::Start(side) => {
                met.insert(all[side]);
            }
        }
    }
    windings
}

/// What the sweep meets, in its order at one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Ring(usize),
    End(usize),
    Start(usize),
}

/// A side of a ring.
#[derive(Clone, Copy)]
struct Side {
    /// In ascending order of x.
    ends: [DVec2; 2],
    ring: usize,
    /// How often its ring winds around points just above it.
    above: i32,
}

impl Side {
    /// Returns the order of the heights of two sides, of which the other does not start before this one.
    fn compare(&self, other: &Self) -> Ordering {
        let [a, b] = self.ends;
        // The start of the other side is on this one if both start at the same corner.
        let mut heights = other.ends.map(|end| orient2d(a, b, end)).into_iter();
        match heights.find(|&height| height != 0.0) {
            Some(height) if height > 0.0 => Ordering::Less,
            Some(_) => Ordering::Greater,
            None => Ordering::Equal,
        }
    }
}

impl Ord for Side {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.ends[0].x <= other.ends[0].x {
            self.compare(other)
        } else {
            other.compare(self).reverse()
        }
    }
}

impl PartialOrd for Side {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Side {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Side {}

/// Returns the first corner of a simple ring in ascending order of x, then y, and how often the ring winds around
/// points inside: 1 or -1. The turn at this corner decides, which is never flat.
fn first_corner(corners: &[DVec2]) -> (DVec2, i32) {
    let count = corners.len();
    let is_lower = |i: usize, j: usize| lexicographic(corners[i], corners[j]).is_lt();
    let first = (1..count).fold(0, |first, i| if is_lower(i, first) { i } else { first });
    let at = corners[first];
    // Skips corners at the same position.
    let mut after = (1..count).map(|i| corners[(first + i) % count]);
    let mut before = (1..count).map(|i| corners[(first + count - i) % count]);
    let next = after.find(|&corner| corner != at).unwrap_or(at);
    let last = before.find(|&corner| corner != at).unwrap_or(at);
    let is_left = orient2d(last, at, next) > 0.0;
    (at, if is_left { 1 } else { -1 })
}
