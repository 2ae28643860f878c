//! Tetrahedral meshes: each tetrahedron is cut by those of the other body, and the exterior faces of
//! what is left are integrated (Feng 2021, section 3.2). All half-spaces cut, those of interior faces
//! too: without them parts that several tetrahedra share count several times.
//!
//! S and G are integrals over faces and not over the curve, since these do not mind how rounding
//! divides a face between neighbours: the heights of a vertex over the two sides of a face are each
//! other's negatives to the last bit, and are interpolated along edges from there on.

use std::borrow::Borrow;
use std::ops::Range;

use glam::{DMat3, DVec3};

use super::clip::{Clip, Edge, Vertex, is_out, rises};
use super::convex_convex::{Cutter, Motion};
use super::mesh_mesh::to_contact;
use super::sums::Sums;
use super::tetrahedron::{FIRST, HALF_EDGES, planes, thin_planes};
use super::thin::{Thin, is_thin, planes_near};
use super::{ContactVolume, is_first, nested};
use crate::math::Pose3;
use crate::math::tolerance::{OPEN_AREA, SLENDER_TETRAHEDRA, WHOLE_VOLUME};
use crate::narrow::NarrowPhase;
use crate::shape::{Aabb, Bounded, ConvexPolyhedron, FacePlane, Placed, TetMesh, exact_origin};

/// Two tetrahedral meshes: the volume they share and its gradient, at most one contact.
///
/// The answers are those of [`MeshMesh`](super::MeshMesh) for the surfaces, to rounding; where
/// bodies touch S and G are one of the possible values. Swapping the bodies negates S and G exactly.
/// The relative error of V is at most about 50 eps L / depth, L the largest coordinate in the frame of a
/// body.
///
/// O(k + log n) for k pairs of tetrahedra whose boxes overlap: several times what the surfaces take.
/// No allocation once the buffers have grown.
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
    thin: Thin,
}

/// A tetrahedral mesh and a convex polyhedron, in this order; [`ContactVolume::swapped`] gives the
/// contact of the other. Else as [`TetTet`].
///
/// ```
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, glam::DVec3, narrow::TetConvex, shape::TetMesh};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let (mesh, hull) = (TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]])?, ConvexPolyhedron::from_convex_hull(&corners)?);
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
    thin: Thin,
}

type Solid<S> = Placed<S, DVec3>;

impl TetTet {
    /// A kernel without memory of any pair.
    pub fn new() -> Self {
        Self::default()
    }

    fn ordered(
        &mut self,
        (a, pose): (&TetMesh, &Pose3),
        (b, placed): (&TetMesh, &Pose3),
    ) -> Option<ContactVolume<DVec3>> {
        let bodies = (a, b, &pose.inv_mul(placed));
        let volumes = [a.volume(), b.volume()];
        let origin = exact_origin(&a.bounding_box());
        let pieces = self.pieces(bodies, origin, None);
        if let Some(point) = pieces.thin_at(origin, [a.bounding_box(), b.bounding_box()]) {
            let thin = self.pieces(bodies, origin, Some(point));
            if thin.is_right() {
                return thin.contact(point, pose, volumes);
            }
        }
        pieces.contact(origin, pose, volumes)
    }

