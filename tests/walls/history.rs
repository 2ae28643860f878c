//! Values that follow contacts at walls and shares of pressure fields.

use crate::support::all_contacts;
use crate::support::convex::cuboid;
use crate::support::wall::grid;

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{
    ContactHistory, PressureContact, PressureField, PressureShare, PressureState, WallHistory,
    match_contacts,
};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::rewritten;
use osculate::{
    BruteForce, ConvexPolyhedron, DoubleHierarchy, Feature, NarrowPhase, PairList, PeriodicBox,
    Placed, Pose3, Skin, Sphere, SurfaceMesh, Wall, WallContact,
};

/// A floor of hills.
fn hills() -> SurfaceMesh {
    grid([8, 8], |x, y| {
        let height = 0.2 * f64::from((3 * x + 5 * y) % 3);
        DVec3::new(f64::from(x), f64::from(y), height)
    })
}

/// Values do not depend on the order or numbering of the mesh, and last while the sphere slides.
#[test]
fn values_follow_contacts_over_facets() {
    let mesh = hills();
    let walls = [0, 1, 2].map(|seed| match seed {
        0 => Wall::new(mesh.clone()),
        _ => Wall::new(rewritten(&mesh, seed).unwrap()),
    });
    let mut kernel = DoubleHierarchy::new();
    let (mut histories, mut longest) = ([(); 3].map(|()| WallHistory::<u32>::default()), 0);
    for step in 0..400 {
        let center = DVec3::new(
            1.0 + 0.015 * f64::from(step),
            2.3 + 0.005 * f64::from(step),
            0.75,
        );
        let sphere = Sphere::new(center, 0.6);
        let [first, others @ ..] = [0, 1, 2].map(|i| {
            let mut found = Vec::new();
            histories[i].for_each_contact(&mut kernel, &sphere, &walls[i], |c, age| {
                *age += 1;
                found.push((c.point.as_vec3(), *age));
            });
            found
        });
        assert!(
            others.iter().all(|other| *other == first),
            "step {step}: {first:?} {others:?}"
        );
        let all = all_contacts(&mut kernel, &sphere, &walls[0]).into_iter();
        assert!(
            all.map(|c| c.point.as_vec3())
                .eq(first.iter().map(|found| found.0))
        );
        longest = first.iter().map(|found| found.1).fold(longest, u32::max);
    }
    assert!(longest > 50, "{longest}");
}

/// A disc that touches two images of the same vertex: the values do not change places.
#[test]
fn two_images_of_a_vertex() {
    let ends = [DVec2::ZERO, DVec2::new(0.5, 1.0), DVec2::new(1.0, 0.0)];
    let mesh = SegmentMesh::new(ends.to_vec(), vec![[0, 1], [1, 2]]).unwrap();
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::new(1.0, 1.0), [true, false, false]);
    let wall = Wall::periodic(mesh, period.unwrap(), 0.65).unwrap();
    let mut kernel = DoubleHierarchy::new();
    let mut history = WallHistory::<[i32; 2], DVec2>::default();
    for step in 0..20 {
        // The nearer one changes.
        let x = 1.0 + 0.01 * f64::from(step % 5 - 2);
        let disc = Sphere::new(DVec2::new(x, 1.3), 0.65);
        let mut count = 0;
        history.for_each_contact(&mut kernel, &disc, &wall, |contact, [side, age]| {
            if *age == 0 {
                *side = contact.normal.x.signum() as i32;
            }
            *age += 1;
            count += 1;
            assert_eq!((*side, *age), (contact.normal.x.signum() as i32, step + 1));
        });
        assert_eq!(count, 2);
    }
}

fn cube() -> ConvexPolyhedron {
    cuboid(DVec3::splat(-0.5), DVec3::splat(0.5))
}

type Springs = ContactHistory<PressureShare, f64>;

/// A cube that turns on another one.
fn turning(shape: &ConvexPolyhedron, step: i32) -> [Placed<&ConvexPolyhedron>; 2] {
    let angle = 0.02 * f64::from(step);
    let turn = DQuat::from_rotation_z(angle);
    let upper = Pose3::new(turn, DVec3::new(0.2, 0.1, 0.98)).unwrap();
    [
        Placed::new(shape, Pose3::IDENTITY),
        Placed::new(shape, upper),
    ]
}

/// Adds 1 to the value of each share. A new one also gets a fraction that depends on its place.
fn marked(springs: &mut Springs, contact: &PressureContact) -> Vec<(DVec3, f64)> {
    let shares = contact.points.unwrap().shares;
    let followed = springs.follow_shares(&shares);
    let mark = |(share, value): (&PressureShare, &mut f64)| {
        let fraction = 0.1 * (share.point.x + 0.3 * share.point.y);
        *value += if *value == 0.0 { 1.0 + fraction } else { 1.0 };
        (share.point, *value)
    };
    followed.map(mark).collect()
}

