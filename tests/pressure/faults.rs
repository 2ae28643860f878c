//! Faults of earlier kernels, each as a case.
//!
//! Local minima of depths over a wall, and depths along the sum of area vectors, failed here.

use crate::scene::*;
use crate::support::cases;
use crate::support::convex::{cube_times, cuboid, hull, random, scaled, vector};
use crate::support::solids::box_shells;
use osculate::glam::{DQuat, DVec3};
use osculate::{ConvexPolyhedron, NarrowPhase, PressureField, PressureState, SurfaceMesh, Wall};
use std::f64::consts::{FRAC_PI_4, TAU};

/// In files in single precision, cracks of 1e-7 beside a hanging vertex counted as rims: contacts of (0.91, 0.11, -0.40) on
/// a flat floor.
#[test]
fn hanging_vertex_of_a_file() {
    let mut random = random(61);
    let cube = cube_times(DVec3::ONE);
    for case in 0..cases(100) {
        let turn = random.rotation();
        let corners = [(-3.0, -2.0), (3.0, -2.0), (3.0, 2.0), (-3.0, 2.0)];
        let [a, b, c, d] = corners.map(|(x, y)| v(x, y, 0.0));
        let hanging = a.lerp(c, random.range(0.3, 0.7));
        let triangles = [[a, b, c], [a, hanging, d], [hanging, c, d]];
        let triangles = triangles.map(|t| t.map(|x| turn * x));
        let file = triangles.map(|t| t.map(|x| x.as_vec3().as_dvec3()));
        let spin = DQuat::from_scaled_axis(vector(&mut random) * 0.05);
        let body = place(&cube, turn * spin, turn * (hanging + DVec3::Z * 0.48));
        let [found, exact] = [file, triangles].map(|t| contacts(&mut full(), &body, &wall(&t)));
        assert_eq!((found.len(), exact.len()), (1, 1), "{case} {found:#?}");
        let error = found[0].force.distance(exact[0].force) / exact[0].load;
        assert!(error < 1e-4, "{case} {error:e}");
    }
}

/// A block of 1e-6 and less inside a face that is tilted by 1e-12 to 1e-9: the bed had a volume of 3.6e-12 where 2.5e-20 is
/// right.
#[test]
fn small_block_in_a_tilted_face() {
    let mut random = random(62);
    let cube = cube_times(DVec3::ONE);
    for size in [1.0, 1e-2, 1e-4, 1e-6] {
        let block = cube_times(v(0.5, 0.25, 0.125) * size);
        for _ in 0..cases(100) {
            let tilt = 10.0_f64.powf(random.range(-12.0, -9.0));
            let axis = v(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0);
            let turn = DQuat::from_scaled_axis(axis * tilt);
            let a = place(&cube, turn, DVec3::ZERO);
            let depth = 0.05 * 0.125 * size;
            let aside = v(random.range(-0.2, 0.2), random.range(-0.2, 0.2), 0.5);
            let up = turn * (aside + DVec3::Z * (0.0625 * size - depth));
            let spin = DQuat::from_rotation_z(random.range(0.0, 6.0));
            let found = full().contact(&a, &place(&block, turn * spin, up)).unwrap();
            let ratio = found.force.length() / (0.125 * size * size * depth);
            assert!(ratio > 0.85 && ratio < 1.0, "{size} {tilt:e} {ratio}");
            let lever = found.point.distance(turn * aside) / size;
            assert!(lever < 0.1, "{size} {tilt:e} {lever}");
        }
    }
}

