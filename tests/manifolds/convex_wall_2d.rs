//! Convex polygons and walls of segments: cases known by hand, flat floors, a search by definition, rewritten
//! polylines, and prisms. OSCULATE_CASES sets the number of random cases.

use std::f64::consts::{FRAC_PI_4, PI};

use crate::support::cases;
use crate::support::convex::{Flat, random};
use osculate::glam::DVec2;
use osculate::narrow::{
    ConvexWall, ConvexWallContact, ConvexWallState, ManifoldPoint, PointFeature,
};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactManifold, ConvexPolygon, ConvexPolyhedron, NarrowPhase, PeriodicBox, Placed, Pose2,
    Pose3, SurfaceMesh, Wall,
};

type Segment = [DVec2; 2];
type Contact = ConvexWallContact<DVec2>;
type Manifold = ContactManifold<DVec2>;

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

/// A wall whose front is on the left of the segments.
fn wall(segments: &[Segment]) -> Wall<SegmentMesh> {
    let ids = (0..segments.len() as u32).map(|i| [2 * i + 1, 2 * i]);
    Wall::new(SegmentMesh::new(segments.concat(), ids.collect()).unwrap())
}

fn found(kernel: &mut ConvexWall, body: &Flat, wall: &Wall<SegmentMesh>) -> Vec<Contact> {
    let (mut found, mut state) = (Vec::new(), ConvexWallState::default());
    kernel.for_each_contact(body, wall, &mut state, |c| found.push(c));
    found
}

fn contacts(body: &Flat, segments: &[Segment]) -> Vec<Contact> {
    found(&mut ConvexWall::new(), body, &wall(segments))
}

fn manifolds(body: &Flat, segments: &[Segment]) -> Vec<(Contact, Manifold)> {
    let (mut found, mut state) = (Vec::new(), ConvexWallState::default());
    let wall = wall(segments);
    ConvexWall::new().for_each_manifold(body, &wall, &mut state, |c, m| found.push((c, m)));
    found
}

/// The segments of a polyline.
fn line(points: &[(f64, f64)]) -> Vec<Segment> {
    let points = points.iter().map(|&p| DVec2::from(p));
    let points: Vec<DVec2> = points.collect();
    points.windows(2).map(|p| [p[0], p[1]]).collect()
}

fn square(side: f64) -> ConvexPolygon {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    ConvexPolygon::new(corners.map(|c| DVec2::from(c) * side).to_vec()).unwrap()
}

fn pose(angle: f64, x: f64, y: f64) -> Pose2 {
    Pose2::from_angle(angle, v(x, y)).unwrap()
}

/// Returns whether the contacts have these normals and overlaps.
fn agree(found: &[Contact], expected: &[((f64, f64), f64)]) -> bool {
    let is_found = |&((x, y), overlap): &((f64, f64), f64)| {
        let is_same =
            |c: &Contact| c.normal.distance(v(x, y)) < 1e-12 && (c.overlap - overlap).abs() < 1e-12;
        found.iter().any(is_same)
    };
    found.len() == expected.len() && expected.iter().all(is_found)
}

