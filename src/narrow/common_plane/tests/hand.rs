//! Results known by hand calculation.

use super::against_the_oracle::off;
use super::*;

/// Boxes that touch at a point, share a face in part, or contain each other: results are finite, and
/// warm starts equal cold starts.
#[test]
fn boxes_in_line() {
    let cube = shape(Cube, &mut SplitMix64::new(1));
    let body = |x: f64, y: f64, z: f64| Placed {
        shape: &cube,
        pose: Pose3::from_translation(DVec3::new(x, y, z)).unwrap(),
    };
    let a = body(0.0, 0.0, 0.0);
    for ((x, y, z), overlap) in [
        ((1.0, 0.0, 0.0), 0.0),
        ((1.0, 0.5, 0.25), 0.0),
        ((0.875, 0.5, 0.25), 0.125),
        ((1.25, 0.5, 0.25), -0.25),
        ((1.0, 1.0, 0.0), 0.0),
        ((1.0, 1.0, 1.0), 0.0),
        ((4.0, 5.0, 0.0), -5.0),
        ((0.0, 0.0, 0.0), 1.0),
    ] {
        let b = body(x, y, z);
        let mut memory = CommonPlaneState::default();
        let first = contact(&mut wide(), &a, &b, &mut memory).unwrap();
        assert!((first.overlap - overlap).abs() < 1e-15, "{first:?}");
        assert_eq!(contact(&mut wide(), &a, &b, &mut memory), Some(first));
        assert!(first.point.is_finite() && (first.normal.length() - 1.0).abs() < 1e-15);
        assert_eq!(
            contact(&mut CommonPlane::new(), &a, &b, &mut memory).is_some(),
            first.overlap > 0.0
        );
    }
    let b = body(0.875, 0.5, 0.25);
    let found = cold(&mut wide(), &a, &b);
    assert_eq!(found.normal, DVec3::X);
}

/// A face that touches a face is found among the faces at the search's last vertices.
#[test]
fn touching_faces_are_not_tied() {
    let cube = shape(Cube, &mut SplitMix64::new(1));
    let body = |x: f64, y: f64, z: f64| Placed {
        shape: &cube,
        pose: Pose3::from_translation(DVec3::new(x, y, z)).unwrap(),
    };
    let (a, mut kernel, mut steps) = (body(0.0, 0.0, 0.0), wide(), Steps::default());
    for (x, y) in [(0.25, 0.5), (0.5, -0.125), (-0.25, 0.75)] {
        let found = steps.count(|| cold(&mut kernel, &a, &body(x, y, 1.0)));
        assert_eq!((found.overlap, found.normal), (0.0, DVec3::Z));
    }
    assert_eq!(steps.tied, 0);
}

/// The features of the last step carry the plane beyond the margin: the next step at this place is skipped.
#[test]
fn gap_beyond_the_margin_is_stored() {
    let below = cube(0.5);
    let corners = below.vertices().iter().map(|v| v.with_z(1.0));
    let tip = corners.chain([DVec3::ZERO]).collect::<Vec<_>>();
    let tip = ConvexPolyhedron::from_convex_hull(&tip).unwrap();
    let mut kernel = CommonPlane::new().with_margin(0.5).unwrap();
    let (mut state, mut steps) = (CommonPlaneState::default(), Steps::default());
    for (gap, [cold, kept, skipped]) in [(0.25, [1, 0, 0]), (0.75, [1, 1, 0]), (0.75, [1, 1, 1])] {
        let pose = Pose3::from_translation(DVec3::new(0.25, 0.125, 0.5 + gap)).unwrap();
        let [a, b] = [(&below, Pose3::IDENTITY), (&tip, pose)];
        let [a, b] = [a, b].map(|(shape, pose)| Placed { shape, pose });
        let found = steps.count(|| contact(&mut kernel, &a, &b, &mut state));
        assert_eq!(found.map(|c| -c.overlap), (gap < 0.5).then_some(gap));
        assert_eq!(
            [steps.cold, steps.kept, steps.skipped],
            [cold, kept, skipped]
        );
    }
}

