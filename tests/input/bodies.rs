//! Every updater of broad phases and lists with every kind of invalid input: a typed error that
//! names the lowest invalid index, and the object as it was.

use crate::support::bad::{
    BAD_COORDINATES, BAD_LENGTHS, bad_position, bad_radius, no_body, refused, too_many,
};
use osculate::glam::{DVec2, DVec3};
use osculate::math::{MAX_COUNT, MAX_LENGTH};
use osculate::{
    BroadPhase, BruteForce, Filtered, HierarchicalGrid, LinkedCells, NeighborLists, PairList,
    Periodic, PeriodicBox, Skin, Sphere, Vector,
    broad::{HashGrid, IncrementalBroadPhase, LevelSizes, SearchDirection},
    shape::Capsule,
};

/// The functions of a broad phase that take input.
fn state<V: Vector>(
    broad: &impl BroadPhase<Vector = V>,
) -> (Vec<Sphere<V>>, Vec<[u32; 2]>, Vec<usize>) {
    let (mut pairs, mut near) = (Vec::new(), Vec::new());
    broad.collect_pairs(&mut pairs);
    let query = Sphere::new(V::splat(1.0), 1.5);
    broad.for_each_touching(&query, |body| near.push(body));
    (broad.spheres().to_vec(), pairs, near)
}

type Message = Box<dyn Fn(usize) -> String>;

/// Invalid spheres, with the message for the sphere of an index.
fn bad_spheres<V: Vector>() -> Vec<(Sphere<V>, Message)> {
    let mut bad: Vec<(Sphere<V>, Message)> = Vec::new();
    for value in BAD_COORDINATES {
        for axis in 0..V::DIM {
            let center = V::from_fn(|k| if k == axis { value } else { 0.0 });
            let message = move |index| bad_position(&format!("body {index}"), axis, value);
            bad.push((Sphere::new(center, 1.0), Box::new(message)));
        }
    }
    for radius in BAD_LENGTHS {
        let message = move |index| bad_radius(index, radius);
        bad.push((Sphere::new(V::ZERO, radius), Box::new(message)));
    }
    bad
}

fn good_spheres<V: Vector>() -> Vec<Sphere<V>> {
    (0..9)
        .map(|i| Sphere::new(V::splat(0.5 * f64::from(i)), 0.5))
        .collect()
}

/// A rebuild of some broad phase with all that it must refuse.
fn rebuilds<V: Vector>(what: &str, mut broad: impl BroadPhase<Vector = V>) {
    let good = good_spheres::<V>();
    broad.rebuild(&good).unwrap();
    let before = state(&broad);
    assert!(before.1.len() > 5);
    for (sphere, message) in bad_spheres() {
        // The lowest of two invalid ones.
        let mut bodies = good.clone();
        bodies[3] = sphere;
        bodies[4] = Sphere::new(V::splat(f64::NAN), -1.0);
        refused(what, sphere.validate(7), &message(7));
        refused(what, broad.rebuild(&bodies), &message(3));
        refused(what, broad.rebuild_with(9, |i| bodies[i]), &message(3));
        assert_eq!(state(&broad), before, "{what}");
    }
    for count in [MAX_COUNT + 1, usize::MAX] {
        let never = |_| -> Sphere<V> { unreachable!("refused before any body is read") };
        refused(what, broad.rebuild_with(count, never), &too_many(count));
    }
    assert_eq!(state(&broad), before, "{what}");
    // It still works, also with nothing.
    broad.rebuild(&good[..2]).unwrap();
    assert_eq!(state(&broad).1, [[0, 1]]);
    broad.rebuild::<Sphere<V>>(&[]).unwrap();
    assert!(state(&broad).1.is_empty());
}

/// Rebuilds and updates of some broad phase with all that they must refuse.
fn updates<V: Vector>(what: &str, mut broad: impl IncrementalBroadPhase<Vector = V> + Clone) {
    let good = good_spheres::<V>();
    rebuilds(what, broad.clone());
    broad.rebuild(&good).unwrap();
    broad.replace(2, good[3]).unwrap();
    rebuilds(what, broad.clone());
    let (before, count) = (state(&broad), good.len());
    for (sphere, message) in bad_spheres() {
        refused(what, broad.insert(sphere), &message(9));
        refused(what, broad.replace(4, sphere), &message(4));
        for index in [count, count + 1, u32::MAX as usize] {
            let missing = no_body(index, count);
            refused(what, broad.swap_remove(index), &missing);
            refused(what, broad.replace(index, good[0]), &missing);
        }
        assert_eq!(state(&broad), before, "{what}");
    }
    broad.rebuild::<Sphere<V>>(&[]).unwrap();
    refused(what, broad.swap_remove(0), &no_body(0, 0));
    assert_eq!(broad.insert(good[0]), Ok(0));
}

fn given_sizes<V: Vector>(sizes: &[f64], direction: SearchDirection) -> HierarchicalGrid<V> {
    let sizes = LevelSizes::new(sizes).unwrap();
    let grid = HierarchicalGrid::new().with_level_sizes(sizes);
    grid.with_direction(direction)
}

