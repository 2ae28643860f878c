//! Which facets touch each other.

use super::mesh::WallIndex;
use crate::math::Vector;
use crate::shape::{Aabb, Feature};

/// What counts as touching, in parts of the size of the larger facet.
const SAME_PLACE: f64 = f64::from_bits((1023 - 24) << 52);

/// Whether two facets have a vertex in common (one position counts as one), or a vertex of one
/// hangs on the other, to 2^-24 of their size or the precision of the mesh. `shift` is added to the first: 0, or from one
/// period to another.
pub(super) fn touch<I: WallIndex>(index: &I, a: u32, b: u32, shift: I::Vector) -> bool {
    if shift == I::Vector::ZERO {
        let mut touch = a == b;
        index.for_each_corner(a, |vertex| touch |= index.has(b, Feature::Vertex(vertex)));
        if touch {
            return true;
        }
    }
    let [box_a, box_b] = [a, b].map(|facet| index.facet_box(facet));
    let size = box_a.size().length().max(box_b.size().length());
    let slack = (SAME_PLACE * size).max(4.0 * index.precision());
    let wide = I::Vector::splat(slack);
    let wider = Aabb {
        min: box_a.min + shift - wide,
        max: box_a.max + shift + wide,
    };
    wider.touches(&box_b)
        && (hangs_on(index, a, b, shift, slack) || hangs_on(index, b, a, -shift, slack))
}

/// Whether a corner of a facet, shifted, is on another.
fn hangs_on<I: WallIndex>(index: &I, a: u32, b: u32, shift: I::Vector, slack: f64) -> bool {
    let mut hangs = false;
    index.for_each_corner(a, |vertex| {
        let (closest, _) = index.closest(b, index.position(vertex) + shift);
        hangs |= closest.distance_squared <= slack * slack;
    });
    hangs
}
