//! Bodies and walls at the start of four scenes.

#![allow(unreachable_pub, reason = "another program includes this file")]

use osculate::glam::{DQuat, DVec3};
use osculate::{ConvexPolyhedron, Error, Placed, Pose3, SurfaceMesh};

use crate::random::SplitMix64;

type Result<T> = std::result::Result<T, Error>;
pub type Solid<'a> = Placed<&'a ConvexPolyhedron>;

/// A box around the origin.
pub fn cuboid(sides: DVec3) -> Result<ConvexPolyhedron> {
    let unit = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    ConvexPolyhedron::from_convex_hull(&(0..8).map(|i| sides * unit(i)).collect::<Vec<_>>())
}

/// A floor around the origin, of `x` by `y` cells of two triangles, with heights up to `bumps` above and below 0.
pub fn floor([x, y]: [u32; 2], cell: [f64; 2], bumps: f64) -> Result<SurfaceMesh> {
    let mut random = SplitMix64::new(1);
    let half = DVec3::new(x.into(), y.into(), 0.0) / 2.0;
    let place = |i: u32| DVec3::new((i % (x + 1)).into(), (i / (x + 1)).into(), 0.0) - half;
    let size = DVec3::new(cell[0], cell[1], 0.0);
    let vertices = (0..(x + 1) * (y + 1))
        .map(|i| place(i) * size + DVec3::Z * (bumps * random.range(-1.0, 1.0)));
    let vertices = vertices.collect();
    let cells = (0..x * y).map(|i| i + i / x);
    let triangles = cells.flat_map(|a| {
        let b = a + x + 1;
        [[a, a + 1, b + 1], [a, b + 1, b]]
    });
    SurfaceMesh::new(vertices, triangles)
}

fn at(shape: &ConvexPolyhedron, place: [f64; 3]) -> Result<Solid<'_>> {
    Ok(Placed::new(shape, Pose3::from_translation(place.into())?))
}

/// Cubes on each other.
pub fn stack(cube: &ConvexPolyhedron) -> Result<Vec<Solid<'_>>> {
    (0..10)
        .map(|i| at(cube, [0.0, 0.0, f64::from(i) + 0.5]))
        .collect()
}

/// Rows of ten cubes to one, with gaps.
pub fn pyramid(cube: &ConvexPolyhedron) -> Result<Vec<Solid<'_>>> {
    let cubes = (0..10).flat_map(|row| (row..10).map(move |i| (row, f64::from(2 * i - row) - 9.0)));
    cubes
        .map(|(row, x)| at(cube, [0.55 * x, 0.0, f64::from(row) + 0.5]))
        .collect()
}

/// A box at the end of a floor.
pub fn slider(cube: &ConvexPolyhedron) -> Result<Vec<Solid<'_>>> {
    Ok(vec![at(cube, [-6.0, 0.03, 0.5])?])
}

/// Hulls of 14 points.
pub fn rocks() -> Result<Vec<ConvexPolyhedron>> {
    let mut random = SplitMix64::new(2);
    let mut rock = |_| {
        let points: Vec<_> = (0..14)
            .map(|_| random.in_ball().normalize() * 0.5)
            .collect();
        ConvexPolyhedron::from_convex_hull(&points)
    };
    (0..8).map(&mut rock).collect()
}

/// Two hundred rocks above the ground.
pub fn heap(rocks: &[ConvexPolyhedron]) -> Result<Vec<Solid<'_>>> {
    let mut random = SplitMix64::new(3);
    let mut place = |i: usize| {
        let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
        let place = DVec3::from([i % 7, i / 7 % 7, i / 49].map(|k| 1.1 * k as f64));
        let pose = Pose3::new_normalize(turn, place + DVec3::new(-3.3, -3.3, 0.8))?;
        Ok(Placed::new(&rocks[i % rocks.len()], pose))
    };
    (0..200).map(&mut place).collect()
}
