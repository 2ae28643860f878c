//! Walls as in STL files: single precision, cracks and T-junctions. The contacts are those of the
//! intended surface.
//!
//! `OSCULATE_CASES` spheres for each wall; 400 by default.

use std::f64::consts::{PI, TAU};

use crate::support::wall;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{Sphere, SurfaceMesh, Wall, WallContact, shape::SegmentMesh};

type Triangle = [DVec3; 3];

/// The triangles of a net of cells that have an area.
fn net(across: u32, along: u32, at: impl Fn(f64, f64) -> DVec3) -> Vec<Triangle> {
    let mesh = wall::grid([across, along], |i, j| at(i.into(), j.into()));
    let facets = mesh
        .facets()
        .map(|facet| facet.corners().collect::<Vec<_>>());
    facets
        .map(|corners| [corners[0], corners[1], corners[2]])
        .filter(|[a, b, c]| (b - a).cross(c - a).length() > 1e-9)
        .collect()
}

/// A point of a circle, the same bits for `i` and `i + count`.
fn circle(i: f64, count: usize, radius: f64) -> (f64, f64) {
    let angle = TAU * (i as usize % count) as f64 / count as f64;
    (radius * angle.cos(), radius * angle.sin())
}

/// The intended walls of planar facets, with facets about half a unit wide.
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
            0 => (-1.0, 0.0),
            16 => (1.0, 0.0),
            _ => (PI * (j / 16.0 - 0.5)).sin_cos(),
        };
        let (x, y) = circle(i, 24, 2.0 * cos);
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
pub(super) struct Export {
    /// How often each triangle is cut in two, with no regard to its neighbors.
    pub(super) cuts: usize,
    /// Corners are rounded up or down at random, separately for each triangle.
    pub(super) cracks: bool,
    /// Cuts come as close to corners as a millionth of the side.
    pub(super) slivers: bool,
}

#[rustfmt::skip]
pub(super) const EXPORTS: [Export; 5] = [
    Export { cuts: 0, cracks: false, slivers: false },
    Export { cuts: 3, cracks: false, slivers: false },
    Export { cuts: 2, cracks: true, slivers: false },
    Export { cuts: 3, cracks: false, slivers: true },
    Export { cuts: 3, cracks: true, slivers: true },
];

fn cut(
    random: &mut SplitMix64,
    triangle: Triangle,
    cuts: usize,
    how: Export,
    out: &mut Vec<Triangle>,
) {
    if cuts == 0 || random.below(4) == 0 {
        out.push(triangle);
        return;
    }
    let [a, b, c] = wall::from_longest_side(triangle);
    let part = if how.slivers && random.below(2) == 0 {
        10f64.powf(random.range(-6.0, 0.0))
    } else {
        random.range(0.2, 0.8)
    };
    let middle = a + (b - a) * part;
    cut(random, [a, middle, c], cuts - 1, how, out);
    cut(random, [middle, b, c], cuts - 1, how, out);
}

pub(super) fn export(random: &mut SplitMix64, meant: &[Triangle], how: Export) -> Vec<Triangle> {
    let mut pieces = Vec::new();
    for &triangle in meant {
        cut(random, triangle, how.cuts, how, &mut pieces);
    }
    let mut rounded =
        |p: DVec3| DVec3::from_array(p.to_array().map(|x| single(random, x, how.cracks)));
    pieces.iter().map(|t| t.map(&mut rounded)).collect()
}

fn cases() -> usize {
    crate::support::cases(400)
}

fn contacts(wall: &Wall, sphere: &Sphere<DVec3>) -> Vec<WallContact> {
    wall::contacts(wall, sphere.center, sphere.radius)
}

/// Rounds to single precision, or to either neighbor at random.
fn single(random: &mut SplitMix64, x: f64, is_random: bool) -> f64 {
    let nearest = x as f32;
    let is_above = f64::from(nearest) > x;
    f64::from(match (is_random && random.below(2) == 1, is_above) {
        (false, _) => nearest,
        (true, true) => nearest.next_down(),
        (true, false) => nearest.next_up(),
    })
}

/// How far noise may move the position where a contact sets in: twelve precisions, within which parts touch.
const NOISE: f64 = 1.2e-5;
/// The same for walls with slivers, whose normals are less certain.
const NOISE_OF_SLIVERS: f64 = 5e-4;

