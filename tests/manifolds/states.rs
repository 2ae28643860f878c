//! States of elastic beds: those of other bodies or steps change no force, and gaps end a contact.

use crate::support::cases;
use crate::support::convex::{Body, cube_times, hull, polyhedron, random, turn, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::ElasticBedState;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, ContactManifold, ConvexPolyhedron, ElasticBed, NarrowPhase, Placed, Pose3,
};

fn body<'a>(shape: &'a ConvexPolyhedron, at: DVec3, random: &mut SplitMix64) -> Body<'a> {
    Placed::new(shape, Pose3::new(turn(random), at).unwrap())
}

fn continues(manifold: &ContactManifold) -> bool {
    manifold.points().iter().any(|p| p.previous.is_some())
}

/// States of the pair some steps ago, of the swapped pair, of other shapes and of other pairs of the same
/// shapes, copied and used again.
#[test]
fn states_change_no_force() {
    let mut random = random(31);
    let mut bed = ElasticBed::new();
    let (mut states, mut compared, mut continued) = (Vec::new(), 0, 0);
    for _ in 0..cases(40) {
        let shapes = [0; 2].map(|_| polyhedron(&mut random, 1.0));
        let a = body(&shapes[0], DVec3::ZERO, &mut random);
        let mut b = body(&shapes[1], vector(&mut random), &mut random);
        for _ in 0..6 {
            let at = b.pose.translation() + vector(&mut random) * 0.1;
            b.pose = Pose3::new(b.pose.rotation(), at).unwrap();
            for (a, b) in [(a, b), (b, a)] {
                let expected = bed.contact(&a, &b);
                for back in [1, 5, 10, 11, 60, 200] {
                    // Some of this pair, in both orders.
                    let i = states.len().wrapping_sub(random.below(back) + 1);
                    let mut state: ElasticBedState = states.get(i).copied().unwrap_or_default();
                    let found = bed.contact_with(&a, &b, &mut state);
                    states.push(state);
                    let (Some(found), Some(expected)) = (found, &expected) else {
                        assert_eq!(found, expected);
                        continue;
                    };
                    compared += 1;
                    continued += usize::from(continues(&found));
                    assert_eq!(found.normal, expected.normal);
                    assert_eq!(found.area, expected.area);
                    assert_eq!(found.points().len(), expected.points().len());
                    // The points that are kept come in another order.
                    let error = (found.volume / expected.volume - 1.0).abs();
                    assert!(error < 1e-14, "{error:e}");
                    assert!(found.point.distance(expected.point) < 1e-14);
                }
            }
            states.drain(..states.len().saturating_sub(300));
        }
    }
    assert!(
        compared > 10 * cases(40) && continued > cases(40),
        "{compared} {continued}"
    );
}

/// Bodies that were apart for a step begin anew, found by their planes or by an empty bed; so do bodies in
/// the other order, and a state after a bed along another normal is that of this bed.
#[test]
fn contacts_end() {
    let mut random = random(33);
    let shapes = [0; 2].map(|_| polyhedron(&mut random, 1.0));
    let place = |x: f64| Placed::new(&shapes[1], Pose3::from_translation(DVec3::X * x).unwrap());
    let a = Placed::new(&shapes[0], Pose3::IDENTITY);
    let mut bed = ElasticBed::new();
    let mut state = ElasticBedState::default();
    let first = bed.contact_with(&a, &place(0.1), &mut state).unwrap();
    assert!(!continues(&first));
    assert!(continues(
        &bed.contact_with(&a, &place(0.1), &mut state).unwrap()
    ));
    assert!(bed.contact_with(&a, &place(9.0), &mut state).is_none());
    assert!(!continues(
        &bed.contact_with(&a, &place(0.1), &mut state).unwrap()
    ));
    let gap = bed.manifold(&a, &place(9.0), DVec3::X, &mut state);
    assert!(gap.is_none());
    assert!(!continues(
        &bed.contact_with(&a, &place(0.1), &mut state).unwrap()
    ));
    assert!(!continues(
        &bed.contact_with(&place(0.1), &a, &mut state).unwrap()
    ));
    assert!(continues(
        &bed.contact_with(&place(0.1), &a, &mut state).unwrap()
    ));
    // Features of points are those of the last bed, whatever its normal.
    let along = bed.manifold(&a, &place(0.1), DVec3::Y, &mut state);
    assert!(along.is_none_or(|manifold| !continues(&manifold)));
}