/// Normals and overlaps, by hand, for a square of side 1.
#[test]
fn named_cases() {
    let shape = square(1.0);
    let root = 0.5_f64.sqrt();
    let floor = line(&[(-4., 0.), (4., 0.)]);
    let slopes = |rise: f64| line(&[(-4., 4. * rise), (0., 0.), (4., 4. * rise)]);
    let corner = line(&[(0., 4.), (0., 0.), (4., 0.)]);
    let divider = [line(&[(-4., 0.), (4., 0.)]), line(&[(0., 4.), (0., 0.)])].concat();
    let split = [
        line(&[(-4., 0.), (0., 0.), (4., 0.)]),
        line(&[(0., 4.), (0., 0.)]),
    ]
    .concat();
    let plate = line(&[(0., 0.), (0., -4.)]);
    let table = line(&[(0., 0.), (4., 0.)]);
    let block = line(&[(0., -4.), (0., 0.), (4., 0.)]);
    let spike = line(&[(-1., -4.), (0., 0.), (1., -4.)]);
    let down = (0., -1.);
    type Named<'a> = (
        &'a str,
        (f64, f64, f64),
        &'a [Segment],
        &'a [((f64, f64), f64)],
    );
    let pieces: Vec<_> = (0..=40).map(|i| (0.1 * f64::from(i) - 4.0, 0.0)).collect();
    let ramp: Vec<_> = (0..=2000).map(|i| f64::from(i) * 0.002).collect();
    let ramp: Vec<_> = ramp.iter().map(|&x| (0.3 + x, 0.05 * x)).collect();
    let floor_and_ramp = [line(&pieces), line(&[(0., 0.), (0.3, 0.)]), line(&ramp)].concat();
    let long_floor_and_ramp = [line(&[(-4., 0.), (0.3, 0.)]), line(&ramp)].concat();
    let root_of_ramp = 1.0025_f64.sqrt();
    let on_ramp = [(
        (0.05 / root_of_ramp, -1.0 / root_of_ramp),
        0.02 / root_of_ramp,
    )];
    let wedge = [((root, -root), 0.01), ((-root, -root), 0.01)];
    let corners = [((root, -root), 0.01 * root), ((-root, -root), 0.01 * root)];
    let named: [Named; 23] = [
        (
            "floor in pieces and ramp",
            (0., 0., 0.49),
            &floor_and_ramp,
            &on_ramp,
        ),
        (
            "floor and ramp in pieces",
            (0., 0., 0.49),
            &long_floor_and_ramp,
            &on_ramp,
        ),
        (
            "corner over an edge",
            (0., 0.49, 0.49),
            &block,
            &[(down, 0.01)],
        ),
        (
            "spike under a corner",
            (FRAC_PI_4, 0., root - 0.01),
            &spike,
            &[(down, 0.01)],
        ),
        ("flat", (0., 0., 0.49), &floor, &[(down, 0.01)]),
        ("deep", (0., 0.3, 0.1), &floor, &[(down, 0.4)]),
        ("above", (0., 0.3, 0.5), &floor, &[]),
        (
            "vertex",
            (FRAC_PI_4, 0., root - 0.05),
            &floor,
            &[(down, 0.05)],
        ),
        (
            "flush in a wedge",
            (FRAC_PI_4, 0., root - 0.01 / root),
            &slopes(1.),
            &wedge,
        ),
        (
            "two corners in a wedge",
            (0., 0., 0.99),
            &slopes(1.),
            &corners,
        ),
        (
            "corner in a wedge",
            (FRAC_PI_4, 0., root - 0.01),
            &slopes(0.6),
            &[
                (
                    (0.6 / 1.36_f64.sqrt(), -1.0 / 1.36_f64.sqrt()),
                    0.01 / 1.36_f64.sqrt(),
                ),
                (
                    (-0.6 / 1.36_f64.sqrt(), -1.0 / 1.36_f64.sqrt()),
                    0.01 / 1.36_f64.sqrt(),
                ),
            ],
        ),
        (
            "corner",
            (0., 0.48, 0.47),
            &corner,
            &[(down, 0.03), ((-1., 0.), 0.02)],
        ),
        (
            "deep side of a corner",
            (0., 0.46, 0.47),
            &corner,
            &[(down, 0.03), ((-1., 0.), 0.04)],
        ),
        (
            "divider",
            (0., 0.46, 0.47),
            &divider,
            &[(down, 0.03), ((-1., 0.), 0.04)],
        ),
        (
            "divider at a vertex",
            (0., 0.46, 0.47),
            &split,
            &[(down, 0.03), ((-1., 0.), 0.04)],
        ),
        (
            "ridge under a side",
            (0., 0.2, 0.49),
            &slopes(-1.),
            &[(down, 0.01)],
        ),
        (
            "ridge under a corner",
            (FRAC_PI_4, 0., root - 0.01),
            &slopes(-1.),
            &[(down, 0.01)],
        ),
        (
            "flat ridge under a corner",
            (FRAC_PI_4, 0., root - 0.01),
            &slopes(-0.3),
            &[(down, 0.01)],
        ),
        ("spike", (0., 0.2, 0.48), &spike, &[(down, 0.02)]),
        ("standing plate", (0., 0.1, 0.49), &plate, &[(down, 0.01)]),
        ("half over a rim", (0., -0.2, 0.49), &table, &[(down, 0.01)]),
        (
            "half over an edge",
            (0., -0.2, 0.49),
            &block,
            &[(down, 0.01)],
        ),
        (
            "rim in a side",
            (0., -0.49, -0.1),
            &table,
            &[((1., 0.), 0.01)],
        ),
    ];
    for (name, (angle, x, y), segments, expected) in named {
        let body = Placed::new(&shape, pose(angle, x, y));
        let found = contacts(&body, segments);
        assert!(agree(&found, expected), "{name}: {found:#?}");
    }
}

/// Normal and area of a manifold, and for each point the feature, position, overlap and volume.
type Expected<'a> = ((f64, f64), f64, &'a [(PointFeature, (f64, f64), f64, f64)]);

