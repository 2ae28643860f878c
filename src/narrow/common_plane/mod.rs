//! The common plane between two convex bodies: the plane of maximum separation.
//!
//! E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection algorithm for 3-D
//! discrete element method", Computers and Geotechnics 31 (2004) 575-587.
//!
//! Along a unit vector m from A to B the gap is `min m.b - max m.a`. The normal of the common plane is the m of the
//! largest gap, and the plane is halfway between the bodies. The largest gap of separated bodies is their distance. For
//! overlapping bodies it is minus the penetration depth, the shortest translation that separates them.
//!
//! A pair of features carries the plane. It is a face and a vertex, two edges, or two faces that are parallel within a
//! small angle ([`face_pair`]). For separated bodies it may also be an edge and a vertex, or two
//! vertices. Each step tests the pair of the last step first, by signs at its neighbors ([`feature_pair`]). For
//! separated bodies a local maximum is the global one. For overlapping bodies, geometry inside the Minkowski difference
//! certifies it in O(1). The certificate is two balls and a disc ([`certificate`]), or an earlier polytope whose
//! corners move with the bodies ([`difference_polytope`]). If the pair fails, a search follows ([`search`]): GJK, then
//! the expanding polytope, whose exact signs let it end for any input.
//!
//! Bodies are cores with a radius. The cores are polyhedra, or a segment and a polyhedron. A point and a polyhedron have a
//! shorter path ([`point`]), and points and segments a closed form ([`segment`]).
//!
//! Deviations from the paper:
//!
//! - The paper's iteration between closest vertices and planes can stop at a plane that is not the best. For
//!   overlapping bodies it follows one of many local maxima. Here each result is certified.
//! - Overlapping bodies are not moved apart and back: the tests need no separation.
//! - Each separated pair stores a gap and the pose at which it held. The accumulated displacement of a
//!   body (eq. 6) is reset when any contact of the body is refreshed.
//! - Normals are unit vectors; those of eqs. 4 and 5 are not. They come from faces and cross products of edges, not
//!   from short differences of points. So they do not jump where bodies begin to touch.

mod certificate;
mod contact;
mod contact_polygon;
mod difference_polytope;
mod expanding_polytope;
mod face_pair;
mod feature_pair;
mod point;
mod polygon;
mod search;
mod segment;
mod simplex_features;
mod state;
mod support;
#[cfg(test)]
mod tests;

use glam::DVec3;

pub use self::contact::CommonPlaneContact;
use self::contact_polygon::centered;
use self::feature_pair::{FeaturePair, Part, Plane, strict_plane};
use self::search::{SearchBuffers, SearchResult, search, start, tied};
use self::state::Bound;
pub use self::state::CommonPlaneState;
use self::support::SupportMap;
use super::NarrowPhase;
use super::order::by_pose_then;
use super::pair_frame::PairFrame;
use super::pair_gap::Placement;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::TIED_GAP;
use crate::math::{MatrixPose, Pose, Pose3, Vector, check_length};
use crate::narrow::gjk::{Difference, Simplex};
use crate::shape::{Boundary, Convex, Core, Placed, Space, Sphere};

