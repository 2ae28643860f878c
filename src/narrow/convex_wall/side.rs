//! The side of a wall on which a body belongs: that of its centroid before it crossed a facet.

use glam::DVec3;
use smallvec::SmallVec;

use super::parts::{Branches, View};
use super::rim::inside;
use super::sheet::{FEW, common_segment, least_part};
use super::{ConvexWall, ConvexWallContact, ConvexWallState, NEAR, NearFacet, Scene};
use crate::math::tolerance::STRICT;
use crate::math::{Vector, closest_on_polygon, closest_on_segment, direction};
use crate::narrow::{Wall, WallMesh, WallSides};
use crate::shape::Face;

impl ConvexWall {
    /// Sets the sides of the facets: those of home, if the path from there to the centroid crosses a facet
    /// inside the body, otherwise those of the centroid. Returns home if it does.
    pub(super) fn set_sides(&mut self, scene: &Scene, state: &ConvexWallState) -> Option<DVec3> {
        if self.sides != WallSides::Both {
            return None;
        }
        let home = state.wall.home().map(|home| home - scene.local_centroid);
        let home = home.filter(|&to_home| {
            let is_crossed = |facet: &NearFacet| scene.is_crossed(facet, to_home);
            to_home != DVec3::ZERO && self.facets.iter().any(is_crossed)
        });
        let side_of = scene.centroid + scene.rotation * home.unwrap_or_default();
        for facet in &mut self.facets {
            let corner = self.corners[facet.first_corner as usize];
            let is_in_front = facet.normal.dot(corner - side_of) <= 0.0;
            facet.side = if is_in_front { 1.0 } else { -1.0 };
        }
        if !self.are_in_one_plane() {
            let mut borders = std::mem::take(&mut self.borders);
            let agree = self.do_neighbors_agree(&mut borders, scene);
            if !agree || self.any_joined(&borders, scene, |_| true) {
                self.set_sides_of_parts(side_of, &borders, scene);
            }
            self.borders = borders;
        }
        home
    }

    /// Returns whether all facets have the same normal on the side of the body.
    fn are_in_one_plane(&self) -> bool {
        let is_first = |facet: &NearFacet| {
            facet.front().distance_squared(self.facets[0].front()) <= STRICT * STRICT
        };
        self.facets.iter().all(is_first)
    }

    /// Returns whether facets that share an edge inside the body have the same side. Collects the other sides of
    /// facets inside the body, which no single other facet shares.
    fn do_neighbors_agree(&self, borders: &mut Vec<Border>, scene: &Scene) -> bool {
        borders.clear();
        let mut agree = true;
        let side = self.facets.first().map(|facet| facet.side);
        let is_uniform = self.facets.iter().all(|facet| Some(facet.side) == side);
        for (facet, near) in self.facets.iter().enumerate() {
            if is_uniform && scene.wall.has_one_front(near.slot) {
                continue;
            }
            self.for_each_neighbor(near, scene, |side, neighbor| match neighbor {
                Some((other, have_same_front)) => {
                    let is_same = self.facets[other].side == near.side;
                    agree &= is_same == have_same_front || inside(side, scene).is_none();
                }
                None => borders.extend(
                    inside(side, scene).map(|ends| Border::new(facet, ends.map(|end| end.at))),
                ),
            });
        }
        agree
    }

    /// Visits the sides of a facet, each with the index of the facet inside the body across and whether both have
    /// the same front. `None` unless there is one.
    pub(super) fn for_each_neighbor(
        &self,
        facet: &NearFacet,
        scene: &Scene,
        mut visit: impl FnMut([DVec3; 2], Option<(usize, bool)>),
    ) {
        let corners = self.corners_of(facet);
        (scene.wall).for_each_neighbor(facet.slot, |i, neighbor| {
            let to = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
            let other = neighbor.and_then(|(slot, have_same_front)| {
                let other = self.facet_table.get(&self.facets, facet.image, slot)?;
                Some((other, have_same_front))
            });
            visit([corners[i], to], other);
        });
    }

