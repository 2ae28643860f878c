//! Intersection area of two polygons, from the points where their boundaries cross.
//!
//! Polygons may have holes: a boundary is a set of rings. A ring inside the other polygon that no side crosses adds its
//! whole area.
//!
//! Equations 27 to 33 with the corrected factors: `S = sum s (p_y, -p_x)` and `G = -1/2 sum s |p|^2` over the crossings
//! p. Here s is 1 where the first boundary leaves the second polygon, and -1 where it enters. The order of the
//! crossings does not matter. The area is bounded by the parts of both boundaries inside the other polygon.

use std::borrow::Borrow;
use std::ops::Range;

use glam::DVec2;

use super::region_loops::RegionLoops;
use super::side_crossing::{Outline, SideCrossing, along_the_side, cross};
use super::{ContactVolume, IntersectionKind};
use crate::math::Pose2;
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{Bounded, Placed, Polygon, UnionFind, next_within};

/// Intersection area of two polygons, which may have holes, as a [`ContactVolume`], and its gradient.
///
/// The guarantees of [`MeshMesh`](super::MeshMesh) hold: signs are exact, zeros are resolved by
/// symbolic perturbation, and swapping the bodies negates exactly. Bodies that are equal in pose and
/// shape count as nested.
///
/// Cost: O(k log k + log n) for k crossings and corners inside. No allocation once the buffers have
/// grown.
///
/// ```
/// use osculate::{ContactVolume, NarrowPhase, Placed, Pose2, glam::DVec2};
/// use osculate::{narrow::PolygonPolygon, shape::Polygon};
///
/// let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)].map(DVec2::from);
/// let crown = Polygon::new(corners.to_vec())?;
/// let bar = [(-1.0, 0.0), (5.0, 0.0), (5.0, 1.0), (-1.0, 1.0)].map(DVec2::from);
/// let bar = Polygon::new(bar.to_vec())?;
/// let a = Placed::new(&crown, Pose2::IDENTITY);
/// let b = Placed::new(&bar, Pose2::from_translation(DVec2::new(0.0, 3.0))?);
/// // Both tips of the crown are in the bar.
/// let mut parts: Vec<ContactVolume<DVec2>> = Vec::new();
/// let mut kernel = PolygonPolygon::new().with_separate_regions(true);
/// kernel.for_each_contact(&a, &b, &mut (), |part| parts.push(part));
/// assert_eq!(parts.len(), 2);
/// for part in parts {
///     assert!((part.volume - 1.0 / 3.0).abs() < 1e-15);
///     assert!((part.area_vector - DVec2::Y * (2.0 / 3.0)).length() < 1e-15);
/// }
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PolygonPolygon {
    is_separate: bool,
    crossings: Vec<SideCrossing>,
    order: Vec<u32>,
    uncrossed: Vec<UncrossedRing>,
    is_crossed: Vec<bool>,
    /// The crossings, and after them the uncrossed rings, that bound the same region.
    regions: UnionFind,
    loops: RegionLoops,
    /// Whether the loops are needed: regions are separate, and there are several rings.
    may_have_holes: bool,
}

/// A ring inside the other polygon that its sides do not cross.
#[derive(Clone, Copy, Debug)]
struct UncrossedRing {
    /// The body, 0 or 1, and its ring.
    body: usize,
    ring: usize,
    /// The area inside, negative for a hole; at the first ring of a region the sum over all of them.
    area: f64,
}

impl PolygonPolygon {
    /// Creates a kernel that reports one contact per pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports one contact per region of the intersection. Regions that tied sides connect are
    /// separate if symbolic perturbation separates them.
    ///
    /// A region may have holes. Regions without crossings are [`IntersectionKind::Nested`], for example an
    /// island of one polygon in the other; they come last.
    ///
    /// Cost: almost none, since crossings are sorted anyway. If polygons have holes and there are several regions, each
    /// hole h searches its region: O(h n) for n corners inside. Contacts are visited in the order in which the trees
    /// find the crossings. This order is deterministic but not spatial.
    #[must_use]
    pub fn with_separate_regions(self, is_separate: bool) -> Self {
        Self {
            is_separate,
            ..self
        }
    }

