//! Constructors, conversions and mass properties of shapes.

#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "proptest")]
mod bodies;
#[cfg(feature = "proptest")]
mod conversions;
mod faults;
mod mass_properties;
mod polygon_rings;
mod thickened;
