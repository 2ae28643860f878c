use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec3;

use super::body::{Body, Side};
use super::crossing::{Crossing, cross, is_tied};
use super::sums::{Gradient, Sums};
use super::volume::{Groups, Scratch};
use super::{ContactVolume, Overlap, nested};
use crate::math::Pose3;
use crate::narrow::NarrowPhase;
use crate::shape::{Parts, Placed, SolidTree};

/// Two closed triangle meshes of any shape, at any poses: the volume they share and its gradient.
///
/// One contact for a pair, or one for each part of the volume ([`separate`](MeshMesh::separate)).
/// Bodies that do not share volume have none, unless their surfaces touch and happen to count as
/// crossing ([`Overlap::Touching`]).
///
/// The curve in which the surfaces cross always closes, whatever the poses: one body's vertices
/// are rounded once into the other's frame, all signs are exact from there, and where one is 0 it
/// is that after an infinitesimal translation of one of the bodies. So coplanar and touching faces
/// are taken as in a pose as near as may be: the volume is right, S and G are one of the possible
/// values. Swapping the bodies negates S and G exactly. (The body that is moved, and whose frame is
/// used, is that with the lower translation, lexicographically; of bodies that are equal in pose and
/// shape neither is, and S = G = 0.)
///
/// O(k + log n) for a curve through k triangles; the volume takes as much again as there are
/// triangles inside. No allocation once the buffers have grown, about 250 bytes a triangle.
///
/// ```
/// use osculate::{ContactVolume, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh, SolidTree};
/// use osculate::glam::DVec3;
///
/// let tetrahedron = SolidMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// )?;
/// let tree = SolidTree::from(tetrahedron);
/// let a = Placed { shape: &tree, pose: Pose3::IDENTITY };
/// let b = Placed { shape: &tree, pose: Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))? };
/// let mut found: Option<ContactVolume<DVec3>> = None;
/// MeshMesh::new().contacts(&a, &b, &mut (), |contact| found = Some(contact));
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
    groups: Groups,
    scratch: Scratch,
    nodes: Vec<([u32; 3], u32)>,
    shells: Vec<bool>,
    numbers: Vec<u32>,
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

