//! Mass, center of mass and inertia of bodies of uniform density.
//!
//! The volume inside a closed surface is the sum of the signed tetrahedra that join its triangles to any point. The
//! area inside a closed polyline is a sum of triangles. Volumes and centroids are summed relative to a vertex, and
//! inertia relative to the centroid. So nothing cancels far from the origin.

use std::iter::Sum;
use std::ops::Add;

use glam::{DMat3, DVec2, DVec3};

use super::solid::{six_volumes, triangles};
use crate::math::{
    Pose2, Pose3, Vector, accurate_orient3d, cross_of_differences, diagonalized, orient2d,
};
use crate::shape::{
    ConvexPolygon, ConvexPolyhedron, Polygon, SolidMesh, Sphere, SurfaceMesh, TetMesh,
};

/// Mass, center of mass and inertia of a body.
///
/// Positions and axes are in the coordinates of the shape, and in its unit of length. A rigid body
/// at a [`Pose3`] has its center of mass at `pose.transform_point(center_of_mass)`.
///
/// Shapes compute them for a uniform density. The relative error is at most 1e-13, for the inertia relative to its
/// trace. It is larger only for bodies whose volume is tiny compared with the cube of their size. `+` and
/// [`sum`](Iterator::sum) join bodies with the same axes. A negative density makes a hole.
///
/// ```
/// use osculate::{ConvexPolyhedron, MassProperties, Pose3, Sphere, glam::DVec3};
///
/// let corners = [(3.0, 0.0, 0.0), (0.0, 6.0, 0.0), (0.0, 0.0, 6.0), (0.0, 0.0, 0.0)];
/// let wedge = ConvexPolyhedron::from_convex_hull(&corners.map(DVec3::from))?;
/// let body = wedge.mass_properties(2.0);
/// assert_eq!((body.mass, body.center_of_mass), (36.0, DVec3::new(0.75, 1.5, 1.5)));
/// let (moments, axes) = body.principal();
/// assert!((moments.element_sum() - (2.0 * 36.0 * 3.0 / 80.0) * 81.0).abs() < 1e-12);
/// assert!((axes.determinant() - 1.0).abs() < 1e-15);
///
/// // A cluster of two spheres that touch.
/// let spheres = [DVec3::X, -DVec3::X].map(|center| Sphere::new(center, 1.0));
/// let cluster: MassProperties = spheres.iter().map(|s| s.mass_properties(1.0)).sum();
/// assert_eq!(cluster.center_of_mass, DVec3::ZERO);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "V: serde::Serialize, V::Inertia: serde::Serialize",
        deserialize = "V: serde::Deserialize<'de>, V::Inertia: serde::Deserialize<'de>"
    ))
)]
pub struct MassProperties<V: Vector = DVec3> {
    /// The mass: density times volume, in 2D times area.
    pub mass: f64,
    /// The center of mass.
    pub center_of_mass: V,
    /// The inertia about the center of mass: a symmetric tensor, in 2D the polar moment.
    pub inertia: V::Inertia,
}

impl<V: Vector> Add for MassProperties<V> {
    type Output = Self;

    /// Returns the properties of two bodies joined to one. Their masses must not add up to 0.
    fn add(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        let (arm, part) = (
            other.center_of_mass - self.center_of_mass,
            other.mass / mass,
        );
        Self {
            mass,
            center_of_mass: self.center_of_mass + arm * part,
            inertia: self.inertia + other.inertia + arm.point_inertia() * (self.mass * part),
        }
    }
}

impl<V: Vector> Sum for MassProperties<V> {
    /// Returns the properties of all bodies joined to one, 0 without bodies.
    fn sum<I: Iterator<Item = Self>>(bodies: I) -> Self {
        let nothing = Self {
            mass: 0.0,
            center_of_mass: V::ZERO,
            inertia: V::ZERO.point_inertia(),
        };
        bodies.reduce(Self::add).unwrap_or(nothing)
    }
}

