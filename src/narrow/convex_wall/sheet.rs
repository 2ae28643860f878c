//! Sheets of a wall: which minima are connected with deeper points, and which facets belong to a contact.

use glam::DVec3;
use smallvec::SmallVec;

use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::tolerance::{FACET_SHAPE, STRICT};
use crate::math::{closest_on_polygon, closest_on_segment, direction, positive_angle};

/// Up to this many facets are compared with each other. Among more, the tree of the wall finds those nearby.
pub(super) const FEW: usize = 64;
/// Directions that differ by a smaller angle are the same.
pub(super) const SAME_WAY: f64 = 1e-6;
/// The index of no facet.
const NONE: usize = usize::MAX;

impl ConvexWall {
    /// Finds the facets whose minimum is connected with deeper points of the same sheet.
    ///
    /// A facet is passed if a deeper one touches it where it has its minimum; or if one does that is passed
    /// itself and has its minimum there, at the same depth. Facets that meet only at a vertex, with a large
    /// bend, are connected through those between them, which are at least as deep there.
    pub(super) fn pass(&mut self, scene: &Scene) {
        self.passed.clear();
        self.kept.clear();
        let depths = self.facets.iter().map(|facet| facet.phi);
        let deepest = depths.fold(f64::INFINITY, f64::min);
        for i in 0..self.facets.len() {
            let phi = self.facets[i].phi;
            if deepest < phi - scene.tolerance
                && let Some(deeper) = self.deeper(i, scene)
            {
                self.facets[i].is_passed = true;
                self.passed.push((i, deeper));
            } else {
                self.kept.push(phi);
            }
        }
        if !self.passed.is_empty() {
            self.kept.sort_unstable_by(f64::total_cmp);
        }
        while let Some((i, deeper)) = self.passed.pop() {
            let phi = self.facets[i].phi;
            let least = phi - scene.tolerance;
            let first = self.kept.partition_point(|&phi| phi < least);
            if (self.kept.get(first)).is_none_or(|&kept| kept > phi + scene.tolerance) {
                continue;
            }
            let facet = self.facets[i];
            let mut found: SmallVec<[usize; 8]> = SmallVec::new();
            self.any_beside_minimum(i, scene, |j, other| {
                let is_tied = (other.phi - facet.phi).abs() <= scene.tolerance;
                // Ties are not transitive: a chain of them does not lead down to where it came from.
                if is_tied
                    && other.phi > deeper
                    && !other.is_passed
                    && self.are_connected(&facet, other, scene)
                    && touch(self.lowest_of(&facet), self.lowest_of(other), scene)
                {
                    found.push(j);
                }
                false
            });
            for j in found {
                self.facets[j].is_passed = true;
                self.passed.push((j, deeper));
            }
        }
    }

    /// Returns phi of a deeper facet of the same sheet that touches one where that has its minimum.
    fn deeper(&self, index: usize, scene: &Scene) -> Option<f64> {
        let facet = &self.facets[index];
        let mut deeper = f64::NEG_INFINITY;
        let mut is_passed_by = |other: &NearFacet, is_common: bool| {
            deeper = other.phi;
            // Most facets are deeper or near, few are both: one branch.
            (deeper < facet.phi - scene.tolerance) & may_touch(facet, other, scene)
                && (is_common && facet.normal.dot(other.normal) >= self.bend
                    || self.are_connected(facet, other, scene))
        };
        // Most are decided at a common vertex or side. The last search finds all others, and these again.
        let is_point = facet.lowest_count == 1;
        let is_passed = self
            .any_at_lowest_corner(index, scene, |other| is_passed_by(other, is_point))
            || is_point && self.any_across(facet, scene, |other| is_passed_by(other, false))
            || self.any_beside_minimum(index, scene, |_, other| is_passed_by(other, false));
        is_passed.then_some(deeper)
    }