#[test]
fn features_are_named_for_the_bodies_as_passed() {
    let cube = shape(Cube, &mut SplitMix64::new(1));
    let tip = ConvexPolyhedron::from_convex_hull(&[
        DVec3::ZERO,
        DVec3::new(1.0, 1.0, 2.0),
        DVec3::new(-1.0, 1.0, 2.0),
        DVec3::new(0.0, -1.0, 2.0),
    ])
    .unwrap();
    let a = Placed {
        shape: &cube,
        pose: Pose3::IDENTITY,
    };
    let b = Placed {
        shape: &tip,
        pose: Pose3::from_translation(DVec3::new(0.1, 0.2, 0.4)).unwrap(),
    };
    let (forth, back) = (cold(&mut wide(), &a, &b), cold(&mut wide(), &b, &a));
    assert!(matches!(forth.feature_a, Feature::Facet(_)));
    assert_eq!(
        (forth.feature_b, back.feature_a),
        (Feature::Vertex(0), Feature::Vertex(0))
    );
    assert_eq!((forth.normal, back.normal), (DVec3::Z, -DVec3::Z));
}

/// A roof's ridge on a floor of the same length, half beyond its end, pressed or apart; then two ridges.
#[test]
fn edges_touch_in_their_middle() {
    let mut random = SplitMix64::new(1);
    let cube = shape(Cube, &mut random);
    let roof: Vec<_> = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
        .into_iter()
        .chain([(-1.0, -1.0, 1.0), (1.0, -1.0, 1.0)])
        .chain([(-1.0, 1.0, 1.0), (1.0, 1.0, 1.0)])
        .map(DVec3::from)
        .collect();
    let roof = ConvexPolyhedron::from_convex_hull(&roof).unwrap();
    for case in 0..100 {
        let world = Pose3::new_normalize(rotation(&mut random), vector(&mut random) * 9.0).unwrap();
        let world = if case == 0 { Pose3::IDENTITY } else { world };
        let (x, gap) = (random.range(-1.0, 1.0), random.range(-0.1, 0.1));
        let place = |turn: DQuat, at: DVec3| world * Pose3::new(turn, at).unwrap();
        let a = Placed::new(&cube, world);
        let b = Placed::new(&roof, place(DQuat::IDENTITY, DVec3::new(x, 0.1, 0.5 + gap)));
        let mut state = CommonPlaneState::default();
        let middle = (x - 1.0).max(-0.5) + (x + 1.0).min(0.5);
        for _ in 0..2 {
            let found = contact(&mut wide(), &a, &b, &mut state).unwrap();
            let expected = DVec3::new(0.5 * middle, 0.1, 0.5 + 0.5 * gap);
            let point = world.inverse_transform_point(found.point);
            assert!(
                point.distance(expected) < 1e-13,
                "{case} {x} {gap} {found:?} {expected}"
            );
            assert!((found.overlap + gap).abs() < 1e-14);
            let features = (found.feature_a, found.feature_b);
            assert!(
                matches!(features, (Feature::Facet(_), Feature::Edge(..))),
                "{features:?}"
            );
        }
        // The other roof upside down below, its ridge from -1 to 1 as well.
        let over = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let below = Placed::new(&roof, place(over, DVec3::ZERO));
        let b = Placed::new(&roof, place(DQuat::IDENTITY, DVec3::new(x, 0.0, gap.abs())));
        let found = cold(&mut wide(), &below, &b);
        let point = world.inverse_transform_point(found.point);
        let expected = DVec3::new(0.5 * x, 0.0, 0.5 * gap.abs());
        assert!(
            point.distance(expected) < 1e-13,
            "{case} {point} {expected}"
        );
    }
}

