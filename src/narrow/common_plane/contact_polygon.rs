//! The polygon in which two features face each other.

use glam::DVec3;

use super::feature_pair::Plane;
use crate::math::split_polygon;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP, TIED_HEIGHT, two_to};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, Feature, Spoke};

/// An edge that rises by less lies along a face: 64 u.
const LEVEL_EDGE: f64 = two_to(-47);

/// A convex polygon in a plane; one or two points if the features share no area.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactPolygon {
    points: Vec<DVec3>,
    normal: DVec3,
    is_beside: bool,
    size: f64,
}

impl ContactPolygon {
    /// Returns whether the projections of the features are disjoint. The points are then those of one
    /// feature that are closest to the other.
    pub(super) fn is_beside(&self) -> bool {
        self.is_beside
    }

    /// Intersects two features that contain the support points of the bodies.
    ///
    /// The intersection lies in the plane half way between the support points, which are `gap` apart.
    fn set(&mut self, frame: &PairFrame, normal: DVec3, gap: f64, [p, q]: [Feature; 2]) {
        self.normal = normal;
        self.size = frame.size;
        self.points.clear();
        // The feature with fewer corners is cut, in the frame of the other.
        let is_p_cut = frame.p.corners(p).count() <= frame.q.corners(q).count();
        let [cutter, cut] = if is_p_cut { [q, p] } else { [p, q] };
        let [cutter_body, cut_body] = frame.bodies(is_p_cut);
        let up = if is_p_cut {
            frame.motion.inverse_transform_vector(normal)
        } else {
            normal
        };
        cut_body.corners(cut).for_each(|id| {
            let corner = cut_body.vertices[id as usize];
            self.points.push(frame.point_in_body(corner, is_p_cut));
        });
        self.cut_by(cutter, cutter_body, up);
        if is_p_cut {
            for x in &mut self.points {
                *x = frame.motion.transform_point(*x);
            }
        }
        let level = highest(frame.p, p, normal) + 0.5 * gap;
        for x in &mut self.points {
            *x += normal * (level - normal.dot(*x));
        }
    }

    /// Moves the ends of the gap to the middle of the area in which two features face each other. A search alone may
    /// return any of several tied features. The ends lie at the height of the highest corners. They are off a face that
    /// is not flat by as much as its corners are.
    #[inline(never)]
    pub(super) fn center(
        &mut self,
        frame: &PairFrame,
        plane: Plane,
        features: [Feature; 2],
    ) -> Plane {
        self.set(frame, plane.normal, plane.gap, features);
        let on_p = self.centroid() - plane.normal * (0.5 * plane.gap);
        Plane {
            on_p,
            features,
            ..plane
        }
    }

    /// Does the same as [`center`](Self::center) for the features that are extreme to rounding.
    pub(super) fn center_extremes(&mut self, frame: &PairFrame, plane: Plane) -> Plane {
        let thickness = frame.size * TIED_HEIGHT;
        self.center(frame, plane, extremes(frame, plane.normal, thickness))
    }

    /// Moves the ends of the gap to the middle of tied features that meet along a line: an edge along a face, or two
    /// parallel edges. A search finds any point of the line.
    pub(super) fn center_ties(&mut self, frame: &PairFrame, plane: Plane) -> Plane {
        let features = extremes(frame, plane.normal, frame.size * LEVEL_EDGE);
        let meet_along_a_line = match features {
            [Feature::Facet(_), Feature::Edge(..)] | [Feature::Edge(..), Feature::Facet(_)] => true,
            [Feature::Edge(a, b), Feature::Edge(c, d)] => {
                let e = frame.p.vertices[b as usize] - frame.p.vertices[a as usize];
                let g = frame.point_of_q(d) - frame.point_of_q(c);
                let sine = e.cross(g).length_squared();
                sine <= LEVEL_EDGE * LEVEL_EDGE * (e.length_squared() * g.length_squared())
            }
            _ => false,
        };
        if !meet_along_a_line {
            return plane;
        }
        let centered = self.center(frame, plane, features);
        if self.is_beside { plane } else { centered }
    }

