//! A hash of the results of each kernel over a fixed corpus: the same in debug and release. The corpus uses only
//! + - * / and sqrt, so it is the same everywhere.

use crate::support::wall::grid;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexConvex, PolygonPolygon, PressureField, PressureState, WallSides};
use osculate::shape::Polygon;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    BroadPhase, BruteForce, CommonPlane, CommonPlaneState, ContactVolume, ConvexPolygon,
    ConvexPolyhedron, DoubleHierarchy, HierarchicalGrid, LinkedCells, MeshMesh, NarrowPhase,
    Periodic, PeriodicBox, Placed, Pose2, Pose3, Rounded, SolidMesh, Sphere, SphereSphere,
    SurfaceMesh, Vector, Wall,
};

/// FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo.
#[derive(Clone)]
struct Hash(u64);

impl Hash {
    fn bits(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    fn number(&mut self, x: f64) {
        self.bits(x.to_bits());
    }
    fn vector<V: Vector>(&mut self, v: V) {
        (0..V::DIM).for_each(|axis| self.number(v[axis]));
    }
    /// Anything that says all of itself: numbers print as their shortest form, which is unique.
    fn debug(&mut self, thing: &impl std::fmt::Debug) {
        format!("{thing:?}")
            .bytes()
            .for_each(|byte| self.bits(byte.into()));
    }
    fn pairs<V: Vector>(&mut self, broad: &mut impl BroadPhase<Vector = V>, bodies: &[Sphere<V>]) {
        broad.rebuild(bodies).unwrap();
        broad.for_each_pair(|i, j| self.bits((i as u64) << 32 | j as u64));
    }
}

fn spheres<V: Vector>(count: usize) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(1);
    let sphere = |_| {
        let center = V::from_fn(|_| random.range(0.0, 16.0));
        let size = random.unit();
        Sphere::new(center, 0.05 + size * size * size * size)
    };
    (0..count).map(sphere).collect()
}

fn period<V: Vector>() -> PeriodicBox<V> {
    let tilts = if V::DIM == 2 {
        [1.5, 0.0, 0.0]
    } else {
        [1.5, -0.5, 0.75]
    };
    PeriodicBox::triclinic(V::ZERO, V::splat(16.0), tilts, [true; 3]).unwrap()
}

fn broad_phases<V: Vector>(hash: &mut Hash) {
    let bodies = spheres::<V>(1500);
    let mut brute = BruteForce::new();
    hash.pairs(&mut HierarchicalGrid::new(), &bodies);
    hash.pairs(&mut LinkedCells::new(), &bodies);
    hash.pairs(&mut brute, &bodies);
    hash.pairs(
        &mut Periodic::new(HierarchicalGrid::new(), period()),
        &bodies,
    );
    let mut kernel = SphereSphere::new().with_margin(0.01).unwrap();
    brute.for_each_pair(|i, j| {
        let (a, b) = (&bodies[i], &bodies[j]);
        kernel.for_each_contact(a, b, &mut (), |c| {
            hash.vector(c.point);
            hash.vector(c.normal);
            hash.number(c.overlap);
        });
    });
}

fn walls(hash: &mut Hash) {
    let mut random = SplitMix64::new(2);
    let mut wall = Wall::new(grid([11, 11], |x, y| {
        // Some parts are flat.
        let is_flat = (x + 12 * y) % 5 < 2;
        let height = if is_flat { 0.0 } else { random.unit() };
        DVec3::new(f64::from(x), f64::from(y), height)
    }));
    let mut kernel = DoubleHierarchy::new();
    for i in 0..500 {
        if i == 250 {
            wall.set_pose(Pose3::new(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8), DVec3::ONE).unwrap());
        }
        let [x, y, z] = [10.0, 10.0, 1.5].map(|high| random.range(0.5, high));
        let local = DVec3::new(x, y, z);
        let sphere = Sphere::new(wall.pose().transform_point(local), random.range(0.25, 1.5));
        kernel.for_each_contact(&sphere, &wall, &mut Default::default(), |c| hash.debug(&c));
    }
}

