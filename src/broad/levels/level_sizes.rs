use super::cost_model::GridCostModel;
use super::radii::RadiusDistribution;
use super::size_search::SizeSearch;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{MAX_LENGTH, MIN_LENGTH, Vector};

/// The most levels that are made for the asking.
const MAX_LEVELS: usize = 4096;
/// The same of sizes that are to be optimal.
pub(super) const MAX_OPTIMAL_LEVELS: usize = 64;
/// Cells for the largest bodies, with room.
pub(super) const MAX_SIZE: f64 = 4.0 * MAX_LENGTH;
/// How often the search is repeated around its result, each time 8 times finer.
const REFINEMENTS: usize = 4;

/// The cell sizes of the levels of a hierarchical grid, strictly increasing.
///
/// ```
/// use osculate::{GridCost, GridCostModel, SearchDirection, LevelSizes, RadiusDistribution, glam::DVec3};
///
/// let radii = RadiusDistribution::new(&[vec![1.0; 999], vec![10.0]].concat())?;
/// let density = radii.density::<DVec3>(0.6);
/// let model = GridCostModel::new::<DVec3>(&radii, density, SearchDirection::TopDown, GridCost::CELLS)?;
/// assert_eq!(LevelSizes::optimal(&model).as_slice(), [2.0, 20.0]);
/// assert_eq!(LevelSizes::linear(&radii, 3).as_slice(), [8.0, 14.0, 20.0]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<f64>", into = "Vec<f64>")
)]
pub struct LevelSizes(Vec<f64>);

impl LevelSizes {
    /// Sizes from the smallest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if a size is not within [2^-150, 2^152], and
    /// [`ErrorKind::CellSize`] if there are none or they do not increase.
    pub fn new(sizes: impl Into<Vec<f64>>) -> Result<Self> {
        let sizes = sizes.into();
        let mut below = 0.0;
        for (level, &size) in sizes.iter().enumerate() {
            if !(MIN_LENGTH..=MAX_SIZE).contains(&size) {
                return Err(Cause::Length {
                    name: "level size",
                    value: size,
                    domain: "within [2^-150, 2^152]",
                }
                .into());
            }
            if size <= below {
                return Err(Cause::LevelSize { level, size }.into());
            }
            below = size;
        }
        if sizes.is_empty() {
            return Err(Cause::NoLevels.into());
        }
        Ok(Self(sizes))
    }

    /// The sizes, from the smallest; at least one.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Sizes in equal steps from the smallest diameter, which is no size itself, to the largest.
    ///
    /// `s_h = 2 r_min + 2 (r_max - r_min) h / L` (section 5.2.1). This and the following: at most
    /// 4096 levels, at least one, and fewer than asked for where sizes would be equal. Bodies that
    /// are all points get one level of size 1.
    pub fn linear(radii: &RadiusDistribution, level_count: usize) -> Self {
        let (min, max) = ends(radii);
        Self::spread(radii, level_count, |part| min + (max - min) * part)
    }

    /// Sizes in a constant ratio from the smallest diameter, which is no size itself, to the
    /// largest: `s_h = 2 r_min (r_max / r_min)^(h / L)` (section 5.2.2). Points do not count for
    /// the smallest.
    pub fn exponential(radii: &RadiusDistribution, level_count: usize) -> Self {
        let (_, max) = ends(radii);
        let min = radii.distinct().iter().find(|&&r| r > 0.0);
        let min = min.map_or(max, |r| 2.0 * r);
        Self::spread(radii, level_count, |part| min * (max / min).powf(part))
    }

    /// Sizes with about the same number of bodies per cell on each level: `n_h s_h^d` is the same,
    /// as far as the radii allow (section 5.2.3).
    pub fn constant_count<V: Vector>(radii: &RadiusDistribution, level_count: usize) -> Self {
        let count = level_count.clamp(1, MAX_LEVELS);
        // Positive doubles are in the order of their bits: the least count per cell that needs no
        // more levels than asked for.
        let (mut enough, mut too_little) = (f64::MAX.to_bits(), 0);
        while enough - too_little > 1 {
            let middle = too_little + (enough - too_little) / 2;
            match filled_levels::<V>(radii, count, f64::from_bits(middle)) {
                Some(_) => enough = middle,
                None => too_little = middle,
            }
        }
        let sizes = filled_levels::<V>(radii, count, f64::from_bits(enough));
        Self::scaled(radii, sizes.unwrap_or_default())
    }