/// Whether contacts are the intended ones. Where a contact sets in, noise decides on which side a
/// center is: such contacts may exist or not.
fn agree(exact: &Wall, sphere: &Sphere<DVec3>, found: &[WallContact], noise: f64) -> bool {
    let is_same = |a: &WallContact, b: &WallContact, shift: f64| {
        let (difference, bend) = (a.overlap - b.overlap, a.normal.distance(b.normal));
        // Of two minima that are one contact, noise decides which is nearer.
        let is_either = difference.abs() < 1e-6 && bend < 2.0_f64.powi(-5);
        difference.abs() <= 1e-5 * a.overlap.max(b.overlap) + 2e-6 + 2.0 * shift
            && (is_either || bend < 1e-3 + 2.0 * shift / sphere.radius)
    };
    let meant = contacts(exact, sphere);
    let mut pairs = found.iter().zip(&meant);
    if found.len() == meant.len() && pairs.all(|(a, b)| is_same(a, b, 0.0)) {
        return true;
    }
    let steps = [-noise, 0.0, noise];
    let moved = |i: usize| DVec3::new(steps[i % 3], steps[i / 3 % 3], steps[i / 9]);
    let around = (0..27).map(|i| Sphere::new(sphere.center + moved(i), sphere.radius));
    let around: Vec<_> = around.map(|sphere| contacts(exact, &sphere)).collect();
    let is_in =
        |c: &WallContact, all: &[WallContact], shift| all.iter().any(|o| is_same(c, o, shift));
    let is_certain = |c: &&WallContact| around.iter().all(|all| is_in(c, all, noise));
    let is_possible = |c: &WallContact| around.iter().any(|all| is_in(c, all, noise));
    let is_twin = |i: usize| is_in(&found[i], &found[..i], 0.0);
    (meant.iter().filter(is_certain)).all(|contact| is_in(contact, found, 0.0))
        && found.iter().all(is_possible)
        && !(0..found.len()).any(is_twin)
}

/// Whether two minima differ in their normals by the angle at which contacts are one, to noise.
fn is_tied(exact: &Wall, sphere: &Sphere<DVec3>) -> bool {
    let minima = wall::contacts_by(&mut wall::all_minima(), exact, sphere);
    let normals = || minima.iter().map(|minimum| minimum.normal);
    let is_near = |bend: f64| (bend - 2.0_f64.powi(-5)).abs() < 1e-3;
    normals().any(|a| normals().any(|b| is_near(a.distance(b))))
}

/// A wall as intended, and as a file stores it.
fn both(
    random: &mut SplitMix64,
    triangles: &[Triangle],
    how: Export,
) -> (Wall, Vec<Triangle>, Wall) {
    let rotation = DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
    let place = |p: DVec3| rotation * p + DVec3::new(0.7, -1.3, 0.4);
    let meant: Vec<Triangle> = triangles.iter().map(|t| t.map(place)).collect();
    let ids = (0..meant.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    let exact = SurfaceMesh::welded(meant.as_flattened(), ids, 0.0).unwrap();
    let file = SurfaceMesh::from_triangles(&export(random, &meant, how)).unwrap();
    (Wall::new(exact), meant, Wall::new(file))
}

#[test]
fn contacts_of_files_are_those_of_the_surface_that_was_meant() {
    let mut random = SplitMix64::new(1);
    for (name, triangles) in walls() {
        for how in EXPORTS {
            let (exact, meant, wall) = both(&mut random, &triangles, how);
            let noise = if how.slivers { NOISE_OF_SLIVERS } else { NOISE };
            let (mut wrong, mut several) = (0, 0);
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
                let side = [1.0, -1.0][random.below(2)];
                let height = side * radius * random.range(0.6, 0.999);
                let point = a + (b - a) * u + (c - a) * v;
                let sphere = Sphere::new(point + normal * height, radius);
                let found = contacts(&wall, &sphere);
                let is_right = agree(&exact, &sphere, &found, noise) || is_tied(&exact, &sphere);
                wrong += usize::from(!is_right);
                several += usize::from(found.len() > 1);
            }
            println!("{name} {how:?}: {wrong} wrong, {several} with several contacts");
            // Stacks of slivers that are hardly wider than the cracks between them.
            let allowed = usize::from(how.slivers) * cases().div_ceil(1000);
            assert!(wrong <= allowed, "{name} {how:?}");
        }
    }
}

