//! Finds all contacts of spheres with each other and with a wall, and writes them down.
//!
//! `cargo run --release --example detect -- [WALL SPHERES] [--check] [--out FOLDER]`

mod find;
mod read;
mod write;

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, error, fs};

use find::{Found, Kind, Touch};
use osculate::glam::DVec3;
use osculate::{Error, MeshReport, Sphere, SurfaceMesh};
use read::{RawMesh, RawSpheres};
use write::{Array, PolyData};

const USAGE: &str = "\
Finds all contacts of spheres with each other and with a wall.

usage: detect [WALL SPHERES] [--check] [--out FOLDER]

WALL     an STL (binary or ASCII) or OBJ file
SPHERES  a CSV file with the columns x,y,z,r
         (without both: the hopper in examples/data)
--check  find all contacts by brute force too, and compare
--out    where contacts.csv and contacts.vtp go (default: this folder)";

fn main() -> ExitCode {
    match Options::of(env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("detect: {error}");
            ExitCode::FAILURE
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

struct Options {
    wall: PathBuf,
    spheres: PathBuf,
    out: PathBuf,
    check: bool,
    help: bool,
}

impl Options {
    fn of(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let mut files = Vec::new();
        let (mut out, mut check, mut help) = (PathBuf::from("."), false, false);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--check" => check = true,
                "--help" | "-h" => help = true,
                "--out" => out = args.next().ok_or("--out needs a folder")?.into(),
                _ if arg.starts_with("--") => {
                    return Err(format!("unknown option {arg}\n\n{USAGE}").into());
                }
                _ => files.push(PathBuf::from(arg)),
            }
        }
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data");
        let [wall, spheres] = match <[PathBuf; 2]>::try_from(files) {
            Ok(files) => files,
            Err(files) if files.is_empty() => ["hopper.obj", "spheres.csv"].map(|f| data.join(f)),
            Err(_) => return Err(format!("a wall and spheres, or neither\n\n{USAGE}").into()),
        };
        Ok(Self {
            wall,
            spheres,
            out,
            check,
            help,
        })
    }
}

fn run(options: &Options) -> Result<()> {
    if options.help {
        println!("{USAGE}");
        return Ok(());
    }
    let start = Instant::now();
    let raw_wall = read::mesh(&options.wall)?;
    let raw_spheres = read::spheres(&options.spheres)?;
    let read = start.elapsed();

    let start = Instant::now();
    let (wall, split_count) = wall(raw_wall, &options.wall)?;
    let spheres = spheres(&raw_spheres, &options.spheres)?;
    let report = wall.report();
    let checked = start.elapsed();

    let found = find::by_search(&spheres, &wall)?;

    let start = Instant::now();
    let [csv, vtp] = ["contacts.csv", "contacts.vtp"].map(|name| options.out.join(name));
    let written = |path: &Path, result: io::Result<()>| {
        result.map_err(|error| format!("{}: {error}", path.display()))
    };
    written(&csv, write_csv(&csv, &found.touches))?;
    written(&vtp, picture(&spheres, &wall, &found.touches).write(&vtp))?;
    let write = start.elapsed();

    let mut table = String::new();
    let mut row = |name: &str, text: String| writeln!(table, "{name:<12}{text}");
    row(
        "wall",
        about_wall(&options.wall, &wall, &report, split_count),
    )?;
    row("spheres", about_spheres(&options.spheres, &spheres))?;
    row("candidates", about_candidates(&found))?;
    row("contacts", about_touches(&found.touches, &spheres))?;
    let stages = [
        ("read", read),
        ("build", checked + found.build),
        ("search", found.search),
        ("narrow", found.narrow),
        ("write", write),
    ];
    let times = stages.map(|(stage, time)| format!("{stage} {:.1}", time.as_secs_f64() * 1e3));
    row("time, ms", times.join("  "))?;
    row("written", format!("{}  {}", csv.display(), vtp.display()))?;
    print!("{table}");

    if options.check {
        let expected = find::by_brute_force(&spheres, &wall)?;
        if let Some(i) = (0..expected.len().max(found.touches.len()))
            .find(|&i| expected.get(i) != found.touches.get(i))
        {
            let (found, expected) = (found.touches.get(i), expected.get(i));
            let message = format!("contact {i} is {found:?}, by brute force {expected:?}");
            return Err(message.into());
        }
        println!(
            "{:<12}all {} contacts equal to brute force",
            "check",
            expected.len()
        );
    }
    Ok(())
}