    /// In the frame of `a`, from [`exact_origin`]; of a thin part, from a point of it.
    fn pieces(
        &mut self,
        (a, b, relative): (&TetMesh, &TetMesh, &Pose3),
        origin: DVec3,
        thin_at: Option<DVec3>,
    ) -> Pieces {
        let turn = DMat3::from_quat(relative.rotation());
        let shift = relative.translation() - origin;
        let mut pieces = Pieces::default();
        let (order_a, order_b) = (a.tree().leaf_order(), b.tree().leaf_order());
        let search = |ours: Range<usize>, theirs: Range<usize>| {
            for &other in &order_b[theirs] {
                let corners = b.corners(other).map(|p| turn * p + shift);
                let planes_b = planes(&corners, b.tetrahedra()[other as usize]);
                for &own in &order_a[ours.clone()] {
                    let own_corners = a.corners(own).map(|p| p - origin);
                    let Some(heights) = heights(&own_corners, &planes_b) else {
                        continue;
                    };
                    let Some(cuts) = self.cut(own_corners, heights, &planes_b) else {
                        continue;
                    };
                    let exterior = [a.is_exterior(own), b.is_exterior(other)];
                    let Some(point) = thin_at else {
                        pieces.add(&self.clip, |face| match face {
                            0..4 => face_of(0, exterior[0][(face as usize + 3) % 4]),
                            _ => face_of(1, exterior[1][cuts[face as usize - 4]]),
                        });
                        continue;
                    };
                    let own_planes = thin_planes(a, own, point);
                    let others = thin_planes(b, other, relative.inverse_transform_point(point));
                    let others = others.map(|plane| plane.rotated(&turn));
                    let own_cuts = (0..).zip(own_planes).map(|(k, plane)| (plane, false, k));
                    let cuts = (4..).zip(others);
                    let cuts = cuts.map(|(k, plane)| (plane, rises(plane.normal), k));
                    if self
                        .thin
                        .cut(&self.clip.bounds(point - origin), own_cuts.chain(cuts))
                    {
                        pieces.add_thin(&self.thin, |number| {
                            let number = number as usize;
                            face_of(number / 4, exterior[number / 4][number % 4])
                        });
                    }
                }
            }
        };
        a.tree().for_each_leaf_pair(b.tree(), relative, search);
        pieces
    }

    /// Cuts one tetrahedron by the planes of another, over which its corners have these heights; which
    /// of them have cut, if anything is left.
    fn cut(
        &mut self,
        corners: [DVec3; 4],
        heights: [[f64; 4]; 4],
        planes: &[FacePlane; 4],
    ) -> Option<[usize; 4]> {
        let vertices = (0..4).map(|i| Vertex {
            position: corners[i],
            heights: heights[i],
            first: FIRST[i],
        });
        self.clip.start(vertices, &HALF_EDGES, &[0, 1, 2, 3]);
        let (mut count, mut cuts) = (0, [0; 4]);
        for (k, plane) in planes.iter().enumerate() {
            let tie_is_out = rises(plane.normal);
            if self.clip.recall(k, tie_is_out) {
                if !self.clip.cut(tie_is_out) {
                    return None;
                }
                cuts[count] = k;
                count += 1;
            }
        }
        Some(cuts)
    }
}

/// Of each corner over each plane; `None` if all are above one of them.
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

impl TetConvex {
    /// A kernel without memory of any pair.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S: Borrow<TetMesh>, T: Borrow<TetMesh>> NarrowPhase<Solid<S>, Solid<T>> for TetTet {
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        (): &mut (),
        report: impl FnMut(ContactVolume<DVec3>),
    ) {
        let (shape_a, shape_b) = (a.shape.borrow(), b.shape.borrow());
        let vertices = [shape_a.vertices(), shape_b.vertices()];
        let tetrahedra = || shape_a.tetrahedra().cmp(shape_b.tetrahedra());
        let found = match is_first([&a.pose, &b.pose], vertices, tetrahedra) {
            None => Some(nested(
                shape_a.volume(),
                a.pose.transform_point(vertices[0][0]),
            )),
            Some(true) => self.ordered((shape_a, &a.pose), (shape_b, &b.pose)),
            Some(false) => self
                .ordered((shape_b, &b.pose), (shape_a, &a.pose))
                .map(ContactVolume::swapped),
        };
        found.into_iter().for_each(report);
    }
}

