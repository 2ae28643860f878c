//! Tests of internals, and of cases that are rare through the public interface.

use std::cell::RefCell;

use glam::{DVec2, DVec3};

use super::HierarchicalGrid;
use super::level::{Level, level_of, size_limits};
use super::search::{PairSearch, TouchSearch};
use super::tuning::Sizing;
use crate::broad::levels::{
    GridCost, GridCostModel, GridWork, LevelSizes, RadiusDistribution, SearchDirection,
};
use crate::broad::simd::run_each;
use crate::broad::{BroadPhase, BruteForce, IncrementalBroadPhase, Pair};
use crate::math::Vector;
use crate::shape::Sphere;
use crate::testing::workload::{SplitMix64, power_law_spheres, random_spheres};

fn pairs<V: Vector>(grid: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    grid.collect_pairs(&mut pairs);
    pairs
}

fn sorted<V: Vector>(grid: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
    let mut pairs = pairs(grid);
    pairs.sort_unstable();
    pairs
}

fn nudged(x: f64, ulps: i32) -> f64 {
    (0..ulps.abs()).fold(x, |x, _| if ulps < 0 { x.next_down() } else { x.next_up() })
}

/// Returns a grid and the radii of two bodies, mostly at the limits of levels.
fn random_grid<V: Vector>(random: &mut SplitMix64, case: usize) -> (HierarchicalGrid<V>, [f64; 2]) {
    let mut sizes = vec![random.range(0.5, 2.0)];
    for _ in 0..random.below(4) {
        let ratio = 2.0_f64.powf(random.range(0.01, 3.0));
        sizes.push(sizes[sizes.len() - 1] * ratio);
    }
    let mut radius = || match (sizes[random.below(sizes.len())], random.below(4)) {
        (size, 0) => 0.5 * size * random.unit(),
        (_, 1) => 0.5 * sizes[0],
        (size, _) => 0.5 * size,
    };
    let radii = [radius(), radius()].map(|r| if r < 1e-9 { 0.0 } else { r });
    let grid = match case % 8 {
        0 => HierarchicalGrid::with_one_level(),
        1 => HierarchicalGrid::new(),
        _ => {
            let direction = [SearchDirection::TopDown, SearchDirection::BottomUp][random.below(2)];
            HierarchicalGrid::new()
                .with_level_sizes(LevelSizes::new(sizes).unwrap())
                .with_direction(direction)
        }
    };
    (grid, radii)
}

/// Puts the bodies into trees, useful or not.
fn build_trees<V: Vector>(grid: &mut HierarchicalGrid<V>) {
    grid.build_trees();
    (0..grid.levels.len()).for_each(|level| _ = grid.pack(level));
}

