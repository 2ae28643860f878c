//! Packs the bodies in single precision, in the order of slots.

use super::grid::{HierarchicalGrid, Storage};
use super::level::Level;
use super::table::Table;
use crate::broad::packed::{LanesMut, Scale, set};
use crate::math::Vector;
use crate::shape::Sphere;

impl<V: Vector> HierarchicalGrid<V> {
    /// Packs the bodies of a level; returns whether they are certainly valid.
    pub(super) fn pack(&mut self, level: usize) -> bool {
        let level = &mut self.levels[level];
        let slots = level.slots.clone();
        let Table { cells, ids, .. } = &mut self.table;
        let packer = Packer {
            level,
            spheres: &self.spheres,
            scale: self.scale,
        };
        let lanes = self.packed.lanes_mut(slots.clone());
        let ids = &ids[slots.clone()];
        let (max_radius, are_valid) = match self.storage {
            Storage::Table => packer.bodies_and_cells(lanes, ids, &mut cells[slots]),
            Storage::Trees => packer.bodies(lanes, ids),
        };
        level.max_radius = max_radius;
        are_valid
    }
}

/// A packer of the bodies of a level.
///
/// Its methods return the largest radius, and whether all bodies are certainly valid. Bodies in the range of single
/// precision are.
#[derive(Clone, Copy)]
pub(super) struct Packer<'a, V> {
    pub(super) level: &'a Level<V>,
    pub(super) spheres: &'a [Sphere<V>],
    pub(super) scale: Scale<V>,
}

impl<V: Vector> Packer<'_, V> {
    /// Packs bodies and stores their cells.
    pub(super) fn bodies_and_cells(
        self,
        lanes: LanesMut<'_>,
        ids: &[u32],
        cells: &mut [u32],
    ) -> (f64, bool) {
        let mut cells = cells.iter_mut();
        self.all(lanes, ids, |sphere| {
            if let Some(cell) = cells.next() {
                *cell = self.level.cell_at(sphere.center);
            }
        })
    }

    /// Packs bodies.
    pub(super) fn bodies(self, lanes: LanesMut<'_>, ids: &[u32]) -> (f64, bool) {
        self.all(lanes, ids, |_| ())
    }

    #[inline(always)]
    fn all(
        self,
        lanes: LanesMut<'_>,
        ids: &[u32],
        mut visit: impl FnMut(&Sphere<V>),
    ) -> (f64, bool) {
        let mut places = lanes.each();
        let (mut max_radius, mut are_valid) = (0.0, true);
        let mut batch = Batch::new();
        for ids in ids.chunks(BATCH) {
            let spheres = batch.gather(self.spheres, ids.iter().copied());
            // Spheres first: zip would otherwise take a place too many from the iterator.
            for (sphere, place) in spheres.iter().zip(places.by_ref()) {
                let packed = self.scale.pack(sphere);
                set(place, packed);
                visit(sphere);
                are_valid &= !Scale::<V>::is_unknown(packed);
                max_radius = f64::max(max_radius, sphere.radius);
            }
        }
        (max_radius, are_valid)
    }
}

/// The number of spheres that are gathered at a time.
pub(super) const BATCH: usize = 64;

/// A batch of spheres, gathered from random places in memory.
///
/// They are copied in a separate loop, which keeps many loads in flight. This makes a rebuild of 10^6 bodies 1.7 times
/// as fast.
pub(super) struct Batch<V>([Sphere<V>; BATCH]);

impl<V: Vector> Batch<V> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([Sphere::new(V::ZERO, 0.0); BATCH])
    }

    /// Copies up to [`BATCH`] spheres, and returns them.
    #[inline(always)]
    pub(super) fn gather(
        &mut self,
        spheres: &[Sphere<V>],
        ids: impl ExactSizeIterator<Item = u32>,
    ) -> &[Sphere<V>] {
        let count = ids.len().min(BATCH);
        let places = &mut self.0[..count];
        for (place, id) in places.iter_mut().zip(ids) {
            *place = spheres[id as usize];
        }
        places
    }
}
