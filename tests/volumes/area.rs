//! Contact areas in 2D: against integers, against prisms cut by each other, and by properties.

use crate::support::cases;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use osculate::glam::{DVec2, DVec3};
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes, intersection_volume};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexPolygon, ErrorKind, NarrowPhase, Placed, Pose2,
    narrow::{IntersectionKind, PolygonPolygon},
    shape::Polygon,
};

type Contact = ContactVolume<DVec2>;
type Body<'a> = Placed<&'a Polygon, DVec2>;

fn run(mut kernel: PolygonPolygon, a: &Body, b: &Body) -> Vec<Contact> {
    let mut contacts = Vec::new();
    kernel.for_each_contact(a, b, &mut (), |c| contacts.push(c));
    contacts
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

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
}

fn assert_near_vector(found: DVec2, expected: DVec2, tolerance: f64) {
    let error = found.distance(expected);
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
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
    let mut polygons: Vec<Polygon> = [5, 8, 13, 40]
        .map(|n| star(n, &mut random))
        .into_iter()
        .collect();
    let comb = [
        (0, 0),
        (6, 0),
        (6, 4),
        (5, 1),
        (4, 4),
        (3, 1),
        (2, 4),
        (1, 1),
        (0, 4),
    ];
    let comb = comb.map(|(x, y)| DVec2::new(f64::from(x), f64::from(y)) * 0.25 - DVec2::splat(0.7));
    polygons.push(Polygon::new(comb.to_vec()).unwrap());
    polygons
}

/// The prism over a polygon: caps are fans, parts of which may face the wrong way.
fn prism(body: &Body, heights: [f64; 2]) -> Vec<[DVec3; 3]> {
    let corners: Vec<DVec2> = body
        .shape
        .vertices()
        .iter()
        .map(|&v| body.pose.transform_point(v))
        .collect();
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
        let mut next = BTreeMap::new();
        for &[x, y, _] in &cells {
            let corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
            let beside = [[x, y - 1], [x + 1, y], [x, y + 1], [x - 1, y]];
            for k in 0..4 {
                if !cells.contains(&[beside[k][0], beside[k][1], 0]) {
                    next.entry(corners[k])
                        .or_insert_with(Vec::new)
                        .push(corners[(k + 1) % 4]);
                }
            }
        }
        // Not with a pinch, nor, below, with a hole.
        if next.values().any(|corners| corners.len() > 1) {
            continue;
        }
        let (&start, _) = next.first_key_value().unwrap();
        let mut corners = vec![start];
        while next[corners.last().unwrap()][0] != start {
            corners.push(next[corners.last().unwrap()][0]);
        }
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
    let (mut touching, mut parts) = (0, 0);
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
        let (a, b) = (
            moved(&a, 0.0, 0.0),
            moved(&b, shift[0] as f64, shift[1] as f64),
        );
        let separate = run(PolygonPolygon::new().with_separate_regions(true), &a, &b);
        let sum = |value: fn(&Contact) -> f64| separate.iter().map(value).sum::<f64>();
        let Some(contact) = only(&a, &b) else {
            assert_eq!((area, width[0], width[1], moment[2]), (0, 0, 0, 0));
            assert!(separate.is_empty());
            continue;
        };
        assert_eq!(contact.kind == IntersectionKind::Touching, area == 0);
        touching += usize::from(area == 0);
        parts += usize::from(separate.len() > 1);
        let about = |c: &Contact| c.moment_vector_about(DVec2::ZERO);
        assert_near(contact.volume, area as f64, 1e-12);
        let expected = DVec2::new(width[0] as f64, width[1] as f64);
        assert_near_vector(contact.area_vector, expected, 1e-12);
        assert_near(about(&contact), 0.5 * moment[2] as f64, 1e-12);
        assert!(separate.iter().all(|c| c.volume >= 0.0));
        assert_near(sum(|c| c.volume), area as f64, 1e-12);
        assert_near(sum(|c| c.area_vector.x), expected.x, 1e-12);
        assert_near(sum(|c| c.area_vector.y), expected.y, 1e-12);
        assert_near(
            sum(|c| c.moment_vector_about(DVec2::ZERO)),
            about(&contact),
            1e-12,
        );
    }
    assert!(touching > 200 && parts > 20, "{touching} {parts}");
}

