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
use crate::shape::FanArea;

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    parts: Vec<Part>,
}

/// Bounds for the parts of two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// A bound of the displacement of a vertex.
    pub(super) height: f64,
    /// A bound of the distance of two points of a region.
    pub(super) extent: f64,
}

/// The part of a triangle that belongs to one region.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    slot: u32,
    region: u32,
    /// Another part of the same triangle, of another region.
    next: Option<u32>,
    /// A point of the part.
    point: DVec3,
    double_area: DVec3,
    /// A point of each side inside the other body. Not a number if there is none.
    on_sides: [DVec3; 3],
    /// The length of the border.
    length: f64,
    /// Bounds of the distance of a crossing from the face that it is on, and of 1 / sine of the angle between edge
    /// and face.
    height: f64,
    slope: f64,
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
            self.add_end(end.side(), position, end.enters);
        }
    }

    /// Adds an end of a piece of a side inside: its start, where the side enters, or the end.
    ///
    /// All pieces of a side are on one line. So the area between a point x and pieces from p to q is
    /// `(c - x) x sum (q - p)`, for a point c of the line.
    fn add_end(&mut self, side: usize, end: DVec3, is_start: bool) {
        let on_side = &mut self.on_sides[side];
        if on_side.is_nan() {
            *on_side = end;
            return;
        }
        let area = double_area([self.point, *on_side, end]);
        self.double_area += if is_start { -area } else { area };
        self.length += (end - *on_side).abs().element_sum();
    }

    /// Adds the ends of pieces of sides at a corner inside.
    fn add_corner(&mut self, k: usize, corner: DVec3) {
        self.add_end(k, corner, true);
        self.add_end((k + 2) % 3, corner, false);
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
            let place = |id: u32| view.vertex(id) - region.origin;
            let a = place(vertex);
            let mut area = FanArea::default();
            if body.is_near_curve(vertex) {
                for &slot in view.solid.fan(vertex) {
                    if body.part(slot).is_some() {
                        // All corners may be inside, and the curve on it may be of other regions.
                        self.part(body, slot, label, a);
                    } else {
                        let [_, b, c] = view.solid.triangles()[slot as usize].corners;
                        area.add(place(b) - a, place(c) - a);
                    }
                }
            } else {
                area = *view.solid.fan_area(vertex);
                area.double = view.rotate(area.double);
            }
            region
                .volume
                .add(a, area.double, 3.0 * doubt.height * area.size);
        }
        for part in &mut self.parts {
            let region = &mut regions[part.region as usize];
            let ids = view.solid.triangles()[part.slot as usize].corners;
            let places = body.face(part.slot).triangle.corners;
            for k in 0..3 {
                if body.region(ids[k]) == Some(part.region) {
                    part.add_corner(k, places[k] - region.origin);
                }
            }
            region
                .volume
                .add(part.point, part.double_area, part.error(doubt));
            body.set_part(part.slot, None);
        }
    }

    /// Returns the part of a triangle in a region; a new one starts with the given point.
    fn part(&mut self, body: &mut ClippedSolid, slot: u32, region: u32, point: DVec3) -> &mut Part {
        let first = body.part(slot);
        let mut known = first;
        while let Some(index) = known
            && self.parts[index as usize].region != region
        {
            known = self.parts[index as usize].next;
        }
        let index = known.unwrap_or_else(|| {
            let index = self.parts.len() as u32;
            body.set_part(slot, Some(index));
            self.parts.push(Part {
                slot,
                region,
                next: first,
                point,
                on_sides: [DVec3::NAN; 3],
                ..Part::default()
            });
            index
        });
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
