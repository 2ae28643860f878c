//! The pressure field of a convex polyhedron, and the parts of polygons in which it is linear.

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::plane::Plane;
use super::polygon::Polygons;
use crate::shape::{Boundary, Face};

/// How much two faces may differ in pressure at a corner and count as equal, relative to the size of the body.
///
/// It is some ten times the rounding of a value. Where a polygon lies between two faces, either of them may take it.
const EQUAL_PRESSURE: f64 = 32.0 * f64::EPSILON;

/// The pressure of a body: 0 on its surface, linear on the pyramid over each face, and the inscribed radius r at its
/// center, where the pyramids meet.
///
/// `p(x) = r - max over the faces of u . x` about the center, with `u = n r / offset`.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    /// u of the faces that may be near the other body, and the depth below each for a pressure of 1.
    slopes: Vec<(DVec3, f64)>,
    pub(super) inscribed: f64,
    pub(super) margin: f64,
    equal: f64,
    heights: Vec<f64>,
    /// The last face that had a whole polygon in front of it; neighbors often have the same.
    rejecting: usize,
    /// The values of `u . x` at the corners of a polygon, face by face.
    values: Vec<f64>,
    /// The faces that have the least pressure at a corner.
    at_corners: Vec<usize>,
    /// The faces that may have the least pressure somewhere on the polygon.
    near: Vec<PlaneFunction>,
    polygons: Polygons,
    /// Parts to be visited, and which of the near faces has the least pressure at most of each.
    waiting: Vec<(usize, Range<usize>)>,
}

/// `u . x` of a face in a plane.
#[derive(Clone, Copy, Debug)]
struct PlaneFunction {
    slope: DVec2,
    at_foot: f64,
    /// The depth below the face for a pressure of 1.
    depth: f64,
}

impl PlaneFunction {
    #[inline]
    fn at(&self, x: DVec2) -> f64 {
        self.slope.dot(x) + self.at_foot
    }
}

/// A part of a polygon in which the pressure is linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldPart<'a> {
    pub(super) corners: &'a [DVec2],
    function: PlaneFunction,
    inscribed: f64,
}

impl FieldPart<'_> {
    /// Returns the pressure at a corner.
    #[inline]
    pub(super) fn pressure(&self, corner: DVec2) -> f64 {
        (self.inscribed - self.function.at(corner)).max(0.0)
    }

    /// Returns the depth below the face for a pressure of 1.
    pub(super) fn depth(&self) -> f64 {
        self.function.depth
    }
}

impl Field {
    /// Sets the field to that of a body about a point, with the faces moved out by a margin.
    ///
    /// `slab` is a direction and a height about this point: the other body is beyond. A face below, whose pyramid is
    /// below as well, is nowhere the one with the least pressure. All pyramids end at the center.
    pub(super) fn set(
        &mut self,
        body: &Boundary,
        center: DVec3,
        margin: f64,
        slab: Option<(DVec3, f64)>,
    ) {
        let offset = |face: &Face| face.offset - face.normal.dot(center) + margin;
        let offsets = body.faces.iter().map(offset);
        self.margin = margin;
        self.inscribed = offsets.fold(f64::INFINITY, f64::min);
        self.equal = (body.circumscribed + margin) * EQUAL_PRESSURE;
        self.rejecting = 0;
        self.slopes.clear();
        let slab = slab.filter(|(_, low)| *low >= 0.0);
        if let Some((direction, _)) = slab {
            let heights = body.vertices.iter().map(|&x| direction.dot(x - center));
            self.heights.clear();
            self.heights.extend(heights);
        }
        for face in &body.faces {
            let is_near = slab.is_none_or(|(_, low)| {
                let mut corners = body.sides(face).iter().map(|side| side.corner as usize);
                corners.any(|corner| self.heights[corner] > low)
            });
            if is_near {
                let depth = offset(face) / self.inscribed;
                self.slopes.push((face.normal / depth, depth));
            }
        }
    }

    /// Returns whether a segment has a part inside the body.
    pub(super) fn has_part(&self, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (slope, _) in &self.slopes {
            let [here, there] = [a, b].map(|x| self.inscribed - slope.dot(x));
            if here < 0.0 && there < 0.0 {
                return false;
            }
            let crossing = here / (here - there);
            if here < 0.0 {
                from = from.max(crossing);
            } else if there < 0.0 {
                to = to.min(crossing);
            }
        }
        from < to
    }

