//! The heaps as VTP and as a drawing from the side.

use std::fs;
use std::path::Path;

use osculate::Pose3;
use osculate::glam::{DVec2, DVec3};

use crate::Result;
use crate::heap::{Heap, RADIUS};
use reproduce::solids::ball;
use reproduce::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, RED, Svg};
use reproduce::vtp::{Array, PolyData};

/// Writes the spheres, with the index of their cluster, and the wall, with -1.
pub(crate) fn write_vtp(path: &Path, heap: &Heap) -> Result<()> {
    let (mut data, mut clusters) = (PolyData::default(), Vec::new());
    let ball = ball(RADIUS)?;
    for (i, sphere) in (0..).zip(heap.spheres()?) {
        let pose = Pose3::from_translation(sphere.center)?;
        clusters.resize(data.add_surface(ball.surface(), &pose), i / 4);
    }
    clusters.resize(data.add_surface(heap.wall.mesh(), &Pose3::IDENTITY), -1);
    data.cell_data = vec![("cluster", Array::Integers(clusters))];
    Ok(data.write(path)?)
}

/// Draws the heaps side by side, seen slightly from above.
pub(crate) fn write_svg(path: &Path, heaps: [&Heap; 2]) -> Result<()> {
    const SCALE: f64 = 132.0;
    let eye = DVec3::new(0.1, -1.0, 0.22).normalize();
    let right = DVec3::Z.cross(eye).normalize();
    let flat = |x: DVec3| DVec2::new(right.dot(x), eye.cross(right).dot(x));
    let mut svg = Svg::new(
        800.0,
        260.0,
        "Clusters of spheres on a floor and on a sheet",
    );
    let words = [
        "a floor, of 2 triangles or of 2048; a color for each cluster",
        "a sheet on springs",
    ];
    for ((heap, words), left) in heaps.into_iter().zip(words).zip([200.0, 600.0]) {
        svg.view([left, 165.0], DVec2::ZERO, SCALE);
        let mesh = heap.wall.mesh();
        let ends = |edge: &[u32; 2]| edge.map(|i| flat(mesh.vertices()[i as usize]));
        let edges: Vec<_> = mesh.edges().iter().map(ends).collect();
        svg.lines(
            &edges,
            &format!("fill=\"none\" stroke=\"{GRAY}\" stroke-width=\"0.4\""),
        );
        let mut spheres: Vec<_> = heap.spheres()?.into_iter().enumerate().collect();
        spheres.sort_by(|a, b| eye.dot(a.1.center).total_cmp(&eye.dot(b.1.center)));
        for (i, sphere) in spheres {
            let color = [BLUE, ORANGE, GREEN, RED, GRAY][i / 4 % 5];
            let style = format!("fill=\"{color}\" stroke=\"#fff\" stroke-width=\"0.6\"");
            svg.circle(flat(sphere.center), RADIUS, &style);
        }
        svg.write([left, 250.0], "middle", DARK, words);
    }
    Ok(fs::write(path, svg.finish()).map_err(|error| format!("{}: {error}", path.display()))?)
}
