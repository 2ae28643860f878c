use super::{BroadPhase, IncrementalBroadPhase, Result, Sphere, check_body, gather};
use crate::math::{Vector, check_count};
use crate::shape::Bounded;

/// How many first bodies of pairs a chunk has.
const CHUNK: usize = 64;

/// Every body against every other: O(n^2), and the reference for all other broad phases.
///
/// The pairs come in ascending order. For some ten bodies it is also the fastest. Memory is that of
/// the spheres.
#[derive(Clone, Debug, Default)]
pub struct BruteForce<V> {
    spheres: Vec<Sphere<V>>,
}

impl<V: Vector> BruteForce<V> {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            spheres: Vec::new(),
        }
    }
}

impl<V: Vector> BroadPhase<V> for BruteForce<V> {
    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        gather(count, sphere, &mut self.spheres)
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
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

    fn for_each_touching(&self, query: &impl Bounded<V>, mut visit: impl FnMut(u32)) {
        let query = query.bounding_sphere();
        if query.validate(0).is_err() {
            return;
        }
        for (i, sphere) in self.spheres.iter().enumerate() {
            if sphere.touches(&query) {
                visit(i as u32);
            }
        }
    }
}

impl<V: Vector> IncrementalBroadPhase<V> for BruteForce<V> {
    fn insert(&mut self, sphere: Sphere<V>) -> Result<u32> {
        let body = self.spheres.len();
        check_count(body + 1)?;
        sphere.validate(body)?;
        self.spheres.push(sphere);
        Ok(body as u32)
    }

    fn remove(&mut self, body: u32) -> Result<()> {
        check_body(body, self.spheres.len())?;
        self.spheres.swap_remove(body as usize);
        Ok(())
    }

    fn relocate(&mut self, body: u32, sphere: Sphere<V>) -> Result<()> {
        check_body(body, self.spheres.len())?;
        sphere.validate(body as usize)?;
        self.spheres[body as usize] = sphere;
        Ok(())
    }
}
