//! The side of a wall on which a sphere belongs: the side of its center before it crossed a facet.

use super::facing::{Crossed, ToHome, facing};
use super::found::{Ball, Found, Minimum};
use super::mesh::WallIndex;
use super::touch::touch;
use super::wall::Before;
use super::wall_search::Images;
use crate::math::tolerance::{CARRIED_POINT, CLEAR_SQUARED};
use crate::math::{Pose, Vector, check_position};
use crate::shape::PeriodicBox;

/// A point on the side of a wall on which a sphere belongs. It is the center of the last call or,
/// for a sphere through the wall, a point in front of the contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Home<V> {
    /// In the coordinates of the mesh; `None` if no side is known.
    point: Option<V>,
    /// The square of a distance from the point within which there is a facet, or the image of one; `None` if it is not
    /// known.
    reach_squared: Option<f64>,
}

impl<V> Home<V> {
    pub(super) fn at(point: V) -> Self {
        Self::within(None, point)
    }

    pub(super) fn within(reach_squared: Option<f64>, point: V) -> Self {
        Self {
            point: Some(point),
            reach_squared,
        }
    }
}

impl<V: Vector> Home<V> {
    /// Moves the point along with the facet that was nearest to it, after the vertices have moved. A side away from
    /// the wall is forgotten.
    ///
    /// `images` returns the images of a point from which the wall may have been within reach.
    pub(super) fn carry<I: WallIndex<Vector = V>>(
        &mut self,
        index: &I,
        before: &Before<V>,
        images: impl FnOnce(V, f64) -> Images<V>,
    ) {
        let home = self.point.zip(self.reach_squared);
        self.point = home.and_then(|(home, reach_squared)| {
            let reach = reach_squared.sqrt();
            let size = (0..V::DIM).fold(reach, |size, axis| size.max(home[axis].abs()));
            let reach = reach + CARRIED_POINT * size;
            let (mut nearest, mut from) = ((f64::INFINITY, u32::MAX), home);
            for image in images(home, reach) {
                before.tree.for_each_within(reach, image, |facet| {
                    let distance = index.distance_squared_before(facet, image, &before.vertices);
                    if (distance, facet) < nearest {
                        (nearest, from) = ((distance, facet), image);
                    }
                });
            }
            let facet = nearest.1;
            (facet < index.facet_count()).then(|| index.carried(facet, from, &before.vertices))
        });
    }

    /// Moves the point to its image nearest to a center, in the coordinates of the mesh.
    pub(super) fn wrap(&mut self, center: V, period: &PeriodicBox<V>, pose: &Pose<V>) {
        if let Some(home) = &mut self.point {
            let from = pose.transform_vector(*home - center);
            let nearest = period.minimum_image(from);
            if nearest != from {
                *home = center + pose.inverse_transform_vector(nearest);
            }
        }
    }

    /// Returns the point if it is in the domain.
    pub(super) fn in_domain(&self) -> Option<V> {
        self.point
            .filter(|&home| check_position("point", None, home).is_ok())
    }
}

/// Iterates over the slots of the facets whose boxes the ball touches, each with its view and the image of the center
/// there. The other facets found depend on the kind of search.
fn near<'a, I: WallIndex>(
    index: &'a I,
    ball: Ball<I::Vector>,
    found: &'a Found<I::Vector>,
) -> impl Iterator<Item = (u32, u32, I::Vector)> + 'a {
    let is_near = move |&(slot, _, center): &(u32, u32, I::Vector)| {
        let bounds = index.facet_box(slot);
        bounds.distance_squared(center) <= ball.reach * ball.reach
    };
    found.near().filter(is_near)
}

/// The facets between a sphere's center and the side where it belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct Way<V> {
    home: V,
    /// Facets that the straight line from home crosses.
    crossed: Vec<Crossed>,
}

