//! Walls as STL files hold them: single precision, cracks and T-junctions. The contacts are those of
//! the surface that was meant.
//!
//! `NOISE_CASES` spheres for each wall; 400 unless set.

use std::f64::consts::{PI, TAU};

use osculate::glam::{DQuat, DVec3};
use osculate::testing::workload::Random;
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall};

type Triangle = [DVec3; 3];

/// A net of quadrilateral cells, each cut in two.
fn net(across: usize, along: usize, at: impl Fn(f64, f64) -> DVec3) -> Vec<Triangle> {
    let at = |i: usize, j: usize| at(i as f64, j as f64);
    let cells = (0..along).flat_map(|j| (0..across).map(move |i| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            }
        })
        .filter(|[a, b, c]| (b - a).cross(c - a).length() > 1e-9)
        .collect()
}

/// A point of a circle, the same bits for `i` and `i + count`.
fn circle(i: f64, count: usize, radius: f64) -> (f64, f64) {
    let angle = TAU * (i as usize % count) as f64 / count as f64;
    (radius * angle.cos(), radius * angle.sin())
}

/// Walls of planar facets as they were meant, with facets about half a unit wide.
fn walls() -> Vec<(&'static str, Vec<Triangle>)> {
    let bend = |angle: f64| {
        move |i: f64, j: f64| {
            let x = 0.5 * (i - 3.0);
            DVec3::new(x, 0.5 * j, x.abs() * angle.tan())
        }
    };
    let ring = |count: usize, radius: f64, slope: f64| {
        move |i: f64, j: f64| {
            let (x, y) = circle(i, count, radius - slope * j);
            DVec3::new(x, y, 0.5 * j)
        }
    };
    let globe = |i: f64, j: f64| {
        let (sin, cos) = match j as usize {
            0 => (0.0, -1.0),
            16 => (0.0, 1.0),
            _ => (PI * (j / 16.0 - 0.5)).sin_cos(),
        };
        let (x, y) = circle(i, 24, 2.0 * if sin.abs() == 1.0 { 0.0 } else { cos });
        DVec3::new(x, y, 2.0 * sin)
    };
    vec![
        ("plane", net(6, 6, |i, j| DVec3::new(0.5 * i, 0.5 * j, 0.0))),
        ("bend of 20 degrees", net(6, 6, bend(10f64.to_radians()))),
        ("bend of 0.2 degrees", net(6, 6, bend(0.1f64.to_radians()))),
        ("drum", net(24, 6, ring(24, 2.0, 0.0))),
        ("prism", net(6, 4, ring(6, 1.0, 0.0))),
        ("cone", net(16, 5, ring(16, 2.0, 0.25))),
        ("globe", net(24, 16, globe)),
    ]
}

/// How a file came to hold a wall.
#[derive(Clone, Copy, Debug)]
struct Export {
    /// How often each triangle is cut in two, with no regard to its neighbors.
    cuts: usize,
    /// Corners are rounded up or down at random, separately for each triangle.
    cracks: bool,
    /// Cuts come as close to corners as a millionth of the side.
    slivers: bool,
}

const fn export_of(cuts: usize, cracks: bool, slivers: bool) -> Export {
    Export {
        cuts,
        cracks,
        slivers,
    }
}

const EXPORTS: [Export; 5] = [
    export_of(0, false, false),
    export_of(3, false, false),
    export_of(2, true, false),
    export_of(3, false, true),
    export_of(3, true, true),
];

fn cut(random: &mut Random, triangle: Triangle, cuts: usize, how: Export, out: &mut Vec<Triangle>) {
    if cuts == 0 || random.below(4) == 0 {
        out.push(triangle);
        return;
    }
    let length = |i: usize| triangle[i].distance_squared(triangle[(i + 1) % 3]);
    let longest = (0..3)
        .max_by(|&i, &j| length(i).total_cmp(&length(j)))
        .unwrap();
    let [a, b, c] = [0, 1, 2].map(|i| triangle[(longest + i) % 3]);
    let part = if how.slivers && random.below(2) == 0 {
        10f64.powf(random.within(-6.0, 0.0))
    } else {
        random.within(0.2, 0.8)
    };
    let middle = a + (b - a) * part;
    cut(random, [a, middle, c], cuts - 1, how, out);
    cut(random, [middle, b, c], cuts - 1, how, out);
}

