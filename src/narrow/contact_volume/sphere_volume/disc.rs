//! The intersection of a disc and a polygon, from the sides of the polygon that the disc meets.
//!
//! With the winding number w of the boundary around the center, the area is `w pi R^2` minus the parts of
//! the disc beyond each side.

use glam::DVec2;

use super::super::side_crossing::side_of;
use super::chord::{Stretch, area_beyond};
use crate::math::tolerance::{NEXT_AXIS, ON_SURFACE, ORIENTATION_2D};
use crate::shape::Sphere;

/// Sums over the sides that a disc meets.
pub(super) struct Disc {
    center: DVec2,
    radius: f64,
    /// The area of the disc beyond the sides.
    pub(super) beyond: f64,
    /// The outward normals of the sides inside the disc, as long as these.
    pub(super) width: DVec2,
    /// The product of positions and these vectors.
    pub(super) flux: f64,
    pub(super) inside_count: usize,
    /// Whether a side inside the disc was seen, and one that crosses the circle.
    pub(super) is_met: bool,
    pub(super) is_crossed: bool,
}

impl Disc {
    pub(super) fn new(&Sphere { center, radius }: &Sphere<DVec2>) -> Self {
        Self {
            center,
            radius,
            beyond: 0.0,
            width: DVec2::ZERO,
            flux: 0.0,
            inside_count: 0,
            is_met: false,
            is_crossed: false,
        }
    }

    /// Adds a side, with the inside on its left.
    pub(super) fn add(&mut self, side: [DVec2; 2]) {
        let radius = self.radius;
        let shift = DVec2::new(1.0, NEXT_AXIS) * (ON_SURFACE * radius);
        let [p, q] = side.map(|corner| {
            let offset = corner - self.center;
            if offset == DVec2::ZERO {
                -shift
            } else {
                offset
            }
        });
        let is_inside = |p: DVec2| p.length_squared() <= radius * radius;
        let are_inside = is_inside(p) && is_inside(q);
        self.inside_count += usize::from(are_inside);
        let along = q - p;
        let length = along.length();
        if length == 0.0 {
            return;
        }
        let mut moment = p.perp_dot(q);
        let doubt = ORIENTATION_2D * (p.length() * q.length());
        if moment.abs() <= doubt {
            moment = moment.copysign(side_of(side, self.center, 1.0));
        }
        let height = moment / length;
        let edge = Stretch {
            height,
            from: p.dot(along) / length,
            to: q.dot(along) / length,
        };
        let half_squared = (radius - height.abs()) * (radius + height.abs());
        let Some(chord) = edge.within(half_squared) else {
            return;
        };
        let normal = DVec2::new(along.y, -along.x) * (1.0 / length);
        self.beyond += area_beyond(&chord, radius, half_squared);
        self.width += normal * chord.length();
        self.flux += height * chord.length();
        self.is_met = true;
        self.is_crossed |= !are_inside;
    }
}
