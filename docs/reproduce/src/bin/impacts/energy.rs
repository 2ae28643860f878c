//! Contact energies w(V): those of the library, and one of the caller.

use osculate::glam::DVec3;
use osculate::{ContactEnergy, ContactVolume, Error};

/// An energy as a function of the intersection volume, increasing from 0.
#[derive(Clone, Copy)]
pub(crate) enum Energy {
    PowerLaw(ContactEnergy),
    /// k (exp(V / V0) - 1).
    Stiffening {
        stiffness: f64,
        volume: f64,
    },
}

impl Energy {
    /// k V with this k, and other laws with the same energy at the volume where `w = most`.
    pub(crate) fn family(stiffness: f64, most: f64) -> Result<[(&'static str, Self); 3], Error> {
        let deepest = most / stiffness;
        let half = 0.5 * deepest;
        Ok([
            ("k V", Self::PowerLaw(ContactEnergy::linear(stiffness)?)),
            (
                "k V^1.5",
                Self::PowerLaw(ContactEnergy::power_law(most / deepest.powf(1.5), 1.5)?),
            ),
            (
                "k (exp(V/V0) - 1)",
                Self::Stiffening {
                    stiffness: most / (deepest / half).exp_m1(),
                    volume: half,
                },
            ),
        ])
    }

    /// w(V).
    pub(crate) fn energy(&self, contact: &ContactVolume<DVec3>) -> f64 {
        match self {
            Self::PowerLaw(law) => law.energy(contact.volume),
            Self::Stiffening { stiffness, volume } => {
                stiffness * (contact.volume / volume).exp_m1()
            }
        }
    }

    /// w'(V): the force on the first body is -w'(V) S, its moment -w'(V) G.
    pub(crate) fn pressure(&self, contact: &ContactVolume<DVec3>) -> f64 {
        match self {
            Self::PowerLaw(law) => law.pressure(contact.volume),
            Self::Stiffening { stiffness, volume } => {
                stiffness / volume * (contact.volume / volume).exp()
            }
        }
    }
}