impl<V: Vector> Way<V> {
    /// Collects the facets found that the line from home crosses. Minima ascend by distance.
    #[inline]
    pub(super) fn start<I: WallIndex<Vector = V>>(
        &mut self,
        index: &I,
        ball: Ball<V>,
        found: &Found<V>,
        last: &Home<V>,
    ) {
        self.crossed.clear();
        let (Some(home), Some(nearest)) = (last.point, found.minima.first()) else {
            return;
        };
        let moved_squared = (ball.center - home).length_squared();
        let near_squared = (4.0 * moved_squared).max(CLEAR_SQUARED * (ball.reach * ball.reach));
        // Also false for NaN.
        let is_clear = nearest.distance_squared > near_squared;
        if !is_clear {
            self.cross(index, ball, found, last);
        }
    }

    #[cold]
    #[inline(never)]
    fn cross<I: WallIndex<Vector = V>>(
        &mut self,
        index: &I,
        ball: Ball<V>,
        found: &Found<V>,
        last: &Home<V>,
    ) {
        let Some(home) = last.in_domain() else { return };
        self.see(index, ball, found, home);
        if !self.crossed.is_empty() {
            self.follow(index, ball, found);
        }
    }

    fn see<I: WallIndex<Vector = V>>(
        &mut self,
        index: &I,
        ball: Ball<V>,
        found: &Found<V>,
        home: V,
    ) {
        self.home = home;
        self.crossed.clear();
        for (slot, view, center) in near(index, ball, found) {
            let from = home + (center - ball.center);
            let crossed = index.crossed(slot, from, center);
            self.crossed.extend(crossed.map(|is_front| Crossed {
                slot,
                is_front,
                view,
            }));
        }
    }

    /// Moves home to the point opposite the center at a contact, if the sphere is through the wall there and no facet
    /// lies in between. So home follows a sphere that slides along behind the wall.
    fn follow<I: WallIndex<Vector = V>>(&mut self, index: &I, ball: Ball<V>, found: &Found<V>) {
        let before = self.home;
        for minimum in &found.minima {
            let to_home = before - ball.center;
            if !facing(index, minimum, Some((to_home, &self.crossed))).is_through {
                continue;
            }
            let home = ball.center + minimum.offset * 2.0;
            let is_open = near(index, ball, found).all(|(slot, _, center)| {
                let shift = center - ball.center;
                (index.crossed(slot, before + shift, home + shift)).is_none()
            });
            if is_open {
                self.see(index, ball, found, home);
                if self.is_at(index, found, minimum) {
                    return;
                }
                self.see(index, ball, found, before);
            }
        }
    }

    /// Returns whether the line crosses a facet at a minimum, or one that touches such a facet.
    pub(super) fn is_at<I: WallIndex<Vector = V>>(
        &self,
        index: &I,
        found: &Found<V>,
        minimum: &Minimum<V>,
    ) -> bool {
        let shift = |view: u32| found.shift(V::ZERO, view);
        let mut is_crossed = false;
        index.for_each_facet_at(minimum.part, |slot| {
            is_crossed |= self.crossed.iter().any(|crossed| {
                let between = shift(minimum.view) - shift(crossed.view);
                touch(index, crossed.slot, slot, between)
            });
        });
        is_crossed
    }

    /// Returns the vector from the center to home and the facets crossed; `None` without any.
    pub(super) fn to_home(&self, center: V) -> ToHome<'_, V> {
        (!self.crossed.is_empty()).then(|| (self.home - center, &self.crossed[..]))
    }

    /// Keeps home if the sphere is held at a minimum, otherwise the center.
    #[inline]
    pub(super) fn end(&self, last: &mut Home<V>, center: V, found: &Found<V>, held: Option<usize>) {
        let home = if held.is_some() { self.home } else { center };
        let at = found.minima.get(held.unwrap_or(0));
        let reach = at.map(|minimum| center - home + minimum.offset);
        *last = Home::within(reach.map(V::length_squared), home);
    }
}
