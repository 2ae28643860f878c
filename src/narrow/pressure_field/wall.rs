//! A polyhedron at a wall: the pieces of its facets inside the body.

use std::borrow::Borrow;
use std::ops::Range;

use glam::DVec3;
use smallvec::SmallVec;

use super::contact::Corners;
use super::plane::Plane;
use super::state::Scene;
use super::sums::{PlaneSums, Sums};
use super::{PressureContact, PressureField, PressureState, TOUCHING};
use crate::math::{MAX_LENGTH, MatrixPose};
use crate::narrow::{NarrowPhase, Wall};
use crate::shape::{ConvexPolyhedron, Placed, Sphere};

/// The part of a facet inside the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) place: Place,
    /// The ranks of the corners, from the lowest: an order that does not depend on that of the facets.
    pub(super) ranks: [u32; 3],
    /// Whether the whole facet is inside.
    pub(super) is_whole: bool,
    plane: Plane,
    sums: PlaneSums,
    /// Where it has the greatest pressure, and the corners of its parts.
    peak: u32,
    corners: [u32; 2],
}

impl Piece {
    fn sums(&self) -> Sums {
        self.sums.in_space(&self.plane)
    }
}

/// The image of the body, and where the wall stores the facet.
pub(super) type Place = (u32, u32);

/// A wall, and where the centroid of the body is in the coordinates of its mesh.
pub(super) struct View<'a> {
    pub(super) wall: &'a Wall,
    /// One for each image of the body; one without a period.
    pub(super) centers: SmallVec<[DVec3; 4]>,
    /// The distance at which sides without a neighbor are connected.
    pub(super) tolerance: f64,
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
    /// Cost: as for the contacts. At a periodic wall a facet is visited once for each image of the body that it is in.
    pub fn for_each_facet(
        &mut self,
        body: &Placed<impl Borrow<ConvexPolyhedron>>,
        wall: &Wall,
        mut visit: impl FnMut(FacetPressure),
    ) {
        let shape = body.shape.borrow();
        if self.find_pieces(shape, body, wall, DVec3::ZERO).is_none() {
            return;
        }
        let to_world = MatrixPose::from(wall.pose());
        let center = body.pose.transform_point(shape.centroid());
        for piece in &self.pieces {
            let sums = piece.sums();
            if sums.load > 0.0 {
                let arm = sums.origin + sums.moment / sums.load;
                visit(FacetPressure {
                    facet: wall.facet_in(piece.place.1),
                    force: to_world.transform_vector(-sums.force),
                    point: center + to_world.transform_vector(arm),
                    area: sums.area,
                });
            }
        }
    }

    /// Finds the pieces in the axes of the mesh, with the body shifted there. `None` for a body out of the domain.
    fn find_pieces<'a, S>(
        &mut self,
        shape: &ConvexPolyhedron,
        body: &Placed<S>,
        wall: &'a Wall,
        shift: DVec3,
    ) -> Option<View<'a>> {
        self.pieces.clear();
        self.found.clear();
        self.peaks.clear();
        self.corners.clear();
        let boundary = shape.boundary();
        let margin = self.settings.margin;
        let reach = boundary.circumscribed * (1.0 + margin / boundary.inscribed);
        let reach = reach.min(MAX_LENGTH);
        let middle = body.pose.transform_point(boundary.center);
        Sphere::new(middle, reach).validate(0).ok()?;
        let to_mesh = MatrixPose::from(&wall.pose().inv_mul(&body.pose));
        let middles = wall.centers_near(middle, reach);
        let size = |x: &DVec3| x.abs().max_element();
        let far = middles.iter().map(size).fold(reach, f64::max);
        let offset = shape.centroid() - boundary.center;
        self.fields[0].set(boundary, offset, margin, None, to_mesh.rotation);
        let arm = to_mesh.transform_vector(offset);
        let view = View {
            wall,
            centers: middles.iter().map(|&middle| middle + arm + shift).collect(),
            tolerance: 2.0 * wall.mesh().precision() + TOUCHING * far,
        };
        for (image, &middle) in (0..).zip(&middles) {
            let center = view.centers[image as usize];
            wall.for_each_slot_within(reach, middle, |slot| {
                self.add_facet((image, slot), center, wall);
            });
        }
        Some(view)
    }

    fn add_facet(&mut self, place: Place, center: DVec3, wall: &Wall) {
        let (triangle, others) = wall.corners_in(place.1);
        let normal = wall.normal_in(place.1);
        self.polygon.clear();
        self.polygon.extend(triangle.map(|&x| x - center));
        self.polygon.extend(others.map(|&x| x - center));
        if self.fields[0].is_behind(&self.polygon) || normal == DVec3::ZERO {
            return;
        }
        let (first, ranks) = wall.ranks_in(place.1);
        self.polygon.rotate_left(first);
        let plane = Plane::new(normal, normal.dot(self.polygon[0]));
        let before = self.corners.len() as u32;
        if let Some((sums, is_whole)) = self.integrate(0, &plane) {
            let corners = [before, self.corners.len() as u32];
            self.pieces.push(Piece {
                peak: self.pieces.len() as u32,
                place,
                ranks,
                is_whole,
                plane,
                sums,
                corners,
            });
        }
    }
}

