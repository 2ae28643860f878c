//! Contact points of polyhedra at the rims of walls, and on several sheets.

use crate::support::cases;
use crate::support::convex::{Body, cube_times, polyhedron, random};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, ManifoldPoint, PointFeature};
use osculate::testing::workload::SplitMix64;
use osculate::{ContactManifold, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

type Triangle = [DVec3; 3];
type Found = Vec<(ConvexWallContact, ContactManifold)>;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn quad(corners: [DVec3; 4]) -> Vec<Triangle> {
    let [a, b, c, d] = corners;
    vec![[a, b, c], [a, c, d]]
}

/// A plate at x = 0 below z = 0, for y within a range.
fn plate(low: f64, high: f64) -> Vec<Triangle> {
    quad([
        v(0., low, 0.),
        v(0., high, 0.),
        v(0., high, -4.),
        v(0., low, -4.),
    ])
}

fn manifolds(body: &Body, triangles: &[Triangle]) -> Found {
    let wall = Wall::new(SurfaceMesh::from_triangles(triangles).unwrap());
    let mut found = Vec::new();
    let mut state = Default::default();
    ConvexWall::new().for_each_manifold(body, &wall, &mut state, |c, m| found.push((c, m)));
    found
}

fn one(body: &Body, triangles: &[Triangle]) -> ContactManifold {
    let found = manifolds(body, triangles);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].1
}

/// Divides the sides of triangles at random points, and shuffles the triangles.
fn rewritten(random: &mut SplitMix64, triangles: &[Triangle]) -> Vec<Triangle> {
    let mut rewritten = triangles.to_vec();
    for _ in 0..3 {
        let divided = rewritten.iter().flat_map(|triangle| {
            let k = random.below(3);
            let [a, b, c] = [0, 1, 2].map(|i| triangle[(k + i) % 3]);
            let m = a.lerp(b, random.range(0.2, 0.8));
            [[a, m, c], [m, b, c]]
        });
        rewritten = divided.collect();
    }
    random.shuffle(&mut rewritten);
    rewritten
}

/// Points by feature: overlap, length, and position.
fn has(manifold: &ContactManifold, is: fn(PointFeature) -> bool, expected: &[(f64, f64, DVec3)]) {
    let found: Vec<_> = manifold.points().iter().filter(|p| is(p.feature)).collect();
    assert_eq!(found.len(), expected.len(), "{manifold:#?}");
    for &(overlap, length, point) in expected {
        let is_same = |p: &&ManifoldPoint| {
            (p.overlap - overlap).abs() < 1e-12
                && (p.length - length).abs() < 1e-12
                && p.point.distance(point) < 1e-12
                && p.area == 0.0
                && p.volume == 0.0
        };
        assert!(found.iter().any(is_same), "{expected:?} {manifold:#?}");
    }
}

/// A standing plate under a cube: the ends, an end inside, a crossed edge, a corner, and a table's rim in a side.
#[test]
fn rims_by_hand() {
    let cube = cube_times(DVec3::ONE);
    let at = |turn: DQuat, z: f64| Placed::new(&cube, Pose3::new(turn, v(0.1, 0., z)).unwrap());
    let is_face = |f| matches!(f, PointFeature::RimAtFace(_));
    let is_edge = |f| matches!(f, PointFeature::RimAtEdge(_));
    let is_vertex = |f| matches!(f, PointFeature::SecondVertex(_));
    let (flat, sixth) = (DQuat::IDENTITY, 1.0 / 6.0);
    let mut random = random(41);
    let mut on = |body: &Body, triangles: &[Triangle]| {
        let (plain, other) = (
            one(body, triangles),
            one(body, &rewritten(&mut random, triangles)),
        );
        for p in plain.points() {
            let is_same = |q: &&ManifoldPoint| {
                p.point.distance(q.point) < 1e-12 && (p.length - q.length).abs() < 1e-12
            };
            assert!(
                other.points().iter().any(|q| is_same(&q)),
                "{plain:#?} {other:#?}"
            );
        }
        assert_eq!(plain.points().len(), other.points().len());
        assert!((plain.length - other.length).abs() < 1e-12);
        plain
    };

    let through = on(&at(flat, 0.49), &plate(-4., 4.));
    assert_eq!(
        (through.normal, through.area, through.volume),
        (-DVec3::Z, 0., 0.)
    );
    assert!((through.length - 1.0).abs() < 1e-12);
    assert!(through.point.distance(v(0., 0., -0.005)) < 1e-12);
    has(
        &through,
        is_face,
        &[
            (0.01, 0.5, v(0., sixth, -0.005)),
            (0.01, 0.5, v(0., -sixth, -0.005)),
        ],
    );

    let from = on(&at(flat, 0.49), &plate(-0.1, 4.));
    has(&from, is_face, &[(0.01, 0.3, v(0., 0.3, -0.005))]);
    has(&from, is_vertex, &[(0.01, 0.3, v(0., 0.1, -0.005))]);

    // The depth falls from 0.01 at the crossing to 0 at a distance of 0.01.
    let rotated = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let crossed = on(&at(rotated, 0.5_f64.sqrt() - 0.01), &plate(-4., 4.));
    assert!((crossed.length - 0.02).abs() < 1e-12);
    has(&crossed, is_edge, &[(0.01, 0.01, v(0., 0., -0.01 / 3.0))]);
    assert_eq!(crossed.points().len(), 1);

    let up = [
        v(0., 0., 0.),
        v(0., 1., -1.),
        v(0., 0., -2.),
        v(0., -1., -1.),
    ];
    let corner = on(&at(flat, 0.49), &quad(up));
    assert!((corner.length - 0.02).abs() < 1e-12);
    has(&corner, is_vertex, &[(0.01, 0.01, v(0., 0., -0.02 / 3.0))]);
    assert_eq!(corner.points().len(), 1);

    let table = quad([v(0., -4., 0.), v(4., -4., 0.), v(4., 4., 0.), v(0., 4., 0.)]);
    let body = Placed::new(&cube, Pose3::from_translation(v(-0.49, 0., -0.1)).unwrap());
    let side = on(&body, &table);
    assert_eq!(side.normal, DVec3::X);
    has(
        &side,
        is_face,
        &[
            (0.01, 0.5, v(0.005, sixth, 0.)),
            (0.01, 0.5, v(0.005, -sixth, 0.)),
        ],
    );
    // Half over the rim: a bed on the table.
    let body = Placed::new(&cube, Pose3::from_translation(v(-0.2, 0., 0.49)).unwrap());
    let half = on(&body, &table);
    assert!((half.volume - 0.003).abs() < 1e-12 && half.length == 0.0);
}

