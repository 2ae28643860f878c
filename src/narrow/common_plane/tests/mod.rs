//! Against the oracle: all families of bodies, all depths, all sizes.

mod against_the_oracle;
mod difference_polytope;
pub(super) mod effort;
mod hand;
mod laws;
mod polygons;
mod tilted;

use glam::{DQuat, DVec2, DVec3};

use self::effort::Steps;
use super::{CommonPlane, CommonPlaneContact, CommonPlaneState};
use crate::math::{Pose2, Pose3};
use crate::narrow::NarrowPhase;
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Bounded, ConvexPolygon, ConvexPolyhedron, Feature, Placed, Rounded};
use crate::testing::oracle::{gap_of_polygons, gap_of_polyhedra};
use crate::testing::properties::kernel::swap_negates;
use crate::testing::workload::SplitMix64;

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

/// Returns a cube around the origin.
pub(super) fn cube(half: f64) -> ConvexPolyhedron {
    let sign = |i: u32, k: u32| if i >> k & 1 == 1 { half } else { -half };
    let corners = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
    ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap()
}

/// Returns the frame of two bodies, the second one displaced.
pub(super) fn frame<'a>(bodies: [&'a ConvexPolyhedron; 2], translation: DVec3) -> PairFrame<'a> {
    let [p, q] = bodies.map(ConvexPolyhedron::boundary);
    PairFrame::new(p, q, &Pose3::from_translation(translation).unwrap())
}

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

fn rotation(random: &mut SplitMix64) -> DQuat {
    loop {
        let q = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
        if (0.01..1.0).contains(&q.length_squared()) {
            return q;
        }
    }
}

/// Kinds of bodies, all of size about 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    Tetrahedron,
    Pyramid,
    Cube,
    Fourteen,
    Rock,
    Eight,
    Needle,
    Plate,
    Sliver,
    Fifty,
    FiveHundred,
}
use Family::*;

/// Those with few vertices.
const SMALL: [Family; 9] = [
    Tetrahedron,
    Pyramid,
    Cube,
    Fourteen,
    Rock,
    Eight,
    Needle,
    Plate,
    Sliver,
];

fn points(family: Family, random: &mut SplitMix64) -> Vec<DVec3> {
    let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let mut ball = |count: usize, stretch: DVec3| -> Vec<DVec3> {
        (0..count)
            .map(|_| vector(random).normalize() * stretch)
            .collect()
    };
    match family {
        Tetrahedron => ball(4, DVec3::ONE),
        Pyramid => [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)]
            .map(|(x, y, z)| DVec3::new(x.into(), y.into(), f64::from(z) * 1.5))
            .to_vec(),
        Cube => (0..8).map(|i| cube(i) - DVec3::splat(0.5)).collect(),
        Fourteen => {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat();
            let corners = (0..8).map(|i| cube(i) - DVec3::splat(0.5));
            corners.chain(axes).collect()
        }
        Rock => rock(random),
        Eight => ball(8, DVec3::ONE),
        Needle => ball(12, DVec3::new(1.0, 0.01, 0.01)),
        Plate => ball(20, DVec3::new(1.0, 1.0, 0.01)),
        Sliver => ball(4, DVec3::new(1.0, 1.0, 1e-4)),
        Fifty => ball(50, DVec3::ONE),
        FiveHundred => ball(500, DVec3::ONE),
    }
}

fn scaled(family: Family, size: f64, random: &mut SplitMix64) -> ConvexPolyhedron {
    loop {
        let points: Vec<_> = points(family, random).iter().map(|x| *x * size).collect();
        if let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) {
            return hull;
        }
    }
}

fn shape(family: Family, random: &mut SplitMix64) -> ConvexPolyhedron {
    scaled(family, 1.0, random)
}

/// A Voronoi cell: what is left of a cube cut by the planes half way to random neighbors.
fn rock(random: &mut SplitMix64) -> Vec<DVec3> {
    // The dual of the hull of the dual points.
    let planes: Vec<_> = (0..16)
        .map(|_| {
            let half = vector(random) + vector(random);
            half * (0.6 / half.length_squared().max(0.05).sqrt() + 0.2 * random.unit())
        })
        .chain([DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat())
        .collect();
    let dual: Vec<_> = planes.iter().map(|p| *p / p.length_squared()).collect();
    let dual = ConvexPolyhedron::from_convex_hull(&dual).unwrap();
    let corner = |f: crate::shape::Facet| {
        let height = f.normal().dot(f.corners().next().unwrap_or_default());
        f.normal() / height
    };
    dual.surface().facets().map(corner).collect()
}

fn contact(
    kernel: &mut CommonPlane,
    a: &Body,
    b: &Body,
    memory: &mut CommonPlaneState<DVec3>,
) -> Option<CommonPlaneContact<DVec3>> {
    let mut found = None;
    kernel.for_each_contact(a, b, memory, |contact| found = Some(contact));
    found
}

fn cold(kernel: &mut CommonPlane, a: &Body, b: &Body) -> CommonPlaneContact<DVec3> {
    contact(kernel, a, b, &mut Default::default()).expect("within the margin")
}

fn wide() -> CommonPlane {
    CommonPlane::new().with_margin(1e30).unwrap()
}

fn at<'a>(body: &Body<'a>, translation: DVec3) -> Body<'a> {
    let pose = Pose3::new(body.pose.rotation(), translation).unwrap();
    Placed { pose, ..*body }
}

/// The seed of a test, another one by the environment.
fn seed(own: u64) -> u64 {
    own + (1000 * environment("OSCULATE_SEED").unwrap_or(0)) as u64
}

/// How many random cases: few in CI, more by the environment.
fn cases(few: usize) -> usize {
    environment("OSCULATE_CASES").unwrap_or(few)
}

fn environment(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// Two bodies in any orientation. The second is moved along the normal until the gap is about `gap`.
fn near_pair<'a>(
    random: &mut SplitMix64,
    [a, b]: [&'a ConvexPolyhedron; 2],
    gap: f64,
) -> [Body<'a>; 2] {
    let pose = |random: &mut SplitMix64, t| Pose3::new_normalize(rotation(random), t).unwrap();
    let a = Placed {
        shape: a,
        pose: pose(random, DVec3::ZERO),
    };
    let size = a.shape.bounding_sphere().radius + b.bounding_sphere().radius;
    let away = vector(random) * size;
    let b = Placed {
        shape: b,
        pose: pose(random, away),
    };
    let now = cold(&mut wide(), &a, &b);
    let moved = away + now.normal * (gap + now.overlap);
    [a, at(&b, moved)]
}
