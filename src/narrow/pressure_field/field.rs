//! The pressure field of a convex polyhedron, and integrals over polygons in it.

use std::ops::Range;

use glam::{DMat3, DVec2, DVec3};

use super::polygon::{Plane, Polygons, bounds};
use super::sums::{PlaneSums, Sums};
use super::table::Table;
use super::{Body, Settings};
use crate::math::tolerance::two_to;
use crate::math::{MatrixPose, Pose3};
use crate::shape::Face;

/// Where a piece is nearer to the center than this part of the inscribed radius r, volume and energy are those of a body
/// shifted by this part, corrected by S and the force.
///
/// The fluxes are singular at the center: at a height h the error is 2^-53 r / h. That of a correction is (h / r)^2, for the
/// volume h / r where sides are flush, because S jumps there.
pub(super) const SINGULAR: f64 = two_to(-26);

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
    slopes: Table,
    /// The depth below each of them for a pressure of 1, and whether it was near a polygon.
    depths: Vec<(f64, bool)>,
    pub(super) inscribed: f64,
    margin: f64,
    /// Not a number with a margin: it is not known then.
    pub(super) volume: f64,
    equal: f64,
    /// The last face that had a whole polygon in front of it; neighbors often have the same.
    rejecting: usize,
    /// The faces that may have the least pressure somewhere on the polygon, as functions in its plane.
    near: Vec<PlaneFunction>,
    /// See [`find_front`](Self::find_front).
    front: Vec<(DVec3, f64)>,
    /// The rotation of the axes to the world, and the center there.
    pub(super) turn: DMat3,
    pub(super) center: DVec3,
    /// Where each piece has the greatest pressure, and the corners of parts.
    pub(super) peaks: Vec<DVec3>,
    pub(super) corners: Vec<DVec3>,
    /// The normals of the planes that pass the center.
    singular: Vec<DVec3>,
    polygons: Polygons,
    /// Parts to be visited: the near face with the least pressure among the first ones, and their number.
    waiting: Vec<(usize, usize, Range<usize>)>,
}

/// `u . x` of a face in a plane.
#[derive(Clone, Copy, Debug)]
struct PlaneFunction {
    slope: DVec2,
    at_foot: f64,
    face: usize,
}

impl PlaneFunction {
    #[inline]
    fn at(&self, x: DVec2) -> f64 {
        self.slope.dot(x) + self.at_foot
    }
}

impl Field {
    /// Sets the field to that of a body about its centroid, with the faces moved out by a margin, in the axes of a frame to
    /// which `turn` rotates.
    ///
    /// `beyond` has the heights of the vertices in a direction from this point, and a height below the other body. A face
    /// below, whose pyramid is below as well, is nowhere the one with the least pressure. All pyramids end at the center.
    pub(super) fn set(
        &mut self,
        body: &Body,
        frame: &Pose3,
        turn: DMat3,
        margin: f64,
        beyond: Option<(&[f64], f64)>,
    ) {
        let centroid = body.shape.centroid();
        self.turn = MatrixPose::from(frame).rotation;
        self.center = body.pose.transform_point(centroid);
        let has_volume = margin == 0.0;
        self.volume = if has_volume {
            body.shape.volume()
        } else {
            f64::NAN
        };
        let body = body.shape.boundary();
        let center = centroid - body.center;
        let offset = |face: &Face| face.offset - face.normal.dot(center) + margin;
        self.margin = margin;
        self.inscribed = bounds(body.faces.iter().map(offset))[0];
        self.equal = (body.circumscribed + margin) * EQUAL_PRESSURE;
        self.rejecting = 0;
        self.slopes.clear();
        self.depths.clear();
        for face in &body.faces {
            let is_near = beyond.is_none_or(|(heights, low)| {
                let mut corners = body.sides(face).iter().map(|side| side.corner as usize);
                low < 0.0 || corners.any(|corner| heights[corner] > low)
            });
            if is_near {
                let depth = offset(face) / self.inscribed;
                self.slopes.push(turn * (face.normal / depth));
                self.depths.push((depth, false));
            }
        }
    }

    /// Finds the near faces through which rays along a unit vector of the world leave the body, each with the gradient
    /// and the value at the center of the distance to it, without the margin.
    ///
    /// Steeper ones are none of them, so that a side that is flush to rounding is none.
    pub(super) fn find_front(&mut self, normal: DVec3) {
        let direction = self.turn.transpose() * normal;
        let near = self
            .depths
            .iter()
            .enumerate()
            .filter(|(_, (_, is_near))| *is_near);
        let faces = near.map(|(face, (depth, _))| {
            let normal = self.slopes.slope(face) * *depth;
            (
                normal,
                self.inscribed * depth - self.margin,
                normal.dot(direction),
            )
        });
        let most = faces.clone().fold(0.0, |most, face| f64::max(most, face.2));
        let front = faces.filter(|face| face.2 >= 0.5 * most);
        self.front.clear();
        self.front.extend(front.map(|(normal, offset, cosine)| {
            let cosine = if most > 0.0 { cosine } else { 1.0 };
            (normal / -cosine, offset / cosine)
        }));
    }

    /// Returns the depth of a point along the normal of the last [`find_front`](Self::find_front).
    pub(super) fn depth(&self, x: DVec3) -> f64 {
        let faces = self.front.iter();
        bounds(faces.map(|(gradient, value)| value + gradient.dot(x)))[0]
    }

    /// Removes the points of earlier pieces.
    pub(super) fn clear(&mut self) {
        self.peaks.clear();
        self.corners.clear();
        self.singular.clear();
    }

