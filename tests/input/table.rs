//! The table of functions that reject invalid input: each with NaN or an invalid index, and with
//! valid input.
//!
//! The tests `input_policy`, `input_bodies` and `input_numbers` try every kind of invalid input.
//! This table shows that no function is omitted.

use osculate::broad::{
    HashGrid, IncrementalBroadPhase, LevelSizes, SearchDirection, check_count, check_index,
};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::MAX_COUNT;
use osculate::narrow::{ContactSelection, ConvexWall, FacetSubset, SphereConvex};
use osculate::reference::{FastCommonPlane, GridCost, GridCostModel, RadiusDistribution};
use osculate::shape::{BoxTree, Polygon, SegmentMesh, TetMesh, weld};
use osculate::testing::{properties::Violation, workload};
use osculate::*;

/// The kind of the error, if there is one.
type Outcome = Option<ErrorKind>;
/// A function with the kind of error that it returns for NaN; for 1 it succeeds.
type Row = (&'static str, fn(f64) -> Outcome, ErrorKind);

fn of<T>(result: Result<T, Error>) -> Outcome {
    result.err().map(|error| error.kind())
}

/// Four corners of a tetrahedron, one with the coordinate x.
fn corners(x: f64) -> Vec<DVec3> {
    vec![DVec3::ZERO, DVec3::X * x, DVec3::Y, DVec3::Z]
}

const FACETS: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn triangle(x: f64) -> Vec<DVec2> {
    vec![DVec2::ZERO, DVec2::X * x, DVec2::Y]
}

fn wall() -> SurfaceMesh {
    SurfaceMesh::new(corners(1.0), FACETS).unwrap()
}

fn triangle_wall() -> SurfaceMesh {
    SurfaceMesh::new(corners(1.0)[..3].to_vec(), [[0, 1, 2]]).unwrap()
}

fn line() -> SegmentMesh {
    SegmentMesh::new(triangle(1.0), vec![[0, 1], [1, 2]]).unwrap()
}

fn body(x: f64) -> [Sphere<DVec3>; 1] {
    [Sphere::new(DVec3::ZERO, x)]
}

/// An index that exists, or one that does not.
fn index(x: f64) -> usize {
    if x.is_nan() { 7 } else { 0 }
}

fn rebuilt<B: BroadPhase<Vector = DVec3>>(mut broad: B) -> B {
    broad.rebuild(&body(1.0)).unwrap();
    broad
}

fn boxes(x: f64) -> [Aabb<DVec3>; 1] {
    [Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE * x,
    }]
}

fn period() -> PeriodicBox<DVec3> {
    PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(9.0), [true; 3]).unwrap()
}

fn list() -> PairList<BruteForce> {
    PairList::new(BruteForce::new(), Skin::Absolute(1.0)).unwrap()
}

/// A list of one pair.
fn filled() -> PairList<BruteForce> {
    let mut list = list();
    list.update(&[body(1.0)[0]; 2]).unwrap();
    list
}

fn wall_list() -> WallList<WallState> {
    WallList::new(Skin::Absolute(1.0)).unwrap()
}

/// A list of one body at the wall.
fn filled_wall_list() -> WallList<WallState> {
    let mut list = wall_list();
    list.update(&body(1.0), &Wall::new(wall())).unwrap();
    list
}

/// An index that exists, or one that no body can have.
fn new_index(x: f64) -> usize {
    if x.is_nan() { MAX_COUNT } else { 0 }
}

/// Two tetrahedra, with a common face or only with a common vertex.
fn tetrahedra(x: f64) -> TetMesh {
    let mut vertices = corners(1.0);
    let other = if x.is_nan() {
        vertices.extend([-DVec3::X, -DVec3::Y, -DVec3::Z]);
        [0, 5, 4, 6]
    } else {
        vertices.push(DVec3::ONE);
        [1, 2, 3, 4]
    };
    TetMesh::new(vertices, vec![[0, 1, 2, 3], other]).unwrap()
}

