//! Intersection volumes of spheres and solids: against closed formulas, against values of 50 digits,
//! against the sum of slices, and by properties.

use std::f64::consts::PI;

use crate::support::convex::{corner, polyhedron, random};
use crate::support::solids::{assert_near, assert_near_vector, random_pose, solids};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{IntersectionKind, SphereVolume};
use osculate::shape::Polygon;
use osculate::testing::properties::volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactEnergy, ContactVolume, ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2,
    Pose3, SolidMesh, Sphere,
};

type Ball = Sphere<DVec3>;

fn cube() -> ConvexPolyhedron {
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

fn still<S>(shape: S) -> Placed<S> {
    Placed::new(shape, Pose3::IDENTITY)
}

fn meet(ball: &Ball, solid: &SolidMesh) -> Option<ContactVolume<DVec3>> {
    SphereVolume::new().contact(ball, &still(solid))
}

fn triangles(solid: &SolidMesh) -> Vec<[DVec3; 3]> {
    let facets = solid.surface().facets();
    let corners = facets.map(|f| f.corners().collect::<Vec<_>>());
    corners.map(|c| [c[0], c[1], c[2]]).collect()
}

/// The area that a disc around the origin shares with a triangle from the origin to a segment.
fn sector([p, q]: [DVec2; 2], radius: f64) -> f64 {
    let along = q - p;
    let length = along.length();
    if length == 0.0 {
        return 0.0;
    }
    let height = p.perp_dot(q) / length;
    let (from, to) = (p.dot(along) / length, q.dot(along) / length);
    let half = (radius * radius - height * height).max(0.0).sqrt();
    let angle = |u: f64, v: f64| (height * (v - u)).atan2(height * height + u * v);
    let (low, high) = (from.max(-half), to.min(half));
    let squared = radius * radius;
    if low >= high {
        return 0.5 * squared * angle(from, to);
    }
    0.5 * (height * (high - low) + squared * (angle(from, low) + angle(high, to)))
}

/// The volume as an integral of the areas of slices, smooth between kinks.
fn by_slices(triangles: &[[DVec3; 3]], ball: &Ball) -> f64 {
    let squared = ball.radius * ball.radius;
    let mut kinks = vec![-ball.radius, ball.radius];
    let mut around = |middle: f64, squared: f64| {
        if squared > 0.0 {
            kinks.extend([middle - squared.sqrt(), middle + squared.sqrt()]);
        }
    };
    let triangles: Vec<_> = triangles
        .iter()
        .map(|t| t.map(|p| p - ball.center))
        .collect();
    for t in &triangles {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
        let projection = normal * normal.dot(t[0]);
        around(
            projection.z,
            (squared - projection.length_squared()) * (1.0 - normal.z * normal.z),
        );
        for k in 0..3 {
            let (p, along) = (t[k], t[(k + 1) % 3] - t[k]);
            around(p.z, 1e-300);
            let along = along.normalize();
            let projection = p - along * p.dot(along);
            around(
                projection.z,
                (squared - projection.length_squared()) * along.z * along.z,
            );
        }
    }
    kinks.retain(|z| z.abs() <= ball.radius);
    kinks.sort_by(f64::total_cmp);
    let area = |z: f64| -> f64 {
        let radius = (squared - z * z).max(0.0).sqrt();
        let slice = |t: &[DVec3; 3]| {
            let mut ends = [None; 2];
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                if (p.z > z) != (q.z > z) {
                    let at = p + (q - p) * ((z - p.z) / (q.z - p.z));
                    ends[usize::from(q.z > z)] = Some(at.truncate());
                }
            }
            // Where an edge rises across the slice, the solid is on the left of the next segment.
            match ends {
                [Some(from), Some(to)] => sector([from, to], radius),
                _ => 0.0,
            }
        };
        triangles.iter().map(slice).sum()
    };
    let part = |pair: &[f64]| {
        let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
        // Takahasi and Mori's rule, which tolerates roots at the ends.
        let step = 1.0 / 16.0;
        let node = |i: i32| {
            let t = step * f64::from(i);
            let u = 0.5 * PI * t.sinh();
            let weight = 0.5 * PI * t.cosh() / (u.cosh() * u.cosh());
            weight * area(middle + half * u.tanh())
        };
        if half < 1e-14 * ball.radius {
            return 0.0;
        }
        half * step * (-50..=50).map(node).sum::<f64>()
    };
    kinks.windows(2).map(part).sum()
}

