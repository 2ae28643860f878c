//! Mass properties of bodies with a radius, exactly.
//!
//! The points of a rounded body outside its core are, by their nearest point of the core (J. Steiner, 1840), prisms over
//! the faces, wedges of cylinders at the edges and sectors of balls at the vertices. A sector is a cone over a polygon P of
//! unit vectors x. Its sides are arcs by the angle t of an edge, in planes across the unit vector u along the edge.
//! Components of x, and of x x^T less a third of the unit tensor, are eigenfunctions of the Laplace operator of the sphere,
//! for -2 and -6. By Gauss' theorem, with g the integral of x over an arc,
//!
//! - the integral of x over P is `-1/2 sum t u`,
//! - that of x x^T is `omega / 3 - 1/6 sum (g u^T + u g^T)`.
//!
//! The solid angle omega is 2 pi less the angles of the faces at the vertex.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DVec2, DVec3};

use super::RoundedCore;
use crate::math::{Vector, angle, outer};
use crate::shape::{Boundary, MassProperties, Rounded, RoundedPolygon, Sphere};

/// Volume, first and second moments about a point.
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    /// Adds a cone of rays along vectors x around each point y of a feature: over a length r for a face, over `s ds` for an
    /// edge, over `s^2 ds` for a vertex. `feature` and `rays` have the measure and the integrals of y, y y^T and x, x x^T.
    fn add_rays(
        &mut self,
        r: f64,
        power: u8,
        feature: (f64, DVec3, DMat3),
        rays: (f64, DVec3, DMat3),
    ) {
        let whole = (0..power).fold(1.0, |product, _| product * r);
        let n = f64::from(power);
        let (a, b, c) = (whole / n, whole * r / (n + 1.0), whole * r * r / (n + 2.0));
        let ((size, y, yy), (angle, x, xx)) = (feature, rays);
        self.volume += size * angle * a;
        self.first += y * (angle * a) + x * (size * b);
        self.second += yy * (angle * a) + both(y, x) * b + xx * (size * c);
    }

    fn add_boundary(&mut self, core: &Boundary, origin: DVec3, r: f64) {
        let vertices: Vec<_> = core
            .vertices
            .iter()
            .map(|&v| v + (core.center - origin))
            .collect();
        let mut sectors = vec![(TAU, DVec3::ZERO, DMat3::ZERO); vertices.len()];
        for face in &core.faces {
            let ids: Vec<_> = core
                .sides(face)
                .iter()
                .map(|side| side.corner as usize)
                .collect();
            for (i, &id) in ids.iter().enumerate() {
                let [next, last] = [1, ids.len() - 1].map(|k| ids[(i + k) % ids.len()]);
                let [u, v] = [next, last].map(|other| vertices[other] - vertices[id]);
                sectors[id].0 -= angle(u.cross(v).length(), u.dot(v));
                if i > 0 && i + 1 < ids.len() {
                    let triangle = triangle([ids[0], id, next].map(|id| vertices[id]));
                    let n = face.normal;
                    self.add_rays(r, 1, triangle, (1.0, n, outer(n, n)));
                }
            }
        }
        for edge in &core.edges {
            let [a, b] = edge.ends.map(|end| vertices[end as usize]);
            let (middle, u) = ((a + b) * 0.5, edge.along / edge.length);
            let arc = arc(
                edge.existing_faces().map(|f| core.faces[f as usize].normal),
                u,
            );
            let squares = outer(middle, middle) + outer(edge.along, edge.along) * (1.0 / 12.0);
            let segment = (edge.length, middle * edge.length, squares * edge.length);
            self.add_rays(r, 2, segment, arc);
            for (end, u) in edge.ends.into_iter().zip([u, -u]) {
                let sector = &mut sectors[end as usize];
                sector.1 -= u * (0.5 * arc.0);
                sector.2 += both(arc.1, u) * (-1.0 / 6.0);
            }
        }
        for (&v, (omega, x, xx)) in vertices.iter().zip(sectors) {
            let xx = xx + DMat3::IDENTITY * (omega / 3.0);
            self.add_rays(r, 3, (1.0, v, outer(v, v)), (omega, x, xx));
        }
    }
}

/// Returns `u v^T + v u^T`.
fn both(u: DVec3, v: DVec3) -> DMat3 {
    outer(u, v) + outer(v, u)
}

/// Returns the area of a triangle, and the integrals of y and y y^T.
fn triangle([a, b, c]: [DVec3; 3]) -> (f64, DVec3, DMat3) {
    let (area, sum) = (0.5 * (b - a).cross(c - a).length(), a + b + c);
    let squares = [a, b, c, sum].map(|x| outer(x, x));
    let squares = squares[0] + squares[1] + squares[2] + squares[3];
    (area, sum * (area / 3.0), squares * (area / 12.0))
}

