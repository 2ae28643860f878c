//! Planes of faces relative to a nearby point, and volumes to first order in the rounding of vertices.
//!
//! A vertex in the common frame has a rounding error of about eps L, where L is the size of the
//! bodies. These errors displace each face separately, so the error of V is eps L times the area of
//! the surface, not of its projection. For a slender tip or a blade this is far more than eps L /
//! depth. Here each plane is computed from the body's own vertices, relative to one point O of the
//! intersection. O is rounded once in the body's coordinates, which displaces the body as a whole by
//! eps L.

use glam::{DMat3, DVec3};

use crate::math::{accurate_orient3d, twofold_cross, twofold_dot};
use crate::shape::FacePlane;

/// The half-space `normal . x <= offset`, relative to a point, with the normal in twice the digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NearPlane {
    /// Outwards; its length is twice the area.
    pub(super) normal: DVec3,
    /// The rounding error of the normal.
    rest: DVec3,
    offset: f64,
}

impl NearPlane {
    /// Returns the plane of a face, given its corners counter-clockwise and a point in their
    /// coordinates.
    pub(super) fn new(mut corners: impl Iterator<Item = DVec3>, point: DVec3) -> Self {
        let first = corners.next().unwrap_or(point);
        let mut last = corners.next().unwrap_or(point);
        let mut plane = Self::default();
        for corner in corners {
            let [normal, rest] = twofold_cross([first, last], [first, corner]);
            let sum = plane.normal + normal;
            plane.rest += (plane.normal - sum) + normal + rest;
            plane.normal = sum;
            plane.offset -= accurate_orient3d(first, last, corner, point);
            last = corner;
        }
        plane
    }

    /// Returns the plane after a rotation about the point.
    pub(super) fn rotated(&self, rotation: &DMat3) -> Self {
        let rows = rotation.transpose();
        let component = |row: DVec3| {
            let (sum, rest) = twofold_dot(row, self.normal);
            (sum, rest + row.dot(self.rest))
        };
        let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(component);
        Self {
            normal: DVec3::new(x.0, y.0, z.0),
            rest: DVec3::new(x.1, y.1, z.1),
            offset: self.offset,
        }
    }

    /// Returns the half-space in plain `f64`.
    pub(super) fn rounded(&self) -> FacePlane {
        FacePlane {
            normal: self.normal,
            offset: self.offset,
            length: 0.0,
        }
    }

    /// Returns six times the volume between the point and a triangle of the face, with the triangle's
    /// corners projected onto the plane.
    ///
    /// It is the pyramid on the triangle minus the layer between triangle and plane. Six volumes of
    /// the layer are twice the triangle's area times the sum of the corners' heights. The error is of
    /// second order in the heights.
    pub(super) fn six_volumes(&self, [a, b, c]: [DVec3; 3]) -> f64 {
        self.exact_six_volumes([a, b, c].map(|corner| [corner, DVec3::ZERO]))
    }

    /// Returns the same for corners in twice the digits.
    pub(super) fn exact_six_volumes(&self, corners: [[DVec3; 2]; 3]) -> f64 {
        let height = |[x, low]: [DVec3; 2]| {
            let (sum, rest) = twofold_dot(self.normal, x);
            (sum - self.offset) + (rest + self.rest.dot(x) + self.normal.dot(low))
        };
        let [[a, a_low], [b, b_low], [c, c_low]] = corners;
        let rest = a_low.dot(b.cross(c)) + b_low.dot(c.cross(a)) + c_low.dot(a.cross(b));
        let pyramid = accurate_orient3d(DVec3::ZERO, a, b, c) + rest;
        let squared = self.normal.length_squared();
        if squared > 0.0 {
            let area = (b - a).cross(c - a).dot(self.normal) / squared;
            pyramid - area * corners.map(height).iter().sum::<f64>()
        } else {
            pyramid
        }
    }
}