fn broad_phases<V: Vector>() {
    let (corner, sides) = (V::splat(-8.0), V::splat(64.0));
    let period = PeriodicBox::orthogonal(corner, sides, [true, false, true]).unwrap();
    let given = |direction| given_sizes(&[0.5, 1.0, 4.0], direction);
    rebuilds::<V>("HierarchicalGrid", HierarchicalGrid::new());
    rebuilds::<V>("top-down", given(SearchDirection::TopDown));
    rebuilds::<V>("bottom-up", given(SearchDirection::BottomUp));
    rebuilds::<V>("LinkedCells", LinkedCells::new());
    rebuilds::<V>("cells", LinkedCells::new().with_cell_size(4.0).unwrap());
    updates::<V>("HashGrid", HashGrid::new());
    updates::<V>("BruteForce", BruteForce::new());
    updates::<V>("Filtered", Filtered::new(HashGrid::new(), |_, _| true));
    rebuilds::<V>("Periodic", Periodic::new(HierarchicalGrid::new(), period));
    updates::<V>("Periodic", Periodic::new(HashGrid::new(), period));
}

#[test]
fn bodies_of_broad_phases() {
    broad_phases::<DVec2>();
    broad_phases::<DVec3>();
}

/// Input that only some broad phases refuse: bodies too large for given cells or for a period.
#[test]
fn bodies_that_do_not_fit() {
    fn check(
        what: &str,
        mut broad: impl BroadPhase<Vector = DVec2>,
        bad: Sphere<DVec2>,
        message: impl Fn(usize) -> String,
    ) {
        let good = [0.0, 0.75].map(|x| Sphere::new(DVec2::new(x, 0.0), 0.5));
        broad.rebuild(&good).unwrap();
        let before = state(&broad);
        refused(what, broad.rebuild(&[good[0], bad, bad]), &message(1));
        assert_eq!(state(&broad), before, "{what}");
    }
    let large = Sphere::new(DVec2::ZERO, 0.5_f64.next_up());
    let diameter = 1.0_f64.next_up();
    let too_small =
        |index| format!("body {index}: diameter {diameter:?} exceeds the cell size 1.0");
    let cells = || LinkedCells::new().with_cell_size(1.0).unwrap();
    check("cells", cells(), large, too_small);
    for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
        let grid = given_sizes(&[0.25, 1.0], direction);
        check("levels", grid, large, too_small);
    }
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::new(9.0, 2.0), [true; 3]).unwrap();
    let too_short = |_| {
        format!("axis 1: the periodic box has width 2.0, less than twice the cut-off {diameter:?}")
    };
    check("period", Periodic::new(cells(), period), large, too_short);
}

/// Lists keep their contents.
#[test]
fn neighbor_lists() {
    let mut lists = NeighborLists::new();
    lists.fill_half(3, &[[0, 1], [1, 2]]).unwrap();
    let before = (lists.offsets().to_vec(), lists.indices().to_vec());
    let bad = [[0, 1], [3, 1], [9, 9]];
    refused("half", lists.fill_half(3, &bad), &no_body(3, 3));
    refused("full", lists.fill_full(3, &bad), &no_body(3, 3));
    let count = MAX_COUNT + 1;
    refused("half", lists.fill_half(count, &[]), &too_many(count));
    refused("full", lists.fill_full(count, &[]), &too_many(count));
    assert_eq!((lists.offsets().to_vec(), lists.indices().to_vec()), before);
}

/// A list is empty after a refused update.
#[test]
fn pair_lists() {
    let spheres = [0.0, 0.5, 1.0].map(|x| Sphere::new(DVec2::new(x, 0.0), 0.5));
    let mut list = PairList::<_, u8>::new(LinkedCells::new(), Skin::Absolute(0.25)).unwrap();
    list.update(&spheres).unwrap();
    let before = (list.pairs().to_vec(), state(list.broad_phase()));
    for value in BAD_LENGTHS {
        let sphere = |i: usize| Sphere::new(spheres[i].center, [0.5, value, -1.0][i]);
        refused("update", list.update_with(3, sphere), &bad_radius(1, value));
    }
    let (count, never) = (MAX_COUNT + 1, |_| -> Sphere<DVec2> { unreachable!() });
    refused("update", list.update_with(count, never), &too_many(count));
    assert!(list.pairs().is_empty());
    assert_eq!(state(list.broad_phase()), before.1);
    list.update(&spheres).unwrap();
    assert_eq!((list.pairs().to_vec(), state(list.broad_phase())), before);
    // As large as it may be, without the skin.
    let large = |i: usize| Sphere::new(spheres[i].center, [0.5, MAX_LENGTH, 0.5][i]);
    list.update_with(3, large).unwrap();

    // Neither wrapping nor bounding makes it valid.
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::splat(8.0), [true; 3]).unwrap();
    let broad = Periodic::new(LinkedCells::new(), period);
    let mut list = PairList::<_>::new(broad, Skin::Absolute(0.25)).unwrap();
    for value in BAD_COORDINATES {
        let error = bad_position("body 0", 0, value);
        let ends = [DVec2::ZERO, DVec2::X * value];
        refused("center", list.update(&[Sphere::new(ends[1], 0.5)]), &error);
        refused("end", list.update(&[Capsule::new(ends, 0.5)]), &error);
    }
}

/// A radius that inflation makes negative or NaN is not clamped, so a rebuild refuses it.
#[test]
fn inflation_by_a_bad_number_is_refused() {
    let sphere = Sphere::new(DVec2::ZERO, 1.0);
    let negative = sphere.inflated(-2.0);
    let result = BruteForce::new().rebuild(&[sphere, negative]);
    refused("rebuild", result, &bad_radius(1, negative.radius));
    assert!(negative.radius < 0.0 && sphere.inflated(f64::NAN).radius.is_nan());
    assert!(sphere.inflated(0.5).radius >= 1.5 && sphere.inflated(0.0) == sphere);
}
