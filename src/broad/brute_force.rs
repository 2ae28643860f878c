use super::{BroadPhase, Result, Sphere, gather};
use crate::math::Vector;
use crate::shape::Bounded;

/// How many first bodies of pairs a chunk has.
const CHUNK: usize = 64;

/// Every body against every other: O(n^2), and the reference for all other broad phases.
///
/// The pairs come in ascending order. For some ten bodies it is also the fastest.
#[derive(Clone, Debug, Default)]
pub struct BruteForce<V> {
    spheres: Vec<Sphere<V>>,
    incoming: Vec<Sphere<V>>,
}

impl<V: Vector> BruteForce<V> {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            spheres: Vec::new(),
            incoming: Vec::new(),
        }
    }
}

impl<V: Vector> BroadPhase<V> for BruteForce<V> {
    fn rebuild_with(&mut self, count: usize, sphere: impl FnMut(usize) -> Sphere<V>) -> Result<()> {
        gather(count, sphere, &mut self.incoming)?;
        self.spheres.clone_from(&self.incoming);
        Ok(())
    }

    fn body_count(&self) -> usize {
        self.spheres.len()
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let firsts = self.spheres.iter().enumerate();
        for (i, first) in firsts.skip(chunk.saturating_mul(CHUNK)).take(CHUNK) {
            for (j, second) in self.spheres.iter().enumerate().skip(i + 1) {
                if first.touches(second) {
                    visit(i as u32, j as u32);
                }
            }
        }
    }

    fn for_each_near(&self, query: &impl Bounded<V>, mut visit: impl FnMut(u32)) {
        let query = query.bounding_sphere();
        if query.check(0).is_err() {
            return;
        }
        for (i, sphere) in self.spheres.iter().enumerate() {
            if sphere.touches(&query) {
                visit(i as u32);
            }
        }
    }
}
