//! Contact manifolds of convex bodies: an elastic bed between the surfaces that face each other.
//!
//! Along a unit vector m from A to B the depth d is how far the front surface of A is beyond that of B.
//! The bed is the region with d > 0 in the plane normal to m; its volume is the integral of d. The
//! forces of a bed along m = S / |S|, where S is the area vector of the intersection, change in
//! proportion to the motion of the bodies. Those along the shortest separating translation jump where
//! the features that carry it change.

mod cell;
pub(super) mod manifold;
mod overlay;

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec3;

pub(super) use self::manifold::{Bed, BedNode};
pub use self::manifold::{ContactManifold, ElasticBedState, ManifoldPoint, PointFeature};
pub(super) use self::manifold::{MAX_POINTS, check_max_points};
use self::overlay::FaceOverlay;
use super::order::Ordered;
use super::{CommonPlane, NarrowPhase};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{check_length, direction};
use crate::shape::{ConvexPolyhedron, Placed};

/// Contact manifold of two convex polyhedra: points with depth, area and load.
///
/// The bodies press into each other like an elastic bed. The kernel reports its volume, center of
/// pressure and at most 8 points, whose loads add up to those of the bed. Each point is named by the
/// features that meet there, and [`previous`](ManifoldPoint::previous) tells which point of the last step
/// it continues: keep a tangential spring with it.
///
/// The normal is S / |S|, where S is the area vector of the intersection (as in
/// [`ConvexConvex`](super::ConvexConvex)); for
/// nested bodies it is that of [`CommonPlane`]. Forces then change in proportion to the motion of the
/// bodies. [`manifold`](Self::manifold) takes any other normal. Along that of [`CommonPlane`] forces jump
/// where the features change that carry the plane.
///
/// - At most one manifold is reported, if the intersection has a volume.
/// - Swapping the bodies negates the normal, bit for bit.
/// - The volume of the bed is that of the intersection to rounding, unless surfaces that face away
///   from each other bound the intersection: at thin edges of a body it is larger.
///
/// Error: volume and moment to about 1e-12 of their largest terms (depth and size of the bed).
///
/// Cost: O(faces + pairs of faces in the bed), besides the volume. No allocation once the buffers have
/// grown.
///
/// ```
/// use osculate::{ConvexPolyhedron, ElasticBed, NarrowPhase, Placed, Pose3, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let a = Placed::new(&cube, Pose3::IDENTITY);
/// let b = Placed::new(&cube, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.875))?);
///
/// let (mut bed, mut state) = (ElasticBed::new(), Default::default()); // a state for each pair
/// let manifold = bed.contact_with(&a, &b, &mut state).unwrap();
/// assert_eq!((manifold.normal, manifold.volume), (DVec3::Z, 0.125));
/// assert_eq!(manifold.points().len(), 4);
/// assert!(manifold.points().iter().all(|p| p.overlap == 0.125 && p.volume == 0.03125));
///
/// let next = bed.contact_with(&a, &b, &mut state).unwrap();
/// assert_eq!(next.points()[3].previous, Some(3));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ElasticBed {
    margin: f64,
    max_points: usize,
    plane: CommonPlane,
    overlay: FaceOverlay,
    bed: Bed,
}

/// How the bed of P and Q is measured.
#[derive(Clone, Copy, Debug)]
struct Along {
    /// The unit vector from P to Q, in the frame of P.
    m: DVec3,
    /// How far Q is moved towards P.
    margin: f64,
    /// Whether a node at a vertex of both bodies is named after Q, the body given first.
    prefers_q: bool,
}

/// How close to a vertex, in tolerances across m, a node of a bed is named after it. Lines that cross at a
/// vertex pass within one tolerance of points this far away, unless they are almost parallel.
const NAMING_DISTANCE: f64 = 64.0;

impl Default for ElasticBed {
    fn default() -> Self {
        Self {
            margin: 0.0,
            max_points: MAX_POINTS,
            plane: CommonPlane::default(),
            overlay: FaceOverlay::default(),
            bed: Bed::default(),
        }
    }
}

impl ElasticBed {
    /// Creates a kernel that reports up to 8 points for bodies that overlap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports the points of bodies whose gap is smaller than `margin`, if the bodies are one above the
    /// other along the normal.
    ///
    /// The bed is then that of the bodies with the second one moved by `margin` towards the first. Its
    /// area and volume include the margin; the overlaps do not, and are negative where there is a gap.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        let plane = self.plane.with_margin(margin)?;
        Ok(Self {
            margin,
            plane,
            ..self
        })
    }

    /// Sets the largest number of points, from 1 to 8. Forces and moments do not depend on it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] for other numbers.
    pub fn with_max_points(self, count: usize) -> Result<Self> {
        let max_points = check_max_points(count)?;
        Ok(Self { max_points, ..self })
    }

    /// Returns the manifold along any unit vector from `a` to `b`, `None` if the bed is empty.
    ///
    /// The vector is scaled to unit length; there is no manifold for 0 and NaN.
    ///
    /// Cost: O(faces + pairs of faces in the bed).
    pub fn manifold(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>>,
        b: &Placed<impl Borrow<ConvexPolyhedron>>,
        normal: DVec3,
        state: &mut ElasticBedState,
    ) -> Option<ContactManifold> {
        let length = normal.length();
        let unit = direction(normal, length).filter(|_| length < f64::INFINITY);
        let Some(normal) = unit else {
            state.forget();
            return None;
        };
        let pair = Ordered::new(a, b, ConvexPolyhedron::vertices, |_, _| Ordering::Equal);
        // The sum turns -0.0 into 0.0: axes across m depend on the sign.
        let m = if pair.is_swapped { -normal } else { normal } + DVec3::ZERO;
        let along = Along {
            m: pair.poses[0].inverse_transform_vector(m),
            margin: self.margin,
            prefers_q: pair.is_swapped,
        };
        let origin = self
            .overlay
            .compute(pair.shapes, pair.poses, &along, &mut self.bed);
        if pair.is_swapped {
            self.bed.swap();
        }
        state.keep_only([a.shape.borrow(), b.shape.borrow()].map(|shape| shape.boundary().stamp));
        if self.bed.nodes.is_empty() {
            state.forget();
            return None;
        }
        self.bed.reduce(self.max_points, state.names());
        let to_world = |x| pair.poses[0].transform_point(x + origin);
        let mut manifold = self.bed.manifold(normal, self.margin, to_world);
        state.follow(&mut manifold, [&a.pose, &b.pose]);
        Some(manifold)
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>> for ElasticBed {
    type Contact = ContactManifold;
    type State = ElasticBedState;

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<S>,
        state: &mut Self::State,
        visit: impl FnMut(Self::Contact),
    ) {
        let [p, q] = [a, b].map(|body| Placed::new(body.shape.borrow(), body.pose));
        let Some(plane) = self.plane.contact_with(&p, &q, &mut state.plane) else {
            state.forget();
            return;
        };
        let sum = self.overlay.area_vector([&p, &q], plane.normal);
        let normal = direction(sum, sum.length()).unwrap_or(plane.normal);
        let manifold = self.manifold(&p, &q, normal, state);
        manifold.into_iter().for_each(visit);
    }
}
