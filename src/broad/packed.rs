//! Bounding spheres in single precision, stored by component for tests of several spheres at a time.

use std::ops::Range;

use super::simd::GROUP;
use crate::math::tolerance::two_to;
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// The largest scaled length for which single precision is used. Larger or more distant spheres need the exact test.
const MAX_EXTENT: f64 = two_to(17);
/// Periodic images of bodies are queries up to two radii, of less than 2 each, beyond the faces of the box.
const BEYOND: f64 = 8.0;
/// The slack of a distance in single precision, relative to the largest scaled coordinate.
const PACKED_ABSOLUTE: f32 = two_to(-22) as f32;
/// The same, relative to the sum of the radii.
const PACKED_RELATIVE: f32 = two_to(-20) as f32;

/// The scale of packed spheres: the largest radius is in [1, 2), and positions are relative to the middle of
/// the bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale<V> {
    middle: V,
    scale: f64,
    /// The largest scaled coordinate of a body and of a query [`BEYOND`] the bodies, at most [`MAX_EXTENT`].
    extent: f64,
}

impl<V: Vector> Scale<V> {
    /// Returns the scale for bodies mostly inside `bounds`, around `middle`.
    pub(super) fn new(middle: V, bounds: &Aabb<V>, largest_radius: f64) -> Self {
        let half_extent = (0..V::DIM).fold(0.0, |half: f64, axis| {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            half.max(max - middle[axis]).max(middle[axis] - min)
        });
        // Points fit any scale that keeps coordinates small.
        let unit = if largest_radius > 0.0 {
            largest_radius
        } else {
            half_extent.max(MIN_LENGTH)
        };
        // 2^-e for a unit in [2^e, 2^(e+1)): the biased exponents of x and 1/x add up to 2046.
        let scale = f64::from_bits((2046 << 52) - (unit.to_bits() & (2047 << 52)));
        Self {
            middle,
            scale,
            extent: (half_extent * scale + BEYOND).min(MAX_EXTENT),
        }
    }

    /// Rounds a sphere to single precision: the center, then the radius.
    #[inline]
    pub(super) fn pack(&self, sphere: &Sphere<V>) -> [f32; 4] {
        let scaled = (sphere.center - self.middle) * self.scale;
        let radius = sphere.radius * self.scale;
        let mut packed = [0.0, 0.0, 0.0, radius as f32];
        let mut is_near = (0.0..=MAX_EXTENT).contains(&radius);
        for axis in 0..V::DIM {
            is_near &= scaled[axis].abs() <= self.extent;
            packed[axis] = scaled[axis] as f32;
        }
        if is_near { packed } else { UNKNOWN }
    }

    /// Prepares a packed sphere for tests against spheres of radii up to `largest`.
    #[inline]
    pub(super) fn query(&self, [x, y, z, radius]: [f32; 4], largest: f32) -> Query {
        let slack = self.extent as f32 * PACKED_ABSOLUTE + (radius + largest) * PACKED_RELATIVE;
        Query {
            center: [x, y, z],
            upper: radius + slack,
            lower: radius - slack,
        }
    }

    /// Scales a radius, rounded up.
    pub(super) fn radius(&self, radius: f64) -> f32 {
        ((radius * self.scale) as f32).next_up()
    }
}

/// A packed sphere for which every test is inconclusive, since comparisons with NaN are false.
const UNKNOWN: [f32; 4] = [0.0, 0.0, 0.0, f32::NAN];

/// A sphere to be tested against packed spheres.
///
/// `upper` and `lower` are the radius plus and minus a slack. Spheres are certainly separated if the computed
/// distance exceeds `upper + other radius`, and certainly touch if it is below `lower + other radius`.
///
/// Proof. All lengths are scaled, R is the sum of the radii. A coordinate of magnitude up to `extent` is rounded
/// by at most 2^-24 extent, which changes the distance by less than 2^-22 extent. If the distance is close to
/// R, the roundings of the differences, squares, sums and radii amount to less than 8 x 2^-24 R. The slack is
/// 2^-22 extent + 2^-20 (radius + the largest other radius), which exceeds their sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) center: [f32; 3],
    pub(super) upper: f32,
    pub(super) lower: f32,
}

