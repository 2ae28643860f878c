//! Spheres in single precision, by component, and what a test of theirs can say for sure.

use std::ops::Range;

use super::simd::GROUP;
use crate::math::tolerance::{PACKED_ABSOLUTE_F32, PACKED_RELATIVE_F32, two_to};
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// The largest scaled length of which single precision is asked; what is larger or farther is
/// left to the exact test.
const FAR: f64 = two_to(17);

/// Lengths are scaled so that the largest radius is in [1, 2), and measured from the middle of
/// the bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale<V> {
    middle: V,
    scale: f64,
    /// The largest scaled coordinate that occurs, at most [`FAR`].
    extent: f64,
}

impl<V: Vector> Scale<V> {
    /// For bodies in a box, most of them around its middle, and maybe some outside.
    pub(super) fn new(middle: V, bounds: &Aabb<V>, largest_radius: f64) -> Self {
        let half_extent = (0..V::DIM).fold(0.0, |half: f64, axis| {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            half.max(max - middle[axis]).max(middle[axis] - min)
        });
        // Without radii any scale does that keeps coordinates small.
        let unit = if largest_radius > 0.0 {
            largest_radius
        } else {
            half_extent.max(MIN_LENGTH)
        };
        // A power of two: the exponent of the unit, negated.
        let scale = f64::from_bits((2046 << 52) - (unit.to_bits() & (2047 << 52)));
        Self {
            middle,
            scale,
            extent: (half_extent * scale).clamp(1.0, FAR),
        }
    }

    /// A sphere in single precision: its centre, then its radius.
    #[inline]
    pub(super) fn pack(&self, sphere: &Sphere<V>) -> [f32; 4] {
        let scaled = (sphere.center - self.middle) * self.scale;
        let radius = sphere.radius * self.scale;
        let mut packed = [0.0, 0.0, 0.0, radius as f32];
        let mut is_near = (0.0..=FAR).contains(&radius);
        for axis in 0..V::DIM {
            is_near &= scaled[axis].abs() <= self.extent;
            packed[axis] = scaled[axis] as f32;
        }
        if is_near { packed } else { UNKNOWN }
    }

    /// Whether a packed sphere is one of which nothing is known: it is far, or no sphere at all.
    pub(super) fn is_unknown([.., radius]: [f32; 4]) -> bool {
        radius.is_nan()
    }

    /// A packed sphere to be tested against others of radii up to `largest`.
    #[inline]
    pub(super) fn query(&self, [x, y, z, radius]: [f32; 4], largest: f32) -> Query {
        let slack =
            self.extent as f32 * PACKED_ABSOLUTE_F32 + (radius + largest) * PACKED_RELATIVE_F32;
        Query {
            center: [x, y, z],
            upper: radius + slack,
            lower: radius - slack,
        }
    }

    /// A radius in the scale of packed spheres, rounded up.
    pub(super) fn radius(&self, radius: f64) -> f32 {
        ((radius * self.scale) as f32).next_up()
    }
}

/// A packed sphere of which no test says anything for sure: comparisons with NaN are false.
const UNKNOWN: [f32; 4] = [0.0, 0.0, 0.0, f32::NAN];

/// A sphere to be tested against packed ones.
///
/// With `upper` and `lower` the radius plus and minus a slack, the spheres do not touch if the
/// computed distance is above `upper + other radius`, and do if it is below `lower + other
/// radius`. Proof: scaled, a coordinate up to `extent` is rounded by at most 2^-24 extent, so the
/// distance changes by less than 2^-22 extent. Where it is compared with a sum R of radii that it
/// is close to, the roundings of the differences, squares and sums and those of the radii amount
/// to less than 8 x 2^-24 R together. The slack is 2^-22 extent + 2^-20 (radius + the largest
/// other radius).
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) center: [f32; 3],
    pub(super) upper: f32,
    pub(super) lower: f32,
}

/// Packed spheres by component, and some more, so that a test of many may read beyond the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius: Vec<f32>,
}

/// Its components: slices of one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<'a> {
    x: &'a [f32],
    y: &'a [f32],
    z: &'a [f32],
    radius: &'a [f32],
}

/// Its components, to be set.
#[derive(Debug)]
pub(super) struct LanesMut<'a> {
    x: &'a mut [f32],
    y: &'a mut [f32],
    z: &'a mut [f32],
    radius: &'a mut [f32],
}

