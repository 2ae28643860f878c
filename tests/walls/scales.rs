//! Walls and bodies in any unit of length: a power of two changes lengths by exactly that factor.

use crate::support::lattice_scene::{LatticeScene, WallFamily};
use crate::support::solids::cuboid;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{
    ContactManifold, ContactSelection, ConvexWall, ConvexWallContact, ConvexWallState,
    PointFeature, WallMesh,
};
use osculate::testing::oracle::to_vector;
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, NarrowPhase, Placed, Pose3, Skin, Sphere, SurfaceMesh, Wall, WallContact,
    WallList, WallState,
};

const UNITS: [f64; 2] = [two_to(-100), two_to(100)];

const fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A contact in a unit of length, and the features and loads of its points.
type Found = (
    ConvexWallContact,
    Vec<(PointFeature, DVec3, [f64; 3], Option<u16>)>,
);

/// Returns a contact in a unit of length.
fn in_unit(mut contact: ConvexWallContact, manifold: &ContactManifold, unit: f64) -> Found {
    contact.point /= unit;
    (contact.overlap, contact.depth) = (contact.overlap / unit, contact.depth / unit);
    let area = unit * unit;
    let points = manifold.points().iter().map(|point| {
        let sizes = [
            point.overlap / unit,
            point.area / area,
            point.volume / area / unit,
        ];
        (point.feature, point.point / unit, sizes, point.previous)
    });
    (contact, points.collect())
}

/// Returns the contacts of a polyhedron that moves along poses, in units of length.
fn of_polyhedron(
    (scene, triangles): (&LatticeScene, &[[DVec3; 3]]),
    poses: &[Pose3],
    unit: f64,
) -> Vec<Vec<Found>> {
    let shape = scene.body(unit).unwrap();
    let triangles: Vec<_> = { triangles.iter() }.map(|t| t.map(|x| x * unit)).collect();
    let wall = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
    let mut kernel = ConvexWall::new();
    let mut state = ConvexWallState::default();
    let at = |pose: &Pose3| Pose3::new(pose.rotation(), pose.translation() * unit).unwrap();
    let contacts = |pose: &Pose3| {
        let mut found = Vec::new();
        let body = Placed::new(&shape, at(pose));
        kernel.for_each_manifold(&body, &wall, &mut state, |contact, manifold| {
            found.push(in_unit(contact, &manifold, unit));
        });
        found
    };
    poses.iter().map(contacts).collect()
}

/// Returns the triangles of the wall of a scene.
fn triangles(scene: &LatticeScene) -> Vec<[DVec3; 3]> {
    let place = |triangle: &[_; 3]| triangle.map(|corner| to_vector(corner, 1.0));
    scene.triangles.iter().map(place).collect()
}

/// Divides a triangle into four.
fn quarters([a, b, c]: [DVec3; 3]) -> [[DVec3; 3]; 4] {
    let [p, q, r] = [(b + c) * 0.5, (c + a) * 0.5, (a + b) * 0.5];
    [[a, r, q], [r, b, p], [q, p, c], [p, q, r]]
}

/// Polyhedra in poses with ties, displaced and rotated, from and to these poses. At meshes, at meshes with a divider,
/// and at fine meshes.
#[test]
fn polyhedra() {
    let mut random = SplitMix64::new(31);
    let mut count = 0;
    for case in 0..36 {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64());
        let mut wall = triangles(&scene);
        let center = to_vector(scene.center, 1.0);
        match case % 4 {
            0 | 1 => (),
            2 => {
                // Through the body, across the wall.
                let [x, y] = [center.x + 2.0, center.y];
                let at = |y: f64, z: f64| DVec3::new(x, y, center.z + z);
                let corners = [(-64.0, 0.0), (64.0, 0.0), (64.0, -128.0), (-64.0, -128.0)];
                let [a, b, c, d] = corners.map(|(along, z)| at(y + along, z));
                wall.extend([[a, b, c], [a, c, d]]);
            }
            _ => {
                wall = wall.into_iter().flat_map(quarters).collect();
            }
        }
        let size = 20.0;
        let shift = Pose3::new(Default::default(), random.in_ball() * size).unwrap();
        let turn = Pose3::new(random.rotation(), random.in_ball() * size).unwrap();
        let poses = [Pose3::IDENTITY, shift, Pose3::IDENTITY, turn];
        let expected = of_polyhedron((&scene, &wall), &poses, 1.0);
        count += expected.iter().flatten().count();
        for unit in UNITS {
            let found = of_polyhedron((&scene, &wall), &poses, unit);
            assert_eq!(found, expected, "{case} {unit}");
        }
    }
    assert!(count > 100, "{count}");
}

