//! Walls thickened into solids: by hand, and refused input.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::support::convex::{corner, cuboid};
use crate::support::solids::assert_near;
use crate::support::wall::grid;
use osculate::glam::{DVec2, DVec3};
use osculate::shape::SegmentMesh;
use osculate::{Error, ErrorKind, SurfaceMesh};

/// A sheet of m x n quadrilaterals over the unit square; `place` moves its vertices.
fn sheet([m, n]: [u32; 2], place: impl Fn(f64, f64) -> DVec3) -> SurfaceMesh {
    let at = |i: u32| {
        let (x, y) = (i % (m + 1), i / (m + 1));
        place(f64::from(x) / f64::from(m), f64::from(y) / f64::from(n))
    };
    let cells = (0..m * n).map(|cell| {
        let low = cell / m * (m + 1) + cell % m;
        [low, low + 1, low + m + 2, low + m + 1]
    });
    let vertices = (0..(m + 1) * (n + 1)).map(at).collect();
    SurfaceMesh::new(vertices, cells).unwrap()
}

/// The same of triangles.
fn net([m, n]: [u32; 2], place: impl Fn(f64, f64) -> DVec3) -> SurfaceMesh {
    grid([m, n], |x, y| {
        place(f64::from(x) / f64::from(m), f64::from(y) / f64::from(n))
    })
}

fn assert_volume(mesh: &SurfaceMesh, thickness: f64, expected: f64) {
    let volume = mesh.thickened(thickness).unwrap().volume();
    assert_near(volume, expected, 1e-13 * expected);
}

fn refused<T>(result: Result<T, Error>) -> (ErrorKind, Option<usize>) {
    let error = result.err().unwrap();
    (error.kind(), error.index())
}

#[test]
fn plate_becomes_a_box() {
    for cells in [[1, 1], [3, 2], [8, 8]] {
        let plate = sheet(cells, |x, y| DVec3::new(4.0 * x, 2.0 * y, 1.0));
        for plate in [plate.triangulated(), plate] {
            let solid = plate.thickened(0.5).unwrap();
            assert_near(solid.volume(), 4.0, 4e-13);
            let count = plate.vertices().len();
            let (front, back) = solid.surface().vertices().split_at(count);
            assert_eq!(front, plate.vertices());
            for (&p, &q) in front.iter().zip(back) {
                assert_eq!(q, p - DVec3::Z * 0.5);
            }
        }
    }
}

/// The planes of the back are a thickness behind the planes of the front, from both sides and at rims.
#[test]
fn drum_sector_has_an_even_thickness() {
    for count in [1, 2, 7, 40] {
        for (flip, thickness) in [(1.0, 0.3), (1.0, 2.5), (-1.0, 0.3)] {
            // Facets face the axis if y runs forward, and the back is then outside.
            let half = 0.5 * FRAC_PI_2 / f64::from(count);
            let drum = sheet([count, 2], |x, y| {
                let (sin, cos) = (FRAC_PI_2 * x).sin_cos();
                DVec3::new(cos, sin, -3.0 * flip * y)
            });
            let solid = drum.thickened(thickness).unwrap();
            for facet in drum.facets() {
                for (&id, corner) in facet.vertices().iter().zip(facet.corners()) {
                    let behind = solid.surface().vertices()[id as usize + drum.vertices().len()];
                    let depth = facet.normal().dot(corner - behind);
                    assert!((depth - thickness).abs() <= 1e-13 * thickness, "{depth}");
                    assert!((corner.z - behind.z).abs() < 1e-14);
                }
            }
            // A trapezoid for each facet, and at the ends half of a miter is missing.
            let miter = flip * thickness * half.tan();
            let per_facet = f64::from(count) * (2.0 * half.sin() + miter);
            assert_volume(&drum, thickness, 3.0 * thickness * (per_facet - miter));
        }
    }
}

/// The corner of three planes moves along the diagonal, inside and outside.
#[test]
fn corner_of_a_bin_is_mitered() {
    let vertices: Vec<DVec3> = (0..7).map(corner).collect();
    let inside = [[0, 1, 3, 2], [0, 2, 6, 4], [0, 4, 5, 1]];
    let outside = inside.map(|[a, b, c, d]| [d, c, b, a]);
    for (facets, sign) in [(inside, 1.0), (outside, -1.0)] {
        let bin = SurfaceMesh::new(vertices.clone(), facets).unwrap();
        let h = 0.25 * sign;
        let back = bin.thickened(0.25).unwrap().surface().vertices()[7];
        assert!(back.distance(DVec3::splat(-h)) < 1e-15, "{back}");
        // The box from (-h, -h, -h) to (1, 1, 1), without the unit cube.
        assert_volume(&bin, 0.25, ((1.0 + h).powi(3) - 1.0) * sign);
    }
}

