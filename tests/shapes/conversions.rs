//! Conversions between shapes, and the small values that all of them use.

use std::sync::Arc;

use osculate::glam::{DVec2, DVec3};
use osculate::testing::strategies as any;
use osculate::{
    Aabb, Bounded, ConvexConvex, ConvexPolygon, ConvexPolyhedron, ErrorKind, MeshMesh, NarrowPhase,
    Placed, Pose3, SolidMesh, SurfaceMesh,
    shape::{Polygon, TetMesh},
};
use proptest::prelude::*;

/// Twice the least area of a facet.
fn least_area(surface: &SurfaceMesh) -> f64 {
    let area = |corners: Vec<DVec3>| (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let areas = surface
        .facets()
        .map(|f| area(f.corners().collect()).length());
    areas.fold(f64::INFINITY, f64::min)
}

/// A box of `n` units, each face of which has corners at all lattice points of its edges.
fn box_with_corners_on_edges(n: i32, sizes: DVec3) -> ConvexPolyhedron {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    let mut id = |p: [i32; 3]| {
        let found = vertices.iter().position(|&v| v == p);
        found.unwrap_or_else(|| {
            vertices.push(p);
            vertices.len() - 1
        }) as u32
    };
    let around = (0..4 * n).map(|i| {
        let along = i % n;
        [[along, 0], [n, along], [n - along, n], [0, n - along]][(i / n) as usize]
    });
    for axis in 0..3 {
        for end in [0, n] {
            let corner = |[u, v]: [i32; 2]| {
                let mut p = [0; 3];
                p[axis] = end;
                p[(axis + 1) % 3] = u;
                p[(axis + 2) % 3] = v;
                p
            };
            let mut face: Vec<u32> = around.clone().map(|uv| id(corner(uv))).collect();
            if end == 0 {
                face.reverse();
            }
            faces.push(face);
        }
    }
    let position = |p: [i32; 3]| DVec3::from_array(p.map(f64::from)) * sizes;
    ConvexPolyhedron::new(vertices.into_iter().map(position).collect(), faces).unwrap()
}

proptest! {
    #[test]
    fn polyhedron_and_solid_are_one_body(
        shapes in [any::convex_polyhedron(), any::convex_polyhedron()],
        poses in [any::pose(), any::pose()],
    ) {
        let shapes = shapes.map(any::Case::into_inner);
        let solids = shapes.each_ref().map(ConvexPolyhedron::to_solid);
        for (shape, solid) in shapes.iter().zip(&solids) {
            prop_assert_eq!(solid.volume(), shape.volume());
            prop_assert_eq!(solid.surface().vertices(), shape.vertices());
            let corners: usize = shape.surface().facets().map(|f| f.vertices().len() - 2).sum();
            prop_assert_eq!(solid.surface().facets().len(), corners);
            // The checks of the constructor accept it.
            let again = SolidMesh::try_from(solid.surface().clone()).unwrap();
            prop_assert!((again.volume() - shape.volume()).abs() <= 1e-12 * shape.volume());
        }
        let pair = |k: usize| Placed::new(&shapes[k], poses[k]);
        let convex = ConvexConvex::new().contact(&pair(0), &pair(1));
        let pair = |k: usize| Placed::new(&solids[k], poses[k]);
        let mesh = MeshMesh::new().contact(&pair(0), &pair(1));
        let volumes = [convex.map_or(0.0, |c| c.volume), mesh.map_or(0.0, |c| c.volume)];
        let whole = shapes[0].volume().max(shapes[1].volume());
        let far = poses.iter().map(|p| p.translation().length()).fold(1.0, f64::max);
        prop_assert!((volumes[0] - volumes[1]).abs() <= 1e-12 * far * whole, "{volumes:?}");
    }

    #[test]
    fn corners_on_edges_make_no_flat_triangle(
        n in 1..6,
        x in 0.1..10.0,
        y in 0.1..10.0,
        z in 0.1..10.0,
    ) {
        let body = box_with_corners_on_edges(n, DVec3::new(x, y, z));
        let solid = body.to_solid();
        prop_assert_eq!(solid.surface().facets().len(), 6 * (4 * n as usize - 2));
        prop_assert!(least_area(solid.surface()) > 0.9 * (x * y).min(y * z).min(z * x));
        let again = SolidMesh::try_from(solid.surface().clone()).unwrap();
        prop_assert!((again.volume() - f64::from(n.pow(3)) * x * y * z).abs() < 1e-10 * again.volume());
    }

    #[test]
    fn solid_from_tetrahedra_around_a_point(shape in any::convex_polyhedron()) {
        let solid = shape.to_solid();
        let mut vertices = shape.vertices().to_vec();
        vertices.push(shape.centroid());
        let apex = shape.vertices().len() as u32;
        let triangles = solid.surface().facets().map(|f| f.vertices().to_vec());
        let tetrahedra = triangles.map(|t| [t[0], t[2], t[1], apex]).collect();
        // A vertex in the middle of a face of the hull may count as hanging.
        let Ok(mesh) = TetMesh::new(vertices, tetrahedra) else { return Ok(()) };
        let back = mesh.to_solid().unwrap();
        prop_assert_eq!(back.surface().vertices(), shape.vertices());
        prop_assert_eq!(back.surface().facets().len(), solid.surface().facets().len());
        prop_assert!((back.volume() - mesh.volume()).abs() <= 1e-12 * mesh.volume());
    }

    #[test]
    fn surface_and_triangles_of_a_solid_give_it_back(solid in any::solid()) {
        let solid = solid.into_inner();
        let surface = SurfaceMesh::from(solid.clone());
        prop_assert_eq!(&surface, solid.surface());
        prop_assert_eq!(&SolidMesh::try_from(surface).unwrap(), &solid);
        let corners = solid.surface().facets().map(|f| f.corners().collect::<Vec<_>>());
        let triangles: Vec<[DVec3; 3]> = corners.map(|c| [c[0], c[1], c[2]]).collect();
        if let Ok(soup) = SolidMesh::from_triangles(&triangles) {
            prop_assert!((soup.volume() - solid.volume()).abs() <= 1e-12 * solid.volume());
        }
    }

    #[test]
    fn surface_of_a_polyhedron_gives_it_back(shape in any::convex_polyhedron()) {
        let shape = shape.into_inner();
        let surface = SurfaceMesh::from(shape.clone());
        prop_assert_eq!(&surface, shape.surface());
        prop_assert_eq!(ConvexPolyhedron::try_from(surface).unwrap(), shape);
    }

    #[test]
    fn hull_of_a_hull_is_the_hull(polygon in any::convex_polygon()) {
        let again = ConvexPolygon::from_convex_hull(polygon.vertices()).unwrap();
        prop_assert_eq!(again.vertices().len(), polygon.vertices().len());
        prop_assert!(polygon.vertices().iter().all(|v| again.vertices().contains(v)));
        let plain = Polygon::from(polygon.clone().into_inner());
        prop_assert_eq!(&Polygon::new(polygon.vertices().to_vec()).unwrap(), &plain);
        prop_assert_eq!((plain.area(), plain.centroid()), (polygon.area(), polygon.centroid()));
    }

    #[test]
    fn pointers_bound_what_they_point_to(shape in any::convex_polyhedron(), pose in any::pose()) {
        let shape = shape.into_inner();
        let plain = Placed::new(&shape, pose);
        let shared = Placed::new(Arc::new(shape.clone()), pose);
        let boxed = Placed::new(Box::new(shape.clone()), pose);
        let bounds = [plain.bounding_sphere(), shared.bounding_sphere(), boxed.bounding_sphere()];
        prop_assert!(bounds[0] == bounds[1] && bounds[0] == bounds[2]);
        let (shared, boxed) = (shared.shape, boxed.shape);
        prop_assert!([shared.bounding_box(), boxed.bounding_box()] == [shape.bounding_box(); 2]);
    }

    #[test]
    fn inflated_spheres_touch_what_the_others_touch(
        (spheres, gap) in any::touching_spheres::<DVec3>(),
        by in 0.0..2.0,
    ) {
        let [a, b] = spheres;
        let larger = a.inflated(by);
        prop_assert_eq!(larger.center, a.center);
        prop_assert!(!a.touches(&b) || larger.touches(&b));
        prop_assert!(!a.touches(&b) || b.touches(&larger));
        if gap > 0.0 {
            prop_assert!(a.inflated(gap * 1.001 + 1e-6).touches(&b));
        }
    }

    #[test]
    fn box_of_points_is_the_smallest(points in prop::collection::vec(any::any_vector::<DVec2>(), 0..9)) {
        prop_assume!(points.iter().all(|p| p.is_finite()));
        let Some(bounds) = Aabb::from_points(points.iter().copied()) else {
            prop_assert!(points.is_empty());
            return Ok(());
        };
        for axis in 0..2 {
            let along = || points.iter().map(|p| p[axis]);
            prop_assert!(along().all(|x| bounds.min[axis] <= x && x <= bounds.max[axis]));
            prop_assert!(along().any(|x| x == bounds.min[axis]));
            prop_assert!(along().any(|x| x == bounds.max[axis]));
        }
    }
}

/// A mesh of quads and polygons as triangles: the same surface for spheres, and a solid if it is closed.
#[test]
fn triangulated_surfaces() {
    for n in 1..5 {
        let body = box_with_corners_on_edges(n, DVec3::new(1.0, 2.0, 3.0));
        let mesh = SurfaceMesh::from(body.clone())
            .with_precision(0.125)
            .unwrap();
        let triangles = mesh.triangulated();
        assert_eq!(
            (triangles.vertices(), triangles.precision()),
            (mesh.vertices(), 0.125)
        );
        assert_eq!(triangles.triangulated(), triangles);
        let error = SolidMesh::try_from(mesh.clone()).unwrap_err();
        assert!(
            error.to_string().ends_with("SurfaceMesh::triangulated"),
            "{error}"
        );
        let solid = SolidMesh::try_from(triangles.clone()).unwrap();
        assert_eq!(
            solid.surface().facet_count(),
            body.to_solid().surface().facet_count()
        );
        assert!((solid.volume() - body.volume()).abs() < 1e-13 * body.volume());
        // The facets keep their order: the triangles of face f lie in its plane.
        let counts = mesh.facets().map(|f| f.vertices().len() - 2);
        let faces = (0..)
            .zip(counts)
            .flat_map(|(face, count)| vec![face; count]);
        for (triangle, face) in triangles.facets().zip(faces) {
            assert_eq!(triangle.normal(), mesh.facet(face).unwrap().normal());
        }
    }
    // A welded quad that has lost a corner, and one that has become a segment.
    let corners = [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.001),
        (0.0, 1.0),
        (0.001, 1.0),
    ];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    let mesh = SurfaceMesh::welded(&corners, [[0, 1, 2, 3], [0, 2, 4, 3]], 0.01);
    let mesh = mesh.unwrap();
    assert!(
        mesh.triangulated()
            .facets()
            .all(|f| f.vertices().len() == 3)
    );
    assert_eq!(mesh.triangulated().facet_count(), 4);
}

/// Two tetrahedra that share only an edge.
#[test]
fn parts_that_meet_at_an_edge_are_no_solid() {
    let far = DVec3::new(-1.0, -1.0, 0.0);
    let vertices = vec![
        DVec3::ZERO,
        DVec3::Z,
        DVec3::X,
        DVec3::Y,
        far,
        far + DVec3::X * 0.5,
    ];
    let mesh = TetMesh::new(vertices, vec![[0, 2, 3, 1], [0, 4, 5, 1]]).unwrap();
    assert_eq!(mesh.to_solid().unwrap_err().kind(), ErrorKind::NonManifold);
    let single = TetMesh::new(mesh.vertices()[..4].to_vec(), vec![[0, 2, 3, 1]]).unwrap();
    assert_eq!(single.to_solid().unwrap().volume(), single.volume());
    let _: Placed<SolidMesh, DVec3> = Placed::new(single.to_solid().unwrap(), Pose3::IDENTITY);
}
