//! Three ways to find the triangle pairs of meshes in contact (Feng 2021, section 4.6): the neighbor search has one box
//! for each body, one for each group of triangles, or one for each triangle. All end with the same pairs.
//!
//! `cargo reproduce box_strategies`

use std::collections::BTreeMap;
use std::time::Duration;

use cpu_time::ThreadTime;
use osculate::glam::{DQuat, DVec3};
use osculate::shape::Facet;
use osculate::{Aabb, Bounded, BroadPhase, HierarchicalGrid, MeshMesh, Placed, Pose3, Sphere};
use reproduce::random::SplitMix64;
use reproduce::solids;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Triangles of one body, in the world.
struct Group {
    body: usize,
    triangles: Vec<(u32, Aabb)>,
    bounds: Aabb,
}

/// The box around boxes, at least one.
fn bounds_of(triangles: &[(u32, Aabb)]) -> Aabb {
    let first = triangles[0].1;
    triangles
        .iter()
        .fold(first, |bounds, (_, next)| bounds.union(next))
}

/// Splits a body into cells of its box, `cells` along each axis; `None` is a group for each triangle.
fn groups(body: usize, triangles: &[(u32, Aabb)], cells: Option<u32>) -> Vec<Group> {
    let whole = bounds_of(triangles);
    let mut sorted: BTreeMap<[u32; 3], Vec<(u32, Aabb)>> = BTreeMap::new();
    for &(triangle, bounds) in triangles {
        let key = match cells {
            None => [triangle, 0, 0],
            Some(cells) => {
                let place = (bounds.center() - whole.min) / whole.size() * f64::from(cells);
                place.to_array().map(|x| (x as u32).min(cells - 1))
            }
        };
        sorted.entry(key).or_default().push((triangle, bounds));
    }
    let group = |triangles: Vec<(u32, Aabb)>| Group {
        body,
        bounds: bounds_of(&triangles),
        triangles,
    };
    sorted.into_values().map(group).collect()
}

/// A pair of bodies and a triangle of each.
type Pair = ([usize; 2], [u32; 2]);

#[derive(Default)]
struct Found {
    pairs_of_groups: usize,
    tests: usize,
    pairs: Vec<Pair>,
    /// Of the search among groups, and of that in pairs of groups.
    times: [Duration; 2],
}

/// Finds the pairs of triangles of different bodies whose boxes overlap.
fn search(groups: &[Group]) -> Result<Found> {
    let mut found = Found::default();
    let start = ThreadTime::now();
    let mut grid = HierarchicalGrid::new();
    let ball = |i: usize| {
        let bounds = &groups[i].bounds;
        Sphere::new(bounds.center(), 0.5 * bounds.size().length())
    };
    grid.rebuild_with(groups.len(), ball)?;
    let mut pairs = Vec::new();
    grid.for_each_pair(|i, j| {
        let (a, b) = (&groups[i], &groups[j]);
        if a.body != b.body && a.bounds.touches(&b.bounds) {
            pairs.push(if a.body < b.body { [a, b] } else { [b, a] });
        }
    });
    found.times[0] = start.elapsed();
    found.pairs_of_groups = pairs.len();
    let start = ThreadTime::now();
    for [a, b] in pairs {
        // Only triangles that reach the box of the other group.
        found.tests += a.triangles.len() + b.triangles.len();
        let near: Vec<_> = b
            .triangles
            .iter()
            .filter(|(_, t)| t.touches(&a.bounds))
            .collect();
        for (i, first) in a.triangles.iter().filter(|(_, t)| t.touches(&b.bounds)) {
            found.tests += near.len();
            let hits = near.iter().filter(|(_, second)| first.touches(second));
            found
                .pairs
                .extend(hits.map(|(j, _)| ([a.body, b.body], [*i, *j])));
        }
    }
    found.times[1] = start.elapsed();
    Ok(found)
}

