//! The lens of two spheres or discs: equations 47 to 51 of Feng (2021), from exact differences.

use std::f64::consts::PI;

use osculate::glam::DVec3;
use osculate::math::Vector;
use osculate::narrow::{IntersectionKind, SphereVolume};
use osculate::testing::properties::volume;
use osculate::testing::workload::SplitMix64;
use osculate::{ContactVolume, NarrowPhase, Pose3, Sphere};

use crate::support::cases;
use crate::support::rational::{Int, ratio};

fn contact<V: Vector>(a: V, r: f64, b: V, s: f64) -> Option<ContactVolume<V>> {
    SphereVolume::new().contact(&Sphere::new(a, r), &Sphere::new(b, s))
}

/// Returns V, |S| and the distance of the circle's plane from the first center.
///
/// (r + s)^2 - d^2 and d^2 - (s - r)^2 are exact integers. All other differences follow from them by sums and
/// products of positive numbers, so that nothing cancels.
fn lens<V: Vector>(a: V, r: f64, b: V, s: f64) -> [f64; 3] {
    let square = |x: &Int| x.mul(x);
    let between = (0..V::DIM).map(|axis| square(&Int::scaled(b[axis]).sub(&Int::scaled(a[axis]))));
    let squared = between.fold(Int::default(), |sum, term| sum.add(&term));
    let [r_exact, s_exact] = [r, s].map(Int::scaled);
    let float = |x: &Int| ratio(x, &square(&Int::scaled(1.0)));
    let across = float(&square(&r_exact.add(&s_exact)).sub(&squared));
    let along = float(&squared.sub(&square(&s_exact.sub(&r_exact))));
    let d = float(&squared).sqrt();
    // d + |s - r| and d - |s - r|, of which the smaller sphere has the first one.
    let wide = d + (s - r).abs();
    let sides = if r <= s {
        [wide, along / wide]
    } else {
        [along / wide, wide]
    };
    // The heights of the caps of both spheres.
    let heights = sides.map(|side| across / (r + s + d) * side / (2.0 * d));
    let [one, other] = [(r, heights[0]), (s, heights[1])].map(|(radius, height)| {
        if V::DIM == 3 {
            return PI / 3.0 * height * height * (3.0 * radius - height);
        }
        let angle = 4.0 * (0.5 * height / radius).sqrt().asin();
        0.5 * radius * radius * angle_minus_sine(angle)
    });
    let half = (across * along).sqrt() / (2.0 * d);
    let area = if V::DIM == 3 {
        PI * half * half
    } else {
        2.0 * half
    };
    [one + other, area, r - heights[0]]
}

/// Returns x - sin x, by its series where that is a small difference.
fn angle_minus_sine(x: f64) -> f64 {
    if x > 1.0 {
        return x - x.sin();
    }
    let mut term = x * x * x / 6.0;
    let mut sum = 0.0;
    for k in 2..12 {
        sum += term;
        term *= -x * x / f64::from(2 * k * (2 * k + 1));
    }
    sum
}

/// An ulp of overlap, almost nested, ratios of radii up to 1e12, sizes down to 1e-40, and anything between.
#[test]
fn lenses_to_the_last_digits() {
    let far = DVec3::new(3.0, 4.0, 0.0);
    let near = DVec3::new(0.3, 0.4, 1.2);
    let mut pairs = vec![
        (DVec3::ZERO, 2.0_f64.next_up(), far, 3.0),
        (DVec3::ZERO, 2.0 + 1e-13, far, 3.0),
        (DVec3::ZERO, 1.0, far, 6.0_f64.next_down()),
        (DVec3::ONE, 1.0, DVec3::splat(2.0), 0.732_050_807_568_877_4),
        (DVec3::ZERO, 1.0, DVec3::X * (1e6 + 1.0 - 1e-9), 1e6),
        (DVec3::ZERO, 1.0, DVec3::X * 1e12, 1e12),
        (DVec3::ZERO, 1.0, DVec3::X * (1e12 + 0.9995), 1e12),
        (DVec3::ZERO, 1.0, near, 2.3_f64.next_down()),
        (DVec3::ZERO, 1.0, DVec3::X * 1e-9, 1.0),
    ];
    let mut random = SplitMix64::new(9);
    for _ in 0..cases(200) {
        let [a, b] = [(); 2].map(|()| random.in_ball() * 4.0);
        let (d, r) = (a.distance(b), random.range(0.1, 8.0));
        // From touching to nested.
        let part = 2.0_f64.powf(random.range(-30.0, 0.0));
        pairs.push((a, r, b, (r - d).abs() + 2.0 * r.min(d) * part));
    }
    let mut worst = [0.0_f64; 3];
    let small = 2.0_f64.powi(-132);
    for (a, r, b, s) in pairs {
        check([a, b], [r, s], 1.0, &mut worst);
        check([a, b], [r, s], small, &mut worst);
        let flat = [a.truncate(), b.truncate()];
        let d = flat[0].distance(flat[1]);
        if d < r + s && d > (r - s).abs() {
            check(flat, [r, s], 1.0, &mut worst);
            check(flat, [r, s], small, &mut worst);
        }
    }
    println!(
        "largest errors, in eps: V {:.1}, S {:.1}, plane {:.1} of a radius",
        worst[0], worst[1], worst[2]
    );
    assert!(
        worst[0] < 16.0 && worst[1] < 8.0 && worst[2] < 4.0,
        "{worst:?}"
    );
}

