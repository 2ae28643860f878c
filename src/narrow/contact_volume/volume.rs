//! The volume from the winding numbers of each surface around the other's vertices.
//!
//! The boundary of what two bodies share is a part of each surface. Its volume is the sum over
//! triangles of `x_T . A_T / 3`, with `x_T` any point of the triangle's plane, here its first
//! corner, and `A_T` the area vector of the part of T inside the other body. `2 A_T` is the sum of
//! `p x q` around that part: over segments of the curve, and over the parts of the triangle's sides
//! that are inside, which add up to the share `L` of the side. Only the side that does not meet the
//! first corner counts. Parts of sides need not be put together: with `w` the winding number at the
//! lower end and a step d = ±1 at each crossing, `L = w + sum d (1 - s)`. The steps are added with
//! the segments that end there, and `w` at each vertex for all triangles of which it is that end
//! ([`SolidTree::fan`](crate::shape::SolidTree)): no triangle inside is looked at.

use glam::DVec3;

use super::body::{Body, Side};
use super::mesh_mesh::Segment;
use super::sums::Sums;
use crate::shape::Parts;

/// A crossing of an edge, for contacts that are to be separate.
#[derive(Clone, Copy, Debug)]
struct Step {
    edge: u32,
    group: u32,
    change: i32,
    along: f64,
}

/// The sums of each group of segments, and which groups turn out to be one.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) sums: Vec<Sums>,
    pub(super) parts: Parts,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    steps: Vec<Step>,
    crossed: Vec<u32>,
    waiting: Vec<u32>,
}

/// Works on one body of a pair.
struct Walk<'a> {
    side: &'a Side<'a>,
    body: &'a mut Body,
    groups: &'a mut Groups,
    waiting: &'a mut Vec<u32>,
    origin: DVec3,
}

impl Scratch {
    /// Adds what the vertices of body `index` contribute that are inside the other body, and joins
    /// groups that its surface connects there.
    pub(super) fn add_inside(
        &mut self,
        index: usize,
        sides: &[Side; 2],
        bodies: &mut [Body; 2],
        segments: &[Segment],
        groups: &mut Groups,
        origin: DVec3,
    ) {
        let [a, b] = bodies;
        let (body, other) = if index == 0 { (a, b) } else { (b, a) };
        let (side, other_side) = (&sides[index], &sides[1 - index]);
        self.collect(index, side, body, segments, groups.sums.len() > 1);
        let mut walk = Walk {
            side,
            body,
            groups,
            waiting: &mut self.waiting,
            origin,
        };
        walk.join_along_edges(&mut self.steps);
        // First from vertices that are certainly outside.
        for only_outside in [true, false] {
            for &edge in &self.crossed {
                let vertex = side.solid.edges()[edge as usize].ends[0];
                if walk.body.winding(vertex).is_some() {
                    continue;
                }
                let point = walk.body.position(side, vertex);
                let outside = &other_side.bounds;
                let is_outside = point.cmplt(outside.min).any() || point.cmpgt(outside.max).any();
                let winding = match (is_outside, only_outside) {
                    (true, _) => 0,
                    (false, true) => continue,
                    (false, false) => other.winding_around(other_side, point),
                };
                walk.flood(edge, vertex, winding);
            }
        }
    }

    /// The edges that cross the other surface, and where. Those of a loop hang together: a face
    /// is left through the edge through which it is entered or through one next to it.
    fn collect(
        &mut self,
        index: usize,
        side: &Side,
        body: &mut Body,
        segments: &[Segment],
        is_separate: bool,
    ) {
        self.steps.clear();
        self.crossed.clear();
        for segment in segments {
            let triangle = &side.solid.triangles()[segment.faces[index] as usize];
            for crossing in segment.ends.iter().filter(|c| c.body == index) {
                let side = triangle.sides[crossing.side];
                if side % 2 == 1 {
                    continue;
                }
                let change = crossing.change(side);
                let edge = side / 2;
                if body.touch(edge) {
                    self.crossed.push(edge);
                }
                let state = &mut body.edges[edge as usize];
                state.change += change;
                if !is_separate {
                    continue;
                }
                let (group, along) = (segment.group, crossing.along);
                if along < state.along[0] {
                    (state.along[0], state.groups[0]) = (along, group);
                }
                if along > state.along[1] {
                    (state.along[1], state.groups[1]) = (along, group);
                }
                self.steps.push(Step {
                    edge,
                    group,
                    change,
                    along,
                });
            }
        }
    }
}

impl Walk<'_> {
    /// Groups with crossings next to each other on an edge and the edge inside between them.
    fn join_along_edges(&mut self, steps: &mut [Step]) {
        let key = |step: &Step| (step.edge, step.along);
        steps.sort_unstable_by(|a, b| {
            let ((i, s), (j, t)) = (key(a), key(b));
            i.cmp(&j).then(s.total_cmp(&t))
        });
        for pair in steps.windows(2) {
            // Of a body that does not overlap itself.
            if pair[0].edge == pair[1].edge && pair[0].change > 0 {
                self.groups.parts.join(pair[0].group, pair[1].group);
            }
        }
    }

    /// Gives windings to a vertex and to all that can be reached from it along edges that are
    /// crossed, or inside all the way; adds those that are inside.
    fn flood(&mut self, edge: u32, vertex: u32, winding: i32) {
        let group = self.body.edge(edge).map_or(0, |state| state.groups[0]);
        self.body.set_winding(vertex, winding, group);
        self.waiting.push(vertex);
        while let Some(vertex) = self.waiting.pop() {
            let Some((winding, group)) = self.body.winding(vertex) else {
                continue;
            };
            let solid = self.side.solid;
            if winding != 0 {
                let arm = self.body.position(self.side, vertex) - self.origin;
                let fan = self.side.turned(solid.fan(vertex));
                let volume = f64::from(winding) * arm.dot(fan);
                self.groups.sums[group as usize].volume += volume;
            }
            for &id in solid.edges_at(vertex) {
                let edge = &solid.edges()[id as usize];
                let is_high = usize::from(edge.ends[1] == vertex);
                let other = edge.ends[1 - is_high];
                let (mut other_winding, mut other_group) = (winding, group);
                if let Some(state) = self.body.edge(id) {
                    other_winding += if is_high == 1 {
                        -state.change
                    } else {
                        state.change
                    };
                    other_group = state.groups[1 - is_high];
                    if winding != 0 {
                        self.groups.parts.join(group, state.groups[is_high]);
                    }
                } else if winding == 0 {
                    continue;
                }
                match self.body.winding(other) {
                    None => {
                        self.body.set_winding(other, other_winding, other_group);
                        self.waiting.push(other);
                    }
                    Some((w, known)) if w != 0 => self.groups.parts.join(known, other_group),
                    Some(_) => {}
                }
            }
        }
    }
}
