//! A sample of the bodies, which estimates the density, the middle and the bulk of all bodies.

use super::summary::{Summary, extent};
use crate::broad::source::{Source, body};
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::Aabb;

/// The largest number of bodies in a sample.
const SAMPLE: usize = 256;
/// The least number of bodies in a sample, if there are that many.
const LEAST_SAMPLE: usize = 64;
/// The least number of bodies per sampled body, so that the sample takes a small part of a rebuild.
const SPACING: usize = 16;

/// Some bodies, spread over all indices.
pub(super) struct Sample<V> {
    /// The box of the sample without the outermost 1/32 on each side.
    pub(super) bulk: Aabb<V>,
    /// The part of the sample that is in the bulk.
    inside: f64,
    median: V,
    pub(super) median_radius: f64,
}

impl<V: Vector> Sample<V> {
    /// Samples `sphere_count` spheres.
    pub(super) fn new(sphere_count: usize, source: &Source<'_, V>) -> Self {
        let most = (sphere_count / SPACING).clamp(LEAST_SAMPLE, SAMPLE);
        let step = sphere_count.div_ceil(most).max(1);
        let (mut positions, mut radii, mut count) = ([V::ZERO; SAMPLE], [0.0; SAMPLE], 0);
        for first in (0..sphere_count).step_by(step) {
            // A pseudorandom body of each step. On a lattice, equal steps may stay in one plane.
            let random = (first as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let index = first + random as usize % step.min(sphere_count - first);
            let sphere = body(source, index);
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
        let bulk = Aabb { min, max };
        let is_in = |position: &&V| bulk.contains(**position);
        let inside = positions[..count].iter().filter(is_in).count();
        Self {
            bulk,
            inside: inside as f64 / count as f64,
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

    /// Returns the number of bodies per unit volume of the bulk.
    pub(super) fn density(&self, body_count: usize) -> f64 {
        // Bodies in a plane have a thickness: the median diameter, not that of a single large body.
        let thickness = (2.0 * self.median_radius).max(MIN_LENGTH);
        let size = self.bulk.size();
        let sides = (0..V::DIM).map(|axis| size[axis].max(thickness));
        self.inside * body_count as f64 / sides.product::<f64>()
    }
}

/// Returns the number at a position in ascending order.
fn select(numbers: &mut [f64], position: usize) -> f64 {
    *numbers.select_nth_unstable_by(position, f64::total_cmp).1
}

/// Returns the middle of most bodies: the center of their box, or the median of a sample. The median is used if the box
/// is so large that some bodies must have left the system.
pub(super) fn middle<V: Vector>(summary: &Summary<V>, source: &Source<'_, V>) -> V {
    const MAX_DIAMETERS: f64 = 1024.0;
    if extent(&summary.bounds) <= 2.0 * MAX_DIAMETERS * summary.max_radius {
        summary.bounds.center()
    } else {
        Sample::new(summary.count, source).median
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::source::copies;
    use crate::shape::Sphere;
    use crate::testing::workload::random_spheres;
    use glam::DVec3;

    /// The density is that around a body, for any extent.
    #[test]
    fn density_is_that_of_the_bulk() {
        let mut spheres = random_spheres::<DVec3>(2000, 0.3, 1.9, 1);
        let density_of = |spheres: &[Sphere<DVec3>]| {
            Sample::new(spheres.len(), &copies(|i| spheres[i])).density(spheres.len())
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
