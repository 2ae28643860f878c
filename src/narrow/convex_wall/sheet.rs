//! Sheets of a wall: which minima are connected with deeper points.

use glam::DVec3;
use smallvec::SmallVec;

use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::{closest_on_polygon, closest_on_segment};

/// Up to this many facets are compared with each other. Among more, the tree of the wall finds those nearby.
const FEW: usize = 32;

impl ConvexWall {
    /// Finds the facets whose minimum is connected with deeper points of the same sheet.
    ///
    /// A facet is passed if a deeper one touches it where it has its minimum; or if one does that is passed
    /// itself and has its minimum there, at the same depth. Facets that meet only at a vertex, with a large
    /// bend, are connected through those between them, which are at least as deep there.
    pub(super) fn pass(&mut self, scene: &Scene) {
        self.passed.clear();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..self.facets.len() {
            let facet = self.facets[i];
            let mut is_passed = false;
            self.for_each_nearby(i, scene, |_, other| {
                let is_deeper = other.phi < facet.phi - scene.tolerance;
                is_passed = is_passed || is_deeper && self.are_connected(&facet, other, scene);
            });
            if is_passed {
                self.facets[i].is_passed = true;
                self.passed.push(i);
            } else {
                (low, high) = (facet.phi.min(low), facet.phi.max(high));
            }
        }
        while let Some(i) = self.passed.pop() {
            let facet = self.facets[i];
            if facet.phi < low - scene.tolerance || facet.phi > high + scene.tolerance {
                continue;
            }
            let mut found: SmallVec<[usize; 8]> = SmallVec::new();
            self.for_each_nearby(i, scene, |j, other| {
                let is_tied = (other.phi - facet.phi).abs() <= scene.tolerance;
                if is_tied
                    && !other.is_passed
                    && self.are_connected(&facet, other, scene)
                    && touch(self.lowest_of(&facet), self.lowest_of(other), scene)
                {
                    found.push(j);
                }
            });
            for j in found {
                self.facets[j].is_passed = true;
                self.passed.push(j);
            }
        }
    }

    /// Visits other facets, among them all that touch a facet where it has its minimum.
    fn for_each_nearby(
        &self,
        index: usize,
        scene: &Scene,
        mut visit: impl FnMut(usize, &NearFacet),
    ) {
        let facet = &self.facets[index];
        if !facet.is_on_border {
            return;
        }
        let others = self.facets.iter().enumerate();
        if self.facets.len() <= FEW {
            others
                .filter(|other| other.0 != index)
                .for_each(|(j, other)| visit(j, other));
            return;
        }
        let reach = facet.lowest_radius + NEAR * scene.tolerance;
        let at = scene.rotation.transpose() * facet.point;
        for (image, &center) in (0..).zip(&scene.centers) {
            scene.wall.for_each_facet_within(reach, center + at, |id| {
                let key = |other: &NearFacet| (other.image, other.facet);
                match self.facets.binary_search_by_key(&(image, id), key) {
                    Ok(j) if j != index => visit(j, &self.facets[j]),
                    _ => (),
                }
            });
        }
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
        let mut shared = of_a.chain(of_b);
        let first = *shared.next()?;
        let far = shared.map(|&x| (x.distance_squared(first), x));
        let far = far.reduce(|far, next| if next.0 > far.0 { next } else { far })?;
        let slack = NEAR * scene.tolerance;
        (far.0 > slack * slack).then_some([first, far.1])
    }

    /// Returns whether a facet of the same sheet touches another one where that has its minimum.
    ///
    /// Facets with a small bend between them may touch in any way; those with a large bend along an edge,
    /// which is not concave.
    fn are_connected(&self, facet: &NearFacet, other: &NearFacet, scene: &Scene) -> bool {
        let lowest = self.lowest_of(facet);
        let spread = facet.lowest_radius + other.radius + 2.0 * NEAR * scene.tolerance;
        if facet.point.distance_squared(other.middle) > spread * spread {
            return false;
        }
        if facet.front().dot(other.front()) >= self.bend {
            return lowest.iter().any(|&x| self.is_on(other, x, scene))
                || lowest.len() > 1 && touch(self.corners_of(other), lowest, scene);
        }
        let Some(edge) = self.common_edge(facet, other, scene) else {
            return false;
        };
        let sees = |a: &NearFacet, b: &NearFacet| a.front().dot(b.middle - edge[0]) > 0.0;
        touch(lowest, &edge, scene) && !(sees(facet, other) && sees(other, facet))
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
