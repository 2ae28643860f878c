//! Normals of facets that are too thin to have one of their own.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Adjacency;
use super::adjacency::NO_EDGE;
use super::facets::Facets;
use super::planes::LARGEST_ERROR;

/// A facet whose normal may be off by a larger angle than this is thin.
const THIN: f64 = f64::from_bits((1023 - 10) << 52);

/// Gives each thin facet the normal of the most certain facet that it is coplanar with to within
/// `precision`: one with which it shares an edge, or to which other such facets lead. Neither the
/// order nor the winding of the facets matters. O(n + k log k) for k thin facets.
///
/// `errors` are the angles by which normals may be off.
pub(super) fn flatten(
    facets: &Facets,
    vertices: &[DVec3],
    adjacency: &Adjacency,
    precision: f64,
    normals: &mut [DVec3],
    errors: &mut [f64],
) {
    let is_thin = |(&error, &normal): (&f64, &DVec3)| error > THIN || normal == DVec3::ZERO;
    if precision == 0.0 || !errors.iter().zip(normals.iter()).any(is_thin) {
        return;
    }
    let mut is_open: Vec<bool> = errors.iter().zip(normals.iter()).map(is_thin).collect();
    let own: Vec<(DVec3, f64)> = normals
        .iter()
        .copied()
        .zip(errors.iter().copied())
        .collect();
    // Whether noise may have turned a facet out of a plane.
    let fits = |facet: u32, normal: DVec3, error: f64, on: DVec3| {
        let (own_normal, own_error) = own[facet as usize];
        let turn = own_error + error;
        let is_parallel = own_normal.dot(normal).abs() >= 1.0 - 0.5 * turn * turn;
        let mut corners = facets.get(facet as usize).iter();
        (is_parallel || own_error >= LARGEST_ERROR || own_normal == DVec3::ZERO)
            && corners.all(|&id| normal.dot(vertices[id as usize] - on).abs() <= 2.0 * precision)
    };
    // The normal of a facet, for those open ones beside it that fit its plane.
    let mut candidates = BinaryHeap::new();
    let offer = |candidates: &mut BinaryHeap<_>, is_open: &[bool], from: u32, normal, error| {
        for side in facets.sides(from) {
            let edge = adjacency.edge_of(side);
            let on = vertices[facets.corner(side) as usize];
            let sides = if edge == NO_EDGE {
                &[]
            } else {
                adjacency.sides_of(edge)
            };
            for &across in sides {
                let facet = facets.facet_of(across);
                if is_open[facet as usize] && fits(facet, normal, error, on) {
                    let runs_along = adjacency.name(facets.corner(across))
                        == adjacency.name(facets.corner(side));
                    let normal = if runs_along { -normal } else { normal };
                    candidates.push(Reverse(Candidate {
                        error,
                        normal,
                        facet,
                    }));
                }
            }
        }
    };
    for facet in (0..facets.count() as u32).filter(|&f| !is_open[f as usize]) {
        let i = facet as usize;
        offer(&mut candidates, &is_open, facet, normals[i], errors[i]);
    }
    while let Some(Reverse(Candidate {
        error,
        normal,
        facet,
    })) = candidates.pop()
    {
        let i = facet as usize;
        if std::mem::replace(&mut is_open[i], false) {
            (normals[i], errors[i]) = (normal, error);
            offer(&mut candidates, &is_open, facet, normal, error);
        }
    }
}

/// A normal for a facet, and the angle by which it may be off: the most certain first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    error: f64,
    normal: DVec3,
    facet: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by = |axis: usize| self.normal[axis].abs().total_cmp(&other.normal[axis].abs());
        let by_normal = || (0..3).map(by).find(|order| order.is_ne());
        (self.error.total_cmp(&other.error))
            .then_with(|| by_normal().unwrap_or(Ordering::Equal))
            .then_with(|| self.facet.cmp(&other.facet))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
