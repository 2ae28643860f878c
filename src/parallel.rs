//! Loops on rayon's current thread pool whose results do not depend on the number of threads.

use rayon::prelude::*;

use crate::broad::Pair;

/// The number of bodies of a task that does little work per body.
pub(crate) const PART: usize = 8192;
/// The number of groups of chunks for each thread.
const GROUPS: usize = 16;
/// The smallest number of pairs or bodies of a task that calls a kernel for each.
const FEWEST: usize = 64;

/// The kernels and results of the parallel loops over a list, kept from step to step.
///
/// A loop divides the pairs or bodies into tasks, in their order. Each task has a clone of the kernel and its own
/// results. The results come in the serial order for any number of threads, so a serial sum over them has the same
/// bits. Except inside rayon, nothing is allocated once there are enough tasks with enough room.
///
/// See [`PairList::par_for_each_touching_image`](crate::PairList::par_for_each_touching_image) for an example.
#[derive(Clone, Debug, Default)]
pub struct Workers<K, C = ()> {
    kernel: K,
    /// Those that the last loop did not need have no results.
    tasks: Vec<Worker<K, C>>,
}

/// The kernel and the buffers of one task.
#[derive(Clone, Debug)]
pub(crate) struct Worker<K, C> {
    pub(crate) kernel: K,
    pub(crate) results: Vec<C>,
}

impl<K, C> Workers<K, C> {
    /// Returns the results of the last loop, in the serial order.
    pub fn results(&self) -> impl Iterator<Item = &C> {
        self.tasks.iter().flat_map(|task| &task.results)
    }
}

impl<K: Clone, C> Workers<K, C> {
    /// Creates workers that use clones of a kernel. The kernel may be any value that tasks modify, or `()`.
    pub const fn new(kernel: K) -> Self {
        Self {
            kernel,
            tasks: Vec::new(),
        }
    }
}

impl<K: Clone + Send, C: Send> Workers<K, C> {
    /// Runs the work on all items and their data, task by task; each task gets the index of its first item.
    pub(crate) fn run<I: Sync, T: Send>(
        &mut self,
        items: &[I],
        data: &mut [T],
        work: impl Fn(&mut Worker<K, C>, usize, &[I], &mut [T]) + Sync,
    ) {
        let tasks = 4 * rayon::current_num_threads();
        let size = items.len().div_ceil(tasks).max(FEWEST);
        let count = items.len().div_ceil(size).max(self.tasks.len());
        self.tasks.resize_with(count, || Worker {
            kernel: self.kernel.clone(),
            results: Vec::new(),
        });
        self.tasks.iter_mut().for_each(|task| task.results.clear());
        let parts = items.par_chunks(size).zip(data.par_chunks_mut(size));
        let tasks = self.tasks.par_iter_mut().zip(parts).enumerate();
        let tasks = tasks.with_max_len(1);
        tasks.for_each(|(task, (worker, (items, data)))| work(worker, task * size, items, data));
    }
}

/// Replaces the contents of `pairs` by those of all chunks, in the order of the chunks.
///
/// `fill` appends the pairs of a chunk. `parts` are buffers, one for each group of chunks. There are more groups than
/// threads, because the cost of chunks can differ widely.
pub(crate) fn collect_chunks(
    chunk_count: usize,
    fill: &(dyn Fn(usize, &mut Vec<Pair>) + Sync),
    parts: &mut Vec<Vec<Pair>>,
    pairs: &mut Vec<Pair>,
) {
    let groups = GROUPS * rayon::current_num_threads();
    let size = chunk_count.div_ceil(groups).max(1);
    let count = chunk_count.div_ceil(size);
    parts.resize_with(count.max(parts.len()), Vec::new);
    let parts = &mut parts[..count];
    let groups = parts.par_iter_mut().with_max_len(1).enumerate();
    groups.for_each(|(group, part)| {
        part.clear();
        let chunks = group * size..chunk_count.min((group + 1) * size);
        chunks.for_each(|chunk| fill(chunk, part));
    });
    pairs.resize(parts.iter().map(Vec::len).sum(), Pair::default());
    copy_parts(parts, pairs);
}

/// Copies parts one after the other, half of them in each task.
fn copy_parts(parts: &[Vec<Pair>], pairs: &mut [Pair]) {
    if let [part] = parts {
        pairs.copy_from_slice(part);
    } else if !parts.is_empty() {
        let (left, right) = parts.split_at(parts.len() / 2);
        let (to_left, to_right) = pairs.split_at_mut(left.iter().map(Vec::len).sum());
        rayon::join(|| copy_parts(left, to_left), || copy_parts(right, to_right));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each chunk comes once, in order, whether there are fewer chunks than groups or many more.
    #[test]
    fn chunks_come_once_and_in_order() {
        let (mut pairs, mut parts) = (Vec::new(), Vec::new());
        for count in [0, 1, 7, 100, 4000, 40_001, 3] {
            let pairs_of = |chunk: usize| vec![[chunk as u32; 2]; chunk % 3];
            let fill = |chunk: usize, out: &mut Vec<Pair>| out.extend(pairs_of(chunk));
            collect_chunks(count, &fill, &mut parts, &mut pairs);
            let expected: Vec<_> = (0..count).flat_map(pairs_of).collect();
            assert!(pairs == expected, "{count}");
        }
    }
}
