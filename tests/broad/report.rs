//! The report of a hierarchical grid, and the levels that it chooses for uneven sets of bodies.

use osculate::broad::{GridAdvice, GridReport, GridWork, LevelSizes, SearchDirection};
use osculate::glam::{DVec2, DVec3};
use osculate::math::Vector;
use osculate::testing::properties::broad;
use osculate::testing::workload::{power_law_spheres, random_spheres};
use osculate::{BroadPhase, HierarchicalGrid, Sphere};

fn report<V: Vector>(mut grid: HierarchicalGrid<V>, spheres: &[Sphere<V>]) -> GridReport {
    grid.rebuild(spheres).unwrap();
    grid.report()
}

/// Sets of uneven density: lumps, points, some bodies far away on one side or all, and many radii.
fn uneven_sets<V: Vector>() -> Vec<Vec<Sphere<V>>> {
    const COUNT: usize = 3000;
    let base = random_spheres::<V>(COUNT, 0.3, 2.0, 1);
    let with = |change: &dyn Fn(usize, &mut Sphere<V>)| -> Vec<_> {
        let mut spheres = base.clone();
        (0..COUNT).for_each(|i| change(i, &mut spheres[i]));
        spheres
    };
    let escaped = |i: usize, factor: f64| if i % 300 == 7 { factor } else { 1.0 };
    vec![
        with(&|_, s| s.radius = 0.0),
        with(&|i, s| s.center = s.center * escaped(i, 1e4)),
        with(&|i, s| s.center = s.center * escaped(i, -1e4)),
        with(&|i, s| s.center = s.center + V::splat((i % 2) as f64 * 1e8)),
        with(&|i, s| s.center = s.center * if i % 10 == 0 { 1.0 } else { 1e-3 }),
        with(&|i, s| s.radius *= if i % 100 == 0 { 10.0 } else { 0.1 }),
        power_law_spheres::<V>(COUNT, 0.3, -3.0, 1e3, 3),
    ]
}

fn check_scaling<V: Vector>() {
    for (set, spheres) in uneven_sets::<V>().iter().enumerate() {
        for exponent in [-90, 70] {
            let grid = &mut HierarchicalGrid::new();
            let result = broad::scales_exactly(grid, spheres, exponent, V::ZERO);
            result.unwrap_or_else(|error| panic!("set {set}: {error}"));
            let scaled: Vec<_> = grid.report().levels.iter().map(|l| l.size).collect();
            let levels = report(HierarchicalGrid::new(), spheres).levels;
            let expected = levels.iter().map(|l| l.size * 2.0_f64.powi(exponent));
            assert_eq!(scaled, expected.collect::<Vec<_>>(), "set {set}");
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
    assert_eq!(report.advice, []);
    assert!(report.bytes_per_body.is_finite());
}

/// From 4096 bodies on, bodies in random order should be sorted.
#[test]
fn advice_on_the_order() {
    let spheres = random_spheres::<DVec3>(4096, 0.3, 2.0, 1);
    let advice = |spheres: &[Sphere<DVec3>]| report(HierarchicalGrid::new(), spheres).advice;
    assert_eq!(advice(&spheres), [GridAdvice::Order]);
    assert_eq!(advice(&spheres[1..]), []);
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&spheres).unwrap();
    let sorted: Vec<_> = grid.spatial_order().map(|i| spheres[i]).collect();
    assert_eq!(advice(&sorted), []);
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
            assert_eq!((used, report.direction), (sizes.clone(), direction));
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

/// A dense lump that needs trees.
fn lump() -> Vec<Sphere<DVec3>> {
    let mut spheres = random_spheres::<DVec3>(20_000, 0.3, 2.0, 1);
    for (i, sphere) in spheres.iter_mut().enumerate() {
        let part = if i % 10 == 0 { 1e-4 } else { 1.0 };
        *sphere = Sphere::new(sphere.center * part, 1e-4);
    }
    spheres
}

/// Each leaf of a tree counts as a row and as a cell.
#[test]
fn work_in_trees() {
    let report = report(HierarchicalGrid::new(), &lump());
    assert!(!report.has_tables);
    assert!(report.counted.cells >= 1.0);
    assert_eq!(report.counted.cells, report.counted.rows);
}
