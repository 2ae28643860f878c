//! The widths and the boxes of the cells of each level.

use smallvec::SmallVec;

use super::level::{Level, TableLimit, level_of, size_limits};
use super::sample::Sample;
use super::summary::{Summary, extent};
use super::table::Table;
use crate::broad::cells::{Cells, WIDENING};
use crate::math::tolerance::two_to;
use crate::math::{MIN_LENGTH, Vector};
use crate::shape::{Aabb, Sphere};

/// Creates levels of the given sizes, and returns the box of all cells unless it is the box of all bodies.
///
/// Cells are wider than the size of their level where this is needed to keep tables within the limit. They
/// cover all bodies, with one minimal width for all levels. If this width is more than twice the finest size, each
/// level gets cells over its own bodies instead.
pub(super) fn make_levels<V: Vector>(
    levels: &mut Vec<Level<V>>,
    table: &mut Table,
    sizes: &[f64],
    limit: TableLimit,
    summary: &Summary<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> Option<Aabb<V>> {
    let width = least_width(sizes[0], limit, &summary.bounds, |width| {
        levels.clear();
        let level = |&size: &f64| level_over(&summary.bounds, size, width, limit);
        levels.extend(sizes.iter().map(level));
        limit.count(levels).is_some()
    });
    if width <= 2.0 * sizes[0] {
        return None;
    }
    let limits = size_limits(levels);
    let level_of = |id: usize| level_of(sphere(id).radius, &limits);
    table.sort_by_level(levels, summary.count, level_of);
    let (mut all, mut unused) = (None, 0);
    let level_count = levels.len();
    for level in levels.iter_mut().rev() {
        let ids = &table.ids[level.slots.clone()];
        // Coarser levels leave their unused cells to finer ones.
        let limit = limit.share(ids.len(), summary.count, level_count, unused);
        let bounds = place_cells(level, limit, ids.len(), |i| sphere(ids[i] as usize));
        unused = limit.unused(level);
        if !ids.is_empty() {
            all = Some(all.map_or(bounds, |all: Aabb<V>| all.union(&bounds)));
        }
    }
    all
}

/// Places the cells of a level over its own bodies, or over their bulk if this halves the width. Returns the box
/// of the cells.
///
/// Bodies outside the bulk count as in the outermost cells. The bulk is used only if these bodies make at most
/// 16 tests per body of the level.
fn place_cells<V: Vector>(
    level: &mut Level<V>,
    limit: TableLimit,
    count: usize,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> Aabb<V> {
    let size = level.size;
    let over = |bounds: Aabb<V>| {
        let fits = |width| limit.fits(&level_over(&bounds, size, width, limit));
        let width = least_width(size, limit, &bounds, fits);
        (width, level_over(&bounds, size, width, limit).cells)
    };
    let own = Summary::of(count, &sphere);
    level.max_radius = own.max_radius;
    let (width, cells) = over(own.bounds);
    level.cells = cells;
    if width <= 2.0 * size || count == 0 {
        return own.bounds;
    }
    let inner = Sample::new(count, &sphere).inner_box(&own);
    let (inner_width, cells) = over(inner);
    if inner_width > 0.5 * width || outside_tests(&inner, (0..count).map(sphere)) > 16 * count {
        return own.bounds;
    }
    level.cells = cells;
    inner
}

fn level_over<V: Vector>(bounds: &Aabb<V>, size: f64, width: f64, limit: TableLimit) -> Level<V> {
    let cells = Cells::new(bounds, size.max(width) * WIDENING, limit.max_cells());
    Level::new(size, cells)
}

/// Returns the least width of cells over a box whose tables fit: `size`, or a multiple of a quarter octave.
///
/// The search starts at the width at which the longest axis alone has `limit` cells, rounded down to a power of
/// two. The number of cells decreases with the width, so the first width that fits is the least; it is at most
/// 1.25 times the best one.
fn least_width<V: Vector>(
    size: f64,
    limit: TableLimit,
    bounds: &Aabb<V>,
    mut fits: impl FnMut(f64) -> bool,
) -> f64 {
    if fits(size) {
        return size;
    }
    let least = (extent(bounds) / limit.max_cells()).max(size);
    let least = f64::from_bits(least.to_bits() >> 52 << 52);
    let octaves = (0..256).map(|k| least * two_to(k));
    let widths = octaves.flat_map(|width| [1.0, 1.25, 1.5, 1.75].map(|part| part * width));
    let mut widths = widths.filter(|&width| width > size);
    let width = widths.find(|&width| fits(width));
    width.unwrap_or(f64::INFINITY)
}

/// Bounds the number of tests among bodies outside a box: n^2 for n bodies beyond the same sides.
///
/// Bodies outside count as in the outermost cells, so in the worst case all bodies beyond the same sides share a
/// cell. There are 3^d combinations of sides (below, between, above along each axis).
fn outside_tests<V: Vector>(inner: &Aabb<V>, spheres: impl Iterator<Item = Sphere<V>>) -> usize {
    const INSIDE: usize = 13;
    let mut counts = [0_usize; 27];
    for Sphere { center, .. } in spheres {
        let sides = (0..3).fold(0, |sides, axis| {
            let is_below = axis < V::DIM && center[axis] < inner.min[axis];
            let is_above = axis < V::DIM && center[axis] > inner.max[axis];
            3 * sides + 1 + usize::from(is_above) - usize::from(is_below)
        });
        counts[sides] += 1;
    }
    counts[INSIDE] = 0;
    counts.iter().map(|count| count * count).sum()
}

/// Returns the mean number of rows of cells on finer levels that a body visits.
pub(super) fn rows_beside<V: Vector>(
    levels: &[Level<V>],
    summary: &Summary<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> f64 {
    let limits = size_limits(levels);
    let mut rows = 0.0;
    for sphere in (0..summary.count).map(sphere) {
        for level in &levels[..level_of(sphere.radius, &limits)] {
            let [from, to] = level.cells.range_near(&sphere, level.max_radius);
            let [y, z] = [1, 2].map(|axis| f64::from(to[axis] - from[axis]) + 1.0);
            rows += y * z;
        }
    }
    rows / summary.count as f64
}

/// Returns the level size for points: the smallest of 2^-31 to 1 times the extent whose table fits.
pub(super) fn size_for_points<V: Vector>(
    summary: &Summary<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> f64 {
    let bounds = Sample::new(summary.count, sphere).inner_box(summary);
    let limit = TableLimit::new(summary.count, false);
    let sizes = (0..32).rev();
    let sizes = sizes.map(|k| extent(&bounds) / f64::from(1_u32 << k));
    let mut sizes = sizes.filter(|&size| size >= MIN_LENGTH);
    let size = sizes.find(|&size| limit.fits(&level_over(&bounds, size, size, limit)));
    size.unwrap_or_else(|| extent(&bounds).max(MIN_LENGTH))
}

/// Replaces the levels by levels without tables.
pub(super) fn set_sizes<V: Vector>(levels: &mut Vec<Level<V>>, sizes: &[f64]) {
    levels.clear();
    levels.extend(sizes.iter().copied().map(Level::without_table));
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
    use glam::{DVec2, DVec3};

    use super::*;

    /// Bodies beyond the same sides count as tested against each other.
    #[test]
    fn tests_among_bodies_outside() {
        let inner = Aabb::new(DVec3::ZERO, DVec3::ONE).unwrap();
        let at = |x: f64, y: f64, z: f64| Sphere::new(DVec3::new(x, y, z), 0.1);
        let all = [
            (vec![at(0.5, 0.5, 0.5), at(0.0, 1.0, 0.5)], 0),
            (vec![at(-1.0, 0.5, 0.5), at(2.0, 0.5, 0.5)], 2),
            (vec![at(-1.0, 0.5, 0.5), at(-2.0, 0.1, 0.9)], 4),
            (
                vec![at(0.5, -1.0, 0.5), at(0.5, -1.0, 2.0), at(0.5, -3.0, 9.0)],
                5,
            ),
        ];
        for (spheres, expected) in all {
            assert_eq!(outside_tests(&inner, spheres.into_iter()), expected);
        }
        let inner = Aabb::new(DVec2::ZERO, DVec2::ONE).unwrap();
        let discs = [-1.0, 0.5, 2.0, 3.0].map(|y| Sphere::new(DVec2::new(0.5, y), 0.1));
        assert_eq!(outside_tests(&inner, discs.into_iter()), 1 + 4);
    }

    /// The size of an octave is its largest diameter, and points have a level of their own.
    #[test]
    fn octaves_of_radii() {
        let radii = [0.75, 0.5, 3.0, 0.0, MIN_LENGTH, 0.0];
        let sizes = octaves(radii.into_iter());
        assert_eq!(sizes[..], [MIN_LENGTH, 2.0 * MIN_LENGTH, 1.5, 6.0]);
    }
}
