//! Convex polyhedra at walls on the lattice, most of them with ties.

use osculate::glam::DVec3;
use osculate::testing::oracle::{LatticePoint, to_vector};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, Error, SurfaceMesh};

/// The shape of the wall of a [`LatticeScene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WallFamily {
    /// A plane.
    Flat,
    /// A hill.
    Convex,
    /// A bowl.
    Dish,
    /// A cylinder from the inside.
    Drum,
    /// Two planes that meet at a concave edge.
    Valley,
    /// Three planes that meet at a concave corner.
    Corner,
    /// Three planes that meet at a convex corner.
    Box,
    /// A plane with holes.
    Rim,
    /// Hills and valleys.
    Bumpy,
}

impl WallFamily {
    /// All families.
    #[rustfmt::skip]
    pub(crate) const ALL: [Self; 9] = [
        Self::Flat, Self::Convex, Self::Dish, Self::Drum, Self::Valley, Self::Corner, Self::Box, Self::Rim, Self::Bumpy,
    ];
}

/// A convex polyhedron at a wall, with integer coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LatticeScene {
    /// The vertices of the body.
    pub(crate) vertices: Vec<DVec3>,
    /// The triangles of the wall.
    pub(crate) triangles: Vec<[LatticePoint; 3]>,
}

impl LatticeScene {
    /// Returns a body with up to 12 vertices on a wall of up to 48 triangles.
    ///
    /// Most scenes have ties: a face or an edge of the body lies on the wall, a vertex is above an edge, or depths are
    /// equal. Cells of the wall are about as large as the body. Coordinates are below 2^11.
    pub(crate) fn new(family: WallFamily, seed: u64) -> Self {
        let random = &mut SplitMix64::new(seed);
        let quaternion = QUATERNIONS[random.below(QUATERNIONS.len())];
        let scale: i64 = quaternion.iter().map(|q| q * q).sum();
        let triangles = wall(family, 12 * scale, random);
        let body = body(random).into_iter();
        let mut vertices: Vec<_> = body.map(|v| rotated(quaternion, v)).collect();
        // Puts a vertex of the body, or the mean of two, above a vertex of the wall, or the mean of two.
        let mut any = |count: usize| random.below(count);
        let [p, q] = [0; 2].map(|_| vertices[any(vertices.len())]);
        let triangle = triangles[any(triangles.len())].map(|corner| to_vector(corner, 1.0));
        let [r, s] = [0; 2].map(|_| triangle[any(3)]);
        let (anchor, place) = (p.midpoint(q), r.midpoint(s));
        let low = vertices
            .iter()
            .copied()
            .reduce(DVec3::min)
            .unwrap_or_default();
        let mut shift = place - anchor;
        for axis in 0..3 {
            let depth = scale as f64 * [1.0, 1.0, 2.0, 3.0, 6.0][any(5)];
            match family {
                WallFamily::Corner => shift[axis] = -low[axis] - depth,
                _ if axis == 2 => shift[axis] = place[axis] - low[axis] - depth,
                _ if any(4) == 0 => shift[axis] += any(13) as f64,
                _ => (),
            }
        }
        vertices.iter_mut().for_each(|vertex| *vertex += shift);
        Self {
            vertices,
            triangles,
        }
    }

    /// Returns the body, with `unit` as the unit of length.
    pub(crate) fn body(&self, unit: f64) -> Result<ConvexPolyhedron, Error> {
        let vertices = self.vertices.iter().map(|&v| v * unit);
        ConvexPolyhedron::from_convex_hull(&vertices.collect::<Vec<_>>())
    }

    /// Returns the wall, with `unit` as the unit of length.
    pub(crate) fn mesh(&self, unit: f64) -> Result<SurfaceMesh, Error> {
        let place = |t: &[LatticePoint; 3]| t.map(|v| to_vector(v, unit));
        let triangles: Vec<[DVec3; 3]> = self.triangles.iter().map(place).collect();
        SurfaceMesh::from_triangles(&triangles)
    }
}

