use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::super::outside::way_out;
use super::super::winding::{leaves_side, leaves_triangle, winding_around};
use super::ball::Ball;
use super::disc::Disc;
use super::{ContactVolume, IntersectionKind, ball};
use crate::math::tolerance::{FACET_SHAPE, MOVED_FACET};
use crate::math::{Pose2, Pose3, Vector};
use crate::shape::{Aabb, Bounded, ConvexPolygon, ConvexPolyhedron, Polygon, SolidMesh, Sphere};

/// A shape with an inside: [`ConvexPolyhedron`], [`SolidMesh`], [`ConvexPolygon`], [`Polygon`], or a
/// reference, `Box` or `Arc` of one. Sealed.
pub trait SolidShape: Bounded + MeetBall {}

impl<B: Bounded + MeetBall> SolidShape for B {}

/// Seals [`SolidShape`].
pub trait MeetBall: Bounded {
    /// Returns the intersection with a ball, the first body, in the coordinates of the shape.
    fn meet(&self, ball: &Sphere<Self::Vector>) -> Option<ContactVolume<Self::Vector>>;
}

impl<B: MeetBall + ?Sized> MeetBall for &B {
    fn meet(&self, ball: &Sphere<B::Vector>) -> Option<ContactVolume<B::Vector>> {
        (**self).meet(ball)
    }
}

impl<B: MeetBall + ?Sized> MeetBall for Box<B> {
    fn meet(&self, ball: &Sphere<B::Vector>) -> Option<ContactVolume<B::Vector>> {
        (**self).meet(ball)
    }
}

impl<B: MeetBall + ?Sized> MeetBall for Arc<B> {
    fn meet(&self, ball: &Sphere<B::Vector>) -> Option<ContactVolume<B::Vector>> {
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
        let mut sums = Ball::new(ball);
        let tree = self.tree();
        tree.for_each_within(ball.radius, ball.center, |facet| sums.add(corners(facet)));
        let winding = winding_around(tree, ball.center, |facet, segment| {
            leaves_triangle(corners(facet), segment)
        });
        let whole = (tree.box_count(), self.volume(), mesh.vertices()[0]);
        in_space(ball, &sums, winding, whole)
    }
}

impl MeetBall for ConvexPolyhedron {
    fn meet(&self, ball: &Sphere) -> Option<ContactVolume<DVec3>> {
        let mut sums = Ball::new(ball);
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
                self.fan(facet.vertices(), |corners| sums.add(corners));
            }
        }
        let winding = if highest.abs() > slack {
            i32::from(highest < 0.0)
        } else {
            self.winding_around(ball.center)
        };
        in_space(
            ball,
            &sums,
            winding,
            (count, self.volume(), self.vertices()[0]),
        )
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
        let mut sums = Disc::new(ball);
        let tree = self.tree();
        tree.for_each_within(ball.radius, ball.center, |i| sums.add(side(i)));
        let winding = winding_around(tree, ball.center, |i, way| leaves_side(side(i), way));
        let whole = (vertices.len(), self.area(), vertices[0]);
        in_plane(ball, &sums, winding, whole)
    }
}

impl MeetBall for ConvexPolygon {
    fn meet(&self, ball: &Sphere<DVec2>) -> Option<ContactVolume<DVec2>> {
        let vertices = self.vertices();
        let sides = || {
            let next = vertices.iter().cycle().skip(1);
            vertices.iter().zip(next).map(|(&p, &q)| [p, q])
        };
        let mut sums = Disc::new(ball);
        sides().for_each(|side| sums.add(side));
        let bounds = self.bounding_box();
        let winding = way_out(&bounds, &Pose2::IDENTITY, ball.center).map(|(outside, _)| {
            let segment = [ball.center, outside];
            sides().map(|side| leaves_side(side, segment)).sum()
        });
        let whole = (vertices.len(), self.area(), vertices[0]);
        in_plane(ball, &sums, winding.unwrap_or(0), whole)
    }
}

/// Returns the contact, given the number of triangles, the volume and a vertex of the solid.
fn in_space(
    sphere: &Sphere,
    sums: &Ball,
    winding: i32,
    whole: (usize, f64, DVec3),
) -> Option<ContactVolume<DVec3>> {
    let volume = f64::from(winding) * ball::<DVec3>(sphere.radius) + sums.volumes / 3.0;
    let kind = kind(sums.is_crossed, sums.is_met, winding);
    let is_whole = sums.inside_count == whole.0;
    contact(sphere, kind?, is_whole, volume, sums.area, sums.flux, whole)
}

/// The same for the sides of a polygon.
fn in_plane(
    disc: &Sphere<DVec2>,
    sums: &Disc,
    winding: i32,
    whole: (usize, f64, DVec2),
) -> Option<ContactVolume<DVec2>> {
    let volume = f64::from(winding) * ball::<DVec2>(disc.radius) - sums.beyond;
    let kind = kind(sums.is_crossed, sums.is_met, winding);
    let is_whole = sums.inside_count == whole.0;
    contact(disc, kind?, is_whole, volume, sums.width, sums.flux, whole)
}

/// Returns how a ball and a solid intersect; `None` if they do not.
fn kind(is_crossed: bool, is_met: bool, winding: i32) -> Option<IntersectionKind> {
    if is_crossed {
        Some(IntersectionKind::Crossing)
    } else {
        (is_met || winding != 0).then_some(IntersectionKind::Nested)
    }
}

fn contact<V: Vector>(
    sphere: &Sphere<V>,
    kind: IntersectionKind,
    is_whole: bool,
    volume: f64,
    area: V,
    flux: f64,
    (_, whole, vertex): (usize, f64, V),
) -> Option<ContactVolume<V>> {
    let Sphere { center, radius } = *sphere;
    if is_whole {
        return Some(ContactVolume::nested(whole, vertex));
    }
    if kind == IntersectionKind::Nested {
        return Some(ContactVolume::nested(volume, center));
    }
    let squared = area.length_squared();
    // Faces that meet in one point p have the flux p.S.
    let along = if squared > 0.0 { flux / squared } else { 0.0 };
    let reach = radius / squared.sqrt();
    Some(ContactVolume {
        kind,
        volume: volume.max(0.0),
        area_vector: V::ZERO - area,
        point: if squared > 0.0 {
            center + area * along.clamp(-reach, reach)
        } else {
            center
        },
        moment_vector: V::Moment::default(),
    })
}
