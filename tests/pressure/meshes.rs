//! Other triangles of the same wall: force, torque and points, contacts on flat floors, bits under order.

use crate::scene::*;
use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, vector};
use crate::support::wall::{floor as square, from_longest_side};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureContact;
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{ConvexPolyhedron, Pose3, SurfaceMesh, Wall};

/// Cuts triangles in two at random points of their sides, which leaves hanging vertices.
fn cut(random: &mut SplitMix64, triangles: &[Triangle], times: usize, out: &mut Vec<Triangle>) {
    for triangle in triangles {
        if times == 0 {
            out.push(*triangle);
            continue;
        }
        let [a, b, c] = from_longest_side(*triangle);
        let middle = a.lerp(b, random.range(0.3, 0.7));
        cut(random, &[[a, middle, c], [middle, b, c]], times - 1, out);
    }
}

/// A body in a pose that overlaps walls near the origin.
fn posed<'a>(shape: &'a ConvexPolyhedron, random: &mut SplitMix64, frame: &Pose3) -> Body<'a> {
    let turn = match random.below(3) {
        0 => DQuat::from_rotation_z(random.range(0.0, 1.0)),
        _ => random.rotation(),
    };
    let depth = random.range(0.02, 0.3).min(-0.8 * low(shape, turn));
    let aside = v(random.range(-0.5, 0.5), random.range(-0.5, 0.5), 0.0);
    let pose = Pose3::new(turn, aside - DVec3::Z * (low(shape, turn) + depth)).unwrap();
    Body::new(shape, *frame * pose)
}

/// The triangles in the frame, exact to rounding.
fn in_frame(triangles: &[Triangle], frame: &Pose3) -> Vec<Triangle> {
    let place = |x| frame.transform_point(x);
    triangles.iter().map(|t| t.map(place)).collect()
}

/// The wall in an STL file: corners in single precision, and each triangle on its own.
fn stl(triangles: &[Triangle]) -> Vec<Triangle> {
    let round = |x: DVec3| x.as_vec3().as_dvec3();
    triangles.iter().map(|t| t.map(round)).collect()
}

/// The largest distance of two shares of a name.
fn shares_apart(a: &PressureContact, b: &PressureContact) -> f64 {
    let [a, b] = [a, b].map(|contact| contact.points.unwrap().shares);
    let distances = a.iter().zip(&b).map(|(a, b)| a.point.distance(b.point));
    distances.fold(0.0, f64::max)
}

/// Whether two axes of the body are equally far from the normal: either may place the shares.
fn is_tie(body: &Body, contact: &PressureContact) -> bool {
    let normal = body.pose.inverse_transform_vector(contact.normal).abs();
    let [x, y, z] = normal.to_array();
    let least = normal.min_element() + 1e-9;
    [x, y, z].into_iter().filter(|&size| size < least).count() > 1
}

/// A box that lies on a floor has its shares at the same places, for any triangles.
#[test]
fn triangles_do_not_move_the_shares_of_flush_bodies() {
    let mut random = random(79);
    let shape = cube_times(v(1.0, 0.7, 0.5));
    for case in 0..cases(40) {
        let frame = Pose3::new(random.rotation(), vector(&mut random)).unwrap();
        let own = Pose3::new(DQuat::from_rotation_z(0.3), v(3.8, 3.7, 0.24)).unwrap();
        let body = Body::new(&shape, frame * own);
        let mut fine = Vec::new();
        cut(&mut random, &floor(), 1 + case % 4, &mut fine);
        let [a, b] = [floor(), fine]
            .map(|triangles| contacts(&mut full(), &body, &wall(&in_frame(&triangles, &frame)))[0]);
        assert!(shares_apart(&a, &b) < 1e-12, "{case} {a:?} {b:?}");
    }
}

