//! phi on a line: a convex function of one variable, the maximum of linear ones.

use glam::DVec2;

use crate::math::direction;

/// A side of the polygon: its first corner, and the line `normal . x = offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) corner: DVec2,
    pub(super) normal: DVec2,
    offset: f64,
}

/// The points `origin + along s` for s from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) origin: DVec2,
    pub(super) along: DVec2,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Interval {
    fn point(self, s: f64) -> DVec2 {
        self.origin + self.along * s
    }

    /// Returns another interval on the same line.
    pub(super) fn within(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    pub(super) fn middle(self) -> DVec2 {
        self.point(0.5 * (self.from + self.to))
    }

    pub(super) fn ends(self) -> [DVec2; 2] {
        [self.from, self.to].map(|s| self.point(s))
    }

    pub(super) fn length(self) -> f64 {
        self.to - self.from
    }

    /// Returns the part where phi is at most `level`, if there is one.
    pub(super) fn part_below(self, level: f64, sides: &[Side]) -> Self {
        let mut part = self;
        for side in sides {
            let slope = side.normal.dot(self.along);
            let end = (level - side.above(self.origin)) / slope;
            if slope > 0.0 {
                part.to = part.to.min(end);
            } else if slope < 0.0 {
                part.from = part.from.max(end);
            }
        }
        part
    }

    /// Returns where phi is smallest, and its value, to `tolerance`.
    ///
    /// Cutting planes (see `facet_minimum`) in one unknown: the minimum is below the crossing of a falling and a
    /// rising side.
    pub(super) fn minimum(self, sides: &[Side], tolerance: f64) -> (f64, f64) {
        let slope = |side: &Side| side.normal.dot(self.along);
        let largest = |s: f64| largest_side(sides, self.point(s));
        let (mut falling, value) = largest(self.from);
        if slope(falling) >= 0.0 {
            return (self.from, value);
        }
        let (mut rising, value) = largest(self.to);
        if slope(rising) <= 0.0 {
            return (self.to, value);
        }
        let mut best = (self.to, value);
        for _ in sides {
            let [f, r] = [falling, rising].map(|side| side.above(self.origin));
            let s = (f - r) / (slope(rising) - slope(falling));
            let s = s.max(self.from).min(self.to);
            let (side, value) = largest(s);
            best = (s, value);
            if value <= falling.above(self.point(s)) + tolerance {
                break;
            }
            if slope(side) < 0.0 {
                falling = side;
            } else {
                rising = side;
            }
        }
        best
    }
}

impl Side {
    pub(super) fn new(corner: DVec2, next: DVec2) -> Self {
        let outward = -(next - corner).perp();
        let normal = direction(outward, outward.length()).unwrap_or_default();
        Self {
            corner,
            normal,
            offset: normal.dot(corner),
        }
    }

    /// Returns the height of a point above the line of the side.
    pub(super) fn above(&self, x: DVec2) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// Returns the side whose line is farthest below a point, and the distance.
fn largest_side(sides: &[Side], x: DVec2) -> (&Side, f64) {
    let mut largest = (&sides[0], f64::NEG_INFINITY);
    for side in sides {
        let value = side.above(x);
        if value > largest.1 {
            largest = (side, value);
        }
    }
    largest
}