impl MassProperties {
    /// Returns the properties of the body after a motion.
    #[must_use]
    pub fn transformed(&self, pose: &Pose3) -> Self {
        let rotation = DMat3::from_quat(pose.rotation());
        let rotated = rotation * self.inertia * rotation.transpose();
        Self {
            mass: self.mass,
            center_of_mass: pose.transform_point(self.center_of_mass),
            inertia: (rotated + rotated.transpose()) * 0.5,
        }
    }

    /// Returns the principal moments, and the principal axes as the columns of a rotation.
    ///
    /// Axis i has the moment i, in no particular order. The axes are right-handed: with
    /// [`DQuat::from_mat3`](glam::DQuat::from_mat3) they give the orientation of a body whose axes are
    /// principal. A tensor that is diagonal to rounding keeps its diagonal and its axes, bit for bit. The
    /// error of a moment is a few roundings of the largest moment.
    pub fn principal(&self) -> (DVec3, DMat3) {
        diagonalized(self.inertia)
    }
}

impl MassProperties<DVec2> {
    /// Returns the properties of the body after a motion.
    #[must_use]
    pub fn transformed(&self, pose: &Pose2) -> Self {
        Self {
            center_of_mass: pose.transform_point(self.center_of_mass),
            ..*self
        }
    }
}

impl Sphere {
    /// Returns mass, center of mass and inertia for a density (mass per volume).
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let squared = self.radius * self.radius;
        let mass = density * (4.0 / 3.0 * std::f64::consts::PI * squared * self.radius);
        MassProperties {
            mass,
            center_of_mass: self.center,
            inertia: DMat3::from_diagonal(DVec3::splat(0.4 * mass * squared)),
        }
    }
}

impl Sphere<DVec2> {
    /// Returns mass, center of mass and polar moment of the disc for a density (mass per area).
    pub fn mass_properties(&self, density: f64) -> MassProperties<DVec2> {
        let squared = self.radius * self.radius;
        let mass = density * (std::f64::consts::PI * squared);
        MassProperties {
            mass,
            center_of_mass: self.center,
            inertia: 0.5 * mass * squared,
        }
    }
}

impl ConvexPolyhedron {
    /// Returns mass, center of mass and inertia for a density (mass per volume). O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let triangles = fans(self.surface());
        of_solid(self.volume(), self.centroid(), &triangles, density)
    }
}

impl SolidMesh {
    /// Returns mass, center of mass and inertia for a density (mass per volume). O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let triangles = fans(self.surface());
        of_solid(self.volume(), self.centroid(), &triangles, density)
    }
}

impl TetMesh {
    /// Returns mass, center of mass and inertia for a density (mass per volume). O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let triangles = triangles(self.vertices(), self.exterior_faces());
        of_solid(self.volume(), self.centroid(), &triangles, density)
    }
}

impl ConvexPolygon {
    /// Returns mass, center of mass and polar moment for a density (mass per area). O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties<DVec2> {
        of_polygon(self.area(), self.centroid(), self.vertices(), density)
    }
}

impl Polygon {
    /// Returns mass, center of mass and polar moment for a density (mass per area). O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties<DVec2> {
        of_polygon(self.area(), self.centroid(), self.vertices(), density)
    }
}

/// Returns the triangles of a surface: each facet as a fan around its first corner.
pub(in crate::shape) fn fans(surface: &SurfaceMesh) -> Vec<[DVec3; 3]> {
    let position = |id: u32| surface.vertices()[id as usize];
    let fan = |ids: &[u32]| -> Vec<_> {
        let pairs = ids[1..].windows(2);
        pairs
            .map(|pair| [ids[0], pair[0], pair[1]].map(position))
            .collect()
    };
    let (facets, _) = surface.topology();
    facets.iter().flat_map(fan).collect()
}

/// Returns the sides of a closed polygon.
pub(in crate::shape) fn sides(vertices: &[DVec2]) -> Vec<[DVec2; 2]> {
    let next = vertices.iter().cycle().skip(1);
    vertices.iter().zip(next).map(|(&a, &b)| [a, b]).collect()
}