/// Manifolds by hand, for a square of side 1.
#[test]
fn named_manifolds() {
    use PointFeature::FirstVertex;
    let shape = square(1.0);
    let root = 0.5_f64.sqrt();
    let floor = line(&[(-4., 0.), (4., 0.)]);
    let roof = line(&[(-4., -4.), (0., 0.), (4., -4.)]);
    let needle = line(&[(-0.1, -4.), (0., 0.), (0.1, -4.)]);
    let table = line(&[(0., 0.), (4., 0.)]);
    let corner = line(&[(0., 4.), (0., 0.), (4., 0.)]);
    let down = (0., -1.);
    let sixth = 1.0 / 6.0;
    let on_floor = [
        (FirstVertex(0), (-sixth, -0.005), 0.01, 0.005),
        (FirstVertex(1), (sixth, -0.005), 0.01, 0.005),
    ];
    let over_rim = [
        (FirstVertex(0), (0.1, -0.005), 0.01, 0.00045),
        (FirstVertex(1), (2.7 / 17.0, -0.005), 0.01, 0.00255),
    ];
    // The lines of the roof pass through the body above the other corner.
    let on_roof = [
        (FirstVertex(1), (-0.01 / 3.0, -0.02 / 3.0), 0.71, 5e-5),
        (FirstVertex(0), (0.01 / 3.0, -0.02 / 3.0), 0.31, 5e-5),
    ];
    // The space between both sides is 2.5e-4 wide on either side of the tip where that is 0.01 deep.
    let third = 2.5e-4 / 3.0;
    let on_needle = [
        (FirstVertex(0), (third, -0.02 / 3.0), 16.01, 1.25e-6),
        (FirstVertex(1), (-third, -0.02 / 3.0), 24.01, 1.25e-6),
    ];
    // A corner 0.02 below the floor: a triangle of half width 0.02.
    let tip = [(FirstVertex(0), (0., -0.02 / 3.0), 0.02, 4e-4)];
    type Named<'a> = (&'a str, (f64, f64, f64), &'a [Segment], &'a [Expected<'a>]);
    let named: [Named; 5] = [
        ("flat", (0., 0., 0.49), &floor, &[(down, 1., &on_floor)]),
        (
            "corner",
            (FRAC_PI_4, 0., root - 0.02),
            &floor,
            &[(down, 0.04, &tip)],
        ),
        (
            "half over a rim",
            (0., -0.2, 0.49),
            &table,
            &[(down, 0.3, &over_rim)],
        ),
        ("roof", (0., 0.2, 0.49), &roof, &[(down, 0.02, &on_roof)]),
        (
            "needle",
            (0., 0.1, 0.49),
            &needle,
            &[(down, 5e-4, &on_needle)],
        ),
    ];
    for (name, (angle, x, y), segments, expected) in named {
        let found = manifolds(&Placed::new(&shape, pose(angle, x, y)), segments);
        assert_eq!(found.len(), expected.len(), "{name}: {found:#?}");
        for ((_, m), &(normal, area, points)) in found.iter().zip(expected) {
            assert!(m.normal.distance(normal.into()) < 1e-12, "{name}: {m:#?}");
            assert!((m.area - area).abs() < 1e-12, "{name}: {m:#?}");
            assert_eq!(m.points().len(), points.len(), "{name}: {m:#?}");
            for &(feature, point, overlap, volume) in points {
                let p = m.points().iter().find(|p| p.feature == feature);
                let p = p.unwrap_or_else(|| panic!("{name}: {m:#?}"));
                assert!(p.point.distance(point.into()) < 1e-12, "{name}: {p:?}");
                assert!((p.overlap - overlap).abs() < 1e-12, "{name}: {p:?}");
                assert!((p.volume - volume).abs() < 1e-14, "{name}: {p:?}");
            }
        }
    }
    // Floor and wall of a corner have the segments of their own sheet.
    let found = manifolds(&Placed::new(&shape, pose(0.0, 0.48, 0.47)), &corner);
    let [(_, of_floor), (_, of_wall)] = &found[..] else {
        panic!("{found:#?}");
    };
    assert!(
        (of_floor.volume - 0.03 * 0.98).abs() < 1e-14,
        "{of_floor:?}"
    );
    assert!((of_wall.volume - 0.02 * 0.97).abs() < 1e-14, "{of_wall:?}");
}

/// One-sided walls, closed walls, and the bend.
#[test]
fn options() {
    let shape = square(1.0);
    // The front is outside.
    let block = line(&[(-4., -4.), (-4., 0.), (4., 0.), (4., -4.), (-4., -4.)]);
    let wall = wall(&block);
    let mut kernel = ConvexWall::new();
    for depth in [0.01, 0.45, 0.6, 0.9] {
        let body = Placed::new(&shape, pose(0.0, 0.5, 0.5 - depth));
        let found = found(&mut kernel, &body, &wall);
        assert!(
            agree(&found, &[((0.0, -1.0), depth)]),
            "{depth}: {found:#?}"
        );
    }
    let few = ConvexWall::new().with_max_points(1).unwrap();
    for (mut kernel, count) in [(ConvexWall::new(), 2), (few, 1)] {
        let body = Placed::new(&shape, pose(0.0, 0.5, 0.49));
        kernel.for_each_manifold(&body, &wall, &mut ConvexWallState::default(), |_, m| {
            assert_eq!(m.points().len(), count);
            let sum: f64 = m.points().iter().map(|p| p.volume).sum();
            assert!((sum - 0.01).abs() < 1e-15);
        });
    }

    let corner = self::wall(&line(&[(0., 4.), (0., 0.), (4., 0.)]));
    let body = Placed::new(&shape, pose(0.0, 0.46, 0.47));
    let mut kernel = ConvexWall::new().with_bend(PI).unwrap();
    let found = found(&mut kernel, &body, &corner);
    assert!(agree(&found, &[((-1.0, 0.0), 0.04)]), "{found:#?}");
}

/// The contact point of an end under an almost parallel side is the end.
#[test]
fn points_are_exact() {
    let shape = square(1.0);
    let plates = [(-0.05, 1e-3), (0.02, 1e-5), (0.03, 1e-7)];
    for (x, slope) in plates {
        let plate = [v(x, 0.0), v(x + 4.0, -4.0 * slope)];
        let found = contacts(&Placed::new(&shape, pose(0.0, -0.3, 0.49)), &[plate]);
        let [only] = found[..] else {
            panic!("{found:#?}");
        };
        assert!(only.point.distance(plate[0]) < 1e-12, "{slope}: {only:?}");
        assert!(only.normal.distance(-DVec2::Y) < 1e-12, "{slope}: {only:?}");
    }
}

/// A floor of one period, its images, and the same floor at a pose.
#[test]
fn periodic_and_moved_walls() {
    let shape = square(1.0);
    let bumps = [(0., 0.), (1., 0.1), (2., -0.1), (3., 0.2), (4., 0.)];
    let mut period = wall(&line(&bumps));
    let bounds = PeriodicBox::orthogonal(DVec2::ZERO, v(4.0, 9.0), [true, false, false]);
    period.set_period(Some(bounds.unwrap()));
    let images = (-3..4).flat_map(|k| bumps.map(|(x, y)| (x + 4.0 * f64::from(k), y)));
    let long = line(&images.collect::<Vec<_>>());
    let long: Vec<_> = long.into_iter().filter(|[a, b]| a != b).collect();
    let mut several = 0;
    for i in 0..200 {
        let at = pose(0.1 * f64::from(i), 0.04 * f64::from(i) - 4.0, 0.4);
        let body = Placed::new(&shape, at);
        let expected = contacts(&body, &long);
        let pairs: Vec<_> = expected
            .iter()
            .map(|c| (c.normal.into(), c.overlap))
            .collect();
        let kernel = &mut ConvexWall::new();
        assert!(agree(&found(kernel, &body, &period), &pairs), "{i}");
        several += usize::from(expected.len() > 1);

        let moved = pose(0.7, 3.0, -2.0);
        let mut wall = wall(&long);
        wall.set_pose(moved);
        let body = Placed::new(&shape, moved * at);
        let turned: Vec<_> = pairs
            .iter()
            .map(|&((x, y), overlap)| (moved.transform_vector(v(x, y)).into(), overlap))
            .collect();
        assert!(agree(&found(kernel, &body, &wall), &turned), "{i}");
    }
    assert!(several > 10, "{several}");
}

/// A polyline in pieces, in any order; with `overlaps`, some pieces come twice.
fn rewritten(random: &mut SplitMix64, segments: &[Segment], overlaps: bool) -> Vec<Segment> {
    let mut pieces = Vec::new();
    for &[from, to] in segments {
        let mut cuts = vec![0.0, 1.0];
        cuts.extend((0..random.below(4)).map(|_| random.unit()));
        cuts.sort_by(f64::total_cmp);
        // Far away, rounding turns shorter pieces.
        cuts.dedup_by(|a, b| (*a - *b) * from.distance(to) < 1e-4);
        cuts.truncate((cuts.len() - 1).max(1));
        cuts.push(1.0);
        let at = |s: f64| if s == 1.0 { to } else { from.lerp(to, s) };
        for pair in cuts.windows(2) {
            pieces.push([at(pair[0]), at(pair[1])]);
        }
        if overlaps && random.below(2) == 0 {
            pieces.push([at(cuts[0]), at(cuts[1 + random.below(cuts.len() - 1)])]);
        }
    }
    random.shuffle(&mut pieces);
    pieces
}

fn shapes(random: &mut SplitMix64) -> Vec<ConvexPolygon> {
    let plank = [(-1.0, -0.2), (1.0, -0.2), (1.0, 0.2), (-1.0, 0.2)].map(DVec2::from);
    let mut shapes = vec![square(1.0), ConvexPolygon::new(plank.to_vec()).unwrap()];
    for count in [3, 5, 8, 30] {
        for _ in 0..6 {
            let points: Vec<_> = (0..count)
                .map(|_| DVec2::from_angle(random.range(0.0, 6.3)) * random.range(0.85, 1.0))
                .collect();
            shapes.extend(ConvexPolygon::from_convex_hull(&points));
        }
    }
    shapes
}

fn support(shape: &ConvexPolygon, turn: DVec2, normal: DVec2) -> f64 {
    let heights = shape.vertices().iter().map(|&x| turn.rotate(x).dot(normal));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

fn turn(random: &mut SplitMix64) -> DVec2 {
    DVec2::from_angle(random.range(-PI, PI))
}

/// Area and centroid of a polygon.
fn area(corners: &[DVec2]) -> (f64, DVec2) {
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    for i in 2..corners.len() {
        let [a, b] = [i - 1, i].map(|i| corners[i] - corners[0]);
        area += 0.5 * a.perp_dot(b);
        moment += (a + b) * (a.perp_dot(b) / 6.0);
    }
    (area, corners[0] + moment / area)
}

/// The part of a convex polygon where `height` is positive.
fn cut(corners: &[DVec2], height: impl Fn(DVec2) -> f64) -> Vec<DVec2> {
    let mut cut = Vec::new();
    for (i, &from) in corners.iter().enumerate() {
        let to = corners[(i + 1) % corners.len()];
        let (here, there) = (height(from), height(to));
        if here >= 0.0 {
            cut.push(from);
        }
        if here * there < 0.0 {
            cut.push(from.lerp(to, here / (here - there)));
        }
    }
    cut
}

/// On a flat floor in any pieces, rotated and far away, there is one contact, with the depth in the half plane.
/// Its bed is the part of the body behind the floor, where that is inside the body.
#[test]
fn flat_floors() {
    let mut random = random(31);
    let shapes = shapes(&mut random);
    let (mut wrong, mut worst, mut worst_bed) = (0, 0.0_f64, 0.0_f64);
    for case in 0..cases(3000) {
        let shape = &shapes[case % shapes.len()];
        let frame = turn(&mut random);
        let far = if case % 2 == 0 { 0.0 } else { 1000.0 };
        let far = turn(&mut random) * far;
        let plain = line(&[(-4.0, 0.0), (4.0, 0.0)]);
        let plain = match case % 3 {
            // One end far away.
            0 if case % 2 == 0 => line(&[(-1e7, 0.0), (4.0, 0.0)]),
            0 => plain,
            k => {
                let once = rewritten(&mut random, &plain, false);
                rewritten(&mut random, &once, k == 2)
            }
        };
        let segments: Vec<_> = plain
            .iter()
            .map(|s| s.map(|x| frame.rotate(x) + far))
            .collect();
        let turn = if case % 5 == 0 {
            frame
        } else {
            turn(&mut random)
        };
        let normal = -frame.perp();
        // The centroid stays in front.
        let low = support(shape, turn, normal);
        let most = low - normal.dot(turn.rotate(shape.centroid()));
        let depth = 0.9 * most * 1e-3_f64.powf(random.unit());
        let aside = frame * random.range(-1.0, 1.0);
        let at = far + aside + normal * (depth - low);
        let body = Placed::new(shape, Pose2::new(turn, at).unwrap());
        let found = contacts(&body, &segments);
        let [only] = found[..] else {
            wrong += 1;
            println!("{case}: {found:?}, expected {normal} {depth}");
            continue;
        };
        worst = worst.max((only.overlap - depth).abs());
        worst = worst.max(only.normal.distance(normal));
        if case % 3 == 2 {
            continue;
        }
        let beds = manifolds(&body, &segments);
        let [(_, bed)] = &beds[..] else {
            panic!("{case}: {} manifolds", beds.len());
        };
        let corners: Vec<_> = shape
            .vertices()
            .iter()
            .map(|&x| body.pose.transform_point(x))
            .collect();
        let height = |x: DVec2| normal.dot(x - far);
        let behind = cut(&corners, height);
        let on_floor = behind.iter().filter(|x| height(**x).abs() < 1e-9);
        let run = on_floor.map(|x| frame.dot(*x - far));
        let run = run.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], u| {
            [a.min(u), b.max(u)]
        });
        let behind = cut(&behind, |x| frame.dot(x - far) - run[0]);
        let behind = cut(&behind, |x| run[1] - frame.dot(x - far));
        let (volume, center) = area(&behind);
        let sum: f64 = bed.points().iter().map(|p| p.volume).sum();
        let moment: DVec2 = bed
            .points()
            .iter()
            .map(|p| (p.point - far) * p.volume)
            .sum();
        worst_bed = worst_bed
            .max((bed.volume - volume).abs() / depth)
            .max((sum - volume).abs() / depth)
            .max(bed.normal.distance(normal))
            .max((bed.area - (run[1] - run[0])).abs())
            .max((bed.point - center).length())
            .max((moment / sum + far - center).length());
    }
    println!("wrong {wrong}, largest errors {worst:.1e}, of the bed {worst_bed:.1e}");
    assert!(wrong == 0 && worst < 1e-11 && worst_bed < 1e-8);
}

