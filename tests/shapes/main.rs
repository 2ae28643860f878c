//! Constructors, conversions and mass properties of shapes.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod conversions;
mod faults;
mod mass_properties;
mod shells;
mod thickened;
