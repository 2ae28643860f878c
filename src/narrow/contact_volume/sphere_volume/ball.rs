//! The intersection of a ball and a solid, from the triangles of the solid that the ball meets.
//!
//! Let C be the center, R the radius, and h the height of a triangle's plane as seen from C, positive if C is
//! behind it. Radially from C, the part of the triangle inside the ball bounds the volume
//! `I / 3 = 1/3 int |h| (R^3 / r^3 - 1) dA` up to the sphere. So
//! `V = w 4/3 pi R^3 - 1/3 sum sign(h) I`, with the winding number w of the surface around C. Triangles
//! outside the ball add nothing. Each term is as small as its part of the volume, so nothing is lost where
//! the ball meets little of the solid.
//!
//! In the plane of a triangle, around the foot of C, `I` is an integral over the angle of
//! `G(s) = R^3 (1 - |h| / r) - |h| s^2 / 2`, with s the distance from the foot and `r^2 = h^2 + s^2`. An
//! edge contributes G along it, and the rim of the disc G of the rim. For a triangle beside the foot, G of
//! the rim is subtracted everywhere: `G(rim) - G(s) = |h| (R - r)^2 (2 R + r) / (2 r)`.

use std::f64::consts::PI;

use glam::DVec3;

use super::super::winding::side_of_triangle;
use super::chord::{Stretch, area_beyond};
use crate::math::tolerance::{NEAR_HEIGHT, NEXT_AXIS, ON_SURFACE};
use crate::math::{accurate_orient3d, cross_of_edges};
use crate::shape::Sphere;

/// The direction in which a center on the surface is shifted, that of the symbolic perturbation.
const SHIFT: DVec3 = DVec3::new(1.0, NEXT_AXIS, NEXT_AXIS * NEXT_AXIS);
/// Feet closer to an edge than this part of the disc's radius are near it.
const NEAR_FOOT: f64 = 1.0 / 16.0;

/// Sums over the triangles that a ball meets.
pub(super) struct Ball {
    center: DVec3,
    radius: f64,
    /// Three times the volume between the triangles and the sphere, positive if the center is in front.
    pub(super) volumes: f64,
    /// The area vector of the triangles inside the ball.
    pub(super) area: DVec3,
    /// The product of positions and areas.
    pub(super) flux: f64,
    pub(super) inside_count: usize,
    /// Whether a triangle inside the ball was seen, and one that crosses the sphere.
    pub(super) is_met: bool,
    pub(super) is_crossed: bool,
}

/// The disc that a ball cuts from the plane of a triangle.
struct Disc {
    radius: f64,
    /// Of the ball.
    ball: f64,
    /// The distance of the plane from the center.
    height: f64,
    /// The integrand G and the area per unit of angle, at the rim.
    rim: [f64; 2],
}

impl Ball {
    pub(super) fn new(&Sphere { center, radius }: &Sphere) -> Self {
        Self {
            center,
            radius,
            volumes: 0.0,
            area: DVec3::ZERO,
            flux: 0.0,
            inside_count: 0,
            is_met: false,
            is_crossed: false,
        }
    }

    /// Adds a triangle, counter-clockwise seen from outside.
    pub(super) fn add(&mut self, corners: [DVec3; 3]) {
        let radius = self.radius;
        let offsets = corners.map(|corner| corner - self.center);
        let squares = offsets.map(DVec3::length_squared);
        let least = squares[0].min(squares[1]).min(squares[2]).sqrt();
        let scale = if least > 0.0 {
            least.min(radius)
        } else {
            radius
        };
        let shift = SHIFT * (ON_SURFACE * scale);
        let offsets = offsets.map(|p| if p == DVec3::ZERO { -shift } else { p });
        let are_all_inside = squares.iter().all(|&square| square <= radius * radius);
        self.inside_count += usize::from(are_all_inside);
        let [a, b, c] = corners;
        let twice_area = cross_of_edges([a, b], [a, c]);
        let length = twice_area.length();
        if length == 0.0 {
            return;
        }
        let normal = twice_area * (1.0 / length);
        let height = self.height(corners, &offsets, normal, length, shift);
        let Some(disc) = Disc::new(radius, height) else {
            return;
        };
        let Some([volume, area]) = self.part(&disc, corners, &offsets, normal, shift) else {
            return;
        };
        self.volumes -= volume.copysign(height);
        self.area += normal * area;
        self.flux += height * area;
        self.is_met = true;
        self.is_crossed |= !are_all_inside;
    }

