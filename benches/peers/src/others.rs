//! The work of this crate for the peers that are no Rust crates, in turns with `others/run.py`.
//!
//! A line of the standard input names a case: its inputs and our results are written to a folder, as little-endian f64,
//! and the number of bodies or pairs is printed. A line `turn` prints the CPU seconds that each of them takes.

use std::hint::black_box;
use std::path::Path;

use osculate::glam::{DMat3, DVec3};
use osculate::{
    BroadPhase, CommonPlane, HierarchicalGrid, NeighborLists, PairList, Pose3, Skin, Sphere, Wall,
};

use crate::report::{OURS, Runner, runner, seconds};
use crate::{neighbors, polyhedra, volumes, walls};
use osculate::testing::workload::SplitMix64;

/// The least time of a turn, in seconds.
const LEAST: f64 = 0.01;

type Numbers = Vec<f64>;

struct Case {
    /// Bodies or pairs in a round.
    count: usize,
    inputs: Vec<(&'static str, Numbers)>,
    results: Numbers,
    ours: Runner<'static>,
}

fn numbers(points: &[DVec3]) -> Numbers {
    points.iter().flat_map(|p| p.to_array()).collect()
}

fn indices(triangles: impl Iterator<Item = [u32; 3]>) -> Numbers {
    triangles.flatten().map(f64::from).collect()
}

fn centers_and_radii(spheres: &[Sphere<DVec3>]) -> Numbers {
    let each = |s: &Sphere<DVec3>| [s.center.x, s.center.y, s.center.z, s.radius];
    spheres.iter().flat_map(each).collect()
}

/// Pairs that are visited, stored in rows, or stored in a list with a skin of a tenth of each radius.
fn search(kind: &str, bodies: Vec<Sphere<DVec3>>) -> Option<Box<dyn FnMut() -> usize>> {
    let mut grid = HierarchicalGrid::new();
    Some(match kind {
        "visit" => Box::new(move || {
            let (mut count, mut mix) = (0, 0);
            grid.rebuild(&bodies).unwrap();
            grid.for_each_pair(|i, j| (count, mix) = (count + 1, mix ^ i.wrapping_mul(j)));
            black_box(mix);
            count
        }),
        "rows" => {
            let (mut pairs, mut rows) = (Vec::new(), NeighborLists::new());
            Box::new(move || {
                grid.rebuild(&bodies).unwrap();
                grid.collect_pairs(&mut pairs);
                rows.fill_half(bodies.len(), &pairs).unwrap();
                rows.indices().len()
            })
        }
        "list" => {
            let mut list = PairList::<_>::new(grid, Skin::Relative(0.1)).unwrap();
            Box::new(move || {
                list.clear();
                list.update(&bodies).unwrap();
                list.pairs().len()
            })
        }
        _ => return None,
    })
}

fn spheres(set: &str, count: usize, kind: &str) -> Option<Case> {
    let bodies = neighbors::draw(set, count);
    let inputs = vec![("spheres", centers_and_radii(&bodies))];
    let mut find = search(kind, bodies)?;
    let results = vec![find() as f64];
    let ours = runner(OURS, move || seconds(&mut find));
    Some(Case {
        count,
        inputs,
        results,
        ours,
    })
}

fn facets(side: u32, radius: f64, order: &str) -> Case {
    let mesh = walls::landscape(side);
    let vertices = numbers(mesh.vertices());
    let triangles = indices(mesh.facets().map(|f| [0, 1, 2].map(|k| f.vertices()[k])));
    let count = (50_000.0 / (1.0 + radius * radius)) as usize;
    let mut bodies = walls::spheres(count, side.into(), radius);
    if order == "sorted" {
        bodies = neighbors::in_order_of_space(bodies);
    }
    let inputs = vec![
        ("vertices", vertices),
        ("triangles", triangles),
        ("spheres", centers_and_radii(&bodies)),
    ];
    let (wall, mut near) = (Wall::new(mesh), Vec::new());
    let mut find = move || -> usize {
        let each = |body| {
            near.clear();
            wall.for_each_facet_near(black_box(body), |facet| near.push(facet));
            near.len()
        };
        bodies.iter().map(each).sum()
    };
    let results = vec![find() as f64];
    let ours = runner(OURS, move || seconds(&mut find));
    Case {
        count,
        inputs,
        results,
        ours,
    }
}

/// The rows of the matrix that moves points to a pose.
fn motion(pose: &Pose3) -> [f64; 12] {
    let rows = DMat3::from_quat(pose.rotation()).transpose();
    let by = pose.translation();
    let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| row.to_array());
    let [[a, b, c], [d, e, f], [g, h, i]] = [x, y, z];
    [a, b, c, by.x, d, e, f, by.y, g, h, i, by.z]
}

