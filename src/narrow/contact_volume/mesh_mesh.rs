use std::borrow::Borrow;

use glam::DVec3;

use super::body::{Body, Side};
use super::crossing::{Crossing, cross, is_tied};
use super::crowd::for_each_near_pair;
use super::loops::Loops;
use super::slender::Slender;
use super::sums::{Gradient, Sums};
use super::{ContactVolume, IntersectionKind, is_first, nested};
use crate::math::Pose3;
use crate::math::tolerance::NEGATIVE_VOLUME;
use crate::narrow::NarrowPhase;
use crate::shape::{Placed, SolidMesh};

/// Two closed triangle meshes of any shape, at any poses: the volume they share and its gradient.
///
/// One contact for a pair, or one for each part of the volume ([`with_separate_regions`](MeshMesh::with_separate_regions)).
/// Bodies that do not share volume have none, unless their surfaces touch and happen to count as
/// crossing ([`IntersectionKind::Touching`]).
///
/// The curve in which the surfaces cross always closes, whatever the poses: one body's vertices
/// are rounded once into the other's frame, all signs are exact from there, and where one is 0 it
/// is that after an infinitesimal translation of one of the bodies. So coplanar and touching faces
/// are taken as in a pose as near as may be: the volume is right, S and G are one of the possible
/// values. Swapping the bodies negates S and G exactly. (The body that is moved, and whose frame is
/// used, is that with the lower translation, lexicographically; of bodies that are equal in pose and
/// shape neither is, and S = G = 0.)
///
/// The relative error of V is at most about 50 eps L / depth, L the largest coordinate in the frame of a body.
/// Slivers, tips and blades have the same bound.
///
/// O(k + log n) for a curve through k triangles, whatever there is inside; O(n log n) where boxes of many
/// triangles overlap around a point, as at the tips of cones. No allocation once the
/// buffers have grown, about 220 bytes for each triangle of the largest bodies.
///
/// ```
/// use osculate::{MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh};
/// use osculate::glam::DVec3;
///
/// let tetrahedron = SolidMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// )?;
/// let tree = tetrahedron;
/// let a = Placed::new(&tree, Pose3::IDENTITY);
/// let b = Placed::new(&tree, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// let found = MeshMesh::new().contact(&a, &b);
/// // The upper half of the one: a tetrahedron of half the size.
/// let contact = found.unwrap();
/// assert!((contact.volume - 1.0 / 48.0).abs() < 1e-15);
/// assert_eq!(contact.normal(), Some(DVec3::Z));
/// assert_eq!(contact.area(), 0.125);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshMesh {
    is_separate: bool,
    bodies: [Body; 2],
    segments: Vec<Segment>,
    loops: Loops,
    slender: Slender,
    is_crossed: Vec<bool>,
    /// The faces of both bodies near the other one, where boxes tell too little.
    crowd: [Vec<u32>; 2],
}

/// A segment of the curve in which two surfaces cross, in the world. It runs along the vector
/// product of the first and the second surface's normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSegment {
    /// Where it starts and where it ends. Each end is an end of exactly one other segment's start
    /// and the other way round, equal in all fields.
    pub ends: [CurveNode; 2],
    /// The facet of the first and of the second body that it lies on.
    pub facets: [u32; 2],
    /// Which of the contacts it belongs to, in the order of their reports.
    pub contact: u32,
}

/// Where an edge of one body crosses a facet of the other. Vertices and facets are named by their
/// indexes in the shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveNode {
    /// Where it is, in the world, in the unit of length of the poses.
    pub position: DVec3,
    /// Whether the edge is one of the first body.
    pub is_edge_of_first: bool,
    /// The edge by its vertices, the lower first.
    pub edge: [u32; 2],
    /// The facet of the other body.
    pub facet: u32,
}

/// A segment in the common frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) ends: [Crossing; 2],
    /// Of A and of B, in the order of leaves.
    pub(super) faces: [u32; 2],
    pub(super) group: u32,
}

/// A body, and the surface it is made of.
type Solid<S> = Placed<S, DVec3>;

impl MeshMesh {
    /// One contact for a pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// One contact for each closed loop of the curve, or for several that bound one part of the
    /// volume: loops that the surface of a body connects inside the other.
    ///
    /// Where edges are tied, parts are those after the infinitesimal translation. Where parts cannot be
    /// told apart by edges and vertices (a loop around another in the same triangle) all are one
    /// contact.
    ///
    /// O(k log k) more than [`new`](Self::new) for k segments of the curve, and a walk over the
    /// vertices inside. The order of the reports is that in which the trees find the segments: the
    /// same each time, but no order in space.
    #[must_use]
    pub fn with_separate_regions(self, is_separate: bool) -> Self {
        Self {
            is_separate,
            ..self
        }
    }

