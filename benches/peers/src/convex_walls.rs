//! A convex polyhedron on a mesh: the time of its contacts, and how often their set is wrong.
//!
//! Bodies: cubes and hulls of 14 points, some not rotated, at depths of 0.001 to 0.05 in the families of walls of
//! the tests. Poses are those at which this crate finds the depth. parry handles the same bodies with
//! `contact_manifolds`, no prediction, its mesh as it is and with `FIX_INTERNAL_EDGES`.
//!
//! Results: the expected depths are the local minima of phi by definition, from all corners of the arrangement
//! of faces on each triangle. Ours are wrong if the depths differ by more than 1e-9. parry's points have other
//! positions and depths, so it is wrong only if it has no penetrating contact although there is one, or if a
//! normal is more than 3 degrees from all of ours, or one of ours from all of its normals. Bodies are excluded
//! if their centroid is behind a facet that they touch, and (except in one case) if they touch a border.

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::math::closest_on_segment;
use osculate::narrow::{ConvexWall, ConvexWallState, PressureField, PressureState};
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

/// The cosine of the bend at which sheets end.
const BEND: f64 = 0.877_582_561_890_372_8;
/// The cosine of 3 degrees.
const SAME_NORMAL: f64 = 0.998_629_534_754_573_9;
const NEAR: f64 = 1e-9;
/// Of depths, and of places. If the second ones give other contacts, these are tied.
const TOLERANCES: [[f64; 2]; 2] = [[NEAR; 2], [0.0, 1e-13]];

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
    if case % 4 == 0 {
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

/// The minimum of phi on a triangle, by all corners of the arrangement, and the points where it is taken.
fn minimum(planes: &[Plane], triangle: &Triangle, tied: f64) -> (f64, Vec<DVec3>) {
    let up = normal(triangle);
    let sides = [0, 1, 2].map(|k| (triangle[k], triangle[(k + 1) % 3]));
    let mut points = triangle.to_vec();
    for i in 0..planes.len() {
        for j in 0..i {
            let (g, level) = (planes[i].0 - planes[j].0, planes[i].1 - planes[j].1);
            for (from, to) in sides {
                let (s, t) = (g.dot(from) - level, g.dot(to) - level);
                if s * t < 0.0 {
                    points.push(from + (to - from) * (s / (s - t)));
                }
            }
            for k in 0..j {
                let (f, depth) = (planes[i].0 - planes[k].0, planes[i].1 - planes[k].1);
                let matrix = DMat3::from_cols(g, f, up).transpose();
                if matrix.determinant().abs() > 1e-9 {
                    let x = matrix.inverse() * DVec3::new(level, depth, up.dot(triangle[0]));
                    let is_inside = |(from, to): &(DVec3, DVec3)| {
                        up.dot((*to - *from).cross(x - *from)) >= -1e-12
                    };
                    if sides.iter().all(is_inside) {
                        points.push(x);
                    }
                }
            }
        }
    }
    let least = points
        .iter()
        .map(|&x| phi(planes, x))
        .fold(f64::INFINITY, f64::min);
    points.retain(|&x| phi(planes, x) <= least + tied);
    (least, points)
}

/// A triangle inside the body, its minimum, and where it is taken.
struct Inside<'a> {
    triangle: &'a Triangle,
    phi: f64,
    points: Vec<DVec3>,
}

impl Inside<'_> {
    /// Whether another triangle of the same sheet touches this one where it has its minimum.
    fn meets(&self, other: &Self, near: f64) -> bool {
        let (a, b) = (self.triangle, other.triangle);
        let shared: Vec<DVec3> = a.iter().copied().filter(|x| b.contains(x)).collect();
        let bend = normal(a).dot(normal(b));
        let (from, to) = match shared[..] {
            [x] if bend >= BEND => (x, x),
            [from, to] => (from, to),
            _ => return false,
        };
        let middle = |t: &Triangle| (t[0] + t[1] + t[2]) / 3.0;
        let sees = |a: &Triangle, b: &Triangle| normal(a).dot(middle(b) - from) > 0.0;
        let is_valley = bend < BEND && sees(a, b) && sees(b, a);
        let is_here = |x: &DVec3| closest_on_segment(*x, from, to).distance_squared < near * near;
        !is_valley && self.points.iter().any(is_here)
    }
}

