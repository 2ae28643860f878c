//! The minima of the whole surface, from those of single facets.

use std::cmp::Ordering;

use super::mesh::WallIndex;
use super::search_result::{Ball, Minimum};
use crate::math::Vector;
use crate::math::tolerance::SAME_CONTACT;

/// Orders minima by distance, then by position, then by feature: facet order has no influence.
pub(super) fn order<V: Vector>(a: &Minimum<V>, b: &Minimum<V>) -> Ordering {
    let by = |axis: usize| a.offset[axis].total_cmp(&b.offset[axis]);
    let by_position = || (0..V::DIM).map(by).find(|order| order.is_ne());
    (a.distance_squared.total_cmp(&b.distance_squared))
        .then_with(|| by_position().unwrap_or(Ordering::Equal))
        .then_with(|| (a.part.feature, a.facet).cmp(&(b.part.feature, b.facet)))
}

/// Returns the distance below which two points are the same: the precision of the mesh, or rounding.
pub(super) fn same_point<I: WallIndex>(index: &I, reach: f64) -> f64 {
    index.common().noise.max(SAME_CONTACT * reach)
}

/// Returns whether a minimum lies on another facet that comes closer elsewhere.
#[inline]
pub(super) fn is_passed<I: WallIndex>(
    index: &I,
    minimum: &Minimum<I::Vector>,
    ball: Ball<I::Vector>,
) -> bool {
    let same = same_point(index, ball.reach);
    let point = ball.center + minimum.offset;
    let comes_closer = |slot: u32| {
        let (closest, _) = index.closest(slot, ball.center);
        closest.distance_squared < minimum.distance_squared
            && (closest.offset - minimum.offset).length_squared() > same * same
            && index.closest(slot, point).0.distance_squared <= same * same
    };
    let mut is_passed = false;
    index.for_each_host(minimum.part, point, |slot| {
        is_passed = is_passed || comes_closer(slot);
    });
    is_passed
}

/// Returns the point of some facets that is closest to a center.
#[cold]
pub(super) fn nearest<I: WallIndex>(
    index: &I,
    slots: &[u32],
    center: I::Vector,
) -> Option<Minimum<I::Vector>> {
    let minima = slots.iter().map(|&slot| {
        let (closest, part) = index.closest(slot, center);
        Minimum {
            part,
            facet: index.id(slot),
            offset: closest.offset,
            distance_squared: closest.distance_squared,
        }
    });
    minima.min_by(order)
}
