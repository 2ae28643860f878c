//! The intersection volume of two closed bodies.
//!
//! Speed: pairs of each shape in random orientation that share a given part of a body's volume. A
//! round is each pair once, so that no branch predictor learns them. This crate returns the volume
//! and its derivatives, S and G; the peers construct the intersection, and its volume is computed
//! from that. All but boolmesh, which has no function for it, move the bodies to their poses
//! themselves; for boolmesh they are moved in advance.
//!
//! Results: volumes that are off by more than 1e-9 of a body's, refused, or a panic, on the same
//! pairs and on bodies with coplanar faces. The references are oracles; for meshes too large for
//! these, a median of all results.

use manifold_rust::linalg::{Mat3x4, Vec3};
use manifold_rust::manifold::Manifold;
use manifold_rust::types::MeshGL64;
use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::testing::oracle::intersection_volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    Bounded, ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3,
    SolidMesh,
};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape::{TriMesh, TriMeshFlags};
use parry3d_f64::transformation::intersect_meshes;

use crate::report::{OURS, Report, caught, runner, seconds};
use crate::shared_convex::intersection_by_rays;

type Boolmesh = boolmesh::prelude::Manifold;

const WHO: [&str; 4] = [OURS, "parry", "manifold-rust", "boolmesh"];

/// A shape in the form of each crate.
pub struct Shape {
    tree: SolidMesh,
    /// If it is convex and is to be queried as such.
    hull: Option<ConvexPolyhedron>,
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    manifold: Manifold,
    parry: TriMesh,
}

impl Shape {
    fn new(solid: SolidMesh, hull: Option<ConvexPolyhedron>) -> Self {
        let surface = solid.surface();
        let vertices = surface.vertices().to_vec();
        let triangles: Vec<[u32; 3]> = surface
            .facets()
            .map(|f| [0, 1, 2].map(|k| f.vertices()[k]))
            .collect();
        let manifold = Manifold::from_mesh_gl64(&MeshGL64 {
            num_prop: 3,
            vert_properties: vertices.iter().flat_map(|v| v.to_array()).collect(),
            tri_verts: triangles.iter().flatten().map(|&id| id.into()).collect(),
            ..Default::default()
        });
        let points = vertices
            .iter()
            .map(|v| Vector::new(v.x, v.y, v.z))
            .collect();
        let flags = TriMeshFlags::ORIENTED | TriMeshFlags::HALF_EDGE_TOPOLOGY;
        let parry = TriMesh::with_flags(points, triangles.clone(), flags).unwrap();
        Self {
            tree: solid,
            hull,
            vertices,
            triangles,
            manifold,
            parry,
        }
    }

    fn convex(points: &[DVec3]) -> Self {
        let hull = ConvexPolyhedron::from_convex_hull(points).unwrap();
        let fans = hull.surface().facets().flat_map(|f| {
            let ids = f.vertices();
            (2..ids.len()).map(move |i| [ids[0], ids[i - 1], ids[i]])
        });
        let solid = SolidMesh::new(hull.vertices().to_vec(), fans).unwrap();
        Self::new(solid, Some(hull))
    }

    fn volume(&self) -> f64 {
        self.tree.volume()
    }

    fn shared(&self, kernel: &mut MeshMesh, poses: &[Pose3; 2]) -> f64 {
        let shape = &self.tree;
        let [a, b] = std::hint::black_box(poses).map(|pose| Placed::new(shape, pose));
        let mut volume = 0.0;
        kernel.for_each_contact(
            &a,
            &b,
            &mut Default::default(),
            |c: ContactVolume<DVec3>| volume += c.volume,
        );
        volume
    }
}

/// A pair of poses, and the peers' bodies at them, made before timing.
pub struct Pair {
    pub poses: [Pose3; 2],
    motions: [Mat3x4; 2],
    boolmeshes: Option<[Boolmesh; 2]>,
    parry: [Pose; 2],
}

impl Pair {
    pub fn new(shape: &Shape, poses: [Pose3; 2]) -> Self {
        let motions = poses.map(|pose| {
            let (turn, by) = (DMat3::from_quat(pose.rotation()), pose.translation());
            let columns =
                [turn.x_axis, turn.y_axis, turn.z_axis, by].map(|c| Vec3::new(c.x, c.y, c.z));
            let [x, y, z, by] = columns;
            Mat3x4::from_cols(x, y, z, by)
        });
        let ids: Vec<usize> = shape
            .triangles
            .iter()
            .flatten()
            .map(|&id| id as usize)
            .collect();
        let moved = |pose: Pose3| {
            let points = shape
                .vertices
                .iter()
                .flat_map(|&v| pose.transform_point(v).to_array());
            caught(|| Boolmesh::new(&points.collect::<Vec<_>>(), &ids).ok())
                .ok()
                .flatten()
        };
        let boolmeshes = moved(poses[0])
            .zip(moved(poses[1]))
            .map(<[Boolmesh; 2]>::from);
        let parry = poses.map(|pose| {
            let (r, t) = (pose.rotation(), pose.translation());
            let rotation = Rotation::from_xyzw(r.x, r.y, r.z, r.w);
            Pose {
                rotation,
                translation: Vector::new(t.x, t.y, t.z),
            }
        });
        Self {
            poses,
            motions,
            boolmeshes,
            parry,
        }
    }

