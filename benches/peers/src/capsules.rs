//! Two capsules: the overlap. Two thirds of the pairs overlap. Each is queried once, without a state. parry has
//! `query::contact`, and manifolds of one point.
//!
//! Results: overlaps that are off by more than 1e-9 of the size, and overlapping pairs without a contact.

use osculate::testing::workload::{Workload, capsule_pairs};
use osculate::{CommonPlane, NarrowPhase, Placed, Rounded};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::details::contact_manifold_capsule_capsule;
use parry3d_f64::query::{self, ContactManifold};
use parry3d_f64::shape::Capsule;

use crate::report::{OURS, Report, caught, runner, seconds};

const WHO: [&str; 3] = [OURS, "parry", "parry-manifolds"];

type Pairs = Workload<Placed<Rounded>>;

fn ours(kernel: &mut CommonPlane, a: &Placed<Rounded>, b: &Placed<Rounded>) -> Option<f64> {
    kernel.contact(a, b).map(|contact| contact.overlap)
}

fn to_parry(body: &Placed<Rounded>) -> (Pose, Capsule) {
    let vector = |v: osculate::glam::DVec3| Vector::new(v.x, v.y, v.z);
    let (r, t) = (body.pose.rotation(), body.pose.translation());
    let pose = Pose {
        rotation: Rotation::from_xyzw(r.x, r.y, r.z, r.w),
        translation: vector(t),
    };
    let ends = body.shape.core_vertices();
    let radius = body.shape.radius();
    (pose, Capsule::new(vector(ends[0]), vector(ends[1]), radius))
}

fn parry((at, a): &(Pose, Capsule), (to, b): &(Pose, Capsule)) -> Option<f64> {
    let contact = query::contact(at, a, to, b, 0.0).ok()??;
    Some(-contact.dist)
}

fn manifold((at, a): &(Pose, Capsule), (to, b): &(Pose, Capsule)) -> Option<f64> {
    let mut manifold = ContactManifold::<(), ()>::new();
    contact_manifold_capsule_capsule(&at.inv_mul(to), a, b, 0.0, &mut manifold);
    manifold
        .points
        .iter()
        .map(|point| -point.dist)
        .reduce(f64::max)
}

/// Overlaps that differ from those of a closed formula, by crate.
fn wrong(pairs: &Pairs, exact: impl Fn(usize) -> f64) -> [usize; 3] {
    let (mut kernel, mut wrong) = (CommonPlane::new(), [0; 3]);
    for (i, (a, b)) in pairs.pairs().enumerate() {
        let found = [
            Ok(ours(&mut kernel, a, b)),
            caught(|| parry(&to_parry(a), &to_parry(b))),
            caught(|| manifold(&to_parry(a), &to_parry(b))),
        ];
        for (found, wrong) in found.into_iter().zip(&mut wrong) {
            let is_near =
                |found: Option<f64>| (found.unwrap_or(0.0).max(0.0) - exact(i)).abs() <= 1e-9;
            *wrong += usize::from(!found.is_ok_and(is_near));
        }
    }
    wrong
}

/// The overlap by the distance of two segments, minimized along both in turns; 0 for a gap.
fn exact([a, b]: [&Placed<Rounded>; 2]) -> f64 {
    let [p, q] = [a, b].map(|body| {
        let ends = body.shape.core_vertices();
        [0, 1].map(|i| body.pose.transform_point(ends[i]))
    });
    let (mut near, mut on) = (f64::INFINITY, p[0]);
    for _ in 0..100_000 {
        let other = on + osculate::math::closest_on_segment(on, q[0], q[1]).offset;
        let back = osculate::math::closest_on_segment(other, p[0], p[1]);
        on = other + back.offset;
        let distance = back.distance_squared.sqrt();
        if distance >= near {
            break;
        }
        near = distance;
    }
    (a.shape.radius() + b.shape.radius() - near).max(0.0)
}

pub fn run(report: &mut Report) {
    let pairs = capsule_pairs(report.either(4096, 64), 5).unwrap();
    let theirs = pairs.map(to_parry, to_parry);
    let own = runner(OURS, || {
        let mut kernel = CommonPlane::new();
        seconds(|| {
            pairs
                .pairs()
                .filter_map(|(a, b)| ours(&mut kernel, a, b))
                .sum::<f64>()
        })
    });
    let peers = [(WHO[1], parry as fn(&_, &_) -> _), (WHO[2], manifold)];
    let peers = peers.map(|(who, ask)| {
        let theirs = &theirs;
        runner(who, move || {
            seconds(|| theirs.pairs().filter_map(|(a, b)| ask(a, b)).sum::<f64>())
        })
    });
    report.race("capsules/cold", pairs.len(), own, peers.into());
    let many = capsule_pairs(report.either(100_000, 64), 6).unwrap();
    let bodies: Vec<_> = many.pairs().collect();
    let counts = wrong(&many, |i| exact([bodies[i].0, bodies[i].1]));
    for (who, count) in WHO.into_iter().zip(counts) {
        report.wrong("capsules/cold", who, count, many.len());
    }
}
