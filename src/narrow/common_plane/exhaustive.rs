//! The common plane by all pairs of features. It always ends, and is correct to rounding for any input.
//!
//! The largest gap of overlapping bodies is that of the best separating axis. The distance of separated
//! bodies exceeds the gap along any axis if the nearest point of the Minkowski difference is on an edge
//! or vertex. Then the closest points of both bodies give the plane. Both bounds are known at the end.
//! The gap along the normal is a lower bound of the distance, and the distance of two points is an
//! upper bound.

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
    let mut axis = Axis::best(frame, &mut buffers.axes);
    // The best axis was found by walks, so its gap is an upper bound.
    let upper = axis.gap;
    axis.gap = frame.gap_along(axis.normal);
    let with_bound = |plane: Plane| Plane {
        error_bound: frame.error_bound(upper - axis.gap),
        ..plane
    };
    if axis.gap < -2.0 * TIED_GAP * frame.size {
        return with_bound(plane_of_axis(&axis, frame, polygon).0);
    }
    let closest = ClosestFeatures::new(frame, &axis, &mut buffers.near);
    let open = closest.distance() - axis.gap;
    // Beyond rounding the bodies certainly overlap, and one of the axes is the best.
    let overlap = axis.gap < -frame.error_bound(0.0);
    if open > 0.5 * GAP_BOUNDS * frame.size
        && !overlap
        && let Some(plane) = closest.plane(frame, &axis)
    {
        return plane;
    }
    let (plane, meeting) = plane_of_axis(&axis, frame, polygon);
    let mut plane = with_bound(plane);
    if !overlap {
        plane.error_bound = frame.error_bound(open);
    }
    let of_points = match meeting {
        Meeting::Area => None,
        Meeting::Point => closest.plane_of_pair(frame),
        // A tied plane: the bodies are not closest at its features.
        Meeting::Beside => {
            let nearest = (!overlap).then(|| closest.plane(frame, &axis));
            Some(nearest.flatten().unwrap_or(Plane {
                on_p: closest.ends[0],
                features: closest.features,
                ..plane
            }))
        }
    };
    of_points.unwrap_or(plane)
}

/// How the features of an axis meet, seen along the axis.
enum Meeting {
    /// In an area, or along a line.
    Area,
    Point,
    /// The features are beside each other.
    Beside,
}

/// Returns the plane of an axis.
fn plane_of_axis(
    axis: &Axis,
    frame: &SupportMap,
    polygon: &mut ContactPolygon,
) -> (Plane, Meeting) {
    if let Some(plane) = plane_of_edges(axis, frame) {
        return (plane, Meeting::Point);
    }
    let plane = polygon.center_extremes(frame, axis.plane(frame));
    let meeting = match polygon.points() {
        _ if polygon.is_beside() => Meeting::Beside,
        [_] => Meeting::Point,
        _ => Meeting::Area,
    };
    (plane, meeting)
}

/// Returns the plane of an axis of two edges, if these are closest to each other along the axis.
///
/// Returns `None` for other features, and for almost parallel edges that cross beside both bodies, seen
/// along the axis.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::common_plane::tests::{cube, frame};

    /// A cube on another one, beside it at the same height, and with only corners above each other.
    #[test]
    fn how_faces_meet() {
        let body = cube(1.0);
        let meeting = |x: f64, y: f64| {
            let frame = frame([&body, &body], DVec3::new(x, y, 2.0));
            let axis = Axis {
                gap: 0.0,
                normal: DVec3::Z,
                features: [Feature::Vertex(0); 2],
            };
            let polygon = &mut ContactPolygon::default();
            plane_of_axis(&axis, &SupportMap::new(&frame), polygon).1
        };
        assert!(matches!(meeting(0.5, 0.25), Meeting::Area));
        assert!(matches!(meeting(3.0, 0.25), Meeting::Beside));
        assert!(matches!(meeting(0.5, -4.0), Meeting::Beside));
    }
}
