//! A convex polygon against a wall of segments: the same contacts as those of a polyhedron, in one dimension
//! less.

mod bed;
mod line;
mod sheet;

use std::borrow::Borrow;

use glam::DVec2;
use smallvec::SmallVec;

use self::line::{Interval, Side};
use super::assignment::{ContactFacets, SheetContacts};
use super::contact::{order, unit};
use super::{ConvexWall, ConvexWallContact, ConvexWallState};
use crate::math::tolerance::TIED_DEPTH;
use crate::math::{Pose2, direction};
use crate::narrow::elastic_bed::Bed;
use crate::narrow::{NarrowPhase, Wall, WallState};
use crate::shape::{ConvexPolygon, Placed, SegmentMesh, Sphere, UnionFind};

/// Intervals of minima shorter than this part of the body's size are points.
const POINT: f64 = 1.0 / 1_048_576.0;
/// Lines that differ by this many tolerances are the same.
const SAME: f64 = 64.0;

/// Buffers of the kernel in the plane. Positions are in the frame of the body, about its centroid.
#[derive(Clone, Debug, Default)]
pub(super) struct PolygonWall {
    sides: Vec<Side>,
    /// The segments near the body, each with its image.
    near: Vec<(u32, u32)>,
    segments: Vec<NearSegment>,
    /// The segments passed whose neighbors are not tested yet.
    passed: Vec<usize>,
    /// The contacts of segments that are not passed, before equal ones are merged.
    minima: Vec<(u32, ConvexWallContact<DVec2>)>,
    contacts: Vec<ConvexWallContact<DVec2>>,
    /// Connected segments.
    sheets: UnionFind,
    sheet_contacts: SheetContacts<DVec2>,
    contact_segments: ContactFacets,
    bed: Bed<DVec2>,
}

/// A segment that is partly inside the body.
#[derive(Clone, Copy, Debug)]
struct NearSegment {
    segment: u32,
    image: u32,
    line: Interval,
    /// The unit normal.
    front: DVec2,
    phi: f64,
    /// A point at which phi is smallest, and all of them.
    point: DVec2,
    lowest: Interval,
    /// Where the minima are connected with deeper points of the same sheet, and phi there.
    passed: Option<(DVec2, f64)>,
    /// The contact to which the segment belongs.
    contact: u32,
}

/// A wall in the frame of the body.
struct Scene<'a> {
    wall: &'a Wall<SegmentMesh>,
    /// The cosine of the bend at which a concave vertex separates sheets.
    bend: f64,
    /// Takes the mesh to the body.
    relative: Pose2,
    /// The images of the centroid in the coordinates of the mesh: one without a period.
    centers: SmallVec<[DVec2; 4]>,
    /// The circumscribed radius of the body.
    radius: f64,
    tolerance: f64,
}

impl NearSegment {
    /// Returns the part inside the body.
    fn part(&self, sides: &[Side]) -> Interval {
        self.line.part_below(0.0, sides)
    }
}

impl Scene<'_> {
    /// Returns whether lines with these normals agree across the body.
    fn are_same(&self, a: DVec2, b: DVec2) -> bool {
        a.distance(b) * self.radius <= SAME * self.tolerance
    }

    fn is_point(&self, lowest: Interval) -> bool {
        lowest.length() <= POINT * self.radius
    }
}

