//! Tips, edges and corners that barely penetrate, against exact rationals: the error of V is within its bound, and a few
//! eps L times the area of the region. If the region is no sliver, that is a few eps L / depth of V.
//!
//! ```sh
//! OSCULATE_CASES=20000 cargo test --release --test volumes small:: -- --nocapture
//! ```

use crate::support::cases;

use crate::support::rational::{Point, area, part_below, placed, planes, volume};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::IntersectionKind;
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
};

type Corners = [DVec3; 4];

const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// With a positive volume.
fn oriented(mut corners: Corners) -> Corners {
    let [a, b, c, d] = corners;
    if (b - a).cross(c - a).dot(d - a) < 0.0 {
        corners.swap(0, 1);
    }
    corners
}

/// A tetrahedron with a corner at 0, above z = 0. Two of its edges are `width` apart at unit height.
fn tip(random: &mut SplitMix64, width: f64) -> Corners {
    let (x, y) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
    let mut edge = |x: f64, y: f64| DVec3::new(x, y, 1.0) * random.range(0.5, 1.5);
    oriented([
        DVec3::ZERO,
        edge(x, y),
        edge(x + width, y),
        edge(x, y + 1.0),
    ])
}

/// A tetrahedron above z = 0 with an edge along x, between planes that are `width` apart at unit height.
fn blade(random: &mut SplitMix64, width: f64) -> Corners {
    let slope = random.range(-2.0, 2.0);
    let mut top = |slope: f64| {
        let height = random.range(0.5, 1.5);
        DVec3::new(random.range(-1.0, 1.0), slope * height, height)
    };
    oriented([DVec3::NEG_X, DVec3::X, top(slope), top(slope + width)])
}

