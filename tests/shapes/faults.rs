//! Faults of shapes found by reading: each test failed before its fix.

#[cfg(feature = "serde")]
use crate::support::read_back;
use osculate::glam::{DVec2, DVec3};
use osculate::math::Pose3;
use osculate::shape::BoxTree;
use osculate::testing::workload::SplitMix64;
use osculate::{
    Aabb, Bounded, ConvexPolygon, ConvexPolyhedron, Error, ErrorKind, PeriodicBox, SolidMesh,
    SurfaceMesh,
};

fn vertices(points: &[(f64, f64, f64)]) -> Vec<DVec3> {
    points.iter().map(|&p| DVec3::from(p)).collect()
}

/// Sorted by their bits, points with x = -0 came before all with x = 0.
#[test]
fn hull_in_the_plane_with_both_zeros() {
    let points = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-0.0, 0.5)];
    let hull = ConvexPolygon::from_convex_hull(&points.map(DVec2::from)).unwrap();
    assert_eq!((hull.area(), hull.vertices().len()), (1.0, 4));

    let mut random = SplitMix64::new(1);
    for _ in 0..2000 {
        let count = 3 + random.below(12);
        let mut coordinate = || match random.below(4) {
            0 => -0.0,
            1 => 0.0,
            2 => 1.0,
            _ => -1.0,
        };
        let points: Vec<_> = (0..count)
            .map(|_| DVec2::new(coordinate(), coordinate()))
            .collect();
        let plain: Vec<_> = points.iter().map(|&p| p + DVec2::ZERO).collect();
        match (
            ConvexPolygon::from_convex_hull(&points),
            ConvexPolygon::from_convex_hull(&plain),
        ) {
            (Ok(hull), Ok(plain)) => assert_eq!(hull.vertices(), plain.vertices(), "{points:?}"),
            (Err(error), Err(plain)) => assert_eq!(error.kind(), plain.kind(), "{points:?}"),
            other => panic!("{points:?} {other:?}"),
        }
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
        let points: Vec<_> = (0..12)
            .map(|_| {
                let lattice = [(); 3].map(|()| random.below(3) as f64);
                DVec3::from_array(lattice) + DVec3::splat(random.range(0.0, 1e-4))
            })
            .collect();
        let facets: Vec<[u32; 3]> = (0..4).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let tolerance = [0.0, 0.01, 1.0][case % 3];
        let mesh = SurfaceMesh::welded(&points, facets, tolerance).unwrap();
        let repeats = |ids: &[u32]| ids[0] == ids[1] || ids[1] == ids[2] || ids[2] == ids[0];
        collapsed += usize::from(mesh.facets().any(|f| repeats(f.vertices())));
        assert!(read_back(&mesh) == mesh);
    }
    assert!(collapsed > 500, "{collapsed}");
}

/// A prism, 200 units wide and deep, with a top of strips. Each strip is bent upwards from the one before by an angle.
fn prism(bends: &[f64]) -> Result<ConvexPolyhedron, Error> {
    let count = bends.len();
    let width = 200.0 / count as f64;
    let mut slope = -bends.iter().sum::<f64>() / 2.0;
    let mut top = vec![(0.0, 100.0)];
    for (i, bend) in bends.iter().enumerate() {
        slope += bend;
        top.push(((i + 1) as f64 * width, top[i].1 + slope * width));
    }
    top.reverse();
    let profile = [&[(0.0, 0.0), (200.0, 0.0)][..], &top].concat();
    let ends = [0.0, 200.0].map(|y| profile.iter().map(move |&(x, z)| DVec3::new(x, y, z)));
    let n = profile.len() as u32;
    let mut faces: Vec<Vec<u32>> = vec![(0..n).collect()];
    faces.push(std::iter::once(n).chain((n + 1..2 * n).rev()).collect());
    faces.extend((0..n).map(|i| {
        let next = (i + 1) % n;
        vec![next, i, n + i, n + next]
    }));
    ConvexPolyhedron::new(ends.into_iter().flatten().collect(), faces)
}

/// Returns the largest height of a vertex in front of a face, relative to the slack of the face.
fn largest_share(body: &SurfaceMesh) -> f64 {
    let mut most = 0.0_f64;
    for facet in body.facets() {
        let origin = facet.corners().next().unwrap();
        let heights = body
            .vertices()
            .iter()
            .map(|&v| facet.normal().dot(v - origin));
        let slack = facet.bounding_sphere().radius / f64::from(1 << 24);
        most = most.max(heights.fold(0.0, f64::max) / slack);
    }
    most
}

