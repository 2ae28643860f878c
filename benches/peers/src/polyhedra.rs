//! Two convex polyhedra: gap or overlap.
//!
//! Speed: sequences of pairs of hulls that move a little each step, at a gap or depth that varies
//! within a range; warm with the state of the previous step, cold without. parry has
//! `query::contact`, which has no state, and contact manifolds, which may be kept and return some
//! more points. phyz-collision returns the distance only. Pressure fields, whose contact is the force of both bodies or of the
//! fields of one, are compared with the manifolds, for bodies that overlap by 1 to 5 %.
//!
//! Results: gaps that are off by more than 1e-6 of the size, of 1e5 pairs in these ranges at sizes from 1e-6 to 1e6, and
//! of 1e5 pairs within reach of each other in a random packing.

use std::collections::HashMap;
use std::sync::Arc;

use osculate::glam::{DMat3, DVec3};
use osculate::narrow::{PressureField, PressureState};
use osculate::testing::oracle::gap_of_polyhedra;
use osculate::testing::workload::{SplitMix64, polyhedron_pairs};
use osculate::{
    BroadPhase, CommonPlane, CommonPlaneContact, CommonPlaneState, ConvexPolyhedron,
    HierarchicalGrid, NarrowPhase, Placed, Pose3,
};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape;
use phyz_collision::{Geometry, gjk_distance_rot};
use phyz_math::{Mat3, Vec3};

use crate::report::{OURS, Report, Runner, caught, runner, seconds};

pub type Body = Placed<Arc<ConvexPolyhedron>, DVec3>;
pub type State = CommonPlaneState<DVec3>;
type Manifold = ContactManifold<(), ()>;

/// Bodies within this many radii are queried: all of them are.
pub const MARGIN: f64 = 0.2;
pub const PAIRS: usize = 32;
pub const STEPS: usize = 64;
pub const RANGES: [(&str, [f64; 2]); 4] = [
    ("apart", [0.02, 0.1]),
    ("overlap-0.05-0.5%", [-0.005, -0.0005]),
    ("overlap-1-5%", [-0.05, -0.01]),
    ("deep", [-0.4, -0.2]),
];
const SIZES: [(&str, f64); 8] = [
    ("1", 1.0),
    ("1e-1", 1e-1),
    ("1e-2", 1e-2),
    ("1e-3", 1e-3),
    ("1e-4", 1e-4),
    ("1e-5", 1e-5),
    ("1e-6", 1e-6),
    ("1e6", 1e6),
];
const WHO: [&str; 4] = [OURS, "parry", "parry-manifolds", "phyz-collision"];

/// A body in the form of each peer.
struct Others {
    parry: shape::ConvexPolyhedron,
    phyz: Geometry,
}

impl Others {
    fn new(body: &ConvexPolyhedron) -> Option<Self> {
        let points = body.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z));
        let points: Vec<Vector> = points.collect();
        let vertices = body
            .vertices()
            .iter()
            .map(|v| Vec3::new(v.x, v.y, v.z))
            .collect();
        let fan = |ids: &[u32]| {
            let ids = Vec::from_iter(ids.iter().map(|&id| id as usize));
            (2..ids.len())
                .map(move |i| [ids[0], ids[i - 1], ids[i]])
                .collect::<Vec<_>>()
        };
        let faces = body
            .surface()
            .facets()
            .flat_map(|f| fan(f.vertices()))
            .collect();
        let parry = caught(|| shape::ConvexPolyhedron::from_convex_hull(&points))
            .ok()
            .flatten()?;
        Some(Self {
            parry,
            phyz: Geometry::Mesh { vertices, faces },
        })
    }
}

/// Pairs of bodies; many have the same shapes.
pub struct Scene {
    size: f64,
    pub bodies: Vec<[Body; 2]>,
    /// By shape; `None` if a peer refused the points.
    others: Vec<Option<Others>>,
    /// The shapes of each pair.
    pub shapes: Vec<[usize; 2]>,
    poses: Vec<[(Pose, Vec3, Mat3); 2]>,
}

impl Scene {
    pub fn new(bodies: &[[Body; 2]], size: f64) -> Self {
        let scaled = |shape: &ConvexPolyhedron| {
            let points: Vec<DVec3> = shape.vertices().iter().map(|&v| v * size).collect();
            Arc::new(ConvexPolyhedron::from_convex_hull(&points).unwrap())
        };
        let (mut known, mut own, mut others) = (HashMap::new(), Vec::new(), Vec::new());
        let mut shape = |body: &Body| {
            *known.entry(Arc::as_ptr(&body.shape)).or_insert_with(|| {
                own.push(scaled(&body.shape));
                others.push(Others::new(&own[own.len() - 1]));
                own.len() - 1
            })
        };
        let pairs = bodies.iter();
        let shapes: Vec<_> = pairs.map(|pair| pair.each_ref().map(&mut shape)).collect();
        let place = |(pair, shapes): (&[Body; 2], &[usize; 2])| {
            [0, 1].map(|k| {
                let Placed { pose, .. } = pair[k];
                let pose = Pose3::new(pose.rotation(), pose.translation() * size).unwrap();
                Placed::new(own[shapes[k]].clone(), pose)
            })
        };
        let bodies: Vec<[Body; 2]> = bodies.iter().zip(&shapes).map(place).collect();
        let poses = bodies
            .iter()
            .map(|pair| pair.each_ref().map(|b| other_poses(&b.pose)));
        Self {
            size,
            others,
            shapes,
            poses: poses.collect(),
            bodies,
        }
    }

