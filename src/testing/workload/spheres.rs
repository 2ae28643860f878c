use glam::DVec3;

use super::{SplitMix64, Workload, WorkloadSum};
use crate::math::Vector;
use crate::narrow::Wall;
use crate::shape::{Sphere, SurfaceMesh};
use crate::testing::oracle::{self, LatticePoint};
use crate::testing::properties::Violation;

/// Returns pairs of nearby spheres (discs in 2D), of which about two thirds overlap.
///
/// Radii are within [0.5, 1]. The sum is over overlaps.
///
/// # Errors
/// Returns a [`Violation`] for no pairs.
pub fn sphere_pairs<V: Vector>(
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Sphere<V>>, Violation> {
    let mut random = SplitMix64::new(seed);
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    while first.len() < count {
        let direction = V::from_fn(|_| random.range(-1.0, 1.0));
        let length = direction.length();
        if !(0.01..=1.0).contains(&length) {
            continue;
        }
        let center = V::from_fn(|_| random.range(-8.0, 8.0));
        let radii = [random.range(0.5, 1.0), random.range(0.5, 1.0)];
        let distance = (radii[0] + radii[1]) * random.range(0.7, 1.15);
        let other = center + direction * (distance / length);
        let overlap = radii[0] + radii[1] - distance;
        if overlap.abs() < 1e-9 {
            continue;
        }
        if overlap > 0.0 {
            expected.add(first.len(), overlap);
        }
        first.push(Sphere::new(center, radii[0]));
        second.push(Sphere::new(other, radii[1]));
    }
    Workload::of_one_step(first, second, expected, 1e-12)
}

/// Returns spheres at a rough wall of 2 x 32 x 32 triangles; most touch it, some at several places.
///
/// Radii are 0.5 to 2 cells. At each step a sphere moves by up to 1/64 of a cell along each axis, forth and back. The
/// sum is over overlaps.
///
/// # Errors
/// Returns a [`Violation`] for no spheres or no steps.
pub fn sphere_wall_pairs(
    count: usize,
    step_count: usize,
    seed: u64,
) -> std::result::Result<Workload<Sphere<DVec3>, Wall>, Violation> {
    if step_count == 0 {
        return Err(Violation::new("sphere_wall_pairs: no steps".into()));
    }
    let mut random = SplitMix64::new(seed);
    let (vertices, facets) = rough_wall(&mut random);
    let mut expected = WorkloadSum::default();
    let mut first = Vec::new();
    for sphere in 0..count {
        let (low, high) = (3 * CELL as usize, (SIDE - 6) as usize * CELL as usize);
        let [x, y] = [0; 2].map(|_| (low + random.below(high)) as i64);
        let start = [x, y, CELL / 2 + random.below(CELL as usize) as i64];
        let radius = random.range(0.5, 2.0) * CELL as f64;
        let mut drift = [0; 3].map(|_| random.below(CELL as usize / 32) as i64 - CELL / 64);
        // The center stays above the wall.
        drift[2] = drift[2].abs();
        for step in 0..step_count as i64 {
            let travel = 32 - (step % 64 - 32).abs();
            let mut center = [0, 1, 2].map(|axis| start[axis] + travel * drift[axis]);
            let overlaps = loop {
                let overlaps = wall_overlaps(center, radius, &vertices, &facets);
                if overlaps.iter().all(|overlap| overlap.abs() > 1e-9) {
                    break overlaps;
                }
                center[2] += 1;
            };
            for &overlap in overlaps.iter().filter(|&&overlap| overlap > 0.0) {
                expected.add(sphere, overlap);
            }
            first.push(Sphere::new(oracle::to_vector(center, UNIT), radius * UNIT));
        }
    }
    let place = |&v: &LatticePoint| oracle::to_vector(v, UNIT);
    let wall = Wall::new(SurfaceMesh::new(
        vertices.iter().map(place).collect(),
        &facets,
    )?);
    let steps = (0..step_count).flat_map(|step| (0..count).map(move |i| i * step_count + step));
    let pairs = steps.map(|i| [i as u32, 0]).collect();
    Workload::new(first, vec![wall], pairs, count, expected, 1e-12)
}

/// The number of cells along each side of the rough wall.
const SIDE: i64 = 32;
/// The width of a cell on the lattice.
const CELL: i64 = 1 << 16;
/// The length of a unit of the lattice.
const UNIT: f64 = 1.0 / CELL as f64;

/// Returns the vertices and triangles of a wall with heights up to half a cell.
fn rough_wall(random: &mut SplitMix64) -> (Vec<LatticePoint>, Vec<[u32; 3]>) {
    let columns = SIDE + 1;
    let mut height = || random.below(CELL as usize / 2) as i64;
    let places = (0..columns * columns).map(|i| [i % columns * CELL, i / columns * CELL, height()]);
    let cells = (0..SIDE * SIDE).flat_map(|i| {
        let first = i / SIDE * columns + i % SIDE;
        let [a, b, c, d] = [first, first + 1, first + columns + 1, first + columns];
        [[a, b, c], [a, c, d]].map(|t| t.map(|id| id as u32))
    });
    (places.collect(), cells.collect())
}

/// Returns the overlap of a sphere at each minimum of the distance within reach, negative for gaps.
fn wall_overlaps(
    center: LatticePoint,
    radius: f64,
    vertices: &[LatticePoint],
    facets: &[[u32; 3]],
) -> Vec<f64> {
    // Facets out of reach have no contacts, but must not open edges within reach.
    let reach = radius as i64 + 1;
    let is_near = |ids: &&[u32; 3]| {
        let along = |axis: usize| ids.map(|id| vertices[id as usize][axis] - center[axis]);
        [0, 1]
            .map(along)
            .iter()
            .all(|c| c.iter().any(|&c| c <= reach) && c.iter().any(|&c| c >= -reach))
    };
    let near: Vec<[u32; 3]> = facets.iter().filter(is_near).copied().collect();
    let minima = oracle::local_minima(center, vertices, &near);
    minima.iter().map(|(_, d)| (radius - d) * UNIT).collect()
}
