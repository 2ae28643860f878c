use super::cost_model::GridCostModel;
use super::radii::RadiusDistribution;
use super::size_search::SizeSearch;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{MAX_LENGTH, MIN_LENGTH};

/// Largest number of levels of optimal sizes.
pub(crate) const MAX_OPTIMAL_LEVELS: usize = 64;
/// Cells for the largest bodies, with room.
pub(super) const MAX_SIZE: f64 = 4.0 * MAX_LENGTH;
/// How often the search is repeated around its result, each time 8 times finer.
const REFINEMENTS: usize = 4;

/// The cell sizes of the levels of a hierarchical grid, strictly increasing.
///
/// ```
/// use osculate::{HierarchicalGrid, broad::LevelSizes, glam::DVec3};
///
/// let grid = HierarchicalGrid::<DVec3>::new().with_level_sizes(LevelSizes::new([1.0, 4.0])?);
/// assert!(LevelSizes::new([4.0, 1.0]).is_err());
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

    /// Returns the sizes of least [`time`](GridCostModel::time); see
    /// [`optimal_level_sizes`](crate::reference::optimal_level_sizes).
    pub(crate) fn optimal(model: &GridCostModel, level_count: Option<usize>) -> Self {
        Self::shortest_path(model, level_count, REFINEMENTS)
    }

    /// Returns sizes within about 1 % of the least time: what the grid uses, 0.1 ms for 100 distinct radii.
    #[cfg(test)]
    pub(super) fn near_optimal(model: &GridCostModel) -> Self {
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

    /// From sizes that were divided by the scale and may not increase strictly; at the end is one
    /// that is to stay.
    pub(crate) fn scaled(radii: &RadiusDistribution, mut sizes: Vec<f64>) -> Self {
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
