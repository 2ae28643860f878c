//! Section 5.4.2: a gas of 10^4 discs that cools freely in a box, by the time of its contact detection.

use std::time::Duration;

use cpu_time::ThreadTime;
use osculate::glam::DVec2;
use osculate::reference::{GridCost, RadiusDistribution, optimal_level_sizes};
use osculate::{
    BroadPhase, HierarchicalGrid, LinkedCells, Sphere,
    broad::{GridWork, LevelSizes, SearchDirection},
};

use crate::Result;
use crate::packing::Packing;
use crate::rule::{Case, Rule};
use reproduce::radii::power_law_radii;
use reproduce::random::SplitMix64;

const COUNT: usize = 10_000;
const NU: f64 = 0.4;
/// Units: the smallest radius, its mass, and the stiffness of contacts and walls are 1.
const STEP: f64 = 0.04;
const DAMPING: f64 = 0.05;

struct Gas {
    packing: Packing<DVec2>,
    velocities: Vec<DVec2>,
    forces: Vec<DVec2>,
}

impl Gas {
    /// Discs without overlaps, all with the same mean kinetic energy.
    fn new(radii: &[f64], density: f64) -> Result<Self> {
        let mut packing = Packing::at_random(radii, density, true);
        packing.separate()?;
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(&packing.bodies)?;
        packing.bodies = grid.spatial_order().map(|i| packing.bodies[i]).collect();
        let mut random = SplitMix64::new(2);
        let mut speed = |disc: &Sphere<DVec2>| {
            DVec2::from([0; 2].map(|_| random.range(-0.1, 0.1))) / disc.radius
        };
        let velocities = packing.bodies.iter().map(&mut speed).collect();
        Ok(Self {
            velocities,
            forces: vec![DVec2::ZERO; radii.len()],
            packing,
        })
    }

    /// Forces of damped springs, and a step of leapfrog.
    fn step(&mut self, pairs: &[[u32; 2]]) {
        let Self {
            packing,
            velocities,
            forces,
        } = self;
        let Packing { bodies, side, .. } = packing;
        for &[i, j] in pairs {
            let [i, j] = [i, j].map(|k| k as usize);
            let line = bodies[j].center - bodies[i].center;
            let distance = line.length();
            let normal = line / distance;
            let approach = (velocities[i] - velocities[j]).dot(normal);
            let force = bodies[i].radius + bodies[j].radius - distance + DAMPING * approach;
            forces[i] -= force * normal;
            forces[j] += force * normal;
        }
        for ((body, velocity), force) in bodies.iter_mut().zip(velocities).zip(forces) {
            let r = body.radius;
            let low = (DVec2::splat(r) - body.center).max(DVec2::ZERO);
            let high = (body.center + r - *side).max(DVec2::ZERO);
            *velocity += (*force + low - high) * (STEP / (r * r));
            body.center += *velocity * STEP;
            *force = DVec2::ZERO;
        }
    }

    fn kinetic(&self) -> f64 {
        let all = self.packing.bodies.iter().zip(&self.velocities);
        all.map(|(body, v)| 0.5 * body.radius.powi(2) * v.length_squared())
            .sum()
    }
}

/// A broad phase with its level sizes, and its work and time over the measured steps.
struct Layout<B> {
    name: &'static str,
    sizes: LevelSizes,
    broad: B,
    work: GridWork,
    time: Duration,
}

impl<B: BroadPhase<Vector = DVec2>> Layout<B> {
    fn new(name: &'static str, sizes: LevelSizes, broad: B) -> Self {
        let (work, time) = Default::default();
        Self {
            name,
            sizes,
            broad,
            work,
            time,
        }
    }

    fn search(&mut self, packing: &Packing<DVec2>, pairs: &mut Vec<[u32; 2]>) -> Result<()> {
        let start = ThreadTime::now();
        self.broad.rebuild(&packing.bodies)?;
        self.broad.collect_pairs(pairs);
        self.time += start.elapsed();
        let counted = packing.count(&self.sizes);
        self.work.tests += counted.tests();
        self.work.cells += counted.cells;
        Ok(())
    }

