//! Boxes, bricks and bodies of cubes in line: their faces are coplanar to rounding, and the
//! intersection volume has a closed formula.

use crate::support::cases;
use crate::support::solids::{bent, random_cubes, volume_of};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::oracle::LatticePoint;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ConvexConvex, ConvexPolyhedron, MeshMesh, Placed, Pose2, Pose3, SolidMesh,
    narrow::PolygonPolygon, shape::Polygon,
};

/// Cells of the lattice times `size`, the same for both kernels and the formula.
#[derive(Clone)]
struct Blocks {
    cells: Vec<LatticePoint>,
    size: DVec3,
    surface: SolidMesh,
    /// If it is a brick.
    convex: Option<ConvexPolyhedron>,
}

impl Blocks {
    fn new(cells: Vec<LatticePoint>, size: DVec3) -> Self {
        let solid = workload::cubes(&cells, 1.0).unwrap();
        let surface = bent(&solid, |v| v * size);
        let vertices = surface.surface().vertices();
        let convex =
            (cells.len() == 1).then(|| ConvexPolyhedron::from_convex_hull(vertices).unwrap());
        Self {
            cells,
            size,
            surface,
            convex,
        }
    }
}

/// The length that two intervals of the given lengths share, the second moved by `shift`.
fn shared_length([a, b]: [f64; 2], shift: f64) -> f64 {
    (a.min(shift + b) - shift.max(0.0)).max(0.0)
}

fn intersection_volume(a: &Blocks, b: &Blocks, shift: DVec3) -> f64 {
    let pairs = { a.cells.iter() }.flat_map(|p| b.cells.iter().map(move |q| (p, q)));
    let shared = pairs.map(|(p, q)| {
        let along = |axis: usize| {
            let from = q[axis] as f64 * b.size[axis] - p[axis] as f64 * a.size[axis];
            shared_length([a.size[axis], b.size[axis]], shift[axis] + from)
        };
        along(0) * along(1) * along(2)
    });
    shared.sum()
}

/// A component of the offset: faces that touch, coincide, or are an ulp off either; or anything.
fn tied_offset(random: &mut SplitMix64, reach: f64) -> f64 {
    let steps = reach * 2.0;
    let tie = (random.below(4 * steps as usize + 1) as f64) * 0.5 - reach;
    match random.below(8) {
        0 | 1 => 0.0,
        2 | 3 => tie,
        4 => tie.next_up(),
        5 => tie.next_down(),
        _ => random.range(-reach, reach),
    }
}

/// A rotation as a product of up to three, and the same rotation as another product.
fn composed(random: &mut SplitMix64) -> [DQuat; 2] {
    let [mut one, mut other] = [DQuat::IDENTITY; 2];
    for i in 0..1 + random.below(3) {
        let any = random.in_ball().normalize();
        let axis = [DVec3::AXES[random.below(3)], any][i % 2];
        let (angle, part) = (random.range(-3.0, 3.0), random.unit());
        let turn = |part: f64| DQuat::from_axis_angle(axis, part * angle);
        one = turn(1.0) * one;
        other = turn(part) * (turn(1.0 - part) * other);
    }
    [one, other]
}

/// The poses of a pair in line, b's origin at `shift` along a's axes.
fn in_line(random: &mut SplitMix64, shift: DVec3) -> [Pose3; 2] {
    let [mut one, mut other] = composed(random);
    match random.below(4) {
        0 => other = one,
        1 => (one, other) = (DQuat::IDENTITY, DQuat::IDENTITY),
        _ => {}
    }
    let far = [0.0, 1.0, 30.0][random.below(3)];
    let at = DVec3::from_array([0; 3].map(|_| random.range(-far, far)));
    let poses = [(one, at), (other, at + one * shift)];
    poses.map(|(turn, at)| Pose3::new_normalize(turn, at).unwrap())
}

