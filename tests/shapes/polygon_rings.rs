//! Polygons with holes and islands: their checks, intersections, regions, mass and walls.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use crate::support::convex::random;
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{IntersectionKind, PolygonPolygon};
use osculate::shape::{Polygon, SegmentMesh};
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes, intersection_volume};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, ContactVolume, DoubleHierarchy, ErrorKind, MassProperties, NarrowPhase, Placed, Pose2,
    Sphere, Wall,
};

type Contact = ContactVolume<DVec2>;
type Body<'a> = Placed<&'a Polygon, DVec2>;

/// A square ring around a point, clockwise if `is_hole`.
fn square(center: (f64, f64), half: f64, is_hole: bool) -> Vec<DVec2> {
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    let mut ring = corners
        .map(|(x, y)| DVec2::new(center.0 + x, center.1 + y))
        .to_vec();
    if is_hole {
        ring.reverse();
    }
    ring
}

/// A square with a hole, both around a point.
fn frame(center: (f64, f64), halves: [f64; 2]) -> Polygon {
    let [outer, hole] = [(halves[0], false), (halves[1], true)];
    Polygon::from_rings([
        square(center, outer.0, outer.1),
        square(center, hole.0, hole.1),
    ])
    .unwrap()
}

fn moved(shape: &Polygon, x: f64, y: f64) -> Body<'_> {
    Placed::new(shape, Pose2::from_translation(DVec2::new(x, y)).unwrap())
}

/// The contacts of a pair: one, and one per region.
fn run(a: &Body, b: &Body) -> (Option<Contact>, Vec<Contact>) {
    let mut parts = Vec::new();
    let mut kernel = PolygonPolygon::new().with_separate_regions(true);
    kernel.for_each_contact(a, b, &mut (), |c| parts.push(c));
    let mut whole = Vec::new();
    PolygonPolygon::new().for_each_contact(a, b, &mut (), |c| whole.push(c));
    assert!(whole.len() <= 1);
    (whole.pop(), parts)
}

#[test]
fn rings_that_are_good() {
    let island = square((0.0, 0.0), 1.0, false);
    let hole = square((0.0, 0.0), 2.0, true);
    let outer = square((0.0, 0.0), 3.0, false);
    let other = square((9.0, 0.0), 1.0, false);
    // In any order.
    for rings in [
        [&island, &hole, &outer, &other],
        [&other, &outer, &hole, &island],
    ] {
        let polygon = Polygon::from_rings(rings).unwrap();
        assert_eq!((polygon.area(), polygon.rings().len()), (28.0, 4));
        assert!(polygon.centroid().distance(DVec2::X * (36.0 / 28.0)) < 1e-15);
        assert!(
            polygon
                .rings()
                .zip(rings)
                .all(|(found, given)| found == given)
        );
        assert_eq!(polygon.bounding_box().max, DVec2::new(10.0, 3.0));
    }
    let plain = Polygon::new(outer.clone()).unwrap();
    assert_eq!(plain, Polygon::from_rings([&outer]).unwrap());
    // Beside slanted sides, on the outside and on the inside.
    let diamond = [(4.0, 0.0), (0.0, 4.0), (-4.0, 0.0), (0.0, -4.0)]
        .map(DVec2::from)
        .to_vec();
    let mut rings = vec![diamond];
    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        rings.push(square((3.0 * x, 3.0 * y), 0.5, false));
        rings.push(square((1.25 * x, 1.25 * y), 0.5, true));
    }
    assert_eq!(Polygon::from_rings(rings).unwrap().area(), 32.0);
    // A cheese of many holes.
    let holes = (0..400).map(|i| square((f64::from(i % 20), f64::from(i / 20)), 0.25, true));
    let rings = holes.chain([square((9.5, 9.5), 11.0, false)]);
    assert_eq!(Polygon::from_rings(rings).unwrap().area(), 484.0 - 100.0);
}