/// Plates that a file has twice, or that overlap, have one rim.
#[test]
fn overlapping_plates_have_one_rim() {
    let cube = cube_times(DVec3::ONE);
    let body = Placed::new(&cube, Pose3::from_translation(v(0.1, 0., 0.48)).unwrap());
    let single = plate(-4., 4.);
    let lower: Vec<_> = single
        .iter()
        .map(|t| t.map(|x| x - DVec3::Z * 0.01))
        .collect();
    let reversed: Vec<_> = single.iter().map(|&[a, b, c]| [b, a, c]).collect();
    let expected = one(&body, &single);
    assert!((expected.length - 1.0).abs() < 1e-12);
    for other in [single.clone(), reversed, lower] {
        for walls in [[&single, &other], [&other, &single]] {
            let both = one(&body, &walls.map(Vec::as_slice).concat());
            assert!((both.length - expected.length).abs() < 1e-12, "{both:#?}");
            assert_eq!(both.points().len(), 2);
            assert!(both.point.distance(expected.point) < 1e-12);
        }
    }
}

/// The loads at a rim add up to the integral of the depth along it.
#[test]
fn loads_of_rims_add_up() {
    let mut random = random(42);
    let (mut worst, mut count) = (0.0_f64, 0);
    for case in 0..cases(200) {
        let shape = polyhedron(&mut random, 1.0);
        let turn = random.rotation();
        let corners = shape.vertices().iter().map(|&x| (turn * x).z);
        let low = corners.fold(f64::INFINITY, f64::min);
        let depth = 0.1 * 1e-3_f64.powf(random.unit());
        let at = v(
            random.range(-0.1, 0.1),
            random.range(-0.1, 0.1),
            -low - depth,
        );
        let body = Placed::new(&shape, Pose3::new(turn, at).unwrap());
        let rim = plate(if case % 2 == 0 { -4.0 } else { -0.05 }, 4.0);
        let found = manifolds(&body, &rewritten(&mut random, &rim));
        let [(contact, manifold)] = found[..] else {
            assert!(found.is_empty());
            continue;
        };
        if manifold.length == 0.0 {
            continue;
        }
        let normal = contact.normal;
        let faces: Vec<_> = shape
            .surface()
            .facets()
            .map(|f| {
                let normal = body.pose.transform_vector(f.normal());
                let corner = f.corners().next().unwrap();
                (normal, normal.dot(body.pose.transform_point(corner)))
            })
            .collect();
        // The integral by the midpoint rule, along the upper side and the one at the start.
        let start = if case % 2 == 0 { -4.0 } else { -0.05 };
        let (steps, width) = (20_000, 4.0 / 10_000.0);
        let (mut load, mut length) = (0.0, 0.0);
        for (along, inward) in [(DVec3::Y, -DVec3::Z), (-DVec3::Z, DVec3::Y)] {
            let across = (along - normal * normal.dot(along)).length();
            for i in 0..steps {
                let x = v(0.0, start, 0.0) + along * (width * (f64::from(i) + 0.5));
                let is_inside = faces.iter().all(|(n, h)| n.dot(x) < *h);
                if is_inside && inward.dot(normal) > 1e-9 {
                    let front = faces.iter().filter(|(n, _)| n.dot(normal) > 1e-9);
                    let depths = front.map(|(n, h)| (h - n.dot(x)) / n.dot(normal));
                    load += depths.fold(f64::INFINITY, f64::min) * width * across;
                    length += width * across;
                }
            }
        }
        let sum: f64 = manifold.points().iter().map(|p| p.length * p.overlap).sum();
        count += 1;
        let error = (sum - load).abs() / (contact.overlap * width);
        worst = worst.max(error);
        assert!(error < 4.0, "{case}: {sum} {load} {manifold:#?}");
        assert!(
            (manifold.length - length).abs() < 4.0 * width,
            "{case} {length} {manifold:#?}"
        );
    }
    println!("{count} rims, largest error {worst:.2} steps of the integration");
    assert!(count > cases(200) / 20);
}