/// Where an edge of one body crosses a facet of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveNode {
    /// Where it is.
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
    /// Where parts cannot be told apart by edges and vertices (a loop around another in the same
    /// triangle) all are one contact.
    pub fn separate() -> Self {
        Self {
            is_separate: true,
            ..Self::default()
        }
    }

    /// [`contacts`](NarrowPhase::contacts), and the segments of the curve, in no particular order
    /// and before the contacts.
    pub fn contacts_and_curve<S: Borrow<SolidTree>, T: Borrow<SolidTree>>(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        mut report: impl FnMut(ContactVolume<DVec3>),
        mut curve: impl FnMut(CurveSegment),
    ) {
        let (shape_a, shape_b) = (a.shape.borrow(), b.shape.borrow());
        let order = compare(&a.pose, &b.pose).then_with(|| compare_solids(shape_a, shape_b));
        let is_swapped = order == Ordering::Greater;
        let [(first, pose), (second, placed)] = if is_swapped {
            [(shape_b, b.pose), (shape_a, a.pose)]
        } else {
            [(shape_a, a.pose), (shape_b, b.pose)]
        };
        let sides = [
            Side::fixed(first),
            Side::placed(second, pose.relative(&placed)),
        ];
        if !sides[0].bounds.touches(&sides[1].bounds) {
            return;
        }
        if order == Ordering::Equal {
            let volume = first.solid().volume();
            return report(nested(volume, pose.point(first.vertices()[0])));
        }
        self.find_segments(&sides, &pose.relative(&placed));
        self.group_segments(&sides);
        let origin = match self.segments.first() {
            Some(segment) => segment.ends[0].position,
            None => sides[1].bounds.center(),
        };
        self.add_up(&sides, origin);
        let mut uncrossed = self.volume_of_uncrossed(&sides);
        self.merge_groups(&sides, uncrossed.map_or(0.0, |(volume, _)| volume));
        if let [sums] = &mut self.groups.sums[..]
            && let Some((volume, _)) = uncrossed.take_if(|(v, _)| !self.is_separate || *v < 0.0)
        {
            sums.volume += 6.0 * volume;
        }
        for segment in &self.segments {
            curve(to_world(segment, &sides, &pose, is_swapped));
        }
        for (group, sums) in (0..).zip(&self.groups.sums) {
            let mut contact = contact(sums, origin, &pose);
            // Surfaces that cross without a tie share some volume, even if it is rounded to nothing.
            if contact.overlap == Overlap::Touching && !self.is_tied(group) {
                contact.overlap = Overlap::Partial;
            }
            report(if is_swapped {
                contact.swapped()
            } else {
                contact
            });
        }
        if let Some((volume, point)) = uncrossed {
            report(nested(volume, pose.point(point)));
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
        let trees = [first, second].map(|side| side.solid.boxes());
        trees[0].for_each_leaf_pair(trees[1], relative, |ours, theirs| {
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
        });
    }

    /// Gives each closed loop a group of its own, if contacts are to be separate.
    fn group_segments(&mut self, sides: &[Side; 2]) {
        let parts = &mut self.groups.parts;
        self.groups.sums.clear();
        if !self.is_separate {
            let count = self.segments.len().min(1);
            self.groups.sums.resize(count, Sums::default());
            return parts.reset(count);
        }
        parts.reset(self.segments.len());
        self.nodes.clear();
        for (i, segment) in (0..).zip(&self.segments) {
            for end in &segment.ends {
                let (own, other) = (segment.faces[end.body], segment.faces[1 - end.body]);
                let triangle = &sides[end.body].solid.triangles()[own as usize];
                let edge = triangle.sides[end.side] / 2;
                self.nodes.push(([end.body as u32, edge, other], i));
            }
        }
        self.nodes.sort_unstable();
        for pair in self.nodes.windows(2) {
            if pair[0].0 == pair[1].0 {
                parts.join(pair[0].1, pair[1].1);
            }
        }
        // A root is the lowest of its part, and so comes first.
        for i in 0..self.segments.len() {
            let root = parts.root(i as u32) as usize;
            self.segments[i].group = if root == i {
                self.groups.sums.push(Sums::default());
                self.groups.sums.len() as u32 - 1
            } else {
                self.segments[root].group
            };
        }
        parts.reset(self.groups.sums.len());
    }

    /// The sums of all groups.
    fn add_up(&mut self, sides: &[Side; 2], origin: DVec3) {
        for segment in &self.segments {
            let [a, b] = segment.ends.map(|end| end.position - origin);
            let sums = &mut self.groups.sums[segment.group as usize];
            sums.add_segment(a, b);
            let face = |body: usize| self.bodies[body].face(segment.faces[body] as usize);
            let (Some(on_a), Some(on_b)) = (face(0), face(1)) else {
                continue;
            };
            sums.volume += (on_a.corners[0] - on_b.corners[0]).dot(a.cross(b));
            for end in segment.ends.iter().filter(|end| end.side == 1) {
                let face = [on_a, on_b][end.body];
                let share = f64::from(end.change(face.sides[1])) * (1.0 - end.along);
                sums.volume += share * face.six_volumes(origin);
            }
        }
        if !self.segments.is_empty() {
            let (bodies, segments) = (&mut self.bodies, &self.segments);
            for index in [0, 1] {
                let groups = &mut self.groups;
                self.scratch
                    .add_inside(index, sides, bodies, segments, groups, origin);
            }
        }
    }

    /// Adds up groups that are one, and numbers those that are left.
    fn merge_groups(&mut self, sides: &[Side; 2], uncrossed: f64) {
        let Groups { sums, parts } = &mut self.groups;
        merge(sums, parts);
        // A part with a hole may look like two, one of them negative; but for rounding.
        let size = sides[0].bounds.size().min(sides[1].bounds.size());
        let least = -size.max_element().powi(3) * f64::from_bits((1023 - 40) << 52);
        if uncrossed < 0.0 || sums.iter().any(|sums| sums.volume < least) {
            (1..sums.len()).for_each(|i| parts.join(0, i as u32));
            merge(sums, parts);
        }
        self.numbers.clear();
        let mut count = 0;
        for i in 0..sums.len() {
            let root = parts.root(i as u32) as usize;
            if root == i {
                self.numbers.push(count as u32);
                sums[count] = sums[i];
                count += 1;
            } else {
                self.numbers.push(self.numbers[root]);
            }
        }
        sums.truncate(count);
        for segment in &mut self.segments {
            segment.group = self.numbers[segment.group as usize];
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

    /// The volume inside the other body of all shells through which the curve does not run, and a
    /// vertex of the first of them.
    fn volume_of_uncrossed(&mut self, sides: &[Side; 2]) -> Option<(f64, DVec3)> {
        let mut found = None;
        for index in [0, 1] {
            let (side, outside) = (&sides[index], &sides[1 - index].bounds);
            let solid = side.solid;
            if solid.shells().len() == 1 && !self.segments.is_empty() {
                continue;
            }
            self.shells.clear();
            self.shells.resize(solid.shells().len(), false);
            for segment in &self.segments {
                let triangle = &solid.triangles()[segment.faces[index] as usize];
                self.shells[triangle.shell as usize] = true;
            }
            for (shell, _) in solid.shells().iter().zip(&self.shells).filter(|s| !s.1) {
                let point = self.bodies[index].position(side, shell.vertex);
                if point.cmplt(outside.min).any() || point.cmpgt(outside.max).any() {
                    continue;
                }
                let other = &mut self.bodies[1 - index];
                let winding = other.winding_around(&sides[1 - index], point);
                if winding != 0 {
                    let (volume, _) = found.get_or_insert((0.0, point));
                    *volume += f64::from(winding) * shell.volume;
                }
            }
        }
        found
    }
}

impl<S: Borrow<SolidTree>, T: Borrow<SolidTree>> NarrowPhase<Solid<S>, Solid<T>> for MeshMesh {
    type Contact = ContactVolume<DVec3>;
    type Memory = ();

    fn contacts(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        (): &mut (),
        report: impl FnMut(ContactVolume<DVec3>),
    ) {
        self.contacts_and_curve(a, b, report, |_| ());
    }
}

/// Moves the sums of groups that have been joined to the lowest of them.
fn merge(sums: &mut [Sums], parts: &mut Parts) {
    for i in 1..sums.len() {
        let root = parts.root(i as u32) as usize;
        if root != i {
            let own = std::mem::take(&mut sums[i]);
            sums[root].add(&own);
        }
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
    let overlap = if volume > 0.0 {
        Overlap::Partial
    } else {
        Overlap::Touching
    };
    let moment = gradient.moment - gradient.point.cross(gradient.area);
    ContactVolume {
        overlap,
        volume: volume.max(0.0),
        area_vector: pose.vector(gradient.area),
        point: pose.point(origin + gradient.point),
        moment_vector: pose.vector(moment),
    }
}

/// A segment in the world, for the bodies in the order in which they were given.
fn to_world(segment: &Segment, sides: &[Side; 2], pose: &Pose3, is_swapped: bool) -> CurveSegment {
    let facets = [0, 1].map(|i| sides[i].solid.triangles()[segment.faces[i] as usize].facet);
    let mut ends = segment.ends.map(|end| {
        let solid = sides[end.body].solid;
        let triangle = &solid.triangles()[segment.faces[end.body] as usize];
        CurveNode {
            position: pose.point(end.position),
            is_edge_of_first: (end.body == 0) != is_swapped,
            edge: solid.edges()[triangle.sides[end.side] as usize / 2].ends,
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

/// The order of two bodies, whichever way they are given: by translation, then rotation.
pub(super) fn compare(a: &Pose3, b: &Pose3) -> Ordering {
    let numbers = |pose: &Pose3| {
        let ([x, y, z], [i, j, k, w]) = (pose.translation().to_array(), pose.rotation().to_array());
        [x, y, z, i, j, k, w]
    };
    compare_numbers(numbers(a), numbers(b))
}

fn compare_solids(a: &SolidTree, b: &SolidTree) -> Ordering {
    if std::ptr::eq(a, b) {
        return Ordering::Equal;
    }
    let coordinates = |solid: &SolidTree, i: usize| solid.vertices()[i].to_array();
    let (n, m) = (a.vertices().len(), b.vertices().len());
    let by_vertices = (0..n.min(m))
        .map(|i| compare_numbers(coordinates(a, i), coordinates(b, i)))
        .find(|order| order.is_ne());
    let by_triangles = || {
        let corners = |solid: &SolidTree, i: usize| solid.triangles()[i].corners;
        let (n, m) = (a.triangles().len(), b.triangles().len());
        let mut orders = (0..n.min(m)).map(|i| corners(a, i).cmp(&corners(b, i)));
        n.cmp(&m).then(
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal),
        )
    };
    n.cmp(&m)
        .then(by_vertices.unwrap_or(Ordering::Equal))
        .then_with(by_triangles)
}

pub(super) fn compare_numbers<const N: usize>(a: [f64; N], b: [f64; N]) -> Ordering {
    // -0 and 0 are one number.
    let mut orders = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0)));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
