use glam::{DVec2, DVec3};

use super::*;
use crate::NarrowPhase;
use crate::math::{Pose2, Pose3};
use crate::shape::{Feature, SegmentMesh, Sphere, SurfaceMesh};

fn all<M: WallMesh>(
    kernel: DoubleHierarchy<M::Vector>,
    wall: &Wall<M>,
    center: M::Vector,
    radius: f64,
) -> Vec<WallContact<M::Vector>> {
    let mut kernel = kernel;
    let mut found = Vec::new();
    let sphere = Sphere::new(center, radius);
    kernel.for_each_contact(&sphere, wall, &mut Default::default(), |c| found.push(c));
    found
}

/// A closed plate from z = -thickness to 0, two units wide.
fn plate(thickness: f64) -> Wall {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let layer = |z: f64| square.map(|(x, y)| DVec3::new(x, y, z));
    let vertices = [layer(-thickness), layer(0.0)].concat();
    let sides = (0..4).map(|i| vec![i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i]);
    let facets = sides.chain([vec![3, 2, 1, 0], vec![4, 5, 6, 7]]);
    Wall::new(SurfaceMesh::new(vertices, facets.collect::<Vec<_>>()).unwrap())
}

/// The far side of a thin plate is a minimum of the distance too, and each policy has a way with it.
#[test]
fn policies_on_a_thin_plate() {
    let (wall, center) = (plate(0.0625), DVec3::new(0.25, 0.125, 0.5));
    let overlaps = |policy: ContactSelection| -> Vec<f64> {
        let kernel = DoubleHierarchy::new().with_selection(policy);
        all(kernel, &wall, center, 1.0)
            .iter()
            .map(|c| c.overlap)
            .collect()
    };
    assert_eq!(overlaps(ContactSelection::all()), [0.5]);
    let all_minima = ContactSelection::merge_angle(0.0).unwrap();
    assert_eq!(overlaps(all_minima), [0.5, 0.4375]);
    assert_eq!(overlaps(ContactSelection::half_space()), [0.5]);
    assert_eq!(
        overlaps(ContactSelection::merge_for_indentation(0.5).unwrap()),
        [0.5]
    );
    assert_eq!(overlaps(ContactSelection::nearest()), [0.5]);
    let front = DoubleHierarchy::new().with_sides(WallSides::Front);
    assert_eq!(all(front, &wall, center, 1.0).len(), 1);
    assert!(
        ContactSelection::merge_angle(-0.1).is_err()
            && ContactSelection::merge_for_indentation(f64::NAN).is_err()
    );
}

/// Inside a wedge of two planes 2 alpha off the straight there are two contacts; they merge below
/// the angle between the normals, not above.
#[test]
fn merging_by_angle() {
    let vertices = [(-4.0, 1.0), (0.0, 0.0), (4.0, 1.0)];
    let vertices = vertices
        .iter()
        .flat_map(|&(x, z)| [DVec3::new(x, -4.0, z), DVec3::new(x, 4.0, z)]);
    let mesh = SurfaceMesh::new(vertices.collect(), [[0, 1, 3, 2], [2, 3, 5, 4]]).unwrap();
    let wall = Wall::new(mesh);
    let between = 2.0 * 0.25_f64.atan();
    for (angle, count) in [(between - 1e-6, 2), (between + 1e-6, 1)] {
        let policy = ContactSelection::merge_angle(angle).unwrap();
        let kernel = DoubleHierarchy::new().with_selection(policy);
        assert_eq!(
            all(kernel, &wall, DVec3::new(0.01, 0.0, 1.0), 1.1).len(),
            count
        );
    }
}

