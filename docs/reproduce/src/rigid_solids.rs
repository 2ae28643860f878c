//! Shapes of rigid bodies: solids in the frame of their principal axes.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use osculate::glam::{DQuat, DVec3};
use osculate::{ConvexPolyhedron, Error, SolidMesh};

use crate::rigid::Shape;

impl Shape {
    pub fn new(solid: &SolidMesh, density: f64) -> Result<Self, Error> {
        let body = solid.mass_properties(density);
        let (inertia, axes) = body.principal();
        let local = |&vertex: &DVec3| axes.transpose() * (vertex - body.center_of_mass);
        let vertices = solid.surface().vertices().iter().map(local).collect();
        Ok(Self {
            solid: SolidMesh::new(vertices, triangles(solid))?,
            mass: body.mass,
            inertia,
            frame: DQuat::from_mat3(&axes).normalize(),
        })
    }
}

impl<S> Shape<S> {
    /// Changes the type of the solid.
    pub fn map<T>(self, convert: impl FnOnce(S) -> T) -> Shape<T> {
        Shape {
            solid: convert(self.solid),
            mass: self.mass,
            inertia: self.inertia,
            frame: self.frame,
        }
    }
}

impl Shape<ConvexPolyhedron> {
    /// Builds the convex hull of points.
    pub fn hull(points: &[DVec3], density: f64) -> Result<Self, Error> {
        let hull = ConvexPolyhedron::from_convex_hull(points)?;
        let Shape {
            solid,
            mass,
            inertia,
            frame,
        } = Shape::new(&hull.to_solid(), density)?;
        let solid = ConvexPolyhedron::from_convex_hull(solid.surface().vertices())?;
        Ok(Self {
            solid,
            mass,
            inertia,
            frame,
        })
    }

    /// Builds a box with these sides.
    pub fn cuboid(sides: DVec3, density: f64) -> Result<Self, Error> {
        let sign = |i: u32, axis: u32| f64::from(i >> axis & 1) - 0.5;
        let corner = |i| sides * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2));
        let solid = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
        // The axes are principal, also of a body of infinite density.
        let body = solid.mass_properties(1.0);
        Ok(Self {
            solid,
            mass: density * body.mass,
            inertia: body.principal().0 * density,
            frame: DQuat::IDENTITY,
        })
    }
}

/// Returns the corners of a solid's triangles.
pub fn triangles(solid: &SolidMesh) -> impl Iterator<Item = [u32; 3]> {
    let facets = solid.surface().facets();
    facets.map(|facet| [0, 1, 2].map(|k| facet.vertices()[k]))
}
