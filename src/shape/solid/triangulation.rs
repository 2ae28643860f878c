use glam::DVec3;

use super::closed::six_volumes;
use super::flow::{Flow, Shell, flows, spanning_tree};
use super::triangle::{Triangle, other_end};
use crate::shape::rows::Rows;
use crate::shape::surface::edges_at;
use crate::shape::{BoxTree, SurfaceMesh, UnionFind};

/// The triangles of a closed surface, with the topology and the flows for intersection volumes.
#[derive(Clone, Debug)]
pub(crate) struct Triangulation {
    surface: SurfaceMesh,
    tree: BoxTree<DVec3>,
    /// In the order of the tree's leaves. Triangles that welding has folded onto an edge have no
    /// sides.
    triangles: Vec<Triangle>,
    /// The place of each facet in `triangles`.
    slots: Vec<u32>,
    /// The lower end of each edge first; the edges of the spanning trees first.
    edges: Vec<[u32; 2]>,
    edges_at_vertices: Rows<u32>,
    /// The flow along each edge of the spanning trees.
    flows: Vec<Flow>,
    shells: Vec<Shell>,
}

impl Triangulation {
    /// Builds the triangulation of a surface of triangles; `parts` are its shells as sets of facets.
    ///
    /// `volume` is that of all shells together.
    pub(crate) fn new(surface: SurfaceMesh, volume: f64, mut parts: UnionFind) -> Self {
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
        let mut shells = shells(surface.vertices(), &mut triangles, &mut parts);
        if let [shell] = &mut shells[..] {
            shell.volume = volume;
        }
        let count = surface.vertices().len();
        let spanning = spanning_tree(edges.ends(), &edges_at(count, edges.ends()), &shells);
        let flows = flows(&surface, &triangles, &spanning, &mut shells);
        let order = in_front(edges.ends().len(), spanning.iter().map(|&(edge, _)| edge));
        let mut place = vec![0; order.len()];
        (0..)
            .zip(&order)
            .for_each(|(new, &old)| place[old as usize] = new);
        for (edge, (ends, sides)) in edges.iter().enumerate() {
            for &side in sides {
                let triangle = &mut triangles[slots[side as usize / 3] as usize];
                let is_reversed = facets.corner(side) != ends[0];
                triangle.sides[side as usize % 3] = 2 * place[edge] + u32::from(is_reversed);
            }
        }
        let edges: Vec<_> = order
            .iter()
            .map(|&old| edges.ends()[old as usize])
            .collect();
        let edges_at_vertices = edges_at(count, &edges);
        Self {
            surface,
            tree,
            triangles,
            slots,
            edges,
            edges_at_vertices,
            flows,
            shells,
        }
    }

    pub(crate) fn surface(&self) -> &SurfaceMesh {
        &self.surface
    }

    pub(super) fn into_surface(self) -> SurfaceMesh {
        self.surface
    }

    pub(crate) fn tree(&self) -> &BoxTree<DVec3> {
        &self.tree
    }

    pub(crate) fn vertices(&self) -> &[DVec3] {
        self.surface.vertices()
    }

    pub(crate) fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    pub(crate) fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Returns the positions of a facet's corners.
    pub(super) fn corners(&self, facet: u32) -> [DVec3; 3] {
        let ids = self.triangles[self.slot(facet) as usize].corners;
        ids.map(|id| self.vertices()[id as usize])
    }

    /// Returns the index of a facet's triangle.
    pub(crate) fn slot(&self, facet: u32) -> u32 {
        self.slots[facet as usize]
    }

    /// Returns the other ends of the edges at a vertex, and these edges.
    pub(crate) fn edges_at(&self, vertex: u32) -> impl Iterator<Item = (u32, u32)> {
        let edges = self.edges_at_vertices[vertex].iter();
        edges.map(move |&edge| (other_end(self.edges()[edge as usize], vertex), edge))
    }

    /// Returns the flow along an edge of a spanning tree, `None` for other edges.
    #[inline]
    pub(crate) fn flow(&self, edge: u32) -> Option<&Flow> {
        self.flows.get(edge as usize)
    }

    pub(crate) fn shells(&self) -> &[Shell] {
        &self.shells
    }
}

/// Returns all numbers below `count`, with the given ones first.
fn in_front(count: usize, first: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut is_first = vec![false; count];
    let mut order = Vec::with_capacity(count);
    order.extend(first.inspect(|&i| is_first[i as usize] = true));
    order.extend((0..count as u32).filter(|&i| !is_first[i as usize]));
    order
}

/// Returns the shells in the order of their first leaves, and sets the shell of each triangle.
fn shells(vertices: &[DVec3], triangles: &mut [Triangle], parts: &mut UnionFind) -> Vec<Shell> {
    let mut shells: Vec<Shell> = Vec::new();
    let mut numbers = vec![u32::MAX; triangles.len()];
    for triangle in triangles
        .iter_mut()
        .filter(|triangle| !triangle.is_folded())
    {
        let number = &mut numbers[parts.root(triangle.facet) as usize];
        if *number == u32::MAX {
            *number = shells.len() as u32;
            shells.push(Shell {
                vertex: triangle.corners[0],
                volume: 0.0,
                total: Flow::default(),
            });
        }
        triangle.shell = *number;
        let shell = &mut shells[*number as usize];
        let origin = vertices[shell.vertex as usize];
        shell.volume += six_volumes(origin, triangle.corners.map(|id| vertices[id as usize])) / 6.0;
    }
    shells
}
