//! A sphere on a mesh: the time of its contacts, and how often they differ from those of the
//! surface.
//!
//! Speed: 1000 spheres on a landscape of 2048 triangles that move a little each step; parry warm with the
//! state of the previous step, cold without; spheres have no state here. parry handles the same spheres with
//! `contact_manifolds`, no prediction, its mesh as it is and with `FIX_INTERNAL_EDGES`.
//!
//! Results: spheres on the families of walls of the tests, compared with the exact local minima of
//! the distance. Excluded are spheres whose center is on the wall or behind it, where a mesh with a
//! front and a back may answer differently; those for which rounding decides; and (except in one
//! case) those that touch a border of the wall.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/support/families.rs"]
pub mod families;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/support/wall.rs"]
mod wall;

use families::{Family, SCALE, families, is_near_tie, mesh, place};
use osculate::glam::DVec3;
use osculate::shape::Facet;
use osculate::testing::oracle;
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, Feature, NarrowPhase, Sphere, SurfaceMesh, Wall, WallContact,
    narrow::WallSides,
};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{Ball, TriMesh, TriMeshFlags};
use wall::{all_minima, contacts_by};

use crate::report::{OURS, Report, Runner, caught, runner, seconds};

type Body = Sphere<DVec3>;

pub const KINDS: [(&str, TriMeshFlags); 3] = [
    ("parry", TriMeshFlags::empty()),
    ("parry-fixed", TriMeshFlags::FIX_INTERNAL_EDGES),
    (
        "parry-fixed-two-sided",
        TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED,
    ),
];

pub fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Polygons become fans.
pub fn parry_mesh(mesh: &SurfaceMesh, flags: TriMeshFlags) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|&v| vector(v)).collect();
    let fan = |ids: &[u32]| {
        (2..ids.len())
            .map(|i| [ids[0], ids[i - 1], ids[i]])
            .collect::<Vec<_>>()
    };
    let triangles = mesh.facets().flat_map(|f| fan(f.vertices())).collect();
    TriMesh::with_flags(vertices, triangles, flags).unwrap()
}

/// The state that parry keeps of a ball and a mesh.
#[derive(Default)]
struct Kept {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl Kept {
    fn update(&mut self, body: &Body, mesh: &TriMesh) {
        let (pose, ball) = (
            Pose::from_translation(vector(body.center)),
            Ball::new(body.radius),
        );
        let Self {
            manifolds,
            workspace,
        } = self;
        let asked = std::hint::black_box(&pose);
        let found =
            DefaultQueryDispatcher.contact_manifolds(asked, mesh, &ball, 0.0, manifolds, workspace);
        found.unwrap();
    }

    /// The points of the mesh, and the overlaps.
    fn contacts(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let points = self.manifolds.iter().flat_map(|m| {
            let place = |p| m.subshape_pos1().map_or(p, |pose| pose.transform_point(p));
            m.points.iter().map(move |p| (place(p.local_p1), p.dist))
        });
        let touching = points.filter(|(_, distance)| *distance < 0.0);
        touching.map(|(p, distance)| (DVec3::new(p.x, p.y, p.z), -distance))
    }
}

/// Unit cells, two triangles each, with gentle hills.
pub fn landscape(side: u32) -> SurfaceMesh {
    let mut random = SplitMix64::new(3);
    let (row, count) = (side + 1, (side + 1) * (side + 1));
    let vertex = |i: u32| DVec3::new((i % row).into(), (i / row).into(), random.range(0.0, 0.2));
    let vertices = (0..count).map(vertex).collect();
    let cells = (0..side * side).map(|c| c / side * row + c % side);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new(vertices, triangles)
        .and_then(|mesh| mesh.with_precision(0.0))
        .unwrap()
}

/// Spheres whose centers are 0.9 radii above the ground.
pub fn spheres(count: usize, side: f64, radius: f64) -> Vec<Body> {
    let mut random = SplitMix64::new(4);
    let mut within = || random.range(radius, side - radius);
    let center = |_| DVec3::new(within(), within(), 0.1 + 0.9 * radius);
    (0..count)
        .map(center)
        .map(|center| Sphere::new(center, radius))
        .collect()
}

/// Queries each sphere, which moves back and forth by 1e-4 of its radius per step; with the state
/// of the previous step, or without.
fn stepping<'a, State: Default + 'a>(
    name: &'static str,
    start: &'a [Body],
    is_warm: bool,
    mut ask: impl FnMut(&Body, &mut State) -> f64 + 'a,
) -> Runner<'a> {
    let (mut memories, mut step) = (Vec::new(), 0);
    runner(name, move || {
        step += 1;
        let by = 1e-4 * f64::from(step % 8);
        let moved = |s: &Body| Sphere::new(s.center + by * s.radius, s.radius);
        let now: Vec<Body> = start.iter().map(moved).collect();
        if !is_warm {
            memories.clear();
        }
        memories.resize_with(now.len(), State::default);
        let all = now.iter().zip(&mut memories);
        seconds(|| all.map(|(body, memory)| ask(body, memory)).sum::<f64>())
    })
}

