//! Pictures: a `.vtp` file of each rank, a `.pvtp` file that ParaView opens as one, and the drum.

use std::fs;
use std::path::Path;

use crate::bodies::Body;
use crate::drum::Drum;
use crate::exchange::{Result, Team};
use crate::model::Model;
use crate::polyhedra::Polyhedra;
use crate::spheres::Spheres;
use crate::vtp::{Array, PolyData};

/// The arrays of all files.
const SCALARS: [&str; 3] = ["radius", "contacts", "rank"];
const VECTORS: [&str; 1] = ["velocity"];

/// A model whose bodies can be drawn.
pub trait Picture: Model {
    /// Whether bodies are surfaces, with one value for each facet; otherwise points.
    const ARE_SURFACES: bool;

    fn drum(&self) -> &Drum;

    /// Adds a body, and returns the number of cells or points so far.
    fn add(&self, body: &Body, data: &mut PolyData) -> usize;
}

impl Picture for Spheres {
    const ARE_SURFACES: bool = false;

    fn drum(&self) -> &Drum {
        &self.drum
    }

    fn add(&self, body: &Body, data: &mut PolyData) -> usize {
        data.verts.push(vec![data.points.len() as u32]);
        data.points.push(body.motion.center.to_array());
        data.points.len()
    }
}

impl Picture for Polyhedra {
    const ARE_SURFACES: bool = true;

    fn drum(&self) -> &Drum {
        &self.drum
    }

    fn add(&self, body: &Body, data: &mut PolyData) -> usize {
        match self.placed(body) {
            Some(placed) => data.add_surface(placed.shape.surface(), &placed.pose),
            None => data.polys.len(),
        }
    }
}

/// Writes the bodies of all ranks.
pub fn write<M: Picture>(
    team: &Team,
    model: &M,
    folder: &Path,
    step: u64,
    bodies: &[Body],
) -> Result<()> {
    fs::create_dir_all(folder)?;
    let piece = |rank: usize| format!("bodies-{step}-{rank}.vtp");
    piece_of(model, team.rank, bodies).write(&folder.join(piece(team.rank)))?;
    if team.rank == 0 {
        let mut drum = PolyData::default();
        let wall = model.wall();
        drum.add_surface(wall.mesh(), wall.pose());
        drum.write(&folder.join(format!("drum-{step}.vtp")))?;
        let index = index::<M>((0..team.size).map(piece));
        fs::write(folder.join(format!("bodies-{step}.pvtp")), index)?;
    }
    Ok(())
}

fn piece_of<M: Picture>(model: &M, rank: usize, bodies: &[Body]) -> PolyData<'static> {
    let mut data = PolyData::default();
    let (mut scalars, mut velocities) = ([const { Vec::new() }; 3], Vec::new());
    for body in bodies {
        let count = model.add(body, &mut data);
        let values = [body.radius, f64::from(body.contacts), rank as f64];
        for (all, value) in scalars.iter_mut().zip(values) {
            all.resize(count, value);
        }
        velocities.resize(count, body.motion.velocity.to_array());
    }
    let arrays = SCALARS.into_iter().zip(scalars.map(Array::Scalars));
    let vectors = VECTORS.into_iter().zip([Array::Vectors(velocities)]);
    let arrays = arrays.chain(vectors).collect();
    if M::ARE_SURFACES {
        data.cell_data = arrays;
    } else {
        data.point_data = arrays;
    }
    data
}

fn index<M: Picture>(pieces: impl Iterator<Item = String>) -> String {
    let array = |name: &str, components: u8| {
        format!(
            "<PDataArray type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"{components}\"/>\n"
        )
    };
    let arrays: String =
        SCALARS.map(|name| array(name, 1)).concat() + &VECTORS.map(|name| array(name, 3)).concat();
    let section = if M::ARE_SURFACES {
        "PCellData"
    } else {
        "PPointData"
    };
    let points = array("Points", 3);
    let pieces: String = pieces
        .map(|piece| format!("<Piece Source=\"{piece}\"/>\n"))
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n<{section}>\n{arrays}</{section}>\n\
         <PPoints>\n{points}</PPoints>\n{pieces}</PPolyData>\n</VTKFile>\n"
    )
}