    /// Returns the height of a triangle's plane as seen from the center. Its sign is exact.
    fn height(
        &self,
        corners: [DVec3; 3],
        offsets: &[DVec3; 3],
        normal: DVec3,
        length: f64,
        shift: DVec3,
    ) -> f64 {
        let nearer = |p: DVec3, q: DVec3| {
            if q.length_squared() < p.length_squared() {
                q
            } else {
                p
            }
        };
        let height = normal.dot(nearer(nearer(offsets[0], offsets[1]), offsets[2]));
        if height.abs() > NEAR_HEIGHT * self.radius {
            return height;
        }
        let [a, b, c] = corners;
        let height = -accurate_orient3d(a, b, c, self.center) / length;
        let behind = -side_of_triangle(corners, self.center);
        if height * behind > 0.0 {
            return height;
        }
        normal.dot(shift).copysign(behind)
    }

    /// Returns the integral I of a triangle and its area inside the ball; `None` if it is outside.
    fn part(
        &self,
        disc: &Disc,
        corners: [DVec3; 3],
        offsets: &[DVec3; 3],
        normal: DVec3,
        shift: DVec3,
    ) -> Option<[f64; 2]> {
        let mut edges = [(
            Stretch {
                height: 0.0,
                from: 0.0,
                to: 0.0,
            },
            0.0,
        ); 3];
        let mut nearest = f64::INFINITY;
        for (k, edge) in edges.iter_mut().enumerate() {
            let next = (k + 1) % 3;
            let (p, q) = (offsets[k], offsets[next]);
            let along = q - p;
            let length = along.length();
            let mut moment =
                cross_of_edges([self.center, corners[k]], [self.center, corners[next]]);
            if moment == DVec3::ZERO {
                moment = along.cross(shift);
            }
            let height = normal.dot(moment) / length;
            if height <= -disc.radius {
                return None;
            }
            nearest = nearest.min(height);
            let distance = moment.length() / length;
            let stretch = Stretch {
                height,
                from: p.dot(along) / length,
                to: q.dot(along) / length,
            };
            *edge = (stretch, (self.radius - distance) * (self.radius + distance));
        }
        let foot = if nearest > disc.radius * NEAR_FOOT {
            Foot::Inside
        } else if nearest < -disc.radius * NEAR_FOOT {
            Foot::Outside
        } else {
            Foot::Near
        };
        let mut sum = match foot {
            Foot::Inside => disc.rim.map(|rim| 2.0 * PI * rim),
            Foot::Outside | Foot::Near => [0.0; 2],
        };
        let mut is_met = foot == Foot::Inside;
        for (edge, half_squared) in &edges {
            let chord = edge.within(*half_squared);
            is_met |= chord.is_some();
            let terms = match foot {
                Foot::Near => disc.along(edge, chord.as_ref(), *half_squared),
                Foot::Inside | Foot::Outside => chord.map_or([0.0; 2], |chord| {
                    disc.beyond(&chord, *half_squared).map(|term| -term)
                }),
            };
            sum = [0, 1].map(|k| sum[k] + terms[k]);
        }
        // Without a chord, a foot near an edge is outside the triangle or the disc inside it.
        is_met |= foot == Foot::Near && sum[1] > disc.rim[1];
        is_met.then_some(sum)
    }
}

/// Where the foot of the center is, as seen from the triangle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foot {
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

    /// Returns the integrals of G and the area over an edge, and over the rim where the edge is outside.
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
        // The solid angle of the triangle between the foot and the chord.
        let solid_angle = |x: f64| {
            let squared = height * height + x * x;
            let r = (plane * plane + squared).sqrt();
            let sine = x * height * squared / (r + plane);
            sine.atan2(height * height * r + plane * x * x)
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