    /// The shapes of a pair for the peers.
    fn others(&self, index: usize) -> Option<[&Others; 2]> {
        let [a, b] = self.shapes[index];
        Some([self.others[a].as_ref()?, self.others[b].as_ref()?])
    }

    /// The gap of a pair, by each crate; an overlap if negative.
    pub fn ours(&self, kernel: &mut CommonPlane, index: usize, memory: &mut State) -> f64 {
        let [a, b] = &self.bodies[index];
        let mut gap = f64::NAN;
        let found = |c: CommonPlaneContact<DVec3>| gap = -c.overlap;
        kernel.for_each_contact(std::hint::black_box(a), b, memory, found);
        gap
    }

    fn parry(&self, index: usize) -> Option<f64> {
        let [a, b] = self.others(index)?;
        let [p, q] = std::hint::black_box(&self.poses[index]);
        let found = query::contact(&p.0, &a.parry, &q.0, &b.parry, MARGIN * self.size);
        Some(found.ok()??.dist)
    }

    fn manifold(&self, index: usize, manifold: &mut Manifold) -> Option<f64> {
        let [a, b] = self.others(index)?;
        let [p, q] = std::hint::black_box(&self.poses[index]);
        let (pose, margin) = (p.0.inv_mul(&q.0), MARGIN * self.size);
        let (a, b) = (&a.parry, &b.parry);
        let ask = DefaultQueryDispatcher;
        ask.contact_manifold_convex_convex(&pose, a, b, None, None, margin, manifold)
            .ok()?;
        manifold.points.iter().map(|p| p.dist).reduce(f64::min)
    }

    fn phyz(&self, index: usize) -> Option<f64> {
        let [a, b] = self.others(index)?;
        let [p, q] = std::hint::black_box(&self.poses[index]);
        Some(gjk_distance_rot(&a.phyz, &b.phyz, &p.1, &q.1, &p.2, &q.2))
    }
}

fn other_poses(pose: &Pose3) -> (Pose, Vec3, Mat3) {
    let (r, t) = (pose.rotation(), pose.translation());
    let rotation = Rotation::from_xyzw(r.x, r.y, r.z, r.w);
    let translation = Vector::new(t.x, t.y, t.z);
    let columns = DMat3::from_quat(r)
        .to_cols_array_2d()
        .map(|c| Vec3::new(c[0], c[1], c[2]));
    let [x, y, z] = columns;
    (
        Pose {
            rotation,
            translation,
        },
        Vec3::new(t.x, t.y, t.z),
        Mat3::from_cols(x, y, z),
    )
}

/// Queries all pairs, step by step, with the state of the previous step or without.
pub fn stepping<'a, Kept: Default + 'a>(
    name: &'static str,
    count: usize,
    is_warm: bool,
    mut ask: impl FnMut(usize, &mut Kept) -> Option<f64> + 'a,
) -> Runner<'a> {
    runner(name, move || {
        let mut kept: Vec<Kept> = (0..PAIRS).map(|_| Kept::default()).collect();
        let each = |i: usize| {
            let kept = &mut kept[i % PAIRS];
            if !is_warm {
                *kept = Kept::default();
            }
            ask(i, kept)
        };
        seconds(|| (0..count).filter_map(each).sum::<f64>())
    })
}

fn speed(report: &mut Report, case: &str, scene: &Scene) {
    let count = scene.bodies.len();
    for (name, is_warm) in [("coherent", true), ("cold", false)] {
        let mut kernel = CommonPlane::new().with_margin(MARGIN).unwrap();
        let own = move |i, memory: &mut State| Some(scene.ours(&mut kernel, i, memory));
        let ours = stepping(WHO[0], count, is_warm, own);
        let peers = vec![
            stepping(WHO[1], count, is_warm, |i, ()| scene.parry(i)),
            stepping(WHO[2], count, is_warm, |i, kept| scene.manifold(i, kept)),
            stepping(WHO[3], count, is_warm, |i, ()| scene.phyz(i)),
        ];
        report.race(&format!("{case}-{name}"), count, ours, peers);
    }
    if !case.contains("1-5%") {
        return;
    }
    // Elastic contacts beside manifolds.
    let field = PressureField::new();
    let one_field = field.clone().with_weight_of_first(1.0).unwrap();
    for (name, mut kernel) in [
        ("fields", field.clone()),
        ("points", field.with_points()),
        ("one-field", one_field),
    ] {
        let own = move |i: usize, state: &mut PressureState| {
            let [a, b] = std::hint::black_box(&scene.bodies[i]).each_ref();
            let [a, b] = [a, b].map(|body| Placed::new(&*body.shape, body.pose));
            let contact = kernel.contact_with(&a, &b, state)?;
            Some(contact.force.length())
        };
        let ours = stepping(WHO[0], count, true, own);
        let manifolds = stepping(WHO[2], count, true, |i, kept| scene.manifold(i, kept));
        report.race(&format!("{case}-{name}"), count, ours, vec![manifolds]);
    }
}

