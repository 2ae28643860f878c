//! Volumes of regions that are small or thin compared with the triangles at their border.
//!
//! The sums along the curve contain products of the size of these triangles, which cancel to the
//! volume. Here no term is larger than the region. A triangle on the curve contributes `x . 2 A = sum
//! x . p x q` over the border of its part inside. The border consists of segments of the curve and of
//! the parts of its sides inside. All other triangles contribute through the flows, from which the
//! triangles on the curve are subtracted again. All positions are relative to a point of the curve.

use glam::DVec3;

use super::crossing::{Crossing, Segment};
use super::face::FacePredicate;
use super::loops::Region;
use super::solid_view::{ClippedSolid, SolidView};
use super::thin::is_thin;
use crate::math::cross_of_edges;
use crate::shape::Flow;

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Slender {
    /// Region, face and segment.
    order: Vec<[u32; 3]>,
    parts: Vec<Part>,
    /// The crossings on one face's sides, each with the other body's face.
    crossings: Vec<(Crossing, u32)>,
    /// The border of the part of one face inside.
    border: Vec<[Point; 2]>,
}

/// A point as a rounded value and the rest.
type Point = [DVec3; 2];

/// The sums of a region.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// A point of the curve, to which all positions are relative.
    origin: DVec3,
    /// 6 V.
    volume: f64,
    /// The flow of the current body's triangles that are entirely inside.
    inside: Flow,
    /// A vertex inside, next to the curve.
    near: Option<u32>,
}

impl Slender {
    /// Recomputes the volumes of slender regions, and with planes near them those of thin regions.
    ///
    /// Changes nothing if a surface overlaps itself: winding numbers are then not only 0 and 1.
    pub(super) fn refine(
        &mut self,
        views: &[SolidView; 2],
        bodies: &mut [ClippedSolid; 2],
        segments: &[Segment],
        regions: &mut [Region],
        extent: f64,
    ) {
        let is_slender = |region: &Region| region.is_slender(extent);
        self.add_up(views, bodies, segments, regions, is_slender, false);
        let is_thin =
            |region: &Region| is_thin(region.sums.volume, &region.sums, &region.sums, extent);
        if regions.iter().any(is_thin) {
            self.add_up(views, bodies, segments, regions, is_thin, true);
        }
    }

    /// Recomputes the volumes of the chosen regions.
    fn add_up(
        &mut self,
        views: &[SolidView; 2],
        bodies: &mut [ClippedSolid; 2],
        segments: &[Segment],
        regions: &mut [Region],
        is_chosen: impl Fn(&Region) -> bool,
        is_near: bool,
    ) {
        let blank = Part {
            origin: DVec3::ZERO,
            volume: 0.0,
            inside: Flow::default(),
            near: None,
        };
        self.parts.clear();
        self.parts.resize(regions.len(), blank);
        for index in [0, 1] {
            self.order.clear();
            let chosen = (0..).zip(segments);
            let chosen = chosen.filter(|(_, s)| is_chosen(&regions[s.region as usize]));
            let keys = chosen.map(|(i, s)| [s.region, s.faces[index], i]);
            self.order.extend(keys);
            self.order.sort_unstable();
            for (part, region) in self.parts.iter_mut().zip(&*regions) {
                (part.inside, part.near) = (region.inside[index], None);
            }
            if !self.add_faces(index, &views[index], bodies, segments, is_near) {
                return;
            }
            let (view, body) = (&views[index], &mut bodies[index]);
            for part in &mut self.parts {
                if let Some(near) = part.near.filter(|_| part.inside.count() != 0.0) {
                    part.volume += if is_near {
                        part.inside.around(view.to_own(part.origin))
                    } else {
                        body.volume_of(view, &part.inside, near, part.origin)
                    };
                }
            }
        }
        for (region, part) in regions.iter_mut().zip(&self.parts) {
            if is_chosen(region) {
                region.sums.volume = part.volume;
            }
        }
    }

