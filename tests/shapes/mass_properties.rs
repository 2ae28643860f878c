//! Mass, center of mass and inertia: against exact integers, values known by hand, and the laws of mechanics.

use std::f64::consts::PI;

use crate::support::convex::{cube_times, cuboid, random, vector};
use crate::support::solids::{bent, corners, random_cubes};
use crate::support::tets::blocks;
use osculate::glam::{DMat3, DQuat, DVec2, DVec3};
use osculate::shape::{Polygon, RoundedPolygon, TetMesh};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    Bounded, ConvexPolygon, ConvexPolyhedron, MassProperties, Pose2, Pose3, Rounded, SolidMesh,
    Sphere,
};

/// The largest errors: of the mass, of the center relative to the size, of the inertia relative to its trace.
type Errors = [f64; 3];

/// The lattice of the vertices: integrals of degree 5 fit into 128 bits, but not into a float.
const UNIT: f64 = 1.0 / 1048576.0;

/// The longest extent of points.
fn size(points: &[DVec3]) -> f64 {
    let fold = |f: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(f).unwrap();
    (fold(DVec3::max) - fold(DVec3::min)).max_element()
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array()
        .into_iter()
        .fold(0.0, |most, x| most.max(x.abs()))
}

fn errors(found: &MassProperties, expected: &MassProperties, size: f64) -> Errors {
    [
        (found.mass / expected.mass - 1.0).abs(),
        found.center_of_mass.distance(expected.center_of_mass) / size,
        largest(found.inertia - expected.inertia) / trace(&expected.inertia).abs(),
    ]
}

/// The properties for the density 1, from integers.
///
/// The sums are exact, about a lattice point next to the centroid. There the step to the centroid loses no
/// digits.
fn exact(vertices: &[DVec3], triangles: &[[u32; 3]]) -> MassProperties {
    let point = |id: u32| vertices[id as usize].to_array().map(|x| x as i128);
    let first = point(triangles[0][0]);
    let (volume, moment, _) = exact_sums(triangles, point, first);
    assert!(volume > 0);
    let near = [0, 1, 2].map(|i| first[i] + (moment[i] / (4 * volume)));
    let (volume, moment, second) = exact_sums(triangles, point, near);
    let whole = volume as f64 / 6.0;
    let step = DVec3::from_array(moment.map(|m| m as f64 / (4 * volume) as f64));
    let spread = |i: usize, j: usize| second[i][j] as f64 / 120.0 - whole * step[i] * step[j];
    let spread = DMat3::from_cols_array_2d(&[0, 1, 2].map(|i| [0, 1, 2].map(|j| spread(i, j))));
    MassProperties {
        mass: whole,
        center_of_mass: DVec3::from_array(near.map(|x| x as f64)) + step,
        inertia: DMat3::from_diagonal(DVec3::splat(trace(&spread))) - spread,
    }
}

type ExactSums = (i128, [i128; 3], [[i128; 3]; 3]);

/// Six times the volume, 24 times the first and 120 times the second moments.
fn exact_sums(
    triangles: &[[u32; 3]],
    point: impl Fn(u32) -> [i128; 3],
    from: [i128; 3],
) -> ExactSums {
    let (mut volume, mut moment, mut second) = (0, [0; 3], [[0; 3]; 3]);
    for ids in triangles {
        let [a, b, c] = ids.map(|id| {
            let p = point(id);
            [0, 1, 2].map(|i| p[i] - from[i])
        });
        let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
        let part = a[0] * minor(1, 2) + a[1] * minor(2, 0) + a[2] * minor(0, 1);
        let s = [0, 1, 2].map(|i| a[i] + b[i] + c[i]);
        volume += part;
        for i in 0..3 {
            moment[i] += part * s[i];
            for j in 0..3 {
                second[i][j] += part * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]);
            }
        }
    }
    (volume, moment, second)
}