/// The pieces of a contact.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    sums: Sums,
    /// In the list of the pieces by sheets.
    entries: Range<usize>,
}

impl PressureField {
    /// Finds the sheets.
    fn solve<S>(&mut self, shape: &ConvexPolyhedron, body: &Placed<S>, wall: &Wall) {
        let solve = |kernel: &mut Self, shift: DVec3| {
            let view = kernel.find_pieces(shape, body, wall, shift);
            view.into_iter()
                .for_each(|view| kernel.sum_sheets(shape, &view));
        };
        solve(self, DVec3::ZERO);
        if let Some(shift) = self.shift(0) {
            solve(self, shift);
            let sheets = self.found.iter().map(|sheet| &sheet.sums);
            let total = sheets.fold([0.0; 2], |[v, e], sums| [v + sums.volume, e + sums.energy]);
            solve(self, DVec3::ZERO);
            self.singular.clear();
            let [mut volume, mut energy] = total;
            for Sheet { sums, .. } in &mut self.found {
                volume += sums.area_vector.dot(shift);
                energy += sums.force.dot(shift);
                (sums.volume, sums.energy) = (0.0, 0.0);
            }
            if let Some(Sheet { sums, .. }) = self.found.first_mut() {
                (sums.volume, sums.energy) = (volume, energy);
            }
        }
    }

    /// Sums up the sheets, in descending order of their loads.
    fn sum_sheets(&mut self, shape: &ConvexPolyhedron, view: &View) {
        let Self {
            pieces,
            sheets,
            fields,
            settings,
            found,
            ..
        } = self;
        sheets.connect(pieces, &fields[0], view, settings.bend);
        found.clear();
        let mut first = 0;
        for sheet in sheets.entries().chunk_by(|a, b| a.sheet == b.sheet) {
            let mut sums = pieces[sheet[0].piece as usize].sums();
            for entry in &sheet[1..] {
                sums += pieces[entry.piece as usize].sums().about(sums.origin);
            }
            let entries = first..first + sheet.len();
            first = entries.end;
            found.push(Sheet { sums, entries });
        }
        let rank = |sheet: &Sheet| sheets.entries()[sheet.entries.start].ranks;
        found.sort_by(|a, b| {
            let by_load = b.sums.load.total_cmp(&a.sums.load);
            by_load.then_with(|| rank(a).cmp(&rank(b)))
        });
        // The flux of a region with the center is what the energy lacks of that of the whole body.
        if found.iter().map(|sheet| sheet.sums.energy).sum::<f64>() < 0.0 {
            found[0].sums.add_source(&fields[0], shape);
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
        mut visit: impl FnMut(PressureContact),
    ) {
        let shape = body.shape.borrow();
        let scene = Scene {
            settings: self.settings,
            stamps: [shape.boundary().stamp, wall.stamp()],
            poses: [body.pose, *wall.pose()],
            period: wall.period().copied(),
        };
        if state.is_at_rest(scene) {
            return state.contacts().iter().copied().for_each(visit);
        }
        self.solve(shape, body, wall);
        let turn = MatrixPose::from(wall.pose()).rotation;
        let center = body.pose.transform_point(shape.centroid());
        let touching = TOUCHING * shape.boundary().circumscribed;
        for sheet in &self.found {
            let sums = sheet.sums.placed(turn, center).weighted(1.0, -1.0);
            let Some(mut contact) = PressureContact::new(&sums, &self.settings) else {
                continue;
            };
            self.fields[0].find_front(turn.transpose() * contact.normal);
            let entries = self.sheets.entries()[sheet.entries.clone()].iter();
            let pieces = entries.map(|entry| &self.pieces[entry.piece as usize]);
            let facets = pieces.clone().map(|piece| wall.facet_in(piece.place.1));
            contact.facet = facets.min();
            let corners = pieces.map(|piece| Corners {
                turn,
                center,
                front: &self.fields[0].front,
                peaks: std::slice::from_ref(&self.peaks[piece.peak as usize]),
                corners: &self.corners[piece.corners[0] as usize..piece.corners[1] as usize],
            });
            contact.set_overlap(corners.clone());
            if contact.overlap + self.settings.margin > touching {
                state.report(contact, &sums, corners, &mut visit);
            }
        }
        state.end();
    }
}
