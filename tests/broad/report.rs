//! The report of a hierarchical grid, and the levels that it chooses for uneven sets of bodies.

use super::growth::{fractal, sets};
use osculate::broad::{GridReport, GridWork, LevelSizes, SearchDirection};
use osculate::glam::{DVec2, DVec3};
use osculate::math::{MIN_LENGTH, Vector};
use osculate::testing::properties::broad;
use osculate::testing::workload::random_spheres;
use osculate::{BroadPhase, HierarchicalGrid, Sphere};

fn report<V: Vector>(mut grid: HierarchicalGrid<V>, spheres: &[Sphere<V>]) -> GridReport {
    grid.rebuild(spheres).unwrap();
    grid.report()
}

fn check_scaling<V: Vector>() {
    for (name, set) in sets::<V>() {
        let spheres = set(3000);
        for exponent in [-90, 70] {
            let grid = &mut HierarchicalGrid::new();
            let result = broad::scales_exactly(grid, &spheres, exponent, V::ZERO);
            result.unwrap_or_else(|error| panic!("{name}: {error}"));
            let scaled: Vec<_> = grid.report().levels.iter().map(|l| l.size).collect();
            let levels = report(HierarchicalGrid::new(), &spheres).levels;
            // Cells as small as the domain allows do not scale.
            if levels[0].size == MIN_LENGTH {
                continue;
            }
            let expected = levels.iter().map(|l| l.size * 2.0_f64.powi(exponent));
            assert_eq!(scaled, expected.collect::<Vec<_>>(), "{name}");
        }
    }
}

/// The unit of length changes neither the sequence of pairs nor the levels.
#[test]
fn levels_of_uneven_sets_scale_exactly() {
    check_scaling::<DVec2>();
    check_scaling::<DVec3>();
}

#[test]
fn no_bodies() {
    let mut grid = HierarchicalGrid::<DVec3>::new();
    assert!(grid.is_empty());
    let report = report(grid.clone(), &[]);
    grid.rebuild(&[Sphere::new(DVec3::ZERO, 1.0)]).unwrap();
    assert!(!grid.is_empty());
    assert_eq!(report.levels, []);
    assert_eq!(report.counted, GridWork::default());
    assert!(report.bytes_per_body.is_finite());
}

/// Given sizes are used as given, also slow ones: about twenty bodies in a cell, or far too many levels.
#[test]
fn given_sizes_are_used() {
    let spheres = random_spheres::<DVec3>(3000, 0.04, 1.0, 1);
    let far = spheres.iter().map(|s| s.center.max_element());
    let wide = far.fold(0.0, f64::max) * (20.0_f64 / 3000.0).cbrt();
    let many: Vec<f64> = (0..40).map(|k| 0.1 * 1.1_f64.powi(k)).collect();
    for sizes in [vec![wide], many, vec![0.001, 3.0], vec![2.0, 20.0 * wide]] {
        for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
            let grid = HierarchicalGrid::new()
                .with_level_sizes(LevelSizes::new(sizes.clone()).unwrap())
                .with_direction(direction);
            let report = report(grid, &spheres);
            let used: Vec<f64> = report.levels.iter().map(|level| level.size).collect();
            assert_eq!(used, sizes);
            assert!(report.has_tables);
        }
    }
}

/// Points get cells that hold a few of them.
#[test]
fn cells_of_points() {
    let mut points = random_spheres::<DVec3>(2000, 0.3, 2.0, 1);
    points.iter_mut().for_each(|point| point.radius = 0.0);
    let report = report(HierarchicalGrid::new(), &points);
    assert!(
        report.has_tables && report.levels[0].cells > 200.0,
        "{report:?}"
    );
    assert!(report.counted.tests < 60.0, "{report:?}");
}

/// Each leaf of a tree counts as a row and as a cell.
#[test]
fn work_in_trees() {
    let report = report(HierarchicalGrid::new(), &fractal::<DVec3>(8000, 1e-13));
    assert!(!report.has_tables);
    assert!(report.counted.cells >= 1.0);
    assert_eq!(report.counted.cells, report.counted.rows);
}
