//! Intersection area of two polygons, from the points where their boundaries cross.
//!
//! Equations 27 to 33 with the corrected factors: `S = sum s (p_y, -p_x)` and `G = -1/2 sum s |p|^2` over the crossings
//! p. Here s is 1 where the first boundary leaves the second polygon, and -1 where it enters. The order of the
//! crossings does not matter. The area is bounded by the parts of both boundaries inside the other polygon.

use std::borrow::Borrow;
use std::cmp::Ordering;

use glam::DVec2;
use smallvec::SmallVec;

use super::inside::Doubt;
use super::side_crossing::{Outline, SideCrossing, along_the_side, cross};
use super::{ContactVolume, IntersectionKind, VolumeState};
use crate::math::Pose2;
use crate::math::tolerance::two_to;
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::narrow::scene::Scene;
use crate::shape::{Bounded, Placed, Polygon, UnionFind};

/// A corner in the common frame, and sums over a region, relative to the sum of the coordinates.
const CORNER: f64 = two_to(-49);

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
/// kernel.for_each_contact(&a, &b, &mut Default::default(), |part| parts.push(part));
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
    walks: Vec<Walk>,
    /// The crossings that bound the same region.
    joined: UnionFind,
    regions: Vec<Region>,
}

/// The boundary of a body inside the other body, from one crossing to the next.
#[derive(Clone, Copy, Debug)]
struct Walk {
    body: usize,
    crossings: [u32; 2],
    /// Whether the walk goes from the last crossing around to the first.
    is_last: bool,
    /// How often the other boundary winds around it.
    winding: f64,
}

/// Sums over a region, relative to its first crossing.
#[derive(Clone, Copy, Debug, Default)]
struct Region {
    origin: DVec2,
    double_area: f64,
    /// S and G.
    width: DVec2,
    moment: f64,
    /// The sum of the crossings, and their number.
    middle: DVec2,
    count: f64,
    /// The length of the boundary.
    length: f64,
    /// The largest of the crossings.
    height: f64,
    slope: f64,
}

impl PolygonPolygon {
    /// Creates a kernel that reports one contact per pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports one contact per region of the intersection if `is_separate`. Regions that tied sides connect are
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
    fn find(
        &mut self,
        outlines: &[Outline; 2],
        relative: &Pose2,
        mut visit: impl FnMut(ContactVolume<DVec2>),
    ) {
        self.find_crossings(outlines, relative);
        let count = self.crossings.len();
        if count == 0 {
            return find_nested(outlines).into_iter().for_each(visit);
        }
        // One region, unless regions are to be separate.
        self.joined.reset(if self.is_separate { count } else { 1 });
        self.order.clear();
        self.order.extend(0..count as u32);
        self.walks.clear();
        for body in [0, 1] {
            self.find_walks(body, outlines);
        }
        self.number_regions();
        self.add_up(outlines);
        let doubt = doubt_of(outlines);
        for region in self.regions.iter().filter(|r| r.double_area > 0.0) {
            visit(region.contact(&doubt));
        }
    }

    fn find_crossings(&mut self, [a, b]: &[Outline; 2], relative: &Pose2) {
        self.crossings.clear();
        let crossings = &mut self.crossings;
        let (ours, theirs) = (a.polygon.tree(), b.polygon.tree());
        ours.for_each_pair(theirs, relative, |i, j| {
            crossings.extend(cross([i, j], a.side(i), b.side(j)));
        });
    }

    /// Finds the parts of the boundary of a body inside the other body, and joins the regions at their ends.
    fn find_walks(&mut self, index: usize, outlines: &[Outline; 2]) {
        let crossings = &self.crossings[..];
        self.order.sort_unstable_by(|&i, &j| {
            let (a, b) = (&crossings[i as usize], &crossings[j as usize]);
            let by_side = a.sides[index].cmp(&b.sides[index]);
            by_side
                .then_with(|| along_the_side(index, outlines, a, b))
                .then(i.cmp(&j))
        });
        let order = &self.order[..];
        let mut winding = winding_before(index, outlines, crossings, order);
        let followers = order.iter().cycle().skip(1);
        for (k, (&i, &j)) in order.iter().zip(followers).enumerate() {
            winding += change(&crossings[i as usize], index);
            if winding == 0 {
                continue;
            }
            self.walks.push(Walk {
                body: index,
                crossings: [i, j],
                is_last: k + 1 == order.len(),
                winding: f64::from(winding),
            });
            if self.is_separate {
                self.joined.join(i, j);
            }
        }
    }

    /// Numbers the regions in the order of their first crossings.
    fn number_regions(&mut self) {
        self.regions.clear();
        for i in 0..self.crossings.len() {
            let root = match self.is_separate {
                true => self.joined.root(i as u32) as usize,
                false => 0,
            };
            if root == i {
                self.crossings[i].region = self.regions.len() as u32;
                self.regions.push(Region {
                    origin: self.crossings[i].position,
                    ..Region::default()
                });
            } else {
                self.crossings[i].region = self.crossings[root].region;
            }
        }
    }

    /// Adds up the sums of all regions.
    fn add_up(&mut self, outlines: &[Outline; 2]) {
        for crossing in &self.crossings {
            self.regions[crossing.region as usize].add_crossing(crossing);
        }
        for walk in &self.walks {
            let [from, to] = walk.crossings.map(|i| &self.crossings[i as usize]);
            let region = &mut self.regions[from.region as usize];
            region.add_walk(walk, [from, to], &outlines[walk.body]);
        }
    }
}

