use std::iter;

use glam::DVec3;

use super::crossing::Face;
use crate::math::predicates::{SignedTriangle, leaves, passes};
use crate::math::tolerance::two_to;
use crate::math::{MatrixPose, Pose3};
use crate::shape::{Aabb, SolidMesh, winding_around};

/// A vertex in the common frame, relative to the sum of the coordinates: about 12 roundings of rotation, pose and
/// products.
const VERTEX: f64 = two_to(-49);

/// A solid in the common frame of a pair.
pub(super) struct SolidView<'a> {
    pub(super) solid: &'a SolidMesh,
    /// Takes the solid's own coordinates to the common frame.
    pose: Pose3,
    motion: Motion,
    /// A bound of the rounding of a vertex.
    pub(super) rounding: f64,
    /// A box around the solid in the common frame.
    pub(super) bounds: Aabb<DVec3>,
    /// 1 if the symbolic perturbation moves this solid, -1 if it moves the other one.
    pub(super) moves: f64,
}

/// The same as `pose`, for many points.
enum Motion {
    /// A shift without rounding.
    Exact(DVec3),
    Rounded(MatrixPose),
}

/// Views two solids in the frame of the first; `relative` is the pose of the second there. `None` if their boxes are
/// apart. Returns also the origin of the common frame: a point from which differences are exact, near both bodies.
pub(super) fn views<'a>(
    [first, second]: [&'a SolidMesh; 2],
    relative: &Pose3,
) -> Option<([SolidView<'a>; 2], DVec3)> {
    let bounds = [first, second].map(|solid| solid.tree().bounds().unwrap_or_default());
    let bounds = [bounds[0], bounds[1].transformed(relative)];
    if !bounds[0].touches(&bounds[1]) {
        return None;
    }
    let origin = bounds[0].union(&bounds[1]).exact_origin();
    let [near, placed] = bounds.map(|bounds| bounds.relative_to(origin));
    let motion = MatrixPose::from(relative);
    let local = second.tree().bounds().unwrap_or_default().farthest();
    let rounding = VERTEX * motion.rounded_length(origin, local, placed.farthest());
    Some((
        [
            SolidView {
                solid: first,
                pose: Pose3::IDENTITY.relative_to(origin),
                motion: Motion::Exact(origin),
                rounding: 0.0,
                bounds: near,
                moves: 1.0,
            },
            SolidView {
                solid: second,
                pose: relative.relative_to(origin),
                motion: Motion::Rounded(motion.relative_to(origin)),
                rounding,
                bounds: placed,
                moves: -1.0,
            },
        ],
        origin,
    ))
}

impl SolidView<'_> {
    /// Returns the position of a vertex in the common frame, with the same bits at each call.
    #[inline]
    pub(super) fn vertex(&self, id: u32) -> DVec3 {
        let local = self.solid.vertices()[id as usize];
        match &self.motion {
            Motion::Exact(origin) => local - origin,
            Motion::Rounded(motion) => motion.transform_point(local),
        }
    }

    #[inline]
    pub(super) fn rotate(&self, local: DVec3) -> DVec3 {
        match &self.motion {
            Motion::Exact(_) => local,
            Motion::Rounded(motion) => motion.transform_vector(local),
        }
    }
}

/// Vertices and faces of a solid in the common frame of a pair, computed on demand.
///
/// An entry is valid if its mark is the number of the current pair.
#[derive(Clone, Debug, Default)]
pub(super) struct ClippedSolid {
    pair: u32,
    vertices: Vec<Vertex>,
    /// Marks of the boxes and of the faces.
    marks: [Vec<u32>; 2],
    boxes: Vec<Aabb<DVec3>>,
    faces: Vec<Face>,
    /// The regions of vertices inside the other body.
    regions: Vec<(u32, u32)>,
    /// Marks of the edges that cross the other surface, of those that do so several times, and of the corners of
    /// triangles on the curve.
    crossed: [Vec<u32>; 3],
    /// The last part inside of each triangle on the curve, while the parts are added up.
    parts: Vec<Option<u32>>,
    /// Boxes and vertices still to be computed.
    missing: [Vec<u32>; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    mark: u32,
    position: DVec3,
}

impl ClippedSolid {
    /// Starts a new pair.
    pub(super) fn start(&mut self, solid: &SolidMesh) {
        // Numbers repeat after 2^32 pairs: then no mark may be left.
        if self.pair == u32::MAX {
            *self = Self::default();
        }
        self.pair += 1;
        grow(&mut self.vertices, solid.vertices().len());
        for marks in &mut self.marks {
            grow(marks, solid.triangles().len());
        }
        grow(&mut self.boxes, solid.triangles().len());
        grow(&mut self.faces, solid.triangles().len());
        grow(&mut self.regions, solid.vertices().len());
        let [once, again, vertices] = &mut self.crossed;
        grow(once, solid.edges().len());
        grow(again, solid.edges().len());
        grow(vertices, solid.vertices().len());
        grow(&mut self.parts, solid.triangles().len());
    }