    /// [`for_each_contact`](NarrowPhase::for_each_contact), and the segments of the curve, in no particular order
    /// and before the contacts.
    pub fn for_each_contact_and_segment<S: Borrow<SolidMesh>, T: Borrow<SolidMesh>>(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        mut report: impl FnMut(ContactVolume<DVec3>),
        mut curve: impl FnMut(CurveSegment),
    ) {
        let (shape_a, shape_b) = (a.shape.borrow(), b.shape.borrow());
        let faces = || {
            let [a, b] = [shape_a, shape_b].map(|s| s.triangles().iter().map(|t| t.corners));
            a.cmp(b)
        };
        let order = is_first(
            [&a.pose, &b.pose],
            [shape_a.vertices(), shape_b.vertices()],
            faces,
        );
        let is_swapped = order == Some(false);
        let [(first, pose), (second, placed)] = if is_swapped {
            [(shape_b, b.pose), (shape_a, a.pose)]
        } else {
            [(shape_a, a.pose), (shape_b, b.pose)]
        };
        let sides = [
            Side::fixed(first),
            Side::placed(second, pose.inv_mul(&placed)),
        ];
        if !sides[0].bounds.touches(&sides[1].bounds) {
            return;
        }
        if order.is_none() {
            let volume = first.volume();
            return report(nested(volume, pose.transform_point(first.vertices()[0])));
        }
        self.find_segments(&sides, &pose.inv_mul(&placed));
        if self.is_separate {
            let solids = [sides[0].solid, sides[1].solid];
            self.loops.separate(&mut self.segments, solids);
        } else {
            self.loops.unite(&self.segments);
        }
        let origin = match self.segments.first() {
            Some(segment) => segment.ends[0].position,
            None => sides[1].bounds.center(),
        };
        self.add_up(&sides, origin);
        let mut uncrossed = self.add_shells(&sides);
        (0..2).for_each(|i| self.add_inside(i, &sides[i], origin));
        self.merge_groups(&sides, uncrossed.map_or(0.0, |(volume, _)| volume));
        self.refine(&sides);
        if let [group] = &mut self.loops.groups[..]
            && let Some((volume, _)) = uncrossed.take_if(|(v, _)| !self.is_separate || *v < 0.0)
        {
            group.sums.volume += 6.0 * volume;
        }
        for segment in &self.segments {
            curve(to_world(segment, &sides, &pose, is_swapped));
        }
        for (number, group) in (0..).zip(&self.loops.groups) {
            let mut contact = contact(&group.sums, origin, &pose);
            // Surfaces that cross without a tie share some volume, even if it is rounded to nothing.
            if contact.kind == IntersectionKind::Touching && !self.is_tied(number) {
                contact.kind = IntersectionKind::Crossing;
            }
            report(if is_swapped {
                contact.swapped()
            } else {
                contact
            });
        }
        if let Some((volume, point)) = uncrossed {
            report(nested(volume, pose.transform_point(point)));
        }
    }

    /// All pairs of faces that cross.
    fn find_segments(&mut self, sides: &[Side; 2], relative: &Pose3) {
        let [first, second] = sides;
        let [a, b] = &mut self.bodies;
        let segments = &mut self.segments;
        segments.clear();
        a.start(first.solid);
        b.start(second.solid);
        let trees = [first, second].map(|side| side.solid.tree());
        let faces = sides.each_ref().map(|side| side.solid.triangles().len());
        // Several pairs of leaves a face are met where surfaces coincide.
        let (mut visits, limit) = (0, 2048 + 16 * (faces[0] + faces[1]));
        let is_done = trees[0].each_leaf_pair_while(trees[1], relative, |ours, theirs| {
            theirs.clone().for_each(|j| b.prepare(second, j));
            for i in ours {
                a.prepare(first, i);
                for j in theirs.clone() {
                    let (Some(t), Some(u)) = (a.face(i), b.face(j)) else {
                        continue;
                    };
                    if !t.may_touch(u) {
                        continue;
                    }
                    if let Some(ends) = cross(t, u) {
                        segments.push(Segment {
                            ends,
                            faces: [i as u32, j as u32],
                            group: 0,
                        });
                    }
                }
            }
            visits += 1;
            visits <= limit
        });
        if !is_done {
            self.find_in_crowd(sides);
        }
    }

