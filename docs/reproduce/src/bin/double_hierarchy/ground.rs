//! Walls of the benchmarks, and the contacts of a sphere with them.

use osculate::glam::DVec3;
use osculate::{
    DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, WallContact, narrow::ContactSelection,
};

/// Facets of a patch.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Facets {
    Quads,
    Triangles,
}

/// A wall and the kernel that finds its contacts.
pub(crate) struct Ground {
    wall: Wall,
    kernel: DoubleHierarchy,
    contacts: Vec<WallContact>,
}

impl Ground {
    pub(crate) fn new(mesh: SurfaceMesh) -> Self {
        Self::with_policy(mesh, ContactSelection::all())
    }

    pub(crate) fn with_policy(mesh: SurfaceMesh, policy: ContactSelection) -> Self {
        Self {
            wall: Wall::new(mesh),
            kernel: DoubleHierarchy::new().with_selection(policy),
            contacts: Vec::new(),
        }
    }

    /// The contacts of a sphere, the deepest first.
    pub(crate) fn contacts(&mut self, center: DVec3, radius: f64) -> &[WallContact] {
        self.contacts.clear();
        let (sphere, contacts) = (Sphere::new(center, radius), &mut self.contacts);
        let report = |contact| contacts.push(contact);
        self.kernel
            .for_each_contact(&sphere, &self.wall, &mut Default::default(), report);
        &self.contacts
    }
}

/// A surface over the unit square, of `columns` times `rows` facets (twice as many triangles); ends
/// that meet are joined.
pub(crate) fn patch(
    [columns, rows]: [u32; 2],
    facets: Facets,
    point: impl Fn(f64, f64) -> DVec3,
) -> SurfaceMesh {
    let part = |i: u32, count: u32| f64::from(i) / f64::from(count);
    let vertices: Vec<DVec3> = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(column, row)| point(part(column, columns), part(row, rows)))
        .collect();
    let mut corners = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let [b, c, d] = [a + 1, a + columns + 2, a + columns + 1];
            match facets {
                Facets::Quads => corners.push(vec![a, b, c, d]),
                Facets::Triangles => corners.extend([vec![a, b, c], vec![a, c, d]]),
            }
        }
    }
    SurfaceMesh::welded(&vertices, corners, 0.0).expect("a patch of planar facets")
}

/// A flat square that extends `half` to each side of the origin, at height 0.
pub(crate) fn floor(half: f64, count: u32) -> SurfaceMesh {
    roof(half, count, 0.0)
}

/// Two planes that meet along y at height 0, each rotated by `angle`: a ridge if positive, a groove
/// if negative. `count` is even.
pub(crate) fn roof(half: f64, count: u32, angle: f64) -> SurfaceMesh {
    patch([count, count], Facets::Triangles, |u, v| {
        let [x, y] = [u, v].map(|t| half * (2.0 * t - 1.0));
        DVec3::new(x, y, -angle.tan() * x.abs())
    })
}

/// A pyramid with four sides, its apex at the origin.
pub(crate) fn pyramid(half: f64) -> SurfaceMesh {
    let corner = |x: f64, y: f64| DVec3::new(x * half, y * half, -half);
    let mut vertices = vec![DVec3::ZERO];
    vertices
        .extend([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| corner(x, y)));
    SurfaceMesh::new(vertices, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]])
        .expect("a pyramid of triangles")
}

/// A cylinder around the y axis, open at its ends at ±`half`: `around` strips, inscribed in a
/// circle.
pub(crate) fn cylinder(
    radius: f64,
    half: f64,
    [around, along]: [u32; 2],
    facets: Facets,
) -> SurfaceMesh {
    patch([around, along], facets, |u, v| {
        // Both sides of the seam have the same bits.
        let angle = std::f64::consts::TAU * if u == 1.0 { 0.0 } else { u };
        let (sin, cos) = angle.sin_cos();
        DVec3::new(radius * sin, half * (2.0 * v - 1.0), -radius * cos)
    })
}

/// A plate at height 0 around a hole; the corners of the hole are given relative to the origin.
pub(crate) fn plate(hole: &[[f64; 2]], reach: f64) -> SurfaceMesh {
    let count = hole.len() as u32;
    let mut vertices: Vec<DVec3> = hole.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect();
    for i in 0..hole.len() {
        vertices.push(vertices[i].normalize() * reach);
    }
    let facets = (0..count).flat_map(|i| {
        let next = (i + 1) % count;
        [[i, i + count, next + count], [i, next + count, next]]
    });
    SurfaceMesh::new(vertices, facets).expect("a plate around a hole")
}
