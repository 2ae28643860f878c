use std::sync::Arc;

use glam::DVec3;

use super::core::{Core, Cored};
use super::{Boundary, ConvexPolyhedron};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{check_length, check_positions, check_side};
use crate::shape::{Aabb, Bounded, Capsule, Sphere};

/// A ball, a capsule or a rounded polyhedron: all points within a radius of a core.
///
/// The core is a point, a segment or a convex polyhedron, in coordinates of its own; a [`Placed`](crate::Placed) takes it
/// to the world. All three are one type, so that a packing of different bodies is one list.
/// [`CommonPlane`](crate::CommonPlane) finds the contacts with any convex body.
///
/// Contact volumes and pressure fields are those of polyhedra: integrals over a rounded body have no closed form. A rounded
/// block at a [`Wall`](crate::Wall) is a [`PressureField`](crate::narrow::PressureField) of its core
/// [with the radius as margin](crate::narrow::PressureField::with_margin), whose faces are the same; its edges are sharp.
///
/// A clone shares the core. Rounded polyhedra share a core that is passed in an `Arc`.
///
/// ```
/// use std::sync::Arc;
/// use osculate::{CommonPlane, ConvexPolyhedron, NarrowPhase, Placed, Pose3, Rounded, glam::DVec3};
///
/// let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| DVec3::from([0, 1, 2].map(|k| (i >> k & 1) as f64)));
/// let cube = Arc::new(ConvexPolyhedron::from_convex_hull(&corners)?);
/// let shapes = [
///     Rounded::ball(0.5)?,
///     Rounded::capsule([DVec3::Z * -2.0, DVec3::Z * 2.0], 0.25)?,
///     Rounded::polyhedron(cube, 0.125)?,
/// ];
/// // A ball at (0, 0, 5) above a capsule that ends at (0, 0, 2.25).
/// let ball = Placed::new(&shapes[0], Pose3::from_translation(DVec3::Z * 2.625)?);
/// let rod = Placed::new(&shapes[1], Pose3::IDENTITY);
/// let contact = CommonPlane::new().contact(&rod, &ball).unwrap();
/// assert_eq!((contact.overlap, contact.normal), (0.125, DVec3::Z));
/// assert_eq!(contact.point_a, DVec3::Z * 2.25);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "RawRounded", into = "RawRounded")
)]
pub struct Rounded {
    pub(in crate::shape) core: RoundedCore,
    radius: f64,
}

#[derive(Clone)]
pub(in crate::shape) enum RoundedCore {
    Point(DVec3),
    Segment([DVec3; 2], Arc<Boundary>),
    Polyhedron(Arc<ConvexPolyhedron>),
}

impl Rounded {
    /// Creates a ball around the origin.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn ball(radius: f64) -> Result<Self> {
        Self::new(RoundedCore::Point(DVec3::ZERO), radius)
    }

    /// Creates a capsule, all points within `radius` of a segment. A segment whose ends are equal makes a ball.
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Coordinate`] for the first end out of range;
    /// - [`ErrorKind::Facet`] if the ends are not equal, but closer than 2^-150;
    /// - [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn capsule(ends: [DVec3; 2], radius: f64) -> Result<Self> {
        check_positions("end", &ends)?;
        check_side(0, 0, ends)?;
        let core = if ends[0] == ends[1] {
            RoundedCore::Point(ends[0])
        } else {
            RoundedCore::Segment(ends, Arc::new(Boundary::segment(ends)))
        };
        Self::new(core, radius)
    }

    /// Creates a rounded polyhedron, all points within `radius` of a convex polyhedron. It is larger than the polyhedron
    /// by the radius on all sides.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn polyhedron(core: impl Into<Arc<ConvexPolyhedron>>, radius: f64) -> Result<Self> {
        Self::new(RoundedCore::Polyhedron(core.into()), radius)
    }

    fn new(core: RoundedCore, radius: f64) -> Result<Self> {
        check_length("radius", radius)?;
        Ok(Self { core, radius })
    }

    /// Returns the radius: the distance of the surface from the core.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the vertices of the core: the center of a ball, the ends of a capsule's axis, or the corners of a
    /// polyhedron.
    pub fn core_vertices(&self) -> &[DVec3] {
        match &self.core {
            RoundedCore::Point(center) => std::slice::from_ref(center),
            RoundedCore::Segment(ends, _) => ends,
            RoundedCore::Polyhedron(core) => core.vertices(),
        }
    }
}

impl PartialEq for RoundedCore {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Point(a), Self::Point(b)) => a == b,
            (Self::Segment(a, _), Self::Segment(b, _)) => a == b,
            (Self::Polyhedron(a), Self::Polyhedron(b)) => a == b,
            _ => false,
        }
    }
}

impl Cored for Rounded {
    type Space = DVec3;

    #[inline]
    fn core(&self) -> Core<'_> {
        match &self.core {
            RoundedCore::Point(center) => Core::Point(center),
            RoundedCore::Segment(_, boundary) => Core::Segment(boundary),
            RoundedCore::Polyhedron(core) => Core::Polyhedron(core.boundary()),
        }
    }
    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }
}

impl Bounded for Rounded {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere {
        let core = match &self.core {
            RoundedCore::Polyhedron(core) => core.bounding_sphere(),
            _ => Sphere::around(self.core_vertices().iter().copied()),
        };
        core.inflated(self.radius)
    }
    fn bounding_box(&self) -> Aabb {
        Aabb::around_balls(self.core_vertices(), self.radius)
    }
    fn bounding_capsule(&self) -> Option<Capsule> {
        match &self.core {
            RoundedCore::Point(_) => None,
            RoundedCore::Segment(ends, _) => Capsule::new(*ends, self.radius).if_long(),
            RoundedCore::Polyhedron(core) => {
                let Capsule { ends, radius } = core.bounding_capsule()?;
                let around = Sphere::new(ends[0], radius).inflated(self.radius);
                Capsule::new(ends, around.radius).if_long()
            }
        }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawRounded {
    Ball(Sphere),
    Capsule([DVec3; 2], f64),
    Polyhedron(Box<ConvexPolyhedron>, f64),
}

#[cfg(feature = "serde")]
impl TryFrom<RawRounded> for Rounded {
    type Error = crate::Error;
    fn try_from(raw: RawRounded) -> Result<Self> {
        match raw {
            RawRounded::Ball(ball) => Self::capsule([ball.center; 2], ball.radius),
            RawRounded::Capsule(ends, radius) => Self::capsule(ends, radius),
            RawRounded::Polyhedron(core, radius) => Self::polyhedron(*core, radius),
        }
    }
}

#[cfg(feature = "serde")]
impl From<Rounded> for RawRounded {
    fn from(Rounded { core, radius }: Rounded) -> Self {
        match core {
            RoundedCore::Point(center) => Self::Ball(Sphere::new(center, radius)),
            RoundedCore::Segment(ends, _) => Self::Capsule(ends, radius),
            RoundedCore::Polyhedron(core) => {
                Self::Polyhedron(Box::new(Arc::unwrap_or_clone(core)), radius)
            }
        }
    }
}
