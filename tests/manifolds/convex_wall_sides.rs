//! Walls with both sides: where a body is in front of a wall as a whole, it has the contacts of a wall with that
//! front, and behind it those of the wall with reversed facets.

use crate::support::cases;
use crate::support::convex::{Body, polyhedron, random, turn};
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{
    ContactManifold, ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2, Pose3,
    SurfaceMesh, Wall,
};

type Found = Vec<(ConvexWallContact, ContactManifold)>;

/// The contacts that have a manifold, and the number of all.
fn contacts(sides: WallSides, body: &Body, mesh: &SurfaceMesh) -> (Found, usize) {
    let (mut found, mut count) = (Vec::new(), 0);
    let kernel = &mut ConvexWall::new().with_sides(sides);
    let (wall, state) = (Wall::new(mesh.clone()), &mut Default::default());
    kernel.for_each_manifold(body, &wall, state, |c, m| found.push((c, m)));
    kernel.for_each_contact(body, &wall, &mut Default::default(), |_| count += 1);
    (found, count)
}

/// The facets for which `is_reversed` holds, seen from behind.
fn reversed(mesh: &SurfaceMesh, mut is_reversed: impl FnMut() -> bool) -> SurfaceMesh {
    let facets = mesh.facets().map(|facet| {
        let mut ids = facet.vertices().to_vec();
        if is_reversed() {
            ids.reverse();
        }
        ids
    });
    SurfaceMesh::new(mesh.vertices().to_vec(), facets.collect::<Vec<_>>()).unwrap()
}

fn is_same(
    (a, m): &(ConvexWallContact, ContactManifold),
    (b, n): &(ConvexWallContact, ContactManifold),
) -> bool {
    a.normal.distance(b.normal) < 1e-9
        && (a.overlap - b.overlap).abs() < 1e-9
        && m.normal.distance(n.normal) < 1e-6
        && (m.volume - n.volume).abs() < 1e-9
}

/// Checks a body in front of a wall. Returns the number of contacts.
fn check(body: &Body, mesh: &SurfaceMesh, random: &mut SplitMix64) -> usize {
    let pose = Pose3::new(turn(random), random.in_ball() * 10.0).unwrap();
    let body = Placed::new(body.shape, pose * body.pose);
    let vertices = mesh.vertices().iter().map(|&x| pose.transform_point(x));
    let facets = mesh.facets().map(|facet| facet.vertices().to_vec());
    let mesh = SurfaceMesh::new(vertices.collect(), facets.collect::<Vec<_>>()).unwrap();
    // Other triangles, with hanging vertices.
    let mesh = if random.below(2) == 0 {
        mesh
    } else {
        rewritten(&mesh, random.next_u64()).unwrap()
    };
    let expected = contacts(WallSides::Front, &body, &mesh);
    assert_eq!(contacts(WallSides::Both, &body, &mesh), expected);
    let back = mesh.reversed();
    let mixed = reversed(&mesh, || random.below(2) == 0);
    for mesh in [back, mixed] {
        let found = contacts(WallSides::Both, &body, &mesh);
        let are_same = found.0.iter().zip(&expected.0).all(|(a, b)| is_same(a, b));
        assert!(
            found.1 == expected.1 && found.0.len() == expected.0.len() && are_same,
            "{found:#?} {expected:#?}"
        );
    }
    expected.1
}

/// A floor of `side` x `side` cells of two triangles over the square of width 8 around the origin.
fn floor(side: usize, mut height: impl FnMut(f64, f64) -> f64) -> SurfaceMesh {
    let along = |i: usize| 8.0 * i as f64 / side as f64 - 4.0;
    let row = side + 1;
    let vertices = (0..row * row).map(|i| (along(i % row), along(i / row)));
    let vertices = vertices.map(|(x, y)| DVec3::new(x, y, height(x, y)));
    let cells = (0..side * side).map(|c| (c / side * row + c % side) as u32);
    let row = row as u32;
    let facets = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new(vertices.collect(), facets.collect::<Vec<_>>()).unwrap()
}

