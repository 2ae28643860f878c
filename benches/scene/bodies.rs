//! The bodies of the scenes, and how they move.

use std::f64::consts::{PI, SQRT_2};
use std::sync::Arc;

use osculate::glam::{DQuat, DVec3};
use osculate::shape::SolidMesh;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{ConvexPolyhedron, Error, Placed, Pose3, Rounded, Sphere, SurfaceMesh, Wall};

/// The largest motion in a step, in radii.
const SPEED: f64 = 0.0125;
/// Bodies of these scenes have as many shapes.
const SHAPES: usize = 16;
/// The distance of polyhedra of radius 1, about three of which then reach each other a body.
const SPACING: f64 = 1.6;

/// A constant velocity and spin, in radii and radians a step.
pub(crate) struct Motion {
    velocity: DVec3,
    spin: DVec3,
}

impl Motion {
    /// Returns no motion for a number of bodies.
    pub(crate) fn none(count: usize) -> Vec<Self> {
        Self::common(count, DVec3::ZERO)
    }

    /// Returns the same velocity for a number of bodies.
    pub(crate) fn along_x(count: usize) -> Vec<Self> {
        Self::common(count, DVec3::X * SPEED)
    }

    fn common(count: usize, velocity: DVec3) -> Vec<Self> {
        let spin = DVec3::ZERO;
        (0..count).map(|_| Self { velocity, spin }).collect()
    }

