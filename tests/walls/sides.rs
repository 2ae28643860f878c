//! The side of a wall in a state: it changes only when the center crosses a facet.
//!
//! ```sh
//! FAMILY_CASES=3000 cargo test --release --test wall_sides -- --nocapture
//! ```

use crate::support::cases;
use crate::support::families::{CELL, Facets, Family, SCALE, circle, mesh, net, place};
use crate::support::wall::contacts;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::oracle::{self, LatticePoint};
use osculate::testing::properties::{MapContact, wall::side_changes_at_a_facet};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, NarrowPhase, Pose2, Pose3, Sphere, SurfaceMesh, Wall, WallContact, WallState,
    narrow::WallSides, shape::SegmentMesh,
};

fn determinant([u, v, w]: [LatticePoint; 3]) -> i128 {
    let cross = |i: usize, j: usize| {
        i128::from(u[i]) * i128::from(v[j]) - i128::from(u[j]) * i128::from(v[i])
    };
    cross(1, 2) * i128::from(w[0]) + cross(2, 0) * i128::from(w[1]) + cross(0, 1) * i128::from(w[2])
}

/// Six times the volume of a tetrahedron.
fn volume([a, b, c, d]: [LatticePoint; 4]) -> i128 {
    determinant([b, c, d].map(|p| [0, 1, 2].map(|k| p[k] - a[k])))
}

