//! Walls in periodic boxes: a wall and its images are one surface, and histories carry over across the
//! faces.

use crate::support::wall::{contacts, grid};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, NarrowPhase, PeriodicBox, Pose3, Sphere, SurfaceMesh, Wall,
    narrow::WallHistory, shape::SegmentMesh,
};

fn cases() -> usize {
    crate::support::cases(300)
}

/// A rough floor of `side` x `side` cells, or of several periods of it.
fn floor(heights: &[f64], side: usize, periods: std::ops::Range<i32>) -> SurfaceMesh {
    let count = (side * periods.len()) as u32;
    let first = f64::from(periods.start) * side as f64;
    grid([count; 2], |x, y| {
        let [i, j] = [x, y].map(|x| x as usize % side);
        DVec3::new(
            first + f64::from(x),
            first + f64::from(y),
            heights[i + side * j],
        )
    })
}

/// The same contacts as with the floor laid out over as many periods as the sphere can reach, from
/// anywhere; of cells all over the period, of flat floors and of one that is a single facet across.
#[test]
fn images_are_one_surface() {
    let mut random = SplitMix64::new(41);
    let mut touching = 0;
    for case in 0..cases() {
        let side = 1 + random.below(5);
        let rough = if case % 3 == 0 { 0.0 } else { 1.0 };
        let heights: Vec<f64> = (0..side * side)
            .map(|_| random.below(8) as f64 * 0.125 * rough)
            .collect();
        let sides = DVec3::new(side as f64, side as f64, 0.0);
        let corner = DVec3::new(random.below(3) as f64 - 1.0, random.range(-3.0, 3.0), 0.0);
        let period = PeriodicBox::orthogonal(corner, sides, [true, true, false]).unwrap();
        let mut wall = Wall::periodic(floor(&heights, side, 0..1), period, 2.0).unwrap();
        let reach = 3 / side as i32 + 1;
        let laid = Wall::new(floor(&heights, side, -reach..reach + 1));
        if case % 2 == 1 {
            // The floor may have turned and moved on by any distance.
            let turn = [DQuat::IDENTITY, random.rotation()][random.below(2)];
            let at = DVec3::from_array([0; 3].map(|_| random.range(-20.0, 20.0)));
            wall.set_pose(Pose3::new_normalize(turn, at).unwrap());
        }
        for _ in 0..6 {
            let mut local = DVec3::from_array([0.0, 0.0, random.range(-0.5, 2.0)]);
            for axis in 0..2 {
                let part = [0.0, 1e-9, 0.5, random.unit()][random.below(4)];
                local[axis] = part * side as f64;
            }
            let radius = random.range(0.2, 2.0);
            let expected = contacts(&laid, local, radius);
            let periods = DVec3::new(
                random.below(9) as f64 - 4.0,
                random.below(9) as f64 - 4.0,
                0.0,
            );
            let turned = wall.pose().transform_vector(periods * sides);
            let center = wall.pose().transform_point(local) + turned;
            let found = contacts(&wall, center, radius);
            let local_offsets: Vec<_> = found
                .iter()
                .map(|c| wall.pose().inverse_transform_vector(c.offset))
                .collect();
            // In any order if distances are the same to rounding.
            let is_same = |a: &[DVec3], b: &[DVec3]| {
                a.len() == b.len() && a.iter().all(|p| b.iter().any(|q| p.distance(*q) < 1e-6))
            };
            let expected_offsets: Vec<_> = expected.iter().map(|c| c.offset).collect();
            let by_rounding = expected.iter().chain(&found).any(|c| c.overlap < 1e-9);
            assert!(
                by_rounding
                    || is_same(&local_offsets, &expected_offsets)
                        && is_same(&expected_offsets, &local_offsets),
                "{case} {local} {radius} {local_offsets:?} {expected_offsets:?}"
            );
            touching += found.len();
            for contact in &found {
                // Weights are those of the point on the facet, for any image.
                let (mut sum, mut mean) = (0.0, DVec3::ZERO);
                wall.for_each_nodal_weight(contact, |vertex, weight| {
                    sum += weight;
                    mean += wall.mesh().vertices()[vertex as usize] * weight;
                });
                let point = wall.pose().inverse_transform_point(contact.point);
                assert!((sum - 1.0).abs() < 1e-12);
                assert!(period.minimum_image(mean - point).length() < 1e-9);
            }
        }
        assert!(laid.period().is_none() && wall.period() == Some(&period));
    }
    assert!(touching > cases());
}