/// A bumpy polyline with steps.
fn bumps(random: &mut SplitMix64, height: f64) -> Vec<Segment> {
    let mut points = vec![(-3.0, 0.0)];
    while points[points.len() - 1].0 < 3.0 {
        let (x, y) = points[points.len() - 1];
        points.push(if random.below(6) == 0 {
            (x, y + height * random.range(0.5, 1.0))
        } else {
            (x + random.range(0.1, 0.8), height * random.range(-1.0, 1.0))
        });
    }
    line(&points)
}

/// A random body over a bumpy wall.
fn placed<'a>(random: &mut SplitMix64, shape: &'a ConvexPolygon, height: f64) -> Flat<'a> {
    let turn = turn(random);
    let low = support(shape, turn, -DVec2::Y);
    let at = v(random.range(-1.0, 1.0), low - 0.03 + 0.5 * height);
    Placed::new(shape, Pose2::new(turn, at).unwrap())
}

/// The same contacts and points whatever the pieces of a bumpy wall, and their order.
#[test]
fn rewritten_polylines_have_the_same_contacts() {
    let mut random = random(32);
    let shapes = shapes(&mut random);
    let (mut differ, mut total, mut points) = (0, 0, 0);
    let count = cases(3000);
    for case in 0..count {
        let height = [0.3, 0.05, 1e-3, 1e-6][case % 4];
        let body = placed(&mut random, &shapes[case % shapes.len()], height);
        let plain = bumps(&mut random, height);
        let has_overlaps = case % 3 == 0;
        let written = rewritten(&mut random, &plain, has_overlaps);
        let [a, b] = [&plain, &written].map(|segments| contacts(&body, segments));
        total += a.len();
        let is_in = |c: &Contact| {
            b.iter().any(|d| {
                c.normal.distance(d.normal) < 1e-8
                    && (c.overlap - d.overlap).abs() < 1e-9
                    && (c.depth - d.depth).abs() < 1e-9
            })
        };
        if a.len() != b.len() || !a.iter().all(is_in) {
            differ += 1;
            if differ < 4 {
                println!("{case} height {height}: {a:#?} {b:#?}");
            }
        }
        if has_overlaps {
            continue;
        }
        let [a, b] = [&plain, &written].map(|segments| manifolds(&body, segments));
        assert_eq!(a.len(), b.len(), "{case}");
        for (c, m) in &a {
            let is_same = |d: &Contact| {
                c.normal.distance(d.normal) < 1e-8 && (c.overlap - d.overlap).abs() < 1e-9
            };
            let (_, other) = b.iter().find(|(d, _)| is_same(d)).unwrap();
            assert!(
                m.normal.distance(other.normal) < 1e-7,
                "{case}: {m:?} {other:?}"
            );
            assert_eq!(
                m.points().len(),
                other.points().len(),
                "{case}: {m:?} {other:?}"
            );
            for p in m.points() {
                let is_same = |q: &&ManifoldPoint<DVec2>| match [p.feature, q.feature] {
                    [PointFeature::SecondVertex(i), PointFeature::SecondVertex(j)] => {
                        plain.as_flattened()[i as usize] == written.as_flattened()[j as usize]
                    }
                    [a, b] => a == b,
                };
                let q = other.points().iter().find(is_same).unwrap();
                assert!((p.volume - q.volume).abs() < 1e-12, "{case}: {p:?} {q:?}");
                let slack = if p.volume > 1e-9 { 1e-6 } else { 1e-3 };
                assert!(p.point.distance(q.point) < slack, "{case}: {p:?} {q:?}");
                points += 1;
            }
        }
    }
    println!(
        "{differ} of {count} differ, {:.2} contacts each, {points} points",
        total as f64 / count as f64
    );
    assert_eq!(differ, 0);
    assert!(total > count / 2 && points > count / 2);
}

