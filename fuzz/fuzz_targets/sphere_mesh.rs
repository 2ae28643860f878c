//! Compares a sphere on any triangle soup with integers: the deepest contact is at the nearest
//! distance, and a wall with reversed facet order gives the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::DVec3;
use osculate::testing::oracle::{distance_to_triangles, to_vector};
use osculate::*;

fn contacts(triangles: &[[DVec3; 3]], sphere: &Sphere<DVec3>) -> Option<Vec<(DVec3, f64)>> {
    let mesh = SurfaceMesh::from_triangles(triangles).ok()?;
    // Integers are exact, and not of a file in single precision.
    let wall = Wall::new(mesh.with_precision(0.0).ok()?);
    let mut found = Vec::new();
    let mut kernel = DoubleHierarchy::new();
    kernel.for_each_contact(sphere, &wall, &mut Default::default(), |c| {
        found.push((c.offset, c.overlap))
    });
    Some(found)
}

fuzz_target!(|input: ([i16; 3], u16, Vec<[[i16; 3]; 3]>)| {
    let (center, radius, triangles) = input;
    let wide = |p: [i16; 3]| p.map(i64::from);
    let lattice: Vec<_> = triangles.iter().map(|t| t.map(wide)).collect();
    let mut triangles: Vec<_> = lattice
        .iter()
        .map(|t| t.map(|p| to_vector(p, 1.0)))
        .collect();
    let sphere = Sphere::new(to_vector(wide(center), 1.0), radius.into());
    let Some(found) = contacts(&triangles, &sphere) else {
        return;
    };
    let distance = distance_to_triangles(wide(center), &lattice);
    // Points closer together than 2^-24 of the radius count as one; any of them may be reported.
    let rounding = 1e-14 * (distance + 1e5) + 6e-8 * sphere.radius;
    match found.first() {
        Some((_, overlap)) => assert!((sphere.radius - distance - overlap).abs() <= rounding),
        None => assert!(sphere.radius <= distance + rounding),
    }
    triangles.reverse();
    triangles.iter_mut().for_each(|t| t.reverse());
    if distance > 0.0 {
        assert_eq!(contacts(&triangles, &sphere), Some(found));
    }
});
