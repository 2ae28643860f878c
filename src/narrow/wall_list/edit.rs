//! In-place update of the data of sorted bodies.

use std::collections::VecDeque;
use std::mem;

/// Replaces the data of the bodies `old` by those of the bodies `new`, both in ascending order. A new body gets
/// `S::default()`.
///
/// Few bodies change in a step, so data that keep their place are not touched. The queue `displaced` holds data that
/// move to a higher place.
pub(super) fn edit<S: Default>(
    old: &[u32],
    new: &[u32],
    data: &mut Vec<S>,
    displaced: &mut VecDeque<S>,
) {
    let mut old = old.iter().peekable();
    // The number of old data that were dropped, moved or left in place.
    let mut read = 0;
    let next = |data: &mut [S], displaced: &mut VecDeque<S>, read: &mut usize| {
        displaced.pop_front().unwrap_or_else(|| {
            *read += 1;
            mem::take(&mut data[*read - 1])
        })
    };
    for (place, &body) in new.iter().enumerate() {
        while old.next_if(|&&i| i < body).is_some() {
            next(data, displaced, &mut read);
        }
        let is_old = old.next_if(|&&i| i == body).is_some();
        if is_old && read == place && displaced.is_empty() {
            read += 1;
            continue;
        }
        let new = if is_old {
            next(data, displaced, &mut read)
        } else {
            S::default()
        };
        match data.get_mut(place) {
            Some(old) if read == place => {
                displaced.push_back(mem::replace(old, new));
                read += 1;
            }
            Some(old) => *old = new,
            None => data.push(new),
        }
    }
    data.truncate(new.len());
    displaced.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// Data stay with their bodies, whoever comes and goes.
    #[test]
    fn data_follow_their_bodies() {
        let mut random = SplitMix64::new(7);
        let mut displaced = VecDeque::new();
        let (mut old, mut data) = (Vec::new(), Vec::new());
        let mut kept = 0;
        for step in 1..2000_u32 {
            let share = [0.02, 0.5, 0.98][random.below(3)];
            let is_changed = |random: &mut SplitMix64| random.unit() < share;
            let new: Vec<u32> = (0..random.below(40) as u32)
                .filter(|i| old.contains(i) != is_changed(&mut random))
                .collect();
            let mut expected = Vec::new();
            for body in &new {
                let place = old.iter().position(|i| i == body);
                kept += u32::from(place.is_some());
                expected.push(place.map_or(0, |place: usize| data[place]));
            }
            edit(&old, &new, &mut data, &mut displaced);
            assert_eq!(data, expected);
            // A name for each new body.
            for (place, data) in data.iter_mut().enumerate().filter(|(_, data)| **data == 0) {
                *data = 64 * step + place as u32;
            }
            assert!(displaced.is_empty());
            old = new;
        }
        assert!(kept > 5000, "{kept}");
    }
}
