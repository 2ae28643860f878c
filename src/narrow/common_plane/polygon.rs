//! Two convex polygons: the boundary of their difference has the sides of both, in the order of
//! their directions, so that one walk around it sees every candidate.

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec2;

use super::feature_pair::{FeaturePair, Plane};
use super::state::{Certificate, CommonPlaneState};
use super::{CommonPlane, CommonPlaneContact, CommonPlaneMode};
use crate::math::Pose2;
use crate::math::tolerance::{GAP_BOUNDS, GAP_ERROR, STRICT};
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::narrow::pair_gap::Placement;
use crate::shape::{ConvexPolygon, Feature, Placed};

/// Polygons in the frame of the first, about its centroid.
struct PolygonFrame<'a> {
    p: &'a [DVec2],
    q: &'a [DVec2],
    centers: [DVec2; 2],
    /// Of the second body to the first.
    rotation: DVec2,
    between: DVec2,
    /// Sum of the inscribed radii.
    inscribed: f64,
    size: f64,
}

/// A line between the bodies, with the ends of the gap.
#[derive(Clone, Copy, Debug)]
struct Line {
    gap: f64,
    normal: DVec2,
    on_p: DVec2,
    pair: FeaturePair,
    /// How far inside the side the foot is; 0 for two corners.
    inset: f64,
    /// How far the bounds of the gap are apart.
    open: f64,
}

impl<'a> PolygonFrame<'a> {
    fn new(p: &'a ConvexPolygon, q: &'a ConvexPolygon, relative: &Pose2) -> Self {
        let centers = [p.centroid(), q.centroid()];
        let between = relative.translation() + (relative.transform_vector(centers[1]) - centers[0]);
        let [(r, all_r), (s, all_s)] = [p.radii(), q.radii()];
        Self {
            p: p.vertices(),
            q: q.vertices(),
            centers,
            rotation: relative.rotation(),
            between,
            inscribed: r + s,
            size: (all_r + all_s).max(between.abs().max_element()),
        }
    }

    fn p(&self, i: usize) -> DVec2 {
        self.p[i % self.p.len()] - self.centers[0]
    }

    fn q(&self, i: usize) -> DVec2 {
        let local = self.q[i % self.q.len()] - self.centers[1];
        self.rotation.rotate(local) + self.between
    }

    /// Along a side. Far from each other, positions in one frame have lost its direction.
    fn along_p(&self, i: usize) -> DVec2 {
        let m = self.p.len();
        self.p[(i + 1) % m] - self.p[i % m]
    }

    fn along_q(&self, j: usize) -> DVec2 {
        let n = self.q.len();
        self.rotation.rotate(self.q[(j + 1) % n] - self.q[j % n])
    }

