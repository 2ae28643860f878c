//! A convex polygon against a wall of segments.
//!
//! On a line phi is a convex function of one variable, the maximum of linear ones. So its minimum on a segment
//! takes cutting planes in one unknown, and the minima of a segment are an interval.

use std::borrow::Borrow;

use glam::DVec2;
use smallvec::SmallVec;

use super::contact::order;
use super::sheet::FEW;
use super::side::is_open;
use super::{ConvexWall, ConvexWallContact, ConvexWallState, NEAR};
use crate::math::tolerance::TIED_DEPTH;
use crate::math::{Pose2, closest_on_segment, direction};
use crate::narrow::elastic_bed::Bed;
use crate::narrow::{NarrowPhase, Wall, WallSides, WallState};
use crate::shape::{ConvexPolygon, Placed, SegmentMesh, Sphere};

/// Intervals of minima shorter than this part of the body's size are points.
const POINT: f64 = 1.0 / 1_048_576.0;
/// Lines that differ by this many tolerances are the same.
pub(super) const SAME: f64 = 64.0;

/// Buffers of the kernel in the plane. Positions are in the frame of the body, about its centroid.
#[derive(Clone, Debug, Default)]
pub(super) struct PolygonWall {
    pub(super) sides: Vec<Side>,
    /// The segments near the body, each with its image.
    near: Vec<(u32, u32)>,
    pub(super) segments: Vec<NearSegment>,
    /// The segments passed whose neighbors are not tested yet.
    passed: Vec<Passed>,
    pub(super) contacts: Vec<ConvexWallContact<DVec2>>,
    pub(super) bed: Bed<DVec2>,
    /// The vertices of the wall that carry a contact.
    pub(super) vertices: Vec<(u32, DVec2)>,
}

/// A side of the polygon: its first corner, and the line `normal . x = offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) corner: DVec2,
    pub(super) normal: DVec2,
    offset: f64,
}

/// The points `foot + along s` for s from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    foot: DVec2,
    pub(super) along: DVec2,
    from: f64,
    to: f64,
}

/// A segment that is partly inside the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearSegment {
    pub(super) segment: u32,
    image: u32,
    pub(super) line: Interval,
    /// The unit normal on the side of the body.
    pub(super) front: DVec2,
    phi: f64,
    /// A point at which phi is smallest, and all of them.
    pub(super) point: DVec2,
    lowest: Interval,
    /// Whether the minima are connected with deeper points of the same sheet.
    pub(super) is_passed: bool,
    /// The contact to which the segment belongs.
    pub(super) contact: u32,
}

/// A segment whose minima are connected with deeper points.
#[derive(Clone, Copy, Debug)]
struct Passed {
    segment: usize,
    /// Where they are connected.
    at: DVec2,
    /// phi at the deeper points.
    phi: f64,
}

/// A wall in the frame of the body.
pub(super) struct Scene<'a> {
    pub(super) wall: &'a Wall<SegmentMesh>,
    sides: WallSides,
    /// The cosine of the bend at which a concave vertex separates sheets.
    bend: f64,
    /// Takes the mesh to the body.
    relative: Pose2,
    /// The images of the centroid in the coordinates of the mesh: one without a period.
    centers: SmallVec<[DVec2; 4]>,
    /// The centroid in the coordinates of the mesh.
    centroid: DVec2,
    /// The circumscribed radius of the body.
    radius: f64,
    pub(super) tolerance: f64,
}

impl Interval {
    fn point(self, s: f64) -> DVec2 {
        self.foot + self.along * s
    }

    pub(super) fn ends(self) -> [DVec2; 2] {
        [self.from, self.to].map(|s| self.point(s))
    }

    pub(super) fn length(self) -> f64 {
        self.to - self.from
    }

    /// Returns the part where phi is at most `level`; its length is negative if there is none.
    pub(super) fn part_below(self, level: f64, sides: &[Side]) -> Self {
        let mut part = self;
        for side in sides {
            let slope = side.normal.dot(self.along);
            let end = (level - side.above(self.foot)) / slope;
            if slope > 0.0 {
                part.to = part.to.min(end);
            } else if slope < 0.0 {
                part.from = part.from.max(end);
            } else if side.above(self.foot) > level {
                part.to = f64::NEG_INFINITY;
            }
        }
        part
    }