    /// Computes the boxes of the given faces unless they are known. Missing boxes and vertices are collected first, without
    /// branches.
    pub(super) fn prepare_boxes(
        &mut self,
        view: &SolidView,
        slots: impl Iterator<Item = u32> + Clone,
    ) {
        let [faces, vertices] = &mut self.missing;
        let mut count = 0;
        faces.resize(slots.clone().count(), 0);
        for slot in slots {
            let mark = &mut self.marks[0][slot as usize];
            faces[count] = slot;
            count += usize::from(*mark != self.pair);
            *mark = self.pair;
        }
        faces.truncate(count);
        count = 0;
        vertices.resize(3 * faces.len(), 0);
        for &slot in &*faces {
            for vertex in view.solid.triangles()[slot as usize].corners {
                let mark = &mut self.vertices[vertex as usize].mark;
                vertices[count] = vertex;
                count += usize::from(*mark != self.pair);
                *mark = self.pair;
            }
        }
        for &vertex in &vertices[..count] {
            self.vertices[vertex as usize].position = view.vertex(vertex);
        }
        for &slot in &*faces {
            let triangle = &view.solid.triangles()[slot as usize];
            let [a, b, c] = triangle.corners;
            let [a, b, c] = [a, b, c].map(|vertex| self.vertices[vertex as usize].position);
            let mut bounds = Aabb {
                min: a.min(b).min(c),
                max: a.max(b).max(c),
            };
            if triangle.is_folded() {
                // An empty box, which touches nothing.
                std::mem::swap(&mut bounds.min, &mut bounds.max);
                bounds.min += DVec3::INFINITY;
            }
            self.boxes[slot as usize] = bounds;
        }
    }

    /// Returns the box of a face that is known.
    #[inline]
    pub(super) fn bounds(&self, slot: u32) -> &Aabb<DVec3> {
        &self.boxes[slot as usize]
    }

    /// Computes a face with a known box unless it is known.
    #[inline]
    pub(super) fn prepare(&mut self, view: &SolidView, slot: u32) {
        let mark = &mut self.marks[1][slot as usize];
        if *mark != self.pair {
            *mark = self.pair;
            let triangle = &view.solid.triangles()[slot as usize];
            let [a, b, c] = triangle.corners;
            let corners = [a, b, c].map(|vertex| self.vertices[vertex as usize].position);
            self.faces[slot as usize] = Face {
                triangle: SignedTriangle::new(corners, self.boxes[slot as usize].size()),
                sides: triangle.sides,
            };
        }
    }

    /// Returns a prepared face.
    #[inline]
    pub(super) fn face(&self, slot: u32) -> &Face {
        &self.faces[slot as usize]
    }

    pub(super) fn mark_crossed(&mut self, edge: u32) {
        let is_again = usize::from(self.is_crossed(edge));
        self.crossed[is_again][edge as usize] = self.pair;
    }

    pub(super) fn mark_near_curve(&mut self, corners: [u32; 3]) {
        for vertex in corners {
            self.crossed[2][vertex as usize] = self.pair;
        }
    }

    pub(super) fn is_crossed(&self, edge: u32) -> bool {
        self.crossed[0][edge as usize] == self.pair
    }

    pub(super) fn is_crossed_again(&self, edge: u32) -> bool {
        self.crossed[1][edge as usize] == self.pair
    }

    /// Returns whether the curve is on any triangle at a vertex.
    pub(super) fn is_near_curve(&self, vertex: u32) -> bool {
        self.crossed[2][vertex as usize] == self.pair
    }

    /// Returns the region that a vertex inside the other body belongs to.
    pub(super) fn region(&self, vertex: u32) -> Option<u32> {
        let (mark, region) = self.regions[vertex as usize];
        (mark == self.pair).then_some(region)
    }

    pub(super) fn set_region(&mut self, vertex: u32, region: u32) {
        self.regions[vertex as usize] = (self.pair, region);
    }

    /// Returns the last part inside of a triangle, `None` if the triangle is not on the curve.
    #[inline]
    pub(super) fn part(&self, slot: u32) -> Option<u32> {
        self.parts[slot as usize]
    }

    pub(super) fn set_part(&mut self, slot: u32, part: Option<u32>) {
        self.parts[slot as usize] = part;
    }

    /// Returns how often this solid's surface winds around a vertex of the other solid.
    ///
    /// Counts the crossings of a segment from the vertex to the outside, with the same predicates as
    /// the intersection curve.
    pub(super) fn winding_around(&mut self, view: &SolidView, point: DVec3) -> i32 {
        winding_around(view.solid.tree(), &view.pose, point, |facet, segment| {
            self.leaves(view, facet, segment)
        })
    }

    /// Returns 1 if a segment leaves through a facet, -1 if it enters and 0 if it misses.
    fn leaves(&mut self, view: &SolidView, facet: u32, segment: [DVec3; 2]) -> i32 {
        let slot = view.solid.slot(facet);
        if view.solid.triangles()[slot as usize].is_folded() {
            return 0;
        }
        self.prepare_boxes(view, iter::once(slot));
        self.prepare(view, slot);
        let face = self.face(slot);
        let ends = segment.map(|point| face.triangle.side_of(point, -view.moves));
        leaves(ends, |k| {
            let edge = face.triangle.edge(k);
            passes(if view.moves > 0.0 {
                [edge, segment]
            } else {
                [segment, edge]
            })
        })
    }
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, count: usize) {
    if list.len() < count {
        list.resize(count, T::default());
    }
}