/// Returns the contacts of a sphere of radius `radius` that moves along centers, in units of length.
fn of_sphere<M: WallMesh>(
    wall: &Wall<M>,
    kernel: &mut DoubleHierarchy<M::Vector>,
    centers: &[M::Vector],
    radius: f64,
    unit: f64,
) -> Vec<Vec<WallContact<M::Vector>>> {
    let mut state = WallState::default();
    let contacts = |&center: &M::Vector| {
        let mut found = Vec::new();
        let sphere = Sphere::new(center * unit, radius * unit);
        kernel.for_each_contact(&sphere, wall, &mut state, |mut c| {
            (c.offset, c.point) = (c.offset * (1.0 / unit), c.point * (1.0 / unit));
            c.overlap /= unit;
            found.push(c);
        });
        found
    };
    centers.iter().map(contacts).collect()
}

/// Spheres beside vertices, edges and facets of walls, near and far, through the wall, with all selections. Also at walls
/// that were deformed to their size.
#[test]
fn spheres() {
    let mut random = SplitMix64::new(33);
    let mut count = 0;
    for case in 0..18 {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64());
        let mut wall = triangles(&scene);
        if case / 9 % 2 == 1 {
            // Vertices hang on edges except for rounding.
            let turn = random.rotation();
            let rotated = |t: [DVec3; 3]| t.map(|x| turn * x);
            let half = wall.split_off(wall.len() / 2);
            wall.extend(half.into_iter().flat_map(quarters));
            wall = wall.into_iter().map(rotated).collect();
        }
        let mesh = SurfaceMesh::from_triangles(&wall).unwrap();
        let [a, b, c] = wall[0];
        let up = (b - a).cross(c - a).normalize();
        let corner = |random: &mut SplitMix64| {
            let vertices = mesh.vertices();
            vertices[random.below(vertices.len())]
        };
        let radius = 64.0;
        let mut centers = Vec::new();
        for _ in 0..6 {
            let [a, b] = [corner(&mut random), corner(&mut random)];
            centers.extend([
                a + up * 32.0,
                (a + b) * 0.5 + up * 8.0,
                a + random.in_ball() * radius,
                a - up * 8.0,
                a + up * two_to(-40),
                a - up * two_to(-40),
                a,
            ]);
        }
        for selection in [
            ContactSelection::all(),
            ContactSelection::half_space(),
            ContactSelection::merge_angle(0.5).unwrap(),
        ] {
            let kernel = &mut DoubleHierarchy::new().with_selection(selection);
            let whole = Wall::new(mesh.clone());
            let expected = of_sphere(&whole, kernel, &centers, radius, 1.0);
            count += expected.iter().flatten().count();
            for unit in UNITS {
                let scaled: Vec<_> = mesh.vertices().iter().map(|&x| x * unit).collect();
                let mut deformed = whole.clone();
                deformed.set_vertices(&scaled).unwrap();
                let scaled: Vec<_> = wall.iter().map(|t| t.map(|x| x * unit)).collect();
                let wall = Wall::new(SurfaceMesh::from_triangles(&scaled).unwrap());
                for wall in [wall, deformed] {
                    let found = of_sphere(&wall, kernel, &centers, radius, unit);
                    assert_eq!(found, expected, "{case} {unit}");
                }
            }
        }
    }
    assert!(count > 500, "{count}");
}

