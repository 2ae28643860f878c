//! What a rebuild decides before it takes anything in: the sizes of the levels.

use std::ops::Range;

use smallvec::SmallVec;

use super::histogram::{Histogram, bin, upper_end};
use super::table::{Level, Limit};
use crate::broad::cells::{Cells, WIDENING};
use crate::broad::levels::SizeSearch;
use crate::broad::levels::{GridCost, GridCostModel, RadiusDistribution};
use crate::broad::{GridWork, LevelSizes, SearchDirection};
use crate::error::{Cause, Result};
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// How many bodies are asked for the density.
const SAMPLE: usize = 256;

/// Where the sizes of levels come from.
#[derive(Clone, Debug, Default)]
pub(super) enum Sizing {
    /// One level, for the largest body.
    One,
    /// From the radii and the density, by the cost model.
    #[default]
    Tuned,
    /// From the caller.
    Given(LevelSizes),
}

/// What is known of a set of spheres before it is taken in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey<V> {
    pub(super) count: usize,
    pub(super) bounds: Aabb<V>,
    pub(super) largest: f64,
}

impl<V: Vector> Survey<V> {
    /// Of the spheres of a range of indices, each of which is checked.
    pub(super) fn of(
        range: Range<usize>,
        sphere: impl Fn(usize) -> Sphere<V>,
        mut see_radius: impl FnMut(usize, f64),
    ) -> Result<Self> {
        let mut survey = Self::none();
        survey.count = range.len();
        for index in range {
            let sphere = sphere(index);
            sphere.validate(index)?;
            survey.add(&sphere);
            see_radius(index, sphere.radius);
        }
        Ok(survey)
    }

    /// Of no spheres.
    pub(super) fn none() -> Self {
        Self {
            count: 0,
            bounds: Aabb {
                min: V::splat(f64::INFINITY),
                max: V::splat(f64::NEG_INFINITY),
            },
            largest: 0.0,
        }
    }

    /// Adds a sphere that has been counted.
    #[inline(always)]
    pub(super) fn add(&mut self, sphere: &Sphere<V>) {
        self.bounds.min = self.bounds.min.min(sphere.center);
        self.bounds.max = self.bounds.max.max(sphere.center);
        if sphere.radius > self.largest {
            self.largest = sphere.radius;
        }
    }

    /// Of both sets together.
    #[cfg(feature = "rayon")]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            bounds: self.bounds.union(&other.bounds),
            largest: self.largest.max(other.largest),
        }
    }
}

/// The largest extent along an axis.
pub(super) fn extent<V: Vector>(bounds: &Aabb<V>) -> f64 {
    (0..V::DIM).fold(0.0, |extent: f64, axis| extent.max(bounds.size()[axis]))
}

impl Sizing {
    /// Refuses sizes that are too small for a body.
    pub(super) fn check<V: Vector>(
        &self,
        survey: &Survey<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> Result<()> {
        let Self::Given(sizes) = self else {
            return Ok(());
        };
        let cell_size = sizes.as_slice().iter().fold(0.0, |_, &last| last);
        if 2.0 * survey.largest > cell_size {
            let diameter = |index: usize| 2.0 * sphere(index).radius;
            let index = (0..survey.count).find(|&index| diameter(index) > cell_size);
            let index = index.unwrap_or(0);
            return Err(Cause::CellTooSmall {
                index,
                diameter: diameter(index),
                cell_size,
            }
            .into());
        }
        Ok(())
    }
}

/// The radii there are, and the sizes that were found last: two for each rebuild, since what is rounded
/// may go back and forth between two values.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    pub(super) histogram: Histogram,
    last: [Tuned; 4],
    radii: RadiusDistribution,
    search: SizeSearch,
}

/// Sizes, and what they were found for.
#[derive(Clone, Debug, Default)]
struct Tuned {
    density: f64,
    /// Which part of the rows that larger bodies would look into they do look into.
    near: f64,
    largest: f64,
    bins: Vec<(f64, f64)>,
    sizes: Vec<f64>,
    /// Predicted.
    work: GridWork,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            histogram: Histogram::default(),
            last: Default::default(),
            radii: RadiusDistribution::none(),
            search: SizeSearch::default(),
        }
    }
}

impl Tuning {
    pub(super) fn bytes(&self) -> usize {
        let bytes = |tuned: &Tuned| 16 * tuned.bins.capacity() + 8 * tuned.sizes.capacity();
        let tuned = self.last.iter().map(bytes).sum::<usize>();
        self.histogram.bytes() + tuned + self.radii.bytes() + self.search.bytes()
    }

