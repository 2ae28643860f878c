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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LatticeScene {
    /// The vertices of the body.
    pub(crate) vertices: Vec<LatticePoint>,
    /// Its centroid.
    pub(crate) center: LatticePoint,
    /// The triangles of the wall.
    pub(crate) triangles: Vec<[LatticePoint; 3]>,
}

impl LatticeScene {
    /// Returns a body with up to 12 vertices on a wall of up to 48 triangles.
    ///
    /// Most scenes have ties: a face or an edge of the body lies on the wall, a vertex is above an edge, or depths are
    /// equal. Cells of the wall are about as large as the body. The body is above the wall, and its centroid is on no
    /// plane of a triangle. Coordinates are below 2^11.
    pub(crate) fn new(family: WallFamily, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        loop {
            let scene = Self::random(family, &mut random);
            let is_beside = |[a, b, c]: &[LatticePoint; 3]| {
                dot(cross(minus(*b, *a), minus(*c, *a)), minus(scene.center, *a)) != 0
            };
            if scene.triangles.iter().all(is_beside) {
                return scene;
            }
        }
    }

    fn random(family: WallFamily, random: &mut SplitMix64) -> Self {
        let quaternion = QUATERNIONS[random.below(QUATERNIONS.len())];
        let scale: i64 = quaternion.iter().map(|q| q * q).sum();
        let rotation = |v| rotate(quaternion, v);
        let triangles = wall(family, 12 * scale, random);
        let (vertices, center) = body(random);
        let mut vertices: Vec<_> = vertices.into_iter().map(rotation).collect();
        let mut center = rotation(center);
        // Puts a vertex of the body, or the mean of two, above a vertex of the wall, or the mean of two.
        let mut any = |count: usize| random.below(count);
        let anchor = mean([0; 2].map(|_| vertices[any(vertices.len())]));
        let triangle = triangles[any(triangles.len())];
        let place = mean([0; 2].map(|_| triangle[any(3)]));
        let low = |axis: usize| vertices.iter().map(|v| v[axis]).min().unwrap_or(0);
        let mut shift = minus(place, anchor);
        for axis in 0..3 {
            let depth = scale * [1, 1, 2, 3, 6][any(5)];
            match family {
                WallFamily::Corner => shift[axis] = -low(axis) - depth,
                _ if axis == 2 => shift[axis] = place[axis] - low(axis) - depth,
                _ if any(4) == 0 => shift[axis] += any(13) as i64,
                _ => (),
            }
        }
        for vertex in vertices.iter_mut().chain([&mut center]) {
            *vertex = minus(*vertex, shift.map(|x| -x));
        }
        Self {
            vertices,
            center,
            triangles,
        }
    }

    /// Returns the body, with `unit` as the unit of length.
    pub(crate) fn body(&self, unit: f64) -> Result<ConvexPolyhedron, Error> {
        let place = |&v: &LatticePoint| to_vector(v, unit);
        ConvexPolyhedron::from_convex_hull(&self.vertices.iter().map(place).collect::<Vec<_>>())
    }

    /// Returns the wall, with `unit` as the unit of length.
    pub(crate) fn mesh(&self, unit: f64) -> Result<SurfaceMesh, Error> {
        let place = |t: &[LatticePoint; 3]| t.map(|v| to_vector(v, unit));
        let triangles: Vec<[DVec3; 3]> = self.triangles.iter().map(place).collect();
        SurfaceMesh::from_triangles(&triangles)
    }
}

/// Returns the vertices and the centroid of a body in the units of 1/12, which makes centroids integers.
fn body(random: &mut SplitMix64) -> (Vec<LatticePoint>, LatticePoint) {
    let mut size = || 1 + random.below(3) as i64;
    let [x, y, z] = [size(), size(), size()];
    let signs = |[x, y, z]: LatticePoint| [[x, y, -z], [x, -y, z], [-x, y, z], [-x, -y, -z]];
    let axes = [[x, 0, 0], [0, y, 0], [0, 0, z]];
    let (vertices, center) = match random.below(5) {
        // A box, a wedge, a pyramid, a tetrahedron, an octahedron.
        0 => ([signs([x, y, z]), signs([x, y, -z])].concat(), [0; 3]),
        1 => {
            let end = |z: i64| [[0, 0, z], [3, 0, z], [0, 4, z]];
            ([end(z), end(-z)].concat(), [12, 16, 0])
        }
        2 => {
            let base = [[3, 3, 0], [-3, 3, 0], [-3, -3, 0], [3, -3, 0]];
            ([&base[..], &[[0, 0, 4]]].concat(), [0, 0, 12])
        }
        3 => (signs([x, y, z]).to_vec(), [0; 3]),
        _ => (
            axes.iter().flat_map(|&a| [a, a.map(|x| -x)]).collect(),
            [0; 3],
        ),
    };
    // Other axes come first, and other directions are positive.
    let (first, flip) = (random.below(3), random.below(2) == 1);
    let turned = |v: LatticePoint| {
        let sign = if flip { -1 } else { 1 };
        [0, 1, 2].map(|i| sign * v[(i + first) % 3])
    };
    let vertices = vertices.into_iter().map(|v| turned(v.map(|x| 12 * x)));
    (vertices.collect(), turned(center))
}

const QUATERNIONS: [[i64; 4]; 6] = [
    [1, 0, 0, 0],
    [1, 1, 0, 0],
    [1, 1, 1, 0],
    [2, 1, 0, 0],
    [2, 0, 1, 0],
    [2, 0, 0, 1],
];

/// Returns a rotated vector times the square of the quaternion.
fn rotate([w, x, y, z]: [i64; 4], v: LatticePoint) -> LatticePoint {
    let u = [x, y, z];
    let (along, across) = (2 * dot(u, v), cross(u, v));
    [0, 1, 2].map(|i| (w * w - dot(u, u)) * v[i] + along * u[i] + 2 * w * across[i])
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

fn minus(a: LatticePoint, b: LatticePoint) -> LatticePoint {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: LatticePoint, b: LatticePoint) -> i64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: LatticePoint, b: LatticePoint) -> LatticePoint {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}

/// Returns the mean of two points with even coordinates.
fn mean([a, b]: [LatticePoint; 2]) -> LatticePoint {
    std::array::from_fn(|i| (a[i] + b[i]) / 2)
}
