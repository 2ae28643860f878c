//! The stages of a step, on one thread and on several.

use std::time::Instant;

use osculate::broad::Workers;
use osculate::{
    Bounded, BroadPhase, DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Sphere,
    Wall, WallList,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::bodies::{Motion, Moving};
use crate::{SKIN, heap};

/// How a scene is measured.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) threads: usize,
    /// A quarter as many come before: states and buffers have their sizes then.
    pub(crate) steps: usize,
}

/// The times of a scene, in ns.
pub(crate) struct Row {
    pub(crate) count: usize,
    pub(crate) threads: usize,
    /// Pairs of the list, or bodies near the wall.
    pairs: usize,
    /// The contacts of all steps.
    pub(crate) contacts: usize,
    pub(crate) rebuild: f64,
    pub(crate) kept: f64,
    pub(crate) touch: f64,
    bytes: usize,
}

impl Row {
    pub(crate) fn line(&self, name: &str) -> String {
        let count = self.count as f64;
        let per_body = self.pairs as f64 / count;
        format!(
            "| {name} | {} | {} | {per_body:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
            self.count,
            self.threads,
            self.rebuild,
            self.kept,
            self.touch,
            self.kept + self.touch * per_body,
            self.bytes / self.count,
        )
    }
}

/// The list and the contacts of a scene.
trait Detection<S> {
    /// Returns whether the list was rebuilt or changed.
    fn update(&mut self, bodies: &[S]) -> Result<bool, Error>;
    /// Returns the number of contacts.
    fn touch(&mut self, bodies: &[S]) -> usize;
    fn pairs(&self) -> usize;
}

/// Measures the contacts among bodies.
pub(crate) fn among_bodies<S, K>(
    bodies: &[S],
    motions: &[Motion],
    kernel: K,
    run: Run,
) -> Result<Row, Error>
where
    S: Moving + Bounded<Vector = osculate::glam::DVec3> + Sync,
    K: NarrowPhase<S> + Clone + Send,
    K::State: Send,
{
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(bodies)?;
    let bodies: Vec<S> = grid.spatial_order().map(|i| bodies[i].clone()).collect();
    drop(grid);
    measure(&bodies, motions, run, || {
        Ok(Pairs {
            list: PairList::<HierarchicalGrid, K::State>::new(HierarchicalGrid::new(), SKIN)?,
            workers: Workers::new(kernel.clone()),
            kernel,
            is_parallel: run.threads > 1,
        })
    })
}

/// Measures the contacts of spheres with a wall.
pub(crate) fn at_wall(wall: &Wall, spheres: &[Sphere], run: Run) -> Result<Row, Error> {
    measure(spheres, &Motion::random(spheres.len()), run, || {
        Ok(AtWall {
            wall,
            list: WallList::new(SKIN)?,
            workers: Workers::new(DoubleHierarchy::new()),
            kernel: DoubleHierarchy::new(),
            is_parallel: run.threads > 1,
        })
    })
}

fn measure<S: Moving + Sync, D: Detection<S> + Send>(
    bodies: &[S],
    motions: &[Motion],
    Run { threads, steps }: Run,
    start: impl FnOnce() -> Result<D, Error>,
) -> Result<Row, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool: ThreadPool = pool.expect("threads");
    let mut now = bodies.to_vec();
    let before = heap::bytes();
    let mut detection = start()?;
    let [mut rebuilds, mut keeps, mut touches] = [const { Vec::new() }; 3];
    let mut contacts = 0;
    let warm_up = steps / 4;
    for step in 0..warm_up + steps {
        for ((now, body), motion) in now.iter_mut().zip(bodies).zip(motions) {
            *now = body.moved(motion, step as f64);
        }
        let clock = Instant::now();
        let is_rebuilt = pool.install(|| detection.update(&now))?;
        let updated = clock.elapsed();
        contacts += pool.install(|| detection.touch(&now));
        let touched = clock.elapsed() - updated;
        if step >= warm_up {
            let times = if is_rebuilt {
                &mut rebuilds
            } else {
                &mut keeps
            };
            times.push(updated.as_nanos() as f64);
            touches.push(touched.as_nanos() as f64);
        }
    }
    let bytes = heap::bytes() - before;
    let (count, pairs) = (bodies.len(), detection.pairs());
    Ok(Row {
        count,
        threads,
        pairs,
        contacts,
        rebuild: median(rebuilds) / count as f64,
        kept: median(keeps) / count as f64,
        touch: median(touches) / pairs as f64,
        bytes,
    })
}

/// NaN without values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

struct Pairs<K: NarrowPhase<S>, S> {
    list: PairList<HierarchicalGrid, K::State>,
    workers: Workers<K, ()>,
    kernel: K,
    is_parallel: bool,
}

impl<S, K> Detection<S> for Pairs<K, S>
where
    S: Bounded<Vector = osculate::glam::DVec3> + Sync,
    K: NarrowPhase<S> + Clone + Send,
    K::State: Send,
{
    fn update(&mut self, bodies: &[S]) -> Result<bool, Error> {
        if self.is_parallel {
            self.list.par_update(bodies)
        } else {
            self.list.update(bodies)
        }
    }

    fn touch(&mut self, bodies: &[S]) -> usize {
        let mut count = 0;
        if self.is_parallel {
            self.list.par_for_each_touching_image(
                &mut self.workers,
                |kernel, pair, state, contacts| {
                    let [a, b] = [pair.i, pair.j].map(|i| &bodies[i]);
                    kernel.for_each_contact(a, b, state, |_| contacts.push(()));
                },
            );
            return self.workers.results().count();
        }
        let kernel = &mut self.kernel;
        self.list.for_each_touching_pair(|i, j, state| {
            kernel.for_each_contact(&bodies[i], &bodies[j], state, |_| count += 1);
        });
        count
    }

    fn pairs(&self) -> usize {
        self.list.pairs().len()
    }
}

struct AtWall<'a> {
    wall: &'a Wall,
    list: WallList<()>,
    workers: Workers<DoubleHierarchy, ()>,
    kernel: DoubleHierarchy,
    is_parallel: bool,
}

impl Detection<Sphere> for AtWall<'_> {
    fn update(&mut self, spheres: &[Sphere]) -> Result<bool, Error> {
        if self.is_parallel {
            self.list.par_update(spheres, self.wall)
        } else {
            self.list.update(spheres, self.wall)
        }
    }

    fn touch(&mut self, spheres: &[Sphere]) -> usize {
        let (wall, mut count) = (self.wall, 0);
        if self.is_parallel {
            let workers = &mut self.workers;
            self.list
                .par_for_each_body(wall, workers, |kernel, i, near, state, contacts| {
                    kernel.for_each_contact(&spheres[i], near, state, |_| contacts.push(()));
                });
            return workers.results().count();
        }
        let kernel = &mut self.kernel;
        self.list.for_each_body(wall, |i, near, state| {
            kernel.for_each_contact(&spheres[i], near, state, |_| count += 1);
        });
        count
    }

    fn pairs(&self) -> usize {
        self.list.bodies().len()
    }
}
