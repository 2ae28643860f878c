//! Section 7.2, eq. 43: the work of friction that is lost if the tangential spring starts anew on each facet.

use osculate::glam::DVec3;
use osculate::{DoubleHierarchy, Sphere, Wall, narrow::WallHistory};

use crate::ground::{Facets, patch};

/// The paper's numbers: the friction coefficient, and the ratio of the normal to the tangential stiffness.
const FRICTION: f64 = 0.3;
const RATIO: f64 = 3.5;

/// The exact loss relative to the work done, eq. 43 before its last step. `indentation` is relative to the length of
/// a facet.
pub(crate) fn exact(indentation: f64) -> f64 {
    let lost = FRICTION * RATIO * indentation;
    lost / (2.0 - lost)
}

/// The loss for a sphere that is dragged over facets of length 1: with springs that end at each facet, and with
/// those that a [`WallHistory`] keeps.
pub(crate) fn found(indentation: f64) -> [f64; 2] {
    const FACETS: u32 = 20;
    const STEPS: u32 = 20_000;
    let radius = 10.0 * indentation;
    let mesh = patch([FACETS + 2, 1], Facets::Quads, |u, v| {
        DVec3::new(f64::from(FACETS + 2) * u - 1.5, 4.0 * v - 1.9, 0.0)
    });
    let (wall, mut kernel) = (Wall::new(mesh), DoubleHierarchy::new());
    // Normal stiffness 1. A spring, and the facet on which it started.
    let limit = FRICTION * indentation;
    let stretched = |spring: f64, step: f64| (spring + step / RATIO).min(limit);
    let mut history = WallHistory::<f64>::default();
    let (mut anew, mut last) = (0.0, None);
    // All work, and that of both springs.
    let (mut all, mut work) = (0.0, [0.0; 2]);
    let length = 1.0 / f64::from(STEPS);
    for step in 0..=FACETS * STEPS {
        // From the middle of a facet, so that the sphere slides before the first edge.
        let x = f64::from(step) * length - 1.0;
        let sphere = Sphere::new(DVec3::new(x, 0.0, radius - indentation), radius);
        history.for_each_contact(&mut kernel, &sphere, &wall, |contact, kept| {
            if last.replace(contact.facet) != Some(contact.facet) {
                anew = 0.0;
            }
            anew = stretched(anew, length);
            *kept = stretched(*kept, length);
            // The work of the middle facets.
            if x > 0.5 && x < f64::from(FACETS) - 1.5 {
                all += limit * length;
                work[0] += anew * length;
                work[1] += *kept * length;
            }
        });
    }
    work.map(|work| (all - work) / work)
}