    /// The predicted work with the sizes that were found last.
    pub(super) fn work(&self) -> GridWork {
        self.last[0].work
    }

    /// Sizes for spheres whose radii the histogram holds: a function of nothing else. What it is
    /// worked out from is rounded, so that it stays the same for most steps of a simulation, and is
    /// then not worked out again.
    ///
    /// Larger bodies look into a part `near` of the rows that they would if finer bodies were as dense
    /// around them as around each other.
    pub(super) fn sizes<V: Vector>(
        &mut self,
        survey: &Survey<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
        near: f64,
    ) -> &[f64] {
        let sample = Sample::new(survey.count, sphere);
        let density = round_to_octave(density(survey, &sample));
        let largest = survey.largest;
        // The radii of a bin count as its upper end, those of the last one as the largest. What
        // reaches beyond all others looks into no more cells than one that just does.
        let extent = extent(&sample.bulk).max(2.0 * sample.median_radius);
        let most = largest.min(upper_end(bin((2.0 * extent).max(MIN_LENGTH))));
        let bins = self.histogram.bins();
        let bins = bins.map(|(radius, count)| (radius.min(most), count));
        let is_known = |tuned: &Tuned| {
            (tuned.density, tuned.near, tuned.largest) == (density, near, largest)
                && bins.clone().eq(tuned.bins.iter().copied())
        };
        // The latest is the first.
        let known = self.last.iter().position(is_known);
        self.last[..=known.unwrap_or(3)].rotate_right(1);
        let tuned = &mut self.last[0];
        if known.is_none() {
            (tuned.density, tuned.near, tuned.largest) = (density, near, largest);
            tuned.bins.clear();
            tuned.bins.extend(bins);
            tuned.find::<V>(&mut self.radii, &mut self.search);
        }
        &tuned.sizes
    }
}

impl Tuned {
    fn find<V: Vector>(&mut self, radii: &mut RadiusDistribution, search: &mut SizeSearch) {
        radii.set(self.bins.iter().copied());
        let model = GridCostModel::new::<V>(
            radii,
            self.density,
            SearchDirection::TopDown,
            GridCost::ROWS,
        );
        self.sizes.clear();
        self.work.tests = f64::INFINITY;
        if let Ok(model) = model.map(|model| model.with_near(self.near)) {
            search.near_optimal(&model, &mut self.sizes);
            self.work = model.work_of(&self.sizes);
        }
        // No body is too large for the last.
        let last = self.sizes.pop().unwrap_or(0.0);
        self.sizes.push(last.max(2.0 * self.largest));
    }
}

/// The middle between the next powers of two.
pub(super) fn round_to_octave(x: f64) -> f64 {
    1.5 * f64::from_bits(x.to_bits() & !((1 << 52) - 1))
}

/// Some bodies, spread over all of them.
pub(super) struct Sample<V> {
    positions: [V; SAMPLE],
    count: usize,
    /// The box without the outermost on each side.
    bulk: Aabb<V>,
    median: V,
    median_radius: f64,
}

