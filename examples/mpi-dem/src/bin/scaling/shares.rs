//! What each of a number of ranks holds and sends.

use std::fmt;

use osculate::glam::DVec3;

use crate::bed::Bed;
use crate::bisection::Bisection;

/// Bytes of a ghost's motion and of a force, as `mpi-dem` sends them in each step.
const MOTION: usize = 104;
const FORCE: usize = 48;

/// Seconds a step for a body with its contacts, and of these for what is also done for a ghost in a rebuild: measured
/// with `mpi-dem spheres --count 40000` on one rank.
const BODY: f64 = 0.41e-6;
const GHOST: f64 = 0.11e-6;
/// Seconds a message and a byte: assumed.
const LATENCY: f64 = 2e-6;
const BYTE: f64 = 1e-10;

pub const HEADER: &str = "| ranks | bodies a rank | most load over mean | most bodies over mean | ghosts a rank | \
ghosts over bodies | neighbors: mean, most | shared pairs over pairs | kB sent a step: mean, most | efficiency |\n\
|---|---|---|---|---|---|---|---|---|---|";

pub struct Shares {
    pub ranks: usize,
    /// Means over the ranks.
    pub bodies: f64,
    pub ghosts: f64,
    pub neighbors: f64,
    pub bytes: f64,
    /// The largest over the mean.
    pub load_imbalance: f64,
    pub body_imbalance: f64,
    pub most_neighbors: u64,
    pub most_bytes: u64,
    /// Pairs of bodies of two ranks, of all pairs.
    pub shared: f64,
}

fn mean_and_most(of_ranks: &[u64]) -> (f64, u64) {
    let sum: u64 = of_ranks.iter().sum();
    (
        sum as f64 / of_ranks.len() as f64,
        of_ranks.iter().copied().max().unwrap_or(0),
    )
}

impl Shares {
    /// Returns the time for the bodies of a rank over that of a step, for the rank with the most of everything.
    pub fn efficiency(&self) -> f64 {
        let bodies = self.bodies * BODY;
        // A message to each neighbor and one back, and one number to all ranks.
        let messages = 2.0 * self.most_neighbors as f64 + 2.0 * (self.ranks as f64).log2();
        let sent = LATENCY * messages + BYTE * self.most_bytes as f64;
        bodies / (bodies * self.load_imbalance + GHOST * self.ghosts + sent)
    }

    pub fn new(bed: &Bed, ranks: usize) -> Self {
        let loads: Vec<u64> = bed
            .contacts
            .iter()
            .map(|&contacts| 4 + u64::from(contacts))
            .collect();
        let (low, high) = (
            |a: DVec3, &b: &DVec3| a.min(b),
            |a: DVec3, &b: &DVec3| a.max(b),
        );
        let bounds = [
            bed.points.iter().fold(DVec3::INFINITY, low),
            bed.points.iter().fold(DVec3::NEG_INFINITY, high),
        ];
        let open = f64::INFINITY;
        let faces = [
            DVec3::new(0.0, -open, -open),
            DVec3::new(bed.length, open, open),
        ];
        let parts = Bisection::new(&bed.points, &loads, ranks, bounds, faces, |_| ());
        let owners: Vec<u16> = bed
            .points
            .iter()
            .map(|&point| parts.part(point) as u16)
            .collect();
        let (mut bodies, mut load) = (vec![0; ranks], vec![0; ranks]);
        for (&owner, of_body) in owners.iter().zip(&loads) {
            bodies[usize::from(owner)] += 1;
            load[usize::from(owner)] += of_body;
        }
        let [ghosts, neighbors] = halos(bed, &parts, &owners, ranks);
        // Each pair is computed once; the force goes to the owner of the other body.
        let mut shared = vec![0; ranks];
        for &[a, b] in &bed.pairs {
            let [a_owner, b_owner] = [a, b].map(|i| usize::from(owners[i as usize]));
            if a_owner != b_owner {
                shared[if (a ^ b) & 1 == 0 { a_owner } else { b_owner }] += 1;
            }
        }
        let bytes = ghosts
            .iter()
            .zip(&shared)
            .map(|(ghosts, pairs)| MOTION as u64 * ghosts + FORCE as u64 * pairs);
        let bytes: Vec<u64> = bytes.collect();
        let over_mean = |of_ranks: &[u64]| {
            let (mean, most) = mean_and_most(of_ranks);
            most as f64 / mean
        };
        Self {
            ranks,
            bodies: mean_and_most(&bodies).0,
            ghosts: mean_and_most(&ghosts).0,
            neighbors: mean_and_most(&neighbors).0,
            bytes: mean_and_most(&bytes).0,
            load_imbalance: over_mean(&load),
            body_imbalance: over_mean(&bodies),
            most_neighbors: mean_and_most(&neighbors).1,
            most_bytes: mean_and_most(&bytes).1,
            shared: shared.iter().sum::<u64>() as f64 / bed.pairs.len() as f64,
        }
    }
}

/// Returns the numbers of ghosts that each rank sends, and of ranks to which it sends them. Its own periodic images
/// count.
fn halos(bed: &Bed, parts: &Bisection, owners: &[u16], ranks: usize) -> [Vec<u64>; 2] {
    let mut radii = vec![0.0_f64; ranks];
    for (&owner, &radius) in owners.iter().zip(&bed.radii) {
        let widest = &mut radii[usize::from(owner)];
        *widest = widest.max(radius);
    }
    let mut ghosts = vec![0; ranks];
    let mut are_neighbors = vec![false; ranks * ranks];
    for ((&point, &radius), &owner) in bed.points.iter().zip(&bed.radii).zip(owners) {
        let owner = usize::from(owner);
        let reach = radius + bed.skin;
        for image in [-1.0, 0.0, 1.0] {
            let point = point + DVec3::X * (image * bed.length);
            parts.for_each_part_near(point, reach + bed.max_radius, |rank, distance_squared| {
                let is_near = distance_squared <= (reach + radii[rank]).powi(2);
                if is_near && (rank != owner || image != 0.0) {
                    ghosts[owner] += 1;
                    are_neighbors[owner * ranks + rank] = true;
                }
            });
        }
    }
    let neighbors = are_neighbors
        .chunks(ranks)
        .map(|row| row.iter().filter(|&&is| is).count() as u64);
    [ghosts, neighbors.collect()]
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kilo = |bytes: f64| bytes / 1000.0;
        write!(
            f,
            "| {} | {:.0} | {:.4} | {:.3} | {:.0} | {:.3} | {:.1}, {} | {:.3} | {:.0}, {:.0} | {:.2} |",
            self.ranks,
            self.bodies,
            self.load_imbalance,
            self.body_imbalance,
            self.ghosts,
            self.ghosts / self.bodies,
            self.neighbors,
            self.most_neighbors,
            self.shared,
            kilo(self.bytes),
            kilo(self.most_bytes as f64),
            self.efficiency(),
        )
    }
}
