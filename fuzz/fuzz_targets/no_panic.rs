//! Whatever the bits: no panic, no hang, no memory without bound.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::{DQuat, DVec3};
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
    let _ = (grid.report(), grid.remove(3));
    for (i, [x, y, z, r]) in moves.into_iter().take(64) {
        let _ = grid.relocate(i.into(), Sphere::new(DVec3::new(x, y, z), r));
        let _ = grid.insert(Sphere::new(DVec3::new(r, x, y), z));
        grid.for_each_near(&Sphere::new(DVec3::new(z, x, r), y), |_| ());
    }
    grid.for_each_pair(|_, _| ());
    if let Ok(period) = PeriodicBox::triclinic(p, q, [r, d, a], flags) {
        let _ = (period.wrap(p), period.image_of(q), period.nearest(p - q));
        let mut list = PairList::<_, ()>::new(Skin::Relative(0.1)).unwrap();
        let mut broad = Periodic::new(period, LinkedCells::new());
        for r in [r, d] {
            let sphere = |i: usize| Sphere::new(points[i], r);
            if list.update(&mut broad, points.len(), sphere).is_ok() {
                list.for_each_touching(sphere, |_, _, ()| ());
            }
        }
    }
    let triangles: Vec<[u32; 3]> = ids.iter().map(|t| t.map(u32::from)).collect();
    let pose = Pose3::new(DQuat::from_array([a, b, c, d]).normalize(), q).unwrap_or_default();
    if let Ok(mesh) = SurfaceMesh::new(points.clone(), &triangles) {
        let sphere = Sphere::new(p, r);
        let mut wall = Wall::new(mesh.clone());
        wall.set_pose(pose);
        DoubleHierarchy::new().contacts(&sphere, &wall, &mut Default::default(), |_| ());
        if let Ok(solid) = SolidMesh::try_from(mesh).map(SolidTree::from) {
            let at = |pose| Placed {
                shape: &solid,
                pose,
            };
            MeshMesh::separate().contacts(&at(pose), &at(Pose3::IDENTITY), &mut (), |_| ());
        }
    }
    if let Ok(hull) = convex_hull(&points) {
        let at = |pose| Placed { shape: &hull, pose };
        let mut memory = Default::default();
        CommonPlane::new().contacts(&at(pose), &at(Pose3::IDENTITY), &mut memory, |_| ());
        CommonPlane::new().contacts(
            &at(Pose3::IDENTITY),
            &at(Pose3::IDENTITY),
            &mut memory,
            |_| (),
        );
    }
});
