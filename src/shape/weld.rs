use std::cmp::Ordering;

use glam::DVec3;

use crate::error::Result;
use crate::math::{Vector, check_positions};

/// Merges points at the same position: the distinct positions in ascending order of x, then y,
/// then z, and for each input point the index of its position.
///
/// Exact: positions are the same if their coordinates are equal (0 and -0 are). The result does
/// not depend on the order of the points, so a triangle soup gives the same mesh, vertex for
/// vertex, in whatever order its triangles come. O(n log n).
///
/// # Errors
/// [`Error::Coordinate`](crate::Error::Coordinate) for the lowest bad point,
/// [`Error::TooMany`](crate::Error::TooMany).
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
    check_positions(points)?;
    Ok(weld_checked(points))
}

/// For each of some points the lowest one at its position.
pub(super) fn names<V: Vector>(points: &[V]) -> Vec<u32> {
    let (positions, position_of) = weld_checked(points);
    let mut lowest = vec![u32::MAX; positions.len()];
    let name = |(id, &position): (u32, &u32)| {
        let lowest = &mut lowest[position as usize];
        *lowest = id.min(*lowest);
        *lowest
    };
    (0..).zip(&position_of).map(name).collect()
}

pub(super) fn weld_checked<V: Vector>(points: &[V]) -> (Vec<V>, Vec<u32>) {
    // -0 + 0 is 0.
    let position = |i: u32| points[i as usize] + V::ZERO;
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| lexicographic(position(i), position(j)).then(i.cmp(&j)));
    let mut positions: Vec<V> = Vec::new();
    let mut index = vec![0; points.len()];
    for i in order {
        if positions.last() != Some(&position(i)) {
            positions.push(position(i));
        }
        index[i as usize] = positions.len() as u32 - 1;
    }
    (positions, index)
}

fn lexicographic<V: Vector>(a: V, b: V) -> Ordering {
    let by = |axis: usize| a[axis].total_cmp(&b[axis]);
    (0..V::DIM)
        .map(by)
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
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
}
