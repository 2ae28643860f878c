//! The contact at a minimum: which side of the facets there the center is on, and the normal.

use super::contact::WallContact;
use super::found::{Minimum, Part};
use super::mesh::WallIndex;
use crate::math::{Vector, direction};
use crate::shape::{Feature, Sphere};

/// The side of a wall on which a center is.
pub(super) struct WallSide {
    pub(super) is_front: bool,
    /// Whether the sphere belongs on the other side, or its center is in the wall to rounding.
    pub(super) is_held: bool,
}

/// A facet between a center and the side where its sphere belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    pub(super) slot: u32,
    /// Whether that side is the front.
    pub(super) is_front: bool,
    /// The view that the facet is in.
    pub(super) view: u32,
}

/// The vector from a center to the side where its sphere belongs, and the facets in between.
pub(super) type ToHome<'a, V> = Option<(V, &'a [Crossed])>;

/// Returns the contact at a minimum, in the coordinates of the mesh.
///
/// `to_home` is `None` unless the sphere may be through the wall there.
#[inline]
pub(super) fn contact_at<I: WallIndex>(
    index: &I,
    sphere: &Sphere<I::Vector>,
    minimum: &Minimum<I::Vector>,
    to_home: ToHome<I::Vector>,
) -> (WallContact<I::Vector>, WallSide) {
    let Minimum {
        part: Part { feature, at },
        facet,
        offset,
        distance_squared,
        ..
    } = *minimum;
    let distance = distance_squared.sqrt();
    let sides = facing(index, minimum, to_home);
    let into_wall = match feature {
        // The normal of the plane keeps digits that a short offset has lost.
        Feature::Facet(_) if distance > 0.0 => {
            let front = index.normal(at.0);
            front * front.dot(offset).signum()
        }
        _ => direction(offset, distance).unwrap_or_else(|| sides.back()),
    };
    // A center more than a radius behind the wall is free.
    let is_through = sides.is_through && distance < sphere.radius;
    let (normal, depth) = if is_through {
        (-into_wall, -distance)
    } else {
        (into_wall, distance)
    };
    let contact = WallContact {
        offset,
        point: sphere.center + offset,
        normal,
        overlap: sphere.radius - depth,
        feature,
        facet,
    };
    let is_front = sides.highest.is_none() || (sides.is_front != is_through);
    let side = WallSide {
        is_front,
        is_held: is_through || sides.is_crossed && distance < sphere.radius,
    };
    (contact, side)
}

/// Combines the sides of all facets at a minimum.
#[inline]
pub(super) fn facing<I: WallIndex>(
    index: &I,
    minimum: &Minimum<I::Vector>,
    to_home: ToHome<I::Vector>,
) -> Facing<I::Vector> {
    let mut facing = Facing::default();
    index.for_each_facet_at(minimum.part, |slot| {
        let normal = index.normal(slot);
        // The height of home above the plane through the point on the wall.
        let home = to_home.map_or(0.0, |(to_home, crossed)| {
            let is_it = |c: &&Crossed| (c.slot, c.view) == (slot, minimum.view);
            let known = crossed.iter().find(is_it);
            facing.is_crossed |= known.is_some();
            let height = normal.dot(to_home - minimum.offset);
            known.map_or(height, |c| if c.is_front { 1.0 } else { -1.0 })
        });
        facing.see(normal, -normal.dot(minimum.offset), home);
    });
    facing
}

/// The sides of the facets at a point.
#[derive(Default)]
pub(super) struct Facing<V> {
    /// Whether the center is in front of one of them.
    is_front: bool,
    /// Whether home is on the other side of the facet that faces the center most.
    pub(super) is_through: bool,
    /// Whether one of them is between the center and home.
    is_crossed: bool,
    /// The height of the center above the plane of the facet that faces it most.
    most: f64,
    /// The normal whose line is last in lexicographic order, of opposite ones the last, and whether home is behind its
    /// facet. A line has no direction, so reversed facets give the same line. `None` if no facet has an area.
    highest: Option<(V, bool)>,
}

impl<V: Vector> Facing<V> {
    /// Adds a facet: its normal, and the heights of the center and of home above it.
    #[inline]
    fn see(&mut self, normal: V, height: f64, home: f64) {
        if normal == V::ZERO {
            return;
        }
        let is_through = (height > 0.0 && home < 0.0) || (height < 0.0 && home > 0.0);
        if height.abs() > self.most {
            (self.most, self.is_through) = (height.abs(), is_through);
        } else if height.abs() == self.most {
            self.is_through |= is_through;
        }
        self.is_front |= height >= 0.0;
        let array = |v: V| [v[0], v[1], if V::DIM > 2 { v[2] } else { 0.0 }];
        let line = |normal: V| {
            let first = (0..V::DIM).map(|axis| normal[axis]).find(|&c| c != 0.0);
            array(normal * first.map_or(1.0, f64::signum))
        };
        // Of opposite normals the order of the facets must not choose.
        let is_higher = |(highest, _)| {
            let (own, other) = (line(normal), line(highest));
            own > other || own == other && array(normal) > array(highest)
        };
        if self.highest.is_none_or(is_higher) {
            self.highest = Some((normal, home < 0.0));
        }
    }

    /// Returns the direction into the wall for a center on it.
    fn back(&self) -> V {
        match self.highest {
            None => V::X,
            Some((front, true)) => front,
            Some((front, false)) => -front,
        }
    }
}
