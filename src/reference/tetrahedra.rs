//! Intersection of tetrahedral meshes by plain clipping (Y. T. Feng, "An energy-conserving contact theory for discrete
//! element modelling of arbitrarily shaped particles: contact volume based model and computational issues", Computer
//! Methods in Applied Mechanics and Engineering 373, 2021, section 3.2).
//!
//! Each tetrahedron of one body is clipped by the half-spaces of each tetrahedron of the other body. Deviation: the
//! half-spaces of interior faces clip too. Without them a part that several tetrahedra share counts several times.

use std::borrow::Borrow;

use glam::DVec3;

use crate::shape::{Aabb, Placed, TET_FACES, TetMesh};

/// The intersection of two tetrahedral meshes, in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TetrahedraIntersection {
    /// The volume V.
    pub volume: f64,
    /// The area vector S of the first body's surface inside the second one.
    pub area_vector: DVec3,
    /// The moment vector G of the same surface about the origin: dV = S . dx + G . dθ for a motion of the first body.
    pub moment_vector: DVec3,
}

/// A face of a piece, as its border without order: each edge runs counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
struct Face {
    edges: Vec<[DVec3; 2]>,
    /// Whether the face is part of the first body's surface.
    is_own: bool,
}

/// Returns volume, area vector and moment vector of the intersection of two meshes.
///
/// Faces in one plane are resolved by rounding, so S and G then are one of several right values, and may be none of
/// them if rounding differs between neighbors. Cost: O(m n) for m and n tetrahedra. It
/// allocates. [`MeshMesh`](crate::MeshMesh) on [`TetMesh::to_solid`] is the fast way.
///
/// ```
/// use osculate::{Placed, Pose3, glam::DVec3, reference::intersect_tetrahedra, shape::TetMesh};
///
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = TetMesh::new(corners, vec![[0, 1, 2, 3]])?;
/// let a = Placed::new(&tetrahedron, Pose3::IDENTITY);
/// let b = Placed::new(&tetrahedron, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// assert!((intersect_tetrahedra(&a, &b).volume - 1.0 / 48.0).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
pub fn intersect_tetrahedra<S: Borrow<TetMesh>, T: Borrow<TetMesh>>(
    a: &Placed<S>,
    b: &Placed<T>,
) -> TetrahedraIntersection {
    let (first, second) = (a.shape.borrow(), b.shape.borrow());
    let corners = |mesh: &TetMesh, i: usize| mesh.corners(i as u32);
    let mut sum = TetrahedraIntersection::default();
    let others: Vec<_> = (0..second.tetrahedra().len())
        .map(|j| corners(second, j).map(|p| b.pose.transform_point(p)))
        .collect();
    for i in 0..first.tetrahedra().len() {
        let own = corners(first, i).map(|p| a.pose.transform_point(p));
        let is_exterior = first.is_exterior(i as u32);
        let is_near = |other: &&[DVec3; 4]| Aabb::enclosing(own).touches(&Aabb::enclosing(**other));
        for other in others.iter().filter(is_near) {
            sum.add(&clipped(&own, is_exterior, other), own[0]);
        }
    }
    sum
}

/// Returns the faces of the part of a tetrahedron inside another one.
fn clipped(own: &[DVec3; 4], is_exterior: [bool; 4], other: &[DVec3; 4]) -> Vec<Face> {
    let mut faces: Vec<Face> = (0..4)
        .map(|k| {
            let [p, q, r] = TET_FACES[k].map(|i| own[i]);
            Face {
                edges: vec![[p, q], [q, r], [r, p]],
                is_own: is_exterior[k],
            }
        })
        .collect();
    for face in TET_FACES {
        let [p, q, r] = face.map(|i| other[i]);
        let normal = (q - p).cross(r - p);
        clip(&mut faces, |x| normal.dot(x - p));
    }
    faces
}

/// Removes the part of a convex body above a plane, and closes it by a face in the plane.
fn clip(faces: &mut Vec<Face>, height: impl Fn(DVec3) -> f64) {
    let mut cap = Face::default();
    for face in faces.iter_mut() {
        let (mut enters, mut leaves) = (None, None);
        let mut edges = Vec::new();
        for &[from, to] in &face.edges {
            let (low, high) = (height(from), height(to));
            let crossing = || from + (to - from) * (low / (low - high));
            match (low <= 0.0, high <= 0.0) {
                (true, true) => edges.push([from, to]),
                (true, false) => {
                    edges.push([from, crossing()]);
                    leaves = Some(crossing());
                }
                (false, true) => {
                    edges.push([crossing(), to]);
                    enters = Some(crossing());
                }
                (false, false) => {}
            }
        }
        if let (Some(enters), Some(leaves)) = (enters, leaves) {
            edges.push([leaves, enters]);
            cap.edges.push([enters, leaves]);
        }
        face.edges = edges;
    }
    faces.push(cap);
}

impl TetrahedraIntersection {
    /// Adds a piece; `near` is a point near it.
    fn add(&mut self, faces: &[Face], near: DVec3) {
        for Face { edges, is_own } in faces {
            let Some(&[first, _]) = edges.first() else {
                continue;
            };
            for &[a, b] in edges {
                let area = (a - first).cross(b - first) * 0.5;
                self.volume += (first - near).dot(area) / 3.0;
                if *is_own {
                    self.area_vector += area;
                    self.moment_vector += ((first + a + b) / 3.0).cross(area);
                }
            }
        }
    }
}
