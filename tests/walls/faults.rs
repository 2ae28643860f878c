//! Spheres at walls: faults that were found by reading the code.

use crate::support::wall::contacts;
use osculate::glam::DVec3;
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall};

/// Two facets in one plane with opposite fronts, and a center on their common edge.
#[test]
fn order_of_opposite_facets() {
    let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let normal = |facets: [[u32; 3]; 2]| {
        let wall = Wall::new(SurfaceMesh::new(corners.clone(), facets).unwrap());
        let ball = Sphere::new(DVec3::X * 0.5, 0.25);
        DoubleHierarchy::new().contact(&ball, &wall).unwrap().normal
    };
    let [a, b] = [[0, 1, 2], [0, 1, 3]];
    assert_eq!(normal([a, b]), normal([b, a]));
}

/// A tip of many facets in single precision, beside a second contact.
#[test]
fn tips_of_many_facets() {
    for count in [8, 4096_u32] {
        let rim = |i: u32| {
            let angle = f64::from(i) * std::f64::consts::TAU / f64::from(count);
            let single = |x: f64| f64::from(x as f32);
            DVec3::new(single(0.5 * angle.cos()), single(0.5 * angle.sin()), -1.0)
        };
        let mut vertices = vec![DVec3::ZERO];
        vertices.extend((0..count).map(rim));
        let plate = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.0)];
        vertices.extend(plate.map(|(x, y)| DVec3::new(x, y, 1.0)));
        let sides = (0..count).map(|i| [0, 1 + i, 1 + (i + 1) % count]);
        let plate = [count + 1, count + 2, count + 3];
        let facets: Vec<_> = sides.chain([plate]).collect();
        let wall = Wall::new(SurfaceMesh::new(vertices, facets).unwrap());
        assert_eq!(contacts(&wall, DVec3::Z * 0.5, 0.75).len(), 2);
    }
}

/// A vertex above a tilted facet, in its bounding box, is not on it; one in its plane is.
#[test]
fn vertex_above_a_tilted_facet() {
    for (height, is_on) in [(0.5, false), (0.0, true), (-0.25, false)] {
        let far = [DVec3::new(0.25, 0.25, 8.0), DVec3::new(0.25, 0.5, 8.0)];
        let tip = DVec3::new(0.25, 0.25, 0.25 + height);
        let tilted = [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::Y];
        let mesh = SurfaceMesh::from_triangles(&[tilted, [tip, far[0], far[1]]]).unwrap();
        assert_eq!(Wall::new(mesh).are_adjacent(0, 1), is_on, "{height}");
    }
}
