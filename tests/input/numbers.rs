//! Every constructor that takes numbers, with every invalid number.

use crate::support::bad::{BAD_LENGTHS, bad_length, bad_radius, bad_side, bad_tilt, refused};
use crate::{Function, of};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::{MAX_LENGTH, MIN_LENGTH};
use osculate::testing::workload;
use osculate::{
    BruteForce, CommonPlane, ContactEnergy, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy,
    Error, ErrorKind, LinkedCells, PairList, PeriodicBox, Pose2, Pose3, Rounded, Skin,
    SphereSphere, SurfaceMesh, Wall, WallList,
    broad::{HashGrid, LevelSizes, SearchDirection},
    narrow::{ContactSelection, PressureField},
    reference::{FastCommonPlane, GridCost, GridCostModel, RadiusDistribution},
    shape::{RoundedPolygon, SegmentMesh},
};

/// Functions of one number.
struct Takers {
    /// The name of the number in messages.
    name: &'static str,
    /// The valid range, as messages name it.
    range: &'static str,
    bad: &'static [&'static [f64]],
    good: &'static [f64],
    functions: &'static [Function<f64>],
}

const TETRAHEDRON: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
const LENGTH: &str = "0 or within [2^-150, 2^150]";
const POSITIVE_LENGTH: &str = "within [2^-150, 2^150]";
const ENDS: [f64; 2] = [MIN_LENGTH, MAX_LENGTH];
const BAD_NUMBERS: [f64; 4] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300];
const COST: GridCost = GridCost::ROWS;
const COSTS: Takers = Takers {
    name: "cost of a row",
    range: "within [0, 2^50]",
    bad: &[&BAD_NUMBERS, &[1e16]],
    good: &[0.0, 1.0],
    functions: &[("GridCostModel::new", |row| {
        model(1.0, GridCost { row, ..COST })
    })],
};

fn triangle() -> SurfaceMesh {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    SurfaceMesh::new(corners, [[0, 1, 2]]).unwrap()
}

pub(crate) fn segment() -> SegmentMesh {
    SegmentMesh::new(vec![DVec2::ZERO, DVec2::X], vec![[0, 1]]).unwrap()
}

fn periodic(reach: f64) -> Result<Wall, Error> {
    let lattice = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::ONE, [true; 3])?;
    Wall::periodic(triangle(), lattice, reach)
}

/// More copies than ids can name.
#[test]
fn periodic_walls_of_bodies_that_are_too_large() {
    for reach in [1e4, MAX_LENGTH] {
        assert_eq!(periodic(reach).unwrap_err().kind(), ErrorKind::TooMany);
    }
}

fn pair_list(skin: Skin) -> Result<PairList<BruteForce>, Error> {
    PairList::new(BruteForce::new(), skin)
}

fn model(density: f64, cost: GridCost) -> Result<(), Error> {
    let radii = RadiusDistribution::new(&[1.0, 2.0]).unwrap();
    let direction = SearchDirection::TopDown;
    of(GridCostModel::new::<DVec3>(
        &radii, density, direction, cost,
    ))
}

