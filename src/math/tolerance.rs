//! All tolerances of the crate, each with its bound and its reason.
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
/// The shortest side of a periodic box, relative to the coordinate of its corner. The error of a
/// coordinate is then below 2^-20 of a side.
pub(crate) const PERIODIC_SIDE: f64 = two_to(-32);
/// The largest ratio of two sides of a tilted periodic box. It bounds the number of images searched.
pub(crate) const PERIODIC_ASPECT: f64 = two_to(10);

// Vectors and poses.

/// Vectors shorter than this are scaled by [`SHORT_VECTOR_SCALE`] before they are normalized: their
/// squared length may underflow.
pub(crate) const SHORT_VECTOR: f64 = two_to(-450);
/// Scales vectors shorter than 2^-450 so that neither their square nor the result over- or underflows.
pub(crate) const SHORT_VECTOR_SCALE: f64 = two_to(600);
/// The most by which the squared norm of a rotation passed in may differ from 1. Products of some
/// thousand unit rotations stay within it.
pub(crate) const ROTATION_NORM: f64 = two_to(-40);
/// The squared norm of a rotation that is unit to rounding differs from 1 by at most 8 u.
pub(crate) const UNIT_ROTATION_NORM: f64 = two_to(-50);
/// Two poses of the same pair agree to this, relative to the coordinates: some thousand roundings.
pub(crate) const POSE_DIFFERENCE: f64 = two_to(-40);
/// A distance or squared distance, from differences of coordinates, is off by at most 4.5 u.
pub(crate) const SQUARED_DISTANCE: f64 = two_to(-48);
/// The radius of a sphere around points: a squared distance, its root and the product take 4 u.
pub(crate) const ENCLOSING_RADIUS: f64 = two_to(-50);
/// A moved bounding sphere, relative to its size and its distance from the origins. A rotation is unit to
/// 2^-50, which counts twice, 16 u; it takes ten roundings, and kernels may round differently.
pub(crate) const MOVED_SPHERE: f64 = two_to(-47);
/// A moved box, relative to its distance from the origins: 32 u.
pub(crate) const MOVED_BOX: f64 = two_to(-48);
/// A moved facet, relative to its distance from the world's origin. The norm of the rotation counts
/// twice, 16 u; a rotation takes ten roundings.
pub(crate) const MOVED_FACET: f64 = two_to(-47);
/// Image shifts, relative to the coordinates and the sides of the box: a few of 128 roundings.
pub(crate) const PERIODIC_IMAGE: f64 = two_to(-46);
/// Candidates for images reach this far beyond the bounds, in periods. An exact test follows.
pub(crate) const IMAGE_INDEX: f64 = 0.001;
/// The least eigenvalue of a mean of products n n^T of unit normals at which their planes intersect in a
/// direction: bends of 2e-3 rad. The rounding of single-precision files bends planes by about 1e-7.
pub(crate) const SMALL_BEND: f64 = two_to(-20);
/// The squared width of a polygon without area, relative to its squared length. Differences that
/// carry their rounding errors resolve widths down to about 2^-100.
pub(crate) const NORMAL_ASPECT_SQUARED: f64 = two_to(-160);

// Exact predicates.

/// Determinants above this have the sign that expansions give them: less than 2^-1074 times some
/// products of two coordinates can underflow.
pub(crate) const ORIENTATION_UNDERFLOW: f64 = two_to(-700);
/// Products of three coordinates at or above this do not underflow: their last bit is at least
/// 2^-906.
pub(crate) const PRODUCT_UNDERFLOW: f64 = two_to(-250);
/// Sums of four squares in twice the digits that cancel to less than this are computed exactly. Their error is below
/// 2^-100 of the squares.
pub(crate) const TWOFOLD_SQUARES: f64 = two_to(-40);
/// Below this squared sine, a cross product has lost ten bits or more and is computed exactly.
pub(crate) const SHARP_SINE_SQUARED: f64 = two_to(-20);
/// A plane orientation from two products takes 3 u (Shewchuk 1997); 4 u are allowed.
pub(crate) const ORIENTATION_2D: f64 = two_to(-51);
/// Decides the side of a triangle's edge that a point projects to, relative to the fourth power of the largest distance
/// of a corner from the point. The products of corners and their differences take 130 u, and the unit normal of the
/// careful form 40 u; 512 u are allowed.
pub(crate) const PLAIN_SIDE: f64 = two_to(-44);
/// Decides the position of the point along such an edge, relative to the square of this distance. Products of corners
/// take 8 u, and so does the careful form; 64 u are allowed.
pub(crate) const PLAIN_END: f64 = two_to(-47);
/// A determinant of differences takes at most 8 u; 32 u are allowed.
pub(crate) const FACE_SIDE: f64 = two_to(-48);
/// Exceeds the loss of such a determinant by underflow.
pub(crate) const FACE_SIDE_UNDERFLOW: f64 = two_to(-900);
/// The order of two crossings: products of two determinants of 8 u each; 64 u are allowed.
pub(crate) const CROSSING_ORDER: f64 = two_to(-47);
/// Exceeds the loss of a product of two determinants by underflow.
pub(crate) const CROSSING_ORDER_UNDERFLOW: f64 = two_to(-1000);

