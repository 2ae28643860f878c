//! Which loops of the curve bound the same part of the volume, for contacts that are to be separate.

use std::cmp::Ordering;

use super::body::{Body, Side};
use super::mesh_mesh::Segment;
use super::sums::Sums;
use crate::math::order_of_crossings;
use crate::math::tolerance::SLENDER_LOOP;
use crate::shape::{Flow, SolidMesh, UnionFind};

/// A loop, or several that bound one part of the volume.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) sums: Sums,
    /// Of the vertices of A and of B inside the other body.
    pub(super) inside: [Flow; 2],
    /// Of the largest triangle that the curve runs through.
    pub(super) size: f64,
}

/// Where an edge crosses the other surface.
#[derive(Clone, Copy, Debug)]
struct Step {
    edge: u32,
    /// Of the other body.
    face: u32,
    change: i32,
    group: u32,
}

impl Group {
    fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        for (own, other) in self.inside.iter_mut().zip(&other.inside) {
            own.add(other, 1.0);
        }
        self.size = self.size.max(other.size);
    }

    /// Whether the sums along the curve have lost more digits of the volume than the rounding of
    /// positions: they are off by some eps times the extent, the largest triangle and the length of the
    /// curve; positions by eps times the extent, so the volume by that times the area.
    pub(super) fn is_slender(&self, extent: f64) -> bool {
        let area = 0.5 * self.sums.area.length() + self.sums.volume.max(0.0) / (6.0 * extent);
        self.size * self.sums.length > SLENDER_LOOP * area
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    pub(super) groups: Vec<Group>,
    /// Which groups turn out to be one.
    parts: UnionFind,
    nodes: Vec<([u32; 3], u32)>,
    steps: Vec<Step>,
    waiting: Vec<u32>,
    numbers: Vec<u32>,
}

impl Loops {
    /// All segments are one group.
    pub(super) fn unite(&mut self, segments: &[Segment]) {
        self.groups.clear();
        self.groups.resize(segments.len().min(1), Group::default());
        self.parts.reset(self.groups.len());
    }

    /// Gives each closed loop a group of its own.
    pub(super) fn separate(&mut self, segments: &mut [Segment], solids: [&SolidMesh; 2]) {
        self.groups.clear();
        self.parts.reset(segments.len());
        self.nodes.clear();
        for (i, segment) in (0..).zip(&*segments) {
            for end in &segment.ends {
                let (own, other) = (segment.faces[end.body], segment.faces[1 - end.body]);
                let triangle = &solids[end.body].triangles()[own as usize];
                let edge = triangle.sides[end.side] / 2;
                self.nodes.push(([end.body as u32, edge, other], i));
            }
        }
        self.nodes.sort_unstable();
        for pair in self.nodes.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.parts.join(pair[0].1, pair[1].1);
            }
        }
        // A root is the lowest of its part, and so comes first.
        for i in 0..segments.len() {
            let root = self.parts.root(i as u32) as usize;
            segments[i].group = if root == i {
                self.groups.push(Group::default());
                self.groups.len() as u32 - 1
            } else {
                segments[root].group
            };
        }
        self.parts.reset(self.groups.len());
    }

    /// Joins the groups that the surface of body `index`, the first of `[body, other]`, connects inside
    /// the other: by an edge between two crossings or by vertices. For bodies that do not overlap
    /// themselves.
    pub(super) fn join_inside(
        &mut self,
        index: usize,
        side: &Side,
        [body, other]: [&mut Body; 2],
        segments: &[Segment],
    ) {
        let solid = side.solid;
        self.steps.clear();
        for segment in segments {
            let triangle = &solid.triangles()[segment.faces[index] as usize];
            for end in segment.ends.iter().filter(|end| end.body == index) {
                let side = triangle.sides[end.side];
                if side.is_multiple_of(2) {
                    body.mark_crossed(side / 2);
                    self.steps.push(Step {
                        edge: side / 2,
                        face: segment.faces[1 - index],
                        change: end.change(side),
                        group: segment.group,
                    });
                }
            }
        }
        let moves = if index == 0 { 1.0 } else { -1.0 };
        let mut along_the_edge = |a: &Step, b: &Step| {
            let segment = solid.edges()[a.edge as usize];
            let segment = segment.map(|vertex| body.position(side, vertex));
            let faces = [a, b].map(|step| other.face(step.face as usize));
            let [Some(first), Some(second)] = faces else {
                return Ordering::Equal;
            };
            order_of_crossings(segment, [first.corners, second.corners], moves)
        };
        self.steps.sort_unstable_by(|a, b| {
            let by_edge = a.edge.cmp(&b.edge);
            let order = by_edge.then_with(|| along_the_edge(a, b));
            // Through faces of one plane an edge leaves before it enters.
            order.then((a.change, a.face).cmp(&(b.change, b.face)))
        });
        for i in 0..self.steps.len() {
            let step = self.steps[i];
            let [low, high] = solid.edges()[step.edge as usize];
            let is_neighbor = |other: &&Step| other.edge == step.edge;
            if step.change > 0 {
                match self.steps.get(i + 1).filter(is_neighbor) {
                    Some(next) => self.parts.join(step.group, next.group),
                    None => self.reach(body, high, step.group),
                }
            } else if i == 0 || !is_neighbor(&&self.steps[i - 1]) {
                self.reach(body, low, step.group);
            }
        }
        while let Some(vertex) = self.waiting.pop() {
            let group = body.group(vertex).unwrap_or(0);
            for (other, edge) in solid.edges_at(vertex) {
                if !body.is_crossed(edge) {
                    self.reach(body, other, group);
                }
            }
        }
    }

    /// A vertex inside the other body that is connected to a group.
    fn reach(&mut self, body: &mut Body, vertex: u32, group: u32) {
        match body.group(vertex) {
            Some(known) => self.parts.join(known, group),
            None => {
                body.set_group(vertex, group);
                self.waiting.push(vertex);
            }
        }
    }

    /// Adds up groups that are one, and numbers those that are left. A part with a hole may look like
    /// two, one of them negative: if volumes are less than `least`, all are one.
    pub(super) fn merge(&mut self, segments: &mut [Segment], uncrossed: f64, least: f64) {
        self.add_joined();
        if uncrossed < 0.0 || self.groups.iter().any(|group| group.sums.volume < least) {
            (1..self.groups.len()).for_each(|i| self.parts.join(0, i as u32));
            self.add_joined();
        }
        self.numbers.clear();
        let mut count = 0;
        for i in 0..self.groups.len() {
            let root = self.parts.root(i as u32) as usize;
            if root == i {
                self.numbers.push(count as u32);
                self.groups[count] = self.groups[i];
                count += 1;
            } else {
                self.numbers.push(self.numbers[root]);
            }
        }
        self.groups.truncate(count);
        for segment in segments {
            segment.group = self.numbers[segment.group as usize];
        }
    }

    /// Moves the sums of groups that have been joined to the lowest of them.
    fn add_joined(&mut self) {
        for i in 1..self.groups.len() {
            let root = self.parts.root(i as u32) as usize;
            if root != i {
                let own = std::mem::take(&mut self.groups[i]);
                self.groups[root].add(&own);
            }
        }
    }
}
