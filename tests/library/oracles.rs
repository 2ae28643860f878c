//! Cases in which an oracle was wrong.

use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle;
use osculate::{ConvexPolyhedron, ElasticBed, Placed, Pose3};

fn hull(points: &[[f64; 3]]) -> ConvexPolyhedron {
    let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

/// The projections of two bodies overlap in a sliver.
#[test]
fn beds_of_slivers() {
    let a = hull(&[
        [1., 1., 1.],
        [99., 99., -1.],
        [91., 7., -1.],
        [-1., -1., -65.],
    ]);
    let b = hull(&[
        [-1., -1., -1.],
        [-105., -1., -1.],
        [-2., 5., -2.],
        [0., 0., 0.],
    ]);
    let at = DVec3::splat(-1.0);
    let turn = DQuat::from_xyzw(0.5, -0.5, -0.5, -0.5);
    let a = Placed::new(&a, Pose3::new(turn, at).unwrap());
    let turn = DQuat::from_scaled_axis(DVec3::new(0.0123, 0.0456, 0.0789));
    let b = Placed::new(&b, Pose3::new_normalize(turn, at).unwrap());
    let normal = -DVec3::ONE.normalize();
    let (volume, _) = oracle::elastic_bed(&a, &b, normal).unwrap();
    let found = ElasticBed::new()
        .manifold(&a, &b, normal, &mut Default::default())
        .unwrap();
    assert!(
        (found.volume - volume).abs() < 1e-8 * found.area,
        "{volume} {}",
        found.volume
    );
}

/// Bodies with a common vertex have vertices on one line along every normal.
#[test]
fn beds_of_bodies_with_a_common_vertex() {
    let a = hull(&[[0., 0., 0.], [1., 0., 0.], [0., -1., 0.], [0., 0., 1.]]);
    let b = hull(&[[0., 0., 0.], [1., -1., 0.], [0., 1., 1.], [-1., 0., 1.]]);
    let [a, b] = [&a, &b].map(|shape| Placed::new(shape, Pose3::IDENTITY));
    let normal = DVec3::new(1.0, 2.0, 2.0) / 3.0;
    let (volume, _) = oracle::elastic_bed(&a, &b, normal).unwrap();
    // By rational arithmetic.
    assert!((volume - 13.0 / 120.0).abs() < 1e-15, "{volume}");
}
