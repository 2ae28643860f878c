//! Reference results by integer arithmetic or exhaustive search.
//!
//! Functions for spheres and meshes take lattice points, whose coordinates are integers in a unit that the
//! caller chooses. They decide by signs of integers, and round only the final magnitude. Functions for convex
//! bodies search all features.
//!
//! # Panics
//! Functions panic for coordinates above their stated bound, for which integers overflow, and for ids out of
//! range.

mod convex;
mod intersection_volume;

use std::collections::BTreeMap;

use glam::DVec3;

use crate::broad::Pair;
use crate::shape::Feature;

pub use convex::{
    distance_to_polyhedron, gap_of_polygons, gap_of_polygons_along, gap_of_polyhedra,
    gap_of_polyhedra_along,
};
pub use intersection_volume::{intersection_of_cubes, intersection_volume};

/// A point with integer coordinates.
pub type LatticePoint = [i64; 3];

/// Returns all pairs of touching spheres in ascending order.
///
/// Two spheres touch if their distance is at most the sum of their radii. Set z to 0 in 2D. O(n^2).
/// Exact if differences of coordinates and sums of radii are below 2^62.
pub fn touching_pairs(spheres: &[(LatticePoint, i64)]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (j, (b, radius_b)) in spheres.iter().enumerate() {
        for (i, (a, radius_a)) in spheres[..j].iter().enumerate() {
            let ab = minus(*b, *a);
            let reach = i128::from(*radius_a) + i128::from(*radius_b);
            if dot(ab, ab) <= reach * reach {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the distance of a point from a triangle, to three roundings.
///
/// The triangle may be a needle, a segment or a point. Decisions are exact if differences of coordinates are
/// below 2^29.
pub fn distance_to_triangle(point: LatticePoint, triangle: [LatticePoint; 3]) -> f64 {
    let corners = triangle.map(|corner| minus(corner, point));
    let [a, b, c] = corners;
    let normal = cross(sub(b, a), sub(c, a));
    let sides = [(a, b), (b, c), (c, a)];
    let is_inside = |&(from, to): &(Wide, Wide)| dot(cross(normal, sub(to, from)), from) < 0;
    if normal != [0; 3] && sides.iter().all(is_inside) {
        return dot(normal, a).unsigned_abs() as f64 / (dot(normal, normal) as f64).sqrt();
    }
    let distances = sides.map(|(from, to)| distance_to_segment(from, to));
    distances.into_iter().fold(f64::INFINITY, f64::min)
}

/// Returns the distance of the origin from a segment.
fn distance_to_segment(a: Wide, b: Wide) -> f64 {
    let ab = sub(b, a);
    if dot(a, ab) >= 0 {
        return (dot(a, a) as f64).sqrt();
    }
    if dot(b, ab) <= 0 {
        return (dot(b, b) as f64).sqrt();
    }
    // |a x b| / |ab|, without cancellation.
    let area = cross(a, b);
    (dot(area, area) as f64 / dot(ab, ab) as f64).sqrt()
}

/// Returns the distance of a point from a set of triangles, infinity for none.
pub fn distance_to_triangles(point: LatticePoint, triangles: &[[LatticePoint; 3]]) -> f64 {
    let distances = triangles.iter().map(|&t| distance_to_triangle(point, t));
    distances.fold(f64::INFINITY, f64::min)
}

/// Returns the local minima of the distance from a point to a mesh of planar convex polygons.
///
/// Returns the features that a sphere around the point can touch, each with its distance, in ascending order of the
/// features. A point of the surface is a minimum if no direction along the surface leads closer. A projection into the
/// interior of a facet is a minimum. So is a projection onto an edge if no adjacent facet leads closer, and a vertex if
/// no edge there leads closer. A projection exactly on an edge or vertex belongs to that edge or vertex.
///
/// Decisions are exact if differences of coordinates are below 2^29. Facets must not be degenerate, must share
/// ids wherever they touch, and their first three corners must not be collinear.
pub fn local_minima<F: AsRef<[u32]>>(
    point: LatticePoint,
    vertices: &[LatticePoint],
    facets: &[F],
) -> Vec<(Feature, f64)> {
    let corner = |id: u32| minus(vertices[id as usize], point);
    let mut minima = Vec::new();
    // The distance of each candidate edge and vertex, and whether the surface leads closer from there.
    let mut rest: BTreeMap<Feature, (f64, bool)> = BTreeMap::new();
    for (facet, ids) in (0..).zip(facets) {
        let ids = ids.as_ref();
        let [a, b, c] = [0, 1, 2].map(|i| corner(ids[i]));
        let normal = cross(sub(b, a), sub(c, a));
        let sides: Vec<_> = (ids.iter().copied())
            .zip(ids.iter().copied().cycle().skip(1))
            .map(|(from, to)| (from, to, corner(from), corner(to)))
            .collect();
        let inward =
            |&(_, _, from, to): &(u32, u32, Wide, Wide)| dot(cross(normal, sub(to, from)), from);
        if sides.iter().all(|side| inward(side) < 0) {
            let height = dot(normal, a).unsigned_abs() as f64;
            let distance = height / (dot(normal, normal) as f64).sqrt();
            minima.push((Feature::Facet(facet), distance));
        }
        for side in &sides {
            let &(id_a, id_b, a, b) = side;
            let ab = sub(b, a);
            if dot(a, ab) < 0 && dot(b, ab) > 0 {
                let projection = (distance_to_segment(a, b), false);
                rest.entry(Feature::edge(id_a, id_b))
                    .or_insert(projection)
                    .1 |= inward(side) < 0;
            }
            for (id, from, along) in [(id_a, a, ab), (id_b, b, sub(a, b))] {
                let end = ((dot(from, from) as f64).sqrt(), false);
                rest.entry(Feature::Vertex(id)).or_insert(end).1 |= dot(from, along) < 0;
            }
        }
    }
    let is_minimum = |(feature, (distance, leads_closer)): (Feature, (f64, bool))| {
        (!leads_closer).then_some((feature, distance))
    };
    minima.extend(rest.into_iter().filter_map(is_minimum));
    minima
}

/// Converts a lattice point to a vector, with `scale` as the unit of length.
pub fn to_vector(point: LatticePoint, scale: f64) -> DVec3 {
    DVec3::from_array(point.map(|coordinate| coordinate as f64 * scale))
}

type Wide = [i128; 3];

fn minus(a: LatticePoint, b: LatticePoint) -> Wide {
    sub(a.map(i128::from), b.map(i128::from))
}

fn sub(a: Wide, b: Wide) -> Wide {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Wide, b: Wide) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Wide, b: Wide) -> Wide {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}
