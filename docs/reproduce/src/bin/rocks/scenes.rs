//! The scenes: bodies, how they come in, and walls.

use osculate::Error;
use osculate::glam::{DQuat, DVec3};

use crate::Result;
use crate::boundary::Boundary;
use crate::shapes;
use reproduce::random::SplitMix64;
use reproduce::rigid::{Body, Shape};

pub(crate) struct Scene {
    pub name: &'static str,
    /// Takes the number of vertices of a rock.
    pub shapes: fn(usize) -> Result<Vec<Shape>, Error>,
    pub place: for<'a> fn(&'a [Shape], Mix, usize) -> Result<Start<'a>>,
    /// The paper's numbers of bodies of two solids; `None` draws all at random.
    pub mix: Mix,
    /// w(V), as `--energy` names it.
    pub energy: &'static str,
    pub short: Size,
    pub full: Size,
    /// The time step.
    pub step: f64,
}

/// Numbers of bodies, of steps, and of vertices of a rock.
pub(crate) type Size = [usize; 3];

pub(crate) type Mix = Option<[usize; 2]>;

/// Batches of bodies, and the walls.
pub(crate) type Start<'a> = (Vec<Vec<Body<'a>>>, Boundary);

pub(crate) const SCENES: [Scene; 7] = [
    Scene {
        name: "rocks",
        shapes: shapes::rocks_and_letters,
        place: fall,
        mix: None,
        energy: "3/2",
        short: [40, 7000, 60],
        full: [200, 8000, 200],
        step: 0.002,
    },
    // Examples 1 to 6 of the paper.
    Scene {
        name: "fruit",
        shapes: shapes::fruit,
        place: fall,
        mix: Some([933, 227]),
        energy: "linear",
        short: [40, 2500, 0],
        full: [1160, 5000, 0],
        step: 0.004,
    },
    Scene {
        name: "nuts",
        shapes: shapes::nuts_and_bolts,
        place: fall,
        mix: Some([312, 97]),
        energy: "linear",
        short: [30, 4000, 0],
        full: [409, 9000, 0],
        step: 0.002,
    },
    Scene {
        name: "pile",
        shapes: shapes::rocks,
        place: fall,
        mix: None,
        energy: "linear",
        short: [40, 2500, 60],
        full: [2630, 5000, 625],
        step: 0.004,
    },
    Scene {
        name: "letters",
        shapes: shapes::letters,
        place: fall,
        mix: None,
        energy: "linear",
        short: [60, 2500, 0],
        full: [1097, 5000, 0],
        step: 0.004,
    },
    Scene {
        name: "mill",
        shapes: shapes::rocks_and_bars,
        place: mill,
        mix: None,
        energy: "linear",
        short: [48, 4000, 60],
        full: [240, 45_000, 625],
        step: 0.002,
    },
    Scene {
        name: "terrain",
        shapes: shapes::rocks,
        place: slide,
        mix: None,
        energy: "linear",
        short: [48, 5000, 60],
        full: [300, 8000, 625],
        step: 0.004,
    },
];

/// Bodies at rest in random orientations, on a lattice above the floor of a box.
fn fall(shapes: &[Shape], mix: Mix, count: usize) -> Result<Start<'_>> {
    // Wide enough for a lattice of bodies in any orientation, two or three times as high as wide.
    let row = (count as f64 / 2.5).cbrt().ceil() as usize;
    let side = row as f64 * shapes::cell(shapes);
    let bodies = lattice((shapes, mix), count, row, DVec3::ZERO);
    Ok((vec![bodies], Boundary::pit(side)?))
}

/// A column of bodies above the upper corner of a terrain.
fn slide(shapes: &[Shape], mix: Mix, count: usize) -> Result<Start<'_>> {
    let cell = shapes::cell(shapes);
    let row = (0.5 * (count as f64).cbrt()).ceil();
    let side = 4.0 * row * cell;
    let walls = Boundary::terrain(side)?;
    let place = DVec3::new(side - row * cell, side - row * cell, walls.top());
    let bodies = lattice((shapes, mix), count, row as usize, place);
    Ok((vec![bodies], walls))
}

/// Layers of `row` x `row` bodies of random sizes at rest in random orientations, apart from each other. The
/// second of two solids is spread evenly.
fn lattice(
    (shapes, mix): (&[Shape], Mix),
    count: usize,
    row: usize,
    corner: DVec3,
) -> Vec<Body<'_>> {
    let mut random = SplitMix64::new(1);
    let cell = shapes::cell(shapes);
    let body = |i: usize| {
        let place = [i % row, i / row % row, i / (row * row)].map(|k| k as f64 + 0.5);
        let turn = random_turn(&mut random);
        let shape = match mix {
            None => random.below(shapes.len()),
            Some([a, b]) => {
                let seconds = |i: usize| i * b / (a + b);
                2 * random.below(shapes.len() / 2) + seconds(i + 1) - seconds(i)
            }
        };
        Body::new(
            &shapes[shape],
            turn,
            corner + DVec3::from_array(place) * cell,
        )
    };
    (0..count).map(body).collect()
}

fn random_turn(random: &mut SplitMix64) -> DQuat {
    DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize()
}

/// Batches of 8 bars and 40 rocks above them, around the axis of a drum.
fn mill(shapes: &[Shape], _: Mix, count: usize) -> Result<Start<'_>> {
    let mut random = SplitMix64::new(5);
    let (bar, rocks) = shapes.split_last().ok_or("no shapes")?;
    let cell = shapes::cell(rocks);
    let mut batch = || {
        let row = |i: usize| {
            let (x, y) = ([-1.65, -0.55, 0.55, 1.65][i / 2], [-2.75, 2.75][i % 2]);
            DVec3::new(x, y, -0.5)
        };
        let mut bodies: Vec<_> = (0..8)
            .map(|i| Body::new(bar, DQuat::IDENTITY, row(i)))
            .collect();
        for i in 0..40 {
            // Layers of 4, 4 and 2 columns, each of 4 rocks.
            let (column, y) = (i / 4, (i % 4) as f64 - 1.5);
            let x = if column < 8 { column % 4 } else { column - 7 } as f64 - 1.5;
            let place = DVec3::new(x, y, (column / 4) as f64 + 0.5) * cell;
            let shape = &rocks[random.below(rocks.len())];
            bodies.push(Body::new(shape, random_turn(&mut random), place));
        }
        bodies
    };
    let batches = (0..count.div_ceil(48)).map(|_| batch()).collect();
    Ok((batches, Boundary::drum(4.0 * cell, 12.0)?))
}

#[cfg(test)]
mod tests {
    use osculate::ContactEnergy;

    use super::*;
    use crate::packing::Packing;

    #[test]
    fn bodies_start_apart_and_inside() {
        for scene in &SCENES {
            for [count, _, vertices] in [scene.short, [scene.full[0], 0, scene.short[2]]] {
                let shapes = (scene.shapes)(vertices).unwrap();
                let (batches, walls) = (scene.place)(&shapes, scene.mix, count).unwrap();
                assert_eq!(batches.iter().flatten().count(), count, "{}", scene.name);
                let energy = ContactEnergy::linear(1.0).unwrap();
                let mut packing = Packing::new(batches, 1.0, walls, energy).unwrap();
                let ledger = packing.step(scene.step).unwrap();
                let found = (ledger.contacts, packing.escaped());
                assert_eq!(found, (0, 0), "{}", scene.name);
            }
        }
    }
}
