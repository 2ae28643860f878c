//! The contacts of spheres with the walls, and the number of facets at each stage of the search.

use std::time::{Duration, Instant};

use osculate::glam::{DQuat, DVec3};
use osculate::math::closest_on_polygon;
use osculate::reference::sequential_double_hierarchy;
use osculate::{
    BroadPhase, DoubleHierarchy, LinkedCells, NarrowPhase, Pose3, Sphere, SurfaceMesh, Wall,
    WallContact,
};

use crate::drum;
use crate::grains::{self, RADIUS};

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

    /// The angular velocity of one of the walls.
    pub(crate) fn spin(&self, wall: usize) -> DVec3 {
        [DVec3::ZERO, DVec3::Y * TURNING][wall]
    }

    /// The velocity of one of the walls at a point.
    pub(crate) fn velocity_at(&self, wall: usize, point: DVec3) -> DVec3 {
        self.spin(wall).cross(point)
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
            kernel.for_each_contact(&sphere, wall, &mut (), &mut report);
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

impl Counts {
    pub(crate) const NAMES: [&str; 4] = [
        "potential: linked cells, bounding spheres",
        "potential: tree of boxes",
        "touching",
        "valid contacts",
    ];

    /// Averages per sphere, of so many censuses.
    pub(crate) fn averages(&self, censuses: usize) -> [f64; 4] {
        let all = [self.in_cells, self.in_boxes, self.touching, self.valid];
        all.map(|count| count as f64 / (censuses * grains::COUNT) as f64)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.in_cells += other.in_cells;
        self.in_boxes += other.in_boxes;
        self.touching += other.touching;
        self.valid += other.valid;
    }
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

    pub(crate) fn count(&self, walls: &Walls, centers: &[DVec3]) -> Counts {
        let mut counts = Counts::default();
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
        counts
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
    /// Table 10: the paper's Tables 3 and 4 on the facets of the linked cells, after its fast intersection test and
    /// directly. Returns the times of the test, of the tables after it, and of the tables alone, and the contacts.
    pub(crate) fn split(&self, walls: &Walls, centers: &[DVec3]) -> Result<([Duration; 3], usize)> {
        let mut times = [Duration::ZERO; 3];
        let mut counts = [0; 2];
        for (cells, wall) in self.cells.iter().zip(walls.all()) {
            let mesh = wall.mesh();
            let local =
                |&center: &DVec3| Sphere::new(wall.pose().inverse_transform_point(center), RADIUS);
            let mut found = Vec::new();
            for sphere in centers.iter().map(local) {
                let mut facets = Vec::new();
                cells.for_each_touching(&sphere, |facet| facets.push(facet as u32));
                found.push((sphere, facets));
            }
            let tables = |found: &[(Sphere<DVec3>, Vec<u32>)]| -> Result<usize> {
                let (mut count, mut contacts) = (0, Vec::new());
                for (sphere, facets) in found {
                    sequential_double_hierarchy(mesh, facets, sphere, &mut contacts)?;
                    count += contacts.len();
                }
                Ok(count)
            };
            let start = Instant::now();
            counts[1] += tables(&found)?;
            times[2] += start.elapsed();
            let start = Instant::now();
            for (sphere, facets) in &mut found {
                facets.retain(|&facet| touches(mesh, facet, *sphere));
            }
            times[0] += start.elapsed();
            let start = Instant::now();
            counts[0] += tables(&found)?;
            times[1] += start.elapsed();
        }
        assert_eq!(counts[0], counts[1]);
        Ok((times, counts[0]))
    }
}

/// The paper's fast intersection test, Table 2: the plane, the sides, then edges and vertices from the first side on that
/// the projection is outside of. Eq. (23) has the missing division by |e|.
fn touches(mesh: &SurfaceMesh, facet: u32, Sphere { center, radius }: Sphere<DVec3>) -> bool {
    let Some(facet) = mesh.facet(facet) else {
        return false;
    };
    let (ids, vertices) = (facet.vertices(), mesh.vertices());
    let corner = |i: usize| vertices[ids[i % ids.len()] as usize];
    let normal = (corner(1) - corner(0)).cross(corner(2) - corner(1));
    let normal = normal / normal.length();
    let height = normal.dot(center - corner(0));
    if height.abs() > radius {
        return false;
    }
    let projection = center - normal * height;
    let is_outside = |&i: &usize| {
        let edge = corner(i + 1) - corner(i);
        edge.cross(projection - corner(i)).dot(normal) < 0.0
    };
    let Some(first) = (0..ids.len()).find(is_outside) else {
        return true;
    };
    (first..ids.len()).any(|i| {
        let [from, to] = [corner(i), corner(i + 1)];
        let length = (to - from).length();
        let along = (center - from).dot(to - from) / length;
        let point = from + (to - from) * (along / length);
        let is_near = |point: DVec3| point.distance_squared(center) <= radius * radius;
        let end = match along {
            ..0.0 => from,
            _ if along > length => to,
            _ => point,
        };
        is_near(point) && is_near(end)
    })
}
