//! A step allocates nothing once the buffers have grown.
#![allow(unsafe_code, reason = "a global allocator is unsafe to write")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::support::convex::{cuboid, vector};
use crate::support::wall::{floor, grid};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload;
use osculate::{
    Bounded, BroadPhase, BruteForce, CommonPlane, ConvexConvex, ConvexPolygon, ConvexPolyhedron,
    DoubleHierarchy, HierarchicalGrid, LinkedCells, MeshMesh, NarrowPhase, NeighborLists, PairList,
    Periodic, PeriodicBox, Placed, Pose2, Pose3, Skin, Sphere, SphereSphere, SurfaceMesh, Vector,
    Wall, WallList,
    broad::{HashGrid, IncrementalBroadPhase, LevelSizes, SearchDirection},
    narrow::{FacetSubset, PolygonPolygon, PressureField, WallHistory, WallSides},
    shape::{Capsule, Polygon},
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Allocated and not freed, by this thread.
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        BYTES.with(|bytes| bytes.set(bytes.get().wrapping_add(layout.size())));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.with(|bytes| bytes.set(bytes.get().wrapping_sub(layout.size())));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        let grown = size.wrapping_sub(layout.size());
        BYTES.with(|bytes| bytes.set(bytes.get().wrapping_add(grown)));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often each of three equal steps allocates.
fn allocations(mut step: impl FnMut()) -> [usize; 3] {
    std::array::from_fn(|_| {
        let before = ALLOCATIONS.with(Cell::get);
        step();
        ALLOCATIONS.with(Cell::get) - before
    })
}

/// Only the first of equal steps allocates.
#[track_caller]
fn assert_allocates_once(step: impl FnMut()) {
    let counts = allocations(step);
    assert!(counts[0] > 0 && counts[1..] == [0, 0], "{counts:?}");
}

/// No step allocates after the first few.
#[track_caller]
fn assert_settles(few: usize, mut step: impl FnMut()) {
    (0..few).for_each(|_| step());
    assert_eq!(allocations(step), [0, 0, 0]);
}

fn broad_step<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    pairs: &mut Vec<[u32; 2]>,
    near: &mut Vec<usize>,
) {
    broad.rebuild(spheres).unwrap();
    broad.collect_pairs(pairs);
    near.clear();
    broad.for_each_touching(&spheres[0], |body| near.push(body));
    assert!(!pairs.is_empty() && !near.is_empty());
}

/// The memory that a grid reports is what it has allocated, except for some small lists.
#[test]
fn memory_is_as_reported() {
    let spheres = workload::power_law_spheres::<DVec3>(5000, 0.4, -2.0, 9.0, 3);
    let before = BYTES.with(Cell::get);
    let mut grid = HierarchicalGrid::new();
    let mut check = |update: &dyn Fn(&mut HierarchicalGrid<DVec3>)| {
        update(&mut grid);
        let allocated = (BYTES.with(Cell::get) - before + size_of_val(&grid)) as f64;
        let reported = grid.report().bytes_per_body * grid.len() as f64;
        assert!(
            (reported - allocated).abs() < 4096.0,
            "{reported} {allocated}"
        );
    };
    check(&|grid| grid.rebuild(&spheres).unwrap());
    // Far apart: keys in the place of tables.
    check(&|grid| {
        let far = |i: usize| Sphere::new(spheres[i].center * 1e6, spheres[i].radius);
        grid.rebuild_with(spheres.len(), far).unwrap();
    });
}

/// Rebuilds and queries, with bodies that move a little from step to step.
fn moving_bodies<V: Vector>(mut broad: impl BroadPhase<Vector = V>, spheres: &[Sphere<V>]) {
    let (mut pairs, mut near) = (Vec::new(), Vec::new());
    let mut random = workload::SplitMix64::new(4);
    let mut bodies = spheres.to_vec();
    let step = || {
        for (body, sphere) in bodies.iter_mut().zip(spheres) {
            let offset = V::from_fn(|_| random.range(-0.05, 0.05));
            body.center = sphere.center + offset;
        }
        broad_step(&mut broad, &bodies, &mut pairs, &mut near);
    };
    assert_settles(3, step);
}

