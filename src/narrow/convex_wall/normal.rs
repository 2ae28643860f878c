//! Normals of contacts.
//!
//! A normal is possible at a minimum x if it is a combination of the faces of the body that are largest there. It
//! supports a direction d of the wall from x if `normal . d >= 0`. Contacts have these normals:
//!
//! 1. that of a facet if phi is nowhere smaller on its plane, or that of the only face that is largest;
//! 2. along an edge of the wall on which phi is constant, the mean of the largest faces;
//! 3. at a point, the mean of those that support all directions of the wall. If there is none, one normal for
//!    each direction in which the wall is steepest against the mean of the largest faces.
//!
//! A direction that a contact of the same connected minima supports counts no more. So the normals are a property of the
//! wall as a set of points.

use glam::{DVec2, DVec3};

use super::cone::Cone;
use super::facet_minimum::Chart;
use super::sheet::touch;
use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::from_origin_to_segment;
use crate::shape::UnionFind;

/// The step in which phi is seen to decrease, relative to the size of the body.
const STEP: f64 = 1e-3;
/// Unit vectors this close are the same normal.
pub(super) const SAME: f64 = 1e-6;

/// Buffers of the search for normals.
#[derive(Clone, Debug, Default)]
pub(super) struct Normals {
    cone: Cone,
    /// The facets with a contact of the first two kinds, and its normal.
    found: Vec<(usize, DVec3)>,
    /// The other facets, those with their minimum along an edge first.
    free: Vec<(bool, usize)>,
    /// Facets with connected minima.
    connected: UnionFind,
    /// The normals at a point.
    here: Vec<DVec3>,
    /// The facets that have their minimum there.
    group: Vec<usize>,
}

impl ConvexWall {
    /// Finds the contacts of the facets that are not passed, in the frame of the body.
    pub(super) fn find_contacts(&mut self, scene: &Scene) {
        self.contacts.clear();
        self.minima.clear();
        let mut normals = std::mem::take(&mut self.normals);
        normals.found.clear();
        normals.free.clear();
        for i in 0..self.facets.len() {
            let facet = &self.facets[i];
            if facet.is_passed {
                continue;
            }
            let is_point = facet.lowest_radius <= NEAR * scene.tolerance;
            match self.own_normal(i, &mut normals.cone, scene) {
                Some(normal) => {
                    normals.found.push((i, normal));
                    self.add_contact(i, normal, scene);
                }
                None => normals.free.push((is_point, i)),
            }
        }
        if !normals.free.is_empty() {
            normals.free.sort_unstable();
            self.connect_minima(&mut normals, scene);
            for first in 0..normals.free.len() {
                self.add_free(first, &mut normals, scene);
            }
        }
        self.normals = normals;
    }

    /// Adds a contact of a facet.
    fn add_contact(&mut self, index: usize, normal: DVec3, scene: &Scene) {
        let contact = self.facets[index].contact(normal, scene.body);
        self.minima.push((index as u32, contact));
        self.add(contact, scene);
    }

    /// Returns the normal of a facet if it has no choice.
    fn own_normal(&mut self, index: usize, cone: &mut Cone, scene: &Scene) -> Option<DVec3> {
        let facet = self.facets[index];
        if !facet.is_on_border || self.is_lowest_of_plane(&facet, scene) {
            return Some(-facet.normal);
        }
        match self.largest_faces(&facet, cone, scene) {
            [] => Some(-facet.normal),
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Finds the normals of the faces of the body that are largest at the minimum of a facet.
    fn largest_faces<'a>(
        &mut self,
        facet: &NearFacet,
        cone: &'a mut Cone,
        scene: &Scene,
    ) -> &'a [DVec3] {
        scene.body.planes.values(facet.point, &mut self.values);
        let least = facet.phi - scene.tolerance;
        let faces = scene.body.faces.iter().zip(&self.values);
        let largest = faces.filter(|(_, value)| **value >= least);
        cone.reset(largest.map(|(face, _)| face.normal));
        cone.active()
    }

