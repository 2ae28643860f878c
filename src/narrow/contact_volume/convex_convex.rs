use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::{DMat3, DVec3};

use super::clip::{Clip, Vertex, rises};
use super::mesh_mesh::contact;
use super::sums::Sums;
use super::thin::{Thin, is_thin, planes_near};
use super::{ContactVolume, is_first, nested};
use crate::math::Pose3;
use crate::math::tolerance::{CUT_HEIGHT, SLENDER_CONVEX};
use crate::narrow::NarrowPhase;
use crate::shape::{Aabb, ConvexPolyhedron, FacePlane, HalfEdges, Placed};

/// Two convex polyhedra at any poses: the volume they share and its gradient, at most one contact.
///
/// The half-spaces of one body cut the other (Feng 2021, section 3.1), those that may cut it, deepest
/// first. The answers are those of [`MeshMesh`](super::MeshMesh) to rounding, and
/// nested and touching bodies are told apart as there. The first body is the one that is moved
/// infinitesimally where a vertex lies on a plane.
///
/// The relative error of V is at most about 50 eps L / depth, L the largest coordinate in the frame of a body.
///
/// Where rounding decides on which side of a plane a vertex is, V is right to this error, and S and G
/// are one of the possible values: the surface of what is left is closed for whatever signs, and
/// moves by no more than the rounding. Swapping the bodies negates S and G exactly.
///
/// O(n log n) for n faces and O(m) for each of them that may cut, m the edges of what is left; a pair that one
/// of the faces separates costs little more than the first. No allocation once the buffers have grown.
///
/// ```
/// use osculate::{ConvexConvex, ConvexPolyhedron, NarrowPhase, Placed, Pose3};
/// use osculate::glam::DVec3;
///
/// let tetrahedron = ConvexPolyhedron::from_convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
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
    clip: Clip<0>,
    cutter: Cutter,
    thin: Thin,
}

type Solid<S> = Placed<S, DVec3>;

impl ConvexConvex {
    /// A kernel without memory of any pair.
    pub fn new() -> Self {
        Self::default()
    }

    /// In the frame of `a`, from the origin of its planes.
    fn ordered(
        &mut self,
        (a, pose): (&ConvexPolyhedron, &Pose3),
        (b, placed): (&ConvexPolyhedron, &Pose3),
    ) -> Option<ContactVolume<DVec3>> {
        let relative = pose.inv_mul(placed);
        let motion = Motion::new(&relative, a);
        let (cutting, cut) = (a.half_edges(), b.half_edges());
        let center = motion.transform_point(b.centroid());
        if !self.cutter.choose(cutting, center, cut.radius) {
            return None;
        }
        let vertices = b.vertices().iter().zip(&cut.first);
        let vertices = vertices.map(|(&position, &first)| Vertex {
            position: motion.transform_point(position),
            heights: [],
            first,
        });
        let first_of_a = cut.planes.len();
        self.clip.start(vertices, &cut.halves, &cut.corners);
        if !self.cutter.cut(&mut self.clip, cutting, -1.0) {
            return None;
        }
        let first_of_a = first_of_a as u32;
        if self.clip.face_count() == first_of_a {
            return Some(nested(b.volume(), placed.transform_point(b.vertices()[0])));
        }
        let (sums, origin, has_curve) = sums(&self.clip, |face| face >= first_of_a);
        let origin = cutting.origin + origin;
        Some(if !has_curve {
            nested(a.volume(), pose.transform_point(a.vertices()[0]))
        } else if is_thin(sums.volume, &sums, &sums, cutting.radius + cut.radius)
            && let Some((sums, arm)) = self.thin(a, (b, &relative), origin)
        {
            contact(&sums, origin + arm, pose)
        } else {
            contact(&sums, origin, pose)
        })
    }

