//! A canonical order of two bodies.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::math::{Pose, Vector};
use crate::shape::Placed;

/// Two bodies in an order that does not depend on which is given first.
///
/// A kernel works in the frame of the first body. With this order the results for (a, b) and (b, a)
/// have the same bits. Only values that belong to the first body change their sign.
pub(super) struct Ordered<'a, S, V: Vector> {
    pub(super) shapes: [&'a S; 2],
    pub(super) poses: [&'a Pose<V>; 2],
    /// Whether the body given first comes second.
    pub(super) is_swapped: bool,
    /// Whether pose and shape of the bodies are equal.
    pub(super) are_equal: bool,
}

impl<'a, S, V: Vector> Ordered<'a, S, V> {
    /// Orders two bodies by their poses, then by their vertices, then by `compare`.
    #[inline]
    pub(super) fn new(
        a: &'a Placed<impl Borrow<S>, V>,
        b: &'a Placed<impl Borrow<S>, V>,
        vertices: impl Fn(&S) -> &[V],
        compare: impl FnOnce(&S, &S) -> Ordering,
    ) -> Self {
        let (first, second) = (a.shape.borrow(), b.shape.borrow());
        let order = by_pose_then(&a.pose, &b.pose, || {
            compare_points(vertices(first), vertices(second)).then_with(|| compare(first, second))
        });
        let (shapes, poses) = ([first, second], [&a.pose, &b.pose]);
        let is_swapped = order.is_gt();
        let [i, j] = if is_swapped { [1, 0] } else { [0, 1] };
        Self {
            shapes: [shapes[i], shapes[j]],
            poses: [poses[i], poses[j]],
            is_swapped,
            are_equal: order.is_eq(),
        }
    }
}

/// Compares poses component by component, then by `compare`.
#[inline]
pub(super) fn by_pose_then<V: Vector>(
    a: &Pose<V>,
    b: &Pose<V>,
    compare: impl FnOnce() -> Ordering,
) -> Ordering {
    let (s, t) = (a.translation()[0], b.translation()[0]);
    // Without a branch, which could not be predicted.
    match (s > t).cmp(&(s < t)) {
        Ordering::Equal => compare_beyond_x(a, b).then_with(compare),
        order => order,
    }
}

#[cold]
#[inline(never)]
fn compare_beyond_x<V: Vector>(a: &Pose<V>, b: &Pose<V>) -> Ordering {
    let axis = |k: usize| V::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    let rotated = |pose: &Pose<V>, k| pose.transform_vector(axis(k));
    (0..V::DIM).fold(
        compare_points(&[a.translation()], &[b.translation()]),
        |order, k| order.then_with(|| compare_points(&[rotated(a, k)], &[rotated(b, k)])),
    )
}

/// Compares lists of points lexicographically.
fn compare_points<V: Vector>(a: &[V], b: &[V]) -> Ordering {
    let mut numbers = a
        .iter()
        .zip(b)
        .flat_map(|(&v, &w)| (0..V::DIM).map(move |i| (v[i], w[i])));
    let differ = numbers.find_map(|(x, y)| x.partial_cmp(&y).filter(|order| order.is_ne()));
    differ.unwrap_or_else(|| a.len().cmp(&b.len()))
}
