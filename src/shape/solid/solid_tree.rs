use glam::DVec3;

use super::flow::{self, Flow};
use crate::shape::Parts;
use crate::shape::{Aabb, Bounded, BoxTree, SolidMesh, Sphere};

/// A solid with what a search of its surface needs: a tree of its triangles' boxes, and which
/// triangles, edges and vertices meet. Built once, O(n log n), and shared by all bodies of the
/// shape.
///
/// About 680 bytes a triangle, 470 of them the solid's.
///
/// ```
/// use osculate::{SolidMesh, SolidTree, glam::DVec3};
///
/// let tetrahedron = SolidMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// )?;
/// let tree = SolidTree::from(tetrahedron);
/// assert_eq!(tree.solid().volume(), 1.0 / 6.0);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SolidTree {
    solid: SolidMesh,
    tree: BoxTree<DVec3>,
    /// In the order of the tree's leaves. Those that welding has folded onto an edge are left out.
    triangles: Vec<Triangle>,
    /// Where a facet's triangle is.
    slots: Vec<u32>,
    /// Those of the spanning trees first.
    edges: Vec<Edge>,
    /// The edges at vertex v are `around[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Of each edge of the spanning trees.
    flows: Vec<Flow>,
    shells: Vec<Shell>,
}

/// A triangle of a [`SolidTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    /// The edge from corner i to the next, times 2, and 1 more if it runs from the higher id to
    /// the lower.
    pub(crate) sides: [u32; 3],
    pub(crate) facet: u32,
    pub(crate) shell: u32,
}

/// An edge of a [`SolidTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The lower id first.
    pub(crate) ends: [u32; 2],
    /// The triangle in which it runs so, then the other.
    pub(crate) triangles: [u32; 2],
}

impl Edge {
    /// The end that `vertex` is not.
    pub(crate) fn other_end(&self, vertex: u32) -> u32 {
        self.ends[0] ^ self.ends[1] ^ vertex
    }
}

/// A connected part of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shell {
    /// The root of its spanning tree.
    pub(crate) vertex: u32,
    /// Negative for a cavity.
    pub(crate) volume: f64,
    /// The sum over all its vertices.
    pub(crate) total: Flow,
}

impl SolidTree {
    /// The solid.
    pub fn solid(&self) -> &SolidMesh {
        &self.solid
    }

    /// The boxes of the triangles, by the index of the facet, in the solid's own coordinates.
    pub fn boxes(&self) -> &BoxTree<DVec3> {
        &self.tree
    }

    pub(crate) fn vertices(&self) -> &[DVec3] {
        self.solid.surface().vertices()
    }

    pub(crate) fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// The index of a facet's triangle.
    pub(crate) fn slot(&self, facet: u32) -> u32 {
        self.slots[facet as usize]
    }

    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(crate) fn edges_at(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// What lies beyond an edge of a spanning tree, if it is one.
    #[inline]
    pub(crate) fn flow(&self, edge: u32) -> Option<&Flow> {
        self.flows.get(edge as usize)
    }

    pub(crate) fn shells(&self) -> &[Shell] {
        &self.shells
    }
}

impl From<SolidMesh> for SolidTree {
    fn from(solid: SolidMesh) -> Self {
        let surface = solid.surface();
        let boxes = (0..surface.facet_count()).map(|facet| surface.facet_box(facet));
        let tree = BoxTree::from_good(boxes.collect());
        let triangle = |&facet: &u32| Triangle {
            corners: corners(&solid, facet),
            sides: [0; 3],
            facet,
            shell: 0,
        };
        let mut triangles: Vec<_> = tree.leaf_order().iter().map(triangle).collect();
        let mut slots = vec![0; triangles.len()];
        for (slot, triangle) in (0..).zip(&triangles) {
            slots[triangle.facet as usize] = slot;
        }
        let mut edges = edges(surface.edges(), &mut triangles);
        let mut shells = shells(surface.vertices(), &edges, &mut triangles);
        if let [shell] = &mut shells[..] {
            shell.volume = solid.volume();
        }
        let flows = flow::flows(surface.vertices(), &mut edges, &mut triangles, &mut shells);
        let (starts, around) = edges_around(surface.vertices().len(), &edges);
        Self {
            tree,
            triangles,
            slots,
            edges,
            starts,
            around,
            flows,
            shells,
            solid,
        }
    }
}

impl Bounded for SolidTree {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        self.solid.bounding_sphere()
    }
    fn bounding_box(&self) -> Aabb<DVec3> {
        self.solid.bounding_box()
    }
}

