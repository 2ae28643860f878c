//! Ten blocks on each other and a wall of bricks stand; a tower falls if its top is pushed hard enough.
//!
//! `cargo reproduce stack -- [--long] [--out DIR]`

mod picture;
mod pile;

use std::{env, error, fs, path::Path};

use osculate::glam::{DQuat, DVec3};
use picture::Panel;
use pile::{Block, Counts, Pile, Shape};
use reproduce::law::Law;
use reproduce::random::SplitMix64;

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

const USAGE: &str = "\
usage: stack [--long] [--out DIR]

--long  the figures of docs/VALIDATION.md instead (minutes)
--out   where guide-stacks.svg goes               (not written)";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => short(None),
        ["--out", folder] => short(Some(Path::new(folder))),
        ["--long"] => long(),
        _ => Err(USAGE.into()),
    }
}

/// The shapes, in meters, of 1 kg a cubic meter: a floor with its top at z = 0, a cube, a brick and half a brick.
struct Shapes {
    floor: Shape,
    cube: Shape,
    brick: Shape,
    half: Shape,
}

impl Shapes {
    fn new() -> Result<Self> {
        let sides = DVec3::new(1.98, 1.0, 0.6);
        Ok(Self {
            floor: Shape::cuboid(DVec3::new(40.0, 40.0, 2.0), f64::INFINITY)?,
            cube: Shape::cuboid(DVec3::ONE, 1.0)?,
            brick: Shape::cuboid(sides, 1.0)?,
            half: Shape::cuboid(DVec3::new(0.98, 1.0, 0.6), 1.0)?,
        })
    }

    fn floor(&self) -> Block<'_> {
        Block::new(&self.floor, DQuat::IDENTITY, -DVec3::Z)
    }

    /// Cubes on each other, shifted and rotated about z by random amounts.
    fn stack(&self, count: usize, shift: f64, turn: f64) -> Vec<Block<'_>> {
        let mut random = SplitMix64::new(10);
        let mut random = |size: f64| size * random.range(-1.0, 1.0);
        let mut blocks = vec![self.floor()];
        for i in 0..count {
            let turn = DQuat::from_rotation_z(random(turn));
            let place = DVec3::new(random(shift), random(shift), i as f64 + 0.5);
            blocks.push(Block::new(&self.cube, turn, place));
        }
        blocks
    }

    /// Courses of bricks, each shifted by half a brick, with open joints.
    fn wall(&self, courses: usize) -> Vec<Block<'_>> {
        let mut random = SplitMix64::new(8);
        let mut blocks = vec![self.floor()];
        for course in 0..courses {
            let mut x = -4.0;
            while x < 4.0 {
                let is_half = course % 2 == 1 && (x == -4.0 || x == 3.0);
                let shape = if is_half { &self.half } else { &self.brick };
                let length = if is_half { 1.0 } else { 2.0 };
                let place = DVec3::new(x + 0.5 * length, 0.0, 0.6 * (course as f64 + 0.5));
                let turn = DQuat::from_rotation_z(random.range(-0.005, 0.005));
                let shift = DVec3::Y * random.range(-0.02, 0.02);
                blocks.push(Block::new(shape, turn, place + shift));
                x += length;
            }
        }
        blocks
    }
}

/// What happened in the second half of a run.
#[derive(Default)]
struct Course {
    /// The largest kinetic energy in the sixth and in the last tenth, J.
    kinetic: [f64; 2],
    /// The largest distance between a block's mean positions in these tenths, m.
    drift: f64,
}

impl Course {
    /// Whether a pile of blocks of 1 m stands. The drift contains a part of the sway.
    fn stands(&self) -> bool {
        self.drift < 2e-3 && self.kinetic[1] < 1.01 * self.kinetic[0]
    }
}

fn header() {
    let first = ["kinetic energy, J", "fallen", "drift", "new", "change"];
    let second = ["6th tenth    last", "J", "m", "names", "a step, N"];
    for ([energies, fallen, drift, new, change], seconds) in [(first, "s"), (second, "")] {
        println!("{seconds:>37} {energies:>19} {fallen:>8} {drift:>8} {new:>6} {change:>9}");
    }
}

