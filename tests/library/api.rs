//! Guarantees of the types to code that embeds them.

use crate::support::convex::cube_times;
use osculate::glam::{DVec2, DVec3};
use osculate::{
    Aabb, Bounded, BroadPhase, BruteForce, CommonPlane, CommonPlaneContact, CommonPlaneState,
    Contact, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy, Error, ErrorKind, Feature,
    HierarchicalGrid, LinkedCells, MassProperties, NarrowPhase, NeighborLists, PairList, Periodic,
    PeriodicBox, Placed, Pose2, Pose3, Rounded, SolidMesh, Sphere, SphereSphere, SurfaceMesh, Wall,
    WallContact, WallList,
    broad::{LevelSizes, PairListSnapshot},
    narrow::{
        ContactHistory, ContactSelection, FacetPressure, FacetSubset, PolygonPolygon,
        PressureContact, PressureField, PressurePoints, PressureShare, PressureState, SphereVolume,
        WallContactKey, WallHistory, WallListSnapshot, WallSides,
    },
    reference::{GridCostModel, RadiusDistribution},
    shape::{BoxTree, MeshReport, Polygon, RoundedPolygon, SegmentMesh},
};

#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync + 'static>() {}
    macro_rules! check_all {
        ($($type:ty),* $(,)?) => { $(check::<$type>();)* };
    }
    check_all! {
        Aabb<DVec3>, BoxTree<DVec2>, BruteForce<DVec2>, CommonPlane, CommonPlaneContact<DVec2>,
        CommonPlaneState<DVec3>, Contact<DVec3>, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy,
        Error, ErrorKind, DoubleHierarchy<DVec2>, FacetSubset<'static>,
        FacetSubset<'static, SegmentMesh>, Feature, GridCostModel<'static>,
        WallHistory<u8>, ContactHistory<PressureShare, u8>, WallList<u8>, PairListSnapshot<u8>,
        WallListSnapshot<u8>, LevelSizes, HierarchicalGrid<DVec3>, NeighborLists,
        PairList<LinkedCells, [f64; 3]>, PeriodicBox<DVec2>, Polygon, PressureContact, PressureField,
        PressurePoints, PressureState, FacetPressure, PolygonPolygon, Periodic<LinkedCells<DVec3>>,
        RadiusDistribution, LinkedCells<DVec3>, MassProperties, MassProperties<DVec2>, MeshReport,
        Placed<&'static SolidMesh, DVec3>, ContactSelection, Pose2, SegmentMesh, WallSides, SolidMesh,
        Sphere<DVec2>, SphereSphere, Rounded, RoundedPolygon, SphereVolume, SurfaceMesh, Wall, Wall<SegmentMesh>, WallContact, WallContact<DVec2>,
        WallContactKey, osculate::testing::properties::Violation,
    }
}

/// All contacts of a set of bodies by any broad and narrow phase, as a simulator writes it.
fn contacts<B, P, N>(broad: &mut P, narrow: &mut N, bodies: &[B]) -> Vec<(usize, usize, N::Contact)>
where
    B: Bounded,
    P: BroadPhase<Vector = B::Vector>,
    N: NarrowPhase<B>,
{
    broad.rebuild(bodies).unwrap();
    let mut found = Vec::new();
    broad.for_each_pair(|i, j| {
        let (a, b) = (&bodies[i], &bodies[j]);
        narrow.for_each_contact(a, b, &mut N::State::default(), |c| found.push((i, j, c)));
    });
    found
}

#[test]
fn kernels_and_closures_are_narrow_phases() {
    let discs = [0.0, 1.5, 3.5].map(|x| Sphere::new(DVec2::new(x, 0.0), 1.0));
    let found = contacts(&mut LinkedCells::new(), &mut SphereSphere::new(), &discs);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1, found[0].2.overlap), (0, 1, 0.5));

    let mut calls = 0;
    let mut closure = |a: &Sphere<DVec2>, b: &Sphere<DVec2>| {
        calls += 1;
        (a.radius == b.radius).then_some("same size")
    };
    let found = contacts(&mut BruteForce::new(), &mut closure, &discs);
    assert_eq!(
        found.iter().map(|f| f.2).collect::<Vec<_>>(),
        ["same size"; 2]
    );
    assert_eq!(calls, 2);
}

