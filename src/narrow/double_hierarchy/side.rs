//! On which side of a wall a sphere belongs: the one its center was on before it crossed a facet.

use super::Surface;
use super::contact::{self, Crossed, ToHome};
use super::surface::{Ball, Found, Minimum};
use super::touch::touch;
use crate::math::tolerance::CLEAR_SQUARED;
use crate::math::{Pose, Vector, check_position};
use crate::shape::PeriodicBox;

/// No facet.
const NONE: u32 = u32::MAX;

/// The side of a wall on which a sphere belongs. The kernel carries it from step to step if the
/// caller keeps it; one for each pair of sphere and wall.
///
/// A sphere is through a wall only if the path of its center since the last call crosses a facet
/// within its reach. This is decided by exact signs, in the coordinates of the mesh, so a wall that
/// moves counts as well. Along a path that crosses no facet, contacts equal those without a
/// memory, bit for bit: around a rim, through a hole, past the tip of a fin.
///
/// Through the wall, contacts on the crossed sheet keep pointing from the side where the sphere
/// came from, with an overlap larger than the radius. So a thin wall holds a sphere as long as the
/// center is less than a radius behind it. That ends where the center crosses back, or where a
/// straight line takes it back without crossing a facet: behind a plate it may slip off the rim.
///
/// What is kept is one point, `home`. It is the center of the last call; through a wall it is a
/// point in front of the contact, on the side where the sphere came from. A new memory
/// (`default()`) knows no side: the first call takes the one the center is on. Take a new one when
/// another sphere gets the place of the old one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LastSide<V> {
    home: Option<V>,
    /// The facet that home is nearest to, or [`NONE`]: in a wall that deforms, home goes along.
    facet: u32,
}

impl<V> Default for LastSide<V> {
    fn default() -> Self {
        Self {
            home: None,
            facet: NONE,
        }
    }
}

impl<V> LastSide<V> {
    /// The side on which a point is, in the coordinates of the mesh.
    pub const fn of(center: V) -> Self {
        Self {
            home: Some(center),
            facet: NONE,
        }
    }
}

impl<V: Vector> LastSide<V> {
    /// Takes home along with its facet in a wall whose vertices have moved. Of a sphere that did not
    /// touch the wall nothing is known.
    pub(super) fn carry<S: Surface<Vector = V>>(&mut self, mesh: &S, vertices_before: &[V]) {
        let is_known = (self.facet as usize) < mesh.facet_count();
        let home = self.home.filter(|_| is_known);
        self.home = home.map(|home| mesh.carried(self.facet, home, vertices_before));
    }

    /// Takes home to the image that is nearest to a center, in the coordinates of the mesh.
    pub(super) fn wrap(&mut self, center: V, period: &PeriodicBox<V>, pose: &Pose<V>) {
        if let Some(home) = &mut self.home {
            let from = pose.transform_vector(*home - center);
            let nearest = period.minimum_image(from);
            if nearest != from {
                *home = center + pose.inverse_transform_vector(nearest);
            }
        }
    }

    /// Home as far as it is a point of the domain.
    fn home(&self) -> Option<V> {
        self.home.filter(|&home| check_position(0, home).is_ok())
    }
}

