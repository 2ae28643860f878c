//! Certificates in O(1) that no other plane has a smaller penetration depth.

use super::feature_pair::Plane;
use crate::math::Vector;

/// Returns whether the Minkowski difference D of overlapping bodies reaches at least d in every direction, by more than
/// `slack` away from the facet of a plane with the depth d: then no plane has a smaller depth. O(1).
///
/// A disc of radius rho lies in the facet of D with outward unit normal n, around the projection d n of the origin. A
/// ball in D is the Minkowski difference of the inscribed balls of both bodies. Its radius r is the sum `inscribed` of
/// theirs, and its center c the vector `between` their centers, `along` -n and `across` it.
///
/// Let w be a direction at an angle t from n. The support function of D is at least
///
/// - `d cos t + rho sin t` (disc), which is at least d for t <= t0 = 2 atan(rho / d);
/// - `r - along cos t - across sin t = r - A cos(t - s)` (ball), with tan s = across / along.
///
/// The first inequality below, `d across <= rho along`, is s <= t0 / 2. So the bound of the ball
/// grows from t0 on, up to t = pi, and its least value is that at t0. There cos t0 = (d^2 - rho^2)
/// / (d^2 + rho^2) and sin t0 = 2 d rho / (d^2 + rho^2). So the second inequality says that this
/// value is at least d + slack.
#[inline]
pub(super) fn is_least_depth<V: Vector>(
    plane: &Plane<V>,
    between: V,
    inscribed: f64,
    slack: f64,
) -> bool {
    let (d, rho) = (-plane.gap, plane.inset);
    let along = plane.normal.dot(between);
    let across = (between - plane.normal * along).length();
    let far = along * (rho * rho - d * d) - 2.0 * d * rho * across;
    d * across <= rho * along && far + (inscribed - d - slack) * (rho * rho + d * d) >= 0.0
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::shape::Feature;

    /// A disc as wide as the depth, and a ball around a center below the facet: the ball must reach the depth and the
    /// slack above the origin.
    #[test]
    fn ball_of_just_the_depth() {
        let plane = Plane {
            gap: -1.0,
            normal: DVec2::X,
            on_p: DVec2::ZERO,
            inset: 1.0,
            thickness: 0.0,
            features: [Feature::Vertex(0); 2],
            error_bound: 0.0,
        };
        let is_least = |ball: f64| is_least_depth(&plane, DVec2::X * 0.5, ball, 0.25);
        assert!(is_least(1.25) && is_least(2.0));
        assert!(!is_least(1.24) && !is_least(1.0) && !is_least(0.5));
    }
}
