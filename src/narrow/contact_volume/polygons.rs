//! Intersection area of two polygons, from the points where their boundaries cross.
//!
//! Equations 27 to 33 with the corrected factors: `S = sum s (p_y, -p_x)` and
//! `G = -1/2 sum s |p|^2` over the crossings p, with s = 1 where the first boundary leaves the second
//! polygon and s = -1 where it enters. It does not matter which crossings belong together. The area is
//! bounded by the parts of both boundaries inside the other polygon.

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec2;

use super::face::infinitesimal;
use super::outside::way_out;
use super::{ContactVolume, IntersectionKind};
use crate::math::tolerance::{
    CROSSING_PARAMETER, FACE_SIDE_UNDERFLOW, ORIENTATION_2D, SHARP_CROSSING,
};
use crate::math::{Pose2, order_of_crossings, orient2d};
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{Aabb, Bounded, Placed, Polygon, UnionFind};

/// Intersection area of two simple polygons, as a [`ContactVolume`], and its gradient.
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
    /// Which crossings bound the same region.
    regions: UnionFind,
}

/// A point where a side of A crosses a side of B.
#[derive(Clone, Copy, Debug)]
struct SideCrossing {
    /// Of A and of B.
    sides: [u32; 2],
    /// The position along each, from 0 to 1.
    along: [f64; 2],
    /// Whether the angle is so large that the rounding of these is less than 2^-27.
    is_sharp: bool,
    position: DVec2,
    /// Whether the boundary of A enters B here, and the boundary of B leaves A.
    enters: bool,
    is_tie: bool,
    /// At the first crossing of a region, sums over all of them: twice the area, S, G, positions and
    /// their number. At other crossings only the area is used.
    area: f64,
    width: DVec2,
    moment: f64,
    middle: DVec2,
    count: f64,
}

/// A polygon in the common frame.
struct Outline<'a> {
    polygon: &'a Polygon,
    pose: Pose2,
    /// A box around the polygon.
    bounds: Aabb<DVec2>,
    /// 1 if the symbolic perturbation moves this polygon, -1 if it moves the other one.
    moves: f64,
}

impl Outline<'_> {
    #[inline]
    fn corner(&self, index: u32) -> DVec2 {
        self.pose
            .transform_point(self.polygon.vertices()[index as usize])
    }

    fn next(&self, index: u32) -> u32 {
        let next = index + 1;
        let is_last = next as usize == self.polygon.vertices().len();
        if is_last { 0 } else { next }
    }

    fn side(&self, index: u32) -> [DVec2; 2] {
        [self.corner(index), self.corner(self.next(index))]
    }

    fn is_out(&self, point: DVec2) -> bool {
        point.cmplt(self.bounds.min).any() || point.cmpgt(self.bounds.max).any()
    }

    /// Returns how often the boundary winds around a point of the other polygon.
    fn winding_around(&self, point: DVec2) -> i32 {
        let bounds = self.polygon.bounding_box();
        let Some((outside, query)) = way_out(&bounds, &self.pose, point) else {
            return 0;
        };
        let mut winding = 0;
        self.polygon.tree().for_each_touching(&query, |side| {
            let side = self.side(side);
            let ends = [point, outside].map(|p| side_of(side, p, -self.moves) > 0.0);
            let corners = side.map(|p| side_of([point, outside], p, self.moves) > 0.0);
            if ends[0] != ends[1] && corners[0] != corners[1] {
                winding += if ends[0] { 1 } else { -1 };
            }
        });
        winding
    }
}

/// Returns on which side of a line a point of the other body is: positive on the left.
///
/// The sign is exact, and 0 only if the line is a point. `moves` is 1 if the symbolic perturbation
/// (e, e^2) moves the point, -1 if it moves the line.
#[inline]
pub(super) fn side_of([from, to]: [DVec2; 2], point: DVec2, moves: f64) -> f64 {
    let (u, v) = (to - from, point - from);
    let (left, right) = (u.x * v.y, u.y * v.x);
    let side = left - right;
    if side.abs() > ORIENTATION_2D * (left.abs() + right.abs()) + FACE_SIDE_UNDERFLOW {
        side
    } else {
        side_of_near([from, to], point, moves)
    }
}

#[cold]
#[inline(never)]
fn side_of_near([from, to]: [DVec2; 2], point: DVec2, moves: f64) -> f64 {
    let side = orient2d(from, to, point);
    if side != 0.0 {
        return side;
    }
    let first = if from.y == to.y {
        to.x - from.x
    } else {
        from.y - to.y
    };
    infinitesimal(moves * first)
}