/// Points on the unit sphere.
fn points(count: usize, random: &mut SplitMix64) -> Vec<DVec3> {
    (0..count).map(|_| random.in_ball().normalize()).collect()
}

fn hull(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    ConvexPolyhedron::from_convex_hull(&points(count, random)).unwrap()
}

/// Cubes, and hulls in triangles.
fn solids(random: &mut SplitMix64) -> Vec<SolidMesh> {
    let cubes = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]];
    let mut solids: Vec<SolidMesh> = vec![workload::cubes(&cubes, 0.75).unwrap()];
    solids.extend((0..3).map(|_| hull(40, random).to_solid()));
    solids
}

fn polyhedra(hash: &mut Hash) {
    let mut random = SplitMix64::new(3);
    let mut kernel = CommonPlane::new().with_margin(0.3).unwrap();
    let mut count = 0;
    for case in 0..60 {
        let corners = [4, 8, 14, 50][case % 4];
        let shapes = [0; 2].map(|_| hull(corners, &mut random));
        let flat = [0; 2].map(|_| {
            let points = points(corners, &mut random);
            let points: Vec<_> = points.iter().map(|p| p.truncate()).collect();
            ConvexPolygon::from_convex_hull(&points).unwrap()
        });
        let (mut memory, mut memory_2d) = (Default::default(), Default::default());
        let mut there = random.in_ball().normalize() * random.range(0.5, 2.0);
        let mut turn = random.rotation();
        for _ in 0..20 {
            there += random.in_ball() * 0.02;
            turn = (DQuat::from_vec4((random.in_ball() * 0.02).extend(1.0)) * turn).normalize();
            let poses = [Pose3::IDENTITY, Pose3::new(turn, there).unwrap()];
            let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
            kernel.for_each_contact(&a, &b, &mut memory, |c| {
                count += 1;
                hash.debug(&c);
            });
            let pose = Pose2::new_normalize(DVec2::new(turn.w, turn.z), there.truncate()).unwrap();
            let poses = [Pose2::IDENTITY, pose];
            let [a, b] = [0, 1].map(|i| Placed::new(&flat[i], poses[i]));
            kernel.for_each_contact(&a, &b, &mut memory_2d, |c| hash.debug(&c));
        }
    }
    assert!(count > 150, "{count}");
}

/// Balls, capsules and rounded hulls, any two, along paths.
fn rounded(hash: &mut Hash) {
    let mut random = SplitMix64::new(8);
    let mut kernel = CommonPlane::new().with_margin(0.3).unwrap();
    for _ in 0..20 {
        let hull = hull(12, &mut random);
        let ends = [random.in_ball(), random.in_ball()];
        let shapes = [
            Rounded::ball(0.5),
            Rounded::capsule(ends, 0.25),
            Rounded::polyhedron(hull, 0.125),
        ]
        .map(Result::unwrap);
        for (a, b) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
            let (mut state, mut at) = (CommonPlaneState::default(), random.in_ball() * 2.0);
            for _ in 0..10 {
                at += random.in_ball() * 0.05;
                let pose = Pose3::new(random.rotation(), at).unwrap();
                let [a, b] = [(a, Pose3::IDENTITY), (b, pose)]
                    .map(|(shape, pose)| Placed::new(&shapes[shape], pose));
                hash.debug(&kernel.contact_with(&a, &b, &mut state));
            }
        }
        let masses = shapes.each_ref().map(|shape| shape.mass_properties(1.0));
        hash.debug(&masses);
    }
}