impl PolygonWall {
    /// Finds the contacts, in the frame of the body.
    fn solve<'a>(
        &mut self,
        bend: f64,
        shape: &ConvexPolygon,
        pose: &Pose2,
        wall: &'a Wall<SegmentMesh>,
        state: &mut ConvexWallState<DVec2>,
    ) -> Option<Scene<'a>> {
        self.contacts.clear();
        self.minima.clear();
        state.keep_only(shape.stamp());
        let radius = shape.radii().1;
        let center = pose.transform_point(shape.centroid());
        Sphere::new(center, radius).validate(0).ok()?;
        let centers = wall.centers_near(center, radius);
        let reach = |far: f64, x: &DVec2| far.max(x.abs().max_element());
        let scene = Scene {
            wall,
            bend,
            relative: pose.inv_mul(wall.pose()),
            tolerance: centers.iter().fold(radius, reach) * TIED_DEPTH,
            centers,
            radius,
        };
        self.set_sides(shape);
        self.find_segments(&scene, &mut state.wall);
        self.pass(&scene);
        for i in 0..self.segments.len() {
            let segment = &self.segments[i];
            if let Some(normal) = self.normal(i, &scene) {
                let support = self.sides.iter().map(|side| normal.dot(side.corner));
                let contact = ConvexWallContact {
                    point: segment.point,
                    normal,
                    overlap: support.fold(f64::NEG_INFINITY, f64::max) - normal.dot(segment.point),
                    depth: -segment.phi,
                    facet: segment.segment,
                };
                self.minima.push((i as u32, contact));
                self.add(contact, &scene);
            }
        }
        self.contacts.sort_unstable_by(order);
        Some(scene)
    }

    fn set_sides(&mut self, shape: &ConvexPolygon) {
        let corners = shape.vertices().iter().map(|&x| x - shape.centroid());
        let next = corners.clone().cycle().skip(1);
        let sides = corners
            .zip(next)
            .map(|(corner, next)| Side::new(corner, next));
        self.sides.clear();
        self.sides.extend(sides);
    }

    /// Collects the segments inside the body, each with its minimum.
    fn find_segments(&mut self, scene: &Scene, state: &mut WallState<DVec2>) {
        self.near.clear();
        let near = &mut self.near;
        let push = |image, slot| near.push((image, scene.wall.facet_in(slot)));
        (scene.wall).for_each_slot_around(scene.radius, &scene.centers, state, push);
        let found = self.near.iter();
        let found = found.filter_map(|&(image, id)| near_segment(&self.sides, scene, id, image));
        self.segments.clear();
        self.segments.extend(found);
        self.segments
            .sort_unstable_by_key(|near| (near.image, near.segment));
    }

    /// Returns the normal at the minima of a segment, from the body into the wall. `None` if it has no contact
    /// of its own.
    ///
    /// At a vertex with more than one normal it is their mean. Where the minima of another segment end
    /// there, these have the contact.
    fn normal(&self, index: usize, scene: &Scene) -> Option<DVec2> {
        let segment = &self.segments[index];
        if segment.passed.is_some() {
            return None;
        }
        let own = self.own_normal(segment, scene);
        if !scene.is_point(segment.lowest) {
            return Some(own);
        }
        let mut normals: SmallVec<[DVec2; 4]> = SmallVec::from_elem(own, 1);
        let mut has_longer = false;
        self.for_each_tied(index, scene, None, |_, other, _| {
            has_longer |= !scene.is_point(other.lowest);
            let normal = self.own_normal(other, scene);
            if !normals.iter().any(|&n| scene.are_same(n, normal)) {
                normals.push(normal);
            }
        });
        let sum: DVec2 = normals.iter().sum();
        let mean = direction(sum, sum.length()).unwrap_or(own);
        (!has_longer).then_some(mean)
    }

    /// Returns the normal of a segment if phi is nowhere smaller on its line, otherwise the mean of those of
    /// the body at the minimum.
    fn own_normal(&self, segment: &NearSegment, scene: &Scene) -> DVec2 {
        let far = 4.0 * scene.radius;
        let line = segment.line.within(-far, far);
        if line.minimum(&self.sides, scene.tolerance).1 >= segment.phi - scene.tolerance {
            return -segment.front;
        }
        let sides = self.sides.iter();
        let active = sides.filter(|s| s.above(segment.point) >= segment.phi - scene.tolerance);
        let sum: DVec2 = active.map(|side| side.normal).sum();
        direction(sum, sum.length()).unwrap_or(-segment.front)
    }

    /// Adds a contact unless it is on the same line as another one.
    fn add(&mut self, contact: ConvexWallContact<DVec2>, scene: &Scene) {
        match self.same_line(&contact, scene) {
            Some(i) => self.contacts[i].facet = self.contacts[i].facet.min(contact.facet),
            None => self.contacts.push(contact),
        }
    }

    /// Returns the index of the contact on the same line.
    fn same_line(&self, contact: &ConvexWallContact<DVec2>, scene: &Scene) -> Option<usize> {
        self.contacts.iter().position(|other| {
            scene.are_same(other.normal, contact.normal)
                && (other.overlap - contact.overlap).abs() <= SAME * scene.tolerance
        })
    }
}

/// Returns a segment with its minimum if that is inside the body.
fn near_segment(sides: &[Side], scene: &Scene, segment: u32, image: u32) -> Option<NearSegment> {
    let mesh = scene.wall.mesh();
    let center = scene.centers[image as usize];
    let place = |id: u32| {
        let x = mesh.vertices()[id as usize];
        scene.relative.transform_vector(x - center)
    };
    let ends = mesh.segments()[segment as usize].map(place);
    let is_beyond = |side: &Side| ends.iter().all(|&x| side.above(x) >= 0.0);
    if sides.iter().any(is_beyond) {
        return None;
    }
    let normal = mesh.normal(segment).filter(|n| *n != DVec2::ZERO)?;
    let normal = scene.relative.transform_vector(normal);
    // The end beside the body is rounded least.
    let [a, b] = ends.map(DVec2::length_squared);
    let height = normal.dot(ends[usize::from(b < a)]);
    let along = normal.perp();
    let [from, to] = ends.map(|x| along.dot(x));
    let line = Interval {
        origin: normal * height,
        along,
        from: from.min(to),
        to: from.max(to),
    };
    let (at, phi) = line.minimum(sides, scene.tolerance);
    if phi >= -scene.tolerance {
        return None;
    }
    let lowest = line.part_below(phi + scene.tolerance, sides);
    let lowest = if scene.is_point(lowest) {
        line.within(at, at)
    } else {
        lowest
    };
    Some(NearSegment {
        segment,
        image,
        line,
        front: normal,
        phi,
        point: lowest.middle(),
        lowest,
        passed: None,
        contact: 0,
    })
}

/// Returns a contact in the world.
fn placed(
    contact: &ConvexWallContact<DVec2>,
    shape: &ConvexPolygon,
    pose: &Pose2,
) -> ConvexWallContact<DVec2> {
    ConvexWallContact {
        point: pose.transform_point(contact.point + shape.centroid()),
        normal: unit(pose.transform_vector(contact.normal)),
        ..*contact
    }
}

impl<S: Borrow<ConvexPolygon>> NarrowPhase<Placed<S, DVec2>, Wall<SegmentMesh>> for ConvexWall {
    type Contact = ConvexWallContact<DVec2>;
    type State = ConvexWallState<DVec2>;

    fn for_each_contact(
        &mut self,
        body: &Placed<S, DVec2>,
        wall: &Wall<SegmentMesh>,
        state: &mut ConvexWallState<DVec2>,
        mut visit: impl FnMut(ConvexWallContact<DVec2>),
    ) {
        let shape = body.shape.borrow();
        self.flat.solve(self.bend, shape, &body.pose, wall, state);
        for contact in &self.flat.contacts {
            visit(placed(contact, shape, &body.pose));
        }
    }
}
