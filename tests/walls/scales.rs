//! Walls and spheres in any unit of length: a power of two changes lengths by exactly that factor.

use crate::support::lattice_scene::{LatticeScene, WallFamily};
use osculate::glam::DVec3;
use osculate::narrow::{ContactSelection, WallMesh};
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{
    DoubleHierarchy, NarrowPhase, Skin, Sphere, SurfaceMesh, Wall, WallContact, WallList,
};

const UNITS: [f64; 2] = [two_to(-100), two_to(100)];

const fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

fn facets_of(mesh: &SurfaceMesh) -> Vec<Vec<u32>> {
    mesh.facets()
        .map(|facet| facet.vertices().to_vec())
        .collect()
}

/// Returns the contacts of a sphere of radius `radius` that moves along centers, in units of length.
fn of_sphere<M: WallMesh>(
    wall: &Wall<M>,
    kernel: &mut DoubleHierarchy<M::Vector>,
    centers: &[M::Vector],
    radius: f64,
    unit: f64,
) -> Vec<Vec<WallContact<M::Vector>>> {
    let contacts = |&center: &M::Vector| {
        let mut found = Vec::new();
        let sphere = Sphere::new(center * unit, radius * unit);
        kernel.for_each_contact(&sphere, wall, &mut (), |mut c| {
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
        let mut mesh = scene.mesh(1.0).unwrap();
        if case / 9 % 2 == 1 {
            // Vertices hang on edges except for rounding.
            let turn = random.rotation();
            let cut = rewritten(&mesh, random.next_u64()).unwrap();
            let turned = cut.vertices().iter().map(|&x| turn * x).collect();
            mesh = SurfaceMesh::new(turned, facets_of(&cut)).unwrap();
        }
        let up = mesh.facet(0).unwrap().normal();
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
                let wall = Wall::new(SurfaceMesh::new(scaled, facets_of(&mesh)).unwrap());
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
            let mut list = WallList::<()>::new(skin).unwrap();
            list.update(&spheres, &floor).unwrap();
            assert_eq!(list.bodies(), [0, 1], "{unit} {extent}");
            // A body that was away comes near.
            let spheres = heights.map(|z| Sphere::new(DVec3::new(0.0, 0.0, z - 0.5) * unit, unit));
            list.update(&spheres, &floor).unwrap();
            assert_eq!(list.bodies()[..3], [0, 1, 2], "{unit} {extent}");
        }
    }
}