    fn manifold(&self, body: &Manifold) -> f64 {
        let [a, b] = std::hint::black_box(&self.motions);
        let [a, b] = [a, b].map(|motion| body.transform(motion));
        a.intersection(&b).volume()
    }

    /// NaN if it is refused; an empty intersection is an error with that word in it.
    fn boolmesh(&self) -> f64 {
        let Some([a, b]) = std::hint::black_box(&self.boolmeshes) else {
            return f64::NAN;
        };
        match boolmesh::prelude::compute_boolean(a, b, boolmesh::prelude::OpType::Intersect) {
            Ok(found) => {
                let corner = |half: usize| {
                    let p = &found.ps[found.hs[half].tail];
                    DVec3::new(p.x, p.y, p.z)
                };
                volume((0..found.hs.len() / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(corner)))
            }
            Err(message) if message.contains("empty") => 0.0,
            Err(_) => f64::NAN,
        }
    }

    fn parry(&self, mesh: &TriMesh) -> f64 {
        let [p, q] = std::hint::black_box(&self.parry);
        let Ok(found) = intersect_meshes(p, mesh, false, q, mesh, false) else {
            return f64::NAN;
        };
        found.map_or(0.0, |found| {
            let corner = |id: u32| {
                let p = found.vertices()[id as usize];
                DVec3::new(p.x, p.y, p.z)
            };
            volume(found.indices().iter().map(|ids| ids.map(corner)))
        })
    }
}

/// The volume of a closed surface of triangles.
fn volume(mut triangles: impl Iterator<Item = [DVec3; 3]>) -> f64 {
    let Some([origin, _, _]) = triangles.next() else {
        return 0.0;
    };
    let six = triangles
        .map(|t| t.map(|p| p - origin))
        .map(|[a, b, c]| a.dot(b.cross(c)));
    six.sum::<f64>() / 6.0
}

/// The kernel for the shape.
pub fn ours(shape: &Shape) -> impl FnMut(&Pair) -> f64 + '_ {
    let (mut convex, mut mesh) = (ConvexConvex::new(), MeshMesh::new());
    move |pair| match &shape.hull {
        Some(hull) => {
            let [a, b] = std::hint::black_box(pair.poses).map(|pose| Placed::new(hull, pose));
            convex.contact(&a, &b).map_or(0.0, |c| c.volume)
        }
        None => shape.shared(&mut mesh, &pair.poses),
    }
}

/// Random orientations at which the bodies share a part of their volume.
pub fn sharing(shape: &Shape, part: f64, random: &mut SplitMix64) -> [Pose3; 2] {
    let turns = [random.rotation(), random.rotation()];
    let axis = random.in_ball().normalize();
    let place = |x: f64| [0.0, x].map(|x| axis * x);
    let poses = |x: f64| [0, 1].map(|i| Pose3::new(turns[i], place(x)[i]).unwrap());
    let mut kernel = MeshMesh::new();
    let (mut near, mut far) = (0.0, 2.5 * shape.tree.bounding_sphere().radius);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        let is_more = shape.shared(&mut kernel, &poses(middle)) > part * shape.volume();
        *(if is_more { &mut near } else { &mut far }) = middle;
    }
    poses(near)
}

/// The volume from an oracle, or from the crates if the mesh is too large for one.
fn wanted(shape: &Shape, pair: &Pair, answers: &[f64; 4]) -> f64 {
    if let Some(hull) = &shape.hull {
        let [a, b] = pair.poses.map(|pose| Placed::new(hull, pose));
        return intersection_by_rays(&a, &b).0;
    }
    if shape.triangles.len() < 500 {
        let [a, b] = pair.poses.map(|pose| {
            let corner = |id: u32| pose.transform_point(shape.vertices[id as usize]);
            shape
                .triangles
                .iter()
                .map(|ids| ids.map(corner))
                .collect::<Vec<_>>()
        });
        return intersection_volume(&a, &b).0;
    }
    let mut answers = *answers;
    answers.sort_by(f64::total_cmp);
    answers[1]
}

/// Counts the results that differ from the reference.
fn count_wrong(shape: &Shape, pair: &Pair, exact: Option<f64>, wrong: &mut [usize; 4]) {
    let mut kernel = ours(shape);
    let answers = [
        Ok(kernel(pair)),
        caught(|| pair.parry(&shape.parry)),
        caught(|| pair.manifold(&shape.manifold)),
        caught(|| pair.boolmesh()),
    ]
    .map(|answer| answer.unwrap_or(f64::NAN));
    let exact = exact.unwrap_or_else(|| wanted(shape, pair, &answers));
    for (wrong, answer) in wrong.iter_mut().zip(answers) {
        let is_right = (answer - exact).abs() <= 1e-9 * shape.volume();
        *wrong += usize::from(!is_right);
    }
}