    /// Visits all contacts in the common frame.
    fn find(&mut self, outlines: &[Outline; 2], mut visit: impl FnMut(ContactVolume<DVec2>)) {
        self.find_crossings(outlines);
        self.find_uncrossed(outlines);
        let (count, rings) = (self.crossings.len(), self.uncrossed.len());
        let origin = self.crossings.first().map_or(DVec2::ZERO, |c| c.position);
        // One region, unless regions are to be separate.
        let regions = if self.is_separate { count + rings } else { 1 };
        self.regions.reset(regions);
        self.order.clear();
        self.order.extend(0..count as u32);
        self.loops.clear();
        self.may_have_holes = self.is_separate && outlines.iter().any(|o| o.polygon.has_rings());
        for index in [0, 1] {
            self.add_inside(index, outlines, origin);
        }
        if self.may_have_holes {
            self.join_holes(outlines, origin);
        }
        self.add_up(origin);
        for i in 0..count {
            if self.root(i) == i {
                visit(contact(&self.crossings[i], origin));
            }
        }
        for k in 0..rings {
            if self.root(count + k) == count + k {
                let UncrossedRing { body, ring, area } = self.uncrossed[k];
                let point = outlines[body].first_corner(ring);
                visit(ContactVolume::nested(area.max(0.0), point));
            }
        }
    }

    /// Finds the rings inside the other polygon that its sides do not cross. If each polygon is a single
    /// ring, they cross both or none.
    fn find_uncrossed(&mut self, outlines: &[Outline; 2]) {
        self.uncrossed.clear();
        if !self.crossings.is_empty() && !outlines.iter().any(|o| o.polygon.has_rings()) {
            return;
        }
        for body in [0, 1] {
            let (own, other) = (&outlines[body], &outlines[1 - body]);
            let count = own.polygon.rings().len();
            self.is_crossed.clear();
            self.is_crossed.resize(count, false);
            for crossing in &self.crossings {
                self.is_crossed[own.polygon.ring_of(crossing.sides[body])] = true;
            }
            for ring in (0..count).filter(|&ring| !self.is_crossed[ring]) {
                let point = own.first_corner(ring);
                if other.bounds.contains(point) && other.winding_around(point) != 0 {
                    let area = own.polygon.ring_area(ring);
                    self.uncrossed.push(UncrossedRing { body, ring, area });
                }
            }
        }
    }

    /// Adds the uncrossed rings to the loops, and joins loops around holes with those around their regions.
    fn join_holes(&mut self, outlines: &[Outline; 2], origin: DVec2) {
        let count = self.crossings.len();
        for (element, uncrossed) in (count as u32..).zip(&self.uncrossed) {
            let own = &outlines[uncrossed.body];
            for corner in own.polygon.corners_of(uncrossed.ring) {
                let ends = own.side(corner as u32).map(|end| end - origin);
                self.loops.add(element, ends);
            }
        }
        let elements = count + self.uncrossed.len();
        self.loops.join_holes(&mut self.regions, elements);
    }

    fn find_crossings(&mut self, [a, b]: &[Outline; 2]) {
        self.crossings.clear();
        let crossings = &mut self.crossings;
        let (ours, theirs) = (a.polygon.tree(), b.polygon.tree());
        ours.for_each_pair(theirs, &b.pose, |i, j| {
            crossings.extend(cross([i, j], a.side(i), b.side(j)));
        });
    }

    /// Returns the first crossing or, after these, uncrossed ring of the same region.
    fn root(&mut self, element: usize) -> usize {
        if self.is_separate {
            self.regions.root(element as u32) as usize
        } else {
            0
        }
    }

