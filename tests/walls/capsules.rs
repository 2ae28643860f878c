//! Capsules at walls, beside facets one by one and spheres.

use super::degenerate::soup;
use super::noise::{EXPORTS, Export, export};
use crate::support::convex::{v, vector};
use crate::support::families::{Family, SCALE, families};
use crate::support::wall::{all_minima, floor};
use crate::support::{all_contacts as contacts, cases, seed};
use osculate::glam::{DQuat, DVec3};
use osculate::math::closest_on_polygon;
use osculate::narrow::{CapsuleWall, WallSides};
use osculate::shape::Capsule;
use osculate::testing::properties::{MapContact, kernel};
use osculate::testing::workload::SplitMix64;
use osculate::{Contact, PeriodicBox, Pose3, Sphere, SurfaceMesh, Wall, WallContact};

/// The vertices of a family, a third as large.
fn vertices(family: &Family) -> Vec<DVec3> {
    let vertices = family.vertices.iter();
    vertices
        .map(|x| DVec3::from_array(x.map(|c| c as f64 * SCALE / 3.0)))
        .collect()
}

fn all(capsule: &Capsule, wall: &Wall) -> Vec<WallContact> {
    contacts(&mut CapsuleWall::new(), capsule, wall)
}

fn wall_of(polygons: &[Vec<DVec3>]) -> Wall {
    Wall::new(soup(polygons))
}

/// A strip of a plane from the y axis to a line at x and z.
fn wing(x: f64, z: f64) -> Vec<DVec3> {
    vec![
        v(0.0, -4.0, 0.0),
        v(x, -4.0, z),
        v(x, 4.0, z),
        v(0.0, 4.0, 0.0),
    ]
}

/// The least distance of a polygon from a segment, by golden sections of a convex function, and the point there.
fn nearest(polygon: &[DVec3], [a, b]: [DVec3; 2]) -> (f64, DVec3) {
    let at = |t: f64| {
        let from = a.lerp(b, t);
        let closest = closest_on_polygon(from, polygon);
        (closest.distance_squared.sqrt(), from + closest.offset)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let [left, right] = [0.618_034, 0.381_966].map(|part| low * part + high * (1.0 - part));
        if at(left).0 < at(right).0 {
            high = right;
        } else {
            low = left;
        }
    }
    [at(low), at(high), at(0.0), at(1.0)]
        .into_iter()
        .reduce(|a, b| if b.0 < a.0 { b } else { a })
        .unwrap()
}

