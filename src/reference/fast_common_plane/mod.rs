//! The fast common plane: the paper's own search, from closest vertices to candidate planes and
//! back.
//!
//! E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection algorithm for
//! 3-D discrete element method", Computers and Geotechnics 31 (2004) 575-587.
//!
//! From the plane of the step before, or from the bisector of the centroids: the closest vertices
//! A and B of the two bodies; for them the candidates (2D: the bisector of AB and the lines along
//! four sides; 3D: the bisector (a), planes along a face at A or B (b), along an edge at A and one
//! at B (c), along one edge (d)); of these the one with the largest gap; and again, until the plane
//! repeats. Bodies that overlap are moved apart along the plane of the step before, solved, and
//! carried back.
//!
//! It is here to reproduce the paper and to compare with; [`CommonPlane`](crate::CommonPlane) is
//! exact, and faster. This search finds a plane that is near the best for most pairs and is not
//! for some: where several vertices tie for the closest, the cone of the nearest pair need not hold
//! the best plane, and it stops. docs/VALIDATION.md has rates.
//!
//! Deviations:
//! - A gap is that over all vertices, not of A and B alone: otherwise step 3 takes planes that cut
//!   the bodies. Then `n.AB` is an upper bound, by which most candidates are refused at once.
//! - Vertices within 1e-12 of the size tie, and a plane must be better by that much to replace
//!   another: gaps only grow, so planes cannot cycle. There is a cap on passes all the same.
//! - Condition 1 (centroids on opposite sides) holds by itself where the gap is positive, and as a
//!   filter it can reject every candidate: it is not used. The sign of a normal is that of `n.AB`.
//! - Eqs 4 and 5 are not unit vectors; here all normals are.
//! - Contact is declared where no plane with a positive gap is found, not where the largest gap of
//!   one pass is negative (step 3).
//! - TRAN is the depth along the plane of the step before at this step's poses; the depth (or gap)
//!   of the step before may be too small.
//! - PAD (eq. 6) is a sum for each body that a contact of the body with any other sets back to 0.
//!   Here each pair has the pose of its last search.

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

/// No pair of bodies is known that needs half as many.
const MAX_ITERATIONS: u32 = 64;

/// A plane that [`FastCommonPlane`] has found. It may not be the best one: nothing is proved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FastCommonPlaneContact<V = glam::DVec3> {
    /// The midpoint of the closest vertices, a point of the plane.
    pub point: V,
    /// Unit normal of the plane, from the first body to the second.
    pub normal: V,
    /// Minus the gap along the normal, over all vertices: at least the exact overlap.
    pub overlap: f64,
    /// What the plane is parallel to. In 3D two vertices are type a, a facet and a vertex b, two
    /// edges c, an edge and a vertex d; in 2D an edge and a vertex are type b.
    pub feature_a: Feature,
    /// The same of the second body.
    pub feature_b: Feature,
    /// The closest vertices of the two bodies.
    pub vertices: [u32; 2],
    /// How many times steps 2 to 4 were done, the last of which finds the plane again; 0 if the
    /// candidate of an earlier search was kept.
    pub iterations: u32,
}

impl<V> From<FastCommonPlaneContact<V>> for Contact<V> {
    fn from(contact: FastCommonPlaneContact<V>) -> Self {
        let FastCommonPlaneContact {
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

/// What [`FastCommonPlane`] remembers of a pair: the plane of the step before.
///
/// A memory of other shapes, or of the same two in the other order, counts as new. Clones of a
/// shape count as the same shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastCommonPlaneState<V: Vector = glam::DVec3> {
    /// In the world.
    normal: V,
    vertices: [u32; 2],
    features: [Feature; 2],
    /// The gap that the last search found, and where.
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

/// What a [`FastCommonPlane`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FastCommonPlaneStats {
    /// Pairs too far apart to have come within the margin since their last search.
    pub skipped: u64,
    /// Pairs whose candidate was kept (section 6.3).
    pub approximated: u64,
    /// Pairs that were searched.
    pub searched: u64,
    /// Passes of all searches.
    pub iterations: u64,
    /// The most of one search.
    pub most_iterations: u32,
}

/// The paper's common plane between two convex polygons or polyhedra: at most one contact.
///
/// As printed, the search starts from the plane of the step before. Which plane it finds therefore
/// depends on the memory, if that was last used with the same two shapes in the same order; any
/// other memory counts as new. Whatever the memory, the overlap is that along the normal, over all
/// vertices, and is at least the exact one: bodies that overlap, or are within the margin, are
/// always reported.
///
/// World frame. It is here to reproduce the paper: [`CommonPlane`](crate::CommonPlane) is exact, and
/// faster. Each candidate plane costs a look at all vertices.
///
/// ```
/// use osculate::{ConvexPolygon, Feature, NarrowPhase, Placed, Pose2, glam::DVec2, reference::FastCommonPlane};
///
/// let square = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
/// let square = ConvexPolygon::from_convex_hull(&square)?;
/// let a = Placed { shape: &square, pose: Pose2::IDENTITY };
/// let b = Placed { shape: &square, pose: Pose2::new(DVec2::new(0.6, 0.8), DVec2::new(2.0, 0.0))? };
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
    counts: FastCommonPlaneStats,
    ties: [Vec<u32>; 2],
}

impl FastCommonPlane {
    /// Contacts with a positive overlap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also bodies with a gap smaller than `margin`, the paper's TOL.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// The same kernel with the approximation of section 6.3: while a pair has moved by less than
    /// the margin since its last search, its plane stays that of the same vertices, faces or edges.
    /// If other vertices are closer to that plane, a search finds another.
    #[must_use]
    pub fn with_kept_candidates(self, keeps_candidates: bool) -> Self {
        Self {
            keeps_candidates,
            ..self
        }
    }