    /// Returns whether the facets of two borders on one line pass a test. Tests all of them until one passes.
    fn any_joined(
        &self,
        borders: &[Border],
        scene: &Scene,
        mut test: impl FnMut([usize; 2]) -> bool,
    ) -> bool {
        let slack = NEAR * scene.tolerance;
        if borders.len() <= FEW {
            let are_joined = |a: &Border, b: &Border| {
                a.facet != b.facet && a.is_near(b, slack) && a.overlaps(b, slack)
            };
            return borders.iter().enumerate().any(|(i, border)| {
                let mut others = borders[..i].iter();
                others.any(|other| are_joined(border, other) && test([border.facet, other.facet]))
            });
        }
        borders.iter().any(|border| {
            let ball = (border.middle, border.radius);
            self.any_nearby(border.facet, ball, scene, |j, _| {
                let first = borders.partition_point(|other| other.facet < j);
                let mut others = borders[first..].iter().take_while(|other| other.facet == j);
                j < border.facet
                    && others.any(|other| border.overlaps(other, slack))
                    && test([border.facet, j])
            })
        })
    }

    /// Sets one side for each connected part of the wall inside the body.
    #[cold]
    fn set_sides_of_parts(&mut self, side_of: DVec3, borders: &[Border], scene: &Scene) {
        self.cut_facets(scene);
        let mut parts = std::mem::take(&mut self.parts);
        parts.reset(self.facets.len());
        for (i, facet) in self.facets.iter().enumerate() {
            self.for_each_neighbor(facet, scene, |side, neighbor| {
                if let Some((j, have_same_front)) = neighbor
                    && j < i
                    && let Some(ends) = inside(side, scene)
                {
                    let mut count = 0;
                    self.for_each_along(ends.map(|end| end.at), scene, |_, _| count += 1);
                    if count > 2 {
                        self.for_each_joint([i, j], scene, |is_same| parts.join(i, j, is_same));
                    } else {
                        parts.join(i, j, have_same_front);
                    }
                }
            });
            let part = match self.bed.part(i) {
                [] => self.corners_of(facet),
                part => part,
            };
            let corners = self.corners_of(facet);
            let height = facet.normal.dot(side_of - corners[0]);
            let nearest = closest_on_polygon(side_of, part);
            parts.see(View {
                distance: nearest.distance_squared.sqrt(),
                enlarged: distance_of_enlarged(facet, corners, side_of, nearest.offset, scene),
                height: height.abs(),
                front: facet.front(),
                is_front: facet.side > 0.0,
            });
        }
        self.any_joined(borders, scene, |ids| {
            self.for_each_joint(ids, scene, |is_same| parts.join(ids[0], ids[1], is_same));
            false
        });
        let facets = &mut self.facets;
        parts.for_each_side(NEAR * scene.tolerance, |i, side| facets[i].side = side);
        self.parts = parts;
    }

