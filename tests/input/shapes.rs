//! Every constructor of shapes with every kind of invalid input.
//!
//! Each returns a typed error with the lowest invalid index; an updated object stays as it was.
//! `input_bodies.rs` has broad phases, `input_numbers.rs` parameters, `input_table.rs` the list of
//! all functions.

use crate::support::bad::{BAD_COORDINATES, Refusal, bad_position, refusal, refused};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::MIN_LENGTH;
use osculate::shape::weld;
use osculate::{
    Aabb, ConvexPolygon, ConvexPolyhedron, Error, ErrorKind, PeriodicBox, Pose2, Pose3, SolidMesh,
    SurfaceMesh, Wall,
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

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// Every function that takes positions names the lowest invalid one; an updated object stays as it
/// was.
#[test]
fn positions() {
    type Taker3 = (
        &'static str,
        &'static str,
        fn(&[DVec3]) -> Result<(), Error>,
    );
    const TAKERS: [Taker3; 12] = [
        ("SurfaceMesh::new", "vertex", |p| {
            SurfaceMesh::new(p.to_vec(), TETRAHEDRON).map(|_| ())
        }),
        ("welded", "point", |p| {
            SurfaceMesh::welded(p, TETRAHEDRON, 0.0).map(|_| ())
        }),
        ("welded, 0.1", "point", |p| {
            SurfaceMesh::welded(p, TETRAHEDRON, 0.1).map(|_| ())
        }),
        ("from_triangles", "point", |p| {
            SurfaceMesh::from_triangles(p.as_chunks().0).map(|_| ())
        }),
        ("SolidMesh::new", "vertex", |p| {
            SolidMesh::new(p.to_vec(), TETRAHEDRON).map(|_| ())
        }),
        ("ConvexPolyhedron::new", "vertex", |p| {
            ConvexPolyhedron::new(p.to_vec(), TETRAHEDRON).map(|_| ())
        }),
        ("TetMesh::new", "vertex", |p| {
            TetMesh::new(p.to_vec(), vec![[0, 1, 2, 3]]).map(|_| ())
        }),
        ("convex_hull", "point", |p| {
            ConvexPolyhedron::from_convex_hull(p).map(|_| ())
        }),
        ("weld", "point", |p| weld(p).map(|_| ())),
        ("BoxTree::new", "box", |p| {
            let boxes: Vec<_> = p.iter().map(|&p| Aabb { min: p, max: p }).collect();
            BoxTree::new(&boxes).map(|_| ())
        }),
        ("set_vertices", "vertex", |p| {
            let mut mesh = SurfaceMesh::new(corners(), TETRAHEDRON).unwrap();
            let (before, result) = (mesh.clone(), mesh.set_vertices(p));
            assert_eq!(mesh, before);
            result
        }),
        ("Wall::set_vertices", "vertex", |p| {
            let mut wall = Wall::new(SurfaceMesh::new(corners(), TETRAHEDRON).unwrap());
            let (before, result) = (wall.clone(), wall.set_vertices(p));
            assert_eq!(wall.mesh(), before.mesh());
            result
        }),
    ];
    type Taker2 = (
        &'static str,
        &'static str,
        fn(&[DVec2]) -> Result<(), Error>,
    );
    const SEGMENTS: [[u32; 2]; 2] = [[0, 1], [1, 2]];
    fn line() -> SegmentMesh {
        SegmentMesh::new(
            corners().iter().map(|p| p.truncate()).collect(),
            SEGMENTS.to_vec(),
        )
        .unwrap()
    }
    const FLAT_TAKERS: [Taker2; 7] = [
        ("SegmentMesh::new", "vertex", |p| {
            SegmentMesh::new(p.to_vec(), SEGMENTS.to_vec()).map(|_| ())
        }),
        ("ConvexPolygon::new", "vertex", |p| {
            ConvexPolygon::new(p.to_vec()).map(|_| ())
        }),
        ("Polygon::new", "vertex", |p| {
            Polygon::new(p.to_vec()).map(|_| ())
        }),
        ("convex_hull_2d", "point", |p| {
            ConvexPolygon::from_convex_hull(p).map(|_| ())
        }),
        ("BoxTree::new", "box", |p| {
            let boxes: Vec<_> = p.iter().map(|&p| Aabb { min: p, max: p }).collect();
            BoxTree::new(&boxes).map(|_| ())
        }),
        ("set_vertices", "vertex", |p| {
            let mut mesh = line();
            let (before, result) = (mesh.clone(), mesh.set_vertices(p));
            assert_eq!(mesh, before);
            result
        }),
        ("Wall::set_vertices", "vertex", |p| {
            let mut wall = Wall::new(line());
            let (before, result) = (wall.clone(), wall.set_vertices(p));
            assert_eq!(wall.mesh(), before.mesh());
            result
        }),
    ];
    for value in BAD_COORDINATES {
        for axis in 0..3 {
            for index in [0, 3, 4] {
                let mut bad = corners();
                bad[index][axis] = value;
                bad[5] = DVec3::splat(f64::NAN);
                for (name, element, take) in TAKERS {
                    let error = bad_position(&format!("{element} {index}"), axis, value);
                    refused(name, take(&bad), &error);
                }
                let flat: Vec<DVec2> = bad.iter().map(|p| p.truncate()).collect();
                let index = if axis == 2 { 5 } else { index };
                for (name, element, take) in FLAT_TAKERS.into_iter().filter(|_| axis < 2) {
                    let error = bad_position(&format!("{element} {index}"), axis, value);
                    refused(name, take(&flat), &error);
                }
            }
            let mut point = DVec3::ZERO;
            point[axis] = value;
            let error = |element| bad_position(element, axis, value);
            refused(
                "pose",
                Pose3::new(DQuat::IDENTITY, point),
                &error("translation"),
            );
            refused(
                "pose",
                Pose3::new_normalize(DQuat::IDENTITY, point),
                &error("translation"),
            );
            refused(
                "pose",
                Pose3::from_translation(point),
                &error("translation"),
            );
            refused("min", Aabb::new(point, DVec3::ONE), &error("corner 0"));
            refused("max", Aabb::new(DVec3::ZERO, point), &error("corner 1"));
            let is_far = PeriodicBox::orthogonal(point, DVec3::ONE, [true; 3]);
            refused("corner", is_far, &error("corner"));
            if axis < 2 {
                let point = point.truncate();
                refused("pose", Pose2::new(DVec2::X, point), &error("translation"));
                refused("pose", Pose2::from_angle(1.0, point), &error("translation"));
            }
        }
    }
}

#[test]
fn boxes() {
    let unit = Aabb::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let empty = Aabb {
        min: DVec3::Y,
        max: DVec3::ZERO,
    };
    let error = |index| {
        refusal(
            ErrorKind::Bounds,
            Some(index),
            format!("box {index}: on axis 1 the lower bound 1.0 exceeds the upper bound 0.0"),
        )
    };
    refused("new", Aabb::new(empty.min, empty.max), &error(0));
    refused("check", empty.validate(7), &error(7));
    refused("tree", BoxTree::new(&[unit, empty, empty]), &error(1));
    let mut tree = BoxTree::new(&[unit; 3]).unwrap();
    let before = tree.clone();
    refused("refit", tree.refit(&[unit, unit, empty]), &error(2));
    let changed = refusal(
        ErrorKind::Index,
        None,
        "the number of elements is 2, not 3 as before",
    );
    refused("refit", tree.refit(&[unit; 2]), &changed);
    assert_eq!(tree, before);
    let mut wall = SurfaceMesh::new(corners(), &TETRAHEDRON[..3]).unwrap();
    let short = &corners()[..5];
    let changed = refusal(
        ErrorKind::Index,
        None,
        "the number of elements is 5, not 6 as before",
    );
    refused("vertices", wall.set_vertices(short), &changed);
    refused("vertices", Wall::new(wall).set_vertices(short), &changed);
}

/// Facets, each wrong in one way, the second of which is worse.
#[test]
fn facets() {
    let (count, vertex_count) = (2, 6);
    let out_of_range = |vertex| {
        refusal(
            ErrorKind::Index,
            Some(1),
            format!(
                "facet 1: vertex {vertex} does not exist, the number of vertices is {vertex_count}"
            ),
        )
    };
    let cases: [(&[u32], Refusal); 5] = [
        (
            &[0, 1],
            refusal(
                ErrorKind::Facet,
                Some(1),
                format!("facet 1: {count} corners are fewer than 3"),
            ),
        ),
        (
            &[],
            refusal(
                ErrorKind::Facet,
                Some(1),
                "facet 1: 0 corners are fewer than 3",
            ),
        ),
        (&[0, 1, 6], out_of_range(6)),
        (&[u32::MAX, 1, 2], out_of_range(u32::MAX)),
        (
            &[0, 1, 0],
            refusal(ErrorKind::Index, Some(1), "facet 1: vertex 0 is repeated"),
        ),
    ];
    for (bad, error) in cases {
        let facets: [&[u32]; 4] = [&[0, 2, 1], bad, &[9, 9], &[0, 1, 3]];
        refused("SurfaceMesh", SurfaceMesh::new(corners(), facets), &error);
        for tolerance in [0.0, 0.1] {
            let welded = SurfaceMesh::welded(&corners(), facets, tolerance);
            refused("welded", welded, &error);
        }
        refused(
            "ConvexPolyhedron",
            ConvexPolyhedron::new(corners(), facets),
            &error,
        );
        if let Some(&bad) = bad.first_chunk() {
            let facets = [[0, 2, 1], bad, [9, 9, 9]];
            refused("SolidMesh", SolidMesh::new(corners(), facets), &error);
        }
    }
    let flat: Vec<DVec2> = corners().iter().map(|p| p.truncate()).collect();
    let segments = |bad| SegmentMesh::new(flat.clone(), vec![[0, 1], bad, [9, 9]]);
    refused("segment", segments([0, 6]), &out_of_range(6));
    refused(
        "segment",
        segments([2, 2]),
        &refusal(ErrorKind::Index, Some(1), "facet 1: vertex 2 is repeated"),
    );
    // The shortest side there may be.
    let least = [DVec3::ZERO, DVec3::X * MIN_LENGTH, DVec3::Y * MIN_LENGTH];
    assert!(SurfaceMesh::from_triangles(&[least]).is_ok());
    // Quadrilaterals without area: on a line they act as segments, a bow is none.
    for size in [2.0_f64.powi(-40), 1.0, 2.0_f64.powi(40)] {
        let wall = |list: [[f64; 2]; 4]| {
            let at = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0) * size;
            SurfaceMesh::new(list.map(at).to_vec(), [[0, 1, 2, 3]])
        };
        assert!(wall([[0.0; 2], [1.0; 2], [3.0; 2], [2.0; 2]]).is_ok());
        let bow = wall([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        let message = "facet 0: not convex and counter-clockwise at vertex 2";
        refused("bow", bow, &refusal(ErrorKind::Facet, Some(0), message));
    }
    let mesh = SurfaceMesh::new(corners(), TETRAHEDRON).unwrap();
    let error = refusal(
        ErrorKind::Index,
        Some(2),
        "entry 2: facet 4 does not exist, the number of facets is 4",
    );
    refused(
        "FacetSubset",
        FacetSubset::new(&Wall::new(mesh), &[0, 3, 4, 9]),
        &error,
    );
}

/// Surfaces that enclose nothing, or not once.
#[test]
fn solids() {
    let solid =
        |facets: &[[u32; 3]]| SolidMesh::new(corners()[..4].to_vec(), facets.iter().copied());
    let polyhedron = |facets: &[[u32; 3]]| ConvexPolyhedron::new(corners()[..4].to_vec(), facets);
    let both = |facets: &[[u32; 3]], error: Refusal| {
        refused("solid", solid(facets), &error);
        refused("polyhedron", polyhedron(facets), &error);
        let mesh = SurfaceMesh::new(corners()[..4].to_vec(), facets).unwrap();
        refused("mesh", SolidMesh::try_from(mesh), &error);
    };
    both(
        &[],
        refusal(ErrorKind::Degenerate, None, "the mesh is empty"),
    );
    both(
        &TETRAHEDRON[..3],
        refusal(
            ErrorKind::NotClosed,
            Some(0),
            "facet 0: edge [0, 2] is open",
        ),
    );
    // Triangles without common corners, also with corners that are rounded differently.
    for shift in [0.0, 1e-17] {
        let apart = TETRAHEDRON.map(|ids| ids.map(|id| corners()[id as usize]));
        let mut apart = apart.as_flattened().to_vec();
        apart[1].x += shift;
        let facets = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]];
        let message = "facet 0: edge [0, 1] is open, and vertices coincide there; \
                       weld them (SurfaceMesh::welded, from_triangles)";
        let error = refusal(ErrorKind::NotClosed, Some(0), message);
        refused("apart", SolidMesh::new(apart.clone(), facets), &error);
        refused("apart", ConvexPolyhedron::new(apart, facets), &error);
    }
    let twice = [&TETRAHEDRON[..], &TETRAHEDRON].concat();
    both(
        &twice,
        refusal(
            ErrorKind::NonManifold,
            Some(0),
            "edge [0, 1] is shared by 4 facets",
        ),
    );
    let turned = TETRAHEDRON.map(|[a, b, c]| [a, c, b]);
    both(
        &turned,
        refusal(
            ErrorKind::Orientation,
            Some(0),
            "facet 0: volume -0.16666666666666666; its surface is inverted (reverse the corners of all its facets) or flat, or cavities are too large",
        ),
    );
    let mixed = [TETRAHEDRON[0], turned[1], TETRAHEDRON[2], TETRAHEDRON[3]];
    both(
        &mixed,
        refusal(
            ErrorKind::Orientation,
            Some(0),
            "facets 0 and 1 run along edge [0, 1] in the same direction",
        ),
    );
    // Two tetrahedra that share a vertex only.
    let mut more = corners()[..4].to_vec();
    more.extend([-DVec3::X, -DVec3::Y, -DVec3::Z]);
    let other = TETRAHEDRON.map(|f| f.map(|i| if i == 0 { 0 } else { i + 3 }));
    let all = [TETRAHEDRON, other.map(|[a, b, c]| [a, c, b])].concat();
    refused(
        "vertex",
        SolidMesh::new(more, all),
        &refusal(
            ErrorKind::NonManifold,
            Some(0),
            "vertex 0: parts of the surface meet that share no edge there",
        ),
    );
    let square: [&[u32]; 2] = [&[0, 1, 4, 2], &[0, 2, 4, 1]];
    let mut flat = corners();
    flat[4] = DVec3::new(1.0, 1.0, 0.0);
    let mesh = SurfaceMesh::new(flat, square).unwrap();
    refused(
        "square",
        SolidMesh::try_from(mesh),
        &refusal(
            ErrorKind::Facet,
            Some(0),
            "facet 0: 4 corners, but a solid consists of triangles; use SurfaceMesh::triangulated",
        ),
    );
    let unused = ConvexPolyhedron::new(corners(), TETRAHEDRON);
    refused(
        "unused",
        unused,
        &refusal(ErrorKind::NonManifold, Some(4), "vertex 4: not used"),
    );
    // A dent.
    let mut dented = corners()[..4].to_vec();
    dented.push(DVec3::splat(0.1));
    let three = [[1, 2, 4], [2, 3, 4], [3, 1, 4]];
    let dent = [&TETRAHEDRON[..2], &TETRAHEDRON[3..], &three].concat();
    let message = "facet 3: vertex 3 lies 0.8616404368553291 in front of its plane";
    let error = refusal(ErrorKind::NotConvex, Some(3), message);
    refused("dent", ConvexPolyhedron::new(dented, dent), &error);

    let points = corners();
    let flat = |count: usize, ids: &str| {
        let message = format!(
            "the points have no hull: all {count} lie in the line or plane of points {ids}"
        );
        let message = if count == 0 {
            "the point set is empty".into()
        } else {
            message
        };
        refusal(ErrorKind::Degenerate, None, message)
    };
    let spans = ["[0, 0, 0]", "[0, 0, 0]", "[1, 0, 0]", "[2, 1, 0]"];
    for (count, ids) in spans.into_iter().enumerate() {
        refused(
            "few",
            ConvexPolyhedron::from_convex_hull(&points[..count]),
            &flat(count, ids),
        );
    }
    let few: Vec<DVec2> = points[..2].iter().map(|p| p.truncate()).collect();
    let spans = ["[0, 0, 0]", "[0, 0, 0]", "[0, 1, 1]"];
    for (count, ids) in spans.into_iter().enumerate() {
        refused(
            "few",
            ConvexPolygon::from_convex_hull(&few[..count]),
            &flat(count, ids),
        );
    }
}

