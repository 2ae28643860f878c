//! Tips, edges and corners that barely penetrate: the relative error of V is a few eps L / depth,
//! against exact rationals and closed formulas.
//!
//! ```sh
//! OSCULATE_CASES=20000 cargo test --release --test volumes small::
//! ```

use crate::support::cases;

use crate::support::rational::{Point, area_below, placed, planes, volume_below};
use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
};

type Corners = [DVec3; 4];

const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// Positively oriented.
fn oriented(mut corners: Corners) -> Option<Corners> {
    let [a, b, c, d] = corners;
    let six = (b - a).cross(c - a).dot(d - a);
    if six < 0.0 {
        corners.swap(0, 1);
    }
    (six.abs() > 0.1).then_some(corners)
}

/// A tetrahedron above z = 0 whose lowest feature is at z = 0 above the origin: a corner, an edge, a
/// face, by `kind`; and one below with a face in z = 0 around the origin, or an edge or a corner there.
fn features(random: &mut SplitMix64, kind: usize) -> [Corners; 2] {
    loop {
        let mut any = |z: [f64; 2]| {
            let (x, y) = (random.range(-2.0, 2.0), random.range(-2.0, 2.0));
            DVec3::new(x, y, random.range(z[0], z[1]))
        };
        let mut body = |low: usize| {
            let mut corners = [0; 4].map(|_| any([0.5, 1.5]));
            match low {
                0 => corners[0] = DVec3::ZERO,
                1 => {
                    (corners[0].z, corners[1].z) = (0.0, 0.0);
                    corners[1] = -corners[0] * 0.75;
                }
                _ => {
                    (0..3).for_each(|i| corners[i].z = 0.0);
                    corners[2] = -(corners[0] + corners[1]);
                }
            }
            corners
        };
        let (upper, lower) = match kind {
            0 => (0, 2),
            1 => (1, 2),
            2 => (1, 1),
            _ => (2, 2),
        };
        let (a, b) = (body(upper), body(lower).map(|p| DVec3::new(p.x, p.y, -p.z)));
        if let (Some(a), Some(b)) = (oriented(a), oriented(b)) {
            return [a, b];
        }
    }
}

fn run<A, B>(
    kernel: &mut impl NarrowPhase<
        Placed<A, DVec3>,
        Placed<B, DVec3>,
        Contact = ContactVolume<DVec3>,
        State = (),
    >,
    (a, p): (A, Pose3),
    (b, q): (B, Pose3),
) -> (f64, DVec3) {
    let (a, b) = (Placed::new(a, p), Placed::new(b, q));
    let found = kernel.contact(&a, &b);
    found.map_or((0.0, DVec3::ZERO), |c| (c.volume, c.area_vector))
}

/// V and S by all kernels.
fn shared([(a, p), (b, q)]: [(Corners, Pose3); 2]) -> [(f64, DVec3); 2] {
    let corners = [a, b];
    let trees = corners.map(|c| SolidMesh::new(c.to_vec(), FACES).unwrap());
    let hulls = corners.map(|c| ConvexPolyhedron::from_convex_hull(&c).unwrap());
    [
        run(&mut MeshMesh::new(), (&trees[0], p), (&trees[1], q)),
        run(&mut ConvexConvex::new(), (&hulls[0], p), (&hulls[1], q)),
    ]
}

/// Errors in eps L / depth.
fn assert_within_bound(errors: &[f64]) {
    assert!(errors.iter().all(|&error| error <= 50.0));
}

/// V, and S of the first body.
fn exact(a: &[Point; 4], b: &[Point; 4]) -> (f64, DVec3) {
    let of_b = planes(b);
    let face = |ids: [u32; 3]| {
        let corners = ids.map(|id| a[id as usize].clone());
        area_below(&corners, &of_b) * 0.5
    };
    (volume_below(a.clone(), &of_b), FACES.map(face).iter().sum())
}

