//! Capsules and rounded blocks in a drum that rotates, as in the example `rounded`, but more of them.

use std::f64::consts::TAU;
use std::path::Path;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{CapsuleWall, WallSides};
use osculate::shape::Capsule;
use osculate::{
    CommonPlane, CommonPlaneState, ConvexPolyhedron, Error, HierarchicalGrid, NarrowPhase,
    PairList, Placed, Pose3, PressureField, Rounded, Skin, SurfaceMesh, Wall,
};
use reproduce::vtp::{Array, PolyData};
use reproduce::{Result, rigid};

type Shape = rigid::Shape<Rounded>;
type Body<'a> = rigid::Body<'a, Rounded>;

/// SI units, as in the example.
const STEP: f64 = 5e-4;
const STEPS: usize = 7000;
const STIFFNESS: f64 = 1e5;
const LAYER: f64 = 1e7;
const FRICTION: f64 = 0.5;
const DAMPING: f64 = 200.0;
const SPIN: DVec3 = DVec3::new(0.0, 2.0, 0.0);
const RADIUS: f64 = 0.05;
/// Of the edges of a block.
const EDGE: f64 = 0.5 * RADIUS;
/// Of the drum, and its length.
const DRUM: [f64; 2] = [1.2, 1.0];
const COUNT: u32 = 576;

/// The force on the second body; `velocity` is relative to the first.
fn force(elastic: f64, normal: DVec3, velocity: DVec3, damping: f64) -> DVec3 {
    let approach = -velocity.dot(normal);
    let pressed = (elastic + damping * approach).max(0.0);
    let sliding = velocity + normal * approach;
    normal * pressed - sliding.clamp_length_max(FRICTION * pressed / damping) * damping
}

/// A drum about the y axis, with its fronts inside: a prism of 48 sides.
fn drum() -> Result<Wall> {
    let corner = |i: u32| {
        let (sin, cos) = (f64::from(i / 2) * TAU / 48.0).sin_cos();
        DVec3::new(
            DRUM[0] * sin,
            DRUM[1] * (f64::from(i % 2) - 0.5),
            DRUM[0] * cos,
        )
    };
    let prism = ConvexPolyhedron::from_convex_hull(&(0..96).map(corner).collect::<Vec<_>>())?;
    Ok(Wall::new(SurfaceMesh::from(prism).reversed()))
}

/// A cube, and the shapes: a capsule, and the cube rounded.
fn shapes() -> Result<(ConvexPolyhedron, [Shape; 2])> {
    let corner = |i: u32| DVec3::from([0, 1, 2].map(|k| 0.1 * f64::from(i >> k & 1) - 0.05));
    let core = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
    let solids = [
        Rounded::capsule([DVec3::Z * -0.1, DVec3::Z * 0.1], RADIUS)?,
        Rounded::polyhedron(core.clone(), EDGE)?,
    ];
    let shape = |solid: Rounded| {
        let body = solid.mass_properties(1000.0);
        let moments = DVec3::from([0, 1, 2].map(|k| body.inertia.col(k)[k]));
        Shape::principal(solid, body.mass, moments)
    };
    Ok((core, solids.map(shape)))
}

/// A mesh of a rounded body: the hull of points on the spheres around the vertices of its core.
fn mesh(solid: &Rounded) -> Result<SurfaceMesh> {
    let mut points = Vec::new();
    for &vertex in solid.core_vertices() {
        for i in 0..7 {
            let (up, across) = (TAU / 2.0 * f64::from(i) / 6.0).sin_cos();
            for k in 0..12 {
                let (sin, cos) = (TAU * f64::from(k) / 12.0).sin_cos();
                points.push(vertex + solid.radius() * DVec3::new(up * cos, up * sin, across));
            }
        }
    }
    Ok(ConvexPolyhedron::from_convex_hull(&points)?.into())
}