/// A plank on two steps has a bed on each, with its own volume.
#[test]
fn each_sheet_has_its_own_bed() {
    let plank = cube_times(v(4., 1., 1.));
    let tilt = 0.1_f64.atan();
    let turn = DQuat::from_rotation_y(tilt);
    let step = |from: f64, to: f64, z: f64| {
        quad([v(from, -2., z), v(to, -2., z), v(to, 2., z), v(from, 2., z)])
    };
    // The lower side of the plank passes through (-1, 0, 0) and (1, 0, -0.2).
    let at = v(0.0, 0.0, -0.1) + turn * v(0.0, 0.0, 0.5);
    let body = Placed::new(&plank, Pose3::new(turn, at).unwrap());
    let steps = [step(-1.5, -0.5, 0.01), step(0.5, 1.5, -0.185)];
    let apart: Vec<_> = steps.iter().flat_map(|t| manifolds(&body, t)).collect();
    let both = manifolds(&body, &steps.concat());
    assert_eq!((apart.len(), both.len()), (2, 2), "{both:#?}");
    for (_, m) in &apart {
        assert!(m.volume > 0.0);
        let is_same = |(_, other): &(ConvexWallContact, ContactManifold)| {
            (m.volume - other.volume).abs() < 1e-12 && m.point.distance(other.point) < 1e-9
        };
        assert!(both.iter().any(is_same), "{apart:#?} {both:#?}");
    }
}

/// Forces of a rock that slides and rolls over a ridge change in proportion to the step, while it has one contact.
#[test]
fn forces_over_a_ridge_are_lipschitz() {
    let mut random = random(43);
    let slope = |sign: f64| {
        let [a, b] = [v(0., -3., 0.), v(0., 3., 0.)];
        let [c, d] = [v(3. * sign, 3., -0.9), v(3. * sign, -3., -0.9)];
        quad(if sign > 0.0 {
            [b, a, d, c]
        } else {
            [a, b, c, d]
        })
    };
    let ridge = [slope(1.0), slope(-1.0)].concat();
    let wall = Wall::new(SurfaceMesh::from_triangles(&ridge).unwrap());
    let (mut kernel, mut worst, mut worst_jump) = (ConvexWall::new(), [0.0_f64; 2], 0.0_f64);
    for _ in 0..cases(20) {
        let points: Vec<_> = (0..14)
            .map(|_| random.in_ball().normalize() * random.range(0.85, 1.0))
            .collect();
        let shape = osculate::ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let turn = random.rotation();
        // 2 % deep at the ridge.
        let (mut low, mut high) = (0.0, 1.5);
        let aside = v(random.range(-0.1, 0.1), random.range(-0.5, 0.5), 0.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let body = Placed::new(&shape, Pose3::new(turn, aside + DVec3::Z * middle).unwrap());
            let deepest = NarrowPhase::contact(&mut kernel, &body, &wall);
            let is_deep = deepest.is_some_and(|c| c.overlap > 0.02);
            *(if is_deep { &mut low } else { &mut high }) = middle;
        }
        let [way, axis] = [0; 2].map(|_| random.in_ball().normalize());
        let way = way * v(1.0, 1.0, 0.0);
        for (i, step) in [1e-4, 1e-5].into_iter().enumerate() {
            let (mut last, mut most) = (None, 0.0_f64);
            let (mut largest, mut jump) = (0.0_f64, 0.0_f64);
            for k in 0..300 {
                let s = step * f64::from(k);
                let turn = (DQuat::from_axis_angle(axis, 0.2 * s) * turn).normalize();
                let at = aside + DVec3::Z * low + way * (0.5 * s) - DVec3::Z * (0.1 * s);
                let body = Placed::new(&shape, Pose3::new(turn, at).unwrap());
                let mut force = DVec3::ZERO;
                let mut contacts = 0;
                kernel.for_each_manifold(&body, &wall, &mut Default::default(), |_, m| {
                    assert_eq!(m.length, 0.0);
                    force += m.normal * m.volume;
                    contacts += 1;
                });
                if let Some((before, last)) = last {
                    let change = force.distance(last);
                    if (contacts, before) == (1, 1) {
                        largest = largest.max(change);
                    } else {
                        jump = jump.max(change);
                    }
                }
                (most, last) = (most.max(force.length()), Some((contacts, force)));
            }
            worst[i] = worst[i].max(largest / most);
            worst_jump = worst_jump.max(jump / most);
        }
    }
    println!("largest change at steps of 1e-4 and 1e-5, by the largest force: {worst:?}");
    println!("with several contacts: {worst_jump}");
    assert!(worst[0] < 0.05 && worst[1] < 0.005);
}
