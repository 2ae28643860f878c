use super::{BroadPhase, IncrementalBroadPhase, Result, Sphere, check_index, gather};
use crate::math::{Vector, check_count};
use crate::shape::Bounded;

/// Bodies per chunk. A chunk holds the pairs whose lower index is one of its bodies.
const CHUNK: usize = 64;

/// All-pairs search, the reference for all other broad phases.
///
/// Pairs come in ascending order. Memory holds only the spheres.
///
/// Cost: O(n^2), the fastest choice up to about ten bodies.
///
/// ```
/// use osculate::{BroadPhase, BruteForce, Sphere, glam::DVec2};
///
/// let mut broad = BruteForce::new();
/// broad.rebuild(&[0.0, 5.0, 1.0].map(|x| Sphere::new(DVec2::X * x, 0.5)))?;
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BruteForce<V = glam::DVec3> {
    spheres: Vec<Sphere<V>>,
}

impl<V: Vector> BruteForce<V> {
    /// Creates an empty broad phase.
    pub const fn new() -> Self {
        Self {
            spheres: Vec::new(),
        }
    }
}

impl<V: Vector> BroadPhase for BruteForce<V> {
    type Vector = V;

    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        gather(count, sphere, &mut self.spheres)
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let firsts = self.spheres.iter().enumerate();
        for (i, first) in firsts.skip(chunk.saturating_mul(CHUNK)).take(CHUNK) {
            for (j, second) in self.spheres.iter().enumerate().skip(i + 1) {
                if first.touches(second) {
                    visit(i, j);
                }
            }
        }
    }

    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        let query = query.bounding_sphere();
        if query.validate(0).is_err() {
            return;
        }
        for (i, sphere) in self.spheres.iter().enumerate() {
            if sphere.touches(&query) {
                visit(i);
            }
        }
    }
}

impl<V: Vector> IncrementalBroadPhase for BruteForce<V> {
    fn insert(&mut self, sphere: Sphere<V>) -> Result<usize> {
        let body = self.spheres.len();
        check_count(body + 1)?;
        sphere.validate(body)?;
        self.spheres.push(sphere);
        Ok(body)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        check_index(body, self.spheres.len())?;
        self.spheres.swap_remove(body);
        Ok(())
    }

    fn replace(&mut self, body: usize, sphere: Sphere<V>) -> Result<()> {
        check_index(body, self.spheres.len())?;
        sphere.validate(body)?;
        self.spheres[body] = sphere;
        Ok(())
    }
}
