//! The output files: a table, and a picture for ParaView.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use osculate::glam::DVec3;
use osculate::{Sphere, SurfaceMesh};

use crate::find::{Kind, Touch};
use crate::vtp::{Array, PolyData};

/// One line per contact; `b` is a sphere or, on the wall, a facet.
pub(crate) fn write_csv(path: &Path, touches: &[Touch]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "kind,a,b,px,py,pz,nx,ny,nz,overlap")?;
    for touch in touches {
        let kind = match touch.kind {
            Kind::Sphere => "sphere",
            Kind::Facet => "facet",
            Kind::Edge => "edge",
            Kind::Vertex => "vertex",
        };
        let ([px, py, pz], [nx, ny, nz]) = (touch.point.to_array(), touch.normal.to_array());
        let Touch { a, b, overlap, .. } = touch;
        writeln!(
            file,
            "{kind},{a},{b},{px},{py},{pz},{nx},{ny},{nz},{overlap}"
        )?;
    }
    file.flush()
}

/// The wall as polygons and the contacts as lines, which run from the center of a sphere to the
/// other center or to the contact point on the wall.
pub(crate) fn picture(
    spheres: &[Sphere<DVec3>],
    wall: &SurfaceMesh,
    touches: &[Touch],
) -> PolyData<'static> {
    let mut points: Vec<[f64; 3]> = spheres.iter().map(|s| s.center.into()).collect();
    let mut radii: Vec<f64> = spheres.iter().map(|s| s.radius).collect();
    let mut coordination = vec![0; spheres.len()];
    let mut lines = Vec::new();
    for touch in touches {
        coordination[touch.a as usize] += 1;
        let end = if touch.kind == Kind::Sphere {
            coordination[touch.b as usize] += 1;
            touch.b
        } else {
            points.push(touch.point.into());
            points.len() as u32 - 1
        };
        lines.push(vec![touch.a, end]);
    }
    let first_corner = points.len() as u32;
    points.extend(wall.vertices().iter().map(|&v| <[f64; 3]>::from(v)));
    radii.resize(points.len(), 0.0);
    coordination.resize(points.len(), 0);
    let polygon = |ids: &[u32]| ids.iter().map(|id| first_corner + id).collect();

    let facet_count = wall.facet_count() as usize;
    let mut kinds: Vec<i32> = touches.iter().map(|touch| touch.kind as i32).collect();
    kinds.resize(kinds.len() + facet_count, 4);
    let mut overlaps: Vec<f64> = touches.iter().map(|touch| touch.overlap).collect();
    overlaps.resize(kinds.len(), 0.0);
    let mut normals: Vec<[f64; 3]> = touches.iter().map(|touch| touch.normal.into()).collect();
    normals.extend(wall.facets().map(|facet| <[f64; 3]>::from(facet.normal())));
    PolyData {
        points,
        lines,
        polys: wall
            .facets()
            .map(|facet| polygon(facet.vertices()))
            .collect(),
        point_data: vec![
            ("radius", Array::Scalars(radii)),
            ("coordination", Array::Integers(coordination)),
        ],
        // 0 to 3: contact with a sphere, facet, edge, vertex; 4: facet of the wall.
        cell_data: vec![
            ("kind", Array::Integers(kinds)),
            ("overlap", Array::Scalars(overlaps)),
            ("normal", Array::Vectors(normals)),
        ],
        ..PolyData::default()
    }
}
