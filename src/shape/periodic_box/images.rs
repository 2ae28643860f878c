//! Periodic images of bodies that touch or come near.

use super::PeriodicBox;
use crate::math::Vector;
use crate::shape::Sphere;

/// Candidates for images reach this far beyond the bounds, in periods. An exact test follows.
const IMAGE_INDEX: f64 = 0.001;

impl<V: Vector> PeriodicBox<V> {
    /// Returns whether two spheres or any of their images touch.
    ///
    /// Let a and b be wrapped into the box, and S be a lattice vector with a lexicographically positive image
    /// index. The result is true if a touches b, a + S (rounded) touches b, or b + S touches a, for any S. Each
    /// test is exact ([`Sphere::touches`]); only the image is rounded, once.
    #[must_use]
    pub fn touches(&self, a: &Sphere<V>, b: &Sphere<V>) -> bool {
        let wrapped = |sphere: &Sphere<V>| Sphere::new(self.wrap(sphere.center), sphere.radius);
        let (a, b) = (&wrapped(a), &wrapped(b));
        let is_positive = |image: [i32; 3]| image > [0; 3];
        a.touches(b)
            || !self.is_far_from_images(a, b)
                && (self.image_touches(a, b, is_positive) || self.image_touches(b, a, is_positive))
    }

    /// Returns whether two spheres or their images certainly and whether they possibly touch, without branches.
    #[inline]
    pub(crate) fn touches_roughly(&self, a: &Sphere<V>, b: &Sphere<V>) -> (bool, bool) {
        let is_inside = self.contains(a.center) & self.contains(b.center);
        let (is_sure, is_possible) = a.touches_roughly(b);
        let may_be_images = !(is_inside & self.is_far_from_images(a, b));
        (is_sure & is_inside, is_possible | may_be_images)
    }

    /// Returns whether two spheres of the box are so close to each other that other images of them cannot touch.
    /// False for NaN.
    #[inline]
    fn is_far_from_images(&self, a: &Sphere<V>, b: &Sphere<V>) -> bool {
        let (reach, delta) = (a.radius + b.radius, b.center - a.center);
        let is_far = |axis: usize| delta[axis].abs() + reach < self.max_reach[axis];
        (0..V::DIM).fold(true, |all, axis| all & is_far(axis))
    }

    /// Returns whether `b` touches one of the selected images of `a`. Both are in the box.
    pub(crate) fn image_touches(
        &self,
        a: &Sphere<V>,
        b: &Sphere<V>,
        is_selected: impl Fn([i32; 3]) -> bool,
    ) -> bool {
        let reach = round_up(a.radius + b.radius);
        // The nearest image is within one side, in a tilted box within the sum of the sides so far.
        let mut extent = 0.0;
        let reaches = V::from_fn(|axis| {
            let is_tilted = self.tilts != [0.0; 3];
            extent = self.sides[axis] + if is_tilted { extent } else { 0.0 };
            reach.min(extent)
        });
        self.any_image(
            a.center,
            [b.center - reaches, b.center + reaches],
            &mut |image, center| is_selected(image) && Sphere::new(center, a.radius).touches(b),
        )
    }

    /// Returns whether `test` holds for an image of a point of the box within bounds. Stops at the first one.
    ///
    /// Bounds are ignored along axes that are not periodic. Periods are chosen from the last axis on, since a
    /// period along an axis shifts only along the axes before it.
    pub(crate) fn any_image(
        &self,
        point: V,
        [low, high]: [V; 2],
        test: &mut dyn FnMut([i32; 3], V) -> bool,
    ) -> bool {
        let place = |counts: [f64; 3], axis: usize| {
            let shift = self.tilt_shift(counts, axis) + counts[axis] * self.sides[axis];
            point[axis] + shift
        };
        let candidates = |counts: [f64; 3], axis: usize| {
            let (first, last) = if axis < V::DIM && self.is_periodic[axis] {
                // Slightly more than the images within bounds; `within` decides.
                let start = place(counts, axis);
                let first = (low[axis] - start) / self.sides[axis] - IMAGE_INDEX;
                let last = (high[axis] - start) / self.sides[axis] + IMAGE_INDEX;
                (first.ceil(), last.floor())
            } else {
                (0.0, 0.0)
            };
            // Far out, indices exceed an i32.
            (0..=(last - first) as i32).map(move |k| first + f64::from(k))
        };
        let within = |counts: [f64; 3], axis: usize| {
            axis >= V::DIM
                || !self.is_periodic[axis]
                || (low[axis]..=high[axis]).contains(&place(counts, axis))
        };
        for k in candidates([0.0; 3], 2) {
            let counts = [0.0, 0.0, k];
            if !within(counts, 2) {
                continue;
            }
            for j in candidates(counts, 1) {
                let counts = [0.0, j, k];
                if !within(counts, 1) {
                    continue;
                }
                for i in candidates(counts, 0) {
                    let counts = [i, j, k];
                    let image = || V::from_fn(|axis| place(counts, axis));
                    if within(counts, 0) && test(counts.map(|count| count as i32), image()) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Returns the bounds of images of a body that may touch a body in the box; `None` if no image is inside.
    #[inline]
    pub(crate) fn reach_of_images(&self, center: V, reach: f64) -> Option<[V; 2]> {
        let reach = V::splat(round_up(reach));
        let (low, high) = (self.min - reach, self.max + reach);
        // Along its last nonzero axis, a lattice vector is at least one side long.
        let is_near = (0..V::DIM).fold(false, |is_near, axis| {
            let far = self.max_reach[axis];
            is_near | (center[axis] + far < high[axis]) | (center[axis] - far > low[axis])
        });
        is_near.then_some([low, high])
    }
}

/// Rounds a sum of radii up.
fn round_up(reach: f64) -> f64 {
    reach * (1.0 + f64::EPSILON)
}