#[test]
fn broad_phases() {
    let discs = workload::power_law_spheres::<DVec2>(3000, 0.5, -2.0, 20.0, 1);
    let spheres = workload::power_law_spheres::<DVec3>(3000, 0.4, -2.0, 20.0, 2);
    let sizes = LevelSizes::new([3.0, 10.0, 40.0]).unwrap();
    for direction in [SearchDirection::TopDown, SearchDirection::BottomUp] {
        let explicit = HierarchicalGrid::new()
            .with_level_sizes(sizes.clone())
            .with_direction(direction);
        moving_bodies(explicit, &spheres);
    }
    moving_bodies(HierarchicalGrid::new(), &discs);
    moving_bodies(HierarchicalGrid::new(), &spheres);
    // Many levels.
    let many: Vec<f64> = (0..40).map(|h| 1.1_f64.powi(h)).collect();
    let many = LevelSizes::new(many).unwrap();
    moving_bodies(HierarchicalGrid::new().with_level_sizes(many), &discs);
    moving_bodies(LinkedCells::new(), &spheres);
    moving_bodies(BruteForce::new(), &discs);
    let (sides, tilts) = (DVec2::splat(500.0), [200.0, 0.0, 0.0]);
    let period = PeriodicBox::triclinic(DVec2::ZERO, sides, tilts, [true; 3]).unwrap();
    moving_bodies(Periodic::new(BruteForce::new(), period), &discs);

    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&discs).unwrap();
    let mut order = Vec::new();
    assert_allocates_once(|| {
        order.clear();
        order.extend(grid.spatial_order());
    });
}

/// Bodies come and go, grow and spread, so that levels are worked out anew in most steps: in tables and
/// in trees. Nothing is allocated in the second round of the same.
#[test]
fn bodies_that_come_and_go() {
    let all = workload::power_law_spheres::<DVec3>(2000, 0.4, -2.0, 20.0, 2);
    let sizes = LevelSizes::new([3.0, 10.0, 40.0]).unwrap();
    come_and_go(HierarchicalGrid::new(), &all);
    come_and_go(HierarchicalGrid::new().with_level_sizes(sizes), &all);
    come_and_go(LinkedCells::new(), &all);
}

fn come_and_go(mut broad: impl BroadPhase<Vector = DVec3>, all: &[Sphere]) {
    let mut bodies = Vec::new();
    let round = || {
        for step in 0..36 {
            let count = 1100 + 24 * (step % 7) * (step % 9);
            let growth = 1.0 + 0.01 * (step % 11) as f64;
            let apart = if step % 5 == 0 { 1e9 } else { 0.0 };
            let body = |i: usize| {
                let s = &all[(i * 7 + step) % all.len()];
                let aside = DVec3::X * apart * (i % 2) as f64;
                Sphere::new(s.center * growth + aside, s.radius * (0.9 + 0.008 * growth))
            };
            bodies.clear();
            bodies.extend((0..count).map(body));
            broad.rebuild(&bodies).unwrap();
            broad.for_each_pair(|_, _| ());
        }
    };
    assert_settles(1, round);
}

/// Bodies of a hash grid come and go, and grow to other levels and back, with searches in between.
#[test]
fn single_updates() {
    let spheres = workload::power_law_spheres::<DVec3>(2000, 0.4, -2.0, 20.0, 2);
    let mut grid = HashGrid::new();
    let (mut pairs, mut near) = (Vec::new(), 0);
    let round = || {
        grid.rebuild(&spheres[..500]).unwrap();
        for &sphere in &spheres[500..] {
            grid.insert(sphere).unwrap();
        }
        for (i, &sphere) in spheres.iter().enumerate().step_by(7) {
            grid.replace(i, Sphere::new(sphere.center, 100.0 * sphere.radius))
                .unwrap();
            grid.for_each_touching(&sphere, |_| near += 1);
            grid.replace(i, sphere).unwrap();
        }
        grid.collect_pairs(&mut pairs);
        while grid.len() > 1000 {
            grid.swap_remove(0).unwrap();
        }
        grid.collect_pairs(&mut pairs);
    };
    assert_settles(1, round);
    assert!(pairs.len() > 100 && near > 0);
}