/// Checks pairs that touch to within some ulps across faces of cells, anywhere in a grid, one pair at a time.
fn face_cases<V: Vector>(count: usize, seed: u64) -> [usize; 2] {
    let mut random = SplitMix64::new(seed);
    let (mut touching, mut in_trees) = (0, 0);
    for case in 0..count {
        let (mut grid, radii) = random_grid::<V>(&mut random, case);
        // Few cells in every other case.
        let doublings = if case % 2 == 0 {
            [0.1, 0.5, 2.0][random.below(3)]
        } else {
            random.range(9.0, 30.5)
        };
        let size = match &grid.sizing {
            Sizing::Given(sizes) => sizes.as_slice()[0],
            _ => (2.0 * radii[0].max(radii[1])).max(0.5),
        };
        let corner = V::from_fn(|_| random.range(-9.0, 9.0));
        let other = corner + V::splat(size * 2.0_f64.powf(doublings));
        let ends = [(corner, 0.5 * size), (other, 0.0)];
        let two = [(corner, radii[0]), (other, radii[1])];
        let both = [ends, two].concat().into_iter();
        let mut spheres: Vec<_> = both.map(|(center, r)| Sphere::new(center, r)).collect();
        grid.rebuild(&spheres).unwrap();
        let level = &grid.levels[random.below(grid.levels.len())];
        let (width, cells) = (level.cells.width(), level.cells.counts());
        let axis = random.below(V::DIM);
        // The first is at faces along all axes; the second a reach away along one.
        let face: [f64; 3] = std::array::from_fn(|k| {
            let cell = random.below(cells[k] as usize + 1) as f64 * width;
            cell * random.below(8).min(1) as f64
        });
        let first = V::from_fn(|k| nudged(corner[k] + face[k], random.below(7) as i32 - 3));
        let sign = [1.0, -1.0][random.below(2)];
        let reach = radii[0] + radii[1];
        let second = V::from_fn(|k| match k == axis {
            true => nudged(first[k] + sign * reach, random.below(5) as i32 - 2),
            false => nudged(first[k], random.below(3) as i32 - 1),
        });
        (spheres[2].center, spheres[3].center) = (first, second);
        grid.rebuild(&spheres).unwrap();
        if case % 2 == 1 {
            build_trees(&mut grid);
            in_trees += 1;
        }
        let expected = spheres[2].touches(&spheres[3]);
        let found = pairs(&grid);
        let count = found.iter().filter(|&&pair| pair == [2, 3]).count();
        assert_eq!(count, usize::from(expected), "{grid:?}");
        for [query, body] in [[2, 3], [3, 2]] {
            let mut near = 0;
            grid.for_each_touching(&spheres[query], |i| near += usize::from(i == body));
            assert_eq!(near, usize::from(expected), "{grid:?}");
        }
        // The same in lists.
        if case % 4 == 0 {
            grid.replace(3, spheres[3]).unwrap();
            assert_eq!(pairs(&grid).contains(&[2, 3]), expected, "{grid:?}");
        }
        touching += usize::from(expected);
    }
    [touching, in_trees]
}

#[test]
fn no_pair_is_lost_at_faces() {
    const COUNT: usize = 60_000;
    for [touching, in_trees] in [face_cases::<DVec2>(COUNT, 1), face_cases::<DVec3>(COUNT, 2)] {
        assert!((COUNT / 4..3 * COUNT / 4).contains(&touching), "{touching}");
        assert_eq!(in_trees, COUNT / 2);
    }
}

/// Returns the sequence of pairs that each instruction set of the processor finds, from tables or trees.
fn pairs_of_widths<V: Vector, const TREES: bool>(grid: &HierarchicalGrid<V>) -> Vec<Vec<Pair>> {
    let mut found = vec![Vec::new(); 3];
    for chunk in 0..grid.chunk_count() {
        let some = RefCell::new(Vec::<Vec<Pair>>::new());
        run_each(|| {
            some.borrow_mut().push(Vec::new());
            let sink = |block: &[Pair]| some.borrow_mut().last_mut().unwrap().extend(block);
            PairSearch::<_, _, TREES> { grid, chunk, sink }
        });
        let some = some.into_inner();
        found.truncate(some.len());
        found
            .iter_mut()
            .zip(some)
            .for_each(|(all, some)| all.extend(some));
    }
    found
}

/// Checks that all instruction sets find the same sequence.
fn check_widths<V: Vector>(mut grid: HierarchicalGrid<V>, spheres: &[Sphere<V>]) {
    grid.rebuild(spheres).unwrap();
    for found in pairs_of_widths::<V, false>(&grid) {
        assert!(found.len() > spheres.len() / 2);
        assert_eq!(found, pairs(&grid));
    }
    let query = Sphere::new(spheres[0].center, 9.0);
    let (found, mut widest) = (RefCell::new(Vec::<Vec<usize>>::new()), Vec::new());
    run_each(|| {
        found.borrow_mut().push(Vec::new());
        let visit = |i: u32| found.borrow_mut().last_mut().unwrap().push(i as usize);
        let grid = &grid;
        TouchSearch::<_, _, false> { grid, query, visit }
    });
    grid.for_each_touching(&query, |i| widest.push(i));
    assert!(!widest.is_empty());
    assert!(found.into_inner().iter().all(|found| *found == widest));
    build_trees(&mut grid);
    for found in pairs_of_widths::<V, true>(&grid) {
        assert_eq!(found, pairs(&grid));
    }
}

