use glam::DVec3;

use super::facet_check::{canonical_normal, checked_normal, normals};
use super::facets::{Edges, Facets};
use super::weld::weld_within;
#[cfg(doc)]
use crate::ErrorKind;
#[cfg(feature = "serde")]
use crate::error::Error;
use crate::error::Result;
use crate::math::{check_count, check_length, check_positions, check_same_count};
use crate::shape::precision::Precision;
use crate::shape::{Aabb, Bounded, Sphere};

/// A mesh of triangles and convex planar polygons that share vertices; open or closed.
///
/// Facets are counter-clockwise seen from the front, where their normals point. Zero-area facets act as segments or
/// points. Open edges, edges of three facets and similar features are not errors; [`report`](SurfaceMesh::report) lists
/// them. Coordinates are in any consistent unit of length.
///
/// Memory: about 100 bytes per triangle.
///
/// ```
/// use osculate::{SurfaceMesh, glam::DVec3};
///
/// let vertices = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (2.0, 0.5)];
/// let mesh = SurfaceMesh::new(
///     vertices.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
///     [&[0, 1, 2, 3][..], &[1, 4, 2]],
/// )?;
/// assert_eq!(mesh.facet_count(), 2);
/// assert_eq!(mesh.edges().len(), 6);
/// assert_eq!(mesh.facet(1).unwrap().normal(), DVec3::Z);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "RawMesh", into = "RawMesh")
)]
pub struct SurfaceMesh {
    vertices: Vec<DVec3>,
    facets: Facets,
    /// Unit, or 0 for a facet without area.
    normals: Vec<DVec3>,
    edges: Edges,
    precision: Precision,
    /// The precision as a length.
    noise: f64,
    sphere: Sphere<DVec3>,
}