    /// Gives each facet to the contact of its sheet with the nearest normal.
    pub(super) fn assign(&mut self, scene: &Scene) {
        if self.contacts.len() > 1 {
            let mut sheets = std::mem::take(&mut self.sheets);
            let mut of_sheets = std::mem::take(&mut self.sheet_contacts);
            sheets.reset(self.facets.len());
            for (i, facet) in self.facets.iter().enumerate() {
                self.any_nearby(i, (facet.middle, facet.radius), scene, |j, other| {
                    let ids = [i as u32, j as u32];
                    let is_new = j < i && sheets.root(ids[0]) != sheets.root(ids[1]);
                    if is_new && self.are_in_one_sheet([i, j], [facet, other], scene) {
                        sheets.join(ids[0], ids[1]);
                    }
                    false
                });
            }
            of_sheets.set(self.minima.iter().filter_map(|(facet, contact)| {
                let index = self.same_plane(contact, scene)?;
                let normal = self.contacts[index].normal;
                Some((sheets.root(*facet), index as u32, normal))
            }));
            for (i, facet) in (0..).zip(&mut self.facets) {
                facet.contact = of_sheets.nearest(sheets.root(i), -facet.normal);
            }
            (self.sheets, self.sheet_contacts) = (sheets, of_sheets);
        }
        let contacts = self.facets.iter().map(|facet| facet.contact);
        self.contact_facets.set(contacts);
    }

    /// Returns whether the parts of two facets inside the body are connected without a concave edge.
    fn are_in_one_sheet(&self, ids: [usize; 2], [a, b]: [&NearFacet; 2], scene: &Scene) -> bool {
        let spread = a.radius + b.radius + NEAR * scene.tolerance;
        if a.middle.distance_squared(b.middle) > spread * spread {
            return false;
        }
        let [p, q] = ids.map(|i| self.bed.part(i));
        if a.normal.dot(b.normal) >= self.bend {
            return touch(p, q, scene);
        }
        let edge = common_segment(p, q, scene);
        edge.is_some_and(|[from, to]| {
            let part = [0.0, from.distance(to)];
            self.goes_on([a, b], [from, to], part, scene)
        })
    }

    /// As [`any_beside_minimum`](Self::any_beside_minimum), for the facets that share a side.
    fn any_across(
        &self,
        facet: &NearFacet,
        scene: &Scene,
        mut test: impl FnMut(&NearFacet) -> bool,
    ) -> bool {
        let mut has_passed = false;
        if self.facets.len() > FEW && facet.is_on_border {
            scene.wall.for_each_neighbor(facet.slot, |slot| {
                let other = self.facet_table.get(&self.facets, facet.image, slot);
                if let (Some(j), false) = (other, has_passed) {
                    has_passed = test(&self.facets[j]);
                }
            });
        }
        has_passed
    }

    /// As [`any_nearby`](Self::any_nearby), for the facets that touch one where it has its minimum.
    fn any_beside_minimum(
        &self,
        index: usize,
        scene: &Scene,
        test: impl FnMut(usize, &NearFacet) -> bool,
    ) -> bool {
        let facet = &self.facets[index];
        let ball = (facet.point, facet.lowest_radius);
        facet.is_on_border && self.any_nearby(index, ball, scene, test)
    }

    /// As [`any_beside_minimum`](Self::any_beside_minimum), for the facets that share a vertex at the minimum.
    fn any_at_lowest_corner(
        &self,
        index: usize,
        scene: &Scene,
        mut test: impl FnMut(&NearFacet) -> bool,
    ) -> bool {
        let facet = &self.facets[index];
        let reach = facet.lowest_radius + NEAR * scene.tolerance;
        let corners = self.corners_of(facet);
        let is_lowest = |i: usize| corners[i].distance_squared(facet.point) <= reach * reach;
        let passes = |slot: u32| {
            let other = self.facet_table.get(&self.facets, facet.image, slot);
            slot != facet.slot && other.is_some_and(|j| test(&self.facets[j]))
        };
        (self.facets.len() > FEW && facet.is_on_border)
            && scene.wall.any_at_corners(facet.slot, is_lowest, passes)
    }

