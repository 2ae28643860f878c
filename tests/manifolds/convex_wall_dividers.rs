//! Walls that stand on a floor, lean or pass through it: three or four ways at an edge. The contacts are the same
//! whether the floor has an edge there or not.

use crate::support::cases;
use crate::support::convex::random;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::workload::rewritten;
use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

/// Returns a number, rounded to sixteenths on the lattice.
fn snapped(x: f64, lattice: bool) -> f64 {
    if lattice {
        (16.0 * x).round() / 16.0
    } else {
        x
    }
}

fn solid(body: &Placed<&ConvexPolyhedron>, mesh: &SurfaceMesh) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    let (wall, state) = (Wall::new(mesh.clone()), &mut Default::default());
    let kernel = &mut ConvexWall::new();
    kernel.for_each_contact(body, &wall, state, |c| found.push(c));
    found
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
