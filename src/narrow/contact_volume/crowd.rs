//! Pairs of faces that may cross, where bounding boxes separate too few.
//!
//! The boxes of long triangles around a common point all overlap, as at the tips of two cones. That
//! makes n^2 pairs for n faces. Planes through the point separate most of these triangles. Both sets are
//! therefore halved recursively until a plane separates them or few pairs are left. The result is
//! correct for any choice of planes. A separating plane is verified with a bound of the rounding, and
//! sets without such a plane are halved further. The search for planes affects only the cost.

use crate::math::tolerance::two_to;
use glam::DVec3;

use super::clip::rises;
use super::solid_view::ClippedSolid;
use crate::narrow::gjk::{self, Difference, Proximity, Simplex};

/// The height of a point over a plane in the search for near faces: five roundings; 16 u allowed.
const FACE_HEIGHT: f64 = two_to(-49);

/// Sets with at most this number of pairs are not halved.
const FEW: usize = 16;
/// The number of planes tried for two sets.
const TRIALS: usize = 8;
/// How far each trial goes beyond equal heights of the support points. Long steps miss narrow gaps, and
/// short steps find wide gaps late.
const STEPS: [f64; 4] = [0.25, 0.0625, 1.0, 0.015625];

/// Visits all pairs of faces of A and B that may cross once, and some pairs near them.
///
/// Cost: O(n log n) for n faces if few are near each other, even if all share a point.
pub(super) fn for_each_near_pair(
    bodies: [&ClippedSolid; 2],
    [a, b]: [&mut [u32]; 2],
    visit: &mut impl FnMut(u32, u32),
) {
    if a.len() * b.len() <= FEW {
        for &i in &*a {
            b.iter().for_each(|&j| visit(i, j));
        }
    } else if !are_apart(bodies, [a, b]) {
        if a.len() >= b.len() {
            let [low, high] = halves(bodies[0], a);
            for_each_near_pair(bodies, [low, b], visit);
            for_each_near_pair(bodies, [high, b], visit);
        } else {
            let [low, high] = halves(bodies[1], b);
            for_each_near_pair(bodies, [a, low], visit);
            for_each_near_pair(bodies, [a, high], visit);
        }
    }
}

fn corners<'a>(body: &'a ClippedSolid, ids: &'a [u32]) -> impl Iterator<Item = DVec3> + 'a {
    ids.iter().flat_map(|&id| body.face(id).corners)
}

/// Halves a set of faces by the sums of their corners, along the axis of their largest extent.
fn halves<'a>(body: &ClippedSolid, ids: &'a mut [u32]) -> [&'a mut [u32]; 2] {
    let sum = |id: u32| body.face(id).corners.iter().sum::<DVec3>();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &id in &*ids {
        (low, high) = (low.min(sum(id)), high.max(sum(id)));
    }
    let axis = (high - low).max_position();
    let middle = ids.len() / 2;
    ids.select_nth_unstable_by(middle, |&i, &j| {
        sum(i)[axis].total_cmp(&sum(j)[axis]).then(i.cmp(&j))
    });
    ids.split_at_mut(middle).into()
}

/// Returns whether a plane is found that separates two sets after the symbolic perturbation.
///
/// Each trial removes from the normal its component along the line of the last support points, as in
/// Chung and Wang (1996). All support points of sets with a common point then approach one plane. Gaps
/// that are narrow compared with the triangles need GJK.
fn are_apart(bodies: [&ClippedSolid; 2], sets: [&[u32]; 2]) -> bool {
    let [ours, theirs] = [0, 1].map(|k| {
        let sum: DVec3 = corners(bodies[k], sets[k]).sum();
        sum / (3 * sets[k].len()) as f64
    });
    let mut normal = (ours - theirs).normalize_or(DVec3::X);
    for step in STEPS.into_iter().cycle().take(TRIALS) {
        let Err(between) = separates(normal, bodies, sets) else {
            return true;
        };
        // At a common point the perturbation must move A away from the plane.
        let between = between.try_normalize().unwrap_or_else(|| {
            let axis = (0..3).find(|&axis| normal[axis] != 0.0).unwrap_or(0);
            DVec3::AXES[axis]
        });
        normal = (normal - between * ((1.0 + step) * between.dot(normal))).normalize_or(DVec3::X);
    }
    let support = |direction: DVec3, _: &_| {
        normal = direction.normalize_or(DVec3::X);
        let [p, q] =
            [(0, 1.0), (1, -1.0)].map(|(k, sign)| lowest(bodies[k], sets[k], normal * sign).1);
        Difference {
            x: q - p,
            p: 0,
            q: 0,
        }
    };
    let start = Difference {
        x: theirs - ours,
        p: 0,
        q: 0,
    };
    let found = gjk::nearest(0.0, support, (Simplex::vertex(start), start.x), 0.0);
    matches!(found, Proximity::Beyond(_)) && separates(normal, bodies, sets).is_ok()
}

/// Returns the lowest corner and its height.
fn lowest(body: &ClippedSolid, ids: &[u32], normal: DVec3) -> (f64, DVec3) {
    corners(body, ids).fold((f64::INFINITY, DVec3::ZERO), |lowest, corner| {
        let height = normal.dot(corner);
        if height < lowest.0 {
            (height, corner)
        } else {
            lowest
        }
    })
}