    /// Returns whether another facet passes a test. Tests at least all facets that touch a ball, until one
    /// passes.
    pub(super) fn any_nearby(
        &self,
        index: usize,
        (center_of_ball, radius): (DVec3, f64),
        scene: &Scene,
        mut test: impl FnMut(usize, &NearFacet) -> bool,
    ) -> bool {
        if self.facets.len() <= FEW {
            let mut others = self.facets.iter().enumerate();
            return others.any(|(j, other)| j != index && test(j, other));
        }
        let mut has_passed = false;
        let reach = radius + NEAR * scene.tolerance;
        let at = scene.rotation.transpose() * center_of_ball;
        for (image, &center) in (0..).zip(&scene.centers) {
            scene.wall.for_each_slot_within(reach, center + at, |slot| {
                let found = |_| self.facet_table.get(&self.facets, image, slot);
                if let Some(j) = (!has_passed).then_some(()).and_then(found) {
                    has_passed = j != index && test(j, &self.facets[j]);
                }
            });
        }
        has_passed
    }

    /// Returns the ends of the segment along which two facets meet.
    fn common_edge(&self, a: &NearFacet, b: &NearFacet, scene: &Scene) -> Option<[DVec3; 2]> {
        let of_a = self
            .corners_of(a)
            .iter()
            .filter(|x| self.is_on(b, **x, scene));
        let of_b = self
            .corners_of(b)
            .iter()
            .filter(|x| self.is_on(a, **x, scene));
        ends_of(of_a.chain(of_b).copied(), scene)
    }

    /// Returns whether a facet of the same sheet touches another one where that has its minimum.
    ///
    /// Facets with a small bend between them may touch in any way; those with a large bend along an edge,
    /// which is not concave.
    fn are_connected(&self, facet: &NearFacet, other: &NearFacet, scene: &Scene) -> bool {
        let lowest = self.lowest_of(facet);
        if !may_touch(facet, other, scene) || is_off_plane(lowest, other, scene) {
            return false;
        }
        if facet.normal.dot(other.normal) >= self.bend {
            return lowest.iter().any(|&x| self.is_on(other, x, scene))
                || lowest.len() > 1 && touch(self.corners_of(other), lowest, scene);
        }
        let edge = self.common_edge(facet, other, scene);
        edge.is_some_and(|edge| {
            let part = part_at(lowest, edge, scene);
            part.is_some_and(|part| self.goes_on([facet, other], edge, part, scene))
        })
    }

    /// Returns whether the front of a facet goes on to that of another one over a part of a common edge, which is not
    /// concave. The part is given by distances from the start of the edge.
    ///
    /// Where a wall stands on a floor, it does not go on to the floor behind it, and where walls cross, to none.
    fn goes_on(
        &self,
        [a, b]: [&NearFacet; 2],
        [from, to]: [DVec3; 2],
        part: [f64; 2],
        scene: &Scene,
    ) -> bool {
        let Some(axis) = direction(to - from, from.distance(to)) else {
            return false;
        };
        let sees = |facet: &NearFacet, way: DVec3| facet.normal.dot(way) > STRICT;
        // The front is on the left of the first way, and on the right of the second one.
        [axis, -axis].into_iter().any(|axis| {
            let [first, second] = [a.normal.cross(axis), axis.cross(b.normal)];
            let angle = |way: DVec3| positive_angle(axis.cross(first).dot(way), first.dot(way));
            let is_between = |third: &NearFacet| {
                let across = third.normal.cross(axis);
                let id = |facet: &NearFacet| (facet.image, facet.facet);
                id(third) != id(a)
                    && id(third) != id(b)
                    && [across, -across].into_iter().any(|way| {
                        let range = SAME_WAY..angle(second) - SAME_WAY;
                        range.contains(&angle(way)) && self.reaches(third, way, from, scene)
                    })
            };
            self.reaches(a, first, from, scene)
                && self.reaches(b, second, from, scene)
                && !(sees(a, second) && sees(b, first))
                && !self.is_covered([from, to], part, scene, is_between)
        })
    }

