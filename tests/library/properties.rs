//! Properties, by random inputs that are biased to ties and extremes.

use crate::support::lattice::{UNIT, config};
use crate::support::wall::{all_minima, contacts_by, contacts_with_all as wall_contacts};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::{Location, Pose, closest_on_polygon, closest_on_triangle};
use osculate::testing::properties::{MapContact, Violation, kernel, wall};
use osculate::testing::{oracle, strategies as any, workload};
use osculate::{
    Aabb, CommonPlane, Contact, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy, NarrowPhase,
    Pose2, Pose3, SolidMesh, Sphere, SphereSphere, SurfaceMesh, Vector, Wall, WallContact,
    narrow::FacetSubset,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// For any bits: no panic, and no valid result from an invalid number.
    #[test]
    fn any_bits_into_constructors(
        points in prop::collection::vec(any::any_vector::<DVec3>(), 0..8),
        radius in any::any_f64(),
        ids in prop::collection::vec(prop::collection::vec(0_u32..8, 0..6), 0..6),
        quaternion in prop::array::uniform4(any::any_f64()),
    ) {
        let flat: Vec<DVec2> = points.iter().map(|p| p.truncate()).collect();
        let domain = |x: f64| x.abs() <= osculate::math::MAX_LENGTH;
        let in_domain = points.iter().all(|p| p.to_array().into_iter().all(domain));
        let mesh = SurfaceMesh::new(points.clone(), &ids);
        let welded = SurfaceMesh::welded(&points, &ids, 0.0);
        prop_assert!(in_domain || mesh.is_err() && welded.is_err());
        let triangles = ids.iter().filter_map(|f| <[u32; 3]>::try_from(f.as_slice()).ok());
        let _ = SolidMesh::new(points.clone(), triangles);
        let _ = ConvexPolyhedron::new(points.clone(), &ids);
        let _ = ConvexPolygon::new(flat.clone());
        prop_assert!(in_domain || ConvexPolyhedron::from_convex_hull(&points).is_err());
        let _ = ConvexPolygon::from_convex_hull(&flat);
        let quaternion = osculate::glam::DQuat::from_array(quaternion);
        let _ = Pose3::new(quaternion, points.first().copied().unwrap_or_default());
        let _ = Pose3::new_normalize(quaternion, DVec3::ZERO);
        let _ = SphereSphere::new().with_margin(radius);
        let _ = DoubleHierarchy::<DVec3>::new().with_margin(radius);
        if let [min, max, ..] = points[..] {
            let _ = Aabb::new(min, max);
        }
        if let Ok(mesh) = mesh {
            let _ = mesh.report();
            let wall = Wall::new(mesh.clone());
            let all: Vec<u32> = (0..mesh.facet_count()).collect();
            for &center in &points {
                let near = FacetSubset::new(&wall, &all).unwrap();
                let sphere = Sphere::new(center, radius);
                DoubleHierarchy::new().for_each_contact(&sphere, &near, &mut Default::default(), |_| ());
                let _ = closest_on_polygon(center, &points);
            }
        }
    }

    /// The error is a few roundings of the largest coordinate difference, needles included.
    #[test]
    fn closest_point_of_a_triangle(
        triangle in any::lattice_triangle(),
        point in any::lattice_point(),
    ) {
        let exact = oracle::distance_to_triangle(point, triangle);
        let corners = triangle.map(|corner| oracle::to_vector(corner, 1.0));
        let p = oracle::to_vector(point, 1.0);
        let closest = closest_on_triangle(p, corners);
        let size = corners.iter().fold(0.0, |size: f64, &c| size.max(c.distance(p)));
        let error = (closest.distance_squared.sqrt() - exact).abs();
        prop_assert!(error <= 4.0 * f64::EPSILON * size, "{error:e} of {size:e}");
        prop_assert!((closest.offset.length() - exact).abs() <= 4.0 * f64::EPSILON * size);
        if let Location::Vertex(i) = closest.location {
            prop_assert_eq!(p + closest.offset, corners[i]);
        }
    }

    /// In integers: no point is in front of a face, a face's corners are on its plane, no two
    /// faces share a plane, and the corners are the extreme points.
    #[test]
    fn hull_of_lattice_points(
        points in prop::collection::vec(prop::array::uniform3(-3_i64..=3), 0..40),
        (scale, shift) in (1_i64..1000, -100_i64..100),
    ) {
        let points: Vec<[i64; 3]> = points.iter().map(|p| p.map(|c| c * scale + shift)).collect();
        let vectors: Vec<DVec3> = points.iter().map(|&p| oracle::to_vector(p, 1.0)).collect();
        let is_flat = points.iter().all(|&d| points.iter().all(|&b| points.iter().all(|&c| {
            height([points[0], b, c], d) == 0
        })));
        let Ok(hull) = ConvexPolyhedron::from_convex_hull(&vectors) else {
            prop_assert!(is_flat);
            return Ok(());
        };
        prop_assert!(!is_flat);
        let corner = |id: u32| hull.vertices()[id as usize].to_array().map(|c| c as i64);
        let mut planes = Vec::new();
        for face in hull.surface().facets() {
            let ids = face.vertices();
            let plane = [ids[0], ids[1], ids[2]].map(corner);
            prop_assert!(points.iter().all(|&p| height(plane, p) <= 0));
            let mut on_plane: Vec<_> = points.iter().filter(|&&p| height(plane, p) == 0).collect();
            on_plane.sort_unstable();
            prop_assert!(ids.iter().all(|&id| on_plane.contains(&&corner(id))));
            planes.push(on_plane);
        }
        planes.sort_unstable();
        prop_assert!(planes.windows(2).all(|pair| pair[0] != pair[1]));
        let (v, e, f) = (hull.vertices().len(), hull.surface().edges().len(), planes.len());
        prop_assert_eq!(v + f, e + 2);
        for (i, &vertex) in hull.vertices().iter().enumerate() {
            let mut others = hull.vertices().to_vec();
            others.remove(i);
            let smaller = ConvexPolyhedron::from_convex_hull(&others).map_or(0.0, |hull| hull.volume());
            prop_assert!(smaller < hull.volume(), "{} is not extreme", vertex);
        }
    }

    #[test]
    fn sphere_against_sphere(
        ([a, b], gap) in any::touching_spheres::<DVec3>(),
        ([c, d], gap_2d) in any::touching_spheres::<DVec2>(),
        margin in prop::sample::select(vec![0.0, 0.5, 4.0]),
        (motion, exponent) in (any::pose(), -60..=60),
    ) {
        sphere_laws([a, b], gap, margin)?;
        sphere_laws([c, d], gap_2d, margin)?;
        let kernel = &mut SphereSphere::new();
        let moved = |m: &Pose3| [a, b].map(|s| Sphere::new(m.transform_point(s.center), s.radius)).into();
        // Not so far that the normal loses accuracy: the centers are at least 1/40 of this apart.
        let size = 2.0 * (a.radius + b.radius + gap.abs()) + a.center.length();
        let motion = Pose3::new(motion.rotation(), motion.translation() * size).unwrap();
        kernel::moves_rigidly(kernel, moved, &motion, 4.0 * size)?;
        let scaled = |x: f64| [a, b].map(|s| Sphere::new(s.center * x, s.radius * x)).into();
        kernel::scales_exactly(kernel, scaled, exponent)?;
        kernel::accurate_at_any_scale(kernel, scaled, size)?;
    }

    /// Any set of triangles: the deepest contact is at the nearest point of the surface, for any
    /// order and numbering of the facets.
    #[test]
    fn sphere_against_any_triangles(
        triangles in prop::collection::vec(any::lattice_triangle(), 1..12),
        point in any::lattice_point(),
        radius in 1_i64..=8 << 20,
        seed: u64,
    ) {
        let corners: Vec<[DVec3; 3]> = triangles
            .iter()
            .map(|t| t.map(|corner| oracle::to_vector(corner, UNIT)))
            .collect();
        let mesh = SurfaceMesh::from_triangles(&corners).unwrap().with_precision(0.0).unwrap();
        let sphere: Sphere<DVec3> = any::to_sphere((point, radius));
        let found = wall_contacts(&mesh, &sphere);
        let nearest = oracle::distance_to_triangles(point, &triangles) * UNIT;
        if nearest < sphere.radius - 1e-12 {
            let deepest = found.first().map(|c| c.overlap);
            let error = deepest.map(|overlap| (sphere.radius - nearest - overlap).abs());
            prop_assert!(error.is_some_and(|error| error < 1e-13), "{found:?} {nearest}");
        } else if nearest > sphere.radius + 1e-12 {
            prop_assert!(found.is_empty());
        }
        for contact in &found {
            prop_assert!((contact.normal.length() - 1.0).abs() < 1e-15);
            prop_assert!(contact.overlap > 0.0);
        }

        let distinct: Vec<_> = corners.iter().filter(|[a, b, c]| a != b && b != c && c != a).collect();
        if distinct.len() == corners.len() {
            // On the surface itself the front decides on the sign of the normal.
            let place = |c: WallContact| {
                let normal = if c.offset == DVec3::ZERO { c.normal.abs() } else { c.normal };
                let bits = |v: DVec3| (v + DVec3::ZERO).to_array().map(f64::to_bits);
                (c.offset.to_array().map(f64::to_bits), bits(normal), c.overlap)
            };
            let kernel = &mut MapContact(DoubleHierarchy::new(), place);
            wall::independent_of_facets(kernel, &sphere, &mesh, seed)?;
        }
    }

    /// Balls, capsules and rounded polyhedra: swapped, and with the state of any other pair.
    #[test]
    fn bodies_with_a_radius(path in prop::collection::vec(any::placed_rounded(), 1..6)) {
        let kernel = &mut CommonPlane::new();
        for [a, b] in &path {
            kernel::swap_negates(kernel, a, b)?;
        }
        kernel::independent_of_state(kernel, path.into_iter().map(|[a, b]| (a, b)))?;
    }

    /// Hills and valleys of integer heights, where many facets are coplanar.
    #[test]
    fn sphere_against_a_landscape(
        (landscape, radius) in any::landscape(),
        [x, y, z] in prop::array::uniform3(-(1_i64 << 20)..1 << 20),
        step in prop::array::uniform3(-0.5..0.5),
        (motion, seed) in (any::pose(), any::<u64>()),
    ) {
        let kernel = &mut all_minima();
        let (vertices, triangles) = landscape.into_inner();
        let point = [3 * x / 2 + (5 << 19), 3 * y / 2 + (5 << 19), 4 * z];
        let (lattice, radius) = ((point, radius), radius * UNIT);
        wall::finds_local_minima(kernel, lattice, &vertices, &triangles, UNIT)?;
        let positions = vertices.iter().map(|&v| oracle::to_vector(v, UNIT)).collect();
        // A lattice looks like single precision; scaled by 1e-9 it does not.
        let mesh = SurfaceMesh::new(positions, &triangles).unwrap().with_precision(0.0).unwrap();
        let sphere = Sphere::new(oracle::to_vector(point, UNIT), radius);
        wall::independent_of_refinement(kernel, &sphere, &mesh, 16.0, seed)?;
        let wall = Wall::new(mesh);
        wall::overlap_follows_center(kernel, &sphere, DVec3::from_array(step), &wall)?;
        let pair = |m: &Pose3| {
            let mut wall = wall.clone();
            wall.set_pose(*m);
            (Sphere::new(m.transform_point(sphere.center), radius), wall)
        };
        // If the sphere is exactly above an edge, a moved one is above one of its facets.
        let without_normal = |c: WallContact| Contact { normal: DVec3::ZERO, ..c.into() };
        let kernel = &mut MapContact(DoubleHierarchy::new(), without_normal);
        kernel::moves_rigidly(kernel, pair, &motion, 32.0)?;
        let scaled = |x: f64| {
            let mut wall = wall.clone();
            let vertices: Vec<_> = wall.mesh().vertices().iter().map(|&v| v * x).collect();
            wall.set_vertices(&vertices).unwrap();
            (Sphere::new(sphere.center * x, radius * x), wall)
        };
        kernel::accurate_at_any_scale(kernel, scaled, 16.0)?;
    }

    /// A rotated and refined polyhedron, including hanging vertices: inside it, each face that
    /// contains the projection of the center gives one contact.
    #[test]
    fn sphere_inside_a_polyhedron(
        points in prop::collection::vec(any::lattice_point(), 6..20),
        (rotation, translation) in any::motion(),
        weights in prop::collection::vec(0.01_f64..1.0, 20),
        seed: u64,
        far in prop::sample::select(vec![0.0, 1e3, 1e6]),
        radius in 0.1_f64..20.0,
    ) {
        let points: Vec<DVec3> = points.iter().map(|&p| oracle::to_vector(p, UNIT)).collect();
        let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) else { return Ok(()) };
        prop_assume!(hull.volume() > 1.0);
        let pose = Pose3::new_normalize(rotation, translation + DVec3::splat(far)).unwrap();
        let total: f64 = weights.iter().take(hull.vertices().len()).sum();
        let inside = hull.vertices().iter().zip(&weights).map(|(&v, w)| v * (w / total));
        let center = inside.fold(DVec3::ZERO, |sum, v| sum + v);

        let mut expected = Vec::new();
        for face in hull.surface().facets() {
            let corners: Vec<DVec3> = face.corners().collect();
            let projection = closest_on_polygon(center, &corners);
            let margin = margin_inside(face.normal(), center, &corners);
            // Rounding of the far vertices moves projections by 1e-9.
            prop_assume!(margin.abs() > 1e-7 && (projection.offset.length() - radius).abs() > 1e-7);
            if margin > 0.0 && projection.offset.length() < radius {
                expected.push(radius - projection.offset.length());
            }
        }
        expected.sort_by(|a, b| b.total_cmp(a));

        let cut = workload::rewritten(hull.surface(), seed).unwrap();
        let place = |v: DVec3| pose.transform_point(v);
        let vertices = cut.vertices().iter().map(|&v| place(v)).collect();
        let shared = SurfaceMesh::new(vertices, cut.facets().map(|f| f.vertices().to_vec()));
        // Each facet with vertices of its own.
        let corners = cut.facets().flat_map(|f| f.corners()).map(place).collect();
        let mut next = 0..;
        let ids = cut.facets().map(|f| next.by_ref().take(f.vertices().len()).collect::<Vec<_>>());
        let apart = SurfaceMesh::new(corners, ids);
        let sphere = Sphere::new(place(center), radius);
        for mesh in [shared, apart] {
            let found = contacts_by(&mut all_minima(), &Wall::new(mesh.unwrap()), &sphere);
            let overlaps: Vec<f64> = found.iter().map(|c| c.overlap).collect();
            prop_assert_eq!(overlaps.len(), expected.len(), "{:?} {:?}", found, expected);
            for (overlap, expected) in overlaps.iter().zip(&expected) {
                prop_assert!((overlap - expected).abs() < 1e-8);
            }
        }
    }
}

