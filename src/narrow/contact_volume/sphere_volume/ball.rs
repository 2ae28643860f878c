//! The intersection of a ball and a solid, from the triangles of the solid that the ball meets.
//!
//! Let C be the center, R the radius, and h the signed distance of a triangle's plane from C, positive if C is behind
//! it. Seen radially from C, the part of the triangle inside the ball bounds the volume
//! `I / 3 = 1/3 int |h| (R^3 / r^3 - 1) dA` up to the sphere. So `V = w 4/3 pi R^3 - 1/3 sum sign(h) I`, with the
//! winding number w of the surface around C. Triangles outside the ball add nothing. Each term is as small as its part
//! of the volume, so no digits are lost where the ball meets little of the solid.
//!
//! Let P be the projection of C onto the plane of a triangle, s the distance from P, and `r^2 = h^2 + s^2`. Then `I` is
//! the integral of `G(s) = R^3 (1 - |h| / r) - |h| s^2 / 2` over the angle around P. Edges contribute G along the edge,
//! and the rim of the disc contributes G of the rim. If P is outside the triangle, G of the rim is subtracted
//! everywhere: `G(rim) - G(s) = |h| (R - r)^2 (2 R + r) / (2 r)`.

use std::f64::consts::PI;

use glam::DVec3;

use super::super::winding::side_of_triangle;
use super::chord::{Stretch, area_beyond};
use super::sums::Sums;
use crate::math::tolerance::{NEAR_HEIGHT, NEXT_AXIS, ON_SURFACE};
use crate::math::{accurate_orient3d, angle, cross_of_edges};
use crate::shape::Sphere;

/// The direction of the symbolic perturbation, in which a center on the surface is shifted.
const SHIFT: DVec3 = DVec3::new(1.0, NEXT_AXIS, NEXT_AXIS * NEXT_AXIS);
/// A projection closer to an edge than this part of the disc's radius counts as near it.
const NEAR_PROJECTION: f64 = 1.0 / 16.0;

/// The disc that a ball cuts from the plane of a triangle.
struct Disc {
    radius: f64,
    /// The radius of the ball.
    ball: f64,
    /// The distance of the plane from the center.
    height: f64,
    /// The integrand G and the area per unit of angle, at the rim.
    rim: [f64; 2],
}

/// A triangle, relative to the center.
struct Seen {
    center: DVec3,
    corners: [DVec3; 3],
    /// The corners from the center, or from the shifted center for a corner on it.
    offsets: [DVec3; 3],
    normal: DVec3,
    twice_area: f64,
    /// The shift for exact zeros.
    shift: DVec3,
}

/// An edge of a triangle, relative to the projection of the center, and half its chord of the ball, squared.
#[derive(Clone, Copy)]
struct Edge {
    stretch: Stretch,
    half_squared: f64,
}

impl Sums<DVec3> {
    /// Adds a triangle, counter-clockwise from outside.
    pub(super) fn add_triangle(
        &mut self,
        &Sphere { center, radius }: &Sphere,
        corners: [DVec3; 3],
    ) {
        let offsets = corners.map(|corner| corner - center);
        let squares = offsets.map(DVec3::length_squared);
        let is_inside = squares.iter().all(|&square| square <= radius * radius);
        self.inside_count += usize::from(is_inside);
        let [a, b, c] = corners;
        let across = cross_of_edges([a, b], [a, c]);
        let twice_area = across.length();
        if twice_area == 0.0 {
            return;
        }
        let nearest = squares[0].min(squares[1]).min(squares[2]).sqrt();
        let scale = if nearest > 0.0 {
            nearest.min(radius)
        } else {
            radius
        };
        let shift = SHIFT * (ON_SURFACE * scale);
        let seen = Seen {
            center,
            corners,
            offsets: offsets.map(|p| if p == DVec3::ZERO { -shift } else { p }),
            normal: across * (1.0 / twice_area),
            twice_area,
            shift,
        };
        let height = seen.height(radius);
        if let Some(disc) = Disc::new(radius, height)
            && let Some([volume, area]) = disc.within(&seen)
        {
            self.beyond += volume.copysign(height) / 3.0;
            self.area += seen.normal * area;
            self.flux += height * area;
            self.is_met = true;
            self.is_crossed |= !is_inside;
        }
    }
}

impl Seen {
    /// Returns the height of the plane. Its sign is exact.
    fn height(&self, radius: f64) -> f64 {
        let nearer = |p: DVec3, q: DVec3| {
            let is_nearer = q.length_squared() < p.length_squared();
            if is_nearer { q } else { p }
        };
        let [p, q, r] = self.offsets;
        let height = self.normal.dot(nearer(nearer(p, q), r));
        if height.abs() > NEAR_HEIGHT * radius {
            return height;
        }
        let [a, b, c] = self.corners;
        let height = -accurate_orient3d(a, b, c, self.center) / self.twice_area;
        let behind = -side_of_triangle(self.corners, self.center);
        if height * behind > 0.0 {
            height
        } else {
            self.normal.dot(self.shift).copysign(behind)
        }
    }

