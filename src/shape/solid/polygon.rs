use std::ops::Range;

use glam::DVec2;

use super::rings::windings;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{check_positions, check_side, orient2d};
use crate::shape::mass_properties::{area_and_centroid, sides};
use crate::shape::{Aabb, Bounded, BoxTree, ConvexPolygon, Sphere};

/// A polygon in the plane, convex or concave, with any number of holes, and a tree of its sides.
///
/// The boundary consists of rings that do not intersect themselves or each other. Outer rings are counter-clockwise,
/// holes clockwise. There may be several outer rings, even inside a hole. Corners may be repeated, or collinear with
/// their neighbors. Build a polygon once and share it by reference or `Arc` between all bodies of its shape.
///
/// ```
/// use osculate::{Error, ErrorKind, glam::DVec2, shape::Polygon};
///
/// let corners = [(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)].map(DVec2::from);
/// let dart = Polygon::new(corners.to_vec())?;
/// assert_eq!(dart.area(), 1.0);
/// let crossed = [(0.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 0.0)].map(DVec2::from);
/// let refused = Polygon::new(crossed.to_vec()).unwrap_err();
/// assert_eq!((refused.kind(), refused.index()), (ErrorKind::Intersection, Some(0)));
///
/// let outer = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(DVec2::from);
/// let hole = [(1.0, 1.0), (1.0, 3.0), (3.0, 3.0), (3.0, 1.0)].map(DVec2::from);
/// let frame = Polygon::from_rings([outer, hole])?;
/// assert_eq!((frame.area(), frame.rings().count()), (12.0, 2));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Vec<DVec2>>", into = "Vec<Vec<DVec2>>")
)]
pub struct Polygon {
    /// The corners of all rings, one ring after another.
    vertices: Vec<DVec2>,
    rings: Vec<Ring>,
    sides: BoxTree<DVec2>,
    bounds: Aabb<DVec2>,
    sphere: Sphere<DVec2>,
    area: f64,
    centroid: DVec2,
}

/// A ring: the corners from the end of the previous ring to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ring {
    end: u32,
    /// Negative for a hole.
    area: f64,
}

impl Polygon {
    /// Creates a polygon of one ring, from its corners in counter-clockwise order, by exact signs.
    /// O(n log n) if few boxes of sides overlap.
    ///
    /// # Errors
    /// Returns, in this order: [`ErrorKind::Coordinate`]; [`ErrorKind::Facet`] if there are fewer than 3
    /// corners, with repeated ones counted once; [`ErrorKind::Facet`] if an edge is too short;
    /// [`ErrorKind::Intersection`] with the lowest edge that another one crosses, touches or runs back
    /// along; [`ErrorKind::Orientation`] if the polygon is clockwise or flat.
    pub fn new(vertices: Vec<DVec2>) -> Result<Self> {
        let end = vertices.len();
        Self::checked(vertices, vec![end])
    }

    /// Creates a polygon from the corners of its rings, in any order. O(n log n) if few boxes of sides
    /// overlap.
    ///
    /// Outer rings are counter-clockwise, holes clockwise. A hole lies inside an outer ring, an outer ring
    /// in no other ring or inside a hole.
    ///
    /// # Errors
    /// As for [`new`](Self::new). Corners and edges are counted through all rings. Returns
    /// [`ErrorKind::Degenerate`] without rings, [`ErrorKind::Intersection`] if rings meet, and
    /// [`ErrorKind::Orientation`] with the lowest ring that should have the other direction.
    pub fn from_rings<R: AsRef<[DVec2]>>(rings: impl IntoIterator<Item = R>) -> Result<Self> {
        let (mut vertices, mut ends) = (Vec::new(), Vec::new());
        for ring in rings {
            vertices.extend_from_slice(ring.as_ref());
            ends.push(vertices.len());
        }
        Self::checked(vertices, ends)
    }

    fn checked(vertices: Vec<DVec2>, ends: Vec<usize>) -> Result<Self> {
        check_positions("vertex", &vertices)?;
        if ends.is_empty() {
            return Err(Error(Cause::NoFacets));
        }
        let mut start = 0;
        let mut rings = Vec::with_capacity(ends.len());
        for (ring, end) in ends.into_iter().enumerate() {
            check_lengths(ring, start, &vertices[start..end])?;
            let (area, _) = area_and_centroid(&sides(&vertices[start..end]));
            let end_id = end as u32;
            rings.push(Ring { end: end_id, area });
            start = end;
        }
        let polygon = Self::from_parts(vertices, rings);
        polygon.check_simple()?;
        polygon.check_orientations()?;
        Ok(polygon)
    }

    /// Creates a polygon of valid rings.
    fn from_parts(vertices: Vec<DVec2>, rings: Vec<Ring>) -> Self {
        let corners = (0..rings.len()).map(|ring| &vertices[corners_of(&rings, ring)]);
        let all: Vec<_> = corners.flat_map(sides).collect();
        let (area, centroid) = area_and_centroid(&all);
        Self {
            sides: BoxTree::from_good(all.into_iter().map(Aabb::enclosing).collect()),
            bounds: Aabb::enclosing(vertices.iter().copied()),
            sphere: Sphere::around(vertices.iter().copied()),
            vertices,
            rings,
            area,
            centroid,
        }
    }

