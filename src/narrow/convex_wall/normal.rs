//! Normals of contacts at edges and vertices of the wall.
//!
//! A normal is possible at a minimum x if it is a combination of the faces of the body that are largest there,
//! and the facets around x are behind the plane through x: `normal . d >= 0` for each direction d from x to one
//! of their corners. The possible normals are a cone, the same for all triangles of the wall. The sum of its edges is
//! taken. Facets that have no possible normal in common belong to different contacts.

use glam::{DVec2, DVec3};

use super::facet_minimum::Chart;
use super::sheet::touch;
use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::direction;
use crate::math::tolerance::STRICT;

/// The step in which phi is seen to decrease, relative to the size of the body.
const STEP: f64 = 1e-3;
/// Unit vectors this close are the same edge of a cone.
const SAME: f64 = 1e-6;

/// Buffers of the search for normals.
#[derive(Clone, Debug, Default)]
pub(super) struct Normals {
    /// The normals of the faces that are largest at the minimum.
    active: Vec<DVec3>,
    /// Directions from the minimum into the facets.
    directions: Vec<DVec3>,
    longest: Vec<DVec3>,
    /// The edges of the cone of possible normals.
    edges: Vec<DVec3>,
    /// The facets that share the minimum.
    pub(super) group: Vec<usize>,
}

impl ConvexWall {
    /// Returns the normal at the minimum of a facet, from the body into the wall: the common support
    /// direction of the wall and of the body shrunk by the depth. Sets the facets that share it.
    pub(super) fn normal(&mut self, index: usize, scene: &Scene) -> DVec3 {
        let facet = self.facets[index];
        self.normals.group.clear();
        self.normals.group.push(index);
        if !facet.is_on_border || self.is_lowest_of_plane(&facet, scene) {
            return -facet.front();
        }
        let mut normals = std::mem::take(&mut self.normals);
        scene.body.values(facet.point, &mut self.values);
        let least = facet.phi - scene.tolerance;
        let faces = scene.body.faces.iter().zip(&self.values);
        let active = faces.filter(|(_, value)| **value >= least);
        normals.active.clear();
        normals.active.extend(active.map(|(face, _)| face.normal));
        if normals.active.len() > 1 {
            normals.directions.clear();
            self.gather(index, &mut normals, scene);
        }
        let edges = match normals.active.len() {
            1 => &normals.active,
            _ => &normals.edges,
        };
        let sum: DVec3 = edges.iter().sum();
        let normal = match edges[..] {
            [only] => only,
            _ => direction(sum, sum.length()).unwrap_or(-facet.front()),
        };
        self.normals = normals;
        normal
    }

    /// Finds the possible normals of a facet and of those that belong to the same contact.
    fn gather(&mut self, index: usize, normals: &mut Normals, scene: &Scene) {
        let facet = self.facets[index];
        let slack = NEAR * scene.tolerance;
        normals.spread(self.corners_of(&facet), facet.point, slack);
        normals.find(slack);
        let mut next = 0;
        while let Some(&i) = normals.group.get(next) {
            next += 1;
            for j in 0..self.facets.len() {
                let other = &self.facets[j];
                let is_tied = (other.phi - facet.phi).abs() <= scene.tolerance;
                if !is_tied || other.is_passed || normals.group.contains(&j) {
                    continue;
                }
                let other = *other;
                let [a, b] = [i, j].map(|k| self.lowest_of(&self.facets[k]));
                if !touch(a, b, scene) {
                    continue;
                }
                let first = normals.directions.len();
                normals.spread(self.corners_of(&other), facet.point, slack);
                let mut side = DVec3::ZERO;
                if self.is_lowest_of_plane(&other, scene) {
                    // Its normal is that of the plane.
                    side = -other.front();
                    let [a, b, c] = [0, 1, 2].map(|k| self.corners_of(&other)[k]);
                    normals.directions.extend([a - b, b - a, c - b, b - c]);
                }
                normals.find(slack);
                if normals.edges.is_empty() || normals.edges[0].dot(side) < 0.0 {
                    normals.directions.truncate(first);
                    normals.find(slack);
                } else {
                    normals.group.push(j);
                }
            }
        }
        // Facets without a choice stay, for others that have to take their normal.
        for &j in &normals.group {
            self.facets[j].is_passed = true;
        }
    }

