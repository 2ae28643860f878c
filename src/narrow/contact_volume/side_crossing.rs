//! Polygons in a common frame, and the points where their sides cross.

use std::cmp::Ordering;

use glam::DVec2;

use crate::math::predicates::{ORIENTATION_2D, leaves_side, side_of_line};
use crate::math::tolerance::two_to;
use crate::math::{Pose2, order_of_crossings};
use crate::shape::{Aabb, Polygon, winding_around};

/// Lines cross sharply if the determinant exceeds this part of the squared size. Each determinant
/// is rounded by less than 24 x 2^-52 of it.
const SHARP_CROSSING: f64 = two_to(-20);

/// A parameter along an edge whose crossing is [sharp](SHARP_CROSSING) has an error below 2^-27.
const CROSSING_PARAMETER: f64 = two_to(-26);

/// A point where a side of A crosses a side of B.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideCrossing {
    /// The sides of A and of B.
    pub(super) sides: [u32; 2],
    /// The position along each, from 0 to 1.
    pub(super) along: [f64; 2],
    /// Whether the angle is large enough for these positions to be accurate to 2^-27.
    pub(super) is_sharp: bool,
    pub(super) position: DVec2,
    /// Whether the boundary of A enters B here, and the boundary of B leaves A.
    pub(super) enters: bool,
    /// A bound of the distance of the position from the sides.
    pub(super) height: f64,
    /// A bound of 1 / sine of the angle between the sides.
    pub(super) slope: f64,
    pub(super) region: u32,
}

/// A polygon in the common frame.
pub(super) struct Outline<'a> {
    pub(super) polygon: &'a Polygon,
    pub(super) pose: Pose2,
    /// A box around the polygon.
    pub(super) bounds: Aabb<DVec2>,
    /// 1 if the symbolic perturbation moves this polygon, -1 if it moves the other one.
    pub(super) moves: f64,
}

impl Outline<'_> {
    #[inline]
    pub(super) fn corner(&self, index: u32) -> DVec2 {
        self.pose
            .transform_point(self.polygon.vertices()[index as usize])
    }

    #[inline]
    pub(super) fn side(&self, index: u32) -> [DVec2; 2] {
        [self.corner(index), self.corner(self.polygon.next(index))]
    }

    /// Returns how often the boundary winds around a point of the other polygon.
    pub(super) fn winding_around(&self, point: DVec2) -> i32 {
        winding_around(self.polygon.tree(), &self.pose, point, |side, way| {
            leaves_side(self.side(side), way, -self.moves)
        })
    }
}

/// Returns the crossing of a side of A and a side of B, if there is one.
#[inline]
pub(super) fn cross(sides: [u32; 2], ours: [DVec2; 2], theirs: [DVec2; 2]) -> Option<SideCrossing> {
    // An array's map is not inlined here.
    let [from, to] = ours;
    let of_a = [
        side_of_line(theirs, from, 1.0),
        side_of_line(theirs, to, 1.0),
    ];
    if (of_a[0] > 0.0) == (of_a[1] > 0.0) {
        return None;
    }
    let [p, q] = theirs;
    let of_b = [side_of_line(ours, p, -1.0), side_of_line(ours, q, -1.0)];
    if (of_b[0] > 0.0) == (of_b[1] > 0.0) {
        return None;
    }
    let (along_a, along_b) = (along(of_a), along(of_b));
    // A bound of the distances of the corners. The rounding of each `side_of` is less than 24 eps times
    // its square.
    let [ours, theirs] = [to - from, q - p].map(|side| side.abs().element_sum());
    let size = ours + theirs;
    // Interpolate from the nearer end.
    let position = if along_a <= 0.5 {
        from + (to - from) * along_a
    } else {
        to + (from - to) * along([of_a[1], of_a[0]])
    };
    Some(SideCrossing {
        sides,
        along: [along_a, along_b],
        is_sharp: (of_a[0] - of_a[1]).abs() > SHARP_CROSSING * size * size,
        position,
        enters: of_a[1] > 0.0,
        height: ORIENTATION_2D * size * size / ours.min(theirs),
        slope: ours * theirs / (of_a[0] - of_a[1]).abs(),
        region: 0,
    })
}

/// Returns whether a distance is 0 or infinitesimal.
fn is_zero(side: f64) -> bool {
    side.abs() <= f64::MIN_POSITIVE
}

/// Returns where a segment meets a line or a plane, from 0 to 1, given the sides that its ends are on.
#[inline]
pub(super) fn along([from, to]: [f64; 2]) -> f64 {
    if is_zero(from) {
        0.0
    } else if is_zero(to) {
        1.0
    } else {
        (from / (from - to)).clamp(0.0, 1.0)
    }
}

/// Compares two crossings of one side of body `index` along this side.
#[inline]
pub(super) fn along_the_side(
    index: usize,
    outlines: &[Outline; 2],
    a: &SideCrossing,
    b: &SideCrossing,
) -> Ordering {
    let (first, second) = (a.along[index], b.along[index]);
    if a.is_sharp && b.is_sharp && (first - second).abs() > CROSSING_PARAMETER {
        return first.total_cmp(&second);
    }
    let (own, other) = (&outlines[index], &outlines[1 - index]);
    // Lines as planes perpendicular to the common plane.
    let plane = |crossing: &SideCrossing| {
        let [from, to] = other.side(crossing.sides[1 - index]);
        [from.extend(0.0), to.extend(0.0), from.extend(1.0)]
    };
    let side = own.side(a.sides[index]).map(|p| p.extend(0.0));
    order_of_crossings(side, [plane(a), plane(b)], own.moves)
}
