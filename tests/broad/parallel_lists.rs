//! Pair lists on several threads, images of pairs, and restarts.

use osculate::glam::DVec3;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{BroadPhase, Error, LinkedCells, PairList, Periodic, PeriodicBox, Skin, Sphere};

/// Bodies that move, some out of the box.
struct Bodies {
    spheres: Vec<Sphere<DVec3>>,
    velocities: Vec<DVec3>,
}

impl Bodies {
    fn new(count: usize, radius: f64) -> Self {
        let mut random = SplitMix64::new(5);
        let spheres = workload::random_spheres::<DVec3>(count, radius, 2.0, 3);
        let velocities = spheres.iter().map(|_| random.in_ball() * 0.02).collect();
        Self {
            spheres,
            velocities,
        }
    }

    fn step(&mut self) {
        for (sphere, velocity) in self.spheres.iter_mut().zip(&self.velocities) {
            sphere.center += *velocity;
        }
    }
}

/// Pairs visited at their images: i, j, the shift and the data.
type Visited = Vec<(usize, usize, [u64; 3], u32)>;

fn visit<B: BroadPhase<Vector = DVec3>>(list: &mut PairList<B, u32>) -> Visited {
    let mut visited = Vec::new();
    list.for_each_touching_image(|pair, age| {
        *age += 1;
        let shift = pair.shift.to_array().map(f64::to_bits);
        visited.push((pair.i, pair.j, shift, *age));
    });
    visited
}

/// A restored list goes on as the one that was stored: the same pairs, data and rebuilds.
#[test]
fn snapshots() -> Result<(), Error> {
    let mut bodies = Bodies::new(800, 0.4);
    let sides = DVec3::new(20.0, 19.0, 18.0);
    let period = PeriodicBox::orthogonal(-sides / 3.0, sides, [true, true, false])?;
    let broad = Periodic::new(LinkedCells::new(), period);
    let mut list = PairList::<_, u32>::new(broad, Skin::Relative(0.1))?;
    let mut restarted = list.clone();
    let mut rebuilds = 0;
    for step in 0..60 {
        bodies.step();
        if step % 9 == 4 {
            // A list that waits for its rebuild is stored too, and replaces another one that does.
            if step % 2 == 0 {
                list.renumber(Some, |_| ()).unwrap();
                restarted.for_each_pair(|_, _, age| *age = 0);
                restarted.renumber(Some, |_| ()).unwrap();
            }
            let snapshot = list.snapshot();
            #[cfg(feature = "serde")]
            let snapshot = {
                let read = crate::support::read_back(&snapshot);
                assert_eq!(snapshot, read);
                read
            };
            restarted.restore(snapshot)?;
            assert_eq!(visit(&mut restarted.clone()), visit(&mut list.clone()));
        }
        let is_rebuilt = list.update(&bodies.spheres)?;
        if step < 4 {
            visit(&mut list);
            continue;
        }
        assert_eq!(restarted.update(&bodies.spheres)?, is_rebuilt);
        assert_eq!(visit(&mut restarted), visit(&mut list));
        assert_eq!(
            (restarted.pairs(), restarted.data()),
            (list.pairs(), list.data())
        );
        rebuilds += u32::from(is_rebuilt);
    }
    assert!((10..50).contains(&rebuilds), "{rebuilds}");
    Ok(())
}