/// A map to the lattice: stretched, rotated, and by up to `far` sizes from the origin.
fn onto_lattice(random: &mut SplitMix64, far: f64, unit: f64) -> impl Fn(DVec3) -> DVec3 + use<> {
    let stretch = match random.below(4) {
        0 => DVec3::new(1.0, 1.0, 1.0 / 64.0),
        1 => DVec3::new(1.0, 1.0 / 64.0, 1.0 / 64.0),
        _ => DVec3::ONE,
    };
    let turn = if random.below(3) == 0 {
        DQuat::IDENTITY
    } else {
        random.rotation()
    };
    let shift = vector(random) * far;
    move |p| ((turn * (p * stretch) + shift) / unit).round()
}

/// Prints and checks the largest errors of all bodies.
fn report(name: &str, count: usize, all: &[Errors]) {
    let [mass, center, inertia] = [0, 1, 2].map(|i| {
        all.iter()
            .fold(0.0, |most: f64, errors| most.max(errors[i]))
    });
    println!("{count} {name}: mass {mass:.1e}, center {center:.1e}, inertia {inertia:.1e}");
    assert!(mass.max(center).max(inertia) <= 1e-13, "{name}");
}

#[test]
fn polyhedra_against_integers() {
    let mut random = random(1);
    let (mut all, count) = (Vec::new(), 3800);
    for i in 0..count {
        let place = onto_lattice(&mut random, [0.0, 1.0, 100.0][i % 3], UNIT);
        let points = 4 + random.below(25);
        let points: Vec<_> = (0..points).map(|_| place(vector(&mut random))).collect();
        let Ok(shape) = ConvexPolyhedron::from_convex_hull(&points) else {
            continue;
        };
        let found = shape.mass_properties(1.0);
        assert_eq!(found.mass, shape.volume());
        assert_eq!(found.center_of_mass, shape.centroid());
        let solid = shape.to_solid();
        let expected = exact(shape.vertices(), &corners(&solid));
        for found in [found, solid.mass_properties(1.0)] {
            all.push(errors(&found, &expected, size(shape.vertices())));
        }
    }
    report("polyhedra", count, &all);
}

/// Rocks, tori, bolts, cubes with handles, and shells in shells.
#[test]
fn solids_against_integers() {
    let mut random = random(2);
    let (mut all, count) = (Vec::new(), 2500);
    for i in 0..count {
        let seed = i as u64;
        let solid = match i % 8 {
            0 => {
                let around = 3 + random.below(12) as u32;
                workload::torus(0.7, 0.25, around, 3 + random.below(6) as u32)
            }
            1 => workload::bolt(6 + random.below(6) as u32, 6),
            2 => Ok(random_cubes(&mut random).1),
            3 => Ok(hollow(&workload::rock(20, 0.3, seed).unwrap())),
            _ => workload::rock(8 + random.below(24), 0.7, seed),
        };
        let place = onto_lattice(&mut random, [0.0, 1.0, 100.0][i % 3], UNIT);
        let solid = solid.unwrap();
        let plain = solid.surface().vertices();
        let vertices: Vec<_> = plain.iter().map(|&v| place(v)).collect();
        let triangles = corners(&solid);
        let Ok(solid) = SolidMesh::new(vertices.clone(), triangles.clone()) else {
            continue;
        };
        let found = solid.mass_properties(1.0);
        assert_eq!(found.mass, solid.volume());
        assert_eq!(found.center_of_mass, solid.centroid());
        let expected = exact(&vertices, &triangles);
        all.push(errors(&found, &expected, size(&vertices)));
    }
    report("solids", count, &all);
}

/// A body with a cavity of its own shape.
fn hollow(solid: &SolidMesh) -> SolidMesh {
    let (outer, ids) = (solid.surface().vertices(), corners(solid));
    let inner: Vec<_> = outer.iter().map(|&v| v * 0.5).collect();
    let count = outer.len() as u32;
    let cavity = ids.iter().map(|&[a, b, c]| [a, c, b].map(|id| id + count));
    SolidMesh::new([outer, &inner].concat(), ids.iter().copied().chain(cavity)).unwrap()
}

