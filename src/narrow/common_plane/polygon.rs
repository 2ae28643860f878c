//! The common plane of two convex polygons: a line.
//!
//! The boundary of the Minkowski difference consists of the edges of Q and the reversed edges of P,
//! in the order of their directions. So one walk around it visits every candidate. A candidate is an
//! edge of one polygon with the vertex of the other that is extreme along its normal. For separated
//! polygons, each pair of vertices between two such edges is added.

use glam::DVec2;

use super::certificate::is_least_depth;
use super::feature_pair::{FeaturePair, Part, Plane};
use super::state::CommonPlaneState;
use super::{CommonPlane, CorePlane};
use crate::math::tolerance::{GAP_BOUNDS, GAP_ERROR, STRICT};
use crate::math::{Pose2, direction};
use crate::narrow::pair_gap::Placement;
use crate::shape::{Feature, FlatCore};

/// The polygons P and Q by index.
const P: usize = 0;
const Q: usize = 1;

/// Polygons in the frame of P, about its centroid.
struct PolygonFrame<'a> {
    polygons: [&'a [DVec2]; 2],
    centers: [DVec2; 2],
    /// Rotates vectors of Q to the frame of P.
    rotation: DVec2,
    /// The vector between the centroids.
    between: DVec2,
    /// The sum of the inscribed radii.
    inscribed: f64,
    size: f64,
}

/// A line between the polygons. The inset is negative if the vertex does not project into the edge.
type Line = (FeaturePair, Plane<DVec2>);

impl<'a> PolygonFrame<'a> {
    fn new(p: FlatCore<'a>, q: FlatCore<'a>, relative: &Pose2) -> Self {
        let centers = [p.center, q.center];
        let between = relative.translation() + (relative.transform_vector(centers[1]) - centers[0]);
        let [(r, all_r), (s, all_s)] = [p.radii, q.radii];
        // A pose moves centers with rounding errors relative to their largest coordinates.
        let [at_p, at_q] = centers.map(|center| center.abs().max_element());
        Self {
            polygons: [p.vertices, q.vertices],
            centers,
            rotation: relative.rotation(),
            between,
            inscribed: r + s,
            size: (all_r + all_s)
                .max(between.abs().max_element())
                .max(at_p + at_q),
        }
    }

    /// Returns a vertex; indices wrap around.
    #[inline(always)]
    fn vertex(&self, polygon: usize, i: usize) -> DVec2 {
        let vertices = self.polygons[polygon];
        let local = vertices[i % vertices.len()] - self.centers[polygon];
        if polygon == P {
            local
        } else {
            self.rotation.rotate(local) + self.between
        }
    }

    /// Returns the vector along an edge, from the polygon's own vertices. In a common frame, polygons
    /// far from each other have lost this direction.
    #[inline(always)]
    fn along(&self, polygon: usize, i: usize) -> DVec2 {
        let vertices = self.polygons[polygon];
        let along = vertices[(i + 1) % vertices.len()] - vertices[i % vertices.len()];
        if polygon == P {
            along
        } else {
            self.rotation.rotate(along)
        }
    }

