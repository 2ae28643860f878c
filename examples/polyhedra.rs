//! Blocks that slide over the end of a table: common planes with a state per pair, and the contact
//! area that carries each block.
//!
//! `cargo run --release --example polyhedra`

use osculate::glam::DVec3;
use osculate::{
    CommonPlane, CommonPlaneState, ConvexPolyhedron, ElasticBed, Error, HierarchicalGrid,
    NarrowPhase, PairList, Placed, Pose3, Skin,
};

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

/// A box around the origin with these half-widths.
fn block(half: DVec3) -> Result<ConvexPolyhedron, Error> {
    let sign = |i: u32, axis: u32| f64::from(i >> axis & 1) * 2.0 - 1.0;
    let corner = |i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2));
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())
}

fn main() -> Result<(), Error> {
    // The table ends at x = 2 and has its top at z = 0. Shapes are built once and shared.
    let (table, cube) = (block(DVec3::new(2.0, 2.0, 0.5))?, block(DVec3::splat(0.5))?);
    let at = |x, y, z| Pose3::from_translation(DVec3::new(x, y, z));
    let mut bodies = vec![Body {
        shape: &table,
        pose: at(0.0, 0.0, -0.5)?,
    }];
    for y in [-1.2, 0.0, 1.2] {
        // Pressed 1/128 into the table.
        bodies.push(Body {
            shape: &cube,
            pose: at(0.0, y, 0.5 - 1.0 / 128.0)?,
        });
    }

    let mut list =
        PairList::<_, CommonPlaneState>::new(HierarchicalGrid::new(), Skin::Absolute(0.1))?;
    let (mut kernel, mut bed) = (CommonPlane::new(), ElasticBed::new());
    let (mut rebuilds, mut tipped) = (0, [None; 3]);
    for step in 0..1000 {
        for (i, body) in bodies.iter_mut().enumerate().skip(1) {
            let slide = DVec3::X * (0.001 * i as f64);
            body.pose = Pose3::new(body.pose.rotation(), body.pose.translation() + slide)?;
        }
        rebuilds += usize::from(list.update(&bodies)?);
        // The list stores the state of each pair.
        list.for_each_touching_pair(|i, j, state| {
            let (a, b) = (&bodies[i], &bodies[j]);
            let Some(contact) = kernel.contact_with(a, b, state) else {
                return;
            };
            let x = b.pose.translation().x;
            if x < 2.4 {
                assert!((contact.overlap - 1.0 / 128.0).abs() < 1e-15);
                assert_eq!(contact.normal, DVec3::Z);
            }

            // The area in which the bodies press on each other, and at most eight points.
            let manifold = bed.manifold(a, b, contact.normal, &mut Default::default());
            let Some(manifold) = manifold else { return };
            let carried = (2.5 - x).min(1.0);
            assert!((manifold.area - carried).abs() < 1e-12 || x > 2.4);
            // The center of the block is above the end of the table; beyond this it would tip.
            if x > 2.0 && tipped[j - 1].is_none() {
                tipped[j - 1] = Some((step, manifold.area));
            }
        });
    }

    for (i, tipped) in tipped.iter().enumerate() {
        if let Some((step, area)) = tipped {
            println!("block {i} would tip at step {step}, carried by an area of {area:.3}");
        }
    }
    println!("{rebuilds} rebuilds of the list");
    assert!(
        tipped
            .iter()
            .flatten()
            .all(|(_, area)| (0.49..0.501).contains(area))
    );
    assert!(rebuilds > 5);
    Ok(())
}