#[test]
fn wall_that_is_moved() {
    let mut wall = plate(1.0);
    let turn = glam::DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    wall.set_pose(Pose3::new_normalize(turn, DVec3::new(10.0, 0.0, 0.0)).unwrap());
    // A quarter turn about x: the top now faces -y.
    let found = all(
        DoubleHierarchy::new(),
        &wall,
        DVec3::new(10.0, -0.75, 0.25),
        1.0,
    );
    assert_eq!(found.len(), 1);
    assert!((found[0].normal - DVec3::Y).length() < 1e-15);
    assert!((found[0].overlap - 0.25).abs() < 1e-15);
    assert!((found[0].point - DVec3::new(10.0, 0.0, 0.25)).length() < 1e-15);
    assert!((found[0].offset - DVec3::Y * 0.75).length() < 1e-15);
    let nowhere = DVec3::splat(f64::NAN);
    assert!(all(DoubleHierarchy::new(), &wall, nowhere, 1.0).is_empty());
}

/// The wall is bent by its vertices: contacts are those of a new one, and move with them.
#[test]
fn wall_that_deforms() {
    let mut wall = plate(1.0);
    let mut vertices = wall.mesh().vertices().to_vec();
    for (i, vertex) in vertices.iter_mut().enumerate().skip(4) {
        vertex.z += if i < 6 { 0.5 } else { 0.25 };
    }
    wall.set_vertices(&vertices).unwrap();
    let facets: Vec<_> = wall
        .mesh()
        .facets()
        .map(|f| f.vertices().to_vec())
        .collect();
    let new = Wall::new(SurfaceMesh::new(vertices.clone(), facets).unwrap());
    assert_eq!(wall, new);
    let found = all(
        DoubleHierarchy::new(),
        &wall,
        DVec3::new(0.0, 0.25, 1.0),
        1.0,
    );
    assert_eq!(
        found,
        all(
            DoubleHierarchy::new(),
            &new,
            DVec3::new(0.0, 0.25, 1.0),
            1.0
        )
    );
    let velocities: Vec<DVec3> = vertices
        .iter()
        .map(|v| DVec3::Z * (2.0 + v.x - v.y))
        .collect();
    let velocity = wall.velocity_at(&found[0], &velocities);
    let point = found[0].point;
    assert!((velocity.z - (2.0 + point.x - point.y)).abs() < 1e-14);

    vertices[5] = DVec3::NAN;
    let before = wall.mesh().clone();
    assert!(wall.set_vertices(&vertices).is_err() && wall.set_vertices(&[]).is_err());
    assert_eq!(wall.mesh(), &before);
}

/// A soup whose triangles part: what was an edge of two is then open on both sides.
#[test]
fn soup_that_parts() {
    let square = [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
    ];
    let mut vertices = square.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let mut wall = Wall::new(SurfaceMesh::new(vertices.clone(), [[0, 1, 2], [3, 4, 5]]).unwrap());
    let center = DVec3::new(0.25, 0.5, 0.25);
    assert_eq!(all(DoubleHierarchy::new(), &wall, center, 1.0).len(), 1);
    for vertex in &mut vertices[..3] {
        vertex.z = -0.5;
    }
    wall.set_vertices(&vertices).unwrap();
    let features: Vec<_> = all(DoubleHierarchy::new(), &wall, center, 1.0);
    let features: Vec<_> = features.iter().map(|c| c.feature).collect();
    assert_eq!(features, [Feature::Facet(1), Feature::Edge(0, 2)]);
}

/// Rolling over the edge between two facets: the history goes along, and is given to one only.
#[test]
fn history_goes_from_facet_to_facet() {
    let wall = plate(1.0);
    let at = |x: f64, z: f64| all(DoubleHierarchy::new(), &wall, DVec3::new(x, 0.0, z), 0.5);
    let pairs = |now: &[WallContact], before: &[WallContact]| {
        let mut pairs = Vec::new();
        match_contacts(
            now,
            before,
            |c| (0, *c),
            |_, a, b| wall.are_adjacent(a, b),
            |i, j| pairs.push((i, j)),
        );
        pairs
    };
    let (top, edge, side) = (at(0.9, 0.4), at(1.1, 0.3), at(1.4, -0.1));
    assert!(matches!(edge[0].feature, Feature::Edge(..)));
    assert_eq!(pairs(&edge, &top), [(0, 0)]);
    assert_eq!(pairs(&side, &edge), [(0, 0)]);
    assert_eq!(pairs(&top, &top), [(0, 0)]);
    assert!(pairs(&side, &top).is_empty(), "a right angle apart");
    assert!(pairs(&at(0.0, -1.25), &top).is_empty(), "no neighbors");
    let twice = [edge[0], edge[0]];
    assert_eq!(pairs(&twice, &top).len(), 1);
    assert!(!wall.are_adjacent(0, 99));
}