#[test]
fn tips_edges_and_faces_against_rationals() {
    let mut random = SplitMix64::new(31);
    let mut worst = [[[0.0_f64; 2]; 4]; 4];
    for i in 0..cases(40) {
        let kind = i % 4;
        let [upper, lower] = features(&mut random, kind);
        // By common rotation and translation anywhere; the upper one comes down by the depth.
        let depth = 10.0_f64.powf(random.range(-9.0, -0.5));
        let mut number = || random.below(7) as i64 - 3;
        let turn = if i % 3 == 0 {
            [0, 0, 0, 1]
        } else {
            [number(), number(), number(), 4]
        };
        let quaternion = DQuat::from_array(turn.map(|x| x as f64)).normalize();
        let far = [0.0, 1.0][i / 4 % 2];
        let at = DVec3::from_array([0; 3].map(|_| random.range(-far, far)));
        let slide = DVec3::new(random.range(-0.05, 0.05), random.range(-0.05, 0.05), -depth);
        let shift = at + quaternion * slide;
        let points = [(upper, shift), (lower, at)]
            .map(|(corners, shift)| corners.map(|p| placed(p, turn, shift)));
        let expected = exact(&points[0], &points[1]);
        let (p, q) = (
            Pose3::new(quaternion, shift).unwrap(),
            Pose3::new(quaternion, at).unwrap(),
        );
        let found = shared([(upper, p), (lower, q)]);
        if expected.0 == 0.0 {
            assert!(
                found.iter().all(|(volume, _)| *volume == 0.0),
                "{i}: {found:?}"
            );
            continue;
        }
        let size = 4.0 + far;
        for (kernel, (volume, area)) in found.into_iter().enumerate() {
            let unit = f64::EPSILON * size / depth;
            let errors = [
                (volume / expected.0 - 1.0).abs(),
                area.distance(expected.1) / expected.1.length(),
            ];
            for (k, error) in errors.into_iter().enumerate() {
                let error = error / unit;
                if error > worst[kernel][kind][k] {
                    worst[kernel][kind][k] = error;
                }
            }
        }
    }
    println!("largest errors of V and S in eps L / depth, corner, edge, crossed edges, face:");
    for (kernel, errors) in ["MeshMesh", "ConvexConvex"].iter().zip(worst) {
        println!("{kernel}: {errors:.2?}");
    }
    assert_within_bound(worst.as_flattened().as_flattened());
}

/// On a lattice, so that no sum of a few is rounded.
fn on_lattice(x: f64) -> f64 {
    const STEPS: f64 = (1 << 30) as f64;
    (x * STEPS).round() / STEPS
}

fn positive(mut corners: Corners) -> Corners {
    let [a, b, c, d] = corners;
    if (b - a).cross(c - a).dot(d - a) < 0.0 {
        corners.swap(0, 1);
    }
    corners
}

/// An angle of 0.2 to 18 degrees.
fn narrow(random: &mut SplitMix64) -> f64 {
    10.0_f64.powf(random.range(-2.5, -0.5))
}

/// V = c[0] h^2 + c[1] h^3 for an overlap of h.
type Formula = [f64; 2];

/// A tetrahedron with a blade along x, an edge between planes at a small angle, above z = 0; and its
/// width at unit height.
fn blade(random: &mut SplitMix64) -> (Corners, f64) {
    let slope = random.range(0.2, 2.0);
    let angle = narrow(random);
    let mut top = |slope: f64| {
        let height = random.range(0.5, 1.5);
        let corner = [random.range(-1.0, 1.0), slope * height, height];
        DVec3::from_array(corner.map(on_lattice))
    };
    let (one, other) = (top(slope), top(slope + angle));
    let width = (one.y / one.z - other.y / other.z).abs();
    (positive([DVec3::NEG_X, DVec3::X, one, other]), width)
}

/// Two blades that cross. Sections are rectangles of sides proportional to z and h - z.
fn crossed_blades(random: &mut SplitMix64) -> ([Corners; 2], Formula) {
    let ((a, width), (b, other)) = (blade(random), blade(random));
    let b = b.map(|p| DVec3::new(p.y, p.x, -p.z));
    ([a, positive(b)], [0.0, width * other / 6.0])
}

