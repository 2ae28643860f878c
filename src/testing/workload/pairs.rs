use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{SplitMix64, rock};
use crate::error::Result;
use crate::math::{Pose3, Vector};
use crate::narrow::{CommonPlane, CommonPlaneState, MeshMesh, NarrowPhase, Wall};
use crate::shape::{ConvexPolyhedron, Placed, SolidMesh, Sphere, SurfaceMesh};
use crate::testing::oracle::{self, LatticePoint};
use crate::testing::properties::Violation;

/// The number of contacts of all pairs, and a sum over them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkloadSum {
    /// The number of contacts.
    pub contacts: usize,
    /// The sum of the overlaps or volumes, times a weight between 1 and 2 that depends on the pair.
    ///
    /// So a result for the wrong pair changes the sum.
    pub sum: f64,
}

impl WorkloadSum {
    fn add(&mut self, pair: usize, value: f64) {
        self.contacts += 1;
        self.sum += value * (1.0 + (pair % 16) as f64 / 16.0);
    }
}

/// Pairs of bodies for timing a kernel, with the expected result.
///
/// A coherent sequence lists the pairs of all steps, in the same order at each step. Each pair keeps its state
/// from step to step.
#[derive(Clone, Debug)]
pub struct Workload<A, B = A> {
    first: Vec<A>,
    second: Vec<B>,
    /// Indices into `first` and `second`.
    pairs: Vec<[u32; 2]>,
    /// The number of pairs in one step.
    pair_count: usize,
    expected: WorkloadSum,
    tolerance: f64,
}

impl<A, B> Workload<A, B> {
    /// Builds a workload from your own bodies.
    ///
    /// `pairs[i]` holds the indices of pair `i` into `first` and `second`. Pairs `i` and `i + pair_count` are
    /// the same bodies one step later. `expected` comes from an oracle, and `tolerance` is relative to its sum.
    ///
    /// # Errors
    /// Returns a [`Violation`] for indices out of range, and for pairs that are not a whole number of steps.
    pub fn new(
        first: Vec<A>,
        second: Vec<B>,
        pairs: Vec<[u32; 2]>,
        pair_count: usize,
        expected: WorkloadSum,
        tolerance: f64,
    ) -> std::result::Result<Self, Violation> {
        let is_body =
            |&[i, j]: &[u32; 2]| (i as usize) < first.len() && (j as usize) < second.len();
        if !pairs.iter().all(is_body) || pair_count == 0 || !pairs.len().is_multiple_of(pair_count)
        {
            return Err(Violation::new(
                "Workload::new: an index is out of range, or pairs are not whole steps".into(),
            ));
        }
        Ok(Self {
            first,
            second,
            pairs,
            pair_count,
            expected,
            tolerance,
        })
    }

    /// Returns the number of kernel calls of a run, over all steps.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the bodies of each pair, in the order of a run.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&A, &B)> {
        let body = |&[i, j]: &[u32; 2]| (&self.first[i as usize], &self.second[j as usize]);
        self.pairs.iter().map(body)
    }

    /// Returns the expected result.
    pub fn expected_sum(&self) -> WorkloadSum {
        self.expected
    }

    /// Calls the kernel for all pairs, step by step, from fresh states.
    ///
    /// `measure` returns the number of a contact that the workload sums up, its overlap or volume.
    /// Cost: about 1 ns for each pair in addition to the kernel; allocates the states.
    ///
    /// # Errors
    /// Returns a [`Violation`] for a wrong result. Unwrap it in the benchmark, so that no wrong kernel is timed.
    pub fn run<K: NarrowPhase<A, B>>(
        &self,
        kernel: &mut K,
        measure: impl Fn(&K::Contact) -> f64,
    ) -> std::result::Result<WorkloadSum, Violation> {
        let mut states: Vec<K::State> = Vec::new();
        states.resize_with(self.pair_count, K::State::default);
        let mut found = WorkloadSum::default();
        let steps = self.pairs.chunks_exact(self.pair_count).enumerate();
        for (step, pairs) in steps {
            for ((i, &[a, b]), state) in pairs.iter().enumerate().zip(&mut states) {
                let (a, b) = (&self.first[a as usize], &self.second[b as usize]);
                let pair = step * self.pair_count + i;
                kernel.for_each_contact(a, b, state, |c| found.add(pair, measure(&c)));
            }
        }
        let WorkloadSum { contacts, sum } = self.expected;
        let is_near = (found.sum - sum).abs() <= self.tolerance * sum.abs();
        if found.contacts == contacts && is_near && found.sum.is_finite() {
            Ok(found)
        } else {
            let expected = self.expected;
            let message = format!("Workload::run: found {found:?}, expected {expected:?}");
            Err(Violation::new(message))
        }
    }
}

