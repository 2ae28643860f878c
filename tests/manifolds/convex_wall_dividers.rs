//! Walls that stand on a floor, lean or pass through it: three or four ways at an edge. The contacts are the same
//! whether the floor has an edge there or not, and those of a prism are those of its base.

use crate::support::cases;
use crate::support::convex::random;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{
    ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2, Pose3, SurfaceMesh, Wall,
};

type Segment = [DVec2; 2];

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

/// Returns a segment with a point on its left.
fn facing([a, b]: Segment, point: DVec2) -> Segment {
    if (b - a).perp_dot(point - a) < 0.0 {
        [b, a]
    } else {
        [a, b]
    }
}

/// Returns the contacts with a wall whose front is on the left of the segments.
fn flat(
    body: &Placed<&ConvexPolygon, DVec2>,
    segments: &[Segment],
) -> Vec<ConvexWallContact<DVec2>> {
    let ids = (0..segments.len() as u32).map(|i| [2 * i + 1, 2 * i]);
    let mesh = SegmentMesh::new(segments.as_flattened().to_vec(), ids.collect()).unwrap();
    let mut found = Vec::new();
    let kernel = &mut ConvexWall::new();
    kernel.for_each_contact(body, &Wall::new(mesh), &mut Default::default(), |c| {
        found.push(c)
    });
    found
}

/// Returns a number, rounded to sixteenths on the lattice.
fn snapped(x: f64, lattice: bool) -> f64 {
    if lattice {
        (16.0 * x).round() / 16.0
    } else {
        x
    }
}

/// A wall over the segments, with the same front.
fn extruded(segments: &[Segment]) -> SurfaceMesh {
    let quads = segments.iter().flat_map(|&[a, b]| {
        let [a, b, c, d] = [a.extend(-3.0), b.extend(-3.0), b.extend(3.0), a.extend(3.0)];
        [[a, c, b], [a, d, c]]
    });
    SurfaceMesh::from_triangles(&quads.collect::<Vec<_>>()).unwrap()
}

fn solid(body: &Placed<&ConvexPolyhedron>, mesh: &SurfaceMesh) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    let (wall, state) = (Wall::new(mesh.clone()), &mut Default::default());
    let kernel = &mut ConvexWall::new();
    kernel.for_each_contact(body, &wall, state, |c| found.push(c));
    found
}

/// Returns whether a prism has the contacts of its base.
fn agree(solid: &[ConvexWallContact], flat: &[ConvexWallContact<DVec2>]) -> bool {
    let is_same = |c: &ConvexWallContact, d: &ConvexWallContact<DVec2>| {
        c.normal.distance(d.normal.extend(0.0)) < 1e-9 && (c.overlap - d.overlap).abs() < 1e-9
    };
    solid.len() == flat.len() && flat.iter().all(|d| solid.iter().any(|c| is_same(c, d)))
}

/// Checks a body at a floor that has an edge under the wall, and one that has none.
fn check(
    base: &Placed<&ConvexPolygon, DVec2>,
    [left, foot, right]: [DVec2; 3],
    ends: &[DVec2],
    random: &mut SplitMix64,
) -> usize {
    let others = ends.iter();
    let others = others.map(|&end| facing([foot, end], base.pose.translation()));
    let split: Vec<Segment> = [[left, foot], [foot, right]]
        .into_iter()
        .chain(others.clone())
        .collect();
    let whole: Vec<Segment> = [[left, right]].into_iter().chain(others).collect();
    let corners = base.shape.vertices().iter();
    let corners: Vec<_> = corners
        .flat_map(|x| [x.extend(-2.0), x.extend(2.0)])
        .collect();
    let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
    let turn = DQuat::from_rotation_z(base.pose.rotation().to_angle());
    let at = base.pose.translation().extend(0.0);
    let body = Placed::new(&shape, Pose3::new_normalize(turn, at).unwrap());
    let expected = flat(base, &split);
    for segments in [split, whole] {
        let found = flat(base, &segments);
        assert_eq!(
            found.len(),
            expected.len(),
            "{base:?} {segments:?} {found:#?} {expected:#?}"
        );
        let mesh = extruded(&segments);
        for seed in 0..4 {
            let mesh = match seed {
                0 => mesh.clone(),
                _ => rewritten(&mesh, random.next_u64()).unwrap(),
            };
            let found = solid(&body, &mesh);
            assert!(
                agree(&found, &expected),
                "seed {seed} {} {base:?} {:?} {segments:?} {found:#?} {expected:#?}",
                segments.len(),
                base.shape.vertices()
            );
        }
    }
    expected.len()
}

/// Walls that stand, lean and pass through floors that are bent or not.
#[test]
fn prisms_at_dividers() {
    let mut random = random(81);
    let (mut total, count) = (0, cases(300));
    for case in 0..count {
        let lattice = case % 2 == 0;
        let mut number = |low: f64, high: f64| snapped(random.range(low, high), lattice);
        let half = v(number(0.3, 1.0), number(0.3, 1.0));
        let corners = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|c| half * DVec2::from(c));
        let shape = ConvexPolygon::from_convex_hull(&corners).unwrap();
        let depths = v(number(0.06, 0.2), number(0.06, 0.2));
        let lean = if case % 3 == 0 {
            0.0
        } else {
            number(-1.0, 1.0)
        };
        let angle = if case % 4 < 2 { 0.0 } else { number(-0.2, 0.2) };
        let foot = v(number(-1.0, 1.0), number(-1.0, 1.0));
        let mut ends = vec![foot + v(4.0 * lean, 4.0)];
        if case % 5 == 0 {
            ends.push(foot - v(4.0 * lean, 4.0));
        }
        let at = foot + half - depths;
        // The side of a plane through the centroid is undefined.
        if (ends[0] - foot).perp_dot(at - foot).abs() < 1e-9 {
            continue;
        }
        let base = Placed::new(&shape, Pose2::from_angle(angle, at).unwrap());
        let floor = [foot - v(4.0, 0.0), foot, foot + v(4.0, 0.0)];
        total += check(&base, floor, &ends, &mut random);
    }
    println!("{total} contacts");
    assert!(total > count);
}

