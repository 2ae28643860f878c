//! Each property of elastic contacts finds kernels with one mistake.

use crate::support::convex::cube_times;
use crate::support::wall::floor;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField};
use osculate::testing::properties::elastic::{self, Elastic};
use osculate::testing::properties::{MapContact, Violation};
use osculate::{Placed, Pose3};

const PROPERTIES: [&str; 6] = [
    "elastic::gradient_matches",
    "elastic::closed_paths_do_no_work",
    "elastic::changes_with_motion",
    "elastic::swap_negates",
    "elastic::scales_exactly",
    "elastic::independent_of_mesh",
];

/// A contact with a mistake, and the facet.
type Mistake = fn(&mut Elastic, u32);

/// Returns the violated properties of the kernel whose contacts pass through a function.
fn violated(change: Mistake) -> Vec<&'static str> {
    let shapes = [1.0, 1.0 / 64.0].map(|factor| cube_times(DVec3::new(1.0, 1.5, 2.0) * factor));
    let turn = DQuat::from_scaled_axis(DVec3::new(0.05, -0.03, 0.4));
    let at = DVec3::new(0.1, 0.2, 1.9);
    let pair = |factor: f64| {
        let shape = &shapes[usize::from(factor != 1.0)];
        let pose = Pose3::new(turn, at * factor).unwrap();
        (
            Placed::new(shape, Pose3::IDENTITY),
            Placed::new(shape, pose),
        )
    };
    let kernel = &mut MapContact(
        PressureField::new().with_volume(),
        |found: PressureContact| {
            let mut contact = found.into();
            change(&mut contact, found.facet.unwrap_or(0));
            contact
        },
    );
    let (_, other) = pair(1.0);
    let body = |pose: &Pose3| Placed::new(&shapes[0], *pose);
    let path = |t: f64| {
        let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
        let turn = DQuat::from_scaled_axis(DVec3::new(0.1 * cos, 0.1 * sin, 0.1 * sin));
        Pose3::new_normalize(turn, DVec3::new(0.3 * cos, 0.1 * sin, 0.04 * sin)).unwrap()
    };
    // From a flush face into it.
    let on = Placed::new(&shapes[0], Pose3::from_translation(DVec3::Z * 2.0).unwrap());
    let step = Pose3::from_translation(DVec3::Z * 1e-6).unwrap();
    let floor = floor(2.0, -0.875);
    let still = body(&Pose3::IDENTITY);
    let on_mesh =
        (0..8).map(|seed| elastic::independent_of_mesh(kernel, &still, &floor, 2.0, seed));
    let on_mesh = on_mesh.collect();
    let results: [Result<(), Violation>; 6] = [
        elastic::gradient_matches(kernel, body, &other, [2.0, 1e-4], 1e-5),
        elastic::closed_paths_do_no_work(kernel, body, &other, path, 200, 1e-7),
        elastic::changes_with_motion(kernel, body, &on, &step, 1e-6),
        elastic::swap_negates(kernel, &still, &other),
        elastic::scales_exactly(kernel, pair, -6),
        on_mesh,
    ];
    let found = PROPERTIES.into_iter().zip(results);
    let violated = found.filter_map(|(name, result)| {
        let violation = result.err()?;
        assert!(violation.to_string().starts_with(name), "{violation}");
        Some(name)
    });
    violated.collect()
}

#[test]
fn each_mistake_is_found() {
    assert_eq!(violated(|_, _| ()), [""; 0]);
    let [gradient, path, motion, swap, scale, mesh] = PROPERTIES;
    #[rustfmt::skip]
    let mistakes: [(&str, Mistake, Vec<&str>); 10] = [
        ("an energy that is twice as large", |c, _| c.energy = c.energy.map(|energy| 2.0 * energy), vec![gradient]),
        ("no energy", |c, _| c.energy = None, vec![gradient]),
        ("a force without its couple", |c, _| c.torque = DVec3::ZERO, vec![gradient, path]),
        ("a force at another point", |c, _| c.point += DVec3::X * c.point.y, vec![gradient, path]),
        ("a force in one direction", |c, _| c.force = DVec3::Z * c.load, vec![gradient, path, swap]),
        ("a force as large as the area", |c, _| c.force = c.force.normalize_or_zero() * c.area,
            vec![gradient, path, motion, scale]),
        ("an absolute tolerance", |c, _| c.force = if c.area < 1e-3 { DVec3::ZERO } else { c.force }, vec![scale]),
        ("a load that depends on the facet", |c, facet| c.load *= 1.0 + f64::from(facet), vec![mesh]),
        ("a force that is not a number", |c, _| c.force.z = f64::NAN, PROPERTIES.to_vec()),
        ("an infinite energy", |c, _| c.energy = Some(f64::INFINITY), PROPERTIES.to_vec()),
    ];
    for (what, change, expected) in mistakes {
        let found = violated(change);
        assert!(
            expected.iter().all(|name| found.contains(name)),
            "{what}: {found:?}"
        );
    }
}
