//! What a contact with a wall is, and which contacts of two steps are the same.

use smallvec::SmallVec;

use super::Surface;
use super::surface::Minimum;
use crate::math::{Vector, direction};
use crate::shape::{Feature, Sphere};

/// A contact of a sphere with a wall: in the world's frame from a [`Wall`](super::Wall), in the mesh's
/// from a [`FacetSet`](super::FacetSet).
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
pub struct WallKey {
    /// The caller's number of the wall.
    pub mesh: u32,
    /// The part of the wall.
    pub feature: Feature,
}

impl<V> WallContact<V> {
    /// What the contact is known by, on the caller's wall number `mesh`: the same from step to step
    /// while it stays on a facet, an edge or a vertex. Where it moves on, see [`match_previous`].
    pub const fn key(&self, mesh: u32) -> WallKey {
        WallKey {
            mesh,
            feature: self.feature,
        }
    }
}

/// Of contacts with the same key leaves the deepest (of equals the first), in ascending order of
/// the keys: for clusters of spheres that are to touch each part of a wall once. O(n log n).
///
/// Each element is anything that has a key and an overlap, say a contact and its sphere.
pub fn keep_deepest<T>(contacts: &mut Vec<T>, of: impl Fn(&T) -> (WallKey, f64)) {
    contacts.sort_by(|a, b| {
        let ((key_a, overlap_a), (key_b, overlap_b)) = (of(a), of(b));
        key_a.cmp(&key_b).then(overlap_b.total_cmp(&overlap_a))
    });
    contacts.dedup_by_key(|contact| of(contact).0);
}

/// Finds for the contacts of a step those of the step before that they go on from, so that a
/// tangential history is carried from facet to facet: visits (now, before), as indices.
///
/// A contact on the same feature goes on. Of the rest, contacts go on where their facets are
/// neighbours, those with the most similar normals first (then in order of the indices), as long
/// as these differ by less than a right angle. `are_neighbors` is asked with the facets, the one of
/// now first: [`Wall::are_neighbors`](super::Wall::are_neighbors), or equality of the patches of
/// [`SurfaceMesh::patches`](crate::SurfaceMesh::patches). None goes on twice.
///
/// For the few contacts of one sphere: O(n^3). No allocation for up to eight of them.
pub fn match_previous<V: Vector>(
    now: &[WallContact<V>],
    before: &[WallContact<V>],
    are_neighbors: impl Fn(u32, u32) -> bool,
    mut visit: impl FnMut(usize, usize),
) {
    let mut is_new: SmallVec<[bool; 8]> = SmallVec::from_elem(true, now.len());
    let mut is_free: SmallVec<[bool; 8]> = SmallVec::from_elem(true, before.len());
    for (i, contact) in now.iter().enumerate() {
        let is_same =
            |(j, old): (usize, &WallContact<V>)| is_free[j] && old.feature == contact.feature;
        if let Some(j) = before.iter().enumerate().position(is_same) {
            (is_new[i], is_free[j]) = (false, false);
            visit(i, j);
        }
    }
    loop {
        let mut best = (0.0, None);
        for (i, contact) in now.iter().enumerate().filter(|&(i, _)| is_new[i]) {
            for (j, old) in before.iter().enumerate().filter(|&(j, _)| is_free[j]) {
                let cosine = contact.normal.dot(old.normal);
                if cosine > best.0 && are_neighbors(contact.facet, old.facet) {
                    best = (cosine, Some((i, j)));
                }
            }
        }
        let Some((i, j)) = best.1 else { return };
        (is_new[i], is_free[j]) = (false, false);
        visit(i, j);
    }
}

/// Where a centre is.
pub(super) struct Side {
    pub(super) is_front: bool,
    /// On the other side than before.
    pub(super) is_through: bool,
}

/// The contact at a minimum, in the coordinates of the mesh; `last` is the centre on the side
/// where the sphere was.
pub(super) fn new<S: Surface>(
    mesh: &S,
    sphere: &Sphere<S::Vector>,
    minimum: &Minimum<S::Vector>,
    last: Option<S::Vector>,
) -> (WallContact<S::Vector>, Side) {
    let Minimum {
        feature,
        facet,
        offset,
        distance_squared,
    } = *minimum;
    let distance = distance_squared.sqrt();
    // From the point on the wall to where the centre was.
    let from_wall = last.map(|last| (last - sphere.center) - offset);
    let mut sides = Facing::default();
    mesh.for_each_facet_at(feature, |facet| {
        sides.see(mesh.normal(facet), offset, from_wall);
    });
    let into_wall = match feature {
        // The plane's normal keeps digits that a short offset has lost.
        Feature::Facet(facet) if distance > 0.0 => {
            let front = mesh.normal(facet);
            front * front.dot(offset).signum()
        }
        _ => direction(offset, distance).unwrap_or_else(|| sides.back(from_wall)),
    };
    let is_through = sides.is_through;
    let (normal, depth) = if is_through {
        (-into_wall, -distance)
    } else {
        (into_wall, distance)
    };
    let contact = WallContact {
        offset,
        point: sphere.center + offset,
        normal,
        overlap: sphere.radius - depth,
        feature,
        facet,
    };
    let is_front = !sides.is_seen || (sides.is_front != is_through);
    let side = Side {
        is_front,
        is_through,
    };
    (contact, side)
}

/// What the facets at a point say about the sides.
#[derive(Default)]
struct Facing<V> {
    /// Whether there is one with an extent.
    is_seen: bool,
    /// Whether the centre is in front of one.
    is_front: bool,
    /// Whether it is on the other side of all than it was.
    is_through: bool,
    /// Of the normals the one on the highest line, in lexicographic order.
    highest: Option<V>,
}

impl<V: Vector> Facing<V> {
    fn see(&mut self, normal: V, offset: V, from_wall: Option<V>) {
        if normal == V::ZERO {
            return;
        }
        let height = -normal.dot(offset);
        let was = from_wall.map_or(0.0, |from_wall| normal.dot(from_wall));
        let is_through = (height > 0.0 && was < 0.0) || (height < 0.0 && was > 0.0);
        self.is_through = is_through && (self.is_through || !self.is_seen);
        self.is_front |= height >= 0.0;
        self.is_seen = true;
        let line = |normal: V| {
            let first = (0..V::DIM).map(|axis| normal[axis]).find(|&c| c != 0.0);
            let line = normal * first.map_or(1.0, f64::signum);
            [line[0], line[1], if V::DIM > 2 { line[2] } else { 0.0 }]
        };
        if self
            .highest
            .is_none_or(|highest| line(normal) > line(highest))
        {
            self.highest = Some(normal);
        }
    }

    /// The direction into the wall at the centre itself.
    fn back(&self, from_wall: Option<V>) -> V {
        let was_behind = |front: V| from_wall.is_some_and(|from| front.dot(from) < 0.0);
        match self.highest {
            None => V::X,
            Some(front) if was_behind(front) => front,
            Some(front) => -front,
        }
    }
}
