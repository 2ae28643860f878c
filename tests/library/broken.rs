//! Kernels that are broken on purpose, each by a known kind of mistake.
//!
//! The public properties must find the mistake, and the shrunk case must be small enough to read.

use std::fmt::Debug;

use crate::support::lattice::UNIT;
use osculate::broad::{IncrementalBroadPhase, check_index};
use osculate::glam::{DQuat, DVec3};
use osculate::reference::sequential_double_hierarchy;
use osculate::testing::properties::{
    ManyContacts, MapContact, Violation, broad, distance, kernel, volume, wall,
};
use osculate::testing::{oracle, strategies as any, workload};
use osculate::{
    Bounded, BroadPhase, CommonPlane, CommonPlaneContact, Contact, ContactEnergy, ContactVolume,
    ConvexPolyhedron, DoubleHierarchy, Error, HierarchicalGrid, MeshMesh, NarrowPhase, Placed,
    Pose3, SolidMesh, Sphere, SphereSphere, SurfaceMesh, WallContact, narrow::FacetSubset,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

type Polyhedron = any::PlacedPolyhedron;

/// Returns the simplest case that violates a property.
fn minimal<S: Strategy>(
    strategy: S,
    property: impl Fn(S::Value) -> Result<(), Violation>,
) -> Option<S::Value>
where
    S::Value: Debug,
{
    let config = Config {
        cases: 1000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    match runner.run(&strategy, |value| Ok(property(value)?)) {
        Ok(()) => None,
        Err(TestError::Fail(_, value)) => Some(value),
        Err(aborted) => panic!("{aborted}"),
    }
}

/// Returns the simplest case that the broken kernel fails. The right one fails none.
fn found<S: Strategy>(
    strategy: impl Fn() -> S,
    property: impl Fn(bool, S::Value) -> Result<(), Violation>,
) -> S::Value {
    let right = minimal(strategy(), |case| property(false, case));
    assert!(right.is_none(), "{right:?}");
    minimal(strategy(), |case| property(true, case)).unwrap()
}

/// What a broad phase does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    /// A rebuild with as many bodies sorts them from the order of the previous rebuild.
    Remembers,
    /// A removal keeps the order of the other bodies.
    Shifts,
    /// No body looks for partners in the row above its own.
    MissesRow,
}

/// Tests all pairs, from the lowest body up.
#[derive(Default)]
struct Sorted {
    spheres: Vec<Sphere>,
    order: Vec<usize>,
    mistake: Option<Mistake>,
}

impl Sorted {
    fn new(mistake: Option<Mistake>) -> Self {
        Self {
            mistake,
            ..Self::default()
        }
    }
}

impl BroadPhase for Sorted {
    type Vector = DVec3;

    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<DVec3>,
    ) -> Result<(), Error> {
        (0..count).try_for_each(|i| sphere(i).validate(i))?;
        self.spheres = (0..count).map(sphere).collect();
        if self.mistake != Some(Mistake::Remembers) || self.order.len() != count {
            self.order = (0..count).collect();
        }
        let height = |&i: &usize| self.spheres[i].center.z;
        self.order.sort_by(|i, j| height(i).total_cmp(&height(j)));
        Ok(())
    }

    fn spheres(&self) -> &[Sphere<DVec3>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len()
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let Some(sphere) = self.spheres.get(chunk) else {
            return;
        };
        let row = |sphere: &Sphere| sphere.center.y.floor();
        for &other in self.order.iter().filter(|&&other| other > chunk) {
            let there = &self.spheres[other];
            let is_missed = self.mistake == Some(Mistake::MissesRow) && row(there) > row(sphere);
            if sphere.touches(there) && !is_missed {
                visit(chunk, other);
            }
        }
    }

    fn for_each_touching(
        &self,
        query: &impl Bounded<Vector = DVec3>,
        mut visit: impl FnMut(usize),
    ) {
        let query = query.bounding_sphere();
        let near = (0..).zip(&self.spheres).filter(|(_, s)| s.touches(&query));
        near.for_each(|(i, _)| visit(i));
    }
}

impl IncrementalBroadPhase for Sorted {
    fn insert(&mut self, sphere: Sphere<DVec3>) -> Result<usize, Error> {
        self.rebuild(&[&self.spheres[..], &[sphere]].concat())?;
        Ok(self.spheres.len() - 1)
    }

    fn swap_remove(&mut self, body: usize) -> Result<(), Error> {
        check_index(body, self.spheres.len())?;
        let mut bodies = self.spheres.clone();
        match self.mistake {
            Some(Mistake::Shifts) => bodies.remove(body),
            _ => bodies.swap_remove(body),
        };
        self.rebuild(&bodies)
    }

