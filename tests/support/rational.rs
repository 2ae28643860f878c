//! The intersection volume of two tetrahedra in exact rational arithmetic.

use std::cmp::Ordering;

use osculate::glam::DVec3;

/// An integer: its sign, and digits to the base 2^32, lowest first, without leading zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Int {
    is_negative: bool,
    digits: Vec<u32>,
}

impl Int {
    fn new(is_negative: bool, mut digits: Vec<u32>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let is_negative = is_negative && !digits.is_empty();
        Self {
            is_negative,
            digits,
        }
    }

    pub(crate) fn from(value: i64) -> Self {
        let size = value.unsigned_abs();
        Self::new(value < 0, vec![size as u32, (size >> 32) as u32])
    }

    /// A float times 2^150, which is an integer.
    pub(crate) fn scaled(value: f64) -> Self {
        let scaled = value.abs() * 2.0_f64.powi(150);
        let exponent = (scaled.to_bits() >> 52) as i32 - 1075;
        if exponent < 0 {
            assert_eq!(scaled, scaled.trunc());
            return Self::from(scaled as i64 * if value < 0.0 { -1 } else { 1 });
        }
        let mantissa = (scaled.to_bits() & ((1 << 52) - 1)) | 1 << 52;
        let mut digits = vec![0; exponent as usize / 32];
        let wide = u128::from(mantissa) << (exponent % 32);
        digits.extend([0, 32, 64].map(|by| (wide >> by) as u32));
        Self::new(value < 0.0, digits)
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.compare(other).is_lt() {
            return other.add(self);
        }
        let sign = if self.is_negative == other.is_negative {
            1
        } else {
            -1
        };
        let mut carry = 0_i64;
        let mut digits = Vec::with_capacity(self.digits.len() + 1);
        for (i, &digit) in self.digits.iter().enumerate() {
            let own = other.digits.get(i).copied().unwrap_or(0);
            let sum = i64::from(digit) + sign * i64::from(own) + carry;
            digits.push(sum as u32);
            carry = sum >> 32;
        }
        digits.push(carry as u32);
        Self::new(self.is_negative, digits)
    }

    fn negated(&self) -> Self {
        Self::new(!self.is_negative, self.digits.clone())
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.negated())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut digits = vec![0_u32; self.digits.len() + other.digits.len()];
        for (i, &a) in self.digits.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, &b) in other.digits.iter().enumerate() {
                let sum = u64::from(digits[i + j]) + u64::from(a) * u64::from(b) + carry;
                digits[i + j] = sum as u32;
                carry = sum >> 32;
            }
            digits[i + other.digits.len()] = carry as u32;
        }
        Self::new(self.is_negative != other.is_negative, digits)
    }

    /// A number and a power of two, to 53 bits.
    fn rounded(&self) -> (f64, i32) {
        let top = self.digits.len().saturating_sub(4);
        let digits = self.digits[top..].iter().rev();
        let size = digits.fold(0.0, |sum, &d| sum * 4_294_967_296.0 + f64::from(d));
        (if self.is_negative { -size } else { size }, 32 * top as i32)
    }
}

/// Returns `a / b` to about 53 bits.
pub(crate) fn ratio(a: &Int, b: &Int) -> f64 {
    let ((a, of_a), (b, of_b)) = (a.rounded(), b.rounded());
    let power = of_a - of_b;
    (a / b) * 2.0_f64.powi(power / 2) * 2.0_f64.powi(power - power / 2)
}

/// Homogeneous coordinates; the last one is positive.
pub(crate) type Point = [Int; 4];

/// A point after a rotation by a quaternion of integers, of any length, and a translation.
pub(crate) fn placed(point: DVec3, [x, y, z, w]: [i64; 4], shift: DVec3) -> Point {
    let turn = [
        [
            w * w + x * x - y * y - z * z,
            2 * (x * y - w * z),
            2 * (x * z + w * y),
        ],
        [
            2 * (x * y + w * z),
            w * w - x * x + y * y - z * z,
            2 * (y * z - w * x),
        ],
        [
            2 * (x * z - w * y),
            2 * (y * z + w * x),
            w * w - x * x - y * y + z * z,
        ],
    ];
    let norm = Int::from(x * x + y * y + z * z + w * w);
    let one = Int::scaled(1.0);
    let coordinate = |i: usize| {
        let terms = (0..3).map(|j| Int::scaled(point[j]).mul(&Int::from(turn[i][j])));
        let turned = terms.fold(Int::default(), |sum, term| sum.add(&term));
        turned.add(&Int::scaled(shift[i]).mul(&norm))
    };
    reduced([coordinate(0), coordinate(1), coordinate(2), one.mul(&norm)])
}

