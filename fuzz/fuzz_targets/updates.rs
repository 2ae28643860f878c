//! Compares the pairs after each of a sequence of single-body updates with brute force.
#![no_main]
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use osculate::broad::{HashGrid, IncrementalBroadPhase, Pair};
use osculate::glam::DVec3;
use osculate::*;

#[derive(Arbitrary, Debug)]
enum Step {
    Insert([i16; 3], u8, i8),
    Remove(u8),
    Relocate(u8, [i16; 3], u8, i8),
    Rebuild,
}

fn sphere(p: [i16; 3], r: u8, exponent: i8) -> Sphere<DVec3> {
    let radius = f64::from(r) * 2.0_f64.powi(exponent.into());
    Sphere::new(DVec3::from_array(p.map(f64::from)), radius)
}

fn pairs(broad: &impl BroadPhase<Vector = DVec3>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    broad.collect_pairs(&mut pairs);
    pairs.sort_unstable();
    pairs
}

fuzz_target!(|steps: Vec<Step>| {
    let (mut grid, mut brute) = (HashGrid::new(), BruteForce::new());
    for step in steps.into_iter().take(64) {
        match step {
            Step::Insert(p, r, e) => {
                assert_eq!(grid.insert(sphere(p, r, e)), brute.insert(sphere(p, r, e)))
            }
            Step::Remove(i) => assert_eq!(grid.swap_remove(i.into()), brute.swap_remove(i.into())),
            Step::Relocate(i, p, r, e) => {
                let moved = (i.into(), sphere(p, r, e));
                assert_eq!(
                    grid.replace(moved.0, moved.1),
                    brute.replace(moved.0, moved.1)
                );
            }
            Step::Rebuild => grid.rebuild(&grid.spheres().to_vec()).unwrap(),
        }
        assert_eq!(grid.spheres(), brute.spheres());
        assert_eq!(pairs(&grid), pairs(&brute));
    }
});