    /// Returns the corners of all rings, one ring after another.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Returns the corners of each ring: counter-clockwise of an outer ring, clockwise of a hole.
    pub fn rings(&self) -> impl ExactSizeIterator<Item = &[DVec2]> {
        (0..self.rings.len()).map(|ring| &self.vertices[self.corners_of(ring)])
    }

    /// Returns the area.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Returns the centroid of the area.
    pub fn centroid(&self) -> DVec2 {
        self.centroid
    }

    /// Returns the tree of the sides' boxes. Side i runs from corner i to the next corner of its ring.
    pub fn tree(&self) -> &BoxTree<DVec2> {
        &self.sides
    }

    /// Returns whether there are several rings.
    #[inline]
    pub(crate) fn has_rings(&self) -> bool {
        self.rings.len() > 1
    }

    /// Returns the signed area of a ring, negative for a hole.
    pub(crate) fn ring_area(&self, ring: usize) -> f64 {
        self.rings[ring].area
    }

    /// Returns the indices of a ring's corners.
    pub(crate) fn corners_of(&self, ring: usize) -> Range<usize> {
        corners_of(&self.rings, ring)
    }

    /// Returns the ring of a corner.
    #[inline]
    pub(crate) fn ring_of(&self, corner: u32) -> usize {
        if self.has_rings() {
            self.rings.partition_point(|ring| ring.end <= corner)
        } else {
            0
        }
    }

    /// Returns the corner after another one.
    #[inline]
    pub(crate) fn next(&self, corner: u32) -> u32 {
        if self.has_rings() {
            self.next_of_rings(corner)
        } else {
            next_within(&(0..self.vertices.len()), corner)
        }
    }

    // Not inlined, so that callers stay small for a single ring.
    #[inline(never)]
    fn next_of_rings(&self, corner: u32) -> u32 {
        next_within(&self.corners_of(self.ring_of(corner)), corner)
    }

    fn side(&self, corner: u32) -> [DVec2; 2] {
        [corner, self.next(corner)].map(|i| self.vertices[i as usize])
    }

    /// Checks that only consecutive sides of a ring meet, at their common corner.
    fn check_simple(&self) -> Result<()> {
        let has_length = |&i: &u32| self.side(i)[0] != self.side(i)[1];
        for ring in 0..self.rings.len() {
            let corners = self.corners_of(ring);
            let all = corners.start as u32..corners.end as u32;
            let kept: Vec<u32> = all.filter(has_length).collect();
            for (at, &i) in kept.iter().enumerate() {
                let beside = |at: usize| kept[at % kept.len()];
                let (last, next) = (beside(at + kept.len() - 1), beside(at + 1));
                if let Some(j) = self.first_meeting(i, last, next) {
                    let sides = [i, j];
                    return Err(Error(Cause::SelfIntersection { sides }));
                }
            }
        }
        Ok(())
    }

    /// Returns the lowest side that meets a side, other than its neighbors at their common corners.
    fn first_meeting(&self, side: u32, last: u32, next: u32) -> Option<u32> {
        let ours = self.side(side);
        let mut first = None;
        self.sides.for_each_touching(&Aabb::enclosing(ours), |j| {
            let theirs = self.side(j);
            let is_bad = if j == side || theirs[0] == theirs[1] {
                false
            } else if j == next {
                folds(ours[0], theirs)
            } else if j == last {
                folds(theirs[0], ours)
            } else {
                meet(ours, theirs)
            };
            if is_bad && first.is_none_or(|lowest| j < lowest) {
                first = Some(j);
            }
        });
        first
    }

    /// Checks that rings are counter-clockwise outside of others or in a hole, and clockwise inside others.
    fn check_orientations(&self) -> Result<()> {
        let windings = match &self.rings[..] {
            [_] => vec![0],
            _ => windings(self.rings()),
        };
        for (ring, &Ring { area, .. }) in self.rings.iter().enumerate() {
            let is_good = match windings[ring] {
                0 => area > 0.0,
                1 => area < 0.0,
                _ => false,
            };
            if !is_good {
                return Err(Error(Cause::RingOrientation { ring, area }));
            }
        }
        Ok(())
    }
}

fn corners_of(rings: &[Ring], ring: usize) -> Range<usize> {
    let start = if ring == 0 { 0 } else { rings[ring - 1].end };
    start as usize..rings[ring].end as usize
}

/// Returns the corner of a ring after another one.
#[inline]
pub(crate) fn next_within(ring: &Range<usize>, corner: u32) -> u32 {
    let next = corner + 1;
    let is_last = next as usize == ring.end;
    if is_last { ring.start as u32 } else { next }
}

/// Refuses a ring with few corners or a short edge. Its corners start at index `first`.
fn check_lengths(facet: usize, first: usize, corners: &[DVec2]) -> Result<()> {
    let sides = sides(corners);
    // Corners at one position count once.
    let positions = sides.iter().filter(|[a, b]| a != b).count();
    let count = positions.max(corners.len().min(1));
    if count < 3 {
        return Err(Error(Cause::TooFewCorners { facet, count }));
    }
    let mut sides = (first as u32..).zip(sides);
    sides.try_for_each(|(vertex, side)| check_side(facet, vertex, side))
}