/// Sums over a soft hill do not depend on how its flat parts are meshed.
#[test]
fn bumpy_sheet_is_about_as_thick_everywhere() {
    let hills = net([16, 16], |x, y| {
        DVec3::new(x, y, 0.1 * (TAU * x).sin() * (TAU * y).cos())
    });
    let area = hills.facets().map(|f| {
        let [a, b, c]: [DVec3; 3] = f.corners().collect::<Vec<_>>().try_into().unwrap();
        0.5 * (b - a).cross(c - a).length()
    });
    let area: f64 = area.sum();
    for thickness in [1e-3, 1e-2, 0.1] {
        let solid = hills.thickened(thickness).unwrap();
        let ratio = solid.volume() / (area * thickness);
        assert!((ratio - 1.0).abs() < 0.1 * thickness + 0.02, "{ratio}");
    }
    let (kind, index) = refused(hills.thickened(1.0));
    assert_eq!(kind, ErrorKind::Intersection);
    assert!(index.is_some());
}

/// Coordinates of a single-precision file bend a plane by 1e-7. Its back is as flat.
#[test]
fn noise_is_not_amplified() {
    let noisy = net([40, 30], |x, y| {
        let rotated = DVec3::new(
            0.6 * x - 0.8 * y,
            0.8 * x + 0.6 * y,
            0.3 * x + 0.1 * y + 7.0,
        );
        rotated.map(|c| f64::from(c as f32))
    });
    let solid = noisy.thickened(0.05).unwrap();
    let [u, v] = [DVec3::new(0.6, 0.8, 0.3), DVec3::new(-0.8, 0.6, 0.1)];
    let normal = u.cross(v).normalize();
    for (front, back) in noisy
        .vertices()
        .iter()
        .zip(&solid.surface().vertices()[41 * 31..])
    {
        let error = back.distance(*front - normal * 0.05);
        assert!(error < 1e-5 * 0.05, "{error:e}");
    }
}

#[test]
fn closed_walls_get_a_second_shell() {
    let outward = SurfaceMesh::from(cuboid(DVec3::ZERO, DVec3::ONE));
    let facets = outward
        .facets()
        .map(|f| f.vertices().iter().rev().copied().collect::<Vec<_>>());
    let inward = SurfaceMesh::new(outward.vertices().to_vec(), facets).unwrap();
    assert_volume(&outward, 0.25, 1.0 - 0.125);
    assert_volume(&inward, 0.25, 1.5_f64.powi(3) - 1.0);
    for thickness in [0.5, 0.75] {
        assert_eq!(
            refused(outward.thickened(thickness)).0,
            ErrorKind::Intersection
        );
    }
}

/// Each time a square, more vertices, and more facets.
#[test]
fn what_is_no_sheet_is_refused() {
    type Facets<'a> = &'a [&'a [u32]];
    let [x, y, z] = DVec3::AXES;
    let thick = |more: &[DVec3], facets: Facets| {
        let vertices = [&[DVec3::ZERO, x, x + y, y], more].concat();
        let all = [&[&[0, 1, 2, 3][..]], facets].concat();
        refused(SurfaceMesh::new(vertices, all).unwrap().thickened(0.25))
    };
    let cases: [(&str, &[DVec3], Facets, ErrorKind, usize); 7] = [
        ("flat", &[x * 2.0], &[&[0, 1, 4]], ErrorKind::Facet, 1),
        ("unused", &[z], &[], ErrorKind::NonManifold, 4),
        (
            "twice",
            &[x, x * 2.0, x + y],
            &[&[4, 5, 6]],
            ErrorKind::NonManifold,
            4,
        ),
        (
            "three",
            &[z, -z],
            &[&[1, 0, 4], &[1, 0, 5]],
            ErrorKind::NonManifold,
            0,
        ),
        (
            "bow tie",
            &[-x, -y],
            &[&[0, 4, 5]],
            ErrorKind::NonManifold,
            0,
        ),
        (
            "reversed",
            &[x * 2.0 + y * 0.5],
            &[&[1, 2, 4]],
            ErrorKind::Orientation,
            0,
        ),
        (
            "junction",
            &[x + y * 0.5, x * 2.0, x * 2.0 + y],
            &[&[1, 5, 4], &[4, 5, 6, 2]],
            ErrorKind::Intersection,
            4,
        ),
    ];
    for (name, vertices, facets, kind, index) in cases {
        assert_eq!(thick(vertices, facets), (kind, Some(index)), "{name}");
    }
    let nothing = SurfaceMesh::from_triangles(&[]).unwrap();
    assert_eq!(refused(nothing.thickened(0.25)).0, ErrorKind::Degenerate);
}

/// A sheet folded onto itself, a fold that is too sharp, and two plates one of which is in the other's
/// layer.
#[test]
fn what_would_intersect_is_refused() {
    let folded = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let wing = DVec3::new(-cos, 0.0, sin);
        let vertices = [wing, DVec3::ZERO, DVec3::X].map(|v| [v, v + DVec3::Y]);
        let facets = [[0, 2, 3, 1], [2, 4, 5, 3]];
        let wall = SurfaceMesh::new(vertices.as_flattened().to_vec(), facets);
        wall.unwrap().thickened(0.25)
    };
    // Flat, a right angle with the front inside, and nearly closed: the miter is far out, but right.
    for angle in [0.0, FRAC_PI_2, 3.0] {
        let ridge = folded(angle).unwrap().surface().vertices()[8];
        let expected = 0.25 / (0.5 * angle).cos();
        assert_near(ridge.length(), expected, 1e-12 * expected);
    }
    // The front outside: the layer is in the gap of the fold.
    assert!(folded(-FRAC_PI_2).is_ok());
    for angle in [-3.0, PI, -PI] {
        assert_eq!(refused(folded(angle)).0, ErrorKind::Intersection);
    }
    let both = |z: f64| {
        let shifts = [DVec3::ZERO, DVec3::new(0.5, 0.0, z)];
        let square = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let vertices = shifts.map(|shift| square.map(|v| v + shift));
        let facets = [[0, 1, 2, 3], [4, 5, 6, 7]];
        let walls = SurfaceMesh::new(vertices.as_flattened().to_vec(), facets);
        walls.unwrap().thickened(0.25)
    };
    assert!(both(-0.5).is_ok());
    assert_eq!(refused(both(-0.125)), (ErrorKind::Intersection, Some(0)));
}

