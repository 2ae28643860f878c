//! Sheets of a wall of segments: which minima are connected with deeper points, and which segments belong to a
//! contact.

use glam::DVec2;
use smallvec::SmallVec;

use super::line::Interval;
use super::{NearSegment, PolygonWall, Scene};
use crate::math::{closest_on_segment, positive_angle};
use crate::narrow::convex_wall::NEAR;
use crate::narrow::convex_wall::sheet::{FEW, SAME_WAY};

impl PolygonWall {
    /// Returns a point at which two segments of the same sheet touch, other than `except`.
    ///
    /// Each comes with a part that touches. A concave vertex with a large bend separates sheets, in front of
    /// both segments.
    fn connection(
        &self,
        (a, part_of_a): (&NearSegment, Interval),
        (b, part_of_b): (&NearSegment, Interval),
        except: Option<DVec2>,
        scene: &Scene,
    ) -> Option<DVec2> {
        let slack = NEAR * scene.tolerance;
        let [of_a, of_b] = [part_of_a, part_of_b].map(Interval::ends);
        let is_on = |x: DVec2, [from, to]: [DVec2; 2]| {
            closest_on_segment(x, from, to).distance_squared <= slack * slack
        };
        let is_bent = a.front.dot(b.front) < scene.bend;
        let is_shared = |x: &DVec2| {
            is_on(*x, of_a)
                && is_on(*x, of_b)
                && except.is_none_or(|other| x.distance(other) > slack)
                && (!is_bent || self.goes_on([a, b], *x, scene))
        };
        of_a.into_iter().chain(of_b).find(is_shared)
    }

    /// Returns whether the front of a segment goes on to that of another one over a vertex that is not concave.
    fn goes_on(&self, [a, b]: [&NearSegment; 2], x: DVec2, scene: &Scene) -> bool {
        let slack = NEAR * scene.tolerance;
        let ways = |segment: &NearSegment| {
            let arms = segment.line.ends().map(|end| end - x).into_iter();
            arms.filter(move |arm| arm.length() > slack)
        };
        let here = Interval {
            origin: x,
            from: 0.0,
            to: 0.0,
            ..a.line
        };
        let id = |segment: &NearSegment| (segment.image, segment.segment);
        // The front is on the left of the first way, and on the right of the second one, or the other way around.
        [1.0, -1.0].into_iter().any(|side| {
            let is_left = |way: DVec2, front: DVec2| side * way.perp_dot(front) > 0.0;
            let first = ways(a).find(|&way| is_left(way, a.front));
            let second = ways(b).find(|&way| !is_left(way, b.front));
            let (Some(first), Some(second)) = (first, second) else {
                return false;
            };
            let angle = |way: DVec2| positive_angle(side * first.perp_dot(way), first.dot(way));
            let mut is_single = true;
            self.for_each_near(here, scene, |_, third| {
                let [from, to] = third.line.ends();
                let is_here = closest_on_segment(x, from, to).distance_squared <= slack * slack;
                if is_here && id(third) != id(a) && id(third) != id(b) {
                    let range = SAME_WAY..angle(second) - SAME_WAY;
                    is_single &= !ways(third).any(|way| range.contains(&angle(way)));
                }
            });
            is_single && !(a.front.dot(second) > slack && b.front.dot(first) > slack)
        })
    }

    /// Visits segments, among them all that touch a part of one.
    pub(super) fn for_each_near(
        &self,
        part: Interval,
        scene: &Scene,
        mut visit: impl FnMut(usize, &NearSegment),
    ) {
        if self.segments.len() <= FEW {
            let all = self.segments.iter().enumerate();
            return all.for_each(|(j, other)| visit(j, other));
        }
        let reach = 0.5 * part.length() + NEAR * scene.tolerance;
        let at = scene.relative.inverse_transform_vector(part.middle());
        for (image, &center) in (0..).zip(&scene.centers) {
            scene.wall.for_each_slot_within(reach, center + at, |slot| {
                let id = scene.wall.facet_in(slot);
                let key = |other: &NearSegment| (other.image, other.segment);
                let found = self.segments.binary_search_by_key(&(image, id), key);
                if let Ok(j) = found {
                    visit(j, &self.segments[j]);
                }
            });
        }
    }

    /// Finds the segments whose minima are connected with deeper points of the same sheet.
    ///
    /// A segment is passed if a deeper one touches its minima; or if one does that is passed elsewhere, at
    /// the same depth to rounding. The deepest segment is never passed.
    pub(super) fn pass(&mut self, scene: &Scene) {
        self.passed.clear();
        for i in 0..self.segments.len() {
            let segment = &self.segments[i];
            let mut found = None;
            self.for_each_near(segment.lowest, scene, |_, other| {
                if other.phi < segment.phi - scene.tolerance && found.is_none() {
                    let at = self.connection(
                        (segment, segment.lowest),
                        (other, other.line),
                        None,
                        scene,
                    );
                    found = at.map(|at| (at, other.phi));
                }
            });
            if found.is_some() {
                self.segments[i].passed = found;
                self.passed.push(i);
            }
        }
        while let Some(i) = self.passed.pop() {
            let mut found: SmallVec<[(usize, DVec2); 8]> = SmallVec::new();
            let passed = self.segments[i].passed;
            let (at, phi) = passed.unwrap_or((DVec2::ZERO, f64::INFINITY));
            self.for_each_tied(i, scene, Some(at), |j, other, at| {
                if phi < other.phi {
                    found.push((j, at));
                }
            });
            for (j, at) in found {
                self.segments[j].passed = Some((at, phi));
                self.passed.push(j);
            }
        }
    }

    /// Visits the segments, not passed, whose minima are as deep and touch those of a segment, and where.
    pub(super) fn for_each_tied(
        &self,
        index: usize,
        scene: &Scene,
        except: Option<DVec2>,
        mut visit: impl FnMut(usize, &NearSegment, DVec2),
    ) {
        let segment = &self.segments[index];
        self.for_each_near(segment.lowest, scene, |j, other| {
            let is_tied = (other.phi - segment.phi).abs() <= scene.tolerance;
            if is_tied && other.passed.is_none() {
                let [a, b] = [segment, other].map(|segment| (segment, segment.lowest));
                let at = self.connection(a, b, except, scene);
                at.into_iter().for_each(|at| visit(j, other, at));
            }
        });
    }

    /// Gives each segment to the contact of its sheet with the nearest normal.
    pub(super) fn assign(&mut self, scene: &Scene) {
        if self.contacts.len() > 1 {
            let mut sheets = std::mem::take(&mut self.sheets);
            let mut of_sheets = std::mem::take(&mut self.sheet_contacts);
            sheets.reset(self.segments.len());
            for (i, segment) in self.segments.iter().enumerate() {
                let part = segment.part(&self.sides);
                self.for_each_near(part, scene, |j, other| {
                    let parts = [(segment, part), (other, other.part(&self.sides))];
                    if j < i && self.connection(parts[0], parts[1], None, scene).is_some() {
                        sheets.join(i as u32, j as u32);
                    }
                });
            }
            of_sheets.set(self.minima.iter().filter_map(|(segment, contact)| {
                let index = self.same_line(contact, scene)?;
                let normal = self.contacts[index].normal;
                Some((sheets.root(*segment), index as u32, normal))
            }));
            for (i, segment) in (0..).zip(&mut self.segments) {
                segment.contact = of_sheets.nearest(sheets.root(i), -segment.front);
            }
            (self.sheets, self.sheet_contacts) = (sheets, of_sheets);
        }
        let contacts = self.segments.iter().map(|segment| segment.contact);
        self.contact_segments.set(contacts);
    }
}
