//! Whole scenes of 10,000 to 1,000,000 bodies: the time of each stage of a step, and the memory.
//!
//! Decides how the cost of a body and of a pair grows with the number of bodies. Bodies move by up to 1/80 of their
//! radius in a step; lists have a skin of 1/10. Wall clock, medians over the steps; run it on an idle machine.
//!
//! `cargo bench --features rayon --bench scene [-- SIZE.. --only NAME,.. --steps N --svg FILE]`

mod bodies;
mod figure;
mod heap;
mod measure;
#[path = "../../docs/reproduce/src/svg.rs"]
mod svg;

use osculate::{CommonPlane, Error, MeshMesh, Skin, SphereSphere, testing::workload};

use bodies::{Motion, bricks, on_a_landscape, polyhedra, rocks};
use measure::{Row, Run, among_bodies, at_wall};

/// Measures a scene of a number of bodies.
type Scene = fn(usize, Run) -> Result<Row, Error>;

const SCENES: [(&str, Scene); 7] = [
    ("equal spheres", |count, run| {
        let spheres = workload::random_spheres(count, 0.6, 1.0, 1);
        among_bodies(&spheres, &Motion::random(count), SphereSphere::new(), run)
    }),
    ("spheres, r^-3, ratio 50", |count, run| {
        let spheres = workload::power_law_spheres(count, 0.6, -3.0, 50.0, 1);
        among_bodies(&spheres, &Motion::random(count), SphereSphere::new(), run)
    }),
    ("spheres on 1e5 facets", |count, run| {
        let (wall, spheres) = on_a_landscape(count)?;
        at_wall(&wall, &spheres, run)
    }),
    ("polyhedra, 8 vertices", |count, run| {
        among_bodies(
            &polyhedra(count, 8)?,
            &Motion::random(count),
            CommonPlane::new(),
            run,
        )
    }),
    ("polyhedra, 14 vertices", |count, run| {
        among_bodies(
            &polyhedra(count, 14)?,
            &Motion::random(count),
            CommonPlane::new(),
            run,
        )
    }),
    ("bricks in a wall", |count, run| {
        among_bodies(
            &bricks(count)?,
            &Motion::common(count),
            CommonPlane::new(),
            run,
        )
    }),
    ("rocks, 196 triangles", |count, run| {
        among_bodies(&rocks(count)?, &Motion::random(count), MeshMesh::new(), run)
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
        sizes = vec![500];
    } else if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    let steps = after("--steps").map_or(32, |text| text.parse().expect("a number of steps"));
    let only: Vec<&str> = after("--only").map_or(vec![""], |names| names.split(',').collect());
    let is_wanted = |(name, _): &&(&str, Scene)| only.iter().any(|part| name.contains(part));

    println!(
        "| scene | bodies | threads | pairs / body | rebuild | kept list | contacts | all | bytes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (name, scene) in SCENES.iter().filter(is_wanted) {
        for &size in &sizes {
            let [serial, parallel] = [1, 2].map(|threads| scene(size, Run { threads, steps }));
            let (serial, parallel) = (serial?, parallel?);
            assert_eq!(serial.contacts, parallel.contacts, "{name}");
            for row in [serial, parallel] {
                println!("{}", row.line(name));
                rows.push((*name, row));
            }
        }
    }
    println!(
        "rebuild and kept list: ns a body; contacts: ns a pair of the list, or a body near the wall;"
    );
    println!(
        "all: ns a body in a step that keeps the list; bytes a body, without the bodies themselves"
    );
    if let Some(file) = after("--svg") {
        std::fs::write(file, figure::growth(&rows)).expect("the figure can be written");
    }
    Ok(())
}
