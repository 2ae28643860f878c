//! Families of walls in 2D, on the lattice: contacts are the exact local minima of the distance,
//! and the same bits for any order and numbering of the segments.
//!
//! `OSCULATE_CASES` discs for each family; 1000 by default.

use super::families::{assert_minima, assert_same_points, place_of};
use crate::support::all_contacts;
use crate::support::families::{CELL, SCALE};
use crate::support::wall::all_minima;
use osculate::glam::DVec2;
use osculate::testing::oracle;
use osculate::testing::workload::SplitMix64;
use osculate::{Feature, Sphere, Wall, WallContact, narrow::FacetSubset, shape::SegmentMesh};

type Point = [i64; 2];
type Segments = Vec<[u32; 2]>;

struct Family {
    name: &'static str,
    vertices: Vec<Point>,
    segments: Segments,
}

/// Eighths of cells, joined one after the other, and the last with the first if it is closed.
fn line(name: &'static str, corners: &[(i64, i64)], is_closed: bool) -> Family {
    let count = corners.len() as u32;
    let last = count - u32::from(!is_closed);
    Family {
        name,
        vertices: corners
            .iter()
            .map(|&(x, y)| [x * CELL / 8, y * CELL / 8])
            .collect(),
        segments: (0..last).map(|i| [i, (i + 1) % count]).collect(),
    }
}

fn families() -> Vec<Family> {
    let mut random = SplitMix64::new(12);
    let mut heights = |most: i64| -> Vec<(i64, i64)> {
        (0..40)
            .map(|x| (4 * x, random.below(most as usize + 1) as i64))
            .collect()
    };
    let circle = |count: i64| -> Vec<(i64, i64)> {
        let angle = |i: i64| std::f64::consts::TAU * i as f64 / count as f64;
        let corner = |i: i64| angle(i).sin_cos();
        let corners = (0..count).map(corner);
        let rounded = corners.map(|(sin, cos)| ((24.0 * cos) as i64, (24.0 * sin) as i64));
        rounded.collect()
    };
    let floor = [0, 3, 4, 9, 20, 21, 30, 44].map(|x| (x, 2 * x - 7));
    let far = floor.map(|(x, y)| (x + 24_000, y + 24_000));
    let cross = [(-20, 0), (0, 0), (20, 4), (3, 19), (-4, -20)];
    let mut cross = line("crossing at a vertex", &cross, false);
    cross.segments = vec![[0, 1], [1, 2], [3, 1], [1, 4]];
    let wedge = [(-30, 20), (-10, 7), (0, 0), (12, 5), (30, 13)];
    let step = [(0, 0), (8, 0), (16, 0), (16, 8), (24, 8), (32, 8)];
    let ledge = [
        (0, 0),
        (16, 0),
        (16, 8),
        (8, 8),
        (8, 9),
        (24, 9),
        (24, 0),
        (40, 0),
    ];
    let needles = [(0, 0), (2, 30), (3, 0), (4, 31), (5, 1), (30, 2), (5, 3)];
    vec![
        line("floor", &floor, false),
        line("floor, 1000 R away", &far, false),
        line("wedge", &wedge, false),
        line("ridge", &[(-30, -20), (0, 0), (30, -13)], false),
        line("step", &step, false),
        line("ledge", &ledge, false),
        line("thin plate", &[(0, 0), (40, 0), (40, 1), (0, 1)], true),
        line("convex", &circle(7), true),
        line("circle", &circle(24), true),
        line("rough", &heights(4), false),
        line("rough, deep", &heights(20), false),
        line("needles", &needles, false),
        cross,
    ]
}

fn cases() -> usize {
    crate::support::cases(1000)
}

/// The minima of the wall that the segments sweep along z, where vertices are edges. In integers.
fn local_minima([x, y]: Point, family: &Family) -> Vec<(Feature, f64)> {
    let ends = { family.vertices.iter() }.flat_map(|&[x, y]| [[x, y, -CELL], [x, y, CELL]]);
    let facets = { family.segments.iter() }.map(|&[i, j]| [2 * i, 2 * j, 2 * j + 1, 2 * i + 1]);
    let (ends, facets): (Vec<_>, Vec<_>) = (ends.collect(), facets.collect());
    let in_plane = |(feature, distance)| match feature {
        Feature::Edge(end, _) => (Feature::Vertex(end / 2), distance * SCALE),
        facet => (facet, distance * SCALE),
    };
    let minima = oracle::local_minima([x, y, 0], &ends, &facets).into_iter();
    minima.map(in_plane).collect()
}

fn vector(point: Point) -> DVec2 {
    DVec2::from_array(point.map(|c| c as f64 * SCALE))
}

fn mesh(family: &Family, change: impl Fn(DVec2) -> DVec2) -> SegmentMesh {
    let vertices = family.vertices.iter().map(|&v| change(vector(v)));
    let mesh = SegmentMesh::new(vertices.collect(), family.segments.clone()).unwrap();
    mesh.with_precision(0.0).unwrap()
}

fn contacts(mesh: &SegmentMesh, disc: &Sphere<DVec2>) -> Vec<WallContact<DVec2>> {
    let all: Vec<u32> = (0..mesh.facet_count()).collect();
    let wall = Wall::new(mesh.clone());
    all_contacts(
        &mut all_minima(),
        disc,
        &FacetSubset::new(&wall, &all).unwrap(),
    )
}

