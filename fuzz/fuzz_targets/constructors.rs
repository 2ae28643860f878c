//! Passes raw bits to every constructor: the result is an error or a valid value, never a panic.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::broad::{LevelSizes, Pair, SearchDirection};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ContactSelection, PolygonPolygon};
use osculate::reference::{
    FastCommonPlane, GridCost, GridCostModel, RadiusDistribution, optimal_level_sizes,
};
use osculate::shape::{BoxTree, Polygon, SegmentMesh, TetMesh};
use osculate::*;

type Input = (Vec<[f64; 3]>, Vec<Vec<u8>>, [f64; 8], [bool; 3]);

fuzz_target!(|input: Input| {
    let (points, ids, n, flags) = input;
    let v3: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
    let v2: Vec<DVec2> = v3.iter().map(|v| v.truncate()).collect();
    let ids: Vec<Vec<u32>> = ids
        .iter()
        .map(|f| f.iter().map(|&i| i.into()).collect())
        .collect();
    let spheres = points
        .iter()
        .zip(n)
        .map(|(&p, r)| Sphere::new(DVec3::from_array(p), r));
    let spheres: Vec<_> = spheres.collect();
    let [a, b, c, d, x, y, z, w] = n;
    let _ = Pose3::new(DQuat::from_array([a, b, c, d]), DVec3::new(x, y, z));
    let _ = Pose2::from_angle(a, DVec2::new(x, y));
    let _ = Aabb::new(DVec3::new(a, b, c), DVec3::new(x, y, z)).map(|b| BoxTree::new(&[b, b]));
    for mesh in [
        SurfaceMesh::new(v3.clone(), &ids),
        SurfaceMesh::welded(&v3, &ids, 0.0),
    ]
    .into_iter()
    .flatten()
    {
        let _ = (mesh.report(), mesh.clone().set_vertices(&v3));
        let triangles = mesh.triangulated();
        let _ = SolidMesh::try_from(mesh.clone());
        let _ = SolidMesh::try_from(triangles).map(|solid| solid.mass_properties(a).principal());
        let _ = ConvexPolyhedron::try_from(mesh).map(|body| body.mass_properties(a).principal());
    }
    let _ = (
        ConvexPolyhedron::from_convex_hull(&v3),
        ConvexPolygon::from_convex_hull(&v2),
        ConvexPolygon::new(v2.clone()),
    );
    let within = SurfaceMesh::welded(&v3, &ids, a);
    let tetrahedra = ids
        .iter()
        .filter_map(|f| f.first_chunk().copied())
        .collect();
    let _ = (within, TetMesh::new(v3.clone(), tetrahedra));
    if let Ok(polygon) = Polygon::new(v2.clone()) {
        let _ = (polygon.mass_properties(a), SegmentMesh::from(&polygon));
        let at = |pose| Placed::new(&polygon, pose);
        let pose = Pose2::from_angle(a, DVec2::new(b, c)).unwrap_or_default();
        let (first, second) = (at(Pose2::IDENTITY), at(pose));
        PolygonPolygon::new()
            .with_separate_regions(true)
            .for_each_contact(&first, &second, &mut Default::default(), |_| ());
    }
    let segments = ids
        .iter()
        .filter_map(|f| f.first_chunk().copied())
        .collect();
    let _ = SegmentMesh::new(v2, segments).map(|mesh| mesh.clone().set_vertices(mesh.vertices()));
    let _ = (
        LevelSizes::new(n),
        RadiusDistribution::new(&n),
        PairList::<_>::new(LinkedCells::<DVec3>::new(), Skin::Relative(a)),
    );
    let tilts = [a, b, c];
    let _ = PeriodicBox::triclinic(DVec3::new(x, y, z), DVec3::new(w, d, c), tilts, flags);
    for mut broad in [HierarchicalGrid::new(), HierarchicalGrid::default()] {
        let is_good = spheres
            .iter()
            .all(|s| s.radius >= 0.0 && s.center.is_finite());
        assert!(broad.rebuild(&spheres).is_err() || is_good);
    }
    if let Ok(radii) = RadiusDistribution::new(&n) {
        let cost = GridCost {
            row: b,
            cell: c,
            table_cell: d,
        };
        let model = GridCostModel::new::<DVec3>(&radii, a, SearchDirection::TopDown, cost);
        let _ = model.map(|model| optimal_level_sizes(&model, None));
    }
    let pairs: Vec<Pair> = ids
        .iter()
        .filter_map(|f| f.first_chunk().copied())
        .collect();
    let _ = (
        NeighborLists::new().fill_full(points.len(), &pairs),
        FastCommonPlane::new().with_margin(a),
        DoubleHierarchy::<DVec3>::new().with_margin(b),
        ContactEnergy::power_law(a, b).map(|energy| energy.energy(c)),
        ContactSelection::merge_for_indentation(d),
    );
    let _ = (
        SphereSphere::new().with_margin(a),
        CommonPlane::new().with_margin(b),
        ContactSelection::merge_angle(c),
    );
});
