//! Inputs that several targets share.

use osculate::glam::{DQuat, DVec3};
use osculate::*;

/// Points, a rotation and a position.
pub type Body = (Vec<[i8; 3]>, [i8; 4], [i8; 3]);

pub fn vector(v: [i8; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

/// Returns the convex hull of at most 16 points, `None` for a flat one.
pub fn body((points, turn, at): &Body) -> Option<Placed<ConvexPolyhedron, DVec3>> {
    let points: Vec<DVec3> = points.iter().take(16).copied().map(vector).collect();
    let shape = ConvexPolyhedron::from_convex_hull(&points).ok()?;
    Some(Placed::new(shape, pose(turn, at)?))
}

/// Returns a body with a radius in eighths: a ball of one point, a capsule of two, otherwise a rounded hull.
pub fn rounded(input: &Body, eighths: u8) -> Option<Placed<Rounded, DVec3>> {
    let (points, turn, at) = input;
    let radius = f64::from(eighths) * 0.125;
    let shape = match points[..] {
        [center] => Rounded::capsule([vector(center); 2], radius),
        [from, to] => Rounded::capsule([from, to].map(vector), radius),
        _ => Rounded::polyhedron(body(input)?.shape, radius),
    };
    Some(Placed::new(shape.ok()?, pose(turn, at)?))
}

fn pose(turn: &[i8; 4], at: &[i8; 3]) -> Option<Pose3> {
    let turn = DQuat::from_array(turn.map(f64::from));
    let turn = if turn.length_squared() > 0.0 {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    };
    Pose3::new(turn, vector(*at)).ok()
}
