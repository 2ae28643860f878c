//! A sample of the bodies, which estimates the density, the middle and the bulk of all bodies.

use super::summary::{Summary, extent};
use crate::broad::cells::WIDENING;
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// The largest number of bodies in a sample.
const SAMPLE: usize = 256;
/// The least number of bodies in a sample, if there are that many.
const LEAST_SAMPLE: usize = 64;
/// The least number of bodies per sampled body, so that the sample takes a small part of a rebuild.
const SPACING: usize = 16;

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
        let most = (sphere_count / SPACING).clamp(LEAST_SAMPLE, SAMPLE);
        let step = sphere_count.div_ceil(most).max(1);
        let (mut positions, mut radii, mut count) = ([V::ZERO; SAMPLE], [0.0; SAMPLE], 0);
        for first in (0..sphere_count).step_by(step) {
            // A pseudorandom body of each step. On a lattice, equal steps may stay in one plane.
            let random = (first as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let index = first + random as usize % step.min(sphere_count - first);
            let sphere = sphere(index);
            (positions[count], radii[count]) = (sphere.center, sphere.radius);
            count += 1;
        }
        let outermost = count / 32;
        let last = count.saturating_sub(1 + outermost);
        let (mut min, mut median, mut max) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        let mut coordinates = [0.0; SAMPLE];
        let coordinates = &mut coordinates[..count];
        for axis in 0..V::DIM {
            for (coordinate, position) in coordinates.iter_mut().zip(&positions) {
                *coordinate = position[axis];
            }
            median[axis] = select(coordinates, count / 2);
            min[axis] = select(&mut coordinates[..=count / 2], outermost);
            max[axis] = select(&mut coordinates[count / 2..], last - count / 2);
        }
        let [min, median, max] = [min, median, max].map(|along| V::from_fn(|axis| along[axis]));
        Self {
            positions,
            count,
            bulk: Aabb { min, max },
            median,
            median_radius: select(&mut radii[..count], count / 2),
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
    /// It exceeds their number per volume of the extent if the bodies are concentrated in a part of it.
    ///
    /// Of the m sampled bodies in the bulk, let S of the m (m - 1) ordered pairs share a cell of volume v. A body of
    /// the bulk shares its cell with another body of the bulk with probability S / (m (m - 1)). So for M sampled
    /// bodies, about n m/M S / (m (m - 1)) of all n bodies are in its cell. The density is that number over v. The bulk
    /// is first divided into 64 cells. They are halved along each axis while this separates less than a quarter of the
    /// pairs: such cells are wider than isolated lumps of bodies.
    pub(super) fn density(&self, body_count: usize) -> f64 {
        // Bodies in a plane have a thickness: the median diameter, not that of a single large body.
        let thickness = (2.0 * self.median_radius).max(MIN_LENGTH);
        let cells_per_axis = if V::DIM == 2 { 8.0 } else { 4.0 };
        let mut width = [0.0; 3];
        for axis in 0..V::DIM {
            // Widened so that the last body is in the last cell.
            width[axis] = self.bulk.size()[axis].max(thickness) * WIDENING / cells_per_axis;
        }
        let mut cells = BulkCells::new(self, width);
        let (inside, mut pairs) = (cells.count as f64, cells.pairs());
        if pairs == 0.0 {
            return 0.0;
        }
        for axis in 0..V::DIM {
            // With the first 2^2 or 2^3, up to 2^32 cells along an axis.
            for _ in 0..29 {
                let wide = (width[axis], cells.along[axis]);
                width[axis] *= 0.5;
                cells.set(self, axis, width[axis]);
                let finer = cells.pairs();
                if finer < 0.75 * pairs || width[axis] < thickness {
                    (width[axis], cells.along[axis]) = wide;
                    break;
                }
                pairs = finer;
            }
        }
        let volume: f64 = width[..V::DIM].iter().product();
        let around = pairs / (inside * (inside - 1.0)) * (inside / self.count as f64);
        body_count as f64 * around / volume
    }
}

/// Returns the number at a position in ascending order.
fn select(numbers: &mut [f64], position: usize) -> f64 {
    *numbers.select_nth_unstable_by(position, f64::total_cmp).1
}

/// The cells of the sampled bodies in the bulk.
struct BulkCells {
    /// The bodies in the bulk, by their place in the sample.
    inside: [u8; SAMPLE],
    count: usize,
    /// By axis and body.
    along: [[u32; SAMPLE]; 3],
}

impl BulkCells {
    fn new<V: Vector>(sample: &Sample<V>, width: [f64; 3]) -> Self {
        let mut cells = Self {
            inside: [0; SAMPLE],
            count: 0,
            along: [[0; SAMPLE]; 3],
        };
        let bulk = &sample.bulk;
        for (i, &position) in (0..=u8::MAX).zip(&sample.positions[..sample.count]) {
            let is_in = |axis| bulk.min[axis] <= position[axis] && position[axis] <= bulk.max[axis];
            if (0..V::DIM).all(is_in) {
                cells.inside[cells.count] = i;
                cells.count += 1;
            }
        }
        for axis in 0..V::DIM {
            cells.set(sample, axis, width[axis]);
        }
        cells
    }

    /// Sets the width along an axis.
    fn set<V: Vector>(&mut self, sample: &Sample<V>, axis: usize, width: f64) {
        let min = sample.bulk.min[axis];
        let places = self.along[axis].iter_mut().zip(&self.inside[..self.count]);
        for (cell, &i) in places {
            *cell = ((sample.positions[usize::from(i)][axis] - min) / width) as u32;
        }
    }

    /// Returns the number of ordered pairs of bodies that share a cell.
    fn pairs(&self) -> f64 {
        const TABLE: usize = 4096;
        let [x, y, z] = self.along.each_ref().map(|along| &along[..self.count]);
        let sizes =
            [x, y, z].map(|along| along.iter().fold(0, |max, &cell| max.max(cell)) as usize + 1);
        let size = sizes
            .iter()
            .fold(1_usize, |size, &along| size.saturating_mul(along));
        if size <= TABLE {
            let (mut counts, mut pairs) = ([0_u16; TABLE], 0_u32);
            for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
                let cell = (z as usize * sizes[1] + y as usize) * sizes[0] + x as usize;
                pairs += u32::from(counts[cell]);
                counts[cell] += 1;
            }
            return f64::from(2 * pairs);
        }
        let mut cells = [[0; 3]; SAMPLE];
        let cells = &mut cells[..self.count];
        for (i, cell) in cells.iter_mut().enumerate() {
            *cell = [x[i], y[i], z[i]];
        }
        cells.sort_unstable();
        let counts = cells.chunk_by(|a, b| a == b).map(<[_]>::len);
        counts.map(|n| (n * (n - 1)) as f64).sum()
    }
}

