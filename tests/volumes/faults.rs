//! Volumes and common planes: faults that were found by reading the code.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{IntersectionKind, MeshWall, MeshWallContact, MeshWallState};
use osculate::testing::workload;
use osculate::{
    CommonPlane, ContactVolume, ConvexPolyhedron, ElasticBed, MeshMesh, NarrowPhase, PeriodicBox,
    Placed, Pose3, SurfaceMesh, Wall,
};

fn block(low: DVec3, high: DVec3) -> ConvexPolyhedron {
    let ends = [low, high];
    let corner = |i: usize| DVec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z);
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

/// The unit cube around a point.
fn cube(at: DVec3) -> ConvexPolyhedron {
    block(at - 0.5, at + 0.5)
}

fn corners(ends: [f64; 2], z: f64) -> Vec<DVec3> {
    let [x0, x1] = ends;
    let corners = [(x0, -4.0), (x1, -4.0), (x1, 4.0), (x0, 4.0)];
    corners.map(|(x, y)| DVec3::new(x, y, z)).to_vec()
}

fn table(ends: [f64; 2]) -> Wall {
    Wall::new(SurfaceMesh::new(corners(ends, 0.0), [[0, 1, 2, 3]]).unwrap())
}

fn at(x: f64, z: f64) -> Placed<ConvexPolyhedron> {
    let pose = Pose3::from_translation(DVec3::new(x, 0.0, z)).unwrap();
    Placed::new(cube(DVec3::ZERO), pose)
}

fn contact(body: &Placed<ConvexPolyhedron>, wall: &Wall, state: &mut MeshWallState) -> f64 {
    let found = MeshWall::new().contact_with(body, wall, state);
    found.map_or(0.0, |found| found.area_vector().z)
}

/// A cube falls through a table beside its rim within one step. Its center crosses the table, or passes beside it.
#[test]
fn side_of_a_cube_over_a_rim() {
    for (rim, area) in [(0.25, 0.75), (-0.25, 0.25)] {
        let table = table([-4.0, rim]);
        for sign in [1.0, -1.0] {
            let below = at(0.0, -0.25 * sign);
            let mut state = MeshWallState::default();
            assert_eq!(contact(&at(0.0, 0.75 * sign), &table, &mut state), 0.0);
            assert_eq!(contact(&below, &table, &mut state), -sign * area);
            // Until the contact ends.
            assert_eq!(contact(&below, &table, &mut state), -sign * area);
            state = MeshWallState::from_side(DVec3::Z * (2.0 * sign));
            assert_eq!(contact(&below, &table, &mut state), -sign * area);
            // A new state takes the side of the center.
            state.forget_side();
            assert_eq!(contact(&below, &table, &mut state), sign * area);
            // Far along the table, from above.
            state = MeshWallState::from_side(DVec3::new(-3.5, 0.0, 0.25 * sign));
            assert_eq!(contact(&below, &table, &mut state), -sign * area);
            // The center was far beyond the rim, above the plane of the table, and has passed it there.
            state = MeshWallState::from_side(DVec3::new(5.0, 0.0, 0.25 * sign));
            assert_eq!(contact(&below, &table, &mut state), sign * area);
        }
    }
}

/// A floor rises past the center of a cube within one update of its vertices, or a table whose rim is inside the cube.
#[test]
fn side_follows_a_wall_that_deforms() {
    for (end, area) in [(4.0, 1.0), (0.25, 0.75)] {
        for sign in [1.0, -1.0] {
            let mut floor = table([-4.0, end]);
            floor.set_pose(Pose3::new(DQuat::from_rotation_z(0.5), DVec3::X * 0.5).unwrap());
            let turned = |z: f64| Placed {
                pose: *floor.pose() * at(0.0, z * sign).pose,
                ..at(0.0, 0.0)
            };
            let bodies = [0.75, 0.5, 0.25].map(turned);
            let mut state = MeshWallState::default();
            let near = |found: f64, area: f64| (found + sign * area).abs() < 1e-15;
            assert_eq!(contact(&bodies[0], &floor, &mut state), 0.0);
            floor.set_vertices(&corners([-4.0, end], sign)).unwrap();
            assert!(near(contact(&bodies[0], &floor, &mut state), area));
            // The body moves too, and the floor moves on.
            floor
                .set_vertices(&corners([-4.0, end], 0.75 * sign))
                .unwrap();
            assert!(near(contact(&bodies[1], &floor, &mut state), area));
            // Without contact, and back again.
            floor.set_vertices(&corners([-4.0, end], -sign)).unwrap();
            assert_eq!(contact(&bodies[1], &floor, &mut state), 0.0);
            floor
                .set_vertices(&corners([-4.0, end], 0.5 * sign))
                .unwrap();
            assert!(near(contact(&bodies[2], &floor, &mut state), area));
            // A state that has missed an update starts anew.
            for z in [0.375, 0.5] {
                floor.set_vertices(&corners([-4.0, end], z * sign)).unwrap();
            }
            assert!(near(contact(&bodies[2], &floor, &mut state), -area));
        }
    }
    let mut floor = table([-4.0, 4.0]);
    let mut state = MeshWallState::default();
    assert_eq!(contact(&at(0.0, 0.75), &floor, &mut state), 0.0);
    floor.set_vertices(&corners([-4.0, 4.0], 1.0)).unwrap();
    let found = MeshWall::new().contact_with(&at(0.0, 0.75), &floor, &mut state);
    let parted = found.and_then(MeshWallContact::parted).unwrap();
    assert_eq!((parted.volume, parted.area_vector), (0.75, -DVec3::Z));
}

