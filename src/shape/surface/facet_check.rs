//! Checks that facets are planar and convex, and computes their normals.

use glam::DVec3;

use super::facets::Facets;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::FACET_SHAPE;
use crate::math::{check_side, cross_of_differences, lexicographic, unit_normal};

/// Returns the normals of planar, convex facets, or the error of the first invalid facet.
pub(super) fn normals(facets: &Facets, vertices: &[DVec3]) -> Result<Vec<DVec3>> {
    let facets = facets.iter().enumerate();
    facets
        .map(|(facet, ids)| checked_normal(facet, ids, vertices))
        .collect()
}

/// Returns the normal of a facet, or an error if it is not planar and convex.
pub(super) fn checked_normal(facet: usize, ids: &[u32], vertices: &[DVec3]) -> Result<DVec3> {
    let count = ids.len();
    let corner = |i: usize| vertices[ids[i % count] as usize];
    for i in 0..count {
        check_side(facet, ids[i], [corner(i), corner(i + 1)])?;
    }
    let normal = canonical_normal(ids, vertices);
    let size = (1..count).fold(0.0_f64, |size, i| size.max(corner(0).distance(corner(i))));
    for i in 1..count {
        let distance = normal.dot(corner(i) - corner(0));
        if distance.abs() > FACET_SHAPE * size {
            return Err(Error(Cause::NotPlanar {
                facet,
                vertex: ids[i],
                distance,
            }));
        }
    }
    let reflex = if count == 3 {
        None
    } else if normal == DVec3::ZERO {
        off_line(count, corner)
    } else {
        reflex_corner(normal, FACET_SHAPE * size, count, corner)
    };
    match reflex {
        None => Ok(normal),
        Some(i) => Err(Error(Cause::FacetNotConvex {
            facet,
            vertex: ids[i % count],
        })),
    }
}

/// Returns the unit normal, with bits that do not depend on the first corner.
///
/// It is computed from the first corner in lexicographic order, towards its lower neighbor.
pub(super) fn canonical_normal(ids: &[u32], vertices: &[DVec3]) -> DVec3 {
    let count = ids.len();
    let position = |i: usize| vertices[ids[i % count] as usize];
    let first = (1..count).fold(0, |first, i| {
        let is_lower = lexicographic(position(i), position(first)).is_lt();
        if is_lower { i } else { first }
    });
    let forward = |i: usize| position(first + i);
    let backward = |i: usize| position(first + count - i);
    // Skips corners at the position of the first.
    let next = |corner: &dyn Fn(usize) -> DVec3| {
        let mut others = (1..count).map(corner);
        others.find(|&p| p != position(first))
    };
    match next(&forward).zip(next(&backward)) {
        Some((next, previous)) if lexicographic(previous, next).is_lt() => {
            -unit_normal(count, backward)
        }
        _ => unit_normal(count, forward),
    }
}

/// Returns a corner of a polygon without area that is off the line through the others.
fn off_line(count: usize, corner: impl Fn(usize) -> DVec3) -> Option<usize> {
    let from_first = |i: usize| corner(i) - corner(0);
    let line = (1..count).map(from_first).fold(DVec3::ZERO, |far, v| {
        if v.length_squared() > far.length_squared() {
            v
        } else {
            far
        }
    });
    (1..count).find(|&i| line.cross(from_first(i)).length() > FACET_SHAPE * line.length_squared())
}

/// Returns a corner at which a planar polygon is nonconvex by more than `slack`. O(corners).
///
/// Left turns everywhere are not enough: a pentagram has them. The first corner must also see the others
/// in order, all of them on the left of the first side.
fn reflex_corner(
    normal: DVec3,
    slack: f64,
    count: usize,
    corner: impl Fn(usize) -> DVec3,
) -> Option<usize> {
    let area = |a: usize, b: usize, c: usize| {
        normal.dot(cross_of_differences(
            [corner(a), corner(b)],
            [corner(a), corner(c)],
        ))
    };
    let turns_right = |i: usize| area(i, i + 1, i + 2) < -slack * corner(i).distance(corner(i + 2));
    let is_out_of_order = |i: usize| {
        area(0, i, i + 1) < -slack * corner(0).distance(corner(i))
            || area(0, 1, i) < -slack * corner(0).distance(corner(1))
    };
    (0..count)
        .find(|&i| turns_right(i))
        .map(|i| i + 1)
        .or_else(|| (1..count - 1).find(|&i| is_out_of_order(i)))
}