/// One contact at each step, as deep as on the intended plane.
#[test]
fn ball_that_rolls_over_a_plane() {
    let mut random = SplitMix64::new(2);
    let plane = &walls()[0].1;
    for how in EXPORTS {
        let (exact, _, wall) = both(&mut random, plane, how);
        let corner = |i: u32| exact.mesh().facet(i).unwrap().corners().next().unwrap();
        let (from, to) = (corner(0), corner(70));
        let normal = exact.mesh().facet(0).unwrap().normal();
        for (radius, depth) in [(0.2, 1e-2), (0.2, 0.1), (1.0, 1e-2)] {
            for step in 0..10 * cases() {
                let part = (step as f64 + 0.5) / (10 * cases()) as f64;
                let above = normal * (radius - depth);
                let sphere = Sphere::new(from + (to - from) * part + above, radius);
                let found = contacts(&wall, &sphere);
                assert_eq!(found.len(), 1, "{how:?} {step} {found:?}");
                assert!((found[0].overlap - depth).abs() < 1e-5 * depth + wall.mesh().precision());
            }
        }
    }
}

/// The report names the T-junctions of a file as those of the intended surface.
#[test]
fn report_of_a_file() {
    let mut random = SplitMix64::new(3);
    let mut pieces = Vec::new();
    let how = EXPORTS[1];
    for triangle in walls().swap_remove(3).1 {
        cut(&mut random, triangle, how.cuts, how, &mut pieces);
    }
    let ids = (0..pieces.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    let exact = SurfaceMesh::welded(pieces.as_flattened(), ids, 0.0).unwrap();
    let single = |p: DVec3| p.as_vec3().as_dvec3();
    let single: Vec<_> = pieces.iter().map(|t| t.map(single)).collect();
    let file = SurfaceMesh::from_triangles(&single).unwrap();
    let [meant, found] = [exact, file].map(|mesh| mesh.report().hanging_vertices.len());
    assert!(meant > 300, "{meant}");
    assert_eq!(found, meant);
}

/// Lines in the plane, each segment rounded by itself, up or down: on a straight line one contact, in
/// and on a polygon those of the exact one.
#[test]
fn segments_of_a_file() {
    let mut random = SplitMix64::new(4);
    let turn = |p: DVec2| DVec2::new(0.8 * p.x - 0.6 * p.y + 0.3, 0.6 * p.x + 0.8 * p.y - 0.7);
    let line: Vec<DVec2> = (0..9)
        .map(|i| DVec2::new(0.5 * f64::from(i), 0.0))
        .collect();
    let ring = (0..25).map(|i| DVec2::from(circle(f64::from(i), 24, 2.0)));
    for (name, corners) in [("line", line), ("ring", ring.collect())] {
        let corners: Vec<DVec2> = corners.into_iter().map(turn).collect();
        let (mut ends, mut meant) = (Vec::new(), Vec::new());
        for pair in corners.windows(2) {
            meant.extend_from_slice(pair);
            let middle = pair[0].lerp(pair[1], 0.37);
            for end in [pair[0], middle, middle, pair[1]] {
                let end = end.to_array().map(|x| single(&mut random, x, true));
                ends.push(DVec2::from_array(end));
            }
        }
        let wall = |ends: Vec<DVec2>| {
            let segments = (0..ends.len() as u32 / 2).map(|i| [2 * i, 2 * i + 1]);
            Wall::new(SegmentMesh::new(ends, segments.collect()).unwrap())
        };
        let (exact, file) = (wall(meant), wall(ends));
        let overlaps = |wall: &Wall<SegmentMesh>, center, radius| -> Vec<f64> {
            let found = wall::contacts(wall, center, radius);
            found.iter().map(|c| c.overlap).collect()
        };
        for case in 0..10 * cases() {
            let i = random.below(corners.len() - 1);
            let along = corners[i + 1] - corners[i];
            let normal = DVec2::new(-along.y, along.x).normalize();
            let radius = [0.2, 1.0][random.below(2)];
            let height = [1.0, -1.0][random.below(2)] * radius * random.range(0.6, 0.99);
            let center = corners[i] + along * random.unit() + normal * height;
            let found = overlaps(&file, center, radius);
            let steps = [0.0, -NOISE, NOISE];
            let agrees = (0..9).any(|j| {
                let moved = center + DVec2::new(steps[j % 3], steps[j / 3]);
                let meant = overlaps(&exact, moved, radius);
                let mut pairs = found.iter().zip(&meant);
                found.len() == meant.len() && pairs.all(|(a, b)| (a - b).abs() < 2.0 * NOISE)
            });
            assert!(agrees, "{name} {case} {center} {radius} {found:?}");
        }
    }
}
