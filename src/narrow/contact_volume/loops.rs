//! The regions of the intersection, for separate contacts: finds the loops of the curve that bound the same region.
//!
//! Segments that share an end belong to one loop. Loops belong to one region if a surface connects them inside the
//! other body. Two walks on each surface decide this:
//! 1. The crossings of an edge with the other surface are sorted. The winding number changes by +1 or
//!    -1 at each, so between an entry and the next exit the edge is inside and joins their loops.
//! 2. Before a first exit and after a last entry, an end of the edge is inside. From there a walk
//!    along uncrossed edges marks all vertices of the same component inside.
//!
//! A walk that meets a marked vertex joins the two regions. Both walks are complete, because a path on the surface can
//! be deformed to edges. The exception is a loop within a single face, which crosses no edge. Such a loop bounds a hole
//! in a region, and its own volume is negative. Then all loops count as one region.

use glam::DVec3;

use super::crossing::Segment;
use super::solid_view::{ClippedSolid, SolidView};
use super::sums::{Sums, Volume};
use crate::math::order_of_crossings;
use crate::shape::{SolidMesh, UnionFind};

const NONE: u32 = u32::MAX;

/// A region of the intersection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    /// A point of the curve, to which the sums are relative.
    pub(super) origin: DVec3,
    pub(super) sums: Sums,
    pub(super) volume: Volume,
}

/// A crossing of an edge with the other surface.
#[derive(Clone, Copy, Debug)]
struct EdgeCrossing {
    edge: u32,
    /// The face of the other body.
    face: u32,
    /// The change of the winding number of the other surface, from the lower vertex of the edge on.
    change: i32,
    region: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    pub(super) regions: Vec<Region>,
    /// The vertices of A and of B inside the other body, marked with their regions.
    pub(super) inside: [Vec<u32>; 2],
    /// The regions found to be connected.
    joined: UnionFind,
    /// Each end of a segment as body, edge and face, with the segment.
    nodes: Vec<([u32; 3], u32)>,
    crossings: Vec<EdgeCrossing>,
    numbers: Vec<u32>,
}

impl Loops {
    /// Assigns all segments to one region.
    pub(super) fn unite(&mut self, segments: &mut [Segment]) {
        segments.iter_mut().for_each(|segment| segment.region = 0);
        self.joined.reset(segments.len().min(1));
        self.inside.iter_mut().for_each(Vec::clear);
    }