/// The minima of single facets that meet no lower facet, by position.
fn by_facets(polygons: &[Vec<DVec3>], capsule: &Capsule) -> Vec<(f64, DVec3)> {
    const SAME: f64 = 1e-6;
    const EQUAL: f64 = 1e-10;
    let minima = polygons
        .iter()
        .map(|polygon| nearest(polygon, capsule.ends));
    let minima: Vec<_> = minima.collect();
    let meets =
        |polygon: &[DVec3], x: DVec3| closest_on_polygon(x, polygon).distance_squared < SAME * SAME;
    let mut found: Vec<(f64, DVec3)> = Vec::new();
    for &(distance, point) in &minima {
        let others = polygons.iter().zip(&minima);
        let mut lower = others.filter(|(_, (other, _))| *other < distance - EQUAL);
        if distance < capsule.radius
            && !lower.any(|(polygon, _)| meets(polygon, point))
            && found
                .iter()
                .all(|(_, other)| other.distance(point) > 10.0 * SAME)
        {
            found.push((distance, point));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

#[test]
fn minima_of_facets() {
    let mut counts = [0; 5];
    for family in families() {
        let mut random = SplitMix64::new(seed() as u64 + 77);
        let vertices = vertices(&family);
        let polygons = family.facets.iter();
        let polygons = polygons.map(|f| f.iter().map(|&i| vertices[i as usize]).collect());
        let polygons: Vec<Vec<DVec3>> = polygons.collect();
        let wall = wall_of(&polygons);
        for case in 0..cases(60) {
            let polygon = &polygons[random.below(polygons.len())];
            let on = polygon[0]
                .lerp(polygon[1], random.unit())
                .lerp(polygon[2], random.unit());
            let radius = random.range(0.1, 1.0) * (family.radius / 3.0).min(1.0);
            let length = random.range(0.0, [5.0, 20.0][case % 2]);
            let half = vector(&mut random).normalize() * radius * length;
            let center = on + vector(&mut random) * (0.7 * (radius + half.length()));
            let capsule = Capsule::new([center - half, center + half], radius);
            let expected = by_facets(&polygons, &capsule);
            // Segments that cross facets, and almost equal distances, have no unique points.
            if expected.first().is_some_and(|c| c.0 < 1e-3) {
                continue;
            }
            let found = all(&capsule, &wall);
            counts[found.len().min(4)] += 1;
            let name = family.name;
            assert_eq!(
                found.len(),
                expected.len(),
                "{name} {case} {capsule:?} {found:?} {expected:?}"
            );
            for (contact, (distance, point)) in found.iter().zip(expected) {
                assert!(
                    (contact.overlap - (radius - distance)).abs() < 1e-9,
                    "{name} {case}"
                );
                assert!(contact.point.distance(point) < 1e-5, "{name} {case}");
                let on_core = contact.point - contact.normal * (radius - contact.overlap);
                let [a, b] = capsule.ends;
                let closest = osculate::math::closest_on_segment(on_core, a, b);
                assert!(closest.distance_squared.sqrt() < 1e-9, "{name} {case}");
                let to_middle = contact.point - contact.offset;
                assert!(to_middle.distance(center) < 1e-9);
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 1), "{counts:?}");
}

/// A floor as in a file, whole or cut into many triangles with vertices that hang on sides.
fn floor_of_file(random: &mut SplitMix64, cuts: usize, turn: DQuat) -> Wall {
    let [a, b, c, d] = [(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)];
    let at = |(x, y): (f64, f64)| turn * v(x, y, 0.0);
    let how = Export { cuts, ..EXPORTS[0] };
    let triangles = export(random, &[[a, b, c], [a, c, d]].map(|t| t.map(at)), how);
    Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap())
}

#[test]
fn one_contact_on_a_cut_floor() {
    let mut random = SplitMix64::new(5);
    for case in 0..cases(300) {
        let turn = if case % 3 == 0 {
            DQuat::IDENTITY
        } else {
            random.rotation()
        };
        let wall = floor_of_file(&mut random, [0, 8][case % 2], turn);
        let noise = if case % 3 == 0 { 1e-12 } else { 1e-5 };
        let mut along = vector(&mut random);
        // Lying, inclined, or standing.
        along.z *= [0.0, 0.2, 5.0][case / 6 % 3];
        let half = along.normalize() * random.range(0.1, 3.0);
        let middle = vector(&mut random) * v(4.0, 4.0, 0.0);
        let height = half.z.abs() + random.range(0.1, 0.4);
        let ends = [-1.0, 1.0].map(|t| turn * (middle + half * t + DVec3::Z * height));
        let capsule = Capsule::new(ends, 0.5);
        let found = all(&capsule, &wall);
        assert_eq!(found.len(), 1, "{case} {found:?}");
        let depth = 0.5 - (height - half.z.abs());
        assert!((found[0].overlap - depth).abs() < noise, "{case}");
        assert!(
            found[0].normal.distance(turn * -DVec3::Z) < 100.0 * noise,
            "{case}"
        );
        if half.z == 0.0 {
            let point = turn.inverse() * found[0].point;
            assert!(
                point.distance(middle) < 1e-9 || noise > 1e-9,
                "{case} {point}"
            );
        }
    }
}

#[test]
fn wedges_ridges_and_rims() {
    let lying = Capsule::new([v(0.0, -1.0, 0.5), v(0.0, 2.0, 0.5)], 0.5);
    // In a wedge along its edge: two contacts, each in the middle of the capsule.
    let wedge = wall_of(&[wing(4.0, 4.0), wing(-4.0, 4.0)]);
    let found = all(&lying, &wedge);
    assert_eq!(found.len(), 2);
    for contact in found {
        assert!((contact.overlap - (0.5 - 0.125_f64.sqrt())).abs() < 1e-15);
        assert!((contact.point - v(0.25 * contact.normal.x.signum(), 0.5, 0.25)).length() < 1e-15);
    }
    // On a ridge, along it and across.
    let ridge = wall_of(&[wing(4.0, -4.0), wing(-4.0, -4.0)]);
    let across = Capsule::new([v(-1.0, 0.5, 0.25), v(2.0, 0.5, 0.25)], 0.5);
    for (capsule, overlap) in [(lying, 0.0), (across, 0.25)] {
        let found = contacts(
            &mut CapsuleWall::new().with_margin(0.1).unwrap(),
            &capsule,
            &ridge,
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].overlap, found[0].normal), (overlap, -DVec3::Z));
        assert_eq!(found[0].point, v(0.0, 0.5, 0.0));
    }
    // A rod across the rims of a square opening in a plate: one contact, and two if it sags into the opening at none.
    let ring = |r: f64| [v(-r, -r, 0.0), v(r, -r, 0.0), v(r, r, 0.0), v(-r, r, 0.0)];
    let (inner, outer) = (ring(1.0), ring(4.0));
    let sides = (0..4).map(|i| {
        let j = (i + 1) % 4;
        vec![outer[i], outer[j], inner[j], inner[i]]
    });
    let plate = wall_of(&sides.collect::<Vec<_>>());
    // Over both rims: a plateau on each side of the opening.
    let rod = Capsule::new([v(-2.0, 0.0, 0.25), v(2.0, 0.0, 0.25)], 0.5);
    assert_eq!(all(&rod, &plate).len(), 2);
    // One end dips into the opening: the rim carries the rod.
    let dipped = Capsule::new([v(0.0, 0.0, -0.5), v(3.0, 0.0, 1.0)], 0.5);
    let found = all(&dipped, &plate);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].overlap, found[0].normal.y), (0.5, 0.0));
    let above = Capsule::new([v(0.0, 0.0, -0.25), v(3.0, 0.0, 1.25)], 0.5);
    let found = all(&above, &plate);
    assert_eq!(found[0].point, v(1.0, 0.0, 0.0));
    assert!((found[0].overlap - (0.5 - 0.05_f64.sqrt())).abs() < 1e-15);
    // In the opening, small enough to fall through it.
    let falling = Capsule::new([v(0.0, 0.0, -1.0), v(0.0, 0.0, 1.0)], 0.5);
    assert!(all(&falling, &plate).is_empty());
}

