use super::nearby::Nearby;
use super::side::Home;
use crate::math::Vector;

/// The state of a sphere at a [`Wall`](super::Wall), kept from step to step. Keep one for each pair.
///
/// - **The side of the wall on which the sphere belongs.** A sphere is through a wall only if the path
///   of its center since the last call crosses a facet within its reach. Exact signs decide this, in
///   the coordinates of the mesh, so a moving wall counts too. Then contacts on the crossed facets keep
///   their direction, with an overlap larger than the radius. So a thin wall holds a sphere whose
///   center is less than a radius behind it. The sphere is free again where its center crosses back, or
///   where a straight line leads back without crossing a facet. Along a path that crosses no facet,
///   contacts equal those of a new state, bit for bit.
/// - **The facets around the sphere**, from the second step on. While the sphere stays among them, the
///   tree of the wall is not searched. This saves a quarter to half of the time if spheres move
///   little, and changes no contact.
///
/// A new state (`default()`) has no side: the first call takes the side on which the center is. If
/// [`set_vertices`](super::Wall::set_vertices) deforms the wall, the path is relative to the facet
/// that was nearest at the last call. The state of another wall, or one that missed an update of the
/// vertices, counts as new. The clones of a wall are the same wall until one of them deforms.
///
/// ```
/// use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, WallState, glam::DVec3};
///
/// let plate = SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?;
/// let (wall, mut kernel) = (Wall::new(plate), DoubleHierarchy::new());
/// let sphere = |z: f64| Sphere::new(DVec3::new(0.25, 0.25, z), 0.5);
///
/// // The center is pushed through the plate, from above.
/// let mut state = WallState::default();
/// for (z, overlap) in [(0.25, 0.25), (-0.25, 0.75)] {
///     let contact = kernel.contact_with(&sphere(z), &wall, &mut state).unwrap();
///     assert_eq!((contact.overlap, contact.normal), (overlap, -DVec3::Z));
/// }
/// // A new state pushes the sphere out on the other side.
/// assert_eq!(kernel.contact(&sphere(-0.25), &wall).unwrap().normal, DVec3::Z);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallState<V = glam::DVec3> {
    pub(super) home: Home<V>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) nearby: Nearby<V>,
}

impl<V: Vector> WallState<V> {
    /// Returns the state of a sphere that belongs on the side of `point`, in the coordinates of the
    /// mesh.
    pub fn from_side(point: V) -> Self {
        Self {
            home: Home::at(point),
            nearby: Nearby::default(),
        }
    }

    /// Forgets the side: the next call takes the one on which the center is.
    ///
    /// Call it for a sphere that was moved to another place.
    pub fn forget_side(&mut self) {
        self.home = Home::default();
    }

    /// Returns the point on the side where the body belongs, in the coordinates of the mesh.
    pub(in crate::narrow) fn home(&self) -> Option<V> {
        self.home.in_domain()
    }

    /// Sets that point, and a distance from it within which there is a facet, if it is known.
    pub(in crate::narrow) fn set_home(&mut self, point: V, reach: Option<f64>) {
        self.home = Home::within(reach.map(|reach| reach * reach), point);
    }
}
