//! Which facets belong to a contact: of the contacts of a sheet, the one with the nearest normal.

use glam::DVec3;

use crate::math::tolerance::STRICT;

/// The contacts of each sheet, for searches by normal.
#[derive(Clone, Debug, Default)]
pub(super) struct SheetContacts {
    contacts: Vec<SheetContact>,
}

#[derive(Clone, Copy, Debug)]
struct SheetContact {
    sheet: u32,
    contact: u32,
    normal: DVec3,
}

impl SheetContacts {
    /// Sets the contacts, given by sheet, index and normal. They may repeat.
    pub(super) fn set(&mut self, contacts: impl Iterator<Item = (u32, u32, DVec3)>) {
        let key = |c: &SheetContact| (c.sheet, c.contact);
        self.contacts.clear();
        (self.contacts).extend(contacts.map(|(sheet, contact, normal)| SheetContact {
            sheet,
            contact,
            normal,
        }));
        self.contacts.sort_unstable_by_key(key);
        self.contacts.dedup_by_key(|c| key(c));
        (self.contacts).sort_unstable_by(|a, b| {
            let along = a.normal[0].total_cmp(&b.normal[0]);
            a.sheet
                .cmp(&b.sheet)
                .then(along)
                .then(a.contact.cmp(&b.contact))
        });
    }

    /// Returns the contact of a sheet with the normal nearest to a unit vector: the lowest of equals, 0 without any.
    pub(super) fn nearest(&self, sheet: u32, to: DVec3) -> u32 {
        let start = self.contacts.partition_point(|c| c.sheet < sheet);
        let end = self.contacts.partition_point(|c| c.sheet <= sheet);
        let own = &self.contacts[start..end];
        let (mut below, mut above) = own.split_at(own.partition_point(|c| c.normal[0] < to[0]));
        let mut best = (f64::NEG_INFINITY, 0);
        // In the order of the distance along the first axis, which is at most |n - to|, where |n - to|^2 = 2 - 2 n.to.
        loop {
            let low = below.last().map(|c| (to[0] - c.normal[0], c));
            let high = above.first().map(|c| (c.normal[0] - to[0], c));
            let is_low = match (low, high) {
                (Some(low), Some(high)) => low.0 <= high.0,
                (low, _) => low.is_some(),
            };
            let Some((distance, next)) = (if is_low { low } else { high }) else {
                return best.1;
            };
            if distance * distance > 2.0 - 2.0 * best.0 + STRICT {
                return best.1;
            }
            let cosine = next.normal.dot(to);
            if cosine > best.0 || cosine == best.0 && next.contact < best.1 {
                best = (cosine, next.contact);
            }
            if is_low {
                below = &below[..below.len() - 1];
            } else {
                above = &above[1..];
            }
        }
    }
}

/// The facets of each contact.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactFacets(Vec<u64>);

impl ContactFacets {
    /// Sets the contact of each facet.
    pub(super) fn set(&mut self, contacts: impl Iterator<Item = u32>) {
        self.0.clear();
        (self.0).extend(
            (0..)
                .zip(contacts)
                .map(|(i, contact)| u64::from(contact) << 32 | i),
        );
        self.0.sort_unstable();
    }

    /// Returns the facets of a contact in ascending order.
    pub(super) fn of(&self, contact: usize) -> impl Iterator<Item = usize> + Clone {
        let first = |contact: usize| self.0.partition_point(|key| key >> 32 < contact as u64);
        let own = &self.0[first(contact)..first(contact + 1)];
        own.iter().map(|key| *key as u32 as usize)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::{ContactFacets, SheetContacts};
    use crate::testing::workload::SplitMix64;

    /// The search along the first axis finds what a search of all contacts does, ties included.
    #[test]
    fn nearest_normals() {
        let mut random = SplitMix64::new(51);
        let (mut contacts, mut ties) = (SheetContacts::default(), 0);
        for case in 0..2000 {
            // Normals on a lattice, so that many are as near as others.
            let lattice = [1.0, 2.0, 1e6][case % 3];
            let mut normal = || {
                let vector = [0; 3].map(|_| (lattice * random.range(-1.0, 1.0)).round());
                DVec3::from_array(vector).normalize_or(DVec3::Y)
            };
            let normals = [0; 40].map(|_| normal());
            let to = normal();
            let all = (0..40).map(|i| (i % 3, i / 3, normals[(i / 3 + 13 * (i % 3)) as usize]));
            contacts.set(all.clone().chain(all.clone()));
            for sheet in 0..4 {
                let own = all.clone().filter(|c| c.0 == sheet);
                let most = own.clone().map(|c| c.2.dot(to)).fold(-2.0, f64::max);
                let nearest = own.filter(|c| c.2.dot(to) == most);
                ties += usize::from(nearest.clone().count() > 1);
                let expected = nearest.map(|c| c.1).min().unwrap_or(0);
                assert_eq!(contacts.nearest(sheet, to), expected, "{case}");
            }
        }
        assert!(ties > 500, "{ties}");
    }

    #[test]
    fn facets_of_contacts() {
        let mut facets = ContactFacets::default();
        facets.set([2, 0, 2, 5, 0, 2].into_iter());
        let of = |contact| facets.of(contact).collect::<Vec<_>>();
        assert_eq!([of(0), of(2), of(5)], [vec![1, 4], vec![0, 2, 5], vec![3]]);
        assert!(of(1).is_empty() && of(9).is_empty());
    }
}
