//! A step of a drum or a hopper by stages: with lists and histories by hand, and with those of the crate, on 1 and 2
//! threads.
//!
//! 50,000 spheres with radii from 1 to 10 mm in a drum of 3,376 triangles with eight lifters, periodic along its axis,
//! at 1 revolution per second; Hertz's law with damping and tangential springs. All variants go on from the same
//! settled state, in turns, and end with the same bits.
//!
//! The hopper, with the word `hopper`, has the 52,000 spheres and 822 polygons of `examples/data`.
//!
//! `cargo bench --features rayon --bench drum [-- [hopper] SPHERES SETTLING_STEPS STEPS ROUNDS]`

use std::f64::consts::{PI, TAU};
use std::time::{Duration, Instant};

use osculate::broad::{HashGrid, IncrementalBroadPhase, Workers};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{WallHistory, match_contacts};
use osculate::testing::workload::SplitMix64;
use osculate::{
    BroadPhase, DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Periodic,
    PeriodicBox, Pose3, Skin, Sphere, SphereSphere, SurfaceMesh, Wall, WallContact, WallList,
};
use rayon::prelude::*;

/// Meters, seconds; the axis of the drum is y.
const RADIUS: f64 = 0.15;
const LENGTH: f64 = 0.3;
const SMALLEST: f64 = 0.001;
const RATIO: f64 = 10.0;
const STEP: f64 = 2e-5;
const DENSITY: f64 = 1000.0;
/// The effective modulus of two bodies, Pa.
const MODULUS: f64 = 5e5;
const FRICTION: f64 = 0.5;
const DAMPING: f64 = 0.3;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// A fraction of the radius.
const SKIN: Skin = Skin::Relative(0.15);

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    // As the other benches do: a short run only shows that it works.
    let is_test = std::env::args().any(|a| a == "--test");
    let defaults = if is_test {
        [2000, 200, 5, 1]
    } else {
        [50_000, 6000, 50, 9]
    };
    let number = |i: usize| numbers.get(i).copied().unwrap_or(defaults[i]);
    let [count, settling, steps, rounds] = [0, 1, 2, 3].map(number);

    let mut start = match std::env::args().any(|a| a == "hopper") {
        true => State::hopper()?,
        false => State::new(count)?,
    };
    let count = start.spheres.len();
    let pools = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads")
    });
    pools[1].install(|| start.run(&mut Lists::new(start.period)?, settling))?;
    let mut hand = ByHand::new(start.period, count)?;
    let mut serial = Serial(Lists::new(start.period)?);
    let mut parallel = [Lists::new(start.period)?, Lists::new(start.period)?];
    let mut states = [start.clone(), start.clone(), start.clone(), start];
    let mut times = vec![Vec::new(); 4];
    for _ in 0..rounds {
        let [a, b, c, d] = &mut states;
        times[0].push(a.run(&mut hand, steps)?);
        times[1].push(b.run(&mut serial, steps)?);
        times[2].push(pools[0].install(|| c.run(&mut parallel[0], steps))?);
        times[3].push(pools[1].install(|| d.run(&mut parallel[1], steps))?);
        let hashes = states.each_ref().map(State::hash);
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    }
    let [pairs, touching, near, on_wall] = serial.0.counts;
    println!("{count} spheres, {pairs} pairs of the list, {touching} contacts");
    println!("{near} spheres near the wall, {on_wall} contacts with it; ms a step, medians");
    println!("| | list | pairs | wall | motion | sum |");
    println!("|---|---|---|---|---|---|");
    let names = ["by hand", "lists", "lists, 1 thread", "lists, 2 threads"];
    let mut sums = Vec::new();
    for (name, times) in names.iter().zip(&times) {
        let stage = |i: usize| {
            median(
                times
                    .iter()
                    .map(|t| t[i].as_secs_f64() * 1e3 / steps as f64),
            )
        };
        let row = [0, 1, 2, 3].map(stage);
        sums.push(row.iter().sum::<f64>());
        let cells = row.map(|ms| format!("{ms:.2}")).join(" | ");
        println!("| {name} | {cells} | {:.2} |", row.iter().sum::<f64>());
    }
    println!(
        "lists against by hand: {:.2} times as fast",
        sums[0] / sums[1]
    );
    println!(
        "2 threads against 1: {:.2} times as fast",
        sums[2] / sums[3]
    );
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The spheres and the drum.
#[derive(Clone)]
struct State {
    spheres: Vec<Sphere<DVec3>>,
    velocities: Vec<DVec3>,
    spins: Vec<DVec3>,
    /// Force and torque.
    loads: Vec<[DVec3; 2]>,
    wall: Wall,
    /// Of the wall about the y axis, rad/s.
    turning: f64,
    period: PeriodicBox<DVec3>,
    time: f64,
}

