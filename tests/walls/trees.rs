//! Trees find the same boxes and facets as brute force.

use crate::support::lattice::{UNIT, config};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::strategies as any;
use osculate::{
    Aabb, BroadPhase, BruteForce, Pose3, Sphere, SurfaceMesh, Vector, Wall, shape::BoxTree,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

type Point = [i64; 3];

fn vector<V: Vector>(p: Point) -> V {
    V::from_fn(|axis| p[axis] as f64 * UNIT)
}

/// Two corners, often equal in a coordinate or in all.
fn lattice_box() -> impl Strategy<Value = [Point; 2]> {
    prop_oneof![
        2 => (any::lattice_point(), any::lattice_point()),
        2 => (any::lattice_point(), prop::array::uniform3((0_i64..=2).prop_map(|i| i << 20)))
            .prop_map(|(p, side)| (p, [0, 1, 2].map(|axis| p[axis] + side[axis]))),
        1 => any::lattice_point().prop_map(|p| (p, p)),
    ]
    .prop_map(|(p, q)| {
        [
            [0, 1, 2].map(|i| p[i].min(q[i])),
            [0, 1, 2].map(|i| p[i].max(q[i])),
        ]
    })
}

/// Few boxes or many, sometimes all the same.
fn lattice_boxes() -> impl Strategy<Value = Vec<[Point; 2]>> {
    prop_oneof![
        4 => prop::collection::vec(lattice_box(), 0..80),
        1 => (lattice_box(), 0_usize..80).prop_map(|(bounds, count)| vec![bounds; count]),
    ]
}

fn boxes<V: Vector>(lattice: &[[Point; 2]]) -> Vec<Aabb<V>> {
    let bounds = |&[min, max]: &[Point; 2]| Aabb {
        min: vector(min),
        max: vector(max),
    };
    lattice.iter().map(bounds).collect()
}

fn touching<V: Vector>(tree: &BoxTree<V>, query: &Aabb<V>) -> Vec<u32> {
    let mut found = Vec::new();
    tree.for_each_touching(query, |i| found.push(i));
    found
}

fn near<V: Vector>(tree: &BoxTree<V>, query: &Sphere<V>) -> Vec<u32> {
    let mut found = Vec::new();
    tree.for_each_touching_sphere(query, |i| found.push(i));
    found
}

fn sorted(mut found: Vec<u32>) -> Vec<u32> {
    found.sort_unstable();
    found
}

/// Indices for which a test is true.
fn which<T>(all: &[T], test: impl Fn(&T) -> bool) -> Vec<u32> {
    let all = (0..).zip(all).filter(|(_, item)| test(item));
    all.map(|(i, _)| i).collect()
}

/// In units of the lattice, squared.
fn distance_squared(dim: usize, [min, max]: &[Point; 2], point: Point) -> i64 {
    let along = |axis: usize| {
        (min[axis] - point[axis])
            .max(point[axis] - max[axis])
            .max(0)
    };
    (0..dim).map(|axis| along(axis) * along(axis)).sum()
}

fn scaled<V: Vector>(bounds: &Aabb<V>, factor: f64) -> Aabb<V> {
    Aabb {
        min: bounds.min * factor,
        max: bounds.max * factor,
    }
}

fn box_tree_laws<V: Vector>(
    lattice: &[[Point; 2]],
    others: &[[Point; 2]],
    query: [Point; 2],
    (center, radius): (Point, i64),
    exponent: i32,
) -> TestCaseResult {
    let all = boxes::<V>(lattice);
    let mut tree = BoxTree::new(&all)?;
    prop_assert_eq!(
        tree.bounds(),
        all.iter().copied().reduce(|a, b| a.union(&b))
    );
    let query = boxes::<V>(&[query])[0];
    let sphere: Sphere<V> = any::to_sphere((center, radius));
    let in_box = touching(&tree, &query);
    let in_reach = near(&tree, &sphere);

    let expected = |boxes: &[Aabb<V>]| which(boxes, |bounds| bounds.touches(&query));
    prop_assert_eq!(sorted(in_box.clone()), expected(&all));
    // On the lattice, squares differ by more than rounding unless they are equal.
    let expected_near = |boxes: &[[Point; 2]]| {
        which(boxes, |bounds| {
            distance_squared(V::DIM, bounds, center) <= radius * radius
        })
    };
    prop_assert_eq!(sorted(in_reach.clone()), expected_near(lattice));

    // Times a power of two, in the same order.
    let factor = 2.0_f64.powi(exponent);
    let far: Vec<_> = all.iter().map(|bounds| scaled(bounds, factor)).collect();
    let far = BoxTree::new(&far)?;
    prop_assert_eq!(touching(&far, &scaled(&query, factor)), in_box);
    let far_sphere = Sphere::new(sphere.center * factor, sphere.radius * factor);
    prop_assert_eq!(near(&far, &far_sphere), in_reach);

    // Refitted to others: some of the old ones if there are too few.
    let mut moved = others[..others.len().min(lattice.len())].to_vec();
    moved.extend(&lattice[moved.len()..]);
    tree.refit(&boxes::<V>(&moved))?;
    prop_assert_eq!(tree.bounds(), BoxTree::new(&boxes::<V>(&moved))?.bounds());
    prop_assert_eq!(
        sorted(touching(&tree, &query)),
        expected(&boxes::<V>(&moved))
    );
    prop_assert_eq!(sorted(near(&tree, &sphere)), expected_near(&moved));
    Ok(())
}

/// Coordinates from 2^-150 to 2^150, of both signs.
fn wild_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(0.0),
        4 => (-150_i32..=149, 1.0_f64..=2.0, any::<bool>())
            .prop_map(|(e, m, minus)| if minus { -m } else { m } * 2.0_f64.powi(e)),
        2 => (-3_i32..=3, 1.0_f64..=2.0).prop_map(|(e, m)| m * 2.0_f64.powi(e)),
    ]
}

