//! A capsule at a wall: the minima of the distance from its segment to the surface.
//!
//! The distance from a convex core is a convex function in space. So on a facet it has one minimum, at a point or on a
//! convex plateau. The minimum is one of the surface unless the plateau meets a facet that comes closer. Facets whose
//! plateaus meet at the same distance have one contact together.
//!
//! From the point of the segment at t, the distance to a facet is convex in t. It is the least at an end of the segment,
//! where the segment passes the plane of the facet, or where it is closest to a side.

use std::ops::Range;

use glam::DVec3;

use super::contact::{WallContact, contact_at, is_in_front};
use super::mesh::Indexed;
use super::minima::{Minimum, Part, nearest, order};
use super::selection::WallSides;
use super::surface_index::SurfaceIndex;
use super::wall::Wall;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::two_to;
use crate::math::{check_length, closest_on_segments};
use crate::narrow::NarrowPhase;
use crate::shape::{Aabb, Bounded, Capsule, SurfaceMesh, UnionFind};

/// Distances are equal up to this part of the reach and the length: some rounding errors.
const EQUAL_DISTANCE: f64 = two_to(-46);

/// Contacts between a [`Capsule`] and a meshed wall: the local minima of the distance from its segment to the surface.
///
/// There is one contact for a capsule that lies or stands on a plane, that crosses a ridge or the rim of an opening, and
/// two in a wedge. Neither the triangulation nor the order of the facets matters. Contacts come in ascending order of
/// distance.
///
/// A capsule parallel to a facet or an edge has its contact in the middle of the part in which they face each other, one
/// that is inclined at its lower end. So the contact of a capsule that rolls from end to end jumps, while its overlap
/// changes by no more than the capsule moves: forces that depend on the overlap have an energy.
///
/// [`offset`](WallContact::offset) starts from the middle of the segment. Contacts are those of a sphere at the point of
/// the segment that touches, see [`DoubleHierarchy`](super::DoubleHierarchy): an overlap is at most the radius, and a
/// segment that has passed the wall is pushed on to the other side.
///
/// A [`Capsule`] has its ends in the world. For polyhedra, sharp or rounded, see [`PressureField`](crate::PressureField).
///
/// Cost: O(log n) and 0.3 to 0.5 µs for each facet near the box of the capsule. No allocation once the buffers have grown.
///
/// ```
/// use osculate::narrow::CapsuleWall;
/// use osculate::shape::Capsule;
/// use osculate::{NarrowPhase, SurfaceMesh, Wall, glam::DVec3};
///
/// let floor = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
/// let floor = floor.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let wall = Wall::new(SurfaceMesh::new(floor, [[0, 1, 2], [0, 2, 3]])?);
/// let rod = Capsule::new([DVec3::new(-1.0, 0.5, 0.25), DVec3::new(2.0, 0.5, 0.25)], 0.375);
/// let contact = CapsuleWall::new().contact(&rod, &wall).unwrap();
/// assert_eq!(contact.overlap, 0.125);
/// assert_eq!(contact.point, DVec3::new(0.5, 0.5, 0.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CapsuleWall {
    margin: f64,
    sides: WallSides,
    /// In ascending order of their slots.
    facets: Vec<NearFacet>,
    places: Vec<Place>,
    plateaus: UnionFind,
    /// Facets, and others that come closer where they meet.
    lower: Vec<(u32, u32)>,
    /// The distance of each plateau, at its first facet.
    least: Vec<f64>,
    minima: Vec<(DVec3, Minimum<DVec3>)>,
    slots: Vec<u32>,
}

/// A facet within reach of the segment.
#[derive(Clone, Debug)]
struct NearFacet {
    slot: u32,
    distance: f64,
    /// Those with the least distances.
    places: Range<usize>,
}

/// A point of the segment, and the closest point of a facet.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// From -1 to 1 along the segment.
    t: f64,
    distance: f64,
    point: DVec3,
    part: Part,
}

/// The segment of a capsule in the coordinates of a mesh.
#[derive(Clone, Copy)]
struct Segment {
    center: DVec3,
    half: DVec3,
    inverse_square: f64,
}

