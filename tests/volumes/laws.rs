//! Laws of every kernel: swapped, scaled and moved bodies, bodies cut in two, and gradients.

use osculate::glam::DVec3;
use osculate::math::Pose;
use osculate::narrow::IntersectionKind;
use osculate::testing::properties::{kernel::independent_of_state, volume};
use osculate::testing::workload::SplitMix64;
use osculate::{ContactVolume, NarrowPhase, Placed, Pose3, Vector};

use crate::support::cases;

fn scaled_pose<V: Vector>(pose: &Pose<V>, factor: f64) -> Pose<V> {
    Pose::new(pose.rotation(), pose.translation() * factor).unwrap()
}

/// Checks the laws for bodies of size 1 in random poses, in the same pose, and with coplanar faces.
///
/// `scaled` returns a shape times a factor. The halves are long, with a common face in x = 0.
pub(crate) fn laws<V: Vector, S: Clone, K>(
    kernel: &mut K,
    shapes: &[S],
    scaled: impl Fn(&S, f64) -> S,
    [left, right, whole]: [S; 3],
    any_pose: impl Fn(&mut SplitMix64, f64) -> Pose<V>,
) where
    K: NarrowPhase<Placed<S, V>, Placed<S, V>, Contact = ContactVolume<V>>,
{
    let mut random = SplitMix64::new(6);
    let (mut touching, mut largest) = (0, 0.0_f64);
    let still = |shape| Placed::new(shape, Pose::<V>::IDENTITY);
    let (whole, halves) = (still(whole), [still(left), still(right)]);
    for case in 0..cases(100) {
        let [a, b] = [case, case / shapes.len()].map(|i| &shapes[i % shapes.len()]);
        let any = [(); 2].map(|()| any_pose(&mut random, 0.4));
        let poses = match case % 8 {
            0 => [any[0]; 2],
            4 => [0.0, 0.5].map(|x| Pose::from_translation(V::X * x).unwrap()),
            _ => any,
        };
        let pair = |factor: f64| {
            let [p, q] = poses.each_ref().map(|pose| scaled_pose(pose, factor));
            let (a, b) = (scaled(a, factor), scaled(b, factor));
            (Placed::new(a, p), Placed::new(b, q))
        };
        let (p, q) = pair(1.0);
        volume::swap_negates(kernel, &p, &q).unwrap();
        // At rest, another shape there, exchanged, and moved.
        let r = Placed::new(shapes[(case + 1) % shapes.len()].clone(), poses[1]);
        let s = Placed::new(r.shape.clone(), any_pose(&mut random, 0.4));
        let path = [(&p, &q), (&p, &q), (&p, &r), (&r, &p), (&s, &p)];
        independent_of_state(kernel, path.map(|(a, b)| (a.clone(), b.clone()))).unwrap();
        volume::scales_exactly(kernel, pair, [-120, 40, 120][case % 3]).unwrap();
        // S is not unique on coplanar faces.
        if case % 4 != 0 {
            volume::accurate_at_any_scale(kernel, pair, 4.0).unwrap();
            let moved = |motion: &Pose<V>| {
                let [p, q] = poses.map(|pose| *motion * pose);
                (Placed::new(a.clone(), p), Placed::new(b.clone(), q))
            };
            let near = any_pose(&mut random, 1.0);
            volume::moves_rigidly(kernel, moved, &near, 4.0).unwrap();
            // Poses round by 1e-13 there.
            let far = Pose::from_translation(V::splat(1e3)).unwrap();
            let any = any_pose(&mut random, 2.0_f64.powi(case as i32 % 8));
            let found = [Pose::IDENTITY, far, any].map(|motion| {
                let (a, b) = moved(&motion);
                kernel.contact(&a, &b)
            });
            assert!(found.iter().all(|c| c.is_some() == found[0].is_some()));
            if let [Some(here), Some(there), Some(anywhere)] = found {
                assert!((there.volume - here.volume).abs() < 1e-11);
                assert!((there.area_vector - here.area_vector).length() < 1e-10);
                assert!((there.point - here.point - V::splat(1e3)).length() < 1e-8);
                let error = (anywhere.volume - here.volume).abs();
                let bound = here.error_bound + anywhere.error_bound;
                assert!(error <= bound, "{case}: {error:e} {bound:e}");
                largest = largest.max(error / bound);
                touching += 1;
            }
            volume::adds_up(kernel, &p, &whole, &halves, 4.0).unwrap();
        }
    }
    assert!(touching > cases(100) / 2, "{touching}");
    assert!(largest > 1e-3, "the bounds of errors are wide: {largest:e}");
}

/// Checks that a body shares all of itself with its copy.
pub(crate) fn equals_itself<V: Vector, S: Clone, K>(
    kernel: &mut K,
    shape: &S,
    pose: Pose<V>,
    volume: f64,
) where
    K: NarrowPhase<Placed<S, V>, Placed<S, V>, Contact = ContactVolume<V>>,
{
    let [a, b] = [(); 2].map(|()| Placed::new(shape.clone(), pose));
    let same = kernel.contact(&a, &b).unwrap();
    let nested = (volume, V::ZERO, IntersectionKind::Nested);
    assert_eq!((same.volume, same.area_vector, same.kind), nested);
}

/// Checks the gradient of the volume for translations and rotations of both bodies.
pub(crate) fn gradients<S: Clone, K>(
    kernel: &mut K,
    shapes: &[S],
    any_pose: impl Fn(&mut SplitMix64, f64) -> Pose3,
) where
    K: NarrowPhase<Placed<S>, Placed<S>, Contact = ContactVolume<DVec3>>,
{
    let mut random = SplitMix64::new(5);
    for case in 0..cases(36) {
        let [a, b] = [case, case / shapes.len()].map(|i| &shapes[i % shapes.len()]);
        let [p, q] = [(); 2].map(|()| any_pose(&mut random, 0.3));
        let bodies = |[m, n]: [&Pose3; 2]| {
            let (a, b) = (a.clone(), b.clone());
            (Placed::new(a, *m * p), Placed::new(b, *n * q))
        };
        volume::gradient_matches(kernel, bodies, [1.0, 1e-5], 1e-8).unwrap();
    }
}
