use std::cmp::Ordering;
use std::iter;

use glam::DVec3;

use super::face::{FacePredicate, passes};
use super::near_plane::NearPlane;
use crate::math::{MatrixPose, Pose3, order_of_crossings, twofold_difference};
use crate::shape::{Aabb, Flow, Triangle, Triangulation, leaves, winding_around};

/// A solid in the common frame of a pair.
pub(super) struct SolidView<'a> {
    pub(super) solid: &'a Triangulation,
    /// Takes the solid's own coordinates to the common frame.
    pose: Pose3,
    /// The same as a matrix; `None` if the solid's own frame is the common one.
    motion: Option<MatrixPose>,
    /// A box around the solid.
    pub(super) bounds: Aabb<DVec3>,
    /// 1 if the symbolic perturbation moves this solid, -1 if it moves the other one.
    pub(super) moves: f64,
}

impl<'a> SolidView<'a> {
    /// Views a solid whose own frame is the common frame.
    pub(super) fn fixed(solid: &'a Triangulation) -> Self {
        Self {
            solid,
            pose: Pose3::IDENTITY,
            motion: None,
            bounds: bounds(solid),
            moves: 1.0,
        }
    }

    /// Views the other solid, given its pose in the common frame.
    pub(super) fn placed(solid: &'a Triangulation, pose: Pose3) -> Self {
        Self {
            solid,
            pose,
            motion: Some(MatrixPose::from(&pose)),
            bounds: bounds(solid).transformed(&pose),
            moves: -1.0,
        }
    }

    /// Takes a point from the common frame to the solid's own coordinates.
    pub(super) fn to_own(&self, point: DVec3) -> DVec3 {
        match self.motion {
            None => point,
            Some(_) => self.pose.inverse_transform_point(point),
        }
    }

    /// Takes a vector from the common frame to the solid's own coordinates.
    pub(super) fn to_own_vector(&self, vector: DVec3) -> DVec3 {
        match &self.motion {
            None => vector,
            Some(motion) => motion.inverse_transform_vector(vector),
        }
    }

    /// Takes a vector from the solid's own coordinates to the common frame.
    fn to_frame_vector(&self, local: DVec3) -> DVec3 {
        match &self.motion {
            None => local,
            Some(motion) => motion.transform_vector(local),
        }
    }

    #[inline]
    fn to_frame(&self, local: DVec3) -> DVec3 {
        match &self.motion {
            None => local,
            Some(motion) => motion.transform_point(local),
        }
    }

    /// Returns a triangle's plane and corners relative to a point, all in the solid's own
    /// coordinates. Each corner is a rounded value and the rest.
    #[cold]
    pub(super) fn near(&self, triangle: &Triangle, point: DVec3) -> (NearPlane, [[DVec3; 2]; 3]) {
        let vertices = self.solid.vertices();
        let corners = triangle.corners.map(|id| vertices[id as usize]);
        let plane = NearPlane::new(corners.into_iter(), point);
        let corners = corners.map(|corner| twofold_difference(corner, point));
        (plane, corners)
    }
}

fn bounds(solid: &Triangulation) -> Aabb<DVec3> {
    solid.tree().bounds().unwrap_or_default()
}

/// Vertices and faces of a solid in the common frame of a pair, computed on demand.
///
/// An entry is valid if its mark is the number of the current pair.
#[derive(Clone, Debug, Default)]
pub(super) struct ClippedSolid {
    pair: u32,
    vertices: Vec<Vertex>,
    faces: Vec<(u32, FacePredicate)>,
    /// Marks of the edges that cross the other surface, for separate contacts.
    crossed: Vec<u32>,
    /// Faces and vertices still to be computed.
    missing: [Vec<u32>; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    mark: u32,
    region_mark: u32,
    region: u32,
    position: DVec3,
}

impl ClippedSolid {
    /// Starts a new pair.
    pub(super) fn start(&mut self, solid: &Triangulation) {
        self.pair = self.pair.wrapping_add(1);
        if self.pair == 0 {
            self.vertices.clear();
            self.faces.clear();
            self.crossed.clear();
            self.pair = 1;
        }
        grow(&mut self.vertices, solid.vertices().len());
        grow(&mut self.faces, solid.triangles().len());
        grow(&mut self.crossed, solid.edges().len());
    }

    /// Returns the position of a vertex, rounded once for all its uses.
    #[inline]
    pub(super) fn position(&mut self, view: &SolidView, vertex: u32) -> DVec3 {
        let state = &mut self.vertices[vertex as usize];
        if state.mark != self.pair {
            state.mark = self.pair;
            state.position = view.to_frame(view.solid.vertices()[vertex as usize]);
        }
        state.position
    }

    /// Computes the given faces unless they are known. Missing faces and vertices are collected first, without
    /// branches.
    pub(super) fn prepare(&mut self, view: &SolidView, slots: impl Iterator<Item = u32> + Clone) {
        let [faces, vertices] = &mut self.missing;
        let mut count = 0;
        faces.resize(slots.clone().count(), 0);
        for slot in slots {
            let mark = &mut self.faces[slot as usize].0;
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
            let position = view.to_frame(view.solid.vertices()[vertex as usize]);
            self.vertices[vertex as usize].position = position;
        }
        for &slot in &*faces {
            let triangle = &view.solid.triangles()[slot as usize];
            let [a, b, c] = triangle.corners;
            let corners = [a, b, c].map(|vertex| self.vertices[vertex as usize].position);
            self.faces[slot as usize].1 = FacePredicate::new(corners, triangle);
        }
    }

    /// Returns a prepared face.
    #[inline]
    pub(super) fn face(&self, slot: u32) -> &FacePredicate {
        &self.faces[slot as usize].1
    }

    /// Returns the order in which an edge of the other solid crosses two prepared faces. `moves`
    /// belongs to the other solid.
    pub(super) fn order_along(&self, edge: [DVec3; 2], slots: [u32; 2], moves: f64) -> Ordering {
        order_of_crossings(edge, slots.map(|slot| self.face(slot).corners), moves)
    }

    pub(super) fn mark_crossed(&mut self, edge: u32) {
        self.crossed[edge as usize] = self.pair;
    }

    pub(super) fn is_crossed(&self, edge: u32) -> bool {
        self.crossed[edge as usize] == self.pair
    }

    /// Returns the region that a vertex inside the other body belongs to.
    pub(super) fn region(&self, vertex: u32) -> Option<u32> {
        let state = &self.vertices[vertex as usize];
        (state.region_mark == self.pair).then_some(state.region)
    }

    pub(super) fn set_region(&mut self, vertex: u32, region: u32) {
        let state = &mut self.vertices[vertex as usize];
        (state.region_mark, state.region) = (self.pair, region);
    }

    /// Returns six times the volume of a flow's pyramids from `apex`, a point of the common frame near
    /// the vertex `near`.
    pub(super) fn volume_of(
        &mut self,
        view: &SolidView,
        flow: &Flow,
        near: u32,
        apex: DVec3,
    ) -> f64 {
        let arm = self.position(view, near) - apex;
        flow.around(view.solid.vertices()[near as usize])
            + arm.dot(view.to_frame_vector(flow.area()))
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
        self.prepare(view, iter::once(slot));
        let face = self.face(slot);
        if face.is_flat || face.bounds.min.x > face.bounds.max.x {
            return 0;
        }
        let ends = segment.map(|point| face.side_of(point, -view.moves));
        leaves(ends, |k| {
            let edge = face.edge(k);
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
