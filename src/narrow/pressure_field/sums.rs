//! Integrals over surfaces in a pressure field.

use glam::{DMat3, DVec2, DVec3};

use super::Settings;
use super::field::Field;
use super::polygon::Plane;
use crate::math::outer;

/// Integrals over a part of a plane, about a point of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaneSums {
    origin: Option<DVec2>,
    area: f64,
    /// The integral of the position.
    area_moment: DVec2,
    /// The integral of the pressure, of its product with the position, and with the products of two coordinates.
    load: f64,
    moment: DVec2,
    square: DVec2,
    product: f64,
    /// Fluxes, of the vector fields with the divergence 1 and p.
    volume: f64,
    energy: f64,
}

impl PlaneSums {
    /// Adds the pressure on a part of a plane at a height above the center, in the field of a body of inscribed radius r.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        part: &[DVec2],
        pressure: impl Fn(DVec2) -> f64,
        [height, r]: [f64; 2],
        settings: &Settings,
    ) {
        let &[a, mut b, ref rest @ ..] = part else {
            return;
        };
        let origin = *self.origin.get_or_insert(a);
        let (first, mut before) = (pressure(a), pressure(b));
        for &c in rest {
            let (corners, p) = ([a, b, c], [first, before, pressure(c)]);
            (b, before) = (c, p[2]);
            let area = 0.5 * (corners[1] - a).perp_dot(c - a);
            let x = corners.map(|x| x - origin);
            let (sum, middle) = (p[0] + p[1] + p[2], x[0] + x[1] + x[2]);
            let own = x[0] * p[0] + x[1] * p[1] + x[2] * p[2];
            self.area += area;
            self.area_moment += middle * (area / 3.0);
            self.load += area / 3.0 * sum;
            self.moment += (middle * sum + own) * (area / 12.0);
            if settings.has_volume {
                self.add_flux(height * area, p, r);
            }
            if !settings.has_points {
                continue;
            }
            // The integral of p x y is t/60 [s X Y + P Y + X Q + s sum(x y) + 2 sum(p x y)], with s, X, Y, P, Q the sums
            // of p, x, y, p x, p y over the corners.
            let twice = [0, 1, 2].map(|i| sum + 2.0 * p[i]);
            let squares = x[0] * x[0] * twice[0] + x[1] * x[1] * twice[1] + x[2] * x[2] * twice[2];
            self.square += (middle * (middle * sum + 2.0 * own) + squares) * (area / 60.0);
            let products = [0, 1, 2].map(|i| x[i].x * x[i].y * twice[i]);
            let mixed = own.x * middle.y + middle.x * own.y;
            self.product +=
                (sum * middle.x * middle.y + mixed + products[0] + products[1] + products[2])
                    * (area / 60.0);
        }
    }

    /// Adds the fluxes through a triangle, which give volume and energy. `x_n` is the integral of `x . n`.
    ///
    /// They are those of vector fields that are 0 on the surface of the field's body and have the divergence 1 or p.
    /// Let `g = r - p`, which is homogeneous of degree 1 about the center. Then `x f(g)` has the divergence
    /// `3 f + g f'`. With `f(r) = 0`
    ///
    /// - `1/3 - r^3 / (3 g^3)` gives 1,
    /// - `r/3 - g/4 - r^4 / (12 g^3)` gives p.
    ///
    /// The mean of `1 / g^3` over a triangle is `1 / (a b c)`, with the values of g at the corners. Written in the
    /// elementary symmetric polynomials of the pressures there, no term is larger than the result. Each field has a source
    /// at the center: the integral over the whole body, its volume V and r V / 4.
    #[inline]
    fn add_flux(&mut self, x_n: f64, [a, b, c]: [f64; 3], r: f64) {
        let [s1, s2, s3] = [a + b + c, a * (b + c) + b * c, a * b * c];
        let flux = x_n / ((r - a) * (r - b) * (r - c));
        self.volume += flux / 3.0 * (r * (s2 - r * s1) - s3);
        let square = s2 - s1 * s1;
        self.energy += flux / 12.0 * (r * (r * square + s1 * s2 - s3) - s1 * s3);
    }

    /// Returns the integrals in space.
    pub(super) fn in_space(&self, plane: &Plane) -> Sums {
        let Plane { normal, axes, .. } = *plane;
        let moment = plane.vector(self.moment);
        let [x, y] = axes;
        Sums {
            origin: plane.point(self.origin.unwrap_or_default()),
            area: self.area,
            area_vector: normal * self.area,
            area_moment: plane.vector(self.area_moment).cross(normal),
            load: self.load,
            moment,
            second: outer(x, x * self.square.x + y * self.product)
                + outer(y, x * self.product + y * self.square.y),
            force: normal * self.load,
            torque: moment.cross(normal),
            volume: self.volume,
            energy: self.energy,
        }
    }
}

/// Integrals over a surface in the field of a body, about a point near the surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) origin: DVec3,
    pub(super) area: f64,
    /// The integrals of the unit normal, and of its moment about the origin.
    pub(super) area_vector: DVec3,
    pub(super) area_moment: DVec3,
    /// The integral of the pressure, and of its products with the position and with two coordinates.
    pub(super) load: f64,
    pub(super) moment: DVec3,
    pub(super) second: DMat3,
    /// The integrals of the pressure times the unit normal, and of its moment.
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
    /// The integrals of 1 and of the pressure over the common region.
    pub(super) volume: f64,
    pub(super) energy: f64,
}

impl Sums {
    /// Adds the source of the fluxes at the center: the integrals over the whole body.
    pub(super) fn add_source(&mut self, field: &Field) {
        self.volume += field.volume;
        self.energy += 0.25 * field.inscribed * field.volume;
    }

    /// Returns the same integrals about another point.
    pub(super) fn about(&self, origin: DVec3) -> Self {
        let arm = self.origin - origin;
        let mixed = outer(self.moment, arm);
        Self {
            origin,
            area_moment: self.area_moment + arm.cross(self.area_vector),
            moment: self.moment + arm * self.load,
            second: self.second + mixed + mixed.transpose() + outer(arm, arm * self.load),
            torque: self.torque + arm.cross(self.force),
            ..*self
        }
    }

    /// Returns the same integrals in the world, from axes about a center that `turn` rotates there, times a weight. `sign` is
    /// that of the forces.
    pub(super) fn placed(&self, turn: DMat3, center: DVec3, weight: f64, sign: f64) -> Self {
        Self {
            origin: center + turn * self.origin,
            area: self.area * weight,
            area_vector: turn * self.area_vector * sign * weight,
            area_moment: turn * self.area_moment * sign * weight,
            load: self.load * weight,
            moment: turn * self.moment * weight,
            second: turn * self.second * turn.transpose() * weight,
            force: turn * self.force * sign * weight,
            torque: turn * self.torque * sign * weight,
            volume: self.volume * weight,
            energy: self.energy * weight,
        }
    }

    /// Adds other integrals, about the same origin. The sum of two with that origin is the same in either order.
    pub(super) fn add(&mut self, other: &Self) {
        let other = other.about(self.origin);
        self.area += other.area;
        self.area_vector += other.area_vector;
        self.area_moment += other.area_moment;
        self.load += other.load;
        self.moment += other.moment;
        self.second += other.second;
        self.force += other.force;
        self.torque += other.torque;
        self.volume += other.volume;
        self.energy += other.energy;
    }
}
