//! Passes any bits to the kernels: no panic, no hang, no unbounded memory.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::broad::{HashGrid, IncrementalBroadPhase};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::Pose;
use osculate::narrow::{PolygonPolygon, WallMesh};
use osculate::reference::FastCommonPlane;
use osculate::shape::{Polygon, SegmentMesh, TetMesh};
use osculate::*;

type Input = (
    Vec<[f64; 3]>,
    Vec<[u8; 3]>,
    [f64; 8],
    Vec<(u8, [f64; 4])>,
    [bool; 3],
);

fuzz_target!(|input: Input| {
    let (points, ids, n, moves, flags) = input;
    let points: Vec<DVec3> = points.into_iter().take(64).map(DVec3::from_array).collect();
    let [a, b, c, d, x, y, z, r] = n;
    let (p, q) = (DVec3::new(a, b, c), DVec3::new(x, y, z));
    let mut grid = HierarchicalGrid::new();
    let _ = grid.rebuild_with(points.len(), |i| Sphere::new(points[i], n[i % 8]));
    grid.for_each_pair(|_, _| ());
    let _ = grid.report();
    let mut grid = HashGrid::new();
    let _ = grid.rebuild_with(points.len(), |i| Sphere::new(points[i], n[i % 8]));
    let _ = grid.swap_remove(3);
    for (i, [x, y, z, r]) in moves.into_iter().take(64) {
        let _ = grid.replace(i.into(), Sphere::new(DVec3::new(x, y, z), r));
        let _ = grid.insert(Sphere::new(DVec3::new(r, x, y), z));
        grid.for_each_touching(&Sphere::new(DVec3::new(z, x, r), y), |_| ());
    }
    grid.for_each_pair(|_, _| ());
    if let Ok(period) = PeriodicBox::triclinic(p, q, [r, d, a], flags) {
        let _ = (
            period.wrap(p),
            period.image_index(q),
            period.minimum_image(p - q),
        );
        let cells = Periodic::new(LinkedCells::new(), period);
        let mut list = PairList::<_, ()>::new(cells, Skin::Relative(0.1)).unwrap();
        for r in [r, d] {
            let sphere = |i: usize| Sphere::new(points[i], r);
            if list.update_with(points.len(), sphere).is_ok() {
                list.for_each_touching_pair(|_, _, ()| ());
            }
        }
    }
    let pose = Pose3::new(DQuat::from_array([a, b, c, d]).normalize(), q).unwrap_or_default();
    let triangles: Vec<[u32; 3]> = ids.iter().map(|t| t.map(u32::from)).collect();
    if let Ok(mesh) = SurfaceMesh::new(points.clone(), &triangles) {
        let mut wall = Wall::new(mesh.clone());
        wall.set_pose(pose);
        roll(&wall, Sphere::new(p, r));
        if let Ok(solid) = SolidMesh::try_from(mesh) {
            meet(MeshMesh::new().with_separate_regions(true), &solid, pose);
        }
    }
    if let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) {
        meet(CommonPlane::new(), &hull, pose);
        meet(FastCommonPlane::new(), &hull, pose);
        meet(ConvexConvex::new(), &hull, pose);
    }
    let fours = triangles
        .windows(2)
        .map(|t| [t[0][0], t[0][1], t[0][2], t[1][0]]);
    if let Ok(solid) = TetMesh::new(points.clone(), fours.collect()).and_then(|t| t.to_solid()) {
        meet(MeshMesh::new(), &solid, pose);
    }
    let points: Vec<DVec2> = points.iter().map(|p| p.truncate()).collect();
    let pose = Pose2::from_angle(a, q.truncate()).unwrap_or_default();
    if let Ok(polygon) = Polygon::new(points.clone()) {
        meet(
            PolygonPolygon::new().with_separate_regions(true),
            &polygon,
            pose,
        );
    }
    if let Ok(hull) = ConvexPolygon::from_convex_hull(&points) {
        meet(CommonPlane::new(), &hull, pose);
        meet(FastCommonPlane::new(), &hull, pose);
    }
    let segments = triangles.iter().map(|t| [t[0], t[1]]);
    if let Ok(mesh) = SegmentMesh::new(points, segments.collect()) {
        let mut wall = Wall::new(mesh);
        wall.set_pose(pose);
        roll(&wall, Sphere::new(p.truncate(), r));
    }
});

/// A sphere at a wall, twice with the same state.
fn roll<M: WallMesh>(wall: &Wall<M>, sphere: Sphere<M::Vector>)
where
    DoubleHierarchy<M::Vector>: Default,
{
    let (mut kernel, mut memory) = (DoubleHierarchy::default(), Default::default());
    for _ in 0..2 {
        kernel.for_each_contact(&sphere, wall, &mut memory, |_| ());
    }
}

/// A body and itself at a pose, there and back with the same state.
fn meet<'a, S, V: Vector, K>(mut kernel: K, shape: &'a S, pose: Pose<V>)
where
    K: NarrowPhase<Placed<&'a S, V>, Placed<&'a S, V>>,
{
    let at = |pose| Placed::new(shape, pose);
    let mut memory = Default::default();
    for pose in [pose, pose, Pose::IDENTITY, pose] {
        kernel.for_each_contact(&at(Pose::IDENTITY), &at(pose), &mut memory, |_| ());
    }
}