impl Packed {
    /// Makes room for so many; what they are stays open.
    pub(super) fn resize(&mut self, count: usize) {
        for lane in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
            super::resize(lane, count + GROUP);
        }
    }

    /// The components of a range, to be set.
    #[inline(always)]
    pub(super) fn lanes_mut(&mut self, range: Range<usize>) -> LanesMut<'_> {
        LanesMut {
            x: &mut self.x[range.clone()],
            y: &mut self.y[range.clone()],
            z: &mut self.z[range.clone()],
            radius: &mut self.radius[range],
        }
    }

    /// The components of ranges of so many, to be set from 0 on.
    #[cfg(feature = "rayon")]
    pub(super) fn par_chunks_mut(
        &mut self,
        range: Range<usize>,
        count: usize,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = LanesMut<'_>> {
        use rayon::prelude::*;
        let lanes = [&mut self.x, &mut self.y, &mut self.z, &mut self.radius];
        let [x, y, z, radius] = lanes.map(|lane| lane[range.clone()].par_chunks_mut(count));
        let chunks = x.zip(y).zip(z.zip(radius));
        chunks.map(|((x, y), (z, radius))| LanesMut { x, y, z, radius })
    }

    #[inline(always)]
    pub(super) fn lanes(&self) -> Lanes<'_> {
        let length = self.x.len();
        Lanes {
            x: &self.x[..length],
            y: &self.y[..length],
            z: &self.z[..length],
            radius: &self.radius[..length],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * [&self.x, &self.y, &self.z, &self.radius]
            .map(Vec::capacity)
            .iter()
            .sum::<usize>()
    }
}

impl<'a> Lanes<'a> {
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> [f32; 4] {
        [self.x[i], self.y[i], self.z[i], self.radius[i]]
    }

    /// A group of each from `at` on, if there are so many.
    #[inline(always)]
    pub(super) fn group(&self, at: usize) -> Option<[&'a [f32; GROUP]; 4]> {
        let group = |lane: &'a [f32]| lane.get(at..)?.first_chunk();
        Some([
            group(self.x)?,
            group(self.y)?,
            group(self.z)?,
            group(self.radius)?,
        ])
    }

    /// Where this group starts.
    #[inline(always)]
    pub(super) fn pointers(&self, at: usize) -> Option<[*const f32; 4]> {
        // One question for all: they are of one length.
        at.checked_add(GROUP).filter(|&end| end <= self.x.len())?;
        let [x, y] = [self.x.as_ptr(), self.y.as_ptr()].map(|start| start.wrapping_add(at));
        let [z, radius] =
            [self.z.as_ptr(), self.radius.as_ptr()].map(|start| start.wrapping_add(at));
        Some([x, y, z, radius])
    }
}

/// Sets the components of a sphere.
#[inline(always)]
pub(super) fn set(place: [&mut f32; 4], sphere: [f32; 4]) {
    place
        .into_iter()
        .zip(sphere)
        .for_each(|(lane, value)| *lane = value);
}

impl<'a> LanesMut<'a> {
    /// The components of each sphere.
    #[inline(always)]
    pub(super) fn each(self) -> impl Iterator<Item = [&'a mut f32; 4]> {
        let (xy, zr) = (
            self.x.iter_mut().zip(self.y),
            self.z.iter_mut().zip(self.radius),
        );
        xy.zip(zr).map(|((x, y), (z, radius))| [x, y, z, radius])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::simd::{self, Four, Task, Width};
    use crate::testing::workload::SplitMix64;
    use glam::{DVec2, DVec3};

    /// Four or eight at a time, whichever it is run with.
    struct Verdicts<'a, const FLAT: bool> {
        query: &'a Query,
        lanes: Lanes<'a>,
        count: usize,
        found: &'a mut Vec<[bool; 2]>,
    }