/// Manifolds are compared by what they report.
#[test]

fn swapped_manifolds_are_equal() {
    let cube = cube_times(DVec3::ONE);
    let place = |at: DVec3| Placed::new(&cube, Pose3::from_translation(at).unwrap());
    let (a, b) = (place(DVec3::ZERO), place(DVec3::new(0.4, 0.3, 0.9)));
    let mut bed = ElasticBed::new();
    let [forth, back] = [(a, b), (b, a)].map(|(a, b)| bed.contact(&a, &b).unwrap());
    assert_eq!(forth.points(), back.swapped().points());
    assert_eq!(forth, back.swapped());
}

/// More than 8 points: which kept point takes a merged one depends on those merged before.
#[test]

fn merged_shares_move_rigidly() {
    let p = hull(&[
        [-1.0, 0.0, 0.0],
        [-0.625, -1.0, 0.125],
        [0.5, 0.625, 0.0],
        [-0.25, 0.375, -0.25],
        [0.5, -0.75, 0.0],
    ]);
    let q = hull(&[
        [0.0, 0.0, -1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.4709613508990784, 0.8821538448362141, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.9207991721167682, 0.390037029817778],
        [1.0, 0.0, 0.0],
    ]);
    let turns = [
        DQuat::from_xyzw(
            0.265230169864919,
            0.3302529166544598,
            0.8068300647772648,
            -0.4118388211499289,
        ),
        DQuat::from_scaled_axis(DVec3::new(-0.26368452805457554, -0.28758127960698693, 0.0))
            * DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
    ];
    let a = Pose3::new_normalize(turns[0], DVec3::new(-0.25, -0.5316726854316665, 0.0)).unwrap();
    let b = Pose3::new_normalize(turns[1], DVec3::new(0.0, -0.5, -0.625)).unwrap();
    let normal = b.transform_point(q.centroid()) - a.transform_point(p.centroid());
    let mut shares = [DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8)].map(|turn| {
        let motion = Pose3::new(turn, DVec3::ZERO).unwrap();
        let [a, b] = [Placed::new(&p, motion * a), Placed::new(&q, motion * b)];
        let normal = motion.transform_vector(normal);
        let manifold = ElasticBed::new().manifold(&a, &b, normal, &mut Default::default());
        let points = manifold.unwrap().points().to_vec();
        points
            .iter()
            .map(|p| (p.feature, p.volume))
            .collect::<Vec<_>>()
    });
    for shares in &mut shares {
        shares.sort_by_key(|share| share.0);
    }
    assert_eq!(shares[0].len(), 8);
    for (one, other) in shares[0].iter().zip(&shares[1]) {
        assert_eq!(one.0, other.0);
        assert!((one.1 / other.1 - 1.0).abs() < 1e-9, "{one:?} {other:?}");
    }
}

/// Where one body is inside the other, S is 0, and the normal that of the common plane.
#[test]
fn nested_polyhedra_have_the_normal_of_the_plane() {
    let mut random = random(34);
    let cube = cube_times(DVec3::splat(8.0));
    for _ in 0..cases(100) {
        let small = polyhedron(&mut random, 1.0);
        let at = vector(&mut random);
        let a = body(&cube, DVec3::ZERO, &mut random);
        let b = body(&small, at, &mut random);
        for (a, b) in [(&a, &b), (&b, &a)] {
            let plane = CommonPlane::new().contact(a, b).unwrap();
            let manifold = ElasticBed::new().contact(a, b).unwrap();
            assert!(manifold.normal.distance(plane.normal) < 1e-15);
        }
    }
}