#[test]
fn each_width_finds_the_same_sequence() {
    let discs = power_law_spheres::<DVec2>(3000, 0.6, -2.0, 20.0, 1);
    let spheres = power_law_spheres::<DVec3>(3000, 0.5, -2.0, 20.0, 2);
    let sparse: Vec<_> = spheres
        .iter()
        .map(|s| {
            Sphere::new(
                s.center,
                s.radius * if s.center.x > 20.0 { 1.0 } else { 1e-3 },
            )
        })
        .collect();
    check_widths(HierarchicalGrid::new(), &discs);
    check_widths(HierarchicalGrid::new(), &spheres);
    check_widths(HierarchicalGrid::with_one_level(), &spheres);
    let sizes = LevelSizes::new([0.01, 2.5, 40.0]).unwrap();
    for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
        let grid = HierarchicalGrid::new()
            .with_level_sizes(sizes.clone())
            .with_direction(direction);
        check_widths(grid, &sparse);
    }
}

/// Rebuilds with the given sizes, however slow.
fn rebuild_as_given<V: Vector>(grid: &mut HierarchicalGrid<V>, spheres: &[Sphere<V>]) {
    let summary = grid.summarize(spheres.len(), |id| spheres[id]).unwrap();
    grid.choose_levels(&summary, |id| spheres[id]).unwrap();
    grid.spheres = spheres.to_vec();
    let limit = grid.table_limit(spheres.len());
    assert!(grid.table.resize(&mut grid.levels, spheres.len(), limit));
    let limits = size_limits(&grid.levels);
    let body = |id: usize| (level_of(spheres[id].radius, &limits), spheres[id].center);
    grid.table.sort(&mut grid.levels, body);
    grid.packed.resize(spheres.len());
    (0..grid.levels.len()).for_each(|level| _ = grid.pack(level));
}

/// Counts the work of bodies away from the faces of the box, by level, weighted by the number of bodies.
fn counted<V: Vector>(
    radii: &[f64],
    sizes: &LevelSizes,
    direction: SearchDirection,
    density: f64,
    seed: u64,
) -> GridWork {
    let side = (radii.len() as f64 / density).powf(1.0 / V::DIM as f64);
    let mut random = SplitMix64::new(seed);
    let mut grid = HierarchicalGrid::new()
        .with_level_sizes(sizes.clone())
        .with_direction(direction);
    let mut sums = vec![(GridWork::default(), 0); sizes.as_slice().len()];
    for _ in 0..6 {
        let sphere = |&radius| {
            let center = V::from_fn(|_| random.range(0.0, side));
            Sphere::new(center, radius)
        };
        let spheres: Vec<Sphere<V>> = radii.iter().map(sphere).collect();
        rebuild_as_given(&mut grid, &spheres);
        for (h, (sum, count)) in sums.iter_mut().enumerate() {
            let level = &grid.levels[h];
            let beside = grid.levels_beside(h);
            let margins =
                beside.map(|other| level.max_radius + other.max_radius + 1.1 * other.size);
            let margin = margins.fold(2.1 * level.size, f64::max);
            for slot in level.slots.clone() {
                let center = spheres[grid.table.view().id(slot) as usize].center;
                if (0..V::DIM).all(|k| (margin..side - margin).contains(&center[k])) {
                    *sum += grid.work_of(slot);
                    *count += 1;
                }
            }
        }
    }
    let mut work = GridWork::default();
    for ((sum, count), level) in sums.into_iter().zip(&grid.levels) {
        let part = level.slots.len() as f64 / radii.len() as f64;
        work += sum.times(part / f64::from(count));
    }
    work
}

