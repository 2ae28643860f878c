//! The contacts of spheres with the walls, and the number of facets at each stage of the search.

use osculate::glam::{DQuat, DVec3};
use osculate::math::closest_on_polygon;
use osculate::{
    BroadPhase, DoubleHierarchy, LinkedCells, NarrowPhase, Pose3, Sphere, Wall, WallContact,
    WallState,
};

use crate::drum;
use crate::grains::RADIUS;

type Result<T> = std::result::Result<T, osculate::Error>;

/// Angular velocity about y, in rad/s.
pub(crate) const TURNING: f64 = 18.85;

/// The drum, at rest, and the helices, which rotate.
pub(crate) struct Walls {
    drum: Wall,
    helices: Wall,
}

impl Walls {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            drum: Wall::new(drum::drum()?),
            helices: Wall::new(drum::helices()?),
        })
    }

    pub(crate) fn all(&self) -> [&Wall; 2] {
        [&self.drum, &self.helices]
    }

    pub(crate) fn turn_to(&mut self, time: f64) -> Result<()> {
        let turn = DQuat::from_rotation_y(TURNING * time);
        self.helices.set_pose(Pose3::new(turn, DVec3::ZERO)?);
        Ok(())
    }

    /// The velocity of one of the walls at a point.
    pub(crate) fn velocity_at(&self, wall: usize, point: DVec3) -> DVec3 {
        [DVec3::ZERO, (DVec3::Y * TURNING).cross(point)][wall]
    }

    /// The contacts of a sphere.
    pub(crate) fn for_each_contact(
        &self,
        kernel: &mut DoubleHierarchy,
        center: DVec3,
        mut report: impl FnMut(WallContact),
    ) {
        let sphere = Sphere::new(center, RADIUS);
        for wall in self.all() {
            kernel.for_each_contact(&sphere, wall, &mut WallState::default(), &mut report);
        }
    }

    /// Whether there is room for a sphere inside the drum.
    pub(crate) fn is_free(&self, kernel: &mut DoubleHierarchy, center: DVec3) -> bool {
        let mut is_free =
            center.x.hypot(center.z) < drum::RADIUS && center.y.abs() < drum::LENGTH / 2.0;
        self.for_each_contact(kernel, center, |_| is_free = false);
        is_free
    }
}

/// Numbers of facets, summed over all spheres, as in figure 30 of the paper.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Found by linked cells through the bounding spheres of the facets: the paper's kind of
    /// search.
    pub in_cells: u64,
    /// Found by the tree of their boxes.
    pub in_boxes: u64,
    /// Closer than the radius.
    pub touching: u64,
    /// Contacts.
    pub valid: u64,
}

/// Counts facets, independently of the simulation.
pub(crate) struct Census {
    cells: [LinkedCells<DVec3>; 2],
}

impl Census {
    pub(crate) fn new(walls: &Walls) -> Result<Self> {
        let mut cells = [LinkedCells::new(), LinkedCells::new()];
        for (cells, wall) in cells.iter_mut().zip(walls.all()) {
            cells.rebuild(&wall.mesh().facets().collect::<Vec<_>>())?;
        }
        Ok(Self { cells })
    }

    pub(crate) fn add(&self, walls: &Walls, centers: &[DVec3], counts: &mut Counts) {
        let (mut kernel, mut corners) = (DoubleHierarchy::new(), Vec::new());
        for &center in centers {
            for (i, wall) in walls.all().into_iter().enumerate() {
                let local = Sphere::new(wall.pose().inverse_transform_point(center), RADIUS);
                self.cells[i].for_each_touching(&local, |_| counts.in_cells += 1);
                wall.for_each_facet_near(&Sphere::new(center, RADIUS), |facet| {
                    counts.in_boxes += 1;
                    let Some(facet) = wall.mesh().facet(facet) else {
                        return;
                    };
                    corners.clear();
                    corners.extend(facet.corners());
                    let closest = closest_on_polygon(local.center, &corners);
                    counts.touching += u64::from(closest.distance_squared < RADIUS * RADIUS);
                });
            }
            walls.for_each_contact(&mut kernel, center, |_| counts.valid += 1);
        }
    }

    /// Only finds the facets; returns their number.
    pub(crate) fn search(&self, walls: &Walls, centers: &[DVec3]) -> u64 {
        let mut count = 0;
        for &center in centers {
            for wall in walls.all() {
                wall.for_each_facet_near(&Sphere::new(center, RADIUS), |_| count += 1);
            }
        }
        count
    }
}