/// A list does not store bodies farther away than the skin, in any unit, on a small wall and on a large one.
#[test]
fn lists() {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    for unit in [two_to(-100), 1.0, two_to(100)] {
        for extent in [1.0, two_to(20)] {
            let corners = square.map(|(x, y)| DVec3::new(x, y, 0.0) * extent * unit);
            let floor = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2, 3]]).unwrap());
            let skin = Skin::Relative(0.25);
            let heights = [
                1.0,
                1.25 - two_to(-20),
                1.25 + two_to(-20),
                2.0,
                2.0 * extent,
            ];
            let spheres = heights.map(|z| Sphere::new(DVec3::new(0.0, 0.0, z) * unit, unit));
            let mut list = WallList::<WallState>::new(skin).unwrap();
            list.update(&spheres, &floor).unwrap();
            assert_eq!(list.bodies(), [0, 1], "{unit} {extent}");
            // A body that was away comes near.
            let spheres = heights.map(|z| Sphere::new(DVec3::new(0.0, 0.0, z - 0.5) * unit, unit));
            list.update(&spheres, &floor).unwrap();
            assert_eq!(list.bodies()[..3], [0, 1, 2], "{unit} {extent}");
        }
    }
}

/// A floor of two triangles, much larger than the body that lies on an edge or a face of it: one contact.
#[test]
fn floors_of_huge_triangles() {
    let mut random = SplitMix64::new(77);
    let cube = cuboid(DVec3::splat(-0.5), DVec3::splat(0.5));
    let count = crate::support::cases(1000);
    for case in 0..count {
        let size = 10.0_f64.powf(random.range(0.0, 9.0));
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1), 0.0) * 2.0 - 1.0;
        // On one triangle, or where both meet.
        let [x, y] = [0; 2].map(|_| random.range(-0.5, 0.5));
        let aside = DVec3::new(x, if case % 2 == 0 { x } else { y }, 0.0);
        let plate = [0, 1, 3, 2].map(|i| ((corner(i) + aside).with_z(0.0)) * size);
        let turn = random.rotation();
        let plate = plate.map(|x| turn * x).to_vec();
        let floor = if case % 4 < 2 {
            Wall::new(SurfaceMesh::new(plate, [[0, 1, 2], [0, 2, 3]]).unwrap())
        } else {
            // It was small before.
            let small = plate.iter().map(|x| x / size).collect();
            let mut floor = Wall::new(SurfaceMesh::new(small, [[0, 1, 2], [0, 2, 3]]).unwrap());
            floor.set_vertices(&plate).unwrap();
            floor
        };
        // On an edge along the floor, or almost on a face.
        let lean = [random.range(0.1, 1.4), 1e-13 * random.unit(), 0.0][case % 3];
        let own = DQuat::from_rotation_z(random.range(0.0, 6.0)) * DQuat::from_rotation_x(lean);
        let low = cube
            .vertices()
            .iter()
            .map(|&x| (own * x).z)
            .fold(0.0, f64::min);
        let depth = random.range(0.001, 0.1);
        let at = turn * (DVec3::Z * (-low - depth));
        let body = Placed::new(&cube, Pose3::new_normalize(turn * own, at).unwrap());
        let mut found = Vec::new();
        let kernel = &mut ConvexWall::new();
        kernel.for_each_contact(&body, &floor, &mut Default::default(), |c| found.push(c));
        // The rounding of the corners.
        let error = 1e-12 + 4e-15 * size;
        let is_right = |c: &ConvexWallContact| {
            (c.overlap - depth).abs() <= error && c.normal.distance(turn * -DVec3::Z) <= error
        };
        let [only] = &found[..] else {
            panic!("{case}, {size}: {found:?}");
        };
        assert!(is_right(only), "{case}, {size}, {depth}: {only:?}");
    }
}