impl Region {
    fn add_crossing(&mut self, crossing: &SideCrossing) {
        let p = crossing.position - self.origin;
        let sign = if crossing.enters { -1.0 } else { 1.0 };
        self.width += DVec2::new(p.y, -p.x) * sign;
        self.moment -= 0.5 * sign * p.length_squared();
        self.middle += p;
        self.count += 1.0;
        self.height = self.height.max(crossing.height);
        self.slope = self.slope.max(crossing.slope);
    }

    /// Adds twice the signed area between a part of the boundary and the origin.
    #[inline]
    fn add_walk(&mut self, walk: &Walk, [from, to]: [&SideCrossing; 2], own: &Outline) {
        let (mut corner, end) = (from.sides[walk.body], to.sides[walk.body]);
        let (mut area, mut last) = (0.0, from.position - self.origin);
        let mut add = |next: DVec2| {
            area += last.perp_dot(next - last);
            self.length += (next - last).abs().element_sum();
            last = next;
        };
        let mut is_there = !walk.is_last && corner == end;
        while !is_there {
            corner = own.polygon.next(corner);
            add(own.corner(corner) - self.origin);
            is_there = corner == end;
        }
        add(to.position - self.origin);
        self.double_area += walk.winding * area;
    }

    /// Returns a bound of the error of the area.
    ///
    /// The ends of the exact boundary are off by no more than `slide` along the sides. A shift of the boundary by h
    /// changes the area by h times its length.
    fn error_bound(&self, doubt: &Doubt) -> f64 {
        let height = self.height + doubt.height;
        let slide = (height * self.slope).min(doubt.extent);
        height * (self.length + 2.0 * slide * self.count)
    }

    fn contact(&self, doubt: &Doubt) -> ContactVolume<DVec2> {
        let (width, squared) = (self.width, self.width.length_squared());
        let mut point = self.middle * (1.0 / self.count);
        if squared > 0.0 {
            let axis = DVec2::new(width.y, -width.x) * (self.moment / squared);
            point = axis + width * (width.dot(point) / squared);
        }
        ContactVolume {
            kind: IntersectionKind::Crossing,
            volume: 0.5 * self.double_area,
            error_bound: self.error_bound(doubt),
            area_vector: width,
            point: self.origin + point,
            moment_vector: self.moment - point.perp_dot(width),
        }
    }
}

/// Returns bounds of the rounding of corners and of the distance of two points of a region.
fn doubt_of([a, b]: &[Outline; 2]) -> Doubt {
    let farthest = b.polygon.bounding_box().farthest() + b.pose.translation().abs();
    let extent = a.bounds.size().min(b.bounds.size()).element_sum();
    Doubt {
        height: CORNER * (farthest.element_sum() + extent),
        extent,
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

impl<S, T> NarrowPhase<Placed<S, DVec2>, Placed<T, DVec2>> for PolygonPolygon
where
    S: Borrow<Polygon>,
    T: Borrow<Polygon>,
{
    type Contact = ContactVolume<DVec2>;
    type State = VolumeState<DVec2>;

    fn for_each_contact(
        &mut self,
        a: &Placed<S, DVec2>,
        b: &Placed<T, DVec2>,
        state: &mut VolumeState<DVec2>,
        visit: impl FnMut(ContactVolume<DVec2>),
    ) {
        let scene = Scene {
            settings: self.is_separate,
            stamps: [a.shape.borrow().stamp(), b.shape.borrow().stamp()],
            poses: [a.pose, b.pose],
        };
        state.visit(scene, |found| self.find_in_world(a, b, found), visit);
    }
}

impl PolygonPolygon {
    /// Appends the contacts.
    fn find_in_world(
        &mut self,
        a: &Placed<impl Borrow<Polygon>, DVec2>,
        b: &Placed<impl Borrow<Polygon>, DVec2>,
        found: &mut SmallVec<[ContactVolume<DVec2>; 1]>,
    ) {
        let pair = Ordered::new(a, b, Polygon::vertices, |_, _| Ordering::Equal);
        let ([first, second], [pose, placed]) = (pair.shapes, pair.poses);
        if pair.are_equal {
            let point = pose.transform_point(first.vertices()[0]);
            return found.push(ContactVolume::nested(first.area(), point));
        }
        let relative = pose.inv_mul(placed);
        let bounds = [
            first.bounding_box(),
            second.bounding_box().transformed(&relative),
        ];
        if !bounds[0].touches(&bounds[1]) {
            return;
        }
        // Differences from here are exact, also far from the origin.
        let origin = bounds[0].union(&bounds[1]).exact_origin();
        let outline = |polygon, pose: Pose2, i: usize| Outline {
            polygon,
            pose: pose.relative_to(origin),
            bounds: bounds[i].relative_to(origin),
            moves: [1.0, -1.0][i],
        };
        let outlines = [
            outline(first, Pose2::IDENTITY, 0),
            outline(second, relative, 1),
        ];
        let pose = &pose.relative_to(pose.transform_vector(-origin));
        self.find(&outlines, &relative, |contact| {
            let contact = ContactVolume {
                area_vector: pose.transform_vector(contact.area_vector),
                point: pose.transform_point(contact.point),
                ..contact
            };
            found.push(contact.swapped_if(pair.is_swapped));
        });
    }
}
