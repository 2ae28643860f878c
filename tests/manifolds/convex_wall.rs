//! Convex polyhedra and walls: cases known by hand, flat floors, an oracle, and rewritten meshes.
//! OSCULATE_CASES sets the number of random cases.

use crate::support::cases;
use crate::support::convex::{Body, cube_times, random, vector};
use crate::support::convex_wall::contacts_with;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::workload::SplitMix64;
use osculate::{ContactManifold, ConvexPolyhedron, ElasticBed, Placed, Pose3, SurfaceMesh, Wall};

type Triangle = [DVec3; 3];
/// Name, body and wall, and for each contact the normal and the overlap.
type Named<'a> = (
    &'a str,
    Body<'a>,
    &'a [Triangle],
    &'a [((f64, f64, f64), f64)],
);

fn contacts(body: &Body, triangles: &[Triangle]) -> Vec<ConvexWallContact> {
    let wall = Wall::new(SurfaceMesh::from_triangles(triangles).unwrap());
    contacts_with(&mut ConvexWall::new(), body, &wall, &mut Default::default())
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn quad(corners: [(f64, f64, f64); 4]) -> Vec<Triangle> {
    let [a, b, c, d] = corners.map(DVec3::from);
    vec![[a, b, c], [a, c, d]]
}

/// Normals and overlaps, by hand, for a cube of side 1.
#[test]
fn named_cases() {
    let cube = cube_times(DVec3::ONE);
    let at = |turn: DQuat, x: f64, y: f64, z: f64| {
        Placed::new(&cube, Pose3::new_normalize(turn, v(x, y, z)).unwrap())
    };
    let (none, quarter) = (DQuat::IDENTITY, std::f64::consts::FRAC_PI_4);
    let root = 0.5_f64.sqrt();
    let floor = quad([(-4., -4., 0.), (4., -4., 0.), (4., 4., 0.), (-4., 4., 0.)]);
    let slopes = |sign: f64| {
        [
            quad([
                (0., -4., 0.),
                (4., -4., 4. * sign),
                (4., 4., 4. * sign),
                (0., 4., 0.),
            ]),
            quad([
                (0., -4., 0.),
                (0., 4., 0.),
                (-4., 4., 4. * sign),
                (-4., -4., 4. * sign),
            ]),
        ]
        .concat()
    };
    let side = |k: usize| {
        let turn = |(x, y, z): (f64, f64, f64)| {
            if k == 0 {
                (0.0, x, y + z)
            } else {
                (-x, 0.0, y + z)
            }
        };
        quad([(-4., -4., 0.), (4., -4., 0.), (4., 4., 0.), (-4., 4., 0.)].map(turn))
    };
    let corner = [floor.clone(), side(0), side(1)].concat();
    let spike: Vec<Triangle> = (0..4)
        .map(|i| {
            let base = [
                v(1., 1., -3.),
                v(-1., 1., -3.),
                v(-1., -1., -3.),
                v(1., -1., -3.),
            ];
            [DVec3::ZERO, base[(i + 1) % 4], base[i]]
        })
        .collect();
    let plate = quad([(0., -4., 0.), (0., 4., 0.), (0., 4., -4.), (0., -4., -4.)]);
    let table = quad([(0., -4., 0.), (4., -4., 0.), (4., 4., 0.), (0., 4., 0.)]);
    let tip = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::Z);
    let down = (0., 0., -1.);
    let (wedge, ridge) = (slopes(1.), slopes(-1.));
    let along_y = DQuat::from_rotation_y(quarter);
    let along_x = DQuat::from_rotation_x(quarter);
    let in_wedge = |overlap| [((root, 0., -root), overlap), ((-root, 0., -root), overlap)];
    let (flush, edges) = (in_wedge(0.01), in_wedge(0.01 * root));
    let low = at(along_y, 0., 0., root - 0.01 * 2_f64.sqrt());
    let on_tip = at(tip, 0., 0., 0.75_f64.sqrt() - 0.05);
    let in_corner = [(down, 0.03), ((0., -1., 0.), 0.02), ((-1., 0., 0.), 0.01)];
    let one = [(down, 0.01)];
    let named: [Named; 12] = [
        ("flat", at(none, 0., 0., 0.49), &floor, &one),
        ("deep", at(none, 0.3, 0.1, 0.1), &floor, &[(down, 0.4)]),
        ("vertex", on_tip, &floor, &[(down, 0.05)]),
        ("flush in a wedge", low, &wedge, &flush),
        ("edges in a wedge", at(none, 0., 0., 0.99), &wedge, &edges),
        ("corner", at(none, 0.49, 0.48, 0.47), &corner, &in_corner),
        ("ridge", at(none, 0.2, 0., 0.49), &ridge, &one),
        (
            "crossed edges",
            at(along_x, 0.2, 0., root - 0.01),
            &ridge,
            &one,
        ),
        ("spike", at(none, 0.2, 0.1, 0.48), &spike, &[(down, 0.02)]),
        ("plate", at(none, 0.1, 0., 0.49), &plate, &one),
        ("over a rim", at(none, -0.2, 0., 0.49), &table, &one),
        (
            "rim",
            at(none, -0.49, 0., -0.1),
            &table,
            &[((1., 0., 0.), 0.01)],
        ),
    ];
    for (name, body, triangles, expected) in named {
        let found = contacts(&body, triangles);
        let is_found = |&&(normal, overlap): &&((f64, f64, f64), f64)| {
            let is_same = |c: &ConvexWallContact| {
                c.normal.distance(normal.into()) < 1e-12 && (c.overlap - overlap).abs() < 1e-12
            };
            found.iter().any(is_same)
        };
        assert_eq!(found.len(), expected.len(), "{name}: {found:#?}");
        assert!(expected.iter().all(|e| is_found(&e)), "{name}: {found:#?}");
    }
}

