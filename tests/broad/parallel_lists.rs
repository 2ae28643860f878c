//! Pair lists on several threads, images of pairs, and restarts.

use osculate::glam::DVec3;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    BroadPhase, BruteForce, Error, ErrorKind, LinkedCells, PairList, Periodic, PeriodicBox, Skin,
    Sphere,
};

fn period(tilt: f64) -> PeriodicBox<DVec3> {
    let sides = DVec3::new(20.0, 19.0, 18.0);
    PeriodicBox::triclinic(-sides / 3.0, sides, [tilt, 0.0, 0.0], [true, true, false]).unwrap()
}

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

/// The shift of a pair leads to the nearest image.
#[test]
fn shifts_lead_to_the_nearest_image() {
    let mut bodies = Bodies::new(800, 0.4);
    // Far out of the box.
    bodies.spheres[3].center += period(3.0).lattice_vector([2, -3, 0]);
    let broad = Periodic::new(BruteForce::new(), period(3.0));
    let mut list = PairList::<_, u32>::new(broad, Skin::Relative(0.2)).unwrap();
    let mut shifted = 0;
    for step in 0..20 {
        bodies.step();
        let period = period(3.0 + 0.1 * f64::from(step));
        list.broad_phase_mut().set_box(period);
        list.update(&bodies.spheres).unwrap();
        list.for_each_touching_image(|pair, _| {
            let [a, b] = [pair.i, pair.j].map(|i| bodies.spheres[i]);
            let image = period.nearest_image(b.center, a.center);
            assert!((b.center + pair.shift).distance(image) < 1e-13);
            assert!(a.center.distance(image) <= (a.radius + b.radius) * (1.0 + 1e-12));
            shifted += u32::from(pair.shift != DVec3::ZERO);
        });
    }
    assert!(shifted > 500, "{shifted}");
}