const SHAPES: [Row; 30] = [
    (
        "Sphere::validate",
        |x| of(body(x)[0].validate(0)),
        ErrorKind::Radius,
    ),
    (
        "Aabb::new",
        |x| of(Aabb::new(DVec3::ZERO, DVec3::ONE * x)),
        ErrorKind::Coordinate,
    ),
    (
        "Aabb::validate",
        |x| of(boxes(x)[0].validate(0)),
        ErrorKind::Coordinate,
    ),
    (
        "BoxTree::new",
        |x| of(BoxTree::new(&boxes(x))),
        ErrorKind::Coordinate,
    ),
    (
        "BoxTree::refit",
        |x| of(BoxTree::new(&boxes(1.0)).unwrap().refit(&boxes(x))),
        ErrorKind::Coordinate,
    ),
    (
        "ConvexPolyhedron::from_convex_hull",
        |x| of(ConvexPolyhedron::from_convex_hull(&corners(x))),
        ErrorKind::Coordinate,
    ),
    (
        "ConvexPolygon::from_convex_hull",
        |x| of(ConvexPolygon::from_convex_hull(&triangle(x))),
        ErrorKind::Coordinate,
    ),
    (
        "ConvexPolygon::new",
        |x| of(ConvexPolygon::new(triangle(x))),
        ErrorKind::Coordinate,
    ),
    (
        "Polygon::new",
        |x| of(Polygon::new(triangle(x))),
        ErrorKind::Coordinate,
    ),
    (
        "ConvexPolyhedron::new",
        |x| of(ConvexPolyhedron::new(corners(x), FACETS)),
        ErrorKind::Coordinate,
    ),
    (
        "SolidMesh::new",
        |x| of(SolidMesh::new(corners(x), FACETS)),
        ErrorKind::Coordinate,
    ),
    (
        "SolidMesh::from_triangles",
        |x| {
            let c = corners(x);
            let soup = FACETS.map(|ids| ids.map(|i| c[i as usize]));
            of(SolidMesh::from_triangles(&soup))
        },
        ErrorKind::Coordinate,
    ),
    (
        "TetMesh::new",
        |x| of(TetMesh::new(corners(x), vec![[0, 1, 2, 3]])),
        ErrorKind::Coordinate,
    ),
    (
        "SurfaceMesh::new",
        |x| of(SurfaceMesh::new(corners(x), FACETS)),
        ErrorKind::Coordinate,
    ),
    (
        "SurfaceMesh::welded",
        |x| of(SurfaceMesh::welded(&corners(x), FACETS, 0.0)),
        ErrorKind::Coordinate,
    ),
    (
        "SurfaceMesh::welded, tolerance",
        |x| of(SurfaceMesh::welded(&corners(1.0), FACETS, 0.1 * x)),
        ErrorKind::Length,
    ),
    (
        "SurfaceMesh::from_triangles",
        |x| of(SurfaceMesh::from_triangles(corners(x).as_chunks().0)),
        ErrorKind::Coordinate,
    ),
    (
        "SurfaceMesh::with_precision",
        |x| of(wall().with_precision(x)),
        ErrorKind::Length,
    ),
    (
        "SurfaceMesh::set_vertices",
        |x| of(wall().set_vertices(&corners(x))),
        ErrorKind::Coordinate,
    ),
    (
        "SegmentMesh::new",
        |x| of(SegmentMesh::new(triangle(x), vec![[0, 1]])),
        ErrorKind::Coordinate,
    ),
    (
        "SegmentMesh::with_precision",
        |x| of(line().with_precision(x)),
        ErrorKind::Length,
    ),
    (
        "SegmentMesh::set_vertices",
        |x| of(line().set_vertices(&triangle(x))),
        ErrorKind::Coordinate,
    ),
    (
        "SurfaceMesh::thickened",
        |x| of(triangle_wall().thickened(x)),
        ErrorKind::Length,
    ),
    (
        "SegmentMesh::thickened",
        |x| of(line().thickened(0.1 * x)),
        ErrorKind::Length,
    ),
    (
        "TetMesh::to_solid",
        |x| of(tetrahedra(x).to_solid()),
        ErrorKind::NonManifold,
    ),
    ("weld", |x| of(weld(&corners(x))), ErrorKind::Coordinate),
    (
        "Pose::new",
        |x| of(Pose3::new(DQuat::from_xyzw(0.0, 0.0, 0.0, x), DVec3::ZERO)),
        ErrorKind::Parameter,
    ),
    (
        "Pose::new_normalize",
        |x| of(Pose2::new_normalize(DVec2::X * x, DVec2::ZERO)),
        ErrorKind::Parameter,
    ),
    (
        "Pose::from_translation",
        |x| of(Pose3::from_translation(DVec3::X * x)),
        ErrorKind::Coordinate,
    ),
    (
        "Pose2::from_angle",
        |x| of(Pose2::from_angle(0.0, DVec2::X * x)),
        ErrorKind::Coordinate,
    ),
];

