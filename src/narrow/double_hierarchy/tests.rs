use glam::{DQuat, DVec3};

use super::*;
use crate::NarrowPhase;
use crate::error::{Cause, Error};
use crate::shape::{Feature, Sphere, SurfaceMesh};

fn mesh(vertices: &[(f64, f64, f64)], facets: &[[u32; 3]]) -> SurfaceMesh {
    let vertices = vertices.iter().map(|&(x, y, z)| DVec3::new(x, y, z));
    SurfaceMesh::new(vertices.collect(), facets).unwrap()
}

fn contacts(mesh: &SurfaceMesh, center: (f64, f64, f64), radius: f64) -> Vec<WallContact> {
    let facets: Vec<u32> = (0..mesh.facet_count()).collect();
    let wall = Wall::new(mesh.clone());
    let near = FacetSubset::new(&wall, &facets).unwrap();
    let sphere = Sphere::new(DVec3::from(center), radius);
    let mut found = Vec::new();
    DoubleHierarchy::new()
        .for_each_contact(&sphere, &near, &mut Default::default(), |c| found.push(c));
    found
}

/// Two squares, each of two triangles, that meet at the y axis; the right one rises or falls.
fn fold(rise: f64) -> SurfaceMesh {
    mesh(
        &[
            (0.0, -1.0, 0.0),
            (0.0, 1.0, 0.0),
            (-2.0, -1.0, 0.0),
            (-2.0, 1.0, 0.0),
            (2.0, -1.0, rise),
            (2.0, 1.0, rise),
        ],
        &[[0, 1, 2], [2, 1, 3], [0, 4, 1], [1, 4, 5]],
    )
}

/// The quaternion -1 is the same rotation as 1, but its wall counts as placed.
#[test]
fn identity_pose_changes_no_bit() {
    let mut random = crate::testing::workload::SplitMix64::new(8);
    let wall = Wall::new(fold(0.5));
    let mut placed = wall.clone();
    let turn = DQuat::from_xyzw(0.0, 0.0, 0.0, -1.0);
    placed.set_pose(crate::Pose3::new(turn, DVec3::ZERO).unwrap());
    assert!(wall != placed);
    let mut kernel = DoubleHierarchy::new();
    let mut count = 0;
    for case in 0..1000 {
        let [x, y, z] = [0; 3].map(|_| random.range(-2.0, 2.0));
        // Also at zeros of either sign.
        let y = [y, 0.0, -0.0][case % 3];
        let sphere = Sphere::new(DVec3::new(x, y, z), 0.75);
        let [still, turned] = [&wall, &placed].map(|wall| {
            let mut found = Vec::new();
            kernel.for_each_contact(&sphere, wall, &mut Default::default(), |c| found.push(c));
            found
        });
        assert_eq!(still, turned);
        let is_negative_zero = |x: f64| x == 0.0 && x.is_sign_negative();
        let mut numbers = still
            .iter()
            .flat_map(|c| [c.normal, c.offset].map(|v| v.to_array()));
        assert!(!numbers.any(|v| v.into_iter().any(is_negative_zero)));
        count += still.len();
    }
    assert!(count > 300, "{count}");
}

#[test]
fn floor_gives_one_contact_above_facet_edge_and_vertex() {
    let floor = fold(0.0);
    for (x, y, feature) in [
        (-0.5, -0.5, Feature::Facet(0)),
        (-1.0, 0.0, Feature::Edge(1, 2)),
        (0.0, 0.25, Feature::Edge(0, 1)),
        (0.0, 1.0, Feature::Vertex(1)),
    ] {
        let found = contacts(&floor, (x, y, 0.5), 2.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].feature, feature);
        assert_eq!(found[0].overlap, 1.5);
        assert_eq!(found[0].normal, -DVec3::Z);
        assert_eq!(found[0].point, DVec3::new(x, y, 0.0));
    }
}

#[test]
fn ridge_gives_one_contact_and_wedge_two() {
    let ridge = contacts(&fold(-1.0), (0.0, 0.0, 0.5), 1.0);
    assert_eq!(ridge.len(), 1);
    assert_eq!(ridge[0].feature, Feature::Edge(0, 1));
    let wedge = contacts(&fold(1.0), (0.0, 0.0, 0.5), 1.0);
    assert_eq!(
        wedge.len(),
        1,
        "the projection on the left is on the edge, not a minimum"
    );
    let wedge = contacts(&fold(1.0), (-0.1, 0.0, 0.5), 1.0);
    assert_eq!(wedge.len(), 2);
    assert!(wedge[0].overlap > wedge[1].overlap);
    assert!(wedge.iter().all(|c| matches!(c.feature, Feature::Facet(_))));
}

