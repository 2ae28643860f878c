//! Prints the time of a rebuild and of a step of the scenes, with soil_core's search and with osculate's.
//!
//! `cargo run --release --example steps`, about a minute. Times are of one thread's processor.

#[path = "../tests/scenes/mod.rs"]
mod scenes;

use std::time::Duration;

use cpu_time::ThreadTime;
use grass_scheduler::prelude::*;
use scenes::{Scene, Search};
use soil_core::*;

/// Time between the systems before and after the search, in steps that rebuild.
#[derive(Clone, Copy, Default)]
struct Clock {
    start: Option<ThreadTime>,
    rebuild: Duration,
    rebuilds: u32,
}

fn start(mut clock: ResMut<Clock>) {
    clock.start = Some(ThreadTime::now());
}

fn stop(mut clock: ResMut<Clock>, neighbor: Res<Neighbor>) {
    if neighbor.steps_since_build == 0 {
        let time = clock.start.map_or(Duration::ZERO, |start| start.elapsed());
        clock.rebuild += time;
        clock.rebuilds += 1;
    }
}

/// Returns milliseconds of a rebuild and of a step, and bodies at the end.
fn times(scene: &Scene, search: Search) -> ([f64; 2], usize) {
    let mut app = scene.app(search);
    app.add_resource(Clock::default());
    // After the ghosts, before the search.
    app.add_update_system(start.after(BORDERS), ParticleSimScheduleSet::PreNeighbor);
    app.add_update_system(stop, ParticleSimScheduleSet::PreForce);
    let begin = ThreadTime::now();
    app.start();
    let step = begin.elapsed().as_secs_f64() / scene.steps as f64;
    let clock = *app.get_resource_ref::<Clock>().unwrap();
    let rebuild = clock.rebuild.as_secs_f64() / f64::from(clock.rebuilds);
    let bodies = app.get_resource_ref::<Atom>().unwrap().nlocal();
    ([rebuild * 1e3, step * 1e3], bodies as usize)
}

fn main() {
    let hopper = Scene::hopper(20, 1000);
    let gas = Scene::gas(20, 1000);
    let large = Scene {
        ratio: 10.0,
        ..Scene::gas(24, 200)
    };
    let mut lines = Vec::new();
    for (name, scene) in [
        ("hopper", hopper),
        ("gas", gas),
        ("gas, size ratio 10", large),
    ] {
        // In turn, the best of three.
        let mut best = [[f64::INFINITY; 2]; 2];
        let mut bodies = 0;
        for _ in 0..3 {
            for (best, search) in best.iter_mut().zip([Search::Soil, Search::Osculate]) {
                let (times, count) = times(&scene, search);
                *best = [best[0].min(times[0]), best[1].min(times[1])];
                bodies = count;
            }
        }
        let [soil, ours] = best;
        lines.push(format!(
            "| {name}, {bodies} | {:.2} | {:.2} | {:.1} | {:.3} | {:.3} | {:.1} |",
            soil[0],
            ours[0],
            soil[0] / ours[0],
            soil[1],
            ours[1],
            soil[1] / ours[1],
        ));
    }
    println!("times in ms");
    println!(
        "| scene, bodies | rebuild, soil_core | osculate | ratio | step, soil_core | osculate | ratio |"
    );
    println!("|---|---|---|---|---|---|---|");
    lines.iter().for_each(|line| println!("{line}"));
}
