//! The contact-volume paper (Feng 2021) in numbers: spheres, errata, flat faces.
//! Energies over impacts are in `examples/impacts`.

use std::f64::consts::PI;

use osculate::glam::{DQuat, DVec3};
use osculate::testing::workload;
use osculate::{
    ContactEnergy, ContactVolume, MeshMesh, NarrowPhase as _, Placed, Pose3, SolidMesh,
    narrow::CurveSegment,
};

type Contact = ContactVolume<DVec3>;

fn contact(a: &SolidMesh, b: &SolidMesh, poses: [Pose3; 2]) -> (Contact, Vec<CurveSegment>) {
    let [a, b] = [(a, poses[0]), (b, poses[1])].map(|(shape, pose)| Placed::new(shape, pose));
    let (mut found, mut curve) = (None, Vec::new());
    MeshMesh::new().for_each_contact_and_segment(&a, &b, |c| found = Some(c), |s| curve.push(s));
    (found.unwrap(), curve)
}

fn pose(turn: [f64; 4], translation: DVec3) -> Pose3 {
    Pose3::new_normalize(DQuat::from_array(turn), translation).unwrap()
}

/// Two rocks, askew, away from the origin.
fn rocks() -> (Contact, Vec<CurveSegment>) {
    let rock = |seed| workload::rock(400, 0.5, seed).unwrap();
    let poses = [
        pose([0.3, 0.2, -0.5, 0.7], DVec3::new(0.4, -0.3, 0.9)),
        pose([-0.4, 0.6, 0.1, 0.5], DVec3::new(1.7, 0.1, 0.7)),
    ];
    contact(&rock(1), &rock(2), poses)
}