/// Also the sum over the tetrahedra, and the solid inside the exterior faces.
#[test]
fn tetrahedral_meshes_against_integers() {
    let mut random = random(3);
    let (mut all, mut count) = (Vec::new(), 0);
    for i in 0..700 {
        let (cubes, _) = random_cubes(&mut random);
        let plain = blocks(&cubes, DVec3::splat(0.25));
        let place = onto_lattice(&mut random, [0.0, 1.0, 100.0][i % 3], UNIT);
        let mut noise = |v: DVec3| place(v + vector(&mut random) * 0.02);
        let vertices: Vec<_> = plain.vertices().iter().map(|&v| noise(v)).collect();
        let Ok(mesh) = TetMesh::new(vertices.clone(), plain.tetrahedra().to_vec()) else {
            continue;
        };
        count += 1;
        let found = mesh.mass_properties(1.0);
        assert_eq!(found.mass, mesh.volume());
        assert_eq!(found.center_of_mass, mesh.centroid());
        let expected = exact(&vertices, mesh.exterior_faces());
        let size = size(&vertices);
        all.push(errors(&found, &expected, size));
        if let Ok(solid) = mesh.to_solid() {
            all.push(errors(&solid.mass_properties(1.0), &expected, size));
        }
        let parts = mesh.tetrahedra().iter().map(|&[a, b, c, d]| {
            let faces = [[b, c, d], [c, a, d], [d, a, b], [a, c, b]];
            exact(&vertices, &faces)
        });
        let sum = errors(&parts.sum(), &expected, size);
        assert!(sum.iter().all(|&error| error < 1e-12), "{sum:?}");
    }
    assert!(count > 650, "{count}");
    report("tetrahedral meshes", count, &all);
}

/// The properties of a polygon: those of a prism of height 1, without its extent along z.
fn exact_polygon(vertices: &[DVec2]) -> MassProperties<DVec2> {
    let count = vertices.len() as u32;
    let ends = [0.0, 1.0].map(|z| vertices.iter().map(move |v| v.extend(z)));
    let sides = (0..count).flat_map(|i| {
        let [a, b] = [i, (i + 1) % count];
        [
            [0, b, a],
            [count, count + a, count + b],
            [a, b, count + b],
            [a, count + b, count + a],
        ]
    });
    let ends: Vec<DVec3> = ends.into_iter().flatten().collect();
    let prism = exact(&ends, &sides.collect::<Vec<_>>());
    MassProperties {
        mass: prism.mass,
        center_of_mass: prism.center_of_mass.truncate(),
        inertia: prism.inertia.z_axis.z,
    }
}

#[test]
fn polygons_against_integers() {
    let mut random = random(4);
    let (mut all, count) = (Vec::new(), 4000);
    for i in 0..count {
        let place = onto_lattice(&mut random, [0.0, 1.0, 100.0][i % 3], UNIT / 64.0);
        let corners = 3 + random.below(30);
        let is_convex = random.below(2) == 0;
        let point = |i: usize| {
            let radius = if is_convex {
                1.0
            } else {
                random.range(0.3, 1.0)
            };
            let at = DVec2::from_angle(2.0 * PI * i as f64 / corners as f64) * radius;
            place(at.extend(0.0)).truncate()
        };
        let vertices: Vec<_> = (0..corners).map(point).collect();
        let flat: Vec<_> = vertices.iter().map(|v| v.extend(0.0)).collect();
        let mut check = |found: MassProperties<DVec2>| {
            let expected = exact_polygon(&vertices);
            let off = found.center_of_mass.distance(expected.center_of_mass);
            let mass = (found.mass / expected.mass - 1.0).abs();
            let inertia = (found.inertia / expected.inertia - 1.0).abs();
            all.push([mass, off / size(&flat), inertia]);
        };
        if let Ok(polygon) = Polygon::new(vertices.clone()) {
            assert_eq!(polygon.mass_properties(1.0).mass, polygon.area());
            check(polygon.mass_properties(1.0));
        }
        if let Ok(polygon) = ConvexPolygon::new(vertices.clone()) {
            check(polygon.mass_properties(1.0));
        }
    }
    report("polygons", count, &all);
}

