//! Families of walls on the lattice: contacts are the exact local minima of the distance, feature
//! by feature, and the same bits however the wall is written down.
//!
//! `FAMILY_CASES` spheres for each family; 300 unless told.

use osculate::glam::DVec3;
use osculate::testing::workload::Random;
use osculate::testing::{laws, oracle, sequential_h2};
use osculate::{
    DoubleHierarchy, FacetSet, Feature, LastSide, NarrowPhase, Sphere, SurfaceMesh, Wall,
    WallContact,
};

type Point = [i64; 3];
type Facets = Vec<Vec<u32>>;

/// A cell, in units of the lattice.
const CELL: i64 = 1 << 16;
const SCALE: f64 = 1.0 / CELL as f64;

/// A wall, and the largest radius of the spheres on it, in cells.
struct Family {
    name: &'static str,
    vertices: Vec<Point>,
    facets: Facets,
    radius: f64,
}

/// A net of `across` x `along` cells, each cut into two triangles either way; if it is closed the
/// last column is the first.
fn net(
    across: u32,
    along: u32,
    is_closed: bool,
    at: impl Fn(i64, i64) -> Point,
) -> (Vec<Point>, Facets) {
    let columns = if is_closed { across } else { across + 1 };
    let vertices =
        (0..=along).flat_map(|j| (0..columns).map(move |i| (i64::from(i), i64::from(j))));
    let vertices = vertices.map(|(i, j)| at(i, j)).collect();
    let id = |i: u32, j: u32| j * columns + i % columns;
    let mut random = Random::new(u64::from(across * along));
    let mut facets = Vec::new();
    for (j, i) in (0..along).flat_map(|j| (0..across).map(move |i| (j, i))) {
        let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
        facets.extend(if random.unit() < 0.5 {
            [vec![a, b, c], vec![a, c, d]]
        } else {
            [vec![a, b, d], vec![b, c, d]]
        });
    }
    (vertices, facets)
}

/// Points of a circle on the lattice.
fn circle(i: i64, count: i64, radius: f64) -> [i64; 2] {
    let angle = std::f64::consts::TAU * i as f64 / count as f64;
    [angle.cos(), angle.sin()].map(|x| (x * radius * CELL as f64).round() as i64)
}

/// Lines of cells, (x, z), drawn out along y.
fn drawn(profile: &[(i64, i64)], is_closed: bool) -> (Vec<Point>, Facets) {
    let across = profile.len() as u32 - u32::from(!is_closed);
    let at = |i: i64, j: i64| {
        let (x, z) = profile[i as usize];
        [x * CELL / 8, j * CELL, z * CELL / 8]
    };
    net(across, 6, is_closed, at)
}

fn prism(count: i64, radius: f64, height: i64) -> (Vec<Point>, Facets) {
    let ring = (0..2 * count).map(|i| {
        let [x, y] = circle(i % count, count, radius);
        [x, y, i / count * height]
    });
    let n = count as u32;
    let mut facets: Facets = (0..n)
        .map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i])
        .collect();
    facets.push((0..n).rev().collect());
    facets.push((n..2 * n).collect());
    (ring.collect(), facets)
}

