//! Contacts of nested bodies, and of bodies whose intersection has several parts.

use crate::support::cases;

use crate::support::solids::*;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{LatticePoint, intersection_volume};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{ContactEnergy, MeshMesh, Pose3, SolidMesh, narrow::IntersectionKind};

/// One body inside another, in a cavity, around it.
#[test]
fn nested_and_hollow() {
    let inner = workload::sphere(1, 0.5).unwrap();
    let outer = workload::sphere(2, 2.0).unwrap();
    let contact = only(&moved(&outer, DVec3::ZERO), &moved(&inner, DVec3::X)).unwrap();
    assert_eq!(
        (contact.kind, contact.volume),
        (IntersectionKind::Nested, inner.volume())
    );
    let energy = ContactEnergy::linear(3.0).unwrap();
    assert_eq!(contact.force(&energy), DVec3::ZERO);
    assert_eq!(contact.normal(), None);
    assert!(only(&moved(&outer, DVec3::ZERO), &moved(&inner, DVec3::X * 3.0)).is_none());

    // A hollow ball.
    let cavity = workload::sphere(1, 1.5).unwrap();
    let count = outer.surface().vertices().len() as u32;
    let mut vertices = outer.surface().vertices().to_vec();
    vertices.extend(cavity.surface().vertices());
    let corners = |solid: &SolidMesh| -> Vec<[u32; 3]> {
        let facets = solid.surface().facets();
        facets.map(|f| [0, 1, 2].map(|k| f.vertices()[k])).collect()
    };
    let mut faces = corners(&outer);
    faces.extend(
        corners(&cavity)
            .iter()
            .map(|&[a, b, c]| [a + count, c + count, b + count]),
    );
    let hollow = SolidMesh::new(vertices, faces).unwrap();
    assert!(only(&moved(&hollow, DVec3::ZERO), &moved(&inner, DVec3::X * 0.2)).is_none());
    let large = workload::sphere(1, 5.0).unwrap();
    let contact = only(&moved(&hollow, DVec3::ZERO), &moved(&large, DVec3::X * 0.2)).unwrap();
    assert_eq!(contact.kind, IntersectionKind::Nested);
    assert_near(contact.volume, hollow.volume(), 1e-12);
    // The curve runs through the cavity too, or not.
    for x in [3.6, 3.2] {
        let (a, b) = (moved(&hollow, DVec3::ZERO), moved(&large, DVec3::X * x));
        let (volume, _, _) = intersection_volume(&triangles(&a), &triangles(&b));
        assert_near(only(&a, &b).unwrap().volume, volume, 1e-11);
        let (parts, _) = run(&mut MeshMesh::new().with_separate_regions(true), &a, &b);
        assert_eq!(parts.len(), 1);
        assert_near(parts[0].volume, volume, 1e-11);
    }
}