/// The stages of a step.
trait Contacts {
    fn update(&mut self, state: &mut State) -> Result<(), Error>;
    fn touch_each_other(&mut self, state: &mut State);
    fn touch_wall(&mut self, state: &mut State) -> Result<(), Error>;
    fn advance(&mut self, state: &mut State) {
        state.advance();
    }
}

impl State {
    fn new(count: usize) -> Result<Self, Error> {
        let sides = DVec3::new(1.0, LENGTH, 1.0);
        let period = PeriodicBox::orthogonal(DVec3::ZERO, sides, [false, true, false])?;
        // The largest spheres with a skin.
        let wall = Wall::periodic(drum()?, period, 2.0 * SMALLEST * RATIO)?;
        // The number density of radii is proportional to r^-3. Large spheres first.
        let mut random = SplitMix64::new(19);
        let rest = 1.0 - 1.0 / (RATIO * RATIO);
        let mut radii: Vec<f64> = (0..count)
            .map(|_| SMALLEST / (1.0 - rest * random.unit()).sqrt())
            .collect();
        radii.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut grid = Periodic::new(HashGrid::new(), period);
        for &radius in &radii {
            loop {
                let [x, z] = [0; 2].map(|_| random.range(-RADIUS, RADIUS));
                let center = DVec3::new(x, random.range(0.0, LENGTH), z);
                let sphere = Sphere::new(center, radius);
                let mut is_free = x.hypot(z) < 0.78 * RADIUS - radius;
                if is_free {
                    grid.for_each_touching(&sphere, |_| is_free = false);
                }
                if is_free {
                    grid.insert(sphere)?;
                    break;
                }
            }
        }
        let mut order: Vec<usize> = (0..count).collect();
        let spheres = grid.spheres().to_vec();
        let cell = |x: f64| (x / (4.0 * SMALLEST * RATIO)).floor() as i64;
        order.sort_by_key(|&i| spheres[i].center.to_array().map(cell));
        let spheres = order.into_iter().map(|i| spheres[i]).collect();
        Ok(Self::of(spheres, wall, TAU, period))
    }

    fn of(
        spheres: Vec<Sphere<DVec3>>,
        wall: Wall,
        turning: f64,
        period: PeriodicBox<DVec3>,
    ) -> Self {
        let count = spheres.len();
        Self {
            spheres,
            velocities: vec![DVec3::ZERO; count],
            spins: vec![DVec3::ZERO; count],
            loads: vec![[DVec3::ZERO; 2]; count],
            wall,
            turning,
            period,
            time: 0.0,
        }
    }

