//! Compares the common plane of two hulls with brute force; swapped, with state, and moved apart.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle;
use osculate::shape::convex_hull;
use osculate::*;

type Body = (Vec<[i8; 3]>, [i8; 4], [i8; 3]);

fn body((points, turn, at): &Body) -> Option<Placed<ConvexPolyhedron, DVec3>> {
    let points: Vec<DVec3> = points
        .iter()
        .take(16)
        .map(|p| DVec3::from_array(p.map(f64::from)))
        .collect();
    let turn = DQuat::from_array(turn.map(f64::from));
    let turn = if turn.length_squared() > 0.0 {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    };
    let pose = Pose3::new(turn, DVec3::from_array(at.map(f64::from))).ok()?;
    Some(Placed::new(ConvexPolyhedron::from_convex_hull(&points).ok()?, pose))
}

fuzz_target!(|input: [Body; 2]| {
    let [Some(a), Some(b)] = [body(&input[0]), body(&input[1])] else {
        return;
    };
    let [p, q] = [&a, &b].map(|body| Placed::new(&body.shape, body.pose));
    let expected = -oracle::gap_of_polyhedra(&p, &q);
    let mut kernel = CommonPlane::new().with_margin(1e4).unwrap();
    let mut memory = Default::default();
    let mut ask = |a: &Placed<&ConvexPolyhedron, DVec3>,
                   b: &Placed<&ConvexPolyhedron, DVec3>,
                   memory: &mut _| {
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
        let moved = Placed::new(&b.shape, Pose3::new(turn, b.pose.translation() + apart * part).unwrap());
        let warm = ask(&p, &moved, &mut memory);
        assert_eq!(warm, ask(&p, &moved, &mut Default::default()));
        overlap = warm.overlap;
    }
    assert!(overlap <= 1e-12 * 512.0);
});