#[rustfmt::skip]
const TAKERS: [Takers; 21] = [
    Takers { name: "margin", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, MIN_LENGTH, MAX_LENGTH], functions: &[
        ("SphereSphere", |x| of(SphereSphere::new().with_margin(x))),
        ("CommonPlane", |x| of(CommonPlane::new().with_margin(x))),
        ("FastCommonPlane", |x| of(FastCommonPlane::new().with_margin(x))),
        ("PressureField", |x| of(PressureField::new().with_margin(x))),
        ("DoubleHierarchy", |x| of(DoubleHierarchy::<DVec3>::new().with_margin(x))),
        ("DoubleHierarchy, 2D", |x| of(DoubleHierarchy::<DVec2>::new().with_margin(x))),
        ("PairList::with_margin", |x| of(pair_list(Skin::Absolute(1.0))?.with_margin(x))),
        ("WallList::with_margin", |x| of(WallList::<()>::new(Skin::Absolute(1.0))?.with_margin(x))),
    ] },
    Takers { name: "radius", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, MIN_LENGTH, MAX_LENGTH], functions: &[
        ("Rounded::ball", |x| of(Rounded::ball(x))),
        ("Rounded::capsule", |x| of(Rounded::capsule([DVec3::ZERO, DVec3::X], x))),
        ("Rounded::polyhedron", |x| of(Rounded::polyhedron(ConvexPolyhedron::from_convex_hull(&TETRAHEDRON).unwrap(), x))),
        ("RoundedPolygon::polygon", |x| of(RoundedPolygon::polygon(ConvexPolygon::from_convex_hull(&[DVec2::ZERO, DVec2::X, DVec2::Y]).unwrap(), x))),
        ("RoundedPolygon::disc", |x| of(RoundedPolygon::disc(x))),
        ("RoundedPolygon::stadium", |x| of(RoundedPolygon::stadium([DVec2::ZERO, DVec2::X], x))),
    ] },
    Takers { name: "skin", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, MIN_LENGTH, MAX_LENGTH], functions: &[
        ("PairList::new", |x| of(pair_list(Skin::Absolute(x)))),
        ("PairList::new", |x| of(pair_list(Skin::Relative(x)))),
        ("WallList::new", |x| of(WallList::<()>::new(Skin::Absolute(x)))),
    ] },
    Takers { name: "precision", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, MIN_LENGTH, MAX_LENGTH], functions: &[
        ("SurfaceMesh::with_precision", |x| of(triangle().with_precision(x))),
        ("SegmentMesh::with_precision", |x| of(segment().with_precision(x))),
    ] },
    Takers { name: "tolerance", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, 0.1], functions: &[
        ("welded", |x| of(SurfaceMesh::welded(triangle().vertices(), [[0, 1, 2]], x)))] },
    Takers { name: "reach", range: LENGTH, bad: &[&BAD_LENGTHS], good: &[0.0, 0.1], functions: &[
        ("Wall::periodic", |x| of(periodic(x))),
    ] },
    Takers { name: "thickness", range: POSITIVE_LENGTH, bad: &[&BAD_LENGTHS, &[0.0]], good: &[0.1], functions: &[
        ("SurfaceMesh::thickened", |x| of(triangle().thickened(x))),
        ("SegmentMesh::thickened", |x| of(segment().thickened(x))),
    ] },
    Takers { name: "cell size", range: POSITIVE_LENGTH, bad: &[&BAD_LENGTHS, &[0.0]], good: &ENDS, functions: &[
        ("with_cell_size", |x| of(LinkedCells::<DVec2>::new().with_cell_size(x)))] },
    Takers { name: "cell width", range: POSITIVE_LENGTH, bad: &[&BAD_LENGTHS, &[0.0]], good: &ENDS, functions: &[
        ("with_finest_cells", |x| of(HashGrid::<DVec3>::new().with_finest_cells(x)))] },
    Takers { name: "level size", range: "within [2^-150, 2^152]", bad: &[&BAD_LENGTHS, &[0.0]], good: &ENDS, functions: &[
        ("LevelSizes::new", |x| of(LevelSizes::new([x])))] },
    Takers { name: "weight", range: "within [0, 1]", bad: &[&BAD_NUMBERS, &[1.5]], good: &[0.0, 0.25, 1.0], functions: &[
        ("with_weight_of_first", |x| of(PressureField::new().with_weight_of_first(x)))] },
    Takers { name: "stiffness", range: "within [0, f64::MAX / exponent]", bad: &[&BAD_NUMBERS],
        good: &[0.0, f64::MAX], functions: &[
        ("linear", |x| of(ContactEnergy::linear(x)))] },
    Takers { name: "stiffness", range: "within [0, f64::MAX / exponent]", bad: &[&BAD_NUMBERS, &[f64::MAX]],
        good: &[0.0, 1.0], functions: &[
        ("power_law", |x| of(ContactEnergy::power_law(x, 1.5)))] },
    Takers { name: "exponent", range: "within [1, inf)", bad: &[&BAD_NUMBERS, &[0.0, 1.0 - 1e-16]],
        good: &[1.0], functions: &[
        ("power_law", |x| of(ContactEnergy::power_law(1.0, x)))] },
    Takers { name: "angle", range: "within [0, pi] rad", bad: &[&BAD_NUMBERS, &[3.15]], good: &[0.0, 3.0], functions: &[
        ("merge_angle", |x| of(ContactSelection::merge_angle(x)))] },
    Takers { name: "with_bend: angle", range: "within (0, pi] rad", bad: &[&BAD_NUMBERS, &[0.0, 3.15]],
        good: &[3.0], functions: &[
        ("with_bend", |x| of(PressureField::new().with_bend(x)))] },
    Takers { name: "gamma_max", range: "within [0, 1]", bad: &[&BAD_NUMBERS, &[1.0 + 1e-15]],
        good: &[0.0, 1.0], functions: &[
        ("merge_for_indentation", |x| of(ContactSelection::merge_for_indentation(x)))] },
    Takers { name: "density", range: "within [0, inf)", bad: &[&BAD_NUMBERS], good: &[0.0, 1.0], functions: &[
        ("GridCostModel::new", |x| model(x, COST))] },
    COSTS,
    Takers {
        name: "cost of a cell",
        functions: &[("GridCostModel::new", |cell| model(1.0, GridCost { cell, ..COST }))],
        ..COSTS
    },
    Takers {
        name: "cost of a table's cell",
        functions: &[("GridCostModel::new", |table_cell| model(1.0, GridCost { table_cell, ..COST }))],
        ..COSTS
    },
];

