use std::collections::HashMap;
use std::f64::consts::TAU;

use glam::DVec3;

use super::SplitMix64;
use crate::error::Result;
use crate::math::check_count;
use crate::shape::{ConvexPolyhedron, SolidMesh};
use crate::testing::oracle::LatticePoint;

/// Builds a sphere around the origin of 20 x 4^`subdivisions` triangles, with all vertices on the sphere.
///
/// # Errors
/// Returns an error for a radius out of range, or too many triangles for `u32` ids.
pub fn sphere(subdivisions: u32, radius: f64) -> Result<SolidMesh> {
    check_count(20_usize.saturating_mul(4_usize.saturating_pow(subdivisions)))?;
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices = Vec::new();
    for (i, j) in [
        (1.0, golden),
        (1.0, -golden),
        (-1.0, golden),
        (-1.0, -golden),
    ] {
        vertices.extend([
            DVec3::new(0.0, i, j),
            DVec3::new(i, j, 0.0),
            DVec3::new(j, 0.0, i),
        ]);
    }
    let mut triangles = triangles_of_hull(&vertices)?;
    for _ in 0..subdivisions {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push(vertices[a as usize] + vertices[b as usize]);
                vertices.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        for vertex in &mut vertices {
            *vertex = vertex.normalize();
        }
    }
    let scale = |vertex: DVec3| vertex.normalize() * radius;
    SolidMesh::new(vertices.into_iter().map(scale).collect(), triangles)
}

fn triangles_of_hull(points: &[DVec3]) -> Result<Vec<[u32; 3]>> {
    let hull = ConvexPolyhedron::from_convex_hull(points)?;
    let id = |p: DVec3| points.iter().position(|&q| q == p).unwrap_or(0) as u32;
    let fans = hull.surface().facets().flat_map(|facet| {
        let ids: Vec<u32> = facet.corners().map(id).collect();
        (2..ids.len())
            .map(move |i| [ids[0], ids[i - 1], ids[i]])
            .collect::<Vec<_>>()
    });
    Ok(fans.collect())
}

/// Builds a nonconvex rock around the origin of 2 `vertex_count` - 4 triangles, with a radius of about 1.
///
/// The vertices are evenly spread. Their distances from the center vary smoothly, by up to `roughness`. The last digits
/// of the vertices depend on the platform.
///
/// # Errors
/// Returns an error for fewer than 4 vertices, or a roughness of at least 1.
pub fn rock(vertex_count: usize, roughness: f64, seed: u64) -> Result<SolidMesh> {
    check_count(vertex_count.saturating_mul(2))?;
    let mut random = SplitMix64::new(seed);
    let turn = TAU / 1.618_033_988_749_895;
    let direction = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / vertex_count as f64;
        let (sin, cos) = (turn * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    let directions: Vec<DVec3> = (0..vertex_count).map(direction).collect();
    let waves: Vec<(DVec3, f64)> = (0..8)
        .map(|_| {
            let wave = [(); 3].map(|()| random.range(-5.0, 5.0));
            (DVec3::from_array(wave), random.range(0.0, TAU))
        })
        .collect();
    let stretch = DVec3::new(1.0, 0.85, 0.7);
    let place = |&d: &DVec3| {
        let height: f64 = waves
            .iter()
            .map(|(wave, phase)| (wave.dot(d) + phase).sin())
            .sum();
        d * stretch * (1.0 + roughness * height / 8.0)
    };
    let triangles = triangles_of_hull(&directions)?;
    SolidMesh::new(directions.iter().map(place).collect(), triangles)
}

/// Builds a torus around z of 2 x `around` x `across` triangles.
///
/// The last digits of the vertices depend on the platform.
///
/// # Errors
/// Returns an error for radii out of range, or fewer than 3 parts in a direction.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> Result<SolidMesh> {
    check_count((around as usize).saturating_mul(across as usize))?;
    let vertex = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i / across) / f64::from(around)).sin_cos();
        let (up, out) = (TAU * f64::from(i % across) / f64::from(across)).sin_cos();
        let radius = major + minor * out;
        DVec3::new(radius * cos, radius * sin, minor * up)
    };
    let cells = (0..around * across).flat_map(|i| {
        let (ring, k) = (i / across, i % across);
        let (next, l) = ((ring + 1) % around * across, (k + 1) % across);
        let ring = ring * across;
        [
            [ring + k, next + k, next + l],
            [ring + k, next + l, ring + l],
        ]
    });
    SolidMesh::new((0..around * across).map(vertex).collect(), cells)
}

