//! The one file with unsafe code: tests of eight spheres at a time where the machine has AVX2.

use super::packed::{Lanes, Query};

/// The most spheres that a test reads.
pub(super) const WIDEST: usize = 8;

/// How many spheres are tested at a time, and how.
pub(super) trait Width {
    const WIDTH: usize;

    /// Of `WIDTH` spheres from `at` on, which may touch the query (no others do), and which
    /// surely do, as bits.
    fn test<const FLAT: bool>(query: &Query, lanes: &Lanes<'_>, at: usize) -> [u32; 2];
}

/// Work that is done with spheres some at a time.
pub(super) trait Task {
    fn run<W: Width>(self);
}

/// Does work with as many spheres at a time as the machine can take.
#[inline]
pub(super) fn run(task: impl Task) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        return avx2::run(task);
    }
    task.run::<Four>();
}

/// Four at a time: 128 bits, which glam has on all common processors.
pub(super) struct Four;

impl Width for Four {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn test<const FLAT: bool>(query: &Query, lanes: &Lanes<'_>, at: usize) -> [u32; 2] {
        query.test_four::<FLAT>(lanes, at)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::{Lanes, Query, Task, Width};

    #[inline]
    pub(in crate::broad) fn is_there() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    }

    /// Only where [`is_there`] says so.
    pub(super) fn run(task: impl Task) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(task: impl Task) {
            task.run::<Eight>();
        }
        debug_assert!(is_there());
        // SAFETY: the one caller has asked whether the machine has these features.
        unsafe { run(task) }
    }

    /// Eight at a time.
    struct Eight;

    impl Width for Eight {
        const WIDTH: usize = 8;

        #[inline(always)]
        fn test<const FLAT: bool>(query: &Query, lanes: &Lanes<'_>, at: usize) -> [u32; 2] {
            // SAFETY: `Eight` is named in `run` above only, where the machine has AVX2.
            unsafe { test::<FLAT>(query, lanes, at) }
        }
    }

    /// As [`Query::test_four`].
    #[inline]
    #[target_feature(enable = "avx2")]
    fn test<const FLAT: bool>(query: &Query, lanes: &Lanes<'_>, at: usize) -> [u32; 2] {
        if !lanes.have(at, Eight::WIDTH) {
            return [0, 0];
        }
        // SAFETY: eight values from `at` on are in each lane.
        let eight = |lane: &[f32]| unsafe { _mm256_loadu_ps(lane.as_ptr().add(at)) };
        let square = |lane: &[f32], center: f32| {
            let difference = _mm256_sub_ps(eight(lane), _mm256_set1_ps(center));
            _mm256_mul_ps(difference, difference)
        };
        let [x, y, z] = query.center;
        let mut distance_squared = _mm256_add_ps(square(lanes.x(), x), square(lanes.y(), y));
        if !FLAT {
            distance_squared = _mm256_add_ps(distance_squared, square(lanes.z(), z));
        }
        let radius = eight(lanes.radius());
        let upper = _mm256_add_ps(radius, _mm256_set1_ps(query.upper));
        let lower = _mm256_add_ps(radius, _mm256_set1_ps(query.lower));
        let lower = _mm256_max_ps(lower, _mm256_setzero_ps());
        let (upper, lower) = (_mm256_mul_ps(upper, upper), _mm256_mul_ps(lower, lower));
        let may = _mm256_cmp_ps::<_CMP_NGT_UQ>(distance_squared, upper);
        let surely = _mm256_cmp_ps::<_CMP_LT_OQ>(distance_squared, lower);
        [may, surely].map(|bits| _mm256_movemask_ps(bits) as u32)
    }
}