fn wild_vector() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(wild_coordinate()).prop_map(DVec3::from_array)
}

/// Triangles of lattice corners, with and without area; a tenth of them large.
fn wall() -> impl Strategy<Value = SurfaceMesh> {
    let large = prop_oneof![9 => Just(1_i64), 1 => Just(1000)];
    let triangle = (any::lattice_triangle(), large);
    prop::collection::vec(triangle, 0..40).prop_map(|triangles| {
        let corners = |(corners, size): ([Point; 3], i64)| {
            corners.map(|p| vector::<DVec3>(p.map(|c| c * size)))
        };
        let triangles: Vec<_> = triangles.into_iter().map(corners).collect();
        SurfaceMesh::from_triangles(&triangles).unwrap()
    })
}

/// Any rotation, and a translation from 0 to 2^40 times the size of the wall.
fn pose() -> impl Strategy<Value = Pose3> {
    (
        any::motion(),
        prop_oneof![Just(0.0), (-3_i32..=40).prop_map(|e| 2.0_f64.powi(e))],
    )
        .prop_map(|((turn, to), far)| Pose3::new_normalize(turn, to * far).unwrap())
}

fn posed(mesh: &SurfaceMesh, pose: Pose3) -> Wall {
    let mut wall = Wall::new(mesh.clone());
    wall.set_pose(pose);
    wall
}