/// The depths of all local minima of phi, by definition: along each sheet, phi is linear between the points
/// where two sides are equal.
fn depths_by_search(body: &Flat, segments: &[Segment]) -> Vec<f64> {
    let corners: Vec<_> = body
        .shape
        .vertices()
        .iter()
        .map(|&x| body.pose.transform_point(x))
        .collect();
    let side = |i: usize| {
        let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
        let normal = -(to - from).perp().normalize();
        (normal, normal.dot(from))
    };
    let sides: Vec<_> = (0..corners.len()).map(side).collect();
    let phi = |x: DVec2| {
        let values = sides.iter().map(|(n, h)| n.dot(x) - h);
        values.fold(f64::NEG_INFINITY, f64::max)
    };
    let front = |&[a, b]: &Segment| (b - a).perp().normalize();
    // phi along the sheets, each after a value that is no minimum.
    let mut values = vec![f64::INFINITY];
    for (i, &[a, b]) in segments.iter().enumerate() {
        if i > 0 {
            let before = segments[i - 1];
            let (n, m) = (front(&before), front(&[a, b]));
            let is_concave = n.dot(b - a) > 1e-9 && m.dot(before[0] - a) > 1e-9;
            if is_concave && n.dot(m) < 0.5_f64.cos() {
                values.push(f64::INFINITY);
            }
        }
        let mut cuts = vec![0.0, 1.0];
        for (n, h) in &sides {
            for (m, k) in &sides {
                let [from, to] = [a, b].map(|x| (*n - *m).dot(x) - (h - k));
                if from * to < 0.0 {
                    cuts.push(from / (from - to));
                }
            }
        }
        cuts.sort_by(f64::total_cmp);
        values.extend(cuts.iter().map(|&s| phi(a.lerp(b, s))));
    }
    values.push(f64::INFINITY);
    values.dedup_by(|a, b| a == b || (*a - *b).abs() < 1e-9);
    let minima = values
        .windows(3)
        .filter(|w| w[1] < w[0] && w[1] < w[2] && w[1] < -1e-9);
    distinct(minima.map(|w| -w[1]).collect())
}

