//! A property of intersection curves.

use std::collections::BTreeMap;
use std::fmt::Debug;

use osculate::Vector;
use osculate::testing::properties::Violation;

/// Reports the violation of a property.
fn holds(rule: &str, holds: bool, message: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds {
        return Ok(());
    }
    Err(Violation::new(format!("{rule}: {}", message())))
}

/// Checks that the segments of an intersection curve form closed loops.
///
/// Each segment has a start and an end, each with a name and a position. At each node as many segments must
/// start as end, with the same position bit for bit. Then the segments add up to zero.
pub(crate) fn curve_closes<V: Vector, N: Ord + Debug>(
    segments: impl IntoIterator<Item = [(N, V); 2]>,
) -> Result<(), Violation> {
    let rule = "curve_closes";
    let mut nodes: BTreeMap<N, (i32, V)> = BTreeMap::new();
    for ends in segments {
        for ((name, position), step) in ends.into_iter().zip([1, -1]) {
            let node = nodes.entry(name).or_insert((0, position));
            node.0 += step;
            let is_finite = (0..V::DIM).all(|axis| position[axis].is_finite());
            holds(rule, is_finite && position == node.1, || {
                format!("a node at {position:?} and {:?}", node.1)
            })?;
        }
    }
    for (name, (excess, _)) in &nodes {
        holds(rule, *excess == 0, || {
            format!("{excess} more starts than ends at {name:?}")
        })?;
    }
    Ok(())
}