#[test]
fn polygons() {
    let corners = |list: &[[i32; 2]]| -> Vec<DVec2> {
        list.iter()
            .map(|p| DVec2::from_array(p.map(f64::from)))
            .collect()
    };
    for count in 0..3 {
        let few = corners(&[[0, 0], [1, 0]][..count.min(2)]);
        let error = refusal(
            ErrorKind::Facet,
            Some(0),
            format!(
                "facet 0: {count} corners are fewer than 3",
                count = few.len()
            ),
        );
        refused("few", ConvexPolygon::new(few.clone()), &error);
        refused("few", Polygon::new(few), &error);
    }
    let clockwise = corners(&[[0, 0], [0, 1], [1, 1], [1, 0]]);
    let error = refusal(
        ErrorKind::Facet,
        Some(0),
        "facet 0: not convex and counter-clockwise at vertex 0",
    );
    refused("clockwise", ConvexPolygon::new(clockwise.clone()), &error);
    refused(
        "clockwise",
        Polygon::new(clockwise),
        &refusal(
            ErrorKind::Orientation,
            None,
            "the polygon has signed area -1.0; its corners are counter-clockwise",
        ),
    );
    let dented = corners(&[[0, 0], [4, 0], [1, 1], [0, 4]]);
    let error = refusal(
        ErrorKind::Facet,
        Some(0),
        "facet 0: not convex and counter-clockwise at vertex 2",
    );
    refused("dented", ConvexPolygon::new(dented.clone()), &error);
    assert!(Polygon::new(dented).is_ok());
    let bow = corners(&[[0, 0], [2, 2], [2, 0], [0, 2]]);
    let error = refusal(
        ErrorKind::Intersection,
        Some(0),
        "edges 0 and 2 of the polygon intersect",
    );
    refused("bow", Polygon::new(bow), &error);
    let mut short = corners(&[[0, 0], [1, 0], [1, 1], [0, 1]]);
    short[3] = DVec2::new(0.0, MIN_LENGTH / 2.0);
    let error = refusal(
        ErrorKind::Facet,
        Some(0),
        format!(
            "facet 0: the edge from vertex 3 has length {length:?}, below 2^-150",
            length = MIN_LENGTH / 2.0
        ),
    );
    refused("short", ConvexPolygon::new(short.clone()), &error);
    refused("short", Polygon::new(short), &error);
}

