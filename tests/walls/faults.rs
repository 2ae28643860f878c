//! Spheres at walls: faults that were found by reading the code.

use osculate::glam::{DVec2, DVec3};
use osculate::shape::SegmentMesh;
use osculate::testing::workload;
use osculate::{
    DoubleHierarchy, Feature, NarrowPhase, PeriodicBox, Skin, Sphere, SurfaceMesh, Wall, WallList,
    WallState, narrow::WallSides,
};

use crate::support::convex::{BOX_FACES, corner};

fn solid() -> DoubleHierarchy {
    DoubleHierarchy::new().with_sides(WallSides::Solid)
}

fn boxes(list: &[[DVec3; 2]]) -> SurfaceMesh {
    let (mut vertices, mut facets) = (Vec::new(), Vec::new());
    for ends in list {
        let first = vertices.len() as u32;
        let [low, high] = *ends;
        let corner = |i: u32| low + (high - low) * corner(i);
        vertices.extend((0..8).map(corner));
        facets.extend(BOX_FACES.map(|quad| quad.map(|i| i + first)));
    }
    SurfaceMesh::new(vertices, facets).unwrap()
}

/// Facets that are counter-clockwise seen from inside: the solid is all that is outside.
#[test]
fn containers_hold_spheres() {
    let mesh = SurfaceMesh::from(workload::cubes(&[[0; 3]], 1.0).unwrap()).reversed();
    let wall = Wall::new(mesh);
    let ball = |x: f64, y: f64| Sphere::new(DVec3::new(x, y, 0.5), 0.125);
    for ((x, y), depth) in [
        ((1.05, 0.5), 0.05),
        ((1.05, 1.05), 0.005_f64.sqrt()),
        ((1.5, 0.5), 0.5),
        ((9.0, 0.5), 8.0),
    ] {
        let overlap = solid().contact(&ball(x, y), &wall).unwrap().overlap;
        assert!(
            (overlap - 0.125 - depth).abs() < 1e-12,
            "{x} {y}: {overlap}"
        );
    }
    assert!(solid().contact(&ball(0.5, 0.5), &wall).is_none());
    let list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
    let mut list = list.with_sides(WallSides::Solid);
    list.update(&[ball(0.5, 0.5), ball(1.5, 1.5), ball(0.9, 0.5)], &wall)
        .unwrap();
    assert_eq!(list.bodies(), [1, 2]);
    // An obstacle in the container is solid too.
    let mut quads = boxes(&[[DVec3::splat(0.3), DVec3::splat(0.6)]]);
    let container = SurfaceMesh::from(workload::cubes(&[[0; 3]], 1.0).unwrap()).reversed();
    let shift = quads.vertices().len() as u32;
    let vertices = [quads.vertices(), container.vertices()].concat();
    let ids = |mesh: &SurfaceMesh, shift: u32| {
        let facets = mesh.facets().map(|f| f.vertices().to_vec());
        facets
            .map(|ids| ids.iter().map(|id| id + shift).collect())
            .collect::<Vec<Vec<u32>>>()
    };
    let facets = [ids(&quads, 0), ids(&container, shift)].concat();
    quads = SurfaceMesh::new(vertices, facets).unwrap();
    let wall = Wall::new(quads);
    for (x, depth) in [(0.5, 0.1), (0.7, -0.1), (1.2, 0.2)] {
        let overlap = solid().contact(&Sphere::new(DVec3::new(x, 0.45, 0.45), 0.125), &wall);
        assert!(
            (overlap.unwrap().overlap - 0.125 - depth).abs() < 1e-12,
            "{x}"
        );
    }
    // In the plane the front is on the right.
    let corners = [DVec2::ZERO, DVec2::Y, DVec2::ONE, DVec2::X];
    let sides = (0..4).map(|i| [i, (i + 1) % 4]).collect();
    let wall = Wall::new(SegmentMesh::new(corners.to_vec(), sides).unwrap());
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Solid);
    let mut overlap = |x: f64, y: f64| {
        let contact = kernel.contact(&Sphere::new(DVec2::new(x, y), 0.125), &wall);
        contact.map_or(0.0, |contact| contact.overlap)
    };
    assert!((overlap(1.05, 1.05) - 0.125 - 0.005_f64.sqrt()).abs() < 1e-12);
    assert!((overlap(1.5, 0.5) - 0.625).abs() < 1e-12);
    assert_eq!(overlap(0.5, 0.5), 0.0);
}