#[cfg(feature = "serde")]
#[test]
fn bad_snapshots_are_refused() {
    use osculate::{BruteForce, ErrorKind};
    use serde_json::{from_value, json};

    let mut list = PairList::<_, u8>::new(BruteForce::<DVec3>::new(), Skin::Relative(0.1)).unwrap();
    let sphere = json!({"center": [0.0, 0.0, 0.0], "radius": 1.0});
    let inside_out = json!({"center": [0.0, 0.0, 0.0], "radius": -1.0});
    let good = json!({
        "body_count": 2, "spheres": [sphere, sphere], "inflated": [sphere, sphere], "periods": null,
        "pairs": [[0, 1]], "data": [7], "is_stale": false,
    });
    list.restore(from_value(good.clone()).unwrap()).unwrap();
    for (fields, kind) in [
        (json!({"inflated": [sphere]}), ErrorKind::Index),
        (json!({"pairs": [[0, 2]]}), ErrorKind::Index),
        (
            json!({"spheres": [sphere, sphere, sphere]}),
            ErrorKind::Index,
        ),
        (json!({"data": []}), ErrorKind::Index),
        (json!({"pairs": [[1, 0]]}), ErrorKind::Parameter),
        (
            json!({"pairs": [[0, 1], [0, 1]], "data": [7, 8]}),
            ErrorKind::Parameter,
        ),
        (json!({"spheres": [sphere, inside_out]}), ErrorKind::Radius),
    ] {
        let mut bad = good.clone();
        for (field, value) in fields.as_object().unwrap() {
            bad[field] = value.clone();
        }
        let error = list.restore(from_value(bad).unwrap()).unwrap_err();
        assert_eq!(error.kind(), kind, "{fields}");
        assert_eq!((list.pairs(), list.data()), (&[[0, 1]][..], &[7][..]));
    }
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::super::properties::sequence;
    use super::*;
    use crate::support::on_threads;
    use osculate::broad::Workers;
    use osculate::{Bounded, ErrorKind, Filtered, HierarchicalGrid};

    /// The same list, data and order of visits as serially, over rebuilds, while the broad phase changes and some bodies go.
    fn same_as_serial<B>(broad: B, count: usize, change: impl Fn(&mut B, u32) + Sync)
    where
        B: BroadPhase<Vector = DVec3> + Clone + Sync,
    {
        on_threads(|threads| {
            let mut bodies = Bodies::new(count, 0.4);
            let list = PairList::<_, u32>::new(broad.clone(), Skin::Relative(0.1)).unwrap();
            for margin in [0.0, 0.05] {
                let mut serial = list.clone().with_margin(margin).unwrap();
                let mut parallel = serial.clone();
                let (mut rebuilds, mut touching) = (0, 0);
                let mut workers = Workers::new(0_u64);
                for step in 0..10 {
                    bodies.step();
                    if step == 6 {
                        bodies.spheres.truncate(bodies.spheres.len() - 9);
                    }
                    if step == 3 {
                        let mut bad = bodies.spheres.clone();
                        bad[count / 2].radius = -1.0;
                        bad[count - 20].center.x = f64::NAN;
                        let error = serial.update(&bad).unwrap_err();
                        assert_eq!(parallel.par_update(&bad).unwrap_err(), error);
                        assert!(parallel.pairs().is_empty());
                    }
                    change(serial.broad_phase_mut(), step);
                    change(parallel.broad_phase_mut(), step);
                    let is_rebuilt = serial.update(&bodies.spheres).unwrap();
                    assert_eq!(parallel.par_update(&bodies.spheres).unwrap(), is_rebuilt);
                    assert_eq!(parallel.pairs(), serial.pairs());
                    assert_eq!(parallel.data(), serial.data());
                    rebuilds += u32::from(is_rebuilt);
                    let expected = visit(&mut serial);
                    parallel.par_for_each_touching_image(
                        &mut workers,
                        |calls, pair, age, visited| {
                            *calls += 1;
                            *age += 1;
                            let shift = pair.shift.to_array().map(f64::to_bits);
                            visited.push((pair.i, pair.j, shift, *age));
                        },
                    );
                    assert!(
                        workers.results().eq(&expected),
                        "{threads} threads, step {step}"
                    );
                    assert_eq!(parallel.data(), serial.data());
                    touching = expected.len();
                }
                assert!((2..10).contains(&rebuilds), "{rebuilds}");
                assert!(touching > count / 2, "{touching}");
            }
        });
    }

    #[test]
    fn bare() {
        same_as_serial(HierarchicalGrid::new(), 9000, |_, _| ());
        same_as_serial(LinkedCells::new(), 3000, |_, _| ());
    }

    #[test]
    fn in_a_periodic_box_that_shears() {
        let grid = Periodic::new(HierarchicalGrid::new(), wide(3000, 0));
        same_as_serial(grid, 3000, |grid, step| grid.set_box(wide(3000, step)));
    }

    #[test]
    fn filtered() {
        let is_pair = |i: usize, j: usize| !(i + j).is_multiple_of(3);
        let bare = Filtered::new(HierarchicalGrid::new(), is_pair);
        same_as_serial(bare, 2000, |_, _| ());
        let inside = Periodic::new(Filtered::new(LinkedCells::new(), is_pair), wide(2000, 0));
        same_as_serial(inside, 2000, |_, _| ());
        let around = Filtered::new(Periodic::new(LinkedCells::new(), wide(2000, 0)), is_pair);
        same_as_serial(around, 2000, |_, _| ());
    }

    /// A box around most of the bodies, sheared a little more at each step.
    fn wide(count: usize, step: u32) -> PeriodicBox<DVec3> {
        let spheres = Bodies::new(count, 0.4).spheres;
        let bounds = spheres.iter().map(|s| s.bounding_box());
        let bounds = bounds.reduce(|a, b| a.union(&b)).unwrap();
        let sides = bounds.size() * 0.95;
        let tilt = 0.1 * sides.x + 0.005 * f64::from(step);
        PeriodicBox::triclinic(bounds.min, sides, [tilt, 0.0, 0.0], [true, true, false]).unwrap()
    }

    /// The first of several bad bodies is named, and the largest counts, wherever it is.
    #[test]
    fn parts_of_a_periodic_box() {
        let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(100.0), [true; 3]).unwrap();
        let spheres = Bodies::new(20_000, 0.4).spheres;
        on_threads(|_| {
            let mut broad = Periodic::new(LinkedCells::new(), period);
            let mut bad = spheres.clone();
            bad[9_000].radius = f64::NAN;
            bad[17_000].center.x = f64::NAN;
            let error = broad.par_rebuild(&bad).unwrap_err();
            let found = (error.kind(), error.index());
            assert_eq!(found, (ErrorKind::Radius, Some(9_000)));
            let mut large = spheres.clone();
            large[100].radius = 80.0;
            let error = broad.par_rebuild(&large).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PeriodicBox);
            assert_eq!(broad.rebuild(&large).unwrap_err(), error);
            // Two large bodies in the last part, at faces of the box.
            let mut large = spheres.clone();
            for (i, x, y, radius) in [
                (10, 93.0, 50.0, 0.4),
                (11, 50.0, 7.0, 0.4),
                (18_000, 1.0, 50.0, 9.0),
                (19_000, 50.0, 99.0, 9.0),
            ] {
                large[i] = Sphere::new(DVec3::new(x, y, 50.0), radius);
            }
            let mut serial = broad.clone();
            serial.rebuild(&large).unwrap();
            broad.par_rebuild(&large).unwrap();
            let expected = sequence(&serial);
            assert_eq!(sequence(&broad), expected);
            assert!(
                [[10, 18_000], [11, 19_000]]
                    .iter()
                    .all(|pair| expected.contains(pair))
            );
        });
    }

    /// A list that goes on with fewer threads, and then with fewer bodies, keeps no pairs of the search before.
    #[test]
    fn fewer_threads_and_bodies() {
        let spheres = Bodies::new(3000, 0.4).spheres;
        let new = || PairList::<_>::new(HierarchicalGrid::new(), Skin::Relative(0.1)).unwrap();
        let (mut serial, mut parallel) = (new(), new());
        for (threads, count) in [(8, 3000), (1, 2900), (2, 100), (1, 1)] {
            serial.update(&spheres[..count]).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let update = || parallel.par_update(&spheres[..count]).unwrap();
            assert!(pool.build().unwrap().install(update));
            assert_eq!(parallel.pairs(), serial.pairs());
        }
    }
}
