//! Generators of walls, with spheres and polyhedra that touch them.

use glam::{DVec2, DVec3};
use proptest::prelude::*;

use super::case::Case;
use crate::error::Result;
use crate::shape::{SegmentMesh, SolidMesh, Sphere, SurfaceMesh};
use crate::testing::oracle::LatticePoint;

/// Generates a chain of segments on a lattice, in which some vertices meet, with a disc near it.
///
/// Lengths are multiples of 1/8. Segments may cross, lie on each other, or turn back.
pub fn segments_and_disc() -> impl Strategy<Value = (Case<SegmentMesh>, Sphere<DVec2>)> {
    let coordinate = || (-16_i32..=16).prop_map(|i| f64::from(i) / 8.0);
    let point = || (coordinate(), coordinate());
    let points = prop::collection::vec(point(), 2..12);
    let disc = (point(), 1_i32..=16);
    (points, disc).prop_filter_map("a chain", |(points, (center, radius))| {
        let vertices = points.iter().copied().map(DVec2::from).collect();
        let segments = (1..points.len() as u32).map(|i| [i - 1, i]).collect();
        let mesh = SegmentMesh::new(vertices, segments).ok()?;
        let expression = format!(
            "{{ let points = {points:?}; let ids = (1..{}).map(|i| [i - 1, i]); \
             SegmentMesh::new(points.map(DVec2::from).to_vec(), ids.collect())? }}",
            points.len()
        );
        let sphere = Sphere::new(center.into(), f64::from(radius) / 8.0);
        Some((Case::new(mesh, expression), sphere))
    })
}

/// Vertices and triangles on the lattice.
type LatticeMesh = (Vec<LatticePoint>, Vec<[u32; 3]>);

/// Generates hills and valleys on the lattice, and the radius of a sphere that fits; see [`landscape_from`].
///
/// The radius is from 1/4 to 3 cells, in units of the lattice. With a center within 2^21 of the middle of the mesh the
/// sphere often touches it.
pub fn landscape() -> impl Strategy<Value = (Case<LatticeMesh>, f64)> {
    let radius = (0.25..3.0).prop_map(|cells| cells * f64::from(1 << 20));
    let heights = prop::array::uniform32(-2_i64..=2);
    let more_heights = prop::array::uniform4(-2_i64..=2);
    let mesh = (heights, more_heights, 0_u32..1 << 25);
    let mesh = mesh.prop_map(|(heights, more, diagonals)| {
        let heights = std::array::from_fn(|i| if i < 32 { heights[i] } else { more[i - 32] });
        let expression = format!("landscape_from(&{heights:?}, {diagonals:#b})");
        Case::new(landscape_from(&heights, diagonals), expression)
    });
    (mesh, radius)
}

/// Returns a mesh of 5 x 5 cells, each 2^20 wide and cut into two triangles.
///
/// Vertex heights are in units of 2^19. Bit `i` of `diagonals` selects the diagonal of cell `i`.
pub fn landscape_from(heights: &[i64; 36], diagonals: u32) -> LatticeMesh {
    let at = |i: usize| ((i % 6) as i64) << 20;
    let vertices = (0..36)
        .map(|i| [at(i), at(i / 6), heights[i] << 19])
        .collect();
    let mut triangles = Vec::new();
    for cell in 0..25 {
        let first = cell / 5 * 6 + cell % 5;
        let [a, b, c, d] = [first, first + 1, first + 7, first + 6];
        triangles.extend(if diagonals >> cell & 1 == 1 {
            [[a, b, d], [b, c, d]]
        } else {
            [[a, b, c], [a, c, d]]
        });
    }
    (vertices, triangles)
}

/// An open wall of hills and valleys, and the solid below it.
#[derive(Clone, Debug)]
pub struct Ground {
    /// 5 x 5 cells, each 2 wide, around the origin.
    pub wall: SurfaceMesh,
    /// The same surface, closed at z = -16.
    pub below: SolidMesh,
}

impl Ground {
    /// Builds the ground from the mesh of [`landscape_from`], with vertex heights as given.
    ///
    /// # Errors
    /// Returns the error of the solid, which no heights above -16 cause.
    pub fn new(heights: &[i64; 36], diagonals: u32) -> Result<Self> {
        let (points, triangles) = landscape_from(heights, diagonals);
        let unit = 0.5 / f64::from(1 << 18);
        let place = |[x, y, z]: LatticePoint| {
            [
                x as f64 * unit - 5.0,
                y as f64 * unit - 5.0,
                z as f64 * unit,
            ]
        };
        let top: Vec<DVec3> = points.into_iter().map(place).map(DVec3::from).collect();
        let bottom = top.iter().map(|v| DVec3::new(v.x, v.y, -16.0));
        let mut closed = triangles.clone();
        closed.extend(triangles.iter().map(|&[a, b, c]| [a + 36, c + 36, b + 36]));
        let rim = (0..5).flat_map(|i| {
            let low = 6 * (5 - i);
            [
                [i, i + 1],
                [6 * i + 5, 6 * i + 11],
                [35 - i, 34 - i],
                [low, low - 6],
            ]
        });
        closed.extend(rim.flat_map(|[a, b]| [[b, a, a + 36], [b, a + 36, b + 36]]));
        let below = SolidMesh::new(top.iter().copied().chain(bottom).collect(), closed)?;
        let wall = SurfaceMesh::new(top, triangles)?;
        Ok(Self { wall, below })
    }
}

/// Generates hills and valleys as an open wall and as a solid; see [`Ground::new`].
///
/// A [`solid`](super::solid) at a [`pose`](super::pose) does not reach the rim.
pub fn ground() -> impl Strategy<Value = Case<Ground>> {
    let heights = prop::collection::vec(-2_i64..=2, 36);
    (heights, 0_u32..1 << 25).prop_filter_map("a ground", |(heights, diagonals)| {
        let heights: [i64; 36] = heights.try_into().ok()?;
        let ground = Ground::new(&heights, diagonals).ok()?;
        let expression = format!("Ground::new(&{heights:?}, {diagonals:#b})?");
        Some(Case::new(ground, expression))
    })
}
