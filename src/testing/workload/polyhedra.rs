use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{SplitMix64, Workload, WorkloadSum, rock};
use crate::error::Result;
use crate::math::Pose3;
use crate::narrow::{CommonPlane, CommonPlaneState, MeshMesh, NarrowPhase};
use crate::shape::{ConvexPolyhedron, Placed, Rounded, SolidMesh};
use crate::testing::oracle;
use crate::testing::properties::Violation;

/// A polyhedron that several may share.
type Body = Placed<Arc<ConvexPolyhedron>, DVec3>;

/// Returns boxes face to face, of which about two thirds overlap.
///
/// Sides are within [1, 2], gaps within [-0.1, 0.05]. Boxes of a pair have the same orientation. The sum is over
/// overlaps. No oracle is needed, so that 1e5 pairs take less than a second.
///
/// # Errors
/// Returns a [`Violation`] for no pairs.
pub fn box_pairs(count: usize, seed: u64) -> std::result::Result<Workload<Body>, Violation> {
    let mut random = SplitMix64::new(seed);
    let mut shapes = Vec::new();
    for _ in 0..16 {
        let half = DVec3::from_array([0; 3].map(|_| random.range(0.5, 1.0)));
        let sign = |i: u32| if i & 1 == 1 { 1.0 } else { -1.0 };
        let corners = (0..8).map(|i| half * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2)));
        let hull = ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>())?;
        shapes.push((half, Arc::new(hull)));
    }
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    while first.len() < count {
        let [(half_a, a), (half_b, b)] = [0; 2].map(|_| &shapes[random.below(16)]);
        let mut offset = DVec3::from_array([0; 3].map(|_| random.range(-0.4, 0.4)));
        let (axis, gap) = (random.below(3), random.range(-0.1, 0.05));
        offset[axis] = half_a[axis] + half_b[axis] + gap;
        let pose = Pose3::new(random.rotation(), random.in_ball() * 8.0)?;
        if gap.abs() < 1e-9 {
            continue;
        }
        if gap < 0.0 {
            expected.add(first.len(), -gap);
        }
        first.push(Placed::new(a.clone(), pose));
        let pose = Pose3::new(pose.rotation(), pose.transform_point(offset))?;
        second.push(Placed::new(b.clone(), pose));
    }
    Workload::of_one_step(first, second, expected, 1e-12)
}

/// Returns polyhedra with `vertex_count` vertices on the unit sphere in a random mixture of overlaps, near and far.
///
/// About a third of the pairs overlap, a few deeply. No pair comes back with a state. The sum is over overlaps. 1e5
/// pairs of 8 vertices take a few seconds to build.
///
/// # Errors
/// Returns a [`Violation`] for fewer than 4 vertices and for no pairs.
pub fn mixed_pairs(
    vertex_count: usize,
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Body>, Violation> {
    let mut random = SplitMix64::new(seed);
    let mut shapes = Vec::new();
    for _ in 0..64 {
        shapes.push(round_hull(vertex_count, &mut random)?);
    }
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    while first.len() < count {
        let at = random.in_ball() * 8.0;
        let offset = random.in_ball().normalize() * random.range(0.5, 3.0);
        let mut body = |at: DVec3| -> Result<Body> {
            let shape = shapes[random.below(64)].clone();
            Ok(Placed::new(shape, Pose3::new(random.rotation(), at)?))
        };
        let (a, b) = (body(at)?, body(at + offset)?);
        let gap = oracle::gap_of_polyhedra(&a, &b);
        if gap.abs() < 1e-9 {
            continue;
        }
        if gap < 0.0 {
            expected.add(first.len(), -gap);
        }
        first.push(a);
        second.push(b);
    }
    Workload::of_one_step(first, second, expected, 1e-9)
}

fn round_hull(vertex_count: usize, random: &mut SplitMix64) -> Result<Arc<ConvexPolyhedron>> {
    let points = (0..vertex_count).map(|_| random.in_ball().normalize());
    let hull = ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>())?;
    Ok(Arc::new(hull))
}

