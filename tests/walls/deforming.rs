//! Deforming walls: they equal new ones after each update, and keep spheres on the right side.

use std::collections::HashSet;

use crate::support::cases;
use crate::support::families::{Family, SCALE, families, mesh, place};
use crate::support::wall::contacts;
use osculate::glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use osculate::testing::oracle;
use osculate::testing::properties::{MapContact, wall::side_changes_at_a_facet};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, Pose2, Pose3, Sphere, SurfaceMesh, Vector, Wall, WallContact, WallState,
    shape::SegmentMesh,
};

/// Positions of a coarse lattice, zeros of either sign among them, so that many are the same.
fn positions<V: Vector>(random: &mut SplitMix64, count: usize) -> Vec<V> {
    let mut coordinate = |_| [-1.0, -0.0, 0.0, 0.5, 1.0, 2.0][random.below(6)];
    (0..count).map(|_| V::from_fn(&mut coordinate)).collect()
}

/// Vertices part and come together from update to update: mesh, features and contacts are those of
/// a new wall.
#[test]
fn any_update_equals_a_new_wall() {
    let mut random = SplitMix64::new(31);
    let (mut joined, mut touching) = (HashSet::new(), 0);
    for _ in 0..cases(300) / 10 {
        let facets: Vec<[u32; 3]> = (0..24).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let segments: Vec<[u32; 2]> = (0..24).map(|f| [2 * f, 2 * f + 1]).collect();
        let start = positions::<DVec3>(&mut random, 72);
        let mut wall = Wall::new(SurfaceMesh::new(start, &facets).unwrap());
        let start = positions::<DVec2>(&mut random, 48);
        let mut line = Wall::new(SegmentMesh::new(start, segments.clone()).unwrap());
        for _ in 0..10 {
            let mut vertices = wall.mesh().vertices().to_vec();
            let mut flat = line.mesh().vertices().to_vec();
            let changed = random.below(20);
            for new in positions(&mut random, changed) {
                vertices[random.below(72)] = new;
            }
            for new in positions(&mut random, changed) {
                flat[random.below(48)] = new;
            }
            wall.set_vertices(&vertices).unwrap();
            line.set_vertices(&flat).unwrap();
            let new = Wall::new(SurfaceMesh::new(vertices, &facets).unwrap());
            let new_line = Wall::new(SegmentMesh::new(flat, segments.clone()).unwrap());
            assert_eq!(wall, new);
            assert_eq!(line, new_line);
            for _ in 0..8 {
                let center = DVec3::from_array([0; 3].map(|_| random.range(-2.0, 3.0)));
                let found = contacts(&wall, &mut Default::default(), center, 1.5);
                assert_eq!(found, contacts(&new, &mut Default::default(), center, 1.5));
                touching += found.len();
                let center = center.truncate();
                let found = contacts(&line, &mut Default::default(), center, 1.5);
                assert_eq!(
                    found,
                    contacts(&new_line, &mut Default::default(), center, 1.5)
                );
            }
            let count = wall
                .mesh()
                .vertices()
                .iter()
                .map(|v| (*v + DVec3::ZERO).to_array().map(f64::to_bits));
            joined.insert(count.collect::<HashSet<_>>().len());
        }
    }
    assert!(joined.len() > 5 && touching > 1000);
}

/// A sphere at rest, and a plate that moves through its center up to nine tenths of the radius and
/// back, by its vertices or by its pose: either holds it, also while the plate bends and stretches.
#[test]
fn plate_that_moves_through_a_resting_sphere() {
    let mut random = SplitMix64::new(32);
    for case in 0..cases(300) / 10 {
        let turn = random.rotation();
        let bend = if case % 2 == 0 { 0.0 } else { 0.2 };
        let place = |i: u32, height: f64| {
            let (x, y) = (f64::from(i % 7) - 3.0, f64::from(i / 7) - 3.0);
            let stretch = 1.0 + bend * height;
            turn * DVec3::new(x * stretch, y, height + bend * height * x * 0.3)
        };
        let cells = (0..36).map(|c| c / 6 * 7 + c % 6);
        let facets: Vec<_> = cells
            .flat_map(|a| [[a, a + 1, a + 8], [a, a + 8, a + 7]])
            .collect();
        let shape = |height: f64| -> Vec<DVec3> { (0..49).map(|i| place(i, height)).collect() };
        let mut wall = Wall::new(SurfaceMesh::new(shape(-0.5), &facets).unwrap());
        let mut posed = wall.clone();
        let (mut memory, mut kept) = (WallState::default(), WallState::default());
        let local = DVec3::new(random.range(-1.5, 1.5), random.range(-1.5, 1.5), 0.0);
        let center = turn * local;
        for step in 0..=56 {
            let height = (f64::from(step) / 20.0 - 0.5)
                .min(0.9)
                .min(f64::from(56 - step) / 20.0 - 0.5);
            wall.set_vertices(&shape(height)).unwrap();
            let found = contacts(&wall, &mut memory, center, 1.0);
            let sum: DVec3 = found.iter().map(|c| c.normal * c.overlap).sum();
            let down = (turn.inverse() * sum).z < 0.0;
            // In the plate, to rounding, either normal may come.
            let is_in = height.abs() < 1e-12;
            assert!(
                down || is_in && !found.is_empty(),
                "{case} {step} {found:?}"
            );
            posed.set_pose(Pose3::from_translation(turn * (DVec3::Z * (height + 0.5))).unwrap());
            let same = contacts(&posed, &mut kept, center, 1.0);
            let down = same.iter().all(|c| (turn.inverse() * c.normal).z < 0.0);
            assert!(down || is_in, "{case} {step} {same:?}");
            if bend == 0.0 {
                assert!((found[0].overlap - same[0].overlap).abs() < 1e-13);
                assert!(
                    (found[0].overlap - (1.0 + height)).abs() < 1e-13,
                    "{found:?}"
                );
            }
        }
    }
}

