//! Deforming walls: they equal new ones after each update.

use std::collections::HashSet;

use crate::support::cases;
use crate::support::wall::contacts;
use osculate::glam::{DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{SurfaceMesh, Vector, Wall, shape::SegmentMesh};

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
                let found = contacts(&wall, center, 1.5);
                let expected = contacts(&new, center, 1.5);
                assert!(!are_new || found == expected);
                touching += if are_new { found.len() } else { 0 };
                let center = center.truncate();
                let found = contacts(&line, center, 1.5);
                let expected = contacts(&new_line, center, 1.5);
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
