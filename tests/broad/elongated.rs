//! Long bodies: capsules around bodies, lists of pairs of capsules, and of bodies that rotate.

use crate::support::convex::{cuboid, polyhedron};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::closest_on_segment;
use osculate::shape::{Capsule, Convex};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, BroadPhase, BruteForce, CommonPlane, ConvexPolyhedron, Filtered, HierarchicalGrid,
    NarrowPhase, PairList, Periodic, PeriodicBox, Placed, Pose3, Rounded, Skin, Sphere, Vector,
};

use crate::support::{cases, seed};

type Grid<V> = HierarchicalGrid<V>;

fn random(case: usize) -> SplitMix64 {
    SplitMix64::new((seed() * 1_000_003 + case) as u64)
}

fn brick(sides: [f64; 3]) -> ConvexPolyhedron {
    let (half, center) = (DVec3::from(sides) * 0.5, DVec3::new(0.3, -0.2, 0.7));
    cuboid(center - half, center + half)
}

/// Capsules of aspects up to 60 and spheres. In every other case they are on a lattice, with many ties.
fn capsules<V: Vector>(random: &mut SplitMix64, count: usize, is_tied: bool) -> Vec<Capsule<V>> {
    let side = if V::DIM == 2 { 60.0 } else { 24.0 };
    let mut number = |from: f64, to: f64| {
        let x = random.range(from, to);
        if is_tied { x.round() } else { x }
    };
    let mut body = || {
        let center = V::from_fn(|_| number(0.0, side));
        let length = number(0.0, 5.0).powi(2) * number(0.0, 1.4);
        let is_along = number(0.0, 3.0) as usize;
        let way = V::from_fn(|axis| match is_tied {
            true => f64::from(u8::from(axis == is_along % V::DIM)),
            false => number(-1.0, 1.0),
        });
        let half = way * (0.5 * length.round() / way.length());
        let radius = if is_tied { 0.5 } else { number(0.1, 1.0) };
        let ends = match half.length() > 5.0 * radius {
            true => [center - half, center + half],
            false => [center; 2],
        };
        Capsule::new(ends, radius)
    };
    (0..count).map(|_| body()).collect()
}

/// Returns the distance of two segments by a search, whose error is far below 1e-9 of the size.
fn distance<V: Vector>(a: &Capsule<V>, b: &Capsule<V>) -> f64 {
    let at = |s: f64| {
        let point = a.ends[0] * (1.0 - s) + a.ends[1] * s;
        closest_on_segment(point, b.ends[0], b.ends[1])
            .distance_squared
            .sqrt()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let [s, t] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
        if at(s) < at(t) { high = t } else { low = s }
    }
    at(0.5 * (low + high)).min(at(0.0)).min(at(1.0))
}

/// The pairs are those of a search over all pairs; those closer to a tie than 1e-9 may be among them.
fn check_pairs<V: Vector>(found: &[[u32; 2]], bodies: &[Capsule<V>], images: &[V]) {
    for j in 0..bodies.len() {
        for i in 0..j {
            let reach = bodies[i].radius + bodies[j].radius;
            let gap = |&shift: &V| {
                let image = Capsule::new(bodies[j].ends.map(|end| end + shift), 0.0);
                let [a, b] = [&bodies[i], &image].map(Bounded::bounding_sphere);
                let least = (a.center - b.center).length() - a.radius - b.radius;
                if least > 1e-6 + bodies[j].radius {
                    return least;
                }
                distance(&bodies[i], &image) - reach
            };
            let gap = images.iter().map(gap).fold(f64::INFINITY, f64::min);
            let is_found = found.binary_search(&[i as u32, j as u32]).is_ok();
            let pair = [&bodies[i], &bodies[j]];
            assert!(is_found || gap > 0.0, "{pair:?}");
            assert!(!is_found || gap < 1e-9, "{gap} {pair:?}");
        }
    }
}

