//! The contacts of a sphere with a wall.

use osculate::{
    DoubleHierarchy, NarrowPhase, Sphere, Wall, WallContact, WallState, narrow::WallMesh,
};

pub(crate) fn contacts<M: WallMesh>(
    wall: &Wall<M>,
    memory: &mut WallState<M::Vector>,
    center: M::Vector,
    radius: f64,
) -> Vec<WallContact<M::Vector>> {
    let mut found = Vec::new();
    let sphere = Sphere::new(center, radius);
    DoubleHierarchy::new().for_each_contact(&sphere, wall, memory, |c| found.push(c));
    found
}
