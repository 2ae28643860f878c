//! Clusters as rigid bodies, their contacts with each other and with a wall.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ContactSelection, WallHistory};
use osculate::{
    DoubleHierarchy, Error, Filtered, HierarchicalGrid, MassProperties, NarrowPhase as _, PairList,
    Pose3, Skin, Sphere, SphereSphere, SurfaceMesh, Wall, WallList,
};

use crate::Result;
use crate::sheet::Sheet;
use reproduce::random::SplitMix64;
use reproduce::rigid::{self, Shape};

pub(crate) const CLUSTERS: usize = 45;
pub(crate) const RADIUS: f64 = 0.05;
pub(crate) const GRAVITY: f64 = 9.81;
pub(crate) const TIME_STEP: f64 = 2e-4;
const STIFFNESS: f64 = 2e4;
const DAMPING: f64 = 60.0;
const FRICTION: f64 = 0.5;

type Body<'a> = rigid::Body<'a, [DVec3; 4]>;
/// Without the pairs within a cluster.
type OtherClusters = Filtered<HierarchicalGrid, fn(usize, usize) -> bool>;

/// Four spheres that touch each other, around their center of mass.
pub(crate) fn cluster() -> std::result::Result<Shape<[DVec3; 4]>, Error> {
    let corners = [
        [1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
    ];
    let centers = corners.map(|corner| DVec3::from(corner) * (RADIUS / 2.0_f64.sqrt()));
    let balls = centers.map(|center| Sphere::new(center, RADIUS).mass_properties(1000.0));
    let whole: MassProperties = balls.into_iter().sum();
    // A regular tetrahedron: all axes are principal.
    Ok(Shape::principal(centers, whole.mass, whole.principal().0))
}

/// What the contacts with the wall carry.
#[derive(Clone, Copy, Default)]
pub(crate) struct Support {
    pub contacts: usize,
    /// On the clusters, and the moment about the origin.
    pub force: DVec3,
    pub moment: DVec3,
}

pub(crate) struct Heap<'a> {
    pub bodies: Vec<Body<'a>>,
    pub wall: Wall,
    pub sheet: Option<Sheet>,
    /// Of the last step.
    pub support: Support,
    /// The largest difference of force and of moment between contacts and nodes, relative to their magnitude.
    pub imbalance: [f64; 2],
    list: PairList<OtherClusters, DVec3>,
    /// The springs at the wall, and the state of the kernel.
    near: WallList<WallHistory<DVec3>>,
    kernel: DoubleHierarchy,
}

impl<'a> Heap<'a> {
    /// A column of clusters in random orientations.
    pub(crate) fn new(
        shape: &'a Shape<[DVec3; 4]>,
        floor: SurfaceMesh,
        sheet: Option<Sheet>,
    ) -> Result<Self> {
        let mut random = SplitMix64::new(8);
        let bodies = (0..CLUSTERS).map(|i| {
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            let place = [i % 3, i / 3 % 3, i / 9].map(|k| 0.22 * k as f64);
            let place = DVec3::from(place) + DVec3::new(-0.22, -0.22, 0.15);
            Body::new(shape, turn.normalize(), place)
        });
        let skin = Skin::Absolute(0.02);
        // Sphere i belongs to the cluster i / 4.
        let grid = Filtered::new(
            HierarchicalGrid::new(),
            (|i, j| i / 4 != j / 4) as fn(_, _) -> _,
        );
        let selection = ContactSelection::merge_for_indentation(0.25)?;
        Ok(Self {
            bodies: bodies.collect(),
            wall: Wall::new(floor),
            sheet,
            support: Support::default(),
            imbalance: [0.0; 2],
            list: PairList::new(grid, skin)?,
            near: WallList::new(skin)?,
            kernel: DoubleHierarchy::new().with_selection(selection),
        })
    }

    /// The spheres of all clusters.
    pub(crate) fn spheres(&self) -> Result<Vec<Sphere>> {
        let mut spheres = Vec::new();
        for body in &self.bodies {
            let pose = Pose3::new_normalize(body.rotation, body.position)?;
            spheres.extend(
                body.shape
                    .solid
                    .map(|x| Sphere::new(pose.transform_point(x), RADIUS)),
            );
        }
        Ok(spheres)
    }

