//! Contact volumes: forces between bodies of any shape as the gradient of an energy of the volume
//! that they share.
//!
//! Y. T. Feng, "An energy-conserving contact theory for discrete element modelling of arbitrarily
//! shaped particles: contact volume based model and computational issues", Computer Methods in
//! Applied Mechanics and Engineering 373 (2021) 113493.
//!
//! With S1 the part of the first body's surface that is inside the second, the area vector is
//! `S = int_S1 dS` and the moment vector `G = int_S1 r x dS`. When the first body moves by dx and
//! turns by dtheta, the volume grows by `S.dx + G.dtheta`. Both follow from the curve in which the
//! surfaces cross.
//!
//! Deviations:
//! - The normal is `+S / |S|`, from the first body to the second; the paper's is its negative.
//! - Equations 6, 12 and 71 have the wrong sign: the moment of S about the point is `G = x x S`, so
//!   the central axis is at `S x G / |S|^2`. 27 to 29 and 70 say 1/3 for 1/2, 38 and 39 lack 1/2 and
//!   -1/2, 77 is corrected as well ([`ContactVolume::point`]).
//! - A force at the contact point alone does not conserve energy: it takes the couple `-w' pitch S`
//!   too ([`ContactVolume::moment_about`]).
//! - Loops always close: exact signs, and an infinitesimal translation where they are 0.
//! - The volume needs no clipping and no sorting either, only winding numbers.

mod body;
mod clip;
mod convex_convex;
mod crossing;
mod crowd;
mod energy;
mod face;
mod loops;
mod mesh_mesh;
mod near_plane;
mod outside;
mod polygons;
mod slender;
mod sums;
mod tetrahedron;
mod tets;
mod thin;

pub use convex_convex::ConvexConvex;
pub use energy::ContactEnergy;
pub use mesh_mesh::{CurveNode, CurveSegment, MeshMesh};
pub use polygons::PolygonPolygon;
pub use tets::{TetConvex, TetTet};

use std::cmp::Ordering;

use crate::math::{Pose, Vector};
use crate::narrow::{comes_first, is_before};

/// How two bodies share volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IntersectionKind {
    /// Their surfaces cross.
    Crossing,
    /// Their surfaces touch, exactly: the volume is 0. Where faces lie on each other the area vector
    /// need not be. (Of surfaces that cross by less than rounding the volume may be 0, too.)
    Touching,
    /// One is inside the other: the surfaces do not cross, so the volume does not change with the
    /// pose and there is no force. Bodies that coincide count as nested.
    Nested,
}

/// The volume that two bodies share (in 2D their area), and how it changes when they move.
///
/// World frame. All that has a direction belongs to the first body and changes its sign if the
/// bodies are swapped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "V: serde::Serialize, V::Moment: serde::Serialize",
        deserialize = "V: serde::Deserialize<'de>, V::Moment: serde::Deserialize<'de>"
    ))
)]
pub struct ContactVolume<V: Vector = glam::DVec3> {
    /// Whether the surfaces cross, touch, or one body is inside the other.
    pub kind: IntersectionKind,
    /// V, a length to the power of 3 (2 in the plane).
    pub volume: f64,
    /// S, the gradient of the volume for translations of the first body; it points from the first
    /// body to the second.
    pub area_vector: V,
    /// The contact point: of the points on the central axis that around which a surface of
    /// triangles from the point to the curve has the least squared area (in 2D, the one next to
    /// the mean of the crossings).
    ///
    /// If S is 0, the mean of the curve; for nested bodies some point of the inner one.
    pub point: V,
    /// The gradient of the volume for rotations of the first body about [`point`](Self::point):
    /// along S, unless S is 0.
    pub moment_vector: V::Moment,
}

impl<V: Vector> ContactVolume<V> {
    /// The unit normal, from the first body to the second; `None` if S is 0.
    pub fn normal(&self) -> Option<V> {
        crate::math::direction(self.area_vector, self.area())
    }

    /// |S|, the area (in 2D, the contact width) seen along the normal.
    pub fn area(&self) -> f64 {
        self.area_vector.length()
    }

    /// `S.G / |S|^2`, a length: the wrench is a force along the central axis and this times the
    /// force as a couple. 0 in 2D, and if S is 0.
    pub fn pitch(&self) -> f64 {
        let squared = self.area_vector.length_squared();
        if squared > 0.0 {
            self.area_vector.dot_moment(self.moment_vector) / squared
        } else {
            0.0
        }
    }

    /// G about any point: the gradient of the volume for rotations of the first body about it.
    pub fn moment_vector_about(&self, center: V) -> V::Moment {
        self.moment_vector + (self.point - center).cross(self.area_vector)
    }

    /// The force on the first body; that on the second is its negative.
    ///
    /// Without the [`moment_about`](Self::moment_about) about each body's centre energy is not conserved, not
    /// even with the force at the contact point.
    pub fn force(&self, energy: &ContactEnergy) -> V {
        self.area_vector * -energy.pressure(self.volume)
    }

    /// The moment on the first body about a point; that on the second body about the same point is
    /// its negative.
    pub fn moment_about(&self, energy: &ContactEnergy, center: V) -> V::Moment {
        self.moment_vector_about(center) * -energy.pressure(self.volume)
    }

    /// The same contact with the bodies swapped.
    pub fn swapped(self) -> Self {
        Self {
            // No negative zeros: 0 is 0 either way.
            area_vector: V::ZERO - self.area_vector,
            moment_vector: V::Moment::default() - self.moment_vector,
            ..self
        }
    }
}

/// One body inside the other.
fn nested<V: Vector>(volume: f64, point: V) -> ContactVolume<V> {
    ContactVolume {
        kind: IntersectionKind::Nested,
        volume,
        area_vector: V::ZERO,
        point,
        moment_vector: V::Moment::default(),
    }
}

/// Whether the first of two bodies comes first, whichever way they are given: by their poses, vertices
/// and `faces`. `None` if they are equal in all.
fn is_first<V: Vector>(
    [a, b]: [&Pose<V>; 2],
    vertices: [&[V]; 2],
    faces: impl FnOnce() -> Ordering,
) -> Option<bool> {
    comes_first(a, b).or_else(|| {
        if vertices[0] != vertices[1] {
            return Some(is_before(vertices[0], vertices[1]));
        }
        let order = faces();
        order.is_ne().then_some(order.is_lt())
    })
}
