//! Section 5.4.1: the work in packings without overlaps, against the model and random positions.

use osculate::glam::{DVec2, DVec3};
use osculate::reference::{GridCost, RadiusDistribution, optimal_level_sizes};
use osculate::{
    BroadPhase, HierarchicalGrid, Periodic, PeriodicBox, Sphere, Vector,
    broad::{LevelSizes, SearchDirection},
};

use crate::Result;
use crate::rule::Case;
use reproduce::radii::power_law_radii;
use reproduce::random::SplitMix64;

/// Bodies in a square or cube with a corner at the origin: periodic, or with hard walls.
pub(crate) struct Packing<V: Vector> {
    pub bodies: Vec<Sphere<V>>,
    pub side: f64,
    pub has_walls: bool,
}

impl<V: Vector> Packing<V> {
    /// Random positions, with overlaps. `density` is the number of bodies per volume.
    pub(crate) fn at_random(radii: &[f64], density: f64, has_walls: bool) -> Self {
        let mut random = SplitMix64::new(1);
        let mut radii = radii.to_vec();
        random.shuffle(&mut radii);
        let side = (radii.len() as f64 / density).powf(1.0 / V::DIM as f64);
        let place = |r| {
            let margin = if has_walls { r } else { 0.0 };
            Sphere::new(V::from_fn(|_| random.range(margin, side - margin)), r)
        };
        let bodies = radii.into_iter().map(place).collect();
        Self {
            bodies,
            side,
            has_walls,
        }
    }

    /// Pushes the bodies apart until none overlap. Fails if this takes too long: the packing is too dense.
    pub(crate) fn separate(&mut self) -> Result<()> {
        const ROUNDS: usize = 20_000;
        // Slightly larger bodies are pushed, so that the end is reached in a finite number of rounds.
        const GROWTH: f64 = 1.004;
        let sides = V::from_fn(|_| self.side);
        // Between walls, no body reaches its neighbors' images.
        let period = PeriodicBox::orthogonal(V::ZERO, sides, [true; 3])?;
        let mut grid = Periodic::new(HierarchicalGrid::new(), period);
        let mut shifts = vec![V::ZERO; self.bodies.len()];
        for _ in 0..ROUNDS {
            let bodies = &mut self.bodies;
            grid.rebuild_with(bodies.len(), |i| {
                Sphere::new(bodies[i].center, GROWTH * bodies[i].radius)
            })?;
            // With some inertia: the push alone is slow where many bodies are close.
            shifts.iter_mut().for_each(|shift| *shift = *shift * 0.9);
            let mut has_overlap = false;
            grid.for_each_pair(|i, j| {
                let (a, b) = (bodies[i], bodies[j]);
                let line = period.minimum_image(b.center - a.center);
                let distance = line.dot(line).sqrt();
                has_overlap |= distance < a.radius + b.radius;
                // Equal momenta: the larger body moves less.
                let [m, n] = [a, b].map(|body| body.radius.powi(V::DIM as i32));
                let overlap = GROWTH * (a.radius + b.radius) - distance;
                let push = line * (0.5 * overlap / (distance.max(1e-9) * (m + n)));
                shifts[i] = shifts[i] - push * n;
                shifts[j] = shifts[j] + push * m;
            });
            if !has_overlap {
                return Ok(());
            }
            for (body, &shift) in bodies.iter_mut().zip(&shifts) {
                let (r, moved) = (body.radius, body.center + shift);
                body.center = if self.has_walls {
                    V::from_fn(|axis| moved[axis].clamp(r, self.side - r))
                } else {
                    period.wrap(moved)
                };
            }
        }
        Err(format!("overlaps remain after {ROUNDS} rounds").into())
    }

    /// Level sizes that divide the side, so that cells are as wide as in the model.
    fn rounded(&self, sizes: &LevelSizes) -> Result<LevelSizes> {
        let fitting = |&size: &f64| self.side / (self.side / size).floor();
        Ok(LevelSizes::new(
            sizes.as_slice().iter().map(fitting).collect::<Vec<_>>(),
        )?)
    }

    /// Counts the tests and cell visits per body of the paper's Top-Down algorithm, also of cells behind walls.
    pub(crate) fn count(&self, sizes: &LevelSizes) -> Count {
        let level_of = |body: &Sphere<V>| {
            let sizes = sizes.as_slice();
            sizes.partition_point(|&size| size < 2.0 * body.radius)
        };
        let mut levels: Vec<_> = sizes
            .as_slice()
            .iter()
            .map(|&s| Level::new(s, self))
            .collect();
        for body in &self.bodies {
            levels[level_of(body)].add(body);
        }
        let mut count = Count::default();
        for body in &self.bodies {
            let (below, own) = levels.split_at(level_of(body));
            // Half of the cells around, and the own one without the body.
            let (found, visited) = own[0].within(body.center, own[0].width);
            count.own += 0.5 * (found - 1.0);
            count.cells += 0.5 * (visited + 1.0);
            for level in below {
                let (found, visited) = level.within(body.center, body.radius + level.largest);
                count.cross += found;
                count.cells += visited;
            }
        }
        let share = 1.0 / self.bodies.len() as f64;
        Count {
            own: share * count.own,
            cross: share * count.cross,
            cells: share * count.cells,
        }
    }
}