    /// Cuts the points by a feature of a body, along `up` in the frame of the body.
    fn cut_by(&mut self, cutter: Feature, body: &Boundary, up: DVec3) {
        self.is_beside = false;
        if self.points.len() == 1 {
            return;
        }
        // The cuts are parallel to `up`: features within the thickness may be inclined.
        let tied = self.size * TIED_GAP;
        let mut cut = |outward: DVec3, corner: u32, slack: f64| {
            let outward = outward - up * up.dot(outward);
            let corner = body.vertices[corner as usize];
            self.cut_to_rounding(outward, outward.dot(corner) + slack);
        };
        match cutter {
            Feature::Facet(face) => {
                for side in body.sides(&body.faces[face as usize]) {
                    cut(side.normal, side.corner, 0.0);
                }
            }
            Feature::Edge(a, b) => {
                let [from, to] = [a, b].map(|id| body.vertices[id as usize]);
                let along = (to - from).normalize_or_zero();
                cut(along, b, 0.0);
                cut(-along, a, 0.0);
                // Edges that are not parallel meet where they cross.
                let aside = along.cross(up).normalize_or_zero();
                cut(aside, a, tied);
                cut(-aside, a, tied);
            }
            Feature::Vertex(_) => {}
        }
    }

    /// Keeps the part in `normal . x <= offset`, or the lowest points if there is none.
    ///
    /// The part may be empty because of rounding, or of a thickness that accepts features beside each other.
    fn cut_to_rounding(&mut self, normal: DVec3, offset: f64) {
        let height = |x: DVec3| offset - normal.dot(x);
        let count = self.points.len();
        if self.points.iter().all(|x| height(*x) >= 0.0) {
            return;
        }
        split_polygon(&mut self.points, 0..count, None, height);
        if self.points.len() > count {
            self.points.drain(..count);
            return;
        }
        self.is_beside = true;
        let heights = self.points.iter().map(|x| height(*x));
        let most = heights.fold(f64::NEG_INFINITY, f64::max);
        let tied = self.size * GAP_BOUNDS;
        self.points.retain(|x| height(*x) >= most - tied);
    }

    /// Returns the centroid of the area, or the mean of the points if the area is 0 to rounding.
    pub(super) fn centroid(&self) -> DVec3 {
        let Some(&first) = self.points.first() else {
            return DVec3::ZERO;
        };
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for pair in self.points.windows(2).skip(1) {
            let (u, v) = (pair[0] - first, pair[1] - first);
            let double = self.normal.dot(u.cross(v)).abs();
            area += double;
            moment += (u + v) / 3.0 * double;
        }
        let arms = || self.points.iter().map(|x| *x - first);
        let spread = arms().fold(0.0, |far: f64, x| far.max(x.length_squared()));
        first
            + if area > spread * TIED_GAP {
                moment / area
            } else {
                arms().sum::<DVec3>() / self.points.len() as f64
            }
    }
}

/// Returns the features of both bodies that lie within `thickness` of their support points.
fn extremes(frame: &PairFrame, normal: DVec3, thickness: f64) -> [Feature; 2] {
    let local = frame.motion.inverse_transform_vector(normal);
    [
        extreme(frame.p, normal, thickness),
        extreme(frame.q, -local, thickness),
    ]
}

/// Returns the height of the highest corner of a feature.
fn highest(body: &Boundary, feature: Feature, normal: DVec3) -> f64 {
    let heights = body
        .corners(feature)
        .map(|id| normal.dot(body.vertices[id as usize]));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the face, edge or vertex of a body all corners of which lie within `thickness` of the
/// support point.
pub(super) fn extreme(body: &Boundary, normal: DVec3, thickness: f64) -> Feature {
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