    fn hopper() -> Result<Self, Error> {
        let read = |name: &str| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/");
            std::fs::read_to_string(folder.to_owned() + name).expect("examples/data")
        };
        let number = |word: &str| word.parse::<f64>().expect("a number");
        let spheres = read("spheres.csv");
        let spheres = spheres.lines().skip(1).map(|line| {
            let mut words = line.split(',').map(number);
            let [x, y, z, radius] = [(); 4].map(|()| words.next().expect("four columns"));
            Sphere::new(DVec3::new(x, y, z), radius)
        });
        let (mut vertices, mut facets) = (Vec::new(), Vec::new());
        for line in read("hopper.obj").lines() {
            let words = || line.split_whitespace().skip(1);
            match line.get(..2) {
                Some("v ") => {
                    let mut words = words().map(number);
                    let position = [(); 3].map(|()| words.next().expect("three coordinates"));
                    vertices.push(DVec3::from_array(position));
                }
                Some("f ") => {
                    let ids = words().map(|id| id.parse::<u32>().expect("an id") - 1);
                    facets.push(ids.collect::<Vec<_>>());
                }
                _ => (),
            }
        }
        let wall = Wall::new(SurfaceMesh::new(vertices, facets)?);
        let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::ONE, [false; 3])?;
        Ok(Self::of(spheres.collect(), wall, 0.0, period))
    }

    /// Runs a number of steps and returns the time of each stage.
    fn run(&mut self, contacts: &mut impl Contacts, steps: usize) -> Result<[Duration; 4], Error> {
        let mut times = [Duration::ZERO; 4];
        for _ in 0..steps {
            let turn = DQuat::from_rotation_y(self.turning * self.time);
            self.wall.set_pose(Pose3::new(turn, DVec3::ZERO)?);
            let mut clock = Instant::now();
            let mut lap = |stage: usize| {
                times[stage] += clock.elapsed();
                clock = Instant::now();
            };
            contacts.update(self)?;
            lap(0);
            contacts.touch_each_other(self);
            lap(1);
            contacts.touch_wall(self)?;
            lap(2);
            contacts.advance(self);
            lap(3);
        }
        Ok(times)
    }

    fn advance(&mut self) {
        let motions = self.velocities.iter_mut().zip(&mut self.spins);
        let bodies = self.spheres.iter_mut().zip(&mut self.loads).zip(motions);
        bodies.for_each(advance);
        self.time += STEP;
    }

    fn par_advance(&mut self) {
        let motions = self.velocities.par_iter_mut().zip(&mut self.spins);
        let bodies = self.spheres.par_iter_mut().zip(&mut self.loads);
        bodies.zip(motions).with_min_len(1024).for_each(advance);
        self.time += STEP;
    }

    /// The force on body `i` in a contact, with its spring. `normal` points away from the body.
    fn push(
        &self,
        i: usize,
        [normal, other]: [DVec3; 2],
        overlap: f64,
        [radius, mass]: [f64; 2],
        spring: &mut DVec3,
    ) -> DVec3 {
        let arm = normal * (self.spheres[i].radius - 0.5 * overlap);
        let velocity = self.velocities[i] + self.spins[i].cross(arm) - other;
        let stiffness = 2.0 * MODULUS * (radius * overlap).sqrt();
        let damping = DAMPING * (stiffness * mass).sqrt();
        let push = (2.0 / 3.0 * stiffness * overlap + damping * velocity.dot(normal)).max(0.0);
        let slip = velocity.reject_from_normalized(normal);
        *spring = (*spring + slip * STEP).reject_from_normalized(normal);
        *spring = spring.clamp_length_max(FRICTION * push / stiffness);
        let hold = (*spring * stiffness + slip * damping).clamp_length_max(FRICTION * push);
        -(normal * push + hold)
    }

    /// The force on the first of two bodies.
    fn push_pair(
        &self,
        [i, j]: [usize; 2],
        normal: DVec3,
        overlap: f64,
        spring: &mut DVec3,
    ) -> DVec3 {
        let [a, b] = [i, j].map(|i| self.spheres[i].radius);
        let [m, n] = [a, b].map(mass);
        let arm = normal * (0.5 * overlap - b);
        let other = self.velocities[j] + self.spins[j].cross(arm);
        self.push(
            i,
            [normal, other],
            overlap,
            [a * b / (a + b), m * n / (m + n)],
            spring,
        )
    }

    fn push_wall(&self, i: usize, contact: &WallContact, spring: &mut DVec3) -> DVec3 {
        let radius = self.spheres[i].radius;
        let other = (DVec3::Y * self.turning).cross(contact.point);
        self.push(
            i,
            [contact.normal, other],
            contact.overlap,
            [radius, mass(radius)],
            spring,
        )
    }

    fn add(&mut self, i: usize, normal: DVec3, overlap: f64, force: DVec3) {
        add(&mut self.loads[i], &self.spheres[i], normal, overlap, force);
    }

    fn hash(&self) -> u64 {
        let spheres = self.spheres.iter().map(|sphere| sphere.center);
        let numbers = spheres
            .chain(self.spins.iter().copied())
            .flat_map(|v| v.to_array());
        numbers.fold(0, |hash, x| {
            (hash ^ x.to_bits())
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(23)
        })
    }
}

type Motion<'a> = (&'a mut DVec3, &'a mut DVec3);

