//! Support points of a hull in the directions of the faces of a surface around the same points.

use super::Hull;
use crate::shape::SurfaceMesh;
use crate::shape::convex::boundary::{Spoke, climb};
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
        let spokes = self.spokes();
        let degree = |point: u32| spokes[point].len();
        let mut all = 0..self.points.len() as u32;
        let mut last = all.find(|&point| degree(point) > 0).unwrap_or(0);
        let mut behind = Vec::new();
        for (facet, normal) in surface.normals().iter().enumerate() {
            let ids = surface.topology().0.get(facet);
            let corners = ids.iter().map(|&id| points[id as usize]);
            // Points inside the hull or one of its faces have no edges. Of the others, one with few edges is fast.
            let on_hull = corners.filter(|&point| degree(point) > 0);
            let start = on_hull.min_by_key(|&point| degree(point)).unwrap_or(last);
            last = climb(&spokes, self.points.len(), *normal, start);
            let origin = surface.vertices()[ids[0] as usize];
            if normal.dot(self.at(last) - origin) > slack(facet) {
                behind.push(facet);
            }
        }
        behind
    }

    /// Returns the edges at each point, without numbers.
    fn spokes(&self) -> Rows<Spoke> {
        let alive = self.faces.iter().filter(|face| face.is_alive);
        let sides = alive.flat_map(|face| {
            let [a, b, c] = face.vertices;
            [(a, b), (b, c), (c, a)]
        });
        let spoke = |(a, b): (u32, u32)| (a, Spoke::new(self.at(b) - self.at(a), b, 0));
        Rows::from_pairs(self.points.len(), &sides.map(spoke).collect::<Vec<_>>())
    }
}