/// A prism with a slanted bottom at about `low` and its centroid above 1.
fn plank(random: &mut SplitMix64, low: f64) -> ConvexPolyhedron {
    let half = DVec2::new(random.range(0.5, 3.5), random.range(0.3, 1.0));
    let axis = DVec2::from_angle(random.range(0.0, 6.0));
    let slope = DVec2::new(random.range(-0.05, 0.05), random.range(-0.05, 0.05));
    let corners =
        [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|c| axis.rotate(half * DVec2::from(c)));
    let bottom = corners.map(|c| c.extend(low + slope.dot(c)));
    let top = 2.2 - low + random.range(0.0, 0.3);
    let points = [bottom, corners.map(|c| c.extend(top))].concat();
    let shape = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    assert!(shape.centroid().z > 1.0);
    shape
}

/// Planks over ridges are behind the planes of slopes on which they rest.
#[test]
fn planks_on_corrugated_floors() {
    let mut random = random(71);
    let mut total = 0;
    for case in 0..cases(24) {
        let pitch = random.range(0.3, 1.0);
        let ridges = |x: f64| ((x / pitch).rem_euclid(2.0) - 1.0).abs();
        let mesh = floor([8, 12, 16][case % 3], |x, _| ridges(x));
        let shape = plank(&mut random, 0.85);
        total += check(&Placed::new(&shape, Pose3::IDENTITY), &mesh, &mut random);
    }
    println!("{total} contacts");
    assert!(total > cases(24));
}

/// Peaks at random, and hollows between them.
#[test]
fn planks_on_bumpy_floors() {
    let mut random = random(72);
    let mut total = 0;
    for case in 0..cases(24) {
        let mesh = floor([6, 10, 14][case % 3], |_, _| random.unit());
        let shape = plank(&mut random, 0.7);
        total += check(&Placed::new(&shape, Pose3::IDENTITY), &mesh, &mut random);
    }
    println!("{total} contacts");
    assert!(total > cases(24));
}

/// Returns whether a point is inside a body.
fn holds(body: &Body, x: DVec3) -> bool {
    let x = body.pose.inverse_transform_point(x);
    let mut faces = body.shape.surface().facets();
    faces.all(|face| {
        face.corners()
            .all(|corner| face.normal().dot(x - corner) < -1e-3)
    })
}

/// Bodies over a corner, an edge or a face of a box, with the centroid outside.
#[test]
fn closed_boxes() {
    let mut random = random(73);
    let corner = |i: u32| crate::support::convex::corner(i) * 2.0 - DVec3::ONE;
    let corners = (0..8).map(corner).collect();
    let mesh = SurfaceMesh::new(corners, crate::support::convex::BOX_FACES).unwrap();
    let (mut total, count) = (0, cases(300));
    for case in 0..count {
        let shape = polyhedron(&mut random, 0.5);
        let place = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X][case % 3];
        let at = place + random.in_ball() * 0.3;
        let turn = random.rotation();
        let pose = Pose3::new(turn, at - turn * shape.centroid()).unwrap();
        let body = Placed::new(&shape, pose);
        if at.abs().max_element() > 1.0 && holds(&body, place) {
            total += check(&body, &mesh, &mut random);
        }
    }
    println!("{total} contacts");
    assert!(total > count / 4);
}

/// Long bodies over a ridge, in front of one slope and farther behind the other: the end of the ridge inside the body
/// may be the point nearest to the centroid.
#[test]
fn ridges_that_leave_a_body() {
    let mut random = random(77);
    let (mut total, count) = (0, cases(2000));
    for _ in 0..count {
        let slope = random.range(0.5, 2.0);
        let corner = |x: f64, y: f64| DVec3::new(x, y, -slope * x.abs());
        let rows = [-4.0, 0.0, 4.0].map(|x| [corner(x, -9.0), corner(x, 9.0)]);
        let mesh = SurfaceMesh::new(rows.concat(), [[0, 2, 3, 1], [2, 4, 5, 3]]).unwrap();
        let long = DVec3::new(random.range(2.0, 4.0), 0.3, 0.3);
        let points = (0..12).map(|_| random.in_ball() * long);
        let shape = ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>()).unwrap();
        let at = DVec3::new(
            random.range(0.1, 1.5),
            0.0,
            -slope * random.range(0.05, 1.45),
        );
        let turn = random.rotation();
        let pose = Pose3::new(turn, at - turn * shape.centroid()).unwrap();
        let heights = [-1.0, 1.0].map(|side| at.z + slope * side * at.x);
        let body = Placed::new(&shape, pose);
        let has_ridge = (-100..100).any(|i| holds(&body, DVec3::Y * (0.04 * f64::from(i))));
        if has_ridge && heights[1] > 1e-3 && heights[0] < -heights[1] {
            total += check(&body, &mesh, &mut random);
        }
    }
    println!("{total} contacts");
    assert!(total > count / 40);
}

