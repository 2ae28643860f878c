//! Contacts at walls in small integers, known by hand.

use crate::support::solids::cuboid;
use crate::support::wall::{contacts, contacts_with_all};
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{ContactManifold, ConvexWall, ConvexWallContact, ConvexWallState};
use osculate::shape::{Feature, SegmentMesh};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ConvexPolyhedron, NarrowPhase, PeriodicBox, Placed, Pose3, Sphere, SurfaceMesh, Wall, WallState,
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

/// A rectangle that ends at y[0] and y[1], and at two points (x, z).
fn strip([(a, low), (b, high)]: [(f64, f64); 2], y: [f64; 2]) -> [[DVec3; 3]; 2] {
    let [p, q] = [v(a, y[0], low), v(b, y[0], high)];
    let [r, s] = [v(b, y[1], high), v(a, y[1], low)];
    [[p, q, r], [p, r, s]]
}

/// A square of side 8 in z = 0.
fn floor() -> Wall {
    Wall::new(mesh(&strip([(-4.0, 0.0), (4.0, 0.0)], [-4.0, 4.0])))
}

/// Returns a triangle with its front towards a point.
fn facing([a, b, c]: [DVec3; 3], from: DVec3) -> [DVec3; 3] {
    if (b - a).cross(c - a).dot(from - a) < 0.0 {
        [a, c, b]
    } else {
        [a, b, c]
    }
}

