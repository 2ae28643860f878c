//! Support points of a hull in the directions of the faces of a surface around the same points.

use glam::DVec3;

use super::Hull;
use crate::math::tolerance::EDGE_RISE;
use crate::shape::SurfaceMesh;
use crate::shape::rows::Rows;

impl Hull<'_> {
    /// Returns the facets of a surface with a point of the hull in front of them by more than `slack`.
    ///
    /// `points` has the point of each vertex of the surface. The hull is convex by exact signs, so a walk uphill along
    /// its edges ends at a support point even if the surface is not convex. A walk starts at a corner of the facet. On
    /// a surface that is almost convex, this corner is close to the support point.
    pub(in crate::shape::convex) fn facets_behind(
        &self,
        surface: &SurfaceMesh,
        points: &[u32],
        slack: impl Fn(usize) -> f64,
    ) -> Vec<usize> {
        let neighbors = self.neighbors();
        let degree = |point: u32| neighbors[point].len();
        let mut last = self.first_face[0];
        if degree(last) == 0 {
            let is_vertex = |&point: &u32| degree(point) > 0;
            last = (0..self.points.len() as u32).find(is_vertex).unwrap_or(0);
        }
        let mut behind = Vec::new();
        for (facet, normal) in surface.normals().iter().enumerate() {
            let ids = surface.topology().0.get(facet);
            let corners = ids.iter().map(|&id| points[id as usize]);
            // Points inside the hull or one of its faces have no edges. Of the others, one with few edges is fast.
            let on_hull = corners.filter(|&point| degree(point) > 0);
            let start = on_hull.min_by_key(|&point| degree(point)).unwrap_or(last);
            last = self.walk(&neighbors, *normal, start);
            let origin = surface.vertices()[ids[0] as usize];
            if normal.dot(self.at(last) - origin) > slack(facet) {
                behind.push(facet);
            }
        }
        behind
    }

    /// Returns the points at the other ends of the edges at each point.
    fn neighbors(&self) -> Rows<u32> {
        let alive = self.faces.iter().filter(|face| face.is_alive);
        let sides = alive.flat_map(|face| {
            let [a, b, c] = face.vertices;
            [(a, b), (b, c), (c, a)]
        });
        Rows::from_pairs(self.points.len(), &sides.collect::<Vec<_>>())
    }

    /// Returns a support point.
    fn walk(&self, neighbors: &Rows<u32>, direction: DVec3, from: u32) -> u32 {
        // Steps within the rounding of their edge could lead in circles.
        let rounding = EDGE_RISE * direction.abs().element_sum();
        let mut point = from;
        for _ in 0..self.points.len() {
            let (mut next, mut most) = (point, 0.0);
            for &neighbor in &neighbors[point] {
                let along = self.at(neighbor) - self.at(point);
                let rise = direction.dot(along);
                if rise > most && rise > rounding * along.abs().element_sum() {
                    (next, most) = (neighbor, rise);
                }
            }
            if next == point {
                break;
            }
            point = next;
        }
        point
    }
}
