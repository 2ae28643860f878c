//! What each facet nominates, and which nominations are contacts.

use std::cmp::Ordering;

use glam::DVec3;

use super::WallContact;
use crate::math::{Closest, Part, direction, from_origin_to_polygon};
use crate::shape::{Feature, Sphere, SurfaceMesh};

/// Points of the surface closer to each other than this part of the sphere's reach are one
/// contact: their squared distances from the centre may be equal to rounding.
const SAME_POINT: f64 = f64::from_bits((1023 - 24) << 52);

/// What a facet nominates: its point closest to the centre, under a name that all facets which
/// share the point use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nomination {
    feature: Feature,
    closest: Closest<DVec3>,
    facet: u32,
    pub(super) is_contact: bool,
}

impl Nomination {
    /// By distance, then by position, then by name: the order of the facets has no part in it.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by = |axis: usize| self.closest.offset[axis].total_cmp(&other.closest.offset[axis]);
        (self.closest.distance_squared)
            .total_cmp(&other.closest.distance_squared)
            .then_with(|| by(0).then(by(1)).then(by(2)))
            .then_with(|| (self.feature, self.facet).cmp(&(other.feature, other.facet)))
    }
}

/// A wall seen from the centre of a sphere.
pub(super) struct Wall<'a> {
    pub(super) mesh: &'a SurfaceMesh,
    pub(super) center: DVec3,
    /// Radius and margin.
    pub(super) reach: f64,
}

impl Wall<'_> {
    fn ids(&self, facet: u32) -> &[u32] {
        self.mesh.topology().0.get(facet as usize)
    }

    /// The point of a facet closest to the centre plus `from`.
    fn closest(&self, facet: u32, from: DVec3) -> Closest<DVec3> {
        let (ids, vertices) = (self.ids(facet), self.mesh.vertices());
        let corner = |i: usize| (vertices[ids[i] as usize] - self.center - from, ids[i]);
        from_origin_to_polygon(self.mesh.normals()[facet as usize], ids.len(), corner)
    }

    pub(super) fn nominate(&self, facet: u32) -> Option<Nomination> {
        let (ids, normal) = (self.ids(facet), self.mesh.normals()[facet as usize]);
        let is_out_of_reach = |&id: &u32| {
            let corner = self.mesh.vertices()[id as usize] - self.center;
            // More than what rounding of the height may amount to.
            let rounding = f64::from_bits((1023 - 48) << 52) * corner.length();
            normal.dot(corner).abs() - rounding > self.reach
        };
        // All corners of a facet that may be a little bent.
        let tested = if ids.len() == 3 { &ids[..1] } else { ids };
        if tested.iter().all(is_out_of_reach) {
            return None;
        }
        let closest = self.closest(facet, DVec3::ZERO);
        let feature = match closest.part {
            Part::Interior => Feature::Facet(facet),
            Part::Edge(i) => Feature::edge(ids[i], ids[(i + 1) % ids.len()]),
            Part::Vertex(i) => Feature::Vertex(ids[i]),
        };
        (closest.distance_squared < self.reach * self.reach).then_some(Nomination {
            feature,
            closest,
            facet,
            is_contact: false,
        })
    }

    /// The squared distance up to which two points are one.
    fn same_squared(&self) -> f64 {
        let same = SAME_POINT * self.reach;
        same * same
    }

    pub(super) fn are_same_point(&self, a: &Nomination, b: &Nomination) -> bool {
        let between = b.closest.offset - a.closest.offset;
        between.length_squared() <= self.same_squared()
    }

    /// Whether the surface comes nowhere closer near the nominated point. The interior of a facet
    /// is always a minimum; an edge or a vertex is none if it is on a facet that has its closest
    /// point elsewhere.
    ///
    /// That point is then closer, since a convex facet has but one closest point: the distances
    /// need not be compared, which rounding may have made equal.
    pub(super) fn is_minimum(&self, nominated: &Nomination, all: &[Nomination]) -> bool {
        let corners = match nominated.feature {
            Feature::Facet(_) => return true,
            Feature::Edge(a, b) => [a, b],
            Feature::Vertex(v) => [v, v],
        };
        let has_corners = |rival: &Nomination| {
            let ids = self.ids(rival.facet);
            corners.iter().all(|corner| ids.contains(corner))
        };
        let is_elsewhere = |rival: &Nomination| !self.are_same_point(rival, nominated);
        // What is farther, by more than rounding, is no rival; what is about as far is likely to
        // be a neighbour.
        let limit = nominated.closest.distance_squared + 3.0 * SAME_POINT * self.reach * self.reach;
        let rivals = &all[..all.partition_point(|n| n.closest.distance_squared <= limit)];
        let mut neighbours_first = rivals.iter().rev().filter(|rival| is_elsewhere(rival));
        // By ids first: `holds_point` would find the same, but this makes the whole kernel 1.25 to
        // 1.75 times as fast.
        if neighbours_first.clone().any(has_corners) {
            return false;
        }
        let holds_point = |rival: &Nomination| {
            let is_closer = rival.closest.distance_squared < nominated.closest.distance_squared;
            (is_closer || matches!(rival.feature, Feature::Facet(_))) && {
                let closest = self.closest(rival.facet, nominated.closest.offset);
                closest.distance_squared <= self.same_squared()
            }
        };
        !neighbours_first.any(holds_point)
    }

    pub(super) fn contact(
        &self,
        sphere: &Sphere<DVec3>,
        nominated: &Nomination,
        all: &[Nomination],
    ) -> WallContact {
        let offset = nominated.closest.offset;
        let distance = nominated.closest.distance_squared.sqrt();
        let normal = match nominated.feature {
            // The plane's normal keeps digits that a short offset has lost.
            Feature::Facet(facet) if distance > 0.0 => {
                let front = self.mesh.normals()[facet as usize];
                front * front.dot(offset).signum()
            }
            _ => direction(offset, distance).unwrap_or_else(|| self.back(nominated, all)),
        };
        WallContact {
            offset,
            point: sphere.center + offset,
            normal,
            overlap: sphere.radius - distance,
            feature: nominated.feature,
            facet: nominated.facet,
        }
    }

    /// The direction into the wall at the centre itself: minus the normal of one of the facets
    /// there, chosen by the line it is on.
    fn back(&self, nominated: &Nomination, all: &[Nomination]) -> DVec3 {
        let line = |normal: DVec3| {
            let first = normal.to_array().into_iter().find(|&c| c != 0.0);
            (normal * first.map_or(1.0, f64::signum)).to_array()
        };
        let here = all.iter().filter(|n| n.feature == nominated.feature);
        let normals = here.map(|n| self.mesh.normals()[n.facet as usize]);
        let front = normals
            .filter(|&normal| normal != DVec3::ZERO)
            .reduce(|a, b| if line(b) > line(a) { b } else { a });
        front.map_or(DVec3::X, |front| -front)
    }
}