/// Random poses, concave, against prisms cut by each other; separate parts add up.
#[test]
fn polygons_against_prisms() {
    let polygons = polygons();
    let mut random = SplitMix64::new(2);
    let (mut found, mut separate) = (0, 0);
    for i in 0..100 {
        let (a, b) = (&polygons[i % 5], &polygons[i / 5 % 5]);
        let (a, b) = (
            at(a, random_pose(&mut random, 0.5)),
            at(b, random_pose(&mut random, 0.5)),
        );
        let (area, width, moment) = shared_area(&a, &b);
        let Some(contact) = only(&a, &b) else {
            assert_near(area, 0.0, 1e-12);
            continue;
        };
        found += 1;
        assert_near(contact.volume, area, 1e-12);
        assert_near_vector(contact.area_vector, width, 1e-12);
        assert_near(contact.moment_vector_about(DVec2::ZERO), moment, 1e-12);
        // The point is on the line of the force.
        assert_near(contact.moment_vector, 0.0, 1e-13);
        assert_eq!(contact.pitch(), 0.0);
        let parts = run(PolygonPolygon::new().with_separate_regions(true), &a, &b);
        separate += usize::from(parts.len() > 1);
        assert_near(parts.iter().map(|c| c.volume).sum(), area, 1e-12);
        assert!(
            parts
                .iter()
                .all(|c| c.volume > 0.0 && c.kind == IntersectionKind::Crossing)
        );
    }
    assert!(found > 90 && separate > 20, "{found} {separate}");
}

/// The gradient of the area, by differences, for translations and rotations of both bodies.
#[test]
fn gradient_identities() {
    let polygons = polygons();
    let mut random = SplitMix64::new(5);
    let h = 1e-5;
    for i in 0..50 {
        let (a, b) = (&polygons[i % 5], &polygons[i / 5 % 5]);
        let poses = [random_pose(&mut random, 0.3), random_pose(&mut random, 0.3)];
        let contact = only(&at(a, poses[0]), &at(b, poses[1])).unwrap();
        for (body, sign) in [(0, 1.0), (1, -1.0)] {
            let slope = |motion: &dyn Fn(f64) -> Pose2| {
                let area = |step: f64| {
                    let mut poses = poses;
                    poses[body] = motion(step) * poses[body];
                    only(&at(a, poses[0]), &at(b, poses[1])).unwrap().volume
                };
                (8.0 * (area(h) - area(-h)) - (area(2.0 * h) - area(-2.0 * h))) / (12.0 * h)
            };
            for axis in 0..2 {
                let shift = slope(&|x| Pose2::from_translation(DVec2::AXES[axis] * x).unwrap());
                assert_near(shift, sign * contact.area_vector[axis], 1e-8);
            }
            let turn = slope(&|x| Pose2::from_angle(x, DVec2::ZERO).unwrap());
            assert_near(turn, sign * contact.moment_vector_about(DVec2::ZERO), 1e-8);
        }
    }
}