impl<S: Borrow<TetMesh>, T: Borrow<ConvexPolyhedron>> NarrowPhase<Solid<S>, Solid<T>>
    for TetConvex
{
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Solid<S>,
        b: &Solid<T>,
        (): &mut (),
        report: impl FnMut(ContactVolume<DVec3>),
    ) {
        let (mesh, convex) = (a.shape.borrow(), b.shape.borrow());
        let bodies = (mesh, convex, &b.pose.inv_mul(&a.pose));
        let volumes = [mesh.volume(), convex.volume()];
        let origin = convex.half_edges().origin;
        let pieces = self.pieces(bodies, None);
        let thin = pieces
            .thin_at(origin, [mesh.bounding_box(), convex.bounding_box()])
            .map(|point| (point, self.pieces(bodies, Some(point))));
        let found = match thin.filter(|(_, thin)| thin.is_right()) {
            Some((point, thin)) => thin.contact(point, &b.pose, volumes),
            None => pieces.contact(origin, &b.pose, volumes),
        };
        found.into_iter().for_each(report);
    }
}

impl TetConvex {
    /// In the frame of the polyhedron, from the origin of its planes; of a thin part, from a point of it.
    fn pieces(
        &mut self,
        (mesh, convex, relative): (&TetMesh, &ConvexPolyhedron, &Pose3),
        thin_at: Option<DVec3>,
    ) -> Pieces {
        let (motion, cutting) = (Motion::new(relative, convex), convex.half_edges());
        let rotation = motion.turn;
        let origin = cutting.origin;
        let mut pieces = Pieces::default();
        let bounds = convex.bounding_box().turned(&relative.inverse());
        mesh.tree().for_each_touching(&bounds, |tetrahedron| {
            let corners = mesh.corners(tetrahedron).map(|p| motion.transform_point(p));
            let center = corners.iter().sum::<DVec3>() * 0.25;
            let radii = corners.map(|p| p.distance(center));
            let radius = radii.into_iter().fold(0.0, f64::max);
            if !self.cutter.choose(cutting, center, radius) {
                return;
            }
            let vertices = corners.iter().zip(FIRST);
            let vertices = vertices.map(|(&position, first)| Vertex {
                position,
                heights: [],
                first,
            });
            self.clip.start(vertices, &HALF_EDGES, &[0, 1, 2, 3]);
            if !self.cutter.cut(&mut self.clip, cutting, 1.0) {
                return;
            }
            let exterior = mesh.is_exterior(tetrahedron);
            let Some(point) = thin_at else {
                return pieces.add(&self.clip, |face| match face {
                    0..4 => face_of(0, exterior[(face as usize + 3) % 4]),
                    _ => PieceFace::Other,
                });
            };
            let planes = thin_planes(mesh, tetrahedron, relative.inverse_transform_point(point));
            let planes = planes.map(|plane| plane.rotated(&rotation));
            let own_cuts = (0..).zip(planes).map(|(k, plane)| (plane, false, k));
            let cuts = planes_near(convex, point).map(|plane| (plane, rises(plane.normal), 4));
            if self
                .thin
                .cut(&self.clip.bounds(point - origin), own_cuts.chain(cuts))
            {
                pieces.add_thin(&self.thin, |number| match number {
                    k @ 0..4 => face_of(0, exterior[k as usize]),
                    _ => PieceFace::Other,
                });
            }
        });
        pieces
    }
}

/// Which surface a face of a piece is of.
#[derive(Clone, Copy, PartialEq)]
enum PieceFace {
    /// Of the first body.
    Own,
    Other,
    /// Of none: between tetrahedra.
    Inner,
}

#[inline]
fn face_of(body: usize, is_exterior: bool) -> PieceFace {
    match (is_exterior, body) {
        (false, _) => PieceFace::Inner,
        (true, 0) => PieceFace::Own,
        (true, _) => PieceFace::Other,
    }
}

/// What is left of all tetrahedra, added up.
#[derive(Default)]
struct Pieces {
    /// 6 V.
    volume: f64,
    /// Around exterior faces of the first body: S and G.
    faces: Sums,
    /// Along the curve: the contact point.
    curve: Sums,
    has_curve: bool,
    /// Twice the area vector of all exterior faces of thin pieces: 0 if they fit together.
    open_area: DVec3,
    /// What sums are relative to: a point of what is shared.
    origin: Option<DVec3>,
}

