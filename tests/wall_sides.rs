//! The side of a wall that a memory keeps: it changes where the center crosses a facet, nowhere else.
//!
//! ```sh
//! FAMILY_CASES=3000 cargo test --release --test wall_sides -- --nocapture
//! ```

#[path = "support/families.rs"]
mod families;

use families::{CELL, Facets, Family, Point, SCALE, cases, circle, mesh, net, place};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::laws::side_changes_at_a_facet;
use osculate::testing::oracle;
use osculate::testing::workload::Random;
use osculate::{
    DoubleHierarchy, NarrowPhase, Pose2, Pose3, SegmentMesh, Sides, Sphere, SurfaceMesh, Wall,
    WallContact, WallMemory,
};

fn determinant([u, v, w]: [Point; 3]) -> i128 {
    let cross = |i: usize, j: usize| {
        i128::from(u[i]) * i128::from(v[j]) - i128::from(u[j]) * i128::from(v[i])
    };
    cross(1, 2) * i128::from(w[0]) + cross(2, 0) * i128::from(w[1]) + cross(0, 1) * i128::from(w[2])
}

/// Six times the volume of a tetrahedron.
fn volume([a, b, c, d]: [Point; 4]) -> i128 {
    determinant([b, c, d].map(|p| [0, 1, 2].map(|k| p[k] - a[k])))
}

/// Whether a segment meets a triangle, in integers. In the plane of the triangle: whether it may.
fn meets(from: Point, to: Point, [a, b, c]: [Point; 3]) -> bool {
    let overlap = |k: usize| {
        let (p, q) = (from[k].min(to[k]), from[k].max(to[k]));
        p <= a[k].max(b[k]).max(c[k]) && q >= a[k].min(b[k]).min(c[k])
    };
    if !(0..3).all(overlap) {
        return false;
    }
    let [before, after] = [from, to].map(|p| volume([a, b, c, p]).signum());
    if before == 0 && after == 0 || before * after > 0 {
        return before * after == 0;
    }
    let around = [[a, b], [b, c], [c, a]].map(|[p, q]| volume([from, to, p, q]));
    around.iter().all(|&v| v >= 0) || around.iter().all(|&v| v <= 0)
}

fn crosses(family: &Family, from: Point, to: Point) -> bool {
    family.facets.iter().any(|ids| {
        let corner = |i: usize| family.vertices[ids[i] as usize];
        (2..ids.len()).any(|i| meets(from, to, [corner(0), corner(i - 1), corner(i)]))
    })
}