/// A square floor in triangles, displaced by `height`; inner vertices are moved at random, by up to `jitter`
/// cells. Above 0.25 some triangles may overlap.
fn floor(
    random: &mut SplitMix64,
    (count, half, jitter): (usize, f64, f64),
    height: impl Fn(f64, f64) -> f64,
) -> Vec<Triangle> {
    let width = 2.0 * half / count as f64;
    let mut along = |i: usize| {
        let moved = if i > 0 && i < count {
            jitter * random.range(-1.0, 1.0)
        } else {
            0.0
        };
        width * (i as f64 + moved) - half
    };
    let grid: Vec<Vec<DVec3>> = (0..=count)
        .map(|i| {
            (0..=count)
                .map(|j| {
                    let (x, y) = (along(i), along(j));
                    v(x, y, height(x, y))
                })
                .collect()
        })
        .collect();
    let mut triangles = Vec::new();
    for i in 0..count {
        for j in 0..count {
            let [a, b, c, d] = [
                grid[i][j],
                grid[i + 1][j],
                grid[i + 1][j + 1],
                grid[i][j + 1],
            ];
            triangles.extend(if (i + j) % 2 == 0 {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            });
        }
    }
    triangles
}

/// Divides triangles at random points of their sides, which leaves hanging vertices, and shuffles them.
fn rewritten(random: &mut SplitMix64, triangles: &[Triangle], share: f64) -> Vec<Triangle> {
    let mut rewritten = Vec::new();
    for triangle in triangles {
        let k = random.below(3);
        let [a, b, c] = [0, 1, 2].map(|i| triangle[(k + i) % 3]);
        if random.unit() < share {
            let m = a.lerp(b, random.range(0.2, 0.8));
            rewritten.extend([[a, m, c], [m, b, c]]);
        } else {
            rewritten.push([a, b, c]);
        }
    }
    random.shuffle(&mut rewritten);
    rewritten
}

fn shapes(random: &mut SplitMix64) -> Vec<ConvexPolyhedron> {
    let mut shapes = vec![cube_times(DVec3::ONE), cube_times(v(2.0, 0.4, 0.4))];
    for count in [8, 14, 50] {
        for _ in 0..6 {
            let point = |_| vector(random).normalize() * random.range(0.85, 1.0);
            let points: Vec<_> = (0..count).map(point).collect();
            shapes.push(ConvexPolyhedron::from_convex_hull(&points).unwrap());
        }
    }
    shapes
}

