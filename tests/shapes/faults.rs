//! Faults of shapes found by reading: each test failed before its fix.

use crate::conversions::prism;
#[cfg(feature = "serde")]
use crate::support::read_back;
use osculate::glam::{DVec2, DVec3};
use osculate::math::{Pose3, closest_on_segment};
use osculate::shape::BoxTree;
use osculate::testing::workload::SplitMix64;
use osculate::{
    Aabb, Bounded, ConvexPolygon, ConvexPolyhedron, Error, ErrorKind, PeriodicBox, SolidMesh,
    SurfaceMesh,
};

/// Sorted by their bits, points with x = -0 came before all with x = 0.
#[test]
fn hull_in_the_plane_with_both_zeros() {
    let points = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-0.0, 0.5)];
    let hull = ConvexPolygon::from_convex_hull(&points.map(DVec2::from)).unwrap();
    assert_eq!((hull.area(), hull.vertices().len()), (1.0, 4));

    let mut random = SplitMix64::new(1);
    for _ in 0..2000 {
        let count = 3 + random.below(12);
        let mut coordinate = || [-0.0, 0.0, 1.0, -1.0][random.below(4)];
        let points: Vec<_> = (0..count)
            .map(|_| DVec2::new(coordinate(), coordinate()))
            .collect();
        let plain: Vec<_> = points.iter().map(|&p| p + DVec2::ZERO).collect();
        let [hull, plain] = [&points, &plain].map(|points| {
            let hull = ConvexPolygon::from_convex_hull(points);
            hull.map(|hull| hull.vertices().to_vec())
                .map_err(|error| error.kind())
        });
        assert_eq!(hull, plain, "{points:?}");
    }
}

/// Deserializing refused facets that welding has collapsed, because their ids repeat.
#[cfg(feature = "serde")]
#[test]
fn collapsed_facets_are_read_back() {
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let triangles = [[o, z, z], [o, y, x], [o, x, z], [x, y, z], [y, o, z]];
    let solid = SolidMesh::from_triangles(&triangles).unwrap();
    assert!(read_back(&solid) == solid);
    let repeated = SurfaceMesh::new(vec![o, x, y], [[0, 0, 1]]).unwrap_err();
    assert_eq!(repeated.kind(), ErrorKind::Index);

    let mut random = SplitMix64::new(2);
    let mut collapsed = 0;
    for case in 0..2000 {
        let points = [0; 12].map(|_| {
            let lattice = [(); 3].map(|()| random.below(3) as f64);
            DVec3::from_array(lattice) + DVec3::splat(random.range(0.0, 1e-4))
        });
        let facets = [0, 3, 6, 9].map(|first| [first, first + 1, first + 2]);
        let tolerance = [0.0, 0.01, 1.0][case % 3];
        let mesh = SurfaceMesh::welded(&points, facets, tolerance).unwrap();
        let repeats = |ids: &[u32]| ids[0] == ids[1] || ids[1] == ids[2] || ids[2] == ids[0];
        collapsed += usize::from(mesh.facets().any(|f| repeats(f.vertices())));
        assert!(read_back(&mesh) == mesh);
    }
    assert!(collapsed > 500, "{collapsed}");
}

/// A prism, 200 units wide and deep, with a top of strips. Each strip is bent upwards from the one before by an angle.
fn strips(bends: &[f64]) -> Result<ConvexPolyhedron, Error> {
    let width = 200.0 / bends.len() as f64;
    let mut slope = -bends.iter().sum::<f64>() / 2.0;
    let mut profile = vec![(0.0, 0.0), (0.0, 100.0)];
    for (i, bend) in bends.iter().enumerate() {
        slope += bend;
        profile.push(((i + 1) as f64 * width, profile[i + 1].1 + slope * width));
    }
    profile.push((200.0, 0.0));
    let end = |y: f64| profile.iter().map(move |&(x, z)| DVec3::new(x, y, z));
    prism(end(0.0).chain(end(200.0)).collect())
}