/// Swapping negates, a large translation changes little, a power of two scales exactly.
#[test]
fn swap_origin_and_scale() {
    let polygons = polygons();
    let mut random = SplitMix64::new(6);
    for i in 0..200 {
        let (a, b) = (&polygons[i % 5], &polygons[i / 5 % 5]);
        let mut poses = [random_pose(&mut random, 0.4), random_pose(&mut random, 0.4)];
        if i % 4 == 0 {
            poses = [Pose2::IDENTITY, moved(a, 0.5, 0.0).pose];
        }
        if i % 8 == 0 {
            poses[1] = poses[0];
        }
        let forth = only(&at(a, poses[0]), &at(b, poses[1])).unwrap();
        let back = only(&at(b, poses[1]), &at(a, poses[0])).unwrap();
        assert_eq!(forth.area_vector, -back.area_vector);
        assert_eq!(forth.moment_vector, -back.moment_vector);
        assert_eq!(
            (forth.volume, forth.point, forth.kind),
            (back.volume, back.point, back.kind)
        );

        let far = DVec2::new(1e3, -2e3);
        let shifted = poses.map(|p| Pose2::new(p.rotation(), p.translation() + far).unwrap());
        let there = only(&at(a, shifted[0]), &at(b, shifted[1])).unwrap();
        if i % 4 != 0 {
            assert_near(there.volume, forth.volume, 1e-11);
            assert_near_vector(there.area_vector, forth.area_vector, 1e-10);
            assert_near_vector(there.point, forth.point + far, 1e-9);
        }

        let scale = 2.0_f64.powi([-120, 40, 120][i % 3]);
        let scaled =
            |p: &Polygon| Polygon::new(p.vertices().iter().map(|&v| v * scale).collect()).unwrap();
        let (a, b) = (scaled(a), scaled(b));
        let poses = poses.map(|p| Pose2::new(p.rotation(), p.translation() * scale).unwrap());
        let large = only(&at(&a, poses[0]), &at(&b, poses[1])).unwrap();
        assert_eq!(large.volume, forth.volume * scale * scale);
        assert_eq!(large.area_vector, forth.area_vector * scale);
        assert_eq!(large.moment_vector, forth.moment_vector * scale * scale);
        assert_eq!(large.point, forth.point * scale);
    }
}

/// A notch that enters and leaves through one side: there are only two crossings, and the winding
/// number is nonzero all around.
#[test]
fn notch_through_one_side() {
    let corners = [
        (0.0, 0.0),
        (4.0, 0.0),
        (4.0, 4.0),
        (2.25, 4.0),
        (2.0, 1.0),
        (1.75, 4.0),
        (0.0, 4.0),
    ];
    let notched = Polygon::new(corners.map(DVec2::from).to_vec()).unwrap();
    let square = rectangle(2.0, 2.0);
    let (a, b) = (moved(&square, 1.0, 0.5), moved(&notched, 0.0, 0.0));
    for contact in [only(&a, &b), only(&b, &a)] {
        // The notch is 0.25 wide at the side, 1.5 above its tip.
        assert_near(contact.unwrap().volume, 4.0 - 0.5 * 0.25 * 1.5, 1e-14);
    }
}

fn rectangle(width: f64, height: f64) -> Polygon {
    let corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)];
    Polygon::new(corners.map(DVec2::from).to_vec()).unwrap()
}

/// A polygon with itself, and cut by a line: the parts add up.
#[test]
fn whole_and_parts() {
    let half = rectangle(16.0, 16.0);
    let (right, left) = (moved(&half, 0.0, -8.0), moved(&half, -16.0, -8.0));
    let mut random = SplitMix64::new(7);
    for polygon in &polygons() {
        let area = polygon.area();
        let same = only(
            &moved(polygon, 0.0, 0.0),
            &moved(&polygon.clone(), 0.0, 0.0),
        )
        .unwrap();
        let nested = (area, DVec2::ZERO, IntersectionKind::Nested);
        assert_eq!((same.volume, same.area_vector, same.kind), nested);
        for i in 0..20 {
            let pose = if i < 3 {
                Pose2::from_translation(DVec2::X * (0.1 * f64::from(i))).unwrap()
            } else {
                random_pose(&mut random, 0.3)
            };
            let parts = [&right, &left].map(|half| only(&at(polygon, pose), half));
            let sum: f64 = parts.iter().flatten().map(|c| c.volume).sum();
            assert_near(sum, area, 1e-12);
            if let [Some(right), Some(left)] = parts {
                let widths = right.area_vector + left.area_vector;
                assert_near_vector(widths, DVec2::ZERO, 1e-12);
            }
        }
    }
}

