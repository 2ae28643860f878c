use std::ops::Deref;

use super::SolidMesh;
use crate::shape::ConvexPolyhedron;

/// A body with a closed triangle mesh: a [`SolidMesh`], a [`ConvexPolyhedron`], or a pointer to one.
///
/// [`MeshMesh`](crate::MeshMesh) takes any two such bodies. Implement it for your own type, such as an enum of shapes,
/// to use it there.
///
/// ```
/// use osculate::shape::Solid;
/// use osculate::{ConvexPolyhedron, SolidMesh};
///
/// enum Shape {
///     Block(ConvexPolyhedron),
///     Rock(SolidMesh),
/// }
///
/// impl Solid for Shape {
///     fn solid_mesh(&self) -> &SolidMesh {
///         match self {
///             Shape::Block(block) => block.solid_mesh(),
///             Shape::Rock(rock) => rock,
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no closed triangle mesh",
    note = "`SolidMesh` and `ConvexPolyhedron` have one, and references, `Arc` and `Box` of them"
)]
pub trait Solid {
    /// Returns the mesh, in the body's own coordinates. It must be the same at each call.
    fn solid_mesh(&self) -> &SolidMesh;
}

impl Solid for SolidMesh {
    fn solid_mesh(&self) -> &SolidMesh {
        self
    }
}

impl Solid for ConvexPolyhedron {
    /// Returns the body with its faces cut into triangles ([`to_solid`](ConvexPolyhedron::to_solid)).
    ///
    /// The first call builds it, in O(n log n). The polyhedron and its clones keep it: about 400 bytes per
    /// triangle.
    fn solid_mesh(&self) -> &SolidMesh {
        self.solid.get_or_init(|| self.to_solid())
    }
}

impl<P: Deref<Target: Solid>> Solid for P {
    fn solid_mesh(&self) -> &SolidMesh {
        (**self).solid_mesh()
    }
}
