use crate::math::tolerance::two_to;
use glam::DVec3;

use super::clip::{Clip, rises};
use crate::shape::{Aabb, FacePlane, HalfEdges};

/// Heights and radii of faces that may cut a body.
const CUT_HEIGHT: f64 = two_to(-40);

/// Cuts a clipped polyhedron by the faces of a convex polyhedron, in the frame of its planes.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutter {
    /// The faces that may cut, each with the height of the ball's center over its plane.
    faces: Vec<(f64, u32)>,
}

impl Cutter {
    /// Collects the faces that may cut a ball around `center`, the deepest cut first. Returns
    /// `false` if a face separates the bodies.
    pub(super) fn choose(&mut self, cutting: &HalfEdges, center: DVec3, radius: f64) -> bool {
        self.faces.clear();
        let radius = radius * (1.0 + CUT_HEIGHT);
        for (face, plane) in (0..).zip(&cutting.planes) {
            let (height, reach) = (plane.height(center), plane.length * radius);
            if height > reach {
                return false;
            }
            if height >= -reach {
                self.faces.push((height / plane.length, face));
            }
        }
        // Any other order creates more faces that later cuts remove again: a tenth of the work for
        // 50 vertices.
        self.faces
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        true
    }

    /// Cuts by all collected faces, and returns whether anything is left. The symbolic perturbation moves the planes.
    #[inline]
    pub(super) fn cut(&self, clip: &mut Clip, cutting: &HalfEdges) -> bool {
        let (mut bounds, mut cuts) = (None, 0_u32);
        for &(_, face) in &self.faces {
            let plane = &cutting.planes[face as usize];
            if bounds.is_some_and(|bounds| is_below(plane, &bounds)) {
                continue;
            }
            let tie_is_out = rises(-plane.normal);
            if clip.measure(plane, tie_is_out) {
                if !clip.cut(tie_is_out) {
                    return false;
                }
                cuts += 1;
                // A new box is worth its cost only after the body has shrunk.
                if cuts.is_power_of_two() {
                    bounds = Aabb::from_points(clip.vertices.iter().map(|v| v.position));
                }
            }
        }
        true
    }
}

/// Returns whether a box is entirely below a plane.
#[inline]
fn is_below(plane: &FacePlane, bounds: &Aabb<DVec3>) -> bool {
    let n = plane.normal;
    let highest = DVec3::select(n.cmpgt(DVec3::ZERO), bounds.max, bounds.min);
    plane.height(highest) < 0.0
}
