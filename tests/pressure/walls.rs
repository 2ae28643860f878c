//! Pressure fields at walls: against a pair with one field and a quadrature; moving, periodic and large walls, margins,
//! forces on facets.

use crate::scene::*;
use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, vector};
use crate::support::wall::grid;
use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::math::MAX_LENGTH;
use osculate::narrow::PressureContact;
use osculate::testing::workload::rewritten;
use osculate::{NarrowPhase, PeriodicBox, Placed, Pose3, Skin, SurfaceMesh, Wall, WallList};

/// A closed convex wall is the surface of a body without a field.
#[test]
fn closed_wall_is_a_rigid_body() {
    let mut random = random(71);
    let mut compared = 0;
    for _ in 0..cases(300) {
        let shapes = [polyhedron(&mut random, 1.0), polyhedron(&mut random, 1.5)];
        let shift = vector(&mut random) * 0.8;
        let a = place(&shapes[0], random.rotation(), DVec3::ZERO);
        let b = place(&shapes[1], random.rotation(), shift);
        let mut kernel = full().with_weight_of_first(1.0).unwrap();
        let Some(pair) = kernel.contact(&a, &b) else {
            continue;
        };
        let mut wall = Wall::new(shapes[1].surface().clone());
        wall.set_pose(b.pose);
        let found = total(&contacts(&mut kernel, &a, &wall), pair.point);
        let error = found.distance(&total(&[pair], pair.point));
        assert!(error < 1e-12, "{error:e} {found:?} {pair:?}");
        compared += 1;
    }
    assert!(compared > cases(300) / 3, "{compared}");
}

/// The pressure of a body by definition: 0 on its surface, linear on the pyramids over the faces.
fn pressure(body: &Body) -> impl Fn(DVec3) -> f64 {
    let center = body.pose.transform_point(body.shape.centroid());
    let planes = body.shape.surface().facets().map(|facet| {
        let corner = facet.corners().next().unwrap() - body.shape.centroid();
        let offset = facet.normal().dot(corner);
        (body.pose.transform_vector(facet.normal()) / offset, offset)
    });
    let planes: Vec<_> = planes.collect();
    let inscribed = planes.iter().fold(f64::INFINITY, |r, plane| r.min(plane.1));
    move |x| {
        let ratios = planes.iter().map(|plane| 1.0 - plane.0.dot(x - center));
        inscribed * ratios.fold(f64::INFINITY, f64::min).max(0.0)
    }
}

/// Force, torque about the origin and load.
type Integrals = (DVec3, DVec3, f64);

fn is_near(contacts: &[PressureContact], expected: Integrals, tolerance: f64) -> bool {
    let (sums, (force, torque, load)) = (total(contacts, DVec3::ZERO), expected);
    let vectors = [sums.force - force, sums.torque - torque].map(DVec3::length);
    let errors = [vectors[0], vectors[1], (sums.load - load).abs()];
    errors.iter().all(|&error| error < tolerance * load)
}

/// Integrals over triangles in the field of a body, by `count` x `count` points in each, and of the products of two
/// coordinates.
fn quadrature(body: &Body, triangles: &[Triangle], count: usize) -> (Integrals, DMat3) {
    let (mut force, mut torque, mut load) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    let (mut second, pressure) = (DMat3::ZERO, pressure(body));
    for &[a, b, c] in triangles {
        let area = 0.5 * (b - a).cross(c - a) / (count * count) as f64;
        for i in 0..count {
            for j in 0..2 * (count - i) - 1 {
                // The centers of the small triangles, upright and inverted.
                let third = if j % 2 == 0 { 1.0 } else { 2.0 } / 3.0;
                let [s, t] = [i, j / 2].map(|k| (k as f64 + third) / count as f64);
                let x = a + (b - a) * s + (c - a) * t;
                let push = -area * pressure(x);
                force += push;
                torque += x.cross(push);
                let part = push.length();
                load += part;
                second += DMat3::from_cols(x * x.x, x * x.y, x * x.z) * part;
            }
        }
    }
    ((force, torque, load), second)
}

