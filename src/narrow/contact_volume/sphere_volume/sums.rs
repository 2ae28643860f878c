use super::ball;
use crate::math::Vector;
use crate::narrow::{ContactVolume, IntersectionKind};
use crate::shape::Sphere;

/// Sums over the triangles of a solid, in 2D the sides of a polygon, that a ball meets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums<V> {
    /// The volume between them and the sphere, radially from the center: positive if it is behind them.
    pub(super) beyond: f64,
    /// The area vector of their parts inside the ball.
    pub(super) area: V,
    /// The product of positions from the center and areas.
    pub(super) flux: f64,
    /// The number of triangles or sides inside the ball.
    pub(super) inside_count: usize,
    /// Whether a part of a triangle or side is inside the ball.
    pub(super) is_met: bool,
    /// Whether a triangle or side crosses the sphere.
    pub(super) is_crossed: bool,
}

/// Properties of a whole solid.
pub(super) struct Whole<V> {
    /// The number of triangles or sides.
    pub(super) count: usize,
    pub(super) volume: f64,
    pub(super) vertex: V,
}

impl<V: Vector> Sums<V> {
    /// Returns the contact, given the winding number of the surface around the center.
    pub(super) fn contact(
        &self,
        sphere: &Sphere<V>,
        winding: i32,
        whole: &Whole<V>,
    ) -> Option<ContactVolume<V>> {
        let Sphere { center, radius } = *sphere;
        if self.inside_count == whole.count {
            return Some(ContactVolume::nested(whole.volume, whole.vertex));
        }
        let volume = f64::from(winding) * ball::<V>(radius) - self.beyond;
        if !self.is_crossed {
            let is_nested = self.is_met || winding != 0;
            return is_nested.then(|| ContactVolume::nested(volume, center));
        }
        let squared = self.area.length_squared();
        // Faces that meet in one point p have the flux p.S.
        let offset = if squared > 0.0 {
            let reach = radius / squared.sqrt();
            self.area * (self.flux / squared).clamp(-reach, reach)
        } else {
            V::ZERO
        };
        Some(ContactVolume {
            kind: IntersectionKind::Crossing,
            volume: volume.max(0.0),
            area_vector: V::ZERO - self.area,
            point: center + offset,
            moment_vector: V::Moment::default(),
        })
    }
}