/// Removes the lowest digits if they are 0 in all coordinates.
fn reduced(point: Point) -> Point {
    let zeros = |x: &Int| x.digits.iter().take_while(|&&digit| digit == 0).count();
    let common = point.iter().filter(|x| !x.is_zero()).map(zeros).min();
    let common = common.unwrap_or(0);
    point.map(|x| Int::new(x.is_negative, x.digits.into_iter().skip(common).collect()))
}

fn determinant(rows: [&[Int]; 3]) -> Int {
    let [a, b, c] = rows;
    let terms = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
        .map(|(i, j, k)| a[i].mul(&b[j].mul(&c[k]).sub(&b[k].mul(&c[j]))));
    terms.iter().fold(Int::default(), |sum, term| sum.add(term))
}

/// The vector from one point to another, times both last coordinates.
fn from_to(p: &Point, q: &Point) -> Vec<Int> {
    (0..3)
        .map(|i| q[i].mul(&p[3]).sub(&p[i].mul(&q[3])))
        .collect()
}

/// The plane of all x with n . x + d w = 0; positive outside.
type Plane = [Int; 4];

fn plane(a: &Point, b: &Point, c: &Point) -> Plane {
    let (u, v) = (from_to(a, b), from_to(a, c));
    let normal = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| u[i].mul(&v[j]).sub(&u[j].mul(&v[i])));
    let products = (0..3).map(|i| normal[i].mul(&a[i]));
    let offset = products.fold(Int::default(), |sum, product| sum.sub(&product));
    let [x, y, z] = normal.map(|n| n.mul(&a[3]));
    [x, y, z, offset]
}

fn height(plane: &Plane, point: &Point) -> Int {
    let products = (0..4).map(|i| plane[i].mul(&point[i]));
    products.fold(Int::default(), |sum, product| sum.add(&product))
}

/// The point where an edge crosses a plane that separates its ends.
fn between(p: &Point, from: &Int, q: &Point, to: &Int) -> Point {
    let point = [0, 1, 2, 3].map(|i| q[i].mul(from).sub(&p[i].mul(to)));
    if point[3].is_negative {
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

/// The volume of the part of a tetrahedron below all planes.
pub(crate) fn volume_below(corners: [Point; 4], planes: &[Plane]) -> f64 {
    let Some((plane, rest)) = planes.split_first() else {
        let [a, b, c, d] = &corners;
        let edges = [b, c, d].map(|p| from_to(a, p));
        let six = determinant([&edges[0], &edges[1], &edges[2]]);
        let cube = a[3].mul(&a[3]).mul(&a[3]);
        let weight = cube.mul(&b[3]).mul(&c[3]).mul(&d[3]);
        return ratio(&six, &weight).abs() / 6.0;
    };
    let heights = corners.iter().map(|p| height(plane, p));
    let all: Vec<(Point, Int)> = corners.iter().cloned().zip(heights).collect();
    let (inside, outside): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(_, h)| h.is_negative || h.is_zero());
    let cut = |(p, from): &(Point, Int), (q, to): &(Point, Int)| between(p, from, q, to);
    let prism = |[a, b, c]: [Point; 3], [d, e, f]: [Point; 3]| {
        let parts = [
            [a, b.clone(), c.clone(), d.clone()],
            [b, c.clone(), d.clone(), e.clone()],
            [c, d, e, f],
        ];
        parts.map(|part| volume_below(part, rest)).iter().sum()
    };
    match (&inside[..], &outside[..]) {
        (_, []) => volume_below(corners, rest),
        ([a], [b, c, d]) => volume_below([a.0.clone(), cut(a, b), cut(a, c), cut(a, d)], rest),
        ([a, b], [c, d]) => prism(
            [a.0.clone(), cut(a, c), cut(a, d)],
            [b.0.clone(), cut(b, c), cut(b, d)],
        ),
        ([a, b, c], [d]) => prism(
            [a.0.clone(), b.0.clone(), c.0.clone()],
            [cut(a, d), cut(b, d), cut(c, d)],
        ),
        _ => 0.0,
    }
}

/// Twice the area vector of the part of a triangle below all planes.
pub(crate) fn area_below(corners: &[Point; 3], planes: &[Plane]) -> DVec3 {
    let mut part: Vec<Point> = corners.to_vec();
    for plane in planes {
        let heights: Vec<Int> = part.iter().map(|p| height(plane, p)).collect();
        let is_inside = |i: usize| heights[i].is_negative || heights[i].is_zero();
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
    let Some((first, rest)) = part.split_first() else {
        return DVec3::ZERO;
    };
    let mut sum = DVec3::ZERO;
    for pair in rest.windows(2) {
        let (u, v) = (from_to(first, &pair[0]), from_to(first, &pair[1]));
        let weight = first[3].mul(&first[3]).mul(&pair[0][3]).mul(&pair[1][3]);
        let component = |i: usize, j: usize| ratio(&u[i].mul(&v[j]).sub(&u[j].mul(&v[i])), &weight);
        sum += DVec3::new(component(1, 2), component(2, 0), component(0, 1));
    }
    sum
}