/// A vertex in the middle of the edge of a ridge, wherever the lists of corners start. The facets of the hanging vertex had
/// no load.
#[test]
fn hanging_vertex_on_a_ridge() {
    let cube = cuboid(v(-10., -10., -4.), v(10., 10., 16.));
    let (low, high) = (v(0., -2., 0.), v(0., 2., -1.));
    let middle = v(0., -1., -0.25);
    let (down, up) = (v(4., 0., -8.), v(-4., 0., 1.));
    let far = [high + down, low + down, low + up, high + up];
    let vertices = [&[low, middle, high][..], &far].concat();
    let body = at(&cube, DVec3::ZERO);
    let whole = [[low, high, high + down], [low, high + down, low + down]];
    let other = [[high, low, low + up], [high, low + up, high + up]];
    let expected = sums(&body, &wall(&[whole, other].concat()));
    for (first, second) in (0..25).map(|i| (i / 5, i % 5)) {
        let mut facets = [[4, 3, 2, 1, 0], [2, 6, 5, 0, 1]];
        facets[0].rotate_left(first);
        facets[1].rotate_left(second);
        let mesh = SurfaceMesh::new(vertices.clone(), facets).unwrap();
        let found = contacts(&mut full(), &body, &Wall::new(mesh));
        assert_eq!(found.len(), 1, "{found:?}");
        let found = total(&found, DVec3::ZERO);
        let ratio = found.load / expected.load;
        assert!((ratio - 1.0).abs() < 1e-12, "{first} {second} {ratio}");
    }
}

/// A cube beside and above a closed block, whose load jumped by a factor for a motion of 1e-16.
#[test]
fn closed_wall_moved_by_rounding() {
    let cube = cube_times(DVec3::ONE);
    let block = cube_times(DVec3::splat(2.0));
    let block = Wall::new(block.surface().clone());
    let mut random = random(63);
    for case in 0..cases(300) {
        let mut near = || [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 0.25][random.below(7)];
        let at_rest = v(near(), near(), 1.375);
        let turn = match case % 3 {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_rotation_z(FRAC_PI_4),
            _ => DQuat::from_rotation_x(FRAC_PI_4),
        };
        let load = |at: DVec3| sums(&place(&cube, turn, at), &block).load;
        let before = load(at_rest);
        for axis in DVec3::AXES {
            for step in [1e-16, -1e-16, 1e-13] {
                let change = (load(at_rest + axis * step) - before).abs();
                assert!(change < 1e-12, "{case} {at_rest} {change:e}");
            }
        }
    }
}

/// A bump that is inside the body, or almost: the body is pushed off the floor, not into the bump. A tetrahedron of 0.05
/// inside a cube near its lower face, floating, had no force at all.
#[test]
fn swallowed_bumps() {
    let cube = cube_times(DVec3::ONE);
    for lift in [-0.02, 0.0, 0.02, 0.1, 0.2] {
        let ring = [0.0, 1.0, 2.0].map(|third: f64| {
            let (sin, cos) = (TAU * third / 3.0).sin_cos();
            [0.05 * cos, 0.05 * sin, lift]
        });
        let [a, b, c] = ring;
        let bump = hull(&[a, b, c, [0.0, 0.0, lift + 0.05]]);
        let bump = Wall::new(bump.surface().clone());
        let found = contacts(&mut full(), &at(&cube, DVec3::Z * 0.5), &bump);
        let force = total(&found, DVec3::ZERO).force;
        let aside = force.truncate().length();
        assert!(force.z < 0.0 && aside < -1e-3 * force.z, "{lift} {force}");
    }
}

/// Two triangles on either side of a line, each with a side there: one sheet if these sides overlap, and two if they are apart
/// or only meet at a point.
#[test]
fn sides_of_one_line() {
    let block = cube_times(v(8.0, 1.0, 1.0));
    let body = at(&block, v(0.0, 0.0, 0.49));
    for (start, count) in [(-1.0, 1), (0.5, 1), (1.0, 2), (1.5, 2)] {
        let above = [v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 2.0, 0.0)];
        let below = [v(start + 2.0, 0.0, 0.0), v(start, 0.0, 0.0)];
        let below = [below[0], below[1], v(start + 1.0, -2.0, 0.0)];
        let found = contacts(&mut full(), &body, &wall(&[above, below]));
        assert_eq!(found.len(), count, "{start} {found:#?}");
    }
}

