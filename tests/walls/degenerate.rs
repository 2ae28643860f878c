//! Degenerate walls, each with its story: a sphere has one set of contacts there, and the right
//! one.

use crate::support::all_contacts;
use crate::support::wall::{all_minima, contacts_by, contacts_with_all, grid};

use osculate::glam::{DQuat, DVec3};
use osculate::math::closest_on_triangle;
use osculate::reference::sequential_double_hierarchy;
use osculate::testing::oracle;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    DoubleHierarchy, Feature, Sphere, SurfaceMesh, Wall, WallContact, narrow::FacetSubset,
};

fn square() -> Vec<DVec3> {
    at_height(0.0, &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
}

fn at_height(z: f64, corners: &[(f64, f64)]) -> Vec<DVec3> {
    corners.iter().map(|&(x, y)| DVec3::new(x, y, z)).collect()
}

/// Facets that share no vertices.
pub(super) fn soup(facets: &[Vec<DVec3>]) -> SurfaceMesh {
    let mut next = 0..;
    let ids: Vec<Vec<u32>> = (facets.iter())
        .map(|corners| next.by_ref().take(corners.len()).collect())
        .collect();
    SurfaceMesh::new(facets.concat(), ids).unwrap()
}

/// The facets of a mesh, without common vertices.
pub(super) fn soup_of(mesh: &SurfaceMesh) -> SurfaceMesh {
    let facets: Vec<Vec<DVec3>> = mesh.facets().map(|f| f.corners().collect()).collect();
    soup(&facets)
}

fn overlaps(found: &[WallContact]) -> Vec<f64> {
    found.iter().map(|c| c.overlap).collect()
}

fn turn() -> DQuat {
    DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize()
}

fn wall_contacts(mesh: &SurfaceMesh, center: DVec3, radius: f64) -> Vec<WallContact> {
    contacts_with_all(mesh, &Sphere::new(center, radius))
}

/// The two triangles on which the paper's method depends on their order: 3 contacts and 2.27
/// times the force one way, 1 contact the other. The sphere touches the floor only; the other
/// triangle rises from the floor's edge, and its closest point is on that edge.
#[test]
fn order_of_two_triangles() {
    let vertices = [
        (0.0, 0.25, 0.0),
        (0.0, -0.25, 0.0),
        (-2.0, 0.0, 0.0),
        (0.25, 0.0, 0.025),
    ];
    let vertices = vertices.map(DVec3::from).to_vec();
    let (floor, rise) = ([0, 2, 1], [0, 1, 3]);
    let center = DVec3::new(-0.1, 0.0, 0.9);
    for facets in [[floor, rise], [rise, floor]] {
        let mesh = SurfaceMesh::new(vertices.clone(), facets).unwrap();
        let found = wall_contacts(&mesh, center, 1.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].normal, -DVec3::Z);
        assert!((found[0].overlap - 0.1).abs() < 1e-15);
    }
    // Tables 3 and 4 as printed. The force is Hertz's: 2.27 times the right one.
    let mesh = SurfaceMesh::new(vertices, [floor, rise]).unwrap();
    let sphere = Sphere::new(center, 1.0);
    let force = |facets: [u32; 2]| -> (usize, f64) {
        let mut contacts = Vec::new();
        sequential_double_hierarchy(&mesh, &facets, &sphere, &mut contacts).unwrap();
        let vertical = |v: DVec3| (1.0 - v.length()).powf(1.5) * -v.z / v.length();
        (contacts.len(), contacts.iter().map(|c| vertical(c.0)).sum())
    };
    let (count, wrong) = force([0, 1]);
    let (right_count, right) = force([1, 0]);
    assert_eq!((count, right_count), (3, 1));
    assert!((wrong / right - 2.27).abs() < 0.01, "{wrong} {right}");
}

