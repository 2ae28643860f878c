//! Facets that coincide, that lie in one plane, and that meet at right angles.

use crate::support::all_contacts;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, Sphere, SurfaceMesh, Wall,
    narrow::{ContactSelection, WallSides},
    shape::SegmentMesh,
};

fn mesh(corners: &[[(f64, f64, f64); 3]], turn: DQuat) -> Wall {
    let corner = |&(x, y, z): &(f64, f64, f64)| turn * DVec3::new(x, y, z);
    let soup: Vec<_> = corners.iter().map(|t| t.each_ref().map(corner)).collect();
    Wall::new(SurfaceMesh::from_triangles(&soup).unwrap())
}

/// Two triangles of a square, cut along either diagonal.
fn square(is_other: bool, is_back: bool) -> Vec<[(f64, f64, f64); 3]> {
    let [a, b, c, d] =
        [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(x, y)| (x, y, 0.0));
    let mut triangles = if is_other {
        vec![[a, b, d], [b, c, d]]
    } else {
        vec![[a, b, c], [a, c, d]]
    };
    if is_back {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    triangles
}

/// A sheet written with both windings has two fronts, however each is cut.
#[test]
fn both_sides_of_a_sheet_are_fronts() {
    let mut random = SplitMix64::new(1);
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
    for cut in [false, true] {
        for _ in 0..2000 {
            let turn = random.rotation();
            let sheet = mesh(&[square(false, false), square(cut, true)].concat(), turn);
            let one = mesh(&square(cut, true), turn);
            let [x, y] = [0; 2].map(|_| random.range(-1.9, 1.9));
            for (height, count) in [(0.4, 0), (-0.4, 1)] {
                let sphere = Sphere::new(turn * DVec3::new(x, y, height), 0.5);
                let found = all_contacts(&mut kernel, &sphere, &sheet);
                assert_eq!(found.len(), 1, "{found:?}");
                assert!((found[0].overlap - 0.1).abs() < 1e-15);
                assert_eq!(all_contacts(&mut kernel, &sphere, &one).len(), count);
            }
        }
    }
    let points = [(-2.0, 0.0), (2.0, 0.0), (0.3, 0.0)].map(|(x, y)| DVec2::new(x, y));
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
    for back in [vec![[1, 0]], vec![[1, 2], [2, 0]]] {
        let segments = [vec![[0, 1]], back].concat();
        let sheet = Wall::new(SegmentMesh::new(points.to_vec(), segments).unwrap());
        for y in [0.4, -0.4] {
            for step in 0..100 {
                let disc = Sphere::new(DVec2::new(0.037 * f64::from(step) - 1.9, y), 0.5);
                assert_eq!(all_contacts(&mut kernel, &disc, &sheet).len(), 1);
            }
        }
    }
}

/// A knife whose lower side has a vertex in the middle of the edge: as with a whole edge.
#[test]
fn knife_with_a_hanging_vertex() {
    let (a, b, v) = ((0.0, -2.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.25, 0.0));
    let mut random = SplitMix64::new(2);
    for thickness in [0.5, 0.01, 0.0] {
        let (up, down) = ((-3.0, 0.0, thickness), (-3.0, 0.0, -thickness));
        let [whole, hanging] = [
            vec![[a, b, up], [b, a, down]],
            vec![[a, b, up], [b, v, down], [v, a, down]],
        ];
        for _ in 0..5000 {
            let turn = random.rotation();
            let walls = [&whole, &hanging].map(|triangles| mesh(triangles, turn));
            let angle = random.range(-3.0, 3.0);
            let [height, y] = [random.range(0.01, 0.49), random.range(-1.5, 1.5)];
            let center = DVec3::new(height * angle.cos(), y, height * angle.sin());
            let sphere = Sphere::new(turn * center, 0.5);
            for sides in [WallSides::Both, WallSides::Front] {
                let mut kernel = DoubleHierarchy::new().with_sides(sides);
                let [whole, hanging] = walls
                    .each_ref()
                    .map(|wall| all_contacts(&mut kernel, &sphere, wall));
                assert_eq!(
                    whole.len(),
                    hanging.len(),
                    "{thickness} {center} {whole:?} {hanging:?}"
                );
                for (a, b) in whole.iter().zip(&hanging) {
                    assert!(a.offset.distance(b.offset) < 1e-14, "{a:?} {b:?}");
                }
            }
        }
    }
}

/// Two plates in one plane: next to the slot the other plate is on the tangent plane of the closest
/// contact, and behind it for any rounding.
#[test]
fn coplanar_plates_with_a_slot() {
    fn check(height: f64, mut count_at: impl FnMut(f64) -> usize) {
        for step in 0..400 {
            let x = 0.005 * (f64::from(step) + 0.5) - 1.0;
            let count = if x.abs() < 0.1 { 2 } else { 1 };
            assert_eq!(count_at(x), count, "{x} {height}");
        }
    }
    let mut random = SplitMix64::new(3);
    let plate = |at: f64, to: f64| {
        [
            [(at, -4.0, 0.0), (to, -4.0, 0.0), (at, 4.0, 0.0)],
            [(to, 4.0, 0.0), (at, 4.0, 0.0), (to, -4.0, 0.0)],
        ]
    };
    let mut kernel = DoubleHierarchy::new().with_selection(ContactSelection::half_space());
    for _ in 0..100 {
        let turn = random.rotation();
        let wall = mesh(&[plate(-4.0, -0.1), plate(0.1, 4.0)].concat(), turn);
        for height in [0.4, 1e-3, 0.0] {
            check(height, |x| {
                let sphere = Sphere::new(turn * DVec3::new(x, 0.3, height), 0.9);
                all_contacts(&mut kernel, &sphere, &wall).len()
            });
        }
    }
    let points = [-4.0, -0.1, 0.1, 4.0].map(|x| DVec2::new(0.6, 0.8) * x);
    let plates = Wall::new(SegmentMesh::new(points.to_vec(), vec![[0, 1], [2, 3]]).unwrap());
    let mut kernel = DoubleHierarchy::new().with_selection(ContactSelection::half_space());
    for height in [0.4, 1e-3] {
        check(height, |x| {
            let center = DVec2::new(0.6, 0.8) * x + DVec2::new(-0.8, 0.6) * height;
            all_contacts(&mut kernel, &Sphere::new(center, 0.9), &plates).len()
        });
    }
}

/// A wall at right angles to a floor, and through it, is touched from any height above the floor beyond noise. A center on
/// the floor sees the wall on its tangent plane: not in the half space.
#[test]
fn wall_on_a_floor() {
    let mut random = SplitMix64::new(4);
    let (a, b, c, d) = (
        (0.0, -4.0, 0.0),
        (0.0, 4.0, 0.0),
        (4.0, 4.0, 0.0),
        (4.0, -4.0, 0.0),
    );
    let (e, f) = ((0.0, -4.0, 3.0), (0.0, 4.0, 3.0));
    let (g, h) = ((0.0, -4.0, -1.0), (0.0, 4.0, -1.0));
    let corner = [[a, d, c], [a, c, b], [g, h, f], [g, f, e]];
    let mut kernel = DoubleHierarchy::new().with_selection(ContactSelection::half_space());
    for case in 0..2000 {
        let turn = if case % 2 == 0 {
            DQuat::IDENTITY
        } else {
            random.rotation()
        };
        let wall = mesh(&corner, turn);
        for height in [0.0, 1e-300, 1e-17, 1e-12, 1e-4, 0.1] {
            let center = DVec3::new(random.range(0.1, 0.4), random.range(-3.0, 3.0), height);
            let found = all_contacts(&mut kernel, &Sphere::new(turn * center, 0.5), &wall);
            let count = if height > 1e-5 { 2 } else { 1 };
            assert_eq!(found.len(), count, "{center} {found:?}");
        }
    }
}