    /// Visits the parts of a convex polygon inside the body, and returns whether they are the whole polygon; `None` if there
    /// are none.
    ///
    /// A polygon is cut in two as long as some face has less pressure at a corner than the face of the polygon, where
    /// the two are equal. So the parts cover the polygon whatever is rounded.
    pub(super) fn for_each_part(
        &mut self,
        plane: &Plane,
        polygon: &[DVec3],
        mut visit: impl FnMut(FieldPart),
    ) -> Option<bool> {
        self.find_near(plane, polygon)?;
        let (piece, is_whole) = self.clip(plane, polygon)?;
        let Self {
            near,
            polygons,
            waiting,
            ..
        } = self;
        waiting.push((0, piece));
        while let Some((face, part)) = waiting.pop() {
            let (mut most, mut other) = (self.equal, face);
            for &x in polygons.corners(part.clone()) {
                let own = near[face].at(x);
                for (i, function) in near.iter().enumerate() {
                    let excess = function.at(x) - own;
                    if excess > most {
                        (most, other) = (excess, i);
                    }
                }
            }
            if other == face {
                visit(FieldPart {
                    corners: polygons.corners(part),
                    function: near[face],
                    inscribed: self.inscribed,
                });
                continue;
            }
            let [own, next] = [near[face], near[other]];
            let slope = own.slope - next.slope;
            let at_foot = own.at_foot - next.at_foot;
            let halves = polygons.split(part, |x| slope.dot(x) + at_foot);
            for (face, half) in [face, other].into_iter().zip(halves) {
                if half.len() > 2 {
                    waiting.push((face, half));
                }
            }
        }
        Some(is_whole)
    }

    /// Finds the faces that have the least pressure at some corner of a polygon, and those that none of these is below at
    /// all corners. `None` if the polygon is in front of a face.
    fn find_near(&mut self, plane: &Plane, polygon: &[DVec3]) -> Option<()> {
        let (r, count) = (self.inscribed, polygon.len());
        let (rejecting, _) = self.slopes.get(self.rejecting)?;
        if polygon.iter().all(|x| rejecting.dot(*x) >= r) {
            return None;
        }
        self.values.clear();
        for (i, (slope, _)) in self.slopes.iter().enumerate() {
            let mut least = f64::INFINITY;
            self.values.extend(polygon.iter().map(|x| {
                let value = slope.dot(*x);
                least = if value < least { value } else { least };
                value
            }));
            if least >= r {
                self.rejecting = i;
                return None;
            }
        }
        self.at_corners.clear();
        for corner in 0..count {
            let (mut best, mut most) = (0, self.values[corner]);
            for (i, row) in self.values.chunks_exact(count).enumerate() {
                if row[corner] > most {
                    (best, most) = (i, row[corner]);
                }
            }
            if !self.at_corners.contains(&best) {
                self.at_corners.push(best);
            }
        }
        let Self {
            values,
            at_corners,
            near,
            slopes,
            ..
        } = self;
        near.clear();
        let mut push = |face: usize| {
            let (slope, depth) = slopes[face];
            near.push(PlaneFunction {
                slope: plane.flat(slope),
                at_foot: slope.dot(plane.normal) * plane.height,
                depth,
            });
        };
        if let [only] = at_corners[..] {
            push(only);
            return Some(());
        }
        let row = |face: usize| &values[face * count..][..count];
        for (face, values) in values.chunks_exact(count).enumerate() {
            let is_below =
                |&best: &usize| best != face && values.iter().zip(row(best)).all(|(a, b)| a <= b);
            if at_corners.contains(&face) || !at_corners.iter().any(is_below) {
                push(face);
            }
        }
        Some(())
    }

    /// Returns the part of a polygon inside the body, and whether it is the whole polygon. Keeps the faces that are near
    /// the part, as [`find_near`](Self::find_near).
    fn clip(&mut self, plane: &Plane, polygon: &[DVec3]) -> Option<(Range<usize>, bool)> {
        let r = self.inscribed;
        let corners = polygon.iter().map(|&x| plane.flat(x));
        let all = self.polygons.set(corners);
        let mut piece = all.clone();
        for function in &self.near {
            let is_beyond = |&x: &DVec2| function.at(x) > r;
            if self.polygons.corners(piece.clone()).iter().any(is_beyond) {
                piece = self.polygons.cut(piece, |x| r - function.at(x));
                if piece.len() < 3 {
                    return None;
                }
            }
        }
        let is_whole = piece == all;
        Some((piece, is_whole))
    }
}
