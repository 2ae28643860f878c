//! The weights of vertices at a point.

use glam::DVec3;

use super::surface_mesh::SurfaceMesh;
use crate::math::tolerance::{FACET_SHAPE, two_to};
use crate::math::{Vector, closest_on_segment};

/// Sine of the angle at a point on an edge of a facet: four roundings of differences, 8 u.
const ON_FACET_EDGE: f64 = two_to(-50);

/// A point closer to a corner, relative to the facet's size, has no direction to it: 64 u.
const AT_FACET_CORNER: f64 = two_to(-47);

impl SurfaceMesh {
    /// Visits the corners of a facet with their weights at a point of the facet, in the coordinates of the mesh.
    ///
    /// Other points are projected onto the plane of the facet, and from outside onto its boundary. The
    /// weights add up to 1, and the weighted mean of the corners is the point. They are continuous, and
    /// linear along a side. They are not negative, except at corners where the facet is slightly
    /// nonconvex.
    ///
    /// These are mean value coordinates (M. S. Floater, Computer Aided Geometric Design 20 (2003) 19-27), which are
    /// barycentric for triangles. Eqs. (28) and (32) of Santasusana et al. (2016) reproduce the point in parallelograms
    /// only, and are singular at collinear corners.
    pub fn for_each_nodal_weight(&self, facet: u32, point: DVec3, mut visit: impl FnMut(u32, f64)) {
        if facet >= self.facet_count() {
            return;
        }
        let ids = self.topology().0.get(facet as usize);
        let normal = self.normals()[facet as usize];
        let count = ids.len();
        let corner = |i: usize| self.vertices()[ids[i % count] as usize];
        let above = normal.dot(point - corner(0));
        let to = |i: usize| {
            let v = corner(i) - point;
            v + normal * above
        };
        // The tangent of half the angle at which side i is seen: sin / (1 + cos) = (1 - cos) / sin.
        let half_tangent = |i: usize| {
            let (a, b) = (to(i), to(i + 1));
            let (sine, cosine) = (normal.dot(a.cross(b)), a.dot(b));
            let lengths = a.length() * b.length();
            let is_on_side = sine <= ON_FACET_EDGE * lengths && cosine <= 0.0;
            let tangent = if cosine > 0.0 {
                sine / (lengths + cosine)
            } else {
                (lengths - cosine) / sine
            };
            let is_outside = sine < -4.0 * FACET_SHAPE * lengths;
            (!is_on_side && !is_outside && tangent.is_finite()).then_some(tangent)
        };
        let size = (0..count).fold(0.0, |size: f64, i| size.max(to(i).length()));
        let weight = |i: usize| {
            let [before, after] = [half_tangent(i + count - 1), half_tangent(i)];
            let distance = to(i).length();
            (distance > AT_FACET_CORNER * size).then_some((before? + after?) / distance)
        };
        let mut least = f64::INFINITY;
        let weights = (0..count).map(|i| weight(i).inspect(|&weight| least = least.min(weight)));
        let sum: Option<f64> = weights.sum();
        // Beyond the tip of a needle no side is seen from behind at a clear angle, but weights are negative.
        let lowest = if count == 3 { 0.0 } else { -4.0 * FACET_SHAPE };
        match sum {
            Some(sum) if normal != DVec3::ZERO && sum > 0.0 && least >= lowest * sum => {
                for (i, &id) in ids.iter().enumerate() {
                    visit(id, weight(i).unwrap_or_default() / sum);
                }
            }
            _ => self.weights_on_edge(ids, point, visit),
        }
    }

    /// Visits the corners with weights that are linear along the closest side, 0 elsewhere.
    fn weights_on_edge(&self, ids: &[u32], point: DVec3, mut visit: impl FnMut(u32, f64)) {
        let corner = |i: usize| self.vertices()[ids[i % ids.len()] as usize];
        let distance =
            |i: usize| closest_on_segment(point, corner(i), corner(i + 1)).distance_squared;
        let closest = (0..ids.len()).min_by(|&i, &j| distance(i).total_cmp(&distance(j)));
        let closest = closest.unwrap_or(0);
        let part = part_of_segment(point, corner(closest), corner(closest + 1));
        for (i, &id) in ids.iter().enumerate() {
            let weight = if i == closest {
                1.0 - part
            } else if i == (closest + 1) % ids.len() {
                part
            } else {
                0.0
            };
            visit(id, weight);
        }
    }
}

