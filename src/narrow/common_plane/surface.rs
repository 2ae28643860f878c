//! A polytope inside the bodies' difference that is known by its corners alone.

use glam::DVec3;

use super::frame::{CLOSED, Difference, Frame, STRICT};
use super::pair::Plane;

/// Triangles around the origin whose corners are differences of two vertices.
///
/// Wherever the bodies go, the corners stay in their difference, and so does each ball around the
/// origin that no triangle comes into. That outlasts many steps, and asks for no bound of motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface {
    corners: [[u16; 2]; Self::CORNERS],
    /// Three indices of four bits, counter-clockwise as seen from outside.
    facets: [u16; Self::FACETS],
    corner_count: u8,
    facet_count: u8,
}

impl Surface {
    const CORNERS: usize = 14;
    /// Of triangles, by Euler's formula.
    pub(super) const FACETS: usize = 2 * Self::CORNERS - 4;

    /// `None` for too many corners, and vertices beyond 16 bits.
    pub(super) fn new(triangles: impl Iterator<Item = [Difference; 3]>) -> Option<Self> {
        let mut surface = Self {
            corners: [[0; 2]; Self::CORNERS],
            facets: [0; Self::FACETS],
            corner_count: 0,
            facet_count: 0,
        };
        for triangle in triangles {
            let mut packed = 0;
            for corner in triangle {
                packed = packed << 4 | surface.index_of(&corner)?;
            }
            *surface.facets.get_mut(surface.facet_count as usize)? = packed;
            surface.facet_count += 1;
        }
        Some(surface)
    }

    fn index_of(&mut self, corner: &Difference) -> Option<u16> {
        let ids = [corner.p.try_into().ok()?, corner.q.try_into().ok()?];
        let count = self.corner_count as usize;
        let known = self.corners[..count].iter().position(|c| *c == ids);
        if known.is_none() {
            *self.corners.get_mut(count)? = ids;
            self.corner_count += 1;
        }
        Some(known.unwrap_or(count) as u16)
    }

    /// Whether no other plane has a depth as small as this one's, at the bodies' present poses: no
    /// triangle that is not in the plane comes as near to the origin. O(1).
    ///
    /// As all triangles are seen from inside, they go around the origin, once or more often; so
    /// what they do not come into is inside the difference, also if they no longer are convex.
    #[inline]
    pub(super) fn proves(&self, frame: &Frame, plane: &Plane) -> bool {
        let size = frame.size;
        // Rounding of a determinant is a quarter of this.
        let error = size * size * size * f64::from_bits((1023 - 44) << 52);
        let radius = size * STRICT - plane.gap;
        let in_plane = plane.gap + size * CLOSED;
        let mut corners = [(DVec3::ZERO, false); 16];
        for (to, &[p, q]) in corners
            .iter_mut()
            .zip(&self.corners[..self.corner_count as usize])
        {
            let Some(Difference { x, .. }) = frame.find(p.into(), q.into()) else {
                return false;
            };
            *to = (x, plane.normal.dot(x) <= in_plane);
        }
        self.facets[..self.facet_count as usize]
            .iter()
            .all(|packed| {
                let [a, b, c] = [0, 4, 8].map(|shift| corners[usize::from(packed >> shift & 15)]);
                // In the order of their indices they are clockwise: the highest bits came first.
                let cross = (c.0 - a.0).cross(b.0 - a.0);
                let height = cross.dot(a.0) - error;
                let is_in_plane = a.1 & b.1 & c.1;
                height > 0.0
                    && (is_in_plane || height * height > radius * radius * cross.length_squared())
            })
    }
}