fn families() -> Vec<Family> {
    let heights: Vec<i64> = {
        let mut random = Random::new(11);
        (0..400)
            .map(|_| random.below(CELL as usize) as i64)
            .collect()
    };
    let rough = |i: i64, j: i64| [i * CELL, j * CELL, heights[(i + 20 * j) as usize % 400]];
    let plane = |i: i64, j: i64| [i * CELL, j * CELL, (3 * i - 2 * j) * CELL / 8];
    let bowl = |i: i64, j: i64| ((i - 4) * (i - 4) + (j - 4) * (j - 4)) * CELL / 16;
    let mut drum = net(24, 6, true, |i, j| {
        let [x, y] = circle(i, 24, 5.0);
        [x, y, j * CELL]
    });
    for (ring, z) in [(0, 0), (6, 6 * CELL)] {
        let hub = drum.0.len() as u32;
        drum.0.push([0, 0, z]);
        drum.1
            .extend((0..24).map(|i| vec![hub, ring * 24 + i, ring * 24 + (i + 1) % 24]));
    }
    let family = |name, (vertices, facets): (Vec<Point>, Facets), radius| Family {
        name,
        vertices,
        facets,
        radius,
    };
    let far = 3000 * CELL;
    vec![
        family("flat", net(8, 8, false, plane), 3.0),
        family(
            "flat, 1000 R away",
            net(8, 8, false, |i, j| plane(i, j).map(|c| c + far)),
            3.0,
        ),
        family(
            "convex",
            net(8, 8, false, |i, j| [i * CELL, j * CELL, -bowl(i, j)]),
            3.0,
        ),
        family(
            "dish",
            net(8, 8, false, |i, j| [i * CELL, j * CELL, bowl(i, j)]),
            3.0,
        ),
        family(
            "cylinder",
            net(24, 6, true, |i, j| {
                let [x, y] = circle(i, 24, 3.0);
                [x, y, j * CELL]
            }),
            2.5,
        ),
        family("drum", drum, 2.5),
        family(
            "cone",
            net(16, 6, true, |i, j| {
                let [x, y] = circle(i, 16, 4.0 - 0.5 * j as f64);
                [x, y, j * CELL]
            }),
            2.0,
        ),
        family("box", prism(4, 3.0, 2 * CELL), 3.0),
        family("prism of hexagons", prism(6, 4.0, 3 * CELL), 3.0),
        family(
            "v",
            drawn(&[(-24, 16), (-12, 8), (0, 0), (10, 9), (20, 18)], false),
            3.0,
        ),
        family(
            "fold",
            drawn(
                &[(0, 0), (8, 5), (16, 0), (24, 5), (32, -3), (40, 0)],
                false,
            ),
            3.0,
        ),
        family("rough", net(10, 10, false, rough), 2.0),
        family("rough, deep", net(12, 12, false, rough), 6.0),
        family(
            "step",
            drawn(&[(0, 0), (8, 0), (16, 0), (16, 8), (24, 8), (32, 8)], false),
            2.0,
        ),
        family(
            "ledge",
            drawn(
                &[
                    (0, 0),
                    (16, 0),
                    (16, 8),
                    (8, 8),
                    (8, 9),
                    (24, 9),
                    (24, 0),
                    (40, 0),
                ],
                false,
            ),
            2.0,
        ),
        family(
            "thin plate",
            drawn(&[(0, 0), (16, 0), (32, 0), (32, 1), (0, 1)], true),
            2.0,
        ),
        family(
            "needle",
            net(12, 6, false, |i, j| {
                [i * 16, j * CELL, heights[i as usize] >> 12]
            }),
            1.0,
        ),
    ]
}

