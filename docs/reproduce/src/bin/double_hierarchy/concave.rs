//! Section 7.1: the jump of the force where two planes meet in a concave edge.

use osculate::glam::DVec3;
use osculate::narrow::ContactSelection;

use crate::ground::{Facets, Ground, patch};

/// Eq. 42, linear: the overlap with the second plane where its contact begins, relative to that
/// with the first. For Hertz's force, to the power of 3/2.
pub(crate) fn exact(alpha: f64, gamma: f64) -> f64 {
    ((alpha.cos() + gamma - 1.0) / (gamma * alpha.cos())).max(0.0)
}

/// The same from the kernel: a ball of radius 1 is pushed along the first plane until it has a
/// second contact.
pub(crate) fn found(alpha: f64, gamma: f64) -> f64 {
    let (sin, cos) = alpha.sin_cos();
    let mesh = patch([8, 4], Facets::Triangles, |u, v| {
        let s = 8.0 * u - 4.0;
        DVec3::new(
            if s > 0.0 { s * cos } else { s },
            4.0 * v - 2.0,
            s.max(0.0) * sin,
        )
    });
    let Ok(all_minima) = ContactSelection::merge_angle(0.0) else {
        return f64::NAN;
    };
    let mut ground = Ground::with_policy(mesh, all_minima);
    let mut overlaps = |x: f64| {
        let center = DVec3::new(x, 0.1, 1.0 - gamma);
        let contacts = ground.contacts(center, 1.0);
        // The second plane is now the closer one.
        let second = contacts
            .iter()
            .filter(|c| c.normal.x > 1e-9)
            .map(|c| c.overlap);
        second.reduce(f64::max)
    };
    let (mut without, mut with) = (-3.0, 0.0);
    if overlaps(with).is_none() || overlaps(without).is_some() {
        return f64::NAN;
    }
    while let middle = 0.5 * (without + with)
        && middle > without
        && middle < with
    {
        if overlaps(middle).is_some() {
            with = middle;
        } else {
            without = middle;
        }
    }
    overlaps(with).unwrap_or(f64::NAN) / gamma
}
