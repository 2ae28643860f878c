use crate::narrow::NarrowPhase;
use crate::testing::properties::Violation;

/// The number of contacts of all pairs, and a sum over them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkloadSum {
    /// The number of contacts.
    pub contacts: usize,
    /// The sum of the overlaps or volumes, times a weight between 1 and 2 that depends on the pair.
    ///
    /// So a result for the wrong pair changes the sum.
    pub sum: f64,
}

impl WorkloadSum {
    /// Adds the overlap or volume of a contact of pair number `pair` of a step.
    pub fn add(&mut self, pair: usize, value: f64) {
        self.contacts += 1;
        self.sum += value * (1.0 + (pair % 16) as f64 / 16.0);
    }
}

/// Pairs of bodies for timing a kernel, with the expected result.
///
/// A coherent sequence lists the pairs of all steps, in the same order at each step. Each pair keeps its state
/// from step to step.
#[derive(Clone, Debug)]
pub struct Workload<A, B = A> {
    first: Vec<A>,
    second: Vec<B>,
    /// Indices into `first` and `second`.
    pairs: Vec<[u32; 2]>,
    /// The number of pairs in one step.
    pair_count: usize,
    expected: WorkloadSum,
    tolerance: f64,
}

impl<A, B> Workload<A, B> {
    /// Builds a workload from your own bodies.
    ///
    /// `pairs[i]` holds the indices of pair `i` into `first` and `second`. Pairs `i` and `i + pair_count` are
    /// the same bodies one step later. `expected` has the [contacts](WorkloadSum::add) of all steps from an oracle,
    /// and `tolerance` is relative to its sum.
    ///
    /// # Errors
    /// Returns a [`Violation`] for indices out of range, and for pairs that are not a whole number of steps.
    pub fn new(
        first: Vec<A>,
        second: Vec<B>,
        pairs: Vec<[u32; 2]>,
        pair_count: usize,
        expected: WorkloadSum,
        tolerance: f64,
    ) -> std::result::Result<Self, Violation> {
        let is_body =
            |&[i, j]: &[u32; 2]| (i as usize) < first.len() && (j as usize) < second.len();
        if !pairs.iter().all(is_body) || pair_count == 0 || !pairs.len().is_multiple_of(pair_count)
        {
            return Err(Violation::new(
                "Workload::new: an index is out of range, or pairs are not whole steps".into(),
            ));
        }
        Ok(Self {
            first,
            second,
            pairs,
            pair_count,
            expected,
            tolerance,
        })
    }

    /// Builds a workload of one step, of each first body with the second body of the same index.
    pub(super) fn of_one_step(
        first: Vec<A>,
        second: Vec<B>,
        expected: WorkloadSum,
        tolerance: f64,
    ) -> std::result::Result<Self, Violation> {
        let count = first.len();
        let pairs = (0..count as u32).map(|i| [i, i]).collect();
        Self::new(first, second, pairs, count, expected, tolerance)
    }

    /// Returns the number of kernel calls of a run, over all steps.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the number of pairs in one step.
    pub fn pair_count(&self) -> usize {
        self.pair_count
    }

    /// Returns the indices of each pair into its first and second bodies, in the order of a run.
    pub fn indices(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Returns the bodies of each pair, in the order of a run.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&A, &B)> {
        let body = |&[i, j]: &[u32; 2]| (&self.first[i as usize], &self.second[j as usize]);
        self.pairs.iter().map(body)
    }

    /// Returns the expected result.
    pub fn expected_sum(&self) -> WorkloadSum {
        self.expected
    }

    /// Returns the largest error of the sum, relative to the expected one.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Converts the bodies, for instance to types of another library. Each body is converted once.
    ///
    /// ```
    /// use osculate::{Sphere, glam::DVec3, testing::workload};
    ///
    /// let pairs = workload::sphere_pairs::<DVec3>(100, 1)?;
    /// let as_tuple = |s: &Sphere| (s.center.to_array(), s.radius);
    /// let tuples = pairs.map(as_tuple, as_tuple);
    /// assert_eq!((tuples.pair_count(), tuples.len()), (100, 100));
    /// # Ok::<(), osculate::testing::properties::Violation>(())
    /// ```
    pub fn map<C, D>(
        &self,
        first: impl FnMut(&A) -> C,
        second: impl FnMut(&B) -> D,
    ) -> Workload<C, D> {
        Workload {
            first: self.first.iter().map(first).collect(),
            second: self.second.iter().map(second).collect(),
            pairs: self.pairs.clone(),
            pair_count: self.pair_count,
            expected: self.expected,
            tolerance: self.tolerance,
        }
    }

    /// Repeats all steps. So the bodies of a workload of one step are at rest, and each pair keeps its state.
    pub fn repeated(mut self, times: usize) -> Self {
        self.pairs = self.pairs.repeat(times);
        self.expected.contacts *= times;
        self.expected.sum *= times as f64;
        self
    }

    /// Calls the kernel for all pairs, step by step, from fresh states.
    ///
    /// `measure` returns the number of a contact that the workload sums up, its overlap or volume.
    /// Cost: about 1 ns for each pair in addition to the kernel; allocates the states.
    ///
    /// # Errors
    /// Returns a [`Violation`] for a wrong result. Unwrap it in the benchmark, so that no wrong kernel is timed.
    pub fn run<K: NarrowPhase<A, B>>(
        &self,
        kernel: &mut K,
        measure: impl Fn(&K::Contact) -> f64,
    ) -> std::result::Result<WorkloadSum, Violation> {
        let mut states: Vec<K::State> = Vec::new();
        states.resize_with(self.pair_count, K::State::default);
        let mut found = WorkloadSum::default();
        for pairs in self.pairs.chunks_exact(self.pair_count) {
            for ((pair, &[a, b]), state) in pairs.iter().enumerate().zip(&mut states) {
                let (a, b) = (&self.first[a as usize], &self.second[b as usize]);
                kernel.for_each_contact(a, b, state, |c| found.add(pair, measure(&c)));
            }
        }
        let WorkloadSum { contacts, sum } = self.expected;
        let is_near = (found.sum - sum).abs() <= self.tolerance * sum.abs();
        if found.contacts == contacts && is_near && found.sum.is_finite() {
            Ok(found)
        } else {
            let expected = self.expected;
            let message = format!("Workload::run: found {found:?}, expected {expected:?}");
            Err(Violation::new(message))
        }
    }
}
