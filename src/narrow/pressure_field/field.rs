//! The pressure field of a convex polyhedron, and the parts of polygons in which it is linear.

use std::ops::Range;

use glam::{DVec2, DVec3};

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
    pub(super) margin: f64,
    equal: f64,
    /// The last face that had a whole polygon in front of it; neighbors often have the same.
    rejecting: usize,
    /// The polygon, and the values of all faces.
    whole: Polygons,
    /// What is left of it at each cut, and the faces that matter there.
    piece: Polygons,
    piece_faces: Vec<usize>,
    /// The parts of the piece, and the faces that matter there.
    parts: Polygons,
    part_faces: Vec<usize>,
    /// Parts to be visited, and which of these faces has the least pressure at most of each.
    waiting: Vec<(usize, Range<usize>)>,
}

/// A plane, in the frame of the field about its center.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) height: f64,
    /// Two unit vectors in the plane.
    pub(super) axes: [DVec3; 2],
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

impl Plane {
    pub(super) fn new(normal: DVec3, height: f64) -> Self {
        let (x, y) = normal.any_orthonormal_pair();
        Self {
            normal,
            height,
            axes: [x, y],
        }
    }

    /// Returns the coordinates of a point in the plane, from the foot of the center.
    pub(super) fn flat(&self, x: DVec3) -> DVec2 {
        DVec2::new(self.axes[0].dot(x), self.axes[1].dot(x))
    }

    /// Returns a vector in the plane.
    pub(super) fn vector(&self, x: DVec2) -> DVec3 {
        self.axes[0] * x.x + self.axes[1] * x.y
    }

    /// Returns a point of the plane.
    pub(super) fn point(&self, x: DVec2) -> DVec3 {
        self.vector(x) + self.normal * self.height
    }
}

impl FieldPart<'_> {
    /// Returns the position of each corner in the plane, and the pressure there.
    #[inline]
    pub(super) fn corners(&self) -> impl Iterator<Item = (DVec2, f64)> {
        self.corners.clone().map(|corner| {
            let value = self.polygons.at(corner)[self.face];
            let pressure = (self.inscribed - value).max(0.0);
            (self.polygons.position(corner), pressure)
        })
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
        self.depths.clear();
        for face in &body.faces {
            let is_near = slab.is_none_or(|(direction, low)| {
                let is_beyond = |id| direction.dot(body.vertices[id as usize] - center) > low;
                low < 0.0 || body.sides(face).iter().any(|side| is_beyond(side.corner))
            });
            if is_near {
                let offset = offset(face);
                self.slopes.push(face.normal * (self.inscribed / offset));
                self.depths.push(offset / self.inscribed);
            }
        }
    }

    /// Returns whether a segment has a part inside the body.
    pub(super) fn has_part(&self, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for slope in &self.slopes {
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
        let (piece, is_whole) = self.clip(plane, polygon)?;
        find_near(&self.piece, piece.clone(), &mut self.part_faces);
        let faces = &self.part_faces;
        self.parts.clear(faces.len());
        for corner in piece {
            let (x, row) = (self.piece.position(corner), self.piece.at(corner));
            if is_whole {
                self.parts.push(x, faces.iter().map(|&i| row[i]));
            } else {
                // Corners far away would round interpolated values.
                let at = plane.point(x);
                let slope = |&i: &usize| self.slopes[self.piece_faces[i]].dot(at);
                self.parts.push(x, faces.iter().map(slope));
            }
        }
        let first = self.parts.at(0).iter().enumerate();
        let best = first.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let start = best.map_or(0, |best| best.0);
        self.waiting.push((start, 0..self.parts.len()));
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
                    depth: self.depths[self.piece_faces[self.part_faces[face]]],
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
        Some(is_whole)
    }

    /// Returns the part of a polygon inside the body, and whether it is the whole polygon.
    fn clip(&mut self, plane: &Plane, polygon: &[DVec3]) -> Option<(Range<usize>, bool)> {
        let r = self.inscribed;
        let is_ahead = |slope: &DVec3| polygon.iter().all(|x| slope.dot(*x) >= r);
        if self.slopes.get(self.rejecting).is_none_or(is_ahead) {
            return None;
        }
        self.whole.clear(self.slopes.len());
        for &x in polygon {
            let values = self.slopes.iter().map(|slope| slope.dot(x));
            self.whole.push(plane.flat(x), values);
        }
        let all = 0..polygon.len();
        let is_ahead = |face: &usize| self.whole.rows(all.clone()).all(|row| row[*face] >= r);
        if let Some(face) = (0..self.slopes.len()).find(is_ahead) {
            self.rejecting = face;
            return None;
        }
        find_near(&self.whole, all.clone(), &mut self.piece_faces);
        let faces = &self.piece_faces;
        self.piece.clear(faces.len());
        for corner in all.clone() {
            let row = self.whole.at(corner);
            (self.piece).push(
                self.whole.position(corner),
                faces.iter().map(|&face| row[face]),
            );
        }
        let mut piece = all.clone();
        for i in 0..faces.len() {
            if self.piece.rows(piece.clone()).any(|row| row[i] > r) {
                piece = self.piece.cut(piece, |row| r - row[i]);
                if piece.len() < 3 {
                    self.rejecting = faces[i];
                    return None;
                }
            }
        }
        let is_whole = piece == all;
        Some((piece, is_whole))
    }
}

/// Finds the functions that are the largest at some corner of a polygon, and those that none of these exceeds at all
/// corners.
fn find_near(polygons: &Polygons, polygon: Range<usize>, near: &mut Vec<usize>) {
    near.clear();
    for row in polygons.rows(polygon.clone()) {
        let values = row.iter().enumerate();
        let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((i, _)) = best
            && !near.contains(&i)
        {
            near.push(i);
        }
    }
    if let [_] = near[..] {
        return;
    }
    let at_corners = near.len();
    let rows = polygons.rows(polygon);
    for i in 0..rows.clone().next().map_or(0, <[f64]>::len) {
        let is_below = |&other: &usize| rows.clone().all(|row| row[i] <= row[other]);
        if !near[..at_corners].iter().any(is_below) {
            near.push(i);
        }
    }
    near.sort_unstable();
}
