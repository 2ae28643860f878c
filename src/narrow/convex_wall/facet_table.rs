//! Finds the facets inside the body by their slots in the wall.

use super::NearFacet;

/// A hash table with linear probing, at most half full, of indices into a list of facets.
#[derive(Clone, Debug, Default)]
pub(super) struct FacetTable {
    /// The length is a power of two.
    indices: Vec<u32>,
}

const FREE: u32 = u32::MAX;
/// Up to this many facets are searched in turn.
const FEW: usize = 8;

impl FacetTable {
    pub(super) fn fill(&mut self, facets: &[NearFacet]) {
        if facets.len() <= FEW {
            return;
        }
        self.indices.clear();
        let count = (2 * facets.len()).next_power_of_two();
        self.indices.resize(count, FREE);
        for (i, near) in (0..).zip(facets) {
            let mut place = self.first_place(near.image, near.slot);
            while self.indices[place] != FREE {
                place = (place + 1) & (count - 1);
            }
            self.indices[place] = i;
        }
    }

    /// Returns the index of an image of the facet in a slot of the wall, in the list with which the table was filled.
    pub(super) fn get(&self, facets: &[NearFacet], image: u32, slot: u32) -> Option<usize> {
        if facets.len() <= FEW {
            return facets
                .iter()
                .position(|near| near.slot == slot && near.image == image);
        }
        let mut place = self.first_place(image, slot);
        loop {
            let i = self.indices[place];
            let near = facets.get(i as usize)?;
            if near.slot == slot && near.image == image {
                return Some(i as usize);
            }
            place = (place + 1) & (self.indices.len() - 1);
        }
    }

    /// Neighbors in the wall often have near slots, which these places spread.
    fn first_place(&self, image: u32, slot: u32) -> usize {
        // 2^32 divided by the golden ratio: D. E. Knuth, "The Art of Computer Programming" 3, section 6.4.
        let hash = (slot ^ image.rotate_left(16)).wrapping_mul(0x9E37_79B9);
        (hash >> 8) as usize & (self.indices.len() - 1)
    }
}