fn check_model<V: Vector>(sizes: [f64; 3], density: f64) {
    let mut random = SplitMix64::new(5);
    let radii: Vec<f64> = (0..40_000)
        .map(|i| match i % 16 {
            0 => 0.5 * random.range(sizes[1], sizes[2]),
            1..=4 => 0.5 * random.range(sizes[0], sizes[1]),
            _ => 0.5 * random.range(0.4 * sizes[0], sizes[0]),
        })
        .collect();
    let sorted = RadiusDistribution::new(&radii).unwrap();
    let sizes = LevelSizes::new(sizes).unwrap();
    for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
        let model = GridCostModel::new::<V>(&sorted, density, direction, GridCost::ROWS).unwrap();
        let (expected, found) = (
            model.work(&sizes),
            counted::<V>(&radii, &sizes, direction, density, 3),
        );
        for (name, found, expected) in [
            ("tests", found.tests, expected.tests),
            ("rows", found.rows, expected.rows),
            ("cells", found.cells, expected.cells),
        ] {
            let error = found / expected - 1.0;
            assert!(
                error.abs() < 0.01,
                "{name} {direction:?}: {found} {expected}"
            );
        }
    }
}

/// The work is as predicted within 1 %; the statistical error is about 0.3 %.
#[test]
fn work_is_as_predicted() {
    check_model::<DVec2>([1.5, 4.0, 9.0], 0.5);
    check_model::<DVec3>([1.0, 1.6, 2.8], 1.5);
}

/// Checks the number of tests and the memory.
fn check_effort(name: &str, spheres: &[Sphere<DVec3>], most_tests: f64) {
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(spheres).unwrap();
    let report = grid.report();
    assert!(report.counted.tests < most_tests, "{name}: {report:?}");
    let promised = if report.has_tables { 64.0 } else { 72.0 };
    let bytes = (report.bytes_per_body - promised) * spheres.len() as f64;
    assert!(bytes < 65_536.0, "{name}: {report:?}");
}

/// Memory and time depend neither on the positions nor on a few bodies.
#[test]
fn effort_at_any_extent() {
    const COUNT: usize = 20_000;
    let base = random_spheres::<DVec3>(COUNT, 0.3, 2.0, 1);
    let with = |change: &dyn Fn(usize, &mut Sphere<DVec3>)| {
        let mut spheres = base.clone();
        spheres
            .iter_mut()
            .enumerate()
            .for_each(|(i, s)| change(i, s));
        spheres
    };
    let lattice = |i: usize| DVec3::new((i % 7) as f64, (i % 5) as f64, (i % 3) as f64);
    let line = |i: usize, s: &mut Sphere<DVec3>| *s = Sphere::new(DVec3::Y * i as f64, 0.5);
    check_effort("a box", &base, 20.0);
    let lumps = with(&|i, s| s.center += DVec3::splat((i % 2) as f64 * 4e9));
    check_effort("two lumps", &lumps, 20.0);
    let lumps = with(&|i, s| s.center += lattice(i) * 1e8);
    check_effort("many lumps", &lumps, 20.0);
    check_effort("a line", &with(&line), 5.0);
    let diagonal = |i: usize, s: &mut Sphere<DVec3>| s.center = DVec3::ONE * i as f64;
    check_effort("a diagonal", &with(&diagonal), 10.0);
    let gas = |_: usize, s: &mut Sphere<DVec3>| s.center *= 1e7;
    check_effort("a gas", &with(&gas), 20.0);
    let escaped = |i: usize, s: &mut Sphere<DVec3>| s.center *= if i % 20 == 7 { 1e6 } else { 1.0 };
    check_effort("some escaped", &with(&escaped), 20.0);
    // With few escaped bodies, the others keep their table.
    let few = with(&|i, s| s.center *= if i % 2000 == 7 { 1e6 } else { 1.0 });
    check_effort("a few escaped", &few, 40.0);
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&few).unwrap();
    assert!(grid.report().has_tables);
    // Too many escaped bodies for the outermost cells, where each would be tested against all others.
    let mut many = random_spheres::<DVec3>(5 * COUNT, 0.3, 2.0, 1);
    let escaped = many.iter_mut().skip(7).step_by(40);
    escaped.for_each(|s| s.center = s.center * 100.0 + DVec3::splat(1e6));
    check_effort("many escaped", &many, 20.0);
    for radius in [1e2, 1e4, 1e6] {
        let large = |i: usize, s: &mut Sphere<DVec3>| {
            if i == 5 {
                *s = Sphere::new(DVec3::Y * -radius, radius);
            }
        };
        check_effort("one large", &with(&large), 50.0);
    }
    let lump = |i: usize, s: &mut Sphere<DVec3>| {
        let part = if i.is_multiple_of(10) { 1e-4 } else { 1.0 };
        *s = Sphere::new(s.center * part, 1e-6);
    };
    // Sorted into cells and then into trees, with the buffers of both.
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&with(&lump)).unwrap();
    assert!(grid.report().counted.tests < 50.0);
    assert!(grid.report().bytes_per_body < 82.0);
    let points = |i: usize, s: &mut Sphere<DVec3>| s.radius *= if i == 5 { 1.0 } else { 0.0 };
    check_effort("points and one body", &with(&points), 50.0);
    check_effort("points", &with(&|_, s| s.radius = 0.0), 20.0);
    let outlier = |i: usize, s: &mut Sphere<DVec3>| {
        *s = Sphere::new(s.center * if i == 5 { 1e9 } else { 1.0 }, 0.0);
    };
    check_effort("points and one far", &with(&outlier), 30.0);
    let wide = power_law_spheres::<DVec3>(COUNT, 0.3, -3.0, 1e4, 3);
    check_effort("1 to 10^4", &wide, 50.0);
    let mut lumps = power_law_spheres::<DVec3>(COUNT, 0.3, -3.0, 50.0, 3);
    check_effort("1 to 50", &lumps, 50.0);
    for (i, sphere) in lumps.iter_mut().enumerate() {
        sphere.center.x += (i % 3) as f64 * 1e7;
    }
    check_effort("lumps of 1 to 50", &lumps, 50.0);
}

