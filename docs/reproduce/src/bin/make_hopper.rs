//! Makes the case of the example `detect`: a wall where grains touch facets, edges and vertices,
//! and a settled bed of spheres. Meters, z up.
//!
//! The wall, `hopper.obj`, is a silo with a conical hopper, an inserted cone with its apex up, two
//! crossed bars with a ridge, and a ring of stones (octahedra). The front of every facet,
//! counter-clockwise, faces the grains. The bed, `spheres.csv`, is relaxed with the crate itself.
//! Only + - * / and square roots are used, so both files are the same on every machine.
//!
//! `cargo reproduce make_hopper [folder]`

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use osculate::glam::DVec3;
use osculate::{
    BroadPhase, Contact, DoubleHierarchy, Feature, LinkedCells, NarrowPhase, Sphere, SphereSphere,
    SurfaceMesh, Wall, WallContact, narrow::FacetSubset, shape::Facet,
};
use reproduce::progress;
use reproduce::random::SplitMix64;

/// Facets with any number of corners, as vertex indices.
#[derive(Default)]
struct Surface {
    vertices: Vec<DVec3>,
    facets: Vec<Vec<u32>>,
}

impl Surface {
    fn vertex(&mut self, x: f64, y: f64, z: f64) -> u32 {
        // Writes no -0.0.
        self.vertices.push(DVec3::new(x, y, z) + DVec3::ZERO);
        self.vertices.len() as u32 - 1
    }

    /// A circle about the z axis, counter-clockwise seen from above.
    fn ring(&mut self, directions: &[[f64; 2]], radius: f64, z: f64) -> Vec<u32> {
        let mut at = |&[x, y]: &[f64; 2]| self.vertex(radius * x, radius * y, z);
        directions.iter().map(&mut at).collect()
    }

    /// Quads between two loops. If the loops are counter-clockwise seen from the side of `to`, the
    /// front is outside; if clockwise, inside.
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

    /// The vessel, from the top ring down to the outlet, which is closed by a plate.
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
        let apex = self.vertex(0.0, 0.0, 1.05);
        self.bands(&rings);
        let (base, last) = (&rings[0], &rings[3]);
        for (i, &corner) in last.iter().enumerate() {
            self.facets
                .push(vec![corner, last[(i + 1) % last.len()], apex]);
        }
        self.facets.push(base.iter().rev().copied().collect());
    }

    /// A bar along the horizontal direction `along`, with a triangular cross-section and its ridge
    /// at height `z`.
    fn bar(&mut self, along: [f64; 2], z: f64) {
        let [ax, ay] = along;
        let profile = [(-0.05, z - 0.08), (0.05, z - 0.08), (0.0, z)];
        // The ends stop short of the cylinder, so that grains reach their corners.
        let stations = (0..=8).map(|i| 0.45 * (f64::from(i) / 4.0 - 1.0));
        let sections = stations.map(|s| {
            let corners = profile.map(|(t, z)| self.vertex(s * ax - t * ay, s * ay + t * ax, z));
            corners.to_vec()
        });
        let sections = sections.collect::<Vec<_>>();
        self.bands(&sections);
        let (first, last) = (&sections[0], &sections[8]);
        self.facets.push(first.iter().rev().copied().collect());
        self.facets.push(last.clone());
    }

    /// An octahedron.
    fn stone(&mut self, center: DVec3) {
        let [right, back, top] = DVec3::AXES.map(|axis| {
            let DVec3 { x, y, z } = center + STONE * axis;
            self.vertex(x, y, z)
        });
        let [left, front, bottom] = DVec3::AXES.map(|axis| {
            let DVec3 { x, y, z } = center - STONE * axis;
            self.vertex(x, y, z)
        });
        let around = [right, back, left, front];
        for (i, &corner) in around.iter().enumerate() {
            let next = around[(i + 1) % 4];
            self.facets.push(vec![corner, next, top]);
            self.facets.push(vec![next, corner, bottom]);
        }
    }
}

fn hopper() -> Surface {
    let mut surface = Surface::default();
    surface.silo();
    surface.insert();
    surface.bar([1.0, 0.0], 1.3);
    surface.bar([0.0, 1.0], 1.5);
    for center in stones() {
        surface.stone(center);
    }
    surface
}

/// Directions of the corners of a regular polygon: those of a hexagon, halved `halvings` times.
/// Square roots are used because the last bit of sines differs between platforms.
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

/// From the center of a stone to its corners.
const STONE: f64 = 0.04;

/// The centers of the stones.
fn stones() -> impl Iterator<Item = DVec3> {
    let at = |[x, y]: [f64; 2]| DVec3::new(0.3 * x, 0.3 * y, 1.1);
    circle(0).into_iter().map(at)
}

