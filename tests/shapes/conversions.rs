//! Conversions between shapes, and the small values that all of them use.

use std::sync::Arc;

use osculate::glam::{DVec2, DVec3};
use osculate::testing::strategies as any;
use osculate::{
    Aabb, Bounded, ConvexConvex, ConvexPolygon, ConvexPolyhedron, Error, ErrorKind, MeshMesh,
    NarrowPhase, Placed, SolidMesh, SurfaceMesh,
    shape::{Polygon, TetMesh},
};
use proptest::prelude::*;

/// Twice the least area of a facet.
fn least_area(surface: &SurfaceMesh) -> f64 {
    let area = |c: Vec<DVec3>| (c[1] - c[0]).cross(c[2] - c[0]).length();
    let areas = surface.facets().map(|f| area(f.corners().collect()));
    areas.fold(f64::INFINITY, f64::min)
}

/// A prism between two polygons, whose corners come one after the other.
pub(crate) fn prism(corners: Vec<DVec3>) -> Result<ConvexPolyhedron, Error> {
    let n = corners.len() as u32 / 2;
    let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    faces.extend((0..n).map(|i| {
        let next = (i + 1) % n;
        vec![i, next, n + next, n + i]
    }));
    ConvexPolyhedron::new(corners, faces)
}

/// A box whose top and bottom have corners at all points of `n` parts of their edges.
fn box_with_corners_on_edges(n: u32, sizes: DVec3) -> ConvexPolyhedron {
    let corner = |i: u32| {
        let along = i % n;
        let [x, y] = [[along, 0], [n, along], [n - along, n], [0, n - along]][(i / n % 4) as usize];
        DVec3::from_array([x, y, i / (4 * n) * n].map(f64::from)) * sizes
    };
    prism((0..8 * n).map(corner).collect()).unwrap()
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
        n in 1_u32..6,
        x in 0.1..10.0,
        y in 0.1..10.0,
        z in 0.1..10.0,
    ) {
        let body = box_with_corners_on_edges(n, DVec3::new(x, y, z));
        let solid = body.to_solid();
        prop_assert_eq!(solid.surface().facets().len(), 16 * n as usize - 4);
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
    fn hull_of_a_hull_is_the_hull(polygon in any::convex_polygon()) {
        let again = ConvexPolygon::from_convex_hull(polygon.vertices()).unwrap();
        prop_assert_eq!(again.vertices().len(), polygon.vertices().len());
        prop_assert!(polygon.vertices().iter().all(|v| again.vertices().contains(v)));
        let plain = Polygon::from(polygon.clone().into_inner());
        prop_assert_eq!(&Polygon::new(polygon.vertices().to_vec()).unwrap(), &plain);
        prop_assert_eq!((plain.area(), plain.centroid()), (polygon.area(), polygon.centroid()));
    }

    #[test]
    fn surface_and_pointers_of_a_polyhedron(shape in any::convex_polyhedron(), pose in any::pose()) {
        let shape = shape.into_inner();
        let surface = SurfaceMesh::from(shape.clone());
        prop_assert_eq!(&surface, shape.surface());
        prop_assert_eq!(&ConvexPolyhedron::try_from(surface).unwrap(), &shape);
        let bounds = Placed::new(&shape, pose).bounding_sphere();
        let (shared, boxed) = (Arc::new(shape.clone()), Box::new(shape.clone()));
        prop_assert!([shared.bounding_box(), boxed.bounding_box()] == [shape.bounding_box(); 2]);
        prop_assert_eq!(Placed::new(shared, pose).bounding_sphere(), bounds);
        prop_assert_eq!(Placed::new(boxed, pose).bounding_sphere(), bounds);
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
        let mesh = SurfaceMesh::from(body.clone());
        let mesh = mesh.with_precision(0.125).unwrap();
        let triangles = mesh.triangulated();
        assert_eq!(triangles.vertices(), mesh.vertices());
        assert_eq!(triangles.precision(), 0.125);
        assert_eq!(triangles.triangulated(), triangles);
        let error = SolidMesh::try_from(mesh.clone()).unwrap_err().to_string();
        assert!(error.ends_with("SurfaceMesh::triangulated"), "{error}");
        let solid = SolidMesh::try_from(triangles.clone()).unwrap();
        let count = body.to_solid().surface().facet_count();
        assert_eq!(solid.surface().facet_count(), count);
        assert!((solid.volume() - body.volume()).abs() < 1e-13 * body.volume());
        // The facets keep their order: the triangles of face f lie in its plane.
        let normals = mesh
            .facets()
            .flat_map(|f| vec![f.normal(); f.vertices().len() - 2]);
        assert!(triangles.facets().map(|f| f.normal()).eq(normals));
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
    let triangles = mesh.unwrap().triangulated();
    assert!(triangles.facets().all(|f| f.vertices().len() == 3));
    assert_eq!(triangles.facet_count(), 4);
}

/// Two tetrahedra that share only an edge.
#[test]
fn parts_that_meet_at_an_edge_are_no_solid() {
    let [x, y, z] = DVec3::AXES;
    let vertices = vec![DVec3::ZERO, z, x, y, -x - y, x * -0.5 - y];
    let mesh = TetMesh::new(vertices, vec![[0, 2, 3, 1], [0, 4, 5, 1]]).unwrap();
    assert_eq!(mesh.to_solid().unwrap_err().kind(), ErrorKind::NonManifold);
    let single = TetMesh::new(mesh.vertices()[..4].to_vec(), vec![[0, 2, 3, 1]]).unwrap();
    assert_eq!(single.to_solid().unwrap().volume(), single.volume());
}
