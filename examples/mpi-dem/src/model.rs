//! What distinguishes one simulation from another.

use std::error::Error;
use std::fmt::Debug;

use osculate::Wall;
use osculate::glam::DVec3;
use osculate::narrow::{PressureState, WallHistory};
use serde::{Serialize, de::DeserializeOwned};

use crate::bodies::{Body, Wrench};

/// What lasts as long as a contact. The default is that of no contact.
pub trait History: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned {
    /// Returns whether this is that of no contact.
    fn is_none(&self) -> bool;
}

impl History for u32 {
    fn is_none(&self) -> bool {
        *self == 0
    }
}

impl History for DVec3 {
    fn is_none(&self) -> bool {
        *self == DVec3::ZERO
    }
}

/// A polyhedron in contact: the state, and the tangential springs of the shares.
pub type Shares = (PressureState, Vec<DVec3>);

impl History for Option<Box<Shares>> {
    fn is_none(&self) -> bool {
        Option::is_none(self)
    }
}

/// What a body keeps at the wall.
pub trait AtWall: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned {
    fn has_contacts(&self) -> bool;
}

impl<T> AtWall for WallHistory<T>
where
    T: Clone + Debug + Send + Sync + Serialize + DeserializeOwned,
{
    fn has_contacts(&self) -> bool {
        !self.is_empty()
    }
}

impl AtWall for Shares {
    fn has_contacts(&self) -> bool {
        !self.1.is_empty()
    }
}

/// Bodies of one kind: how they move, and their forces.
///
/// The functions depend on their arguments only, so that it does not matter which rank and which thread calls them.
pub trait Model: Sync {
    /// The kernels, one clone for each thread.
    type Kernels: Clone + Send + Sync;
    /// The history of a pair.
    type Pair: History;
    /// What a body near the wall keeps.
    type Wall: AtWall;

    fn kernels(&self) -> Self::Kernels;

    /// Seconds.
    fn time_step(&self) -> f64;

    fn wall(&self) -> &Wall;

    /// Moves the wall to where it is at a time.
    fn set_time(&mut self, time: f64) -> Result<(), Box<dyn Error>>;

    /// Moves a body by its velocities.
    fn drift(&self, body: &mut Body);

    /// Changes the velocities of a body by a force, and by its weight.
    fn kick(&self, body: &mut Body, wrench: &Wrench);

    /// Returns the forces on two bodies, the lower name first; `None` if they do not touch.
    fn between(
        &self,
        kernels: &mut Self::Kernels,
        bodies: [&Body; 2],
        history: &mut Self::Pair,
    ) -> Option<[Wrench; 2]>;

    /// Returns the force of the wall on a body near it, and the number of contacts with it.
    fn at_wall(
        &self,
        kernels: &mut Self::Kernels,
        body: &Body,
        state: &mut Self::Wall,
    ) -> (Wrench, u32);
}
