use super::radii::RadiusDistribution;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{MAX_LENGTH, MIN_LENGTH, check_length_in};

/// The largest level size, twice the largest diameter.
pub(super) const MAX_SIZE: f64 = 4.0 * MAX_LENGTH;

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
pub struct LevelSizes(pub(super) Vec<f64>);

impl LevelSizes {
    /// Creates level sizes, the smallest first.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if a size is not within [2^-150, 2^152], and
    /// [`ErrorKind::CellSize`] if there are none or they do not increase.
    pub fn new(sizes: impl Into<Vec<f64>>) -> Result<Self> {
        let sizes = sizes.into();
        let mut below = 0.0;
        for (level, &size) in sizes.iter().enumerate() {
            check_length_in("level size", size, MAX_SIZE, "within [2^-150, 2^152]")?;
            if size <= below {
                return Err(Error(Cause::LevelSize { level, size }));
            }
            below = size;
        }
        if sizes.is_empty() {
            return Err(Error(Cause::NoLevels));
        }
        Ok(Self(sizes))
    }

    /// Returns the sizes, the smallest first; at least one.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Returns the largest size.
    pub(in crate::broad) fn last(&self) -> f64 {
        self.0.last().copied().unwrap_or(0.0)
    }

    /// Creates level sizes from sizes divided by the scale of the radii, as [`scale`] does.
    pub(crate) fn scaled(radii: &RadiusDistribution, mut sizes: Vec<f64>) -> Self {
        scale(radii, &mut sizes);
        Self(sizes)
    }
}

/// Multiplies sizes by the scale of the radii and drops those that do not increase strictly, except the last.
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
