use glam::DVec3;

use super::side_crossing::along;
use crate::math::predicates::{SignedTriangle, doubt_of_passes, passes, passes_beyond};

/// A triangle in the common frame of a pair, prepared for the predicates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Face {
    pub(super) triangle: SignedTriangle,
    /// As in [`Triangle`](crate::shape::Triangle).
    pub(super) sides: [u32; 3],
}

/// A point where an edge of one body crosses a face of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// 0 if the edge belongs to A, 1 if it belongs to B.
    body: u8,
    /// The index of the edge in its face, 0 to 2.
    side: u8,
    /// Whether the face's boundary, counter-clockwise, enters the other body here.
    pub(super) enters: bool,
    pub(super) position: DVec3,
    /// A bound of its distance from the face.
    pub(super) height: f64,
    /// A bound of 1 / sine of the angle between the edge and the face.
    pub(super) slope: f64,
}

/// A segment of the intersection curve in the common frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) ends: [Crossing; 2],
    /// The faces of A and of B, numbered in leaf order.
    pub(super) faces: [u32; 2],
    pub(super) region: u32,
}

impl Segment {
    /// Returns the ends relative to a point.
    #[inline]
    pub(super) fn around(&self, origin: DVec3) -> (DVec3, DVec3) {
        let [a, b] = &self.ends;
        (a.position - origin, b.position - origin)
    }
}

impl Crossing {
    /// Returns the body that the edge belongs to.
    #[inline]
    pub(super) fn body(&self) -> usize {
        usize::from(self.body)
    }

    /// Returns the index of the edge in its face, 0 to 2.
    #[inline]
    pub(super) fn side(&self) -> usize {
        usize::from(self.side)
    }

    /// Returns how much the winding number of the other surface changes here along the edge, from
    /// its lower vertex on. `side` is the half-edge, as in [`Face::sides`].
    #[inline]
    pub(super) fn change(&self, side: u32) -> i32 {
        if self.enters == side.is_multiple_of(2) {
            1
        } else {
            -1
        }
    }
}

/// Returns the segment in which a face of A and a face of B cross, from start to end along
/// `nA x nB`; `None` if they do not cross.
///
/// The segment bounds the part of A's face inside B, counter-clockwise. It therefore starts where
/// the boundary of A's face leaves B, or where the boundary of B's face enters A.
#[inline]
pub(super) fn cross(t: &Face, u: &Face) -> Option<[Crossing; 2]> {
    let of_t = u.triangle.sides_of(&t.triangle, 1.0)?;
    let of_u = t.triangle.sides_of(&u.triangle, -1.0)?;
    if t.triangle.is_flat || u.triangle.is_flat {
        return cross_flat(t, u, of_t, of_u);
    }
    // One corner of each face is alone on its side of the other face's plane. The two edges from this
    // corner cross that plane, and the four crossings lie on the line common to both planes. An edge of
    // one face crosses within the other face if the other face's two edges pass it on different sides.
    let (p, q) = (lone(&of_t), lone(&of_u));
    let doubt = doubt_of_passes(&t.triangle, &u.triangle);
    let passes = |k: usize, l: usize| {
        let edge = |face: &Face, from: usize, to: usize| {
            let corners = &face.triangle.corners;
            [corners[from], corners[to % 3]]
        };
        passes_beyond([edge(t, p, p + k), edge(u, q, q + l)], doubt) > 0.0
    };
    let signs = [[passes(1, 1), passes(1, 2)], [passes(2, 1), passes(2, 2)]];
    let mut ends = Ends::default();
    // The edge to the next corner is side p of the face, the edge from the previous corner side p - 1.
    for (k, side) in [(0, p), (1, (p + 2) % 3)] {
        if signs[k][0] != signs[k][1] {
            ends.put(crossing(t, u, 0, side, &of_t));
        }
    }
    for (l, side) in [(0, q), (1, (q + 2) % 3)] {
        if signs[0][l] != signs[1][l] {
            ends.put(crossing(u, t, 1, side, &of_u));
        }
    }
    ends.get()
}

/// Does the same as [`cross`] if a face has no area. No edge crosses such a face.
#[cold]
#[inline(never)]
fn cross_flat(t: &Face, u: &Face, of_t: [f64; 3], of_u: [f64; 3]) -> Option<[Crossing; 2]> {
    let mut ends = Ends::default();
    for k in 0..3 {
        for (body, face, plane, sides) in [(0, t, u, &of_t), (1, u, t, &of_u)] {
            let goes_through = (sides[k] > 0.0) != (sides[(k + 1) % 3] > 0.0);
            let is_left = |l: usize| {
                let mut edges = [face.triangle.edge(k), plane.triangle.edge(l)];
                if body == 1 {
                    edges.reverse();
                }
                passes(edges) > 0.0
            };
            let stays = || is_left(0) == is_left(1) && is_left(1) == is_left(2);
            if !plane.triangle.is_flat && goes_through && stays() {
                ends.put(crossing(face, plane, body, k, sides));
            }
        }
    }
    ends.get()
}

/// The start and the end of a segment.
#[derive(Default)]
struct Ends([Option<Crossing>; 2]);

impl Ends {
    #[inline]
    fn put(&mut self, crossing: Crossing) {
        let is_end = crossing.enters == (crossing.body == 0);
        self.0[usize::from(is_end)] = Some(crossing);
    }

    #[inline]
    fn get(self) -> Option<[Crossing; 2]> {
        let [start, end] = self.0;
        debug_assert_eq!(start.is_some(), end.is_some(), "an open curve");
        Some([start?, end?])
    }
}

/// Returns the corner whose side differs from that of the two others.
#[inline]
fn lone(sides: &[f64; 3]) -> usize {
    let [a, b, c] = sides.map(|side| side > 0.0);
    if b == c {
        0
    } else if a == c {
        1
    } else {
        2
    }
}

/// Returns the crossing of a side of `face` and of `plane`'s face, given the sides of the corners.
///
/// Interpolates between the lower vertex of the edge and its higher one, from the nearer, so that both faces at the edge
/// get the same bits.
#[inline]
fn crossing(face: &Face, plane: &Face, body: u8, side: usize, sides: &[f64; 3]) -> Crossing {
    let ends = [side, if side == 2 { 0 } else { side + 1 }];
    let is_reversed = (face.sides[side] & 1) as usize;
    let (low, high) = (ends[is_reversed], ends[1 - is_reversed]);
    let is_near = sides[low].abs() <= sides[high].abs();
    let (near, far) = if is_near { (low, high) } else { (high, low) };
    let (from, to) = (sides[near], sides[far]);
    let corners = &face.triangle.corners;
    let (p, edge) = (corners[near], corners[far] - corners[near]);
    let (height, normal) = plane.triangle.doubt_of_height(&face.triangle);
    Crossing {
        body,
        side: side as u8,
        enters: sides[ends[0]] > 0.0,
        position: p + edge * along([from, to]),
        height,
        slope: normal * edge.abs().element_sum() / (from - to).abs(),
    }
}