/// Across the faces of the box, wrapped or not, the history of a contact lasts.
#[test]
fn histories_go_over_faces() {
    let mut random = SplitMix64::new(42);
    let period =
        PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(5.0), [true, true, false]).unwrap();
    for case in 0..cases() / 5 {
        let is_flat = case % 8 < 4;
        let rough = if is_flat { 0.0 } else { 0.05 };
        let heights: Vec<f64> = (0..25).map(|_| random.range(0.0, 1.0) * rough).collect();
        let wall = Wall::periodic(floor(&heights, 5, 0..1), period, 0.5).unwrap();
        let mut history = WallHistory::<u32>::default();
        let mut center = DVec3::new(random.range(0.0, 5.0), random.range(0.0, 5.0), 0.3);
        let along = DVec3::new(random.range(0.02, 0.1), random.range(-0.1, 0.1), 0.0);
        for step in 0..300 {
            center += along;
            let place = if case % 4 < 2 {
                period.wrap(center)
            } else {
                center
            };
            let mut ages = Vec::new();
            let sphere = Sphere::new(place, 0.5);
            history.for_each_contact(
                &mut DoubleHierarchy::new(),
                &sphere,
                &wall,
                |contact, age| {
                    assert!(contact.normal.z < 0.0, "{case} {step} {contact:?}");
                    *age += 1;
                    ages.push(*age);
                },
            );
            // In a valley a second contact takes over from the first.
            assert!(!is_flat || ages == [step + 1], "{case} {step} {ages:?}");
        }
    }
}

/// A plate that only the image of a body reaches, almost as far away as the wall allows.
#[test]
fn images_at_the_reach() {
    let plate = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
    let plate = plate.map(|(y, z)| DVec3::new(0.75, y, z)).to_vec();
    let plate = SurfaceMesh::new(plate, [[0, 1, 2, 3]]).unwrap();
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(4.0), [true, false, false]);
    let wall = Wall::periodic(plate, period.unwrap(), 1.0).unwrap();
    for x in [3.875, -0.125, 1.625, 1.5, 4.0 * 7.0 - 0.125] {
        let found = contacts(&wall, DVec3::new(x, 2.0, 2.0), 1.0);
        let overlap = if x == 1.5 { 0.25 } else { 0.125 };
        assert_eq!(found.len(), 1, "{x}");
        assert_eq!(found[0].overlap, overlap, "{x}");
    }
    let larger = Sphere::new(DVec3::splat(2.0), 1.0 + f64::EPSILON);
    assert!(DoubleHierarchy::new().contact(&larger, &wall).is_none());
}

/// More periods away than fit in an `i32`.
#[test]
fn discs_far_out() {
    let ends = [DVec2::ZERO, DVec2::new(10.0, 0.0)];
    let floor = SegmentMesh::new(ends.to_vec(), vec![[0, 1]]).unwrap();
    let period = PeriodicBox::orthogonal(DVec2::ZERO, ends[1], [true, false, false]);
    let floor = Wall::periodic(floor, period.unwrap(), 0.5).unwrap();
    for periods in [30, 32, 33].map(|k| 2.0_f64.powi(k)) {
        for periods in [periods, -periods] {
            let disc = Sphere::new(DVec2::new(10.0 * periods + 2.5, 0.25), 0.5);
            let contact = DoubleHierarchy::new().contact(&disc, &floor).unwrap();
            assert_eq!(contact.overlap, 0.25);
            let mut weights = Vec::new();
            floor.for_each_nodal_weight(&contact, |_, weight| weights.push(weight));
            assert!((weights[0] - 0.75).abs() < 1e-3, "{weights:?}");
        }
    }
}
