//! Borderline input of broad phases, which has one result: each with its story.

use osculate::glam::{DVec2, DVec3};
use osculate::math::{MAX_LENGTH, MIN_LENGTH};
use osculate::testing::properties::broad;
use osculate::{
    BroadPhase, BruteForce, HierarchicalGrid, LinkedCells, NarrowPhase, Sphere, SphereSphere,
    Vector,
    broad::{HashGrid, IncrementalBroadPhase, LevelSizes, SearchDirection},
};

fn pairs<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
) -> Vec<[u32; 2]> {
    broad.rebuild(spheres).unwrap();
    let mut pairs = Vec::new();
    broad.collect_pairs(&mut pairs);
    pairs
}

/// The three coordinates at which cells as wide as the cut-off lose the pair at distance 1: the
/// first sets the origin, and the others are rounded down below 2 cells and up to 3.
#[test]
fn rounding_trap() {
    let trap = [-0.9201729513225276, 1.0798270486774721, 2.079827048677472];
    let places: [fn(f64) -> DVec3; 3] = [
        |x| DVec3::new(x, 0.0, 0.0),
        |y| DVec3::new(7.0, y, 0.0),
        |z| DVec3::new(7.0, 7.0, z),
    ];
    for mut cells in [
        LinkedCells::new(),
        LinkedCells::new().with_cell_size(1.0).unwrap(),
    ] {
        for place in places {
            let spheres = trap.map(|x| Sphere::new(place(x), 0.5));
            assert_eq!(pairs(&mut cells, &spheres), [[1, 2]]);
        }
    }
    let discs = trap.map(|y| Sphere::new(DVec2::new(0.0, y), 0.5));
    assert_eq!(pairs(&mut LinkedCells::new(), &discs), [[1, 2]]);
}

/// Bodies 2^40 cells apart: a table over the extent would fit no memory, and cell numbers would not
/// fit 32 bits. Given cells are then widened.
#[test]
fn extents_of_billions_of_cells() {
    let far = [0.0, 0.75, 1e9, 1e12].map(|x| Sphere::new(DVec3::new(x, -x, x), 0.75));
    let mut cells = LinkedCells::new();
    let mut given = LinkedCells::new().with_cell_size(1.5).unwrap();
    assert_eq!(
        [pairs(&mut cells, &far), pairs(&mut given, &far)],
        [[[0, 1]], [[0, 1]]]
    );
    assert!(given.grid().report().levels[0].cell_width > 1e9);
    let wide = Sphere::new(DVec3::ZERO, 1e15);
    broad::each_touching_once(&mut cells, &far, wide).unwrap();
    let ends = [MAX_LENGTH, -MAX_LENGTH, 0.0].map(|x| Sphere::new(DVec3::X * x, MIN_LENGTH));
    assert!(pairs(&mut cells, &ends).is_empty());
    // The sixth power of the smallest radius would underflow.
    let smallest = Sphere::new(DVec3::ZERO, MIN_LENGTH);
    for sphere in [Sphere::new(DVec3::splat(MAX_LENGTH), MAX_LENGTH), smallest] {
        assert_eq!(pairs(&mut LinkedCells::new(), &[sphere; 2]), [[0, 1]]);
    }
}

/// Searches sets that leave levels empty, or without a size: nothing, one body, points, points among bodies,
/// all at one place.
fn search_little<B: BroadPhase<Vector = DVec3>>(broad: &mut B, check: impl Fn(&B)) {
    let at = |x: f64, radius: f64| Sphere::new(DVec3::splat(x), radius);
    let line = |radius: f64| [0.0, 1.0, 2.0, 2.0].map(|x| at(x, radius));
    let mixed: Vec<_> = (0..12)
        .map(|i| at(f64::from(i / 2), f64::from(i % 2)))
        .collect();
    let sets: [(&[Sphere<DVec3>], usize); 10] = [
        (&[], 0),
        (&[at(5.0, 2.0)], 0),
        (&[at(5.0, 0.0)], 0),
        (&line(0.0), 1),
        (&line(0.5), 1),
        (&[at(1.0, 0.0), at(1.0_f64.next_up(), 0.0)], 0),
        (&[at(1.0, 0.0); 6], 15),
        (&[at(1.0, 2.0); 6], 15),
        (&[at(1.0, MIN_LENGTH), at(1.0, 2.0), at(1.0, 0.0)], 3),
        (&mixed, 11),
    ];
    assert!(broad.is_empty());
    broad.for_each_touching(&at(0.0, 1.0), |_| unreachable!());
    broad.for_each_pair(|_, _| unreachable!());
    for (spheres, count) in sets {
        assert_eq!(pairs(broad, spheres).len(), count, "{spheres:?}");
        assert_eq!(broad.is_empty(), spheres.is_empty());
        broad::each_pair_once(broad, spheres).unwrap();
        broad::each_touching_once(broad, spheres, at(1.5, 0.75)).unwrap();
        check(broad);
    }
}

