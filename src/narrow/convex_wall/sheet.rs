//! Sheets of a wall: which minima are connected with deeper points.

use glam::DVec3;
use smallvec::SmallVec;

use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::closest_on_polygon;

impl ConvexWall {
    /// Finds the facets whose minimum is connected with deeper points of the same sheet.
    ///
    /// A facet is passed if a deeper one touches it where it has its minimum; or if one does that is passed
    /// itself and has its minimum there, at the same depth. Facets that meet only at a vertex, with a large
    /// bend, are connected through those between them, which are at least as deep there.
    pub(super) fn pass(&mut self, scene: &Scene) {
        self.passed.clear();
        for i in 0..self.facets.len() {
            let facet = self.facets[i];
            let mut is_passed = false;
            self.for_each_neighbor(i, scene, |_, other| {
                is_passed |= other.phi < facet.phi - scene.tolerance;
            });
            if is_passed {
                self.facets[i].is_passed = true;
                self.passed.push(i);
            }
        }
        while let Some(i) = self.passed.pop() {
            let facet = self.facets[i];
            let mut found: SmallVec<[usize; 8]> = SmallVec::new();
            self.for_each_neighbor(i, scene, |j, other| {
                let is_tied = (other.phi - facet.phi).abs() <= scene.tolerance;
                let lowest = self.lowest_of(other);
                if is_tied && !other.is_passed && touch(self.lowest_of(&facet), lowest, scene) {
                    found.push(j);
                }
            });
            for j in found {
                self.facets[j].is_passed = true;
                self.passed.push(j);
            }
        }
    }

    /// Visits the facets of the same sheet that touch a facet where it has its minimum.
    fn for_each_neighbor(
        &self,
        index: usize,
        scene: &Scene,
        mut visit: impl FnMut(usize, &NearFacet),
    ) {
        let facet = &self.facets[index];
        if !facet.is_on_border {
            return;
        }
        let lowest = self.lowest_of(facet);
        let spread = lowest.iter().map(|x| x.distance(facet.point));
        let reach = spread.fold(0.0, f64::max) + NEAR * scene.tolerance;
        let at = scene.rotation.transpose() * facet.point;
        for (image, &center) in (0..).zip(&scene.centers) {
            scene.wall.for_each_facet_within(reach, center + at, |id| {
                let key = |other: &NearFacet| (other.image, other.facet);
                let Ok(j) = self.facets.binary_search_by_key(&(image, id), key) else {
                    return;
                };
                let other = &self.facets[j];
                if j != index && self.are_connected(facet, other, scene) {
                    visit(j, other);
                }
            });
        }
    }

    /// Returns the ends of the segment along which two facets meet.
    fn common_edge(&self, a: &NearFacet, b: &NearFacet, scene: &Scene) -> Option<[DVec3; 2]> {
        let [a, b] = [a, b].map(|facet| self.corners_of(facet));
        let of_a = a.iter().filter(|x| touch(b, &[**x], scene));
        let of_b = b.iter().filter(|x| touch(a, &[**x], scene));
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
        if facet.front().dot(other.front()) >= self.bend {
            return touch(lowest, self.corners_of(other), scene);
        }
        let Some(edge) = self.common_edge(facet, other, scene) else {
            return false;
        };
        let sees = |a: &NearFacet, b: &NearFacet| a.front().dot(b.middle - edge[0]) > 0.0;
        touch(lowest, &edge, scene) && !(sees(facet, other) && sees(other, facet))
    }
}

/// Returns whether a corner of a convex polygon, segment or point is on another one.
fn touch(a: &[DVec3], b: &[DVec3], scene: &Scene) -> bool {
    let slack = NEAR * scene.tolerance;
    let is_on = |polygon: &[DVec3], x: DVec3| {
        closest_on_polygon(x, polygon).distance_squared <= slack * slack
    };
    a.iter().any(|&x| is_on(b, x)) || b.iter().any(|&x| is_on(a, x))
}
