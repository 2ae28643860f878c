//! Properties of broad phases, by random inputs that are biased to ties and extremes.

use crate::support::lattice::{LatticeSphere, config, near, sorted_pairs, spheres};
use osculate::glam::{DVec2, DVec3};
use osculate::math::{MAX_LENGTH, MIN_LENGTH};
use osculate::testing::workload::{self, SplitMix64};
use osculate::testing::{oracle, properties, strategies as any};
use osculate::{
    BroadPhase, BruteForce, Filtered, HierarchicalGrid, LinkedCells, Sphere, Vector,
    broad::{HashGrid, IncrementalBroadPhase, LevelSizes, Pair, SearchDirection},
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Sizes that hold all lattice spheres: some are exactly the diameters that occur.
const SIZES: [&[f64]; 4] = [
    &[4.0],
    &[0.5, 1.0, 4.0],
    &[0.25, 1.5, 3.0, 4.5],
    &[1.0, 64.0],
];

/// A grid of given sizes, for bodies that are scaled by a factor.
fn grid<V: Vector>(sizes: &[f64], direction: SearchDirection, scale: f64) -> HierarchicalGrid<V> {
    let sizes: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    HierarchicalGrid::new()
        .with_level_sizes(LevelSizes::new(sizes).unwrap())
        .with_direction(direction)
}

/// The inputs of the properties: spheres, others, a query, an exponent of two and a seed.
type Case = (
    Vec<LatticeSphere>,
    Vec<LatticeSphere>,
    LatticeSphere,
    i32,
    u64,
);

/// All properties of broad phases; `new` returns one for bodies scaled by a factor.
fn laws<V: Vector, B: BroadPhase<Vector = V>>(
    (lattice, others, query, exponent, seed): &Case,
    new: impl Fn(f64) -> B,
) -> TestCaseResult {
    let flat = |&([x, y, z], r): &LatticeSphere| ([x, y, if V::DIM == 2 { 0 } else { z }], r);
    let flat: Vec<LatticeSphere> = lattice.iter().map(flat).collect();
    let bodies = spheres::<V>(lattice, 1.0);
    let broad = &mut new(1.0);
    broad.rebuild(&bodies)?;
    prop_assert_eq!(sorted_pairs(broad), oracle::touching_pairs(&flat));

    properties::broad::each_pair_once(broad, &bodies)?;
    properties::broad::each_touching_once(broad, &bodies, any::to_sphere(*query))?;
    properties::broad::independent_of_history(broad, &bodies, &spheres(others, 1.0))?;
    properties::broad::independent_of_order(broad, &bodies, *seed)?;
    properties::broad::independent_of_axes(broad, &bodies)?;

    // The same sequence if all is scaled and moved.
    let scale = 2.0_f64.powi(*exponent);
    let mut scaled = new(scale);
    let sphere = |s: &Sphere<V>| Sphere::new((s.center + V::splat(-3.0)) * scale, s.radius * scale);
    scaled.rebuild(&bodies.iter().map(sphere).collect::<Vec<_>>())?;
    broad.rebuild(&bodies)?;
    prop_assert_eq!(sequence(&scaled), sequence(broad));
    Ok(())
}

fn case() -> impl Strategy<Value = Case> {
    (
        any::lattice_spheres(40),
        any::lattice_spheres(10),
        (any::lattice_point(), 0..=8_i64 << 20),
        -140..=140,
        any::<u64>(),
    )
}

/// Bodies of which some are much larger or much farther away than the others.
fn scattered<V: Vector>(lattice: &[LatticeSphere]) -> Vec<Sphere<V>> {
    let mut bodies = spheres::<V>(lattice, 1.0);
    for (i, body) in bodies.iter_mut().enumerate() {
        match i % 7 {
            3 => body.radius *= 64.0,
            4 => body.radius *= 2.0_f64.powi(-8),
            5 => body.center = body.center * 2.0_f64.powi(35),
            6 => body.center = body.center + V::splat(-128.0),
            _ => (),
        }
        if body.radius < 1e-6 {
            body.radius = 0.0;
        }
    }
    bodies
}

fn updates<V: Vector>(lattice: &[LatticeSphere], seed: u64) -> TestCaseResult {
    let wide = || HashGrid::new().with_finest_cells(3.0).unwrap();
    let is_pair = |i: usize, j: usize| (i ^ j) & 1 == 1;
    let filtered = || Filtered::new(BruteForce::new(), is_pair);
    let filtered_grid = || Filtered::new(HashGrid::new(), is_pair);
    for bodies in [spheres::<V>(lattice, 1.0), scattered::<V>(lattice)] {
        properties::broad::updates_equal_a_rebuild(BruteForce::new, &bodies, seed)?;
        properties::broad::updates_equal_a_rebuild(filtered, &bodies, seed)?;
        properties::broad::updates_equal_a_rebuild(filtered_grid, &bodies, seed)?;
        properties::broad::updates_equal_a_rebuild(HashGrid::new, &bodies, seed)?;
        properties::broad::updates_equal_a_rebuild(wide, &bodies, seed)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn linked_cells(case in case()) {
        laws(&case, |_| LinkedCells::<DVec2>::new())?;
        laws(&case, |_| LinkedCells::<DVec3>::new())?;
        laws(&case, |scale| LinkedCells::<DVec3>::new().with_cell_size(4.5 * scale).unwrap())?;
        laws(&case, |_| BruteForce::<DVec2>::new())?;
    }

    #[test]
    fn hierarchical_grids(case in case(), choice in 0..2 * SIZES.len()) {
        laws(&case, |_| HierarchicalGrid::<DVec2>::new())?;
        laws(&case, |_| HierarchicalGrid::<DVec3>::new())?;
        let direction = [SearchDirection::TopDown, SearchDirection::BottomUp][choice % 2];
        let sizes = SIZES[choice / 2];
        laws(&case, |scale| grid::<DVec2>(sizes, direction, scale))?;
        laws(&case, |scale| grid::<DVec3>(sizes, direction, scale))?;
    }

    #[test]
    fn hash_grids(case in case()) {
        laws(&case, |_| HashGrid::<DVec2>::new())?;
        laws(&case, |_| HashGrid::<DVec3>::new())?;
        laws(&case, |scale| HashGrid::<DVec3>::new().with_finest_cells(0.7 * scale).unwrap())?;
    }

    #[test]
    fn single_updates(lattice in any::lattice_spheres(20), seed: u64) {
        updates::<DVec2>(&lattice, seed)?;
        updates::<DVec3>(&lattice, seed)?;
    }

    #[test]
    fn no_pair_is_lost_at_cell_faces(
        spheres_2d in any::spheres_at_cell_faces::<DVec2>(12),
        mut spheres_3d in any::spheres_at_cell_faces::<DVec3>(12),
        small in prop::collection::vec(prop::sample::select(vec![1.0, 0.5, 0.25, 0.0]), 12),
    ) {
        properties::broad::each_pair_once(&mut LinkedCells::new(), &spheres_2d)?;
        properties::broad::each_pair_once(&mut LinkedCells::new(), &spheres_3d)?;
        for &query in &spheres_3d {
            properties::broad::each_touching_once(&mut LinkedCells::new(), &spheres_3d, query)?;
            properties::broad::each_touching_once(&mut HashGrid::new(), &spheres_3d, query)?;
        }
        // The tightest size that is allowed.
        let diameter = 2.0 * spheres_3d[0].radius;
        let cells = LinkedCells::new().with_cell_size(diameter);
        properties::broad::each_pair_once(&mut cells.unwrap(), &spheres_3d)?;
        // Several levels, all radii at their bounds.
        for (sphere, part) in spheres_3d.iter_mut().zip(small) {
            sphere.radius *= part;
        }
        properties::broad::each_pair_once(&mut HierarchicalGrid::new(), &spheres_3d)?;
        let sizes = [0.25, 0.5, 1.0].map(|part| part * diameter);
        for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
            let broad = &mut grid(&sizes, direction, 1.0);
            properties::broad::each_pair_once(broad, &spheres_3d)?;
            for &query in &spheres_3d {
                properties::broad::each_touching_once(broad, &spheres_3d, query)?;
            }
        }
    }

    /// Two lumps far apart, or many.
    #[test]
    fn extents_do_not_matter(
        lattice in any::lattice_spheres(20),
        shifts in prop::collection::vec(prop::array::uniform3(-30..=30), 20),
        query in (any::lattice_point(), 0..=8_i64 << 20),
        direction in prop::sample::select(vec![SearchDirection::TopDown, SearchDirection::BottomUp]),
    ) {
        let far = |exponent: i32| f64::from(exponent.signum()) * 2.0_f64.powi(exponent.abs());
        let mut bodies = spheres::<DVec3>(&lattice, 1.0);
        for (body, shift) in bodies.iter_mut().zip(&shifts) {
            body.center += DVec3::from_array(shift.map(far));
        }
        let near = any::to_sphere(query);
        let wide = Sphere::new(near.center, near.radius * 1e9);
        properties::broad::each_pair_once(&mut LinkedCells::new(), &bodies)?;
        for near in [near, wide] {
            properties::broad::each_touching_once(&mut LinkedCells::new(), &bodies, near)?;
            properties::broad::each_touching_once(&mut HierarchicalGrid::new(), &bodies, near)?;
            properties::broad::each_touching_once(&mut HashGrid::new(), &bodies, near)?;
            properties::broad::each_touching_once(&mut grid(&[2.0, 4.0], direction, 1.0), &bodies, near)?;
        }
        properties::broad::each_pair_once(&mut HierarchicalGrid::new(), &bodies)?;
        properties::broad::each_pair_once(&mut grid(&[2.0, 4.0], direction, 1.0), &bodies)?;
    }

    /// For any bits: no panic, no endless loop, and no valid result from an invalid number.
    #[test]
    fn any_bits_into_constructors(
        points in prop::collection::vec(any::any_vector::<DVec3>(), 0..8),
        radii in prop::collection::vec(prop_oneof![0.0..2.0, any::any_f64()], 8),
        mut sizes in prop::collection::vec(prop_oneof![0.0..9.0, any::any_f64()], 0..6),
        is_sorted: bool,
    ) {
        let domain = |x: f64| x.abs() <= osculate::math::MAX_LENGTH;
        let in_domain = points.iter().all(|p| p.to_array().into_iter().all(domain));
        let radius = radii[0];
        let sphere = |i: usize| Sphere::new(points[i], radii[i]);
        let mut cells = LinkedCells::new().with_cell_size(radius).unwrap_or_default();
        let is_taken = cells.rebuild_with(points.len(), |i| Sphere::new(points[i], radius));
        prop_assert!(in_domain || is_taken.is_err());
        if is_sorted {
            sizes.sort_by(f64::total_cmp);
        }
        let mut grids = vec![HierarchicalGrid::new()];
        if let Ok(sizes) = LevelSizes::new(sizes) {
            let explicit = HierarchicalGrid::new().with_level_sizes(sizes);
            grids.push(explicit.clone().with_direction(SearchDirection::TopDown));
            grids.push(explicit.with_direction(SearchDirection::BottomUp));
        }
        for mut broad in grids {
            if broad.rebuild_with(points.len(), sphere).is_ok() {
                prop_assert!(in_domain);
                for &query in &points {
                    broad.for_each_touching(&Sphere::new(query, radius), |_| ());
                }
                let mut reference = BruteForce::new();
                reference.rebuild_with(points.len(), sphere)?;
                prop_assert_eq!(sorted_pairs(&broad), sorted_pairs(&reference));
                let _ = broad.report();
            }
        }
        // One at a time, for those that are accepted.
        let (mut broad, mut reference) = (HashGrid::new(), BruteForce::new());
        for i in 0..points.len() {
            prop_assert_eq!(broad.insert(sphere(i)).is_ok(), reference.insert(sphere(i)).is_ok());
            let replaced = broad.replace(i / 2, sphere(i));
            prop_assert_eq!(replaced.is_ok(), reference.replace(i / 2, sphere(i)).is_ok());
            for &query in &points {
                let query = Sphere::new(query, radius);
                prop_assert_eq!(near(&broad, &query), near(&reference, &query));
            }
        }
        prop_assert_eq!(sorted_pairs(&broad), sorted_pairs(&reference));
    }
}

/// Returns the pairs in the order in which they are found.
pub(super) fn sequence<V: Vector>(broad: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    broad.collect_pairs(&mut pairs);
    pairs
}

/// Returns the sequence of the bodies that touch some queries.
fn touching(broad: &HashGrid<DVec3>, queries: &[Sphere<DVec3>]) -> Vec<usize> {
    let mut touching = Vec::new();
    for query in queries {
        broad.for_each_touching(query, |body| touching.push(body));
    }
    touching
}

/// The sequences depend on the bodies only. Many bodies are inserted, moved there and back, and removed, so that the
/// lists grow, levels come and go, and there are several chunks.
#[test]
fn updates_leave_no_trace() {
    let mut base = workload::power_law_spheres::<DVec3>(3000, 0.3, -2.0, 20.0, 1);
    for (sphere, extreme) in base.iter_mut().step_by(100).zip(0..) {
        match extreme % 5 {
            0 => sphere.radius = 0.0,
            1 => sphere.radius = MIN_LENGTH,
            2 => sphere.center.x = MAX_LENGTH,
            3 => *sphere = Sphere::new(DVec3::splat(-MAX_LENGTH), MAX_LENGTH),
            _ => sphere.center *= 1e20,
        }
    }
    let (mut broad, mut rebuilt) = (HashGrid::new(), HashGrid::new());
    let mut check = |broad: &HashGrid<DVec3>| {
        let bodies = broad.spheres();
        let queries = bodies.iter().take(300).step_by(3);
        let queries: Vec<_> = queries
            .map(|s| Sphere::new(s.center, 1.5 * s.radius))
            .collect();
        rebuilt.rebuild(bodies).unwrap();
        let (pairs, near_queries) = (sequence(broad), touching(broad, &queries));
        assert!(pairs.len() > 50 && near_queries.len() > queries.len());
        assert_eq!(pairs, sequence(&rebuilt));
        assert_eq!(near_queries, touching(&rebuilt, &queries));
        let (mut brute, mut grid) = (BruteForce::new(), HierarchicalGrid::new());
        brute.rebuild(bodies).unwrap();
        grid.rebuild(bodies).unwrap();
        assert_eq!(sorted_pairs(broad), sorted_pairs(&brute));
        for query in &queries {
            assert_eq!(near(broad, query), near(&brute, query));
        }
        assert_eq!(pairs, sequence(&grid));
    };
    broad.rebuild(&base[..40]).unwrap();
    for &sphere in &base[40..] {
        broad.insert(sphere).unwrap();
    }
    check(&broad);
    let mut random = SplitMix64::new(5);
    for _ in 0..3000 {
        let [body, other] = [0; 2].map(|_| random.below(base.len()));
        broad.replace(body, base[other]).unwrap();
        broad.replace(body, base[body]).unwrap();
    }
    assert_eq!(broad.spheres(), base);
    check(&broad);
    while broad.len() > 500 {
        broad.swap_remove(random.below(broad.len())).unwrap();
    }
    check(&broad);
    // A clone has the same.
    let clone = broad.clone();
    broad.swap_remove(0).unwrap();
    check(&clone);
    check(&broad);
    // Down to no body, and up again.
    while !broad.is_empty() {
        broad.swap_remove(random.below(broad.len())).unwrap();
    }
    assert!(sequence(&broad).is_empty());
    for &sphere in &base {
        broad.insert(sphere).unwrap();
    }
    check(&broad);
}

#[cfg(feature = "rayon")]
mod threads {
    use osculate::testing::workload::{power_law_spheres, random_spheres};

    use crate::support::bad::{bad_radius, refused, too_many};
    use crate::support::on_threads;

    use super::*;

    /// Rebuild and pairs: the same levels, order and sequence of pairs as on one thread, also
    /// after other bodies.
    fn same_as_serial<V: Vector>(
        new: HierarchicalGrid<V>,
        spheres: &[Sphere<V>],
        others: &[Sphere<V>],
        has_tables: bool,
    ) {
        let mut serial = new.clone();
        serial.rebuild(spheres).unwrap();
        let report = serial.report();
        assert_eq!(report.has_tables, has_tables, "{report:?}");
        let (expected, mut found) = (sequence(&serial), vec![[0, 0]]);
        assert!(expected.len() > 100);
        let mut parallel = new;
        on_threads(|_| {
            parallel.par_rebuild(others).unwrap();
            parallel.par_rebuild(spheres).unwrap();
            parallel.par_collect_pairs(&mut found);
            assert!(found == expected);
            assert!(parallel.spatial_order().eq(serial.spatial_order()));
            assert_eq!(parallel.spheres(), serial.spheres());
        });
        let again = parallel.report();
        assert_eq!(again.levels, report.levels);
        assert_eq!(again.counted, report.counted);
        // A serial rebuild after parallel ones, and none.
        parallel.rebuild(spheres).unwrap();
        assert!(sequence(&parallel) == expected);
        parallel.par_rebuild::<Sphere<V>>(&[]).unwrap();
        assert_eq!((parallel.len(), parallel.chunk_count()), (0, 0));
    }

    #[test]
    fn any_number_of_threads_gives_the_serial_sequence() {
        const COUNT: usize = 9000;
        let discs = power_law_spheres::<DVec2>(COUNT, 0.4, -2.0, 20.0, 1);
        let spheres = power_law_spheres::<DVec3>(COUNT, 0.4, -2.0, 20.0, 2);
        let lumps: Vec<_> = (0..COUNT)
            .map(|i| {
                Sphere::new(
                    spheres[i].center + DVec3::X * (i % 3) as f64 * 1e7,
                    spheres[i].radius,
                )
            })
            .collect();
        let flat: Vec<_> = lumps
            .iter()
            .map(|s| Sphere::new(s.center.truncate(), s.radius))
            .collect();
        let equal = random_spheres::<DVec3>(COUNT, 0.4, 1.0, 5);
        let few = &lumps[..3000];
        same_as_serial(HierarchicalGrid::new(), &discs, &flat, true);
        same_as_serial(HierarchicalGrid::new(), &spheres, &lumps, true);
        same_as_serial(HierarchicalGrid::new(), &lumps, &spheres, false);
        same_as_serial(HierarchicalGrid::new(), &flat, &discs, false);
        same_as_serial(HierarchicalGrid::new(), &equal, few, true);
        for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
            let new = grid(&[14.0, 20.0, 40.0, 50.0], direction, 1.0);
            same_as_serial(new.clone(), &spheres, &lumps, true);
            same_as_serial(new, &lumps, few, false);
        }
    }

    /// The lowest invalid body is reported, and nothing changes.
    #[test]
    fn any_number_of_threads_gives_the_serial_error() {
        let good = random_spheres::<DVec2>(30_000, 0.4, 1.9, 5);
        let mut broad = grid(&[2.0, 4.0], SearchDirection::TopDown, 1.0);
        broad.rebuild(&good[..5000]).unwrap();
        let expected = sorted_pairs(&broad);
        let with = |bad: &[(usize, f64)]| {
            let mut spheres = good.clone();
            bad.iter()
                .for_each(|&(i, radius)| spheres[i].radius = radius);
            spheres
        };
        let too_small = "body 9000: diameter 5.0 exceeds the cell size 4.0".to_owned();
        for (bad, error) in [
            (with(&[(29_999, -1.0)]), bad_radius(29_999, -1.0)),
            (with(&[(100, -1.0), (20_000, -2.0)]), bad_radius(100, -1.0)),
            (
                with(&[(25_000, -2.0), (8192, -3.0)]),
                bad_radius(8192, -3.0),
            ),
            (with(&[(9000, 2.5), (9001, 3.0)]), too_small),
            (
                with(&[(9000, 2.5), (20_000, -1.0)]),
                bad_radius(20_000, -1.0),
            ),
        ] {
            refused("rebuild", broad.rebuild(&bad), &error);
            on_threads(|_| refused("parallel", broad.par_rebuild(&bad), &error));
            assert_eq!(sorted_pairs(&broad), expected);
        }
        let count = osculate::math::MAX_COUNT + 1;
        let result = broad.par_rebuild_with(count, |_| -> Sphere<_> { unreachable!() });
        refused("count", result, &too_many(count));
    }
}