/// Force, torque, load and the second moments of the shares are those by definition, at walls and in pairs.
#[test]
fn integrals_by_quadrature() {
    // The method allows 1e-3 for 400 points a side.
    let count = if cases(0) > 0 { 200 } else { 100 };
    let [at_wall, in_pair] = [0.2, 0.4].map(|part| part / count as f64);
    let mut random = random(74);
    let shapes = shapes(&mut random);
    let mut compared = 0;
    for case in 0..cases(20) {
        let shape = &shapes[case % 5];
        let turn = random.rotation();
        let depth = random.range(0.3, 0.8) * low(shape, turn);
        let body = place(shape, turn, DVec3::NEG_Z * depth);
        // Three triangles about the body, with a bend.
        let tip = v(0.05, 0.02, if case % 2 == 0 { 0.0 } else { 0.1 });
        let rim = [v(0.8, 0.0, 0.0), v(-0.5, 0.8, 0.0), v(-0.5, -0.8, 0.0)];
        let triangles = [0, 1, 2].map(|i| [tip, rim[i], rim[(i + 1) % 3]]);
        let found = contacts(&mut full(), &body, &wall(&triangles));
        let (expected, second) = quadrature(&body, &triangles, 2 * count);
        assert!(is_near(&found, expected, at_wall), "{case} {found:?}");
        if let [contact] = &found[..] {
            let shares = contact.points.unwrap().shares;
            let (across, load) = (contact.normal.any_orthonormal_pair(), expected.2);
            for axis in [across.0, across.1, across.0 + across.1] {
                let middle = axis.dot(contact.point);
                let own = shares.map(|s| s.load * (axis.dot(s.point) - middle).powi(2));
                let expected = axis.dot(second * axis) - load * middle * middle;
                let error = (own.iter().sum::<f64>() - expected).abs();
                assert!(error < in_pair * load, "{case} {error:e}");
            }
            compared += 1;
        }
        let other = &shapes[(case + 1) % 5];
        let other = place(other, random.rotation(), v(0.1, 0.0, -0.1));
        let Some(pair) = full().contact(&body, &other) else {
            continue;
        };
        let surface = |body: &Body| -> Vec<Triangle> {
            let local = self::triangles(body.shape.surface());
            let place = |x| body.pose.transform_point(x);
            local.into_iter().map(|t| t.map(place)).collect()
        };
        // On the first body by the surface of the second one, and the other way round.
        let (on_first, _) = quadrature(&body, &surface(&other), count);
        let (on_second, _) = quadrature(&other, &surface(&body), count);
        let force = 0.5 * (on_first.0 - on_second.0);
        let torque = 0.5 * (on_first.1 - on_second.1);
        let expected = (force, torque, 0.5 * (on_first.2 + on_second.2));
        assert!(is_near(&[pair], expected, in_pair), "{case} {pair:?}");
    }
    assert!(compared > cases(20) / 2, "{compared}");
}

/// Walls that were deformed or moved are equal to new ones, bit for bit.
#[test]
fn deforming_walls_are_new_walls() {
    let mut random = random(75);
    let shapes = shapes(&mut random);
    let mut count = 0;
    for case in 0..cases(40) {
        let mesh = SurfaceMesh::from_triangles(&terrain(8, 2.0, || 0.0)).unwrap();
        let mesh = rewritten(&mesh, case as u64).unwrap();
        let facets: Vec<_> = mesh.facets().map(|f| f.vertices().to_vec()).collect();
        let (mut deforming, mut state) = (Wall::new(mesh), Default::default());
        for step in 0..4 {
            let mut vertices = deforming.mesh().vertices().to_vec();
            if step > 0 {
                let mut lift = || DVec3::Z * random.range(-0.05, 0.05);
                vertices.iter_mut().for_each(|x| *x += lift());
            }
            deforming.set_vertices(&vertices).unwrap();
            let pose = Pose3::new(random.rotation(), vector(&mut random)).unwrap();
            deforming.set_pose(pose);
            let mut new = Wall::new(SurfaceMesh::new(vertices, &facets).unwrap());
            new.set_pose(pose);
            let above = Pose3::from_translation(DVec3::Z * 0.3).unwrap();
            let body = Placed::new(&shapes[case % 5], pose * above);
            let expected = contacts(&mut full(), &body, &new);
            assert_eq!(contacts(&mut full(), &body, &deforming), expected, "{case}");
            let found = contacts_with(&mut full(), &body, &deforming, &mut state);
            let [found_force, force] = [&found, &expected].map(|c| total(c, DVec3::ZERO).force);
            assert_eq!(found_force, force);
            count += found.len();
        }
    }
    assert!(count > cases(40), "{count}");
}

