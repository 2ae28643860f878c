//! Sets that searches get wrong: ties on cell faces, bodies at one place, far outliers, extents and
//! sizes of any magnitude; and numbers that are none, which should be refused with their index.

use osculate::Sphere;
use osculate::glam::DVec3;
use osculate::testing::workload::{Random, random_spheres};

use super::searches::{Body, BvhCrate, Kiddo, Osculate, ParryRebuilt, Rstar, Search, Zelll};
use super::{difference, exact, sorted};
use crate::report::{Report, caught};

/// Three points on a line: the second is on a face of cells of size 1 that start at the first, and
/// the third so little above the face before last, or below, that its exact distance is at most 1.
fn tie(random: &mut Random) -> Option<[f64; 3]> {
    let origin = random.within(-1.0, 0.0);
    let face = (2 + random.below(4)) as f64;
    let cell = |x: f64| ((x - origin) / 1.0).floor();
    let (mut b, mut tries) = (origin + face, 0);
    while cell(b) < face && tries < 8 {
        (b, tries) = (b.next_up(), tries + 1);
    }
    let a = b - 1.0;
    let is_near = |a: f64| Sphere::new(DVec3::X * a, 0.5).touches(&Sphere::new(DVec3::X * b, 0.5));
    [a.next_down(), a, a.next_up()]
        .into_iter()
        .find(|&a| is_near(a) && cell(b) - cell(a) >= 2.0)
        .map(|a| [origin, a, b])
}

/// Pairs as far apart as they can be while they touch, to the last digit.
fn just_touching(random: &mut Random, is_along_x: bool) -> Vec<Body> {
    let mut bodies = Vec::new();
    for i in 0..20 {
        let direction = if is_along_x {
            DVec3::X
        } else {
            random.in_ball().normalize()
        };
        let first = Sphere::new(
            random.in_ball() + 10.0 * f64::from(i),
            random.within(0.1, 1.0),
        );
        let radius = random.within(0.1, 1.0);
        let mut distance = (first.radius + radius) * (1.0 + 1e-15);
        let second = |distance| Sphere::new(first.center + direction * distance, radius);
        while !second(distance).touches(&first) {
            distance = distance.next_down();
        }
        bodies.extend([first, second(distance)]);
    }
    bodies
}

fn line(xs: &[f64], radius: f64) -> Vec<Body> {
    xs.iter()
        .map(|&x| Sphere::new(DVec3::X * x, radius))
        .collect()
}

/// n^3 spheres that just touch, along the axes.
fn lattice(side: i32, radius: f64, start: f64) -> Vec<Body> {
    let at = |i: i32| start + 2.0 * radius * f64::from(i);
    let center = |i: i32| DVec3::new(at(i % side), at(i / side % side), at(i / side / side));
    (0..side.pow(3))
        .map(|i| Sphere::new(center(i), radius))
        .collect()
}

fn scaled(bodies: &[Body], scale: f64) -> Vec<Body> {
    bodies
        .iter()
        .map(|b| Sphere::new(b.center * scale, b.radius * scale))
        .collect()
}

fn with(bodies: &[Body], more: &[Body]) -> Vec<Body> {
    [bodies, more].concat()
}

