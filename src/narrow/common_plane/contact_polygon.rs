//! Where two bodies meet along a common plane: the patch of their features, the plane's section.

use glam::DVec3;

use super::feature_pair::Plane;
use super::pair_frame::PairFrame;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP, TIED_HEIGHT};
use crate::shape::{Boundary, Feature, Spoke};

/// A convex polygon of the common plane; two points or one where that is all.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactPolygon {
    points: Vec<DVec3>,
    normal: DVec3,
    uncut: Vec<DVec3>,
    is_beside: bool,
    size: f64,
}

impl ContactPolygon {
    pub(super) fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Whether nothing of the features is above each other; the points are then the closest of one.
    pub(super) fn is_beside(&self) -> bool {
        self.is_beside
    }

    /// Of features all of whose vertices are within `thickness` of the extreme one; which these are.
    pub(super) fn set(
        &mut self,
        frame: &PairFrame,
        normal: DVec3,
        gap: f64,
        thickness: f64,
    ) -> [Feature; 2] {
        self.normal = normal;
        self.size = frame.size;
        self.points.clear();
        let p = extreme(frame.p, normal, thickness);
        let local = frame.motion.inverse_transform_vector(normal);
        let q = extreme(frame.q, -local, thickness);
        // The one with fewer corners is cut, in the frame of the other.
        let is_p_cut = frame.p.corners(p).count() <= frame.q.corners(q).count();
        let [cutter, cut] = if is_p_cut { [q, p] } else { [p, q] };
        let place = |x| frame.point_in_body(x, is_p_cut);
        let up = if is_p_cut { local } else { normal };
        self.cut_by(cutter, cut, frame.bodies(is_p_cut), up, place);
        if is_p_cut {
            for x in &mut self.points {
                *x = frame.motion.transform_point(*x);
            }
        }
        let top = frame.p.farthest(normal, 0) as usize;
        let level = normal.dot(frame.p.vertices[top]) + 0.5 * gap;
        for x in &mut self.points {
            *x += normal * (level - normal.dot(*x));
        }
        [p, q]
    }

    /// Puts the ends of a gap to the middle of the features that are extreme to rounding, and names
    /// these: of a tie any may have been found.
    #[inline(never)]
    pub(super) fn place(&mut self, frame: &PairFrame, plane: Plane) -> Plane {
        let features = self.set(frame, plane.normal, plane.gap, frame.size * TIED_HEIGHT);
        let on_p = self.middle() - plane.normal * (0.5 * plane.gap);
        Plane {
            on_p,
            features,
            ..plane
        }
    }

    /// The corners of `feature`, placed into the frame of the cutter, and cut along `up`.
    fn cut_by(
        &mut self,
        cutter: Feature,
        feature: Feature,
        [its_body, body]: [&Boundary; 2],
        up: DVec3,
        place: impl Fn(DVec3) -> DVec3,
    ) {
        let corners = body.corners(feature);
        let corners = corners.map(|id| place(body.vertices[id as usize]));
        self.points.extend(corners);
        self.is_beside = false;
        if self.points.len() == 1 {
            return;
        }
        // Along the plane's normal: features within the thickness need not be perpendicular to it.
        let tied = self.size * TIED_HEIGHT;
        let mut cut = |outward: DVec3, corner: u32, slack: f64| {
            let outward = outward - up * up.dot(outward);
            let corner = its_body.vertices[corner as usize];
            self.cut_to_rounding(outward, outward.dot(corner) + slack);
        };
        match cutter {
            Feature::Facet(face) => {
                for side in its_body.sides(&its_body.faces[face as usize]) {
                    cut(side.normal, side.corner, 0.0);
                }
            }
            Feature::Edge(a, b) => {
                let [from, to] = [a, b].map(|id| its_body.vertices[id as usize]);
                let along = (to - from).normalize_or_zero();
                cut(along, b, 0.0);
                cut(-along, a, 0.0);
                // Of edges that are not parallel, where they cross.
                let aside = along.cross(up).normalize_or_zero();
                cut(aside, a, tied);
                cut(-aside, a, tied);
            }
            Feature::Vertex(_) => {}
        }
    }

