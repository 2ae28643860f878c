use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::boundary::Boundary;
use super::convexity::check_convex;
use super::half_edges::HalfEdges;
use super::hull::Hull;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::shape::mass_properties::{centroid, fans};
use crate::shape::solid::checked_shells;
use crate::shape::{Aabb, Bounded, Capsule, SolidMesh, Sphere, SurfaceMesh};

/// A convex polyhedron whose faces may have any number of corners.
///
/// Normals point outwards. The shape has coordinates of its own, in any unit of length; a
/// [`Placed`](crate::Placed) takes it to the world. Build a polyhedron once, with
/// [`from_convex_hull`](Self::from_convex_hull) or from its faces. Then share it by reference or `Arc`
/// between all bodies of this shape. [`CommonPlane`](crate::CommonPlane) and
/// [`ConvexConvex`](crate::ConvexConvex) find its contacts.
///
/// ```
/// use osculate::{ConvexPolyhedron, glam::DVec3};
///
/// let pyramid = ConvexPolyhedron::new(
///     [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (3.0, 3.0, 0.0), (0.0, 3.0, 0.0), (1.5, 1.5, 4.0)]
///         .map(DVec3::from).to_vec(),
///     [&[3, 2, 1, 0][..], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
/// )?;
/// assert_eq!(pyramid.volume(), 12.0);
/// assert_eq!(pyramid.centroid(), DVec3::new(1.5, 1.5, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SurfaceMesh", into = "SurfaceMesh")
)]
pub struct ConvexPolyhedron {
    surface: SurfaceMesh,
    volume: f64,
    centroid: DVec3,
    half_edges: HalfEdges,
    boundary: Boundary,
    /// The faces cut into triangles, once they are needed. Clones share it.
    pub(in crate::shape) solid: Arc<OnceLock<SolidMesh>>,
    capsule: Arc<OnceLock<Option<Capsule>>>,
}

impl ConvexPolyhedron {
    /// Creates a polyhedron from vertices and faces, each counter-clockwise seen from outside.
    /// O(n log n) for triangles that are convex by exact signs, otherwise as for
    /// [`from_convex_hull`](Self::from_convex_hull).
    ///
    /// # Errors
    /// Returns the errors of [`SurfaceMesh::new`], then those of
    /// [`try_from`](ConvexPolyhedron::try_from) a mesh.
    pub fn new<F: AsRef<[u32]>>(
        vertices: Vec<DVec3>,
        faces: impl IntoIterator<Item = F>,
    ) -> Result<Self> {
        SurfaceMesh::new(vertices, faces)?.try_into()
    }

    /// Creates a polyhedron from a convex surface. Checks that it is closed and its faces have area.
    pub(super) fn of_convex(surface: SurfaceMesh) -> Result<Self> {
        if let Some(facet) = surface.normals().iter().position(|&n| n == DVec3::ZERO) {
            return Err(Error(Cause::NoArea { facet }));
        }
        let (volume, _) = checked_shells(&surface)?;
        let centroid = centroid(surface.vertices()[0], &fans(&surface));
        Ok(Self {
            half_edges: HalfEdges::new(&surface, centroid),
            boundary: Boundary::new(&surface, centroid),
            surface,
            volume,
            centroid,
            solid: Arc::default(),
            capsule: Arc::default(),
        })
    }

    /// Creates a polyhedron from a surface. Checks that it is convex, with the hull of its vertices and the point of
    /// each vertex there, if they are known.
    pub(super) fn checked(surface: SurfaceMesh, hull: Option<(&Hull, &[u32])>) -> Result<Self> {
        let polyhedron = Self::of_convex(surface)?;
        check_convex(&polyhedron, hull)?;
        Ok(polyhedron)
    }

    /// Returns the faces.
    pub fn surface(&self) -> &SurfaceMesh {
        &self.surface
    }

    /// Returns the positions of the vertices.
    pub fn vertices(&self) -> &[DVec3] {
        self.surface.vertices()
    }

    /// Returns the volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the centroid of the volume.
    pub fn centroid(&self) -> DVec3 {
        self.centroid
    }

    pub(crate) fn half_edges(&self) -> &HalfEdges {
        &self.half_edges
    }

    pub(crate) fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// Returns the capsule along the principal axis of the least moment if it is long.
    fn capsule(&self) -> Option<Capsule> {
        let (moments, axes) = self.mass_properties(1.0).principal();
        let axis = axes.col(moments.min_position());
        Capsule::around(self.vertices(), self.centroid, axis).if_long()
    }
}

/// By the surface, which determines everything else.
impl PartialEq for ConvexPolyhedron {
    fn eq(&self, other: &Self) -> bool {
        self.surface == other.surface
    }
}

