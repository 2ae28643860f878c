//! Kernels that are broken on purpose, each by a known kind of mistake.
//!
//! The public properties must find the mistake, and the shrunk case must be small enough to read.

use std::fmt::Debug;

use osculate::broad::{IncrementalBroadPhase, check_count, check_index};
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

/// A column and those around it, row by row.
fn neighbors() -> Vec<[i64; 2]> {
    [-1, 0, 1].map(|j| [-1, 0, 1].map(|i| [i, j])).concat()
}

/// A grid of square columns, which looks for neighbors in columns (x + i, y + j).
struct Columns {
    spheres: Vec<Sphere<DVec3>>,
    neighbors: Vec<[i64; 2]>,
    width: f64,
    /// Whether a removal keeps the order of the other bodies.
    is_shifting: bool,
    /// Whether a rebuild with as many bodies sorts them from the order of the previous rebuild.
    is_resorting: bool,
    order: Vec<usize>,
}

impl Columns {
    fn new(neighbors: &[[i64; 2]]) -> Self {
        Self {
            spheres: Vec::new(),
            neighbors: neighbors.to_vec(),
            width: 1.0,
            is_shifting: false,
            is_resorting: false,
            order: Vec::new(),
        }
    }

    fn column(&self, center: DVec3) -> [i64; 2] {
        [center.x, center.y].map(|x| (x / self.width).floor() as i64)
    }
}