/// The wall, with bent polygons cut into triangles, and how many those are.
fn wall(mut raw: RawMesh, path: &Path) -> Result<(SurfaceMesh, usize)> {
    let vertices: Vec<DVec3> = raw.vertices.iter().map(|&v| v.into()).collect();
    let is_bent = |facet: &Vec<u32>| {
        let corners: Vec<DVec3> = facet.iter().map(|&id| vertices[id as usize]).collect();
        let alone = SurfaceMesh::new(corners, [(0..facet.len() as u32).collect::<Vec<_>>()]);
        facet.len() > 3 && matches!(alone, Err(Error::NotPlanar { .. }))
    };
    let (mut facets, mut lines, mut split_count) = (Vec::new(), Vec::new(), 0);
    for (facet, line) in raw.facets.into_iter().zip(raw.facet_lines) {
        if is_bent(&facet) {
            let fan = facet[1..]
                .windows(2)
                .map(|side| vec![facet[0], side[0], side[1]]);
            lines.resize(lines.len() + fan.len(), line);
            facets.extend(fan);
            split_count += 1;
        } else {
            facets.push(facet);
            lines.push(line);
        }
    }
    raw.facet_lines = lines;
    let mesh = SurfaceMesh::welded(&vertices, &facets).map_err(|error| {
        let line = match error {
            Error::Coordinate { index, .. } => raw.vertex_lines.get(index),
            Error::TooFewCorners { facet, .. }
            | Error::RepeatedVertex { facet, .. }
            | Error::SideTooShort { facet, .. }
            | Error::NotPlanar { facet, .. }
            | Error::FacetNotConvex { facet, .. } => raw.facet_lines.get(facet),
            _ => None,
        };
        let place = match line {
            Some(line) if raw.is_binary => format!(": triangle {line}"),
            Some(line) => format!(":{line}"),
            None => String::new(),
        };
        format!("{}{place}: {error}", path.display())
    })?;
    Ok((mesh, split_count))
}

fn spheres(raw: &RawSpheres, path: &Path) -> Result<Vec<Sphere<DVec3>>> {
    let mut spheres = Vec::with_capacity(raw.spheres.len());
    for (index, (&[x, y, z, r], line)) in raw.spheres.iter().zip(&raw.lines).enumerate() {
        let sphere = Sphere::new(DVec3::new(x, y, z), r);
        let at_line = |error| format!("{}:{line}: {error}", path.display());
        sphere.check(index).map_err(at_line)?;
        spheres.push(sphere);
    }
    Ok(spheres)
}

fn about_wall(path: &Path, wall: &SurfaceMesh, report: &MeshReport, split_count: usize) -> String {
    let mut text = format!(
        "{} facets, {} edges, {} vertices  ({})",
        wall.facet_count(),
        wall.edges().len(),
        wall.vertices().len(),
        path.display()
    );
    let remarks = [
        (report.boundary_edges.len(), "open edges"),
        (
            report.non_manifold_edges.len(),
            "edges of three or more facets",
        ),
        (
            report.misoriented_edges.len(),
            "edges of facets that face opposite ways",
        ),
        (
            report.non_manifold_vertices.len(),
            "vertices where surfaces touch",
        ),
        (report.duplicate_facets.len(), "facets twice"),
        (report.degenerate_facets.len(), "facets without area"),
        (split_count, "bent polygons, cut into triangles"),
    ];
    let remarks = remarks.iter().filter(|(count, _)| *count > 0);
    let remarks: Vec<_> = remarks
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !remarks.is_empty() {
        text += &format!("\n{:12}{}", "", remarks.join(", "));
    }
    text
}

fn about_spheres(path: &Path, spheres: &[Sphere<DVec3>]) -> String {
    let radii = || spheres.iter().map(|s| s.radius);
    let (smallest, largest) = (
        radii().fold(f64::INFINITY, f64::min),
        radii().fold(0.0, f64::max),
    );
    let range = match spheres {
        [] => String::new(),
        _ => format!(", radii {smallest} to {largest}"),
    };
    format!("{}{range}  ({})", spheres.len(), path.display())
}

fn about_candidates(found: &Found) -> String {
    format!(
        "{} pairs of spheres, {} of sphere and facet",
        found.pair_candidates, found.wall_candidates
    )
}

