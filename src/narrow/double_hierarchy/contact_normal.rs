//! The contact at a minimum: its normal, and whether the center is in front of the wall there.

use super::contact::WallContact;
use super::mesh::WallIndex;
use super::minima::{Minimum, Part};
use crate::math::{Vector, direction, lexicographic};
use crate::shape::Feature;

/// Returns the contact at a minimum, in the coordinates of the mesh.
#[inline]
pub(super) fn contact_at<I: WallIndex>(
    index: &I,
    center: I::Vector,
    radius: f64,
    minimum: &Minimum<I::Vector>,
) -> WallContact<I::Vector> {
    let Minimum { part, offset, .. } = *minimum;
    let distance = minimum.distance_squared.sqrt();
    let normal = match part.feature {
        // The normal of the plane keeps digits that a short offset has lost.
        Feature::Facet(_) if distance > 0.0 => {
            let front = index.normal(part.at);
            front * front.dot(offset).signum()
        }
        _ => direction(offset, distance).unwrap_or_else(|| into_wall(index, part)),
    };
    WallContact {
        offset,
        point: center + offset,
        normal,
        overlap: radius - distance,
        feature: part.feature,
        facet: minimum.facet,
    }
}

/// Returns whether a center is in front of one of the facets at a minimum, or on it. A facet without area has fronts
/// only.
#[inline]
pub(super) fn is_in_front<I: WallIndex>(index: &I, minimum: &Minimum<I::Vector>) -> bool {
    let (mut has_area, mut is_front) = (false, false);
    index.for_each_facet_at(minimum.part, |slot| {
        let normal = index.normal(slot);
        if normal != I::Vector::ZERO {
            has_area = true;
            is_front |= normal.dot(minimum.offset) <= 0.0;
        }
    });
    is_front || !has_area
}

/// Returns the direction into the wall for a center on it: against the normal whose line is last in lexicographic order.
///
/// A line has no direction, so reversed facets give the same line. Of opposite normals the order of the facets must not
/// choose: the last one counts.
#[cold]
fn into_wall<I: WallIndex>(index: &I, part: Part) -> I::Vector {
    let line = |normal: I::Vector| {
        let is_low = lexicographic(normal, I::Vector::ZERO).is_lt();
        if is_low { -normal } else { normal }
    };
    let mut last = I::Vector::ZERO;
    index.for_each_facet_at(part, |slot| {
        let normal = index.normal(slot);
        let by_line = lexicographic(line(normal), line(last));
        if by_line.then(lexicographic(normal, last)).is_gt() {
            last = normal;
        }
    });
    if last == I::Vector::ZERO {
        I::Vector::X
    } else {
        -last
    }
}
