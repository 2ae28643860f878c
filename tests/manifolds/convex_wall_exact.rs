//! Convex polyhedra at walls against an oracle in integers, on scenes full of ties. OSCULATE_CASES sets the number:
//! `OSCULATE_CASES=100000 cargo test --release --all-features --test manifolds convex_wall_exact:: -- --nocapture`.

use crate::support::cases;
use crate::support::convex::random;
use crate::support::lattice_scene::{LatticeScene, WallFamily};
use crate::support::oracle::convex_wall::{LatticeContact, contacts_with_wall};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::oracle;
use osculate::{NarrowPhase, Placed, Pose3, Wall};

const BEND: f64 = 0.5;
/// Relative to the size of the body.
const ROUNDING: f64 = 1e-11;

/// Returns the contacts in the frame and the units of the scene.
fn contacts(scene: &LatticeScene, unit: f64, motion: Pose3) -> Vec<ConvexWallContact> {
    let body = scene.body(unit).unwrap();
    let mut wall = Wall::new(scene.mesh(unit).unwrap());
    wall.set_pose(motion);
    let mut found = Vec::new();
    ConvexWall::new().for_each_contact(
        &Placed::new(&body, motion),
        &wall,
        &mut Default::default(),
        |mut contact| {
            contact.point = motion.inverse_transform_point(contact.point) / unit;
            contact.normal = motion.inverse_transform_vector(contact.normal);
            contact.overlap /= unit;
            contact.depth /= unit;
            found.push(contact);
        },
    );
    found
}

/// Returns what is wrong with the contacts, if anything, and how many are left over.
fn difference(
    scene: &LatticeScene,
    found: &[ConvexWallContact],
    expected: &[LatticeContact],
) -> Result<usize, String> {
    let corners = scene.vertices.iter().chain(scene.triangles.as_flattened());
    let size = corners.flatten().map(|x| x.abs()).max().unwrap_or(0);
    let tolerance = ROUNDING * size as f64;
    let overlap = |n: DVec3, point: DVec3| {
        let vertices = scene.vertices.iter().map(|&v| oracle::to_vector(v, 1.0));
        let heights = vertices.map(|v| n.dot(v - point));
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    let near = |a: f64, b: f64| (a - b).abs() < tolerance;
    let is = |contact: &ConvexWallContact, expected: &LatticeContact| {
        let n = contact.normal;
        let is_normal = match expected.normals[..] {
            [only] => only.distance(n) < ROUNDING,
            _ => true,
        };
        is_normal
            && near(contact.depth, expected.depth)
            && near(contact.overlap, overlap(n, contact.point))
            && near(contact.overlap, overlap(n, expected.point))
    };
    if let Some(missing) = expected.iter().find(|e| !found.iter().any(|c| is(c, e))) {
        return Err(format!("{missing:?} is missing in {found:?}"));
    }
    if let Some(other) = found.iter().find(|c| !expected.iter().any(|e| is(c, e))) {
        return Err(format!("{other:?} is none of {expected:?}"));
    }
    // Contacts with the same plane are one.
    Ok(found.len().saturating_sub(expected.len()))
}

#[test]
fn scenes_on_the_lattice() {
    let mut random = random(31);
    let count = cases(1000);
    let (mut wrong, mut doubled, mut touching, mut several, mut tied, mut total) =
        (0, 0, 0, 0, 0, 0);
    for case in 0..count {
        let family = WallFamily::ALL[case % 9];
        let seed = random.next_u64();
        let scene = LatticeScene::new(family, seed);
        let expected = contacts_with_wall(&scene.vertices, &scene.triangles, BEND);
        let unit = [1.0, 1.0, 2.0_f64.powi(-40), 2.0_f64.powi(30)][random.below(4)];
        let motion = match random.below(3) {
            0 => Pose3::new(random.rotation(), random.in_ball() * (1e3 * unit)).unwrap(),
            1 => Pose3::new(DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5), DVec3::X * unit).unwrap(),
            _ => Pose3::IDENTITY,
        };
        let found = contacts(&scene, unit, motion);
        match difference(&scene, &found, &expected) {
            Ok(more) => doubled += usize::from(more > 0),
            Err(difference) => {
                wrong += 1;
                println!(
                    "{case}: LatticeScene::new(WallFamily::{family:?}, {seed}), {unit}, {motion:?}: {difference}"
                );
            }
        }
        total += expected.len();
        touching += usize::from(!expected.is_empty());
        several += usize::from(expected.len() > 1);
        let is_tied = |pair: &[LatticeContact]| pair[0].depth == pair[1].depth;
        tied += usize::from(
            expected.windows(2).any(is_tied) || expected.iter().any(|c| c.facets.len() > 1),
        );
    }
    println!(
        "{wrong} of {count} wrong, {doubled} doubled; {touching} touch, {several} at several places, {tied} with ties; {total} contacts"
    );
    assert!(wrong == 0 && doubled == 0);
    assert!(touching > count / 2 && tied > count / 4 && several > count / 8);
}
