//! Y. T. Feng, "An energy-conserving contact theory ...: contact volume based model and
//! computational issues", Computer Methods in Applied Mechanics and Engineering 373 (2021) 113493.
//!
//! Compares each equation that is wrong as printed (docs/PAPERS.md) with the correct one, and the closed form for spheres,
//! which is correct, with `SphereVolume`.

use std::f64::consts::PI;

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{CurveSegment, SphereVolume};
use osculate::testing::workload;
use osculate::{ContactVolume, MeshMesh, NarrowPhase, Placed, Pose3, Sphere};

/// Two rocks in general poses, away from the origin, with their intersection curve.
fn rocks() -> (ContactVolume<DVec3>, Vec<CurveSegment>) {
    let rock = |seed| workload::rock(400, 0.5, seed).unwrap();
    let poses = [
        pose([0.3, 0.2, -0.5, 0.7], DVec3::new(0.4, -0.3, 0.9)),
        pose([-0.4, 0.6, 0.1, 0.5], DVec3::new(1.7, 0.1, 0.7)),
    ];
    let shapes = [rock(1), rock(2)];
    let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
    let (mut found, mut curve) = (None, Vec::new());
    MeshMesh::new().for_each_contact_and_segment(&a, &b, |c| found = Some(c), |s| curve.push(s));
    (found.unwrap(), curve)
}

/// S and G, about the origin.
fn vectors(contact: &ContactVolume<DVec3>) -> [DVec3; 2] {
    let moment = contact.moment_vector_about(DVec3::ZERO);
    [contact.area_vector, moment]
}

fn pose(turn: [f64; 4], translation: DVec3) -> Pose3 {
    Pose3::new_normalize(DQuat::from_array(turn), translation).unwrap()
}

/// Returns the sum of `r x dS` over the triangles of a cone from the origin to the curve, eq. (67): it is G.
fn cone(curve: &[CurveSegment]) -> DVec3 {
    let part = |segment: &CurveSegment| {
        let [a, b] = segment.ends.map(|end| end.position);
        ((a + b) / 3.0).cross(a.cross(b) * 0.5)
    };
    curve.iter().map(part).sum()
}

/// Eqs. (6), (12) and (71): a force F at x has the moment `x x F` about the origin, so the central axis is
/// at `S x G / |S|^2`. As printed, `n x G / |S|` with `n = -S / |S|`, the axis is mirrored.
#[test]
fn equations_6_12_and_71_have_the_wrong_sign() {
    let (contact, _) = rocks();
    let [s, g] = vectors(&contact);
    let n = -s / contact.area();
    // The moment about the axis has to be along S.
    let across = |point: DVec3| (g - point.cross(s)).cross(n).length();
    assert!(across(s.cross(g) / s.length_squared()) < 1e-14);
    assert!(across(contact.point) < 1e-14);
    let printed = n.cross(g) / contact.area();
    assert!(across(printed) > 1.9 * g.cross(n).length() && g.cross(n).length() > 0.1);
}