fn distinct(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    numbers
}

/// Lattice polygons and lattice walls, full of ties, against a search by definition.
#[test]
fn lattice_walls_agree_with_a_search() {
    let mut random = random(33);
    let (mut wrong, mut total, mut several) = (0, 0, 0);
    let count = cases(20_000);
    for case in 0..count {
        let mut lattice =
            |low: i32, high: i32| f64::from(low + random.below((high - low + 1) as usize) as i32);
        let points: Vec<_> = (0..3 + case % 5)
            .map(|_| v(lattice(-2, 2), lattice(-2, 2)))
            .collect();
        let Ok(shape) = ConvexPolygon::from_convex_hull(&points) else {
            continue;
        };
        let mut points = vec![(-4.0, 0.0)];
        let mut is_step = false;
        while points[points.len() - 1].0 < 4.0 {
            let (x, y) = points[points.len() - 1];
            let next = (x + lattice(i32::from(is_step), 2), lattice(-2, 2) * 0.5);
            is_step = next.0 == x;
            if next != (x, y) {
                points.push(next);
            }
        }
        let segments = line(&points);
        let at = v(lattice(-8, 8), lattice(-4, 8)) * 0.25;
        let turns = [v(1.0, 0.0), v(0.0, 1.0), v(0.6, 0.8)];
        let pose = Pose2::new(turns[random.below(3)], at).unwrap();
        let body = Placed::new(&shape, pose);
        let mut shuffled = segments.clone();
        random.shuffle(&mut shuffled);
        let found = contacts(&body, &shuffled);
        let depths = distinct(found.iter().map(|c| c.depth).collect());
        let expected = depths_by_search(&body, &segments);
        total += expected.len();
        several += usize::from(expected.len() > 1);
        let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        if depths.len() != expected.len() || !depths.iter().zip(&expected).all(same) {
            wrong += 1;
            if wrong < 4 {
                println!("{case}: {points:?} {body:?} {found:#?} {depths:?} expected {expected:?}");
            }
        }
        for c in &found {
            let support = support(&shape, pose.rotation(), c.normal) + c.normal.dot(at - c.point);
            assert!(
                (support - c.overlap).abs() < 1e-12 && c.overlap > c.depth - 1e-12,
                "{c:?}"
            );
        }
    }
    println!("{wrong} of {count} wrong, {total} depths, {several} with several");
    assert!(wrong == 0 && total > count / 4 && several > count / 100);
}

