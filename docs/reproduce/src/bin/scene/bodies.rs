//! Convex blocks and concave bodies: an enum of shapes, and the kernel of each pair.

use osculate::glam::DVec3;
use osculate::{
    Aabb, Bounded, ContactVolume, ConvexConvex, ConvexPolyhedron, Error, MeshMesh, NarrowPhase,
    Placed, Pose3, SolidMesh, Sphere, SurfaceMesh,
};

/// A shape in its own coordinates, with the center of mass at the origin.
pub(crate) enum Form {
    Block(ConvexPolyhedron),
    Concave(SolidMesh),
}

/// A shape at a pose.
pub(crate) type Body<'a> = Placed<&'a Form>;

impl Bounded for Form {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere {
        match self {
            Self::Block(block) => block.bounding_sphere(),
            Self::Concave(solid) => solid.bounding_sphere(),
        }
    }

    fn bounding_box(&self) -> Aabb {
        match self {
            Self::Block(block) => block.bounding_box(),
            Self::Concave(solid) => solid.bounding_box(),
        }
    }
}

/// Walls, thickened to a solid.
pub(crate) struct Room {
    layer: Placed<SolidMesh>,
}

impl Room {
    /// The inside of a box around the origin.
    pub(crate) fn new(half: DVec3) -> Result<Self, Error> {
        let corner = |i: u32| {
            let sign = |axis: u32| f64::from(i >> axis & 1) * 2.0 - 1.0;
            half * DVec3::new(sign(0), sign(1), sign(2))
        };
        // Counter-clockwise from the inside.
        let faces = [
            [0, 1, 3, 2],
            [4, 6, 7, 5],
            [0, 4, 5, 1],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 5, 7, 3],
        ];
        let mesh = SurfaceMesh::new((0..8).map(corner).collect(), faces)?;
        Ok(Self {
            layer: Placed::new(mesh.thickened(0.5)?, Pose3::IDENTITY),
        })
    }
}

/// One kernel for each kind of pair.
#[derive(Default)]
pub(crate) struct Kernels {
    convex: ConvexConvex,
    mesh: MeshMesh,
}

impl Kernels {
    /// Returns the intersection volume of two bodies.
    pub(crate) fn between(&mut self, a: &Body, b: &Body) -> Option<ContactVolume<DVec3>> {
        use Form::{Block, Concave};
        match (a.shape, b.shape) {
            (Block(p), Block(q)) => self
                .convex
                .contact(&Placed::new(p, a.pose), &Placed::new(q, b.pose)),
            (Block(block), Concave(solid)) => self
                .mesh
                .contact(&Placed::new(block, a.pose), &Placed::new(solid, b.pose)),
            (Concave(solid), Block(block)) => self
                .mesh
                .contact(&Placed::new(solid, a.pose), &Placed::new(block, b.pose)),
            (Concave(p), Concave(q)) => self
                .mesh
                .contact(&Placed::new(p, a.pose), &Placed::new(q, b.pose)),
        }
    }

    /// Returns the part of a body in the walls.
    pub(crate) fn in_walls(&mut self, body: &Body, room: &Room) -> Option<ContactVolume<DVec3>> {
        match body.shape {
            Form::Block(block) => (self.mesh).contact(&Placed::new(block, body.pose), &room.layer),
            Form::Concave(solid) => {
                (self.mesh).contact(&Placed::new(solid, body.pose), &room.layer)
            }
        }
    }
}