/// Bends below the slack of each face added up.
#[test]
fn small_concave_bends_add_up() {
    let kind = |bends: &[f64]| prism(bends).map_err(|error| error.kind()).err();
    assert_eq!(kind(&[1e-5; 200]), Some(ErrorKind::NotConvex));
    assert_eq!(kind(&[-1e-5; 200]), None);
    assert_eq!(kind(&[0.0; 200]), None);
    let mut random = SplitMix64::new(3);
    let (mut good, mut bad) = (0, 0);
    for case in 0..200 {
        let size = 10.0_f64.powi(-5 - case % 6);
        let shift = [0.0, -0.5 * size, -size][case as usize % 3];
        let count = 60 + random.below(100);
        let bends: Vec<_> = (0..count)
            .map(|_| random.range(-size, size) + shift)
            .collect();
        match prism(&bends) {
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
        let count = if case < 4 {
            5000
        } else {
            20 + random.below(200) as u32
        };
        let shift = random.in_ball() * [0.0, 1.0, 1e3][case % 3];
        // A cylinder with polygons as ends.
        let corners = (0..2 * count).map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i % count) / f64::from(count);
            let z = if i < count { -1.0 } else { 1.0 };
            rotation * DVec3::new(angle.cos(), angle.sin(), z) + shift
        });
        let corners: Vec<_> = corners.collect();
        let mut faces: Vec<Vec<u32>> =
            vec![(0..count).rev().collect(), (count..2 * count).collect()];
        faces.extend((0..count).map(|i| {
            let next = (i + 1) % count;
            vec![i, next, count + next, count + i]
        }));
        let body = ConvexPolyhedron::new(corners.clone(), faces).unwrap();
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
    let points = vertices(&[
        (0.0, 0.0, 0.0),
        (2.0, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (1.0, -1.0, 0.0),
        (1.0, 1.0, 0.0),
        (1.0, 0.0, 1.0),
    ]);
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
    let tetrahedron: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let side = 12;
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..side * side * side {
        let at = [i % side, i / side % side, i / (side * side)].map(f64::from);
        let first = points.len() as u32;
        points.extend(corners.map(|c| 0.5 * c + DVec3::from_array(at)));
        triangles.extend(tetrahedron.map(|[a, b, c]| [a, c, b].map(|id| first + id)));
    }
    let first = points.len() as u32;
    points.extend(corners.map(|c| c * 100.0 - DVec3::ONE));
    let outer = tetrahedron.map(|triangle| triangle.map(|id| first + id));
    let before = [&outer[..], &triangles].concat();
    let after = [&triangles[..], &outer].concat();
    let build =
        |triangles: &[[u32; 3]]| SolidMesh::new(points.clone(), triangles.iter().copied()).unwrap();
    let volume = (1e6 - f64::from(side * side * side) / 8.0) / 6.0;
    for triangles in [&before, &after] {
        assert!((build(triangles).volume() / volume - 1.0).abs() < 1e-12);
    }
    // A shell that faces inwards beside all others is still refused.
    points.extend(corners.map(|c| c + DVec3::X * 200.0));
    let beside = tetrahedron.map(|[a, b, c]| [a, c, b].map(|id| first + 4 + id));
    let all = [&before[..], &beside].concat();
    let error = SolidMesh::new(points, all).unwrap_err();
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
        let point = match case {
            0 => -DVec3::X,
            _ => {
                DVec3::new(random.range(-3.0, 3.0), random.range(-1.0, 1.0), 0.0)
                    * DVec3::new(1.0, [0.0, tip.y, 1.0][case as usize % 3], 1.0)
            }
        };
        let mut weights = [0.0; 3];
        mesh.for_each_nodal_weight(0, point, |id, weight| weights[id as usize] = weight);
        assert!(
            weights.iter().all(|w| (0.0..=1.0).contains(w)),
            "{width} {point} {weights:?}"
        );
        let mean: DVec3 = (0..3).map(|i| corners[i] * weights[i]).sum();
        let on_side = |i: usize| {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            a + (b - a) * ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0)
        };
        let nearest = (0..3)
            .map(|i| on_side(i).distance(point))
            .fold(9.0, f64::min);
        assert!(
            mean.distance(point) <= nearest + 1e-12,
            "{width} {point} {weights:?}"
        );
    }
}
