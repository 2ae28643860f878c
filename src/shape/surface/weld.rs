use std::cmp::Ordering;

use glam::DVec3;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_length, check_positions, lexicographic};
use crate::shape::{Aabb, BoxTree};

/// Merges points at the same position: returns the distinct positions, and for each point the index of
/// its position.
///
/// Positions come in ascending order of x, then y, then z. Two positions are the same if their
/// coordinates are equal, as 0 and -0 are. The order of the points has no influence, so a triangle soup
/// gives the same vertices in any order of its triangles. O(n log n).
///
/// # Errors
/// Returns [`ErrorKind::Coordinate`] for the lowest bad point, or [`ErrorKind::TooMany`].
///
/// ```
/// use osculate::shape::weld;
/// use osculate::glam::DVec3;
///
/// let (positions, index) = weld(&[DVec3::Y, DVec3::ZERO, DVec3::Y])?;
/// assert_eq!(positions, [DVec3::ZERO, DVec3::Y]);
/// assert_eq!(index, [1, 0, 1]);
/// # Ok::<(), osculate::Error>(())
/// ```
pub fn weld(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<u32>)> {
    check_positions("point", points)?;
    let mut positions = Vec::new();
    let mut index = vec![0; points.len()];
    for i in sorted(points) {
        // -0 + 0 is 0.
        let position = points[i as usize] + DVec3::ZERO;
        if positions.last() != Some(&position) {
            positions.push(position);
        }
        index[i as usize] = positions.len() as u32 - 1;
    }
    Ok((positions, index))
}

/// Merges points at most a tolerance apart: returns the remaining positions in ascending order, and for
/// each point the index of its position.
///
/// Positions are visited in ascending order of x, then y, then z. Each remaining position absorbs all
/// others within the tolerance. So no point moves farther than the tolerance, the remaining positions are
/// farther apart, and the order of the points has no influence. O(n log n).
///
/// # Errors
/// As for [`weld`]. Returns [`ErrorKind::Length`] if `tolerance` is negative, NaN or out of range.
pub(super) fn weld_within(points: &[DVec3], tolerance: f64) -> Result<(Vec<DVec3>, Vec<u32>)> {
    check_length("tolerance", tolerance)?;
    let (positions, mut index) = weld(points)?;
    if tolerance == 0.0 {
        // Distances are not used here, because their squares can underflow.
        return Ok((positions, index));
    }
    let boxes = positions.iter().map(|&p| Aabb { min: p, max: p });
    let tree = BoxTree::from_good(boxes.collect());
    let mut kept = Vec::new();
    let mut absorbed_by = vec![u32::MAX; positions.len()];
    for (i, &position) in positions.iter().enumerate() {
        if absorbed_by[i] != u32::MAX {
            continue;
        }
        absorbed_by[i] = kept.len() as u32;
        tree.for_each_within(tolerance, position, |other| {
            let other = other as usize;
            let is_near = position.distance_squared(positions[other]) <= tolerance * tolerance;
            if is_near && absorbed_by[other] == u32::MAX {
                absorbed_by[other] = absorbed_by[i];
            }
        });
        kept.push(position);
    }
    for position in &mut index {
        *position = absorbed_by[*position as usize];
    }
    Ok((kept, index))
}

/// Names each point by the lowest id at its position. Also returns the ids in ascending order of
/// their positions.
pub(crate) fn names<V: Vector>(points: &[V]) -> (Vec<u32>, Vec<u32>) {
    let order = sorted(points);
    let mut names = vec![0; points.len()];
    for same in order.chunk_by(|&i, &j| points[i as usize] == points[j as usize]) {
        for &id in same {
            names[id as usize] = same[0];
        }
    }
    (names, order)
}

/// Returns whether points have the same [`names`] after a move, and updates `order`. Allocates
/// nothing.
pub(crate) fn have_names<V: Vector>(points: &[V], names: &[u32], order: &mut [u32]) -> bool {
    let by_position = |&i: &u32, &j: &u32| compare(points, i, j);
    if !order.is_sorted_by(|i, j| by_position(i, j).is_le()) {
        order.sort_unstable_by(by_position);
    }
    let mut same = order.chunk_by(|&i, &j| points[i as usize] == points[j as usize]);
    same.all(|same| same.iter().all(|&id| names[id as usize] == same[0]))
}

/// Returns ids in ascending order of their positions, then of the ids.
fn sorted<V: Vector>(points: &[V]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| compare(points, i, j));
    order
}

fn compare<V: Vector>(points: &[V], i: u32, j: u32) -> Ordering {
    lexicographic(points[i as usize], points[j as usize]).then(i.cmp(&j))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorted by their bits, the two zeros are not next to each other here.
    #[test]
    fn zeros_of_either_sign_are_one() {
        let points = [(-0.0, 0.0), (-0.0, 1.0), (0.0, 0.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        let (positions, index) = weld(&points).unwrap();
        assert_eq!(positions, [DVec3::ZERO, DVec3::Y]);
        assert_eq!(index, [0, 1, 0]);
    }

    /// A point absorbs others near it, but not those near these; in any order; and against the obvious
    /// form.
    #[test]
    fn points_within_a_tolerance() {
        let line = [0.0, 1.0, 2.0, 2.5, 7.0].map(|x| DVec3::X * x);
        let (positions, index) = weld_within(&line, 1.0).unwrap();
        assert_eq!(positions, [0.0, 2.0, 7.0].map(|x| DVec3::X * x));
        assert_eq!(index, [0, 0, 1, 1, 2]);
        assert!(weld_within(&line, -1.0).is_err() && weld_within(&[DVec3::NAN], 1.0).is_err());

        let mut random = crate::testing::workload::SplitMix64::new(1);
        let mut points: Vec<DVec3> = (0..400)
            .map(|_| DVec3::from_array([0; 3].map(|_| random.below(12) as f64)))
            .collect();
        for tolerance in [0.0, 1.0, 2.5, 20.0] {
            let mut expected: Vec<DVec3> = Vec::new();
            let mut sorted = points.clone();
            sorted.sort_unstable_by(|&a, &b| lexicographic(a, b));
            let mut takers = Vec::new();
            for &point in &sorted {
                let taker = expected.iter().position(|p| p.distance(point) <= tolerance);
                takers.push(taker.unwrap_or(expected.len()) as u32);
                if taker.is_none() {
                    expected.push(point);
                }
            }
            assert_eq!(
                weld_within(&sorted, tolerance).unwrap(),
                (expected.clone(), takers)
            );
            random.shuffle(&mut points);
            let (positions, index) = weld_within(&points, tolerance).unwrap();
            assert_eq!(positions, expected);
            for (&point, &i) in points.iter().zip(&index) {
                assert!(positions[i as usize].distance(point) <= tolerance);
            }
        }
    }
}
