//! Trees of boxes, for bodies whose density is too uneven for cells.
//!
//! Cells of one width suit one density. But many bodies may be far denser than the rest, as in isolated lumps or points
//! in lumps of lumps. Then for any width there are too many cells, or they hold too many bodies. A tree adapts to the
//! density. The bodies of a level are halved at the median along the axis of their largest extent, until at most eight
//! are left: a leaf. A node is the box around its spheres, so each octave of radii has its own tree.
//!
//! Trees are implicit. The left half gets 2^k leaves, the largest power of two below their number. So each aligned
//! block of 2^k leaves is one part of a halving, and its bodies are close together. Node j of layer l covers the
//! leaves `8^l j` to `8^l (j + 1) - 1`. Its children are the nodes `8 j` to `8 j + 7` of layer l - 1.

use super::level::Level;
use super::table::Table;
use crate::broad::simd::GROUP;
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// The number of children of a node.
const FAN: usize = 1 << LOG_FAN;
const LOG_FAN: usize = 3;

/// The largest number of layers: 2^32 bodies have 2^29 leaves, 8^10 at most.
const MAX_LAYERS: usize = 12;

/// The trees of all levels.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees<V> {
    /// The nodes, tree after tree, and layer after layer from the leaves on.
    nodes: Vec<Aabb<V>>,
    /// By level: the first node of its tree.
    starts: Vec<usize>,
}

/// Returns the number of nodes of each layer of a tree, from the leaves to the root.
fn layer_sizes(bodies: usize) -> impl Iterator<Item = usize> {
    let leaves = Some(bodies.div_ceil(GROUP)).filter(|&leaves| leaves > 0);
    std::iter::successors(leaves, |&count| (count > 1).then(|| count.div_ceil(FAN)))
}

impl<V: Vector> Trees<V> {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Aabb<V>>() * self.nodes.capacity() + 8 * self.starts.capacity()
    }

    /// Sorts the bodies of each level into leaves, within its slots of the table, and builds the trees.
    pub(super) fn build(&mut self, levels: &[Level<V>], spheres: &[Sphere<V>], table: &mut Table) {
        self.starts.clear();
        self.nodes.clear();
        let sizes = levels.iter().map(|level| level.slots.len());
        self.nodes.reserve_exact(sizes.flat_map(layer_sizes).sum());
        for level in levels {
            let mut first = self.nodes.len();
            self.starts.push(first);
            let ids = &mut table.ids[level.slots.clone()];
            sort(ids, spheres);
            let leaves = ids.chunks(GROUP).map(|ids| {
                let boxes = ids.iter().map(|&id| Aabb::from(spheres[id as usize]));
                boxes.reduce(|a, b| a.union(&b)).unwrap_or_default()
            });
            self.nodes.extend(leaves);
            while self.nodes.len() - first > 1 {
                let end = self.nodes.len();
                for child in (first..end).step_by(FAN) {
                    let children = &self.nodes[child..end.min(child + FAN)];
                    let parent = children.iter().fold(children[0], |a, b| a.union(b));
                    self.nodes.push(parent);
                }
                first = end;
            }
        }
    }

    /// Returns the leaves of a level, from leaf `from` on, whose boxes touch `query`, in ascending order.
    #[inline]
    pub(super) fn leaves<'a>(
        &'a self,
        level: usize,
        bodies: usize,
        query: &'a Aabb<V>,
        from: usize,
    ) -> Leaves<'a, V> {
        let mut starts = [0; MAX_LAYERS];
        let (mut start, mut top) = (self.starts[level], 0);
        for (layer, count) in layer_sizes(bodies).enumerate() {
            starts[layer] = start;
            (start, top) = (start + count, layer);
        }
        Leaves {
            nodes: &self.nodes,
            starts,
            top,
            query,
            from,
            leaf: 0,
            count: bodies.div_ceil(GROUP),
        }
    }

    /// Returns the box of a leaf of a level.
    #[inline]
    pub(super) fn leaf(&self, level: usize, leaf: usize) -> &Aabb<V> {
        &self.nodes[self.starts[level] + leaf]
    }
}

/// The leaves whose boxes touch a box, found depth-first from the root.
pub(super) struct Leaves<'a, V> {
    nodes: &'a [Aabb<V>],
    /// By layer, from the leaves: the first node.
    starts: [usize; MAX_LAYERS],
    top: usize,
    query: &'a Aabb<V>,
    from: usize,
    /// The next leaf, and the number of leaves.
    leaf: usize,
    count: usize,
}