fn support(shape: &ConvexPolyhedron, turn: DQuat, normal: DVec3) -> f64 {
    let heights = shape.vertices().iter().map(|&x| (turn * x).dot(normal));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// On a flat floor in any triangles, rotated and far away, there is one contact, with the depth in the half
/// space.
#[test]
fn flat_floors() {
    let mut random = random(21);
    let shapes = shapes(&mut random);
    let (mut wrong, mut worst) = (0, 0.0_f64);
    for case in 0..cases(600) {
        let shape = &shapes[case % shapes.len()];
        let frame = random.rotation();
        let far = if case % 2 == 0 {
            DVec3::ZERO
        } else {
            vector(&mut random).normalize() * 1000.0
        };
        let plain = match case % 3 {
            0 => floor(&mut random, (1, 4.0, 0.0), |_, _| 0.0),
            1 => floor(&mut random, (8, 4.0, 0.3), |_, _| 0.0),
            _ => {
                let plain = floor(&mut random, (5, 4.0, 0.3), |_, _| 0.0);
                rewritten(&mut random, &plain, 0.7)
            }
        };
        let triangles: Vec<_> = plain.iter().map(|t| t.map(|x| frame * x + far)).collect();
        let turn = if case % 5 == 0 {
            frame
        } else {
            random.rotation()
        };
        let normal = frame * -DVec3::Z;
        let inradius = 0.2;
        let depth = inradius * 1e-3_f64.powf(random.unit());
        let aside = frame * v(random.range(-1., 1.), random.range(-1., 1.), 0.0);
        let aside = if case % 7 == 0 { DVec3::ZERO } else { aside };
        let at = far + aside + normal * (depth - support(shape, turn, normal));
        let body = Placed::new(shape, Pose3::new(turn, at).unwrap());
        let found = contacts(&body, &triangles);
        let [only] = found[..] else {
            wrong += 1;
            println!("{case}: {found:?}, expected {normal} {depth}");
            continue;
        };
        worst = worst
            .max((only.overlap - depth).abs())
            .max(only.normal.distance(normal));
    }
    println!("wrong {wrong}, largest error of depth and normal {worst:.1e}");
    assert!(wrong == 0 && worst < 1e-11);
}

/// Depths that are tied in a chain, not all with each other: the deepest facet keeps its contact.
#[test]
fn chains_of_ties_leave_the_deepest() {
    let cube = cube_times(DVec3::ONE);
    let body = Placed::new(&cube, Pose3::from_translation(DVec3::Z * 0.49).unwrap());
    let tolerance = 0.75_f64.sqrt() * 2.0_f64.powi(-44);
    let heights = [0.0, 0.9, 1.8, 2.7, 2.0];
    let rim = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / 5.0;
        v(4.0 * angle.cos(), 4.0 * angle.sin(), 0.0)
    };
    for start in 0..5 {
        let facet = |i: usize| {
            let lift = DVec3::Z * (heights[(start + i) % 5] * tolerance);
            [DVec3::ZERO, rim(i), rim(i + 1)].map(|x| x + lift)
        };
        let triangles: Vec<_> = (0..5).map(facet).collect();
        let found = contacts(&body, &triangles);
        assert_eq!(found.len(), 1, "{start} {found:?}");
    }
}

/// A slope rises from a ledge in two strips under a flush cube. The strip away from the slope is tied with the other
/// one, which is connected with deeper points, so only the slope has a contact.
#[test]
fn ties_lead_to_deeper_points() {
    let cube = cube_times(DVec3::ONE);
    let body = Placed::new(&cube, Pose3::from_translation(DVec3::Z * 0.49).unwrap());
    let strip = |x: f64, z: f64, to_x: f64, to_z: f64| {
        quad([(x, -4., z), (to_x, -4., to_z), (to_x, 4., to_z), (x, 4., z)])
    };
    let triangles = [
        strip(-4.0, 0.0, -0.2, 0.0),
        strip(-0.2, 0.0, 0.2, 0.0),
        strip(0.2, 0.0, 4.2, 0.4),
    ];
    let found = contacts(&body, &triangles.concat());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].depth > 0.03 && found[0].normal.x > 0.05,
        "{found:?}"
    );
}

