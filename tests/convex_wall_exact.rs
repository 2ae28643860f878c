//! Convex polyhedra at walls against an oracle in integers, on scenes full of ties. OSCULATE_CASES sets the number:
//! `OSCULATE_CASES=100000 cargo test --release --all-features --test convex_wall_exact -- --nocapture`.

mod support;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::testing::oracle::{self, LatticeContact};
use osculate::testing::workload::{LatticeScene, WallFamily};
use osculate::{NarrowPhase, Placed, Pose3, Wall};
use support::convex::{cases, random};

const BEND: f64 = 0.5;
/// Relative to the size of the body.
const ROUNDING: f64 = 1e-11;

/// Returns the contacts in the frame and the units of the scene.
fn contacts(
    scene: &LatticeScene,
    sides: WallSides,
    unit: f64,
    motion: Pose3,
) -> Vec<ConvexWallContact> {
    let body = scene.body(unit).unwrap();
    let mut wall = Wall::new(scene.mesh(unit).unwrap());
    wall.set_pose(motion);
    let mut found = Vec::new();
    ConvexWall::new().with_sides(sides).for_each_contact(
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

/// Returns what is wrong with the contacts, if anything.
fn difference(
    scene: &LatticeScene,
    found: &[ConvexWallContact],
    expected: &[LatticeContact],
    tolerance: f64,
) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!(
            "{} contacts instead of {}",
            found.len(),
            expected.len()
        ));
    }
    let height = |normal: DVec3| {
        let vertices = scene.vertices.iter().map(|&v| oracle::to_vector(v, 1.0));
        vertices
            .map(|v| normal.dot(v))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let is = |contact: &ConvexWallContact, expected: &LatticeContact| {
        let n = contact.normal;
        let is_normal = match expected.normals[..] {
            [only] => n.distance(only) < ROUNDING,
            // A combination of them; only its overlap is compared.
            _ => (n.length() - 1.0).abs() < ROUNDING,
        };
        let overlap = height(n) - n.dot(expected.point);
        is_normal
            && (contact.depth - expected.depth).abs() < tolerance
            && (contact.overlap - overlap).abs() < tolerance
            && contact.facet == expected.facets[0]
    };
    let mut left: Vec<_> = found.iter().collect();
    for expected in expected {
        match left.iter().position(|contact| is(contact, expected)) {
            Some(i) => drop(left.swap_remove(i)),
            None => return Some(format!("no {expected:?}")),
        }
    }
    None
}

#[test]
fn scenes_on_the_lattice() {
    let mut random = random(31);
    let count = cases(2000);
    let (mut wrong, mut touching, mut several, mut tied, mut total) = (0, 0, 0, 0, 0);
    for case in 0..count {
        let family = WallFamily::ALL[case % 9];
        let seed = random.next_u64();
        let scene = LatticeScene::new(family, seed);
        let sides = [WallSides::Both, WallSides::Front][random.below(2)];
        let center = (sides == WallSides::Both).then_some(scene.center);
        let expected = oracle::contacts_with_wall(&scene.vertices, center, &scene.triangles, BEND);
        let unit = [1.0, 1.0, 2.0_f64.powi(-40), 2.0_f64.powi(30)][random.below(4)];
        let motion = match random.below(3) {
            0 => Pose3::new(random.rotation(), random.in_ball() * (1e3 * unit)).unwrap(),
            1 => Pose3::new(DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5), DVec3::X * unit).unwrap(),
            _ => Pose3::IDENTITY,
        };
        let found = contacts(&scene, sides, unit, motion);
        let difference = difference(&scene, &found, &expected, 1e3 * ROUNDING);
        if let Some(difference) = &difference {
            wrong += 1;
            let kind = if expected.iter().any(|c| c.normals.is_empty()) { "deep" } else if found.len() > expected.len() { "more" } else if found.len() < expected.len() { "less" } else { "values" };
            println!("KIND {kind} {family:?} {sides:?} {}", scene.vertices.len());
            if kind == "less" || kind == "values" { let f: Vec<_> = found.iter().map(|c| format!("  F p {} n {} o {} d {} f {}", c.point, c.normal, c.overlap, c.depth, c.facet)).collect(); let e: Vec<_> = expected.iter().map(|c| format!("  E p {} n {:?} d {} f {:?}", c.point, c.normals, c.depth, c.facets)).collect(); println!("seed {seed} {sides:?} {difference}\n{}\n{}", f.join("\n"), e.join("\n"));

                println!(
                    "{case}: LatticeScene::new(WallFamily::{family:?}, {seed}), {sides:?}, {unit}, {motion:?}: {difference}\n{scene:?}\n{found:#?}\n{expected:#?}"
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
        "{wrong} of {count} wrong; {touching} touch, {several} at several places, {tied} with ties; {total} contacts"
    );
    assert_eq!(wrong, 0);
    assert!(touching > count / 2 && tied > count / 4 && several > count / 8);
}
