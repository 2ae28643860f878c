use super::nearby::Nearby;

/// The state of a sphere at a [`Wall`](super::Wall), kept from step to step. Keep one for each pair.
///
/// It holds the facets around the sphere, from the second step on. While the sphere stays among them, the tree of the
/// wall is not searched. This saves a quarter to half of the time if spheres move little, and changes no contact. So
/// any state gives the contacts of a new one (`default()`), also if the wall moves, deforms or is another one. A state
/// is stored without its facets.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallState<V = glam::DVec3> {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) nearby: Nearby<V>,
}
