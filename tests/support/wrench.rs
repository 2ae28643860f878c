//! Properties of manifolds whose points continue those of the previous step, or are reduced to a few.

use std::fmt::Debug;

use super::property::{ROUNDING, holds, near};
use osculate::testing::properties::Violation;
use osculate::testing::properties::manifold::{Manifold, NamedPoint};
use osculate::{NarrowPhase, glam::DVec3};

/// Checks along a path that points continue those of the previous step, and that the state changes no load.
///
/// A point continues the point of the same name, otherwise any point. Nothing is continued after a step without
/// manifold. Normal, area, volume and center are those from a new state, to 1e-13 of themselves and of `size`, which
/// bounds all coordinates.
pub(crate) fn points_continue<N: Copy + Debug + PartialEq, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<DVec3, N>>>,
    path: impl IntoIterator<Item = (A, B)>,
    size: f64,
) -> Result<(), Violation> {
    let rule = "wrench::points_continue";
    let mut state = Default::default();
    let mut last: Option<Manifold<DVec3, N>> = None;
    for (step, (a, b)) in path.into_iter().enumerate() {
        let mut found = Vec::new();
        kernel.for_each_contact(&a, &b, &mut state, |contact| found.push(contact));
        let found: Option<Manifold<DVec3, N>> = all_finite(rule, found)?.pop();
        let expected: Vec<Manifold<DVec3, N>> = contacts(rule, kernel, &a, &b)?;
        let what = format!("number of manifolds at step {step}");
        equal(rule, &what, usize::from(found.is_some()), expected.len())?;
        if let (Some(found), Some(expected)) = (&found, expected.first()) {
            same_wrench(rule, found, expected, ROUNDING * size)?;
            for point in &found.points {
                let continued = last.as_ref().and_then(|last| {
                    let any = point.previous.filter(|&i| i < last.points.len());
                    let same = last.points.iter().position(|p| p.name == point.name);
                    same.or(any)
                });
                holds(rule, point.previous == continued, || {
                    format!("point at step {step} does not continue {continued:?}: {point:?}")
                })?;
                holds(rule, last.is_none() || point.previous.is_some(), || {
                    format!("point at step {step} continues nothing: {point:?}")
                })?;
            }
        }
        last = found;
    }
    Ok(())
}

/// Checks that a kernel with fewer points reports the same load and moment.
///
/// `few` reports at most `count` points. Areas and volumes agree to 1e-13, centers to 1e-13 of `size`, which
/// bounds all coordinates.
pub(crate) fn reduction_keeps_wrench<N: Copy + Debug + PartialEq, A, B>(
    all: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<DVec3, N>>>,
    (few, count): (
        &mut impl NarrowPhase<A, B, Contact: Into<Manifold<DVec3, N>>>,
        usize,
    ),
    a: &A,
    b: &B,
    size: f64,
) -> Result<(), Violation> {
    let rule = "wrench::reduction_keeps_wrench";
    let expected: Vec<Manifold<DVec3, N>> = contacts(rule, all, a, b)?;
    let found: Vec<Manifold<DVec3, N>> = contacts(rule, few, a, b)?;
    equal(rule, "number of manifolds", found.len(), expected.len())?;
    for (found, expected) in found.iter().zip(&expected) {
        let most = count.min(expected.points.len());
        equal(rule, "number of points", found.points.len(), most)?;
        same_wrench(rule, found, expected, ROUNDING * size)?;
    }
    Ok(())
}

fn same_wrench<N: Debug>(
    rule: &str,
    found: &Manifold<DVec3, N>,
    expected: &Manifold<DVec3, N>,
    tolerance: f64,
) -> Result<(), Violation> {
    let error = ROUNDING * expected.area;
    near(rule, "area", found.area, expected.area, error)?;
    let error = ROUNDING * expected.volume;
    near(rule, "volume", found.volume, expected.volume, error)?;
    let distance = (found.point - expected.point).length();
    near(rule, "distance of the centers", distance, 0.0, tolerance)?;
    holds(rule, found.normal == expected.normal, || {
        format!("normal of {found:?}, expected {expected:?}")
    })
}

fn equal(rule: &str, what: &str, found: usize, expected: usize) -> Result<(), Violation> {
    holds(rule, found == expected, || {
        format!("{what}: found {found}, expected {expected}")
    })
}

/// Returns the manifolds from a fresh state.
fn contacts<N: Debug, A, B>(
    rule: &str,
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<DVec3, N>>>,
    a: &A,
    b: &B,
) -> Result<Vec<Manifold<DVec3, N>>, Violation> {
    let mut found = Vec::new();
    kernel.for_each_contact(a, b, &mut Default::default(), |contact| found.push(contact));
    all_finite(rule, found)
}

fn all_finite<N: Debug>(
    rule: &str,
    found: Vec<impl Into<Manifold<DVec3, N>>>,
) -> Result<Vec<Manifold<DVec3, N>>, Violation> {
    let found: Vec<Manifold<DVec3, N>> = found.into_iter().map(Into::into).collect();
    let is_finite = DVec3::is_finite;
    let is_good = |p: &NamedPoint<DVec3, N>| {
        is_finite(p.point) && [p.overlap, p.area, p.volume].iter().all(|x| x.is_finite())
    };
    for manifold in &found {
        let vectors = is_finite(manifold.normal) && is_finite(manifold.point);
        let numbers = manifold.area.is_finite() && manifold.volume.is_finite();
        holds(
            rule,
            vectors && numbers && manifold.points.iter().all(is_good),
            || format!("a number is not finite: {manifold:?}"),
        )?;
    }
    Ok(found)
}