/// Table 5: a floor of small elements has one contact; a floor and an edge at its side, 90 degrees apart, have two.
#[test]
fn two_cases_of_elimination() {
    let strip = |x: f64, z: f64| [-1.0, 1.0].map(|y| DVec3::new(x, y, z));
    let strips = [
        (-2.0, 0.0),
        (-0.3, 0.0),
        (0.2, 0.0),
        (2.0, 0.0),
        (2.0, 0.1),
        (0.8, 0.7),
        (2.0, 1.5),
    ];
    let vertices: Vec<DVec3> = strips.into_iter().flat_map(|(x, z)| strip(x, z)).collect();
    let quads = [0, 2, 4, 8, 10].map(|a: u32| [a, a + 1, a + 3, a + 2]);
    for (quads, count) in [(&quads[..3], 1), (&quads[1..], 2)] {
        let mesh = SurfaceMesh::new(vertices.clone(), quads).unwrap();
        let sphere = Sphere::new(DVec3::Z * 0.7, 1.0);
        let expected = &[DVec3::Z * -0.7, DVec3::X * 0.8][..count];
        let found = wall_contacts(&mesh, sphere.center, 1.0);
        let offsets: Vec<_> = found.iter().map(|contact| contact.offset).collect();
        assert_eq!(offsets, expected);
        let mut printed = Vec::new();
        let facets: Vec<u32> = (0..quads.len() as u32).collect();
        sequential_double_hierarchy(&mesh, &facets, &sphere, &mut printed).unwrap();
        let offsets: Vec<_> = printed.iter().map(|contact| contact.0).collect();
        assert_eq!(offsets, expected);
    }
}

/// Of a single triangle Tables 3 and 4 find the nearest point, and a touch at the distance of the radius.
#[test]
fn tables_of_one_triangle() {
    type Found = (DVec3, Feature);
    let mut random = SplitMix64::new(12);
    for _ in 0..2000 {
        let size = random.range(0.1, 10.0);
        let corners = [(); 3].map(|()| random.in_ball() * size);
        let mesh = SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]]).unwrap();
        let center = random.in_ball() * 1.5 * size;
        let closest = closest_on_triangle(center, corners);
        let distance = closest.distance_squared.sqrt();
        for part in [0.9, 1.1] {
            let mut found: Vec<Found> = Vec::new();
            let sphere = Sphere::new(center, distance * part);
            sequential_double_hierarchy(&mesh, &[0], &sphere, &mut found).unwrap();
            assert_eq!(found.is_empty(), part < 1.0, "{corners:?} {sphere:?}");
            // An edge and its end may both count.
            let by_length = |a: &&Found, b: &&Found| a.0.length().total_cmp(&b.0.length());
            if let Some((offset, _)) = found.iter().min_by(by_length) {
                assert!((offset - closest.offset).length() < 1e-12 * size);
            }
        }
    }
    let mesh = SurfaceMesh::new(
        at_height(1.0, &[(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)]),
        [[0, 1, 2]],
    );
    let sphere = Sphere::new(DVec3::new(1.0, 1.0, 3.0), 2.0);
    let mut found = Vec::new();
    sequential_double_hierarchy(&mesh.unwrap(), &[0], &sphere, &mut found).unwrap();
    assert_eq!(found, [(DVec3::Z * -2.0, Feature::Facet(0))]);
}

/// Sizes, and distances from the origin in these, at which vertices are rounded.
const SCALES: [(f64, f64); 6] = [
    (1e-9, 0.0),
    (1.0, 0.0),
    (1e9, 0.0),
    (1.0, 1e3),
    (1.0, 1e6),
    (1e-9, 1e3),
];

/// Where a point of a wall is, by its size and distance.
fn rotated((size, far): (f64, f64)) -> impl Fn(DVec3) -> DVec3 {
    move |point| (turn() * point + DVec3::new(far, -far, far)) * size
}

/// A position and a radius, and the overlaps of the contacts there.
type Case<'a> = ((f64, f64, f64), f64, &'a [f64]);

/// Checks the contacts with facets that share no vertices, or those that coincide, for any size and distance.
fn assert_overlaps(name: &str, facets: &[Vec<DVec3>], scales: &[(f64, f64)], cases: &[Case]) {
    for &scale in scales {
        let (size, far) = scale;
        let at = rotated(scale);
        let place = |facet: &Vec<DVec3>| facet.iter().map(|&v| at(v)).collect();
        let facets: Vec<Vec<DVec3>> = facets.iter().map(place).collect();
        assert_contacts(
            name,
            &soup(&facets),
            &at,
            (size, 1e-14 + 1e-15 * far),
            cases,
        );
    }
}

