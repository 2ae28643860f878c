//! Random numbers for the examples: the same on every machine.
#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use osculate::glam::DVec3;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [from, to).
    pub fn range(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Uniform below a positive bound.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Uniform in the unit ball.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let point = DVec3::from([0; 3].map(|_| self.range(-1.0, 1.0)));
            if (1e-4..=1.0).contains(&point.length_squared()) {
                return point;
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
