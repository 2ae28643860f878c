//! Normal, overlap and error bound of common planes are consistent, for bodies that barely touch,
//! for thin and for very unequal ones.
//!
//! `OSCULATE_CASES` pairs of each family; 500 by default.

use crate::support::cases;
use crate::support::convex::{Body, Flat, cube_times, hull, polygon, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::{oracle, properties::kernel, workload::SplitMix64};
use osculate::{
    Bounded, CommonPlane, CommonPlaneContact, ConvexPolygon, ConvexPolyhedron, Feature,
    NarrowPhase, Placed, Pose2, Pose3, Sphere, Vector, reference::FastCommonPlane,
};

/// 64 eps.
const BOUND: f64 = 64.0 * f64::EPSILON;

fn wide() -> CommonPlane {
    CommonPlane::new().with_margin(1e30).unwrap()
}

/// The diameter of the larger body, or the distance of bodies that are farther apart.
fn size<V: Vector>([a, b]: [Sphere<V>; 2]) -> f64 {
    let distance = (a.center - b.center).length();
    (2.0 * a.radius.max(b.radius)).max(distance)
}

/// Checks the error bound of a contact. Returns whether it is above 64 eps because two planes are tied.
fn is_tied<V: Vector>(contact: &CommonPlaneContact<V>, size: f64) -> bool {
    let share = contact.error_bound / size;
    if share <= BOUND {
        return false;
    }
    if let (Feature::Facet(_), Feature::Facet(_)) = (contact.feature_a, contact.feature_b) {
        // Faces within 2^-41 rad are one plane; the height of their corners is in the bound.
        assert!(share <= BOUND + 2.0_f64.powi(-40), "{contact:?}");
        return false;
    }
    // Which of two planes that are tied at a gap of 0 is the better rounding cannot tell.
    let is_touching = contact.overlap.abs() <= 1e-12 * size;
    assert!(is_touching && share <= 4.0 * BOUND, "{contact:?}");
    true
}

/// One in 50 may be tied.
fn check_rate(tied: usize, cases: usize) {
    assert!(tied * 50 <= cases, "{tied} of {cases}");
}

/// Checks both kernels on one pair. Returns whether its planes are tied.
fn check([a, b]: &[Body; 2]) -> bool {
    let gap_along = oracle::gap_of_polyhedra_along;
    let size = size([a, b].map(|body| body.bounding_sphere()));
    let mut fast = FastCommonPlane::new().with_margin(1e30).unwrap();
    kernel::supports_give_overlap(&mut fast, a, b, gap_along, |_| BOUND * size).unwrap();
    let mut kernel = wide();
    kernel::supports_give_overlap(&mut kernel, a, b, gap_along, |c| c.error_bound).unwrap();
    is_tied(&kernel.contact(a, b).unwrap(), size)
}

fn exponent(random: &mut SplitMix64, [from, to]: [f64; 2]) -> f64 {
    10.0_f64.powf(random.range(from, to))
}

/// Two boxes on each other, face on face, edge on edge or corner on corner, rotated together and
/// tilted by no more than their gap.
fn stacked<'a>(
    random: &mut SplitMix64,
    shapes: [&'a ConvexPolyhedron; 2],
    sides: [DVec3; 2],
) -> [Body<'a>; 2] {
    let gap = exponent(random, [-16.0, -2.0]) * [1.0, 1.0, -1.0, 0.0][random.below(4)];
    let reach = (sides[0] + sides[1]) * 0.5;
    let mut lateral = |reach: f64| {
        let place = [random.range(-1.0, 1.0), 1.0, -1.0, 0.0, 0.5][random.below(5)];
        place * reach + [0.0, 0.0, gap, -gap][random.below(4)]
    };
    let offset = DVec3::new(lateral(reach.x), lateral(reach.y), reach.z + gap);
    let tilt = vector(random) * gap.abs() * [0.0, 0.1, 1.0][random.below(3)];
    let tilt = tilt * [DVec3::ONE, DVec3::X][random.below(2)];
    let tilt = DQuat::from_vec4((tilt * 0.5).extend(1.0));
    let rotation = random.rotation();
    let about = vector(random) * [0.0, 1.0, 100.0][random.below(3)];
    let poses = [
        (rotation, about),
        (rotation * tilt, about + rotation * offset),
    ];
    [0, 1].map(|i| {
        let (rotation, at) = poses[i];
        Placed::new(shapes[i], Pose3::new_normalize(rotation, at).unwrap())
    })
}

#[test]
fn stacked_boxes() {
    let mut random = random(11);
    let (cube, count) = (cube_times(DVec3::ONE), cases(500));
    let mut tied = [0; 2];
    for _ in 0..count {
        let cubes = stacked(&mut random, [&cube; 2], [DVec3::ONE; 2]);
        tied[0] += usize::from(check(&cubes));
        let mut side = || exponent(&mut random, [-6.0, 0.0]);
        let sides = [0; 2].map(|_| DVec3::new(side(), side(), side()));
        let shapes = sides.map(cube_times);
        let boxes = stacked(&mut random, shapes.each_ref(), sides);
        tied[1] += usize::from(check(&boxes));
    }
    tied.iter().for_each(|&tied| check_rate(tied, count));
}

/// Random bodies, thin ones among them, of sizes that are alike or differ by up to 1e6.
#[test]
fn random_bodies() {
    for ratio in [[0.0, 0.0], [-6.0, -1.0], [1.0, 6.0]] {
        let (mut random, count) = (random(12), cases(500) / 2);
        let mut tied = 0;
        for _ in 0..count {
            let sizes = [1.0, exponent(&mut random, ratio)];
            let shapes = sizes.map(|size| polyhedron(&mut random, size));
            let gap = exponent(&mut random, [-17.0, 0.0]) * [1.0, -1.0][random.below(2)];
            let gap = gap * sizes[1].min(1.0);
            let mut pose = |at| Pose3::new(crate::support::convex::turn(&mut random), at).unwrap();
            let [a, mut b] = [0, 1].map(|i| Placed::new(&shapes[i], pose(DVec3::ZERO)));
            let mut offset = vector(&mut random) * (sizes[0] + sizes[1]);
            for _ in 0..3 {
                b.pose = Pose3::new(b.pose.rotation(), offset).unwrap();
                let now = wide().contact(&a, &b);
                offset += now.map_or(DVec3::ZERO, |c| c.normal * (gap + c.overlap));
            }
            tied += usize::from(check(&[a, b]));
        }
        check_rate(tied, count);
    }
}

fn check_flat([a, b]: &[Flat; 2]) -> bool {
    let gap_along = oracle::gap_of_polygons_along;
    let size = size([a, b].map(|body| body.bounding_sphere()));
    let mut fast = FastCommonPlane::new().with_margin(1e30).unwrap();
    kernel::supports_give_overlap(&mut fast, a, b, gap_along, |_| BOUND * size).unwrap();
    let mut kernel = wide();
    kernel::supports_give_overlap(&mut kernel, a, b, gap_along, |c| c.error_bound).unwrap();
    let found = kernel.contact(a, b).unwrap();
    // A pose moves a center far from the origin of its shape with a rounding error relative to the distance.
    let remote = [a, b].map(|body| {
        let disc = body.shape.bounding_sphere();
        disc.center.length() + disc.radius
    });
    let error = (found.overlap + oracle::gap_of_polygons(a, b)).abs();
    let is_near = error <= found.error_bound;
    assert!(is_near, "{error:e}: {found:?}, {a:?}, {b:?}");
    is_tied(&found, size.max(remote[0] + remote[1]))
}

#[test]
fn polygons() {
    let (mut random, count) = (random(13), cases(500));
    let square = |x: f64, y: f64| {
        let corners = [(-x, -y), (x, -y), (x, y), (-x, y)];
        ConvexPolygon::from_convex_hull(&corners.map(|(x, y)| DVec2::new(x, y) * 0.5)).unwrap()
    };
    let mut tied = 0;
    for _ in 0..count {
        let sides = [0; 2].map(|_| [1.0, exponent(&mut random, [-6.0, 0.0])][random.below(2)]);
        let shapes = sides.map(|y| square(1.0, y));
        let gap = exponent(&mut random, [-16.0, -2.0]) * [1.0, 1.0, -1.0][random.below(3)];
        let place = [random.range(-1.0, 1.0), 1.0, -1.0][random.below(3)];
        let x = place + [0.0, gap, -gap][random.below(3)];
        let offset = DVec2::new(x, 0.5 * (sides[0] + sides[1]) + gap);
        let tilt = DVec2::new(1.0, random.range(-1.0, 1.0) * gap);
        let rotation = DVec2::from_angle(random.range(0.0, 6.0));
        let body = |i: usize, q, t| Placed::new(&shapes[i], Pose2::new_normalize(q, t).unwrap());
        let pair = [
            body(0, rotation, DVec2::ZERO),
            body(1, rotation.rotate(tilt), rotation.rotate(offset)),
        ];
        tied += usize::from(check_flat(&pair));
    }
    check_rate(tied, count);
    let mut tied = 0;
    for _ in 0..count {
        let sizes = [1.0, exponent(&mut random, [-6.0, 6.0])];
        let shapes: [ConvexPolygon; 2] = sizes.map(|size| polygon(&mut random, size));
        let gap =
            exponent(&mut random, [-17.0, 0.0]) * [1.0, -1.0][random.below(2)] * sizes[1].min(1.0);
        let mut offset = vector(&mut random).truncate() * (sizes[0] + sizes[1]);
        let rotation = DVec2::from_angle(random.range(0.0, 6.0));
        let at = |i: usize, q, t| Placed::new(&shapes[i], Pose2::new_normalize(q, t).unwrap());
        let a = at(0, DVec2::X, DVec2::ZERO);
        for _ in 0..3 {
            let b = at(1, rotation, offset);
            tied += usize::from(check_flat(&[a, b]));
            let now = wide().contact(&a, &b);
            offset += now.map_or(DVec2::ZERO, |c| c.normal * (gap + c.overlap));
        }
    }
    check_rate(tied, 3 * count);
}

/// Plates and needles as thin as rounding allows, in line and in any pose: both ends of the gap are on
/// their bodies, to 1e-8 of the size for those thinner than 2^-25 that overlap.
#[test]
fn ends_of_the_gap_of_thin_bodies() {
    let (mut random, count) = (random(14), cases(500));
    for case in 0..2 * count {
        let mut side = || [1.0, exponent(&mut random, [-14.0, 0.0])][random.below(2)];
        let sides = [0; 2].map(|_| DVec3::new(1.0, side(), side()));
        let shapes = sides.map(cube_times);
        let [a, mut b] = stacked(&mut random, shapes.each_ref(), sides);
        if case % 2 == 1 {
            let at = a.pose.translation() + vector(&mut random);
            b.pose = Pose3::new(random.rotation(), at).unwrap();
            let now = wide().contact(&a, &b);
            let gap = exponent(&mut random, [-17.0, 0.0]) * [1.0, -1.0][random.below(2)];
            let by = now.map_or(DVec3::ZERO, |c| c.normal * (gap + c.overlap));
            b.pose = Pose3::new(b.pose.rotation(), at + by).unwrap();
        }
        let c = wide().contact(&a, &b).unwrap();
        let size = a.pose.translation().length() + 3.0;
        let outside = |(body, point)| oracle::distance_to_polyhedron(body, point).max(0.0);
        let off = [(&a, c.point_a), (&b, c.point_b)].map(outside);
        let off = off[0].max(off[1]) / size;
        assert!(off < 1e-8, "{off:e}: {c:?}, {sides:?}");
    }
}

/// The gap along any axis of faces or edges of two needles is far less than the distance of their tips.
#[test]
fn needles_tip_to_tip() {
    let needle = |base: [[f64; 2]; 4], height: f64| {
        let base = base.map(|[x, y]| [x, y, height]);
        hull(&[&base[..], &[[0.0; 3]]].concat())
    };
    for exponent in [26, 30, 34, 36, 38] {
        let gap = 2.0_f64.powi(-exponent);
        for r in [2.0_f64.powi(-6), 2.0_f64.powi(-10)] {
            let upper = needle([[-r, -r], [r, -r], [r, r], [-r, r]], 1.0);
            let s = 1.25 * r;
            let lower = needle([[s, 0.0], [0.0, s], [-s, 0.0], [0.0, -s]], -1.0);
            let above = Pose3::from_translation(DVec3::Z * gap).unwrap();
            let a = Placed::new(&lower, Pose3::IDENTITY);
            let found = wide().contact(&a, &Placed::new(&upper, above)).unwrap();
            let error = (found.overlap + gap).abs();
            assert!(error <= found.error_bound, "{exponent} {r} {found:?}");
        }
    }
}
