//! Solids of several shells: touching, hollow, overlapping and nested ones; and gaps in files.

use crate::support::solids::{BoxShell, box_shells};
use osculate::glam::{DVec3, Vec3Swizzles};
use osculate::testing::workload::{SplitMix64, cubes};
use osculate::{Bounded, Error, ErrorKind, SolidMesh};

fn block(low: [f64; 3], high: [f64; 3]) -> BoxShell {
    ([low, high].map(DVec3::from), false)
}

fn hollow(low: [f64; 3], high: [f64; 3]) -> BoxShell {
    ([low, high].map(DVec3::from), true)
}

fn solid(shells: &[BoxShell]) -> Result<SolidMesh, Error> {
    turned(shells, |x| x)
}

fn turned(shells: &[BoxShell], place: impl Fn(DVec3) -> DVec3) -> Result<SolidMesh, Error> {
    let (vertices, facets) = box_shells(shells);
    SolidMesh::new(vertices.into_iter().map(place).collect(), facets)
}

/// An inner shell that faces outwards would count twice. One that faces inwards is a cavity.
#[test]
fn a_shell_inside_another_one() {
    let outer = || block([-20.0, -20.0, -5.0], [20.0, 20.0, 5.0]);
    let (low, high) = ([-10.0, -10.0, -2.0], [10.0, 10.0, 2.0]);
    for blocks in [[outer(), block(low, high)], [block(low, high), outer()]] {
        let error = solid(&blocks).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Intersection);
        let first = if blocks[0].0[1].x == 10.0 { 0 } else { 12 };
        assert_eq!(error.index(), Some(first), "{error}");
    }
    for blocks in [[outer(), hollow(low, high)], [hollow(low, high), outer()]] {
        let solid = solid(&blocks).unwrap();
        assert_eq!(solid.volume(), 14_400.0);
        let properties = solid.mass_properties(1.0);
        assert_eq!(properties.mass, 14_400.0);
    }
    // A body inside the cavity is outside the solid.
    let body = block([-9.0, -9.0, -1.0], [9.0, 9.0, 1.0]);
    let shells = [outer(), hollow(low, high), body];
    assert_eq!(solid(&shells).unwrap().volume(), 14_400.0 + 648.0);
}

/// Shells in the box of a tetrahedron, in front of its slanted face.
#[test]
fn a_shell_beside_another_one() {
    let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * 6.0);
    let with = |vertices: &[DVec3], facets: &[[u32; 3]]| {
        let facets = facets.iter().map(|ids| ids.map(|id| id + 4));
        let all = tetrahedron.into_iter().chain(facets);
        SolidMesh::new([&corners, vertices].concat(), all)
    };
    let is_refused = |result: Result<SolidMesh, Error>| {
        let error = result.unwrap_err();
        (error.kind(), error.index()) == (ErrorKind::Orientation, Some(4))
    };
    // A cavity takes off less than the volume of the tetrahedron, or all of it.
    for height in [3.0, 4.0] {
        let cavity = hollow([3.0, 3.0, 6.0 - height], [6.0; 3]);
        let (vertices, facets) = box_shells(&[cavity]);
        assert!(is_refused(with(&vertices, &facets)));
    }
    // Two opposite triangles enclose nothing. They are refused beside a solid and accepted as a cavity.
    let flat = |shift: DVec3| {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v + shift);
        with(&vertices, &[[0, 1, 2], [0, 2, 1]])
    };
    assert!(is_refused(flat(DVec3::X * 50.0)));
    assert_eq!(flat(DVec3::ONE).unwrap().volume(), 36.0);
}

/// Each pair of boxes overlaps, or is oriented wrongly, in another way.
#[test]
fn overlapping_shells() {
    let unit = || block([0.0; 3], [2.0; 3]);
    let cases = [
        ("corner", vec![unit(), block([1.0; 3], [3.0; 3])]),
        ("the same", vec![unit(), unit()]),
        (
            "flush",
            vec![unit(), block([1.0, 0.0, 0.0], [3.0, 2.0, 2.0])],
        ),
        (
            "no vertex inside",
            vec![unit(), block([0.5, 0.25, -1.0], [1.5, 1.75, 3.0])],
        ),
        (
            "at a wall inside",
            vec![unit(), block([0.0, 0.5, 0.5], [1.0, 1.5, 1.5])],
        ),
        ("cavity of a cavity", {
            let inner = hollow([0.75; 3], [1.25; 3]);
            vec![unit(), hollow([0.5; 3], [1.5; 3]), inner]
        }),
        ("cavity outside", vec![unit(), hollow([4.0; 3], [5.0; 3])]),
        ("cavity beside", {
            vec![unit(), hollow([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])]
        }),
        ("cavities", {
            let big = block([-9.0; 3], [9.0; 3]);
            vec![big, hollow([0.0; 3], [2.0; 3]), hollow([1.0; 3], [3.0; 3])]
        }),
    ];
    for (name, blocks) in &cases {
        assert!(solid(blocks).is_err(), "{name}");
    }
    // In any position that rounding leaves as clear.
    let mut random = SplitMix64::new(17);
    for (name, blocks) in &cases {
        if ["the same", "flush", "at a wall inside", "cavity beside"].contains(name) {
            continue;
        }
        for _ in 0..20 {
            let (turn, shift) = (random.rotation(), random.in_ball() * 9.0);
            let result = turned(blocks, |x| turn * x + shift);
            assert!(result.is_err(), "{name}");
        }
    }
}