/// Lumps 2^31 cells apart along all axes (2^29 if sizes are not given) have the pairs of separate lumps. Memory is
/// that of the spheres, the table and the packed spheres.
#[test]
fn lumps_at_the_ends_of_the_grid() {
    const COUNT: usize = 100_000;
    // On a lattice, so that lumps move without rounding.
    let round = |x: f64| (x * 65_536.0).round() / 65_536.0;
    let mut spheres = random_spheres::<DVec3>(COUNT, 0.3, 1.9, 1);
    for sphere in &mut spheres {
        *sphere = Sphere::new(sphere.center.map(round), round(sphere.radius));
    }
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&spheres).unwrap();
    let lump = |i: u32| i % 7 % 2;
    let mut expected = sorted(&grid);
    expected.retain(|&[i, j]| lump(i) == lump(j));
    let sizes = LevelSizes::new([4.0]).unwrap();
    let explicit = HierarchicalGrid::new().with_level_sizes(sizes);
    for (mut grid, far) in [
        (explicit, 4.0 * 2_147_483_500.0),
        (HierarchicalGrid::new(), 2e9),
    ] {
        let mut apart = spheres.clone();
        for (i, sphere) in (0..).zip(&mut apart) {
            sphere.center += DVec3::splat(f64::from(lump(i)) * far);
        }
        grid.rebuild(&apart).unwrap();
        assert_eq!(sorted(&grid), expected);
        assert!(grid.trees.are_used);
        let bytes = grid.bytes() as f64 - 80.0 * COUNT as f64;
        assert!(bytes < 32_768.0, "{bytes}");
        let mut near = Vec::new();
        grid.for_each_touching(&Sphere::new(DVec3::splat(50.0), 2e10), |i| near.push(i));
        assert_eq!(near.len(), COUNT);
    }
}