    /// Visits the parts of the line along which two facets meet inside the body, each with whether the facets have the
    /// same front. No other facet begins or ends within a part. Parts where the wall is not a single surface are left
    /// out.
    fn for_each_joint(&self, ids: [usize; 2], scene: &Scene, mut visit: impl FnMut(bool)) {
        let [a, b] = ids.map(|i| &self.facets[i]);
        let slack = NEAR * scene.tolerance;
        let spread = a.radius + b.radius + slack;
        if a.middle.distance_squared(b.middle) > spread * spread {
            return;
        }
        let [p, q] = ids.map(|i| self.bed.part(i));
        let Some([from, to]) = common_segment(p, q, scene) else {
            return;
        };
        let length = from.distance(to);
        let Some(axis) = direction(to - from, length) else {
            return;
        };
        let mut ends: SmallVec<[f64; 8]> = SmallVec::from_slice(&[0.0, length]);
        self.for_each_along([from, to], scene, |_, range| ends.extend(range));
        ends.sort_unstable_by(f64::total_cmp);
        for part in ends.windows(2) {
            let line = Line {
                point: from + axis * (0.5 * (part[0] + part[1])),
                axis,
            };
            let value = |face: &Face| face.normal.dot(line.point) - face.offset;
            if part[1] - part[0] <= least_part(length, scene)
                || scene.body.faces.iter().any(|face| value(face) > -slack)
            {
                continue;
            }
            let mut branches = Branches::default();
            let mut see = |i: usize, facet: &NearFacet| {
                for (way, reach) in self.ways_across(facet, line, scene) {
                    let turn = line.axis.cross(way).dot(facet.normal);
                    branches.push(i, way, reach, turn);
                }
                false
            };
            see(ids[0], a);
            self.any_nearby(ids[0], (line.point, 0.0), scene, see);
            if let Some(is_same) = branches.have_same_front(ids, slack) {
                visit(is_same);
            }
        }
    }

    /// Returns the unit vectors across a line along which a facet goes on from it, each with the size of the
    /// facet.
    fn ways_across(
        &self,
        facet: &NearFacet,
        line: Line,
        scene: &Scene,
    ) -> impl Iterator<Item = (DVec3, f64)> + use<> {
        let slack = NEAR * scene.tolerance;
        let across = facet.normal.cross(line.axis);
        let mut goes_on = [self.is_on(facet, line.point, scene); 2];
        let corners = self.corners_of(facet);
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        for (&from, &to) in sides {
            if closest_on_segment(line.point, from, to).distance_squared <= slack * slack {
                let inward = facet.normal.cross(to - from).dot(across);
                goes_on[usize::from(inward > 0.0)] &= inward == 0.0;
            }
        }
        let ways = [across, -across].into_iter().zip(goes_on);
        let reach = facet.radius;
        ways.filter_map(move |(way, goes_on)| goes_on.then_some((way, reach)))
    }

    /// Stores where the body belongs. `home`, from the centroid, is where it did if it is through a wall.
    ///
    /// Home then moves to the point opposite to the centroid at a contact, if no facet is in between. So it
    /// follows a body that slides along behind the wall.
    pub(super) fn keep_home(
        &self,
        scene: &Scene,
        home: Option<DVec3>,
        state: &mut ConvexWallState,
    ) {
        let reach = |home: DVec3| {
            let home = scene.centroid + scene.rotation * home;
            reach_of(&self.contacts, home, scene.tolerance)
        };
        let Some(home) = home else {
            let reach = reach(DVec3::ZERO);
            state.wall.set_home(scene.local_centroid, reach);
            return;
        };
        let opposite = self.contacts.iter().find_map(|contact| {
            let through = contact.normal.dot(scene.centroid - contact.point);
            let back = scene.rotation.transpose() * (contact.normal * (-2.0 * through));
            let images = || scene.centers.iter().map(|&x| scene.image_of_centroid(x));
            (through > 0.0 && is_open(scene.wall, images(), [home, back])).then_some(back)
        });
        let home = opposite.unwrap_or(home);
        let reach = reach(home);
        state.wall.set_home(scene.local_centroid + home, reach);
    }
}

/// Returns the distance of a facet that is enlarged without limit about a point of it. `offset` leads to the point.
fn distance_of_enlarged(
    facet: &NearFacet,
    corners: &[DVec3],
    from: DVec3,
    offset: DVec3,
    scene: &Scene,
) -> f64 {
    let slack = NEAR * scene.tolerance;
    let point = from + offset;
    let mut is_over = true;
    let mut least = f64::INFINITY;
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    for (&start, &end) in sides {
        let is_through = closest_on_segment(point, start, end).distance_squared <= slack * slack;
        let along = direction(end - start, start.distance(end));
        if let (true, Some(along)) = (is_through, along) {
            is_over &= facet.normal.cross(along).dot(offset) <= 0.0;
            let goes = |to: DVec3| to.distance_squared(point) > slack * slack;
            let [back, forth] = [start, end].map(|to| if goes(to) { f64::INFINITY } else { 0.0 });
            let way = -along.dot(offset);
            let way = way.clamp(-back, forth);
            least = least.min((offset + along * way).length());
        }
    }
    if is_over {
        facet.normal.dot(offset).abs()
    } else {
        least
    }
}

