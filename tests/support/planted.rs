//! Generators of walls with known contacts.

use crate::support::lattice_scene::{LatticeScene, WallFamily};
use osculate::glam::{DVec2, DVec3};
use osculate::narrow::WallMesh;
use osculate::shape::SegmentMesh;
use osculate::testing::strategies::Case;
use osculate::{Error, Sphere, SurfaceMesh};
use proptest::prelude::*;

/// A wall, a sphere that touches it, and the overlaps of its contacts.
#[derive(Clone, Debug)]
pub(crate) struct PlantedWall<M: WallMesh = SurfaceMesh> {
    /// The wall; its lengths are small multiples of 1/8.
    pub(crate) mesh: M,
    /// The sphere.
    pub(crate) sphere: Sphere<M::Vector>,
    /// The overlap of each contact, exact, the deepest first.
    pub(crate) overlaps: Vec<f64>,
}

impl PlantedWall {
    /// Builds the wall of squares of 1 x 1, or of their halves as triangles.
    ///
    /// Kind 0 is a plane with one contact, 1 a convex edge (one), 2 a convex corner (one), 3 a wedge (two).
    /// Any other kind is a corner of three planes (three). `depths` has the overlap at each plane, for a
    /// radius of 1; edges and corners use the first.
    pub(crate) fn new(kind: usize, depths: [f64; 3], is_triangulated: bool) -> Result<Self, Error> {
        // The planes x = 0, y = 0, z = 0 of the wall, each from 0 to 4 in the other axes.
        let axes: &[usize] = match kind {
            0 => &[2],
            1 | 3 => &[1, 2],
            _ => &[0, 1, 2],
        };
        let mut facets = Vec::new();
        for &axis in axes {
            for i in 0..16 {
                let corner = |u: i32, v: i32| {
                    let mut p = DVec3::ZERO;
                    p[(axis + 1) % 3] = f64::from(i % 4 + u);
                    p[(axis + 2) % 3] = f64::from(i / 4 + v);
                    p
                };
                let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let [a, b, c, d] = square;
                if is_triangulated {
                    facets.extend([vec![a, b, c], vec![a, c, d]]);
                } else {
                    facets.push(square.to_vec());
                }
            }
        }
        let points: Vec<DVec3> = facets.concat();
        let mut first = 0;
        let ids = facets.iter().map(|corners| {
            first += corners.len() as u32;
            (first - corners.len() as u32..first).collect::<Vec<_>>()
        });
        let mesh = SurfaceMesh::welded(&points, ids.collect::<Vec<_>>(), 0.0)?;
        let (sphere, overlaps) = planted_sphere(kind, axes, depths);
        Ok(Self {
            mesh,
            sphere,
            overlaps,
        })
    }
}

fn planted_sphere(kind: usize, axes: &[usize], depths: [f64; 3]) -> (Sphere<DVec3>, Vec<f64>) {
    // Outside of the edge along x or of the corner at 0, in the direction (-3, -4) / 5 or (-2, -1, -2) / 3,
    // at a distance that the unit makes exact.
    let outside = match kind {
        1 => Some((DVec3::X * 2.0, DVec3::new(0.0, 3.0, 4.0), 5.0)),
        2 => Some((DVec3::ZERO, DVec3::new(2.0, 1.0, 2.0), 3.0)),
        _ => None,
    };
    if let Some((closest, away, length)) = outside {
        let depth = depths[0] * length;
        return (Sphere::new(closest - away, length + depth), vec![depth]);
    }
    let (radius, mut center) = (1.0, DVec3::splat(2.0));
    let mut overlaps = Vec::new();
    for (&axis, depth) in axes.iter().zip(depths) {
        center[axis] = radius - depth;
        overlaps.push(depth);
    }
    overlaps.sort_by(|a, b| b.total_cmp(a));
    (Sphere::new(center, radius), overlaps)
}

