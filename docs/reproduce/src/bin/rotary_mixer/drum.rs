//! The mixer: a drum at rest, and two helices that rotate in it.

use std::f64::consts::TAU;

use osculate::SurfaceMesh;
use osculate::glam::DVec3;

type Result<T> = std::result::Result<T, osculate::Error>;

pub(crate) const TRIANGLES: usize = 848;
pub(crate) const QUADS: usize = 1600;

/// Meters; the axis is y, the center of the drum is the origin, z is up.
pub(crate) const RADIUS: f64 = 0.125;
pub(crate) const LENGTH: f64 = 0.5;

/// Strips around the drum, and facets along each.
const SIDES: u32 = 40;
const COLUMNS: u32 = 40;

/// 40 x 40 quads, and 40 triangles for each of the two ends.
pub(crate) fn drum() -> Result<SurfaceMesh> {
    let at = |i: u32, y: f64| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
        DVec3::new(RADIUS * sin, y, RADIUS * cos)
    };
    let y = |column: u32| LENGTH * (f64::from(column) / f64::from(COLUMNS) - 0.5);
    let mut vertices: Vec<DVec3> = (0..=COLUMNS)
        .flat_map(|column| (0..SIDES).map(move |i| (i, column)))
        .map(|(i, column)| at(i, y(column)))
        .collect();
    let mut facets: Vec<Vec<u32>> = Vec::new();
    for column in 0..COLUMNS {
        for i in 0..SIDES {
            let [a, b] = [i, (i + 1) % SIDES].map(|i| column * SIDES + i);
            facets.push(vec![a, b, b + SIDES, a + SIDES]);
        }
    }
    for column in [0, COLUMNS] {
        let middle = vertices.len() as u32;
        vertices.push(DVec3::Y * y(column));
        for i in 0..SIDES {
            let [a, b] = [i, (i + 1) % SIDES].map(|i| column * SIDES + i);
            facets.push(vec![a, b, middle]);
        }
    }
    SurfaceMesh::new(vertices, facets)
}

/// Steps along each of the two helices.
const STATIONS: u32 = 192;
/// Turns, inner and outer radius of each. The outer one moves the spheres along the axis, the inner
/// one back; the gap to the drum is narrower than a sphere.
const RIBBONS: [(f64, [f64; 2]); 2] = [(3.0, [0.085, 0.121]), (-3.0, [0.035, 0.075])];

/// Two ribbons of 384 triangles each.
pub(crate) fn helices() -> Result<SurfaceMesh> {
    let (mut vertices, mut facets) = (Vec::new(), Vec::new());
    for (turns, radii) in RIBBONS {
        let first = vertices.len() as u32;
        for station in 0..=STATIONS {
            let t = f64::from(station) / f64::from(STATIONS);
            let (sin, cos) = (TAU * turns * t).sin_cos();
            let y = 0.98 * LENGTH * (t - 0.5);
            vertices.extend(radii.map(|r| DVec3::new(r * sin, y, r * cos)));
        }
        for station in 0..STATIONS {
            let a = first + 2 * station;
            facets.extend([[a, a + 1, a + 3], [a, a + 3, a + 2]]);
        }
    }
    SurfaceMesh::new(vertices, facets)
}

/// The numbers of facets with three and with four corners.
pub(crate) fn counts(meshes: [&SurfaceMesh; 2]) -> [usize; 2] {
    let count = |corners: usize| {
        let facets = meshes.iter().flat_map(|mesh| mesh.facets());
        facets.filter(|f| f.vertices().len() == corners).count()
    };
    [3, 4].map(count)
}
