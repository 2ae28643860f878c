//! Compares every broad phase with integers, on spheres that often touch exactly.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::broad::{LevelSizes, Pair, SearchDirection};
use osculate::glam::DVec3;
use osculate::testing::oracle;
use osculate::*;

fn check(mut broad: impl BroadPhase<Vector = DVec3>, spheres: &[Sphere<DVec3>], expected: &[Pair]) {
    broad.rebuild(spheres).unwrap();
    let mut pairs = Vec::new();
    broad.collect_pairs(&mut pairs);
    pairs.sort_unstable();
    assert_eq!(pairs, expected);
}

fuzz_target!(|input: (Vec<([i32; 3], u16)>, i8, [u16; 3])| {
    let (lattice, exponent, sizes) = input;
    let lattice: Vec<_> = lattice
        .into_iter()
        .map(|(p, r)| (p.map(i64::from), r.into()))
        .collect();
    let unit = 2.0_f64.powi(i32::from(exponent) / 2);
    let sphere =
        |&(p, r): &([i64; 3], i64)| Sphere::new(oracle::to_vector(p, unit), r as f64 * unit);
    let spheres: Vec<_> = lattice.iter().map(sphere).collect();
    let expected = oracle::touching_pairs(&lattice);
    check(HierarchicalGrid::new(), &spheres, &expected);
    check(LinkedCells::new(), &spheres, &expected);
    let mut sizes = sizes.map(|s| f64::from(s) + 1.0);
    sizes.sort_by(f64::total_cmp);
    let largest = spheres
        .iter()
        .fold(unit, |size, s| size.max(2.0 * s.radius));
    let sizes = sizes.map(|s| s / sizes[2] * largest);
    for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
        let Ok(sizes) = LevelSizes::new(sizes) else {
            continue;
        };
        let mut grid = HierarchicalGrid::new()
            .with_level_sizes(sizes)
            .with_direction(direction);
        if grid.rebuild(&spheres).is_ok() {
            check(grid, &spheres, &expected);
        }
    }
});