/// Eqs. (27) to (29) and (70) have 1/3 instead of 1/2: the gradient of r^2 / 3 is not r but 2 r / 3. As
/// printed they contradict eq. (67), the cone. Eqs. (38) and (39) lack the factors 1/2 and -1/2.
#[test]
fn factors_of_the_line_integrals() {
    let (contact, curve) = rocks();
    let (mut area, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for segment in &curve {
        let [a, b] = segment.ends.map(|node| node.position);
        // The integrals of r x dr and of r.r dr.
        area += a.cross(b);
        moment += (b - a) * ((a.length_squared() + a.dot(b) + b.length_squared()) / 3.0);
    }
    let [s, g] = vectors(&contact);
    assert!(cone(&curve).distance(g) < 1e-13);
    assert!((area * 0.5).distance(s) < 1e-13 && (moment * -0.5).distance(g) < 1e-13);
    for (printed, right) in [(moment * (-1.0 / 3.0), g), (area, s), (moment, g)] {
        assert!(printed.distance(right) > 0.3 * right.length());
    }
}

/// Eq. (77): the point of the central axis for which the cone to the curve has the least sum of squared
/// areas, eq. (73). As printed it is another point.
#[test]
fn equation_77_corrected_finds_the_minimum() {
    let (contact, curve) = rocks();
    let [s, g] = vectors(&contact);
    let (axis, n) = (s.cross(g) / s.length_squared(), s / contact.area());
    let ends: Vec<[DVec3; 2]> = curve
        .iter()
        .map(|segment| segment.ends.map(|node| node.position))
        .collect();
    // The sum for a point, and the lambda of its minimum: it is a parabola.
    let sum = |weight: fn(f64) -> f64, lambda: f64| -> f64 {
        let point = axis + n * lambda;
        let term = |&[a, b]: &[DVec3; 2]| {
            (a - point).cross(b - point).length_squared() * 0.25 * weight(a.distance(b))
        };
        ends.iter().map(term).sum()
    };
    let least = |weight| {
        let [below, here, above] = [-1.0, 0.0, 1.0].map(|lambda| sum(weight, lambda));
        (below - above) / (2.0 * (below - 2.0 * here + above))
    };
    let (mut swept, mut printed, mut shift, mut below) = (0.0, 0.0, 0.0, 0.0);
    for &[a, b] in &ends {
        let d = b - a;
        let along = d.dot(n);
        let cross = n.dot(d.cross(a.cross(b) * 0.5));
        swept += 2.0 * cross;
        printed += cross;
        shift += axis.dot(n * d.length_squared() - d * along);
        below += d.length_squared() - along * along;
    }
    let plain = least(|_| 1.0);
    assert!(((swept - shift) / below - plain).abs() < 1e-12);
    // Its normal is -n, and lambda counts the other way. The last term is D_n^2, in words.
    let as_printed = |axis_term: f64| (printed + axis_term) / below;
    for wrong in [
        as_printed(shift),
        as_printed(-shift),
        -as_printed(shift),
        -as_printed(-shift),
    ] {
        assert!((wrong - plain).abs() > 0.1, "{wrong} {plain}");
    }
    // The crate weighs each term by 1 / |D|, so that it does not matter how the curve is cut.
    let weighed = least(|length| 1.0 / length);
    assert!(contact.point.distance(axis + n * weighed) < 1e-12);
}

/// Eq. (43): for lambda = 0 the contact point of eq. (6) is the projection of the origin on the line through
/// the midpoint along n. The midpoint itself needs lambda = n.(a + b)/2. This does not depend on the sign of
/// eq. (6): with S = -w n, as in eq. (41), the axis is at S x G / S^2.
#[test]
fn middle_of_a_width_takes_a_lambda() {
    let (a, b) = (DVec2::new(1.0, 2.0), DVec2::new(2.0, 9.0));
    let (middle, width) = ((a + b) * 0.5, a.distance(b));
    // S from the first body outwards: to the right of a -> b.
    let s = DVec2::new(b.y - a.y, a.x - b.x);
    let g = -0.5 * (b.length_squared() - a.length_squared());
    assert!((g - middle.perp_dot(s)).abs() < 1e-14);
    let n = s / width;
    // In 2D, S x G is G times S rotated by -90 degrees.
    let projection = DVec2::new(s.y, -s.x) * (g / s.length_squared());
    assert!(projection.distance(middle) > 0.5);
    assert!((projection + n * n.dot(middle)).distance(middle) < 1e-14);
}

/// Eq. (57), v = f/2 + 2, holds for genus 0 only: with one hole it is v = f/2.
#[test]
fn vertices_and_triangles_know_of_holes() {
    let counts = |solid: osculate::SolidMesh| {
        let surface = solid.surface();
        (surface.vertices().len() as u32, surface.facet_count())
    };
    let (v, f) = counts(workload::rock(100, 0.4, 1).unwrap());
    assert_eq!(v, f / 2 + 2);
    let (v, f) = counts(workload::torus(1.0, 0.3, 12, 7).unwrap());
    assert_eq!(v, f / 2);
}

/// Eqs. (47) to (51) are right: the circle in which two spheres intersect, and the volume of the lens.
#[test]
fn closed_form_of_spheres() {
    for (r1, r2, overlap) in [(1.0, 1.0, 0.05), (1.0, 0.4, 0.1), (2.0, 0.5, 0.3_f64)] {
        let (d, dr): (f64, f64) = (r1 + r2 - overlap, r1 - r2);
        let ratio = dr / d;
        let bracket = (r1 + r2) - dr * dr / d;
        let width_squared = 2.0 * bracket * overlap - (1.0 + ratio * ratio) * overlap * overlap;
        let area = PI / 2.0 * (bracket * overlap - 0.5 * (1.0 + ratio * ratio) * overlap * overlap);
        let squares = d * d + 2.0 * d * (r1 + r2) - 3.0 * dr * dr;
        let volume = PI * overlap * overlap * squares / (12.0 * d);
        let spheres = [(0.0, r1), (d, r2)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
        let lens = SphereVolume::new()
            .contact(&spheres[0], &spheres[1])
            .unwrap();
        assert!((lens.area() / (PI * width_squared / 4.0) - 1.0).abs() < 1e-13);
        assert!((lens.area() / area - 1.0).abs() < 1e-13);
        assert!((lens.volume / volume - 1.0).abs() < 1e-13);
        if dr == 0.0 {
            let equal = PI * (r1 * overlap - overlap * overlap / 4.0);
            assert!((lens.area() / equal - 1.0).abs() < 1e-13);
        }
    }
}
