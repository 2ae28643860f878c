//! The common plane between two convex bodies: the plane that parts them best.
//!
//! E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection algorithm for
//! 3-D discrete element method", Computers and Geotechnics 31 (2004) 575-587.
//!
//! Along a unit vector m from A to B the gap is `min m.b - max m.a`. The normal of the common plane
//! is the m of the largest gap, and the plane is half way between the bodies. For bodies that are
//! apart the largest gap is their distance; for bodies that overlap it is minus the shortest
//! translation that parts them. This kernel gives that maximum, for both signs.
//!
//! A pair of features carries the plane: face and vertex, or two edges; apart also edge and vertex,
//! or two vertices; parallel to rounding, two faces. The pair of the last step is tried first, by
//! signs of its neighbours alone.
//! Where bodies are apart a local maximum is the global one. Where they overlap, what is inside the
//! bodies' difference proves it in O(1): two balls and a disc, or the polytope of an earlier search,
//! whose corners have moved with the bodies. If not: the nearest point of the difference (GJK), the
//! nearest facet of it (expanding polytope), and where rounding stops these, all pairs of features.
//!
//! Deviations:
//! - The paper's iteration goes from vertex pair to plane and back; it can stop at a plane that is
//!   not the best, and follows one of many local maxima where bodies overlap. Here each answer is
//!   proved; [`CommonPlaneMode::Tracked`] keeps to the local maximum of the step before.
//! - Bodies that overlap are not moved apart and back: signs of features need no separation.
//! - In place of the accumulated displacement of a body (eq. 6), which is reset when any of its
//!   contacts is refreshed, each pair that is apart has a gap and the pose at which it held.
//! - Normals are those of faces and of cross products of edges, unit (eqs 4 and 5 are not), never
//!   those of a short difference of points; so they do not jump where bodies begin to touch.

mod contact_polygon;
mod difference_polytope;
mod exhaustive;
mod expanding_polytope;
mod feature_pair;
mod pair_frame;
mod polygon;
mod search;
mod separating_axes;
mod state;
mod support;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec3;

use self::feature_pair::{FeaturePair, Plane};
use self::pair_frame::PairFrame;
use self::search::{SearchBuffers, SearchResult, overlap, search, start};
pub use self::state::CommonPlaneState;
use self::state::{Bound, Certificate};
use self::support::SupportMap;
use super::order::Ordered;
use super::pair_gap::Placement;
use super::{Contact, NarrowPhase};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::{STRICT, TIED_GAP};
use crate::math::{MatrixPose, check_length};
use crate::narrow::gjk::{Difference, Simplex};
use crate::shape::{ConvexPolyhedron, Feature, Placed};

/// Which maximum of the gap is wanted where bodies overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CommonPlaneMode {
    /// The largest: minus the shortest translation that parts the bodies.
    #[default]
    Global,
    /// The local maximum of the step before for as long as it is one, otherwise the largest.
    ///
    /// The answer for bodies that overlap then depends on the state, if that was last used with
    /// the same two shapes; any other state stats as new. Whether bodies overlap, and the answer
    /// for bodies that do not, never depends on it.
    Tracked,
}

/// A common plane that bodies overlap at, or are within a margin of. World frame, in the unit of
/// length of the poses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommonPlaneContact<V = glam::DVec3> {
    /// A point of the plane: half way between the two witness points.
    pub point: V,
    /// Unit normal of the plane, from the first body to the second.
    pub normal: V,
    /// How deep the bodies interpenetrate: the shortest translation that parts them; minus the
    /// distance of bodies that are apart.
    pub overlap: f64,
    /// The point of the first body that bounds it: `point + normal * overlap / 2`.
    pub point_a: V,
    /// The point of the second body: `point - normal * overlap / 2`.
    pub point_b: V,
    /// The part of the first body that `point_a` is on.
    pub feature_a: Feature,
    /// The part of the second body.
    pub feature_b: Feature,
    /// A bound of the error of the overlap: the difference of the upper and the lower bound that were
    /// found, rounding included. Along `normal` the bodies are `-overlap` apart to within it.
    pub error_bound: f64,
}

impl<V> From<CommonPlaneContact<V>> for Contact<V> {
    fn from(contact: CommonPlaneContact<V>) -> Self {
        let CommonPlaneContact {
            point,
            normal,
            overlap,
            ..
        } = contact;
        Self {
            point,
            normal,
            overlap,
        }
    }
}

/// How answers were found, and how many since the kernel was made: what to look at where it is slow.
/// `skipped`, `kept`, `warm` and `cold` add up to the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommonPlaneStats {
    /// Too far apart to have come within the margin since the last answer.
    pub skipped: u64,
    /// The features of the last answer, which still are strict.
    pub kept: u64,
    /// A search from the features of the last answer.
    pub warm: u64,
    /// A search from nothing; in 2D each search.
    pub cold: u64,
    /// All pairs of features (these are counted under `cold`, too).
    pub exhaustive: u64,
}