/// Two leaves that meet in a sharp edge inside the body, which is on one side of both or between them.
#[test]
fn folded_sheets() {
    let mut random = random(74);
    let (mut total, count) = (0, cases(200));
    for case in 0..count {
        let angle = [0.02, 0.3, 1.0, 2.0][case % 4];
        let leaf = |turn: f64| {
            let end = DVec2::from_angle(turn) * 6.0;
            [4.0, -4.0].map(|y| DVec3::new(end.x, y, end.y))
        };
        let ([a, b], [c, d]) = (leaf(-0.5 * angle), leaf(0.5 * angle));
        let [e, f] = [4.0, -4.0].map(|y| DVec3::Y * y);
        // In front of the facets is outside of the fold.
        let mesh = SurfaceMesh::new(vec![a, b, c, d, e, f], [[0, 1, 5, 4], [4, 5, 3, 2]]).unwrap();
        let shape = polyhedron(&mut random, 1.0);
        let at = DVec3::new(
            random.range(-0.6, 0.6),
            random.range(-1.0, 1.0),
            random.range(-0.6, 0.6),
        );
        let rotation = random.rotation();
        let body = Placed::new(
            &shape,
            Pose3::new(rotation, at - rotation * shape.centroid()).unwrap(),
        );
        let toward = DVec2::new(at.x, at.z).to_angle();
        let mesh = if toward.abs() < 0.5 * angle {
            reversed(&mesh, || true)
        } else {
            mesh
        };
        if holds(&body, DVec3::Y * at.y) {
            total += check(&body, &mesh, &mut random);
        }
    }
    println!("{total} contacts");
    assert!(total > count / 4);
}

fn flat_contacts(
    sides: WallSides,
    body: &Placed<&ConvexPolygon, DVec2>,
    path: &[[DVec2; 2]],
) -> Vec<ConvexWallContact<DVec2>> {
    let mut found = Vec::new();
    let wall = Wall::new(
        SegmentMesh::new(
            path.as_flattened().to_vec(),
            (0..path.len() as u32).map(|i| [2 * i, 2 * i + 1]).collect(),
        )
        .unwrap(),
    );
    let kernel = &mut ConvexWall::new().with_sides(sides);
    kernel.for_each_contact(body, &wall, &mut Default::default(), |c| found.push(c));
    found
}

/// Bars on rough lines: pieces in any order and direction, cut anywhere.
#[test]
fn bars_on_rough_lines() {
    let mut random = random(75);
    let (mut total, count) = (0, cases(400));
    for case in 0..count {
        let pitch = [0.2, 0.5, 1.0][case % 3];
        let number = (8.0 / pitch) as i32;
        let points: Vec<_> = (0..=number)
            .map(|i| DVec2::new(pitch * f64::from(i) - 4.0, random.unit()))
            .collect();
        let mut path: Vec<[DVec2; 2]> = points.windows(2).map(|w| [w[1], w[0]]).collect();
        let half = random.range(0.5, 3.0);
        let low = random.range(0.3, 0.8);
        let slope = random.range(-0.05, 0.05) * half;
        let corners = [
            (-half, low - slope),
            (half, low + slope),
            (half, 2.5 - low),
            (-half, 2.5 - low),
        ];
        let shape = ConvexPolygon::from_convex_hull(&corners.map(DVec2::from)).unwrap();
        let pose =
            Pose2::new_normalize(random.in_ball().truncate(), random.in_ball().truncate()).unwrap();
        let body = Placed::new(&shape, pose);
        path.iter_mut()
            .flatten()
            .for_each(|x| *x = pose.transform_point(*x));
        let expected = flat_contacts(WallSides::Front, &body, &path);
        assert_eq!(flat_contacts(WallSides::Both, &body, &path), expected);
        random.shuffle(&mut path);
        let pieces: Vec<_> = path
            .iter()
            .flat_map(|&[a, b]| {
                let middle = a.lerp(b, [0.0, 0.3, 0.5][random.below(3)]);
                let mut pieces = if middle == a {
                    vec![[a, b]]
                } else {
                    vec![[a, middle], [middle, b]]
                };
                if random.below(2) == 0 {
                    pieces[0].reverse();
                }
                pieces
            })
            .collect();
        let found = flat_contacts(WallSides::Both, &body, &pieces);
        // Contacts of equal overlap come in any order.
        let is_found = |b: &ConvexWallContact<DVec2>| {
            let is_same = |a: &ConvexWallContact<DVec2>| {
                a.normal.distance(b.normal) < 1e-9 && (a.overlap - b.overlap).abs() < 1e-9
            };
            found.iter().any(is_same)
        };
        let are_same = expected.iter().all(is_found);
        assert!(
            found.len() == expected.len() && are_same,
            "{found:#?} {expected:#?}"
        );
        total += found.len();
    }
    println!("{total} contacts");
    assert!(total > count);
}

