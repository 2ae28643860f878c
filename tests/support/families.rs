//! Families of walls on the lattice, and spheres near them.

use osculate::glam::DVec3;
use osculate::testing::oracle::{self, LatticePoint};
use osculate::testing::workload::SplitMix64;
use osculate::{Feature, SurfaceMesh};

pub(crate) type Facets = Vec<Vec<u32>>;

/// A cell, in units of the lattice.
pub(crate) const CELL: i64 = 1 << 16;
pub(crate) const SCALE: f64 = 1.0 / CELL as f64;

/// A wall, and the largest radius of its spheres, in cells.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) vertices: Vec<LatticePoint>,
    pub(crate) facets: Facets,
    pub(crate) radius: f64,
}

/// A net of `across` x `along` cells, each split into two triangles along either diagonal. If it is
/// closed, the last column is the first.
pub(crate) fn net(
    across: u32,
    along: u32,
    is_closed: bool,
    at: impl Fn(i64, i64) -> LatticePoint,
) -> (Vec<LatticePoint>, Facets) {
    let columns = if is_closed { across } else { across + 1 };
    let vertices =
        (0..=along).flat_map(|j| (0..columns).map(move |i| (i64::from(i), i64::from(j))));
    let vertices = vertices.map(|(i, j)| at(i, j)).collect();
    let id = |i: u32, j: u32| j * columns + i % columns;
    let mut random = SplitMix64::new(u64::from(across * along));
    let mut facets = Vec::new();
    for (j, i) in (0..along).flat_map(|j| (0..across).map(move |i| (j, i))) {
        let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
        facets.extend(if random.unit() < 0.5 {
            [vec![a, b, c], vec![a, c, d]]
        } else {
            [vec![a, b, d], vec![b, c, d]]
        });
    }
    (vertices, facets)
}

/// Points of a circle on the lattice.
pub(crate) fn circle(i: i64, count: i64, radius: f64) -> [i64; 2] {
    let angle = std::f64::consts::TAU * i as f64 / count as f64;
    [angle.cos(), angle.sin()].map(|x| (x * radius * CELL as f64).round() as i64)
}

/// Polylines of cells, (x, z), extruded along y.
pub(crate) fn drawn(profile: &[(i64, i64)], is_closed: bool) -> (Vec<LatticePoint>, Facets) {
    let across = profile.len() as u32 - u32::from(!is_closed);
    let at = |i: i64, j: i64| {
        let (x, z) = profile[i as usize];
        [x * CELL / 8, j * CELL, z * CELL / 8]
    };
    net(across, 6, is_closed, at)
}

pub(crate) fn prism(count: i64, radius: f64, height: i64) -> (Vec<LatticePoint>, Facets) {
    let ring = (0..2 * count).map(|i| {
        let [x, y] = circle(i % count, count, radius);
        [x, y, i / count * height]
    });
    let n = count as u32;
    let mut facets: Facets = (0..n)
        .map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i])
        .collect();
    facets.push((0..n).rev().collect());
    facets.push((n..2 * n).collect());
    (ring.collect(), facets)
}