/// Values of 50 digits: vertices, edges and faces of a cube, shallow and deep.
#[test]
fn cube_with_fifty_digits() {
    let cases = [
        (
            (-0.5773, -0.5773, -0.5773),
            0.99992,
            3.058_888_581_277_542e-16,
        ),
        (
            (-0.57735, -0.57735, -0.57735),
            1.0,
            8.777_833_077_199_505e-20,
        ),
        ((-0.6, -0.8, 0.5), 1.000001, 1.571_348_417_815_944_6e-15),
        ((-0.6, -0.8, 0.5), 1.0000000001, 1.571_347_855_399_674_7e-25),
        ((-0.9999, -0.001, -0.01), 1.0, 4.847_899_877_774_239e-10),
        ((0.5, -0.25, -0.9375), 1.0, 0.000_419_533_536_317_764_65),
        ((-0.25, 0.5, 0.75), 1.0, 0.621_077_562_869_344_5),
        ((0.3, 0.4, 1.999999), 1.0, 3.141_591_605_875_346e-12),
        ((0.2, 0.999999, 1.5), 0.500001, 7.867_325_442_402_651e-13),
        ((1e-9, -1e-8, 0.5), 0.25, 0.016_362_460_853_873_9),
        ((3.0, 4.0, 12.0), 11.7898267, 0.032_544_449_879_492_99),
        ((0.5, 0.5, 0.5), 0.5000001, 0.523_599_089_757_532_7),
        ((0.5, 0.5, 0.5), 0.866, 0.999_999_999_999_886_4),
        ((1.0, -0.3, 0.1), 0.7, 0.089_168_052_974_911_9),
    ];
    let (cube, solid) = (cube(), cube().to_solid());
    for (center, radius, exact) in cases {
        let ball = Sphere::new(DVec3::from(center), radius);
        let of_convex = SphereVolume::new().contact(&ball, &still(&cube)).unwrap();
        for found in [of_convex, meet(&ball, &solid).unwrap()] {
            let nearest = ball.center.clamp(DVec3::ZERO, DVec3::ONE);
            let depth = radius - ball.center.distance(nearest);
            let allowed = 10.0 * f64::EPSILON * radius / depth;
            let error = (found.volume / exact - 1.0).abs();
            println!("{error:e} of {allowed:e}");
            assert!(error < allowed, "{center:?}: {found:?}");
            assert_eq!(found.kind, IntersectionKind::Crossing);
        }
    }
}

/// Caps on a floor, at coordinates without rounding: 10 eps at any depth.
#[test]
fn caps_keep_all_digits() {
    let floor = workload::cubes(&[[0, 0, 0]], 8.0).unwrap();
    for exponent in 0..=40 {
        let overlap = 2.0_f64.powi(-exponent);
        let ball = Sphere::new(DVec3::new(3.0, 4.5, 9.0 - overlap), 1.0);
        let found = meet(&ball, &floor).unwrap();
        let volume = PI / 3.0 * overlap * overlap * (3.0 - overlap);
        let area = PI * overlap * (2.0 - overlap);
        assert_near(found.volume / volume, 1.0, 10.0 * f64::EPSILON);
        assert_near_vector(found.area_vector / area, -DVec3::Z, 10.0 * f64::EPSILON);
        assert_near_vector(found.point, DVec3::new(3.0, 4.5, 8.0), 1e-15);
    }
    let touching = Sphere::new(DVec3::new(3.0, 4.5, 9.0), 1.0);
    assert_eq!(meet(&touching, &floor), None);
}