/// Signed distance between two convex bodies, with witness points.
///
/// The common plane maximizes the gap between the bodies along its normal (Nezami et al. 2004). A
/// positive gap is the distance, a negative one minus the penetration depth. The search starts from the
/// previous features, then runs GJK and an expanding polytope on the Minkowski difference. At most one
/// contact is reported, with a certified error bound.
///
/// A body is any [`Convex`] shape at a pose: a ball, a capsule, a polyhedron, sharp or rounded, or a pointer to one. The two
/// may be of different kinds. A [`Sphere`] in the world may be the first body. The same holds in 2D for discs, stadia and
/// polygons. The overlap is the sum of the radii less the gap of the cores, so it changes by no more than the bodies move.
/// Where the cores overlap, the normal is that of their penetration depth; it jumps where a core enters through an edge or a
/// vertex, so at overlaps of at least the sum of the radii.
///
/// [`PressureField`](super::PressureField) finds elastic forces and contact points.
///
/// - The result depends on the bodies only, not on the state. A state of another pair, or of other shapes, costs
///   time; see [`CommonPlaneState`].
/// - Planes that are equally good to rounding (collinear edges, identical bodies) are chosen by a cold search, always
///   the same one. If faces are parallel, to rounding or tilted by up to 4.5e-13 rad, the contact is at
///   the centroid of the area in which they face each other. A point core inside a polyhedron takes the nearest face; of
///   several it is the one whose outward normal comes first in lexicographic order, in the coordinates of the shape.
///   Two parallel capsules touch in the middle of the part in which they face each other.
/// - Swapping the bodies negates the normal, bit for bit, except for the same shape at the same pose.
/// - Features that touch exactly have an overlap of 0 to rounding, and the normal of a face or of two
///   edges.
///
/// Error: about 1e-15 of the sum of the bodies' sizes. The error bound is 48 ulps of that sum, or of the distance if
/// that is larger, or of the distances of the cores from the origins of their shapes if these are larger. For tied planes at a gap of about 0 it is up to three times as much. For two faces the bound also holds
/// the height of the corners of one over the other: faces tilted by 1e-16 to 4.5e-13 rad have a bound of up to 5e-13 of the
/// size. The support functions of the bodies along the normal give the overlap to within the error bound. The witness points
/// are on their bodies to 1e-13 of the size, or to the error bound of two faces. This is 1e-12 for edges that are parallel
/// only to 1e-12 rad, and 1e-8 for plates thinner than 1e-8.
///
/// Cost: 0.06 to 0.15 µs warm, 0.4 to 2.1 µs cold. A sphere at a polyhedron takes 0.04 µs warm and 0.07 to 0.2 µs cold, two
/// spheres or capsules take 0.05 µs without a state. A warm step takes O(size of the features). A search visits about ten
/// vertices of each body with their neighbors; in 2D it takes O(vertices). Ties cost a cold search in each step, 6 µs for two
/// cubes that meet at an edge. If n facets of the Minkowski difference are almost equally near, as for two round bodies at
/// one place, a search takes O(n^2): 1 to 2 ms with 500 vertices each. Faces of m and n corners take O(m n). It allocates
/// only while its buffers grow.
///
/// ```
/// use osculate::glam::DVec3;
/// use osculate::{CommonPlane, ConvexPolyhedron, Feature, NarrowPhase, Placed, Pose3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let corners = [DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat();
/// let octahedron = ConvexPolyhedron::from_convex_hull(&corners)?;
/// let a = Placed { shape: &cube, pose: Pose3::IDENTITY };
/// let pose = Pose3::from_translation(DVec3::new(0.5, 0.5, 1.75))?;
/// let b = Placed::new(&octahedron, pose);
/// let contact = CommonPlane::new().contact(&a, &b).unwrap();
/// assert_eq!((contact.overlap, contact.normal), (0.25, DVec3::Z));
/// assert_eq!(contact.point_b, DVec3::new(0.5, 0.5, 0.75));
/// assert!(matches!(contact.feature_b, Feature::Vertex(_)));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CommonPlane {
    margin: f64,
    buffers: SearchBuffers,
}

impl CommonPlane {
    /// Creates a kernel that reports contacts with a positive overlap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports gaps smaller than `margin`.
    ///
    /// A pair within the margin is solved in full at each call. The search for any other pair ends as soon as it finds
    /// a gap beyond the margin. The pair is then skipped until its motion could have closed the excess. The wider the
    /// margin, the fewer pairs are skipped.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// Returns the margin, which a list needs too: [`PairList::check_margin`](crate::PairList::check_margin).
    pub const fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the plane of two cores, `None` beyond the margin, and stores its features in the state.
    #[inline]
    fn plane(
        &mut self,
        frame: &PairFrame,
        now: &Placement<DVec3>,
        margin: f64,
        state: &mut CommonPlaneState<DVec3>,
    ) -> Option<Plane> {
        let reach = || [frame.p.reach(), frame.q.reach()];
        if state.keeps_apart(margin, now, reach) {
            #[cfg(test)]
            tests::effort::count(&tests::effort::SKIPPED);
            return None;
        }
        let last = state.pair.and_then(|pair| strict_plane(frame, pair));
        if let Some(plane) = last
            && state.certifies(frame, &plane)
        {
            #[cfg(test)]
            tests::effort::count(&tests::effort::KEPT);
            if plane.gap > margin {
                state.set_gap(plane.gap, now);
            }
            return Some(plane);
        }
        let found = self.search(frame, state.pair, last, margin);
        state.pair = found.pair;
        let polytope = found.has_polytope.then(|| self.buffers.polytope.pack());
        match polytope.flatten() {
            Some(polytope) => state.bound = Bound::Around(polytope),
            None => state.set_gap(found.plane.map_or_else(|gap| gap, |plane| plane.gap), now),
        }
        found.plane.ok()
    }

    #[cold]
    #[inline(never)]
    fn search(
        &mut self,
        frame: &PairFrame,
        pair: Option<FeaturePair>,
        last: Option<Plane>,
        margin: f64,
    ) -> SearchResult {
        let supports = SupportMap::new(frame);
        // A gap that equals the margin to rounding is computed in full, and compared by the caller.
        let margin = margin + frame.size * TIED_GAP;
        if let Some(start) = pair.and_then(|pair| start(frame, pair, last))
            && let Some(found) = search(&supports, &mut self.buffers, start, margin, false)
        {
            #[cfg(test)]
            tests::effort::count(&tests::effort::WARM);
            return found;
        }
        let start = supports.farthest(-frame.motion.translation, &Difference::default());
        let start = (Simplex::vertex(start), start.x);
        #[cfg(test)]
        tests::effort::count(&tests::effort::COLD);
        let found = search(&supports, &mut self.buffers, start, margin, true);
        found.unwrap_or_else(|| tied(&supports, &mut self.buffers))
    }
}

