//! The choice of level sizes from the radii and the density.

use super::histogram::{RadiusHistogram, bin, upper_end};
use super::sample::Sample;
use super::summary::{Summary, extent};
use crate::broad::levels::{
    GridCost, GridCostModel, LevelSizes, RadiusDistribution, SearchDirection, SizeSearch,
};
use crate::broad::source::Source;
use crate::error::{Cause, Error, Result};
use crate::math::{MIN_LENGTH, Vector};

/// The source of the level sizes.
#[derive(Clone, Debug, Default)]
pub(super) enum Sizing {
    /// One level, for the largest body.
    OneLevel,
    /// The cost model, from the radii and the density.
    #[default]
    Tuned,
    /// The caller.
    Given(LevelSizes),
}

impl Sizing {
    /// Checks that body `index` is not larger than the largest given size.
    pub(super) fn check_radius(&self, index: usize, radius: f64) -> Result<()> {
        let diameter = 2.0 * radius;
        match self {
            Self::Given(sizes) if diameter > sizes.last() => Err(Error(Cause::CellTooSmall {
                index,
                diameter,
                cell_size: sizes.last(),
            })),
            _ => Ok(()),
        }
    }
}

/// The radii of the bodies, and the sizes found for the last sets of radii.
///
/// A rebuild may need two sets of sizes, and rounded inputs may alternate between two values: hence four.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    pub(super) histogram: RadiusHistogram,
    /// Buffers of the parallel rebuild: the counts of parts of the bodies.
    pub(super) parts: Vec<RadiusHistogram>,
    /// The latest comes first.
    last: [TunedSizes; 4],
    radii: RadiusDistribution,
    search: SizeSearch,
}

/// Level sizes, and the inputs for which they were found.
#[derive(Clone, Debug, Default)]
struct TunedSizes {
    density: f64,
    max_radius: f64,
    bins: Vec<(f64, f64)>,
    sizes: Vec<f64>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            histogram: RadiusHistogram::default(),
            parts: Vec::new(),
            last: Default::default(),
            radii: RadiusDistribution::none(),
            search: SizeSearch::default(),
        }
    }
}

impl Tuning {
    pub(super) fn bytes(&self) -> usize {
        let bytes = |tuned: &TunedSizes| 16 * tuned.bins.capacity() + 8 * tuned.sizes.capacity();
        let tuned = self.last.iter().map(bytes).sum::<usize>();
        let parts = self.parts.iter().map(RadiusHistogram::bytes).sum::<usize>();
        self.histogram.bytes() + parts + tuned + self.radii.bytes() + self.search.bytes()
    }

    /// Returns the density for which the last sizes were found.
    pub(super) const fn density(&self) -> f64 {
        self.last[0].density
    }

    /// Finds sizes for the spheres, whose radii the histogram has counted.
    ///
    /// The sizes depend only on these inputs. Inputs are rounded, so that they stay the same for most steps of a
    /// simulation and the previous sizes are reused. `crowding` is the ratio of the measured to the estimated density.
    pub(super) fn sizes<V: Vector>(
        &mut self,
        summary: &Summary<V>,
        source: &Source<'_, V>,
        crowding: f64,
    ) -> &[f64] {
        let sample = Sample::new(summary.count, source);
        let density = round_to_octave(crowding * sample.density(summary.count));
        let max_radius = summary.max_radius;
        // A radius counts as the upper end of its bin, limited to the largest radius. A body that reaches beyond the
        // bulk visits all its cells; a larger body visits no more.
        let extent = extent(&sample.bulk).max(2.0 * sample.median_radius);
        let limit = max_radius.min(upper_end(bin((2.0 * extent).max(MIN_LENGTH))));
        let bins = self.histogram.bins();
        let bins = bins.map(|(radius, count)| (radius.min(limit), count));
        let is_known = |tuned: &TunedSizes| {
            (tuned.density, tuned.max_radius) == (density, max_radius)
                && bins.clone().eq(tuned.bins.iter().copied())
        };
        let known = self.last.iter().position(is_known);
        self.last[..=known.unwrap_or(3)].rotate_right(1);
        let tuned = &mut self.last[0];
        if known.is_none() {
            (tuned.density, tuned.max_radius) = (density, max_radius);
            tuned.bins.clear();
            tuned.bins.extend(bins);
            tuned.sizes.clear();
            self.radii.set(tuned.bins.iter().copied());
            let direction = SearchDirection::TopDown;
            let model = GridCostModel::new::<V>(&self.radii, density, direction, GridCost::ROWS);
            if let Ok(model) = model {
                self.search.run(&model, None, 0, &mut tuned.sizes);
            }
            // The last level stores the largest body.
            let last = tuned.sizes.pop().unwrap_or(0.0);
            tuned.sizes.push(last.max(2.0 * max_radius));
        }
        &tuned.sizes
    }
}

/// Rounds to the middle between two adjacent powers of two.
fn round_to_octave(x: f64) -> f64 {
    1.5 * f64::from_bits(x.to_bits() & !((1 << 52) - 1))
}
