//! A convex polyhedron on a mesh: the time of its contacts, and how often their set is wrong.
//!
//! Bodies: cubes and hulls of 14 points, some not rotated, at depths of 0.001 to 0.05 in the families of walls of
//! the tests. Poses are those at which this crate finds the depth. parry handles the same bodies with
//! `contact_manifolds`, no prediction, its mesh as it is and with `FIX_INTERNAL_EDGES`.
//!
//! Results: ours are wrong if the force differs from the integral of the pressure, triangle by triangle and face by face, by
//! more than 1e-8. parry's points have depths of another kind, so it is wrong only if it has no penetrating contact although
//! there is one, or, where the facets inside the body are flat to 3 degrees and have no border, a normal that is more than
//! 3 degrees off. Bodies are excluded if their centroid is behind a facet that they touch, and (except in one case) if they
//! touch a border.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::testing::oracle::to_vector;
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{self, TriMesh};

use crate::report::{OURS, Report, Runner, caught, runner, seconds};
use crate::walls::families::{Family, SCALE, families, mesh};
use crate::walls::{KINDS, parry_mesh, vector};

type Body<'a> = Placed<&'a ConvexPolyhedron>;
type Triangle = [DVec3; 3];
type Plane = (DVec3, f64);

/// The cosine of 3 degrees.
const SAME_NORMAL: f64 = 0.998_629_534_754_573_9;
/// Depths and forces below are rounding.
const NEAR: f64 = 1e-9;

/// The state that parry keeps of a polyhedron and a mesh.
#[derive(Default)]
struct Kept {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl Kept {
    fn update(&mut self, pose: &Pose, body: &shape::ConvexPolyhedron, mesh: &TriMesh) {
        let (manifolds, workspace) = (&mut self.manifolds, &mut self.workspace);
        let pose = std::hint::black_box(pose);
        DefaultQueryDispatcher
            .contact_manifolds(pose, mesh, body, 0.0, manifolds, workspace)
            .unwrap();
    }

    /// The number of penetrating points.
    fn points(&self) -> f64 {
        let points = self.manifolds.iter().flat_map(|m| &m.points);
        points.filter(|p| p.dist < 0.0).count() as f64
    }

    /// The normals of manifolds with a penetrating point, from the body into the wall.
    fn normals(&self) -> Vec<DVec3> {
        let deep = self
            .manifolds
            .iter()
            .filter(|m| m.points.iter().any(|p| p.dist < -NEAR));
        let normal = |m: &ContactManifold<(), ()>| {
            let n = m
                .subshape_pos1()
                .map_or(m.local_n1, |pose| pose.rotation * m.local_n1);
            -DVec3::new(n.x, n.y, n.z)
        };
        deep.map(normal).collect()
    }
}

pub fn parry_pose(pose: &Pose3) -> Pose {
    let (r, t) = (pose.rotation(), pose.translation());
    Pose {
        rotation: Rotation::from_xyzw(r.x, r.y, r.z, r.w),
        translation: Vector::new(t.x, t.y, t.z),
    }
}

pub fn parry_body(body: &ConvexPolyhedron) -> shape::ConvexPolyhedron {
    let points: Vec<Vector> = body.vertices().iter().map(|&v| vector(v)).collect();
    shape::ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn random_vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

/// A cube with side 1, or a hull of points near the sphere with radius 0.7.
fn body(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let cube = |i: usize| DVec3::from_array([0, 1, 2].map(|axis| (i >> axis & 1) as f64 - 0.5));
    let mut round = |_| random_vector(random).normalize() * 0.7;
    let points: Vec<DVec3> = if count == 8 {
        (0..8).map(cube).collect()
    } else {
        (0..count).map(&mut round).collect()
    };
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn turn(case: usize, random: &mut SplitMix64) -> DQuat {
    if case.is_multiple_of(4) {
        DQuat::IDENTITY
    } else {
        random.rotation()
    }
}

fn planes(body: &Body) -> Vec<Plane> {
    let plane = |f: osculate::shape::Facet| {
        let normal = body.pose.transform_vector(f.normal());
        let corner = f.corners().next().unwrap_or_default();
        (normal, normal.dot(body.pose.transform_point(corner)))
    };
    body.shape.surface().facets().map(plane).collect()
}

fn phi(planes: &[Plane], x: DVec3) -> f64 {
    let values = planes.iter().map(|(n, h)| n.dot(x) - h);
    values.fold(f64::NEG_INFINITY, f64::max)
}

fn normal(t: &Triangle) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0]).normalize()
}

