//! Compares the common plane of two balls, capsules or hulls with a radius with brute force; with state, and moved
//! apart.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::DQuat;
use osculate::testing::oracle;
use osculate::*;
use osculate_fuzz::{Body, rounded};

fuzz_target!(|input: [(Body, u8); 2]| {
    let [Some(a), Some(b)] = input.map(|(body, radius)| rounded(&body, radius)) else {
        return;
    };
    let [p, q] = [&a, &b].map(|body| Placed::new(&body.shape, body.pose));
    let expected = -oracle::gap_of_polyhedra(&p, &q);
    let mut kernel = CommonPlane::new().with_margin(1e4).unwrap();
    let mut memory = Default::default();
    let mut ask = |a: &Placed<&Rounded>, b: &Placed<&Rounded>, memory: &mut CommonPlaneState| {
        let mut found = None;
        kernel.for_each_contact(a, b, memory, |contact| found = Some(contact));
        found.unwrap()
    };
    let cold = ask(&p, &q, &mut memory);
    assert!(
        (cold.overlap - expected).abs() <= 1e-11 * 512.0,
        "{cold:?} {expected}"
    );
    assert_eq!(ask(&p, &q, &mut memory), cold);
    let apart = cold.normal * (cold.overlap.max(0.0) + 1e-9);
    let mut overlap = cold.overlap;
    // Part of the motion with a rotation, with and without state, then all of it.
    for (part, turn) in [(0.1, 0.01), (0.5, -0.02), (1.0, 0.0)] {
        let turn = DQuat::from_rotation_z(turn) * b.pose.rotation();
        let moved = Placed::new(
            &b.shape,
            Pose3::new(turn, b.pose.translation() + apart * part).unwrap(),
        );
        let warm = ask(&p, &moved, &mut memory);
        assert_eq!(warm, ask(&p, &moved, &mut Default::default()));
        overlap = warm.overlap;
    }
    assert!(overlap <= 1e-12 * 512.0);
});