/// Returns the vertices of a body in the units of 1/12.
fn body(random: &mut SplitMix64) -> Vec<LatticePoint> {
    let mut size = || 1 + random.below(3) as i64;
    let [x, y, z] = [size(), size(), size()];
    let signs = |[x, y, z]: LatticePoint| [[x, y, -z], [x, -y, z], [-x, y, z], [-x, -y, -z]];
    let wedge = |z: i64| [[0, 0, z], [3, 0, z], [0, 4, z]];
    let base = [[3, 3, 0], [-3, 3, 0], [-3, -3, 0], [3, -3, 0]];
    let axes = [[x, 0, 0], [0, y, 0], [0, 0, z]];
    let vertices = match random.below(5) {
        // A box, a wedge, a pyramid, a tetrahedron, an octahedron.
        0 => [signs([x, y, z]), signs([x, y, -z])].concat(),
        1 => [wedge(z), wedge(-z)].concat(),
        2 => [&base[..], &[[0, 0, 4]]].concat(),
        3 => signs([x, y, z]).to_vec(),
        _ => axes.iter().flat_map(|&a| [a, a.map(|x| -x)]).collect(),
    };
    // Other axes come first, and other directions are positive.
    let (first, flip) = (random.below(3), random.below(2) == 1);
    let sign = if flip { -12 } else { 12 };
    let turned = |v: LatticePoint| [0, 1, 2].map(|i| sign * v[(i + first) % 3]);
    vertices.into_iter().map(turned).collect()
}

const QUATERNIONS: [[i64; 4]; 6] = [
    [1, 0, 0, 0],
    [1, 1, 0, 0],
    [1, 1, 1, 0],
    [2, 1, 0, 0],
    [2, 0, 1, 0],
    [2, 0, 0, 1],
];

/// Returns a rotated vector times the square of the quaternion. Exact.
fn rotated(quaternion: [i64; 4], v: LatticePoint) -> DVec3 {
    let [w, x, y, z] = quaternion.map(|q| q as f64);
    let (u, v) = (DVec3::new(x, y, z), to_vector(v, 1.0));
    v * (w * w - u.dot(u)) + u * (2.0 * u.dot(v)) + u.cross(v) * (2.0 * w)
}

/// Returns the triangles of a wall of 4 x 4 cells, or of three times 2 x 2.
fn wall(family: WallFamily, unit: i64, random: &mut SplitMix64) -> Vec<[LatticePoint; 3]> {
    let factor = [1, 2, 6, 9, 12, 18][random.below(6)] * unit / 12;
    let heights: [i64; 25] = std::array::from_fn(|_| random.below(5) as i64 - 2);
    let height = |x: i64, y: i64| match family {
        WallFamily::Convex => -factor * (x * x + y * y) / 2,
        WallFamily::Dish => factor * (x * x + y * y) / 2,
        WallFamily::Drum => factor * x * x,
        WallFamily::Valley => factor * x.abs() * 2,
        WallFamily::Bumpy => factor * heights[(5 * (x + 2) + y + 2) as usize],
        _ => 0,
    };
    let mut triangles = Vec::new();
    let mut square = |corners: [LatticePoint; 4]| {
        let [a, b, c, d] = corners;
        triangles.extend(match random.below(2) {
            0 => [[a, b, c], [a, c, d]],
            _ => [[a, b, d], [b, c, d]],
        });
    };
    let sign = match family {
        WallFamily::Box => -1,
        _ => 1,
    };
    let corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
    for cell in 0..16 {
        let [i, j] = [cell / 4, cell % 4];
        match family {
            WallFamily::Corner | WallFamily::Box => {
                for axis in 0..3 {
                    if i < 2 && j < 2 {
                        square(corners.map(|[u, v]| {
                            let mut x = [0; 3];
                            x[(axis + 1) % 3] = sign * 4 * unit * (i + u);
                            x[(axis + 2) % 3] = sign * 4 * unit * (j + v);
                            x
                        }));
                    }
                }
            }
            WallFamily::Rim if heights[cell as usize] < 0 => (),
            _ => square(corners.map(|[u, v]| {
                let (x, y) = (i + u - 2, j + v - 2);
                [2 * unit * x, 2 * unit * y, height(x, y)]
            })),
        }
    }
    triangles
}
