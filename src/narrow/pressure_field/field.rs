//! The pressure field of a convex polyhedron, and the parts of polygons in which it is linear.

use glam::DVec3;

use crate::math::polygon::cut;
use crate::shape::{Boundary, Face};

/// How much two faces may differ in pressure at a corner and count as equal, relative to the size of the body.
///
/// It is 16 times the rounding of a value. Where a polygon lies between two faces, either of them may take it.
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
    /// Buffers.
    piece: Vec<DVec3>,
    uncut: Vec<DVec3>,
    waiting: Vec<Part>,
    free: Vec<Vec<DVec3>>,
}

/// A part of a polygon in which the pressure is linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldPart<'a> {
    pub(super) corners: &'a [DVec3],
    slope: DVec3,
    inscribed: f64,
    /// The depth for a pressure of 1.
    pub(super) depth: f64,
}

impl FieldPart<'_> {
    pub(super) fn pressure(&self, x: DVec3) -> f64 {
        (self.inscribed - self.slope.dot(x)).max(0.0)
    }
}

/// A part of a polygon, and the face that has the least pressure at most of it.
#[derive(Clone, Debug)]
struct Part {
    face: usize,
    corners: Vec<DVec3>,
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
        polygon: impl Iterator<Item = DVec3>,
        mut visit: impl FnMut(FieldPart),
    ) {
        if !self.clip(polygon) {
            return;
        }
        let Self {
            slopes,
            depths,
            waiting,
            free,
            piece,
            uncut,
            ..
        } = self;
        let inscribed = self.inscribed;
        let steepest = |x: DVec3| {
            let values = slopes.iter().map(|slope| slope.dot(x)).enumerate();
            let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(0, |best| best.0)
        };
        let mut corners = free.pop().unwrap_or_default();
        corners.clone_from(piece);
        waiting.push(Part {
            face: steepest(corners[0]),
            corners,
        });
        while let Some(Part { face, mut corners }) = waiting.pop() {
            let own = slopes[face];
            let (mut most, mut other) = (self.equal, face);
            for (i, &slope) in slopes.iter().enumerate() {
                for &x in &corners {
                    let excess = (slope - own).dot(x);
                    if excess > most {
                        (most, other) = (excess, i);
                    }
                }
            }
            if other != face {
                let difference = slopes[other] - own;
                let mut rest = free.pop().unwrap_or_default();
                rest.clone_from(&corners);
                cut(&mut rest, uncut, |x| difference.dot(x));
                cut(&mut corners, uncut, |x| -difference.dot(x));
                for (face, corners) in [(face, corners), (other, rest)] {
                    if corners.len() > 2 {
                        waiting.push(Part { face, corners });
                    } else {
                        free.push(corners);
                    }
                }
                continue;
            }
            visit(FieldPart {
                corners: &corners,
                slope: own,
                inscribed,
                depth: depths[face],
            });
            free.push(corners);
        }
    }

    /// Sets the piece to the part of a polygon inside the body. Returns whether there is any.
    fn clip(&mut self, polygon: impl Iterator<Item = DVec3>) -> bool {
        self.piece.clear();
        self.piece.extend(polygon);
        let (piece, inscribed) = (&mut self.piece, self.inscribed);
        let is_ahead = |slope: &DVec3| piece.iter().all(|x| slope.dot(*x) >= inscribed);
        if self.slopes.get(self.rejecting).is_some_and(is_ahead) {
            return false;
        }
        if let Some(face) = self.slopes.iter().position(is_ahead) {
            self.rejecting = face;
            return false;
        }
        for slope in &self.slopes {
            cut(piece, &mut self.uncut, |x| inscribed - slope.dot(x));
            if piece.len() < 3 {
                return false;
            }
        }
        !self.slopes.is_empty()
    }
}
