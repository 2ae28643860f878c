//! Contacts at walls in small integers, known by hand.

use crate::support::wall::{contacts, contacts_with_all};
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{ContactManifold, ConvexWall, ConvexWallContact, ConvexWallState};
use osculate::shape::{Feature, SegmentMesh};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ConvexPolyhedron, DoubleHierarchy, NarrowPhase, PeriodicBox, Placed, Pose3, Sphere,
    SurfaceMesh, Wall, WallState,
};

const fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn mesh(triangles: &[[DVec3; 3]]) -> SurfaceMesh {
    SurfaceMesh::from_triangles(triangles).unwrap()
}

fn rectangle([a, b, c, d]: [DVec3; 4]) -> [[DVec3; 3]; 2] {
    [[a, b, c], [a, c, d]]
}

/// Returns a triangle with its front towards a point.
fn facing([a, b, c]: [DVec3; 3], from: DVec3) -> [DVec3; 3] {
    if (b - a).cross(c - a).dot(from - a) < 0.0 {
        [a, c, b]
    } else {
        [a, b, c]
    }
}

/// Returns the box between two corners.
fn cuboid(min: DVec3, max: DVec3) -> ConvexPolyhedron {
    let part = |i: u32| v((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<DVec3> = (0..8).map(|i| min + part(i) * (max - min)).collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

fn manifolds(
    shape: &ConvexPolyhedron,
    wall: &[[DVec3; 3]],
) -> Vec<(ConvexWallContact, ContactManifold)> {
    let mut found = Vec::new();
    let body = Placed::new(shape, Pose3::IDENTITY);
    let mut state = ConvexWallState::default();
    let mut kernel = ConvexWall::new();
    kernel.for_each_manifold(&body, &Wall::new(mesh(wall)), &mut state, |c, m| {
        found.push((c, m))
    });
    found
}

/// Above a ridge much shorter than the radius, near its end: the contact is on the edge.
#[test]
fn short_edges() {
    let length = two_to(-20);
    let [a, b] = [DVec3::ZERO, DVec3::Y * length];
    let triangles = [[a, b, v(1., 0., -1.)], [b, a, v(-1., 0., -1.)]];
    for part in [two_to(-8), 0.5, 1.0 - two_to(-8)] {
        let center = v(0., part * length, 0.5);
        let found = contacts_with_all(&mesh(&triangles), &Sphere::new(center, 1.0));
        let [contact] = found[..] else {
            panic!("{part} {found:?}")
        };
        assert!(matches!(contact.feature, Feature::Edge(..)), "{part}");
        assert_eq!((contact.offset, contact.overlap), (DVec3::Z * -0.5, 0.5));
    }
}

/// A center as far from all corners: the order of the corners has no influence.
#[test]
fn order_of_corners() {
    let mut count = 0;
    for (x, y, z) in (1..200).map(|i| (i % 7 + 1, i % 11, i % 29)) {
        let [x, y, z] = [x, y, z].map(f64::from);
        let corners = [v(x, y, z), v(z, x, y), v(y, z, x)];
        let orders = [
            [0, 1, 2],
            [1, 2, 0],
            [2, 0, 1],
            [0, 2, 1],
            [2, 1, 0],
            [1, 0, 2],
        ];
        let found = orders.map(|order| {
            let vertices = order.map(|i: usize| corners[i]);
            let mesh = SurfaceMesh::new(vertices.to_vec(), [[0, 1, 2]]).unwrap();
            let found = contacts_with_all(&mesh, &Sphere::new(DVec3::ZERO, 64.0));
            found.iter().map(|c| c.offset).collect::<Vec<_>>()
        });
        count += found[0].len();
        assert!(
            found.iter().all(|other| *other == found[0]),
            "{corners:?} {found:?}"
        );
    }
    assert!(count > 100);
}

/// The facet of a contact at an edge is the lowest that has the edge, for either winding.
#[test]
fn lowest_facet_of_an_edge() {
    let mut random = SplitMix64::new(5);
    let mut count = 0;
    for case in 0..300 {
        let corners: Vec<DVec3> = (0..4).map(|_| random.in_ball()).collect();
        let facets = if case % 2 == 0 {
            [[0, 1, 2], [1, 0, 3]]
        } else {
            [[3, 1, 0], [0, 1, 2]]
        };
        let mesh = SurfaceMesh::new(corners.clone(), facets).unwrap();
        let away = corners[0] + corners[1] - corners[2] - corners[3];
        let center = corners[0].lerp(corners[1], random.range(0.25, 0.75)) + away * 0.125;
        for contact in contacts_with_all(&mesh, &Sphere::new(center, 4.0)) {
            if contact.feature == Feature::Edge(0, 1) {
                assert_eq!(contact.facet, 0, "{case}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// A vertex a little in front of a large inclined facet is not on it.
#[test]
fn vertex_above_a_large_facet() {
    let (along, up) = (v(4., 0., -3.), v(3., 0., 4.));
    let far = [
        along * -2048.0 - DVec3::Y * 8192.0,
        along * 2048.0 - DVec3::Y * 8192.0,
        DVec3::Y * 8192.0,
    ];
    let center = up * 0.125;
    let tip = along * 0.125 + up * two_to(-14);
    let (back, across) = (tip - center, DVec3::Y);
    let spike = [tip, tip + back + across, tip + back - across];
    // Corners that are exact.
    let mesh = SurfaceMesh::new([far, spike].concat(), [[0, 1, 2], [3, 4, 5]]).unwrap();
    let mesh = mesh.with_precision(0.0).unwrap();
    let found = contacts_with_all(&mesh, &Sphere::new(center, 1.0));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].offset.distance(-center) < 1e-12);
    assert!(found[1].offset.distance(back) < 1e-12);
}

/// A sphere whose overlap is one rounding error touches each image of a periodic wall.
#[test]
fn least_overlap_in_a_period() {
    let floor = rectangle([
        v(-4., -4., 0.),
        v(4., -4., 0.),
        v(4., 4., 0.),
        v(-4., 4., 0.),
    ]);
    let mut wall = Wall::new(mesh(&floor));
    // Much smaller than the sphere.
    let radius = 1024.0;
    let corner = DVec3::splat(-4096.0);
    let period = PeriodicBox::orthogonal(corner, DVec3::splat(8192.0), [true; 3]).unwrap();
    wall.set_period(Some(period));
    for sign in [1.0, -1.0] {
        for overlap in [two_to(-53), 0.0] {
            let center = DVec3::Z * (sign * (1.0 - overlap) * radius);
            let found = contacts(&wall, &mut WallState::default(), center, radius);
            let found: Vec<f64> = found.iter().map(|c| c.overlap / radius).collect();
            let expected = if overlap > 0.0 { vec![overlap] } else { vec![] };
            assert_eq!(found, expected, "{sign}");
        }
    }
}

/// A sphere that touches without overlap has no contact, in the plane and in space.
#[test]
fn touching_exactly() {
    let line = SegmentMesh::new(vec![DVec2::X * -4.0, DVec2::X * 4.0], vec![[0, 1]]).unwrap();
    let line = Wall::new(line);
    let floor = rectangle([
        v(-4., -4., 0.),
        v(4., -4., 0.),
        v(4., 4., 0.),
        v(-4., 4., 0.),
    ]);
    let floor = Wall::new(mesh(&floor));
    for (height, count) in [(1.0, 0), (-1.0, 0), (1.0 - two_to(-53), 1)] {
        let found = contacts(
            &line,
            &mut WallState::default(),
            DVec2::new(0.5, height),
            1.0,
        );
        assert_eq!(found.len(), count, "{height}");
        let found = contacts(&floor, &mut WallState::default(), v(1., 0.5, height), 1.0);
        assert_eq!(found.len(), count, "{height}");
    }
}

/// A sphere beside each side and each vertex of a triangle.
#[test]
fn around_a_triangle() {
    let corners = [v(0., 0., 0.), v(8., 0., 0.), v(0., 8., 0.)];
    let kernel = &mut DoubleHierarchy::new();
    for first in 0..3 {
        let triangle = [0, 1, 2].map(|i| corners[(i + first) % 3]);
        let wall = Wall::new(mesh(&[triangle]));
        for i in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|k| corners[(i + k) % 3]);
            let middle = (a + b) * 0.5;
            let outward = (middle - c).reject_from(b - a).normalize() * 0.5;
            for (center, point) in [
                (middle + outward, middle),
                (a + (a - (b + c) * 0.5).normalize() * 0.5, a),
            ] {
                let mut found = Vec::new();
                kernel.for_each_contact(
                    &Sphere::new(center, 1.0),
                    &wall,
                    &mut WallState::default(),
                    |c| found.push(c),
                );
                let [contact] = found[..] else {
                    panic!("{first} {i} {found:?}")
                };
                assert!(
                    contact.point.distance(point) < 1e-14,
                    "{first} {i} {contact:?}"
                );
            }
        }
    }
}

/// The apex of a star in the corner of a cube, deeper than all else. Its facets have no normal between those of the
/// faces, but the planes through its ridges have. Their mean is the diagonal.
#[test]
fn star_in_the_corner_of_a_cube() {
    let cube = cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
    for signs in 0..8 {
        let sign = |axis: u32| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let mirror = v(sign(0), sign(1), sign(2));
        let apex = DVec3::splat(0.75);
        let ring = [
            v(3., -1., -1.),
            v(2., 2., 0.),
            v(-1., 3., -1.),
            v(0., 2., 2.),
            v(-1., -1., 3.),
            v(2., 0., 2.),
        ];
        let facet = |i: usize| [apex, apex + ring[i] * 4.0, apex + ring[(i + 1) % 6] * 4.0];
        let facets: Vec<_> = (0..6)
            .map(|i| facing(facet(i).map(|x| x * mirror), DVec3::ZERO))
            .collect();
        let found = manifolds(&cube, &facets);
        assert_eq!(found.len(), 1, "{signs} {found:?}");
        let (contact, _) = &found[0];
        let root = 3.0_f64.sqrt();
        assert!(
            contact.normal.distance(mirror / root) < 1e-12,
            "{signs} {contact:?}"
        );
        assert!(
            (contact.overlap - 0.75 / root).abs() < 1e-12,
            "{signs} {contact:?}"
        );
        assert_eq!((contact.depth, contact.point), (0.25, apex * mirror));
    }
}

/// The tip of a body a little through a wall: the bed is a small pyramid, far from the center of the body.
#[test]
fn small_tips() {
    let floor = rectangle([
        v(-9., -9., 0.),
        v(9., -9., 0.),
        v(9., 9., 0.),
        v(-9., 9., 0.),
    ]);
    for depth in [0.5, two_to(-10), two_to(-20)] {
        let corners = [
            v(0., 0., -1.),
            v(1., 0., 0.),
            v(-1., 0., 0.),
            v(0., 1., 0.),
            v(0., -1., 0.),
            v(0., 0., 1.),
        ];
        let corners = corners.map(|x| x + v(2., 1., 1.0 - depth));
        let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let found = manifolds(&shape, &floor);
        assert_eq!(found.len(), 1);
        // The pyramid has the base 2 depth^2.
        let (contact, manifold) = &found[0];
        let volume = 2.0 / 3.0 * depth * depth * depth;
        assert!((contact.overlap - depth).abs() < 1e-12);
        assert!(
            (manifold.area / (2.0 * depth * depth) - 1.0).abs() < 1e-5,
            "{manifold:?}"
        );
        assert!(
            (manifold.volume / volume - 1.0).abs() < 1e-5,
            "{depth} {manifold:?}"
        );
    }
}

/// A deeper facet hangs on the middle of the edge at which another one is lowest.
#[test]
fn lowest_edge_with_a_hanging_facet() {
    let cube = cuboid(v(-10., -10., -1.), v(10., 10., 19.));
    let wide = rectangle([
        v(0., -2., 0.),
        v(2., -2., -0.25),
        v(2., 2., -0.25),
        v(0., 2., 0.),
    ]);
    let narrow = rectangle([
        v(0., -0.5, 0.),
        v(0., 0.5, 0.),
        v(-2., 0.5, 0.25),
        v(-2., -0.5, 0.25),
    ]);
    let triangles = [
        [v(0., -2., 0.), v(2., 0., -0.25), v(0., 2., 0.)],
        [v(0., 0.5, 0.), v(-2., 0., 0.25), v(0., -0.5, 0.)],
    ];
    for wall in [[wide, narrow].concat(), triangles.to_vec()] {
        let mut found = Vec::new();
        ConvexWall::new().for_each_contact(
            &Placed::new(&cube, Pose3::IDENTITY),
            &Wall::new(mesh(&wall)),
            &mut ConvexWallState::default(),
            |c| found.push((c.overlap, c.normal)),
        );
        assert_eq!(found, [(1.25, -DVec3::Z)], "");
    }
}

/// A plate below the ridge between two facets does not separate their fronts.
#[test]
fn ridge_with_a_plate_below() {
    let cube = cuboid(v(-10., -10., -1.), v(10., 10., 19.));
    for mirror in [v(1., 1., 1.), v(-1., 1., 1.)] {
        let steep = rectangle([
            v(0., -2., 0.),
            v(2., -2., -4.),
            v(2., 2., -4.),
            v(0., 2., 0.),
        ]);
        let deeper = rectangle([
            v(0., -2., 0.),
            v(0., 2., 0.),
            v(-2., 2., 0.5),
            v(-2., -2., 0.5),
        ]);
        let plate = rectangle([
            v(0., -2., 0.),
            v(0., 2., 0.),
            v(-1., 2., -4.),
            v(-1., -2., -4.),
        ]);
        let wall = [steep, deeper, plate].concat();
        let above = DVec3::Z * 9.0;
        let wall = wall.iter().map(|t| facing(t.map(|x| x * mirror), above));
        let found = manifolds(&cube, &wall.collect::<Vec<_>>());
        let found: Vec<_> = found.iter().map(|(c, _)| (c.overlap, c.normal)).collect();
        assert_eq!(found, [(1.5, -DVec3::Z)], "{mirror}");
    }
}

/// Vertices in the middle of an edge have no influence, wherever the list of corners starts.
#[test]
fn hanging_vertex_on_a_ridge() {
    let cube = cuboid(v(-10., -10., -4.), v(10., 10., 16.));
    let (low, high) = (v(0., -2., 0.), v(0., 2., -1.));
    let middle = v(0., -1., -0.25);
    let (down, up) = (v(4., 0., -8.), v(-4., 0., 1.));
    let vertices = [
        low,
        middle,
        high,
        high + down,
        low + down,
        low + up,
        high + up,
    ];
    let turned = |ids: [u32; 5], first: usize| -> Vec<u32> {
        (0..5).map(|i| ids[(i + first) % 5]).collect()
    };
    for (first, second) in (0..25).map(|i| (i / 5, i % 5)) {
        let facets = [
            turned([4, 3, 2, 1, 0], first),
            turned([2, 6, 5, 0, 1], second),
        ];
        let mesh = SurfaceMesh::new(vertices.to_vec(), facets).unwrap();
        let mut found = Vec::new();
        ConvexWall::new().for_each_contact(
            &Placed::new(&cube, Pose3::IDENTITY),
            &Wall::new(mesh),
            &mut ConvexWallState::default(),
            |c| found.push(c),
        );
        let [contact] = found[..] else {
            panic!("{first} {second} {found:?}")
        };
        assert_eq!(contact.normal, -DVec3::Z);
        assert!((contact.overlap - 5.0).abs() < 1e-14, "{contact:?}");
    }
}

/// A needle from one side of the middle of a body to a little beyond: two opposite faces are equally near in the middle.
#[test]
fn needle_through_the_middle() {
    let shape = cuboid(v(-1., -4., -4.), v(1., 4., 5.));
    for beyond in [two_to(-8), two_to(-26), two_to(-28)] {
        for mirror in [v(1., 1., 1.), v(-1., 1., 1.)] {
            let needle = [
                v(-beyond, 0., 0.),
                v(0.75, 0.0625, 0.),
                v(0.75, -0.0625, 0.),
            ];
            let needle = needle.map(|x| x * mirror);
            let found = manifolds(&shape, &[needle]);
            assert_eq!(found.len(), 1, "{found:?}");
            let (contact, _) = &found[0];
            assert!((contact.depth - 1.0).abs() < 1e-12, "{beyond} {contact:?}");
            assert!(contact.point.x.abs() < 1e-12, "{beyond} {contact:?}");
        }
    }
}

/// A divider above a ridge separates the facets beside it where it covers the edge, with few facets or many.
#[test]
fn ridge_with_a_divider() {
    let cube = cuboid(v(-10., -10., -1.), v(10., 10., 19.));
    let steep = rectangle([
        v(0., -2., 0.),
        v(2., -2., -2.),
        v(2., 2., -2.),
        v(0., 2., 0.),
    ]);
    let deeper = rectangle([
        v(0., -2., 0.),
        v(0., 2., 0.),
        v(-2., 2., 0.5),
        v(-2., -2., 0.5),
    ]);
    let top = 0.25;
    for (low, from, to, is_covered) in [
        (0.0, -2.0, 2.0, true),
        (-0.25, -2.0, 2.0, true),
        (-0.25, -3.0, 3.0, true),
        (-0.25, -3.0, 1.0, false),
    ] {
        for count in [1, 3, 40] {
            let at = |i: i32| from + (to - from) * f64::from(i) / f64::from(count);
            let divider = (0..count).flat_map(|i| {
                let (y, next) = (at(i), at(i + 1));
                rectangle([
                    v(0., y, low),
                    v(0., next, low),
                    v(0., next, top),
                    v(0., y, top),
                ])
            });
            let wall = [steep, deeper].concat().into_iter().chain(divider);
            let wall = Wall::new(mesh(&wall.collect::<Vec<_>>()));
            let (body, mut overlaps) = (Placed::new(&cube, Pose3::IDENTITY), Vec::new());
            let (mut kernel, mut state) = (ConvexWall::new(), ConvexWallState::default());
            kernel.for_each_contact(&body, &wall, &mut state, |c| {
                assert_eq!(c.normal, -DVec3::Z);
                overlaps.push(c.overlap);
            });
            let expected: &[f64] = if is_covered {
                &[1.5, 1.25, 1.0]
            } else {
                &[1.5, 1.25]
            };
            assert_eq!(overlaps, expected, "{low} {from} {to} {count}");
        }
    }
}
