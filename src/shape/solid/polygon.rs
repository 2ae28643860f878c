use glam::DVec2;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{check_positions, check_side, orient2d};
use crate::shape::mass_properties::{area_and_centroid, sides};
use crate::shape::{Aabb, Bounded, BoxTree, ConvexPolygon, Sphere, Stamp};

/// A polygon in the plane, convex or concave, and a tree of its sides.
///
/// The boundary is one ring, counter-clockwise, that does not intersect itself. Corners may be repeated, or collinear
/// with their neighbors. A body with a hole is two polygons. Build a polygon once and share it by reference or `Arc`
/// between all bodies of its shape.
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
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<DVec2>", into = "Vec<DVec2>")
)]
pub struct Polygon {
    stamp: Stamp,
    vertices: Vec<DVec2>,
    sides: BoxTree<DVec2>,
    bounds: Aabb<DVec2>,
    sphere: Sphere<DVec2>,
    area: f64,
    centroid: DVec2,
}

impl Polygon {
    /// Creates a polygon from its corners in counter-clockwise order, by exact signs. O(n log n) if few boxes of sides
    /// overlap.
    ///
    /// # Errors
    /// Returns, in this order: [`ErrorKind::Coordinate`]; [`ErrorKind::Facet`] if there are fewer than 3
    /// corners, with repeated ones counted once; [`ErrorKind::Facet`] if an edge is too short;
    /// [`ErrorKind::Intersection`] with the lowest edge that another one crosses, touches or runs back
    /// along; [`ErrorKind::Orientation`] if the polygon is clockwise or flat.
    pub fn new(vertices: Vec<DVec2>) -> Result<Self> {
        check_positions("vertex", &vertices)?;
        check_lengths(&vertices)?;
        let polygon = Self::from_good(vertices);
        polygon.check_simple()?;
        let area = polygon.area;
        if area > 0.0 {
            Ok(polygon)
        } else {
            Err(Error(Cause::PolygonOrientation { area }))
        }
    }

    /// Creates a polygon of valid corners.
    fn from_good(vertices: Vec<DVec2>) -> Self {
        let all = sides(&vertices);
        let (area, centroid) = area_and_centroid(&all);
        Self {
            stamp: Stamp::new(),
            sides: BoxTree::from_good(all.into_iter().map(Aabb::enclosing).collect()),
            bounds: Aabb::enclosing(vertices.iter().copied()),
            sphere: Sphere::around(vertices.iter().copied()),
            vertices,
            area,
            centroid,
        }
    }

    /// Returns the corners.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Returns the area.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Returns the centroid of the area.
    pub fn centroid(&self) -> DVec2 {
        self.centroid
    }

    /// Returns the tree of the sides' boxes. Side i runs from corner i to the next one.
    pub fn tree(&self) -> &BoxTree<DVec2> {
        &self.sides
    }

    /// Returns the corner after another one.
    #[inline]
    pub(crate) fn next(&self, corner: u32) -> u32 {
        let next = corner + 1;
        if next as usize == self.vertices.len() {
            0
        } else {
            next
        }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn side(&self, corner: u32) -> [DVec2; 2] {
        [corner, self.next(corner)].map(|i| self.vertices[i as usize])
    }

    /// Checks that only consecutive sides meet, at their common corner.
    fn check_simple(&self) -> Result<()> {
        let has_length = |&i: &u32| self.side(i)[0] != self.side(i)[1];
        let kept: Vec<u32> = (0..self.vertices.len() as u32).filter(has_length).collect();
        for (at, &i) in kept.iter().enumerate() {
            let beside = |at: usize| kept[at % kept.len()];
            let (last, next) = (beside(at + kept.len() - 1), beside(at + 1));
            if let Some(j) = self.first_meeting(i, last, next) {
                let sides = [i, j];
                return Err(Error(Cause::SelfIntersection { sides }));
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
}

/// Refuses few corners or a short edge.
fn check_lengths(corners: &[DVec2]) -> Result<()> {
    let sides = sides(corners);
    // Corners at one position count once.
    let positions = sides.iter().filter(|[a, b]| a != b).count();
    let count = positions.max(corners.len().min(1));
    if count < 3 {
        return Err(Error(Cause::TooFewCorners { facet: 0, count }));
    }
    let mut sides = (0..).zip(sides);
    sides.try_for_each(|(vertex, side)| check_side(0, vertex, side))
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

impl PartialEq for Polygon {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices
    }
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
        Self::from_good(convex.into())
    }
}

impl TryFrom<Vec<DVec2>> for Polygon {
    type Error = Error;
    fn try_from(vertices: Vec<DVec2>) -> Result<Self> {
        Self::new(vertices)
    }
}

impl From<Polygon> for Vec<DVec2> {
    fn from(polygon: Polygon) -> Self {
        polygon.vertices
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
        let area = -2.0;
        assert_eq!(clockwise, Error(Cause::PolygonOrientation { area }));
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