    fn replace(&mut self, body: usize, sphere: Sphere<DVec3>) -> Result<(), Error> {
        check_index(body, self.spheres.len())?;
        let mut bodies = self.spheres.clone();
        bodies[body] = sphere;
        self.rebuild(&bodies)
    }
}

fn lattice_spheres(most: usize) -> impl Strategy<Value = Vec<Sphere>> {
    any::lattice_spheres(most).prop_map(|all| all.into_iter().map(any::to_sphere).collect())
}

/// A stable sort that starts from the last order: bodies of equal height keep it.
#[test]
fn a_sort_that_remembers() {
    let property = |is_broken: bool, bodies: Vec<Sphere>| {
        let mistake = is_broken.then_some(Mistake::Remembers);
        // Another number of bodies resets the order: only the reverse order reveals it.
        let others = vec![Sphere::new(DVec3::ZERO, 1.0); bodies.len() + 1];
        broad::independent_of_history(&mut Sorted::new(mistake), &bodies, &others)
    };
    let case = found(|| lattice_spheres(40), property);
    let violation = property(true, case).unwrap_err().to_string();
    assert!(
        violation.contains("pairs after the reverse order"),
        "{violation}"
    );
}

/// All bodies after a removed one get another index.
#[test]
fn a_removal_that_shifts() {
    let property = |is_broken: bool, (bodies, seed): (Vec<Sphere>, u64)| {
        let mistake = is_broken.then_some(Mistake::Shifts);
        broad::updates_equal_a_rebuild(|| Sorted::new(mistake), &bodies, seed)
    };
    found(|| (lattice_spheres(12), 0_u64..99), property);
}

/// Of up to 20 spheres two are left, one of them below the other.
#[test]
fn a_dropped_row_of_neighbors() {
    let property = |is_broken: bool, bodies: Vec<Sphere>| {
        let mistake = is_broken.then_some(Mistake::MissesRow);
        broad::each_pair_once(&mut Sorted::new(mistake), &bodies)
    };
    assert_eq!(found(|| lattice_spheres(20), property).len(), 2);
}

/// A list of the pairs that touch now, without a skin.
#[test]
fn a_list_without_a_skin() {
    let list = |discs: &[Sphere]| {
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(discs).unwrap();
        let mut pairs = Vec::new();
        grid.collect_pairs(&mut pairs);
        pairs
    };
    let (discs, _) = minimal((lattice_spheres(8), 0_u64..9), |(discs, seed)| {
        broad::list_outlasts_moves(list, &discs, 0.5, seed)
    })
    .unwrap();
    assert!((2..=8).contains(&discs.len()));
}

fn gap(a: &Sphere, b: &Sphere) -> f64 {
    a.center.distance(b.center) - a.radius - b.radius
}

/// The size of rounding errors.
fn size([a, b]: &[Sphere; 2]) -> f64 {
    a.center.length() + b.center.length() + a.radius + b.radius
}

fn touching_spheres() -> impl Strategy<Value = [Sphere; 2]> {
    any::touching_spheres().prop_map(|(spheres, _)| spheres)
}

/// Swapping negates this normal too; but it points the wrong way.
#[test]
fn a_flipped_normal() {
    let property = |is_flipped: bool, spheres: [Sphere; 2]| {
        let sign = if is_flipped { -1.0 } else { 1.0 };
        let flipped = |c: Contact| Contact {
            normal: c.normal * sign,
            ..c
        };
        let kernel = &mut MapContact(SphereSphere::new(), flipped);
        let [a, b] = &spheres;
        kernel::swap_negates(kernel, a, b)?;
        let moved = |by| Sphere::new(b.center + by, b.radius);
        kernel::overlap_separates(kernel, a, moved, gap, 1e-14 * size(&spheres))
    };
    let [a, b] = found(touching_spheres, property);
    // One at 0, the other a step along x.
    assert_eq!((a.center, b.center), (DVec3::ZERO, DVec3::X));
}

/// The overlap is noisy, which a tolerance allows; the wrong normal has no negative component.
#[test]
fn a_normal_that_swapping_does_not_negate() {
    let property = |is_wrong: bool, spheres: [Sphere; 2]| {
        let ([a, b], size) = (&spheres, size(&spheres));
        let mut noisy = |a: &Sphere, b: &Sphere| {
            let contact = SphereSphere::new().contact(a, b)?;
            let overlap = contact.overlap + 1e-12 * size * a.center.x.signum();
            let normal = if is_wrong {
                contact.normal.abs()
            } else {
                contact.normal
            };
            Some(Contact {
                normal,
                overlap,
                ..contact
            })
        };
        kernel::swap_negates_within(&mut noisy, a, b, 4e-12 * size, 1e-9)
    };
    found(touching_spheres, property);
}