/// A center on a face, an edge and a vertex of a cube; a notch; rotated by random angles, with rounding.
#[test]
fn centers_on_the_surface() {
    let mut random = SplitMix64::new(4);
    let l = workload::cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], 2.0).unwrap();
    let (cube, l) = (&cube(), &l);
    let share = |of_ball: f64| 4.0 / 3.0 * PI * 0.125 * of_ball;
    for round in 0..200 {
        let shift = random_pose(&mut random, 1.0);
        let pose = if round == 0 { Pose3::IDENTITY } else { shift };
        for (at, part) in [
            ((0.5, 0.5, 1.0), 0.5),
            ((0.5, 1.0, 1.0), 0.25),
            ((1.0, 1.0, 1.0), 0.125),
            ((0.0, 1.0, 0.0), 0.125),
        ] {
            // Nowhere near, near to rounding, and at some ulps.
            for by in [0.0, 1e-17, 3e-16, 1e-13, 1e-9] {
                let near = random.in_ball() * by;
                let at = pose.transform_point(DVec3::from(at)) + near;
                let ball = Sphere::new(at, 0.5);
                let body = Placed::new(cube, pose);
                let found = SphereVolume::new().contact(&ball, &body).unwrap();
                assert_near(found.volume, share(part), 2e-15 + 2.0 * by);
            }
        }
        for (at, part) in [
            ((2.0, 2.0, 1.0), 0.75),
            ((2.0, 2.0, 2.0), 0.375),
            ((1.0, 1.0, 2.0), 0.5),
            ((4.0, 2.0, 2.0), 0.125),
            ((2.0, 3.0, 1.0), 0.5),
        ] {
            let ball = Sphere::new(pose.transform_point(DVec3::from(at)), 0.5);
            let found = SphereVolume::new().contact(&ball, &Placed::new(l, pose));
            assert_near(found.unwrap().volume, share(part), 5e-15);
        }
    }
}

/// The same for vertices off the lattice, so that edges are almost parallel relative to the center.
#[test]
fn centers_on_rounded_edges() {
    let mut random = SplitMix64::new(11);
    for _ in 0..200 {
        let pose = random_pose(&mut random, 0.5);
        let corners: Vec<_> = (0..8).map(|i| pose.transform_point(corner(i))).collect();
        let cube = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let solid = cube.to_solid();
        for (at, part) in [
            ((0.5, 0.5, 1.0), 0.5),
            ((0.3, 1.0, 1.0), 0.25),
            ((0.0, 0.6, 0.0), 0.25),
            ((1.0, 1.0, 1.0), 0.125),
        ] {
            for by in [0.0, 1e-17, 1e-16, 1e-15, 1e-12] {
                let at = pose.transform_point(DVec3::from(at)) + random.in_ball() * by;
                let ball = Sphere::new(at, 0.25);
                let share = PI / 48.0 * part;
                assert_near(meet(&ball, &solid).unwrap().volume, share, 1e-15 + by);
                let found = SphereVolume::new().contact(&ball, &still(&cube));
                assert_near(found.unwrap().volume, share, 1e-15 + by);
            }
        }
    }
}

/// The sum of slices, for convex bodies, nonconvex ones, and one with a cavity.
#[test]
fn slices_of_any_solid() {
    let mut random = SplitMix64::new(1);
    let mut all = solids();
    all.push(hollow());
    let (mut worst, mut deep) = (0.0_f64, 0);
    for (k, solid) in all.iter().enumerate() {
        let flat = triangles(solid);
        for _ in 0..crate::support::cases(4) {
            let radius = 2.0_f64.powf(random.range(-3.0, 1.0));
            let ball = Sphere::new(random.in_ball() * (0.8 + radius), radius);
            let exact = by_slices(&flat, &ball);
            let found = meet(&ball, solid);
            let volume = found.map_or(0.0, |c| c.volume);
            let error = (volume - exact).abs() / radius.powi(3);
            worst = worst.max(error);
            deep += usize::from(exact > 0.01 * radius.powi(3));
            assert!(error < 1e-12, "solid {k}, {ball:?}: {volume} {exact}");
        }
    }
    println!("{deep} deep, {worst:e}");
    assert!(deep > 8);
}

fn hollow() -> SolidMesh {
    let (outer, inner) = (
        workload::sphere(1, 1.0).unwrap(),
        workload::sphere(1, 0.5).unwrap(),
    );
    let mut all = triangles(&outer);
    all.extend(triangles(&inner).into_iter().map(|[a, b, c]| [a, c, b]));
    SolidMesh::from_triangles(&all).unwrap()
}

