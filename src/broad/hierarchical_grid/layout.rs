//! The widths and the boxes of the cells of each level.

use smallvec::SmallVec;

use super::level::{Level, count_cells};
use super::sample::Sample;
use super::summary::{Summary, extent};
use crate::broad::cells::{Cells, WIDENING};
use crate::broad::source::Source;
use crate::math::tolerance::two_to;
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::Aabb;

/// Creates levels of the given sizes with cells over a box, and returns their least width.
///
/// Cells are wider than the size of their level where this is needed to keep tables within the limit. All levels have
/// one minimal width: the least size, or a multiple of a quarter octave.
///
/// The search starts at the width at which the longest axis alone has `limit` cells, rounded down to a power of
/// two. The number of cells decreases with the width, so the first width that fits is the least; it is at most
/// 1.25 times the best one.
pub(super) fn make_levels<V: Vector>(
    levels: &mut Vec<Level<V>>,
    sizes: &[f64],
    limit: usize,
    bounds: &Aabb<V>,
) -> f64 {
    let mut fits = |&width: &f64| {
        levels.clear();
        let level = |&size: &f64| level_over(bounds, size, width, limit);
        levels.extend(sizes.iter().map(level));
        count_cells(levels, limit).is_some()
    };
    if fits(&sizes[0]) {
        return sizes[0];
    }
    let least = (extent(bounds) / limit as f64).max(sizes[0]);
    let least = f64::from_bits(least.to_bits() >> 52 << 52);
    let octaves = (0..256).map(|k| least * two_to(k));
    let widths = octaves.flat_map(|width| [1.0, 1.25, 1.5, 1.75].map(|part| part * width));
    let mut widths = widths.filter(|&width| width > sizes[0]);
    widths.find(fits).unwrap_or(f64::INFINITY)
}

fn level_over<V: Vector>(bounds: &Aabb<V>, size: f64, width: f64, limit: usize) -> Level<V> {
    let cells = Cells::new(bounds, size.max(width) * WIDENING, limit as f64);
    Level::new(size, cells)
}

/// Returns the level size for points: the smallest of 2^-31 to 1 times the extent whose table fits.
pub(super) fn size_for_points<V: Vector>(
    summary: &Summary<V>,
    source: &Source<'_, V>,
    limit: usize,
) -> f64 {
    let bounds = Sample::new(summary.count, source).inner_box(summary);
    let sizes = (0..32).rev();
    let sizes = sizes.map(|k| extent(&bounds) / f64::from(1_u32 << k));
    let mut sizes = sizes.filter(|&size| size >= MIN_LENGTH);
    let size = sizes.find(|&size| {
        let level = level_over(&bounds, size, size, limit);
        count_cells(&[level], limit).is_some()
    });
    size.unwrap_or_else(|| extent(&bounds).max(MIN_LENGTH))
}

/// Returns one level size for each octave of radii, and one for points.
///
/// Each size is the largest diameter of its octave. Then the neighbors of a body on its level are at most twice
/// as large. So a body that shares a cell with many bodies touches some of them.
pub(super) fn octaves(radii: impl Iterator<Item = f64>) -> SmallVec<[f64; 64]> {
    // The domain has 301 octaves; points come first.
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

    /// The size of an octave is its largest diameter, and points have a level of their own.
    #[test]
    fn octaves_of_radii() {
        let radii = [0.75, 0.5, 3.0, 0.0, MIN_LENGTH, 0.0];
        let sizes = octaves(radii.into_iter());
        assert_eq!(sizes[..], [MIN_LENGTH, 2.0 * MIN_LENGTH, 1.5, 6.0]);
    }
}