/// Discs, and capsules that are as long as eight of them.
#[test]
fn lists() {
    let discs = workload::random_spheres::<DVec2>(2000, 0.4, 2.0, 1);
    let disc = |i: usize, offset: DVec2| Sphere::new(discs[i].center + offset, discs[i].radius);
    let rod = |i: usize, offset: DVec2| {
        let Sphere { center, radius } = disc(i, offset);
        Capsule::new(
            [-8.0, 8.0].map(|y| center + DVec2::Y * (y * radius)),
            radius,
        )
    };
    list_of_moving_bodies(LinkedCells::new(), disc);
    list_of_moving_bodies(HierarchicalGrid::new(), disc);
    list_of_moving_bodies(HierarchicalGrid::new(), rod);

    let mut brute = BruteForce::new();
    brute.rebuild(&discs).unwrap();
    let (mut pairs, mut lists) = (Vec::new(), NeighborLists::new());
    brute.collect_pairs(&mut pairs);
    assert_allocates_once(|| {
        lists.fill_half(discs.len(), &pairs).unwrap();
        lists.fill_full(discs.len(), &pairs).unwrap();
    });
}

/// Each step moves all 2000 bodies there or back, so that the list is rebuilt.
fn list_of_moving_bodies<B: Bounded<Vector = DVec2>>(
    broad: impl BroadPhase<Vector = DVec2>,
    body: impl Fn(usize, DVec2) -> B,
) {
    let mut list = PairList::<_, u64>::new(broad, Skin::Relative(0.1)).unwrap();
    let mut offset = 0.0;
    let step = || {
        let moved = |i: usize| body(i, DVec2::X * offset);
        assert!(list.update_with(2000, moved).unwrap());
        list.for_each_touching_pair(|_, _, memory| *memory += 1);
        assert!(list.data().iter().sum::<u64>() > 1000);
        offset = 1.0 - offset;
    };
    assert_settles(3, step);
}

/// Bodies that move to and from a wall, with histories.
#[test]
fn lists_of_walls() {
    let floor = Wall::new(floor(8.0, 0.5));
    let spheres = workload::random_spheres::<DVec3>(500, 0.4, 2.0, 3);
    let bounds = spheres
        .iter()
        .map(|s| s.center)
        .fold(DVec3::ZERO, DVec3::max);
    let size = 8.0 / bounds.max_element();
    let mut list = WallList::<WallHistory<f64>>::new(Skin::Relative(0.1)).unwrap();
    let (mut kernel, mut height) = (DoubleHierarchy::new(), 0.0);
    let step = || {
        let sphere = |i: usize| {
            let Sphere { center, radius } = spheres[i];
            Sphere::new((center - DVec3::Z * height) * size, radius * size)
        };
        let mut touching = 0;
        assert!(list.update_with(spheres.len(), sphere, &floor).unwrap());
        list.for_each_body(&floor, |i, near, history| {
            history.for_each_contact(&mut kernel, &sphere(i), near, |c, sum| {
                *sum += c.overlap;
                touching += 1;
            });
        });
        assert!(touching > 10, "{touching}");
        height = 2.0 - height;
    };
    assert_settles(4, step);
}

