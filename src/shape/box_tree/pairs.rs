use crate::math::tolerance::two_to;
use std::ops::Range;

use glam::Vec4;
use smallvec::SmallVec;

use super::{BoxTree, INNER, Node, range};
use crate::math::{Pose, Vector};

/// The same for boxes that are rotated as well.
const BOX_PAIR_F32: f32 = two_to(-19) as f32;

/// Each pair of nodes defers up to 15 others, and one of the two is a level lower than in the previous
/// pair. There are 16 levels. (An array would be initialized first, at 100 ns.)
const STACK: usize = 2 * 16 * 16;
const ALL: u32 = 0b1111;
/// 2^-84, the underflow of a rotation: each of its coefficients may lose 2^-150, and half of it as much again. Each
/// meets a sum and a difference of coordinates, up to 2^61, on three axes.
const UNDERFLOW: f32 = f32::MIN_POSITIVE * (1_u64 << 42) as f32;

impl<V: Vector> BoxTree<V> {
    /// Visits all pairs `(i, j)` of a box of this tree and a box of `other` that have a common point,
    /// each once. `pose` takes the coordinates of `other` to those of this tree.
    ///
    /// Conservative: boxes are rotated, enclosed in axis-aligned boxes and rounded outwards to f32
    /// before the test. All pairs of two leaves, of at most two boxes each, are visited together.
    /// Does not allocate.
    pub fn for_each_pair(&self, other: &Self, pose: &Pose<V>, mut visit: impl FnMut(u32, u32)) {
        self.for_each_leaf_pair(other, pose, |ours, theirs| {
            for &i in &self.ids[ours] {
                for &j in &other.ids[theirs.clone()] {
                    visit(i, j);
                }
            }
        });
    }

    /// The index of each box, in the order of the leaves.
    pub(crate) fn leaf_order(&self) -> &[u32] {
        &self.ids
    }

    /// As [`for_each_pair`](BoxTree::for_each_pair), by ranges in the order of the leaves.
    pub(crate) fn for_each_leaf_pair(
        &self,
        other: &Self,
        pose: &Pose<V>,
        mut visit: impl FnMut(Range<usize>, Range<usize>),
    ) {
        let (Some(ours), Some(theirs)) = (self.bounds, other.bounds) else {
            return;
        };
        if !ours.touches(&theirs.transformed(pose)) {
            return;
        }
        let map = Map::new(self, other, pose);
        // The masks select children: for a leaf only itself, on the way down to leaves of the other tree.
        let mut stack = SmallVec::<[(u32, u32, [u32; 2]); STACK]>::new();
        stack.push((0, 0, [ALL; 2]));
        while let Some((i, j, [our_mask, their_mask])) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            let rotated = map.rotated(b, V::DIM);
            // All pairs of children in one mask: the ends of nested loops cannot be predicted.
            let mut near = (0..4).fold(0, |near, child| {
                let is_there = their_mask >> child & u32::from(b.count[child] != 0) & 1;
                let own = rotated.near(a, child, V::DIM) & our_mask & is_there.wrapping_neg();
                near | own << (4 * child)
            });
            while near != 0 {
                let pair = near.trailing_zeros() as usize;
                near &= near - 1;
                let (own, child) = (pair % 4, pair / 4);
                let (leaf, their_leaf) = (a.count[own], b.count[child]);
                let next = match (leaf, their_leaf) {
                    (0, _) => continue,
                    (INNER, INNER) => (a.first[own], b.first[child], [ALL; 2]),
                    (INNER, _) => (a.first[own], j, [ALL, 1 << child]),
                    (_, INNER) => (i, b.first[child], [1 << own, ALL]),
                    _ => {
                        visit(range(a.first[own], leaf), range(b.first[child], their_leaf));
                        continue;
                    }
                };
                stack.push(next);
            }
        }
    }
}

/// The map from the f32 coordinates of one tree to those of another.
struct Map {
    /// `rotation[i][j]` takes coordinate j to coordinate i.
    rotation: [[f32; 3]; 3],
    shift: [f32; 3],
    /// The enlargement of boxes for rounding.
    slack: f32,
}

/// The boxes around four rotated boxes.
struct RotatedBoxes {
    min: [Vec4; 3],
    max: [Vec4; 3],
}

