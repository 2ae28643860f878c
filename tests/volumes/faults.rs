//! Volumes and common planes: faults that were found by reading the code.

use crate::support::solids::cuboid;
use osculate::glam::DVec3;
use osculate::narrow::PressureField;
use osculate::testing::workload;
use osculate::{CommonPlane, MeshMesh, NarrowPhase, Placed, Pose3};

/// Unit studs that stand on a slab: each touches it in a region of its own, without volume. These are no contacts.
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
    let slab = cuboid(DVec3::Y * -1.0, DVec3::new(size + 1.0, size, 1.0));
    let slab = Placed::new(&slab, Pose3::from_translation(-DVec3::X).unwrap());
    let mut kernel = MeshMesh::new().with_separate_regions(true);
    let mut segments = 0;
    kernel.for_each_contact_and_segment(
        &studs,
        &slab,
        |contact| panic!("{contact:?}"),
        |segment| {
            assert_eq!(segment.contact, None);
            segments += 1;
        },
    );
    assert!(segments >= 4 * count * count);
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