#[test]
fn nested_bodies() {
    let hollow = hollow();
    let kind = |center: DVec3, radius: f64| {
        let contact = meet(&Sphere::new(center, radius), &hollow);
        contact.map(|c| (c.kind, c.volume, c.area_vector))
    };
    let nested = |volume: f64| Some((IntersectionKind::Nested, volume, DVec3::ZERO));
    // In the cavity, in the shell, around all, and outside.
    assert_eq!(kind(DVec3::X * 0.1, 0.125), None);
    assert_eq!(kind(DVec3::ZERO, 1.5), nested(hollow.volume()));
    assert_eq!(kind(DVec3::X * 2.0, 0.5), None);
    let shell = kind(DVec3::X * 0.7, 0.125).unwrap();
    assert_eq!(shell.0, IntersectionKind::Nested);
    assert_near(shell.1, 4.0 / 3.0 * PI / 512.0, 1e-17);
    // Around the cavity, inside the rest.
    let large = workload::cubes(&[[0, 0, 0]], 8.0).unwrap();
    let mut all = triangles(&large);
    let cavity = triangles(&workload::sphere(1, 0.5).unwrap());
    all.extend(
        cavity
            .iter()
            .map(|&[a, b, c]| [a, c, b].map(|p| p + DVec3::splat(4.0))),
    );
    let solid = SolidMesh::from_triangles(&all).unwrap();
    let found = meet(&Sphere::new(DVec3::splat(4.0), 2.0), &solid).unwrap();
    assert_eq!(
        (found.kind, found.area_vector),
        (IntersectionKind::Nested, DVec3::ZERO)
    );
    let cavity = workload::sphere(1, 0.5).unwrap().volume();
    assert_near(found.volume, 32.0 / 3.0 * PI - cavity, 1e-13);
    assert_eq!(
        SphereVolume::new().contact(&Sphere::new(DVec3::NAN, 1.0), &still(&solid)),
        None
    );
    assert_eq!(
        SphereVolume::new()
            .contact(&Sphere::new(DVec3::splat(2.0), 0.0), &still(&solid))
            .map(|c| c.volume),
        Some(0.0)
    );
}

/// Area vector and moments are derivatives; the contact moves and scales with the bodies.
#[test]
fn properties_of_random_pairs() {
    let mut random = random(7);
    let kernel = &mut SphereVolume::new();
    let all = solids();
    for round in 0..20 {
        let solid = &all[round % all.len()];
        let pose = random_pose(&mut random, 0.3);
        let radius = random.range(0.2, 0.9);
        let ball = Sphere::new(random.in_ball() * (0.5 + radius), radius);
        let pair = |by: f64| {
            let pose = Pose3::new(pose.rotation(), pose.translation() * by).unwrap();
            let vertices = solid.surface().vertices().iter().map(|&v| v * by).collect();
            let solid = SolidMesh::new(vertices, crate::support::solids::corners(solid)).unwrap();
            (
                Sphere::new(ball.center * by, radius * by),
                Placed::new(solid, pose),
            )
        };
        volume::scales_exactly(kernel, pair, 40).unwrap();
        volume::scales_exactly(kernel, pair, -40).unwrap();
        volume::accurate_at_any_scale(kernel, pair, 2.0).unwrap();
        let moved = |motion: &Pose3| {
            let ball = Sphere::new(motion.transform_point(ball.center), radius);
            (ball, Placed::new(solid, *motion * pose))
        };
        let motion = random_pose(&mut random, 1.0);
        volume::moves_rigidly(kernel, moved, &motion, 5.0).unwrap();
        let bodies = |[a, b]: [&Pose3; 2]| {
            let ball = Sphere::new(a.transform_point(ball.center), radius);
            (ball, Placed::new(solid, *b * pose))
        };
        volume::gradient_matches(kernel, bodies, [1.0, 1e-4], 1e-6).unwrap();
    }
}

/// Refining the faces, and cutting the solid into parts, changes nothing.
#[test]
fn refinement_changes_nothing() {
    let mut random = SplitMix64::new(2);
    for solid in solids() {
        let mut fine = triangles(&solid);
        for _ in 0..2 {
            let quarter = |&[a, b, c]: &[DVec3; 3]| {
                let [p, q, r] = [a + b, b + c, c + a].map(|sum| sum * 0.5);
                [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
            };
            fine = fine.iter().flat_map(quarter).collect();
        }
        let fine = SolidMesh::from_triangles(&fine).unwrap();
        for _ in 0..10 {
            let radius = random.range(0.2, 0.9);
            let ball = Sphere::new(random.in_ball() * (0.5 + radius), radius);
            let (Some(a), Some(b)) = (meet(&ball, &solid), meet(&ball, &fine)) else {
                continue;
            };
            assert_near(a.volume, b.volume, 1e-14);
            assert_near_vector(a.area_vector, b.area_vector, 1e-14);
        }
    }
    let parts = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]];
    let whole = still(workload::cubes(&parts, 0.5).unwrap());
    let parts = parts.map(|part| still(workload::cubes(&[part], 0.5).unwrap()));
    for _ in 0..200 {
        let ball = Sphere::new(random.in_ball() + DVec3::splat(0.5), random.range(0.1, 0.7));
        volume::adds_up(&mut SphereVolume::new(), &ball, &whole, &parts, 2.0).unwrap();
    }
}