/// The depths of all local minima, `None` if the centroid is not in front of all triangles inside the body.
fn depths(body: &Body, triangles: &[Triangle], [tied, near]: [f64; 2]) -> Option<Vec<f64>> {
    let planes = planes(body);
    let center = body.pose.transform_point(body.shape.centroid());
    let is_near = |t: &&Triangle| planes.iter().all(|(n, h)| t.iter().any(|x| n.dot(*x) < *h));
    let inside: Vec<Inside> = triangles
        .iter()
        .filter(is_near)
        .map(|triangle| {
            let (phi, points) = minimum(&planes, triangle, tied);
            Inside {
                triangle,
                phi,
                points,
            }
        })
        .filter(|inside| inside.phi < NEAR)
        .collect();
    let is_behind = |t: &Triangle| normal(t).dot(center - t[0]) < NEAR;
    if inside
        .iter()
        .any(|i| i.phi.abs() < NEAR || is_behind(i.triangle))
    {
        return None;
    }
    let count = inside.len();
    let is_deeper = |i: usize, j: usize| {
        inside[j].phi < inside[i].phi - tied && inside[i].meets(&inside[j], near)
    };
    let mut passed: Vec<bool> = (0..count)
        .map(|i| (0..count).any(|j| is_deeper(i, j)))
        .collect();
    let touch = |i: usize, j: usize| {
        let is_close = |x: &DVec3| inside[j].points.iter().any(|y| x.distance(*y) < near);
        inside[i].points.iter().any(is_close)
    };
    for _ in 0..count {
        for i in 0..count {
            let is_tied = |j: usize| (inside[i].phi - inside[j].phi).abs() <= tied;
            passed[i] |= (0..count).any(|j| {
                passed[j] && is_tied(j) && inside[i].meets(&inside[j], near) && touch(i, j)
            });
        }
    }
    let left = (0..count).filter(|&i| !passed[i]).map(|i| -inside[i].phi);
    Some(distinct(left.collect()))
}

fn distinct(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by(|a, b| (*a - *b).abs() < NEAR);
    numbers
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

    /// A body of unit size that touches the wall, with the expected depths.
    fn touching<'a>(
        &self,
        shape: &'a ConvexPolyhedron,
        random: &mut SplitMix64,
        is_on_border: bool,
    ) -> (Body<'a>, Vec<f64>) {
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
                let mut kernel = ConvexWall::new();
                kernel.contact(&body, &self.wall).map_or(0.0, |c| c.depth)
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
            let depths = |tolerances| depths(&body, &self.triangles, tolerances);
            if let [Some(depths), Some(others)] = TOLERANCES.map(depths)
                && !depths.is_empty()
                && depths.len() == others.len()
            {
                return (body, depths);
            }
        }
        unreachable!()
    }
}

/// Whether each normal has one of the others within 3 degrees, and the other way round.
fn agree(a: &[DVec3], b: &[DVec3]) -> bool {
    let has = |n: &DVec3, all: &[DVec3]| all.iter().any(|m| n.dot(*m) >= SAME_NORMAL);
    a.iter().all(|n| has(n, b)) && b.iter().all(|n| has(n, a))
}

fn answers(report: &mut Report, course: &Course, case: &str, count: usize, is_on_border: bool) {
    let mut random = SplitMix64::new(1);
    let of = report.either(4000, 20);
    let mut wrong = [0; 3];
    let mut kernel = ConvexWall::new();
    for _ in 0..of {
        let shape = body(count, &mut random);
        let (body, expected) = course.touching(&shape, &mut random, is_on_border);
        let (mut found, mut normals) = (Vec::new(), Vec::new());
        let state = &mut ConvexWallState::default();
        kernel.for_each_contact(&body, &course.wall, state, |c| {
            found.push(c.depth);
            normals.push(c.normal);
        });
        let found = distinct(found);
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < NEAR;
        let is_right = found.len() == expected.len() && found.iter().zip(&expected).all(is_near);
        wrong[0] += usize::from(!is_right);
        for (mesh, wrong) in course.meshes.iter().zip(&mut wrong[1..]) {
            let theirs = caught(|| {
                let mut kept = Kept::default();
                kept.update(&parry_pose(&body.pose), &parry_body(&shape), mesh);
                kept.normals()
            });
            *wrong += usize::from(!theirs.is_ok_and(|theirs| agree(&theirs, &normals)));
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

fn speed(report: &mut Report, course: &Course, case: &str, count: usize) {
    let mut random = SplitMix64::new(2);
    let number = report.either(64, 8);
    let shapes: Vec<ConvexPolyhedron> = (0..number).map(|_| body(count, &mut random)).collect();
    let bodies: Vec<Body> = shapes
        .iter()
        .map(|shape| course.touching(shape, &mut random, false).0)
        .collect();
    let others: Vec<_> = shapes.iter().map(parry_body).collect();
    let mut kernel = ConvexWall::new();
    let ours = |i: usize, pose: &Pose3, state: &mut ConvexWallState| {
        let body = Placed::new(&shapes[i], *std::hint::black_box(pose));
        let mut points = 0.0;
        kernel.for_each_manifold(&body, &course.wall, state, |_, m| {
            points += m.points().len() as f64;
        });
        points
    };
    let mut field = PressureField::new().with_points();
    let pressures = |i: usize, pose: &Pose3, state: &mut PressureState| {
        let body = Placed::new(&shapes[i], *std::hint::black_box(pose));
        let mut points = 0.0;
        field.for_each_contact(&body, &course.wall, state, |c| {
            points += c.points.map_or(0.0, |points| points.shares.len() as f64);
        });
        points
    };
    let theirs = |k: usize| {
        let (mesh, others) = (&course.meshes[k], &others);
        let ask = move |i: usize, pose: &Pose3, kept: &mut Kept| {
            kept.update(&parry_pose(pose), &others[i], mesh);
            kept.points()
        };
        stepping(KINDS[k].0, &bodies, ask)
    };
    let peers = vec![
        theirs(0),
        theirs(1),
        stepping("pressure-field", &bodies, pressures),
    ];
    report.race(case, number, stepping(OURS, &bodies, ours), peers);
}

pub fn run(report: &mut Report) {
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
