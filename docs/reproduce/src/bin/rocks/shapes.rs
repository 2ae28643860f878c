//! The bodies: rocks, letters, nuts and bolts, bars, bananas and pears.

use std::f64::consts::{PI, TAU};

use osculate::glam::DVec3;
use osculate::{Error, SolidMesh};

use crate::letters;
use reproduce::rigid::Shape;
use reproduce::rigid_solids::triangles;
use reproduce::solids::{bolt, nut, rock};

/// Three rocks and three letters, in two sizes.
pub(crate) fn rocks_and_letters(rock_vertices: usize) -> Result<Vec<Shape>, Error> {
    let mut solids = Vec::new();
    for (seed, letter) in (1..).zip(letters::all()?) {
        solids.push(rock(rock_vertices, 0.6, seed)?);
        solids.push(letter);
    }
    in_sizes(&[0.8, 1.0], &solids)
}

/// The letters in four sizes.
pub(crate) fn letters(_: usize) -> Result<Vec<Shape>, Error> {
    in_sizes(&[0.7, 0.8, 0.9, 1.0], &letters::all()?)
}

/// Bananas and pears, 300 and 1696 triangles.
pub(crate) fn fruit(_: usize) -> Result<Vec<Shape>, Error> {
    in_sizes(&[0.9, 0.95, 1.0], &[banana()?, pear()?])
}

/// Nuts and bolts, 1296 and 2064 triangles.
pub(crate) fn nuts_and_bolts(_: usize) -> Result<Vec<Shape>, Error> {
    in_sizes(&[0.9, 1.0], &[nut()?, bolt(24, 43)?])
}

/// A rock in three sizes.
pub(crate) fn rocks(vertices: usize) -> Result<Vec<Shape>, Error> {
    in_sizes(&[0.8, 0.9, 1.0], &[rock(vertices, 0.6, 1)?])
}

/// Five sizes of rocks, and a bar as the last shape.
pub(crate) fn rocks_and_bars(rock_vertices: usize) -> Result<Vec<Shape>, Error> {
    let mut shapes = Vec::new();
    for (seed, size) in (1..).zip([0.55, 0.65, 0.75, 0.85, 0.95]) {
        shapes.extend(in_sizes(&[size], &[rock(rock_vertices, 0.6, seed)?])?);
    }
    shapes.extend(in_sizes(&[1.0], &[bar()?])?);
    Ok(shapes)
}

fn in_sizes(sizes: &[f64], solids: &[SolidMesh]) -> Result<Vec<Shape>, Error> {
    let shapes = sizes
        .iter()
        .flat_map(|size| solids.iter().map(|solid| (*size, solid)));
    shapes
        .map(|(size, solid)| {
            let vertices = solid.surface().vertices().iter().map(|&v| v * size);
            Shape::new(&SolidMesh::new(vertices.collect(), triangles(solid))?, 1.0)
        })
        .collect()
}

/// The diameter of a sphere around the center of mass that contains any of them.
pub(crate) fn cell(shapes: &[Shape]) -> f64 {
    let vertices = shapes.iter().flat_map(|s| s.solid.surface().vertices());
    2.0 * vertices.map(|v| v.length()).fold(0.0, f64::max)
}

/// A cylinder of 74 vertices and 144 triangles along y.
fn bar() -> Result<SolidMesh, Error> {
    spindle(36, 2, |t, x, y| {
        DVec3::new(0.4 * y, 2.5_f64.copysign(t - 0.5 * PI), 0.4 * x)
    })
}

/// A circle of varying radius along an arc: 152 vertices, 300 triangles.
fn banana() -> Result<SolidMesh, Error> {
    const ARC: f64 = 1.5;
    spindle(10, 15, |t, x, y| {
        let (sin, cos) = (-1.2 * t.cos()).sin_cos();
        let radius = 0.4 * t.sin().powf(0.6);
        let across = ARC + radius * x;
        DVec3::new(across * cos - ARC, radius * y, across * sin)
    })
}

/// A surface of revolution with a neck: 850 vertices, 1696 triangles.
fn pear() -> Result<SolidMesh, Error> {
    spindle(16, 53, |t, x, y| {
        let height = -t.cos();
        let radius = t.sin() * (0.57 - 0.23 * (4.0 * (height - 0.2)).tanh());
        DVec3::new(radius * x, radius * y, 1.25 * height)
    })
}

/// A closed tube of 2 `around` x `rings` triangles. The arguments of `place` are the place t along it, from 0 to pi, and
/// a point of the unit circle, or its center at the ends.
fn spindle(
    around: u32,
    rings: u32,
    place: impl Fn(f64, f64, f64) -> DVec3,
) -> Result<SolidMesh, Error> {
    let mut vertices = Vec::new();
    for i in 0..rings {
        let t = PI * (f64::from(i) + 0.5) / f64::from(rings);
        for k in 0..around {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
            vertices.push(place(t, cos, sin));
        }
    }
    vertices.extend([0.0, PI].map(|t| place(t, 0.0, 0.0)));
    let [last, bottom, top] = [(rings - 1) * around, rings * around, rings * around + 1];
    let mut triangles = Vec::new();
    for k in 0..around {
        let l = (k + 1) % around;
        for low in (0..rings - 1).map(|i| i * around) {
            let [a, b, c, d] = [low + k, low + l, low + around + k, low + around + l];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.extend([[bottom, l, k], [top, last + k, last + l]]);
    }
    SolidMesh::new(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use osculate::ConvexPolyhedron;

    use super::*;

    #[test]
    fn spindles_have_their_volumes() {
        // Polygons in circles, except for the sine of the angle of a corner.
        let polygon = |n: f64| n / TAU * (TAU / n).sin();
        // The integral of radius^2 over the length, by Pappus also for the arc.
        let sum = |f: &dyn Fn(f64) -> f64| {
            let parts = 10_000;
            let at = |i: i32| f(PI * (f64::from(i) + 0.5) / f64::from(parts));
            (0..parts).map(at).sum::<f64>() * PI / f64::from(parts)
        };
        let of_banana = sum(&|t| 1.8 * 0.16 * t.sin().powf(2.2));
        let of_pear = sum(&|t| {
            let radius = 0.57 + 0.23 * (4.0 * (t.cos() + 0.2)).tanh();
            1.25 * radius.powi(2) * t.sin().powi(3)
        });
        for (solid, vertices, facets, volume) in [
            (bar(), 74, 144, polygon(36.0) * 0.16 * 5.0),
            (banana(), 152, 300, polygon(10.0) * of_banana),
            (pear(), 850, 1696, polygon(16.0) * of_pear),
        ] {
            let solid = solid.unwrap();
            assert_eq!(solid.surface().vertices().len(), vertices);
            assert_eq!(solid.surface().facet_count(), facets);
            let ratio = solid.volume() / (PI * volume);
            assert!((ratio - 1.0).abs() < 0.02, "{vertices}: {ratio}");
        }
    }

    #[test]
    fn fruit_is_not_convex() {
        for (solid, most) in [(banana(), 0.8), (pear(), 0.98)] {
            let solid = solid.unwrap();
            let hull = ConvexPolyhedron::from_convex_hull(solid.surface().vertices()).unwrap();
            let share = solid.volume() / hull.volume();
            assert!(share < most, "{share}");
        }
    }
}
