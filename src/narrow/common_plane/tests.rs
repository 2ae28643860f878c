//! Against the oracle: all families of bodies, all depths, all sizes.

use glam::{DQuat, DVec2, DVec3};

use super::{CommonPlane, CommonPlaneContact, CommonPlaneMemory, Mode};
use crate::math::{Pose2, Pose3};
use crate::narrow::NarrowPhase;
use crate::shape::{ConvexPolyhedron, Feature, Placed, convex_hull, convex_hull_2d};
use crate::testing::laws::swap_negates;
use crate::testing::oracle::{gap_of_polygons, gap_of_polyhedra};
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

/// For 500 vertices the oracle takes too long: there all pairs of features stand in for it.
#[test]
fn many_vertices_against_the_oracle() {
    let mut random = Random::new(72);
    for case in 0..cases(3000) / 500 {
        let shapes = [5, [5, 3, 9][case % 3]].map(|family| shape(family, &mut random));
        let gap = [0.1, -0.01, -0.3, 1e-5][case % 4];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        if shapes[1].vertices().len() < 100 {
            let found = cold(&mut wide(), &a, &b);
            assert!(
                (found.overlap + gap_of_polyhedra(&a, &b)).abs() < 1e-12,
                "{found:?}"
            );
        } else {
            let mut all = wide();
            let found = cold(&mut all, &a, &b);
            let frame = super::frame_of(&a, &b);
            let exact = super::exhaustive::plane(&frame);
            assert!(
                (found.overlap + exact.gap).abs() < 1e-12,
                "{found:?} {exact:?}"
            );
        }
    }
}

/// Sizes from 1e-9 to 1e9, one body 1000 times the other, both far from the origin.
#[test]
fn sizes_ratios_and_places() {
    let mut random = Random::new(73);
    for case in 0..cases(3000) / 4 {
        let family = [0, 1, 2, 3, 4, 6, 7, 10][random.below(8)];
        let size = [1e-9, 1e-3, 1.0, 1e9][case % 4];
        let ratio = if case % 3 == 0 { 1e-3 } else { 1.0 };
        let shapes = [size, size * ratio].map(|size| {
            let points = shape(family, &mut random);
            convex_hull(
                &points
                    .vertices()
                    .iter()
                    .map(|v| *v * size)
                    .collect::<Vec<_>>(),
            )
            .unwrap()
        });
        let gap = size * ratio * [0.1, 1e-5, -1e-4, -0.05][random.below(4)];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        let found = cold(&mut wide(), &a, &b);
        let error = (found.overlap + gap_of_polyhedra(&a, &b)).abs();
        // Where the ends of a short gap are edges or vertices, the lower bound is vague.
        let is_sound = error <= found.residual && found.residual < 1e-7 * size;
        assert!(error <= 1e-12 * size && is_sound, "{error:e} {found:?}");
        // Moved together: only the world coordinates lose digits.
        let far = DVec3::new(1e6, -3e5, 2e5) * size;
        let far_pair = [a, b].map(|body| at(&body, body.pose.translation() + far));
        let far_off = cold(&mut wide(), &far_pair[0], &far_pair[1]);
        let exact = gap_of_polyhedra(&far_pair[0], &far_pair[1]);
        assert!(
            (far_off.overlap + exact).abs() <= 1e-12 * size,
            "{exact:e} {far_off:?}"
        );
    }
}

/// Moving the second body by the overlap parts the bodies; less does not.
#[test]
fn overlap_parts_the_bodies() {
    let mut random = Random::new(74);
    for _ in 0..cases(3000) / 4 {
        let shapes = [0, 4].map(|family| shape(family, &mut random));
        let depth = random.within(0.001, 0.3);
        let [a, b] = near_pair(&mut random, shapes.each_ref(), -depth);
        let found = cold(&mut wide(), &a, &b);
        let moved = at(&b, b.pose.translation() + found.normal * found.overlap);
        assert!(cold(&mut wide(), &a, &moved).overlap.abs() < 1e-14);
        let parts = found.on_a - found.on_b - found.normal * found.overlap;
        assert!(parts.length() < 1e-14 && (found.normal.length() - 1.0).abs() < 1e-15);
        assert!(found.point.distance((found.on_a + found.on_b) * 0.5) < 1e-15);
    }
}

