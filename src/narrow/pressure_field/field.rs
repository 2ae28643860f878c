//! The pressure field of a convex polyhedron, and integrals over polygons in it.

use std::ops::Range;

use glam::{DMat3, DVec2, DVec3};

use super::contact::PressureCorner;
use super::polygon::{Plane, PlaneFunction, Polygons, bounds, keep_largest};
use super::sums::{PlaneSums, Sums};
use super::table::Table;
use super::{Body, Settings};
use crate::math::tolerance::two_to;
use crate::math::{MatrixPose, Pose3};
use crate::shape::Face;

/// Where a plane is nearer to the center than this part of the inscribed radius r, volume and energy are those of a body
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
    pub(super) inscribed: f64,
    /// Not a number with a margin: it is not known then.
    pub(super) volume: f64,
    equal: f64,
    /// The last face that had a whole polygon in front of it; neighbors often have the same.
    rejecting: usize,
    /// Functions whose largest one is wanted on a polygon.
    functions: Vec<PlaneFunction>,
    /// The faces along the normal of a contact, each with the gradient and the value at the center of the distance to it,
    /// and the number of those that have been the nearest one where it mattered. They come first.
    front: Vec<(DVec3, f64)>,
    active: usize,
    flat: f64,
    /// The rotation of the body's axes to those of the field.
    rotation: DMat3,
    /// The rotation of the axes to the world, and the center there.
    pub(super) turn: DMat3,
    pub(super) center: DVec3,
    /// The pieces, and the corners of their parts.
    pub(super) pieces: Vec<(Plane, Range<usize>)>,
    outlines: Vec<DVec2>,
    pub(super) corners: Vec<DVec3>,
    /// The normals of the planes that pass the center.
    singular: Vec<DVec3>,
    polygons: Polygons,
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
        self.rotation = turn;
        self.center = body.pose.transform_point(centroid);
        self.volume = if margin == 0.0 {
            body.shape.volume()
        } else {
            f64::NAN
        };
        let body = body.shape.boundary();
        let center = centroid - body.center;
        let offset = |face: &Face| face.offset - face.normal.dot(center) + margin;
        self.inscribed = bounds(body.faces.iter().map(offset))[0];
        self.equal = (body.circumscribed + margin) * EQUAL_PRESSURE;
        self.rejecting = 0;
        self.slopes.clear();
        for face in &body.faces {
            let is_near = beyond.is_none_or(|(heights, low)| {
                let mut corners = body.sides(face).iter().map(|side| side.corner as usize);
                low < 0.0 || corners.any(|corner| heights[corner] > low)
            });
            if is_near {
                let depth = offset(face) / self.inscribed;
                self.slopes.push(turn * (face.normal / depth));
            }
        }
    }

    /// Finds the faces through which rays along the normal of a contact leave the body.
    ///
    /// Steeper faces bound no depth by more than 2^-26 of it, and a side that is flush to rounding would have no distance.
    pub(super) fn find_front(&mut self, body: &Body, normal: DVec3, point: DVec3) {
        const STEEP: f64 = two_to(-13);
        let back = self.turn.transpose();
        let direction = back * normal;
        let in_body = self.rotation.transpose() * direction;
        let boundary = body.shape.boundary();
        let center = body.shape.centroid() - boundary.center;
        self.front.clear();
        for face in &boundary.faces {
            let cosine = face.normal.dot(in_body);
            if cosine > STEEP {
                let offset = face.offset - face.normal.dot(center);
                let gradient = self.rotation * face.normal / -cosine;
                self.front.push((gradient, offset / cosine));
            }
        }
        let (first, _) = nearest(self.front.iter(), back * (point - self.center));
        self.front.swap(0, first);
        self.active = 1;
        let steepness = self.front.iter().map(|face| face.0.length_squared());
        self.flat = 4.0 * bounds(steepness)[0];
    }

    /// Returns an upper bound of the depth of a corner along the normal of the last [`find_front`](Self::find_front), or the
    /// depth.
    ///
    /// Corners are often on a side of the body. If it leans out ever so little, their distance to it is 0 along the normal,
    /// so faces that are much steeper than the flattest one do not count.
    pub(super) fn corner_depth(&self, x: DVec3, is_bound: bool) -> f64 {
        let count = if is_bound {
            self.active
        } else {
            self.front.len()
        };
        let faces = self.front[..count].iter();
        nearest(faces.filter(|face| face.0.length_squared() <= self.flat), x).1
    }

    /// Finds the largest depth on a piece, and replaces a smaller one and its point in the world.
    ///
    /// It is the largest one below some of the faces, to which the face that is nearest there is added, until it is one of
    /// them.
    pub(super) fn find_deepest(&mut self, piece: usize, deepest: &mut PressureCorner) {
        let (plane, outline) = &self.pieces[piece];
        let outline = &self.outlines[outline.clone()];
        loop {
            self.functions.clear();
            for (gradient, value) in &self.front[..self.active] {
                let function = PlaneFunction::new(plane, -*gradient, -value);
                if -function.least(outline) <= deepest.overlap {
                    return;
                }
                self.functions.push(function);
            }
            let mut best = (deepest.overlap, DVec2::ZERO);
            let polygon = self.polygons.set(outline.iter().copied());
            self.polygons
                .divide(polygon, &self.functions, self.equal, |function, part| {
                    let depths = part.iter().map(|&x| (-function.at(x), x));
                    best = depths.fold(best, |a, b| if b.0 > a.0 { b } else { a });
                });
            if best.0 <= deepest.overlap {
                return;
            }
            let x = plane.point(best.1);
            let (nearest, _) = nearest(self.front.iter(), x);
            if nearest < self.active {
                deepest.overlap = best.0;
                deepest.point = self.center + self.turn * x;
                return;
            }
            self.front.swap(self.active, nearest);
            self.active += 1;
        }
    }

    /// Removes the points of earlier pieces.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.outlines.clear();
        self.corners.clear();
        self.singular.clear();
    }

    /// Returns whether some points are in front of the face that was in front of the last polygon.
    #[inline]
    pub(super) fn is_behind(&self, points: &[DVec3]) -> bool {
        let is_ahead = |slope: DVec3| points.iter().all(|x| slope.dot(*x) >= self.inscribed);
        self.rejecting < self.slopes.len() && is_ahead(self.slopes.slope(self.rejecting))
    }

    /// Returns whether a segment has a part inside the body.
    pub(super) fn has_part(&self, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for i in 0..self.slopes.len() {
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
    /// The pressure is linear in parts of it.
    pub(super) fn integrate(
        &mut self,
        normal: DVec3,
        height: f64,
        polygon: &[DVec3],
        settings: &Settings,
    ) -> Option<(Sums, bool)> {
        let plane = Plane::new(normal, height);
        let (piece, is_whole) = self.clip(&plane, polygon)?;
        let outline = self.outlines.len();
        self.outlines
            .extend_from_slice(self.polygons.corners(piece.clone()));
        self.pieces.push((plane, outline..self.outlines.len()));
        let (r, mut sums) = (self.inscribed, PlaneSums::default());
        let corners = &mut self.corners;
        self.polygons
            .divide(piece, &self.functions, self.equal, |function, part| {
                let pressure = |x| (r - function.at(x)).max(0.0);
                sums.add(part, pressure, [height, r], settings);
                if settings.has_points {
                    corners.extend(part.iter().map(|&x| plane.point(x)));
                }
            });
        if settings.has_volume && height.abs() < SINGULAR * r {
            self.singular.push(normal);
        }
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
        self.functions.clear();
        let others = (0..self.slopes.len()).filter(|&face| face != highest);
        for face in std::iter::once(highest).chain(others) {
            let most = self.slopes.most(face);
            if most <= bound && face != highest {
                continue;
            }
            let function = PlaneFunction::new(plane, self.slopes.slope(face), 0.0);
            self.functions.push(function);
            if most > r {
                [piece, _] = self.polygons.split(piece, false, |x| r - function.at(x));
                if piece.len() < 3 {
                    return None;
                }
            }
        }
        let is_whole = piece == all;
        if !is_whole {
            let corners = self.polygons.corners(piece.clone());
            keep_largest(&mut self.functions, corners);
        }
        Some((piece, is_whole))
    }
}

/// Returns the face at the least distance, and this distance. Each face has the gradient of the distance and its value at
/// the center.
fn nearest<'a>(faces: impl Iterator<Item = &'a (DVec3, f64)>, x: DVec3) -> (usize, f64) {
    let distances = faces.map(|(gradient, value)| value + gradient.dot(x));
    let nearest = distances
        .enumerate()
        .reduce(|a, b| if b.1 < a.1 { b } else { a });
    nearest.unwrap_or((0, f64::INFINITY))
}
