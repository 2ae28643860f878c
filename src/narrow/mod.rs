//! Narrow phases: contacts between two bodies that a broad phase has found near each other.
//!
//! A kernel implements [`NarrowPhase`] for the pairs of shapes that it handles, so an unsupported pair does not
//! compile. [The crate page](crate#kernels) lists the kernels. Create a kernel once, because it keeps its buffers, and
//! clone it for each thread. Some kernels use a state per pair. It saves time.
//!
//! # Which kernel
//!
//! [A table in the guide](crate::guide::pairs) lists all pairs of shapes.
//!
//! Distance kernels ([`SphereSphere`], [`DoubleHierarchy`], [`CapsuleWall`], [`CommonPlane`]) report an overlap along a
//! normal. They suit force laws in terms of the penetration depth, and cost least. While polyhedra overlap,
//! the normal may jump from one step to the next.
//!
//! [`PressureField`] gives polyhedra, in pairs and at walls, an elastic force and torque that are the gradient of an energy,
//! and points at which dampers, friction and impulses act.
//!
//! Volume kernels ([`ConvexConvex`], [`MeshMesh`], [`PolygonPolygon`], [`SphereVolume`]) report the
//! intersection volume and its gradient. With a [`ContactEnergy`] they give forces and moments that
//! conserve energy, for bodies of any shape. Two polyhedra of 14 vertices take about 0.1 µs in `CommonPlane`
//! with a state, and 1.8 µs in `ConvexConvex`.
//!
//! # Conventions
//!
//! - The normal of a contact is a unit vector from the first body to the second.
//! - The overlap is positive if the bodies interpenetrate. Without a margin, kernels report positive
//!   overlaps only; bodies that touch without overlap have no contact. With a margin they also report
//!   smaller gaps, whose overlap is the negative gap.
//! - Points and vectors are in the world frame, lengths in the unit of the bodies.
//! - Kernels do not fail or panic, and allocate only while their buffers grow.

mod common_plane;
mod contact;
mod contact_history;
mod contact_volume;
mod double_hierarchy;
mod gjk;
mod order;
mod pair_frame;
pub(crate) mod pair_gap;
mod pressure_field;
mod scene;
mod sphere_sphere;
mod wall_list;

pub use common_plane::{CommonPlane, CommonPlaneContact, CommonPlaneState};
pub use contact::Contact;
pub use contact_history::{ContactHistory, WallHistory};
pub use contact_volume::{
    ContactEnergy, ContactVolume, ConvexConvex, CurveNode, CurveSegment, IntersectionKind,
    MeshMesh, PolygonPolygon, SphereVolume, VolumeState,
};
pub use double_hierarchy::{
    CapsuleWall, ContactSelection, DoubleHierarchy, FacetSubset, Wall, WallContact, WallContactKey,
    WallMesh, WallSides, match_contacts,
};
pub use pressure_field::{
    FacetPressure, PressureContact, PressureCorner, PressureField, PressurePoints, PressureShare,
    PressureState, PressureVolume,
};
pub use sphere_sphere::SphereSphere;
pub use wall_list::{WallList, WallListSnapshot};

/// A kernel, which finds the contacts between one `A` and one `B`.
///
/// A closure `FnMut(&A, &B) -> Option<C>` is a kernel too. Kernels take `&mut self` because they keep
/// buffers. Give each thread a clone.
///
/// ```
/// use osculate::{NarrowPhase, Sphere, SphereSphere, glam::DVec2};
///
/// fn count<A, B>(kernel: &mut impl NarrowPhase<A, B>, a: &A, b: &B) -> usize {
///     let (mut contacts, mut state) = (0, Default::default());
///     kernel.for_each_contact(a, b, &mut state, |_| contacts += 1);
///     contacts
/// }
///
/// let a = Sphere::new(DVec2::ZERO, 1.0);
/// let b = Sphere::new(DVec2::new(1.5, 0.0), 1.0);
/// assert_eq!(count(&mut SphereSphere::new(), &a, &b), 1);
/// // A custom kernel: its contact is the distance of the centers.
/// let mut own = |a: &Sphere<DVec2>, b: &Sphere<DVec2>| Some(a.center.distance(b.center));
/// assert_eq!(count(&mut own, &a, &b), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel for `{A}` and `{B}`",
    note = "kernels of convex bodies and meshes take a shape at a pose, `Placed::new(&shape, pose)`",
    note = "a sphere comes before another shape, and a body before a wall; see `guide::pairs`"
)]
pub trait NarrowPhase<A: ?Sized, B: ?Sized = A> {
    /// The type of the contacts.
    type Contact;
    /// The state of a pair that the kernel keeps from step to step, `()` for most kernels. Keep one for each pair.
    type State: Default;

    /// Visits each contact between `a` and `b`.
    fn for_each_contact(
        &mut self,
        a: &A,
        b: &B,
        state: &mut Self::State,
        visit: impl FnMut(Self::Contact),
    );

    /// Returns the contact between `a` and `b`, the first if there are several, from a fresh state.
    fn contact(&mut self, a: &A, b: &B) -> Option<Self::Contact> {
        self.contact_with(a, b, &mut Self::State::default())
    }

    /// Returns the contact between `a` and `b`, the first if there are several.
    fn contact_with(&mut self, a: &A, b: &B, state: &mut Self::State) -> Option<Self::Contact> {
        let mut first = None;
        self.for_each_contact(a, b, state, |contact| {
            first.get_or_insert(contact);
        });
        first
    }
}

#[diagnostic::do_not_recommend]
impl<A: ?Sized, B: ?Sized, C, F: FnMut(&A, &B) -> Option<C>> NarrowPhase<A, B> for F {
    type Contact = C;
    type State = ();

    fn for_each_contact(&mut self, a: &A, b: &B, (): &mut (), visit: impl FnMut(C)) {
        self(a, b).into_iter().for_each(visit);
    }
}
