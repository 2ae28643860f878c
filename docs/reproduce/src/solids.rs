//! Solids of the examples: rocks, rings, bolts and boxes.
use std::collections::HashMap;
use std::f64::consts::TAU;

use osculate::glam::DVec3;
use osculate::{ConvexPolyhedron, Error, SolidMesh};

use crate::random::SplitMix64;

/// Builds a box along the axes between two corners, of 12 triangles.
pub fn cuboid(min: DVec3, max: DVec3) -> Result<SolidMesh, Error> {
    let corner = |i: u32| {
        let choose = |axis: usize| {
            if i >> axis & 1 == 1 {
                max[axis]
            } else {
                min[axis]
            }
        };
        DVec3::from([0, 1, 2].map(choose))
    };
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let triangles = triangles_of_hull(&corners)?;
    SolidMesh::new(corners, triangles)
}

/// Builds a nonconvex rock of 2 `vertex_count` - 4 triangles, with a radius of about 1.
///
/// The vertices are evenly spread. Their distances from the center vary smoothly, by up to `roughness`.
pub fn rock(vertex_count: usize, roughness: f64, seed: u64) -> Result<SolidMesh, Error> {
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

/// Builds a ball for pictures, with vertices on the sphere.
pub fn ball(radius: f64) -> Result<SolidMesh, Error> {
    let turn = TAU / 1.618_033_988_749_895;
    let point = |i: usize| {
        let z = (2 * i + 1) as f64 / 150.0 - 1.0;
        let (sin, cos) = (turn * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z) * radius
    };
    let points: Vec<DVec3> = (0..150).map(point).collect();
    let triangles = triangles_of_hull(&points)?;
    SolidMesh::new(points, triangles)
}

/// Builds a ring around z of 2 x `around` x `across` triangles.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> Result<SolidMesh, Error> {
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
/// It has `around` vertices in each of `rings` rings, at least 6, and 2 x `around` x `rings` triangles.
pub fn bolt(around: u32, rings: u32) -> Result<SolidMesh, Error> {
    let ring = |i: u32, k: u32| {
        let angle = TAU * f64::from(k) / f64::from(around);
        // The head: four rings, with a flat underside.
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

/// Builds a hexagonal nut around z with a thread inside, of 1296 triangles.
pub fn nut() -> Result<SolidMesh, Error> {
    const AROUND: usize = 36;
    const ACROSS: usize = 18;
    // Around a section: up the outside, inward on the top, down the thread, outward below.
    bend(&torus(1.0, 0.5, AROUND as u32, ACROSS as u32)?, |i, _| {
        let (angle, k) = (TAU * (i / ACROSS) as f64 / AROUND as f64, i % ACROSS);
        let sector = TAU / 6.0;
        let outside = 0.9 / (angle % sector - 0.5 * sector).cos();
        let (up, out) = match k {
            0..4 => (k as f64 / 4.0, 1.0),
            4..7 => (1.0, 1.0 - (k - 4) as f64 / 3.0),
            7..15 => (1.0 - (k - 7) as f64 / 8.0, 0.0),
            _ => (0.0, (k - 15) as f64 / 3.0),
        };
        let turns = 2.0 * up - angle / TAU;
        let inside = 0.5 + 0.1 * (turns - turns.floor() - 0.5).abs();
        let radius = inside + (outside - inside) * out;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.8 * up - 0.4)
    })
}

/// Builds a solid of the same triangles with other vertices.
pub fn bend(solid: &SolidMesh, place: impl Fn(usize, DVec3) -> DVec3) -> Result<SolidMesh, Error> {
    let vertices = solid.surface().vertices().iter().enumerate();
    let moved = vertices.map(|(i, &vertex)| place(i, vertex)).collect();
    let facets = solid.surface().facets();
    SolidMesh::new(
        moved,
        facets.map(|facet| [0, 1, 2].map(|k| facet.vertices()[k])),
    )
}

/// Returns the triangles of the convex hull of points, all of which are vertices of it.
fn triangles_of_hull(points: &[DVec3]) -> Result<Vec<[u32; 3]>, Error> {
    let hull = ConvexPolyhedron::from_convex_hull(points)?;
    let key = |p: DVec3| p.to_array().map(f64::to_bits);
    let ids: HashMap<_, _> = points.iter().map(|&p| key(p)).zip(0..).collect();
    let id = |p: DVec3| ids.get(&key(p)).copied().unwrap_or(0);
    let fans = hull.surface().facets().flat_map(|facet| {
        let ids: Vec<u32> = facet.corners().map(id).collect();
        (2..ids.len())
            .map(move |i| [ids[0], ids[i - 1], ids[i]])
            .collect::<Vec<_>>()
    });
    Ok(fans.collect())
}
