//! A step allocates nothing once the buffers have grown.
#![allow(unsafe_code, reason = "a global allocator is unsafe to write")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::support::convex::{cuboid, vector};
use crate::support::wall::{floor, grid};
#[cfg(feature = "rayon")]
use osculate::broad::Workers;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload;
use osculate::{
    BroadPhase, BruteForce, CommonPlane, ConvexConvex, ConvexPolygon, ConvexPolyhedron,
    DoubleHierarchy, HierarchicalGrid, LinkedCells, MeshMesh, NarrowPhase, NeighborLists, PairList,
    Periodic, PeriodicBox, Placed, Pose2, Pose3, Skin, Sphere, SphereSphere, SurfaceMesh, Vector,
    Wall, WallList,
    broad::{HashGrid, IncrementalBroadPhase, LevelSizes, SearchDirection},
    narrow::{
        FacetSubset, PolygonPolygon, PressureField, PressureState, VolumeState, WallHistory,
        WallSides,
    },
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

#[test]
fn counter_counts() {
    let mut kept = Vec::new();
    let counts = allocations(|| kept.push(Box::new(kept.len())));
    assert!(counts[0] >= 2 && counts[2] >= 1, "{counts:?}");
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

#[test]
fn broad_phases() {
    let (mut pairs, mut near) = (Vec::new(), Vec::new());
    let discs = workload::random_spheres::<DVec2>(2000, 0.4, 2.0, 1);
    let mut brute = BruteForce::new();
    assert_allocates_once(|| broad_step(&mut brute, &discs, &mut pairs, &mut near));

    let mut spheres = workload::random_spheres::<DVec3>(5000, 0.4, 2.0, 2);
    let mut cells = LinkedCells::new();
    assert_allocates_once(|| broad_step(&mut cells, &spheres, &mut pairs, &mut near));

    // Sparse, with sorted keys; then dense again, with all buffers already grown.
    let near_ones = spheres.clone();
    spheres[1].center *= 1e6;
    let counts = allocations(|| broad_step(&mut cells, &spheres, &mut pairs, &mut near));
    assert_eq!(counts[1..], [0, 0]);
    let counts = allocations(|| broad_step(&mut cells, &near_ones, &mut pairs, &mut near));
    assert_eq!(counts, [0, 0, 0]);
}

/// Rebuilds and queries, with bodies that move a little from step to step.
fn moving_bodies<V: Vector>(mut grid: HierarchicalGrid<V>, spheres: &[Sphere<V>]) {
    let (mut pairs, mut near, mut order) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = workload::SplitMix64::new(4);
    let mut bodies = spheres.to_vec();
    let step = || {
        for (body, sphere) in bodies.iter_mut().zip(spheres) {
            let offset = V::from_fn(|_| random.range(-0.05, 0.05));
            body.center = sphere.center + offset;
        }
        broad_step(&mut grid, &bodies, &mut pairs, &mut near);
        order.clear();
        order.extend(grid.spatial_order());
    };
    assert_settles(3, step);
}

#[test]
fn hierarchical_grids() {
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
}

/// Bodies come and go, grow and spread, so that levels are worked out anew in most steps: in tables and
/// in trees. Nothing is allocated in the second round of the same.
#[test]
fn bodies_that_come_and_go() {
    let all = workload::power_law_spheres::<DVec3>(2000, 0.4, -2.0, 20.0, 2);
    let sizes = LevelSizes::new([3.0, 10.0, 40.0]).unwrap();
    let grids = [
        HierarchicalGrid::new(),
        HierarchicalGrid::new().with_level_sizes(sizes),
    ];
    for mut grid in grids {
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
                grid.rebuild(&bodies).unwrap();
                grid.for_each_pair(|_, _| ());
            }
        };
        assert_settles(1, round);
    }
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

#[test]
fn lists_and_periodic_boxes() {
    let (mut pairs, mut near) = (Vec::new(), Vec::new());
    let discs = workload::random_spheres::<DVec2>(2000, 0.4, 2.0, 1);
    let period = PeriodicBox::triclinic(
        DVec2::ZERO,
        DVec2::splat(100.0),
        [30.0, 0.0, 0.0],
        [true; 3],
    );
    let mut broad = Periodic::new(BruteForce::new(), period.unwrap());
    assert_allocates_once(|| broad_step(&mut broad, &discs, &mut pairs, &mut near));

    let mut lists = NeighborLists::new();
    assert_allocates_once(|| {
        lists.fill_half(discs.len(), &pairs).unwrap();
        lists.fill_full(discs.len(), &pairs).unwrap();
    });

    list_of_moving_discs(LinkedCells::new(), &discs);
    list_of_moving_discs(HierarchicalGrid::new(), &discs);
    list_of_moving_rods(&discs);
}

/// As many pairs in each step, of capsules that are as long as eight discs.
fn list_of_moving_rods(discs: &[Sphere<DVec2>]) {
    let mut list = PairList::<_, u64>::new(HierarchicalGrid::new(), Skin::Relative(0.1)).unwrap();
    let mut offset = 0.0;
    let step = || {
        let rod = |i: usize| {
            let Sphere { center, radius } = discs[i];
            let ends = [-8.0, 8.0].map(|y| center + DVec2::new(offset, y * radius));
            Capsule::new(ends, radius)
        };
        assert!(list.update_with(discs.len(), rod).unwrap());
        list.for_each_touching_pair(|_, _, memory| *memory += 1);
        assert!(list.data().iter().sum::<u64>() > 1000);
        offset = 1.0 - offset;
    };
    assert_settles(3, step);
}

/// Each step moves all bodies there or back, so that the list is rebuilt.
fn list_of_moving_discs(broad: impl BroadPhase<Vector = DVec2>, discs: &[Sphere<DVec2>]) {
    let mut list = PairList::<_, u64>::new(broad, Skin::Relative(0.1)).unwrap();
    let mut offset = 0.0;
    let step = || {
        let disc = |i: usize| Sphere::new(discs[i].center + DVec2::X * offset, discs[i].radius);
        let mut touching = 0;
        let is_rebuilt = list.update_with(discs.len(), disc).unwrap();
        list.for_each_touching_pair(|_, _, memory| {
            *memory += 1;
            touching += 1;
        });
        assert!(is_rebuilt && touching > 1000);
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
    let mut on_spheres = Workers::new(SphereSphere::new());
    let mut on_floor = Workers::new(DoubleHierarchy::new());
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

#[test]
fn narrow_phases() {
    let spheres = workload::random_spheres::<DVec3>(100, 0.4, 2.0, 3);
    let mut found = 0;
    assert_settles(0, || {
        for pair in spheres.windows(2) {
            let kernel = &mut SphereSphere::new().with_margin(100.0).unwrap();
            kernel.for_each_contact(&pair[0], &pair[1], &mut (), |_| found += 1);
        }
    });
    assert!(found > 0);

    // A fan around the origin.
    let rim = |i: u32| 2.0 * std::f64::consts::PI * f64::from(i) / 16.0;
    let mut vertices = vec![DVec3::ZERO];
    vertices.extend((0..16).map(|i| DVec3::new(rim(i).cos(), rim(i).sin(), 0.1)));
    let fan = (0..16).map(|i| [0, 1 + i, 1 + (i + 1) % 16]);
    let mut wall = Wall::new(SurfaceMesh::new(vertices, fan).unwrap());
    let all: Vec<u32> = (0..16).collect();
    let mut kernel = DoubleHierarchy::new();
    let mut found = 0;
    let counts = allocations(|| {
        let near = FacetSubset::new(&wall, &all).unwrap();
        let sphere = Sphere::new(DVec3::new(0.0, 0.0, 0.5), 2.0);
        kernel.for_each_contact(&sphere, &near, &mut Default::default(), |_| found += 1);
    });
    assert!(found > 3);
    assert_eq!(counts[1..], [0, 0]);

    let vertices = wall.mesh().vertices().to_vec();
    let mut found = 0;
    let counts = allocations(|| {
        wall.set_pose(Pose3::from_translation(DVec3::Z).unwrap());
        wall.set_vertices(&vertices).unwrap();
        let sphere = Sphere::new(DVec3::new(0.0, 0.0, 1.5), 2.0);
        kernel.for_each_contact(&sphere, &wall, &mut (), |_| found += 1);
    });
    assert!(found > 3);
    assert_eq!(counts[1..], [0, 0]);
}

#[test]
fn facet_search() {
    let mut random = workload::SplitMix64::new(7);
    let mut point = |size: f64| DVec3::from_array([0; 3].map(|_| random.range(-size, size)));
    let triangles: Vec<_> = (0..500)
        .map(|_| (point(10.0), [point(1.0), point(1.0), point(1.0)]))
        .map(|(place, corners)| corners.map(|corner| place + corner))
        .collect();
    let mut wall = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
    wall.set_pose(Pose3::from_translation(DVec3::X).unwrap());
    let spheres = workload::random_spheres::<DVec3>(500, 0.4, 2.0, 8);
    let (mut buffer, mut found) = (Vec::new(), 0);
    assert_allocates_once(|| {
        wall.for_each_body_near(&spheres, 0.5, &mut buffer, |_, facets| {
            found += facets.len()
        });
        wall.for_each_facet_near(&spheres[0], |_| found += 1);
    });
    assert!(found > 100);
}

#[test]
fn contact_volumes() {
    let rock = workload::rock(300, 0.5, 1).unwrap();
    let body = |x: f64| Placed::new(&rock, Pose3::from_translation(DVec3::X * x).unwrap());
    for mut kernel in [MeshMesh::new(), MeshMesh::new().with_separate_regions(true)] {
        let (mut found, mut state) = (0, VolumeState::default());
        assert_allocates_once(|| {
            for x in [1.2, 0.0, 0.6] {
                kernel.for_each_contact(&body(0.0), &body(x), &mut state, |_| found += 1);
            }
        });
        assert!(found > 6);
    }
    let crown = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)].map(DVec2::from);
    let crown = Polygon::new(crown.to_vec()).unwrap();
    let body = |y: f64| Placed::new(&crown, Pose2::from_translation(DVec2::Y * y).unwrap());
    for mut kernel in [
        PolygonPolygon::new(),
        PolygonPolygon::new().with_separate_regions(true),
    ] {
        let (mut found, mut state) = (0, VolumeState::default());
        assert_allocates_once(|| {
            for y in [3.5, 0.0, 0.5] {
                kernel.for_each_contact(&body(0.0), &body(y), &mut state, |_| found += 1);
            }
        });
        assert!(found >= 9);
    }
}

/// Spheres at a polyhedron and at a closed mesh, outside and inside.
#[test]
fn spheres_and_solids() {
    let rock = workload::rock(300, 0.5, 1).unwrap();
    let cube = cuboid(DVec3::ZERO, DVec3::ONE);
    let wall = Wall::new(SurfaceMesh::from(rock.clone()));
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
    let mut count = 0;
    let steps = allocations(|| {
        for x in [1.3, 0.9, 0.0] {
            let ball = Sphere::new(DVec3::new(x, 0.25, 0.125), 0.5);
            let cube = Placed::new(&cube, Pose3::IDENTITY);
            count += usize::from(CommonPlane::new().contact(&ball, &cube).is_some());
            kernel.for_each_contact(&ball, &wall, &mut (), |_| count += 1);
        }
    });
    assert!(count >= 12, "{count}");
    assert_eq!(steps[1..], [0, 0]);
}

#[test]
fn convex_volumes() {
    let ball = workload::sphere(1, 1.0).unwrap();
    let convex = ConvexPolyhedron::try_from(ball.surface().clone()).unwrap();
    let pose = |x: f64| Pose3::from_translation(DVec3::new(x, 0.1, 0.2)).unwrap();
    let solid = |x: f64| Placed::new(&convex, pose(x));
    let mut hulls = ConvexConvex::new();
    let (mut found, mut state) = (0, VolumeState::default());
    assert_allocates_once(|| {
        for x in [1.5, 0.9, 0.4, 0.0, 2.5] {
            hulls.for_each_contact(&solid(0.0), &solid(x), &mut state, |_| found += 1);
        }
    });
    assert_eq!(found, 12);
}

/// Faces and fans of 100 corners, bodies of 500 vertices: apart, overlapping, with ties.
#[test]
fn common_planes() {
    let angle = |i: u32| 2.0 * std::f64::consts::PI * f64::from(i) / 100.0;
    let rim = |i: u32| DVec3::new(angle(i).cos(), angle(i).sin(), 0.0);
    let tip = |height: f64| {
        (0..100)
            .map(rim)
            .chain([DVec3::Z * height])
            .collect::<Vec<_>>()
    };
    let prism: Vec<_> = (0..200)
        .map(|i| rim(i % 100) + DVec3::Z * f64::from(i / 100))
        .collect();
    let mut random = workload::SplitMix64::new(9);
    let ball: Vec<_> = (0..500).map(|_| random.in_ball().normalize()).collect();
    let shapes = [tip(0.5), tip(-2.0), prism, ball]
        .map(|points| ConvexPolyhedron::from_convex_hull(&points).unwrap());
    let places: Vec<_> = (0..40).map(|_| vector(&mut random) * 2.0).collect();
    let mut kernel = CommonPlane::new().with_margin(10.0).unwrap();
    let mut memories = vec![Default::default(); 4 * 4 * places.len()];
    let mut found = 0;
    let mut step = |is_warm: bool| {
        let mut memories = memories.iter_mut();
        for (p, q) in (0..16).map(|i| (&shapes[i / 4], &shapes[i % 4])) {
            for (i, place) in places.iter().enumerate() {
                // A third of them in line.
                let place = if i % 3 == 0 {
                    DVec3::Z * place.z
                } else {
                    *place
                };
                let memory = memories.next().unwrap();
                if !is_warm {
                    *memory = Default::default();
                }
                let pose = Pose3::from_translation(place).unwrap();
                let [a, b] =
                    [(p, Pose3::IDENTITY), (q, pose)].map(|(shape, pose)| Placed::new(shape, pose));
                let contact = kernel.contact_with(&a, &b, memory).unwrap();
                found += usize::from(contact.overlap > 0.0);
            }
        }
    };
    assert!(allocations(|| step(false))[0] > 0);
    // With a state, searches start elsewhere and may need larger buffers.
    step(true);
    assert_eq!(allocations(|| step(false)), [0, 0, 0]);
    // With a state, searches take other paths and may need larger buffers.
    assert_eq!(allocations(|| step(true))[1..], [0, 0]);
    assert_eq!(allocations(|| step(false)), [0, 0, 0]);
    assert!(found > 0);

    let flat = (0..50).map(|i| rim(i).truncate()).collect::<Vec<_>>();
    let flat = ConvexPolygon::from_convex_hull(&flat).unwrap();
    let mut kernel = CommonPlane::new();
    let mut memory = Default::default();
    assert_settles(0, || {
        for i in 0..20 {
            let pose = Pose2::from_translation(DVec2::Y * (0.1 * f64::from(i))).unwrap();
            let [a, b] = [Pose2::IDENTITY, pose].map(|pose| Placed::new(&flat, pose));
            kernel.for_each_contact(&a, &b, &mut memory, |_| found += 1);
        }
    });
}

/// Bodies of 8 and 100 vertices in pairs, flush and tilted, and over a bumpy floor: with and without volume and points.
#[test]
fn pressure_fields() {
    let mut random = workload::SplitMix64::new(12);
    let ball: Vec<_> = (0..100).map(|_| random.in_ball().normalize()).collect();
    let ball = ConvexPolyhedron::from_convex_hull(&ball).unwrap();
    let shapes = [cuboid(DVec3::ZERO, DVec3::ONE), ball];
    let turn = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8);
    let bumps = |i: u32, j: u32| 0.1 * f64::from((3 * i + 5 * j) % 4);
    let at = |i: u32, j: u32| DVec3::new(0.5 * f64::from(i), 0.5 * f64::from(j), bumps(i, j));
    let wall = Wall::new(grid([8, 8], at));
    for has_all in [false, true] {
        let mut kernel = PressureField::new();
        if has_all {
            kernel = kernel.with_volume().with_points();
        }
        let mut pairs = vec![PressureState::default(); 4];
        let mut states = [PressureState::default(), PressureState::default()];
        let mut found = [0; 2];
        assert_allocates_once(|| {
            for i in 0..80_i32 {
                let shift = DVec3::new(0.05 * f64::from(i % 5), 0.0, 0.1 * f64::from(i / 4));
                let turn = if i % 3 == 0 { DQuat::IDENTITY } else { turn };
                let [first, second] = [i % 2, i / 2 % 2].map(|i| i as usize);
                let a = Placed::new(&shapes[first], Pose3::IDENTITY);
                let b = Placed::new(&shapes[second], Pose3::new(turn, shift).unwrap());
                let state = &mut pairs[first + 2 * second];
                kernel.for_each_contact(&a, &b, state, |_| found[0] += 1);
                let at = DVec3::new(0.04 * f64::from(i), 1.0, 0.01 * f64::from(i));
                let body = Placed::new(&shapes[first], Pose3::new(turn, at).unwrap());
                kernel.for_each_contact(&body, &wall, &mut states[first], |_| found[1] += 1);
                kernel.for_each_facet(&body, &wall, |_| found[1] += 1);
            }
        });
        assert!(found.iter().all(|&count| count > 60), "{found:?}");
    }
}
