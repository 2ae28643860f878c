//! Walls thickened into solids: by hand, and refused input.

use std::f64::consts::{FRAC_PI_2, TAU};

use osculate::glam::{DVec2, DVec3};
use osculate::shape::SegmentMesh;
use osculate::{Error, ErrorKind, SolidMesh, SurfaceMesh};

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

/// The triangles of a sheet over the unit square with other vertices.
fn bent(cells: [u32; 2], place: impl Fn(f64, f64) -> DVec3) -> SurfaceMesh {
    let flat = sheet(cells, |x, y| DVec3::new(x, y, 0.0)).triangulated();
    let vertices = flat.vertices().iter().map(|v| place(v.x, v.y)).collect();
    let facets = flat.facets().map(|f| f.vertices().to_vec());
    SurfaceMesh::new(vertices, facets).unwrap()
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-13 * expected,
        "{found} {expected}"
    );
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
            assert_near(solid.volume(), 4.0);
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
            let side = 2.0 * half.sin();
            let miter = flip * thickness * half.tan();
            let per_facet = f64::from(count) * (side + miter);
            let area = thickness * (per_facet - miter);
            assert_near(solid.volume(), 3.0 * area);
        }
    }
}

/// The corner of three planes moves along the diagonal, inside and outside.
#[test]
fn corner_of_a_bin_is_mitered() {
    let axes = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let sums = [
        DVec3::X + DVec3::Y,
        DVec3::Y + DVec3::Z,
        DVec3::Z + DVec3::X,
    ];
    let vertices: Vec<DVec3> = axes.into_iter().chain(sums).collect();
    let inside = [[0, 1, 4, 2], [0, 2, 5, 3], [0, 3, 6, 1]];
    let outside = inside.map(|[a, b, c, d]| [d, c, b, a]);
    let h = 0.25;
    for (facets, sign) in [(inside, 1.0), (outside, -1.0)] {
        let bin = SurfaceMesh::new(vertices.clone(), facets).unwrap();
        let solid = bin.thickened(h).unwrap();
        let back = solid.surface().vertices()[7];
        assert!(back.distance(DVec3::splat(-sign * h)) < 1e-15, "{back}");
        assert_near(solid.volume(), bin_volume(h * sign) * sign);
    }
}

/// The box from (-h, -h, -h) to (1, 1, 1), without the unit cube.
fn bin_volume(h: f64) -> f64 {
    (1.0 + h).powi(3) - 1.0
}

