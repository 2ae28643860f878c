//! Intersection volumes of solids of several shells that cross another body, and the points of contacts.

use crate::support::solids::{BoxShell, assert_near, assert_near_vector, box_shells, volume_of};
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::PolygonPolygon;
use osculate::shape::Polygon;
use osculate::testing::workload::SplitMix64;
use osculate::{MeshMesh, NarrowPhase, Placed, Pose2, Pose3, SolidMesh};

/// A solid of boxes that do not overlap, and of hollows inside them.
pub(super) fn hollow_boxes(shells: &[BoxShell]) -> SolidMesh {
    let (vertices, facets) = box_shells(shells);
    SolidMesh::new(vertices, facets).unwrap()
}

fn common_volume([a, b]: [&[DVec3; 2]; 2]) -> f64 {
    let size = a[1].min(b[1]) - a[0].max(b[0]);
    size.max(DVec3::ZERO).element_product()
}

/// Boxes and hollows in a row, of which a long box crosses any number.
#[test]
fn boxes_across_a_row_of_boxes() {
    let mut random = SplitMix64::new(71);
    let mut crossed = [0; 5];
    for _ in 0..200 {
        let mut shells: Vec<BoxShell> = Vec::new();
        for i in 0..2 + random.below(3) {
            let low = DVec3::new(3.0 * i as f64, 0.0, 0.0);
            let high = low + DVec3::splat(2.0);
            shells.push(([low, high], false));
            if random.below(2) == 0 {
                let margin = DVec3::splat(random.range(0.2, 0.8));
                shells.push(([low + margin, high - margin], true));
            }
        }
        // Any order of the shells.
        random.shuffle(&mut shells);
        let mut corner = |x: f64| {
            let x = x + random.range(-3.0, 9.0);
            DVec3::new(x, random.range(-1.0, 3.0), random.range(-1.0, 3.0))
        };
        let [p, q] = [corner(0.0), corner(4.0)];
        let bar = [p.min(q), p.max(q)];
        let (mut expected, mut count) = (0.0, 0);
        for (shell, is_hollow) in &shells {
            let volume = common_volume([shell, &bar]);
            expected += if *is_hollow { -volume } else { volume };
            count += usize::from(volume > 0.0);
        }
        crossed[count.min(4)] += 1;
        let row = hollow_boxes(&shells);
        let bar = hollow_boxes(&[(bar, false)]);
        let turn = random.rotation();
        let pose = Pose3::new(turn, random.in_ball() * 4.0).unwrap();
        let [a, b] = [&row, &bar].map(|shape| Placed::new(shape, pose));
        for (a, b) in [(&a, &b), (&b, &a)] {
            for is_separate in [false, true] {
                let kernel = &mut MeshMesh::new().with_separate_regions(is_separate);
                assert_near(volume_of(kernel, a, b), expected, 1e-11);
            }
        }
    }
    assert!(crossed[1..].iter().all(|&count| count > 10), "{crossed:?}");
}

/// A wedge through a bar: four crossings, whose mean is on the line of the force.
#[test]
fn point_of_a_wedge_through_a_bar() {
    let polygon =
        |corners: &[(f64, f64)]| Polygon::new(corners.iter().map(|&x| x.into()).collect()).unwrap();
    let bar = polygon(&[(-5.0, 0.0), (5.0, 0.0), (5.0, 1.0), (-5.0, 1.0)]);
    let wedge = polygon(&[(0.0, -1.0), (1.0, 3.0), (-1.0, 3.0)]);
    let mut random = SplitMix64::new(72);
    for _ in 0..20 {
        let shift = DVec2::new(random.range(-9.0, 9.0), random.range(-9.0, 9.0));
        let pose = Pose2::from_angle(random.range(-3.0, 3.0), shift).unwrap();
        let [a, b] = [&bar, &wedge].map(|shape| Placed::new(shape, pose));
        let contact = PolygonPolygon::new().contact(&a, &b).unwrap();
        let expected = pose.transform_point(DVec2::new(0.0, 0.5));
        assert_near_vector(contact.point.extend(0.0), expected.extend(0.0), 1e-13);
    }
}
