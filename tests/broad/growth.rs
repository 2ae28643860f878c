//! Four times the bodies take at most five times the work and bounded memory, for any positions,
//! sizes and history.
//!
//! ```sh
//! OSCULATE_CASES=1000 OSCULATE_SEED=1 cargo test --release --test broad growth::
//! ```

use std::ops::Range;

use osculate::glam::{DVec2, DVec3};
use osculate::testing::workload::{SplitMix64, power_law_spheres, random_spheres};
use osculate::{BroadPhase, HierarchicalGrid, LinkedCells, Sphere, Vector, broad::GridReport};

/// The seeds of random sets: 12 in CI.
fn seeds() -> Range<u64> {
    let seed = (crate::support::seed() as u64) << 32;
    seed..seed + crate::support::cases(12) as u64
}

/// The work per body, in tests: a row of cells takes the time of 20.
fn work(report: &GridReport) -> f64 {
    report.counted.tests + 20.0 * report.counted.rows + report.counted.table_cells
}

fn report_of<V: Vector>(spheres: &[Sphere<V>]) -> GridReport {
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(spheres).unwrap();
    grid.report()
}

/// Spheres of a set of any size. The pairs must not be more a body in larger sets.
pub(super) type Set<V> = Box<dyn Fn(usize) -> Vec<Sphere<V>>>;

fn changed<V: Vector>(
    mut spheres: Vec<Sphere<V>>,
    change: impl Fn(usize, &mut Sphere<V>),
) -> Vec<Sphere<V>> {
    for (i, sphere) in spheres.iter_mut().enumerate() {
        change(i, sphere);
    }
    spheres
}

fn packing<V: Vector>(count: usize) -> Vec<Sphere<V>> {
    random_spheres(count, 0.3, 1.5, 1)
}

/// A point in a ball of radius 1, and one near a corner of lumps in lumps of 12 decades.
fn in_ball<V: Vector>(random: &mut SplitMix64) -> V {
    let point = random.in_ball().to_array();
    V::from_fn(|axis| point[axis])
}

pub(super) fn fractal<V: Vector>(count: usize, radius: f64) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(5);
    let mut sphere = |_| {
        let decade = 10.0_f64.powf(-random.range(0.0, 12.0));
        Sphere::new(V::splat(3.0) + in_ball::<V>(&mut random) * decade, radius)
    };
    (0..count).map(&mut sphere).collect()
}

/// Fines in one of the cells of large bodies, in the gaps there.
fn fines<V: Vector>(count: usize, radius: f64) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(5);
    let large = random_spheres::<V>(count / 100, 0.05, 1.0, 1);
    let place = large[large.len() / 2].center;
    let mut fine = |_| Sphere::new(place + in_ball::<V>(&mut random) * 0.9, radius);
    large
        .iter()
        .copied()
        .chain((large.len()..count).map(&mut fine))
        .collect()
}

/// Large bodies in a row, and fines that each have a row of cells for themselves.
fn chain<V: Vector>(count: usize) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(5);
    let half = count / 2;
    let large = (0..half).map(|i| Sphere::new(V::X * (2.1e4 * i as f64), 1e4));
    let fine = (half..count).map(|_| {
        let around = in_ball::<V>(&mut random) * 1.2e4;
        Sphere::new(around + V::X * (2.1e4 * random.unit() * half as f64), 0.4)
    });
    large.chain(fine).collect()
}

/// Fines in a box, some far out along x, and large bodies in a row along x.
///
/// Cells cover the fines in the box, so all that is beyond is in one cell of its level, and each large body there tests
/// the far fines. If these or the large bodies are more than about sqrt(32 n), their cell is crowded and they are in
/// trees; otherwise the tests are at most 32 n.
fn fines_far_out<V: Vector>(count: usize, [far_count, large_count]: [usize; 2]) -> Vec<Sphere<V>> {
    let mut spheres = packing::<V>(count - large_count);
    let far = spheres.iter().fold(0.0, |far: f64, s| far.max(s.center[0]));
    let at = |x: f64| V::splat(0.5 * far) + V::X * (x + far);
    let step = spheres.len() / far_count;
    for (i, sphere) in spheres.iter_mut().step_by(step).enumerate() {
        sphere.center = at(1e9 + 10.0 * i as f64);
    }
    let large = (0..large_count).map(|i| Sphere::new(at(1e3 + 1e3 * i as f64), 100.0));
    spheres.extend(large);
    spheres
}

