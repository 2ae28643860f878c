//! The intersection of a disc and a polygon, from the sides of the polygon that the disc meets.
//!
//! Let w be the winding number of the boundary around the center. The area is `w pi R^2` minus the parts
//! of the disc beyond each side.

use glam::DVec2;

use super::super::side_crossing::side_of;
use super::chord::{Stretch, area_beyond};
use super::sums::Sums;
use crate::math::tolerance::{NEXT_AXIS, ON_SURFACE, ORIENTATION_2D};
use crate::shape::Sphere;

impl Sums<DVec2> {
    /// Adds a side, with the inside on its left.
    pub(super) fn add_side(
        &mut self,
        &Sphere { center, radius }: &Sphere<DVec2>,
        side: [DVec2; 2],
    ) {
        let shift = DVec2::new(1.0, NEXT_AXIS) * (ON_SURFACE * radius);
        let [p, q] = side.map(|corner| {
            let offset = corner - center;
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
            moment = moment.copysign(side_of(side, center, 1.0));
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
        self.area += normal * chord.length();
        self.flux += height * chord.length();
        self.is_met = true;
        self.is_crossed |= !are_inside;
    }
}
