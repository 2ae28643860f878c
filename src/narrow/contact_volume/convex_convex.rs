use std::borrow::Borrow;
use std::cmp::Ordering;
use std::f64::consts::PI;

use glam::DVec3;
use smallvec::SmallVec;

use super::clip::{Clip, ClipEdge, Vertex};
use super::cutter::Cutter;
use super::inside::double_area;
use super::sums::{Sums, Volume};
use super::{ContactVolume, VolumeState};
use crate::math::tolerance::two_to;
use crate::math::{MatrixPose, Pose3};
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::narrow::scene::Scene;
use crate::shape::{ConvexPolyhedron, Placed};

/// A bound of the distance between a vertex of the clipped body and the planes of its faces, relative to the sum of all
/// lengths.
const HEIGHT: f64 = two_to(-48);

/// Intersection volume of two convex polyhedra, and its gradient: at most one contact.
///
/// The half-spaces of one body cut the other body (Feng 2021, section 3.1). Only faces that may cut
/// are used, in the order of their depth, the deepest first. Results agree with
/// [`MeshMesh`](super::MeshMesh) to rounding, and so does the distinction of crossing and nested
/// bodies. This kernel is 2.6 to 7 times as fast, for 8 to 50 vertices.
///
/// The error of V is a few eps L times the area of the intersection's surface, where L is the size of the bodies.
/// [`error_bound`](ContactVolume::error_bound) is a bound. Where rounding decides on which side of a plane a vertex is, S and G take one
/// of the possible values. The clipped surface is closed for any signs. Swapping the bodies negates S
/// and G exactly.
///
/// Cost: 1.8 µs for 14 vertices at an intersection of 10 %. It is O(n log n) for n faces, and O(m)
/// for each face that may cut, where m is the number of edges left. If a face separates the pair, the
/// cost is little more than the first term. No allocation once the buffers have grown.
///
/// ```
/// use osculate::{ConvexConvex, ConvexPolyhedron, NarrowPhase, Placed, Pose3, glam::DVec3};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = ConvexPolyhedron::from_convex_hull(&corners)?;
/// let a = Placed::new(&tetrahedron, Pose3::IDENTITY);
/// let b = Placed::new(&tetrahedron, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// let contact = ConvexConvex::new().contact(&a, &b).unwrap();
/// assert!((contact.volume - 1.0 / 48.0).abs() < 1e-15);
/// assert_eq!(contact.normal(), Some(DVec3::Z));
/// assert_eq!(contact.area(), 0.125);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConvexConvex {
    clip: Clip,
    cutter: Cutter,
    areas: Vec<DVec3>,
}

impl ConvexConvex {
    /// Creates a kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts `b` by the faces of `a`, in the frame of `a`'s planes.
    fn solve(
        &mut self,
        [a, b]: [&ConvexPolyhedron; 2],
        [pose, placed]: [&Pose3; 2],
    ) -> Option<ContactVolume<DVec3>> {
        let relative = pose.inv_mul(placed);
        let (cutting, cut) = (a.half_edges(), b.half_edges());
        let unshifted = MatrixPose::from(&relative);
        let motion = unshifted.relative_to(cutting.origin);
        let center = motion.transform_point(b.centroid());
        if !self.cutter.choose(cutting, center, cut.radius) {
            return None;
        }
        let vertices = b.vertices().iter().zip(&cut.first);
        let vertices = vertices.map(|(&position, &first)| Vertex {
            position: motion.transform_point(position),
            first,
        });
        self.clip.start(vertices, &cut.halves, &cut.corners);
        if !self.cutter.cut(&mut self.clip, cutting) {
            return None;
        }
        let first_of_a = cut.planes.len() as u32;
        if self.clip.points.len() == cut.planes.len() {
            let point = placed.transform_point(b.vertices()[0]);
            return Some(ContactVolume::nested(b.volume(), point));
        }
        let Some((sums, origin)) = self.add_up_curve(first_of_a) else {
            let point = pose.transform_point(a.vertices()[0]);
            return Some(ContactVolume::nested(a.volume(), point));
        };
        let (volume, area) = self.add_up_faces(origin);
        let sizes = [cutting.radius, cut.radius];
        let lengths = unshifted.rounded_length(cutting.origin, b.centroid().abs(), center.abs());
        let height = HEIGHT * (lengths + sizes[0] + sizes[1]);
        let error = error_bound(volume, area, height, sizes[0].min(sizes[1]));
        sums.contact(volume, error, cutting.origin + origin, pose)
    }

