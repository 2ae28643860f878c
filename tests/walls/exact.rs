//! Contacts at walls in small integers, known by hand.

use crate::support::convex::v;
use crate::support::wall::{contacts, contacts_with_all};
use osculate::glam::{DVec2, DVec3};
use osculate::shape::{Feature, SegmentMesh};
use osculate::testing::workload::SplitMix64;
use osculate::{PeriodicBox, Sphere, SurfaceMesh, Wall};

const fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
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
    let corner = DVec3::splat(-4096.0);
    let period = PeriodicBox::orthogonal(corner, DVec3::splat(8192.0), [true; 3]).unwrap();
    let periodic = Wall::periodic(floor().mesh().clone(), period, radius).unwrap();
    for height in [1.0, -1.0].map(|sign| sign * radius) {
        for overlap in [two_to(-53), 0.0] {
            let center = v(0.0, 0.0, height * (1.0 - overlap));
            let flat = DVec2::new(0.5, center.z);
            let in_plane = contacts(&line, flat, radius);
            let mut found = vec![in_plane.iter().map(|c| c.overlap).collect::<Vec<_>>()];
            for wall in [&floor(), &periodic] {
                let contacts = contacts(wall, center, radius);
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
