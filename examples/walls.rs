//! Balls on a rocking tray of triangles: a moving wall, its velocity at contacts, and its sides.
//!
//! `cargo run --release --example walls` takes 0.04 s.

use osculate::glam::{DQuat, DVec3};
use osculate::{
    DoubleHierarchy, Error, NarrowPhase, Pose3, Sphere, SurfaceMesh, Wall, WallContact,
};

/// A tray around the origin of its own coordinates, 2 wide: a floor of 16 x 8 cells of two
/// triangles, and two sides across x of one quadrilateral each.
fn tray() -> Result<SurfaceMesh, Error> {
    let floor = |x: u32, y: u32| 9 * x + y;
    let place = |i: u32| {
        DVec3::new(
            f64::from(i / 9) / 8.0 - 1.0,
            f64::from(i % 9) / 4.0 - 1.0,
            0.0,
        )
    };
    let mut vertices: Vec<DVec3> = (0..17 * 9).map(place).collect();
    let mut facets: Vec<Vec<u32>> = Vec::new();
    for (x, y) in (0..16).flat_map(|x| (0..8).map(move |y| (x, y))) {
        let [a, b] = [floor(x, y), floor(x + 1, y)];
        facets.extend([vec![a, b, b + 1], vec![a, b + 1, a + 1]]);
    }
    for x in [0, 16] {
        let top = vertices.len() as u32;
        let ends = [floor(x, 0), floor(x, 8)];
        vertices.extend(ends.map(|i| place(i) + DVec3::Z * 0.3));
        facets.push(vec![ends[0], ends[1], top + 1, top]);
    }
    SurfaceMesh::new(vertices, facets)
}

fn main() -> Result<(), Error> {
    let mut wall = Wall::new(tray()?);
    let mut kernel = DoubleHierarchy::new();
    // Each ball has its own lane, so no two meet; SI units, 1 kg each.
    let ball = |i: u32| Sphere::new(DVec3::new(0.0, f64::from(i) / 5.0 - 0.9, 0.05), 0.05);
    let mut balls: Vec<_> = (0..10).map(ball).collect();
    let mut velocities = vec![DVec3::ZERO; balls.len()];
    // The state of each ball at the wall: its side, and the facets nearby.
    let mut memories: Vec<_> = balls.iter().map(|_| Default::default()).collect();
    let mut found: Vec<WallContact> = Vec::new();
    let (step, rate) = (5e-4, 1.5);
    let (mut corners, mut ends) = (0, [false; 2]);
    for time in (0..16_000).map(|i| f64::from(i) * step) {
        // The tray rocks about y, by at most 0.2 rad.
        let (angle, angular) = (0.2 * (rate * time).sin(), 0.2 * rate * (rate * time).cos());
        wall.set_pose(Pose3::new_normalize(
            DQuat::from_rotation_y(angle),
            DVec3::ZERO,
        )?);
        for ((ball, velocity), memory) in balls.iter_mut().zip(&mut velocities).zip(&mut memories) {
            found.clear();
            kernel.for_each_contact(ball, &wall, memory, |c| found.push(c));
            // The floor gives one contact for any mesh, and an end one more.
            let local = wall.pose().inverse_transform_point(ball.center);
            let is_at_end = [-local.x, local.x].map(|x| x > 1.0 - ball.radius);
            assert!(found.len() <= 1 + usize::from(is_at_end != [false; 2]));
            assert!(local.x.abs() < 1.0 && local.z > 0.04, "out of the tray");
            corners += usize::from(found.len() == 2);
            ends = [0, 1].map(|i| ends[i] || is_at_end[i]);

            let mut force = DVec3::Z * -9.81;
            for c in &found {
                // The velocity of the tray at the contact.
                let moving = (DVec3::Y * angular).cross(c.point);
                let approach = (*velocity - moving).dot(c.normal);
                force -= c.normal * (2e4 * c.overlap + 100.0 * approach).max(0.0);
            }
            *velocity += force * step;
            ball.center += *velocity * step;
        }
    }
    let facets = wall.mesh().facet_count();
    println!("{facets} facets; one contact each, except two in {corners} corners");
    assert!(corners > 0 && ends == [true; 2]);
    Ok(())
}
