//! Periodic boxes and spheres on the lattice, sorted results.

use osculate::testing::strategies as any;
use osculate::{BroadPhase, PeriodicBox, Sphere, Vector};
use proptest::prelude::*;

/// Returns 500 cases for each property, or those of `OSCULATE_CASES`.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        cases: super::cases(500) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub(crate) type LatticeSphere = ([i64; 3], i64);

/// The unit of lattice coordinates.
pub(crate) const UNIT: f64 = 1.0 / (1 << 20) as f64;

/// A box on the lattice: corner, sides, tilts, periodic axes.
#[derive(Clone, Debug)]
pub(crate) struct LatticeBox {
    pub(crate) min: [i64; 3],
    pub(crate) sides: [i64; 3],
    /// xy, xz, yz.
    pub(crate) tilts: [i64; 3],
    pub(crate) is_periodic: [bool; 3],
}

impl LatticeBox {
    pub(crate) fn to_box<V: Vector>(&self, scale: f64) -> PeriodicBox<V> {
        let vector = |lattice: [i64; 3]| V::from_fn(|axis| lattice[axis] as f64 * UNIT * scale);
        let tilts = self.tilts::<V>().map(|tilt| tilt as f64 * UNIT * scale);
        let (min, sides) = (vector(self.min), vector(self.sides));
        PeriodicBox::triclinic(min, sides, tilts, self.is_periodic).unwrap()
    }

    pub(crate) fn is_periodic<V: Vector>(&self) -> [bool; 3] {
        let [x, y, z] = self.is_periodic;
        [x, y, z && V::DIM == 3]
    }

    pub(crate) fn tilts<V: Vector>(&self) -> [i64; 3] {
        let ([x, y, z], [xy, xz, yz]) = (self.is_periodic::<V>(), self.tilts);
        let only = |is_tilted: bool, tilt: i64| if is_tilted { tilt } else { 0 };
        [only(x && y, xy), only(x && z, xz), only(y && z, yz)]
    }

    /// All image vectors with entries up to 2, and their lattice vectors in integers. Reduces the
    /// tilts independently, in integers.
    pub(crate) fn images<V: Vector>(&self) -> Vec<[i64; 3]> {
        let [x, y, z] = self.is_periodic::<V>();
        let [a, b, c] = self.sides;
        let nearest = |value: i64, side: i64| (2 * value + side).div_euclid(2 * side);
        let [xy, mut xz, mut yz] = self.tilts::<V>();
        let shift = nearest(yz, b);
        (xz, yz) = (xz - shift * xy, yz - shift * b);
        let xy = xy - nearest(xy, a) * a;
        xz -= nearest(xz, a) * a;
        let reach = |is_periodic: bool| if is_periodic { -3..=3 } else { 0..=0 };
        let mut images = Vec::new();
        for i in reach(x) {
            for j in reach(y) {
                for k in reach(z) {
                    images.push([i * a + j * xy + k * xz, j * b + k * yz, k * c]);
                }
            }
        }
        images
    }
}

pub(crate) fn lattice_box() -> impl Strategy<Value = LatticeBox> {
    let side = prop_oneof![3 => (32_i64..64).prop_map(|i| i << 18), 1 => 8_i64 << 20..16 << 20];
    let tilt = prop_oneof![1 => Just(0), 2 => (-200_i64..200).prop_map(|i| i << 17)];
    let corner = (-64_i64..64).prop_map(|i| i << 18);
    (
        prop::array::uniform3(corner),
        prop::array::uniform3(side),
        prop::array::uniform3(tilt),
        prop::array::uniform3(prop::bool::weighted(0.8)),
    )
        .prop_map(|(min, sides, tilts, is_periodic)| LatticeBox {
            min,
            sides,
            tilts,
            is_periodic,
        })
}

/// Lattice spheres of many sizes at any position; the largest may be as large as the box allows.
pub(crate) fn periodic_spheres() -> impl Strategy<Value = (LatticeBox, Vec<LatticeSphere>)> {
    let far = prop::array::uniform3(-40_i64..=40);
    let body = (any::lattice_point(), 0_i64..=8, 0_u32..=6, far);
    (lattice_box(), prop::collection::vec(body, 0..24)).prop_map(|(period, bodies)| {
        let sides = (0..3).filter(|&axis| period.is_periodic[axis]);
        let shortest = sides
            .map(|axis| period.sides[axis])
            .min()
            .unwrap_or(8 << 20);
        let sphere = |(center, eighths, halvings, far): ([i64; 3], i64, u32, [i64; 3])| {
            let lattice = |axis: usize| {
                let is_shifted = period.is_periodic[axis] && far[axis] > 30;
                let shift = if is_shifted {
                    far[axis] * period.sides[axis]
                } else {
                    0
                };
                center[axis] + shift
            };
            (
                [0, 1, 2].map(lattice),
                ((shortest >> 2) * eighths / 8) >> halvings,
            )
        };
        let bodies = bodies.into_iter().map(sphere).collect();
        (period, bodies)
    })
}

pub(crate) fn spheres<V: Vector>(lattice: &[LatticeSphere], scale: f64) -> Vec<Sphere<V>> {
    let sphere = |&s: &LatticeSphere| {
        let Sphere { center, radius } = any::to_sphere::<V>(s);
        Sphere::new(center * scale, radius * scale)
    };
    lattice.iter().map(sphere).collect()
}

pub(crate) fn sorted_pairs<V: Vector>(broad: &impl BroadPhase<Vector = V>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    broad.collect_pairs(&mut pairs);
    pairs.sort_unstable();
    pairs
}

pub(crate) fn near<V: Vector>(
    broad: &impl BroadPhase<Vector = V>,
    query: &Sphere<V>,
) -> Vec<usize> {
    let mut found = Vec::new();
    broad.for_each_touching(query, |body| found.push(body));
    found.sort_unstable();
    found
}
