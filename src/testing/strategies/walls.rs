//! Walls and spheres at them.

use glam::DVec3;
use proptest::prelude::*;

use crate::shape::{Sphere, SurfaceMesh};
use crate::testing::oracle::Point;

/// A wall, a sphere that touches it, and the overlaps that its contacts have.
#[derive(Clone, Debug)]
pub struct PlantedWall {
    /// The wall; its lengths are small multiples of 1/8.
    pub mesh: SurfaceMesh,
    /// The sphere.
    pub sphere: Sphere<DVec3>,
    /// The overlap of each contact, exact, the deepest first.
    pub overlaps: Vec<f64>,
}

/// A floor (one contact), a convex edge (one), a convex corner (one), a wedge (two) or a corner of
/// three planes (three); the walls are squares of 1 x 1, or cut into triangles.
pub fn planted_wall() -> impl Strategy<Value = PlantedWall> {
    let depths = prop::array::uniform3(1_i32..8).prop_map(|d| d.map(|d| f64::from(d) / 16.0));
    (0_usize..5, depths, any::<bool>()).prop_filter_map("a wall", |(kind, depths, is_cut)| {
        // The planes x = 0, y = 0, z = 0 that the wall has, each from 0 to 4 in the others' axes.
        let axes: &[usize] = match kind {
            0 => &[2],
            1 | 3 => &[1, 2],
            _ => &[0, 1, 2],
        };
        let mut squares = Vec::new();
        for &axis in axes {
            for i in 0..16 {
                let corner = |u: i32, v: i32| {
                    let mut p = DVec3::ZERO;
                    p[(axis + 1) % 3] = f64::from(i % 4 + u);
                    p[(axis + 2) % 3] = f64::from(i / 4 + v);
                    p
                };
                let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let [a, b, c, d] = square;
                if is_cut {
                    squares.extend([vec![a, b, c], vec![a, c, d]]);
                } else {
                    squares.push(square.to_vec());
                }
            }
        }
        let points: Vec<DVec3> = squares.concat();
        let mut first = 0;
        let ids = squares.iter().map(|square| {
            first += square.len() as u32;
            (first - square.len() as u32..first).collect::<Vec<_>>()
        });
        let mesh = SurfaceMesh::welded(&points, ids.collect::<Vec<_>>(), 0.0).ok()?;
        let (radius, mut center) = (1.0, DVec3::splat(2.0));
        let mut overlaps = Vec::new();
        if matches!(kind, 0 | 3 | 4) {
            for (&axis, depth) in axes.iter().zip(depths) {
                center[axis] = radius - depth;
                overlaps.push(depth);
            }
        } else {
            // On the outside: from the edge along x or the corner at 0, in the direction (-3, -4) / 5
            // or (-2, -1, -2) / 3, at a distance that the unit makes exact.
            let away = if kind == 1 {
                DVec3::new(0.0, 3.0, 4.0)
            } else {
                DVec3::new(2.0, 1.0, 2.0)
            };
            let length = if kind == 1 { 5.0 } else { 3.0 };
            let depth = depths[0] * length;
            let sphere_at = if kind == 1 {
                DVec3::X * 2.0
            } else {
                DVec3::ZERO
            };
            overlaps.push(depth);
            let sphere = Sphere::new(sphere_at - away, length + depth);
            return Some(PlantedWall {
                mesh,
                sphere,
                overlaps,
            });
        }
        overlaps.sort_by(|a, b| b.total_cmp(a));
        let sphere = Sphere::new(center, radius);
        Some(PlantedWall {
            mesh,
            sphere,
            overlaps,
        })
    })
}

/// Hills and valleys on the lattice: a net of 5 x 5 cells 2^20 wide, with heights of small multiples
/// of 2^19 (many facets are coplanar), each cell cut into two triangles either way.
pub fn landscape() -> impl Strategy<Value = (Vec<Point>, Vec<[u32; 3]>)> {
    let heights = prop::collection::vec(-2_i64..=2, 36);
    let cuts = prop::collection::vec(any::<bool>(), 25);
    (heights, cuts).prop_map(|(heights, cuts)| {
        let at = |i: usize| ((i % 6) as i64) << 20;
        let vertices = (0..36)
            .map(|i| [at(i), at(i / 6), heights[i] << 19])
            .collect();
        let mut triangles = Vec::new();
        for (cell, is_cut_up) in (0_u32..).zip(cuts) {
            let first = cell / 5 * 6 + cell % 5;
            let [a, b, c, d] = [first, first + 1, first + 7, first + 6];
            triangles.extend(if is_cut_up {
                [[a, b, d], [b, c, d]]
            } else {
                [[a, b, c], [a, c, d]]
            });
        }
        (vertices, triangles)
    })
}