// Shapes.

/// A unit in the last place of a single-precision number is at most 2^-23 of it. Along each of
/// three axes that is less than 2^-22 of the largest coordinate.
pub(crate) const SINGLE_PRECISION: f64 = two_to(-22);
/// The same for double precision.
pub(crate) const DOUBLE_PRECISION: f64 = two_to(-51);
/// How far the corners of a facet may be off its plane or inside its convex hull, relative to its
/// size. It is the rounding of coordinates 2^20 sizes from the origin, with room.
pub(crate) const FACET_SHAPE: f64 = two_to(-24);
/// A vertex this close to an edge, relative to the edge's length, hangs on it.
pub(crate) const HANGING_VERTEX: f64 = two_to(-40);
/// A normal that may be off by a larger angle carries no information.
pub(crate) const NORMAL_ANGLE: f64 = two_to(-4);
/// Sine of the angle at a point on an edge of a facet: four roundings of differences, 8 u.
pub(crate) const ON_FACET_EDGE: f64 = two_to(-50);
/// A point closer to a corner, relative to the facet's size, has no direction to it: 64 u.
pub(crate) const AT_FACET_CORNER: f64 = two_to(-47);
/// Points of a convex hull this close to a face, relative to the largest coordinate, are on it: 16 u.
pub(crate) const HULL_FACE: f64 = two_to(-49);
/// Faces of a convex body whose normals differ by less are parts of one face.
pub(crate) const FLAT_EDGE: f64 = two_to(-40);
/// A rise along an edge below this part of its length counts as rounding. A stored vector and a product of three terms
/// take 4 u; 5 u are allowed.
pub(crate) const EDGE_RISE: f64 = 1.25 * two_to(-51);
/// An off-diagonal entry of an inertia tensor below this part of the trace is 0 to rounding: 32 u.
pub(crate) const INERTIA_PRODUCT: f64 = two_to(-48);
/// Boxes in single precision, relative to the coordinates: some ten roundings of 2^-24.
pub(crate) const BOX_QUERY_F32: f32 = two_to(-20) as f32;
/// The same for boxes that are rotated as well.
pub(crate) const BOX_PAIR_F32: f32 = two_to(-19) as f32;
/// Distances from planes in single precision, relative to the sum of the coordinates and the reach: 13 roundings of
/// 2^-24.
pub(crate) const PLANE_F32: f32 = two_to(-19) as f32;
/// The same, relative to the size of the largest facet: bends of 2^-23, roundings of planes.
pub(crate) const PLANE_SIZE_F32: f32 = two_to(-22) as f32;

// Broad phase. The proofs are in `broad::cells` and `broad::packed`.

/// Cells are this much wider than the interaction distance, so that no pair is lost.
pub(crate) const CELL_WIDENING: f64 = two_to(-19);
/// The cells near a sphere: 2^11 times the roundings of the range and of a cell's coordinate.
pub(crate) const CELL_RANGE: f64 = two_to(-40);
/// The same where coordinates are rounded monotonically: the range alone, less than 4 u.
pub(crate) const OPEN_CELL_RANGE: f64 = two_to(-51);
/// A distance in single precision, relative to the largest scaled coordinate.
pub(crate) const PACKED_ABSOLUTE_F32: f32 = two_to(-22) as f32;
/// The same, relative to the sum of the radii.
pub(crate) const PACKED_RELATIVE_F32: f32 = two_to(-20) as f32;
/// A cell size that exceeds a diameter by less is lowered to it: costs have their minima there.
pub(crate) const NEXT_DIAMETER: f64 = two_to(-9);

// Common plane. All are relative to the size of the pair, unless another reference is named.

