#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::check_parameter;

/// A contact energy as a function of the intersection volume (the area in 2D): `w(V) = k V^m`.
///
/// The contact force is `w'(V)` times the area vector. For m = 1 it is the constant pressure k times
/// the contact area, so it jumps when flat faces meet. For m = 2 it grows from 0. In SI units k is in
/// J/m^(3m): Pa for m = 1, J/m^6 for m = 2. In 2D it is in J/m^(2m+1), and forces are per unit of thickness.
///
/// For any other increasing w(V), the first body gets the force `-w'(V) S` and the moment `-w'(V) G`, with
/// [`area_vector`](crate::ContactVolume::area_vector) and
/// [`moment_vector_about`](crate::ContactVolume::moment_vector_about).
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
    /// Returns the linear energy `w(V) = k V`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `stiffness` is negative, NaN or infinite.
    pub fn linear(stiffness: f64) -> Result<Self> {
        Self::power_law(stiffness, 1.0)
    }

    /// Returns the energy `w(V) = k V^m`, m >= 1.
    ///
    /// For m = 1, 3/2 and 2 results are the same on all platforms.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `stiffness` is negative, NaN, or above
    /// `f64::MAX / exponent`. Returns it also if `exponent` is below 1, NaN or infinite.
    pub fn power_law(stiffness: f64, exponent: f64) -> Result<Self> {
        const STIFFNESS: &str = "[0, f64::MAX / exponent]";
        check_parameter("exponent", exponent, 1.0..=f64::MAX, "[1, inf)")?;
        let bounds = 0.0..=f64::MAX / exponent;
        check_parameter("stiffness", stiffness, bounds, STIFFNESS)?;
        Ok(Self {
            stiffness,
            exponent,
        })
    }

    /// Returns the energy w(V).
    ///
    /// For a negative volume, a possible result of rounding, it is the value of the formula: NaN for
    /// most exponents that are not integers.
    pub fn energy(&self, volume: f64) -> f64 {
        self.pressure(volume) * volume / self.exponent
    }

    /// Returns the pressure `w'(V)`. For a negative volume see [`energy`](Self::energy).
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

    /// The results for the extreme parameters are never NaN for a nonnegative volume.
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
