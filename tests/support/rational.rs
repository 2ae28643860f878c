//! Areas and volumes of polygons cut by planes, in exact rational arithmetic.

use osculate::glam::DVec3;

const BASE: i128 = 1 << 32;

/// An integer: digits to the base 2^32, lowest first. The last one has the sign.
#[derive(Clone, Debug, Default)]
pub(crate) struct Int(Vec<i128>);

impl Int {
    /// Carries, so that all digits but the last one are from 0 to 2^32 - 1, and removes the last ones that say nothing.
    fn carried(mut digits: Vec<i128>) -> Self {
        let mut carry = 0;
        for digit in &mut digits {
            let sum = *digit + carry;
            (*digit, carry) = (sum.rem_euclid(BASE), sum.div_euclid(BASE));
        }
        digits.extend([carry.rem_euclid(BASE), carry.div_euclid(BASE)]);
        while let [.., below, last @ (0 | -1)] = digits[..] {
            digits.pop();
            let end = digits.len() - 1;
            digits[end] = below + last * BASE;
        }
        Self(digits)
    }

    pub(crate) fn from(value: i64) -> Self {
        Self::carried(vec![value.into()])
    }

    /// A float times 2^150, which is an integer.
    pub(crate) fn scaled(value: f64) -> Self {
        let scaled = value * 2.0_f64.powi(150);
        let exponent = (scaled.abs().to_bits() >> 52) as i32 - 1075;
        if exponent < 0 {
            assert_eq!(scaled, scaled.trunc());
            return Self::from(scaled as i64);
        }
        let mantissa = (scaled * 2.0_f64.powi(-exponent)) as i128;
        let mut digits = vec![0; exponent as usize / 32];
        digits.push(mantissa << (exponent % 32));
        Self::carried(digits)
    }

    /// The last digit: 0 for the number 0, and of the sign of the number.
    fn sign(&self) -> i128 {
        self.0.last().copied().unwrap_or(0)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut digits = vec![0; self.0.len().max(other.0.len())];
        for number in [self, other] {
            let pairs = digits.iter_mut().zip(&number.0);
            pairs.for_each(|(sum, digit)| *sum += digit);
        }
        Self::carried(digits)
    }

    fn negated(&self) -> Self {
        Self::carried(self.0.iter().map(|digit| -digit).collect())
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.negated())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut digits = vec![0; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                digits[i + j] += a * b;
            }
        }
        Self::carried(digits)
    }

    /// A number and a power of two, to 53 bits.
    fn rounded(&self) -> (f64, i32) {
        let top = self.0.len().saturating_sub(4);
        let digits = self.0[top..].iter().rev();
        let size = digits.fold(0.0, |sum, &digit| sum * BASE as f64 + digit as f64);
        (size, 32 * top as i32)
    }
}

fn sum(terms: impl IntoIterator<Item = Int>) -> Int {
    let terms = terms.into_iter();
    terms.fold(Int::default(), |sum, term| sum.add(&term))
}

/// Returns `a / b` to about 53 bits.
pub(crate) fn ratio(a: &Int, b: &Int) -> f64 {
    let ((a, of_a), (b, of_b)) = (a.rounded(), b.rounded());
    let power = of_a - of_b;
    (a / b) * 2.0_f64.powi(power / 2) * 2.0_f64.powi(power - power / 2)
}

/// Homogeneous coordinates; the last one is positive.
pub(crate) type Point = [Int; 4];

fn dot(u: &[Int], v: &[Int]) -> Int {
    sum(u.iter().zip(v).map(|(u, v)| u.mul(v)))
}

fn cross(u: &[Int; 3], v: &[Int; 3]) -> [Int; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| u[i].mul(&v[j]).sub(&u[j].mul(&v[i])))
}