    /// The gap along a unit normal.
    fn gap_along(&self, normal: DVec2) -> f64 {
        let top = (0..self.p.len()).map(|i| normal.dot(self.p(i)));
        let bottom = (0..self.q.len()).map(|j| normal.dot(self.q(j)));
        bottom.fold(f64::INFINITY, f64::min) - top.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The line through a side of one body and a corner of the other.
    fn side(&self, is_of_p: bool, side: usize, corner: usize) -> Line {
        let (from, x) = if is_of_p {
            (self.p(side), self.q(corner))
        } else {
            (self.q(side), self.p(corner))
        };
        let along = if is_of_p {
            self.along_p(side)
        } else {
            self.along_q(side)
        };
        let outward = -along.perp() * (1.0 / along.length());
        let gap = outward.dot(x - from);
        let foot = x - outward * gap;
        let t = along.dot(x - from) * (1.0 / along.length());
        let inset = t.min(along.length() - t);
        let (side, corner) = (side as u32, corner as u32);
        let (normal, on_p, pair) = if is_of_p {
            (outward, foot, FeaturePair::EdgeVertex(side, corner))
        } else {
            (-outward, x, FeaturePair::VertexEdge(corner, side))
        };
        Line {
            gap,
            normal,
            on_p,
            pair,
            inset,
            open: 0.0,
        }
    }

    /// The line between two corners that are apart.
    fn corners(&self, i: usize, j: usize) -> Line {
        let (on_p, on_q) = (self.p(i), self.q(j));
        let gap = on_p.distance(on_q);
        Line {
            gap,
            normal: (on_q - on_p) * (1.0 / gap),
            on_p,
            pair: FeaturePair::VertexVertex(i as u32, j as u32),
            inset: 0.0,
            open: 0.0,
        }
    }

    /// The largest gap, by a walk around the difference of the bodies: O(corners).
    fn line(&self) -> Line {
        let (m, n) = (self.p.len(), self.q.len());
        let back = DVec2::new(self.rotation.x, -self.rotation.y);
        let outward = back.rotate(-self.along_p(0).perp());
        let height = |j: usize| outward.dot(self.q[j] - self.centers[1]);
        // Start: the first side of P, and the corner of Q that is nearest along its normal.
        let nearest = |best: usize, j: usize| {
            if height(j) < height(best) { j } else { best }
        };
        let (mut i, mut j) = (0, (1..n).fold(0, nearest));
        let (mut best, mut inside, mut apart): (Option<Line>, Option<Line>, Option<Line>) =
            Default::default();
        let is_larger = |line: &Line, than: Option<Line>| than.is_none_or(|b| line.gap > b.gap);
        for _ in 0..m + n {
            // Sides of Q count turned around. Next is the side with the smaller angle.
            let is_of_p = self.along_p(i).perp_dot(-self.along_q(j)) >= 0.0;
            let line = if is_of_p {
                self.side(true, i, j)
            } else {
                self.side(false, j, i)
            };
            let (i_now, j_now) = (i, j);
            if is_of_p {
                i = (i + 1) % m;
            } else {
                j = (j + 1) % n;
            }
            if is_larger(&line, best) {
                best = Some(line);
            }
            let is_inside = line.inset >= 0.0;
            if is_inside && is_larger(&line, inside) {
                inside = Some(line);
            }
            // The corner projects into the side, or an end is nearer: then two corners are.
            let near = if is_inside && line.gap >= -GAP_ERROR * self.size {
                line
            } else {
                let (a, b) = (self.corners(i_now, j_now), self.corners(i, j));
                if b.gap < a.gap { b } else { a }
            };
            if apart.is_none_or(|apart| near.gap < apart.gap) {
                apart = Some(near);
            }
        }
        let best = best.unwrap_or_else(|| self.side(true, 0, 0));
        // Of sides that are parallel to rounding, one that holds the other's corner.
        let best = inside
            .filter(|inside| inside.gap >= best.gap - GAP_BOUNDS * self.size)
            .unwrap_or(best);
        // A projection inside a side is the nearest point, and overlapping bodies have no other.
        let is_side = best.inset >= 0.0 || best.gap < -GAP_ERROR * self.size;
        match apart {
            Some(apart) if apart.gap > best.gap && !is_side => self.clearer(best, apart),
            _ => best,
        }
    }

    /// Of the line of the largest gap along a side, and of the nearest points, the one along whose
    /// normal the bodies are farther apart: the direction of a short difference is vague.
    fn clearer(&self, side: Line, nearest: Line) -> Line {
        if self.is_strict(&nearest) {
            return nearest;
        }
        let gap = self.gap_along(nearest.normal);
        let (line, least) = if gap > side.gap {
            (nearest, gap)
        } else {
            (side, side.gap)
        };
        Line {
            open: (nearest.gap - least).max(0.0),
            ..line
        }
    }

    /// Whether a line is a strict local maximum of the gap.
    fn is_strict(&self, line: &Line) -> bool {
        let (m, n) = (self.p.len(), self.q.len());
        // By how much the neighbours of a corner are farther along the normal.
        let ahead = |at: DVec2, neighbours: [DVec2; 2], normal: DVec2| {
            let [a, b] = neighbours.map(|x| normal.dot(x - at));
            a.min(b)
        };
        let beside_p = |i: u32| {
            let i = i as usize;
            ahead(self.p(i), [self.p(i + 1), self.p(i + m - 1)], -line.normal)
        };
        let beside_q = |j: u32| {
            let j = j as usize;
            ahead(self.q(j), [self.q(j + 1), self.q(j + n - 1)], line.normal)
        };
        let slack = STRICT * self.size;
        match line.pair {
            FeaturePair::EdgeVertex(_, j) => line.inset.min(beside_q(j)) > slack,
            FeaturePair::VertexEdge(i, _) => line.inset.min(beside_p(i)) > slack,
            FeaturePair::VertexVertex(i, j) => {
                // Of a short difference the direction is vague.
                let vague = slack * (self.size / line.gap);
                beside_p(i).min(beside_q(j)) > vague
            }
            _ => false,
        }
    }
}

impl PolygonFrame<'_> {
    /// The line of a pair if it is a strict local maximum and the answer: the largest, or for
    /// bodies that overlap the tracked one.
    fn kept(&self, pair: FeaturePair, is_tracked: bool) -> Option<Line> {
        let (m, n) = (self.p.len(), self.q.len());
        let there = |i: u32, count: usize| ((i as usize) < count).then_some(i as usize);
        let line = match pair {
            FeaturePair::EdgeVertex(side, corner) => {
                self.side(true, there(side, m)?, there(corner, n)?)
            }
            FeaturePair::VertexEdge(corner, side) => {
                self.side(false, there(side, n)?, there(corner, m)?)
            }
            FeaturePair::VertexVertex(i, j) => self.corners(there(i, m)?, there(j, n)?),
            _ => return None,
        };
        let is_strict = self.is_strict(&line);
        if !is_strict || line.gap >= 0.0 {
            return is_strict.then_some(line);
        }
        let proof = Certificate {
            depth: -line.gap,
            inset: line.inset,
            along: line.normal.dot(self.between),
            across: line.normal.perp_dot(self.between).abs(),
            ball: self.inscribed,
        };
        // A local maximum can be below 0 for bodies that are apart.
        let is_answer = if is_tracked {
            proof.shows_overlap() || self.line().gap < 0.0
        } else {
            proof.is_global(STRICT * self.size)
        };
        is_answer.then_some(line)
    }

