//! The domain, and tolerances that several files use, each with its bound and its reason. The others stand where they
//! are used.
//!
//! u = 2^-53 is the relative error of one rounding. Unless another reference is named, a tolerance
//! is relative to the size that its text names, so that results scale exactly under powers of two.

/// Returns 2 to the power of `exponent`, within [-1022, 1023].
pub(crate) const fn two_to(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

// The domain.

/// The largest magnitude of a coordinate or length: 2^150.
///
/// Products of six lengths stay below 2^1024.
pub const MAX_LENGTH: f64 = two_to(150);
/// The smallest length that is not zero: 2^-150.
///
/// Products of six lengths stay above 2^-1022.
pub const MIN_LENGTH: f64 = two_to(-150);

// Vectors and poses.

/// A distance or squared distance, from differences of coordinates, is off by at most 4.5 u.
pub(crate) const SQUARED_DISTANCE: f64 = two_to(-48);
/// A moved facet, relative to its distance from the world's origin. The norm of the rotation counts
/// twice, 16 u; a rotation takes ten roundings.
pub(crate) const MOVED_FACET: f64 = two_to(-47);

// Exact predicates.

/// Exceeds the loss of such a determinant by underflow.
pub(crate) const FACE_SIDE_UNDERFLOW: f64 = two_to(-900);

// Shapes.

/// How far the corners of a facet may be off its plane or inside its convex hull, relative to its
/// size. It is the rounding of coordinates 2^20 sizes from the origin, with room.
pub(crate) const FACET_SHAPE: f64 = two_to(-24);
/// Points of a convex hull this close to a face, relative to the largest coordinate, are on it: 16 u.
pub(crate) const HULL_FACE: f64 = two_to(-49);
/// Faces of a convex body whose normals differ by less are parts of one face.
pub(crate) const FLAT_EDGE: f64 = two_to(-40);
/// Boxes in single precision, relative to the coordinates: some ten roundings of 2^-24.
pub(crate) const BOX_QUERY_F32: f32 = two_to(-20) as f32;

// Common plane. All are relative to the size of the pair, unless another reference is named.

/// Strict decisions differ from a tie by more than this: some thousand roundings.
pub(crate) const STRICT: f64 = two_to(-40);
/// Gaps that differ by less are tied, and vertices that differ by less in height: 512 u.
pub(crate) const TIED_GAP: f64 = two_to(-44);
/// The upper and the lower bound of a gap differ by at most this, or the search goes on: 32 u.
pub(crate) const GAP_BOUNDS: f64 = two_to(-48);
/// The error of a gap with such bounds: 96 u.
///
/// To first order there are some 64 u:
///
/// - two rotations of unit norm to 8 u, 24 u for their product and two matrices;
/// - 7 u for a moved point and its difference from another one, 3 u for its height over a plane;
/// - 3 u for a unit normal, 11 u for a cross product.
///
/// The bounds add 32 u. A cross product is rounded by 2 sqrt(2) u of the product of both lengths. At a sine of 1/4 this
/// is 11 u of the cross product. For smaller sines it is computed from exact products ([`EDGE_SINE_SQUARED`]). A normal
/// off by u / sine would move the plane of a narrow triangle by u / sine of the length of its sides. The largest error
/// found is 62 u, in 1e7 random pairs.
pub(crate) const GAP_ERROR: f64 = 3.0 * GAP_BOUNDS;
/// Below this squared sine, the cross product of two edges is computed from their ends.
pub(crate) const EDGE_SINE_SQUARED: f64 = two_to(-4);
/// Vertices and gaps that differ by less are equal in the fast common plane.
pub(crate) const FAST_PLANE_TIE: f64 = 1e-12;

// Walls. Relative to the reach of the sphere, unless another reference is named.

/// Contact points closer to each other count as one. An edge or vertex this close to a facet lies on it: at 2^28
/// reaches from the origin, vertices may be rounded by this much.
pub(crate) const SAME_CONTACT: f64 = two_to(-24);
/// A projection closer to an edge or vertex is on it, relative to reach plus facet size.
/// Differences, unit vectors and products are off by less than 16 u each, at twice the sum of both.
pub(crate) const ON_EDGE: f64 = two_to(-47);

#[cfg(test)]
mod tests {
    use super::two_to;

    #[test]
    fn powers_of_two() {
        for exponent in [-1022, -53, -1, 0, 1, 52, 1023] {
            assert_eq!(two_to(exponent), 2.0_f64.powi(exponent));
        }
    }
}
