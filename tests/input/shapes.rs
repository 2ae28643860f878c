//! Every constructor of shapes with every kind of invalid input.
//!
//! Each returns a typed error with the lowest invalid index; an updated object stays as it was.
//! `bodies.rs` has broad phases, `numbers.rs` parameters, `table.rs` the other functions.

use crate::of;
use crate::support::bad::{BAD_COORDINATES, bad_position, refused};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::MIN_LENGTH;
use osculate::shape::weld;
use osculate::{
    Aabb, ConvexPolygon, ConvexPolyhedron, Error, PeriodicBox, Pose2, Pose3, SolidMesh,
    SurfaceMesh, Vector, Wall,
    narrow::FacetSubset,
    shape::{BoxTree, Polygon, SegmentMesh, TetMesh},
};

/// A tetrahedron with a vertex that can be made invalid, and two unused vertices after it.
fn corners() -> Vec<DVec3> {
    [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [2, 2, 2],
        [3, 3, 3],
    ]
    .map(|p: [i32; 3]| DVec3::from_array(p.map(f64::from)))
    .to_vec()
}

fn flat_corners() -> Vec<DVec2> {
    corners().iter().map(|p| p.truncate()).collect()
}

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const SEGMENTS: [[u32; 2]; 2] = [[0, 1], [1, 2]];

fn boxes<V: Vector>(points: &[V]) -> Vec<Aabb<V>> {
    points.iter().map(|&p| Aabb { min: p, max: p }).collect()
}

/// Changes an object, which stays as it was after an error.
fn changed<T: Clone + PartialEq>(
    mut object: T,
    change: impl FnOnce(&mut T) -> Result<(), Error>,
) -> Result<(), Error> {
    let before = object.clone();
    let result = change(&mut object);
    assert!(result.is_ok() || object == before);
    result
}

fn mesh() -> SurfaceMesh {
    SurfaceMesh::new(corners(), TETRAHEDRON).unwrap()
}

fn line() -> SegmentMesh {
    SegmentMesh::new(flat_corners(), SEGMENTS.to_vec()).unwrap()
}

/// Functions of positions, by the name of a position in messages.
type Takers<V> = (
    &'static str,
    &'static [(&'static str, fn(&[V]) -> Result<(), Error>)],
);

#[rustfmt::skip]
const TAKERS: [Takers<DVec3>; 3] = [
    ("vertex", &[
        ("SurfaceMesh::new", |p| of(SurfaceMesh::new(p.to_vec(), TETRAHEDRON))),
        ("SolidMesh::new", |p| of(SolidMesh::new(p.to_vec(), TETRAHEDRON))),
        ("ConvexPolyhedron::new", |p| of(ConvexPolyhedron::new(p.to_vec(), TETRAHEDRON))),
        ("TetMesh::new", |p| of(TetMesh::new(p.to_vec(), vec![[0, 1, 2, 3]]))),
        ("SurfaceMesh::set_vertices", |p| changed(mesh(), |mesh| mesh.set_vertices(p))),
        ("Wall::set_vertices", |p| changed(Wall::new(mesh()), |wall| wall.set_vertices(p))),
    ]),
    ("point", &[
        ("welded", |p| of(SurfaceMesh::welded(p, TETRAHEDRON, 0.0))),
        ("welded, 0.1", |p| of(SurfaceMesh::welded(p, TETRAHEDRON, 0.1))),
        ("SurfaceMesh::from_triangles", |p| of(SurfaceMesh::from_triangles(p.as_chunks().0))),
        ("SolidMesh::from_triangles", |p| of(SolidMesh::from_triangles(p.as_chunks().0))),
        ("from_convex_hull", |p| of(ConvexPolyhedron::from_convex_hull(p))),
        ("weld", |p| of(weld(p))),
    ]),
    ("box", &[
        ("BoxTree::new", |p| of(BoxTree::new(&boxes(p)))),
        ("BoxTree::refit", |p| {
            let tree = BoxTree::new(&boxes(&corners())).unwrap();
            changed(tree, |tree| tree.refit(&boxes(p)))
        }),
    ]),
];