    fn mean(&self, samples: u32) -> Mean {
        let work = &self.work;
        let sums = [work.tests, work.cells, work.cost(&GridCost::CELLS)];
        Mean {
            name: self.name,
            levels: self.sizes.as_slice().len(),
            work: sums.map(|sum| sum / f64::from(samples)),
            nanoseconds: self.time.as_nanos() as f64 / (f64::from(samples) * COUNT as f64),
        }
    }
}

/// The mean of a layout, per body.
struct Mean {
    name: &'static str,
    levels: usize,
    /// Tests, cells and T.
    work: [f64; 3],
    nanoseconds: f64,
}

/// Runs `steps` steps with the grid's own levels; in `samples` of them all layouts search the same positions.
pub(crate) fn report(steps: u32, samples: u32) -> Result<String> {
    let all = power_law_radii(COUNT, -3.0, 20.0);
    let radii = RadiusDistribution::new(&all)?;
    let case = Case::new(&radii, 2, NU, SearchDirection::TopDown, GridCost::CELLS)?;
    let one = case.sizes(Rule::Linear, 1);
    let five = optimal_level_sizes(&case.model, None);
    let mut gas = Gas::new(&all, radii.density::<DVec2>(NU))?;
    let (mut grid, mut pairs) = (HierarchicalGrid::new(), Vec::new());
    grid.rebuild(&gas.packing.bodies)?;
    let own: Vec<_> = grid
        .report()
        .levels
        .iter()
        .map(|level| level.size)
        .collect();
    let mut one = Layout::new("one level, `LinkedCells`", one, LinkedCells::new());
    let with_five = HierarchicalGrid::new().with_level_sizes(five.clone());
    let mut five = Layout::new("the paper's optimal levels", five, with_five);
    let own = LevelSizes::new(own)?;
    let mut own = Layout::new("the grid's own levels", own, HierarchicalGrid::new());
    let start = gas.kinetic();
    let (mut rest, mut contacts) = (Duration::ZERO, 0);
    for step in 0..steps {
        if step % (steps / samples) == 0 {
            one.search(&gas.packing, &mut pairs)?;
            five.search(&gas.packing, &mut pairs)?;
            own.search(&gas.packing, &mut pairs)?;
        }
        grid.rebuild(&gas.packing.bodies)?;
        grid.collect_pairs(&mut pairs);
        let now = ThreadTime::now();
        gas.step(&pairs);
        rest += now.elapsed();
        contacts += pairs.len();
    }
    let text = format!(
        "2D, {COUNT} discs in a box of {:.1}, omega 20, alpha -3, nu {NU}, {steps} steps, {samples} of them \
         measured\ncontacts a step {:.0}, kinetic energy at the end {:.4} of the first\n\n",
        gas.packing.side,
        contacts as f64 / f64::from(steps),
        gas.kinetic() / start
    );
    let means = [one.mean(samples), five.mean(samples), own.mean(samples)];
    Ok(text + &tables(&means, (rest / steps).as_nanos() as f64 / COUNT as f64))
}

/// The work, and after an empty line the times. `rest`: forces and motion, ns per body.
fn tables(means: &[Mean; 3], rest: f64) -> String {
    let mut text = "\
| layout | levels | tests a body | cells a body | T = tests + 0.2 cells | T of one level / T |
|---|---|---|---|---|---|
"
    .to_owned();
    let mut times = "
times, ns a body and step
| layout | search | forces and motion | speed-up of the search | of the whole |
|---|---|---|---|---|
"
    .to_owned();
    let (base, one) = (means[0].work[2], means[0].nanoseconds);
    for Mean {
        name,
        levels,
        work: [tests, cells, cost],
        nanoseconds: search,
    } in means
    {
        let gain = base / cost;
        text +=
            &format!("| {name} | {levels} | {tests:.2} | {cells:.2} | {cost:.2} | {gain:.2} |\n");
        let (faster, whole) = (one / search, (one + rest) / (search + rest));
        times += &format!("| {name} | {search:.1} | {rest:.1} | {faster:.2} | {whole:.2} |\n");
    }
    text + &times
}
