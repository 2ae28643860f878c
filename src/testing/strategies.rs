//! Generators for property tests, biased towards inputs that break kernels.
//!
//! These are ties, equal values, differences of a few ulps, and the ends of the domain. Some generators
//! return the correct result with the input.
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
//! Failing cases shrink towards few bodies, few vertices, small integers, and poses without rotation.
//! Polyhedra and meshes are a [`Case`], which prints the expression that builds it.

mod bodies;
mod case;
mod rate;
mod walls;

use glam::DVec3;
use proptest::prelude::*;

use crate::math::Vector;
use crate::shape::Sphere;
use crate::testing::oracle::LatticePoint;

pub use bodies::{
    PlacedPolyhedron, convex_polygon, convex_polyhedron, crossing_edges, placed_polyhedra,
    placed_polyhedra_at, placed_rounded, pose, pose_2d, solid, sphere_and_polyhedron,
    sphere_and_polyhedron_at, touching_boxes, touching_spheres, touching_spheres_at,
};
pub use case::Case;
pub use rate::{Rate, rate};
pub use walls::{landscape, landscape_from};

/// Generates a number with any bits: NaN, infinities, subnormals, both zeros.
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

/// Generates a vector of small integers, sometimes with a coordinate of any bits.
pub fn any_vector<V: Vector>() -> impl Strategy<Value = V> {
    let coordinate = prop_oneof![
        40 => (-2_i32..=2).prop_map(f64::from),
        1 => any_f64(),
    ];
    prop::array::uniform3(coordinate).prop_map(|c| V::from_fn(|axis| c[axis]))
}

/// Generates a coordinate in units of 2^-20: mostly a small integer, for ties, sometimes any multiple.
fn lattice_coordinate() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => (-8_i64..=8).prop_map(|i| i << 20),
        1 => (-32_i64..=32).prop_map(|i| i << 18),
        1 => -(8_i64 << 20)..=8 << 20,
    ]
}

/// Generates a point with coordinates in units of 2^-20, within 8 of the origin.
pub fn lattice_point() -> impl Strategy<Value = LatticePoint> {
    prop::array::uniform3(lattice_coordinate())
}

/// Generates up to `max_count` spheres in units of 2^-20.
///
/// Many of them touch exactly, have a radius of 0, or coincide. [`to_sphere`] converts them.
/// [`oracle::touching_pairs`](crate::testing::oracle::touching_pairs) takes them as they are.
pub fn lattice_spheres(max_count: usize) -> impl Strategy<Value = Vec<(LatticePoint, i64)>> {
    let radius = prop_oneof![
        4 => (0_i64..=6).prop_map(|i| i << 18),
        1 => (0_i64..=2 << 10).prop_map(|i| i << 10),
    ];
    prop::collection::vec((lattice_point(), radius), 0..=max_count)
}

/// Converts a lattice sphere to the dimension of `V`; 2D drops z.
pub fn to_sphere<V: Vector>((center, radius): (LatticePoint, i64)) -> Sphere<V> {
    const UNIT: f64 = 1.0 / (1 << 20) as f64;
    Sphere::new(
        V::from_fn(|axis| center[axis] as f64 * UNIT),
        radius as f64 * UNIT,
    )
}

/// Generates up to `max_count` equal spheres on the faces of linked cells, to a few ulps.
///
/// There are at least two, if `max_count` allows. The cells are as wide as a diameter. This is where rounding could
/// make a grid lose pairs.
pub fn spheres_at_cell_faces<V: Vector>(max_count: usize) -> impl Strategy<Value = Vec<Sphere<V>>> {
    let place = prop::array::uniform3((0_i32..4, -3_i32..=3));
    (
        0.5_f64..2.0,
        -4.0_f64..4.0,
        prop::collection::vec(place, max_count.min(2)..=max_count),
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
                // On one axis only, because a pair then touches at the limit.
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

/// Generates a lattice triangle in units of 2^-20, often a [`needle`].
pub fn lattice_triangle() -> impl Strategy<Value = [LatticePoint; 3]> {
    prop_oneof![prop::array::uniform3(lattice_point()), needle()]
}

/// Generates a lattice triangle in units of 2^-20 with a height of a few units, sometimes without area.
///
/// The ratio of height to length may be 2^-26.
pub fn needle() -> impl Strategy<Value = [LatticePoint; 3]> {
    let step = prop::array::uniform3(-2_i64..=2);
    (lattice_point(), lattice_point(), step, 0_i64..=8).prop_map(|(a, b, step, eighths)| {
        let between = |i: usize| a[i] + (b[i] - a[i]) * eighths / 8 + step[i];
        [a, b, [between(0), between(1), between(2)]]
    })
}

/// Generates a quaternion that is not normalized, and a translation within 1 along each axis.
pub fn motion() -> impl Strategy<Value = (glam::DQuat, DVec3)> {
    let quaternion = prop::array::uniform4(-1.0_f64..1.0).prop_filter("a rotation", |q| {
        q.iter().map(|c| c * c).sum::<f64>() > 0.01
    });
    (quaternion, prop::array::uniform3(-1.0_f64..1.0))
        .prop_map(|(q, t)| (glam::DQuat::from_array(q), DVec3::from_array(t)))
}