    /// Returns whether the facets that pass a test cover a part of a segment together.
    fn is_covered(
        &self,
        segment: [DVec3; 2],
        [start, end]: [f64; 2],
        scene: &Scene,
        test: impl Fn(&NearFacet) -> bool,
    ) -> bool {
        let mut covered: SmallVec<[[f64; 2]; 4]> = SmallVec::new();
        self.for_each_along(segment, scene, |facet, range| {
            if test(facet) {
                covered.push(range);
            }
        });
        covered.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let gap = least_part(end - start, scene);
        let mut covered = covered.iter();
        let reached = covered.try_fold(start, |reached, range| {
            (range[0] - reached <= gap).then_some(reached.max(range[1]))
        });
        reached.is_some_and(|reached| end - reached <= gap)
    }

    /// Visits the facets that have a part of a segment in common, each with the distances of its ends from the start.
    fn for_each_along(
        &self,
        [from, to]: [DVec3; 2],
        scene: &Scene,
        mut visit: impl FnMut(&NearFacet, [f64; 2]),
    ) {
        let length = from.distance(to);
        let Some(axis) = direction(to - from, length) else {
            return;
        };
        let least = least_part(length, scene);
        let ball = (from.midpoint(to), 0.5 * length);
        self.any_nearby(NONE, ball, scene, |_, facet| {
            if facet.normal.dot(axis).abs() <= SAME_WAY {
                let [start, end] = self.range_along(facet, from, axis, scene);
                let [start, end] = [start.max(0.0), end.min(length)];
                let middle = from + axis * (0.5 * (start + end));
                if end - start > least && self.is_on(facet, middle, scene) {
                    visit(facet, [start, end]);
                }
            }
            false
        });
    }

    /// Returns the ends of the part of a line in the plane of a facet that is on the facet. Without such a part the
    /// first is larger.
    fn range_along(&self, facet: &NearFacet, from: DVec3, axis: DVec3, scene: &Scene) -> [f64; 2] {
        let slack = NEAR * scene.tolerance;
        let across = facet.normal.cross(axis);
        let corners = self.corners_of(facet);
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        let mut see = |x: f64| range = [range[0].min(x), range[1].max(x)];
        let mut last = corners.last().map_or(DVec3::ZERO, |&x| x - from);
        for corner in corners.iter().map(|&x| x - from) {
            let [a, b] = [last, corner].map(|x| across.dot(x));
            if b.abs() <= slack {
                see(axis.dot(corner));
            } else if (a < -slack && b > slack) || (a > slack && b < -slack) {
                see(axis.dot(last + (corner - last) * (a / (a - b))));
            }
            last = corner;
        }
        range
    }

    /// Returns whether a facet goes in a direction from a point.
    fn reaches(&self, facet: &NearFacet, way: DVec3, from: DVec3, scene: &Scene) -> bool {
        let slack = NEAR * scene.tolerance;
        let mut corners = self.corners_of(facet).iter();
        corners.any(|&x| way.dot(x - from) > slack)
    }

    /// Returns whether a point is on a facet.
    fn is_on(&self, facet: &NearFacet, x: DVec3, scene: &Scene) -> bool {
        let slack = NEAR * scene.tolerance;
        let spread = facet.radius + slack;
        if x.distance_squared(facet.middle) > spread * spread {
            return false;
        }
        let corners = self.corners_of(facet);
        let mut is_inside = true;
        let mut nearest = (f64::INFINITY, x);
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
            if closest_on_segment(x, from, to).distance_squared <= slack * slack {
                return true;
            }
            is_inside &= facet.normal.cross(to - from).dot(x - from) > 0.0;
            let distance_squared = x.distance_squared(from);
            if distance_squared < nearest.0 {
                nearest = (distance_squared, from);
            }
        }
        is_inside && facet.normal.dot(x - nearest.1).abs() <= slack
    }
}

