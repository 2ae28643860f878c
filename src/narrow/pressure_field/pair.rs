//! Two polyhedra: the surface of each in the field of the other one.

use std::borrow::Borrow;
use std::ops::Range;

use glam::{DMat3, DVec3};

use super::contact::Corners;
use super::plane::Plane;
use super::state::Scene;
use super::sums::Sums;
use super::{PressureContact, PressureField, PressureState, SINGULAR, TOUCHING};
use crate::math::MatrixPose;
use crate::narrow::NarrowPhase;
use crate::shape::{ConvexPolyhedron, Placed};

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>> for PressureField {
    type Contact = PressureContact;
    type State = PressureState;

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<S>,
        state: &mut PressureState,
        visit: impl FnMut(PressureContact),
    ) {
        let [a, b] = [a, b].map(|body| Placed::new(body.shape.borrow(), body.pose));
        let scene = Scene {
            settings: self.settings,
            stamps: [a, b].map(|body| body.shape.boundary().stamp),
            poses: [a.pose, b.pose],
            period: None,
        };
        if state.is_at_rest(scene) {
            return state.contacts().iter().copied().for_each(visit);
        }
        if let Some((sums, frames)) = self.pair(&a, &b)
            && let Some(mut contact) = PressureContact::new(&sums, &self.settings)
        {
            for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
                let normal = frames[i].turn.transpose() * contact.normal * sign;
                self.fields[i].find_front(normal);
            }
            let corners = frames
                .iter()
                .zip(&self.fields)
                .map(|(frame, field)| Corners {
                    turn: frame.turn,
                    center: frame.center,
                    peaks: &self.peaks[frame.peaks.clone()],
                    corners: &self.corners[frame.corners.clone()],
                    front: &field.front,
                });
            contact.set_overlap(corners.clone());
            let sizes = [a, b].map(|body| body.shape.boundary().circumscribed);
            if contact.overlap + self.settings.margin > TOUCHING * sizes[0].min(sizes[1]) {
                state.report(contact, &sums, corners, visit);
            }
        }
        state.end();
    }
}

/// The axes of a field in the world, its center there, and the points that are relative to them.
#[derive(Clone, Debug, Default)]
struct Frame {
    turn: DMat3,
    center: DVec3,
    peaks: Range<usize>,
    corners: Range<usize>,
}

impl PressureField {
    /// Returns the weighted sums of both fields in the world, and where these are. `None` if the bodies are apart.
    fn pair(
        &mut self,
        a: &Placed<&ConvexPolyhedron>,
        b: &Placed<&ConvexPolyhedron>,
    ) -> Option<(Sums, [Frame; 2])> {
        self.peaks.clear();
        self.corners.clear();
        let weight = self.settings.weight;
        let mut frames: [Frame; 2] = Default::default();
        let mut halves: [Option<Sums>; 2] = [None; 2];
        let pairs = [(weight, -1.0, a, b), (1.0 - weight, 1.0, b, a)];
        for (i, (weight, sign, own, other)) in pairs.into_iter().enumerate() {
            if weight > 0.0 {
                let (peak, corner) = (self.peaks.len(), self.corners.len());
                let sums = self.half(i, own, other)?;
                let turn = MatrixPose::from(&other.pose).rotation;
                let center = own.pose.transform_point(own.shape.centroid());
                frames[i] = Frame {
                    turn,
                    center,
                    peaks: peak..self.peaks.len(),
                    corners: corner..self.corners.len(),
                };
                halves[i] = Some(sums.placed(turn, center).weighted(weight, sign));
            }
        }
        let sums = match halves {
            [Some(first), Some(second)] => {
                let middle = 0.5 * (first.origin + second.origin);
                let mut sums = first.about(middle);
                sums += second.about(middle);
                sums
            }
            [first, second] => first.or(second)?,
        };
        Some((sums, frames))
    }