/// Only a facet far from the cube moves, by less or more than the distance of the cube from the wall.
#[test]
fn side_stays_where_the_wall_rests() {
    let two = |z: f64| [corners([-4.0, 4.0], 0.0), corners([6.0, 9.0], z)].concat();
    let ids = [[0, 1, 2, 3], [4, 5, 6, 7]];
    for z in [0.125, 3.0] {
        let mut wall = Wall::new(SurfaceMesh::new(two(0.0), ids).unwrap());
        let mut state = MeshWallState::default();
        assert_eq!(contact(&at(0.0, 0.75), &wall, &mut state), 0.0);
        wall.set_vertices(&two(z)).unwrap();
        assert_eq!(contact(&at(0.0, -0.25), &wall, &mut state), -1.0);
    }
}

/// Unit studs that stand on a slab: each touches it in a region of its own, without volume.
#[test]
fn many_regions_without_volume() {
    let count = 24;
    let studs: Vec<_> = (0..count * count)
        .map(|i| [2 * (i % count), 2 * (i / count), 1])
        .collect();
    let studs = workload::cubes(&studs, 1.0).unwrap();
    let studs = Placed::new(&studs, Pose3::IDENTITY);
    // The body with the lower translation is perturbed: here the slab, into the studs.
    let size = 2.0 * count as f64;
    let slab = block(DVec3::Y * -1.0, DVec3::new(size + 1.0, size, 1.0));
    let slab = Placed::new(&slab, Pose3::from_translation(-DVec3::X).unwrap());
    let mut kernel = MeshMesh::new().with_separate_regions(true);
    let mut regions = 0;
    kernel.for_each_contact(&studs, &slab, &mut (), |contact: ContactVolume<DVec3>| {
        assert_eq!(contact.kind, IntersectionKind::Touching);
        regions += 1;
    });
    assert_eq!(regions, count * count);
}

/// Blocks built in world coordinates have the same pose, and the same corners around their centers.
#[test]
fn swapped_blocks_in_world_coordinates() {
    for i in 0..27 {
        let axis = |k: i32| f64::from(i / 3_i32.pow(k as u32) % 3 - 1) * 0.75;
        let by = DVec3::new(axis(0), axis(1), axis(2));
        if by == DVec3::ZERO {
            continue;
        }
        let [a, b] = [DVec3::ZERO, by].map(|at| Placed::new(cube(at), Pose3::IDENTITY));
        let (mut kernel, mut bed) = (CommonPlane::new(), ElasticBed::new());
        let [ab, ba] = [[&a, &b], [&b, &a]].map(|[a, b]| kernel.contact(a, b).unwrap());
        let beds = [[&a, &b], [&b, &a]].map(|[a, b]| bed.contact(a, b).unwrap());
        assert_eq!(ab.normal, -ba.normal, "{by}");
        assert_eq!((ab.point_a, ab.point_b), (ba.point_b, ba.point_a), "{by}");
        assert_eq!(beds[0].normal, -beds[1].normal, "{by}");
        assert_eq!(beds[0].volume, beds[1].volume, "{by}");
        let points = beds.each_ref().map(|bed| bed.points());
        assert_eq!(points[0].len(), points[1].len(), "{by}");
        for (p, q) in points[0].iter().zip(points[1]) {
            assert_eq!(
                (p.point, p.overlap, p.volume),
                (q.point, q.overlap, q.volume),
                "{by}"
            );
        }
    }
}

/// `MeshWall` takes the mesh alone: the period of the wall moves no side to an image.
#[test]
fn sides_do_not_depend_on_the_period() {
    let mut wall = table([-4.0, 4.0]);
    let body = Placed::new(cube(DVec3::Z * -0.25), Pose3::IDENTITY);
    let mut sides = Vec::new();
    for height in [0.0, 2.0] {
        let mut state = MeshWallState::from_side(DVec3::Z * (height + 2.0));
        let mut periodic = state.clone();
        let period = PeriodicBox::orthogonal(DVec3::splat(-4.0), DVec3::splat(3.0), [true; 3]);
        wall.set_vertices(&corners([-4.0, 4.0], height)).unwrap();
        wall.set_period(None);
        sides.push(MeshWall::new().contact_with(&body, &wall, &mut state));
        wall.set_period(Some(period.unwrap()));
        let found = MeshWall::new().contact_with(&body, &wall, &mut periodic);
        assert_eq!(sides.last().unwrap(), &found);
    }
    assert!(sides[0].unwrap().area_vector().z < 0.0);
}