    impl<const FLAT: bool> Task for Verdicts<'_, FLAT> {
        fn run<W: Width>(self) {
            for at in (0..self.count).step_by(GROUP) {
                let count = GROUP.min(self.count - at);
                let group = W::load(&self.lanes, at).unwrap();
                let bits = W::test::<FLAT>(self.query, &group, count);
                let verdict = |i: usize| bits.map(|bits| bits >> i & 1 == 1);
                self.found.extend((0..count).map(verdict));
                assert!(bits.iter().all(|bits| bits >> GROUP == 0));
            }
        }
    }

    fn around<V: Vector>(middle: V, extent: f64) -> Aabb<V> {
        Aabb {
            min: middle - V::splat(extent),
            max: middle + V::splat(extent),
        }
    }

    /// Random spheres up to an extent: points, tiny, equal, and some that are out of range.
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

    /// A sphere that all but touches another: at a distance of all digits but some.
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

    /// In [1, 2) for the largest, rounded up.
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

    fn check_verdicts<V: Vector, const FLAT: bool>(seed: u64) {
        let mut random = SplitMix64::new(seed);
        let (mut sure, mut total) = (0, 0);
        for case in 0..3000 {
            let unit = 2.0_f64.powi(random.below(300) as i32 - 150) * random.range(1.0, 2.0);
            let ratio = 10.0_f64.powf(random.range(0.0, 9.0));
            // Now and then as close together as can be, which leaves the slack of radii alone.
            let is_narrow = case % 3 == 0;
            let most = if is_narrow { 0.1 } else { 11.0 };
            let extent = 2.0_f64.powf(random.range(-3.0, most));
            let middle = V::from_fn(|_| random.range(-1.0, 1.0) * extent * unit);
            let scaled = |s: Sphere<V>| Sphere::new(middle + s.center * unit, s.radius * unit);
            let mut a: Sphere<V> = random_sphere(&mut random, extent, ratio);
            if case % 10 == 0 {
                // Only a query may be larger than the largest.
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
            let mut packed = Packed::default();
            packed.resize(others.len());
            let places = packed.lanes_mut(0..others.len()).each();
            for (place, other) in places.zip(&others) {
                set(place, scale.pack(other));
            }
            let largest = others.iter().fold(0.0, |r: f64, b| r.max(b.radius));
            let query = scale.query(scale.pack(&a), scale.radius(largest));
            let [mut found, mut widest] = [Vec::new(), Vec::new()];
            let verdicts = |found| Verdicts::<FLAT> {
                query: &query,
                lanes: packed.lanes(),
                count: others.len(),
                found,
            };
            verdicts(&mut found).run::<Four>();
            simd::run(verdicts(&mut widest));
            assert_eq!(found, widest);
            for (i, (b, [may, surely])) in others.iter().zip(found).enumerate() {
                let touches = a.touches(b);
                assert!(may || !touches, "{a:?} {b:?} {scale:?}");
                assert!(!surely || touches, "{a:?} {b:?} {scale:?}");
                sure += usize::from(i % 4 == 0 && may == surely);
                total += usize::from(i % 4 == 0);
            }
        }
        // Most of those that are no near ties are decided.
        assert!(4 * sure > 3 * total, "{sure} of {total}");
    }

    #[test]
    fn what_is_sure_is_true() {
        check_verdicts::<DVec2, true>(1);
        check_verdicts::<DVec3, false>(2);
    }

    /// Of what is far or large nothing is said.
    #[test]
    fn far_and_large_spheres_are_left_open() {
        let scale = Scale::new(DVec3::ONE, &around(DVec3::ONE, 1e9), 1.5);
        let open = [
            Sphere::new(DVec3::new(FAR + 1.5, 1.0, 1.0), 1.0),
            Sphere::new(DVec3::new(1.0, 1.0, -1e9), 0.0),
            Sphere::new(DVec3::ONE, FAR + 1.0),
        ];
        for sphere in open {
            assert!(scale.pack(&sphere)[3].is_nan());
            let query = scale.query(scale.pack(&sphere), 1.0);
            let mut packed = Packed::default();
            packed.resize(4);
            let mut places = packed.lanes_mut(0..2).each();
            set(places.next().unwrap(), [0.0; 4]);
            set(places.next().unwrap(), scale.pack(&sphere));
            drop(places);
            let group = Four::load(&packed.lanes(), 0).unwrap();
            let [may, surely] = Four::test::<false>(&query, &group, 4);
            assert_eq!((may & 3, surely & 3), (3, 0));
        }
        let near = Sphere::new(DVec3::new(FAR + 1.0, 1.0, 1.0), FAR);
        assert_eq!(scale.pack(&near), [FAR as f32, 0.0, 0.0, FAR as f32]);
        assert!(scale.radius(1e-3) as f64 > 1e-3);
    }
}
