//! The precision of coordinates: how far vertices may be off the intended surface.

use crate::math::Vector;
use crate::math::tolerance::two_to;
use crate::shape::Aabb;

/// A unit in the last place of a single-precision number is at most 2^-23 of it. Along each of
/// three axes that is less than 2^-22 of the largest coordinate.
const SINGLE_PRECISION: f64 = two_to(-22);

/// The same for double precision.
const DOUBLE_PRECISION: f64 = two_to(-51);

/// The source of the precision of a wall's coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Precision {
    /// The coordinates: single precision if all are single-precision numbers, otherwise double
    /// precision.
    #[default]
    Detected,
    /// A single-precision file. Coordinates with more digits were scaled or moved after reading.
    /// Then it is single precision of the wall's extent.
    File,
    /// The caller.
    Given(f64),
}

impl Precision {
    /// Returns the largest distance of a vertex from its intended position.
    pub(crate) fn length<V: Vector>(self, vertices: &[V]) -> f64 {
        if let Self::Given(length) = self {
            return length;
        }
        let coordinates = || (vertices.iter()).flat_map(|&v| (0..V::DIM).map(move |axis| v[axis]));
        let bounds = Aabb::enclosing(vertices.iter().copied());
        let longest = |v: V| (0..V::DIM).fold(0.0, |longest: f64, axis| longest.max(v[axis]));
        let largest = longest(bounds.farthest());
        // Tests for 24 bits, as in single precision, at any scale.
        if coordinates().all(|x| x.to_bits().trailing_zeros() >= 52 - 23) {
            return SINGLE_PRECISION * largest;
        }
        match self {
            Self::File => {
                (SINGLE_PRECISION * longest(bounds.size())).max(DOUBLE_PRECISION * largest)
            }
            _ => DOUBLE_PRECISION * largest,
        }
    }
}
