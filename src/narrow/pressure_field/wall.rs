//! A polyhedron at a wall: the pieces of its facets inside the body.

use std::borrow::Borrow;
use std::ops::Range;

use glam::DVec3;

use super::contact::PressureCorner;
use super::state::Scene;
use super::sums::Sums;
use super::{Body, PressureContact, PressureField, PressureState, TOUCHING};
use crate::math::{MAX_LENGTH, MatrixPose};
use crate::narrow::{FacetSubset, NarrowPhase, Wall};
use crate::shape::{ConvexPolyhedron, Placed, Sphere};

/// The part of a facet inside the body.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Where the wall stores the facet.
    pub(super) slot: u32,
    /// The lowest piece of the same sheet.
    pub(super) sheet: u32,
    /// The ranks of the corners, from the lowest: an order that does not depend on that of the facets.
    pub(super) ranks: [u32; 3],
    /// Whether the whole facet is inside.
    pub(super) is_whole: bool,
    /// The centroid of the body.
    pub(super) center: DVec3,
    sums: Sums,
    /// The corners of its parts, in the list of the field.
    corners: Range<usize>,
}

/// The part of a facet inside a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FacetPressure {
    /// Its index in the mesh.
    pub facet: u32,
    /// The force on the facet for a stiffness of 1, in the world frame.
    pub force: DVec3,
    /// The center of pressure, at which it acts.
    pub point: DVec3,
    /// The area inside the body.
    pub area: f64,
}

impl PressureField {
    /// Visits the facets of a wall inside a body, each with its force, for wear or nodal forces. The forces add up to
    /// those of the contacts.
    ///
    /// Cost: as for the contacts. At a periodic wall a facet is visited once for each image that is in the body.
    pub fn for_each_facet(
        &mut self,
        body: &Placed<impl Borrow<ConvexPolyhedron>>,
        wall: &Wall,
        mut visit: impl FnMut(FacetPressure),
    ) {
        let body = Placed::new(body.shape.borrow(), body.pose);
        self.find_pieces(&body, &FacetSubset::all(wall), DVec3::ZERO);
        let field = &self.fields[0];
        for Piece { slot, sums, .. } in &self.pieces {
            if sums.load > 0.0 {
                let arm = sums.origin + sums.moment / sums.load;
                visit(FacetPressure {
                    facet: wall.facet_in(*slot),
                    force: field.turn * -sums.force,
                    point: field.center + field.turn * arm,
                    area: sums.area,
                });
            }
        }
    }

    /// Finds the pieces in the axes of the mesh, with the body shifted there. Returns the distance at which sides without a
    /// neighbor are connected, `None` for a body out of the domain or larger than the reach of a periodic wall.
    fn find_pieces(&mut self, body: &Body, near: &FacetSubset<'_>, shift: DVec3) -> Option<f64> {
        let wall = near.wall();
        self.pieces.clear();
        self.found.clear();
        self.fields[0].clear();
        let boundary = body.shape.boundary();
        let margin = self.settings.margin;
        let reach = boundary.circumscribed * (1.0 + margin / boundary.inscribed);
        let reach = reach.min(MAX_LENGTH);
        let middle = body.pose.transform_point(boundary.center);
        Sphere::new(middle, reach).validate(0).ok()?;
        if reach > wall.reach() {
            return None;
        }
        let to_mesh = MatrixPose::from(&wall.pose().inv_mul(&body.pose));
        self.fields[0].set(body, wall.pose(), to_mesh.rotation, margin, None);
        let arm = to_mesh.transform_vector(body.shape.centroid() - boundary.center);
        let middle = wall.to_mesh(middle);
        let far = reach.max(middle.abs().max_element());
        let center = middle + arm + shift;
        self.slots.clear();
        near.add_slots_within(reach, middle, &mut self.slots);
        for i in 0..self.slots.len() {
            self.add_facet(self.slots[i], center, wall);
        }
        Some(2.0 * wall.mesh().precision() + TOUCHING * far)
    }

    fn add_facet(&mut self, slot: u32, center: DVec3, wall: &Wall) {
        wall.index.set_polygon(slot, center, &mut self.polygon);
        let normal = wall.index.facet(slot).normal;
        if self.fields[0].is_behind(&self.polygon) || normal == DVec3::ZERO {
            return;
        }
        let (first, ranks) = wall.index.ranks_of(slot);
        self.polygon.rotate_left(first);
        let height = normal.dot(self.polygon[0]);
        let field = &mut self.fields[0];
        let before = field.corners.len();
        let part = field.integrate(normal, height, &self.polygon, &self.settings);
        if let Some((sums, is_whole)) = part {
            self.pieces.push(Piece {
                slot,
                sheet: 0,
                ranks,
                is_whole,
                center,
                sums,
                corners: before..field.corners.len(),
            });
        }
    }
}

