//! A sphere and a convex polyhedron: the distance or the overlap.
//!
//! Spheres that move a little each step around hulls, warm with the state of the previous step and cold
//! without. parry has `query::contact`, which has no state.
//!
//! Results: distances that are off by more than 1e-9 of the size, from 1e-6 of the radius inside the surface
//! to deep overlaps.

use osculate::glam::DVec3;
use osculate::math::closest_on_polygon;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, CommonPlaneState, ConvexPolyhedron, NarrowPhase, Placed, Pose3, Sphere,
};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, ConvexPolyhedron as Hull};

use crate::report::{OURS, Report, caught, runner, seconds};

const PAIRS: usize = 32;
const STEPS: usize = 64;
const RADIUS: f64 = 0.5;
/// Overlaps as parts of the radius.
const RANGES: [(&str, [f64; 2]); 3] = [
    ("overlap-0.05-0.5%", [0.0005, 0.005]),
    ("overlap-1-5%", [0.01, 0.05]),
    ("deep", [1.1, 1.4]),
];

struct Scene {
    body: ConvexPolyhedron,
    hull: Hull,
    pose: Pose3,
    /// By steps, all pairs of a step in sequence, each with its overlap.
    balls: Vec<(Sphere, f64)>,
}

/// The signed distance of a point from the surface, by all faces.
fn distance(body: &ConvexPolyhedron, point: DVec3) -> f64 {
    let (mut highest, mut nearest) = (f64::NEG_INFINITY, f64::INFINITY);
    for face in body.surface().facets() {
        let corners: Vec<_> = face.corners().collect();
        highest = highest.max(face.normal().dot(point - corners[0]));
        nearest = nearest.min(closest_on_polygon(point, &corners).distance_squared);
    }
    if highest <= 0.0 {
        highest
    } else {
        nearest.sqrt()
    }
}

impl Scene {
    fn new(vertices: usize, [least, most]: [f64; 2], steps: usize) -> Self {
        let mut random = SplitMix64::new(5);
        let points: Vec<_> = (0..vertices)
            .map(|_| random.in_ball().normalize())
            .collect();
        let cube = |i: i32| DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1) - 0.5));
        let points = if vertices == 8 {
            (0..8).map(cube).collect()
        } else {
            points
        };
        let body = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let corners = points.iter().map(|p| Vector::new(p.x, p.y, p.z));
        let hull = Hull::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap();
        let pose = Pose3::new_normalize(random.rotation(), random.in_ball()).unwrap();
        let starts: Vec<_> = (0..PAIRS)
            .map(|_| [random.in_ball(), random.in_ball()].map(|v| v.normalize()))
            .collect();
        let mut balls = Vec::new();
        for step in 0..steps {
            for [start, along] in &starts {
                let direction = (start + along * (0.003 * step as f64)).normalize();
                let overlap = RADIUS * random.range(least, most);
                // Along the ray, at the depth.
                let (mut near, mut far) = (0.0, 3.0);
                for _ in 0..24 {
                    let middle = 0.5 * (near + far);
                    let is_deep = RADIUS - distance(&body, direction * middle) > overlap;
                    *(if is_deep { &mut near } else { &mut far }) = middle;
                }
                let center = pose.transform_point(direction * near);
                let exact = RADIUS - distance(&body, direction * near);
                balls.push((Sphere::new(center, RADIUS), exact));
            }
        }
        Self {
            body,
            hull,
            pose,
            balls,
        }
    }

    fn ours(&self, i: usize, state: &mut CommonPlaneState) -> Option<f64> {
        let body = Placed::new(&self.body, self.pose);
        let ball = std::hint::black_box(&self.balls[i].0);
        let contact = CommonPlane::new().contact_with(ball, &body, state);
        contact.map(|contact| contact.overlap)
    }

    fn parry(&self, i: usize, pose: &Pose) -> Option<f64> {
        let Sphere { center, radius } = *std::hint::black_box(&self.balls[i].0);
        let at = Pose {
            rotation: Rotation::IDENTITY,
            translation: Vector::new(center.x, center.y, center.z),
        };
        let contact = query::contact(&at, &Ball::new(radius), pose, &self.hull, 0.0);
        Some(-contact.ok()??.dist)
    }
}

pub fn run(report: &mut Report) {
    let steps = report.either(STEPS, 8);
    for (range, overlaps) in RANGES {
        for vertices in [8, 14, 50] {
            let scene = Scene::new(vertices, overlaps, steps);
            let (count, case) = (scene.balls.len(), format!("spheres/{range}-{vertices}"));
            let (r, t) = (scene.pose.rotation(), scene.pose.translation());
            let pose = Pose {
                rotation: Rotation::from_xyzw(r.x, r.y, r.z, r.w),
                translation: Vector::new(t.x, t.y, t.z),
            };
            for (name, is_warm) in [("coherent", true), ("cold", false)] {
                let ours = runner(OURS, || {
                    let mut states = [CommonPlaneState::default(); PAIRS];
                    let each = |i: usize| {
                        let state = &mut states[i % PAIRS];
                        if !is_warm {
                            *state = CommonPlaneState::default();
                        }
                        scene.ours(i, state)
                    };
                    seconds(|| (0..count).filter_map(each).sum::<f64>())
                });
                let parry = runner("parry", || {
                    seconds(|| {
                        (0..count)
                            .filter_map(|i| scene.parry(i, &pose))
                            .sum::<f64>()
                    })
                });
                report.race(&format!("{case}-{name}"), count, ours, vec![parry]);
            }
            let scene = Scene::new(vertices, overlaps, report.either(3125, 8));
            let (mut wrong, count) = ([0; 2], scene.balls.len());
            for i in 0..count {
                let found = [
                    Ok(scene.ours(i, &mut CommonPlaneState::default())),
                    caught(|| scene.parry(i, &pose)),
                ];
                for (found, wrong) in found.into_iter().zip(&mut wrong) {
                    let is_near = |found: f64| (found - scene.balls[i].1).abs() <= 1e-9;
                    *wrong += usize::from(!found.is_ok_and(|found| found.is_some_and(is_near)));
                }
            }
            report.wrong(&case, OURS, wrong[0], count);
            report.wrong(&case, "parry", wrong[1], count);
        }
    }
}
