//! Helpers for tests of contact volumes: kernels whose curve is checked, and solids.

use std::collections::HashMap;

use crate::support::all_contacts;
use crate::support::convex::cube_times;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::LatticePoint;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh, Vector,
    narrow::{CurveNode, CurveSegment},
};

pub(crate) type Contact = ContactVolume<DVec3>;
pub(crate) type Body<'a> = Placed<&'a SolidMesh, DVec3>;

pub(crate) fn run(kernel: &mut MeshMesh, a: &Body, b: &Body) -> (Vec<Contact>, Vec<CurveSegment>) {
    let (mut contacts, mut curve) = (Vec::new(), Vec::new());
    kernel.for_each_contact_and_segment(a, b, |c| contacts.push(c), |s| curve.push(s));
    (contacts, curve)
}

pub(crate) fn only(a: &Body, b: &Body) -> Option<Contact> {
    let (contacts, curve) = run(&mut MeshMesh::new(), a, b);
    assert_closed(&curve);
    assert!(contacts.len() <= 1);
    contacts.first().copied()
}

/// Asserts that every node is the start of one segment and the end of one, with the same bits.
pub(crate) fn assert_closed(curve: &[CurveSegment]) {
    let mut nodes: HashMap<_, (i32, Option<DVec3>)> = HashMap::new();
    let mut visit = |node: &CurveNode, step: i32| {
        let key = (node.is_edge_of_first, node.edge, node.facet);
        let entry = nodes.entry(key).or_default();
        entry.0 += step;
        let position = *entry.1.get_or_insert(node.position);
        assert_eq!(position, node.position);
    };
    for segment in curve {
        visit(&segment.ends[0], 1);
        visit(&segment.ends[1], -1);
    }
    assert!(nodes.values().all(|node| node.0 == 0), "an open curve");
    assert_eq!(nodes.len(), curve.len());
}

pub(crate) fn at(shape: &SolidMesh, pose: Pose3) -> Body<'_> {
    Placed { shape, pose }
}

pub(crate) fn moved(shape: &SolidMesh, translation: DVec3) -> Body<'_> {
    at(shape, Pose3::from_translation(translation).unwrap())
}

pub(crate) fn random_pose(random: &mut SplitMix64, reach: f64) -> Pose3 {
    let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
    let shift = DVec3::from_array([0; 3].map(|_| random.range(-reach, reach)));
    Pose3::new_normalize(turn, shift).unwrap()
}

/// A pose at which faces of bodies of the lattice are coplanar, or almost; `step` is the distance of its points.
pub(crate) fn lattice_pose(random: &mut SplitMix64, step: f64) -> Pose3 {
    let turns = [
        DQuat::IDENTITY,
        DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
        DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8),
        DQuat::from_xyzw(2.0_f64.powi(-20 - random.below(32) as i32), 0.0, 0.0, 1.0),
    ];
    let shift = [0; 3].map(|_| random.below(5) as f64 * step - 2.0 * step);
    Pose3::new_normalize(turns[random.below(5)], DVec3::from_array(shift)).unwrap()
}

/// The triangles in world coordinates.
pub(crate) fn triangles(body: &Body) -> Vec<[DVec3; 3]> {
    let facets = body.shape.surface().facets();
    let corners = facets.map(|f| f.corners().collect::<Vec<_>>());
    corners
        .map(|c| [c[0], c[1], c[2]].map(|p| body.pose.transform_point(p)))
        .collect()
}

/// The sum of the volumes, or areas, of all contacts.
pub(crate) fn volume_of<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact = ContactVolume<V>>,
    a: &A,
    b: &B,
) -> f64 {
    all_contacts(kernel, a, b).iter().map(|c| c.volume).sum()
}

/// The volumes, or areas, of parts that do not only touch, sorted.
pub(crate) fn large(volumes: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut large: Vec<f64> = volumes.into_iter().filter(|&v| v > 1e-3).collect();
    large.sort_by(f64::total_cmp);
    large
}