    pub(crate) fn kinetic(&self) -> f64 {
        self.bodies.iter().flat_map(Body::kinetic).sum()
    }

    pub(crate) fn highest(&self) -> f64 {
        self.bodies
            .iter()
            .map(|body| body.position.z)
            .fold(0.0, f64::max)
    }

    /// Half a drift, a kick, half a drift.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.bodies
            .iter_mut()
            .for_each(|body| body.drift(0.5 * TIME_STEP));
        let spheres = self.spheres()?;
        let mut impulses = Vec::new();
        let bodies = &self.bodies;
        self.list.update(&spheres)?;
        self.list.for_each_touching_pair(|i, j, spring| {
            if let Some(contact) = SphereSphere::new().contact(&spheres[i], &spheres[j]) {
                let [a, b] = [i / 4, j / 4].map(|k| bodies[k].velocity_at(contact.point));
                let force = force(contact.overlap, contact.normal, b - a, spring);
                impulses.extend([
                    (i / 4, -force, contact.point),
                    (j / 4, force, contact.point),
                ]);
            }
        });
        self.touch_wall(&spheres, &mut impulses)?;
        for (i, force, point) in impulses {
            self.bodies[i].push(force * TIME_STEP, point);
        }
        for body in &mut self.bodies {
            body.kick(
                DVec3::Z * (-GRAVITY * body.shape.mass * TIME_STEP),
                DVec3::ZERO,
            );
            body.drift(0.5 * TIME_STEP);
        }
        if let Some(sheet) = &mut self.sheet {
            self.wall.set_vertices(&sheet.advance())?;
        }
        Ok(())
    }

    /// Adds the forces of the wall. A sheet gets their negatives at its nodes.
    fn touch_wall(
        &mut self,
        spheres: &[Sphere],
        impulses: &mut Vec<(usize, DVec3, DVec3)>,
    ) -> Result<()> {
        let Self {
            wall,
            sheet,
            kernel,
            bodies,
            ..
        } = self;
        let mut support = Support::default();
        self.near.update_with(spheres.len(), |i| spheres[i], wall)?;
        self.near.for_each_body(wall, |i, near, history| {
            history.for_each_contact(kernel, &spheres[i], near, |contact, spring| {
                let moving = sheet
                    .as_ref()
                    .map(|sheet| wall.velocity_at(contact, &sheet.velocities));
                let velocity =
                    bodies[i / 4].velocity_at(contact.point) - moving.unwrap_or_default();
                // The kernel's normal points into the wall.
                let force = force(contact.overlap, -contact.normal, velocity, spring);
                impulses.push((i / 4, force, contact.point));
                support.contacts += 1;
                support.force += force;
                support.moment += contact.point.cross(force);
                if let Some(sheet) = sheet {
                    sheet.push(wall, contact, -force);
                }
            });
        });
        if let Some(sheet) = sheet {
            let [nodal_force, nodal_moment] = sheet.totals();
            let [force, moment] = &mut self.imbalance;
            let scale = support.force.length().max(f64::MIN_POSITIVE);
            *force = force.max((nodal_force + support.force).length() / scale);
            *moment = moment.max((nodal_moment + support.moment).length() / scale);
        }
        self.support = support;
        Ok(())
    }
}

/// The force on the second body, whose velocity relative to the first is given: springs, dashpots and a slider.
fn force(overlap: f64, normal: DVec3, velocity: DVec3, spring: &mut DVec3) -> DVec3 {
    let push = (STIFFNESS * overlap - DAMPING * velocity.dot(normal)).max(0.0);
    let along = velocity.reject_from_normalized(normal);
    let slip = spring.reject_from_normalized(normal) + along * TIME_STEP;
    let hold = (slip * (0.5 * STIFFNESS) + along * DAMPING).clamp_length_max(FRICTION * push);
    *spring = (hold - along * DAMPING) / (0.5 * STIFFNESS);
    normal * push - hold
}
