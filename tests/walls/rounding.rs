//! Contacts with walls where planes in single precision do not decide.

use crate::support::convex::vector;
use crate::support::wall::contacts;
use osculate::glam::DVec3;
use osculate::testing::workload::SplitMix64;
use osculate::{SurfaceMesh, Wall};

/// A corner off the planes of its facets, by less than is refused.
#[test]
fn corners_of_bent_facets() {
    let bend = 2.0_f64.powi(-25);
    let corners = [(-1, 0), (0, 0), (0, 1), (-1, 1), (0, -1), (1, -1), (1, 0)];
    let corners = corners.map(|(x, y)| DVec3::new(x.into(), y.into(), 0.0));
    for sign in [1.0, -1.0] {
        let mut vertices = corners.to_vec();
        vertices[1].z = bend * sign;
        let facets = [[0, 1, 2, 3], [4, 5, 6, 1]];
        let wall = Wall::new(SurfaceMesh::new(vertices.clone(), facets).unwrap());
        for radius in [1e-8, 1e-9, 1e-10] {
            let center = vertices[1] + DVec3::Z * (0.5 * radius * sign);
            let found = contacts(&wall, center, radius);
            assert!(!found.is_empty(), "{sign} {radius}");
        }
    }
}

/// A corner that is given twice changes no contact: the side between bounds nothing.
#[test]
fn corners_given_twice() {
    let mut random = SplitMix64::new(11);
    let corners = [(0, 0), (3, -1), (4, 2), (1, 3)];
    let corners = corners.map(|(x, y)| DVec3::new(x.into(), y.into(), 0.0));
    let wall = |corners: &[DVec3]| {
        let ids: Vec<u32> = (0..corners.len() as u32).collect();
        Wall::new(SurfaceMesh::new(corners.to_vec(), [ids]).unwrap())
    };
    let plain = wall(&corners);
    for twice in 0..4 {
        let mut corners = corners.to_vec();
        corners.insert(twice, corners[twice]);
        for _ in 0..corners.len() {
            corners.rotate_left(1);
            let wall = wall(&corners);
            for _ in 0..200 {
                let center = [4.0, 4.0, 1.0].map(|size| random.range(-1.0, size));
                let (center, radius) = (DVec3::from_array(center), random.range(0.1, 1.5));
                let data = |wall: &Wall| {
                    let found = contacts(wall, center, radius);
                    let data = found.iter().map(|c| (c.overlap, c.normal, c.offset));
                    data.collect::<Vec<_>>()
                };
                assert_eq!(data(&wall), data(&plain), "{corners:?} {center}");
            }
        }
    }
}

/// Spheres that reach an edge by 1e-11 only, down to radii at which single precision is coarse.
#[test]
fn edges_that_are_hardly_reached() {
    let mut random = SplitMix64::new(10);
    for case in 0..2000 {
        let corners = [(); 3].map(|()| vector(&mut random));
        let wall = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]]).unwrap());
        let [a, b, c] = corners;
        let along = (b - a).normalize();
        let inward = (c - a).reject_from_normalized(along).normalize();
        let normal = along.cross(inward) * f64::from(1 - 2 * (case % 2));
        let (sine, cosine) = (1.5 * vector(&mut random).x).sin_cos();
        let out = normal * sine.abs() - inward * cosine;
        let (radius, overlap) = (2.0_f64.powi(-(case % 16)), 1e-11);
        let center = a.lerp(b, 0.5) + out * (radius - overlap);
        let found = contacts(&wall, center, radius);
        assert_eq!(found.len(), 1, "{case} {center} {corners:?}");
        assert!((found[0].overlap - overlap).abs() < 1e-14, "{found:?}");
    }
}
