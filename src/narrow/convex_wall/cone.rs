//! The normals that are possible at a point of the wall, by the directions of the wall there.

use glam::DVec3;
use smallvec::SmallVec;

use super::normal::SAME;
use crate::math::tolerance::STRICT;
use crate::math::{closest_on_polygon, closest_on_segment, direction};

/// Facets at a point are compared at this part of their size.
const NEARBY: f64 = 1.0 / 16.0;

/// Buffers of the search for normals.
#[derive(Clone, Debug, Default)]
pub(super) struct Cone {
    /// The normals of the faces of the body that are largest at the point.
    active: Vec<DVec3>,
    fans: Vec<Fan>,
    /// The directions in which normals must not be negative, the longest first.
    directions: Vec<DVec3>,
    /// The edges of the cone of possible normals.
    edges: Vec<DVec3>,
    steepest: Vec<Slope>,
    normals: Vec<DVec3>,
}

/// Directions from the point into a facet, counter-clockwise about its normal, by at most half a turn.
#[derive(Clone, Debug)]
struct Fan {
    normal: DVec3,
    /// As long as the facet, or until the next facet for the ends of a part.
    rays: SmallVec<[DVec3; 8]>,
}

/// A direction, and the sine at which the wall rises in it.
#[derive(Clone, Copy, Debug)]
struct Slope {
    along: DVec3,
    rise: f64,
}

impl Fan {
    /// Returns the directions from a point on the border of a facet.
    fn new(corners: &[DVec3], normal: DVec3, point: DVec3, slack: f64) -> Self {
        let ids = 0..corners.len();
        let next = |i: usize| if i + 1 == corners.len() { 0 } else { i + 1 };
        let to_side = |i: usize| {
            let side = closest_on_segment(point, corners[i], corners[next(i)]);
            side.distance_squared
        };
        let corner = ids.clone().find(|&i| corners[i].distance(point) <= slack);
        let nearest = |&a: &usize, &b: &usize| to_side(a).total_cmp(&to_side(b));
        let before = corner.or_else(|| ids.min_by(nearest));
        let (end, start) = corners.split_at(before.map_or(0, next));
        let rays = start.iter().chain(end).map(|corner| corner - point);
        Self {
            normal,
            rays: rays.filter(|ray| ray.length() > slack).collect(),
        }
    }

    /// Removes the directions that a normal supports. The others are one part.
    fn leave_out(&mut self, normal: DVec3, slack: f64) {
        let mut before: Option<(DVec3, f64)> = None;
        let mut left = SmallVec::new();
        for &ray in &self.rays {
            let height = normal.dot(ray);
            if let Some((last, of_last)) = before
                && (of_last < -slack) != (height < -slack)
            {
                let part = of_last / (of_last - height);
                left.push(last + (ray - last) * part.clamp(0.0, 1.0));
            }
            if height < -slack {
                left.push(ray);
            }
            before = Some((ray, height));
        }
        self.rays = left;
    }

    /// Returns the direction in which the facet rises most against a normal.
    fn steepest(&self, normal: DVec3) -> Slope {
        let mut best = Slope {
            along: DVec3::ZERO,
            rise: f64::NEG_INFINITY,
        };
        let mut see = |along: DVec3| {
            if let Some(along) = direction(along, along.length()) {
                let rise = -normal.dot(along);
                if rise > best.rise {
                    best = Slope { along, rise };
                }
            }
        };
        self.rays.iter().for_each(|&ray| see(ray));
        let up = self.normal * self.normal.dot(normal) - normal;
        let is_left = |a: DVec3, b: DVec3| self.normal.dot(a.cross(b)) > 0.0;
        if self
            .rays
            .windows(2)
            .any(|pair| is_left(pair[0], up) && is_left(up, pair[1]))
        {
            see(up);
        }
        best
    }

    /// Returns whether the facet goes in a direction.
    fn contains(&self, along: DVec3, slack: f64) -> bool {
        let lengths = self.rays.iter().map(|ray| ray.length());
        let x = along * (NEARBY * lengths.fold(f64::INFINITY, f64::min));
        let mut corners: SmallVec<[DVec3; 9]> = SmallVec::from_elem(DVec3::ZERO, 1);
        corners.extend_from_slice(&self.rays);
        closest_on_polygon(x, &corners).distance_squared <= slack * slack
    }
}

