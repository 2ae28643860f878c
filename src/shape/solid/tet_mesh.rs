use glam::DVec3;

use super::closed::six_volumes;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::FACET_SHAPE;
use crate::math::{check_count, check_positions, closest_on_triangle, two_sum};
use crate::shape::mass_properties::centroid;
use crate::shape::surface::unused;
use crate::shape::{Aabb, Bounded, BoxTree, SolidMesh, Sphere};

/// The corners of the face opposite each corner, counter-clockwise from outside. Each face starts with
/// another corner.
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [2, 0, 3], [3, 0, 1], [0, 2, 1]];

/// A solid as a conforming tetrahedral mesh.
///
/// Tetrahedra that touch share a whole face, edge or vertex. Overlaps elsewhere are not checked.
/// Build a mesh once and share it by reference or `Arc` between all bodies of its shape.
///
/// For contacts, use the surface ([`to_solid`](Self::to_solid)) in [`MeshMesh`](crate::MeshMesh): it
/// gives the same results as [`intersect_tetrahedra`](crate::reference::intersect_tetrahedra), but visits only the
/// triangles that cross.
///
/// ```
/// use osculate::{glam::DVec3, shape::TetMesh};
///
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
/// let mesh = TetMesh::new(vertices, vec![[0, 1, 2, 3], [1, 2, 3, 4]])?;
/// assert_eq!(mesh.volume(), 0.5);
/// assert_eq!(mesh.exterior_faces().len(), 6);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "RawTets")
)]
pub struct TetMesh {
    vertices: Vec<DVec3>,
    tetrahedra: Vec<[u32; 4]>,
    /// For each tetrahedron, which of its [`FACES`] are exterior.
    #[cfg_attr(feature = "serde", serde(skip))]
    is_exterior: Vec<[bool; 4]>,
    #[cfg_attr(feature = "serde", serde(skip))]
    exterior: Vec<[u32; 3]>,
    #[cfg_attr(feature = "serde", serde(skip))]
    volume: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    sphere: Sphere<DVec3>,
    #[cfg_attr(feature = "serde", serde(skip))]
    centroid: DVec3,
}

impl TetMesh {
    /// Creates a mesh from vertices and the corners of each tetrahedron: `abc` is counter-clockwise
    /// seen from `d`. O(n log n).
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Coordinate`] or [`ErrorKind::TooMany`] for the vertices;
    /// - for the lowest tetrahedron [`ErrorKind::Index`] if a vertex is repeated or does not exist,
    ///   and [`ErrorKind::Degenerate`] if it is flat or inverted;
    /// - [`ErrorKind::Intersection`] if tetrahedra overlap at a face;
    /// - [`ErrorKind::Degenerate`] if there are no tetrahedra;
    /// - [`ErrorKind::NonManifold`] if a vertex is not used;
    /// - [`ErrorKind::Intersection`] if a vertex lies on a face without being its corner.
    pub fn new(vertices: Vec<DVec3>, tetrahedra: Vec<[u32; 4]>) -> Result<Self> {
        check_positions("vertex", &vertices)?;
        check_count(tetrahedra.len().saturating_mul(4))?;
        let (mut volume, mut rest) = (0.0, 0.0);
        for (index, ids) in tetrahedra.iter().enumerate() {
            let (sum, error) = two_sum(volume, checked_tetrahedron(index, *ids, &vertices)?);
            (volume, rest) = (sum, rest + error);
        }
        if tetrahedra.is_empty() {
            return Err(Error(Cause::NoFacets));
        }
        if let Some(vertex) = unused(vertices.len(), tetrahedra.as_flattened()).next() {
            let vertex = vertex as usize;
            return Err(Error(Cause::UnusedVertex { vertex }));
        }
        let is_exterior = find_exterior(&tetrahedra)?;
        let exterior = tetrahedra.iter().zip(&is_exterior).flat_map(|(ids, is)| {
            let faces = FACES.iter().zip(is).filter(|face| *face.1);
            faces.map(|(face, _)| face.map(|corner| ids[corner]))
        });
        let exterior: Vec<[u32; 3]> = exterior.collect();
        check_hanging(&vertices, &exterior)?;
        Ok(Self {
            centroid: centroid(vertices[0], &triangles(&vertices, &exterior)),
            sphere: Sphere::around(vertices.iter().copied()),
            vertices,
            tetrahedra,
            is_exterior,
            exterior,
            volume: volume + rest,
        })
    }

    /// Returns the positions of the vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the corners of each tetrahedron.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// Returns the faces that belong to one tetrahedron only, counter-clockwise seen from outside.
    pub fn exterior_faces(&self) -> &[[u32; 3]] {
        &self.exterior
    }

    /// Returns the solid inside the exterior faces. O(n log n).
    ///
    /// Vertices inside the mesh are left out; the others keep their order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NonManifold`] if parts of the mesh meet only at an edge or a vertex.
    pub fn to_solid(&self) -> Result<SolidMesh> {
        let ids = corners(&self.exterior);
        let mut new_id = vec![0; self.vertices.len()];
        for (new, &old) in (0..).zip(&ids) {
            new_id[old as usize] = new;
        }
        let faces = self.exterior.iter();
        let faces = faces.map(|face| face.map(|id| new_id[id as usize]));
        SolidMesh::new(
            ids.iter().map(|&id| self.vertices[id as usize]).collect(),
            faces,
        )
    }

    /// Returns the volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the centroid of the volume.
    pub fn centroid(&self) -> DVec3 {
        self.centroid
    }

    pub(crate) fn corners(&self, tetrahedron: u32) -> [DVec3; 4] {
        self.tetrahedra[tetrahedron as usize].map(|id| self.vertices[id as usize])
    }

    pub(crate) fn is_exterior(&self, tetrahedron: u32) -> [bool; 4] {
        self.is_exterior[tetrahedron as usize]
    }
}

