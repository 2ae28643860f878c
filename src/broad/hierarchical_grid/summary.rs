use std::ops::Range;

use super::histogram::RadiusHistogram;
use crate::broad::source::{BATCH, Source};
use crate::error::Result;
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// The number of some spheres, the box of their centers, and their largest radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary<V> {
    pub(super) count: usize,
    pub(super) bounds: Aabb<V>,
    pub(super) max_radius: f64,
}

impl<V: Vector> Summary<V> {
    /// Summarizes no spheres: the neutral element of [`union`](Self::union).
    pub(super) fn none() -> Self {
        Self {
            count: 0,
            bounds: Aabb {
                min: V::splat(f64::INFINITY),
                max: V::splat(f64::NEG_INFINITY),
            },
            max_radius: 0.0,
        }
    }

    /// Validates and summarizes the spheres of a range of indices, and counts their radii.
    pub(super) fn validated(
        range: Range<usize>,
        source: &Source<'_, V>,
        mut histogram: Option<&mut RadiusHistogram>,
    ) -> Result<Self> {
        let mut summary = Self::none();
        summary.count = range.len();
        let mut batch = [Sphere::default(); BATCH];
        for first in range.clone().step_by(BATCH) {
            let spheres = &mut batch[..BATCH.min(range.end - first)];
            source(first, spheres);
            for (index, sphere) in (first..).zip(&*spheres) {
                sphere.validate(index)?;
                summary.bounds.min = summary.bounds.min.min(sphere.center);
                summary.bounds.max = summary.bounds.max.max(sphere.center);
                if sphere.radius > summary.max_radius {
                    summary.max_radius = sphere.radius;
                }
                if let Some(histogram) = &mut histogram {
                    histogram.add(index, sphere.radius);
                }
            }
        }
        Ok(summary)
    }

    /// Returns the summary of both sets of spheres.
    #[cfg(feature = "rayon")]
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            bounds: self.bounds.union(&other.bounds),
            max_radius: self.max_radius.max(other.max_radius),
        }
    }
}

/// Returns the largest extent of a box along an axis.
pub(super) fn extent<V: Vector>(bounds: &Aabb<V>) -> f64 {
    (0..V::DIM).fold(0.0, |extent: f64, axis| extent.max(bounds.size()[axis]))
}
