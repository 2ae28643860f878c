//! Seeded inputs for tests and benchmarks.
//!
//! Inputs are the same on every platform, except for the last digits where a function says so. A [`Workload`] runs a
//! kernel and rejects wrong results, for instance in a criterion benchmark:
//!
//! ```
//! use osculate::{Contact, SphereSphere, glam::DVec3, testing::workload};
//!
//! let pairs = workload::sphere_pairs::<DVec3>(1000, 1)?;
//! let mut kernel = SphereSphere::new(); // or your own
//! // bencher.iter(|| pairs.run(&mut kernel, |c: &Contact<DVec3>| c.overlap).unwrap());
//! let sum = pairs.run(&mut kernel, |c: &Contact<DVec3>| c.overlap)?;
//! assert_eq!(sum.contacts, pairs.expected_sum().contacts);
//! # Ok::<(), osculate::testing::properties::Violation>(())
//! ```
//!
//! | workload | bodies |
//! |---|---|
//! | [`sphere_pairs`] | spheres or discs, near each other |
//! | [`sphere_wall_pairs`] | spheres that move over a rough wall, any number of steps |
//! | [`box_pairs`] | boxes face to face |
//! | [`mixed_pairs`] | polyhedra near and far |
//! | [`capsule_pairs`] | capsules near each other |
//! | [`polyhedron_pairs`] | polyhedra that move, with gaps in a given range |
//! | [`mesh_pairs`] | rocks that share a part of their volume |
//!
//! Workloads of one step are cold: no pair comes back with its state. They may have 1e5 pairs and more.
//! [`Workload::repeated`] puts their bodies at rest.

mod pairs;
mod polyhedra;
mod rewritten;
mod solids;
mod spheres;

use glam::{DQuat, DVec3};

use crate::math::Vector;
use crate::shape::Sphere;

pub use pairs::{Workload, WorkloadSum};
pub use polyhedra::{box_pairs, capsule_pairs, mesh_pairs, mixed_pairs, polyhedron_pairs};
pub use rewritten::rewritten;
pub(super) use rewritten::without_repeated_ids;
pub use solids::{bolt, cubes, rock, sphere, torus};
pub use spheres::{sphere_pairs, sphere_wall_pairs};

/// The pseudorandom number generator SplitMix64.
///
/// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator whose seed fixes the sequence.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number uniform in [0, 1).
    pub const fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a number uniform in [from, to).
    pub const fn range(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Returns an integer uniform below a bound, 0 for a bound of 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next_u64() as u128 * bound as u128) >> 64) as usize
    }

    /// Returns a point uniform in the unit ball, at least 0.01 from the center.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let point = DVec3::from_array([0; 3].map(|_| self.range(-1.0, 1.0)));
            if (1e-4..=1.0).contains(&point.length_squared()) {
                return point;
            }
        }
    }

    /// Returns a uniform random rotation.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_array([0; 4].map(|_| self.range(-1.0, 1.0)));
            if (0.01..=1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }

    /// Shuffles the elements.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for i in (1..elements.len()).rev() {
            elements.swap(i, self.below(i + 1));
        }
    }
}

/// Returns spheres (discs in 2D) at uniform random positions in a cube; they may overlap.
///
/// Radii are uniform in [1, `size_ratio`]. The volume of the spheres is `packing_fraction` times the volume of the
/// cube. The last digits of the positions depend on the platform.
pub fn random_spheres<V: Vector>(
    count: usize,
    packing_fraction: f64,
    size_ratio: f64,
    seed: u64,
) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(seed);
    let radii: Vec<f64> = (0..count).map(|_| random.range(1.0, size_ratio)).collect();
    at_random_places(&radii, packing_fraction, &mut random)
}

/// Returns radii in [1, `size_ratio`] with a number density of r^`exponent`, in ascending order.
///
/// They are the quantiles at (i + 1/2) / `count`; the last digits depend on the platform. An exponent of 0 is
/// uniform by number, -2 by surface, -3 by volume (3D).
pub fn power_law_radii(count: usize, exponent: f64, size_ratio: f64) -> Vec<f64> {
    // F(r) = (r^p - 1) / (size_ratio^p - 1), which tends to ln r / ln size_ratio.
    let p = 1.0 + exponent;
    let all = (p * size_ratio.ln()).exp_m1();
    let quantile = |u: f64| match p {
        0.0 => size_ratio.powf(u),
        _ => ((u * all).ln_1p() / p).exp(),
    };
    let quantiles = (0..count).map(|i| quantile((i as f64 + 0.5) / count as f64));
    quantiles.map(|r| r.max(1.0).min(size_ratio)).collect()
}

/// Returns spheres (discs in 2D) with the radii of [`power_law_radii`], at uniform random positions in a cube.
///
/// The radii are in random order, and the spheres may overlap. Their volume is `packing_fraction` times the volume of
/// the cube. The last digits of radii and positions depend on the platform.
pub fn power_law_spheres<V: Vector>(
    count: usize,
    packing_fraction: f64,
    exponent: f64,
    size_ratio: f64,
    seed: u64,
) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(seed);
    let mut radii = power_law_radii(count, exponent, size_ratio);
    random.shuffle(&mut radii);
    at_random_places(&radii, packing_fraction, &mut random)
}

fn at_random_places<V: Vector>(
    radii: &[f64],
    packing_fraction: f64,
    random: &mut SplitMix64,
) -> Vec<Sphere<V>> {
    use std::f64::consts::PI;
    let (unit, power) = if V::DIM == 2 {
        (PI, 2)
    } else {
        (4.0 / 3.0 * PI, 3)
    };
    let filled: f64 = radii.iter().map(|r| unit * r.powi(power)).sum();
    let volume = filled / packing_fraction;
    let side = if V::DIM == 2 {
        volume.sqrt()
    } else {
        volume.cbrt()
    };
    radii
        .iter()
        .map(|&radius| Sphere::new(V::from_fn(|_| random.range(0.0, side)), radius))
        .collect()
}