/// Equations 47, 49 and 51, and the lens, for spheres of different and of equal radii.
#[test]
fn spheres_as_meshes_against_the_closed_form() {
    let meshes = [2, 3, 4, 5].map(|n| workload::sphere(n, 1.0).unwrap());
    let overlap: f64 = 0.05;
    let d = 2.0 - overlap;
    // Equation 51, over k.
    let area = PI * (overlap - overlap * overlap / 4.0);
    let lens = PI * overlap.powi(2) * (d * d + 4.0 * d) / (12.0 * d);
    println!("triangles     V       S   of the closed form, mean of 20 attitudes");
    let expected = [-0.70, -0.22, -0.058, -0.014];
    for (mesh, expected) in meshes.iter().zip(expected) {
        let mut random = workload::SplitMix64::new(1);
        let (mut volume, mut surface) = (0.0, 0.0);
        for _ in 0..20 {
            let mut turn = || [0; 4].map(|_| random.range(-1.0, 1.0));
            let poses = [pose(turn(), DVec3::ZERO), pose(turn(), DVec3::X * d)];
            let (contact, _) = contact(mesh, mesh, poses);
            volume += contact.volume / lens / 20.0;
            surface += contact.area() / area / 20.0;
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
    // Equations 47 and 49, of radii 1 and 0.6, with fine meshes.
    let (r, overlap): (f64, f64) = (0.6, 0.2);
    let (sum, difference) = (1.0 + r, 1.0 - r);
    let d = sum - overlap;
    let width_squared = 2.0 * (sum - difference * difference / d) * overlap
        - (1.0 + (difference / d).powi(2)) * overlap * overlap;
    let lens = PI * overlap.powi(2) * (d * d + 2.0 * d * sum - 3.0 * difference.powi(2)) / 12.0 / d;
    let small = workload::sphere(5, r).unwrap();
    let poses = [Pose3::IDENTITY, pose([0.1, 0.7, 0.2, 0.4], DVec3::X * d)];
    let (contact, _) = contact(&meshes[3], &small, poses);
    let (volume, area) = (
        contact.volume / lens,
        contact.area() / (PI * width_squared / 4.0),
    );
    assert!(
        (volume - 1.0).abs() < 0.006 && (area - 1.0).abs() < 0.004,
        "{volume} {area}"
    );
}

/// Equations 6, 12 and 71: a force F at x has the moment `x x F` about the origin, so the central
/// axis is at `S x G / |S|^2`. As printed, `n x G / |S|` with `n = -S / |S|`, it is mirrored.
#[test]
fn equations_6_12_and_71_have_the_wrong_sign() {
    let (contact, _) = rocks();
    let (s, g) = (
        contact.area_vector,
        contact.moment_vector_about(DVec3::ZERO),
    );
    let n = -s / contact.area();
    // The moment across the force: what is left of it has to be along S.
    let across = |point: DVec3| (g - point.cross(s)).cross(n).length();
    assert!(across(s.cross(g) / s.length_squared()) < 1e-14);
    assert!(across(contact.point) < 1e-14);
    let printed = n.cross(g) / contact.area();
    assert!(across(printed) > 1.9 * g.cross(n).length() && g.cross(n).length() > 0.1);
}

/// Equations 27 to 29 and 70 say 1/3 for 1/2; 38 and 39 lack 1/2 and -1/2.
#[test]
fn factors_of_the_line_integrals() {
    let (contact, curve) = rocks();
    let (mut area, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for segment in &curve {
        let [a, b] = segment.ends.map(|node| node.position);
        // The integrals of r x dr and of r.r dr.
        area += a.cross(b);
        moment += (b - a) * ((a.length_squared() + a.dot(b) + b.length_squared()) / 3.0);
    }
    let (s, g) = (
        contact.area_vector,
        contact.moment_vector_about(DVec3::ZERO),
    );
    assert!((area * 0.5).distance(s) < 1e-13 && (moment * -0.5).distance(g) < 1e-13);
    for (printed, right) in [(moment * (-1.0 / 3.0), g), (area, s), (moment, g)] {
        assert!(printed.distance(right) > 0.3 * right.length());
    }
}

/// Equation 77: the point of the central axis from which the cone to the curve has the least sum of
/// squared areas (73). As printed it does not.
#[test]
fn equation_77_corrected_finds_the_minimum() {
    let (contact, curve) = rocks();
    let (s, g) = (
        contact.area_vector,
        contact.moment_vector_about(DVec3::ZERO),
    );
    let (axis, n) = (s.cross(g) / s.length_squared(), s / contact.area());
    let ends: Vec<[DVec3; 2]> = curve
        .iter()
        .map(|segment| segment.ends.map(|node| node.position))
        .collect();
    // The sum for a point, and the lambda of the point where it is least: it is a parabola.
    let sum = |weight: fn(f64) -> f64, lambda: f64| -> f64 {
        let point = axis + n * lambda;
        let term = |&[a, b]: &[DVec3; 2]| {
            (a - point).cross(b - point).length_squared() * 0.25 * weight(a.distance(b))
        };
        ends.iter().map(term).sum()
    };
    let least = |weight| {
        let [below, here, above] = [-1.0, 0.0, 1.0].map(|lambda| sum(weight, lambda));
        (below - above) / (2.0 * (below - 2.0 * here + above))
    };
    let (mut swept, mut printed, mut shift, mut below) = (0.0, 0.0, 0.0, 0.0);
    for &[a, b] in &ends {
        let d = b - a;
        let along = d.dot(n);
        let cross = n.dot(d.cross(a.cross(b) * 0.5));
        swept += 2.0 * cross;
        printed += cross;
        shift += axis.dot(n * d.length_squared() - d * along);
        below += d.length_squared() - along * along;
    }
    let plain = least(|_| 1.0);
    assert!(((swept - shift) / below - plain).abs() < 1e-12);
    // Its normal is -n, and lambda counts the other way. The last term is D_n^2, in words.
    let as_printed = |axis_term: f64| (printed + axis_term) / below;
    for wrong in [
        as_printed(shift),
        as_printed(-shift),
        -as_printed(shift),
        -as_printed(-shift),
    ] {
        assert!((wrong - plain).abs() > 0.1, "{wrong} {plain}");
    }
    // The crate weighs each term by 1 / |D|, so that it does not matter how the curve is cut.
    let weighed = least(|length| 1.0 / length);
    assert!(contact.point.distance(axis + n * weighed) < 1e-12);
}

/// Flat faces that meet: with w = k V the force is k times their area at once, at any depth. With
/// w = k V^2 it grows with the depth.
#[test]
fn flat_faces_and_the_force_step() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let slab = workload::cubes(&[[0, 0, 0]], 4.0).unwrap();
    let force = |energy: ContactEnergy, depth: f64| {
        let above = pose([0.0, 0.0, 0.0, 1.0], DVec3::new(1.5, 1.25, 4.0 - depth));
        let (contact, _) = contact(&slab, &cube, [Pose3::IDENTITY, above]);
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
    let [a, b] = [(&slab, Pose3::IDENTITY), (&cube, apart)];
    let [a, b] = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
    MeshMesh::new().for_each_contact(&a, &b, &mut (), |_| panic!("a contact"));
}