#[test]
fn corner_of_three_planes_gives_three() {
    let corner = mesh(
        &[
            (0.0, 0.0, 0.0),
            (4.0, 0.0, 0.0),
            (0.0, 4.0, 0.0),
            (0.0, 0.0, 4.0),
        ],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
    );
    assert_eq!(contacts(&corner, (0.5, 0.6, 0.7), 1.0).len(), 3);
    assert_eq!(contacts(&corner, (-0.5, -0.6, -0.7), 2.0).len(), 1);
}

/// Touching, one ulp closer, and inside the margin.
#[test]
fn overlap_is_strict_unless_there_is_a_margin() {
    let floor = fold(0.0);
    let wall = Wall::new(floor.clone());
    assert!(contacts(&floor, (-0.5, -0.5, 1.0), 1.0).is_empty());
    assert_eq!(
        contacts(&floor, (-0.5, -0.5, 1.0), 1.0_f64.next_up()).len(),
        1
    );
    let near = FacetSubset::new(&wall, &[0]).unwrap();
    let sphere = Sphere::new(DVec3::new(-0.5, -0.5, 1.25), 1.0);
    let mut gaps = Vec::new();
    let mut kernel = DoubleHierarchy::new().with_margin(0.5).unwrap();
    kernel.for_each_contact(&sphere, &near, &mut Default::default(), |c| {
        gaps.push(c.overlap)
    });
    assert_eq!(gaps, [-0.25]);
    assert!(
        DoubleHierarchy::<DVec3>::new()
            .with_margin(f64::NAN)
            .is_err()
    );
}

/// The squared distance of an edge is below the squared radius, and its root rounds to the
/// radius: no overlap.
#[test]
fn root_that_rounds_to_the_radius() {
    let mut count = 0;
    for i in 1..200 {
        let (x, y) = (0.7 / f64::from(i), 0.1 * f64::from(i));
        let radius = (x * x + y * y).sqrt();
        count += usize::from(x * x + y * y < radius * radius);
        let edge = [(x, y, -1.0), (x, y, 1.0), (2.0 * x, 2.0 * y, 0.0)];
        assert!(contacts(&mesh(&edge, &[[0, 1, 2]]), (0.0, 0.0, 0.0), radius).is_empty());
    }
    assert!(count > 50);
}

/// A hanging vertex: the triangles on the right have no edge in common with the one on the
/// left, yet the floor is flat. A ceiling that is touched too does not change that; and at eight
/// times the size the squares of lengths are no longer less than twice the lengths.
#[test]
fn floor_with_a_hanging_vertex_gives_one_contact() {
    let corners = [
        (0.0, -1.0),
        (0.0, 0.125),
        (0.0, 1.0),
        (-2.0, 0.0),
        (2.0, 0.0),
    ];
    let ceiling = [(-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)];
    let floor = |size: f64| {
        let floor = corners.map(|(x, y)| DVec3::new(x, y, 0.0) * size);
        let ceiling = ceiling.map(|(x, y)| DVec3::new(x, y, 1.25) * size);
        let facets = [[3, 0, 2], [0, 4, 1], [1, 4, 2], [5, 6, 7]];
        SurfaceMesh::new([&floor[..], &ceiling].concat(), facets).unwrap()
    };
    for (size, floor) in [1.0, 8.0].map(|size| (size, floor(size))) {
        // Around 1e-8 the distance from the seam is too small to change the squared distance.
        for x in [0.5, 1e-3, 1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-12, 0.0] {
            for y in [-0.25, 0.0, 0.125, 0.125 + x, 0.126] {
                for (x, radius, count) in [(x, 0.625, 1), (-x, 0.625, 1), (x, 1.0, 2), (-x, 1.0, 2)]
                {
                    let center = DVec3::new(x, y, 0.5) * size;
                    let found = contacts(&floor, center.into(), radius * size);
                    assert_eq!(found.len(), count, "{x} {y} {found:?}");
                    let expected = (radius - 0.5) * size;
                    assert!((found[0].overlap - expected).abs() < 1e-15 * size);
                }
            }
        }
    }
}

/// Of two facets that meet one alone is known, and the sphere is above the other: the closest point
/// of the one is none of its minima, and yet all that there is.
#[test]
fn facet_whose_neighbor_is_not_known() {
    let floor = Wall::new(fold(0.0));
    let near = FacetSubset::new(&floor, &[0]).unwrap();
    let sphere = Sphere::new(DVec3::new(0.25, 0.0, 0.5), 1.0);
    let mut found = Vec::new();
    DoubleHierarchy::new()
        .for_each_contact(&sphere, &near, &mut Default::default(), |c| found.push(c));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].feature, Feature::Edge(0, 1));
    assert_eq!(found[0].offset, DVec3::new(-0.25, 0.0, -0.5));
}

