//! Failure rates.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::testing::properties::Violation;

/// How often a check failed; see [`rate`].
#[derive(Clone, Debug)]
pub struct Rate<T> {
    /// The number of cases.
    pub cases: usize,
    /// The number of cases that failed, including panics.
    pub failures: usize,
    /// The number of cases in which the check panicked.
    pub panics: usize,
    /// The case with the largest [`excess`](Violation::excess), the first of several.
    pub worst: Option<(T, Violation)>,
}

/// Counts the failures of a check over generated cases, to measure how often another kernel is wrong.
///
/// The cases are the same in each run. They do not shrink. A panic counts as a failure without bound; its message is
/// still printed.
///
/// ```
/// use osculate::{Contact, Sphere, glam::DVec3};
/// use osculate::testing::{properties::kernel, strategies};
///
/// // A kernel in single precision.
/// let mut own = |a: &Sphere, b: &Sphere| {
///     let ab = (b.center - a.center).as_vec3();
///     let overlap = f64::from((a.radius + b.radius) as f32 - ab.length());
///     let normal = ab.as_dvec3().normalize();
///     (overlap > 0.0).then_some(Contact { point: a.center + normal * a.radius, normal, overlap })
/// };
/// let cases = strategies::touching_spheres_at::<DVec3>(1.0..10.0);
/// let found = strategies::rate(&cases, 1000, |([a, b], gap)| {
///     kernel::gap_is(&mut own, a, b, *gap, 1e-9)
/// });
/// assert!(found.failures > 100 && found.panics == 0);
/// println!("{} of {}, the worst {:?}", found.failures, found.cases, found.worst);
/// ```
pub fn rate<S: Strategy>(
    strategy: &S,
    cases: usize,
    mut check: impl FnMut(&S::Value) -> Result<(), Violation>,
) -> Rate<S::Value> {
    let config = Config {
        failure_persistence: None,
        max_local_rejects: u32::MAX,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let mut rate = Rate {
        cases: 0,
        failures: 0,
        panics: 0,
        worst: None,
    };
    for _ in 0..cases {
        let Ok(tree) = strategy.new_tree(&mut runner) else {
            break;
        };
        rate.cases += 1;
        let case = tree.current();
        let result = catch_unwind(AssertUnwindSafe(|| check(&case)));
        rate.panics += usize::from(result.is_err());
        let result = result.unwrap_or_else(|_| Err(Violation::new("the check panicked".into())));
        let Err(violation) = result else {
            continue;
        };
        rate.failures += 1;
        let is_worse = |(_, worst): &(S::Value, Violation)| violation.excess() > worst.excess();
        if rate.worst.as_ref().is_none_or(is_worse) {
            rate.worst = Some((case, violation));
        }
    }
    rate
}
