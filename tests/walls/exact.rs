//! Contacts at walls in small integers, known by hand.

use crate::support::convex::v;
use crate::support::wall::{contacts, contacts_with_all, floor};
use osculate::glam::{DVec2, DVec3};
use osculate::shape::{Feature, SegmentMesh};
use osculate::{PeriodicBox, Sphere, SurfaceMesh, Wall};

/// Above a ridge much shorter than the radius, near its end: the contact is on the edge.
#[test]
fn short_edges() {
    let length = 2f64.powi(-20);
    let [a, b] = [DVec3::ZERO, DVec3::Y * length];
    let triangles = [[a, b, v(1., 0., -1.)], [b, a, v(-1., 0., -1.)]];
    let ridge = SurfaceMesh::from_triangles(&triangles).unwrap();
    for part in [2f64.powi(-8), 0.5, 1.0 - 2f64.powi(-8)] {
        let center = v(0., part * length, 0.5);
        let found = contacts_with_all(&ridge, &Sphere::new(center, 1.0));
        let [contact] = found[..] else {
            panic!("{part} {found:?}")
        };
        assert!(matches!(contact.feature, Feature::Edge(..)), "{part}");
        assert_eq!((contact.offset, contact.overlap), (DVec3::Z * -0.5, 0.5));
    }
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
    let tip = along * 0.125 + up * 2f64.powi(-14);
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
    let periodic = Wall::periodic(floor(4.0, 0.0), period, radius).unwrap();
    for height in [1.0, -1.0].map(|sign| sign * radius) {
        for overlap in [2f64.powi(-53), 0.0] {
            let center = v(0.0, 0.0, height * (1.0 - overlap));
            let flat = DVec2::new(0.5, center.z);
            let in_plane = contacts(&line, flat, radius);
            let mut found = vec![in_plane.iter().map(|c| c.overlap).collect::<Vec<_>>()];
            for wall in [&Wall::new(floor(4.0, 0.0)), &periodic] {
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
