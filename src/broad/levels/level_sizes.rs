use super::cost_model::{CostModel, Level};
use super::radii::Radii;
use crate::error::{Error, Result};
use crate::math::{MAX_LENGTH, MIN_LENGTH, Vector};

/// The most levels that are made for the asking.
const MAX_LEVELS: usize = 4096;
/// The same of sizes that are to be optimal.
const MAX_OPTIMAL_LEVELS: usize = 64;
/// Cells for the largest bodies, with room.
const MAX_SIZE: f64 = 4.0 * MAX_LENGTH;
/// The most radii whose diameters are all candidates for a size.
const MAX_RADII: usize = 128;
/// How often the search is repeated around its result, each time 8 times finer.
const REFINEMENTS: usize = 4;
/// 2^(1/4).
const STEP: f64 = 1.189_207_115_002_721;

/// The cell sizes of the levels of a hierarchical grid, strictly increasing.
///
/// ```
/// use osculate::{Cost, CostModel, Direction, LevelSizes, Radii, glam::DVec3};
///
/// let radii = Radii::new(&[vec![1.0; 999], vec![10.0]].concat())?;
/// let density = radii.density::<DVec3>(0.6);
/// let model = CostModel::new::<DVec3>(&radii, density, Direction::TopDown, Cost::CELLS)?;
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
    /// [`Error::Length`] for a size out of [2^-150, 2^152]; [`Error::LevelSize`] unless they
    /// increase, and if there are none.
    pub fn new(sizes: impl Into<Vec<f64>>) -> Result<Self> {
        let sizes = sizes.into();
        let mut below = 0.0;
        for (level, &size) in sizes.iter().enumerate() {
            if !(MIN_LENGTH..=MAX_SIZE).contains(&size) {
                return Err(Error::Length {
                    name: "level size",
                    value: size,
                });
            }
            if size <= below {
                return Err(Error::LevelSize { level, size });
            }
            below = size;
        }
        if sizes.is_empty() {
            let size = f64::NAN;
            return Err(Error::LevelSize { level: 0, size });
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
    pub fn linear(radii: &Radii, level_count: usize) -> Self {
        let (min, max) = ends(radii);
        Self::spread(radii, level_count, |part| min + (max - min) * part)
    }

    /// Sizes in a constant ratio from the smallest diameter, which is no size itself, to the
    /// largest: `s_h = 2 r_min (r_max / r_min)^(h / L)` (section 5.2.2). Points do not count for
    /// the smallest.
    pub fn exponential(radii: &Radii, level_count: usize) -> Self {
        let (_, max) = ends(radii);
        let min = radii.distinct().iter().find(|&&r| r > 0.0);
        let min = min.map_or(max, |r| 2.0 * r);
        Self::spread(radii, level_count, |part| min * (max / min).powf(part))
    }

    /// Sizes with about the same number of bodies per cell on each level: `n_h s_h^d` is the same,
    /// as far as the radii allow (section 5.2.3).
    pub fn constant_count<V: Vector>(radii: &Radii, level_count: usize) -> Self {
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

    /// The sizes of least [`time`](CostModel::time), for any number of levels.
    ///
    /// The shortest path over candidate sizes (all diameters if there are at most 128, else a
    /// sample of them, and sizes around the mean distance of bodies), repeated on finer candidates
    /// around it. Some milliseconds for smooth distributions.
    pub fn optimal(model: &CostModel) -> Self {
        Self::shortest_path(model, None, REFINEMENTS)
    }

    /// The best sizes of so many levels, at most 64; of fewer if there are fewer radii.
    pub fn optimal_of(model: &CostModel, level_count: usize) -> Self {
        let count = level_count.clamp(1, MAX_OPTIMAL_LEVELS);
        Self::shortest_path(model, Some(count), REFINEMENTS)
    }

    /// The shortest path on the first candidates: within about 1 % of the least time, and cheap
    /// enough for each step of a simulation (0.1 ms for 100 distinct radii).
    pub fn near_optimal(model: &CostModel) -> Self {
        Self::shortest_path(model, None, 0)
    }

    fn shortest_path(model: &CostModel, level_count: Option<usize>, refinements: usize) -> Self {
        let mut candidates = levels(model, first_candidates(model));
        let mut path = shortest_path(model, &candidates, level_count);
        for _ in 0..refinements {
            // Where levels cost next to nothing, finer candidates only make more of them.
            if path.len() > MAX_OPTIMAL_LEVELS {
                break;
            }
            candidates = levels(model, finer_candidates(&candidates, &path));
            path = shortest_path(model, &candidates, level_count);
        }
        let sizes = path.iter().map(|&i| candidates[i].size).collect();
        Self::scaled(model.radii(), sizes)
    }

    fn spread(radii: &Radii, level_count: usize, size: impl Fn(f64) -> f64) -> Self {
        let count = level_count.clamp(1, MAX_LEVELS);
        let sizes = (1..count).map(|h| size(h as f64 / count as f64));
        Self::scaled(radii, sizes.chain([ends(radii).1]).collect())
    }

    /// From sizes that were divided by the scale and may not increase strictly; at the end is one
    /// that is to stay.
    fn scaled(radii: &Radii, mut sizes: Vec<f64>) -> Self {
        let last = sizes.pop().filter(|&last| last > 0.0).unwrap_or(1.0);
        let last = (last * radii.scale()).max(MIN_LENGTH);
        let mut increasing: Vec<f64> = Vec::with_capacity(sizes.len() + 1);
        for size in sizes {
            let size = size * radii.scale();
            let below = increasing.last().copied().unwrap_or(0.0);
            if size >= MIN_LENGTH && size > below && size < last {
                increasing.push(size);
            }
        }
        increasing.push(last);
        Self(increasing)
    }
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
fn ends(radii: &Radii) -> (f64, f64) {
    match radii.distinct() {
        [] => (0.0, 0.0),
        [all] => (2.0 * all, 2.0 * all),
        [min, .., max] => (2.0 * min, 2.0 * max),
    }
}

/// Levels as small as hold a number of bodies times a cell's volume, with what is left on the
/// last; `None` if they are more than so many.
fn filled_levels<V: Vector>(radii: &Radii, count: usize, filled: f64) -> Option<Vec<f64>> {
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

/// Candidates in order, each once; those that no body fits, or out of the domain, left out.
///
/// Those just above a diameter are put on it: among many radii the cost of sizes is a saw, with its
/// lower points on diameters.
fn levels(model: &CostModel, mut sizes: Vec<f64>) -> Vec<Level> {
    const JUST_ABOVE: f64 = 1.0 + f64::from_bits((1023 - 9) << 52);
    let radii = model.radii();
    for size in &mut sizes {
        if let Some(i) = radii.fitting(*size).checked_sub(1) {
            let diameter = 2.0 * radii.distinct()[i];
            if *size <= diameter * JUST_ABOVE {
                *size = diameter;
            }
        }
    }
    let scale = radii.scale();
    sizes.retain(|size| (MIN_LENGTH / scale..=MAX_SIZE / scale).contains(size));
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    let levels = sizes.iter().map(|&size| model.level(size));
    levels.filter(|level| level.end > 0).collect()
}

/// Diameters, and sizes around the distance of bodies for where there are gaps. No logarithms, which
/// differ between platforms.
fn first_candidates(model: &CostModel) -> Vec<f64> {
    let distinct = model.radii().distinct();
    let sample = sample(model.radii()).into_iter();
    let mut sizes: Vec<f64> = sample.map(|i| 2.0 * distinct[i]).collect();
    if let Some(spacing) = model.spacing() {
        // Up to 16 times as far apart are the bodies of a level that has 1/4096 of them (3D).
        let around = std::iter::successors(Some(spacing / 4.0), |size| Some(size * STEP));
        sizes.extend(around.take(25));
    }
    sizes
}

/// Which of the distinct radii are candidates: some in a constant ratio, some at equal numbers of
/// bodies.
fn sample(radii: &Radii) -> Vec<usize> {
    let distinct = radii.distinct();
    if distinct.len() <= MAX_RADII {
        return (0..distinct.len()).collect();
    }
    let half = MAX_RADII / 2;
    let first = usize::from(distinct[0] == 0.0);
    let (min, max) = (distinct[first], distinct[distinct.len() - 1]);
    // The sixth square root is that of order 2^6.
    let ratio = (0..6).fold(max / min, |ratio: f64, _| ratio.sqrt());
    let by_size = std::iter::successors(Some(min), |r| Some(r * ratio)).take(half);
    let by_size = by_size.map(|r| distinct.partition_point(|&x| x <= r).max(1) - 1);
    let by_number = (1..=half).map(|k| {
        let part = k as f64 / half as f64;
        let (mut low, mut high) = (0, distinct.len() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if radii.part(0, middle + 1) >= part {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    });
    let mut sample: Vec<usize> = by_size.chain(by_number).collect();
    sample.extend([0, first, distinct.len() - 1]);
    sample.sort_unstable();
    sample.dedup();
    sample
}

/// The sizes of a path and 7 more on either side, up to the next candidate.
fn finer_candidates(candidates: &[Level], path: &[usize]) -> Vec<f64> {
    let mut sizes = Vec::new();
    for &i in path {
        let size = candidates[i].size;
        let below = i.checked_sub(1).map_or(size / STEP, |i| candidates[i].size);
        let above = candidates.get(i + 1).map_or(size * STEP, |next| next.size);
        for k in 0..8 {
            let part = f64::from(k) / 8.0;
            sizes.push(size - (size - below) * part);
            sizes.push(size + (above - size) * part);
        }
    }
    sizes
}

/// The levels of least cost among the candidates, in order: so many, or fewer if it must be.
fn shortest_path(model: &CostModel, levels: &[Level], level_count: Option<usize>) -> Vec<usize> {
    let last = model.radii().distinct().len();
    let m = levels.len();
    // With the number of levels left open, a path may go on in the layer it is in.
    let layers = level_count.unwrap_or(1).min(m);
    let mut time = vec![f64::INFINITY; layers * m];
    let mut from = vec![None; layers * m];
    for layer in 0..layers {
        let before = match level_count {
            None => Some(0),
            Some(_) => layer.checked_sub(1),
        };
        for (j, level) in levels.iter().enumerate() {
            let mut best = (f64::INFINITY, None);
            if layer == 0 {
                best.0 = model.level_work(level, 0).cost(model.cost());
            }
            for (i, below) in levels[..j].iter().enumerate() {
                let Some(before) = before else { break };
                let so_far = time[before * m + i];
                // Nothing is on a level whose bodies all fit the one below.
                if below.end == level.end || so_far >= best.0 {
                    continue;
                }
                let time = so_far + model.level_work(level, below.end).cost(model.cost());
                if time < best.0 {
                    best = (time, Some(i));
                }
            }
            (time[layer * m + j], from[layer * m + j]) = best;
        }
    }
    let mut path = Vec::new();
    for layer in (0..layers).rev() {
        let ends = (0..m).filter(|&j| levels[j].end == last && time[layer * m + j].is_finite());
        let end = ends.min_by(|&a, &b| time[layer * m + a].total_cmp(&time[layer * m + b]));
        let mut at = end.map(|j| (layer, j));
        while let Some((layer, j)) = at {
            path.push(j);
            let layer_before = if level_count.is_some() {
                layer.saturating_sub(1)
            } else {
                0
            };
            at = from[layer * m + j].map(|i| (layer_before, i));
        }
        if !path.is_empty() {
            break;
        }
    }
    path.reverse();
    path
}