/// Steps in parallel that rebuild the lists of pairs and of a wall, or keep them. A pool of one thread, because
/// allocations are counted by thread.
#[cfg(feature = "rayon")]
#[test]
fn parallel_lists() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build().unwrap().install(|| {
        // Several parts.
        let spheres = workload::random_spheres::<DVec3>(20_000, 0.4, 2.0, 3);
        let far = { spheres.iter() }.fold(DVec3::ZERO, |far, s| far.max(s.center + s.radius));
        let period = PeriodicBox::orthogonal(DVec3::ZERO, far, [true; 3]).unwrap();
        let skin = Skin::Relative(0.1);
        parallel_steps(HierarchicalGrid::new(), skin, &spheres);
        parallel_steps(LinkedCells::new(), skin, &spheres);
        parallel_steps(
            Periodic::new(HierarchicalGrid::new(), period),
            skin,
            &spheres,
        );
        // These keep the list of pairs.
        parallel_steps(
            HierarchicalGrid::new(),
            Skin::Absolute(9.0),
            &spheres[..4000],
        );
    });
}

/// Moves all bodies there and back.
#[cfg(feature = "rayon")]
fn parallel_steps(
    broad: impl BroadPhase<Vector = DVec3> + Sync,
    skin: Skin,
    spheres: &[Sphere<DVec3>],
) {
    let floor = Wall::new(floor(99.0, 5.0));
    let is_kept = skin == Skin::Absolute(9.0);
    let mut list = PairList::<_, f64>::new(broad, skin).unwrap();
    let mut at_floor = WallList::<WallHistory<f64>>::new(Skin::Relative(0.1)).unwrap();
    let mut on_spheres = osculate::broad::Workers::new(SphereSphere::new());
    let mut on_floor = osculate::broad::Workers::new(DoubleHierarchy::new());
    let mut height = 0.0;
    let mut step = || {
        let sphere =
            |i: usize| Sphere::new(spheres[i].center + DVec3::Z * height, spheres[i].radius);
        let is_rebuilt = list.par_update_with(spheres.len(), sphere).unwrap();
        list.par_for_each_touching_image(&mut on_spheres, |kernel, pair, sum, found| {
            *sum += 1.0;
            let [first, mut second] = [pair.i, pair.j].map(sphere);
            second.center += pair.shift;
            found.extend(kernel.contact(&first, &second));
        });
        assert!(on_spheres.results().count() > 1000);
        assert!(
            at_floor
                .par_update_with(spheres.len(), sphere, &floor)
                .unwrap()
        );
        at_floor.par_for_each_body(&floor, &mut on_floor, |kernel, i, near, history, found| {
            history.for_each_contact(kernel, &sphere(i), near, |c, sum| {
                *sum += c.overlap;
                found.push(*sum);
            });
        });
        assert!(on_floor.results().count() > 100);
        height = 2.0 - height;
        is_rebuilt
    };
    step();
    assert_settles(3, || assert_eq!(step(), !is_kept));
}

/// Calls a kernel for all pairs, each with a state of its own and with a state that all share. Returns how many
/// contacts it finds.
fn kernel_settles<A, B, K: NarrowPhase<A, B>>(
    few: usize,
    kernel: &mut K,
    pairs: &[(A, B)],
) -> usize {
    let mut shared = K::State::default();
    let mut own: Vec<K::State> = pairs.iter().map(|_| K::State::default()).collect();
    let mut found = 0;
    assert_settles(few, || {
        for ((a, b), own) in pairs.iter().zip(&mut own) {
            kernel.for_each_contact(a, b, own, |_| found += 1);
            kernel.for_each_contact(a, b, &mut shared, |_| found += 1);
        }
    });
    found
}

