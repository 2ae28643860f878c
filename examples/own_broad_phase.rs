//! A custom broad phase, sort and sweep, tested by the properties and timed against the crate's.
//!
//! `cargo run --release --example own_broad_phase` takes 0.4 s.

use std::error::Error;
use std::time::Instant;

use osculate::testing::{properties, strategies, workload};
use osculate::{Bounded, BroadPhase, HierarchicalGrid, Sphere, Vector, glam::DVec3};
use proptest::test_runner::{Config, TestRunner};

/// Bodies in the order of their lowest x; the extents of a pair overlap along x.
#[derive(Default)]
struct SortAndSweep<V> {
    spheres: Vec<Sphere<V>>,
    order: Vec<usize>,
}

/// Returns the extent of a sphere along x, enlarged by the rounding error.
fn span<V: Vector>(sphere: &Sphere<V>) -> [f64; 2] {
    let reach = sphere.radius + 1e-15 * (sphere.center[0].abs() + sphere.radius);
    [sphere.center[0] - reach, sphere.center[0] + reach]
}

impl<V: Vector> BroadPhase for SortAndSweep<V> {
    type Vector = V;

    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> Result<(), osculate::Error> {
        // Validates first, so that an invalid sphere changes nothing.
        (0..count).try_for_each(|i| sphere(i).validate(i))?;
        self.spheres.clear();
        self.spheres.extend((0..count).map(sphere));
        self.order.clear();
        self.order.extend(0..count);
        let low = |i: usize| span(&self.spheres[i])[0];
        self.order
            .sort_unstable_by(|&i, &j| low(i).total_cmp(&low(j)).then(i.cmp(&j)));
        Ok(())
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    /// One chunk per body: its pairs with bodies that start after it.
    fn chunk_count(&self) -> usize {
        self.order.len()
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let Some((&i, later)) = self.order.get(chunk..).and_then(<[usize]>::split_first) else {
            return;
        };
        let sphere = &self.spheres[i];
        let high = span(sphere)[1];
        for &j in later {
            let other = &self.spheres[j];
            if span(other)[0] > high {
                break;
            }
            if sphere.touches(other) {
                visit(i.min(j), i.max(j));
            }
        }
    }

    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        let query = query.bounding_sphere();
        let near = (0..).zip(&self.spheres).filter(|(_, s)| s.touches(&query));
        near.for_each(|(i, _)| visit(i));
    }
}

/// Returns the time of a step per body in nanoseconds, and the number of pairs.
fn time(
    broad: &mut impl BroadPhase<Vector = DVec3>,
    spheres: &[Sphere<DVec3>],
) -> Result<(f64, usize), osculate::Error> {
    let mut pairs = Vec::new();
    broad.rebuild(spheres)?;
    broad.collect_pairs(&mut pairs);
    let start = Instant::now();
    for _ in 0..5 {
        broad.rebuild(spheres)?;
        broad.collect_pairs(&mut pairs);
    }
    Ok((
        start.elapsed().as_nanos() as f64 / (5 * spheres.len()) as f64,
        pairs.len(),
    ))
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
    let cases = (
        strategies::lattice_spheres(40),
        -140..=140,
        strategies::lattice_spheres(10),
    );
    runner().run(&cases, |(lattice, exponent, others)| {
        let spheres = |lattice: Vec<_>| -> Vec<Sphere<DVec3>> {
            lattice.into_iter().map(strategies::to_sphere).collect()
        };
        let (bodies, others) = (spheres(lattice), spheres(others));
        let broad = &mut SortAndSweep::default();
        properties::broad::each_pair_once(broad, &bodies)?;
        properties::broad::independent_of_history(broad, &bodies, &others)?;
        properties::broad::independent_of_order(broad, &bodies, 1)?;
        properties::broad::independent_of_axes(broad, &bodies)?;
        properties::broad::scales_exactly(broad, &bodies, exponent, DVec3::ZERO)?;
        for query in others {
            properties::broad::each_touching_once(broad, &bodies, query)?;
        }
        Ok(())
    })?;
    println!("the properties hold");

    for size_ratio in [1.0, 10.0] {
        let spheres = workload::random_spheres::<DVec3>(20_000, 0.3, size_ratio, 1);
        let (own, pairs) = time(&mut SortAndSweep::default(), &spheres)?;
        let (grid, expected) = time(&mut HierarchicalGrid::new(), &spheres)?;
        assert_eq!(pairs, expected);
        println!(
            "time at size ratio {size_ratio}: own {own:.0} ns a body, HierarchicalGrid {grid:.0} ns"
        );
    }
    Ok(())
}
