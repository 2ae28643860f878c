//! Contacts of a convex polyhedron with a wall, by their definition and in integers.
//!
//! Let phi(x) be the maximum over the faces of the body of `(normal . x - offset) / |normal|`. It is a rational number
//! if x is rational and normals have integer lengths. On a triangle phi is piecewise linear and convex, so its minimum
//! is at a corner of its pieces. Such a corner is a corner of the triangle, a point of an edge where two faces are
//! equal, or a point of the plane where three are equal. All of these are tried.

mod normals;

use std::cmp::Ordering;

use osculate::glam::DVec3;
use osculate::testing::oracle::LatticePoint;

use self::normals::contacts;

/// A contact of a polyhedron with a wall, rounded from rational numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LatticeContact {
    /// The depth of the contact in the body, minus phi.
    pub(crate) depth: f64,
    /// A point of the wall at this depth. It is one of many if a face or an edge lies on the wall.
    pub(crate) point: DVec3,
    /// The unit normals from the body into the wall that span all possible ones: one if the normal is unique.
    pub(crate) normals: Vec<DVec3>,
    /// The triangles that have their smallest phi there, in ascending order.
    pub(crate) facets: Vec<u32>,
}

/// Returns the contacts of the convex hull of `vertices` with triangles, the deepest first.
///
/// A contact is a point of the wall at which phi is negative and does not decrease in any direction along its
/// sheet. Sheets end at concave edges with a bend of more than `bend` radians. Triangles that meet only at a
/// vertex belong to one sheet if the bend between them is smaller. Contacts with the same plane are one. Where phi
/// is nowhere smaller on the plane of a triangle, its normal is that of the triangle. Elsewhere normals are combinations
/// of the faces that are largest at the point:
/// - the face, or along an edge of the wall the mean of two faces;
/// - at a point, one that supports all directions of the wall that the contacts before do not support, where minima
///   are connected. If there is none: one across each of these directions in which the wall rises most against
///   the mean of the faces.
///
/// The body belongs in front of all triangles. Triangles must share corners wherever they touch.
///
/// Let L bound the lengths of normals, divided by the common factor of their coordinates, and C the coordinates.
/// Decisions are exact if L^2 C < 2^21, except for bends, which are compared in `f64`. O(n^4) for n vertices.
///
/// # Panics
/// Panics if a normal of the body does not have an integer length.
pub(crate) fn contacts_with_wall(
    vertices: &[LatticePoint],
    triangles: &[[LatticePoint; 3]],
    bend: f64,
) -> Vec<LatticeContact> {
    let faces = faces(vertices);
    let near = (0..).zip(triangles);
    let near = near.filter_map(|(id, t)| Facet::new(id, t, &faces));
    let mut facets: Vec<Facet> = near.collect();
    facets.sort_by(|a, b| compare(a.phi, b.phi));
    let mut is_passed = vec![false; facets.len()];
    // Those before are at least as deep.
    let links = |i: usize| {
        let is_joined = |&j: &usize| {
            compare(facets[j].phi, facets[i].phi).is_le()
                && facets[i].is_joined(&facets[j], &faces, bend.cos())
        };
        (0..facets.len()).filter(is_joined).collect::<Vec<_>>()
    };
    let links: Vec<Vec<usize>> = (0..facets.len()).map(links).collect();
    for _ in 0..facets.len() {
        for i in 0..facets.len() {
            let is_deeper = |&j: &usize| compare(facets[j].phi, facets[i].phi).is_lt();
            is_passed[i] |= links[i].iter().any(|j| is_passed[*j] || is_deeper(j));
        }
    }
    let left = facets.iter().zip(is_passed).filter(|(_, passed)| !passed);
    let left: Vec<&Facet> = left.map(|(facet, _)| facet).collect();
    contacts(&left, &faces)
}

type Wide = [i128; 3];

fn minus(a: LatticePoint, b: LatticePoint) -> Wide {
    sub(a.map(i128::from), b.map(i128::from))
}

fn sub(a: Wide, b: Wide) -> Wide {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Wide, b: Wide) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Wide, b: Wide) -> Wide {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}

/// A numerator and a positive denominator.
type Ratio = (i128, i128);

fn compare(a: Ratio, b: Ratio) -> Ordering {
    (a.0 * b.1).cmp(&(b.0 * a.1))
}

/// A point `x / w` with a positive `w`.
#[derive(Clone, Copy)]
struct Point {
    x: Wide,
    w: i128,
}