/// Whether grains may be at a point: in the silo, but not in the insert, a bar or a stone.
fn is_inside(p: DVec3) -> bool {
    let from_axis = (p.x * p.x + p.y * p.y).sqrt();
    let radius = if p.z < 1.0 {
        between((0.12, 0.35), (0.5, 1.0), (p.z - 0.35) / 0.65).0
    } else {
        0.5
    };
    let is_in_insert = p.z > 0.8 && from_axis < 0.8 * (1.05 - p.z);
    let is_in_bar = |along: f64, across: f64, top: f64| {
        along.abs() < 0.45 && p.z > top - 0.08 && across.abs() < 0.625 * (top - p.z)
    };
    let is_in_stone = |center: DVec3| {
        let from = (p - center).abs();
        from.x + from.y + from.z < STONE
    };
    p.z > 0.35
        // The polygons of the silo are up to 0.2 % smaller than their circles.
        && from_axis < 0.995 * radius
        && !is_in_insert
        && !is_in_bar(p.x, p.y, 1.3)
        && !is_in_bar(p.y, p.x, 1.5)
        && !stones().any(is_in_stone)
}

const SPHERE_COUNT: usize = 52_000;
const R_MIN: f64 = 0.0075;
/// Ratio of the largest radius to the smallest.
const SIZE_RATIO: f64 = 3.0;

/// Spheres of full size near the points of a lattice, from the outlet upward; they overlap.
fn pour() -> Vec<Sphere<DVec3>> {
    const SPACING: f64 = 3.2 * R_MIN;
    let mut random = SplitMix64::new(5);
    let mut spheres = Vec::with_capacity(SPHERE_COUNT);
    for layer in 0.. {
        for row in -21..=21 {
            for column in -21..=21 {
                let at = |i: i32| (f64::from(i) + 0.6 * (random.unit() - 0.5)) * SPACING;
                let point = [column, row, layer].map(at);
                let center = DVec3::from(point) + DVec3::new(0.0, 0.0, 0.36);
                // The number of spheres of radius r decreases as r^-3: the inverse of that
                // distribution.
                let share = random.unit() * (1.0 - 1.0 / (SIZE_RATIO * SIZE_RATIO));
                if is_inside(center) {
                    spheres.push(Sphere::new(center, round(R_MIN / (1.0 - share).sqrt())));
                }
                if spheres.len() == SPHERE_COUNT {
                    return spheres;
                }
            }
        }
    }
    spheres
}

/// Rounds to the digits of the file.
fn round(x: f64) -> f64 {
    (x * 1e5).round() / 1e5 + 0.0
}

/// Spheres in the hopper, and the search and kernels for their contacts.
struct Bed {
    wall: Wall,
    facet_cells: LinkedCells<DVec3>,
    sphere_cells: LinkedCells<DVec3>,
    wall_kernel: DoubleHierarchy,
    near: Vec<u32>,
}

impl Bed {
    fn new(wall: &SurfaceMesh) -> Result<Self, osculate::Error> {
        let facets: Vec<Facet> = wall.facets().collect();
        let mut facet_cells = LinkedCells::new();
        facet_cells.rebuild(&facets)?;
        Ok(Self {
            wall: Wall::new(wall.clone()),
            facet_cells,
            sphere_cells: LinkedCells::new(),
            wall_kernel: DoubleHierarchy::new(),
            near: Vec::new(),
        })
    }

    fn sphere_contacts(
        &mut self,
        spheres: &[Sphere<DVec3>],
        mut report: impl FnMut(usize, usize, Contact<DVec3>),
    ) -> Result<(), osculate::Error> {
        self.sphere_cells.rebuild(spheres)?;
        self.sphere_cells.for_each_pair(|i, j| {
            let (a, b) = (&spheres[i], &spheres[j]);
            SphereSphere::new().for_each_contact(a, b, &mut (), |contact| report(i, j, contact));
        });
        Ok(())
    }

    fn wall_contacts(
        &mut self,
        spheres: &[Sphere<DVec3>],
        mut report: impl FnMut(usize, WallContact),
    ) -> Result<(), osculate::Error> {
        for (i, sphere) in spheres.iter().enumerate() {
            self.near.clear();
            let near = &mut self.near;
            self.facet_cells
                .for_each_touching(sphere, |facet| near.push(facet as u32));
            let facets = FacetSubset::new(&self.wall, &self.near)?;
            self.wall_kernel.for_each_contact(
                sphere,
                &facets,
                &mut Default::default(),
                |contact| report(i, contact),
            );
        }
        Ok(())
    }
}

