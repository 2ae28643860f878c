//! The common plane by all pairs of features: finite, and right to rounding for any input.
//!
//! The largest gap of overlapping bodies is that of the best separating axis. The distance of separated
//! bodies can be larger than the gap along any axis. This is so if the nearest point of the Minkowski
//! difference is on an edge or vertex of it. Then the closest points of both bodies give the plane.
//! Both bounds are known at the end. The gap along the normal is a lower bound of the distance, and the
//! distance of two points an upper one.

use glam::DVec3;

use super::closest_features::{ClosestFeatures, PlacedEdge, closest_parameters, feature_at};
use super::contact_polygon::ContactPolygon;
use super::feature_pair::Plane;
use super::separating_axes::{Axis, AxisBuffers};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP, TIED_HEIGHT};
use crate::shape::{Boundary, Feature};

/// Buffers of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct ExhaustiveBuffers {
    axes: AxisBuffers,
    near: Vec<u32>,
}

/// Returns the common plane.
///
/// Cost: O(faces + crossings of arcs), see [`separating_axes`](super::separating_axes); for separated
/// bodies also all pairs of features near the plane of the best axis.
pub(super) fn plane(
    frame: &SupportMap,
    buffers: &mut ExhaustiveBuffers,
    polygon: &mut ContactPolygon,
) -> Plane {
    let axis = Axis::best(frame, &mut buffers.axes);
    let may_be_apart = axis.gap >= -2.0 * TIED_GAP * frame.size;
    let closest = may_be_apart.then(|| ClosestFeatures::new(frame, &axis, &mut buffers.near));
    if let Some(closest) = &closest
        && let Some(plane) = closest.plane(frame, &axis, 0.5 * GAP_BOUNDS * frame.size)
    {
        return plane;
    }
    let plane = plane_of_edges(&axis, frame);
    let plane = plane.unwrap_or_else(|| polygon.center_extremes(frame, axis.plane(frame)));
    let Some(closest) = closest else {
        return plane;
    };
    // Beyond rounding the bodies overlap for certain, and one of the axes is the best.
    let plane = if axis.gap < -frame.error_bound(0.0) {
        plane
    } else {
        let error_bound = frame.error_bound(closest.distance() - axis.gap);
        Plane {
            error_bound,
            ..plane
        }
    };
    // A tied plane, at whose features the bodies are not closest.
    if polygon.is_beside() {
        return closest.plane(frame, &axis, 0.0).unwrap_or(Plane {
            on_p: closest.ends[0],
            features: closest.features,
            ..plane
        });
    }
    plane
}

/// Returns the plane of an axis of two edges, if these are closest to each other along the axis.
///
/// Seen along the axis, almost parallel edges may cross beside both bodies. `None` then, and for other
/// features.
fn plane_of_edges(axis: &Axis, frame: &SupportMap) -> Option<Plane> {
    let edge = |body: &'_ Boundary, feature: Feature| match feature {
        Feature::Edge(a, b) => body.edge_between(a, b),
        _ => None,
    };
    let e = &frame.p.edges[edge(frame.p, axis.features[0])? as usize];
    let g = &frame.q.edges[edge(frame.q, axis.features[1])? as usize];
    let placed = PlacedEdge::new(frame, g);
    let (s, t) = closest_parameters(e, &placed);
    let on_p: DVec3 = e.origin + e.along * s;
    let aside = placed.origin + placed.along * t - on_p - axis.normal * axis.gap;
    (aside.length() <= frame.size * TIED_HEIGHT).then(|| Plane {
        on_p,
        features: [feature_at(e, s), feature_at(g, t)],
        ..axis.plane(frame)
    })
}