/// A face in z = 0 of a tetrahedron below.
fn floor() -> Corners {
    let face = [(3.0, -3.0), (0.0, 4.0), (-3.0, -3.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    positive([face[0], face[1], face[2], DVec3::new(0.25, 0.5, -1.0)])
}

/// A blade along a face: sections are trapezoids.
fn lying_blades(random: &mut SplitMix64) -> ([Corners; 2], Formula) {
    let (body, width) = blade(random);
    let ends: f64 = body[2..].iter().map(|p| 1.0 / p.z).sum();
    ([body, floor()], [width, -width * ends / 3.0])
}

/// A slender corner over a face in z = 0: the part below the face is similar to the corner.
fn tips(random: &mut SplitMix64) -> ([Corners; 2], Formula) {
    let (x, y) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
    let width = narrow(random);
    let mut edge = |x: f64, y: f64| {
        let edge = DVec3::new(x, y, 1.0) * random.range(0.5, 1.5);
        DVec3::from_array(edge.to_array().map(on_lattice))
    };
    let [a, b, c] = [edge(x, y), edge(x + width, y), edge(x, y + 1.0)];
    let six = (a / a.z).cross(b / b.z).dot(c / c.z);
    (
        [positive([DVec3::ZERO, a, b, c]), floor()],
        [0.0, six.abs() / 6.0],
    )
}

/// A matrix of integers, n times that of a rotation, its quaternion, and n.
fn rotation(random: &mut SplitMix64) -> (DMat3, DQuat, f64) {
    let mut number = || random.below(3) as f64 - 1.0;
    let [x, y, z, w] = [number(), number(), number(), 2.0];
    let columns = [
        DVec3::new(
            w * w + x * x - y * y - z * z,
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ),
        DVec3::new(
            2.0 * (x * y - w * z),
            w * w - x * x + y * y - z * z,
            2.0 * (y * z + w * x),
        ),
        DVec3::new(
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            w * w - x * x - y * y + z * z,
        ),
    ];
    let [a, b, c] = columns;
    let quaternion = DQuat::from_xyzw(x, y, z, w);
    let n = quaternion.length_squared();
    (DMat3::from_cols(a, b, c), quaternion.normalize(), n)
}

/// The surface of a tetrahedron with small triangles at its corners, so that a tip has some wholly inside.
fn with_small_corners(corners: Corners) -> SolidMesh {
    let mut vertices = corners.to_vec();
    for (i, from) in corners.into_iter().enumerate() {
        let others = (0..4).filter(|&j| j != i);
        vertices.extend(others.map(|j| from + (corners[j] - from) / 512.0));
    }
    let on_edge = |i: u32, j: u32| 4 + 3 * i + j - u32::from(j > i);
    let mut facets = Vec::new();
    for face in FACES {
        let turns = [0, 1, 2].map(|k| [0, 1, 2].map(|l| face[(k + l) % 3]));
        let corners = turns.map(|[i, j, k]| [i, on_edge(i, j), on_edge(i, k)]);
        let rest = corners.map(|[_, p, q]| [q, p]).concat();
        facets.extend(corners);
        facets.extend((2..6).map(|k| [rest[0], rest[k - 1], rest[k]]));
    }
    SolidMesh::new(vertices, facets).unwrap()
}

/// However thin a part is: rounding displaces bodies, not single vertices.
#[test]
fn thin_tips_and_blades_against_formulas() {
    let mut random = SplitMix64::new(5);
    let mut worst = [[[0.0_f64; 5]; 2]; 3];
    for i in 0..10 * cases(200) {
        let kind = i % 3;
        let ([upper, lower], [square, cubic]) =
            [tips, crossed_blades, lying_blades][kind](&mut random);
        let depth = 2.0_f64.powf(random.range(-30.0, -7.0)) * 2.0_f64.powi(44);
        let depth = depth.round() / 2.0_f64.powi(44);
        let is_rotated = i / 3 % 2;
        let reach = [0.0, 2.0][i / 6 % 2];
        let rotations = if is_rotated == 1 {
            [rotation(&mut random), rotation(&mut random)]
        } else {
            [(DMat3::IDENTITY, DQuat::IDENTITY, 1.0); 2]
        };
        let scale = rotations[0].2 * rotations[1].2;
        let mut place = |corners: Corners, z: f64, k: usize| {
            let (matrix, quaternion, _) = rotations[k];
            let other = rotations[1 - k].2;
            let arm = DVec3::from_array([0; 3].map(|_| on_lattice(random.range(-reach, reach))));
            let at = (DVec3::new(0.0, 0.0, z) - arm) * scale;
            (
                corners.map(|p| matrix.transpose() * (p + arm) * other),
                Pose3::new(quaternion, at).unwrap(),
            )
        };
        let pair = [place(upper, -depth, 0), place(lower, 0.0, 1)];
        let trees = pair.map(|(corners, pose)| (with_small_corners(corners), pose));
        let [a, b] = &trees;
        let split = run(&mut MeshMesh::new(), (&a.0, a.1), (&b.0, b.1));
        let found = shared(pair).into_iter().chain([split]);
        let expected = (square + cubic * depth) * (depth * depth * scale.powi(3));
        for (k, (volume, _)) in found.enumerate() {
            let worst = &mut worst[kind][is_rotated][k];
            let error = (volume / expected - 1.0).abs() / (f64::EPSILON * (4.0 + reach) / depth);
            *worst = worst.max(error);
        }
    }
    println!(
        "largest errors of V in eps L / depth, tips, crossed and lying blades, not rotated and rotated, all kernels, MeshMesh of more triangles: {worst:.2?}"
    );
    assert_within_bound(worst.as_flattened().as_flattened());
}
