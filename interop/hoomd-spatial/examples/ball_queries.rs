//! Times balls around all points, and single moves, and compares with hoomd-spatial's own
//! structures.
//!
//! `cargo run --release --example ball_queries`

use cpu_time::ThreadTime;
use hoomd_spatial::{
    HashCell, IndexFromPosition, PointUpdate, PointsNearBall, VecCell, WithSearchRadius,
};
use hoomd_vector::Cartesian;
use osculate::glam::{DVec2, DVec3};
use osculate::{Vector, testing::workload::SplitMix64};
use osculate_hoomd_spatial::OsculateGrid;

const COUNT: usize = 100_000;
/// The radius of the balls, for which the structures are built.
const RADIUS: f64 = 1.0;
const ROUNDS: usize = 7;

/// Nanoseconds per point, the median of some rounds; and the sum of the results of a round.
fn time(mut round: impl FnMut() -> usize) -> (f64, usize) {
    let mut found = 0;
    let mut times = [0.0; ROUNDS];
    for time in &mut times {
        let start = ThreadTime::now();
        found = round();
        *time = start.elapsed().as_secs_f64() * 1e9 / COUNT as f64;
    }
    times.sort_unstable_by(f64::total_cmp);
    (times[ROUNDS / 2], found)
}

/// Counts the points in a ball. Like hoomd-rs, the caller checks the distances again.
fn count_near<const D: usize>(
    data: &impl PointsNearBall<Cartesian<D>, u32>,
    points: &[Cartesian<D>],
    center: &Cartesian<D>,
) -> usize {
    let is_near = |key: &u32| {
        let point = &points[*key as usize];
        let square = |axis: usize| (point[axis] - center[axis]) * (point[axis] - center[axis]);
        (0..D).map(square).sum::<f64>() <= RADIUS * RADIUS
    };
    let near = data.points_near_ball(center, RADIUS);
    near.filter(is_near).count()
}

fn fill<const D: usize, X>(points: &[Cartesian<D>]) -> X
where
    X: WithSearchRadius + PointUpdate<Cartesian<D>, u32>,
{
    let mut data = X::with_search_radius(RADIUS.try_into().expect("positive"));
    for (key, point) in (0..).zip(points) {
        data.insert(key, *point);
    }
    data
}

fn balls<const D: usize>(
    data: &impl PointsNearBall<Cartesian<D>, u32>,
    points: &[Cartesian<D>],
) -> (f64, usize) {
    let near = |center| count_near(data, points, center);
    time(|| points.iter().map(near).sum())
}

/// Each point moves a little away and back, with a ball at each position.
fn moves<const D: usize, X>(mut data: X, points: &[Cartesian<D>]) -> (f64, usize)
where
    X: PointUpdate<Cartesian<D>, u32> + PointsNearBall<Cartesian<D>, u32>,
{
    time(|| {
        let mut found = 0;
        for (key, &point) in (0..).zip(points) {
            let mut moved = point;
            moved[0] += 0.3 * RADIUS;
            for place in [moved, point] {
                data.insert(key, place);
                found += count_near(&data, points, &place);
            }
        }
        found
    })
}

fn row<V: Vector, const D: usize>(density: f64) {
    let side = (COUNT as f64 / density).powf(1.0 / D as f64);
    let mut random = SplitMix64::new(1);
    let mut point = || [0; D].map(|_| random.range(-0.5 * side, 0.5 * side)).into();
    let mut points: Vec<Cartesian<D>> = (0..COUNT).map(|_| point()).collect();
    let cells: VecCell<u32, D> = fill(&points);
    // In the order in which hoomd-microstate sorts its sites.
    points.sort_by_key(|point| cells.location_from_position(point));

    let cells: VecCell<u32, D> = fill(&points);
    let hashed: HashCell<u32, D> = fill(&points);
    let ours: OsculateGrid<u32, V> = fill(&points);
    let [cell, hash, updated] = [
        balls(&cells, &points),
        balls(&hashed, &points),
        balls(&ours, &points),
    ];
    let [cell_move, our_move] = [moves(cells, &points), moves(ours, &points)];
    assert_eq!([hash.1, updated.1], [cell.1; 2]);
    assert_eq!(our_move.1, cell_move.1);
    println!(
        "| {D}D, {:.1} | {:.0} ns | {:.2} | {:.2} | {:.0} ns | {:.2} |",
        cell.1 as f64 / COUNT as f64,
        cell.0,
        hash.0 / cell.0,
        updated.0 / cell.0,
        cell_move.0,
        our_move.0 / cell_move.0,
    );
}

fn main() {
    println!("| points in a ball | `VecCell` | `HashCell` | ours | move, `VecCell` | ours |");
    println!("|---|---|---|---|---|---|");
    for density in [1.0, 4.0] {
        row::<DVec2, 2>(density);
    }
    for density in [0.3, 1.0, 4.0] {
        row::<DVec3, 3>(density);
    }
}
