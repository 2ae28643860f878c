//! Inputs exactly at a limit that decides: vertices on edges, points among bodies.

use crate::support::lattice::sorted_pairs;
use osculate::glam::{DVec2, DVec3};
use osculate::math::MIN_LENGTH;
use osculate::reference::{
    RadiusDistribution, exponential_level_sizes, linear_level_sizes, sequential_double_hierarchy,
};
use osculate::shape::{RoundedPolygon, SegmentMesh, SurfaceMesh, TetMesh};
use osculate::{
    BroadPhase, BruteForce, CommonPlane, ConvexPolygon, ErrorKind, Feature, Filtered, NarrowPhase,
    Periodic, PeriodicBox, Placed, Pose2, Rounded, Sphere,
};

/// Tetrahedra that touch a face with an edge: the error names the lowest vertex there, in any order.
#[test]
fn lowest_hanging_vertex() {
    for is_ascending in [false, true] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mut vertices = corners.map(|v| v * 64.0).to_vec();
        let mut tetrahedra = vec![[0, 1, 2, 3]];
        for i in 0..12 {
            let at = if is_ascending { i } else { 11 - i };
            let low = DVec3::new(4.0 * f64::from(at) + 1.0, 1.0, 0.0);
            let first = vertices.len() as u32;
            vertices.extend([low, low + DVec3::X]);
            vertices.extend([DVec3::X - DVec3::Z, DVec3::Y - DVec3::Z].map(|v| low + v));
            tetrahedra.push([1, 0, 3, 2].map(|k| first + k));
        }
        let error = TetMesh::new(vertices, tetrahedra).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Intersection);
        assert_eq!(error.index(), Some(4), "{error}");
    }
}

/// Chains far from the origin, on all sides of it.
#[test]
fn thickened_segment_anywhere() {
    for at in [(0.0, 0.0), (-8.0, 4.0), (16.0, -4.0)].map(DVec2::from) {
        for along in [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y] {
            let mesh = SegmentMesh::new(vec![at, at + along * 4.0], vec![[0, 1]]).unwrap();
            assert_eq!(mesh.thickened(0.5).unwrap().area(), 2.0);
        }
    }
}

/// Quadrilaterals: without area, and nonconvex by less or more than 2^-24 of their size.
#[test]
fn shape_of_facets_at_any_size() {
    for size in [2.0_f64.powi(-40), 1.0, 2.0_f64.powi(40)] {
        let kind = |corners: [(f64, f64); 4]| {
            let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0) * size);
            let mesh = SurfaceMesh::new(corners.to_vec(), [[0, 1, 2, 3]]);
            mesh.err().map(|error| error.kind())
        };
        // On a line or at a point they act as segments or points, a bow is none.
        assert_eq!(kind([(1.0, 1.0); 4]), None);
        let line = [(0.0, 0.0), (1.0, 1.0), (3.0, 3.0), (2.0, 2.0)];
        assert_eq!(kind(line), None);
        let bow = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)];
        assert_eq!(kind(bow), Some(ErrorKind::Facet));
        let bent = |by: f64| [(0.0, 0.0), (1.0, 0.0), (0.5 - by, 0.5 - by), (0.0, 1.0)];
        assert_eq!(kind(bent(2.0_f64.powi(-27))), None);
        assert_eq!(kind(bent(2.0_f64.powi(-20))), Some(ErrorKind::Facet));
    }
    // The shortest sides there may be, and no facets.
    let least = [DVec3::ZERO, DVec3::X * MIN_LENGTH, DVec3::Y * MIN_LENGTH];
    assert!(SurfaceMesh::from_triangles(&[least]).is_ok());
    let empty = SurfaceMesh::from_triangles(&[]).unwrap();
    assert_eq!((empty.facet_count(), empty.vertices()), (0, &[][..]));
}

/// The tolerance of a T-junction is 2^-40 of the edge, and as much around its ends.
#[test]
fn vertices_near_an_open_edge() {
    let near = 2.0_f64.powi(-40);
    let is_hanging = |x: f64, y: f64| {
        let upper = [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)];
        let lower = [(x, y), (0.5, -1.0), (0.75, -1.0)];
        let vertices = [upper, lower].concat();
        let vertices = vertices
            .iter()
            .map(|&(x, y)| DVec3::new(x, y, 0.0))
            .collect();
        let mesh = SurfaceMesh::new(vertices, [[0, 1, 2], [3, 4, 5]]).unwrap();
        let found = mesh.with_precision(0.0).unwrap().report().hanging_vertices;
        assert!(found.is_empty() || found == [(3, [0, 1])]);
        !found.is_empty()
    };
    for (x, y) in [
        (0.5, 0.0),
        (0.5, -near),
        (2.0 * near, 0.0),
        (1.0 - 2.0 * near, 0.0),
    ] {
        assert!(is_hanging(x, y), "{x} {y}");
    }
    let half = 0.5 * near;
    for (x, y) in [
        (0.5, -2.0 * near),
        (half, 0.0),
        (half, -half),
        (1.0 - half, 0.0),
    ] {
        assert!(!is_hanging(x, y), "{x} {y}");
    }
}