/// "Closer than 1e-6 is no overlap."
#[test]
fn an_absolute_epsilon() {
    let property = |is_broken: bool, ([a, b], exponent): ([Sphere; 2], i32)| {
        let epsilon = if is_broken { 1e-6 } else { 0.0 };
        let mut own = |a: &Sphere, b: &Sphere| {
            let contact = SphereSphere::new().contact(a, b);
            contact.filter(|contact| contact.overlap > epsilon)
        };
        let scaled = |x: f64| {
            [a, b]
                .map(|s| Sphere::new(s.center * x, s.radius * x))
                .into()
        };
        kernel::scales_exactly(&mut own, scaled, exponent)
    };
    let (_, exponent) = found(|| (touching_spheres(), -60..=60), property);
    assert_ne!(exponent, 0);
}

/// An absolute tolerance, which large polyhedra do not notice.
#[test]
fn an_absolute_epsilon_of_polyhedra() {
    let property = |is_broken: bool, ([a, b], scale): ([Polyhedron; 2], f64)| {
        let epsilon = if is_broken { 1e-6 } else { 0.0 };
        let mut own = |a: &Polyhedron, b: &Polyhedron| {
            let contact = CommonPlane::new().contact(a, b);
            contact.filter(|contact| contact.overlap > epsilon)
        };
        let gap = oracle::gap_of_polyhedra(&a, &b);
        kernel::gap_is(&mut own, &a, &b, gap, 1e-13 * scale)
    };
    let case = found(any::placed_polyhedra, property);
    assert!(case.1 < 1e-3);
    // The case prints the expressions that build it.
    let text = format!("{case:#?}");
    assert!(text.lines().count() <= 20, "{text}");
    for expression in [
        "shape: ConvexPolyhedron::from_convex_hull(&[",
        "pose: Pose3::new(DQuat::from_xyzw(",
    ] {
        assert_eq!(text.matches(expression).count(), 2, "{text}");
    }
}

/// The paper's own double hierarchy compares contacts as facets come. With the elimination as this
/// crate has it the same spheres and walls are no trouble.
#[test]
fn an_elimination_that_depends_on_order() {
    type Landscape = (any::Case<(Vec<[i64; 3]>, Vec<[u32; 3]>)>, f64);
    let scene = || {
        (
            any::landscape(),
            prop::array::uniform2(0_i64..5 << 20),
            any::<u64>(),
        )
    };
    let property = |is_sequential: bool, case: (Landscape, [i64; 2], u64)| {
        let ((landscape, radius), [x, y], seed) = case;
        let (vertices, facets) = landscape.into_inner();
        let place = |&p: &[i64; 3]| oracle::to_vector(p, UNIT);
        let mesh = SurfaceMesh::new(vertices.iter().map(place).collect(), &facets).unwrap();
        let sphere = Sphere::new(place(&[x, y, 1 << 20]), radius * UNIT);
        if !is_sequential {
            let place = |c: WallContact| (c.offset, c.overlap);
            let kernel = &mut MapContact(DoubleHierarchy::new(), place);
            return wall::independent_of_facets(kernel, &sphere, &mesh, seed);
        }
        let sequential = ManyContacts(|sphere: &Sphere, near: &FacetSubset| {
            let (mut contacts, mut facets) = (Vec::new(), Vec::new());
            near.for_each_facet(|facet| facets.push(facet));
            let mesh = near.wall().mesh();
            let found = sequential_double_hierarchy(mesh, &facets, sphere, &mut contacts);
            found.map(|()| contacts).unwrap()
        });
        // Distances in millionths: ties and rounding are not tested here.
        let distance = |c: (DVec3, osculate::Feature)| (c.0.length() * 1e6).round() as i64;
        wall::independent_of_facets(&mut MapContact(sequential, distance), &sphere, &mesh, seed)
    };
    let ((landscape, _), ..) = found(scene, property);
    // A single fold or two is left of the hills.
    let (vertices, _) = &*landscape;
    let flat = vertices.iter().filter(|v| v[2] == 0).count();
    assert!(flat >= 24, "{vertices:?}");
}

fn stones() -> [SolidMesh; 2] {
    let stone = |seed| workload::rock(60, 0.5, seed).unwrap();
    [stone(3), stone(4)]
}

/// A force at the contact point, without the couple that belongs to it.
#[test]
fn a_single_force_for_the_full_wrench() {
    let stones = stones();
    let bodies = |motions: [&Pose3; 2]| {
        let place = |i: usize, x: f64| {
            let start = Pose3::from_translation(DVec3::X * x).unwrap();
            Placed::new(&stones[i], *motions[i] * start)
        };
        (place(0, 0.0), place(1, 1.2))
    };
    let kernel = &mut MeshMesh::new();
    volume::gradient_matches(kernel, bodies, [1.0, 1e-5], 1e-8).unwrap();
    let broken = &mut MapContact(kernel.clone(), without_couple);
    volume::gradient_matches(broken, bodies, [1.0, 1e-5], 1e-8).unwrap_err();
}

