//! Shares and corners, what shares continue, and states.

use crate::scene::*;
use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, vector};
use crate::support::lattice_scene::{LatticeScene, WallFamily};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{
    PressureContact, PressureCorner, PressureField, PressurePoints, PressureShare, PressureState,
};
use osculate::testing::oracle::distance_to_polyhedron;
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, NarrowPhase, Pose3, Wall};
use std::f64::consts::{FRAC_PI_4, TAU};

fn points(contact: &PressureContact) -> PressurePoints {
    contact.points.unwrap()
}

/// Checks that shares add up to their contact and are not deeper than it, as local minima were on flat roofs, and that
/// corners are on the bodies.
fn check(contact: &PressureContact, body: &Body, other: &[Body]) {
    let (shares, corners) = (points(contact).shares, points(contact).corners);
    let sum = |of: fn(&PressureShare) -> f64| shares.iter().map(of).sum::<f64>();
    assert!((sum(|s| s.load) / contact.load - 1.0).abs() < 1e-14);
    assert!((sum(|s| s.area) / contact.area - 1.0).abs() < 1e-14);
    let middle = shares.iter().map(|s| s.point * 0.25).sum::<DVec3>();
    assert!(middle.distance(contact.point) < 1e-13, "{contact:?}");
    for share in shares {
        assert!((share.overlap * share.area / share.load - 1.0).abs() < 1e-14);
        let is_shallower = share.overlap <= contact.overlap * (1.0 + 1e-12);
        assert!(is_shallower, "{contact:?}");
        // Across the normal.
        let aside = (share.point - contact.point).dot(contact.normal);
        assert!(aside.abs() < 1e-13, "{contact:?}");
    }
    for corner in corners {
        assert!(corner.overlap <= contact.overlap + 1e-14, "{contact:?}");
        assert!(corner.overlap >= -1e-14, "{contact:?}");
        // Inside the bodies or on their surfaces.
        for body in other.iter().chain([body]) {
            let outside = distance_to_polyhedron(body, corner.point);
            assert!(outside < 1e-12, "{contact:?} {outside:e}");
        }
    }
}

#[test]
fn shares_and_corners_of_random_contacts() {
    let mut random = random(51);
    let walls = walls(&mut random).into_iter().map(|(_, t)| wall(&t));
    let walls: Vec<_> = walls.collect();
    let mut compared = [0; 2];
    for case in 0..cases(200) {
        let shapes = [0; 2].map(|_| polyhedron(&mut random, 1.0));
        let body = place(&shapes[0], random.rotation(), DVec3::Z * random.unit());
        let other = place(&shapes[1], random.rotation(), vector(&mut random) * 0.5);
        for contact in contacts(&mut full(), &body, &walls[case % 7]) {
            check(&contact, &body, &[]);
            compared[0] += 1;
        }
        if let Some(contact) = full().contact(&body, &other) {
            check(&contact, &body, &[other]);
            compared[1] += 1;
        }
    }
    assert!(compared.iter().all(|&n| n > cases(200) / 3), "{compared:?}");
}

/// A cube slides over 56 cells and turns: share k continues share k, and moves as the cube does. Also on a wall whose
/// facets are numbered anew, and on a body instead of the wall.
#[test]
fn sliding_shares_continue() {
    let cube = cube_times(DVec3::ONE);
    let cells = wall(&terrain(56, 14.0, || 0.0));
    let slab = cube_times(v(40.0, 40.0, 1.0));
    let slab = at(&slab, DVec3::Z * -0.5);
    let mut states = [PressureState::default(), PressureState::default()];
    let mut last: [Option<[DVec3; 4]>; 2] = [None; 2];
    for step in 0..1300 {
        let s = f64::from(step) / 100.0;
        let turn = DQuat::from_rotation_z(0.3 * s);
        let body = place(&cube, turn, v(s - 6.5, 0.37 * s - 3.0, 0.49));
        let found = contacts_with(&mut full(), &body, &cells, &mut states[0]);
        let [on_cells] = found[..] else {
            panic!("{step} {found:?}");
        };
        let on_slab = full().contact_with(&body, &slab, &mut states[1]).unwrap();
        for (contact, last) in [on_cells, on_slab].iter().zip(&mut last) {
            let shares = points(contact).shares;
            let local = shares.map(|share| body.pose.inverse_transform_point(share.point));
            for k in 0..4 {
                assert_eq!(shares[k].previous, last.map(|_| k as u32), "{step}");
                let moved = last.map_or(0.0, |before| before[k].distance(local[k]));
                assert!(moved < 1e-9, "{step}");
            }
            *last = Some(local);
        }
    }
}