pub(super) fn sets<V: Vector>() -> Vec<(&'static str, Set<V>)> {
    let lumps = |n: usize, far: f64| {
        let shift = move |i: usize| V::splat((i % 2) as f64 * far);
        changed(packing::<V>(n), move |i, s| s.center = s.center + shift(i))
    };
    let outlier = move |n: usize, far: f64| {
        let mut spheres = lumps(n, far);
        spheres[5].center = V::splat(-3.0 * far);
        spheres
    };
    let far = |i: usize| [i % 7, i % 5, i % 3].map(|k| k as f64 * 1e11);
    let many_lumps = move |n| {
        let shift = |i| V::from_fn(|axis| far(i)[axis]);
        changed(packing::<V>(n), |i, s| s.center = s.center + shift(i))
    };
    let with_large = move |n| {
        let mut spheres = lumps(n, 1e12);
        spheres[9] = Sphere::new(V::X * 5e11, 1e11);
        spheres
    };
    let line = |along: V| {
        move |n| -> Vec<Sphere<V>> {
            let at = |i: usize| Sphere::new(along * i as f64, 0.5);
            (0..n).map(at).collect()
        }
    };
    let gas = |n| changed(packing::<V>(n), |_, s| s.center = s.center * 1e6);
    let points = |n| changed(packing::<V>(n), |_, s| s.radius = 0.0);
    let one_body = |n| changed(packing::<V>(n), |i, s| s.radius = f64::from(i == 7));
    #[rustfmt::skip]
    let sets: Vec<(&str, Set<V>)> = vec![
        ("a packing", Box::new(packing)),
        ("two lumps, 1e10", Box::new(move |n| lumps(n, 1e10))),
        ("two lumps, 1e12", Box::new(move |n| lumps(n, 1e12))),
        ("two lumps, 1e10, and an outlier", Box::new(move |n| outlier(n, 1e10))),
        ("two lumps, 1e12, and an outlier", Box::new(move |n| outlier(n, 1e12))),
        ("many lumps", Box::new(many_lumps)),
        ("two lumps and a large body", Box::new(with_large)),
        ("points", Box::new(points)),
        ("points and one body", Box::new(one_body)),
        ("points in lumps of lumps", Box::new(|n| fractal(n, 0.0))),
        ("bodies in lumps of lumps", Box::new(|n| fractal(n, 1e-13))),
        ("points in one cell", Box::new(|n| fines(n, 0.0))),
        ("fines in one cell", Box::new(|n| fines(n, 1e-5))),
        ("large bodies in a row", Box::new(chain)),
        ("fines far out", Box::new(|n| fines_far_out(n, [3 * n.isqrt(); 2]))),
        ("fines far out, and many large bodies", Box::new(|n| fines_far_out(n, [5 * n.isqrt(), n / 40]))),
        ("a line", Box::new(line(V::X))),
        ("a diagonal", Box::new(line(V::splat(1.0)))),
        ("a gas", Box::new(gas)),
        ("radii of 1 to 10^6", Box::new(|n| power_law_spheres(n, 0.3, -3.0, 1e6, 3))),
    ];
    sets
}

/// What is beyond the cells adds at most the 32 tests a body of a crowded cell to those of the packing.
///
/// It once added 88 at 320,000 bodies and 160 at four times as many.
#[test]
fn bodies_beyond_the_cells() {
    for count in [40_000, 320_000] {
        let tests = |spheres: &[Sphere<DVec3>]| report_of(spheres).counted.tests;
        let alone = tests(&packing(count));
        let with = tests(&fines_far_out(count, [5 * count.isqrt(), count / 40]));
        assert!(with <= alone + 32.0, "{alone} {with}");
    }
}

fn check_sets<V: Vector>() {
    for (name, set) in sets::<V>() {
        let [few, many] = [2000, 8000].map(|count| report_of(&set(count)));
        let [before, after] = [&few, &many].map(work);
        assert!(
            after < 1.25 * before.max(100.0),
            "{name}: {before} {after} {many:?}"
        );
        check_memory(name, &many, &set(8000));
    }
}

/// The documented bound: 64 bytes a body, 8 more in trees, 30 kB, and 3 kB for each octave of radii.
fn check_memory<V: Vector>(name: &str, report: &GridReport, spheres: &[Sphere<V>]) {
    let each = if report.has_tables { 64.0 } else { 72.0 };
    let radii = spheres.iter().map(|sphere| sphere.radius);
    let [smallest, largest] = radii.filter(|&radius| radius > 0.0).fold(
        [f64::INFINITY, f64::MIN_POSITIVE],
        |[smallest, largest], radius| [radius.min(smallest), radius.max(largest)],
    );
    let octaves = 1.0 + (largest / smallest).log2().max(0.0);
    let bytes = report.bytes_per_body * spheres.len() as f64;
    let rest = bytes - each * spheres.len() as f64;
    assert!(
        rest < 30e3 + 3e3 * octaves,
        "{name}: {rest} bytes, {octaves} octaves: {report:?}"
    );
}