#[test]
fn blocks_in_line_share_the_volume_of_the_formula() {
    let mut random = SplitMix64::new(21);
    let sizes = [
        [1.0, 1.0, 1.0],
        [2.0, 1.0, 0.5],
        [0.5, 0.25, 3.0],
        [0.3, 1.7, 0.9],
    ];
    let brick = |size| Blocks::new(vec![[0, 0, 0]], DVec3::from_array(size));
    let mut shapes = sizes.map(brick).to_vec();
    for _ in 0..6 {
        let cubes = random_cubes(&mut random).0;
        shapes.push(Blocks::new(cubes, DVec3::ONE));
    }
    let (mut mesh, mut parts) = (MeshMesh::new(), MeshMesh::new().with_separate_regions(true));
    let mut convex = ConvexConvex::new();
    let mut shared = 0;
    for _ in 0..cases(3000) {
        let a = &shapes[random.below(shapes.len())];
        let b = &shapes[random.below(shapes.len())];
        let shift = DVec3::from_array([0; 3].map(|_| tied_offset(&mut random, 1.0)));
        let expected = intersection_volume(a, b, shift);
        let [p, q] = in_line(&mut random, shift);
        let surfaces = (Placed::new(&a.surface, p), Placed::new(&b.surface, q));
        let mut found = vec![
            volume_of(&mut mesh, &surfaces.0, &surfaces.1),
            volume_of(&mut parts, &surfaces.0, &surfaces.1),
        ];
        if let (Some(a), Some(b)) = (&a.convex, &b.convex) {
            found.push(volume_of(
                &mut convex,
                &Placed::new(a, p),
                &Placed::new(b, q),
            ));
        }
        shared += usize::from(expected > 1e-12);
        let bound = 20.0 * f64::EPSILON * (8.0 + p.translation().length());
        let blocks = [a, b].map(|blocks| (&blocks.cells, blocks.size));
        let is_near = |volume: &f64| (volume - expected).abs() <= bound;
        assert!(
            found.iter().all(is_near),
            "{found:?} for {expected}, {p:?} {q:?}, {blocks:?}"
        );
    }
    assert!(shared > cases(3000) / 5);
}

/// Half of the cube turns in two steps.
#[test]
fn cube_turned_in_two_steps() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let turn = |degrees: f64| DQuat::from_rotation_x(degrees.to_radians());
    let a = Pose3::new(turn(111.0), DVec3::ZERO).unwrap();
    let along = a.transform_vector(DVec3::Y * 0.1);
    let b = Pose3::new_normalize(turn(81.0) * turn(30.0), along).unwrap();
    let [a, b] = [a, b].map(|pose| Placed::new(&cube, pose));
    let found = volume_of(&mut MeshMesh::new(), &a, &b);
    assert!((found - 0.9).abs() < 1e-15, "{found}");
}

/// The same in the plane: rectangles and cells.
#[test]
fn rectangles_in_line_share_the_area_of_the_formula() {
    let mut random = SplitMix64::new(22);
    let sizes = [[1.0, 1.0], [2.0, 0.5], [0.3, 1.7], [0.25, 3.0]].map(DVec2::from_array);
    let shapes = sizes.map(|size| {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        Polygon::new(corners.map(|(x, y)| DVec2::new(x, y) * size).to_vec()).unwrap()
    });
    let mut kernels = [
        PolygonPolygon::new(),
        PolygonPolygon::new().with_separate_regions(true),
    ];
    for _ in 0..cases(3000) {
        let (i, j) = (random.below(4), random.below(4));
        let shift = DVec2::from_array([0; 2].map(|_| tied_offset(&mut random, 1.0)));
        let along = |axis: usize| shared_length([sizes[i][axis], sizes[j][axis]], shift[axis]);
        let expected = along(0) * along(1);
        let (angle, part) = (random.range(-3.0, 3.0), random.unit());
        let one = DVec2::from_angle(angle);
        let other = match random.below(3) {
            0 => one,
            _ => DVec2::from_angle(part * angle).rotate(DVec2::from_angle((1.0 - part) * angle)),
        };
        let far = [0.0, 1.0, 30.0][random.below(3)];
        let at = DVec2::from_array([0; 2].map(|_| random.range(-far, far)));
        let p = Pose2::new_normalize(one, at).unwrap();
        let q = Pose2::new_normalize(other, at + one.rotate(shift)).unwrap();
        let (a, b) = (Placed::new(&shapes[i], p), Placed::new(&shapes[j], q));
        for kernel in &mut kernels {
            let found = volume_of(kernel, &a, &b);
            let bound = 10.0 * f64::EPSILON * (4.0 + at.length());
            let is_near = (found - expected).abs() <= bound;
            assert!(is_near, "{found} for {expected}: {shift} {p:?} {q:?}");
        }
    }
}