/// Blades around an axis inside the body: a contact for each blade, or fewer. The kernel of minima compared all pairs.
#[test]
fn blades_around_an_axis() {
    let cube = cube_times(DVec3::splat(4.0));
    for count in [16, 256] {
        let blades = (0..count).flat_map(|i| {
            let angle = TAU * f64::from(i) / f64::from(count);
            let tip = v(angle.cos(), angle.sin(), 0.0);
            let [low, high] = [-0.5, 0.5].map(|z| DVec3::Z * z);
            [[low, tip + low, tip + high], [low, tip + high, high]]
        });
        let blades = wall(&blades.collect::<Vec<_>>());
        let body = at(&cube, v(0.1, 0.2, 0.3));
        let found = contacts(&mut full(), &body, &blades);
        assert!(found.len() <= count as usize, "{count} {}", found.len());
        let mut facets = 0;
        full().for_each_facet(&body, &blades, |_| facets += 1);
        assert_eq!(facets, 2 * count);
    }
}

/// A cube on the lattice in a corner of a box touches 0, 1, 2 or 3 walls: as many contacts, each along its wall.
#[test]
fn corner_of_a_box() {
    let cube = cube_times(DVec3::ONE);
    let (vertices, facets) = box_shells(&[([DVec3::ZERO, DVec3::splat(8.0)], true)]);
    let corner = Wall::new(SurfaceMesh::new(vertices, facets).unwrap());
    for walls in 0..8 {
        let depth = |k: usize| if walls >> k & 1 == 1 { 1.0 / 64.0 } else { 0.0 };
        let body = at(&cube, DVec3::splat(0.5) - v(depth(0), depth(1), depth(2)));
        let found = contacts(&mut full(), &body, &corner);
        let pressed = [0, 1, 2].into_iter().filter(|&k| depth(k) > 0.0);
        assert_eq!(found.len(), pressed.clone().count(), "{walls:b} {found:?}");
        for k in pressed {
            assert!(found.iter().any(|c| c.normal == -DVec3::AXES[k]));
        }
        for contact in &found {
            assert_eq!(contact.overlap, 1.0 / 64.0);
            assert!((contact.load / found[0].load - 1.0).abs() < 1e-14);
        }
    }
}

/// A cube in a groove of 90 degrees: flush with its faces it has two contacts at 45 degrees, equal in size.
#[test]
fn groove() {
    let cube = cube_times(DVec3::ONE);
    let groove = wall(&extruded(&[(-4.0, 4.0), (0.0, 0.0), (4.0, 4.0)], 4.0));
    let turn = DQuat::from_rotation_y(FRAC_PI_4);
    let root = 0.5_f64.sqrt();
    let body = place(&cube, turn, DVec3::Z * (2.0 * root * 0.49));
    let found = contacts(&mut full(), &body, &groove);
    assert_eq!(found.len(), 2, "{found:?}");
    for contact in &found {
        let sign = contact.normal.x.signum();
        assert!(contact.normal.distance(v(sign * root, 0.0, -root)) < 1e-14);
        assert!((contact.overlap - 0.01).abs() < 1e-14);
    }
    assert!((found[0].load / found[1].load - 1.0).abs() < 1e-12);
    // One contact if the bend is allowed.
    let smooth = &mut full().with_bend(2.0).unwrap();
    assert_eq!(contacts(smooth, &body, &groove).len(), 1);
}

/// A facet in a plane between the pyramids of a cube: cutting by these planes lost half of its load, and all of it at
/// 1e-9 beside.
#[test]
fn facet_between_pyramids() {
    let cube = cube_times(DVec3::splat(2.0));
    let facet = wall(&extruded(&[(-9.0, -9.0), (9.0, 9.0)], 9.0));
    let load = |x: f64| sums(&at(&cube, DVec3::X * x), &facet).load;
    let exact = load(0.0);
    for x in [1e-16, -1e-16, 1e-12, 1e-9, -1e-9] {
        assert!((load(x) - exact).abs() < 1e-8, "{x:e} {} {exact}", load(x));
    }
    // The integral of 1 - max(|x|, |y|) over the square from -1 to 1, on a slope of 45 degrees.
    let expected = 4.0 / 3.0 * 2.0_f64.sqrt();
    assert!((exact / expected - 1.0).abs() < 1e-14, "{exact}");
}

