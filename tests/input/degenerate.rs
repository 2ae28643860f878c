//! Degenerate and invalid inputs, each with its story. The rows of the input policy that apply to
//! these modules: invalid input is a typed error with its index, borderline input has one result.

use crate::support::bad::{
    Refusal, bad_length, bad_position, bad_radius, bad_rotation, refusal, refused, too_many,
};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::{MAX_COUNT, MAX_LENGTH, MIN_LENGTH};
use osculate::testing::properties::broad;
use osculate::{
    Aabb, BroadPhase, BruteForce, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy, ErrorKind,
    HierarchicalGrid, LinkedCells, NarrowPhase, Pose2, Pose3, SolidMesh, Sphere, SphereSphere,
    SurfaceMesh, Vector,
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

const BAD_COORDINATES: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e46, -1e300];

/// NaN compares false with everything, so a naive minimum skips it and a naive cell index is 0.
/// Every function that takes positions must refuse it, with the lowest invalid index.
#[test]
fn positions_out_of_the_domain() {
    for bad in BAD_COORDINATES {
        let points = [
            DVec3::ZERO,
            DVec3::X,
            DVec3::new(0.0, 1.0, bad),
            DVec3::splat(bad),
        ];
        let sphere = |i: usize| Sphere::new(points[i], 1.0);
        refused(
            "position",
            LinkedCells::new().rebuild_with(4, sphere),
            &bad_position("body 2", 2, bad),
        );
        refused(
            "position",
            BruteForce::new().rebuild_with(4, sphere),
            &bad_position("body 2", 2, bad),
        );
        refused(
            "position",
            HierarchicalGrid::new().rebuild_with(4, sphere),
            &bad_position("body 2", 2, bad),
        );
        refused(
            "position",
            SurfaceMesh::new(points.to_vec(), [[0, 1, 2]]),
            &bad_position("vertex 2", 2, bad),
        );
        refused(
            "position",
            SurfaceMesh::welded(&points, [[0, 1, 2]], 0.0),
            &bad_position("point 2", 2, bad),
        );
        let triangles = [[DVec3::ZERO; 3], [points[1], points[2], points[3]]];
        refused(
            "position",
            SurfaceMesh::from_triangles(&triangles),
            &bad_position("point 4", 2, bad),
        );
        refused(
            "position",
            SolidMesh::new(points.to_vec(), [[0, 1, 2]]),
            &bad_position("vertex 2", 2, bad),
        );
        refused(
            "position",
            ConvexPolyhedron::new(points.to_vec(), [[0, 1, 2]]),
            &bad_position("vertex 2", 2, bad),
        );
        refused(
            "position",
            ConvexPolyhedron::from_convex_hull(&points),
            &bad_position("point 2", 2, bad),
        );
        refused(
            "position",
            Aabb::new(points[0], points[2]),
            &bad_position("corner 1", 2, bad),
        );
        refused(
            "position",
            Pose3::from_translation(points[2]),
            &bad_position("translation", 2, bad),
        );
        let flat = [DVec2::ZERO, DVec2::new(bad, 0.0), DVec2::Y];
        refused(
            "position",
            ConvexPolygon::new(flat.to_vec()),
            &bad_position("vertex 1", 0, bad),
        );
        refused(
            "position",
            ConvexPolygon::from_convex_hull(&flat),
            &bad_position("point 1", 0, bad),
        );
    }
    let edge = Sphere::new(DVec3::splat(MAX_LENGTH), MAX_LENGTH);
    assert_eq!(pairs(&mut LinkedCells::new(), &[edge, edge]), [[0, 1]]);
}

/// A radius of -0.5 squares to the same as 0.5; 1e-60 would underflow in a sixth power.
#[test]
fn radii_out_of_the_domain() {
    for bad in [
        -0.5,
        f64::NAN,
        f64::INFINITY,
        MAX_LENGTH.next_up(),
        MIN_LENGTH.next_down(),
    ] {
        let spheres = [1.0, 0.0, bad, bad].map(|r| Sphere::new(DVec2::ZERO, r));
        let error = bad_radius(2, bad);
        refused("cells", LinkedCells::new().rebuild(&spheres), &error);
        refused("brute force", BruteForce::new().rebuild(&spheres), &error);
    }
    let smallest = Sphere::new(DVec2::ZERO, MIN_LENGTH);
    assert_eq!(
        pairs(&mut LinkedCells::new(), &[smallest, smallest]),
        [[0, 1]]
    );
}