/// A cube in a groove with two contacts, of which now one and now the other carries more: they come in another order, and
/// shares continue those of their own contact.
#[test]
fn sheets_do_not_exchange() {
    let cube = cube_times(DVec3::ONE);
    let groove = wall(&extruded(&[(-4.0, 4.0), (0.0, 0.0), (4.0, 4.0)], 4.0));
    let turn = DQuat::from_rotation_y(FRAC_PI_4);
    let mut state = PressureState::default();
    let (mut last, mut orders): (Vec<PressureContact>, _) = (Vec::new(), [0; 2]);
    for step in 0..200 {
        let aside = 1e-3 * (0.3 * f64::from(step)).sin();
        let body = place(&cube, turn, v(aside, 0.0, 0.49 * 2.0_f64.sqrt()));
        let found = contacts_with(&mut full(), &body, &groove, &mut state);
        assert_eq!(found.len(), 2);
        orders[usize::from(found[0].normal.x > 0.0)] += 1;
        for contact in &found {
            for (k, share) in points(contact).shares.iter().enumerate() {
                let Some(previous) = share.previous.map(|k| k as usize) else {
                    assert!(last.is_empty());
                    continue;
                };
                let old = &last[previous / 4];
                assert!(old.normal.distance(contact.normal) < 0.1);
                assert_eq!(previous % 4, k);
            }
        }
        last = found;
    }
    assert!(orders.iter().all(|&count| count > 50), "{orders:?}");
}

/// Shares of a swapped pair, after `reverse`, are those before.
#[test]
fn reversed_states() {
    let cube = cube_times(DVec3::ONE);
    let other = place(&cube, DQuat::from_rotation_z(0.4), v(0.2, 0.1, 0.98));
    let body = at(&cube, DVec3::ZERO);
    for reversals in 0..4 {
        let (mut kernel, mut state) = (full(), PressureState::default());
        let before = kernel.contact_with(&body, &other, &mut state).unwrap();
        (0..reversals).for_each(|_| state.reverse());
        let (a, b) = match reversals % 2 {
            0 => (body, other),
            _ => (other, body),
        };
        // Not at rest.
        let nudge = Pose3::from_translation(DVec3::X * 1e-9).unwrap();
        let a = Body::new(a.shape, nudge * a.pose);
        let found = kernel.contact_with(&a, &b, &mut state).unwrap();
        for share in points(&found).shares {
            let old = points(&before).shares[share.previous.unwrap() as usize];
            let moved = old.point.distance(share.point);
            assert!(moved < 1e-6, "{reversals} {found:?}");
        }
    }
}

/// A state of this body, of others, and of other walls changes no bit of force and torque. At rest a call returns the same
/// contacts, and their shares continue themselves.
#[test]
fn states_change_no_force() {
    let mut random = random(52);
    let walls: Vec<_> = walls(&mut random).iter().map(|(_, t)| wall(t)).collect();
    let shapes: Vec<ConvexPolyhedron> = (0..6).map(|_| polyhedron(&mut random, 1.0)).collect();
    let mut states = vec![PressureState::default(); 4];
    let (mut kernel, mut count) = (full(), 0);
    let bare = |found: &[PressureContact]| {
        let mut found = found.to_vec();
        found.iter_mut().for_each(|contact| contact.points = None);
        found
    };
    let place_any = |random: &mut SplitMix64| {
        let at = vector(random) * 0.5 + DVec3::Z * 0.2;
        place(&shapes[random.below(6)], random.rotation(), at)
    };
    for case in 0..cases(400) {
        let body = place_any(&mut random);
        let other = place_any(&mut random);
        let state = &mut states[case % 4];
        if random.below(8) == 0 {
            state.reverse();
        }
        let call = |kernel: &mut PressureField, state: &mut PressureState| match case % 2 {
            0 => contacts_with(kernel, &body, &walls[case % 7], state),
            _ => Vec::from_iter(kernel.contact_with(&body, &other, state)),
        };
        let [found, again] = [0; 2].map(|_| call(&mut kernel, state));
        let expected = call(&mut full(), &mut Default::default());
        assert_eq!(bare(&found), bare(&expected), "{case}");
        assert_eq!(bare(&again), bare(&expected), "{case}");
        for (i, (first, second)) in found.iter().zip(&again).enumerate() {
            for k in 0..4 {
                let [one, two] = [first, second].map(|contact| points(contact).shares[k]);
                assert_eq!(one.point, two.point);
                assert_eq!(two.previous, Some((4 * i + k) as u32));
            }
            count += 1;
        }
    }
    assert!(count > cases(400) / 3, "{count}");
}

