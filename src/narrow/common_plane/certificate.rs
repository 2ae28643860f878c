//! Certificates in O(1) that no other plane has a smaller penetration depth.

use super::feature_pair::Plane;
use crate::narrow::pair_frame::PairFrame;

/// A disc and a ball inside the Minkowski difference D of overlapping bodies.
///
/// The disc lies in a facet of D with outward unit normal n, around the projection d n of the origin.
/// The ball is the Minkowski difference of the inscribed balls of both bodies, about the vector c
/// between their centers.
pub(super) struct Certificate {
    /// The depth d of the origin below the facet.
    pub(super) depth: f64,
    /// The radius of the disc: the distance of the projection from the boundary of the facet.
    pub(super) inset: f64,
    /// The component of c along -n.
    pub(super) along: f64,
    /// The component of c across n.
    pub(super) across: f64,
    /// The radius of the ball: the sum of the inscribed radii.
    pub(super) ball: f64,
}

impl Certificate {
    #[inline]
    pub(super) fn new(frame: &PairFrame, plane: &Plane) -> Self {
        let c = frame.centers();
        let along = plane.normal.dot(c);
        Self {
            depth: -plane.gap,
            inset: plane.inset,
            along,
            across: (c - plane.normal * along).length(),
            ball: frame.p.inscribed + frame.q.inscribed,
        }
    }

    /// Returns whether D reaches at least d in every direction, by more than `slack` away from the
    /// facet: then no plane has a smaller depth. O(1).
    ///
    /// Let w be a direction at an angle t from n. With rho the radius of the disc and r that of the
    /// ball, the support function of D is at least
    ///
    /// - `d cos t + rho sin t` (disc), which is at least d for t <= t0 = 2 atan(rho / d);
    /// - `r - along cos t - across sin t = r - A cos(t - s)` (ball), with tan s = across / along.
    ///
    /// The first inequality below, `d across <= rho along`, is s <= t0 / 2. So the bound of the ball
    /// grows from t0 on, up to t = pi, and its least value is that at t0. There cos t0 = (d^2 - rho^2)
    /// / (d^2 + rho^2) and sin t0 = 2 d rho / (d^2 + rho^2). So the second inequality says that this
    /// value is at least d + slack.
    #[inline]
    pub(super) fn is_global(&self, slack: f64) -> bool {
        let (d, rho) = (self.depth, self.inset);
        let far = self.along * (rho * rho - d * d) - 2.0 * d * rho * self.across;
        d * self.across <= rho * self.along
            && far + (self.ball - d - slack) * (rho * rho + d * d) >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc as wide as the depth, and a ball around a center below the facet: the ball must reach the depth and the
    /// slack above the origin.
    #[test]
    fn ball_of_just_the_depth() {
        let is_global = |ball: f64| {
            let certificate = Certificate {
                depth: 1.0,
                inset: 1.0,
                along: 0.5,
                across: 0.0,
                ball,
            };
            certificate.is_global(0.25)
        };
        assert!(is_global(1.25) && is_global(2.0));
        assert!(!is_global(1.24) && !is_global(1.0) && !is_global(0.5));
    }
}
