//! Figure 17: the time of all common planes of a run against the vertices of the blocks. The first query of each pair counts,
//! and kept candidates are tried first (section 6.3). The ground is a body, like the blocks.

use std::time::Duration;

use cpu_time::ThreadTime;
use osculate::glam::DVec3;
use osculate::reference::{FastCommonPlane, FastCommonPlaneState};
use osculate::{CommonPlane, CommonPlaneState, HierarchicalGrid, NarrowPhase as _, PairList, Skin};
use plotters::prelude::*;

use crate::Options;
use crate::Result;
use crate::assembly::{Assembly, Shape};
use crate::figures::{self, A, B};
use crate::measure::TOLERANCE;
use crate::shapes::{self, KINDS};
use reproduce::progress;

/// The blocks of each run.
pub(crate) const COUNTS: [usize; 4] = [162, 243, 324, 405];
/// The duration of the paper's runs.
pub(crate) const SECONDS: f64 = 1.25;
const STEP: f64 = SECONDS / 85_000.0;

struct Run {
    /// The paper's search, and the exact kernel.
    times: [Duration; 2],
    queries: u64,
    searches: u64,
    passes: u64,
    kinetic: f64,
}

/// Drops blocks of one kind on the ground.
fn drop_blocks(count: usize, kind: usize, [seconds, step]: [f64; 2]) -> Result<Run> {
    let shapes = shapes::library()?;
    let ground = Shape::cuboid(DVec3::new(2.3, 2.3, 0.3), f64::INFINITY)?;
    let mut assembly = Assembly::on_ground(&shapes, &ground, count, kind, step)?;
    let skin = Skin::Absolute(0.004);
    let mut fast_list = PairList::<_, FastCommonPlaneState<_>>::new(HierarchicalGrid::new(), skin)?;
    let mut exact_list = PairList::<_, CommonPlaneState>::new(HierarchicalGrid::new(), skin)?;
    let mut fast = FastCommonPlane::new()
        .with_margin(TOLERANCE)?
        .with_kept_candidates(true);
    let mut exact = CommonPlane::new().with_margin(TOLERANCE)?;
    let (mut times, mut queries) = ([Duration::ZERO; 2], 0);
    let steps = (seconds / step) as u64;
    let progress =
        progress::bar(steps).with_message(format!("{count} blocks of {} vertices", KINDS[kind]));
    for _ in 0..steps {
        assembly.step(|_, _| queries += 1)?;
        let blocks = &assembly.blocks;
        fast_list.update(blocks)?;
        exact_list.update(blocks)?;
        let start = ThreadTime::now();
        fast_list.for_each_touching_pair(|i, j, state| {
            fast.for_each_contact(&blocks[i], &blocks[j], state, |_| {});
        });
        times[0] += start.elapsed();
        let start = ThreadTime::now();
        exact_list.for_each_touching_pair(|i, j, state| {
            exact.for_each_contact(&blocks[i], &blocks[j], state, |_| {});
        });
        times[1] += start.elapsed();
        progress.inc(1);
    }
    progress.finish_and_clear();
    let stats = fast.stats();
    Ok(Run {
        times,
        queries,
        searches: stats.searched,
        passes: stats.iterations,
        kinetic: assembly.kinetic(),
    })
}

/// Runs all kinds of blocks for each count, and draws the times relative to those of tetrahedra.
pub(crate) fn write(options: &Options) -> Result<()> {
    let times = [options.seconds, options.step.unwrap_or(STEP)];
    let colors = [A, B, BLUE, RED];
    let (mut rows, mut lines) = (String::new(), Vec::new());
    println!(
        "| blocks, vertices | queries | searches | passes a search | searches over those of 4 | kinetic energy, J |"
    );
    println!("|---|---|---|---|---|---|");
    for (&count, color) in options.counts.iter().zip(colors) {
        let (mut first, mut points): (Option<Run>, _) = (None, Vec::new());
        for (kind, vertices) in KINDS.into_iter().enumerate() {
            let run = drop_blocks(count, kind, times)?;
            let base = first.as_ref().unwrap_or(&run);
            println!(
                "| {count}, {vertices} | {} | {} | {:.2} | {:.2} | {:.1e} |",
                run.queries,
                run.searches,
                run.passes as f64 / run.searches as f64,
                run.searches as f64 / base.searches as f64,
                run.kinetic
            );
            let [fast, exact] = [0, 1].map(|k| {
                let [time, base] = [run.times[k], base.times[k]].map(|time| time.as_secs_f64());
                (1e3 * time, time / base)
            });
            rows += &format!(
                "| {count}, {vertices} | {:.0} | {:.2} | {:.0} | {:.2} |\n",
                fast.0, fast.1, exact.0, exact.1
            );
            points.push((vertices as f64, fast.1));
            first.get_or_insert(run);
        }
        lines.push((format!("{count} blocks"), color, points));
    }
    println!(
        "\ntimes of all queries, ms\n| blocks, vertices | paper's search | over 4 | exact kernel | over 4 |"
    );
    println!("|---|---|---|---|---|\n{rows}");
    let Some(folder) = &options.out else {
        return Ok(());
    };
    let lines: Vec<_> = lines
        .iter()
        .map(|(name, color, points)| (name.as_str(), *color, points.clone()))
        .collect();
    let path = folder.join("common-plane-vertices.svg");
    figures::chart(
        &path,
        "vertices of each block",
        "time / time of 4 vertices",
        &lines,
    )
}