#[test]
fn center_on_the_wall() {
    let floor = fold(0.0);
    for center in [(-0.5, -0.5, 0.0), (0.0, 0.25, 0.0), (0.0, 1.0, 0.0)] {
        let found = contacts(&floor, center, 0.25);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].overlap, found[0].normal), (0.25, -DVec3::Z));
    }
    // On a ridge it is the normal on the highest line.
    let ridge = fold(-1.0);
    let found = contacts(&ridge, (0.0, 0.25, 0.0), 0.25);
    assert_eq!(found[0].normal, -ridge.normals()[3]);
    let corners = [
        (0.0, -1.0, 0.0),
        (0.0, 1.0, 0.0),
        (-0.8, 0.0, 0.6),
        (-0.8, 0.0, -0.6),
    ];
    let blade = mesh(&corners, &[[1, 0, 3], [0, 1, 2]]);
    let found = contacts(&blade, (0.0, 0.25, 0.0), 0.25);
    assert_eq!(found[0].normal, -blade.normals()[1]);
    // Seen from the back the offset has the same bits, those of a positive zero.
    let turned = mesh(
        &[(0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-2.0, -1.0, 0.0)],
        &[[0, 2, 1]],
    );
    let found = contacts(&turned, (-0.5, -0.25, 0.0), 0.25);
    assert_eq!(found[0].normal, DVec3::Z);
    assert_eq!(found[0].offset.to_array().map(f64::to_bits), [0; 3]);
    let line = mesh(
        &[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)],
        &[[0, 1, 2]],
    );
    let found = contacts(&line, (0.5, 0.0, 0.0), 0.25);
    assert_eq!((found.len(), found[0].normal), (1, DVec3::X));
}

/// So close to a tilted plane that the offset is all rounding, the normal is the plane's.
#[test]
fn normal_next_to_the_surface() {
    let tilted = fold(-1.0);
    let front = tilted.normals()[3];
    for (height, normal) in [(1e-15, -front), (-1e-15, front)] {
        let center = DVec3::new(0.7, 0.3, -0.35) + front * height;
        let found = contacts(&tilted, center.into(), 0.1);
        assert_eq!((found.len(), found[0].normal), (1, normal));
    }
}

#[test]
fn facets_that_are_not_there_are_refused() {
    let floor = Wall::new(fold(0.0));
    let near = FacetSubset::new(&floor, &[2, 0]).unwrap();
    let mut facets = Vec::new();
    near.for_each_facet(|facet| facets.push(facet));
    assert_eq!(
        (&facets[..], near.wall().mesh()),
        (&[2, 0][..], floor.mesh())
    );
    assert_eq!(
        FacetSubset::new(&floor, &[0, 4]).unwrap_err(),
        Error(Cause::FacetOutOfRange {
            index: 1,
            facet: 4,
            facet_count: 4
        })
    );
}

/// The same on facets 10,000 times as large as the sphere, whose planes and edges are rounded by
/// more than a projection beside an edge is closer.
#[test]
fn large_floor_with_a_hanging_vertex() {
    let turn = glam::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    let corners = [
        (0.0, -9e3),
        (0.0, 125.0),
        (0.0, 1e4),
        (-2e4, 77.0),
        (2e4, 0.0),
    ];
    let vertices = corners.map(|(x, y)| turn * DVec3::new(x, y, 0.0));
    let facets = [[3, 0, 2], [0, 4, 1], [1, 4, 2]];
    let floor = SurfaceMesh::new(vertices.to_vec(), facets).unwrap();
    for step in 0..400 {
        let x = 1e-9 * 1.05_f64.powi(step);
        for (x, y) in [(x, -100.0), (-x, 125.0), (x, 125.0 + x), (-x, 3000.3)] {
            let center = turn * DVec3::new(x, y, 0.7);
            let found = contacts(&floor, center.into(), 1.0);
            assert_eq!(found.len(), 1, "{x} {y} {found:?}");
            assert!((found[0].overlap - 0.3).abs() < 1e-11);
        }
    }
}

/// A sphere that is none, as numbers go, touches nothing; nor do two.
#[test]
fn spheres_that_are_none() {
    let floor = Wall::new(fold(0.0));
    let near = FacetSubset::new(&floor, &[0, 1, 2, 3]).unwrap();
    for center in [
        DVec3::NAN,
        DVec3::ZERO,
        DVec3::new(0.0, f64::INFINITY, 0.0),
        DVec3::X * 1e300,
    ] {
        for radius in [f64::NAN, f64::INFINITY, -1.0, 1.0] {
            let sphere = Sphere::new(center, radius);
            if sphere.validate(0).is_ok() {
                continue;
            }
            let mut count = 0;
            let mut kernel = DoubleHierarchy::new().with_margin(4.0).unwrap();
            kernel.for_each_contact(&sphere, &near, &mut Default::default(), |_| count += 1);
            let other = Sphere::new(DVec3::ZERO, 1.0);
            if radius.is_nan() || center.is_nan() {
                let mut pair = crate::SphereSphere::new().with_margin(4.0).unwrap();
                pair.for_each_contact(&sphere, &other, &mut (), |_| count += 1);
                pair.for_each_contact(&other, &sphere, &mut (), |_| count += 1);
            }
            assert_eq!(count, 0, "{sphere:?}");
        }
    }
}
