//! Vertices in blocks of eight, for support points by vector instructions without branches.

use std::hint::select_unpredictable;

use glam::DVec3;

use crate::math::MatrixPose;

/// The coordinates x, y, z of eight vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexBlock([[f64; Self::SIZE]; 3]);

/// Products of two vertices with a direction, and the vertices' indices as bits of a float.
type Products = [[f64; 2]; 2];

impl VertexBlock {
    const SIZE: usize = 8;
    pub(crate) const ZERO: Self = Self([[0.0; Self::SIZE]; 3]);

    /// Returns the number of blocks of some vertices.
    pub(crate) const fn count(vertices: usize) -> usize {
        vertices.div_ceil(Self::SIZE)
    }

    /// Returns the blocks of some vertices. The last two vertices fill the last block.
    pub(super) fn from_vertices(vertices: &[DVec3]) -> Vec<Self> {
        let block = |vertices: &[DVec3]| {
            // A repeated vertex keeps the parity of its index, which decides between equal ones.
            let last = vertices.len() - 1;
            let index = |i: usize| {
                if i > last {
                    last - ((i ^ last) & 1).min(last)
                } else {
                    i
                }
            };
            let of_axis = |axis: usize| std::array::from_fn(|i| vertices[index(i)][axis]);
            Self([0, 1, 2].map(of_axis))
        };
        vertices.chunks(Self::SIZE).map(block).collect()
    }

    /// Returns a vertex of some blocks.
    #[inline]
    pub(crate) fn vertex(blocks: &[Self], index: u32) -> DVec3 {
        let Self([x, y, z]) = &blocks[index as usize / Self::SIZE];
        let i = index as usize % Self::SIZE;
        DVec3::new(x[i], y[i], z[i])
    }

    /// Returns the vertices moved, with the bits of [`MatrixPose::transform_point`].
    #[inline]
    pub(crate) fn transformed(&self, motion: &MatrixPose) -> Self {
        let Self([x, y, z]) = self;
        let [a, b, c] = motion.rotation.to_cols_array_2d();
        let mut moved = Self::ZERO;
        for (axis, to) in moved.0.iter_mut().enumerate() {
            for (i, to) in to.iter_mut().enumerate() {
                let turned = a[axis] * x[i] + b[axis] * y[i] + c[axis] * z[i];
                *to = turned + motion.translation[axis];
            }
        }
        moved
    }

    /// Returns the support point of some blocks in a direction. Among equal products the first even index is returned;
    /// otherwise the first odd index.
    #[inline]
    pub(crate) fn farthest(blocks: &[Self], direction: DVec3) -> u32 {
        let Some((first, rest)) = blocks.split_first() else {
            return 0;
        };
        let mut best = first.largest(direction);
        for (base, block) in (1..).zip(rest) {
            let [along, ids] = block.largest(direction);
            let ids = lanes(|k| f64::from_bits(ids[k].to_bits() | (base * Self::SIZE as u64)));
            best = larger(best, [along, ids]);
        }
        let [along, ids] = best;
        let [even, odd] = ids.map(|id| id.to_bits() as u32);
        select_unpredictable(along[1] > along[0], odd + 1, even)
    }

    /// Returns the largest products with a direction among vertices with even and with odd indices, and the index of
    /// the first one of each pair.
    #[inline(always)]
    fn largest(&self, direction: DVec3) -> Products {
        let Self([x, y, z]) = self;
        let [a, b, c] = direction.to_array();
        let pair = |i: usize| {
            let along = lanes(|k| x[i + k] * a + y[i + k] * b + z[i + k] * c);
            [along, [f64::from_bits(i as u64); 2]]
        };
        larger(larger(pair(0), pair(2)), larger(pair(4), pair(6)))
    }
}

/// Returns the larger products, the first of equal ones. Compiles to masks.
#[inline(always)]
fn larger(a: Products, b: Products) -> Products {
    let part = |i: usize| lanes(|k| if b[0][k] > a[0][k] { b[i][k] } else { a[i][k] });
    [part(0), part(1)]
}

/// An array by `map` is not always vectorized.
#[inline(always)]
fn lanes(number: impl Fn(usize) -> f64) -> [f64; 2] {
    [number(0), number(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose3;
    use crate::testing::workload::SplitMix64;

    #[test]
    fn support_points_are_those_of_a_scan() {
        let mut random = SplitMix64::new(3);
        for count in 1..=40 {
            // Small integers, so that many products are equal.
            let mut point = || DVec3::from_array([0; 3].map(|_| random.range(-3.0, 3.0).round()));
            let vertices: Vec<_> = (0..count).map(|_| point()).collect();
            let blocks = VertexBlock::from_vertices(&vertices);
            for _ in 0..50 {
                let direction = point();
                let first = |parity: usize| {
                    let along = |i: usize| direction.dot(vertices[i]);
                    let of_parity = (parity..vertices.len()).step_by(2);
                    of_parity.reduce(|best, i| if along(i) > along(best) { i } else { best })
                };
                let expected = match (first(0), first(1)) {
                    (Some(even), Some(odd)) => {
                        let is_odd = direction.dot(vertices[odd]) > direction.dot(vertices[even]);
                        [even, odd][usize::from(is_odd)]
                    }
                    (even, odd) => even.or(odd).unwrap(),
                };
                let found = VertexBlock::farthest(&blocks, direction);
                assert_eq!(found as usize, expected, "{vertices:?} along {direction}");
                assert_eq!(VertexBlock::vertex(&blocks, found), vertices[expected]);
            }
        }
    }

    #[test]
    fn moved_vertices_have_the_bits_of_moved_points() {
        let mut random = SplitMix64::new(4);
        let mut point = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
        let vertices: Vec<_> = (0..8).map(|_| point()).collect();
        let rotation = glam::DQuat::from_scaled_axis(point()).normalize();
        let motion = MatrixPose::from(&Pose3::new(rotation, point()).unwrap());
        let moved = VertexBlock::from_vertices(&vertices)[0].transformed(&motion);
        for (i, vertex) in (0..).zip(vertices) {
            assert_eq!(
                VertexBlock::vertex(&[moved], i),
                motion.transform_point(vertex)
            );
        }
    }
}