/// Returns pairs of nearby spheres (discs in 2D), of which about two thirds overlap.
///
/// Radii are within [0.5, 1]. The sum is over overlaps.
///
/// # Errors
/// Returns a [`Violation`] for no pairs.
pub fn sphere_pairs<V: Vector>(
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Sphere<V>>, Violation> {
    let mut random = SplitMix64::new(seed);
    let (mut first, mut second, mut expected) = (Vec::new(), Vec::new(), WorkloadSum::default());
    while first.len() < count {
        let direction = V::from_fn(|_| random.range(-1.0, 1.0));
        let length = direction.length();
        if !(0.01..=1.0).contains(&length) {
            continue;
        }
        let center = V::from_fn(|_| random.range(-8.0, 8.0));
        let radii = [random.range(0.5, 1.0), random.range(0.5, 1.0)];
        let distance = (radii[0] + radii[1]) * random.range(0.7, 1.15);
        let other = center + direction * (distance / length);
        let overlap = radii[0] + radii[1] - distance;
        if overlap.abs() < 1e-9 {
            continue;
        }
        if overlap > 0.0 {
            expected.add(first.len(), overlap);
        }
        first.push(Sphere::new(center, radii[0]));
        second.push(Sphere::new(other, radii[1]));
    }
    let pairs = (0..count as u32).map(|i| [i, i]).collect();
    Workload::new(first, second, pairs, count, expected, 1e-12)
}

/// Returns spheres at a rough wall of 2 x 32 x 32 triangles; most touch it, some at several places.
///
/// Radii are 0.5 to 2 cells. The sum is over overlaps.
///
/// # Errors
/// Returns a [`Violation`] for no spheres.
pub fn sphere_wall_pairs(
    count: usize,
    seed: u64,
) -> std::result::Result<Workload<Sphere<DVec3>, Wall>, Violation> {
    const SIDE: i64 = 32;
    const CELL: i64 = 1 << 16;
    const UNIT: f64 = 1.0 / CELL as f64;
    let mut random = SplitMix64::new(seed);
    let columns = SIDE + 1;
    let mut height = || random.below(CELL as usize / 2) as i64;
    let places = (0..columns * columns).map(|i| [i % columns * CELL, i / columns * CELL, height()]);
    let vertices: Vec<LatticePoint> = places.collect();
    let cells = (0..SIDE * SIDE).flat_map(|i| {
        let first = i / SIDE * columns + i % SIDE;
        let [a, b, c, d] = [first, first + 1, first + columns + 1, first + columns];
        [[a, b, c], [a, c, d]].map(|t| t.map(|id| id as u32))
    });
    let facets: Vec<[u32; 3]> = cells.collect();
    let mut expected = WorkloadSum::default();
    let mut first = Vec::new();
    while first.len() < count {
        let (low, high) = (3 * CELL as usize, (SIDE - 6) as usize * CELL as usize);
        let [x, y] = [0; 2].map(|_| (low + random.below(high)) as i64);
        let center = [x, y, CELL / 2 + random.below(CELL as usize) as i64];
        let radius = random.range(0.5, 2.0) * CELL as f64;
        // Facets out of reach have no contacts, but must not open edges within reach.
        let reach = radius as i64 + 1;
        let is_near = |ids: &&[u32; 3]| {
            let along = |axis: usize| ids.map(|id| vertices[id as usize][axis] - center[axis]);
            [0, 1]
                .map(along)
                .iter()
                .all(|c| c.iter().any(|&c| c <= reach) && c.iter().any(|&c| c >= -reach))
        };
        let near: Vec<[u32; 3]> = facets.iter().filter(is_near).copied().collect();
        let minima = oracle::local_minima(center, &vertices, &near);
        let overlaps: Vec<f64> = minima.iter().map(|(_, d)| (radius - d) * UNIT).collect();
        if overlaps.iter().any(|overlap| overlap.abs() < 1e-9) {
            continue;
        }
        for &overlap in overlaps.iter().filter(|&&overlap| overlap > 0.0) {
            expected.add(first.len(), overlap);
        }
        first.push(Sphere::new(oracle::to_vector(center, UNIT), radius * UNIT));
    }
    let vertices = vertices
        .iter()
        .map(|&v| oracle::to_vector(v, UNIT))
        .collect();
    let wall = Wall::new(SurfaceMesh::new(vertices, &facets)?);
    let pairs = (0..count as u32).map(|i| [i, 0]).collect();
    Workload::new(first, vec![wall], pairs, count, expected, 1e-12)
}

/// A polyhedron that several may share.
type Body = Placed<Arc<ConvexPolyhedron>, DVec3>;

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
        for bodies in &sequences {
            let [a, b] = &bodies[step];
            let [p, q] = [a, b].map(|body| Placed {
                shape: &*body.shape,
                pose: body.pose,
            });
            expected.add(first.len(), -oracle::gap_of_polyhedra(&p, &q));
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
    let mut shape = || -> Result<Arc<ConvexPolyhedron>> {
        let points = (0..vertex_count).map(|_| random.in_ball().normalize());
        Ok(Arc::new(ConvexPolyhedron::from_convex_hull(
            &points.collect::<Vec<_>>(),
        )?))
    };
    let shapes = [shape()?, shape()?];
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
            kernel.for_each_contact(&a, &body(1, middle)?, &mut (), |c| volume += c.volume);
            *(if volume > wanted { &mut near } else { &mut far }) = middle;
        }
        let b = body(1, near)?;
        let [p, q] = [&a, &b].map(triangles);
        expected.add(pair, oracle::intersection_volume(&p, &q).0);
        first.push(a);
        second.push(b);
    }
    let pairs = (0..count as u32).map(|i| [i, i]).collect();
    Workload::new(first, second, pairs, count, expected, 1e-8)
}