/// Strict decisions differ from a tie by more than this: some thousand roundings.
pub(crate) const STRICT: f64 = two_to(-40);
/// A pair of features that fails its test by less may carry the plane: 64 u, the error of a gap without its
/// bounds.
pub(crate) const FEATURE_ROUNDING: f64 = two_to(-47);
/// Gaps that differ by less are tied: 512 u.
pub(crate) const TIED_GAP: f64 = two_to(-44);
/// Vertices that differ by less in height are tied.
pub(crate) const TIED_HEIGHT: f64 = 16.0 * TIED_GAP;
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
/// Normals of faces that differ by less are parallel: corners of one face differ by less than [`GAP_BOUNDS`]
/// in height over the other.
pub(crate) const PARALLEL_FACES: f64 = 0.5 * GAP_BOUNDS;
/// Faces that are almost parallel make one facet of the Minkowski difference if its corners differ by less in
/// height.
pub(crate) const TILTED_HEIGHT: f64 = 16.0 * STRICT;
/// The same, relative to the width of the facet. The square of this ratio enters the error of a depth.
pub(crate) const TILTED_FACES: f64 = two_to(-26);
/// An edge that rises by less lies along a face: 64 u.
pub(crate) const LEVEL_EDGE: f64 = two_to(-47);
/// Features whose normals differ by less from a known normal may carry its plane: ten times the
/// error of the normal of almost parallel edges.
pub(crate) const NEAR_NORMAL: f64 = two_to(-16);
/// Below this squared sine, the cross product of two edges is computed from their ends.
pub(crate) const EDGE_SINE_SQUARED: f64 = two_to(-4);
/// The direction of a gap shorter than this is taken from features, not from its ends.
pub(crate) const SHORT_GAP: f64 = two_to(-7);
/// The determinant of three differences, relative to the cube of the size: four times its 128 u.
pub(crate) const POLYTOPE_DETERMINANT: f64 = two_to(-44);
/// Angle from the end of an arc on the Gauss map, where all vertices of a face are extreme: 8 u.
pub(crate) const ARC_END: f64 = two_to(-50);
/// The origin is this close to a Minkowski difference that it touches: 8 u.
pub(crate) const TOUCHING: f64 = two_to(-50);
/// Vertices and gaps that differ by less are equal in the fast common plane.
pub(crate) const FAST_PLANE_TIE: f64 = 1e-12;

// Elastic bed.

/// Faces with a smaller cosine to the normal of a bed are seen edge-on. They have no area to rounding.
pub(crate) const STEEP_FACE: f64 = two_to(-40);

// Convex body and wall.

/// Triangles of a bed with a smaller height, relative to their sides, have no area to rounding.
pub(crate) const SLIVER: f64 = two_to(-48);

/// Depths that differ by less are tied, relative to the largest of the size of the body, its distance from the origin of
/// the mesh, and the largest facet: 512 u. Points closer to each other count as one.
pub(crate) const TIED_DEPTH: f64 = two_to(-44);
/// Contacts whose normals differ by more never count as one, even for poor facets: some hundred times the bends of flat
/// walls in single precision.
pub(crate) const SAME_PLANE: f64 = two_to(-14);

// Contact volume.

/// The height of a point over a plane in the search for near faces: five roundings; 16 u allowed.
pub(crate) const FACE_HEIGHT: f64 = two_to(-49);
/// A parameter along an edge whose crossing is [sharp](SHARP_CROSSING) has an error below 2^-27.
pub(crate) const CROSSING_PARAMETER: f64 = two_to(-26);
/// Lines cross sharply if the determinant exceeds this part of the squared size. Each determinant
/// is rounded by less than 24 x 2^-52 of it.
pub(crate) const SHARP_CROSSING: f64 = two_to(-20);
/// A point this far inside a box is inside, although two poses have rounded it. Relative to its
/// distance from the origins.
pub(crate) const INSIDE_BOX: f64 = two_to(-40);
/// Heights and radii of faces that may cut a body.
pub(crate) const CUT_HEIGHT: f64 = two_to(-40);
/// An intersection of convex bodies below this part of the cubed length of its curve is summed by
/// pieces of its own size. Sums along the curve would lose the remaining digits.
pub(crate) const SLENDER_CONVEX: f64 = two_to(-9);
/// The same of two tetrahedra, relative to the cube of their intersection's size.
pub(crate) const SLENDER_TETRAHEDRA: f64 = two_to(-8);
/// The same of meshes: the ratio of the two error bounds in `Loop::is_slender`.
pub(crate) const SLENDER_LOOP: f64 = two_to(5);
/// The open area of a closed surface, relative to its area.
pub(crate) const OPEN_AREA: f64 = two_to(-20);
/// A sum of parts that differs from the volume of a body by less is the whole body.
pub(crate) const WHOLE_VOLUME: f64 = two_to(-30);
/// The most by which rounding makes a volume negative, relative to the cube of the smaller body.
pub(crate) const NEGATIVE_VOLUME: f64 = two_to(-40);

// Walls. Relative to the reach of the sphere, unless another reference is named.

/// Contact points closer to each other count as one. An edge or vertex this close to a facet lies on it: at 2^28
/// reaches from the origin, vertices may be rounded by this much.
pub(crate) const SAME_CONTACT: f64 = two_to(-24);
/// Facets closer to each other touch, relative to the size of the larger facet.
pub(crate) const TOUCHING_FACETS: f64 = two_to(-24);
/// A projection closer to an edge or vertex is on it, relative to reach plus facet size.
/// Differences, unit vectors and products are off by less than 16 u each, at twice the sum of both.
pub(crate) const ON_EDGE: f64 = two_to(-47);
/// Steps of a finer precision displace a contact, by up to sqrt(2 reach precision), by less than
/// [`SAME_CONTACT`].
pub(crate) const FINE_PRECISION: f64 = two_to(-46);
/// A contact this close to the plane of a closer contact is on that plane.
pub(crate) const BEHIND_PLANE: f64 = two_to(-46);

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