/// A side of a facet inside the body that no single other facet shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    facet: usize,
    ends: [DVec3; 2],
    middle: DVec3,
    radius: f64,
}

impl Border {
    fn new(facet: usize, ends: [DVec3; 2]) -> Self {
        Self {
            facet,
            ends,
            middle: ends[0].midpoint(ends[1]),
            radius: 0.5 * ends[0].distance(ends[1]),
        }
    }

    fn is_near(&self, other: &Self, slack: f64) -> bool {
        let reach = self.radius + other.radius + slack;
        self.middle.distance_squared(other.middle) <= reach * reach
    }

    /// Returns whether both have a segment in common.
    fn overlaps(&self, other: &Self, slack: f64) -> bool {
        let length = |border: &Self| border.ends[0].distance(border.ends[1]);
        let (long, short) = match length(self) < length(other) {
            true => (other, self),
            false => (self, other),
        };
        let from = long.ends[0];
        let Some(along) = direction(long.ends[1] - from, length(long)) else {
            return false;
        };
        let arms = short.ends.map(|end| end - from);
        let is_on_line = |arm: &DVec3| arm.cross(along).length_squared() <= slack * slack;
        let [a, b] = arms.map(|arm| arm.dot(along));
        arms.iter().all(is_on_line) && a.max(b).min(length(long)) - a.min(b).max(0.0) > slack
    }
}

/// A point of a line, and its direction.
#[derive(Clone, Copy, Debug)]
struct Line {
    point: DVec3,
    axis: DVec3,
}

impl Scene<'_> {
    /// Returns whether the line from home to the centroid crosses a facet. `to_home` is in the axes of the mesh.
    fn is_crossed(&self, facet: &NearFacet, to_home: DVec3) -> bool {
        let reach = facet.radius + to_home.length() + self.tolerance;
        // Most facets are farther away than home.
        if facet.middle.distance_squared(self.centroid) > reach * reach {
            return false;
        }
        let centroid = self.image_of_centroid(self.centers[facet.image as usize]);
        self.wall
            .is_crossed(facet.facet, centroid + to_home, centroid)
    }

    /// Returns the centroid beside an image of the center, in the coordinates of the mesh.
    fn image_of_centroid(&self, center: DVec3) -> DVec3 {
        center + self.rotation.transpose() * self.centroid
    }
}

/// Returns a distance from home within which there is a facet, if there are contacts.
pub(super) fn reach_of<V: Vector>(
    contacts: &[ConvexWallContact<V>],
    home: V,
    tolerance: f64,
) -> Option<f64> {
    let distances = contacts
        .iter()
        .map(|contact| (contact.point - home).length());
    let nearest = distances.reduce(f64::min);
    nearest.map(|distance| distance + NEAR * tolerance)
}

/// Returns whether no facet is between two points, given from the images of the centroid.
pub(super) fn is_open<M: WallMesh>(
    wall: &Wall<M>,
    images: impl Iterator<Item = M::Vector>,
    [from, to]: [M::Vector; 2],
) -> bool {
    let reach = 0.5 * (from - to).length();
    let mut is_open = true;
    for centroid in images {
        let [from, to] = [centroid + from, centroid + to];
        wall.for_each_facet_within(reach, (from + to) * 0.5, |facet| {
            is_open &= !wall.is_crossed(facet, from, to);
        });
    }
    is_open
}
