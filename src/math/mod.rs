//! Vectors, rigid poses, closest points and exact signs.
//!
//! Vectors come from [`glam`]. Code for both 2D and 3D is generic over [`Vector`], which `DVec2` and `DVec3` implement.
//! A [`Pose`] takes a body to the world.
//!
//! Two kinds of functions are useful in your own kernels. [`closest_on_triangle`] and its relatives keep
//! their accuracy on needles, where textbook formulas lose all digits. [`orient2d`] and [`orient3d`] return
//! exact signs.
//!
//! # Domain
//! Coordinates must be within ±2^150, and lengths must be 0 or within [2^-150, 2^150]. No product of lengths
//! in a kernel then overflows or underflows. So all results scale exactly under powers of two.

mod angle;
mod clip;
mod closest;
mod eigen;
mod exact;
mod integer;
mod matrix_pose;
mod order;
mod pose;
pub(crate) mod predicates;
mod prefetch;
mod segments;
mod sphere_gap;
pub(crate) mod tolerance;
mod vector;
mod wide;

pub(crate) use angle::angle;
pub(crate) use clip::split_polygon;
pub(crate) use closest::plain_location;
pub use closest::{
    ClosestPoint, Location, closest_on_polygon, closest_on_segment, closest_on_triangle,
};
pub(crate) use closest::{from_origin_to_polygon, from_origin_to_segment, unit_normal};
pub(crate) use eigen::diagonalized;
pub(crate) use exact::{accurate_orient3d, cross_of_differences, cross_of_edges, two_sum};
pub use exact::{orient2d, orient3d};
pub(crate) use matrix_pose::MatrixPose;
pub(crate) use order::order_of_crossings;
pub use pose::{Pose, Pose2, Pose3, Rotation};
pub(crate) use prefetch::prefetch;
pub(crate) use segments::closest_on_segments;
pub(crate) use sphere_gap::{excess_of_reach, sphere_gap_sign};
pub use tolerance::{MAX_LENGTH, MIN_LENGTH};
pub use vector::Vector;
pub(crate) use vector::{lexicographic, outer};
pub(crate) use wide::{Wide, run_wide};

use std::ops::{Range, RangeInclusive};

use self::tolerance::two_to;
use crate::error::{Cause, Error, Result};

/// The largest number of bodies, vertices or facets in one structure.
pub const MAX_COUNT: usize = u32::MAX as usize - 1;

/// Checks that a parameter is within bounds. An error names it, and the bounds as `range`.
pub(crate) fn check_parameter(
    name: &'static str,
    value: f64,
    bounds: RangeInclusive<f64>,
    range: &'static str,
) -> Result<()> {
    if bounds.contains(&value) {
        Ok(())
    } else {
        Err(Error(Cause::Parameter { name, value, range }))
    }
}

/// Checks that a position is in the domain: not NaN or infinite, and within ±2^150. An error names the kind of the
/// element and, unless there is only one, its index.
#[inline]
pub(crate) fn check_position<V: Vector>(
    name: &'static str,
    index: Option<usize>,
    position: V,
) -> Result<()> {
    for axis in 0..V::DIM {
        let value = position[axis];
        let is_in_domain = value.abs() <= MAX_LENGTH;
        if !is_in_domain {
            return Err(Error(Cause::Coordinate {
                name,
                index,
                axis,
                value,
            }));
        }
    }
    Ok(())
}

/// Checks the number of positions and that they are in the domain. An error names the kind of element.
pub(crate) fn check_positions<V: Vector>(name: &'static str, positions: &[V]) -> Result<()> {
    check_count(positions.len())?;
    let mut positions = positions.iter().enumerate();
    positions.try_for_each(|(index, &position)| check_position(name, Some(index), position))
}

/// Vectors shorter than this are scaled by [`SHORT_VECTOR_SCALE`] before they are normalized: their
/// squared length may underflow.
const SHORT_VECTOR: f64 = two_to(-450);
/// Scales vectors shorter than 2^-450 so that neither their square nor the result over- or underflows.
const SHORT_VECTOR_SCALE: f64 = two_to(600);