/// Checks the contacts at positions that `at` places. The tolerance is relative to the size.
fn assert_contacts(
    name: &str,
    mesh: &SurfaceMesh,
    at: impl Fn(DVec3) -> DVec3,
    (size, tolerance): (f64, f64),
    cases: &[Case],
) {
    for &(place, radius, expected) in cases {
        let found = wall_contacts(mesh, at(place.into()), radius * size);
        let case = format!("{name}, {size}, {place:?}: {found:?}");
        assert_eq!(found.len(), expected.len(), "{case}");
        for (overlap, expected) in overlaps(&found).iter().zip(expected) {
            assert!((overlap / size - expected).abs() < tolerance, "{case}");
        }
    }
}

/// Spheres of radius 1 at a height of 1/2 above points of a floor.
fn above(points: &[(f64, f64)]) -> Vec<Case<'static>> {
    let case = |&(x, y): &(f64, f64)| ((x, y, 0.5), 1.0, &[0.5][..]);
    points.iter().map(case).collect()
}

/// The same facet twice, and reversed: still one surface.
#[test]
fn duplicate_facets_count_once() {
    let mesh = SurfaceMesh::new(
        square(),
        [&[0, 1, 2, 3][..], &[0, 1, 2, 3], &[3, 2, 1, 0], &[0, 1, 2]],
    );
    let wall = Wall::new(mesh.unwrap());
    let sphere = Sphere::new(DVec3::new(0.25, 0.125, 0.5), 1.0);
    // A facet may be named twice in the list as well.
    for facets in [&[0, 1, 2, 3][..], &[1, 1, 0, 1]] {
        let near = FacetSubset::new(&wall, facets).unwrap();
        let found = all_contacts(&mut DoubleHierarchy::new(), &sphere, &near);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].facet, 0);
    }
}

/// Needles of aspect 1e-3 to 1e-12, at all sizes: flat is flat. At 1e-8 and below the distances of an edge, the next one
/// and the corner between are equal to rounding, but the points differ. Far from the origin the vertices are rounded, by
/// 1e-10 radii at 1e6: the floor is really bent, by that angle, and still one contact.
#[test]
fn floor_of_needles() {
    let facets = [
        [0, 1, 2],
        [1, 0, 3],
        [0, 2, 4],
        [2, 1, 4],
        [3, 0, 5],
        [1, 3, 5],
    ];
    for thin in [0.5, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12] {
        let corners = [
            (-1.0, 0.0),
            (1.0, 0.0),
            (0.0, thin),
            (0.0, -thin),
            (0.0, 2.0),
            (0.0, -2.0),
        ];
        let points = [
            (0.0, 0.0),
            (0.25, 0.0),
            (0.25, 0.5 * thin),
            (0.0, thin),
            (-0.3, 0.4),
        ];
        for scale in SCALES {
            if thin < 0.5 && scale.1 > 0.0 {
                continue;
            }
            let at = rotated(scale);
            let vertices = at_height(0.0, &corners).into_iter().map(&at);
            let mesh = SurfaceMesh::new(vertices.collect(), facets).unwrap();
            let precision = (scale.0, 1e-15 + 1e-15 * scale.1);
            assert_contacts("needles", &mesh, &at, precision, &above(&points));
        }
    }
}

/// Twenty thousand triangles without common vertices, all inside one sphere: one floor, one
/// contact, above facets, edges and vertices. (Each facet queries its neighbors only; this once
/// took 1.2 s.)
#[test]
fn large_sphere_on_a_soup() {
    let soup = soup_of(&grid([100, 100], |i, j| {
        DVec3::new(i.into(), j.into(), 0.0)
    }));
    for (x, y) in [(50.0, 50.0), (50.5, 50.5), (50.25, 50.5), (50.0, 50.5)] {
        let found = wall_contacts(&soup, DVec3::new(x, y, 100.0), 1000.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].overlap, found[0].normal), (900.0, -DVec3::Z));
    }
}

/// A floor of two triangles whose diagonal is split into triangles without area: three corners on
/// it, and three at one end of it. Above them there is one contact, and next to them too.
#[test]
fn floor_with_facets_without_area() {
    let mut vertices = square();
    vertices.extend([DVec3::new(0.5, 0.5, 0.0), DVec3::ZERO, DVec3::ZERO]);
    let facets = [[0, 1, 2], [0, 2, 3], [0, 4, 2], [2, 4, 0], [0, 5, 6]];
    let mesh = SurfaceMesh::new(vertices, facets).unwrap();
    assert_eq!(mesh.report().degenerate_facets, [2, 3, 4]);
    for (x, y) in [
        (0.25, 0.25),
        (0.5, 0.5),
        (0.75, 0.25),
        (0.0, 0.0),
        (0.5, 0.5 + 1e-12),
    ] {
        let found = wall_contacts(&mesh, DVec3::new(x, y, 0.25), 0.5);
        assert_eq!(overlaps(&found), [0.25], "{x} {y}");
    }
}