impl PlantedWall<SegmentMesh> {
    /// Builds a wall of segments in 2D: two lines of length 4 at a right angle, or one of them.
    ///
    /// Kind 0 is a line with one contact, 1 a convex corner (one). Any other kind is a wedge (two). `depths`
    /// has the overlap at each line, for a radius of 1; the corner uses the first. Each line has `pieces`
    /// segments.
    pub(crate) fn in_plane(kind: usize, depths: [f64; 2], pieces: u32) -> Result<Self, Error> {
        let place = |i: u32, along: DVec2| along * (4.0 * f64::from(i) / f64::from(pieces));
        // From (4, 0) to the corner at the origin, and on to (0, 4).
        let mut vertices: Vec<_> = (0..=pieces).rev().map(|i| place(i, DVec2::X)).collect();
        if kind != 0 {
            vertices.extend((1..=pieces).map(|i| place(i, DVec2::Y)));
        }
        let segments = (1..vertices.len() as u32).map(|i| [i - 1, i]).collect();
        let mesh = SegmentMesh::new(vertices, segments)?;
        let mut overlaps = depths.to_vec();
        let sphere = match kind {
            0 => {
                overlaps.truncate(1);
                Sphere::new(DVec2::new(2.0, 1.0 - depths[0]), 1.0)
            }
            1 => {
                overlaps = vec![5.0 * depths[0]];
                Sphere::new(DVec2::new(-3.0, -4.0), 5.0 + 5.0 * depths[0])
            }
            _ => {
                overlaps.sort_by(|a, b| b.total_cmp(a));
                Sphere::new(DVec2::new(1.0 - depths[0], 1.0 - depths[1]), 1.0)
            }
        };
        Ok(Self {
            mesh,
            sphere,
            overlaps,
        })
    }
}

/// Generates a line, a convex corner or a wedge of segments with a disc; see [`PlantedWall::in_plane`].
pub(crate) fn planted_wall_2d() -> impl Strategy<Value = Case<PlantedWall<SegmentMesh>>> {
    let depths = prop::array::uniform2(1_i32..8).prop_map(|d| d.map(|d| f64::from(d) / 16.0));
    let pieces = prop::sample::select(vec![1_u32, 2, 4, 8]);
    (0_usize..3, depths, pieces).prop_filter_map("a wall", |(kind, depths, pieces)| {
        let wall = PlantedWall::in_plane(kind, depths, pieces).ok()?;
        let expression = format!("PlantedWall::in_plane({kind}, {depths:?}, {pieces})?");
        Some(Case::new(wall, expression))
    })
}

/// Generates a plane, a convex edge, a convex corner, a wedge or a corner of three planes; see [`PlantedWall::new`].
pub(crate) fn planted_wall() -> impl Strategy<Value = Case<PlantedWall>> {
    let depths = prop::array::uniform3(1_i32..8).prop_map(|d| d.map(|d| f64::from(d) / 16.0));
    (0_usize..5, depths, any::<bool>()).prop_filter_map("a wall", |(kind, depths, is_cut)| {
        let wall = PlantedWall::new(kind, depths, is_cut).ok()?;
        let expression = format!("PlantedWall::new({kind}, {depths:?}, {is_cut})?");
        Some(Case::new(wall, expression))
    })
}

/// Generates a convex polyhedron at a wall, full of ties; see [`LatticeScene::new`].
///
/// [`LatticeScene::body`] and [`LatticeScene::mesh`] take any unit of length.
pub(crate) fn lattice_scene() -> impl Strategy<Value = Case<LatticeScene>> {
    let family = prop::sample::select(&WallFamily::ALL[..]);
    (family, any::<u64>()).prop_map(|(family, seed)| {
        let expression = format!("LatticeScene::new(WallFamily::{family:?}, {seed})");
        Case::new(LatticeScene::new(family, seed), expression)
    })
}

/// Generates a chain of segments on a lattice, in which some vertices meet, with a disc near it.
///
/// Lengths are multiples of 1/8. Segments may cross, lie on each other, or turn back.
pub(crate) fn segments_and_disc() -> impl Strategy<Value = (Case<SegmentMesh>, Sphere<DVec2>)> {
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
