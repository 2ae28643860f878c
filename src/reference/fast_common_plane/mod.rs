//! The fast common plane as printed: a search from closest vertices to candidate planes and back.
//!
//! E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection algorithm for
//! 3-D discrete element method", Computers and Geotechnics 31 (2004) 575-587.
//!
//! The search starts from the plane of the last step, or from the bisector of the centroids. It takes the
//! closest vertices A and B of the two bodies, and of their candidate planes the one with the largest
//! gap. This is repeated until the plane stays the same. In 2D the candidates are the bisector of AB and
//! the lines along four edges. In 3D they are the bisector (a), planes along a face at A or B (b), along
//! an edge at A and one at B (c), and along one edge (d). Overlapping bodies are moved apart along the
//! plane of the last step, solved, and moved back.
//!
//! Use it to reproduce the paper and for comparisons; [`CommonPlane`](crate::CommonPlane) is exact and
//! faster. This search finds the best plane of most pairs, but not of all. If several vertices tie for
//! the closest, the candidates of the nearest pair need not contain the best plane. docs/VALIDATION.md
//! has the rates.
//!
//! Deviations:
//! - Gaps are computed from all vertices, not from A and B alone: otherwise step 3 accepts planes that
//!   cut the bodies. `n.AB` is an upper bound, which rejects most candidates at once.
//! - Vertices within 1e-12 of the size tie, and a plane must be better by this amount to replace another.
//!   Gaps then only grow, so planes cannot cycle. The number of passes is limited all the same.
//! - Condition 1 (centroids on opposite sides) is not used. It always holds for a positive gap, and as a
//!   filter it can reject every candidate. The sign of a normal is that of `n.AB`.
//! - All normals are unit; those of eqs. 4 and 5 are not.
//! - Contact means that no plane with a positive gap is found, not that the largest gap of one pass is
//!   negative (step 3).
//! - TRAN is the depth along the plane of the last step at the current poses; the depth of the last step
//!   may be too small.
//! - Each pair stores the pose of its last search. PAD (eq. 6) is a sum for each body, which a contact
//!   with any other body resets to 0.

mod body;
mod frame;

use std::borrow::Borrow;

use glam::{DVec2, DVec3};

use self::body::PaperBody;
use self::frame::{CandidatePlane, PaperFrame};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::FAST_PLANE_TIE;
use crate::math::{Pose, Vector, check_length, direction};
use crate::narrow::pair_gap::{PairGap, Placement};
use crate::narrow::{Contact, NarrowPhase};
use crate::shape::{ConvexPolygon, ConvexPolyhedron, Feature, Placed};

/// The largest number of passes; no known pair of bodies needs half as many.
const MAX_ITERATIONS: u32 = 64;

/// A contact of [`FastCommonPlane`]. Its plane may not be the best one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FastCommonPlaneContact<V = DVec3> {
    /// The point of the plane halfway between the closest vertices.
    pub point: V,
    /// The unit normal of the plane, from the first body to the second.
    pub normal: V,
    /// Minus the gap of all vertices along the normal: at least the exact overlap.
    pub overlap: f64,
    /// The feature of the first body that the plane is parallel to.
    ///
    /// In 3D two vertices are of type a, a facet and a vertex of type b, two edges of type c, and an edge
    /// and a vertex of type d. In 2D an edge and a vertex are of type b.
    pub feature_a: Feature,
    /// The feature of the second body.
    pub feature_b: Feature,
    /// The closest vertices of the two bodies.
    pub vertices: [u32; 2],
    /// The number of passes through steps 2 to 4, including the last pass, which finds the same plane. 0
    /// if the candidate of an earlier search was kept.
    pub iterations: u32,
}

impl<V> From<FastCommonPlaneContact<V>> for Contact<V> {
    fn from(contact: FastCommonPlaneContact<V>) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}

/// The state of a pair in [`FastCommonPlane`]: the plane of the last step.
///
/// A state of other shapes, or of the same two in the other order, counts as new. Clones of a shape
/// count as the same shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastCommonPlaneState<V: Vector = DVec3> {
    /// In the world frame.
    normal: V,
    vertices: [u32; 2],
    features: [Feature; 2],
    /// The gap of the last search, and its placement.
    last: PairGap<V>,
}

impl<V: Vector> Default for FastCommonPlaneState<V> {
    fn default() -> Self {
        Self {
            normal: V::ZERO,
            vertices: [0; 2],
            features: [Feature::Vertex(0); 2],
            last: PairGap {
                gap: 0.0,
                at: Placement::NONE,
            },
        }
    }
}

impl<V: Vector> FastCommonPlaneState<V> {
    fn is_new(&self) -> bool {
        self.normal == V::ZERO
    }
}

/// Counts of the work of a [`FastCommonPlane`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FastCommonPlaneStats {
    /// Pairs too far apart to have come within the margin since their last search.
    pub skipped: u64,
    /// Pairs whose candidate was kept (section 6.3).
    pub approximated: u64,
    /// Pairs that were searched.
    pub searched: u64,
    /// Passes through steps 2 to 4 of all searches.
    pub iterations: u64,
    /// The largest number of passes of one search.
    pub most_iterations: u32,
}

