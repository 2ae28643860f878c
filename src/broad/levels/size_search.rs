//! The sizes of least cost, as a shortest path over candidates.

use super::cost_model::{GridCostModel, Level};
use super::level_sizes::{MAX_OPTIMAL_LEVELS, MAX_SIZE, scale};
use super::radii::RadiusDistribution;
use crate::math::MIN_LENGTH;
use crate::math::tolerance::NEXT_DIAMETER;

/// The most radii whose diameters are all candidates for a size.
const MAX_RADII: usize = 128;
/// 2^(1/4).
const STEP: f64 = 1.189_207_115_002_721;

/// A search, with its buffers.
#[derive(Clone, Debug, Default)]
pub(in crate::broad) struct SizeSearch {
    /// Indices of distinct radii.
    sample: Vec<usize>,
    sizes: Vec<f64>,
    candidates: Vec<Level>,
    /// By layer and candidate: the least cost so far, and the candidate before.
    time: Vec<f64>,
    from: Vec<Option<u32>>,
    path: Vec<usize>,
}

impl SizeSearch {
    pub(in crate::broad) fn bytes(&self) -> usize {
        8 * (self.sample.capacity() + self.sizes.capacity() + self.path.capacity())
            + size_of::<Level>() * self.candidates.capacity()
            + 8 * (self.time.capacity() + self.from.capacity())
    }

    /// Writes the shortest path over the first candidates, within about 1 % of the least time, into a buffer.
    pub(in crate::broad) fn near_optimal(&mut self, model: &GridCostModel, into: &mut Vec<f64>) {
        self.run(model, None, 0, into);
        scale(model.radii(), into);
    }

    /// Sizes divided by the scale of the radii.
    pub(super) fn run(
        &mut self,
        model: &GridCostModel,
        level_count: Option<usize>,
        refinements: usize,
        into: &mut Vec<f64>,
    ) {
        self.first_sizes(model);
        self.make_candidates(model);
        self.find_path(model, level_count);
        for _ in 0..refinements {
            // Where levels cost next to nothing, finer candidates only make more of them.
            if self.path.len() > MAX_OPTIMAL_LEVELS {
                break;
            }
            self.finer_sizes();
            self.make_candidates(model);
            self.find_path(model, level_count);
        }
        into.clear();
        into.extend(self.path.iter().map(|&i| self.candidates[i].size));
    }

    /// Candidates in order, each once; those that no body fits, or out of the domain, left out.
    ///
    /// Those just above a diameter are put on it: among many radii the cost of sizes is a saw, with
    /// its lower points on diameters.
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
        let levels = sizes.iter().map(|&size| model.level(size));
        self.candidates.clear();
        self.candidates.extend(levels.filter(|level| level.end > 0));
    }

    /// Diameters, and sizes around the distance of bodies for where there are gaps. No logarithms,
    /// which differ between platforms.
    fn first_sizes(&mut self, model: &GridCostModel) {
        let distinct = model.radii().distinct();
        self.sample(model.radii());
        self.sizes.clear();
        let sample = self.sample.iter();
        self.sizes.extend(sample.map(|&i| 2.0 * distinct[i]));
        if let Some(spacing) = model.spacing() {
            // Up to 16 times as far apart are the bodies of a level that has 1/4096 of them (3D).
            let around = std::iter::successors(Some(spacing / 4.0), |size| Some(size * STEP));
            self.sizes.extend(around.take(25));
        }
    }

    /// Which of the distinct radii are candidates: some in a constant ratio, some at equal numbers
    /// of bodies.
    fn sample(&mut self, radii: &RadiusDistribution) {
        let distinct = radii.distinct();
        self.sample.clear();
        if distinct.len() <= MAX_RADII {
            self.sample.extend(0..distinct.len());
            return;
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
        self.sample.extend(by_size.chain(by_number));
        self.sample.extend([0, first, distinct.len() - 1]);
        self.sample.sort_unstable();
        self.sample.dedup();
    }

    /// The sizes of the path and 7 more on either side, up to the next candidate.
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

    /// The candidates of least cost, in order: so many, or fewer if it must be.
    fn find_path(&mut self, model: &GridCostModel, level_count: Option<usize>) {
        let levels = &self.candidates;
        let m = levels.len();
        // With the number of levels left open, a path may go on in the layer it is in.
        let layers = level_count.unwrap_or(1).min(m);
        let (time, from) = (&mut self.time, &mut self.from);
        time.clear();
        time.resize(layers * m, f64::INFINITY);
        from.clear();
        from.resize(layers * m, None);
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
                        best = (time, Some(i as u32));
                    }
                }
                (time[layer * m + j], from[layer * m + j]) = best;
            }
        }
        self.walk_back(
            layers,
            model.radii().distinct().len(),
            level_count.is_some(),
        );
    }

    /// The path that ends with all bodies, and is not empty, in the last layer that has one.
    fn walk_back(&mut self, layers: usize, last: usize, has_layers: bool) {
        let (levels, time, path) = (&self.candidates, &self.time, &mut self.path);
        let m = levels.len();
        path.clear();
        for layer in (0..layers).rev() {
            let ends = (0..m).filter(|&j| levels[j].end == last && time[layer * m + j].is_finite());
            let end = ends.min_by(|&a, &b| time[layer * m + a].total_cmp(&time[layer * m + b]));
            let mut at = end.map(|j| (layer, j));
            while let Some((layer, j)) = at {
                path.push(j);
                let before = if has_layers {
                    layer.saturating_sub(1)
                } else {
                    0
                };
                at = self.from[layer * m + j].map(|i| (before, i as usize));
            }
            if !path.is_empty() {
                break;
            }
        }
        path.reverse();
    }
}