    /// Returns where phi is smallest, and its value, to `tolerance`.
    fn minimum(self, sides: &[Side], tolerance: f64) -> (f64, f64) {
        let slope = |side: &Side| side.normal.dot(self.along);
        let largest = |s: f64| largest_side(sides, self.point(s));
        let (mut falling, value) = largest(self.from);
        if slope(falling) >= 0.0 {
            return (self.from, value);
        }
        let (mut rising, value) = largest(self.to);
        if slope(rising) <= 0.0 {
            return (self.to, value);
        }
        let mut best = (self.to, value);
        for _ in sides {
            let [f, r] = [falling, rising].map(|side| side.above(self.foot));
            let s = (f - r) / (slope(rising) - slope(falling));
            let s = s.clamp(self.from, self.to);
            let (side, value) = largest(s);
            best = (s, value);
            if value <= falling.above(self.point(s)) + tolerance {
                break;
            }
            if slope(side) < 0.0 {
                falling = side;
            } else {
                rising = side;
            }
        }
        best
    }
}

impl Side {
    /// Returns the height of a point above the line of the side.
    fn above(&self, x: DVec2) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// Returns the side whose line is farthest below a point, and the distance.
fn largest_side(sides: &[Side], x: DVec2) -> (&Side, f64) {
    let mut largest = (&sides[0], f64::NEG_INFINITY);
    for side in sides {
        let value = side.above(x);
        if value > largest.1 {
            largest = (side, value);
        }
    }
    largest
}

impl Scene<'_> {
    /// Returns a point at which two segments of the same sheet touch, other than `except`.
    ///
    /// Each comes with a part that touches. A concave vertex with a large bend separates sheets, in front of
    /// both segments.
    fn connection(
        &self,
        (a, part_of_a): (&NearSegment, Interval),
        (b, part_of_b): (&NearSegment, Interval),
        except: Option<DVec2>,
    ) -> Option<DVec2> {
        let slack = NEAR * self.tolerance;
        let [of_a, of_b] = [part_of_a, part_of_b].map(Interval::ends);
        let is_on = |x: DVec2, [from, to]: [DVec2; 2]| {
            closest_on_segment(x, from, to).distance_squared <= slack * slack
        };
        let is_bent = a.front.dot(b.front) < self.bend;
        let sees = |a: &NearSegment, b: &NearSegment, x: DVec2| {
            let mut ends = b.line.ends().into_iter();
            ends.any(|end| a.front.dot(end - x) > slack)
        };
        let is_shared = |x: &DVec2| {
            is_on(*x, of_a)
                && is_on(*x, of_b)
                && except.is_none_or(|other| x.distance(other) > slack)
                && !(is_bent && sees(a, b, *x) && sees(b, a, *x))
        };
        of_a.into_iter().chain(of_b).find(is_shared)
    }

    /// Returns whether lines with these normals agree across the body.
    pub(super) fn are_same(&self, a: DVec2, b: DVec2) -> bool {
        a.distance(b) * self.radius <= SAME * self.tolerance
    }

    fn is_point(&self, lowest: Interval) -> bool {
        lowest.length() <= POINT * self.radius
    }
}

