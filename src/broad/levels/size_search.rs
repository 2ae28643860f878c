//! The level sizes of least cost, as a shortest path.
//!
//! Candidate sizes s_1 < s_2 < ... are nodes. The cost of a level depends only on its own size and on the largest
//! radius of the level below, which the size below determines. Let w(i, j) be the cost of level s_j above level
//! s_i, and w(-, j) without a level below. The least cost t_j of all levels up to s_j then obeys
//!
//! ```text
//! t_j = min(w(-, j), min over i < j of t_i + w(i, j))
//! ```
//!
//! The result is the smallest t_j of the candidates that fit the largest body, with its path. For a given number
//! of levels L there are L layers of nodes, and t_j in layer l uses only t_i of layer l - 1. Cost: O(m^2) for m
//! candidates and each layer.

use super::cost_model::{GridCostModel, LevelTerms};
use super::level_sizes::{LevelSizes, MAX_SIZE, scale};
use super::radii::RadiusDistribution;
use crate::math::tolerance::two_to;
use crate::math::{MIN_LENGTH, last_where};

/// The largest number of levels of optimal sizes.
pub(crate) const MAX_OPTIMAL_LEVELS: usize = 64;
/// The number of times that optimal sizes are refined, each time with 8 times finer candidates.
const REFINEMENTS: usize = 4;
/// The largest number of distinct radii whose diameters are all candidates.
const MAX_RADII: usize = 128;
/// The ratio of candidates around the mean spacing, 2^(1/4).
const STEP: f64 = 1.189_207_115_002_721;
/// A cell size that exceeds a diameter by less is lowered to it: costs have their minima there.
const NEXT_DIAMETER: f64 = two_to(-9);

impl LevelSizes {
    /// Returns the sizes of least [`time`](GridCostModel::time); see
    /// [`optimal_level_sizes`](crate::reference::optimal_level_sizes).
    pub(crate) fn optimal(model: &GridCostModel, level_count: Option<usize>) -> Self {
        let mut sizes = Vec::new();
        SizeSearch::default().run(model, level_count, REFINEMENTS, &mut sizes);
        Self(sizes)
    }
}

/// A search for level sizes, with its buffers.
#[derive(Clone, Debug, Default)]
pub(in crate::broad) struct SizeSearch {
    sizes: Vec<f64>,
    candidates: Vec<LevelTerms>,
    /// By layer and candidate: the least cost, and the previous candidate on the path.
    steps: Vec<(f64, Option<u32>)>,
    path: Vec<usize>,
}

impl SizeSearch {
    pub(in crate::broad) fn bytes(&self) -> usize {
        8 * (self.sizes.capacity() + self.path.capacity())
            + size_of::<LevelTerms>() * self.candidates.capacity()
            + 16 * self.steps.capacity()
    }

    /// Replaces the contents of `sizes` by those of the shortest path.
    ///
    /// Without refinements they are within about 1 % of the least time: 0.1 ms for 100 distinct radii.
    pub(in crate::broad) fn run(
        &mut self,
        model: &GridCostModel,
        level_count: Option<usize>,
        refinements: usize,
        sizes: &mut Vec<f64>,
    ) {
        self.first_sizes(model);
        self.make_candidates(model);
        self.find_path(model, level_count);
        for _ in 0..refinements {
            // If levels cost almost nothing, finer candidates only add more levels.
            if self.path.len() > MAX_OPTIMAL_LEVELS {
                break;
            }
            self.finer_sizes();
            self.make_candidates(model);
            self.find_path(model, level_count);
        }
        sizes.clear();
        sizes.extend(self.path.iter().map(|&i| self.candidates[i].size));
        scale(model.radii(), sizes);
    }

    /// Makes the candidates: ascending and distinct sizes, in range, that fit at least one body.
    ///
    /// A size just above a diameter is lowered to it. Among many radii the cost is a sawtooth function of the
    /// size, with its minima at diameters.
    fn make_candidates(&mut self, model: &GridCostModel) {
        let (radii, sizes) = (model.radii(), &mut self.sizes);
        for size in &mut *sizes {
            if let Some(i) = radii.fitting(*size).checked_sub(1) {
                let diameter = 2.0 * radii.distinct()[i];
                if *size <= diameter * (1.0 + NEXT_DIAMETER) {
                    *size = diameter;
                }
            }
        }
        let scale = radii.scale();
        sizes.retain(|size| (MIN_LENGTH / scale..=MAX_SIZE / scale).contains(size));
        sizes.sort_unstable_by(f64::total_cmp);
        sizes.dedup();
        let levels = sizes
            .iter()
            .map(|&size| model.level(size, radii.fitting(size)));
        self.candidates.clear();
        self.candidates.extend(levels.filter(|level| level.end > 0));
    }

    /// Collects diameters, and sizes around the mean spacing, for gaps between the radii.
    ///
    /// Logarithms are avoided, since they differ between platforms.
    fn first_sizes(&mut self, model: &GridCostModel) {
        self.sizes.clear();
        self.add_diameters(model.radii());
        if let Some(spacing) = model.spacing() {
            // From 1/4 to 16 spacings. A level with 1/4096 of the bodies has 16 times the spacing in 3D.
            let around = std::iter::successors(Some(spacing / 4.0), |size| Some(size * STEP));
            self.sizes.extend(around.take(25));
        }
    }