    /// Returns the edge from a corner to the next.
    fn edge(&self, k: usize, radius: f64) -> Edge {
        let next = (k + 1) % 3;
        let (p, q) = (self.offsets[k], self.offsets[next]);
        let along = q - p;
        let length = along.length();
        let ends = [k, next].map(|k| [self.center, self.corners[k]]);
        let mut moment = cross_of_edges(ends[0], ends[1]);
        if moment == DVec3::ZERO {
            moment = along.cross(self.shift);
        }
        let distance = moment.length() / length;
        Edge {
            stretch: Stretch {
                height: self.normal.dot(moment) / length,
                from: p.dot(along) / length,
                to: q.dot(along) / length,
            },
            half_squared: (radius - distance) * (radius + distance),
        }
    }
}

/// The place of the projection of the center onto the plane of a triangle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Projection {
    Inside,
    Near,
    Outside,
}

impl Disc {
    fn new(ball: f64, height: f64) -> Option<Self> {
        let height = height.abs();
        let rest = ball - height;
        let radius_squared = rest * (ball + height);
        (rest > 0.0).then(|| Self {
            radius: radius_squared.sqrt(),
            ball,
            height,
            rim: [rest * rest * (ball + 0.5 * height), 0.5 * radius_squared],
        })
    }

    /// Returns the integral I and the area of a triangle inside the disc; `None` if it is outside.
    fn within(&self, seen: &Seen) -> Option<[f64; 2]> {
        let edges = [0, 1, 2].map(|k| seen.edge(k, self.ball));
        let [a, b, c] = edges.map(|edge| edge.stretch.height);
        let nearest = a.min(b).min(c);
        if nearest <= -self.radius {
            return None;
        }
        let near = self.radius * NEAR_PROJECTION;
        let projection = if nearest > near {
            Projection::Inside
        } else if nearest < -near {
            Projection::Outside
        } else {
            Projection::Near
        };
        let mut sum = [0.0; 2];
        let mut is_met = false;
        if projection == Projection::Inside {
            sum = self.rim.map(|rim| 2.0 * PI * rim);
            is_met = true;
        }
        for Edge {
            stretch,
            half_squared,
        } in edges
        {
            let chord = stretch.within(half_squared);
            is_met |= chord.is_some();
            let terms = match (projection, chord) {
                (Projection::Near, chord) => self.along(&stretch, chord.as_ref(), half_squared),
                (_, Some(chord)) => self.beyond(&chord, half_squared).map(|term| -term),
                (_, None) => continue,
            };
            sum = [sum[0] + terms[0], sum[1] + terms[1]];
        }
        is_met.then_some(sum)
    }

    /// Returns the integrals of G and of the area over an edge, and over the rim where the edge is outside.
    fn along(&self, edge: &Stretch, chord: Option<&Stretch>, half_squared: f64) -> [f64; 2] {
        let Some(chord) = chord else {
            let angle = edge.angle();
            return self.rim.map(|rim| rim * angle);
        };
        let before = Stretch {
            to: chord.from,
            ..*edge
        };
        let after = Stretch {
            from: chord.to,
            ..*edge
        };
        let angle = before.angle() + after.angle();
        let inside = self.below(chord, half_squared);
        [0, 1].map(|k| inside[k] + self.rim[k] * angle)
    }

    /// Returns the integrals of G and the area along a chord.
    fn below(&self, chord: &Stretch, half_squared: f64) -> [f64; 2] {
        let (ball, plane) = (self.ball, self.height);
        let height = chord.height;
        let pole_squared = plane * plane + chord.distance_squared();
        let area = 0.5 * height * chord.length();
        if chord.is_short(pole_squared) {
            let rest = ball - plane;
            // G / s^2, with all differences of radii as products.
            let slope = |x: f64| {
                let r = (plane * plane + height * height + x * x).sqrt();
                let gap = (half_squared - x * x) / (ball + r);
                let cubes = gap * (ball * (ball + r) + plane * plane)
                    + rest * (r * r + ball * (ball + plane));
                [cubes / (2.0 * r * (r + plane)), 0.0]
            };
            return [height * chord.integral(pole_squared, slope)[0], area];
        }
        // The solid angle of the triangle between the projection of the center and the chord.
        let solid_angle = |x: f64| {
            let squared = height * height + x * x;
            let r = (plane * plane + squared).sqrt();
            let sine = x * height * squared / (r + plane);
            angle(sine, height * height * r + plane * x * x)
        };
        let angle = solid_angle(chord.to) - solid_angle(chord.from);
        [ball * ball * ball * angle - plane * area, area]
    }

    /// Returns the integrals of `G(rim) - G` and of the area beyond a chord.
    fn beyond(&self, chord: &Stretch, half_squared: f64) -> [f64; 2] {
        let (ball, plane) = (self.ball, self.height);
        let height = chord.height;
        let pole_squared = chord.distance_squared();
        if chord.is_short(pole_squared) {
            return chord.integral(pole_squared, |x| {
                let squared = height * height + x * x;
                let r = (plane * plane + squared).sqrt();
                let squares = half_squared - x * x;
                let gap = squares / (ball + r);
                let angle = height / squared;
                let volume = plane * gap * gap * (2.0 * ball + r) / (2.0 * r);
                [volume * angle, 0.5 * squares * angle]
            });
        }
        let (angle, below) = (chord.angle(), self.below(chord, half_squared));
        let area = area_beyond(chord, self.radius, half_squared);
        [self.rim[0] * angle - below[0], area]
    }
}