/// Six times the volume of a triangle and a point, positive if the point is in front.
fn height([a, b, c]: [[i64; 3]; 3], point: [i64; 3]) -> i64 {
    let [u, v, w] = [b, c, point].map(|p| [0, 1, 2].map(|i| p[i] - a[i]));
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| u[i] * v[j] - u[j] * v[i]);
    cross[0] * w[0] + cross[1] * w[1] + cross[2] * w[2]
}

/// Properties of any kernel for two spheres.
fn sphere_laws<V: Vector>([a, b]: [Sphere<V>; 2], gap: f64, margin: f64) -> Result<(), Violation> {
    let size = a.radius + b.radius + gap.abs();
    let kernel = &mut SphereSphere::new().with_margin(margin * size)?;
    kernel::gap_is_within(kernel, &a, &b, gap, margin * size, 0.0)?;
    kernel::swap_negates(kernel, &a, &b)?;
    let between =
        |a: &Sphere<V>, b: &Sphere<V>| (a.center - b.center).length() - a.radius - b.radius;
    let moved = |by| Sphere::new(b.center + by, b.radius);
    let far = size + a.center.length() + b.center.length();
    kernel::overlap_separates(kernel, &a, moved, between, 1e-15 * far)
}

/// Spheres with the same center have no direction; a normal that does not rotate is still wrong elsewhere.
#[test]
fn concentric_spheres_move_rigidly() {
    fn check<V: Vector>(motion: &Pose<V>) {
        let bodies = |distance: f64| {
            let place = move |m: &Pose<V>, x: f64| m.transform_point(V::splat(1.0) + V::X * x);
            move |m: &Pose<V>| {
                (
                    Sphere::new(place(m, 0.0), 1.0),
                    Sphere::new(place(m, distance), 0.5),
                )
            }
        };
        let right = &mut SphereSphere::new();
        kernel::moves_rigidly(right, bodies(0.0), motion, 8.0).unwrap();
        kernel::moves_rigidly(right, bodies(0.25), motion, 8.0).unwrap();
        let along_x = |contact: Contact<V>| Contact {
            normal: V::X,
            ..contact
        };
        let wrong = &mut MapContact(*right, along_x);
        kernel::moves_rigidly(wrong, bodies(0.25), motion, 8.0).unwrap_err();
        let shallow = |contact: Contact<V>| Contact {
            overlap: contact.overlap - 1e-6 * contact.point[0],
            ..contact
        };
        let wrong = &mut MapContact(*right, shallow);
        kernel::moves_rigidly(wrong, bodies(0.0), motion, 8.0).unwrap_err();
    }
    check(&Pose3::new_normalize(DQuat::from_xyzw(1.0, 2.0, 3.0, 4.0), DVec3::Y).unwrap());
    check(&Pose2::from_angle(1.0, DVec2::Y).unwrap());
}

/// How far the projection of a point is inside a convex polygon; negative outside.
fn margin_inside(normal: DVec3, point: DVec3, corners: &[DVec3]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners
        .iter()
        .zip(next)
        .map(|(&a, &b)| normal.cross((b - a).normalize()).dot(point - a))
        .fold(f64::INFINITY, f64::min)
}