/// A step of a body.
fn advance(
    ((sphere, load), (velocity, spin)): ((&mut Sphere<DVec3>, &mut [DVec3; 2]), Motion<'_>),
) {
    let mass = mass(sphere.radius);
    let inertia = 0.4 * mass * sphere.radius * sphere.radius;
    let [force, torque] = std::mem::take(load);
    *velocity += (force / mass + GRAVITY) * STEP;
    *spin += torque / inertia * STEP;
    sphere.center += *velocity * STEP;
}

/// Adds the force of a contact to the load of a body.
fn add(
    [total, torque]: &mut [DVec3; 2],
    sphere: &Sphere<DVec3>,
    normal: DVec3,
    overlap: f64,
    force: DVec3,
) {
    *total += force;
    *torque += (normal * (sphere.radius - 0.5 * overlap)).cross(force);
}

fn mass(radius: f64) -> f64 {
    DENSITY * 4.0 / 3.0 * PI * radius.powi(3)
}

/// 120 strips of 14 cells around, and eight lifters; one period along the axis.
fn drum() -> Result<SurfaceMesh, Error> {
    const STRIPS: u32 = 120;
    const CELLS: u32 = 14;
    let place = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i / (CELLS + 1)) / f64::from(STRIPS)).sin_cos();
        let y = LENGTH * f64::from(i % (CELLS + 1)) / f64::from(CELLS);
        DVec3::new(RADIUS * sin, y, RADIUS * cos)
    };
    let mut vertices: Vec<DVec3> = (0..STRIPS * (CELLS + 1)).map(place).collect();
    let mut facets: Vec<[u32; 3]> = Vec::new();
    for (strip, cell) in (0..STRIPS).flat_map(|strip| (0..CELLS).map(move |cell| (strip, cell))) {
        let next = (strip + 1) % STRIPS;
        let [a, b] = [strip, next].map(|strip| strip * (CELLS + 1) + cell);
        facets.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
    for lifter in 0..8 {
        let (sin, cos) = (TAU * f64::from(lifter) / 8.0).sin_cos();
        let first = vertices.len() as u32;
        for radius in [RADIUS, 0.85 * RADIUS] {
            vertices.extend([0.0, LENGTH].map(|y| DVec3::new(radius * sin, y, radius * cos)));
        }
        facets.extend([[0, 1, 3], [0, 3, 2]].map(|facet| facet.map(|i| first + i)));
    }
    SurfaceMesh::new(vertices, facets)
}

fn pair_list(
    period: PeriodicBox<DVec3>,
) -> Result<PairList<Periodic<HierarchicalGrid>, DVec3>, Error> {
    PairList::new(Periodic::new(HierarchicalGrid::new(), period), SKIN)
}

/// With the nearest image and the histories by hand, and no list at the wall.
struct ByHand {
    list: PairList<Periodic<HierarchicalGrid>, DVec3>,
    kernel: DoubleHierarchy,
    walls: Vec<Vec<(WallContact, DVec3)>>,
}

impl ByHand {
    fn new(period: PeriodicBox<DVec3>, count: usize) -> Result<Self, Error> {
        Ok(Self {
            list: pair_list(period)?,
            kernel: DoubleHierarchy::new(),
            walls: vec![Default::default(); count],
        })
    }
}

impl Contacts for ByHand {
    fn update(&mut self, state: &mut State) -> Result<(), Error> {
        self.list.update(&state.spheres).map(|_| ())
    }

    fn touch_each_other(&mut self, state: &mut State) {
        self.list.for_each_touching_pair(|i, j, spring| {
            let [first, mut second] = [i, j].map(|i| state.spheres[i]);
            // The bits of the crate's own image.
            second.center += state.period.nearest_shift(second.center, first.center);
            SphereSphere::new().for_each_contact(&first, &second, &mut (), |c| {
                let force = state.push_pair([i, j], c.normal, c.overlap, spring);
                state.add(i, c.normal, c.overlap, force);
                state.add(j, -c.normal, c.overlap, -force);
            });
        });
    }

    fn touch_wall(&mut self, state: &mut State) -> Result<(), Error> {
        let wall = state.wall.clone();
        let mut now = Vec::new();
        for (i, before) in self.walls.iter_mut().enumerate() {
            now.clear();
            let sphere = &state.spheres[i];
            self.kernel
                .for_each_contact(sphere, &wall, &mut (), |c| now.push((c, DVec3::ZERO)));
            let mut matches = Vec::new();
            let are_adjacent = |_, f, g| wall.are_adjacent(f, g);
            match_contacts(
                &now,
                before,
                |c| (0, c.0),
                are_adjacent,
                |i, j| matches.push((i, j)),
            );
            for (k, l) in matches {
                now[k].1 = before[l].1;
            }
            for (contact, spring) in &mut now {
                let force = state.push_wall(i, contact, spring);
                state.add(i, contact.normal, contact.overlap, force);
            }
            before.clear();
            before.extend_from_slice(&now);
        }
        Ok(())
    }
}