const KERNELS: [Row; 15] = [
    (
        "SphereSphere::with_margin",
        |x| of(SphereSphere::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "CommonPlane::with_margin",
        |x| of(CommonPlane::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "ElasticBed::with_margin",
        |x| of(ElasticBed::<DVec3>::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "ElasticBed::with_max_points",
        |x| of(ElasticBed::<DVec2>::new().with_max_points(x as usize)),
        ErrorKind::Parameter,
    ),
    (
        "FastCommonPlane::with_margin",
        |x| of(FastCommonPlane::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "SphereConvex::with_margin",
        |x| of(SphereConvex::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "ConvexWall::with_bend",
        |x| of(ConvexWall::new().with_bend(x)),
        ErrorKind::Parameter,
    ),
    (
        "ConvexWall::with_max_points",
        |x| of(ConvexWall::new().with_max_points(x as usize)),
        ErrorKind::Parameter,
    ),
    (
        "DoubleHierarchy::with_margin",
        |x| of(DoubleHierarchy::<DVec3>::new().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "ContactSelection::merge_angle",
        |x| of(ContactSelection::merge_angle(x)),
        ErrorKind::Parameter,
    ),
    (
        "ContactSelection::merge_for_indentation",
        |x| of(ContactSelection::merge_for_indentation(x)),
        ErrorKind::Parameter,
    ),
    (
        "ContactEnergy::linear",
        |x| of(ContactEnergy::linear(x)),
        ErrorKind::Parameter,
    ),
    (
        "ContactEnergy::power_law",
        |x| of(ContactEnergy::power_law(1.0, x)),
        ErrorKind::Parameter,
    ),
    (
        "FacetSubset::new",
        |x| of(FacetSubset::new(&Wall::new(wall()), &[index(x) as u32])),
        ErrorKind::Index,
    ),
    (
        "Wall::set_vertices",
        |x| of(Wall::new(wall()).set_vertices(&corners(x))),
        ErrorKind::Coordinate,
    ),
];

const BROAD: [Row; 24] = [
    (
        "BruteForce::rebuild",
        |x| of(BruteForce::new().rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "HierarchicalGrid::rebuild",
        |x| of(HierarchicalGrid::new().rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "HashGrid::rebuild",
        |x| of(HashGrid::new().rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "HashGrid::with_finest_cells",
        |x| of(HashGrid::<DVec3>::new().with_finest_cells(x)),
        ErrorKind::Length,
    ),
    (
        "HashGrid::insert",
        |x| of(rebuilt(HashGrid::new()).insert(body(x)[0])),
        ErrorKind::Radius,
    ),
    (
        "HashGrid::swap_remove",
        |x| of(rebuilt(HashGrid::new()).swap_remove(index(x))),
        ErrorKind::Index,
    ),
    (
        "HashGrid::replace",
        |x| of(rebuilt(HashGrid::new()).replace(index(x), body(1.0)[0])),
        ErrorKind::Index,
    ),
    (
        "LinkedCells::rebuild",
        |x| of(LinkedCells::new().rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "LinkedCells::with_cell_size",
        |x| of(LinkedCells::<DVec3>::new().with_cell_size(x)),
        ErrorKind::Length,
    ),
    (
        "Periodic::rebuild",
        |x| of(Periodic::new(BruteForce::new(), period()).rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "Filtered::rebuild",
        |x| of(Filtered::new(BruteForce::new(), |_, _| true).rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "PeriodicBox::orthogonal",
        |x| {
            of(PeriodicBox::orthogonal(
                DVec3::ZERO,
                DVec3::ONE * x,
                [true; 3],
            ))
        },
        ErrorKind::PeriodicBox,
    ),
    (
        "PeriodicBox::triclinic",
        |x| {
            of(PeriodicBox::triclinic(
                DVec3::ZERO,
                DVec3::ONE,
                [x * 0.1; 3],
                [true; 3],
            ))
        },
        ErrorKind::PeriodicBox,
    ),
    (
        "PairList::new",
        |x| {
            of(PairList::<_>::new(
                BruteForce::<DVec3>::new(),
                Skin::Absolute(x),
            ))
        },
        ErrorKind::Length,
    ),
    (
        "PairList::with_margin",
        |x| of(list().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "PairList::update",
        |x| of(list().update(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "PairList::update_with",
        |x| of(list().update_with(1, |_| body(x)[0])),
        ErrorKind::Radius,
    ),
    (
        "NeighborLists::fill_half",
        |x| of(NeighborLists::new().fill_half(2, &[[index(x) as u32, 1]])),
        ErrorKind::Index,
    ),
    (
        "NeighborLists::fill_full",
        |x| of(NeighborLists::new().fill_full(2, &[[index(x) as u32, 1]])),
        ErrorKind::Index,
    ),
    (
        "LevelSizes::new",
        |x| of(LevelSizes::new([x])),
        ErrorKind::Length,
    ),
    (
        "RadiusDistribution::new",
        |x| of(RadiusDistribution::new(&[x])),
        ErrorKind::Radius,
    ),
    (
        "GridCostModel::new",
        |x| {
            let radii = RadiusDistribution::new(&[1.0]).unwrap();
            let cost = GridCost::ROWS;
            of(GridCostModel::new::<DVec3>(
                &radii,
                x * 0.5,
                SearchDirection::TopDown,
                cost,
            ))
        },
        ErrorKind::Parameter,
    ),
    (
        "check_index",
        |x| of(check_index(index(x), 1)),
        ErrorKind::Index,
    ),
    (
        "check_count",
        |x| of(check_count(MAX_COUNT + index(x))),
        ErrorKind::TooMany,
    ),
];

#[cfg(feature = "serde")]
const SNAPSHOTS: [Row; 1] = [(
    "PairList::restore",
    |x| {
        let text = serde_json::to_string(&filled().snapshot()).unwrap();
        let text = text.replace("[0,1]", &format!("[0,{}]", index(x).max(1)));
        of(list().restore(serde_json::from_str(&text).unwrap()))
    },
    ErrorKind::Index,
)];
#[cfg(not(feature = "serde"))]
const SNAPSHOTS: [Row; 0] = [];

#[cfg(feature = "rayon")]
const PARALLEL: [Row; 8] = [
    (
        "BroadPhase::par_rebuild",
        |x| of(HierarchicalGrid::new().par_rebuild(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "BroadPhase::par_rebuild_with",
        |x| of(HierarchicalGrid::new().par_rebuild_with(1, |_| body(x)[0])),
        ErrorKind::Radius,
    ),
    (
        "NeighborLists::par_fill_half",
        |x| of(NeighborLists::new().par_fill_half(2, &[[index(x) as u32, 1]])),
        ErrorKind::Index,
    ),
    (
        "NeighborLists::par_fill_full",
        |x| of(NeighborLists::new().par_fill_full(2, &[[index(x) as u32, 1]])),
        ErrorKind::Index,
    ),
    (
        "PairList::par_update",
        |x| of(list().par_update(&body(x))),
        ErrorKind::Radius,
    ),
    (
        "PairList::par_update_with",
        |x| of(list().par_update_with(1, |_| body(x)[0])),
        ErrorKind::Radius,
    ),
    (
        "WallList::par_update",
        |x| of(wall_list().par_update(&body(x), &Wall::new(wall()))),
        ErrorKind::Radius,
    ),
    (
        "WallList::par_update_with",
        |x| of(wall_list().par_update_with(1, |_| body(x)[0], &Wall::new(wall()))),
        ErrorKind::Radius,
    ),
];
#[cfg(not(feature = "rayon"))]
const PARALLEL: [Row; 0] = [];

const LISTS: [Row; 8] = [
    (
        "PairList::renumber",
        |x| of(filled().renumber(|i| i.checked_sub(1).map(|i| i + new_index(x)), |_| ())),
        ErrorKind::TooMany,
    ),
    (
        "PairList::renumber, twice the same",
        |x| of(filled().renumber(|i| Some(if x.is_nan() { 0 } else { i }), |_| ())),
        ErrorKind::Index,
    ),
    (
        "WallList::new",
        |x| of(WallList::<WallState>::new(Skin::Absolute(x))),
        ErrorKind::Length,
    ),
    (
        "WallList::with_margin",
        |x| of(wall_list().with_margin(x)),
        ErrorKind::Length,
    ),
    (
        "WallList::update",
        |x| of(wall_list().update(&body(x), &Wall::new(wall()))),
        ErrorKind::Radius,
    ),
    (
        "WallList::update_with",
        |x| of(wall_list().update_with(1, |_| body(x)[0], &Wall::new(wall()))),
        ErrorKind::Radius,
    ),
    (
        "WallList::renumber",
        |x| of(filled_wall_list().renumber(|_| Some(new_index(x)))),
        ErrorKind::TooMany,
    ),
    (
        "WallList::restore",
        |x| {
            // Once, or twice.
            let count = if x.is_nan() { 2 } else { 1 };
            let bodies = (0..count).map(|_| (0, WallState::default()));
            of(wall_list().restore(bodies.collect()))
        },
        ErrorKind::Parameter,
    ),
];

fn table() -> Vec<Row> {
    let parts: [&[Row]; 6] = [&SHAPES, &KERNELS, &BROAD, &LISTS, &SNAPSHOTS, &PARALLEL];
    parts.concat()
}

/// Reads the sources: each public function that returns a `Result` has a row, by its name without the type.
#[test]
#[cfg(all(feature = "serde", feature = "rayon"))]
fn no_function_is_left_out() {
    use std::collections::BTreeSet;
    use std::{fs, path::Path};

    fn read(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("testing") {
                read(&path, names);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(path).unwrap();
                let functions = text.split("\n    pub fn ").skip(1);
                let signatures = functions.map(|rest| rest.split(['{', ';']).next().unwrap());
                let fallible = signatures.filter(|signature| signature.contains("-> Result<"));
                names.extend(fallible.map(|signature| {
                    let end = |c: char| !c.is_alphanumeric() && c != '_';
                    signature.split(end).next().unwrap().to_owned()
                }));
            }
        }
    }
    let mut names = BTreeSet::new();
    read(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut names,
    );
    assert!(names.len() > 30, "{names:?}");
    for row in table() {
        let name = row.0.split(',').next().unwrap();
        names.remove(name.rsplit("::").next().unwrap());
    }
    assert!(names.is_empty(), "no row for {names:?}");
}

#[test]
fn bad_input_is_rejected_and_good_input_is_not() {
    for (name, function, kind) in table() {
        assert_eq!(function(f64::NAN), Some(kind), "{name}");
        assert_eq!(function(1.0), None, "{name}");
    }
}

/// Those of `testing` report a violation or an error, of any kind.
#[test]
fn workloads() {
    type Workloads = [(&'static str, fn(usize) -> bool); 11];
    fn is_ok<T>(result: Result<T, Violation>) -> bool {
        result.is_ok()
    }
    let table: Workloads = [
        ("sphere", |n| workload::sphere(1, n as f64).is_ok()),
        ("rock", |n| workload::rock(9 * n, 0.5, 1).is_ok()),
        ("torus", |n| {
            workload::torus(2.0, 1.0, 9 * n as u32, 9).is_ok()
        }),
        ("bolt", |n| workload::bolt(9 * n as u32, 9).is_ok()),
        ("cubes", |n| workload::cubes(&vec![[0; 3]; n], 1.0).is_ok()),
        ("sphere_pairs", |n| {
            is_ok(workload::sphere_pairs::<DVec3>(n, 1))
        }),
        ("sphere_wall_pairs", |n| {
            is_ok(workload::sphere_wall_pairs(n, 1, 1))
        }),
        ("polyhedron_pairs", |n| {
            is_ok(workload::polyhedron_pairs(4, [0.1, 0.2], n, 1, 1))
        }),
        ("box_pairs", |n| is_ok(workload::box_pairs(n, 1))),
        ("mixed_pairs", |n| is_ok(workload::mixed_pairs(5, n, 1))),
        ("mesh_pairs", |n| is_ok(workload::mesh_pairs(9, 0.1, n, 1))),
    ];
    for (name, function) in table {
        assert!(!function(0), "{name}");
        assert!(function(1), "{name}");
    }
}
