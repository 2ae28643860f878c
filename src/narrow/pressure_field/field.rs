//! The pressure field of a convex polyhedron, and the parts of polygons in which it is linear.

use std::ops::Range;

use glam::DVec3;

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
    /// u of the faces that may be near the other body.
    slopes: Vec<DVec3>,
    /// The depth below each face for a pressure of 1.
    depths: Vec<f64>,
    pub(super) inscribed: f64,
    equal: f64,
    /// The last face that had a whole polygon in front of it; neighbors often have the same.
    rejecting: usize,
    /// The polygon and what is left of it at each cut, with the values of all faces.
    pieces: Polygons,
    /// The parts of the last piece, with the values of the near faces.
    parts: Polygons,
    /// The faces that may have the least pressure somewhere on the piece.
    near: Vec<usize>,
    /// Parts to be visited, and which of the near faces has the least pressure at most of each.
    waiting: Vec<(usize, Range<usize>)>,
}

/// A part of a polygon in which the pressure is linear.
#[derive(Clone, Debug)]
pub(super) struct FieldPart<'a> {
    polygons: &'a Polygons,
    corners: Range<usize>,
    face: usize,
    inscribed: f64,
    /// The depth for a pressure of 1.
    pub(super) depth: f64,
}

impl FieldPart<'_> {
    /// Returns the position of each corner, and the pressure there.
    #[inline]
    pub(super) fn corners(&self) -> impl Iterator<Item = (DVec3, f64)> {
        self.corners.clone().map(|corner| {
            let value = self.polygons.at(corner)[self.face];
            let pressure = (self.inscribed - value).max(0.0);
            (self.polygons.position(corner), pressure)
        })
    }
}

impl Field {
    /// Sets the field to that of a body about a point, as far as it lies beyond `low` along `direction`, relative to
    /// this point.
    ///
    /// The other body is beyond. A face below, whose pyramid is below as well, is nowhere the one with the least
    /// pressure. All pyramids end at the center.
    pub(super) fn set(&mut self, body: &Boundary, center: DVec3, direction: DVec3, low: f64) {
        let offset = |face: &Face| face.offset - face.normal.dot(center);
        let offsets = body.faces.iter().map(offset);
        self.inscribed = offsets.fold(f64::INFINITY, f64::min);
        self.equal = body.circumscribed * EQUAL_PRESSURE;
        self.rejecting = 0;
        self.slopes.clear();
        self.depths.clear();
        let is_beyond = |id: u32| direction.dot(body.vertices[id as usize] - center) > low;
        for face in &body.faces {
            let mut corners = body.sides(face).iter().map(|side| side.corner);
            if low < 0.0 || corners.any(is_beyond) {
                let offset = offset(face);
                self.slopes.push(face.normal * (self.inscribed / offset));
                self.depths.push(offset / self.inscribed);
            }
        }
    }

    /// Visits the parts of a convex polygon inside the body.
    ///
    /// A polygon is cut in two as long as some face has less pressure at a corner than the face of the polygon, where
    /// the two are equal. So the parts cover the polygon whatever is rounded.
    pub(super) fn for_each_part(
        &mut self,
        polygon: impl Iterator<Item = DVec3> + Clone,
        mut visit: impl FnMut(FieldPart),
    ) {
        let Some(piece) = self.clip(polygon) else {
            return;
        };
        let face = self.find_near_faces(piece.clone());
        let (pieces, near) = (&self.pieces, &self.near);
        let values = |corner: usize| near.iter().map(move |&face| pieces.at(corner)[face]);
        let corners = piece.map(|corner| (pieces.position(corner), values(corner)));
        let whole = self.parts.set(near.len(), corners);
        self.waiting.push((face, whole));
        while let Some((face, part)) = self.waiting.pop() {
            let (mut most, mut other) = (self.equal, face);
            for row in self.parts.rows(part.clone()) {
                for (i, value) in row.iter().enumerate() {
                    if value - row[face] > most {
                        (most, other) = (value - row[face], i);
                    }
                }
            }
            if other == face {
                visit(FieldPart {
                    polygons: &self.parts,
                    corners: part,
                    face,
                    inscribed: self.inscribed,
                    depth: self.depths[self.near[face]],
                });
                continue;
            }
            for [high, low] in [[face, other], [other, face]] {
                let half = self.parts.cut(part.clone(), |row| row[high] - row[low]);
                if half.len() > 2 {
                    self.waiting.push((high, half));
                }
            }
        }
    }

    /// Returns the part of a polygon inside the body.
    fn clip(&mut self, polygon: impl Iterator<Item = DVec3> + Clone) -> Option<Range<usize>> {
        let r = self.inscribed;
        let slope = self.slopes.get(self.rejecting)?;
        if polygon.clone().all(|x| slope.dot(x) >= r) {
            return None;
        }
        let slopes = &self.slopes;
        let corners = polygon.map(|x| (x, slopes.iter().map(move |slope| slope.dot(x))));
        let mut piece = self.pieces.set(slopes.len(), corners);
        for face in 0..slopes.len() {
            if self.pieces.rows(piece.clone()).any(|row| row[face] > r) {
                piece = self.pieces.cut(piece, |row| r - row[face]);
                if piece.len() < 3 {
                    self.rejecting = face;
                    return None;
                }
            }
        }
        Some(piece)
    }

    /// Finds the faces that have the least pressure at some corner of a piece, and those that none of these is below at
    /// all corners. Returns the place of the first one.
    fn find_near_faces(&mut self, piece: Range<usize>) -> usize {
        let (pieces, near) = (&self.pieces, &mut self.near);
        near.clear();
        for row in pieces.rows(piece.clone()) {
            let values = row.iter().enumerate();
            let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
            if let Some((face, _)) = best
                && !near.contains(&face)
            {
                near.push(face);
            }
        }
        let first = near[0];
        if near.len() > 1 {
            let at_corners = near.len();
            for face in 0..self.slopes.len() {
                let is_below = |&other: &usize| {
                    let mut rows = pieces.rows(piece.clone());
                    rows.all(|row| row[face] <= row[other])
                };
                if !near[..at_corners].iter().any(is_below) {
                    near.push(face);
                }
            }
            near.sort_unstable();
        }
        near.iter().position(|&face| face == first).unwrap_or(0)
    }
}
