//! Intersection volumes of tetrahedral meshes (Feng 2021, section 3.2). Each tetrahedron is cut by
//! those of the other body, and the exterior faces of the pieces are integrated.
//!
//! Half-spaces of interior faces cut too. Without them, pieces that several tetrahedra share would
//! count several times. S and G are integrals over faces, not along the curve. They therefore do not
//! depend on how rounding divides a face between neighbors. The heights of a vertex over the two sides
//! of a face are negatives of each other to the last bit. Heights of other points are interpolated
//! from them along edges.
//!
//! [`MeshMesh`](super::MeshMesh) on the surfaces gives the same results several times as fast. These
//! kernels stay because they reproduce the paper's method and check `MeshMesh` independently.

use std::borrow::Borrow;
use std::ops::Range;

use glam::DVec3;

use super::ContactVolume;
use super::clip::{Clip, is_out, rises};
use super::cutter::Cutter;
use super::pieces::{PieceFace, Pieces, face_of};
use super::tetrahedron::{planes, thin_planes};
use super::thin::{ThinPart, planes_near};
use crate::math::{MatrixPose, Pose3};
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{Bounded, ConvexPolyhedron, FacePlane, Placed, TetMesh, exact_origin};

/// Intersection volume of two tetrahedral meshes, and its gradient: at most one contact.
///
/// [`MeshMesh`](super::MeshMesh) on [`TetMesh::to_solid`] gives the same results to rounding and is
/// several times as fast, so prefer it. For touching bodies S and G take one of the possible values.
/// Swapping the bodies negates S and G exactly. The relative error of V is at most about 50 eps L /
/// depth, where L is the largest coordinate in the frame of a body.
///
/// Cost: O(k + log n) for k pairs of tetrahedra with overlapping boxes. No allocation once the buffers
/// have grown.
///
/// ```
/// use osculate::{NarrowPhase, Placed, Pose3, glam::DVec3, narrow::TetTet, shape::TetMesh};
///
/// let tetrahedron = TetMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     vec![[0, 1, 2, 3]],
/// )?;
/// let a = Placed::new(&tetrahedron, Pose3::IDENTITY);
/// let b = Placed::new(&tetrahedron, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// let contact = TetTet::new().contact(&a, &b).unwrap();
/// assert!((contact.volume - 1.0 / 48.0).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TetTet {
    clip: Clip<4>,
    thin: ThinPart,
}

/// Intersection volume of a tetrahedral mesh and a convex polyhedron, in this order.
///
/// Otherwise as [`TetTet`]. [`ContactVolume::swapped`] gives the contact in the other order.
///
/// ```
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, glam::DVec3};
/// use osculate::{narrow::TetConvex, shape::TetMesh};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]])?;
/// let hull = ConvexPolyhedron::from_convex_hull(&corners)?;
/// let a = Placed::new(&mesh, Pose3::IDENTITY);
/// let b = Placed::new(&hull, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// let contact = TetConvex::new().contact(&a, &b).unwrap();
/// assert!((contact.volume - 1.0 / 48.0).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TetConvex {
    clip: Clip<0>,
    cutter: Cutter,
    thin: ThinPart,
}

impl TetTet {
    /// Creates a kernel.
    pub fn new() -> Self {
        Self::default()
    }

    fn solve(
        &mut self,
        [a, b]: [&TetMesh; 2],
        [pose, placed]: [&Pose3; 2],
    ) -> Option<ContactVolume<DVec3>> {
        let relative = pose.inv_mul(placed);
        let origin = exact_origin(&a.bounding_box());
        let boxes = [a.bounding_box(), b.bounding_box()];
        let pieces = |thin_at| self.pieces([a, b], &relative, origin, thin_at);
        let (pieces, origin) = Pieces::refined(pieces, origin, boxes);
        pieces.contact(origin, pose, [a.volume(), b.volume()])
    }

    /// Cuts in the frame of `a`, relative to `origin`. If the intersection is thin, cuts again with
    /// planes relative to its point `thin_at`.
    fn pieces(
        &mut self,
        [a, b]: [&TetMesh; 2],
        relative: &Pose3,
        origin: DVec3,
        thin_at: Option<DVec3>,
    ) -> Pieces {
        let motion = MatrixPose::from(relative).relative_to(origin);
        let mut pieces = Pieces::default();
        let (order_a, order_b) = (a.tree().leaf_order(), b.tree().leaf_order());
        let search = |ours: Range<usize>, theirs: Range<usize>| {
            for &other in &order_b[theirs] {
                let corners = b.corners(other).map(|p| motion.transform_point(p));
                let planes_b = planes(&corners, b.tetrahedra()[other as usize]);
                for &own in &order_a[ours.clone()] {
                    let own_corners = a.corners(own).map(|p| p - origin);
                    let Some(heights) = heights(&own_corners, &planes_b) else {
                        continue;
                    };
                    let Some(planes) = self.cut(&own_corners, heights, &planes_b) else {
                        continue;
                    };
                    let exterior = [a.is_exterior(own), b.is_exterior(other)];
                    let face_of = |plane: u32| {
                        let (body, face) = (plane as usize / 4, plane as usize % 4);
                        face_of(body, exterior[body][face])
                    };
                    let Some(point) = thin_at else {
                        pieces.add(&self.clip, |face| face_of(planes[face as usize]));
                        continue;
                    };
                    let own_planes = thin_planes(a, own, point);
                    let others = thin_planes(b, other, relative.inverse_transform_point(point));
                    let others = others.map(|plane| plane.rotated(&motion.rotation));
                    let rough = self.clip.bounds(point - origin);
                    if self.thin.cut(&rough, own_planes, others, 1.0) {
                        pieces.add_thin(&self.thin, face_of);
                    }
                }
            }
        };
        a.tree().for_each_leaf_pair(b.tree(), relative, search);
        pieces
    }