fn at(x: f64, y: f64, z: f64) -> Pose3 {
    Pose3::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn bumpy_floor() -> Wall {
    let bumps = |i: u32, j: u32| 0.1 * f64::from((3 * i + 5 * j) % 4);
    let place = |i: u32, j: u32| DVec3::new(0.5 * f64::from(i), 0.5 * f64::from(j), bumps(i, j));
    Wall::new(grid([8, 8], place))
}

/// Spheres at spheres, at a polyhedron, and at a closed mesh, outside and inside.
#[test]
fn spheres() {
    let spheres = workload::random_spheres::<DVec3>(100, 0.4, 2.0, 3);
    let pairs: Vec<_> = spheres.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let kernel = &mut SphereSphere::new().with_margin(100.0).unwrap();
    assert!(kernel_settles(0, kernel, &pairs) > 0);

    let balls = [1.3, 0.9, 0.0].map(|x| Sphere::new(DVec3::new(x, 0.25, 0.125), 0.5));
    let cube = cuboid(DVec3::ZERO, DVec3::ONE);
    let at_cube = balls.map(|ball| (ball, Placed::new(&cube, Pose3::IDENTITY)));
    assert!(kernel_settles(1, &mut CommonPlane::new(), &at_cube) > 0);
    let rock = workload::rock(300, 0.5, 1).unwrap();
    let at_rock = balls.map(|ball| (ball, Wall::new(SurfaceMesh::from(rock.clone()))));
    let kernel = &mut DoubleHierarchy::new().with_sides(WallSides::Front);
    assert!(kernel_settles(1, kernel, &at_rock) > 0);
}

/// A wall that moves and deforms: its search, and its contacts in whole and in part.
#[test]
fn walls_that_move() {
    let mut wall = bumpy_floor();
    let vertices = wall.mesh().vertices().to_vec();
    let all: Vec<u32> = (0..wall.mesh().facet_count()).collect();
    let spheres = workload::random_spheres::<DVec3>(500, 0.4, 2.0, 8);
    let ball = Sphere::new(DVec3::new(2.0, 2.0, 1.0), 1.5);
    let mut kernel = DoubleHierarchy::new();
    let (mut buffer, mut found) = (Vec::new(), [0; 4]);
    assert_allocates_once(|| {
        wall.set_pose(at(0.0, 0.0, 0.5));
        wall.set_vertices(&vertices).unwrap();
        wall.for_each_body_near(&spheres, 0.5, &mut buffer, |_, facets| {
            found[0] += facets.len()
        });
        wall.for_each_facet_near(&ball, |_| found[1] += 1);
        kernel.for_each_contact(&ball, &wall, &mut (), |_| found[2] += 1);
        let near = FacetSubset::new(&wall, &all).unwrap();
        kernel.for_each_contact(&ball, &near, &mut (), |_| found[3] += 1);
    });
    assert!(
        found[0] > 100 && found[1] > 30 && found[2] > 3 && found[3] > 3,
        "{found:?}"
    );
}

#[test]
fn contact_volumes() {
    let rock = workload::rock(300, 0.5, 1).unwrap();
    let rocks =
        [1.2, 0.0, 0.6].map(|x| [0.0, x].map(|x| Placed::new(&rock, at(x, 0.0, 0.0))).into());
    let crown = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)].map(DVec2::from);
    let crown = Polygon::new(crown.to_vec()).unwrap();
    let crown = |y: f64| Placed::new(&crown, Pose2::from_translation(DVec2::Y * y).unwrap());
    let crowns = [3.5, 0.0, 0.5].map(|y| (crown(0.0), crown(y)));
    for is_separate in [false, true] {
        let kernel = &mut MeshMesh::new().with_separate_regions(is_separate);
        assert!(kernel_settles(1, kernel, &rocks) > 12);
        let kernel = &mut PolygonPolygon::new().with_separate_regions(is_separate);
        assert!(kernel_settles(1, kernel, &crowns) > 12);
    }
    let ball = workload::sphere(1, 1.0).unwrap();
    let ball = ConvexPolyhedron::try_from(ball.surface().clone()).unwrap();
    let balls = [1.5, 0.9, 0.4, 0.0, 2.5]
        .map(|x| [0.0, x].map(|x| Placed::new(&ball, at(x, 0.1, 0.2))).into());
    assert!(kernel_settles(1, &mut ConvexConvex::new(), &balls) > 12);
}