    /// Adds the contributions of one body's triangles on the curve. Returns whether all winding
    /// numbers are 0 or 1.
    fn add_faces(
        &mut self,
        index: usize,
        view: &SolidView,
        bodies: &[ClippedSolid; 2],
        segments: &[Segment],
        is_near: bool,
    ) -> bool {
        let mut last = None;
        for run in self.order.chunk_by(|a, b| a[..2] == b[..2]) {
            let [region, slot, first] = run[0];
            let part = &mut self.parts[region as usize];
            let point = segments[first as usize].ends[0].position;
            if index == 0 && last.replace(region) != Some(region) {
                part.origin = point;
            }
            let face = bodies[index].face(slot);
            let triangle = &view.solid.triangles()[slot as usize];
            let own_origin = view.to_own(part.origin);
            let near = is_near.then(|| view.near(triangle, own_origin));
            let corners = face.corners.map(|corner| [corner, DVec3::ZERO]);
            let (plane, corners) = near.map_or((None, corners), |(p, c)| (Some(p), c));
            let origin = part.origin;
            let place = |position: DVec3| match plane {
                Some(_) => view.to_own_vector(position - origin),
                None => position,
            };
            let run = run.iter().map(|&[_, _, i]| &segments[i as usize]);
            collect(index, run, place, &mut self.crossings, &mut self.border);
            sort_along_sides(&mut self.crossings, face, view.moves, &bodies[1 - index]);
            let Some(is_inside) = add_sides(corners, &self.crossings, &mut self.border) else {
                return false;
            };
            let border = self.border.iter();
            part.volume += if let Some(plane) = plane {
                let point = [place(point), DVec3::ZERO];
                border
                    .map(|&[a, b]| plane.exact_six_volumes([point, a, b]))
                    .sum()
            } else {
                let area = border.map(|&[[a, _], [b, _]]| cross_of_edges([point, a], [a, b]));
                (point - part.origin).dot(area.sum())
            };
            for (&vertex, _) in triangle.corners.iter().zip(is_inside).filter(|(_, is)| *is) {
                part.near = Some(vertex);
                if vertex == triangle.owner() {
                    let flow = Flow::of_triangle(view.solid.vertices(), triangle);
                    part.inside.add(&flow, -1.0);
                }
            }
        }
        true
    }
}

/// Collects the segments on a face of body `index`, counter-clockwise around its part inside, and
/// the crossings of its sides. `place` maps their positions.
fn collect<'a>(
    index: usize,
    segments: impl Iterator<Item = &'a Segment>,
    place: impl Fn(DVec3) -> DVec3,
    crossings: &mut Vec<(Crossing, u32)>,
    border: &mut Vec<[Point; 2]>,
) {
    crossings.clear();
    border.clear();
    for segment in segments {
        let ends = segment.ends.map(|mut end| {
            end.position = place(end.position);
            end
        });
        let [a, b] = ends.map(|end| [end.position, DVec3::ZERO]);
        border.push(if index == 0 { [a, b] } else { [b, a] });
        let own = ends.into_iter().filter(|end| end.body == index);
        crossings.extend(own.map(|end| (end, segment.faces[1 - index])));
    }
}

/// Sorts crossings counter-clockwise around a face.
fn sort_along_sides(
    crossings: &mut [(Crossing, u32)],
    face: &FacePredicate,
    moves: f64,
    other: &ClippedSolid,
) {
    crossings.sort_unstable_by(|(a, of_a), (b, of_b)| {
        let by_side = a.side.cmp(&b.side);
        let order =
            by_side.then_with(|| other.order_along(face.edge(a.side), [*of_a, *of_b], moves));
        // Through faces in one plane a side leaves before it enters.
        order.then((a.enters, of_a).cmp(&(b.enters, of_b)))
    });
}

/// Returns whether the segments on a face run clockwise, around a hole in the part inside.
fn is_hole([a, b, c]: [Point; 3], border: &[[Point; 2]]) -> bool {
    let origin = border[0][0][0];
    let areas = border
        .iter()
        .map(|[[p, _], [q, _]]| (p - origin).cross(q - origin));
    areas.sum::<DVec3>().dot((b[0] - a[0]).cross(c[0] - a[0])) < 0.0
}

/// Adds the parts of a face's sides inside the other body to the border. Returns whether each corner
/// is inside; `None` if two consecutive crossings both enter or both leave.
fn add_sides(
    places: [Point; 3],
    crossings: &[(Crossing, u32)],
    border: &mut Vec<[Point; 2]>,
) -> Option<[bool; 3]> {
    let mut corners = [crossings.is_empty() && is_hole(places, border); 3];
    let mut is_crossed = [false; 3];
    for on_side in crossings.chunk_by(|(a, _), (b, _)| a.side == b.side) {
        let side = on_side[0].0.side;
        is_crossed[side] = true;
        corners[side] |= !on_side[0].0.enters;
        let mut from = corners[side].then_some(places[side]);
        for (crossing, _) in on_side {
            if crossing.enters {
                if from.replace([crossing.position, DVec3::ZERO]).is_some() {
                    return None;
                }
            } else {
                border.push([from.take()?, [crossing.position, DVec3::ZERO]]);
            }
        }
        if let Some(from) = from {
            let next = (side + 1) % 3;
            corners[next] = true;
            border.push([from, places[next]]);
        }
    }
    // The corners of a side without crossings are both inside or both outside.
    for side in [0, 1, 2, 0, 1, 2] {
        let next = (side + 1) % 3;
        if !is_crossed[side] && (corners[side] || corners[next]) {
            corners[side] = true;
            corners[next] = true;
        }
    }
    for side in 0..3 {
        if !is_crossed[side] && corners[side] {
            border.push([places[side], places[(side + 1) % 3]]);
        }
    }
    Some(corners)
}