#[test]
fn rings_that_are_refused() {
    let (outer, hole) = (
        square((0.0, 0.0), 3.0, false),
        square((0.0, 0.0), 2.0, true),
    );
    let refused = |rings: &[&Vec<DVec2>], kind, index, message: &str| {
        let error = Polygon::from_rings(rings).unwrap_err();
        assert_eq!((error.kind(), error.index()), (kind, index), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    let reversed = square((0.0, 0.0), 2.0, false);
    let wrong = "outer rings are counter-clockwise, holes inside them clockwise";
    refused(&[&outer, &reversed], ErrorKind::Orientation, Some(1), wrong);
    refused(&[&hole], ErrorKind::Orientation, Some(0), wrong);
    refused(
        &[
            &hole,
            &reversed.iter().map(|v| *v + DVec2::X * 9.0).collect(),
        ],
        ErrorKind::Orientation,
        Some(0),
        wrong,
    );
    // A hole in a hole, an island in an island.
    refused(
        &[&outer, &hole, &square((0.0, 0.0), 1.0, true)],
        ErrorKind::Orientation,
        Some(2),
        wrong,
    );
    // A hole that touches the outer ring at a corner, along a side, and one that crosses it.
    let touching = vec![
        DVec2::new(3.0, 0.0),
        DVec2::new(2.0, -1.0),
        DVec2::new(2.0, 1.0),
    ];
    refused(
        &[&outer, &touching],
        ErrorKind::Intersection,
        Some(1),
        "edges 1 and 4",
    );
    let along = square((2.0, 0.0), 1.0, true);
    refused(
        &[&outer, &along],
        ErrorKind::Intersection,
        Some(1),
        "edges 1 and ",
    );
    refused(
        &[&outer, &square((3.0, 0.0), 1.0, true)],
        ErrorKind::Intersection,
        Some(1),
        "edges 1 and ",
    );
    refused(
        &[&outer, &outer],
        ErrorKind::Intersection,
        Some(0),
        "edges 0 and ",
    );
    // Corners are counted through all rings.
    let bow = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
        .map(DVec2::from)
        .to_vec();
    refused(
        &[&outer, &bow],
        ErrorKind::Intersection,
        Some(5),
        "edges 5 and 7",
    );
    refused(
        &[&outer, &outer[..2].to_vec()],
        ErrorKind::Facet,
        Some(1),
        "2 corners",
    );
    refused(&[&outer, &vec![]], ErrorKind::Facet, Some(1), "0 corners");
    refused(
        &[&outer, &vec![DVec2::NAN; 3]],
        ErrorKind::Coordinate,
        Some(4),
        "NaN",
    );
    refused(&[], ErrorKind::Degenerate, None, "empty");
}

/// Cells of the lattice as a polygon, with holes and islands; `None` if boundaries touch at a corner.
fn cells_to_polygon(cells: &[LatticePoint]) -> Option<Polygon> {
    let mut next = BTreeMap::new();
    for &[x, y, _] in cells {
        let corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
        let beside = [[x, y - 1], [x + 1, y], [x, y + 1], [x - 1, y]];
        for k in 0..4 {
            let is_side = !cells.contains(&[beside[k][0], beside[k][1], 0]);
            if is_side && next.insert(corners[k], corners[(k + 1) % 4]).is_some() {
                return None;
            }
        }
    }
    let mut rings = Vec::new();
    while let Some((start, mut at)) = next.pop_first() {
        let mut ring = vec![start];
        while at != start {
            ring.push(at);
            at = next.remove(&at).unwrap();
        }
        rings.push(
            ring.iter()
                .map(|c| DVec2::new(c[0] as f64, c[1] as f64))
                .collect::<Vec<_>>(),
        );
    }
    Some(Polygon::from_rings(rings).unwrap())
}

/// Three of four cells within `size` x `size`.
fn random_cells(random: &mut SplitMix64, size: i64) -> (Vec<LatticePoint>, Polygon) {
    loop {
        let all = (0..size * size).map(|i| [i % size, i / size, 0]);
        let cells: Vec<_> = all.filter(|_| random.below(4) > 0).collect();
        if let Some(polygon) = cells_to_polygon(&cells).filter(|_| !cells.is_empty()) {
            return (cells, polygon);
        }
    }
}

/// All kinds of ties: area, S and G equal those in integers.
#[test]
fn cells_against_integers() {
    let mut random = random(31);
    let (mut with_holes, mut touching) = (0, 0);
    for _ in 0..1500 {
        let (cells_a, a) = random_cells(&mut random, 4);
        let (cells_b, b) = random_cells(&mut random, 4);
        let shift: LatticePoint = [1 + random.below(3) as i64, random.below(7) as i64 - 3, 0];
        let there: Vec<_> = cells_b
            .iter()
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        let (area, width, moment) = intersection_of_cubes(&cells_a, &there);
        let b = moved(&b, shift[0] as f64, shift[1] as f64);
        let (whole, parts) = run(&moved(&a, 0.0, 0.0), &b);
        with_holes += usize::from(a.rings().len() > 1);
        touching += usize::from(whole.is_some() && area == 0);
        let whole: Vec<_> = whole.into_iter().collect();
        let width = DVec2::new(width[0] as f64, width[1] as f64);
        for contacts in [whole, parts] {
            let volume: f64 = contacts.iter().map(|c| c.volume).sum();
            let sum = contacts
                .iter()
                .fold(DVec2::ZERO, |sum, c| sum + c.area_vector);
            let turn: f64 = contacts
                .iter()
                .map(|c| c.moment_vector_about(DVec2::ZERO))
                .sum();
            assert!(
                (volume - area as f64).abs() < 1e-12,
                "{volume} instead of {area}"
            );
            assert!(sum.distance(width) < 1e-12, "{sum} instead of {width}");
            assert!((turn - 0.5 * moment[2] as f64).abs() < 1e-12);
            assert!(contacts.iter().all(|c| c.volume >= 0.0));
        }
    }
    assert!(with_holes > 300 && touching > 5, "{with_holes} {touching}");
}

/// The areas of the regions that cells share at a shift, sorted: by joining rectangles along common sides.
fn region_areas(a: &[LatticePoint], b: &[LatticePoint], shift: [f64; 2]) -> Vec<f64> {
    let mut parts = Vec::new();
    for p in a {
        for q in b {
            let span = |i: usize| {
                let (low, other) = (p[i] as f64, q[i] as f64 + shift[i]);
                (low.max(other), low.min(other) + 1.0)
            };
            let (x, y) = (span(0), span(1));
            if x.0 < x.1 && y.0 < y.1 {
                parts.push((x, y));
            }
        }
    }
    let mut names: Vec<usize> = (0..parts.len()).collect();
    for i in 0..parts.len() {
        for j in 0..i {
            let share = |p: (f64, f64), q: (f64, f64)| p.0.max(q.0) < p.1.min(q.1);
            let meet = |p: (f64, f64), q: (f64, f64)| p.0 == q.1 || p.1 == q.0;
            let ((x, y), (u, v)) = (parts[i], parts[j]);
            if (meet(x, u) && share(y, v)) || (share(x, u) && meet(y, v)) {
                let (old, new) = (names[i], names[j]);
                names
                    .iter_mut()
                    .filter(|name| **name == old)
                    .for_each(|name| *name = new);
            }
        }
    }
    let mut areas: BTreeMap<usize, f64> = BTreeMap::new();
    for (name, (x, y)) in names.into_iter().zip(parts) {
        *areas.entry(name).or_default() += (x.1 - x.0) * (y.1 - y.0);
    }
    let mut areas: Vec<f64> = areas.into_values().collect();
    areas.sort_by(f64::total_cmp);
    areas
}

/// Regions with holes of either body, of both, and inside each other.
#[test]
fn regions_against_flood_fill() {
    let mut random = random(32);
    let (mut several, mut nested) = (0, 0);
    for _ in 0..1200 {
        let (cells_a, a) = random_cells(&mut random, 5);
        let (cells_b, b) = random_cells(&mut random, 5);
        let shift =
            [0; 2].map(|_| random.below(7) as f64 - 3.0 + 0.25 * (1 + random.below(3)) as f64);
        let (whole, parts) = run(&moved(&a, 0.0, 0.0), &moved(&b, shift[0], shift[1]));
        let expected = region_areas(&cells_a, &cells_b, shift);
        let mut found: Vec<f64> = parts.iter().map(|c| c.volume).collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-12,
                "{found} instead of {expected}"
            );
        }
        let total: f64 = expected.iter().sum();
        assert!((whole.map_or(0.0, |c| c.volume) - total).abs() < 1e-12);
        several += usize::from(found.len() > 1);
        nested += usize::from(parts.iter().any(|c| c.kind == IntersectionKind::Nested));
    }
    assert!(several > 300 && nested > 5, "{several} {nested}");
}