/// A ball among the triangles of a polyhedron gives the same volume by either shape, at ties too.
#[test]
fn convex_body_as_a_mesh() {
    let mut random = SplitMix64::new(5);
    let mut count = 0;
    for _ in 0..200 {
        let body = polyhedron(&mut random, 1.0);
        let solid = body.to_solid();
        for lattice in [1.0, 0.25] {
            let point = |x: f64| (x * 4.0).round() * lattice * 0.25;
            let ball = Sphere::new((random.in_ball() * 1.5).map(point), 0.5);
            let a = SphereVolume::new().contact(&ball, &still(&body));
            let b = meet(&ball, &solid);
            let volume = |c: Option<ContactVolume<DVec3>>| c.map_or(0.0, |c| c.volume);
            assert_near(volume(a), volume(b), 1e-14);
            count += usize::from(a.is_some());
        }
    }
    assert!(count > 100);
}

/// Lattice data: a ball with ties to faces, edges and vertices of polyominoes is the sum of its cubes.
#[test]
fn ties_on_the_lattice() {
    let mut random = SplitMix64::new(9);
    for _ in 0..200 {
        let (cubes, solid) = crate::support::solids::random_cubes(&mut random);
        let at = DVec3::from_array([0; 3].map(|_| random.below(13) as f64 * 0.25));
        let ball = Sphere::new(at, [0.5, 0.75, 1.0, 1.25][random.below(4)]);
        let volume = |c: Option<ContactVolume<DVec3>>| {
            c.map_or((0.0, DVec3::ZERO), |c| (c.volume, c.area_vector))
        };
        let parts = cubes.iter().map(|&cube| {
            let part = workload::cubes(&[cube], 1.0).unwrap();
            volume(meet(&ball, &part)).0
        });
        assert_near(volume(meet(&ball, &solid)).0, parts.sum(), 1e-13);
    }
}

#[test]
fn lenses_and_discs() {
    let kernel = &mut SphereVolume::new();
    let mut random = SplitMix64::new(3);
    for _ in 0..500 {
        let (r, s) = (random.range(0.1, 2.0), random.range(0.1, 2.0));
        let d = random.range((r - s).abs() + 0.01, r + s - 0.01);
        let a = Sphere::new(DVec3::ZERO, r);
        let b = Sphere::new(DVec3::X * d, s);
        let lens = kernel.contact(&a, &b).unwrap();
        let squares = d * d + 2.0 * d * (r + s) - 3.0 * (r - s) * (r - s);
        let exact = PI * (r + s - d).powi(2) * squares / (12.0 * d);
        assert_near(lens.volume, exact, 1e-13);
        volume::gradient_matches(
            kernel,
            |motions| {
                let [p, q] = motions.map(|m| m.transform_point(DVec3::ZERO));
                (Sphere::new(p, r), Sphere::new(q + DVec3::X * d, s))
            },
            [1.0, 1e-4],
            1e-6,
        )
        .unwrap();
        volume::swap_negates(kernel, &a, &b).unwrap();
        let [p, q] = [&a, &b].map(|s| Sphere::new(s.center.truncate(), s.radius));
        let flat = kernel.contact(&p, &q).unwrap();
        let x = (d * d + r * r - s * s) / (2.0 * d);
        let cap = |r: f64, x: f64| r * r * (x / r).acos() - x * (r * r - x * x).max(0.0).sqrt();
        assert_near(flat.volume, cap(r, x) + cap(s, d - x), 1e-6 * (r + s));
        volume::swap_negates(kernel, &p, &q).unwrap();
    }
    // A shallow lens keeps its digits.
    for exponent in 2..40 {
        let e = 2.0_f64.powi(-exponent);
        let [a, b] = [0.0, 2.0 - e].map(|x| Sphere::new(DVec2::X * x, 1.0));
        let flat = kernel.contact(&a, &b).unwrap();
        // 2 (t - sin t cos t), 1 - cos t = e / 2.
        let t = 2.0 * (0.5 * e.sqrt()).asin();
        let u = 2.0 * t;
        let series = u.powi(3) / 6.0
            * (1.0
                - u * u / 20.0
                    * (1.0 - u * u / 42.0 * (1.0 - u * u / 72.0 * (1.0 - u * u / 110.0))));
        assert_near(
            flat.volume / series,
            1.0,
            if exponent < 8 { 1e-7 } else { 1e-13 },
        );
    }
    let inside = kernel.contact(&Sphere::new(DVec3::X, 3.0), &Sphere::new(DVec3::ZERO, 1.0));
    assert_eq!(inside.unwrap().kind, IntersectionKind::Nested);
    let touching = kernel.contact(
        &Sphere::new(DVec3::X * 2.0, 1.0),
        &Sphere::new(DVec3::ZERO, 1.0),
    );
    assert_eq!(touching, None);
}