/// The same square with other corners: no longer one shape, all sides on each other.
#[test]
fn square_with_more_corners() {
    let plain = rectangle(1.0, 1.0);
    let more = [
        (0.0, 0.0),
        (0.25, 0.0),
        (1.0, 0.0),
        (1.0, 0.5),
        (1.0, 1.0),
        (0.0, 1.0),
        (0.0, 0.5),
    ];
    let more = Polygon::new(more.map(DVec2::from).to_vec()).unwrap();
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

/// Inside, outside, in a bay, at a corner: with and without a curve.
#[test]
fn nested_apart_and_touching() {
    let (small, large) = (rectangle(1.0, 1.0), rectangle(8.0, 8.0));
    let contact = only(&moved(&large, 0.0, 0.0), &moved(&small, 3.0, 3.0)).unwrap();
    assert_eq!(
        (contact.kind, contact.volume),
        (IntersectionKind::Nested, 1.0)
    );
    assert_eq!((contact.normal(), contact.moment_vector), (None, 0.0));
    assert!(only(&moved(&large, 0.0, 0.0), &moved(&small, 9.0, 3.0)).is_none());
    let bay = [
        (0, 0),
        (8, 0),
        (8, 8),
        (6, 8),
        (6, 2),
        (2, 2),
        (2, 8),
        (0, 8),
    ];
    let bay = bay.map(|(x, y)| DVec2::new(f64::from(x), f64::from(y)));
    let bay = Polygon::new(bay.to_vec()).unwrap();
    assert!(only(&moved(&bay, 0.0, 0.0), &moved(&small, 3.5, 4.5)).is_none());
    let within = only(&moved(&bay, 0.0, 0.0), &moved(&small, 3.5, 0.5)).unwrap();
    assert_eq!(
        (within.kind, within.volume),
        (IntersectionKind::Nested, 1.0)
    );
    // Side by side: one of the two touches, after the translation; seen from both, the same.
    let touching = [
        (8.0, 1.0),
        (8.0, -1.0),
        (8.0, 8.0),
        (-1.0, 3.0),
        (2.0, -1.0),
    ];
    let contacts = touching.map(|(x, y)| only(&moved(&large, 0.0, 0.0), &moved(&small, x, y)));
    let found: Vec<Contact> = contacts.into_iter().flatten().collect();
    assert!(!found.is_empty());
    for contact in found {
        assert_eq!(
            (contact.kind, contact.volume),
            (IntersectionKind::Touching, 0.0)
        );
    }
    // Two teeth of a comb in a bar, and the crossings far from each other.
    let teeth = run(
        PolygonPolygon::new().with_separate_regions(true),
        &moved(&bay, 0.0, 0.0),
        &at(
            &large,
            Pose2::from_angle(0.1, DVec2::new(1.0, 7.0)).unwrap(),
        ),
    );
    assert_eq!(teeth.len(), 2);
    assert!(teeth[0].point.distance(teeth[1].point) > 3.0);
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
    assert_near_vector(contact.area_vector, -width, 1e-4 * width.length());
}

/// A corner that barely penetrates never counts as touching, even if the area is rounded to 0.
#[test]
fn shallow_corner() {
    let table = rectangle(4.0, 4.0);
    let corner = Polygon::new(vec![
        DVec2::ZERO,
        DVec2::new(0.1, 1.5),
        DVec2::new(-0.05, 1.25),
    ]);
    let corner = corner.unwrap();
    let mut random = SplitMix64::new(15);
    let mut is_rounded_to_nothing = false;
    for i in 0..300 {
        let depth = [1e-4, 1e-10, 5e-16][i % 3];
        let body = moved(&corner, random.range(1.0, 3.0), 4.0 - depth);
        let rest = moved(&table, 0.0, 0.0);
        for (a, b) in [(&body, &rest), (&rest, &body)] {
            let contact = only(a, b).unwrap();
            assert_eq!(contact.kind, IntersectionKind::Crossing);
            is_rounded_to_nothing |= contact.volume == 0.0;
        }
    }
    assert!(is_rounded_to_nothing);
}

/// Random poses and those of the lattice. POSES says how many (docs/VALIDATION.md has a long run).
#[test]
fn any_pose() {
    let count = cases(5000) as u64;
    let mut random = SplitMix64::new(11);
    let mut polygons = polygons();
    polygons.extend((0..5).map(|_| random_cells(&mut random).1));
    let (mut partial, mut degenerate) = (0, 0);
    for i in 0..count {
        let (a, b) = (
            &polygons[random.below(polygons.len())],
            &polygons[random.below(polygons.len())],
        );
        let mut pose = || match i % 4 {
            0 => random_pose(&mut random, 1.0),
            _ => {
                let part = [1.0, 0.5, 0.35][(i / 4 % 3) as usize];
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
        let volume: f64 = parts.iter().map(|c| c.volume).sum();
        assert_near(volume, whole.volume, 1e-12);
        let back = only(&b, &a).unwrap();
        assert_eq!(
            (back.volume, back.area_vector),
            (whole.volume, -whole.area_vector)
        );
        if i % 64 < 4 {
            assert_near(whole.volume, shared_area(&a, &b).0, 1e-11);
        }
        partial += usize::from(whole.kind == IntersectionKind::Crossing);
        degenerate += usize::from(i % 4 != 0 && whole.kind == IntersectionKind::Crossing);
    }
    println!("{count} poses, {partial} overlap in part, {degenerate} of them on the lattice");
    assert!(partial as u64 > count / 4 && degenerate as u64 > count / 6);
}

#[test]
fn refused_polygons() {
    let corners = |list: &[(f64, f64)]| list.iter().map(|&c| DVec2::from(c)).collect::<Vec<_>>();
    let mut random = SplitMix64::new(3);
    // A star with one corner moved over to the other side.
    for _ in 0..200 {
        let mut vertices = star(20, &mut random).vertices().to_vec();
        let i = random.below(20);
        vertices[i] *= -8.0;
        let error = Polygon::new(vertices).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Intersection);
        let message = error.to_string();
        let edges = message.strip_prefix("edges ").unwrap();
        let edges = edges.strip_suffix(" of the polygon intersect").unwrap();
        let (low, high) = edges.split_once(" and ").unwrap();
        let [low, high] = [low, high].map(|edge| edge.parse::<usize>().unwrap());
        assert!(low < high && error.index() == Some(low), "{message}");
    }
    // One ulp apart, and not.
    let narrow = |y: f64| {
        Polygon::new(corners(&[
            (0.0, 0.0),
            (4.0, 0.0),
            (4.0, 4.0),
            (2.0, y),
            (0.0, 4.0),
        ]))
    };
    assert!(narrow(f64::MIN_POSITIVE).is_ok());
    assert!(narrow(0.0).is_err());
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

/// The areas of all parts, sorted, without those that only touch.
fn parts(a: &Body, b: &Body) -> Vec<f64> {
    let parts = run(PolygonPolygon::new().with_separate_regions(true), a, b);
    let mut areas: Vec<f64> = parts.iter().map(|part| part.volume).collect();
    areas.retain(|&area| area > 1e-3);
    areas.sort_by(f64::total_cmp);
    areas
}

/// If sides cross corners or each other in one point, parts are those after a small translation of
/// the body that comes first. POSES is the number of poses.
#[test]
fn parts_of_tied_polygons() {
    let count = cases(3000) as u64;
    let mut random = SplitMix64::new(19);
    let (mut several, mut wrong) = (0, 0);
    for _ in 0..count {
        let (a, b) = (lattice_polygon(&mut random), lattice_polygon(&mut random));
        let shift = DVec2::from_array([0; 2].map(|_| random.below(9) as f64 * 0.5 - 2.0));
        let is_first = (shift.x, shift.y) > (0.0, 0.0);
        if shift == DVec2::ZERO {
            continue;
        }
        let step = 2.0_f64.powi(-16);
        let step = DVec2::new(step, step * step) * if is_first { -1.0 } else { 1.0 };
        let rest = moved(&a, 0.0, 0.0);
        let found = parts(&rest, &moved(&b, shift.x, shift.y));
        let expected = parts(&rest, &moved(&b, shift.x + step.x, shift.y + step.y));
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-3;
        let is_right = found.len() == expected.len() && found.iter().zip(&expected).all(is_near);
        wrong += u64::from(!is_right);
        several += u64::from(found.len() > 1);
    }
    println!("{count} poses, {several} with several parts, {wrong} wrong");
    assert_eq!(wrong, 0);
    assert!(several > count / 100, "{several}");
}