fn export(random: &mut Random, meant: &[Triangle], how: Export) -> Vec<Triangle> {
    let mut pieces = Vec::new();
    for &triangle in meant {
        cut(random, triangle, how.cuts, how, &mut pieces);
    }
    let mut round = |x: f64| {
        let nearest = x as f32;
        let is_above = f64::from(nearest) > x;
        f64::from(match random.below(if how.cracks { 2 } else { 1 }) {
            0 => nearest,
            _ if is_above => nearest.next_down(),
            _ => nearest.next_up(),
        })
    };
    let mut rounded = |p: DVec3| DVec3::new(round(p.x), round(p.y), round(p.z));
    pieces.iter().map(|t| t.map(&mut rounded)).collect()
}

fn cases() -> usize {
    let cases = std::env::var("NOISE_CASES").ok();
    cases.and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

/// Overlaps, the largest first.
fn overlaps(wall: &Wall, sphere: &Sphere<DVec3>) -> Vec<f64> {
    let mut found = Vec::new();
    DoubleHierarchy::new().contacts(sphere, wall, &mut Default::default(), |c| {
        found.push(c.overlap);
    });
    found
}

/// Whether the number of contacts and the sum of their overlaps are those meant, for some center
/// within `slack`: where a contact sets in, noise decides on which side of the place a center is.
fn agrees(exact: &Wall, sphere: &Sphere<DVec3>, found: &[f64], slack: f64) -> bool {
    let steps = [-1.0, 0.0, 1.0];
    let steps = steps
        .iter()
        .flat_map(|&x| steps.iter().map(move |&y| (x, y)));
    let mut steps = steps.flat_map(|(x, y)| [0.0, -1.0, 1.0].map(|z| DVec3::new(x, y, z)));
    let sum: f64 = found.iter().sum();
    steps.any(|step| {
        let moved = Sphere::new(sphere.center + step * slack, sphere.radius);
        let meant = overlaps(exact, &moved);
        let total: f64 = meant.iter().sum();
        let deepest = meant.first().copied().unwrap_or(0.0);
        meant.len() == found.len() && (sum - total).abs() <= 1e-5 * deepest + 4.0 * slack
    })
}

#[test]
fn contacts_of_files_are_those_of_the_surface_that_was_meant() {
    let mut random = Random::new(1);
    let mut wrong_of_all = 0;
    for (name, triangles) in walls() {
        for how in EXPORTS {
            let q = DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
            let shift = DVec3::new(0.7, -1.3, 0.4);
            let meant: Vec<Triangle> = triangles.iter().map(|t| t.map(|p| q * p + shift)).collect();
            let ids = (0..meant.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
            let exact = Wall::new(SurfaceMesh::welded(meant.as_flattened(), ids).unwrap());
            let file = export(&mut random, &meant, how);
            let wall = Wall::new(SurfaceMesh::from_triangles(&file).unwrap());
            let (mut wrong, mut several, mut near) = (0, 0, 0);
            let mut worst = 0.0_f64;
            for _ in 0..cases() {
                let [a, b, c] = meant[random.below(meant.len())];
                let (u, v) = (random.unit(), random.unit());
                let (u, v) = if u + v > 1.0 {
                    (1.0 - u, 1.0 - v)
                } else {
                    (u, v)
                };
                let normal = (b - a).cross(c - a).normalize();
                let radius = [0.2, 1.0][random.below(2)];
                let height = radius * random.within(0.6, 0.999);
                let side = if random.below(2) == 0 { 1.0 } else { -1.0 };
                let point = a + (b - a) * u + (c - a) * v;
                let sphere = Sphere::new(point + normal * (side * height), radius);
                let found = overlaps(&wall, &sphere);
                if agrees(&exact, &sphere, &found, 0.0) {
                } else if agrees(&exact, &sphere, &found, 4e-6) {
                    near += 1;
                } else {
                    wrong += 1;
                    let meant: f64 = overlaps(&exact, &sphere).iter().sum();
                    worst = worst.max(found.iter().sum::<f64>() / meant);
                }
                several += usize::from(found.len() > 1);
            }
            println!(
                "{name} {how:?}: {wrong} wrong, {near} near, {several} several, sum up to {worst:.2}"
            );
            wrong_of_all += wrong;
        }
    }
    assert_eq!(wrong_of_all, 0);
}
