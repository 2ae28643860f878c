use glam::DVec3;

use super::closed::six_volumes;
use super::triangle::Triangle;
use crate::shape::rows::Rows;
use crate::shape::surface::neighbors;
use crate::shape::{BoxTree, Stamp, SurfaceMesh, UnionFind};

/// The triangles of a closed surface, with the topology for intersection volumes.
#[derive(Clone, Debug)]
pub(crate) struct Triangulation {
    stamp: Stamp,
    surface: SurfaceMesh,
    tree: BoxTree<DVec3>,
    /// In the order of the tree's leaves. Triangles that welding has folded onto an edge have no
    /// sides.
    triangles: Vec<Triangle>,
    /// The place of each facet in `triangles`.
    slots: Vec<u32>,
    /// The lower end of each edge first.
    edges: Vec<[u32; 2]>,
    /// The other end of each edge at a vertex, and the edge.
    neighbors: Rows<[u32; 2]>,
    /// The triangles whose first corner is a vertex, and their area.
    fans: Rows<u32>,
    fan_areas: Vec<FanArea>,
    shells: Vec<Shell>,
}

/// The area of the triangles whose first corner is a vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FanArea {
    /// Twice the area vector.
    pub(crate) double: DVec3,
    /// A bound of the sum of the products of two edges from the vertex.
    pub(crate) size: f64,
}

impl FanArea {
    /// Adds the triangle of two edges from the vertex.
    #[inline]
    pub(crate) fn add(&mut self, u: DVec3, v: DVec3) {
        self.double += u.cross(v);
        self.size += 3.0 * u.abs().max_element() * v.abs().max_element();
    }
}

/// A connected part of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shell {
    /// A vertex of it.
    pub(crate) vertex: u32,
    /// Negative for a cavity.
    pub(crate) volume: f64,
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
        for (edge, (ends, sides)) in (0..).zip(edges.iter()) {
            for &side in sides {
                let triangle = &mut triangles[slots[side as usize / 3] as usize];
                let is_reversed = facets.corner(side) != ends[0];
                triangle.sides[side as usize % 3] = 2 * edge + u32::from(is_reversed);
            }
        }
        let edges = edges.ends().to_vec();
        let neighbors = neighbors(count, &edges);
        let fans = fans(count, &triangles);
        let mut fan_areas = vec![FanArea::default(); count];
        for triangle in &triangles {
            let [a, b, c] = triangle.corners.map(|id| surface.vertices()[id as usize]);
            fan_areas[triangle.corners[0] as usize].add(b - a, c - a);
        }
        Self {
            stamp: Stamp::new(),
            surface,
            tree,
            triangles,
            slots,
            edges,
            neighbors,
            fans,
            fan_areas,
            shells,
        }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
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

/// Returns the triangles whose first corner is each vertex.
fn fans(vertex_count: usize, triangles: &[Triangle]) -> Rows<u32> {
    let real = (0..)
        .zip(triangles)
        .filter(|(_, triangle)| !triangle.is_folded());
    let pairs = real.map(|(slot, triangle)| (triangle.corners[0], slot));
    Rows::from_pairs(vertex_count, &pairs.collect::<Vec<_>>())
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
            });
        }
        triangle.shell = *number;
        let shell = &mut shells[*number as usize];
        let origin = vertices[shell.vertex as usize];
        shell.volume += six_volumes(origin, triangle.corners.map(|id| vertices[id as usize])) / 6.0;
    }
    shells
}