impl SurfaceMesh {
    /// Builds a mesh from vertices and, for each facet, the ids of its corners. O(n log n).
    ///
    /// Ids count from 0 (those of OBJ files from 1). Facets are neighbors if they share vertex ids. For facets that
    /// repeat positions instead, see [`welded`](SurfaceMesh::welded).
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Coordinate`] for the lowest bad vertex;
    /// - for the lowest facet with bad ids, [`ErrorKind::Facet`] if it has too few corners, or
    ///   [`ErrorKind::Index`] if a vertex is repeated or does not exist;
    /// - [`ErrorKind::Facet`] for the lowest facet with a bad shape. It has a short edge, or is not
    ///   planar and convex to within 2^-24 of its size.
    ///
    /// Returns [`ErrorKind::TooMany`] if ids cannot name all vertices or facets.
    pub fn new<F: AsRef<[u32]>>(
        vertices: Vec<DVec3>,
        facets: impl IntoIterator<Item = F>,
    ) -> Result<Self> {
        check_positions("vertex", &vertices)?;
        let facets = Facets::new(facets, vertices.len(), false)?;
        Self::from_parts(vertices, facets, Precision::Detected)
    }

    /// Merges vertices that are at most `tolerance` apart, then builds the mesh. O(n log n).
    ///
    /// With a tolerance of 0, vertices merge where their coordinates are equal, as in [`weld`](crate::shape::weld). A
    /// positive tolerance is for files that round the corners of each facet separately.
    ///
    /// Vertices are visited in ascending order of x, then y, then z. Each remaining vertex absorbs all others within
    /// the tolerance. So no vertex moves farther than the tolerance, and their order has no influence. Ids refer to the
    /// merged vertices. A facet that loses corners is kept, and acts as a smaller facet, a segment or a point.
    ///
    /// # Errors
    /// As for [`new`](SurfaceMesh::new); ids in errors refer to the input. Returns [`ErrorKind::Length`] if `tolerance`
    /// is negative, NaN or out of range. Returns [`ErrorKind::Facet`] with the facet, if merging bends
    /// one of more than three corners; the message names the merged vertex.
    ///
    /// ```
    /// use osculate::{SurfaceMesh, glam::DVec3};
    ///
    /// let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.001, 0.0), (1.0, 1.0), (0.001, 1.0)];
    /// let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    /// let mesh = SurfaceMesh::welded(&corners, [[0, 1, 2], [3, 4, 5]], 0.01)?;
    /// assert_eq!((mesh.vertices().len(), mesh.edges().len()), (4, 5));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn welded<F: AsRef<[u32]>>(
        vertices: &[DVec3],
        facets: impl IntoIterator<Item = F>,
        tolerance: f64,
    ) -> Result<Self> {
        let merged = weld_within(vertices, tolerance)?;
        Self::merged(vertices, facets, merged, Precision::Detected)
    }

    fn merged<F: AsRef<[u32]>>(
        vertices: &[DVec3],
        facets: impl IntoIterator<Item = F>,
        (positions, new_id): (Vec<DVec3>, Vec<u32>),
        precision: Precision,
    ) -> Result<Self> {
        let mut facets = Facets::new(facets, vertices.len(), false)?;
        // Shapes are checked first, so that errors have the ids of the input.
        normals(&facets, vertices)?;
        facets.renumber(&new_id);
        Self::from_parts(positions, facets, precision)
    }

    /// Builds a mesh from triangles that do not share vertices, as in an STL file, and welds them exactly.
    ///
    /// The coordinates count as those of a single-precision file, even if they were scaled or moved
    /// since: see [`precision`](SurfaceMesh::precision).
    ///
    /// # Errors
    /// As for [`new`](SurfaceMesh::new); vertex `3 t + i` is corner `i` of triangle `t`.
    pub fn from_triangles(triangles: &[[DVec3; 3]]) -> Result<Self> {
        Self::of_soup(triangles, 0.0)
    }

    /// As [`from_triangles`](SurfaceMesh::from_triangles), and merges vertices at most `tolerance` apart.
    pub(in crate::shape) fn of_soup(triangles: &[[DVec3; 3]], tolerance: f64) -> Result<Self> {
        check_count(triangles.len().saturating_mul(3))?;
        let first = (0..triangles.len() as u32).map(|t| 3 * t);
        let corners = triangles.as_flattened();
        Self::merged(
            corners,
            first.map(|first| [first, first + 1, first + 2]),
            weld_within(corners, tolerance)?,
            Precision::File,
        )
    }

    /// Sets the [`precision`](SurfaceMesh::precision) of the coordinates, a length. With 0 the mesh is
    /// exact.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if it is negative, NaN or out of range.
    pub fn with_precision(mut self, precision: f64) -> Result<Self> {
        check_length("precision", precision)?;
        self.precision = Precision::Given(precision);
        self.noise = precision;
        Ok(self)
    }

    /// Returns how far vertices may be off the intended surface, a length.
    ///
    /// A [`DoubleHierarchy`](crate::DoubleHierarchy) takes gaps and steps below twelve times this length for noise. The
    /// default follows from the coordinates:
    /// - If all are single-precision numbers, as in an STL file, it is 2^-22 of the largest: a unit in the
    ///   last place along each axis.
    /// - Otherwise it is 2^-51 of the largest. If the mesh was made
    ///   [`from_triangles`](SurfaceMesh::from_triangles), its coordinates count as
    ///   single-precision numbers that have been scaled or moved. Then it is 2^-22 of the longest side of the bounding box.
    ///
    /// Other files need [`with_precision`](SurfaceMesh::with_precision): text with few digits, or a wall
    /// moved from far away to the origin.
    pub fn precision(&self) -> f64 {
        self.noise
    }

    fn from_parts(vertices: Vec<DVec3>, facets: Facets, precision: Precision) -> Result<Self> {
        let normals = normals(&facets, &vertices)?;
        Ok(Self::assemble(vertices, facets, normals, precision))
    }

    /// Returns the mesh with front and back of all facets exchanged. O(n log n).
    ///
    /// ```
    /// use osculate::{SurfaceMesh, glam::DVec3};
    ///
    /// let mesh = SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?;
    /// assert_eq!(mesh.facet(0).unwrap().normal(), DVec3::Z);
    /// assert_eq!(mesh.reversed().facet(0).unwrap().normal(), -DVec3::Z);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn reversed(&self) -> Self {
        self.with_facets(self.facets.reversed())
    }

    /// Returns the mesh with other facets in the planes of its own.
    pub(super) fn with_facets(&self, facets: Facets) -> Self {
        let normal = |ids: &[u32]| canonical_normal(ids, &self.vertices);
        let normals = facets.iter().map(normal).collect();
        Self::assemble(self.vertices.clone(), facets, normals, self.precision)
    }

    /// Returns the mesh with copies of all vertices and some facets for each shift. The original of a vertex is its id
    /// modulo the number of vertices.
    pub(crate) fn with_copies(&self, copies: &[(DVec3, Vec<u32>)]) -> Self {
        let (mut vertices, mut normals) = (self.vertices.clone(), self.normals.clone());
        let mut facets = self.facets.clone();
        for (shift, ids) in copies {
            facets.extend(&self.facets, ids, vertices.len() as u32);
            vertices.extend(self.vertices.iter().map(|&vertex| vertex + *shift));
            normals.extend(ids.iter().map(|&id| self.normals[id as usize]));
        }
        Self::assemble(vertices, facets, normals, Precision::Given(self.noise))
    }

    fn assemble(
        vertices: Vec<DVec3>,
        facets: Facets,
        normals: Vec<DVec3>,
        precision: Precision,
    ) -> Self {
        Self {
            edges: Edges::new(&facets),
            noise: precision.length(&vertices),
            sphere: Sphere::around(vertices.iter().copied()),
            vertices,
            facets,
            normals,
            precision,
        }
    }

    /// Moves the vertices. The mesh then equals a new one, bit for bit. O(n), no allocation.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the number of vertices differs; otherwise as for
    /// [`new`](SurfaceMesh::new). The mesh keeps its previous contents.
    pub fn set_vertices(&mut self, vertices: &[DVec3]) -> Result<()> {
        check_same_count(self.vertices.len(), vertices.len())?;
        check_positions("vertex", vertices)?;
        let facets = self.facets.iter().enumerate();
        let moved = facets
            .zip(&mut self.normals)
            .try_for_each(|((facet, ids), normal)| {
                *normal = checked_normal(facet, ids, vertices)?;
                Ok(())
            });
        if moved.is_err() {
            for (normal, ids) in self.normals.iter_mut().zip(self.facets.iter()) {
                *normal = canonical_normal(ids, &self.vertices);
            }
            return moved;
        }
        self.vertices.copy_from_slice(vertices);
        self.noise = self.precision.length(vertices);
        self.sphere = Sphere::around(vertices.iter().copied());
        Ok(())
    }

    /// Returns the positions of the vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the edges in ascending order, each as its two vertices, the lower first.
    ///
    /// A facet that welding has folded onto itself has no edge there.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges.ends
    }

    /// Returns the number of facets.
    pub fn facet_count(&self) -> u32 {
        self.facets.count() as u32
    }

    pub(crate) fn topology(&self) -> (&Facets, &Edges) {
        (&self.facets, &self.edges)
    }

    pub(crate) fn normals(&self) -> &[DVec3] {
        &self.normals
    }
}

