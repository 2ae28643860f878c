//! Exact integers of fixed capacity, for signs of polynomials of floats with any exponents.
//!
//! Expansions of floats are faster, but they lose bits that underflow, and are too long for polynomials of high degree.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::Vector;

/// The number of digits. Differences of coordinates have 1,230 bits, from 2^-1074 to 2^156. The sum of
/// a hundred products of six of them fits.
const CAPACITY: usize = 118;
/// The largest exponent of a coordinate in the domain, with room.
const MAX_EXPONENT: i32 = 155;

/// An integer: a sign, and digits to the base 2^64, the lowest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integer {
    digits: [u64; CAPACITY],
    /// The number of digits without leading zeros.
    len: usize,
    is_negative: bool,
}

/// A power of two that divides some numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit(i32);

impl Unit {
    /// Returns the unit of some numbers, `None` if one is outside the domain.
    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut unit = MAX_EXPONENT;
        for number in numbers.into_iter().filter(|&number| number != 0.0) {
            let (mantissa, exponent) = parts(number);
            if exponent + 52 > MAX_EXPONENT {
                return None;
            }
            unit = unit.min(exponent + mantissa.trailing_zeros() as i32);
        }
        Some(Self(unit))
    }

    /// Returns one of the numbers in this unit.
    pub(crate) fn integer(self, number: f64) -> Integer {
        let mut integer = Integer::ZERO;
        if number != 0.0 {
            let (mantissa, exponent) = parts(number);
            let zeros = mantissa.trailing_zeros();
            let shift = (exponent + zeros as i32 - self.0) as usize;
            let bits = u128::from(mantissa >> zeros) << (shift % 64);
            let place = shift / 64;
            integer.digits[place] = bits as u64;
            integer.digits[place + 1] = (bits >> 64) as u64;
            integer.len = place + 2;
            integer.is_negative = number < 0.0;
            integer.trim();
        }
        integer
    }

    /// Returns `a - b` exactly.
    pub(crate) fn difference(self, a: f64, b: f64) -> Integer {
        &self.integer(a) - &self.integer(b)
    }

    /// Returns `a - b` exactly, with 0 for the third component in the plane.
    pub(crate) fn vector<V: Vector>(self, a: V, b: V) -> [Integer; 3] {
        std::array::from_fn(|axis| match axis < V::DIM {
            true => self.difference(a[axis], b[axis]),
            false => Integer::ZERO,
        })
    }
}

/// Returns mantissa and exponent: the magnitude is the first times 2 to the power of the second.
fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

impl Integer {
    pub(crate) const ZERO: Self = Self {
        digits: [0; CAPACITY],
        len: 0,
        is_negative: false,
    };

    /// Returns 1, -1 or 0.
    pub(crate) fn sign(&self) -> f64 {
        match (self.len, self.is_negative) {
            (0, _) => 0.0,
            (_, false) => 1.0,
            (_, true) => -1.0,
        }
    }

    fn trim(&mut self) {
        while self.len > 0 && self.digits[self.len - 1] == 0 {
            self.len -= 1;
        }
    }

    fn compare_magnitudes(&self, other: &Self) -> Ordering {
        let [own, others] = [self, other].map(|x| x.digits[..x.len].iter().rev());
        self.len.cmp(&other.len).then_with(|| own.cmp(others))
    }

    fn add_magnitude(&mut self, other: &Self) {
        let mut carry = 0;
        self.len = self.len.max(other.len);
        for i in 0..self.len {
            let sum = u128::from(self.digits[i]) + u128::from(other.digits[i]) + carry;
            self.digits[i] = sum as u64;
            carry = sum >> 64;
        }
        if carry > 0 && self.len < CAPACITY {
            self.digits[self.len] = 1;
            self.len += 1;
        }
    }

    /// Subtracts a magnitude that is not larger.
    fn subtract_magnitude(&mut self, other: &Self) {
        let mut borrow = false;
        for i in 0..self.len {
            let (digit, first) = self.digits[i].overflowing_sub(other.digits[i]);
            let (digit, second) = digit.overflowing_sub(u64::from(borrow));
            self.digits[i] = digit;
            borrow = first | second;
        }
        self.trim();
    }
}

impl Add for &Integer {
    type Output = Integer;

    fn add(self, other: Self) -> Integer {
        if self.compare_magnitudes(other).is_lt() {
            return other + self;
        }
        let mut sum = *self;
        if self.is_negative == other.is_negative {
            sum.add_magnitude(other);
        } else {
            sum.subtract_magnitude(other);
        }
        sum
    }
}

impl Sub for &Integer {
    type Output = Integer;

    fn sub(self, other: Self) -> Integer {
        self + &Integer {
            is_negative: !other.is_negative,
            ..*other
        }
    }
}

impl Mul for &Integer {
    type Output = Integer;

    fn mul(self, other: Self) -> Integer {
        let mut product = Integer::ZERO;
        for i in 0..self.len {
            let mut carry = 0;
            for j in 0..other.len.min(CAPACITY - i) {
                let digit = u128::from(product.digits[i + j]);
                let sum = u128::from(self.digits[i]) * u128::from(other.digits[j]) + digit + carry;
                product.digits[i + j] = sum as u64;
                carry = sum >> 64;
            }
            if i + other.len < CAPACITY {
                product.digits[i + other.len] = carry as u64;
            }
        }
        product.len = (self.len + other.len).min(CAPACITY);
        product.is_negative = self.is_negative != other.is_negative;
        product.trim();
        product
    }
}

/// Returns a vector product.
pub(crate) fn cross(u: &[Integer; 3], v: &[Integer; 3]) -> [Integer; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &(&u[i] * &v[j]) - &(&u[j] * &v[i]))
}

/// Returns a scalar product.
pub(crate) fn dot(u: &[Integer; 3], v: &[Integer; 3]) -> Integer {
    let products = u.iter().zip(v).map(|(a, b)| a * b);
    products.fold(Integer::ZERO, |sum, product| &sum + &product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    #[test]
    fn arithmetic_of_128_bits() {
        let mut random = SplitMix64::new(5);
        for _ in 0..20_000 {
            let mut number = || (random.next_u64() as i64 >> random.below(64)) as f64;
            let numbers = [number(), number(), number(), number()];
            let unit = Unit::of(numbers.into_iter().chain([1.0])).unwrap();
            let [a, b, c, d] = numbers.map(|x| unit.integer(x));
            let [i, j, k, l] = numbers.map(|x| x as i128);
            let sign = |x: i128| x.signum() as f64;
            assert_eq!((&(&a * &b) - &(&c * &d)).sign(), sign(i * j - k * l));
            assert_eq!((&(&a * &b) - &(&b * &a)).sign(), 0.0);
            assert_eq!((&(&a + &b) - &c).sign(), sign(i + j - k));
        }
    }

    /// The sixth power of the widest difference there is, and one unit more.
    #[test]
    fn widest_products_fit() {
        let (large, small) = (2.0_f64.powi(MAX_EXPONENT).next_down(), 5e-324);
        let unit = Unit::of([large, small]).unwrap();
        let wide = unit.difference(large, -large);
        let square = &wide * &wide;
        let sixth = &(&square * &square) * &square;
        let mut sum = Integer::ZERO;
        for _ in 0..100 {
            sum = &sum + &sixth;
        }
        assert!((&sum - &sixth).sign() > 0.0 && sum.len < CAPACITY);
        let more = &sum + &unit.integer(small);
        assert_eq!(((&more - &sum).sign(), (&sum - &more).sign()), (1.0, -1.0));
        assert!(Unit::of([2.0_f64.powi(400)]).is_none());
    }
}