    /// Returns the integrals over the surface of `other` in the field of `own`, in the axes of `other` about the centroid of
    /// `own`, by one of the kernel's fields. `None` if the bodies are apart.
    fn half(
        &mut self,
        field: usize,
        own: &Placed<&ConvexPolyhedron>,
        other: &Placed<&ConvexPolyhedron>,
    ) -> Option<Sums> {
        let [body, surface] = [own, other].map(|placed| placed.shape.boundary());
        let motion = MatrixPose::from(&other.pose.inv_mul(&own.pose));
        let between = motion.transform_point(body.center) - surface.center;
        let margin = self.settings.margin;
        // Faces moved out by the margin are inside the body enlarged by this factor.
        let growth = 1.0 + margin / body.inscribed;
        if between.length() >= body.circumscribed * growth + surface.circumscribed {
            return None;
        }
        let offset = own.shape.centroid() - body.center;
        let center = between + motion.transform_vector(offset);
        // Only what is between two planes across the line of centers can be inside both bodies.
        let direction = (-center).normalize_or(DVec3::Z);
        let in_body = motion.inverse_transform_vector(direction);
        let to_plane = direction.dot(center);
        let heights = surface
            .vertices
            .iter()
            .map(|&x| direction.dot(x) - to_plane);
        let low = fill(&mut self.heights, heights, |a, b| a < b);
        let heights = body.vertices.iter().map(|&x| in_body.dot(x - offset));
        let top = growth * fill(&mut self.own_heights, heights, |a, b| a > b);
        if top <= low {
            return None;
        }
        // As far as the body may be shifted.
        let slack = 4.0 * SINGULAR * body.circumscribed;
        let low = (margin == 0.0).then_some((&self.own_heights[..], low - slack));
        self.fields[field].set(body, offset, margin, low, motion.rotation);
        let mut sums = self.surface(field, other, center, top + slack, own)?;
        if let Some(shift) = self.shift(field) {
            let (peaks, corners) = (self.peaks.len(), self.corners.len());
            let moved = self.surface(field, other, center + shift, top + slack, own)?;
            sums.volume = moved.volume + sums.area_vector.dot(shift);
            sums.energy = moved.energy + sums.force.dot(shift);
            self.peaks.truncate(peaks);
            self.corners.truncate(corners);
            self.singular.clear();
        }
        Some(sums)
    }

    /// Returns the integrals over the surface of a body about a center, without the faces that are above `top` as a whole.
    fn surface(
        &mut self,
        field: usize,
        other: &Placed<&ConvexPolyhedron>,
        center: DVec3,
        top: f64,
        own: &Placed<&ConvexPolyhedron>,
    ) -> Option<Sums> {
        let surface = other.shape.boundary();
        let mut sums: Option<Sums> = None;
        let mut is_inside = true;
        for face in &surface.faces {
            let corners = surface.sides(face).iter().map(|side| side.corner as usize);
            let height = face.offset - face.normal.dot(center);
            is_inside &= height > 0.0;
            if corners.clone().all(|corner| self.heights[corner] >= top) {
                continue;
            }
            self.polygon.clear();
            let corners = corners.map(|corner| surface.vertices[corner] - center);
            self.polygon.extend(corners);
            let plane = Plane::new(face.normal, height);
            if let Some((next, _)) = self.integrate(field, &plane) {
                let next = next.in_space(&plane);
                match &mut sums {
                    Some(sums) => *sums += next.about(sums.origin),
                    None => sums = Some(next),
                }
            }
        }
        if is_inside {
            let sums = sums.get_or_insert(Sums::ZERO);
            sums.add_source(&self.fields[field], own.shape);
        }
        sums
    }
}

/// Fills a buffer, and returns the number that comes first.
fn fill(
    buffer: &mut Vec<f64>,
    numbers: impl Iterator<Item = f64>,
    is_first: impl Fn(f64, f64) -> bool,
) -> f64 {
    buffer.clear();
    buffer.extend(numbers);
    let first = buffer.iter().copied();
    first
        .reduce(|a, b| if is_first(b, a) { b } else { a })
        .unwrap_or(0.0)
}
