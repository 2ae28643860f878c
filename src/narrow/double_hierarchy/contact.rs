//! What a contact with a wall is, and which contacts of two steps are the same.

use smallvec::SmallVec;

use super::Surface;
use super::surface::Minimum;
use crate::math::tolerance::SAME_CONTACT;
use crate::math::{Vector, direction};
use crate::narrow::Contact;
use crate::shape::{Feature, Sphere};

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

impl<V> From<WallContact<V>> for Contact<V> {
    fn from(contact: WallContact<V>) -> Self {
        let WallContact {
            point,
            normal,
            overlap,
            ..
        } = contact;
        Self {
            point,
            normal,
            overlap,
        }
    }
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
    let reach = |c: &WallContact<V>| SAME_CONTACT * (c.overlap + c.offset.length());
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

/// Where a centre is.
pub(super) struct Side {
    pub(super) is_front: bool,
    /// Whether the sphere belongs on the other side, also where rounding puts the center into the
    /// wall.
    pub(super) is_held: bool,
}

/// A facet between a center and the side where its sphere belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    pub(super) facet: u32,
    /// Whether that side is the front.
    pub(super) is_front: bool,
    /// Which of the views the facet is in.
    pub(super) view: u32,
}

/// From a center to the side where its sphere belongs, and the facets in between.
pub(super) type ToHome<'a, V> = Option<(V, &'a [Crossed])>;

/// The contact at a minimum, in the coordinates of the mesh; `to_home` is `None` unless the sphere
/// may be through the wall there.
#[inline]
pub(super) fn new<S: Surface>(
    mesh: &S,
    sphere: &Sphere<S::Vector>,
    minimum: &Minimum<S::Vector>,
    to_home: ToHome<S::Vector>,
) -> (WallContact<S::Vector>, Side) {
    let Minimum {
        feature,
        facet,
        offset,
        distance_squared,
        ..
    } = *minimum;
    let distance = distance_squared.sqrt();
    let sides = facing(mesh, minimum, to_home);
    let into_wall = match feature {
        // The plane's normal keeps digits that a short offset has lost.
        Feature::Facet(facet) if distance > 0.0 => {
            let front = mesh.normal(facet);
            front * front.dot(offset).signum()
        }
        _ => direction(offset, distance).unwrap_or_else(|| sides.back()),
    };
    // Behind the wall by more than a radius it lets go.
    let is_through = sides.is_through && distance < sphere.radius;
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
        is_held: is_through || sides.is_crossed && distance < sphere.radius,
    };
    (contact, side)
}

/// What the facets at a minimum say about the sides.
#[inline]
pub(super) fn facing<S: Surface>(
    mesh: &S,
    minimum: &Minimum<S::Vector>,
    to_home: ToHome<S::Vector>,
) -> Facing<S::Vector> {
    let mut facing = Facing::default();
    mesh.for_each_facet_at(minimum.feature, |facet| {
        let normal = mesh.normal(facet);
        // From the point on the wall.
        let home = to_home.map_or(0.0, |(to_home, crossed)| {
            let is_it = |c: &&Crossed| (c.facet, c.view) == (facet, minimum.view);
            let known = crossed.iter().find(is_it);
            facing.is_crossed |= known.is_some();
            let height = normal.dot(to_home - minimum.offset);
            known.map_or(height, |c| if c.is_front { 1.0 } else { -1.0 })
        });
        facing.see(normal, -normal.dot(minimum.offset), home);
    });
    facing
}

/// What the facets at a point say about the sides.
#[derive(Default)]
pub(super) struct Facing<V> {
    /// Whether there is one with an extent.
    is_seen: bool,
    /// Whether the centre is in front of one.
    is_front: bool,
    /// Whether home is on the other side of the one that faces the centre the most.
    pub(super) is_through: bool,
    /// Whether one is between the centre and home.
    is_crossed: bool,
    /// How far the centre is above that one's plane.
    most: f64,
    /// Of the normals the one on the highest line, in lexicographic order, and whether home is
    /// behind it.
    highest: Option<(V, bool)>,
}

impl<V: Vector> Facing<V> {
    /// A facet by its normal, and the heights of the center and of home above it.
    #[inline]
    fn see(&mut self, normal: V, height: f64, home: f64) {
        if normal == V::ZERO {
            return;
        }
        let is_through = (height > 0.0 && home < 0.0) || (height < 0.0 && home > 0.0);
        if height.abs() > self.most {
            (self.most, self.is_through) = (height.abs(), is_through);
        } else if height.abs() == self.most {
            self.is_through |= is_through;
        }
        self.is_front |= height >= 0.0;
        self.is_seen = true;
        let line = |normal: V| {
            let first = (0..V::DIM).map(|axis| normal[axis]).find(|&c| c != 0.0);
            let line = normal * first.map_or(1.0, f64::signum);
            [line[0], line[1], if V::DIM > 2 { line[2] } else { 0.0 }]
        };
        if self
            .highest
            .is_none_or(|(highest, _)| line(normal) > line(highest))
        {
            self.highest = Some((normal, home < 0.0));
        }
    }

    /// The direction into the wall at the centre itself.
    fn back(&self) -> V {
        match self.highest {
            None => V::X,
            Some((front, true)) => front,
            Some((front, false)) => -front,
        }
    }
}