/// Returns the crossing of a side of A and a side of B, if there is one.
#[inline]
fn cross(sides: [u32; 2], ours: [DVec2; 2], theirs: [DVec2; 2]) -> Option<SideCrossing> {
    // An array's map is not inlined here.
    let [from, to] = ours;
    let of_a = [side_of(theirs, from, 1.0), side_of(theirs, to, 1.0)];
    if (of_a[0] > 0.0) == (of_a[1] > 0.0) {
        return None;
    }
    let [p, q] = theirs;
    let of_b = [side_of(ours, p, -1.0), side_of(ours, q, -1.0)];
    if (of_b[0] > 0.0) == (of_b[1] > 0.0) {
        return None;
    }
    let is_tie = [of_a, of_b].as_flattened().iter().any(|&x| is_zero(x));
    let (along_a, along_b) = (along(of_a), along(of_b));
    // A bound of the distances of the corners. The rounding of each `side_of` is less than 24 eps times
    // its square.
    let size = ((to - from).abs() + (q - p).abs()).element_sum();
    // From the nearer end.
    let position = if along_a <= 0.5 {
        from + (to - from) * along_a
    } else {
        to + (from - to) * along([of_a[1], of_a[0]])
    };
    Some(SideCrossing {
        sides,
        along: [along_a, along_b],
        is_sharp: (of_a[0] - of_a[1]).abs() > SHARP_CROSSING * size * size,
        position,
        enters: of_a[1] > 0.0,
        is_tie,
        area: 0.0,
        width: DVec2::ZERO,
        moment: 0.0,
        middle: DVec2::ZERO,
        count: 0.0,
    })
}

/// Returns whether a distance is 0 or infinitesimal.
fn is_zero(side: f64) -> bool {
    side.abs() <= f64::MIN_POSITIVE
}

/// Returns where a segment meets a line, from 0 to 1, given the sides of the line its ends are on.
#[inline]
fn along([from, to]: [f64; 2]) -> f64 {
    if is_zero(from) {
        0.0
    } else if is_zero(to) {
        1.0
    } else {
        (from / (from - to)).clamp(0.0, 1.0)
    }
}

impl PolygonPolygon {
    /// Creates a kernel that reports one contact per pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports one contact per region of the intersection. Regions that tied sides connect are
    /// separate if symbolic perturbation separates them.
    ///
    /// Cost: hardly any, since crossings are sorted in any case. Contacts are visited in the order in
    /// which the trees find the crossings. This order is deterministic but not spatial.
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
        let Some(origin) = self.crossings.first().map(|c| c.position) else {
            for index in [0, 1] {
                let (inner, outer) = (&outlines[index], &outlines[1 - index]);
                let point = inner.corner(0);
                if !outer.is_out(point) && outer.winding_around(point) != 0 {
                    return visit(ContactVolume::nested(inner.polygon.area(), point));
                }
            }
            return;
        };
        let count = self.crossings.len();
        // One region, unless regions are to be separate.
        self.regions.reset(if self.is_separate { count } else { 1 });
        self.order.clear();
        self.order.extend(0..count as u32);
        for index in [0, 1] {
            self.add_inside(index, outlines, origin);
        }
        self.add_up(origin);
        for i in 0..count {
            if self.root(i) == i {
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

    fn root(&mut self, crossing: usize) -> usize {
        if self.is_separate {
            self.regions.root(crossing as u32) as usize
        } else {
            0
        }
    }

    /// Walks along the boundary of one body from crossing to crossing, and adds the parts inside the
    /// other body.
    fn add_inside(&mut self, index: usize, outlines: &[Outline; 2], origin: DVec2) {
        let (own, crossings) = (&outlines[index], &mut self.crossings);
        self.order.sort_unstable_by(|&i, &j| {
            let (a, b) = (&crossings[i as usize], &crossings[j as usize]);
            let by_side = a.sides[index].cmp(&b.sides[index]);
            by_side
                .then_with(|| along_the_side(index, outlines, a, b))
                .then(i.cmp(&j))
        });
        let mut winding = winding_before(index, outlines, crossings, &self.order);
        let followers = self.order.iter().cycle().skip(1);
        for (k, (&i, &j)) in self.order.iter().zip(followers).enumerate() {
            let (from, to) = (crossings[i as usize], crossings[j as usize]);
            winding += change(&from, index);
            if winding == 0 {
                continue;
            }
            let (mut last, mut area) = (from.position - origin, 0.0);
            let mut corner = from.sides[index];
            // From the last crossing the walk goes around to the first.
            let mut is_there = k + 1 < self.order.len() && corner == to.sides[index];
            while !is_there {
                corner = own.next(corner);
                let next = own.corner(corner) - origin;
                area += last.perp_dot(next);
                last = next;
                is_there = corner == to.sides[index];
            }
            area += last.perp_dot(to.position - origin);
            crossings[i as usize].area += f64::from(winding) * area;
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
            sums.is_tie |= own.is_tie;
            sums.width += DVec2::new(p.y, -p.x) * sign;
            sums.moment -= 0.5 * sign * p.length_squared();
            sums.middle += p;
            sums.count += 1.0;
        }
    }
}

/// Compares two crossings of one side of body `index` along this side.
fn along_the_side(
    index: usize,
    outlines: &[Outline; 2],
    a: &SideCrossing,
    b: &SideCrossing,
) -> Ordering {
    let (first, second) = (a.along[index], b.along[index]);
    if a.is_sharp && b.is_sharp && (first - second).abs() > CROSSING_PARAMETER {
        return first.total_cmp(&second);
    }
    let (own, other) = (&outlines[index], &outlines[1 - index]);
    // Lines as planes perpendicular to the common plane.
    let plane = |crossing: &SideCrossing| {
        let [from, to] = other.side(crossing.sides[1 - index]);
        [from.extend(0.0), to.extend(0.0), from.extend(1.0)]
    };
    let side = own.side(a.sides[index]).map(|p| p.extend(0.0));
    order_of_crossings(side, [plane(a), plane(b)], own.moves)
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
        if last != Some(side) && other.is_out(own.corner(side)) {
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