/// A box with very many equal triangles, whose volumes round the same way.
#[test]
fn many_equal_triangles() {
    let cells = 90;
    let mut triangles = Vec::new();
    let corner = |axis: usize, end: i32, u: i32, v: i32| {
        let mut p = [end; 3];
        p[(axis + 1) % 3] = u;
        p[(axis + 2) % 3] = v;
        DVec3::from_array(p.map(|x| f64::from(x) * 0.1))
    };
    for axis in 0..3 {
        for (end, u, v) in (0..2 * cells * cells)
            .map(|i| (i / cells / cells * cells, i / cells % cells, i % cells))
        {
            let [a, b, c, d] =
                [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| corner(axis, end, u + i, v + j));
            triangles.extend(if end == 0 {
                [[a, c, b], [a, d, c]]
            } else {
                [[a, b, c], [a, c, d]]
            });
        }
    }
    let solid = SolidMesh::from_triangles(&triangles).unwrap();
    let found = solid.mass_properties(1.0);
    check_cube("box of many triangles", &found, f64::from(cells) * 0.1);
    let cubes: Vec<_> = (0..14 * 14 * 14)
        .map(|i| [i % 14, i / 14 % 14, i / 196])
        .collect();
    let mesh = blocks(&cubes, DVec3::splat(0.1));
    let found = mesh.mass_properties(1.0);
    check_cube("box of many tetrahedra", &found, 14.0 * 0.1);
}

/// Checks the properties of a cube with a corner at the origin.
fn check_cube(name: &str, found: &MassProperties, side: f64) {
    let mass = side.powi(3);
    let expected = MassProperties {
        mass,
        center_of_mass: DVec3::splat(0.5 * side),
        inertia: DMat3::from_diagonal(DVec3::splat(mass * side * side / 6.0)),
    };
    report(name, 1, &[errors(found, &expected, side)]);
}

/// Translation, rotation, scaling by powers of two and the density.
#[test]
fn laws_of_motion_and_scale() {
    let mut random = random(6);
    for seed in 0..60 {
        let solid = workload::rock(30, 0.6, seed).unwrap();
        let body = solid.mass_properties(1.0);
        let moved = |f: &dyn Fn(DVec3) -> DVec3| bent(&solid, f).mass_properties(1.0);
        let pose = Pose3::new(random.rotation(), vector(&mut random) * 50.0).unwrap();
        let there = moved(&|v| pose.transform_point(v));
        let worst = errors(&there, &body.transformed(&pose), 2.0);
        assert!(worst.iter().all(|&error| error < 2e-13), "{worst:?}");
        let by = 2.0_f64.powi(-40);
        let scaled = moved(&|v| v * by);
        assert_eq!(scaled.mass, body.mass * by.powi(3));
        assert_eq!(scaled.center_of_mass, body.center_of_mass * by);
        assert_eq!(scaled.inertia, body.inertia * by.powi(5));
        let dense = solid.mass_properties(8.0);
        assert_eq!(dense.mass, body.mass * 8.0);
        assert_eq!(dense.inertia, body.inertia * 8.0);
        // Parts and a hole: the parallel axis theorem.
        let whole = body + there;
        let hole = MassProperties {
            mass: -there.mass,
            inertia: there.inertia * -1.0,
            ..there
        };
        let back = whole + hole;
        let worst = errors(&back, &body, 100.0);
        assert!(worst[0] < 1e-13 && worst[1] < 1e-13, "{worst:?}");
        let arm = there.center_of_mass - body.center_of_mass;
        let about = DMat3::from_diagonal(DVec3::splat(arm.length_squared()))
            - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        let expected = body.inertia + there.inertia + about * (0.5 * body.mass);
        assert!(largest(whole.inertia - expected) < 1e-12 * trace(&expected));
    }
    let disc = Sphere::new(DVec2::X, 1.0).mass_properties(1.0);
    let pose = Pose2::from_angle(0.5 * PI, DVec2::Y).unwrap();
    let rotated = disc.transformed(&pose);
    assert!(rotated.center_of_mass.distance(DVec2::Y * 2.0) < 1e-15);
    assert_eq!((rotated.mass, rotated.inertia), (disc.mass, disc.inertia));
    let pair = disc + Sphere::new(-DVec2::X, 1.0).mass_properties(1.0);
    assert_eq!((pair.center_of_mass, pair.inertia), (DVec2::ZERO, 3.0 * PI));
    let nothing: MassProperties = std::iter::empty().sum();
    assert_eq!((nothing.mass, nothing.inertia), (0.0, DMat3::ZERO));
}

