//! The polygon in which two features face each other.

use glam::DVec3;

use super::feature_pair::Plane;
use crate::math::split_polygon;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP};
use crate::narrow::gjk::Simplex;
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, Feature, Spoke};

/// Returns the plane with the ends of the gap in the middle of the area in which its features face each other, `None` if
/// they are beside each other, or a vertex at an edge or vertex.
///
/// A search alone may return any of several tied features. The ends lie at the height of the highest corners. They are off
/// a face that is not flat by as much as its corners are. `points` is a buffer.
#[inline(never)]
pub(super) fn centered(points: &mut Vec<DVec3>, frame: &PairFrame, plane: &Plane) -> Option<Plane> {
    let (normal, [p, q]) = (plane.normal, plane.features);
    // The feature with fewer corners is cut, in the frame of the other.
    let is_p_cut = frame.p.corners(p).count() <= frame.q.corners(q).count();
    let [cutter, cut] = if is_p_cut { [q, p] } else { [p, q] };
    let [cutter_body, cut_body] = frame.bodies(is_p_cut);
    let local = frame.motion.inverse_transform_vector(normal);
    let up = if is_p_cut { local } else { normal };
    points.clear();
    points.extend(cut_body.corners(cut).map(|id| {
        let corner = cut_body.vertices[id as usize];
        frame.point_in_body(corner, is_p_cut)
    }));
    if !cut_by(points, cutter, cutter_body, up, frame.size * GAP_BOUNDS) {
        return None;
    }
    let middle = centroid(points, up);
    let middle = if is_p_cut {
        frame.motion.transform_point(middle)
    } else {
        middle
    };
    let heights = frame
        .p
        .corners(p)
        .map(|id| normal.dot(frame.p.vertices[id as usize]));
    let highest = heights.fold(f64::NEG_INFINITY, f64::max);
    Some(Plane {
        on_p: middle + normal * (highest - normal.dot(middle)),
        ..*plane
    })
}

/// Cuts some points by a feature of a body, along `up` in the frame of the body. Returns whether there are any left.
fn cut_by(points: &mut Vec<DVec3>, cutter: Feature, body: &Boundary, up: DVec3, tied: f64) -> bool {
    if points.len() == 1 {
        // A rounded normal moves the foot of a vertex within a face, but off an edge.
        return matches!(cutter, Feature::Facet(_));
    }
    // The cuts are parallel to `up`: features within the thickness may be inclined.
    let mut cut = |outward: DVec3, corner: u32, slack: f64| {
        let outward = outward - up * up.dot(outward);
        let offset = outward.dot(body.vertices[corner as usize]) + slack;
        let depth = |x: DVec3| offset - outward.dot(x);
        // Most sides cut nothing off.
        if points.iter().any(|x| depth(*x) < 0.0) {
            let count = points.len();
            split_polygon(points, 0..count, None, depth);
            points.drain(..count);
        }
        !points.is_empty()
    };
    match cutter {
        Feature::Facet(face) => {
            let mut sides = body.sides(&body.faces[face as usize]).iter();
            sides.all(|side| cut(side.normal, side.corner, 0.0))
        }
        Feature::Edge(a, b) => {
            let [from, to] = [a, b].map(|id| body.vertices[id as usize]);
            let along = (to - from).normalize_or_zero();
            // Edges that are not parallel meet where they cross.
            let aside = along.cross(up).normalize_or_zero();
            cut(along, b, 0.0) && cut(-along, a, 0.0) && cut(aside, a, tied) && cut(-aside, a, tied)
        }
        Feature::Vertex(_) => true,
    }
}

/// Returns the centroid of a polygon with a normal, or the mean of the points if the area is 0 to rounding.
fn centroid(points: &[DVec3], normal: DVec3) -> DVec3 {
    let first = points[0];
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for pair in points.windows(2).skip(1) {
        let (u, v) = (pair[0] - first, pair[1] - first);
        let double = normal.dot(u.cross(v)).abs();
        area += double;
        moment += (u + v) / 3.0 * double;
    }
    let arms = || points.iter().map(|x| *x - first);
    let spread = arms().fold(0.0, |far: f64, x| far.max(x.length_squared()));
    first
        + if area > spread * TIED_GAP {
            moment / area
        } else {
            arms().sum::<DVec3>() / points.len() as f64
        }
}

/// Returns the features of both bodies that contain the witness points of a simplex of the Minkowski difference, and whether
/// their corners lie within rounding of the support points.
pub(super) fn extremes(
    frame: &PairFrame,
    normal: DVec3,
    simplex: &Simplex,
) -> ([Feature; 2], bool) {
    let local = frame.motion.inverse_transform_vector(normal);
    let thickness = frame.size * GAP_BOUNDS;
    let [p, q] = simplex.ids();
    let (p, is_p_level) = extreme(frame.p, normal, thickness, p);
    let (q, is_q_level) = extreme(frame.q, -local, thickness, q);
    ([p, q], is_p_level && is_q_level)
}

/// Returns the largest feature of a body that contains some vertices and lies within `thickness` of the support point, and
/// `true`. If there is none, as on a face whose corners are rounded to a larger size, the smallest feature that contains
/// the vertices, and `false`.
fn extreme(body: &Boundary, normal: DVec3, thickness: f64, ids: [u32; 3]) -> (Feature, bool) {
    let top = body.farthest(normal, ids[0]);
    let height = |id: u32| normal.dot(body.vertices[id as usize]);
    let is_level = |feature: &Feature| {
        let mut corners = body.corners(*feature);
        corners.all(|id| height(id) >= height(top) - thickness)
    };
    let at = |ids: [u32; 3]| {
        let contains = |feature: &Feature| {
            let has = |id: &u32| body.corners(*feature).any(|corner| corner == *id);
            ids.iter().all(has)
        };
        let spokes = body.spokes(ids[0]).iter();
        let faces = |spoke: &Spoke| body.edges[spoke.edge as usize].existing_faces();
        let faces = spokes.clone().flat_map(faces).map(Feature::Facet);
        let edges = spokes.map(|spoke| Feature::edge(ids[0], spoke.vertex));
        let features = faces.chain(edges).chain([Feature::Vertex(ids[0])]);
        let mut features = features.filter(contains);
        let smallest = features.clone().last()?;
        let level = features.find(is_level);
        Some((level.unwrap_or(smallest), level.is_some()))
    };
    // Vertices without a common feature are in one plane to rounding.
    let found = at(ids).or_else(|| at([top; 3]));
    found.unwrap_or((Feature::Vertex(top), true))
}