    /// Adds the parts of one body's boundary inside the other body.
    fn add_inside(&mut self, index: usize, outlines: &[Outline; 2], origin: DVec2) {
        let mut order = std::mem::take(&mut self.order);
        let crossings = &self.crossings[..];
        order.sort_unstable_by(|&i, &j| {
            let (a, b) = (&crossings[i as usize], &crossings[j as usize]);
            let by_side = a.sides[index].cmp(&b.sides[index]);
            by_side
                .then_with(|| along_the_side(index, outlines, a, b))
                .then(i.cmp(&j))
        });
        let polygon = outlines[index].polygon;
        let mut rest = &order[..];
        while let &[first, ..] = rest {
            let side = |i: u32| self.crossings[i as usize].sides[index];
            let end = polygon.corners_of(polygon.ring_of(side(first))).end;
            let count = rest.partition_point(|&i| (side(i) as usize) < end);
            let (ring, others) = rest.split_at(count);
            self.add_ring(index, outlines, origin, ring);
            rest = others;
        }
        self.order = order;
    }

    /// Walks along a ring of one body from crossing to crossing, and adds the parts inside the other body.
    fn add_ring(&mut self, index: usize, outlines: &[Outline; 2], origin: DVec2, order: &[u32]) {
        let (own, crossings) = (&outlines[index], &mut self.crossings);
        let mut winding = winding_before(index, outlines, crossings, order);
        let ring = own
            .polygon
            .ring_of(crossings[order[0] as usize].sides[index]);
        let ring = own.polygon.corners_of(ring);
        let followers = order.iter().cycle().skip(1);
        for (k, (&i, &j)) in order.iter().zip(followers).enumerate() {
            let (from, to) = (crossings[i as usize], crossings[j as usize]);
            winding += change(&from, index);
            if winding == 0 {
                continue;
            }
            let is_last = k + 1 == order.len();
            let walk = Walk {
                own,
                ring: &ring,
                index,
                from: &from,
                to: &to,
                is_last,
            };
            let area = walk.fold(origin, 0.0, |area, a, b| area + a.perp_dot(b));
            if self.may_have_holes {
                walk.fold(origin, (), |(), a, b| self.loops.add(i, [a, b]));
            }
            crossings[i as usize].area += f64::from(winding) * area;
            if self.is_separate {
                self.regions.join(i, j);
            }
        }
    }

    /// Adds up the sums of each region at its first crossing.
    fn add_up(&mut self, origin: DVec2) {
        let count = self.crossings.len();
        for k in 0..self.uncrossed.len() {
            let (root, area) = (self.root(count + k), self.uncrossed[k].area);
            if root < count {
                self.crossings[root].area += 2.0 * area;
            } else if root < count + k {
                self.uncrossed[root - count].area += area;
            }
        }
        for i in 0..self.crossings.len() {
            let root = self.root(i);
            let own = self.crossings[i];
            let p = own.position - origin;
            let sign = if own.enters { -1.0 } else { 1.0 };
            let sums = &mut self.crossings[root];
            if root != i {
                sums.area += own.area;
            }
            sums.is_tie |= own.is_tie;
            sums.width += DVec2::new(p.y, -p.x) * sign;
            sums.moment -= 0.5 * sign * p.length_squared();
            sums.middle += p;
            sums.count += 1.0;
        }
    }
}

/// The boundary of body `index` from one crossing to the next.
struct Walk<'a> {
    own: &'a Outline<'a>,
    ring: &'a Range<usize>,
    index: usize,
    from: &'a SideCrossing,
    to: &'a SideCrossing,
    /// Whether the walk goes from the last crossing of the ring around to the first.
    is_last: bool,
}

