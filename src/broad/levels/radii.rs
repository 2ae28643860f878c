use std::f64::consts::PI;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{Vector, check_count, is_length};

/// The distribution of the radii of a set of bodies, with its moments.
///
/// ```
/// use osculate::{glam::DVec2, reference::RadiusDistribution};
///
/// let radii = RadiusDistribution::new(&[2.0, 1.0, 1.0, 4.0])?;
/// assert_eq!((radii.min(), radii.max(), radii.count()), (1.0, 4.0, 4.0));
/// // The discs have an area of 22 pi and fill half of the plane.
/// let density = radii.density::<DVec2>(0.5);
/// assert!((density * 11.0 * std::f64::consts::PI - 1.0).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RadiusDistribution {
    /// A power of two by which lengths are divided, so that their cubes do not overflow.
    scale: f64,
    /// The distinct radii, ascending, divided by the scale.
    distinct: Vec<f64>,
    /// `sums[i][k]` is the sum of r^k over bodies with the first i distinct radii, divided by the number of all
    /// bodies.
    sums: Vec<[f64; 4]>,
    count: f64,
}

impl RadiusDistribution {
    /// Creates the distribution of radii in any order. Cost: O(n log n).
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`] if there are more than [`MAX_COUNT`](crate::math::MAX_COUNT) radii, and
    /// [`ErrorKind::Radius`] for the first radius that is neither 0 nor within [2^-150, 2^150].
    pub fn new(radii: &[f64]) -> Result<Self> {
        check_count(radii.len())?;
        if let Some(index) = radii.iter().position(|&r| !is_length(r)) {
            let value = radii[index];
            return Err(Error(Cause::Radius { index, value }));
        }
        // Adding 0 turns -0 into 0.
        let mut sorted: Vec<f64> = radii.iter().map(|r| r + 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut distribution = Self::none();
        distribution.set(sorted.into_iter().map(|r| (r, 1.0)));
        Ok(distribution)
    }

    /// Creates the distribution of no bodies.
    pub(in crate::broad) const fn none() -> Self {
        Self {
            scale: 1.0,
            distinct: Vec::new(),
            sums: Vec::new(),
            count: 0.0,
        }
    }

    /// Replaces the radii by ascending ones, each with the number of its bodies.
    pub(in crate::broad) fn set(&mut self, bodies: impl Iterator<Item = (f64, f64)> + Clone) {
        let bodies = bodies.filter(|&(_, count)| count > 0.0);
        self.count = bodies.clone().map(|(_, count)| count).sum::<f64>();
        let max = bodies.clone().last().map(|(r, _)| r).filter(|&r| r > 0.0);
        self.scale = max.map_or(1.0, power_of_two_below);
        let (distinct, sums) = (&mut self.distinct, &mut self.sums);
        distinct.clear();
        sums.clear();
        sums.push([0.0; 4]);
        let mut sum = [0.0; 4];
        for (radius, count) in bodies {
            let radius = radius / self.scale;
            if distinct.last() != Some(&radius) {
                distinct.push(radius);
                sums.push(sum);
            }
            let mut term = count;
            for sum in &mut sum {
                *sum += term;
                term *= radius;
            }
            if let Some(last) = sums.last_mut() {
                *last = sum;
            }
        }
        for sum in sums.iter_mut().flatten() {
            *sum /= self.count.max(f64::MIN_POSITIVE);
        }
    }

    pub(in crate::broad) fn bytes(&self) -> usize {
        8 * self.distinct.capacity() + 32 * self.sums.capacity()
    }

    /// Returns the number of bodies.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Returns the smallest radius; 0 without bodies.
    pub fn min(&self) -> f64 {
        self.distinct.first().map_or(0.0, |r| r * self.scale)
    }

    /// Returns the largest radius; 0 without bodies.
    pub fn max(&self) -> f64 {
        self.distinct.last().map_or(0.0, |r| r * self.scale)
    }

    /// Returns the number of bodies per unit volume (area in 2D) at a packing fraction; 0 if all are points.
    ///
    /// The packing fraction counts overlaps twice.
    pub fn density<V: Vector>(&self, packing_fraction: f64) -> f64 {
        let unit = if V::DIM == 2 { PI } else { 4.0 / 3.0 * PI };
        let filled = unit * self.all()[V::DIM];
        if filled > 0.0 {
            (0..V::DIM).fold(packing_fraction / filled, |density, _| density / self.scale)
        } else {
            0.0
        }
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the distinct radii, ascending, divided by the scale.
    pub(crate) fn distinct(&self) -> &[f64] {
        &self.distinct
    }

    /// Returns the number of distinct radii whose diameters are at most `size` (divided by the scale).
    pub(super) fn fitting(&self, size: f64) -> usize {
        self.distinct.partition_point(|&r| 2.0 * r <= size)
    }

    /// Returns the means over all bodies of r^k, k = 0 to 3, with 0 for bodies beyond the first `end` radii.
    pub(super) fn below(&self, end: usize) -> [f64; 4] {
        self.sums[end]
    }

    /// Returns the same means with 0 for bodies of the first `start` radii.
    pub(super) fn from(&self, start: usize) -> [f64; 4] {
        let (all, below) = (self.all(), self.sums[start]);
        std::array::from_fn(|k| all[k] - below[k])
    }

    /// Returns the share of bodies with the distinct radii `start..end`.
    pub(crate) fn part(&self, start: usize, end: usize) -> f64 {
        self.sums[end][0] - self.sums[start][0]
    }

    /// Returns the means of r^k over all bodies.
    fn all(&self) -> [f64; 4] {
        self.sums[self.distinct.len()]
    }
}

/// Rounds a positive, normal number down to a power of two.
fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF << 52;
    f64::from_bits(x.to_bits() & EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Buffers of at least 8 bytes for each distinct radius and 32 for its sums, and not many more.
    #[test]
    fn bytes_of_the_buffers() {
        let radii: Vec<f64> = (1..=1000).map(f64::from).collect();
        let bytes = RadiusDistribution::new(&radii).unwrap().bytes();
        assert!((40_000..=100_000).contains(&bytes), "{bytes}");
        assert_eq!(RadiusDistribution::none().bytes(), 0);
    }
}
