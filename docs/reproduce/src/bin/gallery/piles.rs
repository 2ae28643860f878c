//! A stack, a pyramid, a wall of bricks, and a heap of rocks, at rest on a floor.

use std::path::Path;

use osculate::glam::{DQuat, DVec3};
use reproduce::Result;
use reproduce::law::Law;
use reproduce::random::SplitMix64;
use reproduce::vtp::{Array, PolyData};

use crate::pile::{Block, Pile, Shape};

/// Ten cubes on each other.
fn stack<'a>(cube: &'a Shape, at: DVec3, random: &mut SplitMix64) -> Vec<Block<'a>> {
    let mut between = |most: f64| random.range(-most, most);
    let block = |i: u32| {
        let shift = DVec3::new(between(0.06), between(0.06), 0.5 + f64::from(i));
        Block::new(cube, DQuat::from_rotation_z(between(0.3)), at + shift)
    };
    (0..10).map(block).collect()
}

/// Courses of bricks, each shifted by half a brick; with `step` each is a brick shorter.
fn courses<'a>(
    [brick, half]: [&'a Shape; 2],
    at: DVec3,
    courses: u32,
    step: bool,
) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    for course in 0..courses {
        let shorter = if step { course } else { course % 2 };
        let count = 6 - shorter;
        let first = -f64::from(count) + 1.0;
        let up = at + DVec3::Z * 0.6 * (f64::from(course) + 0.5);
        for k in 0..count {
            let place = up + DVec3::X * (first + 2.0 * f64::from(k));
            blocks.push(Block::new(brick, DQuat::IDENTITY, place));
        }
        if !step && shorter == 1 {
            for x in [-5.5, 5.5] {
                blocks.push(Block::new(half, DQuat::IDENTITY, up + DVec3::X * x));
            }
        }
    }
    blocks
}

pub(crate) fn run(path: &Path) -> Result<()> {
    let mut random = SplitMix64::new(10);
    let floor = Shape::cuboid(DVec3::new(60.0, 60.0, 2.0), f64::INFINITY)?;
    let cube = Shape::cuboid(DVec3::ONE, 1.0)?;
    let bricks = [1.98, 0.98].map(|x| Shape::cuboid(DVec3::new(x, 1.0, 0.6), 1.0));
    let [brick, half] = bricks;
    let (brick, half) = (brick?, half?);
    let mut rocks = Vec::new();
    for _ in 0..16 {
        let sides = DVec3::from([0; 3].map(|_| random.range(0.8, 1.2)));
        let points: Vec<_> = (0..14)
            .map(|_| random.in_ball().normalize() * sides * 0.6)
            .collect();
        rocks.push(Shape::hull(&points, 1.0)?);
    }
    let mut blocks = vec![Block::new(&floor, DQuat::IDENTITY, -DVec3::Z)];
    blocks.extend(stack(&cube, DVec3::new(-8.5, 0.5, 0.0), &mut random));
    blocks.extend(courses(
        [&brick, &half],
        DVec3::new(0.0, 4.0, 0.0),
        11,
        false,
    ));
    blocks.extend(courses(
        [&brick, &half],
        DVec3::new(-1.0, -2.5, 0.0),
        6,
        true,
    ));
    let built = blocks.len();
    for i in 0..120_u32 {
        let cell = DVec3::new((i % 5).into(), (i / 5 % 5).into(), (i / 25).into());
        let at = DVec3::new(10.0, 0.0, 0.8) + (cell - DVec3::new(2.0, 2.0, 0.0)) * 1.25;
        let turn = DQuat::from_scaled_axis(random.in_ball() * 3.0);
        let shift = random.in_ball() * 0.1;
        blocks.push(Block::new(
            &rocks[i as usize % rocks.len()],
            turn,
            at + shift,
        ));
    }
    let mut pile = Pile::new(blocks, Law::new(1e5, 1.0))?;
    pile.run(7.0)?;

    let (mut data, mut kinds) = (PolyData::default(), Vec::new());
    for (i, block) in pile.blocks.iter().enumerate().skip(1) {
        let placed = block.placed()?;
        let count = data.add_surface(placed.shape.surface(), &placed.pose);
        let kind = if i < built { 0 } else { 1 + (i % 5) as i32 };
        kinds.resize(count, kind);
    }
    data.cell_data = vec![("kind", Array::Integers(kinds))];
    data.write(path)?;
    println!("{} bodies, {:.1e} J", pile.blocks.len() - 1, pile.kinetic());
    Ok(())
}
