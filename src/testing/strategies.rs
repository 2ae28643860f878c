//! Generators for property tests, biased to what breaks kernels: ties, equal values, a few ulps,
//! the ends of the domain; some come with the answer that was planted in them.
//!
//! ```
//! use osculate::{LinkedCells, glam::DVec3, testing::{properties::broad, strategies}};
//! use proptest::prelude::*;
//!
//! proptest! {
//!     fn finds_all_pairs(bodies in strategies::lattice_spheres(40)) {
//!         let bodies: Vec<_> = bodies.into_iter().map(strategies::to_sphere::<DVec3>).collect();
//!         broad::each_pair_once(&mut LinkedCells::new(), &bodies)?;
//!     }
//! }
//! finds_all_pairs();
//! ```
//!
//! Failing cases shrink towards few bodies, few corners, small integers, poses that do not turn.

mod bodies;
mod packings;
mod walls;

use glam::DVec3;
use proptest::prelude::*;

use crate::math::Vector;
use crate::shape::Sphere;
use crate::testing::oracle::LatticePoint;

pub use bodies::{
    convex_polygon, convex_polyhedron, crossing_edges, pose, pose_2d, solid, touching_boxes,
    touching_spheres,
};
pub use packings::{periodic_packing, rank_decomposition};
pub use walls::{PlantedWall, landscape, planted_wall};

/// Any bits at all: NaN, infinities, subnormals, both zeros.
pub fn any_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        prop::sample::select(vec![
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            f64::MIN_POSITIVE / 8.0,
            crate::math::MAX_LENGTH,
            crate::math::MAX_LENGTH.next_up(),
            crate::math::MIN_LENGTH,
            crate::math::MIN_LENGTH.next_down(),
            1.0,
        ]),
    ]
}

/// A vector of any bits, but mostly of small integers, so that something can come of it.
pub fn any_vector<V: Vector>() -> impl Strategy<Value = V> {
    let coordinate = prop_oneof![
        40 => (-2_i32..=2).prop_map(f64::from),
        1 => any_f64(),
    ];
    prop::array::uniform3(coordinate).prop_map(|c| V::from_fn(|axis| c[axis]))
}

/// Small integers mostly (ties), multiples of 2^-20 sometimes, in units of 2^-20.
fn lattice_coordinate() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => (-8_i64..=8).prop_map(|i| i << 20),
        1 => (-32_i64..=32).prop_map(|i| i << 18),
        1 => -(8_i64 << 20)..=8 << 20,
    ]
}

/// A point with coordinates in units of 2^-20, within 8 of 0.
pub fn lattice_point() -> impl Strategy<Value = LatticePoint> {
    prop::array::uniform3(lattice_coordinate())
}

/// Up to `max_count` spheres in units of 2^-20, for comparison with
/// [`oracle::touching_pairs`](crate::testing::oracle::touching_pairs); many of them touch
/// exactly, or have radius 0, or coincide. [`to_sphere`] makes `Sphere`s of them.
pub fn lattice_spheres(max_count: usize) -> impl Strategy<Value = Vec<(LatticePoint, i64)>> {
    let radius = prop_oneof![
        4 => (0_i64..=6).prop_map(|i| i << 18),
        1 => (0_i64..=2 << 10).prop_map(|i| i << 10),
    ];
    prop::collection::vec((lattice_point(), radius), 0..=max_count)
}

/// A lattice sphere in the dimension of `V`; in 2D z is left out.
pub fn to_sphere<V: Vector>((center, radius): (LatticePoint, i64)) -> Sphere<V> {
    const UNIT: f64 = 1.0 / (1 << 20) as f64;
    Sphere::new(
        V::from_fn(|axis| center[axis] as f64 * UNIT),
        radius as f64 * UNIT,
    )
}

/// Equal spheres on the faces of linked cells as wide as their diameter, to within a few ulps:
/// where cells lose pairs by rounding.
pub fn spheres_at_cell_faces<V: Vector>(max_count: usize) -> impl Strategy<Value = Vec<Sphere<V>>> {
    let place = prop::array::uniform3((0_i32..4, -3_i32..=3));
    (
        0.5_f64..2.0,
        -4.0_f64..4.0,
        prop::collection::vec(place, 2..=max_count),
    )
        .prop_map(|(diameter, origin, places)| {
            let coordinate = |(cell, ulps): (i32, i32)| {
                let mut x = origin + f64::from(cell) * diameter;
                for _ in 0..ulps.abs() {
                    x = if ulps < 0 { x.next_down() } else { x.next_up() };
                }
                x
            };
            let sphere = |place: [(i32, i32); 3]| {
                // Along one axis mostly: a pair must be at the limit in all others at once.
                let center = V::from_fn(|axis| {
                    if axis == 0 {
                        coordinate(place[0])
                    } else {
                        origin
                    }
                });
                Sphere::new(center, 0.5 * diameter)
            };
            places.into_iter().map(sphere).collect()
        })
}

/// A lattice triangle in units of 2^-20, often a [`needle`].
pub fn lattice_triangle() -> impl Strategy<Value = [LatticePoint; 3]> {
    prop_oneof![prop::array::uniform3(lattice_point()), needle()]
}

/// A lattice triangle in units of 2^-20 with a height of some units at most: an aspect down to
/// 2^-26, sometimes without area.
pub fn needle() -> impl Strategy<Value = [LatticePoint; 3]> {
    let step = prop::array::uniform3(-2_i64..=2);
    (lattice_point(), lattice_point(), step, 0_i64..=8).prop_map(|(a, b, step, eighths)| {
        let between = |i: usize| a[i] + (b[i] - a[i]) * eighths / 8 + step[i];
        [a, b, [between(0), between(1), between(2)]]
    })
}

/// A rotation and a translation of the size of 1, as `(x, y, z, w)` of a quaternion that is not
/// normalized, and a vector.
pub fn motion() -> impl Strategy<Value = (glam::DQuat, DVec3)> {
    let quaternion = prop::array::uniform4(-1.0_f64..1.0).prop_filter("a rotation", |q| {
        q.iter().map(|c| c * c).sum::<f64>() > 0.01
    });
    (quaternion, prop::array::uniform3(-1.0_f64..1.0))
        .prop_map(|(q, t)| (glam::DQuat::from_array(q), DVec3::from_array(t)))
}