/// Indices are u32. A truncated count would pair the wrong bodies. No sphere may be requested.
#[test]
fn more_bodies_than_ids() {
    let count = MAX_COUNT + 1;
    let sphere = |_| -> Sphere<DVec3> { unreachable!("refused before any body is read") };
    let error = too_many(count);
    let grid = HierarchicalGrid::new().rebuild_with(count, sphere);
    refused("grid", grid, &error);
    refused(
        "cells",
        LinkedCells::new().rebuild_with(count, sphere),
        &error,
    );
    let all = BruteForce::new().rebuild_with(usize::MAX, sphere);
    refused("brute force", all, &too_many(usize::MAX));
}

/// No bodies, and one body, which is not its own neighbor.
#[test]
fn no_body_and_one_body() {
    let one = [Sphere::new(DVec3::ONE, 2.0)];
    for bodies in [&[][..], &one] {
        assert!(pairs(&mut LinkedCells::new(), bodies).is_empty());
        assert!(pairs(&mut BruteForce::new(), bodies).is_empty());
        let cells = &mut LinkedCells::new();
        broad::each_touching_once(cells, bodies, Sphere::new(DVec3::ZERO, 1.0)).unwrap();
        assert_eq!(cells.chunk_count(), bodies.len());
    }
    let never_built = LinkedCells::<DVec3>::new();
    never_built.for_each_pair(|_, _| unreachable!());
    never_built.for_each_touching(&one[0], |_| unreachable!());
}

/// The three coordinates at which cells as wide as the cut-off lose the pair at distance 1: the
/// first sets the origin, and the others are rounded down below 2 cells and up to 3.
#[test]
fn rounding_trap() {
    let trap = [-0.9201729513225276, 1.0798270486774721, 2.079827048677472];
    let mut sizes = [
        LinkedCells::new(),
        LinkedCells::new().with_cell_size(1.0).unwrap(),
    ];
    for cells in &mut sizes {
        let on_x = trap.map(|x| Sphere::new(DVec3::new(x, 0.0, 0.0), 0.5));
        assert_eq!(pairs(cells, &on_x), [[1, 2]]);
        let on_y = trap.map(|y| Sphere::new(DVec3::new(7.0, y, 0.0), 0.5));
        assert_eq!(pairs(cells, &on_y), [[1, 2]]);
        let on_z = trap.map(|z| Sphere::new(DVec3::new(7.0, 7.0, z), 0.5));
        assert_eq!(pairs(cells, &on_z), [[1, 2]]);
    }
    let discs = trap.map(|y| Sphere::new(DVec2::new(0.0, y), 0.5));
    assert_eq!(pairs(&mut LinkedCells::new(), &discs), [[1, 2]]);
}

/// Cells smaller than a body lose its pairs; as small as the body is fine.
#[test]
fn cell_sizes() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e60, 1e-60] {
        let error = bad_length("cell size", bad, "within [2^-150, 2^150]");
        refused(
            "size",
            LinkedCells::<DVec3>::new().with_cell_size(bad),
            &error,
        );
    }
    let mut cells = LinkedCells::new().with_cell_size(2.0).unwrap();
    let spheres = [1.0, 1.0_f64.next_up(), 3.0].map(|r| Sphere::new(DVec2::ZERO, r));
    assert_eq!(pairs(&mut cells, &spheres[..1]), [] as [[u32; 2]; 0]);
    let diameter = 2.0_f64.next_up();
    let message = format!("body 1: diameter {diameter:?} exceeds the cell size 2.0");
    let error = refusal(ErrorKind::CellSize, Some(1), message);
    refused("cells", cells.rebuild(&spheres), &error);
    assert_eq!(cells.len(), 1, "unchanged by the error");
}

/// Bodies 2^40 cells apart: a table over the extent would fit no memory, and cell numbers would not
/// fit 32 bits. Given cells are then widened.
#[test]
fn extents_of_billions_of_cells() {
    let far = [0.0, 0.75, 1e9, 1e12].map(|x| Sphere::new(DVec3::new(x, -x, x), 0.75));
    assert_eq!(pairs(&mut LinkedCells::new(), &far), [[0, 1]]);
    let mut explicit = LinkedCells::new().with_cell_size(1.5).unwrap();
    assert_eq!(pairs(&mut explicit, &far), [[0, 1]]);
    assert!(explicit.grid().report().levels[0].cell_width > 1e9);
    let wide = Sphere::new(DVec3::ZERO, 1e15);
    broad::each_touching_once(&mut LinkedCells::new(), &far, wide).unwrap();
    let ends = [MAX_LENGTH, -MAX_LENGTH, 0.0].map(|x| Sphere::new(DVec3::X * x, MIN_LENGTH));
    assert!(pairs(&mut LinkedCells::new(), &ends).is_empty());
}

