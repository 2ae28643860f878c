//! Invalid numbers, and the functions that refuse them.

use osculate::math::{MAX_LENGTH, MIN_LENGTH};
use osculate::{Error, ErrorKind};

/// Invalid coordinates.
pub(crate) const BAD_COORDINATES: [f64; 5] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    2.0 * MAX_LENGTH,
    -2.0 * MAX_LENGTH,
];

/// Invalid lengths.
pub(crate) const BAD_LENGTHS: [f64; 8] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -1.0,
    -MIN_LENGTH,
    f64::MIN_POSITIVE,
    MIN_LENGTH / 2.0,
    16.0 * MAX_LENGTH,
];

/// The expected kind, index and message of an error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal(ErrorKind, Option<usize>, String);

pub(crate) fn refusal(
    kind: ErrorKind,
    index: Option<usize>,
    message: impl Into<String>,
) -> Refusal {
    Refusal(kind, index, message.into())
}

/// The expected error of an invalid coordinate of an element, such as "vertex 3" or "translation".
pub(crate) fn bad_position(element: &str, axis: usize, value: f64) -> Refusal {
    let bounds = "not within [-2^150, 2^150]";
    let message = format!("{element}: coordinate {axis} is {value:?}, {bounds}");
    let index = element.split_once(' ').map(|(_, index)| index.parse());
    let index = index.map(|index| index.expect("the index of the element"));
    refusal(ErrorKind::Coordinate, index, message)
}

pub(crate) fn bad_radius(index: usize, value: f64) -> Refusal {
    let message = format!("body {index}: radius {value:?} is neither 0 nor within [2^-150, 2^150]");
    refusal(ErrorKind::Radius, Some(index), message)
}

/// `domain` is the valid range, as the message names it.
pub(crate) fn bad_length(name: &str, value: f64, domain: &str) -> Refusal {
    let message = format!("{name} {value:?} is not {domain}");
    refusal(ErrorKind::Length, None, message)
}

pub(crate) fn bad_rotation(norm_squared: f64) -> Refusal {
    bad_norm(
        norm_squared,
        "[1 - 2^-40, 1 + 2^-40]; new_normalize scales it",
    )
}

/// For a rotation that is to be normalized.
pub(crate) fn bad_norm(norm_squared: f64, range: &str) -> Refusal {
    let message = format!("squared norm of the rotation {norm_squared:?} is not within {range}");
    refusal(ErrorKind::Parameter, None, message)
}

pub(crate) fn bad_side(axis: usize, value: f64) -> Refusal {
    let valid = "a side within [2^-150, 2^148] and at least 2^-32 of its corner's coordinate";
    bad_box(axis, value, valid)
}

pub(crate) fn bad_tilt(axis: usize, value: f64) -> Refusal {
    let valid = "a tilt that is 0 or within ±[2^-150, 2^150], of two periodic axes";
    bad_box(axis, value, valid)
}

pub(crate) fn bad_aspect(axis: usize, value: f64) -> Refusal {
    let valid = "a side of a tilted box, which is at least 1/1024 of the longest side";
    bad_box(axis, value, valid)
}

fn bad_box(axis: usize, value: f64, valid: &str) -> Refusal {
    let message = format!("axis {axis}: {value:?} is not {valid}");
    refusal(ErrorKind::PeriodicBox, Some(axis), message)
}

pub(crate) fn too_many(count: usize) -> Refusal {
    let message = format!("{count} elements exceed the limit of 4294967294");
    refusal(ErrorKind::TooMany, None, message)
}

pub(crate) fn no_body(index: usize, count: usize) -> Refusal {
    let message = format!("body {index} does not exist: the number of bodies is {count}");
    refusal(ErrorKind::Index, Some(index), message)
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self(error.kind(), error.index(), error.to_string())
    }
}

/// Asserts that the error is the expected one, NaN included.
#[track_caller]
pub(crate) fn refused<T>(what: &str, result: Result<T, Error>, expected: &Refusal) {
    match result {
        Ok(_) => panic!("{what} was taken; expected: {expected:?}"),
        Err(error) => assert_eq!(Refusal::from(error), *expected, "{what}"),
    }
}
