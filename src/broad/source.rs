use crate::shape::Sphere;

/// The number of bodies that are copied at a time: few enough to stay in the fastest cache.
pub(super) const BATCH: usize = 64;

/// The bodies of a rebuild: copies those from an index on.
///
/// Nothing else depends on the type of the caller's closure, so a program with many callers compiles a broad phase
/// once. A call for each body would take longer than the work on it.
pub(super) type Source<'a, V> = dyn Fn(usize, &mut [Sphere<V>]) + 'a;

/// A source for several threads.
#[cfg(feature = "rayon")]
pub(super) type SyncSource<'a, V> = dyn Fn(usize, &mut [Sphere<V>]) + Sync + 'a;

/// Returns the source of what a closure returns one at a time.
pub(super) fn copies<T>(item: impl Fn(usize) -> T) -> impl Fn(usize, &mut [T]) {
    move |first, places| {
        for (i, place) in (first..).zip(places) {
            *place = item(i);
        }
    }
}

/// Returns one body.
pub(super) fn body<V: Default + Copy>(source: &Source<'_, V>, i: usize) -> Sphere<V> {
    let mut place = [Sphere::default()];
    source(i, &mut place);
    place[0]
}
