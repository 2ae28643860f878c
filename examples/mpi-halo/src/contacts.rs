//! The contacts that a rank keeps, and all contacts by a brute-force serial search.

use std::ops::RangeInclusive;

use mpi::traits::*;
use osculate::{
    BroadPhase, HierarchicalGrid, PeriodicBox, Sphere, broad::rank_owns_pair, glam::DVec3,
};

use crate::domain::Body;

/// Two spheres, the lower id first, and the periods by which the second is shifted relative to the
/// first. Of a sphere and its own image, the lexicographically positive one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Equivalence)]
pub struct Contact {
    pub ids: [u64; 2],
    pub image: [i32; 3],
    /// Padding: keeps the size a multiple of that of an id.
    unused: i32,
}

impl Contact {
    fn new(a: &Body, b: &Body) -> Self {
        let image: [i32; 3] = std::array::from_fn(|axis| b.image[axis] - a.image[axis]);
        let back = image.map(|periods| -periods);
        let (ids, image) = if (a.id, back) < (b.id, image) {
            ([a.id, b.id], image)
        } else {
            ([b.id, a.id], back)
        };
        Self {
            ids,
            image,
            unused: 0,
        }
    }
}

/// The contacts that a rank keeps among its bodies, first the owned ones, then the ghosts. A solver
/// would compute the force here, and send the force on a ghost to its owner.
pub fn kept(
    grid: &mut HierarchicalGrid<DVec3>,
    bodies: &[Body],
    owned_count: usize,
    mut visit: impl FnMut(Contact),
) -> Result<(), osculate::Error> {
    grid.rebuild_with(bodies.len(), |i| bodies[i].sphere())?;
    grid.for_each_pair(|i, j| {
        let (a, b) = (&bodies[i], &bodies[j]);
        if rank_owns_pair(a.as_seen(i < owned_count), b.as_seen(j < owned_count)) {
            visit(Contact::new(a, b));
        }
    });
    Ok(())
}

/// Every body against every image of every other one and of itself, sorted.
pub fn serial(period: &PeriodicBox<DVec3>, bodies: &[Body]) -> Vec<Contact> {
    let sides = period.lengths();
    let mut contacts = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            // All images that may touch, and some more along each axis.
            let periods = |axis: usize| {
                let reach = a.radius + b.radius + 1e-9 * sides[axis];
                let delta = a.center[axis] - b.center[axis];
                let first = ((delta - reach) / sides[axis]).ceil() as i32;
                first..=((delta + reach) / sides[axis]).floor() as i32
            };
            let [xs, ys, zs] = [0, 1, 2].map(periods);
            for image in triples(xs, ys, zs) {
                let center = DVec3::from(b.center) + period.lattice_vector(image);
                let is_pair = a.id != b.id || image > [0; 3];
                if is_pair && a.sphere().touches(&Sphere::new(center, b.radius)) {
                    contacts.push(Contact::new(a, &Body { image, ..*b }));
                }
            }
        }
    }
    contacts.sort_unstable();
    contacts
}

/// All triples of three ranges.
pub fn triples(
    xs: RangeInclusive<i32>,
    ys: RangeInclusive<i32>,
    zs: RangeInclusive<i32>,
) -> impl Iterator<Item = [i32; 3]> {
    xs.flat_map(move |x| {
        let zs = zs.clone();
        ys.clone()
            .flat_map(move |y| zs.clone().map(move |z| [x, y, z]))
    })
}
