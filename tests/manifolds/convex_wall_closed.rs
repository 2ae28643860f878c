//! Polyhedra at the closed surface of a convex block, one-sided, beside the common plane of the two bodies.

use crate::support::cases;
use crate::support::convex::{polyhedron, random, vector};
use osculate::narrow::ConvexWall;
use osculate::{CommonPlane, ConvexPolyhedron, NarrowPhase, Placed, Pose3, Wall};

/// The least distance of the centroid from a face.
fn inradius(shape: &ConvexPolyhedron) -> f64 {
    let facets = shape.surface().facets();
    let distances = facets.map(|f| {
        f.normal()
            .dot(f.corners().next().unwrap() - shape.centroid())
    });
    distances.fold(f64::INFINITY, f64::min)
}

/// No contact is below the least translation that separates the bodies, and shallow ones are at it.
#[test]
fn overlaps_at_a_block_are_at_least_the_least_translation() {
    let mut random = random(51);
    let (mut plane, mut kernel) = (CommonPlane::new(), ConvexWall::new());
    for depth in [1e-3, 1e-2, 0.1, 0.3] {
        let (mut pairs, mut missing, mut below, mut above) = (0, 0, 0, 0);
        while pairs < cases(200) {
            let [block, shape] = [0; 2].map(|_| polyhedron(&mut random, 1.0));
            let wall = Wall::new(block.surface().clone());
            let fixed = Placed::new(&block, Pose3::IDENTITY);
            // Along a random line from the outside, so that the depth is that of the least translation.
            let (turn, way) = (random.rotation(), vector(&mut random).normalize());
            let at = |t: f64| Placed::new(&shape, Pose3::new(turn, way * t).unwrap());
            let inradius = inradius(&block).min(inradius(&shape));
            let (mut out, mut inside) = (5.0, 0.0);
            for _ in 0..60 {
                let middle = 0.5 * (out + inside);
                let overlap = plane
                    .contact(&fixed, &at(middle))
                    .map_or(0.0, |c| c.overlap);
                if overlap > depth * inradius {
                    inside = middle;
                } else {
                    out = middle;
                }
            }
            let body = at(inside);
            let Some(least) = plane.contact(&body, &fixed) else {
                continue;
            };
            pairs += 1;
            let mut smallest = f64::INFINITY;
            kernel.for_each_contact(&body, &wall, &mut Default::default(), |c| {
                smallest = smallest.min(c.overlap);
            });
            missing += usize::from(smallest == f64::INFINITY);
            below += usize::from(smallest < least.overlap - 1e-12);
            above += usize::from(smallest > least.overlap * (1.0 + 1e-6) + 1e-12);
        }
        println!("depth {depth}: {missing} missing, {below} below, {above} above of {pairs}");
        assert!(missing == 0 && below == 0);
        assert!(depth > 0.01 || above <= pairs / 20);
    }
}

/// A body inside a block, away from its surface, touches nothing: `ConvexWall` is about surfaces.
#[test]
fn bodies_inside_a_block_do_not_touch_its_surface() {
    let mut random = random(52);
    let block = polyhedron(&mut random, 1.0);
    let wall = Wall::new(block.surface().clone());
    let small = polyhedron(&mut random, 1e-3);
    let at = Pose3::from_translation(block.centroid()).unwrap();
    let found = ConvexWall::new().contact(&Placed::new(&small, at), &wall);
    assert!(found.is_none());
}
