//! The common plane between two convex bodies: the plane of maximum separation.
//!
//! E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection algorithm for 3-D
//! discrete element method", Computers and Geotechnics 31 (2004) 575-587.
//!
//! Along a unit vector m from A to B the gap is `min m.b - max m.a`. The normal of the common plane is the m of the
//! largest gap, and the plane is halfway between the bodies. The largest gap of separated bodies is their distance. For
//! overlapping bodies it is minus the penetration depth, the shortest translation that separates them.
//!
//! A pair of features carries the plane. It is a face and a vertex, two edges, or two faces that are parallel to
//! rounding or nearly parallel ([`face_pair`]). For separated bodies it may also be an edge and a vertex, or two
//! vertices. Each step tests the pair of the last step first, by signs at its neighbors ([`feature_pair`]). For
//! separated bodies a local maximum is the global one. For overlapping bodies, geometry inside the Minkowski difference
//! certifies it in O(1). The certificate is two balls and a disc ([`certificate`]), or an earlier polytope whose
//! corners move with the bodies ([`difference_polytope`]). If the pair fails, a search follows ([`search`]): GJK, then
//! the expanding polytope, and all pairs of features where rounding stops both.
//!
//! Deviations from the paper:
//!
//! - The paper's iteration between closest vertices and planes can stop at a plane that is not the best. For
//!   overlapping bodies it follows one of many local maxima. Here each result is certified;
//!   [`CommonPlaneMode::Tracked`] keeps the local maximum of the last step.
//! - Overlapping bodies are not moved apart and back: the tests need no separation.
//! - Each separated pair stores a gap and the pose at which it held. The accumulated displacement of a
//!   body (eq. 6) is reset when any contact of the body is refreshed.
//! - Normals are unit vectors; those of eqs. 4 and 5 are not. They come from faces and cross products of edges, not
//!   from short differences of points. So they do not jump where bodies begin to touch.

mod certificate;
mod closest_features;
mod contact;
mod contact_polygon;
mod difference_polytope;
mod exhaustive;
mod expanding_polytope;
mod face_pair;
mod feature_pair;
mod polygon;
mod search;
mod section;
mod separating_axes;
mod simplex_features;
mod state;
mod support;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec3;

use self::certificate::Certificate;
pub use self::contact::CommonPlaneContact;
use self::feature_pair::{FeaturePair, Plane};
use self::search::{SearchBuffers, SearchResult, overlap, search, start};
pub use self::section::PlaneSection;
use self::state::Bound;
pub use self::state::CommonPlaneState;
use self::support::SupportMap;
use super::NarrowPhase;
use super::order::Ordered;
use super::pair_frame::PairFrame;
use super::pair_gap::Placement;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::TIED_GAP;
use crate::math::{MatrixPose, check_length};
use crate::narrow::gjk::{Difference, Simplex};
use crate::shape::{ConvexPolyhedron, Feature, Placed};

/// The maximum of the gap that is reported for overlapping bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum CommonPlaneMode {
    /// The global maximum: the penetration depth.
    #[default]
    Global,
    /// The local maximum of the last step while it is still a maximum, otherwise the global maximum.
    ///
    /// The result for overlapping bodies then depends on the state. A state that was last used with
    /// other shapes counts as new. Whether bodies overlap, and the gap of separated bodies, never
    /// depends on the state.
    Tracked,
}

/// Counts of how results were found, since the kernel was created.
///
/// `skipped`, `kept`, `warm` and `cold` add up to the number of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommonPlaneStats {
    /// The bodies were too far apart to have come within the margin since the last search.
    pub skipped: u64,
    /// The features of the last step still carry the plane.
    pub kept: u64,
    /// A search started from the features of the last step.
    pub warm: u64,
    /// A search started cold; in 2D every search.
    pub cold: u64,
    /// All pairs of features were tested; these are also counted as `cold`.
    pub exhaustive: u64,
}