/// Whether a segment meets a triangle, in integers. In the plane of the triangle: whether it may.
fn meets(from: LatticePoint, to: LatticePoint, [a, b, c]: [LatticePoint; 3]) -> bool {
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

fn crosses(family: &Family, from: LatticePoint, to: LatticePoint) -> bool {
    family.facets.iter().any(|ids| {
        let corner = |i: usize| family.vertices[ids[i] as usize];
        (2..ids.len()).any(|i| meets(from, to, [corner(0), corner(i - 1), corner(i)]))
    })
}

/// Quadrilaterals given by a corner and two sides, in cells.
fn plates(
    name: &'static str,
    radius: f64,
    plates: &[(LatticePoint, LatticePoint, LatticePoint)],
) -> Family {
    let (mut vertices, mut facets) = (Vec::new(), Facets::new());
    for &(corner, u, v) in plates {
        let at = |a: i64, b: i64| [0, 1, 2].map(|k| (corner[k] + a * u[k] + b * v[k]) * CELL / 4);
        for point in [at(0, 0), at(1, 0), at(1, 1), at(0, 1)] {
            if !vertices.contains(&point) {
                vertices.push(point);
            }
        }
        let id = |p: LatticePoint| vertices.iter().position(|&q| q == p).unwrap() as u32;
        facets.push([at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(id).to_vec());
    }
    Family {
        name,
        vertices,
        facets,
        radius,
    }
}

/// Walls with free edges, in addition to the families of all tests.
fn walls() -> Vec<Family> {
    let hole: Vec<(LatticePoint, LatticePoint, LatticePoint)> = (0..25)
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
            let base = |j: i64| j as u32 * 24 + i as u32;
            lifters.1.push(vec![base(j), first, base(j + 1)]);
            lifters.1.push(vec![first, first + 1, base(j + 1)]);
        }
    }
    let (vertices, facets) = lifters;
    let mut all = crate::support::families::families();
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
fn free_path(random: &mut SplitMix64, family: &Family, steps: usize) -> (Vec<LatticePoint>, f64) {
    let (start, radius) = place(random, family);
    let mut path = vec![start];
    let size = radius * CELL as f64 * 10.0_f64.powf(random.range(-2.0, 0.3));
    while path.len() < steps {
        let from = path[path.len() - 1];
        let to = (0..20).find_map(|_| {
            let to = from.map(|c| {
                if random.below(3) == 0 {
                    c
                } else {
                    c + random.range(-size, size) as i64
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

fn kernel<V: osculate::Vector>(random: &mut SplitMix64) -> DoubleHierarchy<V> {
    let sides = [WallSides::Both, WallSides::Both, WallSides::Front][random.below(3)];
    let kernel = DoubleHierarchy::new().with_sides(sides);
    kernel.with_margin([0.0, 0.125][random.below(2)]).unwrap()
}

/// Walls that stand still, and that move as rigid bodies, by lattice vectors and quarter turns.
#[test]
fn no_side_without_a_crossing() {
    let (mut touching, mut steps) = (0, 0);
    for family in walls() {
        let mut wall = Wall::new(mesh(&family, |v| v));
        let mut random = SplitMix64::new(21);
        for case in 0..cases(300) / 2 {
            let (path, radius) = free_path(&mut random, &family, 40);
            let counted = |c: WallContact| {
                touching += 1;
                c
            };
            let mut kernel = MapContact(kernel(&mut random), counted);
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
                Some(Sphere::new(wall.pose().transform_point(local), radius))
            };
            side_changes_at_a_facet(&mut kernel, &mut wall, next)
                .unwrap_or_else(|broken| panic!("{} {case}: {broken}", family.name));
            wall.set_pose(Pose3::IDENTITY);
        }
    }
    println!("{steps} steps, {touching} contacts");
    assert!(touching > steps / 2);
}

/// A center that moves around the rim of a plate at nine tenths of the radius, and around its
/// corner, in contact all the way: in 3D, in 2D, and with the plate rotating instead.
#[test]
fn around_a_rim() {
    let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let square = square.map(|(y, z)| DVec3::new(0.0, y, z)).to_vec();
    let mut plate = Wall::new(SurfaceMesh::new(square, [[0, 1, 2, 3]]).unwrap());
    let line = SegmentMesh::new(vec![DVec2::ZERO, DVec2::Y], vec![[0, 1]]).unwrap();
    let mut line = Wall::new(line);
    let (mut memory, mut flat) = (WallState::default(), WallState::default());
    let (mut corner, mut turned) = (WallState::default(), WallState::default());
    let overlap = |found: &[f64]| {
        assert!(
            found.len() == 1 && (found[0] - 0.05).abs() < 1e-14,
            "{found:?}"
        );
    };
    let depths =
        |found: Vec<WallContact>| overlap(&found.iter().map(|c| c.overlap).collect::<Vec<_>>());
    for angle in (0..=540).map(|a| f64::from(a).to_radians() / 3.0) {
        let (sin, cos) = angle.sin_cos();
        let from_rim = DVec3::new(0.45 * cos, 0.0, 0.45 * sin);
        plate.set_pose(Pose3::IDENTITY);
        depths(contacts(
            &plate,
            &mut memory,
            DVec3::new(0.0, 0.5, 1.0) + from_rim,
            0.5,
        ));
        let out = DVec3::new(cos, 0.6 * sin, 0.8 * sin) * 0.45;
        depths(contacts(
            &plate,
            &mut corner,
            DVec3::new(0.0, 1.0, 1.0) + out,
            0.5,
        ));
        let found = contacts(
            &line,
            &mut flat,
            DVec2::new(0.45 * cos, 1.0 + 0.45 * sin),
            0.5,
        );
        overlap(&found.iter().map(|c| c.overlap).collect::<Vec<_>>());
        // The plate turns about its rim.
        let turn = DQuat::from_rotation_y(angle);
        let rim = DVec3::new(0.0, 0.5, 1.0);
        plate.set_pose(Pose3::new(turn, rim - turn * rim).unwrap());
        depths(contacts(&plate, &mut turned, rim + DVec3::X * 0.45, 0.5));
    }
    line.set_pose(Pose2::IDENTITY);
}

/// Pushed through by up to nearly a radius, moved about behind it and taken back, a sphere is held
/// by all contacts of a wall without thickness, and by both sides of a thin one.
#[test]
fn walls_hold_what_is_pushed_through() {
    let mut random = SplitMix64::new(22);
    let mut through = 0;
    for name in ["flat", "convex", "dish", "thin plate", "hole"] {
        let family = walls().into_iter().find(|f| f.name == name).unwrap();
        let wall = Wall::new(mesh(&family, |v| v));
        let ground = |x: f64, y: f64| {
            let probe = Sphere::new(DVec3::new(x, y, 40.0), 80.0);
            let mut highest = -90.0_f64;
            let near = |c: WallContact| highest = highest.max(c.point.z);
            DoubleHierarchy::new()
                .with_selection(osculate::narrow::ContactSelection::nearest())
                .for_each_contact(&probe, &wall, &mut Default::default(), near);
            highest
        };
        for _ in 0..cases(300) / 4 {
            let radius = random.range(0.3, 0.8);
            let mut memory = WallState::default();
            let (mut x, mut y) = (random.range(2.0, 3.0), random.range(1.0, 2.0));
            if name == "hole" {
                (x, y) = (random.range(0.8, 1.2), random.range(3.8, 4.2));
            }
            let floor = ground(x, y);
            let most = random.range(0.3, 0.95);
            for step in 0..120 {
                // Down through the wall, along, and up again.
                let depth = (f64::from(step) / 40.0 - 1.0)
                    .min(most)
                    .min((100.0 - f64::from(step)) / 20.0);
                let center = DVec3::new(x, y, floor - depth * radius);
                let found = contacts(&wall, &mut memory, center, radius);
                let cold = contacts(&wall, &mut WallState::default(), center, radius);
                assert_eq!(found.len(), cold.len());
                for (contact, cold) in found.iter().zip(&cold) {
                    assert!(contact.normal.z < 0.0, "{name} {step} {contact:?}");
                    let flipped = contact.normal != cold.normal;
                    let expected = if flipped {
                        2.0 * radius - cold.overlap
                    } else {
                        cold.overlap
                    };
                    assert!((contact.overlap - expected).abs() < 1e-14);
                    through += u32::from(flipped);
                }
                if (45..60).contains(&step) && name != "thin plate" {
                    x += random.range(-0.02, 0.02);
                    y += random.range(-0.02, 0.02);
                }
            }
        }
    }
    assert!(through > 1000, "{through}");
}

/// The largest and the last error of the energy of an elastic ball in gravity that flies at a wall,
/// in parts of the energy of its motion, and how deep it went.
fn throw(wall: &Wall, position: DVec3, velocity: DVec3, step: f64) -> [f64; 3] {
    let (stiffness, radius, gravity) = (1e4, 0.5, DVec3::Z * -9.81);
    let (mut position, mut velocity) = (position, velocity);
    let (mut memory, mut kernel) = (WallState::default(), DoubleHierarchy::new());
    let mut state = |position: DVec3| {
        let (mut force, mut energy, mut deepest) = (gravity, -gravity.dot(position), 0.0_f64);
        let sphere = Sphere::new(position, radius);
        kernel.for_each_contact(&sphere, wall, &mut memory, |c| {
            force -= c.normal * (stiffness * c.overlap);
            energy += 0.5 * stiffness * c.overlap * c.overlap;
            deepest = deepest.max(c.overlap);
        });
        (force, energy, deepest)
    };
    let (mut force, energy, _) = state(position);
    let scale = 0.5 * velocity.length_squared();
    let start = energy + scale;
    let [mut worst, mut last, mut deepest] = [0.0; 3];
    for _ in 0..(0.3 / step) as u32 {
        velocity += force * (0.5 * step);
        position += velocity * step;
        let (now, energy, depth) = state(position);
        force = now;
        velocity += force * (0.5 * step);
        last = (energy + 0.5 * velocity.length_squared() - start).abs() / scale;
        (worst, deepest) = (f64::max(worst, last), f64::max(deepest, depth));
    }
    [worst, last, deepest]
}

/// Balls thrown at rims, corners and faces of a plate conserve their energy to the order of the
/// integrator, with states kept. Some of those that hit the face are pushed through by up to half a
/// radius.
#[test]
fn balls_at_rims_keep_their_energy() {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let square = square.map(|(y, z)| DVec3::new(0.0, y, z)).to_vec();
    let plate = Wall::new(SurfaceMesh::new(square, [[0, 1, 2], [0, 2, 3]]).unwrap());
    let mut random = SplitMix64::new(23);
    let (mut worst, mut deepest, mut through) = ([0.0_f64; 2], 0.0_f64, 0);
    for case in 0..cases(300) / 10 {
        let along = random.range(-0.9, 0.9);
        let target = match case % 3 {
            0 => DVec3::new(0.0, along, 1.0),
            1 => DVec3::new(0.0, 1.0, 1.0),
            _ => DVec3::new(0.0, along * 0.3, along * 0.2),
        };
        let mut way = random.in_ball().normalize();
        let (mut speed, mut aside) = (random.range(5.0, 40.0), random.in_ball() * 0.3);
        if case % 3 == 2 {
            (way, speed, aside) = (DVec3::X, random.range(30.0, 70.0), DVec3::ZERO);
        }
        let start = target - way * 0.7 + aside;
        let results = [4e-5, 2e-5].map(|step| throw(&plate, start, way * speed, step));
        for (worst, [_, last, _]) in worst.iter_mut().zip(results) {
            *worst = worst.max(last);
        }
        deepest = deepest.max(results[0][2]);
        through += usize::from(results[0][2] > 0.5);
        assert!(results[0][0] < 1e-3, "{case} {results:?}");
    }
    println!(
        "energy lost or gained: {:.1e}, {:.1e}; {through} through, deepest {deepest:.2}",
        worst[0], worst[1]
    );
    // Second order in the step, except for the times of first contact.
    assert!(worst[0] < 1e-4 && worst[1] < 3e-5 && through > cases(300) / 100);
}

/// A sphere that is pushed through a floor at once is held there at any scale, exactly alike.
#[test]
fn sides_at_any_scale() {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    for scale in [2.0_f64.powi(-40), 1.0, 2.0_f64.powi(40)] {
        let corners = square.map(|(x, y)| DVec3::new(x, y, 0.0) * 8.0 * scale);
        let floor = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2, 3]]).unwrap());
        let line = [DVec2::X, -DVec2::X].map(|end| end * 8.0 * scale);
        let line = Wall::new(SegmentMesh::new(line.to_vec(), vec![[0, 1]]).unwrap());
        let (mut state, mut flat) = (WallState::default(), WallState::default());
        for height in [0.75, -0.5, -0.875, 0.25] {
            let center = DVec3::new(0.5, 0.25, height) * scale;
            let found = contacts(&floor, &mut state, center, scale);
            let overlaps: Vec<_> = found.iter().map(|c| (c.overlap, c.normal)).collect();
            assert_eq!(overlaps, [((1.0 - height) * scale, -DVec3::Z)]);
            let center = DVec2::new(0.5, height) * scale;
            let found = contacts(&line, &mut flat, center, scale);
            let overlaps: Vec<_> = found.iter().map(|c| (c.overlap, c.normal)).collect();
            assert_eq!(overlaps, [((1.0 - height) * scale, -DVec2::Y)]);
        }
    }
}
