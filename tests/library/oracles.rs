//! Oracles by hand. The others are compared with kernels where these are tested.

use crate::support::oracle::shared_convex::{NOTHING, intersection_by_dual, intersection_by_rays};
use crate::support::solids::triangles;
use osculate::glam::DVec3;
use osculate::testing::oracle::{distance_to_triangle, distance_to_triangles, intersection_volume};
use osculate::{ConvexPolyhedron, Placed, Pose3};

/// The upper half of a tetrahedron, from a point off its axis.
#[test]
fn corner_of_a_tetrahedron() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
    let solid = shape.to_solid();
    let pose = |shift: DVec3| Pose3::from_translation(shift).unwrap();
    let at = |shift: DVec3| Placed::new(&shape, pose(shift));
    let shift = DVec3::new(0.01, 0.02, 0.5);
    let [a, b] = [shift, DVec3::ZERO].map(|shift| triangles(&Placed::new(&solid, pose(shift))));
    // Three faces of one body are inside the other, those at the corner at the origin.
    let size: f64 = 1.0 - 0.01 - 0.02 - 0.5;
    for (volume, area, moment) in [
        intersection_by_rays(&at(shift), &at(DVec3::ZERO)),
        intersection_by_dual(&at(shift), &at(DVec3::ZERO)),
        intersection_volume(&a, &b),
    ] {
        assert!((volume - size.powi(3) / 6.0).abs() < 1e-14, "{volume}");
        let third = DVec3::splat(-size * size / 2.0);
        assert!(area.distance(third) < 1e-14, "{area}");
        // All three triangles are at the corner; the moments are those of their centroids.
        let middle = shift + DVec3::splat(size / 3.0);
        let own = |axis: DVec3| (middle - axis * (size / 3.0)).cross(axis * third.x);
        let expected: DVec3 = DVec3::AXES.map(own).iter().sum();
        assert!(moment.distance(expected) < 1e-14, "{moment}");
    }
    for shared in [intersection_by_rays, intersection_by_dual] {
        assert_eq!(shared(&at(DVec3::X * 2.0), &at(DVec3::ZERO)), NOTHING);
    }
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