/// 2 against 1e4 triangles and others, hanging vertices, and triangles that share no vertex.
#[test]
fn triangles_do_not_matter() {
    let mut random = random(72);
    let (shapes, walls) = (shapes(&mut random), walls(&mut random));
    for case in 0..cases(105) {
        let (name, plain) = &walls[case % 7];
        let frame = Pose3::new(random.rotation(), vector(&mut random)).unwrap();
        let body = posed(&shapes[case / 7 % 5], &mut random, &frame);
        let many = 14 - plain.len().ilog2() as usize;
        let times = if case % 21 == 0 { many } else { 1 + case % 4 };
        let mut fine = Vec::new();
        cut(&mut random, plain, times, &mut fine);
        random.shuffle(&mut fine);
        let [plain, fine] = [plain, &fine].map(|t| in_frame(t, &frame));
        let corners: Vec<_> = fine.as_flattened().to_vec();
        let ids = (0..fine.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
        let soup = Wall::new(SurfaceMesh::new(corners, ids).unwrap());
        let expected = contacts(&mut full(), &body, &wall(&plain));
        let sums = total(&expected, frame.translation());
        for other in [wall(&fine), soup] {
            let found = contacts(&mut full(), &body, &other);
            let error = sums.distance(&total(&found, frame.translation()));
            assert!(error < 1e-12, "{case} {name}: {error:e}");
            if *name == "floor" {
                assert_eq!((found.len(), expected.len()), (1, 1), "{case}");
                let apart = shares_apart(&expected[0], &found[0]) * sums.load;
                let is_near = apart < 1e-12 || is_tie(&body, &expected[0]);
                assert!(is_near, "{case} {apart:e}");
            }
        }
    }
}

/// Walls from STL files with hanging vertices, near the origin and far away: force and torque to the precision of the file
/// over the depth. A flat floor has one contact.
#[test]
fn single_precision() {
    let mut random = random(73);
    let (shapes, walls) = (shapes(&mut random), walls(&mut random));
    for case in 0..cases(140) {
        let (name, plain) = &walls[case % 7];
        let far = [1.0, 1.0, 300.0][case % 3];
        let frame = Pose3::new(random.rotation(), vector(&mut random) * far).unwrap();
        let body = posed(&shapes[case / 7 % 5], &mut random, &frame);
        let mut fine = Vec::new();
        cut(&mut random, plain, case % 6, &mut fine);
        let expected = contacts(&mut full(), &body, &wall(&in_frame(plain, &frame)));
        if expected.is_empty() {
            continue;
        }
        let file = wall(&stl(&in_frame(&fine, &frame)));
        let found = contacts(&mut full(), &body, &file);
        let [sums, exact] = [&found, &expected].map(|c| total(c, frame.translation()));
        // Half a unit in the last place of coordinates up to 8, or 308.
        let noise = 2.0_f64.powi(-22) * if far > 1.0 { 64.0 } else { 1.0 };
        let depth = exact.load / exact.area;
        let error = (sums.force - exact.force).length() / exact.load;
        let bound = 10.0 * noise / depth;
        assert!(error < bound, "{case} {name}: {error:e} {depth}");
        assert!((sums.torque - exact.torque).length() < bound * exact.load);
        if *name == "floor" {
            assert_eq!(found.len(), 1, "{case} {found:#?}");
        }
    }
}

/// Floors of triangles up to 1e9 times as large as the body, and of ones that were small before.
#[test]
fn huge_triangles() {
    let mut random = random(78);
    let cube = cube_times(DVec3::ONE);
    for case in 0..cases(300) {
        let size = 10.0_f64.powf(random.range(0.0, 9.0));
        let [x, y] = [0; 2].map(|_| random.range(-0.5, 0.5));
        // On one triangle, or where both meet.
        let aside = v(x, if case % 2 == 0 { x } else { y }, 0.0);
        let turn = random.rotation();
        let mut floor = Wall::new(square(1.0, 0.0));
        let corners = floor.mesh().vertices().iter();
        let large: Vec<_> = corners.map(|&x| turn * ((x + aside) * size)).collect();
        floor.set_vertices(&large).unwrap();
        let lean = [random.range(0.1, 1.4), 1e-13 * random.unit(), 0.0][case % 3];
        let own = DQuat::from_rotation_z(random.range(0.0, 6.0)) * DQuat::from_rotation_x(lean);
        let depth = random.range(0.001, 0.1);
        let up = -low(&cube, own) - depth;
        let body = place(&cube, turn * own, turn * (DVec3::Z * up));
        let found = contacts(&mut full(), &body, &floor);
        let [only] = &found[..] else {
            panic!("{case}, {size}: {found:?}");
        };
        // The rounding of the corners.
        let error = 1e-12 + 4e-15 * size;
        let tilt = only.normal.distance(turn * DVec3::NEG_Z);
        assert!(tilt < error, "{case} {size} {only:?}");
        let is_deep = (only.overlap - depth).abs() < error;
        assert!(lean > 1e-12 || is_deep, "{case} {size} {only:?}");
    }
}

/// The order of facets, corners and vertices changes no bit, with and without a state.
#[test]
fn order_changes_no_bit() {
    let mut random = random(73);
    let mut compared = 0;
    for case in 0..cases(150) {
        let shape = polyhedron(&mut random, 1.0);
        let block = cube_times(v(2.0, 4.0, 1.0));
        let plain = rewritten(block.surface(), case as u64).unwrap();
        let other = shuffled(&plain, &mut random);
        let walls = [plain, other].map(Wall::new);
        let (mut at, turn) = (vector(&mut random) * 2.0, random.rotation());
        let mut states = [(); 2].map(|()| Default::default());
        for _ in 0..3 {
            at += vector(&mut random) * 0.02;
            let body = place(&shape, turn, at);
            let kernel = &mut full();
            let mut found = [0, 1].map(|i| contacts_with(kernel, &body, &walls[i], &mut states[i]));
            found.iter_mut().flatten().for_each(|c| c.facet = None);
            assert_eq!(found[0], found[1]);
            compared += found[0].len();
        }
    }
    assert!(compared > cases(150) / 3, "{compared}");
}

/// The same facets in another order, from other corners, of other vertices.
fn shuffled(mesh: &SurfaceMesh, random: &mut SplitMix64) -> SurfaceMesh {
    let mut facets: Vec<Vec<DVec3>> = mesh.facets().map(|f| f.corners().collect()).collect();
    random.shuffle(&mut facets);
    let (mut corners, mut ids) = (Vec::new(), Vec::new());
    for mut facet in facets {
        let turn = random.below(facet.len());
        facet.rotate_left(turn);
        let first = corners.len() as u32;
        corners.extend(facet);
        ids.push((first..corners.len() as u32).collect::<Vec<_>>());
    }
    SurfaceMesh::welded(&corners, &ids, 0.0).unwrap()
}
