//! Tests of spheres in groups of eight, with the widest instruction set of the processor.
//!
//! All instruction sets find the same pairs in the same order. `--cfg osculate_simd="none"` disables every one that the
//! target does not guarantee.

use glam::Vec4;

use super::Pair;
use super::packed::{Lanes, Query};
use crate::math::Vector;

/// Spheres per group. The same on all processors, because pairs are visited in the order of groups.
pub(super) const GROUP: usize = 8;

/// Room for the pairs of `N` hits.
pub(super) type Room<const N: usize> = [[Pair; GROUP]; N];

/// Up to `N` hits of queries in groups, which are converted to pairs together.
pub(super) struct Hits<const N: usize> {
    pub(super) count: usize,
    /// The index of the query.
    query: [u32; N],
    /// The first slot of the group.
    group: [u32; N],
    /// The spheres of the group that touch the query.
    bits: [u32; N],
}

impl<const N: usize> Default for Hits<N> {
    fn default() -> Self {
        Self {
            count: 0,
            query: [0; N],
            group: [0; N],
            bits: [0; N],
        }
    }
}

impl<const N: usize> Hits<N> {
    /// Adds the hits of a query, if there are any. There must be room.
    #[inline(always)]
    pub(super) fn push(&mut self, query: u32, group: usize, bits: u32) {
        // Always written, but counted only if there are hits. This avoids a branch.
        let at = self.count % N;
        (self.query[at], self.group[at], self.bits[at]) = (query, group as u32, bits);
        self.count = at + usize::from(bits != 0);
    }

    /// Returns the queries, groups and bits.
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = (u32, usize, u32)> {
        let queries = self.query[..self.count.min(N)].iter();
        let hits = queries.zip(&self.group).zip(&self.bits);
        hits.map(|((&query, &group), &bits)| (query, group as usize, bits))
    }
}

/// An instruction set for tests of a group of spheres.
pub(super) trait Width {
    /// A group in registers.
    type Spheres: Copy;

    /// Loads the group that starts at sphere `at`, if it is complete.
    fn load(lanes: &Lanes<'_>, at: usize) -> Option<Self::Spheres>;

    /// Tests the first `count` spheres of a group, or all: returns those that possibly and those that certainly touch
    /// the query, as bits.
    ///
    /// In 2D the z lane is ignored.
    fn test<V: Vector>(query: &Query, group: &Self::Spheres, count: isize) -> [u32; 2];

    /// Writes the pairs of all hits, the lower index first, and returns their number.
    ///
    /// `ids` has the indices of all slots, and [`GROUP`] more. Pairs beyond the returned number are unspecified.
    fn write_pairs<const N: usize>(hits: &Hits<N>, ids: &[u32], pairs: &mut Room<N>) -> usize;
}

/// A search, generic over the instruction set.
pub(super) trait Task {
    fn run<W: Width>(self);
}

/// Runs a search with the widest instruction set of the processor.
#[inline]
pub(super) fn run(task: impl Task) {
    #[cfg(all(target_arch = "x86_64", not(osculate_simd = "none")))]
    if let Some(avx2) = x86::Avx2::detect() {
        return avx2.run(task);
    }
    task.run::<Four>();
}

/// Runs a search once with each instruction set of the processor.
#[cfg(test)]
pub(super) fn run_each<T: Task>(mut task: impl FnMut() -> T) {
    task().run::<Four>();
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = x86::Avx2::detect() {
        avx2.run(task());
    }
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
    fn test<V: Vector>(query: &Query, [low, high]: &[[Vec4; 4]; 2], count: isize) -> [u32; 2] {
        let valid = first_bits(count);
        let low = test::<V>(query, low).map(|bits| bits & valid);
        if valid < 16 {
            return low;
        }
        let high = test::<V>(query, high).map(|bits| bits << 4 & valid);
        [low[0] | high[0], low[1] | high[1]]
    }

    #[inline(always)]
    fn write_pairs<const N: usize>(hits: &Hits<N>, ids: &[u32], pairs: &mut Room<N>) -> usize {
        let mut places = pairs.as_flattened_mut().iter_mut();
        for (query, group, mut bits) in hits.iter() {
            while bits != 0 {
                let id = ids[group + bits.trailing_zeros() as usize];
                if let Some(place) = places.next() {
                    *place = [id.min(query), id.max(query)];
                }
                bits &= bits - 1;
            }
        }
        N * GROUP - places.len()
    }
}

/// Returns `count` ones, eight at most.
#[inline(always)]
fn first_bits(count: isize) -> u32 {
    (1 << count.clamp(0, GROUP as isize)) - 1
}

/// Tests four spheres: see the proof at [`Query`].
#[inline(always)]
fn test<V: Vector>(query: &Query, &[x, y, z, radius]: &[Vec4; 4]) -> [u32; 2] {
    let square = |coordinate: Vec4, center: f32| {
        let difference = coordinate - Vec4::splat(center);
        difference * difference
    };
    let mut distance_squared = square(x, query.center[0]) + square(y, query.center[1]);
    if V::DIM == 3 {
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
#[cfg_attr(osculate_simd = "none", allow(dead_code))]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{GROUP, Hits, Lanes, Pair, Query, Room, Task, Vector, Width, first_bits};

    /// A token that exists only if the processor has AVX2, FMA, BMI1, BMI2 and POPCNT.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx2 {
        #[inline]
        pub(super) fn detect() -> Option<Self> {
            let has_features = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has_features.then_some(Self(()))
        }

        /// Runs a search with comparisons that return vectors.
        pub(super) fn run(self, task: impl Task) {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
            fn run(task: impl Task) {
                task.run::<Eight>();
            }
            // SAFETY: `detect` is the only constructor, and it has found these features.
            unsafe { run(task) }
        }
    }

    /// Eight spheres at a time, with AVX2.
    struct Eight;

    impl Width for Eight {
        type Spheres = [__m256; 4];

        #[inline(always)]
        fn load(lanes: &Lanes<'_>, at: usize) -> Option<[__m256; 4]> {
            // SAFETY: `pointers` has checked that eight values follow. Only `Avx2::run` loads, so the
            // processor has AVX2.
            let load = |start: *const f32| unsafe { _mm256_loadu_ps(start) };
            lanes.pointers(at).map(|starts| starts.map(load))
        }

        #[inline(always)]
        fn test<V: Vector>(query: &Query, group: &[__m256; 4], count: isize) -> [u32; 2] {
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn test<V: Vector>(query: &Query, group: &[__m256; 4]) -> [u32; 2] {
                let [distance, upper, lower] = squares::<V>(query, group);
                let possible = _mm256_cmp_ps::<_CMP_NGT_UQ>(distance, upper);
                let certain = _mm256_cmp_ps::<_CMP_LT_OQ>(distance, lower);
                [possible, certain].map(|bits| _mm256_movemask_ps(bits) as u32)
            }
            // SAFETY: only `Avx2::run` names `Eight` as the width of a task, so the processor has AVX2.
            unsafe { test::<V>(query, group) }.map(|bits| bits & first_bits(count))
        }

        #[inline(always)]
        fn write_pairs<const N: usize>(hits: &Hits<N>, ids: &[u32], pairs: &mut Room<N>) -> usize {
            // SAFETY: only `Avx2::run` names `Eight` as the width of a task, so the processor has both.
            unsafe { write_pairs(hits, ids, pairs) }
        }
    }

    /// Returns the squares of the distances and of their bounds. Fused products round less than those of the test of
    /// four, so the proof at [`Query`] holds.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn squares<V: Vector>(query: &Query, &[x, y, z, radius]: &[__m256; 4]) -> [__m256; 3] {
        let difference =
            |coordinate: __m256, center: f32| _mm256_sub_ps(coordinate, _mm256_set1_ps(center));
        let [a, b, c] = query.center;
        let (x, y) = (difference(x, a), difference(y, b));
        let mut distance_squared = _mm256_fmadd_ps(y, y, _mm256_mul_ps(x, x));
        if V::DIM == 3 {
            let z = difference(z, c);
            distance_squared = _mm256_fmadd_ps(z, z, distance_squared);
        }
        let upper = _mm256_add_ps(radius, _mm256_set1_ps(query.upper));
        let lower = _mm256_add_ps(radius, _mm256_set1_ps(query.lower));
        let lower = _mm256_max_ps(lower, _mm256_setzero_ps());
        [
            distance_squared,
            _mm256_mul_ps(upper, upper),
            _mm256_mul_ps(lower, lower),
        ]
    }