/// The area that two bodies have in common on their common plane. World frame, in the unit of length
/// of the poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlaneArea<V = glam::DVec3> {
    /// How many points of the caller's buffer were filled; 0 without a buffer.
    pub point_count: usize,
    /// The area, in that unit squared; 0 of an edge or a vertex.
    pub area: f64,
    /// The centroid of the area, or of the points where there is none.
    pub centroid: V,
}

/// The common plane between two convex polyhedra, or polygons in 2D: at most one contact.
///
/// The answer depends on the bodies alone, not on the state (except in [`CommonPlaneMode::Tracked`]): where
/// several planes are equally good to rounding (crossed edges in line, identical bodies), state is
/// not used, and the search decides, always in the same way; of faces that are parallel to rounding
/// the contact is in the middle of the area that they share. Swapping the bodies negates the normal,
/// bit for bit, but for bodies that are the same shape at the same pose. Features that touch
/// exactly, to rounding, have an overlap of 0 to rounding and the normal of a face or of two edges.
///
/// Both bodies have the same type of shape; `&ConvexPolyhedron`, `Arc<ConvexPolyhedron>` and the like
/// will do. [`patch`](Self::patch) and [`section`](Self::section) are for polyhedra only.
///
/// O(size of the features that carry the plane) where they are those of the step before, as mostly
/// they are; a search looks at some ten vertices of each body with their neighbours. In 2D a search
/// is O(corners). All pairs of features are left for ties: O(vertices + pairs of edges whose arcs on the
/// Gauss map cross), which is O(vertices) of round bodies. The common area of two faces of m and n corners
/// takes O(m n). No allocation once the kernel's buffers have grown; memories have none.
///
/// A state of another pair, of other shapes or of another state costs time and never changes an
/// answer in [`CommonPlaneMode::Global`]; see [`CommonPlaneState`].
///
/// Errors of the overlap are some 1e-15 of the sum of the bodies' sizes. The error bound is 48 ulps of
/// that sum, or of the distance of bodies that are farther apart; where planes are tied at a gap of
/// about 0 it is up to three times as much. Along the normal the support functions of the bodies give
/// the overlap to within the error bound. The ends of the gap are on their bodies to 1e-12 of the size,
/// of plates thinner than 1e-8 of it to 1e-8.
///
/// ```
/// use osculate::{CommonPlane, ConvexPolyhedron, Feature, NarrowPhase, Placed, Pose3, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let octahedron = ConvexPolyhedron::from_convex_hull(&[DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat())?;
/// let a = Placed { shape: &cube, pose: Pose3::IDENTITY };
/// let b = Placed { shape: &octahedron, pose: Pose3::from_translation(DVec3::new(0.5, 0.5, 1.75))? };
/// let mut state = Default::default();
/// CommonPlane::new().for_each_contact(&a, &b, &mut state, |contact| {
///     assert_eq!((contact.overlap, contact.normal), (0.25, DVec3::Z));
///     assert_eq!(contact.point_b, DVec3::new(0.5, 0.5, 0.75));
///     assert!(matches!(contact.feature_b, Feature::Vertex(_)));
/// });
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CommonPlane {
    margin: f64,
    mode: CommonPlaneMode,
    stats: CommonPlaneStats,
    scratch: SearchBuffers,
}

impl CommonPlane {
    /// Contacts with a positive overlap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also bodies with a gap smaller than `margin`.
    ///
    /// Each pair within the margin is answered in full at each call. Of others the search ends as
    /// soon as a gap beyond it is proved, and is skipped until the motion since could have used that
    /// up: the wider the margin, the fewer pairs are.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// The same kernel in another mode.
    #[must_use]
    pub fn with_mode(self, mode: CommonPlaneMode) -> Self {
        Self { mode, ..self }
    }

    /// How the answers so far were found.
    pub fn stats(&self) -> CommonPlaneStats {
        self.stats
    }

