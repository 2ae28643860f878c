//! The kernel in 2D.

use super::*;

type Body2<'a> = Placed<&'a ConvexPolygon, DVec2>;

fn polygon(random: &mut SplitMix64, size: f64) -> ConvexPolygon {
    let count = [3, 4, 5, 6, 12, 60][random.below(6)];
    let stretch = DVec2::new(size, size * [1.0, 1.0, 0.01][random.below(3)]);
    loop {
        let mut corner = || vector(random).truncate().normalize() * stretch;
        let points: Vec<_> = (0..count).map(|_| corner()).collect();
        if let Ok(hull) = ConvexPolygon::from_convex_hull(&points) {
            return hull;
        }
    }
}

fn contact2(
    kernel: &mut CommonPlane,
    a: &Body2,
    b: &Body2,
    memory: &mut CommonPlaneState<DVec2>,
) -> Option<CommonPlaneContact<DVec2>> {
    let mut found = None;
    kernel.for_each_contact(a, b, memory, |contact| found = Some(contact));
    found
}

/// Two polygons in any orientation, their centers at most the sum of their sizes apart.
fn placed<'a>(random: &mut SplitMix64, shapes: [&'a ConvexPolygon; 2]) -> [Body2<'a>; 2] {
    let size = shapes.map(|shape| shape.bounding_sphere().radius);
    let away = vector(random).truncate() * (size[0] + size[1]);
    let mut pose = |t| Pose2::new_normalize(vector(random).truncate(), t).unwrap();
    [(shapes[0], DVec2::ZERO), (shapes[1], away)].map(|(shape, t)| Placed {
        shape,
        pose: pose(t),
    })
}

#[test]
fn polygons_against_the_oracle() {
    let mut random = SplitMix64::new(seed(79));
    let (mut kernel, mut worst, mut wrong) = (wide(), 0.0_f64, 0);
    for case in 0..cases(3000) {
        let size = [1.0, 1e-9, 1e9, 1e-4][random.below(4)];
        let small = size * [1.0, 0.1, 1e-3][random.below(3)];
        let shapes = [size, small].map(|size| polygon(&mut random, size));
        let [a, mut b] = placed(&mut random, shapes.each_ref());
        let mut memory = CommonPlaneState::default();
        let step = [1e-9, 1e-4, 1e-2, 0.3][random.below(4)] * small;
        let wanted = [1.0, 0.2, 1e-9, 0.0, -1e-9, -0.01, -0.2, -0.6][random.below(8)] * small;
        for _ in 0..4 {
            let warm = contact2(&mut kernel, &a, &b, &mut memory).unwrap();
            let cold = contact2(&mut kernel, &a, &b, &mut Default::default()).unwrap();
            assert_eq!(cold, warm, "case {case}");
            let back = contact2(&mut kernel, &b, &a, &mut Default::default()).unwrap();
            assert_eq!((back.normal, back.overlap), (-warm.normal, warm.overlap));
            let error = (warm.overlap + gap_of_polygons(&a, &b)).abs();
            worst = worst.max(error / size);
            if !(error <= 1e-12 * size && error <= warm.error_bound) {
                wrong += 1;
                println!("case {case}: error {error:e}, {warm:?}");
            }
            let moved = b.pose.translation()
                + warm.normal * (warm.overlap + wanted)
                + vector(&mut random).truncate() * step;
            b.pose = Pose2::new(b.pose.rotation(), moved).unwrap();
        }
    }
    println!("worst {worst:e}");
    assert_eq!(wrong, 0);
}

/// Bodies that come and go, turning: skipping misses none.
#[test]
fn skipping_polygons_misses_nothing() {
    let mut random = SplitMix64::new(81);
    let margin = 0.05;
    let mut kernel = CommonPlane::new().with_margin(margin).unwrap();
    let (mut reported, mut steps) = (0, Steps::default());
    for _ in 0..cases(3000) / 30 {
        let shapes = [0; 2].map(|_| polygon(&mut random, 1.0));
        let [a, mut b] = placed(&mut random, shapes.each_ref());
        let first = contact2(&mut wide(), &a, &b, &mut Default::default()).unwrap();
        let start = b.pose.translation() + first.normal * (first.overlap + 0.4);
        let mut memory = CommonPlaneState::default();
        let (speed, turn) = (random.range(0.003, 0.02), random.range(-0.02, 0.02));
        for step in 0..100 {
            let along = f64::from(50 - (50_i32 - step).abs()) * speed;
            let rotation = DVec2::from_angle(turn).rotate(b.pose.rotation());
            b.pose = Pose2::new_normalize(rotation, start - first.normal * along).unwrap();
            let warm = steps.count(|| contact2(&mut kernel, &a, &b, &mut memory));
            let all = contact2(&mut wide(), &a, &b, &mut Default::default()).unwrap();
            assert_eq!(warm, (all.overlap > -margin).then_some(all));
            reported += usize::from(warm.is_some());
        }
    }
    assert!(reported > cases(3000) / 30);
    assert!(
        steps.skipped > 0 && steps.kept > 0 && steps.cold > 0,
        "{steps:?}"
    );
}

/// Sides that are parallel to 1e-8, the projection inside both: the normal is that of the side the nearest
/// corner is over, not the direction between corners, which is as long to rounding.
#[test]
fn normals_of_sides_that_are_almost_parallel() {
    let square = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
    let square = ConvexPolygon::from_convex_hull(&square).unwrap();
    let body = |turn: DVec2, t: DVec2| Placed {
        shape: &square,
        pose: Pose2::new_normalize(turn, t).unwrap(),
    };
    let a = body(DVec2::X, DVec2::ZERO);
    for angle in [1e-7, 1e-8, -1e-8, 1e-9, -1e-10] {
        // The corner that sinks is over the side of `a`; the other one is beside it.
        let left = if angle > 0.0 { 0.3 } else { -0.3 };
        let b = body(DVec2::new(1.0, angle), DVec2::new(left, 1.5));
        let found = contact2(&mut wide(), &a, &b, &mut Default::default()).unwrap();
        assert!(
            found.normal.distance(DVec2::Y) < 1e-15,
            "{angle}: {found:?}"
        );
    }
}