/// The pieces of a contact.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    sums: Sums,
    /// In the order of the pieces.
    range: Range<usize>,
}

impl PressureField {
    /// Finds the sheets.
    fn solve(&mut self, body: &Body, near: &FacetSubset<'_>) {
        self.find_sheets(body, near, DVec3::ZERO);
        let Some(shift) = self.fields[0].shift() else {
            return;
        };
        self.find_sheets(body, near, shift);
        let sheets = self.found.iter().map(|sheet| &sheet.sums);
        let [mut volume, mut energy] =
            sheets.fold([0.0; 2], |[v, e], sums| [v + sums.volume, e + sums.energy]);
        self.find_sheets(body, near, DVec3::ZERO);
        for Sheet { sums, .. } in &mut self.found {
            volume += sums.area_vector.dot(shift);
            energy += sums.force.dot(shift);
            (sums.volume, sums.energy) = (0.0, 0.0);
        }
        if let Some(Sheet { sums, .. }) = self.found.first_mut() {
            (sums.volume, sums.energy) = (volume, energy);
        }
    }

    /// Finds the sheets of a shifted body, in descending order of their loads.
    fn find_sheets(&mut self, body: &Body, near: &FacetSubset<'_>, shift: DVec3) {
        let Some(tolerance) = self.find_pieces(body, near, shift) else {
            return;
        };
        let (pieces, found, field) = (&mut self.pieces, &mut self.found, &self.fields[0]);
        let bend = self.settings.bend;
        self.sheets
            .connect(pieces, field, near.wall(), bend, tolerance);
        let piece = |i: u32| &pieces[i as usize];
        let order = &self.sheets.order;
        let mut end = 0;
        for sheet in order.chunk_by(|&a, &b| piece(a).sheet == piece(b).sheet) {
            let mut sums = piece(sheet[0]).sums;
            for &i in &sheet[1..] {
                sums.add(&piece(i).sums);
            }
            let range = end..end + sheet.len();
            end = range.end;
            found.push(Sheet { sums, range });
        }
        let rank = |sheet: &Sheet| piece(order[sheet.range.start]).ranks;
        found.sort_by(|a, b| {
            let by_load = b.sums.load.total_cmp(&a.sums.load);
            by_load.then_with(|| rank(a).cmp(&rank(b)))
        });
        // The flux of a region with the center is what the energy lacks of that of the whole body.
        if found.iter().map(|sheet| sheet.sums.energy).sum::<f64>() < 0.0 {
            found[0].sums.add_source(field);
        }
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Wall> for PressureField {
    type Contact = PressureContact;
    type State = PressureState;

    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        wall: &Wall,
        state: &mut PressureState,
        visit: impl FnMut(PressureContact),
    ) {
        self.for_each_contact(body, &FacetSubset::all(wall), state, visit);
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, FacetSubset<'_>> for PressureField {
    type Contact = PressureContact;
    type State = PressureState;

    /// Visits the contacts with the wall; all facets inside the body must be in the subset.
    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        near: &FacetSubset<'_>,
        state: &mut PressureState,
        mut visit: impl FnMut(PressureContact),
    ) {
        let (shape, wall) = (body.shape.borrow(), near.wall());
        let body = &Placed::new(shape, body.pose);
        let scene = Scene {
            settings: self.settings,
            stamps: [shape.boundary().stamp, wall.stamp()],
            poses: [body.pose, *wall.pose()],
        };
        if state.is_at_rest(&scene, &mut visit) {
            return;
        }
        self.solve(body, near);
        let touching = TOUCHING * shape.boundary().circumscribed;
        for Sheet { sums, range } in &self.found {
            let field = &mut self.fields[0];
            let sums = sums.placed(field.turn, field.center, 1.0, -1.0);
            let Some(mut contact) = PressureContact::new(&sums, &self.settings, touching) else {
                continue;
            };
            field.find_front(body, contact.normal, contact.point);
            let order = &self.sheets.order[range.clone()];
            let mut deepest = PressureCorner::none();
            for &i in order {
                field.find_deepest(i as usize, &mut deepest);
            }
            let field = &self.fields[0];
            let pieces = order.iter().map(|&i| &self.pieces[i as usize]);
            let facets = pieces.clone().map(|piece| wall.facet_in(piece.slot));
            contact.facet = facets.min();
            let corners = pieces.map(|piece| (field, &field.corners[piece.corners.clone()]));
            state.report(&scene, contact, &sums, corners, deepest, &mut visit);
        }
        state.end();
    }
}
