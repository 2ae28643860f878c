//! Sets that searches get wrong: ties on cell faces, coincident bodies, far outliers, extents and
//! sizes of any magnitude; and invalid numbers, which should be refused with their index.

use osculate::Sphere;
use osculate::glam::DVec3;
use osculate::testing::workload::{SplitMix64, random_spheres};

use super::searches::{Body, BvhCrate, Kiddo, Osculate, ParryRebuilt, Rstar, Search, Zelll};
use super::{Pairs, exact, sorted};
use crate::report::{Report, caught};

/// Three points on a line, with cells of size 1 that start at the first. The others are exactly at
/// most 1 apart, and yet two cells.
fn tie(random: &mut SplitMix64) -> Option<[f64; 3]> {
    let origin = random.range(-1.0, 0.0);
    let face = (2 + random.below(4)) as f64;
    let cell = |x: f64| (x - origin).floor();
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

/// Pairs at the largest distance at which they touch, to the last digit.
fn just_touching(random: &mut SplitMix64, is_along_x: bool, is_equal: bool) -> Vec<Body> {
    let mut bodies = Vec::new();
    for i in 0..20 {
        let direction = if is_along_x {
            DVec3::X
        } else {
            random.in_ball().normalize()
        };
        let first = Sphere::new(
            random.in_ball() + 10.0 * f64::from(i),
            random.range(0.1, 1.0),
        );
        let radius = if is_equal {
            first.radius
        } else {
            random.range(0.1, 1.0)
        };
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

/// n^3 spheres along the axes that just touch.
fn lattice(side: i32, radius: f64, start: f64) -> Vec<Body> {
    let at = |i: i32| start + 2.0 * radius * f64::from(i);
    let center = |i: i32| DVec3::new(at(i % side), at(i / side % side), at(i / side / side));
    (0..side.pow(3))
        .map(|i| Sphere::new(center(i), radius))
        .collect()
}

fn sets() -> Vec<(&'static str, Vec<Body>)> {
    let mut random = SplitMix64::new(17);
    let some = random_spheres::<DVec3>(300, 0.3, 2.0, 5);
    let all = |change: &dyn Fn(&mut Body)| {
        let mut bodies = some.clone();
        bodies.iter_mut().for_each(change);
        bodies
    };
    let some_and = |more: &[Body]| [&some, more].concat();
    let at = |x: f64, radius: f64| Sphere::new(DVec3::new(x, -x, 0.5 * x), radius);
    let mut sets = Vec::new();
    while sets.len() < 8 {
        sets.extend(tie(&mut random).map(|points| ("cell faces", line(&points, 0.5))));
    }
    // A released library loses the pair of these.
    let known = [-0.9201729513225276, 1.0798270486774721, 2.079827048677472];
    sets.push(("cell faces", line(&known, 0.5)));
    for (is_along_x, is_equal) in [(true, true), (true, false), (false, true), (false, false)] {
        sets.push((
            "just touching",
            just_touching(&mut random, is_along_x, is_equal),
        ));
        sets.push((
            "just touching",
            just_touching(&mut random, is_along_x, is_equal),
        ));
    }
    for (radius, start) in [(0.5, 0.0), (0.1, 0.0), (1.0 / 3.0, -0.7), (0.1, 1e6)] {
        sets.push(("lattice", lattice(6, radius, start)));
    }
    let two_places = [vec![at(0.0, 1.0); 90], vec![at(1.0, 1.0); 90]].concat();
    for bodies in [vec![at(0.3, 1.0); 200], vec![at(0.3, 0.0); 100], two_places] {
        sets.push(("coincident", bodies));
    }
    sets.push(("coincident", some_and(&[some[0]; 200])));
    for far in [1e6, 1e10, 1e15, 1e40].map(|x| at(x, 1.0)) {
        sets.push(("outlier", some_and(&[far])));
        sets.push(("outlier", some_and(&[at(-far.center.x, 1.0), far, far])));
    }
    for extent in [1e5, 1e12, 1e30] {
        sets.push(("extent", some_and(&all(&|b| b.center *= extent))));
    }
    for (largest, smallest) in [(1e3, 1.0), (1e6, 1e-6), (30.0, 0.0)] {
        let small = all(&|b| b.radius = b.radius.min(smallest));
        sets.push((
            "sizes",
            [small, vec![at(1.0, largest), at(9.0, 3.0)]].concat(),
        ));
    }
    for scale in [1e-30, 1e-12, 1e30] {
        let scaled = all(&|b| *b = Sphere::new(b.center * scale, b.radius * scale));
        sets.push(("scale", scaled));
    }
    sets.push(("on a line", all(&|b| b.center *= DVec3::X)));
    sets
}

const BAD: usize = 137;

/// Invalid sets, each with one invalid body.
fn bad_sets() -> Vec<Vec<Body>> {
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

/// The pairs of a search, or its error message.
fn outcome<S: Search>(bodies: &[Body]) -> Result<Pairs, String> {
    let found = caught(|| sorted::<S>(bodies, Body::touches));
    found.unwrap_or_else(|panic| Err(format!("panic: {panic}")))
}

fn judge<S: Search>(report: &mut Report) {
    let (sets, bad) = (sets(), bad_sets());
    let (mut wrong, mut unnamed, mut failures) = (0, 0, Vec::new());
    for (name, bodies) in &sets {
        let words = match outcome::<S>(bodies) {
            Ok(found) if found == exact(bodies) => continue,
            Ok(_) => "pairs missed or too many".into(),
            Err(words) => words,
        };
        wrong += 1;
        failures.push(format!("{name}: {words}"));
    }
    for bodies in &bad {
        let words = match outcome::<S>(bodies) {
            Err(words) if words.contains(&format!(" {BAD}")) => continue,
            Err(words) => words,
            Ok(found) => format!("taken, {} pairs", found.len()),
        };
        unnamed += 1;
        failures.push(format!("not a number: {words}"));
    }
    failures.dedup();
    println!(
        "neighbors/hostile: {} {wrong} of {} wrong",
        S::NAME,
        sets.len()
    );
    failures.iter().for_each(|words| println!("    {words}"));
    report.wrong("neighbors/hostile", S::NAME, wrong, sets.len());
    report.wrong(
        "neighbors/not-a-number-unnamed",
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
