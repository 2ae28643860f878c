//! The bodies of the scenes, and how they move.

use std::sync::Arc;

use osculate::glam::{DQuat, DVec3};
use osculate::shape::SolidMesh;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{ConvexPolyhedron, Error, Placed, Pose3, Sphere, SurfaceMesh, Wall};

/// The largest motion in a step, in radii.
const SPEED: f64 = 0.0125;
/// Bodies of these scenes have as many shapes.
const SHAPES: usize = 16;

/// A constant velocity and spin, in radii and radians a step.
pub(crate) struct Motion {
    velocity: DVec3,
    spin: DVec3,
}

impl Motion {
    /// Returns the same velocity for a number of bodies.
    pub(crate) fn common(count: usize) -> Vec<Self> {
        let motion = || Self {
            velocity: DVec3::X * SPEED,
            spin: DVec3::ZERO,
        };
        (0..count).map(|_| motion()).collect()
    }

    /// Returns random motions for a number of bodies.
    pub(crate) fn random(count: usize) -> Vec<Self> {
        let mut random = SplitMix64::new(3);
        let mut motion = || Self {
            velocity: random.in_ball() * SPEED,
            spin: random.in_ball() * 0.2 * SPEED,
        };
        (0..count).map(|_| motion()).collect()
    }
}

/// A body that moves.
pub(crate) trait Moving: Clone {
    fn moved(&self, motion: &Motion, time: f64) -> Self;
}

impl Moving for Sphere {
    fn moved(&self, motion: &Motion, time: f64) -> Self {
        let path = motion.velocity * (self.radius * time);
        Self::new(self.center + path, self.radius)
    }
}

/// A shape that all bodies of this shape share, of radius 1.
pub(crate) type Body<S> = Placed<Arc<S>>;

impl<S> Moving for Body<S> {
    fn moved(&self, motion: &Motion, time: f64) -> Self {
        let turn = DQuat::from_scaled_axis(motion.spin * time) * self.pose.rotation();
        let place = self.pose.translation() + motion.velocity * time;
        let pose = Pose3::new(turn.normalize(), place).expect("a finite pose");
        Self::new(self.shape.clone(), pose)
    }
}

/// Convex hulls of points on the unit sphere, about three of which reach each other a body.
pub(crate) fn polyhedra(
    count: usize,
    vertices: usize,
) -> Result<Vec<Body<ConvexPolyhedron>>, Error> {
    let mut random = SplitMix64::new(5);
    let mut shape = || {
        let points = (0..vertices).map(|_| random.in_ball().normalize());
        ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>())
    };
    let shapes: Result<Vec<_>, _> = (0..SHAPES).map(|_| shape()).collect();
    packed(count, &shapes?, 1.6)
}

/// Nonconvex rocks whose overlaps are small.
pub(crate) fn rocks(count: usize) -> Result<Vec<Body<SolidMesh>>, Error> {
    let rock = |seed| workload::rock(100, 0.2, seed);
    let shapes: Result<Vec<_>, _> = (0..SHAPES as u64).map(rock).collect();
    packed(count, &shapes?, 1.75)
}

/// Bodies in random rotations on a cubic lattice, moved aside at random.
fn packed<S: Clone>(count: usize, shapes: &[S], spacing: f64) -> Result<Vec<Body<S>>, Error> {
    let mut random = SplitMix64::new(6);
    let shapes: Vec<Arc<S>> = shapes.iter().cloned().map(Arc::new).collect();
    let side = (count as f64).cbrt().ceil() as usize;
    let body = |i: usize| {
        let site = [i % side, i / side % side, i / side / side].map(|k| k as f64 * spacing);
        let place = DVec3::from_array(site) + random.in_ball() * 0.1;
        let pose = Pose3::new(random.rotation(), place)?;
        Ok(Placed::new(shapes[i % shapes.len()].clone(), pose))
    };
    (0..count).map(body).collect()
}

/// Cuboids of 4 x 2 x 2 in running bond, with their faces on each other. They overlap by 0.001.
pub(crate) fn bricks(count: usize) -> Result<Vec<Body<ConvexPolyhedron>>, Error> {
    let corner = |i: u32| {
        let sign = |k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
        DVec3::new(2.0 * sign(0), sign(1), sign(2))
    };
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let shape = Arc::new(ConvexPolyhedron::from_convex_hull(&corners)?);
    let width = (4.0 * count as f64).sqrt().ceil() as usize;
    let brick = |i: usize| {
        let (along, layer) = ((i % width) as f64, i / width);
        let shift = if layer % 2 == 0 { 0.0 } else { 0.5 };
        let place = DVec3::new((along + shift) * 3.999, 0.0, layer as f64 * 1.999);
        Ok(Placed::new(shape.clone(), Pose3::from_translation(place)?))
    };
    (0..count).map(brick).collect()
}

/// A landscape of 100,352 triangles, and spheres that lie on it, as many as it has room for in one layer.
pub(crate) fn on_a_landscape(count: usize) -> Result<(Wall, Vec<Sphere>), Error> {
    const SIDE: u32 = 224;
    let mut random = SplitMix64::new(7);
    let row = SIDE + 1;
    let vertex = |i: u32| DVec3::new((i % row).into(), (i / row).into(), random.range(0.0, 0.2));
    let vertices = (0..row * row).map(vertex).collect();
    let cells = (0..SIDE * SIDE).map(|cell| cell / SIDE * row + cell % SIDE);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    let wall = Wall::new(SurfaceMesh::new(vertices, triangles)?);
    let across = (count as f64).sqrt().ceil() as usize;
    let spacing = f64::from(SIDE) / across as f64;
    let sphere = |i: usize| {
        let [x, y] = [i % across, i / across].map(|k| (k as f64 + 0.5) * spacing);
        Sphere::new(DVec3::new(x, y, 0.1 + 0.45 * spacing), 0.48 * spacing)
    };
    Ok((wall, (0..count).map(sphere).collect()))
}