/// Two fists on one table: two contacts, which add up to the one.
#[test]
fn separate_contacts() {
    let fists = vec![[0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [2, 0, 0]];
    let hands = workload::cubes(&fists, 1.0).unwrap();
    let table = workload::cubes(&[[0, 0, 0]], 8.0).unwrap();
    let turn = DQuat::from_xyzw(0.01, 0.02, -0.015, 1.0).normalize();
    let a = at(&hands, Pose3::new(turn, DVec3::new(2.3, 7.7, 2.4)).unwrap());
    let b = moved(&table, DVec3::ZERO);
    for (a, b) in [(&a, &b), (&b, &a)] {
        let whole = only(a, b).unwrap();
        let (parts, curve) = run(&mut MeshMesh::new().with_separate_regions(true), a, b);
        assert_closed(&curve);
        assert_eq!(parts.len(), 2);
        assert!(
            parts
                .iter()
                .all(|c| c.volume > 0.1 && c.kind == IntersectionKind::Crossing)
        );
        assert_near(parts[0].volume + parts[1].volume, whole.volume, 1e-13);
        assert_near_vector(
            parts[0].area_vector + parts[1].area_vector,
            whole.area_vector,
            1e-13,
        );
        assert!(curve.iter().any(|s| s.contact == 0) && curve.iter().any(|s| s.contact == 1));
        assert!(parts[0].point.distance(parts[1].point) > 1.5);
    }
    // A ring pierced by a rod: two loops, but one part.
    let ring = workload::torus(1.0, 0.3, 24, 12).unwrap();
    let rod = workload::cubes(&[[0, 0, 0]], 0.1).unwrap();
    let rod = moved(&rod, DVec3::new(0.97, 0.03, 0.25));
    assert_eq!(
        run(
            &mut MeshMesh::new().with_separate_regions(true),
            &moved(&ring, DVec3::ZERO),
            &rod
        )
        .0
        .len(),
        1
    );
}

fn separate(a: &Body, b: &Body) -> Vec<f64> {
    let (contacts, curve) = run(&mut MeshMesh::new().with_separate_regions(true), a, b);
    assert_closed(&curve);
    contacts.iter().map(|contact| contact.volume).collect()
}

/// Two tines, six long.
fn fork() -> SolidMesh {
    let tines = (0..6).flat_map(|z| [[0, 0, z], [2, 0, z]]);
    let cubes: Vec<LatticePoint> = tines.chain([[1, 0, 5]]).collect();
    workload::cubes(&cubes, 1.0).unwrap()
}

/// A fork through a plate: four loops, two parts. Two loops are joined by edges with both crossings
/// on them, or by rings of vertices inside, in the order of the vertices or against it.
#[test]
fn fork_through_a_plate() {
    let fork = fork();
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    for thickness in [0.25, 2.75] {
        let plate = bent(&cube, |v| DVec3::new(9.0, 9.0, thickness) * v);
        let plate = moved(&plate, DVec3::ZERO);
        let up = moved(&fork, DVec3::new(3.1, 3.2, -1.6));
        let turn = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let down = at(&fork, Pose3::new(turn, DVec3::new(3.1, 4.2, 4.4)).unwrap());
        for (a, b) in [
            (&up, &plate),
            (&plate, &up),
            (&down, &plate),
            (&plate, &down),
        ] {
            let parts = separate(a, b);
            assert_eq!(parts.len(), 2, "{parts:?}");
            parts
                .iter()
                .for_each(|&part| assert_near(part, thickness, 1e-12));
        }
    }
}

/// A tube through a plate: the two inner loops bound the hole of the intersection.
#[test]
fn tube_through_a_plate() {
    let ring = [
        [0, 0],
        [1, 0],
        [2, 0],
        [2, 1],
        [2, 2],
        [1, 2],
        [0, 2],
        [0, 1],
    ];
    let tube: Vec<LatticePoint> = ring
        .iter()
        .flat_map(|&[x, y]| (0..4).map(move |z| [x, y, z]))
        .collect();
    let tube = workload::cubes(&tube, 1.0).unwrap();
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let plate = bent(&cube, |v| DVec3::new(40.0 * v.x, 40.0 * v.y, 0.25 * v.z));
    let (tube, plate) = (
        moved(&tube, DVec3::new(20.1, 4.2, -2.6)),
        moved(&plate, DVec3::ZERO),
    );
    for (a, b) in [(&tube, &plate), (&plate, &tube)] {
        let parts = separate(a, b);
        assert_eq!(parts.len(), 1, "{parts:?}");
        assert_near(parts[0], 2.0, 1e-12);
    }
}

/// A cavity inside one of two parts, which nothing crosses: which of them cannot be told by edges and
/// vertices, so all is one.
#[test]
fn cavity_inside_one_of_two_parts() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let outer = bent(&cube, |v| DVec3::new(9.0, 9.0, 2.75) * v);
    let cavity = bent(&cube, |v| {
        DVec3::new(3.4, 3.5, 1.0) + DVec3::new(0.4, 0.4, 0.5) * v
    });
    let [outer, cavity] = [&outer, &cavity].map(|tree| tree);
    let inside_out = corners(cavity)
        .into_iter()
        .map(|[a, b, c]| [a + 8, c + 8, b + 8]);
    let triangles = corners(outer).into_iter().chain(inside_out);
    let vertices = [outer, cavity]
        .map(|solid| solid.surface().vertices())
        .concat();
    let plate = SolidMesh::new(vertices, triangles).unwrap();
    let fork = fork();
    let (fork, plate) = (
        moved(&fork, DVec3::new(3.1, 3.2, -1.6)),
        moved(&plate, DVec3::ZERO),
    );
    for (a, b) in [(&fork, &plate), (&plate, &fork)] {
        let parts = separate(a, b);
        assert_eq!(parts.len(), 1, "{parts:?}");
        assert_near(parts[0], 2.0 * 2.75 - 0.08, 1e-12);
    }
}

