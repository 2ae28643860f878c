//! The facet of the bodies' difference that is nearest to the origin inside it.
//!
//! G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects",
//! Game Developers Conference 2001: a polytope inside the difference is expanded at the facet that
//! is nearest. Its distance is a lower bound of the depth, the extent of the bodies along its
//! normal an upper one; the answer is taken only where they meet.

use glam::DVec3;

use super::difference_polytope::DifferencePolytope;
use super::feature_pair::Plane;
use super::support::SupportMap;
use crate::math::cross_of_edges;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP};
use crate::narrow::gjk::Difference;

/// Scratch of the expansion.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpandingPolytope {
    points: Vec<Difference>,
    facets: Vec<Facet>,
    rim: Vec<[u32; 2]>,
    /// The last apex that each point was on the rim for.
    apexes: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Facet {
    corners: [u32; 3],
    normal: DVec3,
    distance: f64,
    /// Nothing of the difference is beyond it.
    is_final: bool,
}

/// The facet nearest to the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFacet {
    pub(super) corners: [Difference; 3],
    /// Unit, out of the difference.
    pub(super) normal: DVec3,
    /// The lower bound of the depth.
    pub(super) distance: f64,
}

impl ExpandingPolytope {
    /// Expands a tetrahedron around the origin. `None` if rounding stands in the way.
    pub(super) fn nearest_facet(
        &mut self,
        frame: &SupportMap,
        tetrahedron: [Difference; 4],
    ) -> Option<NearestFacet> {
        const CAP: usize = 256;
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
        for corners in faces {
            self.push(corners)?;
        }
        for _ in 0..CAP {
            let nearest = self.lowest(|_| true)?;
            if self.expand(frame, nearest)? {
                let Facet {
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

    /// A lower bound of the depth elsewhere than at a plane that a facet is in; raised above `from`,
    /// and by a few expansions as far as `to`.
    pub(super) fn depth_elsewhere(
        &mut self,
        frame: &SupportMap,
        plane: &Plane,
        [from, to]: [f64; 2],
    ) -> f64 {
        const EXPANSIONS: usize = 12;
        let mut bound = 0.0;
        for _ in 0..EXPANSIONS {
            let is_elsewhere = |facet: &Facet| {
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
                    // Torn.
                    self.facets.clear();
                    break;
                }
            }
        }
        bound
    }

    /// What outlasts a motion of the bodies; `None` if that is too much.
    pub(super) fn surface(&self) -> Option<DifferencePolytope> {
        DifferencePolytope::new(&self.points, self.facets.iter().map(|facet| facet.corners))
    }

    fn lowest(&self, is_wanted: impl Fn(&Facet) -> bool) -> Option<usize> {
        let (mut lowest, mut distance) = (None, f64::INFINITY);
        for (i, facet) in self.facets.iter().enumerate() {
            if facet.distance < distance && is_wanted(facet) {
                (lowest, distance) = (Some(i), facet.distance);
            }
        }
        lowest
    }

    /// Expands beyond a facet; `true` if there is nothing beyond it.
    fn expand(&mut self, frame: &SupportMap, facet: usize) -> Option<bool> {
        let Facet {
            corners,
            normal,
            distance,
            is_final,
        } = self.facets[facet];
        if is_final {
            return Some(true);
        }
        let apex = frame.farthest(normal, &self.points[corners[0] as usize]);
        let slack = frame.size * GAP_BOUNDS;
        if normal.dot(apex.x) - distance <= slack {
            self.facets[facet].is_final = true;
            return Some(true);
        }
        self.rim.clear();
        let mut i = 0;
        while i < self.facets.len() {
            let facet = &self.facets[i];
            if facet.normal.dot(apex.x) - facet.distance > 0.0 {
                let [a, b, c] = facet.corners;
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    match self.rim.iter().position(|side| *side == [to, from]) {
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
        let top = self.points.len() as u32;
        self.points.push(apex);
        self.apexes.push(top);
        // One loop: no point starts two sides. Otherwise rounding has torn the surface.
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

    fn push(&mut self, corners: [u32; 3]) -> Option<()> {
        let [a, b, c] = corners.map(|i| self.points[i as usize].x);
        let cross = cross_of_edges([a, b], [a, c]);
        let length = cross.length();
        (length > 0.0).then(|| {
            let normal = cross * (1.0 / length);
            self.facets.push(Facet {
                corners,
                normal,
                distance: normal.dot(a),
                is_final: false,
            });
        })
    }
}
