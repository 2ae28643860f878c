//! Benches measure the CPU time of the thread: on a shared machine it is what repeats.

use cpu_time::ThreadTime;
use criterion::Criterion;
use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use std::time::Duration;

/// Thread CPU time, shown as criterion shows wall time.
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

/// Criterion as all benches use it.
pub(crate) fn criterion() -> Criterion<CpuTime> {
    Criterion::default()
        .with_measurement(CpuTime)
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

/// So many bodies, pairs or facets an iteration: the report gives the time of each.
pub(crate) fn each(count: usize) -> Throughput {
    Throughput::Elements(count as u64)
}
