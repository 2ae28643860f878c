use crate::math::tolerance::two_to;
use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec3;

use super::ContactVolume;
use super::clip::{Clip, Vertex};
use super::cutter::Cutter;
use super::sums::Sums;
use super::thin::{ThinPart, is_thin, planes_near};
use crate::math::{MatrixPose, Pose3};
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{ConvexPolyhedron, Placed};

/// An intersection of convex bodies below this part of the cubed length of its curve is summed by
/// pieces of its own size. Sums along the curve would lose the remaining digits.
const SLENDER_CONVEX: f64 = two_to(-9);

/// Intersection volume of two convex polyhedra, and its gradient: at most one contact.
///
/// The half-spaces of one body cut the other body (Feng 2021, section 3.1). Only faces that may cut
/// are used, in the order of their depth, the deepest first. Results agree with
/// [`MeshMesh`](super::MeshMesh) to rounding, and so does the distinction of touching and nested
/// bodies. This kernel is 2.6 to 7 times as fast, for 8 to 50 vertices.
///
/// The relative error of V is at most about 50 eps L / depth, where L is the largest coordinate in
/// the frame of a body. Where rounding decides on which side of a plane a vertex is, S and G take one
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
    thin: ThinPart,
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
        let motion = MatrixPose::from(&relative).relative_to(cutting.origin);
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
        if !self.cutter.cut(&mut self.clip, cutting, -1.0) {
            return None;
        }
        let first_of_a = cut.planes.len() as u32;
        if self.clip.face_count() == first_of_a {
            let point = placed.transform_point(b.vertices()[0]);
            return Some(ContactVolume::nested(b.volume(), point));
        }
        let (sums, origin, has_curve) = sums(&self.clip, |face| face >= first_of_a);
        let origin = cutting.origin + origin;
        Some(if !has_curve {
            ContactVolume::nested(a.volume(), pose.transform_point(a.vertices()[0]))
        } else if is_thin(sums.volume, &sums, &sums, cutting.radius + cut.radius)
            && let Some((sums, arm)) = self.solve_thin(a, (b, &relative), origin)
        {
            sums.contact(origin + arm, pose)
        } else {
            sums.contact(origin, pose)
        })
    }

    /// Returns the sums of a thin part and their origin, from planes relative to a point of the part
    /// in the frame of `a`.
    #[cold]
    fn solve_thin(
        &mut self,
        a: &ConvexPolyhedron,
        (b, placed): (&ConvexPolyhedron, &Pose3),
        point: DVec3,
    ) -> Option<(Sums, DVec3)> {
        let rough = self.clip.bounds(point - a.half_edges().origin);
        let rotation = MatrixPose::from(placed).rotation;
        let of_b = planes_near(b, placed.inverse_transform_point(point));
        let of_b = of_b.map(|plane| plane.rotated(&rotation));
        if !self.thin.cut(&rough, of_b, planes_near(a, point), -1.0) {
            return None;
        }
        let (thin, first_of_a) = (&self.thin, b.surface().facet_count());
        let (mut sums, arm, has_curve) = sums(&thin.clip, |face| thin.number(face) >= first_of_a);
        sums.volume = thin.six_volumes();
        (has_curve && sums.volume > 0.0).then_some((sums, arm))
    }
}

impl<S: Borrow<ConvexPolyhedron>, T: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Placed<T>>
    for ConvexConvex
{
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        (): &mut (),
        mut visit: impl FnMut(ContactVolume<DVec3>),
    ) {
        let pair = Ordered::new(a, b, ConvexPolyhedron::vertices, |_, _| Ordering::Equal);
        let ([shape, _], [pose, _]) = (pair.shapes, pair.poses);
        if pair.are_equal {
            let point = pose.transform_point(shape.vertices()[0]);
            visit(ContactVolume::nested(shape.volume(), point));
        } else if let Some(contact) = self.solve(pair.shapes, pair.poses) {
            visit(contact.swapped_if(pair.is_swapped));
        }
    }
}

/// Returns the sums over a clipped body, their origin (one of its vertices), and whether faces of
/// both bodies meet. `is_of_a` returns whether a face belongs to A.
fn sums(clip: &Clip, is_of_a: impl Fn(u32) -> bool) -> (Sums, DVec3, bool) {
    let origin = clip.vertices[0].position;
    let (mut sums, mut has_curve) = (Sums::default(), false);
    for edge in clip.edges() {
        sums.volume += clip.six_volumes(&edge, origin);
        let [a, b] = edge.ends.map(|end| end - origin);
        let [own, other] = edge.faces;
        match (is_of_a(own), is_of_a(other)) {
            (true, false) => sums.add_segment(a, b),
            (false, true) => sums.add_segment(b, a),
            _ => continue,
        }
        has_curve = true;
    }
    if sums.volume < SLENDER_CONVEX * sums.length * sums.length * sums.length {
        sums.volume = clip.slender_volumes();
    }
    (sums, origin, has_curve)
}
