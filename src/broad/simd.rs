//! Sphere tests in groups of eight, with AVX2 if the processor has it. The only file with unsafe code.

use glam::Vec4;

use super::packed::{Lanes, Query};

/// Spheres per group. The same on all processors, because pairs are visited in the order of groups.
pub(super) const GROUP: usize = 8;

/// An instruction set for tests of a group of spheres.
pub(super) trait Width {
    /// A group in registers.
    type Spheres: Copy;

    /// Loads the group that starts at sphere `at`, if it is complete.
    fn load(lanes: &Lanes<'_>, at: usize) -> Option<Self::Spheres>;

    /// Tests a group: returns the spheres that possibly and that certainly touch the query, as bits.
    ///
    /// Bits from `count` on are unspecified. In 2D (`FLAT`) the z lane is ignored.
    fn test<const FLAT: bool>(query: &Query, group: &Self::Spheres, count: usize) -> [u32; 2];
}

/// A search, generic over the instruction set.
pub(super) trait Task {
    fn run<W: Width>(self);
}

/// Runs a search with the widest instruction set of the processor.
#[inline]
pub(super) fn run(task: impl Task) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = avx2::Avx2::detect() {
        return avx2.run(task);
    }
    task.run::<Four>();
}

/// Four spheres at a time: 128 bits, which glam supports on all common processors.
pub(super) struct Four;

impl Width for Four {
    type Spheres = [[Vec4; 4]; 2];

    #[inline(always)]
    fn load(lanes: &Lanes<'_>, at: usize) -> Option<[[Vec4; 4]; 2]> {
        let group = lanes.group(at)?;
        let half = |from: usize| group.map(|lane| Vec4::from_slice(&lane[from..from + 4]));
        Some([half(0), half(4)])
    }

    #[inline(always)]
    fn test<const FLAT: bool>(
        query: &Query,
        [low, high]: &[[Vec4; 4]; 2],
        count: usize,
    ) -> [u32; 2] {
        let low = test::<FLAT>(query, low);
        if count <= 4 {
            return low;
        }
        let high = test::<FLAT>(query, high);
        [low[0] | high[0] << 4, low[1] | high[1] << 4]
    }
}

/// Tests four spheres: see the proof at [`Query`].
#[inline(always)]
fn test<const FLAT: bool>(query: &Query, &[x, y, z, radius]: &[Vec4; 4]) -> [u32; 2] {
    let square = |coordinate: Vec4, center: f32| {
        let difference = coordinate - Vec4::splat(center);
        difference * difference
    };
    let mut distance_squared = square(x, query.center[0]) + square(y, query.center[1]);
    if !FLAT {
        distance_squared += square(z, query.center[2]);
    }
    let upper = radius + Vec4::splat(query.upper);
    let lower = (radius + Vec4::splat(query.lower)).max(Vec4::ZERO);
    // A NaN is not greater, so an unknown sphere possibly touches.
    let is_separated = distance_squared.cmpgt(upper * upper).bitmask();
    [
        is_separated ^ 15,
        distance_squared.cmplt(lower * lower).bitmask(),
    ]
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::{Lanes, Query, Task, Width};

    /// A token that exists only if the processor has AVX2, BMI1, BMI2 and POPCNT.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx2 {
        #[inline]
        pub(super) fn detect() -> Option<Self> {
            let has_features = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has_features.then_some(Self(()))
        }

        /// Runs a search with eight spheres at a time.
        pub(super) fn run(self, task: impl Task) {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            fn run(task: impl Task) {
                task.run::<Eight>();
            }
            // SAFETY: `detect` is the only constructor, and it has found these features.
            unsafe { run(task) }
        }
    }

    /// Eight spheres at a time.
    struct Eight;

    impl Width for Eight {
        type Spheres = [__m256; 4];

        #[inline(always)]
        fn load(lanes: &Lanes<'_>, at: usize) -> Option<[__m256; 4]> {
            let [x, y, z, radius] = lanes.pointers(at)?;
            // SAFETY: `pointers` has checked that eight values follow. Only `Avx2::run` names `Eight`, so the
            // processor has AVX2.
            let load = |start: *const f32| unsafe { _mm256_loadu_ps(start) };
            Some([load(x), load(y), load(z), load(radius)])
        }

        #[inline(always)]
        fn test<const FLAT: bool>(query: &Query, group: &[__m256; 4], _: usize) -> [u32; 2] {
            // SAFETY: only `Avx2::run` names `Eight`, so the processor has AVX2.
            unsafe { test::<FLAT>(query, group) }
        }
    }

    /// Tests eight spheres, with the same operations as the test of four.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn test<const FLAT: bool>(query: &Query, &[x, y, z, radius]: &[__m256; 4]) -> [u32; 2] {
        let square = |coordinate: __m256, center: f32| {
            let difference = _mm256_sub_ps(coordinate, _mm256_set1_ps(center));
            _mm256_mul_ps(difference, difference)
        };
        let [a, b, c] = query.center;
        let mut distance_squared = _mm256_add_ps(square(x, a), square(y, b));
        if !FLAT {
            distance_squared = _mm256_add_ps(distance_squared, square(z, c));
        }
        let upper = _mm256_add_ps(radius, _mm256_set1_ps(query.upper));
        let lower = _mm256_add_ps(radius, _mm256_set1_ps(query.lower));
        let lower = _mm256_max_ps(lower, _mm256_setzero_ps());
        let (upper, lower) = (_mm256_mul_ps(upper, upper), _mm256_mul_ps(lower, lower));
        let possible = _mm256_cmp_ps::<_CMP_NGT_UQ>(distance_squared, upper);
        let certain = _mm256_cmp_ps::<_CMP_LT_OQ>(distance_squared, lower);
        [possible, certain].map(|bits| _mm256_movemask_ps(bits) as u32)
    }
}