/// Signed distance between two convex polyhedra or polygons, with witness points.
///
/// The common plane maximizes the gap between the bodies along its normal (Nezami et al. 2004). A
/// positive gap is the distance, a negative one minus the penetration depth. The search starts from the
/// previous features, then runs GJK and an expanding polytope on the Minkowski difference. At most one
/// contact is reported, with a certified error bound.
///
/// Both bodies have the same type of shape, for example `&ConvexPolyhedron` or
/// `Arc<ConvexPolyhedron>`. [`section`](Self::section) is for polyhedra only.
/// [`ElasticBed`](super::ElasticBed) finds contact points for forces.
///
/// - The result depends on the bodies only, not on the state, except in [`CommonPlaneMode::Tracked`].
///   A state of another pair, or of other shapes, costs time; see [`CommonPlaneState`].
/// - Planes that are equally good to rounding (collinear edges, identical bodies) are chosen by a cold search, always
///   the same one. Faces may be parallel to rounding, or tilted by less than about 1e-11 rad. The contact is then at
///   the centroid of the area in which they face each other.
/// - Swapping the bodies negates the normal, bit for bit, except for the same shape at the same pose.
/// - Features that touch exactly have an overlap of 0 to rounding, and the normal of a face or of two
///   edges.
///
/// Error: about 1e-15 of the sum of the bodies' sizes. The error bound is 48 ulps of that sum, or of the distance if
/// that is larger. For tied planes at a gap of about 0 it is up to three times as much. The support functions of the
/// bodies along the normal give the overlap to within the error bound. The witness points are on their bodies to 1e-13
/// of the size. This is 1e-12 for edges that are parallel only to 1e-12 rad, 2e-11 for almost parallel faces, and 1e-8
/// for plates thinner than 1e-8.
///
/// Cost: 0.06 to 0.15 µs warm, 0.4 to 2.1 µs cold. A warm step takes O(size of the features). A search visits about ten
/// vertices of each body with their neighbors; in 2D it takes O(vertices). For ties all pairs of features are tested:
/// O(vertices + crossings of arcs on the Gauss map), which is O(vertices) for round bodies. Faces of m and n corners
/// take O(m n). It allocates only while its buffers grow.
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
    mode: CommonPlaneMode,
    stats: CommonPlaneStats,
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

    /// Sets the mode.
    #[must_use]
    pub fn with_mode(self, mode: CommonPlaneMode) -> Self {
        Self { mode, ..self }
    }

    /// Returns how the results so far were found.
    pub fn stats(&self) -> CommonPlaneStats {
        self.stats
    }

    /// Returns the plane, `None` beyond the margin, and stores its features in the state.
    #[inline]
    fn plane(
        &mut self,
        frame: &PairFrame,
        now: &Placement<DVec3>,
        state: &mut CommonPlaneState<DVec3>,
    ) -> Option<Plane> {
        let reach = || [frame.p.reach(), frame.q.reach()];
        if state.keeps_apart(self.margin, now, reach) {
            self.stats.skipped += 1;
            return None;
        }
        let is_tracked = self.mode == CommonPlaneMode::Tracked;
        let last = state.pair.plane(frame);
        if let Some(plane) = last
            && (plane.gap >= 0.0 || self.keeps(frame, &plane, now, state))
        {
            self.stats.kept += 1;
            if plane.gap > self.margin || is_tracked {
                state.set_gap(plane.gap, now, is_tracked);
            }
            return Some(plane);
        }
        let found = self.search(frame, state.pair, last);
        state.pair = found.pair;
        match found.polytope {
            Some(polytope) if !is_tracked => state.bound = Bound::Around(polytope),
            _ => state.set_gap(found.gap, now, is_tracked),
        }
        let polygon = &mut self.buffers.polygon;
        let is_tied = |plane: &Plane| found.pair == FeaturePair::None && plane.gap < self.margin;
        found.plane.map(|plane| {
            if is_tied(&plane) {
                polygon.center_ties(frame, plane)
            } else {
                plane
            }
        })
    }

    /// Returns whether the plane of the last features, with a negative gap, is the result.
    #[inline]
    fn keeps(
        &self,
        frame: &PairFrame,
        plane: &Plane,
        now: &Placement<DVec3>,
        state: &CommonPlaneState<DVec3>,
    ) -> bool {
        match self.mode {
            CommonPlaneMode::Global => state.certifies(frame, plane),
            // A local maximum below 0 does not show that the bodies overlap.
            CommonPlaneMode::Tracked => {
                state.is_of(now.shapes)
                    && (Certificate::new(frame, plane).shows_overlap()
                        || overlap(frame, state.pair, *plane))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn search(
        &mut self,
        frame: &PairFrame,
        pair: FeaturePair,
        last: Option<Plane>,
    ) -> SearchResult {
        let supports = SupportMap::new(frame);
        // A gap that equals the margin to rounding is computed in full, and compared by the caller.
        let margin = self.margin + frame.size * TIED_GAP;
        if let Some(start) = start(frame, pair, last)
            && let Some(found) = search(&supports, &mut self.buffers, start, margin, false)
        {
            self.stats.warm += 1;
            return found;
        }
        let start = supports.farthest(-frame.centers(), &Difference::default());
        let start = (Simplex::vertex(start), start.x);
        self.stats.cold += 1;
        let found = search(&supports, &mut self.buffers, start, margin, true).unwrap_or_default();
        self.stats.exhaustive += u64::from(found.is_exhaustive);
        found
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S, DVec3>, Placed<S, DVec3>> for CommonPlane {
    type Contact = CommonPlaneContact<DVec3>;
    type State = CommonPlaneState<DVec3>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec3>,
        b: &Placed<S, DVec3>,
        state: &mut CommonPlaneState<DVec3>,
        mut visit: impl FnMut(CommonPlaneContact<DVec3>),
    ) {
        let pair = Ordered::new(a, b, ConvexPolyhedron::vertices, |_, _| Ordering::Equal);
        state.orient(pair.is_swapped);
        let [p, q] = pair.shapes.map(ConvexPolyhedron::boundary);
        let [first, second] = pair.poses;
        let world = MatrixPose::from(first);
        let relative =
            first.inv_mul_at(second, world.inverse_transform_point(second.translation()));
        let frame = PairFrame::new(p, q, &relative);
        let now = Placement {
            shapes: [p.stamp, q.stamp],
            relative,
        };
        let Some(mut plane) = self.plane(&frame, &now, state) else {
            return;
        };
        if plane.gap < self.margin {
            if let FeaturePair::FaceFace(f, g) = state.pair {
                let faces = [f, g].map(Feature::Facet);
                plane = self.buffers.polygon.center(&frame, plane, faces);
            }
            let on_p = world.transform_point(plane.on_p + p.center);
            visit(plane.contact(world.transform_vector(plane.normal), on_p, pair.is_swapped));
        }
    }
}