/// The part of a polygon behind a plane.
fn clip(polygon: &[DVec3], (normal, offset): &Plane) -> Vec<DVec3> {
    let mut behind = Vec::new();
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let [s, t] = [from, to].map(|x| normal.dot(x) - offset);
        if s <= 0.0 {
            behind.push(from);
        }
        if s * t < 0.0 {
            behind.push(from + (to - from) * (s / (s - t)));
        }
    }
    behind
}

/// The force on the wall by definition, and the normals of the triangles inside the body. `None` if the centroid is not in
/// front of all of them.
fn force(body: &Body, triangles: &[Triangle]) -> Option<(DVec3, Vec<DVec3>)> {
    let center = body.pose.transform_point(body.shape.centroid());
    let planes = planes(body).into_iter();
    let planes: Vec<Plane> = planes.map(|(n, h)| (n, h - n.dot(center))).collect();
    let radius = planes.iter().fold(f64::INFINITY, |r, plane| r.min(plane.1));
    let slopes: Vec<DVec3> = planes.iter().map(|(n, h)| n * (radius / h)).collect();
    let (mut force, mut normals) = (DVec3::ZERO, Vec::new());
    for triangle in triangles {
        let local = triangle.map(|x| x - center);
        let up = normal(&local);
        let inside = (planes.iter()).fold(local.to_vec(), |polygon, plane| clip(&polygon, plane));
        if inside.is_empty() {
            continue;
        }
        if up.dot(local[0]) > -NEAR {
            return None;
        }
        normals.push(up);
        for slope in &slopes {
            let others = slopes.iter().filter(|other| *other != slope);
            let part = others.fold(inside.clone(), |part, other| {
                clip(&part, &(other - slope, 0.0))
            });
            let pressure = |x: DVec3| radius - slope.dot(x);
            for i in 2..part.len() {
                let corners = [part[0], part[i - 1], part[i]];
                let area = 0.5
                    * (corners[1] - corners[0])
                        .cross(corners[2] - corners[0])
                        .length();
                force -= up * (area / 3.0 * corners.map(pressure).iter().sum::<f64>());
            }
        }
    }
    (force.length() > NEAR).then_some((force, normals))
}

/// A wall of the tests, as triangles.
struct Course {
    family: Family,
    triangles: Vec<Triangle>,
    wall: Wall,
    meshes: [TriMesh; 2],
    /// The ends of edges with only one facet.
    border: Vec<[DVec3; 2]>,
}

impl Course {
    fn new(family: Family) -> Self {
        let whole = mesh(&family, |v| v);
        let fan = |f: osculate::shape::Facet| {
            let x: Vec<DVec3> = f.corners().collect();
            (2..x.len())
                .map(|i| [x[0], x[i - 1], x[i]])
                .collect::<Vec<_>>()
        };
        let triangles: Vec<Triangle> = whole.facets().flat_map(fan).collect();
        let ground = SurfaceMesh::from_triangles(&triangles).unwrap();
        let sides = triangles
            .iter()
            .flat_map(|t| [0, 1, 2].map(|k| [t[k], t[(k + 1) % 3]]));
        let sides: Vec<[DVec3; 2]> = sides.collect();
        let is_border = |side: &&[DVec3; 2]| !sides.contains(&[side[1], side[0]]);
        Self {
            family,
            meshes: [0, 1].map(|i| parry_mesh(&ground, KINDS[i].1)),
            wall: Wall::new(ground),
            border: sides.iter().filter(is_border).copied().collect(),
            triangles,
        }
    }