/// Plates of random height, almost upright.
fn plates(random: &mut SplitMix64) -> Vec<Segment> {
    let mut plate = |x: f64| {
        let top = v(x, random.range(0.0, 0.03));
        [top, top + v(random.range(-0.1, 0.1), -2.0)]
    };
    (-4..4).map(|i| plate(0.3 * f64::from(i))).collect()
}

/// A prism on an extruded wall has the contacts of its base, and beds as many times as large as it is long.
#[test]
fn prisms_have_the_contacts_of_their_base() {
    let mut random = random(34);
    let shapes = shapes(&mut random);
    let (mut total, count) = (0, cases(400));
    for case in 0..count {
        let height = [0.3, 0.05, 1e-3][case % 3];
        let shape = &shapes[case % shapes.len()];
        let body = placed(&mut random, shape, height);
        let segments = if case % 4 == 0 {
            plates(&mut random)
        } else {
            bumps(&mut random, height)
        };
        let flat = contacts(&body, &segments);

        let corners = shape.vertices().iter();
        let corners: Vec<_> = corners
            .flat_map(|x| [x.extend(-2.0), x.extend(2.0)])
            .collect();
        let prism = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let quads = segments.iter().flat_map(|&[a, b]| {
            let [a, b, c, d] = [a.extend(-3.0), b.extend(-3.0), b.extend(3.0), a.extend(3.0)];
            [[a, c, b], [a, d, c]]
        });
        let wall = Wall::new(SurfaceMesh::from_triangles(&quads.collect::<Vec<_>>()).unwrap());
        let turn = body.pose.rotation();
        let turn = osculate::glam::DQuat::from_rotation_z(turn.to_angle());
        let at = body.pose.translation().extend(0.0);
        let prism = Placed::new(&prism, Pose3::new_normalize(turn, at).unwrap());
        let mut solid = Vec::new();
        let mut state = Default::default();
        ConvexWall::new().for_each_contact(&prism, &wall, &mut state, |c| solid.push(c));
        assert_eq!(flat.len(), solid.len(), "{case}: {flat:#?} {solid:#?}");
        for c in &flat {
            let is_same = |d: &&ConvexWallContact| {
                d.normal.distance(c.normal.extend(0.0)) < 1e-9
                    && (c.overlap - d.overlap).abs() < 1e-9
                    && (c.depth - d.depth).abs() < 1e-9
            };
            assert!(
                solid.iter().any(|d| is_same(&d)),
                "{case}: {c:?} {solid:#?}"
            );
            total += 1;
        }
        let mut of_prism = 0.0;
        let of_base: f64 = manifolds(&body, &segments)
            .iter()
            .map(|(_, m)| m.volume)
            .sum();
        ConvexWall::new().for_each_manifold(&prism, &wall, &mut state, |_, m| {
            of_prism += m.volume;
        });
        assert!(
            (of_prism - 4.0 * of_base).abs() < 1e-11,
            "{case}: {of_prism} {of_base}"
        );
    }
    assert!(total > count / 2, "{total}");
}

