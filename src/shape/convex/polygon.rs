use glam::DVec2;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{check_positions, check_side, orient2d};
use crate::shape::mass_properties::{area_and_centroid, sides};
use crate::shape::{Aabb, Bounded, Sphere, Stamp};

/// A strictly convex polygon in the plane, counter-clockwise.
///
/// The 2D counterpart of [`ConvexPolyhedron`](crate::ConvexPolyhedron): build it once, and share it
/// by reference or `Arc` between all bodies of this shape.
///
/// ```
/// use osculate::{ConvexPolygon, glam::DVec2};
///
/// let square = ConvexPolygon::new(vec![DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y])?;
/// assert_eq!(square.area(), 1.0);
/// assert_eq!(square.centroid(), DVec2::splat(0.5));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<DVec2>", into = "Vec<DVec2>")
)]
pub struct ConvexPolygon {
    vertices: Vec<DVec2>,
    area: f64,
    centroid: DVec2,
    /// Inscribed and circumscribed radius about the centroid.
    pub(crate) radii: (f64, f64),
    sphere: Sphere<DVec2>,
    pub(crate) stamp: Stamp,
}

impl ConvexPolygon {
    /// Creates a polygon from its corners in counter-clockwise order. O(n), by exact signs.
    ///
    /// [`from_convex_hull`](Self::from_convex_hull) takes points in any order.
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Facet`] if there are fewer than 3 corners;
    /// - [`ErrorKind::Coordinate`] for the lowest bad corner;
    /// - [`ErrorKind::Facet`] for the first corner at which the boundary is straight or turns
    ///   right, or winds more than once;
    /// - [`ErrorKind::Facet`] if an edge is too short.
    pub fn new(vertices: Vec<DVec2>) -> Result<Self> {
        let count = vertices.len();
        if count < 3 {
            return Err(Error(Cause::TooFewCorners { facet: 0, count }));
        }
        check_positions("vertex", &vertices)?;
        let turns_left = |i: usize, j: usize, k: usize| {
            let [a, b, c] = [i, j, k].map(|i| vertices[i % count]);
            orient2d(a, b, c) > 0.0
        };
        // A boundary that winds twice turns left everywhere too. The first corner must therefore see
        // the others in order, on the left of the first side.
        let is_convex_at = |i: usize| {
            turns_left(i + count - 1, i, i + 1)
                && (i < 2 || turns_left(0, i - 1, i) && turns_left(0, 1, i))
        };
        if let Some(vertex) = (0..count).find(|&i| !is_convex_at(i)) {
            return Err(Error(Cause::FacetNotConvex {
                facet: 0,
                vertex: vertex as u32,
            }));
        }
        let sides = sides(&vertices);
        for (i, &side) in (0..).zip(&sides) {
            check_side(0, i, side)?;
        }
        let (area, centroid) = area_and_centroid(&sides);
        let inscribed = inscribed(&sides, centroid);
        Ok(Self::of_parts(vertices, area, centroid, inscribed))
    }

    /// Creates the core of a disc or a stadium from one or two vertices: a polygon without area.
    pub(super) fn bare(vertices: Vec<DVec2>) -> Self {
        let centroid = vertices.iter().copied().sum::<DVec2>() / vertices.len() as f64;
        Self::of_parts(vertices, 0.0, centroid, 0.0)
    }

    fn of_parts(vertices: Vec<DVec2>, area: f64, centroid: DVec2, inscribed: f64) -> Self {
        let distances = vertices.iter().map(|vertex| vertex.distance(centroid));
        Self {
            sphere: Sphere::around(vertices.iter().copied()),
            radii: (inscribed, distances.fold(0.0, f64::max)),
            vertices,
            area,
            centroid,
            stamp: Stamp::new(),
        }
    }

    /// Returns the corners, counter-clockwise.
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

    /// Returns a bound of the distances of all points from the origin of the coordinates.
    pub(crate) fn reach(&self) -> f64 {
        self.radii.1 + self.centroid.length()
    }
}

/// By the corners, which determine everything else.
impl PartialEq for ConvexPolygon {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices
    }
}

impl Bounded for ConvexPolygon {
    type Vector = DVec2;

    fn bounding_sphere(&self) -> Sphere<DVec2> {
        self.sphere
    }

    fn bounding_box(&self) -> Aabb<DVec2> {
        Aabb::enclosing(self.vertices.iter().copied())
    }
}

/// Returns the radius of a disc about a point that is on the left of all sides.
fn inscribed(sides: &[[DVec2; 2]], center: DVec2) -> f64 {
    let depths = sides.iter().map(|&[from, to]| {
        let along = to - from;
        along.perp_dot(center - from) / along.length()
    });
    depths.fold(f64::INFINITY, f64::min).max(0.0)
}

impl TryFrom<Vec<DVec2>> for ConvexPolygon {
    type Error = Error;
    fn try_from(vertices: Vec<DVec2>) -> Result<Self> {
        Self::new(vertices)
    }
}

impl From<ConvexPolygon> for Vec<DVec2> {
    fn from(polygon: ConvexPolygon) -> Self {
        polygon.vertices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
        list.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
    }

    #[test]
    fn triangle_far_from_the_origin() {
        let far = DVec2::new(1e9, -1e9);
        let corners = points(&[(0.0, 0.0), (3.0, 0.0), (0.0, 6.0)]);
        let triangle = ConvexPolygon::new(corners.iter().map(|&c| c + far).collect()).unwrap();
        assert_eq!(triangle.area(), 9.0);
        assert_eq!(triangle.centroid(), far + DVec2::new(1.0, 2.0));
        let sphere = triangle.bounding_sphere();
        assert!(
            triangle
                .vertices()
                .iter()
                .all(|v| v.distance(sphere.center) <= sphere.radius)
        );
    }

    /// Polygons are equal if their vertices are, in the same order.
    #[test]
    fn equal_polygons() {
        let triangle = |corners: [usize; 3], size: f64| {
            let all = points(&[(0.0, 0.0), (size, 0.0), (0.0, 6.0)]);
            ConvexPolygon::new(corners.map(|i| all[i]).to_vec()).unwrap()
        };
        assert_eq!(triangle([0, 1, 2], 3.0), triangle([0, 1, 2], 3.0));
        assert_ne!(triangle([0, 1, 2], 3.0), triangle([0, 1, 2], 4.0));
        assert_ne!(triangle([0, 1, 2], 3.0), triangle([1, 2, 0], 3.0));
    }

    #[test]
    fn polygons_that_are_not_convex_are_refused() {
        let clockwise = points(&[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)]);
        let collinear = points(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 2.0)]);
        let repeated = points(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 2.0)]);
        let dart = points(&[(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)]);
        let pentagram = points(&[
            (0.0, 3.0),
            (-2.0, -3.0),
            (3.0, 1.0),
            (-3.0, 1.0),
            (2.0, -3.0),
        ]);
        for (corners, vertex) in [(clockwise, 0), (collinear, 1), (repeated, 1), (dart, 2)] {
            let error = ConvexPolygon::new(corners).unwrap_err();
            assert_eq!(error, Error(Cause::FacetNotConvex { facet: 0, vertex }));
        }
        assert!(ConvexPolygon::new(pentagram).is_err());
        assert_eq!(
            ConvexPolygon::new(points(&[(0.0, 0.0), (1.0, 0.0)])).unwrap_err(),
            Error(Cause::TooFewCorners { facet: 0, count: 2 })
        );
    }

    /// A limacon turns left everywhere, but winds twice. From its inner loop the outer one goes once around.
    #[test]
    fn polygons_that_wind_twice_are_refused() {
        const COUNT: usize = 24;
        let corner = |i: usize| {
            let angle = i as f64 * std::f64::consts::TAU / COUNT as f64;
            DVec2::from_angle(angle) * (1.0 + 2.0 * angle.cos())
        };
        for first in 0..COUNT {
            let corners = (first..first + COUNT).map(corner).collect();
            assert!(ConvexPolygon::new(corners).is_err(), "{first}");
        }
    }

    /// The radii around the centroid, of triangles and of regular polygons.
    #[test]
    fn radii_around_the_centroid() {
        let far = DVec2::new(-12.0, 20.0);
        let corners = points(&[(0.0, 0.0), (3.0, 0.0), (0.0, 6.0)]);
        let triangle = ConvexPolygon::new(corners.iter().map(|&x| x + far).collect()).unwrap();
        let (inscribed, circumscribed) = triangle.radii;
        assert!((inscribed - 6.0 / 45.0_f64.sqrt()).abs() < 1e-14);
        assert!((circumscribed - 17.0_f64.sqrt()).abs() < 1e-14);
        for count in 3..9 {
            let half = std::f64::consts::PI / count as f64;
            let corner = |i: usize| far + DVec2::from_angle(2.0 * half * i as f64) * 5.0;
            let polygon = ConvexPolygon::new((0..count).map(corner).collect()).unwrap();
            let (inscribed, circumscribed) = polygon.radii;
            assert!((inscribed - 5.0 * half.cos()).abs() < 1e-13, "{count}");
            assert!((circumscribed - 5.0).abs() < 1e-13, "{count}");
        }
    }

    /// Plain products give these an area of 0 and no centroid.
    #[test]
    fn sliver_has_an_area() {
        let sliver = points(&[
            (0.5665615751722809, 0.7457817572627011),
            (0.9710027535867962, 0.4443592170557721),
            (0.7462405143024653, 0.6118703626153489),
        ]);
        let sliver = ConvexPolygon::new(sliver).unwrap();
        assert!(sliver.area() > 0.0 && sliver.centroid().is_finite());
        let tiny = points(&[(0.0, 0.0), (1e-110, 0.0), (0.0, 1e-110)]);
        assert!(matches!(
            ConvexPolygon::new(tiny),
            Err(Error(Cause::SideTooShort { vertex: 0, .. }))
        ));
    }

    #[test]
    fn corner_one_ulp_inside_is_refused() {
        let square = |x: f64| points(&[(0.0, 0.0), (1.0, 0.0), (x, x), (0.0, 1.0)]);
        assert!(ConvexPolygon::new(square(0.5_f64.next_up())).is_ok());
        assert!(ConvexPolygon::new(square(0.5)).is_err());
    }
}