    /// Joins the facets whose minima are connected, as far as they are needed for those with a choice.
    fn connect_minima(&self, normals: &mut Normals, scene: &Scene) {
        normals.connected.reset(self.facets.len());
        let Normals {
            free,
            connected,
            group: next,
            ..
        } = normals;
        next.clear();
        next.extend(free.iter().map(|&(_, i)| i));
        while let Some(i) = next.pop() {
            let facet = &self.facets[i];
            let ball = (facet.point, facet.lowest_radius);
            self.any_nearby(i, ball, scene, |j, other| {
                let is_tied = (other.phi - facet.phi).abs() <= scene.tolerance;
                if is_tied
                    && !other.is_passed
                    && connected.root(i as u32) != connected.root(j as u32)
                    && touch(self.lowest_of(facet), self.lowest_of(other), scene)
                {
                    connected.join(i as u32, j as u32);
                    next.push(j);
                }
                false
            });
        }
    }

    /// Adds the contacts of a facet with a choice, and of those that have their minimum at the same point.
    fn add_free(&mut self, first: usize, normals: &mut Normals, scene: &Scene) {
        let Normals {
            cone,
            found,
            free,
            connected,
            here,
            group,
        } = normals;
        let (is_point, index) = free[first];
        let facet = self.facets[index];
        if facet.is_passed {
            return;
        }
        let slack = NEAR * scene.tolerance;
        let set = connected.root(index as u32);
        here.clear();
        group.clear();
        for &(other, normal) in found.iter() {
            let height = normal.dot(self.facets[other].point - facet.point);
            let is_known = here.iter().any(|known| known.distance(normal) <= SAME);
            if connected.root(other as u32) == set && height.abs() <= slack && !is_known {
                here.push(normal);
            }
        }
        self.largest_faces(&facet, cone, scene);
        for &(_, i) in &free[first..] {
            let other = &self.facets[i];
            let is_here = connected.root(i as u32) == set
                && touch(self.lowest_of(other), &[facet.point], scene);
            if i == index || is_point && is_here && !other.is_passed {
                cone.add(self.corners_of(other), other.normal, facet.point, slack);
                self.facets[i].is_passed = true;
                group.push(i);
            }
        }
        here.iter()
            .for_each(|&normal| cone.leave_out(normal, slack));
        for &i in group.iter() {
            for &normal in here.iter() {
                let contact = self.facets[i].contact(normal, scene.body);
                self.minima.push((i as u32, contact));
            }
        }
        if here.is_empty() || !cone.is_empty() {
            for &normal in cone.normals(-facet.normal, slack) {
                if !is_point {
                    found.push((index, normal));
                }
                for &i in group.iter() {
                    self.add_contact(i, normal, scene);
                }
            }
        }
    }

    /// Returns whether phi decreases on the plane of a facet, from its minimum along the steepest descent. If the plane
    /// has smaller values, it mostly does.
    ///
    /// The steepest descent of a maximum is against the shortest vector among the weighted means of the gradients of the
    /// largest functions. This finds it for two of them.
    fn descends(&mut self, facet: &NearFacet, scene: &Scene) -> bool {
        scene.body.planes.values(facet.point, &mut self.values);
        let faces = scene.body.faces.iter().zip(&self.values);
        let active = faces.filter(|(_, value)| **value >= facet.phi - scene.tolerance);
        let gradients = active.map(|(face, _)| face.normal.reject_from_normalized(facet.normal));
        let shortest = gradients.reduce(|a, b| from_origin_to_segment(a, b).offset);
        let Some(up) = shortest.filter(|up| up.length_squared() >= STEP * STEP) else {
            return false;
        };
        let x = facet.point - up * (STEP * scene.body.circumscribed);
        // The search is off by less.
        scene.body.planes.values(x, &mut self.values) < facet.phi - 4.0 * scene.tolerance
    }

    /// Returns whether phi is nowhere smaller on the plane of a facet.
    fn is_lowest_of_plane(&mut self, facet: &NearFacet, scene: &Scene) -> bool {
        if self.descends(facet, scene) {
            return false;
        }
        let chart = Chart::new(facet.point, facet.normal);
        let far = 4.0 * scene.body.circumscribed;
        let square = [(-far, -far), (far, -far), (far, far), (-far, far)];
        let square = square.map(DVec2::from).into_iter();
        self.minimum.set(chart, square, scene.body.faces.iter());
        let least = facet.phi - scene.tolerance;
        self.minimum.find(DVec2::ZERO, least, scene.tolerance) >= least
    }
}