/// All bodies in one cell, all at one place, and points.
#[test]
fn crowds() {
    let crowd = [Sphere::new(DVec2::ONE, 0.5); 5];
    assert_eq!(pairs(&mut LinkedCells::new(), &crowd).len(), 10);
    let points = [Sphere::new(DVec2::ONE, 0.0); 5];
    assert_eq!(pairs(&mut LinkedCells::new(), &points).len(), 10);
    let apart = [0.0, 1.0, 1.0_f64.next_up()].map(|x| Sphere::new(DVec2::X * x, 0.0));
    assert!(pairs(&mut LinkedCells::new(), &apart).is_empty());
}

/// Sets that leave levels empty, or without a size: nothing, one body, points, points among bodies,
/// all at one place. A grid that tunes itself has no radius, no extent or no density to go by.
#[test]
fn hierarchical_grids_of_little() {
    let at = |x: f64, radius: f64| Sphere::new(DVec3::splat(x), radius);
    let line = |radius: f64| [0.0, 1.0, 2.0, 2.0].map(|x| at(x, radius));
    let mixed: Vec<_> = (0..12)
        .map(|i| at(f64::from(i / 2), f64::from(i % 2)))
        .collect();
    let sets: [(&[Sphere<DVec3>], usize); 9] = [
        (&[], 0),
        (&[at(5.0, 2.0)], 0),
        (&[at(5.0, 0.0)], 0),
        (&line(0.0), 1),
        (&line(0.5), 1),
        (&[at(1.0, 0.0); 6], 15),
        (&[at(1.0, 2.0); 6], 15),
        (&[at(1.0, MIN_LENGTH), at(1.0, 2.0), at(1.0, 0.0)], 3),
        (&mixed, 11),
    ];
    let sizes = LevelSizes::new([0.5, 1.0, 2.0, 4.0]).unwrap();
    let grids = [
        HierarchicalGrid::new(),
        HierarchicalGrid::new().with_level_sizes(sizes.clone()),
        HierarchicalGrid::new()
            .with_level_sizes(sizes)
            .with_direction(SearchDirection::BottomUp),
    ];
    for mut grid in grids {
        grid.for_each_touching(&at(0.0, 1.0), |_| unreachable!());
        grid.for_each_pair(|_, _| unreachable!());
        assert!(grid.report().levels.is_empty());
        for (spheres, count) in sets {
            assert_eq!(pairs(&mut grid, spheres).len(), count, "{spheres:?}");
            broad::each_pair_once(&mut grid, spheres).unwrap();
            broad::each_touching_once(&mut grid, spheres, at(1.5, 0.75)).unwrap();
            assert_eq!(grid.spatial_order().count(), spheres.len());
            let report = grid.report();
            let bodies: usize = report.levels.iter().map(|level| level.bodies).sum();
            assert_eq!(bodies, spheres.len());
        }
    }
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
    let count = |kernel: &mut SphereSphere| {
        let mut count = 0;
        kernel.for_each_contact(&spheres[0], &spheres[1], &mut (), |_| count += 1);
        count
    };
    assert_eq!(count(&mut SphereSphere::new()), 0);
    assert_eq!(
        count(&mut SphereSphere::new().with_margin(MIN_LENGTH).unwrap()),
        0,
        "2^-150 rounds away"
    );
    assert_eq!(
        count(&mut SphereSphere::new().with_margin(1e-9).unwrap()),
        1
    );
}

/// Margins and rotations.
#[test]
fn parameters_out_of_the_domain() {
    for bad in [-1e-9, f64::NAN, f64::INFINITY, MIN_LENGTH / 2.0] {
        let error = bad_length("margin", bad, "0 or within [2^-150, 2^150]");
        refused("spheres", SphereSphere::new().with_margin(bad), &error);
        let walls = DoubleHierarchy::<DVec3>::new().with_margin(bad);
        refused("walls", walls, &error);
    }
    assert!(SphereSphere::new().with_margin(0.0).is_ok());
    for bad in [0.0, 1.0 + 1e-11, f64::NAN, f64::INFINITY] {
        let error = bad_rotation(bad * bad);
        let quaternion = DQuat::from_xyzw(0.0, 0.0, 0.0, bad);
        refused("3D", Pose3::new(quaternion, DVec3::ZERO), &error);
        let complex = DVec2::new(bad, 0.0);
        refused("2D", Pose2::new(complex, DVec2::ZERO), &error);
    }
    assert!(Pose2::from_angle(f64::NAN, DVec2::ZERO).is_err());
}

/// A square, for the tables below.
fn square() -> Vec<DVec3> {
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        .map(|(x, y)| DVec3::new(x, y, 0.0))
        .to_vec()
}

