/// A body as one rank of a decomposed simulation sees it.
///
/// ```
/// use osculate::broad::{RankBody, rank_owns_pair};
///
/// let body = |id, is_owned| RankBody { id, is_owned, image: [0; 3] };
/// // Bodies 7 and 9 live on two ranks that each have a ghost of the other's.
/// assert!(rank_owns_pair(body(7, true), body(9, false)));
/// assert!(!rank_owns_pair(body(9, true), body(7, false)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankBody {
    /// The body's number among all bodies of all ranks.
    pub id: u64,
    /// Whether the body lives on this rank; else it is a ghost: a copy of another rank's body, or
    /// a periodic image of any, also of one of the rank's own.
    pub is_owned: bool,
    /// By how many periods along each axis it is shifted from where it lives.
    pub image: [i32; 3],
}

/// Whether a rank keeps a pair that it has found, so that each pair is kept by one rank, once.
///
/// Two owned bodies are kept, two ghosts never. Of an owned body i and a ghost j: if
/// `id_i + id_j` is even where `id_i < id_j`, odd where not, which shares the pairs of two ranks
/// out evenly; and of a body and its own image, the one whose image vector is lexicographically
/// positive. Each rank decides alone: nothing is to be sent.
///
/// The ranks must own each body once, and have as ghosts what is within the cut-off of an owned
/// body, whole images included; then all pairs are kept once however the bodies are shared out,
/// also in boxes so small that a body touches several images of another, or its own.
pub const fn rank_owns_pair(a: RankBody, b: RankBody) -> bool {
    let (owned, ghost) = match (a.is_owned, b.is_owned) {
        (true, true) => return true,
        (false, false) => return false,
        (true, false) => (a, b),
        (false, true) => (b, a),
    };
    if owned.id == ghost.id {
        return is_before(owned.image, ghost.image);
    }
    let is_even = (owned.id ^ ghost.id) & 1 == 0;
    is_even == (owned.id < ghost.id)
}

/// Lexicographic order, which translations do not change.
const fn is_before(a: [i32; 3], b: [i32; 3]) -> bool {
    if a[0] != b[0] {
        a[0] < b[0]
    } else if a[1] != b[1] {
        a[1] < b[1]
    } else {
        a[2] < b[2]
    }
}
