//! A polytope inside the bodies' difference that is known by its corners alone.

use glam::DVec3;

use super::feature_pair::Plane;
use super::pair_frame::PairFrame;
use crate::math::tolerance::{POLYTOPE_DETERMINANT, STRICT};
use crate::narrow::gjk::Difference;

/// Triangles around the origin whose corners are differences of two vertices.
///
/// Wherever the bodies go, the corners stay in their difference, and so does each ball around the
/// origin that no triangle comes into. That outlasts many steps, and asks for no bound of motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DifferencePolytope {
    corners: [[u16; 2]; Self::CORNERS],
    /// Three indices of four bits, from the lowest on, counter-clockwise as seen from outside.
    facets: [u16; Self::FACETS],
    corner_count: u8,
    facet_count: u8,
}

impl DifferencePolytope {
    const CORNERS: usize = 14;
    /// Of triangles, by Euler's formula.
    pub(super) const FACETS: usize = 2 * Self::CORNERS - 4;

    /// `None` for too many corners or facets, or none, and vertices beyond 16 bits.
    pub(super) fn new(
        points: &[Difference],
        triangles: impl ExactSizeIterator<Item = [u32; 3]>,
    ) -> Option<Self> {
        let is_all = points.len() <= Self::CORNERS && triangles.len() <= Self::FACETS;
        if !is_all || triangles.len() < 4 {
            return None;
        }
        let mut surface = Self {
            corners: [[0; 2]; Self::CORNERS],
            facets: [0; Self::FACETS],
            corner_count: points.len() as u8,
            facet_count: triangles.len() as u8,
        };
        for (to, point) in surface.corners.iter_mut().zip(points) {
            *to = [point.p.try_into().ok()?, point.q.try_into().ok()?];
        }
        for (to, [a, b, c]) in surface.facets.iter_mut().zip(triangles) {
            *to = (a | b << 4 | c << 8) as u16;
        }
        Some(surface)
    }

    /// Whether no other plane has a depth as small as this one's, at the bodies' present poses: no
    /// triangle that is not in the plane comes as near to the origin. O(1).
    ///
    /// As all triangles are seen from inside, they go around the origin, once or more often; so
    /// what they do not come into is inside the difference, also if they no longer are convex.
    #[inline]
    pub(super) fn proves(&self, frame: &PairFrame, plane: &Plane) -> bool {
        let size = frame.size;
        // Rounding of a determinant is a quarter of this.
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