impl PolygonWall {
    /// Finds the contacts, in the frame of the body.
    pub(super) fn solve<'a>(
        &mut self,
        (sides, bend): (WallSides, f64),
        shape: &ConvexPolygon,
        pose: &Pose2,
        wall: &'a Wall<SegmentMesh>,
        state: &mut ConvexWallState<DVec2>,
    ) -> Option<Scene<'a>> {
        self.contacts.clear();
        state.keep_only(shape.stamp());
        let radius = shape.radii().1;
        let center = pose.transform_point(shape.centroid());
        Sphere::new(center, radius).validate(0).ok()?;
        let centroid = wall.to_local(center);
        wall.recall(&mut state.wall, centroid);
        let centers = wall.centers_near(center, radius);
        let reach = |far: f64, x: &DVec2| far.max(x.abs().max_element());
        let scene = Scene {
            wall,
            sides,
            bend,
            relative: pose.inv_mul(wall.pose()),
            tolerance: centers.iter().fold(radius, reach) * TIED_DEPTH,
            centers,
            centroid,
            radius,
        };
        self.set_sides(shape);
        self.find_segments(&scene, &mut state.wall);
        let home = self.set_fronts(&scene, state);
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
                self.add(contact, &scene);
            }
        }
        self.contacts.sort_unstable_by(order);
        self.keep_home(&scene, home, state);
        Some(scene)
    }

    fn set_sides(&mut self, shape: &ConvexPolygon) {
        let corners = shape.vertices().iter().map(|&x| x - shape.centroid());
        let next = corners.clone().cycle().skip(1);
        self.sides.clear();
        self.sides.extend(corners.zip(next).map(|(corner, next)| {
            let outward = -(next - corner).perp();
            let normal = direction(outward, outward.length()).unwrap_or_default();
            Side {
                corner,
                normal,
                offset: normal.dot(corner),
            }
        }));
    }

    /// Collects the segments inside the body, each with its minimum.
    fn find_segments(&mut self, scene: &Scene, state: &mut WallState<DVec2>) {
        self.near.clear();
        let near = &mut self.near;
        let push = |image, segment| near.push((image, segment));
        (scene.wall).for_each_facet_around(scene.radius, &scene.centers, state, push);
        let found = self.near.iter();
        let found = found.filter_map(|&(image, id)| near_segment(&self.sides, scene, id, image));
        self.segments.clear();
        self.segments.extend(found);
        self.segments
            .sort_unstable_by_key(|near| (near.image, near.segment));
    }

    /// Turns the fronts of segments to the side on which the body belongs, as for a polyhedron. Returns home, from
    /// the centroid, if the body is through a wall.
    fn set_fronts(&mut self, scene: &Scene, state: &ConvexWallState<DVec2>) -> Option<DVec2> {
        if scene.sides != WallSides::Both {
            return None;
        }
        let home = state.wall.home().map(|home| home - scene.centroid);
        let home = home.filter(|&home| {
            let is_crossed = |near: &NearSegment| {
                let centroid = scene.centers[near.image as usize];
                (scene.wall).is_crossed(near.segment, centroid + home, centroid)
            };
            home != DVec2::ZERO && self.segments.iter().any(is_crossed)
        });
        let side_of = scene.relative.transform_vector(home.unwrap_or_default());
        for near in &mut self.segments {
            if near.front.dot(near.line.foot - side_of) > 0.0 {
                near.front = -near.front;
            }
        }
        home
    }

    /// Stores where the body belongs, as for a polyhedron.
    fn keep_home(&self, scene: &Scene, home: Option<DVec2>, state: &mut ConvexWallState<DVec2>) {
        let facet = self.contacts.first().map(|contact| contact.facet);
        let opposite = home.and_then(|home| {
            self.contacts.iter().find_map(|contact| {
                let through = -contact.normal.dot(contact.point);
                let back = contact.normal * (-2.0 * through);
                let back = scene.relative.inverse_transform_vector(back);
                let images = scene.centers.iter().copied();
                let is_free = through > 0.0 && is_open(scene.wall, images, [home, back]);
                is_free.then_some(back)
            })
        });
        let home = opposite.or(home).unwrap_or_default();
        state.wall.set_home(scene.centroid + home, facet);
    }

    /// Visits other segments, among them all that touch the minima of a segment.
    fn for_each_near(
        &self,
        index: usize,
        scene: &Scene,
        mut visit: impl FnMut(usize, &NearSegment),
    ) {
        if self.segments.len() <= FEW {
            let others = self.segments.iter().enumerate().filter(|x| x.0 != index);
            others.for_each(|(j, other)| visit(j, other));
            return;
        }
        let lowest = self.segments[index].lowest;
        let reach = 0.5 * lowest.length() + NEAR * scene.tolerance;
        let middle = lowest.point(0.5 * (lowest.from + lowest.to));
        let at = scene.relative.inverse_transform_vector(middle);
        for (image, &center) in (0..).zip(&scene.centers) {
            scene.wall.for_each_facet_within(reach, center + at, |id| {
                let key = |other: &NearSegment| (other.image, other.segment);
                let found = self.segments.binary_search_by_key(&(image, id), key);
                if let Ok(j) = found
                    && j != index
                {
                    visit(j, &self.segments[j]);
                }
            });
        }
    }

    /// Finds the segments whose minima are connected with deeper points of the same sheet.
    ///
    /// A segment is passed if a deeper one touches its minima; or if one does that is passed elsewhere, at
    /// the same depth to rounding. The deepest segment is never passed.
    fn pass(&mut self, scene: &Scene) {
        self.passed.clear();
        for i in 0..self.segments.len() {
            let segment = &self.segments[i];
            let mut found = None;
            self.for_each_near(i, scene, |_, other| {
                if other.phi < segment.phi - scene.tolerance && found.is_none() {
                    let at = scene.connection((segment, segment.lowest), (other, other.line), None);
                    found = at.map(|at| (at, other.phi));
                }
            });
            if let Some((at, phi)) = found {
                let segment = i;
                self.passed.push(Passed { segment, at, phi });
            }
        }
        for i in 0..self.passed.len() {
            self.segments[self.passed[i].segment].is_passed = true;
        }
        while let Some(passed) = self.passed.pop() {
            let mut found: SmallVec<[Passed; 8]> = SmallVec::new();
            self.for_each_tied(
                passed.segment,
                scene,
                Some(passed.at),
                |segment, other, at| {
                    if passed.phi < other.phi {
                        found.push(Passed {
                            segment,
                            at,
                            ..passed
                        });
                    }
                },
            );
            for passed in found {
                self.segments[passed.segment].is_passed = true;
                self.passed.push(passed);
            }
        }
    }

    /// Visits the segments, not passed, whose minima are as deep and touch those of a segment, and where.
    fn for_each_tied(
        &self,
        index: usize,
        scene: &Scene,
        except: Option<DVec2>,
        mut visit: impl FnMut(usize, &NearSegment, DVec2),
    ) {
        let segment = &self.segments[index];
        self.for_each_near(index, scene, |j, other| {
            let is_tied = (other.phi - segment.phi).abs() <= scene.tolerance;
            if is_tied && !other.is_passed {
                let [a, b] = [segment, other].map(|segment| (segment, segment.lowest));
                let at = scene.connection(a, b, except);
                at.into_iter().for_each(|at| visit(j, other, at));
            }
        });
    }

    /// Returns the normal at the minima of a segment, from the body into the wall. `None` if it has no contact
    /// of its own.
    ///
    /// At a vertex with more than one normal it is their mean. Where the minima of another segment end
    /// there, these have the contact.
    fn normal(&self, index: usize, scene: &Scene) -> Option<DVec2> {
        let segment = &self.segments[index];
        if segment.is_passed {
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
        let (from, to) = (-4.0 * scene.radius, 4.0 * scene.radius);
        let line = Interval {
            from,
            to,
            ..segment.line
        };
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
        let is_same = |other: &&mut ConvexWallContact<DVec2>| {
            scene.are_same(other.normal, contact.normal)
                && (other.overlap - contact.overlap).abs() <= SAME * scene.tolerance
        };
        match self.contacts.iter_mut().find(is_same) {
            Some(other) => other.facet = other.facet.min(contact.facet),
            None => self.contacts.push(contact),
        }
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
        foot: normal * height,
        along,
        from,
        to,
    };
    let (at, phi) = line.minimum(sides, scene.tolerance);
    if phi >= -scene.tolerance {
        return None;
    }
    let lowest = line.part_below(phi + scene.tolerance, sides);
    let (from, to) = if scene.is_point(lowest) {
        (at, at)
    } else {
        (lowest.from, lowest.to)
    };
    Some(NearSegment {
        segment,
        image,
        line,
        front: normal,
        phi,
        point: line.point(0.5 * (from + to)),
        lowest: Interval { from, to, ..line },
        is_passed: false,
        contact: 0,
    })
}

/// Returns a contact in the world.
pub(super) fn placed(
    contact: &ConvexWallContact<DVec2>,
    shape: &ConvexPolygon,
    pose: &Pose2,
) -> ConvexWallContact<DVec2> {
    ConvexWallContact {
        point: pose.transform_point(contact.point + shape.centroid()),
        normal: pose.transform_vector(contact.normal),
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
        let options = (self.sides, self.bend);
        self.flat.solve(options, shape, &body.pose, wall, state);
        for contact in &self.flat.contacts {
            visit(placed(contact, shape, &body.pose));
        }
    }
}