/// A line whose two halves lie almost on each other is a spike: a body outside of it has the contacts and the bed of
/// the spike with its fronts outside, however thin it is. So does a body that is as thin.
#[test]
fn needles() {
    let mut random = random(76);
    let (mut total, count) = (0, cases(400));
    for case in 0..count {
        let width = [0.1, 1e-3, 1e-6][case % 3];
        let half = DVec2::new([0.5, 0.01, 1e-4][case / 3 % 3], 0.5);
        let corners = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|c| half * DVec2::from(c));
        let shape = ConvexPolygon::from_convex_hull(&corners).unwrap();
        let lean = half.x * random.range(-0.9, 0.9);
        let mut leg = |side: f64| DVec2::new(lean + side * width, -1.0) * random.range(2.0, 4.0);
        let (left, right) = (leg(-1.0), leg(1.0));
        // The front is on the right.
        let spike = [[right, DVec2::ZERO], [DVec2::ZERO, left]];
        // In front of both legs.
        let height = half.y - random.range(0.01, 0.2);
        let at = DVec2::new(-lean - 0.9 * width * random.range(-1.0, 1.0), 1.0) * height;
        if at.x.abs() > 0.95 * half.x {
            continue;
        }
        let body = Placed::new(&shape, Pose2::from_translation(at).unwrap());
        let expected = flat_beds(WallSides::Front, &body, &spike);
        let reversed = spike.map(|[from, to]| [to, from]);
        let middle = left * random.unit();
        let cut = [[right, DVec2::ZERO], [DVec2::ZERO, middle], [left, middle]];
        for path in [&spike[..], &reversed, &[spike[1], reversed[0]], &cut] {
            let found = flat_beds(WallSides::Both, &body, path);
            assert_eq!(
                found.len(),
                expected.len(),
                "{case} {path:?} {found:?} {expected:?}"
            );
            for ((a, m), (b, n)) in found.iter().zip(&expected) {
                assert!(a.normal.distance(b.normal) < 1e-9, "{case} {a:?} {b:?}");
                assert!((a.overlap - b.overlap).abs() < 1e-12, "{case} {a:?} {b:?}");
                // The normal is across the line between the points at which the legs leave the body. Rounding turns it
                // by some u / base, and so changes the width of the bed, depth * (|lean| + width).
                let depth = half.y - height;
                let base = width * depth;
                let error = 2.0 * f64::EPSILON / (base * (lean.abs() + width)) * n.volume;
                assert!((m.volume - n.volume).abs() <= error, "{case} {m:?} {n:?}");
                assert_eq!(m.length, n.length, "{case} {m:?} {n:?}");
            }
        }
        total += expected.len();
    }
    println!("{total} contacts");
    assert!(total > count / 4);
}

type FlatBed = (ConvexWallContact<DVec2>, ContactManifold<DVec2>);

fn flat_beds(
    sides: WallSides,
    body: &Placed<&ConvexPolygon, DVec2>,
    path: &[[DVec2; 2]],
) -> Vec<FlatBed> {
    let ids = (0..path.len() as u32).map(|i| [2 * i, 2 * i + 1]);
    let mesh = SegmentMesh::new(path.as_flattened().to_vec(), ids.collect()).unwrap();
    let mut found = Vec::new();
    let kernel = &mut ConvexWall::new().with_sides(sides);
    kernel.for_each_manifold(body, &Wall::new(mesh), &mut Default::default(), |c, m| {
        found.push((c, m))
    });
    found
}