/// Returns the pairs of a list without a skin.
fn listed<B>(broad: B, bodies: &[Capsule<B::Vector>]) -> Vec<[u32; 2]>
where
    B: BroadPhase,
{
    let mut list = PairList::<_>::new(broad, Skin::Absolute(0.0)).unwrap();
    list.update(&bodies[..bodies.len() / 8]).unwrap();
    list.update(bodies).unwrap();
    let mut pairs = Vec::new();
    list.for_each_touching_pair(|i, j, ()| pairs.push([i as u32, j as u32]));
    // The list is hardly longer: capsules that touch to rounding are kept.
    assert!(list.pairs().len() <= pairs.len() + 1);
    pairs
}

fn all_pairs<V: Vector>(case: usize) {
    let mut random = random(case);
    let bodies = capsules::<V>(&mut random, 60, case.is_multiple_of(2));
    let found = listed(Grid::<V>::new(), &bodies);
    check_pairs(&found, &bodies, &[V::ZERO]);
    assert!(found.windows(2).all(|pairs| pairs[0] < pairs[1]));
    assert_eq!(listed(BruteForce::<V>::new(), &bodies), found);

    // In another order.
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    random.shuffle(&mut order);
    let shuffled: Vec<_> = order.iter().map(|&i| bodies[i]).collect();
    let mut renamed = listed(Grid::<V>::new(), &shuffled);
    for pair in &mut renamed {
        *pair = pair.map(|i| order[i as usize] as u32);
        pair.sort_unstable();
    }
    renamed.sort_unstable();
    assert_eq!(renamed, found);

    // Scaled by powers of two.
    for scale in [2.0_f64.powi(90), 2.0_f64.powi(-90)] {
        let scaled =
            |body: &Capsule<V>| Capsule::new(body.ends.map(|x| x * scale), body.radius * scale);
        let scaled: Vec<_> = bodies.iter().map(scaled).collect();
        assert_eq!(listed(Grid::<V>::new(), &scaled), found);
    }
}

#[test]
fn pairs_of_capsules() {
    for case in 0..cases(40) {
        all_pairs::<DVec3>(case);
        all_pairs::<DVec2>(case);
    }
}

#[test]
fn pairs_of_capsules_in_periodic_boxes() {
    for case in 0..cases(40) {
        let mut random = random(case);
        let mut bodies = capsules::<DVec3>(&mut random, 40, case.is_multiple_of(2));
        bodies.retain(|body| (body.ends[1] - body.ends[0]).length() < 9.5);
        let sides = DVec3::new(24.0, 26.0, 23.0);
        let most = if case.is_multiple_of(3) { 6.0 } else { 0.0 };
        let tilts = [random.range(-most, most), random.range(-most, most), 0.0];
        let period = PeriodicBox::triclinic(DVec3::splat(-3.0), sides, tilts, [true; 3]).unwrap();
        // Some bodies are in other periods.
        let away = |body: &Capsule, n: i32| {
            let shift = period.lattice_vector([n % 3 - 1, n % 5 - 2, n % 2]);
            Capsule::new(body.ends.map(|end| end + shift), body.radius)
        };
        let moved: Vec<_> = (0..).zip(&bodies).map(|(n, body)| away(body, n)).collect();
        let found = listed(Periodic::new(Grid::new(), period), &moved);
        let span = || -3..=3;
        let images = span().flat_map(|i| span().flat_map(move |j| span().map(move |k| [i, j, k])));
        let images: Vec<_> = images.map(|image| period.lattice_vector(image)).collect();
        check_pairs(&found, &bodies, &images);
    }
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(8.0), [true; 3]).unwrap();
    let broad = Periodic::new(Grid::new(), period);
    let mut list = PairList::<_>::new(broad, Skin::Absolute(0.0)).unwrap();
    let rod = |length: f64| Capsule::new([DVec3::ZERO, DVec3::X * length], 0.125);
    list.update(&[rod(3.0)]).unwrap();
    let error = list.update(&[rod(1.0), rod(4.0)]).unwrap_err();
    assert_eq!(error.kind(), osculate::ErrorKind::PeriodicBox);
}

