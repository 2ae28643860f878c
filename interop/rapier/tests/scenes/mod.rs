//! A ball or a box on a flat floor that is cut into triangles.

#![allow(dead_code, reason = "each program uses a part")]

use osculate::{ConvexPolyhedron, SurfaceMesh, glam::DVec3};
use osculate_rapier::{Osculate, ground, solid};
use rapier3d_f64::parry::shape::{TriMesh, TriMeshFlags};
use rapier3d_f64::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contacts {
    /// parry's, with flags of its mesh.
    Parry(TriMeshFlags),
    Osculate,
}

pub const KINDS: [(&str, Contacts); 3] = [
    ("rapier", Contacts::Parry(TriMeshFlags::empty())),
    (
        "rapier, FIX_INTERNAL_EDGES",
        Contacts::Parry(TriMeshFlags::FIX_INTERNAL_EDGES),
    ),
    ("osculate", Contacts::Osculate),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// Rolls, of radius 0.5.
    Ball,
    /// Slides without friction, of side 1.
    Box,
}

/// How a floor of 60 by 8 is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    Two,
    /// Squares of a quarter, each of two triangles.
    Squares,
    /// Strips along the motion, a hundred times as long as wide.
    Strips,
    /// Squares whose vertices lie in the middle of the edges of the next column.
    Hanging,
}

pub const CUTS: [(&str, Cut); 4] = [
    ("2 triangles", Cut::Two),
    ("15,360 triangles", Cut::Squares),
    ("strips of 5 by 0.05", Cut::Strips),
    ("hanging vertices", Cut::Hanging),
];

fn floor(cut: Cut) -> SurfaceMesh {
    let [x, y] = match cut {
        Cut::Two => [1, 1],
        Cut::Squares => [240, 32],
        Cut::Strips => [12, 160],
        Cut::Hanging => return hanging(),
    };
    let place = |i: u32| {
        let [column, row] = [i % (x + 1), i / (x + 1)].map(f64::from);
        DVec3::new(
            60.0 * column / f64::from(x) - 30.0,
            8.0 * row / f64::from(y) - 4.0,
            0.0,
        )
    };
    let cells = (0..x * y).map(|i| i + i / x);
    let triangles = cells.flat_map(|a| {
        let b = a + x + 1;
        [[a, a + 1, b + 1], [a, b + 1, b]]
    });
    SurfaceMesh::new((0..(x + 1) * (y + 1)).map(place).collect(), triangles).unwrap()
}

fn hanging() -> SurfaceMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for column in 0..240_u32 {
        let start = if column % 2 == 0 { -4.0 } else { -4.125 };
        for row in 0..=32 {
            let place = |x: u32| DVec3::new(f64::from(x), f64::from(row), 0.0) * 0.25;
            let corner = DVec3::new(-30.0, start, 0.0);
            vertices.extend([column, column + 1].map(|x| corner + place(x)));
        }
        let cells = (0..32).map(|row| 66 * column + 2 * row);
        triangles.extend(cells.flat_map(|a| [[a, a + 1, a + 3], [a, a + 3, a + 2]]));
    }
    SurfaceMesh::new(vertices, triangles).unwrap()
}

fn cube() -> ConvexPolyhedron {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

pub fn world(contacts: Contacts) -> PhysicsWorld {
    let mut world = PhysicsWorld {
        gravity: Vector::new(0.0, 0.0, -10.0),
        ..PhysicsWorld::default()
    };
    world.integration_parameters.dt = 1.0 / 60.0;
    if contacts == Contacts::Osculate {
        world.narrow_phase.set_query_dispatcher(Osculate);
    }
    world
}

/// Returns a floor of either library.
pub fn floor_shape(contacts: Contacts, cut: Cut) -> SharedShape {
    let mesh = floor(cut);
    let Contacts::Parry(flags) = contacts else {
        return ground(mesh);
    };
    let vertices = mesh.vertices().iter().map(|v| v.to_array().into());
    let triangles = mesh.facets().map(|f| f.vertices().try_into().unwrap());
    let mesh = TriMesh::with_flags(vertices.collect(), triangles.collect(), flags);
    SharedShape::new(mesh.unwrap())
}

pub fn cube_shape(contacts: Contacts) -> SharedShape {
    match contacts {
        Contacts::Parry(_) => SharedShape::cuboid(0.5, 0.5, 0.5),
        Contacts::Osculate => solid(cube()).unwrap(),
    }
}

/// The worst of 4 s at 8 m/s, after the body has settled for 1 s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bumps {
    /// Change of height.
    pub height: f64,
    /// Change of the vertical speed.
    pub vertical: f64,
    /// Speed across the motion.
    pub sideways: f64,
    /// Part of the speed along the motion that is lost.
    pub lost: f64,
}

pub fn run(contacts: Contacts, body: Body, cut: Cut) -> Bumps {
    let mut world = world(contacts);
    let friction = if body == Body::Ball { 0.5 } else { 0.0 };
    let floor = ColliderBuilder::new(floor_shape(contacts, cut)).friction(friction);
    world.insert(RigidBodyBuilder::fixed(), floor);
    let (shape, spin) = match body {
        Body::Ball => (SharedShape::ball(0.5), 16.0),
        Body::Box => (cube_shape(contacts), 0.0),
    };
    let moving = RigidBodyBuilder::dynamic()
        .can_sleep(false)
        .translation(Vector::new(-25.03, 0.07, 0.5))
        .linvel(Vector::new(8.0, 0.0, 0.0))
        .angvel(Vector::new(0.0, spin, 0.0));
    let (moving, _) = world.insert(moving, ColliderBuilder::new(shape).friction(friction));
    let (mut bumps, mut rest) = (Bumps::default(), [0.0; 3]);
    for step in 0..300 {
        world.step();
        let body = &world.bodies[moving];
        let (height, velocity) = (body.translation().z, body.linvel());
        if step < 60 {
            rest = [height, velocity.z, velocity.x];
            continue;
        }
        bumps.height = bumps.height.max((height - rest[0]).abs());
        bumps.vertical = bumps.vertical.max((velocity.z - rest[1]).abs());
        bumps.sideways = bumps.sideways.max(velocity.y.abs());
        bumps.lost = bumps.lost.max(1.0 - velocity.x / rest[2]);
    }
    bumps
}