    /// Keeps what has `normal . x <= offset`; of points that are all above, by rounding or by a
    /// thickness that takes in too much, the lowest.
    fn cut_to_rounding(&mut self, normal: DVec3, offset: f64) {
        self.cut(normal, offset);
        if self.points.is_empty() {
            self.is_beside = true;
            let heights = self.uncut.iter().map(|x| normal.dot(*x));
            let least = heights.fold(f64::INFINITY, f64::min);
            let is_lowest = |x: &&DVec3| normal.dot(**x) <= least + self.size * GAP_BOUNDS;
            self.points.extend(self.uncut.iter().filter(is_lowest));
        }
    }

    /// Where a plane through a point cuts both bodies.
    pub(super) fn set_section(&mut self, frame: &PairFrame, normal: DVec3, through: DVec3) {
        self.normal = normal;
        let across = normal.any_orthonormal_vector() * (4.0 * frame.size);
        let along = normal.cross(across);
        let corners = [
            across + along,
            along - across,
            -across - along,
            across - along,
        ];
        self.points.clear();
        self.points.extend(corners.map(|corner| through + corner));
        for face in &frame.p.faces {
            self.cut(face.normal, face.offset);
        }
        for face in &frame.q.faces {
            let outward = frame.motion.transform_vector(face.normal);
            self.cut(outward, face.offset + outward.dot(frame.centers()));
        }
    }

    /// Keeps what has `normal . x <= offset`.
    fn cut(&mut self, normal: DVec3, offset: f64) {
        let height = |x: DVec3| normal.dot(x) - offset;
        std::mem::swap(&mut self.points, &mut self.uncut);
        self.points.clear();
        let Some(&last) = self.uncut.last() else {
            return;
        };
        // Two points have one side, not two.
        let start = if self.uncut.len() == 2 {
            self.uncut[0]
        } else {
            last
        };
        let (mut from, mut before) = (start, height(start));
        for &to in &self.uncut {
            let here = height(to);
            if (before > 0.0) != (here > 0.0) {
                self.points
                    .push(from + (to - from) * (before / (before - here)));
            }
            if here <= 0.0 {
                self.points.push(to);
            }
            (from, before) = (to, here);
        }
    }

    pub(super) fn area(&self) -> f64 {
        self.fan().map(|(double, _)| 0.5 * double).sum()
    }

    /// Its centroid: of the area, or of the points where there is none to speak of.
    pub(super) fn middle(&self) -> DVec3 {
        let Some(&first) = self.points.first() else {
            return DVec3::ZERO;
        };
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for (double, thirds) in self.fan() {
            area += double;
            moment += thirds * double;
        }
        let from_first = |x: &DVec3| *x - first;
        let spread = self
            .points
            .iter()
            .map(from_first)
            .fold(0.0, |far: f64, x| far.max(x.length_squared()));
        let mean = || self.points.iter().map(from_first).sum::<DVec3>() / self.points.len() as f64;
        first
            + if area > spread * TIED_GAP {
                moment / area
            } else {
                mean()
            }
    }

    /// Triangles from the first point: twice their areas, and their centroids from there.
    fn fan(&self) -> impl Iterator<Item = (f64, DVec3)> {
        let first = self.points.first().copied().unwrap_or_default();
        let pairs = self.points.windows(2).skip(1);
        pairs.map(move |pair| {
            let (u, v) = (pair[0] - first, pair[1] - first);
            (self.normal.dot(u.cross(v)).abs(), (u + v) / 3.0)
        })
    }
}

/// The part of a body that is within some thickness of its extreme point.
pub(super) fn extreme(body: &Boundary, normal: DVec3, thickness: f64) -> Feature {
    let height = |id: u32| normal.dot(body.vertices[id as usize]);
    let top = body.farthest(normal, 0);
    let is_extreme = |id: u32| height(id) >= height(top) - thickness;
    let spokes = body.spokes(top).iter();
    let faces = spokes.flat_map(|spoke| body.edges[spoke.edge as usize].faces);
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