/// Tests on a body's own level and on lower ones, and cell visits, per body.
#[derive(Default)]
pub(crate) struct Count {
    own: f64,
    cross: f64,
    pub cells: f64,
}

impl Count {
    pub(crate) fn tests(&self) -> f64 {
        self.own + self.cross
    }
}

/// The number of bodies in each cell of a level.
struct Level {
    width: f64,
    dim: usize,
    /// Cells along an axis.
    row: i64,
    is_periodic: bool,
    /// The largest radius.
    largest: f64,
    counts: Vec<u32>,
}

impl Level {
    fn new<V: Vector>(width: f64, packing: &Packing<V>) -> Self {
        let cells = packing.side / width;
        let is_periodic = !packing.has_walls;
        let row = if is_periodic {
            cells.round()
        } else {
            cells.ceil()
        };
        Self {
            width,
            dim: V::DIM,
            row: row as i64,
            is_periodic,
            largest: 0.0,
            counts: vec![0; (row as usize).pow(V::DIM as u32)],
        }
    }

    /// The number of a cell: `None` outside of walls.
    fn cell(&self, place: [i64; 3]) -> Option<usize> {
        let mut index = 0;
        for &k in place[..self.dim].iter().rev() {
            let is_inside = (0..self.row).contains(&k);
            if !is_inside && !self.is_periodic {
                return None;
            }
            index = index * self.row + k.rem_euclid(self.row);
        }
        Some(index as usize)
    }

    fn place<V: Vector>(&self, position: V, offset: f64) -> [i64; 3] {
        let mut place = [0; 3];
        for axis in 0..V::DIM {
            place[axis] = ((position[axis] + offset) / self.width).floor() as i64;
        }
        place
    }

    fn add<V: Vector>(&mut self, body: &Sphere<V>) {
        self.largest = self.largest.max(body.radius);
        if let Some(cell) = self.cell(self.place(body.center, 0.0)) {
            self.counts[cell] += 1;
        }
    }

    /// The bodies in the cells that a box of this half width overlaps, and the number of these cells.
    fn within<V: Vector>(&self, center: V, half: f64) -> (f64, f64) {
        let [low, high] = [-half, half].map(|offset| self.place(center, offset));
        let (mut bodies, mut cells) = (0, 0);
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    cells += 1;
                    bodies += self.cell([x, y, z]).map_or(0, |cell| self.counts[cell]);
                }
            }
        }
        (f64::from(bodies), f64::from(cells))
    }
}

/// A row for each set, in 2D and 3D. `is_short`: up to 10^4 bodies instead of 10^6.
pub(crate) fn table(is_short: bool) -> Result<String> {
    let mut text = "\
periodic boxes; optimal levels for K = 0.2, Top-Down; random positions over the model, and packings without \
overlaps over random positions

| set, packing fraction | bodies | levels | tests, cells a body by the model | random: tests, cells | packed: tests | on the own level | on lower levels |
|---|---|---|---|---|---|---|---|
"
    .to_owned();
    let most = if is_short { 4 } else { 6 };
    for (alpha, omega, nu) in [(0.0, 1.0, 0.7), (-3.0, 20.0, 0.4), (-3.0, 20.0, 0.7)] {
        for exponent in 4..=most {
            text += &row::<DVec2>(10_usize.pow(exponent), alpha, omega, nu)?;
        }
    }
    for (alpha, omega, nu) in [
        (0.0, 1.0, 0.3),
        (0.0, 1.0, 0.6),
        (-2.0, 10.0, 0.6),
        (-3.0, 10.0, 0.6),
    ] {
        for exponent in 4..=most {
            text += &row::<DVec3>(10_usize.pow(exponent), alpha, omega, nu)?;
        }
    }
    Ok(text)
}

fn row<V: Vector>(count: usize, alpha: f64, omega: f64, nu: f64) -> Result<String> {
    let all = power_law_radii(count, alpha, omega);
    let radii = RadiusDistribution::new(&all)?;
    let case = Case::new(
        &radii,
        V::DIM,
        nu,
        SearchDirection::TopDown,
        GridCost::CELLS,
    )?;
    let mut packing = Packing::<V>::at_random(&all, radii.density::<V>(nu), false);
    let sizes = packing.rounded(&optimal_level_sizes(&case.model, None))?;
    let model = case.model.work(&sizes);
    let random = packing.count(&sizes);
    packing.separate()?;
    let packed = packing.count(&sizes);
    let kind = if omega == 1.0 {
        "equal".to_owned()
    } else {
        format!("r^{alpha}, omega {omega}")
    };
    let lower = match packed.cross / random.cross {
        ratio if ratio.is_nan() => String::new(),
        ratio => format!("{ratio:.3}"),
    };
    Ok(format!(
        "| {}D, {kind}, {nu} | {count} | {} | {:.2}, {:.2} | {:.3}, {:.3} | {:.3} | {:.3} | {lower} |\n",
        V::DIM,
        sizes.as_slice().len(),
        model.tests,
        model.cells,
        random.tests() / model.tests,
        random.cells / model.cells,
        packed.tests() / random.tests(),
        packed.own / random.own,
    ))
}