/// Faces and fans of 100 corners, bodies of 500 vertices: apart, overlapping, with ties.
#[test]
fn common_planes() {
    let angle = |i: u32| 2.0 * std::f64::consts::PI * f64::from(i) / 100.0;
    let rim = |i: u32| DVec3::new(angle(i).cos(), angle(i).sin(), 0.0);
    let tip = |height: f64| (0..100).map(rim).chain([DVec3::Z * height]).collect();
    let prism = (0..200).map(|i| rim(i % 100) + DVec3::Z * f64::from(i / 100));
    let mut random = workload::SplitMix64::new(9);
    let ball = (0..500).map(|_| random.in_ball().normalize());
    let points: [Vec<_>; 4] = [tip(0.5), tip(-2.0), prism.collect(), ball.collect()];
    let shapes = points.map(|points| ConvexPolyhedron::from_convex_hull(&points).unwrap());
    let mut pairs = Vec::new();
    for i in 0..40 {
        // A third of them in line.
        let place = vector(&mut random) * 2.0;
        let place = if i % 3 == 0 {
            DVec3::Z * place.z
        } else {
            place
        };
        let pose = Pose3::from_translation(place).unwrap();
        for (a, b) in (0..16).map(|i| (&shapes[i / 4], &shapes[i % 4])) {
            pairs.push((Placed::new(a, Pose3::IDENTITY), Placed::new(b, pose)));
        }
    }
    let kernel = &mut CommonPlane::new().with_margin(10.0).unwrap();
    type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;
    // With a state, searches start elsewhere and may need larger buffers.
    kernel_settles(1, &mut |a: &Body, b: &Body| kernel.contact(a, b), &pairs);
    kernel_settles(2, kernel, &pairs);
    kernel_settles(0, &mut |a: &Body, b: &Body| kernel.contact(a, b), &pairs);

    let flat: Vec<_> = (0..50).map(|i| rim(i).truncate()).collect();
    let flat = ConvexPolygon::from_convex_hull(&flat).unwrap();
    let flat = |y: f64| Placed::new(&flat, Pose2::from_translation(DVec2::Y * y).unwrap());
    let pairs: Vec<_> = (0..20)
        .map(|i| (flat(0.0), flat(0.1 * f64::from(i))))
        .collect();
    assert!(kernel_settles(0, &mut CommonPlane::new(), &pairs) > 0);
}

/// Bodies of 8 and 100 vertices in pairs, flush and tilted, and over a bumpy floor: with and without volume and points.
#[test]
fn pressure_fields() {
    let mut random = workload::SplitMix64::new(12);
    let ball: Vec<_> = (0..100).map(|_| random.in_ball().normalize()).collect();
    let ball = ConvexPolyhedron::from_convex_hull(&ball).unwrap();
    let shapes = [cuboid(DVec3::ZERO, DVec3::ONE), ball];
    let tilted = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8);
    let wall = bumpy_floor();
    let (mut pairs, mut at_wall) = (Vec::new(), Vec::new());
    for i in 0..80_i32 {
        let [first, second] = [i % 2, i / 2 % 2].map(|i| &shapes[i as usize]);
        let turn = if i % 3 == 0 { DQuat::IDENTITY } else { tilted };
        let shift = DVec3::new(0.05 * f64::from(i % 5), 0.0, 0.1 * f64::from(i / 4));
        let other = Placed::new(second, Pose3::new(turn, shift).unwrap());
        pairs.push((Placed::new(first, Pose3::IDENTITY), other));
        let above = DVec3::new(0.04 * f64::from(i), 1.0, 0.01 * f64::from(i));
        let body = Placed::new(first, Pose3::new(tilted, above).unwrap());
        at_wall.push((body, wall.clone()));
    }
    for mut kernel in [
        PressureField::new(),
        PressureField::new().with_volume().with_points(),
    ] {
        assert!(kernel_settles(2, &mut kernel, &pairs) > 120);
        assert!(kernel_settles(2, &mut kernel, &at_wall) > 120);
        let mut facets = 0;
        assert_settles(0, || {
            for (body, wall) in &at_wall {
                kernel.for_each_facet(body, wall, |_| facets += 1);
            }
        });
        assert!(facets > 60);
    }
}