/// A tetrahedron below z = 0 with a face around 0.
fn floor() -> Corners {
    let face = [(3.0, -3.0), (0.0, 4.0), (-3.0, -3.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    oriented([face[0], face[1], face[2], DVec3::new(0.25, 0.5, -1.0)])
}

/// A corner on a face, an edge on a face, crossed edges, or a face on a face; both bodies touch at 0.
fn features(random: &mut SplitMix64, kind: usize, width: f64) -> [Corners; 2] {
    let turned = |corners: Corners| oriented(corners.map(|p| DVec3::new(p.y, p.x, -p.z)));
    match kind {
        0 => [tip(random, width), floor()],
        1 => [blade(random, width), floor()],
        2 => [blade(random, width), turned(blade(random, width))],
        _ => [turned(floor()).map(|p| p * 0.5), floor()],
    }
}

/// The surface of a tetrahedron with small triangles at its corners, so that a tip has some entirely inside.
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

/// The contacts by all kernels, and of meshes of more triangles.
fn shared(pair: [(Corners, Pose3); 2]) -> [Option<ContactVolume<DVec3>>; 3] {
    let tetrahedron = |c: Corners| SolidMesh::new(c.to_vec(), FACES).unwrap();
    let mesh = |solid: fn(Corners) -> SolidMesh| {
        let [a, b] = pair.map(|(corners, pose)| Placed::new(solid(corners), pose));
        MeshMesh::new().contact(&a, &b)
    };
    let [a, b] = pair.map(|(corners, pose)| {
        Placed::new(ConvexPolyhedron::from_convex_hull(&corners).unwrap(), pose)
    });
    let convex = ConvexConvex::new().contact(&a, &b);
    [mesh(tetrahedron), convex, mesh(with_small_corners)]
}

/// V, S of the first body, and the area of the surface of the intersection.
///
/// V is the sum over tetrahedra from a corner of the intersection to its surface, none of them negative.
fn exact(a: &[Point; 4], b: &[Point; 4]) -> (f64, DVec3, f64) {
    let parts = |a: &[Point; 4], b: &[Point; 4]| {
        let of_b = planes(b);
        FACES.map(|ids| part_below(&ids.map(|id| a[id as usize].clone()), &of_b))
    };
    let [ours, theirs] = [parts(a, b), parts(b, a)];
    let (mut total, mut area_vector, mut surface) = (0.0, DVec3::ZERO, 0.0);
    let apex = ours.iter().chain(&theirs).flatten().next();
    for (i, part) in ours.iter().chain(&theirs).enumerate() {
        for k in 2..part.len() {
            let triangle = [&part[0], &part[k - 1], &part[k]];
            total += volume(apex.unwrap(), triangle);
            let own = area(triangle);
            surface += own.length();
            area_vector += own * f64::from(u8::from(i < 4));
        }
    }
    (total, area_vector, surface)
}

/// Wide features in one frame, and narrow ones of 0.2 to 18 degrees in two. S is that of wide features, without more
/// triangles.
#[test]
fn tips_edges_and_faces_against_rationals() {
    let mut random = SplitMix64::new(31);
    for i in 0..cases(120) {
        let kind = i % 4;
        let is_narrow = i / 4 % 2 == 1;
        let width = match is_narrow {
            true => 10.0_f64.powf(random.range(-2.5, -0.5)),
            false => random.range(0.3, 2.0),
        };
        let [upper, lower] = features(&mut random, kind, width);
        // In the frame of a body it may be far out.
        let center = DVec3::splat([0.0, 256.0][i / 16 % 2]);
        // Anywhere; the upper one comes down by the depth.
        let depth = 10.0_f64.powf(random.range(-9.0, -1.0));
        let far = [0.0, 1.0][i / 8 % 2];
        let at = DVec3::from_array([0; 3].map(|_| random.range(-far, far)));
        let slide = DVec3::new(random.range(-0.05, 0.05), random.range(-0.05, 0.05), -depth);
        let mut turn = || {
            let mut number = || random.below(7) as i64 - 3;
            match i % 3 {
                0 => [0, 0, 0, 1],
                _ => [number(), number(), number(), 4],
            }
        };
        let turns = [turn(), turn()];
        let bodies = [(upper, at + slide), (lower, at)];
        let bodies = [0, 1].map(|k| {
            let ((corners, shift), turn) = (bodies[k], turns[k * usize::from(is_narrow)]);
            let rotation = DQuat::from_array(turn.map(|x| x as f64)).normalize();
            // Coordinates of few digits, so that the points on the edges are exact.
            let round = |x: f64| (x * 2.0_f64.powi(40)).round() * 2.0_f64.powi(-40);
            let local = corners.map(|corner| (rotation.inverse() * corner).map(round) + center);
            let shift = shift - rotation * center;
            let exact = local.map(|corner| placed(corner, turn, shift));
            ((local, Pose3::new(rotation, shift).unwrap()), exact)
        });
        let [a, b] = &bodies;
        let (volume, area_vector, surface) = exact(&a.1, &b.1);
        for (kernel, found) in shared([a.0, b.0]).into_iter().enumerate() {
            let Some(found) = found else {
                assert_eq!(volume, 0.0, "{i}");
                continue;
            };
            assert_eq!(found.kind, IntersectionKind::Crossing);
            let unit = f64::EPSILON * (4.0 + far + center.x);
            let (error, bound) = ((found.volume - volume).abs(), found.error_bound);
            assert!(error <= bound, "{i}: {error} of {volume} beyond {bound}");
            let context =
                || format!("{i} {kind} {kernel}: {error:e} of {volume:e}, {depth:e} deep");
            assert!(error <= 20.0 * unit * surface, "{}", context());
            if is_narrow {
                continue;
            }
            // The small triangles at crossed edges have a surface far beyond V / depth.
            let largest = if kernel == 2 && kind == 2 {
                200.0
            } else {
                50.0
            };
            assert!(error <= largest * unit * volume / depth, "{}", context());
            if kernel < 2 {
                let error = found.area_vector.distance(area_vector);
                let largest = 50.0 * unit * area_vector.length() / depth;
                assert!(error <= largest, "S is off by {error:e}: {}", context());
            }
        }
    }
}

/// A tip on a floor, built in coordinates of up to 2^18 (a public report had a sliver of 3.6e-12 at coordinates of 2e5). An
/// exact shift of both bodies changes no bit of V.
#[test]
fn far_from_the_origin() {
    let mut random = SplitMix64::new(32);
    for i in 0..cases(60) {
        let [upper, lower] = features(&mut random, i % 3, 1.0);
        let depth = 2.0_f64.powi(-5 - random.below(20) as i32);
        // Coordinates of few digits, so that shifted ones are exact.
        let round = |x: DVec3| (x * 2.0_f64.powi(30)).round() * 2.0_f64.powi(-30);
        let axes = random.below(8);
        let shift = |size: f64| DVec3::from_array([0, 1, 2].map(|k| size * (axes >> k & 1) as f64));
        let volumes = [0.0, 2.0_f64.powi(12), -2.0_f64.powi(18)].map(|size| {
            let upper = upper.map(|x| round(x) + DVec3::NEG_Z * depth + shift(size));
            let bodies = [upper, lower.map(|x| round(x) + shift(size))];
            let found = shared(bodies.map(|body| (body, Pose3::IDENTITY)));
            found.map(|contact| contact.map(|c| (c.volume, c.error_bound)))
        });
        for kernel in 0..2 {
            let [near, far, farther] = volumes.map(|found| found[kernel].unwrap());
            for (volume, bound) in [far, farther] {
                let error = (volume - near.0).abs();
                assert!(error <= near.1 + bound, "{i} {kernel}: {error} {near:?}");
                assert!(bound < 1e-3 * volume, "{i} {kernel}: {bound} of {volume}");
            }
        }
    }
}