    /// Returns the gap along a unit normal.
    fn gap_along(&self, normal: DVec2) -> f64 {
        let heights = |polygon: usize| {
            let all = 0..self.polygons[polygon].len();
            all.map(move |i| normal.dot(self.vertex(polygon, i)))
        };
        heights(Q).fold(f64::INFINITY, f64::min) - heights(P).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the line along an edge of one polygon, with a vertex of the other.
    #[inline(always)]
    fn line_along(&self, polygon: usize, edge: usize, vertex: usize) -> Line {
        let (from, x) = (self.vertex(polygon, edge), self.vertex(1 - polygon, vertex));
        let along = self.along(polygon, edge);
        let outward = -along.perp() * (1.0 / along.length());
        let gap = outward.dot(x - from);
        let t = along.dot(x - from) * (1.0 / along.length());
        let inset = t.min(along.length() - t);
        let parts = [Part::Edge(edge as u32), Part::Vertex(vertex as u32)];
        if polygon == P {
            self.line(parts, gap, outward, x - outward * gap, inset)
        } else {
            let [of_q, of_p] = parts;
            self.line([of_p, of_q], gap, -outward, x, inset)
        }
    }

    /// Returns the line across the segment between two vertices of separated polygons.
    fn line_between(&self, i: usize, j: usize) -> Line {
        let (on_p, on_q) = (self.vertex(P, i), self.vertex(Q, j));
        let gap = on_p.distance(on_q);
        // Points at the same place have no direction.
        let normal = direction(on_q - on_p, gap).unwrap_or(DVec2::X);
        let pair = [i, j].map(|id| Part::Vertex(id as u32));
        self.line(pair, gap, normal, on_p, 0.0)
    }

    fn line(&self, pair: FeaturePair, gap: f64, normal: DVec2, on_p: DVec2, inset: f64) -> Line {
        let plane = Plane {
            gap,
            normal,
            on_p,
            inset,
            thickness: 0.0,
            // Of the best line alone, by `features`.
            features: [Feature::Vertex(0); 2],
            error_bound: self.size * GAP_ERROR,
        };
        (pair, plane)
    }

    fn features(&self, pair: FeaturePair) -> [Feature; 2] {
        let feature = |polygon: usize| match pair[polygon] {
            Part::Edge(i) => Feature::edge(i, (i + 1) % self.polygons[polygon].len() as u32),
            Part::Vertex(i) | Part::Face(i) => Feature::Vertex(i),
        };
        [feature(P), feature(Q)]
    }

    /// Returns the line of the largest gap. Cost: O(vertices).
    fn best_line(&self) -> Line {
        let [m, n] = self.polygons.map(<[_]>::len);
        // A point has no edge, a segment two, there and back. Rounding could change the order of their angles.
        let edge_count = [m, n].map(|count| if count > 1 { count } else { 0 });
        let (turn, back) = self.lowest_and_highest();
        let (mut i, mut j, mut is_forth) = (0, turn, true);
        let [mut best, mut inside, mut apart]: [Option<Line>; 3] = [None; 3];
        let is_larger = |line: &Line, than: Option<Line>| than.is_none_or(|b| line.1.gap > b.1.gap);
        for _ in 0..edge_count[P] + edge_count[Q] {
            // The next edge is the one that the rotating normal meets first.
            let is_of_p = match m {
                1 => false,
                2 => j == [turn, back][i] && is_forth,
                _ => self.along(P, i).perp_dot(-self.along(Q, j)) >= 0.0,
            };
            let (i_now, j_now) = (i, j);
            let line = if is_of_p {
                i = (i + 1) % m;
                is_forth = i > 0;
                self.line_along(P, i_now, j)
            } else {
                j = (j + 1) % n;
                self.line_along(Q, j_now, i)
            };
            if is_larger(&line, best) {
                best = Some(line);
            }
            let is_inside = line.1.inset >= 0.0;
            if is_inside && is_larger(&line, inside) {
                inside = Some(line);
            }
            // If the vertex does not project into the edge, it is closest to an end of the edge.
            let near = if is_inside && line.1.gap >= -GAP_ERROR * self.size {
                line
            } else {
                let (a, b) = (self.line_between(i_now, j_now), self.line_between(i, j));
                if b.1.gap < a.1.gap { b } else { a }
            };
            if apart.is_none_or(|(_, apart)| near.1.gap < apart.gap) {
                apart = Some(near);
            }
        }
        let Some(best) = best else {
            return self.line_between(0, 0);
        };
        // Among edges that are parallel to rounding, prefer an edge into which the other polygon's
        // vertex projects.
        let best = inside
            .filter(|(_, inside)| inside.gap >= best.1.gap - GAP_BOUNDS * self.size)
            .unwrap_or(best);
        // With a projection inside the edge, or an overlap, no pair of vertices is closer.
        let is_final = best.1.inset >= 0.0 || best.1.gap < -GAP_ERROR * self.size;
        match apart {
            Some(apart) if apart.1.gap > best.1.gap && !is_final => self.clearer(best, apart),
            _ => best,
        }
    }

    /// Returns the first lowest and the last highest vertex of Q along the normal of the first edge of P, if it has one.
    fn lowest_and_highest(&self) -> (usize, usize) {
        let back = DVec2::new(self.rotation.x, -self.rotation.y);
        let outward = back.rotate(-self.along(P, 0).perp());
        let height = |j: usize| outward.dot(self.polygons[Q][j] - self.centers[Q]);
        let (mut lowest, mut highest) = (0, 0);
        for j in 1..self.polygons[Q].len() {
            if height(j) < height(lowest) {
                lowest = j;
            }
            if height(j) >= height(highest) {
                highest = j;
            }
        }
        (lowest, highest)
    }

    /// Returns the better of the best line along an edge and the line between the closest points. The
    /// better line has the larger gap along its normal, since a short difference has an inaccurate
    /// direction.
    fn clearer(&self, edge: Line, closest: Line) -> Line {
        if self.is_strict(&closest) {
            return closest;
        }
        let gap = self.gap_along(closest.1.normal);
        let ((pair, plane), least) = if gap > edge.1.gap {
            (closest, gap)
        } else {
            (edge, edge.1.gap)
        };
        let error_bound = plane.error_bound + (closest.1.gap - least).max(0.0);
        let plane = Plane {
            error_bound,
            ..plane
        };
        (pair, plane)
    }

    /// Returns whether a line is a strict local maximum of the gap. Then the vertex projects into the
    /// edge, and the neighbors of each vertex recede along the normal.
    fn is_strict(&self, (pair, line): &Line) -> bool {
        let recession = |polygon: usize, i: u32, normal: DVec2| {
            let (i, count) = (i as usize, self.polygons[polygon].len());
            if count == 1 {
                return f64::INFINITY;
            }
            let at = self.vertex(polygon, i);
            let [a, b] = [i + 1, i + count - 1].map(|i| normal.dot(self.vertex(polygon, i) - at));
            a.min(b)
        };
        let of_p = |i: u32| recession(P, i, -line.normal);
        let of_q = |j: u32| recession(Q, j, line.normal);
        let slack = STRICT * self.size;
        match *pair {
            [Part::Edge(_), Part::Vertex(j)] => line.inset.min(of_q(j)) > slack,
            [Part::Vertex(i), Part::Edge(_)] => line.inset.min(of_p(i)) > slack,
            // A short difference has an inaccurate direction.
            [Part::Vertex(i), Part::Vertex(j)] => {
                of_p(i).min(of_q(j)) > slack * (self.size / line.gap)
            }
            _ => false,
        }
    }

    /// Returns the line of a pair if it is a strict local maximum, and the largest one.
    fn kept(&self, pair: FeaturePair) -> Option<Line> {
        let number = |polygon: usize, i: u32| {
            let is_there = (i as usize) < self.polygons[polygon].len();
            is_there.then_some(i as usize)
        };
        let line = match pair {
            [Part::Edge(i), Part::Vertex(j)] => self.line_along(P, number(P, i)?, number(Q, j)?),
            [Part::Vertex(i), Part::Edge(j)] => self.line_along(Q, number(Q, j)?, number(P, i)?),
            [Part::Vertex(i), Part::Vertex(j)] => self.line_between(number(P, i)?, number(Q, j)?),
            _ => return None,
        };
        let slack = STRICT * self.size;
        let is_strict = self.is_strict(&line);
        // The difference of a segment and a point on it is flat: both sides of the segment carry a line.
        let least = if self.inscribed > 0.0 { 0.0 } else { slack };
        let is_largest = || {
            let plane = &line.1;
            plane.gap >= least || is_least_depth(plane, self.between, self.inscribed, slack)
        };
        (is_strict && is_largest()).then_some(line)
    }
}

impl CorePlane<DVec2> for CommonPlane {
    fn plane_of(
        &mut self,
        [p, q]: [FlatCore; 2],
        [first, second]: [&Pose2; 2],
        reach: f64,
        state: &mut CommonPlaneState<DVec2>,
    ) -> Option<Plane<DVec2>> {
        let now = Placement {
            shapes: [p.stamp, q.stamp],
            relative: first.inv_mul(second),
        };
        let far = |core: FlatCore| core.radii.1 + core.center.length();
        if state.keeps_apart(reach, &now, || [far(p), far(q)]) {
            #[cfg(test)]
            super::tests::effort::count(&super::tests::effort::SKIPPED);
            return None;
        }
        let frame = PolygonFrame::new(p, q, &now.relative);
        let kept = state.pair.and_then(|pair| frame.kept(pair));
        #[cfg(test)]
        super::tests::effort::count(match kept {
            Some(_) => &super::tests::effort::KEPT,
            None => &super::tests::effort::COLD,
        });
        let (pair, plane) = kept.unwrap_or_else(|| frame.best_line());
        state.pair = Some(pair);
        state.set_gap(plane.gap, &now);
        (plane.gap < reach).then(|| {
            let features = frame.features(pair);
            let on_p = first.transform_point(plane.on_p + frame.centers[P]);
            Plane { features, ..plane }.placed(first.transform_vector(plane.normal), on_p)
        })
    }
}
