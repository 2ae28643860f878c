//! Generated values that print how to build them.

use std::borrow::Borrow;
use std::fmt::{self, Debug};
use std::ops::Deref;

use glam::{DVec2, DVec3};

/// A generated value with the Rust expression that builds it.
///
/// `Debug` prints the expression, so that a failing case can be pasted into a test. A value is used
/// through `Deref` or `Borrow`, and as the shape of a [`Placed`](crate::Placed) body.
#[derive(Clone)]
pub struct Case<T> {
    value: T,
    expression: String,
}

impl<T> Case<T> {
    /// Pairs a value with the expression that builds it.
    pub fn new(value: T, expression: String) -> Self {
        Self { value, expression }
    }

    /// Returns the value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Case<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Borrow<T> for Case<T> {
    fn borrow(&self) -> &T {
        &self.value
    }
}

impl<T> Debug for Case<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expression)
    }
}

/// Returns the expression for the convex hull of points in space, three points a line.
pub(super) fn hull_expression(points: &[DVec3]) -> String {
    let point = |p: &DVec3| format!("DVec3::new({:?}, {:?}, {:?})", p.x, p.y, p.z);
    call("ConvexPolyhedron::from_convex_hull", points, point)
}

/// Returns the expression for the convex hull of points in the plane, three points a line.
pub(super) fn planar_hull_expression(points: &[DVec2]) -> String {
    let point = |p: &DVec2| format!("DVec2::new({:?}, {:?})", p.x, p.y);
    call("ConvexPolygon::from_convex_hull", points, point)
}

fn call<P>(function: &str, points: &[P], point: impl Fn(&P) -> String) -> String {
    let lines = points.chunks(3).map(|chunk| {
        let points: Vec<String> = chunk.iter().map(&point).collect();
        format!("    {},\n", points.join(", "))
    });
    format!("{function}(&[\n{}])?", lines.collect::<String>())
}
