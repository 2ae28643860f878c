//! Laws and oracles.
