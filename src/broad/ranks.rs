/// A body as seen by one rank of a domain decomposition.
///
/// ```
/// use osculate::broad::{RankBody, rank_owns_pair};
///
/// let body = |id, is_owned| RankBody { id, is_owned, image: [0; 3] };
/// // Bodies 7 and 9 are owned by two ranks, each of which has a ghost of the other body.
/// assert!(rank_owns_pair(body(7, true), body(9, false)));
/// assert!(!rank_owns_pair(body(9, true), body(7, false)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankBody {
    /// The number of the body among all bodies of all ranks.
    pub id: u64,
    /// Whether this rank owns the body. Otherwise the body is a ghost: a copy of a body of another rank, or a
    /// periodic image of a body of any rank.
    pub is_owned: bool,
    /// The shift of the image from its body, in periods along each axis.
    pub image: [i32; 3],
}

/// Returns whether this rank keeps a pair that it has found. Exactly one rank keeps each pair, once.
///
/// - Two owned bodies: kept. Two ghosts: not kept.
/// - Owned body i and ghost j of another body: kept if `id_i < id_j` and `id_i + id_j` is even, or if
///   `id_i > id_j` and the sum is odd. The two ranks share their pairs evenly.
/// - A body and its own image: kept if the image vector from the owned body to the ghost is lexicographically
///   positive.
///
/// Each rank decides alone, without communication. Every body must be owned by one rank. Every rank must have ghosts of
/// all bodies and periodic images within the cut-off of an owned body. The rule then holds for any decomposition. It
/// also holds in boxes so small that a body touches its own images, or several images of another body.
#[must_use]
pub const fn rank_owns_pair(a: RankBody, b: RankBody) -> bool {
    let (owned, ghost) = match (a.is_owned, b.is_owned) {
        (true, true) => return true,
        (false, false) => return false,
        (true, false) => (a, b),
        (false, true) => (b, a),
    };
    if owned.id == ghost.id {
        // The lexicographic order does not depend on the origin of the images.
        let (a, b) = (owned.image, ghost.image);
        return a[0] < b[0] || a[0] == b[0] && (a[1] < b[1] || a[1] == b[1] && a[2] < b[2]);
    }
    let is_even = (owned.id ^ ghost.id) & 1 == 0;
    is_even == (owned.id < ghost.id)
}