    fn feature(&self, pair: FeaturePair) -> [Feature; 2] {
        let edge = |i: u32, count: usize| Feature::edge(i, (i + 1) % count as u32);
        match pair {
            FeaturePair::EdgeVertex(p, q) => [edge(p, self.p.len()), Feature::Vertex(q)],
            FeaturePair::VertexEdge(p, q) => [Feature::Vertex(p), edge(q, self.q.len())],
            FeaturePair::VertexVertex(p, q) => [Feature::Vertex(p), Feature::Vertex(q)],
            _ => [Feature::Vertex(0); 2],
        }
    }
}

impl<S: Borrow<ConvexPolygon>> NarrowPhase<Placed<S, DVec2>, Placed<S, DVec2>> for CommonPlane {
    type Contact = CommonPlaneContact<DVec2>;
    type State = CommonPlaneState<DVec2>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec2>,
        b: &Placed<S, DVec2>,
        state: &mut CommonPlaneState<DVec2>,
        mut report: impl FnMut(CommonPlaneContact<DVec2>),
    ) {
        let pair = Ordered::new(a, b, ConvexPolygon::vertices, |_, _| Ordering::Equal);
        state.orient(pair.is_swapped);
        let ([p, q], [first, second]) = (pair.shapes, pair.poses);
        let now = Placement {
            shapes: [p.stamp(), q.stamp()],
            relative: first.inv_mul(second),
        };
        if state.keeps_apart(self.margin, &now, || [p.reach(), q.reach()]) {
            self.stats.skipped += 1;
            return;
        }
        let frame = PolygonFrame::new(p, q, &now.relative);
        let is_tracked = self.mode == CommonPlaneMode::Tracked && state.is_of(now.shapes);
        let kept = frame.kept(state.pair, is_tracked);
        self.stats.kept += u64::from(kept.is_some());
        self.stats.cold += u64::from(kept.is_none());
        let line = kept.unwrap_or_else(|| frame.line());
        state.pair = line.pair;
        state.set_gap(line.gap, &now, self.mode);
        if line.gap < self.margin {
            let plane = Plane {
                gap: line.gap,
                normal: line.normal,
                on_p: line.on_p,
                inset: line.inset,
                features: frame.feature(line.pair),
                error_bound: frame.size * GAP_ERROR + line.open,
            };
            let on_p = first.transform_point(line.on_p + frame.centers[0]);
            report(plane.contact(first.transform_vector(line.normal), on_p, pair.is_swapped));
        }
    }
}