impl BroadPhase for Columns {
    type Vector = DVec3;

    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<DVec3>,
    ) -> Result<(), Error> {
        (0..count).try_for_each(|i| sphere(i).validate(i))?;
        self.spheres = (0..count).map(sphere).collect();
        self.width = self
            .spheres
            .iter()
            .fold(0.001, |w: f64, s| w.max(2.001 * s.radius));
        if !self.is_resorting || self.order.len() != count {
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
        let [x, y] = self.column(sphere.center);
        for [i, j] in &self.neighbors {
            for &other in self.order.iter().filter(|&&other| other > chunk) {
                let there = &self.spheres[other];
                if self.column(there.center) == [x + i, y + j] && sphere.touches(there) {
                    visit(chunk, other);
                }
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

impl IncrementalBroadPhase for Columns {
    fn insert(&mut self, sphere: Sphere<DVec3>) -> Result<usize, Error> {
        let count = self.spheres.len();
        sphere.validate(count)?;
        check_count(count + 1)?;
        let bodies = [&self.spheres[..], &[sphere]].concat();
        self.rebuild(&bodies)?;
        Ok(count)
    }

    fn swap_remove(&mut self, body: usize) -> Result<(), Error> {
        check_index(body, self.spheres.len())?;
        let mut bodies = self.spheres.clone();
        if self.is_shifting {
            bodies.remove(body);
        } else {
            bodies.swap_remove(body);
        }
        self.rebuild(&bodies)
    }

    fn replace(&mut self, body: usize, sphere: Sphere<DVec3>) -> Result<(), Error> {
        check_index(body, self.spheres.len())?;
        sphere.validate(body)?;
        let mut bodies = self.spheres.clone();
        bodies[body] = sphere;
        self.rebuild(&bodies)
    }
}

/// A stable sort that starts from the last order: bodies of equal height keep it.
#[test]
fn a_sort_that_remembers() {
    let property = |is_resorting: bool, lattice: Vec<_>| {
        let bodies: Vec<_> = lattice.into_iter().map(any::to_sphere).collect();
        let mut columns = Columns {
            is_resorting,
            ..Columns::new(&neighbors())
        };
        // Another number of bodies resets the order: only the reverse order reveals it.
        let others = vec![Sphere::new(DVec3::ZERO, 1.0); bodies.len() + 1];
        broad::independent_of_history(&mut columns, &bodies, &others)
    };
    assert_eq!(
        minimal(any::lattice_spheres(12), |b| property(false, b)),
        None
    );
    let found = minimal(any::lattice_spheres(40), |b| property(true, b)).unwrap();
    let violation = property(true, found).unwrap_err().to_string();
    assert!(
        violation.contains("pairs after the reverse order"),
        "{violation}"
    );
}

/// All bodies after a removed one get another index.
#[test]
fn a_removal_that_shifts() {
    let property = |is_shifting: bool, (lattice, seed): (Vec<_>, u64)| {
        let bodies: Vec<_> = lattice.into_iter().map(any::to_sphere).collect();
        let new = || Columns {
            is_shifting,
            ..Columns::new(&neighbors())
        };
        broad::updates_equal_a_rebuild(new, &bodies, seed)
    };
    let bodies = || (any::lattice_spheres(12), 0_u64..99);
    assert_eq!(minimal(bodies(), |case| property(false, case)), None);
    assert!(minimal(bodies(), |case| property(true, case)).is_some());
}

#[test]
fn a_dropped_row_of_neighbors() {
    let law = |neighbors: &[[i64; 2]], lattice: Vec<_>| {
        let bodies: Vec<_> = lattice.into_iter().map(any::to_sphere).collect();
        broad::each_pair_once(&mut Columns::new(neighbors), &bodies)
    };
    assert_eq!(
        minimal(any::lattice_spheres(20), |bodies| law(&neighbors(), bodies)),
        None
    );
    // Without the row above. Of up to 20 spheres two are left, one of them below the other.
    let found = minimal(any::lattice_spheres(20), |bodies| {
        law(&neighbors()[..6], bodies)
    })
    .unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
}

fn gap(a: &Sphere<DVec3>, b: &Sphere<DVec3>) -> f64 {
    a.center.distance(b.center) - a.radius - b.radius
}

/// Swapping negates this normal too; but it points the wrong way.
#[test]
fn a_flipped_normal() {
    let right = |a: &Sphere<DVec3>, b: &Sphere<DVec3>| SphereSphere::new().contact(a, b);
    let flipped = |a: &Sphere<DVec3>, b: &Sphere<DVec3>| {
        right(a, b).map(|c| Contact {
            normal: -c.normal,
            ..c
        })
    };
    fn law(
        mut kernel: impl FnMut(&Sphere<DVec3>, &Sphere<DVec3>) -> Option<Contact<DVec3>>,
        [a, b]: [Sphere<DVec3>; 2],
    ) -> Result<(), Violation> {
        kernel::swap_negates(&mut kernel, &a, &b)?;
        let moved = |by| Sphere::new(b.center + by, b.radius);
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        kernel::overlap_separates(&mut kernel, &a, moved, gap, 1e-14 * size)
    }
    let spheres = || any::touching_spheres().prop_map(|(spheres, _)| spheres);
    assert_eq!(minimal(spheres(), |s| law(right, s)), None);
    let [a, b] = minimal(spheres(), |s| law(flipped, s)).unwrap();
    // One at 0, the other a step along x.
    assert_eq!((a.center, b.center), (DVec3::ZERO, DVec3::X));
}

/// "Closer than 1e-6 is no overlap."
#[test]
fn an_absolute_epsilon() {
    fn law(epsilon: f64, [a, b]: [Sphere<DVec3>; 2], exponent: i32) -> Result<(), Violation> {
        let mut kernel = |a: &Sphere<DVec3>, b: &Sphere<DVec3>| {
            let overlap = -gap(a, b);
            let normal = (b.center - a.center).normalize();
            let point = a.center + normal * (a.radius - 0.5 * overlap);
            (overlap > epsilon).then_some(Contact {
                point,
                normal,
                overlap,
            })
        };
        let scaled = |x: f64| {
            [a, b]
                .map(|s| Sphere::new(s.center * x, s.radius * x))
                .into()
        };
        kernel::scales_exactly(&mut kernel, scaled, exponent)
    }
    let spheres = || (any::touching_spheres(), -60..=60).prop_map(|((s, _), k)| (s, k));
    assert_eq!(minimal(spheres(), |(s, k)| law(0.0, s, k)), None);
    let (_, exponent) = minimal(spheres(), |(s, k)| law(1e-6, s, k)).unwrap();
    assert_ne!(exponent, 0);
}

/// The paper's own double hierarchy compares contacts as facets come. With the elimination as this
/// crate has it the same spheres and walls are no trouble.
#[test]
fn an_elimination_that_depends_on_order() {
    const UNIT: f64 = 1.0 / (1 << 20) as f64;
    let scene = || {
        (
            any::landscape(),
            prop::array::uniform2(0_i64..5 << 20),
            any::<u64>(),
        )
    };
    type Landscape = (any::Case<(Vec<[i64; 3]>, Vec<[u32; 3]>)>, f64);
    let place = |((landscape, radius), [x, y], seed): (Landscape, [i64; 2], u64)| {
        let (vertices, facets) = landscape.into_inner();
        let corner = |&p: &[i64; 3]| DVec3::from_array(p.map(|c| c as f64 * UNIT));
        let mesh = SurfaceMesh::new(vertices.iter().map(corner).collect(), &facets).unwrap();
        (
            mesh,
            Sphere::new(corner(&[x, y, 1 << 20]), radius * UNIT),
            seed,
        )
    };
    let right = minimal(scene(), |scene| {
        let (mesh, sphere, seed) = place(scene);
        let place = |c: WallContact| (c.offset, c.overlap);
        let kernel = &mut MapContact(DoubleHierarchy::new(), place);
        wall::independent_of_facets(kernel, &sphere, &mesh, seed)
    });
    assert!(right.is_none(), "{right:?}");
    let found = minimal(scene(), |scene| {
        let (mesh, sphere, seed) = place(scene);
        let sequential = ManyContacts(|sphere: &Sphere<DVec3>, near: &FacetSubset| {
            let mut contacts = Vec::new();
            let mut facets = Vec::new();
            near.for_each_facet(|facet| facets.push(facet));
            let mesh = near.wall().mesh();
            let found = sequential_double_hierarchy(mesh, &facets, sphere, &mut contacts);
            found.map(|()| contacts).unwrap()
        });
        // Distances in millionths: ties and rounding are not tested here.
        let distance = |c: (DVec3, osculate::Feature)| (c.0.length() * 1e6).round() as i64;
        wall::independent_of_facets(&mut MapContact(sequential, distance), &sphere, &mesh, seed)
    });
    let ((landscape, _), ..) = found.unwrap();
    let (vertices, _) = &*landscape;
    // A single fold or two is left of the hills.
    assert!(
        vertices.iter().filter(|v| v[2] == 0).count() >= 24,
        "{vertices:?}"
    );
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
            Placed::new(
                &stones[i],
                *motions[i] * Pose3::from_translation(DVec3::X * x).unwrap(),
            )
        };
        (place(0, 0.0), place(1, 1.2))
    };
    let single = |c: ContactVolume<DVec3>| ContactVolume {
        moment_vector: DVec3::ZERO,
        ..c
    };
    let kernel = &mut MeshMesh::new();
    volume::gradient_matches(kernel, bodies, [1.0, 1e-5], 1e-8).unwrap();
    let broken = &mut MapContact(kernel.clone(), single);
    volume::gradient_matches(broken, bodies, [1.0, 1e-5], 1e-8).unwrap_err();
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
    let work = |has_couple: bool| {
        let mut kernel = MeshMesh::new();
        let wrench = |pose: &Pose3| {
            let a = Placed::new(&stones[0], Pose3::IDENTITY);
            let b = Placed::new(&stones[1], *pose);
            let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            if let Some(mut c) = kernel.contact(&a, &b) {
                if !has_couple {
                    c.moment_vector = DVec3::ZERO;
                }
                force -= c.force(&energy);
                moment -= c.moment_about(&energy, pose.translation());
            }
            (force, moment)
        };
        volume::closed_cycle_does_no_work(wrench, path, 1000, 1e-7)
    };
    work(true).unwrap();
    work(false).unwrap_err();
}

/// A list of the pairs that touch now, without a skin.
#[test]
fn a_list_without_a_skin() {
    let law = |(discs, seed): (Vec<Sphere<DVec3>>, u64)| {
        let list = |discs: &[Sphere<DVec3>]| {
            let mut grid = HierarchicalGrid::new();
            grid.rebuild(discs).unwrap();
            let mut pairs = Vec::new();
            grid.collect_pairs(&mut pairs);
            pairs
        };
        broad::list_outlasts_moves(list, &discs, 0.5, seed)
    };
    let spheres = any::lattice_spheres(8)
        .prop_map(|list| list.into_iter().map(any::to_sphere).collect::<Vec<_>>());
    let (discs, _) = minimal((spheres, 0_u64..9), law).unwrap();
    assert!((2..=8).contains(&discs.len()));
}

type Polyhedron = any::PlacedPolyhedron;

/// The overlap is noisy, which a tolerance allows; the wrong normal has no negative component.
#[test]
fn a_normal_that_swapping_does_not_negate() {
    let property = |wrong: bool, [a, b]: [Sphere<DVec3>; 2]| {
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        let mut noisy = |a: &Sphere<DVec3>, b: &Sphere<DVec3>| {
            let contact = SphereSphere::new().contact(a, b)?;
            let overlap = contact.overlap + 1e-12 * size * a.center.x.signum();
            let normal = if wrong {
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
        kernel::swap_negates_within(&mut noisy, &a, &b, 4e-12 * size, 1e-9)
    };
    let spheres = || any::touching_spheres().prop_map(|(spheres, _)| spheres);
    assert_eq!(minimal(spheres(), |s| property(false, s)), None);
    assert!(minimal(spheres(), |s| property(true, s)).is_some());
}

/// A distance function without a kernel: wrong radius, clamped at contact, or with a jump there.
#[test]
fn a_wrong_signed_distance() {
    type Distance = fn(&Sphere<DVec3>, &Sphere<DVec3>) -> f64;
    fn property(own: Distance, ([a, b], gap): ([Sphere<DVec3>; 2], f64)) -> Result<(), Violation> {
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        distance::is_symmetric(own, &a, &b, 1e-15 * size)?;
        let step = (b.center - a.center) * -1e-3;
        let moved = Sphere::new(b.center + step, b.radius);
        distance::follows_motion(own, (&a, &b), (&a, &moved), step.length(), 1e-14 * size)?;
        distance::equals(own, &a, &b, gap, 1e-14 * size)
    }
    let broken: [(Distance, &str); 3] = [
        (|a, b| gap(a, b) + a.radius, "distance::is_symmetric"),
        (|a, b| gap(a, b).max(0.0), "distance::equals"),
        (
            |a, b| {
                if gap(a, b) < 0.0 {
                    -a.center.distance(b.center)
                } else {
                    gap(a, b)
                }
            },
            "distance::follows_motion",
        ),
    ];
    assert!(minimal(any::touching_spheres(), |case| property(gap, case)).is_none());
    for (own, name) in broken {
        let is_found = |case| {
            // Only the property that this mistake violates.
            let result = property(own, case);
            let found = result
                .as_ref()
                .is_err_and(|v| v.to_string().starts_with(name));
            if found { result } else { Ok(()) }
        };
        assert!(
            minimal(any::touching_spheres(), is_found).is_some(),
            "{name}"
        );
    }
}

/// Both witness points half way between the bodies.
#[test]
fn witness_points_off_the_bodies() {
    let witnesses = |is_half_way: bool, ([a, b], scale): ([Polyhedron; 2], f64)| {
        let kernel = &mut CommonPlane::new().with_margin(10.0 * scale)?;
        let points = |c: &CommonPlaneContact<DVec3>| {
            if is_half_way {
                [c.point; 2]
            } else {
                [c.point_a, c.point_b]
            }
        };
        let distance = oracle::distance_to_polyhedron::<any::Case<ConvexPolyhedron>>;
        kernel::witness_points_match(kernel, &a, &b, points, distance, distance, 1e-11 * scale)
    };
    assert!(minimal(any::placed_polyhedra(), |case| witnesses(false, case)).is_none());
    assert!(minimal(any::placed_polyhedra(), |case| witnesses(true, case)).is_some());
}

/// Inside a box, the depth is measured to the wrong face: it jumps where the center enters.
#[test]
fn a_depth_that_jumps() {
    let contact = |is_far: bool, sphere: &Sphere<DVec3>| {
        let to_faces = (DVec3::ONE - sphere.center.abs()).to_array();
        let depth = if to_faces.iter().all(|&x| x >= 0.0) {
            sphere.radius
                + if is_far {
                    2.0 - to_faces[2]
                } else {
                    to_faces[2]
                }
        } else {
            let closest = sphere.center.clamp(-DVec3::ONE, DVec3::ONE);
            sphere.radius - sphere.center.distance(closest)
        };
        let contact = Contact {
            point: sphere.center,
            normal: DVec3::Z,
            overlap: depth,
        };
        (depth > 0.0).then_some(contact)
    };
    let property = |is_far: bool, (x, height, step): (f64, f64, f64)| {
        let place = |z: f64| Sphere::new(DVec3::new(x, 0.0, z), 0.5);
        let (before, after) = (place(height), place(height - step));
        let mut own = |sphere: &Sphere<DVec3>, (): &()| contact(is_far, sphere);
        kernel::overlap_follows_motion(&mut own, (&before, &()), (&after, &()), step, 1e-15)
    };
    // Near the middle of the top face.
    let steps = || (-0.1..0.1, 0.95..1.2, 0.0..0.1);
    assert_eq!(minimal(steps(), |case| property(false, case)), None);
    let (_, height, step) = minimal(steps(), |case| property(true, case)).unwrap();
    assert!(height >= 1.0 && height - step <= 1.0);
}

/// An absolute tolerance, which large polyhedra do not notice.
#[test]
fn an_absolute_epsilon_of_polyhedra() {
    let property = |epsilon: f64, ([a, b], scale): ([Polyhedron; 2], f64)| {
        let mut own = |a: &Polyhedron, b: &Polyhedron| {
            let contact = CommonPlane::new().contact(a, b);
            contact.filter(|contact| contact.overlap > epsilon)
        };
        let gap = oracle::gap_of_polyhedra(&a, &b);
        kernel::gap_is(&mut own, &a, &b, gap, 1e-13 * scale)
    };
    assert!(minimal(any::placed_polyhedra(), |case| property(0.0, case)).is_none());
    let case = minimal(any::placed_polyhedra(), |case| property(1e-6, case)).unwrap();
    assert!(case.1 < 1e-3);
    // The case prints the expressions that build it.
    let text = format!("{case:#?}");
    assert!(text.lines().count() <= 20, "{text}");
    assert_eq!(
        text.matches("shape: ConvexPolyhedron::from_convex_hull(&[")
            .count(),
        2
    );
    assert_eq!(
        text.matches("pose: Pose3::new(DQuat::from_xyzw(").count(),
        2
    );
}