/// Closed meshes that overlap or touch: the winding number decides, for any radius and order of the facets.
#[test]
fn overlapping_shells() {
    let second = [DVec3::new(0.5, -1.0, -1.0), DVec3::new(3.0, 2.0, 2.0)];
    let wall = Wall::new(boxes(&[[DVec3::ZERO, DVec3::ONE], second]));
    for radius in [0.05, 0.2] {
        let ball = Sphere::new(DVec3::new(1.1, 0.5, 0.5), radius);
        let contact = solid().contact(&ball, &wall).unwrap();
        assert!((contact.overlap - radius - 0.1).abs() < 1e-12, "{radius}");
    }
    let [a, b] = [0.0, 1.0].map(|x| [DVec3::X * x, DVec3::X * x + DVec3::ONE]);
    let ball = Sphere::new(DVec3::new(0.9, 0.5, 0.5), 0.2);
    let found = [[a, b], [b, a]].map(|list| {
        let contact = solid().contact(&ball, &Wall::new(boxes(&list))).unwrap();
        (contact.overlap, contact.normal)
    });
    assert!((found[0].0 - 0.3).abs() < 1e-12);
    assert_eq!(found[0], found[1]);
}

/// A vertex without facets says nothing about the distance of the surface.
#[test]
fn unused_first_vertex() {
    let cube = boxes(&[[DVec3::ZERO, DVec3::ONE]]);
    let vertices = [&[DVec3::splat(0.5)], cube.vertices()].concat();
    let facets = cube
        .facets()
        .map(|f| f.vertices().iter().map(|id| id + 1).collect());
    let wall = Wall::new(SurfaceMesh::new(vertices, facets.collect::<Vec<Vec<u32>>>()).unwrap());
    let ball = Sphere::new(DVec3::new(0.5, 0.5, 0.5625), 0.125);
    assert_eq!(solid().contact(&ball, &wall).unwrap().overlap, 0.5625);
}

#[test]
fn facets_at_a_vertex_ascend() {
    let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let wall = Wall::new(SurfaceMesh::new(corners, [[0, 3, 4], [0, 1, 2]]).unwrap());
    let mut found = Vec::new();
    wall.for_each_facet_at(Feature::Vertex(0), |facet| found.push(facet));
    assert_eq!(found, [0, 1]);
}

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

/// More periods away than fit in an `i32`.
#[test]
fn nodal_weights_far_out() {
    let ends = [DVec2::ZERO, DVec2::new(10.0, 0.0)];
    let mut floor = Wall::new(SegmentMesh::new(ends.to_vec(), vec![[0, 1]]).unwrap());
    let period = PeriodicBox::orthogonal(DVec2::ZERO, ends[1], [true, false, false]);
    floor.set_period(Some(period.unwrap()));
    let disc = Sphere::new(DVec2::new(3e10 + 2.5, 0.25), 0.5);
    let contact = DoubleHierarchy::new().contact(&disc, &floor).unwrap();
    let mut weights = Vec::new();
    floor.for_each_nodal_weight(&contact, |_, weight| weights.push(weight));
    assert!((weights[0] - 0.75).abs() < 1e-3, "{weights:?}");
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
        let ball = Sphere::new(DVec3::Z * 0.5, 0.75);
        let mut contacts = 0;
        let mut kernel = DoubleHierarchy::new();
        kernel.for_each_contact(&ball, &wall, &mut Default::default(), |_| contacts += 1);
        assert_eq!(contacts, 2);
    }
}