/// The facets whose boxes the ball touches, each with its view and the image of the center there. Which
/// others were found depends on how they were searched.
fn near<'a, S: Surface>(
    mesh: &'a S,
    ball: Ball<S::Vector>,
    found: &'a Found<S::Vector>,
) -> impl Iterator<Item = (u32, u32, S::Vector)> + 'a {
    let is_near = move |&(facet, _, center): &(u32, u32, S::Vector)| {
        let bounds = mesh.facet_box(facet as usize);
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
    /// Sees which of the facets found the line from home crosses. `minima` ascend by distance.
    #[inline]
    pub(super) fn start<S: Surface<Vector = V>>(
        &mut self,
        mesh: &S,
        ball: Ball<V>,
        found: &Found<V>,
        last: &LastSide<V>,
    ) {
        self.crossed.clear();
        let (Some(home), Some(nearest)) = (last.home, found.minima.first()) else {
            return;
        };
        // No facet is crossed if the nearest is twice as far away as home, and by more than
        // rounding.
        let moved_squared = (ball.center - home).length_squared();
        let near_squared = (4.0 * moved_squared).max(CLEAR_SQUARED * (ball.reach * ball.reach));
        // Also false for NaN.
        let is_clear = nearest.distance_squared > near_squared;
        if !is_clear {
            self.cross(mesh, ball, found, last);
        }
    }

    #[cold]
    #[inline(never)]
    fn cross<S: Surface<Vector = V>>(
        &mut self,
        mesh: &S,
        ball: Ball<V>,
        found: &Found<V>,
        last: &LastSide<V>,
    ) {
        let Some(home) = last.home() else { return };
        self.see(mesh, ball, found, home);
        if !self.crossed.is_empty() {
            self.follow(mesh, ball, found);
        }
    }

    fn see<S: Surface<Vector = V>>(&mut self, mesh: &S, ball: Ball<V>, found: &Found<V>, home: V) {
        self.home = home;
        self.crossed.clear();
        for (facet, view, center) in near(mesh, ball, found) {
            let from = home + (center - ball.center);
            let crossed = mesh.crossed(facet, from, center);
            self.crossed.extend(crossed.map(|is_front| Crossed {
                facet,
                is_front,
                view,
            }));
        }
    }

    /// Moves home opposite to the center at a contact that is through, where nothing is in
    /// between: so home stays beside a sphere that slides along behind the wall.
    fn follow<S: Surface<Vector = V>>(&mut self, mesh: &S, ball: Ball<V>, found: &Found<V>) {
        let before = self.home;
        for minimum in &found.minima {
            let to_home = before - ball.center;
            if !contact::facing(mesh, minimum, Some((to_home, &self.crossed))).is_through {
                continue;
            }
            let home = ball.center + minimum.offset * 2.0;
            let is_open = near(mesh, ball, found).all(|(facet, _, center)| {
                let shift = center - ball.center;
                (mesh.crossed(facet, before + shift, home + shift)).is_none()
            });
            if is_open {
                self.see(mesh, ball, found, home);
                if self.is_at(mesh, found, minimum) {
                    return;
                }
                self.see(mesh, ball, found, before);
            }
        }
    }

    /// Whether the surface at a minimum is crossed: a facet there, or one that it touches.
    pub(super) fn is_at<S: Surface<Vector = V>>(
        &self,
        mesh: &S,
        found: &Found<V>,
        minimum: &Minimum<V>,
    ) -> bool {
        let shift = |view: u32| found.shift(V::ZERO, view);
        let mut is_crossed = false;
        mesh.for_each_facet_at(minimum.feature, |facet| {
            is_crossed |= self.crossed.iter().any(|crossed| {
                let between = shift(minimum.view) - shift(crossed.view);
                touch(mesh, crossed.facet, facet, between)
            });
        });
        is_crossed
    }

    /// From the center to home, and what is crossed; `None` if nothing is.
    pub(super) fn to_home(&self, center: V) -> ToHome<'_, V> {
        (!self.crossed.is_empty()).then(|| (self.home - center, &self.crossed[..]))
    }

    /// What is to be kept: home if the sphere is held at a minimum, otherwise the center.
    #[inline]
    pub(super) fn end(
        &self,
        last: &mut LastSide<V>,
        center: V,
        found: &Found<V>,
        held: Option<usize>,
    ) {
        let home = if held.is_some() { self.home } else { center };
        let at = found.minima.get(held.unwrap_or(0));
        // Beside the facet, not beside one of its images.
        let shift = at.map_or(V::ZERO, |minimum| found.shift(center, minimum.view));
        *last = LastSide {
            home: Some(home + shift),
            facet: at.map_or(NONE, |minimum| minimum.facet),
        };
    }
}