/// In 2D: against the sectors of the sides, ties on the lattice, and derivatives.
#[test]
fn discs_and_polygons() {
    let kernel = &mut SphereVolume::new();
    let crown = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)].map(DVec2::from);
    let crown = Polygon::new(crown.to_vec()).unwrap();
    let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
    let square = ConvexPolygon::new(square.to_vec()).unwrap();
    let area = |vertices: &[DVec2], disc: &Sphere<DVec2>| -> f64 {
        let next = vertices.iter().cycle().skip(1);
        let sides = vertices.iter().zip(next);
        sides
            .map(|(&p, &q)| sector([p - disc.center, q - disc.center], disc.radius))
            .sum()
    };
    let mut random = SplitMix64::new(8);
    for round in 0..2000 {
        let at = |x: f64| {
            if round % 2 == 0 {
                (4.0 * x).round() * 0.25
            } else {
                x
            }
        };
        let center = DVec2::new(at(random.range(-1.0, 5.0)), at(random.range(-1.0, 5.0)));
        let disc = Sphere::new(center, at(random.range(0.2, 3.0)));
        let body = Placed::new(&crown, Pose2::IDENTITY);
        let found = kernel.contact(&disc, &body);
        let is_on_side = round % 2 == 0 && {
            let v = crown.vertices();
            (0..5).any(|i| osculate::math::orient2d(v[i], v[(i + 1) % 5], center) == 0.0)
        };
        if !is_on_side {
            let exact = area(crown.vertices(), &disc);
            assert_near(found.map_or(0.0, |c| c.volume), exact, 1e-13);
        }
        let plain = Placed::new(&square, Pose2::IDENTITY);
        let same = Polygon::from(square.clone());
        let (a, b) = (
            kernel.contact(&disc, &plain),
            kernel.contact(&disc, &Placed::new(&same, Pose2::IDENTITY)),
        );
        assert_near(
            a.map_or(0.0, |c| c.volume),
            b.map_or(0.0, |c| c.volume),
            1e-14,
        );
        // By differences.
        let h = 1e-5;
        let moved = |by: DVec2, kernel: &mut SphereVolume| {
            let disc = Sphere::new(center + by, disc.radius);
            kernel.contact(&disc, &body).map_or(0.0, |c| c.volume)
        };
        let slope = DVec2::new(
            moved(DVec2::X * h, kernel) - moved(DVec2::X * -h, kernel),
            moved(DVec2::Y * h, kernel) - moved(DVec2::Y * -h, kernel),
        ) / (2.0 * h);
        let width = found.map_or(DVec2::ZERO, |c| c.area_vector);
        assert!((slope - width).length() < 2e-2, "{disc:?} {slope} {width}");
    }
    // On a corner, a side, and shallow.
    for (x, y, share) in [
        (0.0, 0.0, 0.25),
        (1.0, 0.5, 0.5),
        (1.0, 0.0, 0.25),
        (0.5, 0.0, 0.5),
        (0.5, 1.0, 0.5),
        (0.0, 1.0, 0.25),
        (1.0, 1.0, 0.25),
    ] {
        for turn in 0..20 {
            let pose = Pose2::from_angle(0.3 * f64::from(turn), DVec2::ZERO).unwrap();
            let center = pose.transform_point(DVec2::new(x, y));
            let found = kernel.contact(&Sphere::new(center, 0.5), &Placed::new(&square, pose));
            assert_near(found.unwrap().volume, PI * 0.25 * share, 1e-15);
        }
    }
}