/// The history of a contact is not given to one with another wall, whose facets and features have
/// the same names; and it goes on across hanging vertices, where facets share no vertex.
#[test]
fn history_stays_with_its_wall() {
    let wall = plate(1.0);
    let [top, beside] = [0.25, 0.5].map(|x| {
        let found = all(DoubleHierarchy::new(), &wall, DVec3::new(x, 0.0, 0.4), 0.5);
        found[0]
    });
    let pairs = |now: &[(u32, WallContact)], before: &[(u32, WallContact)]| {
        let mut pairs = Vec::new();
        match_contacts(
            now,
            before,
            |c| *c,
            |_, a, b| a == b,
            |i, j| pairs.push((i, j)),
        );
        pairs
    };
    assert_eq!(
        pairs(&[(0, top), (1, top)], &[(1, beside), (0, beside)]),
        [(0, 1), (1, 0)]
    );
    assert!(pairs(&[(0, top)], &[(1, top)]).is_empty());

    // A large triangle to the left of x = 0, and two whose common vertex hangs on its side.
    let corners = [
        (0.0, -4.0),
        (0.0, 4.0),
        (-4.0, 0.0),
        (0.0, 1.0),
        (4.0, -4.0),
        (4.0, 4.0),
    ];
    let turn = glam::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    let place = |&(x, y): &(f64, f64)| turn * DVec3::new(x, y, 0.0);
    let vertices = corners.iter().map(place).collect();
    let facets = [[0, 1, 2], [0, 4, 3], [3, 5, 1], [3, 4, 5]];
    let wall = Wall::new(SurfaceMesh::new(vertices, facets).unwrap());
    assert!(wall.are_adjacent(0, 3) && wall.are_adjacent(3, 0));
    let line = [(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.5, 1.0)];
    let line = line.map(|(x, y)| DVec2::new(x, y)).to_vec();
    let line = Wall::new(SegmentMesh::new(line, vec![[0, 1], [2, 3], [3, 4]]).unwrap());
    assert!(line.are_adjacent(0, 1) && line.are_adjacent(1, 0) && !line.are_adjacent(0, 2));
}

/// Segments in the plane: floor, corner, wedge, hanging vertex, a pose.
#[test]
fn segments_in_the_plane() {
    let wall = |vertices: &[(f64, f64)], segments: &[[u32; 2]]| {
        let vertices = vertices.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        Wall::new(SegmentMesh::new(vertices, segments.to_vec()).unwrap())
    };
    let at = |wall: &Wall<SegmentMesh>, x: f64, y: f64| {
        all(DoubleHierarchy::new(), wall, DVec2::new(x, y), 1.0)
    };
    let mut floor = wall(&[(-2.0, 0.0), (0.0, 0.0), (2.0, 0.0)], &[[1, 0], [2, 1]]);
    for x in [-0.5, 0.0, 1e-9, 1.0] {
        let found = at(&floor, x, 0.5);
        assert_eq!(
            (found.len(), found[0].overlap, found[0].normal),
            (1, 0.5, -DVec2::Y)
        );
    }
    assert_eq!(at(&floor, 0.0, 0.5)[0].feature, Feature::Vertex(1));
    assert_eq!(floor.mesh().normal(0), Some(DVec2::Y));
    assert!(floor.are_adjacent(0, 1));
    assert_eq!(at(&floor, 1.0, 0.0)[0].normal, -DVec2::Y);
    floor.set_pose(Pose2::from_translation(DVec2::new(0.0, 8.0)).unwrap());
    assert_eq!(at(&floor, 0.5, 8.75)[0].point, DVec2::new(0.5, 8.0));
    let ridge = wall(&[(-2.0, -1.0), (0.0, 0.0), (2.0, -1.0)], &[[1, 0], [2, 1]]);
    assert_eq!(at(&ridge, 0.0, 0.5).len(), 1);
    let wedge = wall(&[(-2.0, 1.0), (0.0, 0.0), (2.0, 1.0)], &[[1, 0], [2, 1]]);
    assert_eq!(at(&wedge, 0.1, 0.5).len(), 2);
    // Two floors on top of each other that share no vertex.
    let stacked = wall(
        &[(-2.0, 0.0), (2.0, 0.0), (-1.0, 0.0), (0.5, 0.0)],
        &[[0, 1], [2, 3]],
    );
    for x in [-0.5, 0.0, 0.5, 0.75] {
        assert_eq!(at(&stacked, x, 0.5).len(), 1, "{x}");
    }
    let velocity = stacked.velocity_at(&at(&stacked, 1.0, 0.5)[0], &[DVec2::ZERO, DVec2::X]);
    assert_eq!(velocity, DVec2::X * 0.75);
}