/// A rough floor over several periods is a periodic one: anywhere, with the seam through the body, and for bodies larger
/// than half a period. The seam separates no contacts.
#[test]
fn periods_are_one_wall() {
    let mut random = random(44);
    let mut count = 0;
    for case in 0..cases(200) {
        let side = 2 + random.below(3);
        let rough = [0.0, 0.1, 0.5][case % 3];
        let heights: Vec<f64> = (0..side * side).map(|_| rough * random.unit()).collect();
        let floor = |periods: std::ops::Range<i32>| {
            let cells = (side * periods.len()) as u32;
            let first = f64::from(periods.start) * 2.0 * side as f64;
            Wall::new(grid([cells; 2], |x, y| {
                let [i, j] = [x, y].map(|x| x as usize % side);
                let [x, y] = [x, y].map(|x| first + 2.0 * f64::from(x));
                v(x, y, heights[i + side * j])
            }))
        };
        let length = 2.0 * side as f64;
        let period = v(length, length, 0.0);
        let corner = v(random.below(3) as f64 - 1.0, 0.5, 0.0);
        let lattice = PeriodicBox::orthogonal(corner, period, [true, true, false]).unwrap();
        let periodic = Wall::periodic(floor(0..1).mesh().clone(), lattice, 2.0 * length).unwrap();
        let half = 0.5 * v(1.0, [1.0, 0.7][case % 2], 0.5) * [0.3, 0.8][random.below(2)] * length;
        let shape = cube_times(half * 2.0);
        let mut part = || [0.0, 1e-9, 0.5, random.unit()][random.below(4)] * length;
        let at = v(part(), part(), half.z - 0.1 + rough);
        let turn = match case % 2 {
            0 => DQuat::IDENTITY,
            _ => random.rotation(),
        };
        let mut periods = || random.below(7) as f64 - 3.0;
        let images = v(periods(), periods(), 0.0) * period;
        let kernel = &mut full();
        let found = contacts(kernel, &place(&shape, turn, at + images), &periodic);
        let expected = contacts(kernel, &place(&shape, turn, at), &floor(-2..3));
        let [sums, whole] = [(&found, at + images), (&expected, at)].map(|(c, x)| total(c, x));
        let error = sums.distance(&whole);
        let bound = 1e-10 * length.powi(3);
        assert!(error < bound, "{case} {error:e} {sums:?} {whole:?}");
        let strong = |c: &&PressureContact| c.load > 1e-9;
        let counts = [&found, &expected].map(|found| found.iter().filter(strong).count());
        assert_eq!(counts[0], counts[1], "{case} {found:?} {expected:?}");
        assert!(rough > 0.0 || counts[0] <= 1, "{case} {found:?}");
        count += counts[0];
    }
    assert!(count > cases(200) / 2, "{count}");
}

/// With a margin, bodies with a gap have contacts. Overlaps are negative there, also at the corners. Lists need more.
#[test]
fn margins() {
    let cube = cube_times(DVec3::ONE);
    let floor = wall(&floor());
    let mut kernel = full().with_margin(0.25).unwrap();
    for (gap, overlap) in [(0.125, -0.125), (0.0, 0.0), (-0.125, 0.125)] {
        let body = at(&cube, DVec3::Z * (0.5 + gap));
        let slab = cube_times(v(8.0, 8.0, 1.0));
        let slab = at(&slab, DVec3::Z * -0.5);
        let found = contacts(&mut kernel, &body, &floor);
        let [only] = &found[..] else {
            panic!("{found:?}");
        };
        let pair = kernel.contact(&body, &slab).unwrap();
        for contact in [only, &pair] {
            assert!((contact.overlap - overlap).abs() < 1e-15, "{contact:?}");
            assert!(contact.normal.distance(DVec3::NEG_Z) < 1e-15, "{contact:?}");
            let points = contact.points.unwrap();
            let corners = points.corners.map(|corner| corner.overlap);
            assert!(corners.iter().all(|&depth| depth <= overlap + 1e-15));
            let shares = points.shares.map(|share| share.overlap);
            assert!(shares.iter().all(|&depth| depth <= overlap + 0.25));
        }
        // Pressures are those of the cube with the faces moved out: of side 1.5, and 0.25 - gap deep.
        let depth = 0.25 - gap;
        let side = 1.5;
        let force = depth * side * side - 2.0 * depth * depth * side + 4.0 / 3.0 * depth.powi(3);
        assert!((only.force.z + force).abs() < 1e-14, "{only:?} {force}");
        let far = at(&cube, DVec3::Z * (0.5 + 0.25));
        assert!(contacts(&mut kernel, &far, &floor).is_empty());
        assert!(kernel.contact(&far, &slab).is_none());
    }
    // A moved corner is farther out: a list with the margin of the kernel misses it.
    let needed = kernel.list_margin(&cube);
    let upright = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let body = place(&cube, upright, DVec3::Z * (0.75_f64.sqrt() + 0.99 * needed));
    assert_eq!(contacts(&mut kernel, &body, &floor).len(), 1);
    for (margin, count) in [(needed, 1), (0.25, 0)] {
        let list = WallList::<()>::new(Skin::Absolute(0.0)).unwrap();
        let mut list = list.with_margin(margin).unwrap();
        list.update(&[body], &floor).unwrap();
        assert_eq!(list.check_margin(needed).is_ok(), count == 1);
        assert_eq!(list.bodies().len(), count);
    }
}