impl Point {
    /// Returns `normal . x - offset`.
    fn height(&self, normal: Wide, offset: i128) -> Ratio {
        (dot(normal, self.x) - offset * self.w, self.w)
    }

    fn is(&self, other: &Self) -> bool {
        scaled(self.x, other.w) == scaled(other.x, self.w)
    }

    fn midpoint(&self, other: &Self) -> Self {
        let x = sum(scaled(self.x, other.w), scaled(other.x, self.w));
        let w = 2 * self.w * other.w;
        let factor = x.iter().fold(w, |a, &b| common_factor(a, b));
        Self {
            x: x.map(|x| x / factor),
            w: w / factor,
        }
    }
}

/// A half-space `normal . x <= offset` with a normal without common factor, and its length.
struct Face {
    normal: Wide,
    offset: i128,
    length: i128,
}

impl Face {
    fn value(&self, point: &Point) -> Ratio {
        let (height, w) = point.height(self.normal, self.offset);
        (height, w * self.length)
    }
}

fn vector(x: Wide) -> DVec3 {
    DVec3::from_array(x.map(|x| x as f64))
}

fn scaled(x: Wide, by: i128) -> Wide {
    x.map(|x| x * by)
}

fn sum(a: Wide, b: Wide) -> Wide {
    sub(a, scaled(b, -1))
}

/// Divides a vector by the common factor of its coordinates.
fn primitive(x: Wide) -> Wide {
    let factor = x.iter().fold(0, |a, &b| common_factor(a, b));
    x.map(|x| x / factor.max(1))
}

fn common_factor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the faces of a convex hull: the planes through three vertices with no vertex above.
fn faces(vertices: &[LatticePoint]) -> Vec<Face> {
    let mut faces: Vec<Face> = Vec::new();
    for (&a, &b, &c) in triples(vertices) {
        let normal = primitive(cross(minus(b, a), minus(c, a)));
        for normal in [normal, scaled(normal, -1)] {
            let is_known = faces.iter().any(|face| face.normal == normal);
            let is_above = |&v: &LatticePoint| dot(normal, minus(v, a)) > 0;
            if is_known || normal == [0; 3] || vertices.iter().any(is_above) {
                continue;
            }
            let length = dot(normal, normal).isqrt();
            assert_eq!(length * length, dot(normal, normal), "an integer length");
            let offset = dot(normal, a.map(i128::from));
            faces.push(Face {
                normal,
                offset,
                length,
            });
        }
    }
    faces
}