/// Cells are widened until their table is small, also with given sizes.
#[test]
fn tables_are_small() {
    let sizes = LevelSizes::new([1.0]).unwrap();
    let given = HierarchicalGrid::new().with_level_sizes(sizes);
    for mut grid in [HierarchicalGrid::with_one_level(), given] {
        for (spacing, widest) in [(1.0, 1.01), (1.4, 1.01), (4.2, 4.2), (1e7, 1e7)] {
            let place = |i: i32| DVec2::new(f64::from(i % 90), f64::from(i / 90)) * spacing;
            let discs: Vec<_> = (0..8100).map(|i| Sphere::new(place(i), 0.5)).collect();
            grid.rebuild(&discs).unwrap();
            let report = grid.report();
            assert!(
                report.has_tables && report.levels[0].cell_width < widest,
                "{report:?}"
            );
            assert!(report.counted.table_cells < 4.2, "{report:?}");
            let touching = if spacing == 1.0 { 2 * 90 * 89 } else { 0 };
            assert_eq!(pairs(&grid).len(), touching);
        }
    }
}

/// An escaped body does not widen the cells of the others.
#[test]
fn one_body_far_out() {
    for far in [1e6, 1e12, 1e30, -1e40] {
        let mut line: Vec<_> = (0..1000)
            .map(|i| Sphere::new(DVec2::new(f64::from(i), 0.0), 0.5))
            .collect();
        line[7].center.x = far;
        for mut grid in [HierarchicalGrid::new(), HierarchicalGrid::with_one_level()] {
            grid.rebuild(&line).unwrap();
            let cell = |s: &Sphere<DVec2>| grid.levels[0].cells.cell(s.center)[0];
            let mut cells: Vec<u32> = line.iter().map(cell).collect();
            cells.sort_unstable();
            cells.dedup();
            assert!(cells.len() > 450, "{}", cells.len());
            assert_eq!(pairs(&grid).len(), 997);
        }
    }
}

/// Every body is on the lowest level that may store it.
#[test]
fn levels_of_radii() {
    let sizes = LevelSizes::new([1.0, 2.0, 8.0]).unwrap();
    let mut grid = HierarchicalGrid::new().with_level_sizes(sizes);
    let radii = [0.0, 0.5, 0.5_f64.next_up(), 1.0, 1.0_f64.next_up(), 4.0];
    grid.rebuild(&radii.map(|r| Sphere::new(DVec3::ZERO, r)))
        .unwrap();
    let levels: Vec<_> = grid
        .levels
        .iter()
        .map(|l| (l.slots.clone(), l.max_radius))
        .collect();
    assert_eq!(levels, [(0..2, 0.5), (2..4, 1.0), (4..6, 4.0)]);
    assert_eq!(pairs(&grid).len(), 15);
    let mut brute = BruteForce::new();
    brute.rebuild(grid.spheres()).unwrap();
    assert_eq!(sorted(&grid), pairs(&brute));
}

/// Levels suit bodies that were inserted one by one, and a body that was removed leaves no trace.
#[test]
fn levels_after_updates() {
    let spheres = random_spheres::<DVec3>(2000, 0.3, 2.0, 1);
    let mut grid = HierarchicalGrid::new();
    grid.insert(Sphere::new(DVec3::ZERO, 1e-3)).unwrap();
    for &sphere in &spheres {
        grid.insert(sphere).unwrap();
    }
    let visitor = grid.insert(Sphere::new(DVec3::ZERO, 300.0)).unwrap();
    let mut found = 0;
    grid.for_each_touching(&Sphere::new(DVec3::ZERO, 0.0), |_| found += 1);
    assert!(found >= 2);
    grid.swap_remove(visitor).unwrap();
    assert!(
        grid.levels
            .iter()
            .all(|level| 2.0 * level.max_radius <= level.size)
    );
    let visited = |level: &Level<DVec3>| {
        let [from, to] = level.cells.range_near(&spheres[7], level.max_radius);
        let along = [0, 1, 2].map(|axis| u64::from(to[axis] - from[axis]) + 1);
        along.iter().product::<u64>()
    };
    let cells: u64 = grid.levels.iter().map(visited).sum();
    assert!(cells < 1000, "{cells}");
    let mut fresh = HierarchicalGrid::new();
    fresh.rebuild(grid.spheres()).unwrap();
    assert_eq!(sorted(&grid), sorted(&fresh));
}