impl Segment {
    fn at(&self, t: f64) -> DVec3 {
        self.center + self.half * t
    }

    /// Returns where the segment is closest to a point.
    fn beside(&self, point: DVec3) -> f64 {
        (self.half.dot(point - self.center) * self.inverse_square).clamp(-1.0, 1.0)
    }

    /// Returns where the segment is closest to another one, and the point there. If they are parallel it is any such place.
    fn closest_to(&self, [a, b]: [DVec3; 2]) -> (f64, DVec3) {
        let (center, half) = ((a + b) * 0.5, (b - a) * 0.5);
        let square = half.length_squared();
        let inverse = if square > 0.0 { 1.0 / square } else { 0.0 };
        let between = center - self.center;
        let inverses = [self.inverse_square, inverse];
        let [s, t] = closest_on_segments([self.half, half, between], inverses);
        (s, center + half * t)
    }
}

impl CapsuleWall {
    /// Creates a kernel that reports contacts with a positive overlap, on both sides of facets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports points of the wall whose gap to the capsule is smaller than `margin`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin, ..self })
    }

    /// Returns the margin, which a list needs too: [`WallList::check_margin`](crate::WallList::check_margin).
    pub const fn margin(&self) -> f64 {
        self.margin
    }

    /// Selects which sides of facets can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Adds a facet, with its places that have the least distance up to `equal`, if it is within reach.
    fn add_facet(
        &mut self,
        index: &SurfaceIndex,
        slot: u32,
        segment: &Segment,
        [reach, equal]: [f64; 2],
    ) {
        let first = self.places.len();
        let places = &mut self.places;
        let mut add = |t: f64, point: DVec3, part: Part| {
            let distance = point.distance(segment.at(t));
            places.push(Place {
                t,
                distance,
                point,
                part,
            });
        };
        let normal = index.facet(slot).normal;
        let corner = index.corner(slot, 0);
        let [low, high] = [-1.0, 1.0].map(|t| normal.dot(segment.at(t) - corner));
        let crossing = (low * high < 0.0).then(|| (low + high) / (low - high));
        for t in [-1.0, 1.0].into_iter().chain(crossing) {
            let (closest, part) = SurfaceMesh::closest(index, slot, segment.at(t));
            add(t, segment.at(t) + closest.offset, part);
        }
        for side in index.sides_of(slot) {
            let [a, b] = index.ends_at(side);
            let (t, point) = segment.closest_to([a, b]);
            add(t, point, index.edge_part(side));
            add(
                segment.beside(a),
                a,
                index.vertex_part(index.side(side).ends[0]),
            );
        }
        let distances = places[first..].iter().map(|place| place.distance);
        let distance = distances.fold(f64::INFINITY, f64::min);
        let mut end = first;
        for i in first..places.len() {
            if places[i].distance <= distance + equal && distance < reach {
                places[end] = places[i];
                end += 1;
            }
        }
        places.truncate(end);
        if distance < reach {
            self.facets.push(NearFacet {
                slot,
                distance,
                places: first..end,
            });
        }
    }

    /// Joins facets whose plateaus meet at the same distance, and finds those that meet a lower one.
    fn connect(&mut self, index: &SurfaceIndex, equal: f64) {
        self.plateaus.reset(self.facets.len());
        self.lower.clear();
        let (facets, plateaus, lower) = (&self.facets, &mut self.plateaus, &mut self.lower);
        for (i, facet) in (0..).zip(facets) {
            for place in &self.places[facet.places.clone()] {
                let mut meet = |slot: u32| {
                    let Ok(j) = facets.binary_search_by_key(&slot, |other| other.slot) else {
                        return;
                    };
                    if (facets[j].distance - facet.distance).abs() <= equal {
                        plateaus.join(i, j as u32);
                    } else if facets[j].distance < facet.distance {
                        lower.push((i, j as u32));
                    }
                };
                SurfaceMesh::for_each_facet_at(index, place.part, &mut meet);
                SurfaceMesh::for_each_host(index, place.part, place.point, |slot| {
                    let (closest, _) = SurfaceMesh::closest(index, slot, place.point);
                    if closest.distance_squared <= equal * equal {
                        meet(slot);
                    }
                });
            }
        }
    }

    /// Finds the minima in ascending order, each with the point of the segment from which it is seen.
    fn find_minima(&mut self, index: &SurfaceIndex, segment: &Segment, equal: f64) {
        let (facets, plateaus) = (&self.facets, &mut self.plateaus);
        self.least.clear();
        self.least.resize(facets.len(), f64::INFINITY);
        for (i, facet) in (0..).zip(facets) {
            let least = &mut self.least[plateaus.root(i) as usize];
            *least = least.min(facet.distance);
        }
        let mut least_of = |i: u32| self.least[plateaus.root(i) as usize];
        self.lower.retain(|&(i, j)| least_of(j) < least_of(i));
        // These are no minima.
        for &(i, _) in &self.lower {
            self.least[plateaus.root(i) as usize] = f64::INFINITY;
        }
        self.minima.clear();
        for (root, &least) in (0..).zip(&self.least) {
            if least == f64::INFINITY {
                continue;
            }
            self.slots.clear();
            let (mut low, mut high) = (1.0, -1.0);
            for (i, facet) in (0..).zip(facets) {
                if plateaus.root(i) == root {
                    self.slots.push(facet.slot);
                    let places = self.places[facet.places.clone()].iter();
                    for place in places.filter(|place| place.distance <= least + equal) {
                        (low, high) = (f64::min(low, place.t), f64::max(high, place.t));
                    }
                }
            }
            let from = segment.at(0.5 * (low + high));
            let minimum = nearest(index, &self.slots, from);
            self.minima.extend(minimum.map(|minimum| (from, minimum)));
        }
        self.minima.sort_unstable_by(|a, b| order(&a.1, &b.1));
    }
}

