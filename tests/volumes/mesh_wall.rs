//! Volumes behind open walls: against walls closed far from the body, by hand, and over rims.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{MeshWall, MeshWallContact, MeshWallState, WallSides};
use osculate::testing::properties::volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh, SurfaceMesh,
    Wall,
};

use crate::support::solids::{random_pose, solids};

type Contact = ContactVolume<DVec3>;

const CELLS: u32 = 20;
const HALF: f64 = 8.0;

/// A grid of quadrilaterals over a square around the origin, as ids of rows of vertices.
fn grid(cells: u32) -> (Vec<[f64; 2]>, Vec<[u32; 4]>) {
    let at = |i: u32| HALF * (2.0 * f64::from(i) / f64::from(cells) - 1.0);
    let row = cells + 1;
    let points = (0..row * row).map(|i| [at(i % row), at(i / row)]);
    let quads = (0..cells * cells).map(|cell| {
        let low = cell / cells * row + cell % cells;
        [low, low + 1, low + row + 1, low + row]
    });
    (points.collect(), quads.collect())
}

fn halves(quads: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let both = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    both.collect()
}

/// A height field with its front above, and the solids below and above it.
struct Ground {
    wall: Wall,
    below: SolidMesh,
    above: SolidMesh,
}

impl Ground {
    fn new(cells: u32, height: impl Fn(f64, f64) -> f64) -> Self {
        let (points, quads) = grid(cells);
        let top: Vec<_> = points
            .iter()
            .map(|&[x, y]| DVec3::new(x, y, height(x, y)))
            .collect();
        let triangles = halves(&quads);
        let closed = |far: f64| {
            let count = top.len() as u32;
            let flat = top.iter().map(|v| DVec3::new(v.x, v.y, far));
            let mut all = triangles.clone();
            all.extend(
                triangles
                    .iter()
                    .map(|t| [t[0] + count, t[2] + count, t[1] + count]),
            );
            let row = cells + 1;
            let rim = (0..cells).map(|i| [i, i + 1]);
            let rim = rim.chain((0..cells).map(|i| [(i + 1) * row - 1, (i + 2) * row - 1]));
            let rim = rim.chain((0..cells).map(|i| [count - 1 - i, count - 2 - i]));
            let rim = rim.chain((0..cells).map(|i| [(cells - i) * row, (cells - i - 1) * row]));
            for [a, b] in rim {
                all.extend([[b, a, a + count], [b, a + count, b + count]]);
            }
            if far > 0.0 {
                all.iter_mut().for_each(|t| t.swap(1, 2));
            }
            SolidMesh::new(top.iter().copied().chain(flat).collect(), all).unwrap()
        };
        Self {
            wall: Wall::new(SurfaceMesh::new(top.clone(), triangles.clone()).unwrap()),
            below: closed(-10.0),
            above: closed(10.0),
        }
    }
}

fn hills(x: f64, y: f64) -> f64 {
    0.4 * (1.7 * x + 0.3).sin() * (1.3 * y - 0.2).cos() + 0.1 * x
}

