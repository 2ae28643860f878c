//! Compares contact volumes of bodies of unit cubes with integers; the curve is closed at any pose.
#![no_main]
use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::{oracle, workload};
use osculate::*;

type Body = (Vec<[i8; 3]>, [i8; 4], [i8; 3], u8);

fn cubes(cubes: &[[i8; 3]]) -> Vec<[i64; 3]> {
    let mut cubes: Vec<_> = cubes
        .iter()
        .take(12)
        .map(|c| c.map(|x| i64::from(x & 3)))
        .collect();
    cubes.sort_unstable();
    cubes.dedup();
    cubes
}

fuzz_target!(|input: [Body; 2]| {
    let solid = |body: &Body| Some(workload::cubes(&cubes(&body.0), 1.0).ok()?);
    let [Some(s), Some(t)] = [solid(&input[0]), solid(&input[1])] else {
        return;
    };
    let [place_s, place_t] = [&input[0], &input[1]].map(|(_, turn, at, way)| {
        let turn = DQuat::from_array(turn.map(f64::from));
        let is_turned = way & 1 == 1 && turn.length_squared() > 0.0;
        let turn = if is_turned {
            turn.normalize()
        } else {
            DQuat::IDENTITY
        };
        Pose3::new(turn, DVec3::from_array(at.map(|x| f64::from(x & 7)))).unwrap()
    });
    let (mut ends, mut volume) = (HashMap::new(), 0.0);
    MeshMesh::new().for_each_contact_and_segment(
        &Placed::new(&s, place_s),
        &Placed::new(&t, place_t),
        |contact| volume += contact.volume,
        |segment| {
            for (end, step) in segment.ends.iter().zip([-1, 1]) {
                let bits = end.position.to_array().map(f64::to_bits);
                *ends
                    .entry((bits, end.is_edge_of_first, end.edge, end.facet))
                    .or_insert(0) += step;
            }
        },
    );
    assert!(ends.values().all(|&balance| balance == 0));
    if place_s.rotation() == DQuat::IDENTITY && place_t.rotation() == DQuat::IDENTITY {
        let at = |(list, _, at, _): &Body| -> Vec<_> {
            cubes(list)
                .iter()
                .map(|c| [0, 1, 2].map(|i| c[i] + i64::from(at[i] & 7)))
                .collect()
        };
        let (expected, ..) = oracle::intersection_of_cubes(&at(&input[0]), &at(&input[1]));
        assert!(
            (volume - expected as f64).abs() < 1e-11,
            "{volume} {expected}"
        );
    }
});
