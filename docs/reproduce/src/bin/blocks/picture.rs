//! The blocks as polygons, for ParaView.

use std::io;
use std::path::Path;

use osculate::glam::DVec3;
use reproduce::vtp::{Array, PolyData};

use crate::assembly::Assembly;

pub(crate) fn write(path: &Path, assembly: &Assembly) -> io::Result<()> {
    let (mut points, mut polys): (Vec<[f64; 3]>, Vec<_>) = (Vec::new(), Vec::new());
    let (mut vertices, mut speeds, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
    for (block, body) in assembly.blocks.iter().zip(&assembly.bodies) {
        let velocity = body.momentum / body.shape.mass;
        let first = points.len() as u32;
        let place = |&v: &DVec3| <[f64; 3]>::from(block.pose.transform_point(v));
        points.extend(block.shape.vertices().iter().map(place));
        for facet in block.shape.surface().facets() {
            polys.push(facet.vertices().iter().map(|id| first + id).collect());
            vertices.push(block.shape.vertices().len() as i32);
            speeds.push(velocity.length());
            velocities.push(velocity.into());
        }
    }
    let picture = PolyData {
        points,
        polys,
        cell_data: vec![
            ("vertices", Array::Integers(vertices)),
            ("speed", Array::Scalars(speeds)),
            ("velocity", Array::Vectors(velocities)),
        ],
        ..PolyData::default()
    };
    picture.write(path)
}