fn manifolds(
    shape: &ConvexPolyhedron,
    wall: SurfaceMesh,
) -> Vec<(ConvexWallContact, ContactManifold)> {
    let mut found = Vec::new();
    let body = Placed::new(shape, Pose3::IDENTITY);
    let mut state = ConvexWallState::default();
    let mut kernel = ConvexWall::new();
    kernel.for_each_manifold(&body, &Wall::new(wall), &mut state, |c, m| {
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

/// A sphere that touches without overlap has no contact, and one whose overlap is one rounding error has one, in the
/// plane, in space, and at each image of a periodic wall.
#[test]
fn least_overlap() {
    // Much larger than the periodic wall.
    let radius = 1024.0;
    let line = SegmentMesh::new(vec![DVec2::X * -4.0, DVec2::X * 4.0], vec![[0, 1]]).unwrap();
    let line = Wall::new(line);
    let mut periodic = floor();
    let corner = DVec3::splat(-4096.0);
    let period = PeriodicBox::orthogonal(corner, DVec3::splat(8192.0), [true; 3]).unwrap();
    periodic.set_period(Some(period));
    let state = &mut WallState::default();
    for height in [1.0, -1.0].map(|sign| sign * radius) {
        for overlap in [two_to(-53), 0.0] {
            let center = v(0.0, 0.0, height * (1.0 - overlap));
            let flat = DVec2::new(0.5, center.z);
            let in_plane = contacts(&line, &mut WallState::default(), flat, radius);
            let mut found = vec![in_plane.iter().map(|c| c.overlap).collect::<Vec<_>>()];
            for wall in [&floor(), &periodic] {
                let contacts = contacts(wall, state, center, radius);
                found.push(contacts.iter().map(|c| c.overlap).collect());
            }
            let expected = match overlap > 0.0 {
                true => vec![overlap * radius],
                false => vec![],
            };
            assert!(
                found.iter().all(|found| *found == expected),
                "{height} {found:?}"
            );
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
        let found = manifolds(&cube, mesh(&facets));
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
    let floor = mesh(&strip([(-9.0, 0.0), (9.0, 0.0)], [-9.0, 9.0]));
    for depth in [0.5, two_to(-10), two_to(-20)] {
        let axes = DVec3::AXES.map(|axis| [axis, -axis]);
        let place = |&x: &DVec3| x + v(2., 1., 1.0 - depth);
        let corners: Vec<_> = axes.as_flattened().iter().map(place).collect();
        let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let found = manifolds(&shape, floor.clone());
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

/// Two facets of different slopes meet in an edge at the origin, below a cube that is 1 deep there.
///
/// A deeper facet may hang on the middle of the edge at which another one is lowest. A plate below the edge does not
/// separate their fronts. A divider above it does where it covers the edge, with few facets or many.
#[test]
fn facets_at_an_edge_below_a_cube() {
    let cube = cuboid(v(-10., -10., -1.), v(10., 10., 19.));
    let slope = |x: f64, z: f64, half: f64| strip([(0.0, 0.0), (x, z)], [-half, half]).to_vec();
    let hanging = [slope(2.0, -0.25, 2.0), slope(-2.0, 0.25, 0.5)].concat();
    let triangles = vec![
        [v(0., -2., 0.), v(2., 0., -0.25), v(0., 2., 0.)],
        [v(0., 0.5, 0.), v(-2., 0., 0.25), v(0., -0.5, 0.)],
    ];
    let plate = [
        slope(2.0, -4.0, 2.0),
        slope(-2.0, 0.5, 2.0),
        slope(-1.0, -4.0, 2.0),
    ]
    .concat();
    let mut cases: Vec<(Vec<[DVec3; 3]>, &[f64])> = vec![(hanging, &[1.25]), (triangles, &[1.25])];
    for (low, from, to, overlaps) in [
        (0.0, -2.0, 2.0, &[1.5, 1.25, 1.0][..]),
        (-0.25, -2.0, 2.0, &[1.5, 1.25, 1.0]),
        (-0.25, -3.0, 3.0, &[1.5, 1.25, 1.0]),
        (-0.25, -3.0, 1.0, &[1.5, 1.25]),
    ] {
        for count in [1, 3, 40] {
            let at = |i: i32| from + (to - from) * f64::from(i) / f64::from(count);
            let piece = |i: i32| strip([(0.0, 0.25), (0.0, low)], [at(i), at(i + 1)]);
            let divider = (0..count).flat_map(piece).collect();
            let wall = [slope(2.0, -2.0, 2.0), slope(-2.0, 0.5, 2.0), divider].concat();
            cases.push((wall, overlaps));
        }
    }
    let body = Placed::new(&cube, Pose3::IDENTITY);
    for is_mirrored in [false, true] {
        let place = |t: &[DVec3; 3]| {
            let [a, b, c] = facing(*t, DVec3::Z * 9.0);
            match is_mirrored {
                true => [a, c, b].map(|x| x * v(-1., 1., 1.)),
                false => [a, b, c],
            }
        };
        let placed = |wall: &[[DVec3; 3]]| mesh(&wall.iter().map(place).collect::<Vec<_>>());
        for (wall, expected) in &cases {
            let (mut found, mut state) = (Vec::new(), ConvexWallState::default());
            let wall = Wall::new(placed(wall));
            ConvexWall::new().for_each_contact(&body, &wall, &mut state, |c| {
                assert_eq!(c.normal, -DVec3::Z);
                found.push(c.overlap);
            });
            assert_eq!(found, *expected, "{is_mirrored} {wall:?}");
        }
        // A plate below the edge adds no load.
        let found = manifolds(&cube, placed(&plate));
        let found: Vec<_> = found.iter().map(|(c, _)| (c.overlap, c.normal)).collect();
        assert_eq!(found, [(1.5, -DVec3::Z)], "{is_mirrored}");
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
        let found = manifolds(&cube, mesh);
        let [(contact, _)] = &found[..] else {
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
            let found = manifolds(&shape, mesh(&[needle]));
            assert_eq!(found.len(), 1, "{found:?}");
            let (contact, _) = &found[0];
            assert!((contact.depth - 1.0).abs() < 1e-12, "{beyond} {contact:?}");
            assert!(contact.point.x.abs() < 1e-12, "{beyond} {contact:?}");
        }
    }
}
