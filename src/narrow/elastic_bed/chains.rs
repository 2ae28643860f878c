//! The bed of two convex polygons: the overlay of the chains of edges that face each other.
//!
//! As in `overlay`, in one dimension less: cells are intervals, over which the depth is linear, and
//! hats interpolate it between their ends.

use std::cmp::Ordering;

use glam::DVec2;

use super::manifold::{Bed, BedNode, PointFeature};
use super::{Along, NAMING_DISTANCE, Overlay, Space};
use crate::math::Pose2;
use crate::math::tolerance::{STEEP_FACE, STRICT, TIED_GAP};
use crate::narrow::order::Ordered;
use crate::narrow::{CommonPlane, CommonPlaneState, NarrowPhase};
use crate::shape::{ConvexPolygon, Placed, Stamp};

impl Space for DVec2 {
    type Shape = ConvexPolygon;
    type Overlay = ChainOverlay;
}

/// Buffers of an overlay.
#[derive(Clone, Debug, Default)]
pub struct ChainOverlay {
    chains: [Vec<ChainCorner>; 2],
    polygon: Vec<CutCorner>,
    uncut: Vec<CutCorner>,
}

/// A corner of a chain: coordinate across m, height along m, and the vertex.
#[derive(Clone, Copy, Debug, Default)]
struct ChainCorner {
    at: f64,
    height: f64,
    vertex: u32,
}

/// A corner of a cut polygon, and whether the side that starts there is one of Q.
#[derive(Clone, Copy, Debug)]
struct CutCorner {
    at: DVec2,
    is_side_of_q: bool,
}

/// Two polygons in the frame of P, about its centroid.
#[derive(Clone, Copy, Debug)]
struct PolygonPair<'a> {
    p: &'a ConvexPolygon,
    q: &'a ConvexPolygon,
    relative: Pose2,
    size: f64,
}

impl<'a> PolygonPair<'a> {
    fn new(p: &'a ConvexPolygon, q: &'a ConvexPolygon, relative: Pose2) -> Self {
        let between = relative.transform_point(q.centroid()) - p.centroid();
        let size = between.abs().max_element().max(p.radii().1 + q.radii().1);
        Self {
            p,
            q,
            relative,
            size,
        }
    }

    fn of_p(&self) -> impl DoubleEndedIterator<Item = DVec2> + Clone + use<'a> {
        let center = self.p.centroid();
        self.p.vertices().iter().map(move |&x| x - center)
    }

    fn of_q(&self) -> impl DoubleEndedIterator<Item = DVec2> + Clone + use<'a> {
        let (relative, center) = (self.relative, self.p.centroid());
        let (shift, middle) = (
            relative.transform_point(self.q.centroid()) - center,
            self.q.centroid(),
        );
        self.q
            .vertices()
            .iter()
            .map(move |&x| shift + relative.transform_vector(x - middle))
    }
}

impl PolygonPair<'_> {
    /// Returns whether sides of both polygons lie on one line along `normal`, on the same side.
    fn has_flush_sides(&self, normal: DVec2) -> bool {
        let across = normal.perp();
        let slack = self.size * TIED_GAP;
        // The line of a side along the normal, and whether the side runs along or against it.
        let line = move |(from, to): (DVec2, DVec2)| {
            let (run, rise) = (across.dot(to - from), normal.dot(to - from));
            let is_along = run.abs() <= STRICT * rise.abs();
            is_along.then(|| (across.dot(from), rise > 0.0))
        };
        let of_q = || sides(self.of_q()).filter_map(line);
        let is_flush =
            |(x, up): (f64, bool)| of_q().any(|(y, is_up)| up == is_up && (x - y).abs() <= slack);
        sides(self.of_p()).filter_map(line).any(is_flush)
    }
}

/// Returns the ends of the sides of a polygon.
fn sides(corners: impl Iterator<Item = DVec2> + Clone) -> impl Iterator<Item = (DVec2, DVec2)> {
    let next = corners.clone().cycle().skip(1);
    corners.zip(next)
}

impl Overlay<DVec2> for ChainOverlay {
    fn stamp(shape: &ConvexPolygon) -> Stamp {
        shape.stamp()
    }

