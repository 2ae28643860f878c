//! The normal of a contact: the common support direction of the wall and of the body shrunk by the depth.

use glam::{DVec2, DVec3};

use super::facet_minimum::Chart;
use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::direction;
use crate::math::tolerance::STRICT;

impl ConvexWall {
    /// Returns the normal at the minimum of a facet, from the body into the wall.
    pub(super) fn normal(&mut self, facet: &NearFacet, scene: &Scene) -> DVec3 {
        let Scene {
            body, tolerance, ..
        } = scene;
        if !facet.is_on_border || self.is_lowest_of_plane(facet, scene) {
            return -facet.front();
        }
        let value = |normal: DVec3, offset: f64| normal.dot(facet.point) - offset;
        let faces = body.faces.iter();
        let active = faces.filter(|face| value(face.normal, face.offset) >= facet.phi - tolerance);
        self.active.clear();
        self.active.extend(active.map(|face| face.normal));
        if let [only] = self.active[..] {
            return only;
        }
        let across = self.across_edge(facet, *tolerance);
        let sum: DVec3 = self.active.iter().sum();
        let mean = || direction(sum, sum.length());
        across.or_else(mean).unwrap_or(-facet.front())
    }

    /// Returns whether phi is nowhere smaller on the plane of a facet.
    fn is_lowest_of_plane(&mut self, facet: &NearFacet, scene: &Scene) -> bool {
        let chart = Chart::new(facet.point, facet.normal);
        let far = 4.0 * scene.body.circumscribed;
        let square = [(-far, -far), (far, -far), (far, far), (-far, far)];
        self.minimum.polygon.clear();
        self.minimum.polygon.extend(square.map(DVec2::from));
        let lowest = self.minimum.find(&scene.body.faces, chart, scene.tolerance);
        lowest >= facet.phi - scene.tolerance
    }

    /// Returns the combination of two active normals that is normal to the edge through the minimum.
    fn across_edge(&self, facet: &NearFacet, tolerance: f64) -> Option<DVec3> {
        let corners = self.corners_of(facet);
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let along = direction(to - from, to.distance(from)).unwrap_or_default();
            if along == DVec3::ZERO || (facet.point - from).cross(along).length() > NEAR * tolerance
            {
                continue;
            }
            let pairs = self
                .active
                .iter()
                .flat_map(|p| self.active.iter().map(move |q| (p, q)));
            for (&p, &q) in pairs {
                let (a, b) = (p.dot(along), q.dot(along));
                if a > 0.0 || b < 0.0 || p == q {
                    continue;
                }
                let sum = if b - a < STRICT { p } else { p * b - q * a };
                let normal = direction(sum, sum.length())?;
                // The facet is behind the plane.
                if normal.dot(facet.middle - facet.point) >= -tolerance {
                    return Some(normal);
                }
            }
        }
        None
    }
}