/// A step without contact ends the shares, and so do other bodies.
#[test]
fn contacts_end() {
    let cube = cube_times(DVec3::ONE);
    let rock = rock(14, &mut random(53));
    let floor = wall(&floor());
    let (mut kernel, mut state) = (full(), PressureState::default());
    let mut call = |body: &Body| {
        let found = contacts_with(&mut kernel, body, &floor, &mut state);
        found
            .first()
            .map(|c| points(c).shares[0].previous.is_some())
    };
    let on = |shape, z: f64| at(shape, DVec3::Z * z);
    assert_eq!(call(&on(&cube, 0.49)), Some(false));
    assert_eq!(call(&on(&cube, 0.48)), Some(true));
    assert_eq!(call(&on(&cube, 2.0)), None);
    assert_eq!(call(&on(&cube, 0.49)), Some(false));
    assert_eq!(call(&on(&rock, 0.2)), Some(true));
}

/// A power of two as the unit of length changes no bit, of shares along a path neither: scenes of the lattice, with ties.
#[test]
fn units_of_length() {
    let mut random = random(54);
    let mut count = 0;
    for case in 0..cases(45) {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64());
        let steps = [0; 2].map(|_| (random.rotation(), random.in_ball() * 20.0));
        let along_path = |unit: f64| {
            let (shape, floor) = (scene.body(unit).unwrap(), scene.mesh(unit).unwrap());
            let (floor, mut state) = (Wall::new(floor), PressureState::default());
            let poses = [(DQuat::IDENTITY, DVec3::ZERO), steps[0], steps[1]];
            poses.map(|(turn, by)| {
                let body = place(&shape, turn, by * unit);
                let found = contacts_with(&mut full(), &body, &floor, &mut state);
                let shares = found.into_iter().map(|contact| {
                    let [load, torque] = [unit.powi(3), unit.powi(4)];
                    let sums = (contact.force / load, contact.torque / torque, contact.facet);
                    let share = |s: PressureShare| (s.point / unit, s.overlap / unit, s.previous);
                    let corner = |c: PressureCorner| (c.point / unit, c.overlap / unit);
                    let points = points(&contact);
                    (sums, points.shares.map(share), points.corners.map(corner))
                });
                shares.collect::<Vec<_>>()
            })
        };
        let expected = along_path(1.0);
        count += expected.iter().flatten().count();
        for exponent in [-60, 40] {
            let found = along_path(2.0_f64.powi(exponent));
            assert_eq!(found, expected, "{case} {exponent}");
        }
    }
    assert!(count > cases(45), "{count}");
}

/// Bricks and plates flush on a floor and on a slab: overlaps are depths, and the corners are on the outline. The shares of
/// a thin contact are the 2 x 2 Gauss points of the face.
#[test]
fn flat_bodies_have_their_depth() {
    let slab = cube_times(v(9.0, 9.0, 1.0));
    let floor = Wall::new(slab.surface().clone());
    let below = at(&slab, DVec3::ZERO);
    for sides in [v(1.0, 1.0, 1.0), v(4.0, 1.0, 1.0), v(4.0, 4.0, 0.2)] {
        let shape = cube_times(sides);
        for depth in [1e-6, 0.001, 0.01, 0.05] {
            let body = at(&shape, DVec3::Z * (0.5 + 0.5 * sides.z - depth));
            let on_slab = full().contact(&below, &body).unwrap();
            for contact in [contacts(&mut full(), &body, &floor)[0], on_slab] {
                assert!((contact.overlap - depth).abs() < 1e-14, "{contact:?}");
                for corner in points(&contact).corners {
                    let out = corner.point.truncate().abs() - sides.truncate() * 0.5;
                    assert!(out.abs().max_element() < 1e-14, "{corner:?}");
                    assert!((corner.overlap - depth).abs() < 1e-14, "{corner:?}");
                }
                let is_thin = depth < 1e-5;
                for share in points(&contact).shares.iter().filter(|_| is_thin) {
                    let part = share.point.truncate().abs() / sides.truncate();
                    let off = part - DVec2::splat(0.5 / 3.0_f64.sqrt());
                    assert!(off.abs().max_element() < 1e-5, "{share:?}");
                    assert!((share.overlap / depth - 1.0).abs() < 1e-5, "{share:?}");
                    let quarter = 0.25 * sides.x * sides.y;
                    assert!((share.area / quarter - 1.0).abs() < 1e-5, "{share:?}");
                }
            }
        }
    }
}