/// Returns the angle of an arc across the unit vector u between two normals, and the integrals of x and x x^T. Without
/// normals it is a circle.
fn arc(mut normals: impl Iterator<Item = DVec3>, u: DVec3) -> (f64, DVec3, DMat3) {
    let across = DMat3::IDENTITY + outer(u, u) * -1.0;
    let (Some(m), Some(n)) = (normals.next(), normals.next()) else {
        return (TAU, DVec3::ZERO, across * PI);
    };
    let (sum, difference) = (m + n, m - n);
    let (cosine, sine) = (0.5 * sum.length(), 0.5 * difference.length());
    let (angle, middle) = (2.0 * angle(sine, cosine), sum.normalize_or_zero());
    let aside = u.cross(middle);
    let squares = outer(middle, middle) + outer(aside, aside) * -1.0;
    (
        angle,
        middle * (2.0 * sine),
        across * (0.5 * angle) + squares * (sine * cosine),
    )
}

impl Rounded {
    /// Returns mass, center of mass and inertia for a density (mass per volume). The mass is the density times the volume.
    /// O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let r = self.radius();
        let (boundary, core) = match &self.core {
            RoundedCore::Point(center) => return Sphere::new(*center, r).mass_properties(density),
            RoundedCore::Segment(_, boundary) => (&**boundary, None),
            RoundedCore::Polyhedron(core) => (core.boundary(), Some(core.mass_properties(1.0))),
        };
        let inertia = core.map_or(DMat3::ZERO, |core| core.inertia);
        let origin = core.map_or(boundary.center, |core| core.center_of_mass);
        let mut moments = Moments {
            volume: core.map_or(0.0, |core| core.mass),
            first: DVec3::ZERO,
            second: of_trace(inertia, 0.5),
        };
        moments.add_boundary(boundary, origin, r);
        let center = mean(moments.first, moments.volume);
        let second = moments.second + outer(center, center) * -moments.volume;
        MassProperties {
            mass: density * moments.volume,
            center_of_mass: origin + center,
            inertia: of_trace(second, 1.0) * density,
        }
    }
}

/// Returns a first moment over its volume, 0 for a body without volume.
fn mean<V: Vector>(first: V, volume: f64) -> V {
    if volume > 0.0 {
        first * (1.0 / volume)
    } else {
        V::ZERO
    }
}

/// Returns `part` of the trace on the diagonal less the tensor: the inertia of second moments, or half of it the reverse.
fn of_trace(tensor: DMat3, part: f64) -> DMat3 {
    let trace = tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(part * trace)) + tensor * -1.0
}

impl RoundedPolygon {
    /// Returns mass, center of mass and polar moment for a density (mass per area). The mass is the density times the area.
    /// O(n).
    pub fn mass_properties(&self, density: f64) -> MassProperties<DVec2> {
        let (r, core) = (self.radius(), self.core.mass_properties(1.0));
        let origin = core.center_of_mass;
        let (mut area, mut first, mut second) = (core.mass, DVec2::ZERO, core.inertia);
        let vertices: Vec<_> = self.core_vertices().iter().map(|&v| v - origin).collect();
        let count = vertices.len();
        let outward = |i: usize| {
            let along = vertices[(i + 1) % count] - vertices[i % count];
            (-along.perp().normalize_or_zero(), along.length())
        };
        for (i, &v) in vertices.iter().enumerate() {
            let ((m, _), (n, length)) = (outward(i + count - 1), outward(i));
            // A rectangle at a side.
            let middle = 0.5 * (v + vertices[(i + 1) % count]);
            let squares = length * (middle.length_squared() + length * length / 12.0);
            area += length * r;
            first += middle * (length * r) + n * (0.5 * length * r * r);
            second += squares * r + length * r * r * (middle.dot(n) + r / 3.0);
            // A sector at a vertex, all around a single one.
            let turn = if count == 1 {
                TAU
            } else {
                angle(m.perp_dot(n).abs(), m.dot(n))
            };
            let arc = (m - n).perp();
            area += 0.5 * turn * r * r;
            first += v * (0.5 * turn * r * r) + arc * (r * r * r / 3.0);
            second += r * r * (turn * (0.5 * v.length_squared() + 0.25 * r * r));
            second += v.dot(arc) * (2.0 / 3.0 * r * r * r);
        }
        let center = mean(first, area);
        MassProperties {
            mass: density * area,
            center_of_mass: origin + center,
            inertia: (second - area * center.length_squared()) * density,
        }
    }
}