/// A capsule whose ends are equal has the contacts of a sphere.
#[test]
fn points_are_spheres() {
    for family in families() {
        let vertices = vertices(&family);
        let wall = Wall::new(SurfaceMesh::new(vertices.clone(), &family.facets).unwrap());
        let mut random = SplitMix64::new(9);
        for case in 0..cases(200) {
            let facet = &family.facets[random.below(family.facets.len())];
            let on = vertices[facet[0] as usize].lerp(vertices[facet[1] as usize], random.unit());
            let radius = random.range(0.1, 1.0) * family.radius / 3.0;
            let center = on + vector(&mut random) * radius;
            let found = all(&Capsule::new([center; 2], radius), &wall);
            let expected = contacts(&mut all_minima(), &Sphere::new(center, radius), &wall);
            assert_eq!(found, expected, "{} {case}", family.name);
        }
    }
}

/// Order of the facets and of the ends, poses, units and periods.
#[test]
fn same_contacts() {
    let family = &families()[0];
    let vertices = vertices(family);
    let mesh = |scale: f64, facets: &[Vec<u32>]| {
        let vertices = vertices.iter().map(|&x| x * scale).collect();
        Wall::new(SurfaceMesh::new(vertices, facets).unwrap())
    };
    let wall = mesh(1.0, &family.facets);
    let without_normal = |c: WallContact| Contact {
        normal: DVec3::ZERO,
        ..c.into()
    };
    let kernel = &mut MapContact(CapsuleWall::new(), without_normal);
    let mut random = SplitMix64::new(3);
    let mut count = 0;
    for case in 0..cases(200) {
        let middle = vertices[random.below(vertices.len())] + vector(&mut random);
        let half = vector(&mut random) * 3.0;
        let capsule = Capsule::new([middle - half, middle + half], random.range(0.2, 1.0));
        let found = all(&capsule, &wall);
        count += found.len();
        let mut facets = family.facets.clone();
        random.shuffle(&mut facets);
        let places = |found: &[WallContact]| found.iter().map(|c| (c.overlap, c.point)).collect();
        let [shuffled, expected]: [Vec<_>; 2] =
            [&all(&capsule, &mesh(1.0, &facets)), &found].map(|found| places(found));
        assert_eq!(shuffled, expected, "{case}");
        let [a, b] = capsule.ends;
        let turned = all(&Capsule::new([b, a], capsule.radius), &wall);
        assert_eq!(turned.len(), found.len());
        for (turned, (overlap, point)) in turned.iter().zip(expected) {
            assert!((turned.overlap - overlap).abs() <= 1e-13, "{case}");
            assert!(turned.point.distance(point) <= 1e-13, "{case}");
        }
        let moved = |pose: &Pose3| {
            let mut wall = wall.clone();
            wall.set_pose(*pose);
            let ends = capsule.ends.map(|end| pose.transform_point(end));
            (Capsule::new(ends, capsule.radius), wall)
        };
        let pose = Pose3::new(random.rotation(), vector(&mut random) * 9.0).unwrap();
        kernel::moves_rigidly(kernel, moved, &pose, 1e4).unwrap();
        let scaled = |x: f64| {
            let capsule = Capsule::new(capsule.ends.map(|end| end * x), capsule.radius * x);
            (capsule, mesh(x, &family.facets))
        };
        kernel::scales_exactly(kernel, scaled, 10).unwrap();
    }
    assert!(count > 100);
}