/// Hulls along paths, over a bumpy floor with a plate and in pairs with fields of any weight: volumes and points.
fn pressure_fields(hash: &mut Hash) {
    let mut random = SplitMix64::new(6);
    let mut at = |i: usize, j: usize| {
        let height = random.range(-0.1, 0.1);
        DVec3::new(0.5 * i as f64 - 2.0, 0.5 * j as f64 - 2.0, height)
    };
    let grid: Vec<Vec<DVec3>> = (0..9).map(|i| (0..9).map(|j| at(i, j)).collect()).collect();
    let square = |i: usize, j: usize| {
        let [a, b, c, d] =
            [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|[i, j]| grid[i][j]);
        [[a, b, c], [a, c, d]]
    };
    let mut triangles: Vec<_> = (0..64).flat_map(|k| square(k / 8, k % 8)).collect();
    triangles.push([(0.6, -1.0), (0.6, 1.0), (-0.5, 0.0)].map(|(z, y)| DVec3::new(0.1, y, z)));
    let wall = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
    let mut counts = [0; 2];
    for case in 0..12 {
        let shapes = [0; 2].map(|_| hull([4, 8, 14, 50][case % 4], &mut random));
        let kernel = PressureField::new().with_weight_of_first([0.5, 0.0, 0.25][case % 3]);
        let mut kernel = kernel.unwrap().with_volume().with_points();
        let mut states = [PressureState::default(), PressureState::default()];
        let (mut there, mut turn) = (random.in_ball() + DVec3::Z, random.rotation());
        for _ in 0..20 {
            there += random.in_ball() * 0.02 - DVec3::Z * 0.02;
            turn = (DQuat::from_vec4((random.in_ball() * 0.02).extend(1.0)) * turn).normalize();
            let body = Placed::new(&shapes[0], Pose3::new(turn, there).unwrap());
            kernel.for_each_contact(&body, &wall, &mut states[0], |contact| {
                counts[0] += 1;
                hash.debug(&contact);
            });
            let other = Placed::new(&shapes[1], Pose3::IDENTITY);
            kernel.for_each_contact(&body, &other, &mut states[1], |contact| {
                counts[1] += 1;
                hash.debug(&contact);
            });
            kernel.for_each_facet(&body, &wall, |facet| hash.debug(&facet));
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

fn volumes(hash: &mut Hash) {
    let mut random = SplitMix64::new(4);
    let solids = solids(&mut random);
    let mut kernels = [MeshMesh::new(), MeshMesh::new().with_separate_regions(true)];
    let mut count = 0;
    for case in 0..100 {
        let (a, b) = (&solids[random.below(4)], &solids[random.below(4)]);
        let turn = if case % 3 == 0 {
            DQuat::IDENTITY
        } else {
            random.rotation()
        };
        let shift = [0; 3].map(|_| (random.below(9) as f64 - 4.0) * 0.375);
        let pose = Pose3::new(turn, DVec3::from_array(shift)).unwrap();
        let (a, b) = (Placed::new(a, Pose3::IDENTITY), Placed::new(b, pose));
        let mut curve = Vec::new();
        let contact = |c: ContactVolume<DVec3>| {
            count += 1;
            hash.debug(&c);
        };
        kernels[case % 2].for_each_contact_and_segment(&a, &b, contact, |s| curve.push(s));
        hash.debug(&curve);
    }
    assert!(count > 40, "{count}");
}

fn spheres_at_solids(hash: &mut Hash) {
    let mut random = SplitMix64::new(12);
    let solids = solids(&mut random);
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
    for case in 0..100 {
        let solid = &solids[case % 4];
        let at = random.in_ball() * 1.5;
        let at = if case % 3 == 0 {
            at.map(|x| (x * 8.0).round() * 0.125)
        } else {
            at
        };
        let ball = Sphere::new(at, [0.25, 0.75][case / 4 % 2]);
        let body = Placed::new(solid, Pose3::new(random.rotation(), DVec3::ZERO).unwrap());
        let mut wall = Wall::new(SurfaceMesh::from(solid.clone()));
        wall.set_pose(body.pose);
        kernel.for_each_contact(&ball, &wall, &mut Default::default(), |c| hash.debug(&c));
        if let Ok(convex) = ConvexPolyhedron::try_from(solid.surface().clone()) {
            let body = Placed::new(&convex, body.pose);
            hash.debug(&CommonPlane::new().contact(&ball, &body));
        }
    }
}

/// A polyhedron at a solid.
fn mixed_volumes(hash: &mut Hash) {
    let mut random = SplitMix64::new(7);
    let stone = hull(40, &mut random).to_solid();
    let block = hull(14, &mut random);
    let mut kernel = MeshMesh::new();
    let mut count = 0;
    for _ in 0..20 {
        let shift = [1.5, 1.5, 0.5].map(|reach| random.range(-reach, reach));
        let pose = Pose3::new(random.rotation(), DVec3::from_array(shift)).unwrap();
        let body = Placed::new(&block, pose);
        let stone = Placed::new(&stone, Pose3::IDENTITY);
        let contact: Option<ContactVolume<DVec3>> = kernel.contact(&body, &stone);
        count += usize::from(contact.is_some());
        hash.debug(&contact);
    }
    assert!(count > 5, "{count}");
}

/// Hulls, and polygons.
fn convex_volumes(hash: &mut Hash) {
    let mut random = SplitMix64::new(15);
    let mut count = 0;
    for case in 0..60 {
        let hulls = [0; 2].map(|_| hull([4, 8, 14][case % 3], &mut random));
        let polygons = [0; 2].map(|_| {
            let corner = |i: u32| {
                let radius = random.range(0.3, 1.0);
                [DVec2::X, DVec2::ONE, DVec2::Y, -DVec2::X, -DVec2::Y][i as usize] * radius
            };
            Polygon::new((0..5).map(corner).collect()).unwrap()
        });
        let there = random.in_ball();
        let pose = Pose3::new(random.rotation(), there).unwrap();
        let turn = random.in_ball().truncate();
        let pose_2d = Pose2::new_normalize(turn, there.truncate()).unwrap();
        let a = Placed::new(&hulls[0], Pose3::IDENTITY);
        let b = Placed::new(&hulls[1], pose);
        let flat = [
            Placed::new(&polygons[0], Pose2::IDENTITY),
            Placed::new(&polygons[1], pose_2d),
        ];
        let volume = ConvexConvex::new().contact(&a, &b);
        count += usize::from(volume.is_some());
        hash.debug(&volume);
        hash.debug(&PolygonPolygon::new().contact(&flat[0], &flat[1]));
    }
    assert!(count > 20, "{count}");
}

#[test]
fn answers_are_pinned() {
    type Step = fn(&mut Hash);
    let steps: [(&str, Step, u64); 10] = [
        ("spheres, 3D", broad_phases::<DVec3>, 0x38a4210de8244dc4),
        ("discs, 2D", broad_phases::<DVec2>, 0x5ad9d23001cb8db6),
        ("double hierarchy", walls, 0x2082378e4a8b9021),
        ("common plane", polyhedra, 0x8398f7b377dab0c6),
        ("cores with a radius", rounded, 0xbd8e372786c4d6eb),
        ("contact volumes", volumes, 0x6ad3def01e67d016),
        ("pressure fields", pressure_fields, 0x37d9d31804528f8a),
        ("spheres at solids", spheres_at_solids, 0x8a39326b5b92cc05),
        ("mixed volumes", mixed_volumes, 0xefa1b3a5cf06444b),
        ("convex volumes", convex_volumes, 0xd08ec1e2787f0e34),
    ];
    let hashes = steps.map(|(name, step, pinned)| {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        step(&mut hash);
        (name, hash.0, pinned)
    });
    for (name, found, _) in hashes {
        println!("{name}: {found:#018x}");
    }
    let changed = hashes.iter().filter(|(_, found, pinned)| found != pinned);
    // If results change on purpose, the numbers printed above replace those of the list.
    let changed: Vec<_> = changed.map(|(name, ..)| name).collect();
    assert!(changed.is_empty(), "{changed:?}");
}
