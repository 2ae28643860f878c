use glam::DVec3;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::cross_of_differences;
use crate::shape::Parts;
use crate::shape::{Aabb, Bounded, Sphere, SurfaceMesh};

/// A solid: closed, consistently oriented triangles around a positive volume, normals outwards.
///
/// It may have several shells, cavities (shells that face inwards inside another) among them, and
/// handles. That shells do not intersect is not checked; of cavities, only that the box of each is
/// inside that of another shell, and that some volume is left.
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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SurfaceMesh", into = "SurfaceMesh")
)]
pub struct SolidMesh {
    surface: SurfaceMesh,
    volume: f64,
}

impl SolidMesh {
    /// A solid from its vertices and its triangles, each counter-clockwise seen from outside.
    /// O(n log n).
    ///
    /// # Errors
    /// Those of [`SurfaceMesh::new`], then those of [`try_from`](SolidMesh::try_from) a mesh.
    pub fn new(
        vertices: Vec<DVec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<Self> {
        SurfaceMesh::new(vertices, triangles)?.try_into()
    }

    /// The triangles.
    pub fn surface(&self) -> &SurfaceMesh {
        &self.surface
    }

    /// The volume, cavities taken off.
    pub fn volume(&self) -> f64 {
        self.volume
    }
}

impl TryFrom<SurfaceMesh> for SolidMesh {
    type Error = Error;

    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Degenerate`] if there are no facets;
    /// - [`ErrorKind::Facet`] if a facet is not a triangle;
    /// - [`ErrorKind::NonManifold`] if a vertex is not used;
    /// - for the lowest edge [`ErrorKind::NotClosed`], [`ErrorKind::NonManifold`] or
    ///   [`ErrorKind::Orientation`];
    /// - [`ErrorKind::NonManifold`] if parts of the surface meet at a vertex only;
    /// - [`ErrorKind::Orientation`] if the solid is inside out or flat.
    fn try_from(surface: SurfaceMesh) -> Result<Self> {
        if let Some(facet) = surface.facets().find(|f| f.vertices().len() != 3) {
            return Err(Cause::NotTriangle {
                facet: facet.index(),
                count: facet.vertices().len(),
            }
            .into());
        }
        let volume = checked_volume(&surface)?;
        Ok(Self { surface, volume })
    }
}

impl From<SolidMesh> for SurfaceMesh {
    fn from(solid: SolidMesh) -> Self {
        solid.surface
    }
}

impl Bounded for SolidMesh {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.surface.bounding_sphere()
    }
    fn bounding_box(&self) -> Aabb<DVec3> {
        self.surface.bounding_box()
    }
}

/// The volume inside a surface of any facets, which must be closed, manifold, consistently
/// oriented and not inside out.
pub(crate) fn checked_volume(surface: &SurfaceMesh) -> Result<f64> {
    let (facets, edges) = surface.topology();
    if facets.count() == 0 {
        return Err(Cause::NoFacets.into());
    }
    let report = surface.report();
    if let Some(&vertex) = report.unused_vertices.first() {
        let vertex = vertex as usize;
        return Err(Cause::UnusedVertex { vertex }.into());
    }
    let mut shells = Parts::new(facets.count());
    for (edge, sides) in edges.iter() {
        match *sides {
            [a, b] => {
                let facets_here = [a, b].map(|side| facets.facet_of(side));
                if facets.corner(a) == facets.corner(b) {
                    return Err(Cause::Orientation {
                        edge,
                        facets: facets_here,
                    }
                    .into());
                }
                shells.join(facets_here[0], facets_here[1]);
            }
            [side] => {
                let facet = facets.facet_of(side);
                return Err(Cause::OpenEdge { edge, facet }.into());
            }
            _ => {
                return Err(Cause::NonManifoldEdge {
                    edge,
                    facet_count: sides.len(),
                }
                .into());
            }
        }
    }
    if let Some(&vertex) = report.non_manifold_vertices.first() {
        return Err(Cause::NonManifoldVertex { vertex }.into());
    }

    // Of each shell, at its lowest facet: six times its volume, and its box.
    let mut volumes = vec![0.0; facets.count()];
    let mut boxes: Vec<Option<Aabb<DVec3>>> = vec![None; facets.count()];
    let position = |id: u32| surface.vertices()[id as usize];
    for (facet, ids) in facets.iter().enumerate() {
        let shell = shells.root(facet as u32) as usize;
        let origin = position(facets.get(shell)[0]);
        for pair in ids[1..].windows(2) {
            volumes[shell] += six_volumes(origin, [ids[0], pair[0], pair[1]].map(position));
        }
        let around = Aabb::around(ids.iter().map(|&id| position(id)));
        boxes[shell] = match (boxes[shell], around) {
            (Some(a), Some(b)) => Some(a.union(&b)),
            (a, b) => a.or(b),
        };
    }
    let shells = || (0..facets.count()).filter_map(|f| boxes[f].map(|bounds| (f, bounds)));
    let is_cavity = |inner: &Aabb<DVec3>| {
        shells().any(|(f, outer)| volumes[f] > 0.0 && outer.union(inner) == outer)
    };
    let is_bad = |(f, bounds): &(usize, _)| volumes[*f] <= 0.0 && !is_cavity(bounds);
    if let Some((facet, _)) = shells().find(is_bad) {
        let volume = volumes[facet] / 6.0;
        return Err(Cause::InsideOut { facet, volume }.into());
    }
    let volume = volumes.iter().sum::<f64>() / 6.0;
    if volume <= 0.0 {
        let by_volume = |&f: &usize, &g: &usize| volumes[f].total_cmp(&volumes[g]);
        let facet = (0..facets.count()).min_by(by_volume).unwrap_or(0);
        return Err(Cause::InsideOut { facet, volume }.into());
    }
    Ok(volume)
}

/// Six times the signed volume of the tetrahedron of a point and a triangle, positive if the
/// triangle shows it its back. Accurate also for slender solids, where plain products cancel.
pub(crate) fn six_volumes(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    cross_of_differences([a, b], [a, c]).dot(a - point)
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
    fn cavities_must_leave_some_volume() {
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
        assert!(of_size(4.5).unwrap().volume() > 5.0);
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
