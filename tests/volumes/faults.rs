//! Volumes and common planes: faults that were found by reading the code.

use crate::support::convex::cuboid;
use osculate::glam::DVec3;
use osculate::narrow::PressureField;
use osculate::{CommonPlane, NarrowPhase, Placed, Pose3};

/// Blocks built in world coordinates have the same pose, and the same corners around their centers.
#[test]
fn swapped_blocks_in_world_coordinates() {
    for i in 0..27 {
        let axis = |k: i32| f64::from(i / 3_i32.pow(k as u32) % 3 - 1) * 0.75;
        let by = DVec3::new(axis(0), axis(1), axis(2));
        if by == DVec3::ZERO {
            continue;
        }
        let [a, b] =
            [DVec3::ZERO, by].map(|at| Placed::new(cuboid(at - 0.5, at + 0.5), Pose3::IDENTITY));
        let (mut kernel, mut field) = (CommonPlane::new(), PressureField::new().with_points());
        let [ab, ba] = [[&a, &b], [&b, &a]].map(|[a, b]| kernel.contact(a, b).unwrap());
        let [forth, back] = [[&a, &b], [&b, &a]].map(|[a, b]| field.contact(a, b).unwrap());
        assert_eq!(ab.normal, -ba.normal, "{by}");
        assert_eq!((ab.point_a, ab.point_b), (ba.point_b, ba.point_a), "{by}");
        assert_eq!(
            (forth.force, forth.torque),
            (-back.force, -back.torque),
            "{by}"
        );
        assert_eq!((forth.load, forth.point), (back.load, back.point), "{by}");
    }
}
