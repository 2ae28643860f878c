//! Tests of internals, and of cases that are rare through the public interface.

mod effort;

use std::cell::RefCell;

use glam::{DVec2, DVec3};

use super::HierarchicalGrid;
use super::search::{PairSearch, TouchSearch};
use super::tuning::Sizing;
use crate::broad::levels::{
    GridCost, GridCostModel, GridWork, LevelSizes, RadiusDistribution, SearchDirection,
};
use crate::broad::simd::{Task, Width, run_each};
use crate::broad::{BroadPhase, BruteForce, Pair};
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

/// A search that keeps what it finds: the bodies that touch a query, or the pairs of a chunk.
struct Recorded<'a, V, const TREES: bool> {
    grid: &'a HierarchicalGrid<V>,
    query: Option<Sphere<V>>,
    chunk: usize,
    found: &'a RefCell<Vec<Vec<Pair>>>,
}

impl<V: Vector, const TREES: bool> Task for Recorded<'_, V, TREES> {
    fn run<W: Width>(self) {
        let (grid, chunk, mut pairs) = (self.grid, self.chunk, Vec::new());
        let sink = &mut |block: &[Pair]| pairs.extend_from_slice(block);
        match self.query {
            Some(query) => TouchSearch::<_, TREES> { grid, query, sink }.run::<W>(),
            None => PairSearch::<_, TREES> { grid, chunk, sink }.run::<W>(),
        }
        self.found.borrow_mut().push(pairs);
    }
}

/// Returns what each instruction set of the processor finds, from tables or trees.
fn found_by_widths<V: Vector, const TREES: bool>(
    grid: &HierarchicalGrid<V>,
    query: Option<Sphere<V>>,
    chunk: usize,
) -> Vec<Vec<Pair>> {
    let found = RefCell::default();
    run_each(|| Recorded::<V, TREES> {
        grid,
        query,
        chunk,
        found: &found,
    });
    found.into_inner()
}

/// Checks that all instruction sets find the same pairs in the same sequence, from tables or trees.
fn check_pairs_of_widths<V: Vector, const TREES: bool>(grid: &HierarchicalGrid<V>) {
    for chunk in 0..grid.chunk_count() {
        let mut pairs = Vec::new();
        grid.append_pairs_in(chunk, &mut pairs);
        for found in found_by_widths::<V, TREES>(grid, None, chunk) {
            assert_eq!(found, pairs);
        }
    }
}

/// Checks that all instruction sets find the same sequence.
fn check_widths<V: Vector>(mut grid: HierarchicalGrid<V>, spheres: &[Sphere<V>]) {
    grid.rebuild(spheres).unwrap();
    assert!(pairs(&grid).len() > spheres.len() / 2);
    check_pairs_of_widths::<V, false>(&grid);
    let query = Sphere::new(spheres[0].center, 9.0);
    let mut widest = Vec::new();
    grid.for_each_touching(&query, |i| widest.push(i));
    assert!(!widest.is_empty());
    for found in found_by_widths::<V, false>(&grid, Some(query), 0) {
        assert!(
            found
                .iter()
                .map(|&[i, _]| i as usize)
                .eq(widest.iter().copied())
        );
    }
    build_trees(&mut grid);
    check_pairs_of_widths::<V, true>(&grid);
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
