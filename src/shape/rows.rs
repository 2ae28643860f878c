//! Rows of different lengths in one flat array.

/// Rows of items in one flat array: row `r` is `items[starts[r]..starts[r + 1]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl<T> Rows<T> {
    /// Sorts pairs of a row and an item into rows, in O(n). Items keep their order.
    pub(crate) fn from_pairs(row_count: usize, pairs: &[(u32, T)]) -> Self
    where
        T: Copy + Default,
    {
        // Starts are shifted by one place, because filling a row moves its start to that of the
        // next row.
        let mut starts = vec![0; row_count + 2];
        for &(row, _) in pairs {
            starts[row as usize + 2] += 1;
        }
        for row in 2..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut items = vec![T::default(); pairs.len()];
        for &(row, item) in pairs {
            let next = &mut starts[row as usize + 1];
            items[*next as usize] = item;
            *next += 1;
        }
        starts.pop();
        Self { starts, items }
    }

    /// Sorts the items of each row.
    pub(crate) fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        for ends in self.starts.windows(2) {
            self.items[ends[0] as usize..ends[1] as usize].sort_unstable_by_key(&key);
        }
    }

    /// Returns the items of all rows, one after the other, to change them.
    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Returns the items of all rows, one after the other.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Returns the items of a row, `None` beyond the last row.
    #[inline]
    pub(crate) fn get(&self, row: u32) -> Option<&[T]> {
        let row = row as usize;
        let ends = self.starts.get(row..row + 2)?;
        Some(&self.items[ends[0] as usize..ends[1] as usize])
    }
}

impl<T> std::ops::Index<u32> for Rows<T> {
    type Output = [T];

    /// Returns the items of a row that exists.
    #[inline]
    fn index(&self, row: u32) -> &[T] {
        let row = row as usize;
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_into_rows_in_their_order() {
        let rows = Rows::from_pairs(4, &[(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')]);
        assert_eq!((&rows[0], &rows[1]), (&['b', 'e'][..], &[][..]));
        assert_eq!((&rows[2], &rows[3]), (&['a', 'c'][..], &['d'][..]));
        assert_eq!((rows.get(3), rows.get(4)), (Some(&['d'][..]), None));
        assert_eq!(Rows::<u8>::from_pairs(0, &[]), Rows::default());
    }
}