/// Packed spheres by component (x, y, z, radius), with [`GROUP`] unused ones at the end, so that a group can start at
/// any sphere.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedSpheres([Vec<f32>; 4]);

/// The components of packed spheres: slices of the same length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<'a>([&'a [f32]; 4]);

/// Mutable components of a range of packed spheres.
#[derive(Debug)]
pub(super) struct LanesMut<'a>([&'a mut [f32]; 4]);

impl PackedSpheres {
    /// Sets the number of spheres. Their values are unspecified.
    pub(super) fn resize(&mut self, count: usize) {
        for lane in &mut self.0 {
            super::resize(lane, count + GROUP);
        }
    }

    /// Returns the mutable components of a range.
    #[inline(always)]
    pub(super) fn lanes_mut(&mut self, range: Range<usize>) -> LanesMut<'_> {
        LanesMut(self.0.each_mut().map(|lane| &mut lane[range.clone()]))
    }

    /// Divides a range into mutable chunks of `count` spheres, for parallel writes.
    #[cfg(feature = "rayon")]
    pub(super) fn par_chunks_mut(
        &mut self,
        range: Range<usize>,
        count: usize,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = LanesMut<'_>> {
        use rayon::prelude::*;
        let lanes = self.0.each_mut();
        let [x, y, z, radius] = lanes.map(|lane| lane[range.clone()].par_chunks_mut(count));
        let chunks = x.zip(y).zip(z.zip(radius));
        chunks.map(|((x, y), (z, radius))| LanesMut([x, y, z, radius]))
    }

    /// Returns the components of all spheres.
    #[inline(always)]
    pub(super) fn lanes(&self) -> Lanes<'_> {
        // Equal lengths, visibly to the compiler.
        let length = self.0[0].len();
        Lanes(self.0.each_ref().map(|lane| &lane[..length]))
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.0.iter().map(Vec::capacity).sum::<usize>()
    }
}

impl<'a> Lanes<'a> {
    /// Returns a packed sphere.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> [f32; 4] {
        self.0.map(|lane| lane[i])
    }

    /// Returns the components of the group that starts at sphere `at`, if it is complete.
    #[inline(always)]
    pub(super) fn group(&self, at: usize) -> Option<[&'a [f32; GROUP]; 4]> {
        let group = |lane: &'a [f32]| lane.get(at..)?.first_chunk();
        let [x, y, z, radius] = self.0;
        Some([group(x)?, group(y)?, group(z)?, group(radius)?])
    }

    /// Returns pointers to the components of the group that starts at sphere `at`, if it is complete.
    #[inline(always)]
    pub(super) fn pointers(&self, at: usize) -> Option<[*const f32; 4]> {
        // One check for all lanes, which have the same length.
        at.checked_add(GROUP)
            .filter(|&end| end <= self.0[0].len())?;
        Some(self.0.map(|lane| lane.as_ptr().wrapping_add(at)))
    }
}

impl<'a> LanesMut<'a> {
    /// Returns the places of the spheres, one after another.
    #[inline(always)]
    pub(super) fn each(self) -> impl Iterator<Item = [&'a mut f32; 4]> {
        let [x, y, z, radius] = self.0.map(|lane| lane.iter_mut());
        let places = x.zip(y).zip(z.zip(radius));
        places.map(|((x, y), (z, radius))| [x, y, z, radius])
    }
}

