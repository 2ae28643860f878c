use glam::DVec3;

/// A contact between two bodies that touch at one place. World frame.
///
/// Every distance contact converts into it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact<V = DVec3> {
    /// The point half way between the two surfaces.
    pub point: V,
    /// The unit normal, from the first body to the second.
    pub normal: V,
    /// The penetration depth; negative for a gap within the margin.
    pub overlap: f64,
}