/// Builds a bolt along z, of length 4 and radius 0.5, with a thread and a hexagonal head.
///
/// It has `around` vertices in each of `rings` rings, and 2 x `around` x `rings` triangles. The last digits of the
/// vertices depend on the platform.
///
/// # Errors
/// Returns an error for fewer than 3 vertices in a ring, or fewer than 6 rings.
pub fn bolt(around: u32, rings: u32) -> Result<SolidMesh> {
    if rings < 6 {
        return SolidMesh::new(Vec::new(), []);
    }
    let count = (rings as usize).saturating_mul(around as usize);
    check_count(count.saturating_add(2))?;
    let ring = |i: u32, k: u32| {
        let angle = TAU * f64::from(k) / f64::from(around);
        // The head: four rings, a flat underside.
        let head = i + 4 >= rings;
        let step = if head { rings - 4 } else { i };
        let z = match (i + 4).checked_sub(rings) {
            None => 3.4 * f64::from(i) / f64::from(rings - 5),
            Some(0) => 3.4,
            Some(j) => 3.4 + 0.2 * f64::from(j),
        };
        let radius = if head {
            let sector = TAU / 6.0;
            0.8 / (angle % sector - 0.5 * sector).cos()
        } else {
            let turns = 1.5 * f64::from(step) / 4.0 - angle / TAU;
            0.45 + 0.1 * (turns - turns.floor() - 0.5).abs()
        };
        DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let mut vertices: Vec<DVec3> = (0..rings * around)
        .map(|i| ring(i / around, i % around))
        .collect();
    let (bottom, top) = (rings * around, rings * around + 1);
    vertices.extend([DVec3::ZERO, DVec3::Z * 4.0]);
    let mut triangles = Vec::new();
    for k in 0..around {
        let l = (k + 1) % around;
        triangles.push([bottom, l, k]);
        triangles.push([top, (rings - 1) * around + k, (rings - 1) * around + l]);
        for low in (0..rings - 1).map(|i| i * around) {
            let high = low + around;
            triangles.extend([[low + k, low + l, high + l], [low + k, high + l, high + k]]);
        }
    }
    SolidMesh::new(vertices, triangles)
}

/// Builds the surface of a union of unit cubes, times `scale`; each cube is given by its lowest corner.
///
/// # Errors
/// Returns an error for no cubes, and for cubes that share only an edge or a corner.
pub fn cubes(cubes: &[LatticePoint], scale: f64) -> Result<SolidMesh> {
    let mut ids: HashMap<LatticePoint, u32> = HashMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &cube in cubes {
        for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
            let mut neighbor = cube;
            // At the ends of the integers cubes have no neighbors, and the surface stays open.
            neighbor[axis] = neighbor[axis].saturating_add(step);
            if cubes.contains(&neighbor) {
                continue;
            }
            let corner = |i: i64, j: i64| {
                let mut corner = cube;
                corner[axis] = corner[axis].saturating_add((step + 1) / 2);
                corner[(axis + 1) % 3] = corner[(axis + 1) % 3].saturating_add(i);
                corner[(axis + 2) % 3] = corner[(axis + 2) % 3].saturating_add(j);
                corner
            };
            let mut square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            if step < 0 {
                square.reverse();
            }
            let [a, b, c, d] = square.map(|corner| {
                *ids.entry(corner).or_insert_with(|| {
                    vertices.push(crate::testing::oracle::to_vector(corner, scale));
                    vertices.len() as u32 - 1
                })
            });
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    SolidMesh::new(vertices, triangles)
}
