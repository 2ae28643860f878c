//! Finds the facets inside the body by their ids.

use super::NearFacet;

/// A hash table with linear probing, at most half full, of indices into a list of facets.
#[derive(Clone, Debug, Default)]
pub(super) struct FacetTable {
    /// The number of slots is a power of two.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl FacetTable {
    pub(super) fn fill(&mut self, facets: &[NearFacet]) {
        self.slots.clear();
        let count = (2 * facets.len()).next_power_of_two();
        self.slots.resize(count, FREE);
        for (i, near) in (0..).zip(facets) {
            let mut slot = self.first_slot(near.image, near.facet);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = i;
        }
    }

    /// Returns the index of an image of a facet in the list with which the table was filled.
    pub(super) fn get(&self, facets: &[NearFacet], image: u32, facet: u32) -> Option<usize> {
        let mut slot = self.first_slot(image, facet);
        loop {
            let i = self.slots[slot];
            let near = facets.get(i as usize)?;
            if near.facet == facet && near.image == image {
                return Some(i as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Neighbors in the mesh often have near ids, which these slots spread.
    fn first_slot(&self, image: u32, facet: u32) -> usize {
        // 2^32 divided by the golden ratio: D. E. Knuth, "The Art of Computer Programming" 3, section 6.4.
        let hash = (facet ^ image.rotate_left(16)).wrapping_mul(0x9E37_79B9);
        (hash >> 8) as usize & (self.slots.len() - 1)
    }
}
