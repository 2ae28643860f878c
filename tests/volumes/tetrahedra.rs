//! Tetrahedral meshes: `MeshMesh` on their surfaces against tetrahedra that clip each other.

use crate::support::cases;
use crate::support::convex::below;
use crate::support::solids::{assert_near, assert_near_vector, random_pose};
use crate::support::tets::blocks;
use osculate::glam::DVec3;
use osculate::reference::intersect_tetrahedra;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactVolume, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh, narrow::IntersectionKind,
    shape::TetMesh,
};

/// A solid that 0 sees all of, as tetrahedra from there.
fn star(solid: &SolidMesh) -> TetMesh {
    let mut vertices = solid.surface().vertices().to_vec();
    let center = vertices.len() as u32;
    vertices.push(DVec3::ZERO);
    let faces = solid.surface().facets().map(|f| f.vertices());
    let tetrahedra = faces.map(|f| [center, f[0], f[1], f[2]]);
    TetMesh::new(vertices, tetrahedra.collect()).unwrap()
}

/// Random poses: V, S and G are those of the surfaces.
#[test]
fn against_the_surfaces() {
    let meshes = [
        star(&workload::rock(60, 0.3, 3).unwrap()),
        star(&workload::sphere(1, 0.9).unwrap()),
        // Not around 0.
        blocks(&[[0, 0, 0]], DVec3::splat(0.3)),
    ];
    let solids = meshes.each_ref().map(|mesh| mesh.to_solid().unwrap());
    let (mut random, mut kernel) = (SplitMix64::new(1), MeshMesh::new());
    let mut states = [0; 3];
    for _ in 0..cases(60) {
        let (i, j) = (random.below(3), random.below(3));
        let poses = [random_pose(&mut random, 0.8), random_pose(&mut random, 0.8)];
        let [a, b] = [(&meshes[i], poses[0]), (&meshes[j], poses[1])];
        let by_clipping = intersect_tetrahedra(&Placed::new(a.0, a.1), &Placed::new(b.0, b.1));
        let [a, b] = [(&solids[i], poses[0]), (&solids[j], poses[1])];
        let contact: Option<ContactVolume<DVec3>> =
            kernel.contact(&Placed::new(a.0, a.1), &Placed::new(b.0, b.1));
        assert_near(contact.map_or(0.0, |c| c.volume), by_clipping.volume, 1e-12);
        let crossing = contact.filter(|c| c.kind != IntersectionKind::Nested);
        // The surface of a nested body adds up to nothing.
        let moment = crossing.map_or(DVec3::ZERO, |c| c.moment_vector_about(DVec3::ZERO));
        let area = crossing.map_or(DVec3::ZERO, |c| c.area_vector);
        assert_near_vector(area, by_clipping.area_vector, 1e-12);
        assert_near_vector(moment, by_clipping.moment_vector, 1e-12);
        states[contact.map_or(0, |c| 1 + usize::from(c.kind == IntersectionKind::Nested))] += 1;
    }
    assert!(states.iter().all(|&n| n > 2), "{states:?}");
}

/// Section 3.2 leaves the interior faces out of the cutting. Then the half-spaces of a tetrahedron
/// do not end where its neighbor begins, and a surface between both is counted twice.
#[test]
fn interior_faces_must_cut() {
    // Two tetrahedra on each other, and a thin slab that comes in from the side between them.
    let ring = [0.0, 2.0, 4.0].map(|third: f64| {
        let (sin, cos) = (third * std::f64::consts::FRAC_PI_3).sin_cos();
        DVec3::new(cos, sin, 0.0)
    });
    let mut vertices = ring.to_vec();
    vertices.extend([DVec3::Z, -DVec3::Z]);
    let double = TetMesh::new(vertices, vec![[0, 1, 2, 3], [1, 0, 2, 4]]).unwrap();
    let slab = blocks(&[[0, 0, 0]], DVec3::new(1.0, 0.2, 0.01));
    let at = Pose3::from_translation(DVec3::new(-1.0, -0.1, -0.005)).unwrap();

    let mut literal = DVec3::ZERO;
    for faces in [
        [[0, 1, 3], [1, 2, 3], [2, 0, 3]],
        [[1, 0, 4], [2, 1, 4], [0, 2, 4]],
    ] {
        for side in slab.exterior_faces() {
            let corners = side.map(|id| at.transform_point(slab.vertices()[id as usize]));
            let mut part = corners.to_vec();
            for [p, q, r] in faces.map(|face| face.map(|id| double.vertices()[id])) {
                part = below(&part, (q - p).cross(r - p), p);
            }
            for i in 2..part.len() {
                literal += (part[i - 1] - part[0]).cross(part[i] - part[0]) * 0.5;
            }
        }
    }
    let mesh = Placed::new(&double, Pose3::IDENTITY);
    let right = intersect_tetrahedra(&Placed::new(&slab, at), &mesh).area_vector;
    assert!(right.x > 0.0015);
    let ratio = literal.dot(right) / right.length_squared();
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}