    /// Assigns each closed loop to a region of its own.
    pub(super) fn separate(&mut self, segments: &mut [Segment], solids: [&SolidMesh; 2]) {
        self.inside.iter_mut().for_each(Vec::clear);
        self.joined.reset(segments.len());
        self.nodes.clear();
        for (i, segment) in (0..).zip(&*segments) {
            for end in &segment.ends {
                let (own, other) = (segment.faces[end.body()], segment.faces[1 - end.body()]);
                let triangle = &solids[end.body()].triangles()[own as usize];
                let edge = triangle.sides[end.side()] / 2;
                self.nodes.push(([end.body() as u32, edge, other], i));
            }
        }
        self.nodes.sort_unstable();
        for pair in self.nodes.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.joined.join(pair[0].1, pair[1].1);
            }
        }
        for (i, segment) in (0..).zip(segments) {
            segment.region = self.joined.root(i);
        }
    }

    /// Finds the vertices of body `index` inside the other body, and joins the regions that they connect.
    ///
    /// The surface must not overlap itself.
    pub(super) fn walk_from_curve(
        &mut self,
        index: usize,
        view: &SolidView,
        bodies: &mut [ClippedSolid; 2],
        segments: &[Segment],
    ) {
        let body = &mut bodies[index];
        self.collect_crossings(index, view.solid, body, segments);
        self.take_single_crossings(index, view.solid, body);
        self.sort_crossings(view, &bodies[1 - index]);
        let body = &mut bodies[index];
        for i in 0..self.crossings.len() {
            let crossing = self.crossings[i];
            let [low, high] = view.solid.edges()[crossing.edge as usize];
            let is_neighbor = |other: &&EdgeCrossing| other.edge == crossing.edge;
            if crossing.change > 0 {
                match self.crossings.get(i + 1).filter(is_neighbor) {
                    Some(next) => self.joined.join(crossing.region, next.region),
                    None => self.reach(index, body, high, crossing.region),
                }
            } else if i == 0 || !is_neighbor(&&self.crossings[i - 1]) {
                self.reach(index, body, low, crossing.region);
            }
        }
        self.walk(index, view, body, 0);
    }

    /// Walks from a vertex inside along uncrossed edges.
    pub(super) fn walk_from(
        &mut self,
        index: usize,
        view: &SolidView,
        body: &mut ClippedSolid,
        vertex: u32,
    ) {
        let next = self.inside[index].len();
        self.reach(index, body, vertex, 0);
        self.walk(index, view, body, next);
    }

    /// Walks on from the vertices inside, from the one at `next`.
    fn walk(&mut self, index: usize, view: &SolidView, body: &mut ClippedSolid, mut next: usize) {
        while let Some(&vertex) = self.inside[index].get(next) {
            next += 1;
            let region = body.region(vertex).unwrap_or(0);
            let is_near = body.is_near_curve(vertex);
            for &[other, edge] in view.solid.neighbors(vertex) {
                if !(is_near && body.is_crossed(edge)) {
                    self.reach(index, body, other, region);
                }
            }
        }
    }

    /// Collects the crossings of the edges of body `index`, each once.
    fn collect_crossings(
        &mut self,
        index: usize,
        solid: &SolidMesh,
        body: &mut ClippedSolid,
        segments: &[Segment],
    ) {
        self.crossings.clear();
        for segment in segments {
            let triangle = &solid.triangles()[segment.faces[index] as usize];
            body.mark_near_curve(triangle.corners);
            for end in segment.ends.iter().filter(|end| end.body() == index) {
                let side = triangle.sides[end.side()];
                // Only one of the two faces at the edge adds it.
                if side.is_multiple_of(2) {
                    body.mark_crossed(side / 2);
                    self.crossings.push(EdgeCrossing {
                        edge: side / 2,
                        face: segment.faces[1 - index],
                        change: end.change(side),
                        region: segment.region,
                    });
                }
            }
        }
    }

    /// Takes out the crossings of edges that are crossed once, one end of which is inside.
    fn take_single_crossings(&mut self, index: usize, solid: &SolidMesh, body: &mut ClippedSolid) {
        let mut count = 0;
        for i in 0..self.crossings.len() {
            let crossing = self.crossings[i];
            if body.is_crossed_again(crossing.edge) {
                self.crossings[count] = crossing;
                count += 1;
            } else {
                let inner = usize::from(crossing.change > 0);
                let vertex = solid.edges()[crossing.edge as usize][inner];
                self.reach(index, body, vertex, crossing.region);
            }
        }
        self.crossings.truncate(count);
    }

    /// Sorts the crossings by edge, and along each edge exactly.
    fn sort_crossings(&mut self, view: &SolidView, other: &ClippedSolid) {
        let along_the_edge = |a: &EdgeCrossing, b: &EdgeCrossing| {
            let edge = view.solid.edges()[a.edge as usize].map(|id| view.vertex(id));
            let faces = [a, b].map(|crossing| other.face(crossing.face).triangle.corners);
            order_of_crossings(edge, faces, view.moves)
        };
        self.crossings.sort_unstable_by(|a, b| {
            let by_edge = a.edge.cmp(&b.edge);
            let order = by_edge.then_with(|| along_the_edge(a, b));
            // Through faces in one plane an edge leaves before it enters.
            order.then((a.change, a.face).cmp(&(b.change, b.face)))
        });
    }

    /// Marks a vertex inside the other body that is connected to a region.
    fn reach(&mut self, index: usize, body: &mut ClippedSolid, vertex: u32, region: u32) {
        match body.region(vertex) {
            Some(known) if known == region => (),
            Some(known) => self.joined.join(known, region),
            None => {
                body.set_region(vertex, region);
                self.inside[index].push(vertex);
            }
        }
    }

    /// Numbers the regions in the order of their first segments, with connected ones as one.
    pub(super) fn number(&mut self, segments: &mut [Segment], bodies: &mut [ClippedSolid; 2]) {
        self.regions.clear();
        self.numbers.clear();
        self.numbers.resize(segments.len(), NONE);
        for segment in segments {
            let number = &mut self.numbers[self.joined.root(segment.region) as usize];
            if *number == NONE {
                *number = self.regions.len() as u32;
                self.regions.push(Region {
                    origin: segment.ends[0].position,
                    ..Region::default()
                });
            }
            segment.region = *number;
        }
        for (body, vertices) in bodies.iter_mut().zip(&self.inside) {
            for &vertex in vertices {
                let root = self.joined.root(body.region(vertex).unwrap_or(0));
                body.set_region(vertex, self.numbers[root as usize]);
            }
        }
    }

    /// Takes all regions for one.
    pub(super) fn merge(&mut self, segments: &mut [Segment], bodies: &mut [ClippedSolid; 2]) {
        self.joined.reset(segments.len());
        (1..segments.len()).for_each(|i| self.joined.join(0, i as u32));
        self.number(segments, bodies);
    }
}
