//! Guarantees of the types to code that embeds them.

use osculate::glam::{DVec2, DVec3};
use osculate::{
    Aabb, BruteForce, CommonPlane, CommonPlaneContact, CommonPlaneState, Contact, ConvexPolygon,
    ConvexPolyhedron, DoubleHierarchy, Error, ErrorKind, Feature, HierarchicalGrid, LinkedCells,
    MassProperties, NeighborLists, PairList, Periodic, PeriodicBox, Placed, Pose2, Rounded,
    SolidMesh, Sphere, SphereSphere, SurfaceMesh, Wall, WallContact, WallList,
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

#[test]
fn errors_are_errors_of_the_standard_library() {
    let error = Sphere::new(DVec2::ZERO, -1.0).validate(0).unwrap_err();
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some());
}

#[cfg(feature = "serde")]
#[test]
fn what_is_written_is_read_back_and_checked() {
    use crate::support::convex::cube_times;
    use crate::support::{all_contacts, read_back};
    use osculate::{NarrowPhase, Pose3};
    use serde::{Serialize, de::DeserializeOwned};

    fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
        assert_eq!(&read_back(value), value);
    }
    fn is_refused<T: DeserializeOwned>(text: &str, message: &str) {
        let error = serde_json::from_str::<T>(text).err().unwrap().to_string();
        assert!(error.contains(message), "{error}");
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
    let segments = vec![[0, 1], [2, 1]];
    let line = SegmentMesh::new(vec![DVec2::ZERO, DVec2::X, DVec2::ONE], segments).unwrap();
    round_trip(&line);
    let disc = Sphere::new(DVec2::new(0.7, 0.2), 0.5);
    let found = all_contacts(&mut DoubleHierarchy::new(), &disc, &Wall::new(line));
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
    let merged = ContactSelection::merge_for_indentation(0.25).unwrap();
    let nearest = ContactSelection::nearest();
    round_trip(&[
        ContactSelection::all(),
        ContactSelection::half_space(),
        nearest,
        merged,
    ]);
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
    round_trip(&[WallSides::Both, WallSides::Front]);

    let open = r#"{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"facets":[[0,1,2]]}"#;
    assert!(serde_json::from_str::<SurfaceMesh>(open).is_ok());
    assert!(serde_json::from_str::<SegmentMesh>("[[[0,0],[1,0]],[[0,1]]]").is_ok());
    let text = serde_json::to_string(&merged)
        .unwrap()
        .replace("0.75", "1.75");
    let tilted = r#"{"min":[0,0],"sides":[1,-1],"tilts":[0,0,0],"is_periodic":[true,true,false]}"#;
    is_refused::<SolidMesh>(open, "edge [0, 1] is open");
    is_refused::<SegmentMesh>("[[[0,0],[1,0]],[[0,2]]]", "vertex 2 does not exist");
    is_refused::<Pose2>(
        r#"{"rotation":[1.0,1.0],"translation":[0.0,0.0]}"#,
        "rotation 2.0",
    );
    is_refused::<PeriodicBox<DVec2>>(tilted, "-1");
    is_refused::<ContactSelection>(&text, "cosine 1.75");
}