/// The tip of a body a little through a wall: a small pyramid, far from the center of the body.
#[test]
fn small_tips() {
    let floor = wall(&extruded(&[(-9.0, 0.0), (9.0, 0.0)], 9.0));
    let axes = DVec3::AXES.map(|axis| [axis, -axis]);
    for depth in [0.25, 2.0_f64.powi(-10), 2.0_f64.powi(-20)] {
        let place = |&x: &DVec3| x + v(2.0, 1.0, 1.0 - depth);
        let corners: Vec<_> = axes.as_flattened().iter().map(place).collect();
        let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let found = contacts(&mut full(), &at(&shape, DVec3::ZERO), &floor);
        assert_eq!(found.len(), 1);
        // A square of 2 depth^2; the pressure is a pyramid of the height depth / sqrt(3) over it.
        let area = 2.0 * depth * depth;
        let load = area * depth / 3.0_f64.sqrt() / 3.0;
        for ratio in [found[0].area / area, found[0].load / load] {
            assert!((ratio - 1.0).abs() < 1e-8, "{depth} {found:?}");
        }
    }
}

/// Faces of the body in the plane of the floor, found by the fuzz target `convex_walls`: areas were NaN.
#[test]
fn faces_in_the_plane_of_the_floor() {
    let points = [
        [81.0, 81.0, 0.0],
        [81.0, 81.0, 81.0],
        [81.0, 59.0, 81.0],
        [-1.0, -1.0, -1.0],
        [5.0, -76.0, 0.0],
        [0.0, -1.0, 10.0],
    ];
    let shape = hull(&points);
    let body = place(&shape, DQuat::from_xyzw(0.0, -1.0, 0.0, 0.0), DVec3::ZERO);
    let floor = wall(&terrain(3, 96.0, || 0.0));
    let found = contacts(&mut full(), &body, &floor);
    assert!(!found.is_empty());
    for contact in found {
        let numbers = [contact.area, contact.load, contact.overlap, contact.force.z];
        assert!(numbers.iter().all(|x| x.is_finite()) && contact.load > 0.0);
    }
}

/// The energy where planes of the wall pass the centroid of the body, at an edge, a vertex and inside a facet.
#[test]
fn energy_at_the_centroid() {
    let mut random = random(64);
    let shapes = shapes(&mut random);
    let shifted = floor().into_iter().map(|t| t.map(|x| x + v(0.3, 0.1, 0.0)));
    let shifted: Vec<_> = shifted.collect();
    let walls = [
        floor(),
        terrain(2, 4.0, || 0.0),
        terrain(3, 4.0, || 0.0),
        shifted,
    ];
    for case in 0..cases(100) {
        let shape = &shapes[case % 5];
        let turn = random.rotation();
        let body = place(shape, turn, turn * -shape.centroid());
        let energies = walls.each_ref().map(|t| sums(&body, &wall(t)).energy);
        let is_equal = |energy: &f64| (energy / energies[0] - 1.0).abs() < 1e-6;
        assert!(energies.iter().all(is_equal), "{case} {energies:?}");
    }
}

