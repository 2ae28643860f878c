//! The letters D, E and M, as prisms.

use std::f64::consts::PI;

use osculate::glam::DVec2;
use osculate::{Error, SolidMesh};

/// A D, an E and an M.
pub(crate) fn all() -> Result<[SolidMesh; 3], Error> {
    Ok([letter_d()?, letter_e()?, letter_m()?])
}

/// 24 vertices, 44 triangles.
fn letter_e() -> Result<SolidMesh, Error> {
    let outline = [
        (0.0, 0.0),
        (1.4, 0.0),
        (1.4, 0.4),
        (0.5, 0.4),
        (0.5, 0.8),
        (1.2, 0.8),
        (1.2, 1.2),
        (0.5, 1.2),
        (0.5, 1.6),
        (1.4, 1.6),
        (1.4, 2.0),
        (0.0, 2.0),
    ];
    let points: Vec<DVec2> = outline.iter().map(|&p| p.into()).collect();
    let count = points.len() as u32;
    extruded(&points, &ears(&points), &[(0..count).collect()])
}

/// 26 vertices, 48 triangles.
fn letter_m() -> Result<SolidMesh, Error> {
    let outline = [
        (0.0, 0.0),
        (0.4, 0.0),
        (0.4, 1.3),
        (0.85, 0.6),
        (1.05, 0.6),
        (1.5, 1.3),
        (1.5, 0.0),
        (1.9, 0.0),
        (1.9, 2.0),
        (1.5, 2.0),
        (0.95, 1.1),
        (0.4, 2.0),
        (0.0, 2.0),
    ];
    let points: Vec<DVec2> = outline.iter().map(|&p| p.into()).collect();
    let count = points.len() as u32;
    extruded(&points, &ears(&points), &[(0..count).collect()])
}

/// A stem and half a ring, around a hole: 172 vertices, 344 triangles.
fn letter_d() -> Result<SolidMesh, Error> {
    const COUNT: u32 = 43;
    // An arc from bottom to top, closed by the stem.
    let outline = |inset: f64| {
        (0..COUNT).map(move |i| {
            let angle = PI * (f64::from(i) / f64::from(COUNT - 1) - 0.5);
            let (sin, cos) = angle.sin_cos();
            DVec2::new(inset + (1.5 - 2.0 * inset) * cos, (1.0 - inset) * sin)
        })
    };
    let points: Vec<DVec2> = outline(0.0).chain(outline(0.4)).collect();
    let strip = (0..COUNT).flat_map(|i| {
        let j = (i + 1) % COUNT;
        [[i, j, COUNT + j], [i, COUNT + j, COUNT + i]]
    });
    let loops = [(0..COUNT).collect(), (COUNT..2 * COUNT).rev().collect()];
    extruded(&points, &strip.collect::<Vec<_>>(), &loops)
}

/// A prism of a triangulated face, around z. The loops are its boundary, with the face to the left.
pub(crate) fn extruded(
    points: &[DVec2],
    face: &[[u32; 3]],
    loops: &[Vec<u32>],
) -> Result<SolidMesh, Error> {
    let count = points.len() as u32;
    let at = |z: f64| points.iter().map(move |p| p.extend(z));
    let mut faces = Vec::new();
    for &[a, b, c] in face {
        faces.push([a, c, b]);
        faces.push([a, b, c].map(|id| id + count));
    }
    for ids in loops {
        for (i, &a) in ids.iter().enumerate() {
            let b = ids[(i + 1) % ids.len()];
            faces.extend([[a, b, b + count], [a, b + count, a + count]]);
        }
    }
    SolidMesh::new(at(-0.25).chain(at(0.25)).collect(), faces)
}

/// Triangulates a simple polygon, counter-clockwise, by cutting off ears.
fn ears(points: &[DVec2]) -> Vec<[u32; 3]> {
    let side = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|id| points[id as usize]);
        (b - a).perp_dot(c - a)
    };
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let mut triangles = Vec::new();
    while left.len() > 2 {
        let count = left.len();
        let corners = |i: usize| {
            [
                left[(i + count - 1) % count],
                left[i],
                left[(i + 1) % count],
            ]
        };
        let is_ear = |&i: &usize| {
            let [a, b, c] = corners(i);
            let inside = |&p: &u32| {
                ![a, b, c].contains(&p)
                    && side(a, b, p) >= 0.0
                    && side(b, c, p) >= 0.0
                    && side(c, a, p) >= 0.0
            };
            side(a, b, c) > 0.0 && !left.iter().any(inside)
        };
        let Some(ear) = (0..count).find(is_ear) else {
            break;
        };
        triangles.push(corners(ear));
        left.remove(ear);
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_what_they_say() {
        for (letter, vertices, facets, area) in [
            (letter_d(), 172, 344, PI / 2.0 * (1.5 - 0.7 * 0.6)),
            (letter_e(), 24, 44, 2.0),
            (letter_m(), 26, 48, 3.8 - 0.975 - 0.495),
        ] {
            let letter = letter.unwrap();
            assert_eq!(letter.surface().vertices().len(), vertices);
            assert_eq!(letter.surface().facet_count(), facets);
            let error = letter.volume() / (0.5 * area) - 1.0;
            // The arcs of the D are polygons.
            assert!(error.abs() < 2e-3, "{vertices}: {}", letter.volume());
        }
    }
}