/// Points outside a facet have the weights of the closest boundary point, at any size.
#[test]
fn weights_outside_a_facet() {
    type Point = (f64, f64);
    let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
    let line = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)];
    let cases: [(&[Point], Point, &[f64]); 6] = [
        (&square, (1.0, -1.0), &[0.75, 0.25, 0.0, 0.0]),
        (&square, (5.0, 2.0), &[0.0, 0.5, 0.5, 0.0]),
        (&square, (-1.0, 9.0), &[0.0, 0.0, 0.0, 1.0]),
        (&square, (2.0, 2.0), &[0.25; 4]),
        (&line, (4.0, 0.0), &[0.0, 0.0, 1.0]),
        (&line, (0.5, 3.0), &[0.5, 0.5, 0.0]),
    ];
    for size in [2.0_f64.powi(-40), 1.0, 2.0_f64.powi(40)] {
        for (corners, (x, y), expected) in cases {
            let corners = corners.iter().map(|&(x, y)| DVec3::new(x, y, 0.0) * size);
            let ids: Vec<u32> = (0..expected.len() as u32).collect();
            let mesh = SurfaceMesh::new(corners.collect(), [ids]).unwrap();
            let (mut weights, point) = (Vec::new(), DVec3::new(x, y, 1.0) * size);
            mesh.for_each_nodal_weight(0, point, |_, weight| weights.push(weight));
            assert_eq!(weights, expected, "{x} {y} {size}");
        }
    }
}

/// An invalid disc at the center of a polygon has no contact.
#[test]
fn discs_outside_the_domain() {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let square = ConvexPolygon::new(corners.map(DVec2::from).to_vec()).unwrap();
    let body = Placed::new(square, Pose2::IDENTITY);
    for radius in [0.5, -0.5, f64::NAN, f64::INFINITY, 2.0_f64.powi(400)] {
        let contact = CommonPlane::new().contact(&Sphere::new(DVec2::ZERO, radius), &body);
        let expected = (radius == 0.5).then_some(1.5);
        assert_eq!(contact.map(|c| c.overlap), expected, "{radius}");
    }
}

/// Both of two nested filters must accept a pair, also across a period.
#[test]
fn nested_filters() {
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::splat(16.0), [true; 3]).unwrap();
    let even = Filtered::new(BruteForce::new(), |i, j| (i + j) % 2 == 0);
    let without_two = Filtered::new(even, |i, j| i != 2 && j != 2);
    let mut broad = Periodic::new(without_two, period);
    let bodies = [15.5, 15.5, 15.5, 0.5, 0.5].map(|x| Sphere::new(DVec2::new(x, 8.0), 1.0));
    broad.rebuild(&bodies).unwrap();
    assert_eq!(sorted_pairs(&broad), [[0, 4], [1, 3]]);
}

/// Rules for level sizes: points do not count, and bodies that are all points get one level of size 1.
#[test]
fn level_sizes_with_points() {
    let cases: [(&[f64], usize, &[f64]); 7] = [
        (&[0.0, 1.0, 2.0, 4.0], 2, &[4.0, 8.0]),
        (&[0.0], 1, &[1.0]),
        (&[0.0], 2, &[1.0]),
        (&[0.0, 0.0], 3, &[1.0]),
        (&[0.0, 0.0], 8, &[1.0]),
        (&[3.0], 1, &[6.0]),
        (&[3.0], 8, &[6.0]),
    ];
    for (radii, count, sizes) in cases {
        let radii = RadiusDistribution::new(radii).unwrap();
        assert_eq!(
            exponential_level_sizes(&radii, count).as_slice(),
            sizes,
            "{radii:?}"
        );
        assert_eq!(
            linear_level_sizes(&radii, count).as_slice(),
            sizes,
            "{radii:?}"
        );
    }
}

/// A sphere beside each side of a triangle, and beyond each corner.
#[test]
fn sequential_contacts_name_their_features() {
    let corners = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let mesh = SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]]).unwrap();
    for (x, y, feature) in [
        (1.0, 1.0, Feature::Facet(0)),
        (2.0, -0.5, Feature::Edge(0, 1)),
        (2.5, 2.5, Feature::Edge(1, 2)),
        (-0.5, 2.0, Feature::Edge(0, 2)),
        (-0.5, -0.25, Feature::Vertex(0)),
        (4.5, -0.25, Feature::Vertex(1)),
        (-0.25, 4.5, Feature::Vertex(2)),
    ] {
        let sphere = Sphere::new(DVec3::new(x, y, 0.25), 1.0);
        let mut contacts = Vec::new();
        sequential_double_hierarchy(&mesh, &[0], &sphere, &mut contacts).unwrap();
        let features: Vec<_> = contacts.iter().map(|contact| contact.1).collect();
        assert_eq!(features, [feature]);
    }
}

/// The ends of a capsule or stadium are in the domain, and equal or far enough apart to have a direction.
#[test]
fn ends_of_capsules() {
    let capsule = |end: DVec3| Rounded::capsule([DVec3::ZERO, end], 0.5);
    let stadium = |end: DVec3| RoundedPolygon::stadium([DVec2::ZERO, end.truncate()], 0.5);
    for (end, kind, index) in [
        (f64::NAN, ErrorKind::Coordinate, 1),
        (2.0_f64.powi(151), ErrorKind::Coordinate, 1),
        (2.0_f64.powi(-151), ErrorKind::Facet, 0),
    ] {
        let end = DVec3::X * end;
        for error in [capsule(end).unwrap_err(), stadium(end).unwrap_err()] {
            assert_eq!((error.kind(), error.index()), (kind, Some(index)));
        }
    }
    assert_eq!(capsule(DVec3::ZERO), Rounded::ball(0.5));
    assert_eq!(stadium(DVec3::ZERO), RoundedPolygon::disc(0.5));
}