/// With the lists and histories of the crate.
struct Lists {
    list: PairList<Periodic<HierarchicalGrid>, DVec3>,
    near: WallList<WallHistory<DVec3>>,
    pairs: Workers<SphereSphere, ([usize; 2], DVec3, f64, DVec3)>,
    walls: Workers<DoubleHierarchy, (usize, DVec3, f64, DVec3)>,
    counts: [usize; 4],
}

impl Lists {
    fn new(period: PeriodicBox<DVec3>) -> Result<Self, Error> {
        Ok(Self {
            list: pair_list(period)?,
            near: WallList::new(SKIN)?,
            pairs: Workers::new(SphereSphere::new()),
            walls: Workers::new(DoubleHierarchy::new()),
            counts: [0; 4],
        })
    }
}

/// On rayon's thread pool.
impl Contacts for Lists {
    fn update(&mut self, state: &mut State) -> Result<(), Error> {
        self.list.par_update(&state.spheres).map(|_| ())
    }

    fn touch_each_other(&mut self, state: &mut State) {
        self.list
            .par_for_each_touching_image(&mut self.pairs, |kernel, pair, spring, forces| {
                let [first, mut second] = [state.spheres[pair.i], state.spheres[pair.j]];
                second.center += pair.shift;
                kernel.for_each_contact(&first, &second, &mut (), |c| {
                    let bodies = [pair.i, pair.j];
                    let force = state.push_pair(bodies, c.normal, c.overlap, spring);
                    forces.push((bodies, c.normal, c.overlap, force));
                });
            });
    }

    /// The forces of pairs are added up on one thread while the others begin with the wall.
    fn touch_wall(&mut self, state: &mut State) -> Result<(), Error> {
        let mut loads = std::mem::take(&mut state.loads);
        let Self { near, walls, .. } = self;
        let add_pairs = || {
            for &([i, j], normal, overlap, force) in self.pairs.results() {
                add(&mut loads[i], &state.spheres[i], normal, overlap, force);
                add(&mut loads[j], &state.spheres[j], -normal, overlap, -force);
            }
        };
        let touch = || {
            near.par_update(&state.spheres, &state.wall)?;
            near.par_for_each_body(&state.wall, walls, |kernel, i, near, history, forces| {
                history.for_each_contact(kernel, &state.spheres[i], near, |c, spring| {
                    forces.push((i, c.normal, c.overlap, state.push_wall(i, c, spring)));
                });
            });
            Ok(())
        };
        let ((), updated) = rayon::join(add_pairs, touch);
        for &(i, normal, overlap, force) in self.walls.results() {
            add(&mut loads[i], &state.spheres[i], normal, overlap, force);
        }
        state.loads = loads;
        updated
    }

    fn advance(&mut self, state: &mut State) {
        state.par_advance();
    }
}

/// The same without a thread pool.
struct Serial(Lists);

impl Contacts for Serial {
    fn update(&mut self, state: &mut State) -> Result<(), Error> {
        self.0.list.update(&state.spheres).map(|_| ())
    }

    fn touch_each_other(&mut self, state: &mut State) {
        let mut count = 0;
        self.0.list.for_each_touching_image(|pair, spring| {
            let [first, mut second] = [state.spheres[pair.i], state.spheres[pair.j]];
            second.center += pair.shift;
            SphereSphere::new().for_each_contact(&first, &second, &mut (), |c| {
                let force = state.push_pair([pair.i, pair.j], c.normal, c.overlap, spring);
                state.add(pair.i, c.normal, c.overlap, force);
                state.add(pair.j, -c.normal, c.overlap, -force);
                count += 1;
            });
        });
        self.0.counts[..2].copy_from_slice(&[self.0.list.pairs().len(), count]);
    }

    fn touch_wall(&mut self, state: &mut State) -> Result<(), Error> {
        let Lists { near, counts, .. } = &mut self.0;
        let (wall, mut kernel) = (state.wall.clone(), DoubleHierarchy::new());
        near.update(&state.spheres, &wall)?;
        counts[2..].copy_from_slice(&[near.bodies().len(), 0]);
        near.for_each_body(&wall, |i, near, history| {
            let sphere = state.spheres[i];
            history.for_each_contact(&mut kernel, &sphere, near, |c, spring| {
                let force = state.push_wall(i, c, spring);
                state.add(i, c.normal, c.overlap, force);
                counts[3] += 1;
            });
        });
        Ok(())
    }
}
