//! The contacts of a sphere with a wall.

use osculate::{
    DoubleHierarchy, NarrowPhase, Sphere, Wall, WallContact, WallState, narrow::Surface,
};

pub(crate) fn contacts<S: Surface>(
    wall: &Wall<S>,
    memory: &mut WallState<S::Vector>,
    center: S::Vector,
    radius: f64,
) -> Vec<WallContact<S::Vector>> {
    let mut found = Vec::new();
    let sphere = Sphere::new(center, radius);
    DoubleHierarchy::new().for_each_contact(&sphere, wall, memory, |c| found.push(c));
    found
}
