//! Manifolds of elastic beds by random inputs that are biased to ties and extremes. OSCULATE_CASES sets
//! the number of cases.

use crate::support::convex::Body;
use crate::support::lattice::config;
use crate::support::oracle::elastic_bed::elastic_bed;
use crate::support::wrench;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ElasticBedState, PointFeature};
use osculate::testing::properties::{Violation, manifold};
use osculate::testing::strategies::{self as any, PlacedPolyhedron};
use osculate::{
    CommonPlane, ContactManifold, ConvexPolyhedron, ElasticBed, NarrowPhase, Placed, Pose3,
};
use proptest::prelude::*;

/// The kernel along a normal that is fixed to the first body.
#[derive(Default)]
struct Along(ElasticBed);

impl NarrowPhase<(Body<'_>, DVec3), Body<'_>> for Along {
    type Contact = ContactManifold;
    type State = ElasticBedState;

    fn for_each_contact(
        &mut self,
        (a, normal): &(Body, DVec3),
        b: &Body,
        state: &mut ElasticBedState,
        visit: impl FnMut(ContactManifold),
    ) {
        let normal = a.pose.transform_vector(*normal);
        let manifold = self.0.manifold(a, b, normal, state);
        manifold.into_iter().for_each(visit);
    }
}

fn bodies(pair: &[PlacedPolyhedron; 2]) -> [Body<'_>; 2] {
    pair.each_ref().map(|b| Placed::new(&*b.shape, b.pose))
}

/// A bound of all coordinates.
fn size_of(bodies: &[Body; 2]) -> f64 {
    let far = |b: &Body| {
        let reach = b.shape.vertices().iter().map(|v| v.length());
        b.pose.translation().length() + reach.fold(0.0, f64::max)
    };
    far(&bodies[0]) + far(&bodies[1])
}

/// Vertices at one place are named after the body given first.
fn is_swapped(name: PointFeature, back: PointFeature) -> bool {
    let is_first = |name| matches!(name, PointFeature::FirstVertex(_));
    name == back.swapped() || is_first(name) && is_first(back)
}

/// Properties that hold for any pose, ties included.
fn check(bodies: &[Body; 2], size: f64) -> Result<(), Violation> {
    let [a, b] = bodies;
    let bed = &mut ElasticBed::new();
    manifold::shares_add_up(bed, a, b, 0.0, size)?;
    if a.pose != b.pose || a.shape.vertices() != b.shape.vertices() {
        manifold::swap_swaps_names(bed, a, b, size, is_swapped)?;
    }
    for count in [1, 3, 8] {
        let few = &mut ElasticBed::new().with_max_points(count)?;
        wrench::reduction_keeps_wrench(bed, (few, count), a, b, size)?;
        manifold::shares_add_up(few, a, b, 0.0, size)?;
    }
    Ok(())
}

/// A rotation without ties, and a direction near that of the centers.
fn generic(bodies: &mut [Body; 2], [turn, tilt]: [[f64; 3]; 2]) -> Option<DVec3> {
    let turn = DQuat::from_scaled_axis(DVec3::from_array(turn));
    let [a, b] = bodies;
    let pose = Pose3::new_normalize(turn * b.pose.rotation(), b.pose.translation());
    b.pose = pose.unwrap();
    let center = |body: &Body| body.pose.transform_point(body.shape.centroid());
    let between = (center(b) - center(a)).try_normalize()?;
    (between + DVec3::from_array(tilt)).try_normalize()
}

/// The largest errors; printed by a run with `--nocapture`.
fn note(place: usize, error: f64) {
    static WORST: std::sync::Mutex<[f64; 4]> = std::sync::Mutex::new([0.0; 4]);
    let mut worst = WORST.lock().unwrap();
    if error > worst[place] {
        worst[place] = error;
        println!("{worst:?}");
    }
}

fn shortest_edge(shape: &ConvexPolyhedron) -> f64 {
    let at = |id: u32| shape.vertices()[id as usize];
    let edges = shape.surface().edges().iter();
    edges
        .map(|&[i, j]| at(i).distance(at(j)))
        .fold(f64::INFINITY, f64::min)
}

fn small_vector() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-0.3..0.3)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_polyhedra(
        (pair, scale) in any::placed_polyhedra(),
        margin in prop::sample::select(vec![0.01, 1.0, 4.0]),
        far in prop::sample::select(vec![1.0, 1e3, 1e6]),
    ) {
        let mut bodies = bodies(&pair);
        prop_assert!(size_of(&bodies) < 40.0 * scale);
        check(&bodies, size_of(&bodies))?;
        let [a, b] = &bodies;
        let wide = &mut ElasticBed::new().with_margin(margin * scale).unwrap();
        manifold::shares_add_up(wide, a, b, margin * scale, size_of(&bodies))?;
        // Near bodies need not have a bed: seen along the plane's normal they may be beside each other.
        let plane = CommonPlane::new().with_margin(margin * scale).unwrap().contact(a, b);
        prop_assert!(plane.is_some() || wide.contact(a, b).is_none());
        for body in &mut bodies {
            let at = body.pose.translation() + DVec3::new(1.0, -0.3, 0.7) * (far * scale);
            body.pose = Pose3::new(body.pose.rotation(), at).unwrap();
        }
        check(&bodies, size_of(&bodies))?;
    }

    #[test]
    fn boxes_and_edges(boxes in any::touching_boxes(), edges in any::crossing_edges()) {
        for pair in [&boxes.0, &edges.0] {
            let bodies = bodies(pair);
            check(&bodies, size_of(&bodies))?;
        }
    }

    /// With and without ties.
    #[test]
    fn beds_agree_with_the_oracle(
        (pair, _) in any::placed_polyhedra(),
        turns in prop::array::uniform2(prop_oneof![Just([0.0; 3]), small_vector()]),
    ) {
        let mut bodies = bodies(&pair);
        let Some(normal) = generic(&mut bodies, turns) else { return Ok(()) };
        let size = size_of(&bodies);
        let [a, b] = bodies;
        let mut bed = ElasticBed::new();
        let found = bed.manifold(&a, &b, normal, &mut Default::default());
        let expected = elastic_bed(&a, &b, normal);
        if let (Some(found), Some((volume, center))) = (&found, expected) {
            let error = (found.volume - volume).abs() / (found.area * size);
            let apart = found.point - center;
            let aside = apart.reject_from_normalized(normal).length() * volume / (found.area * size * size);
            note(0, error);
            note(1, aside);
            prop_assert!(error < 1e-12 && aside < 1e-12, "{found:?} {error:e} {aside:e}");
        } else {
            let volume = found.map_or(0.0, |m| m.volume) + expected.map_or(0.0, |e| e.0);
            note(2, volume / size.powi(3));
            prop_assert!(volume < 1e-9 * size.powi(3), "{found:?} {expected:?}");
        }
    }

    /// Without ties, names and shares stay under motions, scaling and small steps.
    #[test]
    fn names_stay(
        (pair, _) in any::placed_polyhedra(),
        turns in prop::array::uniform2(small_vector()),
        motion in any::pose(),
        (far, exponent) in (prop::sample::select(vec![0.0, 1.0, 100.0]), -20..=20),
        step in small_vector(),
    ) {
        let mut bodies = bodies(&pair);
        let Some(normal) = generic(&mut bodies, turns) else { return Ok(()) };
        let size = size_of(&bodies);
        let [a, b] = bodies;
        // Ends of a short edge are a tie for the choice of points to keep.
        prop_assume!([a, b].iter().all(|body| shortest_edge(body.shape) > 1e-6 * size));
        let local = a.pose.inverse_transform_vector(normal);
        let bed = &mut Along::default();
        // Merged points depend on the order of the nodes.
        let count = bed.contact(&(a, local), &b).map_or(0, |m| m.points().len());
        prop_assume!(count < 8);
        let moved = |by: &Pose3| {
            let [a, b] = [a, b].map(|body| Placed::new(body.shape, *by * body.pose));
            ((a, local), b)
        };
        let motion = Pose3::new(motion.rotation(), motion.translation() * (far * size)).unwrap();
        manifold::names_move_rigidly(bed, moved, &motion, 1e-12 * size * (1.0 + far))?;
        let near = DVec3::from_array(step) * 1e-8;
        let turn = DQuat::from_scaled_axis(near) * b.pose.rotation();
        let pose = Pose3::new_normalize(turn, b.pose.translation() + near * size).unwrap();
        let after = ((a, local), Placed::new(b.shape, pose));
        let area = bed.contact(&(a, local), &b).map_or(1.0, |m| m.area);
        manifold::shares_follow_motion(bed, &((a, local), b), &after, 1e-7 * size.powi(3) / area)?;
        let shapes = [1.0, 2.0_f64.powi(exponent)].map(|factor| [a, b].map(|body| {
            let vertices: Vec<_> = body.shape.vertices().iter().map(|&v| v * factor).collect();
            ConvexPolyhedron::from_convex_hull(&vertices).unwrap()
        }));
        let scaled = |factor: f64| {
            let place = |k: usize| {
                let pose = [a, b][k].pose;
                let pose = Pose3::new(pose.rotation(), pose.translation() * factor).unwrap();
                Placed::new(&shapes[usize::from(factor != 1.0)][k], pose)
            };
            ((place(0), local), place(1))
        };
        manifold::names_scale_exactly(bed, scaled, exponent)?;
    }

    /// Along a path points continue those with their names; the state changes no load.
    #[test]
    fn points_continue(
        (pair, _) in any::placed_polyhedra(),
        steps in prop::collection::vec(prop::array::uniform2(small_vector()), 1..12),
        most in 1_usize..=8,
    ) {
        let bodies = bodies(&pair);
        let size = size_of(&bodies);
        let [a, mut b] = bodies;
        let path = steps.iter().map(|&[turn, shift]| {
            let [turn, shift] = [turn, shift].map(|v| DVec3::from_array(v) * 0.3);
            let turn = DQuat::from_scaled_axis(turn) * b.pose.rotation();
            b.pose = Pose3::new_normalize(turn, b.pose.translation() + shift * size).unwrap();
            (a, b)
        });
        let path: Vec<_> = path.collect();
        let mut bed = ElasticBed::new().with_max_points(most).unwrap();
        wrench::points_continue(&mut bed, path, 2.0 * size)?;
    }
}