fn hulls(range: &str, vertices: usize, start: &str) -> Option<Case> {
    let gaps = polyhedra::RANGES.iter().find(|r| r.0 == range)?.1;
    let pairs = polyhedra::pairs_of(vertices, gaps, polyhedra::PAIRS, polyhedra::STEPS);
    let scene: &_ = Box::leak(Box::new(polyhedra::Scene::new(&pairs, 1.0)));
    let mut points = vec![Vec::new(); scene.shapes.iter().flatten().max()? + 1];
    let mut placed = Vec::new();
    for (bodies, shapes) in scene.bodies.iter().zip(&scene.shapes) {
        for (body, &shape) in bodies.iter().zip(shapes) {
            points[shape] = numbers(body.shape.vertices());
            placed.push(shape as f64);
            placed.extend(motion(&body.pose));
        }
    }
    let inputs = vec![("shapes", points.concat()), ("pairs", placed)];
    let count = scene.bodies.len();
    let kernel = || CommonPlane::new().with_margin(polyhedra::MARGIN).unwrap();
    let (mut first, mut each) = (kernel(), kernel());
    let cold = |i| scene.ours(&mut first, i, &mut Default::default());
    let results = (0..count).map(cold).collect();
    let own = move |i, state: &mut polyhedra::State| Some(scene.ours(&mut each, i, state));
    let ours = polyhedra::stepping(OURS, count, start == "warm", own);
    Some(Case {
        count,
        inputs,
        results,
        ours,
    })
}

fn solids(name: &str) -> Option<Case> {
    let shape = volumes::shapes()
        .into_iter()
        .find(|shape| shape.0 == name)?;
    let (_, shape, part): &'static _ = Box::leak(Box::new(shape));
    let mut random = SplitMix64::new(9);
    let count = if shape.triangles.len() < 100 { 100 } else { 30 };
    let pair = |_| volumes::Pair::new(shape, volumes::sharing(shape, *part, &mut random));
    let pairs: Vec<_> = (0..count).map(pair).collect();
    let poses = pairs.iter().flat_map(|pair| &pair.poses);
    let inputs = vec![
        ("vertices", numbers(&shape.vertices)),
        ("triangles", indices(shape.triangles.iter().copied())),
        ("motions", poses.flat_map(motion).collect()),
    ];
    let mut kernel = volumes::ours(shape);
    let results = pairs.iter().map(&mut kernel).collect();
    let ours = runner(OURS, move || {
        seconds(|| pairs.iter().map(&mut kernel).sum::<f64>())
    });
    Some(Case {
        count,
        inputs,
        results,
        ours,
    })
}

fn open(name: &str) -> Option<Case> {
    match name.split('/').collect::<Vec<_>>()[..] {
        ["neighbors", set, count, kind] => spheres(set, count.parse().ok()?, kind),
        ["walls", side, radius, order] => {
            Some(facets(side.parse().ok()?, radius.parse().ok()?, order))
        }
        ["polyhedra", range, vertices, start] => hulls(range, vertices.parse().ok()?, start),
        ["volumes", name] => solids(name),
        _ => None,
    }
}

fn write(folder: &Path, name: &str, numbers: &[f64]) -> std::io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join(name), bytes)
}

pub fn serve(folder: &str) -> std::io::Result<()> {
    let folder = Path::new(folder);
    let mut case = None;
    for line in std::io::stdin().lines() {
        let line = line?;
        if line != "turn" {
            let opened = open(&line).ok_or_else(|| std::io::Error::other(line))?;
            for (name, numbers) in &opened.inputs {
                write(folder, name, numbers)?;
            }
            write(folder, "results", &opened.results)?;
            println!("{}", opened.count);
            case = Some(opened);
        } else if let Some(Case { ours, count, .. }) = &mut case {
            println!("{:e}", ours.turn(LEAST) / *count as f64);
        }
    }
    Ok(())
}