/// The volumes of the parts that two sets of unit cubes share, the second moved by `shift`, sorted:
/// boxes are of one part if they have more than an edge in common.
fn parts_of_cubes(a: &[LatticePoint], b: &[LatticePoint], shift: [f64; 3]) -> Vec<f64> {
    let mut boxes: Vec<[[f64; 2]; 3]> = Vec::new();
    for (p, q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))) {
        let shared = [0, 1, 2].map(|k| {
            let (p, q) = (p[k] as f64, q[k] as f64 + shift[k]);
            [p.max(q), p.min(q) + 1.0]
        });
        if shared.iter().all(|[low, high]| low < high) {
            boxes.push(shared);
        }
    }
    let meet = |a: &[[f64; 2]; 3], b: &[[f64; 2]; 3]| {
        let length = |k: usize| a[k][1].min(b[k][1]) - a[k][0].max(b[k][0]);
        let lengths = [0, 1, 2].map(length);
        lengths.iter().all(|&l| l >= 0.0) && lengths.iter().filter(|&&l| l > 0.0).count() >= 2
    };
    let mut volumes = Vec::new();
    while let Some(first) = boxes.pop() {
        let mut part = vec![first];
        let mut next = 0;
        while next < part.len() {
            let here = part[next];
            let (near, far): (Vec<_>, Vec<_>) = boxes.iter().partition(|b| meet(&here, b));
            (boxes, next) = (far, next + 1);
            part.extend(near);
        }
        let volume = |b: &[[f64; 2]; 3]| b.iter().map(|[low, high]| high - low).product::<f64>();
        volumes.push(part.iter().map(volume).sum());
    }
    large(volumes)
}

/// Sorted, without those that only touch.
fn large(mut volumes: Vec<f64>) -> Vec<f64> {
    volumes.retain(|&volume| volume > 1e-3);
    volumes.sort_by(f64::total_cmp);
    volumes
}

/// Some cubes of 4 x 4 x 4, in one piece or several.
fn scattered(random: &mut SplitMix64) -> (Vec<LatticePoint>, SolidMesh) {
    loop {
        let mut cubes: Vec<LatticePoint> = (0..3 + random.below(8))
            .map(|_| [0; 3].map(|_| random.below(4) as i64))
            .collect();
        cubes.sort_unstable();
        cubes.dedup();
        if let Ok(solid) = workload::cubes(&cubes, 1.0) {
            return (cubes, solid);
        }
    }
}

/// If edges are tied, parts are those after the symbolic perturbation of the first body. POSES is
/// the number of poses.
#[test]
fn parts_of_tied_cubes() {
    let count = cases(2000) as u64;
    let mut random = SplitMix64::new(18);
    let tree = |cubes: &[LatticePoint]| workload::cubes(cubes, 1.0).unwrap();
    let (mut several, mut wrong) = (0, 0);
    for i in 0..count {
        let ([a, b], mut shift) = (
            [(); 2].map(|()| scattered(&mut random)),
            [0; 3].map(|_| random.below(5) as f64 * 0.5 - 1.0),
        );
        let [mut a, mut b] = [a, b];
        if i == 0 {
            let (one, other) = (
                vec![[0, 1, 0], [0, 1, 1]],
                vec![[0, 0, 2], [0, 1, 0], [1, 1, 0]],
            );
            (a, b) = ((one.clone(), tree(&one)), (other.clone(), tree(&other)));
            shift = [0.5, 0.5, -0.5];
        }
        // The body that comes first is moved.
        let Some(first) = shift.iter().find(|&&x| x != 0.0) else {
            continue;
        };
        let mut after = shift;
        for (k, x) in after.iter_mut().enumerate() {
            *x -= 2.0_f64.powi(-16 * (k as i32 + 1)).copysign(*first);
        }
        let expected = parts_of_cubes(&a.0, &b.0, after);
        let rest = moved(&a.1, DVec3::ZERO);
        let found = large(separate(&rest, &moved(&b.1, DVec3::from_array(shift))));
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-3;
        let is_right = found.len() == expected.len() && found.iter().zip(&expected).all(is_near);
        wrong += u64::from(!is_right);
        several += u64::from(found.len() > 1);
    }
    println!("{count} poses, {several} with several parts, {wrong} wrong");
    assert_eq!(wrong, 0);
    assert!(several > count / 40, "{several}");
}
