//! Lists of bodies near a flat wall: any sequence of calls, failed updates, and snapshots.

use std::collections::BTreeMap;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::WallHistory;
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, ErrorKind, NarrowPhase, PeriodicBox, Pose3, Skin, Sphere, Wall, WallList,
};

use super::list::hills;
use crate::support::cases;

/// A flat floor of one square, 8 wide.
pub(super) fn floor() -> Wall {
    Wall::new(hills(2, 0.0))
}

pub(super) fn at_height(z: f64) -> Sphere<DVec3> {
    Sphere::new(DVec3::new(0.3, 0.2, z), 0.5)
}

/// Changes a flat wall.
fn change(wall: &mut Wall, random: &mut SplitMix64) {
    let height = [0.0, 0.5, 3.0, -4.0][random.below(4)];
    let mut vertices = wall.mesh().vertices().to_vec();
    match random.below(6) {
        0 => vertices[4].z = height,
        1 => vertices.iter_mut().for_each(|vertex| vertex.z = height),
        2 => wall.set_pose(Pose3::from_translation(DVec3::Z * height).unwrap()),
        3 => {
            let sides = DVec3::new(8.0, 8.0, 16.0 + height);
            let period = PeriodicBox::orthogonal(sides * -0.5, sides, [true; 3]).unwrap();
            *wall = match wall.period() {
                None => Wall::periodic(wall.mesh().clone(), period, 4.0).unwrap(),
                Some(_) => Wall::new(wall.mesh().clone()),
            };
            return;
        }
        4 => {
            *wall = floor();
            return;
        }
        _ => (),
    }
    if vertices != wall.mesh().vertices() {
        wall.set_vertices(&vertices).unwrap();
    }
}

fn any_body(random: &mut SplitMix64) -> Sphere<DVec3> {
    let height = [0.4, 0.0, 0.7, 1e-3, 3.2, -2.0, 6.0][random.below(7)];
    Sphere::new(at_height(height).center, [0.45, 0.0, 0.15][random.below(3)])
}

/// Returns the bodies of a new list: those whose boxes the wall touches, with all that have contacts.
fn bodies_near(bodies: &[Sphere<DVec3>], wall: &Wall, margin: f64) -> Vec<u32> {
    let mut near = Vec::new();
    wall.for_each_body_near(bodies, margin, &mut Vec::new(), |i, _| near.push(i as u32));
    let list = WallList::<()>::new(Skin::Absolute(0.0)).unwrap();
    let mut list = list.with_margin(margin).unwrap();
    list.update(bodies, wall).unwrap();
    assert_eq!(list.bodies(), near);
    let mut kernel = DoubleHierarchy::new().with_margin(margin).unwrap();
    let touching = |i: &usize| kernel.contact(&bodies[*i], wall).is_some();
    let mut touching = (0..bodies.len()).filter(touching);
    assert!(touching.all(|i| near.contains(&(i as u32))));
    near
}

/// The wall moves, deforms, repeats or is another one, bodies rest, move, come and go, or move to another list, and some
/// updates fail: bodies near
/// the wall are listed, `update` returns whether this has changed, and a body keeps its state while it is listed. Kernels
/// get all facets that they need.
#[test]
fn any_sequence_of_calls() {
    let mut random = SplitMix64::new(21);
    let (mut kept, mut nearest) = (0, 0);
    for _ in 0..cases(300) {
        let skin = [Skin::Absolute(0.0), Skin::Relative(0.1)][random.below(2)];
        let mut list = WallList::<((), u32)>::new(skin).unwrap();
        let (mut wall, mut margin) = (floor(), 0.0);
        let mut bodies = vec![at_height(0.4); 4];
        let mut states = BTreeMap::<u32, u32>::new();
        let mut last = 0;
        for step in 0..40 {
            match random.below(9) {
                0 => bodies.push(any_body(&mut random)),
                1 => bodies.truncate(1 + random.below(6)),
                2 => {
                    let moved = random.below(bodies.len());
                    bodies[moved] = any_body(&mut random);
                }
                3 => {
                    margin = [0.0, 2.77][random.below(2)];
                    list = list.with_margin(margin).unwrap();
                }
                4 => {
                    // Another list goes on with the bodies and their states.
                    let moved = list.snapshot().into_bodies().collect();
                    list = WallList::new(skin).unwrap().with_margin(margin).unwrap();
                    list.restore(moved).unwrap();
                }
                _ => {
                    let changes = 1 + random.below(2);
                    (0..changes).for_each(|_| change(&mut wall, &mut random));
                }
            }
            if random.below(4) == 0 {
                // Also with fewer bodies.
                let mut bad = bodies[..random.below(bodies.len())].to_vec();
                bad.push(at_height(f64::NAN));
                list.update(&bad, &wall).unwrap_err();
            }
            let before = list.bodies().to_vec();
            let has_changed = list.update(&bodies, &wall).unwrap();
            assert_eq!(has_changed, list.bodies() != before, "{step}");
            let now = list.bodies().iter().zip(list.data());
            let now: BTreeMap<u32, u32> = now.map(|(&body, state)| (body, state.1)).collect();
            for (body, &state) in &now {
                let expected = states.get(body).copied().unwrap_or(0);
                assert_eq!(state, expected, "{step}: {body}");
                kept += usize::from(state > 0);
            }
            let mut kernel = DoubleHierarchy::new().with_margin(margin).unwrap();
            list.for_each_body(&wall, |i, near, state| {
                let expected = kernel.contact(&bodies[i], &wall);
                assert_eq!(kernel.contact(&bodies[i], near), expected);
                last += u32::from(state.1 == 0);
                state.1 = if state.1 == 0 { last } else { state.1 };
            });
            states = { list.bodies().iter().zip(list.data()) }
                .map(|(&body, state)| (body, state.1))
                .collect();

            let near = bodies_near(&bodies, &wall, margin);
            assert!(near.iter().all(|body| now.contains_key(body)), "{step}");
            nearest += near.len();
        }
    }
    assert!(kept > 1000 && nearest > 1000);
}