/// Writes the components of a packed sphere.
#[inline(always)]
pub(super) fn set(place: [&mut f32; 4], sphere: [f32; 4]) {
    place
        .into_iter()
        .zip(sphere)
        .for_each(|(lane, value)| *lane = value);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::marker::PhantomData;

    use super::*;
    use crate::broad::simd::{self, Four, Task, Width};
    use crate::testing::workload::SplitMix64;
    use glam::{DVec2, DVec3};

    /// Collects the results of all tests.
    struct Verdicts<'a, V> {
        query: &'a Query,
        lanes: Lanes<'a>,
        count: usize,
        found: &'a RefCell<Vec<[bool; 2]>>,
        space: PhantomData<V>,
    }

    impl<V: Vector> Task for Verdicts<'_, V> {
        fn run<W: Width>(self) {
            for at in (0..self.count).step_by(GROUP) {
                let count = GROUP.min(self.count - at);
                let group = W::load(&self.lanes, at).unwrap();
                let bits = W::test::<V>(self.query, &group, count as isize);
                let verdict = |i: usize| bits.map(|bits| bits >> i & 1 == 1);
                self.found.borrow_mut().extend((0..count).map(verdict));
                assert!(bits.iter().all(|bits| bits >> count == 0));
                assert_eq!(W::test::<V>(self.query, &group, 0), [0; 2]);
                assert_eq!(W::test::<V>(self.query, &group, -1), [0; 2]);
            }
        }
    }

    fn around<V: Vector>(middle: V, extent: f64) -> Aabb<V> {
        Aabb {
            min: middle - V::splat(extent),
            max: middle + V::splat(extent),
        }
    }

    /// Returns a random sphere within an extent: a point, of the largest radius, or smaller; a few are outside.
    fn random_sphere<V: Vector>(random: &mut SplitMix64, extent: f64, ratio: f64) -> Sphere<V> {
        let far = if random.below(20) == 0 { 4.0 } else { 1.0 };
        let center = V::from_fn(|_| random.range(-extent, extent) * far);
        let radius = match random.below(5) {
            0 => 0.0,
            1 => 1.0,
            _ => ratio.powf(-random.unit()),
        };
        Sphere::new(center, radius)
    }

    /// Returns a sphere that nearly touches `a`, with a relative gap of 1e-17 to 0.1 of either sign.
    fn near_tie<V: Vector>(random: &mut SplitMix64, a: &Sphere<V>, radius: f64) -> Sphere<V> {
        let mut direction = V::from_fn(|_| random.range(-1.0, 1.0));
        if random.below(2) == 0 {
            direction = V::X;
        }
        let direction = direction * (1.0 / direction.length());
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let off = 1.0 + sign * 10.0_f64.powf(random.range(-17.0, -1.0));
        Sphere::new(a.center + direction * ((a.radius + radius) * off), radius)
    }

    /// The largest radius is scaled to [1, 2), rounded up.
    #[test]
    fn radii_are_scaled() {
        for largest in [1e-30, 0.7, 3.0] {
            let scale = Scale::new(DVec2::ZERO, &around(DVec2::ZERO, largest), largest);
            let scaled = f64::from(scale.radius(largest));
            assert!((1.0..2.001).contains(&scaled));
            let ratio = f64::from(scale.radius(0.3 * largest)) / scaled;
            assert!((ratio - 0.3).abs() < 1e-6, "{ratio}");
        }
    }

    fn check_verdicts<V: Vector>(seed: u64) {
        let mut random = SplitMix64::new(seed);
        let (mut sure, mut total) = (0, 0);
        for case in 0..3000 {
            let unit = 2.0_f64.powi(random.below(300) as i32 - 150) * random.range(1.0, 2.0);
            let ratio = 10.0_f64.powf(random.range(0.0, 9.0));
            // Every third case has a tiny extent, so that only the slack of the radii remains.
            let is_narrow = case % 3 == 0;
            let most = if is_narrow { 0.1 } else { 11.0 };
            let extent = 2.0_f64.powf(random.range(-3.0, most));
            let middle = V::from_fn(|_| random.range(-1.0, 1.0) * extent * unit);
            let scaled = |s: Sphere<V>| Sphere::new(middle + s.center * unit, s.radius * unit);
            let mut a: Sphere<V> = random_sphere(&mut random, extent, ratio);
            if case % 10 == 0 {
                // A query, unlike a body, may be larger than the largest radius.
                a.radius *= 10.0_f64.powf(random.range(0.0, 4.0));
            }
            if is_narrow {
                a.radius = a.radius.max(1.0);
            }
            let scale = Scale::new(middle, &around(middle, extent * unit), unit);
            let a = scaled(a);
            let others: Vec<Sphere<V>> = (0..19)
                .map(|i| {
                    let mut b = random_sphere(&mut random, extent, ratio);
                    if is_narrow {
                        b.radius = 1.0;
                    }
                    let b = scaled(b);
                    match i % 4 {
                        0 => b,
                        _ => near_tie(&mut random, &a, b.radius),
                    }
                })
                .collect();
            let mut packed = PackedSpheres::default();
            packed.resize(others.len());
            let places = packed.lanes_mut(0..others.len()).each();
            for (place, other) in places.zip(&others) {
                set(place, scale.pack(other));
            }
            let largest = others.iter().fold(0.0, |r: f64, b| r.max(b.radius));
            let query = scale.query(scale.pack(&a), scale.radius(largest));
            let found = RefCell::new(Vec::new());
            let count = others.len();
            simd::run_each(|| Verdicts::<V> {
                query: &query,
                lanes: packed.lanes(),
                count,
                found: &found,
                space: PhantomData,
            });
            for (i, [may, surely]) in found.into_inner().into_iter().enumerate() {
                let b = &others[i % count];
                let touches = a.touches(b);
                assert!(may || !touches, "{a:?} {b:?} {scale:?}");
                assert!(!surely || touches, "{a:?} {b:?} {scale:?}");
                sure += usize::from((i % count).is_multiple_of(4) && may == surely);
                total += usize::from((i % count).is_multiple_of(4));
            }
        }
        // Single precision decides most pairs that are no near ties.
        assert!(4 * sure > 3 * total, "{sure} of {total}");
    }

    #[test]
    fn what_is_sure_is_true() {
        check_verdicts::<DVec2>(1);
        check_verdicts::<DVec3>(2);
    }

    /// Single precision does not decide about far or large spheres.
    #[test]
    fn far_and_large_spheres_are_left_open() {
        let scale = Scale::new(DVec3::ONE, &around(DVec3::ONE, 1e9), 1.5);
        let open = [
            Sphere::new(DVec3::new(MAX_EXTENT + 1.5, 1.0, 1.0), 1.0),
            Sphere::new(DVec3::new(1.0, 1.0, -1e9), 0.0),
            Sphere::new(DVec3::ONE, MAX_EXTENT + 1.0),
        ];
        for sphere in open {
            assert!(scale.pack(&sphere)[3].is_nan());
            let query = scale.query(scale.pack(&sphere), 1.0);
            let mut packed = PackedSpheres::default();
            packed.resize(4);
            let mut places = packed.lanes_mut(0..2).each();
            set(places.next().unwrap(), [0.0; 4]);
            set(places.next().unwrap(), scale.pack(&sphere));
            drop(places);
            let group = Four::load(&packed.lanes(), 0).unwrap();
            let [may, surely] = Four::test::<DVec3>(&query, &group, 4);
            assert_eq!((may & 3, surely & 3), (3, 0));
        }
        let near = Sphere::new(DVec3::new(MAX_EXTENT + 1.0, 1.0, 1.0), MAX_EXTENT);
        assert_eq!(
            scale.pack(&near),
            [MAX_EXTENT as f32, 0.0, 0.0, MAX_EXTENT as f32]
        );
        assert!(scale.radius(1e-3) as f64 > 1e-3);
    }
}