#[test]
fn shapes_of_ones_own_and_shared_shapes_are_bodies() {
    struct Pill {
        ends: [DVec3; 2],
        radius: f64,
    }
    impl Bounded for Pill {
        type Vector = DVec3;

        fn bounding_sphere(&self) -> Sphere<DVec3> {
            let [a, b] = self.ends;
            Sphere::new(a.midpoint(b), 0.5 * a.distance(b) + self.radius)
        }
    }
    let pill = |x: f64| Pill {
        ends: [DVec3::X * x, DVec3::X * (x + 1.0)],
        radius: 0.25,
    };
    let mut touching = |_: &Pill, _: &Pill| Some(());
    let found = contacts(
        &mut LinkedCells::new(),
        &mut touching,
        &[pill(0.0), pill(1.25), pill(9.0)],
    );
    assert_eq!(found, [(0, 1, ())]);

    let cube = cube_times(DVec3::ONE);
    let bodies =
        [0.0, 1.5, 4.0].map(|x| Placed::new(&cube, Pose3::from_translation(DVec3::X * x).unwrap()));
    let mut cells = LinkedCells::new();
    cells.rebuild(&bodies).unwrap();
    let mut pairs = Vec::new();
    cells.collect_pairs(&mut pairs);
    assert_eq!(pairs, [[0, 1]]);
}

/// Positions in arrays of f32, radii elsewhere: no copy into the crate's types is needed.
#[test]
fn any_layout_can_be_taken_in() {
    let (x, y, r) = (
        [0.0_f32, 0.75, 9.0],
        [0.5_f32, 0.5, 0.5],
        [0.5_f32, 0.25, 1.0],
    );
    let mut cells = LinkedCells::new();
    let sphere = |i: usize| Sphere::new(DVec2::new(x[i].into(), y[i].into()), r[i].into());
    cells.rebuild_with(x.len(), sphere).unwrap();
    let mut pairs = Vec::new();
    cells.for_each_pair(|i, j| pairs.push((i, j)));
    assert_eq!(pairs, [(0, 1)]);
}

#[test]
fn errors_are_errors_of_the_standard_library() {
    let error = Sphere::new(DVec2::ZERO, -1.0).validate(0).unwrap_err();
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some());
}

