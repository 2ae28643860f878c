//! The local minima of the distance to segments in the plane.

use std::cmp::Ordering;

use glam::DVec2;

use super::path;
use super::surface::{Ball, Found, Minimum, Search, Surface, ends_at, rounding};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, closest_on_segment};
use crate::shape::{Aabb, Feature, SegmentMesh, normal_error};

impl Surface for SegmentMesh {
    fn facet_count(&self) -> usize {
        self.segments().len()
    }

    fn normal(&self, segment: u32) -> DVec2 {
        SegmentMesh::normal(self, segment as usize).unwrap_or_default()
    }

    fn for_each_facet_at(&self, feature: Feature, visit: impl FnMut(u32)) {
        SegmentMesh::for_each_segment_at(self, feature, visit);
    }

    fn for_each_nodal_weight(&self, segment: u32, point: DVec2, visit: impl FnMut(u32, f64)) {
        SegmentMesh::for_each_nodal_weight(self, segment, point, visit);
    }

    fn set_vertices(&mut self, vertices: &[DVec2]) -> Result<()> {
        SegmentMesh::set_vertices(self, vertices)
    }
}

impl Search for SegmentMesh {
    type Vector = DVec2;

    fn facet_box(&self, segment: usize) -> Aabb<DVec2> {
        self.segment_box(segment)
    }

    fn search(&self, segment: u32, ball: Ball<DVec2>, found: &mut Found<DVec2>) {
        let [low, high] = self.ends(segment);
        let (a, b) = (self.position(low), self.position(high));
        let (normal, length) = self.line(segment);
        let limit = ball.reach + rounding(length, ball.reach);
        if normal.dot(ball.center - a).abs() > limit {
            return;
        }
        found.near.push(segment);
        let ends = [(low, a, b), (high, b, a)];
        if !ends
            .iter()
            .any(|&(_, from, to)| ends_at(from, to, length, ball))
        {
            let (a, b) = (a - ball.center, b - ball.center);
            // From the nearer end: a far one costs digits.
            let height = match a.length_squared().total_cmp(&b.length_squared()) {
                Ordering::Less => normal.dot(a),
                Ordering::Equal => normal.dot(a + b) * 0.5,
                Ordering::Greater => normal.dot(b),
            };
            if height.abs() < ball.reach {
                found.minima.push(Minimum {
                    feature: Feature::Facet(segment),
                    facet: segment,
                    offset: normal * height + DVec2::ZERO,
                    distance_squared: height * height,
                    view: 0,
                });
            }
            return;
        }
        for (vertex, position, _) in ends {
            let offset = position - ball.center;
            let distance_squared = offset.length_squared();
            let segments = self.segments_at(vertex);
            if segments[0] != segment || distance_squared >= ball.reach * ball.reach {
                continue;
            }
            let comes_closer = |&segment: &u32| {
                let [low, high] = self.ends(segment);
                let other = self.position(if low == vertex { high } else { low });
                !ends_at(position, other, self.line(segment).1, ball)
            };
            if segments.iter().any(comes_closer) {
                found.is_touched = true;
                continue;
            }
            found.minima.push(Minimum {
                feature: Feature::Vertex(vertex),
                facet: segment,
                offset,
                distance_squared,
                view: 0,
            });
            if low == high {
                break;
            }
        }
    }

    fn closest(&self, segment: u32, from: DVec2) -> (ClosestPoint<DVec2>, Feature) {
        let [low, high] = self.ends(segment);
        let closest = closest_on_segment(from, self.position(low), self.position(high));
        let feature = match closest.location {
            Location::Vertex(0) => Feature::Vertex(low),
            Location::Vertex(_) => Feature::Vertex(high),
            _ => Feature::Facet(segment),
        };
        (closest, feature)
    }

    fn holds(&self, segment: u32, center: DVec2, offset: DVec2, same: f64) -> bool {
        let [a, b] = self.ends(segment).map(|end| self.position(end) - center);
        closest_on_segment(offset, a, b).distance_squared <= same * same
    }

    fn for_each_corner(&self, segment: u32, visit: impl FnMut(u32)) {
        self.ends(segment).into_iter().for_each(visit);
    }

    fn has(&self, segment: u32, feature: Feature) -> bool {
        matches!(feature, Feature::Vertex(v) if self.ends(segment).contains(&v))
    }

    fn position(&self, vertex: u32) -> DVec2 {
        SegmentMesh::position(self, vertex)
    }

    fn precision(&self) -> f64 {
        SegmentMesh::precision(self)
    }

    fn normal_error(&self, segment: u32) -> f64 {
        normal_error(SegmentMesh::precision(self), self.line(segment).1)
    }

    fn positions(&self) -> &[DVec2] {
        self.vertices()
    }

    fn crossed(&self, segment: u32, from: DVec2, to: DVec2) -> Option<bool> {
        let ends = self.segments()[segment as usize];
        path::across_segment(ends.map(|v| self.position(v)), from, to)
    }

    fn carried(&self, segment: u32, point: DVec2, before: &[DVec2]) -> DVec2 {
        let ends = self.segments()[segment as usize];
        let [then, now] = [before, self.vertices()].map(|all| ends.map(|v| all[v as usize]));
        if then == now {
            return point;
        }
        path::along_segment(point, then, now)
    }
}
