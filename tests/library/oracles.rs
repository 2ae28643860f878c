//! The oracles of `testing` and `support`: known results, and cases in which one was wrong.

use crate::support::convex::{corner, cube_times};
use crate::support::oracle::shared_convex::{NOTHING, intersection_by_dual, intersection_by_rays};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::oracle::{
    distance_to_triangle, distance_to_triangles, gap_of_polygons, gap_of_polyhedra,
    intersection_of_cubes, intersection_volume, local_minima, touching_pairs,
};
use osculate::{ConvexPolygon, ConvexPolyhedron, Feature, Placed, Pose2, Pose3};

/// The upper half of a tetrahedron, from a point off its axis.
#[test]
fn corner_of_a_tetrahedron() {
    let solid =
        ConvexPolyhedron::from_convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    let at = |shift: DVec3| Placed {
        shape: &solid,
        pose: Pose3::from_translation(shift).unwrap(),
    };
    let shift = DVec3::new(0.01, 0.02, 0.5);
    // Three faces of one body are inside the other, those at the corner at the origin.
    let size: f64 = 1.0 - 0.01 - 0.02 - 0.5;
    for shared in [intersection_by_rays, intersection_by_dual] {
        let (volume, area, moment) = shared(&at(shift), &at(DVec3::ZERO));
        assert!((volume - size.powi(3) / 6.0).abs() < 1e-14, "{volume}");
        let third = DVec3::splat(-size * size / 2.0);
        assert!(area.distance(third) < 1e-14, "{area}");
        // All three triangles are at the corner; the moments are those of their centroids.
        let middle = shift + DVec3::splat(size / 3.0);
        let own = |axis: DVec3| (middle - axis * (size / 3.0)).cross(axis * third.x);
        let expected: DVec3 = DVec3::AXES.map(own).iter().sum();
        assert!(moment.distance(expected) < 1e-14, "{moment}");
        assert_eq!(shared(&at(DVec3::X * 2.0), &at(DVec3::ZERO)), NOTHING);
    }
}

#[test]
fn pairs_are_inclusive() {
    let spheres = [
        ([0, 0, 0], 2),
        ([3, 4, 0], 3),
        ([-3, -4, 1], 3),
        ([0, 0, 0], 0),
    ];
    assert_eq!(touching_pairs(&spheres), [[0, 1], [0, 3]]);
}

/// A roof: its ridge is along y, its eaves are at z = 0.
#[test]
fn minima_over_and_under_a_roof() {
    let vertices = [
        [-4, -8, 0],
        [4, -8, 0],
        [0, -8, 4],
        [-4, 8, 0],
        [4, 8, 0],
        [0, 8, 4],
    ];
    let triangles = [[0, 2, 3], [2, 5, 3], [1, 4, 2], [2, 4, 5]];
    let minima = |point| local_minima(point, &vertices, &triangles);
    let ridge = (Feature::Edge(2, 5), 1.0);
    assert_eq!(minima([0, 1, 5]), [ridge]);
    let faces: Vec<_> = minima([0, 1, 1]).iter().map(|m| m.0).collect();
    assert_eq!(faces, [Feature::Facet(1), Feature::Facet(3)]);
    assert_eq!(minima([0, 9, 4]), [(Feature::Vertex(5), 1.0)]);
}

#[test]
fn distances_to_triangles() {
    let triangle = [[0, 0, 0], [10, 0, 0], [0, 10, 0]];
    for (point, distance) in [
        ([2, 2, 7], 7.0),
        ([5, -3, 4], 5.0),
        ([-3, -4, 0], 5.0),
        ([10, 10, 0], 50.0_f64.sqrt()),
        ([12, 0, 0], 2.0),
    ] {
        assert_eq!(distance_to_triangle(point, triangle), distance);
    }
    let far = [triangle, [[9, 9, 9], [9, 9, 8], [9, 8, 8]]];
    assert_eq!(distance_to_triangles([9, 9, 10], &far), 1.0);
    let segment = [[0, 0, 0], [10, 0, 0], [5, 0, 0]];
    assert_eq!(distance_to_triangle([3, 4, 3], segment), 5.0);
}

#[test]
fn gaps_of_cubes_and_squares() {
    let cube = cube_times(DVec3::ONE);
    let square: Vec<_> = (0..4).map(|i| corner(i).truncate()).collect();
    let square = ConvexPolygon::from_convex_hull(&square).unwrap();
    let cases = [
        ((3.0, 0.0, 0.0), 2.0),
        ((4.0, 5.0, 0.0), 5.0),
        ((2.0, 3.0, 3.0), 3.0),
        ((1.0, 0.5, 0.25), 0.0),
        ((0.75, 0.5, 0.25), -0.25),
        ((0.0, 0.0, 0.0), -1.0),
    ];
    for ((x, y, z), gap) in cases {
        let pose = Pose3::from_translation(DVec3::new(x, y, z)).unwrap();
        let cubes = [Pose3::IDENTITY, pose].map(|pose| Placed { shape: &cube, pose });
        assert_eq!(gap_of_polyhedra(&cubes[0], &cubes[1]), gap);
        assert_eq!(gap_of_polyhedra(&cubes[1], &cubes[0]), gap);
        if z == 0.0 || gap <= 0.0 {
            let pose = Pose2::from_translation(DVec2::new(x, y)).unwrap();
            let squares = [Pose2::IDENTITY, pose].map(|pose| Placed {
                shape: &square,
                pose,
            });
            assert_eq!(gap_of_polygons(&squares[0], &squares[1]), gap);
        }
    }
}

#[test]
fn cubes_that_share_some() {
    let row = [[0, 0, 0], [1, 0, 0], [2, 0, 0]];
    // The end of the row is inside, and after the perturbation along x so is the face at x = 3.
    let (volume, area, moment) = intersection_of_cubes(&row, &[[2, 0, 0], [3, 0, 0]]);
    // So are the lower faces along y and z; the upper ones are outside.
    assert_eq!((volume, area), (1, [1, -1, -1]));
    // (3, .5, .5) x (1, 0, 0), (2.5, 0, .5) x (0, -1, 0), (2.5, .5, 0) x (0, 0, -1), doubled.
    assert_eq!(moment, [0, 6, -6]);
    assert_eq!(
        intersection_of_cubes(&row, &[[0, 1, 0]]),
        (0, [0, 1, 0], [-1, 0, 1])
    );
}

#[test]
fn half_of_a_tetrahedron() {
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let solid = [[o, y, x], [o, x, z], [x, y, z], [y, o, z]];
    let half = |t: [DVec3; 3]| t.map(|p| p + z * 0.5);
    let (volume, area, moment) = intersection_volume(&solid, &solid.map(half));
    assert!((volume - 1.0 / 48.0).abs() < 1e-15);
    assert!((area.z - 0.125).abs() < 1e-15);
    let middle = moment.y / -area.z;
    assert!((middle - 1.0 / 6.0).abs() < 1e-15, "{moment}");
}
