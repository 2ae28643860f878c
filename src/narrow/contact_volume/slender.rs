//! The volume of a part that is small or thin next to the triangles at its border.
//!
//! The sums along the curve take terms from corners of those triangles: products of their size, which
//! cancel to the volume. Here no term is larger than the part. Each triangle that the curve runs
//! through counts with the border of what of it is inside: segments of the curve, and of its sides
//! what is inside. All others count with the flows, from which these triangles are taken off again.

use std::cmp::Ordering;

use glam::DVec3;

use super::body::{Body, Side};
use super::crossing::Crossing;
use super::face::Face;
use super::loops::Group;
use super::mesh_mesh::Segment;
use super::thin::is_thin;
use crate::math::{cross_of_edges, order_of_crossings};
use crate::shape::Flow;

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Slender {
    /// Group, face, and which segment.
    order: Vec<[u32; 3]>,
    parts: Vec<Part>,
    /// Of one face's sides, with the other body's face.
    crossings: Vec<(Crossing, u32)>,
    /// Around what of one face is inside.
    border: Vec<[Point; 2]>,
}

/// A point as rounded and the rest.
type Point = [DVec3; 2];

/// What is added up of a group.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// A point of the curve, from which all is measured.
    origin: DVec3,
    /// 6 V.
    volume: f64,
    /// Of a body's triangles that are inside, all of them.
    inside: Flow,
    /// A vertex inside next to the curve.
    near: Option<u32>,
}

impl Slender {
    /// Computes the volumes of slender groups anew, those of thin parts with planes near them. Leaves them
    /// as they are if a surface overlaps itself, so that winding numbers are not 0 and 1.
    pub(super) fn refine(
        &mut self,
        sides: &[Side; 2],
        bodies: &mut [Body; 2],
        segments: &[Segment],
        groups: &mut [Group],
        extent: f64,
    ) {
        let is_slender = |group: &Group| group.is_slender(extent);
        self.add_up(sides, bodies, segments, groups, is_slender, false);
        let is_thin = |group: &Group| is_thin(group.sums.volume, &group.sums, &group.sums, extent);
        if groups.iter().any(is_thin) {
            self.add_up(sides, bodies, segments, groups, is_thin, true);
        }
    }

    /// Computes the volumes of some groups.
    fn add_up(
        &mut self,
        sides: &[Side; 2],
        bodies: &mut [Body; 2],
        segments: &[Segment],
        groups: &mut [Group],
        is_chosen: impl Fn(&Group) -> bool,
        is_near: bool,
    ) {
        let blank = Part {
            origin: DVec3::ZERO,
            volume: 0.0,
            inside: Flow::default(),
            near: None,
        };
        self.parts.clear();
        self.parts.resize(groups.len(), blank);
        for index in [0, 1] {
            self.order.clear();
            let chosen = (0..).zip(segments);
            let chosen = chosen.filter(|(_, s)| is_chosen(&groups[s.group as usize]));
            let keys = chosen.map(|(i, s)| [s.group, s.faces[index], i]);
            self.order.extend(keys);
            self.order.sort_unstable();
            for (part, group) in self.parts.iter_mut().zip(&*groups) {
                (part.inside, part.near) = (group.inside[index], None);
            }
            if !self.add_faces(index, &sides[index], bodies, segments, is_near) {
                return;
            }
            let (side, body) = (&sides[index], &mut bodies[index]);
            for part in &mut self.parts {
                if let Some(near) = part.near.filter(|_| part.inside.count() != 0.0) {
                    part.volume += if is_near {
                        part.inside.around(side.to_own(part.origin))
                    } else {
                        body.volume_of(side, &part.inside, near, part.origin)
                    };
                }
            }
        }
        for (group, part) in groups.iter_mut().zip(&self.parts) {
            if is_chosen(group) {
                group.sums.volume = part.volume;
            }
        }
    }

    /// Adds what the triangles of one body contribute through which the curve runs; whether winding
    /// numbers are 0 and 1.
    fn add_faces(
        &mut self,
        index: usize,
        side: &Side,
        bodies: &[Body; 2],
        segments: &[Segment],
        is_near: bool,
    ) -> bool {
        let mut last = None;
        for run in self.order.chunk_by(|a, b| a[..2] == b[..2]) {
            let [group, slot, first] = run[0];
            let part = &mut self.parts[group as usize];
            let point = segments[first as usize].ends[0].position;
            if index == 0 && last.replace(group) != Some(group) {
                part.origin = point;
            }
            let Some(face) = bodies[index].face(slot as usize) else {
                continue;
            };
            let triangle = &side.solid.triangles()[slot as usize];
            let own_origin = side.to_own(part.origin);
            let near = is_near.then(|| side.near(triangle, own_origin));
            let corners = face.corners.map(|corner| [corner, DVec3::ZERO]);
            let (plane, corners) = near.map_or((None, corners), |(p, c)| (Some(p), c));
            let place = |position: DVec3| match plane {
                Some(_) => side.to_own_vector(position - part.origin),
                None => position,
            };
            self.crossings.clear();
            self.border.clear();
            for segment in run.iter().map(|&[_, _, i]| &segments[i as usize]) {
                let ends = segment.ends.map(|mut end| {
                    end.position = place(end.position);
                    end
                });
                let [a, b] = ends.map(|end| [end.position, DVec3::ZERO]);
                self.border.push(if index == 0 { [a, b] } else { [b, a] });
                let own = ends.into_iter().filter(|end| end.body == index);
                self.crossings
                    .extend(own.map(|end| (end, segment.faces[1 - index])));
            }
            sort_along_sides(&mut self.crossings, index, face, &bodies[1 - index]);
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
            for (&vertex, &is_inside) in triangle.corners.iter().zip(&is_inside) {
                if is_inside {
                    part.near = Some(vertex);
                    if vertex == triangle.owner() {
                        let flow = Flow::of_triangle(side.solid.vertices(), triangle);
                        part.inside.add(&flow, -1.0);
                    }
                }
            }
        }
        true
    }
}

/// Counter-clockwise around the face.
fn sort_along_sides(crossings: &mut [(Crossing, u32)], index: usize, face: &Face, other: &Body) {
    let moves = if index == 0 { 1.0 } else { -1.0 };
    let along = |side: usize, a: u32, b: u32| {
        let ends = [face.corners[side], face.corners[(side + 1) % 3]];
        let faces = [a, b].map(|slot| other.face(slot as usize));
        let [Some(first), Some(second)] = faces else {
            return Ordering::Equal;
        };
        order_of_crossings(ends, [first.corners, second.corners], moves)
    };
    crossings.sort_unstable_by(|(a, of_a), (b, of_b)| {
        let by_side = a.side.cmp(&b.side);
        let order = by_side.then_with(|| along(a.side, *of_a, *of_b));
        // Through faces of one plane a side leaves before it enters.
        order.then((a.enters, of_a).cmp(&(b.enters, of_b)))
    });
}

/// Adds to the border what of a face's sides is inside, given its corners and where the sides cross the
/// other surface; whether each corner is inside. `None` if two crossings in a row enter or leave.
fn add_sides(
    places: [Point; 3],
    crossings: &[(Crossing, u32)],
    border: &mut Vec<[Point; 2]>,
) -> Option<[bool; 3]> {
    let (mut corners, mut is_crossed) = ([false; 3], [false; 3]);
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
    // Corners of a side that is not crossed are both inside or both outside.
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