fn without_couple(contact: ContactVolume<DVec3>) -> ContactVolume<DVec3> {
    let moment_vector = DVec3::ZERO;
    ContactVolume {
        moment_vector,
        ..contact
    }
}

/// The second body goes around a circle while it turns one way and back.
#[test]
fn a_single_force_does_work() {
    let stones = stones();
    let energy = ContactEnergy::power_law(1.0, 2.0).unwrap();
    let path = |t: f64| {
        let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
        let turn = DQuat::from_xyzw(0.2 * sin, 0.0, 0.3 * cos, 1.0);
        let there = DVec3::new(1.2 + 0.1 * cos, 0.2 * sin, 0.1 * sin);
        Pose3::new_normalize(turn, there).unwrap()
    };
    let work = |change: fn(ContactVolume<DVec3>) -> ContactVolume<DVec3>| {
        let mut kernel = MapContact(MeshMesh::new(), change);
        let wrench = |pose: &Pose3| {
            let a = Placed::new(&stones[0], Pose3::IDENTITY);
            let b = Placed::new(&stones[1], *pose);
            let contact = kernel.contact(&a, &b);
            contact.map_or_else(Default::default, |c| {
                (
                    -c.force(&energy),
                    -c.moment_about(&energy, pose.translation()),
                )
            })
        };
        volume::closed_cycle_does_no_work(wrench, path, 1000, 1e-7)
    };
    work(|contact| contact).unwrap();
    work(without_couple).unwrap_err();
}

/// A distance function without a kernel: wrong radius, clamped at contact, or with a jump there.
#[test]
fn a_wrong_signed_distance() {
    type Distance = fn(&Sphere, &Sphere) -> f64;
    let property = |own: Distance, (spheres, gap): ([Sphere; 2], f64)| {
        let ([a, b], size) = (&spheres, size(&spheres));
        distance::is_symmetric(own, a, b, 1e-15 * size)?;
        let step = (b.center - a.center) * -1e-3;
        let moved = Sphere::new(b.center + step, b.radius);
        distance::follows_motion(own, (a, b), (a, &moved), step.length(), 1e-14 * size)?;
        distance::equals(own, a, b, gap, 1e-14 * size)
    };
    let jump: Distance = |a, b| match gap(a, b) {
        gap if gap < 0.0 => -a.center.distance(b.center),
        gap => gap,
    };
    let broken: [(Distance, &str); 3] = [
        (|a, b| gap(a, b) + a.radius, "distance::is_symmetric"),
        (|a, b| gap(a, b).max(0.0), "distance::equals"),
        (jump, "distance::follows_motion"),
    ];
    for (own, name) in broken {
        // Only the property that this mistake violates.
        let names = |v: &Violation| v.to_string().starts_with(name);
        found(any::touching_spheres, |is_broken, case| match is_broken {
            false => property(gap, case),
            true => property(own, case).or_else(|v| if names(&v) { Err(v) } else { Ok(()) }),
        });
    }
}

/// Both witness points half way between the bodies.
#[test]
fn witness_points_off_the_bodies() {
    let property = |is_half_way: bool, ([a, b], scale): ([Polyhedron; 2], f64)| {
        let kernel = &mut CommonPlane::new().with_margin(10.0 * scale)?;
        let points = |c: &CommonPlaneContact<DVec3>| match is_half_way {
            true => [c.point; 2],
            false => [c.point_a, c.point_b],
        };
        let distance = oracle::distance_to_polyhedron::<any::Case<ConvexPolyhedron>>;
        kernel::witness_points_match(kernel, &a, &b, points, distance, distance, 1e-11 * scale)
    };
    found(any::placed_polyhedra, property);
}

/// Inside a box, the depth is measured to the wrong face: it jumps where the center enters.
#[test]
fn a_depth_that_jumps() {
    let property = |is_broken: bool, (x, height, step): (f64, f64, f64)| {
        let place = |z: f64| Sphere::new(DVec3::new(x, 0.0, z), 0.5);
        let mut own = |sphere: &Sphere, (): &()| {
            let (point, normal) = (sphere.center, DVec3::Z);
            let above = match point.z - 1.0 {
                inside if inside < 0.0 && is_broken => -2.0 - inside,
                above => above,
            };
            let overlap = sphere.radius - above;
            (overlap > 0.0).then_some(Contact {
                point,
                normal,
                overlap,
            })
        };
        let (before, after) = (place(height), place(height - step));
        kernel::overlap_follows_motion(&mut own, (&before, &()), (&after, &()), step, 1e-15)
    };
    // Near the middle of the top face.
    let (_, height, step) = found(|| (-0.1..0.1, 0.95..1.2, 0.0..0.1), property);
    assert!(height >= 1.0 && height - step <= 1.0);
}