    /// Adds diameters: all, or half of them in a constant ratio and half at equal numbers of bodies.
    fn add_diameters(&mut self, radii: &RadiusDistribution) {
        let distinct = radii.distinct();
        if distinct.len() <= MAX_RADII {
            self.sizes.extend(distinct.iter().map(|r| 2.0 * r));
            return;
        }
        let half = MAX_RADII / 2;
        let first = usize::from(distinct[0] == 0.0);
        let (min, max) = (distinct[first], distinct[distinct.len() - 1]);
        // (max / min)^(1/64), by six square roots.
        let ratio = (0..6).fold(max / min, |ratio: f64, _| ratio.sqrt());
        let by_size = std::iter::successors(Some(min), |r| Some(r * ratio)).take(half);
        let by_size = by_size.map(|r| distinct.partition_point(|&x| x <= r).max(1) - 1);
        let by_number = (1..=half).map(|k| {
            let part = k as f64 / half as f64;
            last_where(0..distinct.len(), |end| radii.part(0, end) < part)
        });
        let sample = by_size.chain(by_number);
        let sample = sample.chain([0, first, distinct.len() - 1]);
        self.sizes.extend(sample.map(|i| 2.0 * distinct[i]));
    }

    /// Collects the sizes of the path, and 7 sizes between each and its neighbors among the candidates.
    fn finer_sizes(&mut self) {
        let (candidates, sizes) = (&self.candidates, &mut self.sizes);
        sizes.clear();
        for &i in &self.path {
            let size = candidates[i].size;
            let below = i.checked_sub(1).map_or(size / STEP, |i| candidates[i].size);
            let above = candidates.get(i + 1).map_or(size * STEP, |next| next.size);
            for k in 0..8 {
                let part = f64::from(k) / 8.0;
                sizes.push(size - (size - below) * part);
                sizes.push(size + (above - size) * part);
            }
        }
    }

    /// Finds the path of least cost, with `level_count` levels or fewer if there are fewer candidates.
    fn find_path(&mut self, model: &GridCostModel, level_count: Option<usize>) {
        let levels = &self.candidates;
        let m = levels.len();
        // For any number of levels, the recurrence stays within one layer.
        let layers = level_count.unwrap_or(1).min(m);
        let steps = &mut self.steps;
        steps.clear();
        steps.resize(layers * m, (f64::INFINITY, None));
        for layer in 0..layers {
            let has_below = layer > 0 || level_count.is_none();
            let layer_below = layer.saturating_sub(1);
            for (j, level) in levels.iter().enumerate() {
                let mut best = (f64::INFINITY, None);
                if layer == 0 {
                    best.0 = model.level_work(level, 0).cost(model.cost());
                }
                let lower = if has_below { &levels[..j] } else { &[] };
                for (i, below) in lower.iter().enumerate() {
                    let so_far = steps[layer_below * m + i].0;
                    // A level whose bodies all fit the level below would be empty.
                    if below.end == level.end || so_far >= best.0 {
                        continue;
                    }
                    let time = so_far + model.level_work(level, below.end).cost(model.cost());
                    if time < best.0 {
                        best = (time, Some(i as u32));
                    }
                }
                steps[layer * m + j] = best;
            }
        }
        let radius_count = model.radii().distinct().len();
        self.walk_back(layers, radius_count);
    }

    /// Collects the path of least cost that fits all bodies, from the last layer that has one.
    fn walk_back(&mut self, layers: usize, radius_count: usize) {
        let (levels, steps, path) = (&self.candidates, &self.steps, &mut self.path);
        let m = levels.len();
        path.clear();
        for layer in (0..layers).rev() {
            let fits_all = |j: &usize| levels[*j].end == radius_count;
            let time = |j: usize| steps[layer * m + j].0;
            let ends = (0..m).filter(|j| fits_all(j) && time(*j).is_finite());
            let end = ends.min_by(|&a, &b| time(a).total_cmp(&time(b)));
            let mut node = end.map(|j| (layer, j));
            while let Some((layer, j)) = node {
                path.push(j);
                let below = layer.saturating_sub(1);
                node = steps[layer * m + j].1.map(|i| (below, i as usize));
            }
            if !path.is_empty() {
                break;
            }
        }
        path.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lone small radius and many that differ little: half of the sample divides the bodies into equal numbers.
    #[test]
    fn sample_of_many_radii() {
        let many = (0..9999).map(|i| 1000.0 + f64::from(i) * 1e-4);
        let radii: Vec<f64> = std::iter::once(1.0).chain(many).collect();
        let radii = RadiusDistribution::new(&radii).unwrap();
        let mut search = SizeSearch::default();
        search.add_diameters(&radii);
        assert!(search.sizes.len() <= MAX_RADII + 3);
        search.sizes.sort_unstable_by(f64::total_cmp);
        let ranks = search.sizes.iter().map(|&size| radii.fitting(size));
        let ranks: Vec<_> = ranks.collect();
        let longest = ranks.windows(2).map(|pair| pair[1] - pair[0]).max();
        let part = 10_000 / (MAX_RADII / 2);
        assert!((part..=part + 1).contains(&longest.unwrap()), "{longest:?}");
    }
}
