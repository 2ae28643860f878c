//! Broad phases against integers, in runs of any length; the default suits CI.
//!
//! ```sh
//! OSCULATE_CASES=1000000 cargo test --release --test broad long:: -- --nocapture
//! ```

use crate::support::cases;
use crate::support::lattice::{LatticeSphere, near, sorted_pairs};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::oracle::{LatticePoint, touching_pairs};
use osculate::testing::workload::SplitMix64;
use osculate::{
    BroadPhase, HierarchicalGrid, LinkedCells, Sphere, Vector,
    broad::{LevelSizes, Pair, SearchDirection},
};

/// All pairs that touch, by sorting along x and sweeping, in integers. Coordinates below 2^61.
fn swept_pairs(bodies: &[LatticeSphere]) -> Vec<Pair> {
    let mut order: Vec<u32> = (0..bodies.len() as u32).collect();
    let body = |i: u32| bodies[i as usize];
    let lower = |i: u32| body(i).0[0] - body(i).1;
    order.sort_unstable_by_key(|&i| lower(i));
    let sorted: Vec<_> = order.iter().map(|&i| body(i)).collect();
    let mut pairs = Vec::new();
    for (a, &(p, r)) in sorted.iter().enumerate() {
        let reached = p[0] + r;
        for (b, &(q, s)) in sorted.iter().enumerate().skip(a + 1) {
            if q[0] - s > reached {
                break;
            }
            let reach = i128::from(r + s);
            let d = [0, 1, 2].map(|k| i128::from(q[k] - p[k]));
            if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach {
                let (i, j) = (order[a], order[b]);
                pairs.push([i.min(j), i.max(j)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// A cubic lattice of equal spheres in any order, far from the origin, and the touching pairs:
/// neighbors along the axes, exactly. The pairs are known, so no oracle is needed.
fn planted(random: &mut SplitMix64, dim: usize) -> (Vec<LatticeSphere>, Vec<Pair>) {
    let side: usize = if dim == 2 { 70 } else { 17 };
    let spacing = 2 * (1 + random.below(1 << 16) as i64);
    let corner: LatticePoint = [0; 3].map(|_| random.below(1 << 30) as i64 - (1 << 29));
    let count = side.pow(dim as u32);
    let mut index_of: Vec<usize> = (0..count).collect();
    random.shuffle(&mut index_of);
    let mut bodies = vec![([0; 3], spacing / 2); count];
    let mut pairs = Vec::new();
    for (site, &index) in index_of.iter().enumerate() {
        let mut stride = 1;
        for axis in 0..dim {
            let step = site / stride % side;
            bodies[index].0[axis] = corner[axis] + step as i64 * spacing;
            if step > 0 {
                let other = index_of[site - stride];
                pairs.push([index.min(other) as u32, index.max(other) as u32]);
            }
            stride *= side;
        }
    }
    pairs.sort_unstable();
    (bodies, pairs)
}

/// Bodies of one of many kinds: in a box, on a sheet, along a line or in lumps; of one size, two or
/// many, points among them; anywhere, or on so coarse a lattice that many touch exactly.
fn scattered(random: &mut SplitMix64, dim: usize) -> Vec<LatticeSphere> {
    let count = if random.below(64) == 0 {
        20_000
    } else {
        1 + random.below(3000)
    };
    // Radii are up to 2^16, and some bodies overlap with dozens.
    let largest = 1_i64 << 16;
    let filled = random.range(0.02, 8.0) * largest as f64;
    let thin = random.below(dim);
    let shape = random.below(6);
    let side = |axis: usize| match shape {
        0 if axis != thin => 1,
        1 if axis == thin => 1,
        _ => 0,
    };
    let wide = (0..dim).filter(|&axis| side(axis) == 0).count() as f64;
    let extent = (filled * (count as f64).powf(1.0 / wide)) as i64 + 1;
    let grain = if random.below(3) == 0 {
        largest >> random.below(4)
    } else {
        1
    };
    let lumps = if shape == 2 { 1 + random.below(4) } else { 1 };
    let far: Vec<LatticePoint> = (0..lumps)
        .map(|_| [0; 3].map(|_| (random.below(1 << 12) as i64 - (1 << 11)) << random.below(30)))
        .collect();
    let sizes = random.below(4);
    let body = |_| {
        let radius = match sizes {
            0 => largest,
            1 => [largest, largest >> 5][random.below(2)],
            2 => (largest >> random.below(9)) - random.below(2) as i64,
            _ => [0, random.below(largest as usize) as i64][random.below(8).min(1)],
        };
        let lump = far[random.below(lumps)];
        let center = [0, 1, 2].map(|axis| match axis < dim {
            true if side(axis) == 0 => random.below(extent as usize) as i64 / grain * grain,
            _ => 0,
        });
        (
            [0, 1, 2].map(|k| if k < dim { center[k] + lump[k] } else { 0 }),
            radius,
        )
    };
    (0..count).map(body).collect()
}

/// The pairs of one search, of a kind that is picked, of bodies scaled by a power of two.
fn check<V: Vector>(random: &mut SplitMix64, bodies: &[LatticeSphere], expected: &[Pair]) {
    let scale = 2.0_f64.powi(random.below(160) as i32 - 110);
    let sphere = |&(p, r): &LatticeSphere| {
        Sphere::new(V::from_fn(|axis| p[axis] as f64 * scale), r as f64 * scale)
    };
    let spheres: Vec<Sphere<V>> = bodies.iter().map(sphere).collect();
    let smallest = scale * f64::from(1 << 14);
    let diameter = spheres
        .iter()
        .fold(smallest, |size, s| size.max(2.0 * s.radius));
    let kind = random.below(4);
    let mut cells = LinkedCells::new();
    let mut grid = HierarchicalGrid::new();
    if kind > 1 {
        let sizes = [0.07, 0.3, 1.0].map(|part| part * diameter);
        let direction = [SearchDirection::TopDown, SearchDirection::BottomUp][kind - 2];
        grid = HierarchicalGrid::new()
            .with_level_sizes(LevelSizes::new(sizes).unwrap())
            .with_direction(direction);
    }
    let found = if kind == 0 {
        cells.rebuild(&spheres).unwrap();
        sorted_pairs(&cells)
    } else {
        grid.rebuild(&spheres).unwrap();
        sorted_pairs(&grid)
    };
    if found != expected {
        let lost = expected
            .iter()
            .find(|pair| found.binary_search(pair).is_err());
        let made = found
            .iter()
            .find(|pair| expected.binary_search(pair).is_err());
        panic!("kind {kind}, scale {scale:e}: lost {lost:?}, made up {made:?} of {spheres:?}");
    }
}

/// Each true pair is found, once, and no other; the counts are of pairs that were expected and found.
#[test]
fn true_pairs() {
    let asked = cases(300_000) as u64;
    let (mut random, mut count, mut known, mut sets) = (SplitMix64::new(1), 0, 0, 0);
    while count < asked {
        let dim = 2 + random.below(4).min(1);
        let is_planted = sets % 4 == 0;
        let (bodies, expected) = if is_planted {
            planted(&mut random, dim)
        } else {
            let bodies = scattered(&mut random, dim);
            let expected = swept_pairs(&bodies);
            (bodies, expected)
        };
        match dim {
            2 => check::<DVec2>(&mut random, &bodies, &expected),
            _ => check::<DVec3>(&mut random, &bodies, &expected),
        }
        sets += 1;
        count += expected.len() as u64;
        known += if is_planted { expected.len() as u64 } else { 0 };
    }
    println!(
        "{count} true pairs in {sets} sets, {known} of them planted: none missed, none made up"
    );
}

/// Directions in which lattice points are at integer distances: along axes, in planes, and in
/// space, where a pair is across an edge or a corner of cells.
#[rustfmt::skip]
const WHOLE: [(LatticePoint, i64); 6] = [
    ([1, 0, 0], 1), ([3, 4, 0], 5), ([20, 21, 0], 29), ([1, 2, 2], 3), ([2, 3, 6], 7), ([4, 4, 7], 9),
];

/// Two bodies whose distance is the sum of their radii, up to some units in the last place of their
/// coordinates, the first of them on faces, edges or corners of cells.
///
/// All are integers just below 2^53, so an ulp is 1. Cells start at the lowest body, and are 2^-19
/// wider than the diameter.
fn tie(random: &mut SplitMix64, dim: usize) -> Vec<LatticeSphere> {
    let (direction, length) = WHOLE[random.below(if dim == 2 { 3 } else { WHOLE.len() })];
    let unit = 1 + random.below(1 << 40) as i64;
    let reach = unit * length;
    let first_radius = reach / 2 - random.below(3) as i64 * (reach / 5);
    let radii = [first_radius, reach - first_radius];
    // Sets the corner of the cells and their size.
    let radius = radii[0].max(radii[1]);
    let corner = (1_i64 << 52) + random.below(1 << 48) as i64;
    let width = 2 * radius + (radius >> 18);
    let ulps =
        |random: &mut SplitMix64, most: usize| random.below(2 * most + 1) as i64 - most as i64;
    let mut axes = [0, 1, 2];
    if dim == 2 {
        axes.swap(0, random.below(2));
    } else {
        random.shuffle(&mut axes);
    }
    let (mut first, mut second) = ([0; 3], [0; 3]);
    for k in 0..dim {
        let cells = 1 + random.below(16) as i64;
        // The half diameters by which cells may start below the lowest center.
        let half = random.below(2) as i64 * radius;
        first[k] = corner + cells * width - half + ulps(random, 2);
        let sign = [1, -1][random.below(2)];
        second[k] = first[k] + sign * unit * direction[axes[k]] + ulps(random, 1);
    }
    let low = [0, 1, 2].map(|k| if k < dim { corner } else { 0 });
    vec![(low, radius), (first, radii[0]), (second, radii[1])]
}

/// All that touch, or do not, by an ulp.
#[test]
fn ties() {
    let count = cases(2000) as u64;
    let (mut random, mut touching, mut exact) = (SplitMix64::new(3), 0, 0);
    for case in 0..count {
        let dim = 2 + (case % 2) as usize;
        let mut bodies = tie(&mut random, dim);
        // Another body makes it several levels.
        if random.below(2) == 0 {
            bodies.push((bodies[0].0, bodies[0].1 >> (3 + random.below(20))));
        }
        let expected = touching_pairs(&bodies);
        let [(p, r), (q, s)] = [bodies[1], bodies[2]];
        let d = [0, 1, 2].map(|k| i128::from(q[k] - p[k]));
        let excess = d.iter().map(|x| x * x).sum::<i128>() - i128::from(r + s).pow(2);
        touching += u64::from(excess <= 0);
        exact += u64::from(excess == 0);
        for _ in 0..3 {
            match dim {
                2 => check::<DVec2>(&mut random, &bodies, &expected),
                _ => check::<DVec3>(&mut random, &bodies, &expected),
            }
        }
        // The same by a query, and by the bodies themselves.
        let spheres: Vec<Sphere<DVec3>> = bodies
            .iter()
            .map(|&(p, r)| Sphere::new(DVec3::from_array(p.map(|x| x as f64)), r as f64))
            .collect();
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(&spheres).unwrap();
        assert_eq!(spheres[1].touches(&spheres[2]), excess <= 0, "{bodies:?}");
        assert_eq!(
            near(&grid, &spheres[1]).contains(&2),
            excess <= 0,
            "{bodies:?}"
        );
    }
    println!("{count} ties to an ulp, {touching} touch, {exact} exactly: each decided rightly");
    assert!((count / 4..count).contains(&touching) && exact > 0);
}
