use std::f64::consts::PI;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::{Vector, check_count, is_length};

/// The radii of a set of bodies: sorted, with the sums of their powers.
///
/// ```
/// use osculate::{glam::DVec2, reference::RadiusDistribution};
///
/// let radii = RadiusDistribution::new(&[2.0, 1.0, 1.0, 4.0])?;
/// assert_eq!((radii.min(), radii.max(), radii.count()), (1.0, 4.0, 4.0));
/// // Discs of area 22 pi, each with its share of twice that area.
/// let density = radii.density::<DVec2>(0.5);
/// assert!((density * 11.0 * std::f64::consts::PI - 1.0).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RadiusDistribution {
    /// A power of two by which lengths are divided, so that no power of them overflows.
    scale: f64,
    /// Distinct, ascending, divided by the scale.
    distinct: Vec<f64>,
    /// Of r^0, r^1, r^2, r^3 over the first so many of them, divided by the number of all bodies.
    sums: Vec<[f64; 4]>,
    count: f64,
}

impl RadiusDistribution {
    /// The radii of bodies, in any order. O(n log n).
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`], or [`ErrorKind::Radius`] for the lowest bad one.
    pub fn new(radii: &[f64]) -> Result<Self> {
        check_count(radii.len())?;
        if let Some(index) = radii.iter().position(|&r| !is_length(r)) {
            let value = radii[index];
            return Err(Cause::Radius { index, value }.into());
        }
        // The sum is never -0.
        let mut sorted: Vec<f64> = radii.iter().map(|r| r + 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self::weighted(sorted.into_iter().map(|r| (r, 1.0))))
    }

    /// From radii of the domain, ascending, and how many bodies have each (0 or more).
    pub(crate) fn weighted(bodies: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let mut radii = Self::none();
        radii.set(bodies);
        radii
    }

    pub(in crate::broad) const fn none() -> Self {
        Self {
            scale: 1.0,
            distinct: Vec::new(),
            sums: Vec::new(),
            count: 0.0,
        }
    }

    /// As [`weighted`](Self::weighted), in place of those before.
    pub(in crate::broad) fn set(&mut self, bodies: impl Iterator<Item = (f64, f64)> + Clone) {
        let bodies = bodies.filter(|&(_, count)| count > 0.0);
        self.count = bodies.clone().map(|(_, count)| count).sum::<f64>();
        let max = bodies.clone().last().map_or(0.0, |(r, _)| r);
        self.scale = if max > 0.0 {
            power_of_two_below(max)
        } else {
            1.0
        };
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

    /// How many bodies there are.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// The smallest radius; 0 without bodies.
    pub fn min(&self) -> f64 {
        self.distinct.first().map_or(0.0, |r| r * self.scale)
    }

    /// The largest radius; 0 without bodies.
    pub fn max(&self) -> f64 {
        self.distinct.last().map_or(0.0, |r| r * self.scale)
    }

    /// How many bodies are in unit volume (area in 2D) where they fill this fraction of it, each
    /// counted in full; 0 if all are points.
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

    /// Ascending, divided by the scale.
    pub(crate) fn distinct(&self) -> &[f64] {
        &self.distinct
    }

    /// How many of the distinct radii fit cells of a size (divided by the scale).
    pub(super) fn fitting(&self, size: f64) -> usize {
        self.distinct.partition_point(|&r| 2.0 * r <= size)
    }

    /// Mean over all bodies of r^k where r is among the first so many distinct radii, else of 0.
    pub(super) fn below(&self, end: usize) -> [f64; 4] {
        self.sums[end]
    }

    /// The same over those that come after.
    pub(super) fn from(&self, start: usize) -> [f64; 4] {
        let (all, below) = (self.all(), self.sums[start]);
        std::array::from_fn(|k| all[k] - below[k])
    }

    /// The part of the bodies whose radius is among these distinct ones.
    pub(crate) fn part(&self, start: usize, end: usize) -> f64 {
        self.sums[end][0] - self.sums[start][0]
    }

    pub(super) fn all(&self) -> [f64; 4] {
        self.sums[self.distinct.len()]
    }
}

/// The largest power of two that does not exceed a positive, normal number.
pub(super) fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF << 52;
    f64::from_bits(x.to_bits() & EXPONENT)
}