fn sets() -> Vec<(&'static str, Vec<Body>)> {
    let mut random = Random::new(17);
    let some = random_spheres::<DVec3>(300, 0.3, 2.0, 5);
    let at = |x: f64, radius: f64| Sphere::new(DVec3::new(x, -x, 0.5 * x), radius);
    let mut sets = Vec::new();
    let mut ties = 0;
    while ties < 8 {
        if let Some(points) = tie(&mut random) {
            sets.push(("cell faces", line(&points, 0.5)));
            ties += 1;
        }
    }
    // Released libraries lose the pair of these.
    let known = [-0.9201729513225276, 1.0798270486774721, 2.079827048677472];
    sets.push(("cell faces", line(&known, 0.5)));
    for i in 0..8 {
        sets.push(("just touching", just_touching(&mut random, i % 2 == 0)));
    }
    for (radius, start) in [(0.5, 0.0), (0.1, 0.0), (1.0 / 3.0, -0.7), (0.1, 1e6)] {
        sets.push(("lattice", lattice(6, radius, start)));
    }
    sets.push(("coincident", vec![at(0.3, 1.0); 200]));
    sets.push(("coincident", with(&some, &vec![some[0]; 200])));
    sets.push((
        "coincident",
        with(&vec![at(0.0, 1.0); 90], &vec![at(1.0, 1.0); 90]),
    ));
    sets.push(("coincident", vec![at(0.3, 0.0); 100]));
    for far in [1e6, 1e10, 1e15, 1e40] {
        sets.push(("outlier", with(&some, &[at(far, 1.0)])));
        sets.push((
            "outlier",
            with(&some, &[at(-far, 1.0), at(far, 1.0), at(far, 1.0)]),
        ));
    }
    for extent in [1e5, 1e12, 1e30] {
        let spread = some
            .iter()
            .map(|b| Sphere::new(b.center * extent, b.radius));
        sets.push(("extent", with(&spread.collect::<Vec<_>>(), &some)));
    }
    for (largest, smallest) in [(1e3, 1.0), (1e6, 1e-6), (30.0, 0.0)] {
        let small = some
            .iter()
            .map(|b| Sphere::new(b.center, b.radius.min(smallest)));
        sets.push((
            "sizes",
            with(
                &small.collect::<Vec<_>>(),
                &[at(1.0, largest), at(9.0, 3.0)],
            ),
        ));
    }
    for scale in [1e-30, 1e-12, 1e30] {
        sets.push(("scale", scaled(&some, scale)));
    }
    let flat = some
        .iter()
        .map(|b| Sphere::new(b.center * DVec3::X, b.radius));
    sets.push(("on a line", flat.collect()));
    sets
}

/// What is to be refused, each with one bad body, number 137.
fn bad_sets() -> Vec<Vec<Body>> {
    const BAD: usize = 137;
    let some = random_spheres::<DVec3>(300, 0.3, 2.0, 5);
    let change = |change: fn(&mut Body)| {
        let mut bodies = some.clone();
        change(&mut bodies[BAD]);
        bodies
    };
    vec![
        change(|b| b.center.x = f64::NAN),
        change(|b| b.center = DVec3::NAN),
        change(|b| b.center.z = f64::INFINITY),
        change(|b| b.center.y = f64::NEG_INFINITY),
        change(|b| b.radius = f64::NAN),
        change(|b| b.radius = -1.0),
    ]
}

fn judge<S: Search>(report: &mut Report) {
    let sets = sets();
    let (mut wrong, mut failures) = (0, Vec::new());
    for (name, bodies) in &sets {
        let (right, touches) = (exact(bodies), |a: &Body, b: &Body| a.touches(b));
        let failure = match caught(|| sorted::<S>(bodies, touches)) {
            Err(panic) => format!("panic: {panic}"),
            Ok(Err(error)) => error,
            Ok(Ok(found)) => match difference(&found, &right) {
                0 => continue,
                _ => "pairs missed or too many".into(),
            },
        };
        wrong += 1;
        failures.push(format!("{name}: {failure}"));
    }
    let bad = bad_sets();
    let mut unnamed = 0;
    for bodies in &bad {
        let message = match caught(|| sorted::<S>(bodies, |a, b| a.touches(b))) {
            Err(panic) => format!("panic: {panic}"),
            Ok(Err(error)) => error,
            Ok(Ok(found)) => format!("{} pairs", found.len()),
        };
        if !message.contains("137") {
            unnamed += 1;
            failures.push(format!("not a number: {message}"));
        }
    }
    failures.dedup();
    println!(
        "neighbours/hostile: {} {wrong} of {} wrong",
        S::NAME,
        sets.len()
    );
    failures
        .iter()
        .for_each(|failure| println!("    {failure}"));
    report.wrong("neighbours/hostile", S::NAME, wrong, sets.len());
    report.wrong(
        "neighbours/not-a-number-unnamed",
        S::NAME,
        unnamed,
        bad.len(),
    );
}

pub(super) fn run(report: &mut Report) {
    judge::<Osculate>(report);
    judge::<Zelll>(report);
    judge::<Kiddo>(report);
    judge::<Rstar>(report);
    judge::<BvhCrate>(report);
    judge::<ParryRebuilt>(report);
}