fn triangles(body: &Placed<Arc<SolidMesh>, DVec3>) -> Vec<[DVec3; 3]> {
    let surface = body.shape.surface();
    let place = |&id: &u32| body.pose.transform_point(surface.vertices()[id as usize]);
    let facets = surface.facets().map(|facet| facet.vertices());
    let corners = facets.filter_map(|ids| <[u32; 3]>::try_from(ids).ok());
    corners.map(|ids| ids.each_ref().map(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::{CommonPlaneContact, Contact, DoubleHierarchy, SphereSphere};
    use glam::DVec2;

    #[test]
    fn kernels_give_the_expected_sums() {
        let spheres = sphere_pairs::<DVec2>(200, 1).unwrap();
        let found = spheres
            .run(&mut SphereSphere::new(), |c| c.overlap)
            .unwrap();
        assert!((100..180).contains(&found.contacts));
        let wall = sphere_wall_pairs(100, 1).unwrap();
        let found = wall
            .run(&mut DoubleHierarchy::new(), |c| c.overlap)
            .unwrap();
        assert!((100..400).contains(&found.contacts), "{found:?}");
        for gaps in [[0.02, 0.1], [-0.05, -0.01]] {
            let sequence = polyhedron_pairs(8, gaps, 3, 20, 1).unwrap();
            let mut kernel = CommonPlane::new().with_margin(0.2).unwrap();
            let overlap = |c: &CommonPlaneContact<DVec3>| c.overlap;
            let found = sequence.run(&mut kernel, overlap).unwrap();
            assert_eq!(found.contacts, 60);
            assert!(sequence.pairs().len() == 60 && !sequence.is_empty());
        }
        let meshes = mesh_pairs(30, 0.02, 4, 1).unwrap();
        assert_eq!(
            meshes
                .run(&mut MeshMesh::new(), |c| c.volume)
                .unwrap()
                .contacts,
            4
        );
    }

    /// Wrong results are not timed.
    #[test]
    fn wrong_kernels_are_refused() {
        let spheres = sphere_pairs::<DVec3>(200, 2).unwrap();
        let mut none = |_: &Sphere<DVec3>, _: &Sphere<DVec3>| None::<Contact<DVec3>>;
        assert!(spheres.run(&mut none, |c| c.overlap).is_err());
        let bigger = |c: &Contact<DVec3>| c.overlap * (1.0 + 1e-9);
        assert!(spheres.run(&mut SphereSphere::new(), bigger).is_err());
        let bodies = || vec![Sphere::new(DVec2::ZERO, 1.0)];
        let new = |pairs, count| {
            Workload::new(
                bodies(),
                bodies(),
                pairs,
                count,
                WorkloadSum::default(),
                0.0,
            )
        };
        assert!(new(vec![[0, 1]], 1).is_err() && new(vec![[0, 0]], 2).is_err());
        assert!(new(vec![[0, 0]], 0).is_err() && new(vec![[0, 0]; 2], 1).is_ok());
    }
}
