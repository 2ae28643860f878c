//! The polygon in which two features face each other.

use glam::DVec3;

use super::feature_pair::Plane;
use crate::math::split_polygon;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP};
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

/// Returns the features of both bodies that lie within rounding of their support points.
pub(super) fn extremes(frame: &PairFrame, normal: DVec3) -> [Feature; 2] {
    let thickness = frame.size * GAP_BOUNDS;
    let local = frame.motion.inverse_transform_vector(normal);
    [
        extreme(frame.p, normal, thickness),
        extreme(frame.q, -local, thickness),
    ]
}

/// Returns the face, edge or vertex of a body all corners of which lie within `thickness` of the
/// support point.
fn extreme(body: &Boundary, normal: DVec3, thickness: f64) -> Feature {
    let height = |id: u32| normal.dot(body.vertices[id as usize]);
    let top = body.farthest(normal, 0);
    let is_extreme = |id: u32| height(id) >= height(top) - thickness;
    let spokes = body.spokes(top).iter();
    let faces = spokes.flat_map(|spoke| body.edges[spoke.edge as usize].existing_faces());
    let steepness = |face: &u32| body.faces[*face as usize].normal.dot(normal);
    let flattest = faces.max_by(|f, g| steepness(f).total_cmp(&steepness(g)));
    if let Some(face) = flattest.map(Feature::Facet)
        && body.corners(face).all(is_extreme)
    {
        return face;
    }
    let rise = |spoke: &&Spoke| normal.dot(spoke.along);
    let highest = body.spokes(top).iter();
    match highest.max_by(|s, t| rise(s).total_cmp(&rise(t))) {
        Some(spoke) if is_extreme(spoke.vertex) => Feature::edge(top, spoke.vertex),
        _ => Feature::Vertex(top),
    }
}
