//! Where the cells of each level lie.

use smallvec::{SmallVec, smallvec};

use super::plan::{Sample, Survey, extent};
use super::table::{Level, Limit};
use super::{level_of, level_sizes};
use crate::broad::cells::{Cells, WIDENING};
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// Makes levels of these sizes, and returns the box around all their cells unless that is the box of
/// all bodies.
///
/// Cells are as wide as keeps their tables small, if that is more than the size of their level. They
/// lie over all bodies. If they would then be twice as wide as the smallest size, the cells of each
/// level lie over its own bodies instead.
pub(super) fn make_levels<V: Vector>(
    levels: &mut Vec<Level<V>>,
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
    let own = own_surveys(levels, survey, &sphere);
    let inner_sizes = level_sizes(levels);
    let (mut all, mut left) = (None, 0);
    for (h, own) in own.iter().enumerate().rev() {
        let spheres = (0..survey.count).map(&sphere);
        let spheres = spheres.filter(|sphere| level_of(sphere.radius, &inner_sizes) == h);
        // Coarser levels leave to the finer ones what they do not need.
        let limit = limit.share(own.count, survey.count, sizes.len(), left);
        let (level, bounds) = level_of_its_own(sizes[h], limit, own, spheres);
        left = limit.left(&level);
        if own.count > 0 {
            all = Some(all.map_or(bounds, |all: Aabb<V>| all.union(&bounds)));
        }
        levels[h] = level;
    }
    all
}

/// The count, the box and the largest radius of the bodies of each level.
fn own_surveys<V: Vector>(
    levels: &[Level<V>],
    survey: &Survey<V>,
    sphere: impl Fn(usize) -> Sphere<V>,
) -> SmallVec<[Survey<V>; 8]> {
    if levels.len() == 1 {
        return smallvec![*survey];
    }
    let sizes = level_sizes(levels);
    let mut own = smallvec![Survey::none(); levels.len()];
    for sphere in (0..survey.count).map(sphere) {
        let own: &mut Survey<V> = &mut own[level_of(sphere.radius, &sizes)];
        own.count += 1;
        own.add(&sphere);
    }
    own
}

/// A level over its own bodies, or over their bulk if cells are half as wide then: bodies outside count
/// to the outermost cells.
fn level_of_its_own<V: Vector>(
    size: f64,
    limit: Limit,
    own: &Survey<V>,
    spheres: impl Iterator<Item = Sphere<V>> + Clone,
) -> (Level<V>, Aabb<V>) {
    let over = |bounds: Aabb<V>| {
        let fits = |width| limit.fits(&level_over(&bounds, size, width, limit));
        let width = least_width(size, limit, &bounds, fits);
        let mut level = level_over(&bounds, size, width, limit);
        level.largest = own.largest;
        (width, level, bounds)
    };
    if own.count == 0 {
        let point = Aabb::from(Sphere::new(V::ZERO, 0.0));
        return (level_over(&point, size, size, limit), point);
    }
    let (width, level, bounds) = over(own.bounds);
    if width <= 2.0 * size {
        return (level, bounds);
    }
    let inner = Sample::new(own.count, spheres.clone()).inner(own);
    let (inner_width, inner_level, _) = over(inner);
    if inner_width <= 0.5 * width && outermost_tests(&inner, spheres) <= 16 * own.count {
        (inner_level, inner)
    } else {
        (level, bounds)
    }
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
    let octaves = (0..256).map(|k| least * f64::from_bits((1023 + k) << 52));
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