impl Walk<'_> {
    /// Folds over the ends of each side or part of one, relative to an origin.
    #[inline]
    fn fold<T>(&self, origin: DVec2, first: T, mut add: impl FnMut(T, DVec2, DVec2) -> T) -> T {
        let (mut corner, end) = (self.from.sides[self.index], self.to.sides[self.index]);
        let (mut sum, mut last) = (first, self.from.position - origin);
        let mut is_there = !self.is_last && corner == end;
        while !is_there {
            corner = next_within(self.ring, corner);
            let next = self.own.corner(corner) - origin;
            sum = add(sum, last, next);
            last = next;
            is_there = corner == end;
        }
        add(sum, last, self.to.position - origin)
    }
}

/// Returns how much the winding number of the other boundary changes at a crossing, along the
/// boundary of body `index`.
fn change(crossing: &SideCrossing, index: usize) -> i32 {
    if crossing.enters == (index == 0) {
        1
    } else {
        -1
    }
}

/// Returns the winding number before the first crossing in order: from a corner that is certainly
/// outside, otherwise by an exact segment.
fn winding_before(
    index: usize,
    outlines: &[Outline; 2],
    crossings: &[SideCrossing],
    order: &[u32],
) -> i32 {
    let (own, other) = (&outlines[index], &outlines[1 - index]);
    let (mut sum, mut last) = (0, None);
    for crossing in order.iter().map(|&i| &crossings[i as usize]) {
        let side = crossing.sides[index];
        if last != Some(side) && !other.bounds.contains(own.corner(side)) {
            return -sum;
        }
        sum += change(crossing, index);
        last = Some(side);
    }
    let first = crossings[order[0] as usize].sides[index];
    other.winding_around(own.corner(first))
}

fn contact(sums: &SideCrossing, origin: DVec2) -> ContactVolume<DVec2> {
    let volume = 0.5 * sums.area;
    // Boundaries that cross without a tie share some area, even if it is rounded to 0.
    let kind = if volume > 0.0 || !sums.is_tie {
        IntersectionKind::Crossing
    } else {
        IntersectionKind::Touching
    };
    let (width, squared) = (sums.width, sums.width.length_squared());
    let mut point = sums.middle * (1.0 / sums.count);
    if squared > 0.0 {
        let axis = DVec2::new(width.y, -width.x) * (sums.moment / squared);
        point = axis + width * (width.dot(point) / squared);
    }
    ContactVolume {
        kind,
        volume: volume.max(0.0),
        area_vector: width,
        point: origin + point,
        moment_vector: sums.moment - point.perp_dot(width),
    }
}

impl<S, T> NarrowPhase<Placed<S, DVec2>, Placed<T, DVec2>> for PolygonPolygon
where
    S: Borrow<Polygon>,
    T: Borrow<Polygon>,
{
    type Contact = ContactVolume<DVec2>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec2>,
        b: &Placed<T, DVec2>,
        (): &mut (),
        mut visit: impl FnMut(ContactVolume<DVec2>),
    ) {
        let pair = Ordered::new(a, b, Polygon::vertices, |a, b| {
            a.rings().map(<[_]>::len).cmp(b.rings().map(<[_]>::len))
        });
        let ([first, second], [pose, placed]) = (pair.shapes, pair.poses);
        if pair.are_equal {
            let point = pose.transform_point(first.vertices()[0]);
            return visit(ContactVolume::nested(first.area(), point));
        }
        let relative = pose.inv_mul(placed);
        let outlines = [
            Outline {
                polygon: first,
                pose: Pose2::IDENTITY,
                bounds: first.bounding_box(),
                moves: 1.0,
            },
            Outline {
                polygon: second,
                pose: relative,
                bounds: second.bounding_box().transformed(&relative),
                moves: -1.0,
            },
        ];
        if !outlines[0].bounds.touches(&outlines[1].bounds) {
            return;
        }
        self.find(&outlines, |contact| {
            let contact = ContactVolume {
                area_vector: pose.transform_vector(contact.area_vector),
                point: pose.transform_point(contact.point),
                ..contact
            };
            visit(contact.swapped_if(pair.is_swapped));
        });
    }
}