impl Cone {
    /// Starts with the normals of the faces of the body at a point.
    pub(super) fn reset(&mut self, active: impl Iterator<Item = DVec3>) {
        self.active.clear();
        self.active.extend(active);
        self.fans.clear();
    }

    pub(super) fn active(&self) -> &[DVec3] {
        &self.active
    }

    /// Adds the directions from a point on the border of a facet.
    pub(super) fn add(&mut self, corners: &[DVec3], normal: DVec3, point: DVec3, slack: f64) {
        self.fans.push(Fan::new(corners, normal, point, slack));
    }

    /// Removes the directions that a normal supports.
    pub(super) fn leave_out(&mut self, normal: DVec3, slack: f64) {
        for fan in &mut self.fans {
            fan.leave_out(normal, slack);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fans.iter().all(|fan| fan.rays.is_empty())
    }

    /// Returns the mean of the normals that support all directions. If there is none, those that support
    /// the steepest directions against the mean of all, or a given one.
    pub(super) fn normals(&mut self, otherwise: DVec3, slack: f64) -> &[DVec3] {
        self.normals.clear();
        self.directions.clear();
        self.fans.retain(|fan| !fan.rays.is_empty());
        let rays = self.fans.iter().flat_map(|fan| &fan.rays);
        self.directions.extend(rays);
        if !self.add_mean(slack) {
            let sum: DVec3 = self.active.iter().sum();
            if let Some(mean) = direction(sum, sum.length()) {
                self.find_steepest(mean, slack);
            }
        }
        if self.normals.is_empty() {
            self.normals.push(otherwise);
        }
        &self.normals
    }

    /// Adds the mean of the edges of the cone, unless the cone is empty.
    fn add_mean(&mut self, slack: f64) -> bool {
        self.find_edges(slack);
        let sum: DVec3 = self.edges.iter().sum();
        let mean = direction(sum, sum.length());
        self.normals.extend(mean);
        mean.is_some()
    }

    /// Adds a normal for each direction in which the wall rises more against a normal than around it.
    fn find_steepest(&mut self, mean: DVec3, slack: f64) {
        let mut steepest = std::mem::take(&mut self.steepest);
        steepest.clear();
        steepest.extend(self.fans.iter().map(|fan| fan.steepest(mean)));
        for slope in &steepest {
            let passes = |(fan, other): (&Fan, &Slope)| {
                other.rise > slope.rise + STRICT && fan.contains(slope.along, slack)
            };
            if slope.rise > STRICT && !self.fans.iter().zip(&steepest).any(passes) {
                self.directions.clear();
                self.directions.extend([slope.along, -slope.along]);
                self.add_mean(STRICT);
            }
        }
        self.steepest = steepest;
    }

    /// Finds the edges of the cone: active normals, combinations of two of them across a direction, and
    /// vectors across two directions.
    fn find_edges(&mut self, slack: f64) {
        self.edges.clear();
        // Long directions first: they have small errors, and the first of equal edges counts.
        let by_length = |a: &DVec3, b: &DVec3| b.length_squared().total_cmp(&a.length_squared());
        self.directions.sort_unstable_by(by_length);
        for i in 0..self.active.len() {
            self.add_edge(self.active[i], slack);
            for j in 0..i {
                let [a, b] = [self.active[i], self.active[j]];
                for k in 0..self.directions.len() {
                    let d = self.directions[k];
                    let [s, t] = [a, b].map(|normal| normal.dot(d));
                    if s.min(t) < -slack && s.max(t) > slack {
                        let sum = a * t.abs() + b * s.abs();
                        // Of almost opposite normals rounding leaves a part along d.
                        self.add_edge(sum - d * (sum.dot(d) / d.length_squared()), slack);
                    }
                }
            }
        }
        if self.active.len() < 3 {
            return;
        }
        for i in 0..self.directions.len() {
            for j in 0..i {
                let [d, e] = [self.directions[i], self.directions[j]];
                let axis = d.cross(e);
                if axis.length() > SAME * d.length() * e.length() {
                    for axis in [axis.normalize(), -axis.normalize()] {
                        if self.is_combination(axis) {
                            self.add_edge(axis, slack);
                        }
                    }
                }
            }
        }
    }

    /// Adds an edge if it is possible and new.
    fn add_edge(&mut self, normal: DVec3, slack: f64) {
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
