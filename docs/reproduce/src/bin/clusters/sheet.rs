//! A square of triangles, and a sheet of its vertices on springs.

use osculate::glam::DVec3;
use osculate::{Error, SurfaceMesh, Wall, WallContact};

use crate::heap::TIME_STEP;

/// Half the side of the square.
pub(crate) const HALF: f64 = 1.25;
/// N/m^3, N s/m^3, kg/m^2; each node has the mean area. And the tension, N/m.
const BEDDING: f64 = 2e3;
const DAMPING: f64 = 400.0;
const MASS: f64 = 20.0;
const TENSION: f64 = 300.0;

/// A square in the plane z = 0 of 2 x `cells` x `cells` triangles.
pub(crate) fn floor(cells: u32) -> Result<SurfaceMesh, Error> {
    let row = cells + 1;
    let at = |i: u32| HALF * (2.0 * f64::from(i) / f64::from(cells) - 1.0);
    let vertices = (0..row * row).map(|i| DVec3::new(at(i % row), at(i / row), 0.0));
    let triangles = (0..cells * cells).flat_map(|i| {
        let a = i / cells * row + i % cells;
        [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]
    });
    SurfaceMesh::new(vertices.collect(), triangles)
}

/// Nodes with a mass, each held by a spring at its place and by a tension along the edges.
pub(crate) struct Sheet {
    places: Vec<DVec3>,
    edges: Vec<[u32; 2]>,
    area: f64,
    displacements: Vec<DVec3>,
    pub velocities: Vec<DVec3>,
    /// From the contacts of this step.
    pub forces: Vec<DVec3>,
}

impl Sheet {
    pub(crate) fn new(mesh: &SurfaceMesh) -> Self {
        let places = mesh.vertices().to_vec();
        let zero = vec![DVec3::ZERO; places.len()];
        Self {
            area: 4.0 * HALF * HALF / places.len() as f64,
            edges: mesh.edges().to_vec(),
            displacements: zero.clone(),
            velocities: zero.clone(),
            forces: zero,
            places,
        }
    }

    /// Distributes a force on the wall to the nodes of a contact.
    pub(crate) fn push(&mut self, wall: &Wall, contact: &WallContact, force: DVec3) {
        wall.for_each_nodal_weight(contact, |node, weight| {
            self.forces[node as usize] += force * weight;
        });
    }

    /// The force and the moment about the origin of all nodal forces, at the present nodes.
    pub(crate) fn totals(&self) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for (i, force) in self.forces.iter().enumerate() {
            sum[0] += *force;
            sum[1] += (self.places[i] + self.displacements[i]).cross(*force);
        }
        sum
    }

    /// The force of the springs on the sheet.
    pub(crate) fn reaction(&self) -> DVec3 {
        self.displacements.iter().sum::<DVec3>() * (-BEDDING * self.area)
    }

    /// A step of the nodes with these forces. Returns their positions.
    pub(crate) fn advance(&mut self) -> Vec<DVec3> {
        let bedding = |(u, v): (&DVec3, &DVec3)| (*u * -BEDDING - *v * DAMPING) * self.area;
        let mut forces: Vec<_> = self
            .displacements
            .iter()
            .zip(&self.velocities)
            .map(bedding)
            .collect();
        for [a, b] in self.edges.iter().map(|edge| edge.map(|i| i as usize)) {
            let pull = (self.displacements[b] - self.displacements[a]) * TENSION;
            forces[a] += pull;
            forces[b] -= pull;
        }
        for (i, force) in forces.into_iter().enumerate() {
            self.velocities[i] += (force + self.forces[i]) * (TIME_STEP / (MASS * self.area));
            self.displacements[i] += self.velocities[i] * TIME_STEP;
        }
        self.forces.fill(DVec3::ZERO);
        self.places
            .iter()
            .zip(&self.displacements)
            .map(|(x, u)| *x + *u)
            .collect()
    }
}
