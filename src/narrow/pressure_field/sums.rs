//! Integrals over the parts of a surface in a pressure field.

use glam::DVec3;

use super::field::FieldPart;

/// Integrals over the surface of a body in the field of another one, about the center of the field.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) area: f64,
    /// The integral of the pressure.
    pub(super) load: f64,
    /// The integral of the pressure times the position.
    pub(super) moment: DVec3,
    /// The integral of the pressure times the unit normal.
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
    /// The largest depth below a face of the field's body.
    pub(super) overlap: f64,
    /// The integrals of 1 and of the pressure over the common region.
    pub(super) volume: f64,
    pub(super) energy: f64,
}

impl Sums {
    /// Adds the pressure on a part of a plane with a unit normal.
    pub(super) fn add(&mut self, part: &FieldPart, normal: DVec3) {
        let (mut load, mut moment) = (0.0, DVec3::ZERO);
        let mut most = 0.0_f64;
        for_each_triangle(part, normal, |area, x, p| {
            let sum = p[0] + p[1] + p[2];
            let own = x[0] * p[0] + x[1] * p[1] + x[2] * p[2];
            self.area += area;
            load += area / 3.0 * sum;
            moment += ((x[0] + x[1] + x[2]) * sum + own) * (area / 12.0);
            most = most.max(p[0]).max(p[1]).max(p[2]);
        });
        self.overlap = self.overlap.max(most * part.depth);
        self.load += load;
        self.moment += moment;
        self.force += normal * load;
        self.torque += moment.cross(normal);
    }

    /// Adds the fluxes through a part of the plane `normal . x = height`, which give volume and energy.
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
    /// at the center; see [`add_source`](Self::add_source).
    pub(super) fn add_flux(&mut self, part: &FieldPart, normal: DVec3, height: f64, r: f64) {
        for_each_triangle(part, normal, |area, _, [a, b, c]| {
            let [s1, s2, s3] = [a + b + c, a * (b + c) + b * c, a * b * c];
            let flux = height * area / ((r - a) * (r - b) * (r - c));
            self.volume += flux / 3.0 * (r * (s2 - r * s1) - s3);
            let square = s2 - s1 * s1;
            self.energy += flux / 12.0 * (r * (r * square + s1 * s2 - s3) - s1 * s3);
        });
    }

    /// Adds the sources of the fluxes, if the center is in the common region: the integrals over the whole body.
    pub(super) fn add_source(&mut self, body_volume: f64, inscribed: f64) {
        self.volume += body_volume;
        self.energy += 0.25 * inscribed * body_volume;
    }
}

/// Visits the triangles of a fan: area, corners and pressures.
fn for_each_triangle(
    part: &FieldPart,
    normal: DVec3,
    mut visit: impl FnMut(f64, [DVec3; 3], [f64; 3]),
) {
    let mut corners = part.corners();
    let (Some((a, first)), Some((mut b, mut before))) = (corners.next(), corners.next()) else {
        return;
    };
    for (c, last) in corners {
        let area = 0.5 * normal.dot((b - a).cross(c - a));
        visit(area, [a, b, c], [first, before, last]);
        (b, before) = (c, last);
    }
}
