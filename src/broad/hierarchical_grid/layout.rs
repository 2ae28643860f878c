//! Where the cells of each level lie.

use super::plan::{Sample, Survey, extent};
use super::table::{Level, Limit, Table};
use super::{level_of, level_sizes};
use crate::broad::cells::{Cells, WIDENING};
use crate::math::Vector;
use crate::math::tolerance::two_to;
use crate::shape::{Aabb, Sphere};

/// Makes levels of these sizes, and returns the box around all their cells unless that is the box of
/// all bodies.
///
/// Cells are as wide as keeps their tables small, if that is more than the size of their level. They
/// lie over all bodies. If they would then be twice as wide as the smallest size, the cells of each
/// level lie over its own bodies instead.
pub(super) fn make_levels<V: Vector>(
    levels: &mut Vec<Level<V>>,
    table: &mut Table,
    sizes: &[f64],
    limit: Limit,
    survey: &Survey<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> Option<Aabb<V>> {
    let width = least_width(sizes[0], limit, &survey.bounds, |width| {
        levels.clear();
        let level = |&size: &f64| level_over(&survey.bounds, size, width, limit);
        levels.extend(sizes.iter().map(level));
        limit.count(levels).is_some()
    });
    if width <= 2.0 * sizes[0] {
        return None;
    }
    let inner_sizes = level_sizes(levels);
    let level_of = |id: usize| level_of(sphere(id).radius, &inner_sizes);
    table.sort_by_level(levels, survey.count, level_of);
    let (mut all, mut left) = (None, 0);
    let level_count = levels.len();
    for level in levels.iter_mut().rev() {
        let ids = &table.ids[level.slots.clone()];
        // Coarser levels leave to the finer ones what they do not need.
        let limit = limit.share(ids.len(), survey.count, level_count, left);
        let bounds = lay_out(level, limit, ids.len(), |i| sphere(ids[i] as usize));
        left = limit.left(level);
        if !ids.is_empty() {
            all = Some(all.map_or(bounds, |all: Aabb<V>| all.union(&bounds)));
        }
    }
    all
}

/// Puts the cells of a level over its own bodies, or over their bulk if cells are half as wide then:
/// bodies outside count to the outermost cells. Returns the box of the cells.
fn lay_out<V: Vector>(
    level: &mut Level<V>,
    limit: Limit,
    count: usize,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> Aabb<V> {
    let size = level.size;
    let over = |bounds: Aabb<V>| {
        let fits = |width| limit.fits(&level_over(&bounds, size, width, limit));
        let width = least_width(size, limit, &bounds, fits);
        (width, level_over(&bounds, size, width, limit).cells)
    };
    let mut own = Survey::none();
    own.count = count;
    (0..count).for_each(|i| own.add(&sphere(i)));
    if count == 0 {
        own.bounds = Aabb::from(Sphere::new(V::ZERO, 0.0));
    }
    level.largest = own.largest;
    let (width, cells) = over(own.bounds);
    level.cells = cells;
    if width <= 2.0 * size || count == 0 {
        return own.bounds;
    }
    let inner = Sample::new(count, &sphere).inner(&own);
    let (inner_width, cells) = over(inner);
    if inner_width > 0.5 * width || outermost_tests(&inner, (0..count).map(sphere)) > 16 * count {
        return own.bounds;
    }
    level.cells = cells;
    inner
}

fn level_over<V: Vector>(bounds: &Aabb<V>, size: f64, width: f64, limit: Limit) -> Level<V> {
    let cells = Cells::new(bounds, size.max(width) * WIDENING, limit.most());
    Level::new(size, cells)
}

/// About the least width of cells over a box, not below a size, whose tables fit.
fn least_width<V: Vector>(
    size: f64,
    limit: Limit,
    bounds: &Aabb<V>,
    mut fits: impl FnMut(f64) -> bool,
) -> f64 {
    if fits(size) {
        return size;
    }
    // Below, one axis alone has too many cells. Rounded to the power of two below.
    let least = (extent(bounds) / limit.most()).max(size);
    let least = f64::from_bits(least.to_bits() >> 52 << 52);
    let octaves = (0..256).map(|k| least * two_to(k));
    let widths = octaves.flat_map(|width| [1.0, 1.25, 1.5, 1.75].map(|part| part * width));
    let mut widths = widths.filter(|&width| width > size);
    let width = widths.find(|&width| fits(width));
    width.unwrap_or(f64::INFINITY)
}

/// How many tests bodies outside a box make with each other at most: those on the same sides of it may
/// share a cell.
fn outermost_tests<V: Vector>(inner: &Aabb<V>, spheres: impl Iterator<Item = Sphere<V>>) -> usize {
    const INSIDE: usize = 13;
    let mut counts = [0_usize; 27];
    for Sphere { center, .. } in spheres {
        let side = (0..3).fold(0, |side, axis| {
            let (is_below, is_above) = if axis < V::DIM {
                (
                    center[axis] < inner.min[axis],
                    center[axis] > inner.max[axis],
                )
            } else {
                (false, false)
            };
            3 * side + 1 + usize::from(is_above) - usize::from(is_below)
        });
        counts[side] += 1;
    }
    counts[INSIDE] = 0;
    counts.iter().map(|count| count * count).sum()
}

/// How many rows of cells on finer levels a body looks into on average.
pub(super) fn rows_beside<V: Vector>(
    levels: &[Level<V>],
    survey: &Survey<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> f64 {
    let sizes = level_sizes(levels);
    let mut rows = 0.0;
    for sphere in (0..survey.count).map(sphere) {
        for level in &levels[..level_of(sphere.radius, &sizes)] {
            let [from, to] = level.cells.near(&sphere, level.largest);
            let [y, z] = [1, 2].map(|axis| f64::from(to[axis] - from[axis]) + 1.0);
            rows += y * z;
        }
    }
    rows / survey.count as f64
}
