//! Bad numbers, and what refuses them.
#![allow(dead_code, reason = "each test uses a part")]

use osculate::Error;
use osculate::math::{MAX_LENGTH, MIN_LENGTH};

/// What no coordinate may be.
pub(crate) const BAD_COORDINATES: [f64; 5] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    2.0 * MAX_LENGTH,
    -2.0 * MAX_LENGTH,
];

/// What no length may be.
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

/// The error is the one expected, NaN included.
pub(crate) fn refused<T>(what: &str, result: Result<T, Error>, expected: &Error) {
    match result {
        Ok(_) => panic!("{what} was taken; expected: {expected}"),
        Err(error) => assert_eq!(format!("{error:?}"), format!("{expected:?}"), "{what}"),
    }
}
