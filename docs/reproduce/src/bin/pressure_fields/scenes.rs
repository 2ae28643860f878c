//! A stack and a pyramid, a block on a ridge, a heap on terrain: each with its shares and corners.

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::PressureField;

use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

use reproduce::Result;
use reproduce::random::SplitMix64;
use reproduce::svg::{BLUE, DARK, GRAY, RED, Svg, filled, stroked};

use crate::measure::{cuboid, floor};
use crate::world::{Body, Law, Shape, World};
use reproduce::eye::Eye;

const SAND: [f64; 3] = [235.0, 205.0, 160.0];
const SLATE: [f64; 3] = [170.0, 190.0, 215.0];

/// A law with a damping ratio of about 0.2 for a mass per area.
fn law(stiffness: f64, mass_per_area: f64) -> Law {
    Law {
        stiffness,
        shear_stiffness: 0.5 * stiffness,
        damping: 0.4 * (stiffness * mass_per_area).sqrt(),
        friction: 0.5,
    }
}

fn rest(world: &mut World, seconds: f64, time: f64) -> Result<()> {
    for _ in 0..(seconds / time).round() as usize {
        world.step(time)?;
    }
    Ok(())
}

/// Ten cubes that are turned, and a pyramid of boxes.
pub(crate) fn piles() -> Result<String> {
    let mut random = SplitMix64::new(5);
    let cube = Shape::cuboid(DVec3::ONE, 1.0)?;
    let mut between = |most: f64| random.range(-most, most);
    let cubes = (0..8).map(|i| {
        let at = DVec3::new(between(0.06), between(0.06), 0.5 + f64::from(i));
        Body::new(&cube, DQuat::from_rotation_z(between(0.25)), at)
    });
    let ground = floor(1.6)?;
    let mut stack = World::new(cubes.collect(), &ground, law(1e5, 1.0))?;
    rest(&mut stack, 4.0, 5e-4)?;

    let brick = Shape::cuboid(DVec3::new(1.0, 0.6, 0.5), 1.0)?;
    let mut bricks = Vec::new();
    for row in 0..6 {
        for i in 0..6 - row {
            let x = 1.06 * (f64::from(i) - 0.5 * f64::from(5 - row));
            let at = DVec3::new(x, 0.0, 0.25 + 0.5 * f64::from(row));
            bricks.push(Body::new(&brick, DQuat::IDENTITY, at));
        }
    }
    let wide = floor(4.0)?;
    let mut pyramid = World::new(bricks, &wide, law(1e5, 0.5))?;
    rest(&mut pyramid, 4.0, 5e-4)?;
    println!(
        "\nat rest, with less than 1e-3 J: a stack of {} {}, a pyramid of {} {}",
        stack.bodies.len(),
        stack.kinetic() < 1e-3,
        pyramid.bodies.len(),
        pyramid.kinetic() < 1e-3
    );

    let mut svg = Svg::new(
        780.0,
        400.0,
        "A stack of cubes and a pyramid of boxes with the points of their contacts",
    );
    let eye = Eye(DVec3::new(0.45, -0.85, 0.38));
    svg.view([135.0, 338.0], DVec2::ZERO, 39.0);
    eye.wall(&mut svg, &ground);
    eye.bodies(&mut svg, &stack.placed()?, |_| SAND, 0.8)?;
    let found = stack.contacts()?;
    eye.shares(&mut svg, &found, 12.0);
    eye.corners(&mut svg, &found);
    svg.view([505.0, 315.0], DVec2::ZERO, 66.0);
    let eye = Eye(DVec3::new(0.1, -0.85, 0.4));
    let strip = [(-3.7, -0.9), (3.7, -0.9), (3.7, 0.9), (-3.7, 0.9)];
    let strip = strip.map(|(x, y)| eye.flat(DVec3::new(x, y, 0.0)));
    svg.polygon(&strip, "fill=\"#e4e4da\"");
    eye.bodies(&mut svg, &pyramid.placed()?, |_| SLATE, 0.8)?;
    let found = pyramid.contacts()?;
    eye.shares(&mut svg, &found, 16.0);
    eye.corners(&mut svg, &found);
    svg.caption(
        "Red: four shares of each contact, with areas in proportion to their loads. Blue: corners.",
    );
    Ok(svg.finish())
}