    /// The same where boxes tell too little.
    #[cold]
    fn find_in_crowd(&mut self, sides: &[Side; 2]) {
        for index in [0, 1] {
            let (side, body) = (&sides[index], &mut self.bodies[index]);
            let ids = &mut self.crowd[index];
            ids.clear();
            for slot in 0..side.solid.triangles().len() {
                body.prepare(side, slot);
                let face = body.face(slot);
                if face.is_some_and(|face| face.bounds.touches(&sides[1 - index].bounds)) {
                    ids.push(slot as u32);
                }
            }
        }
        let [a, b] = &self.bodies;
        let segments = &mut self.segments;
        segments.clear();
        let ids = self.crowd.each_mut().map(|ids| &mut ids[..]);
        for_each_near_pair([a, b], ids, &mut |i, j| {
            if let (Some(t), Some(u)) = (a.face(i as usize), b.face(j as usize))
                && t.may_touch(u)
            {
                segments.extend(cross(t, u).map(|ends| Segment {
                    ends,
                    faces: [i, j],
                    group: 0,
                }));
            }
        });
    }

    /// The sums of all groups, along the curve.
    ///
    /// 6 V is the sum of `x_T . 2 A_T` over the triangles of both surfaces, with `x_T` the first corner,
    /// relative to the origin, and `A_T` the area vector of what of T is inside the other body. `2 A_T` is
    /// the sum of `p x q` around that: along segments, and along sides as far as they are inside. Only the
    /// side opposite `x_T` counts, with a share `w + sum d (1 - s)`: w the winding number at its lower
    /// end, and a step d = ±1 at each crossing s. Steps are added here; w is the flow's.
    fn add_up(&mut self, sides: &[Side; 2], origin: DVec3) {
        for segment in &self.segments {
            let [a, b] = segment.ends.map(|end| end.position - origin);
            let group = &mut self.loops.groups[segment.group as usize];
            group.sums.add_segment(a, b);
            let face = |body: usize| self.bodies[body].face(segment.faces[body] as usize);
            let (Some(on_a), Some(on_b)) = (face(0), face(1)) else {
                continue;
            };
            group.sums.volume += (on_a.corners[0] - on_b.corners[0]).dot(a.cross(b - a));
            group.size = group.size.max(on_a.size).max(on_b.size);
            for end in &segment.ends {
                let face = [on_a, on_b][end.body];
                let side = face.sides[end.side];
                let change = f64::from(end.change(side));
                if end.side == 1 {
                    let share = change * (1.0 - end.along);
                    group.sums.volume += share * face.six_volumes(origin);
                }
                // Of the two faces at the edge one does it.
                if side % 2 == 0
                    && let Some(flow) = sides[end.body].solid.flow(side / 2)
                {
                    group.inside[end.body].add(flow, change);
                }
            }
        }
    }

    /// The volumes of what the curve surrounds on body `index`.
    fn add_inside(&mut self, index: usize, side: &Side, origin: DVec3) {
        let body = &mut self.bodies[index];
        // A vertex inside next to the curve, so that little cancels where little is shared.
        let mut crossings = self.segments.iter().filter_map(|segment| {
            let end = segment.ends.iter().find(|end| end.body == index)?;
            let triangle = &side.solid.triangles()[segment.faces[index] as usize];
            let side_of_edge = triangle.sides[end.side];
            let ends = side.solid.edges()[side_of_edge as usize / 2];
            Some(ends[usize::from(end.change(side_of_edge) > 0)])
        });
        let near = crossings.next().unwrap_or(side.solid.shells()[0].vertex);
        for group in &mut self.loops.groups {
            group.sums.volume += body.volume_of(side, &group.inside[index], near, origin);
        }
    }

    /// Adds up groups that are one; their volumes are more than nothing but for rounding.
    fn merge_groups(&mut self, sides: &[Side; 2], uncrossed: f64) {
        let size = sides[0].bounds.size().min(sides[1].bounds.size());
        let least = -size.max_element().powi(3) * NEGATIVE_VOLUME;
        self.loops.merge(&mut self.segments, uncrossed, least);
    }

    /// Computes the volumes anew that are small next to the triangles.
    fn refine(&mut self, sides: &[Side; 2]) {
        let extent = sides[0].bounds.size().max(sides[1].bounds.size());
        let extent = extent.max_element();
        if self
            .loops
            .groups
            .iter()
            .any(|group| group.is_slender(extent))
        {
            let groups = &mut self.loops.groups;
            let slender = &mut self.slender;
            slender.refine(sides, &mut self.bodies, &self.segments, groups, extent);
        }
    }

