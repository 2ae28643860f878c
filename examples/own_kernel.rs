//! Custom kernels as closures, tested by the properties and timed by the workloads.
//!
//! `cargo run --release --example own_kernel` takes 0.2 s.

use std::borrow::Borrow;
use std::error::Error;
use std::time::Instant;

use osculate::glam::DVec3;
use osculate::testing::properties::{Violation, kernel};
use osculate::testing::workload::{Workload, polyhedron_pairs, sphere_pairs};
use osculate::testing::{oracle, strategies};
use osculate::{
    CommonPlane, CommonPlaneContact, Contact, ConvexPolyhedron, NarrowPhase, Placed, Sphere,
    SphereSphere,
};
use proptest::test_runner::{Config, TestRunner};

/// Two spheres, as in a textbook.
fn spheres(a: &Sphere<DVec3>, b: &Sphere<DVec3>) -> Option<Contact<DVec3>> {
    let ab = b.center - a.center;
    let distance = ab.length();
    let overlap = a.radius + b.radius - distance;
    (overlap > 0.0).then(|| {
        let normal = ab / distance;
        let point = a.center + normal * (a.radius - 0.5 * overlap);
        Contact {
            point,
            normal,
            overlap,
        }
    })
}

/// Two polyhedra by the separating axis theorem, over all faces and all pairs of edges.
///
/// Returns `None` for separated bodies.
fn polyhedra<S: Borrow<ConvexPolyhedron>>(
    a: &Placed<S, DVec3>,
    b: &Placed<S, DVec3>,
) -> Option<Contact<DVec3>> {
    let vertices = [a, b].map(|body| {
        let local = body.shape.borrow().vertices();
        local
            .iter()
            .map(|&v| body.pose.transform_point(v) - a.pose.translation())
            .collect::<Vec<_>>()
    });
    let normals = [a, b].map(|body| {
        let facets = body.shape.borrow().surface().facets();
        facets
            .map(|f| body.pose.transform_vector(f.normal()))
            .collect::<Vec<_>>()
    });
    let edges = [0, 1].map(|i| {
        let edges = [a, b][i].shape.borrow().surface().edges();
        edges
            .iter()
            .map(|e| vertices[i][e[1] as usize] - vertices[i][e[0] as usize])
            .collect::<Vec<_>>()
    });
    let ends = |m: DVec3| {
        let along = |i: usize| vertices[i].iter().map(move |v| m.dot(*v));
        (
            along(0).fold(f64::MIN, f64::max),
            along(1).fold(f64::MAX, f64::min),
        )
    };
    let mut best = (f64::MIN, DVec3::ZERO);
    let mut look = |m: DVec3| {
        let (high, low) = ends(m);
        if low - high > best.0 {
            best = (low - high, m);
        }
    };
    normals[0].iter().for_each(|&m| look(m));
    normals[1].iter().for_each(|&m| look(-m));
    for p in &edges[0] {
        for q in &edges[1] {
            let across = p.cross(*q);
            let length = across.length();
            // Edges that are parallel to rounding define no axis.
            if length > 1e-14 * p.length() * q.length() {
                look(across / length);
                look(-across / length);
            }
        }
    }
    let (gap, normal) = best;
    (gap < 0.0).then(|| {
        // The point of the middle plane closest to the origin of the first body.
        let (high, low) = ends(normal);
        let point = a.pose.translation() + normal * (0.5 * (high + low));
        Contact {
            point,
            normal,
            overlap: -gap,
        }
    })
}

/// Returns the time per pair in nanoseconds; the workload rejects wrong results.
fn time<A, K: NarrowPhase<A, A>>(
    workload: &Workload<A>,
    kernel: &mut K,
    overlap: impl Fn(&K::Contact) -> f64,
) -> Result<f64, Violation> {
    workload.run(kernel, &overlap)?;
    let start = Instant::now();
    for _ in 0..10 {
        workload.run(kernel, &overlap)?;
    }
    Ok(start.elapsed().as_nanos() as f64 / (10 * workload.len()) as f64)
}

/// As `proptest!`, but without regression files.
fn runner() -> TestRunner {
    TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    // In your tests these lines are in `proptest! { .. }`.
    runner().run(&strategies::touching_spheres::<DVec3>(), |([a, b], gap)| {
        // At a tie both results pass, within the rounding error for these sizes.
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        kernel::gap_is(&mut spheres, &a, &b, gap, 1e-15 * size)?;
        Ok(kernel::swap_negates(&mut spheres, &a, &b)?)
    })?;
    println!("spheres: gap and swap hold");

    runner().run(&strategies::placed_polyhedra(), |([a, b], scale)| {
        let gap = oracle::gap_of_polyhedra(&a, &b);
        Ok(kernel::gap_is(&mut polyhedra, &a, &b, gap, 1e-13 * scale)?)
    })?;
    println!("polyhedra: gap holds");

    let pairs = sphere_pairs::<DVec3>(10_000, 1)?;
    let own = time(&pairs, &mut spheres, |c| c.overlap)?;
    let crates = time(&pairs, &mut SphereSphere::new(), |c: &Contact<DVec3>| {
        c.overlap
    })?;
    println!("time of spheres: own {own:.1} ns a pair, SphereSphere {crates:.1} ns");
    let pairs = polyhedron_pairs(8, [-0.05, -0.01], 32, 16, 1)?;
    let own = time(&pairs, &mut polyhedra, |c| c.overlap)?;
    let overlap = |c: &CommonPlaneContact<DVec3>| c.overlap;
    let crates = time(&pairs, &mut CommonPlane::new(), overlap)?;
    println!("time of polyhedra: own {own:.0} ns a pair, CommonPlane {crates:.0} ns");
    Ok(())
}
