//! Compares the manifold of two hulls with the integral of the depth; swapped, reduced, with state, and moved.
#![no_main]
#[path = "../../tests/support/oracle/elastic_bed.rs"]
mod elastic_bed;
#[allow(dead_code, reason = "used in part")]
#[path = "../../tests/support/property.rs"]
mod property;
#[path = "../../tests/support/wrench.rs"]
mod wrench;

use libfuzzer_sys::fuzz_target;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PointFeature, PressureField};
use osculate::testing::properties::manifold;
use osculate::*;
use osculate_fuzz::{Body, body, vector};

/// Vertices at one place are named after the body given first.
fn is_swapped(name: PointFeature, back: PointFeature) -> bool {
    let is_first = |name| matches!(name, PointFeature::FirstVertex(_));
    name == back.swapped() || is_first(name) && is_first(back)
}

/// Returns whether the ends of an edge are seen next to each other, closer than `limit` times its length, but not at one
/// place to rounding.
///
/// A vertex of the other body near both has one name in one order of the bodies, and two in the other.
fn has_edge_almost_along(m: DVec3, limit: f64, bodies: [&Placed<&ConvexPolyhedron>; 2]) -> bool {
    bodies.into_iter().any(|body| {
        let vertices = body.shape.vertices();
        body.shape.surface().edges().iter().any(|&[i, j]| {
            let edge = vertices[j as usize] - vertices[i as usize];
            let along = body.pose.transform_vector(edge).normalize();
            (1e-13..limit).contains(&along.cross(m).length())
        })
    })
}

/// Returns whether vertices of both bodies are seen at one place.
fn share_vertex(m: DVec3, bodies: [&Placed<&ConvexPolyhedron>; 2]) -> bool {
    let [p, q] = bodies.map(|body| {
        let vertices = body.shape.vertices().iter();
        let places = vertices.map(|&x| body.pose.transform_point(x));
        places.collect::<Vec<_>>()
    });
    let mut pairs = p.iter().flat_map(|&x| q.iter().map(move |&y| x - y));
    pairs.any(|arm| arm.cross(m).length() <= 1e-9)
}

fuzz_target!(|input: ([Body; 2], [i8; 3])| {
    let (bodies, normal) = input;
    let [Some(a), Some(b)] = [body(&bodies[0]), body(&bodies[1])] else {
        return;
    };
    let [p, q] = [&a, &b].map(|body| Placed::new(&body.shape, body.pose));
    let size = 1e3;
    let mut bed = ElasticBed::new();
    manifold::shares_add_up(&mut bed, &p, &q, 0.0, size).unwrap();
    let volume = ConvexConvex::new().contact(&p, &q);
    // Without a direction of its own the normal is that of the common plane, which may be one of several.
    let has_direction = volume.is_some_and(|v| v.area_vector.length() > 1e-9 * size * size);
    let normal_of_bed = bed.contact(&p, &q).map(|bed| bed.normal);
    if has_direction && let Some(m) = normal_of_bed {
        let pair = [&p, &q];
        // At a common vertex the load of cells that are seen edge-on may have either name: 1e-9 of the area times the size.
        let (slack, limit) = if share_vertex(m, pair) {
            (1e4, 1e-6)
        } else {
            (1.0, 1e-9)
        };
        if !has_edge_almost_along(m, limit, pair) {
            manifold::swap_swaps_names(&mut bed, &p, &q, slack * size, is_swapped).unwrap();
        }
    }
    let mut field = PressureField::new();
    let found = field.contact(&p, &q).map(|found| found.force);
    assert!(found.is_none_or(|force| force.is_finite()));
    assert_eq!(field.contact(&q, &p).map(|swapped| -swapped.force), found);
    let mut few = ElasticBed::new().with_max_points(3).unwrap();
    wrench::reduction_keeps_wrench(&mut bed, (&mut few, 3), &p, &q, size).unwrap();
    let path = [
        (0.0, 0.0),
        (0.1, 0.01),
        (-0.3, -0.02),
        (400.0, 0.0),
        (0.0, 0.0),
    ];
    let path = path.map(|(x, turn)| {
        let turn = DQuat::from_rotation_z(turn) * b.pose.rotation();
        let at = b.pose.translation() + DVec3::X * x;
        (
            p,
            Placed::new(&b.shape, Pose3::new_normalize(turn, at).unwrap()),
        )
    });
    wrench::points_continue(&mut bed, path, 2.0 * size).unwrap();
    let turn = DQuat::from_scaled_axis(DVec3::new(0.0123, 0.0456, 0.0789));
    let turned = Pose3::new_normalize(turn * b.pose.rotation(), b.pose.translation()).unwrap();
    let turned = Placed::new(&b.shape, turned);
    let normal = vector(normal);
    let tilted = normal + DVec3::new(0.0137, 0.0271, 0.0391);
    // With and without ties.
    for (q, normal) in [(q, normal), (turned, normal), (turned, tilted)] {
        let Some(normal) = normal.try_normalize() else {
            continue;
        };
        let found = bed.manifold(&p, &q, normal, &mut Default::default());
        let (volume, area) = found.map_or((0.0, 0.0), |found| (found.volume, found.area));
        let expected = elastic_bed::elastic_bed(&p, &q, normal).map_or(0.0, |bed| bed.0);
        let error = (volume - expected).abs();
        // A bed is as narrow as the rounding of positions; length and depth may be large.
        let allowed = 1e-9 * area * size + 1e-15 * size * size * size;
        assert!(error <= allowed, "{found:?} {expected}");
    }
});