    /// What was done so far.
    pub fn stats(&self) -> FastCommonPlaneStats {
        self.counts
    }

    fn contact<V: Vector, B: PaperBody<V>>(
        &mut self,
        [p, q]: [&B; 2],
        [first, second]: [&Pose<V>; 2],
        memory: &mut FastCommonPlaneState<V>,
    ) -> Option<FastCommonPlaneContact<V>> {
        let now = Placement {
            shapes: [p.stamp(), q.stamp()],
            relative: first.inv_mul(second),
        };
        if memory.last.at.shapes != now.shapes {
            *memory = FastCommonPlaneState::default();
        }
        let reach = || [p.reach(), q.reach()];
        if memory.last.exceeds(self.margin, &now, reach) {
            self.counts.skipped += 1;
            return None;
        }
        let frame = PaperFrame::new(p, q, &now.relative);
        let is_near = || now.motion_from(&memory.last.at, reach()) < self.margin;
        let is_kept = self.keeps_candidates
            && !memory.is_new()
            && memory.last.gap <= self.margin
            && is_near();
        let kept = is_kept.then(|| kept(&frame, first, memory)).flatten();
        let (plane, iterations) = match kept {
            Some(plane) => {
                self.counts.approximated += 1;
                (plane, 0)
            }
            None => {
                let found = self.search(&frame, first, memory);
                let gap = found.0.gap;
                memory.last = PairGap { gap, at: now };
                found
            }
        };
        memory.normal = first.transform_vector(plane.normal);
        (memory.vertices, memory.features) = (plane.vertices, plane.features);
        let [a, b] = plane.vertices;
        let point = p.vertex(a) + frame.segment([a, b]) * 0.5 + p.center();
        (plane.gap < self.margin).then(|| FastCommonPlaneContact {
            point: first.transform_point(point),
            normal: memory.normal,
            overlap: -plane.gap,
            feature_a: plane.features[0],
            feature_b: plane.features[1],
            vertices: plane.vertices,
            iterations,
        })
    }

    /// Sections 6.1 and 6.2.
    fn search<V: Vector, B: PaperBody<V>>(
        &mut self,
        frame: &PaperFrame<V, B>,
        first: &Pose<V>,
        memory: &FastCommonPlaneState<V>,
    ) -> (CandidatePlane<V>, u32) {
        let guess = first.inverse_transform_vector(memory.normal);
        let start = direction(guess, guess.length())
            .or_else(|| direction(frame.between, frame.between.length()))
            .unwrap_or(V::X);
        let mut plane = frame.plane(start, [0; 2], memory.features);
        if memory.is_new() {
            plane.features = plane.vertices.map(Feature::Vertex);
        }
        let mut passes = 0;
        let was_apart = memory.is_new() || memory.last.gap > 0.0;
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
        self.counts.searched += 1;
        self.counts.iterations += u64::from(passes);
        self.counts.most_iterations = self.counts.most_iterations.max(passes);
        (plane, passes)
    }

    /// Steps 2 to 4, until the plane repeats or the gap is beyond a limit.
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

/// Step 3: the candidate with the largest gap, if it is larger than that of the plane.
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

/// Section 6.3: the plane of the same vertices and features, if these vertices are still the closest
/// to it.
fn kept<V: Vector, B: PaperBody<V>>(
    frame: &PaperFrame<V, B>,
    first: &Pose<V>,
    memory: &FastCommonPlaneState<V>,
) -> Option<CandidatePlane<V>> {
    let [a, b] = memory.vertices;
    let is_there = |id: u32, body: &B| (id as usize) < body.vertex_count();
    if !is_there(a, frame.p) || !is_there(b, frame.q) {
        return None;
    }
    let ab = frame.segment([a, b]);
    let before = first.inverse_transform_vector(memory.normal);
    // Apart along the plane of the step before, as in a search.
    let tran = (-before.dot(ab)).max(0.0);
    let normal = B::candidate(frame, memory.features, ab + before * (2.0 * tran))?;
    let normal = direction(normal, normal.length())?;
    let plane = frame.plane(normal, memory.vertices, memory.features);
    (normal.dot(ab) - plane.gap <= FAST_PLANE_TIE * frame.size).then_some(CandidatePlane {
        vertices: memory.vertices,
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
        memory: &mut FastCommonPlaneState<DVec2>,
        report: impl FnMut(FastCommonPlaneContact<DVec2>),
    ) {
        let shapes = [a.shape.borrow(), b.shape.borrow()];
        let contact = self.contact(shapes, [&a.pose, &b.pose], memory);
        contact.into_iter().for_each(report);
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
        memory: &mut FastCommonPlaneState<DVec3>,
        report: impl FnMut(FastCommonPlaneContact<DVec3>),
    ) {
        let shapes = [a.shape.borrow(), b.shape.borrow()].map(ConvexPolyhedron::boundary);
        let contact = self.contact(shapes, [&a.pose, &b.pose], memory);
        contact.into_iter().for_each(report);
    }
}