/// Checks that A is above B along a normal. The error is the vector between the support points.
fn separates(
    normal: DVec3,
    [a, b]: [&ClippedSolid; 2],
    [ours, theirs]: [&[u32]; 2],
) -> Result<(), DVec3> {
    let (_, origin) = lowest(a, ours, normal);
    // Relative to a corner of A: corners at the same position then have the height 0 without error.
    let height = |corner: DVec3| {
        let arm = corner - origin;
        let doubt = FACE_HEIGHT * normal.abs().dot(arm.abs());
        (normal.dot(arm), doubt)
    };
    let mut highest = (f64::NEG_INFINITY, DVec3::ZERO);
    for corner in corners(b, theirs) {
        let (height, doubt) = height(corner);
        if height + doubt > highest.0 {
            highest = (height + doubt, corner);
        }
    }
    if highest.0 <= 0.0 {
        let ours = corners(a, ours).map(height);
        let least = ours.fold(0.0, |least: f64, (h, doubt)| least.min(h - doubt));
        if least > highest.0 || (least == 0.0 && highest.0 == 0.0 && rises(normal)) {
            return Ok(());
        }
    }
    Err(origin - highest.1)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::math::Pose3;
    use crate::narrow::contact_volume::crossing::cross;
    use crate::narrow::contact_volume::solid_view::SolidView;
    use crate::shape::SolidMesh;

    /// A cone whose tip is the origin, opening upwards or downwards.
    fn cone(sides: u32, up: f64) -> SolidMesh {
        let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(sides);
        let rim = (0..sides).map(|i| DVec3::new(angle(i).cos(), up * angle(i).sin(), up));
        let vertices = [DVec3::ZERO, DVec3::Z * up].into_iter().chain(rim);
        let facets = (0..sides).flat_map(|i| {
            let [p, q] = [2 + i, 2 + (i + 1) % sides];
            [[0, q, p], [1, p, q]]
        });

        SolidMesh::new(vertices.collect(), facets).unwrap()
    }

    /// The pairs visited, and the bodies.
    fn visited(cones: &[SolidMesh; 2], pose: Pose3) -> (Vec<[u32; 2]>, [ClippedSolid; 2]) {
        let placed = [
            SolidView::fixed(cones[0].triangulation()),
            SolidView::placed(cones[1].triangulation(), pose),
        ];
        let mut bodies = [ClippedSolid::default(), ClippedSolid::default()];
        for (body, side) in bodies.iter_mut().zip(&placed) {
            body.start(side.solid);
            body.prepare(side, 0..side.solid.triangles().len() as u32);
        }
        let [a, b] = &bodies;
        let [mut ours, mut theirs] = [&cones[0], &cones[1]]
            .map(|c| (0..c.triangulation().triangles().len() as u32).collect::<Vec<_>>());
        let mut pairs = Vec::new();
        for_each_near_pair([a, b], [&mut ours, &mut theirs], &mut |i, j| {
            pairs.push([i, j])
        });
        (pairs, bodies)
    }

    fn count(sides: u32, pose: Pose3) -> usize {
        visited(&[cone(sides, 1.0), cone(sides, -1.0)], pose)
            .0
            .len()
    }

    /// Coaxial cones, on all sides of each other, that share a tip, a rim or edges. All faces that cross
    /// after the symbolic perturbation are among the pairs, each once.
    #[test]
    fn no_crossing_is_missed() {
        let turns = [
            DQuat::IDENTITY,
            DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0),
            DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0).normalize(),
            DQuat::from_xyzw(0.0, 1.0, 0.0, -1.0).normalize(),
        ];
        let mut found = 0;
        for (sides, up) in [(16, 1.0), (16, -1.0), (9, -1.0), (40, -1.0)] {
            let cones = [cone(16, 1.0), cone(sides, up)];
            for turn in turns {
                for k in 0..27 {
                    let shift = [k % 3, k / 3 % 3, k / 9].map(|x| f64::from(x) - 1.0);
                    let pose = Pose3::new(turn, DVec3::from_array(shift)).unwrap();
                    let (mut pairs, [a, b]) = visited(&cones, pose);
                    pairs.sort_unstable();
                    assert!(pairs.windows(2).all(|pair| pair[0] != pair[1]));
                    for (i, t) in (0..32).map(|i| (i, a.face(i))) {
                        for (j, u) in (0..2 * sides).map(|j| (j, b.face(j))) {
                            if t.may_touch(u) && cross(t, u).is_some() {
                                assert!(pairs.binary_search(&[i, j]).is_ok(), "{pose:?} {i} {j}");
                                found += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn pairs_grow_as_the_sides_of_cones() {
        let turned = |angle: f64, z: f64| {
            let shift = DVec3::new(0.0, 0.0, z);
            Pose3::new(DQuat::from_rotation_x(angle), shift).unwrap()
        };
        for (pose, sides) in [
            (Pose3::IDENTITY, 150),
            (turned(0.2, 0.0), 150),
            (turned(0.0, 1e-3), 150),
            (turned(0.0, 1e-9), 150),
            (turned(0.0, -1e-9), 150),
            (turned(0.2, 1e-3), 400),
        ] {
            let [few, many] = [sides, 4 * sides].map(|sides| count(sides, pose));
            // n log n.
            assert!(2 * many <= 11 * few.max(1000), "{pose:?}: {few} {many}");
        }
    }
}