/// Boundaries that do not cross: the area is known, and nothing changes with the pose.
#[test]
fn nested_rings() {
    let nested = |a: &Polygon, b: &Polygon, areas: &[f64]| {
        for (a, b) in [(a, b), (b, a)] {
            let (whole, mut parts) = run(&moved(a, 0.0, 0.0), &moved(b, 0.125, 0.0));
            parts.sort_by(|a, b| a.volume.total_cmp(&b.volume));
            let found: Vec<f64> = parts.iter().map(|c| c.volume).collect();
            assert_eq!(found, areas);
            assert_eq!(whole.map_or(0.0, |c| c.volume), areas.iter().sum::<f64>());
            for contact in parts.iter().chain(&whole) {
                assert_eq!(contact.kind, IntersectionKind::Nested);
                assert_eq!(
                    (contact.area_vector, contact.moment_vector),
                    (DVec2::ZERO, 0.0)
                );
            }
        }
    };
    let plate = Polygon::new(square((0.0, 0.0), 9.0, false)).unwrap();
    let disc = |half| Polygon::new(square((0.0, 0.0), half, false)).unwrap();
    let ring = |outer, hole| frame((0.0, 0.0), [outer, hole]);
    // In a hole, in the material, around the hole, all around.
    nested(&ring(3.0, 2.0), &disc(1.0), &[]);
    nested(&ring(3.0, 2.0), &plate, &[20.0]);
    nested(&ring(4.0, 1.0), &ring(3.0, 2.0), &[20.0]);
    // Neither is in the other.
    nested(&ring(3.0, 1.0), &ring(4.0, 2.0), &[20.0]);
    nested(&ring(8.0, 7.0), &ring(6.0, 5.0), &[]);
    // An island in a hole, of either body.
    let target = Polygon::from_rings([
        square((0.0, 0.0), 1.0, false),
        square((0.0, 0.0), 3.0, false),
        square((0.0, 0.0), 2.0, true),
    ]);
    let target = target.unwrap();
    nested(&target, &plate, &[4.0, 20.0]);
    nested(&target, &disc(1.5), &[4.0]);
    nested(&target, &disc(0.5), &[1.0]);
    nested(&target, &ring(2.5, 0.5), &[3.0, 9.0]);
    let rings = |centers: &[f64]| {
        let rings = centers
            .iter()
            .flat_map(|&x| [square((x, 0.0), 2.0, false), square((x, 0.0), 1.0, true)]);
        Polygon::from_rings(rings).unwrap()
    };
    let long = Polygon::new(
        [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)]
            .map(DVec2::from)
            .to_vec(),
    );
    nested(&rings(&[-5.0, 0.0, 5.0]), &long.unwrap(), &[12.0; 3]);
    // Equal in pose and shape; the same corners in one ring are another shape, a C.
    let (a, b) = (ring(3.0, 2.0), ring(3.0, 2.0));
    let contact = run(&moved(&a, 1.0, 2.0), &moved(&b, 1.0, 2.0)).0.unwrap();
    assert_eq!(
        (contact.kind, contact.volume),
        (IntersectionKind::Nested, 20.0)
    );
    let hook = Polygon::new(a.vertices().to_vec()).unwrap();
    for (a, b) in [(&a, &hook), (&hook, &a)] {
        let contact = run(&moved(a, 1.0, 2.0), &moved(b, 1.0, 2.0)).0.unwrap();
        assert!((contact.volume - hook.area()).abs() < 1e-13 && hook.area() == 15.0);
    }
}

