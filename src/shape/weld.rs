use std::cmp::Ordering;

use glam::DVec3;

use crate::error::Result;
use crate::math::check_positions;

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

pub(super) fn weld_checked(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // -0 + 0 is 0.
    let position = |i: u32| points[i as usize] + DVec3::ZERO;
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| lexicographic(position(i), position(j)).then(i.cmp(&j)));
    let mut positions: Vec<DVec3> = Vec::new();
    let mut index = vec![0; points.len()];
    for i in order {
        if positions.last() != Some(&position(i)) {
            positions.push(position(i));
        }
        index[i as usize] = positions.len() as u32 - 1;
    }
    (positions, index)
}

fn lexicographic(a: DVec3, b: DVec3) -> Ordering {
    let by = |axis: usize| a[axis].total_cmp(&b[axis]);
    by(0).then(by(1)).then(by(2))
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