/// A cube of triangles, six pairs of them coplanar: the results are those of the cube of squares,
/// and of the oracle.
#[test]
fn coplanar_facets_need_not_be_merged() {
    let mut random = SplitMix64::new(5);
    let squares = shape(Cube, &mut random);
    let surface = squares.surface();
    let halves = surface.facets().flat_map(|facet| {
        let &[a, b, c, d] = facet.vertices() else {
            panic!("not a square")
        };
        [[a, b, c], [a, c, d]]
    });
    let triangles = ConvexPolyhedron::new(squares.vertices().to_vec(), halves).unwrap();
    assert_eq!(triangles.surface().facets().count(), 12);
    let mut kernel = wide();
    for case in 0..cases(3000) / 10 {
        let gap = [0.3, 1e-9, 0.0, -1e-3, -0.2][case % 5];
        let other = [shape(Rock, &mut random), squares.clone()];
        let [a, b] = near_pair(&mut random, [&squares, &other[case % 2]], gap);
        let mut cut = a;
        cut.shape = &triangles;
        let mut memory = CommonPlaneState::default();
        for _ in 0..2 {
            let found = contact(&mut kernel, &cut, &b, &mut memory).unwrap();
            let whole = cold(&mut wide(), &a, &b);
            assert!(
                (found.overlap - whole.overlap).abs() < 1e-13,
                "{found:?} {whole:?}"
            );
            assert!((found.overlap + gap_of_polyhedra(&a, &b)).abs() < 1e-13);
            assert!(off(&cut, found.point_a, found.feature_a) < 1e-13);
        }
    }
}

/// A fuzzer's: the bodies touch where a vertex is below a face by a rounding. What is nearest to
/// that face was looked for above it only, and found half a unit away.
#[test]
fn vertex_in_a_face_to_rounding() {
    let hull = |points: &[[i8; 3]]| {
        let point = |p: &[i8; 3]| DVec3::from_array(p.map(f64::from));
        ConvexPolyhedron::from_convex_hull(&points.iter().map(point).collect::<Vec<_>>()).unwrap()
    };
    let first = hull(&[
        [-1, -1, 0],
        [-7, -107, -2],
        [-1, -1, -1],
        [-1, -1, 1],
        [-85, -85, -85],
        [-16, -3, 1],
        [-121, -57, -121],
    ]);
    let second = hull(&[
        [-1, -1, -1],
        [1, -85, -85],
        [-85, -1, -16],
        [1, -1, -121],
        [-121, -121, -63],
        [-63, -63, -63],
        [-121, -1, -7],
        [11, -121, -121],
        [-121, -121, -121],
        [-2, -1, 120],
        [-65, -67, -1],
    ]);
    let place = |shape, [x, y, z, w]: [f64; 4]| Placed {
        shape,
        pose: Pose3::new_normalize(DQuat::from_xyzw(x, y, z, w), DVec3::splat(66.0)).unwrap(),
    };
    let a = place(&first, [1.0, 1.0, 1.0, 1.0]);
    let b = place(&second, [0.0, 0.0, 1.0, 1.0]);
    assert!(gap_of_polyhedra(&a, &b).abs() < 1e-12);
    for [a, b] in [[a, b], [b, a]] {
        let found = cold(&mut wide(), &a, &b);
        assert!(
            found.overlap.abs() < 1e-12 && found.error_bound < 1e-9,
            "{found:?}"
        );
    }
}

/// Faces whose corners are off their plane by 1e-9, as those of files may be: the contact is in the middle of
/// the area in which they face each other, not at a corner that is higher.
#[test]
fn faces_that_are_not_flat() {
    let rise = 1e-9;
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let sides = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let place = |i: u32| {
        // Opposite corners of the top are high.
        let sign = [1.0, -1.0, -1.0, 1.0][i as usize % 4];
        corner(i) + DVec3::Z * if i >= 4 { rise * sign } else { 0.0 }
    };
    let warped = ConvexPolyhedron::new((0..8).map(place).collect(), sides).unwrap();
    let cube = ConvexPolyhedron::new((0..8).map(corner).collect(), sides).unwrap();
    for depth in [0.01, -0.01] {
        let offset = DVec3::new(0.25, 0.5, 1.0 + rise - depth);
        let a = Placed::new(&warped, Pose3::IDENTITY);
        let b = Placed::new(&cube, Pose3::from_translation(offset).unwrap());
        let found = cold(&mut wide(), &a, &b);
        let middle = DVec3::new(0.625, 0.75, 1.0 + rise - 0.5 * depth);
        assert!((found.overlap - depth).abs() < 1e-14, "{found:?}");
        assert!(found.point.distance(middle) < 2.0 * rise, "{found:?}");
        assert_eq!(
            (found.feature_a, found.feature_b),
            (Feature::Facet(5), Feature::Facet(4))
        );
    }
}
