//! Contacts of nested bodies, and of bodies whose intersection has several regions.

use crate::support::cases;

use super::shells::hollow_boxes;
use crate::support::solids::*;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{LatticePoint, to_vector};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{MeshMesh, NarrowPhase, Pose3, VolumeState, narrow::IntersectionKind};

/// One body inside another, in a cavity, around it.
#[test]
fn nested_and_hollow() {
    let cube = |low: f64, high: f64| [DVec3::splat(low), DVec3::splat(high)];
    let hollow = hollow_boxes(&[(cube(0.0, 8.0), false), (cube(2.0, 6.0), true)]);
    let hollow = at(&hollow, Pose3::IDENTITY);
    for (low, high, expected) in [
        (0.5, 1.5, Some(1.0)),
        (3.0, 5.0, None),
        (9.0, 10.0, None),
        (-1.0, 9.0, Some(448.0)),
    ] {
        let body = hollow_boxes(&[(cube(low, high), false)]);
        let found = only(&hollow, &moved(&body, DVec3::ZERO));
        assert_eq!(found.is_some(), expected.is_some(), "{low}");
        if let (Some(contact), Some(expected)) = (found, expected) {
            assert_eq!(contact.kind, IntersectionKind::Nested);
            assert_near(contact.volume, expected, 1e-12);
            assert_eq!(contact.area_vector, DVec3::ZERO);
            assert_eq!(contact.normal(), None);
        }
    }
}

/// A ring pierced by a rod: two loops, but one region.
#[test]
fn rod_through_a_ring() {
    let ring = workload::torus(1.0, 0.3, 24, 12).unwrap();
    let rod = workload::cubes(&[[0, 0, 0]], 0.1).unwrap();
    let rod = moved(&rod, DVec3::new(0.97, 0.03, 0.25));
    assert_eq!(separate(&moved(&ring, DVec3::ZERO), &rod).len(), 1);
}

/// Checks that the regions add up to the whole, and returns their volumes.
fn separate(a: &Body, b: &Body) -> Vec<f64> {
    let (contacts, curve) = run(&mut MeshMesh::new().with_separate_regions(true), a, b);
    assert_closed(&curve);
    let whole = only(a, b);
    let area = |contacts: &[Contact]| contacts.iter().map(|c| c.area_vector).sum();
    // Regions without volume are no contacts, although faces may lie on each other.
    if curve.iter().all(|segment| segment.contact.is_some()) {
        assert_near_vector(area(&contacts), area(whole.as_slice()), 1e-12);
    }
    let volumes: Vec<f64> = contacts.iter().map(|contact| contact.volume).collect();
    assert_near(volumes.iter().sum(), whole.map_or(0.0, |c| c.volume), 1e-12);
    for (i, contact) in (0..).zip(&contacts) {
        let has_curve = curve.iter().any(|segment| segment.contact == Some(i));
        assert!(has_curve || contact.kind != IntersectionKind::Crossing);
    }
    volumes
}

/// Two tines, six long, that are joined at the top.
fn fork() -> Vec<LatticePoint> {
    let tines = (0..6).flat_map(|z| [[0, 0, z], [2, 0, z]]);
    tines.chain([[1, 0, 5]]).collect()
}

/// A fork, a tube and a bridge through plates, in any attitude and order. Two loops are joined by edges with both
/// crossings on them, or by rings of vertices inside, in the order of the vertices or against it. The two inner loops of
/// the tube bound a hole of the intersection. A cavity inside one of two regions, which nothing crosses: which of them
/// cannot be told by edges and vertices, so all is one.
#[test]
fn regions_of_plates() {
    let ring = (0..9).filter(|&i| i != 4).map(|i| [i / 3, i % 3]);
    let tube = ring.flat_map(|[x, y]| (0..6).map(move |z| [x, y, z]));
    let plate = |thickness: f64| {
        let ends = [(-20.0, 0.0), (20.0, thickness)];
        (ends.map(|(side, z)| DVec3::new(side, side, z)), false)
    };
    let hollow: BoxShell = (
        [(0.3, 1.0), (0.7, 1.5)].map(|(x, z)| DVec3::new(x, x, z)),
        true,
    );
    for (cells, plates, expected) in [
        (fork(), vec![plate(0.25)], vec![0.25, 0.25]),
        (fork(), vec![plate(2.75)], vec![2.75, 2.75]),
        (fork(), vec![plate(2.75), hollow], vec![5.5 - 0.08]),
        (tube.collect(), vec![plate(0.25)], vec![2.0]),
    ] {
        let body = workload::cubes(&cells, 1.0).unwrap();
        let plate = hollow_boxes(&plates);
        let turns = [
            Pose3::from_translation(DVec3::Z * -1.6).unwrap(),
            Pose3::new(
                DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                DVec3::new(0.0, 1.0, 4.4),
            )
            .unwrap(),
        ];
        for turn in turns {
            let (a, b) = (at(&body, turn), moved(&plate, DVec3::ZERO));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let found = separate(a, b);
                assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
                let (mut state, mut count) = (VolumeState::default(), 0);
                MeshMesh::new().contact_with(a, b, &mut state);
                let mut kernel = MeshMesh::new().with_separate_regions(true);
                kernel.for_each_contact(a, b, &mut state, |_| count += 1);
                assert_eq!(count, expected.len());
                for (found, expected) in found.iter().zip(&expected) {
                    assert_near(*found, *expected, 1e-12);
                }
            }
        }
    }
}