    /// Returns the sums over the curve and their origin, a point of it. `None` if no faces of both bodies meet; those of A
    /// start at `first_of_a`.
    fn add_up_curve(&self, first_of_a: u32) -> Option<(Sums, DVec3)> {
        let (mut sums, mut origin) = (Sums::default(), None);
        for ClipEdge { mut ends, faces } in self.clip.edges() {
            let is_of_a = faces.map(|face| face >= first_of_a);
            if is_of_a[0] != is_of_a[1] {
                if is_of_a[1] {
                    ends.reverse();
                }
                let origin = *origin.get_or_insert(ends[0]);
                sums.add_segment(ends[0] - origin, ends[1] - origin);
            }
        }
        Some((sums, origin?))
    }

    /// Returns V and the area of the surface.
    ///
    /// By the divergence theorem `6 V = sum x . 2 A`, with a point x and the area vector A of each face, relative to a
    /// point of the body.
    fn add_up_faces(&mut self, origin: DVec3) -> (f64, f64) {
        let points = &self.clip.points;
        self.areas.clear();
        self.areas.resize(points.len(), DVec3::ZERO);
        for ClipEdge {
            ends: [a, b],
            faces,
        } in self.clip.edges()
        {
            for (face, edge) in [(faces[0], [a, b]), (faces[1], [b, a])] {
                self.areas[face as usize] += double_area([points[face as usize], edge[0], edge[1]]);
            }
        }
        let (mut volume, mut area) = (Volume::default(), 0.0);
        for (&point, &double_area) in points.iter().zip(&self.areas) {
            volume.add(point - origin, double_area, 0.0);
            area += 0.5 * double_area.abs().element_sum();
        }
        (volume.volume(), area)
    }
}

/// Returns a bound of the error of V, given a bound of the distance by which rounding shifts each face.
///
/// A convex body holds a ball of radius V / A. If all its faces are shifted outwards by h, it is within the body enlarged
/// by the factor 1 + h A / V. It is also within a ball around the smaller body.
fn error_bound(volume: f64, area: f64, height: f64, radius: f64) -> f64 {
    let growth = height * area / volume;
    let ball = 4.0 * PI * radius * radius;
    (height * area * (3.0 + growth * (3.0 + growth))).min(height * ball)
}

impl<S: Borrow<ConvexPolyhedron>, T: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Placed<T>>
    for ConvexConvex
{
    type Contact = ContactVolume<DVec3>;
    type State = VolumeState;

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        state: &mut VolumeState,
        visit: impl FnMut(ContactVolume<DVec3>),
    ) {
        let stamps = [a.shape.borrow(), b.shape.borrow()].map(|shape| shape.boundary().stamp);
        let scene = Scene {
            settings: false,
            stamps,
            poses: [a.pose, b.pose],
        };
        let find = |found: &mut SmallVec<_>| {
            let pair = Ordered::new(a, b, ConvexPolyhedron::vertices, |_, _| Ordering::Equal);
            let ([shape, _], [pose, _]) = (pair.shapes, pair.poses);
            if pair.are_equal {
                let point = pose.transform_point(shape.vertices()[0]);
                found.push(ContactVolume::nested(shape.volume(), point));
            } else if let Some(contact) = self.solve(pair.shapes, pair.poses) {
                found.push(contact.swapped_if(pair.is_swapped));
            }
        };
        state.visit(scene, find, visit);
    }
}