/// Poses and meshes 1e12 away, where bodies are as close to touching as rounding: 1e-4. Rotations move them by as much, and
/// so do the images of a periodic wall.
#[test]
fn walls_far_away() {
    /// Between coordinates 1e12 away, so that images round to the other side of touching.
    const RADIUS: f64 = 0.30005;
    let mut random = SplitMix64::new(14);
    let mut touching = [0; 3];
    let period = DVec3::splat(8.3);
    for trial in 0..6000 {
        let kind = trial % 3;
        let [is_mesh_far, is_periodic] = [kind == 1, kind == 2];
        let far = (random.in_ball().normalize() * 1e12).round();
        let mut floor = floor();
        let mut from = DVec3::new(0.3, 0.2, RADIUS);
        if is_mesh_far {
            let vertices = floor.mesh().vertices().iter().map(|&v| v + far);
            floor.set_vertices(&vertices.collect::<Vec<_>>()).unwrap();
            from += far;
        }
        if is_periodic {
            let period = PeriodicBox::orthogonal(DVec3::ZERO, period, [true; 3]).unwrap();
            floor = Wall::periodic(floor.mesh().clone(), period, 1.0).unwrap();
            from.z += 8.3;
        }
        let mut list = WallList::<()>::new(Skin::Absolute(0.0)).unwrap();
        for step in 0..3 {
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            let turn = if is_periodic { DQuat::IDENTITY } else { turn };
            // The first search is near the origin.
            let is_near = is_mesh_far || step == 0;
            let shift = if is_near { DVec3::ZERO } else { far };
            let pose = Pose3::new_normalize(turn, shift).unwrap();
            floor.set_pose(pose);
            let at = from + DVec3::Z * random.range(-1e-4, 3e-4);
            let sphere = [Sphere::new(pose.transform_point(at), RADIUS)];
            list.update(&sphere, &floor).unwrap();
            if DoubleHierarchy::new().contact(&sphere[0], &floor).is_some() {
                assert_eq!(list.bodies(), [0], "{trial}");
                touching[kind] += 1;
            }
        }
    }
    assert!(touching.iter().all(|&count| count > 500), "{touching:?}");
}

type Aged = ((), u8);

#[test]
fn bad_snapshots_are_refused() {
    let mut list = WallList::<Aged>::new(Skin::Relative(0.2)).unwrap();
    for bodies in [[1, 1], [1, 0]] {
        let snapshot = bodies.map(|body| (body, ((), 1))).into_iter().collect();
        let error = list.restore(snapshot).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parameter);
        assert_eq!(error.to_string(), "entry 1: not in ascending order");
    }
}

/// A body that does not exist loses its state, and two bodies get no common index before the first update.
#[test]
fn restored_bodies_that_do_not_exist() {
    let mut list = WallList::<Aged>::new(Skin::Relative(0.2)).unwrap();
    let snapshot = [(0, ((), 4)), (7, ((), 5))].into_iter().collect();
    list.restore(snapshot).unwrap();
    let error = list.renumber(|_| Some(3)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
    assert_eq!(list.bodies(), [0, 7]);
    assert!(list.update(&[at_height(0.4)], &floor()).unwrap());
    assert_eq!((list.bodies(), list.data()), (&[0][..], &[((), 4)][..]));
}

/// A failed update with fewer or more bodies loses no state in a renumbering.
#[test]
fn renumbering_after_a_failed_update() {
    let floor = floor();
    for count in [1, 2, 4, 6] {
        let mut list = WallList::<WallHistory<u8>>::new(Skin::Relative(0.1)).unwrap();
        list.update(&[at_height(0.4); 4], &floor).unwrap();
        let mut bodies = vec![at_height(0.4); count];
        bodies[count - 1].radius = f64::NAN;
        assert!(list.update(&bodies, &floor).is_err());
        assert!(list.renumber(|i| Some(i / 2)).is_err());
        list.renumber(|i| Some(3 - i.min(3))).map_or_else(
            |error| assert_eq!((error.kind(), count), (ErrorKind::Index, 6)),
            |()| assert!(count < 6),
        );
        list.update(&[at_height(0.4); 4], &floor).unwrap();
        assert_eq!(list.bodies(), [0, 1, 2, 3]);
    }
}
