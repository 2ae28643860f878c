use glam::DVec3;

/// A contact between two bodies that touch at one place, in the world frame.
///
/// [`SphereSphere`](crate::SphereSphere) reports it. [`WallContact`](crate::WallContact) and
/// [`CommonPlaneContact`](crate::CommonPlaneContact) convert into it, so one force law serves all of them:
///
/// ```
/// use osculate::{Contact, NarrowPhase, Sphere, SphereSphere, glam::DVec3};
///
/// /// The force of a linear spring on the second body.
/// fn spring(contact: impl Into<Contact>, stiffness: f64) -> DVec3 {
///     let Contact { normal, overlap, .. } = contact.into();
///     stiffness * overlap * normal
/// }
///
/// let [a, b] = [0.0, 1.5].map(|x| Sphere::new(DVec3::X * x, 1.0));
/// let contact = SphereSphere::new().contact(&a, &b).unwrap();
/// assert_eq!(spring(contact, 100.0), DVec3::X * 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact<V = DVec3> {
    /// The contact point. It is halfway between the surfaces of two spheres or two convex bodies. It is on the wall for
    /// a wall contact.
    pub point: V,
    /// The unit normal, from the first body to the second.
    pub normal: V,
    /// The penetration depth, a length; negative for a gap within the margin.
    pub overlap: f64,
}