    /// Writes the pairs of all hits.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn write_pairs<const N: usize>(hits: &Hits<N>, ids: &[u32], pairs: &mut Room<N>) -> usize {
        let (mut count, pairs) = (0, pairs.as_flattened_mut());
        for (query, group, bits) in hits.iter() {
            let ids = ids.get(group..).and_then(|ids| ids.first_chunk());
            let places = pairs.get_mut(count..).and_then(|p| p.first_chunk_mut());
            let (Some(ids), Some(places)) = (ids, places) else {
                break;
            };
            let (ids, places): (&[u32; GROUP], &mut [Pair; GROUP]) = (ids, places);
            // SAFETY: `ids` has eight indices, 256 bits.
            let id = unsafe { _mm256_loadu_si256(ids.as_ptr().cast()) };
            let query = _mm256_set1_epi32(query as i32);
            // The selected ids move to the front.
            let order = _mm_cvtsi64_si128(SELECTED[bits as usize & 255] as i64);
            let id = _mm256_permutevar8x32_epi32(id, _mm256_cvtepu8_epi32(order));
            let (low, high) = (_mm256_min_epu32(id, query), _mm256_max_epu32(id, query));
            // The pairs 0, 1, 4, 5 and 2, 3, 6, 7.
            let even = _mm256_unpacklo_epi32(low, high);
            let odd = _mm256_unpackhi_epi32(low, high);
            let place: *mut __m256i = places.as_mut_ptr().cast();
            // SAFETY: `places` has eight pairs, twice 256 bits.
            unsafe {
                _mm256_storeu_si256(place, _mm256_permute2x128_si256::<0x20>(even, odd));
                _mm256_storeu_si256(place.add(1), _mm256_permute2x128_si256::<0x31>(even, odd));
            }
            count += bits.count_ones() as usize;
        }
        count
    }

    /// For each value of the bits, the positions of the bits that are set: one in each byte, the first in the lowest.
    static SELECTED: [u64; 256] = {
        let mut selected = [0; 256];
        let mut bits = 0;
        while bits < 256 {
            let (mut bit, mut count) = (0, 0);
            while bit < 8 {
                if bits >> bit & 1 == 1 {
                    selected[bits] |= bit << (8 * count);
                    count += 1;
                }
                bit += 1;
            }
            bits += 1;
        }
        selected
    };
}