#[test]
fn principal_axes() {
    let mut random = random(7);
    let body = |inertia| MassProperties {
        mass: 1.0,
        center_of_mass: DVec3::ZERO,
        inertia,
    };
    for case in 0..3000 {
        // Well apart, almost equal, equal, and of very different size.
        let spread = [1.0, 1e-9, 0.0, 1e9][case % 4];
        let moments = DVec3::ONE + vector(&mut random).abs() * spread;
        let turn = DMat3::from_quat(if case % 3 == 0 {
            DQuat::from_rotation_z(1e-9)
        } else {
            random.rotation()
        });
        let half = turn * DMat3::from_diagonal(moments) * turn.transpose();
        let scale = 2.0_f64.powi([0, 700, -700][case % 3]);
        let inertia = (half + half.transpose()) * (0.5 * scale);
        let (found, axes) = body(inertia).principal();
        let most = moments.max_element();
        let volume = axes.determinant();
        assert!((volume - 1.0).abs() < 1e-14, "{case}: {volume}");
        assert!(largest(axes.transpose() * axes - DMat3::IDENTITY) < 1e-14);
        let back = axes * DMat3::from_diagonal(found / scale) * axes.transpose();
        assert!(largest(back - inertia * (1.0 / scale)) < 2e-14 * most);
    }
    let diagonal = DVec3::new(0.3, 0.1, 0.7);
    assert_eq!(
        body(DMat3::from_diagonal(diagonal)).principal(),
        (diagonal, DMat3::IDENTITY)
    );
    // Rounding does not turn the axes of a cube.
    for _ in 0..50 {
        let (far, side) = (vector(&mut random) * 3.0, random.range(0.1, 1.0));
        let cube = cuboid(far, far + side);
        assert_eq!(cube.mass_properties(0.7).principal().1, DMat3::IDENTITY);
    }
    for bad in [f64::NAN, f64::INFINITY, 0.0, 5e-324, f64::MAX] {
        let _ = body(DMat3::from_cols_array(&[bad; 9])).principal();
        let _ = cube_times(DVec3::ONE).mass_properties(bad).principal();
    }
}