/// Returns whether a side runs back along the previous side, which starts at `from`.
fn folds(from: DVec2, [corner, to]: [DVec2; 2]) -> bool {
    let is_back = |a: f64, b: f64, c: f64| (a < b && c < b) || (a > b && c > b);
    orient2d(from, corner, to) == 0.0
        && (is_back(from.x, corner.x, to.x) || is_back(from.y, corner.y, to.y))
}

/// Returns whether two segments with touching boxes have a common point.
fn meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let are_apart = |p: f64, q: f64| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    !are_apart(orient2d(a, b, c), orient2d(a, b, d))
        && !are_apart(orient2d(c, d, a), orient2d(c, d, b))
}

impl Bounded for Polygon {
    type Vector = DVec2;

    fn bounding_sphere(&self) -> Sphere<DVec2> {
        self.sphere
    }

    fn bounding_box(&self) -> Aabb<DVec2> {
        self.bounds
    }
}

impl From<ConvexPolygon> for Polygon {
    fn from(convex: ConvexPolygon) -> Self {
        let area = convex.area();
        let vertices: Vec<_> = convex.into();
        let end = vertices.len() as u32;
        Self::from_parts(vertices, vec![Ring { end, area }])
    }
}

impl TryFrom<Vec<Vec<DVec2>>> for Polygon {
    type Error = Error;
    fn try_from(rings: Vec<Vec<DVec2>>) -> Result<Self> {
        Self::from_rings(rings)
    }
}

impl From<Polygon> for Vec<Vec<DVec2>> {
    fn from(polygon: Polygon) -> Self {
        polygon.rings().map(<[DVec2]>::to_vec).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(corners: &[(i32, i32)]) -> Result<Polygon> {
        let corner = |&(x, y): &(i32, i32)| DVec2::new(x.into(), y.into());
        Polygon::new(corners.iter().map(corner).collect())
    }

    fn meeting(corners: &[(i32, i32)]) -> [u32; 2] {
        match polygon(corners) {
            Err(Error(Cause::SelfIntersection { sides })) => sides,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn repeated_and_collinear_corners_are_fine() {
        let plain = polygon(&[(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]).unwrap();
        let same = [
            (0, 0),
            (0, 0),
            (1, 0),
            (4, 0),
            (4, 4),
            (4, 4),
            (4, 4),
            (2, 1),
            (0, 4),
            (0, 0),
        ];
        let same = polygon(&same).unwrap();
        assert_eq!((plain.area(), same.area()), (10.0, 10.0));
        assert!(plain.centroid().distance(same.centroid()) < 1e-15);
        assert!((plain.centroid() - DVec2::new(2.0, 1.3)).length() < 0.2);
    }

    #[test]
    fn each_way_to_meet_oneself_is_refused() {
        // Crossing, a corner on a side, a corner on a corner, a needle, a side along another.
        assert_eq!(meeting(&[(0, 0), (2, 2), (2, 0), (0, 2)]), [0, 2]);
        assert_eq!(meeting(&[(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]), [0, 2]);
        let pinched = [(0, 0), (2, 2), (4, 0), (4, 4), (2, 2), (0, 4)];
        assert_eq!(meeting(&pinched), [0, 3]);
        assert_eq!(meeting(&[(0, 0), (4, 0), (6, 0), (4, 0), (2, 4)]), [0, 2]);
        assert_eq!(meeting(&[(0, 0), (4, 0), (4, 4), (4, 2), (2, 4)]), [1, 2]);
        assert_eq!(meeting(&[(2, 0), (4, 4), (0, 4), (2, 0), (2, -2)]), [0, 2]);
        let along = [(0, 0), (4, 0), (4, 4), (3, 4), (3, 0), (1, 0), (1, 2)];
        assert_eq!(meeting(&along), [0, 3]);
        // The needle's side is the first and the last.
        assert_eq!(meeting(&[(0, 0), (4, 0), (4, 4), (6, 4), (6, 0)]), [0, 4]);
    }

    #[test]
    fn what_encloses_nothing_is_refused() {
        let clockwise = polygon(&[(0, 0), (0, 2), (2, 0)]).unwrap_err();
        let (ring, area) = (0, -2.0);
        assert_eq!(clockwise, Error(Cause::RingOrientation { ring, area }));
        let (facet, count) = (0, 2);
        let flat = polygon(&[(0, 0), (0, 0), (2, 0), (2, 0)]).unwrap_err();
        assert_eq!(flat, Error(Cause::TooFewCorners { facet, count }));
        assert!(polygon(&[]).is_err());
        assert_eq!(meeting(&[(0, 0), (1, 0), (2, 0)]), [0, 2]);
        let nan = Polygon::new(vec![DVec2::ZERO, DVec2::X, DVec2::NAN]);
        assert!(matches!(
            nan,
            Err(Error(Cause::Coordinate { index: Some(2), .. }))
        ));
    }
}
