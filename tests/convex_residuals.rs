//! Normal, overlap and residual of common planes belong together, for bodies that all but touch,
//! thin ones and very unequal ones.
//!
//! `OSCULATE_CASES` pairs for each family; 2000 unless set.

#[path = "support/convex.rs"]
mod convex;

use convex::{Body, Flat, cases, corner, cube_times, polygon, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::{laws, oracle, workload::Random};
use osculate::{
    Bounded, CommonPlane, CommonPlaneContact, Contact, FastCommonPlane, FastPlaneContact, Mode,
    NarrowPhase, Placed, Pose2, Pose3, Vector, convex_hull, convex_hull_2d,
};

const WIDE: f64 = 1e30;

/// The largest ratio of an error to its bound, and of a bound to the larger size.
#[derive(Debug, Default)]
struct Worst {
    share: f64,
    residual: f64,
    broken: usize,
    cases: usize,
}

impl Worst {
    fn look<V: Vector>(&mut self, c: &CommonPlaneContact<V>, gap: f64, size: f64) {
        self.cases += 1;
        let error = (gap + c.overlap).abs();
        self.share = self.share.max(error / c.residual);
        self.residual = self.residual.max(c.residual / size);
        if (!(error <= c.residual) || c.residual > 0.0156e-12 * size)
            && std::env::var("SHOW").is_ok()
        {
            let k = |f: osculate::Feature| match f {
                osculate::Feature::Vertex(_) => "V",
                osculate::Feature::Edge(..) => "E",
                _ => "F",
            };
            println!(
                "BROKEN {}{} gap 1e{:.0} error 1e{:.0} residual {:.1e}",
                k(c.feature_a),
                k(c.feature_b),
                c.overlap.abs().log10(),
                error.log10(),
                c.residual / size
            );
        }
        self.broken += usize::from(!(error <= c.residual));
    }
}

fn view<V: Vector>(c: &CommonPlaneContact<V>) -> (Contact<V>, f64) {
    let CommonPlaneContact {
        point,
        normal,
        overlap,
        residual,
        ..
    } = *c;
    (
        Contact {
            point,
            normal,
            overlap,
        },
        residual,
    )
}

/// The diameter of the larger body, or the distance of bodies that are farther apart.
fn larger(a: &Body, b: &Body) -> f64 {
    let [p, q] = [a, b].map(Bounded::bounding_sphere);
    (2.0 * p.radius.max(q.radius)).max(p.center.distance(q.center))
}

/// Checks one pair in all modes.
fn check(worst: &mut Worst, a: &Body, b: &Body) {
    let along = oracle::gap_of_polyhedra_along;
    let mut kernel = CommonPlane::with_margin(WIDE).unwrap();
    let found = kernel.contact(a, b, &mut Default::default()).unwrap();
    if found.residual > 3e-14 * larger(a, b) && std::env::var("SHOW").is_ok() {
        println!("CASE {found:?}\n exact {} ", oracle::gap_of_polyhedra(a, b));
        println!(
            "   {:?} {:?}\n   {:?} {:?}",
            a.shape.vertices()[7] - a.shape.vertices()[0],
            a.pose,
            b.shape.vertices()[7] - b.shape.vertices()[0],
            b.pose
        );
        println!("   {:?}", kernel.counts());
        for i in 0..3 {
            println!(
                "  axis {i} {:?}",
                a.pose
                    .inverse_vector(b.pose.vector([DVec3::X, DVec3::Y, DVec3::Z][i]))
            );
        }
        println!("  between {:?}", a.pose.inverse_point(b.pose.translation()));
    }
    worst.look(&found, along(a, b, found.normal), larger(a, b));
}

fn exponent(random: &mut Random, [from, to]: [f64; 2]) -> f64 {
    10.0_f64.powf(random.within(from, to))
}

/// Bodies on each other, face to face, at edges and at corners, rotated together and tilted by at
/// most about their gap.
fn stacked<'a>(
    random: &mut Random,
    shapes: [&'a osculate::ConvexPolyhedron; 2],
    sides: [DVec3; 2],
) -> [Body<'a>; 2] {
    let gap = exponent(random, [-16.0, -2.0]) * [1.0, 1.0, -1.0, 0.0][random.below(4)];
    let reach = (sides[0] + sides[1]) * 0.5;
    let lateral = |random: &mut Random, reach: f64| {
        [random.within(-1.0, 1.0), 1.0, -1.0, 0.0, 0.5][random.below(5)] * reach
            + [0.0, 0.0, gap, -gap][random.below(4)]
    };
    let offset = DVec3::new(
        lateral(random, reach.x),
        lateral(random, reach.y),
        reach.z + gap,
    );
    let tilt = vector(random) * gap.abs() * [0.0, 0.1, 1.0][random.below(3)];
    let tilt = if random.below(2) == 0 {
        tilt
    } else {
        DVec3::X * tilt.x
    };
    let rotation = random.rotation();
    let pose = |q: DQuat, t| Pose3::normalizing(q, t).unwrap();
    let about = vector(random) * [0.0, 1.0, 100.0][random.below(3)];
    let tilt = DQuat::from_vec4((tilt * 0.5).extend(1.0));
    [
        Placed {
            shape: shapes[0],
            pose: pose(rotation, about),
        },
        Placed {
            shape: shapes[1],
            pose: pose(rotation * tilt, about + rotation * offset),
        },
    ]
}

#[test]
fn stacked_boxes() {
    let mut random = random(11);
    let cube = cube_times(DVec3::ONE);
    let mut worst = Worst::default();
    for _ in 0..cases(2000) {
        let [a, b] = stacked(&mut random, [&cube, &cube], [DVec3::ONE; 2]);
        check(&mut worst, &a, &b);
    }
    println!("cubes: {worst:?}");
    let mut worst = Worst::default();
    for _ in 0..cases(2000) {
        let mut sides = || DVec3::from_array([0; 3].map(|_| exponent(&mut random, [-6.0, 0.0])));
        let sides = [sides(), sides()];
        let shapes = sides.map(cube_times);
        let [a, b] = stacked(&mut random, shapes.each_ref(), sides);
        check(&mut worst, &a, &b);
    }
    println!("boxes: {worst:?}");
}

/// Random bodies whose gap is anything from deep to touching to far.
#[test]
fn random_bodies() {
    for ratio in [[0.0, 0.0], [-6.0, -1.0], [1.0, 6.0]] {
        let mut random = random(12);
        let mut worst = Worst::default();
        for _ in 0..cases(2000) {
            let sizes = [1.0, exponent(&mut random, ratio)];
            let shapes = sizes.map(|size| polyhedron(&mut random, size));
            let gap = exponent(&mut random, [-17.0, 0.0]) * [1.0, -1.0][random.below(2)];
            let [a, b] = near(&mut random, shapes.each_ref(), gap * sizes[1].min(1.0));
            check(&mut worst, &a, &b);
        }
        println!("{ratio:?}: {worst:?}");
    }
}

fn near<'a>(
    random: &mut Random,
    [p, q]: [&'a osculate::ConvexPolyhedron; 2],
    gap: f64,
) -> [Body<'a>; 2] {
    let a = Placed {
        shape: p,
        pose: Pose3::new(convex::turn(random), DVec3::ZERO).unwrap(),
    };
    let size = p.bounding_sphere().radius + q.bounding_sphere().radius;
    let mut b = Placed {
        shape: q,
        pose: Pose3::new(convex::turn(random), vector(random) * size).unwrap(),
    };
    let mut kernel = CommonPlane::with_margin(WIDE).unwrap();
    for _ in 0..2 {
        let now = kernel.contact(&a, &b, &mut Default::default()).unwrap();
        let t = b.pose.translation() + now.normal * (gap + now.overlap);
        b.pose = Pose3::new(b.pose.rotation(), t).unwrap();
    }
    [a, b]
}