#[test]
fn swap_negates_the_normal() {
    let mut random = Random::new(75);
    for case in 0..cases(3000) / 4 {
        let family = [0, 1, 2, 3, 4, 5, 6, 7][random.below(8)];
        let shapes = [family, 2].map(|family| shape(family, &mut random));
        let gap = [0.1, 1e-9, 0.0, -1e-9, -0.05][case % 5];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        let view = |c: &CommonPlaneContact<DVec3>| crate::narrow::Contact {
            point: c.point,
            normal: c.normal,
            overlap: c.overlap,
        };
        swap_negates(&mut wide(), [&a, &b], 1e30, view).unwrap();
        let (forth, back) = (cold(&mut wide(), &a, &b), cold(&mut wide(), &b, &a));
        assert_eq!(
            (forth.point, forth.on_a, forth.on_b),
            (back.point, back.on_b, back.on_a)
        );
        assert_eq!(
            (forth.feature_a, forth.feature_b),
            (back.feature_b, back.feature_a)
        );
    }
}

/// Along paths, near and far, by translation, by rotation and in jumps.
#[test]
fn memory_changes_nothing() {
    let mut random = Random::new(76);
    let mut kernel = wide();
    for case in 0..cases(3000) / 30 {
        let family = [0, 1, 2, 3, 4, 5, 7, 10][case % 8];
        let shapes = [family, 4].map(|family| shape(family, &mut random));
        let gap = [0.1, 0.0, -0.001, -0.03, -0.3][random.below(5)];
        let [a, mut b] = near_pair(&mut random, shapes.each_ref(), gap);
        let step = [1e-4, 1e-3, 1e-2, 0.1][random.below(4)];
        let mut memory = CommonPlaneMemory::default();
        let drift = vector(&mut random) * step;
        for _ in 0..60 {
            let turn = DQuat::from_vec4((vector(&mut random) * step).extend(1.0)).normalize();
            let rotation = (turn * b.pose.rotation()).normalize();
            let translation = b.pose.translation() + drift + vector(&mut random) * (0.3 * step);
            b.pose = Pose3::new(rotation, translation).unwrap();
            let warm = contact(&mut kernel, &a, &b, &mut memory);
            assert_eq!(
                warm,
                Some(cold(&mut wide(), &a, &b)),
                "case {case}, gap {gap}"
            );
        }
    }
    let counts = kernel.counts();
    assert!(counts.kept > counts.cold && counts.warm > 0, "{counts:?}");
}

/// With a margin, and bodies that come and go: what is reported is what a cold search reports.
#[test]
fn skipping_misses_nothing() {
    let mut random = Random::new(77);
    let margin = 0.05;
    let mut kernel = CommonPlane::with_margin(margin).unwrap();
    for _ in 0..cases(3000) / 30 {
        let shapes = [10, 4].map(|family| shape(family, &mut random));
        let [a, mut b] = near_pair(&mut random, shapes.each_ref(), 0.4);
        let normal = cold(&mut wide(), &a, &b).normal;
        let mut memory = CommonPlaneMemory::default();
        let (start, speed) = (b.pose.translation(), random.within(0.003, 0.02));
        for step in 0..100 {
            // There and back.
            let along = f64::from(50 - (50_i32 - step).abs()) * speed;
            let turn = DQuat::from_vec4((vector(&mut random) * 0.005).extend(1.0)).normalize();
            let rotation = (turn * b.pose.rotation()).normalize();
            b.pose = Pose3::new(rotation, start - normal * along).unwrap();
            let warm = contact(&mut kernel, &a, &b, &mut memory);
            let all = cold(&mut wide(), &a, &b);
            assert_eq!(warm, (all.overlap > -margin).then_some(all));
        }
    }
    assert!(
        kernel.counts().skipped > kernel.counts().kept / 4,
        "{:?}",
        kernel.counts()
    );
}