/// Returns pairs of capsules of half length 1 and radius 1/4 in random directions.
///
/// In a third of the pairs each, the closest points of the two axes are ends of both, of the second, or of none. Overlaps
/// are within -0.05 and 0.1, and exact to rounding. The sum is over overlaps.
///
/// # Errors
/// Returns a [`Violation`] for no pairs.
pub fn capsule_pairs(
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Placed<Rounded, DVec3>>, Violation> {
    const RADIUS: f64 = 0.25;
    let mut random = SplitMix64::new(seed);
    let shape = Rounded::capsule([-DVec3::Z, DVec3::Z], RADIUS)?;
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    for pair in 0..count {
        let rotations = [random.rotation(), random.rotation()];
        let [a, b] = rotations.map(|rotation| rotation * DVec3::Z);
        let normal = match pair % 3 {
            0 => random.in_ball(),
            1 => a.cross(random.in_ball()),
            _ => a.cross(b),
        };
        let normal = normal.normalize();
        // The points of the axes that are farthest along the normal.
        let mut farthest = |axis: DVec3, is_end: bool| {
            axis * match is_end {
                true => normal.dot(axis).signum(),
                false => random.range(-1.0, 1.0),
            }
        };
        let (on_a, on_b) = (farthest(a, pair % 3 == 0), farthest(b, pair % 3 != 2));
        let overlap = random.range(-0.05, 0.1);
        if overlap > 0.0 {
            expected.add(pair, overlap);
        }
        let center = random.in_ball() * 8.0;
        let other = center + on_a + normal * (2.0 * RADIUS - overlap) + on_b;
        first.push(Placed::new(
            shape.clone(),
            Pose3::new(rotations[0], center)?,
        ));
        second.push(Placed::new(shape.clone(), Pose3::new(rotations[1], other)?));
    }
    Workload::of_one_step(first, second, expected, 1e-12)
}

/// Returns coherent sequences of pairs of polyhedra with `vertex_count` vertices on the unit sphere.
///
/// At each step the second body rotates by 0.001 rad and moves by about 0.001. The gap varies within `gaps`,
/// negative for overlaps. The sum is over overlaps; a kernel needs a margin above the gaps. The oracle costs
/// O(vertices^3) for each pair, 1 s for 2,000 pairs of 50 vertices.
///
/// # Errors
/// Returns a [`Violation`] for fewer than 4 vertices, no pairs or no steps, and for gaps that are not finite or come in
/// descending order.
pub fn polyhedron_pairs(
    vertex_count: usize,
    gaps: [f64; 2],
    pair_count: usize,
    step_count: usize,
    seed: u64,
) -> std::result::Result<Workload<Body>, Violation> {
    let [low, high] = gaps;
    // So that their difference is finite too.
    if !(low <= high && high - low < f64::INFINITY && low.is_finite()) || step_count == 0 {
        return Err(Violation::new(format!(
            "polyhedron_pairs: gaps {gaps:?} are not finite and ascending, or {step_count} is no number of steps"
        )));
    }
    let mut random = SplitMix64::new(seed);
    let mut sequences = Vec::new();
    for _ in 0..pair_count {
        sequences.push(sequence(vertex_count, gaps, step_count, &mut random)?);
    }
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    for step in 0..step_count {
        for (pair, bodies) in sequences.iter().enumerate() {
            let [a, b] = &bodies[step];
            let [p, q] = [a, b].map(|body| Placed {
                shape: &*body.shape,
                pose: body.pose,
            });
            expected.add(pair, -oracle::gap_of_polyhedra(&p, &q));
            first.push(a.clone());
            second.push(b.clone());
        }
    }
    let pairs = (0..first.len() as u32).map(|i| [i, i]).collect();
    Workload::new(first, second, pairs, pair_count, expected, 1e-9)
}

fn sequence(
    vertex_count: usize,
    [low, high]: [f64; 2],
    step_count: usize,
    random: &mut SplitMix64,
) -> Result<Vec<[Body; 2]>> {
    let shapes = [
        round_hull(vertex_count, random)?,
        round_hull(vertex_count, random)?,
    ];
    let first = Pose3::new(random.rotation(), random.in_ball())?;
    let mut rotation = random.rotation();
    let mut offset = random.in_ball().normalize() * 2.0;
    let turn = DQuat::from_vec4((random.in_ball().normalize() * 0.0005).extend(1.0));
    let drift = random.in_ball() * 0.001;
    let mut kernel = CommonPlane::new().with_margin(10.0)?;
    let (mut gap, mut steps) = (0.5 * (low + high), Vec::new());
    for _ in 0..step_count {
        rotation = (turn * rotation).normalize();
        offset += drift;
        gap = (gap + random.range(-0.1, 0.1) * (high - low)).clamp(low, high);
        let bodies = |offset| -> Result<[Body; 2]> {
            let poses = [first, Pose3::new(rotation, first.translation() + offset)?];
            Ok([0, 1].map(|i| Placed {
                shape: shapes[i].clone(),
                pose: poses[i],
            }))
        };
        // Moves towards the desired gap; along the normal the gap changes as the offset.
        for _ in 0..4 {
            let [a, b] = bodies(offset)?;
            let state = &mut CommonPlaneState::default();
            kernel.for_each_contact(&a, &b, state, |c| offset += c.normal * (gap + c.overlap));
        }
        steps.push(bodies(offset)?);
    }
    Ok(steps)
}

/// Returns pairs of rocks of 2 `vertex_count` - 4 triangles, in random orientations.
///
/// Their intersection is about `part` of the volume of one rock, with one contact for each pair. The sum is
/// over volumes. The last digits of the vertices depend on the platform. The oracle costs O(vertices^2) for
/// each pair, about 10 ms for 100 vertices.
///
/// # Errors
/// Returns a [`Violation`] for fewer than 4 vertices or no pairs.
pub fn mesh_pairs(
    vertex_count: usize,
    part: f64,
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Placed<Arc<SolidMesh>, DVec3>>, Violation> {
    let shape = Arc::new(rock(vertex_count, 0.5, seed)?);
    let wanted = part * shape.volume();
    let mut random = SplitMix64::new(seed);
    let mut kernel = MeshMesh::new();
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    for pair in 0..count {
        let turns = [random.rotation(), random.rotation()];
        let axis = random.in_ball().normalize();
        let body = |i: usize, x: f64| -> Result<_> {
            let pose = Pose3::new(turns[i], axis * x)?;
            Ok(Placed {
                shape: shape.clone(),
                pose,
            })
        };
        let a = body(0, 0.0)?;
        let (mut near, mut far) = (0.0, 4.0);
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            let mut volume = 0.0;
            kernel.for_each_contact(&a, &body(1, middle)?, &mut Default::default(), |c| {
                volume += c.volume
            });
            *(if volume > wanted { &mut near } else { &mut far }) = middle;
        }
        let b = body(1, near)?;
        let [p, q] = [&a, &b].map(triangles);
        expected.add(pair, oracle::intersection_volume(&p, &q).0);
        first.push(a);
        second.push(b);
    }
    Workload::of_one_step(first, second, expected, 1e-8)
}

fn triangles(body: &Placed<Arc<SolidMesh>, DVec3>) -> Vec<[DVec3; 3]> {
    let surface = body.shape.surface();
    let place = |&id: &u32| body.pose.transform_point(surface.vertices()[id as usize]);
    let facets = surface.facets().map(|facet| facet.vertices());
    let corners = facets.filter_map(|ids| <[u32; 3]>::try_from(ids).ok());
    corners.map(|ids| ids.each_ref().map(place)).collect()
}