/// Common plane between two convex polygons or polyhedra, by the search of Nezami et al. (2004) as
/// printed.
///
/// At most one contact is reported, in the world frame. The plane found depends on the state. A state
/// that was last used with other shapes, or in the other order, counts as new. For any state the overlap
/// is that of all vertices along the normal, and at least the exact one. So bodies that overlap, or are
/// within the margin, are always reported.
///
/// Use it to reproduce the paper: [`CommonPlane`](crate::CommonPlane) is exact and faster. Each candidate
/// plane visits all vertices.
///
/// ```
/// use osculate::{ConvexPolygon, Feature, NarrowPhase, Placed, Pose2};
/// use osculate::{glam::DVec2, reference::FastCommonPlane};
///
/// let square = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
/// let square = ConvexPolygon::from_convex_hull(&square)?;
/// let a = Placed::new(&square, Pose2::IDENTITY);
/// let pose = Pose2::new(DVec2::new(0.6, 0.8), DVec2::new(2.0, 0.0))?;
/// let b = Placed::new(&square, pose);
/// let mut kernel = FastCommonPlane::new().with_margin(0.5)?;
/// kernel.for_each_contact(&a, &b, &mut Default::default(), |contact| {
///     assert!((contact.overlap + 0.2).abs() < 1e-15 && contact.normal == DVec2::X);
///     assert_eq!(contact.feature_a, Feature::Edge(1, 2));
/// });
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FastCommonPlane {
    margin: f64,
    keeps_candidates: bool,
    stats: FastCommonPlaneStats,
    ties: [Vec<u32>; 2],
}

impl FastCommonPlane {
    /// Creates a kernel that reports contacts with a positive overlap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports gaps smaller than `margin`, the paper's TOL.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// Enables the approximation of section 6.3.
    ///
    /// A pair that has moved by less than the margin since its last search keeps the candidate of the
    /// same vertices, faces or edges. If other vertices are closer to that plane, a search follows.
    #[must_use]
    pub fn with_kept_candidates(self, keeps_candidates: bool) -> Self {
        Self {
            keeps_candidates,
            ..self
        }
    }

    /// Returns the counts so far.
    pub fn stats(&self) -> FastCommonPlaneStats {
        self.stats
    }

    fn contact<V: Vector, B: PaperBody<V>>(
        &mut self,
        [p, q]: [&B; 2],
        [first, second]: [&Pose<V>; 2],
        state: &mut FastCommonPlaneState<V>,
    ) -> Option<FastCommonPlaneContact<V>> {
        let now = Placement {
            shapes: [p.stamp(), q.stamp()],
            relative: first.inv_mul(second),
        };
        if state.last.at.shapes != now.shapes {
            *state = FastCommonPlaneState::default();
        }
        let reach = || [p.reach(), q.reach()];
        if state.last.exceeds(self.margin, &now, reach) {
            self.stats.skipped += 1;
            return None;
        }
        let frame = PaperFrame::new(p, q, &now.relative);
        let is_near = || now.motion_from(&state.last.at, reach()) < self.margin;
        let is_kept =
            self.keeps_candidates && !state.is_new() && state.last.gap <= self.margin && is_near();
        let kept = is_kept.then(|| kept(&frame, first, state)).flatten();
        let (plane, iterations) = match kept {
            Some(plane) => {
                self.stats.approximated += 1;
                (plane, 0)
            }
            None => {
                let found = self.search(&frame, first, state);
                let gap = found.0.gap;
                state.last = PairGap { gap, at: now };
                found
            }
        };
        state.normal = first.transform_vector(plane.normal);
        (state.vertices, state.features) = (plane.vertices, plane.features);
        let [a, b] = plane.vertices;
        let point = p.vertex(a) + frame.segment([a, b]) * 0.5 + p.center();
        (plane.gap < self.margin).then(|| FastCommonPlaneContact {
            point: first.transform_point(point),
            normal: state.normal,
            overlap: -plane.gap,
            feature_a: plane.features[0],
            feature_b: plane.features[1],
            vertices: plane.vertices,
            iterations,
        })
    }