/// A restored list goes on as the one that was stored: the same pairs, data and rebuilds.
#[test]
fn snapshots() -> Result<(), Error> {
    let mut bodies = Bodies::new(800, 0.4);
    let new = || {
        PairList::new(
            Periodic::new(LinkedCells::new(), period(0.0)),
            Skin::Relative(0.1),
        )
    };
    let mut list: PairList<_, u32> = new()?;
    let mut restarted: PairList<_, u32> = new()?;
    let mut rebuilds = 0;
    for step in 0..60 {
        bodies.step();
        if step % 9 == 4 {
            // A stale list is stored too.
            if step % 2 == 0 {
                list.renumber(Some, |_| ()).unwrap();
            }
            let snapshot = list.snapshot();
            #[cfg(feature = "serde")]
            let snapshot = {
                let read = crate::support::read_back(&snapshot);
                assert_eq!(snapshot, read);
                read
            };
            restarted = new()?;
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

/// A list that was renumbered takes the snapshot of another that was, with its data.
#[test]
fn a_stale_list_is_restored() -> Result<(), Error> {
    let spheres = Bodies::new(50, 0.4).spheres;
    let new = || PairList::<_, u32>::new(BruteForce::new(), Skin::Relative(0.1));
    let mut list = new()?;
    list.update(&spheres)?;
    let mut count = 0;
    list.for_each_pair(|_, _, data| {
        count += 1;
        *data = count;
    });
    list.renumber(Some, |_| ()).unwrap();
    let snapshot = list.snapshot();
    for is_stale in [false, true] {
        let mut restored = new()?;
        restored.update(&spheres[..30])?;
        if is_stale {
            restored.renumber(Some, |_| ()).unwrap();
        }
        restored.restore(snapshot.clone())?;
        assert!(restored.update(&spheres)?);
        assert!(count > 20 && restored.data().iter().copied().eq(1..=count));
    }
    Ok(())
}

/// A margin that is set later counts, and a radius that only the margin makes positive is refused.
#[test]
fn margins_that_change() {
    let mut spheres = [0.0, 2.5].map(|x| Sphere::new(DVec3::X * x, 1.0));
    let mut list = PairList::<_>::new(BruteForce::new(), Skin::Relative(0.1)).unwrap();
    list.update(&spheres).unwrap();
    assert!(list.pairs().is_empty());
    list = list.with_margin(0.6).unwrap();
    assert!(list.update(&spheres).unwrap());
    assert_eq!(list.pairs(), [[0, 1]]);
    spheres[1].radius = -0.1;
    let error = list.update(&spheres).unwrap_err();
    assert_eq!((error.kind(), error.index()), (ErrorKind::Radius, Some(1)));
}

#[cfg(feature = "serde")]
#[test]
fn bad_snapshots_are_refused() {
    let mut list = PairList::<_, u8>::new(BruteForce::<DVec3>::new(), Skin::Relative(0.1)).unwrap();
    let sphere = r#"{"center":[0.0,0.0,0.0],"radius":1.0}"#;
    let text = |spheres: &str, inflated: &str, pairs: &str, data: &str| {
        format!(
            r#"{{"body_count":2,"spheres":[{spheres}],"inflated":[{inflated}],"periods":null,"pairs":[{pairs}],"data":[{data}],"is_stale":false}}"#
        )
    };
    let two = format!("{sphere},{sphere}");
    let good = text(&two, &two, "[0,1]", "7");
    list.restore(serde_json::from_str(&good).unwrap()).unwrap();
    let bad = r#"{"center":[0.0,0.0,0.0],"radius":-1.0}"#;
    for (text, kind) in [
        (text(&two, sphere, "[0,1]", "7"), ErrorKind::Index),
        (text(&two, &two, "[0,2]", "7"), ErrorKind::Index),
        (
            text(&format!("{two},{sphere}"), &two, "[0,1]", "7"),
            ErrorKind::Index,
        ),
        (text(&two, &two, "[0,1]", ""), ErrorKind::Index),
        (text(&two, &two, "[1,0]", "7"), ErrorKind::Parameter),
        (text(&two, &two, "[0,1],[0,1]", "7,8"), ErrorKind::Parameter),
        (
            text(&format!("{sphere},{bad}"), &two, "[0,1]", "7"),
            ErrorKind::Radius,
        ),
    ] {
        let error = list
            .restore(serde_json::from_str(&text).unwrap())
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{text}");
        assert_eq!((list.pairs(), list.data()), (&[[0, 1]][..], &[7][..]));
    }
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::*;
    use crate::support::on_threads;
    use osculate::broad::Workers;
    use osculate::{Bounded, Filtered, HierarchicalGrid};

    /// The same list, data and order of visits as serially, over rebuilds.
    fn same_as_serial<B>(broad: B, count: usize)
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
        same_as_serial(HierarchicalGrid::new(), 9000);
        same_as_serial(LinkedCells::new(), 3000);
    }

    #[test]
    fn in_a_periodic_box() {
        same_as_serial(Periodic::new(HierarchicalGrid::new(), wide(3000)), 3000);
    }

    #[test]
    fn filtered() {
        let is_pair = |i: usize, j: usize| !(i + j).is_multiple_of(3);
        same_as_serial(Filtered::new(HierarchicalGrid::new(), is_pair), 2000);
        let inside = Filtered::new(LinkedCells::new(), is_pair);
        same_as_serial(Periodic::new(inside, wide(2000)), 2000);
        let around = Periodic::new(LinkedCells::new(), wide(2000));
        same_as_serial(Filtered::new(around, is_pair), 2000);
    }

    /// A box around most of the bodies.
    fn wide(count: usize) -> PeriodicBox<DVec3> {
        let spheres = Bodies::new(count, 0.4).spheres;
        let bounds = spheres.iter().map(|s| s.bounding_box());
        let bounds = bounds.reduce(|a, b| a.union(&b)).unwrap();
        let sides = bounds.size() * 0.95;
        PeriodicBox::triclinic(
            bounds.min,
            sides,
            [0.1 * sides.x, 0.0, 0.0],
            [true, true, false],
        )
        .unwrap()
    }

    /// Errors are those of the serial list, and the data outlive them.
    #[test]
    fn errors_are_the_same() {
        on_threads(|_| {
            let mut bodies = Bodies::new(20_000, 0.4);
            let mut list =
                PairList::<_, u32>::new(HierarchicalGrid::new(), Skin::Relative(0.1)).unwrap();
            list.par_update(&bodies.spheres).unwrap();
            list.for_each_pair(|_, _, data| *data = 1);
            let mut bad = bodies.spheres.clone();
            bad[17_000].center.x = f64::NAN;
            bad[18_000].radius = -1.0;
            let error = list.par_update(&bad).unwrap_err();
            assert_eq!(
                (error.kind(), error.index()),
                (ErrorKind::Coordinate, Some(17_000))
            );
            assert!(list.pairs().is_empty());
            bodies.step();
            assert!(list.par_update(&bodies.spheres).unwrap());
            let kept: u32 = list.data().iter().sum();
            assert!(kept as usize > list.pairs().len() / 2);
        });
        let mut tight = Periodic::new(HierarchicalGrid::new(), period(0.0));
        let spheres = [0.1, 9.0].map(|radius| Sphere::new(DVec3::ZERO, radius));
        let expected = tight.rebuild(&spheres).unwrap_err();
        assert_eq!(tight.par_rebuild(&spheres).unwrap_err(), expected);
    }

    /// The box moves and bodies go: the serial list again.
    #[test]
    fn in_a_box_that_shears() {
        let mut bodies = Bodies::new(800, 0.4);
        let new = || {
            let broad = Periodic::new(HierarchicalGrid::new(), period(3.0));
            PairList::<_, u32>::new(broad, Skin::Relative(0.3)).unwrap()
        };
        let (mut serial, mut parallel, mut kept) = (new(), new(), 0);
        for step in 0..30_u32 {
            let period = period(3.0 + 0.05 * f64::from(step));
            serial.broad_phase_mut().set_box(period);
            parallel.broad_phase_mut().set_box(period);
            if step % 10 == 9 {
                bodies.spheres.truncate(800 - step as usize);
            }
            let is_rebuilt = serial.update(&bodies.spheres).unwrap();
            assert_eq!(parallel.par_update(&bodies.spheres).unwrap(), is_rebuilt);
            assert_eq!(parallel.pairs(), serial.pairs());
            assert_eq!(visit(&mut parallel), visit(&mut serial), "step {step}");
            kept += u32::from(!is_rebuilt);
        }
        assert!((5..26).contains(&kept), "{kept}");
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
            assert_eq!(
                (error.kind(), error.index()),
                (ErrorKind::Radius, Some(9_000))
            );
            let mut large = spheres.clone();
            large[100].radius = 80.0;
            let error = broad.par_rebuild(&large).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PeriodicBox);
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
            let [found, expected] = [&broad, &serial].map(|broad| {
                let mut pairs = Vec::new();
                broad.collect_pairs(&mut pairs);
                pairs
            });
            assert_eq!(found, expected);
            assert!(
                [[10, 18_000], [11, 19_000]]
                    .iter()
                    .all(|pair| expected.contains(pair))
            );
            // A margin hides no bad radius, in any part.
            let mut list = PairList::<_>::new(LinkedCells::new(), Skin::Relative(0.5)).unwrap();
            list = list.with_margin(0.2).unwrap();
            list.par_update(&spheres).unwrap();
            let mut bad = spheres.clone();
            bad[100].radius = -0.05;
            let error = list.par_update(&bad).unwrap_err();
            assert_eq!(
                (error.kind(), error.index()),
                (ErrorKind::Radius, Some(100))
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