#[test]
fn periods_sides_margins_and_bad_capsules() {
    let period =
        PeriodicBox::orthogonal(v(-2.0, -2.0, 0.0), DVec3::splat(4.0), [true, true, false]);
    let endless = Wall::periodic(floor(2.0, 0.0), period.unwrap(), 3.0).unwrap();
    let rod = |x: f64, z: f64| Capsule::new([v(x - 1.0, 0.5, z), v(x + 1.0, 0.5, z)], 0.5);
    for x in [0.0, 2.0, -1.75, 401.5] {
        let found = all(&rod(x, 0.25), &endless);
        assert_eq!(found.len(), 1);
        assert!(found[0].point.distance(v(x, 0.5, 0.0)) < 1e-12 && found[0].facet < 2);
    }
    // Longer than the reach.
    let long = Capsule::new([v(-4.0, 1.0, 0.0), v(4.0, 1.0, 0.0)], 0.5);
    assert!(all(&long, &endless).is_empty());
    let wall = Wall::new(floor(2.0, 0.0));
    let front = || CapsuleWall::new().with_sides(WallSides::Front);
    assert_eq!(contacts(&mut front(), &rod(0.0, 0.25), &wall).len(), 1);
    assert!(contacts(&mut front(), &rod(0.0, -0.25), &wall).is_empty());
    assert_eq!(all(&rod(0.0, -0.25), &wall)[0].normal, DVec3::Z);
    let near = || CapsuleWall::new().with_margin(0.25).unwrap();
    assert_eq!(
        contacts(&mut near(), &rod(0.0, 0.625), &wall)[0].overlap,
        -0.125
    );
    assert!(contacts(&mut near(), &rod(0.0, 0.75), &wall).is_empty());
    assert!(all(&rod(0.0, 0.625), &wall).is_empty());
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        assert!(all(&rod(bad, 0.25), &wall).is_empty());
        assert!(all(&Capsule::new([v(1.0, 1.0, 0.0); 2], -bad), &wall).is_empty());
        assert!(CapsuleWall::new().with_margin(-bad).is_err());
    }
    assert!(all(&Capsule::new([v(1.0, 1.0, 0.0); 2], -0.5), &wall).is_empty());
    // The segment crosses the floor: the overlap is the radius.
    let crossing = Capsule::new([v(1.0, 1.0, -0.5), v(1.0, 2.0, 1.0)], 0.5);
    let found = all(&crossing, &wall);
    assert_eq!((found.len(), found[0].overlap), (1, 0.5));
}
