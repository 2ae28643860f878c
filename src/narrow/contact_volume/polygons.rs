//! Intersection area of two polygons, from the points where their boundaries cross.
//!
//! Equations 27 to 33 with the corrected factors: `S = sum s (p_y, -p_x)` and `G = -1/2 sum s |p|^2` over the crossings
//! p. Here s is 1 where the first boundary leaves the second polygon, and -1 where it enters. The order of the
//! crossings does not matter. The area is bounded by the parts of both boundaries inside the other polygon.

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec2;

use super::side_crossing::{Outline, SideCrossing, along_the_side, cross};
use super::{ContactVolume, IntersectionKind};
use crate::math::Pose2;
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{Bounded, Placed, Polygon, UnionFind};

/// Intersection area of two polygons as a [`ContactVolume`], and its gradient.
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
    /// The crossings that bound the same region.
    regions: UnionFind,
}

impl PolygonPolygon {
    /// Creates a kernel that reports one contact per pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports one contact per region of the intersection. Regions that tied sides connect are
    /// separate if symbolic perturbation separates them.
    ///
    /// Cost: almost none, since crossings are sorted anyway. Contacts are visited in the order in which the trees
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
        let count = self.crossings.len();
        if count == 0 {
            return find_nested(outlines).into_iter().for_each(visit);
        }
        let origin = self.crossings[0].position;
        // One region, unless regions are to be separate.
        self.regions.reset(if self.is_separate { count } else { 1 });
        self.order.clear();
        self.order.extend(0..count as u32);
        for index in [0, 1] {
            self.add_inside(index, outlines, origin);
        }
        self.add_up(origin);
        for i in 0..count {
            if self.root(i) == i && self.crossings[i].area > 0.0 {
                visit(contact(&self.crossings[i], origin));
            }
        }
    }

    fn find_crossings(&mut self, [a, b]: &[Outline; 2]) {
        self.crossings.clear();
        let crossings = &mut self.crossings;
        let (ours, theirs) = (a.polygon.tree(), b.polygon.tree());
        ours.for_each_pair(theirs, &b.pose, |i, j| {
            crossings.extend(cross([i, j], a.side(i), b.side(j)));
        });
    }

    /// Returns the first crossing of the same region.
    fn root(&mut self, crossing: usize) -> usize {
        if self.is_separate {
            self.regions.root(crossing as u32) as usize
        } else {
            0
        }
    }

    /// Walks along the boundary of one body from crossing to crossing, and adds the parts inside the other body.
    fn add_inside(&mut self, index: usize, outlines: &[Outline; 2], origin: DVec2) {
        let crossings = &self.crossings[..];
        self.order.sort_unstable_by(|&i, &j| {
            let (a, b) = (&crossings[i as usize], &crossings[j as usize]);
            let by_side = a.sides[index].cmp(&b.sides[index]);
            by_side
                .then_with(|| along_the_side(index, outlines, a, b))
                .then(i.cmp(&j))
        });
        let (order, crossings) = (&self.order[..], &mut self.crossings);
        let mut winding = winding_before(index, outlines, crossings, order);
        let followers = order.iter().cycle().skip(1);
        for (k, (&i, &j)) in order.iter().zip(followers).enumerate() {
            let (from, to) = (crossings[i as usize], crossings[j as usize]);
            winding += change(&from, index);
            if winding == 0 {
                continue;
            }
            let walk = Walk {
                own: &outlines[index],
                index,
                from: &from,
                to: &to,
                is_last: k + 1 == order.len(),
            };
            crossings[i as usize].area += f64::from(winding) * walk.area(origin);
            if self.is_separate {
                self.regions.join(i, j);
            }
        }
    }

    /// Adds up the sums of each region at its first crossing.
    fn add_up(&mut self, origin: DVec2) {
        for i in 0..self.crossings.len() {
            let root = self.root(i);
            let own = self.crossings[i];
            let p = own.position - origin;
            let sign = if own.enters { -1.0 } else { 1.0 };
            let sums = &mut self.crossings[root];
            if root != i {
                sums.area += own.area;
            }
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
    index: usize,
    from: &'a SideCrossing,
    to: &'a SideCrossing,
    /// Whether the walk goes from the last crossing around to the first.
    is_last: bool,
}

impl Walk<'_> {
    /// Returns twice the signed area between the walk and an origin.
    #[inline]
    fn area(&self, origin: DVec2) -> f64 {
        let (mut corner, end) = (self.from.sides[self.index], self.to.sides[self.index]);
        let (mut area, mut last) = (0.0, self.from.position - origin);
        let mut is_there = !self.is_last && corner == end;
        while !is_there {
            corner = self.own.polygon.next(corner);
            let next = self.own.corner(corner) - origin;
            area += last.perp_dot(next);
            last = next;
            is_there = corner == end;
        }
        area + last.perp_dot(self.to.position - origin)
    }
}

/// Returns the contact of a polygon inside the other one, if their boundaries do not cross.
fn find_nested(outlines: &[Outline; 2]) -> Option<ContactVolume<DVec2>> {
    [0, 1].into_iter().find_map(|body| {
        let (own, other) = (&outlines[body], &outlines[1 - body]);
        let point = own.corner(0);
        let is_inside = other.bounds.contains(point) && other.winding_around(point) != 0;
        is_inside.then(|| ContactVolume::nested(own.polygon.area(), point))
    })
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
    let (width, squared) = (sums.width, sums.width.length_squared());
    let mut point = sums.middle * (1.0 / sums.count);
    if squared > 0.0 {
        let axis = DVec2::new(width.y, -width.x) * (sums.moment / squared);
        point = axis + width * (width.dot(point) / squared);
    }
    ContactVolume {
        kind: IntersectionKind::Crossing,
        error_bound: 0.0,
        volume,
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
        let pair = Ordered::new(a, b, Polygon::vertices, |_, _| Ordering::Equal);
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