impl Bounded for TetMesh {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.sphere
    }

    fn bounding_box(&self) -> Aabb<DVec3> {
        Aabb::enclosing(self.vertices.iter().copied())
    }
}

/// Returns the volume of a tetrahedron. Refuses invalid ids, and flat or inverted tetrahedra.
fn checked_tetrahedron(tetrahedron: usize, ids: [u32; 4], vertices: &[DVec3]) -> Result<f64> {
    let is_bad = |&i: &usize| ids[i] as usize >= vertices.len() || ids[..i].contains(&ids[i]);
    if let Some(i) = (0..4).find(is_bad) {
        let vertex = ids[i];
        return Err(Error(Cause::TetrahedronVertex {
            tetrahedron,
            vertex,
        }));
    }
    let [a, b, c, d] = ids.map(|id| vertices[id as usize]);
    let volume = six_volumes(d, [a, c, b]) / 6.0;
    if volume > 0.0 {
        Ok(volume)
    } else {
        Err(Error(Cause::FlatTetrahedron {
            tetrahedron,
            volume,
        }))
    }
}

/// Returns which faces are exterior. Refuses faces of more than two tetrahedra, or of two on the same
/// side.
fn find_exterior(tetrahedra: &[[u32; 4]]) -> Result<Vec<[bool; 4]>> {
    let mut faces = Vec::with_capacity(4 * tetrahedra.len());
    for (tetrahedron, ids) in (0..).zip(tetrahedra) {
        for (k, face) in FACES.iter().enumerate() {
            let (sorted, is_even) = sorted(face.map(|corner| ids[corner]));
            faces.push((sorted, tetrahedron, k, is_even));
        }
    }
    faces.sort_unstable();
    let mut is_exterior = vec![[false; 4]; tetrahedra.len()];
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        match *same {
            [(_, tetrahedron, k, _)] => is_exterior[tetrahedron as usize][k] = true,
            [(_, _, _, a), (_, _, _, b)] if a != b => {}
            [(face, a, ..), (_, b, ..), ..] => {
                let tetrahedra = [a, b];
                return Err(Error(Cause::NotConforming { face, tetrahedra }));
            }
            [] => {}
        }
    }
    Ok(is_exterior)
}

