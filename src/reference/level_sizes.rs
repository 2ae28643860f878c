//! Rules for the level sizes of a hierarchical grid, section 5.2 of Krijgsman et al. (2014).

use crate::broad::LevelSizes;
use crate::broad::levels::{GridCostModel, MAX_OPTIMAL_LEVELS, RadiusDistribution};
use crate::math::{Vector, last_where};

/// The largest number of levels that a rule makes.
const MAX_LEVELS: usize = 4096;

/// Returns level sizes in equal steps, section 5.2.1 of Krijgsman et al. (2014).
///
/// Level h of L has the size `s_h = 2 r_min + 2 (r_max - r_min) h / L`, for `level_count` levels and radii
/// from r_min to r_max.
///
/// The largest diameter is a size, the smallest is not. There are at least one and at most 4096 levels, and fewer than
/// `level_count` if sizes would be equal. Bodies that are all points get one level of size 1. The same holds for the
/// other rules.
///
/// ```
/// use osculate::reference::{
///     GridCost, GridCostModel, RadiusDistribution, linear_level_sizes, optimal_level_sizes,
/// };
/// use osculate::{broad::SearchDirection::TopDown, glam::DVec3};
///
/// let radii = RadiusDistribution::new(&[vec![1.0; 999], vec![10.0]].concat())?;
/// let density = radii.density::<DVec3>(0.6);
/// let model = GridCostModel::new::<DVec3>(&radii, density, TopDown, GridCost::CELLS)?;
/// assert_eq!(optimal_level_sizes(&model, None).as_slice(), [2.0, 20.0]);
/// assert_eq!(linear_level_sizes(&radii, 3).as_slice(), [8.0, 14.0, 20.0]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[must_use]
pub fn linear_level_sizes(radii: &RadiusDistribution, level_count: usize) -> LevelSizes {
    let (min, max) = ends(radii);
    spread(radii, level_count, |part| min + (max - min) * part)
}

/// Returns level sizes in a constant ratio, section 5.2.2 of Krijgsman et al. (2014).
///
/// Level h of L has the size `s_h = 2 r_min (r_max / r_min)^(h / L)`, in the notation of [`linear_level_sizes`].
///
/// The smallest radius excludes points.
#[must_use]
pub fn exponential_level_sizes(radii: &RadiusDistribution, level_count: usize) -> LevelSizes {
    let (_, max) = ends(radii);
    let min = radii.distinct().iter().find(|&&r| r > 0.0);
    let min = min.map_or(max, |r| 2.0 * r);
    spread(radii, level_count, |part| min * (max / min).powf(part))
}

/// Returns level sizes with about equal numbers of bodies per cell, section 5.2.3 of Krijgsman et
/// al. (2014).
///
/// With n_h bodies of size s_h on level h, in d dimensions, `n_h s_h^d` is the same for all levels
/// if the radii allow it.
#[must_use]
pub fn constant_count_level_sizes<V: Vector>(
    radii: &RadiusDistribution,
    level_count: usize,
) -> LevelSizes {
    let count = level_count.clamp(1, MAX_LEVELS);
    // Positive doubles are ordered as their bits: bisect for the least count per cell that needs no more
    // than `count` levels.
    let (mut enough, mut too_little) = (f64::MAX.to_bits(), 0);
    while enough - too_little > 1 {
        let middle = too_little + (enough - too_little) / 2;
        match filled_levels::<V>(radii, count, f64::from_bits(middle)) {
            Some(_) => enough = middle,
            None => too_little = middle,
        }
    }
    let sizes = filled_levels::<V>(radii, count, f64::from_bits(enough));
    LevelSizes::scaled(radii, sizes.unwrap_or_default())
}

/// Returns the sizes of least [`time`](GridCostModel::time), for a number of levels or for any.
///
/// A given number is limited to 64, and to the number of radii. The sizes are the shortest path over candidates, which
/// are refined four times around the result. Candidates are all diameters if there are at most 128, otherwise a sample,
/// and sizes around the mean distance of bodies. Cost: a few milliseconds for smooth distributions.
#[must_use]
pub fn optimal_level_sizes(model: &GridCostModel, level_count: Option<usize>) -> LevelSizes {
    let level_count = level_count.map(|count| count.clamp(1, MAX_OPTIMAL_LEVELS));
    LevelSizes::optimal(model, level_count)
}

fn spread(radii: &RadiusDistribution, level_count: usize, size: impl Fn(f64) -> f64) -> LevelSizes {
    let count = level_count.clamp(1, MAX_LEVELS);
    let sizes = (1..count).map(|h| size(h as f64 / count as f64));
    LevelSizes::scaled(radii, sizes.chain([ends(radii).1]).collect())
}

/// Returns the smallest and the largest diameter, divided by the scale; 0 without bodies.
fn ends(radii: &RadiusDistribution) -> (f64, f64) {
    let diameter = |radius: Option<&f64>| radius.map_or(0.0, |r| 2.0 * r);
    let distinct = radii.distinct();
    (diameter(distinct.first()), diameter(distinct.last()))
}

/// Returns the smallest sizes whose levels hold `filled` bodies times a cell's volume, the rest on the last level.
/// Returns `None` for more than `count` sizes.
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
        let has_room = |end: usize| {
            let size = 2.0 * distinct[end - 1];
            let volume = (0..V::DIM).fold(1.0, |volume, _| volume * size);
            radii.part(start, end) * volume < filled
        };
        let last = last_where(start..distinct.len(), has_room);
        sizes.push(2.0 * distinct[last]);
        start = last + 1;
    }
    Some(sizes)
}
