//! A tree of bounding boxes, for queries by boxes, spheres and other trees.
//!
//! H. Dammertz, J. Hanika, A. Keller, "Shallow bounding volume hierarchies for fast SIMD ray
//! tracing of incoherent rays", Computer Graphics Forum 27 (2008) 1225-1233: nodes have four
//! children, which are tested at once.
//!
//! Deviations:
//! - Boxes are split at the median of their centers, not by the surface area heuristic.
//!   docs/DESIGN.md has the numbers.
//! - Nodes store f32 coordinates relative to the middle of the boxes. Bounds are not enlarged: the map
//!   to f32 is monotone, so boxes that touch still touch. For spheres the radius is enlarged instead.
//!   Boxes in leaves are tested in f64.

mod pairs;

use std::cell::Cell;
use std::ops::Range;

use glam::Vec4;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::{BOX_QUERY_F32, SQUARED_DISTANCE};
use crate::math::{Vector, check_count, check_same_count};
use crate::shape::{Aabb, Sphere};

/// The most boxes in a leaf.
const LEAF: usize = 2;
/// Up to 2^32 boxes make 16 levels of nodes. On each level except the last two, three children wait
/// while one is visited; on the last but one, four.
const STACK: usize = 48;

/// A tree of boxes of any sizes.
///
/// Cost: a query takes O(log n + k) for k results if the boxes overlap little, and does not allocate.
/// About 100 bytes per box. The order of results depends only on the boxes and the query.
///
/// ```
/// use osculate::{Aabb, Sphere, glam::DVec2, shape::BoxTree};
///
/// let cell = |x: f64| Aabb { min: DVec2::new(x, 0.0), max: DVec2::new(x + 1.0, 1.0) };
/// let tree = BoxTree::new(&[cell(0.0), cell(1.0), cell(7.0)])?;
/// let mut near = Vec::new();
/// tree.for_each_touching(&cell(2.0), |i| near.push(i));
/// assert_eq!(near, [1]);
/// near.clear();
/// tree.for_each_touching_sphere(&Sphere::new(DVec2::new(5.0, 0.5), 2.0), |i| near.push(i));
/// assert_eq!(near, [2]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct BoxTree<V = glam::DVec3> {
    /// Children come after their parents.
    nodes: Vec<Node>,
    /// In the order of the leaves.
    boxes: Vec<Aabb<V>>,
    /// The index of each of them.
    ids: Vec<u32>,
    bounds: Option<Aabb<V>>,
    frame: Frame<V>,
}

/// Coordinates in single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame<V> {
    pub(crate) center: V,
    /// A power of two.
    pub(crate) scale: f64,
}

/// Up to four children: `min[axis][child]`.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(128))]
struct Node {
    min: [Vec4; 3],
    max: [Vec4; 3],
    /// The node of a child, or the first box of a leaf.
    first: [u32; 4],
    /// The number of boxes of a leaf (0 without a child), or [`INNER`].
    count: [u32; 4],
}

const INNER: u32 = u32::MAX;

impl Node {
    const EMPTY: Self = Self {
        min: [Vec4::INFINITY; 3],
        max: [Vec4::NEG_INFINITY; 3],
        first: [0; 4],
        count: [0; 4],
    };
}

