//! The model against counts of a simulated search, which shares no formula with it.

use glam::{DVec2, DVec3};

use super::tests::assert_near;
use super::*;
use crate::testing::workload::SplitMix64;
use SearchDirection::{BottomUp, TopDown};

/// Counts tests, rows and cells of a plain search, for random positions in a periodic box of side 1.
///
/// `bodies` are levels and radii; `cells` are the numbers of cells of the levels along an axis.
fn counted(
    d: usize,
    bodies: &[(usize, f64)],
    cells: &[usize],
    direction: SearchDirection,
) -> [f64; 3] {
    let mut largest = vec![0.0_f64; cells.len()];
    for &(level, r) in bodies {
        largest[level] = largest[level].max(r);
    }
    let mut count = [0.0; 3];
    let mut random = SplitMix64::new(d as u64);
    const ROUNDS: usize = 8;
    for _ in 0..ROUNDS {
        let places: Vec<[f64; 3]> = bodies
            .iter()
            .map(|_| [0; 3].map(|_| random.unit()))
            .collect();
        for (p, &(own, r)) in bodies.iter().enumerate() {
            let searched = match direction {
                TopDown => 0..own,
                BottomUp => own + 1..cells.len(),
            };
            // The first cell and the number of cells along each axis; 3 on the body's own level.
            let block = |j: usize| {
                let m = cells[j] as f64;
                let reach = if j == own { 0.0 } else { r + largest[j] };
                places[p].map(|x| {
                    let [low, high] = [-reach, reach].map(|by| ((x + by) * m).floor());
                    let more = f64::from(u8::from(j == own));
                    (low - more, high - low + 1.0 + 2.0 * more)
                })
            };
            for j in searched.clone() {
                let cells = block(j);
                count[1] += cells[1..d].iter().map(|c| c.1).product::<f64>();
                count[2] += cells[..d].iter().map(|c| c.1).product::<f64>();
            }
            let blocks: Vec<_> = (0..cells.len()).map(block).collect();
            for (q, &(j, _)) in bodies.iter().enumerate() {
                let is_searched = if j == own {
                    q > p
                } else {
                    searched.contains(&j)
                };
                let m = cells[j] as f64;
                let is_near = (0..d).all(|axis| {
                    let (first, count) = blocks[j][axis];
                    ((places[q][axis] * m).floor() - first).rem_euclid(m) < count
                });
                count[0] += f64::from(u8::from(is_searched && is_near));
            }
        }
    }
    let [tests, rows, all] = count.map(|c| c / (ROUNDS * bodies.len()) as f64);
    let (rows_on, cells_on) = if d == 2 { (2.0, 5.0) } else { (5.0, 14.0) };
    [tests, rows + rows_on, all + cells_on]
}

/// The counts agree within 1 %: the statistical error of about 10^5 tests, and n - 1 instead of n other bodies.
#[test]
fn counts_at_random_places() {
    const CELLS: [usize; 3] = [20, 8, 4];
    let mut random = SplitMix64::new(11);
    let bodies: Vec<(usize, f64)> = (0..1000)
        .map(|i| match i % 20 {
            0 => (2, random.range(0.07, 0.11)),
            1..=4 => (1, random.range(0.03, 0.0625)),
            _ => (0, random.range(0.01, 0.02)),
        })
        .collect();
    let r: Vec<f64> = bodies.iter().map(|&(_, r)| r).collect();
    let radii = RadiusDistribution::new(&r).unwrap();
    let sizes = LevelSizes::new([1.0 / 20.0, 1.0 / 8.0, 1.0 / 4.0]).unwrap();
    for direction in [TopDown, BottomUp] {
        let flat = GridCostModel::new::<DVec2>(&radii, 1000.0, direction, GridCost::ROWS).unwrap();
        let solid = GridCostModel::new::<DVec3>(&radii, 1000.0, direction, GridCost::ROWS).unwrap();
        for (d, model) in [(2, flat), (3, solid)] {
            let work = model.work(&sizes);
            let counted = counted(d, &bodies, &CELLS, direction);
            for (found, expected) in counted.into_iter().zip([work.tests, work.rows, work.cells]) {
                assert_near(found, expected, 0.01);
            }
        }
    }
}