/// Lets the spheres grow to full size, push each other apart and sink until they hardly move.
fn settle(wall: &SurfaceMesh, spheres: &mut [Sphere<DVec3>]) -> Result<(), osculate::Error> {
    const STEPS: usize = 1400;
    const GROWTH: usize = 200;
    const STIFFNESS: f64 = 0.8;
    const DAMPING: f64 = 0.06;
    let radii: Vec<f64> = spheres.iter().map(|sphere| sphere.radius).collect();
    // The square instead of the cube: otherwise large spheres take too many steps to start moving.
    let mass: Vec<f64> = radii.iter().map(|r| (r / R_MIN) * (r / R_MIN)).collect();
    let mut velocities = vec![DVec3::ZERO; spheres.len()];
    let mut pushes = vec![DVec3::ZERO; spheres.len()];
    let mut bed = Bed::new(wall)?;
    // Sinks fast at first; in the end the load is low, and so are the overlaps.
    let mut weight = 5e-3;
    let progress = progress::bar(STEPS as u64);
    for step in 1..=STEPS {
        weight = 1e-4 + (weight - 1e-4) * (1.0 - 1.0 / 160.0);
        let growth = (0.6 + 0.4 * step as f64 / GROWTH as f64).min(1.0);
        for (sphere, radius) in spheres.iter_mut().zip(&radii) {
            sphere.radius = radius * growth;
        }
        pushes.fill(DVec3::ZERO);
        bed.sphere_contacts(spheres, |i, j, contact| {
            let push = STIFFNESS * contact.overlap * contact.normal;
            pushes[i] -= push;
            pushes[j] += push;
        })?;
        bed.wall_contacts(spheres, |i, contact| {
            pushes[i] -= STIFFNESS * contact.overlap * contact.normal;
        })?;
        for (i, sphere) in spheres.iter_mut().enumerate() {
            let acceleration = pushes[i] / mass[i] - weight * R_MIN * DVec3::Z;
            let velocity = (1.0 - DAMPING) * velocities[i] + acceleration;
            // Slow enough that no sphere passes through a wall.
            let most = 0.2 * sphere.radius;
            velocities[i] = velocity * (most / velocity.length().max(most));
            sphere.center += velocities[i];
        }
        progress.inc(1);
    }
    progress.finish();
    for (sphere, &radius) in spheres.iter_mut().zip(&radii) {
        *sphere = Sphere::new(sphere.center.to_array().map(round).into(), radius);
    }
    Ok(())
}

fn obj(vertices: &[DVec3], facets: &[Vec<u32>]) -> String {
    let mut text = String::from("# Metres, z up. Made by: cargo reproduce make_hopper\n");
    for DVec3 { x, y, z } in vertices {
        // The shortest digits that read back as the same f64.
        text += &format!("v {x:?} {y:?} {z:?}\n");
    }
    for facet in facets {
        let corners = facet.iter().map(|v| format!(" {}", v + 1));
        text += &format!("f{}\n", corners.collect::<String>());
    }
    text
}

fn csv(spheres: &[Sphere<DVec3>]) -> String {
    let mut text = String::from("x,y,z,r\n");
    for Sphere { center, radius } in spheres {
        text += &format!("{},{},{},{radius}\n", center.x, center.y, center.z);
    }
    text
}

/// Prints the contacts and their overlaps relative to the radius, of two spheres the smaller one.
fn summary(wall: &SurfaceMesh, spheres: &[Sphere<DVec3>]) -> Result<(), osculate::Error> {
    let mut bed = Bed::new(wall)?;
    let (mut count, mut sum, mut deepest) = (0, 0.0, 0.0_f64);
    bed.sphere_contacts(spheres, |i, j, contact| {
        let part = contact.overlap / spheres[i].radius.min(spheres[j].radius);
        count += 1;
        sum += part;
        deepest = deepest.max(part);
    })?;
    println!(
        "{count} contacts between spheres, {:.2} % deep on average, {:.1} % at most",
        100.0 * sum / f64::from(count),
        100.0 * deepest
    );
    let (mut features, mut deepest) = ([0; 3], 0.0_f64);
    bed.wall_contacts(spheres, |i, contact| {
        features[match contact.feature {
            Feature::Facet(_) => 0,
            Feature::Edge(..) => 1,
            Feature::Vertex(_) => 2,
        }] += 1;
        deepest = deepest.max(contact.overlap / spheres[i].radius);
    })?;
    let [facets, edges, vertices] = features;
    println!(
        "contacts on facets {facets}, edges {edges}, vertices {vertices}, {:.1} % deep at most",
        100.0 * deepest
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1);
    let folder = Path::new(folder.as_deref().unwrap_or("examples/data"));
    let Surface { vertices, facets } = hopper();
    fs::write(folder.join("hopper.obj"), obj(&vertices, &facets))?;
    let wall = SurfaceMesh::new(vertices, facets)?;
    let mut spheres = pour();
    settle(&wall, &mut spheres)?;
    if !spheres.iter().all(|sphere| is_inside(sphere.center)) {
        return Err("a sphere has left the hopper".into());
    }
    fs::write(folder.join("spheres.csv"), csv(&spheres))?;
    summary(&wall, &spheres)?;
    Ok(())
}