    /// The sums of a thin part, from planes relative to a point of it in the frame of `a`, and where
    /// they are taken from.
    #[cold]
    fn thin(
        &mut self,
        a: &ConvexPolyhedron,
        (b, placed): (&ConvexPolyhedron, &Pose3),
        point: DVec3,
    ) -> Option<(Sums, DVec3)> {
        let rough = self.clip.bounds(point - a.half_edges().origin);
        let rotation = DMat3::from_quat(placed.rotation());
        let of_b = planes_near(b, placed.inverse_transform_point(point));
        let of_b = of_b.map(|plane| (plane.rotated(&rotation), false, 0));
        let of_a = planes_near(a, point).map(|plane| (plane, rises(-plane.normal), 1));
        if !self.thin.cut(&rough, of_b.chain(of_a)) {
            return None;
        }
        let thin = &self.thin;
        let (mut sums, arm, has_curve) = sums(&thin.clip, |face| thin.number(face) == 1);
        sums.volume = thin.six_volumes();
        (has_curve && sums.volume > 0.0).then_some((sums, arm))
    }
}

impl<S: Borrow<ConvexPolyhedron>, T: Borrow<ConvexPolyhedron>> NarrowPhase<Solid<S>, Solid<T>>
    for ConvexConvex
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
        let (shape_a, shape_b) = (a.shape.borrow(), b.shape.borrow());
        let vertices = [shape_a.vertices(), shape_b.vertices()];
        let found = match is_first([&a.pose, &b.pose], vertices, || Ordering::Equal) {
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

/// From a body's coordinates to those of a polyhedron, from the origin of its planes.
pub(super) struct Motion {
    pub(super) turn: DMat3,
    shift: DVec3,
}

impl Motion {
    pub(super) fn new(relative: &Pose3, polyhedron: &ConvexPolyhedron) -> Self {
        Self {
            turn: DMat3::from_quat(relative.rotation()),
            shift: relative.translation() - polyhedron.half_edges().origin,
        }
    }

    #[inline]
    pub(super) fn transform_point(&self, local: DVec3) -> DVec3 {
        self.turn * local + self.shift
    }
}

/// Cuts by all faces of a convex polyhedron.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutter {
    /// The faces that may cut, and how high over each the middle of what is cut lies.
    faces: Vec<(f64, u32)>,
}

impl Cutter {
    /// Notes the faces that may cut a body around `center`, those that cut deepest first; false if
    /// one separates the two.
    pub(super) fn choose(&mut self, cutting: &HalfEdges, center: DVec3, radius: f64) -> bool {
        self.faces.clear();
        let radius = radius * (1.0 + CUT_HEIGHT);
        for (face, plane) in (0..).zip(&cutting.planes) {
            let (height, reach) = (plane.height(center), plane.length * radius);
            if height > reach {
                return false;
            }
            if height >= -reach {
                self.faces.push((height / plane.length, face));
            }
        }
        // In any other order more faces are made that others cut off again: a tenth of the work for 50
        // vertices.
        self.faces
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        true
    }

    /// Cuts by all faces chosen; whether anything is left. `moves` is 1 if what is cut moves by the
    /// infinitesimal translation, -1 if the planes do.
    #[inline]
    pub(super) fn cut<const K: usize>(
        &self,
        clip: &mut Clip<K>,
        cutting: &HalfEdges,
        moves: f64,
    ) -> bool {
        let (mut bounds, mut cuts) = (None, 0_u32);
        for &(_, face) in &self.faces {
            let plane = &cutting.planes[face as usize];
            if bounds.is_some_and(|bounds| is_below(plane, &bounds)) {
                continue;
            }
            let tie_is_out = rises(plane.normal * moves);
            if clip.measure(plane, tie_is_out) {
                if !clip.cut(tie_is_out) {
                    return false;
                }
                cuts += 1;
                // The box is worth its price only when it has shrunk.
                if cuts.is_power_of_two() {
                    bounds = Aabb::from_points(clip.vertices.iter().map(|vertex| vertex.position));
                }
            }
        }
        true
    }
}

/// Whether a box is below a plane, all of it.
#[inline]
fn is_below(plane: &FacePlane, bounds: &Aabb<DVec3>) -> bool {
    let n = plane.normal;
    let farthest = DVec3::select(n.cmpgt(DVec3::ZERO), bounds.max, bounds.min);
    plane.height(farthest) < 0.0
}

/// What is left, added up from one of its vertices; `is_of_a` is of its faces.
fn sums(clip: &Clip<0>, is_of_a: impl Fn(u32) -> bool) -> (Sums, DVec3, bool) {
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