/// A square on a floor, against a wall on it or through it, by hand.
#[test]
fn named_dividers() {
    let mut random = random(82);
    let shape = ConvexPolygon::from_convex_hull(
        &[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from),
    )
    .unwrap();
    let floor = [v(-4.0, 0.0), DVec2::ZERO, v(4.0, 0.0)];
    for ends in [&[v(0.0, 4.0)][..], &[v(0.0, 4.0), v(0.0, -4.0)]] {
        for [x, y] in [[0.46, 0.47], [0.48, 0.47], [0.47, 0.47], [-0.46, 0.47]] {
            let base = Placed::new(&shape, Pose2::from_translation(v(x, y)).unwrap());
            assert_eq!(check(&base, floor, ends, &mut random), 2);
            let split = [
                [floor[0], floor[1]],
                [floor[1], floor[2]],
                facing([DVec2::ZERO, ends[0]], v(x, y)),
            ];
            let found = flat(&base, &split);
            for (normal, overlap) in [
                (-DVec2::Y, 0.5 - y),
                (-DVec2::X * x.signum(), 0.5 - x.abs()),
            ] {
                let is_it = |c: &ConvexWallContact<DVec2>| {
                    c.normal.distance(normal) < 1e-12 && (c.overlap - overlap).abs() < 1e-12
                };
                assert!(found.iter().any(is_it), "{normal} {overlap} {found:?}");
            }
        }
    }
}

/// Returns a floor with a ridge or valley along z, and a wall on it between two heights. The floor has vertices at
/// the ends of the wall if it is split.
fn partly_divided(
    [left, right]: [DVec2; 2],
    top: DVec2,
    [from, to]: [f64; 2],
    is_split: bool,
) -> SurfaceMesh {
    let cuts = match is_split {
        true => vec![-3.0, from, to, 3.0],
        false => vec![-3.0, 3.0],
    };
    let mut quads = vec![[DVec2::ZERO, top].map(|x| [x.extend(from), x.extend(to)])];
    for cut in cuts.windows(2) {
        quads.extend(
            [left, right]
                .map(|end| [DVec2::ZERO, end].map(|x| [x.extend(cut[0]), x.extend(cut[1])])),
        );
    }
    let triangles = quads
        .iter()
        .flat_map(|&[[a, b], [c, d]]| [[a, b, d], [a, d, c]]);
    SurfaceMesh::from_triangles(&triangles.collect::<Vec<_>>()).unwrap()
}

/// A wall that stands on a part of an edge of the floor. The contacts do not depend on whether the edge ends where the
/// wall does.
#[test]
fn dividers_of_part_of_an_edge() {
    let mut random = random(83);
    let (mut total, mut bent, count) = (0, 0, cases(1000));
    for case in 0..count {
        let lattice = case % 2 == 0;
        let mut number = |low: f64, high: f64| snapped(random.range(low, high), lattice);
        let half = v(number(0.3, 1.0), number(0.3, 1.0)).extend(number(0.3, 1.0));
        let rise = |x: f64| if case % 5 == 0 { 0.0 } else { x };
        let ends = [
            v(-4.0, rise(number(-4.0, 4.0))),
            v(4.0, rise(number(-4.0, 4.0))),
        ];
        let top = v(number(-1.0, 1.0), 2.0);
        let from = number(-1.0, 0.5);
        let to = from + number(0.1, 1.0);
        let at = v(number(-0.8, 0.8), number(-0.2, 1.2)).extend(number(-0.5, 0.5));
        let sign = |i: u32, axis: u32| if i >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let corners = (0..8).map(|i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
        let shape = ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap();
        let turn = match case % 4 {
            0 | 1 => DQuat::IDENTITY,
            2 => DQuat::from_rotation_z(number(-0.5, 0.5)),
            _ => random.rotation(),
        };
        let body = Placed::new(&shape, Pose3::new_normalize(turn, at).unwrap());
        // The side of a plane through the centroid is undefined.
        let is_in_plane = |end: DVec2| end.perp_dot(at.truncate()).abs() < 1e-9;
        if [ends[0], ends[1], top].into_iter().any(is_in_plane) {
            continue;
        }
        let expected = solid(&body, &partly_divided(ends, top, [from, to], true));
        for round in 0..4 {
            let mesh = partly_divided(ends, top, [from, to], round < 2);
            let mesh = match round % 2 {
                0 => mesh,
                _ => rewritten(&mesh, random.next_u64()).unwrap(),
            };
            let found = solid(&body, &mesh);
            let is_same = |c: &ConvexWallContact, d: &ConvexWallContact| {
                c.normal.distance(d.normal) < 1e-9 && (c.overlap - d.overlap).abs() < 1e-9
            };
            assert!(
                found.len() == expected.len()
                    && expected.iter().all(|d| found.iter().any(|c| is_same(c, d))),
                "case {case} round {round} {body:?} {:?} {ends:?} {top} {from} {to}: {found:#?} {expected:#?}",
                shape.vertices()
            );
        }
        total += expected.len();
        bent += usize::from(expected.len() > 1);
    }
    println!("{total} contacts, {bent} of several");
    assert!(total > count && bent > count / 4);
}
