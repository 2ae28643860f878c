use glam::DVec3;

use super::ContactVolume;
use super::clip::{Clip, ClipEdge};
use super::sums::Sums;
use super::thin::{ThinPart, is_thin};
use crate::math::Pose3;
use crate::math::tolerance::{OPEN_AREA, SLENDER_TETRAHEDRA, WHOLE_VOLUME};
use crate::shape::Aabb;

/// The surface that a face of a piece belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum PieceFace {
    /// The first body's.
    Own,
    /// The second body's.
    Other,
    /// None: a face between tetrahedra.
    Inner,
}

/// Returns the surface of a tetrahedron's face; `body` is 0 or 1.
#[inline]
pub(super) fn face_of(body: usize, is_exterior: bool) -> PieceFace {
    match (is_exterior, body) {
        (false, _) => PieceFace::Inner,
        (true, 0) => PieceFace::Own,
        (true, _) => PieceFace::Other,
    }
}

/// The sums over the pieces of all pairs of tetrahedra.
#[derive(Default)]
pub(super) struct Pieces {
    /// 6 V.
    volume: f64,
    /// The sums around the exterior faces of the first body, for S and G.
    faces: Sums,
    /// The sums along the curve, for the contact point.
    curve: Sums,
    has_curve: bool,
    /// Twice the area vector of all exterior faces of thin pieces, 0 if the pieces fit together.
    open_area: DVec3,
    /// The origin of the sums, a point of the intersection.
    origin: Option<DVec3>,
}

impl Pieces {
    /// Cuts, and cuts again with planes near the intersection if it is thin. Returns the pieces and
    /// their origin.
    pub(super) fn refined(
        mut cut: impl FnMut(Option<DVec3>) -> Self,
        origin: DVec3,
        boxes: [Aabb<DVec3>; 2],
    ) -> (Self, DVec3) {
        let pieces = cut(None);
        if let Some(point) = pieces.thin_at(origin, boxes) {
            let thin = cut(Some(point));
            if thin.is_closed() {
                return (thin, point);
            }
        }
        (pieces, origin)
    }

    /// Adds a piece.
    #[inline]
    pub(super) fn add<const K: usize>(
        &mut self,
        clip: &Clip<K>,
        face_of: impl Fn(u32) -> PieceFace,
    ) {
        let near = clip.vertices[0].position;
        let origin = *self.origin.get_or_insert(near);
        let mut volume = 0.0;
        for edge in clip.edges() {
            volume += clip.six_volumes(&edge, near);
            let ([own, other], [a, b]) = (edge.faces, edge.ends);
            for (face, twin, a, b) in [(own, other, a, b), (other, own, b, a)] {
                if face_of(face) != PieceFace::Own {
                    continue;
                }
                let (a, b) = (a - origin, b - origin);
                self.faces.add_segment(a, b);
                if face_of(twin) == PieceFace::Other {
                    self.curve.add_segment(a, b);
                    self.has_curve = true;
                }
            }
        }
        let arms = clip.vertices.iter().map(|vertex| vertex.position - near);
        let size = arms.fold(0.0, |size: f64, arm| size.max(arm.length_squared()));
        self.volume += if volume < SLENDER_TETRAHEDRA * size * size.sqrt() {
            clip.slender_volumes()
        } else {
            volume
        };
    }

    /// Adds a piece cut by planes near it. `face_of` takes the numbers of the planes.
    pub(super) fn add_thin(&mut self, thin: &ThinPart, face_of: impl Fn(u32) -> PieceFace) {
        let volume = self.volume + thin.six_volumes();
        let face_of = |face: u32| face_of(thin.number(face));
        self.add(&thin.clip, face_of);
        self.volume = volume;
        let origin = self.origin.unwrap_or_default();
        for ClipEdge { ends, faces } in thin.clip.edges() {
            let [a, b] = ends.map(|end| end - origin);
            let [own, other] = faces.map(|face| f64::from(face_of(face) != PieceFace::Inner));
            self.open_area += a.cross(b - a) * (own - other);
        }
    }

    /// Returns a point of the intersection if it is thin. `origin` is the origin of the pieces.
    fn thin_at(&self, origin: DVec3, boxes: [Aabb<DVec3>; 2]) -> Option<DVec3> {
        let extent = boxes
            .map(|b| b.size().max_element())
            .into_iter()
            .sum::<f64>()
            * 0.5;
        let is_thin = self.has_curve && is_thin(self.volume, &self.faces, &self.curve, extent);
        self.origin.filter(|_| is_thin).map(|point| origin + point)
    }

    /// Returns whether thin pieces fit together.
    ///
    /// Exterior faces of one body may lie in interior faces of the other body. Planes near a point
    /// can then assign them to both tetrahedra or to none. The surface is then open.
    fn is_closed(&self) -> bool {
        let open = self.open_area.length();
        self.has_curve && self.volume > 0.0 && open <= OPEN_AREA * self.faces.area.length()
    }

    /// Returns the contact in the world, `None` without pieces.
    pub(super) fn contact(
        self,
        origin: DVec3,
        pose: &Pose3,
        volumes: [f64; 2],
    ) -> Option<ContactVolume<DVec3>> {
        let own_origin = self.origin?;
        let (volume, origin) = (self.volume / 6.0, origin + own_origin);
        if !self.has_curve {
            // The volume of a whole body if the sum agrees with it to rounding.
            let is_sum = |whole: &f64| (volume - whole).abs() <= WHOLE_VOLUME * whole;
            let whole = volumes.into_iter().find(is_sum);
            return (volume > 0.0).then(|| {
                ContactVolume::nested(whole.unwrap_or(volume), pose.transform_point(origin))
            });
        }
        let mut gradient = self.faces.gradient();
        let (area, squared) = (gradient.area, gradient.area.length_squared());
        gradient.point = self.curve.gradient().point;
        if squared > 0.0 {
            let along = area * (area.dot(gradient.point) / squared);
            gradient.point = area.cross(gradient.moment) * (1.0 / squared) + along;
        }
        Some(gradient.contact(volume, origin, pose))
    }
}
