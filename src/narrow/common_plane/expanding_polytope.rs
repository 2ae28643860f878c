//! The facet of the Minkowski difference nearest to the origin, for overlapping bodies.
//!
//! G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", Game Developers
//! Conference 2001. A polytope inside the Minkowski difference D is expanded at its nearest facet, to the support point
//! along the facet's normal. The distance of that facet is a lower bound of the penetration depth; the support function
//! of D along its normal is an upper bound. The search ends where both agree.

use glam::DVec3;

use super::difference_polytope::DifferencePolytope;
use super::feature_pair::Plane;
use super::support::SupportMap;
use crate::math::cross_of_differences;
use crate::math::tolerance::{EDGE_SINE_SQUARED, GAP_BOUNDS, TIED_GAP};
use crate::narrow::gjk::Difference;

/// A convex polytope around the origin, with buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpandingPolytope {
    points: Vec<Difference>,
    facets: Vec<PolytopeFacet>,
    /// The edges of the hole that the last apex has made.
    rim: Vec<[u32; 2]>,
    /// For each point, the last apex on whose rim it was.
    apexes: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct PolytopeFacet {
    corners: [u32; 3],
    normal: DVec3,
    distance: f64,
    /// Whether no point of the difference is beyond it.
    is_final: bool,
}

/// The facet nearest to the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFacet {
    pub(super) corners: [Difference; 3],
    /// The outward unit normal.
    pub(super) normal: DVec3,
    /// The lower bound of the depth.
    pub(super) distance: f64,
}

impl ExpandingPolytope {
    /// Returns the nearest facet, found from a tetrahedron around the origin. `None` if rounding
    /// prevents it.
    pub(super) fn nearest_facet(
        &mut self,
        frame: &SupportMap,
        tetrahedron: [Difference; 4],
    ) -> Option<NearestFacet> {
        const CAP: usize = 256;
        self.start(tetrahedron)?;
        for _ in 0..CAP {
            let nearest = self.lowest(|_| true)?;
            if self.expand(frame, nearest)? {
                let PolytopeFacet {
                    corners,
                    normal,
                    distance,
                    ..
                } = self.facets[nearest];
                return (distance >= -frame.size * TIED_GAP).then(|| NearestFacet {
                    corners: corners.map(|i| self.points[i as usize]),
                    normal,
                    distance,
                });
            }
        }
        None
    }

    fn start(&mut self, tetrahedron: [Difference; 4]) -> Option<()> {
        self.points.clear();
        self.points.extend(tetrahedron);
        self.apexes.clear();
        self.apexes.extend([0; 4]);
        self.facets.clear();
        let [a, b, c, d] = tetrahedron.map(|point| point.x);
        let is_left = (b - a).cross(c - a).dot(d - a) > 0.0;
        let faces = if is_left {
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        } else {
            [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]
        };
        faces.into_iter().try_for_each(|corners| self.push(corners))
    }

    /// Returns a lower bound of the depth of all planes except one. A few expansions outside this plane raise the bound
    /// above `from`, and up to `to` if possible.
    pub(super) fn depth_elsewhere(
        &mut self,
        frame: &SupportMap,
        plane: &Plane,
        [from, to]: [f64; 2],
    ) -> f64 {
        const EXPANSIONS: usize = 12;
        let mut bound = 0.0;
        for _ in 0..EXPANSIONS {
            let is_elsewhere = |facet: &PolytopeFacet| {
                let mut corners = facet.corners.iter();
                corners.any(|&i| !plane.has(self.points[i as usize].x))
            };
            let Some(lowest) = self.lowest(is_elsewhere) else {
                return to;
            };
            bound = self.facets[lowest].distance;
            let is_full = self.facets.len() >= DifferencePolytope::FACETS;
            if bound >= to || is_full && bound > from {
                break;
            }
            match self.expand(frame, lowest) {
                Some(false) => {}
                Some(true) => break,
                None => {
                    // Rounding has torn the surface.
                    self.facets.clear();
                    break;
                }
            }
        }
        bound
    }

    /// Packs the polytope into its corners, `None` if it is too large.
    pub(super) fn pack(&self) -> Option<DifferencePolytope> {
        DifferencePolytope::new(&self.points, self.facets.iter().map(|facet| facet.corners))
    }

