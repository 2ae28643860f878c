//! The parts of both surfaces inside the other body, and the volume that they bound.
//!
//! By the divergence theorem `6 V = sum x . 2 A` over the parts, with a point x and the area vector A of each. A part
//! is a whole triangle, or what the curve leaves of a triangle. Its border consists of segments of the curve and of
//! pieces of the triangle's sides:
//!
//! ```text
//! 2 A = sum (a - x) x (b - a)    over the border, counter-clockwise, from a to b.
//! ```
//!
//! All positions are relative to a point of the region, so that no term is larger than the region.

use glam::DVec3;

use super::crossing::{Crossing, Segment};
use super::loops::Region;
use super::solid_view::{ClippedSolid, SolidView};
use crate::math::cross_of_edges;
use crate::shape::Fan;

const NONE: u32 = u32::MAX;

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    parts: Vec<Part>,
}

/// Bounds of the rounding of vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// A bound of the displacement of a vertex.
    pub(super) height: f64,
    /// A bound of the distance of two points of a region.
    pub(super) extent: f64,
}

/// The part of a triangle that belongs to one region.
#[derive(Clone, Copy, Debug)]
struct Part {
    slot: u32,
    region: u32,
    /// Another part of the same triangle, of another region.
    next: u32,
    /// A point of the part.
    point: DVec3,
    double_area: DVec3,
    sides: [Side; 3],
    /// The length of the border.
    length: f64,
    /// Bounds of the distance of a crossing from the face that it is on, and of 1 / sine of the angle between edge
    /// and face.
    height: f64,
    slope: f64,
}

/// The pieces of a triangle's side inside the other body.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// The sum of the pieces as vectors: what leaves minus what enters.
    along: DVec3,
    /// A point of the side.
    point: Option<DVec3>,
}

impl Side {
    fn enter(&mut self, point: DVec3) {
        self.along -= point;
        self.point.get_or_insert(point);
    }

    fn leave(&mut self, point: DVec3) {
        self.along += point;
        self.point.get_or_insert(point);
    }
}

impl Part {
    /// Adds a segment of the curve to the border.
    fn add_segment(&mut self, a: DVec3, b: DVec3) {
        self.double_area += double_area([self.point, a, b]);
        self.length += (b - a).abs().element_sum();
    }

    /// Adds an end of a segment, which lies on a side if the edge is of the part's own body.
    fn add_crossing(&mut self, end: &Crossing, is_own: bool, position: DVec3) {
        self.height = self.height.max(end.height);
        self.slope = self.slope.max(end.slope);
        if is_own {
            let side = &mut self.sides[end.side()];
            if end.enters {
                side.enter(position);
            } else {
                side.leave(position);
            }
        }
    }

    /// Adds the pieces of the sides, given the corners inside.
    fn add_sides(&mut self, corners: &[Option<DVec3>; 3]) {
        for (k, side) in self.sides.iter_mut().enumerate() {
            if let Some(corner) = corners[k] {
                side.enter(corner);
            }
            if let Some(corner) = corners[(k + 1) % 3] {
                side.leave(corner);
            }
            if let Some(point) = side.point {
                self.double_area += double_area([self.point, point, point + side.along]);
                self.length += side.along.abs().element_sum();
            }
        }
    }

    /// Returns a bound of the error of `point . double_area`, with a bound of the rounding of vertices.
    ///
    /// The border of the exact part is off by no more than `slide` within the plane of the triangle. So the area of both
    /// together is at most `A + slide x border + 4 slide^2`. A shift of the surface by h changes 6 V by 6 h A.
    fn error(&self, doubt: &Doubt) -> f64 {
        let height = self.height + doubt.height;
        let slide = (height * self.slope).min(doubt.extent);
        let double_area = self.double_area.abs().element_sum();
        3.0 * height * (double_area + 2.0 * slide * (self.length + 4.0 * slide))
    }
}

impl Inside {
    /// Adds the parts of body `index` to their regions.
    ///
    /// `vertices` are all vertices inside that an edge or a path of edges connects to the curve, each marked with its
    /// region.
    pub(super) fn add_up(
        &mut self,
        index: usize,
        view: &SolidView,
        body: &mut ClippedSolid,
        (segments, vertices): (&[Segment], &[u32]),
        regions: &mut [Region],
        doubt: &Doubt,
    ) {
        self.parts.clear();
        for segment in segments {
            let origin = regions[segment.region as usize].origin;
            let (a, b) = segment.around(origin);
            let [from, to] = if index == 0 { [a, b] } else { [b, a] };
            let part = self.part(body, segment.faces[index], segment.region, from);
            part.add_segment(from, to);
            for (end, position) in segment.ends.iter().zip([a, b]) {
                part.add_crossing(end, end.body() == index, position);
            }
        }
        for &vertex in vertices {
            let Some(label) = body.region(vertex) else {
                continue;
            };
            let region = &mut regions[label as usize];
            let place = |id: u32| view.to_frame(view.solid.vertices()[id as usize]) - region.origin;
            let (a, mut sum, mut size) = (place(vertex), DVec3::ZERO, 0.0);
            for &Fan { slot, others } in view.solid.fan(vertex) {
                // An array's map is not inlined here.
                let (b, c) = (place(others[0]), place(others[1]));
                if body.part(slot).is_some() {
                    // All corners may be inside, and the curve on it may be of other regions.
                    self.part(body, slot, label, a);
                } else {
                    let (u, v) = (b - a, c - a);
                    sum += u.cross(v);
                    // Bounds the length of the product, and of its terms.
                    size += 3.0 * u.abs().max_element() * v.abs().max_element();
                }
            }
            region.volume.add(a, sum, 3.0 * doubt.height * size);
        }
        for part in &mut self.parts {
            let region = &mut regions[part.region as usize];
            let ids = view.solid.triangles()[part.slot as usize].corners;
            let places = body.face(part.slot).triangle.corners;
            let mut corners = [None; 3];
            for k in 0..3 {
                if body.region(ids[k]) == Some(part.region) {
                    corners[k] = Some(places[k] - region.origin);
                }
            }
            part.add_sides(&corners);
            region
                .volume
                .add(part.point, part.double_area, part.error(doubt));
        }
    }

    /// Returns the part of a triangle in a region; a new one starts with the given point.
    fn part(&mut self, body: &mut ClippedSolid, slot: u32, region: u32, point: DVec3) -> &mut Part {
        let first = body.part(slot).unwrap_or(NONE);
        let mut index = first;
        while index != NONE && self.parts[index as usize].region != region {
            index = self.parts[index as usize].next;
        }
        if index == NONE {
            index = self.parts.len() as u32;
            body.set_part(slot, index);
            self.parts.push(Part {
                slot,
                region,
                next: first,
                point,
                double_area: DVec3::ZERO,
                sides: [Side::default(); 3],
                length: 0.0,
                height: 0.0,
                slope: 0.0,
            });
        }
        &mut self.parts[index as usize]
    }
}

/// Returns twice the area vector of a triangle. Accurate if it is thin.
#[inline]
pub(super) fn double_area([x, a, b]: [DVec3; 3]) -> DVec3 {
    // Two of the edges of a face meet its point.
    if x == a || x == b {
        DVec3::ZERO
    } else {
        cross_of_edges([x, a], [a, b])
    }
}
