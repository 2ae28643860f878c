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

use super::crossing::Segment;
use super::solid_view::{ClippedSolid, SolidView};
use super::sums::Sums;
use crate::math::tolerance::two_to;
use crate::shape::{Flow, Triangulation, UnionFind};

/// The same of meshes: the ratio of the two error bounds in `Loop::is_slender`.
const SLENDER_LOOP: f64 = two_to(5);

/// A loop, or several loops that bound one region.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    pub(super) sums: Sums,
    /// The flows of the vertices of A and of B inside the other body.
    pub(super) inside: [Flow; 2],
    /// The size of the largest triangle on the curve.
    pub(super) size: f64,
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

impl Region {
    fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        for (own, other) in self.inside.iter_mut().zip(&other.inside) {
            own.add(other, 1.0);
        }
        self.size = self.size.max(other.size);
    }

    /// Returns whether the sums along the curve have lost more digits of the volume than the rounding of positions has.
    ///
    /// The error of the sums is a few eps times extent, largest triangle and curve length. Positions
    /// are off by eps times the extent, which changes the volume by that times the area.
    pub(super) fn is_slender(&self, extent: f64) -> bool {
        let area = 0.5 * self.sums.area.length() + self.sums.volume.max(0.0) / (6.0 * extent);
        self.size * self.sums.length > SLENDER_LOOP * area
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    pub(super) regions: Vec<Region>,
    /// The regions found to be connected.
    parts: UnionFind,
    /// Each end of a segment as body, edge and face, with the segment.
    nodes: Vec<([u32; 3], u32)>,
    crossings: Vec<EdgeCrossing>,
    waiting: Vec<u32>,
    numbers: Vec<u32>,
}

impl Loops {
    /// Assigns all segments to one region.
    pub(super) fn unite(&mut self, segments: &[Segment]) {
        self.regions.clear();
        self.regions
            .resize(segments.len().min(1), Region::default());
        self.parts.reset(self.regions.len());
    }

    /// Assigns each closed loop to a region of its own.
    pub(super) fn separate(&mut self, segments: &mut [Segment], solids: [&Triangulation; 2]) {
        self.regions.clear();
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
        // The root of a loop is its lowest segment, and so comes first.
        for i in 0..segments.len() {
            let root = self.parts.root(i as u32) as usize;
            segments[i].region = if root == i {
                self.regions.push(Region::default());
                self.regions.len() as u32 - 1
            } else {
                segments[root].region
            };
        }
        self.parts.reset(self.regions.len());
    }

    /// Joins the regions that the surface of body `index` connects inside the other body, for
    /// surfaces that do not overlap themselves. `bodies` are this body and the other one.
    pub(super) fn join_inside(
        &mut self,
        index: usize,
        view: &SolidView,
        [body, other]: [&mut ClippedSolid; 2],
        segments: &[Segment],
    ) {
        self.collect_crossings(index, view.solid, body, segments);
        self.sort_crossings(view, body, other);
        for i in 0..self.crossings.len() {
            let crossing = self.crossings[i];
            let [low, high] = view.solid.edges()[crossing.edge as usize];
            let is_neighbor = |other: &&EdgeCrossing| other.edge == crossing.edge;
            if crossing.change > 0 {
                match self.crossings.get(i + 1).filter(is_neighbor) {
                    Some(next) => self.parts.join(crossing.region, next.region),
                    None => self.reach(body, high, crossing.region),
                }
            } else if i == 0 || !is_neighbor(&&self.crossings[i - 1]) {
                self.reach(body, low, crossing.region);
            }
        }
        while let Some(vertex) = self.waiting.pop() {
            let region = body.region(vertex).unwrap_or(0);
            for (other, edge) in view.solid.edges_at(vertex) {
                if !body.is_crossed(edge) {
                    self.reach(body, other, region);
                }
            }
        }
    }

    /// Collects the crossings of the edges of body `index`, each once.
    fn collect_crossings(
        &mut self,
        index: usize,
        solid: &Triangulation,
        body: &mut ClippedSolid,
        segments: &[Segment],
    ) {
        self.crossings.clear();
        for segment in segments {
            let triangle = &solid.triangles()[segment.faces[index] as usize];
            for end in segment.ends.iter().filter(|end| end.body == index) {
                let side = triangle.sides[end.side];
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

    /// Sorts the crossings by edge, and along each edge exactly.
    fn sort_crossings(&mut self, view: &SolidView, body: &mut ClippedSolid, other: &ClippedSolid) {
        let mut along_the_edge = |a: &EdgeCrossing, b: &EdgeCrossing| {
            let edge = view.solid.edges()[a.edge as usize];
            let edge = edge.map(|vertex| body.position(view, vertex));
            other.order_along(edge, [a.face, b.face], view.moves)
        };
        self.crossings.sort_unstable_by(|a, b| {
            let by_edge = a.edge.cmp(&b.edge);
            let order = by_edge.then_with(|| along_the_edge(a, b));
            // Through faces in one plane an edge leaves before it enters.
            order.then((a.change, a.face).cmp(&(b.change, b.face)))
        });
    }

    /// Marks a vertex inside the other body that is connected to a region.
    fn reach(&mut self, body: &mut ClippedSolid, vertex: u32, region: u32) {
        match body.region(vertex) {
            Some(known) => self.parts.join(known, region),
            None => {
                body.set_region(vertex, region);
                self.waiting.push(vertex);
            }
        }
    }

    /// Merges the connected regions, and renumbers all.
    ///
    /// A volume below `least` shows that a region with a hole was taken for two. All regions are then merged.
    pub(super) fn merge(&mut self, segments: &mut [Segment], uncrossed: f64, least: f64) {
        self.add_joined();
        if uncrossed < 0.0 || self.regions.iter().any(|region| region.sums.volume < least) {
            (1..self.regions.len()).for_each(|i| self.parts.join(0, i as u32));
            self.add_joined();
        }
        self.numbers.clear();
        let mut count = 0;
        for i in 0..self.regions.len() {
            let root = self.parts.root(i as u32) as usize;
            if root == i {
                self.numbers.push(count as u32);
                self.regions[count] = self.regions[i];
                count += 1;
            } else {
                self.numbers.push(self.numbers[root]);
            }
        }
        self.regions.truncate(count);
        for segment in segments {
            segment.region = self.numbers[segment.region as usize];
        }
    }

    /// Moves the sums of joined regions to the lowest of them.
    fn add_joined(&mut self) {
        for i in 1..self.regions.len() {
            let root = self.parts.root(i as u32) as usize;
            if root != i {
                let own = std::mem::take(&mut self.regions[i]);
                self.regions[root].add(&own);
            }
        }
    }
}
