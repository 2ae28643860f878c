//! Facets that touch each other.

use super::mesh::WallIndex;
use crate::math::Vector;
use crate::math::tolerance::two_to;
use crate::shape::Aabb;

/// Facets closer to each other touch, relative to the size of the larger facet.
const TOUCHING_FACETS: f64 = two_to(-24);

/// Returns whether two facets, given by their slots, have a common vertex, or a vertex of one lies on the other.
///
/// The tolerance is 2^-24 of their size, or the precision of the mesh. `shift` is added to the first
/// facet: 0, or a period.
pub(super) fn touch<I: WallIndex>(index: &I, a: u32, b: u32, shift: I::Vector) -> bool {
    if shift == I::Vector::ZERO {
        let mut touch = a == b;
        index.for_each_corner(a, |vertex| touch |= index.has_corner(b, vertex));
        if touch {
            return true;
        }
    }
    let [box_a, box_b] = [a, b].map(|slot| index.facet_box(slot));
    let size = box_a.size().length().max(box_b.size().length());
    let slack = (TOUCHING_FACETS * size).max(4.0 * index.precision());
    let wide = I::Vector::splat(slack);
    let wider = Aabb {
        min: box_a.min + shift - wide,
        max: box_a.max + shift + wide,
    };
    wider.touches(&box_b)
        && (hangs_on(index, a, b, shift, slack) || hangs_on(index, b, a, -shift, slack))
}

/// Returns whether a corner of a facet, shifted, is on another facet.
fn hangs_on<I: WallIndex>(index: &I, a: u32, b: u32, shift: I::Vector, slack: f64) -> bool {
    let mut hangs = false;
    index.for_each_corner(a, |vertex| {
        let (closest, _) = index.closest(b, index.position(vertex) + shift);
        hangs |= closest.distance_squared <= slack * slack;
    });
    hangs
}
