//! Deforming walls: they equal new ones after each update.

use crate::support::cases;
use crate::support::wall::contacts;
use osculate::narrow::WallMesh;
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

/// Vertices part and come together from update to update: mesh, features and contacts are those of a new wall. If none does,
/// a wall keeps the facets that touch otherwise. Returns the number of contacts that were compared.
fn updates<M: WallMesh>(
    random: &mut SplitMix64,
    count: usize,
    mesh: impl Fn(Vec<M::Vector>) -> M,
) -> usize {
    let mut wall = Wall::new(mesh(positions(random, count)));
    let mut compared = 0;
    for _ in 0..10 {
        let mut vertices = wall.mesh().vertices().to_vec();
        let changed = random.below(20);
        for new in positions(random, changed) {
            vertices[random.below(count)] = new;
        }
        let are_regrouped = groups(wall.mesh().vertices()) != groups(&vertices);
        wall.set_vertices(&vertices).unwrap();
        let new = Wall::new(mesh(vertices));
        assert_eq!(wall, new);
        for _ in 0..8 {
            let center = M::Vector::from_fn(|_| random.range(-2.0, 3.0));
            let found = contacts(&wall, center, 1.5);
            if are_regrouped {
                assert_eq!(found, contacts(&new, center, 1.5));
                compared += found.len();
            }
        }
    }
    compared
}

#[test]
fn any_update_equals_a_new_wall() {
    let mut random = SplitMix64::new(31);
    let mut compared = [0; 2];
    let triangles: Vec<[u32; 3]> = (0..24).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let segments: Vec<[u32; 2]> = (0..24).map(|f| [2 * f, 2 * f + 1]).collect();
    for _ in 0..cases(300) / 10 {
        let surface = |vertices| SurfaceMesh::new(vertices, &triangles).unwrap();
        compared[0] += updates(&mut random, 72, surface);
        let line = |vertices| SegmentMesh::new(vertices, segments.clone()).unwrap();
        compared[1] += updates(&mut random, 48, line);
    }
    assert!(compared.iter().all(|&count| count > 1000), "{compared:?}");
}