/// Capsules and rounded boxes by hand.
#[test]
fn capsules_and_rounded_boxes() {
    for (half, r) in [(1.0, 0.5), (4.0, 0.25), (0.125, 2.0)] {
        let capsule = Rounded::capsule([DVec3::ONE, DVec3::new(1.0, 1.0, 1.0 + 2.0 * half)], r);
        let found = capsule.unwrap().mass_properties(1.0);
        let (cylinder, ball) = (PI * r * r * 2.0 * half, 4.0 / 3.0 * PI * r * r * r);
        // Each half ball has its centroid 3 r / 8 beyond the end.
        let along = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
        let across = cylinder * (r * r / 4.0 + half * half / 3.0)
            + ball * (0.4 * r * r + half * half + 0.75 * half * r);
        let expected = MassProperties {
            mass: cylinder + ball,
            center_of_mass: DVec3::new(1.0, 1.0, 1.0 + half),
            inertia: DMat3::from_diagonal(DVec3::new(across, across, along)),
        };
        let worst = errors(&found, &expected, half + r)
            .into_iter()
            .fold(0.0, f64::max);
        assert!(worst < 1e-15, "{worst:e} {found:?}");

        let cube = cube_times(DVec3::splat(2.0 * half));
        let found = Rounded::polyhedron(cube, r).unwrap().mass_properties(1.0);
        let a = 2.0 * half;
        let volume = a * a * a + 6.0 * a * a * r + 3.0 * PI * a * r * r + ball;
        assert!((found.mass / volume - 1.0).abs() < 1e-15);
        assert!(found.center_of_mass.length() < 1e-15 * (a + r));

        let stadium = RoundedPolygon::stadium([DVec2::ZERO, DVec2::X * a], r).unwrap();
        let found = stadium.mass_properties(1.0);
        let (strip, disc) = (2.0 * r * a, PI * r * r);
        let polar = strip * (a * a + 4.0 * r * r) / 12.0
            + disc * (r * r / 2.0 + half * half + 2.0 * half * 4.0 * r / (3.0 * PI));
        assert!((found.mass / (strip + disc) - 1.0).abs() < 1e-15);
        assert!(
            (found.inertia / polar - 1.0).abs() < 2e-15,
            "{found:?} {polar}"
        );
        assert_eq!(found.center_of_mass, DVec2::X * half);
    }
    let disc = RoundedPolygon::disc(2.0).unwrap().mass_properties(1.0);
    assert_eq!(disc, Sphere::new(DVec2::ZERO, 2.0).mass_properties(1.0));
    let point = Rounded::capsule([DVec3::ZERO, DVec3::X], 0.0)
        .unwrap()
        .mass_properties(1.0);
    assert_eq!((point.mass, point.center_of_mass), (0.0, DVec3::X * 0.5));
}

/// The hull of balls, each as many points, around the corners of the core. Its error is halved with twice the points.
#[test]
fn rounded_bodies_as_hulls() {
    let mut random = random(8);
    for case in 0..4 {
        let core =
            ConvexPolyhedron::from_convex_hull(&[0; 5].map(|_| vector(&mut random))).unwrap();
        let r = [0.2, 1.0][case % 2];
        let hull = |count: u32| {
            let turn = PI * (3.0 - 5.0_f64.sqrt());
            let on_ball = |i: u32| {
                let z = (2.0 * f64::from(i) + 1.0) / f64::from(count) - 1.0;
                (DVec2::from_angle(turn * f64::from(i)) * (1.0 - z * z).sqrt()).extend(z)
            };
            let ball = |&v: &DVec3| (0..count).map(move |i| v + on_ball(i) * r);
            let points: Vec<_> = core.vertices().iter().flat_map(ball).collect();
            let hull = ConvexPolyhedron::from_convex_hull(&points);
            hull.unwrap().mass_properties(1.0)
        };
        let (fine, coarse) = (hull(12800), hull(6400));
        let expected = MassProperties {
            mass: 2.0 * fine.mass - coarse.mass,
            center_of_mass: fine.center_of_mass * 2.0 - coarse.center_of_mass,
            inertia: fine.inertia * 2.0 + coarse.inertia * -1.0,
        };
        let body = Rounded::polyhedron(core, r).unwrap();
        let size = body.bounding_sphere().radius;
        let [mass, center, inertia] = errors(&body.mass_properties(1.0), &expected, size);
        assert!(mass < 2e-4 && center < 2e-4 && inertia < 2e-4);

        let corners = [0; 4].map(|_| vector(&mut random).truncate());
        let Ok(core) = ConvexPolygon::from_convex_hull(&corners) else {
            continue;
        };
        let ball = |&v: &DVec2| {
            (0..2000).map(move |i| v + DVec2::from_angle(f64::from(i) * PI / 1000.0) * r)
        };
        let hull: Vec<_> = core.vertices().iter().flat_map(ball).collect();
        let expected = ConvexPolygon::from_convex_hull(&hull)
            .unwrap()
            .mass_properties(1.0);
        let found = RoundedPolygon::polygon(core, r)
            .unwrap()
            .mass_properties(1.0);
        assert!((found.mass / expected.mass - 1.0).abs() < 1e-5);
        assert!(found.center_of_mass.distance(expected.center_of_mass) < 1e-5);
        assert!((found.inertia / expected.inertia - 1.0).abs() < 1e-5);
    }
}
