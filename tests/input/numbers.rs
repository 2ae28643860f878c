//! Every constructor that takes numbers, with every invalid number; and functions that cannot fail,
//! with numbers out of range.

use crate::support::bad::{
    BAD_LENGTHS, bad_aspect, bad_length, bad_norm, bad_radius, bad_rotation, bad_side, bad_tilt,
    refusal, refused,
};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::{self, MAX_LENGTH, MIN_LENGTH};
use osculate::reference::{exponential_level_sizes, linear_level_sizes};
use osculate::testing::workload;
use osculate::{
    Aabb, BroadPhase, CommonPlane, ContactEnergy, DoubleHierarchy, ElasticBed, Error, ErrorKind,
    Feature, HierarchicalGrid, LinkedCells, PairList, Periodic, PeriodicBox, Pose2, Pose3, Skin,
    Sphere, SphereSphere, SurfaceMesh, Wall,
    broad::{LevelSizes, SearchDirection},
    narrow::{ContactSelection, ConvexWall},
    reference::{FastCommonPlane, GridCost, GridCostModel, RadiusDistribution},
    shape::{BoxTree, SegmentMesh},
};

/// A function of one number, its name for it, its range, and numbers that are invalid only here.
type Taker = (
    &'static str,
    fn(f64) -> Result<(), Error>,
    &'static str,
    &'static [f64],
);

const LENGTH: &str = "0 or within [2^-150, 2^150]";