fn cases() -> usize {
    let asked = std::env::var("FAMILY_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

/// A place near a vertex, a third of the coordinates of which are the vertex's own, so that feet
/// are exactly on edges and vertices too.
fn place(random: &mut Random, family: &Family) -> (Point, f64) {
    let vertex = family.vertices[random.below(family.vertices.len())];
    let size = family.radius * random.unit() * CELL as f64;
    let point = vertex.map(|c| {
        let moved = random.within(-size, size) as i64;
        if random.below(3) == 0 { c } else { c + moved }
    });
    (point, family.radius * random.within(0.1, 1.0))
}

fn contacts(mesh: &SurfaceMesh, sphere: &Sphere<DVec3>) -> Vec<WallContact> {
    let all: Vec<u32> = (0..mesh.facet_count() as u32).collect();
    let near = FacetSet::new(mesh, &all).unwrap();
    let mut found = Vec::new();
    DoubleHierarchy::new().contacts(sphere, &near, &mut LastSide::default(), |c| found.push(c));
    found
}

fn mesh(family: &Family, change: impl Fn(DVec3) -> DVec3) -> SurfaceMesh {
    let vertices = family
        .vertices
        .iter()
        .map(|&v| change(oracle::to_vector(v, SCALE)));
    SurfaceMesh::new(vertices.collect(), &family.facets).unwrap()
}

#[test]
fn contacts_are_the_local_minima() {
    for family in families() {
        let wall = Wall::new(mesh(&family, |v| v));
        let mut kernel = DoubleHierarchy::new();
        let mut random = Random::new(family.name.len() as u64);
        let mut touching = 0;
        for case in 0..cases() {
            let (point, radius) = place(&mut random, &family);
            let minima = oracle::local_minima(point, &family.vertices, &family.facets);
            let distances = || minima.iter().map(|m| m.1 * SCALE);
            if distances().any(|d| (d - radius).abs() < 1e-9) {
                continue;
            }
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let mut found = Vec::new();
            kernel.contacts(&sphere, &wall, &mut LastSide::default(), |c| found.push(c));
            assert_eq!(found, contacts(wall.mesh(), &sphere));
            let is_inside = |&&(_, distance): &&(Feature, f64)| distance * SCALE < radius;
            let expected: Vec<Feature> = minima.iter().filter(is_inside).map(|m| m.0).collect();
            let mut features: Vec<Feature> = found.iter().map(|c| c.feature).collect();
            features.sort_unstable();
            assert_eq!(
                features, expected,
                "{} {case}: {point:?} {radius}",
                family.name
            );
            for contact in &found {
                let exact = minima.iter().find(|m| m.0 == contact.feature).unwrap();
                let error = (radius - exact.1 * SCALE - contact.overlap).abs();
                assert!(error < 1e-12, "{} {case}: {error:e}", family.name);
                assert!((contact.normal.length() - 1.0).abs() < 1e-15);
            }
            touching += usize::from(!found.is_empty());
        }
        assert!(touching * 4 > cases(), "{} {touching}", family.name);
    }
}

#[test]
fn bits_depend_on_the_surface_only() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = Random::new(3);
        for seed in 0..cases() as u64 / 10 {
            let (point, radius) = place(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let view = |c: &WallContact| {
                let normal = if c.offset == DVec3::ZERO {
                    c.normal.abs()
                } else {
                    c.normal
                };
                (c.offset, normal + DVec3::ZERO, c.overlap)
            };
            laws::ignores_the_facets(&mut DoubleHierarchy::new(), &sphere, &own, view, seed)
                .unwrap();

            let exponent = random.below(240) as i32 - 120;
            let (scale, shift) = (2.0_f64.powi(exponent), DVec3::new(8.0, -16.0, 4.0));
            let moved = mesh(&family, |v| (v + shift) * scale);
            let moved_sphere = Sphere::new((sphere.center + shift) * scale, radius * scale);
            let found = contacts(&moved, &moved_sphere);
            let back: Vec<_> = (found.iter())
                .map(|c| (c.offset / scale, c.normal, c.overlap / scale, c.feature))
                .collect();
            let expected = contacts(&own, &sphere);
            let expected: Vec<_> = (expected.iter())
                .map(|c| (c.offset, c.normal, c.overlap, c.feature))
                .collect();
            assert_eq!(back, expected, "{}", family.name);
        }
    }
}

/// The depth is the distance to a set: it changes by no more than the centre moves, and there is a
/// contact wherever the set is inside the sphere. Facets out of reach do not matter.
#[test]
fn depth_follows_the_centre() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = Random::new(4);
        for _ in 0..cases() / 10 {
            let (point, radius) = place(&mut random, &family);
            let mut center = oracle::to_vector(point, SCALE);
            let mut depth = None;
            for _ in 0..20 {
                let step = DVec3::from_array([0; 3].map(|_| random.within(-0.1, 0.1)));
                center += step;
                let sphere = Sphere::new(center, radius);
                let found = contacts(&own, &sphere);
                let now = found.first().map_or(0.0, |c| c.overlap);
                if let Some(depth) = depth.replace(now) {
                    assert!(
                        (now - depth).abs() <= step.length() + 1e-12,
                        "{}",
                        family.name
                    );
                }
                let near = |f: &u32| {
                    let corners = own
                        .facet(*f as usize)
                        .unwrap()
                        .corners()
                        .collect::<Vec<_>>();
                    let closest = osculate::math::closest_on_polygon(center, &corners);
                    closest.distance_squared.sqrt() < radius * (1.0 + 1e-12)
                };
                let near: Vec<u32> = (0..own.facet_count() as u32).filter(near).collect();
                let near = FacetSet::new(&own, &near).unwrap();
                let mut again = Vec::new();
                let last = &mut LastSide::default();
                DoubleHierarchy::new().contacts(&sphere, &near, last, |c| again.push(c));
                assert_eq!(found, again);
            }
        }
    }
}

/// What the paper's method makes of the families: a wrong number of contacts in a part of the
/// cases, where ours has none. (Its exact zeros decide ties by rounding; here ties are left out.)
#[test]
fn the_sequential_method_fails_on_curved_walls() {
    for (name, least) in [("cylinder", 0.1), ("dish", 0.05)] {
        let families = families();
        let family = families.iter().find(|f| f.name == name).unwrap();
        let own = mesh(family, |v| v);
        let all: Vec<u32> = (0..own.facet_count() as u32).collect();
        let mut random = Random::new(5);
        let (mut touching, mut wrong) = (0_u32, 0_u32);
        for _ in 0..1000 {
            let vertex = family.vertices[random.below(family.vertices.len())];
            let jitter = DVec3::from_array([0; 3].map(|_| random.within(-1.0, 1.0)));
            let radius = random.within(0.5, 1.5);
            let sphere = Sphere::new(oracle::to_vector(vertex, SCALE) + jitter * radius, radius);
            let right = contacts(&own, &sphere).len();
            touching += u32::from(right > 0);
            wrong += u32::from(sequential_h2::contacts(&own, &all, &sphere).len() != right);
        }
        let part = f64::from(wrong) / f64::from(touching);
        assert!(part > least, "{name}: {wrong} of {touching}");
        println!("{name}: {wrong} of {touching} wrong");
    }
}
