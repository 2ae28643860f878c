/// Disjoint sets of elements: a forest in which each element points to a lower one of its set.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Puts each element into a set of its own.
    pub(crate) fn reset(&mut self, count: usize) {
        self.0.clear();
        self.0.extend(0..count as u32);
    }

    /// Returns the lowest element of the set of `element`, and halves the path to it.
    pub(crate) fn root(&mut self, mut element: u32) -> u32 {
        while self.0[element as usize] != element {
            let parent = self.0[element as usize];
            self.0[element as usize] = self.0[parent as usize];
            element = parent;
        }
        element
    }

    /// Unites two sets.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_lowest_element() {
        let mut sets = UnionFind::new(5);
        sets.join(4, 2);
        sets.join(3, 4);
        assert_eq!([0, 1, 2, 3, 4].map(|i| sets.root(i)), [0, 1, 2, 2, 2]);
    }
}