/// Quadrilaterals given by a corner and two sides, in cells.
fn plates(name: &'static str, radius: f64, plates: &[(Point, Point, Point)]) -> Family {
    let (mut vertices, mut facets) = (Vec::new(), Facets::new());
    for &(corner, u, v) in plates {
        let at = |a: i64, b: i64| [0, 1, 2].map(|k| (corner[k] + a * u[k] + b * v[k]) * CELL / 4);
        for point in [at(0, 0), at(1, 0), at(1, 1), at(0, 1)] {
            if !vertices.contains(&point) {
                vertices.push(point);
            }
        }
        let id = |p: Point| vertices.iter().position(|&q| q == p).unwrap() as u32;
        facets.push([at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(id).to_vec());
    }
    Family {
        name,
        vertices,
        facets,
        radius,
    }
}

/// Walls with free edges, beside the families of all tests.
fn walls() -> Vec<Family> {
    let hole: Vec<(Point, Point, Point)> = (0..25)
        .filter(|i| ![6, 7, 12, 13, 18].contains(i))
        .map(|i| ([i % 5 * 4, i / 5 * 4, 0], [4, 0, 0], [0, 4, 0]))
        .collect();
    // Two rows of tiles that overlap, and a stack of three plates.
    let tiles = [
        ([0, 0, 0], [12, 0, 1], [0, 16, 0]),
        ([10, 0, 0], [12, 0, 1], [0, 16, 0]),
        ([20, 0, 0], [12, 0, 1], [0, 16, 0]),
        ([8, 0, 4], [6, 0, 0], [0, 8, 0]),
        ([8, 0, 5], [6, 0, 0], [0, 8, 0]),
    ];
    let fins = [
        ([0, 0, 0], [8, 0, 0], [0, 16, 0]),
        ([8, 0, 0], [8, 0, 0], [0, 16, 0]),
        ([8, 0, 0], [0, 0, 6], [0, 16, 0]),
        ([4, 4, 0], [1, 0, 5], [0, 8, 0]),
        ([12, 4, 2], [1, 0, 5], [0, 8, 0]),
    ];
    // A drum with blades that point inwards.
    let mut lifters = net(24, 4, true, |i, j| {
        let [x, y] = circle(i, 24, 4.0);
        [x, y, j * CELL]
    });
    for i in (0..24).step_by(6) {
        let [x, y] = circle(i, 24, 4.0);
        for j in 0..4 {
            let first = lifters.0.len() as u32;
            lifters.0.extend([
                [x * 3 / 4, y * 3 / 4, j * CELL],
                [x * 3 / 4, y * 3 / 4, (j + 1) * CELL],
            ]);
            let foot = |j: i64| j as u32 * 24 + i as u32;
            lifters.1.push(vec![foot(j), first, foot(j + 1)]);
            lifters.1.push(vec![first, first + 1, foot(j + 1)]);
        }
    }
    let (vertices, facets) = lifters;
    let mut all = families::families();
    all.push(plates("plate", 3.0, &[([0, 0, 0], [8, 0, 0], [0, 8, 0])]));
    all.push(plates("hole", 2.0, &hole));
    all.push(plates("tiles", 2.0, &tiles));
    all.push(plates("fins", 2.0, &fins));
    all.push(Family {
        name: "lifters",
        vertices,
        facets,
        radius: 2.0,
    });
    all
}

/// Random paths of lattice points that cross no facet, in steps from small to two radii.
fn free_path(random: &mut Random, family: &Family, steps: usize) -> (Vec<Point>, f64) {
    let (start, radius) = place(random, family);
    let mut path = vec![start];
    let size = radius * CELL as f64 * 10.0_f64.powf(random.within(-2.0, 0.3));
    while path.len() < steps {
        let from = path[path.len() - 1];
        let to = (0..20).find_map(|_| {
            let to = from.map(|c| {
                if random.below(3) == 0 {
                    c
                } else {
                    c + random.within(-size, size) as i64
                }
            });
            (!crosses(family, from, to)).then_some(to)
        });
        // Stuck on a facet.
        let Some(to) = to else { break };
        path.push(to);
    }
    (path, radius)
}

fn kernel<V: osculate::Vector>(random: &mut Random) -> DoubleHierarchy<V> {
    let sides = [Sides::Both, Sides::Both, Sides::Front][random.below(3)];
    let kernel = DoubleHierarchy::new().with_sides(sides);
    kernel.with_margin([0.0, 0.125][random.below(2)]).unwrap()
}

/// Walls that stand still, and that move as rigid bodies, by lattice vectors and quarter turns.
#[test]
fn no_side_without_a_crossing() {
    let (mut touching, mut steps) = (0, 0);
    for family in walls() {
        let mut wall = Wall::new(mesh(&family, |v| v));
        let mut random = Random::new(21);
        for case in 0..cases() / 2 {
            let (path, radius) = free_path(&mut random, &family, 40);
            let mut kernel = kernel(&mut random);
            let mut turn = DQuat::IDENTITY;
            let mut path = path.into_iter();
            let next = |wall: &mut Wall| {
                let local = oracle::to_vector(path.next()?, SCALE);
                if case % 2 == 1 {
                    let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
                    turn = DQuat::from_vec4(axis.extend(0.0)) * turn;
                    let shift = DVec3::from_array([0; 3].map(|_| random.below(8) as f64));
                    wall.set_pose(Pose3::new(turn, shift).unwrap());
                }
                steps += 1;
                Some(Sphere::new(wall.pose().point(local), radius))
            };
            let view = |c: &WallContact| {
                touching += 1;
                *c
            };
            let view = std::cell::RefCell::new(view);
            side_changes_at_a_facet(&mut kernel, &mut wall, next, |c| view.borrow_mut()(c))
                .unwrap_or_else(|broken| panic!("{} {case}: {broken}", family.name));
            wall.set_pose(Pose3::IDENTITY);
        }
    }
    println!("{steps} steps, {touching} contacts");
    assert!(touching > steps / 2);
}
