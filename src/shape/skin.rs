use crate::error::{Cause, Error, Result};
use crate::math::{check_length, is_length, to_length};

/// The amount by which a list inflates its spheres, so that it lasts for several steps.
///
/// For a [`PairList`](crate::PairList) or a [`WallList`](crate::WallList).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Skin {
    /// A length added to the distance at which two bodies are a pair: half of it is added to each radius.
    /// At a wall all of it is added.
    Absolute(f64),
    /// A fraction of the radius added to each radius, for example 0.1 for spheres a tenth larger. Points
    /// are not inflated.
    Relative(f64),
}

impl Skin {
    pub(crate) fn check(self) -> Result<()> {
        let (Self::Absolute(value) | Self::Relative(value)) = self;
        check_length("skin", value)
    }

    /// Returns the radius with the skin, for a pair of bodies; NaN for an invalid radius.
    #[inline]
    pub(crate) fn inflate(self, radius: f64) -> f64 {
        match self {
            _ if !is_length(radius) => f64::NAN,
            Self::Absolute(skin) => to_length(radius + 0.5 * skin),
            Self::Relative(fraction) => radius + radius * fraction,
        }
    }

    /// Returns the skin of one body at a wall.
    pub(crate) fn at_wall(self, radius: f64) -> f64 {
        match self {
            Self::Absolute(skin) => skin,
            Self::Relative(fraction) => radius * fraction,
        }
    }
}

/// Checks that the margin of a list is at least that which a kernel needs.
pub(crate) fn check_margin(margin: f64, needed: f64) -> Result<()> {
    let error = Error(Cause::SmallMargin { margin, needed });
    if needed <= margin { Ok(()) } else { Err(error) }
}