fn about_touches(touches: &[Touch], spheres: &[Sphere<DVec3>]) -> String {
    let rows = [
        ("sphere on sphere", Kind::Sphere),
        ("sphere on facet", Kind::Facet),
        ("sphere on edge", Kind::Edge),
        ("sphere on vertex", Kind::Vertex),
    ]
    .map(|(name, kind)| {
        let these = touches.iter().filter(|touch| touch.kind == kind);
        let mut row = format!("{:>8} {name}", these.clone().count());
        if let Some(deepest) = these.max_by(|a, b| a.overlap.total_cmp(&b.overlap)) {
            let radius = match kind {
                Kind::Sphere => spheres[deepest.a as usize]
                    .radius
                    .min(spheres[deepest.b as usize].radius),
                _ => spheres[deepest.a as usize].radius,
            };
            row = format!(
                "{row:<27}deepest {:.3e}, {:.2} % of the radius: {} and {}",
                deepest.overlap,
                100.0 * deepest.overlap / radius,
                deepest.a,
                deepest.b
            );
        }
        row
    });
    rows.join(&format!("\n{:12}", ""))
}

/// One line for each contact; `b` is a sphere or, on the wall, a facet.
fn write_csv(path: &Path, touches: &[Touch]) -> io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    writeln!(file, "kind,a,b,px,py,pz,nx,ny,nz,overlap")?;
    for touch in touches {
        let kind = match touch.kind {
            Kind::Sphere => "sphere",
            Kind::Facet => "facet",
            Kind::Edge => "edge",
            Kind::Vertex => "vertex",
        };
        let ([px, py, pz], [nx, ny, nz]) = (touch.point.to_array(), touch.normal.to_array());
        let Touch { a, b, overlap, .. } = touch;
        writeln!(
            file,
            "{kind},{a},{b},{px},{py},{pz},{nx},{ny},{nz},{overlap}"
        )?;
    }
    file.flush()
}

/// The wall as polygons and the contacts as lines: between the centres of spheres, and from the
/// centre of a sphere to its contact point on the wall.
fn picture(spheres: &[Sphere<DVec3>], wall: &SurfaceMesh, touches: &[Touch]) -> PolyData<'static> {
    let mut points: Vec<[f64; 3]> = spheres.iter().map(|s| s.center.into()).collect();
    let mut radii: Vec<f64> = spheres.iter().map(|s| s.radius).collect();
    let mut coordination = vec![0; spheres.len()];
    let mut lines = Vec::new();
    for touch in touches {
        coordination[touch.a as usize] += 1;
        let end = if touch.kind == Kind::Sphere {
            coordination[touch.b as usize] += 1;
            touch.b
        } else {
            points.push(touch.point.into());
            points.len() as u32 - 1
        };
        lines.push(vec![touch.a, end]);
    }
    let first_corner = points.len() as u32;
    points.extend(wall.vertices().iter().map(|&v| <[f64; 3]>::from(v)));
    radii.resize(points.len(), 0.0);
    coordination.resize(points.len(), 0);
    let polygon = |ids: &[u32]| ids.iter().map(|id| first_corner + id).collect();

    let facet_count = wall.facet_count();
    let mut kinds: Vec<i32> = touches.iter().map(|touch| touch.kind as i32).collect();
    kinds.resize(kinds.len() + facet_count, 4);
    let mut overlaps: Vec<f64> = touches.iter().map(|touch| touch.overlap).collect();
    overlaps.resize(kinds.len(), 0.0);
    let mut normals: Vec<[f64; 3]> = touches.iter().map(|touch| touch.normal.into()).collect();
    normals.extend(wall.facets().map(|facet| <[f64; 3]>::from(facet.normal())));
    PolyData {
        points,
        lines,
        polys: wall
            .facets()
            .map(|facet| polygon(facet.vertices()))
            .collect(),
        point_data: vec![
            ("radius", Array::Scalars(radii)),
            ("coordination", Array::Integers(coordination)),
        ],
        // 0 to 3: contact with a sphere, facet, edge, vertex; 4: facet of the wall.
        cell_data: vec![
            ("kind", Array::Integers(kinds)),
            ("overlap", Array::Scalars(overlaps)),
            ("normal", Array::Vectors(normals)),
        ],
        ..PolyData::default()
    }
}