/// Returns the unit vector along `v`, `None` if `v` is 0. Accurate also if the squared length underflows.
pub(crate) fn direction<V: Vector>(v: V, length: f64) -> Option<V> {
    if length >= SHORT_VECTOR {
        return Some(v * (1.0 / length));
    }
    let v = v * SHORT_VECTOR_SCALE;
    let length = v.length();
    (length > 0.0).then(|| v * (1.0 / length))
}

/// Returns whether a value is 0 or within [2^-150, 2^150]; false for NaN.
#[inline]
pub(crate) fn is_length(value: f64) -> bool {
    // Positive numbers have the order of their bits.
    let range = MIN_LENGTH.to_bits()..=MAX_LENGTH.to_bits();
    range.contains(&value.to_bits()) || value == 0.0
}

/// Returns a computed bound, rounded up to 2^-150 if it is positive and below the domain.
pub(crate) fn to_length(bound: f64) -> f64 {
    if bound > 0.0 {
        bound.max(MIN_LENGTH)
    } else {
        0.0
    }
}

/// Checks that a margin, tolerance or skin is a length.
pub(crate) fn check_length(name: &'static str, value: f64) -> Result<()> {
    if value == 0.0 {
        return Ok(());
    }
    check_length_in(name, value, MAX_LENGTH, "0 or within [2^-150, 2^150]")
}

/// Checks that a width or thickness is a length and not 0.
pub(crate) fn check_positive_length(name: &'static str, value: f64) -> Result<()> {
    check_length_in(name, value, MAX_LENGTH, "within [2^-150, 2^150]")
}

/// Checks that a value is within 2^-150 and `max`. An error names it, and the valid values as `range`.
pub(crate) fn check_length_in(
    name: &'static str,
    value: f64,
    max: f64,
    range: &'static str,
) -> Result<()> {
    if (MIN_LENGTH..=max).contains(&value) {
        Ok(())
    } else {
        Err(Error(Cause::Length { name, value, range }))
    }
}

/// Checks that a side of a facet is long enough to have a direction. The ends may coincide.
#[inline]
pub(crate) fn check_side<V: Vector>(facet: usize, vertex: u32, [from, to]: [V; 2]) -> Result<()> {
    let length = (from - to).length();
    if length < MIN_LENGTH && from != to {
        return Err(Error(Cause::SideTooShort {
            facet,
            vertex,
            length,
        }));
    }
    Ok(())
}

/// Returns the last number of a range up to which a condition holds, by bisection: its start if the
/// condition holds nowhere beyond.
pub(crate) fn last_where(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Checks that there are no more than [`MAX_COUNT`] elements.
///
/// # Errors
/// Returns [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) otherwise.
pub fn check_count(count: usize) -> Result<()> {
    if count > MAX_COUNT {
        Err(Error(Cause::TooMany { count }))
    } else {
        Ok(())
    }
}

/// Checks that no two bodies get the same new index, and that each is below [`MAX_COUNT`]. Bodies may be named more
/// than once.
pub(crate) fn check_new_indices(
    bodies: impl Iterator<Item = u32>,
    new_index: impl Fn(usize) -> Option<usize>,
) -> Result<()> {
    let moves = bodies.filter_map(|i| Some((new_index(i as usize)?, i as usize)));
    let mut moves: Vec<(usize, usize)> = moves.collect();
    moves.sort_unstable();
    moves.dedup();
    if let Some(&(largest, _)) = moves.last() {
        check_count(largest.saturating_add(1))?;
    }
    let same = moves.windows(2).find(|two| two[0].0 == two[1].0);
    same.map_or(Ok(()), |two| {
        Err(Error(Cause::SameNewIndex {
            index: two[0].1,
            other: two[1].1,
            new_index: two[0].0,
        }))
    })
}

/// Checks that the number of boxes or facets has not changed.
pub(crate) fn check_same_count(expected: usize, count: usize) -> Result<()> {
    if count == expected {
        Ok(())
    } else {
        Err(Error(Cause::CountChanged { count, expected }))
    }
}
