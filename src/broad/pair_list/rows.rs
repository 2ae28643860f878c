//! The pairs of a list with their data, which a rebuild carries over.

use std::mem;

use crate::broad::Pair;

/// The number of pairs that are tested before the touching ones are visited.
const BLOCK: usize = 64;

/// Sets the data of the pairs, from those of the old list or the default. Both are in ascending order.
pub(super) fn carry<T: Default>([pairs, old_pairs]: [&[Pair]; 2], [data, old_data]: [&mut [T]; 2]) {
    let mut old = old_pairs.iter().zip(old_data).peekable();
    for (pair, data) in pairs.iter().zip(data) {
        while old.next_if(|(before, _)| *before < pair).is_some() {}
        let before = old.next_if(|(before, _)| *before == pair);
        *data = before.map_or_else(T::default, |(_, before)| mem::take(before));
    }
}

/// Returns the pairs of a block that touch, as bits.
///
/// `touches_roughly` returns whether two bodies certainly and whether they possibly touch; `touches` is exact.
/// About a quarter of the pairs do not touch, in no order that a branch predictor could learn. So there are no branches.
#[inline]
pub(super) fn hits_of<X>(
    pairs: &[Pair],
    bodies: &[X],
    touches_roughly: impl Fn(&X, &X) -> (bool, bool),
    touches: impl Fn(&X, &X) -> bool,
) -> u64 {
    let pair_of = |[i, j]: Pair| (&bodies[i as usize], &bodies[j as usize]);
    let (mut hits, mut sure) = (0_u64, 0);
    for &pair in pairs {
        let (a, b) = pair_of(pair);
        let (is_sure, is_possible) = touches_roughly(a, b);
        hits = (hits >> 1) | (u64::from(is_possible) << 63);
        sure = (sure >> 1) | (u64::from(is_sure) << 63);
    }
    let mut unsure = (hits & !sure) >> (BLOCK - pairs.len());
    hits >>= BLOCK - pairs.len();
    while unsure != 0 {
        let place = unsure.trailing_zeros();
        let (a, b) = pair_of(pairs[place as usize]);
        hits &= !(u64::from(!touches(a, b)) << place);
        unsure &= unsure - 1;
    }
    hits
}

/// Visits the pairs of all blocks that `hits_of` marks, and resets the data of the others if `resets`.
#[inline]
pub(super) fn for_each_hit<T: Default>(
    (pairs, data): (&[Pair], &mut [T]),
    hits_of: impl Fn(&[Pair]) -> u64,
    resets: bool,
    mut visit: impl FnMut(usize, usize, &mut T),
) {
    for (pairs, data) in pairs.chunks(BLOCK).zip(data.chunks_mut(BLOCK)) {
        let mut hits = hits_of(pairs);
        let mut misses = match resets {
            true => !hits & (u64::MAX >> (BLOCK - pairs.len())),
            false => 0,
        };
        while misses != 0 {
            data[misses.trailing_zeros() as usize] = T::default();
            misses &= misses - 1;
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

    /// A buffer still has the data of the list before the last one, which must not come back.
    #[test]
    fn new_pairs_start_with_the_default() {
        let mut before = [5, 6, 7];
        let mut data = [91, 92, 93, 94];
        let pairs = [[0, 1], [0, 2], [2, 4], [3, 4]];
        let before_pairs = [[0, 1], [0, 3], [2, 4]];
        carry([&pairs, &before_pairs], [&mut data, &mut before]);
        assert_eq!(data, [5, 0, 7, 0]);
    }
}