/// Runs a pile and prints a line of the table.
fn watch(name: &str, pile: &mut Pile, seconds: f64) -> Result<Course> {
    let (start, mut course) = (pile.potential(), Course::default());
    let mut means = [(); 2].map(|()| vec![DVec3::ZERO; pile.blocks.len()]);
    for part in 0..1000 {
        pile.run(1e-3 * seconds)?;
        if part == 500 {
            pile.counts = Counts::default();
        }
        let window = match part / 100 {
            5 => 0,
            9 => 1,
            _ => continue,
        };
        course.kinetic[window] = course.kinetic[window].max(pile.kinetic());
        for (mean, block) in means[window].iter_mut().zip(&pile.blocks) {
            *mean += block.position * 0.01;
        }
    }
    let drifts = means[0].iter().zip(&means[1]).map(|(a, b)| a.distance(*b));
    course.drift = drifts.fold(0.0, f64::max);
    let ([sixth, last], Counts { renamed, jump }) = (course.kinetic, pile.counts);
    let (fallen, drift) = (start - pile.potential(), course.drift);
    println!(
        "{name:33} {seconds:3} {sixth:11.1e} {last:7.1e} {fallen:8.1e} {drift:8.1e} {renamed:6} {jump:9.1e}"
    );
    Ok(course)
}

fn short(folder: Option<&Path>) -> Result<()> {
    let (shapes, law) = (Shapes::new()?, Law::new(1e6, 1.0));
    header();
    let mut stack = Pile::new(shapes.stack(10, 0.02, 0.05), law)?;
    let course = watch("ten cubes", &mut stack, 4.0)?;
    assert!(course.stands());
    let mut wall = Pile::new(shapes.wall(8), law)?;
    let course = watch("eight courses of bricks", &mut wall, 2.0)?;
    assert!(course.stands());

    // A force F at the center of the top cube tips the tower about an edge of the lowest one if its moment,
    // 9.5 m F, exceeds that of the weight, 100 N 0.5 m: above 5.26 N. Joints that open give way before.
    let law = Law {
        friction: 0.7,
        ..law
    };
    let upright = push(&shapes, law, 3.0)?;
    let [falling, fallen] = push(&shapes, law, 6.0)?;
    assert!(upright[1][10].position.z > 9.4 && fallen[10].position.z < 5.0);
    println!(
        "a tower leans by {:.3} m if its top is pushed by 3 N; by 6 N it falls",
        upright[1][10].position.x
    );
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
        let panel = |blocks, words, left_px| Panel {
            blocks,
            words,
            left_px,
        };
        let panels = [
            panel(stack.blocks, "ten cubes", 55.0),
            panel(wall.blocks, "eight courses", 215.0),
            panel(falling, "pushed at the top", 370.0),
            panel(fallen, "half a second later", 550.0),
        ];
        picture::write(&folder.join("guide-stacks.svg"), &panels)?;
    }
    Ok(())
}

/// Pushes the top cube of a tower for 5 s, or until it has fallen by half. Returns the blocks when it has
/// fallen by 2 m, and at the end.
fn push(shapes: &Shapes, law: Law, force: f64) -> Result<[Vec<Block<'_>>; 2]> {
    let mut pile = Pile::new(shapes.stack(10, 0.0, 0.0), law)?;
    let mut falling = Vec::new();
    for tenth in 1..=50 {
        let height = pile.blocks[10].position.z;
        if height < 8.0 && falling.is_empty() {
            falling = pile.blocks.clone();
        }
        if height < 5.0 {
            break;
        }
        let is_pushed = height > 9.0;
        pile.push = DVec3::X * force * (0.1 * f64::from(tenth)).min(1.0) * f64::from(is_pushed);
        pile.run(0.1)?;
    }
    Ok([falling, pile.blocks])
}

fn long() -> Result<()> {
    let shapes = Shapes::new()?;
    header();
    for stiffness in [1e5, 1e6, 1e7] {
        for (name, shift, turn) in [("aligned", 0.0, 0.0), ("turned", 0.02, 0.05)] {
            let mut pile = Pile::new(shapes.stack(10, shift, turn), Law::new(stiffness, 1.0))?;
            let name = format!("ten cubes {name}, {stiffness:.0e} Pa/m");
            let course = watch(&name, &mut pile, 10.0)?;
            assert!(course.stands());
        }
    }
    let law = Law::new(1e6, 1.0);
    let without = Law {
        shear_stiffness: 0.0,
        ..law
    };
    for (name, law) in [
        ("ten cubes turned", law),
        ("the same without springs", without),
    ] {
        watch(
            name,
            &mut Pile::new(shapes.stack(10, 0.02, 0.05), law)?,
            60.0,
        )?;
    }
    for (name, law) in [
        ("a cube on 17.5 degrees", law),
        ("the same without springs", without),
    ] {
        let mut pile = Pile::new(shapes.stack(1, 0.0, 0.3), law)?;
        pile.gravity = DVec3::new(0.3, 0.1, -1.0).normalize() * 10.0;
        watch(name, &mut pile, 10.0)?;
    }
    Ok(())
}