/// Every function that takes a length or a parameter reports the invalid one.
#[test]
fn numbers() {
    fn any<T>(result: Result<T, Error>) -> Result<(), Error> {
        result.map(|_| ())
    }
    fn square() -> Vec<DVec3> {
        [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
            .map(|(x, y)| DVec3::new(x, y, 0.0))
            .to_vec()
    }
    fn model(density: f64, cost: GridCost) -> Result<(), Error> {
        let radii = RadiusDistribution::new(&[1.0, 2.0]).unwrap();
        any(GridCostModel::new::<DVec3>(
            &radii,
            density,
            SearchDirection::TopDown,
            cost,
        ))
    }
    const COST: GridCost = GridCost::ROWS;
    const LENGTHS: [Taker; 10] = [
        (
            "margin",
            |x| any(SphereSphere::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "margin",
            |x| any(CommonPlane::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "margin",
            |x| any(ElasticBed::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "margin",
            |x| any(FastCommonPlane::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "margin",
            |x| any(DoubleHierarchy::<DVec3>::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "margin",
            |x| any(DoubleHierarchy::<DVec2>::new().with_margin(x)),
            LENGTH,
            &[],
        ),
        (
            "skin",
            |x| {
                any(PairList::<_>::new(
                    LinkedCells::<DVec3>::new(),
                    Skin::Absolute(x),
                ))
            },
            LENGTH,
            &[],
        ),
        (
            "skin",
            |x| {
                any(PairList::<_>::new(
                    LinkedCells::<DVec2>::new(),
                    Skin::Relative(x),
                ))
            },
            LENGTH,
            &[],
        ),
        (
            "cell size",
            |x| any(LinkedCells::<DVec2>::new().with_cell_size(x)),
            "within [2^-150, 2^150]",
            &[0.0],
        ),
        (
            "level size",
            |x| any(LevelSizes::new([x])),
            "within [2^-150, 2^152]",
            &[0.0],
        ),
    ];
    for (name, take, domain, also_bad) in LENGTHS {
        for &value in BAD_LENGTHS.iter().chain(also_bad) {
            refused(name, take(value), &bad_length(name, value, domain));
        }
        assert!(also_bad == [0.0] || take(0.0).is_ok());
        assert!(take(MIN_LENGTH).is_ok() && take(MAX_LENGTH).is_ok());
    }
    for value in BAD_LENGTHS {
        let merged = SurfaceMesh::welded(&square(), [[0, 1, 2]], value);
        refused("welded", merged, &bad_length("tolerance", value, LENGTH));
        let radii = RadiusDistribution::new(&[1.0, 0.0, value, -3.0]);
        refused("radii", radii, &bad_radius(2, value));
        let second = LevelSizes::new([1.0, value]);
        refused(
            "second level",
            second,
            &bad_length("level size", value, "within [2^-150, 2^152]"),
        );
    }
    for (sizes, level) in [(vec![1.0, 2.0, 2.0, 1.0], 2), (vec![1.0, 0.5], 1)] {
        let size = sizes[level];
        refused(
            "levels",
            LevelSizes::new(sizes),
            &refusal(
                ErrorKind::CellSize,
                Some(level),
                format!("level {level}: size {size:?} does not exceed the size of the level below"),
            ),
        );
    }
    let none = refusal(ErrorKind::CellSize, None, "no level sizes are given");
    refused("no levels", LevelSizes::new([]), &none);

    const NO_NUMBERS: [f64; 4] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300];
    const PARAMETERS: [Taker; 10] = [
        (
            "stiffness",
            |x| any(ContactEnergy::linear(x)),
            "[0, f64::MAX / exponent]",
            &[],
        ),
        (
            "stiffness",
            |x| any(ContactEnergy::power_law(x, 1.5)),
            "[0, f64::MAX / exponent]",
            &[f64::MAX],
        ),
        (
            "exponent",
            |x| any(ContactEnergy::power_law(1.0, x)),
            "[1, inf)",
            &[0.0, 1.0 - 1e-16],
        ),
        (
            "angle",
            |x| any(ContactSelection::merge_angle(x)),
            "[0, pi] rad",
            &[3.15],
        ),
        (
            "with_bend: angle",
            |x| any(ConvexWall::new().with_bend(x)),
            "(0, pi] rad",
            &[0.0, 3.15],
        ),
        (
            "gamma_max",
            |x| any(ContactSelection::merge_for_indentation(x)),
            "[0, 1]",
            &[1.0 + 1e-15],
        ),
        ("density", |x| model(x, COST), "[0, inf)", &[]),
        (
            "cost of a row",
            |row| model(1.0, GridCost { row, ..COST }),
            "[0, 2^50]",
            &[1e16],
        ),
        (
            "cost of a cell",
            |cell| model(1.0, GridCost { cell, ..COST }),
            "[0, 2^50]",
            &[1e16],
        ),
        (
            "cost of a table's cell",
            |table_cell| model(1.0, GridCost { table_cell, ..COST }),
            "[0, 2^50]",
            &[1e16],
        ),
    ];
    for (name, take, range, also_bad) in PARAMETERS {
        for &value in NO_NUMBERS.iter().chain(also_bad) {
            refused(
                name,
                take(value),
                &refusal(
                    ErrorKind::Parameter,
                    None,
                    format!("{name} {value:?} is not within {range}"),
                ),
            );
        }
        assert!(take(1.0).is_ok());
    }
    for count in [0, 9, usize::MAX] {
        let message = format!("with_max_points: number of points {count} is not within [1, 8]");
        let error = refusal(ErrorKind::Parameter, None, message);
        let bed = ElasticBed::new();
        refused("bed", any(bed.with_max_points(count)), &error);
        refused(
            "wall",
            any(ConvexWall::new().with_max_points(count)),
            &error,
        );
    }
}

/// Rotations and sides of periodic boxes.
#[test]
fn rotations_and_boxes() {
    for w in [
        0.0,
        1.0 + 2.0_f64.powi(-40),
        f64::NAN,
        f64::INFINITY,
        1e-200,
        1e200,
    ] {
        let norm_squared = w * w;
        let (q, z) = (DQuat::from_xyzw(0.0, w, 0.0, 0.0), DVec2::new(0.0, w));
        refused("q", Pose3::new(q, DVec3::ZERO), &bad_rotation(norm_squared));
        refused("z", Pose2::new(z, DVec2::ZERO), &bad_rotation(norm_squared));
        if w == 0.0 || !w.is_finite() {
            let error = bad_norm(norm_squared, "[2^-1022, 2^1024)");
            refused("q", Pose3::new_normalize(q, DVec3::ZERO), &error);
            refused("z", Pose2::new_normalize(z, DVec2::ZERO), &error);
        } else {
            // A number that can be made a rotation is one, or is refused.
            let pose = Pose3::new_normalize(q, DVec3::ZERO);
            assert!(pose.map_or(true, |pose| pose.rotation().is_normalized()));
        }
    }
    assert!(Pose2::from_angle(f64::NAN, DVec2::ZERO).is_err());
    assert!(Pose2::from_angle(f64::INFINITY, DVec2::ZERO).is_err());

    let (min, sides) = (DVec3::ZERO, DVec3::new(4.0, 5.0, 6.0));
    for value in BAD_LENGTHS.into_iter().chain([0.0, MAX_LENGTH]) {
        for axis in 0..3 {
            let mut bad = sides;
            bad[axis] = value;
            let error = bad_side(axis, value);
            refused("side", PeriodicBox::orthogonal(min, bad, [true; 3]), &error);
            let mut is_periodic = [true; 3];
            is_periodic[axis] = false;
            assert!(
                PeriodicBox::orthogonal(min, bad, is_periodic).is_ok(),
                "not used"
            );
        }
    }
    for (tilt, axis) in [(0, 1), (1, 2), (2, 2)] {
        for value in [f64::NAN, f64::INFINITY, MIN_LENGTH / 2.0, -2.0 * MAX_LENGTH] {
            let mut tilts = [0.0; 3];
            tilts[tilt] = value;
            let error = bad_tilt(axis, value);
            refused(
                "tilt",
                PeriodicBox::triclinic(min, sides, tilts, [true; 3]),
                &error,
            );
        }
        let mut tilts = [0.0; 3];
        tilts[tilt] = 1.0;
        let error = bad_tilt(axis, 1.0);
        let mut is_periodic = [true; 3];
        is_periodic[axis] = false;
        refused(
            "tilt",
            PeriodicBox::triclinic(min, sides, tilts, is_periodic),
            &error,
        );
    }
    let long = DVec3::new(1.0, 2000.0, 1.0);
    let error = bad_aspect(0, 1.0);
    refused(
        "aspect",
        PeriodicBox::triclinic(min, long, [0.1, 0.0, 0.0], [true; 3]),
        &error,
    );
    // Sides below the resolution of the corner.
    let far = DVec3::new(0.0, 1e11, 0.0);
    let error = bad_side(1, 5.0);
    refused(
        "corner",
        PeriodicBox::orthogonal(far, sides, [true; 3]),
        &error,
    );
}

/// Solids for tests and benches refuse numbers of parts that cannot be.
#[test]
fn workloads() {
    let most = u32::MAX;
    for (around, across) in [
        (0, 0),
        (0, 9),
        (9, 0),
        (2, 9),
        (9, 2),
        (most, most),
        (most, 2),
    ] {
        assert!(workload::torus(2.0, 1.0, around, across).is_err());
    }
    for (around, rings) in [
        (0, 9),
        (2, 9),
        (9, 5),
        (9, 0),
        (most, most),
        (most, 7),
        (7, most),
    ] {
        assert!(workload::bolt(around, rings).is_err());
    }
    for radius in BAD_LENGTHS.into_iter().filter(|radius| radius.abs() != 1.0) {
        assert!(workload::sphere(0, radius).is_err(), "{radius}");
    }
    assert!(workload::sphere(40, 1.0).is_err() && workload::sphere(u32::MAX, 1.0).is_err());
    assert!((0..4).all(|count| workload::rock(count, 0.1, 1).is_err()));
    assert!(workload::rock(usize::MAX, 0.1, 1).is_err());
    assert!(workload::rock(50, f64::NAN, 1).is_err());
    for end in [i64::MAX, i64::MIN] {
        assert!(workload::cubes(&[[end; 3]], 1.0).is_err());
    }
    assert!(workload::cubes(&[], 1.0).is_err());
    assert!(workload::cubes(&[[0; 3], [1; 3]], 1.0).is_err());
    for scale in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300] {
        assert!(workload::cubes(&[[1; 3]], scale).is_err(), "{scale}");
    }
    assert!(workload::sphere_pairs::<DVec2>(0, 1).is_err());
    assert!(workload::polyhedron_pairs(3, [0.0, 0.1], 1, 1, 1).is_err());
    assert!(workload::mesh_pairs(3, 0.1, 1, 1).is_err());
}

/// Numbers out of any domain: no panic, no endless loop, and the results that the documentation states.
const STRANGE: [f64; 7] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    0.0,
    5e-324,
    1.0,
];

/// Visits all pairs of strange numbers.
fn strange_pairs() -> impl Iterator<Item = (f64, f64)> {
    STRANGE.iter().flat_map(|&x| STRANGE.map(|y| (x, y)))
}

fn is_tame(v: DVec3) -> bool {
    !v.is_nan() && v.abs().max_element() <= 1.0
}

const CORNERS: [DVec3; 6] = [
    DVec3::ZERO,
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::splat(2.0),
    DVec3::splat(3.0),
];

fn tetrahedron() -> SurfaceMesh {
    let facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    SurfaceMesh::new(CORNERS.to_vec(), facets).unwrap()
}

#[test]
fn queries_that_cannot_fail() {
    let period = PeriodicBox::triclinic(DVec3::ZERO, DVec3::ONE, [0.25; 3], [true; 3]).unwrap();
    let mesh = tetrahedron();
    let wall = Wall::new(mesh);
    let spheres = CORNERS.map(|p| Sphere::new(p, 0.6));
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&spheres).unwrap();
    let mut periodic = Periodic::new(HierarchicalGrid::new(), period);
    periodic.rebuild(&[Sphere::new(DVec3::ZERO, 0.1)]).unwrap();
    let unit = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };
    let boxes = BoxTree::new(&[unit]).unwrap();
    for (x, y) in strange_pairs() {
        let (p, q) = (DVec3::new(x, y, x), DVec3::new(y, 1.0, x));
        let (s, t) = (Sphere::new(p, y), Sphere::new(q, x));
        let is_nan = |s: &Sphere<DVec3>| s.center.is_nan() || s.radius.is_nan();
        assert_eq!(s.touches(&t), t.touches(&s));
        if is_nan(&s) || is_nan(&t) {
            assert!(!s.touches(&t) && !period.touches(&s, &t));
        }

        let mut found = Vec::new();
        grid.for_each_touching(&s, |i| found.push(i));
        found.sort_unstable();
        let is_valid = s.validate(0).is_ok();
        let touches = |&i: &usize| is_valid && spheres[i].touches(&s);
        assert_eq!(found, (0..6).filter(touches).collect::<Vec<_>>());
        periodic.for_each_touching(&s, |i| assert!(i == 0 && is_valid));
        wall.for_each_facet_near(&s, |i| assert!(i < 4 && is_valid));
        wall.for_each_body_near(&[s, t], x, &mut Vec::new(), |i, _| assert!(i < 2));
        boxes.for_each_touching(&Aabb { min: p, max: q }, |i| {
            assert!(i == 0 && !p.is_nan() && !q.is_nan())
        });
        boxes.for_each_touching_sphere(&s, |i| assert!(i == 0 && is_valid));

        let wrapped = period.wrap(p);
        if is_tame(p) {
            assert_eq!(period.wrap(wrapped), wrapped);
            assert_eq!(period.image_index(wrapped), [0; 3]);
            let image = period.lattice_vector(period.image_index(p));
            assert!((wrapped + image - p).length() < 1e-15);
            assert!(period.minimum_image(p).abs().max_element() <= 0.5);
        } else if p.is_finite() {
            assert!(wrapped.is_finite());
        }
    }
    assert!(period.lattice_vector([i32::MIN; 3]).is_finite());
    grid.for_each_pair_in(usize::MAX, |_, _| unreachable!());
}

#[test]
fn formulas_that_cannot_fail() {
    let energy = ContactEnergy::power_law(1.0, 1.25).unwrap();
    let radii = RadiusDistribution::new(&[1.0]).unwrap();
    for (x, y) in strange_pairs() {
        let (p, q) = (DVec3::new(x, y, x), DVec3::new(y, 1.0, x));
        assert_eq!(
            math::closest_on_polygon(q, &[]).distance_squared,
            f64::INFINITY
        );
        if is_tame(p) && is_tame(q) {
            for corners in [&[p][..], &[p, q], &[q, p, q]] {
                let closest = math::closest_on_polygon(q, corners);
                assert!(closest.distance_squared <= p.distance_squared(q) + 1e-15);
                assert!((closest.offset.length_squared() - closest.distance_squared).abs() < 1e-15);
            }
            let [a, b] = [p.truncate(), q.truncate()];
            assert_eq!(
                math::orient2d(a, b, DVec2::ZERO),
                -math::orient2d(b, a, DVec2::ZERO)
            );
            let [forth, back] =
                [[p, q], [q, p]].map(|[a, b]| math::orient3d(a, b, DVec3::X, DVec3::ZERO));
            assert_eq!(forth, -back);
        } else {
            // Any result, but no panic.
            math::closest_on_triangle(p, [q, p, q]);
            math::orient2d(p.truncate(), q.truncate(), DVec2::ZERO);
            math::orient3d(p, q, DVec3::X, DVec3::ZERO);
        }
        let between = workload::SplitMix64::new(1).range(x, y);
        assert!(!(0.0..=1.0).contains(&x) || !(x..=1.0).contains(&y) || (x..=y).contains(&between));
    }
    for x in STRANGE {
        let (w, pressure) = (energy.energy(x), energy.pressure(x));
        let is_volume = (0.0..=f64::MAX).contains(&x);
        assert!(!is_volume || w >= 0.0 && pressure >= 0.0, "{w} {pressure}");
        let density = radii.density::<DVec3>(x);
        assert!(!is_volume || density >= 0.0 && density <= x);
    }
    assert_eq!(workload::SplitMix64::new(1).below(0), 0);
    let none = RadiusDistribution::new(&[]).unwrap();
    for levels in [0, 1, usize::MAX] {
        assert!(linear_level_sizes(&none, levels).as_slice().len() <= 1);
        assert!(exponential_level_sizes(&none, levels).as_slice().len() <= 1);
    }
}

#[test]
fn ids_that_do_not_exist() {
    let mesh = tetrahedron();
    let line = SegmentMesh::new(vec![DVec2::ZERO, DVec2::X], vec![[0, 1]]).unwrap();
    let (wall, flat) = (Wall::new(mesh.clone()), Wall::new(line.clone()));
    for (x, y) in strange_pairs() {
        let p = DVec3::new(x, y, x);
        for facet in [0, 3, 4, u32::MAX] {
            let (mut sum, mut flat_sum) = (0.0, 0.0);
            mesh.for_each_nodal_weight(facet, p, |vertex, weight| {
                assert!(vertex < 6 && facet < 4);
                sum += weight;
            });
            line.for_each_nodal_weight(facet, p.truncate(), |vertex, weight| {
                assert!(vertex < 2 && facet == 0);
                flat_sum += weight;
            });
            if is_tame(p) {
                assert!(facet > 3 || (sum - 1.0_f64).abs() < 1e-14);
                assert!(facet > 0 || (flat_sum - 1.0_f64).abs() < 1e-14);
            }
            assert!(!wall.are_adjacent(facet, 9));
        }
    }
    for feature in [Feature::Facet(9), Feature::Vertex(9), Feature::edge(9, 9)] {
        wall.for_each_facet_at(feature, |facet| assert!(facet < 4 || facet == 9));
        flat.for_each_facet_at(feature, |segment| assert!(segment < 1 || segment == 9));
    }
    assert!(mesh.facet(4).is_none() && line.normal(9).is_none());
}