    /// Cuts a tetrahedron by the planes of another one, given the heights of its corners over them.
    /// Returns the plane of each face, the other tetrahedron's from 4 on; `None` if nothing is left.
    fn cut(
        &mut self,
        corners: &[DVec3; 4],
        heights: [[f64; 4]; 4],
        planes: &[FacePlane; 4],
    ) -> Option<[u32; 8]> {
        self.clip.start_tetrahedron(corners, heights);
        let (mut count, mut plane_of) = (4, [0, 1, 2, 3, 0, 0, 0, 0]);
        for (k, plane) in planes.iter().enumerate() {
            let tie_is_out = rises(plane.normal);
            if self.clip.recall(k, tie_is_out) {
                if !self.clip.cut(tie_is_out) {
                    return None;
                }
                plane_of[count] = 4 + k as u32;
                count += 1;
            }
        }
        Some(plane_of)
    }
}

/// Returns the height of each corner over each plane; `None` if all are above one plane.
#[inline]
fn heights(corners: &[DVec3; 4], planes: &[FacePlane; 4]) -> Option<[[f64; 4]; 4]> {
    let mut heights = [[0.0; 4]; 4];
    for (k, plane) in planes.iter().enumerate() {
        let tie_is_out = rises(plane.normal);
        let mut above = 0;
        for (corner, heights) in corners.iter().zip(&mut heights) {
            heights[k] = plane.height(*corner);
            above += usize::from(is_out(heights[k], tie_is_out));
        }
        if above == 4 {
            return None;
        }
    }
    Some(heights)
}

impl<S: Borrow<TetMesh>, T: Borrow<TetMesh>> NarrowPhase<Placed<S>, Placed<T>> for TetTet {
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        (): &mut (),
        mut visit: impl FnMut(ContactVolume<DVec3>),
    ) {
        let pair = Ordered::new(a, b, TetMesh::vertices, |a, b| {
            a.tetrahedra().cmp(b.tetrahedra())
        });
        let ([shape, _], [pose, _]) = (pair.shapes, pair.poses);
        if pair.are_equal {
            let point = pose.transform_point(shape.vertices()[0]);
            visit(ContactVolume::nested(shape.volume(), point));
        } else if let Some(contact) = self.solve(pair.shapes, pair.poses) {
            visit(contact.swapped_if(pair.is_swapped));
        }
    }
}

impl<S: Borrow<TetMesh>, T: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Placed<T>>
    for TetConvex
{
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        (): &mut (),
        visit: impl FnMut(ContactVolume<DVec3>),
    ) {
        let (mesh, convex) = (a.shape.borrow(), b.shape.borrow());
        let relative = b.pose.inv_mul(&a.pose);
        let origin = convex.half_edges().origin;
        let boxes = [mesh.bounding_box(), convex.bounding_box()];
        let pieces = |thin_at| self.pieces(mesh, convex, &relative, thin_at);
        let (pieces, origin) = Pieces::refined(pieces, origin, boxes);
        let contact = pieces.contact(origin, &b.pose, [mesh.volume(), convex.volume()]);
        contact.into_iter().for_each(visit);
    }
}

impl TetConvex {
    /// Creates a kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts in the frame of the polyhedron's planes. If the intersection is thin, cuts again with
    /// planes relative to its point `thin_at`.
    fn pieces(
        &mut self,
        mesh: &TetMesh,
        convex: &ConvexPolyhedron,
        relative: &Pose3,
        thin_at: Option<DVec3>,
    ) -> Pieces {
        let cutting = convex.half_edges();
        let motion = MatrixPose::from(relative).relative_to(cutting.origin);
        let mut pieces = Pieces::default();
        let bounds = convex.bounding_box().transformed(&relative.inverse());
        mesh.tree().for_each_touching(&bounds, |tetrahedron| {
            let corners = mesh.corners(tetrahedron).map(|p| motion.transform_point(p));
            let center = corners.iter().sum::<DVec3>() * 0.25;
            let radii = corners.map(|p| p.distance(center));
            let radius = radii.into_iter().fold(0.0, f64::max);
            if !self.cutter.choose(cutting, center, radius) {
                return;
            }
            self.clip.start_tetrahedron(&corners, [[]; 4]);
            if !self.cutter.cut(&mut self.clip, cutting, 1.0) {
                return;
            }
            let exterior = mesh.is_exterior(tetrahedron);
            let face_of = |plane: u32| match plane {
                0..4 => face_of(0, exterior[plane as usize]),
                _ => PieceFace::Other,
            };
            let Some(point) = thin_at else {
                return pieces.add(&self.clip, face_of);
            };
            let planes = thin_planes(mesh, tetrahedron, relative.inverse_transform_point(point));
            let planes = planes.map(|plane| plane.rotated(&motion.rotation));
            let others = planes_near(convex, point);
            let rough = self.clip.bounds(point - cutting.origin);
            if self.thin.cut(&rough, planes, others, 1.0) {
                pieces.add_thin(&self.thin, face_of);
            }
        });
        pieces
    }
}