/// A star with a hole.
fn star(corners: usize, random: &mut SplitMix64) -> Polygon {
    let corner =
        |i: usize| DVec2::from_angle(2.0 * PI * i as f64 / corners as f64) * random.range(0.3, 1.0);
    let outer: Vec<DVec2> = (0..corners).map(corner).collect();
    let hole = outer.iter().rev().map(|&v| v * 0.75).collect();
    Polygon::from_rings([outer, hole]).unwrap()
}

/// The prism over a polygon, with fans as caps.
fn prism(body: &Body, heights: [f64; 2]) -> Vec<[DVec3; 3]> {
    let mut triangles = Vec::new();
    for ring in body.shape.rings() {
        let corners: Vec<_> = ring.iter().map(|&v| body.pose.transform_point(v)).collect();
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            let [[a0, a1], [b0, b1], [c0, c1]] =
                [a, b, corners[0]].map(|p| heights.map(|z| p.extend(z)));
            triangles.extend([[a0, b0, b1], [a0, b1, a1], [c1, a1, b1], [c0, b0, a0]]);
        }
    }
    triangles
}

#[test]
fn any_pose_against_prisms() {
    let mut random = random(33);
    for _ in 0..60 {
        let counts = [0; 2].map(|_| 3 + random.below(7));
        let [a, b] = counts.map(|count| star(count, &mut random));
        let mut place = |shape| {
            let at = DVec2::from_array([0; 2].map(|_| random.range(-0.7, 0.7)));
            Placed::new(
                shape,
                Pose2::from_angle(random.range(0.0, 6.0), at).unwrap(),
            )
        };
        let (a, b) = (place(&a), place(&b));
        let (volume, width, moment) =
            intersection_volume(&prism(&a, [0.0, 1.0]), &prism(&b, [-1.0, 2.0]));
        let (whole, parts) = run(&a, &b);
        let total: f64 = parts.iter().map(|c| c.volume).sum();
        let Some(contact) = whole else {
            assert!(volume.abs() < 1e-12 && parts.is_empty());
            continue;
        };
        assert!((contact.volume - volume).abs() < 1e-11 && (total - volume).abs() < 1e-11);
        assert!(contact.area_vector.distance(width.truncate()) < 1e-11);
        assert!((contact.moment_vector_about(DVec2::ZERO) - moment.z).abs() < 1e-11);
    }
}