    fn vertices(shape: &ConvexPolygon) -> &[DVec2] {
        shape.vertices()
    }

    fn plane_normal(
        kernel: &mut CommonPlane,
        [a, b]: [&Placed<&ConvexPolygon, DVec2>; 2],
        state: &mut CommonPlaneState<DVec2>,
    ) -> Option<DVec2> {
        Some(kernel.contact_with(a, b, state)?.normal)
    }

    fn area_vector(&mut self, [a, b]: [&Placed<&ConvexPolygon, DVec2>; 2], normal: DVec2) -> DVec2 {
        let ordered = Ordered::new(
            a,
            b,
            |p: &ConvexPolygon| p.vertices(),
            |_, _| Ordering::Equal,
        );
        let ([p, q], [first, second]) = (ordered.shapes, ordered.poses);
        let pair = PolygonPair::new(p, q, first.inv_mul(second));
        let sum = first.transform_vector(self.add_up(&pair));
        let sum = if ordered.is_swapped { -sum } else { sum };
        if pair.has_flush_sides(first.inverse_transform_vector(normal)) {
            normal * normal.dot(sum)
        } else {
            sum
        }
    }

    fn compute(
        &mut self,
        [p, q]: [&ConvexPolygon; 2],
        [first, second]: [&Pose2; 2],
        along: &Along<DVec2>,
        bed: &mut Bed<DVec2>,
    ) -> DVec2 {
        self.add_cells(&PolygonPair::new(p, q, first.inv_mul(second)), along, bed);
        p.centroid()
    }
}

impl ChainOverlay {
    fn add_cells(&mut self, pair: &PolygonPair, along: &Along<DVec2>, bed: &mut Bed<DVec2>) {
        bed.clear();
        let m = along.m;
        let across = DVec2::new(m.y, -m.x);
        let corner = |(vertex, x): (usize, DVec2), shift: f64| ChainCorner {
            at: across.dot(x),
            height: m.dot(x) - shift,
            vertex: vertex as u32,
        };
        let [p, q] = &mut self.chains;
        // Polygons are counter-clockwise: seen with m upwards, upper sides run to the left.
        let of_p = pair.of_p().enumerate().map(|x| corner(x, 0.0));
        set_chain(p, of_p, -1.0);
        p.reverse();
        set_chain(
            q,
            pair.of_q().enumerate().map(|x| corner(x, along.margin)),
            1.0,
        );
        let tolerance = pair.size * TIED_GAP;
        for corner in q.iter_mut() {
            let near = p.iter().find(|x| (x.at - corner.at).abs() <= tolerance);
            corner.at = near.map_or(corner.at, |x| x.at);
        }
        let [p, q] = &self.chains;
        let near = NAMING_DISTANCE * tolerance;
        let vertex_at = |chain: &[ChainCorner], at: f64| {
            let found = chain.iter().find(|x| (x.at - at).abs() <= near);
            found.map(|x| x.vertex)
        };
        let name = |at: f64| {
            let on_p = vertex_at(p, at).map(PointFeature::FirstVertex);
            let on_q = vertex_at(q, at).map(PointFeature::SecondVertex);
            if along.prefers_q {
                on_q.or(on_p)
            } else {
                on_p.or(on_q)
            }
        };
        let (mut i, mut j) = (1, 1);
        while i < p.len() && j < q.len() {
            let sides = [[p[i - 1], p[i]], [q[j - 1], q[j]]];
            let position = |at, height| across * at + m * height;
            add_cell(sides, bed, name, position);
            // The side that ends first.
            if p[i].at <= q[j].at {
                i += 1;
            } else {
                j += 1;
            }
        }
    }

