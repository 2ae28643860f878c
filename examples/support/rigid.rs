//! Rigid bodies of uniform density, and a symplectic integrator of second order.
//!
//! A step is half a drift, a kick, half a drift. The drift translates along a straight line and
//! rotates about the principal axes, one after another and back: A. Dullweber, B. Leimkuhler, R.
//! McLachlan, "Symplectic splitting methods for rigid body molecular dynamics", Journal of Chemical
//! Physics 107 (1997), 5840-5851. It conserves linear and angular momentum to the bit, and kicks
//! that are equal and opposite keep their sums. So an energy gain or loss over a contact is due to
//! the force or to the step length.

#![allow(dead_code, reason = "each example uses a part")]

use osculate::glam::{DQuat, DVec3};
use osculate::{ConvexPolyhedron, Error, Placed, Pose3, SolidMesh};

/// A solid in the frame of its principal axes, around its center of mass.
pub(crate) struct Shape<S = SolidMesh> {
    pub solid: S,
    pub mass: f64,
    /// The principal moments.
    pub inertia: DVec3,
    /// Rotates from the principal axes to the axes of the original solid.
    frame: DQuat,
}

impl Shape {
    pub(crate) fn new(solid: &SolidMesh, density: f64) -> Result<Self, Error> {
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

impl Shape<ConvexPolyhedron> {
    /// Builds the convex hull of points.
    pub(crate) fn hull(points: &[DVec3], density: f64) -> Result<Self, Error> {
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
    pub(crate) fn cuboid(sides: DVec3, density: f64) -> Result<Self, Error> {
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
pub(crate) fn triangles(solid: &SolidMesh) -> impl Iterator<Item = [u32; 3]> {
    let facets = solid.surface().facets();
    facets.map(|facet| [0, 1, 2].map(|k| facet.vertices()[k]))
}

/// A moving rigid body; one of infinite density is fixed.
#[derive(Clone)]
pub(crate) struct Body<'a, S = SolidMesh> {
    pub shape: &'a Shape<S>,
    pub position: DVec3,
    /// Maps the principal axes to the world.
    pub rotation: DQuat,
    pub momentum: DVec3,
    /// The angular momentum about the center of mass, in the world.
    pub spin: DVec3,
}

impl<'a, S> Body<'a, S> {
    /// Places a shape at rest; `turn` rotates the shape as it was given.
    pub(crate) fn new(shape: &'a Shape<S>, turn: DQuat, position: DVec3) -> Self {
        Self {
            shape,
            position,
            rotation: (turn * shape.frame).normalize(),
            momentum: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    /// Returns the body for a kernel; fails if it has left the valid range.
    pub(crate) fn placed(&self) -> Result<Placed<&'a S>, Error> {
        let pose = Pose3::new_normalize(self.rotation, self.position)?;
        Ok(Placed::new(&self.shape.solid, pose))
    }

    pub(crate) fn drift(&mut self, time: f64) {
        self.position += self.momentum * (time / self.shape.mass);
        for (axis, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
            let unit = DVec3::AXES[axis];
            let rate = (self.rotation * unit).dot(self.spin) / self.shape.inertia[axis];
            self.rotation *= DQuat::from_axis_angle(unit, rate * part * time);
        }
        self.rotation = self.rotation.normalize();
    }

    pub(crate) fn kick(&mut self, impulse: DVec3, twist: DVec3) {
        self.momentum += impulse;
        self.spin += twist;
    }

    /// Adds an impulse at a point of the world.
    pub(crate) fn push(&mut self, impulse: DVec3, point: DVec3) {
        self.kick(impulse, (point - self.position).cross(impulse));
    }

    /// Returns the velocity at a point of the world.
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.momentum / self.shape.mass + self.rate().cross(point - self.position)
    }

    /// Returns the angular velocity.
    pub(crate) fn rate(&self) -> DVec3 {
        self.rotation * (self.rotation.inverse() * self.spin / self.shape.inertia)
    }

    /// Returns the kinetic energy, translational and rotational.
    pub(crate) fn kinetic(&self) -> [f64; 2] {
        let translational = self.momentum.length_squared() / self.shape.mass;
        [translational, self.rate().dot(self.spin)].map(|twice| 0.5 * twice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids::{bolt, cuboid};

    #[test]
    fn a_brick_has_the_mass_and_moments_of_a_brick() {
        let brick = cuboid(DVec3::ZERO, DVec3::new(4.0, 2.0, 2.0)).unwrap();
        let shape = Shape::new(&brick, 3.0).unwrap();
        // The box is 4 x 2 x 2, its mass 48.
        let mut inertia = shape.inertia.to_array();
        inertia.sort_by(f64::total_cmp);
        assert!((shape.mass - 48.0).abs() < 1e-12);
        for (found, expected) in inertia.iter().zip([32.0, 80.0, 80.0]) {
            assert!((found - expected).abs() < 1e-12, "{inertia:?}");
        }
        let body = Body::new(&shape, DQuat::IDENTITY, DVec3::new(2.0, 1.0, 1.0));
        let pose = body.placed().unwrap().pose;
        for &corner in brick.surface().vertices() {
            let near = |local: &&DVec3| pose.transform_point(**local).distance(corner) < 1e-12;
            let vertices = shape.solid.surface().vertices();
            assert_eq!(vertices.iter().filter(near).count(), 1);
        }
    }

    /// A body that rotates freely, about no principal axis: the energy error is bounded and of
    /// second order.
    #[test]
    fn free_rotation() {
        let solid = bolt(12, 12).unwrap();
        let shape = Shape::new(&solid, 1.0).unwrap();
        let error = |steps: i32| {
            let mut body = Body::new(&shape, DQuat::IDENTITY, DVec3::ZERO);
            body.kick(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
            let (energy, spin) = (body.kinetic()[1], body.spin);
            let mut worst: f64 = 0.0;
            for _ in 0..steps {
                body.drift(10.0 / f64::from(steps));
                worst = worst.max((body.kinetic()[1] / energy - 1.0).abs());
            }
            assert_eq!(body.spin, spin);
            worst
        };
        let (coarse, fine) = (error(100), error(200));
        assert!(coarse < 1e-2 && fine < 0.3 * coarse, "{coarse} {fine}");
    }
}
