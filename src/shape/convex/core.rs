use std::cmp::Ordering;
use std::ops::Deref;

use glam::{DVec2, DVec3};

use super::{Boundary, ConvexPolygon, ConvexPolyhedron};
use crate::math::{Vector, is_length, lexicographic};
use crate::shape::{Bounded, Sphere, Stamp};

/// A convex body: all points within a radius of a point, a segment or a convex body. Sealed.
///
/// In space a [`Sphere`], a [`ConvexPolyhedron`] or a [`Rounded`](crate::Rounded) body. In the plane a [`Sphere`], a
/// [`ConvexPolygon`] or a [`RoundedPolygon`](super::RoundedPolygon). Pointers to them are bodies too.
/// [`CommonPlane`](crate::CommonPlane) takes any two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a convex body with a radius",
    note = "`Sphere`, `ConvexPolyhedron`, `Rounded`, `ConvexPolygon` and `RoundedPolygon` are, and pointers to them"
)]
pub trait Convex: Bounded + Cored<Space = Self::Vector> {}

impl<S: Bounded + Cored<Space = Self::Vector>> Convex for S {}

/// Seals [`Convex`]: a core and a radius.
pub trait Cored {
    type Space: Space;

    /// Returns the core, in the coordinates of the shape.
    fn core(&self) -> <Self::Space as Space>::Core<'_>;

    /// Returns the distance of the surface from the core, NaN out of the domain.
    #[inline]
    fn radius(&self) -> f64 {
        0.0
    }
}

/// A dimension with the form that cores have in it.
pub trait Space: Vector {
    type Core<'a>: Copy;

    /// Returns the core of a ball.
    fn point(center: &Self) -> Self::Core<'_>;

    /// Returns the kind of a core: points come before segments, and these before bodies.
    fn kind(core: Self::Core<'_>) -> usize;

    /// Compares cores of one kind by their vertices.
    fn compare(a: Self::Core<'_>, b: Self::Core<'_>) -> Ordering;
}

/// A core in space.
#[derive(Clone, Copy, Debug)]
pub enum Core<'a> {
    Point(&'a DVec3),
    Segment(&'a Boundary),
    Polyhedron(&'a Boundary),
}

impl Core<'_> {
    /// Returns the center, and the vertices relative to it, none of a point.
    pub(crate) fn vertices(&self) -> (DVec3, &[DVec3]) {
        match self {
            Self::Point(center) => (**center, &[]),
            Self::Segment(body) | Self::Polyhedron(body) => (body.center, &body.vertices),
        }
    }
}

/// Compares lists of vertices around centers lexicographically, then the centers.
fn compare<V: Vector>((c, of_c): (V, &[V]), (d, of_d): (V, &[V])) -> Ordering {
    let pairs = of_c.iter().zip(of_d);
    let mut orders = pairs.map(|(&v, &w)| lexicographic(c + v, d + w));
    let differ = orders.find(|order| order.is_ne());
    let by_vertices = differ.unwrap_or_else(|| of_c.len().cmp(&of_d.len()));
    by_vertices.then_with(|| lexicographic(c, d))
}

impl Space for DVec3 {
    type Core<'a> = Core<'a>;

    #[inline]
    fn point(center: &Self) -> Core<'_> {
        Core::Point(center)
    }
    #[inline]
    fn kind(core: Core<'_>) -> usize {
        match core {
            Core::Point(_) => 0,
            Core::Segment(_) => 1,
            Core::Polyhedron(_) => 2,
        }
    }
    fn compare(a: Core<'_>, b: Core<'_>) -> Ordering {
        compare(a.vertices(), b.vertices())
    }
}

/// A core in the plane, by its vertices: a point, a segment, or a polygon counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct FlatCore<'a> {
    pub(crate) vertices: &'a [DVec2],
    pub(crate) center: DVec2,
    /// The radii of an inscribed and a circumscribed disc about the center.
    pub(crate) radii: (f64, f64),
    pub(crate) stamp: Stamp,
}

impl Space for DVec2 {
    type Core<'a> = FlatCore<'a>;

    #[inline]
    fn point(center: &Self) -> FlatCore<'_> {
        FlatCore {
            vertices: std::slice::from_ref(center),
            center: *center,
            radii: (0.0, 0.0),
            // The center may change, so the shape has no name.
            stamp: Stamp::NONE,
        }
    }
    #[inline]
    fn kind(core: FlatCore<'_>) -> usize {
        core.vertices.len().min(3)
    }
    fn compare(a: FlatCore<'_>, b: FlatCore<'_>) -> Ordering {
        compare((DVec2::ZERO, a.vertices), (DVec2::ZERO, b.vertices))
    }
}

impl<V: Space> Cored for Sphere<V> {
    type Space = V;

    #[inline]
    fn core(&self) -> V::Core<'_> {
        V::point(&self.center)
    }
    #[inline]
    fn radius(&self) -> f64 {
        if is_length(self.radius) {
            self.radius
        } else {
            f64::NAN
        }
    }
}

impl Cored for ConvexPolygon {
    type Space = DVec2;

    #[inline]
    fn core(&self) -> FlatCore<'_> {
        FlatCore {
            vertices: self.vertices(),
            center: self.centroid(),
            radii: self.radii,
            stamp: self.stamp,
        }
    }
}

impl Cored for ConvexPolyhedron {
    type Space = DVec3;

    #[inline]
    fn core(&self) -> Core<'_> {
        Core::Polyhedron(self.boundary())
    }
}

impl<P: Deref<Target: Cored>> Cored for P {
    type Space = <P::Target as Cored>::Space;

    #[inline]
    fn core(&self) -> <Self::Space as Space>::Core<'_> {
        (**self).core()
    }
    #[inline]
    fn radius(&self) -> f64 {
        (**self).radius()
    }
}