    /// A body of unit size that touches the wall.
    fn touching<'a>(
        &self,
        shape: &'a ConvexPolyhedron,
        random: &mut SplitMix64,
        is_on_border: bool,
    ) -> Body<'a> {
        let vertices = &self.family.vertices;
        for case in 0.. {
            let at = to_vector(vertices[random.below(vertices.len())], SCALE);
            let turn = turn(case, random);
            let towards = if case % 2 == 0 {
                DVec3::Z
            } else {
                random_vector(random)
            };
            let aside = random_vector(random) * DVec3::new(0.5, 0.5, 0.1);
            let start = at + aside + towards.normalize() * 0.1;
            let depth = 0.05 * 0.02_f64.powf(random.unit());
            // Out of the wall until the deepest point is at the depth.
            let pose = |s: f64| Pose3::new(turn, start + towards.normalize() * s).unwrap();
            let deepest = |s: f64| {
                let body = Placed::new(shape, pose(s));
                let (mut kernel, mut deepest) = (PressureField::new(), 0.0_f64);
                let visit = |c: PressureContact| deepest = deepest.max(c.overlap);
                kernel.for_each_contact(&body, &self.wall, &mut Default::default(), visit);
                deepest
            };
            let (mut low, mut high) = (0.0, 2.0);
            if deepest(low) < depth || deepest(high) > depth {
                continue;
            }
            for _ in 0..40 {
                let s = 0.5 * (low + high);
                *(if deepest(s) > depth {
                    &mut low
                } else {
                    &mut high
                }) = s;
            }
            let body = Placed::new(shape, pose(high));
            let planes = planes(&body);
            let is_cut = |&[a, b]: &[DVec3; 2]| {
                let at = |k: usize| a.lerp(b, k as f64 / 64.0);
                (0..=64).any(|k| phi(&planes, at(k)) < 0.01)
            };
            if self.border.iter().any(is_cut) != is_on_border {
                continue;
            }
            if force(&body, &self.triangles).is_some() {
                return body;
            }
        }
        unreachable!()
    }
}

fn answers(report: &mut Report, course: &Course, case: &str, count: usize, is_on_border: bool) {
    let mut random = SplitMix64::new(1);
    let of = report.either(4000, 20);
    let mut wrong = [0; 3];
    let mut kernel = PressureField::new();
    for _ in 0..of {
        let shape = body(count, &mut random);
        let body = course.touching(&shape, &mut random, is_on_border);
        let (expected, normals) = force(&body, &course.triangles).unwrap();
        let mut found = DVec3::ZERO;
        let state = &mut PressureState::default();
        kernel.for_each_contact(&body, &course.wall, state, |c| found += c.force);
        wrong[0] += usize::from(found.distance(expected) > 1e-8 * expected.length());
        let is_same = |n: &DVec3, m: &DVec3| n.dot(*m) >= SAME_NORMAL;
        let is_flat = !is_on_border && normals.iter().all(|n| is_same(n, &normals[0]));
        for (mesh, wrong) in course.meshes.iter().zip(&mut wrong[1..]) {
            let theirs = caught(|| {
                let mut kept = Kept::default();
                kept.update(&parry_pose(&body.pose), &parry_body(&shape), mesh);
                kept.normals()
            });
            let is_right = |theirs: &Vec<DVec3>| {
                !theirs.is_empty() && (!is_flat || theirs.iter().all(|n| is_same(n, &-normals[0])))
            };
            *wrong += usize::from(!theirs.as_ref().is_ok_and(is_right));
        }
    }
    for (who, wrong) in [OURS, KINDS[0].0, KINDS[1].0].into_iter().zip(wrong) {
        report.wrong(case, who, wrong, of);
    }
}

/// Bodies at a wall that move back and forth by 1e-4 of their size per step, with the state of the last step.
fn stepping<'a, State: Default + 'a>(
    name: &'static str,
    start: &'a [Body],
    mut ask: impl FnMut(usize, &Pose3, &mut State) -> f64 + 'a,
) -> Runner<'a> {
    let mut states: Vec<State> = start.iter().map(|_| State::default()).collect();
    let mut step = 0;
    runner(name, move || {
        step += 1;
        let by = DVec3::splat(1e-4 * f64::from(step % 8));
        let moved = |b: &Body| Pose3::new(b.pose.rotation(), b.pose.translation() + by).unwrap();
        let now: Vec<Pose3> = start.iter().map(moved).collect();
        let all = now.iter().zip(&mut states).enumerate();
        seconds(|| {
            all.map(|(i, (pose, state))| ask(i, pose, state))
                .sum::<f64>()
        })
    })
}

