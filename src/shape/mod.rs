//! Shapes of bodies and walls.
//!
//! A shape has its own coordinates, in any consistent unit of length. A [`Pose`](crate::math::Pose) takes it to the
//! world, and a [`Placed`] is a shape with a pose. Many bodies may share one shape by reference or `Arc`.
//!
//! | shape | 3D | 2D | kernel |
//! |---|---|---|---|
//! | ball | [`Sphere`] | [`Sphere`] | [`SphereSphere`](crate::SphereSphere) |
//! | capsule, rounded body | [`Rounded`] | [`RoundedPolygon`] | [`CommonPlane`](crate::CommonPlane) |
//! | convex body | [`ConvexPolyhedron`] | [`ConvexPolygon`] | [`CommonPlane`](crate::CommonPlane), in 3D also [`ConvexConvex`](crate::ConvexConvex) |
//! | any solid | [`SolidMesh`] | [`Polygon`] | [`MeshMesh`](crate::MeshMesh), [`PolygonPolygon`](crate::narrow::PolygonPolygon) |
//! | mesh of a [`Wall`](crate::Wall) | [`SurfaceMesh`] | [`SegmentMesh`] | [`DoubleHierarchy`](crate::DoubleHierarchy), in 3D [`CapsuleWall`](crate::narrow::CapsuleWall), [`PressureField`](crate::PressureField) |
//!
//! Bodies have [`MassProperties`] for a density: mass, center of mass and inertia.
//!
//! [`Sphere`] and [`Aabb`] are plain values with public fields, and functions that store them check them. Constructors
//! check all other shapes. These stay valid, so kernels cannot fail. Constructors also do the expensive work: other
//! methods return stored results in O(1), unless their docs say otherwise.

mod aabb;
mod box_tree;
mod capsule;
mod convex;
mod debug;
mod feature;
mod mass_properties;
mod periodic_box;
mod placed;
mod precision;
mod rounded_mass;
pub(crate) mod rows;
mod skin;
mod solid;
mod sphere;
mod stamp;
mod surface;
mod winding;

pub use aabb::Aabb;
pub use box_tree::BoxTree;
pub(crate) use box_tree::Frame;
pub use capsule::Capsule;
pub(crate) use capsule::Spine;
use convex::RoundedCore;
pub(crate) use convex::{
    Boundary, BoundaryEdge, Face, FacePlane, HalfEdge, HalfEdges, Spoke, VertexBlock,
};
pub use convex::{Convex, ConvexPolygon, ConvexPolyhedron, Rounded, RoundedPolygon};
pub(crate) use convex::{Core, FlatCore, Space};
pub use feature::Feature;
pub use mass_properties::MassProperties;
pub use periodic_box::PeriodicBox;
pub use placed::{Bounded, Placed};
pub use skin::Skin;
pub(crate) use skin::check_margin;
pub(crate) use solid::{FanArea, TET_FACES};
pub use solid::{Polygon, Solid, SolidMesh, TetMesh};
pub use sphere::Sphere;
pub(crate) use stamp::Stamp;
pub(crate) use surface::{Adjacency, UnionFind, have_names, names};
pub use surface::{Facet, MeshReport, SegmentMesh, SurfaceMesh, weld};
pub(crate) use winding::winding_around;
