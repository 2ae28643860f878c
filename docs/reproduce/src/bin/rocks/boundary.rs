//! The walls of a scene: a box or a terrain at rest, or a drum that turns.

use std::f64::consts::{PI, TAU};

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::{Aabb, Bounded as _, ConvexPolyhedron, Error, Pose3, SolidMesh, Sphere};

use crate::terrain;
use reproduce::solids::cuboid;

/// Thicker than the largest penetration.
const THICK: f64 = 4.0;

/// Closed walls that rotate together about y.
pub(crate) struct Boundary {
    pub name: &'static str,
    pub parts: Vec<SolidMesh>,
    bounds: Vec<Aabb>,
    /// The number of parts, from the first, that do not hide the bodies.
    visible: usize,
    inside: Inside,
    pub friction: f64,
    /// Angular velocity about y, and the angle.
    pub rate: f64,
    pub angle: f64,
}

enum Inside {
    /// [0, side]^2, above side times a function of x / side and y / side.
    Box { side: f64, floor: fn(DVec2) -> f64 },
    /// A cylinder around y.
    Drum { radius: f64, length: f64 },
}

impl Boundary {
    fn new(name: &'static str, parts: Vec<SolidMesh>, visible: usize, inside: Inside) -> Self {
        let bounds = parts.iter().map(|part| part.bounding_box()).collect();
        Self {
            name,
            parts,
            bounds,
            visible,
            inside,
            friction: 0.5,
            rate: 0.0,
            angle: 0.0,
        }
    }

    /// A floor and four walls around [0, side]^2.
    pub(crate) fn pit(side: f64) -> Result<Self, Error> {
        let (low, high) = (DVec2::splat(-THICK), DVec2::splat(side + THICK));
        let mut parts = vec![cuboid(low.extend(-THICK), high.extend(0.0))?];
        parts.extend(fence(side)?);
        let floor = |_: DVec2| 0.0;
        Ok(Self::new("box", parts, 0, Inside::Box { side, floor }))
    }

    /// A slope with low friction and four walls around it, as in example 6 of the paper.
    pub(crate) fn terrain(side: f64) -> Result<Self, Error> {
        let mut parts = vec![terrain::terrain(side, THICK)?];
        parts.extend(fence(side)?);
        let floor = terrain::height;
        let inside = Inside::Box { side, floor };
        let friction = 0.05;
        let walls = Self::new("valley", parts, 1, inside);
        Ok(Self { friction, ..walls })
    }

    /// Twelve sides, six baffles and two ends. Example 5 of the paper has 20 revolutions a minute and a diameter of 2 m:
    /// this one has the same ratio of the centrifugal force to the weight.
    pub(crate) fn drum(radius: f64, length: f64) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let half = 0.5 * length + THICK;
        let turned = |corners: Vec<DVec3>, angle: f64| {
            let turn = DQuat::from_rotation_y(angle);
            let corners: Vec<_> = corners.into_iter().map(|x| turn * x).collect();
            Ok::<_, Error>(ConvexPolyhedron::from_convex_hull(&corners)?.to_solid())
        };
        let block = |x: [f64; 2], z: [f64; 2]| {
            let corner = |i: usize| DVec3::new(x[i & 1], [-half, half][i >> 1 & 1], z[i >> 2]);
            (0..8).map(corner).collect::<Vec<_>>()
        };
        // The sides overlap at their edges.
        let wide = (radius + THICK) * (PI / 12.0).tan();
        for side in 0..12 {
            let angle = TAU * f64::from(side) / 12.0;
            parts.push(turned(
                block([-wide, wide], [-radius - THICK, -radius]),
                angle,
            )?);
            if side % 2 == 0 {
                let baffle = block(
                    [-0.05 * radius, 0.05 * radius],
                    [-radius - 1.0, -0.8 * radius],
                );
                parts.push(turned(baffle, angle)?);
            }
        }
        let far = DVec3::new(radius, 0.0, radius) * 2.0;
        for y in [-half, 0.5 * length] {
            let low = DVec3::Y * y;
            parts.push(cuboid(low - far, low + far + DVec3::Y * THICK)?);
        }
        let rate = (TAU / 3.0) * (1.0 / 9.81 / radius).sqrt();
        let (visible, inside) = (parts.len() - 2, Inside::Drum { radius, length });
        let walls = Self::new("drum", parts, visible, inside);
        Ok(Self { rate, ..walls })
    }

    pub(crate) fn drift(&mut self, time: f64) {
        self.angle += self.rate * time;
    }

    pub(crate) fn pose(&self) -> Result<Pose3, Error> {
        Pose3::new(DQuat::from_rotation_y(self.angle), DVec3::ZERO)
    }

    /// The angular velocity.
    pub(crate) fn turning(&self) -> DVec3 {
        DVec3::Y * self.rate
    }

    /// Visits the parts whose boxes touch a sphere.
    pub(crate) fn for_each_near(&self, pose: &Pose3, sphere: &Sphere, visit: impl FnMut(usize)) {
        let local = Sphere::new(pose.inverse_transform_point(sphere.center), sphere.radius);
        let is_near = |&i: &usize| self.bounds[i].touches(&local.bounding_box());
        (0..self.parts.len()).filter(is_near).for_each(visit);
    }

    /// Whether a center of mass is inside.
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        match self.inside {
            Inside::Box { side, floor } => {
                let low = side * floor(p.truncate() / side);
                p.z > low && p.x.min(p.y) > 0.0 && p.x.max(p.y) < side
            }
            Inside::Drum { radius, length } => {
                p.x.hypot(p.z) < radius / (PI / 12.0).cos() && p.y.abs() < 0.5 * length
            }
        }
    }

    /// The lowest height inside.
    pub(crate) fn bottom(&self) -> f64 {
        match self.inside {
            Inside::Box { .. } => 0.0,
            Inside::Drum { radius, .. } => -radius,
        }
    }

    /// The highest point of the first part.
    pub(crate) fn top(&self) -> f64 {
        self.bounds[0].max.z
    }

    pub(crate) fn width(&self) -> f64 {
        match self.inside {
            Inside::Box { side, .. } => side,
            Inside::Drum { radius, .. } => 2.0 * radius,
        }
    }

    pub(crate) fn visible(&self) -> &[SolidMesh] {
        &self.parts[..self.visible]
    }
}

/// Walls around [0, side]^2.
fn fence(side: f64) -> Result<[SolidMesh; 4], Error> {
    const HEIGHT: f64 = 1e3;
    let (low, high) = (-THICK, side + THICK);
    let corner = DVec3::new;
    Ok([
        cuboid(corner(low, low, low), corner(0.0, high, HEIGHT))?,
        cuboid(corner(side, low, low), corner(high, high, HEIGHT))?,
        cuboid(corner(low, low, low), corner(high, 0.0, HEIGHT))?,
        cuboid(corner(low, side, low), corner(high, high, HEIGHT))?,
    ])
}