/// With a margin a cube comes down on an edge or a vertex: the moved faces touch first, beyond the margin. The force
/// began with a jump when the gap had become the margin.
#[test]
fn margins_begin_without_force() {
    const MARGIN: f64 = 0.1;
    let cube = cube_times(DVec3::ONE);
    let slab = cube_times(v(8.0, 8.0, 1.0));
    let floor = wall(&floor());
    let under = at(&slab, DVec3::Z * -0.5);
    let on_edge = DQuat::from_rotation_x(FRAC_PI_4);
    let on_vertex = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    for (turn, first) in [(on_edge, 2.0_f64.sqrt()), (on_vertex, 3.0_f64.sqrt())] {
        let mut before = [0.0; 2];
        for step in -20..40 {
            let gap = MARGIN * first * (1.0 - f64::from(step) / 40.0);
            let body = place(&cube, turn, DVec3::Z * (gap - low(&cube, turn)));
            let mut kernel = full().with_margin(MARGIN).unwrap();
            let on_floor = contacts(&mut kernel, &body, &floor);
            let mut of_upper = kernel.with_weight_of_first(0.0).unwrap();
            let on_slab = of_upper.contact(&under, &body);
            let now = [on_floor.first().copied(), on_slab];
            for (now, before) in now.iter().zip(&mut before) {
                assert_eq!(now.is_some(), step > 0, "{step} {now:?}");
                let Some(contact) = now else { continue };
                assert!((contact.overlap + gap).abs() < 1e-12);
                // An edge has corners at both ends also where its gap is larger than the margin.
                let corners = contact.points.unwrap().corners.map(|corner| corner.point);
                let widths = corners.map(|x| x.distance(corners[0]));
                let width = widths.into_iter().fold(0.0, f64::max);
                assert!(width > 1.0 || first > 1.5, "{step} {corners:?}");
                // k times the area times the motion.
                let most = 1.01 * contact.area * MARGIN * first / 40.0;
                assert!((contact.load - *before).abs() <= most, "{step} {contact:?}");
                *before = contact.load;
            }
        }
    }
}

/// Two cubes with one center, one of them turned: the forces cancel, the torques do not.
#[test]
fn couples_without_force() {
    let cube = cube_times(DVec3::ONE);
    let turned = place(&cube, DQuat::from_rotation_z(0.3), DVec3::ZERO);
    let contact = full().contact(&at(&cube, DVec3::ZERO), &turned).unwrap();
    assert!(contact.force.length() < 1e-15 && contact.torque.z.abs() > 0.01);
    let volume = contact.volume.unwrap().volume;
    let (sin, cos) = 0.3_f64.sin_cos();
    assert!((volume * (1.0 + sin + cos) - 2.0).abs() < 1e-14);
    assert!(contact.normal.is_normalized() && contact.overlap > 0.0);
}

/// Shallow contacts at the ends of the domain: squares of forces underflow there.
#[test]
fn shallow_contacts_of_tiny_bodies() {
    let mut random = random(65);
    let (shape, turn) = (rock(20, &mut random), random.rotation());
    let expected = |unit: f64| {
        let small = scaled(&shape, unit);
        let triangles: Vec<_> = floor().iter().map(|t| t.map(|x| x * unit)).collect();
        let height = -low(&shape, turn) - 1e-12;
        let body = place(&small, turn, DVec3::Z * (height * unit));
        let contact = contacts(&mut full(), &body, &wall(&triangles))[0];
        (contact.overlap / unit, contact.normal, contact.point / unit)
    };
    assert_eq!(expected(2.0_f64.powi(-140)), expected(1.0));
}

/// A body with contacts beyond 2^14: their shares keep their names.
#[test]
fn names_of_many_shares() {
    let cube = cube_times(DVec3::ONE);
    let side = 130;
    let corner = |i: u32| (f64::from(i % side) + 0.1) / f64::from(side) - 0.5;
    let triangles: Vec<Triangle> = (0..side * side)
        .map(|i| {
            let at = v(corner(i), corner(i / side), -0.5 + 1e-3);
            [at, at + DVec3::X * 4e-3, at + DVec3::Y * 4e-3]
        })
        .collect();
    let floor = wall(&triangles);
    let mut state = PressureState::default();
    let mut names = Vec::new();
    let mut kernel = PressureField::new().with_points();
    for _ in 0..2 {
        names.clear();
        kernel.for_each_contact(&at(&cube, DVec3::ZERO), &floor, &mut state, |c| {
            names.extend(c.points.unwrap().shares.map(|share| share.previous));
        });
    }
    let count = 4 * side * side;
    assert!(names.iter().copied().eq((0..count).map(Some)));
}