#[rustfmt::skip]
const FLAT_TAKERS: [Takers<DVec2>; 3] = [
    ("vertex", &[
        ("SegmentMesh::new", |p| of(SegmentMesh::new(p.to_vec(), SEGMENTS.to_vec()))),
        ("ConvexPolygon::new", |p| of(ConvexPolygon::new(p.to_vec()))),
        ("Polygon::new", |p| of(Polygon::new(p.to_vec()))),
        ("SegmentMesh::set_vertices", |p| changed(line(), |line| line.set_vertices(p))),
        ("Wall::set_vertices", |p| changed(Wall::new(line()), |wall| wall.set_vertices(p))),
    ]),
    ("point", &[("from_convex_hull", |p| of(ConvexPolygon::from_convex_hull(p)))]),
    ("box", &[("BoxTree::new", |p| of(BoxTree::new(&boxes(p))))]),
];

/// A function of one position: its name, and the name of the position in messages.
type PointTaker = (&'static str, &'static str, fn(DVec3) -> Result<(), Error>);

#[rustfmt::skip]
const POINT_TAKERS: [PointTaker; 9] = [
    ("Pose3::new", "translation", |p| of(Pose3::new(DQuat::IDENTITY, p))),
    ("new_normalize", "translation", |p| of(Pose3::new_normalize(DQuat::IDENTITY, p))),
    ("from_translation", "translation", |p| of(Pose3::from_translation(p))),
    ("Pose2::new", "translation", |p| of(Pose2::new(DVec2::X, p.truncate()))),
    ("from_angle", "translation", |p| of(Pose2::from_angle(1.0, p.truncate()))),
    ("Aabb::new", "corner 0", |p| of(Aabb::new(p, DVec3::ONE))),
    ("Aabb::new", "corner 1", |p| of(Aabb::new(DVec3::ZERO, p))),
    ("orthogonal", "corner", |p| of(PeriodicBox::orthogonal(p, DVec3::ONE, [true; 3]))),
    ("triclinic", "corner", |p| {
        let tilts = [0.5; 3];
        of(PeriodicBox::triclinic(p, DVec3::ONE, tilts, [true; 3]))
    }),
];

/// The names of all functions of positions.
#[cfg(feature = "rayon")]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let takers = TAKERS.iter().flat_map(|(_, takers)| takers.iter());
    let flat = FLAT_TAKERS.iter().flat_map(|(_, takers)| takers.iter());
    let names = takers.map(|taker| taker.0).chain(flat.map(|taker| taker.0));
    names.chain(POINT_TAKERS.iter().map(|taker| taker.0))
}

fn refuse_position<V>(takers: [Takers<V>; 3], points: &[V], index: usize, axis: usize, value: f64) {
    for (element, takers) in takers {
        let message = bad_position(&format!("{element} {index}"), axis, value);
        for (name, take) in takers {
            refused(name, take(points), &message);
        }
    }
}

/// Every function that takes positions names the lowest invalid one.
#[test]
fn positions() {
    for (value, axis) in BAD_COORDINATES
        .iter()
        .flat_map(|&x| [0, 1, 2].map(|k| (x, k)))
    {
        for index in [0, 3, 4] {
            let mut bad = corners();
            bad[index][axis] = value;
            bad[5] = DVec3::splat(f64::NAN);
            refuse_position(TAKERS, &bad, index, axis, value);
            let flat: Vec<DVec2> = bad.iter().map(|p| p.truncate()).collect();
            if axis < 2 {
                refuse_position(FLAT_TAKERS, &flat, index, axis, value);
            }
        }
        let mut point = DVec3::ZERO;
        point[axis] = value;
        for (name, element, take) in POINT_TAKERS {
            let is_flat = name.starts_with("Pose2") || name == "from_angle";
            if axis < 2 || !is_flat {
                refused(name, take(point), &bad_position(element, axis, value));
            }
        }
    }
}

#[test]
fn boxes_and_counts() {
    let unit = Aabb::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let empty = Aabb {
        min: DVec3::Y,
        max: DVec3::ZERO,
    };
    let message = |index: usize| {
        format!("box {index}: on axis 1 the lower bound 1.0 exceeds the upper bound 0.0")
    };
    refused("check", empty.validate(7), &message(7));
    refused("tree", BoxTree::new(&[unit, empty, empty]), &message(1));
    let message = "the number of elements is 5, not 6 as before";
    let few = &corners()[..5];
    refused("mesh", mesh().set_vertices(few), message);
    refused("wall", Wall::new(mesh()).set_vertices(few), message);
    let few = &flat_corners()[..5];
    refused("line", line().set_vertices(few), message);
}