/// Compares the times of contacts with points, of bodies that move.
fn race(report: &mut Report, case: &str, wall: &Wall, meshes: &[TriMesh; 2], bodies: &[Body]) {
    let others: Vec<_> = bodies.iter().map(|body| parry_body(body.shape)).collect();
    let mut kernel = PressureField::new().with_points();
    let ours = |i: usize, pose: &Pose3, state: &mut PressureState| {
        let body = Placed::new(bodies[i].shape, *std::hint::black_box(pose));
        let mut points = 0.0;
        kernel.for_each_contact(&body, wall, state, |c| {
            points += c.points.map_or(0.0, |points| points.shares.len() as f64);
        });
        points
    };
    let theirs = |k: usize| {
        let (mesh, others) = (&meshes[k], &others);
        let ask = move |i: usize, pose: &Pose3, kept: &mut Kept| {
            kept.update(&parry_pose(pose), &others[i], mesh);
            kept.points()
        };
        stepping(KINDS[k].0, bodies, ask)
    };
    let peers = vec![theirs(0), theirs(1)];
    report.race(case, bodies.len(), stepping(OURS, bodies, ours), peers);
}

fn speed(report: &mut Report, course: &Course, case: &str, count: usize) {
    let mut random = SplitMix64::new(2);
    let number = report.either(64, 8);
    let shapes: Vec<ConvexPolyhedron> = (0..number).map(|_| body(count, &mut random)).collect();
    let place = |shape| course.touching(shape, &mut random, false);
    let bodies: Vec<Body> = shapes.iter().map(place).collect();
    race(report, case, &course.wall, &course.meshes, &bodies);
}

/// Bodies 0.01 deep in a floor whose triangles have sides of a tenth of the body. Every other cube lies on a face.
fn fine(report: &mut Report, case: &str, count: usize, bumps: f64) {
    const SIDE: u32 = 60;
    let mut random = SplitMix64::new(3);
    let number = report.either(64, 8);
    let vertex = |i: u32| {
        let [x, y] = [i % (SIDE + 1), i / (SIDE + 1)].map(|i| 0.1 * f64::from(i) - 3.0);
        DVec3::new(x, y, bumps * random.range(-1.0, 1.0))
    };
    let vertices = (0..(SIDE + 1) * (SIDE + 1)).map(vertex).collect();
    let cells = (0..SIDE * SIDE).map(|cell| cell / SIDE * (SIDE + 1) + cell % SIDE);
    let triangles = cells.flat_map(|a| {
        let [b, c, d] = [a + 1, a + SIDE + 2, a + SIDE + 1];
        [[a, b, c], [a, c, d]]
    });
    let ground = SurfaceMesh::new(vertices, triangles).unwrap();
    let meshes = [0, 1].map(|i| parry_mesh(&ground, KINDS[i].1));
    let shapes: Vec<ConvexPolyhedron> = (0..number).map(|_| body(count, &mut random)).collect();
    let place = |(i, shape)| {
        let rotation = if count == 8 && i % 2 == 0 {
            DQuat::from_rotation_z(random.range(0.0, 1.0))
        } else {
            random.rotation()
        };
        let heights = ConvexPolyhedron::vertices(shape)
            .iter()
            .map(|&x| (rotation * x).z);
        let low = heights.fold(f64::INFINITY, f64::min);
        let [x, y] = [0; 2].map(|_| random.range(-1.0, 1.0));
        let pose = Pose3::new(rotation, DVec3::new(x, y, -low - 0.01));
        Placed::new(shape, pose.unwrap())
    };
    let bodies: Vec<Body> = shapes.iter().enumerate().map(place).collect();
    race(report, case, &Wall::new(ground), &meshes, &bodies);
}

pub fn run(report: &mut Report) {
    for count in [8, 14] {
        for (name, bumps) in [("fine-flat", 0.0), ("fine-bumpy", 0.005)] {
            fine(
                report,
                &format!("convex-walls/{name}-{count}"),
                count,
                bumps,
            );
        }
    }
    for family in families() {
        let case = match family.name {
            "flat" => "flat",
            "flat, 1000 R away" => "flat-far-away",
            "convex" => "convex",
            "dish" => "dish",
            "drum" => "drum",
            "v" => "v",
            "box" => "box",
            _ => continue,
        };
        let course = Course::new(family);
        for count in [8, 14] {
            answers(
                report,
                &course,
                &format!("convex-walls/{case}-{count}"),
                count,
                false,
            );
            if case == "flat" {
                answers(
                    report,
                    &course,
                    &format!("convex-walls/rim-{count}"),
                    count,
                    true,
                );
            }
            if ["flat", "dish", "v"].contains(&case) {
                speed(
                    report,
                    &course,
                    &format!("convex-walls/{case}-{count}"),
                    count,
                );
            }
        }
    }
}
