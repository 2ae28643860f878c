use glam::DVec3;

use super::ContactVolume;

/// The contact of a body with an open wall, by volume.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MeshWallContact {
    /// The wall parts the body: the volume behind the wall, and its gradient.
    Parted(ContactVolume<DVec3>),
    /// The wall ends inside the body, so that no volume is defined.
    OverRim(OverRim),
}

/// Area and moment vector of the part of a wall inside a body, if the wall ends there.
///
/// They do not depend on the mesh of the wall. They are not the gradient of any volume: forces along them do
/// work on closed paths over the rim.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OverRim(ContactVolume<DVec3>);

impl MeshWallContact {
    /// Returns the volume behind the wall and its gradient; `None` over a rim.
    pub fn parted(self) -> Option<ContactVolume<DVec3>> {
        match self {
            Self::Parted(contact) => Some(contact),
            Self::OverRim(_) => None,
        }
    }

    /// Returns S, the area vector of the part of the wall inside the body. It points into the wall.
    pub fn area_vector(&self) -> DVec3 {
        self.inner().area_vector
    }

    /// Returns the contact point, on the central axis of S and G.
    pub fn point(&self) -> DVec3 {
        self.inner().point
    }

    /// Returns the unit normal, from the body into the wall; `None` if S is 0.
    pub fn normal(&self) -> Option<DVec3> {
        self.inner().normal()
    }

    /// Returns G about any point: the moment vector of the part of the wall inside the body.
    pub fn moment_vector_about(&self, center: DVec3) -> DVec3 {
        self.inner().moment_vector_about(center)
    }

    fn inner(&self) -> &ContactVolume<DVec3> {
        match self {
            Self::Parted(contact) | Self::OverRim(OverRim(contact)) => contact,
        }
    }
}

impl OverRim {
    pub(super) fn new(contact: ContactVolume<DVec3>) -> Self {
        Self(contact)
    }
}