/// Returns the middle of most bodies: the center of their box, or the median of a sample. The median is used if the box
/// is so large that some bodies must have left the system.
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

    /// Cells are counted in a table or by sorting; both count each ordered pair of bodies in one cell.
    #[test]
    fn pairs_that_share_a_cell() {
        let one = Sphere::new(DVec3::ONE, 1.0);
        let sample = Sample::new(SAMPLE * SPACING, |_| one);
        let all = (SAMPLE * (SAMPLE - 1)) as f64;
        assert_eq!(BulkCells::new(&sample, [1.0; 3]).pairs(), all);
        let spheres = random_spheres::<DVec3>(SAMPLE * SPACING, 0.3, 1.0, 1);
        let sample = Sample::new(spheres.len(), |i| spheres[i]);
        for width in [4.0, 2.0, 1.0, 0.01] {
            let cells = BulkCells::new(&sample, [width; 3]);
            let cell = |i: usize| [0, 1, 2].map(|axis| cells.along[axis][i]);
            let expected = (0..cells.count).map(|i| {
                let others = (0..cells.count).filter(|&j| j != i && cell(j) == cell(i));
                others.count()
            });
            assert_eq!(cells.pairs(), expected.sum::<usize>() as f64, "{width}");
        }
    }

    /// Sampled bodies outside the bulk have no cell.
    #[test]
    fn cells_of_the_bulk_only() {
        let spheres = random_spheres::<DVec3>(SAMPLE * SPACING, 0.3, 1.0, 1);
        let sample = Sample::new(spheres.len(), |i| spheres[i]);
        let cells = BulkCells::new(&sample, [1.0; 3]);
        let Aabb { min, max } = sample.bulk;
        let is_in = |x: &&DVec3| x.cmpge(min).all() && x.cmple(max).all();
        let expected = sample.positions[..sample.count]
            .iter()
            .filter(is_in)
            .count();
        assert_eq!(cells.count, expected);
        assert!(expected < sample.count);
    }
}