impl Bounded for SurfaceMesh {
    type Vector = DVec3;

    /// Returns a sphere around the center of the bounding box, or a point at 0 without vertices.
    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.sphere
    }

    fn bounding_box(&self) -> Aabb<DVec3> {
        Aabb::enclosing(self.vertices.iter().copied())
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct RawMesh {
    vertices: Vec<DVec3>,
    facets: Vec<Vec<u32>>,
    #[serde(default)]
    precision: Precision,
}

#[cfg(feature = "serde")]
impl From<SurfaceMesh> for RawMesh {
    fn from(mesh: SurfaceMesh) -> Self {
        Self {
            facets: mesh.facets.iter().map(<[u32]>::to_vec).collect(),
            vertices: mesh.vertices,
            precision: mesh.precision,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<RawMesh> for SurfaceMesh {
    type Error = Error;
    fn try_from(raw: RawMesh) -> Result<Self> {
        if let Precision::Given(length) = raw.precision {
            check_length("precision", length)?;
        }
        check_positions("vertex", &raw.vertices)?;
        let facets = Facets::new(raw.facets, raw.vertices.len(), true)?;
        Self::from_parts(raw.vertices, facets, raw.precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Cause, Error};

    fn regular(count: usize, step: usize) -> Vec<DVec3> {
        let angle = |i: usize| std::f64::consts::TAU * (i * step) as f64 / count as f64;
        (0..count)
            .map(|i| DVec3::new(angle(i).cos(), angle(i).sin(), 1.0))
            .collect()
    }

    fn polygon(corners: &[DVec3]) -> Result<SurfaceMesh> {
        SurfaceMesh::new(
            corners.to_vec(),
            [(0..corners.len() as u32).collect::<Vec<_>>()],
        )
    }

    #[test]
    fn moved_mesh_equals_a_new_one() {
        let mut mesh = polygon(&regular(5, 1)).unwrap();
        let moved = regular(5, 1).iter().map(|v| *v * 3.0).collect::<Vec<_>>();
        mesh.set_vertices(&moved).unwrap();
        let new = polygon(&moved).unwrap();
        assert!(mesh == new && mesh.bounding_sphere() == new.bounding_sphere());
        assert!(mesh.bounding_sphere() != polygon(&regular(5, 1)).unwrap().bounding_sphere());
    }

    #[test]
    fn vertices_that_are_refused_change_nothing() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y, -DVec3::Z];
        let facets = [vec![0, 1, 4], vec![0, 1, 2, 3]];
        let flat = corners.map(|corner| DVec3::new(corner.x, corner.y, corner.z.min(0.0)));
        let mut mesh = SurfaceMesh::new(flat.to_vec(), facets).unwrap();
        let before = mesh.clone();
        // The first facet is still flat, the second one is not.
        let turned = corners.map(|corner| corner + DVec3::Y * corner.z);
        assert!(mesh.set_vertices(&turned).is_err());
        assert!(mesh == before && mesh.facet(0).unwrap().normal() == DVec3::Y);
    }

    #[test]
    fn convex_polygons_of_any_size_are_facets() {
        for count in [3, 4, 5, 64, 10_000] {
            let mesh = polygon(&regular(count, 1)).unwrap();
            assert!(mesh.facet(0).unwrap().normal().distance(DVec3::Z) < 1e-15);
            assert!(mesh.facet(1).is_none());
        }
        // A corner in the middle of a side, and one that another shares its position with.
        let flat = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0)];
        polygon(&flat.map(|(x, y)| DVec3::new(x, y, 0.0))).unwrap();
    }

    #[test]
    fn polygons_that_are_not_convex_are_refused() {
        let pentagram = regular(5, 2);
        // Around twice, a little inwards each time, turning left throughout.
        let spiral: Vec<_> = (0..14)
            .map(|i| regular(7, 1)[i % 7] * DVec3::new(1.0 - 0.01 * i as f64, 1.0, 1.0))
            .collect();
        let flat = |points: &[(f64, f64)]| -> Vec<DVec3> {
            points.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).collect()
        };
        let dart = flat(&[(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)]);
        let bow_tie = flat(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]);
        let spike = flat(&[(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
        for corners in [pentagram, spiral, dart, bow_tie, spike] {
            let result = polygon(&corners);
            assert!(
                matches!(result, Err(Error(Cause::FacetNotConvex { facet: 0, .. }))),
                "{corners:?} {result:?}"
            );
        }
    }

    #[test]
    fn bent_quadrilateral_is_refused() {
        let mut corners = regular(4, 1);
        corners[2].z += 1e-6;
        assert!(matches!(
            polygon(&corners),
            Err(Error(Cause::NotPlanar { facet: 0, .. }))
        ));
        corners[2].z = 1.0 + 1e-8;
        polygon(&corners).unwrap();
    }

    #[test]
    fn side_below_the_domain_is_refused() {
        let corners = [DVec3::ZERO, DVec3::X * 1e-50, DVec3::Y];
        let result = polygon(&corners);
        assert!(matches!(
            result,
            Err(Error(Cause::SideTooShort {
                facet: 0,
                vertex: 0,
                ..
            }))
        ));
    }

    #[test]
    fn normal_does_not_depend_on_the_way_a_facet_is_written() {
        let vertices: Vec<_> = regular(4, 1)
            .iter()
            .map(|v| DVec3::new(v.x * 0.3 + 0.1, v.y * 0.7, v.x * 0.1 + v.y * 1.3))
            .collect();
        let normal = |ids: [u32; 4]| {
            let mesh = SurfaceMesh::new(vertices.clone(), [ids]).unwrap();
            mesh.normals[0]
        };
        let n = normal([0, 1, 2, 3]);
        assert_eq!(normal([2, 3, 0, 1]), n);
        assert_eq!(normal([3, 2, 1, 0]), -n);
        assert_eq!(normal([1, 0, 3, 2]), -n);
    }

    #[test]
    fn soup_in_any_order_gives_the_same_mesh() {
        let triangles = [
            [DVec3::ZERO, DVec3::X, DVec3::Y],
            [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y],
        ];
        let mesh = SurfaceMesh::from_triangles(&triangles).unwrap();
        let swapped = SurfaceMesh::from_triangles(&[triangles[1], triangles[0]]).unwrap();
        assert_eq!(mesh.vertices().len(), 4);
        assert_eq!(mesh.vertices(), swapped.vertices());
        assert_eq!(mesh.edges(), swapped.edges());
        assert_eq!(mesh.edges().len(), 5);
        // -0 and 0 are the same place; a triangle that collapses stays, and has no edges.
        let thin = [DVec3::ZERO, -DVec3::ZERO, DVec3::X];
        let mesh = SurfaceMesh::from_triangles(&[thin]).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.facet_count()), (2, 1));
        assert!(mesh.edges().is_empty());
        // Errors name what was passed in.
        let short = [DVec3::Y, DVec3::X, DVec3::X + DVec3::Y * 1e-60];
        let error = SurfaceMesh::from_triangles(&[thin, short]).unwrap_err();
        assert!(
            matches!(
                error,
                Error(Cause::SideTooShort {
                    facet: 1,
                    vertex: 4,
                    ..
                })
            ),
            "{error}"
        );
    }
}