    /// Searches as in sections 6.1 and 6.2; returns the plane and the number of passes.
    fn search<V: Vector, B: PaperBody<V>>(
        &mut self,
        frame: &PaperFrame<V, B>,
        first: &Pose<V>,
        state: &FastCommonPlaneState<V>,
    ) -> (CandidatePlane<V>, u32) {
        let guess = first.inverse_transform_vector(state.normal);
        let start = direction(guess, guess.length())
            .or_else(|| direction(frame.between, frame.between.length()))
            .unwrap_or(V::X);
        let mut plane = frame.plane(start, [0; 2], state.features);
        if state.is_new() {
            plane.features = plane.vertices.map(Feature::Vertex);
        }
        let mut passes = 0;
        let was_apart = state.is_new() || state.last.gap > 0.0;
        if plane.gap > 0.0 || was_apart {
            self.ascend(frame, &mut plane, &mut passes, self.margin);
        }
        if plane.gap <= 0.0 {
            let tran = -plane.gap;
            let apart = frame.moved(plane.normal * (2.0 * tran));
            let mut separated = apart.plane(plane.normal, plane.vertices, plane.features);
            self.ascend(&apart, &mut separated, &mut passes, f64::INFINITY);
            plane = CandidatePlane {
                gap: frame
                    .plane(separated.normal, separated.vertices, separated.features)
                    .gap,
                ..separated
            };
            if plane.gap > 0.0 {
                self.ascend(frame, &mut plane, &mut passes, self.margin);
            }
        }
        self.stats.searched += 1;
        self.stats.iterations += u64::from(passes);
        self.stats.most_iterations = self.stats.most_iterations.max(passes);
        (plane, passes)
    }

    /// Repeats steps 2 to 4 until the plane stays the same or the gap exceeds a limit.
    fn ascend<V: Vector, B: PaperBody<V>>(
        &mut self,
        frame: &PaperFrame<V, B>,
        plane: &mut CandidatePlane<V>,
        passes: &mut u32,
        limit: f64,
    ) {
        let mut before = None;
        for _ in 0..MAX_ITERATIONS {
            *passes += 1;
            plane.vertices = frame.closest(plane, &mut self.ties);
            // The same vertices have the same candidates: the plane would repeat.
            if before == Some(plane.vertices) {
                return;
            }
            before = Some(plane.vertices);
            match best_candidate(frame, plane) {
                Some(better) => *plane = better,
                None => return,
            }
            if plane.gap > limit {
                return;
            }
        }
    }
}

/// Step 3: returns the candidate with the largest gap, if it is larger than that of the plane.
fn best_candidate<V: Vector, B: PaperBody<V>>(
    frame: &PaperFrame<V, B>,
    plane: &CandidatePlane<V>,
) -> Option<CandidatePlane<V>> {
    let ab = frame.segment(plane.vertices);
    let (mut best, mut largest) = (None, plane.gap + FAST_PLANE_TIE * frame.size);
    B::candidates(frame, plane.vertices, ab, |normal, features| {
        // No gap is larger than that of A and B alone.
        let (along, length_squared) = (normal.dot(ab), normal.length_squared());
        if along <= 0.0 && largest >= 0.0 {
            return;
        }
        let length = length_squared.sqrt();
        if along <= largest * length {
            return;
        }
        let Some(normal) = direction(normal, length) else {
            return;
        };
        let candidate = frame.plane(normal, plane.vertices, features);
        if candidate.gap > largest {
            largest = candidate.gap;
            best = Some(candidate);
        }
    });
    best
}

/// Section 6.3: returns the candidate of the same vertices and features, if these vertices are still the
/// closest to it. The state is one of these bodies.
fn kept<V: Vector, B: PaperBody<V>>(
    frame: &PaperFrame<V, B>,
    first: &Pose<V>,
    state: &FastCommonPlaneState<V>,
) -> Option<CandidatePlane<V>> {
    let ab = frame.segment(state.vertices);
    let before = first.inverse_transform_vector(state.normal);
    // Apart along the plane of the step before, as in a search.
    let tran = (-before.dot(ab)).max(0.0);
    let normal = B::candidate(frame, state.features, ab + before * (2.0 * tran));
    let normal = direction(normal, normal.length())?;
    let plane = frame.plane(normal, state.vertices, state.features);
    (normal.dot(ab) - plane.gap <= FAST_PLANE_TIE * frame.size).then_some(CandidatePlane {
        vertices: state.vertices,
        ..plane
    })
}

impl<S: Borrow<ConvexPolygon>> NarrowPhase<Placed<S, DVec2>, Placed<S, DVec2>> for FastCommonPlane {
    type Contact = FastCommonPlaneContact<DVec2>;
    type State = FastCommonPlaneState<DVec2>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec2>,
        b: &Placed<S, DVec2>,
        state: &mut FastCommonPlaneState<DVec2>,
        visit: impl FnMut(FastCommonPlaneContact<DVec2>),
    ) {
        let shapes = [a.shape.borrow(), b.shape.borrow()];
        let contact = self.contact(shapes, [&a.pose, &b.pose], state);
        contact.into_iter().for_each(visit);
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S, DVec3>, Placed<S, DVec3>>
    for FastCommonPlane
{
    type Contact = FastCommonPlaneContact<DVec3>;
    type State = FastCommonPlaneState<DVec3>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec3>,
        b: &Placed<S, DVec3>,
        state: &mut FastCommonPlaneState<DVec3>,
        visit: impl FnMut(FastCommonPlaneContact<DVec3>),
    ) {
        let shapes = [a.shape.borrow(), b.shape.borrow()].map(ConvexPolyhedron::boundary);
        let contact = self.contact(shapes, [&a.pose, &b.pose], state);
        contact.into_iter().for_each(visit);
    }
}
