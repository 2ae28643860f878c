//! Searches that leave out what lies in front of planes, such as those of a convex body around the point.

use std::cell::RefCell;

use glam::{DVec3, Vec4};

use super::{BoxTree, Node, PointQuery};
use crate::math::Vector;
use crate::math::tolerance::{BOX_QUERY_F32, SQUARED_DISTANCE};
use crate::shape::Aabb;

/// The most planes of a cover.
const MOST: usize = 8;

/// Planes that hide boxes from a search. Planes found during a search count for the rest of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cover(RefCell<Planes>);

/// Planes in the coordinates of the nodes, relative to the point of the search.
#[derive(Clone, Copy, Debug, Default)]
struct Planes {
    scale: f64,
    count: usize,
    /// Which one is replaced next.
    oldest: usize,
    names: [u32; MOST],
    planes: [Vec4; MOST],
}

impl Cover {
    /// Adds a plane unless there is one of that name: `normal . (x - point) >= offset` is hidden.
    pub(crate) fn add(&self, name: u32, normal: DVec3, offset: f64) {
        let mut planes = self.0.borrow_mut();
        if !planes.names[..planes.count].contains(&name) {
            let i = planes.oldest;
            let offset = (offset * planes.scale) as f32;
            planes.names[i] = name;
            planes.planes[i] = normal.as_vec3().extend(offset);
            planes.count = MOST.min(planes.count + 1);
            planes.oldest = (i + 1) % MOST;
        }
    }

    /// Prepares an empty cover for a search.
    fn clear(&self, scale: f64) {
        let mut planes = self.0.borrow_mut();
        (planes.scale, planes.count, planes.oldest) = (scale, 0, 0);
    }
}

impl Planes {
    /// Keeps the bits of those children of a node that may have points within reach behind all planes.
    ///
    /// The coordinates of the point and of a corner within reach are off by 2^-24 of |point| + reach, products with the
    /// normal by as much of the reach; some ten roundings follow.
    #[inline]
    fn behind<V: Vector>(&self, node: &Node, query: &PointQuery, reach: f32, mut near: u32) -> u32 {
        // The part of each box within reach along the axes: its corners have small rounding errors.
        let mut ends = [[Vec4::ZERO; 2]; 3];
        for axis in 0..V::DIM {
            let low = (node.min[axis] - query.point[axis]).max(Vec4::splat(-reach));
            let high = (node.max[axis] - query.point[axis]).min(Vec4::splat(reach));
            ends[axis] = [low, high];
        }
        let slack = (query.size + reach) * BOX_QUERY_F32 + f32::MIN_POSITIVE;
        for plane in &self.planes[..self.count] {
            let plane = plane.to_array();
            let mut lowest = Vec4::splat(-slack);
            for axis in 0..V::DIM {
                let is_negative = plane[axis].to_bits() >> 31;
                lowest += ends[axis][is_negative as usize] * plane[axis];
            }
            near &= !lowest.cmpgt(Vec4::splat(plane[3])).bitmask();
            if near == 0 {
                break;
            }
        }
        near
    }
}

impl<V: Vector> BoxTree<V> {
    /// As [`for_each_slot_within`](BoxTree::for_each_slot_within), but leaves out most boxes of which all points
    /// within reach lie in front of one plane of a cover. The cover is empty at first.
    pub(crate) fn for_each_slot_behind(
        &self,
        reach: f64,
        point: V,
        cover: &Cover,
        visit: impl FnMut(u32),
    ) {
        cover.clear(self.frame.scale);
        let query = self.point_query(point);
        let reach_f32 = (reach * query.scale) as f32;
        let reach_squared_f32 = query.reach_squared(reach);
        let are_near = |node: &Node| {
            let near = query.near(node, reach_squared_f32);
            let planes = cover.0.borrow();
            match near != 0 && planes.count > 0 {
                true => planes.behind::<V>(node, &query, reach_f32, near),
                false => near,
            }
        };
        let reach_squared = reach * reach * (1.0 + SQUARED_DISTANCE);
        let is_near = |bounds: &Aabb<V>| bounds.distance_squared(point) <= reach_squared;
        self.each_box(are_near, is_near, visit);
    }
}
