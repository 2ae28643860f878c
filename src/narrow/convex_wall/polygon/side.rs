//! The side of a wall on which a polygon belongs, as for a polyhedron.

use glam::DVec2;

use super::{NearSegment, PolygonWall, Scene};
use crate::narrow::WallSides;
use crate::narrow::convex_wall::ConvexWallState;
use crate::narrow::convex_wall::side::is_open;

impl PolygonWall {
    /// Turns the fronts of segments to the side on which the body belongs, as for a polyhedron. Returns home, from
    /// the centroid, if the body is through a wall.
    pub(super) fn set_fronts(
        &mut self,
        scene: &Scene,
        state: &ConvexWallState<DVec2>,
    ) -> Option<DVec2> {
        if scene.sides != WallSides::Both {
            return None;
        }
        let home = state.wall.home().map(|home| home - scene.centroid);
        let home = home.filter(|&home| {
            let is_crossed = |near: &NearSegment| {
                let centroid = scene.centers[near.image as usize];
                (scene.wall).is_crossed(near.segment, centroid + home, centroid)
            };
            home != DVec2::ZERO && self.segments.iter().any(is_crossed)
        });
        let side_of = scene.relative.transform_vector(home.unwrap_or_default());
        for near in &mut self.segments {
            if near.front.dot(near.line.origin - side_of) > 0.0 {
                near.front = -near.front;
            }
        }
        home
    }

    /// Stores where the body belongs, as for a polyhedron.
    pub(super) fn keep_home(
        &self,
        scene: &Scene,
        home: Option<DVec2>,
        state: &mut ConvexWallState<DVec2>,
    ) {
        let facet = self.contacts.first().map(|contact| contact.facet);
        let opposite = home.and_then(|home| {
            self.contacts.iter().find_map(|contact| {
                let through = -contact.normal.dot(contact.point);
                let back = contact.normal * (-2.0 * through);
                let back = scene.relative.inverse_transform_vector(back);
                let images = scene.centers.iter().copied();
                let is_free = through > 0.0 && is_open(scene.wall, images, [home, back]);
                is_free.then_some(back)
            })
        });
        let home = opposite.or(home).unwrap_or_default();
        state.wall.set_home(scene.centroid + home, facet);
    }
}
