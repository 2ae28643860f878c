//! Pressure fields at walls: against a pair with one field, other triangles, other orders of facets.

use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, vector};
use osculate::glam::DVec3;
use osculate::narrow::{PressureContact, PressureField};
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

type Body<'a> = Placed<&'a ConvexPolyhedron>;

fn contacts(kernel: &mut PressureField, body: &Body, wall: &Wall) -> Vec<PressureContact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, &mut Default::default(), |c| found.push(c));
    found
}

/// Force, torque about a point, load, energy and volume of all contacts.
fn totals(contacts: &[PressureContact], about: DVec3) -> (DVec3, DVec3, [f64; 3]) {
    let force = contacts.iter().map(|c| c.force).sum();
    let torque = |c: &PressureContact| c.torque + (c.point - about).cross(c.force);
    let sum = |of: fn(&PressureContact) -> f64| contacts.iter().map(of).sum::<f64>();
    let numbers = [
        sum(|c| c.load),
        sum(|c| c.volume.unwrap().energy),
        sum(|c| c.volume.unwrap().volume),
    ];
    (force, contacts.iter().map(torque).sum(), numbers)
}

/// A closed convex wall is the surface of a body without a field.
#[test]
fn closed_wall_is_a_rigid_body() {
    let mut random = random(71);
    let mut compared = 0;
    for _ in 0..cases(300) {
        let shapes = [polyhedron(&mut random, 1.0), polyhedron(&mut random, 1.5)];
        let poses = [0, 1].map(|i| {
            let at = vector(&mut random) * f64::from(i) * 0.8;
            Pose3::new(random.rotation(), at).unwrap()
        });
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let mut kernel = PressureField::new()
            .with_volume()
            .with_weight_of_first(1.0)
            .unwrap();
        let Some(pair) = kernel.contact(&a, &b) else {
            continue;
        };
        let mut wall = Wall::new(shapes[1].surface().clone());
        wall.set_pose(poses[1]);
        let found = contacts(&mut kernel, &a, &wall);
        let (force, torque, numbers) = totals(&found, pair.point);
        let scale = pair.load;
        assert!(
            (force - pair.force).length() < 1e-12 * scale,
            "{found:?} {pair:?}"
        );
        assert!(
            (torque - pair.torque).length() < 1e-12 * scale,
            "{found:?} {pair:?}"
        );
        let volume = pair.volume.unwrap();
        let expected = [pair.load, volume.energy, volume.volume];
        for (number, expected) in numbers.into_iter().zip(expected) {
            assert!(
                (number - expected).abs() < 1e-12,
                "{number:e} {expected:e} {found:?} {pair:?}"
            );
        }
        compared += 1;
    }
    assert!(compared > cases(300) / 3, "{compared}");
}

/// A closed cuboid as a wall, written down otherwise: force and torque to rounding, and the same contacts.
#[test]
fn triangles_do_not_matter() {
    let mut random = random(72);
    let mut compared = 0;
    for case in 0..cases(200) {
        let shape = polyhedron(&mut random, 1.0);
        let plain = Wall::new(cube_times(DVec3::new(2.0, 4.0, 1.0)).surface().clone());
        let other = Wall::new(rewritten(plain.mesh(), case as u64).unwrap());
        let pose = Pose3::new(random.rotation(), vector(&mut random) * 2.0).unwrap();
        let body = Placed::new(&shape, pose);
        let kernel = &mut PressureField::new().with_volume().with_points();
        let found = [&plain, &other].map(|wall| contacts(kernel, &body, wall));
        assert_eq!(found[0].len(), found[1].len(), "{case} {found:?}");
        let [a, b] = found
            .each_ref()
            .map(|found| totals(found, pose.translation()));
        assert!(
            (a.0 - b.0).length() < 1e-12 && (a.1 - b.1).length() < 1e-12,
            "{a:?} {b:?}"
        );
        assert!(
            (0..3).all(|i| (a.2[i] - b.2[i]).abs() < 1e-12),
            "{a:?} {b:?}"
        );
        compared += found[0].len();
    }
    assert!(compared > cases(200) / 3, "{compared}");
}

/// The order of facets, corners and vertices changes no bit.
#[test]
fn order_changes_no_bit() {
    let mut random = random(73);
    let mut compared = 0;
    for case in 0..cases(200) {
        let shape = polyhedron(&mut random, 1.0);
        let plain =
            rewritten(cube_times(DVec3::new(2.0, 4.0, 1.0)).surface(), case as u64).unwrap();
        let other = shuffled(&plain, &mut random);
        let pose = Pose3::new(random.rotation(), vector(&mut random) * 2.0).unwrap();
        let body = Placed::new(&shape, pose);
        let kernel = &mut PressureField::new().with_volume().with_points();
        let mut found = [plain, other].map(|mesh| contacts(kernel, &body, &Wall::new(mesh)));
        found.iter_mut().flatten().for_each(|c| c.facet = None);
        assert_eq!(found[0], found[1]);
        compared += found[0].len();
    }
    assert!(compared > cases(200) / 3, "{compared}");
}

/// The same facets in another order, from other corners, of other vertices.
fn shuffled(mesh: &SurfaceMesh, random: &mut SplitMix64) -> SurfaceMesh {
    let mut shuffle = |count: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).for_each(|i| order.swap(i, random.below(i + 1)));
        order
    };
    let vertices = shuffle(mesh.vertices().len());
    let facets = shuffle(mesh.facet_count() as usize);
    let mut places = vec![0; vertices.len()];
    for (new, &old) in (0..).zip(&vertices) {
        places[old] = new;
    }
    let facets = facets.into_iter().map(|facet| {
        let facet = mesh.facets().nth(facet).unwrap();
        let mut ids: Vec<u32> = facet
            .vertices()
            .iter()
            .map(|&id| places[id as usize])
            .collect();
        let turn = random.below(ids.len());
        ids.rotate_left(turn);
        ids
    });
    let positions = vertices.iter().map(|&i| mesh.vertices()[i]);
    SurfaceMesh::new(positions.collect(), facets.collect::<Vec<_>>()).unwrap()
}
