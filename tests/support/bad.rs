//! Invalid numbers, and the functions that refuse them.

use osculate::Error;
use osculate::math::{MAX_LENGTH, MIN_LENGTH};

/// Invalid coordinates.
#[rustfmt::skip]
pub(crate) const BAD_COORDINATES: [f64; 5] = [
    f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0 * MAX_LENGTH, -2.0 * MAX_LENGTH,
];

/// Invalid lengths.
#[rustfmt::skip]
pub(crate) const BAD_LENGTHS: [f64; 8] = [
    f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -MIN_LENGTH, f64::MIN_POSITIVE, MIN_LENGTH / 2.0, 16.0 * MAX_LENGTH,
];

/// Returns the message of an invalid coordinate of an element, such as "vertex 3" or "translation".
pub(crate) fn bad_position(element: &str, axis: usize, value: f64) -> String {
    format!("{element}: coordinate {axis} is {value:?}, not within [-2^150, 2^150]")
}

pub(crate) fn bad_radius(index: usize, value: f64) -> String {
    format!("body {index}: radius {value:?} is neither 0 nor within [2^-150, 2^150]")
}

/// `domain` is the valid range, as the message names it.
pub(crate) fn bad_length(name: &str, value: f64, domain: &str) -> String {
    format!("{name} {value:?} is not {domain}")
}

pub(crate) fn bad_side(axis: usize, value: f64) -> String {
    let valid = "a side within [2^-150, 2^148] and at least 2^-32 of its corner's coordinate";
    format!("axis {axis}: {value:?} is not {valid}")
}

pub(crate) fn bad_tilt(axis: usize, value: f64) -> String {
    let valid = "a tilt that is 0 or within ±[2^-150, 2^150], of two periodic axes";
    format!("axis {axis}: {value:?} is not {valid}")
}

pub(crate) fn too_many(count: usize) -> String {
    format!("{count} elements exceed the limit of 4294967294")
}

pub(crate) fn no_body(index: usize, count: usize) -> String {
    format!("body {index} does not exist: the number of bodies is {count}")
}

/// Asserts that the error has a message.
///
/// The unit tests of `Error` show that the message tells the kind and the index.
#[track_caller]
pub(crate) fn refused<T>(what: &str, result: Result<T, Error>, message: &str) {
    match result {
        Ok(_) => panic!("{what} was taken; expected: {message}"),
        Err(error) => assert_eq!(error.to_string(), message, "{what}"),
    }
}
