//! Periodic boxes, and pair lists with a skin.

use osculate::glam::DVec2;
use osculate::{
    BroadPhase, BruteForce, LinkedCells, PairList, Periodic, PeriodicBox, Skin, Sphere,
};

use crate::Result;
use reproduce::random::SplitMix64;
use reproduce::svg::{BLUE, DARK, GRAY, ORANGE, RED, Svg, dashed, filled, stroked};

type Disc = Sphere<DVec2>;

/// Random discs in a box that overlap little.
fn discs(count: usize, size: DVec2, radii: [f64; 2], seed: u64) -> Vec<Disc> {
    let mut random = SplitMix64::new(seed);
    let mut discs: Vec<Disc> = Vec::new();
    while discs.len() < count {
        let radius = random.range(radii[0], radii[1]);
        let center = DVec2::new(random.range(0.0, size.x), random.range(0.0, size.y));
        let is_free = |d: &Disc| {
            let mut delta = (d.center - center).abs();
            delta = delta.min(size - delta);
            delta.length() > 0.93 * (d.radius + radius)
        };
        if discs.iter().all(is_free) {
            discs.push(Disc::new(center, radius));
        }
    }
    discs
}

/// A box before and after shear: pairs across its faces.
pub(crate) fn images() -> Result<String> {
    let size = DVec2::new(8.0, 6.0);
    let bodies = discs(21, size, [0.5, 0.95], 8);
    let mut svg = Svg::new(780.0, 350.0, "A periodic box, orthogonal and sheared");
    for (left, tilt, name) in [
        (200.0, 0.0, "orthogonal"),
        (580.0, 2.4, "sheared by xy = 2.4"),
    ] {
        let period = PeriodicBox::triclinic(DVec2::ZERO, size, [tilt, 0.0, 0.0], [true; 3])?;
        let mut broad = Periodic::new(BruteForce::new(), period);
        broad.rebuild(&bodies)?;
        let mut pairs = Vec::new();
        broad.collect_pairs(&mut pairs);

        svg.view([left, 172.0], size * 0.5, 30.0);
        for (x, y) in (-1..=1)
            .flat_map(|x| (-1..=1).map(move |y| (x, y)))
            .filter(|&p| p != (0, 0))
        {
            let shift = period.lattice_vector([x, y, 0]);
            for body in &bodies {
                let center = body.center + shift;
                let outside = (-center).max(center - size).max_element();
                if outside < 0.8 {
                    svg.circle(center, body.radius, &dashed("#b5b5ae"));
                }
            }
        }
        for body in &bodies {
            svg.circle(body.center, body.radius, &filled(BLUE, 0.2));
        }
        svg.rectangle(DVec2::ZERO, size, &stroked(DARK, 1.5));
        for &[i, j] in &pairs {
            let (a, b) = (bodies[i as usize].center, bodies[j as usize].center);
            let near = period.minimum_image(b - a);
            let across = (near - (b - a)).length() > 1e-9;
            let color = if across { RED } else { GRAY };
            svg.line(a, a + near, &stroked(color, 1.8));
            if across {
                svg.line(b, b - near, &stroked(color, 1.8));
            }
        }
        svg.write([left, 24.0], "middle", DARK, name);
    }
    svg.caption(
        "Red: pairs across a face, drawn from both bodies to the nearest image of the other.",
    );
    Ok(svg.finish())
}

/// A list after a rebuild, and when a body is about to leave its inflated disc.
pub(crate) fn skin() -> Result<String> {
    let mut bodies = discs(11, DVec2::new(5.6, 3.6), [0.42, 0.62], 11);
    let mut random = SplitMix64::new(2);
    let moves: Vec<DVec2> = bodies
        .iter()
        .map(|_| random.in_ball().truncate() * 0.028)
        .collect();
    let skin = 0.5;
    let mut list = PairList::<_, ()>::new(LinkedCells::new(), Skin::Absolute(skin))?;
    let first = bodies.clone();
    let mut svg = Svg::new(780.0, 330.0, "The pairs of a list with a skin");
    let mut step = 0;
    loop {
        let is_rebuilt = list.update(&bodies)?;
        let mut next = bodies.clone();
        next.iter_mut()
            .zip(&moves)
            .for_each(|(body, step)| body.center += *step);
        let leaves =
            |(body, first): (&Disc, &Disc)| body.center.distance(first.center) >= 0.5 * skin;
        let is_last = next.iter().zip(&first).any(leaves);
        if step == 0 || is_last {
            assert_eq!(is_rebuilt, step == 0);
            let left = if step == 0 { 200.0 } else { 580.0 };
            svg.view([left, 160.0], DVec2::new(2.8, 1.8), 56.0);
            for (body, first) in bodies.iter().zip(&first) {
                svg.circle(first.center, body.radius + 0.5 * skin, &dashed(GRAY));
                svg.circle(body.center, body.radius, &filled(BLUE, 0.2));
            }
            for &[i, j] in list.pairs() {
                let [a, b] = [i, j].map(|i| bodies[i as usize].center);
                svg.line(a, b, &stroked(ORANGE, 1.2));
            }
            list.for_each_touching_pair(|i, j, ()| {
                let [a, b] = [i, j].map(|i| bodies[i].center);
                svg.line(a, b, &stroked(RED, 2.5));
            });
            let when = if step == 0 {
                "just rebuilt".into()
            } else {
                format!("{step} steps later, kept")
            };
            svg.write([left, 24.0], "middle", DARK, &when);
        }
        if is_last {
            break;
        }
        (bodies, step) = (next, step + 1);
    }
    svg.caption("Orange: pairs of the list. Red: those that touch. Kept while each body is inside its dashed disc.");
    Ok(svg.finish())
}