impl Pieces {
    /// Adds one.
    fn add<const K: usize>(&mut self, clip: &Clip<K>, face_of: impl Fn(u32) -> PieceFace) {
        let near = clip.vertices[0].position;
        let origin = *self.origin.get_or_insert(near);
        let mut volume = 0.0;
        for edge in clip.edges() {
            volume += clip.six_volumes(&edge, near);
            let ([own, other], [a, b]) = (edge.faces, edge.ends);
            for (face, twin, a, b) in [(own, other, a, b), (other, own, b, a)] {
                if face_of(face) != PieceFace::Own {
                    continue;
                }
                let (a, b) = (a - origin, b - origin);
                self.faces.add_segment(a, b);
                if face_of(twin) == PieceFace::Other {
                    self.curve.add_segment(a, b);
                    self.has_curve = true;
                }
            }
        }
        let arms = clip.vertices.iter().map(|vertex| vertex.position - near);
        let size = arms.fold(0.0, |size: f64, arm| size.max(arm.length_squared()));
        self.volume += if volume < SLENDER_TETRAHEDRA * size * size.sqrt() {
            clip.slender_volumes()
        } else {
            volume
        };
    }

    /// Adds one that is cut by planes near it; `face_of` is of the planes' numbers.
    fn add_thin(&mut self, thin: &Thin, face_of: impl Fn(u32) -> PieceFace) {
        let volume = self.volume + thin.six_volumes();
        let face_of = |face: u32| face_of(thin.number(face));
        self.add(&thin.clip, face_of);
        self.volume = volume;
        let origin = self.origin.unwrap_or_default();
        for Edge { ends, faces } in thin.clip.edges() {
            let [a, b] = ends.map(|end| end - origin);
            let [own, other] = faces.map(|face| f64::from(face_of(face) != PieceFace::Inner));
            self.open_area += a.cross(b - a) * (own - other);
        }
    }

    /// A point of the part if it is thin, `origin` being what all is relative to.
    fn thin_at(&self, origin: DVec3, boxes: [Aabb<DVec3>; 2]) -> Option<DVec3> {
        let extent = boxes
            .map(|b| b.size().max_element())
            .into_iter()
            .sum::<f64>()
            * 0.5;
        let is_thin = self.has_curve && is_thin(self.volume, &self.faces, &self.curve, extent);
        self.origin.filter(|_| is_thin).map(|point| origin + point)
    }

    /// Whether a thin part has been found again. Where exterior faces of one body lie in interior faces of
    /// the other, planes near a point can leave them to both tetrahedra or to none: surfaces are then open.
    fn is_right(&self) -> bool {
        let open = self.open_area.length();
        self.has_curve && self.volume > 0.0 && open <= OPEN_AREA * self.faces.area.length()
    }

    /// The contact in the world, `None` if nothing is shared.
    fn contact(
        self,
        origin: DVec3,
        pose: &Pose3,
        volumes: [f64; 2],
    ) -> Option<ContactVolume<DVec3>> {
        let own_origin = self.origin?;
        let (volume, origin) = (self.volume / 6.0, origin + own_origin);
        if !self.has_curve {
            // A whole body where the sum is one, to rounding; else some of its parts.
            let is_sum = |whole: &f64| (volume - whole).abs() <= WHOLE_VOLUME * whole;
            let whole = volumes.into_iter().find(is_sum);
            return (volume > 0.0)
                .then(|| nested(whole.unwrap_or(volume), pose.transform_point(origin)));
        }
        let mut gradient = self.faces.gradient();
        let (area, squared) = (gradient.area, gradient.area.length_squared());
        gradient.point = self.curve.gradient().point;
        if squared > 0.0 {
            let along = area * (area.dot(gradient.point) / squared);
            gradient.point = area.cross(gradient.moment) * (1.0 / squared) + along;
        }
        Some(to_contact(volume, &gradient, origin, pose))
    }
}
