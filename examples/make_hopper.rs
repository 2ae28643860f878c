//! Makes `examples/data/hopper.obj`, a wall on which grains meet facets, edges and vertices: a silo with a conical
//! hopper, an inserted cone with its apex upward, and two crossed bars with a ridge. Metres, z up; the front of every
//! facet, counter-clockwise, is on the side of the grains.
//!
//! `cargo run --example make_hopper [file]`

use std::{env, fs, io};

type Point = [f64; 3];

/// Facets as indices of vertices, of any number of corners.
#[derive(Default)]
struct Surface {
    vertices: Vec<Point>,
    facets: Vec<Vec<u32>>,
}

impl Surface {
    fn vertex(&mut self, vertex: Point) -> u32 {
        // No -0.0 in the file.
        self.vertices.push(vertex.map(|x| x + 0.0));
        self.vertices.len() as u32 - 1
    }

    /// A circle about the z axis, counter-clockwise seen from above.
    fn ring(&mut self, directions: &[[f64; 2]], radius: f64, z: f64) -> Vec<u32> {
        let mut at = |&[x, y]: &[f64; 2]| self.vertex([radius * x, radius * y, z]);
        directions.iter().map(&mut at).collect()
    }

    /// Quads between two loops. Their front is outside if the loops turn counter-clockwise seen from the side of
    /// `to`, and inside if clockwise.
    fn band(&mut self, from: &[u32], to: &[u32]) {
        for i in 0..from.len() {
            let j = (i + 1) % from.len();
            self.facets.push(vec![from[i], from[j], to[j], to[i]]);
        }
    }

    fn bands(&mut self, rings: &[Vec<u32>]) {
        for pair in rings.windows(2) {
            self.band(&pair[0], &pair[1]);
        }
    }

    /// The vessel from the top ring down to the outlet, which a plate closes.
    fn silo(&mut self) {
        let directions = circle(3);
        let cylinder = [1.9, 1.75, 1.6, 1.45, 1.3, 1.15].map(|z| (0.5, z));
        let cone = (0..=7).map(|i| between((0.5, 1.0), (0.12, 0.35), f64::from(i) / 7.0));
        let rings = cylinder.into_iter().chain(cone);
        let rings = rings.map(|(radius, z)| self.ring(&directions, radius, z));
        let rings = rings.collect::<Vec<_>>();
        self.bands(&rings);
        self.facets.extend(rings.last().cloned());
    }

    /// The inserted cone, closed by a disc below.
    fn insert(&mut self) {
        let directions = circle(2);
        let rings = (0..4).map(|i| between((0.2, 0.8), (0.0, 1.05), f64::from(i) / 4.0));
        let rings = rings.map(|(radius, z)| self.ring(&directions, radius, z));
        let rings = rings.collect::<Vec<_>>();
        let apex = self.vertex([0.0, 0.0, 1.05]);
        self.bands(&rings);
        let (base, last) = (&rings[0], &rings[3]);
        for (i, &corner) in last.iter().enumerate() {
            self.facets
                .push(vec![corner, last[(i + 1) % last.len()], apex]);
        }
        self.facets.push(base.iter().rev().copied().collect());
    }

    /// A bar along the horizontal direction `along`, a triangle in cross-section with the ridge at height `z`.
    fn bar(&mut self, along: [f64; 2], z: f64) {
        let [ax, ay] = along;
        let profile = [(-0.05, z - 0.08), (0.05, z - 0.08), (0.0, z)];
        // The ends stop short of the cylinder, so that their corners are in reach of the grains.
        let stations = (0..=8).map(|i| 0.45 * (f64::from(i) / 4.0 - 1.0));
        let sections = stations.map(|s| {
            let corners = profile.map(|(t, z)| self.vertex([s * ax - t * ay, s * ay + t * ax, z]));
            corners.to_vec()
        });
        let sections = sections.collect::<Vec<_>>();
        self.bands(&sections);
        let (first, last) = (&sections[0], &sections[8]);
        self.facets.push(first.iter().rev().copied().collect());
        self.facets.push(last.clone());
    }
}