impl<V: Vector> BoxTree<V> {
    /// Builds a tree of boxes. O(n log n).
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`], or for the lowest bad box [`ErrorKind::Coordinate`] or
    /// [`ErrorKind::Bounds`].
    pub fn new(boxes: &[Aabb<V>]) -> Result<Self> {
        check(boxes)?;
        Ok(Self::from_good(boxes.to_vec()))
    }

    /// Builds a tree of valid boxes.
    pub(crate) fn from_good(boxes: Vec<Aabb<V>>) -> Self {
        let mut ids: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::new();
        if !boxes.is_empty() {
            grow(&mut nodes, &boxes, &mut ids, 0);
        }
        let mut tree = Self {
            nodes,
            boxes: ids.iter().map(|&id| boxes[id as usize]).collect(),
            ids,
            ..Self::default()
        };
        tree.fit();
        tree
    }

    /// Returns the number of boxes.
    pub fn box_count(&self) -> usize {
        self.boxes.len()
    }

    /// Returns the smallest box around all boxes, `None` without boxes.
    pub fn bounds(&self) -> Option<Aabb<V>> {
        self.bounds
    }

    /// Replaces all boxes and keeps the structure of the tree. O(n), no allocation.
    ///
    /// Results equal those of a new tree, except for their order. Queries become slower the more the
    /// boxes move relative to each other.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the number of boxes differs; otherwise as for
    /// [`new`](BoxTree::new). The tree keeps its previous boxes.
    pub fn refit(&mut self, boxes: &[Aabb<V>]) -> Result<()> {
        check_same_count(self.box_count(), boxes.len())?;
        check(boxes)?;
        self.refit_with(|i| boxes[i]);
        Ok(())
    }

    /// Replaces all boxes by valid ones.
    pub(crate) fn refit_with(&mut self, bounds: impl Fn(usize) -> Aabb<V>) {
        for (own, &id) in self.boxes.iter_mut().zip(&self.ids) {
            *own = bounds(id as usize);
        }
        self.fit();
    }

    /// Computes the bounds from the boxes upwards.
    fn fit(&mut self) {
        self.bounds = Aabb::around(self.boxes.iter().copied());
        let Some(bounds) = self.bounds else { return };
        let third = |i: usize| self.boxes[(self.boxes.len() - 1) * i / 4].center();
        self.frame = Frame::new([1, 2, 3].map(third), &bounds);
        for i in (0..self.nodes.len()).rev() {
            for child in 0..4 {
                let (first, count) = (self.nodes[i].first[child], self.nodes[i].count[child]);
                let (min, max) = if count == INNER {
                    let Node { min, max, .. } = &self.nodes[first as usize];
                    (min.map(Vec4::min_element), max.map(Vec4::max_element))
                } else if let Some(leaf) =
                    Aabb::around(self.boxes[range(first, count)].iter().copied())
                {
                    (self.frame.rounded(leaf.min), self.frame.rounded(leaf.max))
                } else {
                    continue;
                };
                for axis in 0..V::DIM {
                    self.nodes[i].min[axis][child] = min[axis];
                    self.nodes[i].max[axis][child] = max[axis];
                }
            }
        }
    }

    /// Visits each box that has a common point with `query` once. Touching counts. A query with a NaN
    /// touches nothing.
    pub fn for_each_touching(&self, query: &Aabb<V>, mut visit: impl FnMut(u32)) {
        self.for_each_slot_touching(query, |slot| visit(self.ids[slot as usize]));
    }

    /// The same, by places in [`leaf_order`](BoxTree::leaf_order).
    pub(crate) fn for_each_slot_touching(&self, query: &Aabb<V>, visit: impl FnMut(u32)) {
        let min = self.frame.rounded(query.min).map(Vec4::splat);
        let max = self.frame.rounded(query.max).map(Vec4::splat);
        let are_near = |node: &Node| {
            (0..V::DIM).fold(0b1111, |near, axis| {
                let ends = node.min[axis].cmple(max[axis]) & node.max[axis].cmpge(min[axis]);
                near & ends.bitmask()
            })
        };
        self.each_box(are_near, |bounds| bounds.touches(query), visit);
    }

    /// Visits once each box whose distance from the center of `query` is at most the radius of `query`.
    ///
    /// Conservative: also visits boxes whose distance exceeds the radius by less than 2^-48 of it, or
    /// is below 2^-500 for a radius of 0. A query out of the domain touches nothing.
    pub fn for_each_touching_sphere(&self, query: &Sphere<V>, visit: impl FnMut(u32)) {
        if query.validate(0).is_ok() {
            self.for_each_within(query.radius, query.center, visit);
        }
    }

    /// As [`for_each_touching_sphere`](BoxTree::for_each_touching_sphere), for any finite radius and
    /// center.
    pub(crate) fn for_each_within(&self, reach: f64, point: V, mut visit: impl FnMut(u32)) {
        self.for_each_slot_within(reach, point, |slot| visit(self.ids[slot as usize]));
    }

    /// The same, by places in [`leaf_order`](BoxTree::leaf_order).
    pub(crate) fn for_each_slot_within(&self, reach: f64, point: V, visit: impl FnMut(u32)) {
        let reach_squared = reach * reach * (1.0 + SQUARED_DISTANCE);
        let is_near = |bounds: &Aabb<V>| bounds.distance_squared(point) <= reach_squared;
        let query = self.point_query(point);
        let reach_squared_f32 = query.reach_squared(reach);
        self.each_box(|node| query.near(node, reach_squared_f32), is_near, visit);
    }

    /// Visits the boxes of all leaves within reach of a point, by ranges in [`leaf_order`](BoxTree::leaf_order). So a
    /// leaf, of at most two boxes, has some that are not within reach.
    pub(crate) fn for_each_leaf_within(
        &self,
        reach: f64,
        point: V,
        mut visit: impl FnMut(Range<u32>),
    ) {
        let query = self.point_query(point);
        let reach_squared = query.reach_squared(reach);
        let are_near = |node: &Node| query.near(node, reach_squared);
        self.walk(are_near, |first, count| visit(first..first + count));
    }

    /// Returns the distance of the nearest box from a point: `cap` if none is closer, 0 if one is at most `enough`
    /// away. Too large by at most 2^-48.
    pub(crate) fn nearest_within(&self, point: V, enough: f64, cap: f64) -> f64 {
        let query = self.point_query(point);
        let nearest = Cell::new((cap, query.reach_squared(cap)));
        let is_nearer = |bounds: &Aabb<V>| {
            let distance = bounds.distance_squared(point).sqrt();
            if distance < nearest.get().0 {
                let distance = if distance <= enough { 0.0 } else { distance };
                nearest.set((distance, query.reach_squared(distance)));
            }
        };
        let are_near = |node: &Node| query.near(node, nearest.get().1);
        self.walk(are_near, |first, count| {
            self.boxes[range(first, count)].iter().for_each(is_nearer);
        });
        nearest.get().0
    }

    fn point_query(&self, point: V) -> PointQuery {
        let point = self.frame.rounded(point);
        PointQuery {
            size: point.iter().map(|x| x.abs()).sum(),
            point: point.map(Vec4::splat),
            scale: self.frame.scale,
            dimension: V::DIM,
        }
    }

    /// Visits the slots of the boxes that pass `is_near`, in leaves that pass `are_near`.
    #[inline]
    fn each_box(
        &self,
        are_near: impl Fn(&Node) -> u32,
        is_near: impl Fn(&Aabb<V>) -> bool,
        mut visit: impl FnMut(u32),
    ) {
        self.walk(are_near, |first, count| {
            for (slot, bounds) in (first..).zip(&self.boxes[range(first, count)]) {
                if is_near(bounds) {
                    visit(slot);
                }
            }
        });
    }

    /// Visits the leaves that pass `are_near`: the first box and the number of boxes. `are_near` returns a bit for each
    /// child of a node that passes.
    #[inline]
    fn walk(&self, are_near: impl Fn(&Node) -> u32, mut visit: impl FnMut(u32, u32)) {
        let mut stack = [0_u32; STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            let mut near = are_near(node);
            while near != 0 {
                let child = near.trailing_zeros() as usize;
                near &= near - 1;
                let (first, count) = (node.first[child], node.count[child]);
                if count == INNER {
                    stack[waiting] = first;
                    waiting += 1;
                } else {
                    visit(first, count);
                }
            }
        }
    }
}

/// A point in the f32 coordinates of the nodes.
struct PointQuery {
    point: [Vec4; 3],
    size: f32,
    scale: f64,
    dimension: usize,
}

impl PointQuery {
    /// Returns the squared distance up to which nodes may have boxes within a reach.
    ///
    /// The f32 coordinates are off by 2^-24 of |point|, and those of points within reach by 2^-24 of
    /// |point| + reach. About ten roundings follow. Underflow is below 2^-126.
    #[inline]
    fn reach_squared(&self, reach: f64) -> f32 {
        let reach = (reach * self.scale) as f32;
        let reach = reach + (self.size + reach) * BOX_QUERY_F32;
        reach * reach + f32::MIN_POSITIVE
    }

    /// Returns a bit for each child of a node that is as near as that.
    #[inline]
    fn near(&self, node: &Node, reach_squared: f32) -> u32 {
        let mut distance_squared = Vec4::ZERO;
        for axis in 0..self.dimension {
            let (below, above) = (
                node.min[axis] - self.point[axis],
                self.point[axis] - node.max[axis],
            );
            let distance = below.max(above).max(Vec4::ZERO);
            distance_squared += distance * distance;
        }
        distance_squared.cmple(Vec4::splat(reach_squared)).bitmask()
    }
}

/// Appends a node for the boxes `ids`, at `start` in the order of the leaves. Without bounds.
fn grow<V: Vector>(
    nodes: &mut Vec<Node>,
    boxes: &[Aabb<V>],
    ids: &mut [u32],
    mut start: usize,
) -> u32 {
    let at = nodes.len();
    nodes.push(Node::EMPTY);
    let quarters = halves(boxes, ids).map(|half| halves(boxes, half));
    for (child, part) in quarters.into_iter().flatten().enumerate() {
        let len = part.len();
        (nodes[at].first[child], nodes[at].count[child]) = if len <= LEAF {
            (start as u32, len as u32)
        } else {
            (grow(nodes, boxes, part, start), INNER)
        };
        start += len;
    }
    at as u32
}

/// Splits boxes at the median of their centers, along the axis of their largest extent.
fn halves<'a, V: Vector>(boxes: &[Aabb<V>], ids: &'a mut [u32]) -> [&'a mut [u32]; 2] {
    if ids.len() <= LEAF {
        return [ids, &mut []];
    }
    let center = |id: u32| boxes[id as usize].center();
    let spread = Aabb::enclosing(ids.iter().map(|&id| center(id))).size();
    let wider = |a: usize, b: usize| if spread[b] > spread[a] { b } else { a };
    let axis = (1..V::DIM).fold(0, wider);
    let half = ids.len() / 2;
    ids.select_nth_unstable_by(half, |&a, &b| {
        center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b))
    });
    ids.split_at_mut(half).into()
}

impl<V: Vector> Frame<V> {
    /// Returns the coordinates of what is within bounds, for three of the positions.
    ///
    /// The origin is their median: a single one far away does not cost the others their digits.
    pub(crate) fn new([a, b, c]: [V; 3], bounds: &Aabb<V>) -> Self {
        let center = a.min(b).max(a.max(b).min(c));
        let (low, high) = (center - bounds.min, bounds.max - center);
        let far = (0..V::DIM).fold(0.0, |far, axis| low[axis].max(high[axis]).max(far));
        let scale = scale_to_limit(far);
        Self { center, scale }
    }

    /// Returns the f32 coordinates of a position: within ±2^60 for what is within bounds, possibly infinite
    /// otherwise. Monotone, with an error of at most 2^-24 of them or 2^-150.
    #[inline]
    pub(crate) fn rounded(&self, position: V) -> [f32; 3] {
        let local = (position - self.center) * self.scale;
        std::array::from_fn(|axis| {
            if axis < V::DIM {
                local[axis] as f32
            } else {
                0.0
            }
        })
    }
}

fn range(first: u32, count: u32) -> Range<usize> {
    first as usize..first as usize + count as usize
}

/// Returns the power of two that scales a distance to just below 2^60, within the range of f64.
fn scale_to_limit(distance: f64) -> f64 {
    let exponent = distance.to_bits() >> 52;
    f64::from_bits((2 * 1023 + 59 - exponent).clamp(1, 2046) << 52)
}

fn check<V: Vector>(boxes: &[Aabb<V>]) -> Result<()> {
    check_count(boxes.len())?;
    let mut boxes = boxes.iter().enumerate();
    boxes.try_for_each(|(index, bounds)| bounds.validate(index))
}

#[cfg(test)]
mod tests;
