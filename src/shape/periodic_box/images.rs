//! Which images of bodies touch or come near.

use super::PeriodicBox;
use crate::math::Vector;
use crate::math::tolerance::IMAGE_INDEX;
use crate::shape::Sphere;

impl<V: Vector> PeriodicBox<V> {
    /// Whether two spheres or any of their images touch.
    ///
    /// With a and b wrapped into the box, and S the lattice vectors whose image vector is
    /// lexicographically positive: a touches b, or a + S (rounded) touches b, or b + S touches a.
    /// Each is decided exactly ([`Sphere::touches`]); only the image is rounded, once.
    pub fn touches(&self, a: &Sphere<V>, b: &Sphere<V>) -> bool {
        let wrapped = |sphere: &Sphere<V>| Sphere::new(self.wrap(sphere.center), sphere.radius);
        let (a, b) = (&wrapped(a), &wrapped(b));
        let is_positive = |image: [i32; 3]| image > [0; 3];
        a.touches(b)
            || !self.is_far_from_images(a, b)
                && (self.image_touches(a, b, is_positive) || self.image_touches(b, a, is_positive))
    }

    /// Whether two spheres or their images touch for sure, and whether they may, without branches.
    #[inline]
    pub(crate) fn touches_roughly(&self, a: &Sphere<V>, b: &Sphere<V>) -> (bool, bool) {
        let is_inside = self.contains(a.center) & self.contains(b.center);
        let (is_sure, is_possible) = a.touches_roughly(b);
        let may_be_images = !(is_inside & self.is_far_from_images(a, b));
        (is_sure & is_inside, is_possible | may_be_images)
    }

    /// Whether two spheres of the box are too near each other for images of them to touch. False
    /// for NaN.
    #[inline]
    fn is_far_from_images(&self, a: &Sphere<V>, b: &Sphere<V>) -> bool {
        let (reach, delta) = (a.radius + b.radius, b.center - a.center);
        let is_far = |axis: usize| delta[axis].abs() + reach < self.far[axis];
        (0..V::DIM).fold(true, |all, axis| all & is_far(axis))
    }

    /// Whether `b` touches one of the selected images of `a`. Both are in the box.
    pub(crate) fn image_touches(
        &self,
        a: &Sphere<V>,
        b: &Sphere<V>,
        is_selected: impl Fn([i32; 3]) -> bool,
    ) -> bool {
        let reach = round_up(a.radius + b.radius);
        // No need to look farther than where the nearest image must be.
        let mut extent = 0.0;
        let reaches = V::from_fn(|axis| {
            let is_tilted = self.tilts != [0.0; 3];
            extent = self.sides[axis] + if is_tilted { extent } else { 0.0 };
            reach.min(extent)
        });
        self.any_image(
            a.center,
            [b.center - reaches, b.center + reaches],
            |image, center| is_selected(image) && Sphere::new(center, a.radius).touches(b),
        )
    }

    /// Whether `test` holds for one of the images of a point of the box within bounds (which do
    /// not matter along axes that are not periodic). Ends with the first one.
    pub(crate) fn any_image(
        &self,
        point: V,
        [low, high]: [V; 2],
        mut test: impl FnMut([i32; 3], V) -> bool,
    ) -> bool {
        let place = |counts: [f64; 3], axis: usize| {
            let shift = self.tilt_shift(counts, axis) + counts[axis] * self.sides[axis];
            point[axis] + shift
        };
        let candidates = |counts: [f64; 3], axis: usize| {
            let (from, to) = if axis < V::DIM && self.is_periodic[axis] {
                // A little more than those within bounds; `within` decides.
                let start = place(counts, axis);
                let first = (low[axis] - start) / self.sides[axis] - IMAGE_INDEX;
                let last = (high[axis] - start) / self.sides[axis] + IMAGE_INDEX;
                (first.ceil() as i32, last.floor() as i32)
            } else {
                (0, 0)
            };
            from..=to
        };
        let within = |counts: [f64; 3], axis: usize| {
            axis >= V::DIM
                || !self.is_periodic[axis]
                || (low[axis]..=high[axis]).contains(&place(counts, axis))
        };
        for k in candidates([0.0; 3], 2) {
            let counts = [0.0, 0.0, f64::from(k)];
            if !within(counts, 2) {
                continue;
            }
            for j in candidates(counts, 1) {
                let counts = [0.0, f64::from(j), f64::from(k)];
                if !within(counts, 1) {
                    continue;
                }
                for i in candidates(counts, 0) {
                    let counts = [i, j, k].map(f64::from);
                    let image = || V::from_fn(|axis| place(counts, axis));
                    if within(counts, 0) && test([i, j, k], image()) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Where the images of a body of the box have to be to touch another body of the box; `None`
    /// if none of them is there.
    #[inline]
    pub(crate) fn reach_of_images(&self, center: V, reach: f64) -> Option<[V; 2]> {
        let reach = V::splat(round_up(reach));
        let (low, high) = (self.min - reach, self.max + reach);
        // A lattice vector is at least one side along the last axis that it has a part of.
        let is_near = (0..V::DIM).any(|axis| {
            self.is_periodic[axis]
                && (center[axis] + self.sides[axis] <= high[axis]
                    || center[axis] - self.sides[axis] >= low[axis])
        });
        is_near.then_some([low, high])
    }
}

/// A sum of radii, not below the exact one.
fn round_up(reach: f64) -> f64 {
    reach * (1.0 + f64::EPSILON)
}