    /// The sizes of least [`time`](GridCostModel::time), for any number of levels.
    ///
    /// The shortest path over candidate sizes (all diameters if there are at most 128, else a
    /// sample of them, and sizes around the mean distance of bodies), repeated on finer candidates
    /// around it. Some milliseconds for smooth distributions.
    pub fn optimal(model: &GridCostModel) -> Self {
        Self::shortest_path(model, None, REFINEMENTS)
    }

    /// The best sizes of so many levels, at most 64; of fewer if there are fewer radii.
    pub fn optimal_of(model: &GridCostModel, level_count: usize) -> Self {
        let count = level_count.clamp(1, MAX_OPTIMAL_LEVELS);
        Self::shortest_path(model, Some(count), REFINEMENTS)
    }

    /// The shortest path on the first candidates: within about 1 % of the least time, and cheap
    /// enough for each step of a simulation (0.1 ms for 100 distinct radii).
    pub fn near_optimal(model: &GridCostModel) -> Self {
        Self::shortest_path(model, None, 0)
    }

    fn shortest_path(
        model: &GridCostModel,
        level_count: Option<usize>,
        refinements: usize,
    ) -> Self {
        let mut sizes = Vec::new();
        SizeSearch::default().run(model, level_count, refinements, &mut sizes);
        Self::scaled(model.radii(), sizes)
    }

    fn spread(radii: &RadiusDistribution, level_count: usize, size: impl Fn(f64) -> f64) -> Self {
        let count = level_count.clamp(1, MAX_LEVELS);
        let sizes = (1..count).map(|h| size(h as f64 / count as f64));
        Self::scaled(radii, sizes.chain([ends(radii).1]).collect())
    }

    /// From sizes that were divided by the scale and may not increase strictly; at the end is one
    /// that is to stay.
    fn scaled(radii: &RadiusDistribution, mut sizes: Vec<f64>) -> Self {
        scale(radii, &mut sizes);
        Self(sizes)
    }
}

/// Multiplies sizes by the scale of the radii, and leaves out those that do not increase strictly;
/// the last one stays.
pub(super) fn scale(radii: &RadiusDistribution, sizes: &mut Vec<f64>) {
    let last = sizes.pop().filter(|&last| last > 0.0).unwrap_or(1.0);
    let last = (last * radii.scale()).max(MIN_LENGTH);
    let mut below = 0.0;
    sizes.retain_mut(|size| {
        *size *= radii.scale();
        let is_kept = *size >= MIN_LENGTH && *size > below && *size < last;
        below = if is_kept { *size } else { below };
        is_kept
    });
    sizes.push(last);
}

impl TryFrom<Vec<f64>> for LevelSizes {
    type Error = Error;

    fn try_from(sizes: Vec<f64>) -> Result<Self> {
        Self::new(sizes)
    }
}

impl From<LevelSizes> for Vec<f64> {
    fn from(sizes: LevelSizes) -> Self {
        sizes.0
    }
}

/// The smallest and the largest diameter, divided by the scale; 0 without bodies.
fn ends(radii: &RadiusDistribution) -> (f64, f64) {
    match radii.distinct() {
        [] => (0.0, 0.0),
        [all] => (2.0 * all, 2.0 * all),
        [min, .., max] => (2.0 * min, 2.0 * max),
    }
}

/// Levels as small as hold a number of bodies times a cell's volume, with what is left on the
/// last; `None` if they are more than so many.
fn filled_levels<V: Vector>(
    radii: &RadiusDistribution,
    count: usize,
    filled: f64,
) -> Option<Vec<f64>> {
    let distinct = radii.distinct();
    let (mut sizes, mut start) = (Vec::new(), 0);
    while start < distinct.len() {
        if sizes.len() == count {
            return None;
        }
        let is_filled = |end: usize| {
            let size = 2.0 * distinct[end - 1];
            let volume = (0..V::DIM).fold(1.0, |volume, _| volume * size);
            radii.part(start, end) * volume >= filled
        };
        // Partition point of a range of ends.
        let (mut low, mut high) = (start + 1, distinct.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_filled(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        sizes.push(2.0 * distinct[high - 1]);
        start = high;
    }
    Some(sizes)
}
