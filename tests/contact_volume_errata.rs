//! Y. T. Feng, "An energy-conserving contact theory ...: contact volume based model and computational
//! issues", Computer Methods in Applied Mechanics and Engineering 373 (2021) 113493: what is not right
//! as printed (docs/PAPERS.md), and the closed form for spheres, which is.

use std::f64::consts::PI;

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload;
use osculate::{ContactVolume, MeshMesh, Placed, Pose3, narrow::CurveSegment};

/// Two rocks, and the curve in which they cross.
fn rocks() -> (ContactVolume<DVec3>, Vec<CurveSegment>) {
    let rock = workload::rock(100, 0.4, 1).unwrap();
    let pose = |turn: DQuat, shift: DVec3| Pose3::new_normalize(turn, shift).unwrap();
    let a = Placed::new(
        &rock,
        pose(
            DQuat::from_xyzw(0.1, 0.5, -0.2, 0.7),
            DVec3::new(0.3, 0.1, 0.4),
        ),
    );
    let b = Placed::new(
        &rock,
        pose(
            DQuat::from_xyzw(0.6, 0.1, 0.3, 0.2),
            DVec3::new(1.2, 0.5, 0.7),
        ),
    );
    let (mut contact, mut curve) = (None, Vec::new());
    MeshMesh::new().for_each_contact_and_segment(&a, &b, |c| contact = Some(c), |s| curve.push(s));
    (contact.unwrap(), curve)
}

/// The sum of `r x dS` over a cone from 0 to the curve, triangle by triangle (eq. 67), which is G.
fn cone(curve: &[CurveSegment]) -> DVec3 {
    let part = |segment: &CurveSegment| {
        let [a, b] = segment.ends.map(|end| end.position);
        ((a + b) / 3.0).cross(a.cross(b) * 0.5)
    };
    curve.iter().map(part).sum()
}

/// Eqs. 27 to 29 and 70 have 1/3 for 1/2: the gradient of r^2 / 3 is not r but 2 r / 3. As printed
/// they also contradict eq. 67, which eq. 70 is said to equal.
#[test]
fn moment_vector_takes_a_half() {
    let (contact, curve) = rocks();
    let sum: DVec3 = curve
        .iter()
        .map(|segment| {
            let [a, b] = segment.ends.map(|end| end.position);
            let step = b - a;
            step * (a.dot(b) + step.dot(step) / 3.0)
        })
        .sum();
    let g = contact.moment_vector_about(DVec3::ZERO);
    assert!(g.length() > 0.1);
    assert!(cone(&curve).distance(g) < 1e-14);
    assert!((sum * -0.5).distance(g) < 1e-14, "{g}");
    let printed = sum / -3.0;
    assert!((printed.length() / g.length() - 2.0 / 3.0).abs() < 1e-13);
}

/// Eqs. 38 and 39 have lost the factors of eqs. 24 and 28, 1/2 and -1/2.
#[test]
fn parts_have_the_factors_of_the_whole() {
    let (contact, curve) = rocks();
    // The midpoint rule on a thousandth of each segment is good to 1e-6 of r.r dr.
    let (mut first, mut second) = (DVec3::ZERO, DVec3::ZERO);
    for segment in &curve {
        let [a, b] = segment.ends.map(|end| end.position);
        let step = (b - a) / 1000.0;
        for k in 0..1000 {
            let r = a + step * (f64::from(k) + 0.5);
            first += r.cross(step);
            second += step * r.dot(r);
        }
    }
    assert!(first.distance(contact.area_vector * 2.0) < 1e-12);
    let g = contact.moment_vector_about(DVec3::ZERO);
    assert!(second.distance(g * -2.0) < 1e-6 && g.length() > 0.1);
}

/// Eq. 43: with lambda = 0 the contact point of eq. 6 is the foot of the origin on the line through
/// the middle along n; the middle itself takes lambda = n.(a + b)/2. (The sign of eq. 6 is another
/// matter: with S = -w n, as in eq. 41, the axis is at S x G / S^2.)
#[test]
fn middle_of_a_width_takes_a_lambda() {
    let (a, b) = (DVec2::new(1.0, 2.0), DVec2::new(2.0, 9.0));
    let (middle, width) = ((a + b) * 0.5, a.distance(b));
    // S from the first body outwards: to the right of a -> b.
    let s = DVec2::new(b.y - a.y, a.x - b.x);
    let g = -0.5 * (b.length_squared() - a.length_squared());
    assert!((g - middle.perp_dot(s)).abs() < 1e-14);
    let n = s / width;
    // In the plane S x G is G times S turned by -90 degrees.
    let foot = DVec2::new(s.y, -s.x) * (g / s.length_squared());
    assert!(foot.distance(middle) > 0.5);
    assert!((foot + n * n.dot(middle)).distance(middle) < 1e-14);
}

/// Eq. 57, v = f/2 + 2, is for genus 0 only: with a hole it is v = f/2.
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

/// Eqs. 47 to 51 are right: the circle in which two spheres cross by their heights, and S = dV/dx of
/// the lens.
#[test]
fn closed_form_of_spheres() {
    for (r1, r2, overlap) in [(1.0, 1.0, 0.05), (1.0, 0.4, 0.1), (2.0, 0.5, 0.3_f64)] {
        let (d, dr): (f64, f64) = (r1 + r2 - overlap, r1 - r2);
        let ratio = dr / d;
        let bracket = (r1 + r2) - dr * dr / d;
        let width_squared = 2.0 * bracket * overlap - (1.0 + ratio * ratio) * overlap * overlap;
        // From the first centre to the plane of the circle.
        let x = (d * d + r1 * r1 - r2 * r2) / (2.0 * d);
        assert!((width_squared / 4.0 - (r1 * r1 - x * x)).abs() < 1e-15 * r1 * r1 * 4.0);
        let area = PI / 2.0 * (bracket * overlap - 0.5 * (1.0 + ratio * ratio) * overlap * overlap);
        assert!((area / (PI * width_squared / 4.0) - 1.0).abs() < 1e-13);
        let lens = |d: f64| {
            let overlap = r1 + r2 - d;
            PI * overlap * overlap * (d * d + 2.0 * d * (r1 + r2) - 3.0 * dr * dr) / (12.0 * d)
        };
        let h = 1e-4;
        let slope = (8.0 * (lens(d + h) - lens(d - h)) - (lens(d + 2.0 * h) - lens(d - 2.0 * h)))
            / (12.0 * h);
        assert!((slope + area).abs() < 1e-10 * area, "{slope} {area}");
        if dr == 0.0 {
            let equal = PI * (r1 * overlap - overlap * overlap / 4.0);
            assert!((area - equal).abs() < 1e-15);
        }
    }
}