/// The search for the plane of two cores, in space or in the plane.
pub trait CorePlane<V: Space> {
    /// Returns the plane in the world of cores in their order, `None` beyond a distance.
    fn plane_of(
        &mut self,
        cores: [V::Core<'_>; 2],
        poses: [&Pose<V>; 2],
        reach: f64,
        state: &mut CommonPlaneState<V>,
    ) -> Option<Plane<V>>;
}

impl CorePlane<DVec3> for CommonPlane {
    #[inline(always)]
    fn plane_of(
        &mut self,
        cores: [Core; 2],
        poses: [&Pose3; 2],
        reach: f64,
        state: &mut CommonPlaneState,
    ) -> Option<Plane> {
        match cores {
            [Core::Segment(p) | Core::Polyhedron(p), Core::Polyhedron(q)] => {
                self.plane_of_boundaries([p, q], poses, reach, state)
            }
            [Core::Point(center), Core::Polyhedron(body)] => {
                let [first, second] = poses;
                let arm = segment::rotated(first, *center);
                let offset = first.translation() - second.translation() + arm;
                let x = second.inverse_transform_vector(offset) - body.center;
                let remoteness = center.abs().max_element() + body.remoteness;
                let last = state.pair.map(|[_, part]| part);
                let (plane, part) = point::plane(body, x, remoteness, reach, last)?;
                state.pair = Some([Part::Vertex(0), part]);
                let normal = second.transform_vector(plane.normal);
                Some(plane.placed(normal, first.translation() + arm))
            }
            _ => segment::plane(cores, poses, reach),
        }
    }
}

impl CommonPlane {
    #[inline(always)]
    fn plane_of_boundaries(
        &mut self,
        [p, q]: [&Boundary; 2],
        [first, second]: [&Pose3; 2],
        reach: f64,
        state: &mut CommonPlaneState,
    ) -> Option<Plane> {
        let world = MatrixPose::from(first);
        let relative =
            first.inv_mul_at(second, world.inverse_transform_point(second.translation()));
        let frame = PairFrame::new(p, q, &relative);
        let now = Placement {
            shapes: [p.stamp, q.stamp],
            relative,
        };
        let mut plane = self.plane(&frame, &now, reach, state)?;
        if plane.gap >= reach {
            return None;
        }
        if let Some([Part::Face(_), Part::Face(_)]) = state.pair {
            plane = centered(&mut self.buffers.points, &frame, &plane).unwrap_or(plane);
        }
        let on_p = world.transform_point(plane.on_p + p.center);
        Some(plane.placed(world.transform_vector(plane.normal), on_p))
    }
}

impl<V: Space, S, T> NarrowPhase<Placed<S, V>, Placed<T, V>> for CommonPlane
where
    S: Convex<Vector = V>,
    T: Convex<Vector = V>,
    Self: CorePlane<V>,
{
    type Contact = CommonPlaneContact<V>;
    type State = CommonPlaneState<V>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, V>,
        b: &Placed<T, V>,
        state: &mut CommonPlaneState<V>,
        mut visit: impl FnMut(CommonPlaneContact<V>),
    ) {
        let cores = [a.shape.core(), b.shape.core()];
        let (poses, radii) = ([&a.pose, &b.pose], [a.shape.radius(), b.shape.radius()]);
        let order = V::kind(cores[0]).cmp(&V::kind(cores[1])).then_with(|| {
            by_pose_then(poses[0], poses[1], || {
                let by_radius = radii[0].total_cmp(&radii[1]);
                V::compare(cores[0], cores[1]).then(by_radius)
            })
        });
        let is_swapped = order.is_gt();
        let [i, j] = [usize::from(is_swapped), usize::from(!is_swapped)];
        let (cores, poses) = ([cores[i], cores[j]], [poses[i], poses[j]]);
        state.orient(is_swapped);
        let reach = self.margin + (radii[0] + radii[1]);
        if let Some(plane) = self.plane_of(cores, poses, reach, state) {
            let contact = plane.contact(radii, is_swapped);
            // The sum of the radii is rounded.
            if contact.overlap > -self.margin {
                visit(contact);
            }
        }
    }
}

/// A sphere or disc in the world, and a convex body at a pose.
impl<V: Vector, T> NarrowPhase<Sphere<V>, Placed<T, V>> for CommonPlane
where
    Self: NarrowPhase<Placed<Sphere<V>, V>, Placed<T, V>>,
{
    type Contact = <Self as NarrowPhase<Placed<Sphere<V>, V>, Placed<T, V>>>::Contact;
    type State = <Self as NarrowPhase<Placed<Sphere<V>, V>, Placed<T, V>>>::State;

    /// Visits the contact. A sphere outside the domain has none.
    #[inline]
    fn for_each_contact(
        &mut self,
        sphere: &Sphere<V>,
        body: &Placed<T, V>,
        state: &mut Self::State,
        visit: impl FnMut(Self::Contact),
    ) {
        if let Ok(pose) = Pose::from_translation(sphere.center) {
            let ball = Placed::new(Sphere::new(V::ZERO, sphere.radius), pose);
            self.for_each_contact(&ball, body, state, visit);
        }
    }
}