/// The names of all functions of numbers.
#[cfg(feature = "rayon")]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let takers = TAKERS.iter().flat_map(|takers| takers.functions);
    takers.map(|taker| taker.0).chain(["with_max_points"])
}

/// Every function that takes a length or a parameter reports the invalid one.
#[test]
fn numbers() {
    for takers in TAKERS {
        let Takers { name, range, .. } = takers;
        for (function, take) in takers.functions {
            for &value in takers.bad.iter().copied().flatten() {
                refused(function, take(value), &bad_length(name, value, range));
            }
            for &value in takers.good {
                assert_eq!(take(value), Ok(()), "{function}, {name} {value}");
            }
        }
    }
    for value in BAD_LENGTHS {
        let radii = RadiusDistribution::new(&[1.0, 0.0, value, -3.0]);
        refused("radii", radii, &bad_radius(2, value));
    }
    let message = "level 2: size 2.0 does not exceed the size of the level below";
    refused("levels", LevelSizes::new([1.0, 2.0, 2.0, 1.0]), message);
    refused("no levels", LevelSizes::new([]), "no level sizes are given");
}

#[test]
fn rotations() {
    let off_unit = [0.0, 1.0 + 2.0_f64.powi(-40), 1e-200, 1e200];
    for w in off_unit.into_iter().chain([f64::NAN, f64::INFINITY]) {
        let message = |range: &str| {
            let norm = w * w;
            format!("squared norm of the rotation {norm:?} is not within {range}")
        };
        let (q, z) = (DQuat::from_xyzw(0.0, w, 0.0, 0.0), DVec2::new(0.0, w));
        let unit = message("[1 - 2^-40, 1 + 2^-40]; new_normalize scales it");
        refused("q", Pose3::new(q, DVec3::ZERO), &unit);
        refused("z", Pose2::new(z, DVec2::ZERO), &unit);
        let pose = Pose3::new_normalize(q, DVec3::ZERO);
        if w == 0.0 || !w.is_finite() {
            let any = message("[2^-1022, 2^1024)");
            refused("q", pose, &any);
            refused("z", Pose2::new_normalize(z, DVec2::ZERO), &any);
        } else {
            // A number that can be made a rotation is one, or is refused.
            assert!(pose.map_or(true, |pose| pose.rotation().is_normalized()));
        }
        assert!(w.is_finite() || Pose2::from_angle(w, DVec2::ZERO).is_err());
    }
}

#[test]
fn periodic_boxes() {
    let (min, sides) = (DVec3::ZERO, DVec3::new(4.0, 5.0, 6.0));
    for value in BAD_LENGTHS.into_iter().chain([0.0, MAX_LENGTH]) {
        for axis in 0..3 {
            let mut bad = sides;
            bad[axis] = value;
            let result = PeriodicBox::orthogonal(min, bad, [true; 3]);
            refused("side", result, &bad_side(axis, value));
            let mut is_periodic = [true; 3];
            is_periodic[axis] = false;
            let unused = PeriodicBox::orthogonal(min, bad, is_periodic);
            assert!(unused.is_ok(), "{axis} {value}");
        }
    }
    for (tilt, axis) in [(0, 1), (1, 2), (2, 2)] {
        let tilted = |value: f64, is_periodic: [bool; 3]| {
            let mut tilts = [0.0; 3];
            tilts[tilt] = value;
            PeriodicBox::triclinic(min, sides, tilts, is_periodic)
        };
        for value in [f64::NAN, f64::INFINITY, MIN_LENGTH / 2.0, -2.0 * MAX_LENGTH] {
            refused("tilt", tilted(value, [true; 3]), &bad_tilt(axis, value));
        }
        let mut is_periodic = [true; 3];
        is_periodic[axis] = false;
        refused("tilt", tilted(1.0, is_periodic), &bad_tilt(axis, 1.0));
    }
    for (long, axis) in [([1.0, 2000.0, 1.0], 0), ([1025.0, 1.0, 2.0], 1)] {
        let reason = "is not a side of a tilted box, which is at least 1/1024 of the longest side";
        let long = DVec3::from_array(long);
        let result = PeriodicBox::triclinic(min, long, [0.1, 0.0, 0.0], [true; 3]);
        refused("aspect", result, &format!("axis {axis}: 1.0 {reason}"));
    }
    // Sides below the resolution of the corner.
    let far = DVec3::new(0.0, 1e11, 0.0);
    let result = PeriodicBox::orthogonal(far, sides, [true; 3]);
    refused("corner", result, &bad_side(1, 5.0));
    // The corner is ignored along axes that are not periodic, also if it is infinite there.
    let far = DVec2::new(0.0, f64::NAN);
    let open = PeriodicBox::orthogonal(far, DVec2::ONE, [true, false, false]);
    assert!(open.is_ok());
}