fn note(report: &mut Report, case: &str, wrong: [usize; 4], of: usize) {
    for (who, wrong) in WHO.into_iter().zip(wrong) {
        report.wrong(case, who, wrong, of);
    }
}

fn turned(report: &mut Report, case: &str, shape: &Shape, part: f64) {
    let mut random = SplitMix64::new(9);
    let pair = |_| Pair::new(shape, sharing(shape, part, &mut random));
    let (checked, timed) = match shape.triangles.len() {
        ..100 => (4000, 100),
        100..3000 => (300, 30),
        _ => (60, 30),
    };
    let mut pairs: Vec<Pair> = (0..report.either(checked, 3)).map(pair).collect();
    let mut wrong = [0; 4];
    pairs
        .iter()
        .for_each(|pair| count_wrong(shape, pair, None, &mut wrong));
    note(report, case, wrong, pairs.len());
    pairs.truncate(timed);
    let round =
        |answer: &mut dyn FnMut(&Pair) -> f64| seconds(|| pairs.iter().map(answer).sum::<f64>());
    let mut kernel = ours(shape);
    let own = runner(OURS, || round(&mut kernel));
    let peers = vec![
        runner(WHO[1], || round(&mut |pair| pair.parry(&shape.parry))),
        runner(WHO[2], || round(&mut |pair| pair.manifold(&shape.manifold))),
        runner(WHO[3], || round(&mut Pair::boolmesh)),
    ];
    report.race(case, pairs.len(), own, peers);
}

/// Unit cubes side by side, moved along an axis (and rotated, both alike), so that four faces, or
/// also a face of each, are coplanar.
fn stacked(report: &mut Report, cube: &Shape) {
    let mut random = SplitMix64::new(3);
    for (case, is_apart) in [("stacked-cubes", false), ("face-on-face", true)] {
        let mut wrong = [0; 4];
        let count = report.either(10_000, 40);
        for i in 0..count {
            // On a lattice, and anywhere.
            let part = |random: &mut SplitMix64| match i % 2 {
                0 => (1 + random.below(7)) as f64 / 8.0,
                _ => random.range(0.05, 0.95),
            };
            let by = if is_apart {
                DVec3::new(1.0, part(&mut random), part(&mut random))
            } else {
                DVec3::X * part(&mut random)
            };
            let turn = if i % 4 < 2 {
                DQuat::IDENTITY
            } else {
                random.rotation()
            };
            let poses = [DVec3::ZERO, turn * by].map(|by| Pose3::new(turn, by).unwrap());
            let exact = if is_apart { 0.0 } else { 1.0 - by.x };
            count_wrong(cube, &Pair::new(cube, poses), Some(exact), &mut wrong);
        }
        note(report, &format!("volumes/{case}"), wrong, count);
    }
}

fn sphere_points(count: usize) -> Vec<DVec3> {
    let mut random = SplitMix64::new(count as u64);
    (0..count).map(|_| random.in_ball().normalize()).collect()
}

/// Shapes, and the part of their volume that two of them share.
pub fn shapes() -> [(&'static str, Shape, f64); 10] {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<DVec3> = (0..8).map(|i| corner(i) - 0.5).collect();
    let mesh = |solid: Result<SolidMesh, osculate::Error>| Shape::new(solid.unwrap(), None);
    [
        ("cube", Shape::convex(&corners), 0.1),
        ("convex-14", Shape::convex(&sphere_points(14)), 0.1),
        ("convex-50", Shape::convex(&sphere_points(50)), 0.1),
        ("rock-1246", mesh(workload::rock(625, 0.5, 1)), 0.002),
        ("bolt-1968", mesh(workload::bolt(24, 41)), 0.01),
        ("torus-2000", mesh(workload::torus(1.0, 0.3, 50, 20)), 0.01),
        ("sphere-320", mesh(workload::sphere(2, 1.0)), 0.002),
        ("sphere-1280", mesh(workload::sphere(3, 1.0)), 0.002),
        ("sphere-5120", mesh(workload::sphere(4, 1.0)), 0.002),
        ("sphere-20480", mesh(workload::sphere(5, 1.0)), 0.002),
    ]
}

pub fn run(report: &mut Report) {
    let shapes = shapes();
    for (name, shape, part) in &shapes {
        turned(report, &format!("volumes/{name}"), shape, *part);
    }
    stacked(report, &shapes[0].1);
    let (mut random, mut wrong, mut of) = (SplitMix64::new(4), [0; 4], 0);
    for (_, shape, _) in &shapes {
        for _ in 0..report.either(4, 1) {
            let pose = Pose3::new(random.rotation(), random.in_ball()).unwrap();
            count_wrong(
                shape,
                &Pair::new(shape, [pose; 2]),
                Some(shape.volume()),
                &mut wrong,
            );
            of += 1;
        }
    }
    note(report, "volumes/identical", wrong, of);
}