/// Returns how far along a segment from `a` to `b` the closest point is, from 0 to 1.
pub(super) fn part_of_segment<V: Vector>(point: V, a: V, b: V) -> f64 {
    let length_squared = (a - b).length_squared();
    if length_squared > 0.0 {
        ((point - a).dot(b - a) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(mesh: &SurfaceMesh, point: DVec3) -> Vec<f64> {
        let mut weights = Vec::new();
        mesh.for_each_nodal_weight(0, point, |_, w| weights.push(w));
        weights
    }

    /// A trapezoid and a pentagon: weights reproduce any point, are linear along sides, and 1 at
    /// corners.
    #[test]
    fn weights_reproduce_the_point() {
        let trapezoid = vec![(0.0, 0.0), (4.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let pentagon = vec![(0.0, 0.0), (2.0, 0.0), (3.0, 1.0), (1.0, 2.0), (-1.0, 1.0)];
        let mut random = crate::testing::workload::SplitMix64::new(2);
        for corners in [trapezoid, pentagon] {
            let corners: Vec<_> = corners
                .iter()
                .map(|&(x, y)| DVec3::new(x, y, 0.5 * x))
                .collect();
            let count = corners.len();
            let ids: Vec<u32> = (0..count as u32).collect();
            let mesh = SurfaceMesh::new(corners.clone(), [ids]).unwrap();
            let check = |point: DVec3| {
                let weights = weights(&mesh, point);
                let mean: DVec3 = weights.iter().zip(&corners).map(|(&w, &c)| c * w).sum();
                assert!(
                    weights.iter().all(|&w| (0.0..=1.0).contains(&w)),
                    "{weights:?}"
                );
                assert!(mean.distance(point) < 1e-14, "{point} {mean} {weights:?}");
                weights
            };
            for _ in 0..1000 {
                let shares: Vec<f64> = (0..count).map(|_| random.unit().powi(9)).collect();
                let total: f64 = shares.iter().sum();
                check(
                    shares
                        .iter()
                        .zip(&corners)
                        .map(|(&w, &c)| c * (w / total))
                        .sum(),
                );
            }
            for i in 0..count {
                let next = (i + 1) % count;
                assert!((check(corners[i])[i] - 1.0).abs() < 1e-15);
                let weights = check(corners[i] * 0.25 + corners[next] * 0.75);
                assert!((weights[i] - 0.25).abs() < 1e-15 && (weights[next] - 0.75).abs() < 1e-15);
            }
        }
    }

    /// Corners inside straight sides, one of them bent by rounding. Weights reproduce the point to
    /// rounding. Up to the sides and along them, they change by as little as the point does.
    #[test]
    fn weights_of_collinear_corners() {
        let straight = vec![
            (0.0, 0.0),
            (0.3, 0.0),
            (1.0, 0.0),
            (1.0, 1.0),
            (0.4, 1.0),
            (0.0, 1.0),
        ];
        let mut bent = straight.clone();
        bent[1].1 = 1e-9;
        bent[4].1 = 1.0 + 1e-12;
        let mut random = crate::testing::workload::SplitMix64::new(5);
        for corners in [straight, bent] {
            let corners: Vec<_> = (corners.iter())
                .map(|&(x, y)| DVec3::new(x, y, 0.5 * x - 0.25 * y))
                .collect();
            let count = corners.len();
            let ids: Vec<u32> = (0..count as u32).collect();
            let mesh = SurfaceMesh::new(corners.clone(), [ids]).unwrap();
            for case in 0..2000 {
                let side = random.below(count);
                let (a, b) = (corners[side], corners[(side + 1) % count]);
                let middle = corners.iter().copied().sum::<DVec3>() / count as f64;
                let on_side = a + (b - a) * random.unit();
                let inward = [0.0, 1e-17, 1e-16, 1e-13, 1e-9, 1e-4][case % 6];
                let point = on_side + (middle - on_side) * inward;
                let found = weights(&mesh, point);
                let mean: DVec3 = found.iter().zip(&corners).map(|(&w, &c)| c * w).sum();
                assert!(
                    found.iter().all(|&w| (-1e-8..=1.0).contains(&w)),
                    "{found:?}"
                );
                assert!(mean.distance(point) < 1e-14, "{point} {mean} {found:?}");
                let near = weights(&mesh, point + (middle - point) * 1e-9);
                let change = found.iter().zip(&near).map(|(a, b)| (a - b).abs());
                assert!(change.fold(0.0, f64::max) < 1e-7, "{found:?} {near:?}");
            }
        }
    }

    /// Triangles and squares in any pose, at their corners and some roundings beside them.
    #[test]
    fn weights_at_corners() {
        let mut random = crate::testing::workload::SplitMix64::new(6);
        for case in 0..20_000 {
            let q = random.rotation();
            let at = |(x, y): (f64, f64)| q * DVec3::new(x, y, 0.5);
            let stretch = 10.0_f64.powf(random.range(-3.0, 0.0));
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, stretch), (0.0, stretch)].map(at);
            let corners = &corners[..3 + case % 2];
            let ids: Vec<u32> = (0..corners.len() as u32).collect();
            let mesh = SurfaceMesh::new(corners.to_vec(), [ids]).unwrap();
            let off = [0.0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-12][case % 6];
            let aside = DVec3::from_array([0; 3].map(|_| random.range(-off, off)));
            let point = corners[random.below(corners.len())] + aside;
            let found = weights(&mesh, point);
            let mean: DVec3 = found.iter().zip(corners).map(|(&w, &c)| c * w).sum();
            assert!(
                mean.distance(point) < 2.0 * off + 1e-14,
                "{point} {mean} {found:?}"
            );
        }
    }
}
