use super::rows::for_each_hit;
use super::{Pair, PeriodicBox, Sphere};
use crate::math::Vector;

/// A pair of a list, with the shift that brings its bodies next to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListedPair<V = glam::DVec3> {
    /// The body with the lower index.
    pub i: usize,
    /// The body with the higher index.
    pub j: usize,
    /// The lattice vector that takes body j to its image nearest to body i
    /// ([`PeriodicBox::nearest_shift`]). 0 without a periodic box.
    pub shift: V,
}

impl<V: Vector> ListedPair<V> {
    #[inline(always)]
    pub(super) fn new(
        i: usize,
        j: usize,
        spheres: &[Sphere<V>],
        periods: Option<&[PeriodicBox<V>; 2]>,
    ) -> Self {
        let shift = match periods {
            None => V::ZERO,
            Some([_, period]) => period.nearest_shift(spheres[j].center, spheres[i].center),
        };
        Self { i, j, shift }
    }
}

/// Visits the pairs that touch, in the box of the last update if there is one.
///
/// Always inlined, as is `ListedPair::new`, so that `periods` is tested once and not for each pair.
#[inline(always)]
pub(super) fn for_each_touching<V: Vector, T>(
    rows: (&[Pair], &mut [T]),
    spheres: &[Sphere<V>],
    periods: Option<&[PeriodicBox<V>; 2]>,
    visit: impl FnMut(usize, usize, &mut T),
) {
    match periods {
        None => for_each_hit(
            rows,
            spheres,
            Sphere::touches_roughly,
            Sphere::touches,
            visit,
        ),
        Some([_, period]) => for_each_hit(
            rows,
            spheres,
            |a, b| period.touches_roughly(a, b),
            |a, b| period.touches(a, b),
            visit,
        ),
    }
}