/// A polygon with a hole is the outer polygon without the inner one.
#[test]
fn discs_and_holes() {
    let square =
        |low: f64, high: f64| [(low, low), (high, low), (high, high), (low, high)].map(DVec2::from);
    let (outer, inner) = (square(0.0, 4.0), square(1.0, 3.0));
    let hole: Vec<_> = inner.iter().rev().copied().collect();
    let ring = Polygon::from_rings([outer.to_vec(), hole]).unwrap();
    let [outer, inner] = [outer, inner].map(|corners| Polygon::new(corners.to_vec()).unwrap());
    let mut random = SplitMix64::new(13);
    for _ in 0..300 {
        let center = DVec2::new(random.range(-1.0, 5.0), random.range(-1.0, 5.0));
        let disc = Sphere::new(center, random.range(0.1, 3.0));
        let area = |polygon: &Polygon| {
            let contact =
                SphereVolume::new().contact(&disc, &Placed::new(polygon, Pose2::IDENTITY));
            contact.map_or(0.0, |c| c.volume)
        };
        assert_near(area(&ring), area(&outer) - area(&inner), 1e-13);
    }
}

/// A ball that runs around among the cubes of a concave body does no work, with any energy.
#[test]
fn closed_paths() {
    let solid = still(workload::cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], 1.0).unwrap());
    for exponent in [1.0, 2.0] {
        let energy = ContactEnergy::power_law(1.0, exponent).unwrap();
        let wrench = |pose: &Pose3| {
            let ball = Sphere::new(pose.translation(), 0.5);
            let contact = SphereVolume::new().contact(&ball, &solid);
            contact.map_or((DVec3::ZERO, DVec3::ZERO), |c| {
                (
                    c.force(&energy),
                    c.moment_about(&energy, pose.translation()),
                )
            })
        };
        let path = |t: f64| {
            let angle = 2.0 * PI * t;
            let at = DVec3::new(
                1.2 + 0.7 * angle.cos(),
                1.2 + 0.6 * angle.sin(),
                0.6 + 0.9 * (2.0 * angle).sin(),
            );
            Pose3::new(DQuat::from_rotation_z(0.0), at).unwrap()
        };
        volume::closed_cycle_does_no_work(wrench, path, 2000, 1e-6).unwrap();
    }
}

/// A center closer to a vertex or an edge than any rounding, also in the plane of a face.
#[test]
fn center_at_a_vanishing_distance() {
    let cube = cube();
    let solid = cube.to_solid();
    let meet = |center: DVec3, radius: f64| {
        let ball = Sphere::new(center, radius);
        let [a, b] = [
            SphereVolume::new().contact(&ball, &still(&cube)),
            SphereVolume::new().contact(&ball, &still(&solid)),
        ];
        assert_near(a.unwrap().volume, b.unwrap().volume, 1e-14);
        a.unwrap()
    };
    let ways = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(0.3, -0.5, 0.2),
        DVec3::NEG_ONE,
    ];
    for axis in 0..3 {
        let along = [
            DVec3::ZERO,
            DVec3::AXES[axis] * 0.5,
            DVec3::ONE - DVec3::AXES[axis],
        ];
        for (middle, radius) in along
            .into_iter()
            .flat_map(|m| [0.3, 0.77, 1.54].map(|r| (m, r)))
        {
            let expected = meet(middle, radius);
            for exponent in [-1000, -300, -200, -150, -120, -90, -75, -60, -50] {
                let trace = 2.0_f64.powi(exponent);
                for way in ways {
                    let found = meet(middle + way * trace, radius);
                    // In the plane of a face the center is shifted by 2^-100 of the radius.
                    let shifted = if exponent < -60 {
                        0.0
                    } else {
                        2.0_f64.powi(-100) / trace
                    };
                    let near = 1e-14 + 20.0 * trace + shifted;
                    assert_near(found.volume, expected.volume, near);
                    assert_near_vector(found.area_vector, expected.area_vector, near);
                }
            }
        }
    }
}