/// A square that is thrown on a floor, with tangential springs by vertex.
fn course(segments: &[Segment], steps: usize) -> (Vec<DVec2>, usize, usize) {
    let shape = square(1.0);
    let wall = wall(segments);
    let (mut kernel, mut state) = (ConvexWall::new(), ConvexWallState::default());
    let (mut turn, mut spin) = (DVec2::from_angle(0.3), -5.0);
    let (mut at, mut velocity) = (v(-3.0, 0.7), v(2.0, 0.0));
    let mut springs: Vec<f64> = Vec::new();
    let (stiffness, shear, friction, damping, step) = (1e6, 5e5, 0.4, 400.0, 2e-4);
    let (mut course, mut in_contact, mut lost) = (Vec::new(), 0, 0);
    for i in 0..steps {
        let body = Placed::new(&shape, Pose2::new(turn, at).unwrap());
        let (mut force, mut torque) = (v(0.0, -10.0), 0.0);
        let last = std::mem::take(&mut springs);
        kernel.for_each_manifold(&body, &wall, &mut state, |_, manifold| {
            in_contact += 1;
            let normal = manifold.normal;
            for point in manifold.points() {
                let arm = point.point - at;
                let slip = velocity + arm.perp() * spin;
                let push = stiffness * point.volume + damping * point.area * slip.dot(normal);
                let push = push.max(0.0);
                let old = point.previous.map(|k| last[usize::from(k)]);
                lost += usize::from(old.is_none());
                let aside = slip.dot(normal.perp());
                let spring = old.unwrap_or_default() + aside * step;
                let hold = -(spring * shear + aside * damping) * point.area;
                let held = hold.clamp(-friction * push, friction * push);
                let slides = held != hold;
                springs.push(if slides {
                    -held / (shear * point.area)
                } else {
                    spring
                });
                let at_point = normal.perp() * held - normal * push;
                force += at_point;
                torque += arm.perp_dot(at_point);
            }
        });
        velocity += force * step;
        spin += torque * (6.0 * step);
        at += velocity * step;
        turn = turn.rotate(DVec2::from_angle(spin * step)).normalize();
        if i % 100 == 99 {
            course.push(at);
        }
    }
    (course, in_contact, lost)
}

#[test]
fn tumbling_does_not_depend_on_the_segments() {
    let steps = cases(100) * 100;
    let floor = |count: u32| {
        let x = |i: u32| 12.0 * f64::from(i) / f64::from(count) - 6.0;
        line(&(0..=count).map(|i| (x(i), 0.0)).collect::<Vec<_>>())
    };
    let (first, in_contact, lost) = course(&floor(1), steps);
    for count in [4, 40] {
        let (other, ..) = course(&floor(count), steps);
        let apart = first.iter().zip(&other).map(|(a, b)| a.distance(*b));
        let apart = apart.fold(0.0, f64::max);
        println!(
            "{count} segments: {apart:.1e} apart, {in_contact} of {steps} steps in contact, {lost} new points"
        );
        assert!(apart < 1e-9);
    }
    assert!(in_contact > steps / 10 && lost < in_contact / 10);
    let end = first[first.len() - 1];
    assert!(end.y > 0.49 && end.y < 2.0, "{end}");
}
