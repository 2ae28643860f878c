//! The table of functions that reject invalid input: each with NaN or an invalid index, and with
//! valid input.
//!
//! The tables of `shapes.rs` and `numbers.rs` have the functions that take positions or numbers; the
//! other functions are here. No function is omitted.

use crate::{Function, of};
use osculate::broad::{check_count, check_index};
use osculate::glam::DVec3;
use osculate::math::MAX_COUNT;
use osculate::reference::sequential_double_hierarchy;
use osculate::shape::TetMesh;
use osculate::*;

fn wall() -> Wall {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    Wall::new(SurfaceMesh::new(corners, [[0, 1, 2]]).unwrap())
}

fn body(x: f64) -> [Sphere<DVec3>; 1] {
    [Sphere::new(DVec3::ZERO, x)]
}

/// An index that exists, or one that does not.
fn index(x: f64) -> usize {
    if x.is_nan() { 7 } else { 0 }
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

fn wall_list() -> WallList<()> {
    WallList::new(Skin::Absolute(1.0)).unwrap()
}

/// A list of one body at the wall.
fn filled_wall_list() -> WallList<()> {
    let mut list = wall_list();
    list.update(&body(1.0), &wall()).unwrap();
    list
}

/// An index that exists, or one that no body can have.
fn new_index(x: f64) -> usize {
    if x.is_nan() { MAX_COUNT } else { 0 }
}

/// Two tetrahedra, with a common face or only with a common vertex.
fn tetrahedra(x: f64) -> TetMesh {
    let mut vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let other = if x.is_nan() {
        vertices.extend([-DVec3::X, -DVec3::Y, -DVec3::Z]);
        [0, 5, 4, 6]
    } else {
        vertices.push(DVec3::ONE);
        [1, 2, 3, 4]
    };
    TetMesh::new(vertices, vec![[0, 1, 2, 3], other]).unwrap()
}

/// The kind of the error for NaN, and functions; for 1 they succeed.
type Rows = (ErrorKind, &'static [Function<f64>]);

#[rustfmt::skip]
const TABLE: [Rows; 6] = [
    (ErrorKind::Radius, &[
        ("validate", |x| body(x)[0].validate(0)),
        ("PairList::update", |x| of(list().update(&body(x)))),
        ("PairList::update_with", |x| of(list().update_with(1, |_| body(x)[0]))),
        ("WallList::update", |x| of(wall_list().update(&body(x), &wall()))),
        ("WallList::update_with", |x| of(wall_list().update_with(1, |_| body(x)[0], &wall()))),
    ]),
    (ErrorKind::Index, &[
        ("check_index", |x| check_index(index(x), 1)),
        ("fill_half", |x| NeighborLists::new().fill_half(2, &[[index(x) as u32, 1]])),
        ("fill_full", |x| NeighborLists::new().fill_full(2, &[[index(x) as u32, 1]])),
        ("PairList::renumber, twice the same", |x| filled().renumber(|i| Some(if x.is_nan() { 0 } else { i }), |_| ())),
        ("sequential_double_hierarchy", |x| {
            let facets = [index(x) as u32];
            let contacts = &mut Vec::new();
            sequential_double_hierarchy(wall().mesh(), &facets, &body(1.0)[0], contacts)
        }),
    ]),
    (ErrorKind::TooMany, &[
        ("check_count", |x| check_count(MAX_COUNT + index(x))),
        ("PairList::renumber", |x| filled().renumber(|i| i.checked_sub(1).map(|i| i + new_index(x)), |_| ())),
        ("WallList::renumber", |x| filled_wall_list().renumber(|_| Some(new_index(x)))),
    ]),
    (ErrorKind::Parameter, &[("WallList::restore, twice the same", |x| {
        let count = if x.is_nan() { 2 } else { 1 };
        let bodies = (0..count).map(|_| (0, ()));
        of(wall_list().restore(bodies.collect()))
    })]),
    (ErrorKind::Length, &[
        ("PairList::check_margin", |x| list().check_margin(x - 1.0)),
        ("WallList::check_margin", |x| wall_list().check_margin(x - 1.0)),
    ]),
    (ErrorKind::NonManifold, &[("to_solid", |x| of(tetrahedra(x).to_solid()))]),
];

#[cfg(feature = "rayon")]
#[rustfmt::skip]
const PARALLEL: [Rows; 1] = [(ErrorKind::Radius, &[
    ("PairList::par_update", |x| of(list().par_update(&body(x)))),
    ("PairList::par_update_with", |x| of(list().par_update_with(1, |_| body(x)[0]))),
    ("WallList::par_update", |x| of(wall_list().par_update(&body(x), &wall()))),
    ("WallList::par_update_with", |x| of(wall_list().par_update_with(1, |_| body(x)[0], &wall()))),
])];
#[cfg(not(feature = "rayon"))]
const PARALLEL: [Rows; 0] = [];

#[test]
fn bad_input_is_rejected_and_good_input_is_not() {
    for (kind, functions) in TABLE.into_iter().chain(PARALLEL) {
        for (name, function) in functions {
            let error = function(f64::NAN).unwrap_err();
            assert_eq!(error.kind(), kind, "{name}");
            assert_eq!(function(1.0), Ok(()), "{name}");
        }
    }
}

/// Reads the sources: each public function that returns a `Result` has a row, by its name without the type.
#[test]
#[cfg(feature = "rayon")]
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
                let functions = text.split("pub fn ").skip(1);
                let signatures = functions.map(|rest| rest.split('{').next().unwrap());
                let fallible = signatures.filter(|signature| signature.contains("-> Result<"));
                names.extend(fallible.map(|signature| {
                    let end = |c: char| !c.is_alphanumeric() && c != '_';
                    signature.split(end).next().unwrap().to_owned()
                }));
            }
        }
    }
    let mut names = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    read(&root.join("src"), &mut names);
    for name in ["check_count", "new", "restore", "triclinic", "weld"] {
        assert!(names.contains(name), "{name} is not read: {names:?}");
    }
    let here = TABLE.into_iter().chain(PARALLEL);
    let here = here.flat_map(|(_, functions)| functions.iter().map(|function| function.0));
    let rows = here
        .chain(crate::shapes::names())
        .chain(crate::numbers::names());
    for row in rows {
        let name = row.split(',').next().unwrap();
        names.remove(name.rsplit("::").next().unwrap());
    }
    assert!(names.is_empty(), "no row for {names:?}");
}