/// Facets, each wrong in one way, the second of which is worse.
#[test]
fn facets() {
    let missing = |vertex: u32| {
        format!("facet 1: vertex {vertex} does not exist, the number of vertices is 6")
    };
    let repeated = "facet 1: vertex 0 is repeated";
    let cases: [(&[u32], &str); 5] = [
        (&[0, 1], "facet 1: 2 corners are fewer than 3"),
        (&[], "facet 1: 0 corners are fewer than 3"),
        (&[0, 1, 6], &missing(6)),
        (&[u32::MAX, 1, 2], &missing(u32::MAX)),
        (&[0, 1, 0], repeated),
    ];
    for (bad, message) in cases {
        let facets: [&[u32]; 4] = [&[0, 2, 1], bad, &[9, 9], &[0, 1, 3]];
        refused("mesh", SurfaceMesh::new(corners(), facets), message);
        for tolerance in [0.0, 0.1] {
            let welded = SurfaceMesh::welded(&corners(), facets, tolerance);
            refused("welded", welded, message);
        }
        let polyhedron = ConvexPolyhedron::new(corners(), facets);
        refused("polyhedron", polyhedron, message);
        if let Some(&bad) = bad.first_chunk() {
            let facets = [[0, 2, 1], bad, [9, 9, 9]];
            refused("solid", SolidMesh::new(corners(), facets), message);
        }
    }
    let segments = |bad| SegmentMesh::new(flat_corners(), vec![[0, 1], bad, [9, 9]]);
    refused("segment", segments([0, 6]), &missing(6));
    refused("segment", segments([0, 0]), repeated);
    let subset = FacetSubset::new(&Wall::new(mesh()), &[0, 3, 4, 9]).map(drop);
    let message = "entry 2: facet 4 does not exist, the number of facets is 4";
    refused("FacetSubset", subset, message);
}

/// Triangles without common corners, also with corners that are rounded differently, enclose nothing; as a wall they
/// are fine.
#[test]
fn solids_that_need_welding() {
    let facets = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]];
    let message = "facet 0: edge [0, 1] is open, and vertices coincide there; \
                   weld them (SurfaceMesh::welded, from_triangles)";
    for shift in [0.0, 1e-17] {
        let apart = TETRAHEDRON.map(|ids| ids.map(|id| corners()[id as usize]));
        let mut apart = apart.as_flattened().to_vec();
        apart[1].x += shift;
        refused("solid", SolidMesh::new(apart.clone(), facets), message);
        refused(
            "polyhedron",
            ConvexPolyhedron::new(apart.clone(), facets),
            message,
        );
        let mesh = SurfaceMesh::new(apart, facets).unwrap();
        refused("mesh", SolidMesh::try_from(mesh), message);
    }
}

/// No points, and many on a line.
#[test]
fn hulls_without_volume() {
    let message = "the point set is empty";
    refused("none", ConvexPolyhedron::from_convex_hull(&[]), message);
    refused("none", ConvexPolygon::from_convex_hull(&[]), message);
    let line = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| DVec3::new(0.1, 0.7, -0.3) * f64::from(i));
    let message = "the points have no hull: all 9 lie in the line or plane of points [8, 0, 7]";
    refused("line", ConvexPolyhedron::from_convex_hull(&line), message);
}

#[test]
fn polygons() {
    let both = |corners: &[DVec2], message: &str| {
        refused("convex", ConvexPolygon::new(corners.to_vec()), message);
        refused("general", Polygon::new(corners.to_vec()), message);
    };
    for count in 0..3 {
        let message = format!("facet 0: {count} corners are fewer than 3");
        both(&[DVec2::ZERO, DVec2::X][..count], &message);
    }
    let length = MIN_LENGTH / 2.0;
    let short = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y * length];
    let message = format!("facet 0: the edge from vertex 3 has length {length:?}, below 2^-150");
    both(&short, &message);
}
