//! Tests of the lists.

use glam::{DVec2, DVec3};

use super::*;
use crate::math::MAX_LENGTH;
use crate::testing::workload::{SplitMix64, power_law_spheres};

/// Levels hold the diameters of an octave, up to the width of their cells.
#[test]
fn levels_of_radii() {
    for k in [-148, 0, 1, 151] {
        let half_width = two_to(k - 1);
        let radii = [half_width.next_down(), half_width, half_width.next_up()];
        assert_eq!(radii.map(level_of), [k, k, k + 1]);
    }
    assert_eq!(
        [0.0, MIN_LENGTH, MAX_LENGTH].map(level_of),
        [-149, -149, 151]
    );
    let wide = HashGrid::<DVec2>::new().with_finest_cells(3.0).unwrap();
    let level = |radius: f64| wide.cell_of(&Sphere::new(DVec2::ZERO, radius)).level;
    assert_eq!([0.0, 2.0, 2.1].map(level), [2, 2, 3]);
}

/// Levels and lists after random updates are those of a rebuild.
#[test]
fn lists_after_updates() {
    let spheres = power_law_spheres::<DVec3>(1000, 0.3, -2.0, 50.0, 1);
    let mut random = SplitMix64::new(2);
    let mut grid = HashGrid::new();
    grid.rebuild(&spheres[..600]).unwrap();
    for _ in 0..5000 {
        let (body, sphere) = (random.below(grid.len()), spheres[random.below(1000)]);
        match random.below(4) {
            0 if grid.len() > 520 => grid.swap_remove(body).unwrap(),
            1 if grid.len() < 1000 => _ = grid.insert(sphere).unwrap(),
            _ => grid.replace(body, sphere).unwrap(),
        }
    }
    let mut fresh = grid.clone();
    fresh.link_all();
    assert_eq!(grid.heads.len(), fresh.heads.len());
    assert_eq!(grid.heads, fresh.heads);
    assert_eq!(grid.next, fresh.next);
    let levels = |grid: &HashGrid<DVec3>| -> Vec<(i32, u32)> {
        grid.levels.iter().map(|l| (l.exponent, l.bodies)).collect()
    };
    assert_eq!(levels(&grid), levels(&fresh));
}

/// No list is long, also if the bodies are on a lattice of any spacing in cells.
#[test]
fn lists_are_short() {
    for spacing in [1.0, 8.0, 1024.0, two_to(40)] {
        let at = |i: u32| DVec3::new((i % 16).into(), (i / 16 % 16).into(), (i / 256).into());
        let mut grid = HashGrid::new();
        grid.rebuild_with(4096, |i| Sphere::new(at(i as u32) * spacing, 0.5))
            .unwrap();
        let length = |list: usize| {
            let first = Some(grid.heads[list]).filter(|&body| body != NONE);
            let next = |&body: &u32| Some(grid.next[body as usize]).filter(|&body| body != NONE);
            std::iter::successors(first, next).count()
        };
        let lengths: Vec<usize> = (0..grid.heads.len()).map(length).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 4096);
        assert!(lengths.iter().all(|&length| length <= 10), "{spacing}");
    }
}