fn block() -> ConvexPolyhedron {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<_> = (0..8).map(|i| corner(i) - DVec3::splat(0.5)).collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

fn front() -> MeshWall {
    MeshWall::new().with_sides(WallSides::Front)
}

#[track_caller]
fn assert_same(found: Option<Contact>, expected: Option<Contact>, tolerance: f64) {
    let (Some(found), Some(expected)) = (found, expected) else {
        let volume = |c: Option<Contact>| c.map_or(0.0, |c| c.volume);
        assert!(
            volume(found).max(volume(expected)) < tolerance,
            "{found:?} {expected:?}"
        );
        return;
    };
    let moments = [found, expected].map(|c| c.moment_vector_about(DVec3::ZERO));
    let error = (found.volume - expected.volume).abs();
    let error = error.max(found.area_vector.distance(expected.area_vector));
    let error = error.max(moments[0].distance(moments[1]));
    assert!(error < tolerance, "{error:e} {found:?} {expected:?}");
}

/// Bodies of all kinds on both sides of a bumpy ground: the same as at a ground closed far below, and above.
#[test]
fn equals_the_wall_closed_far_away() {
    let ground = Ground::new(CELLS, hills);
    let [below, above] = [&ground.below, &ground.above].map(|s| Placed::new(s, Pose3::IDENTITY));
    let mut random = SplitMix64::new(7);
    let (mut one, mut both, mut solid) = (front(), MeshWall::new(), MeshMesh::new());
    let mut sides = [0; 2];
    for shape in solids() {
        for _ in 0..40 {
            let body = Placed::new(&shape, random_pose(&mut random, 0.9));
            let expected: Option<Contact> = solid.contact(&body, &below);
            let crossing = expected.filter(|c| c.area_vector != DVec3::ZERO);
            let found = one
                .contact(&body, &ground.wall)
                .map(|c| c.parted().unwrap());
            assert_same(found, crossing, 1e-12);
            let center = osculate::Bounded::bounding_box(&shape).center();
            let center = body.pose.transform_point(center);
            let up = DVec3::Z * 20.0;
            // Against the triangles of the wall, not the smooth hills.
            let is_behind = lies_below(&ground.wall, center, center + up);
            let found = both
                .contact(&body, &ground.wall)
                .map(|c| c.parted().unwrap());
            let other: Option<Contact> = solid.contact(&body, &above);
            let other = other.filter(|c| c.area_vector != DVec3::ZERO);
            assert_same(found, if is_behind { other } else { crossing }, 1e-12);
            sides[usize::from(is_behind)] += usize::from(found.is_some());
        }
    }
    assert!(sides[0] > 50 && sides[1] > 50, "{sides:?}");
}

/// Whether a vertical line crosses the ground.
fn lies_below(wall: &Wall, from: DVec3, to: DVec3) -> bool {
    wall.mesh().facets().any(|facet| {
        let c: Vec<DVec3> = facet.corners().collect();
        let sides = [0, 1, 2].map(|i| (to - from).dot((c[i] - from).cross(c[(i + 1) % 3] - from)));
        let is_inside = sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0);
        is_inside && facet.normal().dot(c[0] - from) > 0.0
    })
}

/// A floor of one square, of polygons, and of jittered triangles: the same to rounding.
#[test]
fn independent_of_the_mesh_of_the_wall() {
    let corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let plain = Wall::new(SurfaceMesh::new(corners, [[0, 1, 2, 3]]).unwrap());
    let mut random = SplitMix64::new(3);
    let meshed = |cells: u32, is_cut: bool, jitter: f64, random: &mut SplitMix64| {
        let (points, quads) = grid(cells);
        let vertices = points.iter().map(|&[x, y]| {
            let by = [(); 2].map(|()| random.range(-jitter, jitter));
            let is_rim = x.abs().max(y.abs()) == HALF;
            let by = if is_rim { [0.0; 2] } else { by };
            DVec3::new(x + by[0], y + by[1], 0.0)
        });
        let vertices: Vec<_> = vertices.collect();
        let mesh = if is_cut {
            let mut triangles = halves(&quads);
            random.shuffle(&mut triangles);
            SurfaceMesh::new(vertices, triangles)
        } else {
            SurfaceMesh::new(vertices, quads)
        };
        Wall::new(mesh.unwrap())
    };
    let walls = [
        meshed(1, true, 0.0, &mut random),
        meshed(5, false, 0.0, &mut random),
        meshed(9, true, 0.2, &mut random),
        meshed(24, true, 0.1, &mut random),
    ];
    let (block, mut kernel) = (block(), front());
    let mut found = [0; 2];
    for _ in 0..150 {
        // Also over the rim.
        let mut pose = random_pose(&mut random, 0.8);
        if random.unit() < 0.5 {
            let shift = DVec3::new(HALF, 0.3, 0.0);
            pose = Pose3::new(pose.rotation(), pose.translation() + shift).unwrap();
        }
        let body = Placed::new(&block, pose);
        let expected = kernel.contact(&body, &plain);
        for wall in &walls {
            let contact = kernel.contact(&body, wall);
            assert_eq!(contact.is_some(), expected.is_some());
            let (Some(contact), Some(expected)) = (contact, expected) else {
                continue;
            };
            assert_eq!(contact.parted().is_some(), expected.parted().is_some());
            assert!(contact.area_vector().distance(expected.area_vector()) < 1e-13);
            let about = pose.translation();
            let moments = [contact, expected].map(|c| c.moment_vector_about(about));
            assert!(moments[0].distance(moments[1]) < 1e-13);
            if contact.area_vector().length() > 1e-3 {
                assert!(contact.point().distance(expected.point()) < 1e-9);
            }
            found[usize::from(contact.parted().is_some())] += 1;
        }
    }
    assert!(found[0] > 50 && found[1] > 100, "{found:?}");
}