/// The number of wrong gaps, by crate.
fn wrong(scene: &Scene, gaps: &[f64]) -> [usize; 4] {
    let mut kernel = CommonPlane::new().with_margin(MARGIN * scene.size).unwrap();
    let mut wrong = [0; 4];
    for (i, gap) in gaps.iter().enumerate() {
        let found = [
            Ok(Some(scene.ours(&mut kernel, i, &mut State::default()))),
            caught(|| scene.parry(i)),
            caught(|| scene.manifold(i, &mut Manifold::default())),
            caught(|| scene.phyz(i)),
        ];
        for (found, wrong) in found.into_iter().zip(&mut wrong) {
            let is_near = |found: f64| (found - gap * scene.size).abs() <= 1e-6 * scene.size;
            *wrong += usize::from(!found.is_ok_and(|found| found.is_some_and(is_near)));
        }
    }
    wrong
}

/// The exact gaps.
fn exact(pairs: &[[Body; 2]]) -> Vec<f64> {
    let gap = |pair: &[Body; 2]| {
        let [a, b] = pair.each_ref().map(|b| Placed::new(&*b.shape, b.pose));
        gap_of_polyhedra(&a, &b)
    };
    pairs.iter().map(gap).collect()
}

pub fn pairs_of(vertices: usize, gaps: [f64; 2], pairs: usize, steps: usize) -> Vec<[Body; 2]> {
    let pairs = polyhedron_pairs(vertices, gaps, pairs, steps, 5).unwrap();
    pairs.pairs().map(|(a, b)| [a.clone(), b.clone()]).collect()
}

/// Pairs within reach in a packing of `side`^3 bodies of 16 shapes, with 14 vertices on the unit sphere.
fn packing(side: usize) -> Vec<[Body; 2]> {
    let mut random = SplitMix64::new(7);
    let mut shape = || {
        let points: Vec<_> = (0..14).map(|_| random.in_ball().normalize()).collect();
        Arc::new(ConvexPolyhedron::from_convex_hull(&points).unwrap())
    };
    let shapes: Vec<_> = (0..16).map(|_| shape()).collect();
    let mut body = |i: usize| {
        let site = DVec3::from([i % side, i / side % side, i / side / side].map(|k| k as f64));
        let place = 1.6 * site + 0.1 * random.in_ball();
        let pose = Pose3::new_normalize(random.rotation(), place).unwrap();
        Placed::new(shapes[i % shapes.len()].clone(), pose)
    };
    let bodies: Vec<Body> = (0..side.pow(3)).map(&mut body).collect();
    let (mut grid, mut pairs) = (HierarchicalGrid::new(), Vec::new());
    grid.rebuild(&bodies).unwrap();
    grid.for_each_pair(|i, j| pairs.push([i, j].map(|i| bodies[i].clone())));
    pairs
}

pub fn run(report: &mut Report) {
    let steps = report.either(STEPS, 8);
    let mut all = [[0; 4]; SIZES.len()];
    let mut of = 0;
    for (range, gaps) in RANGES {
        for vertices in [8, 14, 50] {
            let scene = Scene::new(&pairs_of(vertices, gaps, PAIRS, steps), 1.0);
            speed(report, &format!("polyhedra/{range}-{vertices}"), &scene);
            let pairs = pairs_of(vertices, gaps, report.either(1042, 8), 8);
            let gaps = exact(&pairs);
            of += gaps.len();
            for ((_, size), all) in SIZES.into_iter().zip(&mut all) {
                let counts = wrong(&Scene::new(&pairs, size), &gaps);
                (0..4).for_each(|k| all[k] += counts[k]);
            }
        }
    }
    for ((size, _), counts) in SIZES.into_iter().zip(all) {
        for (who, count) in WHO.into_iter().zip(counts) {
            report.wrong(&format!("polyhedra/size-{size}"), who, count, of);
        }
    }
    let pairs = packing(report.either(40, 6));
    let (pairs, gaps): (Vec<_>, Vec<_>) = exact(&pairs)
        .into_iter()
        .zip(pairs)
        .filter(|(gap, _)| *gap < MARGIN)
        .map(|(gap, pair)| (pair, gap))
        .unzip();
    let counts = wrong(&Scene::new(&pairs, 1.0), &gaps);
    for (who, count) in WHO.into_iter().zip(counts) {
        report.wrong("polyhedra/packing", who, count, gaps.len());
    }
}
