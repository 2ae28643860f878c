//! The pairs of a list with their data, which a rebuild carries over.

use std::mem;

use crate::broad::Pair;
use crate::math::Vector;
use crate::shape::Sphere;

/// The number of pairs that are tested before the touching ones are visited.
const BLOCK: usize = 64;
/// The origin of a new pair.
pub(super) const NEW: u32 = u32::MAX;

/// Pairs in ascending order, and the data of each.
#[derive(Clone, Debug)]
pub(super) struct Rows<T> {
    pub(super) pairs: Vec<Pair>,
    pub(super) data: Vec<T>,
    /// The place of each pair in the previous list, [`NEW`] for a new pair.
    pub(super) origins: Vec<u32>,
}

impl<T> Rows<T> {
    pub(super) const fn new() -> Self {
        Self {
            pairs: Vec::new(),
            data: Vec::new(),
            origins: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.data.clear();
        self.origins.clear();
    }
}

impl<T: Default> Rows<T> {
    /// Makes room for the data of the pairs, with any contents.
    pub(super) fn resize(&mut self) {
        self.data.resize_with(self.pairs.len(), T::default);
        self.origins.resize(self.pairs.len(), NEW);
    }

    /// Sets the data of the pairs, from `before` or the default.
    pub(super) fn carry_over(&mut self, before: &mut Self) {
        self.resize();
        let places = self.data.iter_mut().zip(&mut self.origins);
        carry(&self.pairs, places, 0, &before.pairs, &mut before.data);
    }
}

/// Sets the data of the pairs, from a part of the old list that starts at `first`, or the default. Both parts are in
/// ascending order.
pub(super) fn carry<'a, T: Default + 'a>(
    pairs: &[Pair],
    places: impl Iterator<Item = (&'a mut T, &'a mut u32)>,
    first: u32,
    old_pairs: &[Pair],
    old_data: &mut [T],
) {
    let mut old = (first..).zip(old_pairs.iter().zip(old_data)).peekable();
    for (pair, (data, origin)) in pairs.iter().zip(places) {
        while old.next_if(|(_, (before, _))| *before < pair).is_some() {}
        (*data, *origin) = match old.next_if(|(_, (before, _))| *before == pair) {
            Some((place, (_, before))) => (mem::take(before), place),
            None => (T::default(), NEW),
        };
    }
}

/// Visits the pairs that touch.
///
/// `touches_roughly` returns whether two spheres certainly and whether they possibly touch; `touches` is exact.
/// About a quarter of the pairs do not touch, in no order that a branch predictor could learn. So the
/// touching ones are first marked as bits, without branches, one block at a time.
#[inline]
pub(super) fn for_each_hit<V: Vector, T>(
    (pairs, data): (&[Pair], &mut [T]),
    spheres: &[Sphere<V>],
    touches_roughly: impl Fn(&Sphere<V>, &Sphere<V>) -> (bool, bool),
    touches: impl Fn(&Sphere<V>, &Sphere<V>) -> bool,
    mut visit: impl FnMut(usize, usize, &mut T),
) {
    let touches_roughly =
        |[i, j]: Pair| touches_roughly(&spheres[i as usize], &spheres[j as usize]);
    let touches = |[i, j]: Pair| touches(&spheres[i as usize], &spheres[j as usize]);
    for (pairs, data) in pairs.chunks(BLOCK).zip(data.chunks_mut(BLOCK)) {
        let (mut hits, mut has_ties) = (0_u64, false);
        for &pair in pairs {
            let (is_sure, is_possible) = touches_roughly(pair);
            has_ties |= is_sure != is_possible;
            hits = (hits >> 1) | (u64::from(is_possible) << 63);
        }
        hits >>= BLOCK - pairs.len();
        let mut unsure = if has_ties { hits } else { 0 };
        while unsure != 0 {
            let place = unsure.trailing_zeros();
            let pair = pairs[place as usize];
            let touches = touches_roughly(pair).0 || touches(pair);
            hits &= !(u64::from(!touches) << place);
            unsure &= unsure - 1;
        }
        while hits != 0 {
            let place = hits.trailing_zeros() as usize;
            let [i, j] = pairs[place];
            visit(i as usize, j as usize, &mut data[place]);
            hits &= hits - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pairs: &[Pair]) -> Rows<u32> {
        Rows {
            pairs: pairs.to_vec(),
            ..Rows::new()
        }
    }

    /// A buffer still has the data of the list before the last one, which must not come back.
    #[test]
    fn new_pairs_start_with_the_default() {
        let mut before = rows(&[[0, 1], [0, 3], [2, 4]]);
        before.data = vec![5, 6, 7];
        let mut now = rows(&[[0, 1], [0, 2], [2, 4], [3, 4]]);
        (now.data, now.origins) = (vec![91, 92, 93, 94], vec![3, 2, 1, 0]);
        now.carry_over(&mut before);
        assert_eq!(now.data, [5, 0, 7, 0]);
        assert_eq!(now.origins, [0, NEW, 2, NEW]);
    }
}
