//! The point of two faces that lie on each other: the centroid of the area that they have in common.

use std::f64::consts::TAU;

use crate::support::convex::below;
use osculate::glam::{DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{CommonPlane, ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose3};

fn prism(base: &[DVec2], heights: [f64; 2]) -> ConvexPolyhedron {
    let corners: Vec<_> = heights
        .iter()
        .flat_map(|&z| base.iter().map(move |x| x.extend(z)))
        .collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

/// A prism of any base on a box, which it may overhang, apart from it or inside it by a little.
#[test]
fn centroid_of_the_common_area() {
    let mut random = SplitMix64::new(81);
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from);
    let lower = prism(&square, [-2.0, 0.0]);
    let mut compared = 0;
    for case in 0..200 {
        let shift = DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        let mut angles: Vec<f64> = (0..3 + random.below(4))
            .map(|_| random.range(0.0, TAU))
            .collect();
        angles.sort_unstable_by(f64::total_cmp);
        let base: Vec<_> = angles
            .iter()
            .map(|&a| shift + DVec2::from_angle(a) * 0.8)
            .collect();
        let mut common: Vec<_> = base.iter().map(|x| x.extend(0.0)).collect();
        for side in [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y] {
            common = below(&common, side, side);
        }
        let common = common.iter().map(|x| x.truncate()).collect();
        let (Ok(_), Ok(common)) = (ConvexPolygon::new(base.clone()), ConvexPolygon::new(common))
        else {
            continue;
        };
        // Large and wide enough for one center.
        if common.area() < 0.1 || base.len() < 3 {
            continue;
        }
        let upper = prism(&base, [0.0, 3.0]);
        let overlap = [-0.01, 0.01][case % 2];
        let turn = random.rotation();
        let pose = Pose3::new(turn, random.in_ball() * 3.0).unwrap();
        let a = Placed::new(&lower, pose);
        let down = Pose3::from_translation(DVec3::Z * -overlap).unwrap();
        let b = Placed::new(&upper, pose * down);
        let mut kernel = CommonPlane::new().with_margin(0.1).unwrap();
        let contact = kernel.contact(&a, &b).unwrap();
        let expected = pose.transform_point(common.centroid().extend(-0.5 * overlap));
        assert!((contact.overlap - overlap).abs() < 1e-12, "{contact:?}");
        let off = contact.point.distance(expected);
        assert!(off < 1e-9, "{case}: {contact:?} {expected}");
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}