    /// Returns random motions for a number of bodies, which are as many radii long to each side.
    pub(crate) fn random(count: usize, length: f64) -> Vec<Self> {
        let mut random = SplitMix64::new(3);
        let mut motion = || Self {
            velocity: random.in_ball() * SPEED,
            spin: random.in_ball() * (0.2 * SPEED / length),
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

/// Convex hulls of points on the unit sphere, at a distance of [`SPACING`].
pub(crate) fn polyhedra(
    count: usize,
    vertices: usize,
) -> Result<Vec<Body<ConvexPolyhedron>>, Error> {
    placed(cube(count, SPACING), &hulls(vertices)?)
}

fn hulls(vertices: usize) -> Result<Vec<ConvexPolyhedron>, Error> {
    let mut random = SplitMix64::new(5);
    let mut hull = || {
        let points = (0..vertices).map(|_| random.in_ball().normalize());
        ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>())
    };
    (0..SHAPES).map(|_| hull()).collect()
}

/// Cuboids with rounded edges.
pub(crate) fn rounded_blocks(count: usize) -> Result<Vec<Body<Rounded>>, Error> {
    let core = cuboid(DVec3::new(0.6, 0.5, 0.4))?;
    placed(cube(count, 1.5), &[Rounded::polyhedron(core, 0.12)?])
}

/// Nonconvex rocks whose overlaps are small.
pub(crate) fn rocks(count: usize) -> Result<Vec<Body<SolidMesh>>, Error> {
    let rock = |seed| workload::rock(100, 0.2, seed);
    let shapes: Result<Vec<_>, _> = (0..SHAPES as u64).map(rock).collect();
    placed(cube(count, 1.75), &shapes?)
}

/// Capsules anywhere, `length` to each side, whose volumes add up to a fraction of the space.
pub(crate) fn capsules(
    count: usize,
    [radius, length]: [f64; 2],
    fraction: f64,
) -> Result<Vec<Body<Rounded>>, Error> {
    let end = DVec3::X * (length - radius);
    let volume = PI * radius * radius * (2.0 * end.x + 4.0 / 3.0 * radius);
    let side = (count as f64 * volume / fraction).cbrt();
    let mut random = SplitMix64::new(8);
    let sites = (0..count).map(|_| DVec3::from_array([0; 3].map(|_| random.range(0.0, side))));
    placed(sites, &[Rounded::capsule([-end, end], radius)?])
}

/// The sites of a cubic lattice.
fn cube(count: usize, spacing: f64) -> impl Iterator<Item = DVec3> {
    let side = (count as f64).cbrt().ceil() as usize;
    (0..count).map(move |i| {
        let site = [i % side, i / side % side, i / side / side].map(|k| k as f64 * spacing);
        DVec3::from_array(site)
    })
}

/// Bodies in random rotations at sites, moved aside at random.
fn placed<S: Clone>(
    sites: impl Iterator<Item = DVec3>,
    shapes: &[S],
) -> Result<Vec<Body<S>>, Error> {
    let mut random = SplitMix64::new(6);
    let shapes: Vec<Arc<S>> = shapes.iter().cloned().map(Arc::new).collect();
    let body = |(site, shape): (DVec3, &Arc<S>)| {
        let place = site + random.in_ball() * 0.1;
        let pose = Pose3::new(random.rotation(), place)?;
        Ok(Placed::new(shape.clone(), pose))
    };
    sites.zip(shapes.iter().cycle()).map(body).collect()
}

fn cuboid(half: DVec3) -> Result<ConvexPolyhedron, Error> {
    let corner = |i: u32| {
        let sign = |k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    };
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())
}

/// Cuboids of 1.6 x 0.8 x 0.8 in running bond, with their faces on each other. They overlap by 0.0004.
pub(crate) fn bricks(count: usize) -> Result<Vec<Body<ConvexPolyhedron>>, Error> {
    let shape = Arc::new(cuboid(DVec3::new(0.8, 0.4, 0.4))?);
    let width = (4.0 * count as f64).sqrt().ceil() as usize;
    let brick = |i: usize| {
        let (along, layer) = ((i % width) as f64, i / width);
        let shift = if layer % 2 == 0 { 0.0 } else { 0.5 };
        let place = DVec3::new((along + shift) * 1.5996, 0.0, layer as f64 * 0.7996);
        Ok(Placed::new(shape.clone(), Pose3::from_translation(place)?))
    };
    (0..count).map(brick).collect()
}

/// A landscape of 100,352 triangles, and spheres that lie on it, as many as it has room for in one layer.
pub(crate) fn on_a_landscape(count: usize) -> Result<(Wall, Vec<Sphere>), Error> {
    const SIDE: u32 = 224;
    let mut random = SplitMix64::new(7);
    let wall = terrain(SIDE, |x, y| DVec3::new(x, y, random.range(0.0, 0.2)))?;
    let across = (count as f64).sqrt().ceil() as usize;
    let spacing = f64::from(SIDE) / across as f64;
    let sphere = |i: usize| {
        let [x, y] = [i % across, i / across].map(|k| (k as f64 + 0.5) * spacing);
        Sphere::new(DVec3::new(x, y, 0.1 + 0.45 * spacing), 0.48 * spacing)
    };
    Ok((wall, (0..count).map(sphere).collect()))
}

/// Polyhedra that fill a hopper of four sides at 45 degrees. Its triangles are about as large as the bodies, and the bodies
/// next to them overlap them.
pub(crate) fn in_a_hopper(count: usize) -> Result<(Wall, Vec<Body<ConvexPolyhedron>>), Error> {
    /// Bodies from the middle to a side of the lowest layer.
    const OUTLET: u32 = 5;
    /// The distance of bodies from a side.
    const GAP: f64 = 0.5 * SPACING;
    let layer = |z: u32| {
        let (half, row) = (OUTLET + z, 2 * (OUTLET + z) + 1);
        let along = move |k: u32| f64::from(k) - f64::from(half);
        (0..row * row).map(move |i| DVec3::new(along(i % row), along(i / row), z.into()) * SPACING)
    };
    let sites: Vec<DVec3> = (0..).flat_map(layer).take(count).collect();
    let half = sites.iter().fold(0.0, |half: f64, site| half.max(site.x)) / SPACING + 2.0;
    let height = |x: f64, y: f64| {
        let out = x.abs().max(y.abs()) - f64::from(OUTLET) * SPACING;
        (out - GAP * SQRT_2).max(-GAP)
    };
    let wall = terrain(2 * half as u32, |x, y| {
        let (x, y) = ((x - half) * SPACING, (y - half) * SPACING);
        DVec3::new(x, y, height(x, y))
    })?;
    Ok((wall, placed(sites.into_iter(), &hulls(14)?)?))
}

/// A square of `side` x `side` cells of two triangles, with their fronts up.
fn terrain(side: u32, mut vertex: impl FnMut(f64, f64) -> DVec3) -> Result<Wall, Error> {
    let row = side + 1;
    let vertices = (0..row * row).map(|i| vertex((i % row).into(), (i / row).into()));
    let cells = (0..side * side).map(|cell| cell / side * row + cell % side);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    let mesh = SurfaceMesh::new(vertices.collect(), triangles)?;
    Ok(Wall::new(mesh))
}