/// Shells that only touch are parts of one solid, from whichever side.
#[test]
fn touching_shells() {
    let unit = || block([0.0; 3], [2.0; 3]);
    let cases = [
        (
            "face",
            vec![unit(), block([2.0, 0.0, 0.0], [4.0, 2.0, 2.0])],
        ),
        (
            "part of a face",
            vec![unit(), block([2.0, 0.5, 1.0], [3.0, 1.0, 3.0])],
        ),
        (
            "edge",
            vec![unit(), block([2.0, 2.0, 0.0], [3.0, 3.0, 2.0])],
        ),
        ("corner", vec![unit(), block([2.0; 3], [3.0; 3])]),
        (
            "crossed edges",
            vec![unit(), block([2.0, 2.0, -1.0], [3.0, 3.0, 9.0])],
        ),
        ("studs", {
            let stud = |x: f64, y: f64| block([x, y, 1.0], [x + 1.0, y + 1.0, 2.0]);
            let slab = block([0.0; 3], [8.0, 8.0, 1.0]);
            vec![slab, stud(0.0, 0.0), stud(3.0, 3.0), stud(4.5, 1.5)]
        }),
        ("filled cavity", {
            let cavity = || hollow([0.5; 3], [1.5; 3]);
            vec![unit(), cavity(), block([0.5; 3], [1.5; 3])]
        }),
        ("cavity at the surface", {
            vec![unit(), hollow([0.5, 0.5, 0.0], [1.5, 1.5, 1.0])]
        }),
        ("cavities side by side", {
            let cavity = |x: f64| hollow([x, 0.5, 0.5], [x + 0.5, 1.5, 1.5]);
            vec![unit(), cavity(0.5), cavity(1.0)]
        }),
        ("lattice", {
            let at = |i: u32| [i % 3, i / 3 % 3, i / 9].map(f64::from);
            let cell = |i: u32| block(at(i), at(i).map(|x| x + 1.0));
            (0..27).map(cell).collect()
        }),
    ];
    for (name, blocks) in &cases {
        for signs in 0..8 {
            // An odd number of reflections would turn the shells inside out.
            let flip = DVec3::from([0, 1, 2].map(|axis| 1.0 - 2.0 * f64::from(signs >> axis & 1)));
            let is_even = flip.element_product() > 0.0;
            let place = |x: DVec3| if is_even { x * flip } else { (x * flip).zyx() };
            let result = turned(blocks, place);
            assert!(result.is_ok(), "{name} {flip}: {result:?}");
        }
    }
}

/// Gaps beside zero in files of single precision, as programs write them for a vertex that rounding
/// puts on both sides of a plane of symmetry.
#[test]
fn gaps_below_the_precision_of_a_file() {
    let cube = cubes(&[[0, 0, 0]], 0.525).unwrap();
    let soup: Vec<[DVec3; 3]> = (cube.surface().facets())
        .map(|facet| {
            let corners: Vec<_> = facet.corners().collect();
            [corners[0], corners[1], corners[2]].map(|x| x.map(|x| f64::from(x as f32)))
        })
        .collect();
    let closed = SolidMesh::from_triangles(&soup).unwrap();
    let lowest = closed.surface().bounding_box().min;
    for (gap, is_closed) in [(1e-20, true), (-3.4e-17, true), (1e-8, true), (1e-6, false)] {
        let mut soup: Vec<_> = (soup.iter())
            .map(|corners| corners.map(|x| x - lowest))
            .collect();
        let corner = soup[0]
            .iter_mut()
            .min_by(|a, b| a.length().total_cmp(&b.length()));
        corner.unwrap().x += f64::from(gap as f32);
        let result = SolidMesh::from_triangles(&soup);
        match result {
            Ok(solid) => {
                assert!(is_closed, "{gap}");
                assert_eq!(solid.surface().vertices().len(), 8);
                assert!((solid.volume() - closed.volume()).abs() < 1e-6);
            }
            Err(error) => {
                assert!(!is_closed, "{gap}: {error}");
                assert_eq!(error.kind(), ErrorKind::NotClosed);
            }
        }
    }
}
