use glam::DVec3;

use super::kept_facets::KeptFacets;
use crate::math::Vector;
use crate::narrow::elastic_bed::manifold::continued;
use crate::narrow::{ContactManifold, PointFeature, WallState};
use crate::shape::Stamp;

/// The state of a convex body at a wall, kept from step to step. Keep one for each pair.
///
/// - **The side of the wall on which the body belongs**, as for spheres ([`WallState`]). A body is through a
///   wall if the path of its centroid since the last call crosses a facet inside it. It then belongs on the
///   side from which it came, until its centroid is back. Along a path that crosses no facet, contacts equal
///   those of a new state, bit for bit.
/// - **The contact points**: which of them continue earlier ones, and the choice of points if there are too
///   many. They change no force.
/// - **The facets that the body can touch soon**, and the faces that can touch them, from the second step on. While no
///   point of the body has moved by more than about eight steps, nothing else is looked at. This saves a quarter to
///   half of the time if bodies move little, and changes no contact.
///
/// The state of another shape counts as new. One that was stored and read again continues with any shape.
///
/// ```
/// use osculate::narrow::{ConvexWall, ConvexWallState};
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let plate = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
/// let plate = plate.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let plate = Wall::new(SurfaceMesh::new(plate, [[0, 1, 2, 3]])?);
/// let at = |z: f64| Pose3::from_translation(DVec3::new(0.0, 0.0, z)).map(|pose| Placed::new(&cube, pose));
///
/// // The cube is pushed through the plate, from above.
/// let (mut kernel, mut state) = (ConvexWall::new(), ConvexWallState::default());
/// for (z, overlap) in [(-0.25, 0.25), (-0.75, 0.75)] {
///     let contact = kernel.contact_with(&at(z)?, &plate, &mut state).unwrap();
///     assert_eq!((contact.normal, contact.overlap), (-DVec3::Z, overlap));
/// }
/// // A new state pushes it out on the other side.
/// assert_eq!(kernel.contact(&at(-0.75)?, &plate).unwrap().normal, DVec3::Z);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "V: serde::Serialize",
        deserialize = "V: Vector + serde::Deserialize<'de>"
    ))
)]
pub struct ConvexWallState<V: Vector = DVec3> {
    pub(super) wall: WallState<V>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) facets: KeptFacets,
    #[cfg_attr(feature = "serde", serde(skip))]
    shape: Stamp,
    /// Those of the last step, manifold by manifold.
    last: Vec<OldPoint<V>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    next: Vec<OldPoint<V>>,
}

/// A point, in the axes of the mesh.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct OldPoint<V> {
    feature: PointFeature,
    normal: V,
    /// From the center of the body.
    arm: V,
}

impl<V: Vector> ConvexWallState<V> {
    /// Returns the state of a body that belongs on the side of `point`, in the coordinates of the mesh.
    pub fn from_side(point: V) -> Self {
        Self {
            wall: WallState::from_side(point),
            ..Self::default()
        }
    }

    /// Forgets the side: the next call takes the one on which the centroid is.
    pub fn forget_side(&mut self) {
        self.wall.forget_side();
    }

    /// Forgets another shape. That of a new state may be any.
    pub(super) fn keep_only(&mut self, shape: Stamp) {
        if self.shape != shape {
            if self.shape != Stamp::NONE {
                *self = Self::default();
            }
            self.shape = shape;
        }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.next.clear();
    }

    /// Ends a step.
    pub(super) fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
    }

    /// Returns the features of the last step at about the same normal.
    pub(super) fn names(&self, normal: V) -> impl Iterator<Item = PointFeature> {
        let near = self.last.iter().filter(move |old| is_near(old, normal));
        near.map(|old| old.feature)
    }

    /// Names the points of a manifold that continue earlier ones, and stores them. `to_mesh` takes vectors of
    /// the world to the axes of the mesh.
    pub(super) fn follow(
        &mut self,
        manifold: &mut ContactManifold<V>,
        center: V,
        to_mesh: impl Fn(V) -> V,
    ) {
        let normal = to_mesh(manifold.normal);
        for point in manifold.points_mut() {
            let arm = to_mesh(point.point - center);
            let near = (0..=u16::MAX)
                .zip(&self.last)
                .filter(|(_, old)| is_near(old, normal));
            let near = near.map(|(i, old)| (i, old.feature, (old.arm - arm).length_squared()));
            point.previous = continued(near, point.feature);
            let feature = point.feature;
            self.next.push(OldPoint {
                feature,
                normal,
                arm,
            });
        }
    }
}

/// Contacts whose normals differ by more than 60 degrees are not the same.
fn is_near<V: Vector>(old: &OldPoint<V>, normal: V) -> bool {
    old.normal.dot(normal) > 0.5
}