/// Returns the largest height of a vertex in front of a face, relative to the slack of the face.
fn largest_share(body: &SurfaceMesh) -> f64 {
    let mut most = 0.0_f64;
    for facet in body.facets() {
        let origin = facet.corners().next().unwrap();
        let height = |&v: &DVec3| facet.normal().dot(v - origin);
        let heights = body.vertices().iter().map(height);
        let slack = facet.bounding_sphere().radius / f64::from(1 << 24);
        most = most.max(heights.fold(0.0, f64::max) / slack);
    }
    most
}

/// Bends below the slack of each face added up.
#[test]
fn small_concave_bends_add_up() {
    let kind = |bends: &[f64]| strips(bends).map_err(|error| error.kind()).err();
    assert_eq!(kind(&[1e-5; 200]), Some(ErrorKind::NotConvex));
    assert_eq!(kind(&[-1e-5; 200]), None);
    assert_eq!(kind(&[0.0; 200]), None);
    let mut random = SplitMix64::new(3);
    let (mut good, mut bad) = (0, 0);
    for case in 0..200 {
        let size = 10.0_f64.powi(-5 - case % 6);
        let shift = [0.0, -0.5 * size, -size][case as usize % 3];
        let count = 60 + random.below(100);
        let bends = (0..count).map(|_| random.range(-size, size) + shift);
        let bends: Vec<_> = bends.collect();
        match strips(&bends) {
            Ok(body) => {
                assert!(largest_share(body.surface()) <= 1.0, "{case}");
                good += 1;
            }
            Err(error) if error.kind() == ErrorKind::NotConvex => bad += 1,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Facet),
        }
    }
    assert!(good > 40 && bad > 40, "{good} {bad}");
}

/// Convex bodies of polygons and triangles in any pose are accepted, rounded as they are.
#[test]
fn rounded_convex_bodies_are_accepted() {
    let mut random = SplitMix64::new(4);
    for case in 0..60 {
        let rotation = random.rotation();
        let few = 20 + random.below(200) as u32;
        let count = if case < 4 { 5000 } else { few };
        let shift = random.in_ball() * [0.0, 1.0, 1e3][case % 3];
        // A cylinder with polygons as ends.
        let corners = (0..2 * count).map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i % count) / f64::from(count);
            let z = if i < count { -1.0 } else { 1.0 };
            rotation * DVec3::new(angle.cos(), angle.sin(), z) + shift
        });
        let corners: Vec<_> = corners.collect();
        let body = prism(corners.clone()).unwrap();
        assert!(largest_share(body.surface()) <= 1.0);
        let hull = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        assert!(largest_share(hull.surface()) <= 1.0);
        // Triangles at the rim of the ends are so narrow that rounding tilts them by more than the slack.
        let cut = body.to_solid().surface().clone();
        ConvexPolyhedron::try_from(cut).unwrap();
    }
}

/// Only ends of open edges were candidates, and a vertex at the foot of a divider has none.
#[test]
fn hanging_vertex_at_the_foot_of_a_divider() {
    let [x, y, z] = DVec3::AXES;
    let points = vec![DVec3::ZERO, x * 2.0, x, x - y, x + y, x + z];
    let facets = [[0, 3, 1], [0, 2, 4], [2, 1, 4], [2, 0, 5], [1, 2, 5]];
    let report = SurfaceMesh::new(points, facets).unwrap().report();
    assert_eq!(report.hanging_vertices, [(2, [0, 1])]);
}

/// The corner is ignored along axes that are not periodic, also if it is infinite there.
#[test]
fn periodic_boxes_are_built_from_their_parts() {
    let mut random = SplitMix64::new(5);
    for case in 0..800 {
        let is_periodic = [0, 1, 2].map(|axis| case >> axis & 1 == 1);
        let min = random.in_ball() * 10.0;
        let sides = DVec3::from_array([(); 3].map(|()| random.range(1.0, 4.0)));
        let mut tilt = |axis: usize, along: usize| match is_periodic[axis] && is_periodic[along] {
            true => [random.range(-9.0, 9.0), 0.5 * sides[along], 0.0][case / 8 % 3],
            false => 0.0,
        };
        let tilts = [tilt(1, 0), tilt(2, 0), tilt(2, 1)];
        let a = PeriodicBox::triclinic(min, sides, tilts, is_periodic).unwrap();
        let b = PeriodicBox::triclinic(a.min(), a.lengths(), a.tilts(), a.is_periodic()).unwrap();
        assert_eq!(a, b);
    }
}