/// A grid that tunes itself has no radius, no extent or no density to go by.
#[test]
fn broad_phases_of_little() {
    search_little(&mut BruteForce::new(), |_| ());
    search_little(&mut LinkedCells::new(), |_| ());
    search_little(&mut HashGrid::new(), |_| ());
    let sizes = LevelSizes::new([0.5, 1.0, 2.0, 4.0]).unwrap();
    let given = HierarchicalGrid::new().with_level_sizes(sizes);
    let bottom_up = given.clone().with_direction(SearchDirection::BottomUp);
    for mut grid in [HierarchicalGrid::new(), given, bottom_up] {
        assert!(grid.report().levels.is_empty());
        search_little(&mut grid, |grid| {
            assert_eq!(grid.spatial_order().count(), grid.len());
            let levels = grid.report().levels;
            let bodies: usize = levels.iter().map(|level| level.bodies).sum();
            assert_eq!(bodies, grid.len());
        });
    }
}

/// A closure that panics while the bodies are copied leaves a broad phase that works, with any of the bodies.
#[test]
fn a_panic_in_the_caller() {
    fn check(mut broad: impl BroadPhase<Vector = DVec3>) {
        let spheres: Vec<_> = (0..200)
            .map(|i| Sphere::new(DVec3::splat(0.5 * f64::from(i)), 1.0))
            .collect();
        broad.rebuild(&spheres).unwrap();
        let asked = std::cell::Cell::new(0);
        let sphere = |i: usize| {
            asked.set(asked.get() + 1);
            assert!(asked.get() < 130, "on purpose");
            spheres[i]
        };
        // While they are validated, and while they are copied.
        for count in [150, 100] {
            asked.set(0);
            let rebuild = std::panic::AssertUnwindSafe(|| broad.rebuild_with(count, sphere));
            assert!(std::panic::catch_unwind(rebuild).is_err());
            broad.for_each_pair(|_, _| ());
            for sphere in &spheres {
                broad.for_each_touching(sphere, |_| ());
            }
        }
        broad.rebuild(&spheres[..3]).unwrap();
        assert!(broad.len() == 3);
        broad::each_pair_once(&mut broad, &spheres).unwrap();
    }
    check(BruteForce::new());
    check(LinkedCells::new());
    check(HierarchicalGrid::new());
    check(HashGrid::new());
}

/// A closure that returns different spheres breaks its contract, but must do no harm: the spheres
/// validated are not the spheres copied.
#[test]
fn spheres_that_change_between_two_questions() {
    let sizes = LevelSizes::new([1.0, 2.0, 4.0]).unwrap();
    let bad = [f64::NAN, f64::INFINITY, -1.0, 0.5, 2.0, 1e300, 0.0];
    for spacing in [1.0, 1e6] {
        for (second, third) in bad.iter().flat_map(|x| bad.map(|y| (*x, y))) {
            for is_far in [true, false] {
                let asked = std::cell::RefCell::new([0; 200]);
                let sphere = |i: usize| {
                    asked.borrow_mut()[i] += 1;
                    let radius = match asked.borrow()[i] {
                        1 => 0.5,
                        2 => second,
                        _ => third,
                    };
                    let far = if is_far { radius } else { 1.0 };
                    Sphere::new(DVec3::splat(i as f64 * spacing * far), radius)
                };
                let mut updated = HashGrid::new();
                let _ = updated.rebuild_with(200, sphere);
                let _ = (updated.swap_remove(3), updated.insert(sphere(0)));
                updated.for_each_pair(|_, _| ());
                updated.for_each_touching(&Sphere::new(DVec3::ONE, 5.0), |_| ());
                let explicit = HierarchicalGrid::new().with_level_sizes(sizes.clone());
                for mut grid in [explicit, HierarchicalGrid::new()] {
                    asked.borrow_mut().fill(0);
                    let _ = grid.rebuild_with(200, sphere);
                    let lengths = 0.0..=osculate::math::MAX_LENGTH;
                    let mut taken = grid.spheres().iter();
                    assert!(taken.all(|sphere| lengths.contains(&sphere.radius)));
                    grid.for_each_pair(|_, _| ());
                    grid.for_each_touching(&Sphere::new(DVec3::ONE, 5.0), |_| ());
                    let _ = grid.report();
                    assert_eq!(
                        pairs(&mut grid, &[Sphere::new(DVec3::ONE, 1.0); 2]),
                        [[0, 1]]
                    );
                }
            }
        }
    }
}

/// The broad phase counts spheres that touch, the narrow phase only spheres that overlap.
#[test]
fn touching_exactly() {
    let spheres = [0.0, 5.0].map(|x| Sphere::new(DVec2::new(0.6 * x, 0.8 * x), 2.5));
    assert_eq!(pairs(&mut LinkedCells::new(), &spheres), [[0, 1]]);
    let [a, b] = &spheres;
    let overlap = |margin: f64| {
        let contact = SphereSphere::new()
            .with_margin(margin)
            .unwrap()
            .contact(a, b);
        contact.map(|contact| contact.overlap)
    };
    // 2^-150 rounds away.
    assert_eq!(
        [0.0, MIN_LENGTH, 1e-9].map(overlap),
        [None, None, Some(0.0)]
    );
}
