//! Messages between ranks.

use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::request::multiple_scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use serde::{Serialize, de::DeserializeOwned};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// All ranks, as seen by one of them.
pub struct Team<'a> {
    pub world: &'a SimpleCommunicator,
    pub rank: usize,
    pub size: usize,
}

impl<'a> Team<'a> {
    pub fn new(world: &'a SimpleCommunicator) -> Self {
        Self {
            world,
            rank: world.rank() as usize,
            size: world.size() as usize,
        }
    }

    /// Replaces counts by their sums over all ranks.
    pub fn add_up(&self, counts: &mut [u64]) {
        let own = counts.to_vec();
        self.world
            .all_reduce_into(&own[..], counts, SystemOperation::sum());
    }

    /// Returns whether a condition holds on any rank.
    pub fn any(&self, holds: bool) -> bool {
        let mut any = 0;
        self.world
            .all_reduce_into(&u8::from(holds), &mut any, SystemOperation::max());
        any != 0
    }

    /// Returns the largest of the numbers of all ranks, for each place.
    pub fn max<const N: usize>(&self, own: [f64; N]) -> [f64; N] {
        let mut max = own;
        self.world
            .all_reduce_into(&own[..], &mut max[..], SystemOperation::max());
        max
    }

    /// Returns the numbers of all ranks.
    pub fn all(&self, own: f64) -> Vec<f64> {
        let mut all = vec![0.0; self.size];
        self.world.all_gather_into(&own, &mut all[..]);
        all
    }

    /// Returns an empty list for each rank.
    pub fn outboxes<T>(&self) -> Vec<Vec<T>> {
        (0..self.size).map(|_| Vec::new()).collect()
    }

    /// Sends one list to each rank and receives one from each, in the order of the ranks. All ranks call it at the
    /// same time, so none waits for a message that does not come. The list to itself is not encoded.
    pub fn swap<T>(&self, mut outboxes: Vec<Vec<T>>) -> Result<Vec<Vec<T>>>
    where
        T: Serialize + DeserializeOwned,
    {
        let kept = std::mem::take(&mut outboxes[self.rank]);
        let (mut sent, mut sent_counts) = (Vec::new(), Vec::new());
        for outbox in &outboxes {
            let before = sent.len();
            sent = postcard::to_extend(outbox, sent)?;
            sent_counts.push(i32::try_from(sent.len() - before)?);
        }
        let mut counts = vec![0; self.size];
        self.world
            .all_to_all_into(&sent_counts[..], &mut counts[..]);
        let (begins, sent_begins) = (begins(&counts)?, begins(&sent_counts)?);
        let mut received = vec![0_u8; counts.iter().map(|&count| count as usize).sum()];
        let outbox = Partition::new(&sent[..], &sent_counts[..], sent_begins);
        let mut inbox = PartitionMut::new(&mut received[..], &counts[..], &begins[..]);
        self.world.all_to_all_varcount_into(&outbox, &mut inbox);
        let lists = begins.iter().zip(&counts);
        let lists = lists.map(|(&begin, &count)| &received[begin as usize..][..count as usize]);
        let lists = lists.map(|bytes| Ok(postcard::from_bytes(bytes)?));
        let mut lists = lists.collect::<Result<Vec<_>>>()?;
        lists[self.rank] = kept;
        Ok(lists)
    }

    /// Gathers the lists of all ranks on rank 0; returns nothing on the others.
    pub fn gather<T: Serialize + DeserializeOwned>(&self, own: Vec<T>) -> Result<Vec<T>> {
        let mut outboxes = self.outboxes();
        outboxes[0] = own;
        Ok(self.swap(outboxes)?.into_iter().flatten().collect())
    }
}

/// Returns the offsets of the parts of a buffer. MPI counts bytes in 31 bits.
fn begins(counts: &[i32]) -> Result<Vec<i32>> {
    let (mut begins, mut end) = (Vec::new(), 0_i32);
    for &count in counts {
        begins.push(end);
        end = end
            .checked_add(count)
            .ok_or("a rank has more than 2 GiB to send or receive")?;
    }
    Ok(begins)
}

/// A fixed pattern of messages, used in every step until the next rebuild: only neighbors are in it.
#[derive(Default)]
pub struct Route {
    /// What is sent, as indices of the sender, rank after rank.
    pub list: Vec<u32>,
    /// The ranks, each with a number of items.
    sent: Vec<(i32, usize)>,
    received: Vec<(i32, usize)>,
    outbox: Vec<f64>,
    inbox: Vec<f64>,
}

impl Route {
    /// Sends `lists[rank]` to each rank, and receives `counts[rank]` items from it.
    pub fn new(lists: Vec<Vec<u32>>, counts: impl Iterator<Item = usize>) -> Self {
        let used = |&(_, count): &(i32, usize)| count > 0;
        let sent = lists.iter().map(Vec::len);
        Self {
            sent: (0..).zip(sent).filter(used).collect(),
            received: (0..).zip(counts).filter(used).collect(),
            list: lists.concat(),
            ..Self::default()
        }
    }

    /// Sends the numbers of each item of the list, and returns those received, in the order of the ranks.
    pub fn carry<const N: usize>(
        &mut self,
        team: &Team,
        item: impl Fn(usize) -> [f64; N],
    ) -> &[[f64; N]] {
        self.outbox.clear();
        self.outbox
            .extend(self.list.iter().flat_map(|&i| item(i as usize)));
        let total: usize = self.received.iter().map(|(_, count)| count).sum();
        self.inbox.resize(N * total, 0.0);
        let (mut outbox, mut inbox) = (&self.outbox[..], &mut self.inbox[..]);
        let messages = self.sent.len() + self.received.len();
        multiple_scope(messages, |scope, requests| {
            for &(rank, count) in &self.received {
                let (message, rest) = std::mem::take(&mut inbox).split_at_mut(N * count);
                inbox = rest;
                let from = team.world.process_at_rank(rank);
                requests.add(from.immediate_receive_into(scope, message));
            }
            for &(rank, count) in &self.sent {
                let (message, rest) = outbox.split_at(N * count);
                outbox = rest;
                let to = team.world.process_at_rank(rank);
                requests.add(to.immediate_send(scope, message));
            }
            requests.wait_all(&mut Vec::new());
        });
        self.inbox.as_chunks().0
    }

    /// Returns the numbers of messages and of items sent.
    pub fn size(&self) -> [usize; 2] {
        [self.sent.len(), self.list.len()]
    }
}