/// The cube over the straight rim of a table, over a corner, around a plate, and around a hole.
#[test]
fn rims_by_hand() {
    let plate = |corners: &[(f64, f64)], facets: &[&[u32]]| {
        let corners = corners.iter().map(|&(x, y)| DVec3::new(x, y, 0.0));
        Wall::new(SurfaceMesh::new(corners.collect(), facets).unwrap())
    };
    let square = |x0: f64, x1: f64, y0: f64, y1: f64| {
        plate(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1)], &[&[0, 1, 2, 3]])
    };
    let hole: [(f64, f64); 8] = [
        (-4.0, -4.0),
        (4.0, -4.0),
        (4.0, 4.0),
        (-4.0, 4.0),
        (-0.25, -0.25),
        (0.25, -0.25),
        (0.25, 0.25),
        (-0.25, 0.25),
    ];
    let ring: [&[u32]; 4] = [&[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
    let block = block();
    // Area inside the cube over the origin, and its centroid.
    let walls = [
        (square(-4.0, 0.25, -4.0, 4.0), 0.75, DVec3::X * -0.125),
        (
            square(-4.0, 0.25, 0.0, 4.0),
            0.375,
            DVec3::new(-0.125, 0.25, 0.0),
        ),
        (square(-0.25, 0.25, -0.125, 0.375), 0.25, DVec3::Y * 0.125),
        (square(-4.0, 4.0, -0.125, 0.375), 0.5, DVec3::Y * 0.125),
        (plate(&hole, &ring), 0.75, DVec3::ZERO),
    ];
    let turns = [
        DQuat::IDENTITY,
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
    ];
    for (wall, area, middle) in &walls {
        for turn in turns {
            for z in [0.0, 0.25, -0.4375] {
                let body = Placed::new(&block, Pose3::new(turn, DVec3::Z * z).unwrap());
                let contact = front().contact(&body, wall).unwrap();
                assert!(
                    matches!(contact, MeshWallContact::OverRim(_)),
                    "{contact:?}"
                );
                assert!(contact.area_vector().distance(-DVec3::Z * *area) < 1e-15);
                assert!(
                    contact
                        .point()
                        .cross(DVec3::Z)
                        .distance(middle.cross(DVec3::Z))
                        < 1e-15
                );
                let moment = contact.moment_vector_about(DVec3::ZERO);
                assert!(moment.distance(middle.cross(-DVec3::Z * *area)) < 1e-15);
                // The side of the center.
                let both = MeshWall::new().contact(&body, wall).unwrap();
                let sign = if z < 0.0 { -1.0 } else { 1.0 };
                let expected = contact.area_vector() * sign;
                assert!(both.area_vector().distance(expected) < 1e-15);
            }
        }
        // Beside the rim, and above the plate.
        for at in [DVec3::X * 9.0, DVec3::Z] {
            let body = Placed::new(&block, Pose3::from_translation(at).unwrap());
            assert_eq!(front().contact(&body, wall), None);
        }
    }
}

/// T-junctions, edges of three facets and reversed facets inside the body are rims; cracks of repeated
/// positions are not.
#[test]
fn irregular_edges_are_rims() {
    let at = |(x, y): (f64, f64)| DVec3::new(x, y, 0.0);
    let corners = [
        (-4.0, -4.0),
        (0.0, -4.0),
        (0.0, 4.0),
        (-4.0, 4.0),
        (4.0, -4.0),
        (4.0, 4.0),
        (0.0, 0.0),
    ];
    let flat = |facets: &[&[u32]]| SurfaceMesh::new(corners.map(at).to_vec(), facets).unwrap();
    let body = Placed::new(block(), Pose3::from_translation(DVec3::Z * 0.25).unwrap());
    let is_parted = |mesh: SurfaceMesh| {
        let contact = front().contact(&body, &Wall::new(mesh)).unwrap();
        contact.parted().is_some()
    };
    assert!(is_parted(flat(&[&[0, 1, 2, 3], &[1, 4, 5, 2]])));
    // Vertex 6 is on the edge of the first facet.
    assert!(!is_parted(flat(&[
        &[0, 1, 2, 3],
        &[1, 4, 6],
        &[6, 4, 5],
        &[6, 5, 2]
    ])));
    assert!(!is_parted(flat(&[&[0, 1, 2, 3], &[1, 2, 5, 4]])));
    let mut vertices = corners.map(at).to_vec();
    vertices[6] = DVec3::new(0.0, 0.0, 3.0);
    let fin = SurfaceMesh::new(vertices, [&[0, 1, 2, 3][..], &[1, 4, 5, 2], &[1, 2, 6]]).unwrap();
    assert!(!is_parted(fin));
    let twice = [[0, 1, 2, 3], [1, 4, 5, 2]].map(|f| f.map(|i| at(corners[i])));
    let ids = [[0, 1, 2, 3], [4, 5, 6, 7]];
    assert!(is_parted(
        SurfaceMesh::new(twice.as_flattened().to_vec(), ids).unwrap()
    ));
}

/// A cube pushed through a floor keeps its side as long as it is in contact.
#[test]
fn side_is_kept_until_the_contact_ends() {
    let floor = Ground::new(3, |_, _| 0.0).wall;
    let block = block();
    let at = |z: f64| Placed::new(&block, Pose3::from_translation(DVec3::Z * z).unwrap());
    let (mut kernel, mut state) = (MeshWall::new(), MeshWallState::default());
    let mut contact = |z: f64, state: &mut MeshWallState| {
        let contact = kernel.contact_with(&at(z), &floor, state);
        contact.map(|c| c.parted().map(|c| (c.volume, c.area_vector.z)).unwrap())
    };
    for (z, expected) in [
        (0.75, None),
        (0.25, Some((0.25, -1.0))),
        (-0.25, Some((0.75, -1.0))),
        (-0.75, None),
        // Back from below.
        (-0.25, Some((0.25, 1.0))),
        (0.25, Some((0.75, 1.0))),
        (0.75, None),
        // Through the floor within one step.
        (-0.25, Some((0.75, -1.0))),
    ] {
        assert_eq!(contact(z, &mut state), expected, "{z}");
    }
    state.forget_side();
    assert_eq!(contact(-0.25, &mut state), Some((0.25, 1.0)));
    let mut state = MeshWallState::from_side(DVec3::Z * 2.0);
    assert_eq!(contact(-0.25, &mut state), Some((0.75, -1.0)));
    // Another wall forgets it, a clone does not.
    let mut clone = floor.clone();
    clone.set_pose(Pose3::from_translation(DVec3::X).unwrap());
    let found = MeshWall::new()
        .contact_with(&at(-0.25), &clone, &mut state)
        .unwrap();
    assert_eq!(found.area_vector().z, -1.0);
    let other = Ground::new(3, |_, _| 0.0).wall;
    let found = MeshWall::new()
        .contact_with(&at(-0.25), &other, &mut state)
        .unwrap();
    assert_eq!(found.area_vector().z, 1.0);
}

/// Two sheets that face each other or the same way, cavities, obstacles, and bodies of several shells.
#[test]
fn several_sheets_and_shells() {
    let sheets = |levels: &[(f64, bool)]| {
        let (mut vertices, mut facets) = (Vec::new(), Vec::new());
        for &(z, is_up) in levels {
            let first = vertices.len() as u32;
            let corners = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
            vertices.extend(corners.map(|(x, y)| DVec3::new(x, y, z)));
            let ids = if is_up { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
            facets.push(ids.map(|i| first + i));
        }
        Wall::new(SurfaceMesh::new(vertices, facets).unwrap())
    };
    let block = block();
    let body = Placed::new(&block, Pose3::IDENTITY);
    let volume = |wall: &Wall| {
        let contact = front().contact(&body, wall).unwrap().parted().unwrap();
        (contact.volume, contact.area_vector.z)
    };
    // A slot, a plate with two skins, and two floors.
    for (levels, expected) in [
        ([(-0.25, true), (0.375, false)], (0.375, 0.0)),
        ([(-0.25, false), (0.375, true)], (0.625, 0.0)),
        ([(-0.25, true), (0.375, true)], (0.25 + 0.875, -2.0)),
    ] {
        let (found, area) = volume(&sheets(&levels));
        assert!(
            (found - expected.0).abs() < 1e-15 && area == expected.1,
            "{found} {area}"
        );
    }
    // A closed box as an obstacle: crossed, and inside the body.
    let obstacle = |at: DVec3, size: f64| {
        let cube = block.vertices().iter().map(|&v| v * size + at).collect();
        let ids = block.surface().facets().map(|f| f.vertices().to_vec());
        Wall::new(SurfaceMesh::new(cube, ids).unwrap())
    };
    let crossed = volume(&obstacle(DVec3::Z, 1.5));
    assert_eq!(crossed, (0.25, 1.0));
    let contact = front()
        .contact(&body, &obstacle(DVec3::X * 0.125, 0.25))
        .unwrap();
    assert!((contact.parted().unwrap().volume - 1.0 / 64.0).abs() < 1e-17);
    assert_eq!(contact.area_vector(), DVec3::ZERO);
    // A cube with a cavity, and two cubes.
    let hollow = block.surface().thickened(0.25).unwrap();
    let body = Placed::new(&hollow, Pose3::from_translation(DVec3::Z * 0.125).unwrap());
    let floor = sheets(&[(0.0, true)]);
    let contact = front().contact(&body, &floor).unwrap().parted().unwrap();
    assert!(
        (contact.volume - (0.375 - 0.25 * 0.125)).abs() < 1e-15,
        "{contact:?}"
    );
    assert!((contact.area() - 0.75).abs() < 1e-15);
    let two = workload::cubes(&[[0, 0, 0], [2, 0, 1]], 1.0).unwrap();
    for (z, expected) in [(-0.25, 0.25), (-1.25, 1.25)] {
        let body = Placed::new(&two, Pose3::from_translation(DVec3::Z * z).unwrap());
        let contact = front().contact(&body, &floor).unwrap().parted().unwrap();
        assert_eq!((contact.volume, contact.area()), (expected, 1.0));
    }
}

/// Stairs of unit cubes, with all faces of the body in planes of faces of the wall: volumes are integers.
/// Where four faces of the stairs meet at an edge, the wall has a rim there.
#[test]
fn tied_stairs() {
    const SIZE: i64 = 7;
    let mut random = SplitMix64::new(5);
    let (mut kernel, mut counts) = (front(), [0; 3]);
    for _ in 0..40 {
        let heights: Vec<i64> = (0..SIZE * SIZE).map(|_| random.below(3) as i64).collect();
        let height = |x: i64, y: i64| heights[(y * SIZE + x) as usize];
        let stairs = Wall::new(stairs(SIZE, height));
        for _ in 0..20 {
            let (cubes, solid) = crate::support::solids::random_cubes(&mut random);
            let at = [random.below(3) + 1, random.below(3) + 1, random.below(4)].map(|x| x as i64);
            let body = Placed::new(
                &solid,
                Pose3::from_translation(DVec3::from_array(at.map(|x| x as f64 - 1.0))).unwrap(),
            );
            let at = at.map(|x| x - 1);
            let is_behind = |c: &&[i64; 3]| height(c[0] + at[0], c[1] + at[1]) > c[2] + at[2];
            let expected = cubes.iter().filter(is_behind).count();
            match kernel.contact(&body, &stairs) {
                // Separated, or behind as a whole.
                None => assert!(
                    [0, cubes.len()].contains(&expected),
                    "{cubes:?} {heights:?}"
                ),
                Some(MeshWallContact::OverRim(_)) => counts[0] += 1,
                Some(MeshWallContact::Parted(contact)) => {
                    let error = (contact.volume - expected as f64).abs();
                    assert!(
                        error < 1e-12,
                        "{contact:?} {expected} {cubes:?} {heights:?}"
                    );
                    counts[1 + usize::from(expected > 0)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

/// The upper surface of columns of unit cubes.
fn stairs(size: i64, height: impl Fn(i64, i64) -> i64) -> SurfaceMesh {
    let mut quads: Vec<[[i64; 3]; 4]> = Vec::new();
    for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
        let z = height(x, y);
        quads.push([[x, y, z], [x + 1, y, z], [x + 1, y + 1, z], [x, y + 1, z]]);
        for level in 0..3 {
            // Of the faces to the next columns, each once, facing the lower column.
            if x + 1 < size && (level < z) != (level < height(x + 1, y)) {
                let quad = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| [x + 1, y + a, level + b]);
                quads.push(quad);
                if level < height(x + 1, y) {
                    quads.last_mut().unwrap().reverse();
                }
            }
            if y + 1 < size && (level < z) != (level < height(x, y + 1)) {
                let quad = [[0, 0], [0, 1], [1, 1], [1, 0]].map(|[a, b]| [x + a, y + 1, level + b]);
                quads.push(quad);
                if level < height(x, y + 1) {
                    quads.last_mut().unwrap().reverse();
                }
            }
        }
    }
    let corners = quads
        .as_flattened()
        .iter()
        .map(|c| DVec3::from_array(c.map(|x| x as f64)));
    let corners: Vec<_> = corners.collect();
    let ids = (0..quads.len() as u32).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]);
    SurfaceMesh::welded(&corners, ids, 0.0).unwrap()
}

/// A trench whose bottom just touches the top of a buried cube, or cuts into it. No vertex of the cube is in
/// front, only parts of its edges, or of its top.
#[test]
fn buried_but_for_a_trench() {
    let block = block();
    for (ends, bottom, expected) in [
        (8.0, 0.5, 1.0),
        (8.0, 0.25, 1.0 - 0.25 * 0.25),
        (0.25, 0.25, 1.0 - 0.25 * 0.25 * 0.5),
        (0.25, 0.5, 1.0),
    ] {
        // A rectangular trench along x in a floor far above the cube.
        let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let [x, y, top] = [ends, 0.125, 2.0];
        let mut quads = vec![
            [
                corner(-8.0, -8.0, top),
                corner(8.0, -8.0, top),
                corner(8.0, -y, top),
                corner(-8.0, -y, top),
            ],
            [
                corner(-8.0, y, top),
                corner(8.0, y, top),
                corner(8.0, 8.0, top),
                corner(-8.0, 8.0, top),
            ],
            [
                corner(-x, -y, bottom),
                corner(x, -y, bottom),
                corner(x, y, bottom),
                corner(-x, y, bottom),
            ],
            [
                corner(-x, -y, top),
                corner(x, -y, top),
                corner(x, -y, bottom),
                corner(-x, -y, bottom),
            ],
            [
                corner(-x, y, bottom),
                corner(x, y, bottom),
                corner(x, y, top),
                corner(-x, y, top),
            ],
        ];
        if x < 8.0 {
            for (a, b) in [(-8.0, -x), (x, 8.0)] {
                quads.push([
                    corner(a, -y, top),
                    corner(b, -y, top),
                    corner(b, y, top),
                    corner(a, y, top),
                ]);
            }
            quads.push([
                corner(-x, y, top),
                corner(-x, -y, top),
                corner(-x, -y, bottom),
                corner(-x, y, bottom),
            ]);
            quads.push([
                corner(x, -y, top),
                corner(x, y, top),
                corner(x, y, bottom),
                corner(x, -y, bottom),
            ]);
        }
        let ids = (0..quads.len() as u32).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]);
        let mesh = SurfaceMesh::welded(quads.as_flattened(), ids, 0.0).unwrap();
        let contact = front().contact(&Placed::new(&block, Pose3::IDENTITY), &Wall::new(mesh));
        let contact = contact.and_then(MeshWallContact::parted);
        if let Some(contact) = contact {
            assert!(
                (contact.volume - expected).abs() < 1e-15,
                "{contact:?} {expected}"
            );
        } else {
            assert_eq!((bottom, expected), (0.5, 1.0));
        }
    }
}

/// A funnel of small triangles passes through the top of a buried cube, away from its diagonals.
#[test]
fn buried_except_for_a_funnel() {
    let funnel = |x: f64, y: f64| (x.abs().max((y - 2.4).abs()) * 5.0 - 2.0).min(8.0);
    let ground = Ground::new(40, funnel);
    let below = Placed::new(&ground.below, Pose3::IDENTITY);
    let corners: Vec<_> = block().vertices().iter().map(|&v| v * 6.0).collect();
    let large = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
    for z in [-3.0, -2.5, -1.0] {
        let body = Placed::new(&large, Pose3::from_translation(DVec3::Z * z).unwrap());
        let expected: Option<Contact> = MeshMesh::new().contact(&body, &below);
        assert!(expected.unwrap().volume > 200.0);
        let found = front().contact(&body, &ground.wall);
        assert_same(found.and_then(MeshWallContact::parted), expected, 1e-10);
    }
}

/// Laws of the other volume kernels: gradient, motion, scale; and a wall that deforms.
#[test]
fn laws_of_volume_kernels() {
    let ground = Ground::new(CELLS, hills);
    let rock = workload::rock(60, 0.6, 3).unwrap();
    let mut random = SplitMix64::new(11);
    let mut mesh_wall = front();
    let mut kernel = |a: &Placed<&SolidMesh>, b: &Wall| -> Option<Contact> {
        mesh_wall.contact(a, b).and_then(MeshWallContact::parted)
    };
    for _ in 0..6 {
        let pose = random_pose(&mut random, 0.5);
        let bodies = |[first, second]: [&Pose3; 2]| {
            let mut wall = ground.wall.clone();
            wall.set_pose(*second);
            (Placed::new(&rock, *first * pose), wall)
        };
        volume::gradient_matches(&mut kernel, bodies, [1.0, 1e-3], 1e-5).unwrap();
        let motion = random_pose(&mut random, 5.0);
        volume::moves_rigidly(&mut kernel, |m| bodies([m, m]), &motion, 10.0).unwrap();
        for exponent in [-40, 40] {
            let of_size = |size: f64| {
                let vertices = ground.wall.mesh().vertices().iter().map(|&v| v * size);
                let mut wall = ground.wall.clone();
                wall.set_vertices(&vertices.collect::<Vec<_>>()).unwrap();
                wall
            };
            let rocks = [1.0, 2.0_f64.powi(exponent)]
                .map(|size| crate::support::solids::bent(&rock, |v| v * size));
            let pair = |size: f64| {
                let shape = &rocks[usize::from(size != 1.0)];
                let pose = Pose3::new(pose.rotation(), pose.translation() * size).unwrap();
                (Placed::new(shape, pose), of_size(size))
            };
            volume::scales_exactly(&mut kernel, pair, exponent).unwrap();
        }
    }
}

/// The wrench does no work on a closed path that crosses no rim.
#[test]
fn closed_paths_do_no_work() {
    let ground = Ground::new(CELLS, hills);
    let rock = workload::rock(60, 0.6, 3).unwrap();
    let mut kernel = front();
    let wrench = |pose: &Pose3| {
        let body = Placed::new(&rock, *pose);
        let Some(contact) = kernel.contact(&body, &ground.wall) else {
            return (DVec3::ZERO, DVec3::ZERO);
        };
        let contact = contact.parted().unwrap();
        let force = contact.area_vector * -contact.volume;
        (
            force,
            contact.moment_vector_about(pose.translation()) * -contact.volume,
        )
    };
    let path = |t: f64| {
        let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
        let turn = DQuat::from_rotation_y(0.4 * sin) * DQuat::from_rotation_x(0.3 * cos);
        Pose3::new_normalize(turn, DVec3::new(0.8 * cos, 0.6 * sin, 0.7 + 0.3 * sin)).unwrap()
    };
    volume::closed_cycle_does_no_work(wrench, path, 1000, 1e-5).unwrap();
}