    /// Whether any two faces have a tie that cross in a segment of this group.
    fn is_tied(&self, group: u32) -> bool {
        let face = |body: usize, slot: u32| self.bodies[body].face(slot as usize);
        let mut segments = self.segments.iter().filter(|s| s.group == group);
        segments.any(|s| match (face(0, s.faces[0]), face(1, s.faces[1])) {
            (Some(t), Some(u)) => is_tied(t, u),
            _ => false,
        })
    }

    /// Adds what the roots of shells contribute that are inside the other body. Of shells through
    /// which the curve does not run that is the shell: their volume, and the root of the first of them.
    fn add_shells(&mut self, sides: &[Side; 2]) -> Option<(f64, DVec3)> {
        let mut uncrossed = None;
        for index in [0, 1] {
            let (side, outside) = (&sides[index], &sides[1 - index].bounds);
            let solid = side.solid;
            self.is_crossed.clear();
            self.is_crossed.resize(solid.shells().len(), false);
            for segment in &self.segments {
                let triangle = &solid.triangles()[segment.faces[index] as usize];
                self.is_crossed[triangle.shell as usize] = true;
                if solid.shells().len() == 1 {
                    break;
                }
            }
            if self.loops.groups.len() > 1 {
                let [a, b] = &mut self.bodies;
                let bodies = if index == 0 { [a, b] } else { [b, a] };
                self.loops.join_inside(index, side, bodies, &self.segments);
            }
            for (shell, is_crossed) in solid.shells().iter().zip(&self.is_crossed) {
                let point = self.bodies[index].position(side, shell.vertex);
                if point.cmplt(outside.min).any() || point.cmpgt(outside.max).any() {
                    continue;
                }
                let other = &mut self.bodies[1 - index];
                let winding = other.winding_around(&sides[1 - index], point);
                let times = f64::from(winding);
                if winding == 0 {
                    continue;
                } else if *is_crossed {
                    let group = self.bodies[index].group(shell.vertex).unwrap_or(0);
                    self.loops.groups[group as usize].inside[index].add(&shell.total, times);
                } else {
                    uncrossed.get_or_insert((0.0, point)).0 += times * shell.volume;
                }
            }
        }
        uncrossed
    }
}

impl<S: Borrow<SolidMesh>, T: Borrow<SolidMesh>> NarrowPhase<Solid<S>, Solid<T>> for MeshMesh {
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        (): &mut (),
        report: impl FnMut(ContactVolume<DVec3>),
    ) {
        self.for_each_contact_and_segment(a, b, report, |_| ());
    }
}

/// What the sums say, in the world.
pub(super) fn contact(sums: &Sums, origin: DVec3, pose: &Pose3) -> ContactVolume<DVec3> {
    to_contact(sums.volume / 6.0, &sums.gradient(), origin, pose)
}

pub(super) fn to_contact(
    volume: f64,
    gradient: &Gradient,
    origin: DVec3,
    pose: &Pose3,
) -> ContactVolume<DVec3> {
    let kind = if volume > 0.0 {
        IntersectionKind::Crossing
    } else {
        IntersectionKind::Touching
    };
    let moment = gradient.moment - gradient.point.cross(gradient.area);
    ContactVolume {
        kind,
        volume: volume.max(0.0),
        area_vector: pose.transform_vector(gradient.area),
        point: pose.transform_point(origin + gradient.point),
        moment_vector: pose.transform_vector(moment),
    }
}

/// A segment in the world, for the bodies in the order in which they were given.
fn to_world(segment: &Segment, sides: &[Side; 2], pose: &Pose3, is_swapped: bool) -> CurveSegment {
    let facets = [0, 1].map(|i| sides[i].solid.triangles()[segment.faces[i] as usize].facet);
    let mut ends = segment.ends.map(|end| {
        let solid = sides[end.body].solid;
        let triangle = &solid.triangles()[segment.faces[end.body] as usize];
        CurveNode {
            position: pose.transform_point(end.position),
            is_edge_of_first: (end.body == 0) != is_swapped,
            edge: solid.edges()[triangle.sides[end.side] as usize / 2],
            facet: facets[1 - end.body],
        }
    });
    let mut facets = facets;
    if is_swapped {
        ends.reverse();
        facets.reverse();
    }
    CurveSegment {
        ends,
        facets,
        contact: segment.group,
    }
}
