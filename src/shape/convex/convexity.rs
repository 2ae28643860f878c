//! Whether a closed surface is convex.
//!
//! A surface is convex if all edges are convex, all facets face away from a point inside, and the
//! surface winds once around this point. Convex edges alone are not enough: the great icosahedron has
//! them. The surface winds once if the ray to the middle of one facet meets no other facet. The
//! largest facet is used, for which rounding matters least.
//!
//! Edges that are convex by exact signs are enough then. Other edges may be concave by a slack each, and add up
//! across many facets. So unless all signs are good, each facet is compared with the support point of the hull.

use glam::DVec3;

use super::ConvexPolyhedron;
use super::hull::{Hull, farthest, sorted_in_space};
use crate::error::{Cause, Error, Result};
use crate::math::orient3d;
use crate::math::tolerance::{FACET_SHAPE, HULL_FACE};
use crate::shape::{Bounded, Sphere, SurfaceMesh};

/// Up to this number of products, comparing all facets and vertices is faster than a hull.
const FEW: usize = 1 << 14;

/// Checks that a body with a closed surface is convex. The hull of its vertices, and the point of each vertex there, are
/// built unless they are known.
pub(super) fn check_convex(body: &ConvexPolyhedron, hull: Option<(&Hull, &[u32])>) -> Result<()> {
    let surface = body.surface();
    let spheres = surface.facets().map(|facet| facet.bounding_sphere());
    let check = Check {
        surface,
        spheres: spheres.collect(),
    };
    let mut suspects = check.suspects(body.centroid()).into_iter();
    suspects.try_for_each(|facet| check.facet(facet, check.slack(facet)))?;
    if has_convex_edges(surface) {
        return Ok(());
    }
    let vertices = surface.vertices();
    let largest = |largest: f64, v: &DVec3| largest.max(v.abs().max_element());
    let rounding = HULL_FACE * vertices.iter().fold(0.0, largest);
    let size = 2.0 * surface.bounding_sphere().radius;
    // A rounding of the corners of a facet tilts its plane by as much over its width.
    let slack = |facet: usize| {
        let area = 0.5 * body.half_edges().planes[facet].length;
        check.slack(facet) + rounding * (size / (area / check.spheres[facet].radius))
    };
    let facets = 0..surface.topology().0.count();
    let behind = match hull {
        _ if facets.len() * vertices.len() <= FEW => facets.collect(),
        Some((hull, points)) => hull.facets_behind(surface, points, slack),
        None => {
            let (sorted, order) = sorted_in_space(vertices);
            let mut points = vec![0; vertices.len()];
            for (point, &id) in (0..).zip(&order) {
                points[id as usize] = point;
            }
            match Hull::new(&sorted, &order, 0.0) {
                Ok(hull) => hull.facets_behind(surface, &points, slack),
                // Coordinates so small that products of signs underflow.
                Err(_) => facets.collect(),
            }
        }
    };
    let mut behind = behind.into_iter();
    behind.try_for_each(|facet| check.facet(facet, slack(facet)))
}

struct Check<'a> {
    surface: &'a SurfaceMesh,
    /// Of the facets.
    spheres: Vec<Sphere>,
}

impl Check<'_> {
    /// Returns how far a vertex may be in front of a facet.
    fn slack(&self, facet: usize) -> f64 {
        FACET_SHAPE * self.spheres[facet].radius
    }

    fn position(&self, id: u32) -> DVec3 {
        self.surface.vertices()[id as usize]
    }

    fn height(&self, facet: usize, point: DVec3) -> f64 {
        let origin = self.position(self.surface.topology().0.get(facet)[0]);
        self.surface.normals()[facet].dot(point - origin)
    }

    /// Checks that no vertex is in front of a facet by more than a slack. O(n).
    fn facet(&self, facet: usize, slack: f64) -> Result<()> {
        let (vertex, distance) = farthest(self.surface.vertices(), |v| self.height(facet, v));
        if distance > slack {
            return Err(Error(Cause::NotConvex {
                facet,
                vertex: vertex as usize,
                distance,
            }));
        }
        Ok(())
    }

    /// Returns the facets beside concave edges, those that face inwards, and those that the surface has beyond the
    /// largest one.
    fn suspects(&self, inside: DVec3) -> Vec<usize> {
        let (facets, edges) = self.surface.topology();
        let middle = |facet: usize| {
            let (origin, ids) = (self.spheres[facet].center, facets.get(facet));
            let arms = ids.iter().map(|&id| self.position(id) - origin);
            origin + arms.sum::<DVec3>() / ids.len() as f64
        };
        let middles: Vec<_> = (0..facets.count()).map(middle).collect();
        let concave = edges.iter().flat_map(|(_, sides)| {
            let [f, g] = [sides[0], sides[1]].map(|side| facets.facet_of(side) as usize);
            [(f, g), (g, f)]
        });
        let is_concave = |&(f, g): &(usize, usize)| self.height(f, middles[g]) > self.slack(f);
        let concave = concave.filter(is_concave).map(|(f, _)| f);
        let all = 0..facets.count();
        let facing_inwards = all.clone().filter(|&f| self.height(f, inside) > 0.0);
        let by_size = |f: &usize, g: &usize| self.slack(*f).total_cmp(&self.slack(*g));
        let largest = all.clone().max_by(by_size);
        let around_again = all.filter(|&f| {
            let ids = facets.get(f);
            Some(f) != largest
                && (0..ids.len()).all(|i| {
                    let [a, b] = [ids[i], ids[(i + 1) % ids.len()]].map(|id| self.position(id));
                    largest.is_some_and(|f| orient3d(inside, a, b, middles[f]) >= 0.0)
                })
        });
        concave.chain(facing_inwards).chain(around_again).collect()
    }
}

/// Returns whether a closed surface consists of triangles and all its edges are convex, by exact signs.
fn has_convex_edges(surface: &SurfaceMesh) -> bool {
    let (facets, edges) = surface.topology();
    let corner = |side: u32| surface.vertices()[facets.corner(side) as usize];
    // Three sides in a row belong to each triangle.
    let corners = |side: u32| [0, 1, 2].map(|i| corner(side - side % 3 + i));
    facets.side_count() == 3 * facets.count()
        && edges.iter().all(|(_, sides)| {
            let [a, b, c] = corners(sides[0]);
            let opposite = corners(sides[1])[(sides[1] as usize + 2) % 3];
            orient3d(a, b, c, opposite) <= 0.0
        })
}
