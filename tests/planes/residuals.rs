//! Normal, overlap and error bound of common planes are consistent, for bodies that barely touch,
//! for thin and for very unequal ones.
//!
//! `OSCULATE_CASES` pairs of each family; 500 by default.

use crate::support::cases;
use crate::support::convex::{Body, Flat, cube_times, polygon, polyhedron, random, vector};
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

/// Residuals over the size.
#[derive(Debug, Default)]
struct Residuals {
    largest: f64,
    largest_touching: f64,
    largest_of_faces: f64,
    above: usize,
}

impl Residuals {
    fn look<V: Vector>(&mut self, contact: &CommonPlaneContact<V>, size: f64) {
        let share = contact.error_bound / size;
        let features = (contact.feature_a, contact.feature_b);
        if share <= BOUND {
            self.largest = self.largest.max(share);
        } else if matches!(features, (Feature::Facet(_), Feature::Facet(_))) {
            // Faces within 2^-41 rad are one plane; the height of their corners is in the bound.
            self.largest_of_faces = self.largest_of_faces.max(share);
        } else {
            // Which of two planes that are tied at a gap of 0 is the better rounding cannot tell.
            assert!(contact.overlap.abs() <= 1e-12 * size, "{contact:?}");
            self.largest_touching = self.largest_touching.max(share);
            self.above += 1;
        }
    }

    fn check(&self, what: &str, cases: usize) {
        println!("{what}: {self:?}");
        assert!(self.largest_of_faces <= BOUND + 2.0_f64.powi(-40));
        assert!(self.largest_touching <= 4.0 * BOUND && self.above * 50 <= cases);
    }
}

/// All kernels on one pair, cold and with the state of a nearby pair.
fn check(residuals: &mut Residuals, [a, b]: &[Body; 2], [c, d]: &[Body; 2]) {
    let gap_along = oracle::gap_of_polyhedra_along;
    let of = |body: &Body| body.bounding_sphere();
    let mut fast = FastCommonPlane::new().with_margin(1e30).unwrap();
    let bound = BOUND * size([of(a), of(b)]);
    let fast = kernel::supports_give_overlap(&mut fast, a, b, gap_along, |_| bound);
    fast.unwrap_or_else(|e| panic!("{e}: {:?}, {:?}", a.pose, b.pose));
    let mut kernel = wide();
    let cold = kernel::supports_give_overlap(&mut kernel, a, b, gap_along, |c| c.error_bound);
    cold.unwrap_or_else(|e| panic!("{e}: {:?}, {:?}", a.pose, b.pose));
    let mut memory = Default::default();
    kernel.contact_with(c, d, &mut memory);
    let found = kernel.contact_with(a, b, &mut memory).unwrap();
    let error = (gap_along(a, b, found.normal) + found.overlap).abs();
    assert!(error <= found.error_bound, "{error:e}: {found:?}");
    residuals.look(&found, size([of(a), of(b)]));
}

fn exponent(random: &mut SplitMix64, [from, to]: [f64; 2]) -> f64 {
    10.0_f64.powf(random.range(from, to))
}