/// Bodies that are renumbered come in the other order, and a run is stopped and started again: each share keeps the value
/// of the one that it continues.
#[test]
fn springs_of_reversed_pairs() {
    let shape = cube();
    let mut kernel = PressureField::new().with_points();
    let mut list =
        PairList::<_, (PressureState, Springs)>::new(BruteForce::new(), Skin::Relative(0.1));
    let list = list.as_mut().unwrap();
    let (mut plain, mut springs) = (PressureState::default(), Springs::default());
    let mut is_reversed = false;
    for step in 0..40 {
        let mut bodies = turning(&shape, step);
        let contact = kernel.contact_with(&bodies[0], &bodies[1], &mut plain);
        let expected = marked(&mut springs, &contact.unwrap());
        // Twice is not at all.
        for _ in 0..[0, 0, 1, 2][step as usize % 4] {
            is_reversed = !is_reversed;
            list.renumber(|i| Some(1 - i), |(state, _)| state.reverse())
                .unwrap();
        }
        if is_reversed {
            bodies.reverse();
        }
        list.update(&bodies).unwrap();
        #[cfg(feature = "serde")]
        if step == 25 {
            list.restore(crate::support::read_back(&list.snapshot()))
                .unwrap();
        }
        let mut found = Vec::new();
        list.for_each_touching_pair(|i, j, (state, springs)| {
            let contact = kernel.contact_with(&bodies[i], &bodies[j], state);
            found = marked(springs, &contact.unwrap());
        });
        assert_eq!(found.len(), expected.len(), "step {step}");
        for (point, value) in found {
            let is_same = |other: &&(DVec3, f64)| {
                other.0.distance(point) < 1e-9 && (other.1 - value).abs() < 1e-9
            };
            assert_eq!(expected.iter().filter(is_same).count(), 1, "step {step}");
        }
    }
    assert!(springs.iter().all(|(_, age)| *age > 10.0));
}

/// A contact continues on an adjacent facet if the normals differ by less than a right angle, and the present facet is
/// given first.
#[test]
fn contacts_that_match() {
    let wall = Wall::new(hills());
    let sphere = Sphere::new(DVec3::new(1.4, 1.3, 0.5), 0.4);
    let mut old = DoubleHierarchy::new().contact(&sphere, &wall).unwrap();
    (old.normal, old.feature, old.facet) = (DVec3::Z, Feature::Facet(1), 1);
    let matches = |normal: DVec3, allowed: (u32, u32, u32)| {
        let mut now = old;
        (now.normal, now.feature, now.facet) = (normal, Feature::Facet(2), 2);
        let mut count = 0;
        let are_adjacent = |wall, facet, other| (wall, facet, other) == allowed;
        let of = |contact: &WallContact| (7, *contact);
        match_contacts(&[now], &[old], of, are_adjacent, |_, _| count += 1);
        count == 1
    };
    let [above, below] = [1e-9, -1e-9].map(|z| DVec3::new(1.0, 0.0, z));
    assert!(matches(above, (7, 2, 1)) && matches(DVec3::Z, (7, 2, 1)));
    assert!(!matches(below, (7, 2, 1)) && !matches(DVec3::X, (7, 2, 1)));
    assert!(!matches(DVec3::Z, (7, 1, 2)) && !matches(DVec3::Z, (2, 7, 1)));
}

/// A second contact begins while the first one stays. After `clear` there is none, and values are new.
#[test]
fn contacts_that_join() {
    let corners = [DVec2::Y, DVec2::ZERO, DVec2::X].map(|x| 2.0 * x);
    let wall = Wall::new(SegmentMesh::new(corners.to_vec(), vec![[0, 1], [1, 2]]).unwrap());
    let mut kernel = DoubleHierarchy::new();
    let mut history = WallHistory::<u32, DVec2>::default();
    for (x, expected) in [(0.6, vec![1]), (0.45, vec![2, 1]), (0.45, vec![3, 2])] {
        let (disc, mut ages) = (Sphere::new(DVec2::new(x, 0.4), 0.5), Vec::new());
        history.for_each_contact(&mut kernel, &disc, &wall, |_, age| {
            *age += 1;
            ages.push(*age);
        });
        assert_eq!(ages, expected);
        assert_eq!(history.len(), expected.len());
    }
    history.clear();
    assert!(history.is_empty());
    let disc = Sphere::new(DVec2::new(0.45, 0.4), 0.5);
    history.for_each_contact(&mut kernel, &disc, &wall, |_, age| assert_eq!(*age, 0));
}
