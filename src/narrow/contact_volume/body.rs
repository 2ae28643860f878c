use glam::{DMat3, DVec3};

use super::face::{Face, passes};
use super::near_plane::NearPlane;
use super::outside::way_out;
use crate::math::{Pose3, twofold_difference};
use crate::shape::{Aabb, Flow, SolidMesh, Triangle};

/// A solid in the common frame.
pub(super) struct Side<'a> {
    pub(super) solid: &'a SolidMesh,
    /// From the solid's own coordinates to the common frame.
    pose: Pose3,
    /// The same as a matrix; `None` if they are the same coordinates.
    motion: Option<(DMat3, DVec3)>,
    /// Its box, or a larger one.
    pub(super) bounds: Aabb<DVec3>,
    /// 1 if this solid is moved by the infinitesimal translation, else -1.
    moves: f64,
}

impl<'a> Side<'a> {
    /// The solid whose own frame is the common one.
    pub(super) fn fixed(solid: &'a SolidMesh) -> Self {
        Self {
            solid,
            pose: Pose3::IDENTITY,
            motion: None,
            bounds: bounds(solid),
            moves: 1.0,
        }
    }

    pub(super) fn placed(solid: &'a SolidMesh, pose: Pose3) -> Self {
        let turn = DMat3::from_quat(pose.rotation());
        Self {
            solid,
            pose,
            motion: Some((turn, pose.translation())),
            bounds: bounds(solid).turned(&pose),
            moves: -1.0,
        }
    }

    /// A point of the common frame in the solid's own coordinates.
    pub(super) fn to_own(&self, point: DVec3) -> DVec3 {
        match &self.motion {
            None => point,
            Some(_) => self.pose.inverse_transform_point(point),
        }
    }

    /// A vector of the common frame in the solid's own coordinates.
    pub(super) fn to_own_vector(&self, vector: DVec3) -> DVec3 {
        match &self.motion {
            None => vector,
            Some((turn, _)) => turn.transpose() * vector,
        }
    }

    /// A triangle's plane and corners relative to a point, all in the solid's own coordinates; of the corners
    /// what is rounded and the rest.
    #[cold]
    pub(super) fn near(&self, triangle: &Triangle, point: DVec3) -> (NearPlane, [[DVec3; 2]; 3]) {
        let vertices = self.solid.vertices();
        let corners = triangle.corners.map(|id| vertices[id as usize]);
        let plane = NearPlane::new(corners.into_iter(), point);
        (
            plane,
            corners.map(|corner| twofold_difference(corner, point)),
        )
    }

    /// A vector of the solid's own coordinates in the common frame.
    fn turned(&self, local: DVec3) -> DVec3 {
        match &self.motion {
            None => local,
            Some((turn, _)) => *turn * local,
        }
    }

    #[inline]
    fn to_frame(&self, local: DVec3) -> DVec3 {
        match &self.motion {
            None => local,
            Some((turn, shift)) => *turn * local + *shift,
        }
    }
}

fn bounds(solid: &SolidMesh) -> Aabb<DVec3> {
    let nothing = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ZERO,
    };
    solid.tree().bounds().unwrap_or(nothing)
}

/// What is computed of a solid for one pair, on demand, and kept while the pair is worked on.
/// A mark equal to `pair` says that an entry belongs to this pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pair: u32,
    vertices: Vec<Vertex>,
    faces: Vec<(u32, Option<Face>)>,
    /// Marks of those that cross the other surface, where contacts are separate.
    crossed: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    mark: u32,
    group_mark: u32,
    group: u32,
    position: DVec3,
}

impl Body {
    /// Forgets the last pair.
    pub(super) fn start(&mut self, solid: &SolidMesh) {
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

    /// Where a vertex is: rounded once, for all that ask.
    #[inline]
    pub(super) fn position(&mut self, side: &Side, vertex: u32) -> DVec3 {
        let state = &mut self.vertices[vertex as usize];
        if state.mark != self.pair {
            state.mark = self.pair;
            state.position = side.to_frame(side.solid.vertices()[vertex as usize]);
        }
        state.position
    }

    /// Computes a face, if that has not been done.
    #[inline]
    pub(super) fn prepare(&mut self, side: &Side, slot: usize) {
        if self.faces[slot].0 != self.pair {
            let triangle = &side.solid.triangles()[slot];
            // An array's map is not inlined here: 5 % of all.
            let [a, b, c] = triangle.corners;
            let corners = [
                self.position(side, a),
                self.position(side, b),
                self.position(side, c),
            ];
            self.faces[slot] = (self.pair, Some(Face::new(corners, triangle)));
        }
    }

    /// A face that is prepared.
    #[inline]
    pub(super) fn face(&self, slot: usize) -> Option<&Face> {
        self.faces[slot].1.as_ref()
    }

    pub(super) fn mark_crossed(&mut self, edge: u32) {
        self.crossed[edge as usize] = self.pair;
    }

    pub(super) fn is_crossed(&self, edge: u32) -> bool {
        self.crossed[edge as usize] == self.pair
    }

    /// The group that a vertex is connected to inside the other body.
    pub(super) fn group(&self, vertex: u32) -> Option<u32> {
        let state = &self.vertices[vertex as usize];
        (state.group_mark == self.pair).then_some(state.group)
    }

    pub(super) fn set_group(&mut self, vertex: u32, group: u32) {
        let state = &mut self.vertices[vertex as usize];
        (state.group_mark, state.group) = (self.pair, group);
    }

    /// Six volumes of the pyramids of a flow around a point of the common frame, from a vertex near it.
    pub(super) fn volume_of(&mut self, side: &Side, flow: &Flow, near: u32, apex: DVec3) -> f64 {
        let arm = self.position(side, near) - apex;
        flow.around(side.solid.vertices()[near as usize]) + arm.dot(side.turned(flow.area()))
    }

    /// How often this body's surface winds around a vertex of the other body: what a segment from
    /// there to the outside crosses, with the same predicates as all else.
    pub(super) fn winding_around(&mut self, side: &Side, point: DVec3) -> i32 {
        let solid = side.solid;
        let Some((outside, query)) = way_out(&bounds(solid), &side.pose, point) else {
            return 0;
        };
        let segment = [point, outside];
        let mut winding = 0;
        solid.tree().for_each_touching(&query, |facet| {
            let slot = solid.slot(facet) as usize;
            self.prepare(side, slot);
            winding += self
                .face(slot)
                .map_or(0, |face| leaves(face, segment, side.moves));
        });
        winding
    }
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, count: usize) {
    if list.len() < count {
        list.resize(count, T::default());
    }
}

/// 1 if a segment leaves through a face, -1 if it comes in, 0 if it misses it. `moves` is that of
/// the face's body.
fn leaves(face: &Face, [from, to]: [DVec3; 2], moves: f64) -> i32 {
    let (start, end) = (face.side_of(from, -moves), face.side_of(to, -moves));
    if face.is_flat || (start > 0.0) == (end > 0.0) || face.bounds.min.x > face.bounds.max.x {
        return 0;
    }
    let passes = |k: usize| {
        let side = [face.corners[k], face.corners[(k + 1) % 3]];
        if moves > 0.0 {
            passes([side, [from, to]]) > 0.0
        } else {
            passes([[from, to], side]) > 0.0
        }
    };
    let first = passes(0);
    if passes(1) != first || passes(2) != first {
        0
    } else if start < 0.0 {
        1
    } else {
        -1
    }
}
