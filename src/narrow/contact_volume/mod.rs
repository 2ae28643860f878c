//! Contact volumes: contact forces as the gradient of an energy of the intersection volume, for
//! bodies of any shape.
//!
//! Y. T. Feng, "An energy-conserving contact theory for discrete element modelling of arbitrarily
//! shaped particles: contact volume based model and computational issues", Computer Methods in
//! Applied Mechanics and Engineering 373 (2021) 113493.
//!
//! Let S1 be the part of the first body's surface inside the second body. The area vector is
//! `S = int_S1 dS`, and the moment vector is `G = int_S1 r x dS`. If the first body moves by dx and
//! rotates by dtheta, the volume grows by `S.dx + G.dtheta`. By Stokes' theorem both are integrals
//! over the intersection curve: `S = 1/2 loop r x dr` and `G = -1/2 loop r^2 dr`.
//!
//! Deviations:
//! - The normal is `+S / |S|`, from the first body to the second. The normal of the paper is its
//!   negative.
//! - Equations 6, 12 and 71 have the wrong sign. The moment of S at the point x is `G = x x S`, so
//!   the central axis passes through `S x G / |S|^2`.
//! - Equations 27 to 29 and 70 have the factor 1/3 in place of 1/2. Equations 38 and 39 lack the
//!   factors 1/2 and -1/2. Equation 77 is corrected too ([`ContactVolume::point`]).
//! - A force at the contact point alone does not conserve energy. It needs the couple `-w' pitch S`
//!   as well ([`ContactVolume::moment_about`]).
//! - The curve always consists of closed loops. Signs are exact, and zeros are resolved by symbolic
//!   perturbation.
//! - The volume needs no clipping: it comes from the parts of both surfaces inside the other body.

mod clip;
mod contact;
mod convex_convex;
mod crossing;
mod cutter;
mod energy;
mod inside;
mod loops;
mod mesh_mesh;
mod polygons;
mod side_crossing;
mod solid_view;
mod sphere_volume;
mod state;
mod sums;

pub use contact::{ContactVolume, IntersectionKind};
pub use convex_convex::ConvexConvex;
pub use energy::ContactEnergy;
pub use mesh_mesh::{CurveNode, CurveSegment, MeshMesh};
pub use polygons::PolygonPolygon;
pub use sphere_volume::SphereVolume;
pub use state::VolumeState;