/// Returns three ids in ascending order, and whether this is an even permutation.
fn sorted([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut ids = [a, b, c];
    ids.sort_unstable();
    (ids, (a < b) ^ (b < c) ^ (a < c))
}

/// Returns the corners of faces in ascending order.
fn corners(faces: &[[u32; 3]]) -> Vec<u32> {
    let mut ids = faces.concat();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the positions of the corners of faces.
pub(in crate::shape) fn triangles(vertices: &[DVec3], faces: &[[u32; 3]]) -> Vec<[DVec3; 3]> {
    let positions = |face: &[u32; 3]| face.map(|id| vertices[id as usize]);
    faces.iter().map(positions).collect()
}

/// Refuses an exterior vertex that lies on an exterior face without being its corner: the mesh is not
/// conforming there.
fn check_hanging(vertices: &[DVec3], exterior: &[[u32; 3]]) -> Result<()> {
    let ids = corners(exterior);
    let points = ids.iter().map(|&id| vertices[id as usize]);
    let tree = BoxTree::from_good(points.map(|p| Aabb { min: p, max: p }).collect());
    for &face in exterior {
        let corners = face.map(|id| vertices[id as usize]);
        let bounds = Aabb::enclosing(corners);
        let slack = FACET_SHAPE * bounds.size().max_element();
        let mut hanging = None;
        tree.for_each_touching(&bounds.grown(slack), |i| {
            let vertex = ids[i as usize];
            let closest = closest_on_triangle(vertices[vertex as usize], corners);
            let is_on = closest.distance_squared <= slack * slack && !face.contains(&vertex);
            if is_on && hanging.is_none_or(|lowest| vertex < lowest) {
                hanging = Some(vertex);
            }
        });
        if let Some(vertex) = hanging {
            return Err(Error(Cause::HangingVertex { vertex, face }));
        }
    }
    Ok(())
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct RawTets {
    vertices: Vec<DVec3>,
    tetrahedra: Vec<[u32; 4]>,
}

#[cfg(feature = "serde")]
impl TryFrom<RawTets> for TetMesh {
    type Error = crate::Error;

    fn try_from(raw: RawTets) -> Result<Self> {
        Self::new(raw.vertices, raw.tetrahedra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn vertices() -> Vec<DVec3> {
        vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE]
    }

    #[test]
    fn each_defect_is_named() {
        let refused =
            |tetrahedra: &[[u32; 4]]| TetMesh::new(vertices(), tetrahedra.to_vec()).unwrap_err();
        let bad = |tetrahedron, vertex| {
            Error(Cause::TetrahedronVertex {
                tetrahedron,
                vertex,
            })
        };
        assert_eq!(refused(&[[0, 1, 2, 3], [1, 2, 3, 5]]), bad(1, 5));
        assert_eq!(refused(&[[0, 1, 2, 0]]), bad(0, 0));
        assert_eq!(refused(&[]), Error(Cause::NoFacets));
        let volume = -1.0 / 6.0;
        let tetrahedron = 0;
        assert_eq!(
            refused(&[[0, 2, 1, 3]]),
            Error(Cause::FlatTetrahedron {
                tetrahedron,
                volume
            })
        );
        assert_eq!(
            refused(&[[0, 1, 2, 3]]),
            Error(Cause::UnusedVertex { vertex: 4 })
        );
        // Both on one side of the plane of x, y and 0.
        let (face, tetrahedra) = ([0, 1, 2], [0, 1]);
        assert_eq!(
            refused(&[[0, 1, 2, 3], [0, 1, 2, 4]]),
            Error(Cause::NotConforming { face, tetrahedra })
        );
    }

    /// A tetrahedron whose neighbor is cut in two.
    #[test]
    fn hanging_vertex_is_refused() {
        let mut vertices = vertices();
        vertices.push((DVec3::X + DVec3::Y) * 0.5);
        let tetrahedra = vec![[0, 1, 2, 3], [1, 5, 3, 4], [5, 2, 3, 4]];
        assert_eq!(
            TetMesh::new(vertices.clone(), tetrahedra).unwrap_err(),
            Error(Cause::HangingVertex {
                vertex: 5,
                face: [1, 2, 3]
            })
        );
        let conforming = vec![[0, 1, 5, 3], [0, 5, 2, 3], [1, 5, 3, 4], [5, 2, 3, 4]];
        let mesh = TetMesh::new(vertices, conforming).unwrap();
        assert_eq!((mesh.exterior_faces().len(), mesh.volume()), (8, 0.5));
    }
}
