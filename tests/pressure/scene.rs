//! Walls and bodies for tests of pressure fields, and sums over their contacts.

pub(crate) use crate::support::convex::v;
use crate::support::convex::{cube_times, vector};
use crate::support::wall::grid;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

pub(crate) type Body<'a> = Placed<&'a ConvexPolyhedron>;
pub(crate) type Triangle = [DVec3; 3];

pub(crate) fn place(shape: &ConvexPolyhedron, turn: DQuat, at: DVec3) -> Body<'_> {
    Placed::new(shape, Pose3::new_normalize(turn, at).unwrap())
}

pub(crate) fn at(shape: &ConvexPolyhedron, at: DVec3) -> Body<'_> {
    place(shape, DQuat::IDENTITY, at)
}

/// A kernel that computes everything.
pub(crate) fn full() -> PressureField {
    PressureField::new().with_volume().with_points()
}

/// The contacts from a new state.
pub(crate) fn contacts(
    kernel: &mut PressureField,
    body: &Body,
    wall: &Wall,
) -> Vec<PressureContact> {
    contacts_with(kernel, body, wall, &mut Default::default())
}

pub(crate) fn contacts_with<B>(
    kernel: &mut impl NarrowPhase<B, Wall, Contact = PressureContact, State = PressureState>,
    body: &B,
    wall: &Wall,
    state: &mut PressureState,
) -> Vec<PressureContact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, state, |c| found.push(c));
    assert!(found.is_sorted_by(|a, b| a.load >= b.load), "{found:?}");
    found
}

/// Sums over the contacts from a new state, about the origin.
pub(crate) fn sums(body: &Body, wall: &Wall) -> Total {
    total(&contacts(&mut full(), body, wall), DVec3::ZERO)
}

/// Sums over contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total {
    pub(crate) force: DVec3,
    /// About a point.
    pub(crate) torque: DVec3,
    pub(crate) load: f64,
    pub(crate) area: f64,
    pub(crate) energy: f64,
    pub(crate) volume: f64,
}

pub(crate) fn total(contacts: &[PressureContact], about: DVec3) -> Total {
    let torque = |c: &PressureContact| c.torque + (c.point - about).cross(c.force);
    let sum = |of: fn(&PressureContact) -> f64| contacts.iter().map(of).sum::<f64>();
    Total {
        force: contacts.iter().map(|c| c.force).sum(),
        torque: contacts.iter().map(torque).sum(),
        load: sum(|c| c.load),
        area: sum(|c| c.area),
        energy: sum(|c| c.volume.map_or(0.0, |v| v.energy)),
        volume: sum(|c| c.volume.map_or(0.0, |v| v.volume)),
    }
}

impl Total {
    /// The largest difference of two sums. Sizes are about 1.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let differences = [
            (self.force - other.force).length(),
            (self.torque - other.torque).length(),
            self.load - other.load,
            self.area - other.area,
            self.energy - other.energy,
            self.volume - other.volume,
        ];
        differences.into_iter().map(f64::abs).fold(0.0, f64::max)
    }
}

/// A profile (x, z) along y. The front is above where x ascends.
pub(crate) fn extruded(profile: &[(f64, f64)], far: f64) -> Vec<Triangle> {
    let strip = |ends: &[(f64, f64)]| {
        let [(x, z), (to_x, to_z)] = [ends[0], ends[1]];
        let [a, b] = [v(x, -far, z), v(to_x, -far, to_z)];
        let [c, d] = [v(to_x, far, to_z), v(x, far, z)];
        [[a, b, c], [a, c, d]]
    };
    profile.windows(2).flat_map(strip).collect()
}

/// A square from -4 to 4 at the height 0.
pub(crate) fn floor() -> Vec<Triangle> {
    extruded(&[(-4.0, 0.0), (4.0, 0.0)], 4.0)
}

/// A square of `count` x `count` cells from -`half` to `half`, with a height at each vertex.
pub(crate) fn terrain(count: u32, half: f64, mut height: impl FnMut() -> f64) -> Vec<Triangle> {
    let along = |i: u32| 2.0 * half * f64::from(i) / f64::from(count) - half;
    triangles(&grid([count; 2], |i, j| v(along(i), along(j), height())))
}

/// The triangles of a mesh.
pub(crate) fn triangles(mesh: &SurfaceMesh) -> Vec<Triangle> {
    let mesh = mesh.triangulated();
    let corners = mesh
        .facets()
        .map(|facet| facet.corners().collect::<Vec<_>>());
    corners.map(|c| [c[0], c[1], c[2]]).collect()
}

/// A rectangle at the height 0 with a layer behind it, closed.
pub(crate) fn plate([left, right]: [f64; 2], half: f64, thickness: f64) -> SurfaceMesh {
    let corners = [(left, -half), (right, -half), (right, half), (left, half)];
    let corners = corners.map(|(x, y)| v(x, y, 0.0)).to_vec();
    let sheet = SurfaceMesh::new(corners, [[0, 1, 2, 3]]).unwrap();
    sheet.thickened(thickness).unwrap().surface().clone()
}

/// Walls with a surface near the origin, below the height 0 or at it.
pub(crate) fn walls(random: &mut SplitMix64) -> Vec<(&'static str, Vec<Triangle>)> {
    let profile = |points: &[(f64, f64)]| extruded(points, 4.0);
    let hills = terrain(12, 3.0, || random.range(-0.1, 0.05));
    vec![
        ("floor", floor()),
        ("ridge", profile(&[(-4.0, -1.0), (0.0, 0.0), (4.0, -1.0)])),
        ("valley", profile(&[(-4.0, 2.0), (0.0, -0.1), (4.0, 2.0)])),
        (
            "step",
            profile(&[(-4.0, 0.0), (0.0, 0.0), (0.0, -0.25), (4.0, -0.25)]),
        ),
        ("terrain", hills),
        ("table", triangles(&plate([-3.0, 0.1], 2.0, 1.0))),
        ("plate", triangles(&plate([-2.0, 2.0], 2.0, 0.05))),
    ]
}

pub(crate) fn wall(triangles: &[Triangle]) -> Wall {
    Wall::new(SurfaceMesh::from_triangles(triangles).unwrap())
}

/// A hull of points near the unit sphere.
pub(crate) fn rock(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let points = (0..count).map(|_| vector(random).normalize() * random.range(0.4, 0.5));
    ConvexPolyhedron::from_convex_hull(&points.collect::<Vec<_>>()).unwrap()
}

/// Bodies of size about 1: a cube, rocks of 14 and 50 vertices, a needle and a plate.
pub(crate) fn shapes(random: &mut SplitMix64) -> Vec<ConvexPolyhedron> {
    vec![
        cube_times(DVec3::ONE),
        rock(14, random),
        rock(50, random),
        cube_times(v(0.1, 0.1, 1.0)),
        cube_times(v(1.0, 1.0, 0.1)),
    ]
}

/// The height of the lowest vertex above the origin of a body.
pub(crate) fn low(shape: &ConvexPolyhedron, turn: DQuat) -> f64 {
    let heights = shape.vertices().iter().map(|&x| (turn * x).z);
    heights.fold(f64::INFINITY, f64::min)
}