#[test]
fn names_of_vertices_do_not_matter() {
    let mut random = Random::new(78);
    for case in 0..cases(3000) / 10 {
        let shapes = [4, 10].map(|family| shape(family, &mut random));
        let gap = [0.1, -0.01, -0.3][case % 3];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        let mut points = shapes[1].vertices().to_vec();
        random.shuffle(&mut points);
        let renamed = convex_hull(&points).unwrap();
        let other = Placed {
            shape: &renamed,
            pose: b.pose,
        };
        let (one, two) = (cold(&mut wide(), &a, &b), cold(&mut wide(), &a, &other));
        assert!((one.overlap - two.overlap).abs() < 1e-14);
    }
}

/// Boxes that kiss, share a face in part, lie in each other: finite answers, the same from memory.
#[test]
fn boxes_in_line() {
    let cube = shape(2, &mut Random::new(1));
    let body = |x: f64, y: f64, z: f64| Placed {
        shape: &cube,
        pose: Pose3::from_translation(DVec3::new(x, y, z)).unwrap(),
    };
    let a = body(0.0, 0.0, 0.0);
    for ((x, y, z), overlap) in [
        ((1.0, 0.0, 0.0), 0.0),
        ((1.0, 0.5, 0.25), 0.0),
        ((0.875, 0.5, 0.25), 0.125),
        ((1.25, 0.5, 0.25), -0.25),
        ((1.0, 1.0, 0.0), 0.0),
        ((1.0, 1.0, 1.0), 0.0),
        ((4.0, 5.0, 0.0), -5.0),
        ((0.0, 0.0, 0.0), 1.0),
    ] {
        let b = body(x, y, z);
        let mut memory = CommonPlaneMemory::default();
        let first = contact(&mut wide(), &a, &b, &mut memory).unwrap();
        assert!((first.overlap - overlap).abs() < 1e-15, "{first:?}");
        assert_eq!(contact(&mut wide(), &a, &b, &mut memory), Some(first));
        assert!(first.point.is_finite() && (first.normal.length() - 1.0).abs() < 1e-15);
        assert_eq!(
            contact(&mut CommonPlane::new(), &a, &b, &mut memory).is_some(),
            first.overlap > 0.0
        );
    }
    let b = body(0.875, 0.5, 0.25);
    let found = cold(&mut wide(), &a, &b);
    assert_eq!(found.normal, DVec3::X);
    let mut points = [DVec3::ZERO; 8];
    let patch = CommonPlane::patch(&a, &b, &found, 0.0, &mut points);
    let section = CommonPlane::section(&a, &b, &found);
    let middle = DVec3::new(0.4375, 0.25, 0.125);
    assert_eq!(patch.point_count, 4);
    assert!((patch.area - 0.375).abs() < 1e-15 && (section.area - 0.375).abs() < 1e-15);
    assert!(patch.centroid.distance(middle) < 1e-15 && section.centroid.distance(middle) < 1e-15);
    let apart = cold(&mut wide(), &a, &body(4.0, 5.0, 0.0));
    assert_eq!(
        CommonPlane::section(&a, &body(4.0, 5.0, 0.0), &apart).area,
        0.0
    );
}

