use glam::DVec3;

use super::closed::checked_shells;
use super::shells::check_shells;
use super::triangulation::{FanArea, Shell, Triangle, fans, shells};
use crate::error::{Cause, Error, ErrorKind, Result};
use crate::math::{Pose3, to_length};
use crate::shape::mass_properties::{self, centroid};
use crate::shape::rows::Rows;
use crate::shape::surface::neighbors;
use crate::shape::{
    Aabb, Bounded, BoxTree, ConvexPolyhedron, Sphere, Stamp, SurfaceMesh, UnionFind,
};

/// A solid bounded by closed triangle meshes, convex or not, with a tree of its triangles.
///
/// All triangles face outwards and enclose a positive volume. A solid may have several shells,
/// cavities (shells that face inwards inside another shell) and handles. Shells may touch, but not overlap.
///
/// Exact signs find shells that overlap if a vertex of one is inside the other, or an edge of one passes through the
/// inside of a triangle of the other. They do not find an overlap at which edges only meet edges, and no vertex is
/// inside. Whether a shell intersects itself is not checked.
///
/// Build a solid once, in O(n log n), and share it by reference or `Arc` between all bodies of its
/// shape. Memory: about 200 bytes per triangle, in addition to the [`surface`](Self::surface).
///
/// ```
/// use osculate::{SolidMesh, glam::DVec3};
///
/// let tetrahedron = SolidMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// )?;
/// assert_eq!(tetrahedron.volume(), 1.0 / 6.0);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SurfaceMesh", into = "SurfaceMesh")
)]
pub struct SolidMesh {
    stamp: Stamp,
    surface: SurfaceMesh,
    volume: f64,
    centroid: DVec3,
    tree: BoxTree<DVec3>,
    /// In the order of the tree's leaves. Triangles that welding has folded onto an edge have no
    /// sides.
    triangles: Vec<Triangle>,
    /// The place of each facet in `triangles`.
    slots: Vec<u32>,
    /// The other end of each edge at a vertex, and the edge.
    neighbors: Rows<[u32; 2]>,
    /// The triangles whose first corner is a vertex, and their area.
    fans: Rows<u32>,
    fan_areas: Vec<FanArea>,
    shells: Vec<Shell>,
}

