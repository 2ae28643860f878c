//! Seeded inputs for tests and benches: the same on every platform.

use crate::math::Vector;
use crate::shape::Sphere;

/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence fixed by its seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in [from, to).
    pub const fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Uniform below a bound, which is not 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.bits() as u128 * bound as u128) >> 64) as usize
    }

    /// Puts the elements into a random order.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for i in (1..elements.len()).rev() {
            elements.swap(i, self.below(i + 1));
        }
    }
}

/// Spheres (discs in 2D) at uniformly random places in a box of equal sides; they overlap freely.
///
/// Radii are uniform in [1, `size_ratio`]; the box is sized so that their volumes add up to
/// `packing_fraction` of its own.
pub fn random_spheres<V: Vector>(
    count: usize,
    packing_fraction: f64,
    size_ratio: f64,
    seed: u64,
) -> Vec<Sphere<V>> {
    use std::f64::consts::PI;
    let mut random = Random::new(seed);
    let radii: Vec<f64> = (0..count).map(|_| random.within(1.0, size_ratio)).collect();
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
        .into_iter()
        .map(|radius| Sphere::new(V::from_fn(|_| random.within(0.0, side)), radius))
        .collect()
}
