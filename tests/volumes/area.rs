//! Contact areas in 2D: against integers, against prisms cut by each other, and by properties.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use osculate::glam::{DVec2, DVec3};
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes, intersection_volume};
use osculate::testing::properties::volume;
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexPolygon, Placed, Pose2,
    narrow::{IntersectionKind, PolygonPolygon},
    shape::Polygon,
};

use super::laws;
use crate::support::solids::{assert_near, assert_near_vector, assert_same_parts, large};
use crate::support::{all_contacts, cases};

type Contact = ContactVolume<DVec2>;
type Body<'a> = Placed<&'a Polygon, DVec2>;

fn run(mut kernel: PolygonPolygon, a: &Body, b: &Body) -> Vec<Contact> {
    all_contacts(&mut kernel, a, b)
}

fn only(a: &Body, b: &Body) -> Option<Contact> {
    let contacts = run(PolygonPolygon::new(), a, b);
    assert!(contacts.len() <= 1);
    contacts.first().copied()
}

fn at(shape: &Polygon, pose: Pose2) -> Body<'_> {
    Placed::new(shape, pose)
}

fn moved(shape: &Polygon, x: f64, y: f64) -> Body<'_> {
    at(shape, Pose2::from_translation(DVec2::new(x, y)).unwrap())
}

fn random_pose(random: &mut SplitMix64, reach: f64) -> Pose2 {
    let angle = random.range(-PI, PI);
    let shift = DVec2::new(random.range(-reach, reach), random.range(-reach, reach));
    Pose2::from_angle(angle, shift).unwrap()
}

/// Corners at growing angles, at random distances: concave, some of them repeated.
fn star(corners: usize, random: &mut SplitMix64) -> Polygon {
    let corner = |i: usize| {
        let radius = random.range(0.3, 1.0);
        DVec2::from_angle(2.0 * PI * i as f64 / corners as f64) * radius
    };
    let mut vertices: Vec<DVec2> = (0..corners).map(corner).collect();
    vertices.insert(1, vertices[0]);
    Polygon::new(vertices).unwrap()
}

fn polygons() -> Vec<Polygon> {
    let mut random = SplitMix64::new(31);
    let mut polygons = [5, 8, 13, 40].map(|n| star(n, &mut random)).to_vec();
    let base = [(0, 0), (6, 0)];
    let teeth = [(6, 4), (5, 1), (4, 4), (3, 1), (2, 4), (1, 1), (0, 4)];
    let comb = base.into_iter().chain(teeth);
    let comb = comb.map(|corner| on_lattice(corner) * 0.25 - DVec2::splat(0.7));
    polygons.push(Polygon::new(comb.collect()).unwrap());
    polygons
}

fn on_lattice((x, y): (i32, i32)) -> DVec2 {
    DVec2::new(f64::from(x), f64::from(y))
}

/// A polygon by corners in units of a length.
fn polygon(unit: f64, corners: &[(i32, i32)]) -> Polygon {
    let corners = corners.iter().map(|&corner| on_lattice(corner) * unit);
    Polygon::new(corners.collect()).unwrap()
}

/// The prism over a polygon: caps are fans, parts of which may face the wrong way.
fn prism(body: &Body, heights: [f64; 2]) -> Vec<[DVec3; 3]> {
    let vertices = body.shape.vertices().iter();
    let corners: Vec<DVec2> = vertices.map(|&v| body.pose.transform_point(v)).collect();
    let mut triangles = Vec::new();
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let [[a0, a1], [b0, b1], [c0, c1]] =
            [a, b, corners[0]].map(|p| heights.map(|z| p.extend(z)));
        triangles.extend([[a0, b0, b1], [a0, b1, a1], [c1, a1, b1], [c0, b0, a0]]);
    }
    triangles
}

/// Area, S and G by prisms.
fn shared_area(a: &Body, b: &Body) -> (f64, DVec2, f64) {
    let (volume, area, moment) = intersection_volume(&prism(a, [0.0, 1.0]), &prism(b, [-1.0, 2.0]));
    (volume, area.truncate(), moment.z)
}