/// The same in the plane.
#[test]
fn line_that_moves_through_a_resting_disc() {
    for steps in [7, 20, 56] {
        let shape = |height: f64| -> Vec<DVec2> {
            let place = |i: i32| DVec2::new(f64::from(i) * (1.0 - 0.1 * height), height);
            (-3..=3).map(place).collect()
        };
        let segments: Vec<[u32; 2]> = (0..6).map(|i| [i, i + 1]).collect();
        let mut line = Wall::new(SegmentMesh::new(shape(-0.5), segments).unwrap());
        line.set_pose(Pose2::from_angle(0.3, DVec2::X).unwrap());
        let center = line.pose().transform_point(DVec2::new(0.3, 0.0));
        let mut memory = WallState::default();
        for step in 0..=steps {
            let height = f64::from(step) / f64::from(steps) * 1.4 - 0.5;
            line.set_vertices(&shape(height)).unwrap();
            let found = contacts(&line, &mut memory, center, 1.0);
            assert!(
                (found[0].overlap - (1.0 + height)).abs() < 1e-13,
                "{height} {found:?}"
            );
        }
    }
}

/// Space is moved, rotated, sheared and stretched, together with the wall and the path of the
/// center, which stays clear of the wall: no side changes.
#[test]
fn walls_that_deform_and_are_not_crossed() {
    let (mut touching, mut steps) = (0, 0);
    for family in families() {
        let mut random = SplitMix64::new(33);
        let vertices = mesh(&family, |v| v).vertices().to_vec();
        for case in 0..cases(300) / 50 {
            let mut wall = Wall::new(mesh(&family, |v| v));
            let (start, radius) = place(&mut random, &family);
            let mut local = oracle::to_vector(start, SCALE);
            let mut space = DAffine3::IDENTITY;
            let mut count = 0;
            let clear = |family: &Family, from: DVec3, to: DVec3| clearance(family, from, to);
            if clear(&family, local, local) < 0.02 * radius {
                continue;
            }
            let next = |wall: &mut Wall| {
                count += 1;
                if count > 30 {
                    return None;
                }
                let mut vector =
                    |size: f64| DVec3::from_array([0; 3].map(|_| random.range(-size, size)));
                let to = local + vector(0.1 * radius);
                // More than twice the effect of the strain of a step on the path.
                if clear(&family, local, to) > 0.4 * (to - local).length() + 0.02 * radius {
                    local = to;
                }
                let strain = DMat3::from_cols(vector(0.03), vector(0.03), vector(0.03));
                let turn = DQuat::from_scaled_axis(vector(0.5));
                let step = DAffine3::from_mat3(DMat3::from_quat(turn) * (DMat3::IDENTITY + strain));
                space = DAffine3::from_translation(vector(0.5)) * step * space;
                let moved: Vec<_> = vertices
                    .iter()
                    .map(|&v| space.transform_point3(v))
                    .collect();
                wall.set_vertices(&moved).unwrap();
                steps += 1;
                Some(Sphere::new(space.transform_point3(local), radius))
            };
            let seen = std::cell::Cell::new(0);
            let counted = |c: WallContact| {
                seen.set(seen.get() + 1);
                c
            };
            let kernel = &mut MapContact(DoubleHierarchy::new(), counted);
            side_changes_at_a_facet(kernel, &mut wall, next)
                .unwrap_or_else(|broken| panic!("{} {case}: {broken}", family.name));
            touching += seen.get();
        }
    }
    println!("{steps} steps, {touching} contacts");
    assert!(touching > steps / 2);
}

/// At most the distance of a segment from a wall: from its ends and its middle, less its length.
fn clearance(family: &Family, from: DVec3, to: DVec3) -> f64 {
    let corner = |&id: &u32| oracle::to_vector(family.vertices[id as usize], SCALE);
    let distance = |point: DVec3| {
        let facets = family.facets.iter().map(|ids| {
            let corners: Vec<DVec3> = ids.iter().map(corner).collect();
            osculate::math::closest_on_polygon(point, &corners).distance_squared
        });
        facets.fold(f64::INFINITY, f64::min).sqrt()
    };
    let ends = distance(from)
        .min(distance(to))
        .min(distance(from.midpoint(to)));
    ends - 0.25 * (to - from).length()
}