/// A disc near a vertex, a third of whose coordinates are the vertex's own, away from ties with its
/// radius; and the minima there.
fn draw(random: &mut SplitMix64, family: &Family) -> (Sphere<DVec2>, Vec<(Feature, f64)>) {
    loop {
        let vertex = family.vertices[random.below(family.vertices.len())];
        let size = 3.0 * random.unit() * CELL as f64;
        let point = vertex.map(|c| {
            let moved = random.range(-size, size) as i64;
            if random.below(3) == 0 { c } else { c + moved }
        });
        let radius = random.range(0.3, 3.0);
        let mut minima = local_minima(point, family);
        if minima.iter().all(|m| (m.1 - radius).abs() > 1e-9) {
            minima.sort_unstable_by_key(|m| m.0);
            return (Sphere::new(vector(point), radius), minima);
        }
    }
}

#[test]
fn contacts_are_the_local_minima() {
    for family in families() {
        let wall = Wall::new(mesh(&family, |v| v));
        let mut random = SplitMix64::new(family.name.len() as u64);
        let (mut kernel, mut touching) = (all_minima(), 0);
        for case in 0..cases() {
            let (disc, minima) = draw(&mut random, &family);
            let found = all_contacts(&mut kernel, &disc, &wall);
            assert_eq!(found, contacts(wall.mesh(), &disc));
            assert!(found.is_sorted_by(|a, b| a.overlap >= b.overlap));
            assert_minima(&found, &minima, disc.radius, &(family.name, case, disc));
            touching += usize::from(!found.is_empty());
        }
        assert!(touching * 4 > cases(), "{} {touching}", family.name);
    }
}

/// Segments in another order, some of them reversed, with shared vertices and without.
fn rewritten(own: &SegmentMesh, random: &mut SplitMix64) -> [SegmentMesh; 2] {
    let mut shared = own.segments().to_vec();
    random.shuffle(&mut shared);
    for ends in &mut shared {
        if random.below(2) == 0 {
            ends.reverse();
        }
    }
    let pieces = { shared.iter() }.map(|ends| ends.map(|id| own.vertices()[id as usize]));
    let pieces: Vec<_> = pieces.collect();
    let shared = SegmentMesh::new(own.vertices().to_vec(), shared).unwrap();
    [shared.with_precision(0.0).unwrap(), soup(&pieces)]
}

/// Segments that share no vertices.
fn soup(pieces: &[[DVec2; 2]]) -> SegmentMesh {
    let ids = (0..pieces.len() as u32).map(|i| [2 * i, 2 * i + 1]);
    let mesh = SegmentMesh::new(pieces.concat(), ids.collect()).unwrap();
    mesh.with_precision(0.0).unwrap()
}

fn places(mesh: &SegmentMesh, disc: &Sphere<DVec2>) -> Vec<(DVec2, DVec2, f64)> {
    contacts(mesh, disc).iter().map(place_of).collect()
}

/// Segments in another order, reversed, with shared vertices or without, scaled, translated: the same bits.
#[test]
fn bits_depend_on_the_curve_only() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = SplitMix64::new(9);
        for _ in 0..cases() / 10 {
            let (disc, _) = draw(&mut random, &family);
            // Also in a pose in which nothing is exact.
            let turn = DVec2::from_angle(random.range(-3.0, 3.0));
            let turned = Sphere::new(turn.rotate(disc.center), disc.radius);
            let turned_mesh = mesh(&family, |v| turn.rotate(v));
            for (own, disc) in [(&own, disc), (&turned_mesh, turned)] {
                let expected = places(own, &disc);
                for other in rewritten(own, &mut random) {
                    assert_eq!(places(&other, &disc), expected, "{}", family.name);
                }
            }

            let scale = 2.0_f64.powi(random.below(240) as i32 - 120);
            let shift = DVec2::new(8.0, -16.0);
            let moved = mesh(&family, |v| (v + shift) * scale);
            let moved_disc = Sphere::new((disc.center + shift) * scale, disc.radius * scale);
            let in_units = |mesh, disc: &Sphere<DVec2>, unit: f64| -> Vec<_> {
                let found = contacts(mesh, disc).into_iter();
                let data =
                    |c: WallContact<_>| (c.offset / unit, c.normal, c.overlap / unit, c.feature);
                found.map(data).collect()
            };
            let expected = in_units(&own, &disc, 1.0);
            assert_eq!(
                in_units(&moved, &moved_disc, scale),
                expected,
                "{}",
                family.name
            );
        }
    }
}

/// Each segment cut at quarters, the pieces without common ids, some of them there twice, and the
/// uncut ones among them: the same contacts, as points.
#[test]
fn contacts_stay_when_segments_are_cut() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = SplitMix64::new(10);
        let mut pieces: Vec<[DVec2; 2]> = Vec::new();
        for ends in &family.segments {
            let [a, b] = ends.map(|id| vector(family.vertices[id as usize]));
            let at = |quarters: usize| a + (b - a) * (0.25 * quarters as f64);
            let cuts = [0, 1 + random.below(3), 4];
            let parts = cuts.windows(2).map(|cut| [at(cut[0]), at(cut[1])]);
            match random.below(3) {
                0 => pieces.push([a, b]),
                1 => pieces.extend(parts),
                _ => pieces.extend(parts.chain([[b, a], [at(1), at(3)]])),
            }
        }
        random.shuffle(&mut pieces);
        let cut = soup(&pieces);
        for case in 0..cases() {
            let (disc, _) = draw(&mut random, &family);
            let (found, expected) = (contacts(&cut, &disc), contacts(&own, &disc));
            assert_same_points(&found, &expected, &(family.name, case, disc));
        }
    }
}