    /// Returns whether some points are in front of the face that was in front of the last polygon.
    #[inline]
    pub(super) fn is_behind(&self, points: &[DVec3]) -> bool {
        let is_ahead = |slope: DVec3| points.iter().all(|x| slope.dot(*x) >= self.inscribed);
        self.rejecting < self.depths.len() && is_ahead(self.slopes.slope(self.rejecting))
    }

    /// Returns whether a segment has a part inside the body.
    pub(super) fn has_part(&self, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for i in 0..self.depths.len() {
            let slope = self.slopes.slope(i);
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

    /// Integrates over the part of a convex polygon inside the body, in a plane at a height above the center. Returns also
    /// whether it is the whole polygon; `None` if there is none.
    ///
    /// The pressure is linear in parts of it. One face after the other takes from each part what it has with less pressure.
    /// So the parts cover the polygon whatever is rounded.
    pub(super) fn integrate(
        &mut self,
        normal: DVec3,
        height: f64,
        polygon: &[DVec3],
        settings: &Settings,
    ) -> Option<(Sums, bool)> {
        let plane = Plane::new(normal, height);
        let (piece, is_whole) = self.clip(&plane, polygon)?;
        let (r, mut sums) = (self.inscribed, PlaneSums::default());
        self.waiting.push((0, 1, piece));
        while let Some((mut face, first, mut part)) = self.waiting.pop() {
            for (other, function) in self.near.iter().enumerate().skip(first) {
                let own = self.near[face];
                let slope = function.slope - own.slope;
                let at_foot = function.at_foot - own.at_foot;
                let excess = |x: DVec2| slope.dot(x) + at_foot;
                let corners = self.polygons.corners(part.clone()).iter();
                let [least, most] = bounds(corners.map(|&x| excess(x)));
                if most <= self.equal {
                    continue;
                }
                if least >= 0.0 {
                    face = other;
                    continue;
                }
                let [taken, left] = self.polygons.split(part, true, excess);
                if taken.len() > 2 {
                    self.waiting.push((other, other + 1, taken));
                }
                part = left;
                if part.len() < 3 {
                    break;
                }
            }
            if part.len() > 2 {
                let (own, part) = (self.near[face], self.polygons.corners(part));
                let pressure = |x| (r - own.at(x)).max(0.0);
                sums.add(part, pressure, [height, r], settings);
                if settings.has_points {
                    self.corners.extend(part.iter().map(|&x| plane.point(x)));
                }
            }
        }
        if settings.has_volume && sums.peak.0 > (1.0 - SINGULAR) * r {
            self.singular.push(normal);
        }
        self.peaks.push(plane.point(sums.peak.1));
        Some((sums.in_space(&plane), is_whole))
    }

    /// Returns a shift of the body away from all planes that pass its center, `None` if there are none.
    pub(super) fn shift(&self) -> Option<DVec3> {
        const DIRECTIONS: [DVec3; 4] = [
            DVec3::new(1.0, 2.0, 3.0),
            DVec3::new(3.0, -1.0, 2.0),
            DVec3::new(-2.0, 3.0, 1.0),
            DVec3::new(1.0, -3.0, 2.0),
        ];
        if self.singular.is_empty() {
            return None;
        }
        let least = |direction: &DVec3| {
            let normals = self.singular.iter();
            bounds(normals.map(|normal| normal.dot(*direction).abs()))[0]
        };
        let best = DIRECTIONS
            .into_iter()
            .max_by(|a, b| least(a).total_cmp(&least(b)));
        best.map(|direction| direction * (SINGULAR * self.inscribed))
    }

    /// Returns the part of a polygon inside the body, and whether it is the whole polygon. Finds the faces that may have the
    /// least pressure there.
    fn clip(&mut self, plane: &Plane, polygon: &[DVec3]) -> Option<(Range<usize>, bool)> {
        let r = self.inscribed;
        if self.is_behind(polygon) {
            return None;
        }
        // A function below the lower bound of another one is nowhere the largest.
        let (highest, bound) = self.slopes.set_bounds(polygon);
        if bound >= r {
            self.rejecting = highest;
            return None;
        }
        let all = self.polygons.set(polygon.iter().map(|&x| plane.flat(x)));
        let mut piece = all.clone();
        self.near.clear();
        let others = (0..self.depths.len()).filter(|&face| face != highest);
        for face in std::iter::once(highest).chain(others) {
            let most = self.slopes.most(face);
            if most <= bound && face != highest {
                continue;
            }
            let slope = self.slopes.slope(face);
            let function = PlaneFunction {
                slope: plane.flat(slope),
                at_foot: slope.dot(plane.normal) * plane.height,
                face,
            };
            self.near.push(function);
            if most > r {
                [piece, _] = self.polygons.split(piece, false, |x| r - function.at(x));
                if piece.len() < 3 {
                    return None;
                }
            }
        }
        let is_whole = piece == all;
        if !is_whole {
            self.keep_near(piece.clone());
        }
        for function in &self.near {
            self.depths[function.face].1 = true;
        }
        Some((piece, is_whole))
    }

    /// Keeps the faces that may have the least pressure on a part.
    fn keep_near(&mut self, part: Range<usize>) {
        let corners = self.polygons.corners(part);
        let least = |function: &PlaneFunction| bounds(corners.iter().map(|&x| function.at(x)))[0];
        let least = self.near.iter().map(least).enumerate();
        let highest = least.reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((highest, bound)) = highest {
            self.near.swap(0, highest);
            let mut i = 0;
            self.near.retain(|function| {
                i += 1;
                i == 1 || corners.iter().any(|x| function.at(*x) > bound)
            });
        }
    }
}