/// Cubes in any pose on a floor: the overlap is the depth of the lowest vertex. Corners have the vertical distance to the
/// faces that are not much steeper than the flattest one.
#[test]
fn tilted_cubes_have_the_depth_of_their_lowest_vertex() {
    const DEPTH: f64 = 0.01;
    let mut random = random(12);
    let cube = cube_times(DVec3::ONE);
    let floor = wall(&floor());
    for case in 0..cases(300) {
        let turn = match case {
            0 => DQuat::from_rotation_y(FRAC_PI_4),
            1 => DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z),
            _ => random.rotation(),
        };
        let body = place(&cube, turn, DVec3::Z * (-low(&cube, turn) - DEPTH));
        let contact = &contacts(&mut full(), &body, &floor)[0];
        let error = (contact.overlap - DEPTH).abs();
        // Steeper faces than 2^-13 are left out.
        assert!(error < 1.5e-8 * DEPTH, "{case} {error:e}");
        let faces = DVec3::AXES.map(|axis| [turn * axis, turn * -axis]);
        let faces = faces.as_flattened().iter();
        let most = faces.clone().map(|normal| -normal.z).fold(0.0, f64::max);
        for corner in points(contact).corners {
            let arm = corner.point - body.pose.translation();
            let front = faces.clone().filter(|normal| -normal.z >= 0.5 * most);
            let depths = front.map(|normal| (0.5 - normal.dot(arm)) / -normal.z);
            let depth = depths.fold(contact.overlap, f64::min);
            let error = (corner.overlap - depth).abs();
            // The distance to a face with the slope s is uncertain by s times the rounding of a position.
            assert!(error < 1e-12, "{case} {error:e} {contact:?}");
        }
    }
}

/// The contact of two equal cubes, one of them tilted by little, ends at their sides. Its corners are as deep as the faces.
#[test]
fn corners_on_sides_are_deep() {
    let cube = cube_times(DVec3::ONE);
    for tilt in [-1e-3, -1e-6, -1e-12, 0.0, 1e-9, 1e-4] {
        let turn = DQuat::from_scaled_axis(v(1.0, 0.6, 0.0) * tilt);
        let upper = place(&cube, turn, DVec3::Z * 0.99);
        let contact = full().contact(&at(&cube, DVec3::ZERO), &upper).unwrap();
        let is_deep = |overlap: f64| (overlap - 0.01).abs() < 1.01 * f64::abs(tilt) + 1e-15;
        assert!(is_deep(contact.overlap), "{tilt:e} {contact:?}");
        let corners = points(&contact).corners;
        assert!(corners.iter().all(|corner| is_deep(corner.overlap)));
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            assert!(corners[i].point.distance(corners[j].point) > 0.9);
        }
    }
}

/// The largest depth is below a face that has nowhere the least pressure: the small end of a steep cone.
#[test]
fn blunt_tips_have_their_depth() {
    const DEPTH: f64 = 0.01;
    let mut random = random(13);
    let floor = wall(&floor());
    for case in 0..cases(100) {
        let (tip, half) = (random.range(0.0, 1.0) * DEPTH, random.range(0.1, 1.0));
        let ring = [0, 1, 2, 3, 4, 5, 6].map(|i| f64::from(i) * TAU / 7.0);
        let ring = ring.map(|angle| v(angle.cos(), angle.sin(), 0.0));
        let points = [ring.map(|x| x * tip), ring.map(|x| x * half + DVec3::Z)].concat();
        let cone = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let body = at(&cone, DVec3::Z * -DEPTH);
        for kernel in [PressureField::new(), full()] {
            let contact = &contacts(&mut kernel.clone(), &body, &floor)[0];
            let error = (contact.overlap - DEPTH).abs();
            assert!(error < 1e-15, "{case} {error:e}");
        }
    }
}
