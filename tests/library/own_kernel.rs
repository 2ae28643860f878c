//! Properties of a kernel of your own.

use osculate::testing::{properties::kernel, strategies};
use osculate::{Contact, Sphere, glam::DVec3};
use proptest::prelude::*;

/// The kernel to be tested.
fn own(a: &Sphere, b: &Sphere) -> Option<Contact> {
    let ab = b.center - a.center;
    let overlap = a.radius + b.radius - ab.length();
    let normal = ab.normalize();
    let point = a.center + normal * (a.radius - overlap / 2.0);
    (overlap > 0.0).then_some(Contact {
        point,
        normal,
        overlap,
    })
}

proptest! {
    #[test]
    fn gap_swap_and_normal(([a, b], gap) in strategies::touching_spheres::<DVec3>()) {
        let rounding = 1e-15 * (a.center.length() + b.center.length() + a.radius + b.radius);
        kernel::gap_is(&mut own, &a, &b, gap, rounding)?;
        kernel::swap_negates(&mut own, &a, &b)?;
        let moved = |shift| Sphere::new(b.center + shift, b.radius);
        let gap = |a: &Sphere, b: &Sphere| a.center.distance(b.center) - a.radius - b.radius;
        kernel::overlap_separates(&mut own, &a, moved, gap, 8.0 * rounding)?;
    }
}
