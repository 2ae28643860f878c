//! What a contact with a wall is, and which contacts of two steps are the same.

use smallvec::SmallVec;

use super::found::SAME_POINT;
use crate::math::Vector;
use crate::shape::Feature;

/// A contact of a sphere with a wall: in the world's frame from a [`Wall`](super::Wall), in the mesh's
/// from a [`FacetSubset`](super::FacetSubset).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallContact<V = glam::DVec3> {
    /// From the sphere's centre to the contact point on the wall. Far from the origin it has
    /// digits that `point` has lost.
    pub offset: V,
    /// The contact point on the wall: centre + offset.
    pub point: V,
    /// Unit, from the sphere into the wall.
    pub normal: V,
    /// Radius minus distance; negative for near contacts within a margin. Radius plus distance
    /// where the centre has been pushed through the wall.
    pub overlap: f64,
    /// The part of the wall the point is on.
    pub feature: Feature,
    /// The lowest facet that has this feature.
    pub facet: u32,
}

/// What a contact is known by from step to step, for one sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallContactKey {
    /// The caller's number of the wall.
    pub wall: u32,
    /// The part of the wall.
    pub feature: Feature,
}

impl<V> WallContact<V> {
    /// What the contact is known by, on the wall with your number `wall`: the same from step to step
    /// while it stays on a facet, an edge or a vertex. Where it moves on, see [`match_contacts`].
    pub const fn key(&self, wall: u32) -> WallContactKey {
        WallContactKey {
            wall,
            feature: self.feature,
        }
    }
}

/// Keeps of contacts at the same place the deepest (of equals the first), in the order they are in:
/// for clusters of spheres, whose members may touch the same corner of a wall. O(n log n).
///
/// Each element is anything that has a contact and your number of its wall, say with its sphere.
/// Contacts are at the same place if they are with the same wall and their points are closer to each
/// other than 2^-24 of the larger radius, wherever the facets end: a rod that lies on a floor is
/// supported at each of its spheres, however the floor is meshed.
pub fn keep_deepest<T, V: Vector>(contacts: &mut Vec<T>, of: impl Fn(&T) -> (u32, WallContact<V>)) {
    // Shorter than a unit vector: along it, points are closer together by more than rounding.
    let line = V::from_fn(|axis| [0.31, 0.47, 0.79][axis]);
    let reach = |c: &WallContact<V>| SAME_POINT * (c.overlap + c.offset.length());
    let widest = { contacts.iter() }.fold(0.0, |widest: f64, c| widest.max(reach(&of(c).1)));
    let mut along: Vec<(u32, f64, usize)> = (contacts.iter().enumerate())
        .map(|(i, element)| {
            let (wall, contact) = of(element);
            (wall, contact.point.dot(line), i)
        })
        .collect();
    along.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut is_kept = vec![true; contacts.len()];
    for (at, &(wall, here, i)) in along.iter().enumerate() {
        let contact = of(&contacts[i]).1;
        let near = along[at + 1..].iter();
        let near = near.take_while(|&&(other, there, _)| other == wall && there - here <= widest);
        for &(_, _, j) in near {
            let other = of(&contacts[j]).1;
            let slack = reach(&contact).max(reach(&other));
            if (contact.point - other.point).length_squared() <= slack * slack {
                let deeper = other.overlap.total_cmp(&contact.overlap).then(i.cmp(&j));
                is_kept[if deeper.is_gt() { i } else { j }] = false;
            }
        }
    }
    let mut is_kept = is_kept.into_iter();
    contacts.retain(|_| is_kept.next() == Some(true));
}

/// Finds for the contacts of a step those of the step before that they go on from, so that a
/// tangential history is carried from facet to facet: visits (now, before), as indices.
///
/// Each element is anything that has a contact and your number of its wall; contacts with different
/// walls never match. A contact on the same feature goes on. Of the rest, contacts go on where their
/// facets are neighbors, those with the most similar normals first (then in order of the indices),
/// as long as these differ by less than a right angle. `are_adjacent(wall, facet, other)` is called
/// with the number of a wall and two of its facets, the one of now first:
/// [`Wall::are_adjacent`](super::Wall::are_adjacent), or equality of the patches of
/// [`SurfaceMesh::patches`](crate::SurfaceMesh::patches). None goes on twice.
///
/// For the few contacts of one sphere: O(n^3). No allocation for up to eight of them.
pub fn match_contacts<T, V: Vector>(
    now: &[T],
    before: &[T],
    of: impl Fn(&T) -> (u32, WallContact<V>),
    are_adjacent: impl Fn(u32, u32, u32) -> bool,
    mut visit: impl FnMut(usize, usize),
) {
    let key = |contact: &T| {
        let (wall, contact) = of(contact);
        contact.key(wall)
    };
    let mut is_new: SmallVec<[bool; 8]> = SmallVec::from_elem(true, now.len());
    let mut is_free: SmallVec<[bool; 8]> = SmallVec::from_elem(true, before.len());
    for (i, contact) in now.iter().enumerate() {
        let is_same = |(j, old): (usize, &T)| is_free[j] && key(old) == key(contact);
        if let Some(j) = before.iter().enumerate().position(is_same) {
            (is_new[i], is_free[j]) = (false, false);
            visit(i, j);
        }
    }
    loop {
        let mut best = (0.0, None);
        for (i, contact) in now.iter().enumerate().filter(|&(i, _)| is_new[i]) {
            let (wall, contact) = of(contact);
            for (j, old) in before.iter().enumerate().filter(|&(j, _)| is_free[j]) {
                let (old_wall, old) = of(old);
                let cosine = contact.normal.dot(old.normal);
                let is_better = wall == old_wall && cosine > best.0;
                if is_better && are_adjacent(wall, contact.facet, old.facet) {
                    best = (cosine, Some((i, j)));
                }
            }
        }
        let Some((i, j)) = best.1 else { return };
        (is_new[i], is_free[j]) = (false, false);
        visit(i, j);
    }
}

/// A contact, and which of [`Found::views`](super::found::Found) its feature is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<V> {
    pub(super) contact: WallContact<V>,
    pub(super) view: u32,
}