/// Pushed along x into the side of a flat box, on past where the way out through its lid is
/// shorter: tracking keeps to the side.
#[test]
fn tracked_mode_keeps_to_its_side() {
    let mut random = Random::new(1);
    let flat: Vec<_> = shape(2, &mut random)
        .vertices()
        .iter()
        .map(|v| *v * DVec3::new(4.0, 4.0, 1.0))
        .collect();
    let (flat, cone) = (convex_hull(&flat).unwrap(), shape(0, &mut random));
    let a = Placed {
        shape: &flat,
        pose: Pose3::IDENTITY,
    };
    let mut tracked = wide().in_mode(Mode::Tracked);
    let mut memory = CommonPlaneMemory::default();
    let mut differs = false;
    for step in 0..150 {
        let x = 3.2 - 0.02 * f64::from(step);
        let b = Placed {
            shape: &cone,
            pose: Pose3::from_translation(DVec3::new(x, 0.1, 0.2)).unwrap(),
        };
        let found = contact(&mut tracked, &a, &b, &mut memory).unwrap();
        let least = cold(&mut wide(), &a, &b);
        assert!(found.overlap >= least.overlap - 1e-15);
        differs |= found.overlap > least.overlap + 1e-3;
    }
    assert!(differs);
}

#[test]
fn polygons_against_the_oracle() {
    let mut random = Random::new(79);
    let mut kernel = wide();
    for case in 0..cases(3000) {
        let counts = [3 + random.below(4), [4, 12, 60][case % 3]];
        let shapes = counts.map(|count| {
            loop {
                let stretch = DVec2::new(1.0, [1.0, 0.01][random.below(2)]);
                let points: Vec<_> = (0..count)
                    .map(|_| vector(&mut random).truncate().normalize() * stretch)
                    .collect();
                if let Ok(hull) = convex_hull_2d(&points) {
                    break hull;
                }
            }
        });
        let mut pose = |translation| {
            let turn = vector(&mut random).truncate();
            Pose2::normalizing(turn, translation).unwrap()
        };
        let a = Placed {
            shape: &shapes[0],
            pose: pose(DVec2::ZERO),
        };
        let mut b = Placed {
            shape: &shapes[1],
            pose: pose(DVec2::new(0.3, 1.7)),
        };
        let mut memory = CommonPlaneMemory::default();
        let gap = [0.2, 1e-9, 0.0, -1e-9, -0.01, -0.2][case % 6];
        for _ in 0..4 {
            let mut found = None;
            kernel.contacts(&a, &b, &mut memory, |c| found = Some(c));
            let warm = found.unwrap();
            kernel.contacts(&a, &b, &mut Default::default(), |c| found = Some(c));
            assert_eq!(found, Some(warm));
            kernel.contacts(&b, &a, &mut Default::default(), |c| found = Some(c));
            let back = found.unwrap();
            assert_eq!((back.normal, back.overlap), (-warm.normal, warm.overlap));
            let exact = gap_of_polygons(&a, &b);
            assert!(
                (warm.overlap + exact).abs() < 1e-12,
                "case {case}: {exact:e} {warm:?}"
            );
            let moved = b.pose.translation() + warm.normal * (warm.overlap + gap) + DVec2::X * 1e-3;
            b.pose = Pose2::new(b.pose.rotation(), moved).unwrap();
        }
    }
}

#[test]
fn features_are_named_for_the_bodies_as_passed() {
    let cube = shape(2, &mut Random::new(1));
    let tip = convex_hull(&[
        DVec3::ZERO,
        DVec3::new(1.0, 1.0, 2.0),
        DVec3::new(-1.0, 1.0, 2.0),
        DVec3::new(0.0, -1.0, 2.0),
    ])
    .unwrap();
    let a = Placed {
        shape: &cube,
        pose: Pose3::IDENTITY,
    };
    let b = Placed {
        shape: &tip,
        pose: Pose3::from_translation(DVec3::new(0.1, 0.2, 0.4)).unwrap(),
    };
    let (forth, back) = (cold(&mut wide(), &a, &b), cold(&mut wide(), &b, &a));
    assert!(matches!(forth.feature_a, Feature::Facet(_)));
    assert_eq!(
        (forth.feature_b, back.feature_a),
        (Feature::Vertex(0), Feature::Vertex(0))
    );
    assert_eq!((forth.normal, back.normal), (DVec3::Z, -DVec3::Z));
}