/// A point after a rotation by a quaternion of integers, of any length, and a translation.
pub(crate) fn placed(point: DVec3, [x, y, z, w]: [i64; 4], shift: DVec3) -> Point {
    let (u, p) = ([x, y, z].map(Int::from), point.to_array().map(Int::scaled));
    let (along, across) = (dot(&u, &p), cross(&u, &p));
    let squared = x * x + y * y + z * z;
    let norm = Int::from(w * w + squared);
    let [x, y, z] = [0, 1, 2].map(|i| {
        sum([
            p[i].mul(&Int::from(w * w - squared)),
            u[i].mul(&along).mul(&Int::from(2)),
            across[i].mul(&Int::from(2 * w)),
            Int::scaled(shift[i]).mul(&norm),
        ])
    });
    reduced([x, y, z, Int::scaled(1.0).mul(&norm)])
}

/// Removes the lowest digits if they are 0 in all coordinates.
fn reduced(point: Point) -> Point {
    let zeros = |x: &Int| x.0.iter().take_while(|&&digit| digit == 0).count();
    let common = point.iter().filter(|x| x.sign() != 0).map(zeros).min();
    point.map(|x| Int(x.0.into_iter().skip(common.unwrap_or(0)).collect()))
}

/// The vector from one point to another, times both last coordinates.
fn from_to(p: &Point, q: &Point) -> [Int; 3] {
    [0, 1, 2].map(|i| q[i].mul(&p[3]).sub(&p[i].mul(&q[3])))
}

/// The plane of all x with n . x + d w = 0; positive outside.
type Plane = [Int; 4];

fn plane(a: &Point, b: &Point, c: &Point) -> Plane {
    let normal = cross(&from_to(a, b), &from_to(a, c));
    let offset = dot(&normal, &a[..3]).negated();
    let [x, y, z] = normal.map(|n| n.mul(&a[3]));
    [x, y, z, offset]
}

/// The point where an edge crosses a plane that separates its ends.
fn between(p: &Point, from: &Int, q: &Point, to: &Int) -> Point {
    let point = [0, 1, 2, 3].map(|i| q[i].mul(from).sub(&p[i].mul(to)));
    if point[3].sign() < 0 {
        point.map(|x| x.negated())
    } else {
        point
    }
}

/// The planes of a tetrahedron's faces; `abc` is counter-clockwise seen from `d`.
pub(crate) fn planes([a, b, c, d]: &[Point; 4]) -> [Plane; 4] {
    [
        plane(a, c, b),
        plane(a, b, d),
        plane(b, c, d),
        plane(c, a, d),
    ]
}

/// The corners of the part of a convex polygon below all planes.
pub(crate) fn part_below(corners: &[Point], planes: &[Plane]) -> Vec<Point> {
    let mut part = corners.to_vec();
    for plane in planes {
        let heights: Vec<Int> = part.iter().map(|p| dot(plane, p)).collect();
        let is_inside = |i: usize| heights[i].sign() <= 0;
        let mut next = Vec::new();
        for i in 0..part.len() {
            let j = (i + 1) % part.len();
            if is_inside(i) {
                next.push(part[i].clone());
            }
            if is_inside(i) != is_inside(j) {
                next.push(between(&part[i], &heights[i], &part[j], &heights[j]));
            }
        }
        part = next;
    }
    part
}

/// The area vector of a triangle.
pub(crate) fn area([a, b, c]: [&Point; 3]) -> DVec3 {
    let twice = cross(&from_to(a, b), &from_to(a, c));
    let weight = a[3].mul(&a[3]).mul(&b[3]).mul(&c[3]);
    DVec3::from_array(twice.map(|x| ratio(&x, &weight))) * 0.5
}

/// The volume of the tetrahedron from a point to a triangle.
pub(crate) fn volume(apex: &Point, triangle: [&Point; 3]) -> f64 {
    let [u, v, w] = triangle.map(|p| from_to(apex, p));
    let cube = apex[3].mul(&apex[3]).mul(&apex[3]);
    let weight = triangle.iter().fold(cube, |product, p| product.mul(&p[3]));
    ratio(&dot(&u, &cross(&v, &w)), &weight).abs() / 6.0
}