/// Cavities before and after their outer shell.
#[test]
fn many_cavities_in_any_order() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let outward = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let inward = outward.map(|[a, b, c]| [a, c, b]);
    let build = |shells: &[(DVec3, f64, [[u32; 3]; 4])]| {
        let points = shells
            .iter()
            .flat_map(|&(at, size, _)| corners.map(|c| c * size + at));
        let shell =
            |(k, shell): (u32, &(_, _, [[u32; 3]; 4]))| shell.2.map(|ids| ids.map(|id| 4 * k + id));
        SolidMesh::new(points.collect(), (0..).zip(shells).flat_map(shell))
    };
    let side = 12;
    let at =
        |i: u32| DVec3::from_array([i % side, i / side % side, i / side / side].map(f64::from));
    let cavities: Vec<_> = (0..side.pow(3)).map(|i| (at(i), 0.5, inward)).collect();
    let outer = [(-DVec3::ONE, 100.0, outward)];
    let volume = (1e6 - f64::from(side.pow(3)) / 8.0) / 6.0;
    for shells in [
        [&outer[..], &cavities].concat(),
        [&cavities[..], &outer].concat(),
    ] {
        assert!((build(&shells).unwrap().volume() / volume - 1.0).abs() < 1e-12);
    }
    // A shell that faces inwards beside all others is still refused.
    let beside = [(DVec3::X * 200.0, 1.0, inward)];
    let error = build(&[&outer[..], &cavities, &beside].concat()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Orientation);
}

/// The rotation of small boxes to the coordinates of huge ones underflowed, without a slack for it.
#[test]
fn pairs_of_boxes_of_very_different_sizes() {
    let two_to = |exponent: i32| 2.0_f64.powi(exponent);
    let cube = |from: f64, to: f64| Aabb::new(DVec3::splat(from), DVec3::splat(to)).unwrap();
    for (far, near) in [(100, -60), (100, -51), (60, -100), (149, -149), (0, -149)] {
        let big = cube(-two_to(far), two_to(far));
        let small = cube(two_to(near), two_to(near + 1));
        let ours = BoxTree::new(&[big, big, big, small, small]).unwrap();
        for reach in [near + 2, near + 9, far - 9] {
            let theirs = BoxTree::new(&[cube(-two_to(reach), two_to(reach))]).unwrap();
            for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
                let mut count = 0;
                a.for_each_pair(b, &Pose3::IDENTITY, |_, _| count += 1);
                assert_eq!(count, 5, "{far} {near} {reach}");
            }
        }
    }
}

/// Beyond the tip of a needle, the point was not outside any side by a clear angle.
#[test]
fn weights_beyond_the_tip_of_a_needle() {
    let mut random = SplitMix64::new(7);
    for case in 0..20_000 {
        let width = if case == 0 { -26 } else { -2 - case % 70 };
        let tip = DVec3::new(1.0, 2.0_f64.powi(width), 0.0);
        let corners = [DVec3::ZERO, DVec3::X, tip];
        let mesh = SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]]).unwrap();
        let height = [0.0, tip.y, 1.0][case as usize % 3] * random.range(-1.0, 1.0);
        let beyond = DVec3::new(random.range(-3.0, 3.0), height, 0.0);
        let point = if case == 0 { -DVec3::X } else { beyond };
        let mut weights = [0.0; 3];
        mesh.for_each_nodal_weight(0, point, |id, weight| weights[id as usize] = weight);
        let what = format!("{width} {point} {weights:?}");
        assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)), "{what}");
        let mean: DVec3 = (0..3).map(|i| corners[i] * weights[i]).sum();
        let side = |i: usize| closest_on_segment(point, corners[i], corners[(i + 1) % 3]);
        let sides = [0, 1, 2].map(|i| side(i).distance_squared.sqrt());
        let nearest = sides.into_iter().fold(9.0, f64::min);
        assert!(mean.distance(point) <= nearest + 1e-12, "{what}");
    }
}