fn facets_near(wall: &Wall, sphere: &Sphere<DVec3>) -> Vec<u32> {
    let mut found = Vec::new();
    wall.for_each_facet_near(sphere, |facet| found.push(facet));
    found
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn boxes_of_a_lattice(
        lattice in lattice_boxes(),
        others in lattice_boxes(),
        query in lattice_box(),
        sphere in (any::lattice_point(), (0_i64..=16).prop_map(|i| i << 18)),
        exponent in -120_i32..=120,
    ) {
        box_tree_laws::<DVec2>(&lattice, &others, query, sphere, exponent)?;
        box_tree_laws::<DVec3>(&lattice, &others, query, sphere, exponent)?;
    }

    /// Sizes and places from one end of the domain to the other: f32 has neither.
    #[test]
    fn boxes_of_any_size(
        corners in prop::collection::vec((wild_vector(), wild_vector()), 1..60),
        query in (wild_vector(), wild_vector()),
        radius in wild_coordinate(),
    ) {
        let bounds = |&(p, q): &(DVec3, DVec3)| Aabb { min: p.min(q), max: p.max(q) };
        let all: Vec<_> = corners.iter().map(bounds).collect();
        let mut tree = BoxTree::new(&all)?;
        let query_box = bounds(&query);
        let expected = which(&all, |bounds| bounds.touches(&query_box));
        prop_assert_eq!(sorted(touching(&tree, &query_box)), &expected[..]);
        let radius = radius.abs();
        let distance = |bounds: &Aabb<DVec3>| query.0.distance(query.0.clamp(bounds.min, bounds.max));
        let found = sorted(near(&tree, &Sphere::new(query.0, radius)));
        for (i, bounds) in (0..).zip(&all) {
            let rounding = 2.0_f64.powi(-47) * radius;
            if found.binary_search(&i).is_ok() {
                prop_assert!(distance(bounds) <= radius + rounding);
            } else {
                prop_assert!(distance(bounds) >= radius - rounding);
            }
        }
        // Just reached, by a box that is a point away along an axis.
        let corner = Aabb { min: query.1, max: query.1 };
        let all: Vec<_> = all.iter().map(|_| corner).collect();
        tree.refit(&all)?;
        let above = DVec3::new(query.1.x, query.1.y, query.1.z + radius);
        let gap = above.z - query.1.z;
        if radius > 0.0 && Sphere::new(above, gap).validate(0).is_ok() {
            prop_assert_eq!(near(&tree, &Sphere::new(above, gap)).len(), all.len());
        }
    }

    /// A sphere that just touches a corner or the middle of a facet, in the wall's coordinates,
    /// still does after the rounding of any pose.
    #[test]
    fn facets_of_a_posed_wall(
        mesh in wall(),
        pose in pose(),
        towards in prop::array::uniform3(-3_i32..=3),
        quarters in 0_i32..=12,
    ) {
        let wall = posed(&mesh, pose);
        let radius = 0.25 * f64::from(quarters);
        for (id, facet) in (0..).zip(mesh.facets()) {
            let corners: Vec<_> = facet.corners().collect();
            let axis = id as usize % 3;
            let sign = if towards[axis] < 0 { -1.0 } else { 1.0 };
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][axis];
            for point in [corners[0], corners[1].midpoint(corners[2])] {
                let center = pose.transform_point(point + axis * sign * radius);
                let found = facets_near(&wall, &Sphere::new(center, radius));
                prop_assert_eq!(found.iter().filter(|&&f| f == id).count(), 1);
            }
        }
        // A wall that is a point: its box in the world is touched from any side.
        if let Some(&point) = mesh.vertices().first() {
            let wall = posed(&SurfaceMesh::from_triangles(&[[point; 3]])?, pose);
            let touching = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
                let center = pose.transform_point(point) + axis * if towards[0] < 0 { -radius } else { radius };
                Sphere::new(center, radius)
            });
            let mut count = 0;
            wall.for_each_body_near(&touching, 0.0, &mut Vec::new(), |_, _| count += 1);
            prop_assert_eq!(count, 3);
        }
    }

    #[test]
    fn bodies_near_a_wall(
        mesh in wall(),
        pose in pose(),
        lattice in any::lattice_spheres(30),
        margin in (0_i32..=4).prop_map(|i| 0.25 * f64::from(i)),
    ) {
        let wall = posed(&mesh, pose);
        let mut bodies = BruteForce::new();
        let place = |s| {
            let Sphere { center, radius } = any::to_sphere::<DVec3>(s);
            Sphere::new(pose.transform_point(center), radius)
        };
        bodies.rebuild_with(lattice.len(), |i| place(lattice[i]))?;
        let mut buffer = Vec::new();
        let mut found = Vec::new();
        wall.for_each_body_near(bodies.spheres(), margin, &mut buffer, |body, facets| {
            found.push((body, facets.to_vec()));
        });
        let wider = |s: &Sphere<DVec3>| Sphere::new(s.center, s.radius + margin);
        let one_by_one = (0..).zip(bodies.spheres());
        let one_by_one = one_by_one.map(|(i, s)| (i, facets_near(&wall, &wider(s))));
        let expected: Vec<_> = one_by_one.filter(|(_, facets)| !facets.is_empty()).collect();
        // Close to all: the wall's box and the sphere's are rounded on their own.
        for (body, facets) in &found {
            prop_assert!(expected.contains(&(*body, facets.clone())));
        }
        for (body, facets) in &expected {
            let local = pose.inverse_transform_point(bodies.spheres()[*body].center);
            let rounding = 2.0_f64.powi(-46) * (1e4 + pose.translation().length());
            let radius = bodies.spheres()[*body].radius + margin - rounding;
            let bounds = |f: u32| Aabb::from_points(mesh.facet(f).unwrap().corners()).unwrap();
            let reaches = |f: &u32| {
                let bounds = bounds(*f);
                local.distance(local.clamp(bounds.min, bounds.max)) <= radius
            };
            if facets.iter().any(reaches) {
                prop_assert!(found.iter().any(|(b, _)| b == body));
            }
        }
    }
}
