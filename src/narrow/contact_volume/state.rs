//! The state of a pair of bodies at rest.

use glam::DVec3;
use smallvec::SmallVec;

use super::ContactVolume;
use crate::math::Vector;
use crate::narrow::scene::Scene;

/// The state of a pair in a kernel of intersection volumes: the contacts of the last call.
///
/// If neither body has moved since, they are returned again, in about 10 ns. No state changes a result, for any pair, shapes,
/// poses or settings. Clones of a shape count as the same shape.
///
/// Size: at most 256 bytes, and more for several regions. It cannot be serialized: start with a new state.
#[derive(Clone, Debug, Default)]
pub struct VolumeState<V: Vector = DVec3> {
    /// Whether regions are separate, and the bodies.
    scene: Option<Scene<bool, V>>,
    contacts: SmallVec<[ContactVolume<V>; 1]>,
}

impl<V: Vector> VolumeState<V> {
    /// Visits the contacts of a scene, which `find` appends if the scene is a new one.
    pub(super) fn visit(
        &mut self,
        scene: Scene<bool, V>,
        find: impl FnOnce(&mut SmallVec<[ContactVolume<V>; 1]>),
        visit: impl FnMut(ContactVolume<V>),
    ) {
        if self.scene != Some(scene) {
            self.scene = Some(scene);
            self.contacts.clear();
            find(&mut self.contacts);
        }
        self.contacts.iter().copied().for_each(visit);
    }
}