impl NarrowPhase<Capsule, Wall> for CapsuleWall {
    type Contact = WallContact;
    type State = ();

    /// Visits the contacts in ascending order of distance. A capsule out of the domain, or one that reaches farther
    /// from its middle than the reach of a periodic wall, has none.
    fn for_each_contact(
        &mut self,
        capsule: &Capsule,
        wall: &Wall,
        (): &mut (),
        mut visit: impl FnMut(WallContact),
    ) {
        let sphere = capsule.bounding_sphere();
        let reach = capsule.radius + self.margin;
        let is_far = sphere.radius + self.margin > wall.reach();
        if capsule.radius < 0.0 || sphere.validate(0).is_err() || is_far {
            return;
        }
        let (index, [a, b]) = (&*wall.index, capsule.ends);
        let half = wall.pose().inverse_transform_vector((b - a) * 0.5);
        let square = half.length_squared();
        let segment = Segment {
            center: wall.to_mesh(sphere.center),
            half,
            inverse_square: if square > 0.0 { 1.0 / square } else { 0.0 },
        };
        let noise = index.noise;
        let equal = noise.max(EQUAL_DISTANCE * (sphere.radius + self.margin));
        let room = DVec3::splat(reach);
        let ends = [-1.0, 1.0].map(|t| segment.at(t));
        let bounds = Aabb {
            min: ends[0].min(ends[1]) - room,
            max: ends[0].max(ends[1]) + room,
        };
        self.facets.clear();
        self.places.clear();
        self.slots.clear();
        (index.tree).for_each_slot_touching(&bounds, |slot| self.slots.push(slot));
        self.slots.sort_unstable();
        for i in 0..self.slots.len() {
            self.add_facet(index, self.slots[i], &segment, [reach, equal]);
        }
        self.connect(index, equal);
        self.find_minima(index, &segment, equal);
        for (from, minimum) in &self.minima {
            let is_seen = self.sides == WallSides::Both || is_in_front(index, minimum);
            let mut contact = contact_at(index, *from, capsule.radius, minimum);
            if is_seen && contact.overlap > -self.margin {
                contact.offset = *from - segment.center + contact.offset;
                wall.place(&mut contact, sphere.center);
                visit(contact);
            }
        }
    }
}