fn main() -> Result<()> {
    const SIDE: usize = 6;
    let rock = solids::rock(200, 0.5, 1)?;
    let mut random = SplitMix64::new(4);
    // A lattice so close that neighbors overlap.
    let place = |i: usize, random: &mut SplitMix64| {
        let cell = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|k| 1.55 * k as f64);
        let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
        Pose3::new_normalize(turn, DVec3::from_array(cell) + random.in_ball() * 0.1)
    };
    let mut bodies = Vec::new();
    for i in 0..SIDE * SIDE * SIDE {
        bodies.push(Placed::new(&rock, place(i, &mut random)?));
    }
    let count = rock.surface().facet_count();
    println!("{} rocks of {count} triangles\n", bodies.len());

    // The boxes of the triangles, which all strategies need.
    let boxes = |body: &Placed<_>| -> Vec<(u32, Aabb)> {
        let bounds = |facet: Facet| {
            let corners = facet
                .corners()
                .map(|corner| body.pose.transform_point(corner));
            Aabb::from_points(corners)
        };
        (0..)
            .zip(rock.surface().facets().filter_map(bounds))
            .collect()
    };
    let triangles: Vec<_> = bodies.iter().map(boxes).collect();
    println!(
        "| boxes of a body | boxes | pairs of boxes | tests in these pairs | triangle pairs |"
    );
    println!("|---|---|---|---|---|");
    let (mut times, mut first) = (String::new(), None);
    let levels = [Some(1), Some(2), Some(4), Some(8), None];
    for cells in levels {
        let split = |(body, triangles): (usize, &Vec<_>)| groups(body, triangles, cells);
        let groups: Vec<Group> = triangles.iter().enumerate().flat_map(split).collect();
        let mut found = search(&groups)?;
        found.pairs.sort_unstable();
        let name = match cells {
            Some(1) => "one".to_owned(),
            Some(n) => format!("up to {n} x {n} x {n}"),
            None => "one for each triangle".to_owned(),
        };
        let (boxes, pairs) = (groups.len(), found.pairs.len());
        println!(
            "| {name} | {boxes} | {} | {} | {pairs} |",
            found.pairs_of_groups, found.tests
        );
        let [global, local] = found.times.map(|time| 1e3 * time.as_secs_f64());
        times += &format!(
            "| {name} | {global:.2} | {local:.2} | {:.2} |\n",
            global + local
        );
        assert_eq!(first.get_or_insert(found.pairs.clone()), &found.pairs);
    }

    // The library: one sphere for each body, and the trees of the meshes.
    let (mut segments, mut contacts) = (0, 0);
    let start = ThreadTime::now();
    let (mut grid, mut kernel) = (HierarchicalGrid::new(), MeshMesh::new());
    grid.rebuild_with(bodies.len(), |i| bodies[i].bounding_sphere())?;
    grid.for_each_pair(|i, j| {
        let count_contact = |_| contacts += 1;
        kernel
            .for_each_contact_and_segment(&bodies[i], &bodies[j], count_contact, |_| segments += 1);
    });
    let time = 1e3 * start.elapsed().as_secs_f64();
    println!("\n{contacts} contacts, whose intersection curves have {segments} segments");
    let scanned = scanned_rocks()?;
    println!(
        "\ntimes, ms\n| boxes of a body | among boxes | in pairs of boxes | sum |\n|---|---|---|---|"
    );
    println!("{times}| `MeshMesh` on bodies, with V, S and G | | | {time:.2} |");
    println!("\ntime of a pair of these rocks: {scanned:.0} us");
    Ok(())
}

/// Two rocks as fine as the scanned one of figure 6, at 100 relative positions. Returns the microseconds of a pair.
fn scanned_rocks() -> Result<f64> {
    let rock = solids::rock(24_572, 0.5, 1)?;
    let (mut kernel, mut segments, mut volumes) = (MeshMesh::new(), 0, 0.0);
    let turn = DQuat::from_rotation_y(2.0);
    let start = ThreadTime::now();
    for i in 0..100 {
        let offset = DVec3::new(1.7 + 1e-3 * f64::from(i), 0.1, 0.2);
        let bodies = [
            Placed::new(&rock, Pose3::IDENTITY),
            Placed::new(&rock, Pose3::new_normalize(turn, offset)?),
        ];
        kernel.for_each_contact_and_segment(
            &bodies[0],
            &bodies[1],
            |contact| volumes += contact.volume,
            |_| segments += 1,
        );
    }
    let micros = 1e4 * start.elapsed().as_secs_f64();
    println!(
        "two rocks of {} triangles: curves of {} segments, {:.2} % of the volume",
        rock.surface().facet_count(),
        segments / 100,
        volumes / rock.volume()
    );
    Ok(micros)
}