/// Asserts that as many parts have the same volumes, or areas.
#[track_caller]
pub(crate) fn assert_same_parts(found: &[f64], expected: &[f64]) {
    let mut pairs = found.iter().zip(expected);
    let is_near = pairs.all(|(found, expected)| (found - expected).abs() < 1e-3);
    let is_same = is_near && found.len() == expected.len();
    assert!(is_same, "{found:?} instead of {expected:?}");
}

#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let is_near = (found - expected).abs() <= tolerance;
    assert!(is_near, "{found} instead of {expected}");
}

#[track_caller]
pub(crate) fn assert_near_vector(found: DVec3, expected: DVec3, tolerance: f64) {
    let is_near = found.distance(expected) <= tolerance;
    assert!(is_near, "{found} instead of {expected}");
}

/// The lowest and the highest corner of a box, and whether it is a hollow in another one.
pub(crate) type BoxShell = ([DVec3; 2], bool);

/// The vertices and the triangles of boxes and hollows.
pub(crate) fn box_shells(shells: &[BoxShell]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let unit = cube.surface().vertices();
    let (mut vertices, mut facets) = (Vec::new(), Vec::new());
    for &([low, high], is_hollow) in shells {
        let first = vertices.len() as u32;
        vertices.extend(unit.iter().map(|&x| low + x * (high - low)));
        let triangles = corners(&cube).into_iter();
        facets.extend(triangles.map(|ids| {
            let [a, b, c] = ids.map(|id| id + first);
            if is_hollow { [c, b, a] } else { [a, b, c] }
        }));
    }
    (vertices, facets)
}

/// Convex bodies of few vertices and many, cubic, thin, round and small.
pub(crate) fn hulls() -> Vec<ConvexPolyhedron> {
    let hull = |points: &[DVec3]| ConvexPolyhedron::from_convex_hull(points).unwrap();
    let round = |count: usize, seed: u64| {
        let mut random = SplitMix64::new(seed);
        let points = (0..count).map(|_| random.in_ball().normalize());
        hull(&points.collect::<Vec<_>>())
    };
    let axes = DVec3::AXES.map(|axis| [axis * 0.25, axis * -0.25]);
    vec![
        cube_times(DVec3::ONE),
        round(4, 1),
        round(14, 2),
        round(50, 3),
        cube_times(DVec3::new(2.0, 0.3, 1.0)),
        hull(axes.as_flattened()),
    ]
}

pub(crate) fn solids() -> Vec<SolidMesh> {
    let solids = [
        workload::rock(60, 0.6, 3),
        workload::sphere(1, 0.9),
        workload::torus(0.8, 0.3, 9, 7),
        workload::cubes(&[[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], 0.7),
        workload::bolt(8, 8),
    ];
    solids.into_iter().map(|s| s.unwrap()).collect()
}

/// Rocks of 4 vertices and more.
pub(crate) fn small_rocks() -> impl Iterator<Item = SolidMesh> {
    (4..40)
        .step_by(7)
        .map(|n| workload::rock(n, 0.6, n as u64).unwrap())
}

/// A random manifold polyomino within 3 x 3 x 3.
pub(crate) fn random_cubes(random: &mut SplitMix64) -> (Vec<LatticePoint>, SolidMesh) {
    loop {
        let mut cubes: Vec<LatticePoint> = vec![[1, 1, 1]];
        for _ in 0..random.below(8) {
            let mut cube = cubes[random.below(cubes.len())];
            let axis = random.below(3);
            cube[axis] = (cube[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(0, 2);
            if !cubes.contains(&cube) {
                cubes.push(cube);
            }
        }
        if let Ok(solid) = workload::cubes(&cubes, 1.0) {
            return (cubes, solid);
        }
    }
}

/// The corners of a solid's triangles.
pub(crate) fn corners(solid: &SolidMesh) -> Vec<[u32; 3]> {
    let facets = solid.surface().facets();
    facets.map(|f| [0, 1, 2].map(|k| f.vertices()[k])).collect()
}

/// The same triangles with other corners.
pub(crate) fn bent(solid: &SolidMesh, mut place: impl FnMut(DVec3) -> DVec3) -> SolidMesh {
    let vertices = solid.surface().vertices();
    let vertices = vertices.iter().map(|&v| place(v)).collect();
    SolidMesh::new(vertices, corners(solid)).unwrap()
}
