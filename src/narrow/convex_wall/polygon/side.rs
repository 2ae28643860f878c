//! The side of a wall on which a polygon belongs, as for a polyhedron.

use glam::DVec2;
use smallvec::SmallVec;

use super::{NearSegment, PolygonWall, Scene};
use crate::math::tolerance::STRICT;
use crate::math::{closest_on_segment, direction};
use crate::narrow::WallSides;
use crate::narrow::convex_wall::parts::{Branches, Parts, View};
use crate::narrow::convex_wall::side::{is_open, reach_of};
use crate::narrow::convex_wall::{ConvexWallState, NEAR};

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
        let first = self.segments.first().map_or(DVec2::ZERO, |near| near.front);
        let is_bent = |near: &NearSegment| near.front.distance_squared(first) > STRICT * STRICT;
        if self.segments.iter().any(is_bent) {
            self.set_fronts_of_parts(side_of, scene);
        }
        home
    }

    /// Sets one side for each connected part of the wall inside the body.
    #[cold]
    fn set_fronts_of_parts(&mut self, side_of: DVec2, scene: &Scene) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.reset(self.segments.len());
        for (i, near) in self.segments.iter().enumerate() {
            let [from, to] = near.part(&self.sides).ends();
            let distance = closest_on_segment(side_of, from, to)
                .distance_squared
                .sqrt();
            parts.see(View {
                distance,
                // Segments that leave the body have no point in common there.
                enlarged: distance,
                height: near.front.dot(side_of - near.line.origin).abs(),
                front: near.front,
                is_front: near.front.dot(near.own_front()) > 0.0,
            });
            for end in 0..2 {
                self.join_at(i, end, &mut parts, scene);
            }
        }
        let segments = &mut self.segments;
        parts.for_each_side(NEAR * scene.tolerance, |i, side| {
            segments[i].front = segments[i].own_front() * side;
        });
        self.parts = parts;
    }

    /// Connects a segment with those at one of its ends, if that is inside the body and the wall is a single line
    /// there.
    fn join_at(&self, index: usize, end: usize, parts: &mut Parts<DVec2>, scene: &Scene) {
        let slack = NEAR * scene.tolerance;
        let line = self.segments[index].line;
        let at = [line.from, line.to][end];
        let x = line.ends()[end];
        if self.sides.iter().any(|side| side.above(x) > -slack) {
            return;
        }
        let mut branches = Branches::default();
        let mut others: SmallVec<[usize; 4]> = SmallVec::new();
        self.for_each_near(line.within(at, at), scene, |j, other| {
            let ends = other.line.ends();
            if closest_on_segment(x, ends[0], ends[1]).distance_squared > slack * slack {
                return;
            }
            others.push(j);
            for way in ends.map(|end| end - x) {
                let reach = way.length();
                if let (true, Some(way)) = (reach > slack, direction(way, reach)) {
                    branches.push(j, way, reach, way.perp_dot(other.own_front()));
                }
            }
        });
        for j in others {
            let joined = branches.have_same_front([index, j], slack);
            joined
                .into_iter()
                .for_each(|is_same| parts.join(index, j, is_same));
        }
    }

    /// Stores where the body belongs, as for a polyhedron.
    pub(super) fn keep_home(
        &self,
        scene: &Scene,
        home: Option<DVec2>,
        state: &mut ConvexWallState<DVec2>,
    ) {
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
        let from = scene.relative.transform_vector(home);
        let reach = reach_of(&self.contacts, from, scene.tolerance);
        state.wall.set_home(scene.centroid + home, reach);
    }
}