/// Two boxes on each other, face on face, edge on edge or corner on corner, rotated together and
/// tilted by no more than their gap; then the same a little farther apart.
fn stacked<'a>(
    random: &mut SplitMix64,
    shapes: [&'a ConvexPolyhedron; 2],
    sides: [DVec3; 2],
) -> [[Body<'a>; 2]; 2] {
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
    let body =
        |i: usize, q: DQuat, t: DVec3| Placed::new(shapes[i], Pose3::new_normalize(q, t).unwrap());
    [offset, offset * 1.001].map(|offset| {
        let second = body(1, rotation * tilt, about + rotation * offset);
        [body(0, rotation, about), second]
    })
}

#[test]
fn stacked_boxes() {
    let mut random = random(11);
    let (cube, count) = (cube_times(DVec3::ONE), cases(500));
    let mut residuals = Residuals::default();
    for _ in 0..count {
        let [pair, before] = stacked(&mut random, [&cube; 2], [DVec3::ONE; 2]);
        check(&mut residuals, &pair, &before);
    }
    residuals.check("cubes", count);
    let mut residuals = Residuals::default();
    for _ in 0..count {
        let mut side = || exponent(&mut random, [-6.0, 0.0]);
        let sides = [0; 2].map(|_| DVec3::new(side(), side(), side()));
        let shapes = sides.map(cube_times);
        let [pair, before] = stacked(&mut random, shapes.each_ref(), sides);
        check(&mut residuals, &pair, &before);
    }
    residuals.check("boxes", count);
}

/// Random bodies, thin ones among them, of sizes that are alike or differ by up to 1e6.
#[test]
fn random_bodies() {
    for ratio in [[0.0, 0.0], [-6.0, -1.0], [1.0, 6.0]] {
        let (mut random, count) = (random(12), cases(500) / 2);
        let mut residuals = Residuals::default();
        for _ in 0..count {
            let sizes = [1.0, exponent(&mut random, ratio)];
            let shapes = sizes.map(|size| polyhedron(&mut random, size));
            let gap = exponent(&mut random, [-17.0, 0.0]) * [1.0, -1.0][random.below(2)];
            let gap = gap * sizes[1].min(1.0);
            let mut pose = |at| Pose3::new(crate::support::convex::turn(&mut random), at).unwrap();
            let [a, mut b] = [0, 1].map(|i| Placed::new(&shapes[i], pose(DVec3::ZERO)));
            let mut offset = vector(&mut random) * (sizes[0] + sizes[1]);
            let before = [
                a,
                Placed {
                    pose: Pose3::new(b.pose.rotation(), offset).unwrap(),
                    ..b
                },
            ];
            for _ in 0..3 {
                b.pose = Pose3::new(b.pose.rotation(), offset).unwrap();
                let now = wide().contact(&a, &b);
                offset += now.map_or(DVec3::ZERO, |c| c.normal * (gap + c.overlap));
            }
            check(&mut residuals, &[a, b], &before);
        }
        residuals.check(&format!("sizes {ratio:?}"), count);
    }
}

fn check_flat(residuals: &mut Residuals, [a, b]: &[Flat; 2]) {
    let gap_along = oracle::gap_of_polygons_along;
    let of = |body: &Flat| body.bounding_sphere();
    let mut kernel = wide();
    let cold = kernel::supports_give_overlap(&mut kernel, a, b, gap_along, |c| c.error_bound);
    cold.unwrap_or_else(|e| panic!("{e}: {:?}, {:?}", a.pose, b.pose));
    let found = kernel.contact(a, b).unwrap();
    // A pose moves a center far from the origin of its shape with a rounding error relative to the distance.
    let remote = [a, b].map(|body| {
        let disc = body.shape.bounding_sphere();
        disc.center.length() + disc.radius
    });
    residuals.look(&found, size([of(a), of(b)]).max(remote[0] + remote[1]));
    let error = (found.overlap + oracle::gap_of_polygons(a, b)).abs();
    assert!(
        error <= found.error_bound,
        "{error:e}: {found:?}, {a:?}, {b:?}"
    );
    let bound = BOUND * size([of(a), of(b)]);
    let mut fast = FastCommonPlane::new().with_margin(1e30).unwrap();
    kernel::supports_give_overlap(&mut fast, a, b, gap_along, |_| bound).unwrap();
}

#[test]
fn polygons() {
    let (mut random, count) = (random(13), cases(500));
    let square = |x: f64, y: f64| {
        let corners = [(-x, -y), (x, -y), (x, y), (-x, y)];
        ConvexPolygon::from_convex_hull(&corners.map(|(x, y)| DVec2::new(x, y) * 0.5)).unwrap()
    };
    let mut residuals = Residuals::default();
    for _ in 0..count {
        let sides = [0; 2].map(|_| [1.0, exponent(&mut random, [-6.0, 0.0])][random.below(2)]);
        let shapes = sides.map(|y| square(1.0, y));
        let gap = exponent(&mut random, [-16.0, -2.0]) * [1.0, 1.0, -1.0][random.below(3)];
        let place = [random.range(-1.0, 1.0), 1.0, -1.0][random.below(3)];
        let offset = DVec2::new(
            place + [0.0, gap, -gap][random.below(3)],
            0.5 * (sides[0] + sides[1]) + gap,
        );
        let tilt = DVec2::new(1.0, random.range(-1.0, 1.0) * gap);
        let rotation = DVec2::from_angle(random.range(0.0, 6.0));
        let body = |i: usize, q, t| Placed::new(&shapes[i], Pose2::new_normalize(q, t).unwrap());
        let pair = [
            body(0, rotation, DVec2::ZERO),
            body(1, rotation.rotate(tilt), rotation.rotate(offset)),
        ];
        check_flat(&mut residuals, &pair);
    }
    residuals.check("squares", count);
    let mut residuals = Residuals::default();
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
            check_flat(&mut residuals, &[a, b]);
            let now = wide().contact(&a, &b);
            offset += now.map_or(DVec2::ZERO, |c| c.normal * (gap + c.overlap));
        }
    }
    residuals.check("polygons", 3 * count);
}

/// How far a point is outside a body.
fn outside(body: &Body, point: DVec3) -> f64 {
    let local = body.pose.inverse_transform_point(point);
    let heights = body.shape.surface().facets().map(|facet| {
        let corner = facet.corners().next().unwrap_or_default();
        facet.normal().dot(local - corner)
    });
    heights.fold(0.0, f64::max)
}

/// Plates and needles as thin as rounding allows, in line and in any pose: both ends of the gap are on
/// their bodies, to 1e-8 of the size for those thinner than 2^-25 that overlap.
#[test]
fn ends_of_the_gap_of_thin_bodies() {
    let (mut random, count) = (random(14), cases(500));
    let mut worst = 0.0_f64;
    for case in 0..2 * count {
        let mut side = || [1.0, exponent(&mut random, [-14.0, 0.0])][random.below(2)];
        let sides = [0; 2].map(|_| DVec3::new(1.0, side(), side()));
        let shapes = sides.map(cube_times);
        let [pair, _] = stacked(&mut random, shapes.each_ref(), sides);
        let [a, mut b] = pair;
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
        let off = outside(&a, c.point_a).max(outside(&b, c.point_b)) / size;
        assert!(off < 1e-8, "{off:e}: {c:?}, {sides:?}");
        worst = worst.max(off);
    }
    println!("off by {worst:e}");
}