/// Capsules hold their bodies, and bounding spheres hold their capsules, far from the origin too.
#[test]
fn capsules_hold_the_bodies() {
    let mut counts = [0; 2];
    for case in 0..cases(300) {
        let mut random = random(case);
        let sides = [1.0, random.range(0.3, 3.0), random.range(1.0, 40.0)];
        let shape = match case % 2 {
            0 => polyhedron(&mut random, sides[2]),
            _ => brick(sides),
        };
        let shift = random.in_ball() * 10.0_f64.powf(random.range(0.0, 9.0));
        let pose = Pose3::new_normalize(random.rotation(), shift).unwrap();
        let body = Placed::new(&shape, pose);
        let Some(capsule) = body.bounding_capsule() else {
            counts[0] += 1;
            continue;
        };
        counts[1] += 1;
        let own = shape.bounding_capsule().unwrap();
        let axis = |x: DVec3, [a, b]: [DVec3; 2]| closest_on_segment(x, a, b).offset.length();
        for &vertex in shape.vertices() {
            assert!(axis(vertex, own.ends) <= own.radius);
            assert!(axis(pose.transform_point(vertex), capsule.ends) <= capsule.radius);
        }
        let ball = capsule.bounding_sphere();
        for _ in 0..100 {
            let s = random.unit();
            let s = [s, 0.0, 1.0, s][random.below(4)];
            let way = random.in_ball().normalize() * capsule.radius;
            let point = capsule.ends[0] * (1.0 - s) + capsule.ends[1] * s + way;
            assert!(point.distance(ball.center) <= ball.radius);
        }
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Rods and spheres that turn and travel.
struct Scene<'a, S> {
    shapes: [&'a S; 3],
    start: Vec<(Pose3, DVec3, DVec3)>,
}

impl<'a, S> Scene<'a, S> {
    fn new(shapes: [&'a S; 3], side: f64, random: &mut SplitMix64) -> Self {
        let mut body = || {
            let place = DVec3::from([0; 3].map(|_| random.range(-0.5 * side, 0.5 * side)));
            let pose = Pose3::new_normalize(random.rotation(), place).unwrap();
            (pose, random.in_ball(), random.in_ball())
        };
        let start = (0..60).map(|_| body()).collect();
        Self { shapes, start }
    }

    fn at(&self, time: f64) -> Vec<Placed<&'a S>> {
        let body = |(i, &(pose, velocity, spin)): (usize, &(Pose3, DVec3, DVec3))| {
            let rotation = DQuat::from_scaled_axis(spin * (0.02 * time)) * pose.rotation();
            let place = pose.translation() + velocity * (0.02 * time);
            Placed::new(
                self.shapes[i % 3],
                Pose3::new_normalize(rotation, place).unwrap(),
            )
        };
        self.start.iter().enumerate().map(body).collect()
    }
}

fn visited<B: BroadPhase<Vector = DVec3>>(list: &mut PairList<B, u32>) -> Vec<([u32; 2], DVec3)> {
    let mut pairs = Vec::new();
    list.for_each_touching_image(|pair, data| {
        *data += 1;
        pairs.push(([pair.i as u32, pair.j as u32], pair.shift));
    });
    pairs
}

fn run<B, S>(broad: B, scene: &Scene<S>, margin: f64)
where
    B: BroadPhase<Vector = DVec3> + Clone + Sync,
    S: Convex<Vector = DVec3> + Sync,
{
    let list = |skin| {
        let list = PairList::<_, u32>::new(broad.clone(), skin).unwrap();
        list.with_margin(margin).unwrap()
    };
    let (mut kept, mut other) = (list(Skin::Relative(0.5)), list(Skin::Absolute(0.05)));
    let mut kernel = CommonPlane::new().with_margin(margin).unwrap();
    let (mut rebuilds, mut contacts) = (0, 0);
    for step in 0..40 {
        let bodies = scene.at(f64::from(step));
        let is_rebuilt = kept.update(&bodies).unwrap();
        rebuilds += i32::from(is_rebuilt);
        // The state costs time, never truth, and so do threads.
        #[cfg(feature = "rayon")]
        other.par_update(&bodies).unwrap();
        #[cfg(not(feature = "rayon"))]
        other.update(&bodies).unwrap();
        let pairs = visited(&mut kept);
        assert_eq!(visited(&mut other), pairs);
        for j in 0..bodies.len() {
            for i in 0..j {
                let shift = broad.periodic_box().map_or(DVec3::ZERO, |period| {
                    let [a, b] = [i, j].map(|k| {
                        bodies[k].bounding_capsule().map_or_else(
                            || bodies[k].bounding_sphere().center,
                            |capsule| (capsule.ends[0] + capsule.ends[1]) * 0.5,
                        )
                    });
                    period.nearest_shift(b, a)
                });
                let pose = bodies[j].pose;
                let place = Pose3::new_normalize(pose.rotation(), pose.translation() + shift);
                let image = Placed::new(bodies[j].shape, place.unwrap());
                if kernel.contact(&bodies[i], &image).is_some() {
                    let pair = ([i as u32, j as u32], shift);
                    assert!(pairs.contains(&pair), "step {step}: {pair:?}");
                    contacts += 1;
                }
            }
        }
        if step == 20 {
            let snapshot = kept.snapshot();
            #[cfg(feature = "serde")]
            let snapshot = crate::support::read_back(&snapshot);
            kept = list(Skin::Relative(0.5));
            kept.restore(snapshot).unwrap();
        }
    }
    assert!(
        (2..30).contains(&rebuilds) && contacts > 500,
        "{rebuilds} {contacts}"
    );
}

/// No contact is missed while bodies turn within the skin, and the pairs do not depend on the age of the list.
#[test]
fn lists_of_turning_rods() {
    let shapes = [[1.0, 1.0, 10.0], [1.0, 1.5, 4.0], [1.0; 3]].map(brick);
    let [rod, plank, cube] = &shapes;
    let round = |shape: &ConvexPolyhedron| Rounded::polyhedron(shape.clone(), 0.1).unwrap();
    let (capsule, round_plank) = (
        Rounded::capsule([DVec3::Z * -4.0, DVec3::Z * 5.0], 0.5).unwrap(),
        round(plank),
    );
    let round = [&capsule, &round_plank, &round(cube)];
    let side = 11.0;
    for case in 0..cases(3) {
        let scene = Scene::new([rod, plank, cube], side, &mut random(case));
        run(Grid::new(), &scene, 0.1);
        let rounded = Scene::new(round, side, &mut random(case));
        run(Grid::new(), &rounded, 0.1);
        run(Filtered::new(Grid::new(), |_, _| true), &scene, 0.0);
        let sides = DVec3::splat(31.0);
        let period = PeriodicBox::orthogonal(DVec3::ZERO, sides, [true, true, false]).unwrap();
        run(Periodic::new(Grid::new(), period), &scene, 0.1);
    }
}

/// Bodies with a capsule come and go: the list is rebuilt, and data stays with its pair.
#[test]
fn spheres_that_become_rods() {
    let sphere = |x: f64| Capsule::from(Sphere::new(DVec3::X * x, 1.0));
    let rod = Capsule::new([DVec3::new(2.5, -9.0, 0.0), DVec3::new(2.5, 9.0, 0.0)], 1.0);
    let mut list = PairList::<_, u32>::new(Grid::new(), Skin::Relative(0.5)).unwrap();
    let mut step = |bodies: &[Capsule]| {
        let is_rebuilt = list.update(bodies).unwrap();
        list.for_each_touching_pair(|_, _, data| *data += 1);
        (is_rebuilt, list.pairs().to_vec(), list.data().to_vec())
    };
    let four = [0.0, 1.5, 6.0, 20.0].map(sphere);
    assert_eq!(step(&four), (true, vec![[0, 1]], vec![1]));
    // Two spheres at each end, as many as before.
    assert_eq!(step(&[sphere(0.0), rod]), (true, vec![[0, 1]], vec![1]));
    assert_eq!(step(&four), (true, vec![[0, 1]], vec![2]));
    assert_eq!(step(&four), (false, vec![[0, 1]], vec![3]));
}

/// Capsules about as far apart as a tie allows are visited in both orders or in neither, and closer ones always.
#[test]
fn ties_of_capsules() {
    let mut random = random(9);
    for case in 0..cases(10_000) {
        let [u, v]: [DVec3; 2] = [(); 2].map(|()| random.in_ball().normalize() * 8.0);
        let [s, t] = [(); 2].map(|()| random.range(-0.9, 0.9));
        let slack = 2.0_f64.powi(-44) * (129.0 + (u * s - v * t).length_squared());
        let is_close = case % 2 == 0;
        let excess = slack
            * if is_close {
                0.5
            } else {
                random.range(1.0, 1.02)
            };
        let center = u.cross(v).normalize() * (1.0 + excess).sqrt() + u * s - v * t;
        let capsules = [[-u, u], [center - v, center + v]].map(|ends| Capsule::new(ends, 0.5));
        let is_visited = |order: [usize; 2]| {
            let mut list = PairList::<_>::new(BruteForce::new(), Skin::Absolute(0.1)).unwrap();
            list.update(&order.map(|i| capsules[i])).unwrap();
            let mut count = 0;
            list.for_each_touching_pair(|_, _, ()| count += 1);
            count == 1
        };
        let found = [[0, 1], [1, 0]].map(is_visited);
        assert!(found[0] == found[1] && (found[0] || !is_close), "{case}");
    }
}

#[test]
fn invalid_capsules() {
    let good = Capsule::new([DVec3::ZERO, DVec3::X * 9.0], 1.0);
    let nan = Capsule::new([DVec3::ZERO, DVec3::new(1.0, f64::NAN, 0.0)], 1.0);
    let thin = Capsule::new([DVec3::ZERO, DVec3::X], -1.0);
    let far = Capsule::new([-DVec3::X, DVec3::X].map(|x| x * 2.0_f64.powi(150)), 1.0);
    let mut list = PairList::<_>::new(Grid::new(), Skin::Relative(0.1)).unwrap();
    for (bad, kind) in [
        (nan, osculate::ErrorKind::Coordinate),
        (thin, osculate::ErrorKind::Radius),
        (far, osculate::ErrorKind::Radius),
    ] {
        let error = list.update(&[good, bad]).unwrap_err();
        assert_eq!((error.kind(), error.index()), (kind, Some(1)));
        assert!(list.pairs().is_empty());
    }
    // A segment without a radius, and one that is a hundred thousand radii long.
    let line = Capsule::new([DVec3::ZERO, DVec3::Y], 0.0);
    let needle = Capsule::new(
        [DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.0)],
        1e-5,
    );
    list.update(&[line, needle]).unwrap();
    assert_eq!(list.pairs(), [[0, 1]]);
}

/// The data of rods end when they separate, though their bounding spheres touch.
#[test]
fn data_of_rods_end_with_the_contact() {
    let rod = Rounded::capsule([DVec3::X * -4.0, DVec3::X * 4.0], 0.5).unwrap();
    let at = |y: f64| Placed::new(&rod, Pose3::from_translation(DVec3::Y * y).unwrap());
    let list = PairList::<_, u32>::new(BruteForce::new(), Skin::Absolute(1.0)).unwrap();
    let mut list = list.with_reset();
    let ages = [0.9, 1.1, 0.9].map(|y| {
        list.update(&[at(0.0), at(y)]).unwrap();
        list.for_each_touching_pair(|_, _, age| *age += 1);
        list.data()[0]
    });
    assert_eq!(ages, [1, 0, 1]);
}