#[test]
fn work_grows_as_the_bodies() {
    check_sets::<DVec2>();
    check_sets::<DVec3>();
}

/// Fines in the cell of one of many large bodies, denser and denser: 16 times the bodies are in cells that hold no more of
/// them. Beyond, the finest cells may hold more, up to the crowding at which trees replace cells.
fn check_fines<V: Vector>() {
    for radius in [0.0, 1e-5] {
        let work_of = |count| work(&report_of(&fines::<V>(count, radius)));
        let few = work_of(2000);
        let check = |count, limit: f64| {
            let many = work_of(count);
            assert!(many < limit * few, "{radius} {count}: {few} {many}");
        };
        for count in [8000, 16_000, 32_000] {
            check(count, 1.25);
        }
        if !cfg!(debug_assertions) {
            for count in [128_000, 512_000, 1_024_000] {
                check(count, 2.0);
            }
        }
    }
}

#[test]
fn dense_fines_do_not_crowd() {
    check_fines::<DVec2>();
    check_fines::<DVec3>();
}

/// Random bodies: some lumps of random sizes and positions, with radii of random distributions.
fn random_set<V: Vector>(seed: u64, count: usize) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(seed);
    let lump_count = 1 + random.below(6);
    let far = 10.0_f64.powf(random.range(0.0, 14.0));
    let lumps: Vec<(V, f64, f64)> = (0..lump_count)
        .map(|_| {
            let place = V::from_fn(|_| random.range(-far, far) * random.below(2) as f64);
            let part = random.unit();
            (place, 10.0_f64.powf(random.range(-3.0, 3.0)), part)
        })
        .collect();
    let [fewest, ratio] = [random.range(0.0, 4.0), random.range(0.0, 4.0)];
    let packing = power_law_spheres::<V>(count, 0.2, -1.0 - fewest, 10.0_f64.powf(ratio), seed);
    let has_points = random.below(3) == 0;
    let spheres = packing.into_iter().map(|sphere| {
        let (place, scale, part) = lumps[random.below(lump_count)];
        // Sparser and sparser from lump to lump, none denser than the packing.
        let center = place + sphere.center * (scale * (1.0 + 9.0 * part));
        let radius = if has_points && random.below(4) == 0 {
            0.0
        } else {
            sphere.radius * scale
        };
        Sphere::new(center, radius)
    });
    spheres.collect()
}

/// The tests in cells that hold 32 bodies on average, and 2 rows; with more bodies per cell there
/// are trees. Up to there cells take no more time than trees, whose counted work is a tenth: it
/// does not include building them.
const CROWDED: f64 = 13.5 * 32.0 + 40.0;

/// A search for growth among random densities, extents and sizes: 16 times the bodies take at most
/// 20 times the work.
fn search_for_growth<V: Vector>() {
    for seed in seeds() {
        let [few, many] = [1000, 16_000].map(|count| {
            let spheres = random_set::<V>(seed, count);
            let mut grid = HierarchicalGrid::new();
            grid.rebuild(&spheres).unwrap();
            let mut pairs = 0;
            grid.for_each_pair(|_, _| pairs += 1);
            (grid.report(), f64::from(pairs) / count as f64)
        });
        let [before, after] = [&few, &many].map(|(report, pairs)| work(report) / (1.0 + pairs));
        assert!(
            after < 1.25 * before.max(CROWDED),
            "{seed}: {before} {after} {many:?}"
        );
        check_memory("a random set", &many.0, &random_set::<V>(seed, 16_000));
    }
}

#[test]
fn no_growth_is_found() {
    search_for_growth::<DVec2>();
    search_for_growth::<DVec3>();
}

/// One body a million times as large as all others, in cells of one size.
#[test]
fn linked_cells_of_unequal_bodies() {
    let [few, many] = [2000, 8000].map(|count| {
        let mut spheres = packing::<DVec3>(count);
        spheres[7].radius = 3.0;
        spheres.push(Sphere::new(DVec3::new(0.0, 0.0, -1e6), 1e6 - 2.0));
        let mut cells = LinkedCells::new();
        cells.rebuild(&spheres).unwrap();
        work(&cells.grid().report())
    });
    assert!(many < 1.25 * few, "{few} {many}");
}