/// A ring is its outer disc less the hole.
#[test]
fn mass_of_rings() {
    let mut random = random(34);
    for _ in 0..500 {
        let polygon = star(3 + random.below(20), &mut random);
        let found = polygon.mass_properties(2.0);
        let parts = polygon.rings().zip([2.0, -2.0]).map(|(ring, density)| {
            let mut ring = ring.to_vec();
            if density < 0.0 {
                ring.reverse();
            }
            Polygon::new(ring).unwrap().mass_properties(density)
        });
        let expected: MassProperties<DVec2> = parts.sum();
        assert!((found.mass / expected.mass - 1.0).abs() < 1e-14);
        assert!(found.center_of_mass.distance(expected.center_of_mass) < 1e-14);
        assert!((found.inertia / expected.inertia - 1.0).abs() < 2e-14);
        assert_eq!(
            (found.mass, found.center_of_mass),
            (2.0 * polygon.area(), polygon.centroid())
        );
    }
}

/// A disc in the hole of a wall touches its sides from inside.
#[test]
fn wall_of_rings() {
    let mesh = SegmentMesh::from(&frame((0.0, 0.0), [3.0, 2.0]));
    assert_eq!((mesh.segments().len(), mesh.vertices().len()), (8, 8));
    for (i, segment) in mesh.segments().iter().enumerate() {
        let [from, to] = segment.map(|id| mesh.vertices()[id as usize]);
        let outward = (from + to).normalize() * if i < 4 { 1.0 } else { -1.0 };
        assert!(mesh.normal(i as u32).unwrap().distance(outward) < 1e-15);
    }
    let wall = Wall::new(mesh);
    for (x, normal) in [(1.5, DVec2::X), (3.5, -DVec2::X)] {
        let disc = Sphere::new(DVec2::new(x, 0.0), 0.75);
        let contact = DoubleHierarchy::new().contact(&disc, &wall).unwrap();
        assert_eq!((contact.overlap, contact.normal), (0.25, normal));
    }
}

#[cfg(feature = "serde")]
#[test]
fn rings_are_written_and_read() {
    let polygon = frame((0.5, 0.0), [3.0, 2.0]);
    let text = serde_json::to_string(&polygon).unwrap();
    assert!(text.starts_with("[[[-2.5,-3.0],"), "{text}");
    assert_eq!(serde_json::from_str::<Polygon>(&text).unwrap(), polygon);
    let reversed = "[[[0,0],[0,1],[1,0]]]";
    assert!(
        serde_json::from_str::<Polygon>(reversed)
            .unwrap_err()
            .to_string()
            .contains("ring 0")
    );
}
