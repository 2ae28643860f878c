//! Against the oracle: all families of bodies, all depths, all sizes.

use glam::{DQuat, DVec3};

use super::{CommonPlane, CommonPlaneContact, CommonPlaneMemory};
use crate::math::Pose3;
use crate::narrow::NarrowPhase;
use crate::shape::{ConvexPolyhedron, Placed, convex_hull};
use crate::testing::oracle::gap_of_polyhedra;
use crate::testing::workload::Random;

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.within(-1.0, 1.0)))
}

fn rotation(random: &mut Random) -> DQuat {
    loop {
        let q = DQuat::from_array([0; 4].map(|_| random.within(-1.0, 1.0)));
        if (0.01..1.0).contains(&q.length_squared()) {
            return q;
        }
    }
}

/// One of the families, of size about 1.
fn shape(family: usize, random: &mut Random) -> ConvexPolyhedron {
    let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let mut ball = |count: usize, stretch: DVec3| -> Vec<DVec3> {
        (0..count)
            .map(|_| vector(random).normalize() * stretch)
            .collect()
    };
    let points = match family {
        0 => ball(4, DVec3::ONE),
        1 => [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)]
            .map(|(x, y, z)| DVec3::new(x.into(), y.into(), f64::from(z) * 1.5))
            .to_vec(),
        2 => (0..8).map(|i| cube(i) - DVec3::splat(0.5)).collect(),
        3 => {
            let mut points: Vec<_> = (0..8).map(|i| cube(i) * 2.0 - DVec3::ONE).collect();
            points.extend(
                [DVec3::X, DVec3::Y, DVec3::Z]
                    .map(|v| [v * 2.0, v * -2.0])
                    .concat(),
            );
            points.iter().map(|p| *p * 0.5).collect()
        }
        4 => return rock(random),
        5 => ball(50, DVec3::ONE),
        6 => ball(12, DVec3::new(1.0, 0.01, 0.01)),
        7 => ball(20, DVec3::new(1.0, 1.0, 0.01)),
        8 => ball(4, DVec3::new(1.0, 1.0, 1e-4)),
        9 => ball(500, DVec3::ONE),
        _ => ball(8, DVec3::ONE),
    };
    convex_hull(&points).unwrap_or_else(|_| rock(random))
}

/// A Voronoi cell: what is left of a cube cut by the planes half way to random neighbours.
fn rock(random: &mut Random) -> ConvexPolyhedron {
    // The dual of the hull of the dual points.
    let planes: Vec<_> = (0..16)
        .map(|_| {
            let half = vector(random) + vector(random);
            half * (0.6 / half.length_squared().max(0.05).sqrt() + 0.2 * random.unit())
        })
        .chain([DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat())
        .collect();
    let dual: Vec<_> = planes.iter().map(|p| *p / p.length_squared()).collect();
    let dual = convex_hull(&dual).unwrap();
    let corner = |f: crate::shape::Facet| {
        let height = f.normal().dot(f.corners().next().unwrap_or_default());
        f.normal() / height
    };
    let corners: Vec<_> = dual.surface().facets().map(corner).collect();
    convex_hull(&corners).unwrap()
}

fn contact(
    kernel: &mut CommonPlane,
    a: &Body,
    b: &Body,
    memory: &mut CommonPlaneMemory<DVec3>,
) -> Option<CommonPlaneContact<DVec3>> {
    let mut found = None;
    kernel.contacts(a, b, memory, |contact| found = Some(contact));
    found
}

fn cold(kernel: &mut CommonPlane, a: &Body, b: &Body) -> CommonPlaneContact<DVec3> {
    contact(kernel, a, b, &mut Default::default()).expect("within the margin")
}

fn wide() -> CommonPlane {
    CommonPlane::with_margin(1e30).unwrap()
}

fn at<'a>(body: &Body<'a>, translation: DVec3) -> Body<'a> {
    let pose = Pose3::new(body.pose.rotation(), translation).unwrap();
    Placed { pose, ..*body }
}

/// How many random cases: few in CI, more by the environment.
fn cases(few: usize) -> usize {
    std::env::var("OSCULATE_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(few)
}

/// Two bodies of random families whose gap is about `gap`, by moving the second along the normal.
fn near_pair<'a>(
    random: &mut Random,
    [a, b]: [&'a ConvexPolyhedron; 2],
    gap: f64,
) -> [Body<'a>; 2] {
    let pose = |random: &mut Random, t| Pose3::normalizing(rotation(random), t).unwrap();
    let a = Placed {
        shape: a,
        pose: pose(random, DVec3::ZERO),
    };
    let away = vector(random) * 2.0;
    let b = Placed {
        shape: b,
        pose: pose(random, away),
    };
    let now = cold(&mut wide(), &a, &b);
    let moved = away + now.normal * (gap + now.overlap);
    [a, at(&b, moved)]
}

#[test]
fn random_pairs_against_the_oracle() {
    let mut random = Random::new(71);
    let (mut worst, mut kernel, mut wrong) = (0.0_f64, wide(), 0);
    for case in 0..cases(3000) {
        let few = [0, 1, 2, 3, 4, 6, 7, 8, 10];
        let mut family = || few[random.below(few.len())];
        let families = [family(), family()];
        let shapes = families.map(|family| shape(family, &mut random));
        let gaps = [
            0.3, 0.01, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -1e-3, -0.02, -0.2,
        ];
        let gap = gaps[case % gaps.len()];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        let exact = gap_of_polyhedra(&a, &b);
        let found = cold(&mut kernel, &a, &b);
        let error = (found.overlap + exact).abs();
        worst = worst.max(error);
        if error > 1e-12 {
            wrong += 1;
            println!("case {case}: {families:?} gap {exact:e}, found {found:?}");
        }
    }
    println!("worst {worst:e}, {:?}", kernel.counts());
    assert_eq!(wrong, 0);
}