fn triples<T>(list: &[T]) -> impl Iterator<Item = (&T, &T, &T)> {
    let pairs = (0..list.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.flat_map(move |(i, j)| (0..j).map(move |k| (&list[i], &list[j], &list[k])))
}

fn phi(point: &Point, faces: &[Face]) -> Ratio {
    let values = faces.iter().map(|face| face.value(point));
    let larger = |a, b| if compare(a, b).is_lt() { b } else { a };
    values.fold((i128::from(i64::MIN), 1), larger)
}

/// Returns the normals of the faces that are largest at a point.
fn active(point: &Point, faces: &[Face]) -> Vec<Wide> {
    let phi = phi(point, faces);
    let largest = faces
        .iter()
        .filter(|face| compare(face.value(point), phi).is_eq());
    largest.map(|face| face.normal).collect()
}

/// Returns the minimum of phi on a point, a segment or a triangle, and the corners of the set on which it is taken.
fn minimum(corners: &[Wide], faces: &[Face]) -> (Ratio, Vec<Point>) {
    let mut points: Vec<Point> = corners.iter().map(|&x| Point { x, w: 1 }).collect();
    // The plane on which two faces have the same value.
    let equal = |a: &Face, b: &Face| {
        let normal = sub(scaled(a.normal, b.length), scaled(b.normal, a.length));
        (normal, a.offset * b.length - b.offset * a.length)
    };
    for (i, a) in faces.iter().enumerate() {
        for b in &faces[..i] {
            let (normal, offset) = equal(a, b);
            for (i, &to) in corners.iter().enumerate() {
                for &from in &corners[..i] {
                    let (s, t) = (dot(normal, from) - offset, dot(normal, to) - offset);
                    if s * t < 0 {
                        let x = sum(scaled(to, s.abs()), scaled(from, t.abs()));
                        points.push(Point {
                            x,
                            w: (s - t).abs(),
                        });
                    }
                }
            }
        }
    }
    if let &[a, b, c] = corners {
        let normal = primitive(cross(sub(b, a), sub(c, a)));
        for (i, j, k) in triples(faces) {
            let [(p, s), (q, t)] = [equal(i, j), equal(i, k)];
            let w = dot(p, cross(q, normal));
            let x = sum(scaled(cross(q, normal), s), scaled(cross(normal, p), t));
            let x = sum(x, scaled(cross(p, q), dot(normal, a)));
            let point = Point {
                x: scaled(x, w.signum()),
                w: w.abs(),
            };
            if w != 0 && weights(&[a, b, c], &point).iter().all(|&w| w >= 0) {
                points.push(point);
            }
        }
    }
    let (mut least, mut lowest) = ((0, 1), Vec::<Point>::new());
    for point in points {
        let phi = phi(&point, faces);
        let order = compare(phi, least);
        if lowest.is_empty() || order.is_lt() {
            (least, lowest) = (phi, vec![point]);
        } else if order.is_eq() && !lowest.iter().any(|other| other.is(&point)) {
            lowest.push(point);
        }
    }
    (least, lowest)
}

/// Returns positive multiples of the barycentric coordinates of a point of a triangle.
fn weights(corners: &[Wide; 3], point: &Point) -> [i128; 3] {
    let [a, b, c] = *corners;
    let normal = primitive(cross(sub(b, a), sub(c, a)));
    [[b, c], [c, a], [a, b]].map(|[from, to]| {
        let inward = cross(normal, sub(to, from));
        point.height(inward, dot(inward, from)).0
    })
}

/// A triangle inside the body.
struct Facet {
    id: u32,
    corners: [Wide; 3],
    normal: Wide,
    phi: Ratio,
    /// A point inside the set on which phi is smallest if that is a segment.
    point: Point,
    /// Whether phi is smallest at one point.
    is_point: bool,
}

impl Facet {
    fn new(id: u32, corners: &[LatticePoint; 3], faces: &[Face]) -> Option<Self> {
        let corners = corners.map(|x| x.map(i128::from));
        let [a, b, c] = corners;
        let is_beyond = |face: &Face| corners.iter().all(|&x| dot(face.normal, x) >= face.offset);
        if faces.iter().any(is_beyond) {
            return None;
        }
        let normal = primitive(cross(sub(b, a), sub(c, a)));
        let (phi, lowest) = minimum(&corners, faces);
        let point = match lowest[..] {
            [a, b, ..] => a.midpoint(&b),
            _ => lowest[0],
        };
        (phi.0 < 0).then_some(Self {
            id,
            corners,
            normal,
            phi,
            point,
            is_point: lowest.len() == 1,
        })
    }

    /// Returns whether another facet of the sheet continues this one where it has its minimum.
    fn is_joined(&self, other: &Self, faces: &[Face], cosine: f64) -> bool {
        let is_of_other = |x: &Wide| other.corners.contains(x);
        let (common, rest): (Vec<Wide>, Vec<Wide>) =
            self.corners.iter().partition(|x| is_of_other(x));
        let Some(&first) = common.first() else {
            return false;
        };
        let length = |x: Wide| (dot(x, x) as f64).sqrt();
        let scale = length(self.normal) * length(other.normal);
        let is_sharp = (dot(self.normal, other.normal) as f64) < cosine * scale;
        let sees =
            |normal, corners: &[Wide]| corners.iter().any(|&x| dot(normal, sub(x, first)) > 0);
        let is_concave = sees(self.normal, &other.corners) && sees(other.normal, &rest);
        // Which of the front and the back goes on over an edge.
        let goes_on = || {
            let axis = sub(common[1], first);
            let ways = [self, other].map(|facet| {
                let across = cross(axis, facet.normal);
                let heights = facet.corners.map(|x| dot(across, sub(x, first)));
                heights.iter().sum::<i128>().signum()
            });
            ways[0] != ways[1]
        };
        let is_edge = common.len() > 1 && goes_on();
        (!is_sharp || is_edge && !is_concave) && self.meets(other, faces)
    }

    /// Returns whether the points with the smallest phi reach another facet.
    fn meets(&self, other: &Self, faces: &[Face]) -> bool {
        let common = self.corners.iter().filter(|x| other.corners.contains(x));
        let common: Vec<Wide> = common.copied().collect();
        !common.is_empty() && compare(minimum(&common, faces).0, self.phi).is_eq()
    }
}