#[test]
fn tetrahedra() {
    let mesh =
        |list: &[[u32; 4]], count: usize| TetMesh::new(corners()[..count].to_vec(), list.to_vec());
    let good = [0, 1, 2, 3];
    let named = |vertex| {
        refusal(
            ErrorKind::Index,
            Some(1),
            format!("tetrahedron 1: vertex {vertex} is repeated or does not exist"),
        )
    };
    refused(
        "none",
        mesh(&[], 4),
        &refusal(ErrorKind::Degenerate, None, "the mesh is empty"),
    );
    refused("range", mesh(&[good, [0, 1, 2, 4], [9; 4]], 4), &named(4));
    refused("twice", mesh(&[good, [0, 1, 2, 1], [9; 4]], 4), &named(1));
    let inside_out = refusal(
        ErrorKind::Degenerate,
        Some(1),
        "tetrahedron 1: volume -0.16666666666666666; it is inverted or flat",
    );
    refused("inside out", mesh(&[good, [0, 2, 1, 3]], 4), &inside_out);
    refused(
        "unused",
        mesh(&[good], 6),
        &refusal(ErrorKind::NonManifold, Some(4), "vertex 4: not used"),
    );
    let overlap = refusal(
        ErrorKind::Intersection,
        Some(0),
        "tetrahedra 0 and 1 overlap at face [0, 1, 2]",
    );
    refused("overlap", mesh(&[good, good], 4), &overlap);
    // A fifth vertex in the middle of a face of another tetrahedron, which extends away from there.
    let mut hanging = corners()[..4].to_vec();
    let middle = DVec3::splat(1.0 / 4.0) + DVec3::Z * 0.25;
    hanging.extend([
        middle,
        middle + DVec3::X,
        middle + DVec3::Y,
        middle + DVec3::ONE,
    ]);
    let message = "vertex 4: it lies on face [1, 2, 3] but is not a corner of it";
    let error = refusal(ErrorKind::Intersection, Some(4), message);
    let mesh = TetMesh::new(hanging, vec![good, [4, 5, 6, 7]]);
    refused("hanging", mesh, &error);
}
