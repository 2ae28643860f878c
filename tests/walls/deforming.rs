//! Deforming walls: they equal new ones after each update, and states change no contact.

use std::collections::HashSet;

use crate::support::cases;
use crate::support::families::{SCALE, families, mesh, place};
use crate::support::wall::contacts;
use osculate::glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use osculate::testing::oracle;
use osculate::testing::properties::{MapContact, wall::independent_of_state};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, Sphere, SurfaceMesh, Vector, Wall, WallContact, shape::SegmentMesh,
};

/// Positions of a coarse lattice, zeros of either sign among them, so that many are the same.
fn positions<V: Vector>(random: &mut SplitMix64, count: usize) -> Vec<V> {
    let mut coordinate = |_| [-1.0, -0.0, 0.0, 0.5, 1.0, 2.0][random.below(6)];
    (0..count).map(|_| V::from_fn(&mut coordinate)).collect()
}

/// Returns the lowest vertex at the position of each.
fn groups<V: Vector>(vertices: &[V]) -> Vec<usize> {
    let first = |v: &V| vertices.iter().position(|other| other == v);
    vertices.iter().filter_map(first).collect()
}

/// Vertices part and come together from update to update: mesh, features and contacts are those of
/// a new wall. If none does, a wall keeps the facets that touch otherwise.
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
            let joined_before = [
                groups(wall.mesh().vertices()),
                groups(line.mesh().vertices()),
            ];
            wall.set_vertices(&vertices).unwrap();
            line.set_vertices(&flat).unwrap();
            let joined_now = [groups(&vertices), groups(&flat)];
            let [are_new, are_new_lines] = [0, 1].map(|i| joined_before[i] != joined_now[i]);
            let new = Wall::new(SurfaceMesh::new(vertices, &facets).unwrap());
            let new_line = Wall::new(SegmentMesh::new(flat, segments.clone()).unwrap());
            assert_eq!(wall, new);
            assert_eq!(line, new_line);
            for _ in 0..8 {
                let center = DVec3::from_array([0; 3].map(|_| random.range(-2.0, 3.0)));
                let found = contacts(&wall, &mut Default::default(), center, 1.5);
                let expected = contacts(&new, &mut Default::default(), center, 1.5);
                assert!(!are_new || found == expected);
                touching += if are_new { found.len() } else { 0 };
                let center = center.truncate();
                let found = contacts(&line, &mut Default::default(), center, 1.5);
                let expected = contacts(&new_line, &mut Default::default(), center, 1.5);
                assert!(!are_new_lines || found == expected);
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

/// Centers wander in steps from 0 to several radii. At times space is moved, rotated, sheared and stretched, together with
/// the wall and the path: contacts are those of a new state.
#[test]
fn states_at_walls_that_deform() {
    let (mut touching, mut steps) = (0, 0);
    for family in families() {
        let mut random = SplitMix64::new(33);
        let vertices = mesh(&family, |v| v).vertices().to_vec();
        for case in 0..cases(300) / 50 {
            let mut wall = Wall::new(mesh(&family, |v| v));
            let (start, radius) = place(&mut random, &family);
            let mut local = oracle::to_vector(start, SCALE);
            let step = radius * 10.0_f64.powf(random.range(-4.0, 0.5));
            let drift = random.in_ball() * step;
            let mut space = DAffine3::IDENTITY;
            let mut count = 0;
            let next = |wall: &mut Wall| {
                count += 1;
                if count > 60 {
                    return None;
                }
                let mut vector =
                    |size: f64| DVec3::from_array([0; 3].map(|_| random.range(-size, size)));
                steps += 1;
                if count % 8 != 0 {
                    local += drift + vector(0.5 * step);
                }
                // At rest for longer than facets are stored.
                if count % 20 > 3 {
                    return Some(Sphere::new(space.transform_point3(local), radius));
                }
                let strain = DMat3::from_cols(vector(0.03), vector(0.03), vector(0.03));
                let turn = DQuat::from_scaled_axis(vector(0.5));
                let change =
                    DAffine3::from_mat3(DMat3::from_quat(turn) * (DMat3::IDENTITY + strain));
                space = DAffine3::from_translation(vector(0.5)) * change * space;
                let moved: Vec<_> = vertices
                    .iter()
                    .map(|&v| space.transform_point3(v))
                    .collect();
                wall.set_vertices(&moved).unwrap();
                Some(Sphere::new(space.transform_point3(local), radius))
            };
            let seen = std::cell::Cell::new(0);
            let counted = |c: WallContact| {
                seen.set(seen.get() + 1);
                c
            };
            let kernel = &mut MapContact(DoubleHierarchy::new(), counted);
            independent_of_state(kernel, &mut wall, next)
                .unwrap_or_else(|broken| panic!("{} {case}: {broken}", family.name));
            touching += seen.get();
        }
    }
    println!("{steps} steps, {touching} contacts");
    assert!(touching > steps / 2);
}
