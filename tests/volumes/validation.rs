//! The contact-volume paper (Feng 2021) in numbers: spheres and flat faces.
//!
//! `errata.rs` has its equations, `docs/reproduce/src/bin/impacts` the energies over impacts.

use crate::support::convex::cube_times;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureField, SphereVolume};
use osculate::testing::workload;
use osculate::{
    ContactEnergy, ContactVolume, ConvexConvex, MeshMesh, NarrowPhase as _, Placed, Pose3,
    SolidMesh, Sphere,
};

type Contact = ContactVolume<DVec3>;

fn contact(a: &SolidMesh, b: &SolidMesh, poses: [Pose3; 2]) -> Option<Contact> {
    let [a, b] = [(a, poses[0]), (b, poses[1])].map(|(shape, pose)| Placed::new(shape, pose));
    MeshMesh::new().contact(&a, &b)
}

fn pose(turn: [f64; 4], translation: DVec3) -> Pose3 {
    Pose3::new_normalize(DQuat::from_array(turn), translation).unwrap()
}

/// Two spheres, one of them at a distance along x.
fn lens(r: f64, s: f64, distance: f64) -> Contact {
    let [a, b] = [(0.0, r), (distance, s)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
    SphereVolume::new().contact(&a, &b).unwrap()
}

/// Meshes of spheres of different and of equal radii converge to the lens.
#[test]
fn spheres_as_meshes_against_the_closed_form() {
    let meshes = [2, 3, 4, 5].map(|n| workload::sphere(n, 1.0).unwrap());
    let d = 1.95;
    let exact = lens(1.0, 1.0, d);
    println!("triangles     V       S   of the closed form, mean of 20 attitudes");
    let expected = [-0.70, -0.22, -0.058, -0.014];
    for (mesh, expected) in meshes.iter().zip(expected) {
        let mut random = workload::SplitMix64::new(1);
        let (mut volume, mut surface) = (0.0, 0.0);
        for _ in 0..20 {
            let mut turn = || [0; 4].map(|_| random.range(-1.0, 1.0));
            let poses = [pose(turn(), DVec3::ZERO), pose(turn(), DVec3::X * d)];
            let contact = contact(mesh, mesh, poses).unwrap();
            volume += contact.volume / exact.volume / 20.0;
            surface += contact.area() / exact.area() / 20.0;
        }
        let count = mesh.surface().facet_count();
        let [v, s] = [volume, surface].map(|part| 100.0 * (part - 1.0));
        println!("{count:9} {v:7.1}% {s:6.1}%");
        let error = volume - 1.0;
        assert!(
            error / expected > 0.85 && error / expected < 1.15,
            "{error}"
        );
    }
    // Of radii 1 and 0.6, with fine meshes.
    let exact = lens(1.0, 0.6, 1.4);
    let small = workload::sphere(5, 0.6).unwrap();
    let there = pose([0.1, 0.7, 0.2, 0.4], DVec3::X * 1.4);
    let contact = contact(&meshes[3], &small, [Pose3::IDENTITY, there]).unwrap();
    assert!((contact.volume / exact.volume - 1.0).abs() < 0.006);
    assert!((contact.area() / exact.area() - 1.0).abs() < 0.004);
    assert!(contact.normal().unwrap().distance(DVec3::X) < 0.01);
    assert!(contact.point.distance(exact.point) < 0.01 && contact.pitch().abs() < 1e-3);
}

/// Flat faces that meet: with w = k V the force is k times their area at once, at any depth. With
/// w = k V^2 it grows with the depth.
#[test]
fn flat_faces_and_the_force_step() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let slab = workload::cubes(&[[0, 0, 0]], 4.0).unwrap();
    let force = |energy: ContactEnergy, depth: f64| {
        let above = pose([0.0, 0.0, 0.0, 1.0], DVec3::new(1.5, 1.25, 4.0 - depth));
        let contact = contact(&slab, &cube, [Pose3::IDENTITY, above]).unwrap();
        assert!(contact.normal().unwrap().distance(DVec3::Z) < 1e-12);
        contact.force(&energy).length()
    };
    let (linear, square) = (
        ContactEnergy::linear(3.0).unwrap(),
        ContactEnergy::power_law(3.0, 2.0).unwrap(),
    );
    for depth in [1e-1, 1e-3, 1e-6, 1e-9] {
        assert!((force(linear, depth) - 3.0).abs() < 1e-12);
        assert!((force(square, depth) / (6.0 * depth) - 1.0).abs() < 1e-6);
    }
    // Apart there is none, so the first is a step of 3 and the second none.
    let apart = Pose3::from_translation(DVec3::new(1.5, 1.25, 4.0 + 1e-9)).unwrap();
    assert_eq!(contact(&slab, &cube, [Pose3::IDENTITY, apart]), None);
}

/// A cube of 1 m, 5 mm deep in a floor of 4e7 Pa/m, is tilted about the middle of its lower face. Until an edge lifts, the
/// volume has no moment, except that of the rotated side faces; a pressure field has k L^4 t / 12, and 1 % less.
#[test]
fn rocking() {
    let (stiffness, depth) = (4e7, 0.005);
    let (cube, slab) = (
        cube_times(DVec3::ONE),
        cube_times(DVec3::new(4.0, 4.0, 1.0)),
    );
    let floor = Placed::new(&slab, Pose3::from_translation(DVec3::Z * -0.5).unwrap());
    let energy = ContactEnergy::power_law(0.5 * stiffness, 2.0).unwrap();
    let middle = DVec3::Z * -depth;
    println!("tilt, mrad; moment of w = k V^2 / (2 A), by formula, of the pressure field, N m");
    for mrad in [1.0, 5.0, 10.0, 11.0, 12.0, 15.0, 20.0] {
        let tilt = 1e-3 * mrad;
        let turn = DQuat::from_rotation_y(tilt);
        let body = Placed::new(
            &cube,
            Pose3::new(turn, middle + turn * DVec3::Z * 0.5).unwrap(),
        );
        let contact = ConvexConvex::new().contact(&body, &floor).unwrap();
        let by_volume = -contact.moment_about(&energy, middle).y;
        let contact = PressureField::new().contact(&body, &floor).unwrap();
        let moment = contact.torque + (contact.point - middle).cross(contact.force);
        let by_field = stiffness * moment.y;
        // The wedge under the surface: its length, its volume and its arm.
        let length = (0.5 + depth / tilt).min(1.0);
        let volume = if length < 1.0 {
            0.5 * tilt * length * length
        } else {
            depth
        };
        let formula = stiffness * volume * length * 0.5 * (1.0 - length);
        println!("{mrad:4} {by_volume:8.0} {formula:8.0} {by_field:8.0}");
        assert!(
            (by_volume - formula).abs() < 0.02 * formula + 20.0 * mrad * mrad,
            "{mrad}"
        );
        if length == 1.0 {
            assert!((by_field / (stiffness * tilt / 12.0) - 1.0).abs() < 0.04);
        }
    }
}