fn bodies(shapes: &[Shape; 2]) -> Vec<Body<'_>> {
    let body = |i: u32| {
        let cell = DVec3::new((i % 8).into(), (i / 8 % 4).into(), (i / 32).into());
        let center = (cell - DVec3::new(3.5, 1.5, 5.0)) * DVec3::new(0.2, 0.24, 0.14);
        // Capsules begin almost along the drum, in layers as wide as the drum.
        let turn = DQuat::from_rotation_x(TAU / 4.0 + 0.3 * f64::from(i).sin());
        Body::new(
            &shapes[(i % 2) as usize],
            turn,
            center * DVec3::new(1.0, 0.9, 1.0),
        )
    };
    let is_inside = |body: &Body| body.position.x.hypot(body.position.z) < DRUM[0] - 0.2;
    (0..COUNT).map(body).filter(is_inside).collect()
}

/// Pushes a body off the wall of the drum.
fn push_off(
    body: &mut Body,
    core: &ConvexPolyhedron,
    drum: &Wall,
    capsules: &mut CapsuleWall,
    blocks: &mut PressureField,
) -> Result<()> {
    let placed = body.placed()?;
    // Points, normals into the wall, elastic forces and damping.
    let mut points = Vec::new();
    if let [a, b] = *placed.shape.core_vertices() {
        let ends = [a, b].map(|end| placed.pose.transform_point(end));
        capsules.for_each_contact(&Capsule::new(ends, RADIUS), drum, &mut (), |c| {
            points.push((c.point, c.normal, STIFFNESS * c.overlap, DAMPING));
        });
    } else {
        let core = Placed::new(core, placed.pose);
        blocks.for_each_contact(&core, drum, &mut Default::default(), |c| {
            for share in c.points.iter().flat_map(|points| &points.shares) {
                let damping = 100.0 * DAMPING * share.area;
                points.push((share.point, c.normal, LAYER * share.load, damping));
            }
        });
    }
    for (point, normal, elastic, damping) in points {
        let velocity = body.velocity_at(point) - SPIN.cross(point);
        body.push(force(elastic, -normal, velocity, damping) * STEP, point);
    }
    Ok(())
}

pub(crate) fn run(path: &Path) -> Result<()> {
    let (core, shapes) = shapes()?;
    let (mut bodies, mut drum) = (bodies(&shapes), drum()?);
    let skin = Skin::Absolute(0.02);
    let mut list = PairList::<_, CommonPlaneState>::new(HierarchicalGrid::new(), skin)?;
    let mut plane = CommonPlane::new();
    let mut capsules = CapsuleWall::new().with_sides(WallSides::Front);
    let mut blocks = PressureField::new().with_points().with_margin(EDGE)?;
    for step in 0..STEPS {
        let turn = DQuat::from_scaled_axis(SPIN * (step as f64 * STEP));
        drum.set_pose(Pose3::new(turn.normalize(), DVec3::ZERO)?);
        let placed = bodies.iter().map(Body::placed);
        let placed = placed.collect::<std::result::Result<Vec<_>, Error>>()?;
        list.update(&placed)?;
        list.for_each_pair(|i, j, state| {
            if let Some(c) = plane.contact_with(&placed[i], &placed[j], state) {
                let velocity = bodies[j].velocity_at(c.point) - bodies[i].velocity_at(c.point);
                let impulse = force(STIFFNESS * c.overlap, c.normal, velocity, DAMPING) * STEP;
                bodies[i].push(-impulse, c.point);
                bodies[j].push(impulse, c.point);
            }
        });
        for body in &mut bodies {
            push_off(body, &core, &drum, &mut capsules, &mut blocks)?;
            body.kick(DVec3::Z * (-9.81 * body.shape.mass * STEP), DVec3::ZERO);
            body.drift(STEP);
        }
    }

    let meshes = [mesh(&shapes[0].solid)?, mesh(&shapes[1].solid)?];
    let (mut data, mut speeds) = (PolyData::default(), Vec::new());
    for body in &bodies {
        let placed = body.placed()?;
        let is_block = placed.shape.core_vertices().len() > 2;
        let count = data.add_surface(&meshes[usize::from(is_block)], &placed.pose);
        speeds.resize(count, (body.momentum / body.shape.mass).length());
    }
    let count = data.add_surface(drum.mesh(), drum.pose());
    speeds.resize(count, -1.0);
    data.cell_data = vec![("speed", Array::Scalars(speeds))];
    data.write(path)?;
    let middle = bodies.iter().map(|body| body.position).sum::<DVec3>() / bodies.len() as f64;
    println!("{} bodies, centers at {middle:.2} m", bodies.len());
    Ok(())
}
