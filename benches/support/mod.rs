//! Measures the CPU time of the thread, which is reproducible on a shared machine.

#![allow(dead_code, reason = "each bench uses a part")]

use cpu_time::ThreadTime;
use criterion::Criterion;
use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use osculate::{Sphere, Vector};
use std::time::Duration;

/// Thread CPU time, displayed as criterion displays wall time.
pub(crate) struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }
    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }
    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Criterion with the settings of all benches.
pub(crate) fn criterion() -> Criterion<CpuTime> {
    Criterion::default()
        .with_measurement(CpuTime)
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

/// Sets the number of bodies, pairs or facets per iteration; the report gives the time of each.
pub(crate) fn each(count: usize) -> Throughput {
    Throughput::Elements(count as u64)
}

/// Sorts bodies roughly in spatial order, by cubes of about 64 bodies, as in a simulation that
/// sorts from time to time.
pub(crate) fn coherent<V: Vector>(spheres: &[Sphere<V>]) -> Vec<Sphere<V>> {
    let mut spheres = spheres.to_vec();
    let extent = |axis: usize| spheres.iter().fold(0.0, |x: f64, s| x.max(s.center[axis]));
    let volume: f64 = (0..V::DIM).map(extent).product();
    let width = (64.0 * volume / spheres.len() as f64).powf(1.0 / V::DIM as f64);
    let cube = |axis: usize, s: &Sphere<V>| (s.center[axis] / width) as i64;
    spheres.sort_by_key(|s| [V::DIM - 1, 1, 0].map(|axis| cube(axis, s)));
    spheres
}