impl SolidMesh {
    /// Builds a solid from vertices and triangles, each counter-clockwise seen from outside.
    /// O(n log n).
    ///
    /// # Errors
    /// Returns the errors of [`SurfaceMesh::new`], then those of
    /// [`try_from`](SolidMesh::try_from) a mesh.
    pub fn new(
        vertices: Vec<DVec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<Self> {
        SurfaceMesh::new(vertices, triangles)?.try_into()
    }

    /// Builds a solid from triangles that do not share vertices, as read from an STL file.
    ///
    /// Vertices at the same position are merged. If edges are then open, vertices merge that are at most the
    /// [`precision`](SurfaceMesh::precision) of the file apart, as in [`SurfaceMesh::welded`]. This closes gaps between
    /// corners that were rounded differently. Vertices farther apart stay apart.
    ///
    /// # Errors
    /// Returns the errors of [`SurfaceMesh::from_triangles`], then those of
    /// [`try_from`](SolidMesh::try_from) a mesh.
    pub fn from_triangles(triangles: &[[DVec3; 3]]) -> Result<Self> {
        let surface = SurfaceMesh::from_triangles(triangles)?;
        let precision = to_length(surface.precision());
        match Self::try_from(surface) {
            Err(error) if error.kind() == ErrorKind::NotClosed => {
                SurfaceMesh::of_soup(triangles, precision)?.try_into()
            }
            result => result,
        }
    }

    /// Returns the triangles.
    pub fn surface(&self) -> &SurfaceMesh {
        &self.surface
    }

    /// Returns the volume, without the cavities.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the centroid of the volume.
    pub fn centroid(&self) -> DVec3 {
        self.centroid
    }

    /// Returns the tree of the triangles' boxes, in the solid's own coordinates.
    ///
    /// Boxes have the indices of the facets.
    pub fn tree(&self) -> &BoxTree<DVec3> {
        &self.tree
    }

    /// Builds a solid from a checked surface of triangles; `parts` are its shells as sets of facets.
    ///
    /// `volume` is that of all shells together.
    fn of_closed(surface: SurfaceMesh, volume: f64, mut parts: UnionFind) -> Self {
        let (facets, edges) = surface.topology();
        let boxes = (0..facets.count()).map(|facet| surface.facet_box(facet as u32));
        let tree = BoxTree::from_good(boxes.collect());
        let mut slots = vec![0; facets.count()];
        let triangles = (0..).zip(tree.leaf_order()).map(|(slot, &facet)| {
            slots[facet as usize] = slot;
            let ids = facets.get(facet as usize);
            Triangle {
                corners: [ids[0], ids[1], ids[2]],
                sides: [0; 3],
                facet,
                shell: 0,
            }
        });
        let mut triangles: Vec<_> = triangles.collect();
        let vertices = surface.vertices();
        let mut shells = shells(vertices, &mut triangles, &mut parts);
        if let [shell] = &mut shells[..] {
            shell.volume = volume;
        }
        for (edge, (ends, sides)) in (0..).zip(edges.iter()) {
            for &side in sides {
                let triangle = &mut triangles[slots[side as usize / 3] as usize];
                let is_reversed = facets.corner(side) != ends[0];
                triangle.sides[side as usize % 3] = 2 * edge + u32::from(is_reversed);
            }
        }
        let mut fan_areas = vec![FanArea::default(); vertices.len()];
        for triangle in &triangles {
            let [a, b, c] = triangle.corners.map(|id| vertices[id as usize]);
            fan_areas[triangle.corners[0] as usize].add(b - a, c - a);
        }
        Self {
            stamp: Stamp::new(),
            centroid: centroid(vertices[0], &mass_properties::fans(&surface)),
            neighbors: neighbors(vertices.len(), &edges.ends),
            fans: fans(vertices.len(), &triangles),
            surface,
            volume,
            tree,
            triangles,
            slots,
            fan_areas,
            shells,
        }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub(crate) fn vertices(&self) -> &[DVec3] {
        self.surface.vertices()
    }

    /// Returns the edges, the lower end of each first.
    pub(crate) fn edges(&self) -> &[[u32; 2]] {
        self.surface.edges()
    }

    /// Returns the triangles in the order of the tree's leaves.
    pub(crate) fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Returns the triangle of a facet.
    pub(super) fn triangle_of(&self, facet: u32) -> &Triangle {
        &self.triangles[self.slot(facet) as usize]
    }

    /// Returns the positions of a facet's corners.
    pub(super) fn corners(&self, facet: u32) -> [DVec3; 3] {
        let ids = self.triangle_of(facet).corners;
        ids.map(|id| self.vertices()[id as usize])
    }

    /// Returns the lowest pair of facets with a property, of those whose boxes touch. It is tested once for each pair.
    pub(super) fn lowest_pair(&self, mut is_bad: impl FnMut([u32; 2]) -> bool) -> Option<[u32; 2]> {
        let mut lowest: Option<[u32; 2]> = None;
        (self.tree).for_each_pair(&self.tree, &Pose3::IDENTITY, |i, j| {
            if i < j && is_bad([i, j]) && lowest.is_none_or(|lowest| [i, j] < lowest) {
                lowest = Some([i, j]);
            }
        });
        lowest
    }

    /// Returns the index of a facet's triangle.
    pub(crate) fn slot(&self, facet: u32) -> u32 {
        self.slots[facet as usize]
    }

    /// Returns the other ends of the edges at a vertex, and these edges.
    #[inline]
    pub(crate) fn neighbors(&self, vertex: u32) -> &[[u32; 2]] {
        &self.neighbors[vertex]
    }

    /// Returns the triangles whose first corner is a vertex.
    #[inline]
    pub(crate) fn fan(&self, vertex: u32) -> &[u32] {
        &self.fans[vertex]
    }

    /// Returns the area of these triangles.
    #[inline]
    pub(crate) fn fan_area(&self, vertex: u32) -> &FanArea {
        &self.fan_areas[vertex as usize]
    }

    pub(crate) fn shells(&self) -> &[Shell] {
        &self.shells
    }
}

/// By the surface, which determines everything else.
impl PartialEq for SolidMesh {
    fn eq(&self, other: &Self) -> bool {
        self.surface() == other.surface()
    }
}

impl TryFrom<SurfaceMesh> for SolidMesh {
    type Error = Error;

    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Degenerate`] if there are no facets;
    /// - [`ErrorKind::Facet`] if a facet is not a triangle (see [`SurfaceMesh::triangulated`]);
    /// - [`ErrorKind::NonManifold`] if a vertex is not used;
    /// - for the lowest edge [`ErrorKind::NotClosed`], [`ErrorKind::NonManifold`] or
    ///   [`ErrorKind::Orientation`];
    /// - [`ErrorKind::NonManifold`] if parts of the surface meet only at a vertex;
    /// - [`ErrorKind::Orientation`] if the solid is inside out or flat;
    /// - [`ErrorKind::Intersection`] if an edge of one shell passes through a facet of another one;
    /// - with its lowest facet, [`ErrorKind::Orientation`] for a shell that faces inwards outside all others, or
    ///   [`ErrorKind::Intersection`] for a shell inside another one that is not a cavity of it.
    fn try_from(surface: SurfaceMesh) -> Result<Self> {
        if let Some(facet) = surface.facets().find(|f| f.vertices().len() != 3) {
            return Err(Error(Cause::NotTriangle {
                facet: facet.index() as usize,
                count: facet.vertices().len(),
            }));
        }
        let (volume, shells) = checked_shells(&surface)?;
        let solid = Self::of_closed(surface, volume, shells);
        check_shells(&solid)?;
        Ok(solid)
    }
}

impl From<SolidMesh> for SurfaceMesh {
    fn from(solid: SolidMesh) -> Self {
        solid.surface
    }
}

impl ConvexPolyhedron {
    /// Returns the same body with its faces cut into triangles. O(n log n).
    ///
    /// Vertices keep their ids. No triangle is flat, not even if corners of a face are collinear.
    #[must_use]
    pub fn to_solid(&self) -> SolidMesh {
        let surface = self.surface().triangulated();
        let count = surface.topology().0.count();
        // A convex polyhedron has one shell.
        let mut shell = UnionFind::new(count);
        (1..count as u32).for_each(|facet| shell.join(0, facet));
        SolidMesh::of_closed(surface, self.volume(), shell)
    }
}

impl Bounded for SolidMesh {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.surface().bounding_sphere()
    }
    fn bounding_box(&self) -> Aabb<DVec3> {
        self.surface().bounding_box()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    fn corners(size: f64) -> Vec<DVec3> {
        vec![
            DVec3::ZERO,
            DVec3::X * size,
            DVec3::Y * size,
            DVec3::Z * size,
        ]
    }

    fn shifted(triangles: &[[u32; 3]], by: u32) -> Vec<[u32; 3]> {
        triangles.iter().map(|t| t.map(|id| id + by)).collect()
    }

    #[test]
    fn topology_of_a_tetrahedron_and_its_cavity() {
        let cavity = corners(1.0).into_iter().map(|c| c + DVec3::ONE);
        let vertices = corners(6.0).into_iter().chain(cavity).collect();
        let inner = shifted(&TRIANGLES.map(|[a, b, c]| [a, c, b]), 4);
        let solid = SolidMesh::new(vertices, TRIANGLES.into_iter().chain(inner)).unwrap();
        let mut volumes: Vec<f64> = solid.shells().iter().map(|s| 6.0 * s.volume).collect();
        volumes.sort_by(f64::total_cmp);
        assert!((volumes[0] + 1.0).abs() < 1e-15 && (volumes[1] - 216.0).abs() < 1e-12);
        let mut count = 0;
        for triangle in solid.triangles() {
            for (k, &side) in triangle.sides.iter().enumerate() {
                let mut ends = solid.edges()[side as usize / 2];
                if side % 2 == 1 {
                    ends.reverse();
                }
                assert_eq!(ends, [triangle.corners[k], triangle.corners[(k + 1) % 3]]);
                count += side + 1;
            }
        }
        assert_eq!(count, 24 * 25 / 2);
        for (edge, &ends) in (0..).zip(solid.edges()) {
            let neighbors = solid.neighbors(ends[0]);
            assert!(neighbors.contains(&[ends[1], edge]));
        }
        assert!((0..8).all(|v| solid.neighbors(v).len() == 3));
    }

    #[test]
    fn each_defect_is_named() {
        let solid =
            |triangles: &[[u32; 3]]| SolidMesh::new(corners(1.0), triangles.to_vec()).unwrap_err();
        let open = Error(Cause::OpenEdge {
            edge: [0, 2],
            facet: 0,
        });
        assert_eq!(solid(&TRIANGLES[..3]), open);
        let mut turned = TRIANGLES;
        turned[1].reverse();
        assert_eq!(
            solid(&turned),
            Error(Cause::Orientation {
                edge: [0, 1],
                facets: [0, 1]
            })
        );
        let mut thrice = TRIANGLES.to_vec();
        thrice.extend([[0, 1, 2], [1, 0, 2]]);
        assert_eq!(
            solid(&thrice),
            Error(Cause::NonManifoldEdge {
                edge: [0, 1],
                facet_count: 4
            })
        );
        assert!(matches!(
            solid(&TRIANGLES.map(|[a, b, c]| [a, c, b])),
            Error(Cause::InsideOut { facet: 0, volume }) if volume == -1.0 / 6.0
        ));
        assert!(matches!(
            SolidMesh::new(corners(1.0)[..3].to_vec(), [[0, 1, 2], [0, 2, 1]]),
            Err(Error(Cause::InsideOut {
                facet: 0,
                volume: 0.0
            }))
        ));
        assert_eq!(solid(&[]), Error(Cause::NoFacets));
    }

    #[test]
    fn vertex_between_two_solids_and_vertex_of_none() {
        let mut vertices = corners(1.0);
        vertices.extend(corners(-1.0)[1..].iter());
        // The mirror image of the first, with which it shares vertex 0.
        let mirrored =
            TRIANGLES.map(|[a, b, c]| [a, c, b].map(|id| if id == 0 { 0 } else { id + 3 }));
        let both = TRIANGLES.iter().chain(&mirrored).copied();
        assert_eq!(
            SolidMesh::new(vertices, both).unwrap_err(),
            Error(Cause::NonManifoldVertex { vertex: 0 })
        );
        let mut vertices = corners(1.0);
        vertices.push(DVec3::ONE);
        assert_eq!(
            SolidMesh::new(vertices, TRIANGLES).unwrap_err(),
            Error(Cause::UnusedVertex { vertex: 4 })
        );
    }

    #[test]
    fn quadrilaterals_are_refused() {
        let square = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        let mesh = SurfaceMesh::new(square, [[0, 1, 2, 3]]).unwrap();
        assert_eq!(
            SolidMesh::try_from(mesh).unwrap_err(),
            Error(Cause::NotTriangle { facet: 0, count: 4 })
        );
    }

    /// Two cavities, each smaller than the solid, that overlap.
    #[test]
    fn cavities_that_overlap() {
        let inner = |by: u32| shifted(&TRIANGLES.map(|[a, b, c]| [a, c, b]), by);
        let all: Vec<_> = TRIANGLES
            .iter()
            .copied()
            .chain(inner(4))
            .chain(inner(8))
            .collect();
        let of_size = |size: f64| {
            let cavity = corners(size).into_iter().map(|v| v + DVec3::splat(0.125));
            let vertices = [corners(6.0), cavity.clone().collect(), cavity.collect()].concat();
            SolidMesh::new(vertices, all.clone())
        };
        // The other cavity winds -1 times around a vertex, the solid once.
        assert!(matches!(
            of_size(4.5).unwrap_err(),
            Error(Cause::InsideOut { facet: 4, volume }) if volume == -15.1875
        ));
        assert!(matches!(
            of_size(5.0).unwrap_err(),
            Error(Cause::InsideOut { facet: 4, volume }) if volume < -5.0
        ));
    }

    #[test]
    fn cavities_are_taken_off() {
        let mut vertices = corners(6.0);
        vertices.extend(corners(1.0).iter().map(|&v| v + DVec3::ONE));
        let inner = shifted(&TRIANGLES.map(|[a, b, c]| [a, c, b]), 4);
        let all: Vec<_> = TRIANGLES.iter().copied().chain(inner).collect();
        let hollow = SolidMesh::new(vertices.clone(), all.clone()).unwrap();
        assert!((hollow.volume() - (36.0 - 1.0 / 6.0)).abs() < 1e-13);
        // A shell that is inside out beside the other, not inside it.
        let far = |i: usize| if i < 4 { DVec3::ZERO } else { DVec3::X * 50.0 };
        let apart = vertices
            .iter()
            .enumerate()
            .map(|(i, &v)| v + far(i))
            .collect();
        assert!(matches!(
            SolidMesh::new(apart, all.clone()).unwrap_err(),
            Error(Cause::InsideOut { facet: 4, volume }) if volume < 0.0
        ));
        let inside_out = all.iter().map(|&[a, b, c]| [a, c, b]);
        assert!(matches!(
            SolidMesh::new(vertices, inside_out).unwrap_err(),
            Error(Cause::InsideOut { facet: 0, .. })
        ));
    }
}