/// The wall: vertices, and facets with their front to the grains.
fn hopper() -> (Vec<Point>, Vec<Vec<u32>>) {
    let mut surface = Surface::default();
    surface.silo();
    surface.insert();
    surface.bar([1.0, 0.0], 1.3);
    surface.bar([0.0, 1.0], 1.5);
    (surface.vertices, surface.facets)
}

/// Directions of the corners of a regular polygon: a hexagon's, halved `halvings` times. By square roots and not by
/// sines, which differ in the last bit from one platform to the next.
fn circle(halvings: usize) -> Vec<[f64; 2]> {
    let h = 0.75_f64.sqrt();
    let mut directions = vec![
        [1.0, 0.0],
        [0.5, h],
        [-0.5, h],
        [-1.0, 0.0],
        [-0.5, -h],
        [0.5, -h],
    ];
    for _ in 0..halvings {
        let next = directions.iter().cycle().skip(1);
        let halved = directions.iter().zip(next).flat_map(|(&a, b)| {
            let [x, y] = [a[0] + b[0], a[1] + b[1]];
            let length = (x * x + y * y).sqrt();
            [a, [x / length, y / length]]
        });
        directions = halved.collect();
    }
    directions
}

/// Exact at both ends.
fn between(a: (f64, f64), b: (f64, f64), t: f64) -> (f64, f64) {
    ((1.0 - t) * a.0 + t * b.0, (1.0 - t) * a.1 + t * b.1)
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Panics unless the facet is convex, and planar to 1e-12 of its size.
fn check(corners: &[Point]) {
    let next = |i: usize| corners[(i + 1) % corners.len()];
    let edges = (0..corners.len()).map(|i| minus(next(i), corners[i]));
    let edges = edges.collect::<Vec<_>>();
    let from_first = corners.iter().map(|&p| minus(p, corners[0]));
    let from_first = from_first.collect::<Vec<_>>();
    let mut normal = [0.0; 3];
    for pair in from_first.windows(2) {
        let twice_area = cross(pair[0], pair[1]);
        normal = [0, 1, 2].map(|k| normal[k] + twice_area[k]);
    }
    let size = from_first.iter().map(|&p| dot(p, p)).fold(0.0, f64::max);
    let height = |p: Point| dot(p, normal).abs() / dot(normal, normal).sqrt();
    assert!(
        from_first.iter().all(|&p| height(p) <= 1e-12 * size.sqrt()),
        "not planar: {corners:?}"
    );
    for (i, &edge) in edges.iter().enumerate() {
        let turn = cross(edge, edges[(i + 1) % edges.len()]);
        assert!(dot(turn, normal) > 0.0, "not convex: {corners:?}");
    }
}

fn obj(vertices: &[Point], facets: &[Vec<u32>]) -> String {
    let mut text = String::from("# Metres, z up. Made by: cargo run --example make_hopper\n");
    for [x, y, z] in vertices {
        // The shortest digits that give the same f64 back.
        text += &format!("v {x:?} {y:?} {z:?}\n");
    }
    for facet in facets {
        let corners = facet.iter().map(|v| format!(" {}", v + 1));
        text += &format!("f{}\n", corners.collect::<String>());
    }
    text
}

fn main() -> io::Result<()> {
    let path = env::args().nth(1);
    let path = path.as_deref().unwrap_or("examples/data/hopper.obj");
    let (vertices, facets) = hopper();
    for facet in &facets {
        let corners = facet.iter().map(|&v| vertices[v as usize]);
        check(&corners.collect::<Vec<_>>());
    }
    let with = |corners: usize| facets.iter().filter(|f| f.len() == corners).count();
    let (triangles, quads) = (with(3), with(4));
    let polygons = facets.len() - triangles - quads;
    fs::write(path, obj(&vertices, &facets))?;
    println!(
        "{path}: {} vertices, {triangles} triangles, {quads} quads, {polygons} polygons",
        vertices.len()
    );
    Ok(())
}