/// A simple polygon of unit squares within 4 x 4, with a corner at each lattice point of its
/// boundary.
fn random_cells(random: &mut SplitMix64) -> (Vec<LatticePoint>, Polygon) {
    loop {
        let mut cells: Vec<LatticePoint> = vec![[1, 1, 0]];
        for _ in 0..random.below(12) {
            let mut cell = cells[random.below(cells.len())];
            let axis = random.below(2);
            cell[axis] = (cell[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(0, 3);
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        let (mut next, mut is_pinched) = (BTreeMap::new(), false);
        for &[x, y, _] in &cells {
            let corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
            let beside = [[x, y - 1], [x + 1, y], [x, y + 1], [x - 1, y]];
            for k in 0..4 {
                if !cells.contains(&[beside[k][0], beside[k][1], 0]) {
                    let other = next.insert(corners[k], corners[(k + 1) % 4]);
                    is_pinched |= other.is_some();
                }
            }
        }
        if is_pinched {
            continue;
        }
        let start = *next.first_key_value().unwrap().0;
        let on_border = |corner: &[i64; 2]| Some(next[corner]).filter(|&corner| corner != start);
        let corners: Vec<_> = std::iter::successors(Some(start), on_border).collect();
        // Without holes.
        if corners.len() == next.len() {
            let corners = corners.iter().map(|c| DVec2::new(c[0] as f64, c[1] as f64));
            return (cells, Polygon::new(corners.collect()).unwrap());
        }
    }
}

/// All kinds of ties: area, S and G equal those in integers after the translation.
#[test]
fn cells_against_integers() {
    let mut random = SplitMix64::new(1);
    let mut touching = 0;
    for _ in 0..4000 {
        let (cells_a, a) = random_cells(&mut random);
        let (cells_b, b) = random_cells(&mut random);
        let shift: LatticePoint = [1 + random.below(3) as i64, random.below(7) as i64 - 3, 0];
        let there: Vec<LatticePoint> = cells_b
            .iter()
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        // A layer of cubes.
        let (area, width, moment) = intersection_of_cubes(&cells_a, &there);
        let a = moved(&a, 0.0, 0.0);
        let b = moved(&b, shift[0] as f64, shift[1] as f64);
        let separate = run(PolygonPolygon::new().with_separate_regions(true), &a, &b);
        let whole = only(&a, &b);
        assert_eq!(whole.is_some(), !separate.is_empty());
        assert_eq!(whole.is_some(), area != 0, "{whole:?}");
        touching += usize::from(width != [0; 3] && area == 0);
        assert!(separate.iter().all(|c| c.volume > 0.0));
        for (i, contacts) in [whole.as_slice(), &separate].into_iter().enumerate() {
            let sum = |value: fn(&Contact) -> f64| contacts.iter().map(value).sum::<f64>();
            assert_near(sum(|c| c.volume), area as f64, 1e-12);
            assert!((sum(|c| c.volume) - area as f64).abs() <= sum(|c| c.error_bound));
            // Regions without area are no contacts, although sides may lie on each other.
            if i == 1 || whole.is_none() {
                continue;
            }
            assert_near(sum(|c| c.area_vector.x), width[0] as f64, 1e-12);
            assert_near(sum(|c| c.area_vector.y), width[1] as f64, 1e-12);
            let about = sum(|c| c.moment_vector_about(DVec2::ZERO));
            assert_near(about, 0.5 * moment[2] as f64, 1e-12);
        }
        volume::swap_negates(&mut PolygonPolygon::new(), &a, &b).unwrap();
    }
    assert!(touching > 200, "{touching}");
}

/// Swapped, scaled, moved, and cut in two.
#[test]
fn laws_of_areas() {
    let shapes = polygons();
    let part = |x: f64, width: f64| {
        let corners = rectangle(width, 1.0);
        let corners = corners.vertices().iter();
        Polygon::new(corners.map(|&v| v + DVec2::new(x, -0.5)).collect()).unwrap()
    };
    let scaled =
        |p: &Polygon, x: f64| Polygon::new(p.vertices().iter().map(|&v| v * x).collect()).unwrap();
    let kernel = &mut PolygonPolygon::new();
    laws::laws(
        kernel,
        &shapes,
        scaled,
        [part(-4.0, 4.0), part(0.0, 4.0), part(-4.0, 8.0)],
        random_pose,
    );
    for shape in &shapes {
        laws::equals_itself(kernel, shape, Pose2::IDENTITY, shape.area());
    }
}

/// A notch that enters and leaves through one side: there are only two crossings, and the winding
/// number is nonzero all around.
#[test]
fn notch_through_one_side() {
    let corners = [(0, 0), (8, 0), (8, 8), (5, 8), (4, 2), (3, 8), (0, 8)];
    let notched = polygon(0.5, &corners);
    let square = rectangle(2.0, 2.0);
    let (a, b) = (moved(&square, 1.0, 0.5), moved(&notched, 0.0, 0.0));
    for contact in [only(&a, &b), only(&b, &a)] {
        // The notch is 0.5 wide at the side, 1.5 above its tip.
        assert_near(contact.unwrap().volume, 4.0 - 0.5 * 0.5 * 1.5, 1e-14);
    }
}

fn rectangle(width: f64, height: f64) -> Polygon {
    let corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)];
    Polygon::new(corners.map(DVec2::from).to_vec()).unwrap()
}

/// The same square with other corners: no longer one shape, all sides on each other.
#[test]
fn square_with_more_corners() {
    let plain = rectangle(1.0, 1.0);
    let more = [(0, 0), (1, 0), (4, 0), (4, 2), (4, 4), (0, 4), (0, 2)];
    let more = polygon(0.25, &more);
    for (a, b) in [(&plain, &more), (&more, &plain)] {
        for turn in [DVec2::X, DVec2::Y, DVec2::new(0.6, 0.8)] {
            let pose = Pose2::new(turn, DVec2::new(0.5, -0.25)).unwrap();
            let contact = only(&at(a, pose), &at(b, pose)).unwrap();
            assert_near(contact.volume, 1.0, 1e-15);
            // Two sides have come in.
            assert_near(contact.area(), 2.0_f64.sqrt(), 1e-15);
        }
    }
}

/// Inside, outside, in a bay, and side by side: with and without a curve.
#[test]
fn nested_separate_and_touching() {
    let (small, large) = (rectangle(1.0, 1.0), rectangle(8.0, 8.0));
    let bay = [(0, 0), (8, 0), (8, 8), (6, 8), (4, 1), (2, 8), (0, 8)];
    let bay = polygon(1.0, &bay);
    let nested = Some((IntersectionKind::Nested, 1.0));
    for (shape, x, y, expected) in [
        (&large, 3.0, 3.0, nested),
        (&large, 9.0, 3.0, None),
        (&bay, 3.5, 4.5, None),
        (&bay, 5.5, 0.5, nested),
        // Side by side.
        (&large, 8.0, 1.0, None),
        (&large, 8.0, -1.0, None),
        (&large, 8.0, 8.0, None),
        (&large, -1.0, 3.0, None),
    ] {
        let found = only(&moved(shape, 0.0, 0.0), &moved(&small, x, y));
        assert_eq!(found.map(|c| (c.kind, c.volume)), expected, "{x} {y}");
        if let Some(contact) = found {
            assert_eq!((contact.normal(), contact.moment_vector), (None, 0.0));
        }
    }
}

/// Shapes of very different sizes, and a convex polygon queried as a polygon.
#[test]
fn small_on_large() {
    let disc = |corners: u32, radius: f64| {
        let corner = |i| DVec2::from_angle(2.0 * PI * f64::from(i) / f64::from(corners)) * radius;
        ConvexPolygon::new((0..corners).map(corner).collect()).unwrap()
    };
    let large = Polygon::from(disc(2000, 1e3));
    let small = Polygon::from(disc(7, 1e-3));
    assert_eq!(large, Polygon::new(large.vertices().to_vec()).unwrap());
    let edge = large.vertices()[0] + DVec2::new(1e-4, 0.5);
    let (a, b) = (moved(&large, 0.0, 0.0), moved(&small, edge.x, edge.y));
    let contact = only(&a, &b).unwrap();
    let (area, width, _) = shared_area(&b, &a);
    assert!(area > 1e-8 && area < 0.9 * small.area());
    assert_near(contact.volume, area, 1e-4 * area);
    let error = contact.area_vector.distance(-width);
    assert!(error <= 1e-4 * width.length(), "{error}");
}

/// Random poses and those of the lattice (docs/VALIDATION.md has a long run): against prisms, and separate regions add
/// up.
#[test]
fn any_pose() {
    let count = cases(5000);
    let mut random = SplitMix64::new(11);
    let mut polygons = polygons();
    polygons.extend((0..5).map(|_| random_cells(&mut random).1));
    let (mut partial, mut degenerate, mut separate) = (0, 0, 0);
    for i in 0..count {
        let [a, b] = [(); 2].map(|()| &polygons[random.below(polygons.len())]);
        let mut pose = || match i % 4 {
            0 => random_pose(&mut random, 1.0),
            _ => {
                let part = [1.0, 0.5, 0.35][i / 4 % 3];
                let turns = [DVec2::X, -DVec2::X, DVec2::Y, DVec2::new(0.6, 0.8)];
                let shift = [0; 2].map(|_| random.below(5) as f64 * part - 2.0 * part);
                Pose2::new(turns[random.below(4)], DVec2::from_array(shift)).unwrap()
            }
        };
        let (a, b) = (at(a, pose()), at(b, pose()));
        let whole = only(&a, &b);
        let parts = run(PolygonPolygon::new().with_separate_regions(true), &a, &b);
        let Some(whole) = whole else {
            assert!(parts.is_empty());
            continue;
        };
        let least = a.shape.area().min(b.shape.area());
        assert!(whole.volume <= least * (1.0 + 1e-12));
        assert_near(parts.iter().map(|c| c.volume).sum(), whole.volume, 1e-12);
        volume::swap_negates(&mut PolygonPolygon::new(), &a, &b).unwrap();
        if i % 64 < 4 {
            let (area, width, moment) = shared_area(&a, &b);
            assert_near(whole.volume, area, 1e-11);
            if i % 4 == 0 {
                assert_near_vector(whole.area_vector.extend(0.0), width.extend(0.0), 1e-12);
                assert_near(whole.moment_vector_about(DVec2::ZERO), moment, 1e-12);
                // The point is on the line of the force.
                assert_near(whole.moment_vector, 0.0, 1e-13);
                assert_eq!(whole.pitch(), 0.0);
            }
        }
        let is_crossing = whole.kind == IntersectionKind::Crossing;
        partial += usize::from(is_crossing);
        degenerate += usize::from(i % 4 != 0 && is_crossing);
        separate += usize::from(i % 4 == 0 && parts.len() > 1);
    }
    println!("{count} poses, {partial} overlap in part, {degenerate} of them on the lattice");
    assert!(partial > count / 4 && degenerate > count / 6 && separate > count / 100);
}

/// A simple polygon with corners on a lattice of 7 x 7.
fn lattice_polygon(random: &mut SplitMix64) -> Polygon {
    loop {
        let mut corner = || DVec2::new(random.below(7) as f64, random.below(7) as f64);
        let count = 3 + corner().x as usize;
        if let Ok(polygon) = Polygon::new((0..count).map(|_| corner()).collect()) {
            return polygon;
        }
    }
}

/// The areas of all parts.
fn parts(a: &Body, b: &Body) -> Vec<f64> {
    let parts = run(PolygonPolygon::new().with_separate_regions(true), a, b);
    large(parts.iter().map(|part| part.volume))
}

/// If sides cross corners or each other in one point, parts are those after a small translation of
/// the body that comes first.
#[test]
fn parts_of_tied_polygons() {
    let count = cases(3000);
    let mut random = SplitMix64::new(19);
    let mut several = 0;
    for _ in 0..count {
        let (a, b) = (lattice_polygon(&mut random), lattice_polygon(&mut random));
        let shift = DVec2::from_array([0; 2].map(|_| random.below(9) as f64 * 0.5 - 2.0));
        let is_first = (shift.x, shift.y) > (0.0, 0.0);
        if shift == DVec2::ZERO {
            continue;
        }
        let step = 2.0_f64.powi(-16);
        let step = DVec2::new(step, step * step) * if is_first { -1.0 } else { 1.0 };
        let parts_at = |by: DVec2| parts(&moved(&a, 0.0, 0.0), &moved(&b, by.x, by.y));
        let found = parts_at(shift);
        assert_same_parts(&found, &parts_at(shift + step));
        several += usize::from(found.len() > 1);
    }
    println!("{count} poses, {several} with several parts");
    assert!(several > count / 100, "{several}");
}
