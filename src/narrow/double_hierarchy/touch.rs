//! Which facets touch each other.

use super::Surface;
use crate::math::Vector;
use crate::math::tolerance::TOUCHING_FACETS;
use crate::shape::{Aabb, Feature};

/// Whether two facets have a vertex in common (one position counts as one), or a vertex of one
/// hangs on the other, to 2^-24 of their size or the precision of the mesh. `shift` is added to the first: 0, or from one
/// period to another.
pub(super) fn touch<S: Surface>(mesh: &S, a: u32, b: u32, shift: S::Vector) -> bool {
    if shift == S::Vector::ZERO {
        let mut touch = a == b;
        mesh.for_each_corner(a, |vertex| touch |= mesh.has(b, Feature::Vertex(vertex)));
        if touch {
            return true;
        }
    }
    let [box_a, box_b] = [a, b].map(|facet| mesh.facet_box(facet as usize));
    let size = box_a.size().length().max(box_b.size().length());
    let slack = (TOUCHING_FACETS * size).max(4.0 * mesh.precision());
    let wide = S::Vector::splat(slack);
    let wider = Aabb {
        min: box_a.min + shift - wide,
        max: box_a.max + shift + wide,
    };
    wider.touches(&box_b)
        && (hangs_on(mesh, a, b, shift, slack) || hangs_on(mesh, b, a, -shift, slack))
}

/// Whether a corner of a facet, shifted, is on another.
fn hangs_on<S: Surface>(mesh: &S, a: u32, b: u32, shift: S::Vector, slack: f64) -> bool {
    let mut hangs = false;
    mesh.for_each_corner(a, |vertex| {
        let (closest, _) = mesh.closest(b, mesh.position(vertex) + shift);
        hangs |= closest.distance_squared <= slack * slack;
    });
    hangs
}
