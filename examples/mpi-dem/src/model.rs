//! What distinguishes one simulation from another.

use std::error::Error;
use std::fmt::Debug;

use osculate::glam::DVec3;
use serde::{Serialize, de::DeserializeOwned};

use crate::bodies::{Body, Wrench};

pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// What lasts as long as a contact. The default is that of no contact.
pub trait History:
    Clone + Debug + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned
{
}

impl<T: Clone + Debug + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned> History
    for T
{
}

/// Bodies of one kind: how they move, and their forces.
///
/// The functions depend on their arguments only, so that it does not matter which rank and which thread calls them.
pub trait Model: Sync {
    /// The kernels, one clone for each thread.
    type Kernels: Clone + Send + Sync;
    /// The history of a pair.
    type Pair: History;
    /// The history of a body at the walls. Its contacts may end and begin.
    type Wall: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned;

    fn kernels(&self) -> Self::Kernels;

    /// Seconds.
    fn time_step(&self) -> f64;

    /// Moves the walls to where they are at a time.
    fn set_time(&mut self, _time: f64) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

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

    /// Returns the force of the walls on a body, and the number of contacts with them.
    fn at_wall(&self, _: &mut Self::Kernels, _: &Body, _: &mut Self::Wall) -> (Wrench, u32) {
        (Wrench::default(), 0)
    }
}
