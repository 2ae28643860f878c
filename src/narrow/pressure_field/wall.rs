//! A polyhedron at a wall: the pieces of its facets inside the body.

use std::borrow::Borrow;
use std::ops::Range;

use glam::DVec3;
use smallvec::SmallVec;

use super::plane::Plane;
use super::state::Scene;
use super::sums::Sums;
use super::{PressureContact, PressureField, PressureState, TOUCHING};
use crate::math::{MatrixPose, direction};
use crate::narrow::{NarrowPhase, Wall};
use crate::shape::{ConvexPolyhedron, Placed, Sphere};

/// The part of a facet inside the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The image of the body, and where the wall stores the facet.
    pub(super) place: (u32, u32),
    /// The ranks of the corners, from the lowest: an order that does not depend on that of the facets.
    ranks: [u32; 3],
    /// In the frame of the body.
    pub(super) normal: DVec3,
    /// Whether the whole facet is inside.
    pub(super) is_whole: bool,
    sums: Sums,
    /// The corners of its parts.
    corners: [u32; 2],
}

/// How the wall appears in the frame of the body about its centroid.
pub(super) struct View<'a> {
    pub(super) wall: &'a Wall,
    to_body: MatrixPose,
    /// The images of the centroid in the coordinates of the mesh: one without a period.
    centers: SmallVec<[DVec3; 4]>,
    /// The distance at which sides without a neighbor are connected.
    pub(super) tolerance: f64,
}

impl View<'_> {
    /// Returns a point of the mesh as an image sees it.
    pub(super) fn place(&self, image: u32, x: DVec3) -> DVec3 {
        self.to_body
            .transform_vector(x - self.centers[image as usize])
    }
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
        if self.find_pieces(shape, body, wall).is_none() {
            return;
        }
        let to_world = MatrixPose::from(&body.pose);
        for piece in &self.pieces {
            let sums = &piece.sums;
            if sums.load > 0.0 {
                let point = sums.origin + sums.moment / sums.load + shape.centroid();
                visit(FacetPressure {
                    facet: wall.facet_in(piece.place.1),
                    force: to_world.transform_vector(-sums.force),
                    point: to_world.transform_point(point),
                    area: sums.area,
                });
            }
        }
    }

    /// Finds the pieces, in an order that depends on positions only. `None` for a body out of the domain.
    fn find_pieces<'a, S>(
        &mut self,
        shape: &ConvexPolyhedron,
        body: &Placed<S>,
        wall: &'a Wall,
    ) -> Option<View<'a>> {
        self.pieces.clear();
        self.found.clear();
        self.corners.clear();
        let boundary = shape.boundary();
        let offset = shape.centroid() - boundary.center;
        let margin = self.settings.margin;
        let reach = boundary.circumscribed * (1.0 + margin / boundary.inscribed);
        let middle = body.pose.transform_point(boundary.center);
        Sphere::new(middle, reach).validate(0).ok()?;
        let to_body = MatrixPose::from(&body.pose.inv_mul(wall.pose()));
        let mut centers = wall.centers_near(middle, reach);
        let far = centers
            .iter()
            .fold(reach, |far, x| far.max(x.abs().max_element()));
        let tolerance = 2.0 * wall.mesh().precision() + TOUCHING * far;
        self.field.set(boundary, offset, margin, None);
        let middles = centers.clone();
        let arm = to_body.inverse_transform_vector(offset);
        centers.iter_mut().for_each(|center| *center += arm);
        let view = View {
            wall,
            to_body,
            centers,
            tolerance,
        };
        for (image, &middle) in (0..).zip(&middles) {
            wall.for_each_slot_within(reach, middle, |slot| self.add_facet((image, slot), &view));
        }
        let order = |piece: &Piece| (piece.ranks, piece.place.0);
        self.pieces.sort_unstable_by_key(order);
        Some(view)
    }

    fn add_facet(&mut self, place: (u32, u32), view: &View) {
        let (image, slot) = place;
        let normal = view.to_body.transform_vector(view.wall.normal_in(slot));
        let Some(normal) = direction(normal, normal.length()) else {
            return;
        };
        let (first, ranks) = view.wall.ranks_in(slot);
        let (triangle, others) = view.wall.corners_in(slot);
        self.polygon.clear();
        let corners = triangle.into_iter().chain(others);
        self.polygon.extend(corners.map(|&x| view.place(image, x)));
        self.polygon.rotate_left(first);
        let plane = Plane::new(normal, normal.dot(self.polygon[0]));
        let before = self.corners.len() as u32;
        if let Some((sums, is_whole)) = self.integrate(&plane) {
            self.pieces.push(Piece {
                place,
                ranks,
                normal,
                is_whole,
                sums,
                corners: [before, self.corners.len() as u32],
            });
        }
    }
}

/// The pieces of a contact.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    sums: Sums,
    pieces: Range<usize>,
}

impl PressureField {
    /// Sums up the sheets, in descending order of their loads.
    fn sum_sheets(&mut self, shape: &ConvexPolyhedron, view: &View) {
        let Self {
            pieces,
            sheets,
            field,
            settings,
            found,
            ..
        } = self;
        sheets.connect(pieces, field, view, settings.bend);
        found.clear();
        let mut first = 0;
        for sheet in sheets.pieces().chunk_by(|a, b| a.0 == b.0) {
            let mut sums = pieces[sheet[0].1 as usize].sums;
            for &(_, piece) in &sheet[1..] {
                sums += pieces[piece as usize].sums.about(sums.origin);
            }
            let pieces = first..first + sheet.len();
            first = pieces.end;
            found.push(Sheet { sums, pieces });
        }
        found.sort_by(|a, b| b.sums.load.total_cmp(&a.sums.load));
        // The flux of a region with the center is what the energy lacks of that of the whole body.
        if found.iter().map(|sheet| sheet.sums.energy).sum::<f64>() < 0.0 {
            found[0].sums.add_source(field, shape);
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
        if let Some(view) = self.find_pieces(shape, body, wall) {
            self.sum_sheets(shape, &view);
        }
        let to_world = MatrixPose::from(&body.pose);
        let place = |x: DVec3| to_world.transform_point(x + shape.centroid());
        for sheet in &self.found {
            let pieces = self.sheets.pieces()[sheet.pieces.clone()].iter();
            let pieces = pieces.map(|&(_, piece)| &self.pieces[piece as usize]);
            let sums = sheet
                .sums
                .placed(to_world.rotation, place(sheet.sums.origin));
            let sums = sums.weighted(1.0, -1.0);
            let Some(mut contact) = PressureContact::new(&sums, &self.settings) else {
                continue;
            };
            if sums.overlap <= TOUCHING * shape.boundary().circumscribed {
                continue;
            }
            contact.facet = pieces
                .clone()
                .map(|piece| wall.facet_in(piece.place.1))
                .min();
            self.placed.clear();
            for piece in pieces {
                let [from, to] = piece.corners.map(|corner| corner as usize);
                let corners = self.corners[from..to].iter();
                self.placed
                    .extend(corners.map(|&(x, depth)| (place(x), depth)));
            }
            state.report(contact, &sums, &self.placed, &mut visit);
        }
        state.end();
    }
}
