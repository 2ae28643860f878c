//! Generators of packings in periodic boxes, and of domain decompositions.

use osculate::{PeriodicBox, Sphere, Vector};
use proptest::prelude::*;

/// Generates a periodic box and up to `max_count` spheres of many sizes, the largest as large as the box allows.
///
/// The box is periodic along some axes, may be tilted, and has its corner at the origin. Centers are at
/// eighths of the sides, inside the box or some periods away.
pub(crate) fn periodic_packing<V: Vector>(
    max_count: usize,
) -> impl Strategy<Value = (PeriodicBox<V>, Vec<Sphere<V>>)> {
    let sides = prop::array::uniform3(4_i32..=12);
    let tilts = prop::array::uniform3(prop_oneof![2 => Just(0), 1 => -8_i32..=8]);
    let is_periodic = prop::array::uniform3(prop::bool::weighted(0.8));
    // The position in eighths of a side, and how often the largest radius is halved.
    let place = prop_oneof![4 => 0_i32..8, 1 => -24_i32..=24];
    let body = (prop::array::uniform3(place), 0_i32..=6);
    let bodies = prop::collection::vec(body, 0..=max_count);
    (sides, tilts, is_periodic, bodies).prop_filter_map(
        "a box",
        |(sides, tilts, is_periodic, bodies)| {
            let side = V::from_fn(|axis| f64::from(sides[axis]));
            // The faces of a tilted box are closer to each other, by at most a factor of 2.
            let [x, y, z] = [0, 1, 2].map(|axis| axis < V::DIM && is_periodic[axis]);
            let may_tilt = [x && y, x && z, y && z];
            let tilt = |i: usize| {
                if may_tilt[i] {
                    f64::from(tilts[i]) / 8.0
                } else {
                    0.0
                }
            };
            let tilts = [0, 1, 2].map(tilt);
            let period = PeriodicBox::triclinic(V::ZERO, side, tilts, is_periodic).ok()?;
            let is_tilted = tilts.iter().any(|&tilt| tilt != 0.0);
            let shortest = sides.into_iter().fold(i32::MAX, i32::min);
            let largest = f64::from(shortest) / if is_tilted { 8.0 } else { 4.0 };
            let sphere = |(place, halvings): ([i32; 3], i32)| {
                let center = V::from_fn(|axis| f64::from(place[axis]) / 8.0 * side[axis]);
                let radius = largest * 2.0_f64.powi(-halvings);
                Sphere::new(center, radius)
            };
            Some((period, bodies.into_iter().map(sphere).collect()))
        },
    )
}

/// Generates the owning rank, out of 4, of each of `count` bodies: random, slabs, or all on one rank.
pub(crate) fn rank_decomposition(count: usize) -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        Just(vec![0; count]),
        (1..=count.max(1))
            .prop_map(move |slab| (0..count).map(|i| (i / slab % 4) as u32).collect()),
        prop::collection::vec(0_u32..4, count),
    ]
}