    /// Returns whether phi decreases on the plane of a facet, from its minimum against the mean gradient. If the plane
    /// has smaller values, it mostly does.
    fn descends(&mut self, facet: &NearFacet, scene: &Scene) -> bool {
        scene.body.values(facet.point, &mut self.values);
        let faces = scene.body.faces.iter().zip(&self.values);
        let active = faces.filter(|(_, value)| **value >= facet.phi - scene.tolerance);
        let sum: DVec3 = active.map(|(face, _)| face.normal).sum();
        let down = facet.normal * facet.normal.dot(sum) - sum;
        if down.length_squared() < STEP * STEP {
            return false;
        }
        let x = facet.point + down * (STEP * scene.body.circumscribed);
        // The search is off by less.
        scene.body.values(x, &mut self.values) < facet.phi - 4.0 * scene.tolerance
    }

    /// Returns whether phi is nowhere smaller on the plane of a facet.
    fn is_lowest_of_plane(&mut self, facet: &NearFacet, scene: &Scene) -> bool {
        if self.descends(facet, scene) {
            return false;
        }
        let chart = Chart::new(facet.point, facet.normal);
        let far = 4.0 * scene.body.circumscribed;
        let square = [(-far, -far), (far, -far), (far, far), (-far, far)];
        let square = square.map(DVec2::from).into_iter();
        self.minimum.set(chart, square, scene.body.faces.iter());
        let least = facet.phi - scene.tolerance;
        self.minimum.find(DVec2::ZERO, least, scene.tolerance) >= least
    }
}

impl Normals {
    /// Adds the directions from a point to the corners of a facet.
    fn spread(&mut self, corners: &[DVec3], point: DVec3, slack: f64) {
        let directions = corners.iter().map(|x| x - point);
        self.directions
            .extend(directions.filter(|d| d.length() > slack));
    }

    /// Finds the edges of the cone: active normals, combinations of two of them across a direction, and
    /// vectors across two directions.
    fn find(&mut self, slack: f64) {
        self.edges.clear();
        // Long directions first: they have small errors, and the first of equal edges counts.
        self.longest.clone_from(&self.directions);
        let by_length = |a: &DVec3, b: &DVec3| b.length_squared().total_cmp(&a.length_squared());
        self.longest.sort_unstable_by(by_length);
        for i in 0..self.active.len() {
            self.add(self.active[i], slack);
            for j in 0..i {
                let [a, b] = [self.active[i], self.active[j]];
                for k in 0..self.longest.len() {
                    let d = self.longest[k];
                    let [s, t] = [a, b].map(|normal| normal.dot(d));
                    if s.min(t) < -slack && s.max(t) > slack {
                        let sum = a * t.abs() + b * s.abs();
                        // Of almost opposite normals rounding leaves a part along d.
                        self.add(sum - d * (sum.dot(d) / d.length_squared()), slack);
                    }
                }
            }
        }
        if self.active.len() < 3 {
            return;
        }
        for i in 0..self.longest.len() {
            for j in 0..i {
                let [d, e] = [self.longest[i], self.longest[j]];
                let axis = d.cross(e);
                if axis.length() > SAME * d.length() * e.length() {
                    for axis in [axis.normalize(), -axis.normalize()] {
                        if self.is_combination(axis) {
                            self.add(axis, slack);
                        }
                    }
                }
            }
        }
    }

    /// Adds an edge if it is possible and new.
    fn add(&mut self, normal: DVec3, slack: f64) {
        let Some(normal) = direction(normal, normal.length()) else {
            return;
        };
        let is_possible = self.directions.iter().all(|&d| normal.dot(d) >= -slack);
        let is_known = |other: &DVec3| other.distance_squared(normal) < SAME * SAME;
        if is_possible && !self.edges.iter().any(is_known) {
            self.edges.push(normal);
        }
    }

    /// Returns whether a vector is a combination of three active normals.
    fn is_combination(&self, x: DVec3) -> bool {
        let volume = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c));
        let of = |a: DVec3, b: DVec3, c: DVec3| {
            let whole = volume(a, b, c);
            let parts = [volume(x, b, c), volume(a, x, c), volume(a, b, x)];
            let is_positive = |part: &f64| part * whole.signum() >= -STRICT;
            whole.abs() > STRICT && parts.iter().all(is_positive)
        };
        let active = &self.active;
        let pairs = (0..active.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut triples = pairs.flat_map(|(i, j)| (0..j).map(move |k| [i, j, k]));
        triples.any(|[i, j, k]| of(active[i], active[j], active[k]))
    }
}
