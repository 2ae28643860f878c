//! The levels of a hierarchical grid.

use osculate::glam::DVec2;
use osculate::reference::exponential_level_sizes;
use osculate::{Aabb, BroadPhase, HierarchicalGrid, Sphere, reference::RadiusDistribution};

use crate::Result;
use reproduce::radii::power_law_radii;
use reproduce::random::SplitMix64;
use reproduce::svg::{BLUE, GREEN, ORANGE, RED, Svg, dashed, filled, stroked};

type Disc = Sphere<DVec2>;

/// Discs of mixed sizes, the largest first; some touch, few overlap much.
fn discs(side: f64) -> Vec<Disc> {
    let mut random = SplitMix64::new(5);
    let mut discs: Vec<Disc> = Vec::new();
    for &radius in power_law_radii(90, -2.0, 9.0).iter().rev() {
        for _ in 0..1000 {
            let place = [0; 2].map(|_| random.range(radius, side - radius));
            let disc = Disc::new(DVec2::from(place), radius);
            let is_free = |d: &Disc| d.center.distance(place.into()) > 0.96 * (d.radius + radius);
            if discs.iter().all(is_free) {
                discs.push(disc);
                break;
            }
        }
    }
    discs
}

/// Three levels with their cells, and the bodies that a large body is tested against.
pub(crate) fn levels() -> Result<String> {
    let side = 46.0;
    let discs = discs(side);
    let radii: Vec<f64> = discs.iter().map(|d| d.radius).collect();
    let sizes = exponential_level_sizes(&RadiusDistribution::new(&radii)?, 3);
    let mut grid = HierarchicalGrid::new().with_level_sizes(sizes);
    grid.rebuild(&discs)?;
    let mut pairs = Vec::new();
    grid.collect_pairs(&mut pairs);
    let report = grid.report();
    let origin = Aabb::from_points(discs.iter().map(|d| d.center))
        .ok_or("no discs")?
        .min;

    let from_middle = |d: &&Disc| d.center.distance(DVec2::splat(0.5 * side));
    let by_place = |a: &&Disc, b: &&Disc| from_middle(a).total_cmp(&from_middle(b));
    let large = discs
        .iter()
        .filter(|d| 2.0 * d.radius > report.levels[1].size);
    let asking = *large.min_by(by_place).ok_or("no large disc")?;

    let mut svg = Svg::new(780.0, 312.0, "The three levels of a hierarchical grid");
    let colors = [BLUE, ORANGE, GREEN];
    let mut below = 0.0;
    for (i, (level, color)) in report.levels.iter().zip(colors).enumerate() {
        let left = 20.0 + 252.0 * i as f64;
        svg.view([left + 118.0, 148.0], DVec2::splat(0.5 * side), 5.1);
        lattice(&mut svg, origin, level.cell_width, side);
        let is_here = |d: &Disc| below < 2.0 * d.radius && 2.0 * d.radius <= level.size;
        for disc in &discs {
            let style = if is_here(disc) {
                filled(color, 0.35)
            } else {
                stroked("#c9c9c2", 1.0)
            };
            svg.circle(disc.center, disc.radius, &style);
        }
        // A large body, and the box in which it searches this level.
        if i < 2 {
            let disc = asking;
            let reach = DVec2::splat(disc.radius + level.largest_radius);
            svg.circle(disc.center, disc.radius, &stroked(GREEN, 1.5));
            svg.rectangle(disc.center - reach, disc.center + reach, &dashed(RED));
        }
        for &[a, b] in &pairs {
            let [a, b] = [a, b].map(|i| discs[i as usize]);
            if is_here(&a) && 2.0 * b.radius <= level.size
                || is_here(&b) && 2.0 * a.radius <= level.size
            {
                svg.line(a.center, b.center, &stroked(RED, 1.5));
            }
        }
        let words = format!(
            "level {}: {} bodies up to {:.1}",
            i + 1,
            level.bodies,
            level.size
        );
        svg.write([left + 118.0, 20.0], "middle", color, &words);
        below = level.size;
    }
    svg.caption(
        "Red: pairs that touch. Dashed: where a body of level 3 looks for bodies of the finer levels.",
    );
    Ok(svg.finish())
}

fn lattice(svg: &mut Svg, origin: DVec2, width: f64, side: f64) {
    let first = origin - (origin / width).floor() * width;
    let style = stroked("#e2e2dc", 1.0);
    for axis in 0..2 {
        let mut x = first[axis];
        while x < side {
            let ends = [0.0, side].map(|y| {
                if axis == 0 {
                    DVec2::new(x, y)
                } else {
                    DVec2::new(y, x)
                }
            });
            svg.line(ends[0], ends[1], &style);
            x += width;
        }
    }
    svg.rectangle(DVec2::ZERO, DVec2::splat(side), &style);
}
