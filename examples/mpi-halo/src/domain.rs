//! Which rank owns which sphere, and the messages between ranks.

use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use osculate::{PeriodicBox, Sphere, broad::RankBody, glam::DVec3};

use crate::contacts::triples;

/// A sphere as it is sent. There is an even number of four-byte fields, so there is no padding and
/// MPI copies the struct as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Equivalence)]
pub struct Body {
    /// Its id among all spheres of all ranks.
    pub id: u64,
    pub radius: f64,
    pub center: [f64; 3],
    pub velocity: [f64; 3],
    /// The periods by which a ghost is shifted from its owner's copy.
    pub image: [i32; 3],
    /// The rank that owns it, to which forces on a ghost would be sent.
    pub owner: i32,
}

impl Body {
    pub fn sphere(&self) -> Sphere<DVec3> {
        Sphere::new(self.center.into(), self.radius)
    }

    pub fn as_seen(&self, is_owned: bool) -> RankBody {
        RankBody {
            id: self.id,
            is_owned,
            image: self.image,
        }
    }
}

/// A periodic box at the origin, cut into slabs along x, one for each rank.
pub struct Domain<'a> {
    pub world: &'a SimpleCommunicator,
    pub period: PeriodicBox<DVec3>,
    pub rank: i32,
    pub rank_count: i32,
    /// The domain of a rank: the box is as many of these along x as there are ranks, and one along
    /// y and z.
    widths: [f64; 3],
    /// The largest radius of all spheres of all ranks.
    pub max_radius: f64,
}

impl<'a> Domain<'a> {
    pub fn new(
        world: &'a SimpleCommunicator,
        sides: [f64; 3],
        max_radius: f64,
    ) -> Result<Self, osculate::Error> {
        let [x, y, z] = sides;
        Ok(Self {
            world,
            period: PeriodicBox::orthogonal(DVec3::ZERO, sides.into(), [true; 3])?,
            rank: world.rank(),
            rank_count: world.size(),
            widths: [x / f64::from(world.size()), y, z],
            max_radius,
        })
    }

    /// The slab of a coordinate. Numbering continues beyond the box: slab s belongs to rank s mod
    /// P, shifted by s div P periods.
    fn part(&self, x: f64, axis: usize) -> i32 {
        (x / self.widths[axis]).floor() as i32
    }

    pub fn owner(&self, body: &Body) -> i32 {
        self.part(body.center[0], 0).clamp(0, self.rank_count - 1)
    }

    /// Moves the owned spheres, and sends those that have left the slab to their new ranks. Returns
    /// the number of arrivals.
    pub fn drift(&self, owned: &mut Vec<Body>) -> usize {
        let mut outboxes = vec![Vec::new(); self.rank_count as usize];
        owned.retain_mut(|body| {
            let moved = DVec3::from(body.center) + DVec3::from(body.velocity);
            body.center = self.period.wrap(moved).into();
            body.owner = self.owner(body);
            if body.owner != self.rank {
                outboxes[body.owner as usize].push(*body);
            }
            body.owner == self.rank
        });
        let stayed = owned.len();
        owned.extend(self.exchange(&outboxes));
        owned.len() - stayed
    }

    /// Sends each owned sphere to all ranks whose spheres it may touch, once for each image that
    /// may, including its own rank. Returns the ghosts that arrived.
    pub fn ghosts(&self, owned: &[Body]) -> Vec<Body> {
        let mut outboxes = vec![Vec::new(); self.rank_count as usize];
        for body in owned {
            // A little more, so that rounding loses no ghost.
            let reach = (body.radius + self.max_radius) * (1.0 + 1e-12);
            let [xs, ys, zs] = [0, 1, 2].map(|axis| {
                let (x, slack) = (body.center[axis], 1e-12 * self.widths[axis]);
                self.part(x - reach - slack, axis)..=self.part(x + reach + slack, axis)
            });
            for [x, y, z] in triples(xs, ys, zs) {
                let rank = x.rem_euclid(self.rank_count);
                let image = [-x.div_euclid(self.rank_count), -y, -z];
                if rank != self.rank || image != [0; 3] {
                    let center = DVec3::from(body.center) + self.period.lattice_vector(image);
                    let center = center.into();
                    outboxes[rank as usize].push(Body {
                        center,
                        image,
                        ..*body
                    });
                }
            }
        }
        self.exchange(&outboxes)
    }

    /// Sends one message to each rank and receives one from each, in the order of the ranks. All
    /// ranks call it at the same time, so none waits for a message that does not come.
    pub fn exchange<T: Equivalence + Clone + Default>(&self, outboxes: &[Vec<T>]) -> Vec<T> {
        let sent_counts: Vec<i32> = outboxes.iter().map(|outbox| outbox.len() as i32).collect();
        let mut counts = vec![0; sent_counts.len()];
        self.world
            .all_to_all_into(&sent_counts[..], &mut counts[..]);
        let sent = outboxes.concat();
        let mut received = vec![T::default(); counts.iter().sum::<i32>() as usize];
        let starts = starts(&counts);
        let mut inbox = PartitionMut::new(&mut received[..], &counts[..], starts);
        let outbox = Partition::new(&sent[..], &sent_counts[..], self::starts(&sent_counts));
        self.world.all_to_all_varcount_into(&outbox, &mut inbox);
        received
    }

    /// Gathers the data of all ranks on rank 0; returns nothing on the others.
    pub fn gather<T: Equivalence + Clone + Default>(&self, mine: &[T]) -> Vec<T> {
        let mut outboxes = vec![Vec::new(); self.rank_count as usize];
        outboxes[0] = mine.to_vec();
        self.exchange(&outboxes)
    }
}

/// The offsets of the parts of a buffer.
fn starts(counts: &[i32]) -> Vec<i32> {
    let next = |end: &mut i32, &count: &i32| {
        let start = *end;
        *end += count;
        Some(start)
    };
    counts.iter().scan(0, next).collect()
}
