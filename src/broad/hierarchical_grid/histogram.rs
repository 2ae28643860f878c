//! A histogram of the radii of bodies, with eight bins per octave.

use std::ops::Range;

use crate::math::{MAX_LENGTH, MIN_LENGTH};

/// The number of bins between a power of two and the next.
const BINS_PER_OCTAVE: u32 = 8;

/// The number of radii in each bin. The first bin counts radii of 0.
#[derive(Clone, Debug)]
pub(super) struct RadiusHistogram {
    /// The counts of even and of odd indices. Successive increments are then independent, even if all
    /// radii are in one bin.
    parts: [Vec<u32>; 2],
    /// The first and the last bin in use.
    ends: [usize; 2],
}

impl Default for RadiusHistogram {
    fn default() -> Self {
        let bins = (bin(MAX_LENGTH) + 2 - bin(MIN_LENGTH)) as usize;
        Self {
            parts: [vec![0; bins], vec![0; bins]],
            ends: [usize::MAX, 0],
        }
    }
}

impl RadiusHistogram {
    /// Counts the radius of body `index`.
    #[inline(always)]
    pub(super) fn add(&mut self, index: usize, radius: f64) {
        let bin = (bin(radius) + 1).saturating_sub(bin(MIN_LENGTH)) as usize;
        if let Some(count) = self.parts[index & 1].get_mut(bin) {
            *count += 1;
            self.ends = [self.ends[0].min(bin), self.ends[1].max(bin)];
        }
    }

    pub(super) fn clear(&mut self) {
        let used = self.used();
        self.parts
            .iter_mut()
            .for_each(|part| part[used.clone()].fill(0));
        self.ends = [usize::MAX, 0];
    }

    /// Adds the counts of another histogram.
    #[cfg(feature = "rayon")]
    pub(super) fn add_all(&mut self, other: &Self) {
        for (sums, counts) in self.parts.iter_mut().zip(&other.parts) {
            let counts = &counts[other.used()];
            let sums = sums[other.used()].iter_mut();
            sums.zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let [first, last] = other.ends;
        self.ends = [self.ends[0].min(first), self.ends[1].max(last)];
    }

    fn used(&self) -> Range<usize> {
        let [first, last] = self.ends;
        first.min(last)..if first <= last { last + 1 } else { last }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.parts.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Returns the nonempty bins: the largest radius of each, and the rounded number of bodies.
    pub(super) fn bins(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        let count = |bin: usize| self.parts.iter().map(|part| part[bin]).sum::<u32>();
        let filled = self.used().map(move |bin| (bin, count(bin)));
        filled.filter(|&(_, count)| count > 0).map(|(i, count)| {
            let radius = match (i as u32).checked_sub(1) {
                None => 0.0,
                Some(bin_after_0) => upper_end(bin(MIN_LENGTH) + bin_after_0),
            };
            (radius, round(f64::from(count)))
        })
    }
}

/// Returns the bin of a radius: the exponent and the leading bits of the fraction.
#[inline]
pub(super) fn bin(radius: f64) -> u32 {
    (radius.to_bits() >> (52 - BINS_PER_OCTAVE.ilog2())) as u32
}

/// Returns the largest radius of a bin.
pub(super) fn upper_end(bin: u32) -> f64 {
    f64::from_bits((u64::from(bin) + 1) << (52 - BINS_PER_OCTAVE.ilog2())).next_down()
}

/// Rounds down to 1, 1.25, 1.5 or 1.75 times a power of two.
fn round(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 50) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The radius of a bin is at least each radius counted in it, and at most 1/8 octave larger.
    #[test]
    fn bins_hold_their_radii() {
        let mut histogram = RadiusHistogram::default();
        for (index, radius) in [
            MIN_LENGTH,
            1e-9,
            0.75,
            1.0,
            1.0_f64.next_up(),
            3e7,
            MAX_LENGTH,
        ]
        .into_iter()
        .enumerate()
        {
            histogram.add(index, radius);
            let bins: Vec<_> = histogram.bins().collect();
            assert_eq!(bins.len(), 1);
            assert!(
                (radius..=1.126 * radius).contains(&bins[0].0),
                "{radius} {bins:?}"
            );
            assert_eq!(bins[0].1, 1.0);
            histogram.clear();
        }
        histogram.add(0, 0.0);
        assert_eq!(histogram.bins().next(), Some((0.0, 1.0)));
    }
}
