//! The common plane at its limits: edges along faces, shallow overlaps, needles tip to tip.

use crate::support::convex::{Body, cube_times};
use osculate::glam::DVec3;
use osculate::{CommonPlane, ConvexPolyhedron, NarrowPhase, Placed, Pose3};

fn hull(corners: impl IntoIterator<Item = (f64, f64, f64)>) -> ConvexPolyhedron {
    let corners: Vec<_> = corners.into_iter().map(DVec3::from).collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

/// A point below a square.
fn tip(half: f64, height: f64) -> ConvexPolyhedron {
    let base = [(-half, -half), (half, -half), (half, half), (-half, half)];
    let base = base.map(|(x, y)| (x, y, height));
    hull(base.into_iter().chain([(0.0, 0.0, 0.0)]))
}

fn at(shape: &ConvexPolyhedron, x: f64, y: f64, z: f64) -> Body<'_> {
    let pose = Pose3::from_translation(DVec3::new(x, y, z)).unwrap();
    Placed::new(shape, pose)
}

/// No pair of features alone carries the plane of an edge along a face, but the closest points do, or the nearest facet
/// of the Minkowski difference.
#[test]
fn edge_along_a_face() {
    let (block, mut kernel) = (
        cube_times(DVec3::splat(2.0)),
        CommonPlane::new().with_margin(4.0).unwrap(),
    );
    for size in [0.5, 1.0, 1.5] {
        for up in [1.0, -1.0] {
            let ridge = [-0.25, 0.25].map(|y| (0.0, y, 0.0));
            let roof = [(-1.0, -0.25), (-1.0, 0.25), (1.0, -0.25), (1.0, 0.25)];
            let roof = roof.map(|(x, y)| (x, y, up)).into_iter().chain(ridge);
            let roof = hull(roof.map(|(x, y, z)| (x * size, y * size, z * size)));
            for (x, y) in [(0.0, 0.0), (0.5, -0.25), (-0.5, 0.5)] {
                for gap in [1.0, 0.25, -0.125, -0.25] {
                    let other = at(&roof, x, y, up * (1.0 + gap));
                    let found = kernel.contact(&at(&block, 0.0, 0.0, 0.0), &other).unwrap();
                    assert!((found.overlap + gap).abs() < 1e-14, "{found:?}");
                    assert!(found.normal.distance(DVec3::Z * up) < 1e-14);
                    let middle = DVec3::new(x, y, up * (1.0 + 0.5 * gap));
                    assert!(found.point.distance(middle) < 1e-14, "{found:?}");
                }
            }
        }
    }
}

/// A tip at a face, down to depths of a few roundings.
#[test]
fn shallow_overlaps() {
    let (below, above) = (cube_times(DVec3::splat(2.0)), tip(1.0, 1.0));
    let mut kernel = CommonPlane::new();
    for exponent in 40..=46 {
        let depth = 2.0_f64.powi(-exponent);
        let found = kernel.contact(
            &at(&below, 0.0, 0.0, 0.0),
            &at(&above, 0.25, 0.5, 1.0 - depth),
        );
        let found = found.unwrap();
        assert!((found.overlap - depth).abs() <= found.error_bound);
        assert!(found.error_bound < 1e-13 && found.normal.distance(DVec3::Z) < 1e-14);
    }
}

/// The gap along any axis of faces or edges is far less than the distance of the tips.
#[test]
fn needles_tip_to_tip() {
    for exponent in [26, 30, 34, 36, 38] {
        let gap = 2.0_f64.powi(-exponent);
        for half in [2.0_f64.powi(-6), 2.0_f64.powi(-10)] {
            let needle = tip(half, 1.0);
            let other = {
                let half = half * 1.25;
                let base = [(half, 0.0), (0.0, half), (-half, 0.0), (0.0, -half)];
                let base = base.map(|(x, y)| (x, y, -1.0));
                hull(base.into_iter().chain([(0.0, 0.0, 0.0)]))
            };
            let mut kernel = CommonPlane::new().with_margin(1.0).unwrap();
            let found = kernel.contact(&at(&other, 0.0, 0.0, 0.0), &at(&needle, 0.0, 0.0, gap));
            let found = found.unwrap();
            let error = (found.overlap + gap).abs();
            assert!(error <= found.error_bound, "{exponent} {half} {found:?}");
        }
    }
}