impl<V: Vector> Iterator for Leaves<'_, V> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        // The layer of the largest node that starts at a leaf. Its parent, if it has one, has been found near.
        let largest = |leaf: usize| self.top.min(leaf.trailing_zeros() as usize / LOG_FAN);
        let mut layer = largest(self.leaf);
        while self.leaf < self.count {
            let node = self.leaf >> (LOG_FAN * layer);
            let end = self.leaf + (1 << (LOG_FAN * layer));
            let is_near =
                end > self.from && self.nodes[self.starts[layer] + node].touches(self.query);
            if is_near && layer > 0 {
                layer -= 1;
                continue;
            }
            self.leaf = end;
            if is_near {
                return Some(end - 1);
            }
            layer = largest(end);
        }
        None
    }
}

/// The number of bodies that are copied before they are halved further, since a copy fits the cache.
const BLOCK: usize = 64 * GROUP;

/// Sorts bodies such that each aligned block of 2^k leaves is one part of a halving.
fn sort<V: Vector>(ids: &mut [u32], spheres: &[Sphere<V>]) {
    let place = |&id: &u32| (spheres[id as usize].center, id);
    let mut copy = [(V::ZERO, 0); BLOCK];
    halve(ids, BLOCK, &place, &mut |ids| {
        let copy = &mut copy[..ids.len()];
        for (copy, id) in copy.iter_mut().zip(&*ids) {
            *copy = place(id);
        }
        halve(copy, GROUP, &|&place| place, &mut |_| ());
        for (id, copy) in ids.iter_mut().zip(copy) {
            *id = copy.1;
        }
    });
}

/// Halves bodies at the median along their widest axis until at most `least` are left, and visits the parts.
///
/// The left part has 2^k leaves with 2^k < leaves <= 2^(k+1), all full. So parts start at multiples of their
/// number of leaves, rounded up to a power of two. Ties are broken by index, which makes the order unique.
fn halve<T, V: Vector>(
    mut bodies: &mut [T],
    least: usize,
    place: &impl Fn(&T) -> (V, u32),
    visit: &mut impl FnMut(&mut [T]),
) {
    while bodies.len() > least {
        // For many bodies, a sample determines the widest axis.
        let some = bodies.iter().step_by(bodies.len().div_ceil(BLOCK));
        let mut centers = some.map(|body| place(body).0);
        let first = centers.next().unwrap_or(V::ZERO);
        let (min, max) = centers.fold((first, first), |(min, max), p| (min.min(p), max.max(p)));
        let extent = |axis: &usize| max[*axis] - min[*axis];
        let widest = (0..V::DIM).max_by(|a, b| extent(a).total_cmp(&extent(b)));
        let axis = widest.unwrap_or(0);
        let half = GROUP * (bodies.len().div_ceil(GROUP).next_power_of_two() / 2);
        bodies.select_nth_unstable_by(half, |a, b| {
            let (a, b) = (place(a), place(b));
            let along = a.0[axis].total_cmp(&b.0[axis]);
            along.then(a.1.cmp(&b.1))
        });
        let (left, right) = bodies.split_at_mut(half);
        halve(right, least, place, visit);
        bodies = left;
    }
    visit(bodies);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::hierarchical_grid::level::find_cells;
    use crate::testing::workload::SplitMix64;
    use glam::DVec2;

    /// The search finds all leaves that touch a box, in order, and no others.
    #[test]
    fn leaves_near_a_box() {
        let mut random = SplitMix64::new(1);
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 511, 513, 4097] {
            let spheres: Vec<_> = (0..count)
                .map(|_| Sphere::new(random.in_ball().truncate(), 0.01 * random.unit()))
                .collect();
            let mut table = Table::default();
            let mut levels = vec![Level::with_one_cell(1.0)];
            table.resize(&mut levels, count, usize::MAX);
            find_cells(&levels, &[], &spheres, &mut table.cells);
            table.sort(&mut levels);
            let mut trees = Trees::default();
            trees.build(&levels, &spheres, &mut table);
            let leaf_count = count.div_ceil(GROUP);
            for _ in 0..50 {
                let center = random.in_ball().truncate();
                let query: Aabb<DVec2> = Sphere::new(center, 0.3 * random.unit()).into();
                let from = random.below(leaf_count + 1);
                let found: Vec<_> = trees.leaves(0, count, &query, from).collect();
                let near = (from..leaf_count).filter(|&leaf| trees.leaf(0, leaf).touches(&query));
                assert_eq!(found, near.collect::<Vec<_>>());
            }
            // Leaves of points on a line do not overlap.
            let line: Vec<_> = (0..count)
                .map(|i| Sphere::new(DVec2::X * (i * 1009 % 4099) as f64, 0.0))
                .collect();
            trees.build(&levels, &line, &mut table);
            let leaf = |leaf: usize| trees.leaf(0, leaf);
            assert!((1..leaf_count).all(|k| leaf(k - 1).max.x < leaf(k).min.x));
            let mut ids = table.ids[..count].to_vec();
            ids.sort_unstable();
            assert!(ids.iter().copied().eq(0..count as u32));
        }
    }
}
