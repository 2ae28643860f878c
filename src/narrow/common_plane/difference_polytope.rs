//! A polytope inside the Minkowski difference, stored by its corners.

use glam::DVec3;

use super::feature_pair::Plane;
use crate::math::tolerance::{STRICT, two_to};
use crate::narrow::gjk::Difference;
use crate::narrow::pair_frame::PairFrame;

/// The determinant of three differences, relative to the cube of the size: four times its 128 u.
const POLYTOPE_DETERMINANT: f64 = two_to(-44);

/// A closed surface of triangles around the origin, with corners in the Minkowski difference D.
///
/// Each corner is the difference of two vertices, so it moves with the bodies and stays in D. A ball around the origin
/// that no triangle enters stays in D too. So the polytope of one search certifies many steps, without a bound on the
/// motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DifferencePolytope {
    corners: [[u16; 2]; Self::CORNERS],
    /// Three indices of four bits, the lowest first, counter-clockwise seen from outside.
    facets: [u16; Self::FACETS],
    corner_count: u8,
    facet_count: u8,
}

impl DifferencePolytope {
    const CORNERS: usize = 14;
    /// The number of triangles on these corners, by Euler's formula.
    pub(super) const FACETS: usize = 2 * Self::CORNERS - 4;

    /// Packs a polytope. `None` if it has too many corners or facets, fewer than four facets, or
    /// vertices beyond 16 bits.
    pub(super) fn new(
        points: &[Difference],
        triangles: impl ExactSizeIterator<Item = [u32; 3]>,
    ) -> Option<Self> {
        let fits = points.len() <= Self::CORNERS && triangles.len() <= Self::FACETS;
        if !fits || triangles.len() < 4 {
            return None;
        }
        let mut polytope = Self {
            corners: [[0; 2]; Self::CORNERS],
            facets: [0; Self::FACETS],
            corner_count: points.len() as u8,
            facet_count: triangles.len() as u8,
        };
        for (to, point) in polytope.corners.iter_mut().zip(points) {
            *to = [point.p.try_into().ok()?, point.q.try_into().ok()?];
        }
        for (to, [a, b, c]) in polytope.facets.iter_mut().zip(triangles) {
            *to = (a | b << 4 | c << 8) as u16;
        }
        Some(polytope)
    }

    /// Returns whether the plane has the least penetration depth d of all planes, at the present poses. This means that
    /// no triangle outside the plane comes as near to the origin as d. O(1).
    ///
    /// Certificate: every triangle is seen from its inner side. So the surface encloses the origin at least once, even
    /// if it is no longer convex. Let another plane `w.x = d'` with d' <= d support D. The ray along w leaves the
    /// surface at `t w` with t <= d', in a triangle that comes within d of the origin. Such triangles lie in the given
    /// plane, whose distance along w exceeds d.
    #[inline]
    pub(super) fn certifies(&self, frame: &PairFrame, plane: &Plane) -> bool {
        let size = frame.size;
        let error = size * size * size * POLYTOPE_DETERMINANT;
        let radius = size * STRICT - plane.gap;
        let mut corners = [(DVec3::ZERO, false); 16];
        let ids = &self.corners[..self.corner_count as usize];
        for (to, &[p, q]) in corners.iter_mut().zip(ids) {
            let Some(Difference { x, .. }) = frame.find(p.into(), q.into()) else {
                return false;
            };
            *to = (x, plane.has(x));
        }
        let mut facets = self.facets[..self.facet_count as usize].iter();
        facets.all(|packed| {
            let [a, b, c] = [0, 4, 8].map(|shift| corners[usize::from(packed >> shift & 15)]);
            let cross = (b.0 - a.0).cross(c.0 - a.0);
            let height = cross.dot(a.0) - error;
            let is_in_plane = a.1 & b.1 & c.1;
            height > 0.0
                && (is_in_plane || height * height > radius * radius * cross.length_squared())
        })
    }
}
