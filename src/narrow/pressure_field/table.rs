//! Bounds of many linear functions on a polygon.

use glam::DVec3;

use crate::math::{Wide, run_wide};

const LANES: usize = 4;

/// Linear functions `slope . x`, in blocks for wide vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The coordinates of the slopes; the last block may have more lanes than functions.
    blocks: Vec<[[f64; LANES]; 3]>,
    count: usize,
    /// The largest value of each function on the polygon, by blocks.
    most: Vec<[f64; LANES]>,
}

impl Table {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.count = 0;
    }

    pub(super) fn push(&mut self, slope: DVec3) {
        let lane = self.count % LANES;
        if lane == 0 {
            self.blocks.push([[f64::NAN; LANES]; 3]);
        }
        if let Some(block) = self.blocks.last_mut() {
            let values = block.iter_mut().zip(slope.to_array());
            values.for_each(|(lanes, value)| lanes[lane] = value);
        }
        self.count += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn slope(&self, function: usize) -> DVec3 {
        let block = &self.blocks[function / LANES];
        DVec3::from_array(block.map(|lanes| lanes[function % LANES]))
    }

    /// Computes the bounds on a polygon, and returns the function with the largest lower bound, and this bound.
    pub(super) fn set_bounds(&mut self, corners: &[DVec3]) -> (usize, f64) {
        self.most.resize(self.blocks.len(), [0.0; LANES]);
        run_wide(Bounds(self, corners))
    }

    /// Returns the largest value of a function on the polygon.
    pub(super) fn most(&self, function: usize) -> f64 {
        self.most[function / LANES][function % LANES]
    }
}

struct Bounds<'a>(&'a mut Table, &'a [DVec3]);

impl Wide for Bounds<'_> {
    type Output = (usize, f64);

    #[inline(always)]
    fn run(self) -> (usize, f64) {
        let Self(Table { blocks, most, .. }, corners) = self;
        let mut highest = (0, f64::NEG_INFINITY);
        for (i, ([xs, ys, zs], most)) in blocks.iter().zip(most).enumerate() {
            let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
            for corner in corners {
                for k in 0..LANES {
                    let value = xs[k] * corner.x + ys[k] * corner.y + zs[k] * corner.z;
                    // The unused lanes are NaN and change nothing.
                    low[k] = if value < low[k] { value } else { low[k] };
                    high[k] = if value > high[k] { value } else { high[k] };
                }
            }
            for k in 0..LANES {
                if low[k] > highest.1 && low[k] < f64::INFINITY {
                    highest = (i * LANES + k, low[k]);
                }
            }
            *most = high;
        }
        highest
    }
}