    /// Returns the area vector of the part of P's boundary inside Q, in the frame of P.
    fn add_up(&mut self, pair: &PolygonPair) -> DVec2 {
        self.polygon.clear();
        let corner = |at| CutCorner {
            at,
            is_side_of_q: false,
        };
        self.polygon.extend(pair.of_p().map(corner));
        let mut from = pair.of_q().next_back().unwrap_or_default();
        for to in pair.of_q() {
            self.cut(from, to - from);
            from = to;
        }
        let mut sum = DVec2::ZERO;
        // All sides of P add up to 0.
        if !self.polygon.iter().any(|corner| corner.is_side_of_q) {
            return sum;
        }
        for (i, from) in self.polygon.iter().enumerate() {
            let to = self.polygon[(i + 1) % self.polygon.len()];
            if !from.is_side_of_q {
                sum -= (to.at - from.at).perp();
            }
        }
        sum
    }

    /// Keeps the part of the polygon on the left of a side of Q.
    fn cut(&mut self, from: DVec2, along: DVec2) {
        std::mem::swap(&mut self.polygon, &mut self.uncut);
        self.polygon.clear();
        let height = |x: DVec2| along.perp_dot(x - from);
        let corners = &self.uncut;
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[(i + 1) % corners.len()].at;
            let (here, there) = (height(corner.at), height(next));
            let is_exit = there < 0.0;
            if here >= 0.0 {
                let is_side_of_q = corner.is_side_of_q || here == 0.0 && is_exit;
                self.polygon.push(CutCorner {
                    is_side_of_q,
                    ..corner
                });
            }
            if here * there < 0.0 {
                let at = corner.at + (next - corner.at) * (here / (here - there));
                let is_side_of_q = corner.is_side_of_q || is_exit;
                self.polygon.push(CutCorner { at, is_side_of_q });
            }
        }
    }
}

/// Sets the sides of a polygon that run to the right (`sign` 1) or left (-1), as one chain.
fn set_chain(
    chain: &mut Vec<ChainCorner>,
    corners: impl Iterator<Item = ChainCorner> + Clone,
    sign: f64,
) {
    chain.clear();
    let count = corners.clone().count();
    let mut around = corners.cycle().peekable();
    // The chain starts after a side that runs the other way; two rounds contain all of it.
    let mut has_begun = false;
    for _ in 0..2 * count {
        let (Some(from), Some(to)) = (around.next(), around.peek()) else {
            return;
        };
        // A side along m has no length across it.
        let run = sign * (to.at - from.at);
        let runs = run > STEEP_FACE * (to.height - from.height).abs();
        if runs && has_begun {
            if chain.is_empty() {
                chain.push(from);
            }
            chain.push(*to);
        } else if !chain.is_empty() {
            return;
        } else {
            has_begun |= !runs;
        }
    }
}

/// Adds the shares of the ends of the interval that two sides have in common.
fn add_cell(
    [f, g]: [[ChainCorner; 2]; 2],
    bed: &mut Bed<DVec2>,
    name: impl Fn(f64) -> Option<PointFeature>,
    position: impl Fn(f64, f64) -> DVec2,
) {
    let height = |side: &[ChainCorner; 2], at: f64| {
        let [from, to] = side;
        let s = (at - from.at) / (to.at - from.at);
        from.height + (to.height - from.height) * s
    };
    let depth = |at: f64| height(&f, at) - height(&g, at);
    let from = f[0].at.max(g[0].at);
    let to = f[1].at.min(g[1].at);
    let mut ends = [from, to].map(|at| (at, name(at)));
    let depths = ends.map(|end| depth(end.0));
    if ends[0].0 >= ends[1].0 || depths[0].max(depths[1]) <= 0.0 {
        return;
    }
    if depths[0].min(depths[1]) < 0.0 {
        let rim = ends[0].0 + (ends[1].0 - ends[0].0) * (depths[0] / (depths[0] - depths[1]));
        ends[usize::from(depths[1] < 0.0)] = (rim, None);
    }
    let width = ends[1].0 - ends[0].0;
    bed.area += width;
    for (i, (at, feature)) in ends.into_iter().enumerate() {
        let share = 0.5 * width;
        let volume = share * depths[i];
        if let Some(feature) = feature
            && volume > 0.0
        {
            let center = (2.0 * at + ends[1 - i].0) / 3.0;
            let middle = 0.5 * (height(&f, center) + height(&g, center));
            let moment = position(center, middle) * volume;
            bed.add(BedNode {
                feature,
                area: share,
                volume,
                moment,
            });
        }
    }
}