/// The sphere's radius is its distance from a tilted facet, edge or vertex, to a few ulps: below it
/// there is no contact, above it one, and it changes at a single radius.
#[test]
fn tangency_to_the_last_bits() {
    let triangle = [[0, 0, 0], [3000, 70, -410], [-35, 2900, 777]];
    let mesh = soup(&[triangle.map(|p| oracle::to_vector(p, 1.0)).to_vec()]);
    let ulps = |x: f64, n: i32| x * (1.0 + f64::from(n) * f64::EPSILON);
    let places = [
        [900, 900, 50],
        [1000, 500, 5000],
        [400, 1300, -77], // over the inside
        [1500, -900, 300],
        [-800, 1500, 100],
        [2000, 1900, 0], // over an edge
        [-100, -100, -1],
        [4000, 0, -700],
        [-200, 5000, 5000], // over a vertex
    ];
    for place in places {
        let center = oracle::to_vector(place, 1.0);
        let exact = oracle::distance_to_triangle(place, triangle);
        let count = |radius: f64| wall_contacts(&mesh, center, radius).len();
        assert_eq!(
            [-16, 16].map(|n| count(ulps(exact, n))),
            [0, 1],
            "{place:?}"
        );
        let counts: Vec<usize> = (-16..=16).map(|n| count(ulps(exact, n))).collect();
        assert!(counts.is_sorted(), "{place:?} {counts:?}");
        let overlap = wall_contacts(&mesh, center, ulps(exact, 16))[0].overlap;
        assert!(overlap > 0.0 && overlap < 32.0 * f64::EPSILON * exact);
    }
}

/// A floor, a wall on it and its top, bent by 90 degrees each: in the corner two contacts, over the upper edge one.
#[test]
fn step_of_any_size_and_far_away() {
    let profile = [(-4.0, 0.0), (0.0, 0.0), (0.0, 1.0), (4.0, 1.0)];
    let strip = |ends: &[(f64, f64)]| {
        let [(a, low), (b, high)] = [ends[0], ends[1]];
        let corners = [
            (a, -4.0, low),
            (b, -4.0, high),
            (b, 4.0, high),
            (a, 4.0, low),
        ];
        corners.map(DVec3::from).to_vec()
    };
    let facets: Vec<_> = profile.windows(2).map(strip).collect();
    let corner = 0.75 - 0.125_f64.sqrt();
    let cases: [Case; 3] = [
        ((-0.5, 0.1, 0.25), 0.75, &[0.5, 0.25]),
        ((-0.25, 0.1, 1.25), 0.75, &[corner]),
        ((0.5, 0.1, 1.5), 0.75, &[0.25]),
    ];
    assert_overlaps("step", &facets, &SCALES, &cases);
}

/// Facets on top of others in the same plane, larger, smaller, across, without a common vertex: one
/// floor, above all of their edges and corners.
#[test]
fn stacked_facets() {
    let (large, small) = ((-2.0, -2.0, 4.0, 4.0), (0.0, 0.0, 1.0, 1.0));
    let (across, along) = ((-1.0, 0.25, 3.0, 0.5), (0.25, -1.0, 0.5, 3.0));
    let facets = [large, small, across, along].map(|(x, y, w, h)| {
        let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)];
        at_height(0.0, &corners)
    });
    let x = [-1.0, -0.5, 0.0, 0.25, 0.375, 0.75, 1.0, 1.5];
    let y = [-1.0, 0.0, 0.25, 0.375, 0.5, 0.75, 1.0];
    let points: Vec<_> = { x.iter() }.flat_map(|&x| y.map(|y| (x, y))).collect();
    assert_overlaps("stack", &facets, &[(1.0, 0.0)], &above(&points));
}