    fn lowest(&self, is_wanted: impl Fn(&PolytopeFacet) -> bool) -> Option<usize> {
        let (mut lowest, mut distance) = (None, f64::INFINITY);
        for (i, facet) in self.facets.iter().enumerate() {
            if facet.distance < distance && is_wanted(facet) {
                (lowest, distance) = (Some(i), facet.distance);
            }
        }
        lowest
    }

    /// Expands the polytope beyond a facet; returns `true` if no point of the difference is beyond it,
    /// and `None` if rounding has torn the surface.
    fn expand(&mut self, frame: &SupportMap, facet: usize) -> Option<bool> {
        let PolytopeFacet {
            corners,
            normal,
            distance,
            is_final,
        } = self.facets[facet];
        if is_final {
            return Some(true);
        }
        let apex = frame.farthest_of_all(normal, &self.points[corners[0] as usize]);
        let slack = frame.size * GAP_BOUNDS;
        if normal.dot(apex.x) - distance <= slack {
            self.facets[facet].is_final = true;
            return Some(true);
        }
        self.remove_visible(apex.x);
        let top = self.points.len() as u32;
        self.points.push(apex);
        self.apexes.push(top);
        // The rim must be one loop: no point starts two of its edges.
        for [from, _] in &self.rim {
            if std::mem::replace(&mut self.apexes[*from as usize], top) == top {
                return None;
            }
        }
        if self.rim.len() < 3 {
            return None;
        }
        for i in 0..self.rim.len() {
            let [from, to] = self.rim[i];
            self.push([from, to, top])?;
        }
        Some(false)
    }

    /// Removes the facets that a point sees from outside. Their unshared edges form the rim.
    fn remove_visible(&mut self, apex: DVec3) {
        self.rim.clear();
        let mut i = 0;
        while i < self.facets.len() {
            let facet = &self.facets[i];
            if facet.normal.dot(apex) - facet.distance > 0.0 {
                let [a, b, c] = facet.corners;
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    match self.rim.iter().position(|edge| *edge == [to, from]) {
                        Some(twin) => {
                            self.rim.swap_remove(twin);
                        }
                        None => self.rim.push([from, to]),
                    }
                }
                self.facets.swap_remove(i);
            } else {
                i += 1;
            }
        }
    }

    fn push(&mut self, corners: [u32; 3]) -> Option<()> {
        let [a, b, c] = corners.map(|i| self.points[i as usize].x);
        let (u, v) = (b - a, c - a);
        let mut cross = u.cross(v);
        // An error of the normal along the long sides of a narrow triangle moves its plane.
        let area_squared = u.length_squared() * v.length_squared();
        if cross.length_squared() < EDGE_SINE_SQUARED * area_squared {
            cross = cross_of_differences([a, b], [a, c]);
        }
        let length = cross.length();
        (length > 0.0).then(|| {
            let normal = cross * (1.0 / length);
            self.facets.push(PolytopeFacet {
                corners,
                normal,
                distance: normal.dot(a),
                is_final: false,
            });
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// The distance of a triangle with an angle down to 1e-3 is that of each corner, to rounding. With a plain
    /// cross product it was off by 1000 u, and a depth by more than its error bound.
    #[test]
    fn planes_of_narrow_triangles() {
        let mut random = SplitMix64::new(66);
        for case in 0..1000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
            let short = vector() * 10.0_f64.powi(-(case % 4));
            let (a, b) = (vector(), vector());
            let points = [a, b, b + short].map(|x| Difference { x, p: 0, q: 0 });
            let mut polytope = ExpandingPolytope {
                points: points.to_vec(),
                ..ExpandingPolytope::default()
            };
            polytope.push([0, 1, 2]).unwrap();
            let PolytopeFacet {
                normal, distance, ..
            } = polytope.facets[0];
            let heights = points.map(|point| (normal.dot(point.x) - distance).abs());
            let worst = heights.into_iter().fold(0.0, f64::max);
            assert!(worst < 16.0 * f64::EPSILON, "{worst:e}");
        }
    }
}