fn corners(solid: &SolidMesh, facet: u32) -> [u32; 3] {
    let (facets, _) = solid.surface().topology();
    let ids = facets.get(facet as usize);
    [ids[0], ids[1], ids[2]]
}

impl Triangle {
    /// The vertex at which it counts in sums over vertices: the lower end of the side opposite its first
    /// corner.
    pub(crate) fn owner(&self) -> u32 {
        self.corners[1].min(self.corners[2])
    }

    /// Whether welding has folded it onto an edge: then it is no part of the surface.
    pub(crate) fn is_folded(&self) -> bool {
        let [a, b, c] = self.corners;
        a == b || b == c || c == a
    }
}

/// Edges with their triangles; tells the triangles their sides.
fn edges(ends: &[[u32; 2]], triangles: &mut [Triangle]) -> Vec<Edge> {
    let new = |&ends: &[u32; 2]| Edge {
        ends,
        triangles: [0; 2],
    };
    let mut edges: Vec<_> = ends.iter().map(new).collect();
    for (i, triangle) in (0..).zip(triangles) {
        if triangle.is_folded() {
            continue;
        }
        for k in 0..3 {
            let (a, b) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
            let is_reversed = usize::from(a > b);
            if let Ok(edge) = ends.binary_search(&[a.min(b), a.max(b)]) {
                edges[edge].triangles[is_reversed] = i;
                triangle.sides[k] = 2 * edge as u32 + is_reversed as u32;
            }
        }
    }
    edges
}

/// The connected parts; tells the triangles theirs.
fn shells(vertices: &[DVec3], edges: &[Edge], triangles: &mut [Triangle]) -> Vec<Shell> {
    let mut parts = Parts::new(triangles.len());
    for edge in edges {
        parts.join(edge.triangles[0], edge.triangles[1]);
    }
    let mut shells: Vec<Shell> = Vec::new();
    for i in 0..triangles.len() {
        let root = parts.root(i as u32) as usize;
        if triangles[i].is_folded() {
            continue;
        }
        if root == i {
            triangles[i].shell = shells.len() as u32;
            shells.push(Shell {
                vertex: triangles[i].corners[0],
                volume: 0.0,
                total: Flow::default(),
            });
        }
        triangles[i].shell = triangles[root].shell;
        let shell = &mut shells[triangles[i].shell as usize];
        let origin = vertices[shell.vertex as usize];
        let corners = triangles[i].corners.map(|id| vertices[id as usize]);
        shell.volume += super::solid_mesh::six_volumes(origin, corners) / 6.0;
    }
    shells
}

/// The edges at each vertex, as rows.
pub(super) fn edges_around(vertex_count: usize, edges: &[Edge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; vertex_count + 1];
    for end in edges.iter().flat_map(|edge| edge.ends) {
        starts[end as usize + 1] += 1;
    }
    for i in 0..vertex_count {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut around = vec![0; 2 * edges.len()];
    for (i, edge) in (0..).zip(edges) {
        for end in edge.ends {
            around[next[end as usize] as usize] = i;
            next[end as usize] += 1;
        }
    }
    (starts, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_tetrahedron_and_its_cavity() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let outer = corners.map(|c| c * 6.0);
        let inner = corners.map(|c| c + DVec3::ONE);
        let faces: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let cavity = faces.map(|[a, b, c]| [a + 4, c + 4, b + 4]);
        let solid = SolidMesh::new([outer, inner].concat(), [faces, cavity].concat()).unwrap();
        let tree = SolidTree::from(solid);
        let mut volumes: Vec<f64> = tree.shells().iter().map(|s| 6.0 * s.volume).collect();
        volumes.sort_by(f64::total_cmp);
        assert!((volumes[0] + 1.0).abs() < 1e-15 && (volumes[1] - 216.0).abs() < 1e-12);
        for (i, edge) in (0..).zip(tree.edges()) {
            for (turn, triangle) in (0..2).zip(edge.triangles) {
                let triangle = &tree.triangles()[triangle as usize];
                let k = triangle
                    .sides
                    .iter()
                    .position(|&s| s == 2 * i + turn)
                    .unwrap();
                assert_eq!(triangle.corners[k], edge.ends[turn as usize]);
                assert_eq!(triangle.corners[(k + 1) % 3], edge.ends[1 - turn as usize]);
            }
            assert!(edge.ends.iter().all(|&v| tree.edges_at(v).contains(&i)));
        }
        assert!((0..8).all(|v| tree.edges_at(v).len() == 3));
    }
}
