//! Forces of single contacts, relative to simple formulas.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField};
use osculate::{ConvexPolyhedron, Error, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

use reproduce::Result;

const DEPTHS: [f64; 4] = [1e-4, 0.01, 0.05, 0.1];

pub(crate) fn cuboid(sides: DVec3) -> std::result::Result<ConvexPolyhedron, Error> {
    let sign = |i: u32, axis: u32| f64::from(i >> axis & 1) - 0.5;
    let corner = |i| sides * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2));
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())
}

/// What the body is pressed on, with its top at the height 0.
enum Below {
    /// A shape, the height of its top above its origin, and a rotation.
    Body(Box<ConvexPolyhedron>, f64, DQuat),
    Floor(Box<Wall>),
}

/// A body that is rotated, and the height of its center where it touches.
struct Above {
    shape: ConvexPolyhedron,
    rotation: DQuat,
    height: f64,
}

impl Above {
    /// Returns the upward force on the body, its torque about the center, the load and V, all for a stiffness of 1.
    fn press(&self, below: &Below, depth: f64, tilt: f64) -> Result<(f64, DVec3, f64)> {
        let rotation = DQuat::from_rotation_y(tilt) * self.rotation;
        // The middle of the lower side goes down by the depth.
        let middle = DQuat::from_rotation_y(tilt) * (DVec3::Z * self.height);
        let pose = Pose3::new_normalize(rotation, middle - DVec3::Z * depth)?;
        let body = Placed::new(&self.shape, pose);
        let mut kernel = PressureField::new().with_volume();
        let mut found: Vec<PressureContact> = Vec::new();
        match below {
            Below::Body(shape, height, rotation) => {
                let pose = Pose3::new_normalize(*rotation, DVec3::Z * -height)?;
                found.extend(kernel.contact(&body, &Placed::new(&**shape, pose)));
            }
            Below::Floor(wall) => {
                kernel.for_each_contact(&body, &**wall, &mut Default::default(), |c| found.push(c));
            }
        }
        let force: f64 = found.iter().map(|c| -c.force.z).sum();
        let about = pose.translation() - middle;
        let torque = |c: &PressureContact| -(c.torque + (c.point - about).cross(c.force));
        let volume = found.iter().filter_map(|c| c.volume).map(|v| v.volume);
        Ok((force, found.iter().map(torque).sum(), volume.sum()))
    }
}

pub(crate) fn floor(half: f64) -> std::result::Result<Wall, Error> {
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    Ok(Wall::new(SurfaceMesh::new(
        corners,
        [[0, 1, 2], [0, 2, 3]],
    )?))
}

pub(crate) fn print() -> Result<()> {
    let cube = || cuboid(DVec3::ONE);
    let plate = || cuboid(DVec3::new(1.0, 1.0, 0.1));
    let on_edge = DQuat::from_rotation_y(FRAC_PI_4);
    let on_vertex = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let across = DQuat::from_rotation_x(FRAC_PI_4);
    let above = |shape, rotation, height| Above {
        shape,
        rotation,
        height,
    };
    let slab = Below::Body(
        Box::new(cuboid(DVec3::new(40.0, 40.0, 2.0))?),
        1.0,
        DQuat::IDENTITY,
    );
    let equal = Below::Body(Box::new(cube()?), 0.5, DQuat::IDENTITY);
    let edge = Below::Body(Box::new(cube()?), FRAC_1_SQRT_2, across);
    let wall = Below::Floor(Box::new(floor(20.0)?));
    let lying = above(cube()?, DQuat::IDENTITY, 0.5);
    let edged = above(cube()?, on_edge, FRAC_1_SQRT_2);
    let tip = above(cube()?, on_vertex, 0.75_f64.sqrt());
    let flat = above(plate()?, DQuat::IDENTITY, 0.05);
    let upright = above(plate()?, DQuat::from_rotation_y(2.0 * FRAC_PI_4), 0.5);

    println!("force over k depth area, at depths of 1e-4, 0.01, 0.05, 0.1");
    for (name, body, below, area) in [
        ("face of a cube on a wall", &lying, &wall, 1.0),
        ("face of a cube on an equal cube", &lying, &equal, 1.0),
        (
            "face of a cube on a slab of 40 x 40 x 2",
            &lying,
            &slab,
            1.0,
        ),
        ("plate of 1 x 1 x 0.1 on a wall", &flat, &wall, 1.0),
        ("the plate on its narrow side", &upright, &wall, 0.1),
    ] {
        print!("{name}:");
        for depth in DEPTHS {
            let force = body.press(below, depth, 0.0)?.0;
            print!(" {:.3}", force / (depth * area));
        }
        println!();
    }
    println!("\nforce over k V, at depths of 1e-4, 0.01, 0.05, 0.1");
    for (name, body, below) in [
        ("edge of a cube on a wall", &edged, &wall),
        ("edge of a cube on a slab", &edged, &slab),
        ("vertex of a cube on a wall", &tip, &wall),
        ("vertex of a cube on a slab", &tip, &slab),
        ("crossed edges of two cubes", &edged, &edge),
    ] {
        print!("{name}:");
        for depth in DEPTHS {
            let (force, _, volume) = body.press(below, depth, 0.0)?;
            print!(" {:.3}", force / volume);
        }
        println!();
    }
    println!(
        "\ntorque over k L^4 tilt / 12, 0.01 deep, at tilts of 1e-4, 0.01, 0.02, 0.04, 0.1 rad"
    );
    for (name, below) in [
        ("on a wall", &wall),
        ("on an equal cube", &equal),
        ("on a slab", &slab),
    ] {
        print!("cube {name}:");
        for tilt in [1e-4, 0.01, 0.02, 0.04, 0.1] {
            let torque = lying.press(below, 0.01, tilt)?.1.y;
            print!(" {:.3}", -12.0 * torque / tilt);
        }
        println!();
    }
    println!(
        "\nupward force over k A thickness, a cube over a closed plate, 0.02, 0.1, 0.3, 0.49, 0.6 deep"
    );
    for thickness in [0.01, 0.05, 0.2] {
        let wall = Below::Floor(Box::new(Wall::new(
            floor(4.0)?.mesh().thickened(thickness)?.into(),
        )));
        print!("thickness {thickness}:");
        for depth in [0.02, 0.1, 0.3, 0.49, 0.6] {
            print!(" {:.4}", lying.press(&wall, depth, 0.0)?.0 / thickness);
        }
        println!();
    }
    println!(
        "\nupward force over k depth times the area of its top, a fin in the middle below a cube, 0.1 deep"
    );
    for width in [0.4, 0.1, 0.02] {
        let fin = cuboid(DVec3::new(width, 4.0, 1.0))?;
        let mut wall = Wall::new(SurfaceMesh::from(fin));
        wall.set_pose(Pose3::from_translation(DVec3::Z * -0.5)?);
        let force = lying.press(&Below::Floor(Box::new(wall)), 0.1, 0.0)?.0;
        println!("width {width}: {:.3}", force / (0.1 * width));
    }
    Ok(())
}
