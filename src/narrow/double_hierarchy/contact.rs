//! Contacts with a wall: at a minimum, on its front, and matched with those of the previous step.

use smallvec::SmallVec;

use super::index::WallIndex;
use super::mesh::WallMesh;
use super::minima::{Minimum, Part};
use crate::math::{Vector, direction, lexicographic};
use crate::narrow::Contact;
use crate::shape::Feature;

/// A contact of a sphere or a capsule with a wall, in the world frame.
///
/// The center is that of the sphere, or the middle of the capsule's segment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WallContact<V = glam::DVec3> {
    /// The vector from the center to the contact point on the wall. Far from the origin it keeps
    /// digits that `point` has lost.
    pub offset: V,
    /// The contact point on the wall: center plus `offset`.
    pub point: V,
    /// The unit vector from the body into the wall.
    pub normal: V,
    /// The radius minus the distance of the center or the segment; negative for a gap within the margin.
    pub overlap: f64,
    /// The facet, edge or vertex that holds the point.
    pub feature: Feature,
    /// The lowest facet with this feature.
    pub facet: u32,
}

impl<V> From<WallContact<V>> for Contact<V> {
    fn from(contact: WallContact<V>) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}

/// The key of a contact of one sphere, the same from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallContactKey {
    /// The number that you gave the wall.
    pub wall: u32,
    /// The feature of the wall.
    pub feature: Feature,
}

impl<V> WallContact<V> {
    /// Returns the key of the contact on the wall with your number `wall`.
    ///
    /// It stays the same while the contact stays on a facet, an edge or a vertex. [`match_contacts`] follows
    /// contacts that move on to another feature.
    pub const fn key(&self, wall: u32) -> WallContactKey {
        let feature = self.feature;
        WallContactKey { wall, feature }
    }
}

/// Returns the contact at a minimum, in the coordinates of the mesh.
#[inline]
pub(super) fn contact_at<M: WallMesh>(
    index: &WallIndex<M>,
    center: M::Vector,
    radius: f64,
    minimum: &Minimum<M::Vector>,
) -> WallContact<M::Vector> {
    let Minimum { part, offset, .. } = *minimum;
    let distance = minimum.distance_squared.sqrt();
    let normal = match part.feature {
        // The normal of the plane keeps digits that a short offset has lost.
        Feature::Facet(_) if distance > 0.0 => {
            let front = M::normal(index, part.at);
            front * front.dot(offset).signum()
        }
        _ => direction(offset, distance).unwrap_or_else(|| into_wall(index, part)),
    };
    WallContact {
        offset,
        point: center + offset,
        normal,
        overlap: radius - distance,
        feature: part.feature,
        facet: minimum.facet,
    }
}

/// Returns whether a center is in front of one of the facets at a minimum, or on it. A facet without area has fronts
/// only.
#[inline]
pub(super) fn is_in_front<M: WallMesh>(index: &WallIndex<M>, minimum: &Minimum<M::Vector>) -> bool {
    let (mut has_area, mut is_front) = (false, false);
    M::for_each_facet_at(index, minimum.part, |slot| {
        let normal = M::normal(index, slot);
        if normal != M::Vector::ZERO {
            has_area = true;
            is_front |= normal.dot(minimum.offset) <= 0.0;
        }
    });
    is_front || !has_area
}

/// Returns the direction into the wall for a center on it: against the normal whose line is last in lexicographic order.
///
/// A line has no direction, so reversed facets give the same line. Of opposite normals the order of the facets must not
/// choose: the last one counts.
#[cold]
fn into_wall<M: WallMesh>(index: &WallIndex<M>, part: Part) -> M::Vector {
    let line = |normal: M::Vector| {
        let is_low = lexicographic(normal, M::Vector::ZERO).is_lt();
        if is_low { -normal } else { normal }
    };
    let mut last = M::Vector::ZERO;
    M::for_each_facet_at(index, part, |slot| {
        let normal = M::normal(index, slot);
        let by_line = lexicographic(line(normal), line(last));
        if by_line.then(lexicographic(normal, last)).is_gt() {
            last = normal;
        }
    });
    if last == M::Vector::ZERO {
        M::Vector::X
    } else {
        -last
    }
}

/// Matches the contacts of a step with those of the previous step.
///
/// Visits pairs of indices (now, before). A tangential history can then follow its contact from facet to facet; see
/// [history](crate::guide::history) for an example.
///
/// Elements may have any type: `of` returns the wall number and the contact. Contacts with different walls never match.
/// Contacts on the same feature match first, then those on adjacent facets if their normals differ by less than a right
/// angle. Pairs with the most similar normals go first, because a sphere may touch two images of a feature. Each
/// contact matches at most once.
///
/// `are_adjacent(wall, facet, other)` receives two facets of a wall, the current one first. For one
/// wall pass a closure, `|_, facet, other| wall.are_adjacent(facet, other)`: see
/// [`Wall::are_adjacent`](super::Wall::are_adjacent).
///
/// Cost: O(n^3), for the few contacts of one sphere. No allocation for up to eight of them.
pub fn match_contacts<T, V: Vector>(
    now: &[T],
    before: &[T],
    of: impl Fn(&T) -> (u32, WallContact<V>),
    are_adjacent: impl Fn(u32, u32, u32) -> bool,
    mut visit: impl FnMut(usize, usize),
) {
    if now.is_empty() || before.is_empty() {
        return;
    }
    let mut is_new: SmallVec<[bool; 8]> = SmallVec::from_elem(true, now.len());
    let mut is_free: SmallVec<[bool; 8]> = SmallVec::from_elem(true, before.len());
    // The cosine of the normals, if a contact may continue an old one.
    let cosine = |by_feature: bool, contact: &T, old: &T| {
        let ((wall, contact), (old_wall, old)) = (of(contact), of(old));
        let cosine = contact.normal.dot(old.normal);
        let may_continue = if by_feature {
            contact.key(wall) == old.key(old_wall)
        } else {
            wall == old_wall && cosine > 0.0 && are_adjacent(wall, contact.facet, old.facet)
        };
        may_continue.then_some(cosine)
    };
    for by_feature in [true, false] {
        loop {
            let pairs = (0..now.len()).flat_map(|i| (0..before.len()).map(move |j| (i, j)));
            let left = pairs.filter(|&(i, j)| is_new[i] && is_free[j]);
            let similar = |(i, j)| Some((cosine(by_feature, &now[i], &before[j])?, i, j));
            let best = left
                .filter_map(similar)
                .reduce(|best, next| if next.0 > best.0 { next } else { best });
            let Some((_, i, j)) = best else { break };
            (is_new[i], is_free[j]) = (false, false);
            visit(i, j);
        }
    }
}