impl<V: Vector> Sample<V> {
    /// Of so many spheres.
    pub(super) fn new(sphere_count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Self {
        let step = sphere_count.div_ceil(SAMPLE).max(1);
        let (mut positions, mut radii, mut count) = ([V::ZERO; SAMPLE], [0.0; SAMPLE], 0);
        for first in (0..sphere_count).step_by(step) {
            // Anywhere in the step: on a lattice of bodies equal steps may stay in one plane.
            let anywhere = (first as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let index = first + anywhere as usize % step.min(sphere_count - first);
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

    /// A box around the bulk of the bodies, with room, in the box of all.
    pub(super) fn inner(&self, survey: &Survey<V>) -> Aabb<V> {
        let half = self.bulk.size() * 0.5;
        Aabb {
            min: (self.bulk.min - half).max(survey.bounds.min),
            max: (self.bulk.max + half).min(survey.bounds.max),
        }
    }

    /// How many ordered pairs of them share one of the cells of a width in the bulk, and how many
    /// of them are in it.
    fn crowding(&self, width: [f64; 3]) -> (f64, f64) {
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
        let crowds = cells.chunk_by(|a, b| a == b).map(<[_]>::len);
        (crowds.map(|n| (n * (n - 1)) as f64).sum(), count as f64)
    }
}

/// How many bodies are in unit volume around a body. Where they lie close together in part of the
/// extent, that is more than their number over its volume.
fn density<V: Vector>(survey: &Survey<V>, sample: &Sample<V>) -> f64 {
    // Bodies in a plane still have a thickness, but that of one large body would be too much.
    let thickness = (2.0 * sample.median_radius).max(MIN_LENGTH);
    // 64 cells over the bulk, a little wider than it so that the last body is in the last one.
    let cells_per_axis = if V::DIM == 2 { 8.0 } else { 4.0 };
    let mut width = [0.0; 3];
    for axis in 0..V::DIM {
        width[axis] = sample.bulk.size()[axis].max(thickness) * WIDENING / cells_per_axis;
    }
    let (mut pairs, inside) = sample.crowding(width);
    if pairs == 0.0 {
        return 0.0;
    }
    // In finer cells, up to those as wide as lumps that are far from each other, pairs stay
    // together.
    for axis in 0..V::DIM {
        // Up to 2^31 cells along an axis.
        for _ in 0..29 {
            let wide = width[axis];
            width[axis] *= 0.5;
            let (finer, _) = sample.crowding(width);
            if finer < 0.75 * pairs || width[axis] < thickness {
                width[axis] = wide;
                break;
            }
            pairs = finer;
        }
    }
    let volume: f64 = width[..V::DIM].iter().product();
    let around = pairs / (inside * (inside - 1.0)) * (inside / sample.count as f64);
    survey.count as f64 * around / volume
}

/// The middle of most bodies: amid the extent, unless that is so large that some must have
/// escaped.
pub(super) fn middle<V: Vector>(survey: &Survey<V>, sphere: impl Fn(usize) -> Sphere<V>) -> V {
    const FAR: f64 = 2048.0;
    if extent(&survey.bounds) <= FAR * survey.largest {
        survey.bounds.center()
    } else {
        Sample::new(survey.count, sphere).median
    }
}

/// For bodies without extent any cells do: the smallest of which there may be a table.
pub(super) fn size_for_points<V: Vector>(
    survey: &Survey<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> f64 {
    let bounds = Sample::new(survey.count, sphere).inner(survey);
    let is_dense = |size: f64| {
        let limit = Limit::new(survey.count, false);
        let cells = Cells::new(&bounds, size * WIDENING, limit.most());
        limit.count(&[Level::new(size, cells)]).is_some()
    };
    let sizes = (0..32)
        .rev()
        .map(|k| extent(&bounds) / f64::from(1_u32 << k));
    let mut sizes = sizes.filter(|&size| size >= MIN_LENGTH);
    let size = sizes.find(|&size| is_dense(size));
    size.unwrap_or_else(|| extent(&bounds).max(MIN_LENGTH))
}

/// Levels of sizes for trees or lists, without a table.
pub(super) fn resize_levels<V: Vector>(levels: &mut Vec<Level<V>>, sizes: &[f64]) {
    let level = |&size: &f64| Level::new(size, Cells::one(size * WIDENING));
    levels.clear();
    levels.extend(sizes.iter().map(level));
}

/// Sizes of one level for each octave of radii, and one for points: then a body that is near another
/// is not much larger, and what shares a cell with many touches some of them.
pub(super) fn octaves(radii: impl Iterator<Item = f64>) -> SmallVec<[f64; 64]> {
    // The largest diameter of each octave; that of points is the first.
    let mut sizes = [0.0_f64; 303];
    for radius in radii {
        let octave = (radius.to_bits() >> 52) as usize;
        let octave = (octave + 1).saturating_sub((MIN_LENGTH.to_bits() >> 52) as usize);
        let size = &mut sizes[octave.min(302)];
        *size = size.max((2.0 * radius).max(MIN_LENGTH));
    }
    sizes.into_iter().filter(|&size| size > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::random_spheres;
    use glam::DVec3;

    /// That around a body, whatever the extent.
    #[test]
    fn density_is_that_of_the_bulk() {
        let mut spheres = random_spheres::<DVec3>(2000, 0.3, 1.9, 1);
        let density_of = |spheres: &[Sphere<DVec3>]| {
            let sphere = |i: usize| spheres[i];
            let survey = Survey::of(0..spheres.len(), sphere, |_, _| ()).unwrap();
            density(&survey, &Sample::new(spheres.len(), sphere))
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