/// The second facet is wrong in each way that a facet can be.
#[test]
fn facets() {
    let good: &[u32] = &[0, 1, 2];
    let check = |bad: &[u32], vertices: Vec<DVec3>, expected: &Refusal| {
        refused("facet", SurfaceMesh::new(vertices, [good, bad]), expected);
    };
    check(
        &[0, 1],
        square(),
        &refusal(
            ErrorKind::Facet,
            Some(1),
            "facet 1: 2 corners are fewer than 3",
        ),
    );
    check(
        &[],
        square(),
        &refusal(
            ErrorKind::Facet,
            Some(1),
            "facet 1: 0 corners are fewer than 3",
        ),
    );
    check(
        &[0, 1, u32::MAX],
        square(),
        &refusal(
            ErrorKind::Index,
            Some(1),
            "facet 1: vertex 4294967295 does not exist, the number of vertices is 4",
        ),
    );
    check(
        &[2, 0, 2],
        square(),
        &refusal(ErrorKind::Index, Some(1), "facet 1: vertex 2 is repeated"),
    );
    check(
        &[0, 2, 1, 3],
        square(),
        &refusal(
            ErrorKind::Facet,
            Some(1),
            "facet 1: not convex and counter-clockwise at vertex 1",
        ),
    );
    let mut bent = square();
    bent[3].z = 0.01;
    check(
        &[0, 1, 2, 3],
        bent,
        &refusal(
            ErrorKind::Facet,
            Some(1),
            "facet 1: vertex 1 is 0.004999875004687304 off its plane",
        ),
    );
    let mut short = square();
    short[3] = DVec3::new(0.0, 1e-50, 0.0);
    check(
        &[0, 1, 3],
        short,
        &refusal(
            ErrorKind::Facet,
            Some(1),
            "facet 1: the edge from vertex 3 has length 1e-50, below 2^-150",
        ),
    );
    // An empty wall and unused vertices are fine.
    assert_eq!(
        SurfaceMesh::new(square(), [[0; 3]; 0])
            .unwrap()
            .facet_count(),
        0
    );
    assert!(
        SurfaceMesh::from_triangles(&[])
            .unwrap()
            .vertices()
            .is_empty()
    );
}

/// A closed mesh has requirements that a wall does not have.
#[test]
fn open_walls_are_fine_and_open_solids_are_not() {
    let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mut corners = square();
    corners[3] = DVec3::Z;
    let wall = SurfaceMesh::new(corners.clone(), &tetrahedron[1..]).unwrap();
    assert_eq!(wall.report().boundary_edges, [[0, 1], [0, 2], [1, 2]]);
    let open = refusal(
        ErrorKind::NotClosed,
        Some(0),
        "facet 0: edge [0, 1] is open",
    );
    refused("solid", SolidMesh::try_from(wall), &open);
    let polyhedron = ConvexPolyhedron::new(corners.clone(), &tetrahedron[1..]);
    refused("polyhedron", polyhedron, &open);
    // A face that goes around twice: two surfaces glued along all edges of one triangle.
    let double = tetrahedron.iter().chain(&tetrahedron).copied();
    let message = "edge [0, 1] is shared by 4 facets";
    let error = refusal(ErrorKind::NonManifold, Some(0), message);
    refused("double", SolidMesh::new(corners.clone(), double), &error);
    assert!(SolidMesh::new(corners, tetrahedron).is_ok());
}

/// Fewer than four points, four in a plane, many on a line: no polyhedron.
#[test]
fn polyhedra_without_volume() {
    let square = square();
    let flat = |count: usize, points: &str| {
        let message = format!(
            "the points have no hull: all {count} lie in the line or plane of points {points}"
        );
        let message = if count == 0 {
            "the point set is empty".into()
        } else {
            message
        };
        refusal(ErrorKind::Degenerate, None, message)
    };
    let spans = [
        "[0, 0, 0]",
        "[0, 0, 0]",
        "[1, 0, 0]",
        "[2, 0, 1]",
        "[2, 0, 3]",
    ];
    for (count, points) in spans.into_iter().enumerate() {
        refused(
            "few",
            ConvexPolyhedron::from_convex_hull(&square[..count]),
            &flat(count, points),
        );
    }
    let line: Vec<DVec3> = (0..9)
        .map(|i| DVec3::new(0.1, 0.7, -0.3) * f64::from(i))
        .collect();
    refused(
        "line",
        ConvexPolyhedron::from_convex_hull(&line),
        &flat(9, "[8, 0, 7]"),
    );
    let message = "facet 0: volume 0.0; its surface is inverted (reverse the corners of all its facets) or flat, or cavities are too large";
    let sheet = ConvexPolyhedron::new(square, [[0, 1, 2, 3], [3, 2, 1, 0]]);
    refused(
        "sheet",
        sheet,
        &refusal(ErrorKind::Orientation, Some(0), message),
    );
}
