//! Whole scenes of 10,000 to 1,000,000 bodies: the time of each stage of a step, and the memory.
//!
//! Decides how the cost of a body and of a pair grows with the number of bodies. Bodies move by up to 1/80 of their
//! radius in a step; lists have a skin of 1/10. Wall clock, medians over the steps; run it on an idle machine.
//!
//! `cargo bench --features rayon --bench scene [-- SIZE.. --only NAME,.. --steps N --svg FILE]`
//! `cargo bench --features rayon --bench scene -- --from FILE --svg FILE` draws rows that were printed before.

mod bodies;
mod figure;
mod heap;
mod measure;
#[path = "../../docs/reproduce/src/svg.rs"]
mod svg;

use osculate::narrow::PressureField;
use osculate::{
    CommonPlane, DoubleHierarchy, Error, MeshMesh, Skin, SphereSphere, testing::workload,
};

use bodies::{
    Motion, bricks, capsules, in_a_hopper, on_a_landscape, polyhedra, rocks, rounded_blocks,
};
use measure::{Row, Run, among_bodies, at_wall, in_container};

const HEADER: &str = "\
| scene | bodies | threads | pairs / body | rebuild | kept list | contacts | all | bytes |
|---|---|---|---|---|---|---|---|---|";
const FOOTER: &str = "\
rebuild and kept list: ns a body; contacts: ns a pair of the list, or a body near the wall;
all: ns a body in a step that keeps the list; bytes a body, without the bodies themselves";
/// The steps without `--steps`.
const STEPS: usize = 32;
/// The bodies with `--test`.
const FEW: usize = 500;

/// Measures a scene of a number of bodies.
type Scene = fn(usize, Run) -> Result<Row, Error>;

/// The scenes, and the contacts in 41 steps of 500 bodies. Two kernels have the same on the same bodies.
const SCENES: [(&str, usize, Scene); 15] = [
    ("equal spheres", 42_156, |count, run| {
        let spheres = workload::random_spheres(count, 0.6, 1.0, 1);
        let motions = Motion::random(count, 1.0);
        among_bodies(&spheres, &motions, SphereSphere::new(), run)
    }),
    ("spheres, r^-3, ratio 50", 15_180, |count, run| {
        let spheres = workload::power_law_spheres(count, 0.6, -3.0, 50.0, 1);
        let motions = Motion::random(count, 1.0);
        among_bodies(&spheres, &motions, SphereSphere::new(), run)
    }),
    ("spheres on 1e5 facets", 27_871, |count, run| {
        let motions = Motion::random(count, 1.0);
        let (wall, spheres) = on_a_landscape(count)?;
        at_wall(&wall, &spheres, &motions, DoubleHierarchy::new(), run)
    }),
    ("capsules 1:2", 44_966, |count, run| {
        let motions = Motion::random(count, 1.0);
        let bodies = capsules(count, [0.5, 1.0], 0.6)?;
        among_bodies(&bodies, &motions, CommonPlane::new(), run)
    }),
    ("rods 1:10", 57_021, |count, run| {
        let motions = Motion::random(count, 10.0);
        let bodies = capsules(count, [1.0, 10.0], 0.3)?;
        among_bodies(&bodies, &motions, CommonPlane::new(), run)
    }),
    ("polyhedra, 8 vertices", 10_543, |count, run| {
        let motions = Motion::random(count, 1.0);
        among_bodies(&polyhedra(count, 8)?, &motions, CommonPlane::new(), run)
    }),
    ("polyhedra, 14 vertices", 27_268, |count, run| {
        let motions = Motion::random(count, 1.0);
        among_bodies(&polyhedra(count, 14)?, &motions, CommonPlane::new(), run)
    }),
    ("polyhedra at rest", 29_028, |count, run| {
        let motions = Motion::none(count);
        among_bodies(&polyhedra(count, 14)?, &motions, CommonPlane::new(), run)
    }),
    ("rounded blocks", 37_749, |count, run| {
        let motions = Motion::random(count, 1.0);
        let bodies = rounded_blocks(count)?;
        among_bodies(&bodies, &motions, CommonPlane::new(), run)
    }),
    ("bricks in a wall", 56_908, |count, run| {
        let motions = Motion::along_x(count);
        among_bodies(&bricks(count)?, &motions, CommonPlane::new(), run)
    }),
    ("pressure fields of polyhedra", 27_268, |count, run| {
        let motions = Motion::random(count, 1.0);
        let kernel = PressureField::new().with_points();
        among_bodies(&polyhedra(count, 14)?, &motions, kernel, run)
    }),
    ("pressure fields of bricks", 56_908, |count, run| {
        let motions = Motion::along_x(count);
        let kernel = PressureField::new().with_points();
        among_bodies(&bricks(count)?, &motions, kernel, run)
    }),
    ("pressure fields in a hopper", 33_025, |count, run| {
        let motions = Motion::random(count, 1.0);
        let kernel = PressureField::new().with_points();
        let (wall, bodies) = in_a_hopper(count)?;
        in_container(&wall, &bodies, &motions, kernel, run)
    }),
    ("pressure fields at rest", 36_326, |count, run| {
        let motions = Motion::none(count);
        let kernel = PressureField::new().with_points();
        let (wall, bodies) = in_a_hopper(count)?;
        in_container(&wall, &bodies, &motions, kernel, run)
    }),
    ("rocks, 196 triangles", 17_556, |count, run| {
        let motions = Motion::random(count, 1.0);
        among_bodies(&rocks(count)?, &motions, MeshMesh::new(), run)
    }),
];

/// The skin of all lists.
const SKIN: Skin = Skin::Relative(0.1);

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1)
    };
    let values = arguments
        .iter()
        .enumerate()
        .filter(|&(i, _)| i == 0 || arguments[i - 1] != "--steps");
    let mut sizes: Vec<usize> = values.filter_map(|(_, a)| a.parse().ok()).collect();
    // As the other benches do: a short run only shows that it works.
    if arguments.iter().any(|argument| argument == "--test") {
        sizes = vec![FEW];
    } else if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    let steps = after("--steps").map_or(STEPS, |text| text.parse().expect("a number of steps"));
    let only: Vec<&str> = after("--only").map_or(vec![""], |names| names.split(',').collect());
    let lines = match after("--from") {
        Some(file) => std::fs::read_to_string(file).expect("the rows of another run"),
        None => measured(&sizes, steps, &only)?,
    };
    if let Some(file) = after("--svg") {
        std::fs::write(file, figure::growth(&lines)).expect("the figure can be written");
    }
    Ok(())
}

/// Measures the scenes whose names have one of the parts, and prints and returns their rows.
fn measured(sizes: &[usize], steps: usize, only: &[&str]) -> Result<String, Error> {
    let is_wanted =
        |(name, ..): &&(&str, usize, Scene)| only.iter().any(|part| name.contains(part));
    let mut lines = String::new();
    println!("{HEADER}");
    for (name, contacts, scene) in SCENES.iter().filter(is_wanted) {
        for &size in sizes {
            let [serial, parallel] = [1, 2].map(|threads| scene(size, Run { threads, steps }));
            let (serial, parallel) = (serial?, parallel?);
            assert_eq!(serial.contacts, parallel.contacts, "{name}");
            if (size, steps) == (FEW, STEPS) {
                assert_eq!(serial.contacts, *contacts, "{name}");
            }
            for row in [serial, parallel] {
                let line = row.line(name);
                println!("{line}");
                lines = lines + &line + "\n";
            }
        }
    }
    println!("{FOOTER}");
    Ok(lines)
}