/// A fin on a floor: three facets at an edge, or the fin in the middle of a facet without a common
/// vertex. In the corner there are two contacts, above the fin its rim, at its base its side.
#[test]
fn fin_on_a_floor() {
    let floor =
        |from: f64, to: f64| at_height(0.0, &[(from, -2.0), (to, -2.0), (to, 2.0), (from, 2.0)]);
    let corners = [(-2.0, 0.0), (2.0, 0.0), (2.0, 1.0), (-2.0, 1.0)];
    let fin = corners.map(|(y, z)| DVec3::new(0.0, y, z)).to_vec();
    let joined = soup(&[floor(-2.0, 0.0), floor(0.0, 2.0), fin.clone()]);
    let facets = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]];
    let welded = SurfaceMesh::welded(joined.vertices(), facets, 0.0).unwrap();
    assert_eq!(welded.report().non_manifold_edges.len(), 1);
    let set_on = soup(&[floor(-2.0, 2.0), fin]);
    let cases: [Case; 6] = [
        ((0.25, 0.5, 0.5), 0.75, &[0.5, 0.25]),
        ((-0.25, 0.5, 0.5), 0.75, &[0.5, 0.25]),
        ((0.0, 0.5, 1.5), 0.75, &[0.25]),
        ((0.5, 0.5, 1.0), 0.75, &[0.25]),
        ((0.0, 0.5, -0.5), 0.75, &[0.25]),
        // In the middle of the fin: from the projection on a floor with a common edge the fin leads closer.
        ((0.0, 0.5, 0.5), 0.75, &[0.75]),
    ];
    for (name, mesh, cases) in [
        ("joined", joined, &cases[..]),
        ("welded", welded, &cases),
        ("set on", set_on, &cases[..5]),
    ] {
        assert_contacts(name, &mesh, |place| place, (1.0, 1e-15), cases);
    }
}

/// Beyond the rim of an open wall the rim is touched, and its corner; a step of no depth (a ledge
/// folded onto itself) is the same rim.
#[test]
fn rims_and_ledges_of_no_depth() {
    let mut vertices = square();
    vertices.extend(at_height(0.0, &[(0.5, 0.0), (0.5, 1.0)]));
    let folded = SurfaceMesh::new(vertices, [[0, 1, 2, 3], [1, 4, 5, 2]]).unwrap();
    let cases: [Case; 3] = [
        ((1.3, 0.5, 0.4), 0.75, &[0.25]),
        ((1.2, 1.1, 0.2), 0.5, &[0.2]),
        ((0.75, 0.5, 0.25), 0.5, &[0.25]),
    ];
    for (name, mesh) in [("plain", soup(&[square()])), ("folded", folded)] {
        assert_contacts(name, &mesh, |place| place, (1.0, 1e-15), &cases);
    }
}

/// Centers on a facet, an edge and a vertex of a rotated tetrahedron, to rounding: the point itself
/// is a contact of full depth, with a unit normal.
#[test]
fn center_on_a_turned_wall() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    for (size, far) in [(1.0, 0.0), (1e-9, 0.0), (1e9, 0.0), (1.0, 1e6)] {
        let corners = corners.map(|v| turn() * v * size + DVec3::splat(far));
        let facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mesh = SurfaceMesh::new(corners.to_vec(), facets).unwrap();
        let [_, a, b, c] = corners;
        for center in [(a + b + c) / 3.0, (a + b) * 0.5, a] {
            let found = wall_contacts(&mesh, center, 0.25 * size);
            let error = (found[0].overlap / size - 0.25).abs();
            assert!(error < 1e-15 + 1e-15 * far / size, "{size} {far} {error:e}");
            assert!((found[0].normal.length() - 1.0).abs() < 1e-15);
            assert_eq!(found.iter().filter(|c| c.overlap > 0.2 * size).count(), 1);
        }
    }
}

/// A sphere in the middle of a ball of 20,480 facets has as many minima, and no more if each facet is there twice.
#[test]
fn twenty_thousand_minima() {
    let ball = workload::sphere(5, 1.0).unwrap();
    let facets = ball.surface().facets();
    let once: Vec<Vec<DVec3>> = facets.map(|f| f.corners().collect()).collect();
    let twice = [once.clone(), once.clone()].concat();
    let sphere = Sphere::new(DVec3::ZERO, 1.5);
    for facets in [once, twice] {
        let wall = Wall::new(soup(&facets));
        let found = contacts_by(&mut all_minima(), &wall, &sphere);
        assert_eq!(found.len(), 20_480);
        let is_first = |c: &WallContact| matches!(c.feature, Feature::Facet(0..20_480));
        assert!(found.iter().all(is_first));
        assert_eq!(all_contacts(&mut all_minima(), &sphere, &wall), found);
    }
}
