use crate::math::tolerance::two_to;
use glam::DVec3;
use smallvec::SmallVec;

use super::adjacency::Adjacency;
use super::surface_mesh::SurfaceMesh;
use super::union_find::UnionFind;
use super::weld::names;
use crate::math::{Location, closest_on_segment};
use crate::shape::{Aabb, BoxTree};

/// A vertex this close to an edge, relative to the edge's length, hangs on it.
const HANGING_VERTEX: f64 = two_to(-40);

impl SurfaceMesh {
    /// Lists the unusual features of the mesh, such as open, non-manifold and duplicate ones. O(n log n).
    pub fn report(&self) -> MeshReport {
        MeshReport::new(self)
    }

    /// Returns the vertices of no facet.
    pub(in crate::shape) fn unused_vertices(&self) -> Vec<u32> {
        unused(self.vertices().len(), self.topology().0.corners()).collect()
    }

    /// Returns the vertices at which corners of facets belong to more than one fan.
    ///
    /// Corners at a vertex belong to one fan if their facets share an edge there, or if welding has collapsed the side
    /// between them.
    pub(in crate::shape) fn non_manifold_vertices(&self) -> Vec<u32> {
        let (facets, edges) = self.topology();
        let mut fans = UnionFind::new(facets.side_count());
        for side in 0..facets.side_count() as u32 {
            let next = facets.next(side);
            if facets.corner(side) == facets.corner(next) {
                fans.join(side, next);
            }
        }
        for (_, sides) in edges.iter() {
            let [first, others @ ..] = sides else {
                continue;
            };
            for &other in others {
                // Sides along the edge in one direction start at the same vertex.
                let mut ends = [other, facets.next(other)];
                if facets.corner(*first) != facets.corner(other) {
                    ends.reverse();
                }
                fans.join(*first, ends[0]);
                fans.join(facets.next(*first), ends[1]);
            }
        }
        let mut fan_of = vec![None; self.vertices().len()];
        let mut found = Vec::new();
        for (side, &vertex) in (0..).zip(facets.corners()) {
            let fan = fans.root(side);
            if self.normals()[facets.facet_of(side) as usize] != DVec3::ZERO
                && *fan_of[vertex as usize].get_or_insert(fan) != fan
            {
                found.push(vertex);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Returns the numbers below `count` that are no corners.
pub(in crate::shape) fn unused(count: usize, corners: &[u32]) -> impl Iterator<Item = u32> {
    let mut is_used = vec![false; count];
    for &corner in corners {
        is_used[corner as usize] = true;
    }
    (0..).zip(is_used).filter(|(_, is)| !is).map(|(id, _)| id)
}

/// The unusual features of a [`SurfaceMesh`]. None of them is an error for a wall.
///
/// Check it if a mesh leaks, or if [`SolidMesh`](crate::SolidMesh) refuses it. Each list is in ascending order.
///
/// ```
/// use osculate::{SurfaceMesh, glam::DVec3};
///
/// // Two triangles of a floor, the second one upside down.
/// let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
/// let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let report = SurfaceMesh::new(corners, [[0, 1, 2], [0, 3, 2]])?.report();
/// assert_eq!(report.misoriented_edges, [[0, 2]]);
/// assert_eq!(report.boundary_edges.len(), 4);
/// assert!(!report.is_closed());
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshReport {
    /// Edges of one facet.
    pub boundary_edges: Vec<[u32; 2]>,
    /// Edges of more than two facets.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Edges along which two facets run in the same direction: one shows its front where the other shows
    /// its back.
    pub misoriented_edges: Vec<[u32; 2]>,
    /// Vertices at which facets meet that are not connected by edges there.
    pub non_manifold_vertices: Vec<u32>,
    /// T-junctions: vertices inside an open edge, each with that edge. The tolerance is 2^-40 of the edge
    /// length, or twice the [`precision`](SurfaceMesh::precision) of the mesh.
    pub hanging_vertices: Vec<(u32, [u32; 2])>,
    /// Vertices at the position of a lower vertex: the vertex, then the lowest vertex there.
    pub duplicate_vertices: Vec<[u32; 2]>,
    /// Vertices of no facet.
    pub unused_vertices: Vec<u32>,
    /// Facets with the corners of a lower facet, in any order: the facet, then the lowest such facet.
    pub duplicate_facets: Vec<[u32; 2]>,
    /// Facets without area.
    pub degenerate_facets: Vec<u32>,
}

impl MeshReport {
    fn new(mesh: &SurfaceMesh) -> Self {
        let names = names(mesh.vertices()).0;
        let mut report = Self {
            hanging_vertices: hanging_vertices(mesh, &names),
            non_manifold_vertices: mesh.non_manifold_vertices(),
            unused_vertices: mesh.unused_vertices(),
            duplicate_facets: duplicate_facets(mesh),
            ..Self::default()
        };
        let (facets, edges) = mesh.topology();
        for (edge, sides) in edges.iter() {
            match sides {
                [_] => report.boundary_edges.push(edge),
                [a, b] if facets.corner(*a) == facets.corner(*b) => {
                    report.misoriented_edges.push(edge);
                }
                [_, _] => {}
                _ => report.non_manifold_edges.push(edge),
            }
        }
        let is_duplicate = |&[vertex, name]: &[u32; 2]| vertex != name;
        let named = (0..).zip(names).map(|(vertex, name)| [vertex, name]);
        report.duplicate_vertices = named.filter(is_duplicate).collect();
        report.degenerate_facets = (0..)
            .zip(mesh.normals())
            .filter(|(_, normal)| normal.length_squared() == 0.0)
            .map(|(facet, _)| facet)
            .collect();
        report
    }

    /// Returns whether each edge has exactly two facets, so that nothing can leak through.
    pub fn is_closed(&self) -> bool {
        self.boundary_edges.is_empty() && self.non_manifold_edges.is_empty()
    }
}

/// Finds vertices inside edges of one facet, in a tree of these edges.
///
/// Any vertex with an edge may hang: at the foot of a divider, none of its own edges is open.
fn hanging_vertices(mesh: &SurfaceMesh, names: &[u32]) -> Vec<(u32, [u32; 2])> {
    let adjacency = Adjacency::new(mesh.topology().0, names);
    let position = |vertex: u32| mesh.vertices()[vertex as usize];
    let near = |a: u32, b: u32| {
        (HANGING_VERTEX * position(a).distance(position(b))).max(2.0 * mesh.precision())
    };
    let is_open = |&edge: &u32| adjacency.sides_of(edge).len() == 1;
    let all = &adjacency.edges.ends;
    let edges = (0..all.len() as u32).filter(is_open);
    let edges: Vec<[u32; 2]> = edges.map(|edge| all[edge as usize]).collect();
    let around = |&[a, b]: &[u32; 2]| Aabb::enclosing([position(a), position(b)]).grown(near(a, b));
    let tree = BoxTree::from_good(edges.iter().map(around).collect());
    let mut hanging = Vec::new();
    let ids = 0..mesh.vertices().len() as u32;
    for vertex in ids.filter(|&vertex| !adjacency.neighbors(vertex).is_empty()) {
        let point = position(vertex);
        tree.for_each_touching(&Aabb::enclosing([point]), |edge| {
            let [a, b] = edges[edge as usize];
            let closest = closest_on_segment(point, position(a), position(b));
            let near = near(a, b);
            let from_ends = [a, b].map(|end| point.distance(position(end)));
            let is_between =
                closest.location == Location::Interior && from_ends.iter().all(|&d| d > near);
            if is_between && closest.distance_squared <= near * near {
                hanging.push((vertex, [a, b]));
            }
        });
    }
    hanging.sort_unstable();
    hanging
}

/// Facets with the corners of a lower one: the facet, then the lowest.
fn duplicate_facets(mesh: &SurfaceMesh) -> Vec<[u32; 2]> {
    let sorted = |ids: &[u32]| {
        let mut ids: SmallVec<[u32; 8]> = SmallVec::from_slice(ids);
        ids.sort_unstable();
        ids
    };
    let corner_sets = mesh.topology().0.iter().map(sorted);
    let mut corner_sets: Vec<_> = corner_sets.zip(0_u32..).collect();
    corner_sets.sort_unstable();
    let mut found: Vec<_> = corner_sets
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|same| same[1..].iter().map(|(_, facet)| [*facet, same[0].1]))
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(vertices: &[(f64, f64, f64)], facets: &[&[u32]]) -> MeshReport {
        let vertices = vertices.iter().map(|&(x, y, z)| DVec3::new(x, y, z));
        SurfaceMesh::new(vertices.collect(), facets)
            .unwrap()
            .report()
    }

    const TETRAHEDRON: [(f64, f64, f64); 4] = [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
    ];

    #[test]
    fn closed_surface_has_nothing_to_report() {
        let report = report(
            &TETRAHEDRON,
            &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]],
        );
        assert!(report.is_closed());
        assert_eq!(report, MeshReport::default());
    }

    #[test]
    fn open_and_misoriented_edges() {
        let report = report(&TETRAHEDRON, &[&[0, 1, 2], &[0, 1, 3]]);
        assert_eq!(report.misoriented_edges, [[0, 1]]);
        assert_eq!(report.boundary_edges, [[0, 2], [0, 3], [1, 2], [1, 3]]);
        assert!(!report.is_closed());
    }

    #[test]
    fn vertex_inside_a_side() {
        let vertices = [
            (0.0, 0.0, 0.0),
            (0.0, 4.0, 0.0),
            (-1.0, 2.0, 0.0),
            (0.0, 1.0, 0.0),
            (1.0, 2.0, 0.0),
        ];
        let report = report(&vertices, &[&[0, 1, 2], &[0, 4, 3], &[3, 4, 1]]);
        assert_eq!(report.hanging_vertices, [(3, [0, 1])]);
    }

    #[test]
    fn three_facets_at_an_edge() {
        let mut vertices = TETRAHEDRON.to_vec();
        vertices.push((0.0, -1.0, 0.0));
        let report = report(&vertices, &[&[0, 1, 2], &[1, 0, 3], &[0, 1, 4]]);
        assert_eq!(report.non_manifold_edges, [[0, 1]]);
        assert!(report.non_manifold_vertices.is_empty());
    }

    #[test]
    fn two_triangles_that_share_a_corner_only() {
        let vertices = [
            (0.0, 0.0, 0.0),
            (1.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (-1.0, 0.0, 0.0),
            (0.0, -1.0, 0.0),
            (9.0, 9.0, 9.0),
        ];
        let report = report(&vertices, &[&[0, 1, 2], &[0, 3, 4]]);
        assert_eq!(report.non_manifold_vertices, [0]);
        assert_eq!(report.unused_vertices, [5]);
    }

    /// A closed surface and a triangle that welding folds onto one of its edges.
    #[test]
    fn folded_triangle_is_no_third_facet_of_an_edge() {
        let mut corners: Vec<DVec3> = TETRAHEDRON.map(DVec3::from).to_vec();
        corners.extend([corners[0], corners[3], corners[3]]);
        let facets = [[4, 5, 6], [0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let report = SurfaceMesh::welded(&corners, facets, 0.0).unwrap().report();
        assert!(report.is_closed() && report.non_manifold_vertices.is_empty());
        assert_eq!(report.degenerate_facets, [0]);
    }

    /// A quadrilateral of which welding leaves a triangle, and its neighbor: a square.
    #[test]
    fn collapsed_side_parts_no_fan() {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
        let mesh = SurfaceMesh::welded(&corners, [&[0, 1, 2, 3][..], &[0, 3, 4]], 0.0).unwrap();
        assert_eq!(mesh.report().boundary_edges.len(), 4);
        assert!(mesh.report().non_manifold_vertices.is_empty());
    }

    #[test]
    fn duplicates_and_facets_without_area() {
        let vertices = [
            (0.0, 0.0, 0.0),
            (1.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (1.0, -0.0, 0.0),
            (2.0, 0.0, 0.0),
        ];
        let report = report(&vertices, &[&[0, 1, 2], &[0, 1, 4], &[1, 0, 2], &[2, 0, 1]]);
        assert_eq!(report.duplicate_vertices, [[3, 1]]);
        assert_eq!(report.duplicate_facets, [[2, 0], [3, 0]]);
        assert_eq!(report.degenerate_facets, [1]);
    }

    /// A corner inside the side of a neighbor, in each octant.
    #[test]
    fn hanging_vertices_are_found_anywhere() {
        let flat = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (1.0, 3.0), (4.0, 4.0)];
        for octant in 0..8 {
            let sign = |bit: i32| if octant >> bit & 1 == 1 { -9.0 } else { 9.0 };
            let shift = DVec3::new(sign(0), sign(1), sign(2));
            let vertices = flat.map(|(x, y)| DVec3::new(x, y, 0.0) + shift).to_vec();
            let mesh = SurfaceMesh::new(vertices, [[0, 1, 2], [1, 4, 3]]).unwrap();
            assert_eq!(mesh.report().hanging_vertices, [(3, [1, 2])]);
        }
    }
}
