use super::triangulation::Triangulation;
use crate::shape::surface::triangulate;
use crate::shape::{Aabb, BoxTree, SurfaceMesh, UnionFind, names};

/// The triangles of a wall, open or closed, and the sides at which it ends.
#[derive(Clone, Debug)]
pub(crate) struct WallTriangles {
    triangulation: Triangulation,
    rims: Vec<RimSide>,
    /// The tree of the sides at the rims.
    rim_tree: BoxTree<glam::DVec3>,
    /// For each triangle, a bit for each side at a rim.
    rim_bits: Vec<u8>,
}

/// A side of a triangle whose edge is not shared by exactly two triangles in opposite directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RimSide {
    /// The index of the triangle in the order of the leaves.
    pub(crate) slot: u32,
    /// From 0 to 2.
    pub(crate) side: usize,
}

impl WallTriangles {
    /// Builds the triangles of a mesh, with front and back exchanged if `is_reversed`. O(n log n).
    ///
    /// Vertices at the same position count as one.
    pub(crate) fn new(mesh: &SurfaceMesh, is_reversed: bool) -> Self {
        let names = names(mesh.vertices()).0;
        let mut triangles = Vec::new();
        for facet in mesh.facets() {
            for corners in triangulate(facet.vertices(), mesh.vertices()) {
                let [a, b, c] = corners.map(|id| names[id as usize]);
                if a != b && b != c && c != a {
                    triangles.push(if is_reversed { [a, c, b] } else { [a, b, c] });
                }
            }
        }
        // Parts that share a vertex count as one.
        let mut parts = UnionFind::new(triangles.len());
        let mut first = vec![None; mesh.vertices().len()];
        for (triangle, corners) in (0..).zip(&triangles) {
            for &id in corners {
                parts.join(*first[id as usize].get_or_insert(triangle), triangle);
            }
        }
        let triangulation = Triangulation::new(mesh.with_facets(&triangles), None, parts);
        let rims = rims(&triangulation);
        let mut rim_bits = vec![0; triangles.len()];
        for rim in &rims {
            rim_bits[rim.slot as usize] |= 1 << rim.side;
        }
        let position = |id: u32| mesh.vertices()[id as usize];
        let boxes = rims.iter().map(|rim| {
            let corners = triangulation.triangles()[rim.slot as usize].corners;
            Aabb::enclosing([rim.side, (rim.side + 1) % 3].map(|i| position(corners[i])))
        });
        Self {
            rim_tree: BoxTree::from_good(boxes.collect()),
            triangulation,
            rims,
            rim_bits,
        }
    }

    pub(crate) fn triangulation(&self) -> &Triangulation {
        &self.triangulation
    }

    /// Visits the sides of the rims whose boxes touch a box, in the coordinates of the mesh.
    pub(crate) fn for_each_rim_touching(
        &self,
        query: &Aabb<glam::DVec3>,
        mut visit: impl FnMut(RimSide),
    ) {
        (self.rim_tree).for_each_touching(query, |i| visit(self.rims[i as usize]));
    }

    pub(crate) fn is_rim(&self, slot: u32, side: usize) -> bool {
        self.rim_bits[slot as usize] >> side & 1 == 1
    }
}

fn rims(triangulation: &Triangulation) -> Vec<RimSide> {
    let (facets, edges) = triangulation.surface().topology();
    let mut rims = Vec::new();
    for (_, sides) in edges.iter() {
        let is_inside = |sides: &[u32; 2]| facets.corner(sides[0]) != facets.corner(sides[1]);
        if <[u32; 2]>::try_from(sides).is_ok_and(|sides| is_inside(&sides)) {
            continue;
        }
        rims.extend(sides.iter().map(|&side| RimSide {
            slot: triangulation.slot(side / 3),
            side: side as usize % 3,
        }));
    }
    rims
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of two triangles, with a third that is folded onto its diagonal.
    #[test]
    fn rims_of_a_square() {
        use glam::DVec3;
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 1.0)];
        let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
        for folded in [[2, 4, 0], [0, 2, 4], [4, 0, 2]] {
            let mesh = SurfaceMesh::new(corners.clone(), [[0, 1, 2], [0, 2, 3], folded]).unwrap();
            let wall = WallTriangles::new(&mesh, false);
            let triangles = wall.triangulation().triangles();
            assert_eq!(triangles.len(), 2);
            for (slot, triangle) in (0..).zip(triangles) {
                for side in 0..3 {
                    let mut ends = [side, (side + 1) % 3].map(|i| triangle.corners[i]);
                    ends.sort_unstable();
                    assert_eq!(wall.is_rim(slot, side), ends != [0, 2]);
                }
            }
        }
    }
}