/// The volumes of the regions that two sets of unit cubes share, the second moved by `shift`, sorted: boxes are of one
/// region if they have more than an edge in common.
fn parts_of_cubes(a: &[LatticePoint], b: &[LatticePoint], shift: DVec3) -> Vec<f64> {
    let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
    let boxes = pairs.map(|(&p, &q)| {
        let (p, q) = (to_vector(p, 1.0), to_vector(q, 1.0) + shift);
        [p.max(q), p.min(q) + 1.0]
    });
    let mut boxes: Vec<[DVec3; 2]> = boxes.filter(|[low, high]| low.cmplt(*high).all()).collect();
    let meet = |a: &[DVec3; 2], b: &[DVec3; 2]| {
        let sides = a[1].min(b[1]) - a[0].max(b[0]);
        let positive = sides.cmpgt(DVec3::ZERO).bitmask().count_ones();
        sides.min_element() >= 0.0 && positive >= 2
    };
    let mut volumes = Vec::new();
    while let Some(first) = boxes.pop() {
        let (mut part, mut next) = (vec![first], 0);
        while let Some(&here) = part.get(next) {
            part.extend(boxes.extract_if(.., |other| meet(&here, other)));
            next += 1;
        }
        let volume = |[low, high]: &[DVec3; 2]| (high - low).element_product();
        volumes.push(part.iter().map(volume).sum());
    }
    large(volumes)
}

/// Some cubes of 4 x 4 x 4, in one piece or several.
fn scattered(random: &mut SplitMix64) -> Vec<LatticePoint> {
    loop {
        let mut cubes: Vec<LatticePoint> = (0..3 + random.below(8))
            .map(|_| [0; 3].map(|_| random.below(4) as i64))
            .collect();
        cubes.sort_unstable();
        cubes.dedup();
        if workload::cubes(&cubes, 1.0).is_ok() {
            return cubes;
        }
    }
}

/// Checks that parts are those after the symbolic perturbation of the first body. Returns their number.
fn check_tied_parts(a: &[LatticePoint], b: &[LatticePoint], shift: DVec3) -> usize {
    // The body that comes first is moved.
    let first = shift.to_array().into_iter().find(|&x| x != 0.0);
    let step = [16, 32, 48].map(|power| 2.0_f64.powi(-power));
    let step = DVec3::from_array(step) * first.unwrap_or(1.0).signum();
    let expected = parts_of_cubes(a, b, shift - step);
    let [a, b] = [a, b].map(|cubes| workload::cubes(cubes, 1.0).unwrap());
    let found = large(separate(&moved(&a, DVec3::ZERO), &moved(&b, shift)));
    assert_same_parts(&found, &expected);
    found.len()
}

/// If edges are tied, parts are those after the symbolic perturbation of the first body.
#[test]
fn parts_of_tied_cubes() {
    // The first case found.
    let (a, b) = ([[0, 1, 0], [0, 1, 1]], [[0, 0, 2], [0, 1, 0], [1, 1, 0]]);
    check_tied_parts(&a, &b, DVec3::new(0.5, 0.5, -0.5));
    let count = cases(2000);
    let mut random = SplitMix64::new(18);
    let mut several = 0;
    for _ in 0..count {
        let [a, b] = [(); 2].map(|()| scattered(&mut random));
        let shift = DVec3::from_array([0; 3].map(|_| random.below(5) as f64 * 0.5 - 1.0));
        if shift != DVec3::ZERO {
            several += usize::from(check_tied_parts(&a, &b, shift) > 1);
        }
    }
    println!("{count} poses, {several} with several parts");
    assert!(several > count / 40, "{several}");
}
