//! Manifolds of cells without height, found by the fuzz target `manifolds`.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::support::convex::hull;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::properties::manifold;
use osculate::{ElasticBed, Placed, Pose3};

/// A share and a depth below 0, by rounding, had a load above 0.
#[test]
fn shares_are_positive() {
    let p = hull(&[
        [-45.0, -45.0, -45.0],
        [-45.0, -45.0, -42.0],
        [-1.0, 45.0, -1.0],
        [0.0, 45.0, -7.0],
        [-2.0, 45.0, -1.0],
        [-1.0, -63.0, -1.0],
    ]);
    let q = hull(&[
        [0.0, -67.0, -2.0],
        [-1.0, -1.0, -65.0],
        [-1.0, -1.0, -1.0],
        [16.0, -1.0, -77.0],
        [0.0, 0.0, 0.0],
    ]);
    let at = Pose3::from_translation(DVec3::new(0.0, -45.0, -1.0)).unwrap();
    let (p, q) = (Placed::new(&p, at), Placed::new(&q, Pose3::IDENTITY));
    manifold::shares_add_up(&mut ElasticBed::new(), &p, &q, 0.0, 1e3).unwrap();
}

/// A vertex touches a face. One corner of the cell, as small as rounding errors, had more than its area.
#[test]
fn shares_are_at_most_the_area() {
    let p = hull(&[
        [-1.0, -1.0, 0.0],
        [-7.0, -105.0, -2.0],
        [1.0, -85.0, -85.0],
        [11.0, 0.0, 0.0],
    ]);
    let q = hull(&[
        [-85.0, -85.0, -85.0],
        [-16.0, -3.0, 1.0],
        [85.0, 85.0, 85.0],
        [-1.0, -1.0, -77.0],
        [-77.0, -56.0, 89.0],
    ]);
    let turn = DQuat::from_xyzw(0.5, -0.5, -0.5, -0.5);
    let pose = Pose3::new(turn, DVec3::splat(-1.0)).unwrap();
    let (p, q) = (Placed::new(&p, pose), Placed::new(&q, Pose3::IDENTITY));
    manifold::shares_add_up(&mut ElasticBed::new(), &p, &q, 0.0, 1e3).unwrap();
}

/// An edge lies in a face: a cell without width, whose area had fewer digits than the shares.
#[test]
fn shares_are_at_most_the_area_of_a_line() {
    let p = hull(&[
        [-1.0, -1.0, -1.0],
        [9.0, -5.0, 8.0],
        [-1.0, -1.0, -5.0],
        [0.0, -49.0, -69.0],
        [61.0, 31.0, 31.0],
        [31.0, 31.0, 31.0],
        [31.0, 31.0, 14.0],
    ]);
    let q = hull(&[
        [31.0, 31.0, 31.0],
        [31.0, 31.0, -1.0],
        [-9.0, -1.0, -2.0],
        [-1.0, -1.0, -1.0],
    ]);
    let turn = DQuat::from_xyzw(0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    let pose = Pose3::new(turn, DVec3::splat(31.0)).unwrap();
    let (p, q) = (Placed::new(&p, pose), Placed::new(&q, Pose3::IDENTITY));
    manifold::shares_add_up(&mut ElasticBed::new(), &p, &q, 0.0, 1e3).unwrap();
}