/// A point in line with the tip of a needle: so close to both of its sides, drawn out, that it seems
/// to lie on it. It does not, and both are touched.
#[test]
fn point_beyond_the_tip_of_a_needle() {
    let needle = [(0.0, 0.0), (-1.0, 1e-9), (-1.0, -1e-9)].map(|(x, y)| DVec3::new(x, y, 0.0));
    // The second time the center is above the needle, so that it comes closer than the point.
    for (point, center) in [(0.5, 0.2), (1e-4, -0.2)] {
        let mesh = SurfaceMesh::from_triangles(&[needle, [DVec3::X * point; 3]]).unwrap();
        let mesh = mesh.with_precision(0.0).unwrap();
        let center = DVec3::new(center, 0.0, 0.5);
        let found = all(DoubleHierarchy::new(), &Wall::new(mesh), center, 1.0);
        assert_eq!(found.len(), 2, "{found:?}");
        let is_vertex = |c: &WallContact| matches!(c.feature, Feature::Vertex(_));
        assert!(
            found
                .iter()
                .rev()
                .take(if point == 0.5 { 2 } else { 1 })
                .all(is_vertex)
        );
    }
}

/// A history is given to one contact: that on the same feature, otherwise the one with the most similar
/// normal; and not across more than a right angle, nor between facets that are no neighbors.
#[test]
fn history_is_given_once() {
    let contact = |vertex: u32, facet: u32, normal: DVec3| WallContact {
        offset: normal,
        point: normal,
        normal,
        overlap: 0.5,
        feature: Feature::Vertex(vertex),
        facet,
    };
    let pairs = |now: &[WallContact], before: &[WallContact]| {
        let mut pairs = Vec::new();
        let are_adjacent = |_, a: u32, b: u32| a.abs_diff(b) <= 1;
        match_contacts(
            now,
            before,
            |c| (0, *c),
            are_adjacent,
            |i, j| pairs.push((i, j)),
        );
        pairs
    };
    let askew = DVec3::new(0.6, 0.0, 0.8);
    let old = [contact(1, 1, DVec3::Z)];
    let new = |normal: DVec3| contact(2, 2, normal);
    assert_eq!(pairs(&[new(askew), new(DVec3::Z)], &old), [(1, 0)]);
    assert_eq!(pairs(&[new(DVec3::Z), new(askew)], &old), [(0, 0)]);
    assert_eq!(
        pairs(&[new(DVec3::Z), contact(1, 1, askew)], &old),
        [(1, 0)]
    );
    assert_eq!(pairs(&[new(DVec3::X)], &old), []);
    assert_eq!(pairs(&[contact(3, 3, DVec3::Z)], &old), []);
    let two = [contact(1, 1, askew), contact(5, 3, DVec3::Z)];
    assert_eq!(pairs(&[new(DVec3::Z), new(askew)], &two), [(0, 1), (1, 0)]);
}