fn speed(report: &mut Report, radius: f64) {
    let ground = landscape(32);
    let wall = Wall::new(ground.clone());
    let meshes = [0, 1].map(|i| parry_mesh(&ground, KINDS[i].1));
    let start = spheres(report.either(1000, 200), 32.0, radius);
    for (name, is_warm) in [("warm", true), ("cold", false)] {
        let mut kernel = DoubleHierarchy::new();
        let own = |body: &Body, (): &mut ()| {
            let mut sum = 0.0;
            kernel.for_each_contact(std::hint::black_box(body), &wall, &mut (), |c| {
                sum += c.overlap
            });
            sum
        };
        let theirs = |mesh| {
            move |body: &Body, kept: &mut Kept| {
                kept.update(body, mesh);
                kept.contacts().map(|c| c.1).sum::<f64>()
            }
        };
        let ours = stepping(OURS, &start, is_warm, own);
        let peer = |i: usize| stepping(KINDS[i].0, &start, is_warm, theirs(&meshes[i]));
        let case = format!("walls/radius-{radius}-{name}");
        report.race(&case, start.len(), ours, vec![peer(0), peer(1)]);
    }
}

/// A wall of the tests.
struct Course {
    family: Family,
    mesh: SurfaceMesh,
    wall: Wall,
    /// Edges with only one facet, and their ends.
    border: Vec<Feature>,
}

impl Course {
    fn new(family: Family) -> Self {
        let mesh = mesh(&family, |v| v);
        let wall = Wall::new(mesh.clone());
        let mut border = Vec::new();
        for &[a, b] in mesh.edges() {
            let ends = [a, b].map(|end| mesh.vertices()[end as usize]);
            let has = |facet: &Facet<'_>| ends.iter().all(|&end| facet.corners().any(|x| x == end));
            if mesh.facets().filter(has).count() == 1 {
                border.extend([Feature::edge(a, b), Feature::Vertex(a), Feature::Vertex(b)]);
            }
        }
        Self {
            family,
            mesh,
            wall,
            border,
        }
    }

    /// A touching sphere, and its contacts as points of the wall, known to be the exact minima (or
    /// not); one of them is on the border, or none.
    fn touching(&self, random: &mut SplitMix64, is_on_border: bool) -> (Body, Vec<DVec3>, bool) {
        loop {
            let (point, radius) = place(random, &self.family);
            let minima = oracle::local_minima(point, &self.family.vertices, &self.family.facets);
            let body = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let mut front = all_minima().with_sides(WallSides::Front);
            let found = contacts_by(&mut all_minima(), &self.wall, &body);
            let is_in_front = contacts_by(&mut front, &self.wall, &body) == found;
            let is_on_surface = found.iter().any(|c| c.offset == DVec3::ZERO);
            if found.is_empty() || is_near_tie(&minima, radius) || !is_in_front || is_on_surface {
                continue;
            }
            let is_inside = |&&(_, distance): &&(Feature, f64)| distance * SCALE < radius;
            let exact: Vec<Feature> = minima.iter().filter(is_inside).map(|m| m.0).collect();
            if exact.iter().any(|feature| self.border.contains(feature)) != is_on_border {
                continue;
            }
            let mut features: Vec<Feature> = found.iter().map(|c| c.feature).collect();
            features.sort_unstable();
            let points = found.iter().map(|c| body.center + c.offset).collect();
            return (body, points, features == exact);
        }
    }
}

/// Whether all points are found and no others, to a millionth of the radius. parry may return the
/// same point from several triangles, which its user could detect and drop: it counts as one.
fn is_same(found: &[(DVec3, f64)], points: &[DVec3], radius: f64) -> bool {
    let is_near = |p: &DVec3, c: &(DVec3, f64)| p.distance(c.0) <= 1e-6 * radius;
    points.iter().all(|p| found.iter().any(|c| is_near(p, c)))
        && found.iter().all(|c| points.iter().any(|p| is_near(p, c)))
}

fn answers(report: &mut Report, course: &Course, case: &str, is_on_border: bool) {
    let wall = Wall::new(course.mesh.clone());
    let meshes = KINDS.map(|(_, flags)| parry_mesh(&course.mesh, flags));
    let mut random = SplitMix64::new(1);
    let count = report.either(20_000, 60);
    let (mut own_wrong, mut wrong) = (0, [0; 3]);
    for _ in 0..count {
        let (body, points, is_right) = course.touching(&mut random, is_on_border);
        let mut found = Vec::new();
        let add = |c: WallContact| found.push((body.center + c.offset, c.overlap));
        all_minima().for_each_contact(&body, &wall, &mut (), add);
        let is_right = is_right && found.len() == points.len();
        own_wrong += usize::from(!is_right || !is_same(&found, &points, body.radius));
        for (mesh, wrong) in meshes.iter().zip(&mut wrong) {
            let found = caught(|| {
                let mut kept = Kept::default();
                kept.update(&body, mesh);
                kept.contacts().collect::<Vec<_>>()
            });
            let is_right = found.is_ok_and(|found| is_same(&found, &points, body.radius));
            *wrong += usize::from(!is_right);
        }
    }
    report.wrong(case, OURS, own_wrong, count);
    for ((who, _), wrong) in KINDS.into_iter().zip(wrong) {
        report.wrong(case, who, wrong, count);
    }
}

pub fn run(report: &mut Report) {
    for radius in [0.5, 2.0] {
        speed(report, radius);
    }
    for family in families() {
        let case = match family.name {
            "flat" => "flat",
            "flat, 1000 R away" => "flat-far-away",
            "convex" => "convex",
            "dish" => "dish",
            "drum" => "drum",
            "v" => "v",
            "box" => "box-corner",
            _ => continue,
        };
        let course = Course::new(family);
        answers(report, &course, &format!("walls/{case}"), false);
        if case == "flat" {
            answers(report, &course, "walls/flat-border", true);
        }
    }
}