pub(crate) fn families() -> Vec<Family> {
    let heights: Vec<i64> = {
        let mut random = SplitMix64::new(11);
        (0..400)
            .map(|_| random.below(CELL as usize) as i64)
            .collect()
    };
    let rough = |i: i64, j: i64| [i * CELL, j * CELL, heights[(i + 20 * j) as usize % 400]];
    let plane = |i: i64, j: i64| [i * CELL, j * CELL, (3 * i - 2 * j) * CELL / 8];
    let bowl = |i: i64, j: i64| ((i - 4) * (i - 4) + (j - 4) * (j - 4)) * CELL / 16;
    let mut drum = net(24, 6, true, |i, j| {
        let [x, y] = circle(i, 24, 5.0);
        [x, y, j * CELL]
    });
    for (ring, z) in [(0, 0), (6, 6 * CELL)] {
        let hub = drum.0.len() as u32;
        drum.0.push([0, 0, z]);
        drum.1
            .extend((0..24).map(|i| vec![hub, ring * 24 + i, ring * 24 + (i + 1) % 24]));
    }
    let far = 3000 * CELL;
    let flat = net(8, 8, false, plane);
    let flat_far = net(8, 8, false, |i, j| plane(i, j).map(|c| c + far));
    let convex = net(8, 8, false, |i, j| [i * CELL, j * CELL, -bowl(i, j)]);
    let dish = net(8, 8, false, |i, j| [i * CELL, j * CELL, bowl(i, j)]);
    let ring = |count: i64, j: i64, radius: f64| {
        move |i: i64| {
            let [x, y] = circle(i, count, radius);
            [x, y, j * CELL]
        }
    };
    let cylinder = net(24, 6, true, |i, j| ring(24, j, 3.0)(i));
    let cone = net(16, 6, true, |i, j| ring(16, j, 4.0 - 0.5 * j as f64)(i));
    let needle = net(12, 6, false, |i, j| {
        [i * 16, j * CELL, heights[i as usize] >> 12]
    });
    let valley = [(-24, 16), (-12, 8), (0, 0), (10, 9), (20, 18)];
    let fold = [(0, 0), (8, 5), (16, 0), (24, 5), (32, -3), (40, 0)];
    let step = [(0, 0), (8, 0), (16, 0), (16, 8), (24, 8), (32, 8)];
    let ledge = [
        (0, 0),
        (16, 0),
        (16, 8),
        (8, 8),
        (8, 9),
        (24, 9),
        (24, 0),
        (40, 0),
    ];
    let families = vec![
        ("flat", flat, 3.0),
        ("flat, 1000 R away", flat_far, 3.0),
        ("convex", convex, 3.0),
        ("dish", dish, 3.0),
        ("cylinder", cylinder, 2.5),
        ("drum", drum, 2.5),
        ("cone", cone, 2.0),
        ("box", prism(4, 3.0, 2 * CELL), 3.0),
        ("prism of hexagons", prism(6, 4.0, 3 * CELL), 3.0),
        ("v", drawn(&valley, false), 3.0),
        ("fold", drawn(&fold, false), 3.0),
        ("rough", net(10, 10, false, rough), 2.0),
        ("rough, deep", net(12, 12, false, rough), 6.0),
        ("step", drawn(&step, false), 2.0),
        ("ledge", drawn(&ledge, false), 2.0),
        (
            "thin plate",
            drawn(&[(0, 0), (16, 0), (32, 0), (32, 1), (0, 1)], true),
            2.0,
        ),
        ("needle", needle, 1.0),
    ];
    let family = |(name, (vertices, facets), radius)| Family {
        name,
        vertices,
        facets,
        radius,
    };
    families.into_iter().map(family).collect()
}

/// A position near a vertex. It shares a third of its coordinates with the vertex, so that
/// projections fall exactly on edges and vertices.
pub(crate) fn place(random: &mut SplitMix64, family: &Family) -> (LatticePoint, f64) {
    let vertex = family.vertices[random.below(family.vertices.len())];
    let size = family.radius * random.unit() * CELL as f64;
    let point = vertex.map(|c| {
        let moved = random.range(-size, size) as i64;
        if random.below(3) == 0 { c } else { c + moved }
    });
    (point, family.radius * random.range(0.1, 1.0))
}

pub(crate) fn mesh(family: &Family, change: impl Fn(DVec3) -> DVec3) -> SurfaceMesh {
    let vertices = family
        .vertices
        .iter()
        .map(|&v| change(oracle::to_vector(v, SCALE)));
    let mesh = SurfaceMesh::new(vertices.collect(), &family.facets).unwrap();
    mesh.with_precision(0.0).unwrap()
}

/// Whether a minimum is so close to the sphere's surface that rounding decides.
pub(crate) fn is_near_tie(minima: &[(Feature, f64)], radius: f64) -> bool {
    minima.iter().any(|m| (m.1 * SCALE - radius).abs() < 1e-9)
}

/// Returns a place, the minima of the distance there, and the number of places left out before it.
pub(crate) fn place_and_minima(
    random: &mut SplitMix64,
    family: &Family,
) -> (LatticePoint, f64, Vec<(Feature, f64)>, usize) {
    for near_ties in 0.. {
        let (point, radius) = place(random, family);
        let minima = oracle::local_minima(point, &family.vertices, &family.facets);
        if !is_near_tie(&minima, radius) {
            return (point, radius, minima, near_ties);
        }
    }
    unreachable!()
}
