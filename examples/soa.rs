//! Your own data layout, precision and vector type: arrays of f32, and structs of another library.
//!
//! `cargo run --release --example soa` takes 0.03 s.

#[path = "support/random.rs"]
mod random;

use osculate::{
    BroadPhase, Error, HierarchicalGrid, NarrowPhase, NeighborLists, Sphere, glam::DVec3,
};
use random::SplitMix64;

/// A struct of arrays in single precision, as in a solver on a GPU.
struct Particles {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius: Vec<f32>,
}

impl Particles {
    /// The conversion from f32 to f64 is exact, so spheres that touch in f32 touch here.
    fn sphere(&self, i: usize) -> Sphere<DVec3> {
        let center = [self.x[i], self.y[i], self.z[i]].map(f64::from);
        Sphere::new(DVec3::from(center), self.radius[i].into())
    }
}

/// A vector of another library, or of another version of glam; all of them convert to arrays.
#[derive(Clone, Copy)]
struct OwnVector([f32; 3]);

struct Grain {
    place: OwnVector,
    radius: f32,
}

fn main() -> Result<(), Error> {
    let mut random = SplitMix64::new(7);
    let mut column = |from, to| (0..20_000).map(|_| random.range(from, to) as f32).collect();
    let [x, y, z] = [0.0; 3].map(|from| column(from, 40.0));
    let particles = Particles {
        x,
        y,
        z,
        radius: column(0.1, 1.0),
    };
    let count = particles.radius.len();

    // A closure returns the sphere of an index; no bodies are copied first.
    let mut grid = HierarchicalGrid::new();
    grid.rebuild_with(count, |i| particles.sphere(i))?;
    let (mut pairs, mut rows) = (Vec::new(), NeighborLists::new());
    grid.collect_pairs(&mut pairs);
    rows.fill_full(count, &pairs)?; // offsets and indices as u32, ready to be passed on
    println!(
        "{count} particles, {} entries in {} rows",
        rows.indices().len(),
        rows.offsets().len() - 1
    );

    // The same from structs, with a closure on your own type as the kernel.
    let grain = |i: usize| Grain {
        place: OwnVector([particles.x[i], particles.y[i], particles.z[i]]),
        radius: particles.radius[i],
    };
    let grains: Vec<Grain> = (0..count).map(grain).collect();
    grid.rebuild_with(count, |i| {
        let Grain { place, radius } = grains[i];
        Sphere::new(DVec3::from(place.0.map(f64::from)), radius.into())
    })?;
    let mut kernel = |a: &Grain, b: &Grain| {
        let square = |k: usize| (b.place.0[k] - a.place.0[k]).powi(2);
        let overlap = a.radius + b.radius - (square(0) + square(1) + square(2)).sqrt();
        (overlap > 0.0).then_some(overlap)
    };
    let (mut touching, mut deepest) = (0, 0.0_f32);
    grid.for_each_pair(|i, j| {
        kernel.for_each_contact(&grains[i], &grains[j], &mut (), |overlap| {
            touching += 1;
            deepest = deepest.max(overlap);
        });
    });
    println!("{touching} contacts by a kernel in f32, {deepest} deep at most");

    // Each pair is in two rows. The first hundred rows equal those of a brute-force search.
    assert_eq!(rows.indices().len(), 2 * pairs.len());
    for i in 0..100 {
        let touches = |j: &usize| *j != i && particles.sphere(i).touches(&particles.sphere(*j));
        let expected: Vec<u32> = (0..count).filter(touches).map(|j| j as u32).collect();
        assert_eq!(rows.neighbors(i), expected);
    }
    assert!(
        pairs.len() - touching < 10,
        "except for rounding in f32, pairs are contacts"
    );
    Ok(())
}
