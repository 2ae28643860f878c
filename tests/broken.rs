//! Kernels that are broken on purpose, each in a way that has happened to somebody: the public laws
//! notice, and the case that is left after shrinking is small enough to read.

use std::collections::BTreeMap;
use std::fmt::Debug;

use osculate::glam::{DQuat, DVec3};
use osculate::testing::laws::{self, ManyContacts, Violation};
use osculate::testing::{sequential_h2, strategies as any, workload};
use osculate::{
    Bounded, BroadPhase, Contact, ContactEnergy, ContactVolume, DoubleHierarchy, Error,
    FacetSubset, HierarchicalGrid, MeshMesh, NarrowPhase, Placed, Pose3, SolidTree, Sphere,
    SphereSphere, SurfaceMesh, WallContact,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// The simplest case for which a law does not hold.
fn minimal<S: Strategy>(
    strategy: S,
    law: impl Fn(S::Value) -> Result<(), Violation>,
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
    match runner.run(&strategy, |value| Ok(law(value)?)) {
        Ok(()) => None,
        Err(TestError::Fail(_, value)) => Some(value),
        Err(aborted) => panic!("{aborted}"),
    }
}

/// A grid of square columns, which looks for neighbours in columns (x + i, y + j).
struct Columns {
    spheres: Vec<Sphere<DVec3>>,
    columns: BTreeMap<[i64; 2], Vec<usize>>,
    neighbors: Vec<[i64; 2]>,
    width: f64,
}

impl Columns {
    fn new(neighbors: &[[i64; 2]]) -> Self {
        Self {
            spheres: Vec::new(),
            columns: BTreeMap::new(),
            neighbors: neighbors.to_vec(),
            width: 1.0,
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
        (0..count).try_for_each(|i| sphere(i).check(i))?;
        self.spheres = (0..count).map(sphere).collect();
        self.width = self
            .spheres
            .iter()
            .fold(0.001, |w: f64, s| w.max(2.001 * s.radius));
        self.columns.clear();
        for (i, sphere) in (0..).zip(&self.spheres) {
            let column = self.column(sphere.center);
            self.columns.entry(column).or_default().push(i);
        }
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
            for &other in self.columns.get(&[x + i, y + j]).into_iter().flatten() {
                if other > chunk && sphere.touches(&self.spheres[other]) {
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

#[test]
fn a_dropped_row_of_neighbors() {
    let all = [-1, 0, 1].map(|j| [-1, 0, 1].map(|i| [i, j])).concat();
    let law = |neighbors: &[[i64; 2]], lattice: Vec<_>| {
        let bodies: Vec<_> = lattice.into_iter().map(any::to_sphere).collect();
        laws::each_pair_once(&mut Columns::new(neighbors), &bodies)
    };
    assert_eq!(
        minimal(any::lattice_spheres(20), |bodies| law(&all, bodies)),
        None
    );
    // Without the row above. Of up to 20 spheres two are left, one of them below the other.
    let found = minimal(any::lattice_spheres(20), |bodies| law(&all[..6], bodies)).unwrap();
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
        laws::swap_negates(&mut kernel, [&a, &b], 0.0, |c| *c)?;
        let moved = |by| Sphere::new(b.center + by, b.radius);
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        laws::overlap_separates(&mut kernel, &a, moved, gap, 1e-14 * size, |c| *c)
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
        laws::scales_exactly(&mut kernel, scaled, exponent, |c| *c)
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
            0.25..3.0,
            any::<u64>(),
        )
    };
    type Scene = ((Vec<[i64; 3]>, Vec<[u32; 3]>), [i64; 2], f64, u64);
    let place = |((vertices, facets), [x, y], radius, seed): Scene| {
        let corner = |&p: &[i64; 3]| DVec3::from_array(p.map(|c| c as f64 * UNIT));
        let mesh = SurfaceMesh::new(vertices.iter().map(corner).collect(), &facets).unwrap();
        (mesh, Sphere::new(corner(&[x, y, 1 << 20]), radius), seed)
    };
    let right = minimal(scene(), |scene| {
        let (mesh, sphere, seed) = place(scene);
        let bits = |c: &WallContact| (c.offset, c.overlap);
        laws::independent_of_facets(&mut DoubleHierarchy::new(), &sphere, &mesh, bits, seed)
    });
    assert_eq!(right, None);
    let found = minimal(scene(), |scene| {
        let (mesh, sphere, seed) = place(scene);
        let mut kernel = ManyContacts(|sphere: &Sphere<DVec3>, near: &FacetSubset| {
            sequential_h2::contacts(near.mesh(), near.facets(), sphere)
        });
        // To a part in a million, and where the contacts are alone: ties and rounding are not the point.
        let depth = |c: &sequential_h2::Contact| (c.0.length() * 1e6).round() as i64;
        laws::independent_of_facets(&mut kernel, &sphere, &mesh, depth, seed)
    });
    let ((vertices, _), ..) = found.unwrap();
    // A single fold or two is left of the hills.
    assert!(
        vertices.iter().filter(|v| v[2] == 0).count() >= 24,
        "{vertices:?}"
    );
}

fn stones() -> [SolidTree; 2] {
    let stone = |seed| SolidTree::from(workload::rock(60, 0.5, seed).unwrap());
    [stone(3), stone(4)]
}

/// A force at the contact point, without the couple that belongs to it.
#[test]
fn a_single_force_for_the_full_wrench() {
    let stones = stones();
    let bodies = |motions: [&Pose3; 2]| {
        let place = |i: usize, x: f64| Placed {
            shape: &stones[i],
            pose: *motions[i] * Pose3::from_translation(DVec3::X * x).unwrap(),
        };
        (place(0, 0.0), place(1, 1.2))
    };
    let whole = |c: &ContactVolume<DVec3>| *c;
    let single = |c: &ContactVolume<DVec3>| ContactVolume {
        moment_vector: DVec3::ZERO,
        ..*c
    };
    let kernel = &mut MeshMesh::new();
    laws::volume_gradient(kernel, bodies, [1.0, 1e-5], 1e-8, whole).unwrap();
    laws::volume_gradient(kernel, bodies, [1.0, 1e-5], 1e-8, single).unwrap_err();
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
            let a = Placed {
                shape: &stones[0],
                pose: Pose3::IDENTITY,
            };
            let b = Placed {
                shape: &stones[1],
                pose: *pose,
            };
            let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            kernel.for_each_contact(&a, &b, &mut (), |mut c: ContactVolume<DVec3>| {
                if !has_couple {
                    c.moment_vector = DVec3::ZERO;
                }
                force -= c.force(&energy);
                moment -= c.moment_about(&energy, pose.translation());
            });
            (force, moment)
        };
        laws::closed_cycle_does_no_work(wrench, path, 1000, 1e-7)
    };
    work(true).unwrap();
    work(false).unwrap_err();
}

/// A list of what touches now, without a skin.
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
        laws::list_outlasts_moves(list, &discs, 0.5, seed)
    };
    let spheres = any::lattice_spheres(8)
        .prop_map(|list| list.into_iter().map(any::to_sphere).collect::<Vec<_>>());
    let (discs, _) = minimal((spheres, 0_u64..9), law).unwrap();
    assert!((2..=8).contains(&discs.len()));
}