/// Compares the contact of two spheres times `unit` with their lens, in both orders.
fn check<V: Vector>([a, b]: [V; 2], [r, s]: [f64; 2], unit: f64, worst: &mut [f64; 3]) {
    let [volume, area, plane] = lens(a, r, b, s);
    let of_area = unit.powi(V::DIM as i32 - 1);
    let [p, q] = [(a, r), (b, s)].map(|(center, radius)| Sphere::new(center * unit, radius * unit));
    for (first, second, sign) in [(p, q, 1.0), (q, p, -1.0)] {
        let found = SphereVolume::new().contact(&first, &second).unwrap();
        assert_eq!(found.kind, IntersectionKind::Crossing);
        let between = (b - a) * (1.0 / (b - a).length());
        let to_plane = (found.point * (1.0 / unit) - a).dot(between);
        let errors = [
            found.volume / of_area / unit / volume - 1.0,
            found.area() / of_area / area - 1.0,
            // Positions round to the coordinates of the world.
            (to_plane - plane) / (r + a.length()),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error.abs() / f64::EPSILON);
        }
        let along = found.area_vector.dot(between) * sign;
        assert!(along > 0.999 * found.area());
    }
}

/// Exact signs decide: touching from outside is no contact, touching from inside is nested, and an ulp
/// changes either.
#[test]
fn kinds_change_at_the_ulp() {
    let far = DVec3::new(3.0, 4.0, 0.0);
    let (crossing, nested) = (IntersectionKind::Crossing, IntersectionKind::Nested);
    for (r, s, expected) in [
        (2.0, 3.0, None),
        (2.0_f64.next_up(), 3.0, Some(crossing)),
        (2.0_f64.next_down(), 3.0, None),
        (1.0, 6.0, Some(nested)),
        (1.0, 6.0_f64.next_down(), Some(crossing)),
        (1.0, 6.0_f64.next_up(), Some(nested)),
        (0.0, 6.0, None),
    ] {
        let found = contact(DVec3::ZERO, r, far, s);
        assert_eq!(found.map(|c| c.kind), expected, "{r} {s}");
    }
    let same = contact(DVec3::ZERO, 1.0, DVec3::ZERO, 1.0).unwrap();
    assert_eq!(same.kind, nested);
}

/// V, S and the moment belong together for motions of either body.
#[test]
fn gradients_of_lenses() {
    let kernel = &mut SphereVolume::new();
    let mut random = SplitMix64::new(3);
    for _ in 0..500 {
        let (r, s) = (random.range(0.1, 2.0), random.range(0.1, 2.0));
        let d = random.range((r - s).abs() + 0.01, r + s - 0.01);
        let bodies = |motions: [&Pose3; 2]| {
            let [p, q] = motions.map(|m| m.transform_point(DVec3::ZERO));
            (Sphere::new(p, r), Sphere::new(q + DVec3::X * d, s))
        };
        volume::gradient_matches(kernel, bodies, [1.0, 1e-4], 1e-6).unwrap();
        let [a, b] = [(0.0, r), (d, s)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
        volume::swap_negates(kernel, &a, &b).unwrap();
        let [a, b] = [a, b].map(|s| Sphere::new(s.center.truncate(), s.radius));
        volume::swap_negates(kernel, &a, &b).unwrap();
    }
}

/// The squares of distances below 2^-537 underflow; the circle is not wider than the spheres.
#[test]
fn centers_closer_than_the_root_of_the_smallest_number() {
    for k in 500..1074 {
        let distance = 1.75 * 0.5_f64.powi(k / 2) * 0.5_f64.powi(k - k / 2);
        let lens = contact(DVec3::ZERO, 0.75, DVec3::X * distance, 0.75).unwrap();
        let (volume, area) = (4.0 / 3.0 * PI * 0.75_f64.powi(3), PI * 0.75 * 0.75);
        assert!((lens.volume / volume - 1.0).abs() < 1e-15, "{k}: {lens:?}");
        assert!(lens.area() <= area * (1.0 + 1e-15), "{k}: {lens:?}");
    }
}