#[cfg(feature = "serde")]
#[test]
fn what_is_written_is_read_back_and_checked() {
    use crate::support::{all_contacts, read_back};
    use serde::{Serialize, de::DeserializeOwned};

    fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
        assert_eq!(&read_back(value), value);
    }
    let mesh = SurfaceMesh::new(
        vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    )
    .unwrap();
    round_trip(&mesh);
    round_trip(&SolidMesh::try_from(mesh.clone()).unwrap());
    round_trip(&ConvexPolyhedron::try_from(mesh).unwrap());
    round_trip(&Polygon::new(vec![DVec2::ZERO, DVec2::X, DVec2::Y]).unwrap());
    round_trip(&Sphere::new(DVec3::X, 0.3).mass_properties(0.7));
    round_trip(&Sphere::new(DVec2::X, 0.3).mass_properties(0.7));
    round_trip(&ConvexPolygon::new(vec![DVec2::ZERO, DVec2::X, DVec2::Y]).unwrap());
    round_trip(&Sphere::new(DVec2::X, 0.5));
    round_trip(&Aabb::new(DVec3::ZERO, DVec3::ONE).unwrap());
    round_trip(&Pose2::new(DVec2::new(0.6, 0.8), DVec2::X).unwrap());
    round_trip(&Pose3::IDENTITY);
    round_trip(&Feature::edge(7, 3));
    let (min, sides) = (DVec3::new(-1.0, 0.5, 2.0), DVec3::new(4.0, 2.0, 8.0));
    for (tilts, is_periodic) in [
        ([9.5, -2.0, 3.5], [true; 3]),
        ([0.0; 3], [true, false, true]),
        ([0.0; 3], [false; 3]),
    ] {
        round_trip(&PeriodicBox::triclinic(min, sides, tilts, is_periodic).unwrap());
    }
    let flat = [true, false, false];
    round_trip(&PeriodicBox::orthogonal(DVec2::ZERO, DVec2::ONE, flat).unwrap());
    let line = SegmentMesh::new(
        vec![DVec2::ZERO, DVec2::X, DVec2::ONE],
        vec![[0, 1], [2, 1]],
    );
    round_trip(line.as_ref().unwrap());
    let disc = Sphere::new(DVec2::new(0.7, 0.2), 0.5);
    let found = all_contacts(
        &mut DoubleHierarchy::new(),
        &disc,
        &Wall::new(line.unwrap()),
    );
    assert_eq!(found.len(), 2);
    round_trip(&found);
    round_trip(&found[0].key(3));
    let cube = cube_times(DVec3::ONE);
    let body = Placed::new(&cube, Pose3::IDENTITY);
    round_trip(&Rounded::ball(0.3).unwrap());
    round_trip(&Rounded::capsule([DVec3::splat(0.1), DVec3::splat(0.7)], 0.3).unwrap());
    round_trip(&Rounded::polyhedron(body.shape.clone(), 0.1).unwrap());
    round_trip(&RoundedPolygon::stadium([DVec2::X, DVec2::Y * 0.1], 0.3).unwrap());
    let ball = Sphere::new(DVec3::new(0.0, -0.25, 0.75), 0.5);
    let found = CommonPlane::new().contact(&ball, &body);
    assert!(found.is_some());
    round_trip(&found);
    for policy in [
        ContactSelection::all(),
        ContactSelection::half_space(),
        ContactSelection::nearest(),
    ] {
        round_trip(&policy);
    }
    let [a, b] =
        [0.0, 0.875].map(|z| Placed::new(&cube, Pose3::from_translation(DVec3::Z * z).unwrap()));
    let mut kernel = PressureField::new().with_points().with_volume();
    let mut state = PressureState::default();
    kernel.contact_with(&a, &b, &mut state).unwrap();
    // What was read continues the shares of what was written.
    let mut read = read_back(&state);
    for state in [&mut state, &mut read] {
        let contact = kernel.contact_with(&a, &b, state).unwrap();
        assert_eq!(contact.points.unwrap().shares[1].previous, Some(1));
        round_trip(&contact);
    }
    round_trip(&ContactSelection::merge_for_indentation(0.25).unwrap());
    round_trip(&[WallSides::Both, WallSides::Front]);

    let open = r#"{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"facets":[[0,1,2]]}"#;
    assert!(serde_json::from_str::<SurfaceMesh>(open).is_ok());
    let error = serde_json::from_str::<SolidMesh>(open).unwrap_err();
    assert!(error.to_string().contains("edge [0, 1] is open"), "{error}");
    assert!(serde_json::from_str::<SegmentMesh>("[[[0,0],[1,0]],[[0,1]]]").is_ok());
    assert!(serde_json::from_str::<SegmentMesh>("[[[0,0],[1,0]],[[0,2]]]").is_err());
    let bad = r#"{"rotation":[1.0,1.0],"translation":[0.0,0.0]}"#;
    assert!(serde_json::from_str::<Pose2>(bad).is_err());
    let bad = r#"{"min":[0,0],"sides":[1,-1],"tilts":[0,0,0],"is_periodic":[true,true,false]}"#;
    let error = serde_json::from_str::<PeriodicBox<DVec2>>(bad).unwrap_err();
    assert!(error.to_string().contains("-1"), "{error}");
    let merged = ContactSelection::merge_for_indentation(0.25).unwrap();
    let text = serde_json::to_string(&merged).unwrap();
    let bad = text.replace("0.75", "1.75");
    assert_ne!(bad, text);
    let error = serde_json::from_str::<ContactSelection>(&bad).unwrap_err();
    assert!(error.to_string().contains("cosine 1.75"), "{error}");
}

/// The bodies of a rebuild give the dimension of a grid; without bodies the type is written.
#[test]
fn the_dimension_of_a_grid_is_inferred() -> Result<(), Error> {
    let (discs, spheres) = (
        vec![Sphere::new(DVec2::ZERO, 1.0); 2],
        vec![Sphere::new(DVec3::ZERO, 1.0); 2],
    );
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&discs)?;
    assert_eq!(grid.spheres()[0].center.x, 0.0);
    let mut grid = HierarchicalGrid::new();
    for _ in 0..2 {
        grid.rebuild_with(spheres.len(), |i| spheres[i])?;
    }
    assert_eq!(grid.report().levels.len(), 1);
    let mut grid = <HierarchicalGrid>::new();
    grid.rebuild(&Vec::<Sphere>::new())?;
    assert!(grid.is_empty());
    Ok(())
}