/// Sums over a soft hill do not depend on how its flat parts are meshed.
#[test]
fn bumpy_sheet_is_about_as_thick_everywhere() {
    let hills = bent([16, 16], |x, y| {
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
    let noisy = bent([40, 30], |x, y| {
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
    let cube = |sign: f64| {
        let corner = |i: u32| {
            let bit = |k: u32| f64::from(i >> k & 1);
            DVec3::new(bit(0) * sign, bit(1), bit(2))
        };
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        SurfaceMesh::new((0..8).map(corner).collect(), faces).unwrap()
    };
    assert_near(cube(1.0).thickened(0.25).unwrap().volume(), 1.0 - 0.125);
    assert_near(
        cube(-1.0).thickened(0.25).unwrap().volume(),
        1.5_f64.powi(3) - 1.0,
    );
    assert_eq!(refused(cube(1.0).thickened(0.5)).0, ErrorKind::Intersection);
    assert_eq!(
        refused(cube(1.0).thickened(0.75)).0,
        ErrorKind::Intersection
    );
}

#[test]
fn what_is_no_sheet_is_refused() {
    let square = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    let with = |more: &[DVec3]| square.iter().chain(more).copied().collect::<Vec<_>>();
    let thick = |vertices: Vec<DVec3>, facets: &[&[u32]]| {
        SurfaceMesh::new(vertices, facets).unwrap().thickened(0.25)
    };
    assert_eq!(refused(thick(vec![], &[])).0, ErrorKind::Degenerate);
    let flat = thick(with(&[DVec3::X * 2.0]), &[&[0, 1, 2, 3], &[0, 1, 4]]);
    assert_eq!(refused(flat), (ErrorKind::Facet, Some(1)));
    let unused = thick(with(&[DVec3::Z]), &[&[0, 1, 2, 3]]);
    assert_eq!(refused(unused), (ErrorKind::NonManifold, Some(4)));
    let twice = thick(
        with(&[DVec3::X, DVec3::X * 2.0, square[2]]),
        &[&[0, 1, 2, 3], &[4, 5, 6]],
    );
    assert_eq!(refused(twice), (ErrorKind::NonManifold, Some(4)));
    let three = thick(
        with(&[DVec3::Z, -DVec3::Z]),
        &[&[0, 1, 2, 3], &[1, 0, 4], &[1, 0, 5]],
    );
    assert_eq!(refused(three), (ErrorKind::NonManifold, Some(0)));
    let bow_tie = thick(
        with(&[DVec3::new(-1.0, 0.0, 0.0), DVec3::new(0.0, -1.0, 0.0)]),
        &[&[0, 1, 2, 3], &[0, 4, 5]],
    );
    assert_eq!(refused(bow_tie), (ErrorKind::NonManifold, Some(0)));
    let reversed = thick(
        with(&[DVec3::new(2.0, 0.5, 0.0)]),
        &[&[0, 1, 2, 3], &[1, 2, 4]],
    );
    assert_eq!(refused(reversed), (ErrorKind::Orientation, Some(0)));
    let middle = DVec3::new(1.0, 0.5, 0.0);
    let junction = thick(
        with(&[middle, DVec3::X * 2.0, DVec3::new(2.0, 1.0, 0.0)]),
        &[&[0, 1, 2, 3], &[1, 5, 4], &[4, 5, 6, 2]],
    );
    assert_eq!(refused(junction), (ErrorKind::Intersection, Some(4)));
}

/// A sheet folded onto itself, a fold that is too sharp, and two plates one of which is in the other's
/// layer.
#[test]
fn what_would_intersect_is_refused() {
    let folded = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let wing = DVec3::new(-cos, 0.0, sin);
        let vertices = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::X + DVec3::Y,
            DVec3::Y,
            wing,
            wing + DVec3::Y,
        ];
        SurfaceMesh::new(vertices, [[0, 1, 2, 3], [4, 0, 3, 5]]).unwrap()
    };
    // Flat, a right angle with the front inside, and nearly closed: the miter is far out, but right.
    for angle in [0.0, FRAC_PI_2, 3.0] {
        let solid = folded(angle).thickened(0.25).unwrap();
        let ridge = solid.surface().vertices()[6];
        let expected = 0.25 / (0.5 * angle).cos();
        assert!(
            (ridge.length() - expected).abs() < 1e-12 * expected,
            "{angle}"
        );
    }
    // The front outside: the layer is in the gap of the fold.
    assert!(folded(-FRAC_PI_2).thickened(0.25).is_ok());
    assert_eq!(
        refused(folded(-3.0).thickened(0.25)).0,
        ErrorKind::Intersection
    );
    for angle in [std::f64::consts::PI, -std::f64::consts::PI] {
        assert_eq!(
            refused(folded(angle).thickened(0.25)).0,
            ErrorKind::Intersection
        );
    }
    let at = |z: f64, by: f64| sheet([1, 1], |x, y| DVec3::new(x + by, y, z));
    let both = |z: f64, by: f64| {
        let (upper, lower) = (at(0.0, 0.0), at(z, by));
        let vertices = upper.vertices().iter().chain(lower.vertices()).copied();
        SurfaceMesh::new(vertices.collect(), [[0, 1, 3, 2], [4, 5, 7, 6]]).unwrap()
    };
    assert!(both(-0.5, 0.5).thickened(0.25).is_ok());
    assert_eq!(
        refused(both(-0.125, 0.5).thickened(0.25)),
        (ErrorKind::Intersection, Some(0))
    );
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
    let thick = |segments: &[[u32; 2]]| refused(chain(&points, segments).thickened(0.25));
    assert_eq!(thick(&[]), (ErrorKind::Degenerate, None));
    assert_eq!(
        thick(&[[0, 1], [1, 2], [2, 3], [3, 0]]),
        (ErrorKind::NonManifold, Some(0))
    );
    assert_eq!(thick(&[[0, 1], [4, 5]]), (ErrorKind::NonManifold, Some(1)));
    assert_eq!(
        thick(&[[0, 1], [1, 2], [1, 3]]),
        (ErrorKind::NonManifold, Some(2))
    );
    assert_eq!(thick(&[[0, 1], [2, 1]]), (ErrorKind::NonManifold, Some(1)));
    let wall = chain(&points, &[[0, 1], [1, 2], [2, 3]]);
    assert_eq!(
        refused(wall.thickened(0.75)),
        (ErrorKind::Intersection, Some(1))
    );
    let back_and_forth = chain(&[(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)], &[[0, 1], [1, 2]]);
    assert!(back_and_forth.thickened(0.25).is_err());
}

/// Thickened walls scale exactly.
#[test]
fn scales_exactly() {
    let of_size = |size: f64| -> SolidMesh {
        let mesh = bent([5, 4], |x, y| DVec3::new(x, y, 0.2 * x * y) * size);
        mesh.thickened(0.125 * size).unwrap()
    };
    let solid = of_size(1.0);
    for exponent in [-140, -20, 20, 140] {
        let size = 2.0_f64.powi(exponent);
        let scaled = of_size(size);
        for (&p, &q) in solid
            .surface()
            .vertices()
            .iter()
            .zip(scaled.surface().vertices())
        {
            assert_eq!(p * size, q);
        }
    }
}