/// Small facets far away are rotated by rounding: still one contact with a cube that lies on them.
#[test]
fn small_facets_far_away() {
    let mut random = random(27);
    let cube = cube_times(DVec3::ONE);
    for case in 0..cases(40) {
        let far = vector(&mut random).normalize() * 10.0_f64.powf(random.range(0.0, 6.0));
        let plain = floor(&mut random, (1 + case % 40, 1.0, 0.2), |_, _| 0.0);
        let frame = random.rotation();
        let triangles: Vec<_> = plain.iter().map(|t| t.map(|x| frame * x + far)).collect();
        let at = far + frame * v(0.1, 0.2, 0.49);
        let body = Placed::new(&cube, Pose3::new(frame, at).unwrap());
        let found = contacts(&body, &triangles);
        assert_eq!(found.len(), 1, "{case} {far} {found:?}");
        // Of contacts with one plane the deepest counts, in any order of the facets.
        let reversed: Vec<_> = triangles.iter().rev().copied().collect();
        assert_eq!(
            found[0].depth,
            contacts(&body, &reversed)[0].depth,
            "{case}"
        );
    }
}

/// A face of the body in the world: `normal . x <= offset`.
type Plane = (DVec3, f64);

fn planes(body: &Body) -> Vec<Plane> {
    let facets = body.shape.surface().facets();
    let plane = facets.map(|f| {
        let corners: Vec<_> = f.corners().map(|x| body.pose.transform_point(x)).collect();
        let normal = body.pose.transform_vector(f.normal());
        (normal, normal.dot(corners[0]))
    });
    plane.collect()
}

fn manifolds(body: &Body, triangles: &[Triangle]) -> Vec<ContactManifold> {
    let wall = Wall::new(SurfaceMesh::from_triangles(triangles).unwrap());
    let mut found = Vec::new();
    let mut state = Default::default();
    ConvexWall::new().for_each_manifold(body, &wall, &mut state, |_, m| found.push(m));
    found
}

