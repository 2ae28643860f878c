//! The work of the searches against the cost model, and its bounds at uneven densities.

use super::*;

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
        grid.rebuild(&spheres).unwrap();
        assert!(!grid.has_trees);
        for (h, (sum, count)) in sums.iter_mut().enumerate() {
            let level = &grid.levels[h];
            let beside = grid.levels_beside(h);
            let margins =
                beside.map(|other| level.max_radius + other.max_radius + 1.1 * other.size);
            let margin = margins.fold(2.1 * level.size, f64::max);
            for slot in level.slots.clone() {
                let center = spheres[grid.table.ids[slot] as usize].center;
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
        assert!(grid.has_trees);
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