    /// The area where two polyhedra meet along a contact's plane: the parts of each body all of
    /// whose corners are within `thickness` of its extreme point along the normal (a face, an edge
    /// or a vertex), one cut by the other, in the plane. Up to 8 points of it are written, in order
    /// around it; area and centroid are those of all.
    ///
    /// A thickness of 0 takes parts that are parallel to the plane to rounding; it is a length in the
    /// unit of the poses. O(product of the corners of the two parts), without a search.
    pub fn patch(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        b: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        contact: &CommonPlaneContact<DVec3>,
        thickness: f64,
        points: &mut [DVec3; 8],
    ) -> PlaneArea<DVec3> {
        let frame = frame_of(a, b);
        let normal = a.pose.inverse_transform_vector(contact.normal);
        let rounding = frame.size * STRICT;
        let patch = &mut self.scratch.patch;
        patch.set(&frame, normal, -contact.overlap, thickness.max(rounding));
        let to_world = |x| a.pose.transform_point(x + frame.p.center);
        let all = patch.points();
        let point_count = all.len().min(points.len());
        for (i, point) in points.iter_mut().take(point_count).enumerate() {
            *point = to_world(all[i * all.len() / point_count]);
        }
        PlaneArea {
            point_count,
            area: patch.area(),
            centroid: to_world(patch.middle()),
        }
    }

    /// The part of a contact's plane that is inside both polyhedra; empty for bodies that are
    /// apart. O(faces^2) at most.
    pub fn section(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        b: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        contact: &CommonPlaneContact<DVec3>,
    ) -> PlaneArea<DVec3> {
        let frame = frame_of(a, b);
        let normal = a.pose.inverse_transform_vector(contact.normal);
        let through = a.pose.inverse_transform_point(contact.point) - frame.p.center;
        let section = &mut self.scratch.patch;
        section.set_section(&frame, normal, through);
        let middle = if section.points().is_empty() {
            through
        } else {
            section.middle()
        };
        PlaneArea {
            point_count: 0,
            area: section.area(),
            centroid: a.pose.transform_point(middle + frame.p.center),
        }
    }

    /// The plane, and the features it rests on for next time.
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
        let last = state.pair.plane(frame);
        if let Some(plane) = last
            && (plane.gap >= 0.0 || self.keeps(frame, &plane, now, state))
        {
            self.stats.kept += 1;
            if plane.gap > self.margin || self.mode == CommonPlaneMode::Tracked {
                state.set_gap(plane.gap, now, self.mode);
            }
            return Some(plane);
        }
        let found = self.search(frame, state.pair, last);
        state.pair = found.pair;
        match found.polytope {
            Some(polytope) if self.mode == CommonPlaneMode::Global => {
                state.bound = Bound::Around(polytope)
            }
            _ => state.set_gap(found.gap, now, self.mode),
        }
        found.plane
    }

    /// Whether the plane of the last features, along which the bodies overlap, is the answer.
    #[inline]
    fn keeps(
        &self,
        frame: &PairFrame,
        plane: &Plane,
        now: &Placement<DVec3>,
        state: &CommonPlaneState<DVec3>,
    ) -> bool {
        match self.mode {
            CommonPlaneMode::Global => state.proves(frame, plane),
            // A local maximum can be below 0 for bodies that are apart.
            CommonPlaneMode::Tracked => {
                state.is_of(now.shapes)
                    && (Certificate::of(frame, plane).shows_overlap()
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
        // A gap that is the margin to rounding is compared when it is known.
        let margin = self.margin + frame.size * TIED_GAP;
        if let Some(start) = start(frame, pair, last)
            && let Some(found) = search(&supports, &mut self.scratch, start, margin, false)
        {
            self.stats.warm += 1;
            return found;
        }
        let start = supports.farthest(-frame.centers(), &Difference::default());
        let start = (Simplex::vertex(start), start.x);
        self.stats.cold += 1;
        let found = search(&supports, &mut self.scratch, start, margin, true);
        let found = found.unwrap_or_else(SearchResult::nothing);
        self.stats.exhaustive += u64::from(found.is_exhaustive);
        found
    }
}

fn frame_of<'a>(
    a: &'a Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
    b: &'a Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
) -> PairFrame<'a> {
    let [p, q] = [a.shape.borrow(), b.shape.borrow()].map(ConvexPolyhedron::boundary);
    PairFrame::new(p, q, &a.pose.inv_mul(&b.pose))
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S, DVec3>, Placed<S, DVec3>> for CommonPlane {
    type Contact = CommonPlaneContact<DVec3>;
    type State = CommonPlaneState<DVec3>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec3>,
        b: &Placed<S, DVec3>,
        state: &mut CommonPlaneState<DVec3>,
        mut report: impl FnMut(CommonPlaneContact<DVec3>),
    ) {
        let pair = Ordered::new(
            a,
            b,
            |shape: &ConvexPolyhedron| &shape.boundary().vertices,
            |_, _| Ordering::Equal,
        );
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
            if let FeaturePair::FaceFace(..) = state.pair {
                plane = self.scratch.patch.place(&frame, plane);
            }
            let on_p = world.transform_point(plane.on_p + p.center);
            report(plane.contact(world.transform_vector(plane.normal), on_p, pair.is_swapped));
        }
    }
}