fn chain(points: &[(f64, f64)], segments: &[[u32; 2]]) -> SegmentMesh {
    let vertices = points.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
    SegmentMesh::new(vertices, segments.to_vec()).unwrap()
}

#[test]
fn chain_becomes_a_polygon() {
    // In any order; a segment of no length, and a vertex that is repeated.
    let points = [(0.0, 0.0), (2.0, 0.0), (3.0, 0.0), (2.0, 0.0), (3.0, 1.0)];
    let wall = chain(&points, &[[2, 4], [0, 1], [1, 3], [3, 2]]);
    let polygon = wall.thickened(0.5).unwrap();
    let expected = [(0.0, 0.0), (2.0, 0.0), (3.0, 0.0), (3.0, 1.0)];
    let back = [(2.5, 1.0), (2.5, 0.5), (2.0, 0.5), (0.0, 0.5)];
    let expected = expected.iter().chain(&back).map(|&(x, y)| DVec2::new(x, y));
    assert_eq!(polygon.vertices(), expected.collect::<Vec<_>>());
    assert_eq!(polygon.area(), 0.5 * (2.5 + 0.5) + 0.25);
}

#[test]
fn what_is_no_chain_is_refused() {
    let points = [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
        (5.0, 5.0),
        (5.0, 6.0),
    ];
    let thick = |segments: &[[u32; 2]], by: f64| refused(chain(&points, segments).thickened(by));
    assert_eq!(thick(&[], 0.25), (ErrorKind::Degenerate, None));
    let cases: [(&[[u32; 2]], usize); 4] = [
        (&[[0, 1], [1, 2], [2, 3], [3, 0]], 0),
        (&[[0, 1], [4, 5]], 1),
        (&[[0, 1], [1, 2], [1, 3]], 2),
        (&[[0, 1], [2, 1]], 1),
    ];
    for (segments, index) in cases {
        assert_eq!(
            thick(segments, 0.25),
            (ErrorKind::NonManifold, Some(index)),
            "{segments:?}"
        );
    }
    let folded = thick(&[[0, 1], [1, 2], [2, 3]], 0.75);
    assert_eq!(folded, (ErrorKind::Intersection, Some(1)));
    let back_and_forth = chain(&[(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)], &[[0, 1], [1, 2]]);
    assert!(back_and_forth.thickened(0.25).is_err());
}

/// Thickened walls scale exactly.
#[test]
fn scales_exactly() {
    let back = |size: f64| {
        let mesh = net([5, 4], |x, y| DVec3::new(x, y, 0.2 * x * y) * size);
        mesh.thickened(0.125 * size)
            .unwrap()
            .surface()
            .vertices()
            .to_vec()
    };
    for size in [-140, -20, 20, 140].map(|exponent| 2.0_f64.powi(exponent)) {
        let scaled: Vec<_> = back(1.0).iter().map(|&v| v * size).collect();
        assert_eq!(back(size), scaled);
    }
}
