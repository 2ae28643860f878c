//! The stages of a step, on one thread and on several.

use std::time::Instant;

use osculate::broad::Workers;
use osculate::glam::DVec3;
use osculate::narrow::FacetSubset;
use osculate::{
    Bounded, BroadPhase, Error, HierarchicalGrid, NarrowPhase, PairList, Wall, WallList,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::bodies::{Motion, Moving};
use crate::{SKIN, heap};

/// How a scene is measured.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) threads: usize,
    /// A quarter as many come before, and one: states and buffers have their sizes then.
    pub(crate) steps: usize,
}

/// The times of a scene, in ns.
pub(crate) struct Row {
    count: usize,
    threads: usize,
    /// Pairs of the list, or bodies near the wall.
    pairs: usize,
    /// The contacts of all steps.
    pub(crate) contacts: usize,
    /// NaN if no step rebuilds the list.
    rebuild: f64,
    kept: f64,
    touch: f64,
    bytes: usize,
}

impl Row {
    pub(crate) fn line(&self, name: &str) -> String {
        let per_body = self.pairs as f64 / self.count as f64;
        let rebuild = if self.rebuild.is_nan() {
            "-".to_owned()
        } else {
            format!("{:.1}", self.rebuild)
        };
        format!(
            "| {name} | {} | {} | {per_body:.2} | {rebuild} | {:.1} | {:.1} | {:.1} | {} |",
            self.count,
            self.threads,
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
    S: Moving + Bounded<Vector = DVec3> + Sync,
    K: NarrowPhase<S> + Clone + Send,
    K::State: Send,
{
    let bodies = in_spatial_order(bodies)?;
    measure(&bodies, motions, run, || Pairs::new(kernel, run))
}

/// Measures the contacts of bodies with a wall.
pub(crate) fn at_wall<S, K, T>(
    wall: &Wall,
    bodies: &[S],
    motions: &[Motion],
    kernel: K,
    run: Run,
) -> Result<Row, Error>
where
    S: Moving + Bounded<Vector = DVec3> + Sync,
    K: for<'a> NarrowPhase<S, FacetSubset<'a>, State = T> + Clone + Send,
    T: Default + Send + Sync,
{
    measure(bodies, motions, run, || AtWall::new(wall, kernel, run))
}

/// Measures the contacts among bodies and with a wall.
pub(crate) fn in_container<S, K, T>(
    wall: &Wall,
    bodies: &[S],
    motions: &[Motion],
    kernel: K,
    run: Run,
) -> Result<Row, Error>
where
    S: Moving + Bounded<Vector = DVec3> + Sync,
    K: NarrowPhase<S> + for<'a> NarrowPhase<S, FacetSubset<'a>, State = T> + Clone + Send,
    <K as NarrowPhase<S>>::State: Send,
    T: Default + Send + Sync,
{
    let bodies = in_spatial_order(bodies)?;
    measure(&bodies, motions, run, || {
        let walls = AtWall::new(wall, kernel.clone(), run)?;
        Ok(Both(Pairs::new(kernel, run)?, walls))
    })
}

fn in_spatial_order<S: Moving + Bounded<Vector = DVec3>>(bodies: &[S]) -> Result<Vec<S>, Error> {
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(bodies)?;
    Ok(grid.spatial_order().map(|i| bodies[i].clone()).collect())
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
    let warm_up = steps / 4 + 1;
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

/// The lower one of two medians, NaN without values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).copied().unwrap_or(f64::NAN)
}

struct Pairs<K: NarrowPhase<S>, S> {
    list: PairList<HierarchicalGrid, K::State>,
    workers: Workers<K, ()>,
    kernel: K,
    is_parallel: bool,
}

impl<K: NarrowPhase<S> + Clone, S> Pairs<K, S> {
    fn new(kernel: K, run: Run) -> Result<Self, Error> {
        Ok(Self {
            list: PairList::new(HierarchicalGrid::new(), SKIN)?,
            workers: Workers::new(kernel.clone()),
            kernel,
            is_parallel: run.threads > 1,
        })
    }
}

impl<S, K> Detection<S> for Pairs<K, S>
where
    S: Bounded<Vector = DVec3> + Sync,
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

struct AtWall<'a, K, T> {
    wall: &'a Wall,
    list: WallList<T>,
    workers: Workers<K, ()>,
    kernel: K,
    is_parallel: bool,
}

impl<'a, K: Clone, T: Default> AtWall<'a, K, T> {
    fn new(wall: &'a Wall, kernel: K, run: Run) -> Result<Self, Error> {
        Ok(Self {
            wall,
            list: WallList::new(SKIN)?,
            workers: Workers::new(kernel.clone()),
            kernel,
            is_parallel: run.threads > 1,
        })
    }
}

impl<S, K, T> Detection<S> for AtWall<'_, K, T>
where
    S: Bounded<Vector = DVec3> + Sync,
    K: for<'a> NarrowPhase<S, FacetSubset<'a>, State = T> + Clone + Send,
    T: Default + Send + Sync,
{
    fn update(&mut self, bodies: &[S]) -> Result<bool, Error> {
        if self.is_parallel {
            self.list.par_update(bodies, self.wall)
        } else {
            self.list.update(bodies, self.wall)
        }
    }

    fn touch(&mut self, bodies: &[S]) -> usize {
        let (wall, mut count) = (self.wall, 0);
        if self.is_parallel {
            let workers = &mut self.workers;
            self.list
                .par_for_each_body(wall, workers, |kernel, i, near, state, contacts| {
                    kernel.for_each_contact(&bodies[i], near, state, |_| contacts.push(()));
                });
            return workers.results().count();
        }
        let kernel = &mut self.kernel;
        self.list.for_each_body(wall, |i, near, state| {
            kernel.for_each_contact(&bodies[i], near, state, |_| count += 1);
        });
        count
    }

    fn pairs(&self) -> usize {
        self.list.bodies().len()
    }
}

/// Pairs and bodies at a wall. Their lists are rebuilt when that of the pairs is.
struct Both<A, B>(A, B);

impl<S, A: Detection<S>, B: Detection<S>> Detection<S> for Both<A, B> {
    fn update(&mut self, bodies: &[S]) -> Result<bool, Error> {
        let is_rebuilt = self.0.update(bodies)?;
        self.1.update(bodies)?;
        Ok(is_rebuilt)
    }

    fn touch(&mut self, bodies: &[S]) -> usize {
        self.0.touch(bodies) + self.1.touch(bodies)
    }

    fn pairs(&self) -> usize {
        self.0.pairs() + self.1.pairs()
    }
}
