//! A sample of the bodies, for the density, the middle and the bulk of all.

use super::summary::{Summary, extent};
use crate::broad::cells::WIDENING;
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// The largest number of bodies in a sample.
const SAMPLE: usize = 256;

/// Some bodies, spread over all indices.
pub(super) struct Sample<V> {
    positions: [V; SAMPLE],
    count: usize,
    /// The box of the sample without the outermost 1/32 on each side.
    pub(super) bulk: Aabb<V>,
    median: V,
    pub(super) median_radius: f64,
}

impl<V: Vector> Sample<V> {
    /// Samples `sphere_count` spheres.
    pub(super) fn new(sphere_count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Self {
        let step = sphere_count.div_ceil(SAMPLE).max(1);
        let (mut positions, mut radii, mut count) = ([V::ZERO; SAMPLE], [0.0; SAMPLE], 0);
        for first in (0..sphere_count).step_by(step) {
            // A pseudorandom body of each step. On a lattice, equal steps may stay in one plane.
            let random = (first as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let index = first + random as usize % step.min(sphere_count - first);
            let sphere = sphere(index);
            (positions[count], radii[count]) = (sphere.center, sphere.radius);
            count += 1;
        }
        let mut sorted = [[0.0; SAMPLE]; 3];
        for axis in 0..V::DIM {
            for (coordinate, position) in sorted[axis].iter_mut().zip(&positions) {
                *coordinate = position[axis];
            }
            sorted[axis][..count].sort_unstable_by(f64::total_cmp);
        }
        let (_, radius, _) = radii[..count].select_nth_unstable_by(count / 2, f64::total_cmp);
        let at = |i: usize| V::from_fn(|axis| sorted[axis][i]);
        let outermost = count / 32;
        Self {
            positions,
            count,
            bulk: Aabb {
                min: at(outermost),
                max: at(count.saturating_sub(1 + outermost)),
            },
            median: at(count / 2),
            median_radius: *radius,
        }
    }

    /// Returns the bulk, enlarged by half its size on each side and clipped to the box of all bodies.
    pub(super) fn inner_box(&self, summary: &Summary<V>) -> Aabb<V> {
        let half = self.bulk.size() * 0.5;
        Aabb {
            min: (self.bulk.min - half).max(summary.bounds.min),
            max: (self.bulk.max + half).min(summary.bounds.max),
        }
    }

    /// Returns the number of bodies per unit volume around a body.
    ///
    /// If the bodies are close together in a part of the extent, this is more than their number per volume of
    /// the extent.
    ///
    /// Let S be the ordered pairs of the m sampled bodies in the bulk that share a cell of volume v, out of m (m -
    /// 1). A body of the bulk shares its cell with another body of the bulk with probability S / (m (m - 1)). So
    /// for M sampled bodies, about n m/M S / (m (m - 1)) of all n bodies are in its cell. The density is that
    /// number over v. Cells start as 64 over the bulk. They are halved along each axis as long as this separates
    /// less than a quarter of the pairs. Such cells were wider than lumps of bodies far from each other.
    pub(super) fn density(&self, body_count: usize) -> f64 {
        // Bodies in a plane have a thickness: the median diameter, not that of a single large body.
        let thickness = (2.0 * self.median_radius).max(MIN_LENGTH);
        let cells_per_axis = if V::DIM == 2 { 8.0 } else { 4.0 };
        let mut width = [0.0; 3];
        for axis in 0..V::DIM {
            // Widened so that the last body is in the last cell.
            width[axis] = self.bulk.size()[axis].max(thickness) * WIDENING / cells_per_axis;
        }
        let (mut pairs, inside) = self.pairs_in_cells(width);
        if pairs == 0.0 {
            return 0.0;
        }
        for axis in 0..V::DIM {
            // With the first 2^2 or 2^3, up to 2^32 cells along an axis.
            for _ in 0..29 {
                let wide = width[axis];
                width[axis] *= 0.5;
                let (finer, _) = self.pairs_in_cells(width);
                if finer < 0.75 * pairs || width[axis] < thickness {
                    width[axis] = wide;
                    break;
                }
                pairs = finer;
            }
        }
        let volume: f64 = width[..V::DIM].iter().product();
        let around = pairs / (inside * (inside - 1.0)) * (inside / self.count as f64);
        body_count as f64 * around / volume
    }

    /// Returns the number of ordered pairs of sampled bodies in the bulk that share a cell, and the number of
    /// sampled bodies in the bulk.
    fn pairs_in_cells(&self, width: [f64; 3]) -> (f64, f64) {
        let (mut cells, mut count) = ([[0_u32; 3]; SAMPLE], 0);
        let bulk = &self.bulk;
        for &position in &self.positions[..self.count] {
            let is_in = |axis| bulk.min[axis] <= position[axis] && position[axis] <= bulk.max[axis];
            if (0..V::DIM).all(is_in) {
                for axis in 0..V::DIM {
                    cells[count][axis] = ((position[axis] - bulk.min[axis]) / width[axis]) as u32;
                }
                count += 1;
            }
        }
        let cells = &mut cells[..count];
        cells.sort_unstable();
        let counts = cells.chunk_by(|a, b| a == b).map(<[_]>::len);
        (counts.map(|n| (n * (n - 1)) as f64).sum(), count as f64)
    }
}

/// Returns the middle of most bodies: the center of their box, or the median of a sample. The median is used if
/// the box is so large that some bodies must have escaped.
pub(super) fn middle<V: Vector>(summary: &Summary<V>, sphere: impl Fn(usize) -> Sphere<V>) -> V {
    const MAX_DIAMETERS: f64 = 1024.0;
    if extent(&summary.bounds) <= 2.0 * MAX_DIAMETERS * summary.max_radius {
        summary.bounds.center()
    } else {
        Sample::new(summary.count, sphere).median
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::random_spheres;
    use glam::DVec3;

    /// The density is that around a body, for any extent.
    #[test]
    fn density_is_that_of_the_bulk() {
        let mut spheres = random_spheres::<DVec3>(2000, 0.3, 1.9, 1);
        let density_of = |spheres: &[Sphere<DVec3>]| {
            Sample::new(spheres.len(), |i: usize| spheres[i]).density(spheres.len())
        };
        let all = density_of(&spheres);
        let side = spheres
            .iter()
            .fold(0.0, |side: f64, s| side.max(s.center.x));
        assert!((0.5..2.0).contains(&(all * side.powi(3) / 2000.0)), "{all}");
        spheres[5].center = DVec3::splat(1e6);
        assert!((0.5..2.0).contains(&(density_of(&spheres) / all)));
    }
}
