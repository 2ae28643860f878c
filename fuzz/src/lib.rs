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
    let turn = DQuat::from_array(turn.map(f64::from));
    let turn = if turn.length_squared() > 0.0 {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    };
    let pose = Pose3::new(turn, vector(*at)).ok()?;
    Some(Placed::new(
        ConvexPolyhedron::from_convex_hull(&points).ok()?,
        pose,
    ))
}