/// Returns the centroid of the volume inside a closed surface, from sums about an origin near it.
pub(in crate::shape) fn centroid(origin: DVec3, triangles: &[[DVec3; 3]]) -> DVec3 {
    let [volume, x, y, z] = sum(triangles, &|corners| {
        let volume = six_volumes(origin, *corners);
        let [a, b, c] = corners.map(|corner| corner - origin);
        let moment = (a + b + c) * (volume * 0.25);
        [volume, moment.x, moment.y, moment.z]
    });
    origin + DVec3::new(x, y, z) / volume
}

/// Returns the area inside closed counter-clockwise polylines, and its centroid. For convex polygons, the
/// terms are not negative, since their signs are exact.
pub(in crate::shape) fn area_and_centroid(sides: &[[DVec2; 2]]) -> (f64, DVec2) {
    let origin = sides.first().map_or(DVec2::ZERO, |side| side[0]);
    let [area, x, y] = sum(sides, &|&[from, to]| {
        let (u, v) = (from - origin, to - origin);
        let accurate = doubled_area([origin, from, to]);
        // Near 0, only the sign of `orient2d` is accurate.
        let doubled = if accurate > 0.0 {
            accurate
        } else {
            orient2d(origin, from, to)
        };
        let moment = (u + v) * (doubled / 6.0);
        [0.5 * doubled, moment.x, moment.y]
    });
    (area, origin + DVec2::new(x, y) / area)
}

/// Returns the properties of the volume inside a closed surface.
///
/// The integral of `x x^T` over the tetrahedron of a point at 0 and the triangle abc of volume V is
/// `V/20 (a a^T + b b^T + c c^T + s s^T)` with `s = a + b + c`.
fn of_solid(
    volume: f64,
    centroid: DVec3,
    triangles: &[[DVec3; 3]],
    density: f64,
) -> MassProperties {
    let [xx, yy, zz, yz, zx, xy] = sum(triangles, &|corners| {
        let [a, b, c] = *corners;
        let volume = accurate_orient3d(c, b, a, centroid);
        let [a, b, c] = corners.map(|corner| corner - centroid);
        let points = [a, b, c, a + b + c];
        let product = |i: usize, j: usize| points.iter().map(|p| p[i] * p[j]).sum::<f64>() * volume;
        let [x, y, z] = [0, 1, 2];
        [(x, x), (y, y), (z, z), (y, z), (z, x), (x, y)].map(|(i, j)| product(i, j))
    });
    let inertia = [
        [yy + zz, -xy, -zx],
        [-xy, zz + xx, -yz],
        [-zx, -yz, xx + yy],
    ];
    MassProperties {
        mass: density * volume,
        center_of_mass: centroid,
        inertia: DMat3::from_cols_array_2d(&inertia) * (density / 120.0),
    }
}

/// Returns the properties of the area inside closed polylines.
fn of_polygon(
    area: f64,
    centroid: DVec2,
    vertices: &[DVec2],
    density: f64,
) -> MassProperties<DVec2> {
    let [squares] = sum(&sides(vertices), &|&[from, to]| {
        let (u, v) = (from - centroid, to - centroid);
        let squares = u.length_squared() + u.dot(v) + v.length_squared();
        [squares * doubled_area([centroid, from, to])]
    });
    MassProperties {
        mass: density * area,
        center_of_mass: centroid,
        inertia: squares * (density / 12.0),
    }
}

/// Returns twice the signed area of a triangle, accurate for needles too.
fn doubled_area(corners: [DVec2; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner.extend(0.0));
    cross_of_differences([a, b], [a, c]).z
}

/// Sums a function over many elements by halves. In one long sum, equal terms would all round the same way.
fn sum<T, const N: usize>(elements: &[T], term: &impl Fn(&T) -> [f64; N]) -> [f64; N] {
    const FEW: usize = 256;
    let add = |a: [f64; N], b: [f64; N]| std::array::from_fn(|i| a[i] + b[i]);
    if elements.len() <= FEW {
        return elements.iter().map(term).fold([0.0; N], add);
    }
    let (first, second) = elements.split_at(elements.len() / 2);
    add(sum(first, term), sum(second, term))
}
