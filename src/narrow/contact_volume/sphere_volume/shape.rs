use std::ops::Deref;

use glam::{DVec2, DVec3};

use super::super::outside::way_out;
use super::super::winding::{leaves_side, leaves_triangle, winding_around};
use super::ContactVolume;
use super::sums::{Sums, Whole};
use crate::math::tolerance::{FACET_SHAPE, MOVED_FACET};
use crate::math::{Pose2, Pose3};
use crate::shape::{Aabb, Bounded, ConvexPolygon, ConvexPolyhedron, Polygon, SolidMesh, Sphere};

/// A shape with an inside: [`ConvexPolyhedron`], [`SolidMesh`], [`ConvexPolygon`], [`Polygon`], or a
/// pointer to one, such as `&S` or `Arc<S>`. Sealed.
pub trait SolidShape: Bounded + MeetBall {}

impl<B: Bounded + MeetBall> SolidShape for B {}

/// Seals [`SolidShape`].
pub trait MeetBall: Bounded {
    /// Returns the intersection with a ball, the first body, in the coordinates of the shape.
    fn meet(&self, ball: &Sphere<Self::Vector>) -> Option<ContactVolume<Self::Vector>>;
}

impl<P: Deref<Target: MeetBall>> MeetBall for P {
    fn meet(&self, ball: &Sphere<Self::Vector>) -> Option<ContactVolume<Self::Vector>> {
        (**self).meet(ball)
    }
}

impl MeetBall for SolidMesh {
    fn meet(&self, ball: &Sphere) -> Option<ContactVolume<DVec3>> {
        let mesh = self.triangulation();
        let corners = |facet: u32| {
            let triangle = &mesh.triangles()[mesh.slot(facet) as usize];
            triangle.corners.map(|id| mesh.vertices()[id as usize])
        };
        let mut sums = Sums::default();
        let tree = self.tree();
        tree.for_each_within(ball.radius, ball.center, |facet| {
            sums.add_triangle(ball, corners(facet))
        });
        let winding = winding_around(tree, &Pose3::IDENTITY, ball.center, |facet, segment| {
            leaves_triangle(corners(facet), segment)
        });
        let whole = Whole {
            count: tree.box_count(),
            volume: self.volume(),
            vertex: mesh.vertices()[0],
        };
        sums.contact(ball, winding, &whole)
    }
}

impl MeetBall for ConvexPolyhedron {
    fn meet(&self, ball: &Sphere) -> Option<ContactVolume<DVec3>> {
        let mut sums = Sums::default();
        let boundary = self.boundary();
        let center = ball.center - boundary.center;
        let slack = FACET_SHAPE * boundary.circumscribed + MOVED_FACET * center.length();
        let mut highest = f64::NEG_INFINITY;
        for face in &boundary.faces {
            let height = face.normal.dot(center) - face.offset;
            if height > ball.radius + slack {
                return None;
            }
            highest = highest.max(height);
        }
        let mut count = 0;
        for (face, facet) in boundary.faces.iter().zip(self.surface().facets()) {
            count += facet.vertices().len() - 2;
            let height = face.normal.dot(center) - face.offset;
            if height >= -ball.radius - slack {
                self.fan(facet.vertices(), |corners| sums.add_triangle(ball, corners));
            }
        }
        let winding = if highest.abs() > slack {
            i32::from(highest < 0.0)
        } else {
            self.winding_around(ball.center)
        };
        let whole = Whole {
            count,
            volume: self.volume(),
            vertex: self.vertices()[0],
        };
        sums.contact(ball, winding, &whole)
    }
}

impl ConvexPolyhedron {
    /// Visits the triangles of a face from its first corner.
    #[inline]
    fn fan(&self, ids: &[u32], mut visit: impl FnMut([DVec3; 3])) {
        let corner = |id: u32| self.vertices()[id as usize];
        for pair in ids[1..].windows(2) {
            visit([ids[0], pair[0], pair[1]].map(corner));
        }
    }

    /// Returns how often the triangles of the faces wind around a point near the surface.
    #[cold]
    fn winding_around(&self, point: DVec3) -> i32 {
        let bounds = Aabb::enclosing(self.vertices().iter().copied());
        let Some((outside, _)) = way_out(&bounds, &Pose3::IDENTITY, point) else {
            return 0;
        };
        let mut winding = 0;
        for facet in self.surface().facets() {
            self.fan(facet.vertices(), |corners| {
                winding += leaves_triangle(corners, [point, outside]);
            });
        }
        winding
    }
}

impl MeetBall for Polygon {
    fn meet(&self, ball: &Sphere<DVec2>) -> Option<ContactVolume<DVec2>> {
        let vertices = self.vertices();
        let side = |i: u32| [i, self.next(i)].map(|id| vertices[id as usize]);
        let mut sums = Sums::default();
        let tree = self.tree();
        tree.for_each_within(ball.radius, ball.center, |i| sums.add_side(ball, side(i)));
        let winding = winding_around(tree, &Pose2::IDENTITY, ball.center, |i, way| {
            leaves_side(side(i), way, 1.0)
        });
        let whole = Whole {
            count: tree.box_count(),
            volume: self.area(),
            vertex: vertices[0],
        };
        sums.contact(ball, winding, &whole)
    }
}

impl MeetBall for ConvexPolygon {
    fn meet(&self, ball: &Sphere<DVec2>) -> Option<ContactVolume<DVec2>> {
        let vertices = self.vertices();
        let sides = || {
            let next = vertices.iter().cycle().skip(1);
            vertices.iter().zip(next).map(|(&p, &q)| [p, q])
        };
        let mut sums = Sums::default();
        sides().for_each(|side| sums.add_side(ball, side));
        let bounds = self.bounding_box();
        let winding = way_out(&bounds, &Pose2::IDENTITY, ball.center).map(|(outside, _)| {
            let segment = [ball.center, outside];
            sides().map(|side| leaves_side(side, segment, 1.0)).sum()
        });
        let whole = Whole {
            count: vertices.len(),
            volume: self.area(),
            vertex: vertices[0],
        };
        sums.contact(ball, winding.unwrap_or(0), &whole)
    }
}
