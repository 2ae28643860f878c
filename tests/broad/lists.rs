//! Properties of everything built on a broad phase: pair lists, neighbor lists, filters, ranks.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::bad::{bad_radius, refused};
use crate::support::lattice::{config, near, periodic_spheres, sorted_pairs, spheres};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::{properties::broad, strategies as any, workload::SplitMix64};
use osculate::{
    BroadPhase, BruteForce, Filtered, HierarchicalGrid, LinkedCells, NeighborLists, PairList,
    Periodic, PeriodicBox, Skin, Sphere, Vector,
    broad::{Pair, RankBody, rank_owns_pair},
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

proptest! {
    #![proptest_config(config())]

    /// Ranks that own bodies at random, in slabs, or all of them.
    #[test]
    fn ranks(
        lattice in any::lattice_spheres(24),
        owners in prop::collection::vec(0_u32..4, 24),
        slab in 1_usize..=24,
    ) {
        let bodies = spheres::<DVec3>(&lattice, 1.0);
        let slabs = (0..24).map(|i| (i / slab % 4) as u32).collect();
        for owners in [owners, slabs] {
            broad::ranks_keep_each_pair_once(rank_owns_pair, &bodies, &owners)?;
        }
    }

    #[test]
    fn filters(
        (period, lattice) in periodic_spheres(),
        skin in 0.0..0.2,
    ) {
        let bodies = spheres::<DVec3>(&lattice, 1.0);
        let period = period.to_box(1.0);
        let yes = |i: usize, j: usize| (i ^ j) & 3 != 2;
        let mut plain = Periodic::new(LinkedCells::new(), period);
        let mut around = Filtered::new(Periodic::new(LinkedCells::new(), period), yes);
        let mut inside = Periodic::new(Filtered::new(HierarchicalGrid::new(), yes), period);
        plain.rebuild(&bodies)?;
        around.rebuild(&bodies)?;
        inside.rebuild(&bodies)?;
        let mut expected = sorted_pairs(&plain);
        expected.retain(|pair| yes(pair[0] as usize, pair[1] as usize));
        prop_assert_eq!(sorted_pairs(&around), &expected[..]);
        prop_assert_eq!(sorted_pairs(&inside), &expected[..]);
        if let Some(body) = bodies.first() {
            prop_assert_eq!(near(&inside, body), near(&plain, body));
        }
        let mut list = PairList::<_, ()>::new(around, Skin::Absolute(skin)).unwrap();
        if list.update(&bodies).is_ok() {
            let mut found = Vec::new();
            list.for_each_touching_pair(|i, j, ()| found.push([i as u32, j as u32]));
            prop_assert_eq!(found, expected);
        }
    }

    /// Without a box, and in a box that is sheared and squeezed: for any motion and growth the
    /// pairs are those of a rebuild at the nearest image, and data stays with its pair.
    #[test]
    fn pair_lists(
        (period, lattice) in periodic_spheres(),
        skin in prop_oneof![(0.0..1.0).prop_map(Skin::Absolute), (0.0..0.3).prop_map(Skin::Relative)],
        step in prop::sample::select(vec![0.0, 0.01, 0.1]),
        shear in prop::sample::select(vec![0.0, 0.01, 0.3]),
        seed: u64,
    ) {
        let mut bodies = spheres::<DVec3>(&lattice, 1.0);
        for body in &mut bodies {
            body.radius *= 0.7;
        }
        if let Skin::Absolute(added) = skin {
            let list = |bodies: &[Sphere<DVec3>]| {
                let mut list = PairList::<_, ()>::new(HierarchicalGrid::new(), skin).unwrap();
                list.update(bodies).unwrap();
                list.pairs().to_vec()
            };
            broad::list_outlasts_moves(list, &bodies, added, seed)?;
        }
        let motion = (skin, step, seed);
        kept_list(LinkedCells::new(), |_, _| (), bodies.clone(), motion)?;
        kept_list(HierarchicalGrid::new(), |_, _| (), bodies.clone(), motion)?;
        let period = period.to_box::<DVec3>(1.0);
        let sheared = |time: f64| {
            let [x, y, _] = period.is_periodic();
            let mut tilts = period.tilts();
            tilts[0] += if x && y { shear * time } else { 0.0 };
            let sides = period.lengths() * (1.0 + 0.01 * shear * time);
            let corner = DVec3::from_fn(|k| if period.is_periodic()[k] { period.min()[k] } else { 0.0 });
            PeriodicBox::triclinic(corner, sides, tilts, period.is_periodic()).unwrap()
        };
        let grid = Periodic::new(HierarchicalGrid::new(), period);
        kept_list(grid, |grid, time| grid.set_box(sheared(time)), bodies.clone(), motion)?;
        let brute = Periodic::new(BruteForce::new(), period);
        kept_list(brute, |brute, time| brute.set_box(sheared(time)), bodies, motion)?;
    }

    #[test]
    fn neighbor_lists(
        count in 1_usize..40,
        pairs in prop::collection::vec([0_u32..40, 0..40], 0..100),
    ) {
        let mut lists = NeighborLists::new();
        let pairs: Vec<_> = pairs.into_iter().map(|pair| pair.map(|i| i % count as u32)).collect();
        let row = |body: u32, entries: &[[u32; 2]]| {
            let mut row: Vec<u32> = entries.iter().filter(|e| e[0] == body).map(|e| e[1]).collect();
            row.sort_unstable();
            row
        };
        let half: Vec<_> = pairs.iter().map(|&[i, j]| [i.min(j), i.max(j)]).collect();
        let full: Vec<_> = pairs.iter().flat_map(|&[i, j]| [[i, j], [j, i]]).collect();
        for (is_full, entries) in [(true, full), (false, half)] {
            if is_full {
                lists.fill_full(count, &pairs)?;
            } else {
                lists.fill_half(count, &pairs)?;
            }
            prop_assert_eq!(lists.offsets().len(), count + 1);
            prop_assert_eq!(lists.offsets()[count] as usize, entries.len());
            prop_assert_eq!(lists.indices().len(), entries.len());
            for body in 0..count {
                prop_assert_eq!(lists.neighbors(body), row(body as u32, &entries));
            }
            prop_assert!(lists.neighbors(count).is_empty());
            prop_assert!(lists.neighbors(usize::MAX).is_empty());
        }
    }

    /// Any share-out of bodies among ranks, in boxes down to a fraction of the cut-off: the pairs
    /// that ranks keep are all pairs of all images, each once.
    #[test]
    fn ranks_keep_each_pair_once(
        bodies in prop::collection::vec(([0_i64..12, 0..12], 0_usize..4, 0_u64..3), 1..14),
        side in prop::sample::select(vec![3_i64, 6, 12, 40]),
        is_periodic: bool,
        in_slabs: bool,
    ) {
        const CUT_OFF: i64 = 5;
        let ids = bodies.iter().enumerate().map(|(i, b)| i as u64 + b.2 * (u64::MAX / 3));
        let ids: Vec<u64> = ids.collect();
        let place = |i: usize| bodies[i].0.map(|c| c % side);
        let rank = |i: usize| if in_slabs { (place(i)[0] * 4 / side) as usize } else { bodies[i].1 };
        let reach = if is_periodic { CUT_OFF / side + 1 } else { 0 } as i32;
        let images = || (-reach..=reach).flat_map(move |x| (-reach..=reach).map(move |y| [x, y, 0]));
        let are_near = |i: usize, j: usize, image: [i32; 3]| {
            let d = |k: usize| place(j)[k] + i64::from(image[k]) * side - place(i)[k];
            d(0) * d(0) + d(1) * d(1) <= CUT_OFF * CUT_OFF
        };
        // A pair is named from its lower index on; a body and its image by the positive one.
        let name = |i: usize, j: usize, image: [i32; 3]| {
            let back = image.map(|c| -c);
            if i < j || i == j && image > back { (i, j, image) } else { (j, i, back) }
        };
        let mut expected = BTreeSet::new();
        let mut kept = Vec::new();
        for i in 0..bodies.len() {
            for j in 0..bodies.len() {
                for image in images().filter(|&image| (i != j || image != [0; 3]) && are_near(i, j, image)) {
                    expected.insert(name(i, j, image));
                    // The rank of i has j as its own, or as a ghost.
                    let a = RankBody { id: ids[i], is_owned: true, image: [0; 3] };
                    let is_owned = rank(j) == rank(i) && image == [0; 3];
                    let b = RankBody { id: ids[j], is_owned, image };
                    prop_assert_eq!(rank_owns_pair(a, b), rank_owns_pair(b, a));
                    let is_found_once = !is_owned || i < j;
                    if is_found_once && rank_owns_pair(a, b) {
                        kept.push(name(i, j, image));
                    }
                    let ghost = RankBody { is_owned: false, ..a };
                    prop_assert!(is_owned || !rank_owns_pair(ghost, b));
                }
            }
        }
        kept.sort_unstable();
        prop_assert_eq!(kept, expected.into_iter().collect::<Vec<_>>());
    }
}

/// Steps of a simulation with a pair list, against rebuilds. `set_box` gives a broad phase the box of a time.
///
/// Bodies move and grow, some go while the others are renumbered, and the margin of pairs changes. The data of a pair last
/// until it leaves the list, or with `with_reset` until it separates, and change their sign when the bodies come in the other
/// order.
fn kept_list<B: BroadPhase<Vector = DVec3> + Clone>(
    broad: B,
    set_box: impl Fn(&mut B, f64),
    mut bodies: Vec<Sphere<DVec3>>,
    (skin, step, seed): (Skin, f64, u64),
) -> TestCaseResult {
    let mut random = SplitMix64::new(seed);
    let mut fresh = broad.clone();
    let mut margin = 0.0;
    let mut list = PairList::<_, i64>::new(broad, skin).unwrap();
    let mut resetting = list.clone().with_reset();
    let (mut memories, mut ages) = (Data::new(), Data::new());
    for time in 0..12 {
        for broad in [
            &mut fresh,
            list.broad_phase_mut(),
            resetting.broad_phase_mut(),
        ] {
            set_box(broad, f64::from(time));
        }
        if time == 6 {
            margin = 0.125;
            list = list.with_margin(margin)?;
            resetting = resetting.with_margin(margin)?;
        }
        let period = fresh.periodic_box().copied();
        let Ok(is_rebuilt) = list.update(&bodies) else {
            // The inflated spheres are too large for the box.
            prop_assert!(period.is_some());
            return Ok(());
        };
        let extended: Vec<_> = bodies.iter().map(|s| s.inflated(0.5 * margin)).collect();
        if fresh.rebuild(&extended).is_err() {
            return Ok(());
        }
        prop_assert!(list.pairs().is_sorted());
        if is_rebuilt {
            let memory = |pair: &Pair| (*pair, memories.get(pair).copied().unwrap_or(0));
            memories = list.pairs().iter().map(memory).collect();
        }
        let mut kept = Vec::new();
        list.for_each_pair(|i, j, memory| kept.push(([i as u32, j as u32], *memory)));
        prop_assert!(kept.into_iter().eq(memories.clone()));
        let (mut found, mut are_images) = (Vec::new(), true);
        list.for_each_touching_image(|pair, memory| {
            *memory += (pair.i + 100 * pair.j + 10_000) as i64;
            found.push([pair.i as u32, pair.j as u32]);
            memories.insert(found[found.len() - 1], *memory);
            let [a, b] = [pair.i, pair.j].map(|i| bodies[i]);
            let distance = a.center.distance(b.center + pair.shift);
            let rest = period.map_or(pair.shift, |period| period.minimum_image(pair.shift));
            are_images &= distance < a.radius + b.radius + margin + 1e-12 && rest.length() < 1e-12;
        });
        prop_assert!(are_images);
        prop_assert_eq!(&found, &sorted_pairs(&fresh));
        resetting.update(&bodies)?;
        let mut grown = Data::new();
        resetting.for_each_touching_pair(|i, j, age| {
            *age += 1;
            grown.insert([i as u32, j as u32], *age);
        });
        let age = |pair: Pair| (pair, ages.get(&pair).unwrap_or(&0) + 1);
        prop_assert!(grown.clone().into_iter().eq(found.into_iter().map(age)));
        ages = grown;

        for body in &mut bodies {
            let mut offset = || random.range(-step, step);
            body.center += DVec3::new(offset(), offset(), offset());
            if random.below(20) == 0 {
                body.radius = (body.radius + random.range(-step, step)).clamp(0.0, 1.0);
                body.radius = if body.radius < 1e-9 { 0.0 } else { body.radius };
            }
            // Wrapped now and then, as callers do.
            if let Some(period) = period.filter(|_| random.below(4) == 0) {
                body.center = period.wrap(body.center);
            }
        }
        // In one step of five, and then once or twice.
        for _ in 0..random.below(10).saturating_sub(7) {
            let mut order: Vec<usize> = (0..bodies.len()).collect();
            random.shuffle(&mut order);
            order.truncate(bodies.len().saturating_sub(random.below(3)));
            let new_index = |old: usize| order.iter().position(|&i| i == old);
            for list in [&mut list, &mut resetting] {
                list.renumber(new_index, |data| *data = -*data)?;
                prop_assert!(list.pairs().is_empty());
            }
            bodies = order.iter().map(|&i| bodies[i]).collect();
            [memories, ages] = [memories, ages].map(|data| renumbered(data, new_index));
        }
    }
    // No pair outlives its bodies.
    list.renumber(|_| None, |_| ())?;
    prop_assert!(list.update::<Sphere<DVec3>>(&[])?);
    prop_assert!(list.pairs().is_empty() && !list.update::<Sphere<DVec3>>(&[])?);
    Ok(())
}

/// The data of pairs.
type Data = BTreeMap<Pair, i64>;

fn renumbered(data: Data, new_index: impl Fn(usize) -> Option<usize>) -> Data {
    let new_index = |i: u32| Some(new_index(i as usize)? as u32);
    let row = |([i, j], data): (Pair, i64)| match (new_index(i)?, new_index(j)?) {
        (i, j) if i > j => Some(([j, i], -data)),
        (i, j) => Some(([i, j], data)),
    };
    data.into_iter().filter_map(row).collect()
}

/// A list lasts exactly as long as each body stays inside its inflated sphere.
#[test]
fn each_body_has_a_budget_of_its_own() {
    let sphere = |x: f64, radius: f64| Sphere::new(DVec2::new(x, 0.0), radius);
    let start = [sphere(0.0, 1.0), sphere(8.0, 4.0)];
    let mut list = PairList::<_, ()>::new(BruteForce::new(), Skin::Relative(0.25)).unwrap();
    let mut rebuilds = |moved: [Sphere<DVec2>; 2]| {
        list.clear();
        assert!(list.update_with(2, |i| start[i]).unwrap());
        list.update_with(2, |i| moved[i]).unwrap()
    };
    // The small body may move by a quarter, the large one by 1; growing counts as moving.
    assert!(!rebuilds([sphere(0.2499, 1.0), sphere(7.001, 4.0)]));
    assert!(rebuilds([sphere(0.2501, 1.0), sphere(8.0, 4.0)]));
    assert!(rebuilds([sphere(0.0, 1.0), sphere(9.001, 4.0)]));
    assert!(!rebuilds([sphere(0.125, 1.1), sphere(8.0, 4.9)]));
    assert!(rebuilds([sphere(0.125, 1.2), sphere(8.0, 4.0)]));
    assert!(rebuilds(
        [start[0], sphere(f64::MAX, 4.0)].map(|s| Sphere::new(s.center * 1e-300, s.radius))
    ));

    let mut list = PairList::<_, ()>::new(BruteForce::new(), Skin::Absolute(0.5)).unwrap();
    assert!(list.update_with(2, |i| start[i]).unwrap());
    let moved = [sphere(0.2499, 1.0), sphere(8.2499, 4.0)];
    assert!(!list.update(&moved).unwrap());
    assert!(list.update_with(1, |i| start[i]).unwrap());
}

/// After an error the list is empty; the next update gives the pairs their data back.
#[test]
fn data_outlives_a_refused_update() {
    let start = [0.0, 1.0].map(|x| Sphere::new(DVec2::X * x, 1.0));
    let list = PairList::<_, u32>::new(BruteForce::new(), Skin::Absolute(0.5)).unwrap();
    let mut list = list.with_margin(0.25).unwrap();
    list.update(&start).unwrap();
    list.for_each_pair(|_, _, data| *data = 7);
    // The margin does not make a radius valid.
    for radius in [f64::NAN, -0.1] {
        let bad = list.update_with(2, |i| Sphere::new(DVec2::ZERO, [1.0, radius][i]));
        refused("update", bad, &bad_radius(1, radius));
        assert!(list.pairs().is_empty() && list.data().is_empty());
        list.for_each_touching_pair(|_, _, _| panic!("empty"));
    }
    assert!(list.update(&start).unwrap());
    assert_eq!((list.pairs(), list.data()), (&[[0, 1]][..], &[7][..]));
    assert!(!list.update(&start).unwrap());
}

/// Two bodies with one new index are refused, and the list stays as it is, before and after a rebuild.
#[test]
fn different_bodies_keep_different_indices() {
    let spheres = [0.0, 1.0, 2.0].map(|x| Sphere::new(DVec2::X * x, 0.6));
    let mut list = PairList::<_, u32>::new(BruteForce::new(), Skin::Absolute(0.1)).unwrap();
    list.update(&spheres).unwrap();
    list.for_each_pair(|i, _, data| *data = i as u32 + 1);
    let message = "body 0 gets the new index 5, as body 2 does";
    let same = |i: usize| Some(if i == 1 { 4 } else { 5 });
    refused("renumber", list.renumber(same, |_| ()), message);
    assert_eq!(list.data(), [1, 2]);
    list.renumber(|i| Some(2 - i), |_| ()).unwrap();
    assert!(list.renumber(|_| Some(0), |_| ()).is_err());
    list.update(&spheres).unwrap();
    assert_eq!(list.data(), [2, 1]);
}

/// In a box, neither a wrap nor a period more is a move.
#[test]
fn crossing_a_face_is_no_jump() {
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::splat(8.0), [true; 3]).unwrap();
    let broad = Periodic::new(BruteForce::new(), period);
    let mut list = PairList::<_, ()>::new(broad, Skin::Relative(0.1)).unwrap();
    let mut step = |x: f64| {
        let body = |i: usize| Sphere::new(DVec2::new([x, 1.5][i], 1.0), 1.0);
        let is_rebuilt = list.update_with(2, body).unwrap();
        let mut count = 0;
        list.for_each_touching_pair(|_, _, ()| count += 1);
        (is_rebuilt, count)
    };
    assert_eq!(step(7.96875), (true, 1));
    assert_eq!(step(8.03125), (false, 1));
    assert_eq!(step(0.03125), (false, 1));
    assert_eq!(step(-8.0), (false, 1));
    assert_eq!(step(7.5), (true, 1));
    assert_eq!(step(7.46875), (false, 0));
    // Rounded, the difference is 0; it is 0.11, more than the skin.
    assert!(step(0.14).0);
    assert!(step(2.0_f64.powi(50) + 0.25).0);
}

/// Nothing moves but the lattice: an image comes, and the list has to have it.
#[test]
fn a_sheared_box_uses_up_the_skin() {
    let sheared = |tilt: f64| {
        PeriodicBox::triclinic(DVec2::ZERO, DVec2::splat(8.0), [tilt, 0.0, 0.0], [true; 3]).unwrap()
    };
    let discs = [DVec2::new(0.0, 7.5), DVec2::new(3.0, 0.5)].map(|x| Sphere::new(x, 0.5));
    let broad = Periodic::new(BruteForce::new(), sheared(0.0));
    let mut list = PairList::<_, ()>::new(broad, Skin::Relative(0.25)).unwrap();
    let mut rebuilds = 0;
    for step in 0..=192 {
        // Through the flip at half a side, and on until the lattice is the same again.
        list.broad_phase_mut()
            .set_box(sheared(f64::from(step) / 16.0));
        rebuilds += usize::from(list.update_with(2, |i| discs[i]).unwrap());
        let mut count = 0;
        list.for_each_touching_pair(|_, _, ()| count += 1);
        assert_eq!(count, usize::from(step == 80), "{step}");
    }
    assert!((50..150).contains(&rebuilds), "{rebuilds}");
}