/// A cube 0.02 deep on a ridge of slope 0.1, from the side and from above.
pub(crate) fn ridge() -> Result<String> {
    let [slope, depth, half] = [0.1, 0.02, 0.9];
    let corner = |x: f64, y: f64| DVec3::new(x, y, -slope * x.abs());
    let corners = vec![
        corner(-half, -half),
        corner(0.0, -half),
        corner(half, -half),
        corner(half, half),
        corner(0.0, half),
        corner(-half, half),
    ];
    let wall = Wall::new(SurfaceMesh::new(corners, [[0, 1, 4, 5], [1, 2, 3, 4]])?);
    let cube = cuboid(DVec3::ONE)?;
    let body = Placed::new(&cube, Pose3::from_translation(DVec3::Z * (0.5 - depth))?);
    let mut kernel = PressureField::new().with_points();
    let contact = kernel.contact(&body, &wall).ok_or("no contact")?;
    let points = contact.points.ok_or("no points")?;

    let mut svg = Svg::new(
        780.0,
        430.0,
        "A cube on a ridge: pressure, shares and corners",
    );
    svg.view([190.0, 225.0], DVec2::new(0.0, 0.2), 150.0);
    let eye = Eye(DVec3::new(0.35, -0.8, 0.42));
    eye.wall(&mut svg, &wall);
    eye.bodies(&mut svg, &[body], |_| SAND, 0.45)?;
    eye.shares(&mut svg, &[contact], 1.6);
    eye.corners(&mut svg, &[contact]);

    // The section through the contact, four times as high as wide.
    let high = 6.0;
    svg.view([565.0, 115.0], DVec2::ZERO, 300.0);
    let up = |x: f64, z: f64| DVec2::new(x, z * high);
    let reach = 0.55;
    let ground = [
        up(-reach, -slope * reach),
        up(0.0, 0.0),
        up(reach, -slope * reach),
        up(reach, -0.066),
        up(-reach, -0.066),
    ];
    svg.polygon(&ground, "fill=\"#e4e4da\"");
    let bottom = -depth;
    let block = [(-0.5, 0.045), (0.5, 0.045), (0.5, bottom), (-0.5, bottom)].map(|(x, z)| up(x, z));
    svg.polygon(
        &block,
        "fill=\"#ebcda0\" fill-opacity=\".5\" stroke=\"#444\"",
    );
    let line = [
        (-reach, -slope * reach),
        (0.0, 0.0),
        (reach, -slope * reach),
    ]
    .map(|(x, z)| up(x, z));
    svg.path(&line, &stroked(DARK, 1.5));
    let edge = depth / slope;
    let mut pressures = Vec::new();
    for k in -10..=10 {
        let x = edge * f64::from(k) / 10.5;
        let z = -slope * x.abs();
        pressures.push([up(x, z), up(x, bottom)]);
    }
    svg.lines(&pressures, &stroked(RED, 1.2));
    svg.write(
        [565.0, 26.0],
        "middle",
        DARK,
        "section, heights times six: depths of the wall below the face",
    );

    // From above, the patch and its points.
    svg.view([565.0, 320.0], DVec2::ZERO, 150.0);
    let square = |x: f64, y: f64| [(-x, -y), (x, -y), (x, y), (-x, y)].map(DVec2::from);
    svg.polygon(&square(0.5, 0.5), &filled(GRAY, 0.08));
    svg.polygon(&square(edge, 0.5), &filled(RED, 0.12));
    for share in points.shares {
        svg.circle(
            share.point.truncate(),
            1.6 * share.load.sqrt(),
            &format!("fill=\"{RED}\""),
        );
    }
    for corner in points.corners {
        svg.ring(corner.point.truncate(), 3.5, BLUE);
    }
    svg.write([565.0 + 90.0, 300.0], "start", RED, "shares");
    svg.write([565.0 + 90.0, 320.0], "start", BLUE, "corners");
    svg.write(
        [190.0, 26.0],
        "middle",
        DARK,
        "a cube 0.02 deep on a ridge of slope 0.1",
    );
    svg.caption("Lower right: the contact from above. Two of its four corners are at each end of the ridge.");
    Ok(svg.finish())
}

/// Boxes and rocks on terrain of triangles.
pub(crate) fn heap() -> Result<String> {
    let mut random = SplitMix64::new(11);
    let count = 10_u32;
    let height = |x: f64, y: f64| {
        0.1 * (x * x + 0.6 * y * y) + 0.12 * (2.1 * x).sin() * (1.7 * y + 0.5).cos()
    };
    let place = |i: u32| 0.6 * (f64::from(i) - 0.5 * f64::from(count));
    let mut corners = Vec::new();
    for j in 0..=count {
        for i in 0..=count {
            let (x, y) = (place(i), place(j));
            corners.push(DVec3::new(x, y, height(x, y)));
        }
    }
    let id = |i: u32, j: u32| j * (count + 1) + i;
    let mut facets = Vec::new();
    for j in 0..count {
        for i in 0..count {
            let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
            facets.extend([[a, b, c], [a, c, d]]);
        }
    }
    let wall = Wall::new(SurfaceMesh::new(corners, facets)?);

    let mut shapes = Vec::new();
    for k in 0..12 {
        let sides = DVec3::from([0; 3].map(|_| random.range(0.45, 0.8)));
        let shape = if k % 2 == 0 {
            Shape::cuboid(sides, 1.0)?
        } else {
            let point = |_| random.in_ball().normalize() * sides * 0.65;
            Shape::hull(&(0..10).map(point).collect::<Vec<_>>(), 1.0)?
        };
        shapes.push(shape);
    }
    let mut bodies = Vec::new();
    for i in 0..28 {
        let at = DVec3::new(
            1.4 * f64::from(i % 3 - 1) + random.range(-0.1, 0.1),
            1.4 * f64::from(i / 3 % 3 - 1) + random.range(-0.1, 0.1),
            1.2 + 1.4 * f64::from(i / 9),
        );
        let turn = DQuat::from_scaled_axis(random.in_ball() * 3.0);
        bodies.push(Body::new(&shapes[i as usize % shapes.len()], turn, at));
    }
    let mut world = World::new(bodies, &wall, law(1e4, 1.0))?;
    rest(&mut world, 8.0, 1e-3)?;
    let placed: Vec<Placed<&ConvexPolyhedron>> = world.placed()?;
    let is_at_rest = world.kinetic() < 1e-3;
    println!("a heap of {} on terrain {is_at_rest}", placed.len());

    let mut svg = Svg::new(780.0, 430.0, "A heap of polyhedra on terrain");
    svg.view([390.0, 240.0], DVec2::new(0.0, 0.5), 74.0);
    let eye = Eye(DVec3::new(0.3, -0.75, 0.62));
    eye.wall(&mut svg, &wall);
    eye.bodies(
        &mut svg,
        &placed,
        |i| if i % 2 == 0 { SLATE } else { SAND },
        0.85,
    )?;
    eye.shares(&mut svg, &world.contacts()?, 7.5);
    svg.caption(
        "28 boxes and rocks at rest. Red: shares, with areas in proportion to their loads.",
    );
    Ok(svg.finish())
}
