//! A horizontal drum with lifters that rotates about the x axis, along which it is periodic.

use std::f64::consts::TAU;

use osculate::glam::{DQuat, DVec3};
use osculate::{Error, PeriodicBox, Pose3, SurfaceMesh, Wall};

/// Meters.
pub const RADIUS: f64 = 0.1;
/// Angular velocity, rad/s.
const TURNING: f64 = 6.0;

/// Strips around the drum, and between two lifters.
const SIDES: u32 = 48;
const SPACING: u32 = 8;
/// Facets along the axis.
const COLUMNS: u32 = 16;
/// How far a lifter reaches inwards.
const HEIGHT: f64 = 0.015;

pub struct Drum {
    pub wall: Wall,
    pub period: PeriodicBox,
}

impl Drum {
    pub fn new(length: f64) -> Result<Self, Error> {
        let size = DVec3::new(length, 0.0, 0.0);
        let period = PeriodicBox::orthogonal(DVec3::ZERO, size, [true, false, false])?;
        let wall = Wall::periodic(mesh(length)?, period, RADIUS)?;
        Ok(Self { wall, period })
    }

    pub fn set_time(&mut self, time: f64) -> Result<(), Error> {
        let turn = DQuat::from_rotation_x(TURNING * time);
        self.wall.set_pose(Pose3::new(turn, DVec3::ZERO)?);
        Ok(())
    }

    /// Returns the velocity of the wall at a point.
    pub fn velocity(point: DVec3) -> DVec3 {
        (DVec3::X * TURNING).cross(point)
    }

    /// Returns whether a sphere is inside, away from the lifters, where the mesh was built.
    pub fn has_room(center: DVec3, radius: f64) -> bool {
        let inner = RADIUS * (0.5 * TAU / f64::from(SIDES)).cos() - HEIGHT;
        DVec3::new(0.0, center.y, center.z).length() + radius < inner
    }
}

/// One period, with fronts inside.
fn mesh(length: f64) -> Result<SurfaceMesh, Error> {
    let at = |i: u32, radius: f64| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
        DVec3::new(0.0, radius * sin, radius * cos)
    };
    // The profile, with a lifter at every eighth strip.
    let mut profile = Vec::new();
    for i in 0..SIDES {
        profile.push(at(i, RADIUS));
        if i % SPACING == 0 {
            profile.extend([i, i + 1].map(|i| at(i, RADIUS - HEIGHT)));
        }
    }
    let around = profile.len() as u32;
    let x = |column| DVec3::X * (length * f64::from(column) / f64::from(COLUMNS));
    let rings = (0..=COLUMNS).flat_map(|column| profile.iter().map(move |&p| p + x(column)));
    let facets = (0..COLUMNS * around).map(|i| {
        let next = i / around * around + (i + 1) % around;
        [i, next, next + around, i + around]
    });
    let mesh = SurfaceMesh::new(rings.collect(), facets)?;
    Ok(mesh)
}