/// The volume and center of the bed on a floor at z = 0, by definition: the integral of the depth over the
/// section of the body.
fn bed_by_section(body: &Body) -> (f64, DVec2) {
    let planes = planes(body);
    let cut = |polygon: &[DVec2], height: &dyn Fn(DVec2) -> f64| {
        let mut rest = Vec::new();
        for (i, &from) in polygon.iter().enumerate() {
            let to = polygon[(i + 1) % polygon.len()];
            let (here, there) = (height(from), height(to));
            if here >= 0.0 {
                rest.push(from);
            }
            if here * there < 0.0 {
                rest.push(from.lerp(to, here / (here - there)));
            }
        }
        rest
    };
    let far = 20.0;
    let mut section = [(-far, -far), (far, -far), (far, far), (-far, far)]
        .map(DVec2::from)
        .to_vec();
    for (normal, offset) in &planes {
        section = cut(&section, &|x| offset - normal.truncate().dot(x));
    }
    let lower: Vec<_> = planes
        .iter()
        .filter(|(normal, _)| normal.z < -1e-12)
        .collect();
    let depth = |(normal, offset): &Plane, x: DVec2| (normal.truncate().dot(x) - offset) / normal.z;
    let (mut volume, mut moment) = (0.0, DVec2::ZERO);
    for (i, face) in lower.iter().enumerate() {
        // The columns that end at this face.
        let mut part = section.clone();
        for (j, other) in lower.iter().enumerate() {
            if i != j {
                part = cut(&part, &|x| depth(other, x) - depth(face, x));
            }
        }
        for k in 2..part.len() {
            let corners = [part[0], part[k - 1], part[k]];
            let area = 0.5 * (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
            let depths = corners.map(|x| depth(face, x));
            let sum: f64 = depths.iter().sum();
            volume += area * sum / 3.0;
            for (x, d) in corners.iter().zip(depths) {
                moment += *x * (area * (d + sum) / 12.0);
            }
        }
    }
    (volume, moment / volume)
}

/// On a flat floor the bed is the part of the body below, and its points do not depend on the triangles.
#[test]
fn beds_on_flat_floors() {
    let mut random = random(24);
    let shapes = shapes(&mut random);
    let block = cube_times(DVec3::splat(16.0));
    let below = Placed::new(&block, Pose3::from_translation(DVec3::Z * -8.0).unwrap());
    let (mut worst, mut compared, mut same_as_pair) = ([0.0_f64; 3], 0, 0);
    let count = cases(300);
    for case in 0..count {
        let shape = &shapes[case % shapes.len()];
        let plain = floor(&mut random, (6, 4.0, 0.2), |_, _| 0.0);
        let other = rewritten(&mut random, &plain, 0.7);
        let turn = if case % 5 == 0 {
            DQuat::IDENTITY
        } else {
            random.rotation()
        };
        let depth = 0.2 * 1e-3_f64.powf(random.unit());
        let low = support(shape, turn, -DVec3::Z);
        let at = v(random.range(-1., 1.), random.range(-1., 1.), low - depth);
        let body = Placed::new(shape, Pose3::new(turn, at).unwrap());
        let [a, b] = [&plain, &other].map(|wall| manifolds(&body, wall));
        let ([a], [b]) = (&a[..], &b[..]) else {
            panic!("{case}: {} and {} manifolds", a.len(), b.len());
        };
        let (volume, center) = bed_by_section(&body);
        let scale = a.area * depth;
        worst[0] = worst[0].max((a.volume - volume).abs() / scale);
        worst[1] = worst[1].max(a.normal.distance(-DVec3::Z));
        worst[2] = worst[2].max((a.point.truncate() - center).length());
        let pair = ElasticBed::new().manifold(&below, &body, DVec3::Z, &mut Default::default());
        let pair = pair.unwrap().volume;
        assert!(a.volume < pair + 1e-10 * scale, "{case}");
        same_as_pair += usize::from(a.volume > pair - 1e-10 * scale);
        assert_eq!(a.points().len(), b.points().len(), "{case}");
        if a.points().len() < 8 {
            for p in a.points() {
                let q = b.points().iter().find(|q| q.feature == p.feature).unwrap();
                compared += 1;
                assert!(
                    (p.volume - q.volume).abs() < 1e-11 * scale,
                    "{case} {p:?} {q:?}"
                );
                assert!(p.point.distance(q.point) < 1e-6, "{case} {p:?} {q:?}");
            }
        }
    }
    println!("volume, normal, center: {worst:?}, {compared} points");
    println!("{same_as_pair} of {count} beds are those of `ElasticBed`");
    assert!(same_as_pair > count / 2);
    assert!(worst[0] < 1e-10 && worst[1] < 1e-12 && worst[2] < 1e-9);
}

/// Vertices exactly in the plane of a facet: a wedge with one edge in the floor has the bed of its section, a triangle
/// of h l / 2 per width. Such beds had no manifold, or lost a part of their area.
#[test]
fn wedges_with_an_edge_in_the_floor() {
    let floor = floor(&mut random(28), (1, 32.0, 0.0), |_, _| 0.0);
    for (h, l) in (1..40).flat_map(|h| (1..20).map(move |l| (h, l))) {
        let (depth, length) = (f64::from(h) / 16.0, f64::from(l) / 4.0);
        let section = [(-length, -depth), (0.0, 0.0), (-length, 8.0), (0.0, 8.0)];
        let corners = section.map(|(x, z)| [0.0, 1.0].map(|y| v(x, y, z)));
        let shape = ConvexPolyhedron::from_convex_hull(corners.as_flattened()).unwrap();
        let found = manifolds(&Placed::new(&shape, Pose3::IDENTITY), &floor);
        let volume: f64 = found.iter().map(|manifold| manifold.volume).sum();
        let expected = 0.5 * depth * length;
        let error = (volume - expected).abs() / expected;
        assert!(error < 1e-12, "{depth} {length}: {volume} {expected}");
    }
}
