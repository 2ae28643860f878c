#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};

/// The energy of a contact as a function of its volume (its area in 2D): `w(V) = k V^m`.
///
/// The force of a contact is `w'(V)` times its area vector. With m = 1 it is a pressure k on the
/// contact, whatever its depth: where flat faces meet the force jumps to k times their area. With
/// m = 2 it grows from 0. In SI units k is in J/m^(3m): Pa for m = 1, J/m^6 for m = 2; in 2D in
/// J/m^(2m), for a body as thick as the energy is for.
///
/// ```
/// use osculate::ContactEnergy;
///
/// let energy = ContactEnergy::power_law(3.0, 2.0)?;
/// assert_eq!((energy.energy(5.0), energy.pressure(5.0)), (75.0, 30.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEnergy {
    stiffness: f64,
    exponent: f64,
}

impl ContactEnergy {
    /// `w(V) = k V`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `stiffness` is negative, NaN or infinite.
    pub fn linear(stiffness: f64) -> Result<Self> {
        Self::power_law(stiffness, 1.0)
    }

    /// `w(V) = k V^m`, m >= 1. For an m of 1, 3/2 or 2 results are the same on all platforms.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `stiffness` is negative, NaN, or infinite once
    /// multiplied by `exponent`. Returns it also if `exponent` is below 1, NaN or infinite.
    pub fn power_law(stiffness: f64, exponent: f64) -> Result<Self> {
        const STIFFNESS: &str = "[0, f64::MAX / exponent]";
        let check = |name, value: f64, least, range| {
            if value >= least && value.is_finite() {
                Ok(())
            } else {
                Err(Cause::Parameter { name, value, range }.into())
            }
        };
        check("stiffness", stiffness, 0.0, STIFFNESS)?;
        check("exponent", exponent, 1.0, "[1, inf)")?;
        if (stiffness * exponent).is_infinite() {
            let (name, value, range) = ("stiffness", stiffness, STIFFNESS);
            return Err(Cause::Parameter { name, value, range }.into());
        }
        Ok(Self {
            stiffness,
            exponent,
        })
    }

    /// The energy w(V), of a volume that is not negative; of one that is, as rounding can make it,
    /// what the formula gives: not a number for most exponents that are no integers.
    pub fn energy(&self, volume: f64) -> f64 {
        self.pressure(volume) * volume / self.exponent
    }

    /// The pressure w'(V); of a negative volume as [`energy`](Self::energy).
    pub fn pressure(&self, volume: f64) -> f64 {
        let power = if self.exponent == 1.0 {
            1.0
        } else if self.exponent == 1.5 {
            volume.sqrt()
        } else if self.exponent == 2.0 {
            volume
        } else {
            volume.powf(self.exponent - 1.0)
        };
        let factor = self.stiffness * self.exponent;
        // The power may be infinite.
        if factor > 0.0 { factor * power } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivative_is_the_slope() {
        for exponent in [1.0, 1.5, 2.0, 2.7] {
            let energy = ContactEnergy::power_law(2.0, exponent).unwrap();
            let (v, h) = (0.3, 1e-5);
            let slope = (energy.energy(v + h) - energy.energy(v - h)) / (2.0 * h);
            assert!((slope - energy.pressure(v)).abs() < 1e-9);
            assert_eq!(energy.energy(0.0), 0.0);
        }
        for (stiffness, exponent) in [(-1.0, 1.0), (f64::NAN, 1.0), (1.0, 0.5), (1.0, f64::NAN)] {
            assert!(ContactEnergy::power_law(stiffness, exponent).is_err());
        }
        assert!(ContactEnergy::linear(f64::INFINITY).is_err());
    }

    /// At the ends of what is accepted: never NaN for a volume that is not negative.
    #[test]
    fn extreme_parameters() {
        assert!(ContactEnergy::power_law(f64::MAX, 2.0).is_err());
        assert!(ContactEnergy::power_law(1e10, 1e300).is_err());
        for (stiffness, exponent) in [
            (f64::MAX, 1.0),
            (0.0, 1e300),
            (1e-300, f64::MAX),
            (0.0, 2.0),
        ] {
            let energy = ContactEnergy::power_law(stiffness, exponent).unwrap();
            for volume in [0.0, 5e-324, 1e-300, 1.0, 2.0, 1e136] {
                assert!(energy.energy(volume) >= 0.0 && energy.pressure(volume) >= 0.0);
            }
            assert_eq!(energy.energy(0.0), 0.0);
        }
    }
}
