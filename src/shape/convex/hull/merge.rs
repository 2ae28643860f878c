//! Merges triangles of a hull that are coplanar to within rounding.

use super::{Hull, NONE};
use crate::math::cross_of_differences;
use crate::shape::{ConvexPolyhedron, SurfaceMesh};

impl Hull<'_> {
    /// Returns the hull with merged faces, `None` if no polyhedron is left.
    ///
    /// Triangles are merged if all their corners are within `tolerance` of the plane of the largest
    /// of them. Without a tolerance no triangles are merged.
    pub(super) fn merged(&self, tolerance: Option<f64>) -> Option<ConvexPolyhedron> {
        let group_of = match tolerance {
            Some(tolerance) => self.coplanar_groups(tolerance),
            None => (0..self.faces.len() as u32).collect(),
        };
        let alive = || (0_u32..).zip(&self.faces).filter(|(_, face)| face.is_alive);

        // A corner of the hull has at least three faces. Other vertices are inside an edge or a face.
        let mut corners: Vec<_> = alive()
            .flat_map(|(f, face)| face.vertices.map(|v| (v, group_of[f as usize])))
            .collect();
        corners.sort_unstable();
        corners.dedup();
        let corners = corners.chunk_by(|x, y| x.0 == y.0);
        let corners = corners.filter(|groups| groups.len() >= 3);
        let mut kept: Vec<u32> = corners.map(|groups| groups[0].0).collect();
        kept.sort_unstable_by_key(|&vertex| self.given[vertex as usize]);
        let mut new_id = vec![NONE; self.points.len()];
        for (id, &vertex) in (0..).zip(&kept) {
            new_id[vertex as usize] = id;
        }

        // The boundary of each group, sorted by the lowest vertex of the group: spatially.
        let mut lowest = vec![NONE; self.faces.len()];
        for (id, face) in alive() {
            let lowest = &mut lowest[group_of[id as usize] as usize];
            *lowest = face.vertices.into_iter().fold(*lowest, u32::min);
        }
        let mut boundary = Vec::new();
        for (id, face) in alive() {
            let group = group_of[id as usize];
            for side in 0..3 {
                if group_of[face.neighbors[side] as usize] != group {
                    let ends = [side, (side + 1) % 3].map(|i| face.vertices[i]);
                    boundary.push(([lowest[group as usize], group], ends));
                }
            }
        }
        boundary.sort_unstable();
        let (mut polygon, mut polygons) = (Vec::new(), Vec::new());
        for edges in boundary.chunk_by(|x, y| x.0 == y.0) {
            let first = polygon.len();
            let mut vertex = edges[0].1[0];
            for _ in edges {
                polygon.extend(Some(new_id[vertex as usize]).filter(|&id| id != NONE));
                let edge = edges.binary_search_by_key(&vertex, |edge| edge.1[0]).ok()?;
                vertex = edges[edge].1[1];
            }
            polygons.push(first..polygon.len());
        }
        let vertices = kept.iter().map(|&v| self.at(v)).collect();
        let polygons = polygons.into_iter().map(|corners| &polygon[corners]);
        let surface = SurfaceMesh::new(vertices, polygons).ok()?;
        match tolerance {
            Some(_) => ConvexPolyhedron::checked(surface, Some((self, &kept))).ok(),
            // Convex by exact signs.
            None => ConvexPolyhedron::of_convex(surface).ok(),
        }
    }

    /// Returns, for each live face, the face into whose plane it is merged. Large faces come first.
    fn coplanar_groups(&self, tolerance: f64) -> Vec<u32> {
        let cross = |face: u32| {
            let [a, b, c] = self.face(face).vertices.map(|v| self.at(v));
            cross_of_differences([a, b], [a, c])
        };
        let mut seeds: Vec<_> = (0..self.faces.len() as u32)
            .filter(|&f| self.face(f).is_alive)
            .map(|f| (cross(f).length_squared(), f))
            .collect();
        seeds.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut group_of = vec![NONE; self.faces.len()];
        for (length_squared, seed) in seeds {
            if group_of[seed as usize] != NONE {
                continue;
            }
            let origin = self.at(self.face(seed).vertices[0]);
            let normal = cross(seed) / length_squared.sqrt();
            let is_in_plane = |vertex: u32| {
                let position = self.at(vertex);
                normal.dot(position - origin).abs() <= tolerance
                    || self.height(seed, position) == 0.0
            };
            group_of[seed as usize] = seed;
            let mut members = vec![seed];
            while let Some(face) = members.pop() {
                for next in self.face(face).neighbors {
                    if group_of[next as usize] == NONE
                        && self.face(next).vertices.into_iter().all(is_in_plane)
                    {
                        group_of[next as usize] = seed;
                        members.push(next);
                    }
                }
            }
        }
        group_of
    }
}