/// Returns whether a corner of a convex polygon, segment or point is on another one.
pub(super) fn touch(a: &[DVec3], b: &[DVec3], scene: &Scene) -> bool {
    let slack = NEAR * scene.tolerance;
    let is_on = |polygon: &[DVec3], x: DVec3| {
        closest_on_polygon(x, polygon).distance_squared <= slack * slack
    };
    a.iter().any(|&x| is_on(b, x)) || b.iter().any(|&x| is_on(a, x))
}

/// Returns whether a facet may touch another one where that has its minimum.
#[inline]
fn may_touch(facet: &NearFacet, other: &NearFacet, scene: &Scene) -> bool {
    let spread = facet.lowest_radius + other.radius + 2.0 * NEAR * scene.tolerance;
    facet.point.distance_squared(other.middle) <= spread * spread
}

/// Returns whether points are on one side of the plane of a facet, farther away than what touches it.
fn is_off_plane(points: &[DVec3], facet: &NearFacet, scene: &Scene) -> bool {
    let reach = 4.0 * (NEAR * scene.tolerance + FACET_SHAPE * facet.radius);
    let mut heights = points.iter().map(|x| facet.normal.dot(x - facet.middle));
    match heights.next() {
        Some(first) if first > reach => heights.all(|height| height > reach),
        Some(first) if first < -reach => heights.all(|height| height < -reach),
        _ => false,
    }
}

/// Returns the shortest part of a segment that counts: shorter ones are due to rounding.
fn least_part(length: f64, scene: &Scene) -> f64 {
    (2.0 * NEAR * scene.tolerance).min(0.5 * length)
}

/// Returns the part of an edge that is at the minimum of a facet, and what is just beside it, by distances from the
/// start of the edge. `None` if none is.
fn part_at(lowest: &[DVec3], [from, to]: [DVec3; 2], scene: &Scene) -> Option<[f64; 2]> {
    let length = from.distance(to);
    let axis = direction(to - from, length)?;
    let slack = NEAR * scene.tolerance;
    let is_on = |polygon: &[DVec3], x: DVec3| {
        closest_on_polygon(x, polygon).distance_squared <= slack * slack
    };
    let of_lowest = lowest.iter().filter(|x| is_on(&[from, to], **x));
    let of_edge = [from, to].into_iter().filter(|x| is_on(lowest, *x));
    let at = of_lowest
        .copied()
        .chain(of_edge)
        .map(|x| axis.dot(x - from));
    let [start, end] = at.fold([f64::INFINITY, f64::NEG_INFINITY], |[start, end], x| {
        [start.min(x), end.max(x)]
    });
    let reach = 4.0 * slack;
    (start <= end).then(|| [(start - reach).max(0.0), (end + reach).min(length)])
}

/// Returns the ends of the segment along which two convex polygons meet.
fn common_segment(a: &[DVec3], b: &[DVec3], scene: &Scene) -> Option<[DVec3; 2]> {
    let of_a = a.iter().filter(|x| touch(b, &[**x], scene));
    let of_b = b.iter().filter(|x| touch(a, &[**x], scene));
    ends_of(of_a.chain(of_b).copied(), scene)
}

/// Returns the ends of the shortest segment that contains some points of a line, `None` if all are the same.
///
/// The first point may be between the ends, if a corner of a facet is on a straight side.
fn ends_of(mut points: impl Iterator<Item = DVec3>, scene: &Scene) -> Option<[DVec3; 2]> {
    let first = points.next()?;
    let ends = (first, first, 0.0);
    let (start, end, squared) = points.fold(ends, |(start, end, squared), x| {
        let [from_start, from_end] = [start, end].map(|end| end.distance_squared(x));
        if from_start > squared && from_start >= from_end {
            (start, x, from_start)
        } else if from_end > squared {
            (x, end, from_end)
        } else {
            (start, end, squared)
        }
    });
    let slack = NEAR * scene.tolerance;
    (squared > slack * slack).then_some([start, end])
}