/// Workloads for tests and benches refuse numbers of parts that cannot be.
#[test]
fn workloads() {
    type Workloads = [(&'static str, fn(usize) -> bool); 12];
    #[rustfmt::skip]
    let table: Workloads = [
        ("sphere", |n| workload::sphere(1, n as f64).is_ok()),
        ("rock", |n| workload::rock(4 * n, 0.5, 1).is_ok()),
        ("torus", |n| workload::torus(2.0, 1.0, 3 * n as u32, 3).is_ok()),
        ("bolt", |n| workload::bolt(3 * n as u32, 6).is_ok()),
        ("cubes", |n| workload::cubes(&vec![[0; 3]; n], 1.0).is_ok()),
        ("sphere_pairs", |n| workload::sphere_pairs::<DVec3>(n, 1).is_ok()),
        ("sphere_wall_pairs", |n| workload::sphere_wall_pairs(n, 1, 1).is_ok()),
        ("polyhedron_pairs", |n| workload::polyhedron_pairs(4, [0.1, 0.2], n, 1, 1).is_ok()),
        ("box_pairs", |n| workload::box_pairs(n, 1).is_ok()),
        ("capsule_pairs", |n| workload::capsule_pairs(n, 1).is_ok()),
        ("mixed_pairs", |n| workload::mixed_pairs(5, n, 1).is_ok()),
        ("mesh_pairs", |n| workload::mesh_pairs(9, 0.1, n, 1).is_ok()),
    ];
    for (name, is_ok) in table {
        assert_eq!([is_ok(0), is_ok(1)], [false, true], "{name}");
    }
    let most = u32::MAX;
    for (around, across) in [(0, 9), (9, 0), (2, 9), (9, 2), (most, most), (most, 2)] {
        assert!(workload::torus(2.0, 1.0, around, across).is_err());
    }
    for (around, rings) in [(2, 9), (9, 5), (9, 0), (most, most), (most, 7), (7, most)] {
        assert!(workload::bolt(around, rings).is_err());
    }
    for radius in BAD_LENGTHS.into_iter().filter(|radius| radius.abs() != 1.0) {
        assert!(workload::sphere(0, radius).is_err(), "{radius}");
    }
    assert!(workload::sphere(40, 1.0).is_err() && workload::sphere(most, 1.0).is_err());
    for (count, roughness) in [(3, 0.1), (usize::MAX, 0.1), (50, f64::NAN)] {
        assert!(workload::rock(count, roughness, 1).is_err(), "{count}");
    }
    for cubes in [&[[i64::MAX; 3]][..], &[[i64::MIN; 3]], &[[0; 3], [1; 3]]] {
        assert!(workload::cubes(cubes, 1.0).is_err(), "{cubes:?}");
    }
    for scale in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300] {
        assert!(workload::cubes(&[[1; 3]], scale).is_err(), "{scale}");
    }
    assert!(workload::polyhedron_pairs(3, [0.0, 0.1], 1, 1, 1).is_err());
    assert!(workload::mesh_pairs(3, 0.1, 1, 1).is_err());
    let pairs = |gaps, steps| workload::polyhedron_pairs(8, gaps, 1, steps, 1);
    assert!(pairs([0.01, 0.02], 2).is_ok() && pairs([0.01, 0.01], 1).is_ok());
    assert!(pairs([0.01, 0.02], 0).is_err());
    let infinite =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|x| [[0.0, x], [x, 0.1], [x; 2]]);
    for &gaps in infinite
        .as_flattened()
        .iter()
        .chain(&[[0.02, 0.01], [-f64::MAX, f64::MAX]])
    {
        assert!(pairs(gaps, 3).is_err(), "{gaps:?}");
    }
}
