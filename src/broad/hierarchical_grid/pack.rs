//! Bodies in single precision, in the order of their slots.

use super::HierarchicalGrid;
use super::table::{Level, Table};
use crate::broad::packed::{LanesMut, Scale, set};
use crate::math::Vector;
use crate::shape::Sphere;

impl<V: Vector> HierarchicalGrid<V> {
    /// Packs the bodies of a level in the order of its slots; gives whether they are surely good.
    pub(super) fn pack(&mut self, level: usize) -> bool {
        let level = &mut self.levels[level];
        let slots = level.slots.clone();
        let Table { cell_of, ids, .. } = &mut self.table;
        let packer = Packer {
            level,
            spheres: &self.spheres,
            scale: self.scale,
        };
        let lanes = self.packed.lanes_mut(slots.clone());
        let ids = &ids[slots.clone()];
        let (largest, are_good) = if self.trees.are_used {
            packer.bodies(lanes, ids)
        } else {
            packer.bodies_and_cells(lanes, ids, &mut cell_of[slots])
        };
        level.largest = largest;
        are_good
    }
}

/// Packs bodies of a level in the order of their slots; gives the largest radius, and whether all of
/// them are surely good.
#[derive(Clone, Copy)]
pub(super) struct Packer<'a, V> {
    pub(super) level: &'a Level<V>,
    pub(super) spheres: &'a [Sphere<V>],
    pub(super) scale: Scale<V>,
}

impl<V: Vector> Packer<'_, V> {
    /// Also fills in their cells.
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

    pub(super) fn bodies(self, lanes: LanesMut<'_>, ids: &[u32]) -> (f64, bool) {
        self.all(lanes, ids, |_| ())
    }

    #[inline(always)]
    fn all(self, lanes: LanesMut<'_>, ids: &[u32], mut see: impl FnMut(&Sphere<V>)) -> (f64, bool) {
        let mut places = lanes.each();
        let (mut largest, mut are_good) = (0.0, true);
        let mut gathered = Gathered::new();
        for ids in ids.chunks(GATHERED) {
            let spheres = gathered.gather(self.spheres, ids.iter().copied());
            // In this order: a place too many would be lost.
            for (sphere, place) in spheres.iter().zip(places.by_ref()) {
                let packed = self.scale.pack(sphere);
                set(place, packed);
                see(sphere);
                are_good &= !Scale::<V>::is_unknown(packed);
                largest = f64::max(largest, sphere.radius);
            }
        }
        (largest, are_good)
    }
}

/// How many spheres are gathered at a time.
pub(super) const GATHERED: usize = 64;

/// Spheres from all over the memory. Copied first and used then, many of them are under way at
/// once, which makes a rebuild of 10^6 bodies 1.7 times as fast.
pub(super) struct Gathered<V>([Sphere<V>; GATHERED]);

impl<V: Vector> Gathered<V> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([Sphere::new(V::ZERO, 0.0); GATHERED])
    }

    /// Up to [`GATHERED`] of some spheres.
    #[inline(always)]
    pub(super) fn gather(
        &mut self,
        spheres: &[Sphere<V>],
        ids: impl ExactSizeIterator<Item = u32>,
    ) -> &[Sphere<V>] {
        let count = ids.len().min(GATHERED);
        let places = &mut self.0[..count];
        for (place, id) in places.iter_mut().zip(ids) {
            *place = spheres[id as usize];
        }
        places
    }
}