impl TryFrom<SurfaceMesh> for ConvexPolyhedron {
    type Error = Error;

    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Facet`] if a face has no area;
    /// - [`ErrorKind::Degenerate`] if there are no faces;
    /// - [`ErrorKind::NonManifold`] if a vertex is not used;
    /// - for the lowest edge [`ErrorKind::NotClosed`], [`ErrorKind::NonManifold`] or
    ///   [`ErrorKind::Orientation`];
    /// - [`ErrorKind::NonManifold`] if parts of the surface meet only at a vertex;
    /// - [`ErrorKind::Orientation`] if the solid is inside out or flat;
    /// - [`ErrorKind::NotConvex`] if a vertex lies in front of a face by more than 2^-24 of the
    ///   face's size. Vertices far from a narrow face may be in front by as much as a rounding of its
    ///   corners tilts it.
    fn try_from(surface: SurfaceMesh) -> Result<Self> {
        Self::checked(surface, None)
    }
}

impl From<ConvexPolyhedron> for SurfaceMesh {
    fn from(polyhedron: ConvexPolyhedron) -> Self {
        polyhedron.surface
    }
}

impl Bounded for ConvexPolyhedron {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.surface.bounding_sphere()
    }
    fn bounding_box(&self) -> Aabb<DVec3> {
        self.surface.bounding_box()
    }
    /// Computed at the first call: O(n) for n vertices.
    fn bounding_capsule(&self) -> Option<Capsule> {
        *self.capsule.get_or_init(|| self.capsule())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> (Vec<DVec3>, [[u32; 4]; 6]) {
        let corner =
            |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        ((0..8).map(corner).collect(), faces)
    }

    #[test]
    fn cube_far_away() {
        let (vertices, faces) = cube();
        let far = DVec3::new(1e9, -2e9, 3e9);
        let moved = vertices.iter().map(|&v| v + far).collect();
        let cube = ConvexPolyhedron::new(moved, faces).unwrap();
        assert_eq!(cube.volume(), 1.0);
        assert_eq!(cube.centroid(), far + DVec3::splat(0.5));
    }

    #[test]
    fn dented_cube_is_refused() {
        let (mut vertices, faces) = cube();
        vertices.push(DVec3::new(0.5, 0.5, 0.9));
        let mut faces: Vec<Vec<u32>> = faces.iter().map(|f| f.to_vec()).collect();
        faces.remove(1);
        faces.extend([[4, 5, 8], [5, 7, 8], [7, 6, 8], [6, 4, 8]].map(|f| f.to_vec()));
        for shift in [DVec3::ZERO, DVec3::splat(16.0), DVec3::Z * -16.0] {
            let moved = vertices.iter().map(|&x| x + shift).collect();
            assert!(matches!(
                ConvexPolyhedron::new(moved, faces.clone()),
                Err(Error(Cause::NotConvex { distance, .. })) if distance > 0.05
            ));
        }
    }

    /// The great icosahedron: closed, of triangles, convex at each edge, Euler number 2. Its surface
    /// winds seven times.
    #[test]
    fn star_with_convex_edges_is_refused() {
        // The vertices and edges of an icosahedron; the star's faces join vertices that are two
        // edges apart from each other.
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let mut vertices = Vec::new();
        for (y, z) in [
            (1.0, golden),
            (-1.0, golden),
            (1.0, -golden),
            (-1.0, -golden),
        ] {
            vertices.extend([
                DVec3::new(0.0, y, z),
                DVec3::new(z, 0.0, y),
                DVec3::new(y, z, 0.0),
            ]);
        }
        let apart = |a: usize, b: usize| {
            let distance_squared = vertices[a].distance_squared(vertices[b]);
            4.5 < distance_squared && distance_squared < 13.0
        };
        let mut faces = Vec::new();
        for a in 0..12 {
            for b in a + 1..12 {
                for c in b + 1..12 {
                    if apart(a, b) && apart(b, c) && apart(c, a) {
                        let ccw = vertices[a].dot(vertices[b].cross(vertices[c])) > 0.0;
                        let (b, c) = if ccw { (b, c) } else { (c, b) };
                        faces.push([a as u32, b as u32, c as u32]);
                    }
                }
            }
        }
        assert_eq!(faces.len(), 20);
        let surface = SurfaceMesh::new(vertices, faces).unwrap();
        assert!(checked_shells(&surface).unwrap().0 > 0.0);
        assert!(matches!(
            ConvexPolyhedron::try_from(surface),
            Err(Error(Cause::NotConvex { distance, .. })) if distance > 0.5
        ));
    }

    /// A tetrahedron with a triangle folded into one of its edges: closed and convex, but one face has
    /// no normal.
    #[test]
    fn face_without_area_is_refused() {
        let vertices = [DVec3::ZERO, DVec3::X * 2.0, DVec3::Y, DVec3::Z, DVec3::X];
        let faces: [&[u32]; 5] = [
            &[0, 2, 1],
            &[0, 4, 1, 3],
            &[1, 2, 3],
            &[2, 0, 3],
            &[0, 1, 4],
        ];
        assert_eq!(
            ConvexPolyhedron::new(vertices.to_vec(), faces),
            Err(Error(Cause::NoArea { facet: 4 }))
        );
        assert!(
            ConvexPolyhedron::new(
                vertices[..4].to_vec(),
                [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
            )
            .is_ok()
        );
    }

    #[test]
    fn box_that_is_open_or_inside_out_is_refused() {
        let (vertices, faces) = cube();
        assert!(matches!(
            ConvexPolyhedron::new(vertices.clone(), &faces[..5]),
            Err(Error(Cause::OpenEdge { edge: [1, 3], .. }))
        ));
        let turned = faces.map(|[a, b, c, d]| [d, c, b, a]);
        assert!(matches!(
            ConvexPolyhedron::new(vertices, turned),
            Err(Error(Cause::InsideOut { .. }))
        ));
    }
}
