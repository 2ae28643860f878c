//! Two polyhedra: the surface of each in the field of the other one.

use std::borrow::Borrow;

use glam::{DMat3, DVec3};

use super::contact::PressureCorner;
use super::field::SINGULAR;
use super::polygon::bounds;
use super::state::Scene;
use super::sums::Sums;
use super::{Body, PressureContact, PressureField, PressureState, TOUCHING};
use crate::math::MatrixPose;
use crate::narrow::NarrowPhase;
use crate::shape::{Boundary, ConvexPolyhedron, Placed};

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>> for PressureField {
    type Contact = PressureContact;
    type State = PressureState;

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<S>,
        state: &mut PressureState,
        mut visit: impl FnMut(PressureContact),
    ) {
        let [a, b] = [a, b].map(|body| Placed::new(body.shape.borrow(), body.pose));
        let scene = Scene {
            settings: self.settings,
            stamps: [a, b].map(|body| body.shape.boundary().stamp),
            poses: [a.pose, b.pose],
        };
        if state.is_at_rest(&scene, &mut visit) {
            return;
        }
        let sizes = [a, b].map(|body| body.shape.boundary().circumscribed);
        let touching = TOUCHING * sizes[0].min(sizes[1]);
        if let Some(sums) = self.pair(&a, &b)
            && let Some(contact) = PressureContact::new(&sums, &self.settings, touching)
        {
            let mut deepest = PressureCorner::none();
            let bodies = [(&a, contact.normal), (&b, -contact.normal)];
            for (field, (body, normal)) in self.fields.iter_mut().zip(bodies) {
                field.find_front(body, normal, contact.point);
                for piece in 0..field.pieces.len() {
                    field.find_deepest(piece, &mut deepest);
                }
            }
            let corners = self.fields.iter().map(|field| (field, &field.corners[..]));
            state.report(&scene, contact, &sums, corners, deepest, visit);
        }
        state.end();
    }
}

impl PressureField {
    /// Returns the weighted sums of both fields in the world. `None` if the bodies are apart.
    fn pair(&mut self, a: &Body, b: &Body) -> Option<Sums> {
        let weight = self.settings.weight;
        let mut halves: [Option<Sums>; 2] = [None; 2];
        let pairs = [(weight, -1.0, a, b), (1.0 - weight, 1.0, b, a)];
        for (i, (weight, sign, own, other)) in pairs.into_iter().enumerate() {
            self.fields[i].clear();
            if weight > 0.0 {
                let sums = self.half(i, own, other)?;
                let field = &self.fields[i];
                halves[i] = Some(sums.placed(field.turn, field.center, weight, sign));
            }
        }
        let [Some(first), Some(second)] = halves else {
            return halves[0].or(halves[1]);
        };
        let mut sums = first.about(0.5 * (first.origin + second.origin));
        sums.add(&second);
        Some(sums)
    }

    /// Returns the integrals over the surface of `other` in the field of `own`, in the axes of `other` about the centroid of
    /// `own`, by one of the kernel's fields. `None` if the bodies are apart.
    fn half(&mut self, field: usize, own: &Body, other: &Body) -> Option<Sums> {
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
        let height = |&x: &DVec3| direction.dot(x) - to_plane;
        self.heights.clear();
        self.heights.extend(surface.vertices.iter().map(height));
        let height = |&x: &DVec3| in_body.dot(x - offset);
        self.own_heights.clear();
        self.own_heights.extend(body.vertices.iter().map(height));
        let low = bounds(self.heights.iter().copied())[0];
        let top = growth * bounds(self.own_heights.iter().copied())[1];
        if top <= low {
            return None;
        }
        // As far as the body may be shifted.
        let slack = 4.0 * SINGULAR * body.circumscribed;
        let low = (margin == 0.0).then_some((&self.own_heights[..], low - slack));
        self.fields[field].set(own, &other.pose, motion.rotation, margin, low);
        let top = top + slack;
        let mut sums = self.surface(field, surface, center, top)?;
        if let Some(shift) = self.fields[field].shift() {
            let moved = self.surface(field, surface, center + shift, top)?;
            sums = self.surface(field, surface, center, top)?;
            sums.volume = moved.volume + sums.area_vector.dot(shift);
            sums.energy = moved.energy + sums.force.dot(shift);
        }
        Some(sums)
    }

    /// Returns the integrals over the surface of a body about a center, without the faces that are above `top` as a whole.
    fn surface(
        &mut self,
        field: usize,
        surface: &Boundary,
        center: DVec3,
        top: f64,
    ) -> Option<Sums> {
        let field = &mut self.fields[field];
        field.clear();
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
            let part = field.integrate(face.normal, height, &self.polygon, &self.settings);
            if let Some((next, _)) = part {
                match &mut sums {
                    Some(sums) => sums.add(&next),
                    None => sums = Some(next),
                }
            }
        }
        if is_inside {
            // The default of a matrix is not 0.
            let sums = sums.get_or_insert(Sums {
                second: DMat3::ZERO,
                ..Sums::default()
            });
            sums.add_source(field);
        }
        sums
    }
}