impl Map {
    fn new<V: Vector>(to: &BoxTree<V>, from: &BoxTree<V>, pose: &Pose<V>) -> Self {
        let ratio = to.frame.scale / from.frame.scale;
        let shift = to.frame.rounded(pose.transform_point(from.frame.center));
        let (mut rotation, mut far) = ([[0.0; 3]; 3], 0.0);
        for i in 0..V::DIM {
            // Coordinates of boxes are within 2^60.
            let mut reach = shift[i].abs();
            for j in 0..V::DIM {
                let axis = V::from_fn(|axis| if axis == j { ratio } else { 0.0 });
                rotation[i][j] = pose.transform_vector(axis)[i] as f32;
                reach += rotation[i][j].abs() * (1_u64 << 60) as f32;
            }
            far = if reach > far { reach } else { far };
        }
        let slack = far * BOX_PAIR_F32 + UNDERFLOW;
        Self {
            rotation,
            shift,
            slack,
        }
    }

    #[inline]
    fn rotated(&self, node: &Node, dim: usize) -> RotatedBoxes {
        let (mut min, mut max) = ([Vec4::ZERO; 3], [Vec4::ZERO; 3]);
        for i in 0..dim {
            let mut center = Vec4::splat(self.shift[i]);
            let mut half = Vec4::splat(self.slack);
            for j in 0..dim {
                let (middle, wide) = (node.min[j] + node.max[j], node.max[j] - node.min[j]);
                center += middle * (0.5 * self.rotation[i][j]);
                half += wide * (0.5 * self.rotation[i][j].abs());
            }
            (min[i], max[i]) = (center - half, center + half);
        }
        RotatedBoxes { min, max }
    }
}

impl RotatedBoxes {
    /// Returns a bit for each child of `node` that touches box `child`. If a coordinate overflows to
    /// NaN, in trees whose sizes are a factor of 2^60 apart, the boxes count as touching.
    #[inline(always)]
    fn near(&self, node: &Node, child: usize, dim: usize) -> u32 {
        let is_apart = |axis: usize| {
            let (min, max) = (self.min[axis][child], self.max[axis][child]);
            node.min[axis].cmpgt(Vec4::splat(max)) | node.max[axis].cmplt(Vec4::splat(min))
        };
        let apart = (1..dim).fold(is_apart(0), |apart, axis| apart | is_apart(axis));
        !apart.bitmask() & ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Aabb;
    use crate::testing::workload::SplitMix64;
    use glam::{DQuat, DVec2, DVec3};

    fn boxes<V: Vector>(count: usize, size: f64, random: &mut SplitMix64) -> Vec<Aabb<V>> {
        let mut vector = |low: f64, high: f64| V::from_fn(|_| random.range(low, high));
        let boxes = (0..count).map(|_| {
            let min = vector(-size, size);
            Aabb {
                min,
                max: min + vector(0.0, 0.1 * size),
            }
        });
        boxes.collect()
    }

    /// All pairs of touching boxes are visited, and no pair twice.
    fn check<V: Vector>(counts: [usize; 2], sizes: [f64; 2], pose: &Pose<V>, most: usize) {
        let mut random = SplitMix64::new(counts[0] as u64);
        let ours = boxes::<V>(counts[0], sizes[0], &mut random);
        let theirs = boxes::<V>(counts[1], sizes[1], &mut random);
        let [a, b] = [&ours, &theirs].map(|boxes| BoxTree::new(boxes).unwrap());
        let mut found = Vec::new();
        a.for_each_pair(&b, pose, |i, j| found.push((i, j)));
        let visited = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), visited);
        let transformed: Vec<_> = theirs.iter().map(|b| b.transformed(pose)).collect();
        let mut touching = 0;
        for (i, a) in (0..).zip(&ours) {
            for (j, _) in (0..).zip(&transformed).filter(|(_, b)| a.touches(b)) {
                touching += 1;
                assert!(found.binary_search(&(i, j)).is_ok(), "{i} {j}");
            }
        }
        assert!(
            visited <= most * touching + 2000,
            "{visited} for {touching}"
        );
    }

    #[test]
    fn no_pair_is_missed() {
        let turn = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6);
        let pose = Pose::new_normalize(turn, DVec3::new(0.5, -0.3, 0.1)).unwrap();
        for counts in [[500, 500], [1, 300], [300, 1], [3, 700], [700, 3], [0, 5]] {
            check(counts, [1.0, 1.0], &pose, 40);
            check(counts, [0.01, 1.0], &pose, 40);
        }
        check([200, 300], [1.0, 1.0], &Pose::<DVec3>::IDENTITY, 4);
        let flat = Pose::new_normalize(DVec2::new(1.0, 2.0), DVec2::new(0.5, -0.3)).unwrap();
        check::<DVec2>([500, 400], [1.0, 2.0], &flat, 40);
        // Where f32 coordinates separate nothing, all pairs are visited.
        let tiny = 2.0_f64.powi(-140);
        check([20, 20], [1.0, tiny], &Pose::<DVec2>::IDENTITY, 400);
        let far = Pose::from_translation(DVec3::X * 1e9).unwrap();
        check([60, 60], [1.0, 1.0], &far, 0);
    }
}