/// A margin that is small beside the depth moves no point by itself.
#[test]
fn small_margins_move_no_point() {
    let mut random = random(76);
    let shapes = shapes(&mut random);
    let walls = walls(&mut random);
    for case in 0..cases(70) {
        let floor = wall(&walls[case % 7].1);
        let body = place(&shapes[case % 3], random.rotation(), DVec3::Z * 0.3);
        let without = contacts(&mut full(), &body, &floor);
        let with = contacts(&mut full().with_margin(1e-9).unwrap(), &body, &floor);
        let sums = [&without, &with].map(|found| total(found, DVec3::ZERO));
        assert!((sums[0].force - sums[1].force).length() < 1e-8, "{case}");
        if let ([a], [b]) = (&without[..], &with[..])
            && a.overlap > 0.05
        {
            assert!(a.point.distance(b.point) < 1e-6, "{case} {a:?} {b:?}");
            assert!((a.overlap - b.overlap).abs() < 1e-8, "{case} {a:?} {b:?}");
        }
    }
}

/// The forces on facets add up to those of the contacts, also at a periodic wall.
#[test]
fn facets_add_up() {
    let mut random = random(77);
    let shapes = shapes(&mut random);
    let walls = walls(&mut random);
    let mut count = 0;
    for case in 0..cases(140) {
        let mut floor = wall(&walls[case % 7].1);
        if case % 3 == 0 {
            let period = PeriodicBox::orthogonal(v(-4.0, -4.0, 0.0), DVec3::splat(8.0), [true; 3]);
            floor = Wall::periodic(floor.mesh().clone(), period.unwrap(), 8.0).unwrap();
        }
        floor.set_pose(Pose3::new(random.rotation(), vector(&mut random)).unwrap());
        let own = Pose3::new(random.rotation(), DVec3::Z * 0.3).unwrap();
        let body = Placed::new(&shapes[case % 5], *floor.pose() * own);
        let kernel = &mut full();
        let sums = total(&contacts(kernel, &body, &floor), DVec3::ZERO);
        let (mut force, mut torque, mut area) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        kernel.for_each_facet(&body, &floor, |facet| {
            force += facet.force;
            torque += facet.point.cross(facet.force);
            area += facet.area;
            count += 1;
            let normal = floor.mesh().facet(facet.facet).unwrap().normal();
            let normal = floor.pose().transform_vector(normal);
            assert!(facet.force.normalize().distance(-normal) < 1e-12);
        });
        let error = (force - sums.force).length() + (torque - sums.torque).length();
        assert!(error < 1e-13, "{case} {force} {torque} {sums:?}");
        assert!((area - sums.area).abs() < 1e-13, "{case} {area} {sums:?}");
    }
    assert!(count > cases(140), "{count}");
}

/// Bodies at the ends of the domain have no contact.
#[test]
fn ends_of_the_domain() {
    let (cube, floor) = (cube_times(DVec3::ONE), wall(&floor()));
    for end in [MAX_LENGTH, -MAX_LENGTH] {
        let far = at(&cube, DVec3::X * end);
        assert!(contacts(&mut full(), &far, &floor).is_empty());
        full().for_each_facet(&far, &floor, |_| panic!("a facet"));
        assert!(full().contact(&far, &at(&cube, DVec3::ZERO)).is_none());
    }
}
