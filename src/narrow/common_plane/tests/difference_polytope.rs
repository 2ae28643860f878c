use std::f64::consts::TAU;

use super::*;
use crate::math::Pose3;
use crate::narrow::common_plane::difference_polytope::DifferencePolytope;
use crate::narrow::common_plane::feature_pair::{Part, Plane, strict_plane};
use crate::narrow::pair_frame::PairFrame;

/// The difference of two cubes as a polytope: it proves a plane for as long as no other side of it is
/// as near, and only of bodies that have its corners.
#[test]
fn polytope_of_two_cubes() {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let cube: Vec<_> = (0..8).map(|i| corner(i) - DVec3::splat(0.5)).collect();
    let [cube, tetrahedron] = [&cube[..], &[cube[0], cube[3], cube[5], cube[6]]]
        .map(|points| ConvexPolyhedron::from_convex_hull(points).unwrap());
    let name = |i: u32| {
        let at = |v: &DVec3| *v == corner(i) - DVec3::splat(0.5);
        cube.vertices().iter().position(at).unwrap() as u32
    };
    let frame = |offset: [f64; 3]| {
        let pose = Pose3::from_translation(DVec3::from_array(offset)).unwrap();
        PairFrame::new(cube.boundary(), cube.boundary(), &pose)
    };
    let points = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| frame([0.0; 3]).difference(name(7 - i), name(i)));
    // Those of a side that starts from a corner where x is low.
    let sides = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = sides.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).concat();
    let polytope = DifferencePolytope::new(&points, triangles.iter().copied()).unwrap();
    let plane = |gap| Plane {
        gap,
        normal: DVec3::X,
        on_p: DVec3::ZERO,
        inset: 0.0,
        thickness: 0.0,
        features: [Feature::Facet(0), Feature::Facet(0)],
        error_bound: 1e-14,
    };
    let certifies = |offset| polytope.certifies(&frame(offset), &plane(-0.1));
    assert!(
        certifies([0.9, 0.0, 0.0])
            && certifies([0.9, 0.85, -0.85])
            && certifies([0.9, -0.85, 0.85])
    );
    for other in [0.95, 0.9, 0.9 - 1e-13, 1.2] {
        assert!(
            !certifies([0.9, other, 0.0]) && !certifies([0.9, -other, 0.0]),
            "{other}"
        );
        assert!(
            !certifies([0.9, 0.0, other]) && !certifies([0.9, 0.0, -other]),
            "{other}"
        );
    }
    assert!(
        !certifies([1.2, 0.0, 0.0]) && !certifies([1.95, 0.0, 0.0]) && !certifies([-1.2, 0.0, 0.0])
    );
    let pose = Pose3::from_translation(DVec3::X * 0.9).unwrap();
    let other = PairFrame::new(tetrahedron.boundary(), cube.boundary(), &pose);
    assert!(!polytope.certifies(&other, &plane(-0.1)));

    assert_eq!(size_of::<CommonPlaneState<DVec3>>(), 136);
    assert!(DifferencePolytope::new(&points, triangles[..3].iter().copied()).is_none());
    assert!(DifferencePolytope::new(&points.repeat(2), triangles.iter().copied()).is_none());
    assert!(DifferencePolytope::new(&points, triangles.repeat(3).into_iter()).is_none());
}

/// Two prisms of twelve sides, one on the other and shifted, so that few corners of one face are on the other: all
/// corners of a face count, in any direction.
#[test]
fn faces_of_many_corners() {
    let points = (0..24).map(|i| {
        let (sin, cos) = (f64::from(i % 12) * TAU / 12.0).sin_cos();
        DVec3::new(cos, sin, if i < 12 { -0.5 } else { 0.5 })
    });
    let prism = ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>()).unwrap();
    let body = prism.boundary();
    let face = |z: f64| (body.faces.iter()).position(|face| face.normal.z * z > 0.9);
    let [top, bottom] = [1.0, -1.0].map(|z| face(z).unwrap());
    assert_eq!(body.sides(&body.faces[bottom]).len(), 12);
    for i in 0..48 {
        let shift = 1.9 * DVec2::from_angle(f64::from(i) * TAU / 48.0);
        // The apothem is 0.966, so the faces overlap by at least 0.03.
        let pose = Pose3::from_translation(shift.extend(1.0)).unwrap();
        let frame = PairFrame::new(body, body, &pose);
        let plane = strict_plane(&frame, [top, bottom].map(|face| Part::Face(face as u32)));
        // The depth of a regular polygon inside an edge of another one is least across the overlap.
        let inset = plane.unwrap().inset;
        let expected = (0..12).map(|k| {
            let across = DVec2::from_angle((f64::from(k) + 0.5) * TAU / 12.0);
            2.0 * (TAU / 24.0).cos() - across.dot(shift)
        });
        let expected = expected.fold(f64::INFINITY, f64::min);
        assert!((inset - expected).abs() < 1e-12, "{i}: {inset} {expected}");
    }
}
